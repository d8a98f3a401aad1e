import numpy as np


def softmax(scores, axis=-1):
    s = scores - scores.max(axis=axis, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=axis, keepdims=True)


def attention_weights(q, k, mask=None, bias=None):
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])
    if bias is not None:
        scores += bias
    if mask is not None:
        scores[..., ~mask] = -np.inf
    return softmax(scores, axis=-2)


def attention(q, k, v, mask=None, bias=None):
    return attention_weights(q, k, mask, bias) @ v


def causal_mask(length):
    rows = []
    for i in range(length):
        rows.append([j <= i for j in range(length)])
    return np.array(rows)


def self_attention(x, w_q, w_k, w_v, mask=None):
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def split_heads(x, n_heads):
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)


def merge_heads(x):
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


def permute_tokens(x, order):
    return x[..., order, :]


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    # invariance: shuffling must not change the output
    y = self_attention(x, w_q, w_k, w_v, mask)
    z = self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
    return np.abs(y - z).max()


def bag_of_tokens(x, w_q, w_k, w_v):
    return self_attention(x, w_q, w_k, w_v).mean(axis=-2)


ANSWERS = {
    "causal_mask_keeps_equivariance": "no",
    "same_attention_scores_dog_bites_man": True,
}
