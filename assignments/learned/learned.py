"""Learned positions: a table instead of a formula.

In the sinusoidal encoding, every number is fixed before training. Learned positions are trained instead: each position
gets a row of a table, the rows start as small random numbers, and gradient descent trains them like any other weight
(Gehring et al. 2017; BERT, GPT-2). A table has two weaknesses. A table is finite: positions past the last row have no
code. A row beyond the longest training sequence gets no gradient and keeps its random initial values.

Conventions: positions start at 0; `...` stands for any number of leading axes; the last two axes are
(sequence, feature). The result is float32 if all feature arrays are float32, otherwise float64. Looking up
past either end of a table raises IndexError.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def init_table(max_len, d_model, seed, std=0.02):
    """Return a new table: one row per position, with every number drawn from N(0, std²).

    The numbers come from numpy's default_rng(seed): a single call to the generator's `normal` method draws the whole
    table. The same seed gives the same table. The features of a learned table have no pairs, so d_model can be odd.

    Parameters: `max_len`, the number of positions that the model will ever see; `d_model`; `seed`, an int;
    `std`.
    Returns: float64, shape (max_len, d_model).
    Example: init_table(512, 768, seed=0) contains 393216 numbers with a standard deviation of about 0.02.
    Source: Hugging Face transformers' GPT-2 and BERT. (The BERT authors truncate the normal distribution at two
    standard deviations; OpenAI's own GPT-2 code uses 0.01 for positions and 0.02 for tokens.)
    """
    raise NotImplementedError("init_table is not written yet")


def lookup(table, positions):
    """Return the table row for each position.

        out[j] = row positions[j] of the table, for every index j of positions

    A position below 0 is an error, although numpy itself would count it from the end of the table.

    Parameters: `table`, shape (rows, d); `positions`, an int or an array of ints, any shape.
    Returns: shape positions.shape + (d,); if positions is an empty array or list, shape (0, d).
    Raises: IndexError for a position past either end: −1 is an error, not the last row.
    Example: lookup([[0, 0], [1, 10], [2, 20]], [2, 0, 2]) is [[2, 20], [0, 0], [2, 20]].
    Source: GPT-2 and BERT, position embeddings.
    """
    raise NotImplementedError("lookup is not written yet")


def embed(token_table, position_table, token_ids):
    """Return the input of the first layer: the token's row plus its position's row.

        out[..., t, :] = token_table[token_ids[..., t]] + position_table[t]

    If the sequence is longer than the position table, raise a ValueError that names both numbers. Without this check,
    another function would fail later, with an unhelpful message.

    Parameters: `token_table`, shape (vocabulary, d); `position_table`, shape (rows, d); `token_ids`, an
    array of ints of shape (..., T).
    Returns: shape (..., T, d).
    Raises: ValueError if there are more tokens than rows of position_table.
    Example: embed([[1, 1], [2, 2]], [[10, 0], [20, 0], [30, 0]], [1, 0]) is [[12, 2], [21, 1]].
    Source: GPT-2; BERT adds a third row, for the segment.
    """
    raise NotImplementedError("embed is not written yet")


def lookup_gradient(table_shape, positions, grad_output):
    """Return the loss's gradient with respect to the table, from the gradient with respect to lookup's result.

        grad_table[r] = Σ grad_output[j]   over all j with positions[j] = r

    If a row was looked up several times, the gradients of those lookups are summed. If a row was never looked up, its
    gradient is zero. In a batch, every sequence looks up row 0, so repeated positions are normal.

    Parameters: `table_shape`, (rows, d); `positions`, as passed to lookup; `grad_output`, shape
    positions.shape + (d,).
    Returns: shape table_shape.
    Raises: ValueError unless grad_output has one row for each position.
    Example: lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]]) is [[3, 5], [0, 0], [0, 1]].
    Source: the chain rule.
    """
    raise NotImplementedError("lookup_gradient is not written yet")


def sgd_step(table, gradient, learning_rate):
    """Take one step of plain gradient descent, and return a new table.

        new = table − learning_rate · gradient

    A row whose gradient is zero does not change at all.

    Parameters: `table` and `gradient`, of the same shape; `learning_rate`, a number.
    Returns: the shape of table.
    Example: sgd_step([[1, 1], [2, 2]], [[10, 0], [0, 0]], 0.1) is [[0, 1], [2, 2]].
    """
    raise NotImplementedError("sgd_step is not written yet")


def trained_rows(max_len, lengths):
    """Mark the rows of a table that get a gradient in training, from the lengths of the training sequences.

        row r is trained   if some length > r

    A sequence of length n uses positions 0 … n − 1. The rows beyond the longest sequence are never looked up,
    so they keep their random initial values.

    Parameters: `max_len`, the number of rows in the table; `lengths`, ints from 0 to max_len. Loop over lengths, not
    over rows.
    Returns: bool, shape (max_len,).
    Example: trained_rows(5, [2, 3]) is [True, True, True, False, False].
    """
    raise NotImplementedError("trained_rows is not written yet")


def resize_table(table, new_len):
    """Stretch or squeeze a table to new_len rows by linear interpolation along the positions.

        u_j = j · (rows − 1) / (new_len − 1),   j = 0 … new_len − 1
        new[j] = (1 − f) · table[⌊u_j⌋] + f · table[⌊u_j⌋ + 1],   f = u_j − ⌊u_j⌋

    The first and last rows stay unchanged. Each of the remaining new rows is a mix of the two old rows on either side
    of its position. If new_len is 1, the result is the first row. A longer table has more rows, but no new information.

    Parameters: `table`, shape (rows, d); `new_len`, an int.
    Returns: shape (new_len, d).
    Example: resize_table([[0, 0], [2, 10], [4, 30]], 5) is [[0, 0], [1, 5], [2, 10], [3, 20], [4, 30]].
    Source: Dosovitskiy et al. 2021 §3.2, here in one dimension; today, many models use cubic interpolation.
    """
    raise NotImplementedError("resize_table is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # A table has 1024 rows. How many of them are for position 1024?
    "rows_available_at_position_1024": None,
    # How many numbers are in the position table of the smallest GPT-2, with 1024 positions of 768 features?
    "parameters_gpt2": None,
    # Before any training, are the rows of nearby positions more similar than the rows of distant positions?
    "has_built_in_distance": None,
    # For practice, worth no points.
    # A batch of 20 sequences of length 64 and 12 of length 100: how many gradients are added to row 63?
    "gradients_added_to_row_63": None,
    # And to row 64?
    "gradients_added_to_row_64": None,
    # A table of 5 rows is stretched to 9. At which old position is new row 3?
    "old_position_of_new_row_3": None,
}
