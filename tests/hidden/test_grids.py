"""Hidden tests for grids: this term's values, dtype, arguments, errors, loops, and properties at any
position.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

As in the tests for RoPE, the tolerance FAR for large coordinates is about a hundred times the rounding error of a
float64 angle near position 10⁶. Near position 10⁶, float32 angles are off by 0.06.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

FAR = 1e-7
SIDES = st.integers(1, 6)


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def rates(rng, pairs, axes):
    """Return random frequencies for every pair along every axis, ranging from fast to slow."""
    return rng.uniform(0, 1, (pairs, axes)) * 10.0 ** -rng.uniform(0, 3, (pairs, 1))


def one_axis(head_dim, base=10000.0):
    """Return the frequencies of plain RoPE, computed without the submission."""
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


# grid_positions


@pytest.mark.question("grid_positions", points=0.25)
@given(height=SIDES, width=SIDES)
@example(height=4, width=4)
def test_cells_are_counted_row_by_row(grids, height, width):
    """Cell number y · width + x has the coordinates (y, x), and both coordinates stay inside the grid."""
    where = grids.grid_positions(height, width)
    expect.close(np.shape(where), (height * width, 2), "the shape")
    expect.close(where @ np.array([width, 1]), np.arange(height * width), "y · width + x counts the cells")
    expect.close(where[-1], np.array([height - 1, width - 1]), "the last cell is in the last row and the last column")
    expect.matches(grids.grid_positions, 70_000, 1)


# sinusoidal_2d


@pytest.mark.question("sinusoidal_2d", points=0.25)
def test_sinusoids_of_any_grid(grids, rng):
    """The encoding is correct for every size divisible by 4, every grid and every base."""
    for height, width, d_model in ((1, 7, 4), (5, 3, 8), (2, 9, 20), (6, 1, 64)):
        expect.matches(grids.sinusoidal_2d, height, width, d_model)
        expect.matches(grids.sinusoidal_2d, height, width, d_model, float(rng.uniform(2, 1e5)))
    expect.matches(grids.sinusoidal_2d, 3, 4, 12, 0.7)


@pytest.mark.question("sinusoidal_2d", points=0.75)
@given(height=SIDES, width=SIDES, down=st.integers(0, 5), right=st.integers(0, 5))
def test_products_of_codes_depend_on_the_difference(grids, height, width, down, right):
    """The product of two cells' encodings is Σ cos(ω·Δy) + Σ cos(ω·Δx), wherever the two cells are."""
    codes = grids.sinusoidal_2d(height + down, width + right, 12)
    expect.close(np.shape(codes), ((height + down) * (width + right), 12), "the shape")
    codes = np.reshape(codes, (height + down, width + right, 12))
    products = np.sum(codes[down:, right:] * codes[:height, :width], axis=-1)
    expected = np.cos(down * one_axis(6)).sum() + np.cos(right * one_axis(6)).sum()
    expect.close(
        products, np.full((height, width), expected), "the product depends only on the differences of y and of x"
    )


# resize_grid


@pytest.mark.question("resize_grid", points=0.75)
def test_resizing_between_any_shapes(grids, rng):
    """A grid can grow or shrink along each axis, even from or to a single row, column or cell."""
    for old, new in (
        ((3, 5), (8, 13)),
        ((7, 4), (2, 3)),
        ((2, 6), (5, 4)),
        ((1, 4), (3, 7)),
        ((5, 1), (4, 2)),
        ((3, 4), (1, 1)),
    ):
        expect.matches(grids.resize_grid, normal(rng, old[0] * old[1], 3), old, new)


@pytest.mark.question("resize_grid", points=0.25)
@given(old=st.tuples(SIDES, SIDES), new=st.tuples(SIDES, SIDES), seed=seeds())
def test_resizing_keeps_what_is_even(grids, old, new, seed):
    """A table of equal rows gives equal rows, resizing to the old shape changes nothing, and new values stay
    within the table's range."""
    table = features(old[0] * old[1], 2, seed=seed)
    row = 3.0 + features(1, 2, seed=seed)
    even = grids.resize_grid(np.repeat(row, len(table), axis=0), old, new)
    expect.close(even, np.repeat(row, new[0] * new[1], axis=0), "equal rows give equal rows")
    expect.close(grids.resize_grid(table, old, old), table, "the same shape gives the same table")
    stretched = grids.resize_grid(table, old, new)
    along_y = np.reshape(grids.resize_grid(np.repeat(features(3, 2), 4, axis=0), (3, 4), (5, 6)), (5, 6, 2))
    expect.close(along_y, np.repeat(along_y[:, :1], 6, axis=1), "rows that are equal along x stay equal along x")
    inside = (stretched <= table.max(axis=0) + 1e-9) & (stretched >= table.min(axis=0) - 1e-9)
    expect.holds(np.all(inside), "every new value lies between old values")
    expect.holds(not np.allclose(along_y[0], along_y[-1]), "rows that differ along y differ along y")


@pytest.mark.question("resize_grid", points=0.25)
def test_resizing_does_not_loop_over_cells(grids):
    """All new cells are computed at once, without a loop."""
    expect.vectorised(grids.resize_grid, lambda length: (features(6, 2), (2, 3), (length, 5)))
    expect.vectorised(grids.resize_grid, lambda length: (features(3 * length, 2), (length, 3), (4, length)))


# axial_frequencies, alternating_frequencies


@pytest.mark.question("axial_frequencies", points=0.5)
def test_axial_frequencies_of_any_size_and_base(grids, rng):
    """Both axes have the frequencies of a head half the size, y in the first rows and x in the last."""
    for head_dim in (4, 12, 64, 80):
        expect.matches(grids.axial_frequencies, head_dim)
        for base in (float(rng.uniform(2, 1e6)), 0.5, 1.0):
            expect.matches(grids.axial_frequencies, head_dim, base)


@pytest.mark.question("axial_frequencies", points=0.25)
def test_axial_pairs_read_one_axis(grids):
    """Each pair of axial_frequencies rotates with exactly one axis, and the result is float64."""
    found = grids.axial_frequencies(24)
    expect.close(np.shape(found), (12, 2), "the shape")
    expect.close(
        np.count_nonzero(found, axis=1), np.ones(12, dtype=np.int64), "each pair rotates with exactly one axis"
    )
    expect.close(found[:6, 0], found[6:, 1], "both axes have the same frequencies")
    expect.matches(grids.axial_frequencies, 8, 10000)


@pytest.mark.question("alternating_frequencies", points=0.5)
def test_alternating_frequencies_of_any_size_and_base(grids, rng):
    """The frequencies are those of the whole head, with even pairs for y and odd pairs for x."""
    for head_dim in (4, 12, 64, 80):
        expect.matches(grids.alternating_frequencies, head_dim)
        for base in (float(rng.uniform(2, 1e6)), 0.5, 1.0):
            expect.matches(grids.alternating_frequencies, head_dim, base)


@pytest.mark.question("alternating_frequencies", points=0.25)
def test_alternating_pairs_are_the_pairs_of_rope(grids):
    """Added up over both axes, the frequencies are RoPE's, in float64."""
    found = grids.alternating_frequencies(24)
    expect.close(np.shape(found), (12, 2), "the shape")
    expect.close(found.sum(axis=1), one_axis(24), "both columns together are RoPE's frequencies")
    expect.close(np.count_nonzero(found, axis=0), np.array([6, 6]), "each axis has half of the pairs")
    expect.matches(grids.alternating_frequencies, 8, 10000)


# mrope_frequencies


@pytest.mark.question("mrope_frequencies", points=0.5)
def test_sections_of_any_size(grids, rng):
    """The sections are consecutive and have the requested sizes, for any base and any number of pairs, even an
    odd one."""
    for head_dim, sections in ((128, (16, 24, 24)), (14, (1, 2, 4)), (10, (3, 1, 1)), (26, (6, 5, 2))):
        expect.matches(grids.mrope_frequencies, head_dim, sections)
        expect.matches(grids.mrope_frequencies, head_dim, sections, float(rng.uniform(2, 1e6)))
    expect.matches(grids.mrope_frequencies, 14, [1, 2, 4], 0.5)


@pytest.mark.question("mrope_frequencies", points=0.5)
def test_interleaved_axes_of_any_size(grids, rng):
    """Every third pair belongs to h, and every third to w, each up to three times its section; all others belong
    to t."""
    for head_dim, sections in ((128, (24, 20, 20)), (26, (8, 3, 2)), (22, (3, 2, 6)), (20, (1, 6, 3))):
        expect.matches(grids.mrope_frequencies, head_dim, sections, interleaved=True)
        expect.matches(grids.mrope_frequencies, head_dim, sections, float(rng.uniform(2, 1e6)), True)


@pytest.mark.question("mrope_frequencies", points=0.25)
def test_every_pair_has_one_axis(grids):
    """Each pair rotates along exactly one axis, and the sum over the axes is RoPE's list of frequencies."""
    for interleaved in (False, True):
        found = grids.mrope_frequencies(28, (6, 3, 5), interleaved=interleaved)
        expect.close(np.shape(found), (14, 3), "the shape")
        expect.close(found.sum(axis=1), one_axis(28), "the three columns together are RoPE's frequencies")
        expect.close(
            np.count_nonzero(found, axis=1), np.ones(14, dtype=np.int64), "each pair rotates with exactly one axis"
        )


# apply_rope_nd


@pytest.mark.question("apply_rope_nd", points=0.5)
def test_rotating_with_any_axes(grids, rng):
    """Any number of leading axes, coordinates, rows and pairs is allowed, and coordinates can have either sign."""
    for shape, axes in (((6, 8), 2), ((3, 5, 4), 3), ((2, 1, 3, 2, 6), 1), ((1, 2), 4)):
        expect.matches(
            grids.apply_rope_nd,
            normal(rng, *shape),
            rng.uniform(-50, 50, (shape[-2], axes)),
            rates(rng, shape[-1] // 2, axes),
        )


@pytest.mark.question("apply_rope_nd", points=0.75)
@given(seed=seeds(), start=positions(10**4))
def test_equal_coordinates_are_plain_rope(grids, seed, start):
    """If all coordinates of a token are equal, any assignment of pairs to axes gives plain RoPE."""
    x, theta = features(3, 12, seed=seed), one_axis(12)
    where = np.arange(start, start + 3)
    axis_of_pair = np.random.default_rng(seed).integers(0, 3, 6)
    rotated = grids.apply_rope_nd(
        x, np.repeat(where[:, np.newaxis], 3, axis=1), theta[:, np.newaxis] * np.eye(3)[axis_of_pair]
    )
    plain = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * np.outer(where, theta))
    expect.close(
        rotated, np.stack([plain.real, plain.imag], axis=-1).reshape(3, 12), "text rotates as with plain RoPE", FAR
    )


@pytest.mark.question("apply_rope_nd", points=0.5)
@given(seed=seeds(), far=positions())
def test_rotations_on_a_grid_add_up(grids, seed, far):
    """Two rotations equal one rotation by the sum of the coordinates, and every rotation preserves the norm."""
    x, frequencies = features(2, 6, seed=seed), 0.1 + np.abs(features(3, 2, seed=seed))
    first, second = np.array([[1, 3], [far, 2]]), np.array([[2, far], [5, 1]])
    once = grids.apply_rope_nd(x, first + second, frequencies)
    twice = grids.apply_rope_nd(grids.apply_rope_nd(x, first, frequencies), second, frequencies)
    expect.close(once, twice, "two rotations equal one by the sum of the coordinates", FAR)
    expect.close(np.linalg.norm(once, axis=-1), np.linalg.norm(x, axis=-1), "rotations keep the norm", FAR)
    ones = np.ones((2, 6))
    expect.holds(
        not np.allclose(grids.apply_rope_nd(ones, np.array([[1, 0], [0, 1]]), frequencies), ones), "one step rotates"
    )


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_only_features_decide_the_dtype(grids, rng):
    """float32 features give float32; float64 features and whole numbers give float64, regardless of the frequencies."""
    x, where, frequencies = normal(rng, 3, 8), rng.integers(10**4, 10**5, (3, 2)), rates(rng, 4, 2)
    expect.dtype(grids.apply_rope_nd, x.astype(np.float32), where, frequencies)
    expect.dtype(grids.apply_rope_nd, x, where, frequencies.astype(np.float32))
    expect.dtype(grids.apply_rope_nd, rng.integers(-9, 9, (3, 8)), where, frequencies)


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_rotating_leaves_its_arguments_alone(grids, rng):
    """apply_rope_nd does not modify x, positions or frequencies."""
    expect.unchanged(grids.apply_rope_nd, normal(rng, 2, 4, 6), rng.uniform(-9, 9, (4, 3)), rates(rng, 3, 3))


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_rotating_does_not_loop_over_tokens(grids):
    """All rows are rotated at once, without a loop."""
    expect.vectorised(grids.apply_rope_nd, lambda length: (features(length, 6), features(length, 2), features(3, 2)))


# grid_scores


@pytest.mark.question("grid_scores", points=0.5)
def test_scores_on_any_grid(grids, rng):
    """More keys than queries, leading axes and any number of coordinates are allowed."""
    for lead, tq, tk, d, axes in (((), 4, 7, 8, 2), ((2, 3), 5, 2, 6, 3), ((3,), 1, 6, 4, 1)):
        q, k = normal(rng, *lead, tq, d), normal(rng, *lead, tk, d)
        where = rng.uniform(-20, 20, (tq, axes)), rng.uniform(-20, 20, (tk, axes))
        expect.matches(grids.grid_scores, q, k, *where, rates(rng, d // 2, axes))


@pytest.mark.question("grid_scores", points=0.75)
@given(
    seed=seeds(),
    shift=st.tuples(positions(), positions()),
    offset=st.tuples(st.integers(-30, 30), st.integers(-30, 30)),
)
def test_scores_depend_on_differences_alone(grids, seed, shift, offset):
    """Wherever the query and the key are, the score equals that of a query at (0, 0) and a key at the difference
    between their coordinates."""
    q, k, frequencies = (
        features(1, 6, seed=seed),
        features(1, 6, seed=seed + 1),
        np.array([[1.0, 0.3], [0.1, 0.7], [0.02, 0.0]]),
    )
    shift, offset = np.array([shift]), np.array([offset])
    score = grids.grid_scores(q, k, shift, shift + offset, frequencies)
    from_zero = grids.grid_scores(q, k, 0 * shift, offset, frequencies)
    expect.close(score, from_zero, "the score depends only on the difference of the coordinates", FAR)
    turn = np.exp(1j * (offset @ frequencies.T))
    pairs = (q[:, 0::2] - 1j * q[:, 1::2]) * (k[:, 0::2] + 1j * k[:, 1::2]) * turn
    expect.close(
        score,
        pairs.sum(axis=1, keepdims=True).real / np.sqrt(6),
        "each pair rotates by the angle of the difference",
        FAR,
    )


@pytest.mark.question("grid_scores", points=0.25)
def test_a_key_does_not_serve_several_positions(grids):
    """Every query and key needs its own coordinates and features: a single row shared by several raises a
    ValueError."""
    q, k, where, frequencies = features(3, 4), features(5, 4), features(5, 2), features(2, 2)
    expect.answers(grids.grid_scores, q, k, where[:3], where, frequencies)
    expect.raises(ValueError, grids.grid_scores, q, k, where[:3], where[:1], frequencies)
    expect.raises(ValueError, grids.grid_scores, q, k[:, :1], where[:3], where, frequencies)
    expect.raises(ValueError, grids.grid_scores, q, k[:1], where[:3], where, frequencies)


# mrope_positions


@pytest.mark.question("mrope_positions", points=0.75)
def test_positions_of_any_sequence(grids, rng):
    """Text, images and videos can come in any order and shape, even directly one after another."""
    for _ in range(4):
        n, m = (int(number) for number in rng.integers(1, 7, 2))
        image, video = tuple(int(side) for side in rng.integers(1, 6, 3)), (6, 2, 3)
        expect.matches(grids.mrope_positions, [n, image, m])
        expect.matches(grids.mrope_positions, [image, n, video, (1, m, 9), 1])
    expect.matches(grids.mrope_positions, [70_000, (1, 2, 2), 3])


@pytest.mark.question("mrope_positions", points=0.5)
def test_text_counts_on_after_an_image(grids, rng):
    """A text token has three equal coordinates; an image with h rows and w columns moves later text by max(h, w),
    not by h·w; an empty text changes nothing."""
    before, height, width, after = (int(number) for number in rng.integers(2, 9, 4))
    where = grids.mrope_positions([before, (1, height, width), after])
    expect.close(np.shape(where), (before + height * width + after, 3), "the shape")
    start = before + max(height, width)
    count = np.arange(before), np.arange(start, start + after)
    expect.close(
        where[:before], np.repeat(count[0][:, np.newaxis], 3, axis=1), "text counts 0, 1, 2, … on all three axes"
    )
    expect.close(
        where[-after:], np.repeat(count[1][:, np.newaxis], 3, axis=1), "text continues at 1 + the largest coordinate"
    )
    expect.close(
        where[before:-after].max(axis=0),
        before + np.array([0, height - 1, width - 1]),
        "a cell adds its own coordinates",
    )
    expect.matches(grids.mrope_positions, [0, before, 0, (1, height, width), 0, after])


@pytest.mark.question("mrope_positions", points=0.25)
def test_segments_do_not_loop_over_cells(grids):
    """A loop over segments is allowed; a loop over tokens or cells is not."""
    expect.vectorised(grids.mrope_positions, lambda length: ([length, (1, length, 3), 2],))
    expect.vectorised(grids.mrope_positions, lambda length: ([2, (length, 2, 3), (2, 3, length)],))


# next_position


@pytest.mark.question("next_position", points=0.25)
def test_next_position_of_any_sequence(grids, rng):
    """The next position is 1 + the largest coordinate, or 0 before the first token."""
    for height in (1, 4, 9):
        where = rng.integers(0, 5 * height, (height, 3))
        expect.close(
            grids.next_position(where), int(where.max()) + 1, "the next position is 1 + the largest coordinate"
        )
    expect.matches(grids.next_position, np.zeros((0, 3), dtype=np.int64))
    for large in (127, 255, 32_767, 65_535):
        expect.matches(grids.next_position, np.full((1, 3), large))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "tokens_of_a_16_by_16_image",
        "position_of_text_after_it",
        "text_under_mrope_is_plain_rope",
        "axial_rope_sees_diagonals_in_one_pair",
    ],
)
def test_answer(grids, key):
    """Every question has one correct answer."""
    expect.answer(grids, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key", ["fourth_corner_of_the_cross", "old_position_of_new_cell_3", "next_position_after_two_images"]
)
def test_practice_answer(grids, key):
    """This question is for practice and earns no points."""
    expect.answer(grids, key)
