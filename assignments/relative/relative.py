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
    raise NotImplementedError("relative_positions is not written yet")


def clip_positions(relative, max_distance):
    """Limit every distance to max_distance.

        clip(r) = max(−k, min(k, r)),   k = max_distance

    The sign is kept, so keys far before and far after a query remain distinct.

    Parameters: `relative`, relative positions of any shape, int64; `max_distance`, an int of at least 0.
    Returns: int64, the shape of relative.
    Example: clip_positions([−5, −2, 0, 7], 2) is [−2, −2, 0, 2].
    Source: Shaw et al. 2018 §3.2.
    """
    raise NotImplementedError("clip_positions is not written yet")


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
    raise NotImplementedError("shaw_scores is not written yet")


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
    raise NotImplementedError("shaw_attention is not written yet")


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
    raise NotImplementedError("t5_bucket is not written yet")


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
    raise NotImplementedError("t5_bias is not written yet")


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
    raise NotImplementedError("four_term_scores is not written yet")


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
    raise NotImplementedError("disentangled_scores is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # How many rows does one of Shaw's tables have for max_distance 16?
    "shaw_rows_for_k_16": None,
    # With T5's defaults, bidirectional: which bucket is a key one position before the query in?
    "t5_bucket_of_minus_1_bidirectional": None,
    # And a key one position after it?
    "t5_bucket_of_plus_1_bidirectional": None,
    # With T5's defaults, can the bias differ between two distances beyond 128 in the same direction?
    "t5_distances_beyond_128_differ": None,
    # For practice, worth no points.
    # How many numbers do Shaw's two tables contain in all, for max_distance 16 and keys and values of 64 features?
    "shaw_numbers_for_k_16_d_64": None,
    # Causal, 16 buckets, max_distance 64: what is the smallest distance in the last bucket?
    "last_bucket_starts_at": None,
    # With 7 cached tokens and one new token, which q_start does relative_positions(1, 8, q_start) need?
    "q_start_with_7_cached_tokens": None,
}
