"""Learned positions: buy the table.

The sinusoidal encoding fixed every number before training began: which frequencies, how similar two
positions are, how large it all is next to a token. Perhaps the data would have chosen otherwise. So
leave the choice to it: give each position a row of numbers, start the rows as small random noise, and
train them like any other weight (Gehring et al. 2017; BERT, GPT-2). The price is in the word table. It
has an end, past which there is no row at all, and a row that no training sequence was long enough to
reach has never seen a gradient: it is there, and it is still noise.

Conventions: positions count from 0; `...` is any number of leading axes; the last two axes are
(sequence, feature). Results are float32 where every feature array is float32, else float64. No
function changes an argument in place. A bad argument raises ValueError with the offending value, or
the shape, in its message; looking up past either end of a table raises IndexError.
"""

import numpy as np


def init_table(max_len, d_model, seed, std=0.02):
    """A new table: one row a position, every number drawn from N(0, std²).

    The numbers come from numpy's default_rng, started from `seed`: one call of its normal draws the
    whole table, so the same seed gives the same table. No pairs here, so d_model may be odd.

    Parameters: `max_len`, how many positions the model will ever see; `d_model`; `seed`, an int; `std`.
    Returns: float64, shape (max_len, d_model).
    Raises: ValueError for a max_len or d_model below 1.
    Example: init_table(512, 768, seed=0) holds 393216 numbers whose standard deviation is about 0.02.
    Source: Hugging Face transformers' GPT-2 and BERT. (The BERT authors cut the same distribution off at
    two standard deviations; OpenAI's own GPT-2 code takes 0.01 for positions and 0.02 for tokens.)
    """
    raise NotImplementedError("init_table is not written yet")


def lookup(table, positions):
    """The row of each position.

        out[j] = row positions[j] of the table, for every index j of positions

    Neither end is open: a position below 0 is an error and not a row counted from the back.

    Parameters: `table`, shape (rows, d); `positions`, an int or an array of ints, any shape.
    Returns: shape positions.shape + (d,); float32 where table is float32, else float64.
    Raises: IndexError for a position below 0 or past the last row.
    Example: lookup([[0, 0], [1, 10], [2, 20]], [2, 0, 2]) is [[2, 20], [0, 0], [2, 20]].
    Source: GPT-2 and BERT, position embeddings.
    """
    raise NotImplementedError("lookup is not written yet")


def embed(token_table, position_table, token_ids):
    """What the first layer sees: the row of the token plus the row of its place.

        out[..., t, :] = token_table[token_ids[..., t]] + position_table[t]

    A text too long for the position table is turned away here, by name, and not by whatever breaks
    first further on.

    Parameters: `token_table`, shape (vocabulary, d); `position_table`, shape (rows, d); `token_ids`, an
    array of ints of shape (..., T).
    Returns: shape (..., T, d); float32 where both tables are, else float64.
    Raises: ValueError for T above the rows of position_table, or tables of different d; IndexError for a
    token id past either end of token_table.
    Example: embed([[1, 1], [2, 2]], [[10, 0], [20, 0], [30, 0]], [1, 0]) is [[12, 2], [21, 1]].
    Source: GPT-2; BERT adds a third row, for the segment.
    """
    raise NotImplementedError("embed is not written yet")


def lookup_gradient(table_shape, positions, grad_output):
    """Gradient of the loss with respect to the table, given its gradient with respect to lookup's result.

        grad_table[r] = Σ grad_output[j]   over all j with positions[j] = r

    A row that was looked up several times collects all of its gradients; one that was not looked up
    gets zero. In a batch every sequence looks up row 0, so the sum is the rule and not the exception.

    Parameters: `table_shape`, (rows, d); `positions`, as given to lookup; `grad_output`, shape
    positions.shape + (d,).
    Returns: shape table_shape; float32 where grad_output is float32, else float64.
    Raises: IndexError as lookup does; ValueError for a grad_output of another shape.
    Example: lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]]) is [[3, 5], [0, 0], [0, 1]].
    Source: the chain rule.
    """
    raise NotImplementedError("lookup_gradient is not written yet")


def sgd_step(table, gradient, learning_rate):
    """One step of plain gradient descent, into a new table.

        new = table − learning_rate · gradient

    A row whose gradient is zero stays exactly as it was.

    Parameters: `table` and `gradient`, of one shape; `learning_rate`, a number.
    Returns: the shape of table; float32 where table and gradient both are, else float64.
    Raises: ValueError for a gradient of another shape than the table.
    Example: sgd_step([[1, 1], [2, 2]], [[10, 0], [0, 0]], 0.1) is [[0, 1], [2, 2]].
    """
    raise NotImplementedError("sgd_step is not written yet")


def trained_rows(max_len, lengths):
    """Which rows of the table get any gradient when it is trained on sequences of these lengths.

        row r is trained   where some length > r

    A sequence of length n uses positions 0 … n − 1. The rows after the longest one are never looked
    up, so they keep the noise they were drawn with.

    Parameters: `max_len`, the rows of the table; `lengths`, ints from 0 to max_len.
    Returns: bool, shape (max_len,).
    Raises: ValueError for a max_len below 1, a negative length, or a length above max_len, which embed
    would turn away.
    Example: trained_rows(5, [2, 3]) is [True, True, True, False, False].
    """
    raise NotImplementedError("trained_rows is not written yet")


def resize_table(table, new_len):
    """Stretch or squeeze a table to new_len rows by linear interpolation along the positions.

        u_j = j · (rows − 1) / (new_len − 1),   j = 0 … new_len − 1
        new[j] = (1 − f) · table[⌊u_j⌋] + f · table[⌊u_j⌋ + 1],   f = u_j − ⌊u_j⌋

    The first and last rows are kept; the others are mixed from the two rows they fall between. One row
    asked for is the first. The result has a row for every new position, but no new information.

    Parameters: `table`, shape (rows, d); `new_len`, an int.
    Returns: shape (new_len, d); float32 where table is float32, else float64.
    Raises: ValueError for a new_len below 1.
    Example: resize_table([[0, 0], [2, 10], [4, 30]], 5) is [[0, 0], [1, 5], [2, 10], [3, 20], [4, 30]].
    Source: Dosovitskiy et al. 2021 §3.2, in one dimension here; today often with cubic interpolation.
    """
    raise NotImplementedError("resize_table is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # A table of 1024 rows: how many rows does it have for position 1024?
    "rows_available_at_position_1024": None,
    # How many numbers does the position table of the smallest GPT-2 hold, 1024 positions of 768 features?
    "parameters_gpt2": None,
    # Does the method itself, before any training, put near positions closer together than far ones?
    "has_built_in_distance": None,
}
