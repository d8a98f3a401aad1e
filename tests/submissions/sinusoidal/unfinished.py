"""The encoding itself works. I will write the matrix and the layouts at the weekend."""

import numpy as np


def frequencies(d_model, base=10000.0):
    if d_model < 1 or d_model % 2 == 1:
        raise ValueError("d_model must be even and positive, got %d" % d_model)
    if not base > 0 or base == np.inf:
        raise ValueError("base must be positive and finite, got %r" % base)
    i = np.arange(d_model // 2)
    return 1 / base ** (2 * i / d_model)


def sinusoidal_encoding(positions, d_model, base=10000.0):
    positions = np.asarray(positions, dtype=float)
    if np.isnan(positions).any():
        raise ValueError("positions contain nan")
    angles = positions[..., None] * frequencies(d_model, base)
    pe = np.zeros(positions.shape + (d_model,))
    pe[..., 0::2] = np.sin(angles)
    pe[..., 1::2] = np.cos(angles)
    return pe


def add_positions(x, base=10000.0):
    x = np.asarray(x)
    T, d = x.shape[-2:]
    result = x + sinusoidal_encoding(np.arange(T), d, base)
    return result.astype(x.dtype) if x.dtype == np.float32 else result


def wavelengths(d_model, base=10000.0):
    return 2 * np.pi / frequencies(d_model, base)


def shift_matrix(offset, d_model, base=10000.0):
    raise NotImplementedError("shift_matrix is not written yet")


def offset_similarity(offsets, d_model, base=10000.0):
    raise NotImplementedError("offset_similarity is not written yet")


def to_concatenated(pe):
    raise NotImplementedError("to_concatenated is not written yet")


def to_interleaved(pe):
    raise NotImplementedError("to_interleaved is not written yet")


ANSWERS = {
    "slowest_wavelength_512": 62832,  # 2 pi * 10000
    "fastest_wavelength": 6.2832,
    "similarity_at_zero_512": None,
    "extrapolates_without_error": True,
}
