"""Plain implementation of the extrapolation experiment: random positions come from a permutation of all positions."""

import numpy as np


def random_positions(length, max_length, rng):
    return np.sort(rng.permutation(max_length)[:length])


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    longest = 0
    for length, accuracy in sorted(zip(lengths, accuracies, strict=True)):
        if not accuracy >= threshold:
            break
        longest = int(length)
    return longest
