"""The grid and the methods for images are done so far, and I will write text and images together tomorrow."""

import numpy as np


class Refused(ValueError):
    pass


def quarter(size, what):
    count = size // 4
    if count < 1 or 4 * count != size:
        raise Refused(f"{what}={size} does not split into two axes of pairs")
    return count


def powers(how_many, step, base):
    if not np.isfinite(base) or base <= 0:
        raise Refused(f"base={base}")
    return np.power(float(base), -step * np.arange(how_many))


def grid_positions(height, width):
    for side in (height, width):
        if side <= 0:
            raise Refused(f"side {side} of the grid")
    return np.array(list(np.ndindex(height, width)))


def sinusoidal_2d(height, width, d_model, base=10000.0):
    n = quarter(d_model, "d_model")
    omega = powers(n, 1 / n, base)
    code = np.zeros([height, width, 2, n, 2]) if min(height, width) > 0 else grid_positions(height, width)
    rows, columns = np.ogrid[:height, :width]
    for axis, place in enumerate((rows, columns)):
        code[:, :, axis, :, 0] = np.sin(place[..., None] * omega)
        code[:, :, axis, :, 1] = np.cos(place[..., None] * omega)
    return code.reshape(-1, d_model)


def resize_grid(table, old_shape, new_shape):
    raise NotImplementedError("resize_grid is not written yet")


def axial_frequencies(head_dim, base=10000.0):
    n = quarter(head_dim, "head_dim")
    both = np.zeros((2, n, 2))
    both[[0, 1], :, [0, 1]] = powers(n, 1 / n, base)
    return both.reshape(2 * n, 2)


def alternating_frequencies(head_dim, base=10000.0):
    n = quarter(head_dim, "head_dim")
    in_turn = np.zeros(4 * n)
    in_turn[0::4] = powers(2 * n, 0.5 / n, base)[0::2]
    in_turn[3::4] = powers(2 * n, 0.5 / n, base)[1::2]
    return in_turn.reshape(-1, 2)
