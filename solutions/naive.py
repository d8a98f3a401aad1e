"""Three simple first attempts to give attention the position of each token.

Attention cannot see order, so the features must include something that depends on the position. The first idea is to
use the position itself: a number that grows without bound until it is much larger than the features. The second idea is
to divide by the last position. After this division, no number exceeds 1, but the same position gets a different number
in a sequence of a different length. The third idea is to write the position in binary: bounded, unique, and the same in
every sequence if the number of bits is fixed. But neighbouring binary codes can differ in every bit. Each idea fails
for a reason that later encodings address. Later encodings keep one idea from the binary code: many features, each with
its own period.

Conventions: positions start at 0; `...` stands for any number of leading axes, possibly none; the last two
axes of features are (sequence, feature). The most significant bit of a code comes first, as in a written
number; bit 0 is the least significant. The result of `add_integer_positions` is float32 if x is float32, else
float64; positions that are not binary codes are float64.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


# BEGIN SOLUTION
# Several functions share these rules.


def _check_length(length):
    if length < 0:
        raise ValueError(f"length must not be negative; got {length}")


def _check_bits(length, n_bits):
    """Return n_bits or, if n_bits is None, the number of bits that positions 0 … length − 1 need."""
    needed = bits_needed(length)
    if n_bits is None:
        return needed
    if n_bits < needed:
        raise ValueError(f"{length} positions need {needed} bits; got n_bits = {n_bits}")
    return n_bits


def _to_bits(numbers, n_bits):
    """Return each number as a row of bits, most significant first."""
    shifts = np.arange(n_bits - 1, -1, -1)
    return (numbers[:, np.newaxis] >> shifts) & 1


# END SOLUTION


def integer_positions(length):
    """Return each token's index as its position: the first attempt.

        p_i = i,   i = 0 … T − 1

    Parameters: `length`, the number of tokens T, an int.
    Returns: float64, shape (T,).
    Example: integer_positions(4) is [0, 1, 2, 3].
    """
    # BEGIN SOLUTION
    _check_length(length)
    return np.arange(length, dtype=np.float64)
    # END SOLUTION


def add_integer_positions(x):
    """Add each token's index to all of its features.

        y[..., i, :] = x[..., i, :] + i

    A token's features are about 1 or less, so the 500 that is added at position 500 is much larger. Every position adds
    a vector in the same direction, (1, 1, …, 1); only the length of the vector differs. A layer that subtracts the mean
    over the features (LayerNorm) removes such a vector completely.

    Parameters: `x`, shape (..., T, d).
    Returns: the shape of x. x itself does not change.
    Example: add_integer_positions([[0.5, -0.5], [0.5, -0.5]]) is [[0.5, −0.5], [1.5, 0.5]].
    """
    # BEGIN SOLUTION
    x, dtype = _features(x)
    length, n_features = x.shape[-2:]
    if n_features < 1:
        raise ValueError(f"x needs at least one feature; got shape {x.shape}")
    return (x + integer_positions(length)[:, np.newaxis]).astype(dtype)
    # END SOLUTION


def normalized_positions(length):
    """Divide each index by the last one, so that positions run from 0 to 1 in every sequence: the second attempt.

        p_i = i / (L − 1),   i = 0 … L − 1;   [0] for L = 1

    The step between neighbours is 1/(L − 1), so it depends on the length. In sequences of different lengths,
    the same position gets different numbers, and the same number stands for different positions.

    Parameters: `length`, the number of tokens L, an int.
    Returns: float64, shape (L,).
    Example: normalized_positions(5) is [0, 0.25, 0.5, 0.75, 1].
    """
    # BEGIN SOLUTION
    # For a single token, the result is [0]. numpy raises the ValueError for a negative length, with the length
    # in its message.
    return np.linspace(0.0, 1.0, length)
    # END SOLUTION


def bit_period(bit):
    """Return the number of positions after which a bit of the binary code repeats.

        period = 2^(bit + 1)

    Bit 0 is 0, 1, 0, 1, …, so its period is 2, not 1. Each higher bit changes half as often as the bit below it. The
    sinusoidal encoding also gives each pair of features its own period, but with smooth waves.

    Parameters: `bit`, an int, 0 for the least significant bit.
    Returns: an int.
    Example: bit_period(0) is 2, bit_period(3) is 16.
    """
    # BEGIN SOLUTION
    if bit < 0:
        raise ValueError(f"bit must not be negative; got {bit}")
    return 2 ** (int(bit) + 1)
    # END SOLUTION


def bits_needed(length):
    """Return the number of bits that positions 0 … L − 1 need; the result is at least 1.

        n = max(⌈log₂ L⌉, 1)

    The largest number to write is the last position, L − 1. For example, 8 tokens need three bits, and 9
    tokens need four. A logarithm is rounded and can be slightly above or below the exact whole number
    (math.log(2**29) / math.log(2) is 29.000000000000004); integer arithmetic is exact.

    Parameters: `length`, the number of tokens L, an int.
    Returns: an int.
    Example: bits_needed(8) is 3 (positions 0 … 7), bits_needed(9) is 4.
    """
    # BEGIN SOLUTION
    _check_length(length)
    last = int(length) - 1
    # 0 has no set bit but is still written with one bit. Setting the lowest bit makes no other number longer.
    return (last | 1).bit_length()
    # END SOLUTION


def binary_positions(length, n_bits=None):
    """Return one feature for each binary digit of the position: the third attempt.

        code[p, c] = ⌊p / 2^b⌋ mod 2,   b = n_bits − 1 − c      (c = 0 is the most significant bit)

    Every value is 0 or 1, and every position up to 2^n_bits − 1 has a different code, which does not depend
    on the length. Each column of the result is one bit, and bit b is a square wave of period 2^(b+1).

    Parameters: `length`, the number of tokens T, an int; `n_bits`, an int, bits_needed(length) if None.
    Returns: int64, shape (T, n_bits), the most significant bit first.
    Raises: ValueError if n_bits is too small for position T − 1.
    Example: binary_positions(3) is [[0, 0], [0, 1], [1, 0]].
    """
    # BEGIN SOLUTION
    n_bits = _check_bits(length, n_bits)
    return _to_bits(np.arange(length), n_bits)
    # END SOLUTION


def hamming_steps(codes):
    """Count the bits that change from each position to the next.

        steps[p] = number of columns c with codes[p, c] ≠ codes[p + 1, c],   p = 0 … T − 2

    A smooth encoding would change by about the same amount at every step. The square root of each count is
    the Euclidean distance between the two codes.

    Parameters: `codes`, shape (T, n_bits), T at least 1, of zeros and ones.
    Returns: int64, shape (T − 1,).
    Example: hamming_steps(binary_positions(3)) is [1, 2]: 00 → 01 → 10.
    Source: Hamming 1950, for the distance.
    """
    # BEGIN SOLUTION
    codes = np.asarray(codes)
    return np.count_nonzero(codes[1:] != codes[:-1], axis=1)
    # END SOLUTION


def gray_positions(length, n_bits=None):
    """Reflected Gray code: every step changes exactly one bit.

        gray(p) = p XOR ⌊p / 2⌋,   written as in binary_positions

    The Gray code is still not smooth. The bit that changes jumps between 0 and 1, with no code between those of two
    neighbouring positions. Similar codes do not mean nearby positions either: with three bits, positions 0 (000) and 7
    (100) differ in one bit, but 0 and 2 (011) differ in two.

    Parameters, returns and errors: as binary_positions.
    Example: gray_positions(4) is [[0, 0], [0, 1], [1, 1], [1, 0]].
    Source: Gray 1953 (US patent 2,632,058).
    """
    # BEGIN SOLUTION
    n_bits = _check_bits(length, n_bits)
    positions = np.arange(length)
    return _to_bits(positions ^ (positions >> 1), n_bits)
    # END SOLUTION


# Answer with a number; you may write it as a fraction.
ANSWERS = {
    # What is the normalized position of the token at position 5 in a sequence of 10 tokens?
    "normalized_5_of_10": 5 / 9,  # the last position is 9
    # And what is it for the token at position 5 in a sequence of 1000 tokens?
    "normalized_5_of_1000": 5 / 999,  # the same position, 111 times smaller
    # How many bits do you need to write every position of a sequence of 512 tokens?
    "bits_for_512": 9,  # the last position is 511 = 2⁹ − 1
    # How many bits of the binary code change from position 3 to position 4?
    "bits_flipped_3_to_4": 3,  # 011 → 100
    # What is the normalized position of the token at position 255 in a sequence of 512 tokens?
    "middle_of_512": 255 / 511,  # an even number of tokens has no middle token
    # For practice, no points. A feature is 1. At which position is it 1 % of the sum of the feature and the
    # position?
    "position_that_leaves_one_percent": 99,  # 1 / (1 + 99)
    # For practice, no points. What is the first position with the same float16 value as the position before it?
    "first_position_lost_in_float16": 2049,  # 11 significant bits count up to 2048 = 2¹¹, then in steps of 2
}
