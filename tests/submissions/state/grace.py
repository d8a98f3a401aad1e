"""Chunks are computed side by side and only their states pass on in a loop; the gates as a lower triangle that is summed downwards."""

import math

import numpy as np


class DoesNotFit(ValueError):
    pass


def _as_floats(*arrays):
    given = [np.asarray(array) for array in arrays]
    single = not [array for array in given if array.dtype != np.dtype("float32")]
    return [np.array(array, dtype="float64") for array in given], "float32" if single else "float64"


def _bad(values, ok, name):
    if not np.all(ok):
        raise DoesNotFit(f"{name} out of range: {np.atleast_1d(values)[~np.atleast_1d(ok)].tolist()}")


def _log_gates(log_f):
    log_f = np.array(log_f, dtype="float64")
    _bad(log_f, log_f <= 0, "log_f")
    return log_f


def decay_bias(log_f):
    log_f = _log_gates(log_f)
    if log_f.ndim == 0:
        raise DoesNotFit("one gate alone has no tokens")
    tokens = log_f.shape[-1]
    below = np.tril(np.repeat(log_f[..., None], tokens, axis=-1), -1)
    summed = np.add.accumulate(below, axis=-2)
    ahead = np.triu_indices(tokens, 1)
    summed[(..., *ahead)] = -math.inf
    return summed


def decay_matrix(log_f):
    matrix = decay_bias(log_f)
    return np.exp(matrix, out=matrix)


def constant_decay(length, slope):
    if length < 0:
        raise DoesNotFit(f"there is no text of {length} tokens")
    if not math.isfinite(slope) or slope <= 0:
        raise DoesNotFit(f"a slope of {slope}")
    return np.repeat(-1.0 * slope, length)


def _same_length(tokens, **shapes):
    for name, shape in shapes.items():
        if not shape or shape[0] != tokens:
            raise DoesNotFit(f"{name} has {shape}, and there are {tokens} tokens")


def forgetting_attention(q, k, v, log_f):
    (q, k, v), dtype = _as_floats(q, k, v)
    bias = decay_bias(log_f)
    _same_length(q.shape[-2], k=k.shape[-2:], v=v.shape[-2:], log_f=bias.shape[-1:])
    logits = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1])) + bias
    log_total = np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    return (np.exp(logits - log_total) @ v).astype(dtype)


def linear_attention(q, k, v, log_f):
    (q, k, v), dtype = _as_floats(q, k, v)
    matrix = decay_matrix(log_f)
    _same_length(q.shape[-2], k=k.shape[-2:], v=v.shape[-2:], log_f=matrix.shape[-1:])
    np.multiply(matrix, 1.0, out=matrix)
    return (np.multiply(q @ k.swapaxes(-1, -2), matrix) @ v).astype(dtype)


def _fits(state, k, v):
    if state.ndim < 2 or list(state.shape[-2:]) != [k.shape[-1], v.shape[-1]]:
        raise DoesNotFit(f"a state of {state.shape} for keys of {k.shape} and values of {v.shape}")


def linear_step(state, q, k, v, log_f):
    (state, q, k, v), dtype = _as_floats(state, q, k, v)
    _fits(state, k, v)
    gate = np.exp(_log_gates(log_f))
    state = state * gate.reshape(*gate.shape, 1, 1) + k[..., None] @ v[..., None, :]
    out = np.matmul(q[..., None, :], state)
    return out.reshape(*out.shape[:-2], out.shape[-1]).astype(dtype), state.astype(dtype)


def _split(array, axis, chunk):
    """The axis of tokens filled up with zeros and cut into chunks: (n, chunk) in its place."""
    missing = -array.shape[axis] % chunk
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, missing)
    filled = np.pad(array, widths)
    axis %= array.ndim
    return filled.reshape(*filled.shape[:axis], -1, chunk, *filled.shape[axis + 1 :])


def linear_chunks(q, k, v, log_f, chunk, state=None):
    if chunk < 1:
        raise DoesNotFit(f"chunks of {chunk}")
    (q, k, v, *given), dtype = _as_floats(q, k, v, *([] if state is None else [state]))
    log_f = _log_gates(log_f)
    _same_length(q.shape[-2], k=k.shape[-2:], v=v.shape[-2:], log_f=log_f.shape[-1:])
    tokens = q.shape[-2]
    current = given[0] if given else np.zeros((k.shape[-1], v.shape[-1]))
    _fits(current, k, v)

    q, k, v, log_f = _split(q, -2, chunk), _split(k, -2, chunk), _split(v, -2, chunk), _split(log_f, -1, chunk)
    matrix = decay_matrix(log_f)  # (..., n, chunk, chunk)
    inside = (q @ k.swapaxes(-1, -2) * matrix) @ v
    written = (k * matrix[..., -1, :, None]).swapaxes(-1, -2) @ v
    faded = np.exp(np.add.accumulate(log_f, axis=-1))[..., None]
    before = []
    for number in range(q.shape[-3]):
        before.append(current)
        current = faded[..., number, -1:, :] * current + written[..., number, :, :]
    shape = np.broadcast_shapes(*(one.shape for one in before))
    states = np.stack([np.broadcast_to(one, shape) for one in before], axis=-3)
    out = inside + faded * (q @ states)
    out = out.reshape(*out.shape[:-3], -1, out.shape[-1])[..., :tokens, :]
    return out.astype(dtype), current.astype(dtype)


def delta_step(state, k, v, beta, log_f):
    (state, k, v), dtype = _as_floats(state, k, v)
    _fits(state, k, v)
    beta = np.array(beta, dtype="float64")
    _bad(beta, (beta >= 0) & (beta <= 2), "beta")
    gate = np.exp(_log_gates(log_f))
    state = state * gate.reshape(*gate.shape, 1, 1)
    found = np.matmul(k[..., None, :], state)
    change = beta.reshape(*beta.shape, 1, 1) * (v[..., None, :] - found)
    return (state + k[..., None] @ change).astype(dtype)


def retention(q, k, v, gamma, base=10000.0):
    (q, k, v), dtype = _as_floats(q, k, v)
    gamma = np.array(gamma, dtype="float64")
    _bad(gamma, (gamma > 0) & (gamma <= 1), "gamma")
    if not math.isfinite(base) or base <= 0:
        raise DoesNotFit(f"a base of {base}")
    _same_length(q.shape[-2], k=k.shape[-2:], v=v.shape[-2:])
    tokens, size = q.shape[-2:]
    if size % 2:
        raise DoesNotFit(f"{size} features do not form pairs")
    angle = np.multiply.outer(np.arange(tokens), np.exp(-math.log(base) * np.arange(0, size, 2) / size))

    def turn(x):
        turned = np.empty(x.shape)
        turned[..., 0::2] = x[..., 0::2] * np.cos(angle) - x[..., 1::2] * np.sin(angle)
        turned[..., 1::2] = x[..., 0::2] * np.sin(angle) + x[..., 1::2] * np.cos(angle)
        return turned

    log_f = np.multiply.outer(np.log(gamma), np.ones(tokens))
    return linear_attention(turn(q), turn(k), v, log_f).astype(dtype)


def cope_positions(gates):
    gates = np.array(gates, dtype="float64")
    _bad(gates, (gates >= 0) & (gates <= 1), "gates")
    if gates.ndim < 2:
        raise DoesNotFit(f"gates of shape {gates.shape}")
    rows, columns = gates.shape[-2:]
    if rows > columns:
        raise DoesNotFit(f"{rows} queries and {columns} keys")
    mine = np.tril(gates, columns - rows)
    return mine.sum(axis=-1, keepdims=True) - np.add.accumulate(mine, axis=-1) + mine


def cache_and_state(length, n_heads, d_k, d_v):
    if length < 0:
        raise DoesNotFit(f"length {length}")
    if min(n_heads, d_k, d_v) < 1:
        raise DoesNotFit(f"sizes {n_heads}, {d_k}, {d_v}")
    return length * n_heads * (d_k + d_v), math.prod((n_heads, d_k, d_v))


def half_life(log_f):
    log_f = _log_gates(log_f)
    lives = np.full(log_f.shape, math.inf)
    np.divide(-math.log(2), log_f, out=lives, where=log_f < 0)
    return lives


ANSWERS = {
    "alibi_is_a_constant_forget_gate": True,
    "first_gate_changes_linear_attention": False,
    "half_life_of_gate_0_99": math.log(2) / -math.log(0.99),
    "tokens_until_cache_equals_state_128": 128 * 128 // 256,
    "slope_of_a_gate_of_one_half": 0.6931,
    "read_after_a_write_with_beta_one_half": 5,
}
