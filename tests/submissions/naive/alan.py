"""Three honest first attempts.

Loops over bits only. The Gray code is built by reflection: write the codes, write them again backwards, and put a 0
in front of the first half and a 1 in front of the second.
"""

from fractions import Fraction

import numpy as np


class Negative(ValueError):
    def __init__(self, what, value):
        super().__init__("%s = %r is negative" % (what, value))


def integer_positions(length):
    if length < 0:
        raise Negative("length", length)
    return np.fromiter(range(length), dtype=float, count=length)


def add_integer_positions(x):
    x = np.array(x, dtype=np.float32 if getattr(x, "dtype", None) == np.float32 else np.float64)
    if x.ndim < 2 or not x.shape[-1]:
        raise ValueError("wrong shape: " + str(x.shape))
    moved = np.moveaxis(x, -2, -1)  # a copy's view, so adding in place is fine
    moved += np.arange(moved.shape[-1])
    return x


def normalized_positions(length):
    p = integer_positions(length)
    return p / p.max() if length > 1 else p


def bits_needed(length):
    if length < 0:
        raise Negative("length", length)
    bits = 1
    while 1 << bits < length:
        bits += 1
    return bits


def _columns(length, n_bits):
    enough = bits_needed(length)
    n_bits = enough if n_bits is None else n_bits
    if n_bits < enough:
        raise ValueError("%d positions do not fit %d bits" % (length, n_bits))
    return n_bits


def binary_positions(length, n_bits=None):
    n_bits = _columns(length, n_bits)
    rest = np.arange(length)
    code = np.zeros((length, n_bits), dtype=np.int64)
    for column in reversed(range(n_bits)):
        rest, code[:, column] = np.divmod(rest, 2)
    return code


def bit_period(bit):
    if bit < 0:
        raise Negative("bit", bit)
    return int(2 / Fraction(1, 2**bit))


def hamming_steps(codes):
    codes = np.asarray(codes)
    if codes.ndim != 2:
        raise ValueError("codes have shape " + str(codes.shape))
    before, after = codes[:-1], codes[1:]
    return np.sum(before ^ after, axis=1, dtype=np.int64)


def gray_positions(length, n_bits=None):
    n_bits = _columns(length, n_bits)
    code = np.zeros((1, 0), dtype=np.int64)
    while code.shape[1] < bits_needed(length):
        half = len(code)
        front = np.repeat([[0], [1]], half, axis=0)
        code = np.hstack([front, np.vstack([code, code[::-1]])])
    spare = np.zeros((length, n_bits - code.shape[1]), dtype=np.int64)
    return np.hstack([spare, code[:length]])


ANSWERS = {
    "normalized_5_of_10": 5 / 9,
    "normalized_5_of_1000": 5 / 999,
    "bits_for_512": 9,
    "bits_flipped_3_to_4": 3,
    "middle_of_512": 255 / 511,
}
