"""Plain implementation of a whole model: copied heads, stacked rotation matrices, and a matrix that reorders
columns.
"""

import numpy as np


def repeat_heads(x, n_rep):
    x = np.asarray(x)
    heads = [x[..., head, :, :] for head in range(x.shape[-3]) for _ in range(n_rep)]
    return np.stack(heads, axis=-3)


def to_half_layout(w, n_heads):
    w = np.asarray(w)
    size = w.shape[-1] // n_heads
    order = [*range(0, size, 2), *range(1, size, 2)]
    reorder = np.kron(np.eye(n_heads), np.eye(size)[:, order])
    return w @ reorder


def apply_rope_half_with(x, positions, frequencies):
    x, d = np.asarray(x, dtype=float), np.shape(x)[-1]
    angles = np.asarray(positions, dtype=float)[..., np.newaxis] * np.asarray(frequencies, dtype=float)
    matrices = np.zeros((*angles.shape[:-1], d, d))
    first, second = np.arange(d // 2), np.arange(d // 2, d)
    matrices[..., first, first] = matrices[..., second, second] = np.cos(angles)
    matrices[..., second, first], matrices[..., first, second] = np.sin(angles), -np.sin(angles)
    return (matrices @ x[..., np.newaxis])[..., 0]


def next_token_loss(logits, tokens):
    logits, tokens = np.asarray(logits, dtype=float)[..., :-1, :], np.asarray(tokens)[..., 1:]
    highest = logits.max(axis=-1, keepdims=True)
    logs = logits - highest - np.log(np.exp(logits - highest).sum(axis=-1, keepdims=True))
    hot = np.arange(logits.shape[-1]) == tokens[..., np.newaxis]
    return float(-logs[hot].mean())
