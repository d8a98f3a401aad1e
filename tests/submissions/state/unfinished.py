import numpy as np


def decay_bias(log_f):
    log_f = np.asarray(log_f, dtype=np.float64)
    if not (log_f <= 0).all():
        raise ValueError(f"gates above one: log_f = {log_f}")
    if log_f.ndim < 1:
        raise ValueError(f"shape {log_f.shape}")
    length = log_f.shape[-1]
    lower = np.tri(length, length, -1, dtype=bool)
    sums = np.where(lower, log_f[..., None], 0).cumsum(axis=-2)
    return np.where(np.tri(length, dtype=bool), sums, -np.inf)


def decay_matrix(log_f):
    return np.exp(decay_bias(log_f))


def constant_decay(length, slope):
    if length < 0 or not np.isfinite(slope) or slope <= 0:
        raise ValueError(f"length {length}, slope {slope}")
    return np.full(length, -slope, dtype=np.float64)


def forgetting_attention(q, k, v, log_f):
    raise NotImplementedError("forgetting_attention is not written yet")


def linear_attention(q, k, v, log_f):
    raise NotImplementedError("linear_attention is not written yet")


def linear_step(state, q, k, v, log_f):
    raise NotImplementedError("linear_step is not written yet")


def linear_chunks(q, k, v, log_f, chunk, state=None):
    raise NotImplementedError("linear_chunks is not written yet")


def delta_step(state, k, v, beta, log_f):
    raise NotImplementedError("delta_step is not written yet")


def retention(q, k, v, gamma, base=10000.0):
    raise NotImplementedError("retention is not written yet")


def cope_positions(gates):
    raise NotImplementedError("cope_positions is not written yet")


def cache_and_state(length, n_heads, d_k, d_v):
    if length < 0:
        raise ValueError(f"length {length} is negative")
    if n_heads < 1 or d_k < 1 or d_v < 1:
        raise ValueError(f"n_heads {n_heads}, d_k {d_k}, d_v {d_v}")
    return n_heads * length * (d_k + d_v), n_heads * d_k * d_v


def half_life(log_f):
    log_f = np.asarray(log_f, dtype=np.float64)
    if not (log_f <= 0).all():
        raise ValueError(f"gates above one: log_f = {log_f}")
    return np.where(log_f == 0, np.inf, np.log(0.5) / np.where(log_f == 0, 1, log_f))


ANSWERS = {
    "alibi_is_a_constant_forget_gate": True,
    "first_gate_changes_linear_attention": None,
    "half_life_of_gate_0_99": None,
    "tokens_until_cache_equals_state_128": 64,
}
