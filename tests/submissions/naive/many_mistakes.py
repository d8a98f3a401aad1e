import math

import numpy as np

# no checks, the caller knows what he is doing


def integer_positions(length):
    return np.arange(length, dtype=float)


def add_integer_positions(x):
    x += np.arange(x.shape[-2])[:, None]
    return x


def normalized_positions(length):
    return np.arange(length) / length


def bits_needed(length):
    return math.ceil(math.log(length) / math.log(2))


def binary_positions(length, n_bits=None):
    if n_bits is None:
        n_bits = bits_needed(length)
    return (np.arange(length)[:, None] >> np.arange(n_bits)) & 1


def bit_period(bit):
    return 2**bit


def hamming_steps(codes):
    return (codes[1:] != codes[:-1]).sum(axis=1)


def gray_positions(length, n_bits=None):
    if n_bits is None:
        n_bits = bits_needed(length)
    n = np.arange(length)
    return ((n ^ (n >> 1))[:, None] >> np.arange(n_bits)) & 1


ANSWERS = {
    "normalized_5_of_10": 0.5,
    "normalized_5_of_1000": 0.005,
    "bits_for_512": 9,
    "bits_flipped_3_to_4": 3,
    "middle_of_512": 0.5,
}
