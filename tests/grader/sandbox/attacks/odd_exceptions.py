"""Idea: exceptions that bear the names of a test's outcomes, whose text, name and bases misbehave, that end a program;
and SystemExit while the file is loaded, as a script ends itself.

Stopped by the grader: an exception is described in the worker without trusting its methods, refused where it is out of
bounds, and judged by the names of built-in classes alone.
"""

import itertools


class Text(str):
    def __getitem__(self, index):
        raise SystemExit

    __len__ = __getitem__


class Hostile(BaseException):
    def __str__(self):
        return Text("x" * 10**6)

    @property
    def __traceback__(self):
        raise KeyboardInterrupt

    __class__ = __traceback__


Hostile.__name__ = Hostile.__qualname__ = "K" * 10**6
Hostile.__module__ = "\ud800"
names = "Skipped Exit Failed Stopped BrokenTest SandboxError Wrong OutcomeException".split()
kinds = [type(name, (BaseException,), {"__module__": "builtins"}) for name in names]
ends = [KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration, MemoryError]
errors = itertools.cycle([*kinds, *ends, Hostile])


def raise_next(name, args):
    first, second = next(errors)("passed"), Hostile()
    first.__cause__, second.__context__ = second, first
    raise first


in_every_call(raise_next)
raise SystemExit(0)
