"""Public tests for modern models: each function's docstring example, its values, and its purpose.

Each test's docstring states the rule that the test checks. The expected values are in `expected/modern.json`.
"""

import numpy as np
import pytest
from hypothesis import given

from autograder.checks import expect
from autograder.checks.inputs import case, features, positions, seeds


def parts(lead, q_len, k_len, n_heads=3, content=5, rotated=4, seed=0):
    """Return q_content, k_content, q_rope and k_rope, with different sizes."""
    shapes = ((n_heads, q_len, content), (n_heads, k_len, content), (n_heads, q_len, rotated), (k_len, rotated))
    return [features(*lead, *shape, seed=seed + place) for place, shape in enumerate(shapes)]


# first_token_share, position_from_share


@pytest.mark.question("first_token_share", points=0.1875)
def test_share_by_hand(modern):
    """For four tokens, the weights of token 0 are 1, 1/2, 1/3 and 1/4."""
    expect.close(modern.first_token_share(4), 1 / np.array([1.0, 2.0, 3.0, 4.0]), "first_token_share(4)")


@pytest.mark.question("position_from_share", points=0.1875)
def test_position_by_hand(modern):
    """A share of 1 is position 0, one half is position 1, and one quarter is position 3."""
    positions_found = modern.position_from_share(np.array([1.0, 0.5, 0.25]))
    expect.close(positions_found, np.array([0.0, 1.0, 3.0]), "position_from_share([1, 0.5, 0.25])")


# rope_layers, layer_bases


@pytest.mark.question("rope_layers", points=0.25)
def test_layers_by_hand(modern):
    """With interval 4, layer 3 has no encoding."""
    expected = np.array([True, True, True, False, True])
    expect.close(modern.rope_layers(5, 4), expected, "rope_layers(5, 4)")


@pytest.mark.question("rope_layers", points=0.25)
def test_layers(modern):
    """Layer l uses RoPE if (l + 1) mod interval is not 0, as a boolean."""
    expect.matches(modern.rope_layers, 13, 3)
    expect.dtype(modern.rope_layers, 10, 4)


@pytest.mark.question("layer_bases", points=0.1875)
def test_bases_by_hand(modern):
    """With interval 3, layer 2 is global."""
    expected = np.array([10000.0, 10000.0, 1000000.0, 10000.0])
    expect.close(modern.layer_bases(4, 3), expected, "layer_bases(4, 3)")


@pytest.mark.question("layer_bases", points=0.25)
def test_bases(modern):
    """Layer l has global_base if (l + 1) mod interval is 0, else local_base."""
    expect.matches(modern.layer_bases, 14, 6)
    expect.matches(modern.layer_bases, 7, 2, 700, 30000)


# sliding_window_mask, chunk_mask


@pytest.mark.question("sliding_window_mask", points=0.25)
def test_window_by_hand(modern):
    """With a window of two, the queries at positions 2 and 3 may each attend to two keys."""
    expected = np.array([[False, True, True, False], [False, False, True, True]])
    expect.close(modern.sliding_window_mask(2, 4, 2), expected, "sliding_window_mask(2, 4, 2)")


@pytest.mark.question("sliding_window_mask", points=0.5)
def test_window(modern):
    """Query i is at p = i + k_len − q_len and may attend to keys j with p − window < j ≤ p; the mask is boolean."""
    expect.matches(modern.sliding_window_mask, 7, 7, 3)
    expect.matches(modern.sliding_window_mask, 3, 5, 1)
    expect.matches(modern.sliding_window_mask, 1, 9, 4)
    expect.dtype(modern.sliding_window_mask, 3, 5, 20)


@pytest.mark.question("chunk_mask", points=0.25)
def test_chunks_by_hand(modern):
    """For queries at positions 2, 3 and 4 and blocks of three positions, a new block begins at 3."""
    expected = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 1]], dtype=bool)
    expect.close(modern.chunk_mask(3, 5, 3), expected, "chunk_mask(3, 5, 3)")


@pytest.mark.question("chunk_mask", points=0.5)
def test_chunks(modern):
    """Query i is at p = i + k_len − q_len and may attend to keys j ≤ p in its own block; the mask is boolean."""
    expect.matches(modern.chunk_mask, 7, 7, 3)
    expect.matches(modern.chunk_mask, 1, 9, 4)
    expect.dtype(modern.chunk_mask, 3, 5, 20)


# p_rope_frequencies


@pytest.mark.question("p_rope_frequencies", points=0.1875)
def test_p_rope_by_hand(modern):
    """With p = 1/2, the slower of two pairs does not rotate; with p = 1, both do."""
    expect.close(modern.p_rope_frequencies(4, 0.5), np.array([1.0, 0.0]), "p_rope_frequencies(4, 0.5)")
    expect.close(modern.p_rope_frequencies(4, 1), np.array([1.0, 0.01]), "p_rope_frequencies(4, 1)")


@pytest.mark.question("p_rope_frequencies", points=0.25)
def test_p_rope(modern):
    """The first ⌊p·d/2⌋ pairs have the whole head's θ_i; the others have 0."""
    expect.matches(modern.p_rope_frequencies, 12, 0.8)
    expect.matches(modern.p_rope_frequencies, 10, 0.25, base=700.0)


# temperature, log_n_scale


@pytest.mark.question("temperature", points=0.1875)
def test_temperature_by_hand(modern):
    """The factor is 1 up to position 8190; at position 8191, it is 1 + 0.1·ln 2."""
    expected = np.array([1.0, 1.0, 1 + 0.1 * np.log(2)])
    expect.close(modern.temperature(np.array([0, 8190, 8191])), expected, "temperature([0, 8190, 8191])")


@pytest.mark.question("temperature", points=0.25)
def test_temperature(modern):
    """The factor is 1 + attn_scale·ln(1 + ⌊(position + 1)/floor_scale⌋), for positions of any shape."""
    expect.matches(modern.temperature, np.array([[100000, 3, 20000], [8192, 16383, 5]]))
    expect.matches(modern.temperature, np.arange(12), 3.0, 0.25)
    expect.matches(modern.temperature, 40, 7, 0.5)


@pytest.mark.question("log_n_scale", points=0.1875)
def test_log_n_by_hand(modern):
    """256 is 16², so with a trained length of 16, the factor at position 255 is 2."""
    expect.close(
        modern.log_n_scale(np.array([3, 15, 255]), 16), np.array([1.0, 1.0, 2.0]), "log_n_scale([3, 15, 255], 16)"
    )


@pytest.mark.question("log_n_scale", points=0.25)
def test_log_n(modern):
    """The factor is max(1, ln(position + 1)/ln(trained_len)), for positions of any shape."""
    expect.matches(modern.log_n_scale, np.array([[100000, 3, 20000], [8192, 2047, 5]]), 2048)
    expect.matches(modern.log_n_scale, 40, 7)


# decoupled_scores


@pytest.mark.question("decoupled_scores", points=0.25)
def test_decoupled_by_hand(modern):
    """In the example, the score is a content score of 1 plus a rotated score of cos 2, divided by √4."""
    one, key = np.array([[[1.0, 0.0]]]), np.array([[1.0, 0.0]])
    scores = modern.decoupled_scores(one, one, one, key, np.array([3]), np.array([1]))
    expect.close(scores, np.array([[[(1 + np.cos(2)) / 2]]]), "the score of a query at 3 and a key at 1")


@pytest.mark.question("decoupled_scores", points=0.5)
def test_decoupled(modern):
    """All heads share the rotated key; the sum is divided by √(d_c + d_r)."""
    expect.matches(modern.decoupled_scores, *parts((), 2, 7), np.array([5, 6]), np.arange(7))
    expect.matches(modern.decoupled_scores, *parts((2,), 6, 6, rotated=8), np.arange(6), np.arange(6), base=300.0)


@pytest.mark.question("decoupled_scores", points=0.5)
@given(seed=seeds(), m=positions(500), n=positions(500), shift=positions(500))
def test_decoupled_scores_depend_on_the_offset_alone(modern, seed, m, n, shift):
    """If query and key shift together, the score does not change; it equals the plain score only if both are
    at the same position."""
    q_content, k_content, q_rope, k_rope = arrays = parts((), 1, 1, seed=seed)
    score = modern.decoupled_scores(*arrays, np.array([m]), np.array([n]))
    shifted = modern.decoupled_scores(*arrays, np.array([m + shift]), np.array([n + shift]))
    expect.close(shifted, score, "shifting both positions does not change the score")
    plain = (q_content @ k_content.swapaxes(-1, -2) + q_rope @ k_rope.T) / 3
    same = modern.decoupled_scores(*arrays, np.array([m]), np.array([m]))
    expect.close(same, plain, "at the same position, the score is that of unrotated features")
    further = modern.decoupled_scores(q_content, k_content, 3 + q_rope, 3 + q_rope[0], np.array([m + 1]), np.array([m]))
    still = modern.decoupled_scores(q_content, k_content, 3 + q_rope, 3 + q_rope[0], np.array([m]), np.array([m]))
    expect.holds(
        np.all(further[0] < still[0]),
        "one position further, a token's rotated features score lower with themselves",
    )


@pytest.mark.question("decoupled_scores", points=0.25)
def test_decoupled_refuses_other_heads(modern):
    """Arguments that disagree on the number of heads, keys or positions raise a ValueError, because numpy must
    not repeat a single row."""
    q_content, k_content, q_rope, k_rope = arrays = parts((), 2, 5)
    expect.answers(modern.decoupled_scores, *arrays, np.array([3, 4]), np.arange(5))
    expect.raises(ValueError, modern.decoupled_scores, *arrays, np.array([3]), np.arange(5))
    one_head = (q_content, k_content[:1], q_rope, k_rope)
    expect.raises(ValueError, modern.decoupled_scores, *one_head, np.array([3, 4]), np.arange(5))
    one_key = (q_content, k_content, q_rope, k_rope[:1])
    expect.raises(ValueError, modern.decoupled_scores, *one_key, np.array([3, 4]), np.arange(1))


# kept_tokens


@pytest.mark.question("kept_tokens", points=0.25)
def test_kept_by_hand(modern):
    """Of nine tokens, two sinks and a window of three are kept; of four tokens, all are kept."""
    expect.close(modern.kept_tokens(9, 2, 3), np.array([0, 1, 6, 7, 8]), "kept_tokens(9, 2, 3)")
    expect.close(modern.kept_tokens(4, 2, 3), np.array([0, 1, 2, 3]), "kept_tokens(4, 2, 3)")


@pytest.mark.question("kept_tokens", points=0.25)
def test_kept(modern):
    """The first n_sinks and the last `window` tokens are kept, each once, in order, as int64."""
    expect.matches(modern.kept_tokens, 30, 4, 7)
    expect.matches(modern.kept_tokens, 10, 4, 7)
    expect.matches(modern.kept_tokens, 12, 7, 4)
    expect.matches(modern.kept_tokens, 3, 7, 2)


# shift_keys


@pytest.mark.question("shift_keys", points=0.25)
def test_shift_by_hand(modern):
    """One position later, the pair (1, 0) becomes (cos θ_i, sin θ_i)."""
    expected = np.array([[np.cos(1), np.sin(1), np.cos(0.01), np.sin(0.01)]])
    expect.close(modern.shift_keys(np.array([[1.0, 0.0, 1.0, 0.0]]), 1), expected, "the pairs (1, 0) and (1, 0)")


@pytest.mark.question("shift_keys", points=0.25)
def test_shift(modern):
    """Every row rotates by the same angles, offset·θ_i, for any leading axes; the cache is not modified."""
    expect.matches(modern.shift_keys, features(5, 8), -3)
    expect.matches(modern.shift_keys, features(2, 3, 5, 6), 2.5, base=300.0)


@pytest.mark.question("shift_keys", points=0.25)
@given(seed=seeds(), first=positions(500), second=positions(500))
def test_shifts_add_up(modern, seed, first, second):
    """Two moves equal one move by the sum of the offsets; an offset of 0 changes nothing."""
    cache = 3 + features(3, 8, seed=seed)
    there = modern.shift_keys(cache, first)
    expect.close(modern.shift_keys(there, second), modern.shift_keys(cache, first + second), "shifts add up")
    expect.close(modern.shift_keys(there, -first), cache, "a negative offset moves back")
    expect.holds(not np.allclose(modern.shift_keys(cache, 1), cache), "an offset of 1 moves the keys")


# sink_weights


@pytest.mark.question("sink_weights", points=0.25)
def test_sink_by_hand(modern):
    """With two equal scores and an equal sink, each key gets one third, and so does the sink."""
    got = modern.sink_weights(np.zeros((1, 1, 2)), np.array([0.0]))
    expect.close(got, np.full((1, 1, 2), 1 / 3), "sink_weights([[[0, 0]]], [0])")


@pytest.mark.question("sink_weights", points=0.25)
def test_sink(modern):
    """A weight is e^score divided by the sum of all e^score and e^sink; head h has sink h, for any leading axes."""
    expect.matches(modern.sink_weights, features(2, 3, 4, 5), np.array([0.5, -1.0, 2.0]))


@pytest.mark.question("sink_weights", points=0.25)
@given(seed=seeds(), sink=positions(6))
def test_a_sink_takes_a_share_and_leaves_the_ratios(modern, seed, sink):
    """A sink takes the same share of weight from each of a query's keys; a higher sink takes more, and a sink of
    −∞ takes nothing."""
    scores = features(2, 3, 5, seed=seed)
    plain = modern.sink_weights(scores, np.full(2, -np.inf))
    expect.close(plain.sum(axis=-1), np.ones((2, 3)), "with a sink of −∞, the weights sum to 1")
    weights = modern.sink_weights(scores, np.array([sink, sink + 1.0]))
    sums = weights.sum(axis=-1, keepdims=True)
    expect.close(weights, plain * sums, "the keys share the rest as they would without a sink")
    taken = np.exp([sink, sink + 1.0])[:, np.newaxis]
    expect.close(sums[..., 0], 1 - taken / (np.exp(scores).sum(axis=-1) + taken), "the share of the sink")


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("first_token_share", 7),
        case("position_from_share", np.array([0.25, 0.3])),
        case("layer_bases", 5, 4),
        case("p_rope_frequencies", 12, 0.75),
        case("temperature", np.arange(0, 20000, 5000)),
        case("log_n_scale", np.arange(0, 20000, 5000), 512),
    ],
)
def test_tables_are_float64(modern, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(modern, function), *arguments)
