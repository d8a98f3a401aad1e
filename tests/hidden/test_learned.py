"""Hidden tests for learned positions: this term's values, dtype, arguments, errors, loops, and the properties of
a table.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

READS = st.lists(st.integers(0, 4), min_size=1, max_size=8)


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


# init_table


@pytest.mark.question("init_table", points=0.5)
def test_init_table_of_any_size(learned, rng):
    """The table is correct for any seed, any std and any size of at least 1, even an odd one."""
    for max_len, d_model in ((1, 1), (1, 6), (7, 1), (5, 3)):
        expect.matches(learned.init_table, max_len, d_model, int(rng.integers(2**31)))
    expect.matches(learned.init_table, 6, 4, int(rng.integers(2**31)), float(rng.uniform(0.1, 2)))
    expect.matches(learned.init_table, 3, 4, int(rng.integers(2**31)))


# lookup


@pytest.mark.question("lookup", points=0.5)
def test_lookup_of_positions_of_any_shape(learned, rng):
    """Positions can be a number or an array of any shape, repeated and in any order, from the first row to the last."""
    table = normal(rng, 7, 3)
    for shape in ((5,), (1,), (2, 4), (2, 1, 3)):
        expect.matches(learned.lookup, table, rng.integers(0, 7, shape))
    expect.matches(learned.lookup, table, 0)
    expect.matches(learned.lookup, table, 6)
    expect.matches(learned.lookup, table[:1], np.array([0, 0]))
    expect.matches(learned.lookup, table[:, :1], np.array([6, 2]))
    expect.matches(
        learned.lookup, np.arange(33_000, dtype=np.float32)[:, np.newaxis], np.array([127, 128, 255, 256, 32_768])
    )


@pytest.mark.question("lookup", points=0.25)
def test_lookup_does_not_loop_over_positions(learned):
    """All rows are looked up at once, without a loop."""
    expect.vectorised(learned.lookup, lambda length: (features(5, 3), 2 * np.arange(length) % 5))


@pytest.mark.question("lookup", points=0.75)
@given(seed=seeds(), reads=READS)
def test_reading_is_multiplying_by_one_hot_vectors(learned, seed, reads):
    """Looking up a row is the same as multiplying the table by a one-hot vector."""
    table = features(5, 3, seed=seed)
    one_hot = np.eye(5)[reads]
    expect.close(learned.lookup(table, np.array(reads)), one_hot @ table, "the row of each position")


# embed


@pytest.mark.question("embed", points=0.5)
def test_embed_with_any_leading_axes(learned, rng):
    """Any leading axes and any number of tokens are allowed, up to the last row of the position table."""
    tokens, places = normal(rng, 9, 4), normal(rng, 6, 4)
    for shape in ((4,), (1,), (6,), (6, 2), (3, 6), (2, 1, 5), (3, 3, 3)):
        expect.matches(learned.embed, tokens, places, rng.integers(0, 9, shape))
    expect.matches(learned.embed, normal(rng, 2, 1), normal(rng, 1, 1), np.array([[0], [1]]))
    expect.matches(learned.embed, normal(rng, 300, 1), normal(rng, 300, 1), rng.permutation(300))
    expect.matches(learned.embed, np.ones((2, 1)), np.arange(70_000.0)[:, np.newaxis], np.arange(70_000) % 2)


@pytest.mark.question("embed", points=0.25)
def test_embed_does_not_loop_over_tokens(learned):
    """All tokens are embedded at once, without a loop."""
    expect.vectorised(learned.embed, lambda length: (features(5, 3), features(length, 3), np.arange(length) % 5))


@pytest.mark.question("embed", points=0.75)
@given(seed=seeds(), ids=st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_what_is_added_is_the_row_of_the_place(learned, seed, ids):
    """Subtracting each token's row from the result leaves the rows of the position table, in order."""
    tokens, places = features(5, 3, seed=seed), features(6, 3, seed=seed + 1)
    left = learned.embed(tokens, places, np.array(ids)) - tokens[ids]
    expect.close(left, places[: len(ids)], "token row plus position row")


# lookup_gradient


@pytest.mark.question("lookup_gradient", points=1.0)
def test_lookup_gradient_of_positions_of_any_shape(learned, rng):
    """Positions can be a number or an array of any shape; in a batch, all sequences add to the same rows."""
    for shape in ((), (1,), (6,), (2, 5), (2, 1, 3)):
        expect.matches(learned.lookup_gradient, (4, 3), rng.integers(0, 4, shape), normal(rng, *shape, 3))
    expect.matches(learned.lookup_gradient, (4, 2), 3, normal(rng, 2))
    expect.matches(learned.lookup_gradient, (1, 1), np.array([0, 0]), normal(rng, 2, 1))
    expect.matches(learned.lookup_gradient, (6, 4), np.tile(np.arange(6), (3, 1)), normal(rng, 3, 6, 4))
    expect.matches(learned.lookup_gradient, (300, 1), np.array([0, 128, 256, 256]), normal(rng, 4, 1, dtype=np.float32))


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_does_not_loop_over_positions(learned):
    """The gradients of all positions are added up at once, without a loop."""
    expect.vectorised(learned.lookup_gradient, lambda length: ((5, 3), np.arange(length) % 5, features(length, 3)))


@pytest.mark.question("lookup_gradient", points=1.5)
@given(seed=seeds(), reads=READS, row=st.integers(0, 4), feature=st.integers(0, 2))
def test_gradient_is_what_the_loss_changes_by(learned, seed, reads, row, feature):
    """If one number in the table changes slightly, the loss changes by that change times the number's gradient,
    even if the row was read often."""
    table, grad_output = features(5, 3, seed=seed), features(len(reads), 3, seed=seed + 1)
    nudged = table.copy()
    nudged[row, feature] += 1
    change = np.sum((nudged[reads] - table[reads]) * grad_output)
    gradient = learned.lookup_gradient((5, 3), np.array(reads), grad_output)
    expect.close(gradient[row, feature], change, "the change in the loss for a nudge of 1")
    expect.close(np.sum(gradient), np.sum(grad_output), "no gradient is lost on the way back")


# sgd_step


@pytest.mark.question("sgd_step", points=0.75)
@given(seed=seeds(), untouched=st.integers(0, 3), rate=st.sampled_from([0.5, 0.125, 2.0]))
def test_a_row_without_gradient_stays(learned, seed, untouched, rate):
    """A row whose gradient is zero does not change; every other row moves against its gradient."""
    table, gradient = features(4, 3, seed=seed), 1 + features(4, 3, seed=seed + 1) ** 2
    gradient[untouched] = 0
    stepped = learned.sgd_step(table, gradient, rate)
    expect.close(stepped[untouched], table[untouched], "a row without a gradient", tolerance=0.0)
    expect.close((table - stepped) / rate, gradient, "the step subtracts the learning rate times the gradient")


# trained_rows


@pytest.mark.question("trained_rows", points=0.5)
def test_trained_rows_of_any_lengths(learned, rng):
    """Any number of lengths is allowed, in any order, up to the whole table."""
    for max_len in (1, 5, 12):
        expect.matches(learned.trained_rows, max_len, rng.integers(1, max_len + 1, 4))
        expect.matches(learned.trained_rows, max_len, np.array([1]))
        expect.matches(learned.trained_rows, max_len, np.array([1, max_len]))
    expect.matches(learned.trained_rows, 70_000, np.array([300, 32_800, 65_600]))
    expect.matches(learned.trained_rows, 9, rng.integers(1, 8, 5))


@pytest.mark.question("trained_rows", points=0.25)
def test_trained_rows_does_not_loop_over_rows(learned):
    """All rows are computed at once, without a loop."""
    expect.vectorised(learned.trained_rows, lambda length: (length, np.array([2, length // 2])))


@pytest.mark.question("trained_rows", points=0.75)
@given(lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4))
def test_trained_rows_are_those_that_were_read(learned, lengths):
    """The trained rows are the union of all sequences' positions."""
    positions = np.concatenate([np.arange(length) for length in lengths])
    trained = learned.trained_rows(7, np.array(lengths))
    expect.close(trained, np.isin(np.arange(7), positions), "a row is trained if some sequence has that position")


# resize_table


@pytest.mark.question("resize_table", points=0.75)
def test_resize_table_to_any_length(learned, rng):
    """All rows are interpolated at once, without a loop."""
    for rows, new_len in ((5, 8), (5, 3), (5, 5), (2, 7), (9, 2), (6, 1), (1, 1), (1, 4)):
        expect.matches(learned.resize_table, normal(rng, rows, 3), new_len)
    expect.matches(learned.resize_table, normal(rng, 4, 1), 7)
    expect.matches(learned.resize_table, normal(rng, 300, 1), 2100)


@pytest.mark.question("resize_table", points=0.25)
def test_resize_table_does_not_loop_over_rows(learned):
    """All new rows are computed at once, without a loop."""
    expect.vectorised(learned.resize_table, lambda length: (features(length, 3), 2 * length - 3))


@pytest.mark.question("resize_table", points=1.0)
@given(seed=seeds(), rows=st.integers(2, 7), new_len=st.integers(2, 12))
def test_resizing_keeps_a_straight_line(learned, seed, rows, new_len):
    """Rows on a straight line stay on it, evenly spaced; if a table is stretched by a whole factor, its old rows
    remain."""
    start, end = features(2, 3, seed=seed)
    line = np.linspace(start, end, rows)
    expect.close(learned.resize_table(line, new_len), np.linspace(start, end, new_len), "a straight line of rows")
    table = features(rows, 3, seed=seed)
    expect.close(
        learned.resize_table(table, 3 * rows - 2)[::3], table, "every third row of a table stretched threefold"
    )


# Rules of lesson 1 for every function, and the end of a table


@pytest.mark.question("sgd_step", points=0.25)
def test_arguments_stay_as_they_are(learned, rng):
    """sgd_step returns a new table and leaves the old table unchanged."""
    expect.unchanged(learned.sgd_step, normal(rng, 5, 4), normal(rng, 5, 4), float(rng.uniform(0.01, 1)))


@pytest.mark.question("embed", points=0.25)
def test_embed_refuses_a_text_that_is_too_long(learned):
    """For four tokens, a position table with three rows, or with one, raises a ValueError."""
    tokens, places = features(7, 2), features(3, 2)
    expect.answers(learned.embed, tokens, places, np.zeros((5, 3), dtype=np.int64))
    expect.raises(ValueError, learned.embed, tokens, places, np.arange(4))
    expect.raises(ValueError, learned.embed, tokens, places[:1], np.arange(4))


@pytest.mark.question("lookup_gradient", points=0.25)
def test_gradients_fit_the_positions(learned):
    """grad_output has one row for each position: a single row for three positions raises a ValueError,
    although numpy would repeat it."""
    expect.answers(learned.lookup_gradient, (4, 2), np.array([0, 3, 0]), features(3, 2))
    expect.raises(ValueError, learned.lookup_gradient, (4, 2), np.array([0, 3, 0]), features(1, 2))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize("key", ["rows_available_at_position_1024", "parameters_gpt2", "has_built_in_distance"])
def test_answer(learned, key):
    """Every question has one correct answer."""
    expect.answer(learned, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["gradients_added_to_row_63", "gradients_added_to_row_64", "old_position_of_new_row_3"])
def test_practice_answer(learned, key):
    """This question is for practice and earns no points."""
    expect.answer(learned, key)
