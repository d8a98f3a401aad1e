"""Tests of comparisons: a submission may return both values, or the expected value may follow from its results."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.checks.difference import agrees, difference
from autograder.checks.proxy import dtypes
from autograder.hints.likely_causes import fingerprint, matches
from autograder.protocol import codec

ARRAYS = arrays.arrays(
    st.sampled_from([np.bool_, np.int8, np.int64, np.uint64, np.float16, np.float32, np.float64]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)
NUMBERS = st.booleans() | st.integers(-(2**511), 2**511) | st.floats() | ARRAYS | ARRAYS.map(lambda array: array.sum())
LEAVES = st.none() | NUMBERS | st.text(max_size=3) | st.builds(codec.Foreign, st.text(max_size=3))


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for plain values with these leaves, in the form in which they arrive from a submission."""
    values = st.recursive(
        leaves,
        lambda parts: (
            st.lists(parts, max_size=3)
            | st.lists(parts, max_size=3).map(tuple)
            | st.dictionaries(st.text(max_size=2), parts, max_size=2)
        ),
        max_leaves=6,
    )
    return values.map(lambda value: codec.decode(codec.encode(value)))


@pytest.mark.long
@example([1.0], [[1.0], [1.0, 2.0]])
@example([], [None])
@example(3, "x")
@settings(max_examples=500)
@given(nested(LEAVES), nested(LEAVES))
def test_any_two_values_can_be_compared(actual: Any, expected: Any) -> None:
    """A grader that stops with an error grades nothing, so every comparison gives a result."""
    with np.errstate(all="ignore"):
        differs = difference(actual, expected)
        assert differs is None or isinstance(differs.words + differs.relation_line(), str)
        assert agrees(actual, expected) == (differs is None)
        assert matches(actual, expected) in (True, False)
        assert isinstance(dtypes(actual), list)
        assert fingerprint(actual) is None or fingerprint(actual) == fingerprint(actual)


ALIKE = [
    *(np.zeros(2), np.zeros(3), np.zeros((1, 2)), np.full(2, 1e-9), np.full(2, 1e-6), np.full(2, 1e-6, np.float32)),
    *(np.full(2, np.nan), np.zeros(2, np.int64), np.zeros(2, bool), np.array(0.0), np.array(0), np.array(False)),
    *(np.float64(0.0), 0, 0.0, [0.0, 0.0], [np.zeros(2), 0.0], {"a": np.zeros(2)}),
    *((np.zeros(2),), (np.zeros(2), 0.0), (np.zeros(2), 1e-9), (np.zeros(3), 0.0)),
]
"""Values that are equal, nearly equal, or equal in another form."""


@pytest.mark.parametrize("tolerance", [None, 1e-10, 1e-5])
def test_two_values_agree_if_and_only_if_they_have_no_difference(tolerance: float | None) -> None:
    for actual, expected in itertools.product(ALIKE, repeat=2):
        has_none = difference(actual, expected, tolerance) is None
        assert agrees(actual, expected, tolerance) == has_none, (actual, expected)


@given(nested(NUMBERS))
def test_numbers_agree_with_themselves(value: Any) -> None:
    """Only a list that is equivalent to an array must be an array."""
    if difference(value, value) is not None:
        assert "got a list" in str(difference(value, value))
