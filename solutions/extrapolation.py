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

# BEGIN SOLUTION
# The rules that all methods share come first, then one short function per method, in the course's order.

_T5_MAX_DISTANCE = 128


def _check_method(method):
    if method not in METHODS:
        raise ValueError(f"the method must be one of METHODS; got {method!r}, and they are {', '.join(METHODS)}")


def _check_shape(name, array, shape):
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape that the docstring says; got {array.shape} for {shape}")


def _angles(length, d, parameters):
    """Return positions × frequencies, shape (T, d/2): the angles that the sinusoidal encoding and RoPE share."""
    base = parameters.get("base", 10000.0)
    if d % 2:
        raise ValueError(f"the feature size must be even, for features to form pairs; got {d}")
    if not (np.isfinite(base) and base > 0):
        raise ValueError(f"base must be a positive finite number; got {base}")
    return np.outer(np.arange(length), float(base) ** (-np.arange(0, d, 2) / d))


def _distances(length):
    """Return i − j for query i and key j, shape (T, T): positive for keys before the query."""
    positions = np.arange(length)
    return positions[:, np.newaxis] - positions


# Each of these functions of (length, d, parameters) returns the rows that a method adds, (T, d) or (T, 1).


def _integer(length, d, parameters):
    return np.arange(length)[:, np.newaxis]


def _normalized(length, d, parameters):
    return np.linspace(0, 1, length)[:, np.newaxis]


def _binary(length, d, parameters):
    n_bits = parameters["n_bits"]
    if not 1 <= n_bits <= d:
        raise ValueError(f"n_bits must be from 1 to the feature size; got {n_bits} for {d}")
    if length > 2**n_bits:
        raise ValueError(f"n_bits must be enough for the last position; got {n_bits} for {length} positions")
    added = np.zeros((length, d))
    most_significant_first = np.arange(n_bits)[::-1]
    added[:, :n_bits] = (np.arange(length)[:, np.newaxis] >> most_significant_first) & 1
    return added


def _sinusoidal(length, d, parameters):
    angles = _angles(length, d, parameters)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d)


def _learned(length, d, parameters):
    table = np.asarray(parameters["table"])
    _check_shape("table", table, (len(table), d))
    if length > len(table):
        raise ValueError(f"the table must have a row for every token; got {len(table)} for {length} tokens")
    return table[:length]


# Each of these functions of (q, k, parameters) returns a method's scores, (T, T), scaled but not masked.


def _plain_scores(q, k, parameters):
    return q @ k.T / np.sqrt(q.shape[1])


def _rope_scores(q, k, parameters):
    rotations = np.exp(1j * _angles(*q.shape, parameters))

    def rotated(x):
        # A pair of features is one complex number, and rotating it is one multiplication.
        return (x[:, 0::2] + 1j * x[:, 1::2]) * rotations

    # The dot product of two pairs is the real part of one number times the other's conjugate.
    return (rotated(q) @ rotated(k).conj().T).real / np.sqrt(q.shape[1])


def _shaw_scores(q, k, parameters):
    length, d = q.shape
    key_table = np.asarray(parameters["key_table"])
    max_distance = len(key_table) // 2
    _check_shape("key_table", key_table, (2 * max_distance + 1, d))
    relative = np.clip(-_distances(length), -max_distance, max_distance)
    # q_i·a_ij needs one product for each row of the table, not one for each pair (i, j).
    with_each_row = _plain_scores(q, key_table, parameters)
    query = np.arange(length)[:, np.newaxis]
    return _plain_scores(q, k, parameters) + with_each_row[query, relative + max_distance]


def _t5_buckets(length, n_buckets):
    """Return the causal bucket of each distance 0 … T − 1; long distances share buckets."""
    max_exact = n_buckets // 2
    near, far = np.split(np.arange(length), [max_exact])
    # The share of the way from max_exact to the maximum distance, on a logarithmic scale.
    share = np.log(far / max_exact) / np.log(_T5_MAX_DISTANCE / max_exact)
    shared = max_exact + (share * (n_buckets - max_exact)).astype(np.int64)
    return np.concatenate([near, np.minimum(shared, n_buckets - 1)])


def _t5_scores(q, k, parameters):
    bias_table = np.asarray(parameters["bias_table"])
    n_buckets = len(bias_table)
    _check_shape("bias_table", bias_table, (n_buckets, 1))
    bias_of_distance = bias_table.ravel()[_t5_buckets(len(q), n_buckets)]
    return _plain_scores(q, k, parameters) + bias_of_distance[np.abs(_distances(len(q)))]


def _alibi_scores(q, k, parameters):
    slope = parameters["slope"]
    if not slope > 0:
        raise ValueError(f"slope must be positive; got {slope}")
    return _plain_scores(q, k, parameters) - slope * _distances(len(q))


_ADDED_BY = {
    "integer": _integer,
    "normalized": _normalized,
    "binary": _binary,
    "sinusoidal": _sinusoidal,
    "learned": _learned,
}
_SCORES_BY = {"rope": _rope_scores, "shaw": _shaw_scores, "t5": _t5_scores, "alibi": _alibi_scores}

# Tables are features too: if the method reads a table, the table's dtype counts as well.
_ADDED_TABLES = {"learned": ["table"]}
_SCORE_TABLES = {"shaw": ["key_table"], "t5": ["bias_table"]}


def _check_measurements(lengths, accuracies):
    lengths, accuracies = np.asarray(lengths), np.asarray(accuracies)
    if lengths.ndim != 1 or lengths.shape != accuracies.shape:
        raise ValueError(f"one accuracy for each length: got shapes {lengths.shape} and {accuracies.shape}")
    if (lengths < 1).any():
        raise ValueError(f"lengths must be at least 1; got {lengths.min()}")
    return lengths, accuracies


# END SOLUTION


def learned_parameters(method, parameters):
    """Count the learned numbers that a method adds to a model: the size of its table, or 0.

    Only tables count: `n_bits`, `slope` and `base` are chosen before training, and the model's other weights
    do not belong to the method. A table counts only for the method that reads it.

    Parameters: `method`, one of METHODS; `parameters`, a dict that may contain the tables of several methods.
    Returns: int.
    Example: with a table of shape (64, 32) in parameters["table"], learned_parameters("learned", parameters) is
    2048, and learned_parameters("rope", parameters) is 0.
    """
    # BEGIN SOLUTION
    _check_method(method)
    names = _ADDED_TABLES.get(method, []) + _SCORE_TABLES.get(method, [])
    return sum(np.size(parameters[name]) for name in names)
    # END SOLUTION


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
    # BEGIN SOLUTION
    lengths, accuracies = _check_measurements(lengths, accuracies)
    if trained_length not in lengths:
        raise ValueError(f"trained_length must be one of the lengths; got {trained_length}, and {lengths.tolist()}")
    at_trained = accuracies[np.argmax(lengths == trained_length)]
    at_longest = accuracies[np.argmax(lengths)]
    return float(at_trained - at_longest)
    # END SOLUTION


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
    # BEGIN SOLUTION
    lengths, accuracies = _check_measurements(lengths, accuracies)
    # "Not at or above the threshold" makes an accuracy of NaN fail as well.
    failed = lengths[~(accuracies >= threshold)]
    first_failure = failed.min() if failed.size else np.inf
    return int(lengths[lengths < first_failure].max(initial=0))
    # END SOLUTION


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
    # BEGIN SOLUTION
    _check_method(method)
    x, *_, dtype = _features(x, *(parameters[name] for name in _ADDED_TABLES.get(method, [])))
    added = _ADDED_BY[method](*x.shape, parameters) if method in _ADDED_BY else 0
    return (x + added).astype(dtype)
    # END SOLUTION


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
    # BEGIN SOLUTION
    _check_method(method)
    q, k, *_, dtype = _features(q, k, *(parameters[name] for name in _SCORE_TABLES.get(method, [])))
    if q.shape != k.shape:
        raise ValueError(f"q and k must have one shape; got {q.shape} and {k.shape}")
    scores_by = _SCORES_BY.get(method, _plain_scores)
    scores = scores_by(q, k, parameters)
    may_attend = _distances(len(q)) >= 0
    return np.where(may_attend, scores, -np.inf).astype(dtype)
    # END SOLUTION


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
    # BEGIN SOLUTION
    if shift < 0:
        raise ValueError(f"shift must be at least 0; got {shift}")
    x = np.asarray(x)
    padded = np.pad(x, [(shift, 0), (0, 0)])  # rows of zeros in front, no extra columns

    def scores(rows):
        encoded = encode(method, rows, parameters)
        return logits(method, encoded @ w_q, encoded @ w_k, parameters)

    # Above the diagonal both scores are −∞, and −∞ − (−∞) is NaN: compare only what a query may use.
    visible = np.tri(len(x), dtype=bool)
    at_the_start, further_back = scores(x)[visible], scores(padded)[shift:, shift:][visible]
    return float(np.abs(further_back - at_the_start).max())
    # END SOLUTION


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
    # BEGIN SOLUTION
    if length > max_length:
        raise ValueError(f"there are only {max_length} positions; got a length of {length}")
    return np.sort(rng.choice(max_length, length, replace=False))
    # END SOLUTION


# Answer with True or False. The questions for practice also ask for a number and a name.
ANSWERS = {
    # Can a learned table encode a position past its last row?
    "learned_runs_past_its_table": False,  # there is no row to add: encode raises an error
    # Does ALiBi change the embeddings?
    "alibi_changes_the_embeddings": False,  # it subtracts a distance from the scores
    # A causal model without any encoding reads the same tokens in a different order. Can its result for one
    # of these tokens change?
    "causal_model_without_encoding_sees_order": True,  # if a token moves, other tokens come before it
    # For practice, no points. How many of the ten methods have a shift gap of 0 (below 1e-9)?
    "methods_without_a_shift_gap": 5,  # none, rope, shaw, t5 and alibi
    # For practice, no points. Does every method without a shift gap still reach an accuracy of 0.9 at 128
    # tokens when copying 3 back?
    "no_shift_gap_is_enough_to_run_longer": False,  # of the five, only Shaw's method does
    # For practice, no points. Of the methods that learn numbers, which one learns the fewest?
    "fewest_learned_numbers": "t5",  # one number per bucket: 32, against 1,056 and 2,048
    # For practice, no points. How many different results can random_positions(2, 5, rng) have?
    "ways_to_draw_2_of_5_positions": 10,  # 5·4/2
}
