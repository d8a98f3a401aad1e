"""ALiBi: subtract the distance.

T5 (lesson 6) learns a number for each bucket of distances; a bucket that no training text reaches keeps its initial
number. T5 also looks up a number for every pair of tokens. ALiBi (Press et al. 2022) neither learns nor looks up
anything: each head lowers a score by the distance times a fixed slope. The product of slope and distance exists at
every distance, even beyond the training length, and costs one multiplication. Heads with steep slopes use only near
keys, while heads with gentle slopes use far keys as well.

Conventions: positions start at 0; `...` stands for any number of leading axes; queries, keys and values have shape
(..., h, T, d), with the head axis before the sequence axis. If there are fewer queries than keys, the last query has
the position of the last key, as when generating with a cache. Results are float32 if every feature array is float32,
else float64. Slopes and biases are always float64 and do not affect the dtype of other results.
Only functions with a `Raises` line must refuse bad arguments.
"""

import math

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


# BEGIN SOLUTION
# The rules that all functions share are in one place, so that each function below shows only its own idea. For shapes
# that cannot be multiplied or broadcast, numpy itself raises a ValueError.


def _check_size(size, name, minimum=0):
    """Return a size (a length, or a number of heads or features), or raise ValueError if it is too small."""
    if size < minimum:
        raise ValueError(f"{name} must be at least {minimum}; got {size}")
    return size


def _geometric_slopes(n_heads):
    """Return the paper's slopes for a power of two: 2^(−8/n), 2^(−16/n), …, 2^(−8)."""
    return 2.0 ** (-8.0 * np.arange(1, n_heads + 1) / n_heads)


def _softmax(scores):
    """Return the softmax along the last axis. No row is all −inf, since every query can use at least one key."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


# END SOLUTION


def alibi_slopes(n_heads):
    """Return each head's slope: how much the head lowers a score per step of distance.

        n a power of two:   m_h = 2^(−8(h + 1) / n),   h = 0 … n − 1
        otherwise:          the slopes for p heads, then the 1st, 3rd, 5th, … of the slopes for 2p heads,
                            until there are n; p is the power of two below n

    The slopes for 2p heads are the slopes for p heads, plus a new slope between every two neighbouring
    slopes, and a steeper slope before the first. Of the slopes for 2p heads, the 1st, 3rd, 5th, … are exactly
    the new slopes. The slopes are sorted only if n is a power of two. For any other n, the slopes of the
    published models differ from 2^(−8(h + 1) / n).

    Parameters: `n_heads`, an int of at least 1.
    Returns: float64, shape (n_heads,), all positive.
    Example: alibi_slopes(2) is [0.0625, 0.00390625]; alibi_slopes(3) is [0.0625, 0.00390625, 0.25].
    Source: Press et al. 2022 §3; `get_slopes` in the authors' code.
    """
    # BEGIN SOLUTION
    # The highest bit is exact; a logarithm is not.
    power = 1 << (int(_check_size(n_heads, "n_heads", 1)).bit_length() - 1)
    in_the_gaps = _geometric_slopes(2 * power)[0::2]
    return np.concatenate([_geometric_slopes(power), in_the_gaps[: n_heads - power]])
    # END SOLUTION


def alibi_bias(n_heads, q_len, k_len):
    """Return the bias that ALiBi adds to the scores of each head: minus slope times distance.

        bias[h, i, j] = −m_h · |i + (k_len − q_len) − j|

    The last query has the position of the last key. With q_len = k_len the bias is −m_h·|i − j|; with
    q_len = 1 the bias is the row for a newly generated token, whose distance to itself is 0.

    Parameters: `n_heads`, at least 1; `q_len` and `k_len`, at least 0, with q_len at most k_len.
    Returns: float64, shape (n_heads, q_len, k_len), never positive.
    Raises: ValueError if there are more queries than keys.
    Example: alibi_bias(1, 2, 3) · 256 is [[[−1, 0, −1], [−2, −1, 0]]].
    Source: Press et al. 2022 §3; for keys ahead of the query, |i − j| as in the authors' notes on encoders.
    """
    # BEGIN SOLUTION
    q_len = _check_size(q_len, "q_len")
    if k_len < q_len:
        raise ValueError(f"there must be as many keys as queries, or more; got {k_len} keys and {q_len} queries")
    queries, keys = np.arange(k_len - q_len, k_len), np.arange(k_len)
    distance = np.abs(np.subtract.outer(queries, keys))
    return alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * -distance
    # END SOLUTION


def bloom_bias(n_heads, k_len):
    """Return the ALiBi bias in BLOOM's form: slope times key position, the same for all queries.

        bias[h, 0, j] = m_h · j

    For a key that is not ahead of its query, −m(i − j) = m·j − m·i, and m·i is the same for every key of a
    query, so the term m·i does not change the softmax. BLOOM's form is valid only under a causal mask: for
    keys ahead of the query, the bias keeps growing.

    Parameters: `n_heads`, at least 1; `k_len`, at least 0.
    Returns: float64, shape (n_heads, 1, k_len).
    Example: bloom_bias(1, 3) · 256 is [[[0, 1, 2]]].
    Source: Hugging Face transformers, `build_alibi_tensor`; the authors' code does the same.
    """
    # BEGIN SOLUTION
    keys = np.arange(_check_size(k_len, "k_len"))
    return alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * keys
    # END SOLUTION


def effective_window(slope, tolerance):
    """Return how far a head reaches: the smallest distance at which the bias scales weights by at most `tolerance`.

        smallest whole r with exp(−slope · r) ≤ tolerance

    A bias of −slope·r multiplies a key's weight by exp(−slope·r), before softmax divides by the sum. Beyond this
    distance, a key with a high enough score can still get a large weight. If exp(−slope·r) equals the tolerance
    exactly, rounding decides between r and r + 1; no test uses this case.

    Parameters: `slope`, positive; `tolerance`, between 0 and 1 (no test uses any other value).
    Returns: int.
    Raises: ValueError for a slope that is not positive.
    Example: effective_window(0.25, 0.01) is 19, because exp(−0.25·19) = 0.0087 and exp(−0.25·18) = 0.0111.
    """
    # BEGIN SOLUTION
    if not slope > 0:
        raise ValueError(f"slope must be positive; got {slope}")
    return math.ceil(-math.log(tolerance) / slope)
    # END SOLUTION


def alibi_attention(q, k, v, causal=True):
    """Attention that uses positions only through the bias on the scores.

        out = softmax(q kᵀ / √d + alibi_bias) v

    The bias is added after the division by √d, so the bias itself is not divided. Queries, keys and values come
    straight from the projections, with nothing added to them.

    Parameters: `q`, shape (..., h, Tq, d); `k`, shape (..., h, Tk, d); `v`, shape (..., h, Tk, dv); Tq at most Tk;
    `causal`: each query can use only the keys up to its own position, so the last query can use them all.
    Returns: shape (..., h, Tq, dv).
    Example: for one head, q = [[[0]]], k = [[[1], [1]]] and v = [[[0], [1]]]: the slope is 1/256, the
    scores are [−1/256, 0], and the result is [[[0.50098]]].
    Source: Press et al. 2022 §3.
    """
    # BEGIN SOLUTION
    q, k, v, dtype = _features(q, k, v)
    head_dim = _check_size(q.shape[-1], "head_dim", 1)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(head_dim)
    n_heads, q_len, k_len = scores.shape[-3:]
    scores = scores + alibi_bias(n_heads, q_len, k_len)
    if causal:
        ahead = ~np.tri(q_len, k_len, k_len - q_len, dtype=bool)
        scores = np.where(ahead, -np.inf, scores)
    return (_softmax(scores) @ v).astype(dtype)
    # END SOLUTION


# Answer with a number, True or False.
ANSWERS = {
    # What is the slope of the first of 8 heads?
    "first_slope_8_heads": 0.5,  # 2^(−8/8): the exponent starts at one step, not at zero
    # What is the slope of the last of 8 heads?
    "last_slope_8_heads": 2.0**-8,  # 2^(−64/8) = 1/256
    # Is anything added to the token embeddings?
    "added_to_embeddings": False,  # only the scores change
    # How many trainable parameters does ALiBi add to a model?
    "parameters": 0,  # the slopes are fixed before training
    # For practice, no points. The slope is 1/2. Two keys match equally well, and the second is one position further
    # away. What factor turns the weight of the first key into the weight of the second?
    "weight_ratio_of_neighbours_slope_one_half": math.exp(-0.5),  # the bias differs by −1/2, whatever the distance
    # For practice, no points. What is the largest slope for 12 heads?
    "steepest_slope_of_12_heads": 2.0**-0.5,  # the first slope for 16 heads, which head 8 gets
}
