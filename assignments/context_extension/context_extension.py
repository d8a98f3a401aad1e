"""Context extension: texts longer than those in training.

RoPE accepts any position, so the code of a model trained on 4,096 tokens reads 32,768 tokens without an error. Yet a
model with RoPE fails on texts longer than the training texts. The fast pairs do not cause this failure: they rotated
many times in training, so the model has seen all of their angles. The slow pairs cause the failure: they made less than
one full rotation in training, and now reach angles that no query or key ever had. Most methods in this file lower
frequencies, so that the slow pairs stay within the trained angles; ReRoPE limits the distances instead. The methods
that lower frequencies differ in which pairs they slow down: all by the same factor (position interpolation), slow pairs
more than fast ones (NTK-aware), only pairs with too few rotations (YaRN and Llama 3), or each pair by a factor found by
a search (LongRoPE).

Conventions: positions start at 0; `...` stands for any number of leading axes; the last two axes are (sequence,
feature). Pair i consists of features 2i and 2i+1, and its frequency is θ_i = base^(−2i/d), with d = head_dim. L₀ =
trained_len is the length that the model was trained on, and `factor` is the number s by which this length is to be
multiplied. Functions without a feature array compute in float64 and return float64 arrays or plain floats. No function
changes an argument in place. The frequencies are those that Hugging Face transformers computes (modeling_rope_utils)
for the same parameters, but in float64 instead of float32.
Only functions with a `Raises` line must refuse bad arguments.
"""

import math

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def interpolate_positions(positions, factor):
    """Position interpolation: compress the longer sequence into the positions that training covered.

        m' = m / factor

    With compressed positions, no pair rotates further than in training. The disadvantage is that neighbouring
    tokens are only 1/factor apart. Dividing all positions is the same as dividing all frequencies:
    (m/factor)·θ = m·(θ/factor).

    Parameters: `positions`, a real number or an array of them, any shape; `factor`, at least 1.
    Returns: float64, the shape of positions.
    Example: interpolate_positions([0, 1, 4096], 4) is [0, 0.25, 1024].
    Source: Chen et al. 2023 §2.3.
    """
    raise NotImplementedError("interpolate_positions is not written yet")


def rotations_in_context(head_dim, trained_len, base=10000.0):
    """Return the number of full rotations that each pair makes over the trained context.

        r_i = L₀ · θ_i / 2π = L₀ / λ_i,   λ_i = 2π / θ_i the wavelength

    A pair with r_i well above 1 reached every angle in training. A pair with r_i below 1 covered only part of
    the circle in training; all angles beyond that part are new to the model.

    Parameters: `head_dim`, an even int; `trained_len`, at least 1; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2,).
    Example: rotations_in_context(8, 1024) is [162.97, 16.297, 1.6297, 0.16297].
    Source: Peng et al. 2023 (YaRN) §3.2, where it is called r(d).
    """
    raise NotImplementedError("rotations_in_context is not written yet")


def apply_rope_with(x, positions, frequencies, scale=1.0):
    """RoPE with explicit frequencies: rotate pair i of row t by the angle positions[t] · frequencies[i].

        y_2i   = scale · (x_2i · cos − x_2i+1 · sin)
        y_2i+1 = scale · (x_2i · sin + x_2i+1 · cos)

    All the methods that change frequencies use apply_rope_with. A scale other than 1 changes the norms of vectors, even
    at position 0.

    Parameters: `x`, shape (..., T, d) with d even; `positions`, 1-D, shape (T,), real numbers; `frequencies`,
    shape (d/2,); `scale`, the number by which cos and sin are multiplied.
    Returns: the shape of x; float32 if x is float32, else float64. x itself does not change.
    Raises: ValueError unless there is one position per row: one position must not be broadcast to several rows.
    Example: apply_rope_with([[1, 0]], [2], [0.5], scale=2) is 2·[cos 1, sin 1] = [[1.0806, 1.6829]].
    Source: Su et al. 2021 §3.4.2, eq. 34; Peng et al. 2023 (YaRN) §3.4 for the scale.
    """
    raise NotImplementedError("apply_rope_with is not written yet")


def ntk_base(base, factor, head_dim):
    """NTK-aware interpolation: a larger base, which slows the slowest pairs most.

        base' = base · factor^(d / (d − 2))

    With the exponent d / (d − 2), the frequency of the slowest pair, i = d/2 − 1, is divided by exactly the factor. The
    frequency of pair i is divided by factor^(2i / (d − 2)). Positions stay whole numbers: only the base changes.

    Parameters: `base`, a positive finite number; `factor`, at least 1; `head_dim`, an even int, at least 4.
    Returns: float.
    Example: ntk_base(10000, 4, 8) is 10000·4^(8/6) = 63496.0; the slowest pair goes from 0.001 to 0.00025.
    Source: bloc97 2023; Peng et al. 2023 (YaRN) §3.1.
    """
    raise NotImplementedError("ntk_base is not written yet")


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    """Dynamic NTK: the base is computed from the current sequence length.

        base' = base · (factor · L/L₀ − (factor − 1))^(d / (d − 2)),   L = max(seq_len, L₀)

    For sequences of up to L₀ tokens, the result is base itself. Beyond L₀, the base grows with the length of the
    sequence. A key that is rotated before it is cached is rotated with the base of a shorter sequence, so its score
    depends on more than the offset. A program must therefore cache the unrotated keys, and rotate all keys with the
    current base.

    Parameters: `base`, a positive finite number; `head_dim`, an even int, at least 4; `seq_len` and
    `trained_len`, at least 1; `factor`, at least 1.
    Returns: float.
    Example: dynamic_ntk_base(10000, 8, 4096, 2048, 1) is 10000·2^(8/6) = 25198.4; with factor = 2 it
    is 10000·3^(8/6) = 43267.5.
    Source: emozilla 2023; Peng et al. 2023 (YaRN) §3.3; Hugging Face transformers, rope_type "dynamic".
    """
    raise NotImplementedError("dynamic_ntk_base is not written yet")


def longrope_frequencies(head_dim, rescale, base=10000.0):
    """LongRoPE's frequencies: each pair has its own divisor, found by a search on the model.

        θ'_i = θ_i / rescale_i

    If all divisors are the same number, the method is position interpolation; the divisors factor^(2i / (d − 2)) give
    NTK-aware interpolation. A model has two lists of divisors: one for sequences up to the trained length and one for
    longer sequences.

    Parameters: `head_dim`, an even int; `rescale`, positive numbers, shape (head_dim/2,); `base`, a positive
    finite number.
    Returns: float64, shape (head_dim/2,).
    Raises: ValueError if rescale does not have one number per pair.
    Example: longrope_frequencies(8, [1, 1, 2, 4]) is [1, 0.1, 0.005, 0.00025].
    Source: Ding et al. 2024 §3; Hugging Face transformers, rope_type "longrope".
    """
    raise NotImplementedError("longrope_frequencies is not written yet")


def yarn_scale(factor):
    """Return the number by which YaRN multiplies cos and sin, to sharpen attention that is spread over more keys.

        scale = √(1/t) = 0.1 · ln(factor) + 1,   and 1 for factor ≤ 1

    t is the temperature of the softmax: YaRN divides every score by t. Queries and keys are both rotated with
    scaled cos and sin, so a score is multiplied by scale² = 1/t. Do not multiply the scores by the scale as
    well. The authors fitted the formula to measurements of LLaMA models; it has no derivation.

    Parameters: `factor`, a number; for a factor of up to 1, nothing is extended and the scale is 1.
    Returns: float.
    Example: yarn_scale(4) is 1.1386, so scores grow by 1.1386² = 1.2965; yarn_scale(0.5) is 1.0.
    Source: Peng et al. 2023 (YaRN) §3.4.
    """
    raise NotImplementedError("yarn_scale is not written yet")


def longrope_scale(factor, trained_len):
    """Return the number by which LongRoPE multiplies cos and sin, to sharpen attention as YaRN's scale does.

        scale = √(1 + ln(factor) / ln(L₀)),   and 1 for factor ≤ 1

    Scores are multiplied by the square of the scale, ln(factor·L₀) / ln(L₀): the logarithm of the new length
    divided by the logarithm of the old length.

    Parameters: `factor`, a number; `trained_len`, at least 1. For a factor above 1 and trained_len = 1, the formula
    divides by ln 1 = 0; no test uses this case.
    Returns: float.
    Example: longrope_scale(4, 4096) is √(1 + 2/12) = 1.0801; longrope_scale(1, 4096) is 1.0.
    Source: the released code of Ding et al. 2024 and of Phi-3; Hugging Face transformers, "longrope".
    """
    raise NotImplementedError("longrope_scale is not written yet")


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    """Llama 3.1's frequencies: unchanged, interpolated or mixed, depending on each pair's number of rotations r_i.

        r_i = L₀ / λ_i                                                    rotations over the trained context
        s_i = (r_i − low_freq_factor) / (high_freq_factor − low_freq_factor)
        θ'_i = θ_i                              if r_i > high_freq_factor      (many rotations: keep)
        θ'_i = θ_i / factor                     if r_i < low_freq_factor       (few: interpolate)
        θ'_i = (1 − s_i) · θ_i / factor + s_i · θ_i    between                 (mix)

    s_i is 1 at r_i = high_freq_factor and 0 at r_i = low_freq_factor, so there is no jump at either end. The mix
    follows the ramp in the YaRN paper (not the one in its code), with different bounds and without scaling the scores.

    Parameters: `head_dim`, an even int; `base`, a positive finite number; `factor`, at least 1;
    `low_freq_factor` below `high_freq_factor`, numbers of rotations; `trained_len`, at least 1.
    Returns: float64, shape (head_dim/2,).
    Example: with head_dim = 8, base = 10000, factor = 4 and trained_len = 1024 the rotations are 162.97, 16.297,
    1.6297 and 0.16297; the third has s = 0.2099, and [1, 0.1, 0.01, 0.001] becomes
    [1, 0.1, 0.0040743, 0.00025].
    Source: Llama 3.1's reference code (`apply_scaling`); Hugging Face transformers, rope_type "llama3".
    """
    raise NotImplementedError("llama3_frequencies is not written yet")


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    """YaRN's frequencies (NTK-by-parts): fast pairs unchanged, slow pairs interpolated, and a mix in between.

        dim(β) = d · ln(L₀ / 2πβ) / (2 ln base)       the pair index i at which r_i = β
        low    = max(⌊dim(beta_fast)⌋, 0)             pairs up to here keep θ_i
        high   = min(⌈dim(beta_slow)⌉, d − 1)         pairs from here on take θ_i / factor
        ramp_i = clip((i − low) / (high − low), 0, 1)
        θ'_i   = θ_i · (1 − ramp_i) + θ_i / factor · ramp_i

    If high equals low, high is raised by 0.001. low is never less than 0 and has no upper limit; high is never more
    than d − 1 and has no lower limit. Pairs end at d/2 − 1, so the ramp can end beyond the last pair. Mix frequencies,
    not wavelengths, and use the trained base, not ntk_base. In the paper, the ramp depends on r_i; in the authors'
    code, in all libraries that follow it, and in this function, the ramp depends on the pair index i.

    Parameters: `head_dim`, an even int; `base`, a positive finite number other than 1 (ln 1 = 0 would be a
    divisor; no test uses base 1); `factor`, at least 1; `trained_len`, at least 1;
    `beta_fast` ≥ `beta_slow` > 0, numbers of full rotations.
    Returns: float64, shape (head_dim/2,).
    Example: yarn_frequencies(8, 10000, 4, 1024): dim(32) = 0.707 and dim(1) = 2.212, so low = 0, high = 3,
    ramp = [0, 1/3, 2/3, 1], and [1, 0.1, 0.01, 0.001] becomes [1, 0.075, 0.005, 0.00025].
    Source: Peng et al. 2023 (YaRN) §3.2; Hugging Face transformers, rope_type "yarn", truncate = True.
    """
    raise NotImplementedError("yarn_frequencies is not written yet")


def rerope_scores(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    """ReRoPE's scores: near keys keep their exact distance, and far keys get a distance that occurred in training.

        r     = m_i − n_j                              how far key j is behind query i
        δ     = r                                      if r < window
        δ     = window + (r − window) / factor         otherwise
        score = (R_δ q_i) · k_j / √d                   R_δ rotates pair i by δ·base^(−2i/d)

    With factor = ∞ every far key has the distance `window` (ReRoPE). With a finite factor, far distances
    still differ, but by less (Leaky ReRoPE). At r = window, both lines of the formula agree. Both methods
    work without training. ReRoPE applies lesson 6's clipping to a rotation. If q and k are rotated by their
    positions, the scores use only the distance r, or r / factor if the positions are divided. Compute both
    tables of scores, and choose between them with np.where.

    Parameters: `q`, shape (..., Tq, d) and `k`, shape (..., Tk, d), with d even; `q_positions`, (Tq,), and
    `k_positions`, (Tk,), 1-D, real; `window`, above 0 (∞ is plain RoPE); `factor`, at least 1; `base`, a positive
    finite number. A negative r (a key after its query) is used unchanged.
    Returns: shape (..., Tq, Tk); float32 if q and k are float32, else float64.
    Raises: ValueError unless there is one position per row: one position must not be broadcast to several rows.
    Example: with q = k = [[1, 0]], window 2, a query at 10 and a key at 0: cos 2/√2 = −0.2943 with factor ∞;
    cos 4/√2 = −0.4622 with factor 4, since 2 + 8/4 = 4.
    Source: Su 2023 (ReRoPE, Leaky ReRoPE); Jin et al. 2024 (Self-Extend), which rounds positions down.
    """
    raise NotImplementedError("rerope_scores is not written yet")


def lowest_similarity(length, head_dim, base=10000.0):
    """Return the lowest similarity of a token to itself: the lowest mean cosine over all distances in a text.

        min over m = 0 … length − 1 of  (1 / (d/2)) · Σ_i cos(m·θ_i),   θ_i = base^(−2i/d)

    The mean is the score of a query and an equal key m positions back, divided by their score at distance 0 (if all
    pairs have the same length). If the mean is below 0, an equal key scores lower than an unrelated key does on
    average. A larger base keeps the mean above 0 up to a larger distance, so each text length requires a minimum base.

    Parameters: `length`, at least 1; `head_dim`, an even int; `base`, a positive finite number.
    Returns: float.
    Example: lowest_similarity(1, 4) is 1.0; lowest_similarity(4, 4) is (cos 3 + cos 0.03)/2 = 0.0048.
    Source: Men et al. 2024 ("Base of RoPE bounds context length").
    """
    raise NotImplementedError("lowest_similarity is not written yet")


# Answer with a number, True or False. Write numbers that are not whole with five digits (1.2346) or as expressions.
ANSWERS = {
    # To which position does position interpolation with a factor of 4 move token 8191?
    "interpolated_position_8191_factor_4": None,
    # Does NTK-aware interpolation leave the frequency of the fastest pair unchanged?
    "ntk_keeps_fastest_frequency": None,
    # Does dynamic NTK change what the model computes for inputs no longer than the trained length?
    "dynamic_ntk_changes_short_inputs": None,
    # By what number does YaRN multiply cos and sin if the factor is 16?
    "yarn_scale_16": None,
    # For practice, no points. With head_dim 128 and base 10000, how many of the 64 pairs make at least one full
    # rotation over 8,192 tokens?
    "pairs_with_a_rotation_in_8192": None,
    # For practice, no points. Llama 3.1 is offered with a context of 131,072 tokens. How many times its
    # original_max_position_embeddings, 8,192, is this?
    "llama_3_1_length_over_trained": None,
    # For practice, no points. In Leaky ReRoPE with window 16 and factor 4, what distance does the score of a key 100
    # positions back use?
    "leaky_distance_of_a_key_100_back": None,
}
