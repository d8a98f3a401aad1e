"""Idea: recurse in C until the stack ends.

Stopped by: the process that dies is the worker's.
"""

print("TRIED a stack overflow", flush=True)
sys.setrecursionlimit(10**6)


def overflow(name, args):
    nested = []
    for _ in range(10**5):
        nested = [nested]
    return repr(nested) or nested == nested[:]


in_every_call(overflow)
