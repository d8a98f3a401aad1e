"""RoPE with complex numbers: a pair is one complex number, and rotating it is multiplying by e^(i angle)."""

import numpy as np


def check(condition, message):
    if not condition:
        raise ValueError(message)


def out(result, *inputs):
    """Cast the result at the end, to float32 only if all inputs are float32."""
    return np.asarray(result, dtype=np.result_type(*inputs) if all(i.dtype == np.float32 for i in inputs) else float)


def rope_frequencies(head_dim, base=10000.0):
    check(head_dim > 0 and head_dim % 2 == 0, f"need an even head_dim, not {head_dim}")
    check(0 < base < np.inf, f"base {base} is not a positive number")
    # log space
    return np.exp(-2 * np.arange(head_dim // 2) / head_dim * np.log(base))


def phases(positions, head_dim, base):
    p = np.asarray(positions, float)
    check(p.ndim == 1, f"positions have shape {p.shape}, should be 1-D")
    check(np.all(p == p), "nan among the positions")
    return np.exp(1j * p[:, None] * rope_frequencies(head_dim, base)[None, :])


def rope_cos_sin(positions, head_dim, base=10000.0):
    z = phases(positions, head_dim, base)
    return z.real, z.imag


def turn(first, second, positions, d, base):
    z = phases(positions, d, base)
    check(z.shape[0] == first.shape[-2], f"{z.shape[0]} positions for {first.shape[-2]} rows")
    return (first + 1j * second) * z


def apply_rope(x, positions, base=10000.0):
    x = np.asarray(x)
    check(x.shape[-1] % 2 == 0, f"odd number of features: {x.shape[-1]}")
    z = turn(x[..., ::2].astype(float), x[..., 1::2].astype(float), positions, x.shape[-1], base)
    return out(np.stack([z.real, z.imag], axis=-1).reshape(x.shape), x)


def halves(x):
    check(x.shape[-1] % 2 == 0, f"odd number of features: {x.shape[-1]}")
    h = x.shape[-1] // 2
    return x[..., :h], x[..., h:]


def rotate_half(x):
    x = np.asarray(x)
    a, b = halves(x)
    return out(np.concatenate((-b, a), -1), x)


def apply_rope_half(x, positions, base=10000.0):
    x = np.asarray(x)
    a, b = halves(x)
    z = turn(a.astype(float), b.astype(float), positions, x.shape[-1], base)
    return out(np.concatenate([z.real, z.imag], axis=-1), x)


def interleaved_to_half(x):
    x = np.asarray(x)
    halves(x)
    return out(x.reshape(*x.shape[:-1], -1, 2).swapaxes(-1, -2).reshape(x.shape), x)


def half_to_interleaved(x):
    x = np.asarray(x)
    halves(x)
    return out(x.reshape(*x.shape[:-1], 2, -1).swapaxes(-1, -2).reshape(x.shape), x)


def rotation_matrix(position, head_dim, base=10000.0):
    # column j is the turned unit vector e_j
    return apply_rope(np.eye(head_dim), np.full(head_dim, position), base).T


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    q, k = np.asarray(q), np.asarray(k)
    check(q.shape[-1] == k.shape[-1], f"q has {q.shape[-1]} features and k has {k.shape[-1]}")
    turned_q = apply_rope(q.astype(float), q_positions, base)
    turned_k = apply_rope(k.astype(float), k_positions, base)
    return out(np.einsum("...id,...jd->...ij", turned_q, turned_k) / q.shape[-1] ** 0.5, q, k)


def heads_of(x, w, n_heads):
    check(n_heads >= 1, f"n_heads = {n_heads}")
    check(w.ndim == 2 and x.shape[-1] == w.shape[0], f"weights {w.shape} for an input {x.shape}")
    check(w.shape[1] % n_heads == 0, f"{n_heads} heads do not fit {w.shape[1]} columns")
    y = x.astype(float) @ w.astype(float)
    return y.reshape(*y.shape[:-1], n_heads, -1).swapaxes(-2, -3)


def soft(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    x, w_q, w_k, w_v = map(np.asarray, (x, w_q, w_k, w_v))
    q, k, v = (heads_of(x, w, n_heads) for w in (w_q, w_k, w_v))
    t = x.shape[-2]
    positions = range(t) if positions is None else positions
    s = rope_scores(q, k, positions, positions, base)
    if causal:
        s = s + np.triu(np.full((t, t), -np.inf), k=1)
    y = soft(s) @ v
    return out(y.swapaxes(-2, -3).reshape(*x.shape[:-1], -1), x, w_q, w_k, w_v)


def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    x_t, w_q, w_k, w_v, cache_k, cache_v = everything = [np.asarray(a) for a in (x_t, w_q, w_k, w_v, cache_k, cache_v)]
    check(x_t.shape[-2] == 1, f"one token at a time, not {x_t.shape[-2]}")
    q, k, v = (heads_of(x_t, w, n_heads) for w in (w_q, w_k, w_v))
    check(cache_k.shape == cache_v.shape, f"caches differ: {cache_k.shape}, {cache_v.shape}")
    check(cache_k.shape[:-2] + cache_k.shape[-1:] == k.shape[:-2] + k.shape[-1:], f"cache {cache_k.shape} for keys {k.shape}")
    keys = np.concatenate([cache_k, apply_rope(k, [position], base)], axis=-2)
    values = np.concatenate([cache_v, v], axis=-2)
    s = apply_rope(q, [position], base) @ keys.swapaxes(-1, -2) / np.sqrt(k.shape[-1])
    y = (soft(s) @ values).swapaxes(-2, -3).reshape(*x_t.shape[:-1], -1)
    return out(y, *everything), out(keys, *everything), out(values, *everything)


def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    x = np.array(x)
    check(2 <= rotary_dim <= x.shape[-1] and rotary_dim % 2 == 0, f"rotary_dim {rotary_dim} does not fit {x.shape[-1]} features")
    y = x.astype(float)
    y[..., :rotary_dim] = apply_rope(x[..., :rotary_dim].astype(float), positions, base)
    return out(y, x)


def decay_bound(offsets, head_dim, base=10000.0):
    z = phases(np.ravel(offsets), head_dim, base)
    return np.abs(np.cumsum(z, axis=1)).mean(axis=1).reshape(np.shape(offsets))


ANSWERS = {
    "score_change_when_all_shift_by_5": 0.0,
    "rotates_values": False,
    "extra_parameters": 0,
    "score_m1_n3_equals_m3_n5": True,
    "half_layout_is_a_bug": False,
}
