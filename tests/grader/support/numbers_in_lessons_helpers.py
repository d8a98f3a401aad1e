"""Helpers for the tables in `tests/grader/course/numbers_in_lessons`."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

import numpy as np

from autograder import course
from autograder.hints import catalogue

CLEAR = 0.05
"""Largest p-value at which the lessons call a difference clear."""
SOME = np.random.default_rng(0).normal(size=(6, 4))
"""some features"""


def weight(lead: float, others: float) -> float:
    """Return the softmax weight of a key whose score exceeds all other scores by `lead`."""
    return float(1 / (1 + others * np.exp(-lead)))


def bfloat16(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers rounded to 8 significant bits, with ties rounded to even."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.rint(fraction * 2**8) / 2**8, exponent)


def mean_of(scores: Callable[..., np.ndarray]) -> Callable[..., float]:
    """Return a function that computes the mean over the seeds from the accuracies that `scores` returns."""
    return lambda *asked, **named: float(scores(*asked, **named).mean())


def solution(name: str) -> types.ModuleType:
    return catalogue.solution(course.find(name))


def point(values: Iterable[float], brackets: str = "()") -> str:
    """(2, 0, 1)"""
    return f"{', '.join(f'{float(value):g}' for value in values)}".join(brackets)
