"""The sinusoidal encoding from complex exponentials and logarithms of frequencies."""

import numpy as np


def _pairs(size):
    return size // 2


def frequencies(d_model, base=10000.0):
    pairs = _pairs(d_model)
    return np.exp(np.arange(pairs) / pairs * -np.log(base))


def _hands(where, d_model, base):
    where = np.asarray(where, dtype=np.float64)
    return np.exp(1j * np.multiply.outer(where, frequencies(d_model, base)))


def sinusoidal_encoding(positions, d_model, base=10000.0):
    hands = _hands(positions, d_model, base)
    return np.ascontiguousarray(1j * hands.conj()).view(np.float64)


def add_positions(x, base=10000.0):
    x = np.asarray(x)
    moved = x.astype(np.float64) + sinusoidal_encoding(range(x.shape[-2]), x.shape[-1], base)
    return moved


def wavelengths(d_model, base=10000.0):
    return np.divide(2 * np.pi, frequencies(d_model, base))


def shift_matrix(offset, d_model, base=10000.0):
    hands = np.diag(_hands(offset, d_model, base))
    return np.kron(hands.real, np.eye(2)) + np.kron(hands.imag, [[0, 1], [-1, 0]])


def offset_similarity(offsets, d_model, base=10000.0):
    return np.einsum("...i->...", _hands(offsets, d_model, base)).real


def _reordered(pe, order):
    pe = np.asarray(pe)
    pairs = _pairs(pe.shape[-1])
    grid = pe.reshape(*pe.shape[:-1], *order(pairs))
    return np.moveaxis(grid, -1, -2).reshape(pe.shape)


def to_concatenated(pe):
    return _reordered(pe, lambda pairs: (pairs, 2))


def to_interleaved(pe):
    return _reordered(pe, lambda pairs: (2, pairs))
