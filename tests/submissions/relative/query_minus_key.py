# relative.py -- Kurt
import numpy as np
import math


def relative_positions(q_len, k_len, q_start=0):
    out = np.zeros((q_len, k_len), dtype=int)
    for i in range(q_len):
        for j in range(k_len):
            out[i, j] = (i + q_start) - j   # distance between the query and the key
    return out


def clip_positions(relative, max_distance):
    relative[relative > max_distance] = max_distance
    relative[relative < -max_distance] = -max_distance
    return relative


def shaw_scores(q, k, key_table, max_distance):
    rel = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance)
    a = key_table[rel + max_distance]
    scores = np.einsum("...id,...jd->...ij", q, k) + np.einsum("...id,ijd->...ij", q, a)
    return scores / math.sqrt(q.shape[-1])


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    rel = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance)
    b = value_table[rel + max_distance]
    scores = shaw_scores(q, k, key_table, max_distance)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    w = np.exp(scores)
    w = w / w.sum(axis=-1, keepdims=True)
    return w @ v + np.einsum("...ij,ijd->...id", w, b)


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    bucket = 0
    if bidirectional:
        num_buckets //= 2
        bucket = np.where(relative > 0, num_buckets, 0)
        n = np.abs(relative)
    else:
        n = np.maximum(-relative, 0)
    e = num_buckets // 2
    far = e + (np.log(np.maximum(n, 1) / e) / np.log(max_distance / e) * (num_buckets - e)).astype(int)
    far = np.minimum(far, num_buckets - 1)
    return bucket + np.where(n < e, n, far)


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    rel = -relative_positions(q_len, k_len, q_start)   # t5 wants key - query
    return table[t5_bucket(rel, bidirectional, len(table), max_distance)].transpose(2, 0, 1)


ANSWERS = {
    "shaw_rows_for_k_16": 33,
    "t5_bucket_of_minus_1_bidirectional": 1,
    "t5_bucket_of_plus_1_bidirectional": 17,
    "t5_distances_beyond_128_differ": True,
}
