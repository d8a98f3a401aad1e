"""The first attempts with texts of digits and numpy's unpackbits; read-only and strided results."""

import numpy as np


def add_integer_positions(x):
    columns = np.swapaxes(x, -1, -2)
    return np.swapaxes(columns + np.arange(columns.shape[-1], dtype=np.float64), -1, -2)


def normalized_positions(length):
    positions = np.arange(length) / max(length - 1, 1)
    positions.flags.writeable = False
    return positions


def bits_needed(length):
    return len(f"{max(length - 1, 0):b}")


def _write(numbers, n_bits):
    bytes_of_each = np.asarray(numbers, dtype=">u8")[:, None].view(np.uint8)
    return np.unpackbits(bytes_of_each, axis=1)[:, 64 - n_bits :].astype(np.int64)


def binary_positions(length, n_bits=None):
    return _write(np.arange(length), n_bits or bits_needed(length))


def bit_period(bit):
    return int("1" + "0" * (bit + 1), 2)


def hamming_steps(codes):
    codes = np.asarray(codes).astype(bool)
    return np.logical_xor(codes[1:], codes[:-1]).sum(-1)


def gray_positions(length, n_bits=None):
    plain = binary_positions(length, n_bits)
    shifted = np.concatenate([np.zeros_like(plain[:, :1]), plain[:, :-1]], axis=1)
    return np.asfortranarray(np.abs(plain - shifted))
