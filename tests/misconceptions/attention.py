"""Known mistakes with attention: each replaces one function of the solution, and must lose points.

A hint names the likely cause in the words of the lesson and leaves the mending to the student.
"""

import numpy as np

from autograder.grading.catalogue import misconception
from solutions import attention


def exact(*arrays):
    return [np.asarray(array, dtype=np.float64) for array in arrays]


def weigh(q, k, mask, bias, *, scale=None, axis=-1, blocked=-np.inf):
    """Attention weights with the scale, the axis or the score of masked pairs that an entry gets wrong."""
    right = attention.attention_weights(q, k, mask, bias)
    q, k = exact(q, k)
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, blocked)
    return attention.softmax(scores, axis).astype(right.dtype)


# bag_of_tokens, the mean of the values
# It stands first because the first entry that fits gives the hint: with the softmax over the queries every key's weights sum
# to 1, and the mean of the outputs is the mean of the values as well. The nearer cause is named.


@misconception(
    "bag_of_tokens",
    hint="This is the mean of the values: it is invariant too, but no attention has taken place. Average the outputs.",
    origin="expected: the mean taken before attention",
)
def bag_of_values(x, w_q, w_k, w_v):
    right = attention.bag_of_tokens(x, w_q, w_k, w_v)
    x, w_v = exact(x, w_v)
    return (x @ w_v).mean(axis=-2).astype(right.dtype)


# softmax


@misconception(
    "softmax",
    hint="e to a huge score overflows, and e to a hugely negative one is 0: "
    "subtract each slice's maximum before the exponential.",
    origin="intel/xFasterTransformer #326; NVIDIA/FasterTransformer #43; pyg-team/pytorch_geometric #53",
)
def softmax_without_a_shift(scores, axis=-1):
    weights = np.exp(exact(scores)[0])
    total = weights.sum(axis=axis, keepdims=True)
    return (weights / np.where(total == 0, 1, total)).astype(attention.softmax(scores, axis).dtype)


@misconception(
    "softmax",
    hint="The maximum seems to be that of the whole array: a slice far below it is lost. Each slice needs its own.",
    origin="expected: np.max without its axis; NVIDIA/FasterTransformer #43 proposes it as the mending",
)
def softmax_shifted_by_the_maximum_of_all(scores, axis=-1):
    highest = np.max(scores)
    return softmax_without_a_shift.implementation(scores - (highest if np.isfinite(highest) else 0), axis)


@misconception(
    "softmax",
    hint="The weights sum to 1 along the last axis whatever was asked for: `axis` has to reach the maximum and the sum.",
    origin="expected: axis=-1 written into the body",
)
def softmax_along_the_last_axis_always(scores, axis=-1):
    return attention.softmax(scores)


@misconception(
    "softmax",
    hint="For a slice that is −∞ throughout, −∞ − (−∞) is NaN: nothing can be attended to there, and its weights are zeros.",
    origin="tracel-ai/burn #4694; pytorch/pytorch #131060",
)
def softmax_of_nothing_is_nan(scores, axis=-1):
    shifted = np.subtract(scores, np.max(scores, axis=axis, keepdims=True), dtype=np.float64)
    weights = np.exp(shifted)
    return (weights / weights.sum(axis=axis, keepdims=True)).astype(attention.softmax(scores, axis).dtype)


# attention_weights


@misconception(
    "attention_weights",
    hint="The weights of each key sum to 1, not those of each query: the softmax runs over the keys, "
    "the last axis of the scores.",
    origin="labmlai/annotated_deep_learning_paper_implementations #146, #282",
)
def softmax_over_the_queries(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, axis=-2)


@misconception(
    "attention_weights",
    hint="The scores are √d too large: divide q kᵀ by the square root of the width of q.",
    origin="mlc-ai/mlc-llm #3426; delzac/cntkx #10",
)
def scores_without_their_scale(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, scale=1.0)


@misconception(
    "attention_weights",
    hint="The scores are √d too small: they are divided by the square root of d, not by d.",
    origin="expected: the root forgotten",
)
def scores_divided_by_the_width(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, scale=np.shape(q)[-1])


@misconception(
    "attention_weights",
    hint="The scores grow with √d where they should shrink: a scale that is already 1/√d is multiplied with, not divided by.",
    origin="esceptico/perceiver-io #9",
)
def scores_divided_by_the_inverse(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, scale=np.shape(q)[-1] ** -0.5)


@misconception(
    "attention_weights",
    hint="The mask is read the other way round: here True means that the query may attend to the key.",
    origin="lucidrains/x-transformers #160; huggingface/transformers #38094; rasbt/LLMs-from-scratch #1062",
)
def mask_read_the_other_way_round(q, k, mask=None, bias=None):
    return attention.attention_weights(q, k, None if mask is None else ~np.asarray(mask), bias)


@misconception(
    "attention_weights",
    hint="The bias is divided by √d too: scale the scores first, then add the bias as it is.",
    origin="expected: the bias added before the scale",
)
def bias_scaled_with_the_scores(q, k, mask=None, bias=None):
    smaller = None if bias is None else np.asarray(bias) / np.sqrt(np.shape(q)[-1])
    return attention.attention_weights(q, k, mask, smaller)


@misconception(
    "attention_weights",
    hint="A query that may attend to nothing spreads its weight over the keys that were forbidden: "
    "−1e9 is not −∞ when all scores have it.",
    origin="YutaroOgawa/pytorch_advanced #175, and most tutorials that fill with −1e9",
)
def masked_scores_of_minus_a_billion(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, blocked=-1e9)


@misconception(
    "attention_weights",
    hint="Masked pairs get the score 0, and e⁰ is 1: their score has to be −∞ for their weight to be 0.",
    origin="expected: the scores multiplied by the mask",
)
def masked_scores_of_zero(q, k, mask=None, bias=None):
    return weigh(q, k, mask, bias, blocked=0.0)


@misconception(
    "attention_weights",
    hint="The weights that are left no longer sum to 1: mask the scores before the softmax, not the weights after it.",
    origin="expected: the mask multiplied in last",
)
def weights_masked_after_the_softmax(q, k, mask=None, bias=None):
    right = attention.attention_weights(q, k, mask, bias)
    unmasked = attention.attention_weights(q, k, None, bias)
    return right if mask is None else unmasked * np.asarray(mask).astype(right.dtype)


# attention


@misconception(
    "attention",
    hint="The bias does not reach the weights: `attention` has to pass on both the mask and the bias.",
    origin="huggingface/transformers #48843 (one path drops additive biases)",
)
def attention_without_its_bias(q, k, v, mask=None, bias=None):
    attention.attention(q, k, v, mask, bias)
    return attention.attention(q, k, v, mask)


@misconception(
    "attention",
    hint="Values that do not have one row for each key go through: refuse them with a ValueError that names the shape.",
    origin="expected: a slice to the shorter of the two in place of a check",
)
def spare_rows_dropped(q, k, v, mask=None, bias=None):
    rows = min(np.shape(k)[-2], np.shape(v)[-2]) if np.ndim(v) > 1 else None
    return attention.attention(q, np.asarray(k)[..., :rows, :], np.asarray(v)[..., :rows, :] if rows else v, mask, bias)


# causal_mask


@misconception(
    "causal_mask",
    hint="The mask is True where attending is forbidden: here True means may attend, so row i has it at 0 … i.",
    origin="rasbt/LLMs-from-scratch #1062, and the opposite conventions within PyTorch",
)
def causal_mask_of_what_is_forbidden(length):
    return ~attention.causal_mask(length)


@misconception(
    "causal_mask",
    hint="The mask is the other triangle: row i is the query, and it may attend to what came before it, not after.",
    origin="expected: triu for tril, or rows taken for keys",
)
def causal_mask_of_the_future(length):
    return attention.causal_mask(length).T


@misconception(
    "causal_mask",
    hint="The diagonal is left out: a token may attend to itself, and token 0 has nothing else.",
    origin="pbloem/former #10",
)
def causal_mask_without_the_diagonal(length):
    return attention.causal_mask(length) & ~np.eye(length, dtype=bool)


@misconception(
    "causal_mask",
    hint="A negative length gives an empty mask: refuse it with a ValueError that names it.",
    origin="expected: np.tri and np.arange accept negative sizes",
)
def causal_mask_of_negative_length(length):
    return np.tri(length, dtype=bool)


# self_attention


@misconception(
    "self_attention",
    hint="The scores are divided by the square root of the width of x: the width that counts is that of queries and keys.",
    origin="karpathy/ng-video-lecture #6; omihub777/ViT-CIFAR #11; lucidrains/vit-pytorch #65",
)
def scaled_by_the_width_of_the_model(x, w_q, w_k, w_v, mask=None):
    right = attention.self_attention(x, w_q, w_k, w_v, mask)
    x, w_q, w_k, w_v = exact(x, w_q, w_k, w_v)
    correction = np.sqrt(w_q.shape[-1] / x.shape[-1])
    return attention.self_attention(x, correction * w_q, w_k, w_v, mask).astype(right.dtype)


@misconception(
    "self_attention",
    hint="Queries and keys have changed places: row i of the scores belongs to query i, made with w_q.",
    origin="expected: the two weights look alike, and often have one shape",
)
def queries_and_keys_exchanged(x, w_q, w_k, w_v, mask=None):
    return attention.self_attention(x, w_k, w_q, w_v, mask)


# permute_tokens


@misconception(
    "permute_tokens",
    hint="The rows go where `order` says; they have to come from there: this is the inverse permutation.",
    origin="lablup/mlxcel #1600",
)
def rows_go_where_they_should_come_from(x, order):
    attention.permute_tokens(x, order)
    return attention.permute_tokens(x, np.argsort(order))


@misconception(
    "permute_tokens",
    hint="The first axis is reordered: tokens stand along the last axis but one, behind any leading axes.",
    origin="expected: x[order] is right for two axes only",
)
def first_axis_permuted(x, order):
    right = attention.permute_tokens(x, order)
    return np.asarray(x)[order].astype(right.dtype)


@misconception(
    "permute_tokens",
    hint="An order that repeats a row or leaves one out goes through: refuse what does not hold each row exactly once.",
    origin="expected: indexing alone accepts it",
)
def repeated_rows_pass(x, order):
    x, order = np.asarray(x), np.asarray(order)
    if x.ndim < 2 or order.shape != x.shape[-2:-1] or order.min() < 0 or order.max() >= x.shape[-2]:
        attention.permute_tokens(x, order)
    return x[..., order, :].astype(np.float32 if x.dtype == np.float32 else np.float64)


@misconception(
    "permute_tokens",
    hint="Negative numbers count from the end and go through: an order holds each of 0 … T−1, and nothing below 0.",
    origin="expected: numpy's indexing accepts them",
)
def rows_counted_from_the_end_pass(x, order):
    return attention.permute_tokens(x, np.where(np.less(order, 0), np.add(order, np.shape(x)[-2]), order))


# equivariance_gap


@misconception(
    "equivariance_gap",
    hint="The mask moves with the tokens, and so the gap is always zero: a mask belongs to places, and is the same both times.",
    origin="expected: everything reordered alike",
)
def mask_moves_with_the_tokens(x, w_q, w_k, w_v, order, mask=None):
    attention.equivariance_gap(x, w_q, w_k, w_v, order, mask)
    before = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    if mask is not None:
        mask = np.asarray(mask)[..., order, :][..., order]
    after = attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(before - after).max())


@misconception(
    "equivariance_gap",
    hint="This measures invariance: the outputs are compared without being permuted. "
    "Equivariant means that they move with their tokens.",
    origin="expected: the two words are taken for each other in much teaching material",
)
def invariance_measured_instead(x, w_q, w_k, w_v, order, mask=None):
    attention.equivariance_gap(x, w_q, w_k, w_v, order, mask)
    after = attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(attention.self_attention(x, w_q, w_k, w_v, mask) - after).max())


@misconception(
    "equivariance_gap",
    hint="Differences below zero are lost: take their absolute value before the maximum.",
    origin="expected: the maximum of signed differences",
)
def gap_of_signed_differences(x, w_q, w_k, w_v, order, mask=None):
    attention.equivariance_gap(x, w_q, w_k, w_v, order, mask)
    before = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    return float((before - attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)).max())


# bag_of_tokens, the others


@misconception(
    "bag_of_tokens",
    hint="This is the sum over the tokens: the bag is their mean, so divide by their number.",
    origin="expected: sum pooling, as in Deep Sets",
)
def bag_as_a_sum(x, w_q, w_k, w_v):
    return attention.bag_of_tokens(x, w_q, w_k, w_v) * np.float32(np.shape(x)[-2])


@misconception(
    "bag_of_tokens",
    hint="This is the output of the first token, and it changes when another token comes first: "
    "only pooling over all of them is invariant.",
    origin="expected: BERT reads its answer off one row, and self-attention is called invariant in much teaching material",
)
def first_row_as_the_bag(x, w_q, w_k, w_v):
    return attention.self_attention(x, w_q, w_k, w_v)[..., 0, :]


@misconception(
    "bag_of_tokens",
    hint="The mean runs over the features and leaves a number for each token: average over the tokens, the last axis but one.",
    origin="expected: the last axis is the usual one",
)
def mean_over_the_features(x, w_q, w_k, w_v):
    return attention.self_attention(x, w_q, w_k, w_v).mean(axis=-1)
