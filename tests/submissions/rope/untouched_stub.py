"""RoPE: position inside the score.

Every encoding so far added something to the token's features. RoPE (Su et al. 2021, RoFormer) adds nothing. RoPE
rotates each pair of features of a query or key by an angle proportional to its position. If both vectors of a dot
product are rotated by the same angle, the product does not change. The score of a query at m and a key at n therefore
depends only on n − m. Values are not rotated.

Conventions: positions start at 0; `...` stands for any number of leading axes; the last two axes are (sequence,
feature). Pair i consists of features 2i and 2i+1; in functions with `half` in their names, of features i and i + d/2.
The result is float32 if all feature arrays are float32, otherwise float64. Angles are always computed in float64,
because float32 cannot precisely represent a position of 10⁶ times a frequency.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def rope_frequencies(head_dim, base=10000.0):
    """Return the angle, in radians, by which each pair rotates when the position grows by one.

        θ_i = base^(−2i / d),   i = 0 … d/2 − 1,   d = head_dim

    Pair 0 rotates by one radian per position. For every base above 1, pair 0 is the fastest pair, and each further pair
    is slower by the same factor. i counts pairs and 2i counts features, so the exponent goes from 0 to nearly −1, not
    to −1/2.

    Parameters: `head_dim`, an even int; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2,).
    Example: rope_frequencies(4) is [1.0, 0.01].
    Source: Su et al. 2021 §3.2.2.
    """
    raise NotImplementedError("rope_frequencies is not written yet")


def rope_cos_sin(positions, head_dim, base=10000.0):
    """Cosines and sines of all angles: row t contains cos and sin of positions[t]·θ_i.

    Parameters: `positions`, 1-D, shape (T,), any real numbers (including negative and fractional ones).
    Returns: two float64 arrays, cos and sin, each of shape (T, head_dim/2).
    Example: rope_cos_sin([0, 1], 4): cos is [[1, 1], [0.5403, 0.99995]], sin [[0, 0], [0.8415, 0.0099998]].
    Source: Su et al. 2021 §3.4.2.
    """
    raise NotImplementedError("rope_cos_sin is not written yet")


def apply_rope(x, positions, base=10000.0):
    """Rotate pair i of row t, the neighbours (2i, 2i+1), by the angle positions[t]·θ_i.

        y_2i   = x_2i · cos − x_2i+1 · sin
        y_2i+1 = x_2i · sin + x_2i+1 · cos          (angle positions[t]·θ_i)

    Parameters: `x`, shape (..., T, d) with d even; `positions`, 1-D, shape (T,), shared by all leading axes.
    Returns: the shape of x. x itself does not change.
    Raises: ValueError unless there is one position per row.
    Example: apply_rope([[1, 0, 1, 0]], [1]) is [[0.5403, 0.8415, 0.99995, 0.0099998]].
    Source: Su et al. 2021 §3.4.2, eq. 34.
    """
    raise NotImplementedError("apply_rope is not written yet")


def rotate_half(x):
    """Swap the two halves of the last axis, then change the sign of the new first half.

        rotate_half([x₁ | x₂]) = [−x₂ | x₁]

    rotate_half rotates each pair (i, i + d/2) by a quarter of a full rotation. Two applications of rotate_half give −x.

    Parameters: `x`, shape (..., d) with d even.
    Returns: the shape of x.
    Raises: ValueError for an odd number of features.
    Example: rotate_half([1, 2, 3, 4]) is [−3, −4, 1, 2].
    Source: GPT-NeoX and Hugging Face transformers, `rotate_half`.
    """
    raise NotImplementedError("rotate_half is not written yet")


def apply_rope_half(x, positions, base=10000.0):
    """RoPE in the half layout: pair i consists of features i and i + d/2, rotated by positions[t]·θ_i.

        y = x · [cos | cos] + rotate_half(x) · [sin | sin]

    The θ_i are those of apply_rope. Each θ_i is used for two features, half the width apart. If you
    combine the list (θ_0, θ_0, θ_1, θ_1, …) with rotate_half, you get neither layout, and the score is no
    longer relative.

    Parameters, returns and errors: as apply_rope.
    Example: apply_rope_half([[1, 1, 0, 0]], [1]) is [[0.5403, 0.99995, 0.8415, 0.0099998]].
    Source: GPT-NeoX; Hugging Face transformers' Llama.
    """
    raise NotImplementedError("apply_rope_half is not written yet")


def interleaved_to_half(x):
    """Reorder features from the interleaved layout to the half layout.

    The even features come first: [x_0, x_2, … | x_1, x_3, …], so that pair (2i, 2i+1) becomes (i, i + d/2):

        apply_rope_half(interleaved_to_half(x)) = interleaved_to_half(apply_rope(x))

    Parameters: `x`, shape (..., d) with d even.
    Returns: the shape of x.
    Example: interleaved_to_half([0, 1, 2, 3]) is [0, 2, 1, 3].
    """
    raise NotImplementedError("interleaved_to_half is not written yet")


def half_to_interleaved(x):
    """Reorder features from the half layout to the interleaved layout: the inverse of interleaved_to_half.

    Parameters and returns: as interleaved_to_half.
    Example: half_to_interleaved([0, 1, 2, 3]) is [0, 2, 1, 3]; with six features, [0, 1, 2, 3, 4, 5] becomes
    [0, 3, 1, 4, 2, 5] (with four features the two functions do the same; with six they do not).
    """
    raise NotImplementedError("half_to_interleaved is not written yet")


def rotation_matrix(position, head_dim, base=10000.0):
    """Return the matrix R_m for which R_m x is apply_rope of a single row x at position m.

    R_m has one 2 × 2 block per pair on its diagonal. Block i is [[cos, −sin], [sin, cos]] at the angle m·θ_i.
    Two facts hold for all positions: R_mᵀ R_n = R_{n−m}, and so (R_m q)·(R_n k) = qᵀ R_{n−m} k.

    Parameters: `position`, one real number.
    Returns: float64, shape (head_dim, head_dim).
    Example: rotation_matrix(1, 2) is [[0.5403, −0.8415], [0.8415, 0.5403]].
    Source: Su et al. 2021 §3.2.2, eq. 15.
    """
    raise NotImplementedError("rotation_matrix is not written yet")


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    """Attention scores of rotated queries and rotated keys, scaled by 1/√d.

        score[i, j] = apply_rope(q)_i · apply_rope(k)_j / √d

    Do not compute a difference of positions: the dot product of two rotated rows already depends on this difference.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); their positions, 1-D, (Tq,) and (Tk,).
    Returns: shape (..., Tq, Tk).
    Example: with q = k = [[1, 0]], positions [3] and [1]: [[cos(2)/√2]] = [[−0.2943]].
    Source: Su et al. 2021 §3.2.1, eq. 11.
    """
    raise NotImplementedError("rope_scores is not written yet")


def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """Self-attention with several heads. RoPE rotates queries and keys, but not values.

    The columns of q = x w_q, k = x w_k and v = x w_v are split into n_heads equal consecutive blocks, as in lesson 1's
    split_heads. Each head has size dh, rotates its q and k, and computes softmax(scores) v. The heads' results are then
    joined, as in merge_heads. There is no output projection.

    Parameters: `x`, shape (..., T, dx); `w_q`, `w_k`, `w_v`, shape (dx, h·dh) with dh even; `positions`, 1-D,
    shape (T,), 0 … T−1 if None; `causal`: row t may attend to rows 0 … t (by row number, not by position).
    Returns: shape (..., T, h·dh).
    Example: for x = [[1, 0, 2, 0], [0, 1, 0, 1]], three identity matrices as weights and n_heads = 2:
    [[1, 0, 2, 0], [0.2138, 0.7862, 0.2609, 0.8696]].
    Source: Su et al. 2021 §3.2; Vaswani et al. 2017 §3.2.
    """
    raise NotImplementedError("rope_attention is not written yet")


def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """Take one step of generation: one new token attends to all cached tokens and to itself.

    A cache stores the keys and values of earlier tokens. The new query and the new key are rotated by the angles for
    `position`, and the rotated key is stored. Cached keys are not rotated again. `position` is the token's position in
    the text. The position equals the number of cached rows only if no row has been dropped.

    Parameters: `x_t`, shape (..., 1, dx); the weights as in rope_attention; `cache_k`, `cache_v`, shape (..., h, t,
    dh), keys stored rotated, t possibly 0, with the leading axes of x_t; `position`, one real number.
    Returns: out, shape (..., 1, h·dh), equal to the last row of rope_attention over all the tokens; and new caches,
    shape (..., h, t+1, dh). The old caches do not change. All results are float32 if x_t, the weights and the caches
    are all float32, otherwise float64.
    Example: start with caches of t = 0 and pass rows 0, 1, 2, … of x one by one, at positions 0, 1, 2, …: the
    outputs are the rows of rope_attention.
    """
    raise NotImplementedError("decode_step is not written yet")


def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    """Rotate the first rotary_dim features (pairs 2i, 2i+1) and leave the others unchanged.

    The frequencies are those of a head of size rotary_dim, not of size d.

    Parameters: `x`, shape (..., T, d); `positions`, 1-D, shape (T,); `rotary_dim`, even, from 2 to d.
    Returns: the shape of x.
    Example: apply_partial_rope([[1, 0, 1, 0]], [1], 2) is [[0.5403, 0.8415, 1, 0]].
    Source: GPT-J; GPT-NeoX does the same in the half layout.
    """
    raise NotImplementedError("apply_partial_rope is not written yet")


def decay_bound(offsets, head_dim, base=10000.0):
    """Return the factor in RoFormer's bound that depends on the offset between query and key.

        bound = 1/(d/2) · Σ_{j=1…d/2} |S_j|,   S_j = Σ_{l<j} exp(√−1 · offset · θ_l)

    The bound limits the dot product of a rotated query and a rotated key (see the lesson). The bound is largest at
    offset 0, where all terms of each sum point in the same direction. At other offsets, the terms partly cancel. The
    bound does not fall at every step.

    Parameters: `offsets`, a real number or an array of them, any shape.
    Returns: float64, the shape of offsets.
    Example: decay_bound(0, 4) is 1.5: (|1| + |1 + 1|) / 2.
    Source: Su et al. 2021 §3.4.3, eq. 37.
    """
    raise NotImplementedError("decay_bound is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # By how much does a score change when the positions of query and key both grow by 5?
    "score_change_when_all_shift_by_5": None,
    # Does RoPE rotate the value vectors as well?
    "rotates_values": None,
    # How many trainable parameters does RoPE add to a model?
    "extra_parameters": None,
    # For fixed features, does a query at 1 score a key at 3 as a query at 3 scores a key at 5?
    "score_m1_n3_equals_m3_n5": None,
    # Is the half layout (pairs i and i + d/2) a bug?
    "half_layout_is_a_bug": None,
}
