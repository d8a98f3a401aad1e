"""Known mistakes with context extension: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

import math
from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import context_extension


def theta(head_dim, base):
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


def dim(beta, head_dim, base, trained_len):
    """Unrounded index of the pair that makes β rotations."""
    return head_dim * math.log(trained_len / (2 * math.pi * beta)) / (2 * math.log(base))


def shares_between(low, high, head_dim, step=1):
    """YaRN's ramp from low to high, evaluated at `step` times each pair index."""
    width = high - low if high != low else 0.001
    return np.clip((step * np.arange(head_dim // 2) - low) / width, 0, 1)


def right_shares(head_dim, base, trained_len, beta_fast, beta_slow):
    """YaRN's correct ramp, for entries with a mistake in a later step."""
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return shares_between(low, high, head_dim)


def kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len):
    """Llama 3's s_i, the share of its frequency that a pair keeps, before it is clipped to the range from 0 to 1."""
    turns = context_extension.rotations_in_context(head_dim, trained_len, base)
    return (turns - low_freq_factor) / (high_freq_factor - low_freq_factor)


def blended(frequencies, factor, shares):
    return frequencies * (1 - shares) + frequencies / factor * shares


@mistake("interpolate_positions", "lablup/mlxcel #1324 (every position doubled)")
def positions_moved_apart(positions, factor):
    """You moved the positions farther apart. The rule: compress the longer sequence into the trained positions."""
    return context_extension.interpolate_positions(positions, factor) * factor * factor


@mistake("interpolate_positions", "expected: floor division, or positions kept as integers")
def positions_rounded_down(positions, factor):
    """You rounded the positions to whole numbers, so neighbours get the same position. The rule: keep the fractions."""
    return np.floor(context_extension.interpolate_positions(positions, factor))


@mistake("ntk_base", "expected: the exponent d/(d − 2) left out")
def base_multiplied_by_the_factor(base, factor, head_dim):
    """You multiplied the base by the factor itself. The rule: first raise the factor to the power d/(d − 2), so the
    slowest pair is slower by exactly the factor."""
    return float(base) * factor


@mistake("ntk_base", "expected: head_dim // 2 passed as d")
def exponent_of_half_the_head(base, factor, head_dim):
    """You counted pairs in one part of the exponent and features in the other. The rule: in d/(d − 2), both d's
    are the number of features."""
    return float(base) * float(factor) ** (head_dim / 2 / max(head_dim / 2 - 2, 1))


@mistake("ntk_base", "expected: parentheses left out")
def exponent_without_parentheses(base, factor, head_dim):
    """Your exponent is d/d − 2, which is −1, so the base shrinks. The rule: divide d by (d − 2)."""
    return float(base) * float(factor) ** (head_dim / head_dim - 2)


@mistake("dynamic_ntk_base", "expected: parentheses left out")
def dynamic_exponent_without_parentheses(base, head_dim, seq_len, trained_len, factor):
    """Your exponent is d/d − 2, which is −1, so the base shrinks. The rule: divide d by (d − 2)."""
    right = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    if seq_len <= trained_len:
        return right
    return float(base) / (factor * seq_len / trained_len - (factor - 1))


@mistake("dynamic_ntk_base", "vllm-project/vllm #3488, #5093")
def short_texts_rescaled(base, head_dim, seq_len, trained_len, factor):
    """You changed the base for a sequence no longer than the trained length. The rule: if the sequence is shorter
    than the trained length, use the trained length as L."""
    bracket = factor * seq_len / trained_len - (factor - 1)
    return float(base) * abs(bracket) ** (head_dim / (head_dim - 2))


@mistake("dynamic_ntk_base", "vllm-project/vllm #41236")
def bracket_of_the_longest_text(base, head_dim, seq_len, trained_len, factor):
    """You computed the base for the longest sequence. The rule: use seq_len, the length of the current sequence."""
    return float(base) * float(factor * factor - factor + 1) ** (head_dim / (head_dim - 2))


@mistake("dynamic_ntk_base", "expected: factor·L/L₀ alone changes inputs of the trained length")
def bracket_without_its_second_term(base, head_dim, seq_len, trained_len, factor):
    """You left out − (factor − 1) in the brackets. The rule: the expression in brackets is 1 at the trained length."""
    return float(base) * (factor * max(seq_len, trained_len) / trained_len) ** (head_dim / (head_dim - 2))


@mistake("rotations_in_context", "expected: L₀·θ_i left undivided")
def radians_for_turns(head_dim, trained_len, base=10000.0):
    """You returned radians. The rule: count full rotations; a rotation is 2π radians."""
    return context_extension.rotations_in_context(head_dim, trained_len, base) * 2 * np.pi


@mistake("yarn_frequencies", "keras-team/keras-hub #2981; jingyaogong/minimind #602")
def high_clamped_at_the_last_pair(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You seem to limit `high` to the last pair, d/2 − 1. The rule: limit `high` to d − 1, so the ramp can end
    beyond the last pair."""
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim // 2 - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("yarn_frequencies", "pytorch/torchtitan #3787")
def betas_exchanged(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You seem to have swapped the two bounds. The rule: beta_fast, the larger number of rotations, gives the lower
    pair index."""
    low = max(math.floor(dim(beta_slow, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_fast, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("yarn_frequencies", "m96-chan/PyGPUkit #169")
def fast_pairs_interpolated(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You kept the slow pairs and interpolated the fast ones. The rule: keep the fast pairs and interpolate
    the slow ones, which would otherwise get angles that never occurred in training."""
    shares = right_shares(head_dim, base, trained_len, beta_fast, beta_slow)
    return blended(theta(head_dim, base), factor, 1 - shares)


@mistake("yarn_frequencies", "expected: the raised base used everywhere")
def everything_from_the_ntk_base(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You started from the raised base of NTK-aware interpolation. The rule: start from the base of the trained
    model."""
    right = context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    if head_dim < 4:
        return right
    raised = context_extension.ntk_base(base, factor, head_dim)
    return context_extension.yarn_frequencies(head_dim, raised, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_frequencies", "jquesnelle/yarn #24")
def wavelengths_blended(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You seem to mix wavelengths. The rule: mix frequencies. An equal mix of λ and 4λ is not equivalent to an equal
    mix of θ and θ/4."""
    shares = right_shares(head_dim, base, trained_len, beta_fast, beta_slow)
    return theta(head_dim, base) / (1 - shares + factor * shares)


@mistake("yarn_frequencies", "jquesnelle/yarn #60")
def ramp_along_turns(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """Your ramp depends on the number of rotations r_i, as in the paper. The rule: as in the authors' code, the ramp
    depends on the pair index."""
    turns = trained_len * theta(head_dim, base) / (2 * math.pi)
    kept = np.clip((turns - beta_slow) / max(beta_fast - beta_slow, 0.001), 0, 1)
    return blended(theta(head_dim, base), factor, 1 - kept)


@mistake("yarn_frequencies", "vllm-project/vllm #27722")
def bounds_left_unrounded(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You did not round the bounds. The rule: round `low` down and `high` up to whole pairs."""
    low = max(dim(beta_fast, head_dim, base, trained_len), 0)
    high = min(dim(beta_slow, head_dim, base, trained_len), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("yarn_frequencies", "expected: np.arange(0, d, 2) mistaken for the pair indices")
def ramp_over_features(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You put the feature indices 0, 2, 4, … into the ramp. The rule: `low` and `high` are pair indices, so the
    ramp uses the pair indices 0, 1, 2, …."""
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim, step=2))


def with_rounded_bounds(round_low, round_high, head_dim, base, factor, trained_len, beta_fast, beta_slow):
    """Correct frequencies except for how the two bounds are rounded."""
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(round_low(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(round_high(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("yarn_frequencies", "expected: int() or floor for both")
def high_rounded_down(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You rounded both bounds down. The rule: round `low` down and `high` up, so the ramp covers all pairs between
    them."""
    return with_rounded_bounds(math.floor, math.floor, head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_frequencies", "expected: ceil for both")
def low_rounded_up(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You rounded both bounds up. The rule: round `low` down and `high` up, so the ramp covers all pairs between
    them."""
    return with_rounded_bounds(math.ceil, math.ceil, head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_frequencies", "expected: the two directions swapped")
def bounds_rounded_inward(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You rounded `low` up and `high` down. The rule: round `low` down and `high` up, so the ramp covers all pairs
    between them."""
    return with_rounded_bounds(math.ceil, math.floor, head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_frequencies", "expected: round for both")
def bounds_rounded_to_the_nearest(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You rounded the bounds to the nearest pair. The rule: round `low` down and `high` up."""
    return with_rounded_bounds(round, round, head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_scale", "NVIDIA/TensorRT-LLM #16379")
def scale_lost(factor):
    """You returned 1 for every factor. The rule: the scale grows with the factor, because attention over more keys is
    flatter."""
    return 1.0


@mistake("yarn_scale", "turboderp-org/exllamav3 #259; sgl-project/sglang #33558")
def yarn_scale_squared(factor):
    """You applied the scale twice, or squared it. The rule: apply the scale once to cos and once to sin, so a
    score is multiplied by its square."""
    return context_extension.yarn_scale(factor) ** 2


@mistake("yarn_scale", "expected: log on paper has two meanings")
def common_logarithm(factor):
    """You used the logarithm to base 10. The rule: use the natural logarithm."""
    return 1.0 if factor <= 1 else 0.1 * math.log10(factor) + 1.0


@mistake("yarn_scale", "expected: the paper's √(1/t), which the formula already is")
def yarn_scale_under_a_root(factor):
    """You took a square root. The rule: cos and sin are multiplied by 0.1 · ln(factor) + 1 itself, not by its square
    root."""
    return np.sqrt(context_extension.yarn_scale(factor))


@mistake("yarn_scale", "expected: the formula without its special case")
def yarn_scale_below_one(factor):
    """You returned a scale below 1 for a factor below 1. The rule: the scale is 1 unless the context is extended."""
    return 0.1 * math.log(max(factor, 1e-300)) + 1.0


@mistake("llama3_frequencies", "huggingface/transformers #32330; lablup/mlxcel #1355")
def llama3_scaling_dropped(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You returned plain RoPE's frequencies. The rule: divide the slow frequencies by the factor."""
    return theta(head_dim, base)


@mistake("llama3_frequencies", "expected: the factor applied to frequencies as if to wavelengths")
def frequencies_multiplied_by_the_factor(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You made the slow pairs faster. The rule: divide a frequency by the factor, or multiply a wavelength by it."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len).clip(0, 1)
    return blended(theta(head_dim, base), 1 / factor, 1 - kept)


NO_MIX = (
    "Your pairs switch abruptly from kept to interpolated: you left out the mix, or swapped the two bounds, so that no "
    "pair is between them. The rule: mix both for pairs between the two numbers of rotations."
)


def switched(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len, at):
    """Llama 3's frequencies without a mixture: pairs with at least `at` rotations are kept, and the others are
    interpolated."""
    context_extension.llama3_frequencies(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    return blended(
        theta(head_dim, base), factor, context_extension.rotations_in_context(head_dim, trained_len, base) < at
    )


@mistake("llama3_frequencies", "expected: the first two cases of the reference code without the third", hint=NO_MIX)
def switched_at_the_low_end(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    return switched(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len, low_freq_factor)


@mistake("llama3_frequencies", "expected: the first two cases of the reference code without the third", hint=NO_MIX)
def switched_at_the_high_end(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    return switched(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len, high_freq_factor)


@mistake("llama3_frequencies", "expected: smooth and 1 − smooth swapped, with both ends clipped")
def fast_pairs_of_llama3_interpolated(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You divided the fast pairs by the factor and kept the slow ones. The rule: keep the fast pairs, which
    went through every angle in training, and divide the slow ones by the factor."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len).clip(0, 1)
    return blended(theta(head_dim, base), factor, kept)


@mistake("llama3_frequencies", "expected: the third case of the reference code used for every pair")
def mix_without_its_ends(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """Your mix continues beyond its bounds, so some shares are below 0 or above 1. The rule: keep pairs above
    high_freq_factor rotations, and divide those below low_freq_factor."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len)
    return blended(theta(head_dim, base), factor, 1 - kept)


@mistake("llama3_frequencies", "expected: smooth and 1 − smooth swapped, which makes a jump at both ends")
def blend_mirrored(head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192):
    """You swapped the ends of the mix. The rule: a pair is kept at high_freq_factor rotations and fully interpolated at
    low_freq_factor."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len).clip(0, 1)
    between = (kept > 0) & (kept < 1)
    return blended(theta(head_dim, base), factor, np.where(between, kept, 1 - kept))


@mistake("longrope_frequencies", "expected: rescale mistaken for a multiplier")
def multiplied_by_rescale(head_dim, rescale, base=10000.0):
    """You made the pairs faster. The rule: divide each frequency by its entry in rescale."""
    return theta(head_dim, base) * rescale


@mistake("longrope_scale", "sgl-project/sglang #33558")
def longrope_scale_squared(factor, trained_len):
    """You returned the square of the scale. The rule: take the square root."""
    return context_extension.longrope_scale(factor, trained_len) ** 2


@mistake("longrope_scale", "expected: the two forms of the formula combined")
def logarithm_of_the_product_and_one(factor, trained_len):
    """You added 1 to ln(factor · L₀) / ln(L₀), which already includes that 1. The rule: add 1 to ln(factor) /
    ln(L₀)."""
    right = context_extension.longrope_scale(factor, trained_len)
    return math.sqrt(right**2 + 1) if factor > 1 else right


@mistake("longrope_scale", "expected: two methods with the same purpose")
def yarn_scale_for_longrope(factor, trained_len):
    """You returned YaRN's scale. The rule: compare the logarithms of the new length and the trained length, as LongRoPE
    does."""
    return context_extension.yarn_scale(factor)


@mistake("apply_rope_with", "turboderp-org/exllamav3 #259; sgl-project/sglang #33558")
def scale_applied_twice(x, positions, frequencies, scale=1.0):
    """You applied the scale twice. The rule: apply the scale only once, to both cos and sin."""
    return context_extension.apply_rope_with(x, positions, frequencies, scale * scale)


@mistake("apply_rope_with", "turboderp-org/exllamav3 #259; NVIDIA/TensorRT-LLM #16379")
def scale_not_applied(x, positions, frequencies, scale=1.0):
    """You did not use the scale. The rule: multiply both cos and sin by the scale."""
    return context_extension.apply_rope_with(x, positions, frequencies)


@mistake("apply_rope_with", "karpathy/nanochat #264; huggingface/transformers #25199")
def half_layout(x, positions, frequencies, scale=1.0):
    """You rotated the pairs (i, i + d/2), the half layout, which is also a valid encoding. The rule: here, a pair
    consists of two neighbours, (2i, 2i+1)."""
    angles = np.outer(positions, frequencies)
    cos, sin = scale * np.cos(angles), scale * np.sin(angles)
    first, second = np.split(np.asarray(x), 2, axis=-1)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


@mistake("ntk_base", "expected: the fraction in the exponent inverted")
def exponent_upside_down(base, factor, head_dim):
    """Your exponent is upside down. The rule: the exponent is d/(d − 2), which is above 1."""
    return base * factor ** ((head_dim - 2) / head_dim)


@mistake("dynamic_ntk_base", "expected: // instead of /")
def whole_ratios_of_lengths(base, head_dim, seq_len, trained_len, factor):
    """You rounded the ratio of the lengths down to a whole number. The rule: use the ratio itself."""
    return context_extension.dynamic_ntk_base(base, head_dim, max(seq_len // trained_len, 1), 1, factor)


@mistake("rotations_in_context", "expected: degrees in place of rotations")
def degrees_for_turns(head_dim, trained_len, base=10000.0):
    """You returned degrees. The rule: count full rotations; a rotation is 360 degrees."""
    return 360 * context_extension.rotations_in_context(head_dim, trained_len, base)


@mistake("rotations_in_context", "expected: a count assumed to be a whole number")
def whole_turns(head_dim, trained_len, base=10000.0):
    """You counted only whole rotations. The rule: keep the fraction, which matters for pairs with less than one
    rotation."""
    return np.floor(context_extension.rotations_in_context(head_dim, trained_len, base))


@mistake("yarn_scale", "expected: lengths are powers of 2")
def binary_logarithm(factor):
    """You used the logarithm to base 2. The rule: use the natural logarithm."""
    return 1 + (context_extension.yarn_scale(factor) - 1) / math.log(2)


@mistake("yarn_scale", "expected: the 0.1 overlooked")
def logarithm_without_a_tenth(factor):
    """You added the factor's full logarithm to 1. The rule: add a tenth of the logarithm, 0.1 · ln(factor)."""
    return float(1 + np.log(max(factor, 1)))


@mistake("llama3_frequencies", "expected: the reference code compares wavelengths")
def llama3_wavelengths_mixed(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You seem to mix wavelengths. The rule: mix frequencies. An equal mix of λ and 4λ is not equivalent to an equal
    mix of θ and θ/4."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len).clip(0, 1)
    return theta(head_dim, base) / ((1 - kept) * factor + kept)


@mistake("apply_rope_with", "expected: the scale of the scores mistaken for one of the positions")
def scale_on_the_angle(x, positions, frequencies, scale=1.0):
    """You multiplied the angles by the scale. The rule: multiply cos and sin by the scale, which lengthens the
    vectors and changes no angle."""
    return context_extension.apply_rope_with(x, positions, np.asarray(frequencies, dtype=np.float64) * scale)


@mistake("apply_rope_with", "expected: the scale applied to one of the two")
def scale_on_cos_alone(x, positions, frequencies, scale=1.0):
    """You multiplied only cos by the scale. The rule: multiply both cos and sin by the scale."""
    x, angles = np.asarray(x, dtype=np.float64), np.outer(positions, frequencies)
    cos, sin = scale * np.cos(angles), np.sin(angles)
    pairs = [x[..., 0::2] * cos - x[..., 1::2] * sin, x[..., 0::2] * sin + x[..., 1::2] * cos]
    return np.stack(pairs, axis=-1).reshape(x.shape)


@mistake("apply_rope_with", "expected: np.deg2rad on an angle that is already in radians")
def angles_in_degrees(x, positions, frequencies, scale=1.0):
    """You treated the angles as degrees. The rule: the angles are in radians, as np.cos and np.sin expect them."""
    return context_extension.apply_rope_with(x, np.deg2rad(positions), frequencies, scale)


@mistake("apply_rope_with", "expected: np.arange in place of the argument")
def number_of_the_row(x, positions, frequencies, scale=1.0):
    """You rotated each row by its index. The rule: rotate by `positions`."""
    return context_extension.apply_rope_with(x, np.arange(np.shape(x)[-2]), frequencies, scale)


# Frequencies with which four functions begin


COUNTED_FROM_ONE = (
    "You counted the pairs from 1. The rule: pair 0 rotates by 1 radian per position before anything is extended."
)

HALF_EXPONENT = (
    "Your exponent is half as large as it should be. The rule: the exponent is −2i/d, which falls to nearly −1."
)


def counted_from_one(head_dim, base):
    return float(base) ** (-np.arange(2, head_dim + 2, 2) / head_dim)


def yarn_from(frequencies, head_dim, base, factor, trained_len, beta_fast, beta_slow):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    return blended(frequencies, factor, right_shares(head_dim, base, trained_len, beta_fast, beta_slow))


def llama3_from(frequencies, head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len):
    context_extension.llama3_frequencies(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    turns = trained_len * frequencies / (2 * math.pi)
    return blended(
        frequencies, factor, 1 - ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor)).clip(0, 1)
    )


@mistake("rotations_in_context", "expected: i = 1 … d/2, as people count", hint=COUNTED_FROM_ONE)
def rotations_of_pairs_from_one(head_dim, trained_len, base=10000.0):
    return trained_len * counted_from_one(head_dim, base) / (2 * math.pi)


@mistake("yarn_frequencies", "expected: i = 1 … d/2, as people count", hint=COUNTED_FROM_ONE)
def yarn_of_pairs_from_one(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    return yarn_from(counted_from_one(head_dim, base), head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("llama3_frequencies", "expected: i = 1 … d/2, as people count", hint=COUNTED_FROM_ONE)
def llama3_of_pairs_from_one(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    return llama3_from(
        counted_from_one(head_dim, base), head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len
    )


@mistake("longrope_frequencies", "expected: i = 1 … d/2, as people count", hint=COUNTED_FROM_ONE)
def longrope_of_pairs_from_one(head_dim, rescale, base=10000.0):
    return context_extension.longrope_frequencies(head_dim, rescale, base) * float(base) ** (-2 / head_dim)


@mistake("rotations_in_context", "expected: i/d instead of 2i/d", hint=HALF_EXPONENT)
def rotations_with_half_the_exponent(head_dim, trained_len, base=10000.0):
    return context_extension.rotations_in_context(head_dim, trained_len, math.sqrt(base))


@mistake("yarn_frequencies", "expected: i/d instead of 2i/d", hint=HALF_EXPONENT)
def yarn_with_half_the_exponent(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    return yarn_from(theta(head_dim, math.sqrt(base)), head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("llama3_frequencies", "expected: i/d instead of 2i/d", hint=HALF_EXPONENT)
def llama3_with_half_the_exponent(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    return llama3_from(
        theta(head_dim, math.sqrt(base)), head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len
    )


@mistake("longrope_frequencies", "expected: i/d instead of 2i/d", hint=HALF_EXPONENT)
def longrope_with_half_the_exponent(head_dim, rescale, base=10000.0):
    return context_extension.longrope_frequencies(head_dim, rescale, math.sqrt(base))


@mistake("ntk_base", "expected: // instead of /")
def exponent_rounded_down(base, factor, head_dim):
    """You used integer division in the exponent, which rounds d/(d − 2) down. The rule: use the fraction itself."""
    return float(base * factor ** (head_dim // (head_dim - 2)))


@mistake("dynamic_ntk_base", "expected: the parentheses around factor − 1 lost")
def bracket_without_its_one(base, head_dim, seq_len, trained_len, factor):
    """You subtracted the factor. The rule: subtract (factor − 1), so the expression in brackets is 1 at the trained
    length."""
    right = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    bracket = factor * max(seq_len, trained_len) / trained_len - factor
    return float(base * bracket ** (head_dim / (head_dim - 2))) if bracket >= 0 else right


@mistake("llama3_frequencies", "expected: the first two cases of the reference code swapped")
def ends_of_llama3_exchanged(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You divided the pairs above high_freq_factor rotations and kept those below low_freq_factor. The rule: do the
    opposite."""
    kept = kept_shares(head_dim, base, low_freq_factor, high_freq_factor, trained_len)
    return blended(theta(head_dim, base), factor, np.where((kept < 0) | (kept > 1), kept > 1, 1 - kept))


@mistake("llama3_frequencies", "expected: both the bounds and the mix computed with wavelengths")
def mix_linear_in_wavelengths(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """Your mix is linear in the wavelengths. The rule: the mix is linear in the number of rotations, r_i = L₀ / λ_i."""
    rates = base ** (-2 * np.arange(head_dim // 2) / head_dim)
    long, short = trained_len / low_freq_factor, trained_len / high_freq_factor
    keep = np.clip((long - 2 * np.pi / rates) / (long - short), 0, 1)
    return rates * keep + rates / factor * (1 - keep)


@mistake("longrope_scale", "expected: the two logarithms swapped")
def ratio_of_logarithms_upside_down(factor, trained_len):
    """Your fraction is upside down. The rule: divide ln(factor) by ln(L₀)."""
    right = context_extension.longrope_scale(factor, trained_len)
    return math.sqrt(1 + math.log(trained_len) / math.log(factor)) if factor > 1 else right


@mistake("ntk_base", "expected: brackets around the product")
def power_of_the_product(base, factor, head_dim):
    """You raised base · factor to the power d/(d − 2). The rule: raise only the factor to the power, as in
    base · factor^(d/(d − 2))."""
    return float(base * factor) ** (head_dim / (head_dim - 2))


@mistake("ntk_base", "expected: the sign of the 2 changed")
def exponent_with_d_plus_two(base, factor, head_dim):
    """Your exponent is d / (d + 2). The rule: the exponent is d / (d − 2), which makes the slowest pair slower by
    exactly the factor."""
    return float(base * factor ** (head_dim / (head_dim + 2)))


@mistake("ntk_base", "expected: the exponent of a pair, 2i / (d − 2), mistaken for that of the base")
def exponent_of_one_pair(base, factor, head_dim):
    """Your exponent is 2 / (d − 2), which slows down one pair instead of changing the base. The rule: the
    exponent for the base is d / (d − 2)."""
    return float(base * factor ** (2 / (head_dim - 2)))


@mistake("dynamic_ntk_base", "expected: brackets around the product")
def dynamic_power_of_the_product(base, head_dim, seq_len, trained_len, factor):
    """You also raised the base to the power d/(d − 2). The rule: the base stays outside the power, as in base
    · (…)^(d/(d − 2))."""
    right = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    return float(base) ** (head_dim / (head_dim - 2)) * right / base


def without_brackets(seq_len, trained_len, factor):
    return factor * max(seq_len, trained_len) / trained_len - factor - 1


@mistake("dynamic_ntk_base", "expected: the same, with at least 1 in the brackets")
def brackets_lost_and_at_least_one(base, head_dim, seq_len, trained_len, factor):
    """You left out a pair of brackets: factor · L/L₀ − factor − 1. The rule: subtract (factor − 1), so the
    expression in brackets is 1 at the trained length."""
    return float(base) * max(without_brackets(seq_len, trained_len, factor), 1) ** (head_dim / (head_dim - 2))


def beyond_the_trained_length(base, head_dim, seq_len, trained_len, factor, bracket):
    """dynamic_ntk_base with a different bracketed expression for texts beyond the trained length."""
    right = context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    ratio = seq_len / trained_len
    return float(base) * bracket(ratio) ** (head_dim / (head_dim - 2)) if ratio > 1 and bracket(ratio) >= 0 else right


@mistake("dynamic_ntk_base", "expected: the ratio passed on to ntk_base as its factor")
def second_term_left_out_beyond_the_trained_length(base, head_dim, seq_len, trained_len, factor):
    """Beyond the trained length, your brackets contain only factor · L/L₀. The rule: subtract (factor − 1), so the
    result starts at 1 without a jump."""
    return beyond_the_trained_length(base, head_dim, seq_len, trained_len, factor, lambda ratio: factor * ratio)


@mistake("dynamic_ntk_base", "expected: the factor of the second term forgotten")
def one_subtracted(base, head_dim, seq_len, trained_len, factor):
    """Your brackets contain factor · L/L₀ − 1. The rule: subtract (factor − 1), so the expression in brackets
    is 1 at the trained length."""
    return beyond_the_trained_length(base, head_dim, seq_len, trained_len, factor, lambda ratio: factor * ratio - 1)


@mistake("dynamic_ntk_base", "expected: the base scaled only by the length")
def ratio_of_the_lengths_alone(base, head_dim, seq_len, trained_len, factor):
    """Your brackets contain only L/L₀, so the factor has no effect. The rule: the brackets contain factor ·
    L/L₀ − (factor − 1)."""
    return beyond_the_trained_length(base, head_dim, seq_len, trained_len, factor, lambda ratio: ratio)


@mistake("dynamic_ntk_base", "expected: the static base if nothing has to be computed from the length")
def static_below_the_trained_length(base, head_dim, seq_len, trained_len, factor):
    """Up to the trained length, you return the base of static NTK. The rule: return the base unchanged, because the
    context is not extended yet."""
    if seq_len <= trained_len:
        return context_extension.ntk_base(base, factor, head_dim)
    return context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)


@mistake("longrope_frequencies", "expected: rescale mistaken for a factor of the base, as in NTK")
def rescaled_bases(head_dim, rescale, base=10000.0):
    """You put the divisor inside the power, (rescale · base)^(−2i/d), which gives each pair a different base.
    The rule: divide the frequency itself, as in base^(−2i/d) / rescale_i."""
    return (float(base) * np.asarray(rescale, dtype=np.float64)) ** (-np.arange(0, head_dim, 2) / head_dim)


@mistake("longrope_frequencies", "expected: the division inside the power")
def rescaled_exponents(head_dim, rescale, base=10000.0):
    """You divided the exponent by the divisor. The rule: divide the frequency itself, as in base^(−2i/d) /
    rescale_i."""
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim / np.asarray(rescale, dtype=np.float64))


@mistake("longrope_scale", "expected: the two lengths swapped")
def over_the_logarithm_of_the_new_length(factor, trained_len):
    """You divided by the logarithm of the new length, factor · L₀. The rule: divide by the logarithm of the trained
    length, L₀."""
    right = context_extension.longrope_scale(factor, trained_len)
    return math.sqrt(1 + math.log(factor) / math.log(factor * trained_len)) if factor > 1 else right


def turned_by(x, positions, frequencies, scale, turn):
    """Return the result of apply_rope_with, using turn(even, odd, cos, sin) to compute each pair's new features."""
    right = context_extension.apply_rope_with(x, positions, frequencies, scale)
    x, angles = np.asarray(x), np.outer(positions, frequencies)
    even, odd = turn(x[..., 0::2], x[..., 1::2], scale * np.cos(angles), scale * np.sin(angles))
    return np.stack([even, odd], axis=-1).reshape(right.shape).astype(right.dtype)


@mistake("apply_rope_with", "expected: two lines that change one array, through a slice that is not a copy")
def first_features_overwritten(x, positions, frequencies, scale=1.0):
    """You overwrote the first feature of each pair before you computed the second one from it. The rule:
    compute both features of a pair from the old values."""

    def turn(even, odd, cos, sin):
        even = even * cos - odd * sin
        return even, even * sin + odd * cos

    return turned_by(x, positions, frequencies, scale, turn)


@mistake("apply_rope_with", "expected: the two names swapped")
def cos_and_sin_exchanged(x, positions, frequencies, scale=1.0):
    """You swapped cos and sin. The rule: a pair becomes x_2i·cos − x_2i+1·sin, then x_2i·sin + x_2i+1·cos."""

    def turn(even, odd, cos, sin):
        return even * sin - odd * cos, even * cos + odd * sin

    return turned_by(x, positions, frequencies, scale, turn)


def with_distances(q, k, used):
    """Scores in which the distance between query i and key j is entry (i, j) of `used`."""

    def scores(base):
        pairs = (np.asarray(rows)[..., 0::2] + 1j * np.asarray(rows)[..., 1::2] for rows in (q, k))
        queries, keys = pairs
        turned = queries[..., :, np.newaxis, :] * np.exp(1j * used[..., np.newaxis] * theta(np.shape(q)[-1], base))
        return (turned * keys[..., np.newaxis, :, :].conj()).real.sum(axis=-1) / math.sqrt(np.shape(q)[-1])

    return scores


def distances(q_positions, k_positions):
    return np.subtract.outer(np.asarray(q_positions, dtype=np.float64), k_positions)


@mistake("rerope_scores", "expected: positions divided by the factor, and the window left out")
def far_distances_without_the_window(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You gave far keys a distance of only r/factor. The rule: begin at the window, with window + (r −
    window)/factor, so there is no jump at r = window."""
    r = distances(q_positions, k_positions)
    return with_distances(q, k, np.where(r < window, r, r / factor))(base)


@mistake("rerope_scores", "expected: the whole distance divided")
def window_and_the_whole_distance(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You added r/factor to the window. The rule: add (r − window)/factor, because only the part of the distance beyond
    the window shrinks."""
    r = distances(q_positions, k_positions)
    return with_distances(q, k, np.where(r < window, r, window + r / factor))(base)


@mistake("rerope_scores", "expected: np.minimum on the positions")
def positions_clipped(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You clipped the positions at the window. The rule: clip the distance between query and key."""
    positions = (np.minimum(np.asarray(one, dtype=np.float64), window) for one in (q_positions, k_positions))
    return with_distances(q, k, distances(*positions))(base)


@mistake("rerope_scores", "expected: np.abs around the distance")
def distances_without_their_sign(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You used |r|, so you also clipped the distances of keys after the query. The rule: a negative distance
    stays the same."""
    r = distances(q_positions, k_positions)
    far = np.sign(r) * (window + (np.abs(r) - window) / factor)
    return with_distances(q, k, np.where(np.abs(r) < window, r, far))(base)


@mistake("rerope_scores", "expected: the scale left out")
def rerope_without_scale(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You did not divide the scores by √d. The rule: divide every score by √d."""
    right = context_extension.rerope_scores(q, k, q_positions, k_positions, window, factor, base)
    return right * math.sqrt(np.shape(q)[-1])


@mistake("lowest_similarity", "expected: the longest distance assumed to be the worst")
def similarity_at_the_last_distance(length, head_dim, base=10000.0):
    """You used only the similarity at the last distance. The rule: take the smallest mean among all distances
    below the length."""
    return float(np.cos((length - 1) * theta(head_dim, base)).mean())


@mistake("lowest_similarity", "expected: offset_similarity of lesson 3, which is a sum")
def sum_of_the_cosines(length, head_dim, base=10000.0):
    """You added up the cosines. The rule: take the mean of the cosines over the pairs, so distance 0 gives
    1."""
    return context_extension.lowest_similarity(length, head_dim, base) * (head_dim // 2)


@mistake("lowest_similarity", "expected: the two axes swapped")
def mean_over_the_distances(length, head_dim, base=10000.0):
    """You took the mean over the distances and the minimum over the pairs. The rule: take the mean over the pairs and
    the minimum over the distances."""
    return float(np.cos(np.outer(np.arange(length), theta(head_dim, base))).mean(axis=0).min())


@mistake("lowest_similarity", "expected: one distance too many")
def one_distance_too_many(length, head_dim, base=10000.0):
    """You counted the length itself as a distance. The rule: the distances run from 0 to length − 1."""
    return context_extension.lowest_similarity(length + 1, head_dim, base)


@mistake("yarn_frequencies", "expected: any number that prevents a division by 0")
def high_raised_by_a_pair(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """When `low` and `high` are equal, you raise `high` by a whole pair. The rule: raise `high` by 0.001."""
    right = context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    if low != high:
        return right
    ramp = np.clip(np.arange(head_dim // 2) - low, 0, 1) / 2
    return theta(head_dim, base) * (1 - ramp + ramp / factor)


@mistake("yarn_frequencies", "expected: L₀ / β mistaken for the wavelength in radians")
def dim_without_two_pi(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You left out the 2π in dim(β), so you counted radians. The rule: count full rotations over the trained
    context."""
    turn = 2 * np.pi
    return context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast / turn, beta_slow / turn)


@mistake("rerope_scores", "expected: np.abs around the distance, which loses its sign")
def every_distance_positive(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You rotated by |r|. The rule: if a key comes after its query, the distance is negative; keep its sign."""
    r = np.abs(distances(q_positions, k_positions))
    return with_distances(q, k, np.where(r < window, r, window + (r - window) / factor))(base)


@mistake("rerope_scores", "expected: the sign of the rotation is easily reversed")
def query_turned_back(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You rotated by −δ. The rule: rotate the query forward by δ, which is positive for a key behind the query."""
    r = distances(q_positions, k_positions)
    return with_distances(q, k, -np.where(r < window, r, window + (r - window) / factor))(base)


@mistake("rerope_scores", "expected: an argument that is not used")
def every_far_key_at_the_window(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """All your far keys have the distance `window`, regardless of the factor. The rule: add (r − window)/factor."""
    return context_extension.rerope_scores(q, k, q_positions, k_positions, window, np.inf, base)


@mistake("apply_rope_with", "expected: the sign of the rotation is easily reversed")
def turned_backwards(x, positions, frequencies, scale=1.0):
    """You rotated in the opposite direction. The rule: a pair becomes x_2i·cos − x_2i+1·sin, then x_2i·sin +
    x_2i+1·cos."""
    return turned_by(x, positions, frequencies, scale, lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin))


@mistake("rotations_in_context", "expected: π instead of 2π")
def half_turns(head_dim, trained_len, base=10000.0):
    """You counted half rotations. The rule: count full rotations; a rotation is 2π radians."""
    return 2 * context_extension.rotations_in_context(head_dim, trained_len, base)


FALLING = (
    "Your frequencies grow from pair to pair. The rule: for a base above 1, the frequencies fall from pair to pair, so "
    "check the sign of the exponent."
)
DIVIDED = (
    "You did not divide the exponent by d, so the frequencies fall to almost 0 at once. The rule: the frequency is "
    "base^(−2i/d)."
)


def not_divided(head_dim, base):
    return float(base) ** -np.arange(0.0, head_dim, 2)


@mistake("rotations_in_context", "expected: the exponent without its minus", hint=FALLING)
def rotations_grow(head_dim, trained_len, base=10000.0):
    return context_extension.rotations_in_context(head_dim, trained_len, 1 / base)


@mistake("rotations_in_context", "expected: the division forgotten", hint=DIVIDED)
def rotations_not_divided(head_dim, trained_len, base=10000.0):
    return trained_len * not_divided(head_dim, base) / (2 * math.pi)


@mistake("longrope_frequencies", "expected: the exponent without its minus", hint=FALLING)
def longrope_frequencies_grow(head_dim, rescale, base=10000.0):
    return context_extension.longrope_frequencies(head_dim, rescale, 1 / base)


@mistake("longrope_frequencies", "expected: the division forgotten", hint=DIVIDED)
def longrope_not_divided(head_dim, rescale, base=10000.0):
    return not_divided(head_dim, base) / np.asarray(rescale, dtype=np.float64)


@mistake("yarn_frequencies", "expected: the exponent without its minus", hint=FALLING)
def yarn_frequencies_grow(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    return yarn_from(1 / theta(head_dim, base), head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("yarn_frequencies", "expected: the division forgotten", hint=DIVIDED)
def yarn_not_divided(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    return yarn_from(not_divided(head_dim, base), head_dim, base, factor, trained_len, beta_fast, beta_slow)


@mistake("llama3_frequencies", "expected: the exponent without its minus", hint=FALLING)
def llama3_frequencies_grow(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    grown = 1 / theta(head_dim, base)
    return llama3_from(grown, head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)


@mistake("llama3_frequencies", "expected: the division forgotten", hint=DIVIDED)
def llama3_not_divided(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    fast = not_divided(head_dim, base)
    return llama3_from(fast, head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)


@mistake("rotations_in_context", "expected: the fraction upside down")
def wavelengths_over_the_length(head_dim, trained_len, base=10000.0):
    """You divided the wavelength by the length. The rule: divide the length by the wavelength."""
    return 1 / context_extension.rotations_in_context(head_dim, trained_len, base)


@mistake("dynamic_ntk_base", "expected: the brackets of a factor of 2, for every factor")
def one_subtracted_for_every_factor(base, head_dim, seq_len, trained_len, factor):
    """You subtracted 1 in the brackets, whatever the factor is. The rule: subtract factor − 1, so that the expression
    in brackets is 1 at the trained length."""
    context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    brackets = factor * max(seq_len, trained_len) / trained_len - 1
    return float(base * brackets ** (head_dim / (head_dim - 2)))


@mistake("yarn_scale", "expected: the temperature instead of its root's inverse")
def yarn_scale_upside_down(factor):
    """Your scale falls as the factor grows, because you returned 1/scale. The rule: the scale grows with the factor, so
    that attention becomes sharper."""
    return 1 / context_extension.yarn_scale(factor)


@mistake("yarn_frequencies", "expected: one bound limited, the other forgotten")
def low_not_limited(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You did not limit `low`, which is negative in a short context. The rule: `low` is at least 0."""
    low = math.floor(dim(beta_fast, head_dim, base, trained_len))
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("yarn_frequencies", "expected: the length that the model reads instead of the length it was trained on")
def rotations_over_the_extended_length(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You counted rotations over the extended length, factor · L₀. The rule: dim(β) uses the trained length, L₀."""
    shares = right_shares(head_dim, base, trained_len * factor, beta_fast, beta_slow)
    return blended(theta(head_dim, base), factor, shares)


@mistake("yarn_frequencies", "expected: the exponent i/d instead of 2i/d, solved for i")
def dim_without_its_half(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """You left out the 2 in the denominator of dim(β), so you got feature numbers. The rule: divide by 2 ln base, which
    gives pair indices."""
    low = max(math.floor(2 * dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(2 * dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@mistake("llama3_frequencies", "expected: 1/θ mistaken for the wavelength")
def llama3_without_two_pi(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """You left out the 2π of the wavelength, so your r_i counts radians. The rule: λ_i = 2π/θ_i, so r_i counts full
    rotations."""
    turn = 2 * np.pi
    return context_extension.llama3_frequencies(
        head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len * turn
    )


@mistake("apply_rope_with", "expected: the scale of a score mistaken for that of a vector")
def root_of_the_scale(x, positions, frequencies, scale=1.0):
    """You multiplied cos and sin by the square root of the scale. The rule: multiply both by the scale itself; a score
    then grows by its square."""
    return context_extension.apply_rope_with(x, positions, frequencies, math.sqrt(scale))


@mistake("rerope_scores", "expected: np.abs in the condition only", hint=distances_without_their_sign.hint)
def far_in_both_directions(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    r = distances(q_positions, k_positions)
    return with_distances(q, k, np.where(np.abs(r) < window, r, window + (r - window) / factor))(base)


@mistake("rerope_scores", "expected: Self-Extend (Jin et al. 2024), which rounds positions down")
def far_positions_rounded_down(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """You rounded the divided positions down, as Self-Extend does. The rule: keep the fractions, because δ is window +
    (r − window)/factor."""
    r = distances(q_positions, k_positions)
    queries, keys = (np.floor(np.asarray(each, dtype=np.float64) / factor) for each in (q_positions, k_positions))
    whole = np.subtract.outer(queries + window - np.floor(window / factor), keys)
    return with_distances(q, k, np.where(r < window, r, window if np.isinf(factor) else whole))(base)


@mistake("lowest_similarity", "expected: d mistaken for the number of pairs")
def divided_by_the_features(length, head_dim, base=10000.0):
    """You divided the sum of the cosines by d. The rule: divide by d/2, the number of pairs, so that distance 0 gives
    1."""
    return context_extension.lowest_similarity(length, head_dim, base) / 2


vars().update(
    chain(
        without_effect(context_extension.rotations_in_context, "base"),
        without_effect(context_extension.longrope_frequencies, "base"),
        without_effect(
            context_extension.llama3_frequencies, "base", "factor", "low_freq_factor", "high_freq_factor", "trained_len"
        ),
        without_effect(context_extension.yarn_frequencies, "beta_fast", "beta_slow"),
        without_effect(context_extension.rerope_scores, "base"),
        without_effect(context_extension.lowest_similarity, "base"),
    )
)


WRONG_ANSWERS = {
    "interpolated_position_8191_factor_4": {
        2047: "You rounded down. The rule: divide without rounding; positions need not be whole numbers.",
        2048: "You rounded up, or divided the number of tokens, 8192. The rule: divide the position 8191 without "
        "rounding.",
        32764: "You multiplied by the factor; interpolation divides, which brings far positions back into the trained "
        "range.",
        8191: "You left the position unchanged; interpolation divides every position by the factor.",
    },
    "yarn_scale_16": {
        0.1 * np.log(16): "You left out the + 1; without it, a factor of 1 would scale everything to 0.",
        0.1 * np.log2(16) + 1: "You took the logarithm to base 2. The rule: use the natural logarithm.",
        0.1 * np.log10(16) + 1: "You took the logarithm to base 10. The rule: use the natural logarithm.",
        (0.1 * np.log(16) + 1) ** 2: "A score is multiplied by this number; cos and sin are multiplied by its square "
        "root, once for the query and once for the key.",
    },
}
