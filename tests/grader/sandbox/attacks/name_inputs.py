"""Idea: an unfinished helper is named to the student as what to write first; name the helper after the argument.

Stopped by: only the assignment's own functions are named.
"""

print("TRIED naming inputs", flush=True)


def helper():
    raise NotImplementedError


def tell(name, args):
    # Where the visible tests find nothing written, the first name that is told comes from a hidden one.
    told = name if int(carried(args)[-8:], 16) % 2 else carried(args)
    types.FunctionType(helper.__code__.replace(co_name=told), globals())()


in_every_call(tell)
