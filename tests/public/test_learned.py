"""Public tests for learned positions: the values of each function, both ends of the table, and the rows that
gradients reach.

Each test's docstring states the rule that the test checks. The expected values are in `expected/learned.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features, seeds


@pytest.mark.question("init_table", points=0.4375)
def test_init_table(learned):
    """The table has one row per position; default_rng(seed) draws all its numbers from N(0, std²) in one call."""
    expect.matches(learned.init_table, 4, 3, 0)
    expect.matches(learned.init_table, 3, 4, 7, std=0.5)


@pytest.mark.question("init_table", points=0.25)
def test_init_table_repeats_itself(learned):
    """The same seed gives the same table, and another seed gives a different table."""
    table = learned.init_table(5, 2, 11)
    expect.close(table, learned.init_table(5, 2, 11), "seed 11 gives the same table twice")
    expect.holds(np.ndim(table) == 2 and np.isfinite(table).all(), "a table has rows of numbers")
    expect.holds(not np.allclose(table, learned.init_table(5, 2, 12)), "seeds 11 and 12 give different tables")


@pytest.mark.question("lookup", points=0.5)
def test_lookup(learned):
    """lookup returns the row for each position, for positions of any shape, even a single number."""
    expect.matches(learned.lookup, np.array([[0.0, 0.0], [1.0, 10.0], [2.0, 20.0]]), np.array([2, 0, 2]))
    expect.matches(learned.lookup, features(6, 3), np.array([[5, 0, 1], [1, 1, 4]]))
    expect.matches(learned.lookup, features(4, 5), 3)


@pytest.mark.question("embed", points=0.25)
def test_embed_by_hand(learned):
    """embed adds the token row and the position row, so a token's results at two positions differ only by the
    position rows."""
    tokens, places = np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([[10.0, 0.0], [20.0, 5.0], [30.0, 0.0]])
    expected = np.array([[12.0, 2.0], [22.0, 7.0]])
    expect.close(learned.embed(tokens, places, np.array([1, 1])), expected, "token 1 at positions 0 and 1")


@pytest.mark.question("embed", points=0.75)
def test_embed(learned):
    """Every sequence starts at position 0, for any number of leading axes."""
    expect.matches(learned.embed, features(5, 4), features(6, 4, seed=1), np.array([4, 0, 0, 2]))
    expect.matches(learned.embed, features(5, 3), features(8, 3, seed=1), np.array([[0, 1, 2], [4, 4, 4]]))


@pytest.mark.question("lookup_gradient", points=0.75)
def test_lookup_gradient_by_hand(learned):
    """A row that was read twice gets both gradients, and a row that was not read gets zero."""
    gradient = learned.lookup_gradient((3, 2), np.array([0, 2, 0]), np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 5.0]]))
    expect.close(gradient, np.array([[3.0, 5.0], [0.0, 0.0], [0.0, 1.0]]), "row 0 was read twice, row 1 never")


@pytest.mark.question("lookup_gradient", points=0.5)
def test_lookup_gradient(learned):
    """The gradient of row r is the sum of all gradients of position r."""
    expect.matches(learned.lookup_gradient, (4, 3), np.array([1, 1, 1, 3, 0]), features(5, 3))
    expect.matches(learned.lookup_gradient, (5, 2), np.array([[0, 1, 2], [0, 1, 2]]), features(2, 3, 2))


@pytest.mark.question("lookup_gradient", points=1.0)
@given(seed=seeds(), reads=st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_gradient_goes_back_where_it_came_from(learned, seed, reads):
    """The loss changes by the change in the table times its gradient, because lookup_gradient is the
    transpose of lookup."""
    table, grad_output = features(4, 2, seed=seed), features(len(reads), 2, seed=seed + 1)
    gradient = learned.lookup_gradient((4, 2), np.array(reads), grad_output)
    expect.close(np.sum(table * gradient), np.sum(table[reads] * grad_output), f"the gradient for positions {reads}")
    read = np.isin(np.arange(4), reads)
    expect.close(gradient[~read], np.zeros((4 - read.sum(), 2)), f"rows never read, for positions {reads}")


@pytest.mark.question("sgd_step", points=0.25)
def test_sgd_step_by_hand(learned):
    """The new table is table − learning_rate · gradient."""
    table, gradient = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), np.array([[3.0, 5.0], [0.0, 0.0], [0.0, 1.0]])
    expected = np.array([[0.7, 0.5], [2.0, 2.0], [3.0, 2.9]])
    expect.close(learned.sgd_step(table, gradient, 0.1), expected, "the lesson's step with learning rate 0.1")


@pytest.mark.question("sgd_step", points=0.5)
def test_sgd_step(learned):
    """sgd_step subtracts the learning rate times the gradient from the table."""
    expect.matches(learned.sgd_step, features(4, 3), features(4, 3, seed=1), 0.25)


@pytest.mark.question("trained_rows", points=0.5)
def test_trained_rows_by_hand(learned):
    """A sequence of length n trains rows 0 to n − 1."""
    expected = np.array([True, True, True, False, False])
    expect.close(learned.trained_rows(5, np.array([2, 3])), expected, "lengths 2 and 3 in a table of five rows")


@pytest.mark.question("trained_rows", points=0.5)
def test_trained_rows(learned):
    """Only the longest sequence matters, regardless of the order of the lengths; the result is boolean."""
    expect.matches(learned.trained_rows, 8, np.array([1, 6, 2, 6]))
    expect.dtype(learned.trained_rows, 4, np.array([4]))


@pytest.mark.question("resize_table", points=0.5)
def test_resize_table_by_hand(learned):
    """Three rows stretched to five keep the first, middle and last row; each new row is the average of its
    two neighbours."""
    table = np.array([[0.0, 0.0], [2.0, 10.0], [4.0, 30.0]])
    expected = np.array([[0.0, 0.0], [1.0, 5.0], [2.0, 10.0], [3.0, 20.0], [4.0, 30.0]])
    expect.close(learned.resize_table(table, 5), expected, "three rows stretched to five")


@pytest.mark.question("resize_table", points=0.5)
def test_resize_table(learned):
    """The new positions are spread evenly over the old ones, from the first to the last, even if the table shrinks."""
    expect.matches(learned.resize_table, features(4, 3), 6)
    expect.matches(learned.resize_table, features(7, 2), 3)
    expect.matches(learned.resize_table, features(5, 2), 1)


@pytest.mark.question("resize_table", points=0.25)
@given(seed=seeds(), rows=st.integers(2, 6), new_len=st.integers(2, 9))
def test_resizing_keeps_the_ends(learned, seed, rows, new_len):
    """The first and last rows are kept, and resizing a table to its own length changes nothing."""
    table = features(rows, 2, seed=seed)
    resized = learned.resize_table(table, new_len)
    expect.close(np.shape(resized), (new_len, 2), f"{rows} rows resized to {new_len}")
    expect.close(resized[[0, -1]], table[[0, -1]], f"first and last row of {rows} resized to {new_len}")
    expect.close(learned.resize_table(table, rows), table, f"{rows} rows resized to {rows}")


# Rules of lesson 1 for every function, and the end of a table


@pytest.mark.question("lookup", points=0.25)
def test_dtype(learned):
    """A float32 table gives float32 rows; lists of whole numbers give float64."""
    expect.dtype(learned.lookup, features(3, 2, dtype=np.float32), np.array([2, 0]))
    expect.dtype(learned.lookup, [[0, 0], [1, 10], [2, 20]], [2, 0, 2])


@pytest.mark.question("lookup", points=0.25)
def test_lookup_before_the_start(learned):
    """Position −1 raises an IndexError; it does not mean the last row."""
    expect.answers(learned.lookup, features(3, 2), np.array([0, 2]))
    expect.raises(IndexError, learned.lookup, features(3, 2), np.array([0, -1]))


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("init_table", 3, 2, 7),
    ],
)
def test_tables_are_float64(learned, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(learned, function), *arguments)
