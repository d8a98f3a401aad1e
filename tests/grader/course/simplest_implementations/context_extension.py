"""Plain implementation of context extension: complete tables of angles, and a rotation for each query–key pair."""

import numpy as np


def lowest_similarity(length, head_dim, base=10000.0):
    theta = base ** (-np.arange(0, head_dim, 2) / head_dim)
    return float(np.cos(np.arange(length)[:, np.newaxis] * theta).mean(axis=-1).min())


def apply_rope_with(x, positions, frequencies, scale=1.0):
    x, positions = np.asarray(x, dtype=float), np.asarray(positions, dtype=float)
    d = x.shape[-1]
    angles = positions[:, np.newaxis] * np.asarray(frequencies, dtype=float)
    matrices = np.zeros((len(positions), d, d))
    even, odd = np.arange(0, d, 2), np.arange(1, d, 2)
    matrices[:, even, even] = matrices[:, odd, odd] = np.cos(angles)
    matrices[:, odd, even], matrices[:, even, odd] = np.sin(angles), -np.sin(angles)
    return scale * (matrices @ x[..., np.newaxis])[..., 0]


def rerope_scores(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    q, k = np.asarray(q, dtype=float), np.asarray(k, dtype=float)
    theta = base ** (-np.arange(0, q.shape[-1], 2) / q.shape[-1])
    r = np.asarray(q_positions, dtype=float)[:, np.newaxis] - np.asarray(k_positions, dtype=float)
    distance = r.copy()
    distance[r >= window] = window + (r[r >= window] - window) / factor
    cos, sin = np.cos(distance[..., np.newaxis] * theta), np.sin(distance[..., np.newaxis] * theta)
    a, b = q[..., :, np.newaxis, ::2], q[..., :, np.newaxis, 1::2]
    c, d = k[..., np.newaxis, :, ::2], k[..., np.newaxis, :, 1::2]
    return ((a * cos - b * sin) * c + (a * sin + b * cos) * d).sum(axis=-1) / np.sqrt(q.shape[-1])
