"""Context extension, the full suite: every frequency against its formula, what each method keeps, errors, dtype, loops.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.

A slow pair turns by 10⁻⁶ radian or so a position, where an error of 10⁻⁸ is one in a hundred. So frequencies are also
compared by their ratio to θ_i, which is 1 for a pair that is kept and 1/factor for one that is interpolated.

The formulas below are written out a second time, pair by pair, so that they share nothing with the solution. The bounds
of YaRN are rounded to whole pairs, so a dim(β) within rounding of a whole number could fall either way. Drawn at
random, one comes as near as that once in 10¹² times. LENGTHS and BASES keep YaRN's bounds in order: dim(beta_slow) is
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
"""Angles up to 10⁶ radians are off by up to 1e−10 or so, by each rounding of the position and of the frequency; float32
would be off by 0.06."""


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def theta(head_dim, base):
    return np.array([base ** (-2 * i / head_dim) for i in range(head_dim // 2)])


def yarn_ratios(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """YaRN's frequencies over θ_i, from the definition: a share of the pair is interpolated, and the rest of it is
    kept."""
    dim_fast, dim_slow = (
        head_dim * math.log(trained_len / (2 * math.pi * beta)) / (2 * math.log(base))
        for beta in (beta_fast, beta_slow)
    )
    low, high = max(math.floor(dim_fast), 0), min(math.ceil(dim_slow), head_dim - 1)
    shares = [min(max((i - low) / (high - low), 0), 1) for i in range(head_dim // 2)]
    return np.array([(1 - share) + share / factor for share in shares])


def llama3_ratios(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len):
    """Llama 3.1's frequencies over θ_i, in the three cases of its reference code."""
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


def refuses_base(function, arguments):
    """`arguments(base)` makes a call that is good but for its base."""
    for base in (0.0, -10.0, np.inf, np.nan):
        expect.raises(ValueError, function, *arguments(base), mentions=base)


def refuses_head_dim(function, arguments, bad=(0, -2, 1, 7)):
    """`arguments(head_dim)` makes a call that is good but for its head_dim."""
    for head_dim in bad:
        expect.raises(ValueError, function, *arguments(head_dim), mentions=head_dim)


def refuses_factor(function, arguments):
    """`arguments(factor)` makes a call that is good but for its factor."""
    for factor in (0.99, 0.5, 0.0, -2.0):
        expect.raises(ValueError, function, *arguments(factor), mentions=factor)


# interpolate_positions


@pytest.mark.question("interpolate_positions", points=0.25)
def test_interpolation_as_an_array_function(context_extension, rng):
    """Positions of any shape come back as float64, divided; the argument is left as it was."""
    for shape in ((), (5,), (2, 3, 4)):
        expect.unchanged(
            context_extension.interpolate_positions, rng.uniform(-1e4, 1e4, shape), float(rng.uniform(1, 32))
        )
    expect.unchanged(context_extension.interpolate_positions, rng.integers(0, 10**6, 6), 4)
    expect.dtype(context_extension.interpolate_positions, rng.integers(0, 10**6, 6), 4)
    expect.matches(context_extension.interpolate_positions, rng.uniform(-9, 9, 4), 1)


@pytest.mark.question("interpolate_positions", points=0.25)
def test_interpolation_refuses_bad_arguments(context_extension):
    """A factor below 1 and a position that is no number are refused."""
    expect.answers(context_extension.interpolate_positions, np.arange(3), 2.0)
    refuses_factor(context_extension.interpolate_positions, lambda factor: (np.arange(3), factor))
    expect.raises(ValueError, context_extension.interpolate_positions, np.array([1.0, np.nan]), 2.0, mentions="nan")
    expect.raises(ValueError, context_extension.interpolate_positions, np.nan, 2.0, mentions="nan")


@pytest.mark.question("interpolate_positions", points=0.25)
def test_interpolation_does_not_loop(context_extension):
    """numpy divides all positions at once."""
    expect.vectorised(context_extension.interpolate_positions, lambda length: (np.arange(length), 4.0))


@pytest.mark.question("interpolate_positions", points=0.375)
@given(seed=seeds(), factor=FACTORS, start=positions())
def test_slower_pairs_or_closer_positions(context_extension, seed, factor, start):
    """Dividing all positions or dividing all frequencies by the factor is the same."""
    x, where, frequencies = features(3, 6, seed=seed), np.arange(start, start + 3), np.array([1.0, 0.125, 0.0078125])
    closer = context_extension.apply_rope_with(x, context_extension.interpolate_positions(where, factor), frequencies)
    slower = context_extension.apply_rope_with(x, where, frequencies / factor)
    expect.close(closer, slower, "interpolated positions are interpolated frequencies", FAR)
    expect.close(
        context_extension.interpolate_positions(where, factor) * factor, 1.0 * where, "the factor takes it back"
    )


# ntk_base


@pytest.mark.question("ntk_base", points=0.5)
@given(base=BASES, factor=FACTORS, head_dim=HEAD_DIMS)
def test_ntk_slows_pair_by_pair(context_extension, base, factor, head_dim):
    """Pair i is slowed by factor^(2i/(d − 2)): not at all for the fastest, by the whole factor for the slowest."""
    raised = context_extension.ntk_base(base, factor, head_dim)
    expect.close(raised / base, factor ** (head_dim / (head_dim - 2)), "the base grows by factor^(d/(d − 2))")
    slowed = theta(head_dim, base) / theta(head_dim, raised)
    wanted = np.array([factor ** (2 * i / (head_dim - 2)) for i in range(head_dim // 2)])
    expect.close(slowed, wanted, "pair i is slowed by factor^(2i/(d − 2))")


@pytest.mark.question("ntk_base", points=0.25)
def test_ntk_base_of_any_size(context_extension, rng):
    """Every even size from 4 on, every positive base; a factor of 1 leaves the base as it is."""
    for head_dim in (4, 6, 128):
        expect.matches(context_extension.ntk_base, float(rng.uniform(2, 1e6)), float(rng.uniform(1, 32)), head_dim)
        expect.matches(context_extension.ntk_base, float(rng.uniform(2, 1e6)), 1, head_dim)
        for base in (0.5, 1.0):
            expect.matches(context_extension.ntk_base, base, 2.5, head_dim)


@pytest.mark.question("ntk_base", points=0.25)
def test_ntk_base_refuses_bad_arguments(context_extension):
    """A head_dim that is odd or below 4, a bad base and a factor below 1 are refused."""
    expect.answers(context_extension.ntk_base, 10000.0, 2.0, 8)
    refuses_head_dim(context_extension.ntk_base, lambda head_dim: (10000.0, 2.0, head_dim), bad=(2, 0, -4, 3, 9))
    refuses_base(context_extension.ntk_base, lambda base: (base, 2.0, 8))
    refuses_factor(context_extension.ntk_base, lambda factor: (10000.0, factor, 8))


# dynamic_ntk_base


@pytest.mark.question("dynamic_ntk_base", points=0.5)
@given(base=BASES, factor=st.floats(1, 64), head_dim=HEAD_DIMS, trained_len=LENGTHS, further=st.floats(0.01, 30))
def test_dynamic_ntk_grows_with_the_text(context_extension, base, factor, head_dim, trained_len, further):
    """The bracket is factor·L/L₀ − (factor − 1); with a factor of 1 that is the ratio of the lengths."""
    seq_len = trained_len + math.ceil(further * trained_len)
    bracket = 1 + factor * (seq_len - trained_len) / trained_len
    dynamic = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    expect.close(dynamic / base, bracket ** (head_dim / (head_dim - 2)), "the base follows the length of the text")
    plain = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, 1)
    expect.close(
        plain / base, (seq_len / trained_len) ** (head_dim / (head_dim - 2)), "at factor 1 the bracket is L/L₀"
    )


@pytest.mark.question("dynamic_ntk_base", points=0.5)
def test_dynamic_ntk_changes_no_short_text(context_extension, rng):
    """Up to the trained length the base is the trained one, whatever the factor; one token further it is not."""
    base, trained_len = float(rng.uniform(1e3, 1e6)), int(rng.integers(100, 5000))
    for seq_len in (1, trained_len // 2, trained_len - 1, trained_len):
        for factor in (1, 2.5, 40.0):
            # The bracket is 1 up to the rounding of factor − (factor − 1).
            wanted = expect.matches(
                context_extension.dynamic_ntk_base, base, 8, seq_len, trained_len, factor, tolerance=1e-9
            )
            expect.close(wanted, base, "a text that fits keeps the trained base", 1e-9)
    expect.matches(context_extension.dynamic_ntk_base, base, 8, trained_len + 1, trained_len, 40.0)
    for small in (0.5, 1.0):
        expect.matches(context_extension.dynamic_ntk_base, small, 8, 3 * trained_len, trained_len, 2.0)


@pytest.mark.question("dynamic_ntk_base", points=0.25)
def test_dynamic_ntk_refuses_bad_arguments(context_extension):
    """Bad sizes, bases and factors, and negative lengths, are refused."""
    dynamic = context_extension.dynamic_ntk_base
    expect.answers(dynamic, 10000.0, 8, 300, 100, 2.0)
    refuses_head_dim(dynamic, lambda head_dim: (10000.0, head_dim, 300, 100, 2.0), bad=(2, 0, -4, 3, 9))
    refuses_base(dynamic, lambda base: (base, 8, 300, 100, 2.0))
    refuses_factor(dynamic, lambda factor: (10000.0, 8, 300, 100, factor))
    expect.raises(ValueError, dynamic, 10000.0, 8, -300, 100, 2.0, mentions=-300)
    expect.raises(ValueError, dynamic, 10000.0, 8, 300, -100, 2.0, mentions=-100)


# rotations_in_context


@pytest.mark.question("rotations_in_context", points=0.375)
def test_rotations_of_any_size(context_extension, rng):
    """L₀ over the wavelength of each pair, in float64."""
    for head_dim in (2, 4, 128):
        base, trained_len = float(rng.uniform(2, 1e6)), int(rng.integers(1, 10**6))
        turns = expect.matches(context_extension.rotations_in_context, head_dim, trained_len, base)
        wavelengths = np.array([2 * math.pi * base ** (2 * i / head_dim) for i in range(head_dim // 2)])
        expect.close(
            turns * wavelengths / trained_len, np.ones(head_dim // 2), "turns times wavelength is the trained length"
        )
    expect.dtype(context_extension.rotations_in_context, 10, 4096)
    expect.matches(context_extension.rotations_in_context, 10, 1)
    for base in (0.5, 1.0):
        expect.matches(context_extension.rotations_in_context, 10, 4096, base)


@pytest.mark.question("rotations_in_context", points=0.25)
def test_rotations_refuse_bad_arguments(context_extension):
    """Bad sizes and bases, and a negative length, are refused."""
    expect.answers(context_extension.rotations_in_context, 8, 100)
    refuses_head_dim(context_extension.rotations_in_context, lambda head_dim: (head_dim, 100))
    refuses_base(context_extension.rotations_in_context, lambda base: (8, 100, base))
    expect.raises(ValueError, context_extension.rotations_in_context, 8, -100, mentions=-100)


# yarn_frequencies


@pytest.mark.question("yarn_frequencies", points=0.875)
@given(
    head_dim=HEAD_DIMS,
    base=BASES,
    factor=FACTORS,
    trained_len=LENGTHS,
    betas=st.tuples(st.floats(1, 16), st.floats(0, 40)),
)
@example(head_dim=64, base=10000.0, factor=8.0, trained_len=131_072, betas=(1.0, 31.0))
def test_yarn_of_any_parameters(context_extension, head_dim, base, factor, trained_len, betas):
    """Pairs up to low keep θ_i, pairs from high on take θ_i/factor, and between them the mix changes evenly from pair
    to pair."""
    beta_slow, beta_fast = betas[0], betas[0] + betas[1]
    frequencies = expect.matches(
        context_extension.yarn_frequencies, head_dim, base, factor, trained_len, beta_fast, beta_slow
    )
    wanted = yarn_ratios(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    expect.close(frequencies / theta(head_dim, base), wanted, "each pair is slowed by its share of the factor")


@pytest.mark.question("yarn_frequencies", points=0.5)
def test_yarn_clamps_high_at_the_features(context_extension):
    """High is clamped at d − 1, not at d/2 − 1: with a long trained length the last pair is not wholly interpolated."""
    for head_dim, trained_len in ((64, 131_072), (16, 100_000), (6, 20_000)):
        frequencies = expect.matches(context_extension.yarn_frequencies, head_dim, 10000.0, 8.0, trained_len)
        wanted = yarn_ratios(head_dim, 10000.0, 8.0, trained_len)
        expect.close(frequencies / theta(head_dim, 10000.0), wanted, "the ramp runs out past the last pair")
    # Here dim(beta_slow) is 7.49, and dim(beta_fast) 1.49: high comes out as 8, and is 7.
    expect.matches(context_extension.yarn_frequencies, 8, 100.0, 8.0, 35_000, beta_fast=1000.0)


@pytest.mark.question("yarn_frequencies", points=0.375)
def test_yarn_clamps_low_at_zero(context_extension):
    """With a short trained length low is 0, and the fastest pair is kept."""
    for head_dim, trained_len in ((64, 10), (8, 100), (6, 201)):
        frequencies = expect.matches(context_extension.yarn_frequencies, head_dim, 10000.0, 4.0, trained_len)
        wanted = yarn_ratios(head_dim, 10000.0, 4.0, trained_len)
        expect.close(frequencies / theta(head_dim, 10000.0), wanted, "the ramp begins at pair 0")


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_divides_nothing_by_zero(context_extension):
    """Where low and high are the same pair, that pair is kept and all after it are interpolated."""
    # At beta_slow turns over the trained length pair 0 is at high. Should rounding make it pair 1, the ramp is the
    # same.
    frequencies = expect.matches(context_extension.yarn_frequencies, 8, 10000.0, 4.0, 100, 40.0, 50 / math.pi)
    expect.close(
        frequencies / theta(8, 10000.0), np.array([1, 0.25, 0.25, 0.25]), "pair 0 is kept, the others interpolated"
    )


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_by_default(context_extension):
    """float64, 32 and 1 rotations unless said otherwise; a factor of 1 changes nothing, a factor of 16 does."""
    expect.dtype(context_extension.yarn_frequencies, 128, 500000, 16, 8192)
    for trained_len in (4700, 4840):  # dim(32) is just below 11 and just above it
        frequencies = context_extension.yarn_frequencies(64, 10000.0, 16.0, trained_len)
        wanted = yarn_ratios(64, 10000.0, 16.0, trained_len)
        expect.close(frequencies / theta(64, 10000.0), wanted, "32 turns are fast, 1 is slow")
    expect.dtype(context_extension.yarn_frequencies, 2, 10000.0, 4.0, 4096)
    same = context_extension.yarn_frequencies(64, 10000.0, 1, 4096)
    expect.close(same / theta(64, 10000.0), np.ones(32), "a factor of 1 keeps every pair")


@pytest.mark.question("yarn_frequencies", points=0.25)
def test_yarn_refuses_bad_arguments(context_extension):
    """Bad sizes, bases and factors, a negative length, and bounds that are the wrong way round are refused."""
    yarn = context_extension.yarn_frequencies
    expect.answers(yarn, 8, 10000.0, 4.0, 1024)
    refuses_head_dim(yarn, lambda head_dim: (head_dim, 10000.0, 4.0, 1024))
    refuses_base(yarn, lambda base: (8, base, 4.0, 1024))
    refuses_factor(yarn, lambda factor: (8, 10000.0, factor, 1024))
    expect.raises(ValueError, yarn, 8, 10000.0, 4.0, -1024, mentions=-1024)
    expect.raises(ValueError, yarn, 8, 10000.0, 4.0, 1024, 2.0, 2.5, mentions=[2.0, 2.5])
    expect.raises(ValueError, yarn, 8, 10000.0, 4.0, 1024, beta_fast=0.5, mentions=[0.5, 1.0])


# yarn_scale


@pytest.mark.question("yarn_scale", points=0.5)
def test_yarn_scale_of_any_factor(context_extension, rng):
    """0.1·ln(factor) + 1: ten times the factor adds 0.1·ln 10; never below 1."""
    for factor in (1.5, 2, float(rng.uniform(3, 1000))):
        scale = expect.matches(context_extension.yarn_scale, factor)
        more = context_extension.yarn_scale(10 * factor) - scale
        expect.close(more, 0.1 * math.log(10), "ten times the factor adds ln 10/10")
    for factor in (1.0, 0.99, 0.1, 0.0):
        expect.close(context_extension.yarn_scale(factor), 1.0, "where nothing is extended the scale is 1")
    expect.close(context_extension.yarn_scale(-2), 1.0, "a factor is any number, and below 1 nothing is extended")


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
    """Many rotations: kept; few: interpolated; between: mixed by their number, without a jump at either end."""
    low, high = bounds[0], bounds[0] + bounds[1]
    frequencies = expect.matches(context_extension.llama3_frequencies, head_dim, base, factor, low, high, trained_len)
    wanted = llama3_ratios(head_dim, base, factor, low, high, trained_len)
    expect.close(frequencies / theta(head_dim, base), wanted, "each pair is slowed by its share of the factor")


@pytest.mark.question("llama3_frequencies", points=0.25)
def test_llama3_by_default(context_extension):
    """The defaults are Llama 3.1's, in float64; a factor of 1 changes nothing, a factor of 8 does."""
    frequencies = context_extension.llama3_frequencies(128)
    wanted = llama3_ratios(128, 500000.0, 8.0, 1.0, 4.0, 8192)
    expect.close(frequencies / theta(128, 500000.0), wanted, "the frequencies of Llama 3.1 8B")
    same = context_extension.llama3_frequencies(64, factor=1)
    expect.close(same / theta(64, 500000.0), np.ones(32), "a factor of 1 keeps every pair")
    expect.dtype(context_extension.llama3_frequencies, 2, 10000, 4, 1, 4, 20)
    for base in (0.5, 1.0):
        expect.matches(context_extension.llama3_frequencies, 8, base, trained_len=12)


@pytest.mark.question("llama3_frequencies", points=0.25)
def test_llama3_refuses_bad_arguments(context_extension):
    """Bad sizes, bases and factors, a negative length, and a low_freq_factor not below high_freq_factor are refused."""
    llama3 = context_extension.llama3_frequencies
    expect.answers(llama3, 8)
    refuses_head_dim(llama3, lambda head_dim: (head_dim,))
    refuses_base(llama3, lambda base: (8, base))
    refuses_factor(llama3, lambda factor: (8, 500000.0, factor))
    expect.raises(ValueError, llama3, 8, trained_len=-8192, mentions=-8192)
    expect.raises(ValueError, llama3, 8, low_freq_factor=4.0, mentions=4.0)
    expect.raises(ValueError, llama3, 8, low_freq_factor=3.0, high_freq_factor=2.0, mentions=[3.0, 2.0])


# longrope_frequencies


@pytest.mark.question("longrope_frequencies", points=0.5)
def test_longrope_holds_the_other_methods(context_extension, rng):
    """One number throughout is position interpolation; factor^(2i/(d − 2)) is NTK-aware; ones change nothing."""
    for head_dim in (4, 6, 64):
        base, factor, pairs = float(rng.uniform(1e3, 1e6)), float(rng.uniform(1.5, 64)), np.arange(head_dim // 2)
        plain = context_extension.longrope_frequencies(head_dim, np.ones(len(pairs)), base)
        expect.close(plain / theta(head_dim, base), np.ones(len(pairs)), "divisors of 1 keep every pair")
        interpolated = context_extension.longrope_frequencies(head_dim, np.full(len(pairs), factor), base)
        expect.close(
            interpolated * factor / plain, np.ones(len(pairs)), "one divisor throughout is position interpolation"
        )
        aware = context_extension.longrope_frequencies(head_dim, factor ** (2 * pairs / (head_dim - 2)), base)
        raised = theta(head_dim, base * factor ** (head_dim / (head_dim - 2)))
        expect.close(aware / raised, np.ones(len(pairs)), "the divisors factor^(2i/(d − 2)) are NTK-aware")


@pytest.mark.question("longrope_frequencies", points=0.25)
def test_longrope_as_an_array_function(context_extension, rng):
    """Any positive divisors, in float64; the argument is left as it was."""
    rescale = rng.uniform(0.1, 60, 32)
    expect.unchanged(context_extension.longrope_frequencies, 64, rescale)
    frequencies = context_extension.longrope_frequencies(64, rescale)
    expect.close(frequencies * rescale / theta(64, 10000.0), np.ones(32), "frequency times divisor is θ_i")
    expect.dtype(context_extension.longrope_frequencies, 4, np.array([1, 3]), 500)
    expect.matches(context_extension.longrope_frequencies, 2, np.array([0.5]))
    for base in (0.5, 1.0):
        expect.matches(context_extension.longrope_frequencies, 4, np.array([1.0, 3.0]), base)


@pytest.mark.question("longrope_frequencies", points=0.25)
def test_longrope_refuses_bad_arguments(context_extension):
    """Bad sizes and bases, a list of another shape, and a divisor that is not positive are refused."""
    longrope = context_extension.longrope_frequencies
    expect.answers(longrope, 8, np.ones(4))
    refuses_head_dim(longrope, lambda head_dim: (head_dim, np.ones(head_dim // 2)), bad=(0, 1, 7))
    refuses_base(longrope, lambda base: (8, np.ones(4), base))
    for shape in ((3,), (5,), (8,), (1,), (4, 1), (1, 4), ()):
        expect.raises(ValueError, longrope, 8, np.ones(shape), mentions=[shape, *shape, (4,)])
    for divisor in (0.0, -2.0):
        expect.raises(ValueError, longrope, 8, np.array([1.0, 1.0, 1.0, divisor]), mentions=divisor)


# longrope_scale


@pytest.mark.question("longrope_scale", points=0.5)
def test_longrope_scale_of_any_factor(context_extension, rng):
    """√(1 + ln(factor)/ln(L₀)): its square is how much the logarithm of the length grew; never below 1."""
    for trained_len in (2, 4096, int(rng.integers(100, 10**6))):
        for factor in (1.5, 2, float(rng.uniform(3, 1000))):
            scale = expect.matches(context_extension.longrope_scale, factor, trained_len)
            grown = math.log2(factor * trained_len) / math.log2(trained_len)
            expect.close(scale**2, grown, "the square is ln(factor·L₀)/ln(L₀)")
        for factor in (1.0, 0.99, 0.1, 0.0, -2):
            expect.close(
                context_extension.longrope_scale(factor, trained_len), 1.0, "where nothing is extended the scale is 1"
            )
    for factor in (4.0, 1.0):
        expect.raises(ValueError, context_extension.longrope_scale, factor, -4096, mentions=-4096)


# apply_rope_with


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_any_leading_axes(context_extension, rng):
    """Any number of leading axes, one row or one pair as well as many, any frequencies and scale."""
    for shape in ((6, 8), (3, 5, 4), (2, 1, 3, 2, 6), (1, 2)):
        where, frequencies = rng.uniform(-100, 100, shape[-2]), rng.uniform(0, 1, shape[-1] // 2)
        expect.matches(context_extension.apply_rope_with, normal(rng, *shape), where, frequencies)
        expect.matches(
            context_extension.apply_rope_with, normal(rng, *shape), where, frequencies, float(rng.uniform(1, 2))
        )


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_dtype(context_extension, rng):
    """float32 stays float32, whatever positions and frequencies are; everything else becomes float64."""
    x, frequencies = normal(rng, 3, 8), rng.uniform(0, 1, 4)
    expect.dtype(context_extension.apply_rope_with, x.astype(np.float32), np.arange(3), frequencies)
    expect.dtype(context_extension.apply_rope_with, x.astype(np.float32), np.arange(3.0), frequencies, 1.25)
    expect.dtype(context_extension.apply_rope_with, x, np.arange(3), frequencies)
    expect.dtype(context_extension.apply_rope_with, np.arange(24).reshape(3, 8), np.arange(3), frequencies, 1.25)


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_computes_angles_in_float64(context_extension, rng):
    """Far along the sequence float32 features are still rotated by the right angle; arguments do not change."""
    x, where = normal(rng, 4, 8, dtype=np.float32), rng.integers(10**5, 10**6, 4)
    expect.unchanged(context_extension.apply_rope_with, x, where, rng.uniform(0, 1, 4))
    expect.unchanged(
        context_extension.apply_rope_with, normal(rng, 2, 4, 6), rng.uniform(0, 9, 4), rng.uniform(0, 1, 3), 1.5
    )


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_refuses_bad_arguments(context_extension):
    """Odd sizes, positions that do not fit or are no numbers, and frequencies that do not fit are refused."""
    turn, pairs = context_extension.apply_rope_with, np.array([1.0, 0.5])
    expect.answers(turn, features(3, 4), np.arange(3), pairs)
    expect.raises(ValueError, turn, features(3, 5), np.arange(3), pairs, mentions=5)
    expect.raises(ValueError, turn, features(3, 1), np.arange(3), np.zeros(0), mentions=1)
    for shape in ((4,), (2,), (1,), (1, 3), (3, 1), ()):
        expect.raises(ValueError, turn, features(3, 4), np.zeros(shape), pairs, mentions=[shape, *shape, (3, 4)])
    for shape in ((1,), (3,), (4,), (1, 2), ()):
        expect.raises(ValueError, turn, features(3, 4), np.arange(3), np.ones(shape), mentions=[shape, *shape, (3, 4)])
    expect.raises(ValueError, turn, features(3, 4), np.array([0.0, 1.0, np.nan]), pairs, mentions="nan")


@pytest.mark.question("apply_rope_with", points=0.25)
def test_apply_rope_with_does_not_loop_over_rows(context_extension):
    """numpy rotates all rows at once."""
    expect.vectorised(
        context_extension.apply_rope_with,
        lambda length: (features(2, length, 4), np.arange(length), np.array([1.0, 0.5]), 1.5),
    )


@pytest.mark.question("apply_rope_with", points=0.5)
@given(seed=seeds(), m=positions(), n=positions(), scale=st.floats(0.5, 3))
def test_scaled_turns_add_up(context_extension, seed, m, n, scale):
    """Two rotations are one by m + n, and each multiplies the length of a row by the scale: up to position 10⁶."""
    x, frequencies = features(1, 6, seed=seed), np.array([1.0, 0.3, 0.007])
    twice = context_extension.apply_rope_with(x, np.array([m]), frequencies, scale)
    twice = context_extension.apply_rope_with(twice, np.array([n]), frequencies, scale)
    expect.close(
        twice, scale**2 * context_extension.apply_rope_with(x, np.array([m + n]), frequencies), "turns add up", FAR
    )
    expect.close(np.linalg.norm(twice), scale**2 * np.linalg.norm(x), "each turn multiplies the norm by the scale", FAR)
    once = context_extension.apply_rope_with(3 + x, np.array([1]), frequencies, scale)
    expect.holds(not np.isclose(once / scale, 3 + x).any(), "at position 1 every pair is rotated")


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.125)
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
    """Every question has one right answer."""
    expect.answer(context_extension, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize("key", ["pairs_with_a_rotation_in_8192", "llama_3_1_length_over_trained"])
def test_practice_answer(context_extension, key):
    """A question for practice: no points."""
    expect.answer(context_extension, key)
