"""Grids with complex numbers, frequencies computed from logarithms, and row-by-row resizing with np.take."""

import numpy as np


def _freqs(n, base):
    return np.exp(-np.log(base) * np.arange(n) / n)


def sinusoidal_2d(height, width, d_model, base=10000.0):
    cells = np.indices((height, width)).reshape(2, -1)
    z = np.exp(1j * np.einsum("ac,p->cap", cells, _freqs(d_model // 4, base)))
    return np.dstack([z.imag.reshape(len(z), -1), z.real.reshape(len(z), -1)]).reshape(len(z), -1)


def resize_grid(table, old_shape, new_shape):
    t = np.asarray(table, dtype=float).reshape(*old_shape, -1)
    for axis in (1, 0):
        old, new = old_shape[axis], new_shape[axis]
        u = np.clip((2 * np.arange(new) + 1) * old / (2 * new) - 0.5, 0, old - 1)
        lo = u.astype(int)
        f = (u - lo).reshape((-1, 1, 1) if axis == 0 else (-1, 1))
        t = t.take(lo, axis) * (1 - f) + t.take(np.minimum(lo + 1, old - 1), axis) * f
    return t.reshape(-1, t.shape[-1])


def axial_frequencies(head_dim, base=10000.0):
    return np.kron(np.eye(2), _freqs(head_dim // 4, base)).T


def alternating_frequencies(head_dim, base=10000.0):
    return _freqs(head_dim // 2, base)[:, None] * (np.indices((head_dim // 2, 2)).sum(0) % 2 == 0)


def mrope_frequencies(head_dim, sections, base=10000.0, interleaved=False):
    t, h, w = sections
    f = _freqs(head_dim // 2, base)
    i = np.arange(head_dim // 2)
    if interleaved:
        H, W = (i % 3 == 1) & (i < 3 * h), (i % 3 == 2) & (i < 3 * w)
    else:
        H, W = (t <= i) & (i < t + h), i >= t + h
    return np.column_stack([f * ~(H | W), f * H, f * W])


def apply_rope_nd(x, positions, frequencies):
    turns = np.exp(1j * np.einsum("ta,ia->ti", np.asarray(positions, float), np.asarray(frequencies, float)))
    return (np.ascontiguousarray(x, dtype=float).view(complex) * turns).view(float)


def grid_scores(q, k, q_positions, k_positions, frequencies):
    a, b = (apply_rope_nd(x, at, frequencies) for x, at in ((q, q_positions), (k, k_positions)))
    return np.einsum("...id,...jd->...ij", a, b) / np.shape(q)[-1] ** 0.5
