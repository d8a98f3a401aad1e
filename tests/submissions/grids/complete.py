"""Grids with complex numbers: a pair is one complex number, and rotating it is multiplying by e^(i angle)."""

import numpy as np


def need(condition, message):
    if not condition:
        raise ValueError(message)


def thetas(d, base):
    need(0 < base < np.inf, f"base {base} is not a positive number")
    return np.exp(-np.log(base) * 2 * np.arange(d // 2) / d)


def fitting(result, *inputs):
    return np.asarray(result, np.float32 if all(i.dtype == np.float32 for i in inputs) else np.float64)


def grid_positions(height, width):
    need(height >= 1 and width >= 1, f"no grid of {height} by {width}")
    y, x = np.divmod(np.arange(height * width), width)
    return np.column_stack([y, x])


def sinusoidal_2d(height, width, d_model, base=10000.0):
    need(d_model > 0 and d_model % 4 == 0, f"d_model {d_model} is not a multiple of 4")
    half = d_model // 2
    z = np.exp(1j * np.multiply.outer(grid_positions(height, width), thetas(half, base)))
    z = z.reshape(height * width, half)
    # Imaginary part first: sines stand before cosines.
    return np.ascontiguousarray(np.conj(z) * 1j).view(np.float64)


def resize_grid(table, old_shape, new_shape):
    table = np.asarray(table)
    for side in (*old_shape, *new_shape):
        need(side >= 1, f"a side of {side}")
    need(table.shape[0] == old_shape[0] * old_shape[1], f"table {table.shape} for a grid of {tuple(old_shape)}")
    result = table.astype(float).reshape(*old_shape, -1)
    for axis in (0, 1):
        old, new = old_shape[axis], new_shape[axis]
        u = np.clip((np.arange(new) + 0.5) / new * old - 0.5, 0, old - 1)
        low = np.floor(u).astype(int)
        high = np.minimum(low + 1, old - 1)
        part = (u - low).reshape((new, 1) if axis else (new, 1, 1))
        result = result.take(low, axis) * (1 - part) + result.take(high, axis) * part
    return fitting(result.reshape(-1, table.shape[1]), table)


def axial_frequencies(head_dim, base=10000.0):
    need(head_dim > 0 and head_dim % 4 == 0, f"head_dim {head_dim} is not a multiple of 4")
    theta = thetas(head_dim // 2, base)
    zero = np.zeros_like(theta)
    return np.block([[theta, zero], [zero, theta]]).T


def alternating_frequencies(head_dim, base=10000.0):
    need(head_dim > 0 and head_dim % 4 == 0, f"head_dim {head_dim} is not a multiple of 4")
    result = np.zeros((head_dim // 2, 2))
    result[0::2, 0], result[1::2, 1] = thetas(head_dim, base)[0::2], thetas(head_dim, base)[1::2]
    return result


def mrope_frequencies(head_dim, sections, base=10000.0, interleaved=False):
    need(head_dim > 0 and head_dim % 2 == 0, f"head_dim {head_dim} is not even")
    t, h, w = sections
    need(min(t, h, w) >= 0 and t + h + w == head_dim // 2, f"sections {sections} of {head_dim // 2} pairs")
    axis = np.zeros(head_dim // 2, dtype=int)
    if interleaved:
        axis[1 : 3 * h : 3], axis[2 : 3 * w : 3] = 1, 2
    else:
        axis[t : t + h], axis[t + h :] = 1, 2
    return np.where(axis[:, None] == np.arange(3), thetas(head_dim, base)[:, None], 0.0)


def apply_rope_nd(x, positions, frequencies):
    x, positions, frequencies = np.asarray(x), np.asarray(positions, dtype=float), np.asarray(frequencies, dtype=float)
    need(x.shape[-1] % 2 == 0, f"odd number of features: {x.shape[-1]}")
    need(positions.ndim == 2 and positions.shape[0] == x.shape[-2], f"positions {positions.shape} for x {x.shape}")
    need(frequencies.shape == (x.shape[-1] // 2, positions.shape[1]), f"frequencies {frequencies.shape} for x {x.shape}")
    need(not np.any(positions != positions), "nan among the positions")
    z = x.astype(float)[..., 0::2] + 1j * x.astype(float)[..., 1::2]
    z = z * np.exp(1j * np.einsum("ta,ia->ti", positions, frequencies))
    return fitting(np.stack((z.real, z.imag), -1).reshape(x.shape), x)


def grid_scores(q, k, q_positions, k_positions, frequencies):
    q, k = np.asarray(q), np.asarray(k)
    need(q.shape[-1] == k.shape[-1], f"q has {q.shape[-1]} features, k has {k.shape[-1]}")
    left = apply_rope_nd(q.astype(float), q_positions, frequencies)
    right = apply_rope_nd(k.astype(float), k_positions, frequencies)
    return fitting(np.einsum("...id,...jd->...ij", left, right) / q.shape[-1] ** 0.5, q, k)


def mrope_positions(segments):
    start, rows = 0, []
    for segment in segments:
        if isinstance(segment, (tuple, list)):
            need(min(segment) > 0, f"an image of {segment}")
            cells = np.stack(np.unravel_index(np.arange(np.prod(segment)), segment), axis=1)
            length = max(segment)
        else:
            need(segment >= 0, f"a text of {segment} tokens")
            cells, length = np.arange(segment)[:, None] + np.zeros(3, dtype=int), segment
        rows.append(cells + start)
        start += length
    return np.concatenate(rows) if rows else np.zeros((0, 3), dtype=int)


def next_position(positions):
    return np.max(positions) + 1 if len(positions) else 0


ANSWERS = {
    "tokens_of_a_16_by_16_image": 256,
    "position_of_text_after_it": 16,
    "text_under_mrope_is_plain_rope": True,
    "axial_rope_sees_diagonals_in_one_pair": False,
}
