"""Hidden tests for context extension: every frequency compared with its formula, and the properties that each
method preserves.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

A slow pair rotates by about 10⁻⁶ radians per position, so an error of 10⁻⁸ is one percent. Frequencies are
therefore also compared by their ratio to θ_i, which is 1 for an unchanged pair and 1/factor for an interpolated
pair.

The formulas are reimplemented here, pair by pair, so that they share no code with the solution. YaRN's bounds are
rounded to whole pairs, so rounding errors determine a bound if dim(β) is almost a whole number; a random dim(β)
comes that close only about once in 10¹² draws. LENGTHS and BASES keep YaRN's bounds in order: dim(beta_slow) is
above 0, and dim(beta_fast) below d − 1.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, positions, seeds

HEAD_DIMS = st.sampled_from([4, 6, 32, 64])
FACTORS = st.floats(1.5, 64)
LENGTHS = st.integers(128, 200_000)
BASES = st.floats(5e3, 1e6)

FAR = 1e-7
"""Rounding a position or a frequency changes angles of up to 10⁶ radians by up to about 1e−10; in float32, angles
would change by 0.06."""


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def theta(head_dim, base):
    return np.array([base ** (-2 * i / head_dim) for i in range(head_dim // 2)])


def yarn_ratios(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """Return the ratio of YaRN's frequency to θ_i for each pair, computed from the definition: part of the
    frequency is interpolated, and the rest is unchanged."""
    dim_fast, dim_slow = (
        head_dim * math.log(trained_len / (2 * math.pi * beta)) / (2 * math.log(base))
        for beta in (beta_fast, beta_slow)
    )
    low, high = max(math.floor(dim_fast), 0), min(math.ceil(dim_slow), head_dim - 1)
    shares = [min(max((i - low) / (high - low), 0), 1) for i in range(head_dim // 2)]
    return np.array([(1 - share) + share / factor for share in shares])


def llama3_ratios(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len):
    """Return the ratio of Llama 3.1's frequency to θ_i for each pair, following the three cases of its reference
    code."""
    ratios = []
    for frequency in theta(head_dim, base):
        wavelength = 2 * math.pi / frequency
        smooth = (trained_len / wavelength - low_freq_factor) / (high_freq_factor - low_freq_factor)
        if wavelength < trained_len / high_freq_factor:
            ratios.append(1.0)
        elif wavelength > trained_len / low_freq_factor:
            ratios.append(1 / factor)
        else:
            ratios.append((1 - smooth) / factor + smooth)
    return np.array(ratios)


# interpolate_positions


@pytest.mark.question("interpolate_positions", points=0.5)
@given(seed=seeds(), factor=FACTORS, start=positions(100))
def test_slower_pairs_or_closer_positions(context_extension, seed, factor, start):
    """Dividing all positions by the factor is the same as dividing all frequencies by it."""
    x, where, frequencies = features(3, 6, seed=seed), np.arange(start, start + 3), np.array([1.0, 0.125, 0.0078125])
    interpolated = context_extension.interpolate_positions(where, factor)
    closer = context_extension.apply_rope_with(x, interpolated, frequencies)
    slower = context_extension.apply_rope_with(x, where, frequencies / factor)
    tolerance = expect.precision(interpolated)
    expect.close(closer, slower, "interpolated positions are the same as interpolated frequencies", tolerance)
    expect.close(interpolated * factor, 1.0 * where, "the factor restores the position", tolerance)


# ntk_base


@pytest.mark.question("ntk_base", points=0.5)
@given(base=BASES, factor=FACTORS, head_dim=HEAD_DIMS)
def test_ntk_slows_pair_by_pair(context_extension, base, factor, head_dim):
    """Pair i is slowed down by factor^(2i/(d − 2)), so the fastest pair is unchanged and the slowest is slowed
    down by the whole factor."""
    raised = context_extension.ntk_base(base, factor, head_dim)
    expect.close(raised / base, factor ** (head_dim / (head_dim - 2)), "the base grows by factor^(d/(d − 2))")
    slowed = theta(head_dim, base) / theta(head_dim, raised)
    expected = np.array([factor ** (2 * i / (head_dim - 2)) for i in range(head_dim // 2)])
    expect.close(slowed, expected, "pair i is slowed down by factor^(2i/(d − 2))")


# dynamic_ntk_base


@pytest.mark.question("dynamic_ntk_base", points=0.5)
@given(base=BASES, factor=st.floats(1, 64), head_dim=HEAD_DIMS, trained_len=LENGTHS, further=st.floats(0.01, 30))
def test_dynamic_ntk_grows_with_the_text(context_extension, base, factor, head_dim, trained_len, further):
    """The expression in brackets is factor·L/L₀ − (factor − 1); for a factor of 1, it is L/L₀."""
    seq_len = trained_len + math.ceil(further * trained_len)
    bracket = 1 + factor * (seq_len - trained_len) / trained_len
    dynamic = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    expect.close(dynamic / base, bracket ** (head_dim / (head_dim - 2)), "the base follows the length of the text")
    plain = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, 1)
    expect.close(
        plain / base, (seq_len / trained_len) ** (head_dim / (head_dim - 2)), "with factor 1, the brackets contain L/L₀"
    )


@pytest.mark.question("dynamic_ntk_base", points=0.5)
def test_dynamic_ntk_changes_no_short_text(context_extension, rng):
    """Up to the trained length, the base equals the trained base, regardless of the factor; with one more token,
    the base grows."""
    base, trained_len = float(rng.uniform(1e3, 1e6)), int(rng.integers(100, 5000))
    for seq_len in (1, trained_len // 2, trained_len - 1, trained_len):
        for factor in (1, 2.5, 40.0):
            # The expression in brackets is 1 up to the rounding of factor − (factor − 1).
            expected = expect.matches(
                context_extension.dynamic_ntk_base, base, 8, seq_len, trained_len, factor, tolerance=1e-9
            )
            expect.close(expected, base, "a text that fits keeps the trained base", 1e-9)
    expect.matches(context_extension.dynamic_ntk_base, base, 8, trained_len + 1, trained_len, 40.0)
    for small in (0.5, 1.0):
        expect.matches(context_extension.dynamic_ntk_base, small, 8, 3 * trained_len, trained_len, 2.0)


# rotations_in_context


@pytest.mark.question("rotations_in_context", points=0.25)
def test_rotations_of_any_size(context_extension, rng):
    """rotations_in_context is L₀ divided by the wavelength of each pair, in float64."""
    for head_dim in (2, 4, 128):
        base, trained_len = float(rng.uniform(2, 1e6)), int(rng.integers(1, 10**6))
        turns = expect.matches(context_extension.rotations_in_context, head_dim, trained_len, base)
        wavelengths = np.array([2 * math.pi * base ** (2 * i / head_dim) for i in range(head_dim // 2)])
        share = turns * wavelengths / trained_len
        says = "rotations times wavelength is the trained length"
        expect.close(share, np.ones(head_dim // 2), says, expect.precision(turns))
    expect.matches(context_extension.rotations_in_context, 10, 4096)
    expect.matches(context_extension.rotations_in_context, 10, 1)
    for base in (0.5, 1.0):
        expect.matches(context_extension.rotations_in_context, 10, 4096, base)


# yarn_frequencies


@pytest.mark.question("yarn_frequencies", points=0.75)
@given(
    head_dim=HEAD_DIMS,
    base=BASES,
    factor=FACTORS,
    trained_len=LENGTHS,
    betas=st.tuples(st.floats(1, 16), st.floats(0, 40)),
)
@example(head_dim=64, base=10000.0, factor=8.0, trained_len=131_072, betas=(1.0, 31.0))
def test_yarn_of_any_parameters(context_extension, head_dim, base, factor, trained_len, betas):
    """Pairs up to low keep θ_i, pairs from high on get θ_i/factor, and between them, the mixture changes linearly
    with the pair index."""
    beta_slow, beta_fast = betas[0], betas[0] + betas[1]
    frequencies = expect.matches(
        context_extension.yarn_frequencies, head_dim, base, factor, trained_len, beta_fast, beta_slow
    )
    expected = yarn_ratios(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    says = "each pair is slowed down by its share of the factor"
    expect.close(frequencies / theta(head_dim, base), expected, says, expect.precision(frequencies))


@pytest.mark.question("yarn_frequencies", points=0.5)
def test_yarn_clamps_high_at_the_features(context_extension):
    """The bound high is clamped to d − 1, not to d/2 − 1, so with a long trained length, the last pair is not
    fully interpolated."""
    for head_dim, trained_len in ((64, 131_072), (16, 100_000), (6, 20_000)):
        frequencies = expect.matches(context_extension.yarn_frequencies, head_dim, 10000.0, 8.0, trained_len)
        expected = yarn_ratios(head_dim, 10000.0, 8.0, trained_len)
        expect.close(
            frequencies / theta(head_dim, 10000.0),
            expected,
            "the ramp ends beyond the last pair",
            expect.precision(frequencies),
        )
    # Here, dim(beta_slow) is 7.49 and dim(beta_fast) is 1.49; the formula gives 8 for high, which is clamped to 7.
    expect.matches(context_extension.yarn_frequencies, 8, 100.0, 8.0, 35_000, beta_fast=1000.0)


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_clamps_low_at_zero(context_extension):
    """With a short trained length, low is 0, and the fastest pair is unchanged."""
    for head_dim, trained_len in ((64, 10), (8, 100), (6, 201)):
        frequencies = expect.matches(context_extension.yarn_frequencies, head_dim, 10000.0, 4.0, trained_len)
        expected = yarn_ratios(head_dim, 10000.0, 4.0, trained_len)
        expect.close(
            frequencies / theta(head_dim, 10000.0), expected, "the ramp begins at pair 0", expect.precision(frequencies)
        )


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_divides_nothing_by_zero(context_extension):
    """If low and high are the same pair, that pair is unchanged, and all later pairs are interpolated."""
    # At beta_slow rotations over the trained length, pair 0 is at high. If rounding makes it pair 1, the ramp is
    # the same.
    frequencies = expect.matches(context_extension.yarn_frequencies, 8, 10000.0, 4.0, 100, 40.0, 50 / math.pi)
    expect.close(
        frequencies / theta(8, 10000.0), np.array([1, 0.25, 0.25, 0.25]), "pair 0 is kept, the others interpolated"
    )


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_by_default(context_extension):
    """The default bounds are 32 rotations and 1 rotation; a factor of 16 changes the frequencies, which are
    float64, and a factor of 1 does not."""
    expect.matches(context_extension.yarn_frequencies, 128, 500000, 16, 8192)
    for trained_len in (4700, 4840):  # dim(32) is just below 11, then just above it
        frequencies = context_extension.yarn_frequencies(64, 10000.0, 16.0, trained_len)
        expected = yarn_ratios(64, 10000.0, 16.0, trained_len)
        tolerance = expect.precision(frequencies)
        expect.close(frequencies / theta(64, 10000.0), expected, "32 rotations are fast, 1 is slow", tolerance)
    expect.matches(context_extension.yarn_frequencies, 2, 10000.0, 4.0, 4096)
    same = context_extension.yarn_frequencies(64, 10000.0, 1, 4096)
    expect.close(same / theta(64, 10000.0), np.ones(32), "a factor of 1 keeps every pair", expect.precision(same))


# yarn_scale


@pytest.mark.question("yarn_scale", points=0.25)
def test_yarn_scale_of_any_factor(context_extension, rng):
    """The scale is 0.1·ln(factor) + 1, but never below 1, so ten times the factor adds 0.1·ln 10."""
    for factor in (1.5, 2, float(rng.uniform(3, 1000))):
        scale = expect.matches(context_extension.yarn_scale, factor)
        more = context_extension.yarn_scale(10 * factor) - scale
        expect.close(more, 0.1 * math.log(10), "ten times the factor adds ln 10/10")
    for factor in (1.0, 0.99, 0.1, 0.0):
        expect.close(context_extension.yarn_scale(factor), 1.0, "if nothing is extended, the scale is 1")
    expect.close(context_extension.yarn_scale(-2), 1.0, "a factor may be any number, and below 1, nothing is extended")


# llama3_frequencies


@pytest.mark.question("llama3_frequencies", points=0.75)
@given(
    head_dim=HEAD_DIMS,
    base=BASES,
    factor=FACTORS,
    bounds=st.tuples(st.floats(0.5, 8), st.floats(0.25, 30)),
    trained_len=LENGTHS,
)
def test_llama3_of_any_parameters(context_extension, head_dim, base, factor, bounds, trained_len):
    """Pairs with many rotations are unchanged, pairs with few are interpolated, and pairs in between are mixed
    without a jump."""
    low, high = bounds[0], bounds[0] + bounds[1]
    frequencies = expect.matches(context_extension.llama3_frequencies, head_dim, base, factor, low, high, trained_len)
    expected = llama3_ratios(head_dim, base, factor, low, high, trained_len)
    says = "each pair is slowed down by its share of the factor"
    expect.close(frequencies / theta(head_dim, base), expected, says, expect.precision(frequencies))


@pytest.mark.question("llama3_frequencies", points=0.25)
def test_llama3_by_default(context_extension):
    """The default parameters are those of Llama 3.1; a factor of 8 changes the frequencies, which are float64,
    and a factor of 1 does not."""
    frequencies = context_extension.llama3_frequencies(128)
    expected = llama3_ratios(128, 500000.0, 8.0, 1.0, 4.0, 8192)
    tolerance = expect.precision(frequencies)
    expect.close(frequencies / theta(128, 500000.0), expected, "the frequencies of Llama 3.1 8B", tolerance)
    same = context_extension.llama3_frequencies(64, factor=1)
    expect.close(same / theta(64, 500000.0), np.ones(32), "a factor of 1 keeps every pair", tolerance)
    expect.matches(context_extension.llama3_frequencies, 2, 10000, 4, 1, 4, 20)
    for base in (0.5, 1.0):
        expect.matches(context_extension.llama3_frequencies, 8, base, trained_len=12)


# longrope_frequencies


@pytest.mark.question("longrope_frequencies", points=0.5)
def test_longrope_holds_the_other_methods(context_extension, rng):
    """Equal divisors give position interpolation, divisors of factor^(2i/(d − 2)) give NTK-aware scaling, and
    divisors of 1 change nothing."""
    for head_dim in (4, 6, 64):
        base, factor, pairs = float(rng.uniform(1e3, 1e6)), float(rng.uniform(1.5, 64)), np.arange(head_dim // 2)
        plain = context_extension.longrope_frequencies(head_dim, np.ones(len(pairs)), base)
        ones, tolerance = np.ones(len(pairs)), expect.precision(plain)
        expect.close(plain / theta(head_dim, base), ones, "divisors of 1 keep every pair", tolerance)
        interpolated = context_extension.longrope_frequencies(head_dim, np.full(len(pairs), factor), base)
        says = "equal divisors give position interpolation"
        expect.close(interpolated * factor / plain, ones, says, tolerance)
        aware = context_extension.longrope_frequencies(head_dim, factor ** (2 * pairs / (head_dim - 2)), base)
        raised = theta(head_dim, base * factor ** (head_dim / (head_dim - 2)))
        expect.close(aware / raised, ones, "the divisors factor^(2i/(d − 2)) give NTK-aware scaling", tolerance)


@pytest.mark.question("longrope_frequencies", points=0.25)
def test_longrope_needs_a_divisor_for_each_pair(context_extension):
    """Every pair needs its own divisor: a single divisor for all pairs raises a ValueError."""
    expect.answers(context_extension.longrope_frequencies, 8, np.ones(4))
    expect.raises(ValueError, context_extension.longrope_frequencies, 8, np.ones(1))


# longrope_scale


@pytest.mark.question("longrope_scale", points=0.25)
def test_longrope_scale_of_any_factor(context_extension, rng):
    """The scale is √(1 + ln(factor)/ln(L₀)), but never below 1; its square is the factor by which the logarithm
    of the length grows."""
    for trained_len in (2, 4096, int(rng.integers(100, 10**6))):
        for factor in (1.5, 2, float(rng.uniform(3, 1000))):
            scale = expect.matches(context_extension.longrope_scale, factor, trained_len)
            grown = math.log2(factor * trained_len) / math.log2(trained_len)
            expect.close(scale**2, grown, "the square is ln(factor·L₀)/ln(L₀)")
        for factor in (1.0, 0.99, 0.1, 0.0, -2):
            expect.close(
                context_extension.longrope_scale(factor, trained_len), 1.0, "if nothing is extended, the scale is 1"
            )


# apply_rope_with


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_any_leading_axes(context_extension, rng):
    """Any leading axes, any number of rows and pairs, any frequencies and any scale are allowed."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 2, 6), (1, 2)):
        where, frequencies = rng.uniform(-100, 100, shape[-2]), rng.uniform(0, 1, shape[-1] // 2)
        expect.matches(context_extension.apply_rope_with, normal(rng, *shape), where, frequencies)
        expect.matches(
            context_extension.apply_rope_with, normal(rng, *shape), where, frequencies, float(rng.uniform(1, 2))
        )


@pytest.mark.question("apply_rope_with", points=0.125)
def test_apply_rope_with_dtype(context_extension, rng):
    """float32 features give float32, regardless of the positions and frequencies; all other features give float64."""
    x, frequencies = normal(rng, 3, 8), rng.uniform(0, 1, 4)
    expect.dtype(context_extension.apply_rope_with, x.astype(np.float32), np.arange(3), frequencies)
    expect.dtype(context_extension.apply_rope_with, x.astype(np.float32), np.arange(3.0), frequencies, 1.25)
    expect.dtype(context_extension.apply_rope_with, x, np.arange(3), frequencies)
    expect.dtype(context_extension.apply_rope_with, np.arange(24).reshape(3, 8), np.arange(3), frequencies, 1.25)


@pytest.mark.question("apply_rope_with", points=0.125)
def test_apply_rope_with_computes_angles_in_float64(context_extension, rng):
    """Even far along the sequence, float32 features rotate by the correct angle, and no argument is modified."""
    x, where = normal(rng, 4, 8, dtype=np.float32), rng.integers(10**5, 10**6, 4)
    expect.unchanged(context_extension.apply_rope_with, x, where, rng.uniform(0, 1, 4))
    expect.unchanged(
        context_extension.apply_rope_with, normal(rng, 2, 4, 6), rng.uniform(0, 9, 4), rng.uniform(0, 1, 3), 1.5
    )


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_does_not_loop_over_rows(context_extension):
    """All rows are rotated at once, without a loop."""
    expect.vectorised(
        context_extension.apply_rope_with,
        lambda length: (features(2, length, 4), np.arange(length), np.array([1.0, 0.5]), 1.5),
    )


@pytest.mark.question("apply_rope_with", points=0.75)
@given(seed=seeds(), m=positions(), n=positions(), scale=st.floats(0.5, 3))
def test_scaled_turns_add_up(context_extension, seed, m, n, scale):
    """Up to position 10⁶, rotations by m and by n equal one rotation by m + n, and each multiplies a row's length
    by the scale."""
    x, frequencies = features(1, 6, seed=seed), np.array([1.0, 0.3, 0.007])
    twice = context_extension.apply_rope_with(x, np.array([m]), frequencies, scale)
    twice = context_extension.apply_rope_with(twice, np.array([n]), frequencies, scale)
    expect.close(
        twice, scale**2 * context_extension.apply_rope_with(x, np.array([m + n]), frequencies), "rotations add up", FAR
    )
    expect.close(np.linalg.norm(twice), scale**2 * np.linalg.norm(x), "each rotation scales the norm", FAR)
    once = context_extension.apply_rope_with(3 + x, np.array([1]), frequencies, scale)
    expect.holds(not np.isclose(once / scale, 3 + x).any(), "at position 1, every pair is rotated")


# rerope_scores


@pytest.mark.question("rerope_scores", points=0.5)
def test_rerope_of_any_shape(context_extension, rng):
    """The scores are correct for leading axes that broadcast, more keys than queries, any positions and any window."""
    for lead, factor in (((), np.inf), ((3,), 1.0), ((2, 3), float(rng.uniform(1.5, 9)))):
        q, k = normal(rng, *lead, 4, 6), normal(rng, 7, 6)
        where = np.sort(rng.uniform(0, 60, 7))
        expect.matches(context_extension.rerope_scores, q, k, where[-4:], where, float(rng.uniform(3, 20)), factor)
    q, k = normal(rng, 2, 5, 8), normal(rng, 2, 5, 8)
    expect.matches(context_extension.rerope_scores, q, k, np.arange(5), np.arange(5), 2, 3, float(rng.uniform(50, 900)))


@pytest.mark.question("rerope_scores", points=1)
@given(seed=seeds(), window=st.integers(2, 30), factor=st.floats(1, 32), beyond=st.integers(0, 3000), shift=positions())
def test_a_far_key_is_rotated_by_a_smaller_distance(context_extension, seed, window, factor, beyond, shift):
    """Up to the window, a distance grows by 1 per position; beyond the window, it grows by only 1/factor,
    regardless of the positions."""
    q, k = features(2, 1, 4, seed=seed)
    for distance in (window - 1, window, window + beyond):
        smaller = distance if distance < window else window + (distance - window) / factor
        pairs = (q[0, ::2] + 1j * q[0, 1::2]) * (k[0, ::2] - 1j * k[0, 1::2])
        expected = (pairs * np.exp(1j * smaller * theta(4, 10000.0))).real.sum() / 2
        got = context_extension.rerope_scores(q, k, np.array([shift + distance]), np.array([shift]), window, factor)
        expect.close(got, np.array([[expected]]), "the score at the smaller distance", FAR)


@pytest.mark.question("rerope_scores", points=0.25)
def test_rerope_leaves_what_plain_rope_has(context_extension, rng):
    """With an infinite window or a factor of 1, the scores equal those of plain RoPE; the distance of a later key
    stays the same."""
    q, k = normal(rng, 6, 8), normal(rng, 6, 8)
    where = np.arange(6)
    turned = [(rows[:, ::2] + 1j * rows[:, 1::2]) * np.exp(1j * np.outer(where, theta(8, 10000.0))) for rows in (q, k)]
    plain = (turned[0] @ turned[1].conj().T).real / np.sqrt(8)
    for window, factor in ((np.inf, np.inf), (np.inf, 3.0), (2, 1.0)):
        got = context_extension.rerope_scores(q, k, where, where, window, factor)
        expect.close(got, plain, "plain RoPE")
    got = context_extension.rerope_scores(q, k, where, where, 2)
    expect.close(got[where[:, None] <= where], plain[where[:, None] <= where], "keys at and after the query")


@pytest.mark.question("rerope_scores", points=0.25)
def test_rerope_does_not_loop(context_extension):
    """All pairs of tokens are scored at once, without a loop."""
    expect.vectorised(
        context_extension.rerope_scores,
        lambda length: (features(length, 4), features(length, 4, seed=1), np.arange(length), np.arange(length), 3, 2),
    )


# lowest_similarity


@pytest.mark.question("lowest_similarity", points=0.5)
def test_similarity_of_any_size(context_extension, rng):
    """lowest_similarity is the smallest mean cosine over the distances from 0 to length − 1, for one distance
    or many."""
    for head_dim in (2, 6, 64):
        expect.matches(
            context_extension.lowest_similarity, int(rng.integers(2, 900)), head_dim, float(rng.uniform(20, 1e5))
        )
    expect.matches(context_extension.lowest_similarity, 70_000, 4, 1e10)


@pytest.mark.question("lowest_similarity", points=0.5)
@given(length=st.integers(2, 400), further=st.integers(1, 300), base=st.floats(20, 1e6))
def test_similarity_falls_with_the_length(context_extension, length, further, base):
    """lowest_similarity never increases with the length; for a text of only a few tokens, it is the similarity at
    the last distance."""
    expected = [np.mean([math.cos(m * frequency) for frequency in theta(8, base)]) for m in range(length + further)]
    got = [context_extension.lowest_similarity(size, 8, base) for size in (length, length + further, 3)]
    expected = np.array([min(expected[:length]), min(expected), min(expected[:3])])
    expect.close(np.array(got), expected, "the smallest over all distances")


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "interpolated_position_8191_factor_4",
        "ntk_keeps_fastest_frequency",
        "dynamic_ntk_changes_short_inputs",
        "yarn_scale_16",
    ],
)
def test_answer(context_extension, key):
    """Every question has one correct answer."""
    expect.answer(context_extension, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "pairs_with_a_rotation_in_8192",
        "llama_3_1_length_over_trained",
        "leaky_distance_of_a_key_100_back",
    ],
)
def test_practice_answer(context_extension, key):
    """This question is for practice and earns no points."""
    expect.answer(context_extension, key)
