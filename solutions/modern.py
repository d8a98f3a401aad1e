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


# BEGIN SOLUTION
# The rules that several functions share are in one place, so that each function below shows only its own
# idea. For feature sizes that do not fit, numpy raises a ValueError with both sizes.


def _check_positive(**numbers):
    for name, value in numbers.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1; got {value}")


def _check_not_negative(**numbers):
    for name, value in numbers.items():
        if value < 0:
            raise ValueError(f"{name} must not be negative; got {value}")


def _check_base(base, name="base"):
    if not (np.isfinite(base) and base > 0):
        raise ValueError(f"{name} must be a positive finite number; got {base}")


def _real(positions, name="positions"):
    """Return positions as an array of any shape."""
    positions = np.asarray(positions)
    if np.isnan(positions).any():
        raise ValueError(f"{name} must be numbers; got nan")
    return positions


def _last_of_each_group(n_layers, interval):
    """Return True for layers interval − 1, 2·interval − 1, …: the last layer in every group of `interval` layers."""
    _check_positive(n_layers=n_layers, interval=interval)
    return np.arange(1, n_layers + 1) % interval == 0


def _query_and_key_positions(q_len, k_len):
    """Return query positions as a column and key positions as a row; the last query and last key share a position."""
    _check_not_negative(q_len=q_len)
    if k_len < q_len:
        raise ValueError(f"there must be as many keys as queries, or more; got {k_len} keys and {q_len} queries")
    return np.arange(k_len - q_len, k_len)[:, np.newaxis], np.arange(k_len)


def _frequencies(head_dim, base):
    """Return θ_i = base^(−2i/d)."""
    if head_dim < 2 or head_dim % 2:
        raise ValueError(f"head_dim must be even and at least 2, so that features form pairs; got {head_dim}")
    _check_base(base)
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


def _rotate(x, positions, base):
    """Rotate pair i of row t by positions[t]·θ_i, in float64. A single position is used for all rows."""
    angles = positions[:, np.newaxis] * _frequencies(x.shape[-1], base)
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return pairs.reshape(x.shape)


def _check_rows(positions, rows, name):
    """Return positions as an array, with one position per row."""
    positions = _real(positions, name)
    if positions.shape != (rows,):
        raise ValueError(f"{name} must be 1-D, one for each row; got shape {positions.shape} for {rows} rows")
    return positions


def _check_equal(what, axis, *arrays):
    if len({array.shape[axis] for array in arrays}) > 1:
        raise ValueError(
            f"the numbers of {what} must be equal; got shapes {', '.join(str(array.shape) for array in arrays)}"
        )


# END SOLUTION


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
    # BEGIN SOLUTION
    _check_not_negative(length=length)
    return 1 / np.arange(1.0, length + 1)
    # END SOLUTION


def position_from_share(share):
    """Return the position implied by the weight of token 0: the inverse of first_token_share.

        position = 1/share − 1

    Parameters: `share`, a number or an array of any shape, each 0 < share ≤ 1.
    Returns: float64, the shape of share.
    Example: position_from_share([1, 0.5, 0.25]) is [0, 1, 3].
    Source: Kazemnejad et al. 2023, theorem 1.
    """
    # BEGIN SOLUTION
    share = np.asarray(share, dtype=np.float64)
    if not np.all((share > 0) & (share <= 1)):  # refuses NaN too
        raise ValueError(f"a share must be above 0 and at most 1; got {share}")
    return 1 / share - 1
    # END SOLUTION


def rope_layers(n_layers, interval):
    """Mark the layers that rotate queries and keys: all but the last layer in each group of `interval` layers.

        layer l uses RoPE if (l + 1) mod interval ≠ 0

    Layers count from 0, so with interval 4 the layers 3, 7, 11, … have no encoding. True means "uses RoPE".

    Parameters: `n_layers` and `interval`, ints, at least 1.
    Returns: bool, shape (n_layers,).
    Example: rope_layers(5, 4) is [True, True, True, False, True].
    Source: Llama 4; SmolLM3 (both interval 4).
    """
    # BEGIN SOLUTION
    return ~_last_of_each_group(n_layers, interval)
    # END SOLUTION


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
    # BEGIN SOLUTION
    _check_base(local_base, "local_base")
    _check_base(global_base, "global_base")
    return np.where(_last_of_each_group(n_layers, interval), float(global_base), float(local_base))
    # END SOLUTION


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
    # BEGIN SOLUTION
    _check_positive(window=window)
    query, key = _query_and_key_positions(q_len, k_len)
    return (query - window < key) & (key <= query)
    # END SOLUTION


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
    # BEGIN SOLUTION
    _check_positive(chunk=chunk)
    query, key = _query_and_key_positions(q_len, k_len)
    return (query // chunk == key // chunk) & (key <= query)
    # END SOLUTION


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
    # BEGIN SOLUTION
    theta = _frequencies(head_dim, base)
    if not 0 <= p <= 1:
        raise ValueError(f"p must be from 0 to 1; got {p}")
    rotating = np.floor(float(p) * head_dim / 2)
    return np.where(np.arange(head_dim // 2) < rotating, theta, 0.0)
    # END SOLUTION


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
    # BEGIN SOLUTION
    positions = _real(positions)
    if not floor_scale > 0:
        raise ValueError(f"floor_scale must be positive; got {floor_scale}")
    steps = np.floor((positions.astype(np.float64) + 1) / floor_scale)
    return 1 + attn_scale * np.log1p(steps)
    # END SOLUTION


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
    # BEGIN SOLUTION
    positions = _real(positions)
    if trained_len < 2:
        raise ValueError(f"trained_len must be at least 2; got {trained_len}")
    return np.maximum(1, np.log1p(positions.astype(np.float64)) / np.log(trained_len))
    # END SOLUTION


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
    # BEGIN SOLUTION
    q_content, k_content, q_rope, k_rope, dtype = _features(q_content, k_content, q_rope, k_rope)
    _check_equal("heads", -3, q_content, k_content, q_rope)
    _check_equal("queries", -2, q_content, q_rope)
    _check_equal("keys", -2, k_content, k_rope)
    q_positions = _check_rows(q_positions, q_rope.shape[-2], "q_positions")
    k_positions = _check_rows(k_positions, k_rope.shape[-2], "k_positions")

    rotated_q = _rotate(q_rope, q_positions, base)
    rotated_k = _rotate(k_rope, k_positions, base)[..., np.newaxis, :, :]  # an axis for the heads that share it
    content = q_content @ np.swapaxes(k_content, -1, -2)
    position = rotated_q @ np.swapaxes(rotated_k, -1, -2)
    scores = (content + position) / np.sqrt(q_content.shape[-1] + q_rope.shape[-1])
    return scores.astype(dtype)
    # END SOLUTION


def kept_tokens(length, n_sinks, window):
    """Return the tokens that remain in the cache after `length` tokens: the first n_sinks and the last `window`.

    Parameters: `length`, `n_sinks` and `window`, ints, not negative.
    Returns: int64, the indices of the kept tokens, each once, in order.
    Example: kept_tokens(9, 2, 3) is [0, 1, 6, 7, 8], and kept_tokens(4, 2, 3) is [0, 1, 2, 3].
    Source: Xiao et al. 2024 (attention sinks).
    """
    # BEGIN SOLUTION
    _check_not_negative(length=length, n_sinks=n_sinks, window=window)
    tokens = np.arange(length)
    return tokens[(tokens < n_sinks) | (tokens >= length - window)]
    # END SOLUTION


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
    # BEGIN SOLUTION
    cache_k, dtype = _features(cache_k)
    offset = _real(offset, "offset").reshape(1)
    return _rotate(cache_k, offset, base).astype(dtype)
    # END SOLUTION


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
    # BEGIN SOLUTION
    scores, dtype = _features(scores)
    sink = np.asarray(sink, dtype=np.float64)
    if sink.shape != (scores.shape[-3],):
        raise ValueError(f"sink must have one number for each head; got {sink.shape} for scores of {scores.shape}")
    if np.isnan(sink).any() or np.isposinf(sink).any():
        raise ValueError(f"a sink must be a number or −∞; got {sink}")
    sink = sink[:, np.newaxis, np.newaxis]
    largest = np.maximum(scores.max(axis=-1, keepdims=True, initial=-np.inf), sink)
    largest = np.where(np.isneginf(largest), 0, largest)  # nothing to subtract from: −∞ − (−∞) is not a number
    powers = np.exp(scores - largest)
    total = powers.sum(axis=-1, keepdims=True) + np.exp(sink - largest)
    return (powers / np.where(total > 0, total, 1)).astype(dtype)
    # END SOLUTION


# Answer with a number, True or False.
ANSWERS = {
    # A model has 36 layers and uses rope_layers with interval 4. How many of these layers use RoPE?
    "rope_layers_of_36_with_interval_4": 27,  # 36 − 36/4
    # All scores are equal, and 500 equal tokens follow a start token with a different value. Can causal
    # attention without any encoding count how many tokens come before a token?
    "causal_attention_without_encoding_counts": True,  # from the weight of the first token, 1/(t + 1)
    # All scores are equal and attention is causal. What weight does the token at position 9 give to token 0?
    "share_of_first_token_at_position_9": 0.1,  # it sees ten tokens
    # Does p-RoPE, with p large enough that some pair rotates, keep the frequency of the fastest pair?
    "p_rope_keeps_the_fastest_pair": True,  # the slow pairs stop first: pair 0 rotates by 1 as long as any pair rotates
    # For practice, worth no points.
    # All layers have a window of 8. How many layers does it take before a query can use something 30 positions back?
    "layers_that_reach_30_back_with_a_window_of_8": 5,  # each layer reaches 7 positions back, and 4 · 7 < 30
    # With chunks of 8192, how many keys does the query at position 9000 see, including its own?
    "keys_seen_at_position_9000_in_chunks_of_8192": 809,  # the keys 8192 … 9000
    # A cache has 100 tokens, and only 4 sinks and a window of 20 stay. What offset for shift_keys closes the
    # gap?
    "offset_of_the_window_after_100_tokens": -76,  # token 80 moves to position 4
    # There is one key with a score of 0, and the sink is ln 3. What do the weights sum to?
    "weight_left_beside_a_sink": 0.25,  # 1/(1 + 3)
}
