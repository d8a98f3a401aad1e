"""Idea: arrays of Python objects, and arrays with named fields, that bring their own comparisons.

Stopped by: the codec: only arrays of numbers cross.
"""

import itertools

import numpy as np

print("TRIED arrays of objects")


class Equal:
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__
    __hash__ = None


arrays = itertools.cycle(
    [
        np.full((3, 4), Equal(), dtype=object),
        np.zeros(3, dtype=[("a", object)]),
        np.zeros(3, dtype="V8"),
        np.array(["0.0"] * 3),
        np.zeros(3, dtype="M8[s]"),
        np.rec.array([(1.0,)], dtype=[("a", "f8")]),
    ]
)
in_every_call(lambda name, args: next(arrays))
