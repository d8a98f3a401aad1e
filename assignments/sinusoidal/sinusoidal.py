"""Sinusoidal encoding: a clock with d/2 hands.

The binary code had the right idea: many digits, each with its own period. But binary digits jump: from 7 to
8, all four digits change at once, with no value in between. Vaswani et al. 2017 use smooth waves instead.
Think of a clock with d/2 hands. Hand i turns by ω_i radians per position: hand 0 turns by one radian, and
each further hand turns by less. The coordinates of each hand's tip are (sin, cos). All values are between −1
and 1, and no value depends on the length of the sequence. A step of k positions rotates each pair by a fixed
angle, the same at every position. Nothing is learned.

Conventions: positions count from 0 and may be any real numbers; `...` stands for any number of leading axes, possibly
none; the last two axes are (sequence, feature). Pair i consists of features 2i and 2i+1, (sin, cos); in the
concatenated layout, of features i and i + d/2. A result is float32 if the feature array is float32, else float64.
Angles are always computed in float64, because large positions lose digits in lower-precision formats.
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


def frequencies(d_model, base=10000.0):
    """Return the angle by which each pair turns per position, in radians.

        ω_i = base^(−2i / d),   i = 0 … d/2 − 1,   d = d_model

    Pair 0 turns by one radian per position. With a base above 1, pair 0 is the fastest pair, and each further pair is
    slower by the same factor. i counts pairs and 2i counts features, so the exponent goes from 0 to −(d − 2)/d, almost
    −1, and not just to −1/2.

    Parameters: `d_model`, an even int; `base`, a positive finite number.
    Returns: float64, shape (d_model/2,).
    Raises: ValueError for an odd d_model.
    Example: frequencies(8) is [1, 0.1, 0.01, 0.001].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("frequencies is not written yet")


def wavelengths(d_model, base=10000.0):
    """Return the number of positions after which each pair has made one full turn.

        λ_i = 2π / ω_i = 2π · base^(2i / d)

    The periods of bits (bit_period in lesson 2) are 2, 4, 8, …; each wavelength is base^(2/d) times the
    previous wavelength.

    Parameters: as for frequencies.
    Returns: float64, shape (d_model/2,), in positions.
    Example: wavelengths(8) is [6.283, 62.83, 628.3, 6283.2]. The last of these wavelengths is 2π·1000, not 2π·base.
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("wavelengths is not written yet")


def sinusoidal_encoding(positions, d_model, base=10000.0):
    """Return the code of each position: the sine and the cosine of every pair's angle, alternating.

        PE(p, 2i)   = sin(p · ω_i)
        PE(p, 2i+1) = cos(p · ω_i)

    The encoding is a formula, not a table: every real position has a code, even a negative or fractional one.

    Parameters: `positions`, a number or an array of numbers of any shape; `d_model`, an even int.
    Returns: float64, shape positions.shape + (d_model,).
    Example: sinusoidal_encoding([0, 1], 4) is [[0, 1, 0, 1], [0.8415, 0.5403, 0.0099998, 0.99995]].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("sinusoidal_encoding is not written yet")


def add_positions(x, base=10000.0):
    """Add the encodings of positions 0 … T−1 to the token embeddings: row t becomes x_t + PE(t).

    Every sequence in a batch gets the same encodings, starting with position 0.

    Parameters: `x`, shape (..., T, d) with d even.
    Returns: the shape of x. x itself does not change.
    Example: add_positions([[10, 10], [10, 10]]) is [[10, 11], [10.8415, 10.5403]].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("add_positions is not written yet")


def offset_similarity(offsets, d_model, base=10000.0):
    """Return, for each offset, the dot product of two encodings whose positions differ by that offset.

        PE(p) · PE(p + k) = Σ_i cos(ω_i · k)   for every p

    The product depends only on the distance: k and −k give the same number. The product is largest at k = 0
    and smaller at large distances, but does not fall at every step.

    Parameters: `offsets`, a real number or an array of them, any shape.
    Returns: float64, the shape of offsets.
    Example: offset_similarity([0, 1], 4) is [2, 1.54025]: cos(0) + cos(0), then cos(1) + cos(0.01).
    Source: sin a sin b + cos a cos b = cos(a − b), summed over the pairs of Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("offset_similarity is not written yet")


def shift_matrix(offset, d_model, base=10000.0):
    """Return the matrix that moves any position's encoding `offset` positions further.

        M · PE(p) = PE(p + offset)   for every p

    M has one 2 × 2 block per pair on its diagonal and zeros elsewhere. Block i is [[cos, sin], [−sin, cos]] at the
    angle offset·ω_i. The matrix follows from sin(a+b) = sin a cos b + cos a sin b and cos(a+b) = cos a cos b − sin a
    sin b. The minus sign is at the lower left of each block because sin comes first in each pair. M is a rotation: Mᵀ M
    is the identity matrix, and a shift by a and then by b is a shift by a + b.

    Parameters: `offset`, one real number, negative to move back.
    Returns: float64, shape (d_model, d_model).
    Example: shift_matrix(1, 2) is [[0.5403, 0.8415], [−0.8415, 0.5403]].
    Source: Vaswani et al. 2017 §3.5 claims the linear map; the matrix follows from the angle-sum identities.
    """
    raise NotImplementedError("shift_matrix is not written yet")


def to_concatenated(pe):
    """Reorder features from [sin, cos, sin, cos, …] to [all the sines | all the cosines].

    Only the layout changes: the values do not change, nor do dot products of two encodings in the same
    layout. Not every encoding in two halves is a reordering of this encoding: tensor2tensor also uses
    different frequencies, base^(−i / (d/2 − 1)). The last frequency of tensor2tensor is exactly 1/base, so
    the values differ.

    Parameters: `pe`, shape (..., d) with d even.
    Returns: the shape of pe.
    Raises: ValueError for an odd number of features.
    Example: to_concatenated([0, 1, 2, 3, 4, 5]) is [0, 2, 4, 1, 3, 5].
    Source: Hugging Face transformers' Marian model, with these values in this layout; tensor2tensor,
    `get_timing_signal_1d`, with other values in this layout.
    """
    raise NotImplementedError("to_concatenated is not written yet")


def to_interleaved(pe):
    """Reorder features from [sines | cosines] to [sin, cos, sin, cos, …]: the inverse of to_concatenated.

    Parameters and returns: as to_concatenated.
    Example: to_interleaved([0, 1, 2, 3, 4, 5]) is [0, 3, 1, 4, 2, 5].
    """
    raise NotImplementedError("to_interleaved is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # d_model = 512, base 10000: how many positions long is the longest wavelength, to the nearest integer?
    "slowest_wavelength_512": None,
    # How many positions long is the shortest wavelength, for every d_model and every base above 1?
    "fastest_wavelength": None,
    # d_model = 512: what is PE(p) · PE(p)?
    "similarity_at_zero_512": None,
    # A model was trained on 512 tokens and now reads 5000 tokens. Does the encoding run without an exception?
    # (Whether the model still answers well is another question; the assignment on extrapolation measures it.)
    "extrapolates_without_error": None,
    # For practice, no points. d_model = 2: which of the positions 1 … 100 has the encoding nearest to that of position
    # 0?
    "nearest_to_position_0_with_one_pair": None,
    # For practice, no points. Is there a matrix M that turns the sines of p into the sines of p + 1, for every p?
    "sine_alone_has_a_shift_matrix": None,
    # For practice, no points. What number is in row 1, column 0 of shift_matrix(3, 2), the matrix for two
    # features?
    "lower_left_of_shift_3": None,
    # For practice, no points. Does training change a registered buffer of PyTorch?
    "registered_buffer_is_trained": None,
}
