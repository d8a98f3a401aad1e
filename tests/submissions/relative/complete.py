"""Assignment 6, relative positions. Ada."""

import math

import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    for length in (q_len, k_len):
        if length < 0:
            raise ValueError("a length cannot be negative: %r" % (length,))
    if q_start != q_start:
        raise ValueError("q_start is %r, which is not a position" % (q_start,))
    i, j = np.indices((q_len, k_len), dtype=np.int64)
    return j - i - int(q_start)


def clip_positions(relative, max_distance):
    if max_distance < 0:
        raise ValueError("max_distance = %r is negative" % (max_distance,))
    return np.maximum(-max_distance, np.minimum(max_distance, relative))


def lookup(table, q_len, k_len, max_distance, width):
    """Return the vector for every pair, as an array of shape (q_len, k_len, width)."""
    if max_distance < 0:
        raise ValueError("max_distance = %r is negative" % (max_distance,))
    if table.shape != (2 * max_distance + 1, width):
        raise ValueError("table has shape %r, expected %r" % (table.shape, (2 * max_distance + 1, width)))
    return table[clip_positions(relative_positions(q_len, k_len), max_distance) + max_distance]


def result_type(*arrays):
    return np.float32 if {a.dtype for a in arrays} == {np.dtype(np.float32)} else np.float64


def shaw_scores(q, k, key_table, max_distance):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("q %r and k %r must have the same last axis" % (q.shape, k.shape))
    a = lookup(key_table, q.shape[-2], k.shape[-2], max_distance, q.shape[-1])
    words = np.einsum("...id,...jd->...ij", q, k)
    distances = np.einsum("...id,ijd->...ij", q, a)
    return ((words + distances) / math.sqrt(q.shape[-1])).astype(result_type(q, k, key_table))


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("%d keys but %d values" % (k.shape[-2], v.shape[-2]))
    scores = shaw_scores(q, k, key_table, max_distance)
    b = lookup(value_table, q.shape[-2], k.shape[-2], max_distance, v.shape[-1])
    if mask is not None:
        mask = np.asarray(mask)
        for axis in range(1, min(mask.ndim, 2) + 1):
            if mask.shape[-axis] not in (1, scores.shape[-axis]):
                raise ValueError("a mask of shape %r for scores of shape %r" % (mask.shape, scores.shape))
        scores = np.where(mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True)
    alpha = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = alpha.sum(axis=-1, keepdims=True)
    alpha /= np.where(total == 0, 1, total)  # nothing to look at: zeros
    out = np.einsum("...ij,...jd->...id", alpha, v) + np.einsum("...ij,ijd->...id", alpha, b)
    return out.astype(result_type(q, k, v, key_table, value_table))


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    if num_buckets < (4 if bidirectional else 2):
        raise ValueError("num_buckets must be larger than %r" % (num_buckets,))
    relative = np.asarray(relative)
    offset = 0
    if bidirectional:
        num_buckets = num_buckets // 2
        offset = num_buckets * (relative > 0)
        n = abs(relative)
    else:
        n = np.where(relative < 0, -relative, 0)
    exact = num_buckets // 2
    if max_distance <= exact:
        raise ValueError("max_distance %r, but %r distances are exact" % (max_distance, exact))
    # Count how many buckets have opened by distance n. Bucket b > exact opens at the first n with
    # (n/exact)^(B - exact) >= (D/exact)^(b - exact): no logarithm, so no rounding.
    bucket = np.minimum(n, exact)
    wide = num_buckets - exact
    opens = exact
    for step in range(1, wide):
        while opens**wide * exact**step < max_distance**step * exact**wide:
            opens += 1
        bucket = bucket + (n >= opens)
    return (bucket + offset).astype(np.int64)


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    if table.ndim != 2:
        raise ValueError("the table should be (num_buckets, heads), it is %r" % (table.shape,))
    bucket = t5_bucket(relative_positions(q_len, k_len, q_start), bidirectional, table.shape[0], max_distance)
    per_head = table.T if table.dtype == np.float32 else table.T.astype(np.float64)
    return per_head[:, bucket]


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    u, w = np.asarray(content_bias), np.asarray(position_bias)
    for bias in (u, w):
        if bias.shape != (q.shape[-1],):
            raise ValueError("a bias of shape %r for %d features" % (bias.shape, q.shape[-1]))
    a = lookup(key_table, q.shape[-2], k.shape[-2], max_distance, q.shape[-1])
    words = np.einsum("...id,...jd->...ij", q + u, k)
    distances = np.einsum("...id,ijd->...ij", q + w, a)
    return ((words + distances) / math.sqrt(q.shape[-1])).astype(result_type(q, k, key_table))


def disentangled_scores(q, k, key_table, query_table, max_distance):
    d = q.shape[-1]
    a = lookup(key_table, q.shape[-2], k.shape[-2], max_distance, d)
    c = lookup(query_table, k.shape[-2], q.shape[-2], max_distance, d)
    words = np.einsum("...id,...jd->...ij", q, k)
    total = words + np.einsum("...id,ijd->...ij", q, a) + np.einsum("...jd,jid->...ij", k, c)
    return (total / math.sqrt(3 * d)).astype(result_type(q, k, key_table, query_table))


ANSWERS = {
    "shaw_rows_for_k_16": 2 * 16 + 1,
    "t5_bucket_of_minus_1_bidirectional": 1,
    "t5_bucket_of_plus_1_bidirectional": 17,
    "t5_distances_beyond_128_differ": False,
}
