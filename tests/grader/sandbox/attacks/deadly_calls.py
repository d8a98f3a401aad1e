"""Idea: end the process in a call: with the status of success, by abort, by address 0, by a stack without end, in the
text of an exception.

Stopped by the grader: a dead worker is a failed call; it is replaced a bounded number of times.
"""

print("TRIED ending in a call", flush=True)


def overflow():
    sys.setrecursionlimit(10**6)
    nested = []
    for _ in range(10**5):
        nested = [nested]
    return repr(nested) or nested == nested[:]


class Deadly(Exception):
    def __str__(self):
        os._exit(3)


def die(name, args):
    [lambda: os._exit(0), os.abort, lambda: ctypes.string_at(0), overflow, lambda: None][FUNCTIONS.index(name) % 5]()
    raise Deadly


in_every_call(die)
