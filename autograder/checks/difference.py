"""The difference between two results: its kind, and its description for the student.

A submission's results are plain values (`codec`), so comparing them runs none of the submission's code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.checks.relation_to_expected import agreement, relation, shape_difference
from autograder.checks.value_text import value_text
from autograder.protocol.codec import Foreign
from autograder.protocol.failure_kinds import Kind

TOLERANCE_BY_DTYPE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-8}
"""Allowed difference, relative to 1 + |expected|: a hundred times the rounding error of a correct formula for features
and positions of moderate size. A test with larger positions sets a separate tolerance and gives the reason."""

MAX_NEARLY_RIGHT_DIFFERENCE = 1e-4
"""Maximum relative difference that is attributed to low precision rather than to a wrong formula."""

MAX_HALF_PRECISION_DIFFERENCE = 2.0**-8
"""Maximum difference, relative to the largest expected value, that computing in float16 can cause."""


class Difference(NamedTuple):
    """The first difference between two results."""

    kind: Kind
    words: str
    """Description of the difference."""
    actual: Any
    """The differing part of the actual result."""
    expected: Any

    def inside(self, place: str) -> Difference:
        """Return this difference, described as part of a larger result."""
        return self._replace(words=f"in {place}, {self.words}")

    def relation_line(self) -> str:
        """Return a line on how the actual part relates to the expected part, or an empty string if no relation fits."""
        words = relation(self.actual, self.expected)
        return f"\n{words}" if words else ""


def difference(actual: Any, expected: Any, tolerance: float | None = None) -> Difference | None:
    """Return the first difference between two results; None if the results agree."""
    if type(expected) is dict:
        return _dict_difference(actual, expected, tolerance)
    if type(expected) is tuple or (type(expected) is list and not _are_plain_numbers(expected)):
        return _tuple_difference(actual, expected, tolerance)
    if not _type_fits(actual, expected):
        array = np.asarray(expected) if np.ndim(expected) else expected  # `expected` can be a list from the submission
        words = f"expected {type_in_words(array)}, got {type_in_words(actual)}"
        is_int_expected = isinstance(expected, int | np.integer) and type(expected) is not bool
        if is_int_expected and isinstance(actual, float | np.floating) and actual == expected:
            words += "; the value is right, but its type is not (np.ceil, np.floor and / return floats): convert it"
        return Difference(Kind.SHAPE, words, actual, expected)
    if np.shape(actual) != np.shape(expected):
        words = shape_difference(np.shape(actual), np.shape(expected))
        return Difference(Kind.SHAPE, words, actual, expected)
    return _value_difference(actual, expected, tolerance)


def agrees(actual: Any, expected: Any, tolerance: float | None = None) -> bool:
    """Return True if `difference` finds none, without the time that the description of a difference takes."""
    if type(actual) is type(expected) is np.ndarray and expected.ndim:
        if actual.shape != expected.shape:
            return False
        _, _, is_right = _compared(actual, expected, tolerance)
        return bool(is_right.all())
    if type(expected) is tuple and type(actual) in (tuple, list) and len(actual) == len(expected):
        return all(agrees(*pair, tolerance) for pair in zip(actual, expected, strict=True))
    return difference(actual, expected, tolerance) is None


def _dict_difference(actual: Any, expected: dict[str, Any], tolerance: float | None) -> Difference | None:
    if type(actual) is not dict:
        return Difference(Kind.SHAPE, f"expected a dict, got {type_in_words(actual)}", actual, expected)
    if actual.keys() != expected.keys():
        entries = (", ".join(sorted(each)) or "none" for each in (expected, actual))
        words = "expected a dict with the entries {}; got the entries {:.200}".format(*entries)
        return Difference(Kind.SHAPE, words, actual, expected)
    for key, value in expected.items():
        if differs := difference(actual[key], value, tolerance):
            return differs.inside(repr(key))
    return None


def _tuple_difference(actual: Any, expected: Sequence[Any], tolerance: float | None) -> Difference | None:
    if type(actual) not in (tuple, list) or len(actual) != len(expected):
        count = f" of {len(actual)}" if type(actual) in (tuple, list) else ""
        words = f"expected {len(expected)} results, got {type_in_words(actual)}{count}"
        return Difference(Kind.SHAPE, words, actual, expected)
    for number, pair in enumerate(zip(actual, expected, strict=True), start=1):
        if differs := difference(*pair, tolerance):
            return differs.inside(f"result {number} of {len(expected)}")
    return None


def _are_plain_numbers(values: list[Any]) -> bool:
    """Return True if a list, which a submission may have returned, is equivalent to an array and contains no tuple."""
    try:
        return not any(type(part) is tuple for part in values) and np.asarray(values).dtype.kind in "biuf"
    except ValueError:  # for rows of different lengths
        return False


def _type_fits(actual: Any, expected: Any) -> bool:
    """Return True if the types match: an array for an array, or a number of a suitable type for a number."""
    if np.ndim(expected):
        return type(actual) is np.ndarray
    if not isinstance(actual, bool | int | float | np.generic | np.ndarray):
        return False
    if np.ndim(actual):
        return isinstance(expected, np.ndarray | np.generic)  # then the shape is the mistake
    kinds = ("i" if type(value) is int else np.asarray(value).dtype.kind for value in (actual, expected))
    actual_kind, expected_kind = kinds
    return actual_kind in {"b": "b", "f": "iuf", "i": "iu", "u": "iu"}.get(expected_kind, "")


def _value_difference(actual: Any, expected: Any, tolerance: float | None) -> Difference | None:
    numbers, target, is_right = _compared(actual, expected, tolerance)
    if is_right.all():
        return None
    with np.errstate(all="ignore"):
        error = np.abs(numbers - target)
        lost = float((error / np.abs(target))[~is_right].max())
    # A NaN difference counts as the largest.
    size = np.where(is_right, -1, np.nan_to_num(error, nan=np.inf, posinf=np.inf))
    worst = tuple(map(int, np.unravel_index(np.argmax(size), size.shape)))
    are_booleans = np.asarray(expected).dtype.kind == "b"
    words = "expected {}, got {}".format(*_distinguishable(target[worst], numbers[worst], are_booleans))
    if target.size > 1:
        words = f"at index {worst}: {words} ({(~is_right).sum()} of {target.size} values differ)"
    is_imprecise = np.asarray(expected).dtype.kind == "f" and _differs_in_precision(numbers, target, is_right)
    if lost <= MAX_NEARLY_RIGHT_DIFFERENCE:
        digits = -math.floor(math.log10(max(lost, 1e-16)))
        words += f"; right to {digits} digits{': compute in float64' if digits > 5 else ''}"
    elif is_imprecise and _is_in_float16(numbers):
        words += "; every value is rounded to float16: compute in float64"
    return Difference(Kind.PRECISION if is_imprecise else Kind.VALUE, words, actual, expected)


def _compared(actual: Any, expected: Any, tolerance: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both values as floats, and an array that is True wherever they agree."""
    if tolerance is None:
        # A correct value in the wrong precision is a dtype mistake, which only `dtype` reports.
        tolerance = max(TOLERANCE_BY_DTYPE.get(np.asarray(each).dtype, 0.0) for each in (actual, expected))
    # Compare as floats, because a Python int can be too large for any numpy int.
    numbers, target = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    return numbers, target, agreement(numbers, target, tolerance)


def _differs_in_precision(numbers: np.ndarray, target: np.ndarray, is_right: np.ndarray) -> bool:
    """Return True if low precision alone, such as float16, could explain why the values differ."""
    largest = np.abs(target[np.isfinite(target)]).max(initial=0.0)
    overflow = np.where(target > 0, np.inf, -np.inf)
    may_overflow = np.abs(target) > np.finfo(np.float16).max
    with np.errstate(invalid="ignore"):
        is_near = np.abs(numbers - target) <= MAX_HALF_PRECISION_DIFFERENCE * largest
    return bool(np.all(is_right | is_near | (may_overflow & (numbers == overflow))))


def _is_in_float16(numbers: np.ndarray) -> bool:
    with np.errstate(over="ignore"):
        return np.array_equal(numbers, numbers.astype(np.float16), equal_nan=True)


def type_in_words(value: Any) -> str:
    """Describe a value for a message without using its repr, which could be arbitrarily long."""
    if value is None:
        return "None (is a `return` missing?)"
    if type(value) is Foreign:
        return f"something that is neither a number nor a plain array ({value})"
    if type(value) is np.ndarray:
        return f"an array of shape {value.shape}, dtype {value.dtype}"
    if isinstance(value, np.generic):
        return f"a number ({value.dtype})"
    return f"{'an' if type(value) is int else 'a'} {type(value).__name__}"


def _distinguishable(expected: float, actual: float, are_booleans: bool) -> tuple[str, str]:
    """Return two values as text with enough digits to tell them apart."""
    if are_booleans:
        return value_text(bool(expected)), value_text(bool(actual))
    digits = 15 if abs(actual - expected) < MAX_NEARLY_RIGHT_DIFFERENCE * abs(expected) else 6
    return value_text(expected, digits), value_text(actual, digits)
