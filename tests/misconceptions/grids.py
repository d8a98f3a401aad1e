"""Known mistakes with grids: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import grids


def spread(rates, axis_of_pair, n_axes):
    """Frequency matrix in which pair i has frequency rates[i] on axis axis_of_pair[i]."""
    return rates[:, np.newaxis] * np.eye(n_axes)[axis_of_pair]


def rates_of(size, base):
    return float(base) ** (-np.arange(0, size, 2) / size)


def like(result, *inputs):
    """Result with the dtype that the rule requires, so that only the mistake itself costs points."""
    single = all(np.asarray(one).dtype == np.float32 for one in inputs)
    return result.astype(np.float32 if single else np.float64)


def placed(segments, place):
    """mrope_positions built on `place(segment, cells, start, count)`, which returns a segment's positions and the
    next start."""
    grids.mrope_positions(segments)
    pieces, start, count = [], 0, 0
    for segment in segments:
        cells = grids.mrope_positions([segment])
        where, start = place(segment, cells, start, count)
        pieces.append(where)
        count += len(cells)
    return np.concatenate(pieces)


@mistake("grid_positions", "osaurus-ai/vmlx-swift #225 (the axes of the rotation, in an image encoder)")
def column_before_row(height, width):
    """You wrote the column before the row. The rule: write (y, x), with the row first."""
    return grids.grid_positions(height, width)[:, ::-1]


@mistake("grid_positions", "expected: np.meshgrid without indexing='ij', raveled")
def cells_column_by_column(height, width):
    """You listed the cells column by column. The rule: list the cells row by row, so x changes from each cell
    to the next."""
    return grids.grid_positions(width, height)[:, ::-1]


@mistake("grid_positions", "expected: right for square grids, so nobody notices")
def divided_by_the_height(height, width):
    """You divided by the height. The rule: divide the cell's index by the width, which is the number of cells in
    a row."""
    cells = np.arange(len(grids.grid_positions(height, width)))
    return np.stack([cells // height, cells % height], axis=-1)


@mistake("sinusoidal_2d", "facebookresearch/mae, whose grid puts the width first")
def x_in_the_first_half(height, width, d_model, base=10000.0):
    """Your first half encodes x. The rule: the first half of the features encodes y, and the second half encodes x."""
    return np.roll(grids.sinusoidal_2d(height, width, d_model, base), d_model // 2, axis=-1)


@mistake("sinusoidal_2d", "facebookresearch/detr, which counts with a cumulative sum of ones")
def coordinates_count_from_one(height, width, d_model, base=10000.0):
    """Your coordinates count from 1. The rule: coordinates count from 0, so all sines are 0 and all cosines are 1 in
    the first cell."""
    right = grids.sinusoidal_2d(height, width, d_model, base)
    larger = grids.sinusoidal_2d(height + 1, width + 1, d_model, base).reshape(height + 1, width + 1, d_model)
    return larger[1:, 1:].reshape(right.shape)


@mistake("sinusoidal_2d", "facebookresearch/mae and tensor2tensor, which concatenate; tensorflow/tensorflow #37191")
def sines_before_cosines(height, width, d_model, base=10000.0):
    """You wrote all sines of an axis before its cosines. The rule: put the sine and the cosine of a pair side by
    side."""
    y, x = np.split(grids.sinusoidal_2d(height, width, d_model, base), 2, axis=-1)
    return np.concatenate([y[:, 0::2], y[:, 1::2], x[:, 0::2], x[:, 1::2]], axis=-1)


@mistake("sinusoidal_2d", "expected: the exponent for one axis kept for two")
def exponents_of_the_whole_width(height, width, d_model, base=10000.0):
    """Your exponents divide by d_model. The rule: each half is an encoding of size d/2, so divide the exponent by
    d/2."""
    return grids.sinusoidal_2d(height, width, d_model, np.sqrt(base))


@mistake("sinusoidal_2d", "expected: the sum cannot tell (y, x) from (x, y)")
def codes_added_up(height, width, d_model, base=10000.0):
    """You added the encodings of y and x across all features. The rule: each axis has its own half of the features."""
    angles = grids.grid_positions(height, width)[:, :, np.newaxis] * rates_of(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).sum(axis=1).reshape(height * width, d_model)


@mistake("sinusoidal_2d", "ml-explore/mlx-lm #1768; alibaba/MNN #3345")
def flattened_cell_numbers(height, width, d_model, base=10000.0):
    """You encoded the cell's index in the flattened grid. The rule: encode the cell's row and column."""
    angles = np.outer(np.arange(height * width), rates_of(d_model, base))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(height * width, d_model)


def stretched(table, old_shape, new_shape, weights):
    """resize_grid with the matrix weights(old, new) along each axis."""
    right = grids.resize_grid(table, old_shape, new_shape)
    grid = np.asarray(table, dtype=np.float64).reshape(*old_shape, -1)
    rows, columns = (weights(old, new) for old, new in zip(old_shape, new_shape, strict=True))
    return np.einsum("ah, bw, hwd -> abd", rows, columns, grid).reshape(right.shape).astype(right.dtype)


def linear(centres, old):
    """Weights of the two cells beside each centre, extrapolated for centres beyond the border."""
    if old == 1:
        return np.ones((len(centres), 1))
    left = np.clip(np.floor(centres), 0, old - 2).astype(int)
    weights = np.zeros((len(centres), old))
    weights[np.arange(len(centres)), left] = 1 - (centres - left)
    weights[np.arange(len(centres)), left + 1] += centres - left
    return weights


@mistake("resize_grid", "Qwen3-VL aligns corners on purpose; torch's default does not")
def corners_aligned(table, old_shape, new_shape):
    """You aligned the outer new cells with the outer old ones (aligned corners). The rule: align the grids by the
    centres of their cells."""
    return stretched(
        table,
        old_shape,
        new_shape,
        lambda old, new: linear(np.linspace(0, old - 1, new) if new > 1 else np.zeros(1), old),
    )


COPIES = (
    "You copied a single old cell into each new one. The rule: mix the two nearest rows and the two nearest columns."
)


@mistake("resize_grid", "expected: the nearest centre", hint=COPIES)
def nearest_centre(table, old_shape, new_shape):
    def nearest(old, new):
        return np.eye(old)[np.rint((np.arange(new) + 0.5) * old / new - 0.5).clip(0, old - 1).astype(int)]

    return stretched(table, old_shape, new_shape, nearest)


@mistake("resize_grid", "expected: the ratio alone moves the whole grid towards one corner")
def corners_of_cells_for_centres(table, old_shape, new_shape):
    """You left out the half cells: your new cell j reads the old grid at j·H/H'. The rule: use the centres of both the
    new cell and the old cells."""
    return stretched(
        table, old_shape, new_shape, lambda old, new: linear(np.minimum(np.arange(new) * old / new, old - 1), old)
    )


@mistake("resize_grid", "expected: the clamp left out")
def border_not_clamped(table, old_shape, new_shape):
    """Beyond the outer centres, you extrapolated linearly. The rule: clamp to the border, so that the values of the
    outer cells continue beyond their centres."""
    return stretched(
        table, old_shape, new_shape, lambda old, new: linear((np.arange(new) + 0.5) * old / new - 0.5, old)
    )


@mistake("resize_grid", "expected: the index clamped instead of the coordinate")
def index_clamped_alone(table, old_shape, new_shape):
    """You clamped the cell index but not u itself, so you extrapolated before the first centre. The rule: clamp
    u, so that the values of the outer cells continue beyond their centres."""

    def extended(old, new):
        centres = (np.arange(new) + 0.5) * old / new - 0.5
        below = np.clip(np.floor(centres).astype(int), 0, old - 1)
        weights = np.zeros((new, old))
        np.add.at(weights, (np.arange(new), below), 1 - (centres - below))
        np.add.at(weights, (np.arange(new), np.minimum(below + 1, old - 1)), centres - below)
        return weights

    return stretched(table, old_shape, new_shape, extended)


@mistake("resize_grid", "expected: reshape(width, height) with the axes swapped")
def table_read_by_columns(table, old_shape, new_shape):
    """You read the table column by column. The rule: read the table row by row, because the cells of one grid
    row follow each other."""
    by_columns = np.reshape(table, (*old_shape[::-1], -1)).swapaxes(0, 1)
    return grids.resize_grid(by_columns.reshape(np.shape(table)), old_shape, new_shape)


@mistake("resize_grid", "expected: image libraries give sizes as (width, height)")
def shapes_read_as_width_and_height(table, old_shape, new_shape):
    """You read the shape as (width, height). The rule: read the shape as (height, width); each grid row is `width`
    consecutive rows of the table."""
    right = grids.resize_grid(table, old_shape, new_shape)
    return np.reshape(grids.resize_grid(table, old_shape[::-1], new_shape[::-1]), right.shape)


@mistake("axial_frequencies", "expected: the first d/4 of RoPE's frequencies, given to both axes")
def fast_half_for_both_axes(head_dim, base=10000.0):
    """Your exponents divide by head_dim, as if there were only one axis. The rule: each axis has the frequencies of a
    head of size d/2."""
    return grids.axial_frequencies(head_dim, np.sqrt(base))


@mistake("axial_frequencies", "expected: one list of frequencies cut into two sections")
def slow_half_for_x(head_dim, base=10000.0):
    """You gave the fast pairs to y and the slow pairs to x. The rule: the frequencies start over for x, so both
    axes have the same frequencies."""
    return spread(rates_of(head_dim, base), np.repeat([0, 1], head_dim // 4), 2)


@mistake("axial_frequencies", "expected: the order of alternating frequencies")
def axial_pairs_in_turn(head_dim, base=10000.0):
    """Neighbouring pairs alternate between y and x in your result. The rule: the first half of the pairs rotates with
    y, and the second half with x."""
    return spread(np.repeat(rates_of(head_dim // 2, base), 2), np.arange(head_dim // 2) % 2, 2)


@mistake("axial_frequencies", "ggml-org/llama.cpp #13282: Llama 4 has x first")
def axial_x_first(head_dim, base=10000.0):
    """In your result, the first half of the pairs rotates with x. The rule: the first half of the pairs rotates with
    y."""
    return grids.axial_frequencies(head_dim, base)[:, ::-1]


@mistake("alternating_frequencies", "vllm-project/vllm-omni #1784")
def sections_where_axes_alternate(head_dim, base=10000.0):
    """You gave the axes consecutive sections. The rule: alternate the axes, so even pairs rotate with y and odd pairs
    with x."""
    return spread(rates_of(head_dim, base), np.repeat([0, 1], head_dim // 4), 2)


@mistake("alternating_frequencies", "expected: the axial form's frequencies in alternating order")
def both_axes_at_the_same_frequencies(head_dim, base=10000.0):
    """In your result, two neighbouring pairs have the same frequency. The rule: every pair has a different frequency,
    base^(−2i/d)."""
    return spread(np.repeat(rates_of(head_dim // 2, base), 2), np.arange(head_dim // 2) % 2, 2)


@mistake("alternating_frequencies", "ggml-org/llama.cpp #13282: Pixtral has y first, Llama 4 has x first")
def alternating_x_first(head_dim, base=10000.0):
    """Your even pairs rotate with x. The rule: even pairs rotate with y."""
    return grids.alternating_frequencies(head_dim, base)[:, ::-1]


@mistake("mrope_frequencies", "vllm-project/vllm-omni #1784")
def interleaved_left_out(head_dim, sections, base=10000.0, interleaved=False):
    """You gave the axes consecutive sections even when `interleaved` is True. The rule: if `interleaved` is True,
    the axes alternate from pair to pair."""
    return grids.mrope_frequencies(head_dim, sections, base)


def interleaved_by(axis_of, head_dim, sections, base, interleaved):
    """Interleaved frequencies; `axis_of(pair, sections)` says which axis each pair belongs to."""
    right = grids.mrope_frequencies(head_dim, sections, base, interleaved)
    return (
        spread(rates_of(head_dim, base), axis_of(np.arange(head_dim // 2), np.asarray(sections)), 3)
        if interleaved
        else right
    )


@mistake("mrope_frequencies", "expected: the 3 left out of the limit")
def turns_end_at_the_section(head_dim, sections, base=10000.0, interleaved=False):
    """In the interleaved form, you compared i with the section itself. The rule: compare i with three times the
    section, since an axis has only every third pair."""

    def axis_of(pair, sections):
        return np.where(pair < sections[pair % 3], pair % 3, 0)

    return interleaved_by(axis_of, head_dim, sections, base, interleaved)


@mistake("mrope_frequencies", "expected: h and w given the first turns")
def turns_begin_with_height(head_dim, sections, base=10000.0, interleaved=False):
    """In the interleaved form, you started with h, then w, then t. The rule: the order is t, h, w, so h has the
    pairs with i mod 3 = 1, and w those with i mod 3 = 2."""

    def axis_of(pair, sections):
        axis = (pair + 1) % 3
        return np.where(pair < 3 * sections[axis], axis, 0)

    return interleaved_by(axis_of, head_dim, sections, base, interleaved)


@mistake("mrope_frequencies", "expected: only i mod 3, which is right only if all sections are equal")
def sections_ignored_when_interleaved(head_dim, sections, base=10000.0, interleaved=False):
    """Your axes take turns up to the last pair. The rule: h and w each stop at three times their section, and t takes
    the remaining pairs."""
    right = grids.mrope_frequencies(head_dim, sections, base, interleaved)
    return spread(rates_of(head_dim, base), np.arange(head_dim // 2) % 3, 3) if interleaved else right


def by_section(rates_of_section, head_dim, sections, base, interleaved):
    """Frequencies in which each consecutive section has rates_of_section(size); the interleaved form is correct."""
    right = grids.mrope_frequencies(head_dim, sections, base, interleaved)
    if interleaved:
        return right
    rates = np.concatenate([rates_of_section(size) for size in sections if size])
    return spread(rates, np.repeat(np.arange(3), sections), 3)


@mistake("mrope_frequencies", "expected: three small encodings side by side, as in the axial form")
def frequencies_anew_in_each_section(head_dim, sections, base=10000.0, interleaved=False):
    """Your frequencies start over in each section. The rule: pair i has base^(−2i/d), regardless of its axis."""
    return by_section(lambda size: rates_of(2 * size, base), head_dim, sections, base, interleaved)


@mistake("mrope_frequencies", "expected: the index counted inside the section")
def index_anew_in_each_section(head_dim, sections, base=10000.0, interleaved=False):
    """In your result, each section begins with the fastest frequency. The rule: i counts the pairs of all
    sections, so pair i has base^(−2i/d), regardless of its axis."""
    return by_section(lambda size: rates_of(head_dim, base)[:size], head_dim, sections, base, interleaved)


@mistake("mrope_frequencies", "expected: time listed last")
def time_listed_last(head_dim, sections, base=10000.0, interleaved=False):
    """Your columns are in the order h, w, t. The rule: the order is t, h, w."""
    return np.roll(grids.mrope_frequencies(head_dim, sections, base, interleaved), -1, axis=1)


@mistake("apply_rope_nd", "huggingface/transformers, Qwen2-VL and Pixtral; karpathy/nanochat #264")
def half_layout_on_a_grid(x, positions, frequencies):
    """You paired features that are half the width apart, as transformers does. The rule: here, a pair consists of
    two neighbours, (2i, 2i+1)."""
    x = np.asarray(x)
    pairs = np.reshape(np.arange(x.shape[-1]), (2, -1)).T.ravel() if x.shape[-1] % 2 == 0 else slice(None)
    return grids.apply_rope_nd(x[..., pairs], positions, frequencies)[..., np.argsort(pairs)]


@mistake("apply_rope_nd", "expected: the sign of the rotation is a convention that is easily mirrored")
def rotated_backwards(x, positions, frequencies):
    """Your pairs rotate backwards. The rule: a pair becomes x_2i·cos − x_2i+1·sin, then x_2i·sin + x_2i+1·cos."""
    return grids.apply_rope_nd(x, positions, -np.asarray(frequencies))


@mistake("apply_rope_nd", "ml-explore/mlx-lm #1768; alibaba/MNN #3345; areal-project/AReaL #217")
def first_coordinate_alone(x, positions, frequencies):
    """You used only the first coordinate. The rule: add up the angles of all coordinates."""
    return grids.apply_rope_nd(x, np.asarray(positions)[:, :1], np.asarray(frequencies)[:, :1])


@mistake("apply_rope_nd", "NVIDIA/Megatron-LM #453; ml-explore/mlx-lm #1768")
def coordinates_ignored(x, positions, frequencies):
    """You rotated each row by its index. The rule: rotate by the coordinates in `positions`."""
    right = grids.apply_rope_nd(x, positions, frequencies)
    frequencies = np.sum(frequencies, axis=1, keepdims=True)
    return grids.apply_rope_nd(x, np.arange(right.shape[-2])[:, np.newaxis], frequencies)


@mistake("apply_rope_nd", "EleutherAI/gpt-neox #1003; huggingface/transformers #25681")
def angles_in_single_precision(x, positions, frequencies):
    """You computed the angles in float32. The rule: compute angles in float64, and convert only the result."""
    x = np.asarray(x)
    angles = np.asarray(positions, dtype=np.float32) @ np.asarray(frequencies, dtype=np.float32).T
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    return like(np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape), x)


@mistake("grid_scores", "expected: the scale of Vaswani et al. 2017 §3.2.1 left out")
def scores_without_their_scale(q, k, q_positions, k_positions, frequencies):
    """Your scores are too large by a factor of √d. The rule: divide the scores by the square root of the
    number of features."""
    return like(grids.grid_scores(q, k, q_positions, k_positions, frequencies) * np.sqrt(np.shape(q)[-1]), q, k)


@mistake("grid_scores", "expected: the score then depends on where the query is")
def keys_not_rotated(q, k, q_positions, k_positions, frequencies):
    """You rotated the queries but not the keys. The rule: rotate each query and each key by its own coordinates."""
    return grids.grid_scores(q, k, q_positions, np.zeros(np.shape(k_positions)), frequencies)


@mistake("grid_scores", "huggingface/transformers #30900 asked for it")
def keys_rotated_the_other_way(q, k, q_positions, k_positions, frequencies):
    """You rotated the keys in the opposite direction. The rule: rotate queries and keys in the same direction, so that
    the dot product depends on the difference."""
    return grids.grid_scores(q, k, q_positions, -np.asarray(k_positions), frequencies)


@mistake("mrope_positions", "ml-explore/mlx-lm #1768; alibaba/MNN #3345; areal-project/AReaL #217")
def cells_numbered_like_words(segments):
    """You numbered an image's cells like words. The rule: each cell has its own (t, h, w)."""
    return np.repeat(np.arange(len(grids.mrope_positions(segments)))[:, np.newaxis], 3, axis=1)


@mistake("mrope_positions", "kekzl/imp #1173 warns of it: the text stays fluent and speaks of the wrong thing")
def start_at_the_number_of_tokens(segments):
    """After an image, you continued at the number of tokens so far. The rule: continue at 1 + the largest
    coordinate."""
    return placed(segments, lambda segment, cells, start, count: (count + cells, 0))


@mistake("mrope_positions", "vllm-project/vllm #16878 (markers around the image counted twice)")
def one_too_far_after_an_image(segments):
    """In your result, the segment after an image starts one position too late. The rule: the next segment
    starts at 1 + the largest coordinate."""
    return placed(
        segments, lambda segment, cells, start, count: (start + cells, start + cells.max() + 1 + (np.ndim(segment) > 0))
    )


@mistake("mrope_positions", "expected: the 1 left out")
def next_segment_one_short(segments):
    """You started the next segment at the previous segment's largest coordinate. The rule: start at 1 + the
    largest coordinate."""
    return placed(segments, lambda segment, cells, start, count: (start + cells, start + cells.max()))


@mistake("mrope_positions", "expected: the offset added to text alone")
def images_start_at_zero(segments):
    """In your result, an image's coordinates start at 0. The rule: add the segment's start to the coordinates."""

    def place(segment, cells, start, count):
        return (start if np.ndim(segment) == 0 else 0) + cells, start + cells.max() + 1

    return placed(segments, place)


@mistake("mrope_positions", "NVIDIA-NeMo/Speech #14611")
def every_image_at_the_first_one_s_start(segments):
    """Your later images start where the first image does. The rule: every segment has its own start."""
    first = []

    def place(segment, cells, start, count):
        if np.ndim(segment) == 0:
            return start + cells, start + cells.max() + 1
        first.append(start)
        return first[0] + cells, start + cells.max() + 1

    return placed(segments, place)


@mistake("mrope_positions", "Blaizzy/mlx-vlm #1282")
def only_the_first_image_has_a_grid(segments):
    """You gave only the first image its grid and numbered the cells of later images like words. The rule: number the
    cells of every image in the same way."""
    seen = []

    def place(segment, cells, start, count):
        if np.ndim(segment) == 0 or not seen:
            seen.extend([segment] * np.ndim(segment))
            return start + cells, start + cells.max() + 1
        return start + np.repeat(np.arange(len(cells))[:, np.newaxis], 3, axis=1), start + len(cells)

    return placed(segments, place)


@mistake("mrope_positions", "expected: images tested, videos not")
def time_stands_still(segments):
    """In a video, your time coordinate does not change from frame to frame. The rule: add the cell's t to the
    segment's start."""
    return placed(
        segments,
        lambda segment, cells, start, count: (start + cells * [np.ndim(segment) == 0, 1, 1], start + cells.max() + 1),
    )


@mistake("mrope_positions", "huggingface/transformers 5, which does this on purpose")
def time_does_not_move_the_text_on(segments):
    """After a long video, you continued at start + max(h, w). The rule: take the largest of all three coordinates,
    including time."""

    def place(segment, cells, start, count):
        return start + cells, start + (segment if np.ndim(segment) == 0 else max(segment[1:]))

    return placed(segments, place)


@mistake("mrope_positions", "expected: (x, y) where (y, x) is meant")
def width_before_height(segments):
    """You wrote w before h. The rule: write (t, h, w), where w changes from each cell to the next."""
    return grids.mrope_positions(segments)[:, [0, 2, 1]]


@mistake("next_position", "expected: right for text, where the two are equal")
def number_of_tokens(positions):
    """You returned the number of tokens. The rule: return 1 + the largest coordinate, since an image has more cells
    than positions."""
    return len(positions)


@mistake("next_position", "vllm-project/vllm #16878 (there one too many)")
def largest_coordinate_itself(positions):
    """You returned the largest coordinate itself. The rule: return 1 + the largest coordinate, because the largest
    itself is already taken."""
    return max(grids.next_position(positions) - 1, 0)


@mistake("next_position", "expected: in text, t is the coordinate that counts up")
def time_alone(positions):
    """You read only the time coordinate. The rule: take the largest of all three coordinates."""
    return grids.next_position(np.asarray(positions)[:, :1])


@mistake("sinusoidal_2d", "expected: one list of frequencies cut into two halves")
def frequencies_go_on_for_x(height, width, d_model, base=10000.0):
    """Your x continues with the frequencies where y left off. The rule: the frequencies start over for x."""
    angles = grids.grid_positions(height, width)[:, :, np.newaxis] * rates_of(d_model, base).reshape(2, -1)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(height * width, d_model)


def exchanged(neighbours):
    """Swapped weights of the two cells beside each centre; `neighbours(centres, old)` returns those cells."""

    def weights(old, new):
        centres = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        below, above = (cells.astype(int) for cells in neighbours(centres, old))
        shares = np.zeros((new, old))
        np.add.at(shares, (np.arange(new), below), centres - below)
        np.add.at(shares, (np.arange(new), above), 1 - (centres - below))
        return shares

    return weights


@mistake("resize_grid", "expected: f and 1 − f swapped")
def shares_exchanged(table, old_shape, new_shape):
    """You swapped the two shares, so the cell farther from the new centre gets the larger share. The rule: the
    nearer cell has the larger share."""

    def neighbours(centres, old):
        return np.floor(centres), np.minimum(np.floor(centres) + 1, old - 1)

    return stretched(table, old_shape, new_shape, exchanged(neighbours))


@mistake("resize_grid", "expected: a negative index, which numpy counts from the end")
def border_wraps_around(table, old_shape, new_shape):
    """Beyond the border, you took cells from the opposite side. The rule: clamp to the border, so that the
    values of the outer cells continue beyond their centres."""

    def wrapped(old, new):
        centres = (np.arange(new) + 0.5) * old / new - 0.5
        below = np.floor(centres).astype(int)
        weights = np.zeros((new, old))
        np.add.at(weights, (np.arange(new), below % old), 1 - (centres - below))
        np.add.at(weights, (np.arange(new), (below + 1) % old), centres - below)
        return weights

    return stretched(table, old_shape, new_shape, wrapped)


@mistake("resize_grid", "expected: antialias=True, or PIL, which always does it")
def averaged_where_it_shrinks(table, old_shape, new_shape):
    """For a smaller grid, you averaged more than two cells per axis, which is called antialiasing. The rule: use the
    two cells beside the centre."""

    def averaged(old, new):
        scale = max(old / new, 1)
        centres = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        weights = (1 - np.abs(np.subtract.outer(centres, np.arange(old))) / scale).clip(min=0)
        return weights / weights.sum(axis=1, keepdims=True)

    return stretched(table, old_shape, new_shape, averaged)


@mistake("mrope_frequencies", "expected: sections used up pair by pair")
def sections_counted_down(head_dim, sections, base=10000.0, interleaved=False):
    """In the interleaved form, you gave every axis exactly as many pairs as its section. The rule: a pair's axis
    depends only on i mod 3 and three times the section, so h and w can get fewer pairs."""
    right = grids.mrope_frequencies(head_dim, sections, base, interleaved)
    if not interleaved:
        return right
    left, axis_of_pair = list(sections), []
    for pair in range(head_dim // 2):
        axis = next(axis for axis in (pair % 3, 0, 1, 2) if left[axis])
        left[axis] -= 1
        axis_of_pair.append(axis)
    return spread(rates_of(head_dim, base), np.array(axis_of_pair), 3)


@mistake("apply_rope_nd", "expected: a mean in place of a sum")
def angles_averaged(x, positions, frequencies):
    """You averaged the angles of the coordinates. The rule: add up the angles."""
    return grids.apply_rope_nd(x, np.asarray(positions) / np.shape(positions)[1], frequencies)


@mistake("apply_rope_nd", "expected: np.deg2rad on an angle that is already in radians")
def angles_in_degrees(x, positions, frequencies):
    """You treated the angles as degrees. The rule: the angles are in radians, as np.cos and np.sin expect them."""
    return grids.apply_rope_nd(x, np.deg2rad(positions), frequencies)


@mistake("apply_rope_nd", "expected: astype(int) on positions")
def coordinates_cut_off(x, positions, frequencies):
    """You truncated the coordinates to whole numbers. The rule: a coordinate can be any real number."""
    return grids.apply_rope_nd(x, np.trunc(positions), frequencies)


@mistake("grid_scores", "expected: the number of angles instead of that of features")
def scaled_by_the_pairs(q, k, q_positions, k_positions, frequencies):
    """You divided by the square root of the number of pairs. The rule: divide by √d, where d is the number of
    features."""
    return grids.grid_scores(q, k, q_positions, k_positions, frequencies) * np.sqrt(2)


@mistake("next_position", "expected: initial=0 for the maximum of nothing")
def first_token_at_one(positions):
    """If there are no tokens yet, your largest coordinate is 0, so the first token is at 1. The rule: the first
    token is at 0."""
    return max(grids.next_position(positions), 1)


@mistake("next_position", "expected: right after text, where the last row is the largest")
def last_row_alone(positions):
    """You read only the last row. The rule: take the largest coordinate in all rows."""
    return grids.next_position(np.asarray(positions)[-1:])


@mistake("mrope_frequencies", "expected: the width before the height")
def width_takes_the_turn_of_height(head_dim, sections, base=10000.0, interleaved=False):
    """In the interleaved form, you swapped h and w. The rule: h has the pairs with i mod 3 = 1, and w those with i mod
    3 = 2."""

    def axis_of(pair, sections):
        axis = -pair % 3
        return np.where(pair < 3 * sections[axis], axis, 0)

    return interleaved_by(axis_of, head_dim, sections, base, interleaved)


BY_A_SUM = "After an image, you continued at a sum of its sides. The rule: continue at 1 + the largest coordinate."


@mistake("mrope_positions", "expected: the three sides added up", hint=BY_A_SUM)
def start_at_the_sum_of_the_sides(segments):
    return placed(segments, lambda segment, cells, start, count: (start + cells, start + int(np.sum(segment))))


@mistake("mrope_positions", "expected: the largest coordinates of the three axes added up", hint=BY_A_SUM)
def start_at_the_sum_of_the_largest_coordinates(segments):
    def place(segment, cells, start, count):
        ends = cells.max(axis=0, initial=-1)
        return start + cells, start + 1 + (ends.sum() if np.ndim(segment) else ends[0])

    return placed(segments, place)


@mistake("mrope_positions", "expected: t mistaken for the frame number within the video")
def time_starts_anew(segments):
    """In your result, an image's time starts at 0. The rule: add the segment's start to all three coordinates."""

    def place(segment, cells, start, count):
        own = np.array([0 if np.ndim(segment) else start, start, start])
        return own + cells, start + cells.max(initial=-1) + 1

    return placed(segments, place)


@mistake("mrope_positions", "expected: the largest coordinate taken axis by axis")
def every_axis_counts_on_by_itself(segments):
    """In your result, each axis continues from its own largest coordinate. The rule: a segment starts at the same
    number for all three coordinates."""
    return placed(segments, lambda segment, cells, start, count: (start + cells, start + cells.max(axis=0) + 1))


def half_way(centres, old):
    """Weights of the two cells beside each centre, with the centres clamped to the grid."""
    return linear(np.clip(centres, 0, old - 1), old)


@mistake("resize_grid", "expected: half of the formula for aligned centres")
def old_half_cell_left_out(table, old_shape, new_shape):
    """You left out the − 1/2 at the end of u, but the centre of old row 0 is also at 1/2. The rule: u is (j + 1/2)·H/H'
    − 1/2."""
    return stretched(table, old_shape, new_shape, lambda old, new: half_way((np.arange(new) + 0.5) * old / new, old))


@mistake("resize_grid", "expected: half of the formula for aligned centres")
def new_half_cell_left_out(table, old_shape, new_shape):
    """You left out the + 1/2 after j, but u is computed from the centre of new row j. The rule: u is (j + 1/2)·H/H' −
    1/2."""
    return stretched(table, old_shape, new_shape, lambda old, new: half_way(np.arange(new) * old / new - 0.5, old))


@mistake("resize_grid", "expected: the two sizes swapped in the ratio")
def ratio_of_sides_upside_down(table, old_shape, new_shape):
    """Your ratio is inverted, H'/H. The rule: the ratio is H/H', because u is measured in old rows."""
    return stretched(
        table, old_shape, new_shape, lambda old, new: half_way((np.arange(new) + 0.5) * new / old - 0.5, old)
    )


@mistake("resize_grid", "expected: the cell before the centre, without its fraction", hint=COPIES)
def cell_before_the_centre(table, old_shape, new_shape):
    def before(old, new):
        return np.eye(old)[np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1).astype(int)]

    return stretched(table, old_shape, new_shape, before)


@mistake("sinusoidal_2d", "expected: sine and cosine swapped")
def cosine_before_sine(height, width, d_model, base=10000.0):
    """You wrote the cosine of a pair before its sine. The rule: the sine comes first."""
    right = grids.sinusoidal_2d(height, width, d_model, base)
    return right.reshape(len(right), -1, 2)[..., ::-1].reshape(right.shape)


def sections_for(order, head_dim, sections, base, interleaved):
    right = grids.mrope_frequencies(head_dim, sections, base, interleaved)
    return right if interleaved else spread(rates_of(head_dim, base), np.repeat(order, sections), 3)


@mistake("mrope_frequencies", "expected: width before height, as in (x, y)")
def width_before_height_in_sections(head_dim, sections, base=10000.0, interleaved=False):
    """In the form with consecutive sections, you swapped h and w. The rule: the order is t, then h, then w."""
    return sections_for([0, 2, 1], head_dim, sections, base, interleaved)


@mistake("mrope_frequencies", "expected: the order of (x, y, t)")
def sections_in_reverse(head_dim, sections, base=10000.0, interleaved=False):
    """Your sections begin with w and end with t. The rule: the order is t, then h, then w."""
    return sections_for([2, 1, 0], head_dim, sections, base, interleaved)


def turned_by(x, positions, frequencies, turn):
    """Return the result of apply_rope_nd, using turn(even, odd, cos, sin) to compute each pair's new features."""
    right = grids.apply_rope_nd(x, positions, frequencies)
    angles = np.asarray(positions, dtype=np.float64) @ np.asarray(frequencies).T
    even, odd = turn(np.asarray(x)[..., 0::2], np.asarray(x)[..., 1::2], np.cos(angles), np.sin(angles))
    return np.stack([even, odd], axis=-1).reshape(right.shape).astype(right.dtype)


@mistake("apply_rope_nd", "expected: the two names swapped")
def cos_and_sin_exchanged(x, positions, frequencies):
    """You swapped cos and sin. The rule: a pair becomes x_2i·cos − x_2i+1·sin, then x_2i·sin + x_2i+1·cos."""
    return turned_by(
        x, positions, frequencies, lambda even, odd, cos, sin: (even * sin - odd * cos, even * cos + odd * sin)
    )


@mistake("apply_rope_nd", "expected: two lines that change one array, through a slice that is not a copy")
def first_features_overwritten(x, positions, frequencies):
    """You overwrote the first feature of each pair before you computed the second one from it. The rule:
    compute both features of a pair from the old values."""

    def turn(even, odd, cos, sin):
        even = even * cos - odd * sin
        return even, even * sin + odd * cos

    return turned_by(x, positions, frequencies, turn)


ONE_AXIS = (
    "You rotated each pair along only one axis. The rule: add up the angles of all axes for which the pair has a "
    "frequency."
)


def one_axis(axis_of, x, positions, frequencies):
    """apply_rope_nd in which each pair keeps only one axis's frequency, which `axis_of` selects."""
    grids.apply_rope_nd(x, positions, frequencies)
    alone = np.eye(np.shape(frequencies)[1])[axis_of(np.asarray(frequencies))]
    return grids.apply_rope_nd(x, positions, np.asarray(frequencies) * alone)


@mistake("apply_rope_nd", "expected: axial and M-RoPE, where a pair has one axis", hint=ONE_AXIS)
def first_axis_of_each_pair(x, positions, frequencies):
    return one_axis(lambda frequencies: np.argmax(frequencies != 0, axis=1), x, positions, frequencies)


@mistake("apply_rope_nd", "expected: the axis of the largest frequency", hint=ONE_AXIS)
def fastest_axis_of_each_pair(x, positions, frequencies):
    return one_axis(lambda frequencies: np.argmax(np.abs(frequencies), axis=1), x, positions, frequencies)


@mistake("grid_scores", "expected: a line copied, and one name left unchanged")
def positions_of_the_keys_for_both(q, k, q_positions, k_positions, frequencies):
    """You rotated queries and keys by the same positions. The rule: rotate each query and each key by its own
    coordinates."""
    return grids.grid_scores(q, k, k_positions, k_positions, frequencies)


def going_on_at(side, segments):
    """Positions as in mrope_positions, except that the next start is the image's start plus its size along `side`."""

    def place(segment, cells, start, count):
        return start + cells, start + (segment if np.ndim(segment) == 0 else segment[side])

    return placed(segments, place)


@mistake("mrope_positions", "expected: the last column mistaken for the largest coordinate")
def next_start_from_the_width(segments):
    """After an image, you continued at its start plus its width. The rule: continue at 1 + the largest coordinate; time
    and height count too."""
    return going_on_at(2, segments)


@mistake("mrope_positions", "expected: images that are as high as they are wide")
def next_start_from_the_height(segments):
    """After an image, you continued at its start plus its height. The rule: continue at 1 + the largest coordinate;
    time and width count too."""
    return going_on_at(1, segments)


@mistake("mrope_positions", "expected: the first column mistaken for the position")
def next_start_from_the_time(segments):
    """After an image, you continued at its start plus its number of frames. The rule: continue at 1 + the largest
    coordinate; height and width count too."""
    return going_on_at(0, segments)


@mistake("mrope_positions", "expected: the largest coordinate of the last segment only")
def empty_text_starts_anew(segments):
    """After an empty text, you continue at 0. The rule: continue at 1 + the largest coordinate so far, which an empty
    text does not change."""

    def place(segment, cells, start, count):
        return start + cells, (start + cells).max(initial=-1) + 1

    return placed(segments, place)


@mistake("mrope_positions", "expected: the loops over h and w swapped")
def cells_column_by_column_in_an_image(segments):
    """You listed an image's cells column by column. The rule: list the cells row by row, so w changes from
    each cell to the next."""

    def place(segment, cells, start, count):
        order = np.lexsort((cells[:, 1], cells[:, 2], cells[:, 0]))
        return start + cells[order], start + cells.max(initial=-1) + 1

    return placed(segments, place)


@mistake("mrope_positions", "expected: text is a sequence, and only time counts in a sequence")
def text_moves_in_time_alone(segments):
    """In your result, text tokens have h = 0 and w = 0. The rule: token i of a text has three equal coordinates, start
    + i."""
    positions, begin = grids.mrope_positions(segments).copy(), 0
    for segment in segments:
        size = int(np.prod(segment))
        if np.ndim(segment) == 0:
            positions[begin : begin + size, 1:] = 0
        begin += size
    return positions


@mistake("mrope_positions", "expected: the running start forgotten")
def every_segment_starts_at_zero(segments):
    """All your segments start at 0. The rule: only the first segment starts at 0; each later one starts at 1 + the
    largest coordinate so far."""
    return np.concatenate([np.zeros((0, 3), dtype=np.int64), *(grids.mrope_positions([one]) for one in segments)])


@mistake("apply_rope_nd", "expected: (x, y) read where (y, x) is meant")
def axes_in_the_other_order(x, positions, frequencies):
    """You multiplied each coordinate by another axis's frequencies. The rule: column a of the coordinates and
    of the frequencies belongs to axis a."""
    return grids.apply_rope_nd(x, positions, np.asarray(frequencies)[:, ::-1])


@mistake("mrope_frequencies", "expected: the branches of an if swapped")
def two_forms_exchanged(head_dim, sections, base=10000.0, interleaved=False):
    """You swapped the two forms. The rule: the sections are consecutive by default, and interleaved if `interleaved` is
    True."""
    return grids.mrope_frequencies(head_dim, sections, base, not interleaved)


@mistake("grid_scores", "expected: the two arguments of the product swapped")
def scores_key_by_query(q, k, q_positions, k_positions, frequencies):
    """You swapped rows and columns. The rule: the scores have one row per query and one column per key."""
    return np.swapaxes(grids.grid_scores(q, k, q_positions, k_positions, frequencies), -1, -2)


@mistake("resize_grid", "expected: one of the two shapes read as (width, height)")
def old_shape_read_as_width_and_height(table, old_shape, new_shape):
    """You read the old shape as (width, height). The rule: both shapes are (height, width)."""
    return grids.resize_grid(table, old_shape[::-1], new_shape)


@mistake("mrope_positions", "Qwen2.5-VL, which counts time in seconds")
def time_runs_twice_as_fast(segments):
    """Your time moves by 2 from frame to frame, as in Qwen2.5-VL, but height and width move by 1. The rule: each
    coordinate moves by 1 from cell to cell along its axis."""

    def place(segment, cells, start, count):
        faster = cells * (1 if isinstance(segment, int) else np.array([2, 1, 1]))
        where = start + faster
        return where, int(where.max(initial=start - 1)) + 1

    return placed(segments, place)


FALLING = (
    "Your frequencies grow from pair to pair. The rule: for a base above 1, the frequencies fall from pair to pair, so "
    "check the sign of the exponent."
)
DIVIDED = (
    "You did not divide the exponent by the size, so the frequencies fall to almost 0 at once. The rule: the exponent "
    "is divided by the size."
)


def inverted(right):
    return np.divide(1, right, out=np.zeros_like(right), where=right != 0)


@mistake("axial_frequencies", "expected: the exponent without its minus", hint=FALLING)
def axial_frequencies_grow(head_dim, base=10000.0):
    return inverted(grids.axial_frequencies(head_dim, base))


@mistake("axial_frequencies", "expected: the division forgotten", hint=DIVIDED)
def axial_exponent_not_divided(head_dim, base=10000.0):
    return grids.axial_frequencies(head_dim, float(base) ** (head_dim // 2))


@mistake("alternating_frequencies", "expected: the exponent without its minus", hint=FALLING)
def alternating_frequencies_grow(head_dim, base=10000.0):
    return inverted(grids.alternating_frequencies(head_dim, base))


@mistake("alternating_frequencies", "expected: the division forgotten", hint=DIVIDED)
def alternating_exponent_not_divided(head_dim, base=10000.0):
    return grids.alternating_frequencies(head_dim, float(base) ** head_dim)


@mistake("mrope_frequencies", "expected: the exponent without its minus", hint=FALLING)
def mrope_frequencies_grow(head_dim, sections, base=10000.0, interleaved=False):
    return inverted(grids.mrope_frequencies(head_dim, sections, base, interleaved))


@mistake("mrope_frequencies", "expected: the division forgotten", hint=DIVIDED)
def mrope_exponent_not_divided(head_dim, sections, base=10000.0, interleaved=False):
    return grids.mrope_frequencies(head_dim, sections, float(base) ** head_dim, interleaved)


@mistake("sinusoidal_2d", "expected: the exponent without its minus", hint=FALLING)
def frequencies_of_the_grid_grow(height, width, d_model, base=10000.0):
    return grids.sinusoidal_2d(height, width, d_model, 1 / base)


@mistake("grid_positions", "expected: np.stack of np.mgrid or np.indices, without a reshape")
def cells_left_in_a_grid(height, width):
    """You returned the cells in the shape of the grid. The rule: the result has one row per cell, listed row by row."""
    return grids.grid_positions(height, width).reshape(height, width, 2)


@mistake("grid_positions", "expected: DETR counts rows and columns from 1")
def cells_counted_from_one(height, width):
    """Your rows and columns count from 1. The rule: rows and columns count from 0."""
    return grids.grid_positions(height, width) + 1


@mistake("axial_frequencies", "expected: the frequencies of y and x added up for every pair")
def every_pair_rotates_with_both_axes(head_dim, base=10000.0):
    """In your result, every pair rotates with y and with x. The rule: each pair rotates with a single axis."""
    return grids.axial_frequencies(head_dim, base) + np.roll(grids.axial_frequencies(head_dim, base), head_dim // 4, 0)


@mistake("alternating_frequencies", "expected: Pixtral's order")
def pairs_of_one_axis_listed_together(head_dim, base=10000.0):
    """You listed the pairs of y before the pairs of x, as Pixtral does. The rule: pair i stays in row i, so the rows
    alternate between y and x."""
    right = grids.alternating_frequencies(head_dim, base)
    return np.concatenate([right[0::2], right[1::2]])


@mistake(
    "alternating_frequencies",
    "expected: the first d/4 frequencies for each axis",
    hint=both_axes_at_the_same_frequencies.hint,
)
def both_axes_at_the_fast_frequencies(head_dim, base=10000.0):
    return spread(np.repeat(rates_of(head_dim, base)[: head_dim // 4], 2), np.arange(head_dim // 2) % 2, 2)


@mistake("mrope_positions", "expected: the time of a word, and the start of its segment")
def only_time_grows_in_a_text(segments):
    """In your result, the h and w of a text stay at the start of the segment. The rule: token i of a text has three
    equal coordinates, start + i."""
    positions, begin = grids.mrope_positions(segments).copy(), 0
    for segment in segments:
        size = int(np.prod(segment))
        if np.ndim(segment) == 0 and size:
            positions[begin : begin + size, 1:] = positions[begin, 0]
        begin += size
    return positions


vars().update(
    chain(
        without_effect(grids.sinusoidal_2d, "base"),
        without_effect(grids.axial_frequencies, "base"),
        without_effect(grids.alternating_frequencies, "base"),
        without_effect(grids.mrope_frequencies, "base"),
    )
)


WRONG_ANSWERS = {
    "tokens_of_a_16_by_16_image": {
        32: "You added height and width; every cell in the grid is a token.",
        16: "You counted one row of the grid; every row has 16 cells.",
        225: "You counted 15 per side; coordinates 0 to 15 make 16 cells.",
    },
    "position_of_text_after_it": {
        256: "You counted the tokens before it. The rule: return 1 + the largest coordinate so far.",
        15: "This is the image's largest coordinate; the next segment starts at 1 + that.",
        17: "You counted coordinates from 1; they count from 0, and the next segment starts at 1 + the largest.",
        32: "You added height and width. The rule: take 1 + the largest single coordinate.",
    },
}
