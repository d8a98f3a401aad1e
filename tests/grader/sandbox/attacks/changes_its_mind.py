"""Idea: answer differently each time, so that a search for examples contradicts itself and the machinery stumbles.

Stopped by: an error of the test that a submission's results lead to is a failed test, whatever its class.
"""

import itertools

import numpy as np

print("TRIED changing one's mind")
moods = itertools.count()


def moody(name, args):
    mood = next(moods) % 5
    if mood == 0:
        raise ValueError(f"{args!r}")
    return [None, np.zeros((2, 2)), (np.zeros(2), 1), "text"][mood - 1]


in_every_call(moody)
