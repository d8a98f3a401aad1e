"""A complete solution that computes one head at a time and generates text token by token with the cache."""

import numpy as np


def _features(*arrays):
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def rms_norm(x, weight, eps=1e-5):
    x, weight, dtype = _features(x, weight)
    size = np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    return (weight * (x / size)).astype(dtype)


def silu(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, z / (1 + small), z * small / (1 + small))


def swiglu(x, w_gate, w_up, w_down):
    x, w_gate, w_up, w_down, dtype = _features(x, w_gate, w_up, w_down)
    return ((silu(x @ w_gate) * (x @ w_up)) @ w_down).astype(dtype)


def repeat_heads(x, n_rep):
    if n_rep < 1:
        raise ValueError(f"n_rep must be at least 1, not {n_rep}")
    x, dtype = _features(x)
    copies = [x[..., head, :, :] for head in range(x.shape[-3]) for _ in range(n_rep)]
    return np.stack(copies, axis=-3).astype(dtype)


def to_half_layout(w, n_heads):
    w, dtype = _features(w)
    size = w.shape[-1] // n_heads
    if size % 2 or size * n_heads != w.shape[-1]:
        raise ValueError(f"{w.shape[-1]} columns are not {n_heads} heads of even size")
    columns = []
    for head in range(n_heads):
        columns += range(head * size, (head + 1) * size, 2)
        columns += range(head * size + 1, (head + 1) * size, 2)
    return w[..., columns].astype(dtype)


def apply_rope_half_with(x, positions, frequencies):
    x, dtype = _features(x)
    positions = np.asarray(positions, dtype=float)
    if positions.shape[-1] != x.shape[-2]:
        raise ValueError(f"{positions.shape[-1]} positions for {x.shape[-2]} rows")
    angles = positions[..., None] * np.asarray(frequencies, dtype=float)
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(dtype)


def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def heads_of(x, w, size):
    rows = x @ w
    return np.stack([rows[..., start : start + size] for start in range(0, w.shape[1], size)], axis=-3)


def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    old = [] if cache is None else list(cache)
    x, w_q, w_k, w_v, w_o, *old, dtype = _features(x, layer["w_q"], layer["w_k"], layer["w_v"], layer["w_o"], *old)
    size = 2 * len(frequencies)
    positions = np.asarray(positions)[..., None, :]
    q = apply_rope_half_with(heads_of(x, w_q, size), positions, frequencies)
    k = apply_rope_half_with(heads_of(x, w_k, size), positions, frequencies)
    v = heads_of(x, w_v, size)
    if old:
        k = np.concatenate([old[0], k], axis=-2)
        v = np.concatenate([old[1], v], axis=-2)
    if np.shape(mask)[-2:] != (q.shape[-2], k.shape[-2]):
        raise ValueError(f"the mask has shape {np.shape(mask)}")
    n_rep = w_q.shape[1] // w_k.shape[1]
    scores = q @ np.swapaxes(repeat_heads(k, n_rep), -1, -2) / np.sqrt(size)
    out = softmax(np.where(mask, scores, -np.inf)) @ repeat_heads(v, n_rep)
    merged = np.concatenate([out[..., head, :, :] for head in range(out.shape[-3])], axis=-1)
    return (merged @ w_o).astype(dtype), (k.astype(dtype), v.astype(dtype))


def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    x = np.asarray(x)
    a = rms_norm(x, layer["norm_1"], eps)
    attended, pair = grouped_query_attention(a, layer, positions, frequencies, mask, cache)
    x = x + attended
    b = rms_norm(x, layer["norm_2"], eps)
    return x + swiglu(b, layer["w_gate"], layer["w_up"], layer["w_down"]), pair


def from_checkpoint(tensors, frequencies, eps=1e-5):
    names = {"input_layernorm": "norm_1", "post_attention_layernorm": "norm_2"}
    names |= {f"self_attn.{x}_proj": f"w_{x}" for x in ("q", "k", "v", "o")}
    names |= {f"mlp.{x}_proj": f"w_{x}" for x in ("gate", "up", "down")}
    model, layers = {"frequencies": frequencies, "eps": eps}, {}
    for name, tensor in tensors.items():
        if name.endswith("rotary_emb.inv_freq"):
            continue
        parts = name.split(".")
        if name == "model.embed_tokens.weight":
            model["embedding"] = tensor
        elif name == "model.norm.weight":
            model["norm"] = tensor
        elif name == "lm_head.weight":
            model["head"] = tensor.T
        elif parts[:2] == ["model", "layers"] and parts[-1] == "weight" and ".".join(parts[3:-1]) in names:
            layers.setdefault(int(parts[2]), {})[names[".".join(parts[3:-1])]] = tensor.T
        else:
            raise ValueError(f"what is {name}?")
    model["layers"] = [layer for _, layer in sorted(layers.items())]
    return model


def forward(tokens, model, positions=None, mask=None, cache=None):
    tokens, embedding = np.asarray(tokens), np.asarray(model["embedding"])
    if tokens.min() < 0:
        raise IndexError("a token is negative")
    t, n = (0 if cache is None else np.shape(cache[0][0])[-2]), tokens.shape[-1]
    if positions is None:
        positions = np.arange(t, t + n)
    if mask is None:
        mask = np.tril(np.ones((n, t + n), dtype=bool), t)
    x, pairs = embedding[tokens], []
    for layer, pair in zip(model["layers"], cache or [None] * len(model["layers"]), strict=True):
        x, pair = block(x, layer, positions, model["frequencies"], mask, pair, model["eps"])
        pairs.append(pair)
    x = rms_norm(x, model["norm"], model["eps"])
    head = model.get("head", embedding.T)
    x, head, dtype = _features(x, head)
    return (x @ head).astype(dtype), pairs


def next_token_loss(logits, tokens):
    logits, _ = _features(logits)
    logits, tokens = logits[..., :-1, :], np.asarray(tokens)[..., 1:]
    if tokens.min() < 0:
        raise IndexError("a token is negative")
    logits = logits - logits.max(axis=-1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    right = np.eye(logits.shape[-1])[tokens]
    return float(-(logs * right).sum(axis=-1).mean())


def generate(tokens, model, count):
    if count < 0:
        raise ValueError(f"count is {count}")
    logits, cache = forward(tokens, model)
    chosen = np.zeros(count, dtype=np.int64)
    for i in range(count):
        chosen[i] = logits[-1].argmax()
        logits, cache = forward(chosen[i : i + 1], model, cache=cache)
    return chosen


ANSWERS = {
    "cached_numbers_per_token_llama_3_8b": 2 * 32 * 8 * 128,
    "feed_forward_share_of_a_layer_llama_3_8b": 0.808,
    "logits_change_when_all_positions_shift_by_5": False,
    "perplexity_of_a_uniform_guess_among_84": 84,
    "tile_equals_repeat_for_one_key_head": True,
    "key_head_of_query_head_13_of_32_with_8": None,
    "parameters_of_a_gated_part_d_32_f_48": None,
    "loss_of_a_token_that_got_probability_1_in_8": None,
}
