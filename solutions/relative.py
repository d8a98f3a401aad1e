"""Relative positions: use the distance itself.

With RoPE, a score depends on the offset between query and key, but only through cosines that are fixed before training.
With RoPE, a model cannot simply learn to give the previous word twice the weight; with the methods in this file, it
can. Shaw et al. (2018) learn two vectors per distance: one is added to the key, the other to the value. T5 (Raffel et
al. 2020) learns one number per head and bucket of distances, and adds it to the score. Both methods need a rule for
long distances. Shaw et al. clip long distances. T5's buckets become wider as the distance grows, and the last bucket
covers all the remaining distances.

Conventions: positions start at 0; `...` stands for any number of leading axes; the last two axes are (sequence,
feature). The relative position of a key at j for a query at i is j − i: negative if the key comes before the query,
positive if it comes after. Relative positions and buckets are int64. The result is float32 if all feature arrays (q, k,
v and the tables) are float32, otherwise float64. Sums are computed in float64 and converted at the end.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


# BEGIN SOLUTION
# The rules that all functions share are in one place, so that each function below shows only its own idea. For shapes
# that cannot be multiplied or broadcast, numpy itself raises a ValueError.


def _check_not_negative(value, name):
    if value < 0:
        raise ValueError(f"{name} must not be negative; got {value}")


def _check_table(table, name, max_distance, n_features):
    """Check that a table has one row for each clipped distance −k … k, and at least one feature."""
    if table.shape != (2 * max_distance + 1, n_features) or not table.size:
        raise ValueError(
            f"{name} of shape {table.shape} does not fit max_distance {max_distance} and {n_features} features"
        )


def _check_mask(mask, scores):
    """Check that a mask has no more queries or keys than the scores; it can add leading axes."""
    if np.broadcast_shapes(np.shape(mask), scores.shape)[-2:] != scores.shape[-2:]:
        raise ValueError(f"mask of shape {np.shape(mask)} does not fit scores of shape {scores.shape}")


def _pairs(q_len, k_len, max_distance):
    """Return an index into (..., Tq, table rows): each pair's query, and the row for its distance."""
    rows = clip_positions(relative_positions(q_len, k_len), max_distance) + max_distance
    return ..., np.arange(q_len)[:, np.newaxis], rows


def _softmax(scores):
    """Return the softmax along the last axis, as in lesson 1. A row of only −inf (no key is allowed) gets zeros."""
    # −inf − (−inf) is NaN, so such a row is shifted by the lowest finite number instead.
    peak = scores.max(axis=-1, keepdims=True, initial=np.finfo(scores.dtype).min)
    weights = np.exp(scores - peak)
    # The largest term of any other row is exp(0) = 1, so only a row of zeros has a sum below 1, and it stays
    # zeros.
    return weights / weights.sum(axis=-1, keepdims=True).clip(min=1)


# END SOLUTION


def relative_positions(q_len, k_len, q_start=0):
    """Return how many positions each key comes after each query; the number is negative for a key before the query.

        r[i, j] = j − (i + q_start)

    Key positions count from 0, and query positions from q_start. When a model generates
    text with a cache, there is one query, the newest token, and q_start is its position in the text. With
    q_start = 0, all earlier keys would seem to come after the query.

    Parameters: `q_len` and `k_len`, ints of at least 0; `q_start`, an int.
    Returns: int64, shape (q_len, k_len).
    Example: relative_positions(2, 3) is [[0, 1, 2], [−1, 0, 1]]; relative_positions(1, 3, q_start=2)
    is [[−2, −1, 0]].
    Source: Shaw et al. 2018 §3.2.
    """
    # BEGIN SOLUTION
    _check_not_negative(q_len, "q_len")
    _check_not_negative(k_len, "k_len")
    queries, keys = int(q_start) + np.arange(q_len), np.arange(k_len)  # int() refuses a NaN
    return keys - queries[:, np.newaxis]
    # END SOLUTION


def clip_positions(relative, max_distance):
    """Limit every distance to max_distance.

        clip(r) = max(−k, min(k, r)),   k = max_distance

    The sign is kept, so keys far before and far after a query remain distinct.

    Parameters: `relative`, relative positions of any shape, int64; `max_distance`, an int of at least 0.
    Returns: int64, the shape of relative.
    Example: clip_positions([−5, −2, 0, 7], 2) is [−2, −2, 0, 2].
    Source: Shaw et al. 2018 §3.2.
    """
    # BEGIN SOLUTION
    _check_not_negative(max_distance, "max_distance")
    return np.clip(relative, -max_distance, max_distance)
    # END SOLUTION


def shaw_scores(q, k, key_table, max_distance):
    """Attention scores in which a learned vector for the distance is added to each key.

        score[i, j] = q_i · (k_j + a_ij) / √d,   a_ij = key_table[clip(j − i) + max_distance]

    Row 0 of the table belongs to the relative position −max_distance, the middle row to 0. q_i · (k_j + a_ij) equals
    q_i · k_j + q_i · a_ij. It is therefore enough to multiply each query by each row of the table once. An array of
    shape (Tq, Tk, d) is not needed.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `key_table`, shape (2·max_distance + 1, d);
    `max_distance`, an int of at least 0. Queries and keys both count from 0.
    Returns: shape (..., Tq, Tk).
    Raises: ValueError if key_table has any other shape.
    Example: q = [[1, 0], [1, 0]], k = [[1, 0], [1, 0]], max_distance 1, table [[2, 0], [0, 0], [−1, 0]]:
    the scores are [[1, 0], [3, 1]] / √2 = [[0.7071, 0], [2.1213, 0.7071]].
    Source: Shaw et al. 2018 §3.1 eq. 4, §3.3 eq. 5.
    """
    # BEGIN SOLUTION
    q, k, key_table, dtype = _features(q, k, key_table)
    _check_table(key_table, "key_table", max_distance, q.shape[-1])
    content = q @ np.swapaxes(k, -1, -2)
    score_of_row = q @ key_table.T
    distance = score_of_row[_pairs(q.shape[-2], k.shape[-2], max_distance)]
    scores = (content + distance) / np.sqrt(q.shape[-1])
    return scores.astype(dtype)
    # END SOLUTION


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    """Attention in which a learned vector for the distance is added to each key and to each value.

        out_i = Σ_j α_ij (v_j + b_ij),   b_ij = value_table[clip(j − i) + max_distance]

    α = softmax(shaw_scores) over the keys that the mask allows. A query with no allowed key gets zeros.

    The values thus carry the distances of their tokens into the output, so the next layer can use these
    distances.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `v`, shape (..., Tk, dv); `key_table`, shape
    (2·max_distance + 1, d); `value_table`, shape (2·max_distance + 1, dv); `mask`, boolean, True = may attend. The
    mask's shape broadcasts with (..., Tq, Tk); a mask can add leading axes, but must not enlarge Tq or Tk.
    Returns: shape (..., Tq, dv).
    Raises: ValueError if the mask cannot be broadcast, or would enlarge Tq or Tk.
    Example: with one token, α is 1, so the result is v plus the middle row of value_table.
    Source: Shaw et al. 2018 §3.1 eq. 3 and 4.
    """
    # BEGIN SOLUTION
    q, k, v, key_table, value_table, dtype = _features(q, k, v, key_table, value_table)
    _check_table(value_table, "value_table", max_distance, v.shape[-1])
    scores = shaw_scores(q, k, key_table, max_distance)
    if mask is not None:
        _check_mask(mask, scores)
        scores = np.where(mask, scores, -np.inf)

    weights = _softmax(scores)
    weight_of_row = np.zeros((*weights.shape[:-1], len(value_table)))
    np.add.at(weight_of_row, _pairs(q.shape[-2], k.shape[-2], max_distance), weights)
    out = weights @ v + weight_of_row @ value_table
    return out.astype(dtype)
    # END SOLUTION


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    """Return the T5 bucket of each relative position: one bucket per short distance, and wider ones for long distances.

        n < e:   bucket = n
        n ≥ e:   bucket = min(B − 1,  e + ⌊ log(n / e) / log(D / e) · (B − e) ⌋)

    with e = ⌊B / 2⌋ and D = max_distance. Bidirectional: each direction has B = ⌊num_buckets / 2⌋ buckets,
    n = |relative|, and B is added to the bucket of keys after the query (relative > 0). Causal:
    B = num_buckets, n = max(−relative, 0), so keys after the query, which a causal mask hides anyway, count
    as distance 0.

    No test rounds down a number that is, up to rounding errors, already whole.

    Parameters: `relative`, whole numbers of any shape, key minus query; `num_buckets`, at least 4 if
    bidirectional and at least 2 if causal, so that e is at least 1; `max_distance`, above e.
    Returns: int64, the shape of relative, from 0 to num_buckets − 1.
    Example: t5_bucket([0, −3, 3, −12, −200]) is [0, 3, 19, 9, 15]; causal, t5_bucket([−20, 5], False)
    is [17, 0].
    Source: Raffel et al. 2020 §2.1; `_relative_position_bucket` in Mesh TensorFlow and in Hugging Face
    transformers.
    """
    # BEGIN SOLUTION
    relative = np.asarray(relative).astype(np.int64)
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    max_exact = per_direction // 2
    if not 1 <= max_exact < max_distance:
        raise ValueError(
            f"num_buckets {num_buckets} does not fit max_distance {max_distance}: {max_exact} exact buckets"
        )

    if bidirectional:
        first = np.where(relative > 0, per_direction, 0)
        distance = np.abs(relative)
    else:
        first = 0
        distance = (-relative).clip(min=0)
    # Up to max_exact, the bucket is the distance; beyond it, steps are added. Shorter distances are clipped: log 1 adds
    # no steps.
    fraction = np.log(distance.clip(min=max_exact) / max_exact) / np.log(max_distance / max_exact)
    steps = (fraction * (per_direction - max_exact)).astype(np.int64)
    bucket = distance.clip(max=max_exact) + steps
    return first + bucket.clip(max=per_direction - 1)
    # END SOLUTION


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """Return the bias that T5 adds to the scores of each head: the table entry for each pair's bucket.

        bias[h, i, j] = table[t5_bucket(j − (i + q_start)), h]

    The table has one row per bucket and one column per head, so the number of rows is the number of buckets.
    The bias depends only on positions, so it is computed once and used in every layer and for every input.

    Parameters: `table`, shape (num_buckets, h); the lengths and `q_start` as in relative_positions;
    `bidirectional` and `max_distance` as in t5_bucket.
    Returns: shape (h, q_len, k_len).
    Example: with the table [[0], [1], [2], [3]], t5_bias(table, 1, 5, False, 7, q_start=4) is
    [[[3, 2, 2, 1, 0]]].
    Source: Raffel et al. 2020 §2.1.
    """
    # BEGIN SOLUTION
    table, dtype = _features(table)
    if table.ndim != 2:
        raise ValueError(f"table must have shape (num_buckets, heads); got shape {table.shape}")
    relative = relative_positions(q_len, k_len, q_start)
    buckets = t5_bucket(relative, bidirectional, len(table), max_distance)
    return np.moveaxis(table[buckets], -1, 0).astype(dtype)
    # END SOLUTION


def four_term_scores(q, k, key_table, content_bias, position_bias, max_distance):
    """Transformer-XL's scores: the sum of all four products of the query's content or position with the key's.

        score[i, j] = ((q_i + u) · k_j + (q_i + w) · a_ij) / √d,   a_ij = key_table[clip(j − i) + max_distance]

    u = content_bias and w = position_bias. In lesson 3, the score of two rows x + p had four terms.
    Transformer-XL's score has the same four terms, but uses the key's position relative to the query. The
    query's position is replaced by u and w, which are the same for every query. Transformer-XL makes a_ij
    from sinusoids; in this function, a_ij is a row of a table, as in shaw_scores.

    Parameters: `q`, `k`, `key_table` and `max_distance` as in shaw_scores; `content_bias` and `position_bias`, shape
    (d,), which do not affect the dtype.
    Returns: shape (..., Tq, Tk).
    Raises: ValueError if a bias does not have one number per feature.
    Example: q = [[1], [1]], k = [[2], [3]], table [[5], [0], [7]], u = [1], w = [10], max_distance 1:
    [[4, 83], [59, 6]].
    Source: Dai et al. 2019 §3.3.
    """
    # BEGIN SOLUTION
    q, k, key_table, dtype = _features(q, k, key_table)
    content_bias, position_bias, _ = _features(content_bias, position_bias)
    _check_table(key_table, "key_table", max_distance, q.shape[-1])
    for bias in (content_bias, position_bias):
        if bias.shape != q.shape[-1:]:
            raise ValueError(f"a bias needs one number per feature; got shape {bias.shape} for q of shape {q.shape}")
    content = (q + content_bias) @ np.swapaxes(k, -1, -2)
    position = ((q + position_bias) @ key_table.T)[_pairs(q.shape[-2], k.shape[-2], max_distance)]
    return ((content + position) / np.sqrt(q.shape[-1])).astype(dtype)
    # END SOLUTION


def disentangled_scores(q, k, key_table, query_table, max_distance):
    """DeBERTa's scores: the query and the key are each also multiplied by a learned vector for their distance.

        score[i, j] = (q_i · k_j + q_i · a_ij + k_j · c_ji) / √(3d)

    a_ij = key_table[clip(j − i) + max_distance] and c_ji = query_table[clip(i − j) + max_distance]: seen from
    the key, the query is at i − j, in the opposite direction. A sum of three independent terms has three
    times the variance of one term, so √(3d) replaces √d. (DeBERTa looks up its first learned table by i − j
    and the second by j − i, so its tables are mirror images of key_table and query_table.)

    Parameters: `q`, `k`, `key_table` and `max_distance` as in shaw_scores; `query_table`, the shape of key_table.
    Returns: shape (..., Tq, Tk).
    Example: q = [[1], [1]], k = [[2], [3]], tables [[5], [0], [7]] and [[1], [0], [10]], max_distance 1:
    [[2, 13], [27, 3]] / √3.
    Source: He et al. 2021 §3.1.
    """
    # BEGIN SOLUTION
    q, k, key_table, query_table, dtype = _features(q, k, key_table, query_table)
    for name, table in (("key_table", key_table), ("query_table", query_table)):
        _check_table(table, name, max_distance, q.shape[-1])
    q_len, k_len = q.shape[-2], k.shape[-2]
    content = q @ np.swapaxes(k, -1, -2)
    of_the_query = (q @ key_table.T)[_pairs(q_len, k_len, max_distance)]
    of_the_key = (k @ query_table.T)[_pairs(k_len, q_len, max_distance)]
    scores = (content + of_the_query + np.swapaxes(of_the_key, -1, -2)) / np.sqrt(3 * q.shape[-1])
    return scores.astype(dtype)
    # END SOLUTION


# Answer with a number, True or False.
ANSWERS = {
    # How many rows does one of Shaw's tables have for max_distance 16?
    "shaw_rows_for_k_16": 33,  # 16 behind, 16 ahead, and the token itself
    # With T5's defaults, bidirectional: which bucket is a key one position before the query in?
    "t5_bucket_of_minus_1_bidirectional": 1,  # keys behind come first, and the bucket of a near key is its distance
    # And a key one position after it?
    "t5_bucket_of_plus_1_bidirectional": 17,  # 16 + 1; row 16 itself, "0 ahead", is never looked up
    # With T5's defaults, can the bias differ between two distances beyond 128 in the same direction?
    "t5_distances_beyond_128_differ": False,  # all distances from 91 on (113 if causal) share one bucket
    # For practice, worth no points.
    # How many numbers do Shaw's two tables contain in all, for max_distance 16 and keys and values of 64 features?
    "shaw_numbers_for_k_16_d_64": 4224,  # 2 · 33 · 64
    # Causal, 16 buckets, max_distance 64: what is the smallest distance in the last bucket?
    "last_bucket_starts_at": 50,  # 8 · 8^(7/8) = 49.4
    # With 7 cached tokens and one new token, which q_start does relative_positions(1, 8, q_start) need?
    "q_start_with_7_cached_tokens": 7,  # the cached tokens are at 0 … 6
}
