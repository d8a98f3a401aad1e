"""State, the full suite: values on the term's inputs, dtype, arguments, errors, loops, memory, and what each idea is
for.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.

Where a property is compared with a formula, the formula is written out here a second time, token by token and without
any sum of logarithms, so that it shares nothing with the solution. Where a state is returned, q has no leading axes
that k or v have not: whether such an axis belongs to the state is nobody's rule.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

INF = np.inf
NO_LOG_GATES = ((0.0625, 0.0625), (np.nan, "nan"), (INF, "inf"))


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def log_gates(rng, *shape, mean=0.3):
    return -rng.exponential(mean, shape)


def gates(*shape, seed=9):
    """log_f: multiples of 1/8 from −2 to 0."""
    return -np.abs(features(*shape, seed=seed))


def tokens(*lead, length=7, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """q, k and v."""
    sizes = (d_k, d_k, d_v)
    return [features(*lead, length, size, seed=seed + place, dtype=dtype) for place, size in enumerate(sizes)]


def drawn(rng, *lead, length=7, d_k=3, d_v=4):
    """q, k and v of this term."""
    return [normal(rng, *lead, length, size) for size in (d_k, d_k, d_v)]


def one_token(*lead, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """state, q, k and v of one token."""
    shapes = ((d_k, d_v), (d_k,), (d_k,), (d_v,))
    return [features(*lead, *shape, seed=seed + place, dtype=dtype) for place, shape in enumerate(shapes)]


def product_of_gates(log_f):
    """[i, j]: the gates after j up to i multiplied, 0 for j > i; without logarithms, entry by entry."""
    f = np.exp(log_f)
    return np.array([[np.prod(f[j + 1 : i + 1]) if j <= i else 0.0 for j in range(len(f))] for i in range(len(f))])


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def token_by_token(q, k, v, log_f, memory):
    """All results, and the last state: forget, write, read."""
    outs = []
    for t in range(len(q)):
        memory = np.exp(log_f[t]) * memory + np.outer(k[t], v[t])
        outs.append(q[t] @ memory)
    return np.array(outs), memory


def rotated(x, base=10000.0):
    """RoPE with complex numbers, row t at position t."""
    theta = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.multiply.outer(np.arange(x.shape[-2]), theta))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def refuses_bad_log_gates(function, log_f, *before, after=()):
    """Positive, infinite and NaN log gates, first and last among good ones, wherever the gates stand among the
    arguments."""
    for bad, word in NO_LOG_GATES:
        for place in (0, -1):
            mixed = np.array(log_f, dtype=np.float64)
            mixed.reshape(-1)[place] = bad
            expect.raises(ValueError, function, *before, mixed, *after, mentions=word)


def refuses_what_does_not_fit(attend):
    """A form of attention refuses bad gates, and numbers of tokens, gates or features that differ, one for several
    too."""
    q, k, v = tokens()
    log_f = gates(7)
    expect.answers(attend, q, k, v, log_f)
    refuses_bad_log_gates(attend, log_f, q, k, v)

    def refused(*arguments, mentions):
        expect.raises(ValueError, attend, *arguments, mentions=mentions)

    rows = [1, 6, 8]
    for fewer in (1, 6):
        refused(q, k, v, log_f[:fewer], mentions=[*rows, (fewer,)])
        refused(q[:fewer], k, v, log_f, mentions=[*rows, (fewer, 3)])
        refused(q, k[:fewer], v, log_f, mentions=[*rows, (fewer, 3)])
        refused(q, k, v[:fewer], log_f, mentions=[*rows, (fewer, 4)])
    refused(q, k, v, np.array(-1.0), mentions=None)
    refused(q, k[:, :1], v, log_f, mentions=[1, 3, (7, 1)])
    refused(np.ones((2, 7, 3)), np.ones((3, 7, 3)), v, log_f, mentions=[2, 3])


# decay_bias


@pytest.mark.question("decay_bias", points=0.25)
def test_bias_with_any_leading_axes(state, rng):
    """Any number of leading axes, one token or many; the gates are left as they were."""
    for shape in ((6,), (3, 1), (2, 3, 5), (9,)):
        expect.unchanged(state.decay_bias, log_gates(rng, *shape))


@pytest.mark.question("decay_bias", points=0.125)
def test_bias_is_float64(state):
    """float64, from float32 and from whole numbers."""
    expect.dtype(state.decay_bias, gates(2, 5).astype(np.float32))
    expect.dtype(state.decay_bias, np.array([-1, 0, -3]))


@pytest.mark.question("decay_bias", points=0.25)
def test_bias_with_shut_gates(state, rng):
    """Exact between and after gates of −inf and of −1e30, wherever they stand, and as many as there are."""
    for shut in (-INF, -1e30, -1e300):
        log_f = log_gates(rng, 3, 9)
        log_f[0, 4] = log_f[1, 0] = log_f[1, 8] = log_f[2, 2] = log_f[2, 3] = log_f[2, 7] = shut
        expect.matches(state.decay_bias, log_f)
    log_f = log_gates(rng, 8)
    log_f[[1, 5]], log_f[3] = -INF, -1e30
    expect.matches(state.decay_bias, log_f)


@pytest.mark.question("decay_bias", points=0.25)
@given(seed=seeds(), middle=st.integers(1, 4))
def test_bias_adds_up_along_the_way(state, seed, middle):
    """From key to query through a token between them: the two parts add up; one step costs the gate of the later
    token."""
    log_f = gates(6, seed=seed) - 0.125
    bias = state.decay_bias(log_f)
    through = bias[middle:, middle, np.newaxis] + bias[middle, : middle + 1]
    expect.close(bias[middle:, : middle + 1], through, "the parts of a way add up")
    expect.close(np.diagonal(bias, -1), log_f[1:], "one step costs the gate of the later token")
    expect.close(np.exp(bias[np.triu_indices(6, 1)]), np.zeros(15), "nothing is seen ahead")


@pytest.mark.question("decay_bias", points=0.125)
def test_bias_does_not_loop(state):
    """numpy computes all rows at once."""
    expect.vectorised(state.decay_bias, lambda length: (gates(2, length),))


@pytest.mark.question("decay_bias", points=0.25)
def test_bias_refuses_bad_gates(state):
    """A positive, infinite or NaN log_f is refused, first, last and alone."""
    expect.answers(state.decay_bias, gates(2, 4))
    expect.answers(state.decay_bias, np.zeros(3))
    refuses_bad_log_gates(state.decay_bias, gates(2, 4))
    expect.raises(ValueError, state.decay_bias, np.array([1e-9]), mentions=1e-9)


# decay_matrix


@pytest.mark.question("decay_matrix", points=0.25)
def test_matrix_with_any_leading_axes(state, rng):
    """Any number of leading axes, one token or many, in float64; the gates are left as they were."""
    for shape in ((6,), (3, 1), (2, 3, 5)):
        expect.unchanged(state.decay_matrix, log_gates(rng, *shape))
    expect.dtype(state.decay_matrix, gates(2, 5).astype(np.float32))
    expect.dtype(state.decay_matrix, np.array([-1, 0, -3]))


@pytest.mark.question("decay_matrix", points=0.25)
@given(seed=seeds(), shut=st.integers(0, 6), deep=st.booleans())
def test_matrix_is_a_product_with_cuts(state, seed, shut, deep):
    """The gates between key and query multiplied; a shut gate cuts off all that stands before it, and nothing after
    it."""
    log_f = gates(7, seed=seed)
    log_f[shut] = -1e30 if deep else -INF
    matrix = state.decay_matrix(log_f)
    expect.close(matrix, product_of_gates(log_f), "each entry is the product of the gates between key and query")
    expect.close(np.diagonal(matrix), np.ones(7), "a token sees itself whole")


@pytest.mark.question("decay_matrix", points=0.125)
def test_matrix_does_not_loop(state):
    """numpy computes all rows at once."""
    expect.vectorised(state.decay_matrix, lambda length: (gates(2, length),))


@pytest.mark.question("decay_matrix", points=0.125)
def test_matrix_refuses_bad_gates(state):
    """A positive, infinite or NaN log_f is refused."""
    expect.answers(state.decay_matrix, gates(2, 4))
    refuses_bad_log_gates(state.decay_matrix, gates(2, 4))


# constant_decay


@pytest.mark.question("constant_decay", points=0.125)
def test_constant_for_any_slope(state, rng):
    """−slope for each token, in float64."""
    expect.matches(state.constant_decay, int(rng.integers(20, 40)), float(rng.uniform(0.01, 9)))
    expect.dtype(state.constant_decay, 1, 2)


@pytest.mark.question("constant_decay", points=0.125)
@given(n_heads=st.sampled_from([1, 2, 4, 8, 16]), head=st.integers(1, 16))
def test_constant_gates_are_those_of_alibi_heads(state, n_heads, head):
    """With a slope of ALiBi, key j costs query i the slope times i − j, and softmax of it decays by one factor per
    step."""
    slope = 2.0 ** (-8 * min(head, n_heads) / n_heads)
    bias = state.decay_bias(state.constant_decay(6, slope))
    expect.close(-bias[5] / slope, np.arange(5, -1, -1.0), "the last row in steps of the slope")
    weights = softmax(bias[5])
    expect.close(weights[:-1] / weights[1:], np.full(5, np.exp(-slope)), "each step costs the same factor")


@pytest.mark.question("constant_decay", points=0.125)
def test_constant_does_not_loop(state):
    """numpy makes all gates at once."""
    expect.vectorised(state.constant_decay, lambda length: (length, 0.25))


@pytest.mark.question("constant_decay", points=0.125)
def test_constant_refuses_bad_arguments(state):
    """A slope that is not positive and finite and a negative length are refused."""
    expect.answers(state.constant_decay, 7, 0.5)
    for slope, word in ((0.0, 0), (-2.0, -2), (INF, "inf"), (np.nan, "nan")):
        expect.raises(ValueError, state.constant_decay, 7, slope, mentions=word)
    for length in (-1, -7):
        expect.raises(ValueError, state.constant_decay, length, 0.5, mentions=length)


# forgetting_attention


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes, one token too; no argument is changed."""
    for lead, length, d_k, d_v in (((), 6, 5, 2), ((2,), 1, 1, 3), ((2, 3), 5, 4, 1)):
        expect.unchanged(
            state.forgetting_attention,
            *drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v),
            log_gates(rng, *lead, length),
        )
    q, k, v = drawn(rng, 2, 3)
    expect.matches(state.forgetting_attention, q[0], k[:, :1], v, log_gates(rng, 3, 7))
    expect.matches(state.forgetting_attention, q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 2, 7))


@pytest.mark.question("forgetting_attention", points=0.125)
def test_forgetting_dtype(state, rng):
    """float32 where q, k and v are; log_f does not count, and whole numbers become float64."""
    arrays = tokens(dtype=np.float32)
    for log_f in (gates(7), gates(7).astype(np.float32)):
        expect.dtype(state.forgetting_attention, *arrays, log_f)
    for place in range(3):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(state.forgetting_attention, *mixed, gates(7).astype(np.float32))
    expect.dtype(state.forgetting_attention, *(np.rint(array).astype(np.int64) for array in arrays), gates(7))


@pytest.mark.question("forgetting_attention", points=0.125)
def test_forgetting_with_scores_of_any_size(state, rng):
    """Huge scores of either sign, beside shut gates too, give finite results."""
    q, k, v = drawn(rng)
    log_f = log_gates(rng, 7)
    log_f[3] = -INF
    expect.matches(state.forgetting_attention, 2000 * q, 9 * k, v, log_f)
    expect.matches(state.forgetting_attention, 0 * q - 3000, 0 * k + 2, v, log_f)
    expect.matches(state.forgetting_attention, 0 * q + 3000, 0 * k + 2, v, log_gates(rng, 7))


@pytest.mark.question("forgetting_attention", points=0.25)
@given(seed=seeds(), shut=st.integers(1, 6))
def test_forgetting_is_softmax_with_decay(state, seed, shut):
    """The weights of causal attention times the gates between key and query, divided by their sum; a shut gate is a
    cut."""
    (q, k, v), log_f = tokens(seed=seed), gates(7, seed=seed + 5)
    log_f[shut] = -INF
    weights = np.exp(q @ k.T / np.sqrt(3)) * product_of_gates(log_f)
    wanted = weights / weights.sum(axis=1, keepdims=True) @ v
    out = state.forgetting_attention(q, k, v, log_f)
    expect.close(out, wanted, "weights are exp of the score times the gates between")
    q, k, v = (part + np.arange(1.0, 8)[:, np.newaxis] for part in (q, k, v))
    plain = softmax(np.where(np.tri(7) > 0, q @ k.T / np.sqrt(3), -INF)) @ v
    expect.close(state.forgetting_attention(q, k, v, np.zeros(7)), plain, "with all gates 1 it is causal attention")


@pytest.mark.question("forgetting_attention", points=0.125)
def test_forgetting_does_not_loop(state):
    """numpy computes all tokens at once."""
    expect.vectorised(state.forgetting_attention, lambda length: (*tokens(length=length), gates(length)))


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting_refuses_what_does_not_fit(state):
    """Bad gates, and numbers of tokens, gates or features that differ, one for several too."""
    refuses_what_does_not_fit(state.forgetting_attention)
    q, k, v = tokens()
    expect.raises(ValueError, state.forgetting_attention, q, k[:, :2], v, gates(7), mentions=[2, 3, (7, 2)])


# linear_attention


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes, one token too; no argument is changed."""
    for lead, length, d_k, d_v in (((), 6, 5, 2), ((2,), 1, 1, 3), ((2, 3), 5, 4, 1)):
        expect.unchanged(
            state.linear_attention, *drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v), log_gates(rng, *lead, length)
        )
    q, k, v = drawn(rng, 2, 3)
    expect.matches(state.linear_attention, q[0], k[:, :1], v, log_gates(rng, 3, 7))
    expect.matches(state.linear_attention, q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 2, 7))


@pytest.mark.question("linear_attention", points=0.125)
def test_linear_dtype(state):
    """float32 where q, k and v are; log_f does not count, and whole numbers become float64."""
    arrays = tokens(dtype=np.float32)
    for log_f in (gates(7), gates(7).astype(np.float32)):
        expect.dtype(state.linear_attention, *arrays, log_f)
    for place in range(3):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(state.linear_attention, *mixed, gates(7).astype(np.float32))
    expect.dtype(state.linear_attention, *(np.rint(array).astype(np.int64) for array in arrays), gates(7))


@pytest.mark.question("linear_attention", points=0.25)
@given(seed=seeds(), shut=st.integers(1, 6), deep=st.booleans())
def test_linear_is_token_by_token(state, seed, shut, deep):
    """All at once gives what token by token gives, across shut gates too."""
    (q, k, v), log_f = tokens(seed=seed), gates(7, seed=seed + 5) / 4
    q, k, v = q + 3, k + 3, v + 3
    log_f[shut] = -1e30 if deep else -INF
    wanted, _ = token_by_token(q, k, v, log_f, np.zeros((3, 4)))
    expect.close(state.linear_attention(q, k, v, log_f), wanted, "all at once is what token by token gives")


@pytest.mark.question("linear_attention", points=0.125)
def test_linear_does_not_loop(state):
    """numpy computes all tokens at once."""
    expect.vectorised(state.linear_attention, lambda length: (*tokens(length=length), gates(length)))


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_refuses_what_does_not_fit(state):
    """Bad gates, and numbers of tokens, gates or features that differ, one for several too."""
    refuses_what_does_not_fit(state.linear_attention)


# linear_step


@pytest.mark.question("linear_step", points=0.25)
def test_step_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes, a gate as a number or with leading axes; no argument is changed."""
    for lead, d_k, d_v in (((), 3, 3), ((), 5, 2), ((2,), 1, 3), ((2, 3), 4, 1)):
        arrays = [normal(rng, *part.shape) for part in one_token(*lead, d_k=d_k, d_v=d_v)]
        expect.unchanged(state.linear_step, *arrays, log_gates(rng, *lead))
        expect.matches(state.linear_step, *arrays, float(log_gates(rng)))
    memory, q, k, v = (normal(rng, *part.shape) for part in one_token(2, 3))
    expect.matches(state.linear_step, memory[0], q[0], k[:, :1], v, log_gates(rng, 3))
    expect.matches(state.linear_step, memory[0, 0], q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 2))


@pytest.mark.question("linear_step", points=0.125)
def test_step_dtype(state):
    """float32 where state, q, k and v are, both results; log_f does not count, and whole numbers become float64."""
    arrays = one_token(2, dtype=np.float32)
    expect.dtype(state.linear_step, *arrays, gates(2))
    expect.dtype(state.linear_step, *arrays, -0.5)
    for place in range(4):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(state.linear_step, *mixed, gates(2).astype(np.float32))
    expect.dtype(state.linear_step, *(np.rint(array).astype(np.int64) for array in arrays), gates(2))


@pytest.mark.question("linear_step", points=0.25)
@given(seed=seeds(), shut=st.integers(0, 4))
def test_steps_are_all_at_once(state, seed, shut):
    """Step after step, from a given state on, each token reads the sum of all written before it, times the gates since;
    so with shut gates."""
    (q, k, v), log_f, memory = (
        tokens(length=5, seed=seed),
        gates(5, seed=seed + 5) / 4 - 0.125,
        features(3, 4, seed=seed + 6) + 3,
    )
    q, k, v = q + 3, k + 3, v + 3
    log_f[shut] = -INF if seed % 2 else log_f[shut]
    wanted = (q @ k.T * product_of_gates(log_f)) @ v + np.exp([log_f[: t + 1].sum() for t in range(5)])[
        :, np.newaxis
    ] * (q @ memory)
    for t in range(5):
        out, memory = state.linear_step(memory, q[t], k[t], v[t], float(log_f[t]))
        expect.close(out, wanted[t], "each token reads all that was written, times the gates since")


@pytest.mark.question("linear_step", points=0.125)
def test_a_step_forgets_or_keeps_all(state, rng):
    """A shut gate leaves the new token alone; an open gate and an empty key leave the state as it was, and it can be
    read."""
    memory, q, k, v = (normal(rng, *part.shape) for part in one_token(2))
    for shut in (-INF, -1e30):
        out, after = state.linear_step(memory, q, k, v, shut)
        alone = k[:, :, np.newaxis] * v[:, np.newaxis, :]
        expect.close(after, alone, "after a shut gate only the new token is there")
        expect.close(out, np.einsum("bk,bkv->bv", q, alone), "and is read alone")
    out, after = state.linear_step(memory, q, 0 * k, v, 0.0)
    expect.close(after, memory, "an open gate and an empty key leave the state")
    expect.close(out, np.einsum("bk,bkv->bv", q, memory), "which is read as it was")


@pytest.mark.question("linear_step", points=0.375)
def test_step_refuses_what_does_not_fit(state):
    """Bad gates, and sizes of state, q, k and v that differ, one for several too; leading axes that do not
    broadcast."""
    memory, q, k, v = arrays = one_token()
    expect.answers(state.linear_step, *arrays, -1.0)
    expect.answers(state.linear_step, *one_token(2), gates(2))
    refuses_bad_log_gates(state.linear_step, gates(2), *one_token(2))

    def refused(*arguments, mentions):
        expect.raises(ValueError, state.linear_step, *arguments, mentions=mentions)

    refused(*arrays, 0.5, mentions=0.5)
    refused(memory.T, q, k, v, -1.0, mentions=[3, 4, (4, 3)])
    for size in (1, 2):
        refused(memory[:size], q, k, v, -1.0, mentions=[size, 3, (size, 4)])
        refused(memory[:, :size], q, k, v, -1.0, mentions=[size, 4, (3, size)])
        refused(memory, q[:size], k, v, -1.0, mentions=[size, 3, (size,)])
        refused(memory, q, k[:size], v, -1.0, mentions=[size, 3, (size,)])
        refused(memory, q, k, v[:size], -1.0, mentions=[size, 4, (size,)])
    refused(*one_token(2), gates(3), mentions=[2, 3, (3,), (2, 3, 4)])


# linear_chunks


@pytest.mark.question("linear_chunks", points=0.375)
def test_chunks_of_any_size(state, rng):
    """Any chunk, any leading axes that broadcast, with a state and without; no argument is changed."""
    for lead, length, d_k, d_v in (((), 11, 5, 2), ((2,), 1, 1, 3), ((2, 3), 8, 4, 1)):
        arrays = (*drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v), log_gates(rng, *lead, length))
        for chunk in (1, 2, 5, length, 50):
            expect.unchanged(state.linear_chunks, *arrays, chunk)
            expect.unchanged(state.linear_chunks, *arrays, chunk, normal(rng, *lead, d_k, d_v))
    q, k, v = drawn(rng, 2, 3)
    expect.matches(state.linear_chunks, q[0], k[:, :1], v, log_gates(rng, 3, 7), 3, normal(rng, 3, 3, 4))
    expect.matches(state.linear_chunks, q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 7), 3, state=normal(rng, 3, 4))


@pytest.mark.question("linear_chunks", points=0.25)
@pytest.mark.parametrize("split", [1, 6])
def test_chunks_are_token_by_token(state, rng, split):
    """Any chunk, and any split into two calls, gives what token by token gives, from a given state on, across shut
    gates too."""
    (q, k, v), memory, log_f = drawn(rng, length=10), normal(rng, 3, 4), log_gates(rng, 10, mean=0.1)
    log_f[4] = -INF
    wanted, last = token_by_token(q, k, v, log_f, memory)
    for first, second in ((1, 3), (4, 2), (20, 20)):
        one, between = state.linear_chunks(q[:split], k[:split], v[:split], log_f[:split], first, memory)
        two, after = state.linear_chunks(q[split:], k[split:], v[split:], log_f[split:], second, between)
        expect.close(one, wanted[:split], "the first call")
        expect.close(two, wanted[split:], "the second call goes on where the first one ended")
        expect.close(after, last, "the state after both")


@pytest.mark.question("linear_chunks", points=0.125)
def test_chunks_dtype(state):
    """float32 where q, k, v and a given state are, both results; log_f does not count, and whole numbers become
    float64."""
    arrays, memory = tokens(dtype=np.float32), features(3, 4, seed=8, dtype=np.float32)
    expect.dtype(state.linear_chunks, *arrays, gates(7), 3)
    for place in range(4):
        mixed = [
            array.astype(np.float64) if place == number else array for number, array in enumerate([*arrays, memory])
        ]
        expect.dtype(state.linear_chunks, *mixed[:3], gates(7).astype(np.float32), 3, mixed[3])
    expect.dtype(state.linear_chunks, *(np.rint(array).astype(np.int64) for array in arrays), gates(7), 3)


@pytest.mark.question("linear_chunks", points=0.125)
def test_chunks_with_a_padded_end(state, rng):
    """Tokens with k = 0 and log_f = 0 at the end change no result and no state; with gates below 1 they change the
    state."""
    (q, k, v), log_f, memory = drawn(rng), log_gates(rng, 7), normal(rng, 3, 4)
    out, after = expect.matches(state.linear_chunks, q, k, v, log_f, 3, memory)
    padded = [np.concatenate([part, filling]) for part, filling in ((q, q[:4]), (k, 0 * k[:4]), (v, v[:4]))]
    longer, same = state.linear_chunks(*padded, np.append(log_f, np.zeros(4)), 3, memory)
    expect.close(longer[:7], out, "padding changes no result")
    expect.close(same, after, "padding changes no state")
    _, faded = state.linear_chunks(*padded, np.append(log_f, np.full(4, -0.5)), 3, memory)
    expect.close(faded, after * np.exp(-2), "gates below 1 go on forgetting")


@pytest.mark.question("linear_chunks", points=0.375)
def test_chunks_of_a_long_text(state):
    """A long text fits into the memory, because no array has an entry for each pair of tokens."""
    q, k, v = tokens(length=12000, d_k=2, d_v=1)
    log_f = gates(12000) / 16 - 0.001
    expect.matches(state.linear_chunks, q, k, v, log_f, 50, features(2, 1, seed=8))


@pytest.mark.question("linear_chunks", points=0.125)
def test_chunks_do_not_loop_over_tokens(state):
    """Python may loop over the chunks, and not over the tokens of a chunk."""
    expect.vectorised(
        state.linear_chunks,
        lambda length: (*tokens(2, length=length), gates(2, length), length // 4, features(2, 3, 4)),
    )


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_refuse_what_does_not_fit(state):
    """A chunk below 1, bad gates, and numbers of tokens or sizes that differ, one for several too."""
    q, k, v = tokens()
    log_f = gates(7)
    expect.answers(state.linear_chunks, q, k, v, log_f, 3, features(3, 4))
    refuses_bad_log_gates(state.linear_chunks, log_f, q, k, v, after=(3,))
    for chunk in (0, -2):
        expect.raises(ValueError, state.linear_chunks, q, k, v, log_f, chunk, mentions=chunk)

    def refused(*arguments, mentions):
        expect.raises(ValueError, state.linear_chunks, *arguments, mentions=mentions)

    rows = [1, 6, 7, 9]
    for fewer in (1, 6):
        refused(q, k, v, log_f[:fewer], 3, mentions=[*rows, (fewer,)])
        refused(q[:fewer], k, v, log_f, 3, mentions=[*rows, (fewer, 3)])
        refused(q, k[:fewer], v, log_f, 3, mentions=[*rows, (fewer, 3)])
        refused(q, k, v[:fewer], log_f, 3, mentions=[*rows, (fewer, 4)])
    refused(q, k, np.concatenate([v, v[:2]]), log_f, 3, mentions=[*rows, (9, 4)])
    refused(q, k, v, np.append(log_f, [0, 0]), 3, mentions=[*rows, (9,)])
    refused(q, k[:, :1], v, log_f, 3, mentions=[1, 3, (7, 1)])
    refused(q, k, v, log_f, 3, features(4, 3), mentions=[3, 4, (4, 3)])
    refused(q, k, v, log_f, 3, features(1, 4), mentions=[1, 3, (1, 4)])
    refused(q, k, v, log_f, 3, features(3, 1), mentions=[1, 4, (3, 1)])


# delta_step


@pytest.mark.question("delta_step", points=0.25)
def test_delta_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes and keys, β and gate as numbers or with leading axes; no argument is
    changed."""
    for lead, d_k, d_v in (((), 3, 3), ((), 5, 2), ((2,), 1, 3), ((2, 3), 4, 1)):
        memory, _, k, v = (normal(rng, *part.shape) for part in one_token(*lead, d_k=d_k, d_v=d_v))
        expect.unchanged(state.delta_step, memory, k, v, rng.uniform(0, 2, lead), log_gates(rng, *lead))
        expect.matches(state.delta_step, memory, k, v, float(rng.uniform(0, 2)), float(log_gates(rng)))
    memory, _, k, v = (normal(rng, *part.shape) for part in one_token(2, 3))
    expect.matches(state.delta_step, memory[0], k[:, :1], v, rng.uniform(0, 2, 3), log_gates(rng, 2, 1))
    expect.matches(state.delta_step, memory[0, 0], k[0, 0], v[0, 0], rng.uniform(0, 2, 3), -0.25)


@pytest.mark.question("delta_step", points=0.125)
def test_delta_dtype(state):
    """float32 where state, k and v are; beta and log_f do not count, and whole numbers become float64."""
    memory, _, k, v = one_token(2, dtype=np.float32)
    arrays = (memory, k, v)
    expect.dtype(state.delta_step, *arrays, np.array([0.5, 1.5]), gates(2))
    expect.dtype(state.delta_step, *arrays, 1, -0.5)
    for place in range(3):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(state.delta_step, *mixed, np.array([0.5, 1.5], dtype=np.float32), gates(2).astype(np.float32))
    expect.dtype(state.delta_step, *(np.rint(array).astype(np.int64) for array in arrays), 1, -1)


@pytest.mark.question("delta_step", points=0.25)
@given(seed=seeds(), beta=st.integers(1, 16))
def test_delta_moves_what_the_key_reads(state, seed, beta):
    """What the key reads moves towards v by β|k|² of the way, after forgetting; a key at a right angle to it reads what
    is left."""
    memory, _, _, v = one_token(seed=seed)
    memory, v, log_f, beta = memory + 3, v + 3, float(gates(1, seed=seed)[0]) - 0.125, beta / 8
    k, other = np.array([0.5, 1.0, -0.25]), np.array([2.0, -1.0, 0.0])
    left, way = np.exp(log_f) * memory, beta * (k @ k)
    after = state.delta_step(memory, k, v, beta, log_f)
    expect.close(k @ after, k @ left + way * (v - k @ left), "what the key reads moves towards v by β|k|² of the way")
    expect.close(other @ after, other @ left, "a key at a right angle reads what is left")


@pytest.mark.question("delta_step", points=0.125)
def test_a_second_value_under_one_key(state, rng):
    """Two values written under one key of length 1 with β = 1: the second is read, not their sum; with β = 0 none is
    written."""
    k, memory = normal(rng, 4), np.zeros((4, 3))
    k /= np.linalg.norm(k)
    first, second = normal(rng, 3), normal(rng, 3)
    memory = state.delta_step(memory, k, first, 1.0, 0.0)
    expect.close(k @ memory, first, "the first value is read back")
    memory = state.delta_step(memory, k, second, 1.0, 0.0)
    expect.close(k @ memory, second, "the second value has taken its position")
    expect.close(state.delta_step(memory, k, first, 0.0, 0.0), memory, "β = 0 writes nothing")
    for shut in (-INF, -1e30):
        alone = np.multiply.outer(k, first)
        expect.close(
            state.delta_step(memory, k, first, 1.0, shut), alone, "after a shut gate only the new value is there"
        )


@pytest.mark.question("delta_step", points=0.375)
def test_delta_refuses_what_does_not_fit(state):
    """A beta outside 0 … 2, bad gates, and sizes of state, k and v that differ, one for several too."""
    memory, _, k, v = one_token()
    expect.answers(state.delta_step, memory, k, v, 2, -1.0)
    expect.answers(state.delta_step, memory, k, v, 0, 0)
    for beta, word in ((2.0625, 2.0625), (-0.0625, -0.0625), (np.nan, "nan")):
        expect.raises(ValueError, state.delta_step, memory, k, v, beta, -1.0, mentions=word)
        expect.raises(ValueError, state.delta_step, features(2, 3, 4), k, v, np.array([0.5, beta]), -1.0, mentions=word)

    def refused(*arguments, mentions):
        expect.raises(ValueError, state.delta_step, *arguments, mentions=mentions)

    refused(memory, k, v, 0.5, 0.25, mentions=0.25)
    refused(memory, k, v, 0.5, np.nan, mentions="nan")
    refused(memory.T, k, v, 0.5, -1.0, mentions=[3, 4, (4, 3)])
    for size in (1, 2):
        refused(memory[:size], k, v, 0.5, -1.0, mentions=[size, 3, (size, 4)])
        refused(memory[:, :size], k, v, 0.5, -1.0, mentions=[size, 4, (3, size)])
        refused(memory, k[:size], v, 0.5, -1.0, mentions=[size, 3, (size,)])
        refused(memory, k, v[:size], 0.5, -1.0, mentions=[size, 4, (size,)])


# retention


@pytest.mark.question("retention", points=0.25)
def test_retention_with_any_leading_axes(state, rng):
    """Any leading axes, any sizes and base, γ a number or one for each head; no argument is changed."""
    for lead, length, d_k, d_v in (((), 6, 8, 2), ((2,), 1, 2, 3), ((2, 3), 5, 4, 1)):
        arrays = drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v)
        expect.unchanged(state.retention, *arrays, float(rng.uniform(0.5, 1)))
        expect.unchanged(state.retention, *arrays, rng.uniform(0.5, 1, lead[-1:]), float(rng.uniform(20, 900)))
    expect.matches(state.retention, *drawn(rng, d_k=4), 1, 0.5)
    q, k, v = drawn(rng, 2, 3, d_k=4)
    expect.matches(state.retention, q[0], k[:, :1], v, rng.uniform(0.5, 1, 3))


@pytest.mark.question("retention", points=0.125)
def test_retention_dtype(state):
    """float32 where q, k and v are, with angles in float64; gamma does not count, and whole numbers become float64."""
    arrays = tokens(2, d_k=4, dtype=np.float32)
    expect.dtype(state.retention, *arrays, np.array([0.5, 0.875]))
    for place in range(3):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(state.retention, *mixed, np.array([0.5, 0.875], dtype=np.float32))
    expect.dtype(state.retention, *(np.rint(array).astype(np.int64) for array in arrays), 1)


@pytest.mark.question("retention", points=0.25)
@given(seed=seeds(), eighths=st.integers(1, 7))
def test_retention_is_rotation_and_decay(state, seed, eighths):
    """The score of rotated query and key times γ to the power of the distance, for each token up to the query's own."""
    q, k, v = tokens(d_k=4, seed=seed)
    q, k, v, gamma = q + 3, k + 3, v + 3, eighths / 8
    scores = rotated(q) @ rotated(k).T
    wanted = [sum(gamma ** (i - j) * scores[i, j] * v[j] for j in range(i + 1)) for i in range(7)]
    expect.close(
        state.retention(q, k, v, gamma), np.array(wanted), "rotated scores times γ to the power of the distance"
    )


@pytest.mark.question("retention", points=0.125)
def test_retention_over_long_distances(state, rng):
    """Powers of γ too small for a float are 0, and none is NaN, for each head."""
    expect.matches(state.retention, *drawn(rng, 2, length=150, d_k=2, d_v=1), np.array([0.001, 0.999]))


@pytest.mark.question("retention", points=0.125)
def test_retention_does_not_loop(state):
    """numpy computes all tokens at once."""
    expect.vectorised(state.retention, lambda length: (*tokens(2, length=length, d_k=4), np.array([0.5, 0.875])))


@pytest.mark.question("retention", points=0.125)
def test_retention_refuses_bad_arguments(state):
    """A gamma outside 0 < γ ≤ 1, an odd size, a bad base, and numbers of tokens, heads or features that differ."""
    q, k, v = arrays = tokens(d_k=4)
    expect.answers(state.retention, *arrays, 1)
    for gamma, word in ((0.0, 0), (-0.5, -0.5), (1.0625, 1.0625), (np.nan, "nan")):
        expect.raises(ValueError, state.retention, *arrays, gamma, mentions=word)
        expect.raises(ValueError, state.retention, *tokens(2, d_k=4), np.array([0.5, gamma]), mentions=word)
    for base in (0.0, -10.0, INF, np.nan):
        expect.raises(ValueError, state.retention, *arrays, 0.5, base=base, mentions=base)

    def refused(*arguments, mentions):
        expect.raises(ValueError, state.retention, *arguments, mentions=mentions)

    refused(*tokens(d_k=5), 0.5, mentions=5)
    rows = [1, 6, 7]
    for fewer in (1, 6):
        refused(q[:fewer], k, v, 0.5, mentions=[*rows, (fewer, 4)])
        refused(q, k[:fewer], v, 0.5, mentions=[*rows, (fewer, 4)])
        refused(q, k, v[:fewer], 0.5, mentions=[*rows, (fewer, 4)])
    refused(q, k[:, :2], v, 0.5, mentions=[2, 4, (7, 2)])
    refused(*tokens(3, d_k=4), np.array([0.5, 0.75]), mentions=[2, 3, (2,)])


# cope_positions


@pytest.mark.question("cope_positions", points=0.25)
def test_cope_with_any_leading_axes(state, rng):
    """Any leading axes, one key or many, fewer queries than keys too, in float64; the gates are left as they were."""
    for shape in ((6, 6), (1, 1), (3, 1, 8), (2, 3, 4, 5)):
        expect.unchanged(state.cope_positions, rng.uniform(0, 1, shape))
    expect.dtype(state.cope_positions, rng.uniform(0, 1, (2, 4, 6)).astype(np.float32))
    expect.dtype(state.cope_positions, rng.integers(0, 2, (4, 6)))


@pytest.mark.question("cope_positions", points=0.25)
@given(seed=seeds(), start=st.integers(0, 5))
def test_cope_position_falls_by_the_gate_of_each_key(state, seed, start):
    """From a key to the next one the position falls by the gate of the first; the query's own key has its gate; 0
    above."""
    gate = np.abs(features(6, 6, seed=seed)) / 2
    found = state.cope_positions(gate[start:])
    for row in range(6 - start):
        p = start + row
        expect.close(
            found[row, :p] - found[row, 1 : p + 1], gate[p, :p], "from key to key the position falls by a gate"
        )
        expect.close(found[row, p], gate[p, p], "the query's own key has its own gate")
        expect.close(found[row, p + 1 :], np.zeros(5 - p), "keys ahead have the position 0")


@pytest.mark.question("cope_positions", points=0.125)
def test_cope_of_a_new_token(state, rng):
    """A cache: the last queries alone have the rows that they have among all."""
    gate = rng.uniform(0, 1, (2, 7, 7))
    every = expect.matches(state.cope_positions, gate)
    for rows in (1, 3):
        expect.close(
            state.cope_positions(gate[:, -rows:]), every[:, -rows:], "the last rows alone are the last rows of all"
        )
    expect.close(every[:, 0, 0], gate[:, 0, 0], "the first query counts its own gate")


@pytest.mark.question("cope_positions", points=0.125)
def test_cope_does_not_loop(state):
    """numpy counts for all queries and keys at once."""
    expect.vectorised(state.cope_positions, lambda length: (np.abs(features(length, length + 3)) / 2,))


@pytest.mark.question("cope_positions", points=0.125)
def test_cope_refuses_bad_gates(state):
    """A gate outside 0 … 1 or NaN is refused, wherever it stands; more queries than keys too."""
    expect.answers(state.cope_positions, np.array([[[0.0, 1.0], [1.0, 0.5]]]))
    for gate, word in ((1.0625, 1.0625), (-0.0625, -0.0625), (np.nan, "nan")):
        for where in ((0, 1), (1, 0), (1, 1)):
            mixed = np.full((2, 2), 0.5)
            mixed[where] = gate
            expect.raises(ValueError, state.cope_positions, mixed, mentions=word)
    expect.raises(ValueError, state.cope_positions, np.full((2, 4, 3), 0.5), mentions=[4, 3, (2, 4, 3)])


# cache_and_state


@pytest.mark.question("cache_and_state", points=0.125)
def test_sizes_of_any_model(state, rng):
    """n_heads · length · (d_k + d_v) and n_heads · d_k · d_v, for large models too."""
    for _ in range(3):
        expect.matches(state.cache_and_state, *(int(one) for one in rng.integers(2, 300, 4)))
    expect.matches(state.cache_and_state, 10**9, 96, 256, 512)
    expect.matches(state.cache_and_state, 7, 1, 1, 1)
    expect.matches(state.cache_and_state, 0, 2, 3, 4)


@pytest.mark.question("cache_and_state", points=0.125)
def test_sizes_refuse_bad_arguments(state):
    """A negative length and sizes below 1 are refused."""
    expect.answers(state.cache_and_state, 7, 2, 3, 4)
    expect.raises(ValueError, state.cache_and_state, -1, 2, 3, 4, mentions=-1)
    for bad in (0, -2):
        expect.raises(ValueError, state.cache_and_state, 7, bad, 3, 4, mentions=bad)
        expect.raises(ValueError, state.cache_and_state, 7, 2, bad, 4, mentions=bad)
        expect.raises(ValueError, state.cache_and_state, 7, 2, 3, bad, mentions=bad)


# half_life


@pytest.mark.question("half_life", points=0.125)
def test_half_life_of_any_shape(state, rng):
    """ln ½ over log_f for any shape, in float64; the gates are left as they were."""
    for shape in ((), (6,), (2, 3, 5)):
        expect.unchanged(state.half_life, log_gates(rng, *shape) - 0.001)
    expect.dtype(state.half_life, gates(2, 5).astype(np.float32) - np.float32(0.125))
    expect.dtype(state.half_life, np.array([-1, -3]))
    expect.dtype(state.half_life, -2)


@pytest.mark.question("half_life", points=0.125)
def test_half_life_at_the_ends(state):
    """inf for a gate that keeps all, whatever the sign of its zero, and 0 for one that keeps nothing; as a number
    too."""
    found = state.half_life(np.array([[0.0, -0.0], [-INF, np.log(0.5)]]))
    expect.close(found, np.array([[INF, INF], [0.0, 1.0]]), "the half-lives at both ends")
    expect.close(state.half_life(0.0), INF, "a number that keeps all")
    expect.close(state.half_life(-INF), 0.0, "a number that keeps nothing")


@pytest.mark.question("half_life", points=0.125)
@given(seed=seeds())
def test_half_is_left_after_a_half_life(state, seed):
    """exp(log_f) to the power of the half-life is one half."""
    log_f = gates(6, seed=seed) - 0.125
    expect.close(np.exp(log_f * state.half_life(log_f)), np.full(6, 0.5), "half is left after a half-life")


@pytest.mark.question("half_life", points=0.125)
def test_half_life_does_not_loop(state):
    """numpy computes all half-lives at once."""
    expect.vectorised(state.half_life, lambda length: (gates(length) - 0.125,))


@pytest.mark.question("half_life", points=0.125)
def test_half_life_refuses_bad_gates(state):
    """A positive, infinite or NaN log_f is refused, in an array and as a number."""
    expect.answers(state.half_life, gates(2, 3) - 0.125)
    refuses_bad_log_gates(state.half_life, gates(2, 3))
    for bad, word in NO_LOG_GATES:
        expect.raises(ValueError, state.half_life, bad, mentions=word)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.125)
@pytest.mark.parametrize(
    "key",
    [
        "alibi_is_a_constant_forget_gate",
        "first_gate_changes_linear_attention",
        "half_life_of_gate_0_99",
        "tokens_until_cache_equals_state_128",
    ],
)
def test_answer(state, key):
    """Every question has one right answer."""
    expect.answer(state, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["slope_of_a_gate_of_one_half", "read_after_a_write_with_beta_one_half"])
def test_practice_answer(state, key):
    """A question for practice: no points."""
    expect.answer(state, key)
