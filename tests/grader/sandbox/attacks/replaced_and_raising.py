"""Idea: die in a hidden test at a moment that tells its input, and have the worker that comes instead raise it while it is loaded.

Stopped by: what a student is told of loading is what the first worker did.
"""

import os

print("TRIED raising in a worker that replaces another", flush=True)


def die(name, args):
    global calls
    calls += 1
    if calls > 40:
        os._exit(0)
    raise NotImplementedError


calls = 0
in_every_call(die)

raise RuntimeError(OPENED)
