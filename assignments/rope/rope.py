"""RoPE: position lives inside the score.

Every encoding so far added something to the token's features. RoPE (Su et al. 2021, RoFormer)
adds nothing: it turns each pair of features of a query or key by an angle proportional to its
position. A dot product does not change when both sides turn together, so the score of a query
at m and a key at n depends on n − m alone. Values are not turned, and nothing is learned.

Conventions: positions count from 0; `...` is any number of leading axes; the last two axes are
(sequence, feature). Pair i is the features (2i, 2i+1), unless the name says half: then it is
(i, i + d/2). Results are float32 where every feature array is float32, else float64; angles are
always computed in float64, because float32 cannot hold position 10⁶ times a frequency precisely.
No function changes an argument in place. A bad argument raises ValueError with the offending
value, or the shape, in its message.
"""

import numpy as np


def rope_frequencies(head_dim, base=10000.0):
    """How many radians each pair turns when the position grows by one.

        θ_i = base^(−2i / d),   i = 0 … d/2 − 1,   d = head_dim

    Pair 0 turns fastest, one radian a position; each further pair turns slower by the same factor.
    2i counts features, i counts pairs: the exponent runs from 0 to just above −1, not to −1/2.

    Parameters: `head_dim`, an even int; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2,).
    Raises: ValueError for a head_dim that is odd or below 1, or a base that is not positive and finite.
    Example: rope_frequencies(4) is [1.0, 0.01].
    Source: Su et al. 2021 §3.2.2.
    """
    raise NotImplementedError("rope_frequencies is not written yet")


def rope_cos_sin(positions, head_dim, base=10000.0):
    """Cosines and sines of every angle: row t holds cos and sin of positions[t]·θ_i.

    Parameters: `positions`, 1-D, shape (T,), any real numbers (negative and fractional ones too).
    Returns: two float64 arrays, cos and sin, each of shape (T, head_dim/2).
    Raises: ValueError as rope_frequencies does; for positions that are not 1-D, or hold a NaN.
    Example: rope_cos_sin([0, 1], 4): cos is [[1, 1], [0.5403, 0.99995]], sin [[0, 0], [0.8415, 0.0099998]].
    Source: Su et al. 2021 §3.4.2.
    """
    raise NotImplementedError("rope_cos_sin is not written yet")


def apply_rope(x, positions, base=10000.0):
    """Turn pair i of row t by the angle positions[t]·θ_i. Pairs are neighbours: (2i, 2i+1).

        y_2i   = x_2i · cos − x_2i+1 · sin
        y_2i+1 = x_2i · sin + x_2i+1 · cos          (angle positions[t]·θ_i)

    Parameters: `x`, shape (..., T, d) with d even; `positions`, 1-D, shape (T,), shared by all leading axes.
    Returns: the shape of x; float32 where x is float32, else float64. x itself is left as it was.
    Raises: ValueError for an odd d, for positions that are not 1-D, not T of them, or hold a NaN; for a bad base.
    Example: apply_rope([[1, 0, 1, 0]], [1]) is [[0.5403, 0.8415, 0.99995, 0.0099998]].
    Source: Su et al. 2021 §3.4.2, eq. 34.
    """
    raise NotImplementedError("apply_rope is not written yet")


def rotate_half(x):
    """Swap the two halves of the last axis and negate the one that moves to the front.

        rotate_half([x₁ | x₂]) = [−x₂ | x₁]

    A quarter turn of every pair (i, i + d/2): the half layout's "times √−1".

    Parameters: `x`, shape (..., d) with d even.
    Returns: the shape of x; float32 where x is float32, else float64.
    Raises: ValueError for an odd d.
    Example: rotate_half([1, 2, 3, 4]) is [−3, −4, 1, 2].
    Source: GPT-NeoX and Hugging Face transformers, `rotate_half`.
    """
    raise NotImplementedError("rotate_half is not written yet")


def apply_rope_half(x, positions, base=10000.0):
    """RoPE in the half layout: pair i is the features (i, i + d/2), turned by positions[t]·θ_i.

        y = x · [cos | cos] + rotate_half(x) · [sin | sin]

    The same θ_i as apply_rope, each used for two features half the width apart. Taking θ repeated
    for neighbours (θ_0, θ_0, θ_1, θ_1, …) together with rotate_half is neither layout: the score
    stops being relative.

    Parameters, returns and errors: as apply_rope.
    Example: apply_rope_half([[1, 1, 0, 0]], [1]) is [[0.5403, 0.99995, 0.8415, 0.0099998]].
    Source: GPT-NeoX; Hugging Face transformers' Llama.
    """
    raise NotImplementedError("apply_rope_half is not written yet")


def interleaved_to_half(x):
    """Reorder features from the interleaved layout to the half layout.

    Evens first, then odds: [x_0, x_2, … | x_1, x_3, …], so that pair (2i, 2i+1) becomes (i, i + d/2):

        apply_rope_half(interleaved_to_half(x)) = interleaved_to_half(apply_rope(x))

    Parameters: `x`, shape (..., d) with d even.
    Returns: the shape of x; float32 where x is float32, else float64.
    Raises: ValueError for an odd d.
    Example: interleaved_to_half([0, 1, 2, 3]) is [0, 2, 1, 3].
    """
    raise NotImplementedError("interleaved_to_half is not written yet")


def half_to_interleaved(x):
    """Reorder features from the half layout to the interleaved layout: undoes interleaved_to_half.

    Parameters, returns and errors: as interleaved_to_half.
    Example: half_to_interleaved([0, 1, 2, 3]) is [0, 2, 1, 3]; with six features, [0, 1, 2, 3, 4, 5]
    becomes [0, 3, 1, 4, 2, 5] (with four the two reorderings happen to be the same).
    """
    raise NotImplementedError("half_to_interleaved is not written yet")


def rotation_matrix(position, head_dim, base=10000.0):
    """R_m, the matrix that apply_rope multiplies one row at position m by: R_m x, block by block.

    R_m is block diagonal; block i is [[cos, −sin], [sin, cos]] of the angle m·θ_i. Rotations undo and
    add: R_mᵀ R_n = R_{n−m}, which is the whole of RoPE: (R_m q)·(R_n k) = qᵀ R_{n−m} k.

    Parameters: `position`, one real number.
    Returns: float64, shape (head_dim, head_dim).
    Raises: ValueError as rope_frequencies does, and for a NaN position.
    Example: rotation_matrix(1, 2) is [[0.5403, −0.8415], [0.8415, 0.5403]].
    Source: Su et al. 2021 §3.2.2, eq. 15.
    """
    raise NotImplementedError("rotation_matrix is not written yet")


def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    """Attention scores of turned queries against turned keys, scaled by 1/√d.

        score[i, j] = apply_rope(q)_i · apply_rope(k)_j / √d

    Shift every position by the same amount and nothing changes.

    Parameters: `q`, shape (..., Tq, d); `k`, shape (..., Tk, d); their positions, 1-D, (Tq,) and (Tk,).
    Returns: shape (..., Tq, Tk); float32 where q and k both are, else float64.
    Raises: ValueError as apply_rope does, and for q and k of different d.
    Example: with q = k = [[1, 0]], positions [3] and [1]: [[cos(2)/√2]] = [[−0.2943]].
    Source: Su et al. 2021 §3.2.1, eq. 11.
    """
    raise NotImplementedError("rope_scores is not written yet")


def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """Multi-head self-attention whose queries and keys, and only they, are turned by RoPE.

    q = x w_q, k = x w_k and v = x w_v are each cut into n_heads equal consecutive blocks of columns;
    every head turns its q and k, takes softmax(scores) v, and the heads are laid side by side again.

    Parameters: `x`, shape (..., T, d); `w_q`, `w_k`, `w_v`, shape (d, h·dh) with dh even; `positions`, 1-D,
    shape (T,), 0 … T−1 if None; `causal`: row t sees rows 0 … t, by row order whatever the positions say.
    Returns: shape (..., T, h·dh); float32 where x and all weights are, else float64.
    Raises: ValueError for n_heads below 1 or not dividing the columns, an odd dh, or shapes that do not fit;
    and as apply_rope does.
    Example: with T = 1 there is nothing to weigh: the result is x w_v, wherever the token stands.
    Source: Su et al. 2021 §3.2; Vaswani et al. 2017 §3.2.
    """
    raise NotImplementedError("rope_attention is not written yet")


def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """One step of generation: attend from a single new token to all cached ones and itself.

    The new key is turned by its own `position` once and cached that way; cached keys are never
    turned again. `position` is the token's place in the text, which is the number of cached rows only
    while nothing has been dropped from the cache.

    Parameters: `x_t`, shape (..., 1, d); the weights as in rope_attention; `cache_k`, `cache_v`, shape
    (..., h, t, dh), keys stored turned, t may be 0; `position`, one real number.
    Returns: out, shape (..., 1, h·dh), equal to the last row of rope_attention over all the tokens; and
    new caches, shape (..., h, t+1, dh). The old caches are left as they were. float32 where x_t, the
    weights and the caches all are, else float64.
    Raises: ValueError for x_t of more than one row, caches that do not fit, and as rope_attention does.
    Example: feeding rows 0, 1, 2, … one by one, starting from caches with t = 0, gives the rows of
    rope_attention one by one.
    """
    raise NotImplementedError("decode_step is not written yet")


def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    """Turn the first rotary_dim features (pairs 2i, 2i+1) and leave the others as they are.

    The frequencies are those of a head of size rotary_dim, not of the whole width d.

    Parameters: `x`, shape (..., T, d); `positions`, 1-D, shape (T,); `rotary_dim`, even, from 2 to d.
    Returns: the shape of x; float32 where x is float32, else float64.
    Raises: ValueError for a rotary_dim that is odd, below 1 or above d; and as apply_rope does (d may be odd).
    Example: apply_partial_rope([[1, 0, 1, 0]], [1], 2) is [[0.5403, 0.8415, 1, 0]].
    Source: GPT-J; GPT-NeoX does the same in the half layout.
    """
    raise NotImplementedError("apply_partial_rope is not written yet")


def decay_bound(offsets, head_dim, base=10000.0):
    """The factor in RoFormer's bound on a score that depends on the offset.

        bound = 1/(d/2) · Σ_{j=1…d/2} |S_j|,   S_j = Σ_{l<j} exp(√−1 · offset · θ_l)

    At offset 0 every hand points the same way and the bound is largest; further off the hands spread and
    the partial sums cancel, in part. Nothing more is promised: it falls unevenly, and for small d it comes back.

    Parameters: `offsets`, a real number or an array of them, any shape.
    Returns: float64, the shape of offsets.
    Raises: ValueError as rope_frequencies does, and for a NaN offset.
    Example: decay_bound(0, 4) is 1.5: (|1| + |1 + 1|) / 2.
    Source: Su et al. 2021 §3.4.3, eq. 37.
    """
    raise NotImplementedError("decay_bound is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # By how much does a score change when the positions of query and key both grow by 5?
    "score_change_when_all_shift_by_5": None,
    # Does RoPE turn the value vectors as well?
    "rotates_values": None,
    # How many trainable parameters does RoPE add to a model?
    "extra_parameters": None,
    # For fixed features, does a query at 1 score a key at 3 as a query at 3 scores a key at 5?
    "score_m1_n3_equals_m3_n5": None,
    # Is the half layout (pairs i and i + d/2) a bug?
    "half_layout_is_a_bug": None,
}
