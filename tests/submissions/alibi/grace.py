import numpy as np


def _exponents(n_heads):
    """Slopes are 2 to the minus these. Count in units of 8/(2p): old heads are the even ones, new heads the odd ones."""
    p = 1
    while p * 2 <= n_heads:
        p *= 2
    even = list(range(2, 2 * p + 1, 2))
    odd = list(range(1, 2 * p, 2))
    return np.array((even + odd)[:n_heads]) * 4 / p


def alibi_slopes(n_heads):
    if n_heads <= 0:
        raise ValueError(f"n_heads={n_heads}")
    return np.exp2(-_exponents(n_heads))


def alibi_bias(n_heads, q_len, k_len):
    if q_len < 0 or k_len < 0 or k_len < q_len:
        raise ValueError(f"cannot line up {q_len} queries with {k_len} keys")
    keys = np.arange(k_len)
    queries = keys[k_len - q_len:]
    behind = np.subtract.outer(queries, keys)
    distance = np.maximum(behind, -behind)
    return np.stack([-slope * distance for slope in alibi_slopes(n_heads)])


def alibi_attention(q, k, v, causal=True):
    for x in (q, k, v):
        if x.ndim < 3:
            raise ValueError(f"expected (..., heads, tokens, features), got {x.shape}")
    *_, h, t, d = q.shape
    if (h, d) != (k.shape[-3], k.shape[-1]):
        raise ValueError(f"q {q.shape} does not fit k {k.shape}")
    if k.shape[-3:-1] != v.shape[-3:-1]:
        raise ValueError(f"k {k.shape} does not fit v {v.shape}")
    n = k.shape[-2]
    if t > n:
        raise ValueError(f"{t} queries, but only {n} keys")
    dtype = np.result_type(q, k, v)
    if dtype != np.float32:
        dtype = np.float64

    outputs = []
    biases = bloom_bias(h, n) if causal else alibi_bias(h, t, n)
    ahead = np.arange(n) > np.arange(n - t, n)[:, None]
    for head in range(h):
        qh, kh, vh = q[..., head, :, :], k[..., head, :, :], v[..., head, :, :]
        scores = (qh @ np.moveaxis(kh, -1, -2)) * d**-0.5 + biases[head]
        if causal:
            scores[..., ahead] = -1e18
        scores -= scores.max(axis=-1)[..., None]
        np.exp(scores, out=scores)
        outputs.append(scores @ vh / scores.sum(axis=-1)[..., None])
    return np.stack(outputs, axis=-3).astype(dtype)


def bloom_bias(n_heads, k_len):
    if k_len < 0:
        raise ValueError(f"k_len={k_len} < 0")
    return (alibi_slopes(n_heads)[:, None] * np.r_[:k_len])[:, None]


def effective_window(slope, tolerance):
    if not slope > 0:
        raise ValueError(f"slope={slope} is not positive")
    n = 0
    while np.exp(-slope * n) > tolerance:
        n += 1
    return n


ANSWERS = {
    "first_slope_8_heads": float(alibi_slopes(8)[0]),
    "last_slope_8_heads": 0.003906,
    "added_to_embeddings": False,
    "parameters": 0,
}
