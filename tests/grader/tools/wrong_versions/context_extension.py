"""Wrong versions of the functions of context_extension, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import context_extension


@mistake("interpolate_positions", "divid|multipl|stretch|press")
def positions_stretched(positions, factor):
    return np.asarray(positions, dtype=float) * factor


@mistake("ntk_base", "exponent|d − 2|d/|power|factor")
def base_times_factor(base, factor, head_dim):
    return float(base * factor)


@mistake("ntk_base", "exponent|d − 2|d/|power|2")
def exponent_d_over_d_plus_two(base, factor, head_dim):
    return float(base * factor ** (head_dim / (head_dim + 2)))


@mistake("dynamic_ntk_base", "L₀|up to|short|max|trained|below")
def short_texts_change_too(base, head_dim, seq_len, trained_len, factor):
    return float(base * np.abs(factor * seq_len / trained_len - factor + 1) ** (head_dim / (head_dim - 2)))


@mistake("dynamic_ntk_base", "L₀|short|up to|static|length|seq|current|NTK")
def static_below_the_trained_length(base, head_dim, seq_len, trained_len, factor):
    if seq_len <= trained_len:
        return context_extension.ntk_base(base, factor, head_dim)
    return context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)


@mistake("rotations_in_context", "2π|full|radian|turn")
def radians_counted(head_dim, trained_len, base=10000.0):
    return 2 * np.pi * context_extension.rotations_in_context(head_dim, trained_len, base)


def _yarn(head_dim, base, factor, low, high):
    rates = base ** (-2 * np.arange(head_dim // 2) / head_dim)
    ramp = np.clip((np.arange(head_dim // 2) - low) / (high - low or 0.001), 0, 1)
    return rates * (1 - ramp) + rates / factor * ramp


def _pair(head_dim, base, trained_len, beta, turn=2 * np.pi):
    return head_dim * np.log(trained_len / (turn * beta)) / (2 * np.log(base))


@mistake("yarn_frequencies", "2π|turn|rotation|full")
def dim_without_two_pi(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    low, high = (_pair(head_dim, base, trained_len, beta, 1) for beta in (beta_fast, beta_slow))
    return _yarn(head_dim, base, factor, max(np.floor(low), 0), min(np.ceil(high), head_dim - 1))


@mistake("yarn_frequencies", "round|⌊|whole|floor|ceil")
def ends_not_rounded(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    low, high = (_pair(head_dim, base, trained_len, beta) for beta in (beta_fast, beta_slow))
    return _yarn(head_dim, base, factor, max(low, 0), min(high, head_dim - 1))


@mistake("yarn_frequencies", "fast|slow|exchang|ramp|keep|other way|interpolat|swap")
def fast_pairs_slowed(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    right = context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    rates = base ** (-2 * np.arange(head_dim // 2) / head_dim)
    return rates + rates / factor - right


@mistake("yarn_scale", "0.1|tenth")
def without_a_tenth(factor):
    return float(1 + np.log(max(factor, 1)))


@mistake("yarn_scale", "square|score|twice|cos")
def scale_of_the_scores(factor):
    return context_extension.yarn_scale(factor) ** 2


@mistake("llama3_frequencies", "wavelength|rotation|linear|s_i|mix|r_i")
def mix_by_wavelengths(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    rates = base ** (-2 * np.arange(head_dim // 2) / head_dim)
    long, short = trained_len / low_freq_factor, trained_len / high_freq_factor
    keep = np.clip((long - 2 * np.pi / rates) / (long - short), 0, 1)
    return rates * keep + rates / factor * (1 - keep)


@mistake("longrope_frequencies", "divid|multipl|divisor")
def multiplied_by_rescale(head_dim, rescale, base=10000.0):
    return base ** (-2 * np.arange(head_dim // 2) / head_dim) * np.asarray(rescale)


@mistake("longrope_scale", "root|√|square")
def no_root(factor, trained_len):
    return context_extension.longrope_scale(factor, trained_len) ** 2


@mistake("apply_rope_with", "scale|sin|both|cos")
def cosines_scaled_alone(x, positions, frequencies, scale=1.0):
    x, angles = np.asarray(x, dtype=float), np.multiply.outer(np.asarray(positions), np.asarray(frequencies))
    cos, sin = scale * np.cos(angles), np.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


@mistake("rerope_scores", "window|near|far|factor|jump|subtract|− window")
def far_distances_divided_whole(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    away = np.subtract.outer(np.asarray(q_positions, float), np.asarray(k_positions, float))
    return _rerope(q, k, np.where(away < window, away, away / factor), base)


@mistake("rerope_scores", "absolute|behind|ahead|sign|size|r <|negative")
def window_on_both_sides(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    away = np.subtract.outer(np.asarray(q_positions, float), np.asarray(k_positions, float))
    far = np.sign(away) * (window + (np.abs(away) - window) / factor)
    return _rerope(q, k, np.where(np.abs(away) < window, away, far), base)


def _rerope(q, k, away, base):
    q, k = (np.asarray(x, float)[..., ::2] + 1j * np.asarray(x, float)[..., 1::2] for x in (q, k))
    rates = base ** (-np.arange(q.shape[-1]) / q.shape[-1])
    turned = q[..., :, None, :] * np.exp(1j * away[..., None] * rates)
    return (turned * k.conj()[..., None, :, :]).real.sum(-1) / np.sqrt(2 * q.shape[-1])


@mistake("lowest_similarity", "last|min|least|every|all|distance")
def similarity_at_the_end(length, head_dim, base=10000.0):
    return float(np.cos((length - 1) * base ** (-2 * np.arange(head_dim // 2) / head_dim)).mean())


@mistake("lowest_similarity", "mean|sum|d/2|divid|pairs")
def sum_of_cosines(length, head_dim, base=10000.0):
    return context_extension.lowest_similarity(length, head_dim, base) * (head_dim // 2)
