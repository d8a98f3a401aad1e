"""Grids: where a pixel is.

A sentence has one axis, an image has two axes and a video has three. On a grid, a position is a row of coordinates, (y,
x) or (t, h, w), rather than a single number. You place a sinusoidal code on a grid, stretch a learned grid, and rotate
queries and keys by several coordinates at once. Every variant of rotation is defined by a matrix of frequencies: row i
says how fast pair i rotates along each axis.

Conventions: coordinates start at 0; the row (y, h) comes before the column (x, w). `...` stands for any number of
leading axes; the last two axes are (sequence, feature). Pair i consists of features 2i and 2i+1. Results are float32 if
every feature array (x, q, k, a table) is float32, else float64; positions and frequencies do not affect the dtype, and
angles are always computed in float64. No function changes an argument in place.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


# BEGIN SOLUTION
# The rules that several functions share are in one place, so that each function below shows only its own
# idea. For shapes that cannot be multiplied or split, numpy itself raises a ValueError.


def _check_sides(sides):
    """Return the side lengths of a grid, an image or a video."""
    if min(sides) < 1:
        raise ValueError(f"every side must be at least 1; got {' × '.join(map(str, sides))}")


def _check_not_negative(size, name):
    if size < 0:
        raise ValueError(f"{name} must not be negative; got {size}")


def _cells(sides):
    """Return the coordinates of every cell of a grid with any number of axes; the last coordinate changes fastest."""
    _check_sides(sides)
    return np.stack([along_one_axis.ravel() for along_one_axis in np.indices(sides)], axis=1)


def _falling_frequencies(size, base):
    """Return RoPE's frequencies for a code of this size: base^(−2i / size)."""
    if not (np.isfinite(base) and base > 0):
        raise ValueError(f"base must be a positive finite number; got {base}")
    return float(base) ** (-np.arange(0, size, 2) / size)


def _check_quarters(size, name):
    """Check that each of two axes gets a whole number of pairs."""
    pairs_per_axis, left_over = divmod(size, 4)
    if pairs_per_axis < 1 or left_over:
        raise ValueError(f"{name} must be a multiple of 4, so that each axis gets whole pairs; got {size}")


def _interpolation_weights(old, new):
    """Return a matrix of shape (new, old): row j says how much each old cell contributes to new cell j."""
    centres = (np.arange(new) + 0.5) * old / new - 0.5
    centres = np.clip(centres, 0, old - 1)
    distances = np.abs(np.subtract.outer(centres, np.arange(old)))
    # 1 − distance, but never below 0: nearness is the weight of the two cells beside the centre, and 0 for all others.
    return (1 - distances).clip(min=0)


# END SOLUTION


def grid_positions(height, width):
    """Return the coordinates of every cell of a grid, row by row.

    Cell r of the flattened grid is in row y = r // width and column x = r % width.

    Parameters: `height` and `width`, ints of at least 1.
    Returns: int64, shape (height·width, 2); each row is (y, x).
    Example: grid_positions(2, 3) is [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]].
    """
    # BEGIN SOLUTION
    return _cells((height, width))
    # END SOLUTION


def sinusoidal_2d(height, width, d_model, base=10000.0):
    """Return a sinusoidal code for every cell: one half of the features encodes y, the other half encodes x.

        ω_i = base^(−2i / (d/2)),   i = 0 … d/4 − 1
        features 2i, 2i+1:              sin(y·ω_i), cos(y·ω_i)
        features d/2 + 2i, d/2 + 2i+1:  sin(x·ω_i), cos(x·ω_i)

    Each half is the sinusoidal encoding (lesson 3) of size d/2. DETR uses the same order, but counts from 1.

    Parameters: `height` and `width`, ints of at least 1; `d_model`, a multiple of 4; `base`, a positive finite number.
    Returns: float64, shape (height·width, d_model), cells row by row as in grid_positions.
    Example: sinusoidal_2d(1, 2, 4) is [[0, 1, 0, 1], [0, 1, 0.8415, 0.5403]].
    Source: Carion et al. 2020 (DETR).
    """
    # BEGIN SOLUTION
    _check_quarters(d_model, "d_model")
    angles = grid_positions(height, width)[:, :, np.newaxis] * _falling_frequencies(d_model // 2, base)
    # (cell, axis, pair) gets a last axis (sin, cos); flattened, the halves are side by side.
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(height * width, d_model)
    # END SOLUTION


def axial_frequencies(head_dim, base=10000.0):
    """Return frequencies that rotate half of the pairs only with y, and the other half only with x.

        pair i:         (base^(−4i / d), 0)     i = 0 … d/4 − 1,   d = head_dim
        pair d/4 + i:   (0, base^(−4i / d))

    Parameters: `head_dim`, a multiple of 4; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2, 2): one row per pair and one column per axis (y, x).
    Example: axial_frequencies(8) is [[1, 0], [0.01, 0], [0, 1], [0, 0.01]].
    Source: Wang et al. 2024 (Qwen2-VL), the image encoder; Heo et al. 2024.
    """
    # BEGIN SOLUTION
    _check_quarters(head_dim, "head_dim")
    along_one_axis = _falling_frequencies(head_dim // 2, base)
    return np.kron(np.eye(2), along_one_axis[:, np.newaxis])
    # END SOLUTION


def alternating_frequencies(head_dim, base=10000.0):
    """Return RoPE's frequencies for alternating axes: even pairs rotate with y, odd pairs with x.

        pair i:   base^(−2i / d) in column 0 if i is even, in column 1 if i is odd

    Parameters: `head_dim`, a multiple of 4; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2, 2): one row per pair and one column per axis (y, x).
    Example: alternating_frequencies(8) is [[1, 0], [0, 0.1], [0.01, 0], [0, 0.001]].
    Source: Pixtral, which lists the pairs of y before the pairs of x.
    """
    # BEGIN SOLUTION
    _check_quarters(head_dim, "head_dim")
    axis_of_pair = np.arange(head_dim // 2) % 2
    return _falling_frequencies(head_dim, base)[:, np.newaxis] * np.eye(2)[axis_of_pair]
    # END SOLUTION


def mrope_frequencies(head_dim, sections, base=10000.0, interleaved=False):
    """Return RoPE's frequencies, divided among three axes: time t, height h and width w.

    Pair i rotates by base^(−2i / d) along exactly one axis:

        in sections:   the first sections[0] pairs with t, the next sections[1] with h, the last sections[2] with w
        interleaved:   h if i mod 3 = 1 and i < 3·sections[1],
                       w if i mod 3 = 2 and i < 3·sections[2],   t otherwise

    Parameters: `head_dim`, an even int; `sections`, three ints that add up to head_dim/2 (no test passes any other
    number of ints); `base`, a positive finite number.
    Returns: float64, shape (head_dim/2, 3): one row per pair and one column per axis (t, h, w).
    Example: mrope_frequencies(8, (2, 1, 1)) is [[1, 0, 0], [0.1, 0, 0], [0, 0.01, 0], [0, 0, 0.001]]; interleaved, its
    rows are [1, 0, 0], [0, 0.1, 0], [0, 0, 0.01], [0.001, 0, 0].
    Source: Wang et al. 2024 (Qwen2-VL) §2.1; Qwen3-VL for the interleaved form.
    """
    # BEGIN SOLUTION
    pairs, left_over = divmod(head_dim, 2)
    if left_over or not pairs:
        raise ValueError(f"head_dim must be even and at least 2, so that features form pairs; got {head_dim}")
    _check_not_negative(min(sections), "a section")
    if sum(sections) != pairs:
        raise ValueError(f"three sections must add up to the number of pairs; got {tuple(sections)} for {pairs}")
    axis_of_pair = np.repeat(np.arange(3), sections)
    if interleaved:
        turns, axes = np.divmod(np.arange(pairs), 3)
        axis_of_pair = np.where(turns < np.array(sections)[axes], axes, 0)
    return _falling_frequencies(head_dim, base)[:, np.newaxis] * np.eye(3)[axis_of_pair]
    # END SOLUTION


def apply_rope_nd(x, positions, frequencies):
    """Rotate pair i of row t by the sum of positions[t, a] · frequencies[i, a] over all axes a.

    The rotation is RoPE with several coordinates. With one axis and RoPE's frequencies, the rotation is plain RoPE.

    Parameters: `x`, shape (..., T, d) with d even; `positions`, shape (T, n_axes), real numbers, shared by all leading
    axes; `frequencies`, shape (d/2, n_axes).
    Returns: the shape of x; float32 if x is float32, else float64. x itself does not change.
    Raises: ValueError unless `positions` has one row per row of x, and `frequencies` has one row per pair and one
    column per axis.
    Example: apply_rope_nd([[1, 0, 1, 0]], [[2, 1]], [[1, 0], [0, 0.5]]) is [[−0.4161, 0.9093, 0.8776, 0.4794]]: pair 0
    rotates by 2 radians, pair 1 by half a radian.
    Source: Heo et al. 2024; Wang et al. 2024 §2.1.
    """
    # BEGIN SOLUTION
    (x, dtype), positions, frequencies = _features(x), np.asarray(positions), np.asarray(frequencies)
    *_, length, d = x.shape
    if d % 2:
        raise ValueError(f"the features must form pairs; got x of shape {x.shape}")
    if positions.ndim != 2 or len(positions) != length:
        raise ValueError(
            f"every token needs a row of coordinates; got positions of shape {positions.shape} for x of shape {x.shape}"
        )
    if frequencies.shape != (d // 2, positions.shape[1]):
        shapes = f"{x.shape}, {positions.shape} and {frequencies.shape}"
        raise ValueError(
            f"frequencies need a row per pair and a column per axis; shapes of x, positions, frequencies: {shapes}"
        )
    if np.isnan(positions).any():
        raise ValueError("positions must be numbers; got nan")
    angles = positions.astype(np.float64) @ frequencies.T.astype(np.float64)
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return rotated.reshape(x.shape).astype(dtype)
    # END SOLUTION


def grid_scores(q, k, q_positions, k_positions, frequencies):
    """Attention scores of rotated queries and rotated keys, scaled by 1/√d.

        score[i, j] = apply_rope_nd(q)_i · apply_rope_nd(k)_j / √d

    If all queries and keys move by the same number of rows and columns, no score changes.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `q_positions`, shape (Tq, n_axes); `k_positions`,
    shape (Tk, n_axes); `frequencies`, shape (d/2, n_axes).
    Returns: shape (..., Tq, Tk); float32 if q and k are both float32, else float64.
    Raises: ValueError unless each query and each key has one row of coordinates, with one coordinate per axis.
    Example: with q = k = [[1, 0]], positions [[3, 1]] and [[1, 2]], frequencies [[1, 0.5]]: the angle is 3.5 − 2 = 1.5,
    and the score is [[cos(1.5)/√2]] = [[0.0500]].
    """
    # BEGIN SOLUTION
    q, k, dtype = _features(q, k)
    rotated_q, rotated_k = apply_rope_nd(q, q_positions, frequencies), apply_rope_nd(k, k_positions, frequencies)
    scores = rotated_q @ np.swapaxes(rotated_k, -1, -2) / np.sqrt(q.shape[-1])
    return scores.astype(dtype)
    # END SOLUTION


def next_position(positions):
    """Return the position of the next generated token: 1 + the largest coordinate so far, on every axis.

    The next position is not the number of tokens: an image of h × w cells takes up only max(h, w) positions.

    Parameters: `positions`, shape (T, 3), as mrope_positions returns them; T may be 0.
    Returns: int; 0 if there is no token yet.
    Example: after five tokens, one of text and four of an image of 2 × 2 cells, next_position([[0, 0, 0], [1, 1, 1],
    [1, 1, 2], [1, 2, 1], [1, 2, 2]]) is 3; next_position of no rows, shape (0, 3), is 0.
    Source: Wang et al. 2024 (Qwen2-VL) §2.1.
    """
    # BEGIN SOLUTION
    return int(np.max(positions, initial=-1)) + 1
    # END SOLUTION


def mrope_positions(segments):
    """Return the coordinates (t, h, w) of every token of a sequence that mixes text, images and videos.

    A segment is an int n, for n tokens of text, or a triple (t, h, w), for an image or a video of that many cells. The
    cells are ordered by time, then row by row. The first segment starts at 0, and each later segment starts at 1 + the
    largest coordinate so far. Token i of a text has three equal coordinates, start + i; the coordinates of a cell are
    its (t, h, w) plus the start.

    Parameters: `segments`, a list of such ints (at least 0) and triples of ints (at least 1). Loop over segments, not
    over cells.
    Returns: int64, shape (T, 3), where T counts all tokens and cells.
    Example: mrope_positions([2, (1, 2, 2), 1]) is [[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3],
    [4, 4, 4]].
    Source: Wang et al. 2024 (Qwen2-VL) §2.1.
    """
    # BEGIN SOLUTION
    pieces, start = [np.empty((0, 3), dtype=np.int64)], 0
    for segment in segments:
        if np.ndim(segment) == 0:
            _check_not_negative(segment, "the length of a text")
            cells = np.repeat(np.arange(segment)[:, np.newaxis], 3, axis=1)
        else:
            cells = _cells(segment)
        pieces.append(start + cells)
        start += next_position(cells)
    return np.concatenate(pieces)
    # END SOLUTION


def resize_grid(table, old_shape, new_shape):
    """Stretch the learned table of an old grid over a new grid, by bilinear interpolation between cell centres.

    Measured in old rows, the centre of new row j is at u. The new row mixes the two old rows on either side of u:

        u = (j + 1/2) · H / H' − 1/2,   clamped to 0 … H − 1
        new[j] = (1 − r) · old[⌊u⌋] + r · old[⌊u⌋ + 1],   r = u − ⌊u⌋

    If r is 0, the second row is not needed. Columns are resized the same way.

    Parameters: `table`, shape (H·W, d), cells row by row; `old_shape`, (H, W); `new_shape`, (H', W').
    Returns: shape (H'·W', d); float32 if the table is float32, else float64. The table does not change.
    Example: resize_grid([[0], [8]], (1, 2), (1, 4)) is [[0], [2], [6], [8]].
    Source: Dosovitskiy et al. 2021 (ViT) §3.2; torch's interpolate(mode="bilinear", align_corners=False).
    """
    # BEGIN SOLUTION
    table, dtype = _features(table)
    _check_sides(old_shape)
    _check_sides(new_shape)
    (height, width), (new_height, new_width) = old_shape, new_shape
    _, d = table.shape
    grid = table.reshape(height, width, d)
    rows, columns = _interpolation_weights(height, new_height), _interpolation_weights(width, new_width)
    stretched = columns @ np.tensordot(rows, grid, axes=1)  # first the rows, (H', W, d), then the columns of each
    return stretched.reshape(new_height * new_width, d).astype(dtype)
    # END SOLUTION


# Answer with a number, True or False.
ANSWERS = {
    # If every patch is a token, how many tokens is an image of 16 by 16 patches?
    "tokens_of_a_16_by_16_image": 256,  # the grid is flattened, 16 · 16
    # That image comes first in a sequence. At which position, the same on all three axes, is the first token of the
    # text after it?
    "position_of_text_after_it": 16,  # the largest coordinate in the image is 15
    # Does M-RoPE rotate a text-only sequence exactly as plain RoPE does?
    "text_under_mrope_is_plain_rope": True,  # three equal coordinates: it does not matter which of them a pair uses
    # Does any single pair in axial RoPE rotate by an angle that depends on both y and x?
    "axial_rope_sees_diagonals_in_one_pair": False,  # each row of its frequencies has a single non-zero entry
    # For practice, worth no points.
    # With axial RoPE, a key scores 3 at (Δy, Δx) = (0, 0), 1 at (4, 4) and 2.5 at (4, 0). What does it score at (0, 4)?
    "fourth_corner_of_the_cross": 1.5,  # S(0, 0) + S(4, 4) = S(4, 0) + S(0, 4)
    # 4 cells are stretched to 8. Where, measured in old cells, is the centre u of new cell 3?
    "old_position_of_new_cell_3": 1.25,  # (3 + ½) · 4/8 − ½
    # A sequence has two tokens of text, an image of 3 by 5 cells, an image of 2 by 2 cells and one token of
    # text. At which position is the next token?
    "next_position_after_two_images": 10,  # the images start at 2 and 7, the text at 9
}
