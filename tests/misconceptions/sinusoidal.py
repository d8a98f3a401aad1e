"""Known mistakes with the sinusoidal encoding: each replaces one function of the solution, and must lose points.

A hint names the likely cause in the words of the lesson and leaves the mending to the student.
"""

import numpy as np

from autograder.grading.catalogue import misconception
from solutions import sinusoidal


def interleaved(sines, cosines):
    """An encoding from whatever sines and cosines an entry gets wrong."""
    return np.stack([sines, cosines], axis=-1).reshape(*np.shape(sines)[:-1], -1)


def angles(positions, d_model, base):
    """The right angles, after the right checks, for entries that go wrong after them."""
    sinusoidal.sinusoidal_encoding(positions, d_model, base)
    return np.asarray(positions, dtype=np.float64)[..., np.newaxis] * sinusoidal.frequencies(d_model, base)


@misconception(
    "frequencies",
    hint="The exponent looks twice as large as it should be: i in base^(−2i/d) counts hands, 0 … d/2 − 1, not features.",
    origin="jadore801120/attention-is-all-you-need-pytorch #32; Kyubyong/transformer #38; DongjunLee/transformer-tensorflow #6",
)
def exponent_counts_features_twice(d_model, base=10000.0):
    return sinusoidal.frequencies(d_model, base) ** 2


@misconception(
    "frequencies",
    hint="The exponent looks half as large as it should be: it runs to nearly −1, so it is 2i over d, not i over d.",
    origin="expected: i taken over d, which the lesson warns of",
)
def exponent_stops_half_way(d_model, base=10000.0):
    return np.sqrt(sinusoidal.frequencies(d_model, base))


@misconception(
    "frequencies",
    hint="The last frequency is exactly 1/base: the exponent runs over d/2 − 1 steps, as in tensor2tensor, not over d/2.",
    origin="tensorflow/tensor2tensor #1423; hojonathanho/diffusion #15",
)
def frequencies_end_at_one_over_base(d_model, base=10000.0):
    sinusoidal.frequencies(d_model, base)
    return float(base) ** -np.linspace(0, 1, d_model // 2)


@misconception(
    "frequencies",
    hint="The frequencies grow where they should fall: look at the sign of the exponent.",
    origin="hkproj/pytorch-transformer #2 (the formula with a product where a quotient is meant, there in a comment)",
)
def exponent_without_its_sign(d_model, base=10000.0):
    return 1 / sinusoidal.frequencies(d_model, base)


@misconception(
    "frequencies",
    hint="Base and exponent have changed places: the base is raised to a power that depends on i, not the other way round.",
    origin="ivanvovk/WaveGrad #12",
)
def base_and_exponent_swapped(d_model, base=10000.0):
    sinusoidal.frequencies(d_model, base)
    return (np.arange(0, d_model, 2) / d_model) ** (1 / float(base))


@misconception(
    "frequencies",
    hint="All frequencies are 1: the exponent seems to have been rounded to an integer, 2i/d is a fraction.",
    origin="codertimo/BERT-pytorch #18",
)
def exponent_rounded_to_an_integer(d_model, base=10000.0):
    sinusoidal.frequencies(d_model, base)
    return float(base) ** -(np.arange(0, d_model, 2) // d_model)


@misconception(
    "frequencies",
    hint="a / b // 2 is (a / b) // 2 and rounds down: put the halved size in brackets, or leave integer division out.",
    origin="zju3dv/LoFTR #41",
)
def division_in_the_wrong_order(d_model, base=10000.0):
    sinusoidal.frequencies(d_model, base)
    step = -np.log(base) / d_model // 2
    return np.exp(2 * np.arange(d_model // 2) * step)


@misconception(
    "frequencies",
    hint="The base looks like 1000 where nothing was said: its default is 10000.",
    origin="maxjcohen/transformer #62",
)
def base_of_one_thousand(d_model, base=1000.0):
    return sinusoidal.frequencies(d_model, base)


@misconception(
    "frequencies",
    hint="An odd d_model goes through: every hand needs two features, so refuse it with a ValueError that names it.",
    origin="codertimo/BERT-pytorch #78; gc-os-ai/pyaptamer #607; datawhalechina/base-llm #67",
)
def odd_sizes_pass(d_model, base=10000.0):
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


@misconception(
    "sinusoidal_encoding",
    hint="The cosine of a pair turns at another speed than its sine: both belong to one hand and share its ω_i.",
    origin="SamLynnEvans/Transformer #7, #25; maxjcohen/transformer #62; YutaroOgawa/pytorch_advanced #79",
)
def cosine_with_its_own_exponent(positions, d_model, base=10000.0):
    turned = angles(positions, d_model, base)
    own = turned * float(base) ** (-1 / d_model)
    return interleaved(np.sin(turned), np.cos(own))


@misconception(
    "sinusoidal_encoding",
    hint="Feature j seems to turn by base^(−2j/d), a speed of its own: the exponent counts hands, two features each.",
    origin="jadore801120/attention-is-all-you-need-pytorch #32; Kyubyong/transformer #38; shenweichen/DeepCTR #379",
)
def every_feature_its_own_hand(positions, d_model, base=10000.0):
    turned = angles(positions, d_model, base) * sinusoidal.frequencies(d_model, base)
    return interleaved(np.sin(turned), np.cos(turned * float(base) ** (-2 / d_model)))


@misconception(
    "sinusoidal_encoding",
    hint="All sines come first here, then all cosines: this function puts the sine and the cosine of a hand side by side.",
    origin="tensorflow/tensorflow #37191; tensorflow/tensor2tensor #391; allenai/allennlp #2993; tensorflow/text #1122",
)
def halves_where_pairs_are_meant(positions, d_model, base=10000.0):
    return sinusoidal.to_concatenated(sinusoidal.sinusoidal_encoding(positions, d_model, base))


@misconception(
    "sinusoidal_encoding",
    hint="Sine and cosine have changed places: the even features are the sines.",
    origin="flashinfer-ai/flashinfer #3819; Open-Deep-ML/DML-OpenProblem #595 (a worked example with the two swapped)",
)
def cosine_first(positions, d_model, base=10000.0):
    turned = angles(positions, d_model, base)
    return interleaved(np.cos(turned), np.sin(turned))


@misconception(
    "sinusoidal_encoding",
    hint="Angles in float32 are coarse at large positions: compute position · ω in float64.",
    origin="wfondrie/depthcharge #82; for RoPE EleutherAI/gpt-neox #1003, NVIDIA/Megatron-LM #535",
)
def angles_in_single_precision(positions, d_model, base=10000.0):
    angles(positions, d_model, base)
    positions = np.asarray(positions, dtype=np.float32)
    turned = positions[..., np.newaxis] * sinusoidal.frequencies(d_model, base).astype(np.float32)
    return interleaved(np.sin(turned), np.cos(turned)).astype(np.float64)


@misconception(
    "sinusoidal_encoding",
    hint="The values are right to three digits only, as float16 holds them: compute in float64.",
    origin="Open-Deep-ML/DML-OpenProblem, problem 85",
)
def values_in_half_precision(positions, d_model, base=10000.0):
    return sinusoidal.sinusoidal_encoding(positions, d_model, base).astype(np.float16).astype(np.float64)


@misconception(
    "sinusoidal_encoding",
    hint="Positions seem to count from 1: position 0 is all sines 0, all cosines 1.",
    origin="expected: the first token of a text is often called the first position",
)
def positions_one_ahead(positions, d_model, base=10000.0):
    return sinusoidal.sinusoidal_encoding(np.asarray(positions, dtype=np.float64) + 1, d_model, base)


@misconception(
    "add_positions",
    hint="Positions seem to run along the first axis: with a batch in front, the sequence is the last axis but one.",
    origin="cmu-l3/anlp-fall2025-code #1; KasperGroesLudvigsen/influenza_transformer #9; songyangco/GETNext #2",
)
def positions_along_the_batch(x, base=10000.0):
    x = np.asarray(x)
    right = sinusoidal.add_positions(x, base)
    encoding = sinusoidal.sinusoidal_encoding(np.arange(len(x)), x.shape[-1], base)
    return (x + encoding.reshape(len(x), *[1] * (x.ndim - 2), x.shape[-1])).astype(right.dtype)


@misconception(
    "add_positions",
    hint="The embeddings come out √d times as large: positions are added here, and nothing is scaled.",
    origin="expected: Vaswani et al. 2017 §3.4 multiplies the embedding weights by √d_model",
)
def embeddings_scaled_too(x, base=10000.0):
    right = sinusoidal.add_positions(x, base)
    return (right + (np.sqrt(np.shape(x)[-1]) - 1) * np.asarray(x)).astype(right.dtype)


@misconception(
    "wavelengths",
    hint="This is positions per radian: a hand comes round after 2π radians.",
    origin="expected: 1/ω taken for the wavelength",
)
def wavelengths_of_one_radian(d_model, base=10000.0):
    return 1 / sinusoidal.frequencies(d_model, base)


@misconception(
    "shift_matrix",
    hint="This moves back instead of on: a pair is (sin, cos), so look at which of the two sines carries the minus.",
    origin="expected: the rotation of geometry, whose pair is (cos, sin)",
)
def shifted_backwards(offset, d_model, base=10000.0):
    return sinusoidal.shift_matrix(offset, d_model, base).T


@misconception(
    "shift_matrix",
    hint="The cosines and sines stand a half apart, as in the concatenated layout: here a pair is two neighbours, 2i and 2i+1.",
    origin="expected: the two layouts mixed, as in tensorflow/tensorflow #37191",
)
def shift_for_the_other_layout(offset, d_model, base=10000.0):
    order = sinusoidal.to_concatenated(np.arange(float(d_model))).astype(int)
    return sinusoidal.shift_matrix(offset, d_model, base)[np.ix_(order, order)]


@misconception(
    "offset_similarity",
    hint="This is the mean over the hands: a dot product is their sum, d/2 at offset 0.",
    origin="expected: the cosine similarity, which divides by both norms, taken for the dot product",
)
def similarity_as_a_mean(offsets, d_model, base=10000.0):
    return sinusoidal.offset_similarity(offsets, d_model, base) / (d_model / 2)


@misconception(
    "offset_similarity",
    hint="The sines are summed as well: sin·sin and cos·cos of a hand together make one cosine of the offset.",
    origin="expected: the encoding of the offset is summed where Σ cos(ω_i·offset) is meant",
)
def similarity_with_the_sines(offsets, d_model, base=10000.0):
    sinusoidal.offset_similarity(offsets, d_model, base)
    return sinusoidal.sinusoidal_encoding(offsets, d_model, base).sum(axis=-1)


@misconception(
    "to_concatenated",
    hint="The cosines come first here: in this layout the sines, the even features, are the first half.",
    origin="flashinfer-ai/flashinfer #3819",
)
def cosines_in_the_first_half(pe):
    return np.roll(sinusoidal.to_concatenated(pe), np.shape(pe)[-1] // 2, axis=-1)


@misconception(
    "to_concatenated",
    hint="This is the way back: to_concatenated puts the even features first, then the odd ones.",
    origin="expected: with four features the two reorderings are the same, so a test with four does not tell",
)
def concatenated_the_other_way(pe):
    return sinusoidal.to_interleaved(pe)


@misconception(
    "to_interleaved",
    hint="This does to_concatenated again: with four features that also takes it back, with six it does not.",
    origin="expected: with four features the two reorderings are the same, so a test with four does not tell",
)
def interleaved_the_other_way(pe):
    return sinusoidal.to_concatenated(pe)
