"""Sinusoidal encoding with complex numbers: each pair is e^(i angle), whose imaginary part is the sine."""

import numpy as np


def need(condition, complaint):
    if not condition:
        raise ValueError(complaint)


def frequencies(d_model, base=10000.0):
    need(d_model > 0 and d_model % 2 == 0, f"{d_model} features do not form pairs")
    need(0 < base < np.inf, f"base {base} should be positive and finite")
    # log space, as in the annotated transformer
    return np.exp(np.arange(d_model // 2) * (-2 * np.log(base) / d_model))


def hands(where, d_model, base):
    """Return e^(i·where·ω), with one more axis than `where`."""
    where = np.asarray(where, dtype=float)
    need(not np.isnan(where).any(), "nan is not a position")
    return np.exp(1j * np.multiply.outer(where, frequencies(d_model, base)))


def as_features(z):
    """imag, real, imag, real, ..."""
    return np.stack((z.imag, z.real), axis=-1).reshape(z.shape[:-1] + (-1,))


def sinusoidal_encoding(positions, d_model, base=10000.0):
    return as_features(hands(positions, d_model, base))


def add_positions(x, base=10000.0):
    x = np.asarray(x)
    need(x.ndim >= 2, f"x should be (..., T, d), it is {x.shape}")
    encoding = sinusoidal_encoding(range(x.shape[-2]), x.shape[-1], base)
    # adding in float32 is fine as long as the angles were float64
    return x + encoding.astype(np.float32 if x.dtype == np.float32 else np.float64)


def wavelengths(d_model, base=10000.0):
    return 2 * np.pi * np.reciprocal(frequencies(d_model, base))


def shift_matrix(offset, d_model, base=10000.0):
    need(np.ndim(offset) == 0, f"one offset at a time, not {np.shape(offset)}")
    z = hands(offset, d_model, base)
    # e^(i(a+b)) = e^(ia) e^(ib), so multiply the columns of the identity by z, read as (imag, real) pairs
    columns = np.eye(d_model)
    as_complex = columns[1::2] + 1j * columns[0::2]
    moved = as_complex * z[:, None]
    matrix = np.zeros((d_model, d_model))
    matrix[0::2], matrix[1::2] = moved.imag, moved.real
    return matrix


def offset_similarity(offsets, d_model, base=10000.0):
    return hands(offsets, d_model, base).sum(axis=-1).real


def to_concatenated(pe):
    pe = np.asarray(pe)
    need(pe.shape[-1] % 2 == 0, f"odd number of features: {pe.shape[-1]}")
    pairs = pe.reshape(pe.shape[:-1] + (-1, 2))
    return floats(np.swapaxes(pairs, -1, -2).reshape(pe.shape))


def to_interleaved(pe):
    pe = np.asarray(pe)
    need(pe.shape[-1] % 2 == 0, f"odd number of features: {pe.shape[-1]}")
    halves = pe.reshape(pe.shape[:-1] + (2, -1))
    return floats(np.swapaxes(halves, -1, -2).reshape(pe.shape))


def floats(x):
    return x if x.dtype == np.float32 else x.astype(float)


ANSWERS = {
    "slowest_wavelength_512": int(round(wavelengths(512)[-1])),
    "fastest_wavelength": wavelengths(2)[0],
    "similarity_at_zero_512": 256.0,
    "extrapolates_without_error": True,
}
