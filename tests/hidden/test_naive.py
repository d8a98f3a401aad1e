"""Hidden tests for the first three attempts: this term's values, loops, and the properties of codes.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Codes, steps, bits and periods are whole numbers and must be exact; the usual tolerance applies to all other
results. A loop over bits is allowed, so tests that count executed lines use long codes: a sequence sixteen times
as long needs only four more bits, and with twelve bits instead of eight, such a loop runs only 50 % more lines.
Some lengths are too large for uint8, float16 or int16.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features

LENGTHS = st.integers(2, 200)


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def random_codes(rng, *shape):
    return rng.integers(0, 2, shape)


def at_random(rng, *limits):
    """Return random lengths of at least 1, each below one of the limits."""
    return [int(rng.integers(1, limit)) for limit in limits]


# integer_positions


@pytest.mark.question("integer_positions", points=0.5)
def test_integer_positions_of_any_length(naive, rng):
    """The positions are 0 … T − 1 as floats, for one token as well as many."""
    for length in (1, 2, *at_random(rng, 50, 3000)):
        expect.matches(naive.integer_positions, length)
    positions = expect.matches(naive.integer_positions, 70_000)
    expect.holds(positions.dtype.kind == "f", "positions are floats, as the features are")


# add_integer_positions


@pytest.mark.question("add_integer_positions", points=0.75)
def test_add_with_any_shapes(naive, rng):
    """Any leading axes and any number of rows and features are allowed."""
    for shape in ((7, 3), (1, 4), (6, 1), (5, 4, 3), (2, 3, 4, 5), (3, 3, 3)):
        expect.matches(naive.add_integer_positions, normal(rng, *shape))
    expect.matches(naive.add_integer_positions, np.zeros((70_000, 1), dtype=np.float32))


@pytest.mark.question("add_integer_positions", points=0.25)
def test_add_does_not_loop(naive):
    """The positions are added to all rows at once, without a loop."""
    expect.vectorised(naive.add_integer_positions, lambda length: (features(2, length, 3),))


# normalized_positions


@pytest.mark.question("normalized_positions", points=0.75)
def test_normalized_of_any_length(naive, rng):
    """The positions are i/(L − 1), for one token, two, and many."""
    for length in (1, 2, 3, *at_random(rng, 50, 3000)):
        expect.matches(naive.normalized_positions, length)
    expect.matches(naive.normalized_positions, 70_000)
    expect.matches(naive.normalized_positions, 1)


# bits_needed


@pytest.mark.question("bits_needed", points=0.5)
def test_bits_needed_by_every_short_text(naive):
    """bits_needed is ⌈log₂ L⌉, but at least 1, for every short sequence."""
    for length in range(1, 40):
        expect.matches(naive.bits_needed, length)


@pytest.mark.question("bits_needed", points=0.5)
def test_bits_needed_by_long_texts(naive, rng):
    """n bits can represent exactly 2^n positions."""
    for n in (10, 15, 16, 20, 24, 28):
        expect.matches(naive.bits_needed, 2**n - 1)
        expect.matches(naive.bits_needed, 2**n)
        expect.matches(naive.bits_needed, 2**n + 1)
        expect.matches(naive.bits_needed, 2**n + int(rng.integers(2**n)))


@pytest.mark.question("bits_needed", points=0.25)
def test_bits_needed_of_large_lengths_where_logarithms_round(naive):
    """bits_needed is exact even where rounding makes a quotient of logarithms wrong."""
    expect.matches(naive.bits_needed, 2**28)
    expect.matches(naive.bits_needed, 2**29)
    expect.matches(naive.bits_needed, 2**31)


@pytest.mark.question("bits_needed", points=0.25)
def test_bits_needed_where_every_logarithm_rounds(naive):
    """bits_needed is exact even where rounding makes a base-2 logarithm wrong."""
    expect.matches(naive.bits_needed, 2**28 + 1)
    expect.matches(naive.bits_needed, 2**49 + 1)


# binary_positions


@pytest.mark.question("binary_positions", points=1.0)
def test_binary_of_any_length(naive, rng):
    """The code has as many columns as needed, or n_bits columns, for one token or many."""
    for length in (1, 2, 3, 4, 8, 9, 16, *at_random(rng, 100, 1000)):
        expect.matches(naive.binary_positions, length)
        expect.matches(naive.binary_positions, length, 10)
    expect.matches(naive.binary_positions, 1, 1)
    expect.matches(naive.binary_positions, 16, n_bits=4)
    expect.matches(naive.binary_positions, 5, 14)
    expect.matches(naive.binary_positions, 300, 12)
    last = naive.binary_positions(4_000)[-1]
    expect.close(last @ 2.0 ** np.arange(12)[::-1], 3_999.0, "the last of 4,000 codes, read as a binary number")


@pytest.mark.question("binary_positions", points=0.25)
def test_binary_positions_of_any_length_are_computed_at_once(naive):
    """All positions are encoded at once; a loop over bits is allowed."""
    expect.vectorised(naive.binary_positions, lambda length: (length,))


# bit_period


@pytest.mark.question("bit_period", points=0.5)
def test_bit_period_of_any_bit(naive):
    """The period is 2^(bit + 1), a whole number, for every bit."""
    for bit in (0, 1, 2, 5, 9, 20, 40, 61, 62):
        expect.matches(naive.bit_period, bit)


@pytest.mark.question("bit_period", points=0.75)
@given(bit=st.integers(0, 5))
def test_bits_repeat_after_their_period(naive, bit):
    """A column of the binary code repeats after its bit's period; after half a period, every bit in it is inverted."""
    period = naive.bit_period(bit)
    column = np.arange(3 * 2 ** (bit + 1)) >> bit & 1
    expect.close(column[period:], column[:-period], "the column repeats after a period")
    expect.close(column[period // 2 :], 1 - column[: -period // 2], "half a period turns zeros into ones")


# hamming_steps


@pytest.mark.question("hamming_steps", points=0.75)
def test_hamming_of_any_codes(naive, rng):
    """hamming_steps counts the columns that differ between neighbours, for codes of any length and width."""
    for shape in ((9, 5), (2, 1), (40, 12), (5, 5)):
        expect.matches(naive.hamming_steps, random_codes(rng, *shape))
    expect.matches(naive.hamming_steps, random_codes(rng, 1, 4))
    expect.matches(naive.hamming_steps, np.tile([[0], [1]], (2, 300)))


@pytest.mark.question("hamming_steps", points=0.75)
def test_hamming_of_the_two_codes(naive):
    """A step in the binary code changes one more bit than it has carries; a step in Gray code changes one bit."""
    numbers, bits = np.arange(64)[:, np.newaxis], np.arange(6)[::-1]
    counter = naive.hamming_steps(numbers >> bits & 1)
    expect.close(
        np.sum(counter), 2.0**7 - 6 - 2, "2^(n+1) − n − 2 bits change while n bits count through all their values"
    )
    expect.close(counter[31], 6.0, "halfway, all of them change")
    gray = naive.hamming_steps((numbers ^ numbers >> 1) >> bits & 1)
    expect.close(gray, np.ones(63), "one bit changes in each step of Gray code")


@pytest.mark.question("hamming_steps", points=0.25)
def test_hamming_does_not_loop(naive):
    """All neighbours are compared at once, without a loop."""
    expect.vectorised(naive.hamming_steps, lambda length: ((np.arange(length)[:, np.newaxis] >> np.arange(4)) & 1,))


# gray_positions


@pytest.mark.question("gray_positions", points=1.0)
def test_gray_of_any_length(naive, rng):
    """The code has as many columns as needed, or n_bits columns, for one token or many."""
    for length in (1, 2, 3, 4, 8, 9, 16, *at_random(rng, 100, 1000)):
        expect.matches(naive.gray_positions, length)
        expect.matches(naive.gray_positions, length, 10)
    expect.matches(naive.gray_positions, 1, 1)
    expect.matches(naive.gray_positions, 16, n_bits=4)
    expect.matches(naive.gray_positions, 5, 14)
    expect.matches(naive.gray_positions, 300, 12)
    last = np.cumsum(naive.gray_positions(4_000)[-1]) % 2
    expect.close(last @ 2.0 ** np.arange(12)[::-1], 3_999.0, "the last of 4,000 codes, read as Gray code")


@pytest.mark.question("gray_positions", points=0.25)
def test_gray_does_not_loop_over_positions(naive):
    """All codes are computed at once; a loop over bits is allowed."""
    expect.vectorised(naive.gray_positions, lambda length: (length,))


@pytest.mark.question("gray_positions", points=1.0)
@given(length=LENGTHS)
def test_gray_is_reflected(naive, length):
    """The running sums of a Gray code's bits, modulo 2, are the bits of the binary code."""
    gray = naive.gray_positions(length)
    numbers = (np.cumsum(gray, axis=-1) % 2) @ 2 ** np.arange(gray.shape[-1])[::-1]
    expect.close(numbers, np.arange(length), "running sums of Gray code, modulo 2, read as numbers")


# Rules of lesson 1 for every function


@pytest.mark.question("add_integer_positions", points=0.25)
def test_arguments_stay_as_they_are(naive, rng):
    """add_integer_positions does not change x."""
    expect.unchanged(naive.add_integer_positions, normal(rng, 2, 5, 4))


@pytest.mark.question("gray_positions", points=0.25)
def test_gray_refuses_too_few_bits(naive):
    """Too few bits for the last position raise a ValueError, just as in binary_positions."""
    expect.answers(naive.gray_positions, 3, 2)
    expect.raises(ValueError, naive.gray_positions, 5, 2)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key", ["normalized_5_of_10", "normalized_5_of_1000", "bits_for_512", "bits_flipped_3_to_4", "middle_of_512"]
)
def test_answer(naive, key):
    """Every question has one correct answer."""
    expect.answer(naive, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["position_that_leaves_one_percent", "first_position_lost_in_float16"])
def test_practice_answer(naive, key):
    """This question is for practice and earns no points."""
    expect.answer(naive, key)
