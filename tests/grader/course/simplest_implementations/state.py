"""Plain implementation of layers with a state: each sum of gates is computed separately, by comparing three indices."""

import numpy as np


def decay_bias(log_f):
    log_f = np.asarray(log_f, dtype=float)
    t = np.arange(log_f.shape[-1])
    i, j, between = t[:, np.newaxis, np.newaxis], t[:, np.newaxis], t
    counted = (j < between) & (between <= i)
    sums = np.where(counted, log_f[..., np.newaxis, np.newaxis, :], 0.0).sum(axis=-1)
    return np.where(t <= t[:, np.newaxis], sums, -np.inf)


def cope_positions(gates):
    gates = np.asarray(gates, dtype=float)
    q_len, k_len = gates.shape[-2:]
    p, j, between = (
        np.arange(q_len)[:, np.newaxis, np.newaxis] + k_len - q_len,
        np.arange(k_len)[:, np.newaxis],
        np.arange(k_len),
    )
    counted = (j <= between) & (between <= p)
    return (gates[..., :, np.newaxis, :] * counted).sum(axis=-1)
