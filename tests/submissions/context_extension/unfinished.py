import math

import numpy as np


def check(head_dim, base, minimum=2):
    if head_dim % 2 != 0 or head_dim < minimum:
        raise ValueError("bad head_dim " + str(head_dim))
    if not (0 < base < math.inf):
        raise ValueError("bad base " + str(base))


def interpolate_positions(positions, factor):
    if factor < 1:
        raise ValueError("factor must be >= 1, not " + str(factor))
    positions = np.array(positions, dtype=float)
    if np.any(np.isnan(positions)):
        raise ValueError("position is nan")
    return positions / factor


def ntk_base(base, factor, head_dim):
    check(head_dim, base, 4)
    if factor < 1:
        raise ValueError("factor must be >= 1, not " + str(factor))
    return base * factor ** (head_dim / (head_dim - 2))


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    check(head_dim, base, 4)
    for number in (seq_len, trained_len, factor):
        if number < 1:
            raise ValueError("must be >= 1, not " + str(number))
    L = max(seq_len, trained_len)
    return base * (factor * L / trained_len - (factor - 1)) ** (head_dim / (head_dim - 2))


def rotations_in_context(head_dim, trained_len, base=10000.0):
    check(head_dim, base)
    if trained_len < 1:
        raise ValueError("trained_len must be >= 1, not " + str(trained_len))
    theta = base ** (-2.0 * np.arange(head_dim // 2) / head_dim)
    return trained_len * theta / (2 * np.pi)


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    raise NotImplementedError


def yarn_scale(factor):
    if factor <= 1:
        return 1.0
    return 0.1 * math.log(factor) + 1


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    raise NotImplementedError


def longrope_frequencies(head_dim, rescale, base=10000.0):
    raise NotImplementedError


def longrope_scale(factor, trained_len):
    raise NotImplementedError


def apply_rope_with(x, positions, frequencies, scale=1.0):
    raise NotImplementedError


ANSWERS = {
    "interpolated_position_8191_factor_4": 2047.75,
    "ntk_keeps_fastest_frequency": None,
    "dynamic_ntk_changes_short_inputs": False,
    "yarn_scale_16": None,
}
