import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    if q_len < 0 or k_len < 0:
        raise ValueError("negative length: " + str(min(q_len, k_len)))
    if np.isnan(q_start):
        raise ValueError("q_start must not be nan")
    queries = np.arange(q_len).reshape(-1, 1) + q_start
    keys = np.arange(k_len).reshape(1, -1)
    return keys - queries


def clip_positions(relative, max_distance):
    if max_distance < 0:
        raise ValueError("negative max_distance: " + str(max_distance))
    return np.clip(relative, -max_distance, max_distance)


def shaw_scores(q, k, key_table, max_distance):
    check(q, k, key_table, max_distance)
    rows = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance
    keys = key_table[rows]
    scores = q @ np.swapaxes(k, -1, -2)
    scores = scores + (q[..., :, None, :] * keys).sum(axis=-1)
    scores = scores / np.sqrt(q.shape[-1])
    if all(a.dtype == np.float32 for a in (q, k, key_table)):
        return scores.astype(np.float32)
    return scores.astype(np.float64)


def check(q, k, table, max_distance):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("q and k do not fit: " + str(q.shape) + " " + str(k.shape))
    if table.shape != (2 * max_distance + 1, q.shape[-1]):
        raise ValueError("table does not fit: " + str(table.shape) + ", max_distance " + str(max_distance))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    if k.shape[-2] != v.shape[-2] or value_table.shape != (2 * max_distance + 1, v.shape[-1]):
        raise ValueError("do not fit: " + str((k.shape, v.shape, value_table.shape)))
    scores = shaw_scores(q, k, key_table, max_distance)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    out = softmax(scores) @ v
    if all(a.dtype == np.float32 for a in (q, k, v, key_table, value_table)):
        return out.astype(np.float32)
    return out.astype(np.float64)


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    if num_buckets < 1:
        raise ValueError("num_buckets is " + str(num_buckets))
    relative = np.asarray(relative)
    result = np.zeros(relative.shape, dtype=np.int64)
    if bidirectional:
        num_buckets = num_buckets // 2
        result = result + num_buckets * (relative > 0)
        n = np.abs(relative)
    else:
        n = np.maximum(-relative, 0)
    e = num_buckets // 2
    safe = np.maximum(n, e)
    log_part = (np.log(safe) - np.log(e)) / (np.log(max_distance) - np.log(e))
    far = e + (log_part * (num_buckets - e)).astype(np.int64)
    return result + np.where(n < e, n, far)


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    if table.ndim != 2:
        raise ValueError("table of shape " + str(table.shape))
    buckets = t5_bucket(relative_positions(q_len, k_len, q_start), bidirectional, len(table), max_distance)
    buckets = np.minimum(buckets, len(table) - 1)
    bias = np.moveaxis(table[buckets], 2, 0)
    return bias if table.dtype == np.float32 else bias.astype(np.float64)


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    check(q, k, key_table, max_distance)
    if np.shape(content_bias) != q.shape[-1:] or np.shape(position_bias) != q.shape[-1:]:
        raise ValueError("biases do not fit: " + str((np.shape(content_bias), np.shape(position_bias), q.shape)))
    rows = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance
    scores = (q + content_bias) @ np.swapaxes(k, -1, -2)
    scores = scores + ((q + position_bias)[..., :, None, :] * key_table[rows]).sum(axis=-1)
    return scores / np.sqrt(q.shape[-1])


def disentangled_scores(q, k, key_table, query_table, max_distance):
    check(q, k, key_table, max_distance)
    check(q, k, query_table, max_distance)
    rows = clip_positions(relative_positions(q.shape[-2], k.shape[-2]), max_distance) + max_distance
    scores = q @ np.swapaxes(k, -1, -2)
    scores = scores + (q[..., :, None, :] * key_table[rows]).sum(axis=-1)
    scores = scores + (k[..., None, :, :] * query_table[rows]).sum(axis=-1)
    return scores / np.sqrt(3 * q.shape[-1])


ANSWERS = {
    "shaw_rows_for_k_16": 32,
    "t5_bucket_of_minus_1_bidirectional": 1,
    "t5_bucket_of_plus_1_bidirectional": 17,
    "t5_distances_beyond_128_differ": False,
}
