"""Relative positions, the tests you can see: each function by its values, and the properties that make it relative.

The first line of a test is the rule that it checks. The values wanted are in `expected/relative.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds


@pytest.mark.question("relative_positions", points=0.5)
def test_relative_positions(relative):
    """Key minus query: negative behind the query, positive ahead of it."""
    expect.matches(relative.relative_positions, 2, 3)
    expect.matches(relative.relative_positions, 5, 4)


@pytest.mark.question("relative_positions", points=0.5)
def test_the_newest_token_stands_at_the_end(relative):
    """Queries count from q_start: for the newest token all earlier ones are behind."""
    expect.matches(relative.relative_positions, 1, 4, q_start=3)
    expect.matches(relative.relative_positions, 2, 6, 4)
    newest = relative.relative_positions(1, 3, q_start=2)
    expect.close(newest, np.array([[-2, -1, 0]]), "a query at 2 sees keys at 0, 1, 2 as −2, −1, 0")


@pytest.mark.question("relative_positions", points=0.25)
def test_lengths_are_not_negative(relative):
    """A negative length is refused, and the message says which."""
    expect.answers(relative.relative_positions, 3, 3)
    expect.raises(ValueError, relative.relative_positions, -2, 3, mentions=-2)


@pytest.mark.question("clip_positions", points=0.5)
def test_clip_by_hand(relative):
    """A distance beyond the limit counts as the limit, and its sign is kept."""
    clipped = expect.matches(relative.clip_positions, np.array([-5, -2, -1, 0, 1, 2, 7]), 2)
    expect.close(clipped, np.array([-2, -2, -1, 0, 1, 2, 2]), "distances clipped to 2")


@pytest.mark.question("clip_positions", points=0.375)
def test_clip_any_shape(relative):
    """Works on relative positions of any shape, and leaves them as they were."""
    expect.unchanged(relative.clip_positions, np.arange(24).reshape(2, 3, 4) - 11, 5)


@pytest.mark.question("clip_positions", points=0.125)
def test_clip_lists(relative):
    """Lists are welcome, and a negative max_distance is refused."""
    expect.dtype(relative.clip_positions, [-5, -2, 0, 7], 2)
    expect.raises(ValueError, relative.clip_positions, np.arange(-3, 4), -1, mentions=-1)


@pytest.mark.question("shaw_scores", points=0.5)
def test_shaw_scores_by_hand(relative):
    """Three equal words, and a table with a row for behind, one for here, one for ahead."""
    q, k = np.array([[2.0, 2.0, 0.0, 0.0]] * 2), np.array([[1.0, 1.0, 0.0, 0.0]] * 3)
    table = np.array([[0.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    scores = expect.matches(relative.shaw_scores, q, k, table, 1)
    expect.close(scores, np.array([[3.0, 1.0, 1.0], [4.0, 3.0, 1.0]]), "the scores worked out in the lesson")


@pytest.mark.question("shaw_scores", points=0.625)
def test_shaw_scores(relative):
    """q_i · (k_j + a_ij) / √d, for any number of leading axes."""
    expect.matches(relative.shaw_scores, features(4, 6), features(5, 6, seed=1), features(5, 6, seed=2), 2)
    expect.matches(relative.shaw_scores, features(2, 5, 3), features(2, 3, 3, seed=1), features(3, 3, seed=2), 1)


@pytest.mark.question("shaw_scores", points=0.25)
def test_the_table_has_a_row_for_each_distance(relative):
    """A table for another max_distance is refused."""
    expect.answers(relative.shaw_scores, features(3, 4), features(3, 4), features(3, 4), 1)
    expect.raises(
        ValueError,
        relative.shaw_scores,
        features(3, 4),
        features(3, 4),
        features(5, 4),
        1,
        mentions=[(5, 4), (3, 4), 5, 3],
    )


@pytest.mark.question("shaw_scores", points=0.125)
def test_shaw_scores_of_whole_numbers_and_of_float32(relative):
    """Whole numbers are welcome; q, k and the table in float32 give float32."""
    q = k = np.array([[1, 0], [1, 0]])
    expect.matches(relative.shaw_scores, q, k, np.array([[2, 0], [0, 0], [-1, 0]]), 1)
    expect.dtype(relative.shaw_scores, *(features(3, 4, seed=seed, dtype=np.float32) for seed in range(3)), 1)


@pytest.mark.question("shaw_attention", points=0.5)
@given(seed=seeds())
def test_a_lone_token_reads_itself(relative, seed):
    """With one token the result is its value plus the middle row of the value table; a second token counts too."""
    q, k, v = (features(1, 4, seed=seed + part) for part in range(3))
    key_table, value_table = features(5, 4, seed=seed + 3), features(5, 4, seed=seed + 4)
    out = relative.shaw_attention(q, k, v, key_table, value_table, 2)
    expect.close(out, v + value_table[2], "v plus the vector for distance 0")
    two, twice = np.zeros((2, 4)), np.concatenate([v, v + 1])
    first = relative.shaw_attention(two, two, twice, key_table, value_table, 2)[0]
    expect.close(
        first,
        v[0] + 0.5 + (value_table[2] + value_table[3]) / 2,
        "two keys that score the same have half of the weight each",
    )


@pytest.mark.question("shaw_attention", points=0.5)
def test_shaw_attention(relative):
    """Σ_j α_ij (v_j + b_ij), over the keys that the mask allows."""
    q, k, v = features(4, 4), features(5, 4, seed=1), features(5, 3, seed=2)
    key_table, value_table = features(5, 4, seed=3), features(5, 3, seed=4)
    expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, 2)
    expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, 2, np.tri(4, 5, dtype=bool))
    heads = (features(2, 3, 4, seed=seed) for seed in (5, 6, 7))
    expect.matches(
        relative.shaw_attention, *heads, features(3, 4, seed=8), features(3, 4, seed=9), 1, mask=np.tri(3, dtype=bool)
    )


@pytest.mark.question("shaw_attention", points=0.25)
def test_a_query_that_may_use_no_key(relative):
    """A query that may use no key gets zeros; a mask of three rows for a single query is refused."""
    arrays = [features(3, 4, seed=seed) for seed in range(5)]
    mask = np.array([[True, True, False], [False, False, False], [False, True, True]])
    expect.matches(relative.shaw_attention, *arrays, 1, mask)
    arrays[0] = features(1, 4)
    expect.raises(ValueError, relative.shaw_attention, *arrays, 1, mask, mentions=[(3, 3), (1, 3), 3])


@pytest.mark.question("shaw_attention", points=0.125)
def test_shaw_attention_of_all_queries_at_once(relative):
    """A loop over the rows of the table is fine, a loop over tokens is not."""
    tables = features(5, 4, seed=3), features(5, 4, seed=4)
    expect.vectorised(
        relative.shaw_attention, lambda length: (*(features(length, 4, seed=part) for part in range(3)), *tables, 2)
    )


@pytest.mark.question("shaw_attention", points=0.125)
def test_shaw_attention_in_float32(relative):
    """Everything in float32 gives float32, and a value table for another max_distance is refused."""
    arrays = [features(3, 4, seed=seed, dtype=np.float32) for seed in range(5)]
    expect.dtype(relative.shaw_attention, *arrays, 1)
    expect.raises(ValueError, relative.shaw_attention, *arrays[:4], features(5, 4), 1, mentions=[(5, 4), (3, 4), 5, 3])


@pytest.mark.question("t5_bucket", points=0.5)
def test_nearby_buckets_by_hand(relative):
    """With T5's defaults each of the nearest distances has its own bucket; keys ahead use the second half."""
    behind, ahead = [8, 7, 6, 5, 4, 3, 2, 1, 0], [17, 18, 19, 20, 21, 22, 23, 24]
    buckets = expect.matches(relative.t5_bucket, np.arange(-8, 9))
    expect.close(buckets, np.array(behind + ahead), "the buckets of −8 … 8")


@pytest.mark.question("t5_bucket", points=0.5)
def test_far_buckets(relative):
    """Far buckets are wider, and the last one takes all the rest."""
    far = np.array([9, 11, 12, 15, 16, 23, 32, 45, 46, 63, 64, 90, 91, 127, 128, 129, 1000])
    expect.matches(relative.t5_bucket, np.stack([-far, far]))
    expect.matches(relative.t5_bucket, np.arange(-40, 41), num_buckets=8, max_distance=32)


@pytest.mark.question("t5_bucket", points=0.625)
def test_causal_buckets(relative):
    """Causal: all buckets are for the past, a distance on a boundary belongs to the upper one, and keys ahead count as
    0."""
    expect.matches(relative.t5_bucket, np.arange(-24, 5), False, 8, 16)
    expect.matches(relative.t5_bucket, -np.array([7, 8, 16, 32]), False, 9, 128)
    expect.matches(
        relative.t5_bucket, -np.array([0, 15, 16, 17, 18, 20, 30, 50, 112, 113, 128, 500]), bidirectional=False
    )
    expect.close(relative.t5_bucket(np.array([-20, 5]), False), np.array([17, 0]), "causal buckets of −20 and 5")


@pytest.mark.question("t5_bucket", points=0.125)
def test_buckets_of_lists(relative):
    """Lists are welcome. Two buckets are too few when bidirectional: a direction would have no exact one."""
    expect.dtype(relative.t5_bucket, [0, -3, 3, -12, -200])
    expect.matches(relative.t5_bucket, [-20, 5], False)
    expect.raises(ValueError, relative.t5_bucket, np.arange(-3, 4), num_buckets=2, mentions=[2, 1, 0])


@pytest.mark.question("t5_bias", points=0.25)
def test_bias_by_hand(relative):
    """Each pair gets the number in the table for its bucket, heads first."""
    bias = relative.t5_bias(np.arange(4.0).reshape(4, 1), 1, 5, False, 8, q_start=4)
    expect.close(bias, np.array([[[3.0, 2.0, 2.0, 1.0, 0.0]]]), "four causal buckets up to distance 8")


@pytest.mark.question("t5_bias", points=0.375)
def test_bias(relative):
    """One row of the table per bucket, one column per head."""
    expect.matches(relative.t5_bias, features(8, 3), 4, 6)
    expect.matches(relative.t5_bias, features(8, 2), 3, 12, bidirectional=False, max_distance=16, q_start=9)


@pytest.mark.question("t5_bias", points=0.25)
@given(seed=seeds(), start=st.integers(0, 20))
def test_bias_depends_on_the_distance_alone(relative, seed, start):
    """If queries and keys move together, the bias does not change; it is different for past and future."""
    table = features(8, 2, seed=seed) + np.arange(8.0)[:, np.newaxis] * 8
    moved = relative.t5_bias(table, 3, start + 3, q_start=start)
    expect.holds(moved.shape == (2, 3, start + 3), "the bias has shape (heads, queries, keys)")
    expect.close(moved[..., start:], relative.t5_bias(table, 3, 3), "queries and keys moved together")
    expect.holds(
        (moved[:, 0, start + 1] > moved[:, 1, start]).all(), "a key one ahead has another number than one behind"
    )


@pytest.mark.question("t5_bias", points=0.125)
def test_bias_of_whole_numbers_and_of_float32(relative):
    """Whole numbers are welcome, float32 stays float32, and a table has one column a head."""
    expect.matches(relative.t5_bias, np.array([[0], [1], [2], [3]]), 1, 5, False, 8, q_start=4)
    expect.dtype(relative.t5_bias, features(8, 2, dtype=np.float32), 2, 3)
    expect.raises(ValueError, relative.t5_bias, features(8), 2, 3, mentions=[8, 1])
