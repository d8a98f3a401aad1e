"""Methods of recent models with powers, complex numbers and logaddexp."""

import numpy as np


def p_rope_frequencies(head_dim, p, base=10000.0):
    rates = np.logspace(0, -1, head_dim // 2, endpoint=False, base=base)
    rates[int(p * head_dim / 2) :] = 0
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


def shift_keys(cache_k, offset, base=10000.0):
    return _turned(cache_k, np.full(np.shape(cache_k)[-2], float(offset)), base).view(np.float64)


def sink_weights(scores, sink):
    scores = np.asarray(scores, dtype=np.float64)
    sink = np.asarray(sink, dtype=np.float64)[:, None, None]
    total = np.logaddexp(np.logaddexp.reduce(scores, axis=-1, keepdims=True), sink)
    return np.exp(scores - np.where(np.isneginf(total), 0, total))
