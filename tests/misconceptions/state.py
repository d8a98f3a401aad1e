"""Known mistakes with gates and states: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words, but leaves the fix to the student.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import state

BASE = 10000.0


def triangle(length):
    """Mask that is True on and below the diagonal."""
    return np.tri(length, dtype=bool)


def swapped(array):
    return np.swapaxes(np.asarray(array, dtype=np.float64), -1, -2)


def scores(q, k):
    return np.asarray(q, dtype=np.float64) @ swapped(k)


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def gate(log_f):
    """One token's gate, as a 1 × 1 matrix that can be multiplied by a state."""
    return np.exp(np.asarray(log_f, dtype=np.float64))[..., np.newaxis, np.newaxis]


def outer(k, v):
    return np.asarray(k, dtype=np.float64)[..., :, np.newaxis] * np.asarray(v)[..., np.newaxis, :]


def read(q, memory):
    return (np.asarray(q, dtype=np.float64)[..., np.newaxis, :] @ memory)[..., 0, :]


def of_dtypes(results, right):
    return tuple(one.astype(other.dtype) for one, other in zip(results, right, strict=True))


def pieces(q, k, v, log_f, chunk):
    """Chunks of q, k, v and log_f, as float64."""
    q, k, v, log_f = (np.asarray(one, dtype=np.float64) for one in (q, k, v, log_f))
    for start in range(0, q.shape[-2], chunk):
        tokens = slice(start, start + chunk)
        yield q[..., tokens, :], k[..., tokens, :], v[..., tokens, :], log_f[..., tokens]


def in_chunks(q, k, v, log_f, chunk, memory, one_chunk):
    """Results of a text computed chunk by chunk; one_chunk(state, q, k, v, log_f) returns a chunk's results and
    the state after it."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    current = np.zeros(right[1].shape[-2:]) if memory is None else np.asarray(memory, dtype=np.float64)
    outs = []
    for part in pieces(q, k, v, log_f, chunk):
        out, current = one_chunk(current, *part)
        outs.append(out)
    return of_dtypes((np.concatenate(outs, axis=-2), current), right)


def after(memory, k, v, log_f):
    """State after a chunk."""
    kept = np.exp(log_f.sum(axis=-1))[..., np.newaxis, np.newaxis]
    left = state.decay_matrix(log_f)[..., -1, :, np.newaxis]
    return kept * memory + swapped(k * left) @ v


def since_start(log_f):
    return np.exp(np.cumsum(log_f, axis=-1))[..., np.newaxis]


def rotated(x, base=BASE, sign=1):
    """Interleaved RoPE, with row t at position t."""
    x = np.asarray(x, dtype=np.float64)
    theta = float(base) ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    return turned(x, theta, sign)


def turned(x, theta, sign=1):
    angles = sign * np.arange(x.shape[-2])[:, np.newaxis] * theta
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


def powers(gamma, length):
    """Matrix with γ^(i−j) for j ≤ i, and 0 elsewhere."""
    return state.decay_matrix(np.repeat(np.log(np.asarray(gamma, dtype=np.float64))[..., np.newaxis], length, axis=-1))


@mistake("decay_bias", 'the "unstable" sum in the listing of Dao and Gu 2024 (Mamba-2); sgl-project/sglang-jax #1073')
def difference_of_running_sums(log_f):
    """You subtracted two running sums, which gives NaN or loses small gates after a gate of −inf or −1e30. The rule:
    sum only the gates between key and query, which stays exact."""
    total = np.cumsum(np.asarray(log_f, dtype=np.float64), axis=-1)
    differences = total[..., :, np.newaxis] - total[..., np.newaxis, :]
    return np.where(triangle(total.shape[-1]), differences, -np.inf)


@mistake("decay_bias", "vllm-project/vllm #23279 (decay summed from the wrong start)")
def gate_of_the_key_counted(log_f):
    """You also counted the key's own gate. The rule: a gate acts on the state before its token, so the sum begins one
    token after the key, and the diagonal is 0."""
    return state.decay_bias(log_f) + np.asarray(log_f, dtype=np.float64)[..., np.newaxis, :]


@mistake("decay_bias", "vllm-project/vllm #23279 (decay summed from the wrong start)")
def one_token_too_early(log_f):
    """You left out the query's own gate and counted the key's. The rule: sum from the token after the key up to the
    query."""
    bias = state.decay_bias(log_f)
    log_f = np.asarray(log_f, dtype=np.float64)
    moved = np.roll(log_f, 1, axis=-1)
    moved[..., 0] = 0
    return np.where(np.isneginf(bias) & ~triangle(log_f.shape[-1]), -np.inf, state.decay_bias(moved))


@mistake("decay_bias", "fkodom/yet-another-retnet #24 (the future leaks in)")
def future_at_no_cost(log_f):
    """Your entries above the diagonal are 0. The rule: entries above the diagonal are −inf, so no query sees a key
    ahead."""
    bias = state.decay_bias(log_f)
    return np.where(triangle(bias.shape[-1]), bias, 0.0)


@mistake("decay_bias", "expected: the −1e9 of many masks")
def future_at_a_large_cost(log_f):
    """Your entries above the diagonal are large negative numbers. The rule: entries above the diagonal are −inf, which
    no score can outweigh."""
    bias = state.decay_bias(log_f)
    return np.where(triangle(bias.shape[-1]), bias, -1e9)


@mistake("decay_bias", "expected: one sign too many, as with slopes that are subtracted")
def bias_rewards_distance(log_f):
    """Your bias grows with the distance. The rule: add the log gates without changing their sign, because they are
    already negative."""
    bias = state.decay_bias(log_f)
    return np.where(triangle(bias.shape[-1]), -bias, -np.inf)


@mistake("decay_bias", "expected: one gate per query, as in a gated output")
def one_gate_per_query(log_f):
    """You used only the query's gate, for every key. The rule: add up all gates between key and query."""
    bias = state.decay_bias(log_f)
    own = np.broadcast_to(np.asarray(log_f, dtype=np.float64)[..., :, np.newaxis], bias.shape)
    same = np.eye(bias.shape[-1], dtype=bool)
    return np.where(same, 0.0, np.where(triangle(bias.shape[-1]), own, -np.inf))


@mistake("decay_bias", "expected: the two axes swapped")
def bias_transposed(log_f):
    """In your result, rows are keys and columns are queries. The rule: the axes are [query, key]."""
    return swapped(state.decay_bias(log_f))


@mistake("decay_matrix", "fkodom/yet-another-retnet #24 (the future leaks in)")
def future_is_kept(log_f):
    """Your entries above the diagonal are 1. The rule: entries above the diagonal are 0, since exp(−inf) is 0 and no
    query sees a key ahead of it."""
    matrix = state.decay_matrix(log_f)
    return np.where(triangle(matrix.shape[-1]), matrix, 1.0)


@mistake("decay_matrix", "syncdoth/RetNet #10")
def rows_divided_by_their_sum(log_f):
    """You divided each row by its sum. The rule: each entry is just the product of the gates, because results
    from divided rows do not add up across chunks."""
    matrix = state.decay_matrix(log_f)
    return matrix / matrix.sum(axis=-1, keepdims=True)


@mistake("decay_matrix", "fla-org/flash-linear-attention #461")
def exp_of_zero_is_zero(log_f):
    """Your diagonal is 0. The rule: the diagonal is exp(0) = 1, because no gate acts on its own token."""
    return np.where(state.decay_bias(log_f) < 0, state.decay_matrix(log_f), 0.0)


@mistake("decay_matrix", "expected: log_f mistaken for the gate itself")
def log_gates_multiplied(log_f):
    """You multiplied the log gates together. The rule: add the log gates and take exp of the sum."""
    right = state.decay_matrix(log_f)
    log_f = np.asarray(log_f, dtype=np.float64)
    factors = np.where(np.tri(log_f.shape[-1], k=-1, dtype=bool), log_f[..., np.newaxis], 1.0)
    return np.where(triangle(right.shape[-1]), np.cumprod(factors, axis=-2), 0.0)


@mistake("decay_matrix", "vllm-project/vllm #23279 (decay summed from the wrong start)")
def product_with_the_key_s_gate(log_f):
    """Your product of gates begins with the key's gate. The rule: the product begins with the gate one token
    after the key."""
    return state.decay_matrix(log_f) * np.exp(np.asarray(log_f, dtype=np.float64))[..., np.newaxis, :]


@mistake("constant_decay", "expected: the sign of the slope")
def slope_without_its_sign(length, slope):
    """Your log gates are the slope itself, which is above 0. The rule: the log gate is −slope, since a log gate is
    never positive."""
    return -state.constant_decay(length, slope)


@mistake("constant_decay", "expected: the gate instead of its logarithm")
def gate_for_its_logarithm(length, slope):
    """You returned exp(−slope), which is the gate. The rule: return the logarithm of the gate, −slope."""
    return np.exp(state.constant_decay(length, slope))


@mistake("constant_decay", "expected: ALiBi's bias mistaken for its gates")
def slope_times_position(length, slope):
    """Your log gates fall from token to token. The rule: every token has the same gate; only the sum of log gates
    changes with the distance."""
    return state.constant_decay(length, slope) * np.arange(length)


@mistake("constant_decay", "expected: one logarithm too many")
def logarithm_of_the_slope(length, slope):
    """You took the logarithm of the slope. The rule: return −slope, because ALiBi's slope is already a logarithm."""
    return np.log(-state.constant_decay(length, slope))


@mistake("forgetting_attention", "expected: linear attention has no scale, and softmax attention has one")
def forgetting_without_scale(q, k, v, log_f):
    """You did not divide the scores by √d. The rule: compute q kᵀ/√d, and then add the bias."""
    return state.forgetting_attention(
        np.asarray(q) * np.asarray(np.sqrt(np.shape(q)[-1]), np.asarray(q).dtype), k, v, log_f
    )


@mistake("forgetting_attention", "expected: bias and scale in the wrong order")
def bias_scaled_too(q, k, v, log_f):
    """You divided the bias by √d as well. The rule: add the bias after the division."""
    return state.forgetting_attention(q, k, v, np.asarray(log_f) / np.sqrt(np.shape(q)[-1]))


@mistake("forgetting_attention", "fla-org/flash-linear-attention #649; sgl-project/sglang-jax #1073")
def exp_of_raw_scores(q, k, v, log_f):
    """You took exp of the raw scores, which overflows or leaves only zeros. The rule: first subtract the largest score
    of each row."""
    weights = np.exp(scores(q, k) / np.sqrt(np.shape(q)[-1]) + state.decay_bias(log_f))
    return weights / weights.sum(axis=-1, keepdims=True) @ np.asarray(v)


@mistake("forgetting_attention", "expected: linear attention's decay used with softmax")
def decay_after_softmax(q, k, v, log_f):
    """You multiplied the weights by the decay after softmax. The rule: add the bias before softmax, so that the
    weights sum to 1."""
    causal = np.where(triangle(np.shape(q)[-2]), scores(q, k) / np.sqrt(np.shape(q)[-1]), -np.inf)
    return softmax(causal) * state.decay_matrix(log_f) @ np.asarray(v)


@mistake("forgetting_attention", "expected: log_f mistaken for the bias itself")
def gates_added_without_a_sum(q, k, v, log_f):
    """You added each key's gate to its scores. The rule: add the sum of the gates between key and query."""
    log_f = np.asarray(log_f, dtype=np.float64)[..., np.newaxis, :]
    biased = scores(q, k) / np.sqrt(np.shape(q)[-1]) + np.maximum(log_f, -1e9)
    return softmax(np.where(triangle(np.shape(q)[-2]), biased, -np.inf)) @ np.asarray(v)


@mistake("linear_attention", "expected: softmax's normaliser kept; syncdoth/RetNet #10")
def divided_by_the_weights(q, k, v, log_f):
    """You divided each row by the sum of its weights. The rule: do not divide by a sum of weights, so that the
    result can be computed step by step."""
    weights = scores(q, k) * state.decay_matrix(log_f)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ np.asarray(v)


@mistake("linear_attention", "expected: softmax attention's scale kept")
def linear_with_a_scale(q, k, v, log_f):
    """You divided the scores by √d, as softmax attention does. The rule: linear attention has no scale."""
    return state.linear_attention(q, k, v, log_f) / np.sqrt(np.shape(q)[-1])


@mistake("linear_attention", "expected: forgetting_attention repeated")
def linear_with_softmax(q, k, v, log_f):
    """You used softmax. The rule: there is no softmax; multiply scores, decay and v."""
    return state.forgetting_attention(q, k, v, log_f)


@mistake("linear_attention", "expected: the state read before it is written")
def linear_without_the_own_token(q, k, v, log_f):
    """In your result, a token does not see itself. The rule: the sum runs over j ≤ i, so it includes the token's own
    value, without decay."""
    right = state.linear_attention(q, k, v, log_f)
    own = (np.asarray(q, dtype=np.float64) * k).sum(axis=-1, keepdims=True) * np.asarray(v)
    return right - own


@mistake("linear_attention", "expected: the sum from before softmax, where there is no softmax")
def bias_added_without_softmax(q, k, v, log_f):
    """You added the bias to the scores. The rule: without softmax, multiply the scores by decay_matrix."""
    bias = np.maximum(state.decay_bias(log_f), -1e9)
    return np.where(triangle(np.shape(q)[-2]), scores(q, k) + bias, 0.0) @ np.asarray(v)


@mistake("linear_step", "expected: the order of the last two steps")
def read_before_write(memory, q, k, v, log_f):
    """You read the state before you wrote the new token. The rule: forget first, then write, then read."""
    return (read(q, gate(log_f) * np.asarray(memory)), state.linear_step(memory, q, k, v, log_f)[1])


@mistake("linear_step", "vllm-project/vllm #23279 (the decay begins one token too early)")
def write_before_forget(memory, q, k, v, log_f):
    """You wrote the token before you applied the gate. The rule: the gate acts on the state before its token, and the
    token itself does not fade."""
    new = gate(log_f) * (np.asarray(memory, dtype=np.float64) + outer(k, v))
    return (read(q, new), new)


@mistake("linear_step", "expected: plain linear attention, without a gate")
def nothing_is_forgotten(memory, q, k, v, log_f):
    """You added the token without forgetting anything first. The rule: multiply the state by exp(log_f) first."""
    return state.linear_step(memory, q, k, v, np.zeros_like(log_f))


@mistake("linear_step", "expected: the logarithm instead of the gate")
def log_gate_for_the_gate(memory, q, k, v, log_f):
    """You multiplied the state by log_f. The rule: multiply the state by exp(log_f), which lies between 0 and
    1."""
    factor = np.asarray(log_f, dtype=np.float64)[..., np.newaxis, np.newaxis]
    new = factor * np.asarray(memory) + outer(k, v)
    return (read(q, new), new)


@mistake("linear_step", "expected: an input gate instead of a forget gate")
def gate_on_the_new_token(memory, q, k, v, log_f):
    """You applied the gate to the new token instead of the state, so the old state stays and the token fades. The rule:
    the state fades, and the new token does not."""
    new = np.asarray(memory, dtype=np.float64) + gate(log_f) * outer(k, v)
    return (read(q, new), new)


@mistake("linear_step", "expected: an exponential moving average")
def moving_average(memory, q, k, v, log_f):
    """You kept a share f of the state and wrote only a share 1 − f of the token, as in a weighted average. The
    rule: write the whole token."""
    new = gate(log_f) * np.asarray(memory, dtype=np.float64) + (1 - gate(log_f)) * outer(k, v)
    return (read(q, new), new)


@mistake("linear_step", "vllm-project/vllm #41292; sgl-project/sgl-kernel-npu #640 (hidden while both sizes are equal)")
def state_stored_the_other_way_round(memory, q, k, v, log_f):
    """Your new state has the shape (dv, dk). The rule: the shape is (dk, dv); row a belongs to feature a of the key."""
    out, new = state.linear_step(memory, q, k, v, log_f)
    return out, np.swapaxes(new, -1, -2)


@mistake("linear_chunks", "huggingface/transformers #46741; vllm-project/vllm #22034; state-spaces/mamba #641")
def given_state_ignored(q, k, v, log_f, chunk, memory=None):
    """You began with an empty state even when `state` is passed. The rule: begin with the state that is passed,
    which an earlier call returned."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    return state.linear_chunks(q, k, v, log_f, chunk, np.zeros_like(right[1]))


@mistake("linear_chunks", "huggingface/transformers #34817, #47475, #47246 (states do not pass from chunk to chunk)")
def every_chunk_begins_anew(q, k, v, log_f, chunk, memory=None):
    """Each of your chunks begins with the state passed to the call. The rule: a chunk begins with the state after the
    previous chunk."""
    first = np.zeros((np.shape(k)[-1], np.shape(v)[-1])) if memory is None else np.asarray(memory, dtype=np.float64)

    def one_chunk(_, q, k, v, log_f):
        return state.linear_attention(q, k, v, log_f) + since_start(log_f) * (q @ first), after(first, k, v, log_f)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: the decay inside the chunk left out on the way to the state")
def state_read_without_decay(q, k, v, log_f, chunk, memory=None):
    """Within a chunk, you read the state as it was at the beginning. The rule: by token i, the state from the beginning
    of the chunk has faded by the factor exp(c_i)."""

    def one_chunk(current, q, k, v, log_f):
        return state.linear_attention(q, k, v, log_f) + q @ current, after(current, k, v, log_f)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "vllm-project/vllm #23279 (decay summed from the wrong start)")
def first_gate_of_the_chunk_missing(q, k, v, log_f, chunk, memory=None):
    """When you read the state, you leave out the first gate of each chunk. The rule: c_i, the sum of the log gates up
    to token i, includes the first gate of the chunk."""

    def one_chunk(current, q, k, v, log_f):
        later = np.where(np.arange(log_f.shape[-1]) > 0, log_f, 0.0)
        return state.linear_attention(q, k, v, log_f) + since_start(later) * (q @ current), after(current, k, v, log_f)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: an exclusive running sum of the gates")
def own_gate_missing_when_the_state_is_read(q, k, v, log_f, chunk, memory=None):
    """In your result, the state that a query reads has not faded by the query's own gate. The rule: c_i includes the
    log gate of token i."""

    def one_chunk(current, q, k, v, log_f):
        earlier = np.concatenate([np.zeros_like(log_f[..., :1]), log_f[..., :-1]], axis=-1)
        out = state.linear_attention(q, k, v, log_f) + since_start(earlier) * (q @ current)
        return out, after(current, k, v, log_f)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: c as the sum of the gates after the chunk's first token")
def first_gate_of_the_chunk_left_out(q, k, v, log_f, chunk, memory=None):
    """You leave out the first gate of each chunk, both when you read the state and when you carry it over. The rule: c,
    the running sum of the log gates, includes the first gate of the chunk."""

    def one_chunk(current, q, k, v, log_f):
        later = np.where(np.arange(log_f.shape[-1]) > 0, log_f, 0.0)
        return state.linear_attention(q, k, v, log_f) + since_start(later) * (q @ current), after(current, k, v, later)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: a one-token step used for a chunk")
def state_fades_by_the_last_gate(q, k, v, log_f, chunk, memory=None):
    """From chunk to chunk, your state fades only by the last gate. The rule: the state fades by the product of all
    gates of the chunk, exp(c_last)."""

    def one_chunk(current, q, k, v, log_f):
        new = gate(log_f[..., -1]) * current + after(0 * current, k, v, log_f)
        return state.linear_attention(q, k, v, log_f) + since_start(log_f) * (q @ current), new

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: kᵀ v of the whole chunk added")
def tokens_written_without_decay(q, k, v, log_f, chunk, memory=None):
    """You wrote the tokens of a chunk into the state without decay. The rule: each token fades by the gates after it,
    up to the end of the chunk."""

    def one_chunk(current, q, k, v, log_f):
        new = after(current, 0 * k, v, log_f) + swapped(k) @ v
        return state.linear_attention(q, k, v, log_f) + since_start(log_f) * (q @ current), new

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: the state kept for the chunk being computed, as in lists of states")
def state_before_the_last_chunk(q, k, v, log_f, chunk, memory=None):
    """You returned the state before the last chunk. The rule: return the state after the last token."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    length = np.shape(q)[-2]
    done = (length - 1) // chunk * chunk
    if not done:
        return right[0], (
            np.zeros_like(right[1])
            if memory is None
            else np.broadcast_to(memory, right[1].shape).astype(right[1].dtype)
        )
    q, k, v, log_f = (
        np.asarray(q)[..., :done, :],
        np.asarray(k)[..., :done, :],
        np.asarray(v)[..., :done, :],
        np.asarray(log_f)[..., :done],
    )
    return (right[0], state.linear_chunks(q, k, v, log_f, chunk, memory)[1])


@mistake("linear_chunks", "expected: length // chunk chunks")
def rest_of_the_text_lost(q, k, v, log_f, chunk, memory=None):
    """In your result, the tokens after the last full chunk are zeros, and they are missing from the state. The
    rule: the last chunk can be shorter."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    length = np.shape(q)[-2]
    done = length // chunk * chunk
    if done == length:
        return right
    out = np.array(right[0])
    out[..., done:, :] = 0
    return out, state_before_the_last_chunk.implementation(q, k, v, log_f, chunk, memory)[1]


@mistake("linear_chunks", "fla-org/flash-linear-attention #1272 (padding masks v and not the gate)")
def filler_that_forgets(q, k, v, log_f, chunk, memory=None):
    """You padded the last chunk with tokens whose gate is not 1, so the returned state has faded too far. The
    rule: a padding token has k = 0 and log_f = 0."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    missing = -np.shape(q)[-2] % chunk
    last = (
        np.exp(missing * np.asarray(log_f, dtype=np.float64)[..., -1])[..., np.newaxis, np.newaxis] if missing else 1.0
    )
    return (right[0], last * right[1])


@mistake("delta_step", "expected: linear_step repeated, whose write the delta rule corrects")
def value_added(memory, k, v, beta, log_f):
    """You added the value to the key's stored value. The rule: write the difference, β (v − the value that the key
    reads)."""
    scaled = np.asarray(beta, dtype=np.float64)[..., np.newaxis, np.newaxis] * outer(k, v)
    return gate(log_f) * np.asarray(memory) + scaled


@mistake("delta_step", "fla-org/flash-linear-attention #885 (asked there which of the two is meant)")
def read_before_forgetting(memory, k, v, beta, log_f):
    """You read the key's stored value before forgetting. The rule: forget first and then read."""
    missing = np.asarray(v, dtype=np.float64) - read(k, np.asarray(memory, dtype=np.float64))
    write = np.asarray(beta, dtype=np.float64)[..., np.newaxis, np.newaxis] * outer(k, missing)
    return gate(log_f) * np.asarray(memory) + write


@mistake("delta_step", "expected: the gate at the end of the step")
def forgetting_comes_last(memory, k, v, beta, log_f):
    """You applied the gate to the new value as well. The rule: forget first, so that the new value does not fade."""
    return gate(log_f) * state.delta_step(np.asarray(memory, dtype=np.float64), k, v, beta, np.zeros_like(log_f))


@mistake("delta_step", "expected: the brackets in β (v − kᵀ S) left out")
def beta_on_the_new_value_alone(memory, k, v, beta, log_f):
    """In your code, β scales only the new value, and the old one is removed completely. The rule: β scales
    the difference between the new value and the value that the key reads."""
    faded = gate(log_f) * np.asarray(memory)
    missing = np.asarray(beta, dtype=np.float64)[..., np.newaxis] * np.asarray(v) - read(k, faded)
    return faded + outer(k, missing)


@mistake("delta_step", "expected: the brackets in β (v − kᵀ S) left out")
def beta_on_the_old_value_alone(memory, k, v, beta, log_f):
    """In your code, β scales only the old value, and the new one is written completely. The rule: β scales
    the difference between the new value and the value that the key reads."""
    faded = gate(log_f) * np.asarray(memory)
    missing = np.asarray(v) - np.asarray(beta, dtype=np.float64)[..., np.newaxis] * read(k, faded)
    return faded + outer(k, missing)


@mistake("delta_step", "expected: the normalisation in Qwen3-Next's layer repeated")
def key_normalised(memory, k, v, beta, log_f):
    """You divided the key by its length. The rule: use k as it is; normalising it, if needed, is the layer's job."""
    k = np.asarray(k, dtype=np.float64)
    length = np.linalg.norm(k, axis=-1, keepdims=True)
    return state.delta_step(memory, k / np.where(length == 0, 1, length), v, beta, log_f)


@mistake("retention", "expected: the distance without its sign")
def retention_of_both_sides(q, k, v, gamma, base=BASE):
    """You raised γ to the power |i − j|, so tokens also see the future. The rule: the sum runs only over j ≤ i."""
    decay = powers(gamma, np.shape(q)[-2])
    both = np.where(triangle(decay.shape[-1]), decay, swapped(decay))
    return scores(rotated(q, base), rotated(k, base)) * both @ np.asarray(v)


@mistake("retention", "Jamie-Stirling/RetNet (NaN swept to 0); AI-Hypercomputer/accelerator-agents #67")
def powers_multiplied_by_a_mask(q, k, v, gamma, base=BASE):
    """You also computed γ^(i−j) above the diagonal: it overflows there, and 0 · inf is NaN. The rule: do not compute
    powers for negative distances."""
    length = np.shape(q)[-2]
    distance = np.subtract.outer(np.arange(length), np.arange(length))
    decay = np.asarray(gamma, dtype=np.float64)[..., np.newaxis, np.newaxis] ** distance * triangle(length)
    return scores(rotated(q, base), rotated(k, base)) * decay @ np.asarray(v)


@mistake("retention", "expected: only the decay")
def retention_without_rotation(q, k, v, gamma, base=BASE):
    """You did not rotate. The rule: rotate each query and each key by its position before you compute the score."""
    return scores(q, k) * powers(gamma, np.shape(q)[-2]) @ np.asarray(v)


@mistake("retention", "expected: the conjugate of the paper's complex form applied twice")
def keys_rotated_the_other_way(q, k, v, gamma, base=BASE):
    """You rotated queries and keys in opposite directions. The rule: rotate queries and keys in the same
    direction, so that the score depends on the difference."""
    return scores(rotated(q, base), rotated(k, base, -1)) * powers(gamma, np.shape(q)[-2]) @ np.asarray(v)


@mistake("retention", "expected: everything computed from x is rotated")
def values_rotated_too(q, k, v, gamma, base=BASE):
    """You rotated the values as well. The rule: rotate queries and keys only."""
    v = np.array(v, dtype=np.float64)
    even = v.shape[-1] // 2 * 2
    v[..., :even] = rotated(v[..., :even], base) if even else v[..., :even]
    return state.retention(q, k, v, gamma, base)


@mistake("retention", "expected: softmax attention's scale kept")
def retention_with_a_scale(q, k, v, gamma, base=BASE):
    """You divided the scores by √d. The rule: retention does not divide the scores."""
    return state.retention(q, k, v, gamma, base) / np.sqrt(np.shape(q)[-1])


@mistake("retention", "Jamie-Stirling/RetNet #35 (whether xPos and the decay matrix both decay)")
def decay_twice(q, k, v, gamma, base=BASE):
    """You applied the decay twice, once to queries and keys and once to the scores, which gives γ^(2(i−j)). The rule:
    the factor is γ^(i−j)."""
    return state.retention(q, k, v, np.asarray(gamma, dtype=np.float64) ** 2, base)


@mistake("retention", "microsoft/torchscale (angles on a line from 1 to 1/base)")
def angles_that_end_at_the_base(q, k, v, gamma, base=BASE):
    """Your slowest angle is 1/base, as in torchscale. The rule: the angle is base^(−2i/d), whose last exponent is above
    −1."""
    pairs = np.shape(q)[-1] // 2
    theta = float(base) ** -np.linspace(0, 1, pairs)
    q, k = (turned(np.asarray(one, dtype=np.float64), theta) for one in (q, k))
    return scores(q, k) * powers(gamma, q.shape[-2]) @ np.asarray(v)


@mistake("retention", "huggingface/transformers #25199 (the other layout)")
def retention_in_the_half_layout(q, k, v, gamma, base=BASE):
    """You paired features that are half the width apart. The rule: here, a pair consists of two neighbours, (2i,
    2i+1)."""
    # Neighbours in the new order are half the width apart in the old order.
    order = np.arange(np.shape(q)[-1]).reshape(2, -1).T.ravel()
    return state.retention(np.asarray(q)[..., order], np.asarray(k)[..., order], v, gamma, base)


@mistake("retention", "expected: positions counted from 1 in the power")
def own_token_fades(q, k, v, gamma, base=BASE):
    """In your result, a token's own value fades by one γ. The rule: the factor is γ^(i−j), which is 1 for j = i."""
    right = state.retention(q, k, v, gamma, base)
    return np.asarray(gamma, dtype=np.float64)[..., np.newaxis, np.newaxis] * right


def seen(gates):
    """Gates of the keys up to each query, with 0 for keys ahead."""
    gates = np.asarray(gates, dtype=np.float64)
    return gates * np.tri(*gates.shape[-2:], gates.shape[-1] - gates.shape[-2])


@mistake("cope_positions", "expected: a running sum from the left")
def counted_from_the_front(gates):
    """You counted from the first key. The rule: count from the query backwards."""
    right = state.cope_positions(gates)
    return np.where(
        np.tri(*right.shape[-2:], right.shape[-1] - right.shape[-2]) > 0, np.cumsum(seen(gates), axis=-1), 0.0
    )


@mistake("cope_positions", "expected: the same sum as in decay_bias, which begins after the key")
def gate_of_the_key_left_out(gates):
    """You left out the key's own gate. The rule: sum the gates of keys l with j ≤ l ≤ p, which includes the key's own
    gate."""
    return state.cope_positions(gates) - seen(gates)


@mistake("cope_positions", "expected: a query that does not look at itself")
def gate_of_the_query_left_out(gates):
    """You left out the query's own gate. The rule: sum the gates of keys l with j ≤ l ≤ p, which includes the query's
    own gate for every key."""
    right = state.cope_positions(gates)
    q_len, k_len = right.shape[-2:]
    without = np.asarray(gates, dtype=np.float64) * np.tri(q_len, k_len, k_len - q_len - 1)
    return state.cope_positions(without)


@mistake("cope_positions", "expected with a cache: vllm-project/vllm #945 (the distance of a decoded token)")
def cope_without_the_cache(gates):
    """In your result, query i is at position i. The rule: the last query has the position of the last key, so p = i +
    Tk − Tq."""
    right = state.cope_positions(gates)
    early = np.asarray(gates, dtype=np.float64) * np.tri(*right.shape[-2:])
    return np.cumsum(early[..., ::-1], axis=-1)[..., ::-1]


@mistake("cope_positions", "expected: the causal mask left out before the sum")
def keys_ahead_counted(gates):
    """You also counted keys ahead of the query. The rule: count only keys up to the query's own position."""
    right = state.cope_positions(gates)
    every = np.cumsum(np.asarray(gates, dtype=np.float64)[..., ::-1], axis=-1)[..., ::-1]
    return np.where(np.tri(*right.shape[-2:], right.shape[-1] - right.shape[-2]) > 0, every, 0.0)


@mistake("cope_positions", "expected: a position must be a whole number, since a table is looked up with it")
def positions_rounded(gates):
    """You rounded the positions. The rule: return the positions without rounding."""
    return np.rint(state.cope_positions(gates))


@mistake("cache_and_state", "expected: one of the two caches counted")
def keys_alone(length, n_heads, d_k, d_v):
    """Your cache contains only the keys. The rule: the cache contains keys and values, d_k + d_v numbers per
    token."""
    cache, memory = state.cache_and_state(length, n_heads, d_k, d_v)
    return cache // (d_k + d_v) * d_k, memory


@mistake("cache_and_state", "expected: both sizes are equal in most models")
def values_as_large_as_keys(length, n_heads, d_k, d_v):
    """You used 2 · d_k for keys and values. The rule: the size is d_k + d_v, since values can have a different size."""
    cache, memory = state.cache_and_state(length, n_heads, d_k, d_v)
    return cache // (d_k + d_v) * 2 * d_k, memory


@mistake("cache_and_state", "expected: the state mistaken for one key and one value")
def state_as_a_vector(length, n_heads, d_k, d_v):
    """Your state has d_k + d_v numbers per head. The rule: the state is a matrix of d_k · d_v numbers."""
    cache, memory = state.cache_and_state(length, n_heads, d_k, d_v)
    return cache, memory // (d_k * d_v) * (d_k + d_v)


@mistake("cache_and_state", "expected: one state per token, as training keeps them")
def state_per_token(length, n_heads, d_k, d_v):
    """Your state grows with the length. The rule: the size of a state is fixed."""
    cache, memory = state.cache_and_state(length, n_heads, d_k, d_v)
    return cache, memory * length


@mistake("half_life", "expected: ln ½ divided by +0")
def minus_infinity_for_a_gate_of_one(log_f):
    """In your result, a gate that keeps everything has a half-life of −inf. The rule: a gate that keeps
    everything has a half-life of +inf, whether log_f is 0 or −0."""
    right = state.half_life(log_f)
    return np.where(np.isinf(right) & ~np.signbit(log_f), -np.inf, right)


@mistake(
    "half_life",
    "expected: −1 over the logarithm to base 2 of the gate, whose logarithm is +0",
    hint=minus_infinity_for_a_gate_of_one.hint,
)
def minus_infinity_for_every_gate_of_one(log_f):
    right = state.half_life(log_f)
    return np.where(np.isinf(right), -np.inf, right)


@mistake("half_life", "expected: the time constant instead of the half-life")
def time_constant(log_f):
    """You returned −1/log_f, after which 1/e is left. The rule: return ln ½ / log_f, after which half is left."""
    return state.half_life(log_f) / np.log(2)


@mistake("half_life", "expected: exp(log_f) where log_f is meant")
def divided_by_the_gate(log_f):
    """You divided by the gate. The rule: divide by the logarithm of the gate, log_f."""
    return np.log(2) / np.exp(np.asarray(log_f, dtype=np.float64))


@mistake("half_life", "expected: one logarithm too many")
def logarithm_of_the_logarithm(log_f):
    """You took the logarithm of log_f. The rule: return ln ½ / log_f, because log_f is already a logarithm."""
    return np.log(0.5) / np.log(np.abs(np.asarray(log_f, dtype=np.float64)))


@mistake("half_life", "expected: a number of tokens assumed to be whole")
def half_life_rounded(log_f):
    """You rounded to whole tokens. The rule: return the half-life without rounding."""
    return np.ceil(state.half_life(log_f))


@mistake("constant_decay", "expected: the first token has nothing to forget")
def first_token_forgets_nothing(length, slope):
    """Your first gate is 0. The rule: every token has −slope; the state before the first token is empty, so the first
    gate has no effect."""
    return np.where(np.arange(length) > 0, state.constant_decay(length, slope), 0.0)


@mistake("linear_attention", "expected: @ instead of *")
def product_of_matrices(q, k, v, log_f):
    """You multiplied the scores and the decay as matrices. The rule: multiply the scores and the decay entry
    by entry."""
    return scores(q, k) @ state.decay_matrix(log_f) @ np.asarray(v, dtype=np.float64)


@mistake("linear_attention", "expected: the matrix used as a bias")
def decay_added_to_the_scores(q, k, v, log_f):
    """You added the decay to the scores. The rule: without softmax, multiply the decay and the scores entry
    by entry."""
    weights = np.where(triangle(np.shape(k)[-2]), scores(q, k) + state.decay_matrix(log_f), 0)
    return weights @ np.asarray(v, dtype=np.float64)


@mistake("delta_step", "expected: the sign of the difference reversed")
def write_subtracted(old, k, v, beta, log_f):
    """You subtracted the update. The rule: add k (β (v − the value that the key reads))."""
    right = state.delta_step(old, k, v, beta, log_f)
    return 2 * (np.asarray(old, dtype=np.float64) * gate(log_f)) - right


@mistake("cope_positions", "expected: the mask of the scores")
def keys_ahead_at_minus_infinity(gates):
    """You gave keys ahead of the query the position −inf. The rule: write 0, because the result contains positions; the
    mask belongs to the scores."""
    positions = state.cope_positions(gates)
    q_len, k_len = positions.shape[-2:]
    return np.where(np.tri(q_len, k_len, k_len - q_len, dtype=bool), positions, -np.inf)


@mistake("cope_positions", "expected: the sum from the end of the row")
def keys_ahead_have_positions(gates):
    """You summed from the last key in the row. The rule: sum backwards from the query's own key; keys ahead do
    not count and have position 0."""
    return np.flip(np.cumsum(np.flip(np.asarray(gates, dtype=np.float64), -1), -1), -1)


@mistake("cache_and_state", "expected: the number of heads used only for the cache")
def state_of_one_head(length, n_heads, d_k, d_v):
    """You counted the state of one head. The rule: each of the n_heads heads has its own state."""
    cache, _ = state.cache_and_state(length, n_heads, d_k, d_v)
    return cache, d_k * d_v


@mistake("half_life", "expected: a division by zero caught with 0")
def zero_for_a_gate_of_one(log_f):
    """In your result, a gate that keeps everything has a half-life of 0. The rule: a gate that keeps everything
    has a half-life of inf, because the state never falls to half."""
    return np.where(np.asarray(log_f) == 0, 0.0, state.half_life(log_f))


@mistake("half_life", "expected: ln ½ / −inf guarded against, or computed from exp(log_f) = 0")
def no_half_life_of_a_shut_gate(log_f):
    """In your result, a log gate of −inf gives NaN. The rule: a closed gate keeps nothing, so its half-life is 0."""
    return np.where(np.isneginf(np.asarray(log_f, dtype=np.float64)), np.nan, state.half_life(log_f))


@mistake("decay_bias", "expected: a range that ends before its end")
def gate_of_the_query_missing(log_f):
    """You left out the query's own gate. The rule: sum the log gates l with j < l ≤ i, from the token after the key up
    to the query itself."""
    bias = state.decay_bias(log_f)
    log_f = np.asarray(log_f, dtype=np.float64)
    between = np.where(np.tri(bias.shape[-1], k=-1, dtype=bool), log_f[..., np.newaxis], 0.0)
    earlier = np.zeros(bias.shape)
    earlier[..., 1:, :] = np.cumsum(between, axis=-2)[..., :-1, :]
    return np.where(triangle(bias.shape[-1]), earlier, -np.inf)


@mistake("decay_bias", "expected: cumsum over the last axis, as usual")
def running_sum_along_the_keys(log_f):
    """Your running sum runs along the keys. The rule: sum along the queries, starting at the token after each key."""
    bias = state.decay_bias(log_f)
    log_f = np.asarray(log_f, dtype=np.float64)
    between = np.where(np.tri(bias.shape[-1], k=-1, dtype=bool), log_f[..., np.newaxis], 0.0)
    return np.where(triangle(bias.shape[-1]), np.cumsum(between, axis=-1), -np.inf)


ONE_GATE_TO_A_POWER = (
    "You raised a single gate to the power of the distance, as if all gates were equal. The rule: take the product of "
    "the gates between key and query."
)


def power_of(gates, right):
    """Decay matrix in which each entry is one gate, raised to the power of the distance."""
    distance = np.subtract.outer(*2 * [np.arange(right.shape[-1])])
    exponents = np.where(distance > 0, distance * gates, 0.0)
    return np.where(distance >= 0, np.exp(exponents), 0.0)


@mistake("decay_matrix", "expected: retention's γ^(i−j), with the query's gate", hint=ONE_GATE_TO_A_POWER)
def gate_of_the_query_to_a_power(log_f):
    return power_of(np.asarray(log_f, dtype=np.float64)[..., :, np.newaxis], state.decay_matrix(log_f))


@mistake("decay_matrix", "expected: retention's γ^(i−j), with the key's gate", hint=ONE_GATE_TO_A_POWER)
def gate_of_the_key_to_a_power(log_f):
    return power_of(np.asarray(log_f, dtype=np.float64)[..., np.newaxis, :], state.decay_matrix(log_f))


@mistake("decay_matrix", "expected: exp of a difference of running sums, masked afterwards")
def masked_after_the_exponential(log_f):
    """You took exp of the difference of two running sums and masked it afterwards: −inf − (−inf) is NaN, and large
    entries above the diagonal overflow before they are masked. The rule: sum only the gates between key and query, and
    take exp of that sum."""
    total = np.cumsum(np.asarray(log_f, dtype=np.float64), axis=-1)
    return np.tri(total.shape[-1]) * np.exp(total[..., :, np.newaxis] - total[..., np.newaxis, :])


@mistake("linear_attention", "expected: the decay of the distance in both directions")
def linear_attention_both_ways(q, k, v, log_f):
    """Your queries also read later keys. The rule: query i reads only keys with j ≤ i, and decay_matrix is 0 above its
    diagonal."""
    left = state.decay_matrix(log_f)
    return scores(q, k) * np.maximum(left, swapped(left)) @ np.asarray(v)


@mistake("linear_attention", "expected: the product without any decay above the diagonal")
def later_keys_without_decay(q, k, v, log_f):
    """Your queries also read later keys, without any decay. The rule: query i reads only keys with j ≤ i, and the decay
    is 0 above the diagonal."""
    left = state.decay_matrix(log_f)
    return scores(q, k) * np.where(triangle(left.shape[-1]), left, 1.0) @ np.asarray(v)


@mistake("linear_step", "expected: the old state, under the same name")
def old_state_read(memory, q, k, v, log_f):
    """You read the old state, before it fades and before you write the new token. The rule: forget first, then
    write, then read."""
    right = state.linear_step(memory, q, k, v, log_f)
    old = np.broadcast_to(np.asarray(memory, dtype=np.float64), right[1].shape)
    return (read(q, old), right[1])


@mistake("linear_step", "expected: key and value swapped in the outer product")
def write_transposed(memory, q, k, v, log_f):
    """You wrote v kᵀ into the state. The rule: write k vᵀ, whose entry in row a, column b is k[a] · v[b]."""
    new = gate(log_f) * np.asarray(memory) + outer(v, k)
    return (read(q, new), new)


@mistake("delta_step", "expected: key and value swapped in the outer product")
def delta_transposed(old, k, v, beta, log_f):
    """You wrote v kᵀ into the state. The rule: write k times the difference of the values, so row a belongs to k[a]."""
    right = state.delta_step(old, k, v, beta, log_f)
    kept = np.asarray(old, dtype=np.float64) * gate(log_f)
    return kept + swapped(right - kept)


@mistake("delta_step", "expected: β left out")
def delta_without_its_strength(memory, k, v, beta, log_f):
    """You left β out. The rule: write β times the difference, so β = 0 writes nothing."""
    return state.delta_step(memory, k, v, np.ones_like(beta, dtype=np.float64), log_f)


@mistake("linear_chunks", "expected: the state carried over only after a whole chunk")
def shorter_chunk_not_in_the_state(q, k, v, log_f, chunk, memory=None):
    """When the last chunk is shorter, the state that you return does not include it. The rule: return the state
    after the last token."""
    right = state.linear_chunks(q, k, v, log_f, chunk, memory)
    if np.shape(q)[-2] % chunk == 0:
        return right
    return right[0], state_before_the_last_chunk.implementation(q, k, v, log_f, chunk, memory)[1]


@mistake("linear_chunks", "expected: the state plus the chunk's writes")
def state_does_not_fade(q, k, v, log_f, chunk, memory=None):
    """From chunk to chunk, your state does not fade. The rule: multiply the state by the product of all gates of the
    chunk, exp(c_last)."""

    def one_chunk(current, q, k, v, log_f):
        new = current + after(0 * current, k, v, log_f)
        return state.linear_attention(q, k, v, log_f) + since_start(log_f) * (q @ current), new

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("linear_chunks", "expected: each chunk computed separately, with the states carried along but not read")
def results_without_the_state(q, k, v, log_f, chunk, memory=None):
    """Each of your results depends only on its own chunk. The rule: also add the result from the state of earlier
    chunks, exp(c_i) · q_iᵀ state."""
    shut = np.array(log_f, dtype=np.float64)
    shut[..., ::chunk] = -np.inf
    results, _ = state.linear_chunks(q, k, v, shut, chunk)
    return results, state.linear_chunks(q, k, v, log_f, chunk, memory)[1]


@mistake("cache_and_state", "expected: a product instead of a sum")
def cache_as_a_product(length, n_heads, d_k, d_v):
    """You multiplied d_k by d_v for the cache. The rule: add d_k and d_v, because each token leaves a key and
    a value, not a matrix."""
    _, memory = state.cache_and_state(length, n_heads, d_k, d_v)
    return memory * length, memory


@mistake("delta_step", "expected: k and v in the wrong order in the product that writes")
def key_and_value_exchanged(memory, k, v, beta, log_f):
    """You swapped the roles of key and value. The rule: the key says where in the state to write, and the value says
    what is stored there."""
    return state.delta_step(memory, v, k, beta, log_f)


@mistake("linear_chunks", "expected: the product of queries and keys with a triangle of ones")
def nothing_fades_inside_a_chunk(q, k, v, log_f, chunk, memory=None):
    """Within a chunk, your tokens do not fade; only the state fades, between chunks. The rule: within a chunk, the
    decay matrix weights every earlier token, as in linear_attention."""

    def one_chunk(current, q, k, v, log_f):
        inside = state.linear_attention(q, k, v, 0 * log_f.clip(min=-1))
        return inside + since_start(log_f) * (q @ current), after(current, k, v, log_f)

    return in_chunks(q, k, v, log_f, chunk, memory, one_chunk)


@mistake("decay_matrix", "expected: the difference of two running sums, without the triangle")
def decay_grows_ahead(log_f):
    """Your entries above the diagonal grow with the distance. The rule: entries above the diagonal are 0,
    because no query sees a key ahead of it."""
    total = np.cumsum(np.asarray(log_f, dtype=np.float64), axis=-1)
    return np.where(
        triangle(total.shape[-1]), state.decay_matrix(log_f), np.exp(total[..., :, None] - total[..., None, :])
    )


@mistake("half_life", "expected: ln 2 for ln ½")
def negative_half_life(log_f):
    """Your half-life is negative. The rule: divide ln ½, which is negative, by log_f, which is negative too."""
    return np.log(2) / np.asarray(log_f, dtype=np.float64)


@mistake("cope_positions", "expected: np.cumsum as it is", hint=counted_from_the_front.hint)
def running_sum_from_the_front(gates):
    return np.cumsum(np.asarray(gates, dtype=np.float64), axis=-1)


@mistake("cache_and_state", "expected: the two numbers swapped")
def state_before_the_cache(length, n_heads, d_k, d_v):
    """You returned the state first. The rule: return the cache, then the state."""
    return state.cache_and_state(length, n_heads, d_k, d_v)[::-1]


vars().update(
    chain(
        without_effect(state.retention, "base"),
    )
)


WRONG_ANSWERS = {
    "half_life_of_gate_0_99": {
        99.4991625: "After this many tokens, 1/e is left; the question is when half is left.",
        69: "You rounded to whole tokens. The rule: give five correct digits, or an expression.",
        0.70015: "You divided by the gate. The rule: divide by its logarithm.",
        50: "You took 1 % of the original off each time. The rule: take 1 % off the rest each time.",
        -68.967564: "You have one minus sign too many: ln ½ and ln 0.99 are both negative.",
    },
    "tokens_until_cache_equals_state_128": {
        128: "You counted only the keys; a token in the cache has a key and a value.",
        16384: "This is the size of the state; the question is how many tokens take up as many numbers.",
        256: "This is how many numbers one token takes up in the cache; the question is how many tokens fill the size "
        "of the state.",
        32: "You divided by twice the correct number; one token takes up d_k + d_v = 256 numbers.",
    },
}
