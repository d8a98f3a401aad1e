import numpy as np


def softmax(scores, axis=-1):
    scores = np.asarray(scores)
    dtype = np.float32 if scores.dtype == np.float32 else np.float64
    m = scores.max(axis=axis, keepdims=True)
    m = np.where(np.isinf(m), 0, m)
    e = np.exp(scores - m)
    s = e.sum(axis=axis, keepdims=True)
    return (e / np.where(s == 0, 1, s)).astype(dtype)


def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q), np.asarray(k)
    if q.ndim < 2 or k.ndim < 2:
        raise ValueError(f"q and k need two axes, got {q.shape} and {k.shape}")
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"bad widths: {q.shape[-1]} and {k.shape[-1]}")
    both = np.float32 if q.dtype == k.dtype == np.float32 else np.float64
    scores = q.astype(np.float64) @ np.swapaxes(k.astype(np.float64), -1, -2) / np.sqrt(q.shape[-1])
    wanted = scores.shape[-2:]
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    if scores.shape[-2:] != wanted:
        raise ValueError(f"mask and bias made {scores.shape[-2:]} of {wanted} scores")
    return softmax(scores).astype(both)


def attention(q, k, v, mask=None, bias=None):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    if v.ndim < 2 or v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v {v.shape} does not go with k {k.shape}")
    dtype = np.float32 if q.dtype == k.dtype == v.dtype == np.float32 else np.float64
    return (attention_weights(q.astype(float), k.astype(float), mask, bias) @ v).astype(dtype)


def causal_mask(length):
    if length < 0:
        raise ValueError(f"length {length}")
    return np.tri(length, dtype=bool)


def self_attention(x, w_q, w_k, w_v, mask=None):
    raise NotImplementedError


def split_heads(x, n_heads):
    raise NotImplementedError


def merge_heads(x):
    raise NotImplementedError


def permute_tokens(x, order):
    raise NotImplementedError


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    raise NotImplementedError


def bag_of_tokens(x, w_q, w_k, w_v):
    raise NotImplementedError


ANSWERS = {
    "causal_mask_keeps_equivariance": None,
    "same_attention_scores_dog_bites_man": True,
}
