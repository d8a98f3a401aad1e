"""Idea: say that one is an ndarray, through `__class__`, a metaclass and a borrowed name.

Stopped by: the codec asks `type(value)`, which no object can answer for itself.
"""

import numpy as np

print("TRIED lying about the type")


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


in_every_call(lambda name, args: ndarray())
