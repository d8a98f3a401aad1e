"""Idea: reveal every argument, even of hidden tests. Each argument is printed, raised, used as the name of a
type, exception or helper, and stored in the module, in files and in the answers; the time at which a worker
ends depends on it too.

Defence: public tests and answers come first, and their feedback is final before the first
hidden call. About a hidden test, the student sees only the kind of mistake, and nothing that the submission
wrote.
"""

import itertools

memory, turns = [], itertools.count(1)


def helper():
    raise NotImplementedError


def leak(name, args):
    mark, turn = carried(args), next(turns)
    memory.append(mark)
    with open("memory", "a") as file:
        file.write(mark)
    ANSWERS.update(dict.fromkeys(ANSWERS, " ".join(memory)[-1000:]))
    print(mark, *memory[-20:], file=sys.stderr, flush=True)
    if turn > 150 and int(mark[-8:], 16) % 29 == 0:
        os._exit(0)
    if turn % 4 == 0:
        raise type(mark, (ValueError,), {})(mark)
    if turn % 4 == 1:
        return type(mark, (), {})()
    if turn % 4 == 2:
        types.FunctionType(helper.__code__.replace(co_name=mark), globals())()
    raise NotImplementedError


in_every_call(leak)
tried()
