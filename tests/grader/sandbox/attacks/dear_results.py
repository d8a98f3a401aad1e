"""Idea: plain results that a property test multiplies into 20 GB, or into a product that takes minutes.

Stopped by the grader: the bound on the numbers of one result, and the bounds on memory and processor time of the tests
themselves.
"""

import itertools

import numpy as np

print("TRIED results that are dear to multiply")
shapes = itertools.cycle([(1, 50_000), (262_144, 1), (1, 262_144), (512, 512), (2, 131_072)])
kinds = itertools.cycle(["f8", "i1", "g", "?"])
in_every_call(lambda name, args: np.ones(next(shapes), dtype=next(kinds)))
