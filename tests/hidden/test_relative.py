"""Hidden tests for relative positions: this term's values, dtype, arguments, errors, loops, and properties.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Sizes of T5 buckets. If a distance is exactly on a boundary between two buckets, floating-point rounding
determines its bucket. With the odd numbers of buckets in these tests, no distance is on a boundary. All other
numbers of buckets are powers of two, so that the logarithm of the quotient n/e is exact enough in float64 and, up
to max_distance 512, in float32; the difference log n − log e is not exact enough at some distance for each size
marked below. The expected buckets are computed in whole numbers, without a logarithm.

Dtype tests for mixed inputs use a single token or a √d that is a power of two, so that intermediate float32 steps
are exact.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

BIDIRECTIONAL = [(32, 128), (4, 20), (6, 10), (7, 10), (10, 20), (8, 32), (16, 16), (32, 512)]
CAUSAL = [(32, 128), (2, 10), (3, 10), (5, 20), (4, 3), (9, 128), (4, 32), (8, 16), (16, 512), (64, 128)]


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def shaw_inputs(rng, lead=(), q_len=4, k_len=5, d=6, dv=3, max_distance=2, dtype=np.float64):
    """Return random q, k, v, key_table and value_table, and max_distance."""
    rows = 2 * max_distance + 1
    shapes = ((*lead, q_len, d), (*lead, k_len, d), (*lead, k_len, dv), (rows, d), (rows, dv))
    return *(normal(rng, *shape, dtype=dtype) for shape in shapes), max_distance


def score_by_loops(q, k, key_table, max_distance):
    """Return Shaw's scores, computed literally from the formula."""
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            row = min(max(j - i, -max_distance), max_distance) + max_distance
            for feature in range(q.shape[1]):
                scores[i, j] += q[i, feature] * (k[j, feature] + key_table[row, feature])
    return scores / np.sqrt(q.shape[1])


def output_by_loops(scores, v, value_table, max_distance):
    """Return Shaw's output for certain scores, computed literally from the formula; the score of a masked key
    is −inf."""
    out = np.zeros((len(scores), v.shape[1]))
    for i in range(len(scores)):
        weights = np.exp(scores[i] - scores[i].max())
        weights = weights / weights.sum()
        for j in range(len(v)):
            row = min(max(j - i, -max_distance), max_distance) + max_distance
            out[i] += weights[j] * (v[j] + value_table[row])
    return out


def buckets_in_whole_numbers(distances, buckets, max_distance):
    """T5's buckets for one direction.

    A bucket s is reached if log(n/e) / log(D/e) · (B − e) ≥ s, which is equivalent to n^(B−e) · e^s ≥ D^s · e^(B−e).
    """
    exact = buckets // 2
    wide = buckets - exact
    opens, distance = list(range(exact + 1)), exact
    for step in range(1, wide):
        while distance**wide * exact**step < max_distance**step * exact**wide:
            distance += 1
        opens.append(distance)
    return np.searchsorted(opens, distances, side="right") - 1


def on_a_boundary(distances, buckets, max_distance):
    """Return True for distances below the last bucket where log(n/e) / log(D/e) · (B − e) is a whole number, up
    to rounding errors."""
    exact = buckets // 2
    steps = np.log(np.maximum(distances, exact) / exact) / np.log(max_distance / exact) * (buckets - exact)
    return (distances > exact) & (steps < buckets - exact - 0.5) & (np.abs(steps - steps.round()) < 1e-9)


# relative_positions


@pytest.mark.question("relative_positions", points=0.25)
def test_relative_positions_of_any_lengths(relative, rng):
    """The distance is j − (i + q_start), for any lengths and any start."""
    for _ in range(4):
        q_len, k_len, start = (int(size) for size in rng.integers(1, 12, 3))
        expect.matches(relative.relative_positions, q_len, k_len, start)
    expect.matches(relative.relative_positions, 1, 1)
    expect.matches(relative.relative_positions, 3, 4)
    expect.matches(relative.relative_positions, 1, 70_000, 35_000)
    expect.matches(relative.relative_positions, 2, 5, q_start=3)


@pytest.mark.question("relative_positions", points=0.5)
@given(start=positions(), i=st.integers(0, 3), j=st.integers(0, 4))
def test_each_entry_is_key_minus_query(relative, start, i, j):
    """From a query at position i to a key at position j, the distance is j − i, regardless of where the queries
    start."""
    entry = relative.relative_positions(4, 5, start)[i, j]
    expect.close(entry, j - i - start, "the entry at (i, j)")


# clip_positions


@pytest.mark.question("clip_positions", points=0.25)
def test_clip_as_an_array_function(relative, rng):
    """clip_positions accepts positions of any shape, even a single number."""
    expect.matches(relative.clip_positions, rng.integers(-20, 20, (2, 3, 5)), 6)
    expect.matches(relative.clip_positions, rng.integers(-20, 20, 9), 1)
    expect.matches(relative.clip_positions, rng.integers(-9, 9, (4, 4)), 3)
    expect.matches(relative.clip_positions, np.arange(-3, 4), 0)
    expect.matches(relative.clip_positions, np.array(rng.integers(10, 20)), 4)
    expect.matches(relative.clip_positions, np.array([-(10**6), -70_000, -300, 300, 70_000, 10**6]), 65_536)


@pytest.mark.question("clip_positions", points=0.25)
@given(distance=positions(), limit=st.integers(1, 10**6))
def test_clip_keeps_the_sign_and_the_near(relative, distance, limit):
    """Distances within the limit stay the same, larger distances become the limit, and the two directions mirror
    each other."""
    inside, outside = min(distance, limit), limit + distance
    both = relative.clip_positions(np.array([inside, outside, -inside, -outside]), limit)
    expect.close(both, np.array([inside, limit, -inside, -limit]), "within, beyond, and their mirror images")


# shaw_scores


@pytest.mark.question("shaw_scores", points=0.5)
def test_shaw_scores_equal_the_plain_loops(relative, rng):
    """The scores agree with the formula for every pair and every feature."""
    for q_len, k_len, d, max_distance in ((5, 7, 4, 2), (6, 3, 5, 1), (1, 4, 1, 3), (3, 3, 8, 7), (3, 4, 2, 0)):
        q, k, _, key_table, _, _ = shaw_inputs(rng, (), q_len, k_len, d, 1, max_distance)
        scores = expect.matches(relative.shaw_scores, q, k, key_table, max_distance)
        expect.close(scores, score_by_loops(q, k, key_table, max_distance), "the formula, loop by loop")
    expect.matches(relative.shaw_scores, normal(rng, 1, 2), normal(rng, 320, 2), normal(rng, 601, 2), 300)


@pytest.mark.question("shaw_scores", points=0.25)
def test_shaw_scores_with_leading_axes(relative, rng):
    """shaw_scores allows any number of leading axes."""
    for lead in ((), (3,), (2, 3)):
        q, k, _, key_table, _, max_distance = shaw_inputs(rng, lead)
        expect.matches(relative.shaw_scores, q, k, key_table, max_distance)


@pytest.mark.question("shaw_scores", points=0.75)
@given(seed=seeds(), length=st.integers(4, 8))
def test_equal_tokens_score_by_distance_alone(relative, seed, length):
    """For equal tokens, the score depends only on the distance, up to the limit; a table of zeros gives the plain
    score."""
    q, k, key_table = (
        np.tile(features(1, 4, seed=seed), (length, 1)),
        features(1, 4, seed=seed + 1),
        features(5, 4, seed=seed + 2),
    )
    k = np.tile(k, (length, 1))
    scores = relative.shaw_scores(q, k, key_table, 2)
    expect.close(scores[1:, 1:], scores[:-1, :-1], "one step along the text changes no score")
    expect.close(scores[0, 3:], np.full(length - 3, scores[0, 2]), "beyond the limit, all scores are equal")
    plain = q @ k.T / 2
    expect.close(relative.shaw_scores(q, k, 0 * key_table, 2), plain, "a table of zeros leaves q·k/√d")
    expect.close(scores[2, 1] - plain[2, 1], q[0] @ key_table[1] / 2, "one position behind adds q·a/√d for its row")


@pytest.mark.question("shaw_scores", points=0.25)
def test_shaw_scores_do_not_loop(relative):
    """All scores are computed at once, without a loop."""
    table = features(5, 4, seed=2)
    expect.vectorised(relative.shaw_scores, lambda length: (features(length, 4), features(length, 4, seed=1), table, 2))


# shaw_attention


@pytest.mark.question("shaw_attention", points=0.75)
def test_shaw_attention_equals_the_plain_loops(relative, rng):
    """The output agrees with the formula for every pair, with and without a mask."""
    for q_len, k_len, dv, max_distance in ((5, 7, 4, 2), (4, 3, 1, 1), (3, 3, 2, 6), (2, 4, 3, 0)):
        q, k, v, key_table, value_table, _ = shaw_inputs(rng, (), q_len, k_len, 4, dv, max_distance)
        scores = score_by_loops(q, k, key_table, max_distance)
        out = expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, max_distance)
        expect.close(out, output_by_loops(scores, v, value_table, max_distance), "the formula, loop by loop")
        mask = np.tri(q_len, k_len, dtype=bool)
        out = expect.matches(relative.shaw_attention, q, k, v, key_table, value_table, max_distance, mask)
        masked = np.where(mask, scores, -np.inf)
        expect.close(out, output_by_loops(masked, v, value_table, max_distance), "the same under a causal mask")
    expect.matches(relative.shaw_attention, *shaw_inputs(rng, (), 1, 320, 2, 1, 300))


@pytest.mark.question("shaw_attention", points=0.5)
def test_shaw_attention_with_leading_axes(relative, rng):
    """Leading axes, a mask that broadcasts, large scores and a query without a key, which gets zeros, are allowed."""
    for lead in ((), (3,), (2, 3)):
        expect.matches(relative.shaw_attention, *shaw_inputs(rng, lead))
    mask = rng.random((2, 1, 4, 5)) < 0.5
    mask[..., 2] = True
    expect.matches(relative.shaw_attention, *shaw_inputs(rng, (2, 3)), mask)
    expect.matches(relative.shaw_attention, *shaw_inputs(rng, (2,)), mask=mask[0, 0])
    for shape in (
        (5,),
        (1, 5),
        (4, 1),
        (3, 2, 1, 1),
    ):  # one row for all queries, one column for all keys, separate leading axes
        expect.matches(relative.shaw_attention, *shaw_inputs(rng, (2,)), np.resize([True, False, True], shape))
    q, k, *rest = shaw_inputs(rng)
    large = np.array([[1000], [1], [1], [1], [1]])
    expect.matches(relative.shaw_attention, q * large[:4], k * large, *rest)


@pytest.mark.question("shaw_attention", points=0.5)
@given(seed=seeds())
def test_weights_share_out_both_tables(relative, seed):
    """A vector added to every row of the value table is added to every output; one added to the key table changes
    nothing."""
    q, k, v, key_table, value_table = (features(5, 4, seed=seed + part) for part in range(5))
    gain = features(4, seed=seed + 5) + 4
    out = relative.shaw_attention(q, k, v, key_table, value_table, 2)
    more = relative.shaw_attention(q, k, v, key_table, value_table + gain, 2)
    expect.close(
        more - out, np.tile(gain, (5, 1)), "the weights of a query sum to one, for the table as for the values"
    )
    shifted = relative.shaw_attention(q, k, v, key_table + gain, value_table, 2)
    expect.close(shifted, out, "the same vector for every distance carries no distance")
    plain, marked = 0 * q, value_table + np.outer(np.arange(5) == 0, gain)  # equal scores: every weight is 1/5
    more = relative.shaw_attention(plain, k, v, key_table, marked, 2) - relative.shaw_attention(
        plain, k, v, key_table, value_table, 2
    )
    expect.close(
        more, np.outer([0, 0, 0.2, 0.4, 0.6], gain), "row 0 counts once for each key two or more positions behind"
    )


# t5_bucket


@pytest.mark.question("t5_bucket", points=0.5)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_of_the_whole_range(relative, bidirectional):
    """The buckets match T5's at every distance that is not on a boundary, for several sizes and both directions."""
    for num_buckets, max_distance in BIDIRECTIONAL if bidirectional else CAUSAL:
        per_direction = num_buckets // 2 if bidirectional else num_buckets
        reach = np.arange(max_distance + max_distance // 4 + 3)
        reach = reach[~on_a_boundary(reach, per_direction, max_distance)]
        behind, ahead = -reach, reach[1:]
        where = np.concatenate([behind, ahead])
        got = expect.matches(relative.t5_bucket, where, bidirectional, num_buckets, max_distance)
        expected_behind = buckets_in_whole_numbers(-behind, per_direction, max_distance)
        expected_ahead = per_direction + expected_behind[1:] if bidirectional else np.zeros(len(ahead), dtype=np.int64)
        expect.close(got, np.concatenate([expected_behind, expected_ahead]), "T5's buckets, computed in whole numbers")


@pytest.mark.question("t5_bucket", points=0.75)
@given(near=positions(), further=positions(), size=st.sampled_from([(32, 128), (16, 64), (8, 20)]))
def test_further_is_never_a_lower_bucket(relative, near, further, size):
    """Bucket numbers never decrease with distance, keys ahead repeat the pattern in the second half, and the
    farthest key is in the last bucket."""
    half = size[0] // 2
    expect.close(
        relative.t5_bucket(np.array([0, -1]), True, *size), np.array([0, 1]), "near distances have their own buckets"
    )
    where = np.array([near, near + further, 10**7])
    behind, ahead = relative.t5_bucket(-where, True, *size), relative.t5_bucket(where + (where == 0), True, *size)
    causal = relative.t5_bucket(-where, False, *size)
    expect.holds(0 <= behind[0] <= behind[1] <= behind[2], "buckets never fall with distance")
    expect.holds(0 <= causal[0] <= causal[1] <= causal[2], "causal buckets never fall with distance")
    expect.close(
        np.array([behind[2], ahead[2], causal[2]]), np.array([half - 1, 2 * half - 1, 2 * half - 1]), "the last buckets"
    )
    mirrored = relative.t5_bucket(-where - (where == 0), True, *size) + half
    expect.close(ahead, mirrored, "a key ahead is half the buckets above its mirror image")


@pytest.mark.question("t5_bucket", points=0.25)
def test_buckets_do_not_loop(relative):
    """All buckets are computed at once, without a loop."""
    expect.vectorised(relative.t5_bucket, lambda length: (np.arange(-length, length), True, 32, 100))
    expect.vectorised(relative.t5_bucket, lambda length: (np.arange(-length, 2), False, 16, 60))


# t5_bias


@pytest.mark.question("t5_bias", points=0.25)
def test_bias_of_any_table(relative, rng):
    """Any number of heads and buckets, one direction or both, and any start are allowed; max_distance defaults to
    T5's."""
    expect.matches(relative.t5_bias, normal(rng, 32, 2), 2, 140, False, q_start=138)
    expect.matches(relative.t5_bias, normal(rng, 1024, 1), 1, 400, False, 2048, 399)
    expect.matches(relative.t5_bias, normal(rng, 16, 1), 5, 3)
    expect.matches(relative.t5_bias, normal(rng, 8, 3), 4, 20, False, 18, 12)
    expect.matches(
        relative.t5_bias, normal(rng, 4, 5), 6, 9, bidirectional=True, max_distance=20, q_start=int(rng.integers(1, 5))
    )


@pytest.mark.question("t5_bias", points=0.5)
def test_bias_is_a_lookup(relative, rng):
    """bias[h, i, j] is the table's entry for the bucket of j − (i + q_start)."""
    table = normal(rng, 16, 3)
    bias = relative.t5_bias(table, 4, 9, q_start=2)
    where = np.arange(9) - (np.arange(4)[:, np.newaxis] + 2)
    expect.close(
        bias, table[relative.t5_bucket(where, True, 16)].transpose(2, 0, 1), "the table's entry for each bucket"
    )
    expect.matches(relative.t5_bias, table.astype(np.float32), 3, 4)
    expect.matches(relative.t5_bias, table, 3, 4)
    expect.matches(relative.t5_bias, np.arange(16).reshape(8, 2), 3, 4)


# four_term_scores and disentangled_scores


def rows_of_pairs(q_len, k_len, max_distance):
    """Return the table's row for the distance j − i, for each query i and key j."""
    return np.array(
        [[min(max(j - i, -max_distance), max_distance) + max_distance for j in range(k_len)] for i in range(q_len)]
    )


@pytest.mark.question("four_term_scores", points=0.5)
def test_four_terms_equal_the_formula(relative, rng):
    """For every pair, the score is the sum of the four terms, for any lengths and leading axes."""
    for lead, q_len, k_len, d, limit in (((), 3, 5, 4, 2), ((2,), 4, 3, 6, 1), ((2, 3), 2, 2, 1, 3)):
        q, k, _, table, _, _ = shaw_inputs(rng, lead, q_len, k_len, d, 1, limit)
        u, w = normal(rng, d), normal(rng, d)
        scores = expect.matches(relative.four_term_scores, q, k, table, u, w, limit)
        a = table[rows_of_pairs(q_len, k_len, limit)]
        four = (
            np.einsum("...id,...jd->...ij", q, k),
            np.einsum("...id,ijd->...ij", q, a),
            (k @ u)[..., np.newaxis, :],
            a @ w,
        )
        expect.close(scores, sum(four) / np.sqrt(d), "content–content, content–position, and the two biases")


@pytest.mark.question("four_term_scores", points=0.75)
@given(seed=seeds())
def test_without_biases_the_scores_are_shaw_s(relative, seed):
    """With biases of zero, the scores are Shaw's; content_bias is added to the query before the product with the
    keys, and position_bias before the product with the table."""
    q, k, table = features(4, 4, seed=seed), features(5, 4, seed=seed + 1), features(5, 4, seed=seed + 2)
    u, w, none = features(4, seed=seed + 3), features(4, seed=seed + 4), np.zeros(4)
    scores = relative.four_term_scores(q, k, table, u, w, 2)
    shaw = np.array([[q[i] @ (k[j] + table[min(j - i, 2) + 2]) / 2 for j in range(2, 5)] for i in range(4)])
    plain = relative.four_term_scores(q, k, table, none, none, 2)
    expect.close(plain[:, 2:], shaw, "Shaw's scores, here of keys 2 to 4")
    content = relative.four_term_scores(q + u, k, 0 * table, none, none, 2)
    position = relative.four_term_scores(q + w, 0 * k, table, none, none, 2)
    expect.close(content + position, scores, "each bias is added to the query of its own half")
    expect.holds(not np.allclose(position[1:, 1:], position[:-1, :-1] * 0), "distances change the scores")


@pytest.mark.question("disentangled_scores", points=0.75)
def test_disentangled_equals_the_formula(relative, rng):
    """The score has content–content, content–position and position–content terms, for any lengths and leading axes."""
    for lead, q_len, k_len, d, limit in (((), 3, 5, 4, 2), ((2,), 4, 3, 6, 1), ((2, 3), 2, 2, 1, 3)):
        q, k, _, table, _, _ = shaw_inputs(rng, lead, q_len, k_len, d, 1, limit)
        other = normal(rng, *table.shape)
        scores = expect.matches(relative.disentangled_scores, q, k, table, other, limit)
        a, b = table[rows_of_pairs(q_len, k_len, limit)], other[rows_of_pairs(k_len, q_len, limit)]
        three = (
            np.einsum("...id,...jd->...ij", q, k),
            np.einsum("...id,ijd->...ij", q, a),
            np.einsum("...jd,jid->...ij", k, b),
        )
        expect.close(scores, sum(three) / np.sqrt(3 * d), "the three terms over √(3d)")


@pytest.mark.question("disentangled_scores", points=0.75)
@given(seed=seeds())
def test_query_and_key_change_places(relative, seed):
    """Swapping queries with keys, and the two tables with each other, transposes the scores; zero tables give
    plain scores / √3."""
    q, k = features(4, 4, seed=seed), features(5, 4, seed=seed + 1)
    one, other = features(5, 4, seed=seed + 2), features(5, 4, seed=seed + 3)
    scores = relative.disentangled_scores(q, k, one, other, 2)
    expect.close(relative.disentangled_scores(k, q, other, one, 2), scores.T, "queries and keys swapped")
    plain = relative.disentangled_scores(q, k, 0 * one, 0 * other, 2)
    expect.close(plain, q @ k.T / np.sqrt(12), "tables of zeros leave q·k/√(3d)")
    by_key = relative.disentangled_scores(0 * q, k, one, other, 2)
    expect.close(by_key[3, 2], k[2] @ other[3] / np.sqrt(12), "key 2 sees query 3 one place ahead")


# Rules of lesson 1 for every function


@pytest.mark.question("shaw_attention", points=0.25)
def test_arguments_stay_as_they_are(relative, rng):
    """shaw_attention does not modify q, k, v, its two tables or the mask."""
    expect.unchanged(relative.shaw_attention, *shaw_inputs(rng, (2,)), np.tri(4, 5, dtype=bool))


@pytest.mark.question("shaw_attention", points=0.25)
def test_a_mask_adds_no_queries(relative):
    """A mask of three rows for a single query raises a ValueError, although numpy would give three rows of weights."""
    q, k, v, key_table, value_table = features(1, 4), features(5, 4), features(5, 6), features(3, 4), features(3, 6)
    expect.answers(relative.shaw_attention, q, k, v, key_table, value_table, 1)
    expect.raises(ValueError, relative.shaw_attention, q, k, v, key_table, value_table, 1, np.ones((3, 5), dtype=bool))


@pytest.mark.question("four_term_scores", points=0.25)
def test_a_bias_has_every_feature(relative):
    """A bias of a single number raises a ValueError, although numpy would add it to every feature."""
    q, table, bias = features(3, 4), features(3, 4, seed=1), features(4)
    expect.answers(relative.four_term_scores, q, q, table, bias, bias, 1)
    expect.raises(ValueError, relative.four_term_scores, q, q, table, bias[:1], bias, 1)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "shaw_rows_for_k_16",
        "t5_bucket_of_minus_1_bidirectional",
        "t5_bucket_of_plus_1_bidirectional",
        "t5_distances_beyond_128_differ",
    ],
)
def test_answer(relative, key):
    """Every question has one correct answer."""
    expect.answer(relative, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["shaw_numbers_for_k_16_d_64", "last_bucket_starts_at", "q_start_with_7_cached_tokens"])
def test_practice_answer(relative, key):
    """This question is for practice and earns no points."""
    expect.answer(relative, key)
