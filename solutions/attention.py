"""Attention without positions: attention ignores the order of the tokens.

Attention (Vaswani et al. 2017) compares every query with every key. Attention then averages the values, and gives more
weight to values whose keys match the query better. Nothing in attention depends on the order of the rows. If you
shuffle the tokens, self-attention gives the same outputs, shuffled the same way: self-attention is
permutation-equivariant. If you average self-attention's outputs into one vector, shuffling does not change that vector
at all: it is permutation-invariant. The words equivariant and invariant are often confused. Every encoding in this
course exists to break the permutation equivariance of attention, so that order matters.

Conventions: `...` stands for any number of leading axes (batch, heads), possibly none. The last two axes are (sequence,
feature). A mask is boolean; True means "may attend". A bias is added to the scaled scores. Masks and biases broadcast
over the leading axes. A result is float32 if every feature array (q, k, v, x, weights, scores) is float32, else
float64; masks and biases do not affect the dtype.
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


def causal_mask(length):
    """Return a language model's mask: row i can attend to rows 0 … i, including itself.

        mask[i, j] = (j ≤ i)

    Parameters: `length`, the number of tokens T, an int.
    Returns: boolean, shape (T, T), True on and below the diagonal.
    Example: causal_mask(3) is [[True, False, False], [True, True, False], [True, True, True]].
    Source: Vaswani et al. 2017 §3.2.3.
    """
    # BEGIN SOLUTION
    if length < 0:
        raise ValueError(f"length must not be negative; got {length}")
    return np.tril(np.ones((length, length), dtype=bool))
    # END SOLUTION


def permute_tokens(x, order):
    """Reorder the tokens: row t of the result is row order[t] of x.

        permute_tokens(x, order) = P x,   P[t, order[t]] = 1 and 0 elsewhere

    `order` says where each row of the result comes from, not where each row of x goes. If `order` said where each row
    of x goes, the inverse permutation would apply, which is the same for two tokens but often differs for three or
    more.

    Parameters: `x`, shape (..., T, d); `order`, ints, shape (T,), with each of 0 … T−1 exactly once.
    Returns: the shape of x.
    Raises: ValueError unless order is a permutation of 0 … T−1.
    Example: permute_tokens([[10], [20], [30]], [2, 0, 1]) is [[30], [10], [20]].
    """
    # BEGIN SOLUTION
    (x, dtype), order = _features(x), np.asarray(order)
    length = x.shape[-2]
    if sorted(order.tolist()) != list(range(length)):
        raise ValueError(f"order must hold each of the {length} rows exactly once; got {order.tolist()}")
    return np.take(x, order, axis=-2).astype(dtype)
    # END SOLUTION


def softmax(scores, axis=-1):
    """Turn scores into non-negative weights that sum to 1 along an axis.

        softmax(s)_j = exp(s_j) / Σ_l exp(s_l) = exp(s_j − c) / Σ_l exp(s_l − c)   for every c

    A slice is a 1-D array of numbers along the axis. Use the second form, with c equal to the largest score in the
    slice. With this c, no exponent exceeds 0, so nothing overflows, and the largest term is 1, so the sum is not 0. If
    every score in a slice is −inf (a query with no allowed key), all weights of the slice are 0.

    Parameters: `scores`, any shape; `axis`, the axis along which the weights sum to 1.
    Returns: the shape of scores.
    Example: softmax([0, ln 3]) is [0.25, 0.75], and so is softmax([1000, 1000 + ln 3]).
    Source: Vaswani et al. 2017 §3.2.1.
    """
    # BEGIN SOLUTION
    scores, dtype = _features(scores)
    # −inf − (−inf) is NaN, so a slice of only −inf is shifted by the lowest finite number instead.
    peak = scores.max(axis=axis, keepdims=True, initial=np.finfo(scores.dtype).min)
    weights = np.exp(scores - peak)
    # The largest term is exp(0) = 1, so the sum is below 1 only for a slice of −inf, whose zeros stay zeros.
    total = weights.sum(axis=axis, keepdims=True).clip(min=1)
    return (weights / total).astype(dtype)
    # END SOLUTION


def attention_weights(q, k, mask=None, bias=None):
    """Return each query's attention weights over the keys: one row per query.

        weights = softmax(q kᵀ / √d + bias),   along the keys; the weight is 0 if the mask is False

    d is the width of q and k, not of the model. If the d features are independent, with mean 0 and variance 1, the dot
    product has variance d. Dividing by √d restores the variance to 1; otherwise, for large d, one key would get almost
    all the weight. If a whole row of the mask is False, the weights in that row are 0.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `mask`, boolean (True = may attend), and
    `bias`, numeric. The shapes of mask and bias broadcast with (..., Tq, Tk) and may add leading axes.
    Returns: shape (..., Tq, Tk).
    Raises: ValueError if the mask or the bias has more queries or keys than (..., Tq, Tk), even though numpy
    would repeat a single query or key to match.
    Example: q = [[1, 0]] and k = [[1, 0], [0, 1]] give the scores [[1/√2, 0]] and the weights [[0.6698, 0.3302]].
    Source: Vaswani et al. 2017 §3.2.1, eq. 1.
    """
    # BEGIN SOLUTION
    q, k, dtype = _features(q, k)
    if q.shape[-1] < 1:
        raise ValueError(f"q needs at least one feature; got shape {q.shape}")
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    *_, n_queries, n_keys = scores.shape
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    # numpy repeats a single query or key until a mask of several rows or columns fits.
    if scores.shape[-2:] != (n_queries, n_keys):
        raise ValueError(f"mask or bias makes scores of shape {scores.shape} of {n_queries} queries and {n_keys} keys")
    return softmax(scores).astype(dtype)
    # END SOLUTION


def attention(q, k, v, mask=None, bias=None):
    """Average the values: each query gets an average of v, weighted by its attention weights.

        attention(q, k, v)_i = Σ_j weights[i, j] · v_j

    The sum over j does not depend on the order of its terms. If you shuffle keys and values together, every query still
    gets the same output. If you shuffle the queries, the outputs are shuffled the same way.

    Parameters: as for attention_weights, and `v`, shape (..., Tk, dv).
    Returns: shape (..., Tq, dv).
    Example: with q and k from the example of attention_weights, v = [[10], [20]] gives [[13.302]].
    Source: Vaswani et al. 2017 §3.2.1, eq. 1.
    """
    # BEGIN SOLUTION
    q, k, v, dtype = _features(q, k, v)
    return (attention_weights(q, k, mask, bias) @ v).astype(dtype)
    # END SOLUTION


def self_attention(x, w_q, w_k, w_v, mask=None):
    """Attention of a sequence to itself: queries, keys and values come from the same rows.

        q = x w_q,   k = x w_k,   v = x w_v,   output = attention(q, k, v, mask)

    w_q, w_k and w_v are learned matrices: a model finds their values in training. In this function, the matrices are
    passed as arguments.

    Parameters: `x`, shape (..., T, dx); `w_q` and `w_k`, shape (dx, d); `w_v`, shape (dx, dv); `mask` as in
    attention_weights, with Tq = Tk = T.
    Returns: shape (..., T, dv).
    Example: x = [[1, 0], [0, 1]] with identity weights gives [[0.6698, 0.3302], [0.3302, 0.6698]].
    Source: Vaswani et al. 2017 §3.2.2 and §3.2.3, one head.
    """
    # BEGIN SOLUTION
    x, w_q, w_k, w_v, dtype = _features(x, w_q, w_k, w_v)
    return attention(x @ w_q, x @ w_k, x @ w_v, mask).astype(dtype)
    # END SOLUTION


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    """Measure how much the result changes if the tokens are shuffled before attention instead of after it.

        gap = max |P · self_attention(x) − self_attention(P x)|,   P x = permute_tokens(x, order)

    A gap of zero, up to rounding, means that the outputs moved with their tokens but did not change otherwise. Use the
    same mask in both terms of the gap: a mask belongs to the positions, not to the tokens.

    Parameters: as for self_attention and permute_tokens.
    Returns: a float, computed in float64 whatever the dtype of the features.
    Example: x = [[1, 0], [0, 1]], identity weights, order [1, 0] and no mask: 0, up to rounding.
    Source: Lee et al. 2019 (Set Transformer) §3, for the property.
    """
    # BEGIN SOLUTION
    x, _ = _features(x)
    difference = permute_tokens(self_attention(x, w_q, w_k, w_v, mask), order)
    difference -= self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(difference).max())
    # END SOLUTION


def bag_of_tokens(x, w_q, w_k, w_v):
    """Return one vector for the whole sequence: the mean of self-attention's outputs over the tokens.

        bag = (1/T) Σ_t self_attention(x)_t

    If you shuffle the tokens, self-attention only shuffles its outputs, and a mean does not depend on the order of its
    terms. The mean therefore does not depend on the order of the tokens: it is permutation-invariant.

    Parameters: as for self_attention, but without a mask.
    Returns: shape (..., dv).
    Example: x = [[1, 0], [0, 1]] with identity weights gives [0.5, 0.5], in either order.
    Source: Lee et al. 2019 (Set Transformer) §2.1, for the property.
    """
    # BEGIN SOLUTION
    *arrays, dtype = _features(x, w_q, w_k, w_v)
    return self_attention(*arrays).mean(axis=-2).astype(dtype)
    # END SOLUTION


def split_heads(x, n_heads):
    """Split each token's features into equal blocks, one block per head.

        head j of token t = x[..., t, j·dh : (j+1)·dh],   dh = d / n_heads

    A transformer computes attention several times side by side. Each of these computations is called a head,
    and uses its own part of the features. Head j gets dh neighbouring columns, the same columns for every
    token. The head axis comes before the sequence axis, so `attention` treats the head axis as a leading
    axis.

    Parameters: `x`, shape (..., T, d); `n_heads`, the number of heads h, an int.
    Returns: shape (..., h, T, d/h).
    Example: split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2) is [[[1, 2], [5, 6]], [[3, 4], [7, 8]]].
    Source: Vaswani et al. 2017 §3.2.2.
    """
    # BEGIN SOLUTION
    x, dtype = _features(x)
    width = x.shape[-1]
    if not 1 <= n_heads <= width or width % n_heads:
        raise ValueError(f"{width} features cannot be cut into {n_heads} equal heads")
    blocks = x.reshape(*x.shape[:-1], n_heads, width // n_heads)
    return np.swapaxes(blocks, -2, -3).astype(dtype)
    # END SOLUTION


def merge_heads(x):
    """Put the heads' blocks back side by side: the inverse of split_heads.

        result[..., t, j·dh : (j+1)·dh] = x[..., j, t, :]

    Parameters: `x`, shape (..., h, T, dh).
    Returns: shape (..., T, h·dh).
    Example: merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]) is [[1, 2, 3, 4], [5, 6, 7, 8]].
    Source: Vaswani et al. 2017 §3.2.2.
    """
    # BEGIN SOLUTION
    x, dtype = _features(x)
    tokens = np.swapaxes(x, -2, -3)  # with fewer than three axes, numpy raises a ValueError
    *leading, length, n_heads, width = tokens.shape
    return tokens.reshape(*leading, length, n_heads * width).astype(dtype)
    # END SOLUTION


# Answer with True, False or a number.
ANSWERS = {
    # Is self-attention still permutation-equivariant if you use the same causal mask both times?
    "causal_mask_keeps_equivariance": False,  # a token that moves to a different row may use different rows
    # No positions, no mask: does each pair of words score the same in "dog bites man" and in "man bites dog"?
    "same_attention_scores_dog_bites_man": True,  # a score depends only on the two words, not on their positions
    # For practice, no points. One of 1,024 keys has a score 7 higher than each of the others. What is its weight?
    "weight_with_a_lead_of_7_among_1024": np.exp(7) / (np.exp(7) + 1023),  # the others together get almost as much
}
