"""Known mistakes with learned positions: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import another_correct_way, mistake, without_effect
from solutions import learned


def mixed(table, where):
    """Table read at fractional row numbers, for entries with incorrect row numbers."""
    table = np.asarray(table)
    where = np.clip(where, 0, len(table) - 1)
    below = np.floor(where).astype(np.int64)
    above = np.minimum(below + 1, len(table) - 1)
    fraction = (where - below)[:, np.newaxis]
    resized = (1 - fraction) * table[below] + fraction * table[above]
    return resized.astype(table.dtype if table.dtype == np.float32 else np.float64)


@mistake("init_table", "llm-random/llm-random #508 (standard deviation and variance confused)")
def variance_for_standard_deviation(max_len, d_model, seed, std=0.02):
    """Your numbers are too small: you passed std², the variance. The rule: the generator expects std, the standard
    deviation."""
    return learned.init_table(max_len, d_model, seed, std**2)


@mistake("init_table", "expected: PyTorch's nn.Embedding starts from N(0, 1) unless told otherwise")
def table_without_its_std(max_len, d_model, seed, std=0.02):
    """You drew from N(0, 1), so with std = 0.02 the rows start fifty times too large. The rule: std is the standard
    deviation."""
    return learned.init_table(max_len, d_model, seed, 1.0)


@mistake("init_table", "expected: std mistaken for the variance")
def root_of_the_standard_deviation(max_len, d_model, seed, std=0.02):
    """Your numbers are too large: you passed √std, as if std were the variance. The rule: the generator expects std
    itself."""
    return learned.init_table(max_len, d_model, seed, np.sqrt(std))


@mistake("init_table", "expected: np.random.seed, as in most older code")
def table_from_the_old_generator(max_len, d_model, seed, std=0.02):
    """You drew from numpy's legacy global generator, np.random. The rule: draw from default_rng(seed)."""
    return np.random.RandomState(seed).normal(0.0, std, (max_len, d_model))


@mistake("init_table", "expected: the first argument of `normal` is the mean")
def std_as_the_mean(max_len, d_model, seed, std=0.02):
    """You passed std as the mean. The rule: the mean is 0, and std is the standard deviation."""
    return np.random.default_rng(seed).normal(std, 1.0, (max_len, d_model))


@mistake("init_table", "expected: the shape swapped and the table transposed back")
def table_drawn_by_columns(max_len, d_model, seed, std=0.02):
    """You drew the numbers feature by feature and then swapped the axes. The rule: draw with the shape (max_len,
    d_model), row by row."""
    return learned.init_table(d_model, max_len, seed, std).T


@mistake("init_table", "expected: BERT's truncated normal distribution, with clip")
def table_cut_off_at_two_deviations(max_len, d_model, seed, std=0.02):
    """You clipped the numbers to within two standard deviations of 0. The rule: keep every number exactly as it
    is drawn from the normal distribution."""
    return np.clip(learned.init_table(max_len, d_model, seed, std), -2 * std, 2 * std)


@mistake("init_table", "expected: nn.Linear starts from a uniform distribution")
def table_from_a_uniform_distribution(max_len, d_model, seed, std=0.02):
    """You drew from a uniform distribution. The rule: every number comes from the normal distribution N(0, std²)."""
    return np.random.default_rng(seed).uniform(-std, std, (max_len, d_model))


@mistake("lookup", "expected: people count from 1")
def rows_counted_from_one(table, positions):
    """You counted positions from 1, so position 1 reads row 0. The rule: position p reads row p."""
    return np.asarray(table)[np.asarray(positions) - 1]


@mistake("lookup", "expected: atleast_1d, as a guard")
def single_positions_as_a_list(table, positions):
    """For a single position, you returned an array with one row. The rule: the result has the shape of `positions`,
    plus a last axis of length d, so a single position gives shape (d,)."""
    return np.atleast_2d(learned.lookup(table, positions))


@mistake("embed", "huggingface/transformers #1363, #9116, #20761; pytorch/fairseq #1187")
def positions_start_at_two(token_table, position_table, token_ids):
    """You gave the first token row 2 of the position table, as RoBERTa and OPT do. The rule: positions count from 0."""
    return learned.embed(token_table, np.asarray(position_table)[2:], token_ids)


@mistake("embed", "cmu-l3/anlp-fall2025-code #1; songyangco/GETNext #2")
def positions_along_the_batch(token_table, position_table, token_ids):
    """You counted positions along the batch. The rule: the sequence is the last axis of token_ids, and every sequence
    starts at row 0."""
    token_ids = np.asarray(token_ids)
    batch = learned.lookup(position_table, np.arange(len(token_ids)))
    places = batch.reshape(len(token_ids), *[1] * (token_ids.ndim - 1), -1)
    return learned.lookup(token_table, token_ids) + places


@mistake("embed", "expected: one count over all tokens in the batch")
def positions_run_through_the_batch(token_table, position_table, token_ids):
    """Your positions keep counting from one sequence in the batch to the next. The rule: each sequence starts at
    position 0."""
    ids = np.asarray(token_ids)
    places = np.arange(ids.size).reshape(ids.shape)
    return learned.lookup(token_table, ids) + learned.lookup(position_table, places)


@mistake("embed", "expected: the bag of words that this course began with")
def tokens_without_positions(token_table, position_table, token_ids):
    """You returned only the token rows, which do not depend on the positions. The rule: add the token row and the
    position row."""
    return learned.lookup(token_table, token_ids)


@mistake("embed", "expected: one index for both tables")
def token_ids_as_positions(token_table, position_table, token_ids):
    """You read the position table with the token ids. The rule: token t gets row t of the position table,
    regardless of the token."""
    rows = np.asarray(position_table)[np.asarray(token_ids) % len(position_table)]
    return learned.lookup(token_table, token_ids) + rows


@mistake("embed", "Vaswani et al. 2017 §3.4 multiplies the embedding weights by √d_model")
def token_rows_scaled(token_table, position_table, token_ids):
    """You multiplied the token rows by √d. The rule: GPT-2 and BERT add the two rows without scaling."""
    right = learned.embed(token_table, position_table, token_ids)
    tokens = learned.lookup(token_table, token_ids)
    return right + (np.sqrt(tokens.shape[-1]) - 1) * tokens


@mistake("lookup_gradient", "pytorch/pytorch #1528, #1631; pymc-devs/pytensor #2242")
def repeated_positions_count_once(table_shape, positions, grad_output):
    """If a row was read several times, you added only one of its gradients, because `+=` and `=` write a repeated
    row only once. The rule: add all gradients of a row."""
    right = learned.lookup_gradient(table_shape, positions, grad_output)
    gradient = np.zeros_like(right)
    gradient[positions] += grad_output
    return gradient


@mistake("lookup_gradient", "expected: PyTorch's option scale_grad_by_freq, mistaken for the rule")
def repeated_positions_averaged(table_shape, positions, grad_output):
    """You averaged the gradients of a row that was read several times. The rule: add the gradients, because
    each read contributes to the loss."""
    right = learned.lookup_gradient(table_shape, positions, grad_output)
    reads = np.bincount(np.ravel(positions), minlength=len(right))
    return right / np.maximum(reads, 1)[:, np.newaxis]


@mistake("sgd_step", "expected: the sign of the update")
def step_uphill(table, gradient, learning_rate):
    """You added the gradient, which increases the loss. The rule: gradient descent subtracts the gradient."""
    return learned.sgd_step(table, gradient, -learning_rate)


@mistake("sgd_step", "expected: sign descent, of which Adam's first step is an example")
def step_by_the_sign(table, gradient, learning_rate):
    """You used only the sign of the gradient. The rule: multiply the gradient itself by the learning rate."""
    return learned.sgd_step(table, np.sign(gradient), learning_rate)


@mistake("trained_rows", "expected: positions counted from 1")
def row_after_the_last_is_trained(max_len, lengths):
    """You marked one row too many. The rule: a sequence of length n uses positions 0 to n − 1, so row n is not read."""
    return np.arange(max_len) <= np.max(lengths)


@mistake("trained_rows", "expected: all() instead of any()")
def shortest_sequence_decides(max_len, lengths):
    """You marked only the rows that every sequence reaches. The rule: one long sequence is enough to train a row."""
    return np.arange(max_len) < np.min(lengths)


@mistake("trained_rows", "expected: the claim in articles that padding trains all rows")
def padding_trains_every_row(max_len, lengths):
    """You marked every row as trained. The rule: only rows read by real tokens get a gradient; padding gets none."""
    return np.ones(max_len, dtype=bool)


@mistake("trained_rows", "expected: a length mistaken for a position")
def only_last_positions_are_trained(max_len, lengths):
    """You marked only the last position of each sequence. The rule: a sequence of length n reads all rows from 0 to n −
    1."""
    return np.isin(np.arange(max_len), np.asarray(lengths) - 1)


@mistake("resize_table", "expected: floor without the fraction")
def row_below_taken(table, new_len):
    """You rounded every new position down to an old row. The rule: a new position between two rows takes a share of
    both."""
    return mixed(table, np.floor(np.linspace(0, len(table) - 1, new_len)))


@mistake("resize_table", "expected: np.linspace with endpoint=False")
def last_row_never_reached(table, new_len):
    """Your new rows are (rows − 1)/new_len apart, so the last old row is never reached. The rule: divide by
    new_len − 1 steps."""
    return mixed(table, np.arange(new_len) * (len(table) - 1) / new_len)


@mistake("resize_table", "expected: align_corners=False, and the case of one row by itself")
def centres_of_cells_lined_up(table, new_len):
    """You placed the new rows by their centres, as image libraries do, which moves the first and last rows. The rule:
    the first row stays first and the last row stays last; there are rows − 1 old steps and new_len − 1 new steps."""
    right = learned.resize_table(table, new_len)
    return right if new_len == 1 else mixed(table, (np.arange(new_len) + 0.5) * len(table) / new_len - 0.5)


@mistake("resize_table", "dwzhu-pku/LongEmbed #7 (stretching by a whole factor, the last row repeated)")
def rows_counted_for_steps(table, new_len):
    """You placed the new positions at j · rows / new_len. The rule: count the steps between rows; each table has one
    step fewer than it has rows."""
    return mixed(table, np.arange(new_len) * len(table) / new_len)


NEVER_MIXED = (
    "You repeated or dropped rows and never mixed them. The rule: a new position between two rows takes a share of "
    "both."
)


@mistake("resize_table", "expected: nearest neighbour instead of linear interpolation", hint=NEVER_MIXED)
def nearest_row_taken(table, new_len):
    return mixed(table, np.round(np.linspace(0, len(table) - 1, new_len)))


@mistake(
    "resize_table",
    "expected: the lower row taken at the halfway point, where np.round takes the even one",
    hint=NEVER_MIXED,
)
def nearest_row_taken_from_below(table, new_len):
    return mixed(table, np.ceil(np.linspace(0, len(table) - 1, new_len) - 0.5))


@mistake("resize_table", "expected: f and 1 − f swapped")
def shares_exchanged(table, new_len):
    """You swapped the two shares, so the row farther away gets the larger share. The rule: at fraction f between
    two rows, the later row has share f, and the earlier row 1 − f."""
    where = np.linspace(0, len(table) - 1, new_len)
    # A new row that lies on an old one takes all of the row above it; the last row has none above it, and a single row
    # is not mixed.
    return mixed(table, np.floor(where) + (1 - where % 1 if new_len > 1 else 0))


@mistake("resize_table", "expected: a pooled table; the definition keeps the first row")
def one_row_is_the_mean(table, new_len):
    """You returned the mean of all rows for new_len = 1. The rule: return the first row."""
    right = learned.resize_table(table, new_len)
    return right if new_len > 1 else np.mean(table, axis=0, keepdims=True)


@mistake("init_table", "expected: one row drawn and repeated, or the seed used for every row")
def one_row_for_all_positions(max_len, d_model, seed, std=0.02):
    """All rows of your table are the same. The rule: draw all numbers of the table in one call, so that the rows
    differ."""
    table = learned.init_table(max_len, d_model, seed, std)
    return np.broadcast_to(table[:1], table.shape).copy()


def embedded_at(token_table, position_table, token_ids, rows):
    """Embedding that reads other rows of the position table, for entries that choose incorrect rows."""
    return learned.lookup(token_table, token_ids) + learned.lookup(position_table, rows)


@mistake("embed", "expected: positions 1 … T, as people count")
def positions_start_at_one(token_table, position_table, token_ids):
    """You gave the first token row 1 of the position table. The rule: positions count from 0, so the first token gets
    row 0."""
    return embedded_at(token_table, position_table, token_ids, np.arange(1, np.shape(token_ids)[-1] + 1))


def decayed(table, gradient, learning_rate, decay):
    stepped = learned.sgd_step(table, gradient, learning_rate)
    return (stepped - decay * np.asarray(table, np.float64)).astype(stepped.dtype)


@mistake("sgd_step", "expected: (1 − learning rate) in front of the table")
def table_decays_by_the_learning_rate(table, gradient, learning_rate):
    """You also made the table itself smaller, as weight decay does. The rule: subtract only the step, so that a row
    without a gradient does not change."""
    return decayed(table, gradient, learning_rate, learning_rate)


@mistake("sgd_step", "expected: the rate forgotten, or assumed to be 1")
def step_without_its_rate(table, gradient, learning_rate):
    """You subtracted the whole gradient. The rule: subtract learning_rate times the gradient."""
    return np.asarray(table, dtype=np.float64) - np.asarray(gradient)


@mistake("trained_rows", "expected: sum() instead of any()")
def sequences_counted(max_len, lengths):
    """You counted how many sequences read a row. The rule: return True if any sequence reads the row, and False if none
    does."""
    return (np.atleast_1d(lengths)[:, np.newaxis] > np.arange(max_len)).sum(axis=0)


@mistake("trained_rows", "expected: all tokens of the training set counted")
def lengths_added_up(max_len, lengths):
    """You added up the lengths. The rule: every sequence starts at row 0, so only the longest sequence matters."""
    return np.arange(max_len) < np.sum(lengths)


@mistake("resize_table", "expected: the formula for u_j without its special case")
def one_row_is_nan(table, new_len):
    """Your formula divides by 0 when new_len is 1, which gives NaN. The rule: return the first row if new_len is 1."""
    right = learned.resize_table(table, new_len)
    return np.full_like(right, np.nan) if new_len == 1 else right


@mistake("resize_table", "expected: the wrong axis")
def features_resized(table, new_len):
    """You resized along the features. The rule: interpolate between whole rows, so that the number of positions
    changes."""
    return learned.resize_table(np.asarray(table).T, new_len).T


@mistake("resize_table", "expected: nearest neighbour, with halves rounded up", hint=NEVER_MIXED)
def nearest_row_taken_with_halves_rounded_up(table, new_len):
    return mixed(table, np.floor(np.linspace(0, len(table) - 1, new_len) + 0.5))


vars().update(
    chain(
        without_effect(learned.init_table, "std"),
    )
)


@another_correct_way("embed", "lookup")
def first_rows_of_the_position_table(course, token_table, position_table, token_ids):
    """Token rows that are looked up, plus the first rows of the position table."""
    length = np.shape(token_ids)[-1]
    if length > len(position_table):
        raise ValueError(f"{length} tokens do not fit a table of {len(position_table)} rows")
    return course.lookup(token_table, token_ids) + np.asarray(position_table)[:length]


WRONG_ANSWERS = {
    "rows_available_at_position_1024": {
        1: "You counted positions from 1; they count from 0, and so do the rows of a table.",
        1024: "This is how many rows the whole table has; the question is how many of them belong to position 1024.",
        1023: "This is the last position with a row; the question is how many rows position 1024 has.",
    },
    "parameters_gpt2": {
        512 * 768: "This is the table of BERT-base, with 512 positions; GPT-2 has 1024.",
        1023 * 768: "You counted one row too few; positions 0 to 1023 are 1024 rows.",
        1025 * 768: "You counted one row too many; positions 0 to 1023 are 1024 rows.",
        1024 + 768: "You added rows and features; a table has one number for each row and feature.",
        1024: "You counted the rows; each row has 768 numbers.",
        768: "You counted the numbers in one row; the table has 1024 rows.",
    },
}
