"""Hidden tests for the sinusoidal encoding: this term's values, loops, and properties at large positions.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Tolerances at large positions. An angle is position·ω in float64. The relative error of ω = base^(−2i/d) is a few units
in the last place, or about ten units, 10·1.1e−16 ≈ 1e−15, if ω is computed as exp(−2i/d·ln base). At position 10⁶, the
angle, and therefore each feature, is off by up to about 1e−9, and at 2·10⁶ by twice that; FAR allows a hundred times as
much, summed over the pairs. Near position 10⁶, float32 angles are off by 0.06.

A wavelength returned in float32 is off by up to 6e−8 of its size, so after one wavelength, a pair is off by 2π
times that, 4e−7. A wavelength in float32 has the wrong dtype, which costs points only in the dtype test, so
ROUNDED allows twice that error.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

FAR = 1e-7

ROUNDED = 1e-6

D_MODELS = st.sampled_from([2, 4, 6, 16])

SHIFTS = st.integers(-(10**6), 10**6)


def encoding(positions, d_model):
    """Return the encoding for tests of other functions, so that a mistake in the student's encoding costs points
    only in its own tests."""
    angles = np.multiply.outer(positions, 10000.0 ** (-np.arange(0, d_model, 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*np.shape(positions), d_model)


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


# frequencies


@pytest.mark.question("frequencies", points=0.75)
def test_frequencies_of_any_size_and_base(sinusoidal, rng):
    """The frequency ω_i is base^(−2i/d) for every even size and every base."""
    for d_model in (2, 4, 6, 64, 512):
        expect.matches(sinusoidal.frequencies, d_model)
        expect.matches(sinusoidal.frequencies, d_model, float(rng.uniform(2, 1e6)))
    expect.matches(sinusoidal.frequencies, 6, base=float(rng.uniform(0.1, 0.9)))
    expect.matches(sinusoidal.frequencies, 10, 10000)


# sinusoidal_encoding


@pytest.mark.question("sinusoidal_encoding", points=0.5)
def test_encoding_of_positions_of_any_shape(sinusoidal, rng):
    """Positions can be a number or an array of any shape, even negative or fractional; the features form a new
    last axis."""
    expect.matches(sinusoidal.sinusoidal_encoding, float(rng.uniform(-50, 50)), 6)
    for shape in ((7,), (1,), (2, 3), (2, 1, 3)):
        expect.matches(sinusoidal.sinusoidal_encoding, rng.uniform(-50, 50, shape), 10)
    expect.matches(sinusoidal.sinusoidal_encoding, rng.uniform(-50, 50, 4), 2, float(rng.uniform(2, 1e6)))


@pytest.mark.question("sinusoidal_encoding", points=0.5)
def test_encoding_computes_angles_in_float64(sinusoidal, rng):
    """The angles are correct at large and at negative positions."""
    expect.matches(sinusoidal.sinusoidal_encoding, rng.integers(10**5, 10**6, 5), 16, tolerance=FAR)
    expect.matches(sinusoidal.sinusoidal_encoding, -rng.uniform(10**5, 10**6, 5), 16, tolerance=FAR)


@pytest.mark.question("sinusoidal_encoding", points=0.25)
def test_encoding_does_not_loop_over_positions(sinusoidal):
    """All positions are computed at once, without a loop."""
    expect.vectorised(sinusoidal.sinusoidal_encoding, lambda length: (np.arange(length), 8))


@pytest.mark.question("sinusoidal_encoding", points=1.0)
@given(position=positions(1000), d_model=D_MODELS, base=st.sampled_from([10000.0, 10.0]))
def test_hands_are_the_first_hand_slowed_down(sinusoidal, position, d_model, base):
    """Pair i needs base^(2i/d) positions to rotate as far as pair 0 does in one position."""
    hands = np.arange(d_model // 2)
    encoding = sinusoidal.sinusoidal_encoding(position * base ** (2 * hands / d_model), d_model, base)
    expect.close(np.shape(encoding), (d_model // 2, d_model), "one row per position")
    sines, cosines = encoding[hands, 2 * hands], encoding[hands, 2 * hands + 1]
    expect.close(sines, np.full(d_model // 2, np.sin(position)), "all pairs then have the same sine")
    expect.close(cosines, np.full(d_model // 2, np.cos(position)), "all pairs then have the same cosine")


# add_positions


@pytest.mark.question("add_positions", points=0.5)
def test_add_positions_with_any_leading_axes(sinusoidal, rng):
    """Any leading axes and any number of rows and pairs are allowed."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 6), (1, 2), (4, 4, 4)):
        expect.matches(sinusoidal.add_positions, normal(rng, *shape))
    expect.matches(sinusoidal.add_positions, normal(rng, 2, 5, 6), float(rng.uniform(2, 1000)))
    expect.matches(sinusoidal.add_positions, np.zeros((70_000, 2)), tolerance=FAR)


@pytest.mark.question("add_positions", points=0.25)
def test_add_positions_computes_angles_in_float64(sinusoidal, rng):
    """The encoding is correct at large positions, even for float32 features."""
    # With a small base, the pairs are fast: at row 4095, float32 angles are off by about 1e−4, and a float32 result by
    # 1e−7.
    expect.matches(sinusoidal.add_positions, normal(rng, 4096, 6, dtype=np.float32), 2.0)


@pytest.mark.question("add_positions", points=0.25)
def test_add_positions_does_not_loop_over_rows(sinusoidal):
    """The encoding is added to all rows at once, without a loop."""
    expect.vectorised(sinusoidal.add_positions, lambda length: (features(2, length, 4),))


@pytest.mark.question("add_positions", points=0.875)
@given(seed=seeds(), length=st.integers(1, 6), d_model=D_MODELS)
def test_what_is_added_knows_no_token(sinusoidal, seed, length, d_model):
    """Every row gets a code that depends only on its position: the same in every sequence, and PE(0) in row 0."""
    x = features(3, length, d_model, seed=seed)
    moved = sinusoidal.add_positions(x)
    expect.close(moved, x + (moved[0] - x[0]), "every sequence gets the same encoding")
    expect.close(moved[:, 0], x[:, 0] + np.tile([0.0, 1.0], d_model // 2), "the first row is position 0")
    first_hand = np.stack([np.sin(np.arange(length)), np.cos(np.arange(length))], axis=-1)
    expect.close(moved[..., :2], x[..., :2] + first_hand, "the first pair turns one radian per row")


# wavelengths


@pytest.mark.question("wavelengths", points=0.25)
def test_wavelengths_of_any_size_and_base(sinusoidal, rng):
    """The wavelength λ_i is 2π/ω_i for every even size and every base."""
    for d_model in (2, 6, 512):
        expect.matches(sinusoidal.wavelengths, d_model)
        expect.matches(sinusoidal.wavelengths, d_model, float(rng.uniform(2, 1e6)))
    expect.matches(sinusoidal.wavelengths, 10, 10000)


@pytest.mark.question("wavelengths", points=0.75)
@given(position=positions(1000), d_model=D_MODELS)
def test_hands_come_round_after_a_wavelength(sinusoidal, position, d_model):
    """After half a wavelength, both values of a pair have changed sign; after a whole one, they are the same again."""
    hands = np.arange(d_model // 2)
    wavelengths = sinusoidal.wavelengths(d_model)
    where = position + np.stack([np.zeros(d_model // 2), wavelengths / 2, wavelengths])
    codes = encoding(where, d_model)
    now, half, whole = np.stack([codes[:, hands, 2 * hands], codes[:, hands, 2 * hands + 1]], axis=-1)
    expect.close(half, -now, "after half a wavelength, each pair points the other way", ROUNDED)
    expect.close(whole, now, "after a wavelength, each pair is back where it was", ROUNDED)


# shift_matrix


@pytest.mark.question("shift_matrix", points=0.5)
def test_shift_matrix_of_any_size_and_base(sinusoidal, rng):
    """The matrix is correct for any real offset, any even size and any base."""
    for d_model in (2, 6, 12):
        expect.matches(sinusoidal.shift_matrix, float(rng.uniform(-100, 100)), d_model, float(rng.uniform(2, 1e6)))
    expect.matches(sinusoidal.shift_matrix, int(rng.integers(10**5, 10**6)), 16, tolerance=FAR)
    expect.matches(sinusoidal.shift_matrix, int(rng.integers(1, 100)), 8)


@pytest.mark.question("shift_matrix", points=1.0)
@given(position=positions(), shift=SHIFTS, d_model=D_MODELS)
def test_shift_moves_any_position(sinusoidal, position, shift, d_model):
    """M · PE(p) = PE(p + k) for positions and offsets up to 10⁶, positive and negative."""
    moved = sinusoidal.shift_matrix(shift, d_model) @ encoding(position, d_model)
    expect.close(moved, encoding(position + shift, d_model), "M · PE(p) = PE(p + k)", FAR)
    first_hand = np.array([np.sin(position + shift), np.cos(position + shift)])
    expect.close(moved[:2], first_hand, "the first pair turns one radian per position", FAR)


@pytest.mark.question("shift_matrix", points=0.75)
@given(first=SHIFTS, second=SHIFTS, d_model=D_MODELS)
def test_shifts_are_rotations_and_add_up(sinusoidal, first, second, d_model):
    """M is a rotation; a shift by 0 changes nothing; two shifts equal one shift by their sum."""
    one, other = sinusoidal.shift_matrix(first, d_model), sinusoidal.shift_matrix(second, d_model)
    expect.close(one.T @ one, np.eye(d_model), "Mᵀ M = 1")
    expect.close(sinusoidal.shift_matrix(0, d_model), np.eye(d_model), "moving by 0 changes nothing")
    expect.close(other @ one, sinusoidal.shift_matrix(first + second, d_model), "shifts add up", FAR)
    block = np.array([[np.cos(first), np.sin(first)], [-np.sin(first), np.cos(first)]])
    expect.close(one[:2, :2], block, "the first block turns by one radian per position", FAR)


# offset_similarity


@pytest.mark.question("offset_similarity", points=0.5)
def test_similarity_of_offsets_of_any_shape(sinusoidal, rng):
    """Offsets can be a number or an array of any shape; the result has that shape."""
    for shape in ((5,), (2, 3), (2, 1, 3)):
        expect.matches(sinusoidal.offset_similarity, rng.uniform(-500, 500, shape), 10)
    expect.matches(sinusoidal.offset_similarity, float(rng.uniform(-500, 500)), 128, base=500.0)
    expect.matches(sinusoidal.offset_similarity, rng.integers(10**5, 10**6, 4), 16, tolerance=FAR)


@pytest.mark.question("offset_similarity", points=0.25)
def test_similarity_does_not_loop_over_offsets(sinusoidal):
    """All offsets are computed at once, without a loop."""
    expect.vectorised(sinusoidal.offset_similarity, lambda length: (np.arange(length), 8))


@pytest.mark.question("offset_similarity", points=1.0)
@given(position=positions(), shift=SHIFTS, d_model=D_MODELS)
def test_similarity_is_the_dot_product_anywhere(sinusoidal, position, shift, d_model):
    """PE(p) · PE(p + k) depends only on k, for positions and offsets up to 10⁶; it is d/2 at 0, and the same for −k."""
    here, there = encoding(np.array([position, position + shift]), d_model)
    ahead, none, behind = sinusoidal.offset_similarity(np.array([shift, 0, -shift]), d_model)
    expect.close(here @ there, ahead, "the dot product is the similarity at that offset", FAR)
    expect.close(behind, ahead, "k and −k are equally similar")
    expect.close(none, d_model / 2, "the similarity at offset 0 is d/2")
    expect.close(
        sinusoidal.offset_similarity(shift, 2), np.cos(shift), "with one pair, it is the cosine of the offset", FAR
    )


# to_concatenated, to_interleaved


@pytest.mark.question("to_concatenated", points=0.25)
def test_to_concatenated_as_an_array_function(sinusoidal, rng):
    """All the sines come first, then all the cosines, for any leading axes."""
    expect.matches(sinusoidal.to_concatenated, normal(rng, 2, 3, 10))
    expect.matches(sinusoidal.to_concatenated, normal(rng, 4, 2))


@pytest.mark.question("to_interleaved", points=0.5)
def test_to_interleaved_takes_it_back(sinusoidal, rng):
    """to_interleaved is the inverse of to_concatenated, for any leading axes."""
    x = normal(rng, 2, 3, 10)
    expect.close(sinusoidal.to_interleaved(sinusoidal.to_concatenated(x)), x, "there and back")
    expect.matches(sinusoidal.to_interleaved, x)
    expect.matches(sinusoidal.to_interleaved, normal(rng, 4, 2))


# Rules of lesson 1 for every function


@pytest.mark.question("add_positions", points=0.125)
def test_arguments_stay_as_they_are(sinusoidal, rng):
    """add_positions does not modify the embeddings."""
    expect.unchanged(sinusoidal.add_positions, normal(rng, 2, 4, 6))


@pytest.mark.question("to_concatenated", points=0.25)
def test_reordering_needs_pairs(sinusoidal):
    """An odd number of features raises a ValueError."""
    expect.answers(sinusoidal.to_concatenated, features(2, 6))
    expect.raises(ValueError, sinusoidal.to_concatenated, features(2, 7))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key", ["slowest_wavelength_512", "fastest_wavelength", "similarity_at_zero_512", "extrapolates_without_error"]
)
def test_answer(sinusoidal, key):
    """Every question has one correct answer."""
    expect.answer(sinusoidal, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "nearest_to_position_0_with_one_pair",
        "sine_alone_has_a_shift_matrix",
        "lower_left_of_shift_3",
        "registered_buffer_is_trained",
    ],
)
def test_practice_answer(sinusoidal, key):
    """This question is for practice and earns no points."""
    expect.answer(sinusoidal, key)
