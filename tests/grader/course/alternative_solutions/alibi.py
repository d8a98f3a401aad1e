"""ALiBi with fractional exponents, and with a softmax that uses np.logaddexp. Results are in Fortran order."""

from fractions import Fraction

import numpy as np


def _exponents(n):
    if n & (n - 1) == 0:
        return [Fraction(-8 * (h + 1), n) for h in range(n)]
    p = 1
    while p * 2 < n:
        p *= 2
    return _exponents(p) + _exponents(2 * p)[::2][: n - p]


def alibi_slopes(n_heads):
    return np.exp2(np.array([float(e) for e in _exponents(n_heads)]))


def alibi_bias(n_heads, q_len, k_len):
    s = alibi_slopes(n_heads)
    j, i = np.meshgrid(np.arange(k_len), np.arange(q_len) + (k_len - q_len))
    d = np.maximum(i - j, j - i)
    return np.asfortranarray(np.einsum("h,ij->hij", -s, d))


def alibi_attention(q, k, v, causal=True):
    q, k, v = (np.array(one, float) for one in (q, k, v))
    s = np.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    h, tq, tk = s.shape[-3:]
    s = s + alibi_bias(h, tq, tk)
    if causal:
        s[..., ~np.tri(tq, tk, tk - tq, dtype=bool)] = -np.inf
    return np.einsum("...ij,...jd->...id", np.exp(s - np.logaddexp.reduce(s, axis=-1)[..., None]), v)
