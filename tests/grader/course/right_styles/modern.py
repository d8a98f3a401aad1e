"""Layers, masks and scales of new models with lists, sets, running sums and complex numbers."""

import math

import numpy as np


def sliding_window_mask(q_len, k_len, window):
    whole = np.tri(k_len, dtype=bool) & ~np.tri(k_len, k=-window, dtype=bool)
    return whole[k_len - q_len :]


def chunk_mask(q_len, k_len, chunk):
    rows = [[j <= p < j - j % chunk + chunk for j in range(k_len)] for p in range(k_len - q_len, k_len)]
    return np.array(rows, dtype=bool).reshape(q_len, k_len)


def p_rope_frequencies(head_dim, p, base=10000.0):
    rates = np.logspace(0, -1, head_dim // 2, endpoint=False, base=base)
    rates[math.floor(p * head_dim / 2) :] = 0
    return rates


def _turned(x, positions, base):
    points = np.ascontiguousarray(x, dtype=np.float64).view(complex)
    rates = np.logspace(0, -1, points.shape[-1], endpoint=False, base=base)
    return points * np.exp(1j * np.multiply.outer(positions, rates))


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    content = np.einsum("...id,...jd->...ij", np.asarray(q_content, float), np.asarray(k_content, float))
    q, k = _turned(q_rope, q_positions, base), _turned(k_rope, k_positions, base)
    size = np.shape(q_content)[-1] + np.shape(q_rope)[-1]
    return (content + np.einsum("...hid,...jd->...hij", q, k.conj()).real) * size**-0.5


def kept_tokens(length, n_sinks, window):
    return np.array(sorted({*range(length)[:n_sinks], *range(length)[max(length - window, 0) :]}), dtype=np.int64)


def shift_keys(cache_k, offset, base=10000.0):
    return _turned(cache_k, np.full(np.shape(cache_k)[-2], float(offset)), base).view(np.float64)


def sink_weights(scores, sink):
    scores = np.asarray(scores, dtype=np.float64)
    sink = np.asarray(sink, dtype=np.float64)[:, None, None]
    total = np.logaddexp(np.logaddexp.reduce(scores, axis=-1, keepdims=True), sink)
    return np.exp(scores - np.where(np.isneginf(total), 0, total))
