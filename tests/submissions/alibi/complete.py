"""ALiBi -- Ada"""

from math import ceil, log, log2

import numpy as np


def powers(n):
    """Return n slopes, where n is a power of two."""
    first = 2 ** (-8 / n)
    return [first * first**h for h in range(n)]


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError("there must be at least one head, not %d" % n_heads)
    exponent = log2(n_heads)
    if exponent.is_integer():
        return np.array(powers(n_heads))
    below = 2 ** int(exponent)
    more = powers(2 * below)[::2]
    return np.array(powers(below) + more[: n_heads - below])


def alibi_bias(n_heads, q_len, k_len):
    if q_len < 0 or k_len < 0:
        raise ValueError("negative length in (%d, %d)" % (q_len, k_len))
    if q_len > k_len:
        raise ValueError("%d queries do not fit %d keys" % (q_len, k_len))
    i, j = np.ogrid[:q_len, :k_len]
    distance = abs(i + k_len - q_len - j)
    return np.einsum("h,ij->hij", -alibi_slopes(n_heads), distance)


def alibi_attention(q, k, v, causal=True):
    if min(q.ndim, k.ndim, v.ndim) < 3:
        raise ValueError("q, k and v need a head axis: %s, %s, %s" % (q.shape, k.shape, v.shape))
    heads, tq, d = q.shape[-3:]
    if k.shape[-3] != heads or v.shape[-3] != heads:
        raise ValueError("number of heads: %s, %s, %s" % (q.shape, k.shape, v.shape))
    if k.shape[-1] != d or v.shape[-2] != k.shape[-2]:
        raise ValueError("q, k and v do not fit: %s, %s, %s" % (q.shape, k.shape, v.shape))
    tk = k.shape[-2]
    bias = alibi_bias(heads, tq, tk)
    if causal:
        bias = bias + np.triu(np.full((tq, tk), -np.inf), k=tk - tq + 1)
    s = np.einsum("...id,...jd->...ij", q, k, dtype=np.float64) / d**0.5 + bias
    s = np.exp(s - s.max(-1, keepdims=True))
    out = np.einsum("...ij,...jd->...id", s / s.sum(-1, keepdims=True), v)
    if q.dtype == k.dtype == v.dtype == np.float32:
        out = out.astype(np.float32)
    return out


def bloom_bias(n_heads, k_len):
    if k_len < 0:
        raise ValueError("negative length %d" % k_len)
    return np.multiply.outer(alibi_slopes(n_heads), np.arange(k_len, dtype=float))[:, None, :]


def effective_window(slope, tolerance):
    if slope <= 0:
        raise ValueError("the slope must be positive, not %r" % slope)
    return max(0, ceil(log(1 / tolerance) / slope))


ANSWERS = {
    "first_slope_8_heads": 1 / 2,
    "last_slope_8_heads": 1 / 256,
    "added_to_embeddings": False,
    "parameters": 0,
}
