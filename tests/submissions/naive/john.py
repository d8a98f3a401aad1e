import numpy as np


def integer_positions(length):
    if length < 0:
        raise ValueError("length must be positive")
    result = np.zeros(length)
    for i in range(length):
        result[i] = i
    return result


def add_integer_positions(x):
    result = np.array(x, dtype=float)
    for i in range(result.shape[0]):
        result[i] += i
    return result


def normalized_positions(length):
    if length == 1:
        return [0.0]
    return integer_positions(length) / (length - 1)


def bits_needed(length):
    if length < 0:
        raise ValueError(f"length {length}")
    return max(len(bin(length)) - 2, 1)


def binary_positions(length, n_bits=None):
    if n_bits is None:
        n_bits = bits_needed(length)
    if n_bits < bits_needed(length):
        raise ValueError(f"{n_bits} bits are not enough")
    return np.array([[int(b) for b in format(i, "b").zfill(n_bits)] for i in range(length)])


def bit_period(bit):
    if bit < 0:
        raise ValueError(f"bit {bit}")
    return 2.0 ** (bit + 1)


def hamming_steps(codes):
    steps = []
    for i in range(len(codes) - 1):
        steps.append(sum(a != b for a, b in zip(codes[i], codes[i + 1])))
    return np.array(steps)


def gray_positions(length, n_bits=None):
    if n_bits is None:
        n_bits = bits_needed(length)
    if n_bits < bits_needed(length):
        raise ValueError(f"{n_bits} bits are not enough")
    return np.array([[int(b) for b in format(i ^ (i >> 1), "b").zfill(n_bits)] for i in range(length)])


ANSWERS = {
    "normalized_5_of_10": 5 / 9,
    "normalized_5_of_1000": 5 / 999,
    "bits_for_512": 10,
    "bits_flipped_3_to_4": 3,
    "middle_of_512": 255 / 511,
}
