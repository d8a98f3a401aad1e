import math

import numpy as np

# Pair by pair, axis by axis: small loops over pairs and axes, never over the cells.


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


def mrope_frequencies(head_dim, sections, base=10000.0, interleaved=False):
    if head_dim < 2 or head_dim % 2 != 0:
        _bad("head_dim has to be even and positive, got %d" % head_dim)
    if len(sections) != 3 or min(sections) < 0 or sum(sections) * 2 != head_dim:
        _bad("sections %s do not share out %d pairs" % (sections, head_dim // 2))
    result = np.zeros((head_dim // 2, 3))
    for i in range(head_dim // 2):
        if interleaved:
            axis = i % 3 if i < 3 * sections[i % 3] else 0
        else:
            axis = 0 if i < sections[0] else 1 if i < sections[0] + sections[1] else 2
        result[i, axis] = _frequency(i, head_dim, base)
    return result


def apply_rope_nd(x, positions, frequencies):
    x, positions, frequencies = np.asarray(x), np.asarray(positions), np.asarray(frequencies)
    if x.shape[-1] % 2 == 1:
        _bad("x has an odd number of features, %d" % x.shape[-1])
    if positions.ndim != 2 or positions.shape[0] != x.shape[-2]:
        _bad("x has %d rows but positions have shape %s" % (x.shape[-2], positions.shape))
    if frequencies.shape != (x.shape[-1] // 2, positions.shape[1]):
        _bad("frequencies have shape %s, wanted %s" % (frequencies.shape, (x.shape[-1] // 2, positions.shape[1])))
    if np.isnan(positions).any():
        _bad("position is NaN")
    result = x.astype(np.float64)
    for i in range(x.shape[-1] // 2):
        angle = sum(positions[:, axis] * np.float64(frequencies[i, axis]) for axis in range(positions.shape[1]))
        first, second = x[..., 2 * i] * 1.0, x[..., 2 * i + 1] * 1.0
        result[..., 2 * i] = np.cos(angle) * first - np.sin(angle) * second
        result[..., 2 * i + 1] = np.sin(angle) * first + np.cos(angle) * second
    return result.astype(np.float32) if x.dtype == np.float32 else result


def grid_scores(q, k, q_positions, k_positions, frequencies):
    q, k = np.asarray(q), np.asarray(k)
    wide_q, wide_k = q.astype(np.float64), k.astype(np.float64)
    keys = apply_rope_nd(wide_k, k_positions, frequencies)
    scores = np.matmul(apply_rope_nd(wide_q, q_positions, frequencies), keys.swapaxes(-1, -2)) / math.sqrt(q.shape[-1])
    return scores.astype(np.float32) if q.dtype == k.dtype == np.float32 else scores


def mrope_positions(segments):
    pieces, start = [], 0
    for segment in segments:
        if np.ndim(segment) == 0:
            t = h = w = int(segment)
            if t < 0:
                _bad("text of length %d" % t)
            piece = np.repeat(np.arange(t), 3).reshape(t, 3)
        else:
            t, h, w = segment
            if t < 1 or h < 1 or w < 1:
                _bad("image of size %s" % (tuple(segment),))
            piece = np.stack(
                [np.repeat(np.arange(t), h * w), np.tile(np.repeat(np.arange(h), w), t), np.tile(np.arange(w), t * h)], axis=1
            )
        pieces.append(start + piece)
        start = next_position(np.concatenate(pieces))
    return np.concatenate(pieces)


def next_position(positions):
    if np.size(positions) == 0:
        return 0
    return int(np.max(positions)) + 1


ANSWERS = {
    "tokens_of_a_16_by_16_image": 16 * 16,
    "position_of_text_after_it": 16,
    "text_under_mrope_is_plain_rope": True,
    "axial_rope_sees_diagonals_in_one_pair": False,
}
