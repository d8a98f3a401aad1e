"""Wrong versions of the functions of naive, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import naive


@mistake("integer_positions", "1|first")
def integer_positions_from_one(length):
    return np.arange(1.0, length + 1)


@mistake("add_integer_positions", "feature|column|axis")
def number_of_the_feature_added(x):
    return np.asarray(x) + np.arange(np.shape(x)[-1])


@mistake("normalized_positions", "L|length|last")
def divided_by_the_length(length):
    return np.arange(length) / length


@mistake("bits_needed", "last|power|too many|L − 1|highest|number to write")
def bits_of_the_length(length):
    return int(length).bit_length()


@mistake("binary_positions", "1|first|position 0")
def codes_from_one(length, n_bits=None):
    return naive.binary_positions(length + 1, n_bits or naive.bits_needed(length))[1:]


@mistake("bit_period", "half|2|twice")
def period_without_plus_one(bit):
    return 2**bit


@mistake("hamming_steps", "sign|cancel|abs|direction|differ|−1")
def signed_steps(codes):
    return np.diff(np.asarray(codes), axis=0).sum(axis=1)


@mistake("hamming_steps", "last|round|first|wrap|step")
def steps_around(codes):
    codes = np.asarray(codes)
    return (codes != np.roll(codes, -1, axis=0)).sum(axis=1)


@mistake("gray_positions", "inverse|undo|decod|back|opposite")
def gray_decoded(length, n_bits=None):
    return np.bitwise_xor.accumulate(naive.binary_positions(length, n_bits), axis=1)
