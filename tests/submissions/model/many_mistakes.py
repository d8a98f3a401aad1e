"""A mistake in nearly every function: the mean is subtracted, silu is applied to the wrong part, columns stay
in pairs, results are added to the normalized input, nothing is transposed, the last norm is missing, the loss
is not shifted, and the prompt is read only once."""

import numpy as np


def rms_norm(x, weight, eps=1e-5):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def swiglu(x, w_gate, w_up, w_down):
    up = x @ w_up
    return ((x @ w_gate) * up / (1 + np.exp(-up))) @ w_down


def repeat_heads(x, n_rep):
    return np.repeat(x, n_rep, axis=-3)


def to_half_layout(w, n_heads):
    return np.array(w)


def apply_rope_half_with(x, positions, frequencies):
    angles = np.asarray(positions)[..., None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    out = np.empty(np.shape(x))
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    size = 2 * len(frequencies)
    q, k, v = (
        np.swapaxes((x @ layer[name]).reshape(*x.shape[:-1], -1, size), -2, -3) for name in ("w_q", "w_k", "w_v")
    )
    positions = np.asarray(positions)[..., None, :]
    q, k = apply_rope_half_with(q, positions, frequencies), apply_rope_half_with(k, positions, frequencies)
    if cache is not None:
        k, v = np.concatenate([cache[0], k], axis=-2), np.concatenate([cache[1], v], axis=-2)
    n_rep = q.shape[-3] // k.shape[-3]
    scores = q @ np.swapaxes(repeat_heads(k, n_rep), -1, -2)
    scores = scores / np.sqrt(x.shape[-1] / q.shape[-3])
    out = np.swapaxes(softmax(np.where(mask, scores, -1e9)) @ repeat_heads(v, n_rep), -2, -3)
    return out.reshape(*out.shape[:-2], -1) @ layer["w_o"], (k, v)


def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    x = rms_norm(x, layer["norm_1"], eps)
    out, pair = grouped_query_attention(x, layer, positions, frequencies, mask, cache)
    x = rms_norm(x + out, layer["norm_2"], eps)
    return x + swiglu(x, layer["w_gate"], layer["w_up"], layer["w_down"]), pair


NAMES = {"input_layernorm": "norm_1", "post_attention_layernorm": "norm_2"}
NAMES |= {f"self_attn.{x}_proj": f"w_{x}" for x in "qkvo"} | {f"mlp.{x}_proj": f"w_{x}" for x in ("gate", "up", "down")}


def from_checkpoint(tensors, frequencies, eps=1e-5):
    layers = {}
    for name in sorted(tensors):
        if name.startswith("model.layers."):
            number, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
            if part in NAMES:
                layers.setdefault(number, {})[NAMES[part]] = tensors[name]
    return {
        "embedding": tensors["model.embed_tokens.weight"],
        "norm": tensors["model.norm.weight"],
        "layers": list(layers.values()),
        "frequencies": frequencies,
        "eps": eps,
    }


def forward(tokens, model, positions=None, mask=None, cache=None):
    tokens = np.asarray(tokens)
    before = cache[0][0].shape[-2] if cache else 0
    n = tokens.shape[-1]
    if positions is None:
        positions = before + np.arange(n)
    if mask is None:
        mask = np.tri(n, before + n, dtype=bool)
    x, pairs = model["embedding"][tokens], []
    for number, layer in enumerate(model["layers"]):
        x, pair = block(x, layer, positions, model["frequencies"], mask, cache[number] if cache else None, model["eps"])
        pairs.append(pair)
    return x @ model["embedding"].T, pairs


def next_token_loss(logits, tokens):
    logits = logits - logits.max(axis=-1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(logs, np.asarray(tokens)[..., None], axis=-1).mean())


def generate(tokens, model, count):
    logits, _ = forward(tokens, model)
    return np.full(count, logits[-1].argmax())


ANSWERS = {
    "cached_numbers_per_token_llama_3_8b": 32768,
    "feed_forward_share_of_a_layer_llama_3_8b": 0.737,
    "logits_change_when_all_positions_shift_by_5": True,
    "perplexity_of_a_uniform_guess_among_84": 4.43,
    "tile_equals_repeat_for_one_key_head": False,
    "key_head_of_query_head_13_of_32_with_8": 5,
    "parameters_of_a_gated_part_d_32_f_48": 4608,
    "loss_of_a_token_that_got_probability_1_in_8": 3,
}
