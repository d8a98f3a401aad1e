"""Hidden tests for ALiBi: this term's values, dtype, arguments, errors, loops, and the bias as a straight line.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

A distance that is off by one, or an offset in BLOOM's form, shifts all scores of a causal row by the same
amount. Softmax hides such a shift, so the tests compare the biases themselves. Only the tests of the slopes,
and one test of each function that uses the slopes, have a number of heads that is not a power of two, so that
one mistake does not cost points everywhere. Tests of the dtype for mixed inputs use a single token, whose
weight is 1 even in float32.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

HEADS = st.sampled_from([1, 2, 4, 8, 16])


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def heads(rng, lead, n_heads, q_len, k_len, d=4, dv=3, dtype=np.float64):
    """Random q, k and v."""
    shapes = ((*lead, n_heads, q_len, d), (*lead, n_heads, k_len, d), (*lead, n_heads, k_len, dv))
    return [normal(rng, *shape, dtype=dtype) for shape in shapes]


def slope(head, n_heads):
    """Return the slope of a head: for 2p heads, the exponents are the multiples of 4/p, and extra heads take
    the odd multiples."""
    power = 1
    while 2 * power <= n_heads:
        power = 2 * power
    steps = 2 * (head + 1) if head < power else 2 * (head - power) + 1
    return 2.0 ** (-4 * steps / power)


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def attention_by_loops(q, k, v, causal):
    """Return ALiBi's output, computed with the formula, for q, k, v of shape (heads, sequence, feature)."""
    n_heads, q_len, d = q.shape
    k_len = k.shape[1]
    out = np.zeros((n_heads, q_len, v.shape[2]))
    for head in range(n_heads):
        for i in range(q_len):
            place = i + k_len - q_len
            seen = range(place + 1) if causal else range(k_len)
            scores = [q[head, i] @ k[head, j] / math.sqrt(d) - slope(head, n_heads) * abs(place - j) for j in seen]
            out[head, i] = softmax(np.array(scores)) @ v[head, : len(seen)]
    return out


# alibi_slopes


@pytest.mark.question("alibi_slopes", points=1.25)
def test_slopes_of_every_number_of_heads(alibi):
    """The slopes and their order are those of ALiBi's authors, for every number of heads."""
    for n_heads in (*range(1, 65), 71, 112, 128, 300):
        slopes = expect.matches(alibi.alibi_slopes, n_heads)
        expect.close(slopes, np.array([slope(head, n_heads) for head in range(n_heads)]), "the slopes, head by head")
    expect.matches(alibi.alibi_slopes, 5)


@pytest.mark.question("alibi_slopes", points=1.0)
@given(n_heads=st.integers(1, 20))
def test_new_heads_fill_the_gaps(alibi, n_heads):
    """The slopes for the next lower power of two are kept, and the extra heads get every other slope for twice that
    power."""
    power = 2 ** (n_heads.bit_length() - 1)
    few, full = alibi.alibi_slopes(n_heads), alibi.alibi_slopes(2 * power)
    expect.close(few[:power], alibi.alibi_slopes(power), "the first slopes are those for the next lower power of two")
    expect.close(few[power:], full[0::2][: n_heads - power], "the others are every other slope for twice that power")
    expect.close(
        full[1:] / full[:-1], np.full(2 * power - 1, full[0]), "for a power of two, the first slope is also the ratio"
    )
    expect.close(full[-1], 1 / 256, "for a power of two, the last slope is 1/256")


# alibi_bias


@pytest.mark.question("alibi_bias", points=0.5)
def test_bias_of_any_lengths(alibi, rng):
    """The bias is correct for any number of heads, with as many queries as keys or with fewer."""
    for n_heads in (1, 2, 5, 8, 12):
        k_len = int(rng.integers(2, 9))
        expect.matches(alibi.alibi_bias, n_heads, k_len, k_len)
        expect.matches(alibi.alibi_bias, n_heads, int(rng.integers(1, k_len)), k_len)
    expect.matches(alibi.alibi_bias, 2, 1, 1)
    expect.matches(alibi.alibi_bias, 1, 1, 300)
    expect.matches(alibi.alibi_bias, 4, 3, 5)


@pytest.mark.question("alibi_bias", points=1.25)
@given(n_heads=HEADS, q_len=st.integers(1, 5), more=st.integers(0, 200), i=st.integers(0, 4), j=st.integers(0, 204))
def test_bias_is_a_straight_line(alibi, n_heads, q_len, more, i, j):
    """The bias is minus slope times distance for every pair; the last query has the position of the last key."""
    k_len = q_len + more
    i, j = i % q_len, j % k_len
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    expect.holds(bias.shape == (n_heads, q_len, k_len), "the bias has shape (heads, queries, keys)")
    expected = np.array([-slope(head, n_heads) * abs(i + more - j) for head in range(n_heads)])
    expect.close(bias[:, i, j], expected, "minus slope times distance")


@pytest.mark.question("alibi_bias", points=0.5)
@given(n_heads=HEADS, length=st.integers(2, 12))
def test_a_cache_changes_no_bias(alibi, n_heads, length):
    """The newest query gets the same row with or without the other queries, and the bias is symmetric."""
    full = alibi.alibi_bias(n_heads, length, length)
    expect.close(np.shape(full), (n_heads, length, length), "each head has a row for every query")
    expect.close(alibi.alibi_bias(n_heads, 1, length), full[:, -1:, :], "the newest token's row is the last one")
    expect.close(full, np.swapaxes(full, -1, -2), "the distance from i to j is that from j to i")
    expect.holds((np.diff(full[:, -1, :]) > 0).all(), "the nearer the key, the less it loses")


@pytest.mark.question("alibi_bias", points=0.25)
def test_bias_does_not_loop(alibi):
    """All distances are computed at once, without a loop."""
    expect.vectorised(alibi.alibi_bias, lambda length: (4, length, length))
    expect.vectorised(alibi.alibi_bias, lambda length: (2, 2, length))


# alibi_attention


@pytest.mark.question("alibi_attention", points=0.75)
def test_attention_equals_the_plain_loops(alibi, rng):
    """The output agrees with the formula, query by query and key by key, causal or not."""
    for n_heads, q_len, k_len, d in ((1, 1, 5, 1), (3, 4, 4, 4), (6, 2, 7, 5), (2, 3, 8, 16)):
        q, k, v = heads(rng, (), n_heads, q_len, k_len, d, 2)
        out = expect.matches(alibi.alibi_attention, q, k, v)
        expect.close(out, attention_by_loops(q, k, v, True), "the formula, loop by loop")
        out = expect.matches(alibi.alibi_attention, q, k, v, False)
        expect.close(out, attention_by_loops(q, k, v, False), "the formula without the mask, loop by loop")


@pytest.mark.question("alibi_attention", points=0.5)
def test_attention_with_leading_axes(alibi, rng):
    """Any number of leading axes can come before the head axis, and scores can be large."""
    for lead in ((), (3,), (2, 3)):
        expect.matches(alibi.alibi_attention, *heads(rng, lead, 2, 3, 5))
        expect.matches(alibi.alibi_attention, *heads(rng, lead, 4, 4, 4, 1, 1), causal=False)
    q, k, v = heads(rng, (), 4, 3, 6)
    expect.matches(alibi.alibi_attention, 1000 * q, k, v)
    expect.matches(alibi.alibi_attention, 1000 * q, -100 * q, q)


@pytest.mark.question("alibi_attention", points=1.25)
@given(seed=seeds(), behind=st.integers(0, 3))
def test_generation_gives_the_rows_of_the_full_pass(alibi, seed, behind):
    """The last queries get the same rows with or without the other queries, no row depends on a later key,
    and nearer keys count more."""
    q, k, v = (features(2, 6, 4, seed=seed + part) for part in range(3))
    full = alibi.alibi_attention(q, k, v)
    late = alibi.alibi_attention(q[:, 5 - behind :], k, v)
    expect.close(late, full[:, 5 - behind :], "late queries alone")
    early = alibi.alibi_attention(q[:, :4], k[:, :4], v[:, :4])
    expect.close(early, full[:, :4], "rows do not depend on what comes after them")
    expect.close(full[:, 0], v[:, 0], "the first token sees only itself")
    weights = alibi.alibi_attention(0 * q, k, np.stack([np.eye(6), np.eye(6)]))[:, -1]
    expect.holds((np.diff(weights) > 0).all(), "of two keys that match equally well, the nearer one counts more")


@pytest.mark.question("alibi_attention", points=0.25)
def test_attention_does_not_loop(alibi):
    """All queries are computed at once; a loop over heads is allowed."""
    expect.vectorised(alibi.alibi_attention, lambda length: [features(2, length, 4, seed=part) for part in range(3)])
    expect.vectorised(
        alibi.alibi_attention,
        lambda length: (features(4, 1, 2), features(4, length, 2), features(4, length, 2, seed=1)),
    )


# bloom_bias


@pytest.mark.question("bloom_bias", points=0.5)
def test_bloom_bias_of_any_length(alibi, rng):
    """The bias is slope times the key's position, counted from 0, for any number of heads."""
    for n_heads in (1, 2, 5, 8, 12):
        expect.matches(alibi.bloom_bias, n_heads, int(rng.integers(1, 20)))
    expect.matches(alibi.bloom_bias, 1, 70_000)
    expect.matches(alibi.bloom_bias, 2, 1)
    expect.matches(alibi.bloom_bias, 4, 6)


@pytest.mark.question("bloom_bias", points=1.0)
@given(seed=seeds(), n_heads=HEADS, q_len=st.integers(1, 6))
def test_bloom_bias_differs_by_a_number_a_row(alibi, seed, n_heads, q_len):
    """For keys behind the query, BLOOM's bias and ALiBi's differ by a constant in each row, so a causal
    softmax is the same."""
    bloom, bias = alibi.bloom_bias(n_heads, 6), alibi.alibi_bias(n_heads, q_len, 6)
    scores, behind = features(n_heads, q_len, 6, seed=seed), np.tri(q_len, 6, 6 - q_len, dtype=bool)
    masked_bloom, masked_bias = (softmax(np.where(behind, scores + one, -np.inf)) for one in (bloom, bias))
    expect.close(
        masked_bloom, masked_bias, "the weights of both forms under a causal mask", expect.precision(bloom, bias)
    )
    lines = np.array([slope(head, n_heads) * np.arange(6) for head in range(n_heads)])
    expect.close(bloom, lines[:, np.newaxis, :], "a straight line from 0, as steep as the head's slope")


# effective_window


@pytest.mark.question("effective_window", points=0.75)
def test_windows_of_many_heads(alibi, rng):
    """The window is correct for any slope and any tolerance."""
    for tolerance in (0.01, 0.5, 0.1, 0.05, 0.001, 1e-6, 1 / 3):
        for head in range(8):
            expect.matches(alibi.effective_window, slope(head, 8), tolerance)
        expect.matches(alibi.effective_window, float(rng.uniform(0.05, 3)), tolerance)
    expect.matches(alibi.effective_window, 100.0, 0.5)
    expect.matches(alibi.effective_window, 1e-4, 1e-6)


@pytest.mark.question("effective_window", points=0.75)
@given(head=st.integers(0, 11), tolerance=st.sampled_from([0.5, 0.1, 0.05, 0.01, 0.001, 1e-6, 1 / 3]))
def test_the_window_is_the_first_such_distance(alibi, head, tolerance):
    """At the distance that effective_window returns, the bias leaves at most the tolerance; one step nearer,
    it leaves more."""
    steep = slope(head, 12)
    window = alibi.effective_window(steep, tolerance)
    expect.holds(
        math.exp(-steep * window) <= tolerance < math.exp(-steep * (window - 1)),
        "the first distance that meets the tolerance",
    )


# Rules of lesson 1 for every function


@pytest.mark.question("alibi_attention", points=0.25)
def test_arguments_stay_as_they_are(alibi, rng):
    """alibi_attention does not change q, k or v."""
    expect.unchanged(alibi.alibi_attention, *heads(rng, (2,), 2, 3, 5))


@pytest.mark.question("effective_window", points=0.25)
def test_windows_need_a_slope(alibi):
    """A slope that is not positive raises a ValueError."""
    expect.answers(alibi.effective_window, 0.25, 0.01)
    expect.raises(ValueError, alibi.effective_window, -0.25, 0.01)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize("key", ["first_slope_8_heads", "last_slope_8_heads", "added_to_embeddings", "parameters"])
def test_answer(alibi, key):
    """Every question has one correct answer."""
    expect.answer(alibi, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["weight_ratio_of_neighbours_slope_one_half", "steepest_slope_of_12_heads"])
def test_practice_answer(alibi, key):
    """This question is for practice and earns no points."""
    expect.answer(alibi, key)
