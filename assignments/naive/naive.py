"""Three honest first attempts to tell attention where a token stands.

Attention cannot see order, so something that depends on the position must enter the features. The first
idea is the position itself: a number that grows without bound, until it is much larger than the features.
The second idea divides by the last position. Now the size is right, but the same position gets another
number in a sequence of another length. The third idea writes the position in binary: bounded, unique, and
with a fixed number of bits the same in every sequence. But the codes of neighbours can differ in every bit.
Each idea fails for a reason that later encodings answer. They keep one idea from the binary code: many
features, and each repeats with its own period.

Conventions: positions count from 0; `...` is any number of leading axes, even none; the last two axes of
features are (sequence, feature). Codes have the most significant bit first, as numbers are written. Bit 0
is the least significant bit. The result of `add_integer_positions` is float32 if x is float32, else
float64; other positions are float64.
Only the functions with a line `Raises` must refuse a bad argument.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays, or lists, as float64 arrays, and the dtype of the result: float32 if all of them are float32.

    This function is already written in the file of every lesson; lesson 1 says how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def integer_positions(length):
    """Return the number of each token as its position: the first attempt.

        p_i = i,   i = 0 … T − 1

    Parameters: `length`, the number of tokens T, an int.
    Returns: float64, shape (T,).
    Example: integer_positions(4) is [0, 1, 2, 3].
    """
    raise NotImplementedError("integer_positions is not written yet")


def add_integer_positions(x):
    """Add a token's number to every one of its features.

        y[..., i, :] = x[..., i, :] + i

    The features of a token are about 1 or less; at position 500 the added 500 is much larger. All positions
    add to the same direction, (1, 1, …, 1), and differ only in size. A layer that subtracts the mean over
    the features (LayerNorm) removes this completely.

    Parameters: `x`, shape (..., T, d).
    Returns: the shape of x. x itself does not change.
    Example: add_integer_positions([[0.5, -0.5], [0.5, -0.5]]) is [[0.5, −0.5], [1.5, 0.5]].
    """
    raise NotImplementedError("add_integer_positions is not written yet")


def normalized_positions(length):
    """Divide by the last position, so that every sequence runs from 0 to 1: the second attempt.

        p_i = i / (L − 1),   i = 0 … L − 1;   [0] for L = 1

    The step between neighbours is 1/(L − 1), so it depends on the length. One position has many numbers, and
    one number means many positions.

    Parameters: `length`, the number of tokens L, an int.
    Returns: float64, shape (L,).
    Example: normalized_positions(5) is [0, 0.25, 0.5, 0.75, 1].
    """
    raise NotImplementedError("normalized_positions is not written yet")


def bit_period(bit):
    """Return the number of positions after which a bit of the binary code repeats.

        period = 2^(bit + 1)

    Bit 0 goes 0, 1, 0, 1, …: its period is 2, not 1. Each next bit changes half as often. The sinusoidal
    encoding also has one period per pair of features, but with smooth waves.

    Parameters: `bit`, an int, 0 for the least significant bit.
    Returns: an int.
    Example: bit_period(0) is 2, bit_period(3) is 16.
    """
    raise NotImplementedError("bit_period is not written yet")


def bits_needed(length):
    """Return the number of bits that the positions 0 … L − 1 need; at least one.

        n = max(⌈log₂ L⌉, 1)

    The largest number to write is the last position, L − 1. So 8 tokens need three bits, and 9 need four. A
    logarithm is rounded and can be on the wrong side of a whole number (math.log(2**29) / math.log(2) is
    29.000000000000004); whole numbers are exact.

    Parameters: `length`, the number of tokens L, an int.
    Returns: an int.
    Example: bits_needed(8) is 3 (positions 0 … 7), bits_needed(9) is 4.
    """
    raise NotImplementedError("bits_needed is not written yet")


def binary_positions(length, n_bits=None):
    """Return one feature for each binary digit of the position: the third attempt.

        code[p, c] = ⌊p / 2^b⌋ mod 2,   b = n_bits − 1 − c      (c = 0 is the most significant bit)

    Every value is 0 or 1, and every position up to 2^n_bits − 1 has its own code, the same for every length.
    A column of the result is one bit: bit b is a square wave of period 2^(b+1).

    Parameters: `length`, the number of tokens T, an int; `n_bits`, an int, bits_needed(length) if None.
    Returns: int64, shape (T, n_bits), the most significant bit first.
    Raises: ValueError if n_bits is too small for position T − 1.
    Example: binary_positions(3) is [[0, 0], [0, 1], [1, 0]].
    """
    raise NotImplementedError("binary_positions is not written yet")


def hamming_steps(codes):
    """Count the bits that change from each position to the next.

        steps[p] = number of columns c with codes[p, c] ≠ codes[p + 1, c],   p = 0 … T − 2

    A smooth encoding would change by about the same amount at every step. The square root of a number in
    the result is the Euclidean distance between the two codes.

    Parameters: `codes`, shape (T, n_bits), T at least 1, of zeros and ones.
    Returns: int64, shape (T − 1,).
    Example: hamming_steps(binary_positions(3)) is [1, 2]: 00 → 01 → 10.
    Source: Hamming 1950, for the distance.
    """
    raise NotImplementedError("hamming_steps is not written yet")


def gray_positions(length, n_bits=None):
    """Reflected Gray code: every step changes exactly one bit.

        gray(p) = p XOR ⌊p / 2⌋,   written as in binary_positions

    The code is still not smooth. The bit that changes jumps from 0 to 1, and there is no code between two
    positions. Close codes also do not mean close positions: with three bits, positions 0 (000) and 7 (100)
    differ in one bit, but 0 and 2 (011) differ in two.

    Parameters, returns and errors: as binary_positions.
    Example: gray_positions(4) is [[0, 0], [0, 1], [1, 1], [1, 0]].
    Source: Gray 1953 (US patent 2,632,058).
    """
    raise NotImplementedError("gray_positions is not written yet")


# Answer with a number; you may write a fraction as one.
ANSWERS = {
    # What is the normalized position of the token at position 5 in a sequence of 10 tokens?
    "normalized_5_of_10": None,
    # And what is it for the token at position 5 in a sequence of 1000 tokens?
    "normalized_5_of_1000": None,
    # How many bits do you need to write every position of a sequence of 512 tokens?
    "bits_for_512": None,
    # How many bits of the binary code change from position 3 to position 4?
    "bits_flipped_3_to_4": None,
    # What is the normalized position of the token at position 255 in a sequence of 512 tokens?
    "middle_of_512": None,
    # For practice, no points. A feature is 1: at which position is it 1 % of the sum of feature and position?
    "position_that_leaves_one_percent": None,
    # For practice, no points. Which is the first position with the same float16 number as the position before it?
    "first_position_lost_in_float16": None,
}
