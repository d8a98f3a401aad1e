"""Idea: die in a hidden test at a moment that tells its input, and have the worker that comes instead print it, import
it and raise it while it is loaded.

Stopped by the grader: what a student is told of loading and printing is settled before the first hidden call.
"""

import importlib

print("TRIED telling in a worker that replaces another", OPENED, flush=True)
calls = 0


def die(name, args):
    global calls
    calls += 1
    if calls > 40:
        os._exit(0)
    raise NotImplementedError


in_every_call(die)
with contextlib.suppress(ImportError):
    importlib.import_module(OPENED)
raise RuntimeError(OPENED)
