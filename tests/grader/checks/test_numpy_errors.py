"""Tests of exceptions from numpy: each becomes one sentence with the shapes and the line of the error."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autograder.checks import numpy_errors
from autograder.checks.numpy_errors import explanation
from autograder.hints.likely_causes import numpy_error_mark
from autograder.protocol.call import Raised

ZEROS, MASK = np.zeros, np.ones((3, 4)) > 0


def message(function: Callable[[], Any]) -> str:
    """Return the message of the exception that numpy raises."""
    with pytest.raises((ValueError, IndexError, TypeError)) as caught:
        function()
    return str(caught.value)


SHAPES = st.lists(st.integers(1, 5), min_size=0, max_size=4).map(tuple)


@given(SHAPES, SHAPES)
def test_two_shapes_that_do_not_broadcast_are_named_with_the_sizes_that_meet(
    first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    pairs = list(zip(first[::-1], second[::-1], strict=False))
    clash = next((pair for pair in pairs if pair[0] != pair[1] and 1 not in pair), None)
    assume(clash is not None)
    for function in (np.add, np.broadcast_arrays):
        words = explanation(message(lambda function=function: function(ZEROS(first), ZEROS(second))), 7)
        assert words.startswith(f"Line 7: shapes {first} and {second} do not fit together"), words
        assert f"{clash[0]} meets {clash[1]}, and neither is 1" in words


@given(SHAPES, SHAPES)
def test_two_shapes_that_do_not_multiply_are_told_by_rows_and_columns_or_leading_axes(
    first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    a, b = ZEROS(first), ZEROS(second)
    try:
        a @ b
    except ValueError as error:
        words = explanation(str(error), 3)
    else:
        return
    if not (first and second):
        assert "single number" in words
    elif first[-1] != second[-2 if len(second) > 1 else -1]:
        assert f"a has {first[-1]} columns, b has {second[-2 if len(second) > 1 else -1]} rows" in words
    else:
        assert f"the leading axes of the shapes {first} and {second} do not fit" in words


@given(SHAPES, st.lists(st.integers(-1, 6), min_size=1, max_size=3))
def test_a_shape_that_does_not_hold_the_numbers_is_named(shape: tuple[int, ...], target: list[int]) -> None:
    assume(target.count(-1) < 2 and 0 not in target)
    try:
        ZEROS(shape).reshape(target)
    except ValueError as error:
        words = explanation(str(error))
        named = tuple(target[1:] if target[0] == -1 else target)  # numpy omits a leading -1
        assert words.startswith(f"An array of {int(np.prod(shape))} numbers does not fill shape {named}"), words


@given(SHAPES, st.data())
def test_a_mask_of_another_shape_is_named(shape: tuple[int, ...], data: st.DataObject) -> None:
    assume(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    mask = np.ones((*shape[:axis], shape[axis] + 1, *shape[axis + 1 :]), dtype=bool)
    words = explanation(message(lambda: ZEROS(shape)[mask]), 9)
    assert words.startswith(
        f"Line 9: a mask with {shape[axis] + 1} entries is used on axis {axis}, where the array has {shape[axis]}"
    )


def in_place(target: np.ndarray, value: Any) -> None:
    target += value


def write(target: np.ndarray, index: Any, value: Any) -> None:
    target[index] = value


EXAMPLES: list[tuple[Callable[[], Any], str]] = [
    (lambda: write(ZEROS((3, 4)), 0, ZEROS((2, 4))), "values of shape (2, 4) are assigned to a part of an array that"),
    (lambda: write(ZEROS((3, 4)), [0, 1], ZEROS((3, 4))), "values of shape (3, 4) are assigned to a part of"),
    (lambda: write(ZEROS((3, 4)), MASK, ZEROS(5)), "the mask is True at 12 entries, but 5 values are assigned there"),
    (lambda: in_place(ZEROS(3), ZEROS((2, 3))), "a result of shape (2, 3) cannot replace an array of shape"),
    (lambda: in_place(np.arange(3), 0.5), "a float64 result cannot be stored in a int64 array"),
    (lambda: np.einsum("ij,jk", ZEROS((2, 3)), ZEROS((4, 2))), "axes of different sizes of the shapes (2, 3) and (4,"),
    (lambda: np.dot(ZEROS((2, 3)), ZEROS((4, 5))), "the shapes (2, 3) and (4, 5) meet in a product"),
    (lambda: ZEROS((3, 4))[[0, 1], [0, 1, 2]], "shapes (2,) and (3,) do not fit together"),
    (lambda: ZEROS(5)[7], "index 7 is not on axis 0, which has 5 entries: the last index is 4"),
    (lambda: ZEROS(5)[1, 2], "an array with 1 axes is indexed with 2 indices"),
    (lambda: ZEROS(5).sum(axis=2), "axis 2 does not exist: the number of axes is 1"),
    (lambda: np.concatenate([ZEROS((2, 3)), ZEROS((2, 4))]), "on axis 1, 3 meets 4"),
    (lambda: np.concatenate([ZEROS((2, 3)), ZEROS(3)]), "joined arrays need the same number of axes: 2 meets 1"),
    (lambda: bool(ZEROS(3)), "neither True nor False"),
    (lambda: np.array([1, 2]) ** -1, "whole numbers have no negative powers"),
    (lambda: ~ZEROS(3), "invert works only on whole numbers or booleans"),
    (lambda: MASK - MASK, "booleans cannot be subtracted"),
    (lambda: ZEROS((0, 3)).max(axis=0), "the maximum of no values is not defined"),
]


@pytest.mark.parametrize(("function", "words"), EXAMPLES, ids=[words[:30] for _, words in EXAMPLES])
def test_each_kind_of_error_has_its_sentence(function: Callable[[], Any], words: str) -> None:
    assert words in explanation(message(function), 1)


SIZES = st.sampled_from(["", "n", "n,", "(", "a, b", "-1", "²", "٣", ",", "->", "9" * 900]) | st.text(max_size=5)


@pytest.mark.parametrize(("function", "words"), EXAMPLES, ids=[words[:30] for _, words in EXAMPLES])
@given(data=st.data())
def test_a_message_in_the_words_of_numpy_without_its_sizes_raises_no_error(
    function: Callable[[], Any], words: str, data: st.DataObject
) -> None:
    """A student's exception may use numpy's words, as in "from shape (n,) into shape (m,)", with any text inside."""
    text = re.sub(r"\d[\d, ]*", lambda _: data.draw(SIZES), message(function))
    assert isinstance(explanation(text, 1), str)
    assert isinstance(numpy_error_mark(Raised("ValueError", ("ValueError",), text)), str)


@pytest.mark.parametrize("text", ["", "math domain error", "my own words", "list index out of range"])
def test_an_unknown_message_stays_as_it_is(text: str) -> None:
    assert explanation(text, 4) == ""


def test_a_hostile_message_takes_no_time() -> None:
    """An exception from a submission can have a message of up to 2,000 characters."""
    for start in (
        "operands could not be broadcast together with shapes ",
        "cannot reshape array of size 9 into shape (",
    ):
        for filling in ("(1,", "(", "9,", "->(", "along dimension 1, the array at index 1 has size 1 and "):
            explanation(start + filling * (2000 // len(filling)), 1)
    assert len(numpy_errors._EXPLANATIONS) > 30
