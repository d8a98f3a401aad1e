"""Public tests for attention: the values of each function, and the effect of shuffling tokens.

Each test's docstring states the rule that the test checks. The expected values are in `expected/attention.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

NOTHING = -np.inf
# The lesson's example by hand: tokens 0, 1, 2 with one feature each, and exp(S_ij) = 2^(x_i x_j).
TOKENS = np.array([[0.0], [1.0], [2.0]])

BY_HAND = [np.array([[np.log(2)]]), np.array([[1.0]]), np.array([[1.0]])]


# softmax


@pytest.mark.question("softmax", points=0.25)
def test_softmax_by_hand(attention):
    """The scores 0 and ln 3 give the weights 1/4 and 3/4; adding 1000 to both changes nothing."""
    scores = np.array([0.0, np.log(3)])
    expect.close(attention.softmax(scores), np.array([0.25, 0.75]), "softmax of 0 and ln 3")
    expect.close(attention.softmax(scores + 1000), np.array([0.25, 0.75]), "softmax of 1000 and 1000 + ln 3")


@pytest.mark.question("softmax", points=0.25)
def test_softmax_along_an_axis(attention):
    """The weights sum to 1 along `axis`, which is the last axis by default."""
    expect.matches(attention.softmax, features(2, 3, 4))
    expect.matches(attention.softmax, features(3, 4), axis=0)
    expect.matches(attention.softmax, features(2, 3, 4), axis=1)


@pytest.mark.question("softmax", points=0.25)
def test_softmax_of_huge_scores(attention):
    """Each slice is shifted by its own maximum, so huge scores of either sign give correct weights."""
    expect.matches(attention.softmax, np.array([[1e4, 1e4 - 1, 0.0], [-1e4, -1e4 - 1, -1e4 - 2], [0.0, 1.0, 2.0]]))


@pytest.mark.question("softmax", points=0.25)
def test_softmax_of_nothing(attention):
    """If every score in a slice is −∞, all its weights are 0; a single −∞ gets weight 0."""
    scores = np.array([[NOTHING, NOTHING, NOTHING], [0.0, NOTHING, 1.0]])
    expect.matches(attention.softmax, scores)
    expect.matches(attention.softmax, scores, axis=0)


@pytest.mark.question("softmax", points=0.25)
@given(seed=seeds(), shift=st.integers(-1000, 1000))
def test_softmax_forgets_a_common_shift(attention, seed, shift):
    """Adding the same number to all scores in a slice changes nothing, and a larger score gets a larger weight."""
    scores = features(3, 5, seed=seed)
    weights = attention.softmax(scores)
    expect.close(attention.softmax(scores + shift), weights, "a shift changes nothing")
    expect.close(np.sum(weights, axis=-1), np.ones(3), "the weights of a slice sum to 1")
    expect.close(np.argmax(weights, axis=-1), np.argmax(scores, axis=-1), "the largest score has the largest weight")


# attention_weights


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_by_hand(attention):
    """As in the lesson's example, the weights are thirds, sevenths and twenty-firsts."""
    expected = np.array([[1 / 3, 1 / 3, 1 / 3], [1 / 7, 2 / 7, 4 / 7], [1 / 21, 4 / 21, 16 / 21]])
    expect.close(attention.attention_weights(TOKENS * np.log(2), TOKENS), expected, "the weights of tokens 0, 1, 2")


@pytest.mark.question("attention_weights", points=0.5)
def test_weights(attention):
    """Scores are divided by √d, and each query's weights sum to 1 over the keys."""
    expect.matches(attention.attention_weights, features(3, 4), features(5, 4, seed=1))
    expect.matches(attention.attention_weights, features(2, 3, 4, 8), features(2, 3, 4, 8, seed=1))


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_with_a_mask(attention):
    """Where the mask is True, the query may attend to the key. A query with no allowed key gets zeros."""
    q, k = features(3, 4), features(3, 4, seed=1)
    something = np.array([[True, False, True], [False, True, True], [True, True, True]])
    nothing_for_one = np.array([[True, False, True], [False, False, False], [False, True, False]])
    expect.matches(attention.attention_weights, q, k, something)
    expect.matches(attention.attention_weights, q, k, mask=nothing_for_one)


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_with_a_bias(attention):
    """The bias is added to the scores after they are scaled."""
    q, k = features(3, 4), features(5, 4, seed=1)
    expect.matches(attention.attention_weights, q, k, bias=features(3, 5, seed=2))
    expect.matches(attention.attention_weights, q, k, features(3, 5, seed=3) > -1, features(3, 5, seed=2))


@pytest.mark.question("attention_weights", points=0.25)
def test_mask_and_bias_serve_all_heads(attention):
    """The mask and the bias broadcast over leading axes."""
    q, k = features(2, 3, 4, 2), features(2, 3, 4, 2, seed=1)
    expect.matches(attention.attention_weights, q, k, np.tri(4, dtype=bool), features(3, 4, 4, seed=2))
    expect.matches(attention.attention_weights, q, k, features(3, 4, 4, seed=3) > -1)


# attention


@pytest.mark.question("attention", points=0.25)
def test_attention_by_hand(attention):
    """As in the lesson's example, the outputs are 1, 10/7 and 12/7."""
    out = attention.attention(TOKENS * np.log(2), TOKENS, TOKENS)
    expect.close(out, np.array([[1.0], [10 / 7], [12 / 7]]), "the outputs of tokens 0, 1, 2")


@pytest.mark.question("attention", points=0.25)
def test_attention(attention):
    """Every query gets the weighted average of the values; values can be wider than keys."""
    q, k, v = features(3, 4), features(5, 4, seed=1), features(5, 6, seed=2)
    expect.matches(attention.attention, q, k, v)
    expect.matches(attention.attention, q, k, v, features(3, 5, seed=3) > -1, features(3, 5, seed=4))
    expect.matches(
        attention.attention, features(2, 3, 4, 2), features(2, 3, 4, 2, seed=1), features(2, 3, 4, 1, seed=2)
    )


@pytest.mark.question("attention", points=0.5)
@given(seed=seeds(), order=st.permutations(range(5)))
def test_the_order_of_keys_does_not_matter(attention, seed, order):
    """If keys and values are shuffled together, every query gets the same output, which is not the plain mean."""
    q, k, v = (features(rows, 4, seed=seed + part) for part, rows in enumerate((3, 5, 5)))
    out = attention.attention(q, k, v)
    expect.close(attention.attention(q, k[order], v[order]), out, "the order of the keys does not matter")
    mean = np.tile(v.mean(axis=0), (3, 1))
    expect.close(attention.attention(0 * q, k, v), mean, "a query of zeros gets the plain mean")
    expect.holds(not np.allclose(out, mean), "other queries get a different mean")


# causal_mask


@pytest.mark.question("causal_mask", points=0.25)
def test_causal_mask(attention):
    """Row i may attend to rows 0 … i, including its own; the mask is boolean."""
    expect.dtype(attention.causal_mask, 4)
    expected = np.array([[True, False, False], [True, True, False], [True, True, True]])
    expect.close(attention.causal_mask(3), expected, "causal_mask(3)")


# self_attention


@pytest.mark.question("self_attention", points=0.25)
def test_self_attention_by_hand(attention):
    """With the three weight matrices in the lesson's example, the outputs are 1, 10/7 and 12/7."""
    out = attention.self_attention(TOKENS, *BY_HAND)
    expect.close(out, np.array([[1.0], [10 / 7], [12 / 7]]), "the outputs of tokens 0, 1, 2")


@pytest.mark.question("self_attention", points=0.25)
def test_self_attention(attention):
    """Queries, keys and values are x multiplied by separate weight matrices; d is the width of a query."""
    w_q, w_k, w_v = features(6, 2, seed=1), features(6, 2, seed=2), features(6, 3, seed=3)
    expect.matches(attention.self_attention, features(5, 6), w_q, w_k, w_v)
    expect.matches(attention.self_attention, features(2, 4, 6), w_q, w_k, w_v, np.tri(4, dtype=bool))


# Two tokens with the features 1 … 4 and 5 … 8.
TWO_TOKENS = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])

TWO_HEADS = np.array([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]])


@pytest.mark.question("split_heads", points=0.25)
def test_split_by_hand(attention):
    """As in the lesson's example, head 0 has columns 0 and 1 of every token, and head 1 has columns 2 and 3."""
    expect.close(attention.split_heads(TWO_TOKENS, 2), TWO_HEADS, "two tokens, cut into two heads")


@pytest.mark.question("split_heads", points=0.25)
def test_split(attention):
    """Head j is the j-th block of d/h adjacent columns, and the head axis comes before the sequence axis."""
    expect.matches(attention.split_heads, features(5, 6), 3)
    expect.matches(attention.split_heads, features(2, 4, 12), 4)
    expect.matches(attention.split_heads, features(4, 6), 1)


# merge_heads


@pytest.mark.question("merge_heads", points=0.25)
def test_merge(attention):
    """The blocks of one token are side by side again, in head order."""
    expect.close(attention.merge_heads(TWO_HEADS), TWO_TOKENS, "two heads, merged into two tokens")
    expect.matches(attention.merge_heads, features(3, 5, 2))
    expect.matches(attention.merge_heads, features(2, 4, 3, 6))


# permute_tokens


@pytest.mark.question("permute_tokens", points=0.25)
def test_permute_by_hand(attention):
    """order[t] says where row t comes from: [2, 0, 1] puts the last row first."""
    moved = attention.permute_tokens(np.array([[10.0], [20.0], [30.0]]), np.array([2, 0, 1]))
    expect.close(moved, np.array([[30.0], [10.0], [20.0]]), "rows 10, 20, 30 in the order [2, 0, 1]")


@pytest.mark.question("permute_tokens", points=0.25)
def test_permute_with_leading_axes(attention):
    """For any leading axes, a token moves together with all its features."""
    expect.matches(attention.permute_tokens, features(3, 3, 3), np.array([1, 2, 0]))
    expect.matches(attention.permute_tokens, features(2, 4, 3), np.array([3, 0, 2, 1]))


# equivariance_gap


@pytest.mark.question("equivariance_gap", points=0.25)
def test_gap(attention):
    """The gap is the largest difference between attending first and permuting first, in float64."""
    w = [features(4, 4, seed=seed) for seed in (1, 2, 3)]
    in_float32 = [array.astype(np.float32) for array in (features(4, 4), *w)]
    expect.matches(attention.equivariance_gap, *in_float32, np.array([2, 0, 3, 1]), np.tri(4, dtype=bool))
    expect.matches(attention.equivariance_gap, features(4, 4), *w, np.array([2, 0, 3, 1]), np.tri(4, dtype=bool))
    expect.matches(attention.equivariance_gap, features(2, 3, 4), *w, np.array([1, 2, 0]), mask=np.tri(3, dtype=bool))


@pytest.mark.question("equivariance_gap", points=1.0)
@given(seed=seeds(), order=st.permutations(range(4)))
def test_self_attention_is_equivariant(attention, seed, order):
    """Without a mask, the outputs move with their tokens; if the mask allows only position 0, they do not."""
    x, w = features(4, 3, seed=seed), [np.eye(3), np.eye(3), features(3, 2, seed=seed + 1)]
    expect.close(attention.equivariance_gap(x, *w, np.array(order)), 0.0, "without a mask the gap is zero")
    only_the_first = np.tile([True, False, False, False], (4, 1))
    expected = np.abs((x[0] - x[order[0]]) @ w[2]).max()
    masked = attention.equivariance_gap(x, *w, np.array(order), only_the_first)
    expect.close(masked, expected, "if all queries use only key 0, the gap is that of the two tokens at position 0")
    without_the_last = np.tile([True, True, True, False], (4, 1))
    backwards, none = np.array([3, 2, 1, 0]), np.zeros((3, 3))
    pairs = (w[0], w[1]), (none, w[1]), (w[0], none)
    gap, *others = [attention.equivariance_gap(x, *pair, w[2], backwards, without_the_last) for pair in pairs]
    expect.holds(not np.isclose(others, gap).any(), "queries and keys decide how large a gap is")


# bag_of_tokens


@pytest.mark.question("bag_of_tokens", points=0.25)
def test_bag_by_hand(attention):
    """As in the lesson's example, the mean of 1, 10/7 and 12/7 is 29/21, in any order."""
    expect.close(attention.bag_of_tokens(TOKENS[[2, 0, 1]], *BY_HAND), np.array([29 / 21]), "the bag of tokens 2, 0, 1")
    expect.close(attention.bag_of_tokens(TOKENS, *BY_HAND), np.array([29 / 21]), "the bag of tokens 0, 1, 2")


@pytest.mark.question("bag_of_tokens", points=0.25)
def test_bag(attention):
    """The bag is the mean of self-attention's output over the tokens."""
    w = [features(6, 2, seed=1), features(6, 2, seed=2), features(6, 3, seed=3)]
    expect.matches(attention.bag_of_tokens, features(4, 6), *w)
    expect.matches(attention.bag_of_tokens, features(2, 3, 5, 6), *w)


# Rules of lesson 1 for every function


@pytest.mark.question("attention", points=0.25)
def test_dtype(attention):
    """attention returns float32 if q, k and v are all float32, and float64 for whole numbers or if any array is
    float64."""
    arrays = [features(3, 1, seed=seed, dtype=np.float32) for seed in (1, 2, 3)]
    expect.dtype(attention.attention, *arrays)
    expect.dtype(attention.attention, [[1, 0]], [[1, 0], [0, 1]], [[10], [20]])
    expect.dtype(attention.attention, *arrays[:2], arrays[2].astype(np.float64))


@pytest.mark.question("attention_weights", points=0.25)
def test_a_mask_adds_no_queries(attention):
    """A mask of five rows for a single query raises a ValueError, although numpy would give five rows of weights."""
    q, k = features(1, 4), features(4, 4, seed=1)
    expect.answers(attention.attention_weights, q, k)
    expect.raises(ValueError, attention.attention_weights, q, k, np.ones((5, 4), dtype=bool))
