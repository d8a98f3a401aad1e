"""A model with complex numbers, einsum and loops over heads. The loss is a logarithm of probabilities, and
decoding rereads the whole text for each token.
"""

import re

import numpy as np


def rms_norm(x, weight, eps=1e-5):
    x = np.asarray(x, dtype="f8")
    return np.einsum("...d,d,...->...d", x, weight, (np.einsum("...d,...d->...", x, x) / x.shape[-1] + eps) ** -0.5)


def swiglu(x, w_gate, w_up, w_down):
    x = np.asarray(x, dtype="f8")
    z = np.einsum("...d,df->...f", x, w_gate)
    half = np.tanh(z / 2) / 2 + 0.5  # sigmoid of z
    return np.einsum("...f,...f,...f,fd->...d", z, half, np.einsum("...d,df->...f", x, w_up), w_down)


def repeat_heads(x, n_rep):
    x = np.asarray(x, dtype="f8")
    heads = np.arange(x.shape[-3] * n_rep) // n_rep
    return x[..., heads, :, :]


def to_half_layout(w, n_heads):
    w = np.asarray(w, dtype="f8")
    order = np.arange(w.shape[-1]).reshape(n_heads, -1)
    return w[..., np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in order])]


def apply_rope_half_with(x, positions, frequencies):
    x = np.asarray(x, dtype="f8")
    half = x.shape[-1] // 2
    turns = np.exp(1j * np.einsum("...t,i->...ti", positions, np.asarray(frequencies, dtype="f8")))
    points = (x[..., :half] + 1j * x[..., half:]) * turns
    return np.concatenate([points.real, points.imag], axis=-1)


def _shares(scores):
    top = np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 0, scores.max(axis=-1, keepdims=True))
    powers = np.exp(scores - top)
    total = powers.sum(axis=-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    x, size = np.asarray(x, dtype="f8"), 2 * len(frequencies)

    def heads(name, rotate):
        blocks = np.split(np.asarray(layer[name], dtype="f8"), np.shape(layer[name])[1] // size, axis=1)
        projected = [x @ block for block in blocks]
        if rotate:
            projected = [apply_rope_half_with(head, positions, frequencies) for head in projected]
        return np.stack(projected, axis=-3)

    q, k, v = heads("w_q", True), heads("w_k", True), heads("w_v", False)
    if cache is not None:
        k, v = (np.concatenate([old, new], axis=-2) for old, new in zip(cache, (k, v), strict=True))
    g = k.shape[-3]
    grouped = q.reshape(*q.shape[:-3], g, -1, *q.shape[-2:])
    scores = np.einsum("...grtd,...gsd->...grts", grouped, k) * size**-0.5
    scores = scores.reshape(*q.shape[:-1], k.shape[-2])
    scores = np.where(mask, scores, -np.inf)
    shares = _shares(scores).reshape(*scores.shape[:-3], g, -1, *scores.shape[-2:])
    out = np.einsum("...grts,...gsd->...grtd", shares, v)
    w_o = np.asarray(layer["w_o"], dtype="f8").reshape(g, -1, size, np.shape(layer["w_o"])[1])
    return np.einsum("...grtd,grdm->...tm", out, w_o), [k, v]


def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    stream = np.array(x, dtype="f8")
    attended, pair = grouped_query_attention(
        rms_norm(stream, layer["norm_1"], eps), layer, positions, frequencies, mask, cache
    )
    stream += attended
    stream += swiglu(rms_norm(stream, layer["norm_2"], eps), layer["w_gate"], layer["w_up"], layer["w_down"])
    return stream, tuple(pair)


PLACES = {
    "input_layernorm": "norm_1",
    "post_attention_layernorm": "norm_2",
    **{f"self_attn.{one}_proj": f"w_{one}" for one in "qkvo"},
    **{f"mlp.{one}_proj": f"w_{one}" for one in ("gate", "up", "down")},
}


def from_checkpoint(tensors, frequencies, eps=1e-5):
    n_layers = 1 + max(int(number) for number in re.findall(r"model\.layers\.(\d+)\.", " ".join(tensors)))
    layers = [
        {place: np.array(tensors[f"model.layers.{number}.{name}.weight"]).T for name, place in PLACES.items()}
        for number in range(n_layers)
    ]
    loaded = {
        "eps": eps,
        "norm": tensors["model.norm.weight"],
        "layers": layers,
        "frequencies": np.array(frequencies),
        "embedding": tensors["model.embed_tokens.weight"],
    }
    if "lm_head.weight" in tensors:
        loaded["head"] = tensors["lm_head.weight"].T
    return loaded


def forward(tokens, model, positions=None, mask=None, cache=None):
    tokens = np.asarray(tokens)
    x = np.eye(len(model["embedding"]))[tokens] @ model["embedding"]
    cache = cache or [None] * len(model["layers"])
    before = 0 if cache[0] is None else cache[0][0].shape[-2]
    if positions is None:
        positions = before + np.arange(tokens.shape[-1])
    if mask is None:
        mask = np.tril(np.ones((tokens.shape[-1], before + tokens.shape[-1]), dtype=bool), before)
    kept = []
    for layer, pair in zip(model["layers"], cache, strict=True):
        x, pair = block(x, layer, positions, model["frequencies"], mask, pair, model["eps"])
        kept.append(list(pair))
    x = rms_norm(x, model["norm"], model["eps"])
    return np.einsum("...d,dv->...v", x, model.get("head", np.asarray(model["embedding"]).T)), kept


def next_token_loss(logits, tokens):
    logits, tokens = np.asarray(logits, dtype="f8"), np.asarray(tokens)
    total = count = 0
    for row, text in zip(logits.reshape(-1, *logits.shape[-2:]), tokens.reshape(-1, tokens.shape[-1]), strict=True):
        leads = row[:-1] - row[np.arange(len(text) - 1), text[1:]][:, np.newaxis]
        top = leads.max(axis=-1)
        losses = top + np.log(np.exp(leads - top[:, np.newaxis]).sum(axis=-1))
        total, count = total + losses.sum(), count + len(losses)
    return total / count


def generate(tokens, model, count):
    text = list(tokens)
    while len(text) < len(tokens) + count:
        text.append(forward(text, model)[0][-1].argmax())
    return np.array(text[len(tokens) :], dtype=int)
