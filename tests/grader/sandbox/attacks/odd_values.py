"""Idea: values that are equal to everything, that say they are arrays, that take over numpy on the grader's side, that
are cheap to make and dear to read, or dear to multiply; and NaN, which agrees with NaN.

Stopped by the grader: the codec asks `type(value)`, takes exact built-in types and plain arrays, and has bounds on
depth, count, digits and bytes; no property is asked without a value that the grader knows.
"""

import itertools

import numpy as np

LONG = "n" * 10**6


class Anything:
    shape, ndim, dtype, size = (), 0, "float64", 1
    __array_priority__ = 1e9
    __array_interface__ = {"shape": (1,), "typestr": "<f8", "version": 3, "data": (0, False)}

    def _yes(self, *args, **kwargs):
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__

    def _self(self, *args, **kwargs):
        return self

    __sub__ = __rsub__ = __add__ = __mul__ = __abs__ = __getitem__ = __call__ = _self

    def __array__(self, dtype=None, copy=None):
        return np.zeros(4)


class Sly(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return np.True_

    def __array_function__(self, *args, **kwargs):
        return np.True_

    __eq__ = Anything._yes
    __hash__ = None


class Meta(type):
    def __instancecheck__(cls, instance):
        return True

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(np.ndarray)


class ndarray(metaclass=Meta):
    __module__ = "numpy"
    __class__ = np.ndarray
    dtype, ndim, shape = np.dtype("f8"), 1, (4,)

    def tobytes(self):
        return b"\0" * 32


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
    *(Anything(), ndarray(), Number(1), Text("0"), np.zeros(3).view(Sly), type(LONG, (), {"__module__": LONG})()),
    *(np.full((3, 4), Anything(), dtype=object), np.zeros(3, dtype="V8"), np.array(["0.0"] * 3), np.zeros(3, "M8[s]")),
    *(np.zeros(3, dtype=[("a", object)]), np.rec.array([(1.0,)], dtype=[("a", "f8")]), np.ma.masked_all((3, 4))),
    *(np.broadcast_to(1.0, (10**6, 10**6)), np.full(4, np.nan), itself, deep, wide, 10**100_000, "x" * 10**7),
    *(np.ones((1, 1 << 18)), np.ones((1 << 18, 1), "i1"), np.ones((512, 512)), np.ones((1, 50_000), "?")),
    *([0] * 10**6, {LONG: 1}, "\ud800", {1: 2}, None, (np.zeros(2), 1)),
]
values = itertools.cycle(value for value in VALUES for _ in range(2))
in_every_call(lambda name, args: next(values))
ANSWERS = Mapping({key: Text("0") for key in ANSWERS})
