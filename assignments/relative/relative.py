"""Relative positions: say the distance.

RoPE makes a score depend on the offset between query and key, but through cosines that were fixed
before training: the model cannot simply decide that the word before counts double. Here it can.
Shaw et al. (2018) learn one vector for each distance and add it to the key, and to the value. T5
(Raffel et al. 2020) keeps one number for each head and each bucket of distances and adds it to the
score. Both must say what happens to distances that training never showed: Shaw clips them, T5 lets
its buckets grow with the distance and the last one take the rest.

Conventions: positions count from 0; `...` is any number of leading axes; the last two axes are
(sequence, feature). The relative position of a key at j seen from a query at i is j − i: negative
behind the query, positive ahead of it. Relative positions and buckets are int64. Results are float32
where every feature array (q, k, v and the tables) is float32, else float64; sums are computed in
float64 and cast at the end. No function changes an argument in place. A bad argument raises
ValueError with the offending value, or the shape, in its message.
"""

import numpy as np


def relative_positions(q_len, k_len, q_start=0):
    """How far each key lies ahead of each query: negative behind it.

        r[i, j] = j − (i + q_start)

    Keys count from 0, queries from q_start. While generating with a cache there is one query, the
    newest token, and q_start is its place in the text: left at 0, the newest token would believe
    that it opens the text and that all its past lies ahead.

    Parameters: `q_len` and `k_len`, ints of at least 0; `q_start`, an int.
    Returns: int64, shape (q_len, k_len).
    Raises: ValueError for a negative length.
    Example: relative_positions(2, 3) is [[0, 1, 2], [−1, 0, 1]]; relative_positions(1, 3, q_start=2)
    is [[−2, −1, 0]].
    Source: Shaw et al. 2018 §3.2.
    """
    raise NotImplementedError("relative_positions is not written yet")


def clip_positions(relative, max_distance):
    """Treat every distance beyond max_distance as if it were max_distance.

        clip(r) = max(−k, min(k, r)),   k = max_distance

    The sign survives: far behind and far ahead stay different.

    Parameters: `relative`, relative positions of any shape, int64; `max_distance`, an int of at least 0.
    Returns: int64, the shape of relative.
    Raises: ValueError for a negative max_distance.
    Example: clip_positions([−5, −2, 0, 7], 2) is [−2, −2, 0, 2].
    Source: Shaw et al. 2018 §3.2.
    """
    raise NotImplementedError("clip_positions is not written yet")


def shaw_scores(q, k, key_table, max_distance):
    """Attention scores of queries against keys that carry a learned vector for their distance.

        score[i, j] = q_i · (k_j + a_ij) / √d,   a_ij = key_table[clip(j − i) + max_distance]

    Row 0 of the table belongs to distance −max_distance, the middle row to 0. Since q_i · (k_j + a_ij)
    is q_i · k_j + q_i · a_ij, a query need meet each of the few rows only once, however many keys
    share it; no array of shape (Tq, Tk, d) has to exist.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `key_table`, shape (2·max_distance + 1, d);
    `max_distance`, an int of at least 0. Queries and keys both count from 0.
    Returns: shape (..., Tq, Tk); float32 where q, k and key_table all are, else float64.
    Raises: ValueError for q and k of different d, a table of another shape, or a negative max_distance.
    Example: q = [[1, 0], [1, 0]], k = [[1, 0], [1, 0]], max_distance 1, table [[2, 0], [0, 0], [−1, 0]]:
    the scores are [[1, 0], [3, 1]] / √2 = [[0.7071, 0], [2.1213, 0.7071]].
    Source: Shaw et al. 2018 §3.1 eq. 4, §3.3 eq. 5.
    """
    raise NotImplementedError("shaw_scores is not written yet")


def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    """Attention whose keys and values both carry a learned vector for their distance.

        out_i = Σ_j α_ij (v_j + b_ij),   b_ij = value_table[clip(j − i) + max_distance]

    with α = softmax(shaw_scores) over the keys that the mask leaves.

    The second table tells the layer above how far away the thing was that it has just read.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); `v`, shape (..., Tk, dv); `key_table`,
    shape (2·max_distance + 1, d); `value_table`, shape (2·max_distance + 1, dv); `mask`, boolean, broadcast
    to (..., Tq, Tk), True = may attend.
    Returns: shape (..., Tq, dv); float32 where q, k, v and both tables are, else float64.
    Raises: ValueError as shaw_scores does; for k and v of different length, a value table of another
    shape, or a mask that does not fit.
    Example: with one token α is 1, so the result is v + the middle row of value_table.
    Source: Shaw et al. 2018 §3.1 eq. 3 and 4.
    """
    raise NotImplementedError("shaw_attention is not written yet")


def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    """The T5 bucket of each relative position: one a distance nearby, ever wider ones further off.

        n < e:   bucket = n
        n ≥ e:   bucket = min(B − 1,  e + ⌊ log(n / e) / log(D / e) · (B − e) ⌋)

    with e = ⌊B / 2⌋ and D = max_distance. Bidirectional: each direction has B = ⌊num_buckets / 2⌋ buckets,
    n = |relative|, and keys ahead (relative > 0) add B. Causal: B = num_buckets, n = max(−relative, 0), so
    that keys ahead, which a causal mask hides anyway, count as distance 0.

    A distance exactly on a boundary opens the upper bucket. Take the logarithm of the quotient, as T5
    does: log n − log e is the same on paper, but in floating point it falls short at some boundaries.

    Parameters: `relative`, whole numbers of any shape, key minus query; `num_buckets`, at least 4 when
    bidirectional and at least 2 when causal, so that e is at least 1; `max_distance`, above e.
    Returns: int64, the shape of relative, from 0 to num_buckets − 1.
    Raises: ValueError for too few buckets, or a max_distance not above e.
    Example: t5_bucket([0, −3, 3, −12, −200]) is [0, 3, 19, 9, 15]; causal, t5_bucket([−20, 5], False)
    is [17, 0].
    Source: Raffel et al. 2020 §2.1; `_relative_position_bucket` in Mesh TensorFlow and in Hugging Face
    transformers.
    """
    raise NotImplementedError("t5_bucket is not written yet")


def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """What T5 adds to the scores of each head: the table's number for the bucket of each pair.

        bias[h, i, j] = table[t5_bucket(j − (i + q_start)), h]

    The table has one row a bucket, so its length says how many buckets there are, and one column a
    head. The bias depends on positions alone: it is computed once and serves every layer and every input.

    Parameters: `table`, shape (num_buckets, h); the lengths and `q_start` as in relative_positions;
    `bidirectional` and `max_distance` as in t5_bucket.
    Returns: shape (h, q_len, k_len); float32 where table is float32, else float64.
    Raises: ValueError for a table that is not two-dimensional, and as relative_positions and t5_bucket do.
    Example: with the table [[0], [1], [2], [3]], t5_bias(table, 1, 5, False, 8, q_start=4) is
    [[[3, 2, 2, 1, 0]]].
    Source: Raffel et al. 2020 §2.1.
    """
    raise NotImplementedError("t5_bias is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # How many rows has one of Shaw's tables for max_distance 16?
    "shaw_rows_for_k_16": None,
    # Which bucket, with T5's defaults and bidirectional, has a key one place behind the query?
    "t5_bucket_of_minus_1_bidirectional": None,
    # And a key one place ahead?
    "t5_bucket_of_plus_1_bidirectional": None,
    # With T5's defaults, does the bias differ between distances beyond 128?
    "t5_distances_beyond_128_differ": None,
}
