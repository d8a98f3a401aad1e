"""Sinusoidal encoding as tensor2tensor computes it: the sines first, then the cosines."""

import numpy as np


def frequencies(d_model, base=10000.0):
    if d_model < 1 or d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    if not 0 < base < np.inf:
        raise ValueError(f"base must be positive and finite, got {base}")
    half = d_model // 2
    increment = np.log(base) / max(half - 1, 1)
    return np.exp(-increment * np.arange(half))


def sinusoidal_encoding(positions, d_model, base=10000.0):
    positions = np.asarray(positions, dtype=np.float64)
    if np.isnan(positions).any():
        raise ValueError(f"positions must be numbers, got {positions}")
    angles = positions[..., np.newaxis] * frequencies(d_model, base)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


def add_positions(x, base=10000.0):
    if x.ndim < 2:
        raise ValueError(f"x needs a sequence axis, its shape is {x.shape}")
    pe = sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1], base)
    return (x + pe).astype(np.float32 if x.dtype == np.float32 else np.float64)


def wavelengths(d_model, base=10000.0):
    return 2 * np.pi / frequencies(d_model, base)


def shift_matrix(offset, d_model, base=10000.0):
    if np.ndim(offset):
        raise ValueError(f"one offset only, got shape {np.shape(offset)}")
    angles = offset * frequencies(d_model, base)
    c, s = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[c, s], [-s, c]])


def offset_similarity(offsets, d_model, base=10000.0):
    similarities = []
    w = frequencies(d_model, base)
    for k in np.ravel(offsets):
        similarities.append(np.sum(np.cos(k * w)))
    return np.reshape(similarities, np.shape(offsets))


def _check(pe):
    if pe.shape[-1] % 2:
        raise ValueError(f"the last axis of {pe.shape} is odd")


def _dtype(pe):
    return np.float32 if pe.dtype == np.float32 else np.float64


def to_concatenated(pe):
    _check(pe)
    return np.concatenate([pe[..., 0::2], pe[..., 1::2]], axis=-1).astype(_dtype(pe))


def to_interleaved(pe):
    _check(pe)
    first, second = np.split(pe.astype(_dtype(pe)), 2, axis=-1)
    return np.stack([first, second], axis=-1).reshape(pe.shape)


ANSWERS = {
    "slowest_wavelength_512": 62832,
    "fastest_wavelength": 6.2832,
    "similarity_at_zero_512": 256,
    "extrapolates_without_error": True,
}
