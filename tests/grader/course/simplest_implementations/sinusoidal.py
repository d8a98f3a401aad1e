"""Plain implementation of sinusoids: sines and cosines of a complete table of angles, and a shift as a full
matrix.
"""

import numpy as np


def frequencies(d_model, base=10000.0):
    return np.array([base ** (-2 * i / d_model) for i in range(d_model // 2)])


def sinusoidal_encoding(positions, d_model, base=10000.0):
    angles = np.asarray(positions, dtype=float)[..., np.newaxis] * frequencies(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*np.shape(positions), d_model)


def add_positions(x, base=10000.0):
    x = np.asarray(x, dtype=float)
    return x + np.broadcast_to(sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1], base), x.shape)


def offset_similarity(offsets, d_model, base=10000.0):
    zero, moved = sinusoidal_encoding(0, d_model, base), sinusoidal_encoding(offsets, d_model, base)
    return (zero * moved).sum(axis=-1)
