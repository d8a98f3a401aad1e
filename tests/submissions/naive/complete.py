# Assignment 2, Hedy. Bits with divisions, Gray code from neighbouring columns.
import numpy as np


def _natural(n):
    if n < 0:
        raise ValueError(f"{n} tokens make no text")
    return n


def integer_positions(length):
    return np.cumsum(np.ones(_natural(length))) - 1


def add_integer_positions(x):
    x = np.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"I need (..., tokens, features) and got {x.shape}")
    if x.shape[-1] == 0:
        raise ValueError(f"no features in {x.shape}")
    p = integer_positions(x.shape[-2]).reshape(-1, 1)
    return x + p.astype(np.float32) if x.dtype == np.float32 else x + p


def normalized_positions(length):
    if length == 1:
        return np.zeros(1)
    return np.linspace(0, 1, _natural(length))


def bits_needed(length):
    # the digits of the last position
    return len(np.binary_repr(max(_natural(length) - 1, 0)))


def binary_positions(length, n_bits=None):
    needed = bits_needed(length)
    if n_bits is None:
        n_bits = needed
    elif n_bits < needed:
        raise ValueError(f"{n_bits} bits are too few, {needed} are needed for {length} positions")
    values = 2 ** np.arange(n_bits, dtype=np.int64)[::-1]
    return np.floor_divide.outer(np.arange(length, dtype=np.int64), values) % 2


def bit_period(bit):
    if bit < 0:
        raise ValueError(f"bit {bit}?")
    return 2 << bit


def hamming_steps(codes):
    codes = np.asarray(codes)
    if codes.ndim != 2:
        raise ValueError(f"codes of shape {codes.shape} are not a table")
    return np.abs(np.diff(codes.astype(int), axis=0)).sum(axis=1)


def gray_positions(length, n_bits=None):
    binary = binary_positions(length, n_bits)
    # a Gray bit says whether the binary bit differs from the one to its left
    left = np.pad(binary, ((0, 0), (1, 0)))[:, :-1]
    return np.bitwise_xor(binary, left)


ANSWERS = {
    "normalized_5_of_10": 0.5556,
    "normalized_5_of_1000": 0.005005,
    "bits_for_512": 9,
    "bits_flipped_3_to_4": 3,
    "middle_of_512": 0.49902,
}
