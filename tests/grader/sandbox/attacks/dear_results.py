"""Idea: what is cheap to make and dear to read: lists in lists, a list in itself, a number of a million digits, endless text.

Stopped by: the codec's bounds on depth, count, digits and bytes.
"""

import itertools

print("TRIED results that are dear to read")
itself = []
itself.append(itself)
deep = []
for _ in range(900):
    deep = [deep]
wide = [1]
for _ in range(40):
    wide = [wide, wide]
values = itertools.cycle([itself, deep, wide, 10**100_000, "x" * 10**7, [0] * 10**6, {"k" * 10**6: 1}, "\ud800", {1: 2}])
in_every_call(lambda name, args: next(values))
ANSWERS = {key: next(values) for key in ANSWERS}
