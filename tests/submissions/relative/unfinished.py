"""Relative positions. I got as far as Shaw's scores, and I will write T5's functions next weekend."""

import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    if q_len < 0 or k_len < 0:
        raise ValueError(f"lengths must not be negative: {q_len}, {k_len}")
    if np.isnan(q_start):
        raise ValueError(f"q_start is {q_start}")
    return np.arange(k_len)[None, :] - (np.arange(q_len)[:, None] + q_start)


def clip_positions(relative, max_distance):
    if max_distance < 0:
        raise ValueError(f"max_distance must not be negative: {max_distance}")
    return np.clip(relative, -max_distance, max_distance)


def shaw_scores(q, k, key_table, max_distance):
    d = q.shape[-1]
    if k.shape[-1] != d or key_table.shape != (2 * max_distance + 1, d):
        raise ValueError(f"shapes do not fit: q {q.shape}, k {k.shape}, table {key_table.shape}, max_distance {max_distance}")
    rows = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance
    content = q @ np.swapaxes(k, -1, -2)
    rest = np.take_along_axis(q @ key_table.T, np.broadcast_to(rows, content.shape), axis=-1)
    scores = (content + rest) / np.sqrt(d)
    if q.dtype == k.dtype == key_table.dtype == np.float32:
        return scores.astype(np.float32)
    return scores.astype(np.float64)


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    raise NotImplementedError


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    raise NotImplementedError


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    raise NotImplementedError


ANSWERS = {
    "shaw_rows_for_k_16": 33,
    "t5_bucket_of_minus_1_bidirectional": None,
    "t5_bucket_of_plus_1_bidirectional": None,
    "t5_distances_beyond_128_differ": None,
}
