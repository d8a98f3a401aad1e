"""Known mistakes with the sinusoidal encoding: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint leaves the fix to the student.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import another_correct_way, mistake, without_effect
from solutions import sinusoidal


def interleaved(sines, cosines):
    """Encoding built from the sines and cosines that an entry passes."""
    return np.stack([sines, cosines], axis=-1).reshape(*np.shape(sines)[:-1], -1)


def angles(positions, d_model, base):
    """Correct angles, after the arguments are checked, for entries with a mistake in a later step."""
    sinusoidal.sinusoidal_encoding(positions, d_model, base)
    return np.asarray(positions, dtype=np.float64)[..., np.newaxis] * sinusoidal.frequencies(d_model, base)


@mistake("frequencies", "jadore801120/attention-is-all-you-need-pytorch #32; Kyubyong/transformer #38")
def exponent_counts_features_twice(d_model, base=10000.0):
    """Your exponent is twice as large as it should be. The rule: in base^(−2i/d), i counts pairs (0 … d/2 − 1), not
    features."""
    return sinusoidal.frequencies(d_model, base) ** 2


@mistake("frequencies", "expected: i/d, which the lesson warns against")
def exponent_stops_half_way(d_model, base=10000.0):
    """Your exponent is half as large as it should be. The rule: the exponent is −2i/d, which falls to nearly
    −1."""
    return np.sqrt(sinusoidal.frequencies(d_model, base))


@mistake("frequencies", "tensorflow/tensor2tensor #1423; hojonathanho/diffusion #15")
def frequencies_end_at_one_over_base(d_model, base=10000.0):
    """Your last frequency is exactly 1/base, as in tensor2tensor. The rule: divide by d/2, not by d/2 − 1."""
    return float(base) ** -np.linspace(0, 1, d_model // 2)


@mistake("frequencies", "hkproj/pytorch-transformer #2")
def exponent_without_its_sign(d_model, base=10000.0):
    """Your frequencies grow from pair to pair. The rule: the frequencies fall from pair to pair, so check the sign of
    the exponent."""
    return 1 / sinusoidal.frequencies(d_model, base)


@mistake("frequencies", "ivanvovk/WaveGrad #12")
def base_and_exponent_swapped(d_model, base=10000.0):
    """You swapped base and exponent. The rule: the base is raised to a power that depends on i."""
    return (np.arange(0, d_model, 2) / d_model) ** (1 / float(base))


@mistake("frequencies", "codertimo/BERT-pytorch #18")
def exponent_rounded_to_an_integer(d_model, base=10000.0):
    """All your frequencies are 1, because the exponent was rounded to an integer. The rule: 2i/d is a fraction."""
    return float(base) ** -(np.arange(0, d_model, 2) // d_model)


@mistake("frequencies", "zju3dv/LoFTR #41")
def division_in_the_wrong_order(d_model, base=10000.0):
    """You wrote a / b // 2, which means (a / b) // 2 and rounds down. The rule: the exponent is a fraction and must not
    be rounded."""
    step = -np.log(base) / d_model // 2
    return np.exp(2 * np.arange(d_model // 2) * step)


@mistake("frequencies", "maxjcohen/transformer #62")
def base_of_one_thousand(d_model, base=1000.0):
    """You used 1000 as the default base. The rule: the default is 10000."""
    return sinusoidal.frequencies(d_model, base)


@mistake("frequencies", "expected: arange(1, d, 2)")
def exponents_of_the_odd_features(d_model, base=10000.0):
    """Your exponents count the odd features, 1, 3, 5, …. The rule: the exponents use 2i, so they begin with 0."""
    return float(base) ** (-np.arange(1, d_model, 2) / d_model)


@mistake("frequencies", "expected: the division forgotten")
def exponent_not_divided(d_model, base=10000.0):
    """You did not divide the exponent by d, so the frequencies fall to almost 0 at once. The rule: the frequency is
    base^(−2i/d)."""
    return float(base) ** -np.arange(0.0, d_model, 2)


@mistake("frequencies", "expected: i = 1 … d/2, as people count")
def pairs_counted_from_one(d_model, base=10000.0):
    """You counted the pairs from 1, so your fastest pair is one step too slow. The rule: pair 0 turns by 1 radian
    per position, regardless of the base."""
    return float(base) ** (-np.arange(2, d_model + 2, 2) / d_model)


@mistake("frequencies", "expected: the exponents listed from the last to the first")
def slowest_pair_first(d_model, base=10000.0):
    """Your list begins with the slowest pair. The rule: pair 0 is the fastest, and each later pair is slower."""
    return sinusoidal.frequencies(d_model, base)[::-1]


@mistake("frequencies", "expected: each list is 2π divided by the other")
def wavelengths_in_place_of_frequencies(d_model, base=10000.0):
    """You returned wavelengths, 2π/ω_i positions per full turn. The rule: return the frequency, ω_i radians per
    position."""
    return 2 * np.pi / sinusoidal.frequencies(d_model, base)


@mistake("frequencies", "expected: 2π mistaken for π in a conversion, or a second division by 2")
def frequencies_halved(d_model, base=10000.0):
    """Your frequencies are half as large as they should be. The rule: pair 0 turns by one radian per position."""
    return sinusoidal.frequencies(d_model, base) / 2


@mistake("frequencies", "expected: the 2 of the exponent put before the power")
def frequencies_doubled(d_model, base=10000.0):
    """Your frequencies are twice as large as they should be. The rule: pair 0 turns by one radian per position."""
    return 2 * sinusoidal.frequencies(d_model, base)


@mistake("frequencies", "expected: 1 / base^(2i/d) in float32, as in most codebases")
def inverse_power_in_single_precision(d_model, base=10000.0):
    """You computed the frequencies in float32, so the angles are not accurate enough at large positions. The
    rule: compute ω and position · ω in float64."""
    exponent = np.arange(0, d_model, 2, dtype=np.float32) / np.float32(d_model)
    return (np.float32(1) / np.float32(base) ** exponent).astype(np.float64)


@mistake("frequencies", "expected: log10 instead of log in exp(−log(base) · 2i/d), the form in many codebases")
def power_of_e_with_the_common_logarithm(d_model, base=10000.0):
    """You combined a power of e with a base-10 logarithm. The rule: if you compute a power with exp, use the
    natural logarithm."""
    return np.exp(-np.log10(float(base)) * np.arange(0, d_model, 2) / d_model)


@mistake("frequencies", "expected: frequencies read as full turns per position")
def frequencies_in_full_turns(d_model, base=10000.0):
    """Your frequencies are 2π times too large. The rule: the frequency ω_i is in radians per position, so the first
    pair has the frequency 1."""
    return 2 * np.pi * sinusoidal.frequencies(d_model, base)


@mistake("sinusoidal_encoding", "expected: positions[:, None], as in most code")
def new_axis_behind_the_first(positions, d_model, base=10000.0):
    """You put the new axis after the first axis of positions, which is right only for a list of positions. The
    rule: the features form a new last axis, after all axes of `positions`."""
    angles = np.asarray(positions, dtype=np.float64)[:, np.newaxis] * sinusoidal.frequencies(d_model, base)
    return interleaved(np.sin(angles), np.cos(angles))


@mistake("sinusoidal_encoding", "SamLynnEvans/Transformer #7, #25; maxjcohen/transformer #62")
def cosine_with_its_own_exponent(positions, d_model, base=10000.0):
    """You gave the cosine of a pair a different frequency from its sine. The rule: sine and cosine of a pair
    use the same ω_i."""
    turned = angles(positions, d_model, base)
    own = turned * float(base) ** (-1 / d_model)
    return interleaved(np.sin(turned), np.cos(own))


@mistake("sinusoidal_encoding", "jadore801120/attention-is-all-you-need-pytorch #32; Kyubyong/transformer #38")
def every_feature_its_own_hand(positions, d_model, base=10000.0):
    """You gave feature j its own frequency, base^(−2j/d). The rule: the exponent counts pairs, and a pair has two
    features."""
    turned = angles(positions, d_model, base) * sinusoidal.frequencies(d_model, base)
    return interleaved(np.sin(turned), np.cos(turned * float(base) ** (-2 / d_model)))


@mistake("sinusoidal_encoding", "expected: np.radians or np.deg2rad around an angle that is already in radians")
def angles_in_degrees(positions, d_model, base=10000.0):
    """You treated the angles as degrees. The rule: p · ω_i is in radians, and numpy's sine and cosine take radians."""
    turned = np.radians(angles(positions, d_model, base))
    return interleaved(np.sin(turned), np.cos(turned))


@mistake("sinusoidal_encoding", "expected: a frequency in turns per position")
def angles_in_full_turns(positions, d_model, base=10000.0):
    """You multiplied the angles by 2π. The rule: the angle is p · ω_i, so the first pair needs 2π positions for a full
    turn."""
    turned = 2 * np.pi * angles(positions, d_model, base)
    return interleaved(np.sin(turned), np.cos(turned))


@mistake("sinusoidal_encoding", "expected: positions are mistaken for counts")
def negative_positions_mirrored(positions, d_model, base=10000.0):
    """You dropped the sign of negative positions. The rule: every real position has an encoding, and sin(−a) is
    −sin(a)."""
    return sinusoidal.sinusoidal_encoding(np.abs(positions), d_model, base)


@mistake("sinusoidal_encoding", "expected: positions converted to integers, as a table index must be")
def fractions_cut_off(positions, d_model, base=10000.0):
    """You truncated positions to whole numbers. The rule: every real position has an encoding, including fractions."""
    return sinusoidal.sinusoidal_encoding(np.trunc(positions), d_model, base)


@mistake("sinusoidal_encoding", "tensorflow/tensorflow #37191; tensorflow/tensor2tensor #391; allenai/allennlp #2993")
def halves_where_pairs_are_meant(positions, d_model, base=10000.0):
    """You put all sines first and then all cosines. The rule: in sinusoidal_encoding, the sine and the cosine
    of a pair are side by side."""
    return sinusoidal.to_concatenated(sinusoidal.sinusoidal_encoding(positions, d_model, base))


ONE_OF_TWO = (
    "You used the same function for both features of a pair. The rule: the even ones are sines, the odd ones cosines."
)


@mistake("sinusoidal_encoding", "expected: a line copied and not changed", hint=ONE_OF_TWO)
def sines_twice(positions, d_model, base=10000.0):
    sines = np.sin(angles(positions, d_model, base))
    return interleaved(sines, sines)


@mistake("sinusoidal_encoding", "expected: a line copied and not changed", hint=ONE_OF_TWO)
def cosines_twice(positions, d_model, base=10000.0):
    cosines = np.cos(angles(positions, d_model, base))
    return interleaved(cosines, cosines)


@mistake("sinusoidal_encoding", "expected: the paper's p / 10000^(2i/d), with the frequency instead of the power")
def positions_over_frequencies(positions, d_model, base=10000.0):
    """You divided the positions by ω. The rule: the angle is p · ω_i; only base^(2i/d) is a divisor."""
    angles(positions, d_model, base)
    turned = np.asarray(positions, dtype=np.float64)[..., np.newaxis] / sinusoidal.frequencies(d_model, base)
    return interleaved(np.sin(turned), np.cos(turned))


@mistake("sinusoidal_encoding", "flashinfer-ai/flashinfer #3819; Open-Deep-ML/DML-OpenProblem #595")
def cosine_first(positions, d_model, base=10000.0):
    """You swapped sine and cosine. The rule: the even features are the sines."""
    turned = angles(positions, d_model, base)
    return interleaved(np.cos(turned), np.sin(turned))


def single_angles(positions, d_model, base):
    """Angles from float32 positions and float32 frequencies."""
    angles(positions, d_model, base)
    return np.asarray(positions, dtype=np.float32)[..., np.newaxis] * sinusoidal.frequencies(d_model, base).astype(
        np.float32
    )


def encoded(angles):
    return interleaved(np.sin(angles), np.cos(angles)).astype(np.float64)


@mistake("sinusoidal_encoding", "wfondrie/depthcharge #82")
def angles_in_single_precision(positions, d_model, base=10000.0):
    """You computed the angles in float32, which is not accurate enough at large positions. The rule: compute
    position · ω in float64."""
    return encoded(single_angles(positions, d_model, base))


@mistake("sinusoidal_encoding", "expected: the frequencies stored in float32, as in most codebases")
def frequencies_in_single_precision(positions, d_model, base=10000.0):
    """You used float32 frequencies, so the angles are not accurate enough at large positions. The rule: compute ω
    and position · ω in float64."""
    angles(positions, d_model, base)
    single = sinusoidal.frequencies(d_model, base).astype(np.float32)
    return encoded(np.asarray(positions, dtype=np.float64)[..., np.newaxis] * single.astype(np.float64))


@mistake("sinusoidal_encoding", "expected: the first token of a text is often called the first position")
def positions_one_ahead(positions, d_model, base=10000.0):
    """Your positions count from 1. The rule: the first row is position 0, where all sines are 0 and all cosines
    are 1."""
    return sinusoidal.sinusoidal_encoding(np.asarray(positions, dtype=np.float64) + 1, d_model, base)


@mistake("sinusoidal_encoding", "expected: positions flattened first")
def only_a_list_of_positions(positions, d_model, base=10000.0):
    """Your result always has two axes. The rule: the result has the shape of `positions`, plus one more
    axis."""
    angles = np.reshape(positions, -1)[:, np.newaxis] * sinusoidal.frequencies(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, d_model)


@mistake("add_positions", "cmu-l3/anlp-fall2025-code #1; KasperGroesLudvigsen/influenza_transformer #9")
def positions_along_the_batch(x, base=10000.0):
    """Your positions run along the first axis, which is the batch. The rule: the sequence is the second-to-last
    axis."""
    x = np.asarray(x)
    encoding = sinusoidal.sinusoidal_encoding(np.arange(len(x)), x.shape[-1], base)
    return x + encoding.reshape(len(x), *[1] * (x.ndim - 2), x.shape[-1])


@mistake("add_positions", "expected: Vaswani et al. 2017 §3.4 multiplies the embedding weights by √d_model")
def embeddings_scaled_too(x, base=10000.0):
    """You multiplied the embeddings by √d. The rule: add_positions adds the encoding and does not scale the
    embeddings."""
    return sinusoidal.add_positions(x, base) + (np.sqrt(np.shape(x)[-1]) - 1) * np.asarray(x)


@mistake("add_positions", "expected: all leading axes folded into the rows")
def positions_counted_through_the_batch(x, base=10000.0):
    """Your positions keep counting from one sequence in the batch to the next. The rule: every sequence starts at
    position 0."""
    x = np.asarray(x)
    encoding = sinusoidal.sinusoidal_encoding(np.arange(x[..., 0].size), x.shape[-1], base)
    return x + encoding.reshape(x.shape)


@mistake("add_positions", "expected: the first token of a text is often called the first position")
def rows_count_from_one(x, base=10000.0):
    """You gave the first row position 1. The rule: the rows have positions 0 … T−1."""
    x = np.asarray(x)
    return x + sinusoidal.sinusoidal_encoding(np.arange(x.shape[-2]) + 1, x.shape[-1], base)


@mistake("wavelengths", "expected: frequency and wavelength thought to be proportional")
def wavelengths_upside_down(d_model, base=10000.0):
    """You multiplied 2π by the frequency. The rule: the wavelength is 2π divided by the frequency, so a slower pair has
    a longer wave."""
    return 2 * np.pi * sinusoidal.frequencies(d_model, base)


@mistake("wavelengths", "expected: π instead of 2π")
def wavelengths_of_half_a_turn(d_model, base=10000.0):
    """You used half a turn. The rule: a wave repeats after a full turn, which is 2π radians."""
    return np.pi / sinusoidal.frequencies(d_model, base)


@mistake("wavelengths", "expected: 360 instead of 2π")
def wavelengths_in_degrees(d_model, base=10000.0):
    """You measured the full turn in degrees. The rule: ω_i is in radians per position, and a full turn is 2π
    radians."""
    return 360 / sinusoidal.frequencies(d_model, base)


@mistake("wavelengths", "expected: geomspace from 2π to 2π · base, as Vaswani et al. 2017 §3.5 puts it")
def wavelengths_up_to_two_pi_times_the_base(d_model, base=10000.0):
    """Your longest wavelength is exactly 2π · base, as one sentence of the paper says. The rule: return 2π / ω_i. The
    slowest ω is a little above 1/base, so the longest wave is shorter than 2π · base."""
    sinusoidal.frequencies(d_model, base)
    return 2 * np.pi * float(base) ** np.linspace(0, 1, d_model // 2)


@mistake("wavelengths", "expected: 1/ω mistaken for the wavelength")
def wavelengths_of_one_radian(d_model, base=10000.0):
    """You returned positions per radian. The rule: a full turn is 2π radians."""
    return 1 / sinusoidal.frequencies(d_model, base)


@mistake("shift_matrix", "expected: the rotation of geometry, whose pair is (cos, sin)")
def shifted_backwards(offset, d_model, base=10000.0):
    """Your matrix moves the encoding backward, not forward. The rule: a pair is (sin, cos) in this order; check which
    of the two sines has the minus sign."""
    return sinusoidal.shift_matrix(offset, d_model, base).T


@mistake("shift_matrix", "expected: np.deg2rad around the angle")
def shifted_in_degrees(offset, d_model, base=10000.0):
    """You treated the angle as degrees. The rule: offset · ω_i is in radians, and numpy's sine and cosine take
    radians."""
    return sinusoidal.shift_matrix(np.deg2rad(offset), d_model, base)


@mistake("shift_matrix", "expected: the two layouts confused, as in tensorflow/tensorflow #37191")
def shift_for_the_other_layout(offset, d_model, base=10000.0):
    """You put cosines and sines d/2 columns apart, as in the concatenated layout. The rule: a pair consists of
    two neighbours, columns 2i and 2i+1."""
    order = sinusoidal.to_concatenated(np.arange(float(d_model))).astype(int)
    return sinusoidal.shift_matrix(offset, d_model, base)[np.ix_(order, order)]


@mistake("shift_matrix", "expected: the 2 × 2 example repeated along the diagonal")
def every_block_turns_alike(offset, d_model, base=10000.0):
    """You used one angle for all pairs. The rule: the block of pair i has the angle offset · ω_i."""
    return np.kron(np.eye(d_model // 2), sinusoidal.shift_matrix(offset, 2))


@mistake("shift_matrix", "expected: the minus forgotten")
def both_sines_positive(offset, d_model, base=10000.0):
    """You gave both sines of a block the same sign. The rule: only the sine in the lower left corner has a
    minus sign, as in a rotation matrix."""
    right = sinusoidal.shift_matrix(offset, d_model, base)
    return np.where(np.tri(d_model, k=-1), -right, right)


@mistake(
    "offset_similarity", "expected: the cosine similarity, which divides by both norms, mistaken for the dot product"
)
def similarity_as_a_mean(offsets, d_model, base=10000.0):
    """You returned the mean over the pairs. The rule: a dot product is the sum over the pairs, which is d/2 at offset
    0."""
    return sinusoidal.offset_similarity(offsets, d_model, base) / (d_model / 2)


@mistake("offset_similarity", "expected: the encoding of the offset is summed where Σ cos(ω_i·offset) is meant")
def similarity_with_the_sines(offsets, d_model, base=10000.0):
    """You added the sines of the offset too. The rule: for each pair, sin·sin and cos·cos add up to one cosine of
    the offset."""
    return sinusoidal.sinusoidal_encoding(offsets, d_model, base).sum(axis=-1)


@mistake("offset_similarity", "expected: the sum moved inside the cosine")
def cosine_of_the_sum(offsets, d_model, base=10000.0):
    """You added the angles of all pairs and took one cosine. The rule: take one cosine per pair, then add the
    cosines."""
    return np.cos(np.asarray(offsets) * sinusoidal.frequencies(d_model, base).sum())


@mistake("to_concatenated", "flashinfer-ai/flashinfer #3819")
def cosines_in_the_first_half(pe):
    """You put the cosines first. The rule: the first half holds the sines, which are the even features."""
    return np.roll(sinusoidal.to_concatenated(pe), np.shape(pe)[-1] // 2, axis=-1)


@mistake("to_concatenated", "expected: `axis` forgotten")
def halves_below_each_other(pe):
    """You joined the sines and the cosines along the first axis, as np.concatenate does without `axis`. The
    rule: join the halves along the features, the last axis."""
    return np.concatenate(np.split(sinusoidal.to_concatenated(pe), 2, axis=-1))


@mistake("to_concatenated", "expected: with four features the two reorderings are the same")
def concatenated_the_other_way(pe):
    """You reordered in the opposite direction. The rule: to_concatenated puts the even features first, then the odd
    ones."""
    return sinusoidal.to_interleaved(pe)


@mistake("to_interleaved", "expected: with four features the two reorderings are the same")
def interleaved_the_other_way(pe):
    """You applied to_concatenated again. Applying to_concatenated twice restores the old order for four features, but
    not for six. The rule: undo the reordering for every size."""
    return sinusoidal.to_concatenated(pe)


@mistake("frequencies", "expected: // instead of / after the minus")
def exponent_rounded_down(d_model, base=10000.0):
    """Your exponent is a whole number, because // rounds down: negative quotients become −1. The rule: the exponent
    −2i/d is a fraction."""
    return float(base) ** (-np.arange(0, d_model, 2) // d_model)


OVERWRITTEN = (
    "You wrote into the array that you were still reading, so some features were overwritten before they were read. "
    "The rule: the result is a new array, and the argument stays as it was."
)


def reordered_in_place(pe, first, second, to_first, to_second):
    """Features moved in two steps within one array, so that the second step can read overwritten features."""
    moved = np.array(pe)
    moved[..., to_first] = moved[..., first].copy()
    moved[..., to_second] = moved[..., second].copy()
    return moved


def halves(pe):
    half = np.shape(pe)[-1] // 2
    return slice(0, half), slice(half, None)


EVEN, ODD = slice(0, None, 2), slice(1, None, 2)


@mistake("to_interleaved", "expected: sines, then cosines written into the argument", hint=OVERWRITTEN)
def interleaved_in_place(pe):
    return reordered_in_place(sinusoidal.to_interleaved(pe) * 0 + pe, *halves(pe), EVEN, ODD)


@mistake("to_interleaved", "expected: the features reshaped into two halves and back")
def halves_reshaped_and_not_swapped(pe):
    """Your features are still in their old order, because a reshape alone moves nothing. The rule: a sine and its
    cosine are side by side."""
    return np.array(pe)


@mistake("to_concatenated", "expected: sines, then cosines written into the argument", hint=OVERWRITTEN)
def concatenated_in_place(pe):
    return reordered_in_place(sinusoidal.to_concatenated(pe) * 0 + pe, EVEN, ODD, *halves(pe))


@mistake("to_concatenated", "expected: the features reshaped into pairs and back")
def reshaped_and_not_swapped(pe):
    """Your features are still in their old order, because a reshape into pairs alone moves nothing. The rule: all even
    features come first, then all odd ones."""
    return np.array(pe)


@mistake("sinusoidal_encoding", "expected: an argument that is not passed on")
def encoding_of_the_usual_base(positions, d_model, base=10000.0):
    """Your encoding does not depend on `base`. The rule: the frequencies come from `base`."""
    return sinusoidal.sinusoidal_encoding(positions, d_model)


@mistake("add_positions", "expected: an argument that is not passed on")
def positions_of_the_usual_base(x, base=10000.0):
    """The encoding that you add does not depend on `base`. The rule: the encoding uses `base`."""
    return sinusoidal.add_positions(x)


@mistake("sinusoidal_encoding", "expected: exp(−iω p) instead of exp(iω p)")
def sines_with_a_minus(positions, d_model, base=10000.0):
    """Your sines have the wrong sign. The rule: the sine of a small positive angle is positive."""
    signs = np.tile([-1.0, 1.0], d_model // 2)
    return sinusoidal.sinusoidal_encoding(positions, d_model, base) * signs


@mistake("offset_similarity", "expected: one cosine per feature")
def similarity_doubled(offsets, d_model, base=10000.0):
    """Your similarities are twice as large as they should be. The rule: there is one cosine per pair, d/2 in all."""
    return 2 * sinusoidal.offset_similarity(offsets, d_model, base)


@mistake("to_interleaved", "expected: the two halves swapped")
def cosine_before_its_sine(pe):
    """You put the cosine of each pair before its sine. The rule: the sine comes first."""
    right = sinusoidal.to_interleaved(pe)
    return np.stack([right[..., 1::2], right[..., 0::2]], axis=-1).reshape(right.shape)


@mistake("frequencies", "expected: one frequency per feature")
def one_frequency_per_feature(d_model, base=10000.0):
    """You returned one frequency per feature. The rule: two features share a frequency, so there are d/2 of them."""
    return float(base) ** (-np.arange(d_model) / d_model)


@mistake("sinusoidal_encoding", "expected: np.stack without the reshape")
def pairs_left_apart(positions, d_model, base=10000.0):
    """You put each pair on a separate axis. The rule: all d features of a position are on the last axis, with the
    sine and the cosine of a pair side by side."""
    right = sinusoidal.sinusoidal_encoding(positions, d_model, base)
    return right.reshape(*right.shape[:-1], -1, 2)


@mistake("shift_matrix", "expected: the offset forgotten in the angles")
def shift_by_one_always(offset, d_model, base=10000.0):
    """Your matrix moves the encoding by one position, regardless of the offset. The rule: pair i rotates by
    offset · ω_i."""
    return sinusoidal.shift_matrix(1, d_model, base)


vars().update(
    chain(
        without_effect(sinusoidal.frequencies, "base"),
        without_effect(sinusoidal.wavelengths, "base"),
        without_effect(sinusoidal.offset_similarity, "base"),
        without_effect(sinusoidal.shift_matrix, "base"),
    )
)


@another_correct_way("offset_similarity", "sinusoidal_encoding")
def similarity_of_two_encodings(course, offsets, d_model, base=10000.0):
    """Similarities computed as dot products of each encoding with that of position 0."""
    return course.sinusoidal_encoding(offsets, d_model, base) @ course.sinusoidal_encoding(0, d_model, base)


WRONG_ANSWERS = {
    "slowest_wavelength_512": {
        2 * np.pi * 10000: "This is 2π · base, as the paper's text says; the last exponent is (d − 2)/d, one step "
        "below 1.",
        62832: "This is 2π · base, as the paper's text says; the last exponent is (d − 2)/d, one step below 1.",
        10000: "This is the base; a wavelength is 2π divided by a frequency, here that of the slowest pair.",
        9647: "You took 1 divided by the frequency; a full turn is 2π radians.",
        61711: "Your last exponent is (d − 1)/d; exponents go in steps of 2/d, so the last one is (d − 2)/d.",
        60612: "You rounded up; the question asks for the nearest integer.",
        512: "This is d_model; a wavelength is 2π divided by a frequency, and the slowest pair has the smallest "
        "frequency.",
    },
    "fastest_wavelength": {
        1: "1 is the frequency, one radian per position; a wavelength is 2π divided by the frequency.",
        np.pi: "This is half a turn; a wave repeats after a full turn, 2π radians.",
        1 / (2 * np.pi): "This is turns per position; a wavelength is positions per turn.",
        6: "You rounded to a whole number; a wavelength need not be one. Give five digits or an expression.",
    },
    "similarity_at_zero_512": {
        512: "You counted each feature as 1; a pair of features is a sine and a cosine of the same angle, and their "
        "squares add up to 1.",
        1: "This is one pair; the dot product adds up all pairs of features.",
        16: "This is the length of PE(p); the dot product of a vector with itself is the square of its length.",
        0: "A vector's dot product with itself is 0 only if all of its features are 0.",
    },
}
