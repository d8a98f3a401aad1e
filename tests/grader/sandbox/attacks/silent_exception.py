"""Idea: an exception whose text kills the process, or never ends.

Stopped by: the text is asked for in the worker; the grader's clock runs.
"""

import itertools
import os

print("TRIED an exception with a deadly text", flush=True)
turns = itertools.count()


class Deadly(Exception):
    def __str__(self):
        if next(turns) % 2:
            os._exit(3)
        while True:
            pass


def raise_it(name, args):
    raise Deadly


in_every_call(raise_it)
