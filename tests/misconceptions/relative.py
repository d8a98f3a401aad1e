"""Known mistakes with relative positions: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import relative


@mistake("relative_positions", "dmlc/gluon-nlp #1470")
def query_minus_key(q_len, k_len, q_start=0):
    """You computed query minus key. The rule: compute key minus query, so that past keys have negative distances."""
    return -relative.relative_positions(q_len, k_len, q_start)


@mistake("relative_positions", "huggingface/candle #899; huggingface/transformers #20203")
def every_query_counts_from_zero(q_len, k_len, q_start=0):
    """Your distances do not depend on q_start: you started the queries at 0, or the keys at q_start as well. The rule:
    queries count from q_start, and keys from 0."""
    return relative.relative_positions(q_len, k_len)


@mistake("relative_positions", "expected: the sign of q_start lost in the difference")
def the_start_moves_the_keys(q_len, k_len, q_start=0):
    """You added q_start to the positions of the keys, or subtracted it from those of the queries. The rule: q_start is
    the position of the first query, and keys count from 0."""
    return relative.relative_positions(q_len, k_len, -q_start)


@mistake("relative_positions", "expected: the new axis added to the wrong range")
def keys_down_queries_across(q_len, k_len, q_start=0):
    """You swapped rows and columns. The rule: there is one row per query and one column per key."""
    return relative.relative_positions(q_len, k_len, q_start).T


@mistake("clip_positions", "expected: Music Transformer, which only looks back")
def nothing_ahead(positions, max_distance):
    """You clipped to −k … 0, as for a causal model, so every key ahead counts as the token itself. The rule: clip to −k
    … k, for both directions."""
    return np.minimum(relative.clip_positions(positions, max_distance), 0)


@mistake("clip_positions", "expected: distances mistaken for numbers of steps")
def nothing_behind(positions, max_distance):
    """You clipped to 0 … k, so every key behind counts as the token itself. The rule: clip to −k … k, for both
    directions."""
    return np.maximum(relative.clip_positions(positions, max_distance), 0)


@mistake("clip_positions", "expected: the clipping left out")
def nothing_is_clipped(positions, max_distance):
    """You returned the distances without clipping them. The rule: a distance beyond the limit counts as the limit."""
    return np.array(positions)


@mistake("clip_positions", "expected: the distance clipped in place of the relative position")
def the_sign_is_lost(positions, max_distance):
    """You dropped the sign, so keys far behind and keys far ahead get the same distance. The rule: clip to the range
    from −k to k, and keep the sign."""
    return np.abs(relative.clip_positions(positions, max_distance))


@mistake("clip_positions", "expected: a minimum without its maximum")
def only_the_future_is_clipped(positions, max_distance):
    """You clipped keys ahead but not keys behind. The rule: clip in both directions."""
    return np.minimum(positions, max_distance)


@mistake("clip_positions", "expected: clipping mistaken for masking")
def far_tokens_count_as_here(positions, max_distance):
    """You replaced distances beyond the limit with 0, which means the token itself. The rule: replace
    distances beyond the limit with the limit."""
    clipped = relative.clip_positions(positions, max_distance)
    return np.where(np.abs(positions) > max_distance, 0, clipped)


@mistake("shaw_scores", "expected: 'Shaw adds a learned bias for each distance', as many articles say")
def a_bias_in_place_of_a_vector(q, k, key_table, max_distance):
    """You used the table's rows without the query, as T5 does with its one number per distance. The rule: Shaw adds a
    vector to the key, so the query is multiplied by this vector too."""
    plain = relative.shaw_scores(q, k, np.zeros_like(key_table), max_distance)
    bias = np.asarray(key_table).sum(axis=-1)[table_rows(q, k, max_distance)]
    return plain + bias / np.sqrt(np.shape(q)[-1])


@mistake("shaw_scores", "expected: the second term added after the scaling")
def distance_left_unscaled(q, k, key_table, max_distance):
    """You did not divide the part from the distance vectors by √d. The rule: the vector for the distance is added
    to the key, so its product with the query is divided as well."""
    right = relative.shaw_scores(q, k, key_table, max_distance)
    plain = relative.shaw_scores(q, k, np.zeros_like(key_table), max_distance)
    return plain + (right - plain) * np.sqrt(np.shape(q)[-1])


@mistake("shaw_scores", "expected: the scale of Vaswani et al. 2017 §3.2.1 left out")
def scores_without_their_scale(q, k, key_table, max_distance):
    """Your scores are too large by a factor of √d. The rule: divide by the square root of the number of features."""
    return relative.shaw_scores(q, k, key_table, max_distance) * np.sqrt(np.shape(q)[-1])


@mistake("shaw_scores", "expected: no + k, which turns a clipped distance into a row number")
def rows_counted_from_the_token_itself(q, k, key_table, max_distance):
    """You used row 0 of the table for distance 0, so negative distances read rows from the end of the table. The rule:
    the middle row belongs to distance 0."""
    return relative.shaw_scores(q, k, np.roll(key_table, max_distance, axis=0), max_distance)


@mistake("shaw_attention", "expected: the shape is right without it")
def value_table_forgotten(q, k, v, key_table, value_table, max_distance, mask=None):
    """You did not use the value table. The rule: each value gets the vector for its distance, as each key does."""
    return relative.shaw_attention(q, k, v, key_table, np.zeros_like(value_table), max_distance, mask)


@mistake("shaw_attention", "expected: weights multiplied by the mask")
def masked_after_the_softmax(q, k, v, key_table, value_table, max_distance, mask=None):
    """You removed masked keys after the softmax, so the weights do not sum to 1. The rule: mask the scores before the
    softmax."""
    right = relative.shaw_attention(q, k, v, key_table, value_table, max_distance, mask)
    if mask is None:
        return right
    scores = relative.shaw_scores(q, k, key_table, max_distance)
    kept = np.exp(np.where(mask, scores, -np.inf)).sum(axis=-1, keepdims=True)
    return right * kept / np.exp(scores).sum(axis=-1, keepdims=True)


@mistake("shaw_attention", "expected: PyTorch's two conventions for boolean masks")
def true_means_hidden(q, k, v, key_table, value_table, max_distance, mask=None):
    """You reversed the mask's meaning. The rule: True means that the query may attend to the key."""
    hidden = None if mask is None else ~np.asarray(mask)
    return relative.shaw_attention(q, k, v, key_table, value_table, max_distance, hidden)


@mistake("t5_bucket", "huggingface/candle #1312")
def the_last_bucket_does_not_take_the_rest(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You gave far distances buckets that do not exist or belong to the other direction. The rule: the last bucket
    takes all the remaining distances."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    steps = log_steps(distance, per_direction, max_distance)
    return np.where(distance < exact, right, first + exact + steps)


@mistake("t5_bucket", "expected: the limit for all buckets instead of that for one direction")
def last_bucket_of_both_directions(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """In your result, far distances share the very last bucket, num_buckets − 1. The rule: if `bidirectional` is True,
    each direction has half of the buckets, and its own last bucket takes the rest."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    far = np.minimum(exact + log_steps(distance, per_direction, max_distance), num_buckets - 1)
    return np.where(distance < exact, right, first + far)


@mistake("t5_bucket", "dmlc/gluon-nlp #1470 (query minus key)")
def the_past_in_the_second_half(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You swapped the halves for past and future. The rule: keys ahead, j > i, use the second half."""
    if not bidirectional:
        return relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    return relative.t5_bucket(-np.asarray(relative_position), bidirectional, num_buckets, max_distance)


@mistake("t5_bucket", "expected: |j − i| taken in both cases")
def keys_ahead_count_in_the_causal_case(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """In the causal case, you gave keys ahead a bucket for their distance. The rule: keys ahead of the query
    count as being at distance 0."""
    if not bidirectional:
        relative_position = -np.abs(relative_position)
    return relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)


@mistake("t5_bucket", "expected: the logarithmic half of the formula left out")
def all_buckets_are_exact(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You made all buckets one position wide. The rule: only half of a direction's buckets are exact, and the others
    widen logarithmically."""
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    return first + np.minimum(distance, per_direction - 1)


@mistake("t5_bucket", "lucidrains/x-transformers #10 (buckets wrong at and beyond the exact range)")
def logarithm_of_the_whole_distance(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You took the logarithm of n and of max_distance. The rule: divide both numbers by e, the number of
    exact buckets, so that the logarithmic part starts where the exact part ends."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    steps = (np.log(np.maximum(distance, 1)) / np.log(max_distance) * (per_direction - exact)).astype(np.int64)
    return np.where(distance < exact, right, first + np.minimum(exact + steps, per_direction - 1))


@mistake("t5_bucket", "expected: round() where T5 truncates to an integer")
def steps_rounded_to_the_nearest(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You rounded the logarithmic steps to the nearest number, so buckets start too early. The rule: round down."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    above = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    steps = np.round(above * (per_direction - exact)).astype(np.int64)
    return np.where(distance < exact, right, first + np.minimum(exact + steps, per_direction - 1))


@mistake("t5_bias", "huggingface/transformers #8518 (bidirectional buckets used inside the decoder)")
def always_bidirectional(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """You used the bidirectional buckets even when `bidirectional` is False. The rule: in the causal case, all
    buckets are for keys behind the query."""
    return relative.t5_bias(table, q_len, k_len, True, max_distance, q_start)


@mistake("t5_bias", "huggingface/transformers #20203 (positions forgotten with a cache)")
def bias_without_its_start(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """Your distances do not depend on q_start: you started the queries at 0, or the keys at q_start as well. The rule:
    queries count from q_start, and keys from 0."""
    return relative.t5_bias(table, q_len, k_len, bidirectional, max_distance)


@mistake("shaw_attention", "expected: an argument that the formula does not show")
def the_mask_is_ignored(q, k, v, key_table, value_table, max_distance, mask=None):
    """You did not use the mask. The rule: a query may attend only to keys for which the mask is True."""
    return relative.shaw_attention(q, k, v, key_table, value_table, max_distance)


def biased(table, buckets):
    return np.moveaxis(table.astype(np.float32 if table.dtype == np.float32 else np.float64)[buckets], -1, 0)


@mistake("t5_bias", "expected: the default of t5_bucket, clipped to the rows of the table")
def always_32_buckets_clipped(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """You used 32 buckets for every table. The rule: the table has one row per bucket."""
    distances = relative.relative_positions(q_len, k_len, q_start)
    buckets = relative.t5_bucket(distances, bidirectional, max_distance=max_distance)
    return biased(np.asarray(table), np.minimum(buckets, len(table) - 1))


@mistake("t5_bias", "expected: the lookup's result left as it is; Hugging Face permutes it")
def heads_left_behind(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """In your result, the heads are on the last axis. The rule: the axes are (heads, queries, keys), to match the
    scores."""
    return np.moveaxis(relative.t5_bias(table, q_len, k_len, bidirectional, max_distance, q_start), 0, -1)


@mistake("t5_bias", "lucidrains/x-transformers #11 (the bucket function called without the module's own max_distance)")
def max_distance_not_handed_on(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """Your max_distance has no effect. The rule: pass max_distance on to t5_bucket too."""
    exact = len(table) // (4 if bidirectional else 2)
    return relative.t5_bias(table, q_len, k_len, bidirectional, max(128, exact + 1), q_start)


@mistake("relative_positions", "expected: ALiBi's way with a cache, huggingface/transformers #20203")
def lined_up_at_the_end(q_len, k_len, q_start=0):
    """When q_start is not passed, you give the last query the position of the last key. The rule: queries start
    at q_start, which is 0 by default."""
    return relative.relative_positions(q_len, k_len, q_start or max(k_len - q_len, 0))


@mistake("clip_positions", "expected: clipped distance and row number confused")
def clipped_like_rows(positions, max_distance):
    """You clipped to 0 … 2k, which are row numbers of a table. The rule: clip to −k … k, and add k only to look up a
    row."""
    return np.clip(positions, 0, 2 * max_distance)


@mistake("shaw_scores", "expected: the wrong axis of the shape")
def scaled_by_the_length(q, k, key_table, max_distance):
    """You divided by the square root of the number of queries. The rule: divide by √d, where d is the number of
    features."""
    right = relative.shaw_scores(q, k, key_table, max_distance)
    return right * np.sqrt(np.shape(q)[-1]) / np.sqrt(np.shape(q)[-2])


@mistake("shaw_scores", "expected: the formula of the scores read from the wrong side")
def vector_added_to_the_query(q, k, key_table, max_distance):
    """You added the vector for the distance to the query. The rule: add the vector to the key, and multiply
    the query by both."""
    q, k = np.asarray(q, dtype=np.float64), np.asarray(k)
    vectors = np.asarray(key_table)[table_rows(q, k, max_distance)]
    scores = q @ np.swapaxes(k, -1, -2) + np.einsum("ijd,...jd->...ij", vectors, k)
    return scores / np.sqrt(q.shape[-1])


@mistake("shaw_scores", "expected: a mean instead of a sum, or a sum over the wrong axis")
def mean_over_the_features(q, k, key_table, max_distance):
    """You averaged over the features when multiplying the query by the vectors. The rule: compute a sum, as in q·k."""
    right = relative.shaw_scores(q, k, key_table, max_distance)
    plain = relative.shaw_scores(q, k, np.zeros_like(key_table), max_distance)
    return plain + (right - plain) / np.shape(q)[-1]


@mistake("shaw_attention", "expected: a softmax without the special case of lesson 1")
def nothing_to_attend_to_is_nan(q, k, v, key_table, value_table, max_distance, mask=None):
    """For a query with no allowed key, your softmax gives NaN, because −∞ − (−∞) is not a number. The rule: a
    query with no allowed key gets zeros."""
    right = relative.shaw_attention(q, k, v, key_table, value_table, max_distance, mask)
    return right if mask is None else np.where(without_keys(q, k, mask), np.nan, right)


@mistake("shaw_attention", "expected: −1e9 in place of −∞")
def nothing_to_attend_to_is_everything(q, k, v, key_table, value_table, max_distance, mask=None):
    """In your result, a query with no allowed key attends to all keys equally, because a large negative number is
    not −∞. The rule: a query with no allowed key gets zeros."""
    right = relative.shaw_attention(q, k, v, key_table, value_table, max_distance, mask)
    if mask is None:
        return right
    even = relative.shaw_attention(np.zeros_like(q), k, v, key_table, value_table, max_distance)
    return np.where(without_keys(q, k, mask), even, right)


@mistake("shaw_attention", "expected: two softmaxes, one of them without the mask")
def table_weighted_without_the_mask(q, k, v, key_table, value_table, max_distance, mask=None):
    """For the value table, you used the weights without the mask. The rule: use the same weights for the values and for
    the table."""
    values = relative.shaw_attention(q, k, v, key_table, np.zeros_like(value_table), max_distance, mask)
    table = relative.shaw_attention(q, k, np.zeros_like(v), key_table, value_table, max_distance)
    return values + table


@mistake("t5_bucket", "expected: ceil() where T5 truncates to an integer")
def steps_rounded_up(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You rounded the logarithmic steps up, so buckets start too early. The rule: round down."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    above = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    steps = np.ceil(above * (per_direction - exact) - 1e-9).astype(np.int64)
    return np.where(distance < exact, right, first + np.minimum(exact + steps, per_direction - 1))


@mistake("t5_bucket", "expected: ≥ instead of >")
def the_token_itself_counts_as_ahead(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You counted distance 0 as ahead. The rule: only distances above 0 use the second half, and distance 0 has bucket
    0."""
    right = relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)
    here = (np.asarray(relative_position) == 0) & bool(bidirectional)
    return np.where(here, num_buckets // 2, right)


@mistake("t5_bias", "expected: a mean over the wrong axis")
def heads_averaged(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """You averaged over the heads. The rule: each head has its own column in the table."""
    right = relative.t5_bias(table, q_len, k_len, bidirectional, max_distance, q_start)
    return np.broadcast_to(right.mean(axis=0, keepdims=True), right.shape)


def without_keys(q, k, mask):
    """Output rows of queries for which the mask allows no key."""
    shape = np.broadcast_shapes(np.shape(mask), (np.shape(q)[-2], np.shape(k)[-2]))
    return ~np.broadcast_to(mask, shape).any(axis=-1, keepdims=True)


def table_rows(q, k, max_distance):
    """Correct table row for each pair, for entries with a mistake after the lookup."""
    where = relative.relative_positions(np.shape(q)[-2], np.shape(k)[-2])
    return relative.clip_positions(where, max_distance) + max_distance


def parts(relative_position, bidirectional, num_buckets):
    """First bucket, distance and number of buckets per direction, for entries with a mistake in a later step."""
    relative_position = np.asarray(relative_position)
    if bidirectional:
        return np.where(relative_position > 0, num_buckets // 2, 0), np.abs(relative_position), num_buckets // 2
    return 0, np.maximum(-relative_position, 0), num_buckets


def log_steps(distance, per_direction, max_distance):
    """Return the number of logarithmic buckets that begin at or before each distance, without an upper limit."""
    exact = per_direction // 2
    above = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    return (above * (per_direction - exact)).astype(np.int64)


@mistake("clip_positions", "expected: the end of a range is excluded")
def largest_distance_left_out(positions, max_distance):
    """For keys ahead, you clipped to k − 1. The rule: the range is from −k to k, both included."""
    return np.minimum(relative.clip_positions(positions, max_distance), max_distance - 1)


@mistake("t5_bucket", "expected: all buckets instead of those that are left")
def steps_for_all_buckets(positions, bidirectional=True, num_buckets=32, max_distance=128):
    """You spread the logarithm over all B buckets of a direction. The rule: spread the logarithm over B − e
    buckets, because near distances use the first e buckets."""
    buckets = num_buckets // 2 if bidirectional else num_buckets
    exact = buckets // 2
    positions = np.asarray(positions).astype(np.int64)
    distance = np.abs(positions) if bidirectional else np.maximum(-positions, 0)
    share = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    bucket = np.where(
        distance < exact, distance, np.minimum(exact + (share * buckets + 1e-12).astype(np.int64), buckets - 1)
    )
    return bucket + buckets * (bidirectional & (positions > 0))


@mistake("shaw_scores", "expected: the root forgotten")
def scores_divided_by_the_width(q, k, key_table, max_distance):
    """You divided by d, so your scores are too small by a factor of √d. The rule: divide by the square root of d."""
    return relative.shaw_scores(q, k, key_table, max_distance) / np.sqrt(np.shape(q)[-1])


@mistake("shaw_scores", "expected: the number of pairs mistaken for the number of features")
def scores_divided_by_the_root_of_half_the_width(q, k, key_table, max_distance):
    """You divided by the square root of half the width, d/2. The rule: divide by √d, where d is the number of
    features."""
    return relative.shaw_scores(q, k, key_table, max_distance) * np.sqrt(2)


@mistake("shaw_attention", "expected: the value thought to look at the query")
def value_table_from_its_end(q, k, v, key_table, value_table, max_distance, mask=None):
    """You measured the distance of a value in the opposite direction, from the key to the query. The rule: a
    value uses the same distance, j − i, and therefore the same row number, as in the key table."""
    mirrored = np.flip(value_table, axis=0)
    return relative.shaw_attention(q, k, v, key_table, mirrored, max_distance, mask)


@mistake("shaw_attention", "expected: one table used for both, where it fits")
def key_table_for_values_where_it_fits(q, k, v, key_table, value_table, max_distance, mask=None):
    """You used the key table for the values too. The rule: keys and values have separate tables, and the values use
    value_table."""
    right = relative.shaw_attention(q, k, v, key_table, value_table, max_distance, mask)
    if np.shape(key_table) != np.shape(value_table):
        return right
    return relative.shaw_attention(q, k, v, key_table, key_table, max_distance, mask)


def with_table_part(q, k, v, key_table, value_table, max_distance, mask, part):
    """Correct average of the values plus `part`, which is computed from each pair's vector and the weights."""
    right = relative.shaw_attention(q, k, v, key_table, value_table, max_distance, mask)
    n_keys = np.shape(k)[-2]
    weights = relative.shaw_attention(
        q, k, np.eye(n_keys), key_table, np.zeros((len(key_table), n_keys)), max_distance, mask
    )
    values = relative.shaw_attention(q, k, v, key_table, np.zeros_like(value_table), max_distance, mask)
    vectors = np.asarray(value_table, np.float64)[table_rows(q, k, max_distance)]
    return (values + part(vectors, weights)).astype(right.dtype)


@mistake("shaw_attention", "expected: the sum of the vectors of all keys")
def vectors_of_the_value_table_added_up(q, k, v, key_table, value_table, max_distance, mask=None):
    """You added the vectors of the value table without multiplying each by its key's weight. The rule: compute Σ
    α (v + b), so that each vector has the same weight as its value."""
    return with_table_part(
        q, k, v, key_table, value_table, max_distance, mask, lambda vectors, weights: vectors.sum(axis=-2)
    )


@mistake("shaw_attention", "expected: += with repeated indices, each of which numpy writes only once")
def repeated_rows_count_once(q, k, v, key_table, value_table, max_distance, mask=None):
    """If several keys share a row of the value table, you counted only the last one, because `+=` and `=` write a
    repeated row only once. The rule: add the weights of all keys with the same distance."""
    rows = table_rows(q, k, max_distance)
    last = np.array([[not (row[j + 1 :] == row[j]).any() for j in range(len(row))] for row in rows]).reshape(rows.shape)

    def part(vectors, weights):
        return np.einsum("...ij,ijd->...id", weights * last, vectors)

    return with_table_part(q, k, v, key_table, value_table, max_distance, mask, part)


def bucketed(positions, bidirectional, num_buckets, max_distance, steps, exact=None):
    """Buckets with `steps` as the logarithmic part and `exact` exact buckets."""
    first, distance, per_direction = parts(positions, bidirectional, num_buckets)
    exact = per_direction // 2 if exact is None else exact
    far = exact + np.floor(steps(np.maximum(distance, exact), exact, per_direction) + 1e-12).astype(np.int64)
    return first + np.where(distance < exact, distance, np.minimum(far, per_direction - 1))


@mistake("t5_bucket", "expected: the e in the denominator forgotten")
def logarithm_of_max_distance(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You divided by log D. The rule: divide by log(D / e), where e is the number of exact buckets, so that the last
    bucket begins near max_distance."""

    def steps(distance, exact, buckets):
        return np.log(distance / exact) / np.log(max_distance) * (buckets - exact)

    return bucketed(relative_position, bidirectional, num_buckets, max_distance, steps)


@mistake("t5_bucket", "expected: e computed before the buckets are split between the directions")
def half_of_all_buckets_exact(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You counted half of all buckets as exact. The rule: half of one direction's buckets are exact, and if
    `bidirectional` is True, each direction has only half of all buckets."""
    exact = num_buckets // 2
    if max_distance <= exact:
        raise ValueError(f"max_distance must be above {exact}; got {max_distance}")

    def steps(distance, exact, buckets):
        return np.log(distance / exact) / np.log(max_distance / exact) * (buckets - exact)

    return bucketed(relative_position, bidirectional, num_buckets, max_distance, steps, exact)


@mistake("t5_bucket", "dmlc/gluon-nlp #1470 (the sign of the relative position)")
def past_at_distance_zero_in_the_causal_case(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """In the causal case, you counted the keys ahead, so the whole past falls into bucket 0. The rule: the distance is
    n = max(−relative, 0), since past keys have negative relative positions."""
    if not bidirectional:
        relative_position = -np.asarray(relative_position)
    return relative.t5_bucket(relative_position, bidirectional, num_buckets, max_distance)


@mistake("t5_bias", "expected: reshape mistaken for a change of axes")
def heads_reshaped_to_the_front(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """You moved the heads to the front with a reshape, which keeps all numbers in their old order. The rule: move
    the axis, so that bias[h] is head h."""
    right = relative.t5_bias(table, q_len, k_len, bidirectional, max_distance, q_start)
    return np.moveaxis(right, 0, -1).reshape(right.shape)


def with_biases(q, k, key_table, content_bias, position_bias, max_distance):
    """Transformer-XL's scores with any two biases, for entries that swap or drop a bias."""
    none, zeros = np.zeros_like(np.asarray(key_table, float)), np.zeros(np.shape(q)[-1])
    content = relative.four_term_scores(q, k, none, content_bias, zeros, max_distance)
    position = relative.four_term_scores(
        q, np.zeros_like(np.asarray(k, float)), key_table, zeros, position_bias, max_distance
    )
    return content + position


@mistake("four_term_scores", "expected: the paper's u and v swapped")
def biases_exchanged(q, k, key_table, content_bias, position_bias, max_distance):
    """You swapped the biases. The rule: content_bias goes with the keys, and position_bias with the table."""
    return with_biases(q, k, key_table, position_bias, content_bias, max_distance)


@mistake("four_term_scores", "expected: one bias for both products, as in a first reading of §3.3")
def one_bias_for_both(q, k, key_table, content_bias, position_bias, max_distance):
    """You added content_bias in both halves of the scores. The rule: the half with the table has its own
    bias, position_bias."""
    return with_biases(q, k, key_table, content_bias, content_bias, max_distance)


@mistake("four_term_scores", "expected: only the position gets a bias")
def contents_without_a_bias(q, k, key_table, content_bias, position_bias, max_distance):
    """Your scores do not depend on content_bias. The rule: add content_bias to the query before the product
    with the keys."""
    return with_biases(q, k, key_table, np.zeros(np.shape(q)[-1]), position_bias, max_distance)


@mistake("four_term_scores", "expected: only the content gets a bias")
def positions_without_a_bias(q, k, key_table, content_bias, position_bias, max_distance):
    """Your scores do not depend on position_bias. The rule: add position_bias to the query before the product
    with the table."""
    return with_biases(q, k, key_table, content_bias, np.zeros(np.shape(q)[-1]), max_distance)


@mistake("four_term_scores", "expected: the scale left out")
def four_terms_without_scale(q, k, key_table, content_bias, position_bias, max_distance):
    """You did not divide by √d. The rule: divide the sum of all four terms by √d."""
    return (
        relative.four_term_scores(q, k, key_table, content_bias, position_bias, max_distance) * np.shape(q)[-1] ** 0.5
    )


def three_terms(q, k, key_table, query_table, max_distance):
    """Terms and divisor of DeBERTa's scores, for entries with a mistake in one of them."""
    q, k, key_table, query_table = (np.asarray(one, float) for one in (q, k, key_table, query_table))
    rows = table_rows(q, k, max_distance)
    ask = np.einsum("...id,ijd->...ij", q, key_table[rows])
    tell = np.einsum("...jd,ijd->...ij", k, query_table[2 * max_distance - rows])
    return q @ np.swapaxes(k, -1, -2), ask, tell, np.sqrt(3 * q.shape[-1])


@mistake("disentangled_scores", "expected: one index for both tables")
def the_key_looks_the_same_way(q, k, key_table, query_table, max_distance):
    """You read query_table by j − i. The rule: read query_table by i − j, because the key sees the query at
    the opposite distance."""
    content, ask, _, scale = three_terms(q, k, key_table, query_table, max_distance)
    tell = np.einsum("...jd,ijd->...ij", np.asarray(k, float), np.asarray(query_table)[table_rows(q, k, max_distance)])
    return (content + ask + tell) / scale


@mistake("disentangled_scores", "expected: the query used with both tables")
def the_query_meets_both_tables(q, k, key_table, query_table, max_distance):
    """You multiplied the query by query_table. The rule: multiply the key by query_table, as in k_j ·
    b_ji."""
    content, ask, _, scale = three_terms(q, k, key_table, query_table, max_distance)
    rows = 2 * max_distance - table_rows(q, k, max_distance)
    return (content + ask + np.einsum("...id,ijd->...ij", np.asarray(q, float), np.asarray(query_table)[rows])) / scale


@mistake("disentangled_scores", "expected: the scale of lesson 1 left in place")
def scaled_for_one_term(q, k, key_table, query_table, max_distance):
    """You divided by √d, as for one term. The rule: divide by √(3d), because there are three terms of the same size."""
    return sum(three_terms(q, k, key_table, query_table, max_distance)[:3]) / np.sqrt(np.shape(q)[-1])


@mistake("disentangled_scores", "expected: Shaw's two terms and DeBERTa's scale")
def the_key_asks_for_nothing(q, k, key_table, query_table, max_distance):
    """Your scores do not depend on query_table. The rule: add the third term, k_j · b_ji."""
    content, ask, _, scale = three_terms(q, k, key_table, query_table, max_distance)
    return (content + ask) / scale


@mistake("t5_bucket", "expected: np.log2 for buckets that double")
def two_kinds_of_logarithm(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You used log₂ in the numerator and ln in the denominator. The rule: use the same logarithm in the numerator
    and the denominator."""
    first, distance, per_direction = parts(relative_position, bidirectional, num_buckets)
    exact = per_direction // 2
    above = np.log2(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    steps = (above * (per_direction - exact)).astype(np.int64)
    return first + np.minimum(np.where(distance < exact, distance, exact + steps), per_direction - 1)


@mistake("t5_bucket", "expected: the argument left out")
def always_causal(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """You used the causal buckets regardless of `bidirectional`. The rule: if `bidirectional` is True, each
    direction has half of the buckets."""
    return relative.t5_bucket(relative_position, False, num_buckets, max_distance)


@mistake("disentangled_scores", "expected: the two tables swapped")
def tables_exchanged(q, k, key_table, query_table, max_distance):
    """You swapped the two tables. The rule: multiply the query by key_table, and the key by query_table."""
    return relative.disentangled_scores(q, k, query_table, key_table, max_distance)


@mistake("disentangled_scores", "He et al. 2021, equation 3, whose δ(i, j) is i − j")
def tables_in_the_order_of_deberta(q, k, key_table, query_table, max_distance):
    """You looked up key_table by i − j and query_table by j − i, as DeBERTa looks up its own tables. The rule: here the
    rows of key_table are for j − i, and those of query_table for i − j."""
    tables = (np.asarray(table)[::-1] for table in (key_table, query_table))
    return relative.disentangled_scores(q, k, *tables, max_distance)


@mistake("four_term_scores", "expected: √(4d) for four terms, as DeBERTa has √(3d) for three")
def divided_for_four_terms(q, k, key_table, content_bias, position_bias, max_distance):
    """You divided by √(4d), because there are four terms. The rule: divide by √d."""
    return relative.four_term_scores(q, k, key_table, content_bias, position_bias, max_distance) / 2


@mistake("t5_bias", "expected: the length used as the largest distance")
def logarithm_ends_at_the_length(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    """Your wide buckets end at the sequence length. The rule: the wide buckets end at max_distance, however long
    the sequence is."""
    relative_distances = relative.relative_positions(q_len, k_len, q_start)
    exact = len(table) // (4 if bidirectional else 2)
    farthest = max(q_len, k_len, exact + 1)
    buckets = relative.t5_bucket(relative_distances, bidirectional, len(table), farthest)
    return np.moveaxis(np.asarray(table)[buckets], -1, 0)


@mistake("t5_bucket", "expected: the largest distance in the call mistaken for max_distance")
def logarithm_ends_at_the_largest_distance(distances, bidirectional=True, num_buckets=32, max_distance=128):
    """Your wide buckets end at the largest distance in the call. The rule: the wide buckets end at max_distance,
    regardless of the distances."""
    exact = num_buckets // (4 if bidirectional else 2)
    farthest = max(int(np.abs(distances).max(initial=0)), exact + 1)
    return relative.t5_bucket(distances, bidirectional, num_buckets, farthest)


@mistake("four_term_scores", "expected: Transformer-XL's shift, cut at the other end")
def rows_shifted_the_other_way(q, k, key_table, content_bias, position_bias, max_distance):
    """You shifted the position scores of row i as if it were row Tq − 1 − i. The rule: entry (i, j) uses the vector for
    the distance j − i."""
    right = relative.four_term_scores(q, k, key_table, content_bias, position_bias, max_distance)
    q, k, key_table = (np.asarray(one, dtype=np.float64) for one in (q, k, key_table))
    rows, columns = np.arange(q.shape[-2])[:, np.newaxis], np.arange(k.shape[-2])
    content = (q + content_bias) @ np.swapaxes(k, -1, -2)
    shifted = np.clip(columns + rows - q.shape[-2] + 1, -max_distance, max_distance) + max_distance
    position = np.take_along_axis(
        (q + position_bias) @ key_table.T, np.broadcast_to(shifted, (*q.shape[:-2], *shifted.shape)), axis=-1
    )
    return ((content + position) / np.sqrt(q.shape[-1])).astype(right.dtype)


@mistake("shaw_attention", "expected: no + k, in both tables", hint=rows_counted_from_the_token_itself.hint)
def rows_of_both_tables_counted_from_the_token_itself(q, k, v, key_table, value_table, max_distance, mask=None):
    tables = (np.roll(table, max_distance, axis=0) for table in (key_table, value_table))
    return relative.shaw_attention(q, k, v, *tables, max_distance, mask)


@mistake("four_term_scores", "expected: no + k", hint=rows_counted_from_the_token_itself.hint)
def four_terms_with_rows_counted_from_the_token_itself(q, k, key_table, content_bias, position_bias, max_distance):
    table = np.roll(key_table, max_distance, axis=0)
    return relative.four_term_scores(q, k, table, content_bias, position_bias, max_distance)


@mistake("disentangled_scores", "expected: no + k, in both tables", hint=rows_counted_from_the_token_itself.hint)
def three_terms_with_rows_counted_from_the_token_itself(q, k, key_table, query_table, max_distance):
    tables = (np.roll(table, max_distance, axis=0) for table in (key_table, query_table))
    return relative.disentangled_scores(q, k, *tables, max_distance)


@mistake("disentangled_scores", "expected: the 3 in front of the root")
def scaled_by_three_roots(q, k, key_table, query_table, max_distance):
    """You divided by 3·√d. The rule: divide by √(3d), so 3 is under the root as well."""
    return relative.disentangled_scores(q, k, key_table, query_table, max_distance) / np.sqrt(3)


@mistake(
    "disentangled_scores",
    "expected: the query in both products, and one distance",
    hint=the_query_meets_both_tables.hint,
)
def the_query_meets_both_tables_at_one_distance(q, k, key_table, query_table, max_distance):
    content, ask, _, scale = three_terms(q, k, key_table, query_table, max_distance)
    vectors = np.asarray(query_table)[table_rows(q, k, max_distance)]
    return (content + ask + np.einsum("...id,ijd->...ij", np.asarray(q, float), vectors)) / scale


vars().update(
    chain(
        without_effect(relative.t5_bucket, "bidirectional", "num_buckets", "max_distance"),
    )
)


WRONG_ANSWERS = {
    "shaw_rows_for_k_16": {
        32: "You counted 16 on each side; distance 0 has a row too.",
        16: "You counted one side; a key may come before or after the query, and distance 0 has a row too.",
        17: "You counted 0 and one side; a key may be on either side of the query.",
        31: "You left out the largest distances; −16 and 16 have a row each, which clipped distances share.",
    },
    "t5_bucket_of_minus_1_bidirectional": {
        17: "You swapped the sides; keys behind the query use the first half of the buckets, keys ahead the second.",
        0: "Bucket 0 is for the query's own position; the next distance has the next bucket.",
        15: "You counted from the end of the half; bucket numbers grow with distance.",
        -1: "You answered with the relative position; a bucket is a row of a table, and rows count from 0.",
    },
    "t5_bucket_of_plus_1_bidirectional": {
        1: "This is the bucket of a key behind the query; keys ahead begin at half of the 32 buckets.",
        16: "You added the distance minus one; the second half begins with row 16, for distance 0, which is never "
        "looked up.",
        0: "If `bidirectional` is False, all keys ahead share bucket 0; if it is True, they have the second half of "
        "the buckets.",
        33: "You added all 32 buckets; half of them are for keys ahead.",
    },
}
