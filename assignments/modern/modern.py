"""Modern: how today's models use position.

Models from 2024 and later keep RoPE, but change where and how they use it. In such models, some layers have
no encoding at all. Some layers see only a window or a chunk of the text. Some pairs of features are not
rotated. The scores of queries at late positions are multiplied by a factor. Content and position get separate
features. A cache drops old tokens, and moves the others to new positions. Each function in this file
implements one of these ideas in a few lines.

Conventions: positions and layers count from 0; `...` stands for any number of leading axes; the last two axes are
(sequence, feature). Pair i consists of features 2i and 2i+1. Results are float32 if every feature array (queries, keys,
caches) is float32, else float64; angles are always computed in float64. Functions without a feature array return
float64 (or int64 or bool, as the docstring says). No function changes an argument in place.
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


def first_token_share(length):
    """Return the weight that token 0 gets from each token in causal attention when all scores are equal.

        share[t] = 1/(t + 1)

    Token t can attend to the t + 1 tokens 0 … t. Equal scores give each token the same weight. The weight of token 0
    therefore depends only on t, although no position was added anywhere.

    Parameters: `length`, an int, not negative.
    Returns: float64, shape (length,).
    Example: first_token_share(4) is [1, 0.5, 0.3333, 0.25].
    Source: Haviv et al. 2022; Kazemnejad et al. 2023, theorem 1.
    """
    raise NotImplementedError("first_token_share is not written yet")


def position_from_share(share):
    """Return the position implied by the weight of token 0: the inverse of first_token_share.

        position = 1/share − 1

    Parameters: `share`, a number or an array of any shape, each 0 < share ≤ 1.
    Returns: float64, the shape of share.
    Example: position_from_share([1, 0.5, 0.25]) is [0, 1, 3].
    Source: Kazemnejad et al. 2023, theorem 1.
    """
    raise NotImplementedError("position_from_share is not written yet")


def rope_layers(n_layers, interval):
    """Mark the layers that rotate queries and keys: all but the last layer in each group of `interval` layers.

        layer l uses RoPE if (l + 1) mod interval ≠ 0

    Layers count from 0, so with interval 4 the layers 3, 7, 11, … have no encoding. True means "uses RoPE".

    Parameters: `n_layers` and `interval`, ints, at least 1.
    Returns: bool, shape (n_layers,).
    Example: rope_layers(5, 4) is [True, True, True, False, True].
    Source: Llama 4; SmolLM3 (both interval 4).
    """
    raise NotImplementedError("rope_layers is not written yet")


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    """Return RoPE's base in each layer of a model that mixes local and global layers.

        layer l has global_base if (l + 1) mod interval = 0, else local_base

    A local layer sees only a window of the text, so all distances in this layer are short. A global layer
    sees the whole text. The larger base of a global layer lowers the frequencies.

    Parameters: `n_layers` and `interval`, ints, at least 1; the bases, positive finite numbers.
    Returns: float64, shape (n_layers,).
    Example: layer_bases(4, 3) is [10000, 10000, 1000000, 10000].
    Source: Gemma 3 (interval 6). Gemma 4 also makes the last layer global.
    """
    raise NotImplementedError("layer_bases is not written yet")


def sliding_window_mask(q_len, k_len, window):
    """Return the mask for queries that see only the last `window` positions, including their own.

        query i is at p = i + k_len − q_len and may attend to key j if p − window < j ≤ p

    The last query has the position of the last key. With a cache, position p differs from i: a single new query has
    k_len keys.

    Parameters: `q_len`, not negative; `k_len`, at least q_len; `window`, at least 1; all ints.
    Returns: bool, shape (q_len, k_len), True if the query may attend.
    Example: sliding_window_mask(2, 4, 2) is [[False, True, True, False], [False, False, True, True]].
    Source: Mistral 7B; Gemma 3.
    """
    raise NotImplementedError("sliding_window_mask is not written yet")


def chunk_mask(q_len, k_len, chunk):
    """Return the mask for a text that is cut into blocks of `chunk` positions.

        query i is at p = i + k_len − q_len and may attend to key j if j ≤ p and ⌊j/chunk⌋ = ⌊p/chunk⌋

    Blocks start at positions 0, chunk, 2·chunk, … of the whole text, whatever the number of queries.

    Parameters: `q_len`, not negative; `k_len`, at least q_len; `chunk`, at least 1; all ints.
    Returns: bool, shape (q_len, k_len), True if the query may attend.
    Example: chunk_mask(3, 5, 3) is [[True, True, True, False, False], [False, False, False, True, False],
    [False, False, False, True, True]].
    Source: Llama 4, in its layers with RoPE.
    """
    raise NotImplementedError("chunk_mask is not written yet")


def p_rope_frequencies(head_dim, p, base=10000.0):
    """Return the frequencies of p-RoPE: the first ⌊p·d/2⌋ pairs rotate as usual, the other pairs do not rotate.

        θ_i = base^(−2i/d) for i < ⌊p·d/2⌋, else 0,   d = head_dim

    The pairs that do not rotate are the slowest. The pairs that rotate keep the frequencies of the whole head. By
    contrast, partial RoPE computes frequencies from the size of the rotated part.

    Parameters: `head_dim`, an even int; `p`, from 0 to 1; `base`, a positive finite number.
    Returns: float64, shape (head_dim/2,).
    Example: p_rope_frequencies(4, 0.5) is [1, 0], and p_rope_frequencies(4, 1) is [1, 0.01].
    Source: Barbero et al. 2024 §6; Gemma 4 ("proportional").
    """
    raise NotImplementedError("p_rope_frequencies is not written yet")


def temperature(positions, floor_scale=8192.0, attn_scale=0.1):
    """Return the factor that multiplies queries in layers without RoPE; it exceeds 1 at late positions.

        1 + attn_scale · ln(1 + ⌊(position + 1)/floor_scale⌋)

    The factor is 1 for the first floor_scale − 1 positions. From position floor_scale − 1 on, the factor grows slowly,
    in steps. The factor enlarges the differences between scores when softmax has more keys to choose from.

    Parameters: `positions`, a real number or an array of any shape; `floor_scale`, positive; `attn_scale`, a number.
    Returns: float64, the shape of positions.
    Example: temperature([0, 8190, 8191]) is [1, 1, 1.0693]: 1 + 0.1 · ln 2 from position 8191 on.
    Source: Llama 4.
    """
    raise NotImplementedError("temperature is not written yet")


def log_n_scale(positions, trained_len):
    """Return the factor that multiplies queries so that softmax stays as sharp as at the trained length.

        max(1, ln(position + 1)/ln(trained_len))

    The factor is 1 at all positions below the trained length. Beyond the trained length, the factor grows
    with the logarithm of the number of keys.

    Parameters: `positions`, a real number or an array of any shape; `trained_len`, at least 2.
    Returns: float64, the shape of positions.
    Example: log_n_scale([3, 15, 255], 16) is [1, 1, 2]: 256 = 16².
    Source: Qwen (first version), `use_logn_attn`.
    """
    raise NotImplementedError("log_n_scale is not written yet")


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    """Decoupled RoPE's scores: a position-free content score, plus a score from separate, rotated features.

        score[i, j] = (q_content_i · k_content_j + RoPE(q_rope)_i · RoPE(k_rope)_j) / √(d_c + d_r)

    All heads share one small rotated key per token. The content part is never rotated, so a model can store it in a
    compressed form.

    Parameters: `q_content`, (..., h, Tq, d_c); `k_content`, (..., h, Tk, d_c); `q_rope`, (..., h, Tq, d_r) with d_r
    even; `k_rope`, (..., Tk, d_r), without a head axis; their positions, 1-D, (Tq,) and (Tk,). h is the same in all of
    them; axes before h broadcast.
    Returns: shape (..., h, Tq, Tk); float32 if all four feature arrays are float32, else float64.
    Raises: ValueError if the numbers of heads, rows or positions differ: numpy must not repeat a single row.
    Example: if k_rope is [[1, 0]], all other feature arrays are [[[1, 0]]], and the positions are [3] and [1]:
    [[[(1 + cos 2)/√4]]] = [[[0.2919]]].
    Source: DeepSeek-V2 §2.1.3.
    """
    raise NotImplementedError("decoupled_scores is not written yet")


def kept_tokens(length, n_sinks, window):
    """Return the tokens that remain in the cache after `length` tokens: the first n_sinks and the last `window`.

    Parameters: `length`, `n_sinks` and `window`, ints, not negative.
    Returns: int64, the indices of the kept tokens, each once, in order.
    Example: kept_tokens(9, 2, 3) is [0, 1, 6, 7, 8], and kept_tokens(4, 2, 3) is [0, 1, 2, 3].
    Source: Xiao et al. 2024 (attention sinks).
    """
    raise NotImplementedError("kept_tokens is not written yet")


def shift_keys(cache_k, offset, base=10000.0):
    """Move rotated keys by `offset` positions, without recomputing them.

        RoPE(k, m + offset) = RoPE(RoPE(k, m), offset)

    The angles of two rotations add up, so one more rotation, the same for every row, moves all the keys. A
    negative offset moves the keys back.

    Parameters: `cache_k`, shape (..., t, d) with d even, keys stored rotated; `offset`, one real number.
    Returns: the shape of cache_k; float32 if cache_k is float32, else float64. The cache itself does not change.
    Example: shift_keys([[1, 0, 1, 0]], 1) is [[0.5403, 0.8415, 0.99995, 0.0099998]].
    Source: llama.cpp's context shift; Xiao et al. 2024 §3.2 renumber the kept tokens for the same purpose.
    """
    raise NotImplementedError("shift_keys is not written yet")


def sink_weights(scores, sink):
    """Attention weights with a learned sink: each head has one extra score in its softmax, without a value.

        weight[j] = e^score[j] / (Σ_l e^score[l] + e^sink)

    Because of the sink, the weights of a query can sum to less than 1. A head that needs no token gives its weight to
    the sink. Huge scores and sinks must not overflow, so subtract the largest number first. With a sink of −∞, the
    result is the ordinary softmax, but a row of only −∞ gives zeros.

    Parameters: `scores`, shape (..., h, Tq, Tk), −∞ if a query may not attend; `sink`, shape (h,), one number per
    head, −∞ allowed.
    Returns: the shape of scores; float32 if scores is float32 (the sink has no influence), else float64.
    Raises: ValueError if the sink does not have shape (h,): one sink must not be broadcast to several heads.
    Example: sink_weights([[[0, 0]]], [0]) is [[[1/3, 1/3]]]; with a sink of −∞ it is [[[1/2, 1/2]]].
    Source: gpt-oss (OpenAI 2025); Xiao et al. 2024 §3.1 explain why heads need a sink.
    """
    raise NotImplementedError("sink_weights is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # A model has 36 layers and uses rope_layers with interval 4. How many of these layers use RoPE?
    "rope_layers_of_36_with_interval_4": None,
    # All scores are equal, and 500 equal tokens follow a start token with a different value. Can causal
    # attention without any encoding count how many tokens come before a token?
    "causal_attention_without_encoding_counts": None,
    # All scores are equal and attention is causal. What weight does the token at position 9 give to token 0?
    "share_of_first_token_at_position_9": None,
    # Does p-RoPE, with p large enough that some pair rotates, keep the frequency of the fastest pair?
    "p_rope_keeps_the_fastest_pair": None,
    # For practice, worth no points.
    # All layers have a window of 8. How many layers does it take before a query can use something 30 positions back?
    "layers_that_reach_30_back_with_a_window_of_8": None,
    # With chunks of 8192, how many keys does the query at position 9000 see, including its own?
    "keys_seen_at_position_9000_in_chunks_of_8192": None,
    # A cache has 100 tokens, and only 4 sinks and a window of 20 stay. What offset for shift_keys closes the
    # gap?
    "offset_of_the_window_after_100_tokens": None,
    # There is one key with a score of 0, and the sink is ln 3. What do the weights sum to?
    "weight_left_beside_a_sink": None,
}
