"""Plain implementation of relative positions: each query–key pair has a separate row of the table."""

import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    return np.arange(k_len) - (np.arange(q_len)[:, np.newaxis] + q_start)


def shaw_scores(q, k, key_table, max_distance):
    q, k, table = (np.asarray(array, dtype=float) for array in (q, k, key_table))
    offsets = np.arange(k.shape[-2]) - np.arange(q.shape[-2])[:, np.newaxis]
    rows = table[np.clip(offsets, -max_distance, max_distance) + max_distance]
    keys = k[..., np.newaxis, :, :] + rows
    return (q[..., :, np.newaxis, :] * keys).sum(axis=-1) / np.sqrt(q.shape[-1])


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    q, k, table = (np.asarray(array, dtype=float) for array in (q, k, key_table))
    offsets = np.arange(k.shape[-2]) - np.arange(q.shape[-2])[:, np.newaxis]
    rows = table[np.clip(offsets, -max_distance, max_distance) + max_distance]
    content = ((q + content_bias)[..., :, np.newaxis, :] * k[..., np.newaxis, :, :]).sum(axis=-1)
    position = ((q + position_bias)[..., :, np.newaxis, :] * rows).sum(axis=-1)
    return (content + position) / np.sqrt(q.shape[-1])


def disentangled_scores(q, k, key_table, query_table, max_distance):
    q, k, keys, queries = (np.asarray(array, dtype=float) for array in (q, k, key_table, query_table))
    offsets = np.arange(k.shape[-2]) - np.arange(q.shape[-2])[:, np.newaxis]
    a = keys[np.clip(offsets, -max_distance, max_distance) + max_distance]
    b = queries[np.clip(-offsets, -max_distance, max_distance) + max_distance]
    terms = q[..., :, np.newaxis, :] * (k[..., np.newaxis, :, :] + a) + k[..., np.newaxis, :, :] * b
    return terms.sum(axis=-1) / np.sqrt(3 * q.shape[-1])


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    table = np.asarray(table, dtype=float)
    buckets = t5_bucket(relative_positions(q_len, k_len, q_start), bidirectional, len(table), max_distance)
    return np.moveaxis(np.eye(len(table))[buckets] @ table, -1, 0)


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    relative = np.asarray(relative)
    bucket = np.zeros(relative.shape, dtype=np.int64)
    if bidirectional:
        num_buckets //= 2
        bucket += num_buckets * (relative > 0)
        distance = np.abs(relative)
    else:
        distance = np.maximum(-relative, 0)
    exact = num_buckets // 2
    far = exact + (
        np.log(np.maximum(distance, 1) / exact) / np.log(max_distance / exact) * (num_buckets - exact) + 1e-12
    ).astype(np.int64)
    return bucket + np.where(distance < exact, distance, np.minimum(far, num_buckets - 1))
