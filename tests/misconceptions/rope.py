"""Known mistakes with RoPE: each replaces one function of the solution, and must lose points.

A hint names the likely cause in the words of the lesson and leaves the mending to the student.
"""

import numpy as np

from autograder.grading.catalogue import misconception
from solutions import rope


def turn_pairs(x, positions, frequencies):
    """Interleaved RoPE with whatever frequencies an entry gets wrong."""
    angles = np.outer(positions, frequencies)
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.empty(np.shape(x))
    even, odd = x[..., 0::2], x[..., 1::2]
    turned[..., 0::2], turned[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos
    return turned.astype(x.dtype if x.dtype == np.float32 else np.float64)


@misconception(
    "rope_frequencies",
    hint="The exponent looks half as large as it should be: it counts features (2i) over d, not pairs (i) over d.",
    origin="DongjunLee/transformer-tensorflow #6 (there the other way round), and most first attempts",
)
def exponent_counts_pairs(head_dim, base=10000.0):
    right = rope.rope_frequencies(head_dim, base)
    return np.sqrt(right)


@misconception(
    "rope_frequencies",
    hint="The exponent looks twice as large as it should be: i in base^(−2i/d) counts pairs, 0 … d/2 − 1.",
    origin="DongjunLee/transformer-tensorflow #6",
)
def exponent_uses_the_feature_index(head_dim, base=10000.0):
    return rope.rope_frequencies(head_dim, base) ** 2


@misconception(
    "rope_frequencies",
    hint="The frequencies grow where they should fall: look at the sign of the exponent.",
    origin="the inverse is stored as inv_freq in many codebases, and inverted once too often",
)
def exponent_without_its_sign(head_dim, base=10000.0):
    return 1 / rope.rope_frequencies(head_dim, base)


@misconception(
    "rope_frequencies",
    hint="The last frequency is exactly 1/base: the exponent runs over d/2 − 1 steps, as in tensor2tensor, not over d/2.",
    origin="tensorflow/tensor2tensor, whose sinusoids end at 1/base",
)
def frequencies_end_at_one_over_base(head_dim, base=10000.0):
    rope.rope_frequencies(head_dim, base)
    return float(base) ** -np.linspace(0, 1, head_dim // 2)


@misconception(
    "rope_frequencies",
    hint="An odd head_dim goes through: features must form pairs, so refuse it with a ValueError that names it.",
    origin="codertimo/BERT-pytorch #78; gc-os-ai/pyaptamer #607",
)
def odd_sizes_pass(head_dim, base=10000.0):
    return float(base) ** (-np.arange(0, head_dim, 2) / head_dim)


@misconception(
    "rope_cos_sin",
    hint="Angles in float32 are coarse at large positions: compute position · θ in float64 and convert the result at the end.",
    origin="EleutherAI/gpt-neox #1003; NVIDIA/Megatron-LM #535; huggingface/transformers #25681, #29285",
)
def angles_in_single_precision(positions, head_dim, base=10000.0):
    positions = np.asarray(positions, dtype=np.float32)
    rope.rope_cos_sin(positions, head_dim, base)
    angles = np.outer(positions, rope.rope_frequencies(head_dim, base).astype(np.float32))
    return np.cos(angles).astype(np.float64), np.sin(angles).astype(np.float64)


@misconception(
    "rope_cos_sin",
    hint="Positions seem to count from 1: the first token stands at 0, where nothing turns.",
    origin="fla-org/flash-linear-attention #766 (a cache's count one ahead)",
)
def positions_one_ahead(positions, head_dim, base=10000.0):
    return rope.rope_cos_sin(np.asarray(positions, dtype=np.float64) + 1, head_dim, base)


@misconception(
    "apply_rope",
    hint="Each frequency stands for two neighbours, but the turn pairs features half the width apart: no pair gets one angle, "
    "and the score is no longer relative.",
    origin="raiyanyahya/how-to-train-your-gpt #6; huggingface/transformers #47328",
)
def neighbours_frequencies_with_rotate_half(x, positions, base=10000.0):
    x = np.asarray(x)
    rope.apply_rope(x, positions, base)
    cos, sin = rope.rope_cos_sin(positions, x.shape[-1], base)
    cos, sin = np.repeat(cos, 2, axis=-1), np.repeat(sin, 2, axis=-1)
    return (x * cos + rope.rotate_half(x) * sin).astype(x.dtype if x.dtype == np.float32 else np.float64)


@misconception(
    "apply_rope",
    hint="This is the half layout (pairs i and i + d/2): a good encoding, but this function turns neighbours (2i, 2i+1).",
    origin="karpathy/nanochat #264; EleutherAI/gpt-neox #834; huggingface/transformers #25199",
)
def half_layout_where_interleaved_is_meant(x, positions, base=10000.0):
    return rope.apply_rope_half(x, positions, base)


@misconception(
    "apply_rope",
    hint="The pairs turn the wrong way round: look at which of the two sines carries the minus.",
    origin="expected: the sign of the rotation is a convention that is easily mirrored",
)
def turned_backwards(x, positions, base=10000.0):
    return rope.apply_rope(x, -np.asarray(positions, dtype=np.float64), base)


@misconception(
    "apply_rope",
    hint="The second feature of each pair is computed from the first after that was overwritten: keep the old value, or work on a copy.",
    origin="expected: the usual slip of rotating in place",
)
def first_feature_overwritten_too_early(x, positions, base=10000.0):
    x = np.asarray(x)
    rope.apply_rope(x, positions, base)
    cos, sin = rope.rope_cos_sin(positions, x.shape[-1], base)
    y = np.array(x, dtype=np.float64)
    y[..., 0::2] = y[..., 0::2] * cos - y[..., 1::2] * sin
    y[..., 1::2] = y[..., 0::2] * sin + y[..., 1::2] * cos
    return y.astype(x.dtype if x.dtype == np.float32 else np.float64)


@misconception(
    "apply_rope_half",
    hint="In the half layout each frequency is used for features i and i + d/2: repeat the block of frequencies, not each frequency.",
    origin="raiyanyahya/how-to-train-your-gpt #6; huggingface/transformers #47328",
)
def half_layout_with_neighbours_frequencies(x, positions, base=10000.0):
    return neighbours_frequencies_with_rotate_half.implementation(x, positions, base)


@misconception(
    "rotate_half",
    hint="The minus belongs to the half that moves to the front.",
    origin="expected: [x₂, −x₁] turns the other way",
)
def rotate_half_with_the_other_sign(x):
    return -rope.rotate_half(x)


@misconception(
    "interleaved_to_half",
    hint="This is the way back: from interleaved to half the even features come first, then the odd ones.",
    origin="rasbt/LLMs-from-scratch #747; NVIDIA/Megatron-LM #1547 (weights of one layout in the other)",
)
def reordered_the_other_way(x):
    return rope.half_to_interleaved(x)


@misconception(
    "rope_scores",
    hint="The scores are √d too large: divide by the square root of head_dim.",
    origin="expected: the scale of Vaswani et al. 2017 §3.2.1 left out",
)
def scores_without_their_scale(q, k, q_positions, k_positions, base=10000.0):
    return rope.rope_scores(q, k, q_positions, k_positions, base) * np.sqrt(np.shape(q)[-1])


@misconception(
    "rope_scores",
    hint="Only one side seems to be turned: query and key are both turned, each by its own position.",
    origin="expected: the score then depends on one position and not on the offset",
)
def only_the_query_is_turned(q, k, q_positions, k_positions, base=10000.0):
    rope.rope_scores(q, k, q_positions, k_positions, base)
    return rope.rope_scores(q, k, q_positions, np.zeros(len(k_positions)), base)


@misconception(
    "rope_attention",
    hint="The values are turned as well: RoPE turns queries and keys only, what is read stays as it is.",
    origin="expected: the three projections treated alike",
)
def values_turned_too(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    length, columns = np.shape(x)[-2], np.shape(w_v)[-1]
    if positions is None:
        positions = np.arange(length)
    weights = [attention_weights(x, w_q, w_k, n_heads, head, positions, causal, base) for head in range(n_heads)]
    values = np.split(np.asarray(x) @ np.asarray(w_v), n_heads, axis=-1)
    heads = [weight @ rope.apply_rope(value, positions, base) for weight, value in zip(weights, values, strict=True)]
    return np.concatenate(heads, axis=-1).reshape(*np.shape(x)[:-1], columns).astype(right.dtype)


@misconception(
    "rope_attention",
    hint="The angles run over the whole width of q and k: every head has its own pairs, with θ from head_dim.",
    origin="expected: RoPE applied before the heads are split",
)
def turned_before_the_heads_are_split(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    if positions is None:
        positions = np.arange(np.shape(x)[-2])
    q, k = (rope.apply_rope(np.asarray(x) @ np.asarray(w), positions, base) for w in (w_q, w_k))
    q, k, v = (np.split(part, n_heads, axis=-1) for part in (q, k, np.asarray(x) @ np.asarray(w_v)))
    heads = [softmax_scores(q[h], k[h], causal) @ v[h] for h in range(n_heads)]
    return np.concatenate(heads, axis=-1).astype(right.dtype)


@misconception(
    "decode_step",
    hint="The new token is turned as if it stood at position 0: turn its query and key by `position`.",
    origin="Blaizzy/mlx-vlm #1983; RobertCsordas/moeut #6",
)
def every_new_token_at_position_zero(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position * 0, base)


@misconception(
    "decode_step",
    hint="The number of cached rows is taken for the position: after anything was dropped from the cache the two differ.",
    origin="rajveer43/VeloxQuant-MLX #175, #389",
)
def position_from_the_size_of_the_cache(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, np.shape(cache_k)[-2], base)


@misconception(
    "decode_step",
    hint="The position is one too far: the first token of a text stands at 0, so with t tokens before it a token stands at t.",
    origin="fla-org/flash-linear-attention #766",
)
def decoding_one_position_ahead(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position + 1, base)


@misconception(
    "apply_partial_rope",
    hint="The frequencies are those of the whole width: they come from rotary_dim, as if the turned part were a head of its own.",
    origin="expected: GPT-J and GPT-NeoX take θ from rotary_dim",
)
def partial_frequencies_from_the_whole_width(x, positions, rotary_dim, base=10000.0):
    x = np.asarray(x)
    right = rope.apply_partial_rope(x, positions, rotary_dim, base)
    frequencies = float(base) ** (-np.arange(0, rotary_dim, 2) / x.shape[-1])
    turned = turn_pairs(x[..., :rotary_dim], positions, frequencies)
    return np.concatenate([turned, x[..., rotary_dim:]], axis=-1).astype(right.dtype)


@misconception(
    "decay_bound",
    hint="This is one sum over all pairs: the bound takes the size of each partial sum S_1, S_2, … and then their mean.",
    origin="expected: |Σ exp(√−1·offset·θ_l)| is plotted in its place in several articles",
)
def bound_from_the_whole_sum(offsets, head_dim, base=10000.0):
    rope.decay_bound(offsets, head_dim, base)
    offsets = np.asarray(offsets, dtype=np.float64)
    return np.abs(np.exp(1j * offsets[..., np.newaxis] * rope.rope_frequencies(head_dim, base)).mean(axis=-1))


def attention_weights(x, w_q, w_k, n_heads, head, positions, causal, base):
    """The right weights of one head, for entries that go wrong after them."""
    q, k = (np.split(np.asarray(x) @ np.asarray(w), n_heads, axis=-1)[head] for w in (w_q, w_k))
    return softmax_scores(rope.apply_rope(q, positions, base), rope.apply_rope(k, positions, base), causal)


def softmax_scores(q, k, causal):
    """Attention weights of turned queries and keys."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
