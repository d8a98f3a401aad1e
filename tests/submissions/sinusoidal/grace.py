"""Everything hand by hand: a loop over the pairs, never over the positions."""

import numpy as np


def check_d(d):
    if d <= 0:
        raise ValueError("d_model too small: " + str(d))
    if d % 2 != 0:
        raise ValueError("d_model is odd: " + str(d))


def check_base(base):
    if np.isnan(base) or np.isinf(base) or base <= 0:
        raise ValueError("base must be a finite number above zero but is " + str(base))


def frequencies(d_model, base=10000.0):
    check_d(d_model)
    check_base(base)
    ratio = base ** (-2.0 / d_model)
    omegas = [1.0]
    for _ in range(d_model // 2 - 1):
        omegas.append(omegas[-1] * ratio)
    return np.array(omegas)


def sinusoidal_encoding(positions, d_model, base=10000.0):
    p = np.array(positions, dtype=np.float64)
    if np.any(np.isnan(p)):
        raise ValueError("some position is NaN")
    features = []
    for omega in frequencies(d_model, base):
        features += [np.sin(p * omega), np.cos(p * omega)]
    return np.moveaxis(np.array(features), 0, -1)


def add_positions(x, base=10000.0):
    x = np.array(x)
    if len(x.shape) < 2:
        raise ValueError("no sequence axis in shape " + str(x.shape))
    pe = sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1], base)
    total = x.astype(np.float64) + pe
    if x.dtype == np.float32:
        return total.astype(np.float32)
    return total


def wavelengths(d_model, base=10000.0):
    return np.array([2 * np.pi / omega for omega in frequencies(d_model, base)])


def shift_matrix(offset, d_model, base=10000.0):
    if np.ndim(offset) > 0:
        raise ValueError("offset should be a single number, shape is " + str(np.shape(offset)))
    if offset != offset:
        raise ValueError("offset is NaN")
    M = np.eye(d_model) if d_model > 0 else None
    for i, omega in enumerate(frequencies(d_model, base)):
        c, s = np.cos(offset * omega), np.sin(offset * omega)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return M


def offset_similarity(offsets, d_model, base=10000.0):
    # PE(0) is 0, 1, 0, 1, ... so the dot product with PE(k) picks out the cosines
    origin = sinusoidal_encoding(0, d_model, base)
    return np.einsum("...d,d->...", sinusoidal_encoding(offsets, d_model, base), origin)


def to_concatenated(pe):
    pe = np.array(pe, dtype=np.float32 if np.array(pe).dtype == np.float32 else np.float64)
    d = pe.shape[-1]
    check_d(d)
    order = [2 * i for i in range(d // 2)] + [2 * i + 1 for i in range(d // 2)]
    return pe[..., order]


def to_interleaved(pe):
    pe = np.array(pe, dtype=np.float32 if np.array(pe).dtype == np.float32 else np.float64)
    d = pe.shape[-1]
    check_d(d)
    order = []
    for i in range(d // 2):
        order += [i, i + d // 2]
    return np.take(pe, order, axis=-1)


ANSWERS = {
    "slowest_wavelength_512": 60611,
    "fastest_wavelength": 6.2832,
    "similarity_at_zero_512": 256,
    "extrapolates_without_error": True,
}
