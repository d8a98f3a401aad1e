"""Plain implementation of grids: a list of cells, and a matrix that mixes the rows of a table."""

import numpy as np


def grid_positions(height, width):
    return np.array([(y, x) for y in range(height) for x in range(width)], dtype=np.int64).reshape(-1, 2)


def resize_grid(table, old_shape, new_shape):
    def mixing(old, new):
        at = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        return np.maximum(0, 1 - np.abs(at[:, np.newaxis] - np.arange(old)))

    return np.kron(mixing(old_shape[0], new_shape[0]), mixing(old_shape[1], new_shape[1])) @ np.asarray(
        table, dtype=float
    )


def apply_rope_nd(x, positions, frequencies):
    x, d = np.asarray(x, dtype=float), np.shape(x)[-1]
    angles = np.asarray(positions, dtype=float) @ np.asarray(frequencies, dtype=float).T
    matrices = np.zeros((len(angles), d, d))
    even, odd = np.arange(0, d, 2), np.arange(1, d, 2)
    matrices[:, even, even] = matrices[:, odd, odd] = np.cos(angles)
    matrices[:, odd, even], matrices[:, even, odd] = np.sin(angles), -np.sin(angles)
    return (matrices @ x[..., np.newaxis])[..., 0]
