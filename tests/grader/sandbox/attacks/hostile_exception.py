"""Idea: an exception whose text, name and bases misbehave, in a cycle of causes.

Stopped by: an exception is described in the worker without trusting its methods, and cut before it crosses.
"""

print("TRIED a hostile exception")


class Text(str):
    def __getitem__(self, index):
        raise SystemExit

    def __len__(self):
        raise SystemExit


class Hostile(BaseException):
    def __str__(self):
        return Text("x" * 10**6)

    def __repr__(self):
        raise KeyboardInterrupt

    @property
    def __traceback__(self):
        raise KeyboardInterrupt

    @property
    def __class__(self):
        raise SystemExit


Hostile.__name__ = Hostile.__qualname__ = "K" * 10**6
Hostile.__module__ = "\ud800"


def raise_it(name, args):
    first, second = Hostile(), Hostile()
    first.__cause__, second.__context__ = second, first
    raise first


in_every_call(raise_it)
