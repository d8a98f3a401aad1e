"""Extrapolation: the experiment.

Many articles say how far each encoding extrapolates: learned encodings not at all, sinusoidal encodings a little, RoPE
and ALiBi very far. In this lesson, you test these claims with measurements. A small model is trained with each encoding
at a short length, and then tested at longer lengths. `encode` returns the embeddings plus the rows that a method adds,
and `logits` returns the attention scores with the method's effect; each method takes effect in only one of the two. Of
the other five functions, two summarise measured accuracies, two describe a method (its shift gap, and the number of
values that the method learns), and one draws random positions for training.

Conventions: positions start at 0; rows are tokens and columns are features; attention is causal: row t may
attend to rows 0 … t. Scores are divided by √d for every method (T5 itself does not divide). Results are
float32 if every feature array and the method's table are float32, else float64. No function changes an
argument in place.
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


METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")


def learned_parameters(method, parameters):
    """Count the learned numbers that a method adds to a model: the size of its table, or 0.

    Only tables count: `n_bits`, `slope` and `base` are chosen before training, and the model's other weights
    do not belong to the method. A table counts only for the method that reads it.

    Parameters: `method`, one of METHODS; `parameters`, a dict that may contain the tables of several methods.
    Returns: int.
    Example: with a table of shape (64, 32) in parameters["table"], learned_parameters("learned", parameters) is
    2048, and learned_parameters("rope", parameters) is 0.
    """
    raise NotImplementedError("learned_parameters is not written yet")


def extrapolation_gap(lengths, accuracies, trained_length):
    """Return the accuracy lost between the trained length and the longest length.

        gap = accuracy(trained_length) − accuracy(longest of lengths)

    A gap of 0 is good only if the accuracy at the trained length is high: a model that never learned the task
    also has a gap of 0.

    Parameters: `lengths`, 1-D, each at least 1, in any order; `accuracies`, one for each length;
    `trained_length`, one of the lengths.
    Returns: float; negative if the model does better at the longest length.
    Example: extrapolation_gap([16, 32, 128], [1.0, 0.8, 0.25], 16) is 0.75.
    """
    raise NotImplementedError("extrapolation_gap is not written yet")


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    """Return the longest measured length up to which accuracy never falls below the threshold, or 0.

    The result is 0 if accuracy is below the threshold even at the shortest length. A model that is below the threshold
    at 64, but by chance above it at 128, is reliable only up to the length before 64. An accuracy of NaN counts as
    below every threshold.

    Parameters: `lengths`, 1-D, each at least 1, no two equal, in any order; `accuracies`, one for each
    length; `threshold`, a number.
    Returns: int.
    Example: longest_reliable_length([16, 32, 64, 128], [1.0, 0.9, 0.5, 0.95]) is 32.
    """
    raise NotImplementedError("longest_reliable_length is not written yet")


def encode(method, x, parameters):
    """Return the embeddings plus the rows that the method adds to them.

    The methods add the following to row t of T rows and d features:

        integer       t, to every feature
        normalized    t / (T − 1), to every feature; 0 for T = 1
        binary        the bits of t, most significant first, to the first n_bits features
        sinusoidal    sin(t θ_i) to feature 2i, cos(t θ_i) to feature 2i + 1;  θ_i = base^(−2i/d)
        learned       row t of the table
        none, rope, shaw, t5, alibi    nothing: they act in the scores, or not at all (none)

    Parameters: `method`, one of METHODS; `x`, shape (T, d); `parameters`, a dict from which this function
    reads `table`, shape (rows, d), for learned; `n_bits` for binary; `base` for sinusoidal, 10000.0 if
    absent.
    Returns: shape (T, d), float32 if x (for learned, also the table) is float32, else float64. x does not change.
    Raises: ValueError for learned if the table has fewer than T rows, and for binary if n_bits is too small
    for position T − 1.
    Example: encode("integer", [[1, 2], [1, 2]], {}) is [[1, 2], [2, 3]];
    encode("binary", np.zeros((3, 3)), {"n_bits": 2}) is [[0, 0, 0], [0, 1, 0], [1, 0, 0]].
    """
    raise NotImplementedError("encode is not written yet")


def logits(method, q, k, parameters):
    """Causal attention logits: the scores before softmax, with the method's effect.

    For query row i and key row j ≤ i (above the diagonal, every score is −inf):

        none, and all that act in encode    q_i·k_j / √d
        rope     R_i q_i · R_j k_j / √d     pairs (2i, 2i+1), position t rotates pair i by t·base^(−2i/d)
        shaw     q_i·(k_j + a) / √d         a = row clip(j − i, −m, m) + m of key_table, 2m + 1 rows
        t5       q_i·k_j / √d + b           b = the bias_table entry of distance i − j's causal bucket
        alibi    q_i·k_j / √d − slope·(i − j)

    T5's causal buckets for n = i − j, with B rows in bias_table and E = ⌊B/2⌋: n itself if n < E, else
    min(E + ⌊ln(n/E) / ln(128/E) · (B − E)⌋, B − 1), as in lesson 6's `t5_bucket`.

    Parameters: `method`, one of METHODS; `q` and `k`, both of shape (T, d), already projected; `parameters`, a dict
    from which this function reads `base` for rope, 10000.0 if absent; `key_table`, shape (2m + 1, d), for shaw;
    `bias_table`, shape (B, 1) with 2 ≤ B < 256, for t5; `slope`, positive, for alibi.
    Returns: shape (T, T), float32 if q and k (and the method's table) are float32, else float64.
    Raises: ValueError for q and k of different shapes: one row of keys must not be broadcast to several queries.
    Example: logits("alibi", [[0], [0]], [[0], [0]], {"slope": 0.5}) is [[0, −inf], [−0.5, 0]].
    Source: Su et al. 2021 §3.2; Shaw et al. 2018 §3; Raffel et al. 2020 §2.1; Press et al. 2022 §3.
    """
    raise NotImplementedError("logits is not written yet")


def shift_gap(method, x, w_q, w_k, parameters, shift):
    """Measure how much the scores of the same tokens change when they move to later positions.

        padded = `shift` rows of zeros, then the rows of x
        gap    = max over j ≤ i of |logits(padded)[shift + i, shift + j] − logits(x)[i, j]|

    Both terms of the gap encode the rows first: q and k are the encoded rows times w_q and w_k. The gap is 0,
    up to rounding, if a score depends only on the distance between two tokens, not on their positions.

    Parameters: `method`, one of METHODS; `x`, shape (T, dx), T at least 1; `w_q` and `w_k`, shape (dx, d);
    `parameters`, the dict that `encode` and `logits` read; `shift`, an int of at least 0.
    Returns: a float, never negative, computed in float64 even for float32 features.
    Example: with x = [[1], [1]] and w_q = w_k = [[1]], shift_gap("integer", x, w_q, w_k, {}, 1) is 5.0: the last
    score grows from 2·2 = 4 to 3·3 = 9. shift_gap("none", x, w_q, w_k, {}, 1) is 0.0.
    """
    raise NotImplementedError("shift_gap is not written yet")


def random_positions(length, max_length, rng):
    """Draw ascending training positions from 0 … max_length − 1, so that even a short text gets large positions.

    Each set of `length` different positions is equally likely. With random positions, a model trains every row of a
    table up to max_length, or learns to use sinusoidal codes up to max_length, although no training text is longer than
    `length`. To number T tokens from a random start, use random_positions(1, max_length − T + 1, rng) + np.arange(T).

    Parameters: `length`, an int from 0 to `max_length`; `rng`, a numpy Generator. Draw only with the methods of `rng`
    (for example rng.choice or rng.permutation), so that the generator's seed determines the result.
    Returns: int64, shape (length,), all different, in ascending order.
    Example: random_positions(4, 4, rng) is [0, 1, 2, 3]; random_positions(3, 100, np.random.default_rng(0)) may be
    [51, 63, 83].
    Source: Ruoss et al. 2023; Kiyono et al. 2021 (SHAPE) for a random start.
    """
    raise NotImplementedError("random_positions is not written yet")


# Answer with True or False. The questions for practice also ask for a number and a name.
ANSWERS = {
    # Can a learned table encode a position past its last row?
    "learned_runs_past_its_table": None,
    # Does ALiBi change the embeddings?
    "alibi_changes_the_embeddings": None,
    # A causal model without any encoding reads the same tokens in a different order. Can its result for one
    # of these tokens change?
    "causal_model_without_encoding_sees_order": None,
    # For practice, no points. How many of the ten methods have a shift gap of 0 (below 1e-9)?
    "methods_without_a_shift_gap": None,
    # For practice, no points. Does every method without a shift gap still reach an accuracy of 0.9 at 128
    # tokens when copying 3 back?
    "no_shift_gap_is_enough_to_run_longer": None,
    # For practice, no points. Of the methods that learn numbers, which one learns the fewest?
    "fewest_learned_numbers": None,
    # For practice, no points. How many different results can random_positions(2, 5, rng) have?
    "ways_to_draw_2_of_5_positions": None,
}
