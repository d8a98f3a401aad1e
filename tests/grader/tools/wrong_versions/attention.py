"""Wrong versions of the functions of attention, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import attention


@mistake("softmax", "largest|overflow|max")
def mean_subtracted(scores, axis=-1):
    scores = np.asarray(scores, dtype=np.float64)
    powers = np.exp(scores - np.where(np.isfinite(scores), scores, 0).mean(axis=axis, keepdims=True))
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


@mistake("softmax", "axis")
def always_the_last_axis(scores, axis=-1):
    return attention.softmax(scores)


@mistake("softmax", "inf|NaN|no key|row")
def no_guard_for_empty_rows(scores, axis=-1):
    powers = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@mistake("attention_weights", "bias")
def bias_divided_too(q, k, mask=None, bias=None):
    return attention.attention_weights(q, k, mask, None if bias is None else np.asarray(bias) / np.shape(q)[-1] ** 0.5)


@mistake("attention_weights", "after|sum|before|1")
def mask_multiplied_at_the_end(q, k, mask=None, bias=None):
    weights = attention.attention_weights(q, k, None, bias)
    return weights if mask is None else weights * np.asarray(mask)


@mistake("attention_weights", "√|root|d")
def divided_by_d(q, k, mask=None, bias=None):
    return attention.attention_weights(
        np.asarray(q) / np.asarray(np.shape(q)[-1] ** 0.5, np.asarray(q).dtype), k, mask, bias
    )


@mistake("attention_weights", "axis|quer|column|keys")
def sum_over_the_queries(q, k, mask=None, bias=None):
    scores = np.asarray(q) @ np.swapaxes(k, -1, -2) / np.shape(q)[-1] ** 0.5 + (0 if bias is None else np.asarray(bias))
    return attention.softmax(scores if mask is None else np.where(mask, scores, -np.inf), axis=-2)


@mistake("causal_mask", "transpos|later|future|above|upper|ahead|other way|other triangle")
def upper_triangle(length):
    return np.triu(np.ones((length, length), bool))


@mistake("self_attention", "quer|exchang|swap|w_k|w_q")
def queries_and_keys_exchanged(x, w_q, w_k, w_v, mask=None):
    return attention.self_attention(x, w_k, w_q, w_v, mask)


@mistake("split_heads", "neighbour|consecutive|column|block|apart|every")
def every_hth_column(x, n_heads):
    x = np.asarray(x)
    return np.moveaxis(x.reshape(*x.shape[:-1], x.shape[-1] // n_heads, n_heads), -1, -3)


@mistake("merge_heads", "token|head|swap|axis|order|reshap")
def heads_left_where_they_are(x):
    x = np.asarray(x)
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


@mistake("permute_tokens", "inverse|where|goes|from|other way")
def rows_sent_away(x, order):
    return np.asarray(x)[..., np.argsort(order), :]


@mistake("equivariance_gap", "abs|sign|size|negative")
def largest_signed_difference(x, w_q, w_k, w_v, order, mask=None):
    after = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    return float((after - attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)).max())


@mistake("equivariance_gap", "mask")
def mask_shuffled_too(x, w_q, w_k, w_v, order, mask=None):
    after = attention.permute_tokens(attention.self_attention(x, w_q, w_k, w_v, mask), order)
    mask = None if mask is None else np.asarray(mask)[np.ix_(order, order)]
    before = attention.self_attention(attention.permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(after - before).max())


@mistake("bag_of_tokens", "sum|mean|divid|T")
def sum_of_tokens(x, w_q, w_k, w_v):
    return attention.self_attention(x, w_q, w_k, w_v).sum(axis=-2)
