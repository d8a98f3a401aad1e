"""Wrong versions of the functions of grids, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import grids


@mistake("grid_positions", "y|x|order|first|exchang|swap")
def x_before_y(height, width):
    return grids.grid_positions(height, width)[:, ::-1]


@mistake("sinusoidal_2d", "y|x|half|order|exchang|first")
def x_in_the_first_half(height, width, d_model, base=10000.0):
    return np.roll(grids.sinusoidal_2d(height, width, d_model, base), d_model // 2, axis=1)


@mistake("sinusoidal_2d", "d/2|half|size|exponent|width|d_model|frequenc")
def frequencies_of_the_whole_width(height, width, d_model, base=10000.0):
    angles = grids.grid_positions(height, width)[:, :, None] * base ** (-2 * np.arange(d_model // 4) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(height * width, d_model)


@mistake("resize_grid", "centre|corner|align|1/2|half|middle|end")
def corners_aligned(table, old_shape, new_shape):
    grid = np.asarray(table, dtype=float).reshape(*old_shape, -1)
    for axis, (old, new) in enumerate(zip(old_shape, new_shape, strict=True)):
        at = np.linspace(0, old - 1, new)
        grid = np.apply_along_axis(lambda line, at=at, old=old: np.interp(at, np.arange(old), line), axis, grid)
    return grid.reshape(-1, grid.shape[-1])


@mistake("resize_grid", "order|row|column|transpos|exchang|height|width|shape")
def columns_before_rows(table, old_shape, new_shape):
    return grids.resize_grid(table, old_shape[::-1], new_shape[::-1])


@mistake("axial_frequencies", "4i|2i|half|exponent|d/2|whole|size|frequenc")
def exponent_of_the_whole_head(head_dim, base=10000.0):
    return np.kron(np.eye(2), base ** (-2 * np.arange(head_dim // 4) / head_dim)[:, None])


@mistake("alternating_frequencies", "even|odd|x|y|first")
def odd_pairs_with_y(head_dim, base=10000.0):
    return np.fliplr(grids.alternating_frequencies(head_dim, base))


@mistake("mrope_frequencies", "3|section|turn|third|t |interleav")
def turns_without_sections(head_dim, sections, base=10000.0, interleaved=False):
    if not interleaved:
        return grids.mrope_frequencies(head_dim, sections, base)
    pair = np.arange(head_dim // 2)
    return np.where(pair[:, None] % 3 == np.arange(3), base ** (-2 * pair / head_dim)[:, None], 0.0)


@mistake("apply_rope_nd", "axis|axes|first|sum|coordinate|column")
def first_axis_only(x, positions, frequencies):
    return grids.apply_rope_nd(x, np.asarray(positions)[:, :1], np.asarray(frequencies)[:, :1])


@mistake("apply_rope_nd", "half|neighbour|layout|pair|apart|interleav")
def pairs_half_the_width_apart(x, positions, frequencies):
    x = np.asarray(x, dtype=float)
    z = (x[..., : x.shape[-1] // 2] + 1j * x[..., x.shape[-1] // 2 :]) * np.exp(
        1j * np.asarray(positions) @ np.asarray(frequencies).T
    )
    return np.concatenate([z.real, z.imag], axis=-1)


@mistake("grid_scores", "√|scale|divid|d")
def scores_not_divided(q, k, q_positions, k_positions, frequencies):
    return grids.grid_scores(q, k, q_positions, k_positions, frequencies) * np.sqrt(np.shape(q)[-1])


@mistake("mrope_positions", "number|token|largest|coordinate|count|max|cells")
def next_start_after_all_cells(segments):
    parts, start = [np.zeros((0, 3), int)], 0
    for segment in segments:
        cells = grids.mrope_positions([segment])
        parts.append(cells + start)
        start += len(cells)
    return np.concatenate(parts)


@mistake("mrope_positions", "equal|text|three|same|axis|coordinate")
def text_moves_in_time_alone(segments):
    positions, begin = grids.mrope_positions(segments).copy(), 0
    for segment in segments:
        size = segment if isinstance(segment, int | np.integer) else int(np.prod(segment))
        if isinstance(segment, int | np.integer):
            positions[begin : begin + size, 1:] = 0
        begin += size
    return positions


@mistake("next_position", "number|token|count|largest|rows")
def number_of_tokens(positions):
    return len(positions)


@mistake("next_position", "last|largest|max")
def after_the_last_token(positions):
    return int(np.asarray(positions)[-1].max()) + 1 if len(positions) else 0
