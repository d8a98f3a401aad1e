"""Learned positions, the full suite: values on the term's inputs, dtype, arguments, errors, loops, and what a table
must do.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.
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
    """Any size from 1 on, an odd one too, any seed, any std; in float64."""
    for max_len, d_model in ((1, 1), (1, 6), (7, 1), (5, 3)):
        expect.matches(learned.init_table, max_len, d_model, int(rng.integers(2**31)))
    expect.matches(learned.init_table, 6, 4, int(rng.integers(2**31)), float(rng.uniform(0.1, 2)))
    expect.dtype(learned.init_table, 3, 4, int(rng.integers(2**31)))


@pytest.mark.question("init_table", points=0.375)
def test_init_table_refuses_bad_sizes(learned):
    """A table has at least one row and one feature."""
    learned.init_table(1, 1, 3)
    for size in (0, -3):
        expect.raises(ValueError, learned.init_table, size, 4, 5, mentions=size)
        expect.raises(ValueError, learned.init_table, 4, size, 5, mentions=size)


@pytest.mark.question("init_table", points=0.25)
def test_init_table_does_not_loop_over_rows(learned):
    """numpy draws the whole table at once."""
    expect.vectorised(learned.init_table, lambda length: (length, 3, 5))


# lookup


@pytest.mark.question("lookup", points=0.5)
def test_lookup_of_positions_of_any_shape(learned, rng):
    """Positions are a number or an array of any shape, repeated and unordered; the first and the last row can be
    read."""
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
def test_lookup_dtype(learned, rng):
    """float32 stays float32; everything else becomes float64."""
    table = normal(rng, 4, 3)
    expect.dtype(learned.lookup, table.astype(np.float32), np.array([1, 3]))
    expect.dtype(learned.lookup, table, np.array([1, 3]))
    expect.dtype(learned.lookup, np.arange(12).reshape(4, 3), np.array([1, 3]))


@pytest.mark.question("lookup", points=0.25)
def test_lookup_leaves_its_arguments_alone(learned, rng):
    """Table and positions do not change."""
    expect.unchanged(learned.lookup, normal(rng, 5, 4), rng.integers(0, 5, (2, 3)))


@pytest.mark.question("lookup", points=0.5)
def test_lookup_refuses_rows_that_are_not_there(learned):
    """A position past either end is an IndexError that names it, also among good ones."""
    table = features(4, 3)
    learned.lookup(table, np.array([0, 3]))
    for position in (-1, -4, -5, 4, 5, 100):
        expect.raises(IndexError, learned.lookup, table, np.array([[0, 1], [position, 3]]), mentions=position)
        expect.raises(IndexError, learned.lookup, table, position, mentions=position)
    expect.raises(IndexError, learned.lookup, features(1, 3), np.array([1]), mentions=1)


@pytest.mark.question("lookup", points=0.25)
def test_lookup_does_not_loop_over_positions(learned):
    """numpy reads all rows at once."""
    expect.vectorised(learned.lookup, lambda length: (features(5, 3), 2 * np.arange(length) % 5))


@pytest.mark.question("lookup", points=0.25)
@given(seed=seeds(), reads=READS)
def test_reading_is_multiplying_by_one_hot_vectors(learned, seed, reads):
    """Looking up a row is multiplying the table by a one-hot vector."""
    table = features(5, 3, seed=seed)
    one_hot = np.eye(5)[reads]
    expect.close(learned.lookup(table, np.array(reads)), one_hot @ table, "the row of each position")


# embed


@pytest.mark.question("embed", points=0.5)
def test_embed_with_any_leading_axes(learned, rng):
    """Any number of leading axes, one token as well as many, up to the last row of the position table."""
    tokens, places = normal(rng, 9, 4), normal(rng, 6, 4)
    for shape in ((4,), (1,), (6,), (6, 2), (3, 6), (2, 1, 5), (3, 3, 3)):
        expect.matches(learned.embed, tokens, places, rng.integers(0, 9, shape))
    expect.matches(learned.embed, normal(rng, 2, 1), normal(rng, 1, 1), np.array([[0], [1]]))
    expect.matches(learned.embed, normal(rng, 300, 1), normal(rng, 300, 1), rng.permutation(300))


@pytest.mark.question("embed", points=0.25)
def test_embed_dtype(learned, rng):
    """float32 where both tables are; everything else becomes float64."""
    tokens, places, ids = normal(rng, 5, 4), normal(rng, 6, 4), rng.integers(0, 5, (2, 3))
    expect.dtype(learned.embed, tokens.astype(np.float32), places.astype(np.float32), ids)
    expect.dtype(learned.embed, tokens.astype(np.float32), places, ids)
    expect.dtype(learned.embed, tokens, places.astype(np.float32), ids)
    expect.dtype(learned.embed, np.arange(20).reshape(5, 4), np.arange(24).reshape(6, 4), ids)


@pytest.mark.question("embed", points=0.25)
def test_embed_leaves_its_arguments_alone(learned, rng):
    """Both tables and the tokens do not change."""
    expect.unchanged(learned.embed, normal(rng, 5, 4), normal(rng, 6, 4), rng.integers(0, 5, (2, 3)))


@pytest.mark.question("embed", points=0.375)
def test_embed_refuses_a_text_that_is_too_long(learned):
    """A sequence may be as long as the position table and no longer, also a table of one row; the message names both
    numbers."""
    tokens, places = features(7, 2), features(3, 2)
    learned.embed(tokens, places, np.zeros((5, 3), dtype=np.int64))
    for ids in (np.arange(4), np.zeros((2, 4), dtype=np.int64), np.arange(7)):
        for rows in (places, places[:1]):
            expect.raises(ValueError, learned.embed, tokens, rows, ids, mentions=(ids.shape[-1], len(rows)))


@pytest.mark.question("embed", points=0.125)
def test_embed_refuses_tokens_that_are_not_there(learned):
    """A token past either end of the token table is an IndexError, as in lookup."""
    tokens, places = features(5, 2), features(3, 2)
    expect.answers(learned.embed, tokens, places, np.array([[0, 4], [4, 0]]))
    for token in (-1, -5, -6, 5, 100):
        expect.raises(IndexError, learned.embed, tokens, places, np.array([[0, 4], [token, 0]]), mentions=token)


@pytest.mark.question("embed", points=0.25)
def test_embed_refuses_tables_of_different_width(learned):
    """Token rows and position rows have the same number of features."""
    learned.embed(features(5, 4), features(6, 4), np.array([0, 1]))
    for width in (3, 1):
        mentions = [(5, 4), (6, width), 4, width]
        expect.raises(
            ValueError, learned.embed, features(5, 4), features(6, width), np.array([0, 1]), mentions=mentions
        )
        mentions = [(5, width), (6, 4), 4, width]
        expect.raises(
            ValueError, learned.embed, features(5, width), features(6, 4), np.array([0, 1]), mentions=mentions
        )


@pytest.mark.question("embed", points=0.25)
def test_embed_does_not_loop_over_tokens(learned):
    """numpy embeds all tokens at once."""
    expect.vectorised(learned.embed, lambda length: (features(5, 3), features(length, 3), np.arange(length) % 5))


@pytest.mark.question("embed", points=0.25)
@given(seed=seeds(), ids=st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_what_is_added_is_the_row_of_the_place(learned, seed, ids):
    """Row t minus its token row is row t of the position table."""
    tokens, places = features(5, 3, seed=seed), features(6, 3, seed=seed + 1)
    left = learned.embed(tokens, places, np.array(ids)) - tokens[ids]
    expect.close(left, places[: len(ids)], "token row plus position row")


# lookup_gradient


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_of_positions_of_any_shape(learned, rng):
    """Positions are a number or an array of any shape; in a batch every sequence adds to the same rows."""
    for shape in ((), (1,), (6,), (2, 5), (2, 1, 3)):
        expect.matches(learned.lookup_gradient, (4, 3), rng.integers(0, 4, shape), normal(rng, *shape, 3))
    expect.matches(learned.lookup_gradient, (4, 2), 3, normal(rng, 2))
    expect.matches(learned.lookup_gradient, (1, 1), np.array([0, 0]), normal(rng, 2, 1))
    expect.matches(learned.lookup_gradient, (6, 4), np.tile(np.arange(6), (3, 1)), normal(rng, 3, 6, 4))
    expect.matches(learned.lookup_gradient, (300, 1), np.array([0, 128, 256, 256]), normal(rng, 4, 1, dtype=np.float32))


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_dtype(learned, rng):
    """float32 stays float32; everything else becomes float64."""
    positions, grad_output = np.array([1, 3, 1]), normal(rng, 3, 2)
    expect.dtype(learned.lookup_gradient, (4, 2), positions, grad_output.astype(np.float32))
    expect.dtype(learned.lookup_gradient, (4, 2), positions, grad_output)
    expect.dtype(learned.lookup_gradient, (4, 2), positions, np.arange(6).reshape(3, 2))


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_leaves_its_arguments_alone(learned, rng):
    """Positions and grad_output do not change."""
    expect.unchanged(learned.lookup_gradient, (5, 4), rng.integers(0, 5, (2, 3)), normal(rng, 2, 3, 4))


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_refuses_rows_that_are_not_there(learned):
    """A position past either end is an IndexError, as in lookup."""
    learned.lookup_gradient((4, 2), np.array([0, 3]), features(2, 2))
    for position in (-1, -5, 4, 9):
        expect.raises(
            IndexError, learned.lookup_gradient, (4, 2), np.array([0, position]), features(2, 2), mentions=position
        )


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_refuses_shapes_that_do_not_fit(learned):
    """grad_output has one row for each position, as wide as the table, also where numpy would broadcast it."""
    table_shape, positions = (4, 2), np.array([0, 3, 0])
    learned.lookup_gradient(table_shape, positions, features(3, 2))
    for shape in ((3, 3), (3, 1), (1, 2), (2,), (2, 2), (3,), (1, 3, 2)):
        mentions = [shape, positions.shape, table_shape, (3, 2), *shape]
        expect.raises(ValueError, learned.lookup_gradient, table_shape, positions, features(*shape), mentions=mentions)


@pytest.mark.question("lookup_gradient", points=0.25)
def test_lookup_gradient_does_not_loop_over_positions(learned):
    """numpy adds up all positions at once."""
    expect.vectorised(learned.lookup_gradient, lambda length: ((5, 3), np.arange(length) % 5, features(length, 3)))


@pytest.mark.question("lookup_gradient", points=0.5)
@given(seed=seeds(), reads=READS, row=st.integers(0, 4), feature=st.integers(0, 2))
def test_gradient_is_what_the_loss_changes_by(learned, seed, reads, row, feature):
    """If one number of the table changes a little, the loss changes by its gradient times that, also if the row was
    read often."""
    table, grad_output = features(5, 3, seed=seed), features(len(reads), 3, seed=seed + 1)
    nudged = table.copy()
    nudged[row, feature] += 1
    change = np.sum((nudged[reads] - table[reads]) * grad_output)
    gradient = learned.lookup_gradient((5, 3), np.array(reads), grad_output)
    expect.close(gradient[row, feature], change, "the change of the loss for a nudge of 1")
    expect.close(np.sum(gradient), np.sum(grad_output), "no gradient is lost on the way back")


# sgd_step


@pytest.mark.question("sgd_step", points=0.25)
def test_sgd_step_dtype(learned, rng):
    """float32 where table and gradient are, whatever kind of number the rate is; everything else becomes float64."""
    table, gradient = normal(rng, 3, 2), normal(rng, 3, 2)
    expect.dtype(learned.sgd_step, table.astype(np.float32), gradient.astype(np.float32), np.float64(0.1))
    expect.dtype(learned.sgd_step, table.astype(np.float32), gradient.astype(np.float32), 0.1)
    expect.dtype(learned.sgd_step, table.astype(np.float32), gradient, 0.1)
    expect.dtype(learned.sgd_step, table, gradient.astype(np.float32), 0.1)
    expect.dtype(learned.sgd_step, np.arange(6).reshape(3, 2), np.arange(6).reshape(3, 2), 1)


@pytest.mark.question("sgd_step", points=0.25)
def test_sgd_step_leaves_its_arguments_alone(learned, rng):
    """The step is a new table: the old one and the gradient do not change."""
    expect.unchanged(learned.sgd_step, normal(rng, 5, 4), normal(rng, 5, 4), float(rng.uniform(0.01, 1)))
    expect.unchanged(learned.sgd_step, normal(rng, 5, 4, dtype=np.float32), normal(rng, 5, 4, dtype=np.float32), 0.5)


@pytest.mark.question("sgd_step", points=0.25)
def test_sgd_step_refuses_shapes_that_do_not_fit(learned):
    """Table and gradient have the same shape, also where numpy would broadcast them."""
    learned.sgd_step(features(3, 2), features(3, 2), 0.1)
    for shape in ((2, 3), (3, 1), (1, 2), (2,), (4, 2), (1, 3, 2)):
        expect.raises(
            ValueError, learned.sgd_step, features(3, 2), features(*shape), 0.1, mentions=[shape, (3, 2), *shape]
        )
    expect.raises(ValueError, learned.sgd_step, features(1, 2), features(3, 2), 0.1, mentions=[(1, 2), (3, 2), 1, 3])


@pytest.mark.question("sgd_step", points=0.25)
def test_sgd_step_does_not_loop_over_rows(learned):
    """numpy steps all rows at once."""
    expect.vectorised(learned.sgd_step, lambda length: (features(length, 3), features(length, 3, seed=1), 0.5))


@pytest.mark.question("sgd_step", points=0.25)
@given(seed=seeds(), untouched=st.integers(0, 3), rate=st.sampled_from([0.5, 0.125, 2.0]))
def test_a_row_without_gradient_stays(learned, seed, untouched, rate):
    """A row whose gradient is zero does not change; every other row moves against its gradient."""
    table, gradient = features(4, 3, seed=seed), 1 + features(4, 3, seed=seed + 1) ** 2
    gradient[untouched] = 0
    stepped = learned.sgd_step(table, gradient, rate)
    expect.close(stepped[untouched], table[untouched], "a row without a gradient", tolerance=0.0)
    expect.close((table - stepped) / rate, gradient, "what the step takes away is learning rate times gradient")


# trained_rows


@pytest.mark.question("trained_rows", points=0.25)
def test_trained_rows_of_any_lengths(learned, rng):
    """Any number of lengths in any order, up to the whole table."""
    for max_len in (1, 5, 12):
        expect.matches(learned.trained_rows, max_len, rng.integers(1, max_len + 1, 4))
        expect.matches(learned.trained_rows, max_len, np.array([1]))
        expect.matches(learned.trained_rows, max_len, np.array([1, max_len]))
    expect.matches(learned.trained_rows, 33_000, np.array([300, 32_800]))
    expect.unchanged(learned.trained_rows, 9, rng.integers(1, 8, 5))


@pytest.mark.question("trained_rows", points=0.25)
def test_trained_rows_dtype(learned):
    """Each row is trained or it is not: the result is boolean."""
    expect.dtype(learned.trained_rows, 6, np.array([2, 4]))


@pytest.mark.question("trained_rows", points=0.25)
def test_trained_rows_refuses_bad_arguments(learned):
    """A table without rows, a negative length and one above the rows of the table are refused."""
    learned.trained_rows(1, np.array([1]))
    for max_len in (0, -2):
        expect.raises(ValueError, learned.trained_rows, max_len, np.array([1]), mentions=max_len)
        # A sequence without tokens fits even such a table: it is the table that is refused.
        expect.raises(ValueError, learned.trained_rows, max_len, np.array([0]), mentions=[max_len, 0])
    for length in (-1, -7):
        expect.raises(ValueError, learned.trained_rows, 5, np.array([2, length, 3]), mentions=length)
    for length in (6, 50):
        expect.raises(ValueError, learned.trained_rows, 5, np.array([5, length, 3]), mentions=length)


@pytest.mark.question("trained_rows", points=0.25)
def test_trained_rows_does_not_loop_over_rows(learned):
    """numpy decides for all rows at once."""
    expect.vectorised(learned.trained_rows, lambda length: (length, np.array([2, length // 2])))


@pytest.mark.question("trained_rows", points=0.25)
@given(lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4))
def test_trained_rows_are_those_that_were_read(learned, lengths):
    """The trained rows are the positions of all the sequences together."""
    positions = np.concatenate([np.arange(length) for length in lengths])
    trained = learned.trained_rows(7, np.array(lengths))
    expect.close(trained, np.isin(np.arange(7), positions), "a row is trained where some sequence has that position")


# resize_table


@pytest.mark.question("resize_table", points=0.5)
def test_resize_table_to_any_length(learned, rng):
    """Stretched or shrunk to any length, also from a single row; for one row the result is the first row."""
    for rows, new_len in ((5, 8), (5, 3), (5, 5), (2, 7), (9, 2), (6, 1), (1, 1), (1, 4)):
        expect.matches(learned.resize_table, normal(rng, rows, 3), new_len)
    expect.matches(learned.resize_table, normal(rng, 4, 1), 7)
    expect.matches(learned.resize_table, normal(rng, 300, 1), 2100)


@pytest.mark.question("resize_table", points=0.25)
def test_resize_table_dtype(learned, rng):
    """float32 stays float32; everything else becomes float64."""
    table = normal(rng, 4, 3)
    expect.dtype(learned.resize_table, table.astype(np.float32), 7)
    expect.dtype(learned.resize_table, table, 7)
    expect.dtype(learned.resize_table, np.arange(12).reshape(4, 3), 7)


@pytest.mark.question("resize_table", points=0.25)
def test_resize_table_leaves_its_arguments_alone(learned, rng):
    """The table does not change."""
    expect.unchanged(learned.resize_table, normal(rng, 4, 3), 6)
    expect.unchanged(learned.resize_table, normal(rng, 4, 3), 4)


@pytest.mark.question("resize_table", points=0.25)
def test_resize_table_refuses_bad_lengths(learned):
    """A table is resized to at least one row."""
    learned.resize_table(features(4, 3), 1)
    for new_len in (0, -1, -4):
        expect.raises(ValueError, learned.resize_table, features(4, 3), new_len, mentions=new_len)


@pytest.mark.question("resize_table", points=0.25)
def test_resize_table_does_not_loop_over_rows(learned):
    """numpy mixes all rows at once."""
    expect.vectorised(learned.resize_table, lambda length: (features(length, 3), 2 * length - 3))


@pytest.mark.question("resize_table", points=0.25)
@given(seed=seeds(), rows=st.integers(2, 7), new_len=st.integers(2, 12))
def test_resizing_keeps_a_straight_line(learned, seed, rows, new_len):
    """Rows on a straight line stay on it, evenly spaced; a table stretched by whole steps gives its own rows back."""
    start, end = features(2, 3, seed=seed)
    line = np.linspace(start, end, rows)
    expect.close(learned.resize_table(line, new_len), np.linspace(start, end, new_len), "a straight line of rows")
    table = features(rows, 3, seed=seed)
    expect.close(
        learned.resize_table(table, 3 * rows - 2)[::3], table, "every third row of a table stretched threefold"
    )


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.125)
@pytest.mark.parametrize("key", ["rows_available_at_position_1024", "parameters_gpt2", "has_built_in_distance"])
def test_answer(learned, key):
    """Every question has one right answer."""
    expect.answer(learned, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["gradients_added_to_row_63", "gradients_added_to_row_64", "old_position_of_new_row_3"])
def test_practice_answer(learned, key):
    """A question for practice: no points."""
    expect.answer(learned, key)
