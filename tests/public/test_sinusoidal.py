"""Public tests for the sinusoidal encoding: the values of each function, and the properties that made the
encoding famous.

Each test's docstring states the rule that the test checks. The expected values are in `expected/sinusoidal.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features, positions

SHIFTS = st.integers(-500, 500)
# A float32 matrix has entries that are off by 3e−8, and the product of two such matrices with an encoding is off by
# 6e−8. That is a mistake in the dtype, which costs points only in the dtype test. Float32 angles are off by 6e−5 at
# these positions.
ROUNDED = 1e-6


@pytest.mark.question("frequencies", points=0.4375)
def test_frequencies_by_hand(sinusoidal):
    """With eight features, the frequencies are 1, 1/10, 1/100 and 1/1000 radian per position."""
    expected = np.array([1.0, 0.1, 0.01, 0.001])
    expect.close(sinusoidal.frequencies(8), expected, "frequencies(8) is [1, 0.1, 0.01, 0.001]")


@pytest.mark.question("frequencies", points=0.375)
def test_frequencies(sinusoidal):
    """ω_i = base^(−2i/d)."""
    expect.matches(sinusoidal.frequencies, 2)
    expect.matches(sinusoidal.frequencies, 12)
    expect.matches(sinusoidal.frequencies, 6, base=500.0)


@pytest.mark.question("sinusoidal_encoding", points=0.5625)
def test_encoding_by_hand(sinusoidal):
    """Features 2i and 2i+1 are the sine and the cosine of one angle; for d = 4, the angles are p and p/100."""
    at_zero = sinusoidal.sinusoidal_encoding(np.array([0]), 4)
    expect.close(at_zero, np.array([[0.0, 1.0, 0.0, 1.0]]), "at position 0 every sine is 0 and every cosine 1")
    at_three = sinusoidal.sinusoidal_encoding(np.array([3]), 4)
    expected = np.array([[np.sin(3), np.cos(3), np.sin(0.03), np.cos(0.03)]])
    expect.close(at_three, expected, "position 3 with four features")


@pytest.mark.question("sinusoidal_encoding", points=0.625)
def test_encoding(sinusoidal):
    """PE(p, 2i) = sin(p·ω_i) and PE(p, 2i+1) = cos(p·ω_i), for positions of any shape, even a single number."""
    expect.matches(sinusoidal.sinusoidal_encoding, np.arange(5), 6)
    expect.matches(sinusoidal.sinusoidal_encoding, np.array([[-3.0, 0.5], [20.0, 7.0]]), 4, base=300.0)
    expect.matches(sinusoidal.sinusoidal_encoding, 7, 8)


@pytest.mark.question("sinusoidal_encoding", points=0.5)
@given(position=positions(1000), d_model=st.sampled_from([2, 6, 10]))
def test_hands_have_length_one(sinusoidal, position, d_model):
    """For each pair, sin² + cos² = 1, and pair 0 rotates by one radian per position."""
    encoding = sinusoidal.sinusoidal_encoding(np.array([position]), d_model)
    expect.close(np.shape(encoding), (1, d_model), "the features are a new last axis")
    lengths = encoding[0, 0::2] ** 2 + encoding[0, 1::2] ** 2
    expect.close(lengths, np.ones(d_model // 2), f"sin² + cos² at position {position}")
    first_hand = np.array([np.sin(position), np.cos(position)])
    expect.close(encoding[0, :2], first_hand, f"the first hand at position {position}")


@pytest.mark.question("add_positions", points=0.25)
def test_add_positions_by_hand(sinusoidal):
    """Row t becomes x_t + PE(t), and the first row is position 0."""
    x = np.array([[10.0, 10.0], [20.0, 20.0]])
    expected = np.array([[10.0, 11.0], [20 + np.sin(1), 20 + np.cos(1)]])
    expect.close(sinusoidal.add_positions(x), expected, "[[10, 10], [20, 20]] with positions")


@pytest.mark.question("add_positions", points=0.625)
def test_add_positions(sinusoidal):
    """Every sequence in a batch gets the same encoding, for any leading axes."""
    expect.matches(sinusoidal.add_positions, features(5, 6))
    expect.matches(sinusoidal.add_positions, features(2, 3, 4, 6))
    expect.matches(sinusoidal.add_positions, features(3, 2, 4), base=300.0)


@pytest.mark.question("wavelengths", points=0.1875)
def test_wavelengths_by_hand(sinusoidal):
    """With eight features, a full rotation takes 2π, 20π, 200π and 2000π positions."""
    expected = 2 * np.pi * np.array([1.0, 10.0, 100.0, 1000.0])
    expect.close(sinusoidal.wavelengths(8), expected, "wavelengths(8) is 2π·[1, 10, 100, 1000]")


@pytest.mark.question("wavelengths", points=0.25)
def test_wavelengths(sinusoidal):
    """λ_i = 2π/ω_i."""
    expect.matches(sinusoidal.wavelengths, 12)
    expect.matches(sinusoidal.wavelengths, 6, base=500.0)


@pytest.mark.question("shift_matrix", points=0.3125)
def test_shift_by_hand(sinusoidal):
    """A pair is (sin, cos), in this order, so −sin is in the lower left corner of its block."""
    expected = np.array([[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]])
    expect.close(sinusoidal.shift_matrix(1, 2), expected, "shift_matrix(1, 2) is [[cos 1, sin 1], [−sin 1, cos 1]]")


@pytest.mark.question("shift_matrix", points=0.25)
def test_shift_matrix(sinusoidal):
    """The diagonal has one 2 × 2 block per pair, which rotates by the angle offset·ω_i."""
    expect.matches(sinusoidal.shift_matrix, 3, 6)
    expect.matches(sinusoidal.shift_matrix, -2.5, 4, base=300.0)


@pytest.mark.question("shift_matrix", points=0.625)
@given(position=positions(1000), shift=SHIFTS)
def test_shift_moves_every_position(sinusoidal, position, shift):
    """One matrix works for every position: M · PE(p) = PE(p + k) for every p."""
    at_zero = np.tile([0.0, 1.0], 3)
    here, there = (sinusoidal.shift_matrix(moves, 6) @ at_zero for moves in (position, position + shift))
    moved = sinusoidal.shift_matrix(shift, 6) @ here
    expect.close(moved, there, f"PE({position}), moved by {shift}", ROUNDED)
    first_hand = np.array([np.sin(position + shift), np.cos(position + shift)])
    expect.close(moved[:2], first_hand, f"the first hand after moving from {position} by {shift}", ROUNDED)


@pytest.mark.question("offset_similarity", points=0.3125)
def test_similarity_by_hand(sinusoidal):
    """The similarity is Σ cos(ω_i·k), which is d/2 at offset 0, and cos 1 + cos 0.01 at offset 1 for d = 4."""
    expected = np.array([2.0, np.cos(1) + np.cos(0.01)])
    expect.close(sinusoidal.offset_similarity(np.array([0, 1]), 4), expected, "offset_similarity([0, 1], 4)")


@pytest.mark.question("offset_similarity", points=0.5)
def test_similarity(sinusoidal):
    """Offsets can have any shape and sign, and can be a single number."""
    expect.matches(sinusoidal.offset_similarity, np.array([[0.0, -2.5, 10.0], [3.0, 200.0, 1.0]]), 6)
    expect.matches(sinusoidal.offset_similarity, np.arange(4), 8, base=300.0)
    expect.matches(sinusoidal.offset_similarity, 5, 6)


@pytest.mark.question("offset_similarity", points=0.625)
@given(position=positions(1000), shift=SHIFTS)
def test_similarity_knows_no_position(sinusoidal, position, shift):
    """PE(p) · PE(p + k) depends only on the absolute value of k, not on its sign."""
    here, there = sinusoidal.sinusoidal_encoding(np.array([position, position + shift]), 6)
    similarity = sinusoidal.offset_similarity(shift, 6)
    expect.close(similarity, here @ there, f"the dot product of positions {position} and {position + shift}")
    expect.close(sinusoidal.offset_similarity(-shift, 6), similarity, f"the similarity at {-shift} and at {shift}")
    one_hand = sinusoidal.offset_similarity(shift, 2)
    expect.close(one_hand, np.cos(shift), f"with one hand the similarity at {shift} is the cosine of {shift}")


@pytest.mark.question("to_concatenated", points=0.5)
def test_to_concatenated(sinusoidal):
    """All the sines come first, then all the cosines."""
    expect.matches(sinusoidal.to_concatenated, np.arange(6.0))
    expect.matches(sinusoidal.to_concatenated, features(2, 3, 8))


@pytest.mark.question("to_interleaved", points=0.5)
def test_to_interleaved(sinusoidal):
    """to_interleaved undoes to_concatenated."""
    expect.matches(sinusoidal.to_interleaved, np.arange(6.0))
    expect.matches(sinusoidal.to_interleaved, features(2, 3, 8))


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("frequencies", 6),
        case("wavelengths", 6),
        case("sinusoidal_encoding", [0, 3], 6),
        case("offset_similarity", [0, 3], 6),
        case("shift_matrix", 3, 6),
    ],
)
def test_tables_are_float64(sinusoidal, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(sinusoidal, function), *arguments)


@pytest.mark.question("add_positions", points=0.125)
def test_dtype(sinusoidal):
    """float32 features stay float32; lists of whole numbers give float64."""
    expect.dtype(sinusoidal.add_positions, features(3, 2, dtype=np.float32))
    expect.dtype(sinusoidal.add_positions, [[10, 10], [10, 10]])


@pytest.mark.question("frequencies", points=0.125)
def test_frequencies_need_pairs(sinusoidal):
    """An odd d_model raises a ValueError, because its last feature would have no pair."""
    expect.answers(sinusoidal.frequencies, 2)
    expect.raises(ValueError, sinusoidal.frequencies, 29)
