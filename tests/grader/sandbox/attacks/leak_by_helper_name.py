"""Idea: implement no function that public tests call, and then name an unfinished helper after a hidden argument.

Defence: messages name only the functions of the assignment.
"""



def helper():
    raise NotImplementedError


def leak(name, args):
    # If the public tests find no implemented function, the first reported name comes from a hidden test.
    leaked_name = name if int(carried(args)[-8:], 16) % 2 else carried(args)
    types.FunctionType(helper.__code__.replace(co_name=leaked_name), globals())()


in_every_call(leak)
tried()
