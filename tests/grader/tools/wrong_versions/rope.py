"""Wrong versions of the functions of rope, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import rope


@mistake("rope_frequencies", "2i|pair|exponent|half|feature")
def exponent_of_i(head_dim, base=10000.0):
    return np.array([base ** -(i / head_dim) for i in range(head_dim // 2)], dtype=float)


@mistake("rope_cos_sin", "sin|cos|order|exchang|first")
def sine_first(positions, head_dim, base=10000.0):
    return rope.rope_cos_sin(positions, head_dim, base)[::-1]


@mistake("rope_cos_sin", "position|row")
def numbers_of_the_rows(positions, head_dim, base=10000.0):
    return rope.rope_cos_sin(range(len(positions)), head_dim, base)


@mistake("apply_rope", "sign|way|back|direction|minus|clock|−")
def turned_backwards(x, positions, base=10000.0):
    return rope.apply_rope(x, -np.asarray(positions), base)


@mistake("apply_rope", "overw|old|already|first")
def second_from_the_new_first(x, positions, base=10000.0):
    cos, sin = rope.rope_cos_sin(positions, np.shape(x)[-1], base)
    y = np.array(x, dtype=np.float64)
    y[..., ::2] = y[..., ::2] * cos - y[..., 1::2] * sin
    y[..., 1::2] = y[..., ::2] * sin + y[..., 1::2] * cos
    return y


@mistake("rotate_half", "sign|minus|half|first|negat")
def minus_on_the_second_half(x):
    return -rope.rotate_half(x)


@mistake("apply_rope_half", "reorder|layout|order|interleav|inverse|back")
def reordered_and_left_so(x, positions, base=10000.0):
    return rope.interleaved_to_half(rope.apply_rope(x, positions, base))


@mistake("apply_rope_half", "repeat|tile|θ_0|twice|list|neighbour|interleav")
def angles_repeated_side_by_side(x, positions, base=10000.0):
    cos, sin = (np.repeat(part, 2, axis=-1) for part in rope.rope_cos_sin(positions, np.shape(x)[-1], base))
    return np.asarray(x) * cos + rope.rotate_half(x) * sin


@mistake("interleaved_to_half", "inverse|other way|opposite|half to")
def the_inverse_order(x):
    return rope.half_to_interleaved(x)


@mistake("rotation_matrix", "half|neighbour|pair|block|layout|apart")
def blocks_half_the_width_apart(position, head_dim, base=10000.0):
    cos, sin = (np.diag(part[0]) for part in rope.rope_cos_sin([position], head_dim, base))
    return np.block([[cos, -sin], [sin, cos]])


@mistake("rope_scores", "conj|sum of|add|sign|direction|opposite|difference|wrong way|back|same way")
def product_without_conjugate(q, k, q_positions, k_positions, base=10000.0):
    return rope.rope_scores(
        q, np.asarray(k) * np.tile([1, -1], np.shape(k)[-1] // 2), q_positions, -np.asarray(k_positions), base
    )


@mistake("rope_attention", "value")
def values_rotated(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    at = np.arange(np.shape(x)[-2]) if positions is None else positions
    q, k, v = (rope._project(np.asarray(x), w, n_heads) for w in (w_q, w_k, w_v))
    scores = rope.rope_scores(q, k, at, at, base)
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    return rope._merge_heads(rope._softmax(scores) @ rope.apply_rope(v, at, base))


@mistake("rope_attention", "head|width|split|before|whole")
def rotated_before_the_split(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    x = np.asarray(x, dtype=np.float64)
    at = np.arange(x.shape[-2]) if positions is None else positions
    q, k = (rope._project(rope.apply_rope(x @ w, at, base), np.eye(np.shape(w)[1]), n_heads) for w in (w_q, w_k))
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    return rope._merge_heads(rope._softmax(scores) @ rope._project(x, np.asarray(w_v), n_heads))


@mistake("rope_attention", "causal|row|position|order")
def mask_by_positions(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    at = np.asarray(range(np.shape(x)[-2]) if positions is None else positions)
    q, k, v = (rope._project(np.asarray(x), w, n_heads) for w in (w_q, w_k, w_v))
    scores = rope.rope_scores(q, k, at, at, base)
    if causal:
        scores = np.where(at <= at[:, None], scores, -np.inf)
    return rope._merge_heads(rope._softmax(scores) @ v)


@mistake("decode_step", "position|cache|rows|length")
def position_is_the_length_of_the_cache(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, np.shape(cache_k)[-2], base)


@mistake("decode_step", "rotat|key|stor")
def key_stored_as_it_is(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    out, _, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    key = rope._project(np.asarray(x_t), np.asarray(w_k), n_heads)
    return out, np.concatenate([cache_k, key], axis=-2), values


@mistake("apply_partial_rope", "width|rotary_dim|size|frequenc|whole|head")
def frequencies_of_the_whole_head(x, positions, rotary_dim, base=10000.0):
    x = np.asarray(x, dtype=np.float64)
    return np.concatenate([rope.apply_rope(x, positions, base)[..., :rotary_dim], x[..., rotary_dim:]], axis=-1)


@mistake("decay_bound", "last|whole|partial|all|S_j|running|sum")
def only_the_last_sum(offsets, head_dim, base=10000.0):
    angles = np.asarray(offsets, dtype=float)[..., None] * rope.rope_frequencies(head_dim, base)
    return np.abs(np.exp(1j * angles).sum(-1)) / (head_dim // 2)
