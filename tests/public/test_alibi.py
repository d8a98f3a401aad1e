"""Public tests for ALiBi: the values of each function, and the properties that make the bias a straight line.

Each test's docstring states the rule that the test checks. The expected values are in `expected/alibi.json`.
"""

import numpy as np
import pytest
from hypothesis import given

from autograder.checks import expect
from autograder.checks.inputs import case, features, seeds


def causal_weights(scores):
    """Return the softmax over the keys that are not ahead of the query, with the last query at the last key."""
    q_len, k_len = scores.shape[-2:]
    scores = np.where(np.tri(q_len, k_len, k_len - q_len, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.question("alibi_slopes", points=0.5625)
def test_slopes_by_hand(alibi):
    """With eight heads, each slope is half of the previous one, from 1/2 to 1/256."""
    slopes = expect.matches(alibi.alibi_slopes, 8)
    expect.close(slopes, 1 / np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]), "the slopes of eight heads")


@pytest.mark.question("alibi_slopes", points=0.5)
def test_slopes_of_a_power_of_two(alibi):
    """The first slope is 2^(−8/n), and so is the ratio of each slope to the one before it."""
    for n_heads in (1, 2, 4, 16):
        expect.matches(alibi.alibi_slopes, n_heads)


@pytest.mark.question("alibi_slopes", points=0.625)
def test_slopes_of_other_numbers_of_heads(alibi):
    """The slopes for the next lower power of two come first, followed by every other slope for twice that power."""
    slopes = expect.matches(alibi.alibi_slopes, 3)
    expect.close(slopes, np.array([1 / 16, 1 / 256, 1 / 4]), "the slopes of three heads")
    expect.matches(alibi.alibi_slopes, 6)
    expect.matches(alibi.alibi_slopes, 12)


@pytest.mark.question("alibi_bias", points=0.5625)
def test_bias_by_hand(alibi):
    """The bias is minus slope times distance, both for keys behind the query and for keys ahead of it."""
    bias = expect.matches(alibi.alibi_bias, 1, 2, 3)
    expect.close(
        bias * 256,
        np.array([[[-1.0, 0.0, -1.0], [-2.0, -1.0, 0.0]]]),
        "256 times the bias for one head, two queries and three keys",
    )


@pytest.mark.question("alibi_bias", points=0.625)
def test_bias(alibi):
    """The bias has one matrix per head, even if there are fewer queries than keys."""
    expect.matches(alibi.alibi_bias, 4, 3, 3)
    expect.matches(alibi.alibi_bias, 2, 2, 5)


@pytest.mark.question("alibi_bias", points=0.5)
def test_the_newest_token_is_no_distance_from_itself(alibi):
    """A single query has the position of the last key."""
    bias = expect.matches(alibi.alibi_bias, 2, 1, 4)
    expect.close(
        bias[:, 0, :] * 256, np.array([[-48.0, -32.0, -16.0, 0.0], [-3.0, -2.0, -1.0, 0.0]]), "256 times the bias"
    )


@pytest.mark.question("alibi_attention", points=0.625)
def test_attention_by_hand(alibi):
    """Of two keys that match equally well, the nearer one has e^(1/256) times the weight of the other."""
    out = alibi.alibi_attention(np.zeros((1, 1, 1)), np.ones((1, 2, 1)), np.array([[[0.0], [1.0]]]))
    expect.close(out, np.array([[[1 / (1 + np.exp(-1 / 256))]]]), "the weight of the nearer key")


@pytest.mark.question("alibi_attention", points=0.75)
def test_causal_attention(alibi):
    """alibi_attention is softmax(q kᵀ/√d + bias) v; each query uses the keys up to its own, and the last query
    uses all keys."""
    expect.matches(alibi.alibi_attention, features(4, 4, 4), features(4, 4, 4, seed=1), features(4, 4, 2, seed=2))
    expect.matches(
        alibi.alibi_attention, features(2, 2, 2, 6), features(2, 2, 5, 6, seed=1), features(2, 2, 5, 3, seed=2)
    )


@pytest.mark.question("alibi_attention", points=0.5)
def test_attention_both_ways(alibi):
    """Without the causal mask, every query may use every key, and the scores of later keys also fall with distance."""
    expect.matches(
        alibi.alibi_attention, features(2, 4, 4), features(2, 4, 4, seed=1), features(2, 4, 3, seed=2), causal=False
    )


@pytest.mark.question("bloom_bias", points=0.5625)
def test_bloom_bias(alibi):
    """The bias is slope times the key's position, with one row per head for all queries."""
    bias = expect.matches(alibi.bloom_bias, 1, 3)
    expect.close(bias * 256, np.array([[[0.0, 1.0, 2.0]]]), "256 times BLOOM's bias of one head")
    expect.matches(alibi.bloom_bias, 4, 5)


@pytest.mark.question("bloom_bias", points=0.625)
@given(seed=seeds())
def test_both_forms_give_the_same_weights(alibi, seed):
    """Under a causal mask, BLOOM's form gives the same weights as minus slope times distance."""
    scores = features(2, 3, 5, seed=seed)
    bloom = alibi.bloom_bias(2, 5)
    expect.holds(bloom.shape == (2, 1, 5), "BLOOM's bias has one row per head, shape (heads, 1, keys)")
    steps = np.diff(bloom)
    expect.holds(np.isfinite(steps).all() and not np.allclose(steps[0], steps[1]), "every head has its own slope")
    expect.close(
        causal_weights(scores + bloom),
        causal_weights(scores + alibi.alibi_bias(2, 3, 5)),
        "the weights with bloom_bias, compared with those of your alibi_bias",
    )
    expect.holds(
        not np.allclose(causal_weights(scores + bloom), causal_weights(scores)), "the bias changes the weights"
    )


@pytest.mark.question("effective_window", points=0.5)
def test_windows_by_hand(alibi):
    """For a tolerance of 0.01, the window is the first distance at which the bias leaves at most that share
    of a weight."""
    windows = [expect.matches(alibi.effective_window, slope, 0.01) for slope in (1 / 4, 1 / 16, 1 / 64, 1 / 256)]
    expect.close(np.array(windows), np.array([19, 74, 295, 1179]), "the windows of four heads")


@pytest.mark.question("effective_window", points=0.5)
def test_windows(alibi):
    """A steeper slope or a larger tolerance gives a shorter window."""
    expect.matches(alibi.effective_window, 0.05, 0.5)
    expect.matches(alibi.effective_window, 0.1, 0.001)
    expect.matches(alibi.effective_window, 2.0, 1 / 3)


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("alibi_slopes", 6),
        case("alibi_bias", 3, 2, 4),
        case("bloom_bias", 3, 4),
    ],
)
def test_tables_are_float64(alibi, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(alibi, function), *arguments)


@pytest.mark.question("alibi_attention", points=0.125)
def test_dtype(alibi):
    """alibi_attention returns float32 if queries, keys and values are all float32; whole numbers give float64."""
    expect.dtype(alibi.alibi_attention, *(features(2, 3, 1, seed=seed, dtype=np.float32) for seed in (1, 2, 3)))
    expect.dtype(alibi.alibi_attention, np.array([[[0]]]), np.array([[[1], [1]]]), np.array([[[0], [1]]]))


@pytest.mark.question("alibi_bias", points=0.25)
def test_queries_line_up_with_keys(alibi):
    """More queries than keys raise a ValueError."""
    expect.answers(alibi.alibi_bias, 2, 3, 4)
    expect.raises(ValueError, alibi.alibi_bias, 2, 4, 3)
