"""Plain implementation of RoPE: one rotation matrix per position, multiplied by each row."""

import numpy as np


def rope_frequencies(head_dim, base=10000.0):
    return base ** (-np.arange(0, head_dim, 2) / head_dim)


def rotation_matrix(position, head_dim, base=10000.0):
    matrix = np.zeros((head_dim, head_dim))
    for pair, theta in enumerate(rope_frequencies(head_dim, base)):
        cos, sin = np.cos(position * theta), np.sin(position * theta)
        matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cos, -sin], [sin, cos]]
    return matrix


def apply_rope(x, positions, base=10000.0):
    x, positions = np.asarray(x, dtype=float), np.asarray(positions, dtype=float)
    d = x.shape[-1]
    angles = positions[:, np.newaxis] * rope_frequencies(d, base)
    matrices = np.zeros((len(positions), d, d))
    even, odd = np.arange(0, d, 2), np.arange(1, d, 2)
    matrices[:, even, even] = matrices[:, odd, odd] = np.cos(angles)
    matrices[:, odd, even], matrices[:, even, odd] = np.sin(angles), -np.sin(angles)
    return (matrices @ x[..., np.newaxis])[..., 0]


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    q, k = apply_rope(q, q_positions, base), apply_rope(k, k_positions, base)
    return (q[..., :, np.newaxis, :] * k[..., np.newaxis, :, :]).sum(axis=-1) / np.sqrt(q.shape[-1])


def decay_bound(offsets, head_dim, base=10000.0):
    waves = np.exp(1j * np.asarray(offsets, dtype=float)[..., np.newaxis] * rope_frequencies(head_dim, base))
    below = np.tri(head_dim // 2)
    sums = (waves[..., np.newaxis, :] * below).sum(axis=-1)
    return np.abs(sums).mean(axis=-1)
