"""Sinusoidal encoding: a clock with d/2 hands.

Counting in binary had the right idea, a row of digits that turn at different speeds, but the digits
jump: from 3 to 4 three of them flip at once, and nothing lies in between. Vaswani et al. 2017 let each
digit turn smoothly instead. Hand i of the clock turns by ω_i radians a position, the first hand one
radian, each further one slower, and the tip of every hand is written down as (sin, cos). All values
stay between −1 and 1, none depends on the length of the text, and moving on by k positions is one
fixed rotation, wherever it starts. Nothing is learned.

Conventions: positions count from 0 and may be any real numbers; `...` is any number of leading axes;
the last two axes are (sequence, feature). Pair i is the features (2i, 2i+1) = (sin, cos), unless the
name says concatenated: then it is (i, i + d/2). Results are float32 where the feature array is
float32, else float64; angles are always computed in float64, because half precision cannot even tell
position 2049 from 2048. No function changes an argument in place. A bad argument raises ValueError
with the offending value, or the shape, in its message.
"""

import numpy as np


def frequencies(d_model, base=10000.0):
    """How many radians each hand turns when the position grows by one.

        ω_i = base^(−2i / d),   i = 0 … d/2 − 1,   d = d_model

    Hand 0 turns fastest, one radian a position; each further hand is slower by the same factor.
    2i counts features, i counts hands: the exponent runs from 0 to just above −1, not to −1/2.

    Parameters: `d_model`, an even int; `base`, a positive finite number.
    Returns: float64, shape (d_model/2,).
    Raises: ValueError for a d_model that is odd or below 1, or a base that is not positive and finite.
    Example: frequencies(8) is [1, 0.1, 0.01, 0.001].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("frequencies is not written yet")


def sinusoidal_encoding(positions, d_model, base=10000.0):
    """Where the tips of all hands point at each position, sin and cos interleaved.

        PE(p, 2i)   = sin(p · ω_i)
        PE(p, 2i+1) = cos(p · ω_i)

    A formula and not a table: any real position has an encoding, a negative or a fractional one too.

    Parameters: `positions`, a number or an array of numbers of any shape; `d_model`, an even int.
    Returns: float64, shape positions.shape + (d_model,).
    Raises: ValueError as frequencies does, and for a NaN position.
    Example: sinusoidal_encoding([0, 1], 4) is [[0, 1, 0, 1], [0.8415, 0.5403, 0.0099998, 0.99995]].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("sinusoidal_encoding is not written yet")


def add_positions(x, base=10000.0):
    """Token embeddings with the encoding of positions 0 … T−1 added: row t becomes x_t + PE(t).

    Every sequence of a batch gets the same encoding: its first row is position 0.

    Parameters: `x`, shape (..., T, d) with d even.
    Returns: the shape of x; float32 where x is float32, else float64. x itself is left as it was.
    Raises: ValueError for an odd d or a bad base.
    Example: add_positions([[10, 10], [10, 10]]) is [[10, 11], [10.8415, 10.5403]].
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("add_positions is not written yet")


def wavelengths(d_model, base=10000.0):
    """After how many positions each hand is back where it was.

        λ_i = 2π / ω_i = 2π · base^(2i / d)

    The smooth heir of bit_period: there the periods were 2, 4, 8, …; here they grow by base^(2/d).

    Parameters: as frequencies.
    Returns: float64, shape (d_model/2,), in positions.
    Raises: ValueError as frequencies does.
    Example: wavelengths(8) is [6.283, 62.83, 628.3, 6283.2]: the last is 2π·1000, short of 2π·base.
    Source: Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("wavelengths is not written yet")


def shift_matrix(offset, d_model, base=10000.0):
    """The matrix that moves any encoding on by `offset` positions, whatever position it is at.

        M · PE(p) = PE(p + offset)   for every p

    M is block diagonal. Block i is [[cos, sin], [−sin, cos]] of the angle offset·ω_i, straight from
    sin(a+b) = sin a cos b + cos a sin b and cos(a+b) = cos a cos b − sin a sin b. The minus stands
    below the diagonal because sin comes first in a pair. M is a rotation: Mᵀ M = 1, and shifting by
    a and then by b is shifting by a + b.

    Parameters: `offset`, one real number, negative to move back.
    Returns: float64, shape (d_model, d_model).
    Raises: ValueError as frequencies does, and for a NaN offset.
    Example: shift_matrix(1, 2) is [[0.5403, 0.8415], [−0.8415, 0.5403]].
    Source: Vaswani et al. 2017 §3.5 claims the linear map; the matrix is the angle-sum identity.
    """
    raise NotImplementedError("shift_matrix is not written yet")


def offset_similarity(offsets, d_model, base=10000.0):
    """The dot product of two encodings that stand `offset` positions apart.

        PE(p) · PE(p + k) = Σ_i cos(ω_i · k)   whatever p is

    Only the distance enters, and not its sign: k and −k score the same. It is largest at k = 0 and
    falls in the long run, but not at every step.

    Parameters: `offsets`, a real number or an array of them, any shape.
    Returns: float64, the shape of offsets.
    Raises: ValueError as frequencies does, and for a NaN offset.
    Example: offset_similarity([0, 1], 4) is [2, 1.54025]: cos(0) + cos(0), then cos(1) + cos(0.01).
    Source: sin a sin b + cos a cos b = cos(a − b), summed over the pairs of Vaswani et al. 2017 §3.5.
    """
    raise NotImplementedError("offset_similarity is not written yet")


def to_concatenated(pe):
    """Reorder features from [sin, cos, sin, cos, …] to [all the sines | all the cosines].

    Only the layout: the values are the same, and so is every dot product of two encodings laid out
    alike. Not every encoding in two halves is a reordering of this one: tensor2tensor also takes other
    frequencies, base^(−i / (d/2 − 1)), so that the last is exactly 1/base, and its values differ.

    Parameters: `pe`, shape (..., d) with d even.
    Returns: the shape of pe; float32 where pe is float32, else float64.
    Raises: ValueError for an odd d.
    Example: to_concatenated([0, 1, 2, 3, 4, 5]) is [0, 2, 4, 1, 3, 5].
    Source: the Marian model of Hugging Face transformers, these values in this layout; tensor2tensor,
    `get_timing_signal_1d`, this layout and other values.
    """
    raise NotImplementedError("to_concatenated is not written yet")


def to_interleaved(pe):
    """Reorder features from [sines | cosines] to [sin, cos, sin, cos, …]: undoes to_concatenated.

    Parameters, returns and errors: as to_concatenated.
    Example: to_interleaved([0, 1, 2, 3, 4, 5]) is [0, 3, 1, 4, 2, 5].
    """
    raise NotImplementedError("to_interleaved is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # d_model = 512, base 10000: how many positions is the longest wavelength, to the nearest integer?
    "slowest_wavelength_512": None,
    # How many positions is the shortest wavelength, for every d_model and base?
    "fastest_wavelength": None,
    # d_model = 512: what is PE(p) · PE(p)?
    "similarity_at_zero_512": None,
    # Trained on 512 tokens, given 5000: does the encoding still run without raising? (Whether the model
    # still answers well is another question, which the last assignment measures.)
    "extrapolates_without_error": None,
}
