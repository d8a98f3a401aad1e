"""Hidden tests for state: this term's values, dtype, arguments, errors, loops, memory, and the purpose of
each idea.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Formulas with which properties are compared are reimplemented here, token by token and without any sum of
logarithms, so that they share no code with the solution. In tests that return a state, q has only leading axes
that k or v also has, because no rule says whether another axis belongs to the state.
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
    """Return log_f, whose entries are multiples of 1/8 from −2 to 0."""
    return -np.abs(features(*shape, seed=seed))


def tokens(*lead, length=7, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """q, k and v."""
    sizes = (d_k, d_k, d_v)
    return [features(*lead, length, size, seed=seed + place, dtype=dtype) for place, size in enumerate(sizes)]


def drawn(rng, *lead, length=7, d_k=3, d_v=4):
    """Return this term's q, k and v."""
    return [normal(rng, *lead, length, size) for size in (d_k, d_k, d_v)]


def one_token(*lead, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """Return a state, and q, k and v of one token."""
    shapes = ((d_k, d_v), (d_k,), (d_k,), (d_v,))
    return [features(*lead, *shape, seed=seed + place, dtype=dtype) for place, shape in enumerate(shapes)]


def product_of_gates(log_f):
    """Return the matrix whose entry [i, j] is the product of the gates after j up to i, and 0 for j > i, computed
    without logarithms."""
    f = np.exp(log_f)
    return np.array([[np.prod(f[j + 1 : i + 1]) if j <= i else 0.0 for j in range(len(f))] for i in range(len(f))])


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def token_by_token(q, k, v, log_f, memory):
    """Return all results and the last state; each token first forgets, then writes, then reads."""
    outs = []
    for t in range(len(q)):
        memory = np.exp(log_f[t]) * memory + np.outer(k[t], v[t])
        outs.append(q[t] @ memory)
    return np.array(outs), memory


def rotated(x, base=10000.0):
    """Return x after RoPE, computed with complex numbers, with row t at position t."""
    theta = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.multiply.outer(np.arange(x.shape[-2]), theta))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


# decay_bias


@pytest.mark.question("decay_bias", points=0.25)
def test_bias_with_any_leading_axes(state, rng):
    """Any leading axes and any number of tokens are allowed, and the gates are not modified."""
    for shape in ((6,), (3, 1), (2, 3, 5), (9,)):
        expect.matches(state.decay_bias, log_gates(rng, *shape))
    expect.matches(state.decay_bias, log_gates(rng, 140))


@pytest.mark.question("decay_bias", points=0.5)
def test_bias_with_shut_gates(state, rng):
    """Between and after gates of −inf and −1e30, the sums are exact, no matter where these gates are or how many
    there are."""
    for shut in (-INF, -1e30, -1e38):
        log_f = log_gates(rng, 3, 9)
        log_f[0, 4] = log_f[1, 0] = log_f[1, 8] = log_f[2, 2] = log_f[2, 3] = log_f[2, 7] = shut
        expect.matches(state.decay_bias, log_f)
    log_f = log_gates(rng, 8)
    log_f[[1, 5]], log_f[3] = -INF, -1e30
    expect.matches(state.decay_bias, log_f)


@pytest.mark.question("decay_bias", points=0.5)
@given(seed=seeds(), middle=st.integers(1, 4))
def test_bias_adds_up_along_the_way(state, seed, middle):
    """The bias from key to query is the sum of the biases before and after any token in between; for one
    step, it is the later token's gate."""
    log_f = gates(6, seed=seed) - 0.125
    bias = state.decay_bias(log_f)
    through = bias[middle:, middle, np.newaxis] + bias[middle, : middle + 1]
    expect.close(bias[middle:, : middle + 1], through, "the parts add up")
    expect.close(np.diagonal(bias, -1), log_f[1:], "one step costs the gate of the later token")
    expect.close(np.exp(bias[np.triu_indices(6, 1)]), np.zeros(15), "nothing is seen ahead")


# decay_matrix


@pytest.mark.question("decay_matrix", points=0.5)
@given(seed=seeds(), shut=st.integers(0, 6), deep=st.booleans())
def test_matrix_is_a_product_with_cuts(state, seed, shut, deep):
    """An entry is the product of the gates between key and query; a closed gate cuts off only the tokens before it."""
    log_f = gates(7, seed=seed)
    log_f[shut] = -1e30 if deep else -INF
    matrix = state.decay_matrix(log_f)
    expect.close(matrix, product_of_gates(log_f), "each entry is the product of the gates between key and query")
    expect.close(np.diagonal(matrix), np.ones(7), "the diagonal is 1")


# constant_decay


@pytest.mark.question("constant_decay", points=0.25)
@given(n_heads=st.sampled_from([1, 2, 4, 8, 16]), head=st.integers(1, 16))
def test_constant_gates_are_those_of_alibi_heads(state, n_heads, head):
    """With an ALiBi slope, the bias is minus slope times i − j, and its softmax weights shrink by the same
    factor in each step."""
    slope = 2.0 ** (-8 * min(head, n_heads) / n_heads)
    bias = state.decay_bias(state.constant_decay(6, slope))
    expect.close(-bias[5] / slope, np.arange(5, -1, -1.0), "the last row in steps of the slope")
    weights = softmax(bias[5])
    expect.close(weights[:-1] / weights[1:], np.full(5, np.exp(-slope)), "each step costs the same factor")


# forgetting_attention


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting_with_scores_of_any_size(state, rng):
    """Huge scores of either sign give finite results, even beside closed gates."""
    q, k, v = drawn(rng, 2)
    log_f = log_gates(rng, 7)
    log_f[3] = -INF
    expect.matches(state.forgetting_attention, 2000 * q, 9 * k, v, log_f)
    expect.matches(state.forgetting_attention, 0 * q - 3000, 0 * k + 2, v, log_f)
    expect.matches(state.forgetting_attention, 0 * q + 3000, 0 * k + 2, v, log_gates(rng, 7))
    expect.matches(state.forgetting_attention, 0 * q - 6e4, 0 * k + 2, v, log_gates(rng, 7))


@pytest.mark.question("forgetting_attention", points=1)
@given(seed=seeds(), shut=st.integers(1, 6))
def test_forgetting_is_softmax_with_decay(state, seed, shut):
    """The weights are causal weights times the gates between key and query, divided by their sum; a closed
    gate cuts off earlier tokens."""
    (q, k, v), log_f = tokens(seed=seed), gates(7, seed=seed + 5)
    log_f[shut] = -INF
    weights = np.exp(q @ k.T / np.sqrt(3)) * product_of_gates(log_f)
    expected = weights / weights.sum(axis=1, keepdims=True) @ v
    out = state.forgetting_attention(q, k, v, log_f)
    expect.close(out, expected, "the weights are exp of the score times the gates between")
    q, k, v = (part + np.arange(1.0, 8)[:, np.newaxis] for part in (q, k, v))
    plain = softmax(np.where(np.tri(7) > 0, q @ k.T / np.sqrt(3), -INF)) @ v
    expect.close(state.forgetting_attention(q, k, v, np.zeros(7)), plain, "if all gates are 1, it is causal attention")


@pytest.mark.question("forgetting_attention", points=0.25)
def test_a_gate_does_not_serve_several_tokens(state):
    """Every token needs its own gate, key and value: a single row for several tokens raises a ValueError."""
    q, k, v = tokens()
    expect.answers(state.forgetting_attention, q, k, v, gates(7))
    expect.raises(ValueError, state.forgetting_attention, q, k, v, gates(1))
    expect.raises(ValueError, state.forgetting_attention, q, k[:1], v, gates(7))


# linear_attention


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast and any sizes are allowed, even a single token; no argument is modified."""
    for lead, length, d_k, d_v in (((), 6, 5, 2), ((2,), 1, 1, 3), ((2, 3), 5, 4, 1)):
        expect.matches(
            state.linear_attention, *drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v), log_gates(rng, *lead, length)
        )
    q, k, v = drawn(rng, 2, 3)
    expect.matches(state.linear_attention, q[0], k[:, :1], v, log_gates(rng, 3, 7))
    expect.matches(state.linear_attention, q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 2, 7))


@pytest.mark.question("linear_attention", points=0.75)
@given(seed=seeds(), shut=st.integers(1, 6), deep=st.booleans())
def test_linear_is_token_by_token(state, seed, shut, deep):
    """Computing all tokens at once gives the same result as computing token by token, even across closed gates."""
    (q, k, v), log_f = tokens(seed=seed), gates(7, seed=seed + 5) / 4
    q, k, v = q + 3, k + 3, v + 3
    log_f[shut] = -1e30 if deep else -INF
    expected, _ = token_by_token(q, k, v, log_f, np.zeros((3, 4)))
    expect.close(state.linear_attention(q, k, v, log_f), expected, "all at once equals token by token")


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_does_not_loop(state):
    """All tokens are computed at once, without a loop."""
    expect.vectorised(state.linear_attention, lambda length: (*tokens(length=length), gates(length)))


# linear_step


@pytest.mark.question("linear_step", points=0.25)
def test_step_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes, and a gate that is a number or an array are allowed; no
    argument is modified."""
    for lead, d_k, d_v in (((), 3, 3), ((), 5, 2), ((2,), 1, 3), ((2, 3), 4, 1)):
        arrays = [normal(rng, *part.shape) for part in one_token(*lead, d_k=d_k, d_v=d_v)]
        expect.unchanged(state.linear_step, *arrays, log_gates(rng, *lead))
        expect.matches(state.linear_step, *arrays, float(log_gates(rng)))
    memory, q, k, v = (normal(rng, *part.shape) for part in one_token(2, 3))
    expect.matches(state.linear_step, memory[0], q[0], k[:, :1], v, log_gates(rng, 3))
    expect.matches(state.linear_step, memory[0, 0], q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 2))


@pytest.mark.question("linear_step", points=0.5)
@given(seed=seeds(), shut=st.integers(0, 4))
def test_steps_are_all_at_once(state, seed, shut):
    """From any initial state, each token reads the sum of everything written so far, multiplied by the gates that
    came later, even closed ones."""
    (q, k, v), log_f, memory = (
        tokens(length=5, seed=seed),
        gates(5, seed=seed + 5) / 4 - 0.125,
        features(3, 4, seed=seed + 6) + 3,
    )
    q, k, v = q + 3, k + 3, v + 3
    log_f[shut] = -INF if seed % 2 else log_f[shut]
    expected = (q @ k.T * product_of_gates(log_f)) @ v + np.exp([log_f[: t + 1].sum() for t in range(5)])[
        :, np.newaxis
    ] * (q @ memory)
    for t in range(5):
        out, memory = state.linear_step(memory, q[t], k[t], v[t], float(log_f[t]))
        expect.close(out, expected[t], "each token reads everything written, times the later gates")


@pytest.mark.question("linear_step", points=0.25)
def test_a_step_forgets_or_keeps_all(state, rng):
    """After a closed gate, only the new token is in the state; an open gate with a key of zeros leaves the state
    unchanged."""
    memory, q, k, v = (normal(rng, *part.shape) for part in one_token(2))
    for shut in (-INF, -1e30):
        out, after = state.linear_step(memory, q, k, v, shut)
        alone = k[:, :, np.newaxis] * v[:, np.newaxis, :]
        expect.close(after, alone, "after a closed gate, only the new token is in the state")
        expect.close(out, np.einsum("bk,bkv->bv", q, alone), "and only the new token is read")
    out, after = state.linear_step(memory, q, 0 * k, v, 0.0)
    expect.close(after, memory, "an open gate and an empty key do not change the state")
    expect.close(out, np.einsum("bk,bkv->bv", q, memory), "and it is read unchanged")


# linear_chunks


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_of_any_size(state, rng):
    """Any chunk size and any leading axes that broadcast are allowed, with or without a state; no argument is
    modified."""
    for lead, length, d_k, d_v in (((), 11, 5, 2), ((2,), 1, 1, 3), ((2, 3), 8, 4, 1)):
        arrays = (*drawn(rng, *lead, length=length, d_k=d_k, d_v=d_v), log_gates(rng, *lead, length))
        for chunk in (1, 2, 5, length, 50):
            expect.matches(state.linear_chunks, *arrays, chunk)
            expect.matches(state.linear_chunks, *arrays, chunk, normal(rng, *lead, d_k, d_v))
    q, k, v = drawn(rng, 2, 3)
    expect.matches(state.linear_chunks, q[0], k[:, :1], v, log_gates(rng, 3, 7), 3, normal(rng, 3, 3, 4))
    expect.matches(state.linear_chunks, q[0, 0], k[0, 0], v[0, 0], log_gates(rng, 7), 3, state=normal(rng, 3, 4))


@pytest.mark.question("linear_chunks", points=0.5)
@pytest.mark.parametrize("split", [1, 6])
def test_chunks_are_token_by_token(state, rng, split):
    """Any chunk size and any split into two calls give the same results as computing token by token, from any
    state and across closed gates."""
    (q, k, v), memory, log_f = drawn(rng, length=10), normal(rng, 3, 4), log_gates(rng, 10, mean=0.1)
    log_f[4] = -INF
    expected, last = token_by_token(q, k, v, log_f, memory)
    for first, second in ((1, 3), (4, 2), (20, 20)):
        one, between = state.linear_chunks(q[:split], k[:split], v[:split], log_f[:split], first, memory)
        two, after = state.linear_chunks(q[split:], k[split:], v[split:], log_f[split:], second, between)
        expect.close(one, expected[:split], "the first call")
        expect.close(two, expected[split:], "the second call continues after the first one")
        expect.close(after, last, "the state after both")


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_dtype(state):
    """Both results are float32 if q, k, v and any state passed are float32, regardless of log_f's dtype; whole
    numbers give float64."""
    arrays, memory = tokens(dtype=np.float32), features(3, 4, seed=8, dtype=np.float32)
    expect.dtype(state.linear_chunks, *arrays, gates(7), 3)
    for place in range(4):
        mixed = [
            array.astype(np.float64) if place == number else array for number, array in enumerate([*arrays, memory])
        ]
        expect.dtype(state.linear_chunks, *mixed[:3], gates(7).astype(np.float32), 3, mixed[3])
    expect.dtype(state.linear_chunks, *(np.rint(array).astype(np.int64) for array in arrays), gates(7), 3)


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_with_a_padded_end(state, rng):
    """Tokens at the end with k = 0 and log_f = 0 change neither the results nor the state; if their gates are
    below 1, they change the state."""
    (q, k, v), log_f, memory = drawn(rng), log_gates(rng, 7), normal(rng, 3, 4)
    out, after = expect.matches(state.linear_chunks, q, k, v, log_f, 3, memory)
    padded = [np.concatenate([part, filling]) for part, filling in ((q, q[:4]), (k, 0 * k[:4]), (v, v[:4]))]
    longer, same = state.linear_chunks(*padded, np.append(log_f, np.zeros(4)), 3, memory)
    expect.close(longer[:7], out, "padding changes no result")
    expect.close(same, after, "padding changes no state")
    _, faded = state.linear_chunks(*padded, np.append(log_f, np.full(4, -0.5)), 3, memory)
    expect.close(faded, after * np.exp(-2), "gates below 1 continue to forget")


@pytest.mark.question("linear_chunks", points=0.5)
def test_chunks_of_a_long_text(state):
    """A long text fits into memory, because no array has an entry for each pair of tokens."""
    q, k, v = tokens(length=12000, d_k=2, d_v=1)
    log_f = np.where(np.arange(12000) % 700 == 77, -INF, 0.0)  # decays of 0 and 1: exact in any precision
    expect.matches(state.linear_chunks, q, k, v, log_f, 50, features(2, 1, seed=8))


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_do_not_loop_over_tokens(state):
    """A loop over chunks is allowed; a loop over the tokens of a chunk is not."""
    expect.vectorised(
        state.linear_chunks,
        lambda length: (*tokens(2, length=length), gates(2, length), length // 4, features(2, 3, 4)),
    )


# delta_step


@pytest.mark.question("delta_step", points=0.25)
def test_delta_with_any_leading_axes(state, rng):
    """Any leading axes that broadcast, any sizes and any keys are allowed, and β and the gate can be numbers or
    arrays; no argument is modified."""
    for lead, d_k, d_v in (((), 3, 3), ((), 5, 2), ((2,), 1, 3), ((2, 3), 4, 1)):
        memory, _, k, v = (normal(rng, *part.shape) for part in one_token(*lead, d_k=d_k, d_v=d_v))
        expect.matches(state.delta_step, memory, k, v, rng.uniform(0, 2, lead), log_gates(rng, *lead))
        expect.matches(state.delta_step, memory, k, v, float(rng.uniform(0, 2)), float(log_gates(rng)))
    memory, _, k, v = (normal(rng, *part.shape) for part in one_token(2, 3))
    expect.matches(state.delta_step, memory[0], k[:, :1], v, rng.uniform(0, 2, 3), log_gates(rng, 2, 1))
    expect.matches(state.delta_step, memory[0, 0], k[0, 0], v[0, 0], rng.uniform(0, 2, 3), -0.25)


@pytest.mark.question("delta_step", points=0.5)
@given(seed=seeds(), beta=st.integers(1, 16))
def test_delta_moves_what_the_key_reads(state, seed, beta):
    """After forgetting, the key's value moves β|k|² of the way towards v; an orthogonal key reads what is left."""
    memory, _, _, v = one_token(seed=seed)
    memory, v, log_f, beta = memory + 3, v + 3, float(gates(1, seed=seed)[0]) - 0.125, beta / 8
    k, other = np.array([0.5, 1.0, -0.25]), np.array([2.0, -1.0, 0.0])
    left, way = np.exp(log_f) * memory, beta * (k @ k)
    after = state.delta_step(memory, k, v, beta, log_f)
    expect.close(k @ after, k @ left + way * (v - k @ left), "the key's value moves β|k|² of the way towards v")
    expect.close(other @ after, other @ left, "an orthogonal key reads what is left")


@pytest.mark.question("delta_step", points=0.75)
def test_a_second_value_under_one_key(state, rng):
    """If two values are written with β = 1 for the same key of length 1, the key reads the second value, not
    the sum; β = 0 writes nothing."""
    k, memory = normal(rng, 4), np.zeros((4, 3))
    k /= np.linalg.norm(k)
    first, second = normal(rng, 3), normal(rng, 3)
    memory = state.delta_step(memory, k, first, 1.0, 0.0)
    expect.close(k @ memory, first, "the first value is read back")
    memory = state.delta_step(memory, k, second, 1.0, 0.0)
    expect.close(k @ memory, second, "the second value has replaced it")
    expect.close(state.delta_step(memory, k, first, 0.0, 0.0), memory, "β = 0 writes nothing")
    for shut in (-INF, -1e30):
        alone = np.multiply.outer(k, first)
        expect.close(
            state.delta_step(memory, k, first, 1.0, shut), alone, "after a closed gate, only the new value is there"
        )


# retention


@pytest.mark.question("retention", points=0.25)
@given(seed=seeds(), eighths=st.integers(1, 7))
def test_retention_is_rotation_and_decay(state, seed, eighths):
    """For each query, retention adds up the tokens up to its own: rotated score times γ to the power of the
    distance, times value."""
    q, k, v = tokens(d_k=4, seed=seed)
    q, k, v, gamma = q + 3, k + 3, v + 3, eighths / 8
    scores = rotated(q) @ rotated(k).T
    expected = [sum(gamma ** (i - j) * scores[i, j] * v[j] for j in range(i + 1)) for i in range(7)]
    expect.close(
        state.retention(q, k, v, gamma), np.array(expected), "rotated scores times γ to the power of the distance"
    )
    alone = scores.diagonal()[:, np.newaxis] * v
    expect.close(state.retention(q, k, v, 1e-200), alone, "if nothing survives a step, a token sees only itself")


# cope_positions


@pytest.mark.question("cope_positions", points=0.25)
@given(seed=seeds(), start=st.integers(0, 5))
def test_cope_position_falls_by_the_gate_of_each_key(state, seed, start):
    """From one key to the next, the position falls by the first key's gate; at the query's own key, it is
    this key's gate; at later keys, it is 0."""
    gate = np.abs(features(6, 6, seed=seed)) / 2
    found = state.cope_positions(gate[start:])
    for row in range(6 - start):
        p = start + row
        expect.close(
            found[row, :p] - found[row, 1 : p + 1], gate[p, :p], "from key to key, the position falls by a gate"
        )
        expect.close(found[row, p], gate[p, p], "the query's own key has its own gate")
        expect.close(found[row, p + 1 :], np.zeros(5 - p), "keys ahead have the position 0")
    expect.matches(state.cope_positions, np.ones((1, 300)))


# cache_and_state


@pytest.mark.question("cache_and_state", points=0.25)
def test_sizes_of_any_model(state, rng):
    """The cache has n_heads · length · (d_k + d_v) numbers and the state n_heads · d_k · d_v, even for large
    models."""
    for _ in range(3):
        expect.matches(state.cache_and_state, *(int(one) for one in rng.integers(2, 300, 4)))
    expect.matches(state.cache_and_state, 10**9, 96, 256, 512)
    expect.matches(state.cache_and_state, 7, 1, 1, 1)
    expect.matches(state.cache_and_state, 0, 2, 3, 4)


# half_life


@pytest.mark.question("half_life", points=0.25)
def test_half_life_at_the_ends(state):
    """The half-life is inf for a gate that keeps everything, regardless of the sign of its zero, and 0 for a gate
    that keeps nothing."""
    found = state.half_life(np.array([[0.0, -0.0], [-INF, np.log(0.5)]]))
    expect.close(found, np.array([[INF, INF], [0.0, 1.0]]), "the half-lives at both ends")
    expect.close(state.half_life(0.0), INF, "a number that keeps everything")
    expect.close(state.half_life(-INF), 0.0, "a number that keeps nothing")


@pytest.mark.question("half_life", points=0.25)
@given(seed=seeds())
def test_half_is_left_after_a_half_life(state, seed):
    """exp(log_f) to the power of the half-life is one half."""
    log_f = gates(6, seed=seed) - 0.125
    expect.close(np.exp(log_f * state.half_life(log_f)), np.full(6, 0.5), "half is left after a half-life")


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
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
    """Every question has one correct answer."""
    expect.answer(state, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["slope_of_a_gate_of_one_half", "read_after_a_write_with_beta_one_half"])
def test_practice_answer(state, key):
    """This question is for practice and earns no points."""
    expect.answer(state, key)
