"""Public tests for the first three attempts: the values of each function, and what each attempt gets right and wrong.

Each test's docstring states the rule that the test checks. The expected values are in `expected/naive.json`.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features

SEVEN_AND_EIGHT = np.array([[0, 1, 1, 1], [1, 0, 0, 0]])


# integer_positions


@pytest.mark.question("integer_positions", points=0.1875)
def test_integer_positions(naive):
    """Positions count from 0: four tokens have the positions 0, 1, 2, 3, as floats."""
    positions = expect.matches(naive.integer_positions, 4)
    expect.holds(positions.dtype.kind == "f", "positions are floats, as the features are")
    expect.matches(naive.integer_positions, 1)


# add_integer_positions


@pytest.mark.question("add_integer_positions", points=0.25)
def test_add_by_hand(naive):
    """The position i is added to every feature of row i."""
    moved = naive.add_integer_positions(np.array([[0.5, -0.5, 0.0], [0.5, -0.5, 0.0]]))
    expect.close(moved, np.array([[0.5, -0.5, 0.0], [1.5, 0.5, 1.0]]), "two equal rows")


@pytest.mark.question("add_integer_positions", points=0.5)
def test_add_with_leading_axes(naive):
    """For any leading axes, positions run along the second-to-last axis."""
    expect.matches(naive.add_integer_positions, features(3, 3))
    expect.matches(naive.add_integer_positions, features(4, 3, 2))
    expect.matches(naive.add_integer_positions, features(2, 3, 5, 4))


# normalized_positions


@pytest.mark.question("normalized_positions", points=0.3125)
def test_normalized_by_hand(naive):
    """Five tokens have the positions 0, 1/4, 1/2, 3/4, 1."""
    expect.matches(naive.normalized_positions, 5)
    expect.close(naive.normalized_positions(5), np.array([0.0, 0.25, 0.5, 0.75, 1.0]), "normalized_positions(5)")


@pytest.mark.question("normalized_positions", points=0.25)
def test_normalized_of_one_token(naive):
    """A sequence of one token gets a single 0."""
    expect.matches(naive.normalized_positions, 1)
    between = naive.normalized_positions(4)[2]
    expect.holds(0 < between < 1, "the third of four tokens is between 0 and 1")


@pytest.mark.question("normalized_positions", points=0.625)
@given(length=st.integers(2, 300))
def test_normalized_runs_from_zero_to_one(naive, length):
    """In every sequence, the first token gets 0 and the last gets 1, with equal steps between them."""
    found = naive.normalized_positions(length)
    expect.close(found[[0, -1]], np.array([0.0, 1.0]), "the ends")
    expect.close(np.diff(found), np.full(length - 1, 1 / (length - 1)), "the steps")


# bits_needed


@pytest.mark.question("bits_needed", points=0.25)
def test_bits_needed_by_hand(naive):
    """As in the lesson's table, seven tokens need 3 bits and thirteen need 4; a single token needs 1."""
    expect.matches(naive.bits_needed, 7)
    expect.matches(naive.bits_needed, 13)
    expect.matches(naive.bits_needed, 1)


@pytest.mark.question("bits_needed", points=0.5)
def test_bits_needed_around_powers_of_two(naive):
    """2^n tokens end at position 2^n − 1 and need n bits; one more token needs n + 1 bits."""
    for n in range(1, 8):
        expect.matches(naive.bits_needed, 2**n)
        expect.matches(naive.bits_needed, 2**n + 1)


# binary_positions


@pytest.mark.question("binary_positions", points=0.25)
def test_binary_by_hand(naive):
    """The most significant bit comes first: 00, 01, 10."""
    expect.matches(naive.binary_positions, 3)
    expect.close(naive.binary_positions(3), np.array([[0, 0], [0, 1], [1, 0]]), "binary_positions(3)")


@pytest.mark.question("binary_positions", points=0.25)
def test_binary_does_not_loop_over_positions(naive):
    """All positions are encoded at once; a loop over bits is allowed."""
    expect.vectorised(naive.binary_positions, lambda length: (length,), length=16)


@pytest.mark.question("binary_positions", points=0.5)
def test_binary(naive):
    """The code has as many columns as needed, or n_bits columns, with leading zeros."""
    expect.matches(naive.binary_positions, 9)
    expect.matches(naive.binary_positions, 5, 6)
    expect.matches(naive.binary_positions, 8, n_bits=3)


@pytest.mark.question("binary_positions", points=0.75)
@given(length=st.integers(2, 100), spare=st.integers(0, 3))
def test_binary_reads_back(naive, length, spare):
    """Every code is the position in binary, written with zeros and ones."""
    n_bits = len(np.binary_repr(length - 1)) + spare
    codes = naive.binary_positions(length, n_bits)
    expect.close(np.unique(codes), np.array([0, 1]), "the digits of a code")
    expect.close(codes @ 2.0 ** np.arange(n_bits)[::-1], np.arange(length), "codes read as binary numbers")


# bit_period


@pytest.mark.question("bit_period", points=0.5)
def test_bit_period_by_hand(naive):
    """Bit 0 goes 0, 1, 0, 1, …, so its period is 2; each bit has twice the period of the previous one."""
    expect.matches(naive.bit_period, 4)
    expect.matches(naive.bit_period, 0)


# hamming_steps


@pytest.mark.question("hamming_steps", points=0.25)
def test_hamming_by_hand(naive):
    """From 7 to 8, all four bits change; from 00 to 01, one of two bits changes."""
    expect.matches(naive.hamming_steps, SEVEN_AND_EIGHT)
    expect.matches(naive.hamming_steps, np.array([[0, 0], [0, 1], [1, 0], [1, 0]]))


@pytest.mark.question("hamming_steps", points=0.5)
@given(codes=st.lists(st.integers(0, 31), min_size=2, max_size=12))
def test_hamming_counts_bits_of_the_exclusive_or(naive, codes):
    """A step is the number of ones in the exclusive or of two neighbouring codes."""
    rows = np.array([[int(bit) for bit in np.binary_repr(code, 5)] for code in codes])
    expected = np.array([(this ^ following).bit_count() for this, following in pairwise(codes)])
    expect.close(naive.hamming_steps(rows), expected, "the steps")


# gray_positions


@pytest.mark.question("gray_positions", points=0.25)
def test_gray_by_hand(naive):
    """With two bits, the codes are 00, 01, 11, 10."""
    expect.matches(naive.gray_positions, 4)
    expect.close(naive.gray_positions(4), np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), "gray_positions(4)")


@pytest.mark.question("gray_positions", points=0.5)
def test_gray(naive):
    """The result of gray_positions has as many columns as that of binary_positions, with leading zeros if n_bits
    is larger than needed."""
    expect.matches(naive.gray_positions, 9)
    expect.matches(naive.gray_positions, 5, 6)
    expect.matches(naive.gray_positions, 16, n_bits=4)


@pytest.mark.question("gray_positions", points=0.75)
@given(length=st.integers(2, 100))
def test_gray_changes_one_bit_a_step(naive, length):
    """Every step changes exactly one bit, and no code appears twice."""
    codes = naive.gray_positions(length)
    expect.close(np.sum(codes[1:] != codes[:-1], axis=-1), np.ones(length - 1), "the bits that change in a step")
    expect.close(len(np.unique(codes, axis=0)), length, "the number of different codes")


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("integer_positions", 5),
        case("normalized_positions", 5),
    ],
)
def test_tables_are_float64(naive, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(naive, function), *arguments)


@pytest.mark.question("add_integer_positions", points=0.25)
def test_dtype(naive):
    """float32 features stay float32; lists of whole numbers give float64."""
    expect.dtype(naive.add_integer_positions, features(3, 4, dtype=np.float32))
    expect.dtype(naive.add_integer_positions, [[1, 2], [3, 4]])


@pytest.mark.question("binary_positions", points=0.25)
def test_binary_refuses_too_few_bits(naive):
    """Three bits end at position 7, so nine positions raise a ValueError, because two of them would share a code."""
    expect.answers(naive.binary_positions, 7, 3)
    expect.raises(ValueError, naive.binary_positions, 9, 3)
