"""A state as a few tokens in front and a reader behind; gates summed from the query backwards; decays as powers of 2
and with logaddexp."""

import numpy as np

LN2 = np.log(2.0)


def _f(*arrays):
    return np.dtype("f4") if {np.asarray(a).dtype.str[1:] for a in arrays} == {"f4"} else np.dtype("f8")


def _gate(log_f):
    g = np.array(log_f, float)
    if not (g <= 0).all():
        raise ValueError(f"{g.max()} {g}")
    return g


def decay_bias(log_f):
    g = _gate(log_f)
    if not g.shape:
        raise ValueError("no tokens")
    n = g.shape[-1]
    row = np.where(np.arange(n) <= np.arange(n)[:, None], g[..., None, :], 0.0)
    back = np.flip(np.cumsum(np.flip(row, -1), -1), -1)
    bias = np.concatenate([back[..., 1:], np.zeros((*back.shape[:-1], 1))], -1)
    return np.asfortranarray(np.where(np.arange(n) <= np.arange(n)[:, None], bias, -np.inf))


def decay_matrix(log_f):
    return np.exp2(decay_bias(log_f) / LN2)


def constant_decay(length, slope):
    if length < 0 or not 0 < slope < float("inf"):
        raise ValueError(f"{length} {slope}")
    return np.linspace(-slope, -slope, length)


def _all(q, k, v, n):
    shapes = [np.shape(a) for a in (q, k, v)]
    if any(len(s) < 2 for s in shapes) or {s[-2] for s in shapes} != {n} or shapes[0][-1] != shapes[1][-1]:
        raise ValueError(f"{shapes} {n}")
    return (np.array(a, float) for a in (q, k, v))


def forgetting_attention(q, k, v, log_f):
    to, b = _f(q, k, v), decay_bias(log_f)
    q, k, v = _all(q, k, v, b.shape[-1])
    s = np.einsum("...id,...jd->...ij", q / np.sqrt(q.shape[-1]), k) + b
    return (np.exp(s - np.logaddexp.reduce(s, -1)[..., None]) @ v).astype(to)


def linear_attention(q, k, v, log_f):
    to, d = _f(q, k, v), decay_matrix(log_f)
    q, k, v = _all(q, k, v, d.shape[-1])
    return np.einsum("...ij,...ij,...je->...ie", np.einsum("...id,...jd->...ij", q, k), d, v).astype(to)


def linear_step(state, q, k, v, log_f):
    to, g = _f(state, q, k, v), _gate(log_f)
    state, q, k, v = (np.array(a, float) for a in (state, q, k, v))
    if state.shape[-2:] != (q.shape[-1], v.shape[-1]) or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"{state.shape} {q.shape} {k.shape} {v.shape}")
    new = np.exp(g)[..., None, None] * state + np.einsum("...a,...b->...ab", k, v)
    return np.einsum("...a,...ab->...b", q, new).astype(to), new.astype(to)


def _rows(*arrays):
    lead = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
    return np.concatenate([np.broadcast_to(a, lead + a.shape[-2:]) for a in arrays], -2)


def linear_chunks(q, k, v, log_f, chunk, state=None):
    if chunk < 1:
        raise ValueError(f"{chunk}")
    to, g = _f(q, k, v, *([] if state is None else [state])), _gate(log_f)
    q, k, v = _all(q, k, v, g.shape[-1] if g.shape else -1)
    rows, columns = k.shape[-1], v.shape[-1]
    state = np.zeros((rows, columns)) if state is None else np.array(state, float)
    if state.shape[-2:] != (rows, columns):
        raise ValueError(f"{state.shape} {rows} {columns}")
    one, none = np.eye(rows), np.zeros((rows, rows))
    out = []
    for a in range(0, q.shape[-2], chunk):
        s = np.s_[..., a : a + chunk, :]
        still = np.zeros((*g.shape[:-1], rows))
        gates = np.concatenate([still, g[..., a : a + chunk], still], -1)
        # Each row of the state is a token with a unit key; unit queries read the state at the end.
        all_out = linear_attention(
            _rows(none, q[s], one), _rows(one, k[s], none), _rows(state, v[s], np.zeros((rows, columns))), gates
        )
        out.append(all_out[..., rows:-rows, :])
        state = all_out[..., -rows:, :]
    return np.concatenate(out, -2).astype(to), state.astype(to)


def delta_step(state, k, v, beta, log_f):
    to, g, b = _f(state, k, v), _gate(log_f), np.array(beta, float)
    if not (abs(b - 1) <= 1).all():
        raise ValueError(f"{b}")
    state, k, v = (np.array(a, float) for a in (state, k, v))
    if state.shape[-2:] != k.shape[-1:] + v.shape[-1:]:
        raise ValueError(f"{state.shape} {k.shape} {v.shape}")
    erase = np.eye(k.shape[-1]) - b[..., None, None] * np.einsum("...a,...b->...ab", k, k)
    return (
        erase @ (np.exp(g)[..., None, None] * state) + b[..., None, None] * np.einsum("...a,...b->...ab", k, v)
    ).astype(to)


def retention(q, k, v, gamma, base=10000.0):
    to, g = _f(q, k, v), np.array(gamma, float)
    if not (0 < base < np.inf):
        raise ValueError(f"{base}")
    if not ((g > 0) & (g <= 1)).all():
        raise ValueError(f"{g}")
    q, k, v = _all(q, k, v, np.shape(q)[-2])
    n, d = q.shape[-2:]
    if d % 2:
        raise ValueError(f"{d}")
    angle = np.subtract.outer(np.arange(n), np.arange(n))[..., None] * base ** (-np.arange(d // 2) / (d // 2))
    even, odd = ((a[..., None, 0::2], a[..., None, 1::2]) for a in (q, k))
    dots = even[0] * np.swapaxes(odd[0], -2, -3) + even[1] * np.swapaxes(odd[1], -2, -3)
    cross = even[1] * np.swapaxes(odd[0], -2, -3) - even[0] * np.swapaxes(odd[1], -2, -3)
    # The score of a pair at offset i − j: its dot product turned by the angle between the two positions.
    score = (dots * np.cos(angle) - cross * np.sin(angle)).sum(-1)
    ago = np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0)
    return (np.tril(score * g[..., None, None] ** ago) @ v).astype(to)


def cope_positions(gates):
    g = np.array(gates, float)
    if not ((g >= 0) & (g <= 1)).all():
        raise ValueError(f"{g}")
    if g.ndim < 2 or g.shape[-1] < g.shape[-2]:
        raise ValueError(f"{g.shape}")
    seen = np.tril(g, g.shape[-1] - g.shape[-2])
    return seen @ np.tri(g.shape[-1])


def cache_and_state(length, n_heads, d_k, d_v):
    if length < 0 or not (n_heads > 0 and d_k > 0 and d_v > 0):
        raise ValueError(f"{(length, n_heads, d_k, d_v)}")
    return [n_heads * d_k * length + n_heads * d_v * length, d_k * n_heads * d_v]


def half_life(log_f):
    g = _gate(log_f)
    return np.reciprocal(-g / LN2, where=g != 0, out=np.full(g.shape, np.inf))[()]
