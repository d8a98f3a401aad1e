"""Known mistakes with the first three attempts: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint leaves the fix to the student.
"""

import math
from itertools import chain

import numpy as np

from autograder.hints.catalogue import another_correct_way, mistake, without_effect
from solutions import naive


@mistake("integer_positions", "expected: people count from 1")
def positions_count_from_one(length):
    """Your positions count from 1. The rule: the first token has position 0."""
    return naive.integer_positions(length) + 1


@mistake("add_integer_positions", "expected: broadcasting lines up the last axis")
def positions_run_along_the_features(x):
    """You added each feature's number. The rule: add each token's position, counted along the second-to-last axis."""
    return x + np.arange(naive.add_integer_positions(x).shape[-1])


@mistake("add_integer_positions", "expected: len(x) is the number of tokens only if there are two axes")
def positions_run_along_the_batch(x):
    """Your positions run along the first axis, the batch. The rule: the token axis is the second-to-last axis."""
    return x + np.arange(len(x)).reshape(-1, *(1,) * (naive.add_integer_positions(x).ndim - 1))


@mistake("add_integer_positions", "expected: people count from 1")
def added_positions_count_from_one(x):
    """You added 1 to the first row. The rule: positions count from 0, so row 0 does not change."""
    return naive.add_integer_positions(x) + 1


@mistake("add_integer_positions", "expected: the two operators swapped")
def positions_multiplied_in(x):
    """You multiplied each row by its position, so row 0 becomes 0. The rule: the position is added to the features."""
    right = naive.add_integer_positions(x)
    return np.asarray(x) * naive.integer_positions(right.shape[-2])[:, np.newaxis]


@mistake("normalized_positions", "expected: many articles divide by the length")
def divided_by_the_length(length):
    """You divided by the number of tokens, so the last token does not get 1. The rule: divide by L − 1."""
    return naive.integer_positions(length) / max(length, 1)


@mistake("normalized_positions", "edgeimpulse/inferencing-sdk-cpp #1; deeplearning4j/deeplearning4j #8550")
def one_token_divided_by_zero(length):
    """You computed 0/0 for a single token. The rule: the position of a single token is 0."""
    return naive.integer_positions(length) / np.float64(length - 1)


@mistake("normalized_positions", "expected: CoordConv scales coordinates this way (Liu et al. 2018)")
def normalized_from_minus_one(length):
    """Your positions run from −1 to 1. The rule: the first token gets 0, and the last one gets 1."""
    return 2 * naive.normalized_positions(length) - (length > 1)


# bits_needed
# The first entry that fits gives the hint. Where a rounded logarithm is wrong, its result is that of another entry, so
# the two entries with logarithms come first.


@mistake("bits_needed", "amaranth-lang/amaranth-soc #50; pymtl/pymtl3 #289")
def bits_from_a_logarithm_of_base_two(length):
    """You used a rounded logarithm, which can be too small just above a power of two. The rule: count in whole
    numbers."""
    return naive.bits_needed(length) if length < 2 else math.ceil(math.log2(length))


@mistake("bits_needed", "ucb-bar/chisel2-deprecated #489")
def bits_from_a_quotient_of_logarithms(length):
    """You divided two logarithms, but rounding can push the quotient just above a whole number, which gives one
    bit too many. The rule: count in whole numbers."""
    return naive.bits_needed(length) if length < 2 else math.ceil(math.log(length) / math.log(2))


@mistake("bits_needed", "antonblanchard/microwatt #360")
def bits_of_the_length(length):
    """You counted the bits of L. The rule: the largest number to encode is the last position, L − 1."""
    return int(length).bit_length()


@mistake("bits_needed", "expected: int() instead of a ceiling")
def bits_rounded_down(length):
    """You rounded the logarithm down, so the last positions have no code. The rule: round up."""
    return naive.bits_needed(length) if length < 2 else int(length).bit_length() - 1


@mistake("bits_needed", "expected: round() instead of a ceiling")
def bits_rounded_to_the_nearest(length):
    """You rounded the logarithm to the nearest whole number, so some positions have no code. The rule: round up."""
    return naive.bits_needed(length) if length < 3 else round(math.log2(length))


@mistake("bits_needed", "expected: the ceiling of the formula, and the last position instead of the length")
def bits_from_the_logarithm_of_the_last_position(length):
    """You rounded up the logarithm of the last position, so a position that is a power of two gets one bit too
    few. The rule: n bits can represent the numbers from 0 to 2^n − 1, so 2^n itself needs n + 1 bits."""
    return math.ceil(math.log2(length - 1)) if length > 2 else 1


@mistake("bits_needed", "expected: the last position instead of the length, and int() as a ceiling")
def bits_from_the_logarithm_of_the_last_position_rounded_down(length):
    """You rounded down the logarithm of the last position, so every position from 2 on gets one bit too few. The
    rule: a number whose logarithm has the integer part n needs n + 1 bits."""
    return int(math.log2(length - 1)) if length > 2 else 1


@mistake("bits_needed", "expected: the formula without its lower bound")
def no_bit_for_one_token(length):
    """You gave a single token no bits, because ⌈log₂ 1⌉ is 0. The rule: the result is at least 1."""
    return naive.bits_needed(length) - (length == 1)


@mistake("binary_positions", "jscott3201/rusty-bacnet #203")
def least_significant_bit_first(length, n_bits=None):
    """Your bits are in the opposite order. The rule: the most significant bit comes first, just as in written
    numbers."""
    return naive.binary_positions(length, n_bits)[:, ::-1]


@mistake("binary_positions", "expected: padding usually goes at the end")
def zeros_behind_the_number(length, n_bits=None):
    """You put the extra columns after the number. The rule: the zeros come before the number."""
    spare = naive.binary_positions(length, n_bits).shape[-1] - naive.bits_needed(length)
    return np.roll(naive.binary_positions(length, n_bits), -spare, axis=-1)


@mistake("binary_positions", "expected: the shift without the & 1")
def quotients_in_place_of_bits(length, n_bits=None):
    """You divided by 2^b but kept all bits of the quotient. The rule: take the quotient modulo 2, so that every entry
    is 0 or 1."""
    n_bits = naive.binary_positions(length, n_bits).shape[-1]
    return np.arange(length)[:, np.newaxis] >> np.arange(n_bits)[::-1]


@mistake("bit_period", "expected: the value of a bit mistaken for its period")
def half_the_period(bit):
    """You returned half of the period. The rule: bit 0 goes 0, 1, 0, 1, …, so it repeats after two positions."""
    return naive.bit_period(bit) // 2


@mistake("bit_period", "expected: a product where a power is meant")
def period_grows_by_addition(bit):
    """Your periods grow by 2 from bit to bit. The rule: each bit changes half as often as the bit before it,
    so its period is twice as long."""
    return 2 * (bit + 1)


@mistake("hamming_steps", "expected: the sums compared instead of the bits, or the absolute value taken after the sum")
def difference_of_the_sums(codes):
    """In your count, a bit that rises cancels a bit that falls, as from 01 to 10, so you compare only how many
    ones each code has. The rule: each bit that changes counts as one, in either direction."""
    return np.abs(np.diff(np.sum(codes, axis=-1))).astype(np.int64)


@mistake("hamming_steps", "expected: np.diff without the absolute value")
def changes_with_their_sign(codes):
    """You counted a bit that goes from 1 to 0 as −1. The rule: each bit that changes counts as 1."""
    return np.diff(codes, axis=0).sum(axis=-1).astype(np.int64)


@mistake("hamming_steps", "expected: codes[0] for codes[:-1]")
def steps_from_the_first_code(codes):
    """You compared each code with the code of position 0. The rule: compare each code with the code of the
    position before it."""
    return np.count_nonzero(codes[1:] != codes[:1], axis=-1)


@mistake("hamming_steps", "expected: any() where a count is meant")
def whether_anything_changes(codes):
    """You returned whether anything changes. The rule: count how many bits change."""
    return np.minimum(naive.hamming_steps(codes), 1)


@mistake("hamming_steps", "expected: np.roll closes the sequence into a ring")
def steps_around_a_ring(codes):
    """You returned one number too many, the step from the last position back to the first. The rule: T positions
    have T − 1 steps."""
    return np.count_nonzero(codes != np.roll(codes, -1, axis=0), axis=-1).astype(np.int64)


@mistake("hamming_steps", "expected: the sum over the wrong axis")
def changes_of_each_bit(codes):
    """You counted how often each bit changes in the whole sequence. The rule: for each step, return the
    number of bits that change."""
    codes = np.asarray(codes)
    return np.count_nonzero(codes[1:] != codes[:-1], axis=0)


@mistake("hamming_steps", "expected: the wrong axis")
def columns_compared(codes):
    """You compared neighbouring columns of one code. The rule: compare each row with the next row, and count over the
    columns."""
    codes = np.asarray(codes)
    return np.count_nonzero(codes[:, 1:] != codes[:, :-1], axis=0)


@mistake("hamming_steps", "expected: scipy.spatial.distance.hamming returns a fraction")
def share_of_changed_bits(codes):
    """You returned the fraction of bits that change. The rule: count the bits that change."""
    return naive.hamming_steps(codes) / np.shape(codes)[-1]


@mistake("gray_positions", "expected: << for >>")
def gray_of_the_double(length, n_bits=None):
    """You combined the position with its double. The rule: Gray code combines the position with its half,
    ⌊p/2⌋."""
    n_bits = naive.gray_positions(length, n_bits).shape[-1]
    doubled = np.arange(length) ^ (np.arange(length) << 1)
    return naive.binary_positions(2 ** (n_bits + 1), n_bits + 1)[doubled, 1:]


@mistake("gray_positions", "expected: the formula without its last words")
def gray_numbers(length, n_bits=None):
    """You returned the numbers p XOR ⌊p/2⌋ themselves. The rule: write each number in binary, with one column per bit,
    as in binary_positions."""
    return np.arange(length) ^ (np.arange(length) >> 1)


@mistake("gray_positions", "expected: running sums belong to the decoder")
def gray_decoded(length, n_bits=None):
    """You computed the number that a Gray code represents, which is the opposite direction. The rule: a Gray bit
    is the exclusive or of exactly two adjacent bits of the number."""
    return np.cumsum(naive.binary_positions(length, n_bits), axis=-1) % 2


@mistake("gray_positions", "expected: np.roll for a shift of the columns")
def gray_shifted_in_a_circle(length, n_bits=None):
    """You rotated the bits, so the lowest bit came back at the top. The rule: half of p is ⌊p/2⌋, whose highest bit is
    0."""
    n_bits = naive.gray_positions(length, n_bits).shape[-1]
    codes = naive.binary_positions(length, n_bits)
    return codes ^ np.roll(codes, 1, axis=-1)


@mistake("gray_positions", "expected: as for the binary code")
def gray_with_the_least_significant_bit_first(length, n_bits=None):
    """Your bits are in the opposite order. The rule: the most significant bit comes first, as in binary_positions."""
    return naive.gray_positions(length, n_bits)[:, ::-1]


@mistake("gray_positions", "expected: & for ^")
def gray_with_and(length, n_bits=None):
    """You combined the position and its half with `and`, so few ones are left. The rule: use the exclusive or,
    which is 1 where the two bits differ."""
    n_bits = naive.gray_positions(length, n_bits).shape[-1]
    numbers = np.arange(length) & (np.arange(length) >> 1)
    return (numbers[:, np.newaxis] >> np.arange(n_bits)[::-1]) & 1


@mistake("gray_positions", "expected: | for ^")
def gray_with_a_plain_or(length, n_bits=None):
    """You combined the position and its half with a plain or. The rule: use the exclusive or, which is 0 where
    both bits are 1."""
    n_bits = naive.gray_positions(length, n_bits).shape[-1]
    numbers = np.arange(length) | (np.arange(length) >> 1)
    return (numbers[:, np.newaxis] >> np.arange(n_bits)[::-1]) & 1


@mistake("gray_positions", "expected: the body copied from the function above")
def gray_is_binary(length, n_bits=None):
    """Your codes are those of binary_positions. The rule: Gray code combines a position with its half, ⌊p/2⌋, so that
    each step changes one bit."""
    return naive.binary_positions(length, n_bits)


@mistake("normalized_positions", "expected: the last token has 1")
def one_token_at_the_end(length):
    """You gave a single token the position 1. The rule: the first token has position 0, even if it is also the last
    one."""
    return np.ones(1) if length == 1 else naive.normalized_positions(length)


@mistake("normalized_positions", "expected: (i + 1) / L, which also ends at 1")
def first_step_not_at_zero(length):
    """Your first position is 1/L. The rule: positions run from 0 to 1, so i is divided by L − 1."""
    return np.arange(1, length + 1) / max(length, 1)


@mistake("normalized_positions", "expected: as above, and 0 for a single token", hint=first_step_not_at_zero.hint)
def first_step_not_at_zero_unless_alone(length):
    return np.arange(1, length + 1) / length if length > 1 else np.zeros(length)


@mistake("binary_positions", "expected: people count from 1")
def codes_count_from_one(length, n_bits=None):
    """You wrote p + 1. The rule: the first token has position 0, so its code is all zeros."""
    n_bits = naive.binary_positions(length, n_bits).shape[-1]
    return (np.arange(1, length + 1)[:, np.newaxis] >> np.arange(n_bits)[::-1]) & 1


XOR_FOR_POWER = (
    "You wrote ^ for a power; in Python, ^ is the exclusive or of two whole numbers. The rule: raise 2 to the power of "
    "the bit's number, or of the next bit's."
)


@mistake("bit_period", "expected: the sign of a power on paper and in other languages", hint=XOR_FOR_POWER)
def period_from_an_exclusive_or(bit):
    return 2 ^ (bit + 1)


@mistake("binary_positions", "expected: the sign of a power on paper", hint=XOR_FOR_POWER)
def digits_from_an_exclusive_or(length, n_bits=None):
    bits = np.arange(naive.binary_positions(length, n_bits).shape[1])[::-1]
    return np.arange(length)[:, np.newaxis] // (2 ^ bits) % 2


@mistake("binary_positions", "expected: the new axis on the bits instead of the positions")
def one_row_per_bit(length, n_bits=None):
    """You wrote one row per bit. The rule: each position has a row, with one column per bit."""
    return naive.binary_positions(length, n_bits).T


@mistake("hamming_steps", "expected: axis 1 for axis 0")
def bits_compared_with_their_neighbours(codes):
    """You compared adjacent bits of one code. The rule: compare each code with the code of the position before it."""
    return (np.diff(np.asarray(codes), axis=1) != 0).sum(axis=1)


@mistake("normalized_positions", "expected: the centres of L equal cells, as in images")
def tokens_at_the_centres_of_cells(length):
    """Your positions are (i + ½)/L, the centres of L equal cells. The rule: the first token gets 0, and the last one
    gets 1."""
    return (np.arange(length) + 0.5) / max(length, 1)


vars().update(
    chain(
        without_effect(naive.binary_positions, "n_bits"),
        without_effect(naive.gray_positions, "n_bits"),
    )
)


@another_correct_way("normalized_positions", "integer_positions")
def integers_divided_by_the_last(course, length):
    """Integer positions divided by the last position."""
    return course.integer_positions(length) / max(length - 1, 1)


@another_correct_way("gray_positions", "binary_positions")
def gray_of_neighbouring_bits(course, length, n_bits=None):
    """Each bit of the Gray code compares two adjacent bits of the position."""
    codes = course.binary_positions(length, n_bits)
    return np.concatenate([codes[:, :1], codes[:, 1:] ^ codes[:, :-1]], axis=1)


WRONG_ANSWERS = {
    "normalized_5_of_10": {
        0.5: "You divided by the number of tokens. The rule: divide by the last position, so that it becomes 1.",
        0.6: "You counted positions from 1; they count from 0.",
        4 / 9: "You took the fifth token; positions count from 0, so the token at position 5 is the sixth.",
    },
    "normalized_5_of_1000": {
        0.005: "You divided by the number of tokens, or you rounded. The rule: divide by the last position, and "
        "return five correct digits.",
        0.006: "You counted positions from 1; they count from 0.",
        4 / 999: "You took the fifth token; positions count from 0, so the token at position 5 is the sixth.",
        5 / 9: "This is the answer for 10 tokens; here the last position is 999.",
    },
    "bits_for_512": {
        10: "You wrote the number 512 in bits; positions count from 0, so the largest number to write is 511.",
        8: "8 bits can write 256 positions; each extra bit doubles that.",
        512: "You gave each position its own feature; b bits can write 2^b positions.",
    },
    "bits_flipped_3_to_4": {
        1: "3 and 4 differ by 1 as numbers; the question is how many of their bits differ. Write both in binary.",
        2: "You missed a bit; write both numbers with three bits, one above the other.",
        7: "7 is the exclusive or of 3 and 4; the question is how many of its bits are 1.",
    },
    "middle_of_512": {
        0.5: "Positions run from 0 to 511, and halfway between them is 255.5; no token has that position.",
        255 / 512: "You divided by the number of tokens. The rule: divide by the last position, so that it becomes 1.",
        256 / 511: "You took position 256; the token at position 255 has 255 tokens before it.",
    },
}
