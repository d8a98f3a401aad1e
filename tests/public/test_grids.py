"""Public tests for grids: each function's example and values, and the arguments that it must reject.

Each test's docstring states the rule that the test checks. The expected values are in `expected/grids.json`.
"""

import numpy as np
import pytest
from hypothesis import given

from autograder.checks import expect
from autograder.checks.inputs import case, features, positions, seeds

# grid_positions


@pytest.mark.question("grid_positions", points=0.25)
def test_positions_of_two_rows_and_three_columns(grids):
    """The example lists two rows of three columns, row by row."""
    expected = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])
    expect.close(grids.grid_positions(2, 3), expected, "grid_positions(2, 3)")
    expect.answers(grids.grid_positions, 3, 5)


@pytest.mark.question("grid_positions", points=0.25)
def test_grid_positions(grids):
    """Cell r is in row r // width and column r % width; the coordinates are int64."""
    expect.matches(grids.grid_positions, 3, 5)
    expect.matches(grids.grid_positions, 4, 1)
    expect.matches(grids.grid_positions, 3, 3)


# sinusoidal_2d


@pytest.mark.question("sinusoidal_2d", points=0.3125)
def test_sinusoids_of_two_cells(grids):
    """In the example, two cells side by side have the same y but different x."""
    expected = np.array([[0, 1, 0, 1], [0, 1, np.sin(1), np.cos(1)]])
    expect.close(grids.sinusoidal_2d(1, 2, 4), expected, "sinusoidal_2d(1, 2, 4)")
    expect.answers(grids.sinusoidal_2d, 2, 3, 8)


@pytest.mark.question("sinusoidal_2d", points=0.375)
def test_sinusoidal_2d(grids):
    """The first d/2 features encode y, and the last d/2 encode x, each as an encoding of size d/2."""
    expect.matches(grids.sinusoidal_2d, 3, 5, 8)
    expect.matches(grids.sinusoidal_2d, 6, 2, 12, base=300.0)


# resize_grid


@pytest.mark.question("resize_grid", points=0.25)
def test_two_cells_become_four(grids):
    """In the example, the new centres are at −1/4, 1/4, 3/4 and 5/4 of the old cells, and the outer two are
    clamped to the border."""
    expected = np.array([[0.0], [2.0], [6.0], [8.0]])
    expect.close(
        grids.resize_grid(np.array([[0], [8]]), (1, 2), (1, 4)), expected, "resize_grid([[0], [8]], (1, 2), (1, 4))"
    )
    expect.answers(grids.resize_grid, np.array([[0], [8]]), (1, 2), (2, 3))


@pytest.mark.question("resize_grid", points=0.5)
def test_resize_grid(grids):
    """resize_grid interpolates bilinearly between cell centres, for larger or smaller grids, each axis by its own
    factor."""
    expect.matches(grids.resize_grid, features(15, 4), (3, 5), (7, 6))
    expect.matches(grids.resize_grid, features(28, 2), (4, 7), (3, 2))


@pytest.mark.question("resize_grid", points=0.25)
def test_an_unchanged_shape_changes_nothing(grids):
    """Resizing a table to its own shape changes nothing. Rows that are equal along x stay equal along x, and they
    still differ along y."""
    table = features(10, 3)
    expect.close(grids.resize_grid(table, (2, 5), (2, 5)), table, "the same shape gives the same table")
    even = np.reshape(grids.resize_grid(np.repeat(table[:2], 5, axis=0), (2, 5), (4, 3)), (4, 3, 3))
    expect.close(even, np.repeat(even[:, :1], 3, axis=1), "rows that are equal along x stay equal along x")
    expect.holds(not np.allclose(even[0], even[-1]), "rows that differ along y differ along y")
    expect.answers(grids.resize_grid, table, (2, 5), (4, 3))


# axial_frequencies


@pytest.mark.question("axial_frequencies", points=0.1875)
def test_axial_frequencies_of_eight_features(grids):
    """The example has two pairs for y, then two pairs for x, with the same frequencies."""
    expected = np.array([[1, 0], [0.01, 0], [0, 1], [0, 0.01]])
    expect.close(grids.axial_frequencies(8), expected, "axial_frequencies(8)")
    expect.answers(grids.axial_frequencies, 12)


@pytest.mark.question("axial_frequencies", points=0.25)
def test_axial_frequencies(grids):
    """The first half of the pairs rotates with y, the second half with x, both by base^(−4i/d)."""
    expect.matches(grids.axial_frequencies, 12)
    expect.matches(grids.axial_frequencies, 20, base=700.0)


# alternating_frequencies


@pytest.mark.question("alternating_frequencies", points=0.1875)
def test_alternating_frequencies_of_eight_features(grids):
    """In the example, RoPE's four frequencies alternate between y and x."""
    expected = np.array([[1, 0], [0, 0.1], [0.01, 0], [0, 0.001]])
    expect.close(grids.alternating_frequencies(8), expected, "alternating_frequencies(8)")
    expect.answers(grids.alternating_frequencies, 12)


@pytest.mark.question("alternating_frequencies", points=0.25)
def test_alternating_frequencies(grids):
    """Pair i rotates by base^(−2i/d); even pairs rotate with y, and odd pairs with x."""
    expect.matches(grids.alternating_frequencies, 12)
    expect.matches(grids.alternating_frequencies, 20, base=700.0)


# mrope_frequencies


@pytest.mark.question("mrope_frequencies", points=0.3125)
def test_mrope_frequencies_of_eight_features(grids):
    """The example has the same four frequencies in both forms, consecutive sections and interleaved."""
    sections = np.array([[1, 0, 0], [0.1, 0, 0], [0, 0.01, 0], [0, 0, 0.001]])
    interleaved = np.array([[1, 0, 0], [0, 0.1, 0], [0, 0, 0.01], [0.001, 0, 0]])
    expect.close(grids.mrope_frequencies(8, (2, 1, 1)), sections, "mrope_frequencies(8, (2, 1, 1))")
    expect.close(grids.mrope_frequencies(8, (2, 1, 1), interleaved=True), interleaved, "the same, interleaved")


@pytest.mark.question("mrope_frequencies", points=0.25)
def test_mrope_frequencies_in_sections(grids):
    """Pair i rotates by base^(−2i/d): the first section rotates with t, the next with h, and the last with w."""
    expect.matches(grids.mrope_frequencies, 22, (2, 4, 5))
    expect.matches(grids.mrope_frequencies, 12, (3, 1, 2), base=700.0)


@pytest.mark.question("mrope_frequencies", points=0.375)
def test_mrope_frequencies_interleaved(grids):
    """In the interleaved form, the axes take turns in the order t, h, w; once h or w has all its pairs, t takes
    its turns."""
    expect.matches(grids.mrope_frequencies, 24, (5, 4, 3), interleaved=True)
    expect.matches(grids.mrope_frequencies, 18, (4, 2, 3), base=700.0, interleaved=True)


# apply_rope_nd


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_two_pairs_at_row_2_and_column_1(grids):
    """In the example, pair 0 rotates by 2 radians and pair 1 by half a radian."""
    rotated = grids.apply_rope_nd(np.array([[1, 0, 1, 0]]), np.array([[2, 1]]), np.array([[1, 0], [0, 0.5]]))
    expected = np.array([[np.cos(2), np.sin(2), np.cos(0.5), np.sin(0.5)]])
    expect.close(rotated, expected, "the pairs (1, 0) and (1, 0) at row 2 and column 1")
    expect.answers(grids.apply_rope_nd, features(3, 2), features(3, 1, seed=1), features(1, 1, seed=2))


@pytest.mark.question("apply_rope_nd", points=0.5)
def test_apply_rope_nd(grids):
    """Pair i of row t rotates by the sum of positions[t, a] · frequencies[i, a] over all axes a."""
    expect.matches(grids.apply_rope_nd, features(5, 8), features(5, 2, seed=1), features(4, 2, seed=2))
    expect.matches(
        grids.apply_rope_nd,
        features(2, 3, 4, 6),
        np.array([[7, 0, 2], [0, 1, 1], [3, 3, 3], [-1, 9, 4]]),
        features(3, 3),
    )


@pytest.mark.question("apply_rope_nd", points=0.25)
@given(seed=seeds(), y=positions(100), x=positions(100))
def test_rotating_on_a_grid_keeps_the_norm(grids, seed, y, x):
    """A rotation keeps the length of a row; cell (0, 0) changes nothing, but cell (1, 2) changes every pair."""
    row, frequencies = features(1, 8, seed=seed), np.array([[1.0, 0.0], [0.0, 0.3], [0.2, 0.1], [0.01, 0.7]])
    rotated = grids.apply_rope_nd(row, np.array([[y, x]]), frequencies)
    expect.close(np.linalg.norm(rotated), np.linalg.norm(row), "the norm of a row stays the same")
    expect.close(grids.apply_rope_nd(row, np.array([[0, 0]]), frequencies), row, "the cell (0, 0) rotates nothing")
    moved = grids.apply_rope_nd(1 + np.abs(row), np.array([[1, 2]]), frequencies)
    expect.holds(not np.allclose(moved, 1 + np.abs(row)), "the cell (1, 2) rotates every pair")


@pytest.mark.question("apply_rope_nd", points=0.25)
def test_every_token_has_coordinates(grids):
    """Every row needs its own coordinates, and every pair its own frequencies; any other number of rows raises a
    ValueError."""
    expect.answers(grids.apply_rope_nd, features(5, 6), features(5, 2), features(3, 2))
    expect.raises(ValueError, grids.apply_rope_nd, features(5, 6), features(4, 2), features(3, 2))
    expect.raises(ValueError, grids.apply_rope_nd, features(5, 6), features(5, 2), features(4, 2))


# grid_scores


@pytest.mark.question("grid_scores", points=0.25)
def test_a_score_by_hand(grids):
    """In the example, the query rotates by 3.5 radians and the key by 2, so their score is cos(1.5)/√2."""
    q, frequencies = np.array([[1, 0]]), np.array([[1, 0.5]])
    score = grids.grid_scores(q, q, np.array([[3, 1]]), np.array([[1, 2]]), frequencies)
    expect.close(score, np.array([[np.cos(1.5) / np.sqrt(2)]]), "the score of (3, 1) and (1, 2)")
    expect.answers(grids.grid_scores, q, features(3, 2), np.array([[3, 1]]), features(3, 2), frequencies)


@pytest.mark.question("grid_scores", points=0.25)
def test_grid_scores(grids):
    """The scores are the rotated queries times the rotated keys, divided by √d."""
    q, k = features(4, 6), features(5, 6, seed=1)
    expect.matches(grids.grid_scores, q, k, features(4, 2, seed=2), features(5, 2, seed=3), features(3, 2, seed=4))
    q, k, where = features(2, 3, 4), features(2, 3, 4, seed=1), np.array([[5, 1, 0], [0, 2, 7], [3, 3, 3]])
    expect.matches(grids.grid_scores, q, k, where, where[::-1], features(2, 3, seed=4))


@pytest.mark.question("grid_scores", points=0.5)
@given(seed=seeds(), down=positions(50), right=positions(50))
def test_scores_depend_on_the_difference_of_the_coordinates(grids, seed, down, right):
    """If query and key move by the same rows and columns, their score does not change; in the same cell, it
    is the plain score."""
    q, k, frequencies = features(1, 4, seed=seed), features(1, 4, seed=seed + 1), np.array([[1.0, 0.3], [0.1, 0.7]])
    here, there, shift = np.array([[2, 5]]), np.array([[4, 1]]), np.array([[down, right]])
    score = grids.grid_scores(q, k, here, there, frequencies)
    moved = grids.grid_scores(q, k, here + shift, there + shift, frequencies)
    expect.close(moved, score, "moving query and key together does not change the score")
    expect.close(
        grids.grid_scores(q, k, shift, shift, frequencies), q @ k.T / 2, "in the same cell, it is the plain score"
    )
    row = 1 + np.abs(q)
    farther = grids.grid_scores(row, row, here, there, frequencies)
    expect.holds(not np.allclose(farther, row @ row.T / 2), "in another cell, a row's score with itself is lower")


# mrope_positions


@pytest.mark.question("mrope_positions", points=0.25)
def test_two_words_an_image_and_a_word(grids):
    """In the example, the image starts where the next word would be, and the word after the image follows the
    image's largest coordinate."""
    expected = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3], [4, 4, 4]])
    expect.close(grids.mrope_positions([2, (1, 2, 2), 1]), expected, "mrope_positions([2, (1, 2, 2), 1])")
    expect.answers(grids.mrope_positions, [4])


@pytest.mark.question("mrope_positions", points=0.25)
def test_no_loop_over_cells(grids):
    """A loop over segments is allowed; a loop over cells is not."""
    expect.vectorised(grids.mrope_positions, lambda length: ([length, (1, length, 3), 2],))


@pytest.mark.question("mrope_positions", points=0.5)
def test_mrope_positions(grids):
    """Every segment starts at 1 + the largest coordinate so far; each cell adds its own coordinates to the start."""
    expect.matches(grids.mrope_positions, [3, (1, 2, 5), 4])
    expect.matches(grids.mrope_positions, [(2, 4, 3), 2, (1, 3, 1), 1])


# next_position


@pytest.mark.question("next_position", points=0.25)
def test_next_position_by_hand(grids):
    """In the example, the position is 1 + the largest coordinate, or 0 if there is no token yet."""
    where = np.array([[0, 0, 0], [1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2]])
    expect.close(grids.next_position(where), 3, "the largest coordinate is 2, so the next position is 3")
    expect.close(grids.next_position(np.zeros((0, 3), dtype=np.int64)), 0, "the first token is at 0")


@pytest.mark.question("next_position", points=0.25)
def test_next_position(grids):
    """The largest coordinate counts, on any axis and in any row."""
    expect.matches(grids.next_position, np.array([[0, 0, 0], [1, 7, 1], [1, 1, 2]]))
    expect.matches(grids.next_position, np.array([[5, 2, 3], [4, 4, 4]]))


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("sinusoidal_2d", 2, 3, 8),
        case("axial_frequencies", 12),
        case("alternating_frequencies", 12),
        case("mrope_frequencies", 12, (1, 2, 3)),
    ],
)
def test_tables_are_float64(grids, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(grids, function), *arguments)
