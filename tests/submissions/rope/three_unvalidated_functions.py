import numpy as np


def rope_frequencies(head_dim, base=10000.0):
    return base ** (-np.arange(0, head_dim, 2) / head_dim)


def rope_cos_sin(positions, head_dim, base=10000.0):
    angles = np.outer(positions, rope_frequencies(head_dim, base))
    return np.cos(angles), np.sin(angles)


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
