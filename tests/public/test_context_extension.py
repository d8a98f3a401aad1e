"""Public tests for context extension: the values of each function, and the pairs that each method leaves
unchanged or slows down.

Each test's docstring states the rule that the test checks. The expected values are in
`expected/context_extension.json`.
"""

import numpy as np
import pytest
from hypothesis import given

from autograder.checks import expect
from autograder.checks.inputs import case, features, positions, seeds

# interpolate_positions


@pytest.mark.question("interpolate_positions", points=0.1875)
def test_interpolation_by_hand(context_extension):
    """With a factor of 4, position 4096 becomes position 1024."""
    squeezed = context_extension.interpolate_positions(np.array([0, 1, 4096]), 4)
    expect.close(squeezed, np.array([0.0, 0.25, 1024.0]), "the positions 0, 1 and 4096 at factor 4")


@pytest.mark.question("interpolate_positions", points=0.25)
def test_interpolated_positions(context_extension):
    """Every position, even a negative or fractional one, is divided by the factor, for a single number or an array."""
    expect.matches(context_extension.interpolate_positions, np.array([[-3.0, 0.5, 7.0], [100.0, 2.0, 0.0]]), 2.5)
    expect.matches(context_extension.interpolate_positions, 10, 8)


# ntk_base


@pytest.mark.question("ntk_base", points=0.25)
def test_ntk_slows_the_slowest_pair_by_the_factor(context_extension):
    """With eight features, the slowest pair rotates by base^(−6/8) per position; a factor of 4 divides this by 4."""
    base = context_extension.ntk_base(10000.0, 4.0, 8)
    expect.close(
        base ** (-6 / 8) / 10000.0 ** (-6 / 8), 0.25, "the slowest pair with the new base, relative to the old base"
    )


@pytest.mark.question("ntk_base", points=0.25)
def test_ntk_base(context_extension):
    """The base grows by the factor to the power of d/(d − 2)."""
    expect.matches(context_extension.ntk_base, 500.0, 2.5, 4)
    expect.matches(context_extension.ntk_base, 10000.0, 8, 64)


# dynamic_ntk_base


@pytest.mark.question("dynamic_ntk_base", points=0.25)
def test_dynamic_ntk_by_hand(context_extension):
    """With factor 2 at twice the trained length, the expression in brackets is 2·2 − 1 = 3."""
    base = context_extension.dynamic_ntk_base(10000.0, 8, 4096, 2048, 2.0)
    expect.close(base, 10000.0 * 3 ** (8 / 6), "the base for 4096 tokens after training on 2048, with factor 2")


@pytest.mark.question("dynamic_ntk_base", points=0.25)
def test_dynamic_ntk_leaves_short_texts_alone(context_extension):
    """A sequence no longer than the trained length keeps the trained base."""
    expect.matches(context_extension.dynamic_ntk_base, 10000.0, 8, 1536, 2048, 2.0)
    expect.matches(context_extension.dynamic_ntk_base, 10000.0, 8, 2048, 2048, 4.0)
    expect.holds(
        context_extension.dynamic_ntk_base(10000.0, 8, 4096, 2048, 4.0) != 10000.0, "a longer text has a different base"
    )


# rotations_in_context


@pytest.mark.question("rotations_in_context", points=0.1875)
def test_rotations_by_hand(context_extension):
    """Over 1024 tokens, the first of four pairs rotates by 1024 radians, and each later pair by a tenth of the
    previous one."""
    turns = context_extension.rotations_in_context(8, 1024)
    expect.close(turns, np.array([1024, 102.4, 10.24, 1.024]) / (2 * np.pi), "rotations of four pairs over 1024 tokens")


# yarn_frequencies


@pytest.mark.question("yarn_frequencies", points=0.4375)
def test_yarn_by_hand(context_extension):
    """In the lesson's example, low is 0, high is 3, and the ramp is 0, 1/3, 2/3, 1."""
    frequencies = context_extension.yarn_frequencies(8, 10000.0, 4.0, 1024)
    expect.close(frequencies, np.array([1, 0.075, 0.005, 0.00025]), "yarn_frequencies(8, 10000, 4, 1024)")


@pytest.mark.question("yarn_frequencies", points=0.5)
def test_yarn(context_extension):
    """Fast pairs are left unchanged and slow pairs are interpolated; between them, the pair index determines the
    mixture."""
    expect.matches(context_extension.yarn_frequencies, 32, 10000.0, 8.0, 4096)
    expect.matches(context_extension.yarn_frequencies, 16, 500.0, 2.5, 2000, beta_fast=8.0, beta_slow=2.0)


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_with_a_long_or_a_short_trained_context(context_extension):
    """The bound high is clamped to d − 1, so the ramp can end past the last pair; low is clamped to 0."""
    expect.matches(context_extension.yarn_frequencies, 16, 10000.0, 4.0, 131_072)
    expect.matches(context_extension.yarn_frequencies, 16, 10000.0, 4.0, 60)


# yarn_scale


@pytest.mark.question("yarn_scale", points=0.25)
def test_yarn_scale(context_extension):
    """The scale is one tenth of the natural logarithm of the factor, plus 1."""
    expect.matches(context_extension.yarn_scale, 40.0)
    expect.close(context_extension.yarn_scale(np.exp(2)), 1.2, "the scale at a factor of e²")


@pytest.mark.question("yarn_scale", points=0.25)
def test_yarn_scale_where_nothing_is_extended(context_extension):
    """If the factor is 1 or less, the scale is 1."""
    expect.matches(context_extension.yarn_scale, 0.5)
    expect.matches(context_extension.yarn_scale, 1)
    expect.holds(context_extension.yarn_scale(16.0) != 1, "a factor of 16 needs one")


# llama3_frequencies


@pytest.mark.question("llama3_frequencies", points=0.4375)
def test_llama3_by_hand(context_extension):
    """In the lesson's example, two pairs are unchanged, one is mixed according to its number of rotations, and
    one is interpolated."""
    frequencies = context_extension.llama3_frequencies(8, base=10000.0, factor=4.0, trained_len=1024)
    share = (10.24 / (2 * np.pi) - 1) / 3
    blended = (1 - share) * 0.0025 + share * 0.01
    expect.close(frequencies, np.array([1, 0.1, blended, 0.00025]), "four pairs over 1024 tokens, with factor 4")


@pytest.mark.question("llama3_frequencies", points=0.25)
def test_llama3(context_extension):
    """The mixture depends on the number of rotations, from low_freq_factor to high_freq_factor."""
    expect.matches(context_extension.llama3_frequencies, 24)
    expect.matches(context_extension.llama3_frequencies, 12, 500.0, 3.0, 2.0, 20.0, 1000)


# longrope_frequencies


@pytest.mark.question("longrope_frequencies", points=0.1875)
def test_longrope_by_hand(context_extension):
    """Each pair is slowed down by its own divisor."""
    frequencies = context_extension.longrope_frequencies(8, np.array([1.0, 1.0, 2.0, 4.0]))
    expect.close(frequencies, np.array([1, 0.1, 0.005, 0.00025]), "the divisors 1, 1, 2 and 4")


# longrope_scale


@pytest.mark.question("longrope_scale", points=0.25)
def test_longrope_scale(context_extension):
    """The scale is the square root of the factor by which the logarithm of the length grows."""
    expect.matches(context_extension.longrope_scale, 32.0, 4096)
    expect.close(
        context_extension.longrope_scale(4, 4096) ** 2, 14 / 12, "from 2^12 to 2^14 tokens, the square is 14/12"
    )


@pytest.mark.question("longrope_scale", points=0.25)
def test_longrope_scale_where_nothing_is_extended(context_extension):
    """If the factor is 1 or less, the scale is 1."""
    expect.matches(context_extension.longrope_scale, 0.5, 4096)
    expect.matches(context_extension.longrope_scale, 1, 4096)
    expect.holds(context_extension.longrope_scale(16.0, 4096) != 1, "a factor of 16 needs one")


# apply_rope_with


@pytest.mark.question("apply_rope_with", points=0.375)
def test_apply_rope_with_by_hand(context_extension):
    """At position 2 and frequency 1/2, a pair rotates by one radian; a scale of 2 makes it twice as long."""
    turned = context_extension.apply_rope_with(
        np.array([[1.0, 0.0, 0.0, 3.0]]), np.array([2]), np.array([0.5, 0.0]), scale=2.0
    )
    expected = np.array([[2 * np.cos(1), 2 * np.sin(1), 0.0, 6.0]])
    expect.close(turned, expected, "a pair that rotates by a radian and a pair that does not rotate, both scaled")


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with(context_extension):
    """Pair i of row t, features 2i and 2i + 1, rotates by positions[t]·frequencies[i]."""
    expect.matches(context_extension.apply_rope_with, features(4, 6), np.arange(4), np.array([1.0, 0.25, 0.01]))
    where = np.array([7.0, -2.5, 30.0])
    expect.matches(context_extension.apply_rope_with, features(2, 3, 4), where, np.array([0.5, 0.125]), 1.25)


@pytest.mark.question("apply_rope_with", points=0.25)
def test_scale_at_position_zero(context_extension):
    """At position 0, nothing rotates, but the scale still applies once."""
    x, frequencies = features(3, 4), np.array([1.0, 0.5])
    expect.matches(context_extension.apply_rope_with, x, np.ones(3), frequencies, 1.5)
    still = context_extension.apply_rope_with(x, np.zeros(3), frequencies, 1.5)
    expect.close(still, 1.5 * x, "rows at position 0 are only scaled")


@pytest.mark.question("apply_rope_with", points=0.25)
@given(seed=seeds(), m=positions(500), n=positions(500), shift=positions(500))
def test_any_frequencies_keep_scores_relative(context_extension, seed, m, n, shift):
    """Whatever the frequencies are, a score depends only on n − m, and it is multiplied by the square of the scale."""
    rows, frequencies = features(2, 4, seed=seed), np.array([0.75, 0.03125])

    def score(q_position, k_position):
        return np.vdot(*context_extension.apply_rope_with(rows, np.array([q_position, k_position]), frequencies, 1.25))

    expect.close(
        score(m + shift, n + shift), score(m, n), f"the score at ({m + shift}, {n + shift}) is that at ({m}, {n})"
    )
    expect.close(score(m, m), 1.25**2 * np.vdot(*rows), "at the same position, it is the plain score times scale²")
    rows = np.array([[3.0, 1.0, 2.0, 1.0], [2.0, 1.0, 3.0, 2.0]])
    expect.holds(not np.isclose(score(m, m + 1), score(m, m)), "another offset has a different score")


@pytest.mark.question("apply_rope_with", points=0.125)
def test_every_row_needs_a_position(context_extension):
    """Every row needs its own position: one position for several rows raises a ValueError."""
    frequencies = np.array([1.0, 0.25])
    expect.answers(context_extension.apply_rope_with, features(3, 4), np.arange(3), frequencies)
    expect.raises(ValueError, context_extension.apply_rope_with, features(3, 4), np.arange(1), frequencies)


# rerope_scores


@pytest.mark.question("rerope_scores", points=0.375)
def test_rerope_by_hand(context_extension):
    """With a window of 2 and an infinite factor, a key 10 positions back has the distance 2; with a factor of
    4, it has 2 + 8/4."""
    one, query, key = np.array([[1.0, 0.0]]), np.array([10]), np.array([0])
    got = [context_extension.rerope_scores(one, one, query, key, 2, factor) for factor in (np.inf, 4)]
    expect.close(np.ravel(got), np.cos([2.0, 4.0]) / np.sqrt(2), "the scores with factor ∞ and with factor 4")


@pytest.mark.question("rerope_scores", points=0.5)
def test_rerope(context_extension):
    """A near key uses its distance, and a far key uses the window plus a share of the rest; a negative distance
    stays the same."""
    q, k = features(2, 3, 6), features(2, 5, 6, seed=1)
    expect.matches(context_extension.rerope_scores, q, k, np.array([7, 20, 90]), np.arange(5), 8)
    expect.matches(context_extension.rerope_scores, q, k, np.array([7, 20, 90]), np.arange(5), 8, 4, 500.0)
    expect.matches(context_extension.rerope_scores, q, k, np.array([7, 20, 90]), np.array([0, 9, 30, 95, 120]), 8)


@pytest.mark.question("rerope_scores", points=0.25)
@given(seed=seeds(), window=positions(20), distance=positions(400))
def test_far_keys_stand_at_the_window(context_extension, seed, window, distance):
    """With an infinite factor, every far key scores like a key at the window, and nearer keys score as with plain
    RoPE."""
    window, rows = window + 2, features(2, 4, seed=seed)
    q, k = rows[:1], rows[1:]

    def score(back, window):
        return context_extension.rerope_scores(q, k, np.array([back + 5]), np.array([5]), window)

    pairs = (q[0, ::2] + 1j * q[0, 1::2]) * (k[0, ::2] - 1j * k[0, 1::2])
    for back, used in ((window + distance, window), (window - 1, window - 1)):
        expected = (pairs * np.exp(1j * used * np.array([1.0, 0.01]))).real.sum() / 2
        expect.close(score(back, window), np.array([[expected]]), f"a key {back} back scores as one {used} back")


@pytest.mark.question("rerope_scores", points=0.125)
def test_rerope_needs_a_position_for_each_key(context_extension):
    """Every query and every key needs its own position: one position for several rows raises a ValueError."""
    q, k = features(3, 4), features(5, 4, seed=1)
    expect.answers(context_extension.rerope_scores, q, k, np.arange(3), np.arange(5), 2)
    expect.raises(ValueError, context_extension.rerope_scores, q, k, np.arange(3), np.arange(1), 2)
    expect.raises(ValueError, context_extension.rerope_scores, q, k, np.arange(1), np.arange(5), 2)


# lowest_similarity


@pytest.mark.question("lowest_similarity", points=0.25)
def test_similarity_by_hand(context_extension):
    """For two pairs over four tokens, the smallest mean cosine is at distance 3."""
    got = [context_extension.lowest_similarity(length, 4) for length in (1, 4)]
    expect.close(np.array(got), np.array([1.0, (np.cos(3) + np.cos(0.03)) / 2]), "lengths 1 and 4 with 4 features")


@pytest.mark.question("lowest_similarity", points=0.25)
def test_similarity(context_extension):
    """lowest_similarity is the smallest mean cosine among all distances below the length, for any size and base."""
    expect.matches(context_extension.lowest_similarity, 300, 16, 500.0)
    expect.matches(context_extension.lowest_similarity, 4096, 128, 10000.0)


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("interpolate_positions", np.arange(5), 3),
        case("rotations_in_context", 6, 100),
        case("yarn_frequencies", 6, 10000.0, 4.0, 100),
        case("llama3_frequencies", 6),
        case("longrope_frequencies", 6, np.array([1.0, 1.5, 3.0])),
    ],
)
def test_tables_are_float64(context_extension, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(context_extension, function), *arguments)
