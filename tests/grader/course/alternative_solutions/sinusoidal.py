"""The sinusoidal encoding with complex exponentials and logarithms of frequencies."""

import numpy as np


def frequencies(d_model, base=10000.0):
    return np.exp(np.arange(0, d_model, 2) / d_model * -np.log(base))


def _hands(where, d_model, base):
    return np.exp(1j * np.multiply.outer(where, frequencies(d_model, base)))


def sinusoidal_encoding(positions, d_model, base=10000.0):
    return np.ascontiguousarray(1j * _hands(positions, d_model, base).conj()).view(np.float64)


def shift_matrix(offset, d_model, base=10000.0):
    hands = np.diag(_hands(offset, d_model, base))
    return np.kron(hands.real, np.eye(2)) + np.kron(hands.imag, [[0, 1], [-1, 0]])
