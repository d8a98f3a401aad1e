"""Every sum of gates is a masked sum over all tokens, and products of arrays use einsum."""

import numpy as np


def insist(ok, message):
    if not ok:
        raise ValueError(message)


def negative(log_f):
    log_f = np.asarray(log_f, dtype=float)
    insist(np.all(log_f <= 0), f"log gates must not be above 0: {log_f}")
    return log_f


def result_type(*arrays):
    return np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64


def decay_bias(log_f):
    log_f = negative(log_f)
    insist(log_f.ndim > 0, f"no axis of tokens: {log_f.shape}")
    t = np.arange(log_f.shape[-1])
    query, key, gate = t[:, None, None], t[None, :, None], t[None, None, :]
    sums = np.where((key < gate) & (gate <= query), log_f[..., None, None, :], 0).sum(axis=-1)
    sums[..., t[:, None] < t] = -np.inf
    return sums


def decay_matrix(log_f):
    return np.exp(decay_bias(log_f))


def constant_decay(length, slope):
    insist(length >= 0, f"length {length}")
    insist(0 < slope < np.inf, f"slope {slope}")
    return np.zeros(length) - slope


def ready(q, k, v, log_f):
    q, k, v = (np.asarray(a) for a in (q, k, v))
    kind = result_type(q, k, v)
    insist(min(q.ndim, k.ndim, v.ndim) >= 2, f"shapes {q.shape} {k.shape} {v.shape}")
    log_f = negative(log_f)
    insist(log_f.ndim >= 1, f"gates of shape {log_f.shape}")
    lengths = {q.shape[-2], k.shape[-2], v.shape[-2], log_f.shape[-1]}
    insist(len(lengths) == 1, f"lengths {lengths}")
    insist(q.shape[-1] == k.shape[-1], f"features {q.shape} {k.shape}")
    return q.astype(float), k.astype(float), v.astype(float), log_f, kind


def forgetting_attention(q, k, v, log_f):
    q, k, v, log_f, kind = ready(q, k, v, log_f)
    s = np.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
    s = s + decay_bias(log_f)
    s = s - np.max(s, axis=-1)[..., None]
    w = np.exp(s)
    return (np.einsum("...ij,...jd->...id", w, v) / np.einsum("...ij->...i", w)[..., None]).astype(kind)


def linear_attention(q, k, v, log_f):
    q, k, v, log_f, kind = ready(q, k, v, log_f)
    return np.einsum("...id,...jd,...ij,...je->...ie", q, k, decay_matrix(log_f), v).astype(kind)


def linear_step(state, q, k, v, log_f):
    state, q, k, v = (np.asarray(a) for a in (state, q, k, v))
    kind = result_type(state, q, k, v)
    insist(k.ndim > 0 and v.ndim > 0 and q.ndim > 0, "a number is no feature")
    insist(state.shape[-2:] == (k.shape[-1], v.shape[-1]), f"state {state.shape}, k {k.shape}, v {v.shape}")
    insist(q.shape[-1] == k.shape[-1], f"q {q.shape}, k {k.shape}")
    f = np.exp(negative(log_f))
    state = np.einsum("...,...de->...de", f, state) + np.einsum("...d,...e->...de", k.astype(float), v.astype(float))
    return np.einsum("...d,...de->...e", q, state).astype(kind), state.astype(kind)


def linear_chunks(q, k, v, log_f, chunk, state=None):
    insist(chunk > 0, f"chunk {chunk}")
    arrays = [np.asarray(a) for a in (q, k, v)] + ([] if state is None else [np.asarray(state)])
    kind = result_type(*arrays)
    q, k, v, log_f, _ = ready(q, k, v, log_f)
    size = (k.shape[-1], v.shape[-1])
    memory = np.zeros(size) if state is None else arrays[-1].astype(float)
    insist(memory.shape[-2:] == size, f"state {memory.shape}, wanted {size}")
    out = []
    for a in range(0, q.shape[-2], chunk):
        b = a + chunk
        here = decay_matrix(log_f[..., a:b])
        seen = np.exp(log_f[..., a : a + 1] + decay_bias(log_f[..., a:b])[..., :, 0])
        inner = np.einsum("...id,...jd,...ij,...je->...ie", q[..., a:b, :], k[..., a:b, :], here, v[..., a:b, :])
        out.append(inner + np.einsum("...i,...id,...de->...ie", seen, q[..., a:b, :], memory))
        new = np.einsum("...j,...jd,...je->...de", here[..., -1, :], k[..., a:b, :], v[..., a:b, :])
        memory = np.einsum("...,...de->...de", seen[..., -1], memory) + new
    return np.concatenate(out, -2).astype(kind), memory.astype(kind)


def delta_step(state, k, v, beta, log_f):
    state, k, v = (np.asarray(a) for a in (state, k, v))
    kind = result_type(state, k, v)
    insist(k.ndim > 0 and v.ndim > 0, "a number is no feature")
    insist(state.shape[-2:] == k.shape[-1:] + v.shape[-1:], f"state {state.shape}, k {k.shape}, v {v.shape}")
    beta = np.asarray(beta, dtype=float)
    insist(np.all((beta >= 0) & (beta <= 2)), f"beta {beta}")
    faded = np.einsum("...,...de->...de", np.exp(negative(log_f)), state)
    # (1 − β k kᵀ) S + β k vᵀ, the form of the paper
    kept = faded - np.einsum("...,...d,...c,...ce->...de", beta, k.astype(float), k.astype(float), faded)
    return (kept + np.einsum("...,...d,...e->...de", beta, k.astype(float), v.astype(float))).astype(kind)


def retention(q, k, v, gamma, base=10000.0):
    gamma = np.asarray(gamma, dtype=float)
    insist(np.all((gamma > 0) & (gamma <= 1)), f"gamma {gamma}")
    insist(0 < base < np.inf, f"base {base}")
    q, k, v = (np.asarray(a) for a in (q, k, v))
    kind = result_type(q, k, v)
    insist(q.shape[-1] % 2 == 0, f"odd size {q.shape[-1]}")
    insist(q.shape[-1] == k.shape[-1], f"features {q.shape} {k.shape}")
    insist(q.shape[-2] == k.shape[-2] == v.shape[-2], f"lengths {q.shape} {k.shape} {v.shape}")
    t = np.arange(q.shape[-2])
    theta = base ** (-np.arange(0, q.shape[-1], 2) / q.shape[-1])
    phase = np.exp(1j * np.outer(t, theta))
    zq, zk = ((a[..., ::2] + 1j * a[..., 1::2]) * phase for a in (q.astype(float), k.astype(float)))
    score = np.einsum("...id,...jd->...ij", zq, zk.conj()).real
    ago = t[:, None] - t
    decay = np.where(ago >= 0, gamma[..., None, None] ** np.maximum(ago, 0), 0)
    return np.einsum("...ij,...ij,...je->...ie", score, decay, v.astype(float)).astype(kind)


def cope_positions(gates):
    gates = np.asarray(gates, dtype=float)
    insist(np.all((gates >= 0) & (gates <= 1)), f"gates {gates}")
    insist(gates.ndim >= 2 and gates.shape[-2] <= gates.shape[-1], f"shape {gates.shape}")
    q, k = gates.shape[-2:]
    p = (np.arange(q) + k - q)[:, None, None]
    key, gate = np.arange(k)[None, :, None], np.arange(k)
    return np.where((key <= gate) & (gate <= p), gates[..., :, None, :], 0).sum(axis=-1)


def cache_and_state(length, n_heads, d_k, d_v):
    insist(length >= 0, f"length {length}")
    for n in (n_heads, d_k, d_v):
        insist(n >= 1, f"size {n}")
    return n_heads * length * d_k + n_heads * length * d_v, n_heads * d_k * d_v


def half_life(log_f):
    log_f = negative(log_f)
    with np.errstate(divide="ignore"):
        return np.where(log_f == 0, np.inf, np.log(0.5) / log_f)


ANSWERS = {
    "alibi_is_a_constant_forget_gate": True,
    "first_gate_changes_linear_attention": False,
    "half_life_of_gate_0_99": 68.968,
    "tokens_until_cache_equals_state_128": 64,
}
