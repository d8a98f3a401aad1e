"""`rerope_scores` computes what ReRoPE's author published: constants, taken once with torch 2.13.0 in float64.

bojone/rerope makes two tables of scores and chooses between them: queries and keys rotated by their positions, and
queries rotated by the window beside keys that are not rotated. The same was written out in torch, for a window of 3.
"""

from __future__ import annotations

import numpy as np

from autograder import course
from autograder.hints import catalogue

THEIRS = [
    [10.000000000, 0.495154523, -2.050977565],
    [-5.773618240, 1.000000000, 1.727125189],
    [1.953030597, 0.045343272, -0.500000000],
]


def test_rerope() -> None:
    ours = catalogue.solution(course.find("context_extension")).rerope_scores
    q = np.array([[1.0, 2, 3, 4], [2, 1, 0, -1], [1, -1, 1, 2]])
    k = np.array([[4.0, 3, 2, 1], [1, 0, 1, 0], [0, 2, -1, 1]])
    positions = np.array([0.0, 4, 9])
    np.testing.assert_allclose(ours(q, k, positions, positions, 3), THEIRS, rtol=1e-8)
