"""Wrong versions of the functions of relative, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import relative


@mistake("relative_positions", "sign|minus|query|other way|i − j")
def query_minus_key(q_len, k_len, q_start=0):
    return np.add.outer(np.arange(q_len) + q_start, -np.arange(k_len))


@mistake("relative_positions", "q_start")
def start_added_to_the_distance(q_len, k_len, q_start=0):
    return np.arange(k_len) - np.arange(q_len)[:, None] + q_start


@mistake("clip_positions", "sign|both|negative|before|side|lower|below|far")
def only_from_above(relative_, max_distance):
    return np.minimum(np.asarray(relative_), max_distance)


@mistake("shaw_scores", "row|max_distance|middle|negative|\\+ k|table")
def table_read_from_zero(q, k, key_table, max_distance):
    return relative.shaw_scores(q, k, np.roll(key_table, max_distance, axis=0), max_distance)


@mistake("shaw_scores", "√|scale|divi|both|term")
def position_term_not_scaled(q, k, key_table, max_distance):
    return relative.shaw_scores(q, k, np.asarray(key_table) * np.asarray(np.shape(q)[-1] ** 0.5), max_distance)


@mistake("shaw_attention", "value")
def values_without_their_table(q, k, v, key_table, value_table, max_distance, mask=None):
    return relative.shaw_attention(q, k, v, key_table, np.zeros_like(value_table), max_distance, mask)


@mistake("t5_bucket", "log|base")
def two_kinds_of_logarithm(relative_, bidirectional=True, num_buckets=32, max_distance=128):
    r = np.asarray(relative_)
    half = num_buckets // 2 if bidirectional else num_buckets
    n = np.abs(r) if bidirectional else np.maximum(-r, 0)
    e = half // 2
    far = e + np.floor(np.log2(np.maximum(n, e) / e) / np.log(max_distance / e) * (half - e)).astype(int)
    return np.where(n < e, n, np.minimum(far, half - 1)) + half * (bidirectional & (r > 0))


@mistake("t5_bucket", "before|after|direction|sign|side|future")
def keys_before_in_the_upper_half(relative_, bidirectional=True, num_buckets=32, max_distance=128):
    return relative.t5_bucket(-np.asarray(relative_), bidirectional, num_buckets, max_distance)


@mistake("t5_bias", "q_start")
def start_forgotten(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    return relative.t5_bias(table, q_len, k_len, bidirectional, max_distance)


@mistake("four_term_scores", "exchang|swap|u|w|content|position")
def biases_exchanged(q, k, key_table, content_bias, position_bias, max_distance):
    return relative.four_term_scores(q, k, key_table, position_bias, content_bias, max_distance)


@mistake("four_term_scores", "content|bias|u|position")
def content_bias_left_out(q, k, key_table, content_bias, position_bias, max_distance):
    return relative.four_term_scores(q, k, key_table, np.zeros_like(content_bias), position_bias, max_distance)


@mistake("disentangled_scores", "3|√|scale|variance|terms")
def root_of_d(q, k, key_table, query_table, max_distance):
    return relative.disentangled_scores(q, k, key_table, query_table, max_distance) * np.sqrt(3)


@mistake("disentangled_scores", "i − j|other way|mirror|distance|direction|sees|c_ji|key's")
def both_tables_read_by_j_minus_i(q, k, key_table, query_table, max_distance):
    return relative.disentangled_scores(q, k, key_table, np.asarray(query_table)[::-1], max_distance)
