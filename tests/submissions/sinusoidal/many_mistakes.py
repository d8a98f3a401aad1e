import numpy as np


def frequencies(d_model, base=10000.0):
    if d_model % 2 or d_model < 2:
        raise ValueError(f"d_model = {d_model} is not even")
    if base <= 0 or not np.isfinite(base):
        raise ValueError(f"base = {base} is no good")
    return np.array([base ** (-i / d_model) for i in range(0, d_model, 2)])


def sinusoidal_encoding(positions, d_model, base=10000.0):
    frequencies(d_model, base)  # for its checks
    positions = np.asarray(positions, float)
    if np.isnan(positions).any():
        raise ValueError("nan")
    pe = np.zeros(positions.shape + (d_model,))
    for i in range(0, d_model, 2):
        pe[..., i] = np.sin(positions / base ** (i / d_model))
        pe[..., i + 1] = np.cos(positions / base ** ((i + 1) / d_model))
    return pe


def add_positions(x, base=10000.0):
    T, d = x.shape[-2], x.shape[-1]
    x += sinusoidal_encoding(np.arange(T), d, base)
    return x


def wavelengths(d_model, base=10000.0):
    return 2 * np.pi / frequencies(d_model, base)


def shift_matrix(offset, d_model, base=10000.0):
    M = np.zeros((d_model, d_model))
    for i, w in enumerate(frequencies(d_model, base)):
        c, s = np.cos(offset * w), np.sin(offset * w)
        # rotation matrix
        M[2 * i, 2 * i] = c
        M[2 * i, 2 * i + 1] = -s
        M[2 * i + 1, 2 * i] = s
        M[2 * i + 1, 2 * i + 1] = c
    return M


def offset_similarity(offsets, d_model, base=10000.0):
    offsets = np.asarray(offsets)
    total = np.zeros(offsets.shape)
    for w in frequencies(d_model, base):
        total = total + np.cos(w * offsets)
    return total


def to_concatenated(pe):
    if pe.shape[-1] % 2:
        raise ValueError(f"cannot split {pe.shape}")
    return np.concatenate([pe[..., 0::2], pe[..., 1::2]], axis=-1)


def to_interleaved(pe):
    # worked for d = 4
    return to_concatenated(pe)


ANSWERS = {
    "slowest_wavelength_512": 60611,
    "fastest_wavelength": 2 * np.pi,
    "similarity_at_zero_512": 512,
    "extrapolates_without_error": True,
}
