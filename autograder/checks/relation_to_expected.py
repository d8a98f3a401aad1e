"""The relation of a wrong result to the expected one: the same values in another shape, order, sign or size.

Each sentence states a fact about the two results, not a cause, so it is true whatever the mistake is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.checks.value_text import value_text

RELATION_TOLERANCE = 2e-5
"""Allowed difference, relative to 1 + |expected|; large enough to recognise relations in float32 as well."""

MIN_DISTINCT_VALUES = 3
"""Minimum number of distinct values for a relation, because fewer values could agree by chance."""

MIN_VALUES_IF_TWO_DISTINCT = 6
"""Minimum number of values for a relation if only two of them are distinct."""

MAX_AXES_TO_PERMUTE = 4
"""Maximum number of axes for which all permutations are tried."""


def relation(actual: Any, expected: Any) -> str:
    """Return a sentence that relates a wrong array to the expected array, or an empty string if no relation fits."""
    if not (isinstance(actual, np.ndarray) and isinstance(expected, np.ndarray)) or actual.dtype.kind not in "biuf":
        return ""
    numbers, target = actual.astype(np.float64), expected.astype(np.float64)
    distinct_count = np.unique(target[np.isfinite(target)]).size
    if distinct_count < MIN_DISTINCT_VALUES and (distinct_count < 2 or target.size < MIN_VALUES_IF_TWO_DISTINCT):
        return ""
    if numbers.shape == target.shape and agreement(numbers, target, RELATION_TOLERANCE).all():
        return ""  # only the precision differs
    for related, words in _relations(numbers, target, expected.dtype.kind == "b"):
        if related.shape == target.shape and agreement(related, target, RELATION_TOLERANCE).all():
            return words
    return ""


def _relations(numbers: np.ndarray, target: np.ndarray, are_booleans: bool) -> Iterator[tuple[np.ndarray, str]]:
    """Yield transformed versions of an array, each with a sentence that is true if that version equals `target`."""
    if numbers.ndim == target.ndim >= 2:
        yield np.swapaxes(numbers, -1, -2), "The values are right, but the last two axes are swapped."
    if numbers.size == target.size and numbers.shape != target.shape:
        yield numbers.reshape(target.shape), "The values and their order are right: only the shape is not."
    if numbers.ndim == target.ndim <= MAX_AXES_TO_PERMUTE:
        for order in itertools.permutations(range(numbers.ndim)):
            yield numbers.transpose(order), "The values are right, but the axes are in another order."
    if numbers.shape != target.shape:
        return
    for axis in range(numbers.ndim):
        yield np.flip(numbers, axis), f"The values are right, but in the reverse order along axis {axis}."
    if are_booleans:
        yield 1 - numbers, "Every True should be False, and every False should be True."
        return
    yield -numbers, "Every value has the wrong sign."
    is_finite = np.isfinite(numbers) & np.isfinite(target)
    shift = _median_or_nan(numbers[is_finite] - target[is_finite])
    yield numbers - shift, f"Every value is {value_text(abs(shift), 6)} too {'large' if shift > 0 else 'small'}."
    with np.errstate(all="ignore"):
        is_scaled = is_finite & (numbers != 0) & (target != 0)
        factor = _median_or_nan(numbers[is_scaled] / target[is_scaled])
        yield numbers / factor, f"Every value is {value_text(factor, 6)} times the expected value."


def _median_or_nan(values: np.ndarray) -> float:
    return float(np.median(values)) if values.size else np.nan


def agreement(numbers: np.ndarray, target: np.ndarray, tolerance: float) -> np.ndarray:
    """Return an array that is True wherever a number agrees with the expected one."""
    with np.errstate(all="ignore"):
        bound = tolerance * (1 + np.abs(target))
        is_near = (np.abs(numbers - target) <= bound) & np.isfinite(bound)
    agrees: np.ndarray = is_near | (numbers == target) | np.isnan(numbers) & np.isnan(target)
    return agrees


def shape_difference(actual: tuple[int, ...], expected: tuple[int, ...]) -> str:
    """Describe how two shapes differ: give both shapes, and the wrong axis if it can be determined."""
    words = f"expected shape {expected}, got {actual}"
    if len(actual) == len(expected):
        if sorted(actual) == sorted(expected):
            return f"{words}: the sizes are right, but the axes are in another order"
        wrong = [axis for axis in range(len(actual)) if actual[axis] != expected[axis]]
        return f"{words}: " + ", and ".join(
            f"axis {axis}{_place_from_end(axis, len(actual))} has size {actual[axis]} instead of {expected[axis]}"
            for axis in wrong
        )
    longer, shorter = sorted((actual, expected), key=len, reverse=True)
    problem = "is too many" if longer == actual else "is missing"
    extra = [axis for axis in range(len(longer)) if longer[:axis] + longer[axis + 1 :] == shorter]
    if extra:
        which = f"axis {extra[0]}{_place_from_end(extra[0], len(longer))}" if len(extra) == 1 else "an axis"
        return f"{words}: {which}, of size {longer[extra[0]]}, {problem}"
    return f"{words}: there should be {_count(len(expected))}, not {len(actual)}"


def _place_from_end(axis: int, count: int) -> str:
    """Return words that mark the last and the second-to-last axis, or an empty string for any other axis."""
    return {count - 1: " (the last)" if count > 1 else "", count - 2: " (the second-to-last)"}.get(axis, "")


def _count(axes: int) -> str:
    return "1 axis" if axes == 1 else f"{axes} axes" if axes else "no axes, but a single number"
