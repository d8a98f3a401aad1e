"""Grids, the full suite: values on the term's inputs, dtype, arguments, errors, loops, and the properties at any
position.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.

Tolerance at large coordinates: as in the suite of RoPE, FAR allows some hundred times the rounding of an angle in
float64 near position 10⁶. Angles in float32 are off by 0.06 there.
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
    """Frequencies of every pair along every axis, from fast to slow."""
    return rng.uniform(0, 1, (pairs, axes)) * 10.0 ** -rng.uniform(0, 3, (pairs, 1))


def one_axis(head_dim, base=10000.0):
    """The frequencies of plain RoPE, written here and not asked of the submission."""
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


# grid_positions


@pytest.mark.question("grid_positions", points=0.25)
@given(height=SIDES, width=SIDES)
@example(height=4, width=4)
def test_cells_are_counted_row_by_row(grids, height, width):
    """y · width + x is the number of the cell, and both coordinates stay inside the grid."""
    where = grids.grid_positions(height, width)
    expect.close(np.shape(where), (height * width, 2), "the shape")
    expect.close(where @ np.array([width, 1]), np.arange(height * width), "y · width + x counts the cells")
    expect.close(where[-1], np.array([height - 1, width - 1]), "the last cell is in the last row and the last column")


@pytest.mark.question("grid_positions", points=0.125)
def test_grids_have_sides(grids):
    """Both sides are at least 1."""
    expect.answers(grids.grid_positions, 1, 1)
    expect.raises(ValueError, grids.grid_positions, 3, 0, mentions=0)
    expect.raises(ValueError, grids.grid_positions, -2, 3, mentions=-2)
    expect.raises(ValueError, grids.grid_positions, 0, 3, mentions=0)


@pytest.mark.question("grid_positions", points=0.25)
def test_grid_positions_do_not_loop_over_cells(grids):
    """numpy makes all cells at once."""
    expect.vectorised(grids.grid_positions, lambda length: (length, 5))
    expect.vectorised(grids.grid_positions, lambda length: (3, length))


# sinusoidal_2d


@pytest.mark.question("sinusoidal_2d", points=0.25)
def test_sinusoids_of_any_grid(grids, rng):
    """Every size that 4 divides, every grid, every base."""
    for height, width, d_model in ((1, 7, 4), (5, 3, 8), (2, 9, 20), (6, 1, 64)):
        expect.matches(grids.sinusoidal_2d, height, width, d_model)
        expect.matches(grids.sinusoidal_2d, height, width, d_model, float(rng.uniform(2, 1e5)))
    expect.matches(grids.sinusoidal_2d, 3, 4, 12, 0.7)


@pytest.mark.question("sinusoidal_2d", points=0.375)
@given(height=SIDES, width=SIDES, down=st.integers(0, 5), right=st.integers(0, 5))
def test_products_of_codes_depend_on_the_difference(grids, height, width, down, right):
    """The product of two cells' codes is Σ cos(ω·Δy) + Σ cos(ω·Δx), wherever the two stand."""
    codes = grids.sinusoidal_2d(height + down, width + right, 12)
    expect.close(np.shape(codes), ((height + down) * (width + right), 12), "the shape")
    codes = np.reshape(codes, (height + down, width + right, 12))
    products = np.sum(codes[down:, right:] * codes[:height, :width], axis=-1)
    expected = np.cos(down * one_axis(6)).sum() + np.cos(right * one_axis(6)).sum()
    expect.close(
        products, np.full((height, width), expected), "the product depends on the differences of y and of x alone"
    )


@pytest.mark.question("sinusoidal_2d", points=0.125)
def test_sinusoids_stay_float64(grids):
    """No feature array is given, so the result is float64, for a whole base too."""
    expect.dtype(grids.sinusoidal_2d, 3, 4, 8, 10000)


@pytest.mark.question("sinusoidal_2d", points=0.25)
def test_sinusoids_refuse_bad_arguments(grids):
    """Sizes that 4 does not divide, sides below 1 and bad bases are refused."""
    expect.answers(grids.sinusoidal_2d, 1, 3, 4)
    for d_model in (0, -4, 2, 7, 10):
        expect.raises(ValueError, grids.sinusoidal_2d, 2, 3, d_model, mentions=d_model)
    for base in (0.0, -10.0, np.inf, np.nan):
        expect.raises(ValueError, grids.sinusoidal_2d, 2, 3, 4, base, mentions=base)
    expect.raises(ValueError, grids.sinusoidal_2d, 2, -1, 4, mentions=-1)


@pytest.mark.question("sinusoidal_2d", points=0.25)
def test_sinusoids_do_not_loop_over_cells(grids):
    """numpy encodes all cells at once."""
    expect.vectorised(grids.sinusoidal_2d, lambda length: (length, 3, 8))
    expect.vectorised(grids.sinusoidal_2d, lambda length: (3, length, 8))


# resize_grid


@pytest.mark.question("resize_grid", points=0.5)
def test_resizing_between_any_shapes(grids, rng):
    """Larger, smaller, one of each, from and to a single row, column or cell."""
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
    """A table of equal rows gives equal rows, its own shape gives the table, and no value leaves the range of the
    table."""
    table = features(old[0] * old[1], 2, seed=seed)
    row = 3.0 + features(1, 2, seed=seed)
    even = grids.resize_grid(np.repeat(row, len(table), axis=0), old, new)
    expect.close(even, np.repeat(row, new[0] * new[1], axis=0), "equal rows give equal rows")
    expect.close(grids.resize_grid(table, old, old), table, "the same shape gives the same table")
    stretched = grids.resize_grid(table, old, new)
    along_y = np.reshape(grids.resize_grid(np.repeat(features(3, 2), 4, axis=0), (3, 4), (5, 6)), (5, 6, 2))
    expect.close(along_y, np.repeat(along_y[:, :1], 6, axis=1), "rows that are equal along x stay equal along x")
    inside = (stretched <= table.max(axis=0) + 1e-9) & (stretched >= table.min(axis=0) - 1e-9)
    expect.holds(np.all(inside), "every new value lies between old ones")
    expect.holds(not np.allclose(along_y[0], along_y[-1]), "rows that differ along y differ along y")


@pytest.mark.question("resize_grid", points=0.25)
def test_resizing_keeps_float32_alone(grids, rng):
    """float32 stays float32; whole numbers become float64."""
    expect.dtype(grids.resize_grid, normal(rng, 12, 5, dtype=np.float32), (4, 3), (6, 7))
    expect.dtype(grids.resize_grid, rng.integers(-9, 9, (6, 4)), (2, 3), (3, 5))


@pytest.mark.question("resize_grid", points=0.125)
def test_resizing_leaves_the_table_alone(grids, rng):
    """The table is left as it was, also where nothing is stretched."""
    expect.unchanged(grids.resize_grid, normal(rng, 10, 3), (2, 5), (4, 3))
    expect.unchanged(grids.resize_grid, normal(rng, 10, 3), (2, 5), (2, 5))


@pytest.mark.question("resize_grid", points=0.25)
def test_resizing_refuses_bad_shapes(grids):
    """Sides below 1, and a table with more or fewer rows than its grid has cells, are refused."""
    expect.answers(grids.resize_grid, features(8, 3), (4, 2), (3, 5))
    for new in ((0, 3), (3, -1)):
        expect.raises(ValueError, grids.resize_grid, features(8, 3), (4, 2), new, mentions=min(new))
    expect.raises(ValueError, grids.resize_grid, features(8, 3), (-4, -2), (3, 5), mentions=[-4, -2])
    expect.raises(ValueError, grids.resize_grid, features(8, 3), (4, 3), (3, 5), mentions=[(8, 3), (4, 3), 12])
    expect.raises(ValueError, grids.resize_grid, features(8, 3), (2, 2), (3, 5), mentions=[(8, 3), (2, 2), 4])
    expect.raises(ValueError, grids.resize_grid, features(1, 3), (4, 2), (3, 5), mentions=[(1, 3), (4, 2), 8])


@pytest.mark.question("resize_grid", points=0.25)
def test_resizing_does_not_loop_over_cells(grids):
    """numpy computes all new cells at once."""
    expect.vectorised(grids.resize_grid, lambda length: (features(6, 2), (2, 3), (length, 5)))
    expect.vectorised(grids.resize_grid, lambda length: (features(3 * length, 2), (length, 3), (4, length)))


# axial_frequencies, alternating_frequencies


@pytest.mark.question("axial_frequencies", points=0.375)
def test_axial_frequencies_of_any_size_and_base(grids, rng):
    """Both axes have the frequencies of a head of half the size, y in the first rows and x in the last."""
    for head_dim in (4, 12, 64, 80):
        expect.matches(grids.axial_frequencies, head_dim)
        for base in (float(rng.uniform(2, 1e6)), 0.5, 1.0):
            expect.matches(grids.axial_frequencies, head_dim, base)


@pytest.mark.question("axial_frequencies", points=0.25)
def test_axial_pairs_read_one_axis(grids):
    """No pair of axial frequencies rotates with both axes; they are float64."""
    found = grids.axial_frequencies(24)
    expect.close(np.shape(found), (12, 2), "the shape")
    expect.close(
        np.count_nonzero(found, axis=1), np.ones(12, dtype=np.int64), "each pair rotates with exactly one axis"
    )
    expect.close(found[:6, 0], found[6:, 1], "both axes have the same frequencies")
    expect.dtype(grids.axial_frequencies, 8, 10000)


@pytest.mark.question("axial_frequencies", points=0.125)
def test_axial_frequencies_refuse_bad_arguments(grids):
    """Sizes that 4 does not divide and bad bases are refused."""
    expect.answers(grids.axial_frequencies, 20)
    for head_dim in (0, -8, 6, 9):
        expect.raises(ValueError, grids.axial_frequencies, head_dim, mentions=head_dim)
    for base in (0.0, -3.0, np.inf, np.nan):
        expect.raises(ValueError, grids.axial_frequencies, 8, base, mentions=base)


@pytest.mark.question("alternating_frequencies", points=0.375)
def test_alternating_frequencies_of_any_size_and_base(grids, rng):
    """The frequencies of the whole head, even pairs for y and odd pairs for x."""
    for head_dim in (4, 12, 64, 80):
        expect.matches(grids.alternating_frequencies, head_dim)
        for base in (float(rng.uniform(2, 1e6)), 0.5, 1.0):
            expect.matches(grids.alternating_frequencies, head_dim, base)


@pytest.mark.question("alternating_frequencies", points=0.25)
def test_alternating_pairs_are_the_pairs_of_rope(grids):
    """The sum over both axes is RoPE's own list of frequencies; they are float64."""
    found = grids.alternating_frequencies(24)
    expect.close(np.shape(found), (12, 2), "the shape")
    expect.close(found.sum(axis=1), one_axis(24), "both columns together are RoPE's frequencies")
    expect.close(np.count_nonzero(found, axis=0), np.array([6, 6]), "each axis has half of the pairs")
    expect.dtype(grids.alternating_frequencies, 8, 10000)


@pytest.mark.question("alternating_frequencies", points=0.125)
def test_alternating_frequencies_refuse_bad_arguments(grids):
    """Sizes that 4 does not divide and bad bases are refused."""
    expect.answers(grids.alternating_frequencies, 20)
    for head_dim in (0, -8, 6, 9):
        expect.raises(ValueError, grids.alternating_frequencies, head_dim, mentions=head_dim)
    for base in (0.0, -3.0, np.inf, np.nan):
        expect.raises(ValueError, grids.alternating_frequencies, 8, base, mentions=base)


# mrope_frequencies


@pytest.mark.question("mrope_frequencies", points=0.25)
def test_sections_of_any_size(grids, rng):
    """Consecutive sections of the given sizes, any base, an odd number of pairs too."""
    for head_dim, sections in ((128, (16, 24, 24)), (14, (1, 2, 4)), (10, (3, 1, 1)), (26, (6, 5, 2))):
        expect.matches(grids.mrope_frequencies, head_dim, sections)
        expect.matches(grids.mrope_frequencies, head_dim, sections, float(rng.uniform(2, 1e6)))
    expect.matches(grids.mrope_frequencies, 14, [1, 2, 4], 0.5)


@pytest.mark.question("mrope_frequencies", points=0.375)
def test_interleaved_axes_of_any_size(grids, rng):
    """Every third pair for h and for w, as far as three times their section goes, and t elsewhere."""
    for head_dim, sections in ((128, (24, 20, 20)), (26, (8, 3, 2)), (22, (3, 2, 6)), (20, (1, 6, 3))):
        expect.matches(grids.mrope_frequencies, head_dim, sections, interleaved=True)
        expect.matches(grids.mrope_frequencies, head_dim, sections, float(rng.uniform(2, 1e6)), True)


@pytest.mark.question("mrope_frequencies", points=0.125)
def test_mrope_frequencies_are_float64(grids):
    """No feature array is given, so the result is float64, for a whole base too."""
    expect.dtype(grids.mrope_frequencies, 16, (3, 4, 1), 10000)


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


@pytest.mark.question("mrope_frequencies", points=0.25)
def test_mrope_frequencies_refuse_bad_arguments(grids):
    """Odd sizes, sections that do not add up or hold a negative number, and bad bases are refused."""
    expect.answers(grids.mrope_frequencies, 12, (2, 3, 1))
    expect.raises(ValueError, grids.mrope_frequencies, 11, (1, 2, 2), mentions=11)
    expect.raises(ValueError, grids.mrope_frequencies, 0, (0, 0, 0), mentions=0)
    expect.raises(ValueError, grids.mrope_frequencies, -2, (1, -1, -1), mentions=[-2, -1])
    for sections in ((2, 3, 2), (2, 2, 1), (4, 4, 4)):
        expect.raises(ValueError, grids.mrope_frequencies, 12, sections, mentions=[sections, sum(sections), 6])
        expect.raises(
            ValueError, grids.mrope_frequencies, 12, sections, interleaved=True, mentions=[sections, sum(sections), 6]
        )
    expect.raises(ValueError, grids.mrope_frequencies, 12, (4, 3, -1), mentions=-1)
    expect.raises(ValueError, grids.mrope_frequencies, 12, (-2, 3, 5), interleaved=True, mentions=-2)
    for base in (0.0, -3.0, np.inf, np.nan):
        expect.raises(ValueError, grids.mrope_frequencies, 12, (2, 3, 1), base, mentions=base)


# apply_rope_nd


@pytest.mark.question("apply_rope_nd", points=0.375)
def test_rotating_with_any_axes(grids, rng):
    """Any number of leading axes and of coordinates, one row or one pair as well as many, coordinates of any sign."""
    for shape, axes in (((6, 8), 2), ((3, 5, 4), 3), ((2, 1, 3, 2, 6), 1), ((1, 2), 4)):
        expect.matches(
            grids.apply_rope_nd,
            normal(rng, *shape),
            rng.uniform(-50, 50, (shape[-2], axes)),
            rates(rng, shape[-1] // 2, axes),
        )


@pytest.mark.question("apply_rope_nd", points=0.375)
@given(seed=seeds(), start=positions(10**4))
def test_equal_coordinates_are_plain_rope(grids, seed, start):
    """Where all coordinates of a token are equal, any way to give the pairs to the axes is plain RoPE."""
    x, theta = features(3, 12, seed=seed), one_axis(12)
    where = np.arange(start, start + 3)
    axis_of_pair = np.random.default_rng(seed).integers(0, 3, 6)
    rotated = grids.apply_rope_nd(
        x, np.repeat(where[:, np.newaxis], 3, axis=1), theta[:, np.newaxis] * np.eye(3)[axis_of_pair]
    )
    plain = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * np.outer(where, theta))
    expect.close(
        rotated, np.stack([plain.real, plain.imag], axis=-1).reshape(3, 12), "text is rotated as by plain RoPE", FAR
    )


@pytest.mark.question("apply_rope_nd", points=0.25)
@given(seed=seeds(), far=positions())
def test_rotations_on_a_grid_add_up(grids, seed, far):
    """Rotating to one cell and then by another is rotating by their sum, and every rotation keeps the norm."""
    x, frequencies = features(2, 6, seed=seed), 0.1 + np.abs(features(3, 2, seed=seed))
    first, second = np.array([[1, 3], [far, 2]]), np.array([[2, far], [5, 1]])
    once = grids.apply_rope_nd(x, first + second, frequencies)
    twice = grids.apply_rope_nd(grids.apply_rope_nd(x, first, frequencies), second, frequencies)
    expect.close(once, twice, "two rotations are one by the sum of the coordinates", FAR)
    expect.close(np.linalg.norm(once, axis=-1), np.linalg.norm(x, axis=-1), "rotations keep the norm", FAR)
    ones = np.ones((2, 6))
    expect.holds(
        not np.allclose(grids.apply_rope_nd(ones, np.array([[1, 0], [0, 1]]), frequencies), ones), "one step rotates"
    )


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_only_features_decide_the_dtype(grids, rng):
    """float32 features give float32; float64 and whole ones give float64, whatever the frequencies are."""
    x, where, frequencies = normal(rng, 3, 8), rng.integers(0, 9, (3, 2)), rates(rng, 4, 2)
    expect.dtype(grids.apply_rope_nd, x.astype(np.float32), where, frequencies)
    expect.dtype(grids.apply_rope_nd, x, where, frequencies.astype(np.float32))
    expect.dtype(grids.apply_rope_nd, rng.integers(-9, 9, (3, 8)), where, frequencies)


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_angles_on_a_grid_are_float64(grids, rng):
    """At large coordinates float32 features are still rotated by the right angle."""
    expect.matches(
        grids.apply_rope_nd,
        normal(rng, 4, 6, dtype=np.float32),
        rng.integers(10**5, 10**6, (4, 2)),
        rng.uniform(0.5, 1, (3, 2)),
    )


@pytest.mark.question("apply_rope_nd", points=0.125)
def test_rotating_leaves_its_arguments_alone(grids, rng):
    """x, positions and frequencies are left as they were."""
    expect.unchanged(grids.apply_rope_nd, normal(rng, 2, 4, 6), rng.uniform(-9, 9, (4, 3)), rates(rng, 3, 3))


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_rotating_refuses_bad_arguments(grids):
    """Odd sizes, coordinates or frequencies that do not fit, and NaN positions are refused."""
    x, where, frequencies = features(4, 6), features(4, 2), features(3, 2)
    expect.answers(grids.apply_rope_nd, x, where, frequencies)
    expect.raises(ValueError, grids.apply_rope_nd, features(4, 5), where, frequencies, mentions=[5])
    expect.raises(ValueError, grids.apply_rope_nd, features(4, 7), where, frequencies, mentions=[7])
    expect.raises(ValueError, grids.apply_rope_nd, x, features(1, 2), frequencies, mentions=[(1, 2), 1, 4])
    expect.raises(ValueError, grids.apply_rope_nd, x, features(5, 2), frequencies, mentions=[(5, 2), 5])
    expect.raises(ValueError, grids.apply_rope_nd, x, features(4), frequencies, mentions=[(4,), 1])
    expect.raises(ValueError, grids.apply_rope_nd, x, features(4, 3), frequencies, mentions=[(4, 3), (3, 2), 3])
    expect.raises(ValueError, grids.apply_rope_nd, x, features(4, 1), frequencies, mentions=[(4, 1), (3, 2), 1])
    expect.raises(ValueError, grids.apply_rope_nd, x, where, features(3, 1), mentions=[(3, 1), (4, 2), 1])
    expect.raises(ValueError, grids.apply_rope_nd, features(4, 4), where, features(2), mentions=[(2,), (4, 2)])
    expect.raises(
        ValueError, grids.apply_rope_nd, features(4, 4), features(4, 1), features(2), mentions=[(2,), (4, 1), (4, 4)]
    )
    expect.raises(ValueError, grids.apply_rope_nd, x, where, features(1, 2), mentions=[(1, 2), 1, 3])
    expect.raises(ValueError, grids.apply_rope_nd, x, where, features(6, 2), mentions=[(6, 2), 6])
    expect.raises(ValueError, grids.apply_rope_nd, x, where + np.array([np.nan, 0]), frequencies, mentions="nan")


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_rotating_does_not_loop_over_tokens(grids):
    """numpy rotates all rows at once."""
    expect.vectorised(grids.apply_rope_nd, lambda length: (features(length, 6), features(length, 2), features(3, 2)))


# grid_scores


@pytest.mark.question("grid_scores", points=0.25)
def test_scores_on_any_grid(grids, rng):
    """More keys than queries, leading axes, any number of coordinates."""
    for lead, tq, tk, d, axes in (((), 4, 7, 8, 2), ((2, 3), 5, 2, 6, 3), ((3,), 1, 6, 4, 1)):
        q, k = normal(rng, *lead, tq, d), normal(rng, *lead, tk, d)
        where = rng.uniform(-20, 20, (tq, axes)), rng.uniform(-20, 20, (tk, axes))
        expect.matches(grids.grid_scores, q, k, *where, rates(rng, d // 2, axes))


@pytest.mark.question("grid_scores", points=0.5)
@given(
    seed=seeds(),
    shift=st.tuples(positions(), positions()),
    offset=st.tuples(st.integers(-30, 30), st.integers(-30, 30)),
)
def test_scores_depend_on_differences_alone(grids, seed, shift, offset):
    """The score is that of a query at (0, 0) and a key at the difference of the coordinates, wherever the two stand."""
    q, k, frequencies = (
        features(1, 6, seed=seed),
        features(1, 6, seed=seed + 1),
        np.array([[1.0, 0.3], [0.1, 0.7], [0.02, 0.0]]),
    )
    shift, offset = np.array([shift]), np.array([offset])
    score = grids.grid_scores(q, k, shift, shift + offset, frequencies)
    from_zero = grids.grid_scores(q, k, 0 * shift, offset, frequencies)
    expect.close(score, from_zero, "the score depends on the difference of the coordinates alone", FAR)
    turn = np.exp(1j * (offset @ frequencies.T))
    pairs = (q[:, 0::2] - 1j * q[:, 1::2]) * (k[:, 0::2] + 1j * k[:, 1::2]) * turn
    expect.close(
        score,
        pairs.sum(axis=1, keepdims=True).real / np.sqrt(6),
        "each pair is rotated by the angle of the difference",
        FAR,
    )


@pytest.mark.question("grid_scores", points=0.125)
def test_score_dtype(grids, rng):
    """float32 only where queries and keys both are."""
    q, k, where, frequencies = (
        normal(rng, 3, 4, dtype=np.float32),
        normal(rng, 5, 4, dtype=np.float32),
        rng.integers(0, 9, (5, 2)),
        rates(rng, 2, 2),
    )
    expect.dtype(grids.grid_scores, q, k, where[:3], where, frequencies)
    expect.dtype(grids.grid_scores, q, k.astype(np.float64), where[:3], where, frequencies.astype(np.float32))
    expect.dtype(grids.grid_scores, q.astype(np.float64), k, where[:3], where, frequencies)


@pytest.mark.question("grid_scores", points=0.125)
def test_scoring_leaves_its_arguments_alone(grids, rng):
    """Queries, keys, positions and frequencies are left as they were."""
    expect.unchanged(
        grids.grid_scores,
        normal(rng, 2, 3, 4),
        normal(rng, 2, 5, 4),
        normal(rng, 3, 2),
        normal(rng, 5, 2),
        rates(rng, 2, 2),
    )


@pytest.mark.question("grid_scores", points=0.25)
def test_scores_refuse_bad_arguments(grids):
    """Sizes, coordinates and frequencies that do not fit, and NaN positions, are refused."""
    q, k, where, frequencies = features(3, 4), features(5, 4), features(5, 2), features(2, 2)
    expect.answers(grids.grid_scores, q, k, where[:3], where, frequencies)
    expect.raises(ValueError, grids.grid_scores, q, features(5, 8), where[:3], where, frequencies, mentions=[8, 4, 2])
    expect.raises(ValueError, grids.grid_scores, q, features(5, 1), where[:3], where, frequencies, mentions=[1, 4, 2])
    expect.raises(ValueError, grids.grid_scores, q, k, where[:4], where, frequencies, mentions=[(4, 2), (3, 4), 4])
    expect.raises(ValueError, grids.grid_scores, q, k, where[:3], where[:1], frequencies, mentions=[(1, 2), (5, 4), 1])
    expect.raises(ValueError, grids.grid_scores, q, k, where[:3], where, features(3, 2), mentions=[(3, 2), 3])
    expect.raises(ValueError, grids.grid_scores, q, k, where[:3], where * np.nan, frequencies, mentions="nan")


@pytest.mark.question("grid_scores", points=0.25)
def test_scores_do_not_loop_over_tokens(grids):
    """numpy scores all pairs of cells at once."""
    expect.vectorised(
        grids.grid_scores,
        lambda length: (features(length, 4), features(length, 4, seed=1), *2 * [features(length, 2)], features(2, 2)),
    )


# mrope_positions


@pytest.mark.question("mrope_positions", points=0.375)
def test_positions_of_any_sequence(grids, rng):
    """Text, images and videos in any order, wide, high and long ones, touching ones too."""
    for _ in range(4):
        n, m = (int(number) for number in rng.integers(1, 7, 2))
        image, video = tuple(int(side) for side in rng.integers(1, 6, 3)), (6, 2, 3)
        expect.matches(grids.mrope_positions, [n, image, m])
        expect.matches(grids.mrope_positions, [image, n, video, (1, m, 9), 1])


@pytest.mark.question("mrope_positions", points=0.25)
def test_text_counts_on_after_an_image(grids, rng):
    """Text has three equal coordinates; after an image of h rows and w columns it goes on max(h, w) further, not
    h·w; a text without a token moves nothing."""
    before, height, width, after = (int(number) for number in rng.integers(2, 9, 4))
    where = grids.mrope_positions([before, (1, height, width), after])
    expect.close(np.shape(where), (before + height * width + after, 3), "the shape")
    start = before + max(height, width)
    count = np.arange(before), np.arange(start, start + after)
    expect.close(
        where[:before], np.repeat(count[0][:, np.newaxis], 3, axis=1), "text counts 0, 1, 2, … on all three axes"
    )
    expect.close(
        where[-after:], np.repeat(count[1][:, np.newaxis], 3, axis=1), "text goes on at 1 + the largest coordinate"
    )
    expect.close(
        where[before:-after].max(axis=0),
        before + np.array([0, height - 1, width - 1]),
        "a cell adds its own coordinates",
    )
    expect.matches(grids.mrope_positions, [0, before, 0, (1, height, width), 0, after])


@pytest.mark.question("mrope_positions", points=0.125)
def test_coordinates_are_int64(grids):
    """Coordinates are whole numbers, int64."""
    expect.dtype(grids.mrope_positions, [2, (2, 3, 4), 1])
    expect.dtype(grids.mrope_positions, [5])


@pytest.mark.question("mrope_positions", points=0.25)
def test_segments_refuse_bad_sizes(grids):
    """Negative texts, and images or videos with a side below 1, are refused wherever they stand."""
    expect.answers(grids.mrope_positions, [1, (2, 3, 2), 4])
    expect.raises(ValueError, grids.mrope_positions, [-4, 3], mentions=-4)
    expect.raises(ValueError, grids.mrope_positions, [2, -1], mentions=-1)
    for image in ((0, 2, 3), (1, -2, 3), (1, 2, 0), (-1, -2, 3)):
        expect.raises(ValueError, grids.mrope_positions, [1, image, 2], mentions=[side for side in image if side < 1])


@pytest.mark.question("mrope_positions", points=0.25)
def test_segments_do_not_loop_over_cells(grids):
    """A loop over segments is fine, a loop over tokens or cells is not."""
    expect.vectorised(grids.mrope_positions, lambda length: ([length, (1, length, 3), 2],))
    expect.vectorised(grids.mrope_positions, lambda length: ([2, (length, 2, 3), (2, 3, length)],))


# next_position


@pytest.mark.question("next_position", points=0.25)
def test_next_position_of_any_sequence(grids, rng):
    """1 + the largest coordinate of all, and 0 before the first token."""
    for height in (1, 4, 9):
        where = rng.integers(0, 5 * height, (height, 3))
        expect.close(
            grids.next_position(where), int(where.max()) + 1, "the next position is 1 + the largest coordinate"
        )
    expect.matches(grids.next_position, np.zeros((0, 3), dtype=np.int64))


@pytest.mark.question("next_position", points=0.125)
def test_next_position_does_not_loop_over_tokens(grids):
    """numpy finds the largest coordinate at once."""
    expect.vectorised(grids.next_position, lambda length: (np.arange(3 * length).reshape(length, 3),))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.125)
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
    """Every question has one right answer."""
    expect.answer(grids, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key", ["fourth_corner_of_the_cross", "old_position_of_new_cell_3", "next_position_after_two_images"]
)
def test_practice_answer(grids, key):
    """A question for practice: no points."""
    expect.answer(grids, key)
