"""Hedy: ALiBi"""

import numpy as np
import math


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("n_heads must be at least 1, but is {}".format(n_heads))
    ratio = 2 ** (-8 / n_heads)
    return np.array([ratio ** (head + 1) for head in range(n_heads)])


def alibi_bias(n_heads, q_len, k_len):
    if q_len < 0 or k_len < 0 or q_len > k_len:
        raise ValueError("bad lengths {} and {}".format(q_len, k_len))
    slopes = alibi_slopes(n_heads).reshape(n_heads, 1, 1)
    queries = np.arange(k_len - q_len, k_len).reshape(1, q_len, 1)
    keys = np.arange(k_len).reshape(1, 1, k_len)
    return -slopes * np.abs(queries - keys)


def alibi_attention(q, k, v, causal=True):
    if q.ndim < 3 or q.shape[-3] != k.shape[-3] or k.shape[-3] != v.shape[-3]:
        raise ValueError("heads do not fit: {} {} {}".format(q.shape, k.shape, v.shape))
    n_heads, q_len, d = q.shape[-3:]
    k_len = k.shape[-2]
    scores = (q @ np.swapaxes(k, -1, -2) + alibi_bias(n_heads, q_len, k_len)) / math.sqrt(d)
    if causal:
        scores = np.where(np.tril(np.ones((q_len, k_len)), k_len - q_len) == 1, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    out = weights @ v
    if q.dtype == np.float32 and k.dtype == np.float32 and v.dtype == np.float32:
        return out.astype(np.float32)
    return out


def bloom_bias(n_heads, k_len):
    if k_len < 0:
        raise ValueError("k_len is {}".format(k_len))
    return alibi_slopes(n_heads)[:, None, None] * np.arange(k_len)


def effective_window(slope, tolerance):
    if slope <= 0:
        raise ValueError("slope must be positive, but is {}".format(slope))
    return int(-math.log(tolerance) / slope)


ANSWERS = {
    "first_slope_8_heads": 0.5,
    "last_slope_8_heads": 0.00390625,
    "added_to_embeddings": False,
    "parameters": 8,
}
