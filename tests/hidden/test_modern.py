"""Modern, the full suite: values on the term's inputs, dtype, arguments, errors, loops, and what each idea is for.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.

Where a property is compared with a formula, the formula is written out here a second time, token by token or with
complex numbers, so that it shares nothing with the solution. Positions that meet a floor are whole numbers and so are
their scales: a quotient of whole numbers is never rounded up to the next one. At position 10⁶ an angle in float64 is
off by up to 1e−9 or so; FAR allows a hundred times that, and float32 would be off by 0.06.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

FAR = 1e-7
BAD_BASES = (0.0, -10.0, np.inf, np.nan)


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def theta(head_dim, base=10000.0):
    return np.array([base ** (-2 * i / head_dim) for i in range(head_dim // 2)])


def rotated(x, where, base=10000.0):
    """RoPE with complex numbers: row t of x by the angles where[t]·θ_i."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    pairs = pairs * np.exp(1j * np.multiply.outer(where, theta(x.shape[-1], base)))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def parts(lead, q_len, k_len, n_heads=3, content=5, rotary=4, seed=0, dtype=np.float64):
    """q_content, k_content, q_rope and k_rope, every size another."""
    shapes = ((n_heads, q_len, content), (n_heads, k_len, content), (n_heads, q_len, rotary), (k_len, rotary))
    return [features(*lead, *shape, seed=seed + place, dtype=dtype) for place, shape in enumerate(shapes)]


# first_token_share


@pytest.mark.question("first_token_share", points=0.25)
def test_share_of_any_length(modern, rng):
    """1/(t + 1) for every t, in float64."""
    expect.matches(modern.first_token_share, int(rng.integers(100, 200)))
    expect.dtype(modern.first_token_share, 2)


@pytest.mark.question("first_token_share", points=0.25)
def test_share_is_what_equal_scores_give(modern, rng):
    """Softmax over equal scores, of the tokens up to each one, gives the first token this weight."""
    length, score = int(rng.integers(7, 20)), float(rng.normal())
    weights = np.tril(np.full((length, length), np.exp(score)))
    weights /= weights.sum(axis=1, keepdims=True)
    expect.close(modern.first_token_share(length), weights[:, 0], "the first column of the weights")


@pytest.mark.question("first_token_share", points=0.125)
def test_share_does_not_loop(modern):
    """numpy computes all tokens at once."""
    expect.vectorised(modern.first_token_share, lambda length: (length,))


@pytest.mark.question("first_token_share", points=0.125)
def test_share_refuses_a_negative_length(modern):
    """A negative length is refused."""
    expect.answers(modern.first_token_share, 7)
    expect.raises(ValueError, modern.first_token_share, -1, mentions=-1)


# position_from_share


@pytest.mark.question("position_from_share", points=0.25)
def test_position_as_an_array_function(modern, rng):
    """Shares of any shape; float64 from float32 too; the argument is left as it was."""
    for shape in ((), (7,), (2, 3, 5)):
        expect.unchanged(modern.position_from_share, 1 - rng.uniform(0, 0.999, shape))
    expect.dtype(modern.position_from_share, np.array([[0.5, 0.125]], dtype=np.float32))
    expect.dtype(modern.position_from_share, 1)


@pytest.mark.question("position_from_share", points=0.25)
def test_position_is_found_again(modern):
    """The share 1/(t + 1) gives position t, far along the sequence too."""
    where = np.array([0.0, 1.0, 6.0, 99.0, 12345.0, 999999.0])
    expect.close(modern.position_from_share(1 / (where + 1)), where, "the position of the share 1/(t + 1)", FAR)


@pytest.mark.question("position_from_share", points=0.125)
def test_position_does_not_loop(modern):
    """numpy computes all positions at once."""
    expect.vectorised(modern.position_from_share, lambda length: (1 / (2.5 + 1.5 * np.arange(length)),))


@pytest.mark.question("position_from_share", points=0.125)
def test_position_refuses_what_is_no_share(modern):
    """0, a negative share, a share above 1 and a NaN are refused, also where the others are good."""
    expect.answers(modern.position_from_share, np.array([[0.5, 1.0, 0.125]]))
    for share, word in ((0.0, 0), (-0.25, -0.25), (1.0625, 1.0625), (np.nan, "nan")):
        expect.raises(ValueError, modern.position_from_share, np.array([0.5, share, 0.125]), mentions=word)
        expect.raises(ValueError, modern.position_from_share, share, mentions=word)


# rope_layers


@pytest.mark.question("rope_layers", points=0.25)
def test_layers_of_any_number(modern, rng):
    """(l + 1) mod interval ≠ 0 for every layer, as a boolean array."""
    expect.matches(modern.rope_layers, int(rng.integers(20, 60)), int(rng.integers(3, 7)))
    expect.dtype(modern.rope_layers, 36, 4)
    expect.dtype(modern.rope_layers, 3, 5)
    expect.dtype(modern.rope_layers, 1, 2)


@pytest.mark.question("rope_layers", points=0.375)
@given(groups=st.integers(1, 9), interval=st.integers(2, 9), more=st.integers(0, 8))
def test_one_layer_of_each_group_has_no_rope(modern, groups, interval, more):
    """One layer of every full group has no RoPE, and it is the last one of its group."""
    n_layers = groups * interval + more % interval
    wanted = [True] * n_layers
    for group in range(groups):
        wanted[group * interval + interval - 1] = False
    expect.close(modern.rope_layers(n_layers, interval), np.array(wanted), "the layers that use RoPE")


@pytest.mark.question("rope_layers", points=0.125)
def test_layers_refuse_bad_arguments(modern):
    """An interval below 1 and a negative number of layers are refused."""
    expect.answers(modern.rope_layers, 9, 4)
    expect.answers(modern.rope_layers, 2, 1)
    for interval in (0, -4):
        expect.raises(ValueError, modern.rope_layers, 9, interval, mentions=interval)
    expect.raises(ValueError, modern.rope_layers, -1, 4, mentions=-1)


# layer_bases


@pytest.mark.question("layer_bases", points=0.25)
def test_bases_of_any_number(modern, rng):
    """global_base where (l + 1) mod interval is 0, else local_base, in float64, whole bases too."""
    expect.matches(modern.layer_bases, int(rng.integers(20, 60)), int(rng.integers(3, 7)))
    expect.dtype(modern.layer_bases, 11, 4, float(rng.uniform(10, 1e4)), float(rng.uniform(1e5, 1e6)))
    expect.dtype(modern.layer_bases, 7, 3, 50, 7000)
    expect.dtype(modern.layer_bases, 3, 5, 0.5, 0.25)


@pytest.mark.question("layer_bases", points=0.375)
@given(groups=st.integers(1, 9), interval=st.integers(2, 9), more=st.integers(0, 8))
def test_one_layer_of_each_group_is_global(modern, groups, interval, more):
    """The last layer of every full group has the global base, and all others the local one."""
    n_layers = groups * interval + more % interval
    wanted = [300.0] * n_layers
    for group in range(groups):
        wanted[group * interval + interval - 1] = 70000.0
    expect.close(modern.layer_bases(n_layers, interval, 300.0, 70000.0), np.array(wanted), "the bases of the layers")


@pytest.mark.question("layer_bases", points=0.125)
def test_bases_refuse_bad_arguments(modern):
    """An interval below 1, a negative number of layers and a bad base are refused, also where no layer uses it."""
    expect.answers(modern.layer_bases, 9, 4)
    expect.answers(modern.layer_bases, 2, 1)
    for interval in (0, -4):
        expect.raises(ValueError, modern.layer_bases, 9, interval, mentions=interval)
    expect.raises(ValueError, modern.layer_bases, -1, 4, mentions=-1)
    for base in BAD_BASES:
        expect.raises(ValueError, modern.layer_bases, 9, 4, base, mentions=base)
        expect.raises(ValueError, modern.layer_bases, 9, 4, 20.0, base, mentions=base)


# sliding_window_mask


@pytest.mark.question("sliding_window_mask", points=0.375)
def test_window_of_any_size(modern, rng):
    """p − window < j ≤ p, for as many queries as keys and for fewer, as a boolean array."""
    length, window = int(rng.integers(20, 40)), int(rng.integers(4, 9))
    expect.matches(modern.sliding_window_mask, length, length, window)
    expect.dtype(modern.sliding_window_mask, 6, length, window)
    expect.dtype(modern.sliding_window_mask, 5, 8, 1)
    expect.dtype(modern.sliding_window_mask, 5, 7, 50)


@pytest.mark.question("sliding_window_mask", points=0.375)
@given(k_len=st.integers(1, 30), missing=st.integers(0, 29), window=st.integers(1, 12))
def test_window_with_a_cache(modern, k_len, missing, window):
    """Fewer queries are the last rows of the full mask, and query p may attend to min(p + 1, window) keys, itself the
    last."""
    start = missing % k_len
    mask = modern.sliding_window_mask(k_len - start, k_len, window)
    full = modern.sliding_window_mask(k_len, k_len, window)
    expect.close(mask, full[start:], "the last rows of the full mask")
    counted = np.minimum(np.arange(start, k_len) + 1, window)
    expect.close(mask.sum(axis=1), counted, "the number of keys of each query")
    last = k_len - 1 - np.argmax(mask[:, ::-1], axis=1)
    expect.close(last, np.arange(start, k_len), "the last key of each query is its own")


@pytest.mark.question("sliding_window_mask", points=0.125)
def test_window_does_not_loop(modern):
    """numpy computes all queries and keys at once."""
    expect.vectorised(modern.sliding_window_mask, lambda length: (length, length + 3, 5))


@pytest.mark.question("sliding_window_mask", points=0.125)
def test_window_refuses_bad_arguments(modern):
    """Fewer keys than queries, a window below 1 and a negative length are refused."""
    expect.answers(modern.sliding_window_mask, 3, 5, 2)
    expect.answers(modern.sliding_window_mask, 3, 3, 1)
    expect.raises(ValueError, modern.sliding_window_mask, 6, 5, 2, mentions=[5, 6])
    for window in (0, -2):
        expect.raises(ValueError, modern.sliding_window_mask, 3, 5, window, mentions=window)
    expect.raises(ValueError, modern.sliding_window_mask, -1, 5, 2, mentions=-1)


# chunk_mask


@pytest.mark.question("chunk_mask", points=0.375)
def test_chunks_of_any_size(modern, rng):
    """j ≤ p in the same block, for as many queries as keys and for fewer, as a boolean array."""
    length, chunk = int(rng.integers(20, 40)), int(rng.integers(4, 9))
    expect.matches(modern.chunk_mask, length, length, chunk)
    expect.dtype(modern.chunk_mask, 6, length, chunk)
    expect.dtype(modern.chunk_mask, 5, 8, 1)
    expect.dtype(modern.chunk_mask, 5, 7, 50)


@pytest.mark.question("chunk_mask", points=0.375)
@given(k_len=st.integers(1, 30), missing=st.integers(0, 29), chunk=st.integers(1, 12))
def test_chunks_with_a_cache(modern, k_len, missing, chunk):
    """Fewer queries are the last rows of the full mask, and query p may attend to (p mod chunk) + 1 keys, itself the
    last."""
    start = missing % k_len
    mask = modern.chunk_mask(k_len - start, k_len, chunk)
    full = modern.chunk_mask(k_len, k_len, chunk)
    expect.close(mask, full[start:], "the last rows of the full mask")
    counted = np.arange(start, k_len) % chunk + 1
    expect.close(mask.sum(axis=1), counted, "the number of keys of each query")
    last = k_len - 1 - np.argmax(mask[:, ::-1], axis=1)
    expect.close(last, np.arange(start, k_len), "the last key of each query is its own")


@pytest.mark.question("chunk_mask", points=0.125)
def test_chunks_do_not_loop(modern):
    """numpy computes all queries and keys at once."""
    expect.vectorised(modern.chunk_mask, lambda length: (length, length + 3, 5))


@pytest.mark.question("chunk_mask", points=0.125)
def test_chunks_refuse_bad_arguments(modern):
    """Fewer keys than queries, a chunk below 1 and a negative length are refused."""
    expect.answers(modern.chunk_mask, 3, 5, 2)
    expect.answers(modern.chunk_mask, 3, 3, 1)
    expect.raises(ValueError, modern.chunk_mask, 6, 5, 2, mentions=[5, 6])
    for chunk in (0, -2):
        expect.raises(ValueError, modern.chunk_mask, 3, 5, chunk, mentions=chunk)
    expect.raises(ValueError, modern.chunk_mask, -1, 5, 2, mentions=-1)


# p_rope_frequencies


@pytest.mark.question("p_rope_frequencies", points=0.375)
def test_p_rope_of_any_share(modern, rng):
    """⌊p·d/2⌋ pairs rotate, as float64 computes it, for every size and base: the number of pairs is never rounded
    up."""
    for head_dim, p in (
        (12, 0.8),
        (100, 0.58),
        (200, 0.29),
        (18, 0.375),
        (10, 0.7),
        (256, 0.25),
        (14, float(rng.uniform(0.1, 0.9))),
    ):
        expect.dtype(modern.p_rope_frequencies, head_dim, p)
        for base in (float(rng.uniform(20, 1e6)), 0.5, 1.0):
            expect.matches(modern.p_rope_frequencies, head_dim, p, base)
    expect.dtype(modern.p_rope_frequencies, 6, 0.5, 700)


@pytest.mark.question("p_rope_frequencies", points=0.375)
def test_p_rope_between_none_and_all(modern, rng):
    """p = 1 is RoPE, p = 0 rotates nothing, and what rotates in between has the frequency it has in RoPE."""
    base = float(rng.uniform(200, 9000))
    everything, nothing = modern.p_rope_frequencies(22, 1, base), modern.p_rope_frequencies(22, 0, base)
    expect.close(everything, theta(22, base), "with p = 1 the frequencies are those of RoPE")
    expect.close(nothing, np.zeros(11), "with p = 0 no pair rotates")
    some = modern.p_rope_frequencies(22, 0.4375, base)
    expect.close(some / everything, np.array([1.0] * 4 + [0.0] * 7), "the frequencies of p-RoPE over those of RoPE")


@pytest.mark.question("p_rope_frequencies", points=0.125)
def test_p_rope_refuses_bad_arguments(modern):
    """A p outside 0 … 1, an odd or too small head_dim, and a bad base are refused."""
    expect.answers(modern.p_rope_frequencies, 6, 0.5)
    expect.answers(modern.p_rope_frequencies, 2, 1)
    for p in (-0.25, 1.125, np.nan):
        expect.raises(ValueError, modern.p_rope_frequencies, 6, p, mentions=p)
    for head_dim in (7, 0, -4):
        expect.raises(ValueError, modern.p_rope_frequencies, head_dim, 0.5, mentions=head_dim)
    for base in BAD_BASES:
        expect.raises(ValueError, modern.p_rope_frequencies, 6, 0.5, base, mentions=base)


# temperature


@pytest.mark.question("temperature", points=0.25)
def test_temperature_at_any_position(modern, rng):
    """1 + attn_scale·ln(1 + ⌊(position + 1)/floor_scale⌋), for any scales, positions of any shape, fractions among
    them."""
    for shape in ((), (7,), (2, 3, 5)):
        expect.unchanged(modern.temperature, rng.integers(0, 10**6, shape))
        expect.unchanged(
            modern.temperature, rng.integers(0, 300, shape), int(rng.integers(3, 9)), float(rng.uniform(0.2, 2))
        )
    expect.matches(modern.temperature, np.array([0.5, 4.5, 11.25]), 3, attn_scale=0.5)
    expect.matches(modern.temperature, np.arange(9), 0.5, -0.25)


@pytest.mark.question("temperature", points=0.125)
def test_temperature_dtype(modern, rng):
    """float64, from whole positions and from float32."""
    expect.dtype(modern.temperature, rng.integers(0, 90, 5), 7.0)
    expect.dtype(modern.temperature, np.array([1.0, 8.0, 90.0], dtype=np.float32), 7)
    expect.dtype(modern.temperature, 23, 7)


@pytest.mark.question("temperature", points=0.25)
@given(scale=st.integers(2, 50), step=st.integers(1, 40))
def test_temperature_grows_in_steps(modern, scale, step):
    """It is 1 for the first positions, and grows where (position + 1) is a multiple of floor_scale, and only there."""
    before, at, after = step * scale - 2, step * scale - 1, (step + 1) * scale - 2
    found = modern.temperature(np.array([0, scale - 2, before, at, after]), float(scale), 0.5)
    grown = [1 + 0.5 * math.log(step + more) for more in (0, 1, 1)]
    expect.close(found, np.array([1.0, 1.0, *grown]), "the factors around a multiple of floor_scale")


@pytest.mark.question("temperature", points=0.125)
def test_temperature_does_not_loop(modern):
    """numpy computes all positions at once."""
    expect.vectorised(modern.temperature, lambda length: (np.arange(length), 3.0))


@pytest.mark.question("temperature", points=0.125)
def test_temperature_refuses_bad_arguments(modern):
    """A floor_scale that is not positive and a NaN position are refused."""
    expect.answers(modern.temperature, np.arange(6).reshape(2, 3), 0.5)
    for floor_scale in (0.0, -3.0):
        expect.raises(ValueError, modern.temperature, np.arange(3), floor_scale, mentions=floor_scale)
    expect.raises(ValueError, modern.temperature, np.array([1.0, np.nan]), mentions="nan")


# log_n_scale


@pytest.mark.question("log_n_scale", points=0.25)
def test_log_n_at_any_position(modern, rng):
    """max(1, ln(position + 1)/ln(trained_len)), positions of any shape, fractions among them."""
    for shape in ((), (7,), (2, 3, 5)):
        expect.unchanged(modern.log_n_scale, rng.integers(0, 10**6, shape), int(rng.integers(100, 9000)))
        expect.unchanged(modern.log_n_scale, rng.uniform(0, 300, shape), int(rng.integers(3, 90)))
    expect.matches(modern.log_n_scale, rng.integers(0, 300, 6), 2)


@pytest.mark.question("log_n_scale", points=0.125)
def test_log_n_dtype(modern, rng):
    """float64, from whole positions and from float32."""
    expect.dtype(modern.log_n_scale, rng.integers(0, 90, 5), 7)
    expect.dtype(modern.log_n_scale, np.array([1.0, 8.0, 90.0], dtype=np.float32), 7)
    expect.dtype(modern.log_n_scale, 23, 7)


@pytest.mark.question("log_n_scale", points=0.125)
@given(trained_len=st.integers(3, 90), power=st.integers(2, 4))
def test_log_n_leaves_short_texts_alone(modern, trained_len, power):
    """1 for every token of the trained length; with n = trained_len to the power of a whole number of tokens, that
    number."""
    where = np.array([0, trained_len // 2, trained_len - 1, trained_len**power - 1])
    expect.close(modern.log_n_scale(where, trained_len), np.array([1.0, 1.0, 1.0, power]), "the factors")


@pytest.mark.question("log_n_scale", points=0.125)
def test_log_n_does_not_loop(modern):
    """numpy computes all positions at once."""
    expect.vectorised(modern.log_n_scale, lambda length: (np.arange(length), 5))


@pytest.mark.question("log_n_scale", points=0.125)
def test_log_n_refuses_bad_arguments(modern):
    """A trained_len below 2 and a NaN position are refused."""
    expect.answers(modern.log_n_scale, np.arange(6).reshape(2, 3), 2)
    for trained_len in (1, 0, -5):
        expect.raises(ValueError, modern.log_n_scale, np.arange(3), trained_len, mentions=trained_len)
    expect.raises(ValueError, modern.log_n_scale, np.array([1.0, np.nan]), 9, mentions="nan")


# decoupled_scores


@pytest.mark.question("decoupled_scores", points=0.375)
def test_decoupled_with_any_shapes(modern, rng):
    """Any numbers of heads, queries, keys, content and rotated features; leading axes that broadcast; any real
    positions."""
    for lead, n_heads, rotary in (((3,), 3, 4), ((), 1, 6), ((2,), 3, 2), ((2, 4), 3, 8)):
        arrays = [normal(rng, *array.shape) for array in parts(lead, 5, 7, n_heads, 3, rotary)]
        expect.unchanged(modern.decoupled_scores, *arrays, rng.uniform(-50, 50, 5), rng.uniform(-50, 50, 7))
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
    """float32 where all four feature arrays are, whatever the positions are; angles in float64 all the same."""
    arrays = parts((), 5, 7, dtype=np.float32)
    expect.dtype(modern.decoupled_scores, *arrays, rng.integers(10**5, 10**6, 5), rng.integers(10**5, 10**6, 7))
    for place in range(4):
        mixed = [array.astype(np.float64) if place == number else array for number, array in enumerate(arrays)]
        expect.dtype(modern.decoupled_scores, *mixed, np.arange(5), np.arange(7))
    expect.dtype(
        modern.decoupled_scores, *(np.rint(array).astype(np.int64) for array in arrays), np.arange(5), np.arange(7)
    )


@pytest.mark.question("decoupled_scores", points=0.375)
@given(seed=seeds(), m=positions(), n=positions(), shift=positions())
def test_decoupled_scores_are_relative_at_any_position(modern, seed, m, n, shift):
    """The score depends on n − m alone, and it is the content score plus the rotated one over √(d_c + d_r)."""
    q_content, k_content, q_rope, k_rope = arrays = parts((), 1, 1, seed=seed)
    score = modern.decoupled_scores(*arrays, np.array([m]), np.array([n]))
    shifted = modern.decoupled_scores(*arrays, np.array([m + shift]), np.array([n + shift]))
    expect.close(shifted, score, "shifting both positions leaves the score", FAR)
    content = q_content @ k_content.swapaxes(-1, -2)
    position = q_rope @ rotated(k_rope, np.array([n - m])).T
    expect.close(score, (content + position) / 3, "the score is content plus position over √9", FAR)


@pytest.mark.question("decoupled_scores", points=0.25)
def test_content_has_no_position_and_heads_share_the_key(modern, rng):
    """Without rotated features the positions change nothing; without content every head scores the same key."""
    q_content, k_content, q_rope, k_rope = (normal(rng, *array.shape) for array in parts((), 5, 7))
    where, keys = rng.uniform(0, 90, 5), rng.uniform(0, 90, 7)
    scores = modern.decoupled_scores(q_content, k_content, 0 * q_rope, k_rope, where, keys)
    expect.close(scores, q_content @ k_content.swapaxes(-1, -2) / 3, "without q_rope the score is that of the content")
    scores = modern.decoupled_scores(0 * q_content, k_content, q_rope, k_rope, where, keys)
    wanted = rotated(q_rope, where) @ rotated(k_rope, keys).T / 3
    expect.close(scores, wanted, "without q_content the score is that of the rotated features")


@pytest.mark.question("decoupled_scores", points=0.25)
def test_decoupled_refuses_bad_arguments(modern):
    """Heads, rows, sizes or positions that do not fit, an odd rotated size and a bad base are refused."""
    q_content, k_content, q_rope, k_rope = arrays = parts((), 5, 7)
    where = np.arange(5), np.arange(7)
    expect.answers(modern.decoupled_scores, *arrays, *where)

    def refused(*arguments, mentions, **named):
        expect.raises(ValueError, modern.decoupled_scores, *arguments, mentions=mentions, **named)

    heads = [1, 3, (1, 7, 5), (1, 5, 4), (1, 5, 5)]
    refused(q_content, k_content[:1], q_rope, k_rope, *where, mentions=heads)
    refused(q_content, k_content, q_rope[:1], k_rope, *where, mentions=heads)
    refused(q_content[:1], k_content, q_rope, k_rope, *where, mentions=heads)
    rows = [1, 5, 7, (1,), (3, 1, 5), (3, 1, 4), (1, 4)]
    refused(q_content[:, :1], k_content, q_rope, k_rope, *where, mentions=rows)
    refused(q_content, k_content, q_rope[:, :1], k_rope, np.arange(1), np.arange(7), mentions=rows)
    refused(q_content, k_content[:, :1], q_rope, k_rope, *where, mentions=rows)
    refused(q_content, k_content, q_rope, k_rope[:1], np.arange(5), np.arange(1), mentions=rows)
    refused(q_content[..., :4], k_content, q_rope, k_rope, *where, mentions=[4, 5])
    refused(q_content, k_content, q_rope[..., :2], k_rope, *where, mentions=[2, 4])
    refused(q_content, k_content, q_rope[..., :3], k_rope[..., :3], *where, mentions=[3])
    refused(q_content, k_content[..., :1], q_rope, k_rope, *where, mentions=[1, 5])
    refused(*arrays, np.arange(1), np.arange(7), mentions=[(1,), 1, 5])
    refused(*arrays, np.arange(5), np.arange(1), mentions=[(1,), 1, 7])
    refused(*arrays, np.array(3), np.arange(7), mentions=[3, 5, ()])
    refused(*arrays, np.arange(5), np.arange(8), mentions=[(8,), 7])
    refused(*arrays, np.full((1, 5), 2.0), np.arange(7), mentions=[(1, 5), 2.0, 1, 5])
    refused(*arrays, np.full(5, np.nan), np.arange(7), mentions="nan")
    refused(*arrays, np.arange(5), np.full(7, np.nan), mentions="nan")
    refused(*arrays, *where, base=-4.0, mentions=-4.0)


@pytest.mark.question("decoupled_scores", points=0.125)
def test_decoupled_does_not_loop(modern):
    """numpy scores all pairs of tokens at once."""
    expect.vectorised(
        modern.decoupled_scores,
        lambda length: (*parts((), length, length + 3), np.arange(length), np.arange(length + 3)),
    )


# kept_tokens


@pytest.mark.question("kept_tokens", points=0.375)
def test_kept_for_any_sizes(modern, rng):
    """The first n_sinks and the last `window`, each once, in order, as int64; they may overlap, and each may be 0."""
    n_sinks, window = int(rng.integers(2, 6)), int(rng.integers(7, 12))
    for length in (n_sinks + window + int(rng.integers(1, 40)), n_sinks + window, n_sinks + window - 2, n_sinks, 1):
        expect.matches(modern.kept_tokens, length, n_sinks, window)
        expect.dtype(modern.kept_tokens, length, window, n_sinks)
    expect.dtype(modern.kept_tokens, 25, 30, 4)
    for sizes in ((n_sinks, 0), (0, window), (0, 0)):
        expect.dtype(modern.kept_tokens, 20, *sizes)
    expect.dtype(modern.kept_tokens, 0, n_sinks, window)


@pytest.mark.question("kept_tokens", points=0.25)
@given(length=st.integers(20, 60), n_sinks=st.integers(1, 5), window=st.integers(2, 9))
def test_a_token_that_was_dropped_does_not_come_back(modern, length, n_sinks, window):
    """One token later the cache holds a part of what it held, and the new token; its size stays."""
    now, later = modern.kept_tokens(length, n_sinks, window), modern.kept_tokens(length + 1, n_sinks, window)
    expect.close(
        (len(now), len(later)), (n_sinks + window, n_sinks + window), "the cache holds n_sinks + window tokens"
    )
    expect.holds(set(later.tolist()) <= {*now.tolist(), length}, "only the new token comes in")
    expect.close(later, np.array([*range(n_sinks), *range(length + 1 - window, length + 1)]), "the tokens of the cache")


@pytest.mark.question("kept_tokens", points=0.125)
def test_kept_does_not_loop(modern):
    """numpy finds all kept tokens at once."""
    expect.vectorised(modern.kept_tokens, lambda length: (length, length // 4, length // 2))


@pytest.mark.question("kept_tokens", points=0.125)
def test_kept_refuses_bad_arguments(modern):
    """A negative length, number of sinks or window is refused."""
    expect.answers(modern.kept_tokens, 20, 2, 5)
    expect.raises(ValueError, modern.kept_tokens, -1, 2, 5, mentions=-1)
    expect.raises(ValueError, modern.kept_tokens, 20, -1, 5, mentions=-1)
    expect.raises(ValueError, modern.kept_tokens, 20, 2, -1, mentions=-1)


# shift_keys


@pytest.mark.question("shift_keys", points=0.25)
def test_shift_with_any_leading_axes(modern, rng):
    """Any number of leading axes, one row or many, one pair or many, any real offset and base; the cache is left as it
    was."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 2, 6), (1, 2)):
        expect.unchanged(modern.shift_keys, normal(rng, *shape), float(rng.uniform(-100, 100)))
    for base in (float(rng.uniform(20, 900)), 0.5, 1.0):
        expect.matches(modern.shift_keys, normal(rng, 5, 6), int(rng.integers(-99, 99)), base=base)


@pytest.mark.question("shift_keys", points=0.25)
def test_shift_dtype(modern, rng):
    """float32 stays float32, with angles in float64; everything else becomes float64."""
    expect.dtype(modern.shift_keys, normal(rng, 3, 8, dtype=np.float32), float(rng.integers(10**5, 10**6)))
    expect.dtype(modern.shift_keys, normal(rng, 3, 8), 5)
    expect.dtype(modern.shift_keys, rng.integers(-9, 9, (3, 8)), 5)


@pytest.mark.question("shift_keys", points=0.375)
@given(seed=seeds(), start=positions(), offset=positions(), back=st.booleans(), head_dim=st.sampled_from([2, 4, 8, 16]))
def test_moved_keys_are_keys_rotated_afresh(modern, seed, start, offset, back, head_dim):
    """Keys stored rotated and moved on are the keys rotated by their new positions, and moving back is moving by
    −offset."""
    keys, where = 3 + features(3, head_dim, seed=seed), np.arange(start, start + 3)
    offset = -offset if back else offset
    moved = modern.shift_keys(rotated(keys, where), offset)
    expect.close(moved, rotated(keys, where + offset), "moved keys are keys rotated by their new positions", FAR)
    expect.close(modern.shift_keys(moved, -offset), rotated(keys, where), "and back again", FAR)


@pytest.mark.question("shift_keys", points=0.25)
def test_moving_queries_and_keys_changes_no_score(modern, rng):
    """A query and all keys moved on by one offset score as before; keys moved alone do not."""
    q, keys, offset = normal(rng, 1, 8), normal(rng, 5, 8), float(rng.uniform(3, 90))
    before = q @ keys.T
    after = modern.shift_keys(q, offset) @ modern.shift_keys(keys, offset).T
    expect.close(after, before, "moving both changes no score")
    expect.holds(
        not np.allclose(q @ modern.shift_keys(keys, offset).T, before), "moving the keys alone changes the scores"
    )
    expect.holds(
        not np.allclose(modern.shift_keys(keys, offset), modern.shift_keys(keys, offset + 1)),
        "keys moved further are others",
    )


@pytest.mark.question("shift_keys", points=0.125)
def test_shift_does_not_loop(modern):
    """numpy moves all rows at once."""
    expect.vectorised(modern.shift_keys, lambda length: (features(2, length, 4), 5.5))


@pytest.mark.question("shift_keys", points=0.25)
def test_shift_refuses_bad_arguments(modern):
    """An odd size, a NaN offset and a bad base are refused."""
    expect.answers(modern.shift_keys, features(3, 4), 2)
    for size in (1, 5):
        expect.raises(ValueError, modern.shift_keys, features(3, size), 2, mentions=[size])
    expect.raises(ValueError, modern.shift_keys, features(3, 4), np.nan, mentions="nan")
    for base in BAD_BASES:
        expect.raises(ValueError, modern.shift_keys, features(3, 4), 2, base=base, mentions=base)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.125)
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
    """Every question has one right answer."""
    expect.answer(modern, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "layers_that_reach_30_back_with_a_window_of_8",
        "keys_seen_at_position_9000_in_chunks_of_8192",
        "offset_of_the_window_after_100_tokens",
    ],
)
def test_practice_answer(modern, key):
    """A question for practice: no points."""
    expect.answer(modern, key)
