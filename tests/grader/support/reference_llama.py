"""A plain Llama in numpy, with which the recorded logits and the course's own checkpoint are compared."""

from __future__ import annotations

import numpy as np


def rotate_halves(x: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotate the pairs (i, i + dh/2) of x (..., T, dh) by angles (T, dh/2)."""
    first, second = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def forward(
    tokens: np.ndarray, tensors: dict[str, np.ndarray], frequencies: np.ndarray, eps: float = 1e-5
) -> np.ndarray:
    """Return the logits (T, V) of a text with the weights of a checkpoint in the half layout."""

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * tensors[f"model.{name}.weight"]

    def project(x: np.ndarray, name: str) -> np.ndarray:
        return x @ tensors[f"model.{name}.weight"].T

    length, head_dim = len(tokens), 2 * len(frequencies)
    angles = np.arange(length)[:, None] * frequencies
    x = tensors["model.embed_tokens.weight"][tokens]
    for layer in range(sum(name.endswith("q_proj.weight") for name in tensors)):
        h = norm(x, f"layers.{layer}.input_layernorm")
        q, k, v = (
            project(h, f"layers.{layer}.self_attn.{part}_proj").reshape(length, -1, head_dim).swapaxes(0, 1)
            for part in "qkv"
        )
        q, k = rotate_halves(q, angles), rotate_halves(k, angles)
        k, v = np.repeat(k, len(q) // len(k), axis=0), np.repeat(v, len(q) // len(v), axis=0)
        scores = q @ k.swapaxes(1, 2) / head_dim**0.5
        scores[:, ~np.tri(length, dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attended = weights / weights.sum(axis=-1, keepdims=True) @ v
        x = x + project(attended.swapaxes(0, 1).reshape(length, -1), f"layers.{layer}.self_attn.o_proj")
        h = norm(x, f"layers.{layer}.post_attention_layernorm")
        gate = project(h, f"layers.{layer}.mlp.gate_proj")
        gated = gate / (1 + np.exp(-gate)) * project(h, f"layers.{layer}.mlp.up_proj")
        x = x + project(gated, f"layers.{layer}.mlp.down_proj")
    return norm(x, "norm") @ tensors.get("lm_head.weight", tensors["model.embed_tokens.weight"]).T
