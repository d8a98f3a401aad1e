"""State: position without positions.

ALiBi lowers a score by a slope times the distance. With gates, each token sets its own slope: the token's gate says how
much of everything before the token survives. Such a gate can act in attention scores. A gate also works in attention
without softmax. There, everything that a query can use from the past fits into one fixed-size matrix, the state, and
the cost per token does not grow with the text. No function in this file numbers the tokens: the order comes from
forgetting.

Conventions: tokens are numbered from 0; `...` stands for any number of leading axes, and leading axes broadcast. The
last two axes of q, k and v are (sequence, feature). exp(log_f[t]) is the gate of token t, from 0 to 1: the share of
everything before token t that survives at token t. Token t itself is always kept. log_f is 0 for "keep everything" and
−inf for "keep nothing". Results are float32 if every feature array (q, k, v, state) is float32, else float64; log_f, β,
γ and CoPE's gates do not affect the dtype: compute with them in float64, even if they are float32. Functions that take
only log_f or gates return float64. No function changes an argument in place. Every sequence has at least one token.
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


def decay_bias(log_f):
    """Return the bias that one gate per token adds to the scores of causal attention.

        bias[i, j] = Σ log_f[l] over j < l ≤ i   for j ≤ i   (so 0 for j = i)
        bias[i, j] = −inf                        for j > i

    Key j reaches query i through the gates of the tokens after j, up to i itself. Do not subtract two entries of a
    running sum, c[i] − c[j]: after a log_f of −inf, the difference is NaN, and after −1e30, the later gates are lost in
    rounding. Even after a token that keeps nothing, the sums of the later gates must be exact.

    Parameters: `log_f`, shape (..., T), each 0 or negative, possibly −inf.
    Returns: float64, shape (..., T, T).
    Example: decay_bias([−3, −1, −2]) is [[0, −inf, −inf], [−1, 0, −inf], [−3, −2, 0]].
    Source: Lin et al. 2025 (Forgetting Transformer) §3; `segsum` in Dao and Gu 2024 (Mamba-2), listing 1.
    """
    raise NotImplementedError("decay_bias is not written yet")


def decay_matrix(log_f):
    """Return the share of key j that remains when query i reads it: the product of the gates after j, up to i.

        matrix[i, j] = exp(bias[i, j]) = Π exp(log_f[l]) over j < l ≤ i,   0 for j > i

    The diagonal is 1. If log_f is −inf at token t, rows t, t + 1, … are 0 in the columns before t: the text is cut
    there.

    Parameters: `log_f`, shape (..., T), each 0 or negative, possibly −inf.
    Returns: float64, shape (..., T, T).
    Example: decay_matrix(np.log([0.9, 0.5, 0.25])) is [[1, 0, 0], [0.5, 1, 0], [0.125, 0.25, 1]].
    Source: Dao and Gu 2024 (Mamba-2) §3.
    """
    raise NotImplementedError("decay_matrix is not written yet")


def constant_decay(length, slope):
    """Return the log_f that turns decay_bias into ALiBi's bias: −slope for each token.

        Σ −slope over j < l ≤ i = −slope · (i − j)

    Parameters: `length`, an int, not negative; `slope`, positive and finite.
    Returns: float64, shape (length,).
    Example: constant_decay(3, 0.5) is [−0.5, −0.5, −0.5].
    Source: Press et al. 2022 (ALiBi); Lin et al. 2025 §3.
    """
    raise NotImplementedError("constant_decay is not written yet")


def forgetting_attention(q, k, v, log_f):
    """Causal attention with a forget gate: softmax with the decay as a bias.

        out = softmax(q kᵀ/√d + decay_bias(log_f)) v

    If all gates are 1 (log_f = 0), the function computes plain causal attention. The bias is added after the
    division by √d. The result is finite for scores of any finite size.

    Parameters: `q` and `k`, shape (..., T, d); `v`, shape (..., T, dv); `log_f`, shape (..., T), 0 or negative.
    Returns: shape (..., T, dv); float32 if q, k and v are all float32, else float64.
    Raises: ValueError unless there is one gate, key and value per query: a single row must not be broadcast to several
    tokens.
    Example: q = k = [[0], [0]], v = [[0], [1]] and log_f = [0, ln 0.25]: row 1 has the weights 0.2 and 0.8, and the
    result is [[0], [0.8]].
    Source: Lin et al. 2025 (Forgetting Transformer) §3.
    """
    raise NotImplementedError("forgetting_attention is not written yet")


def linear_attention(q, k, v, log_f):
    """Linear attention: scores times decay, without softmax, for all tokens at once.

        out = ((q kᵀ) ∘ decay_matrix(log_f)) v,   so   out_i = Σ_{j≤i} (q_i · k_j) · matrix[i, j] · v_j

    ∘ multiplies entry by entry. Linear attention does not divide by anything: neither by √d nor by a sum of weights.

    Parameters: `q` and `k`, shape (..., T, dk); `v`, shape (..., T, dv); `log_f`, shape (..., T), 0 or negative.
    Returns: shape (..., T, dv); float32 if q, k and v are all float32, else float64.
    Raises: ValueError unless there is one gate, key and value per query: a single row must not be broadcast to several
    tokens.
    Example: q = k = [[1], [1], [1]], v = [[1], [2], [4]] and gates 1, ½, ½: [[1], [2.5], [5.25]].
    Source: Dao and Gu 2024 (Mamba-2) §3; Qwen3-Next scales q by 1/√d first.
    """
    raise NotImplementedError("linear_attention is not written yet")


def linear_step(state, q, k, v, log_f):
    """Linear attention token by token: forget, write, then read.

        state ← exp(log_f) · state + k vᵀ
        out = qᵀ state

    The state after a token includes that token. The initial state is all zeros. Row a, column b of k vᵀ is k[a] · v[b].

    Parameters: `state`, shape (..., dk, dv); `q` and `k`, (..., dk); `v`, (..., dv); `log_f`, a number or shape (...),
    0 or negative.
    Returns: out, shape (..., dv), and the new state, shape (..., dk, dv); both float32 if state, q, k and v are all
    float32, else float64.
    Example: state [[1]], q = [2], k = [1], v = [3] and a gate of ½: the new state is [[3.5]], and out is [7].
    Source: Yang et al. 2024 (GLA) §2; the state space of Dao and Gu 2024.
    """
    raise NotImplementedError("linear_step is not written yet")


def delta_step(state, k, v, beta, log_f):
    """Apply the gated delta rule to one token: forget, read the value stored for the key, write the difference.

        S = exp(log_f) · state
        state ← S + k (β (v − Sᵀ k))ᵀ

    Sᵀ k is the value that the key k reads before the write. For a key of length 1, β = 1 replaces this value with v:
    the key then reads v. β = 0 writes nothing. linear_step would add v to the stored value.

    Parameters: `state`, shape (..., dk, dv); `k`, (..., dk), used as is (the layer normalises it); `v`, (..., dv);
    `beta`, from 0 to 2, and `log_f`, 0 or negative, each a number or shape (...).
    Returns: the new state, shape (..., dk, dv); float32 if state, k and v are all float32, else float64.
    Example: state [[2]], k = [1], v = [5], no forgetting: [[5]] with β = 1, and [[3.5]] with β = ½.
    Source: Yang et al. 2025 (Gated DeltaNet) §3; Qwen3-Next.
    """
    raise NotImplementedError("delta_step is not written yet")


def linear_chunks(q, k, v, log_f, chunk, state=None):
    """Linear attention in chunks: all tokens of a chunk at once, with a state passed from chunk to chunk.

        c_i = Σ log_f[l] over the tokens l of the chunk up to i
        out_i = linear attention inside the chunk + exp(c_i) · q_iᵀ state
        state ← exp(c_last) · state + Σ_j decay_matrix[last, j] · k_j v_jᵀ   over the tokens j of the chunk

    The state at the end of a chunk equals linear_step's state after the chunk's last token.

    The last chunk may be shorter. The arrays for one chunk have shape (chunk, chunk), so an array of shape
    (T, T) occurs only if one chunk contains the whole text. Loop over the chunks, never over tokens. With the
    returned state, a later call can continue the text.

    Parameters: `q` and `k`, shape (..., T, dk); `v`, (..., T, dv); `log_f`, (..., T), 0 or negative; `chunk`, an int of
    at least 1; `state`, shape (..., dk, dv), from earlier tokens, or None for zeros.
    Returns: out, shape (..., T, dv), and the state after the last token, shape (..., dk, dv); both float32 if q, k, v
    and the state (if passed) are all float32, else float64.
    Example: the example of linear_attention, with chunk 2, gives [[1], [2.5], [5.25]] and the state [[5.25]].
    Source: Yang et al. 2024 (GLA) §2; Dao and Gu 2024 (Mamba-2) §6.
    """
    raise NotImplementedError("linear_chunks is not written yet")


def cache_and_state(length, n_heads, d_k, d_v):
    """Count the numbers that one layer keeps in attention's cache and in linear attention's state.

        cache = n_heads · length · (d_k + d_v)        state = n_heads · d_k · d_v

    Parameters: `length`, the number of tokens, not negative; `n_heads`, `d_k` and `d_v`, at least 1; all ints.
    Returns: two ints, the cache and the state.
    Example: cache_and_state(10, 2, 4, 3) is (140, 24).
    Source: Yang et al. 2024 (GLA) §2.
    """
    raise NotImplementedError("cache_and_state is not written yet")


def retention(q, k, v, gamma, base=10000.0):
    """Linear attention of rotated queries and keys, with one gate for all tokens of a head.

        out_i = Σ_{j≤i} γ^(i−j) · (R_i q_i · R_j k_j) · v_j

    R_t rotates pair p of row t by t · base^(−2p/dk). Pair p consists of features 2p and 2p + 1. Nothing is
    scaled. (torchscale's angles end at 1/base, and it normalises rows, so its results differ.)

    Parameters: `q` and `k`, shape (..., T, dk) with dk even; `v`, (..., T, dv); `gamma`, above 0 and at most 1: a
    number, or shape (h,), one for each head of (..., h, T, d); `base`, a positive finite number.
    Returns: shape (..., T, dv); float32 if q, k and v are all float32, else float64.
    Example: q = k = [[1, 0], [1, 0]], v = [[1], [1]] and gamma ½: [[1], [1 + ½ cos 1]] = [[1], [1.27015]].
    Source: Sun et al. 2023 (RetNet) §2.
    """
    raise NotImplementedError("retention is not written yet")


def cope_positions(gates):
    """CoPE: the position of a key is the sum of the gates of all keys from that key to the query.

        position[i, j] = Σ gates[i, l] over j ≤ l ≤ p   for j ≤ p = i + Tk − Tq,   0 for j > p

    Query i is at p: the last query has the position of the last key. A gate of 1 counts a key, a gate of 0 skips it,
    and a gate in between counts it in part, so positions can be fractions. If all gates are 1, key j is at
    position p − j + 1. Gates of keys after p are not included.

    Parameters: `gates`, shape (..., Tq, Tk), each from 0 to 1, with Tq at most Tk.
    Returns: float64, shape (..., Tq, Tk).
    Example: cope_positions([[1, 0, 0.5]]) is [[1.5, 0.5, 0.5]].
    Source: Golovneva et al. 2024 (CoPE) §4.
    """
    raise NotImplementedError("cope_positions is not written yet")


def half_life(log_f):
    """Return the number of tokens, each with the gate log_f, after which half of the state remains.

        exp(log_f)^n = ½,   so   n = ln ½ / log_f

    A gate that keeps everything (log_f = 0) has a half-life of inf; a gate that keeps nothing (−inf) has a
    half-life of 0.

    Parameters: `log_f`, a number or an array of any shape, each 0 or negative, possibly −inf.
    Returns: float64, the shape of log_f.
    Example: half_life([0, ln ½, ln ¼, −inf]) is [inf, 1, 0.5, 0].
    Source: exponential decay; the gates are those of Lin et al. 2025.
    """
    raise NotImplementedError("half_life is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # With equal gates, can decay_bias be the bias of one causal ALiBi head?
    "alibi_is_a_constant_forget_gate": None,
    # Can the first gate, log_f[0], change what linear_attention returns?
    "first_gate_changes_linear_attention": None,
    # Every gate is 0.99. After how many tokens is half of the state left? (Three decimals.)
    "half_life_of_gate_0_99": None,
    # One head with d_k = d_v = 128: at how many tokens does the cache become as large as the state?
    "tokens_until_cache_equals_state_128": None,
    # For practice, no points. Every gate is ½. With which slope does ALiBi give the same bias?
    "slope_of_a_gate_of_one_half": None,
    # For practice, no points. For a key of length 1, the value 4 is written with β = 1, then 6 with β = ½; all gates
    # are 1. What does the key read?
    "read_after_a_write_with_beta_one_half": None,
}
