"""Hidden tests for RoPE: this term's values, loops, and properties at any position.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Tolerances at large positions. An angle is position·θ in float64. The relative error of θ = base^(−2i/d) is a few
units in the last place, or about ten units, 10·1.1e−16 ≈ 1e−15, if θ is computed as exp(−2i/d·ln base). At
position 10⁶, the angle is off by up to about 1e−9, and each feature by up to that share of the row's norm; FAR
allows about a hundred times that. Near position 10⁶, float32 angles are off by 0.06.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

FAR = 1e-7

HEAD_DIMS = st.sampled_from([2, 4, 8, 16])


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def weights(rng, d, columns, dtype=np.float64):
    return [normal(rng, d, columns, dtype=dtype) / np.sqrt(d).astype(dtype) for _ in range(3)]


def caches(rng, *shape, dtype=np.float64):
    return normal(rng, *shape, dtype=dtype), normal(rng, *shape, dtype=dtype)


# rope_frequencies


@pytest.mark.question("rope_frequencies", points=0.25)
def test_frequencies_of_any_size_and_base(rope, rng):
    """The frequency θ_i is base^(−2i/d) for every even size and every base."""
    for head_dim in (2, 4, 6, 64, 128):
        expect.matches(rope.rope_frequencies, head_dim)
        expect.matches(rope.rope_frequencies, head_dim, float(rng.uniform(2, 1e6)))
    expect.matches(rope.rope_frequencies, 6, 0.5)
    expect.matches(rope.rope_frequencies, 6, 1.0)
    expect.matches(rope.rope_frequencies, 10, 10000)


# rope_cos_sin


@pytest.mark.question("rope_cos_sin", points=0.25)
def test_cos_sin_at_any_real_position(rope, rng):
    """Positions can be negative, fractional, unordered or far away."""
    expect.matches(rope.rope_cos_sin, rng.uniform(-50, 50, 7), 10)
    expect.matches(rope.rope_cos_sin, rng.integers(0, 10**6, 5), 16, tolerance=FAR)
    expect.matches(rope.rope_cos_sin, np.arange(3), 8)


# apply_rope


@pytest.mark.question("apply_rope", points=0.625)
def test_apply_rope_with_any_leading_axes(rope, rng):
    """Any leading axes and any number of rows and pairs are allowed."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 2, 6), (1, 2)):
        expect.matches(rope.apply_rope, normal(rng, *shape), rng.uniform(-100, 100, shape[-2]))


@pytest.mark.question("apply_rope", points=0.25)
def test_apply_rope_computes_angles_in_float64(rope, rng):
    """Far along the sequence, float32 features still rotate by the correct angle."""
    expect.matches(rope.apply_rope, normal(rng, 4, 8, dtype=np.float32), rng.integers(10**5, 10**6, 4))


@pytest.mark.question("apply_rope", points=0.25)
def test_apply_rope_does_not_loop_over_rows(rope):
    """All rows are rotated at once, without a loop."""
    expect.vectorised(rope.apply_rope, lambda length: (features(2, length, 4), np.arange(length)))


@pytest.mark.question("apply_rope", points=0.5)
@given(seed=seeds(), m=positions(), n=positions(), head_dim=HEAD_DIMS)
def test_rotations_add_up(rope, seed, m, n, head_dim):
    """Rotating by m and then by n equals rotating by m + n, not by m alone; the norm stays the same, up to
    position 10⁶."""
    x = 3 + features(1, head_dim, seed=seed)
    once, further = (rope.apply_rope(x, np.array([place])) for place in (m, m + 1))
    twice = rope.apply_rope(once, np.array([n]))
    expect.holds(not np.allclose(once, further), "the row differs from position to position")
    expect.close(twice, rope.apply_rope(x, np.array([m + n])), "rotations add up", FAR)
    expect.close(np.linalg.norm(twice), np.linalg.norm(x), "rotations keep the norm", FAR)


# rotate_half


@pytest.mark.question("rotate_half", points=0.25)
def test_rotate_half_is_a_quarter_rotation(rope, rng):
    """Applying rotate_half twice gives −x, for any leading axes."""
    x = normal(rng, 2, 3, 10)
    expect.close(rope.rotate_half(rope.rotate_half(x)), -x, "two quarter rotations negate")
    expect.matches(rope.rotate_half, x)
    expect.matches(rope.rotate_half, np.arange(4))


# apply_rope_half


@pytest.mark.question("apply_rope_half", points=0.75)
@given(seed=seeds(), start=positions(), head_dim=HEAD_DIMS)
def test_the_layouts_are_the_same_encoding(rope, seed, start, head_dim):
    """Reordering and then rotating equals rotating and then reordering, and equal rows differ afterwards."""
    x, where = features(3, head_dim, seed=seed), np.arange(start, start + 3)
    reordered = rope.interleaved_to_half(x)
    half = rope.apply_rope_half(reordered, where)
    first, second = rope.apply_rope_half(np.ones((2, head_dim)), where[:2])
    expect.holds(not np.allclose(first, second), "equal rows at two positions become different")
    expect.close(
        half, rope.interleaved_to_half(rope.apply_rope(x, where)), "the two layouts differ only by the reordering", FAR
    )
    expect.close(np.linalg.norm(half), np.linalg.norm(x), "rotations keep the norm", FAR)


# interleaved_to_half, half_to_interleaved


@pytest.mark.question("interleaved_to_half", points=0.25)
def test_interleaved_to_half_as_an_array_function(rope, rng):
    """The even features come first, then the odd ones, for any leading axes."""
    expect.matches(rope.interleaved_to_half, normal(rng, 2, 3, 10))


@pytest.mark.question("half_to_interleaved", points=0.25)
def test_half_to_interleaved_is_the_inverse(rope, rng):
    """Applying half_to_interleaved after interleaved_to_half restores x, for any leading axes."""
    x = normal(rng, 2, 3, 10)
    expect.close(rope.half_to_interleaved(rope.interleaved_to_half(x)), x, "there and back")
    expect.matches(rope.half_to_interleaved, x)


# rotation_matrix


@pytest.mark.question("rotation_matrix", points=0.75)
@given(m=positions(), n=positions(), head_dim=HEAD_DIMS)
def test_rotations_undo_and_add(rope, m, n, head_dim):
    """R_mᵀ R_n = R_{n−m}, and R_m x is apply_rope applied to one row."""
    r_m, r_n = rope.rotation_matrix(m, head_dim), rope.rotation_matrix(n, head_dim)
    expect.holds(m == 0 or not np.array_equal(r_m, np.eye(head_dim)), "R_m rotates, unless m is 0")
    expect.close(r_m.T @ r_n, rope.rotation_matrix(n - m, head_dim), "R_mᵀ R_n = R_{n−m}", FAR)
    row = features(1, head_dim, seed=m)
    expect.close(row @ r_m.T, rope.apply_rope(row, np.array([m])), "R_m x is apply_rope of the row x", FAR)
    expect.close(r_m.T @ r_m, np.eye(head_dim), "R_m is orthogonal", FAR)


# rope_scores


@pytest.mark.question("rope_scores", points=1.25)
@given(seed=seeds(), m=positions(), n=positions(), shift=positions(), head_dim=HEAD_DIMS)
def test_scores_are_relative_at_any_position(rope, seed, m, n, shift, head_dim):
    """For positions up to 10⁶, the score depends on n − m and on nothing else; at n = m, it is the plain score."""
    q, k = features(1, head_dim, seed=seed), features(1, head_dim, seed=seed + 1)
    score = rope.rope_scores(q, k, np.array([m]), np.array([n]))
    shifted = rope.rope_scores(q, k, np.array([m + shift]), np.array([n + shift]))
    from_zero = rope.rope_scores(q, k, np.array([0]), np.array([n - m]))
    expect.close(shifted, score, "shifting both positions does not change the score", FAR)
    expect.close(from_zero, score, "the score is that of a query at 0 and a key at n − m", FAR)
    plain = rope.rope_scores(q, k, np.array([n]), np.array([n]))
    expect.close(plain, q @ k.T / np.sqrt(head_dim), "at the same position, it is the plain score", FAR)
    ones = np.ones((1, head_dim))
    together, apart = (rope.rope_scores(ones, ones, np.array([m]), np.array([m + offset])) for offset in (0, 1))
    expect.holds(not np.allclose(together, apart), "the scores at the offsets 0 and 1 differ")


@pytest.mark.question("rope_scores", points=0.5)
def test_scores_with_any_shapes(rope, rng):
    """More keys than queries, leading axes and any base are allowed."""
    q, k = normal(rng, 2, 3, 4, 8), normal(rng, 2, 3, 6, 8)
    expect.matches(rope.rope_scores, q, k, rng.uniform(0, 99, 4), rng.uniform(0, 99, 6))
    expect.matches(rope.rope_scores, q, k, rng.uniform(0, 99, 4), rng.uniform(0, 99, 6), 50.0)
    expect.matches(rope.rope_scores, q, k, np.arange(4), np.arange(6))
    expect.matches(rope.rope_scores, q, k.astype(np.float64), np.arange(4), np.arange(6))


@pytest.mark.question("rope_scores", points=0.25)
def test_scores_do_not_loop(rope):
    """All scores are computed at once, without a loop."""
    expect.vectorised(
        rope.rope_scores, lambda length: (features(length, 4), features(length, 4, seed=1), *2 * [np.arange(length)])
    )


# rope_attention


@pytest.mark.question("rope_attention", points=0.5)
def test_attention_values(rope, rng):
    """Any number of heads and leading axes, any positions and any base are allowed, causal or not."""
    x, w = normal(rng, 2, 5, 6), weights(rng, 6, 12)
    for n_heads in (1, 2, 3, 6):
        expect.matches(rope.rope_attention, x, *w, n_heads)
    expect.matches(rope.rope_attention, x, *w, 2, rng.uniform(0, 50, 5), False, 300.0)
    expect.matches(rope.rope_attention, normal(rng, 300, 2), *weights(rng, 2, 2), 1)


@pytest.mark.question("rope_attention", points=0.25)
def test_attention_of_drawn_positions_is_causal_by_row_order(rope, rng):
    """Row t attends to rows 0 … t, even if the positions are in a different order."""
    expect.matches(rope.rope_attention, normal(rng, 5, 4), *weights(rng, 4, 8), 2, 1000 + np.arange(5)[::-1])


@pytest.mark.question("rope_attention", points=0.75)
@given(seed=seeds(), shift=positions())
def test_values_are_not_rotated(rope, seed, shift):
    """A single token gets its own value at every position; with more tokens, shifting all positions by the same
    amount changes nothing."""
    x, w = features(4, 4, seed=seed) / 4, [features(4, 4, seed=seed + part) for part in (1, 2, 3)]
    lone = rope.rope_attention(x[:1], *w, 2, np.array([shift]))
    expect.close(lone, x[:1] @ w[2], "a single token's output is its value", FAR)
    near = rope.rope_attention(x, *w, 2, np.arange(4))
    far = rope.rope_attention(x, *w, 2, np.arange(4) + shift)
    # Softmax passes the error of the scores on to the values.
    expect.close(far, near, "shifting all positions changes nothing", 100 * FAR)
    spread = rope.rope_attention(x, *w, 2, 3 * np.arange(4))
    expect.holds(not np.allclose(spread, near), "positions three times as far apart change the output")
    others = [(x, 0 * w[0], *w[1:], 2), (x, w[0], 0 * w[1], w[2], 2), (x, *w, 1)]
    for other in others:
        expect.holds(
            not np.allclose(rope.rope_attention(*other, np.arange(4)), near),
            "queries, keys and heads decide the output",
        )


# decode_step


@pytest.mark.question("decode_step", points=1.0)
def test_decoding_equals_the_full_pass(rope, rng):
    """Decoding token by token from an empty cache gives the rows of rope_attention, for any number of heads and leading
    axes."""
    x, w = normal(rng, 2, 6, 4), weights(rng, 4, 12)
    full = rope.rope_attention(x, *w, 3)
    cache_k = cache_v = np.zeros((2, 3, 0, 4))
    rows = []
    for t in range(6):
        out, cache_k, cache_v = rope.decode_step(x[:, t : t + 1], *w, 3, cache_k, cache_v, t)
        rows.append(out)
    expect.close(np.concatenate(rows, axis=-2), full, "decoding token by token equals the full pass")
    expect.matches(rope.decode_step, x[:, :1], *w, 3, cache_k, cache_v, 6)


@pytest.mark.question("decode_step", points=0.25)
def test_decoding_believes_the_position(rope, rng):
    """The new token is at `position`, which can be any real number, however many rows the cache has, even none."""
    expect.matches(rope.decode_step, normal(rng, 1, 4), *weights(rng, 4, 8), 2, *caches(rng, 2, 3, 4), 77)
    expect.matches(
        rope.decode_step, normal(rng, 3, 1, 4), *weights(rng, 4, 8), 2, *caches(rng, 3, 2, 5, 4), 4, base=50.0
    )
    expect.matches(rope.decode_step, normal(rng, 1, 4), *weights(rng, 4, 8), 2, *caches(rng, 2, 0, 4), -9.5)


@pytest.mark.question("decode_step", points=0.25)
def test_decoding_does_not_loop_over_the_cache(rope):
    """The scores of the whole cache are computed at once, without a loop."""
    w = [features(4, 4, seed=seed) for seed in (1, 2, 3)]
    expect.vectorised(
        rope.decode_step,
        lambda length: (features(1, 4), *w, 2, features(2, length, 2), features(2, length, 2, seed=5), length),
    )


# apply_partial_rope


@pytest.mark.question("apply_partial_rope", points=0.5)
def test_partial_rope_as_an_array_function(rope, rng):
    """Any rotary_dim, an odd width and any leading axes are allowed."""
    expect.matches(rope.apply_partial_rope, normal(rng, 2, 4, 7), rng.uniform(0, 99, 4), 4)
    expect.matches(rope.apply_partial_rope, normal(rng, 3, 8), np.arange(3), 8)


# decay_bound


@pytest.mark.question("decay_bound", points=0.25)
def test_decay_bound_of_any_offsets(rope, rng):
    """Offsets can have any shape and sign; the bound is the same for both signs."""
    offsets = rng.uniform(-500, 500, (2, 3))
    expect.matches(rope.decay_bound, offsets, 16)
    expect.matches(rope.decay_bound, float(offsets[0, 0]), 128, base=500000.0)
    expect.close(rope.decay_bound(-offsets, 16), rope.decay_bound(offsets, 16), "the bound is the same for −offset")


# Rules of lesson 1 for every function


@pytest.mark.question("apply_rope", points=0.125)
def test_arguments_stay_as_they_are(rope, rng):
    """apply_rope does not modify x or positions."""
    expect.unchanged(rope.apply_rope, normal(rng, 2, 4, 6), rng.uniform(0, 9, 4))


@pytest.mark.question("rotate_half", points=0.25)
def test_a_half_needs_pairs(rope):
    """An odd number of features raises a ValueError, because it cannot be halved."""
    expect.answers(rope.rotate_half, features(2, 4))
    expect.raises(ValueError, rope.rotate_half, features(2, 5))


@pytest.mark.question("apply_rope_half", points=0.25)
def test_half_positions_fit_the_rows(rope):
    """In the half layout, too, every row needs its own position: a single position for all rows raises a ValueError."""
    expect.answers(rope.apply_rope_half, features(5, 4), np.arange(5))
    expect.raises(ValueError, rope.apply_rope_half, features(5, 4), np.array([7]))


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "score_change_when_all_shift_by_5",
        "rotates_values",
        "extra_parameters",
        "score_m1_n3_equals_m3_n5",
        "half_layout_is_a_bug",
    ],
)
def test_answer(rope, key):
    """Every question has one correct answer."""
    expect.answer(rope, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key", ["score_at_half_a_rotation", "last_pair_with_a_full_rotation_in_8192", "numbers_in_the_cache_at_8192"]
)
def test_practice_answer(rope, key):
    """This question is for practice and earns no points."""
    expect.answer(rope, key)
