"""Context extension with logarithms of frequencies, complex numbers and loops over pairs."""

import math

import numpy as np


def _logs(head_dim, base):
    return -np.log(base) * np.linspace(0, 1, head_dim // 2, endpoint=False)


def ntk_base(base, factor, head_dim):
    return math.exp(math.log(base) + math.log(factor) * head_dim / (head_dim - 2))


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    return ntk_base(base, 1 + factor * (max(seq_len, trained_len) / trained_len - 1), head_dim)


def rotations_in_context(head_dim, trained_len, base=10000.0):
    return np.exp(_logs(head_dim, base) + math.log(trained_len / math.tau))


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    # Unrounded index of the pair that makes beta rotations, computed with logarithms.
    at = [head_dim / 2 * math.log(trained_len / math.tau / beta, base) for beta in (beta_fast, beta_slow)]
    low, high = max(math.floor(at[0]), 0), min(math.ceil(at[1]), head_dim - 1)
    if high == low:
        high += 0.001
    slowed = [min(max((pair - low) / (high - low), 0), 1) for pair in range(head_dim // 2)]
    return np.exp(_logs(head_dim, base)) * (1 + np.array(slowed) * (1 / factor - 1))


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    rotations = rotations_in_context(head_dim, trained_len, base)
    share = np.interp(rotations, [low_freq_factor, high_freq_factor], [0, 1])
    return np.exp(_logs(head_dim, base)) * np.interp(share, [0, 1], [1 / factor, 1])


def apply_rope_with(x, positions, frequencies, scale=1.0):
    points = np.ascontiguousarray(x, dtype=np.float64).view(complex)
    return (points * (scale * np.exp(1j * np.multiply.outer(positions, frequencies)))).view(np.float64)


def rerope_scores(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    q, k = (np.ascontiguousarray(x, dtype=np.float64).view(complex) for x in (q, k))
    rates = np.exp(_logs(2 * q.shape[-1], base))
    away = np.subtract.outer(q_positions, np.asarray(k_positions, dtype=np.float64))
    away += np.maximum(away - window, 0) * (1 / factor - 1)
    turns = np.exp(1j * np.multiply.outer(away, rates))
    return np.einsum("...ip,...jp,ijp->...ij", q, k.conj(), turns).real / math.sqrt(2 * q.shape[-1])
