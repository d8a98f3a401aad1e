"""Idea: the same with an import of a module whose name says it, and that there is none of.

Stopped by: what a student is told of loading is what the first worker did.
"""

import importlib
import os

print("TRIED importing in a worker that replaces another", flush=True)


def die(name, args):
    global calls
    calls += 1
    if calls > 40:
        os._exit(0)
    raise NotImplementedError


calls = 0
in_every_call(die)

importlib.import_module(OPENED)
