"""Relative positions, the full suite: values on the term's inputs, dtype, arguments, errors, loops, and their
properties.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.

Sizes of T5 buckets. Where a distance lies exactly on a boundary, floating point decides whether truncation keeps it
there. With the odd sizes here no distance does. All others have a power of two of buckets, so that the logarithm of the
quotient n/e is exact enough in float64 and, up to max_distance 512, in float32; log n − log e is not, at some distance
of each size marked below. The wanted buckets are found in whole numbers, without a logarithm.

Tests of the dtype of mixed inputs use a lone token or a √d that is a power of two: float32 steps on the way are then
exact.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

# Log n − log e fails in the last three.
BIDIRECTIONAL = [(32, 128), (4, 20), (6, 10), (7, 10), (10, 20), (8, 32), (16, 16), (32, 512)]
# In the last four.
CAUSAL = [(32, 128), (2, 10), (3, 10), (5, 20), (4, 3), (9, 128), (4, 32), (8, 16), (16, 512), (64, 128)]
# With 9 buckets up to 128 the quotient of logarithms itself falls short at a boundary, unless something is added before
# it is rounded down.


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def shaw_inputs(rng, lead=(), q_len=4, k_len=5, d=6, dv=3, max_distance=2, dtype=np.float64):
    """q, k, v, key_table, value_table, max_distance."""
    rows = 2 * max_distance + 1
    shapes = ((*lead, q_len, d), (*lead, k_len, d), (*lead, k_len, dv), (rows, d), (rows, dv))
    return *(normal(rng, *shape, dtype=dtype) for shape in shapes), max_distance


def score_by_loops(q, k, key_table, max_distance):
    """Shaw's scores as one reads the formula."""
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            row = min(max(j - i, -max_distance), max_distance) + max_distance
            for feature in range(q.shape[1]):
                scores[i, j] += q[i, feature] * (k[j, feature] + key_table[row, feature])
    return scores / np.sqrt(q.shape[1])


def output_by_loops(scores, v, value_table, max_distance):
    """Shaw's output from his scores, as one reads the formula; a score of −inf is a key behind the mask."""
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

    log(n/e) / log(D/e) · (B − e) ≥ s says the same as n^(B−e) · e^s ≥ D^s · e^(B−e).
    """
    exact = buckets // 2
    wide = buckets - exact
    opens, distance = list(range(exact + 1)), exact
    for step in range(1, wide):
        while distance**wide * exact**step < max_distance**step * exact**wide:
            distance += 1
        opens.append(distance)
    return np.searchsorted(opens, distances, side="right") - 1


# relative_positions


@pytest.mark.question("relative_positions", points=0.375)
def test_relative_positions_of_any_lengths(relative, rng):
    """j − (i + q_start) as int64, for any lengths and any start."""
    for _ in range(4):
        q_len, k_len, start = (int(size) for size in rng.integers(1, 12, 3))
        expect.matches(relative.relative_positions, q_len, k_len, start)
    expect.matches(relative.relative_positions, 1, 1)
    expect.dtype(relative.relative_positions, 3, 4)
    expect.matches(relative.relative_positions, 1, 70_000, 35_000)
    expect.dtype(relative.relative_positions, 2, 5, q_start=3)


@pytest.mark.question("relative_positions", points=0.25)
@given(start=positions(), i=st.integers(0, 3), j=st.integers(0, 4))
def test_each_entry_is_key_minus_query(relative, start, i, j):
    """A key at j is j − i places from a query at i, wherever the queries start."""
    entry = relative.relative_positions(4, 5, start)[i, j]
    expect.close(entry, j - i - start, "the entry at (i, j)")


@pytest.mark.question("relative_positions", points=0.25)
def test_relative_positions_refuse_bad_arguments(relative):
    """Negative lengths are refused by name."""
    expect.answers(relative.relative_positions, 3, 3)
    expect.raises(ValueError, relative.relative_positions, -1, 3, mentions=-1)
    expect.raises(ValueError, relative.relative_positions, 3, -1, mentions=-1)
    expect.raises(ValueError, relative.relative_positions, 2, -4, 5, mentions=-4)


@pytest.mark.question("relative_positions", points=0.25)
def test_relative_positions_do_not_loop(relative):
    """numpy subtracts all pairs at once."""
    expect.vectorised(relative.relative_positions, lambda length: (length, length))


# clip_positions


@pytest.mark.question("clip_positions", points=0.375)
def test_clip_as_an_array_function(relative, rng):
    """Any shape, a single number too; int64 stays int64; the argument is left alone."""
    expect.unchanged(relative.clip_positions, rng.integers(-20, 20, (2, 3, 5)), 6)
    expect.unchanged(relative.clip_positions, rng.integers(-20, 20, 9), 1)
    expect.dtype(relative.clip_positions, rng.integers(-9, 9, (4, 4)), 3)
    expect.matches(relative.clip_positions, np.arange(-3, 4), 0)
    expect.matches(relative.clip_positions, np.array(rng.integers(10, 20)), 4)
    expect.matches(relative.clip_positions, np.array([-(10**6), -70_000, -300, 300, 70_000, 10**6]), 65_536)


@pytest.mark.question("clip_positions", points=0.25)
@given(distance=positions(), limit=st.integers(1, 10**6))
def test_clip_keeps_the_sign_and_the_near(relative, distance, limit):
    """Distances within the limit stay, others become the limit, and behind is the mirror image of ahead."""
    inside, outside = min(distance, limit), limit + distance
    both = relative.clip_positions(np.array([inside, outside, -inside, -outside]), limit)
    expect.close(both, np.array([inside, limit, -inside, -limit]), "within, beyond, and their mirror images")


@pytest.mark.question("clip_positions", points=0.25)
def test_clip_refuses_a_negative_distance(relative):
    """A negative max_distance is refused, and the message says which."""
    expect.answers(relative.clip_positions, np.arange(-3, 4), 2)
    for max_distance in (-1, -16):
        expect.raises(ValueError, relative.clip_positions, np.arange(-3, 4), max_distance, mentions=max_distance)


@pytest.mark.question("clip_positions", points=0.25)
def test_clip_does_not_loop(relative):
    """numpy clips all positions at once."""
    expect.vectorised(relative.clip_positions, lambda length: (np.arange(length), 3))
    expect.vectorised(relative.clip_positions, lambda length: (np.arange(2 * length).reshape(length, 2), 3))


# shaw_scores


@pytest.mark.question("shaw_scores", points=0.5)
def test_shaw_scores_equal_the_plain_loops(relative, rng):
    """The scores are those of the formula, pair by pair and feature by feature."""
    for q_len, k_len, d, max_distance in ((5, 7, 4, 2), (6, 3, 5, 1), (1, 4, 1, 3), (3, 3, 8, 7), (3, 4, 2, 0)):
        q, k, _, key_table, _, _ = shaw_inputs(rng, (), q_len, k_len, d, 1, max_distance)
        scores = expect.matches(relative.shaw_scores, q, k, key_table, max_distance)
        expect.close(scores, score_by_loops(q, k, key_table, max_distance), "the formula, loop by loop")
    expect.matches(relative.shaw_scores, normal(rng, 1, 2), normal(rng, 320, 2), normal(rng, 601, 2), 300)


@pytest.mark.question("shaw_scores", points=0.5)
def test_shaw_scores_with_leading_axes(relative, rng):
    """Any number of leading axes; q, k and the table are left alone."""
    for lead in ((), (3,), (2, 3)):
        q, k, _, key_table, _, max_distance = shaw_inputs(rng, lead)
        expect.unchanged(relative.shaw_scores, q, k, key_table, max_distance)


@pytest.mark.question("shaw_scores", points=0.375)
def test_shaw_scores_dtype(relative, rng):
    """float32 where q, k and the table all are; everything else becomes float64."""
    q, k, _, key_table, _, _ = shaw_inputs(rng, (2,), d=4, dtype=np.float32)
    expect.dtype(relative.shaw_scores, q, k, key_table, 2)
    q, k, key_table = features(3, 4), features(4, 4, seed=1), features(3, 4, seed=2)
    expect.dtype(relative.shaw_scores, q, k.astype(np.float32), key_table.astype(np.float32), 1)
    expect.dtype(relative.shaw_scores, q.astype(np.float32), k, key_table.astype(np.float32), 1)
    expect.dtype(relative.shaw_scores, q.astype(np.float32), k.astype(np.float32), key_table, 1)
    expect.dtype(relative.shaw_scores, *rng.integers(-3, 4, (3, 3, 4)), 1)


@pytest.mark.question("shaw_scores", points=0.375)
@given(seed=seeds(), length=st.integers(4, 8))
def test_equal_tokens_score_by_distance_alone(relative, seed, length):
    """Equal tokens: the score depends on the distance alone, up to the limit; a table of zeros leaves the plain
    score."""
    q, k, key_table = (
        np.tile(features(1, 4, seed=seed), (length, 1)),
        features(1, 4, seed=seed + 1),
        features(5, 4, seed=seed + 2),
    )
    k = np.tile(k, (length, 1))
    scores = relative.shaw_scores(q, k, key_table, 2)
    expect.close(scores[1:, 1:], scores[:-1, :-1], "one step along the text changes no score")
    expect.close(scores[0, 3:], np.full(length - 3, scores[0, 2]), "beyond the limit all scores are alike")
    plain = q @ k.T / 2
    expect.close(relative.shaw_scores(q, k, 0 * key_table, 2), plain, "a table of zeros leaves q·k/√d")
    expect.close(scores[2, 1] - plain[2, 1], q[0] @ key_table[1] / 2, "one place behind adds q·a/√d for its row")


@pytest.mark.question("shaw_scores", points=0.375)
def test_shaw_scores_refuse_bad_arguments(relative):
    """q and k of different sizes, a table that does not fit them or the limit, and a negative limit are refused."""
    q, k, table = features(2, 4), features(3, 4), features(3, 4)
    expect.answers(relative.shaw_scores, k, k, table, 1)
    expect.raises(ValueError, relative.shaw_scores, q, features(3, 6), table, 1, mentions=[4, 6])
    expect.raises(ValueError, relative.shaw_scores, q, k, features(7, 4), 1, mentions=[7, 3])
    expect.raises(ValueError, relative.shaw_scores, features(1, 4), features(1, 4), table, 2, mentions=[3, 5])
    expect.raises(ValueError, relative.shaw_scores, q, k, features(3, 6), 1, mentions=[6, 4])
    expect.raises(ValueError, relative.shaw_scores, q, features(3, 1), table, 1, mentions=[4, 1])
    for shape in ((1, 4), (3, 1)):
        expect.raises(ValueError, relative.shaw_scores, q, k, features(*shape), 1, mentions=[shape, (3, 4), 1])
    expect.raises(ValueError, relative.shaw_scores, q, k, table, -1, mentions=[-1, 3])


@pytest.mark.question("shaw_scores", points=0.375)
def test_shaw_scores_do_not_loop(relative):
    """numpy computes all scores at once."""
    table = features(5, 4, seed=2)
    expect.vectorised(relative.shaw_scores, lambda length: (features(length, 4), features(length, 4, seed=1), table, 2))


# shaw_attention


@pytest.mark.question("shaw_attention", points=0.75)
def test_shaw_attention_equals_the_plain_loops(relative, rng):
    """The output is that of the formula, pair by pair, with and without a mask."""
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


@pytest.mark.question("shaw_attention", points=0.375)
def test_shaw_attention_with_leading_axes(relative, rng):
    """Any number of leading axes, a mask that broadcasts, zeros for a query without a key, large scores; arguments are
    left alone."""
    for lead in ((), (3,), (2, 3)):
        expect.unchanged(relative.shaw_attention, *shaw_inputs(rng, lead))
    mask = rng.random((2, 1, 4, 5)) < 0.5
    mask[..., 2] = True
    expect.unchanged(relative.shaw_attention, *shaw_inputs(rng, (2, 3)), mask)
    expect.matches(relative.shaw_attention, *shaw_inputs(rng, (2,)), mask=mask[0, 0])
    for shape in (
        (5,),
        (1, 5),
        (4, 1),
        (3, 2, 1, 1),
    ):  # one row for all queries, one column for all keys, leading axes of its own
        expect.matches(relative.shaw_attention, *shaw_inputs(rng, (2,)), np.resize([True, False, True], shape))
    q, k, *rest = shaw_inputs(rng)
    large = np.array([[1000], [1], [1], [1], [1]])
    expect.matches(relative.shaw_attention, q * large[:4], k * large, *rest)


@pytest.mark.question("shaw_attention", points=0.375)
def test_shaw_attention_dtype(relative, rng):
    """float32 where q, k, v and both tables are; everything else becomes float64."""
    expect.dtype(relative.shaw_attention, *shaw_inputs(rng, (2,), dtype=np.float32))
    expect.dtype(relative.shaw_attention, *shaw_inputs(rng, dtype=np.float32), np.tri(4, 5, 1, dtype=bool))
    lone = [features(1, 4, seed=part) for part in range(3)] + [features(3, 4, seed=part) for part in (3, 4)]
    for wide in range(5):
        mixed = [one if part == wide else one.astype(np.float32) for part, one in enumerate(lone)]
        expect.dtype(relative.shaw_attention, *mixed, 1)
    expect.dtype(relative.shaw_attention, *rng.integers(-3, 4, (5, 3, 4)), 1)


@pytest.mark.question("shaw_attention", points=0.375)
@given(seed=seeds())
def test_weights_share_out_both_tables(relative, seed):
    """What every row of the value table gains, every output gains; what every row of the key table gains changes no
    output."""
    q, k, v, key_table, value_table = (features(5, 4, seed=seed + part) for part in range(5))
    gain = features(4, seed=seed + 5) + 4
    out = relative.shaw_attention(q, k, v, key_table, value_table, 2)
    more = relative.shaw_attention(q, k, v, key_table, value_table + gain, 2)
    expect.close(
        more - out, np.tile(gain, (5, 1)), "the weights of a query sum to one, for the table as for the values"
    )
    shifted = relative.shaw_attention(q, k, v, key_table + gain, value_table, 2)
    expect.close(shifted, out, "the same vector for every distance says nothing about distance")
    plain, marked = 0 * q, value_table + np.outer(np.arange(5) == 0, gain)  # equal scores: every weight is 1/5
    more = relative.shaw_attention(plain, k, v, key_table, marked, 2) - relative.shaw_attention(
        plain, k, v, key_table, value_table, 2
    )
    expect.close(
        more, np.outer([0, 0, 0.2, 0.4, 0.6], gain), "row 0 counts once for each key two places behind or further"
    )


@pytest.mark.question("shaw_attention", points=0.375)
def test_shaw_attention_refuses_bad_arguments(relative):
    """Shapes that do not fit each other, the tables or the mask, and a negative limit, are refused."""
    q, k, v, key_table, value_table = features(2, 4), features(5, 4), features(5, 6), features(3, 4), features(3, 6)
    refuse = relative.shaw_attention
    expect.answers(refuse, q, k, v, key_table, value_table, 1)
    expect.raises(ValueError, refuse, q, features(5, 3), v, key_table, value_table, 1, mentions=[3, 4])
    expect.raises(ValueError, refuse, q, k, features(4, 6), key_table, value_table, 1, mentions=[5, 4])
    expect.raises(ValueError, refuse, q, k, v, features(7, 4), value_table, 1, mentions=[7, 3])
    expect.raises(ValueError, refuse, q, k, v, key_table, features(7, 6), 1, mentions=[7, 3])
    expect.raises(ValueError, refuse, q, k, v, key_table, features(3, 4), 1, mentions=[6, 4])
    expect.raises(ValueError, refuse, q, k, v, key_table, value_table, -1, mentions=[-1, 3])
    expect.raises(
        ValueError, refuse, q, k, v, key_table, value_table, 1, np.tri(3, 5, dtype=bool), mentions=[(3, 5), (2, 5)]
    )
    for shape in ((1, 6), (3, 1)):
        expect.raises(ValueError, refuse, q, k, v, key_table, features(*shape), 1, mentions=[shape, (3, 6), 1])
    expect.raises(ValueError, refuse, q, k, v[:1], key_table, value_table, 1, mentions=[5, 1])
    expect.raises(ValueError, refuse, q, k, v[:, :1], key_table, value_table, 1, mentions=[6, 1])
    # A single query, or a single key, takes no mask of several.
    expect.raises(
        ValueError,
        refuse,
        q[:1],
        k,
        v,
        key_table,
        value_table,
        1,
        np.ones((3, 5), dtype=bool),
        mentions=[(3, 5), (1, 5), 3],
    )
    expect.raises(
        ValueError,
        refuse,
        q,
        k[:1],
        v[:1],
        key_table,
        value_table,
        1,
        np.ones((2, 3), dtype=bool),
        mentions=[(2, 3), (2, 1), 3],
    )


@pytest.mark.question("shaw_attention", points=0.25)
def test_shaw_attention_does_not_loop(relative):
    """numpy computes all queries at once."""
    tables = features(5, 4, seed=3), features(5, 4, seed=4)
    expect.vectorised(
        relative.shaw_attention, lambda length: (*(features(length, 4, seed=part) for part in range(3)), *tables, 2)
    )


# t5_bucket


@pytest.mark.question("t5_bucket", points=0.625)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_of_the_whole_range(relative, bidirectional):
    """T5's bucket at every distance, boundaries included, for several numbers of buckets and both directions."""
    for num_buckets, max_distance in BIDIRECTIONAL if bidirectional else CAUSAL:
        reach = max_distance + max_distance // 4 + 3
        behind, ahead = -np.arange(reach), np.arange(1, reach)
        where = np.concatenate([behind, ahead])
        got = expect.matches(relative.t5_bucket, where, bidirectional, num_buckets, max_distance)
        per_direction = num_buckets // 2 if bidirectional else num_buckets
        wanted_behind = buckets_in_whole_numbers(-behind, per_direction, max_distance)
        wanted_ahead = per_direction + wanted_behind[1:] if bidirectional else np.zeros(len(ahead), dtype=np.int64)
        expect.close(got, np.concatenate([wanted_behind, wanted_ahead]), "T5's buckets, found in whole numbers")


@pytest.mark.question("t5_bucket", points=0.375)
def test_bucket_as_an_array_function(relative, rng):
    """Any shape, a single number too; int64; the argument is left alone."""
    where = rng.integers(-200, 200, (2, 3, 4))
    expect.unchanged(relative.t5_bucket, where)
    expect.unchanged(relative.t5_bucket, where, False, 16, 64)
    expect.dtype(relative.t5_bucket, where[0])
    expect.dtype(relative.t5_bucket, where[0, 0], bidirectional=False)
    expect.matches(relative.t5_bucket, np.array(rng.integers(-50, -10)))


@pytest.mark.question("t5_bucket", points=0.375)
@given(near=positions(), further=positions(), size=st.sampled_from([(32, 128), (16, 64), (8, 20)]))
def test_further_is_never_a_lower_bucket(relative, near, further, size):
    """Buckets never fall with the distance, ahead repeats behind in the second half, and the farthest is the last."""
    half = size[0] // 2
    expect.close(
        relative.t5_bucket(np.array([0, -1]), True, *size), np.array([0, 1]), "near distances have buckets of their own"
    )
    where = np.array([near, near + further, 10**7])
    behind, ahead = relative.t5_bucket(-where, True, *size), relative.t5_bucket(where + (where == 0), True, *size)
    causal = relative.t5_bucket(-where, False, *size)
    expect.holds(0 <= behind[0] <= behind[1] <= behind[2], "buckets never fall with the distance")
    expect.holds(0 <= causal[0] <= causal[1] <= causal[2], "causal buckets never fall with the distance")
    expect.close(
        np.array([behind[2], ahead[2], causal[2]]), np.array([half - 1, 2 * half - 1, 2 * half - 1]), "the last buckets"
    )
    mirrored = relative.t5_bucket(-where - (where == 0), True, *size) + half
    expect.close(ahead, mirrored, "a key ahead is half the buckets above its mirror image")


@pytest.mark.question("t5_bucket", points=0.25)
def test_buckets_refuse_bad_sizes(relative):
    """Too few buckets for a direction to have an exact one are refused, and so is a max_distance that is exact
    itself."""
    expect.answers(relative.t5_bucket, np.arange(-3, 4))
    for num_buckets in (0, -8):
        expect.raises(ValueError, relative.t5_bucket, np.arange(-3, 4), num_buckets=num_buckets, mentions=num_buckets)
        expect.raises(ValueError, relative.t5_bucket, np.arange(-3, 4), False, num_buckets, mentions=num_buckets)
    for bidirectional, num_buckets in ((True, 2), (True, 3), (False, 1)):
        expect.raises(
            ValueError, relative.t5_bucket, np.arange(-3, 4), bidirectional, num_buckets, mentions=[num_buckets, 1, 0]
        )
    for max_distance in (8, 5):
        expect.raises(
            ValueError, relative.t5_bucket, np.arange(-3, 4), True, 32, max_distance, mentions=[max_distance, 8]
        )


@pytest.mark.question("t5_bucket", points=0.25)
def test_buckets_do_not_loop(relative):
    """numpy finds all buckets at once."""
    expect.vectorised(relative.t5_bucket, lambda length: (np.arange(-length, length),))
    expect.vectorised(relative.t5_bucket, lambda length: (np.arange(-length, 2), False, 16, 64))


# t5_bias


@pytest.mark.question("t5_bias", points=0.5)
def test_bias_of_any_table(relative, rng):
    """Any number of heads and buckets, both directions, any start, T5's max_distance by default; the table is left
    alone."""
    expect.matches(relative.t5_bias, normal(rng, 32, 2), 2, 140)
    expect.matches(relative.t5_bias, normal(rng, 1024, 1), 1, 400, False, 2048, 399)
    expect.unchanged(relative.t5_bias, normal(rng, 16, 1), 5, 3)
    expect.matches(relative.t5_bias, normal(rng, 8, 3), 4, 20, False, 16, 12)
    expect.matches(
        relative.t5_bias, normal(rng, 4, 5), 6, 9, bidirectional=True, max_distance=20, q_start=int(rng.integers(1, 5))
    )


@pytest.mark.question("t5_bias", points=0.5)
def test_bias_is_a_lookup(relative, rng):
    """bias[h, i, j] is the table's entry for the bucket of j − (i + q_start), in float32 where the table is."""
    table = normal(rng, 16, 3)
    bias = relative.t5_bias(table, 4, 9, q_start=2)
    where = np.arange(9) - (np.arange(4)[:, np.newaxis] + 2)
    expect.close(
        bias, table[relative.t5_bucket(where, True, 16)].transpose(2, 0, 1), "the table's entry for each bucket"
    )
    expect.dtype(relative.t5_bias, table.astype(np.float32), 3, 4)
    expect.dtype(relative.t5_bias, table, 3, 4)
    expect.dtype(relative.t5_bias, np.arange(16).reshape(8, 2), 3, 4)


@pytest.mark.question("t5_bias", points=0.25)
def test_bias_refuses_and_does_not_loop(relative):
    """A table that is not two-dimensional and negative lengths are refused; numpy looks all pairs up at once."""
    expect.vectorised(relative.t5_bias, lambda length: (features(8, 2), length, length))
    expect.raises(ValueError, relative.t5_bias, features(8), 2, 3, mentions=[8, 1])
    expect.raises(ValueError, relative.t5_bias, features(8, 2, 3), 2, 3, mentions=[(8, 2, 3), 3, 2])
    expect.raises(ValueError, relative.t5_bias, features(1, 2), 2, 3, False, mentions=[1, 0])
    expect.raises(ValueError, relative.t5_bias, features(8, 2), -1, 3, mentions=-1)
    expect.raises(ValueError, relative.t5_bias, features(8, 2), 2, -3, mentions=-3)


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
    """Every question has one right answer."""
    expect.answer(relative, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["shaw_numbers_for_k_16_d_64", "last_bucket_starts_at", "q_start_with_7_cached_tokens"])
def test_practice_answer(relative, key):
    """A question for practice: no points."""
    expect.answer(relative, key)
