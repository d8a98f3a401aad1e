"""Everything up to the lesson's "good place to stop", with one mistake: the copies of different heads alternate."""

import numpy as np


def rms_norm(x, weight, eps=1e-5):
    x = np.asarray(x)
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def swiglu(x, w_gate, w_up, w_down):
    gate = x @ w_gate
    silu = gate / (1 + np.exp(-gate))
    return (silu * (x @ w_up)) @ w_down


def repeat_heads(x, n_rep):
    if n_rep < 1:
        raise ValueError("n_rep")
    return np.concatenate([x] * n_rep, axis=-3)


def to_half_layout(w, n_heads):
    w = np.asarray(w)
    if w.shape[-1] % (2 * n_heads):
        raise ValueError("odd")
    pairs = w.reshape(*w.shape[:-1], n_heads, w.shape[-1] // n_heads // 2, 2)
    return np.swapaxes(pairs, -1, -2).reshape(w.shape)


def apply_rope_half_with(x, positions, frequencies):
    x, positions = np.asarray(x), np.asarray(positions)
    if positions.shape[-1] != x.shape[-2]:
        raise ValueError("one position per row")
    angles = positions[..., None] * np.asarray(frequencies)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def split(x, size):
    return np.swapaxes(x.reshape(*x.shape[:-1], -1, size), -2, -3)


def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    size = 2 * len(frequencies)
    q, k, v = (split(x @ layer[name], size) for name in ("w_q", "w_k", "w_v"))
    positions = np.asarray(positions)[..., None, :]
    q = apply_rope_half_with(q, positions, frequencies)
    k = apply_rope_half_with(k, positions, frequencies)
    if cache is not None:
        k, v = np.concatenate([cache[0], k], axis=-2), np.concatenate([cache[1], v], axis=-2)
    if np.shape(mask)[-2:] != (q.shape[-2], k.shape[-2]):
        raise ValueError("mask")
    n_rep = q.shape[-3] // k.shape[-3]
    scores = q @ np.swapaxes(repeat_heads(k, n_rep), -1, -2) / size**0.5
    out = softmax(np.where(mask, scores, -np.inf)) @ repeat_heads(v, n_rep)
    out = np.swapaxes(out, -2, -3)
    return out.reshape(*out.shape[:-2], -1) @ layer["w_o"], (k, v)


def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    out, pair = grouped_query_attention(rms_norm(x, layer["norm_1"], eps), layer, positions, frequencies, mask, cache)
    x = x + out
    return x + swiglu(rms_norm(x, layer["norm_2"], eps), layer["w_gate"], layer["w_up"], layer["w_down"]), pair


def from_checkpoint(tensors, frequencies, eps=1e-5):
    raise NotImplementedError("from_checkpoint is not written yet")


def forward(tokens, model, positions=None, mask=None, cache=None):
    raise NotImplementedError("forward is not written yet")


def next_token_loss(logits, tokens):
    raise NotImplementedError("next_token_loss is not written yet")


def generate(tokens, model, count):
    raise NotImplementedError("generate is not written yet")


ANSWERS = {
    "cached_numbers_per_token_llama_3_8b": 262144,
    "feed_forward_share_of_a_layer_llama_3_8b": None,
    "logits_change_when_all_positions_shift_by_5": False,
    "perplexity_of_a_uniform_guess_among_84": None,
    "tile_equals_repeat_for_one_key_head": True,
    "key_head_of_query_head_13_of_32_with_8": 3,
    "parameters_of_a_gated_part_d_32_f_48": None,
    "loss_of_a_token_that_got_probability_1_in_8": None,
}
