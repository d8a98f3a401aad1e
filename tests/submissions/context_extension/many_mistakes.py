import numpy as np
import math


# no error checking yet, will add if there is time


def freqs(d, base):
    return base ** (-np.arange(0, d, 2) / d)


def interpolate_positions(positions, factor):
    return positions // factor


def ntk_base(base, factor, head_dim):
    return base * factor


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    return base * (factor * seq_len / trained_len - (factor - 1)) ** (head_dim / (head_dim - 2))


def rotations_in_context(head_dim, trained_len, base=10000.0):
    return trained_len * freqs(head_dim, base)


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    f = freqs(head_dim, base)
    turns = trained_len * f / (2 * math.pi)
    ramp = np.clip((turns - beta_slow) / (beta_fast - beta_slow), 0, 1)
    return f / factor * (1 - ramp) + f * ramp


def yarn_scale(factor):
    return 0.1 * math.log(factor) + 1


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    return freqs(head_dim, base)


def longrope_frequencies(head_dim, rescale, base=10000.0):
    return freqs(head_dim, base) * rescale


def longrope_scale(factor, trained_len):
    return math.sqrt(1 + math.log(factor) / math.log(trained_len))


def apply_rope_with(x, positions, frequencies, scale=1.0):
    angles = np.outer(positions, frequencies)
    cos = scale * np.cos(angles)
    sin = scale * np.sin(angles)
    x[..., 0::2], x[..., 1::2] = x[..., 0::2] * cos - x[..., 1::2] * sin, x[..., 0::2] * sin + x[..., 1::2] * cos
    return x


ANSWERS = {
    "interpolated_position_8191_factor_4": 2047.75,
    "ntk_keeps_fastest_frequency": False,
    "dynamic_ntk_changes_short_inputs": True,
    "yarn_scale_16": 1.2773,
}
