"""Known mistakes with context extension: each replaces one function of the solution, and must lose points.

A hint names the likely cause in the words of the lesson and leaves the mending to the student.
"""

import math

import numpy as np

from autograder.grading.catalogue import misconception
from solutions import context_extension


def theta(head_dim, base):
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


def dim(beta, head_dim, base, trained_len):
    """The pair index at which a pair makes β turns, not rounded."""
    return head_dim * math.log(trained_len / (2 * math.pi * beta)) / (2 * math.log(base))


def shares_between(low, high, head_dim):
    """YaRN's ramp for whatever bounds an entry gets wrong."""
    width = high - low if high != low else 0.001
    return np.clip((np.arange(head_dim // 2) - low) / width, 0, 1)


def right_shares(head_dim, base, trained_len, beta_fast, beta_slow):
    """YaRN's ramp, for entries that go wrong after it."""
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim - 1)
    return shares_between(low, high, head_dim)


def blended(frequencies, factor, shares):
    return frequencies * (1 - shares) + frequencies / factor * shares


@misconception(
    "interpolate_positions",
    hint="The positions move apart where they should move together: the longer text is squeezed into the trained one.",
    origin="lablup/mlxcel #1324 (every position doubled)",
)
def positions_moved_apart(positions, factor):
    return context_extension.interpolate_positions(positions, factor) * factor * factor


@misconception(
    "interpolate_positions",
    hint="The positions are rounded to whole numbers, so that neighbours fall together: fractions are what this method needs.",
    origin="expected: floor division, or positions kept as integers",
)
def positions_rounded_down(positions, factor):
    return np.floor(context_extension.interpolate_positions(positions, factor))


@misconception(
    "interpolate_positions",
    hint="A factor below 1 goes through: it would stretch the text, so refuse it with a ValueError that names it.",
    origin="expected: the factor taken for its inverse, and nobody notices",
)
def factors_below_one_pass(positions, factor):
    return context_extension.interpolate_positions(positions, 1) / factor


@misconception(
    "ntk_base",
    hint="The base grows by the factor alone: look at the exponent, and at what becomes of the slowest pair.",
    origin="expected: the exponent d/(d − 2) left out",
)
def base_multiplied_by_the_factor(base, factor, head_dim):
    context_extension.ntk_base(base, factor, head_dim)
    return float(base) * factor


@misconception(
    "ntk_base",
    hint="The exponent counts pairs in one place and features in the other: d/(d − 2) is of features throughout.",
    origin="expected: head_dim // 2 passed as d",
)
def exponent_of_half_the_head(base, factor, head_dim):
    context_extension.ntk_base(base, factor, head_dim)
    return float(base) * float(factor) ** (head_dim / 2 / max(head_dim / 2 - 2, 1))


@misconception(
    "dynamic_ntk_base",
    hint="A text that fits the trained length gets another base: L is never less than the trained length.",
    origin="vllm-project/vllm #3488, #5093",
)
def short_texts_rescaled(base, head_dim, seq_len, trained_len, factor):
    context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    bracket = factor * seq_len / trained_len - (factor - 1)
    return float(base) * abs(bracket) ** (head_dim / (head_dim - 2))


@misconception(
    "dynamic_ntk_base",
    hint="The base is that of the longest text, whatever the text at hand: the bracket asks for seq_len, not for factor·L₀.",
    origin="vllm-project/vllm #41236",
)
def bracket_of_the_longest_text(base, head_dim, seq_len, trained_len, factor):
    context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    return float(base) * float(factor * factor - factor + 1) ** (head_dim / (head_dim - 2))


@misconception(
    "dynamic_ntk_base",
    hint="The bracket lacks its second term: at the trained length it must be 1, whatever the factor.",
    origin="expected: factor·L/L₀ alone changes inputs of the trained length",
)
def bracket_without_its_second_term(base, head_dim, seq_len, trained_len, factor):
    context_extension.dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor)
    return float(base) * (factor * max(seq_len, trained_len) / trained_len) ** (head_dim / (head_dim - 2))


@misconception(
    "rotations_in_context",
    hint="These are radians: a full turn is 2π of them.",
    origin="expected: L₀·θ_i left undivided",
)
def radians_for_turns(head_dim, trained_len, base=10000.0):
    return context_extension.rotations_in_context(head_dim, trained_len, base) * 2 * np.pi


@misconception(
    "yarn_frequencies",
    hint="High seems to be clamped at the last pair, d/2 − 1: the clamp is at d − 1, so the ramp may end past the last pair.",
    origin="keras-team/keras-hub #2981; jingyaogong/minimind #602",
)
def high_clamped_at_the_last_pair(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(math.floor(dim(beta_fast, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_slow, head_dim, base, trained_len)), head_dim // 2 - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@misconception(
    "yarn_frequencies",
    hint="The two bounds seem to be exchanged: beta_fast, many turns, gives the lower pair index.",
    origin="pytorch/torchtitan #3787",
)
def betas_exchanged(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(math.floor(dim(beta_slow, head_dim, base, trained_len)), 0)
    high = min(math.ceil(dim(beta_fast, head_dim, base, trained_len)), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@misconception(
    "yarn_frequencies",
    hint="The slow pairs are kept and the fast ones interpolated: it is the slow ones that meet angles they never saw.",
    origin="m96-chan/PyGPUkit #169",
)
def fast_pairs_interpolated(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    shares = right_shares(head_dim, base, trained_len, beta_fast, beta_slow)
    return blended(theta(head_dim, base), factor, 1 - shares)


@misconception(
    "yarn_frequencies",
    hint="The frequencies start from the raised base of NTK-aware interpolation: YaRN's start from the trained base.",
    origin="paiml/aprender #2161",
)
def blended_from_the_ntk_base(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    right = context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    if head_dim < 4:
        return right
    shares = right_shares(head_dim, base, trained_len, beta_fast, beta_slow)
    raised = theta(head_dim, context_extension.ntk_base(base, factor, head_dim))
    return raised * (1 - shares) + theta(head_dim, base) / factor * shares


@misconception(
    "yarn_frequencies",
    hint="It looks as if wavelengths were blended: half of λ and half of 4λ is not the same as half of θ and half of θ/4.",
    origin="jquesnelle/yarn #24",
)
def wavelengths_blended(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    shares = right_shares(head_dim, base, trained_len, beta_fast, beta_slow)
    return theta(head_dim, base) / (1 - shares + factor * shares)


@misconception(
    "yarn_frequencies",
    hint="The ramp runs along the turns r_i, as the paper draws it: the code that checkpoints are run with, and this function, "
    "let it run along the pair index.",
    origin="jquesnelle/yarn #60",
)
def ramp_along_turns(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    turns = trained_len * theta(head_dim, base) / (2 * math.pi)
    kept = np.clip((turns - beta_slow) / max(beta_fast - beta_slow, 0.001), 0, 1)
    return blended(theta(head_dim, base), factor, 1 - kept)


@misconception(
    "yarn_frequencies",
    hint="The bounds are not rounded: low is rounded down to a whole pair, high is rounded up.",
    origin="vllm-project/vllm #27722",
)
def bounds_left_unrounded(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    context_extension.yarn_frequencies(head_dim, base, factor, trained_len, beta_fast, beta_slow)
    low = max(dim(beta_fast, head_dim, base, trained_len), 0)
    high = min(dim(beta_slow, head_dim, base, trained_len), head_dim - 1)
    return blended(theta(head_dim, base), factor, shares_between(low, high, head_dim))


@misconception(
    "yarn_scale",
    hint="The scale is 1 for every factor: attention over a longer text gets flatter, and nothing sharpens it.",
    origin="NVIDIA/TensorRT-LLM #16379",
)
def scale_lost(factor):
    return 1.0


@misconception(
    "yarn_scale",
    hint="The scale is applied twice, or squared: cos and sin take it once each, and so a score takes its square.",
    origin="turboderp-org/exllamav3 #259; sgl-project/sglang #33558",
)
def yarn_scale_squared(factor):
    return context_extension.yarn_scale(factor) ** 2


@misconception(
    "yarn_scale",
    hint="The logarithm is to base 10: the formula was fitted with the natural one.",
    origin="expected: log on paper is read in two ways",
)
def common_logarithm(factor):
    return 1.0 if factor <= 1 else 0.1 * math.log10(factor) + 1.0


@misconception(
    "yarn_scale",
    hint="A factor below 1 gives a scale below 1: where nothing is extended the scale is 1.",
    origin="expected: the formula without its case",
)
def yarn_scale_below_one(factor):
    return 0.1 * math.log(max(factor, 1e-300)) + 1.0


@misconception(
    "llama3_frequencies",
    hint="These are the frequencies of plain RoPE: the scaling seems to be dropped.",
    origin="huggingface/transformers #32330; lablup/mlxcel #1355",
)
def llama3_scaling_dropped(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    context_extension.llama3_frequencies(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    return theta(head_dim, base)


@misconception(
    "llama3_frequencies",
    hint="The slow pairs turn faster than before: a frequency is divided by the factor, a wavelength multiplied.",
    origin="expected: the factor applied to frequencies as to wavelengths",
)
def frequencies_multiplied_by_the_factor(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    context_extension.llama3_frequencies(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    turns = context_extension.rotations_in_context(head_dim, trained_len, base)
    kept = np.clip((turns - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
    return blended(theta(head_dim, base), 1 / factor, 1 - kept)


@misconception(
    "llama3_frequencies",
    hint="The blend is mirrored: at high_freq_factor turns a pair is kept, at low_freq_factor it is wholly interpolated.",
    origin="expected: smooth and 1 − smooth exchanged, which makes a jump at both ends",
)
def blend_mirrored(head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192):
    context_extension.llama3_frequencies(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    turns = context_extension.rotations_in_context(head_dim, trained_len, base)
    kept = np.clip((turns - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
    between = (kept > 0) & (kept < 1)
    return blended(theta(head_dim, base), factor, np.where(between, kept, 1 - kept))


@misconception(
    "longrope_frequencies",
    hint="The pairs are sped up: each frequency is divided by its own number.",
    origin="expected: rescale taken for a multiplier",
)
def multiplied_by_rescale(head_dim, rescale, base=10000.0):
    context_extension.longrope_frequencies(head_dim, rescale, base)
    return theta(head_dim, base) * rescale


@misconception(
    "longrope_scale",
    hint="This is the square of the scale: a root is missing, or the scale is applied twice.",
    origin="sgl-project/sglang #33558",
)
def longrope_scale_squared(factor, trained_len):
    return context_extension.longrope_scale(factor, trained_len) ** 2


@misconception(
    "longrope_scale",
    hint="This is YaRN's scale: LongRoPE compares the logarithms of the new and the trained length.",
    origin="expected: two methods with one purpose",
)
def yarn_scale_for_longrope(factor, trained_len):
    context_extension.longrope_scale(factor, trained_len)
    return context_extension.yarn_scale(factor)


@misconception(
    "apply_rope_with",
    hint="The scale is applied twice: once to cos and sin is enough, for queries and keys carry it both.",
    origin="turboderp-org/exllamav3 #259; sgl-project/sglang #33558",
)
def scale_applied_twice(x, positions, frequencies, scale=1.0):
    return context_extension.apply_rope_with(x, positions, frequencies, scale * scale)


@misconception(
    "apply_rope_with",
    hint="The scale has no effect: cos and sin are both multiplied by it.",
    origin="turboderp-org/exllamav3 #259; NVIDIA/TensorRT-LLM #16379",
)
def scale_not_applied(x, positions, frequencies, scale=1.0):
    return context_extension.apply_rope_with(x, positions, frequencies)


@misconception(
    "apply_rope_with",
    hint="This is the half layout (pairs i and i + d/2): a good encoding, but this function turns neighbours (2i, 2i+1).",
    origin="karpathy/nanochat #264; huggingface/transformers #25199",
)
def half_layout(x, positions, frequencies, scale=1.0):
    right = context_extension.apply_rope_with(x, positions, frequencies, scale)
    angles = np.outer(positions, frequencies)
    cos, sin = scale * np.cos(angles), scale * np.sin(angles)
    first, second = np.split(np.asarray(x), 2, axis=-1)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1).astype(right.dtype)
