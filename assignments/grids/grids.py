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


def grid_positions(height, width):
    """Return the coordinates of every cell of a grid, row by row.

    Cell r of the flattened grid is in row y = r // width and column x = r % width.

    Parameters: `height` and `width`, ints of at least 1.
    Returns: int64, shape (height·width, 2); each row is (y, x).
    Example: grid_positions(2, 3) is [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]].
    """
    raise NotImplementedError("grid_positions is not written yet")


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
    raise NotImplementedError("sinusoidal_2d is not written yet")


def axial_frequencies(head_dim, base=10000.0):
    """Return frequencies that rotate half of the pairs only with y, and the other half only with x.

        pair i:         (base^(−4i / d), 0)     i = 0 … d/4 − 1,   d = head_dim
        pair d/4 + i:   (0, base^(−4i / d))

    Parameters: `head_dim`, a multiple of 4; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2, 2): one row per pair and one column per axis (y, x).
    Example: axial_frequencies(8) is [[1, 0], [0.01, 0], [0, 1], [0, 0.01]].
    Source: Wang et al. 2024 (Qwen2-VL), the image encoder; Heo et al. 2024.
    """
    raise NotImplementedError("axial_frequencies is not written yet")


def alternating_frequencies(head_dim, base=10000.0):
    """Return RoPE's frequencies for alternating axes: even pairs rotate with y, odd pairs with x.

        pair i:   base^(−2i / d) in column 0 if i is even, in column 1 if i is odd

    Parameters: `head_dim`, a multiple of 4; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2, 2): one row per pair and one column per axis (y, x).
    Example: alternating_frequencies(8) is [[1, 0], [0, 0.1], [0.01, 0], [0, 0.001]].
    Source: Pixtral, which lists the pairs of y before the pairs of x.
    """
    raise NotImplementedError("alternating_frequencies is not written yet")


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
    raise NotImplementedError("mrope_frequencies is not written yet")


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
    raise NotImplementedError("apply_rope_nd is not written yet")


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
    raise NotImplementedError("grid_scores is not written yet")


def next_position(positions):
    """Return the position of the next generated token: 1 + the largest coordinate so far, on every axis.

    The next position is not the number of tokens: an image of h × w cells takes up only max(h, w) positions.

    Parameters: `positions`, shape (T, 3), as mrope_positions returns them; T may be 0.
    Returns: int; 0 if there is no token yet.
    Example: after five tokens, one of text and four of an image of 2 × 2 cells, next_position([[0, 0, 0], [1, 1, 1],
    [1, 1, 2], [1, 2, 1], [1, 2, 2]]) is 3; next_position of no rows, shape (0, 3), is 0.
    Source: Wang et al. 2024 (Qwen2-VL) §2.1.
    """
    raise NotImplementedError("next_position is not written yet")


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
    raise NotImplementedError("mrope_positions is not written yet")


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
    raise NotImplementedError("resize_grid is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # If every patch is a token, how many tokens is an image of 16 by 16 patches?
    "tokens_of_a_16_by_16_image": None,
    # That image comes first in a sequence. At which position, the same on all three axes, is the first token of the
    # text after it?
    "position_of_text_after_it": None,
    # Does M-RoPE rotate a text-only sequence exactly as plain RoPE does?
    "text_under_mrope_is_plain_rope": None,
    # Does any single pair in axial RoPE rotate by an angle that depends on both y and x?
    "axial_rope_sees_diagonals_in_one_pair": None,
    # For practice, worth no points.
    # With axial RoPE, a key scores 3 at (Δy, Δx) = (0, 0), 1 at (4, 4) and 2.5 at (4, 0). What does it score at (0, 4)?
    "fourth_corner_of_the_cross": None,
    # 4 cells are stretched to 8. Where, measured in old cells, is the centre u of new cell 3?
    "old_position_of_new_cell_3": None,
    # A sequence has two tokens of text, an image of 3 by 5 cells, an image of 2 by 2 cells and one token of
    # text. At which position is the next token?
    "next_position_after_two_images": None,
}
