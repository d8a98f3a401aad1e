"""Relative positions: Shaw with an array of all vectors, T5 with the boundaries of buckets."""

import numpy as np


def _doubles(*arrays):
    return (np.array(one, float) for one in arrays)


def _vectors(table, q, k, reach):
    away = np.add.outer(-np.arange(q.shape[-2]), np.arange(k.shape[-2]))
    return table[np.sign(away) * np.minimum(abs(away), reach) + reach]


def shaw_scores(q, k, key_table, max_distance):
    q, k, table = _doubles(q, k, key_table)
    keys = k[..., None, :, :] + _vectors(table, q, k, max_distance)
    return np.matmul(keys, q[..., None])[..., 0] / q.shape[-1] ** 0.5


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    q, k, v, keys, values = _doubles(q, k, v, key_table, value_table)
    allowed = True if mask is None else np.asarray(mask)
    scores = np.where(allowed, shaw_scores(q, k, keys, max_distance), -np.inf)
    total = np.logaddexp.reduce(scores, -1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(total), 0, total))
    return np.einsum("...ij,...ijd->...id", weights, v[..., None, :, :] + _vectors(values, q, k, max_distance))


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    r = np.asarray(relative, dtype=np.int64)
    B = num_buckets // 2 if bidirectional else num_buckets
    e = B // 2
    n = abs(r) if bidirectional else np.maximum(0, -r)
    edges = e * (max_distance / e) ** (np.arange(1, B - e) / (B - e)) - 1e-9
    bucket = np.minimum(n, e) + np.searchsorted(edges, n, side="right")
    return bucket + (B * (r > 0) if bidirectional else 0)


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    q, k, table, u, w = _doubles(q, k, key_table, content_bias, position_bias)
    rows = _vectors(table, q, k, max_distance)
    content = np.einsum("...id,...jd->...ij", q, k) + np.einsum("d,...jd->...j", u, k)[..., None, :]
    return (content + np.einsum("...id,ijd->...ij", q, rows) + rows @ w) / q.shape[-1] ** 0.5


def disentangled_scores(q, k, key_table, query_table, max_distance):
    q, k, keys, queries = _doubles(q, k, key_table, query_table)
    asked, asking = _vectors(keys, q, k, max_distance), _vectors(queries, k, q, max_distance)
    scores = np.einsum("...id,...jd->...ij", q, k) + np.einsum("...id,ijd->...ij", q, asked)
    return (scores + np.einsum("...jd,jid->...ij", k, asking)) / (3 * q.shape[-1]) ** 0.5
