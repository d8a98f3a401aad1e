"""Attention without positions: a machine that cannot see order.

Attention (Vaswani et al. 2017) compares every query with every key and mixes the values by how well
they match. Nothing in it says which row stood first. Shuffle the tokens, and self-attention gives the
same outputs, shuffled the same way: it is permutation-equivariant. Pool those outputs into one vector,
and the shuffle is gone altogether: the pooled bag is permutation-invariant. The two words are often
mixed up; keep them apart. Every encoding in this course exists to break the first property.

Conventions: `...` is any number of leading axes (batch, heads), zero included; the last two axes are
(sequence, feature). A mask is boolean and True means "may attend"; a bias is added to the scaled scores;
both broadcast. Results are float32 where every feature array (q, k, v, x, weights, scores) is float32,
else float64; masks and biases never decide. No function changes an argument in place. A bad argument
raises ValueError with the offending value, or the shape, in its message.
"""

import numpy as np


def softmax(scores, axis=-1):
    """Turn scores into weights that are positive and sum to one along an axis.

        softmax(s)_j = exp(s_j) / Σ_l exp(s_l) = exp(s_j − c) / Σ_l exp(s_l − c)   for every c

    The second form is why huge scores do no harm: with c = max s no exponent is above 0, so nothing
    overflows, and the largest term is 1, so the sum is never 0. One case is left: a slice that is −inf
    throughout, a query that may attend to nothing. Nothing is attended to, so every weight is 0.

    Parameters: `scores`, any shape; `axis`, the axis that the weights sum along.
    Returns: the shape of scores; float32 where scores is float32, else float64.
    Raises: ValueError (numpy's AxisError is one) for an axis that scores does not have.
    Example: softmax([0, ln 3]) is [0.25, 0.75], and so is softmax([1000, 1000 + ln 3]).
    Source: Vaswani et al. 2017 §3.2.1.
    """
    raise NotImplementedError("softmax is not written yet")


def attention_weights(q, k, mask=None, bias=None):
    """How much each query attends to each key: a row of weights for every query.

        weights = softmax(q kᵀ / √d + bias),   along the keys; where the mask is False, the weight is 0

    The dot product of d independent features of variance 1 has variance d; dividing by √d brings it back
    to 1, so that a wide head does not start out saturated. d is the width of q and k, not of the model.
    A row whose mask is False throughout is all zeros.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `mask`, boolean, True = may attend, and
    `bias`, numbers, both of a shape that broadcasts to (..., Tq, Tk).
    Returns: shape (..., Tq, Tk); float32 where q and k both are, else float64.
    Raises: ValueError for q and k without features or of different d, and for a mask or bias that does not
    fit (..., Tq, Tk).
    Example: q = [[1, 0]], k = [[1, 0], [0, 1]] score [1/√2, 0], which weighs [[0.6698, 0.3302]].
    Source: Vaswani et al. 2017 §3.2.1, eq. 1.
    """
    raise NotImplementedError("attention_weights is not written yet")


def attention(q, k, v, mask=None, bias=None):
    """Mix the values: each query gets the average of v, weighted by its attention weights.

        attention(q, k, v)_i = Σ_j weights[i, j] · v_j

    The sum over j does not care in which order its terms come. Shuffle keys and values together and every
    query still gets the same answer: attention is invariant in its keys, equivariant in its queries.

    Parameters: as attention_weights, and `v`, shape (..., Tk, dv).
    Returns: shape (..., Tq, dv); float32 where q, k and v all are, else float64.
    Raises: ValueError as attention_weights does, and for v that does not have one row for each key.
    Example: with the q and k of attention_weights' example, v = [[10], [20]] gives [[13.302]].
    Source: Vaswani et al. 2017 §3.2.1, eq. 1.
    """
    raise NotImplementedError("attention is not written yet")


def causal_mask(length):
    """The mask of a language model: row i may attend to rows 0 … i, itself included.

        mask[i, j] = (j ≤ i)

    Parameters: `length`, the number of tokens T, an int.
    Returns: boolean, shape (T, T), True on and below the diagonal.
    Raises: ValueError for a negative length.
    Example: causal_mask(3) is [[True, False, False], [True, True, False], [True, True, True]].
    Source: Vaswani et al. 2017 §3.2.3.
    """
    raise NotImplementedError("causal_mask is not written yet")


def self_attention(x, w_q, w_k, w_v, mask=None):
    """Attention of a sequence to itself: queries, keys and values all come from the same rows.

        q = x w_q,   k = x w_k,   v = x w_v,   output = attention(q, k, v, mask)

    Parameters: `x`, shape (..., T, d); `w_q` and `w_k`, shape (d, dk); `w_v`, shape (d, dv); `mask` as in
    attention_weights, with Tq = Tk = T.
    Returns: shape (..., T, dv); float32 where x and all weights are, else float64.
    Raises: ValueError for weights that do not fit x or each other, and as attention does.
    Example: x = [[1, 0], [0, 1]] with identity weights gives [[0.6698, 0.3302], [0.3302, 0.6698]].
    Source: Vaswani et al. 2017 §3.2.2 and §3.2.3, one head.
    """
    raise NotImplementedError("self_attention is not written yet")


def permute_tokens(x, order):
    """Put the tokens in another order: row t of the result is row order[t] of x.

        permute_tokens(x, order) = P x,   P[t, order[t]] = 1 and 0 elsewhere

    `order` says where each row comes from, not where it goes to; the two are inverse permutations and
    differ from three tokens on.

    Parameters: `x`, shape (..., T, d); `order`, ints, shape (T,), each of 0 … T−1 exactly once.
    Returns: the shape of x; float32 where x is float32, else float64.
    Raises: ValueError unless order is a permutation of 0 … T−1.
    Example: permute_tokens([[10], [20], [30]], [2, 0, 1]) is [[30], [10], [20]].
    """
    raise NotImplementedError("permute_tokens is not written yet")


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    """How far self-attention is from commuting with a reordering of the tokens.

        gap = max |P · self_attention(x) − self_attention(P x)|,   P x = permute_tokens(x, order)

    Zero, up to rounding, means: the outputs moved with their tokens and otherwise did not change. The mask
    stays where it is both times: it belongs to the places, not to the tokens.

    Parameters: as self_attention and permute_tokens.
    Returns: a float, computed in float64 whatever the features are.
    Raises: ValueError as self_attention and permute_tokens do.
    Example: x = [[1, 0], [0, 1]], identity weights, order [1, 0] and no mask: 0, up to rounding.
    Source: Lee et al. 2019 (Set Transformer) §3, for the property.
    """
    raise NotImplementedError("equivariance_gap is not written yet")


def bag_of_tokens(x, w_q, w_k, w_v):
    """One vector for the whole sequence: the mean over tokens of self-attention's output.

        bag = (1/T) Σ_t self_attention(x)_t

    A mean forgets the order of its terms, and self-attention only reorders them: the bag is the same for
    every order of the tokens. This, not self-attention itself, is what "permutation-invariant" means.

    Parameters: as self_attention, without a mask.
    Returns: shape (..., dv); float32 where x and all weights are, else float64.
    Raises: ValueError as self_attention does.
    Example: x = [[1, 0], [0, 1]] with identity weights gives [0.5, 0.5], in either order.
    Source: Lee et al. 2019 (Set Transformer) §2.1, for the property.
    """
    raise NotImplementedError("bag_of_tokens is not written yet")


# Answer with True or False.
ANSWERS = {
    # Is self-attention still permutation-equivariant when the same causal mask is applied both times?
    "causal_mask_keeps_equivariance": None,
    # No positions, no mask: do "dog bites man" and "man bites dog" score each pair of words alike?
    "same_attention_scores_dog_bites_man": None,
}
