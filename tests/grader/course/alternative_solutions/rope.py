"""RoPE with complex numbers and einsum. Some results are strided views."""

import numpy as np


def rope_frequencies(head_dim, base=10000.0):
    return np.logspace(0, -1, head_dim // 2, endpoint=False, base=base) if base != 1 else np.ones(head_dim // 2)


def _turns(positions, head_dim, base):
    return np.exp(1j * np.multiply.outer(positions, rope_frequencies(head_dim, base)))


def rope_cos_sin(positions, head_dim, base=10000.0):
    turns = _turns(positions, head_dim, base)
    return turns.real, turns.imag


def _complex(x):
    return np.ascontiguousarray(x, dtype=np.float64).view(np.complex128)


def apply_rope(x, positions, base=10000.0):
    return (_complex(x) * _turns(positions, np.shape(x)[-1], base)).view(np.float64)


def _halves(x):
    x = np.asarray(x, dtype=np.float64)
    return np.einsum("...hi,h->...i", x.reshape(*x.shape[:-1], 2, -1), [1, 1j])


def _side_by_side(points):
    return np.concatenate([points.real, points.imag], axis=-1)


def apply_rope_half(x, positions, base=10000.0):
    return _side_by_side(_halves(x) * _turns(positions, np.shape(x)[-1], base))


def rotation_matrix(position, head_dim, base=10000.0):
    return apply_rope(np.eye(head_dim), np.repeat(position, head_dim), base).T


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    a, b = (_complex(x) * _turns(at, np.shape(x)[-1], base) for x, at in ((q, q_positions), (k, k_positions)))
    return np.einsum("...id,...jd->...ij", a, b.conj()).real * np.shape(q)[-1] ** -0.5


def _heads(x, w, n_heads):
    w = np.asarray(w, dtype=np.float64).reshape(np.shape(w)[0], n_heads, -1)
    return np.einsum("...td,dhe->...hte", np.asarray(x, dtype=np.float64), w)


def _average(scores, v):
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    out = np.einsum("...hij,...hje->...ihe", weights, v)
    return out.reshape(*out.shape[:-2], -1)


def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    q, k, v = (_heads(x, w, n_heads) for w in (w_q, w_k, w_v))
    where = range(np.shape(x)[-2]) if positions is None else positions
    scores = rope_scores(q, k, where, where, base)
    if causal:
        scores = scores + np.triu(np.full(scores.shape[-2:], -np.inf), 1)
    return _average(scores, v)


def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    q, k, v = (_heads(x_t, w, n_heads) for w in (w_q, w_k, w_v))
    keys = np.append(cache_k, apply_rope(k, [position], base), axis=-2)
    values = np.append(cache_v, v, axis=-2)
    scores = np.einsum("...id,...jd->...ij", apply_rope(q, [position], base), keys) / q.shape[-1] ** 0.5
    return _average(scores, values), keys, values


def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    out = np.array(x, dtype=np.float64)
    out[..., :rotary_dim] = apply_rope(out[..., :rotary_dim], positions, base)
    return out


def decay_bound(offsets, head_dim, base=10000.0):
    turns = _turns(offsets, head_dim, base)
    return np.abs(turns @ np.triu(np.ones(turns.shape[-1:] * 2))).mean(-1)
