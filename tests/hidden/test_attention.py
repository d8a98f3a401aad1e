"""Hidden tests for attention: this term's values, dtype, arguments, errors, loops, and the two symmetries of attention.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Tolerances. If the features are float32, the gap can be computed in float32, where rounding alone gives about 1e−7;
ROUNDED allows a hundred times that. If the features are float64, the gap must have float64 precision, even if it is
returned as a float32 number, so DOUBLE is the tolerance for float64. If one array is float64 and the others are
float32, the tests of the dtype use multiples of 1/8 and equal weights of 1/4, which are exact in float32, so that it
makes no difference where a submission rounds.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

NOTHING = -np.inf


DOUBLE = 1e-8


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def weights(rng, d, dk, dv, dtype=np.float64):
    return [normal(rng, d, columns, dtype=dtype) for columns in (dk, dk, dv)]


def single(*arrays):
    return [array.astype(np.float32) for array in arrays]


def cycle(rng, length):
    """Return a random order in which all tokens form one cycle; for three or more tokens, such an order is
    not its own inverse."""
    round_trip, order = rng.permutation(length), np.empty(length, dtype=int)
    order[round_trip] = np.roll(round_trip, 1)
    return order


def some(rng, *shape):
    """Return a random mask that allows at least one key in every row."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    return mask


# softmax


@pytest.mark.question("softmax", points=0.25)
def test_softmax_of_any_shape_along_any_axis(attention, rng):
    """The scores can have any number of axes, `axis` can count from either end, and a slice can have a single score."""
    expect.matches(attention.softmax, normal(rng, 7))
    expect.matches(attention.softmax, normal(rng, 5, 1))
    for axis in (0, 1, 2, -1, -2, -3):
        expect.matches(attention.softmax, 3 * normal(rng, 2, 3, 4), axis)


@pytest.mark.question("softmax", points=0.25)
def test_softmax_of_slices_far_apart(attention, rng):
    """Each slice is shifted by its own maximum, so huge scores in one slice do not change the others."""
    far = normal(rng, 6, 4) + np.array([[1e4], [-1e4], [0.0], [5e3], [-800.0], [800.0]])
    expect.matches(attention.softmax, far)
    expect.matches(attention.softmax, far - 6e4)
    expect.matches(attention.softmax, far.T, axis=0)


@pytest.mark.question("softmax", points=0.25)
def test_softmax_of_nothing_along_any_axis(attention, rng):
    """If every score in a slice is −∞, all its weights are 0, along any axis, even if other slices have
    finite scores."""
    scores = np.where(rng.random((3, 4, 5)) < 0.3, NOTHING, normal(rng, 3, 4, 5))
    scores[1, 2, :], scores[:, 0, 3], scores[2, :, 1] = NOTHING, NOTHING, NOTHING
    for axis in (0, 1, 2):
        expect.matches(attention.softmax, scores, axis)
    expect.matches(attention.softmax, np.full(3, NOTHING))


@pytest.mark.question("softmax", points=0.25)
def test_softmax_does_not_loop(attention):
    """All slices are computed at once, without a loop."""
    expect.vectorised(attention.softmax, lambda length: (features(length, length),))


# attention_weights


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_with_any_shapes(attention, rng):
    """Any leading axes and any numbers of queries, keys and features are allowed."""
    for leading, queries, keys, d in (
        ((), 4, 6, 5),
        ((3,), 1, 4, 2),
        ((2, 3), 4, 1, 3),
        ((), 5, 5, 1),
        ((2,), 3, 7, 64),
    ):
        expect.matches(attention.attention_weights, normal(rng, *leading, queries, d), normal(rng, *leading, keys, d))


@pytest.mark.question("attention_weights", points=0.5)
def test_weights_with_any_mask(attention, rng):
    """A mask can be the same for all heads, or differ per batch, per head or only per key; a fully masked row has
    weights of 0."""
    q, k = normal(rng, 2, 3, 4, 5), normal(rng, 2, 3, 6, 5)
    for shape in ((4, 6), (3, 4, 6), (2, 1, 4, 6), (2, 1, 1, 6), (6,)):
        expect.matches(attention.attention_weights, q, k, some(rng, *shape))
    nothing_for_one = some(rng, 2, 3, 4, 6)
    nothing_for_one[1, :, 2] = False
    expect.matches(attention.attention_weights, q, k, nothing_for_one)
    expect.matches(attention.attention_weights, q, k, np.zeros((4, 6), dtype=bool))


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_with_any_bias(attention, rng):
    """A bias can be the same for all heads, or differ per batch, per head or only per key, and can add leading axes; it
    is not scaled."""
    q, k = normal(rng, 2, 3, 4, 5), normal(rng, 2, 3, 6, 5)
    for shape in ((4, 6), (3, 4, 6), (2, 1, 4, 6), (3, 1, 6), (6,)):
        expect.matches(attention.attention_weights, q, k, bias=2 * normal(rng, *shape))
    expect.matches(attention.attention_weights, q[0, 0], k[0, 0], bias=normal(rng, 3, 4, 6))
    expect.matches(attention.attention_weights, q[0, 0], k[0, 0], bias=normal(rng, 4, 6) - 6e4)


@pytest.mark.question("attention_weights", points=0.25)
def test_the_mask_wins_over_the_bias(attention, rng):
    """If the mask forbids a pair, its weight is 0, however large the bias is."""
    q, k, mask = normal(rng, 2, 4, 3), normal(rng, 2, 5, 3), some(rng, 4, 5)
    mask[1] = False
    bias = np.where(mask, 0.0, 30.0) + normal(rng, 2, 4, 5)
    expect.matches(attention.attention_weights, q, k, mask, bias)


def _pair(length):
    """Return as many queries as keys, with two features each."""
    return features(length, 2), features(length, 2, seed=1)


@pytest.mark.question("attention_weights", points=0.25)
def test_weights_do_not_loop(attention):
    """Scores, mask and bias are computed for all queries and keys at once, without a loop."""
    expect.vectorised(
        attention.attention_weights,
        lambda length: (*_pair(length), np.tri(length) > 0, features(length, length)),
    )


@pytest.mark.question("attention_weights", points=0.75)
@given(seed=seeds(), d=st.sampled_from([1, 2, 4, 9, 16]))
def test_weights_compare_by_scaled_scores(attention, seed, d):
    """The ratio of two weights of a query is exp((q·k − q·k′)/√d), and all weights of a query sum to 1."""
    q, k = features(3, d, seed=seed), features(4, d, seed=seed + 1)
    found = attention.attention_weights(q, k)
    scores = q @ k.T / np.sqrt(d)
    expect.close(np.sum(found, axis=-1), np.ones(3), "the weights of a query sum to 1")
    ratios = np.log(found) - np.log(found[:, :1])
    expect.close(ratios, scores - scores[:, :1], "the logarithm of a ratio of weights is the difference of the scores")


# attention


@pytest.mark.question("attention", points=0.75)
def test_attention_with_any_shapes(attention, rng):
    """Any leading axes and any value width are allowed, and the mask and the bias take effect."""
    for leading, queries, keys, d, dv in (((), 4, 6, 5, 2), ((3,), 1, 4, 2, 5), ((2, 3), 4, 1, 3, 1)):
        q, k, v = normal(rng, *leading, queries, d), normal(rng, *leading, keys, d), normal(rng, *leading, keys, dv)
        expect.matches(attention.attention, q, k, v)
        expect.matches(attention.attention, q, k, v, some(rng, queries, keys), normal(rng, queries, keys))
    expect.matches(attention.attention, q, k, v, mask=np.array([[True], [False], [True], [True]]))


@pytest.mark.question("attention", points=0.25)
def test_attention_does_not_loop(attention):
    """The values are averaged for all queries at once, without a loop."""
    expect.vectorised(attention.attention, lambda length: [features(length, 2, seed=seed) for seed in (1, 2, 3)])


@pytest.mark.question("attention", points=0.75)
def test_shuffled_queries_and_keys(attention, rng):
    """Shuffling keys, values and bias together changes nothing; shuffled queries get the same outputs in the
    shuffled order."""
    q, k, v, bias = normal(rng, 6, 3), normal(rng, 5, 3), normal(rng, 5, 2), normal(rng, 6, 5)
    of_keys, of_queries = rng.permutation(5), rng.permutation(6)
    out = expect.matches(attention.attention, q, k, v, bias=bias)
    by_keys = attention.attention(q, k[of_keys], v[of_keys], bias=bias[:, of_keys])
    expect.close(by_keys, out, "shuffled keys, values and bias give the same answers")
    by_queries = attention.attention(q[of_queries], k, v, bias=bias[of_queries])
    expect.close(by_queries, out[of_queries], "shuffled queries give shuffled answers")


# causal_mask


@pytest.mark.question("causal_mask", points=0.25)
def test_causal_mask_of_any_length(attention):
    """The mask is True on and below the diagonal, for one token as well as many."""
    for length in (2, 9, 1):
        expect.matches(attention.causal_mask, length)
    expect.matches(attention.causal_mask, 260)


@pytest.mark.question("causal_mask", points=0.25)
def test_causal_mask_does_not_loop(attention):
    """All rows and columns are compared at once, without a loop."""
    expect.vectorised(attention.causal_mask, lambda length: (length,))


# self_attention


@pytest.mark.question("self_attention", points=0.5)
def test_self_attention_with_any_shapes(attention, rng):
    """Any leading axes, any query and value widths, and any mask are allowed."""
    for leading, length, d, dk, dv in (((), 5, 4, 3, 6), ((2,), 1, 3, 5, 1), ((2, 3), 4, 1, 1, 2)):
        x, w = normal(rng, *leading, length, d), weights(rng, d, dk, dv)
        expect.matches(attention.self_attention, x, *w)
        expect.matches(attention.self_attention, x, *w, some(rng, length, length))
    expect.matches(attention.self_attention, x, *w, mask=some(rng, 2, 1, 4, 4))


@pytest.mark.question("self_attention", points=0.5)
@given(seed=seeds(), seen=st.integers(1, 3))
def test_a_causal_mask_hides_the_future(attention, seed, seen):
    """With a causal mask, later tokens do not change earlier outputs, and token 0 gets its own value."""
    x, later = features(4, 3, seed=seed), features(4, 3, seed=seed + 1)
    w, mask = [features(3, 3, seed=seed + part) for part in (2, 3, 4)], np.tri(4, dtype=bool)
    out = attention.self_attention(x, *w, mask)
    other = attention.self_attention(np.concatenate([x[:seen], later[seen:]]), *w, mask)
    expect.close(other[:seen], out[:seen], "tokens that come later change nothing")
    expect.close(out[0], x[0] @ w[2], "the first token gets its own value")
    for w_q, w_k in ((0 * w[0], w[1]), (w[0], 0 * w[1])):
        expect.holds(
            not np.allclose(attention.self_attention(x, w_q, w_k, w[2], mask), out),
            "queries and keys decide the later outputs",
        )


# split_heads and merge_heads


@pytest.mark.question("split_heads", points=0.5)
def test_split_with_any_shapes(attention, rng):
    """For any leading axes and any number of heads that divides the features, head j is a block of neighbouring
    columns."""
    for leading, length, heads, width in (
        ((), 5, 2, 3),
        ((4,), 1, 4, 1),
        ((2, 3), 4, 3, 2),
        ((), 3, 1, 5),
        ((3,), 3, 3, 3),
    ):
        x = normal(rng, *leading, length, heads * width)
        split = expect.matches(attention.split_heads, x, heads)
        last = x[..., -width:]
        expect.close(split[..., -1, :, :], last, "the last head has the last columns of every token")


@pytest.mark.question("merge_heads", points=0.5)
def test_merge_undoes_split(attention, rng):
    """Merging the heads restores the tokens, for any number of heads and any leading axes."""
    for leading, length, heads, width in (
        ((), 5, 2, 3),
        ((4,), 1, 4, 1),
        ((2, 3), 4, 3, 2),
        ((), 3, 1, 5),
        ((3,), 3, 3, 3),
    ):
        x = normal(rng, *leading, length, heads * width)
        blocks = np.stack(np.split(x, heads, axis=-1), axis=-3)
        expect.close(attention.merge_heads(blocks), x, "the blocks of all heads, side by side, are the token again")
        expect.matches(attention.merge_heads, normal(rng, *leading, heads, length, width))


# permute_tokens


@pytest.mark.question("permute_tokens", points=0.75)
def test_permute_and_take_back(attention, rng):
    """For any order, row t comes from row order[t]; the inverse order restores the rows."""
    for leading, length in (((), 7), ((5,), 5), ((2, 3), 3)):
        x, order = normal(rng, *leading, length, 4), cycle(rng, length)
        moved = expect.matches(attention.permute_tokens, x, order)
        expect.close(attention.permute_tokens(moved, np.argsort(order)), x, "the inverse order restores the rows")
    expect.matches(attention.permute_tokens, normal(rng, 1, 1), np.array([0]))


# equivariance_gap


@pytest.mark.question("equivariance_gap", points=1.0)
def test_gap_under_any_mask(attention, rng):
    """The gap is correct for any mask, order and leading axes; without a mask, it is zero up to rounding."""
    for leading, length in (((), 5), ((3,), 4), ((2, 2), 3)):
        x, w, order = normal(rng, *leading, length, 3), weights(rng, 3, 4, 2), cycle(rng, length)
        expect.matches(attention.equivariance_gap, x, *w, order, some(rng, length, length), tolerance=DOUBLE)
        expect.matches(attention.equivariance_gap, x, *w, order, np.tri(length, dtype=bool), tolerance=DOUBLE)
        expect.matches(attention.equivariance_gap, x, *w, order, tolerance=DOUBLE)


@pytest.mark.question("equivariance_gap", points=0.25)
def test_gap_sees_the_largest_difference_of_either_sign(attention, rng):
    """The gap is the largest absolute difference, whether the difference itself is positive or negative."""
    x, (w_q, w_k, w_v), order = normal(rng, 4, 3), weights(rng, 3, 3, 1), np.array([2, 0, 3, 1])
    mask = np.tri(4, dtype=bool)
    gap = expect.matches(attention.equivariance_gap, x, w_q, w_k, w_v, order, mask)
    expect.close(attention.equivariance_gap(x, w_q, w_k, -w_v, order, mask), gap, "negated values have the same gap")
    expect.close(
        attention.equivariance_gap(x, w_q, w_k, 2 * w_v, order, mask), 2 * gap, "doubled values double the gap"
    )


# bag_of_tokens


@pytest.mark.question("bag_of_tokens", points=0.25)
def test_bag_dtype_and_shapes(attention, rng):
    """Any leading axes and any query and value widths are allowed."""
    for leading, length, d, dk, dv in (((), 5, 4, 3, 6), ((2,), 1, 3, 5, 1), ((2, 3), 4, 1, 1, 2)):
        expect.matches(attention.bag_of_tokens, normal(rng, *leading, length, d), *weights(rng, d, dk, dv))


@pytest.mark.question("bag_of_tokens", points=1.25)
@given(seed=seeds(), order=st.permutations(range(4)))
def test_the_bag_is_invariant(attention, seed, order):
    """The bag is the same for every order of the tokens, and it is the mean of self-attention's outputs."""
    x, w = features(4, 3, seed=seed), [features(3, 2, seed=seed + part) for part in (1, 2, 3)]
    bag = attention.bag_of_tokens(x, *w)
    of_one = attention.bag_of_tokens(x[[0, 0, 0, 0]], *w)
    expect.close(of_one, x[0] @ w[2], "the bag of one token, repeated four times, is the token's value")
    expect.close(attention.bag_of_tokens(x[order], *w), bag, "the bag is the same for every order")
    expect.close(bag, np.mean(attention.self_attention(x, *w), axis=-2), "the bag is the mean of the outputs")


# Rules of lesson 1 for every function


@pytest.mark.question("attention", points=0.25)
def test_arguments_stay_as_they_are(attention, rng):
    """attention does not change its queries, keys, values, mask or bias."""
    q, k, v = normal(rng, 2, 3, 4), normal(rng, 2, 5, 4), normal(rng, 2, 5, 6)
    expect.unchanged(attention.attention, q, k, v, some(rng, 3, 5), normal(rng, 2, 3, 5))


@pytest.mark.question("permute_tokens", points=0.25)
def test_an_order_has_every_row_once(attention):
    """An order that omits one row and repeats another raises a ValueError."""
    x = features(4, 3)
    expect.answers(attention.permute_tokens, x, np.array([2, 0, 1, 3]))
    expect.raises(ValueError, attention.permute_tokens, x, np.array([0, 1, 1, 3]))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize("key", ["causal_mask_keeps_equivariance", "same_attention_scores_dog_bites_man"])
def test_answer(attention, key):
    """Every question has one correct answer."""
    expect.answer(attention, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["weight_with_a_lead_of_7_among_1024"])
def test_practice_answer(attention, key):
    """This question is for practice and earns no points."""
    expect.answer(attention, key)
