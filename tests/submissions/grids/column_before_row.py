import numpy as np

# Coordinates as I know them from school: first x, then y.


def make_grid(height, width):
    cells = np.zeros((height * width, 2), dtype=int)
    cells[:, 0] = np.arange(height * width) % width
    cells[:, 1] = np.arange(height * width) // width
    return cells


def grid_positions(height, width):
    if height >= 1 and width >= 1:
        return make_grid(height, width)
    raise ValueError("a grid of " + str(height) + " rows and " + str(width) + " columns is empty")


def sinusoidal_2d(height, width, d_model, base=10000.0):
    if d_model % 4 != 0 or d_model <= 0:
        raise ValueError("d_model is " + str(d_model))
    if base <= 0 or np.isnan(base) or np.isinf(base):
        raise ValueError("base is " + str(base))
    cells = grid_positions(height, width)
    result = np.zeros((len(cells), d_model))
    pair = np.arange(d_model // 4)
    for half in (0, 1):
        angles = cells[:, half : half + 1] / base ** (4 * pair / d_model)
        result[:, half * d_model // 2 + 2 * pair] = np.sin(angles)
        result[:, half * d_model // 2 + 2 * pair + 1] = np.cos(angles)
    return result


def axial_frequencies(head_dim, base=10000.0):
    if head_dim % 4 != 0 or head_dim <= 0:
        raise ValueError("head_dim is " + str(head_dim))
    if base <= 0 or np.isnan(base) or np.isinf(base):
        raise ValueError("base is " + str(base))
    result = np.zeros((head_dim // 2, 2))
    pair = np.arange(head_dim // 4)
    result[pair, 0] = result[head_dim // 4 + pair, 1] = 1 / base ** (4 * pair / head_dim)
    return result


def mrope_positions(segments):
    # Every token gets its number, and an image is many tokens.
    total = 0
    for segment in segments:
        if type(segment) is int:
            if segment < 0:
                raise ValueError("a text of " + str(segment))
            total += segment
        else:
            if min(segment) < 1:
                raise ValueError("an image of " + str(segment))
            total += int(np.prod(segment))
    number = np.arange(total)
    return np.column_stack((number, number, number))


def next_position(positions):
    return len(positions)


ANSWERS = {
    "tokens_of_a_16_by_16_image": 256,
    "position_of_text_after_it": 256,
    "text_under_mrope_is_plain_rope": True,
    "axial_rope_sees_diagonals_in_one_pair": True,
}
