import numpy as np


# nobody passes bad arguments on purpose, so nothing is checked here


def decay_bias(log_f):
    total = np.cumsum(log_f, axis=-1)
    bias = total[..., :, None] - total[..., None, :]
    bias[..., np.triu_indices(total.shape[-1], 1)[0], np.triu_indices(total.shape[-1], 1)[1]] = -np.inf
    return bias


def decay_matrix(log_f):
    return np.exp(decay_bias(log_f))


def constant_decay(length, slope):
    return np.full(length, -slope)


def forgetting_attention(q, k, v, log_f):
    w = np.exp(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + decay_bias(log_f))
    return w / w.sum(-1, keepdims=True) @ v


def linear_attention(q, k, v, log_f):
    out = np.zeros_like(v)
    state = np.zeros((*v.shape[:-2], k.shape[-1], v.shape[-1]))
    for t in range(v.shape[-2]):
        out[..., t, :], state = linear_step(state, q[..., t, :], k[..., t, :], v[..., t, :], log_f[..., t])
    return out


def linear_step(state, q, k, v, log_f):
    state *= np.exp(log_f)[..., None, None]
    state += k[..., :, None] * v[..., None, :]
    return (q[..., None, :] @ state)[..., 0, :], state


def linear_chunks(q, k, v, log_f, chunk, state=None):
    state = np.zeros((*v.shape[:-2], k.shape[-1], v.shape[-1]))
    out = []
    for a in range(0, v.shape[-2], chunk):
        s = slice(a, a + chunk)
        for t in range(*s.indices(v.shape[-2])):
            o, state = linear_step(state, q[..., t, :], k[..., t, :], v[..., t, :], log_f[..., t])
            out.append(o)
    return np.stack(out, axis=-2), state


def delta_step(state, k, v, beta, log_f):
    state = state * np.exp(log_f)[..., None, None]
    error = v - (k[..., None, :] @ state)[..., 0, :]
    return state + k[..., :, None] * (np.asarray(beta)[..., None] * error)[..., None, :]


def retention(q, k, v, gamma, base=10000.0):
    n, d = q.shape[-2:]
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)
    z = lambda x: (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    scores = (z(q) @ np.conj(np.swapaxes(z(k), -1, -2))).real
    distance = np.arange(n)[:, None] - np.arange(n)
    return scores * (np.asarray(gamma)[..., None, None] ** distance * (distance >= 0)) @ v


def cope_positions(gates):
    return np.cumsum(gates[..., ::-1], axis=-1)[..., ::-1] * np.tri(*gates.shape[-2:])


def cache_and_state(length, n_heads, d_k, d_v):
    return n_heads * length * 2 * d_k, n_heads * d_k * d_v


def half_life(log_f):
    return np.log(0.5) / log_f


ANSWERS = {
    "alibi_is_a_constant_forget_gate": True,
    "first_gate_changes_linear_attention": False,
    "half_life_of_gate_0_99": 69,
    "tokens_until_cache_equals_state_128": 128,
}
