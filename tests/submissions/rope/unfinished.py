"""Frequencies, rotation and the halves are done so far, and I will write attention tomorrow."""

import numpy as np


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


def rope_cos_sin(positions, head_dim, base=10000.0):
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


def rope_scores(*args, **kwargs):
    raise NotImplementedError


def rope_attention(*args, **kwargs):
    raise NotImplementedError


def decode_step(*args, **kwargs):
    raise NotImplementedError


def apply_partial_rope(*args, **kwargs):
    raise NotImplementedError


def decay_bound(*args, **kwargs):
    raise NotImplementedError


ANSWERS = {
    "score_change_when_all_shift_by_5": 0,
    "rotates_values": None,
    "extra_parameters": 0,
    "score_m1_n3_equals_m3_n5": None,
    "half_layout_is_a_bug": None,
}
