"""So far: the grid, the tables and the two ways for images. Text and images together are for tomorrow."""

import math

import numpy as np


def _bad(text):
    raise ValueError(text)


def _frequency(i, d, base):
    if not base > 0 or math.isinf(base):
        _bad("bad base: %r" % base)
    return base ** (-2.0 * i / d)


def grid_positions(height, width):
    if height < 1 or width < 1:
        _bad("height %d and width %d must be positive" % (height, width))
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    return np.stack([y.ravel(), x.ravel()], axis=-1)


def sinusoidal_2d(height, width, d_model, base=10000.0):
    if d_model < 4 or d_model % 4 != 0:
        _bad("d_model = %d, but 4 must divide it" % d_model)
    cells = grid_positions(height, width)
    result = np.empty((height * width, d_model))
    for axis in range(2):
        for i in range(d_model // 4):
            angle = cells[:, axis] * _frequency(i, d_model // 2, base)
            column = axis * (d_model // 2) + 2 * i
            result[:, column] = np.sin(angle)
            result[:, column + 1] = np.cos(angle)
    return result


def _neighbours(old, new):
    where = np.clip((np.arange(new) + 0.5) * (old / new) - 0.5, 0.0, old - 1.0)
    left = where.astype(np.int64)
    right = np.minimum(left + 1, old - 1)
    return left, right, where - left


def resize_grid(table, old_shape, new_shape):
    table = np.asarray(table)
    if min(*old_shape, *new_shape) < 1:
        _bad("shapes %s and %s need positive sides" % (old_shape, new_shape))
    if table.ndim != 2 or table.shape[0] != old_shape[0] * old_shape[1]:
        _bad("table of shape %s does not fit the grid %s" % (table.shape, old_shape))
    grid = table.astype(np.float64).reshape(old_shape[0], old_shape[1], table.shape[1])
    top, bottom, down = _neighbours(old_shape[0], new_shape[0])
    left, right, across = _neighbours(old_shape[1], new_shape[1])
    down, across = down[:, None, None], across[None, :, None]
    upper = grid[top][:, left] * (1 - across) + grid[top][:, right] * across
    lower = grid[bottom][:, left] * (1 - across) + grid[bottom][:, right] * across
    stretched = (upper * (1 - down) + lower * down).reshape(-1, table.shape[1])
    return stretched.astype(np.float32) if table.dtype == np.float32 else stretched


def axial_frequencies(head_dim, base=10000.0):
    if head_dim < 4 or head_dim % 4 != 0:
        _bad("head_dim = %d, but 4 must divide it" % head_dim)
    rows = [(_frequency(i, head_dim // 2, base), 0.0) for i in range(head_dim // 4)]
    return np.array(rows + [(x, y) for y, x in rows])


def alternating_frequencies(head_dim, base=10000.0):
    if head_dim < 4 or head_dim % 4 != 0:
        _bad("head_dim = %d, but 4 must divide it" % head_dim)
    result = np.zeros((head_dim // 2, 2))
    for i in range(head_dim // 2):
        result[i, i % 2] = _frequency(i, head_dim, base)
    return result
