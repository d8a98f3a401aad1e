import numpy as np

# RoPE by explicit pairs: a small loop over the d/2 pairs, never over the sequence.


def _bad(text):
    raise ValueError(text)


def rope_frequencies(head_dim, base=10000.0):
    if head_dim < 1 or head_dim % 2 == 1:
        _bad("head_dim has to be even and positive, got %d" % head_dim)
    if not base > 0 or base == float("inf"):
        _bad("bad base: %r" % base)
    thetas = []
    for i in range(head_dim // 2):
        thetas.append(base ** (-2.0 * i / head_dim))
    return np.array(thetas)


def _positions(positions, rows=None):
    positions = np.array(positions, dtype=np.float64)
    if positions.ndim != 1:
        _bad("positions must be one-dimensional, shape is %s" % (positions.shape,))
    if np.isnan(positions).any():
        _bad("position is NaN")
    if rows is not None and positions.size != rows:
        _bad("x has %d rows but there are %d positions" % (rows, positions.size))
    return positions


def rope_cos_sin(positions, head_dim, base=10000.0)
    angles = _positions(positions).reshape(-1, 1) * rope_frequencies(head_dim, base)
    return np.cos(angles), np.sin(angles)


def _dtype(*arrays):
    return np.float32 if {a.dtype for a in arrays} == {np.dtype("float32")} else np.float64


def _rotate_pairs(x, positions, base, pairs):
    """Rotate the feature pairs in `pairs`, a list of (first, second)."""
    x = np.asarray(x)
    positions = _positions(positions, x.shape[-2])
    thetas = rope_frequencies(2 * len(pairs), base)
    result = x.astype(np.float64)
    for theta, (a, b) in zip(thetas, pairs):
        c, s = np.cos(positions * theta), np.sin(positions * theta)
        result[..., a] = c * x[..., a] - s * x[..., b]
        result[..., b] = s * x[..., a] + c * x[..., b]
    return result.astype(_dtype(x))


def _even_width(x):
    d = np.shape(x)[-1]
    if d == 0 or d % 2:
        _bad("the last axis must be even, got %d" % d)
    return d


def apply_rope(x, positions, base=10000.0):
    d = _even_width(x)
    return _rotate_pairs(x, positions, base, [(i, i + 1) for i in range(0, d, 2)])


def rotate_half(x):
    x = np.asarray(x)
    d = _even_width(x)
    rolled = np.roll(x, d // 2, axis=-1).astype(_dtype(x))
    rolled[..., : d // 2] *= -1
    return rolled


def apply_rope_half(x, positions, base=10000.0):
    d = _even_width(x)
    return _rotate_pairs(x, positions, base, [(i, i + d // 2) for i in range(d // 2)])


def interleaved_to_half(x):
    x = np.asarray(x)
    d = _even_width(x)
    order = list(range(0, d, 2)) + list(range(1, d, 2))
    return x[..., order].astype(_dtype(x))


def half_to_interleaved(x):
    x = np.asarray(x)
    d = _even_width(x)
    order = np.argsort(list(range(0, d, 2)) + list(range(1, d, 2)))
    return x[..., order].astype(_dtype(x))


def rotation_matrix(position, head_dim, base=10000.0):
    if position != position:
        _bad("position is nan")
    blocks = np.zeros((head_dim, head_dim))
    for i, theta in enumerate(rope_frequencies(head_dim, base)):
        c, s = np.cos(position * theta), np.sin(position * theta)
        blocks[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return blocks


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    q, k = np.asarray(q), np.asarray(k)
    if q.shape[-1] != k.shape[-1]:
        _bad("feature sizes differ: q %s, k %s" % (q.shape, k.shape))
    dtype = _dtype(q, k)
    q = apply_rope(q.astype(np.float64) / np.sqrt(q.shape[-1]), q_positions, base)
    k = apply_rope(k.astype(np.float64), k_positions, base)
    return np.matmul(q, np.moveaxis(k, -1, -2)).astype(dtype)


def _project(x, weights, n_heads):
    for w in weights:
        if x.shape[-1] != w.shape[0]:
            _bad("cannot multiply %s by %s" % (x.shape, w.shape))
        if n_heads < 1 or w.shape[1] % n_heads:
            _bad("%d columns into %d heads" % (w.shape[1], n_heads))
    return [np.stack(np.split(x.astype(float) @ w, n_heads, axis=-1), axis=-3) for w in weights]


def _weights(scores):
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return scores / np.sum(scores, axis=-1, keepdims=True)


def _join(heads):
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    arrays = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    q, k, v = _project(arrays[0], arrays[1:], n_heads)
    T = q.shape[-2]
    if positions is None:
        positions = np.arange(T)
    scores = rope_scores(q, k, positions, positions, base)
    if causal:
        rows, columns = np.ogrid[:T, :T]
        scores = np.where(columns > rows, -np.inf, scores)
    return _join(_weights(scores) @ v).astype(_dtype(*arrays))


def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    arrays = [np.asarray(a) for a in (x_t, w_q, w_k, w_v, cache_k, cache_v)]
    x_t, w_q, w_k, w_v, cache_k, cache_v = arrays
    if x_t.shape[-2] != 1:
        _bad("expected a single token, got %d" % x_t.shape[-2])
    q, k, v = _project(x_t, [w_q, w_k, w_v], n_heads)
    if cache_k.shape != cache_v.shape or cache_k.shape[-1] != k.shape[-1] or cache_k.shape[:-2] != k.shape[:-2]:
        _bad("caches of shape %s and %s do not go with %s" % (cache_k.shape, cache_v.shape, k.shape))
    keys = np.append(cache_k, apply_rope(k, [position], base), axis=-2)
    values = np.append(cache_v, v, axis=-2)
    scores = np.einsum("...qd,...kd->...qk", apply_rope(q, [position], base), keys) / np.sqrt(keys.shape[-1])
    dtype = _dtype(*arrays)
    return _join(_weights(scores) @ values).astype(dtype), keys.astype(dtype), values.astype(dtype)


def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    if rotary_dim < 1 or rotary_dim % 2 or rotary_dim > np.shape(x)[-1]:
        _bad("rotary_dim %d is odd, too small or larger than %d" % (rotary_dim, np.shape(x)[-1]))
    return _rotate_pairs(x, positions, base, [(i, i + 1) for i in range(0, rotary_dim, 2)])


def decay_bound(offsets, head_dim, base=10000.0):
    offsets = np.asarray(offsets, dtype=float)
    if np.isnan(offsets).any():
        _bad("offset is nan")
    real, imag, total = 0.0, 0.0, 0.0
    thetas = rope_frequencies(head_dim, base)
    for theta in thetas:
        real = real + np.cos(offsets * theta)
        imag = imag + np.sin(offsets * theta)
        total = total + np.hypot(real, imag)
    return total / len(thetas)


ANSWERS = {
    "score_change_when_all_shift_by_5": 0,
    "rotates_values": False,
    "extra_parameters": 0,
    "score_m1_n3_equals_m3_n5": True,
    "half_layout_is_a_bug": False,
}
