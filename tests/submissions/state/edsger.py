"""All arguments are checked. The text is always computed at once, and a few orders of steps are other than in the lesson."""

import numpy as np


class Unfit(ValueError):
    """What this file raises."""


def gates_of(log_f):
    values = np.asarray(log_f, dtype=np.float64)
    wrong = np.isnan(values) | (values > 0)
    if wrong.any():
        raise Unfit("log_f holds %s" % values[wrong])
    return values


def precision(*features):
    return np.float32 if all(one.dtype == np.float32 for one in features) else np.float64


def decay_bias(log_f):
    values = gates_of(log_f)
    if values.ndim == 0:
        raise Unfit("log_f has shape %s" % (values.shape,))
    n = values.shape[-1]
    column = np.broadcast_to(values[..., :, np.newaxis], (*values.shape, n))
    bias = np.tril(column, -1).cumsum(axis=-2)
    bias[..., np.triu(np.ones((n, n), dtype=bool), 1)] = -np.inf
    return bias


def decay_matrix(log_f):
    return np.exp(decay_bias(log_f))


def constant_decay(length, slope):
    if length < 0:
        raise Unfit("length %s" % length)
    if not (slope > 0 and slope < np.inf):
        raise Unfit("slope %s" % slope)
    return -slope * np.ones(length)


def features_of(q, k, v, log_f):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    for one in (q, k, v):
        if one.ndim < 2:
            raise Unfit("shape %s" % (one.shape,))
    if np.ndim(log_f) < 1:
        raise Unfit("log_f has no axis")
    lengths = (q.shape[-2], k.shape[-2], v.shape[-2], np.shape(log_f)[-1])
    if min(lengths) != max(lengths):
        raise Unfit("lengths %s, %s, %s and %s" % lengths)
    if q.shape[-1] != k.shape[-1]:
        raise Unfit("features %s and %s" % (q.shape[-1], k.shape[-1]))
    return q.astype(np.float64), k.astype(np.float64), v.astype(np.float64), precision(q, k, v)


def forgetting_attention(q, k, v, log_f):
    q, k, v, dtype = features_of(q, k, v, log_f)
    # The whole sum over √d, the bias too.
    scores = (q @ k.swapaxes(-1, -2) + decay_bias(log_f)) / np.sqrt(q.shape[-1])
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    return (weights @ v / weights.sum(axis=-1, keepdims=True)).astype(dtype)


def linear_attention(q, k, v, log_f):
    q, k, v, dtype = features_of(q, k, v, log_f)
    return (q @ k.swapaxes(-1, -2) * decay_matrix(log_f) @ v).astype(dtype)


def token_of(state, k, v):
    state, k, v = np.asarray(state), np.asarray(k), np.asarray(v)
    if k.ndim < 1 or v.ndim < 1 or state.ndim < 2:
        raise Unfit("shapes %s, %s and %s" % (state.shape, k.shape, v.shape))
    if state.shape[-2] != k.shape[-1] or state.shape[-1] != v.shape[-1]:
        raise Unfit("shapes %s, %s and %s" % (state.shape, k.shape, v.shape))
    return state, k, v


def linear_step(state, q, k, v, log_f):
    state, k, v = token_of(state, k, v)
    q = np.asarray(q)
    if q.shape[-1:] != k.shape[-1:]:
        raise Unfit("shapes %s and %s" % (q.shape, k.shape))
    dtype = precision(state, q, k, v)
    factor = np.exp(gates_of(log_f))[..., np.newaxis, np.newaxis]
    # Write, then forget.
    state = factor * (state.astype(np.float64) + k.astype(np.float64)[..., np.newaxis] * v[..., np.newaxis, :])
    return np.einsum("...a,...ab->...b", q, state).astype(dtype), state.astype(dtype)


def linear_chunks(q, k, v, log_f, chunk, state=None):
    if chunk < 1:
        raise Unfit("chunk %s" % chunk)
    dtypes = [] if state is None else [np.asarray(state)]
    kind = precision(np.asarray(q), np.asarray(k), np.asarray(v), *dtypes)
    q, k, v, _ = features_of(q, k, v, log_f)
    before = np.zeros((k.shape[-1], v.shape[-1])) if state is None else np.asarray(state, dtype=np.float64)
    if before.shape[-2:] != (k.shape[-1], v.shape[-1]):
        raise Unfit("state %s for %s and %s" % (before.shape, k.shape[-1], v.shape[-1]))
    # One matrix for the whole text: chunks would give the same.
    matrix = decay_matrix(log_f)
    faded = np.exp(np.cumsum(gates_of(log_f), axis=-1))[..., np.newaxis]
    out = (q @ k.swapaxes(-1, -2) * matrix) @ v + faded * (q @ before)
    after = faded[..., -1:, :] * before + (k * matrix[..., -1, :, np.newaxis]).swapaxes(-1, -2) @ v
    return out.astype(kind), after.astype(kind)


def delta_step(state, k, v, beta, log_f):
    state, k, v = token_of(state, k, v)
    beta = np.asarray(beta, dtype=np.float64)
    wrong = ~((beta >= 0) & (beta <= 2))
    if wrong.any():
        raise Unfit("beta %s" % beta[wrong])
    dtype = precision(state, k, v)
    key = k.astype(np.float64)
    # What the key reads is looked up before forgetting.
    change = v - np.einsum("...a,...ab->...b", key, state.astype(np.float64))
    factor = np.exp(gates_of(log_f))[..., np.newaxis, np.newaxis]
    return (factor * state + key[..., np.newaxis] * (beta[..., np.newaxis] * change)[..., np.newaxis, :]).astype(dtype)


def retention(q, k, v, gamma, base=10000.0):
    gamma = np.asarray(gamma, dtype=np.float64)
    wrong = ~((gamma > 0) & (gamma <= 1))
    if wrong.any():
        raise Unfit("gamma %s" % gamma[wrong])
    if not (base > 0 and base < np.inf):
        raise Unfit("base %s" % base)
    n, d = np.shape(q)[-2:]
    if d % 2:
        raise Unfit("size %s" % d)
    q, k, v, dtype = features_of(q, k, v, np.zeros(n))
    angles = np.arange(n)[:, np.newaxis] * base ** (-2 * np.arange(d // 2) / d)

    def rotate(x):
        # Pairs are half the width apart.
        first, second = x[..., : d // 2], x[..., d // 2 :]
        return np.concatenate([first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)], axis=-1)

    log_f = np.log(gamma)[..., np.newaxis] + np.zeros(n)
    return linear_attention(rotate(q), rotate(k), v, log_f).astype(dtype)


def cope_positions(gates):
    gates = np.asarray(gates, dtype=np.float64)
    wrong = ~((gates >= 0) & (gates <= 1))
    if wrong.any():
        raise Unfit("gates %s" % gates[wrong])
    if gates.ndim < 2 or gates.shape[-2] > gates.shape[-1]:
        raise Unfit("shape %s" % (gates.shape,))
    counted = np.tril(gates, gates.shape[-1] - gates.shape[-2])
    return np.flip(np.flip(counted, axis=-1).cumsum(axis=-1), axis=-1)


def cache_and_state(length, n_heads, d_k, d_v):
    if length < 0:
        raise Unfit("length %s" % length)
    if n_heads < 1 or d_k < 1 or d_v < 1:
        raise Unfit("sizes %s, %s, %s" % (n_heads, d_k, d_v))
    return n_heads * length * (d_k + d_v), n_heads * d_k * d_v


def half_life(log_f):
    values = gates_of(log_f)
    with np.errstate(divide="ignore"):
        return np.divide(np.log(0.5), values)


ANSWERS = {
    "alibi_is_a_constant_forget_gate": True,
    "first_gate_changes_linear_attention": True,
    "half_life_of_gate_0_99": 68.97,
    "tokens_until_cache_equals_state_128": 64,
}
