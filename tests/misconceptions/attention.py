"""Known mistakes with attention: incorrect versions of single functions, each of which must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint leaves the fix to the student.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import another_correct_way, mistake, without_effect
from solutions import attention


def exact(*arrays):
    return [np.asarray(array, dtype=np.float64) for array in arrays]


def weigh(q, k, mask, bias, *, scale=None, axis=-1, blocked=-np.inf):
    """Attention weights with the scale, softmax axis and masked score that an entry passes."""
    q, k = exact(q, k)
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, blocked)
    return attention.softmax(scores, axis)


# bag_of_tokens, the mean of the values
# This entry comes first because the first one that fits gives the hint. With the softmax over the queries, every key's
# weights sum to 1, so the mean of the outputs is also the mean of the values. The hint names the more likely cause.


AVERAGED_BEFORE = (
    "You averaged before attention. The mean of the values, or of the rows of x, is also invariant, but it uses no "
    "attention. The rule: average the outputs of self-attention."
)


@mistake("bag_of_tokens", "expected: the mean taken before attention", hint=AVERAGED_BEFORE)
def bag_of_values(x, w_q, w_k, w_v):
    x, w_v = exact(x, w_v)
    return (x @ w_v).mean(axis=-2)


@mistake("bag_of_tokens", "expected: other courses' bag of words, without any weights", hint=AVERAGED_BEFORE)
def bag_of_inputs(x, w_q, w_k, w_v):
    return exact(x)[0].mean(axis=-2)


@mistake("softmax", "intel/xFasterTransformer #326; NVIDIA/FasterTransformer #43; pyg-team/pytorch_geometric #53")
def softmax_without_a_shift(scores, axis=-1):
    """You took exp of the raw scores, which overflows for a huge score and is 0 for a very negative one. The
    rule: subtract the maximum of each slice before the exponential."""
    weights = np.exp(exact(scores)[0])
    total = weights.sum(axis=axis, keepdims=True)
    return (weights / np.where(total == 0, 1, total)).astype(attention.softmax(scores, axis).dtype)


@mistake("softmax", "expected: np.max without its axis; NVIDIA/FasterTransformer #43 proposes it as the fix")
def softmax_shifted_by_the_maximum_of_all(scores, axis=-1):
    """You subtracted the maximum of the whole array, so in a slice far below it, every exponential is 0. The
    rule: each slice has its own maximum."""
    highest = np.max(scores)
    return softmax_without_a_shift.implementation(scores - (highest if np.isfinite(highest) else 0), axis)


@mistake("softmax", "expected: an axis reduced and not kept")
def softmax_with_maxima_that_are_not_kept(scores, axis=-1):
    """You dropped the reduced axis, so numpy combines each maximum or sum with the wrong slice. The rule: keep the
    reduced axis, with length 1."""
    (scores,) = exact(scores)
    weights = np.exp(scores - scores.max(axis=axis))
    return weights / weights.sum(axis=axis)


@mistake("softmax", "expected: the exponentials returned as they are")
def softmax_without_its_sum(scores, axis=-1):
    """You did not divide the weights by their sum. The rule: the weights of each slice along `axis` sum to 1."""
    right = attention.softmax(scores, axis)
    highest = right.max(axis=axis, keepdims=True, initial=0)
    return right / np.where(highest == 0, 1, highest)


NUMBER_ADDED_TO_THE_SUM = (
    "You added a small number to the sum, so the weights no longer sum to 1. The rule: divide by the sum itself, which "
    "is at least 1 after the largest score of the slice is subtracted; only a slice of −∞ alone has the sum 0."
)


def softmax_with_a_larger_sum(digits):
    """Return an entry for a softmax that adds a small number to the denominator to avoid dividing by 0."""

    def larger_sum(scores, axis=-1):
        (scores,) = exact(scores)
        highest = scores.max(axis=axis, keepdims=True)
        powers = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
        return powers / (powers.sum(axis=axis, keepdims=True) + 10.0**-digits)

    larger_sum.__name__ = f"softmax_with_1e_minus_{digits}_added_to_the_sum"
    return mistake("softmax", "expected: other libraries' epsilon", hint=NUMBER_ADDED_TO_THE_SUM)(larger_sum)


vars().update({entry.name: entry for entry in map(softmax_with_a_larger_sum, range(5, 8))})


@mistake("softmax", "expected: the exponentials returned as they are, and no maximum subtracted")
def exponentials_of_the_scores(scores, axis=-1):
    """You did not divide the weights by their sum. The rule: the weights of each slice along `axis` sum to 1."""
    return np.exp(exact(scores)[0]).astype(attention.softmax(scores, axis).dtype)


@mistake("softmax", "expected: axis=0 written into the function")
def softmax_along_the_first_axis_always(scores, axis=-1):
    """Your weights sum to 1 along the first axis, regardless of `axis`. The rule: both the maximum and the sum
    use `axis`."""
    return attention.softmax(scores, 0)


@mistake("softmax", "expected: the subtraction reversed")
def softmax_of_the_negative(scores, axis=-1):
    """The largest score has the smallest weight in your result, because you took e to the power of the maximum
    minus the score. The rule: take e to the power of the score minus the maximum."""
    (scores,) = exact(scores)
    return attention.softmax(np.where(np.isneginf(scores), scores, -scores), axis)


@mistake("softmax", "expected: np.sum without its axis")
def softmax_divided_by_the_sum_of_all(scores, axis=-1):
    """You divided by the sum over the whole array, so all weights together sum to 1. The rule: each slice along `axis`
    sums to 1."""
    peak = np.max(scores, axis=axis, keepdims=True, initial=np.finfo(np.float64).min)
    weights = np.exp(np.subtract(scores, peak, dtype=np.float64))
    return weights / max(weights.sum(), 1)


@mistake("softmax", "expected: axis=-1 written into the body")
def softmax_along_the_last_axis_always(scores, axis=-1):
    """Your weights sum to 1 along the last axis, regardless of `axis`. The rule: both the maximum and the sum use
    `axis`."""
    return attention.softmax(scores)


@mistake("softmax", "tracel-ai/burn #4694; pytorch/pytorch #131060")
def softmax_of_nothing_is_nan(scores, axis=-1):
    """You computed −∞ − (−∞), which is NaN. The rule: if every score in a slice is −∞, all its weights are 0."""
    shifted = np.subtract(scores, np.max(scores, axis=axis, keepdims=True), dtype=np.float64)
    weights = np.exp(shifted)
    return (weights / weights.sum(axis=axis, keepdims=True)).astype(attention.softmax(scores, axis).dtype)


@mistake("attention_weights", "labmlai/annotated_deep_learning_paper_implementations #146, #282")
def softmax_over_the_queries(q, k, mask=None, bias=None):
    """In your result, the weights of each key sum to 1. The rule: the weights of each query sum to 1, so the
    softmax runs along the keys, the last axis of the scores."""
    return weigh(q, k, mask, bias, axis=-2)


@mistake("attention_weights", "mlc-ai/mlc-llm #3426; delzac/cntkx #10")
def scores_without_their_scale(q, k, mask=None, bias=None):
    """Your scores are too large by a factor of √d. The rule: divide q kᵀ by the square root of the width of q."""
    return weigh(q, k, mask, bias, scale=1.0)


@mistake("attention_weights", "expected: the root forgotten")
def scores_divided_by_the_width(q, k, mask=None, bias=None):
    """Your scores are too small by a factor of √d, because you divided them by d. The rule: divide by the square root
    of d."""
    return weigh(q, k, mask, bias, scale=np.shape(q)[-1])


@mistake("attention_weights", "esceptico/perceiver-io #9")
def scores_divided_by_the_inverse(q, k, mask=None, bias=None):
    """Your scores are d times too large, because you divided by 1/√d. The rule: divide by √d, which makes the scores
    smaller."""
    return weigh(q, k, mask, bias, scale=np.shape(q)[-1] ** -0.5)


@mistake("attention_weights", "lucidrains/x-transformers #160; huggingface/transformers #38094")
def mask_read_the_other_way_round(q, k, mask=None, bias=None):
    """You reversed the mask's meaning. The rule: True means that the query may attend to the key."""
    return attention.attention_weights(q, k, None if mask is None else ~np.asarray(mask), bias)


@mistake("attention_weights", "expected: the bias added before the scale")
def bias_scaled_with_the_scores(q, k, mask=None, bias=None):
    """You divided the bias by √d as well. The rule: scale the scores first, then add the bias without scaling it."""
    smaller = None if bias is None else np.asarray(bias) / np.sqrt(np.shape(q)[-1])
    return attention.attention_weights(q, k, mask, smaller)


@mistake("attention_weights", "YutaroOgawa/pytorch_advanced #175, and most tutorials that fill with −1e9")
def masked_scores_of_minus_a_billion(q, k, mask=None, bias=None):
    """You replaced masked scores with a large negative number: in a fully masked row, all scores are then equal,
    so forbidden keys get weight. The rule: a masked score is −∞, and the weights of a fully masked row are 0."""
    return weigh(q, k, mask, bias, blocked=-1e9)


@mistake("attention_weights", "expected: the scores multiplied by the mask")
def masked_scores_of_zero(q, k, mask=None, bias=None):
    """You gave masked pairs the score 0, but e⁰ is 1, so they still get weight. The rule: a masked score is −∞,
    so that the weight is 0."""
    return weigh(q, k, mask, bias, blocked=0.0)


@mistake("attention_weights", "expected: the mask multiplied in last")
def weights_masked_after_the_softmax(q, k, mask=None, bias=None):
    """You masked the weights after the softmax, so they no longer sum to 1. The rule: mask the scores before the
    softmax."""
    right = attention.attention_weights(q, k, mask, bias)
    unmasked = attention.attention_weights(q, k, None, bias)
    return right if mask is None else unmasked * np.asarray(mask).astype(right.dtype)


@mistake("attention_weights", "expected: a bias is mistaken for a distance that should cost something")
def bias_subtracted(q, k, mask=None, bias=None):
    """You subtracted the bias. The rule: add the bias to the scaled scores; a bias that lowers a score is already
    negative."""
    return attention.attention_weights(q, k, mask, None if bias is None else -np.asarray(bias))


@mistake("attention_weights", "expected: the four steps in the wrong order")
def bias_added_to_the_weights(q, k, mask=None, bias=None):
    """You added the bias to the weights. The rule: the bias belongs to the scores, before the softmax."""
    right = attention.attention_weights(q, k, mask, bias)
    return right if bias is None else attention.attention_weights(q, k, mask) + np.asarray(bias)


@mistake("attention_weights", "expected: PyTorch adds a mask of floats, and here the mask is boolean")
def mask_added_as_a_number(q, k, mask=None, bias=None):
    """You added the mask to the scores as if it were a number, so True raises a score by 1. The rule: a score is
    −∞ where the mask is False."""
    right = attention.attention_weights(q, k, mask, bias)
    if mask is None:
        return right
    total = np.asarray(mask, dtype=np.float64) if bias is None else np.asarray(bias) + np.asarray(mask)
    return attention.attention_weights(q, k, bias=total)


@mistake("attention_weights", "expected: shape[1], as for a matrix")
def scaled_by_axis_one(q, k, mask=None, bias=None):
    """You took d from axis 1 of q, which is the width only if q has no leading axes. The rule: d is the last axis of
    q."""
    return weigh(q, k, mask, bias, scale=np.sqrt(np.shape(q)[1]))


@mistake("attention_weights", "expected: len(q)")
def scaled_by_axis_zero(q, k, mask=None, bias=None):
    """You took d from axis 0 of q, which is the number of queries if q has no leading axes. The rule: d is the last
    axis of q."""
    return weigh(q, k, mask, bias, scale=np.sqrt(len(q)))


@mistake("attention_weights", "expected: k.shape[-2] instead of k.shape[-1]")
def scaled_by_the_number_of_keys(q, k, mask=None, bias=None):
    """You divided by the square root of the number of keys. The rule: divide by √d, where d is the width of q and k."""
    return weigh(q, k, mask, bias, scale=np.sqrt(np.shape(k)[-2]))


@mistake("attention", "huggingface/transformers #48843 (one path drops additive biases)")
def attention_without_its_bias(q, k, v, mask=None, bias=None):
    """Your weights do not depend on the bias. The rule: `attention` uses both the mask and the bias to compute the
    weights."""
    return attention.attention(q, k, v, mask)


@mistake("attention", "expected: an argument not passed on")
def attention_without_its_mask(q, k, v, mask=None, bias=None):
    """Your weights do not depend on the mask. The rule: `attention` uses both the mask and the bias to compute the
    weights."""
    return attention.attention(q, k, v, bias=bias)


@mistake("causal_mask", "rasbt/LLMs-from-scratch #1062, and the opposite conventions within PyTorch")
def causal_mask_of_what_is_forbidden(length):
    """Your mask is True for forbidden pairs. The rule: True means that the query may attend to the key, so row i is
    True for keys 0 … i."""
    return ~attention.causal_mask(length)


@mistake("causal_mask", "expected: triu instead of tril, or rows mistaken for keys")
def causal_mask_of_the_future(length):
    """Your mask is True on the wrong side of the diagonal. The rule: row i belongs to query i, which may
    attend to itself and to the tokens before it."""
    return attention.causal_mask(length).T


@mistake("causal_mask", "pbloem/former #10")
def causal_mask_without_the_diagonal(length):
    """You left out the diagonal. The rule: a token may attend to itself; token 0 has no other key."""
    return attention.causal_mask(length) & ~np.eye(length, dtype=bool)


@mistake("self_attention", "karpathy/ng-video-lecture #6; omihub777/ViT-CIFAR #11; lucidrains/vit-pytorch #65")
def scaled_by_the_width_of_the_model(x, w_q, w_k, w_v, mask=None):
    """You divided the scores by the square root of the width of x, not of the queries. The rule: divide by the square
    root of the width of the queries and keys."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    return attention.self_attention(x, np.sqrt(w_q.shape[-1] / x.shape[-1]) * w_q, w_k, w_v, mask)


@mistake("self_attention", "expected: the two weights look alike, and often have the same shape")
def queries_and_keys_exchanged(x, w_q, w_k, w_v, mask=None):
    """You swapped queries and keys. The rule: row i of the scores belongs to query i, which is computed with w_q."""
    return attention.self_attention(x, w_k, w_q, w_v, mask)


@mistake("self_attention", "expected: a layer whose values are the features themselves")
def features_as_values(x, w_q, w_k, w_v, mask=None):
    """You averaged the rows of x. The rule: the values are x w_v; they have separate weights, as queries and keys
    do."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    values = np.zeros((*x.shape[:-1], w_v.shape[-1]))
    kept = min(x.shape[-1], w_v.shape[-1])
    values[..., :kept] = x[..., :kept]
    return attention.attention(x @ w_q, x @ w_k, values, mask)


@mistake("self_attention", "expected: the argument is accepted and then forgotten")
def self_attention_without_its_mask(x, w_q, w_k, w_v, mask=None):
    """Your weights do not depend on the mask. The rule: self_attention passes the mask to attention."""
    return attention.self_attention(x, w_q, w_k, w_v)


# split_heads and merge_heads


@mistake("split_heads", "expected: reshape straight to (heads, T, d/h), although the axes must be swapped too")
def heads_cut_without_a_swap(x, n_heads):
    """You split the array in memory order, so a head gets features from different columns for different tokens.
    The rule: a head has the same block of columns for every token; only then does the head axis move in front of
    the sequence."""
    return np.asarray(x).reshape(attention.split_heads(x, n_heads).shape)


@mistake("split_heads", "expected: reshape to (T, d/h, heads); the layout of some checkpoints of fused projections")
def heads_of_every_hth_column(x, n_heads):
    """You gave head j every h-th column. The rule: head j has the j-th block of d/h adjacent columns."""
    x = np.asarray(x)
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, n_heads), -1, -3)


@mistake("split_heads", "expected: the reshape done, the axes not swapped")
def heads_behind_the_tokens(x, n_heads):
    """Your head axis comes after the sequence. The rule: the result has the shape (..., heads, sequence, feature)."""
    return np.swapaxes(attention.split_heads(x, n_heads), -2, -3)


@mistake("merge_heads", "expected: reshape straight to (T, h·d), although the axes must be swapped too")
def heads_merged_without_a_swap(x):
    """You merged the array in memory order, so one row gets features from several tokens. The rule: a row of the result
    holds the blocks of all heads for one token."""
    return np.asarray(x).reshape(attention.merge_heads(x).shape)


@mistake("merge_heads", "expected: the wrong pair of axes swapped before the reshape")
def heads_merged_feature_by_feature(x):
    """You put the same feature of all heads side by side. The rule: the features of one head stay together, one head
    after another."""
    return np.moveaxis(np.asarray(x), -3, -1).reshape(attention.merge_heads(x).shape)


@mistake("permute_tokens", "lablup/mlxcel #1600")
def rows_go_where_they_should_come_from(x, order):
    """You moved row t to row order[t], which applies the inverse of `order`. The rule: row t of the result comes from
    row order[t]."""
    return attention.permute_tokens(x, np.argsort(order))


@mistake("permute_tokens", "expected: x[order] is right only for two axes")
def first_axis_permuted(x, order):
    """You reordered the first axis. The rule: the token axis is the second-to-last axis."""
    return np.asarray(x)[order]


@mistake("equivariance_gap", "expected: everything reordered alike")
def mask_moves_with_the_tokens(x, w_q, w_k, w_v, order, mask=None):
    """Your gap is zero even with a mask: you moved the mask with the tokens, or you left the mask out. The rule: a mask
    belongs to positions, so both outputs use the same mask."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    before = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    if mask is not None:
        mask = np.asarray(mask)[..., order, :][..., order]
    after = attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(before - after).max())


@mistake("equivariance_gap", "expected: much teaching material confuses the two words")
def invariance_measured_instead(x, w_q, w_k, w_v, order, mask=None):
    """You compared the outputs without permuting them, which measures invariance. The rule: equivariant means that the
    outputs are permuted in the same way as the tokens."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    after = attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(attention.self_attention(x, w_q, w_k, w_v, mask) - after).max())


@mistake("equivariance_gap", "expected: the maximum of signed differences")
def gap_of_signed_differences(x, w_q, w_k, w_v, order, mask=None):
    """You took the maximum of signed differences, so negative differences are lost. The rule: take absolute values
    before the maximum."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    before = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    return float((before - attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)).max())


@mistake("equivariance_gap", "expected: the mean absolute error of other courses")
def gap_as_a_mean(x, w_q, w_k, w_v, order, mask=None):
    """You took the mean of the differences. The rule: the gap is the largest of all absolute differences."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    before = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    return float(
        np.abs(before - attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)).mean()
    )


# bag_of_tokens, the others


@mistake("bag_of_tokens", "expected: sum pooling, as in Deep Sets")
def bag_as_a_sum(x, w_q, w_k, w_v):
    """You returned the sum over the tokens. The rule: the bag is the mean over the tokens."""
    return attention.bag_of_tokens(x, w_q, w_k, w_v) * np.float32(np.shape(x)[-2])


@mistake("bag_of_tokens", "expected: BERT reads its answer from one row")
def first_row_as_the_bag(x, w_q, w_k, w_v):
    """You returned the output of the first token, which changes if another token comes first. The rule: return the
    average over all tokens, which does not depend on their order."""
    return attention.self_attention(x, w_q, w_k, w_v)[..., 0, :]


@mistake("bag_of_tokens", "expected: the last axis is the usual one")
def mean_over_the_features(x, w_q, w_k, w_v):
    """You averaged over the features, so there is one number per token. The rule: average over the tokens, along the
    second-to-last axis."""
    return attention.self_attention(x, w_q, w_k, w_v).mean(axis=-1)


@mistake("softmax", "expected: `axis` passed on to the sum only")
def softmax_shifted_along_the_last_axis(scores, axis=-1):
    """You subtracted the maximum along the last axis, regardless of `axis`, so the numbers in one slice are
    shifted by different amounts. The rule: both the maximum and the sum use `axis`."""
    (scores,) = exact(scores)
    highest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


@mistake("softmax", "expected: `axis` passed on to one of the two")
def softmax_summed_along_the_last_axis(scores, axis=-1):
    """You summed along the last axis, regardless of `axis`. The rule: both the maximum and the sum use `axis`."""
    weights = np.asarray(attention.softmax(scores, axis), dtype=np.float64)
    highest = weights.max(axis=axis, keepdims=True, initial=0)
    exponentials = weights / np.where(highest == 0, 1, highest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return (exponentials / np.where(total == 0, 1, total)).astype(attention.softmax(scores, axis).dtype)


@mistake("softmax", "expected: −∞ replaced by a large negative number")
def softmax_of_nothing_is_even(scores, axis=-1):
    """When every score in a slice is −∞, you give all its keys the same weight. The rule: if every score in a
    slice is −∞, all its weights are 0."""
    right = attention.softmax(scores, axis)
    forbidden = np.isneginf(np.asarray(scores, dtype=np.float64)).all(axis=axis, keepdims=True)
    return np.where(forbidden, right.dtype.type(1 / np.shape(scores)[axis]), right)


@mistake("softmax", "expected: any number may be subtracted, and the mean is the first that comes to mind")
def mean_subtracted(scores, axis=-1):
    """You subtracted the mean, so exp of a score far above it still overflows. The rule: subtract the slice's largest
    score."""
    scores = np.asarray(scores, dtype=np.float64)
    powers = np.exp(scores - np.where(np.isfinite(scores), scores, 0).mean(axis=axis, keepdims=True))
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


@mistake("bag_of_tokens", "expected: axis 0 is the sequence only if there are two axes")
def mean_over_the_batch(x, w_q, w_k, w_v):
    """You averaged over the first axis, the batch. The rule: average over the tokens, along the second-to-last axis."""
    return attention.self_attention(x, w_q, w_k, w_v).mean(axis=0)


@mistake("self_attention", "expected: the weights of PyTorch's nn.Linear, which are stored transposed")
def weights_of_a_linear_layer(x, w_q, w_k, w_v, mask=None):
    """You multiplied by the transposed weights, x wᵀ. The rule: compute x w; a weight matrix has one row per feature of
    x."""
    return attention.self_attention(x, *(np.swapaxes(weight, -1, -2) for weight in (w_q, w_k, w_v)), mask)


@mistake("attention_weights", "expected: the number of pairs mistaken for the number of features")
def scaled_by_half_the_width(q, k, mask=None, bias=None):
    """You divided by the square root of half the width, d/2. The rule: divide by the square root of d."""
    return attention.attention_weights(np.asarray(q, np.float64) * np.sqrt(2), k, mask, bias)


@mistake("split_heads", "expected: d/h and h swapped in reshape")
def as_many_heads_as_features(x, n_heads):
    """You split the features into d/h heads of h features each. The rule: split the features into h heads of d/h
    features each."""
    right = np.asarray(x)
    apart = right.reshape(*right.shape[:-1], right.shape[-1] // n_heads, n_heads)
    return np.swapaxes(apart, -2, -3)


@mistake("softmax", "expected: the formula as it is written", hint=softmax_without_a_shift.hint)
def softmax_of_the_formula(scores, axis=-1):
    weights = np.exp(exact(scores)[0])
    return weights / weights.sum(axis=axis, keepdims=True)


@mistake("softmax", "expected: an axis summed and not kept", hint=softmax_with_maxima_that_are_not_kept.hint)
def softmax_with_sums_that_are_not_kept(scores, axis=-1):
    (scores,) = exact(scores)
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis)


@mistake("attention", "expected: both optional arguments forgotten in the call")
def neither_mask_nor_bias_passed_on(q, k, v, mask=None, bias=None):
    """Your weights depend on neither the mask nor the bias. The rule: `attention` uses both the mask and the bias to
    compute the weights."""
    return attention.attention(q, k, v)


@mistake("self_attention", "expected: the projection of the values forgotten")
def rows_instead_of_values(x, w_q, w_k, w_v, mask=None):
    """You averaged the rows of x. The rule: average the values, x w_v."""
    x, w_q, w_k = exact(x, w_q, w_k)
    return attention.attention(x @ w_q, x @ w_k, x, mask)


@mistake("self_attention", "expected: the weights written first, as in w x for column vectors")
def weights_on_the_left(x, w_q, w_k, w_v, mask=None):
    """You multiplied by the weights from the left, w x. The rule: compute x w; a row of x is a token."""
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    return attention.attention(w_q @ x, w_k @ x, w_v @ x, mask)


@mistake("self_attention", "expected: one of three weights transposed")
def value_weights_transposed(x, w_q, w_k, w_v, mask=None):
    """You multiplied by the transposed value weights. The rule: the values are x w_v; a weight matrix has one row per
    feature of x."""
    return attention.self_attention(x, w_q, w_k, np.swapaxes(w_v, -1, -2), mask)


@mistake("bag_of_tokens", "expected: mean() without its axis")
def mean_over_everything(x, w_q, w_k, w_v):
    """You averaged over all axes. The rule: average over the tokens, along the second-to-last axis, so that one vector
    is left."""
    return attention.self_attention(x, w_q, w_k, w_v).mean()


@mistake("bag_of_tokens", "expected: keepdims left over from the softmax")
def axis_of_the_tokens_kept(x, w_q, w_k, w_v):
    """You kept the token axis, with length 1. The rule: the bag is a single vector, without a token axis."""
    return attention.self_attention(x, w_q, w_k, w_v).mean(axis=-2, keepdims=True)


@mistake("attention_weights", "expected: q and k swapped in the product")
def keys_ask_queries(q, k, mask=None, bias=None):
    """Your rows belong to the keys, because you computed k qᵀ. The rule: row i belongs to query i, so compute q kᵀ."""
    return weigh(k, q, mask, bias)


vars().update(
    chain(
        without_effect(attention.attention_weights, "mask", "bias"),
    )
)


@another_correct_way("equivariance_gap", "permute_tokens", "self_attention")
def outputs_reordered_by_indexing(course, x, w_q, w_k, w_v, order, mask=None):
    """The gap between outputs that indexing reorders, and outputs of permuted tokens."""
    x, w_q, w_k, w_v = (np.asarray(array, dtype=np.float64) for array in (x, w_q, w_k, w_v))
    before = np.take(course.self_attention(x, w_q, w_k, w_v, mask), order, axis=-2)
    after = course.self_attention(course.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(before - after).max())
