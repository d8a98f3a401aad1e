import numpy as np


def integer_positions(length):
    if length < 0:
        raise ValueError(f"length is {length}")
    return np.arange(length) * 1.0


def add_integer_positions(x):
    x = np.asarray(x)
    if x.ndim < 2 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}")
    out = x.astype(np.float32 if x.dtype == np.float32 else np.float64)
    out += integer_positions(x.shape[-2])[:, None].astype(out.dtype)
    return out


def normalized_positions(length):
    p = integer_positions(length)
    if length < 2:
        return p
    return p / (length - 1)


def bits_needed(length):
    if length < 0:
        raise ValueError(f"length is {length}")
    return max(1, int(np.ceil(np.log2(length))))


def binary_positions(length, n_bits=None):
    raise NotImplementedError("bits from positions")


def bit_period(bit):
    if bit < 0:
        raise ValueError(f"bit is {bit}")
    return 2 ** (bit + 1)


def hamming_steps(codes):
    raise NotImplementedError


def gray_positions(length, n_bits=None):
    raise NotImplementedError


ANSWERS = {
    "normalized_5_of_10": 5 / 9,
    "normalized_5_of_1000": 5 / 999,
    "bits_for_512": 9,
    "bits_flipped_3_to_4": None,
    "middle_of_512": 0.5,
}
