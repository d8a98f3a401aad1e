import numpy as np
from numpy import newaxis


# --- little helpers ---------------------------------------------------------------------------------------------


def require(condition, complaint):
    if not condition:
        raise ValueError(complaint)


def single(*xs):
    return all(x.dtype == np.float32 for x in xs)


def one_hot_rows(q_len, k_len, k):
    """onehot[i, j, r] is 1 where pair (i, j) uses row r of a Shaw table."""
    rows = clip_positions(relative_positions(q_len, k_len), k) + k
    return (rows[..., newaxis] == np.arange(2 * k + 1)).astype(float)


def check_table(table, k, features, name):
    require(k >= 0, f"max_distance must not be negative (got {k})")
    require(table.ndim == 2 and table.shape[0] == 2 * k + 1, f"{name}: {table.shape} does not have {2 * k + 1} rows")
    require(table.shape[1] == features, f"{name}: {table.shape} does not have {features} columns")


# --- the assignment ---------------------------------------------------------------------------------------------


def relative_positions(q_len, k_len, q_start=0):
    require(q_len >= 0, f"q_len must not be negative (got {q_len})")
    require(k_len >= 0, f"k_len must not be negative (got {k_len})")
    require(not np.isnan(q_start), f"q_start must be a number (got {q_start})")
    return np.subtract.outer(np.arange(q_start, q_start + q_len), np.arange(k_len)).astype(np.int64) * -1


def clip_positions(relative, max_distance):
    require(max_distance >= 0, f"max_distance must not be negative (got {max_distance})")
    relative = np.asarray(relative)
    return np.where(abs(relative) <= max_distance, relative, max_distance * np.sign(relative))


def shaw_scores(q, k, key_table, max_distance):
    require(q.shape[-1] == k.shape[-1], f"q {q.shape} and k {k.shape} have different sizes")
    check_table(key_table, max_distance, q.shape[-1], "key_table")
    per_row = q @ key_table.T  # (..., i, r)
    picked = one_hot_rows(q.shape[-2], k.shape[-2], max_distance) @ per_row[..., newaxis]  # (..., i, j, 1)
    scores = (q @ k.swapaxes(-1, -2) + picked[..., 0]) / q.shape[-1] ** 0.5
    return np.float32(scores) if single(q, k, key_table) else np.float64(scores)


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    require(k.shape[-2] == v.shape[-2], f"as many values as keys, please: k {k.shape}, v {v.shape}")
    check_table(value_table, max_distance, v.shape[-1], "value_table")
    s = shaw_scores(q, k, key_table, max_distance).astype(np.float64)
    may = np.array(True if mask is None else mask)
    require(np.broadcast(may, s).shape[-2:] == s.shape[-2:], f"mask {may.shape} for scores {s.shape}")
    s = s + np.where(may, 0.0, -1e30)
    w = np.exp(s - s.max(-1, keepdims=True)) * may
    w = w / np.maximum(w.sum(-1), np.finfo(float).tiny)[..., newaxis]
    per_row = (w[..., newaxis, :] @ one_hot_rows(q.shape[-2], k.shape[-2], max_distance))[..., 0, :]
    out = w @ v + per_row @ value_table
    return np.float32(out) if single(q, k, v, key_table, value_table) else out


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    """The Hugging Face recipe, float32 logarithms and all."""
    require(num_buckets > 3 or num_buckets > 1 and not bidirectional, f"too few: num_buckets = {num_buckets}")
    n = -np.asarray(relative, dtype=np.int64)
    ret = np.zeros_like(n)
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    max_exact = num_buckets // 2
    require(max_distance > max_exact, f"max_distance {max_distance} is not above {max_exact}")
    with np.errstate(divide="ignore"):
        log = np.log(n.astype(np.float32) / np.float32(max_exact)) / np.float32(np.log(max_distance / max_exact))
    log = np.where(n < max_exact, 0, log)
    large = max_exact + (log * np.float32(num_buckets - max_exact)).astype(np.int64)
    return ret + np.where(n < max_exact, n, np.minimum(large, num_buckets - 1))


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    require(table.ndim == 2, f"table must have two axes, this one has shape {table.shape}")
    where = t5_bucket(relative_positions(q_len, k_len, q_start), bidirectional, len(table), max_distance)
    bias = np.stack([column[where] for column in table.T])
    return bias if single(table) else bias.astype(float)


def of_rows(q, table, k_len, max_distance):
    """q_i · table row of (i, j), for every pair."""
    check_table(table, max_distance, q.shape[-1], "table")
    onehot = one_hot_rows(q.shape[-2], k_len, max_distance)
    return (onehot @ (q @ table.T)[..., newaxis])[..., 0]


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    for bias in (content_bias, position_bias):
        require(np.shape(bias) == q.shape[-1:], f"bias {np.shape(bias)} for q {q.shape}")
    scores = (q + content_bias) @ k.swapaxes(-1, -2)
    scores = scores + of_rows(q + position_bias, key_table, k.shape[-2], max_distance)
    scores = scores / q.shape[-1] ** 0.5
    return np.float32(scores) if single(q, k, key_table) else np.float64(scores)


def disentangled_scores(q, k, key_table, query_table, max_distance):
    ask = of_rows(q, key_table, k.shape[-2], max_distance)
    tell = of_rows(k, query_table, q.shape[-2], max_distance).swapaxes(-1, -2)
    scores = (q @ k.swapaxes(-1, -2) + ask + tell) / (3 * q.shape[-1]) ** 0.5
    return np.float32(scores) if single(q, k, key_table, query_table) else np.float64(scores)


ANSWERS = {
    "shaw_rows_for_k_16": 33,
    "t5_bucket_of_minus_1_bidirectional": int(t5_bucket(-1)),
    "t5_bucket_of_plus_1_bidirectional": int(t5_bucket(+1)),
    "t5_distances_beyond_128_differ": False,
}
