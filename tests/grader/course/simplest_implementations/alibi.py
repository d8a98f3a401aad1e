"""Plain implementation of ALiBi: the bias is computed for as many queries as keys, and only its last rows are kept."""

import numpy as np


def alibi_bias(n_heads, q_len, k_len):
    distance = np.abs(np.arange(k_len)[:, np.newaxis] - np.arange(k_len))
    square = -alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * distance
    return square[:, k_len - q_len :]


def alibi_slopes(n_heads):
    power = 2 ** int(np.log2(n_heads))
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    if power < n_heads:
        slopes += [2 ** (-8 * (head + 1) / (2 * power)) for head in range(2 * power)][::2][: n_heads - power]
    return np.array(slopes)


def effective_window(slope, tolerance):
    distance = 1
    while np.exp(-slope * distance) > tolerance * (1 + 1e-12):
        distance += 1
    return distance


def bloom_bias(n_heads, k_len):
    return alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * np.arange(k_len)
