"""Hidden tests for modern models: this term's values, and the purpose of each idea.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Formulas with which properties are compared are reimplemented here, token by token or with complex numbers, so
that they share no code with the solution. Random positions that are rounded down after a division, and their
scales, are whole numbers, because floating point never rounds a quotient of whole numbers up to the next whole
number. At position 10⁶, a float64 angle is off by up to about 1e−9; FAR allows a hundred times that, whereas a
float32 angle would be off by 0.06.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

FAR = 1e-7


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def theta(head_dim, base=10000.0):
    return np.array([base ** (-2 * i / head_dim) for i in range(head_dim // 2)])


def rotated(x, where, base=10000.0):
    """Return x after RoPE, computed with complex numbers; row t rotates by the angles where[t]·θ_i."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    pairs = pairs * np.exp(1j * np.multiply.outer(where, theta(x.shape[-1], base)))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def parts(lead, q_len, k_len, n_heads=3, content=5, rotary=4, seed=0, dtype=np.float64):
    """Return q_content, k_content, q_rope and k_rope, with different sizes."""
    shapes = ((n_heads, q_len, content), (n_heads, k_len, content), (n_heads, q_len, rotary), (k_len, rotary))
    return [features(*lead, *shape, seed=seed + place, dtype=dtype) for place, shape in enumerate(shapes)]


# first_token_share


@pytest.mark.question("first_token_share", points=0.5)
def test_share_is_what_equal_scores_give(modern, rng):
    """first_token_share returns, for each token, the first token's weight in a softmax over equal scores for all
    tokens so far."""
    length, score = int(rng.integers(7, 20)), float(rng.normal())
    weights = np.tril(np.full((length, length), np.exp(score)))
    weights /= weights.sum(axis=1, keepdims=True)
    expect.close(modern.first_token_share(length), weights[:, 0], "the first column of the weights")
    expect.matches(modern.first_token_share, 300)


# position_from_share


@pytest.mark.question("position_from_share", points=0.25)
def test_position_is_found_again(modern):
    """The share 1/(t + 1) gives position t, even far along the sequence and between two tokens."""
    where = np.array([0.0, 1.0, 6.5, 99.0, 12345.0, 999999.0])
    expect.close(modern.position_from_share(1 / (where + 1)), where, "the position of the share 1/(t + 1)", FAR)


# rope_layers


@pytest.mark.question("rope_layers", points=0.5)
@given(groups=st.integers(1, 9), interval=st.integers(2, 9), more=st.integers(0, 8))
def test_one_layer_of_each_group_has_no_rope(modern, groups, interval, more):
    """Only the last layer in every full group has no RoPE."""
    n_layers = groups * interval + more % interval
    expected = [True] * n_layers
    for group in range(groups):
        expected[group * interval + interval - 1] = False
    expect.close(modern.rope_layers(n_layers, interval), np.array(expected), "the layers that use RoPE")


# layer_bases


@pytest.mark.question("layer_bases", points=0.5)
@given(groups=st.integers(1, 9), interval=st.integers(2, 9), more=st.integers(0, 8))
def test_one_layer_of_each_group_is_global(modern, groups, interval, more):
    """The last layer of every full group has the global base, and all others have the local one."""
    n_layers = groups * interval + more % interval
    expected = [300.0] * n_layers
    for group in range(groups):
        expected[group * interval + interval - 1] = 70000.0
    expect.close(modern.layer_bases(n_layers, interval, 300.0, 70000.0), np.array(expected), "the bases of the layers")


# sliding_window_mask


@pytest.mark.question("sliding_window_mask", points=0.5)
def test_window_of_any_size(modern, rng):
    """With as many queries as keys or fewer, query p may attend to keys with p − window < j ≤ p; the mask is
    boolean."""
    length, window = int(rng.integers(20, 40)), int(rng.integers(4, 9))
    expect.matches(modern.sliding_window_mask, length, length, window)
    expect.matches(modern.sliding_window_mask, 6, length, window)
    expect.matches(modern.sliding_window_mask, 5, 8, 1)
    expect.matches(modern.sliding_window_mask, 5, 7, 50)


@pytest.mark.question("sliding_window_mask", points=0.5)
@given(k_len=st.integers(1, 30), missing=st.integers(0, 29), window=st.integers(1, 12))
def test_window_with_a_cache(modern, k_len, missing, window):
    """With fewer queries than keys, the mask consists of the last rows of the full mask; query p may attend to
    min(p + 1, window) keys, up to its own."""
    start = missing % k_len
    mask = modern.sliding_window_mask(k_len - start, k_len, window)
    full = modern.sliding_window_mask(k_len, k_len, window)
    expect.close(mask, full[start:], "the last rows of the full mask")
    counted = np.minimum(np.arange(start, k_len) + 1, window)
    expect.close(mask.sum(axis=1), counted, "the number of keys of each query")
    last = k_len - 1 - np.argmax(mask[:, ::-1], axis=1)
    expect.close(last, np.arange(start, k_len), "the last key of each query is its own")


# chunk_mask


@pytest.mark.question("chunk_mask", points=0.25)
def test_chunks_of_any_size(modern, rng):
    """With as many queries as keys or fewer, query p may attend to keys j ≤ p in its own block; the mask is boolean."""
    length, chunk = int(rng.integers(20, 40)), int(rng.integers(4, 9))
    expect.matches(modern.chunk_mask, length, length, chunk)
    expect.matches(modern.chunk_mask, 6, length, chunk)
    expect.matches(modern.chunk_mask, 5, 8, 1)
    expect.matches(modern.chunk_mask, 5, 7, 50)


@pytest.mark.question("chunk_mask", points=0.5)
@given(k_len=st.integers(1, 30), missing=st.integers(0, 29), chunk=st.integers(1, 12))
def test_chunks_with_a_cache(modern, k_len, missing, chunk):
    """With fewer queries than keys, the mask consists of the last rows of the full mask; query p may attend to (p
    mod chunk) + 1 keys, up to its own."""
    start = missing % k_len
    mask = modern.chunk_mask(k_len - start, k_len, chunk)
    full = modern.chunk_mask(k_len, k_len, chunk)
    expect.close(mask, full[start:], "the last rows of the full mask")
    counted = np.arange(start, k_len) % chunk + 1
    expect.close(mask.sum(axis=1), counted, "the number of keys of each query")
    last = k_len - 1 - np.argmax(mask[:, ::-1], axis=1)
    expect.close(last, np.arange(start, k_len), "the last key of each query is its own")


# p_rope_frequencies


@pytest.mark.question("p_rope_frequencies", points=0.5)
def test_p_rope_of_any_share(modern, rng):
    """For every size and base, ⌊p·d/2⌋ pairs rotate; the number is rounded down, never up."""
    for head_dim, p in (
        (12, 0.8),
        (18, 0.375),
        (10, 0.7),
        (256, 0.25),
        (14, float(rng.uniform(0.1, 0.9))),
    ):
        expect.matches(modern.p_rope_frequencies, head_dim, p)
        for base in (float(rng.uniform(20, 1e6)), 0.5, 1.0):
            expect.matches(modern.p_rope_frequencies, head_dim, p, base)
    expect.matches(modern.p_rope_frequencies, 6, 0.5, 700)


@pytest.mark.question("p_rope_frequencies", points=0.25)
def test_p_rope_between_none_and_all(modern, rng):
    """With p = 1, the frequencies are those of RoPE; with p = 0, nothing rotates; in between, every rotating
    pair has its RoPE frequency."""
    base = float(rng.uniform(200, 9000))
    everything, nothing = modern.p_rope_frequencies(22, 1, base), modern.p_rope_frequencies(22, 0, base)
    expect.close(everything, theta(22, base), "with p = 1, the frequencies are those of RoPE")
    expect.close(nothing, np.zeros(11), "with p = 0, no pair rotates")
    some = modern.p_rope_frequencies(22, 0.4375, base)
    expect.close(
        some / everything, np.array([1.0] * 4 + [0.0] * 7), "the frequencies of p-RoPE divided by those of RoPE"
    )


# temperature


@pytest.mark.question("temperature", points=0.25)
def test_temperature_at_any_position(modern, rng):
    """The factor is 1 + attn_scale·ln(1 + ⌊(position + 1)/floor_scale⌋), for any scales and any real positions."""
    for shape in ((), (7,), (2, 3, 5)):
        expect.matches(modern.temperature, rng.integers(0, 10**6, shape))
        expect.matches(
            modern.temperature, rng.integers(0, 300, shape), int(rng.integers(3, 9)), float(rng.uniform(0.2, 2))
        )
    expect.matches(modern.temperature, np.array([0.5, 4.5, 11.25]), 3, attn_scale=0.5)
    expect.matches(modern.temperature, np.arange(9), 0.5, -0.25)


@pytest.mark.question("temperature", points=0.5)
@given(scale=st.integers(2, 50), step=st.integers(1, 40))
def test_temperature_grows_in_steps(modern, scale, step):
    """The factor is 1 at the first positions and grows only where (position + 1) is a multiple of floor_scale."""
    before, at, after = step * scale - 2, step * scale - 1, (step + 1) * scale - 2
    found = modern.temperature(np.array([0, scale - 2, before, at, after]), float(scale), 0.5)
    grown = [1 + 0.5 * math.log(step + more) for more in (0, 1, 1)]
    expect.close(found, np.array([1.0, 1.0, *grown]), "the factors around a multiple of floor_scale")


# log_n_scale


@pytest.mark.question("log_n_scale", points=0.25)
def test_log_n_at_any_position(modern, rng):
    """The factor is max(1, ln(position + 1)/ln(trained_len)), for positions of any shape, including fractions."""
    for shape in ((), (7,), (2, 3, 5)):
        expect.matches(modern.log_n_scale, rng.integers(0, 10**6, shape), int(rng.integers(100, 9000)))
        expect.matches(modern.log_n_scale, rng.uniform(0, 300, shape), int(rng.integers(3, 90)))
    expect.matches(modern.log_n_scale, rng.integers(0, 300, 6), 2)


@pytest.mark.question("log_n_scale", points=0.5)
@given(trained_len=st.integers(3, 90), power=st.integers(2, 4))
def test_log_n_leaves_short_texts_alone(modern, trained_len, power):
    """The factor is 1 within the trained length; if position + 1 is a whole power of trained_len, the factor is
    the exponent."""
    where = np.array([0, trained_len // 2, trained_len - 1, trained_len**power - 1])
    expect.close(modern.log_n_scale(where, trained_len), np.array([1.0, 1.0, 1.0, power]), "the factors")


# decoupled_scores


@pytest.mark.question("decoupled_scores", points=0.5)
def test_decoupled_with_any_shapes(modern, rng):
    """Any number of heads, queries, keys and features, leading axes that broadcast, and any real positions are
    allowed."""
    for lead, n_heads, rotary in (((3,), 3, 4), ((), 1, 6), ((2,), 3, 2), ((2, 4), 3, 8)):
        arrays = [normal(rng, *array.shape) for array in parts(lead, 5, 7, n_heads, 3, rotary)]
        expect.matches(modern.decoupled_scores, *arrays, rng.uniform(-50, 50, 5), rng.uniform(-50, 50, 7))
    q_content, k_content, q_rope, k_rope = (normal(rng, *array.shape) for array in parts((2,), 5, 7))
    arrays = [q_content, k_content[0], q_rope[:1], k_rope[0]]
    expect.matches(modern.decoupled_scores, *arrays, np.arange(2, 7), np.arange(7), base=float(rng.uniform(20, 900)))
    expect.matches(
        modern.decoupled_scores, q_content[0], k_content[0], q_rope[0], k_rope, np.arange(2, 7), np.arange(7)
    )
    for base in (0.5, 1.0):
        expect.matches(modern.decoupled_scores, *arrays, np.arange(2, 7), np.arange(7), base)


@pytest.mark.question("decoupled_scores", points=0.25)
def test_decoupled_dtype(modern, rng):
    """decoupled_scores returns float32 if all four feature arrays are float32, regardless of the positions;
    angles are float64."""
    arrays = parts((), 5, 7, dtype=np.float32)
    expect.dtype(modern.decoupled_scores, *arrays, rng.integers(10**5, 10**6, 5), rng.integers(10**5, 10**6, 7))
    expect.dtype(modern.decoupled_scores, *arrays[:3], arrays[3].astype(np.float64), np.arange(5), np.arange(7))


@pytest.mark.question("decoupled_scores", points=0.75)
@given(seed=seeds(), m=positions(), n=positions(), shift=positions())
def test_decoupled_scores_are_relative_at_any_position(modern, seed, m, n, shift):
    """The score depends only on n − m and equals the content score plus the rotated score, divided by √(d_c + d_r)."""
    q_content, k_content, q_rope, k_rope = arrays = parts((), 1, 1, seed=seed)
    score = modern.decoupled_scores(*arrays, np.array([m]), np.array([n]))
    shifted = modern.decoupled_scores(*arrays, np.array([m + shift]), np.array([n + shift]))
    expect.close(shifted, score, "shifting both positions does not change the score", FAR)
    content = q_content @ k_content.swapaxes(-1, -2)
    position = q_rope @ rotated(k_rope, np.array([n - m])).T
    expect.close(score, (content + position) / 3, "the score is content plus position over √9", FAR)


@pytest.mark.question("decoupled_scores", points=0.25)
def test_content_has_no_position_and_heads_share_the_key(modern, rng):
    """If q_rope is zero, the positions change nothing; if q_content is zero, every head scores the same rotated key."""
    q_content, k_content, q_rope, k_rope = (normal(rng, *array.shape) for array in parts((), 5, 7))
    where, keys = rng.uniform(0, 90, 5), rng.uniform(0, 90, 7)
    scores = modern.decoupled_scores(q_content, k_content, 0 * q_rope, k_rope, where, keys)
    expect.close(scores, q_content @ k_content.swapaxes(-1, -2) / 3, "without q_rope, the score is that of the content")
    scores = modern.decoupled_scores(0 * q_content, k_content, q_rope, k_rope, where, keys)
    expected = rotated(q_rope, where) @ rotated(k_rope, keys).T / 3
    expect.close(scores, expected, "without q_content, the score is that of the rotated features")


@pytest.mark.question("decoupled_scores", points=0.25)
def test_decoupled_does_not_loop(modern):
    """All pairs of tokens are scored at once, without a loop."""
    expect.vectorised(
        modern.decoupled_scores,
        lambda length: (*parts((), length, length + 3), np.arange(length), np.arange(length + 3)),
    )


# kept_tokens


@pytest.mark.question("kept_tokens", points=0.5)
def test_kept_for_any_sizes(modern, rng):
    """The first n_sinks and the last `window` tokens are kept, each once, in order, as int64; the two ranges can
    overlap, and either can be empty."""
    n_sinks, window = int(rng.integers(2, 6)), int(rng.integers(7, 12))
    for length in (n_sinks + window + int(rng.integers(1, 40)), n_sinks + window, n_sinks + window - 2, n_sinks, 1):
        expect.matches(modern.kept_tokens, length, n_sinks, window)
        expect.matches(modern.kept_tokens, length, window, n_sinks)
    expect.matches(modern.kept_tokens, 25, 30, 4)
    for sizes in ((n_sinks, 0), (0, window), (0, 0)):
        expect.matches(modern.kept_tokens, 20, *sizes)
    expect.matches(modern.kept_tokens, 0, n_sinks, window)
    expect.matches(modern.kept_tokens, 70_000, 2, 3)


@pytest.mark.question("kept_tokens", points=0.25)
@given(length=st.integers(20, 60), n_sinks=st.integers(1, 5), window=st.integers(2, 9))
def test_a_token_that_was_dropped_does_not_come_back(modern, length, n_sinks, window):
    """After one more token, the cache has the same size and holds only the new token and tokens that it held before."""
    now, later = modern.kept_tokens(length, n_sinks, window), modern.kept_tokens(length + 1, n_sinks, window)
    expect.close((len(now), len(later)), (n_sinks + window, n_sinks + window), "the cache has n_sinks + window tokens")
    expect.holds(set(later.tolist()) <= {*now.tolist(), length}, "only the new token is added")
    expect.close(later, np.array([*range(n_sinks), *range(length + 1 - window, length + 1)]), "the tokens of the cache")


# shift_keys


@pytest.mark.question("shift_keys", points=0.25)
def test_shift_with_any_leading_axes(modern, rng):
    """Any leading axes, any number of rows and pairs, and any real offset and base are allowed; the cache is not
    modified."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 2, 6), (1, 2)):
        expect.unchanged(modern.shift_keys, normal(rng, *shape), float(rng.uniform(-100, 100)))
    for base in (float(rng.uniform(20, 900)), 0.5, 1.0):
        expect.matches(modern.shift_keys, normal(rng, 5, 6), int(rng.integers(-99, 99)), base=base)


@pytest.mark.question("shift_keys", points=0.5)
@given(seed=seeds(), start=positions(), offset=positions(), back=st.booleans(), head_dim=st.sampled_from([2, 4, 8, 16]))
def test_moved_keys_are_keys_rotated_afresh(modern, seed, start, offset, back, head_dim):
    """Moving rotated keys has the same result as rotating the keys by their new positions; moving by −offset
    undoes the move."""
    keys, where = 3 + features(3, head_dim, seed=seed), np.arange(start, start + 3)
    offset = -offset if back else offset
    moved = modern.shift_keys(rotated(keys, where), offset)
    expect.close(moved, rotated(keys, where + offset), "moved keys are keys rotated by their new positions", FAR)
    expect.close(modern.shift_keys(moved, -offset), rotated(keys, where), "and back again", FAR)


@pytest.mark.question("shift_keys", points=0.5)
def test_moving_queries_and_keys_changes_no_score(modern, rng):
    """If a query and all keys move by the same offset, the scores stay the same; if only the keys move, they change."""
    q, keys, offset = normal(rng, 1, 8), normal(rng, 5, 8), float(rng.uniform(3, 90))
    before = q @ keys.T
    after = modern.shift_keys(q, offset) @ modern.shift_keys(keys, offset).T
    expect.close(after, before, "moving both changes no score")
    expect.holds(
        not np.allclose(q @ modern.shift_keys(keys, offset).T, before), "moving only the keys changes the scores"
    )
    expect.holds(
        not np.allclose(modern.shift_keys(keys, offset), modern.shift_keys(keys, offset + 1)),
        "keys that move further differ",
    )


# sink_weights


@pytest.mark.question("sink_weights", points=0.25)
def test_sink_with_any_shapes(modern, rng):
    """Any leading axes and any number of heads, queries and keys are allowed; scores of −∞ get no weight."""
    for lead, n_heads in (((), 1), ((2,), 3), ((2, 3), 2)):
        scores = normal(rng, *lead, n_heads, 4, 6)
        scores[..., 1, 2:] = -np.inf
        expect.matches(modern.sink_weights, scores, normal(rng, n_heads))


@pytest.mark.question("sink_weights", points=0.5)
@given(seed=seeds(), high=st.integers(1, 9))
def test_a_sink_is_one_more_key_without_a_value(modern, seed, high):
    """The weights come from a softmax with an extra key, whose score is the head's sink and whose column is then
    dropped."""
    scores, sink = features(3, 4, 5, seed=seed), np.array([-1.0, 0.5, high])
    powers = np.exp(np.concatenate([scores, np.broadcast_to(sink[:, np.newaxis, np.newaxis], (3, 4, 1))], axis=-1))
    expected = (powers / powers.sum(axis=-1, keepdims=True))[..., :-1]
    expect.close(modern.sink_weights(scores, sink), expected, "softmax with one extra key, without its column")


@pytest.mark.question("sink_weights", points=0.25)
def test_huge_sinks_and_scores(modern):
    """Huge scores and huge sinks give finite weights; a sink far above the scores takes all the weight, and a
    row of −∞ gives zeros."""
    scores = np.array([[[1000.0, 1001.0], [-1000.0, -np.inf]], [[5.0, 5.0], [-np.inf, -np.inf]]])
    expect.matches(modern.sink_weights, scores, np.array([1000.5, -np.inf]))
    expect.matches(modern.sink_weights, scores, np.array([-2000.0, 3000.0]))
    expect.matches(modern.sink_weights, scores - 6e4, np.array([-59_000.0, -6e4]))


@pytest.mark.question("sink_weights", points=0.25)
def test_one_sink_does_not_serve_several_heads(modern):
    """Each head has its own sink: one sink for all heads raises a ValueError."""
    expect.answers(modern.sink_weights, features(3, 2, 4), np.zeros(3))
    expect.raises(ValueError, modern.sink_weights, features(3, 2, 4), np.zeros(1))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "rope_layers_of_36_with_interval_4",
        "causal_attention_without_encoding_counts",
        "share_of_first_token_at_position_9",
        "p_rope_keeps_the_fastest_pair",
    ],
)
def test_answer(modern, key):
    """Every question has one correct answer."""
    expect.answer(modern, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "layers_that_reach_30_back_with_a_window_of_8",
        "keys_seen_at_position_9000_in_chunks_of_8192",
        "offset_of_the_window_after_100_tokens",
        "weight_left_beside_a_sink",
    ],
)
def test_practice_answer(modern, key):
    """This question is for practice and earns no points."""
    expect.answer(modern, key)
