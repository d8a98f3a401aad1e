"""Plain implementation of naive positions: a list of all n-bit codes, cut to the length of the text."""

import numpy as np


def bits_needed(length):
    bits = 1
    while 2**bits < length:
        bits += 1
    return bits


def binary_positions(length, n_bits=None):
    n_bits = bits_needed(length) if n_bits is None else n_bits
    codes = np.zeros((1, 0), dtype=np.int64)
    for _ in range(n_bits):
        zeros, ones = np.zeros((len(codes), 1), dtype=np.int64), np.ones((len(codes), 1), dtype=np.int64)
        codes = np.concatenate([np.hstack([zeros, codes]), np.hstack([ones, codes])])
    return codes[:length]


def gray_positions(length, n_bits=None):
    n_bits = bits_needed(length) if n_bits is None else n_bits
    codes = np.zeros((1, 0), dtype=np.int64)
    for _ in range(n_bits):
        zeros, ones = np.zeros((len(codes), 1), dtype=np.int64), np.ones((len(codes), 1), dtype=np.int64)
        codes = np.concatenate([np.hstack([zeros, codes]), np.hstack([ones, codes[::-1]])])
    return codes[:length]


def add_integer_positions(x):
    x = np.asarray(x, dtype=float)
    return x + np.broadcast_to(np.arange(x.shape[-2])[:, np.newaxis], x.shape)
