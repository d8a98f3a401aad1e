"""Tests of sentences about how a wrong result relates to the right one: a sentence appears only if it is true."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autograder.checks.difference import difference
from autograder.checks.relation_to_expected import relation, shape_difference

SHAPES = [(7,), (3, 4), (4, 4), (2, 3, 4), (3, 3, 3), (2, 1, 3, 5)]
KINDS = ["float64", "float32", "int64", "bool"]


def drawn(shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Return random values in which no relation holds by chance."""
    values = np.random.default_rng(len(shape)).permutation(np.prod(shape)).reshape(shape) ** 2
    return (values % 3 == 1 if kind == "bool" else values + 1).astype(kind)


@pytest.mark.parametrize(("shape", "kind"), [*itertools.product(SHAPES, KINDS)])
def test_a_relation_is_found_where_it_holds(shape: tuple[int, ...], kind: str) -> None:
    right = drawn(shape, kind)
    swapped = np.swapaxes(right, -1, -2) if right.ndim > 1 else right
    wrong = {
        "the last two axes are swapped": swapped,
        "only the shape is not": right[None],
        "reverse order along axis 0": right[::-1],
    }
    if kind == "bool":
        wrong["Every True should be False"] = ~right
    else:
        wrong |= {"wrong sign": -right, "is 2 too large": right + 2, "is 5 too small": right - 5}
        wrong |= {"is 3 times the expected": 3 * right, "is 0.25 times the expected": right / 4}
    for words, value in wrong.items():
        if value.shape != right.shape or not np.array_equal(value, right):
            assert words in relation(value, right), words


@pytest.mark.parametrize(("shape", "kind"), [*itertools.product(SHAPES, KINDS)])
def test_no_relation_is_named_where_none_holds(shape: tuple[int, ...], kind: str) -> None:
    """No relation is named for a single wrong value, a difference in precision, or a result with too few
    values to show one."""
    right = drawn(shape, kind)
    single = right.copy()
    single.flat[0] = not single.flat[0] if kind == "bool" else single.flat[0] + 7
    other = drawn(shape, "float64") ** 0.5
    wrong = [single, np.zeros_like(right), np.full(shape, np.nan), other]
    wrong += [] if kind == "bool" else [right * (1 + 1e-6), right.astype("f4") * 1.000001]
    assert [relation(value, right) for value in wrong] == [""] * len(wrong)
    constant = np.ones(shape, kind)
    assert relation(constant * 2.0, constant) == relation(2.0, right) == relation(None, right) == ""


def test_the_relation_is_that_of_the_part_that_differs() -> None:
    right = (np.arange(4.0), {"a": drawn((3, 4), "float64")})
    differs = difference((right[0], {"a": right[1]["a"].T.copy()}), right)
    assert differs is not None
    assert differs.words.startswith("in result 2 of 2, in 'a', expected shape (3, 4), got (4, 3): the sizes are right")
    assert differs.relation_line() == "\nThe values are right, but the last two axes are swapped."


def test_infinite_values_stay_what_they_are() -> None:
    right = np.where(np.tri(4, dtype=bool), drawn((4, 4), "float64"), -np.inf)
    assert relation(2 * right, right) == "Every value is 2 times the expected value."
    assert relation(right.T.copy(), right) == "The values are right, but the last two axes are swapped."


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ((5, 6), (5, 3), "axis 1 (the last) has size 6 instead of 3"),
        ((2, 5, 3), (2, 4, 3), "axis 1 (the second-to-last) has size 5 instead of 4"),
        ((6,), (3,), "axis 0 has size 6 instead of 3"),
        ((1, 4, 5), (2, 4, 6), "axis 0 has size 1 instead of 2, and axis 2 (the last) has size 5 instead of 6"),
        ((4, 3), (3, 4), "the sizes are right, but the axes are in another order"),
        ((1, 1), (1,), "an axis, of size 1, is too many"),
        ((3, 1), (3,), "axis 1 (the last), of size 1, is too many"),
        ((4, 5), (1, 4, 5), "axis 0, of size 1, is missing"),
        ((4, 4, 2), (4, 8), "there should be 2 axes, not 3"),
        ((2, 3), (), "there should be no axes, but a single number, not 2"),
    ],
)
def test_a_wrong_shape_names_the_axis(actual: tuple[int, ...], expected: tuple[int, ...], words: str) -> None:
    assert shape_difference(actual, expected) == f"expected shape {expected}, got {actual}: {words}"


def test_every_named_axis_is_an_axis_whose_change_gives_the_expected_shape() -> None:
    """For all pairs of small shapes, each axis that a message names has the wrong size in the result."""
    shapes = [shape for count in range(4) for shape in itertools.product((1, 2, 3), repeat=count)]
    for actual, expected in itertools.permutations(shapes, 2):
        words = shape_difference(actual, expected).partition(": ")[2]
        assert words
        for part in words.split(", and ") if "instead of" in words else []:
            axis, size = int(part.split()[1].rstrip(",")), int(part.split()[-1])
            assert expected[axis] == size != actual[axis]
