"""Wrong versions of the functions of state, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import state


@mistake("decay_bias", "own|key|first|one|after|early|too many|j < l")
def gate_of_the_key_too(log_f):
    log_f = np.asarray(log_f, float)
    n = log_f.shape[-1]
    sums = [
        [log_f[..., j : i + 1].sum(-1) if j <= i else np.full(log_f.shape[:-1], -np.inf) for j in range(n)]
        for i in range(n)
    ]
    return np.moveaxis(np.array(sums), (0, 1), (-2, -1))


@mistake("decay_matrix", "NaN|inf|overflow|mask|before|after|above|running")
def masked_after_exp(log_f):
    total = np.cumsum(np.asarray(log_f, float), axis=-1)
    return np.tri(total.shape[-1]) * np.exp(total[..., :, None] - total[..., None, :])


@mistake("constant_decay", "minus|sign|−|negative|above 0")
def plus_slope(length, slope):
    return np.full(length, float(slope))


@mistake("forgetting_attention", "causal|future|later|ahead|−inf|above|sees")
def sees_the_future(q, k, v, log_f):
    q, k, v = (np.asarray(x, float) for x in (q, k, v))
    bias = np.maximum(state.decay_bias(log_f), -1e30)
    bias = np.where(np.tri(bias.shape[-1], dtype=bool), bias, 0)
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5 + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@mistake("linear_attention", "divid|sum|normal|nothing")
def rows_normalised(q, k, v, log_f):
    q, k, v = (np.asarray(x, float) for x in (q, k, v))
    weights = q @ np.swapaxes(k, -1, -2) * state.decay_matrix(log_f)
    return weights / (weights.sum(-1, keepdims=True) + 1e-9) @ v


@mistake("linear_attention", "causal|future|later|ahead|above|j ≤ i|after")
def both_directions(q, k, v, log_f):
    q, k, v = (np.asarray(x, float) for x in (q, k, v))
    left = state.decay_matrix(log_f)
    return q @ np.swapaxes(k, -1, -2) * np.maximum(left, np.swapaxes(left, -1, -2)) @ v


@mistake("linear_step", "before|read|writ|own|old")
def read_before_written(state_, q, k, v, log_f):
    gate = np.exp(np.asarray(log_f, float))[..., None, None]
    old = gate * np.asarray(state_, float)
    _, new = state.linear_step(state_, q, k, v, log_f)
    return (np.asarray(q, float)[..., None, :] @ old)[..., 0, :], new


@mistake("linear_step", "gate|forget|before|new|own|writ|just")
def new_value_forgotten_too(state_, q, k, v, log_f):
    gate = np.exp(np.asarray(log_f, float))[..., None, None]
    new = gate * (np.asarray(state_, float) + np.asarray(k, float)[..., :, None] * np.asarray(v, float)[..., None, :])
    return (np.asarray(q, float)[..., None, :] @ new)[..., 0, :], new


def _in_chunks(q, k, v, log_f, chunk, memory, reach):
    """What linear_chunks does, where reach(gates) says how much of the state reaches each token."""
    parts, n = [], np.shape(q)[-2]
    for begin in range(0, n, chunk):
        rows = slice(begin, begin + chunk)
        part = [np.asarray(x, float)[..., rows, :] for x in (q, k, v)]
        gates = np.asarray(log_f, float)[..., rows]
        out, after = state.linear_chunks(*part, gates, chunk, memory)
        if memory is not None:
            out = state.linear_chunks(*part, gates, chunk)[0] + reach(gates)[..., None] * (part[0] @ memory)
        parts.append(out)
        memory = after
    return np.concatenate(parts, axis=-2), memory


@mistake("linear_chunks", "state|earlier|chunk|memory")
def chunks_without_the_state(q, k, v, log_f, chunk, state=None):
    return _in_chunks(q, k, v, log_f, chunk, state, np.zeros_like)


@mistake("linear_chunks", "gate|decay|c_i|forget")
def state_read_without_its_gates(q, k, v, log_f, chunk, state=None):
    return _in_chunks(q, k, v, log_f, chunk, state, np.ones_like)


@mistake("linear_chunks", "first gate|own|gate|first token|one")
def first_gate_of_a_chunk_left_out(q, k, v, log_f, chunk, state=None):
    return _in_chunks(q, k, v, log_f, chunk, state, lambda gates: np.exp(np.cumsum(gates, -1) - gates[..., :1]))


@mistake("delta_step", "read|difference|add|stands|replace|subtract")
def value_added(state_, k, v, beta, log_f):
    gain = np.asarray(beta, float)[..., None] * np.asarray(v, float)
    return (
        np.exp(np.asarray(log_f, float))[..., None, None] * state_
        + np.asarray(k, float)[..., :, None] * gain[..., None, :]
    )


@mistake("delta_step", "forget|before|after|S|old|decay|gate")
def read_before_forgetting(state_, k, v, beta, log_f):
    old, k = np.asarray(state_, float), np.asarray(k, float)
    missing = np.asarray(beta, float)[..., None] * (v - (k[..., None, :] @ old)[..., 0, :])
    return np.exp(np.asarray(log_f, float))[..., None, None] * old + k[..., :, None] * missing[..., None, :]


@mistake("retention", "√|scale|divid|nothing")
def retention_scaled(q, k, v, gamma, base=10000.0):
    return state.retention(q, k, v, gamma, base) / np.sqrt(np.shape(q)[-1])


@mistake("cope_positions", "ahead|later|causal|after|p|0|future")
def keys_ahead_counted(gates):
    gates = np.asarray(gates, float)
    return np.flip(np.cumsum(np.flip(gates, -1), -1), -1)


@mistake("cope_positions", "backward|start|from the|query|other way|first|direction")
def counted_from_the_start(gates):
    gates = np.asarray(gates, float)
    seen = np.tri(*gates.shape[-2:], gates.shape[-1] - gates.shape[-2], dtype=bool)
    return np.cumsum(gates, axis=-1) * seen


@mistake("cache_and_state", "value|d_v|key|both|d_k")
def keys_counted_alone(length, n_heads, d_k, d_v):
    return n_heads * length * d_k, n_heads * d_k * d_v


@mistake("half_life", "½|half|ln 2|natural|e")
def one_over_the_gate(log_f):
    return -1 / np.asarray(log_f, float)


@mistake("half_life", "inf|0|keeps|gate")
def no_half_life_for_extremes(log_f):
    found = state.half_life(log_f)
    return np.where(np.isneginf(np.asarray(log_f, float)), np.nan, found)
