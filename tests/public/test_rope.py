"""Public tests for RoPE: the values of each function, and the properties that make it RoPE.

Each test's docstring states the rule that the test checks. The expected values are in `expected/rope.json`.
"""

import numpy as np
import pytest
from hypothesis import given

from autograder.checks import expect
from autograder.checks.inputs import case, features, positions, seeds


@pytest.mark.question("rope_frequencies", points=0.1875)
def test_frequencies_by_hand(rope):
    """With four features, the pairs rotate by 1 and by 1/100 radian per position."""
    expect.close(rope.rope_frequencies(4), np.array([1.0, 0.01]), "rope_frequencies(4) is [1, 0.01]")


@pytest.mark.question("rope_frequencies", points=0.25)
def test_frequencies(rope):
    """θ_i = base^(−2i/d)."""
    expect.matches(rope.rope_frequencies, 2)
    expect.matches(rope.rope_frequencies, 12)
    expect.matches(rope.rope_frequencies, 8, base=500.0)


@pytest.mark.question("rope_cos_sin", points=0.1875)
def test_cos_sin(rope):
    """Row t contains the cosines and sines of positions[t]·θ_i; float64 angles are accurate even at large positions."""
    expect.matches(rope.rope_cos_sin, np.arange(5), 6)
    expect.matches(rope.rope_cos_sin, np.array([-3.0, 0.5, 20.0]), 4, base=300.0)
    expect.matches(rope.rope_cos_sin, np.array([4095.0, 123457.0]), 8)


@pytest.mark.question("apply_rope", points=0.25)
def test_apply_rope_by_hand(rope):
    """At position 1, the pair (1, 0) is rotated to (cos θ_i, sin θ_i)."""
    turned = rope.apply_rope(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([1]))
    expected = np.array([[np.cos(1), np.sin(1), np.cos(0.01), np.sin(0.01)]])
    expect.close(turned, expected, "the pairs (1, 0) and (1, 0) at position 1")


@pytest.mark.question("apply_rope", points=0.625)
def test_apply_rope(rope):
    """Pair i of row t is rotated by positions[t]·θ_i, for any number of leading axes."""
    expect.matches(rope.apply_rope, features(5, 6), np.arange(5))
    expect.matches(rope.apply_rope, features(2, 3, 4, 6), np.array([7.0, 0.0, 2.5, -1.0]))
    expect.matches(rope.apply_rope, features(3, 4), np.array([10, 200, 3000]), base=500.0)


@pytest.mark.question("apply_rope", points=0.25)
def test_position_zero_changes_nothing(rope):
    """Position 0 changes nothing, but position 1 does."""
    x = features(3, 8)
    expect.close(rope.apply_rope(x, np.zeros(3)), x, "rows at position 0 stay as they are")
    expect.holds(not np.allclose(rope.apply_rope(x, np.ones(3)), x), "rows at position 1 are rotated")


@pytest.mark.question("apply_rope", points=0.25)
@given(seed=seeds(), position=positions(1000))
def test_rotating_keeps_the_norm(rope, seed, position):
    """From each position to the next, a rotation changes a row but never its length."""
    x = 3 + features(1, 8, seed=seed)
    turned, further = (rope.apply_rope(x, np.array([place])) for place in (position, position + 1))
    expect.close(turned.shape, x.shape, "the shape stays")
    expect.close(np.linalg.norm(turned), np.linalg.norm(x), "the norm of a row stays the same")
    expect.holds(not np.allclose(turned, further), f"the row differs at positions {position} and {position + 1}")


@pytest.mark.question("rotate_half", points=0.25)
def test_rotate_half(rope):
    """[x₁ | x₂] becomes [−x₂ | x₁]."""
    expect.close(
        rope.rotate_half(np.array([1.0, 2.0, 3.0, 4.0])), np.array([-3.0, -4.0, 1.0, 2.0]), "rotate_half([1, 2, 3, 4])"
    )
    expect.matches(rope.rotate_half, features(2, 3, 6))


@pytest.mark.question("apply_rope_half", points=0.5)
def test_apply_rope_half(rope):
    """In the half layout, pair i consists of features i and i + d/2."""
    expect.matches(rope.apply_rope_half, features(5, 6), np.arange(5))
    expect.matches(rope.apply_rope_half, features(2, 3, 6), np.array([4.0, -2.0, 0.5]), base=300.0)


@pytest.mark.question("interleaved_to_half", points=0.25)
def test_interleaved_to_half(rope):
    """The even features come first, then the odd ones."""
    expect.matches(rope.interleaved_to_half, np.arange(8.0))
    expect.matches(rope.interleaved_to_half, features(2, 3, 6))


@pytest.mark.question("half_to_interleaved", points=0.25)
def test_half_to_interleaved(rope):
    """half_to_interleaved is the inverse of interleaved_to_half."""
    expect.matches(rope.half_to_interleaved, np.arange(8.0))
    expect.matches(rope.half_to_interleaved, features(2, 3, 6))


@pytest.mark.question("rotation_matrix", points=0.4375)
def test_rotation_matrix(rope):
    """For each pair i, the diagonal of R_m has a 2 × 2 block that rotates by m·θ_i."""
    expect.matches(rope.rotation_matrix, 1, 2)
    expect.matches(rope.rotation_matrix, -3.5, 6, base=300.0)


@pytest.mark.question("rope_scores", points=0.5)
def test_scores(rope):
    """The scores are the rotated queries times the rotated keys, divided by √d."""
    expect.matches(rope.rope_scores, features(4, 6), features(5, 6, seed=1), np.arange(4), np.arange(5))
    expect.matches(
        rope.rope_scores, features(2, 3, 4), features(2, 3, 4, seed=1), np.array([5, 1, 9]), np.array([0, 0, 3])
    )
    expect.matches(
        rope.rope_scores, features(2, 4), features(3, 4, seed=1), np.array([5, 1]), np.array([0, 2, 3]), base=300.0
    )


@pytest.mark.question("rope_scores", points=1.0)
@given(seed=seeds(), m=positions(500), n=positions(500), shift=positions(500))
def test_scores_depend_on_the_offset_alone(rope, seed, m, n, shift):
    """If query and key shift together, the score does not change, but it does for a different offset; offset 0
    gives the plain score."""
    q, k = features(1, 8, seed=seed), features(1, 8, seed=seed + 1)
    score = rope.rope_scores(q, k, np.array([m]), np.array([n]))
    shifted = rope.rope_scores(q, k, np.array([m + shift]), np.array([n + shift]))
    expect.close(shifted, score, f"the score at ({m + shift}, {n + shift}) is that at ({m}, {n})")
    plain = rope.rope_scores(q, k, np.array([m]), np.array([m]))
    expect.close(
        plain, q @ k.T / np.sqrt(8), "a query and a key at the same position score as if they were not rotated"
    )
    ones = np.ones((1, 8))
    together, apart = (rope.rope_scores(ones, ones, np.array([m]), np.array([m + offset])) for offset in (0, 1))
    expect.holds(not np.allclose(together, apart), "the scores at the offsets 0 and 1 differ")


@pytest.mark.question("rope_attention", points=0.5)
def test_attention(rope):
    """Heads are consecutive blocks of columns; each head rotates q and k but not v; positions default to 0 … T−1."""
    weights = [features(6, 8, seed=seed) for seed in (1, 2, 3)]
    expect.matches(rope.rope_attention, features(4, 6), *weights, 4)
    expect.matches(rope.rope_attention, features(2, 5, 6), *weights, 2)
    expect.matches(rope.rope_attention, features(2, 4, 6), *weights, 4, np.array([3, 9, 10, 40]), causal=False)


@pytest.mark.question("rope_attention", points=0.25)
def test_attention_is_causal_by_row_order(rope):
    """Row t attends to rows 0 … t, even if their positions are in a different order."""
    weights = [features(6, 8, seed=seed) for seed in (1, 2, 3)]
    expect.matches(rope.rope_attention, features(4, 6), *weights, 2, np.array([9, 40, 3, 10]), base=300.0)


@pytest.mark.question("decode_step", points=0.5)
def test_decoding_token_by_token(rope):
    """Decoding one token at a time gives the rows of rope_attention; the caches grow by a rotated key and an
    unrotated value."""
    x, weights = features(4, 6), [features(6, 8, seed=seed) for seed in (1, 2, 3)]
    empty = np.zeros((2, 0, 4))
    out, cache_k, cache_v = expect.matches(rope.decode_step, x[:1], *weights, 2, empty, empty, 0)
    for t in (1, 2, 3):
        out, cache_k, cache_v = expect.matches(rope.decode_step, x[t : t + 1], *weights, 2, cache_k, cache_v, t)


@pytest.mark.question("decode_step", points=0.25)
def test_decoding_after_rows_were_dropped(rope):
    """The new token is at `position`, even if the cache has fewer rows."""
    w, cache = [features(6, 8, seed=seed) for seed in (1, 2, 3)], features(2, 3, 4, seed=4)
    expect.matches(rope.decode_step, features(1, 6), *w, 2, cache, features(2, 3, 4, seed=5), 5)
    batch = features(5, 2, 3, 4, seed=6)
    expect.matches(rope.decode_step, features(5, 1, 6), *w, 2, batch, features(5, 2, 3, 4, seed=7), 5, base=300.0)


@pytest.mark.question("apply_partial_rope", points=0.5)
def test_partial_rope(rope):
    """The first rotary_dim features rotate, with θ computed from rotary_dim; the others stay the same."""
    expect.matches(rope.apply_partial_rope, features(4, 8), np.arange(4), 6)
    expect.matches(rope.apply_partial_rope, features(2, 3, 6), np.array([9.0, -2.0, 0.5]), 6, base=300.0)


@pytest.mark.question("decay_bound", points=0.1875)
def test_decay_bound(rope):
    """The bound is the mean of the absolute values |S_1|, |S_2|, … of the partial sums, and it is largest at
    offset 0."""
    expect.close(rope.decay_bound(0, 4), 1.5, "decay_bound(0, 4) is (1 + 2)/2")
    expect.matches(rope.decay_bound, np.array([0.0, 1.0, 10.0, 100.0]), 8, base=300.0)


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("rope_frequencies", 6),
        case("rope_cos_sin", np.arange(3), 6),
        case("rotation_matrix", 3, 6),
        case("decay_bound", [0, 3], 6),
    ],
)
def test_tables_are_float64(rope, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(rope, function), *arguments)


@pytest.mark.question("apply_rope", points=0.125)
def test_dtype(rope):
    """float32 features stay float32, regardless of the positions; lists of whole numbers give float64."""
    expect.dtype(rope.apply_rope, features(3, 4, dtype=np.float32), np.arange(3.0))
    expect.dtype(rope.apply_rope, [[1, 0, 1, 0]], [1])


@pytest.mark.question("apply_rope", points=0.25)
def test_positions_fit_the_rows(rope):
    """Every row needs its own position: a single position raises a ValueError, although numpy would use it
    for all rows."""
    expect.answers(rope.apply_rope, features(5, 4), np.arange(5))
    expect.raises(ValueError, rope.apply_rope, features(5, 4), np.array([7]))
