"""Shaw with an array of all vectors, T5 by the edges of its buckets, the bias by one-hot rows; answers from the
solution."""

import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    for n in (q_len, k_len):
        if n < 0:
            raise ValueError(f"length {n}")
    return np.add.outer(-np.arange(q_start, q_start + q_len), np.arange(k_len))


def clip_positions(relative, max_distance):
    if max_distance < 0:
        raise ValueError(max_distance)
    r = np.asarray(relative)
    return np.sign(r) * np.minimum(abs(r), max_distance)


def _f4(*a):
    return np.float32 if all(np.asarray(x).dtype == np.float32 for x in a) else np.float64


def _table(t, k, d):
    if k < 0:
        raise ValueError(f"max_distance {k}")
    if t.ndim != 2 or t.shape != (2 * k + 1, d):
        raise ValueError(f"table {t.shape}, wanted {(2 * k + 1, d)}")


def shaw_scores(q, k, key_table, max_distance):
    q, k, t = map(np.asarray, (q, k, key_table))
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"{q.shape} {k.shape}")
    _table(t, max_distance, q.shape[-1])
    a = t[clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance]
    keys = k.astype(float)[..., None, :, :] + a
    return (np.matmul(keys, q.astype(float)[..., None])[..., 0] / q.shape[-1] ** 0.5).astype(_f4(q, k, t))


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    q, k, v, kt, vt = arrays = [np.asarray(a) for a in (q, k, v, key_table, value_table)]
    _table(vt, max_distance, v.shape[-1])
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"{v.shape} {k.shape}")
    s = shaw_scores(q.astype(float), k, kt, max_distance)
    m = np.ones(s.shape[-2:], bool) if mask is None else np.asarray(mask)
    try:
        np.broadcast_to(np.empty(m.shape[-2:]), s.shape[-2:])
    except ValueError as error:
        raise ValueError(f"mask {m.shape} scores {s.shape}") from error
    s, m = np.broadcast_arrays(s, m)
    top = np.max(s, axis=-1, where=m, initial=-1e300, keepdims=True)
    w = np.where(m, np.exp(np.where(m, s - top, 0)), 0)
    total = w.sum(-1, keepdims=True)
    w = np.divide(w, total, where=total > 0, out=np.zeros_like(w))
    b = vt[clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance]
    return (np.einsum("...ij,...ijd->...id", w, v.astype(float)[..., None, :, :] + b)).astype(_f4(*arrays))


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    r = np.asarray(relative, dtype=np.int64)
    B = num_buckets // 2 if bidirectional else num_buckets
    e = B // 2
    if e < 1:
        raise ValueError(f"{num_buckets} buckets")
    if max_distance <= e:
        raise ValueError(f"max_distance {max_distance}")
    n = abs(r) if bidirectional else np.maximum(0, -r)
    edges = e * (max_distance / e) ** (np.arange(1, B - e) / (B - e)) - 1e-9
    bucket = np.minimum(n, e) + np.searchsorted(edges, n, side="right")
    return bucket + (B * (r > 0) if bidirectional else 0)


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    t = np.asarray(table)
    if t.ndim != 2:
        raise ValueError(f"table {t.shape}")
    b = t5_bucket(relative_positions(q_len, k_len, q_start), bidirectional, t.shape[0], max_distance)
    return (np.eye(len(t))[b] @ t).transpose(2, 0, 1).astype(_f4(t))


def _vectors(t, a, b, k, d):
    _table(t, k, d)
    return t[clip_positions(relative_positions(a, b), k) + k].astype(float)


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    q, k, t, u, w = map(np.asarray, (q, k, key_table, content_bias, position_bias))
    d = q.shape[-1]
    if u.shape != (d,) or w.shape != (d,):
        raise ValueError(f"{u.shape} {w.shape}")
    a = _vectors(t, q.shape[-2], k.shape[-2], max_distance, d)
    terms = [
        np.einsum("...id,...jd->...ij", q.astype(float), k),
        np.einsum("...id,ijd->...ij", q.astype(float), a),
        np.einsum("d,...jd->...j", u.astype(float), k)[..., None, :],
        a @ w,
    ]
    return (sum(terms) / d**0.5).astype(_f4(q, k, t))


def disentangled_scores(q, k, key_table, query_table, max_distance):
    q, k, t, s = map(np.asarray, (q, k, key_table, query_table))
    d = q.shape[-1]
    a = _vectors(t, q.shape[-2], k.shape[-2], max_distance, d)
    c = _vectors(s, k.shape[-2], q.shape[-2], max_distance, d)
    terms = [
        np.einsum("...id,...jd->...ij", q.astype(float), k),
        np.einsum("...id,ijd->...ij", q.astype(float), a),
        np.einsum("...jd,jid->...ij", k.astype(float), c),
    ]
    return (sum(terms) / (3 * d) ** 0.5).astype(_f4(q, k, t, s))
