"""Idea: loop where the counter itself compares what a submission gives it: there Python traces nothing.

Stopped by: the counter compares texts and constants of Python's own types alone.
"""

import numpy

print("TRIED looping in a comparison")
todo = []


def work(*args):
    while todo:
        todo.pop()()
    return 0


class Name(str):
    startswith = __eq__ = work
    __hash__ = work


class Thing:
    __eq__ = __hash__ = work


def named():
    pass


def constant():
    pass


named.__code__ = named.__code__.replace(co_filename=Name("elsewhere.py"), co_name=Name("named"))
constant.__code__ = constant.__code__.replace(co_filename=numpy.__file__, co_consts=(None, Thing()))


def hidden(loop):
    for ask in (named, constant, lambda: sys.audit("object.__getattr__", None, Thing()), lambda: sys.audit("object.__getattr__", None, Name("x"))):
        todo[:] = [loop]
        ask()
        work()


looping(hidden)
