"""Public tests for relative positions: the values of each function, and the properties that make an encoding relative.

Each test's docstring states the rule that the test checks. The expected values are in `expected/relative.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds


@pytest.mark.question("relative_positions", points=0.25)
def test_relative_positions(relative):
    """The distance is key minus query: negative behind the query and positive ahead of it."""
    expect.matches(relative.relative_positions, 2, 3)
    expect.matches(relative.relative_positions, 5, 4)


@pytest.mark.question("relative_positions", points=0.5)
def test_the_newest_token_stands_at_the_end(relative):
    """Queries count from q_start, so the distances from the newest token to all earlier tokens are negative."""
    expect.matches(relative.relative_positions, 1, 4, q_start=3)
    expect.matches(relative.relative_positions, 2, 6, 4)
    newest = relative.relative_positions(1, 3, q_start=2)
    expect.close(newest, np.array([[-2, -1, 0]]), "a query at 2 sees keys at 0, 1, 2 as −2, −1, 0")


@pytest.mark.question("clip_positions", points=0.25)
def test_clip_by_hand(relative):
    """A distance beyond the limit counts as the limit but keeps its sign."""
    clipped = expect.matches(relative.clip_positions, np.array([-5, -2, -1, 0, 1, 2, 7]), 2)
    expect.close(clipped, np.array([-2, -2, -1, 0, 1, 2, 2]), "distances clipped to 2")


@pytest.mark.question("clip_positions", points=0.25)
def test_clip_any_shape(relative):
    """Relative positions can have any shape."""
    expect.matches(relative.clip_positions, np.arange(24).reshape(2, 3, 4) - 11, 5)


@pytest.mark.question("shaw_scores", points=0.25)
def test_shaw_scores_by_hand(relative):
    """In the example with three equal words, the table has one row for keys behind, one for the query's own
    key and one for keys ahead."""
    q, k = np.array([[2.0, 2.0, 0.0, 0.0]] * 2), np.array([[1.0, 1.0, 0.0, 0.0]] * 3)
    table = np.array([[0.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    scores = expect.matches(relative.shaw_scores, q, k, table, 1)
    expect.close(scores, np.array([[3.0, 1.0, 1.0], [4.0, 3.0, 1.0]]), "the scores worked out in the lesson")


@pytest.mark.question("shaw_scores", points=0.5)
def test_shaw_scores(relative):
    """The score is q_i · (k_j + a_ij) / √d, for any number of leading axes."""
    expect.matches(relative.shaw_scores, features(4, 6), features(5, 6, seed=1), features(5, 6, seed=2), 2)
    expect.matches(relative.shaw_scores, features(2, 5, 3), features(2, 3, 3, seed=1), features(3, 3, seed=2), 1)


@pytest.mark.question("shaw_attention", points=0.5)
@given(seed=seeds())
def test_a_lone_token_reads_itself(relative, seed):
    """For one token, the output is its value plus the middle row of the value table; of two tokens, the first
    also depends on the second."""
    q, k, v = (features(1, 4, seed=seed + part) for part in range(3))
    key_table, value_table = features(5, 4, seed=seed + 3), features(5, 4, seed=seed + 4)
    out = relative.shaw_attention(q, k, v, key_table, value_table, 2)
    expect.close(out, v + value_table[2], "v plus the vector for distance 0")
    two, twice = np.zeros((2, 4)), np.concatenate([v, v + 1])
    first = relative.shaw_attention(two, two, twice, key_table, value_table, 2)[0]
    expect.close(
        first,
        v[0] + 0.5 + (value_table[2] + value_table[3]) / 2,
        "two keys with equal scores get half of the weight each",
    )


@pytest.mark.question("shaw_attention", points=0.5)
def test_shaw_attention(relative):
    """shaw_attention is Σ_j α_ij (v_j + b_ij), over the keys that the mask allows."""
    q, k, v = features(4, 4), features(5, 4, seed=1), features(5, 3, seed=2)
    key_table, value_table = features(5, 4, seed=3), features(5, 3, seed=4)
    expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, 2)
    expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, 2, np.tri(4, 5, dtype=bool))
    heads = (features(2, 3, 4, seed=seed) for seed in (5, 6, 7))
    mask = np.stack([np.tri(3, dtype=bool), np.eye(3, dtype=bool)])
    expect.matches(relative.shaw_attention, *heads, features(3, 4, seed=8), features(3, 4, seed=9), 1, mask=mask)


@pytest.mark.question("shaw_attention", points=0.25)
def test_a_query_that_may_use_no_key(relative):
    """A query with no allowed key gets zeros."""
    arrays = [features(3, 4, seed=seed) for seed in range(5)]
    mask = np.array([[True, True, False], [False, False, False], [False, True, True]])
    expect.matches(relative.shaw_attention, *arrays, 1, mask)
    arrays[0] = features(1, 4)


@pytest.mark.question("t5_bucket", points=0.25)
def test_nearby_buckets_by_hand(relative):
    """With T5's defaults, each of the nearest distances has its own bucket, and keys ahead use the second half of
    the buckets."""
    behind, ahead = [8, 7, 6, 5, 4, 3, 2, 1, 0], [17, 18, 19, 20, 21, 22, 23, 24]
    buckets = expect.matches(relative.t5_bucket, np.arange(-8, 9))
    expect.close(buckets, np.array(behind + ahead), "the buckets of −8 … 8")


@pytest.mark.question("t5_bucket", points=0.5)
def test_far_buckets(relative):
    """Buckets for far distances are wider, and the last bucket takes all remaining distances."""
    far = np.array([9, 11, 12, 15, 17, 22, 23, 31, 33, 45, 46, 62, 65, 90, 91, 127, 150, 1000])
    expect.matches(relative.t5_bucket, np.stack([-far, far]))
    expect.matches(relative.t5_bucket, np.arange(-40, 41), num_buckets=8, max_distance=30)


@pytest.mark.question("t5_bucket", points=0.5)
def test_causal_buckets(relative):
    """In the causal case, all buckets are for the past, and later keys count as being at distance 0."""
    expect.matches(relative.t5_bucket, np.arange(-24, 5), False, 8, 17)
    expect.matches(
        relative.t5_bucket, -np.array([0, 15, 16, 17, 18, 20, 30, 50, 112, 113, 128, 500]), bidirectional=False
    )
    expect.close(relative.t5_bucket(np.array([-20, 5]), False), np.array([17, 0]), "causal buckets of −20 and 5")


@pytest.mark.question("t5_bias", points=0.25)
def test_bias_by_hand(relative):
    """Each pair gets the table's entry for its bucket, and the heads are the first axis."""
    bias = relative.t5_bias(np.arange(4.0).reshape(4, 1), 1, 5, False, 7, q_start=4)
    expect.close(bias, np.array([[[3.0, 2.0, 2.0, 1.0, 0.0]]]), "four causal buckets up to distance 7")


@pytest.mark.question("t5_bias", points=0.25)
def test_bias(relative):
    """The table has one row per bucket and one column per head."""
    expect.matches(relative.t5_bias, features(8, 3), 4, 6)
    expect.matches(relative.t5_bias, features(8, 2), 3, 12, bidirectional=False, max_distance=20, q_start=9)


@pytest.mark.question("t5_bias", points=0.5)
@given(seed=seeds(), start=st.integers(0, 20))
def test_bias_depends_on_the_distance_alone(relative, seed, start):
    """If queries and keys move together, the bias does not change; past keys have a different bias from future keys."""
    table = features(8, 2, seed=seed) + np.arange(8.0)[:, np.newaxis] * 8
    moved = relative.t5_bias(table, 3, start + 3, q_start=start)
    expect.holds(moved.shape == (2, 3, start + 3), "the bias has shape (heads, queries, keys)")
    expect.close(moved[..., start:], relative.t5_bias(table, 3, 3), "queries and keys moved together")
    expect.holds((moved[:, 0, start + 1] > moved[:, 1, start]).all(), "a key one ahead differs from a key one behind")


@pytest.mark.question("four_term_scores", points=0.25)
def test_four_terms_by_hand(relative):
    """In the lesson's example, the query's content and position are both compared with the key's content and
    position."""
    q, k, table = np.array([[1.0], [1.0]]), np.array([[2.0], [3.0]]), np.array([[5.0], [0.0], [7.0]])
    scores = relative.four_term_scores(q, k, table, np.array([1.0]), np.array([10.0]), 1)
    expect.close(scores, np.array([[4.0, 83.0], [59.0, 6.0]]), "the scores worked out in the lesson")


@pytest.mark.question("four_term_scores", points=0.5)
def test_four_terms(relative):
    """The score is ((q_i + u)·k_j + (q_i + w)·a_ij)/√d, for any number of leading axes."""
    expect.matches(
        relative.four_term_scores, features(2, 4), features(3, 4, seed=1), features(3, 4, seed=2), *features(2, 4), 1
    )
    expect.matches(
        relative.four_term_scores,
        features(2, 5, 3),
        features(2, 4, 3, seed=1),
        features(5, 3, seed=2),
        *features(2, 3, seed=3),
        2,
    )


@pytest.mark.question("four_term_scores", points=0.5)
@given(seed=seeds())
def test_a_query_without_content(relative, seed):
    """For a query of zeros, content_bias scores keys only by content, and position_bias only by distance."""
    nobody, k, table = np.zeros((4, 3)), features(4, 3, seed=seed), features(5, 3, seed=seed + 1)
    u, w = features(3, seed=seed + 2), features(3, seed=seed + 3)
    by_content = relative.four_term_scores(nobody, k, table, u, 0 * w, 2)
    expect.close(by_content, np.tile(k @ u, (4, 1)) / np.sqrt(3), "content_bias scores each key only by its content")
    by_position = relative.four_term_scores(nobody, k, table, 0 * u, w, 2)
    expect.close(by_position[1:, 1:], by_position[:-1, :-1], "position_bias scores each key only by its distance")
    expect.close(by_position[0, :2], table[2:4] @ w / np.sqrt(3), "distances 0 and 1 use rows 2 and 3 out of five")
    somebody = relative.four_term_scores(nobody + 1, k, table, u, 0 * w, 2)
    expect.holds(not np.allclose(somebody, by_content), "another query has different scores")


@pytest.mark.question("disentangled_scores", points=0.25)
def test_disentangled_by_hand(relative):
    """In the lesson's example, the query asks for a distance, and so does the key, in the opposite direction."""
    q, k = np.array([[1.0], [1.0]]), np.array([[2.0], [3.0]])
    key_table, query_table = np.array([[5.0], [0.0], [7.0]]), np.array([[1.0], [0.0], [10.0]])
    scores = relative.disentangled_scores(q, k, key_table, query_table, 1)
    expect.close(scores * np.sqrt(3), np.array([[2.0, 13.0], [27.0, 3.0]]), "√3 times the scores in the lesson")


@pytest.mark.question("disentangled_scores", points=0.5)
def test_disentangled(relative):
    """The score is (q_i·k_j + q_i·a_ij + k_j·b_ji)/√(3d), for any number of leading axes."""
    tables = features(3, 4, seed=2), features(3, 4, seed=3)
    expect.matches(relative.disentangled_scores, features(2, 4), features(3, 4, seed=1), *tables, 1)
    tables = features(5, 3, seed=2), features(5, 3, seed=3)
    expect.matches(relative.disentangled_scores, features(2, 5, 3), features(2, 4, 3, seed=1), *tables, 2)


# Rules of lesson 1 for every function


@pytest.mark.question("shaw_scores", points=0.25)
def test_dtype(relative):
    """shaw_scores returns float32 if q, k and the table are all float32; whole numbers give float64."""
    expect.dtype(relative.shaw_scores, *(features(3, 4, seed=seed, dtype=np.float32) for seed in range(3)), 1)
    expect.dtype(relative.shaw_scores, *2 * [np.array([[1, 0], [1, 0]])], np.array([[2, 0], [0, 0], [-1, 0]]), 1)


@pytest.mark.question("shaw_scores", points=0.25)
def test_the_table_has_a_row_for_each_distance(relative):
    """A table for a different max_distance raises a ValueError, because its rows would be read as other distances."""
    q = features(3, 4)
    expect.answers(relative.shaw_scores, q, q, features(3, 4), 1)
    expect.raises(ValueError, relative.shaw_scores, q, q, features(5, 4), 1)
