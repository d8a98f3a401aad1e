"""Public tests for state: each function's docstring example, values, dtype and traps, and one rejected argument.

Each test's docstring states the rule that the test checks. The expected values are in `expected/state.json`. No
two sizes are equal, so that swapped axes are noticed.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features, seeds

INF = np.inf


def gates(*shape, seed=9):
    """Return log_f, whose entries are multiples of 1/8 from −2 to 0."""
    return -np.abs(features(*shape, seed=seed))


def tokens(*lead, length=7, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """q, k and v."""
    sizes = (d_k, d_k, d_v)
    return [features(*lead, length, size, seed=seed + place, dtype=dtype) for place, size in enumerate(sizes)]


def one_token(*lead, d_k=3, d_v=4, seed=0, dtype=np.float64):
    """Return a state, and q, k and v of one token."""
    shapes = ((d_k, d_v), (d_k,), (d_k,), (d_v,))
    return [features(*lead, *shape, seed=seed + place, dtype=dtype) for place, shape in enumerate(shapes)]


# decay_bias


@pytest.mark.question("decay_bias", points=0.1875)
def test_bias_by_hand(state):
    """For three tokens, the first gate is in no sum, and each later gate is in every sum from a key before it
    to a query at or after it."""
    expected = np.array([[0, -INF, -INF], [-1, 0, -INF], [-3, -2, 0]])
    expect.close(state.decay_bias(np.array([-3.0, -1.0, -2.0])), expected, "decay_bias([-3, -1, -2])")


@pytest.mark.question("decay_bias", points=0.25)
def test_bias(state):
    """The bias is the sum of the gates after key j up to query i, or −inf above the diagonal, in float64."""
    expect.matches(state.decay_bias, gates(7))
    expect.matches(state.decay_bias, gates(2, 3, 5))
    expect.matches(state.decay_bias, gates(4).astype(np.float32))


@pytest.mark.question("decay_bias", points=0.25)
@pytest.mark.parametrize("shut", [-INF, -1e30])
def test_bias_after_a_shut_gate(state, shut):
    """After a gate of −inf or −1e30, the sums of later gates are still exact."""
    log_f = gates(9) - 0.125
    log_f[[0, 4]] = shut
    expect.matches(state.decay_bias, log_f)


@pytest.mark.question("decay_bias", points=0.25)
@given(seed=seeds(), at=st.integers(1, 5))
def test_a_gate_lowers_a_rectangle(state, seed, at):
    """Lowering a gate by 1 lowers the bias by 1 from keys before its token to queries at or after its token, and
    nowhere else."""
    log_f = gates(6, seed=seed)
    lowered = log_f.copy()
    lowered[at] -= 1
    before, after = np.exp(state.decay_bias(log_f)), np.exp(state.decay_bias(lowered))
    factor = np.ones((6, 6))
    factor[at:, :at] = np.exp(-1)
    expect.close(after, before * factor, "a gate lowered by 1 lowers a rectangle of the bias by 1")
    expect.holds(np.all(np.tril(before)[:, 0] > 0), "the bias of open gates is not −inf")


# decay_matrix


@pytest.mark.question("decay_matrix", points=0.1875)
def test_matrix_by_hand(state):
    """Of the gates 0.9, 0.5 and 0.25, the last two are multiplied between token 0 and token 2."""
    expected = np.array([[1, 0, 0], [0.5, 1, 0], [0.125, 0.25, 1]])
    expect.close(
        state.decay_matrix(np.log([0.9, 0.5, 0.25])), expected, "decay_matrix of log 0.9, log 0.5 and log 0.25"
    )


@pytest.mark.question("decay_matrix", points=0.25)
def test_matrix(state):
    """An entry is the product of the gates between key and query: 1 on the diagonal, 0 above it, in float64."""
    expect.matches(state.decay_matrix, gates(2, 6))
    log_f = gates(7)
    log_f[3] = -INF
    expect.matches(state.decay_matrix, log_f.astype(np.float32))


# constant_decay


@pytest.mark.question("constant_decay", points=0.1875)
def test_constant(state):
    """Each token has the log gate −slope, in float64, even if slopes are whole numbers."""
    expect.matches(state.constant_decay, 3, 0.25)
    expect.matches(state.constant_decay, 6, 3)


@pytest.mark.question("constant_decay", points=0.25)
@given(length=st.integers(2, 9), slope=st.integers(1, 40))
def test_constant_gates_are_alibi(state, length, slope):
    """The bias of constant gates is minus slope times distance, as in ALiBi."""
    bias = state.decay_bias(state.constant_decay(length, slope / 8))
    query, key = np.arange(length)[:, np.newaxis], np.arange(length)
    expected = np.where(key <= query, -slope / 8 * (query - key), -INF)
    expect.close(bias, expected, "the bias of constant gates is that of ALiBi")


# forgetting_attention


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting_by_hand(state):
    """With equal scores and a gate of one quarter, the older of two tokens has the weight 0.2."""
    zeros, values = np.zeros((2, 1)), np.array([[0.0], [1.0]])
    out = state.forgetting_attention(zeros, zeros, values, np.array([0.0, np.log(0.25)]))
    expect.close(out, np.array([[0.0], [0.8]]), "two tokens with equal scores")


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting(state):
    """forgetting_attention is softmax(q kᵀ/√d + decay_bias) v, with any number of leading axes."""
    expect.matches(state.forgetting_attention, *tokens(), gates(7))
    expect.matches(state.forgetting_attention, *tokens(2, 4, length=5), gates(4, 5))


@pytest.mark.question("forgetting_attention", points=0.25)
def test_forgetting_after_a_shut_gate(state):
    """A query at or after a closed gate uses only tokens from that gate on; if all gates are 1, it uses earlier
    tokens too."""
    (q, k, v), log_f = tokens(), gates(7)
    log_f[3] = -INF
    out = expect.matches(state.forgetting_attention, q, k, v, log_f)
    expect.close(
        out[3:],
        state.forgetting_attention(q[3:], k[3:], v[3:], log_f[3:]),
        "from a closed gate on, only the rest of the text counts",
    )
    expect.close(out[:3], state.forgetting_attention(q[:3], k[:3], v[:3], log_f[:3]), "before it, nothing changes")
    open_gates = state.forgetting_attention(q, k, v, np.zeros(7))
    expect.holds(not np.allclose(open_gates[4:], out[4:]), "open gates give a different result")


# linear_attention


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_by_hand(state):
    """With scores of 1 and gates of ½, each result is half of the previous result plus the new token's value."""
    ones, values = np.ones((3, 1)), np.array([[1.0], [2.0], [4.0]])
    out = state.linear_attention(ones, ones, values, np.log([1, 0.5, 0.5]))
    expect.close(out, np.array([[1.0], [2.5], [5.25]]), "three tokens with gates 1, ½ and ½")


@pytest.mark.question("linear_attention", points=0.25)
def test_linear(state):
    """linear_attention is ((q kᵀ) ∘ decay_matrix) v, without softmax, scale or sum of weights, for any
    leading axes."""
    expect.matches(state.linear_attention, *tokens(), gates(7))
    expect.matches(state.linear_attention, *tokens(2, 4, length=5), gates(4, 5))


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_with_padding(state):
    """A token with k = 0 and log_f = 0 does not affect any other token; with log_f below 0, it affects later tokens."""
    (q, k, v), log_f = tokens(), gates(7) / 4
    k[3], log_f[3] = 0, 0
    others = [0, 1, 2, 4, 5, 6]
    out = expect.matches(state.linear_attention, q, k, v, log_f)
    without = state.linear_attention(q[others], k[others], v[others], log_f[others])
    expect.close(out[others], without, "a token with k = 0 and log_f = 0 changes no other token")
    log_f[3] = -2
    forgotten = state.linear_attention(q, k, v, log_f)
    expect.holds(not np.allclose(forgotten[4:], out[4:]), "with a gate that is not 1, it changes the tokens after it")


@pytest.mark.question("linear_attention", points=0.25)
def test_linear_refuses_one_value_for_several_tokens(state):
    """q, k, v and log_f need the same number of tokens: a single gate, key or value for all raises a ValueError."""
    (q, k, v), log_f = tokens(), gates(7)
    expect.answers(state.linear_attention, q, k, v, log_f)
    expect.raises(ValueError, state.linear_attention, q, k, v, gates(1))
    expect.raises(ValueError, state.linear_attention, q, k[:1], v, log_f)


# linear_step


@pytest.mark.question("linear_step", points=0.25)
def test_step_by_hand(state):
    """In the example, half of 1 plus 1 · 3 is 3.5, which the query 2 reads as 7."""
    out, after = state.linear_step(np.array([[1.0]]), np.array([2.0]), np.array([1.0]), np.array([3.0]), np.log(0.5))
    expect.close(out, np.array([7.0]), "the value that is read")
    expect.close(after, np.array([[3.5]]), "the new state")
    expect.matches(state.linear_step, *one_token(2, 5), gates(2, 5))


@pytest.mark.question("linear_step", points=0.5)
@given(seed=seeds(), key=st.integers(0, 2), other=st.integers(1, 2))
def test_a_key_reads_its_own_value(state, seed, key, other):
    """The token's key reads what is left of its row plus the new value; another key reads what is left of its own
    row."""
    before, _, _, v = one_token(seed=seed)
    before, v, log_f, keys = before + 3, v + 3, float(gates(1, seed=seed)[0]) - 0.125, np.eye(3)
    other = (key + other) % 3
    left = np.exp(log_f) * before
    same, _ = state.linear_step(before, keys[key], keys[key], v, log_f)
    expect.close(same, left[key] + v, "the token's key reads what is left plus the new value")
    another, after = state.linear_step(before, keys[other], keys[key], v, log_f)
    expect.close(another, left[other], "another key reads what is left of its row")
    expect.close(after[other], left[other], "another key's row has faded")


# linear_chunks


@pytest.mark.question("linear_chunks", points=0.25)
def test_chunks_by_hand(state):
    """In chunks of two, the example of linear_attention gives the same results and the state 5.25."""
    ones, values = np.ones((3, 1)), np.array([[1.0], [2.0], [4.0]])
    out, after = state.linear_chunks(ones, ones, values, np.log([1, 0.5, 0.5]), 2)
    expect.close(out, np.array([[1.0], [2.5], [5.25]]), "three tokens with gates 1, ½ and ½")
    expect.close(after, np.array([[5.25]]), "the state after them")


@pytest.mark.question("linear_chunks", points=0.5)
def test_chunks(state):
    """Any chunk size, even one that does not divide the length, gives the same result, with or without a state."""
    for chunk in (1, 3, 7, 20):
        expect.matches(state.linear_chunks, *tokens(), gates(7) / 4, chunk)
        expect.matches(state.linear_chunks, *tokens(2), gates(2, 7) / 4, chunk, features(2, 3, 4, seed=8))


@pytest.mark.question("linear_chunks", points=0.5)
def test_chunks_go_on_in_a_later_call(state):
    """If the state of one call is passed to the next, two calls give the same results as one call; without
    the state, they do not."""
    (q, k, v), log_f, before = tokens(length=9), gates(9) / 8, features(3, 4, seed=8)
    whole, last = expect.matches(state.linear_chunks, q, k, v, log_f, 4, before)
    _, between = state.linear_chunks(q[:5], k[:5], v[:5], log_f[:5], 2, before)
    rest, after = state.linear_chunks(q[5:], k[5:], v[5:], log_f[5:], 3, between)
    expect.close(rest, whole[5:], "the second call continues after the first one")
    expect.close(after, last, "the state after both calls")
    anew, _ = state.linear_chunks(q[5:], k[5:], v[5:], log_f[5:], 3)
    expect.holds(not np.allclose(anew, whole[5:]), "without the state, the second call begins a new text")


# delta_step


@pytest.mark.question("delta_step", points=0.25)
def test_delta_by_hand(state):
    """If 2 is stored and 5 is written, β = 1 replaces the 2, and β = ½ goes halfway."""
    before, k, v = np.array([[2.0]]), np.array([1.0]), np.array([5.0])
    expect.close(state.delta_step(before, k, v, 1.0, 0.0), np.array([[5.0]]), "with β = 1")
    expect.close(state.delta_step(before, k, v, 0.5, 0.0), np.array([[3.5]]), "with β = ½")


@pytest.mark.question("delta_step", points=0.25)
def test_delta(state):
    """delta_step first forgets, then writes β times the difference between v and what the key reads, without
    normalizing k; no argument is modified."""
    before, _, k, v = one_token()
    expect.matches(state.delta_step, before, k, v, 0.75, -0.5)
    before, _, k, v = one_token(2, 5)
    expect.matches(state.delta_step, before, k, v, np.abs(features(2, 5)), gates(2, 5))


@pytest.mark.question("delta_step", points=0.5)
@given(seed=seeds(), key=st.integers(0, 2), eighths=st.integers(1, 16))
def test_a_key_of_length_one_reads_back_what_was_written(state, seed, key, eighths):
    """With β = 1, the key reads only the new value; with any other β, it reads a mix of the old value and the new one.

    Other keys read what is left of their own rows.
    """
    before, _, _, v = one_token(seed=seed)
    before, v, log_f, beta = before + 3, v + 3, float(gates(1, seed=seed)[0]) - 0.125, eighths / 8
    k = np.eye(3)[key]
    left = np.exp(log_f) * before
    expect.close(k @ state.delta_step(before, k, v, 1.0, log_f), v, "with β = 1, the key reads the written value")
    after = state.delta_step(before, k, v, beta, log_f)
    expect.close(
        k @ after,
        (1 - beta) * left[key] + beta * v,
        "with another β, it reads a share of the old value and of the new one",
    )
    others = [row for row in range(3) if row != key]
    expect.close(after[others], left[others], "other keys read their faded rows")


# retention


@pytest.mark.question("retention", points=0.25)
def test_retention(state):
    """Queries and keys are rotated, and the decay is γ^(i−j), without a scale; γ is a single number or one number
    per head."""
    expect.matches(state.retention, *tokens(d_k=6), 0.75)
    expect.matches(state.retention, *tokens(2, 3, d_k=4, d_v=5), np.array([0.5, 0.875, 1.0]), base=300.0)


# cope_positions


@pytest.mark.question("cope_positions", points=0.1875)
def test_cope(state):
    """Each position is the sum of the gates from key j to the query's own, even with fewer queries than keys, in
    float64."""
    expect.matches(state.cope_positions, np.abs(features(5, 5)) / 2)
    expect.matches(state.cope_positions, np.abs(features(2, 3, 6)) / 2)
    expect.matches(state.cope_positions, np.abs(features(1, 4, dtype=np.float32)) / 2)


# cache_and_state


@pytest.mark.question("cache_and_state", points=0.25)
def test_sizes_by_hand(state):
    """Ten tokens and two heads, with keys of 4 numbers and values of 3, take up 140 numbers in the cache and 24
    in the state."""
    expect.close(state.cache_and_state(10, 2, 4, 3), (140, 24), "cache_and_state(10, 2, 4, 3)")


# half_life


@pytest.mark.question("half_life", points=0.1875)
def test_half_life_by_hand(state):
    """The half-life is inf for a gate that keeps everything, 1 for a gate of ½, ½ for ¼, and 0 for one that keeps
    nothing."""
    found = state.half_life(np.array([0.0, np.log(0.5), np.log(0.25), -INF]))
    expect.close(found, np.array([INF, 1.0, 0.5, 0.0]), "the half-lives of gates 1, ½, ¼ and 0")


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("decay_bias", np.array([-0.125, -0.5, -0.25], dtype=np.float32)),
        case("decay_matrix", np.array([-0.125, -0.5, -0.25], dtype=np.float32)),
        case("constant_decay", 4, 0.125),
        case("half_life", np.array([-0.125, -0.5], dtype=np.float32)),
        case("cope_positions", np.array([[0.5, 0.25], [0.75, 1.0]], dtype=np.float32)),
    ],
)
def test_tables_are_float64(state, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(state, function), *arguments)
