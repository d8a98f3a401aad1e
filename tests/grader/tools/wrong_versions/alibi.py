"""Wrong versions of the functions of alibi, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import alibi


@mistake("alibi_slopes", "1|first|0|h \\+")
def heads_from_zero(n_heads):
    return (
        alibi.alibi_slopes(n_heads) * 2.0 ** (8 / n_heads)
        if n_heads & (n_heads - 1) == 0
        else alibi.alibi_slopes(n_heads)
    )


@mistake("alibi_slopes", "power|otherwise|formula|any")
def first_line_for_every_number(n_heads):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@mistake("alibi_slopes", "sort|order")
def sorted_slopes(n_heads):
    return np.sort(alibi.alibi_slopes(n_heads))[::-1]


@mistake("alibi_bias", "sign|minus|penal|grow|positive|lower|add")
def reward_for_distance(n_heads, q_len, k_len):
    return -alibi.alibi_bias(n_heads, q_len, k_len)


@mistake("alibi_bias", "last|k_len|start|first|line|query")
def queries_from_zero(n_heads, q_len, k_len):
    away = np.abs(np.subtract.outer(np.arange(q_len), np.arange(k_len)))
    return -alibi.alibi_slopes(n_heads)[:, None, None] * away


@mistake("alibi_bias", "abs|ahead|sign|later|size|positive|after")
def distance_with_its_sign(n_heads, q_len, k_len):
    away = np.subtract.outer(np.arange(q_len) + k_len - q_len, np.arange(k_len))
    return -alibi.alibi_slopes(n_heads)[:, None, None] * away


@mistake("alibi_attention", "bias|√|divid|scale")
def bias_divided_too(q, k, v, causal=True):
    q, k, v = (np.asarray(one, dtype=float) for one in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) + alibi.alibi_bias(q.shape[-3], q.shape[-2], k.shape[-2])
    seen = np.tri(q.shape[-2], k.shape[-2], k.shape[-2] - q.shape[-2], dtype=bool) | (not causal)
    scores = np.where(seen, scores / q.shape[-1] ** 0.5, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@mistake("alibi_attention", "causal|mask|ahead|future|later")
def never_causal(q, k, v, causal=True):
    return alibi.alibi_attention(q, k, v, causal=False)


@mistake("bloom_bias", "sign|minus|positive|grow")
def minus_slope_times_position(n_heads, k_len):
    return -alibi.bloom_bias(n_heads, k_len)


@mistake("effective_window", "round|down|up|smallest|whole|before|≤")
def rounded_down(slope, tolerance):
    return int(-np.log(tolerance) / slope)


@mistake("effective_window", "log|natural|e")
def logarithm_of_ten(slope, tolerance):
    return int(np.ceil(-np.log10(tolerance) / slope))
