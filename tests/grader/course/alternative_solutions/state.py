"""Layers with a state, written with a doubling scan, extra tokens for the first and last states, sums of gates that
start at the query, and decays as powers of 2 or with np.logaddexp.
"""

import numpy as np

LN2 = np.log(2.0)


def decay_bias(log_f):
    g = np.array(log_f, float)
    n = g.shape[-1]
    row = np.where(np.arange(n) <= np.arange(n)[:, None], g[..., None, :], 0.0)
    back = np.flip(np.cumsum(np.flip(row, -1), -1), -1)
    bias = np.concatenate([back[..., 1:], np.zeros((*back.shape[:-1], 1))], -1)
    return np.asfortranarray(np.where(np.arange(n) <= np.arange(n)[:, None], bias, -np.inf))


def decay_matrix(log_f):
    return np.exp2(decay_bias(log_f) / LN2)


def _all(*arrays):
    return (np.array(a, float) for a in arrays)


def forgetting_attention(q, k, v, log_f):
    b = decay_bias(log_f)
    q, k, v = _all(q, k, v)
    s = np.einsum("...id,...jd->...ij", q / np.sqrt(q.shape[-1]), k) + b
    return np.exp(s - np.logaddexp.reduce(s, -1)[..., None]) @ v


def linear_attention(q, k, v, log_f):
    """Compute all states with a scan: each step doubles the number of tokens that a state has read."""
    g = np.array(log_f, float)
    q, k, v = _all(q, k, v)
    states = np.einsum("...ta,...tb->...tab", k, v)
    lead = np.broadcast_shapes(g.shape[:-1], states.shape[:-3])
    states = np.broadcast_to(states, lead + states.shape[-3:])
    step = 1
    while step < g.shape[-1]:
        faded = np.exp(g[..., step:])[..., None, None] * states[..., :-step, :, :]
        states = np.concatenate([states[..., :step, :, :], states[..., step:, :, :] + faded], -3)
        g = np.concatenate([g[..., :step], g[..., step:] + g[..., :-step]], -1)
        step *= 2
    return np.einsum("...ta,...tab->...tb", q, states)


def linear_step(state, q, k, v, log_f):
    g = np.array(log_f, float)
    state, q, k, v = _all(state, q, k, v)
    new = np.exp(g)[..., None, None] * state + np.einsum("...a,...b->...ab", k, v)
    return np.einsum("...a,...ab->...b", q, new), new


def _rows(*arrays):
    lead = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
    return np.concatenate([np.broadcast_to(a, lead + a.shape[-2:]) for a in arrays], -2)


def linear_chunks(q, k, v, log_f, chunk, state=None):
    g = np.array(log_f, float)
    q, k, v = _all(q, k, v)
    rows, columns = k.shape[-1], v.shape[-1]
    state = np.zeros((rows, columns)) if state is None else np.array(state, float)
    one, none = np.eye(rows), np.zeros((rows, rows))
    out = []
    for a in range(0, q.shape[-2], chunk):
        s = np.s_[..., a : a + chunk, :]
        still = np.zeros((*g.shape[:-1], rows))
        gates = np.concatenate([still, g[..., a : a + chunk], still], -1)
        # Each row of the state becomes a token with a unit key, and unit queries read the final state.
        all_out = linear_attention(
            _rows(none, q[s], one), _rows(one, k[s], none), _rows(state, v[s], np.zeros((rows, columns))), gates
        )
        out.append(all_out[..., rows:-rows, :])
        state = all_out[..., -rows:, :]
    return np.concatenate(out, -2), state


def delta_step(state, k, v, beta, log_f):
    g, b = np.array(log_f, float), np.array(beta, float)
    state, k, v = _all(state, k, v)
    erase = np.eye(k.shape[-1]) - b[..., None, None] * np.einsum("...a,...b->...ab", k, k)
    return erase @ (np.exp(g)[..., None, None] * state) + b[..., None, None] * np.einsum("...a,...b->...ab", k, v)


def retention(q, k, v, gamma, base=10000.0):
    g = np.array(gamma, float)
    q, k, v = _all(q, k, v)
    n, d = q.shape[-2:]
    turns = np.exp(1j * np.multiply.outer(np.arange(n), base ** (-np.arange(d // 2) / (d // 2))))
    q, k = (x.view(complex) * turns for x in (q, k))
    ago = np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0)
    return np.tril(np.einsum("...id,...jd->...ij", q, k.conj()).real * g[..., None, None] ** ago) @ v


def cope_positions(gates):
    g = np.array(gates, float)
    seen = np.tril(g, g.shape[-1] - g.shape[-2])
    return seen @ np.tri(g.shape[-1])


def half_life(log_f):
    g = np.array(log_f, float)
    return np.reciprocal(-g / LN2, where=g != 0, out=np.full(g.shape, np.inf))[()]
