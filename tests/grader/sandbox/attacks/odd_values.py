"""Idea: values that are equal to everything, that say they are arrays, that take over numpy on the grader's side, that
are cheap to make and dear to read, or dear to multiply; and NaN, which agrees with NaN.

Stopped by the grader: the codec asks `type(value)`, takes exact built-in types and plain arrays, and has bounds on
depth, count, digits and bytes; no property is asked without a value that the grader knows.
"""

import itertools

import numpy as np

LONG = "n" * 10**6


class Anything:
    __array_priority__ = 1e9
    __array_interface__ = {"shape": (1,), "typestr": "<f8", "version": 3, "data": (0, False)}
    __class__ = np.ndarray

    def _yes(self, *args, **kwargs):
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__


class Sly(np.ndarray):
    __array_ufunc__ = __array_function__ = __eq__ = Anything._yes
    __hash__ = None


def agreeable(kind):
    rude = {"__eq__": lambda *args: True, "__sub__": lambda *args: 0, "__hash__": None, "__str__": lambda self: "0"}
    return type(kind.__name__, (kind,), rude)


Number, Text, Mapping = agreeable(float), agreeable(str), agreeable(dict)
itself, deep, wide = [], [], [1]
itself.append(itself)
for _ in range(900):
    deep = [deep]
for _ in range(40):
    wide = [wide, wide]
VALUES = [
    *(Anything(), Number(1), Text("0"), np.zeros(3).view(Sly), type(LONG, (), {"__module__": LONG})()),
    *(np.full((3, 4), Anything(), dtype=object), np.zeros(3, dtype="V8"), np.ma.masked_all((3, 4))),
    *(np.broadcast_to(1.0, (10**6, 10**6)), np.full(4, np.nan), itself, deep, wide, 10**100_000, "x" * 10**7),
    *(np.ones((1, 1 << 18)), np.ones((1 << 18, 1), "i1"), np.ones((512, 512)), np.ones((1, 50_000), "?")),
    *([0] * 10**6, {LONG: 1}, "\ud800", {1: 2}, None, (np.zeros(2), 1)),
]
values = itertools.cycle(value for value in VALUES for _ in range(2))
in_every_call(lambda name, args: next(values))
ANSWERS = Mapping({key: Text("0") for key in ANSWERS})
