"""Plain implementation of batches: lists of tokens, and masks as tables of comparisons."""

import numpy as np


def position_ids(mask):
    mask = np.asarray(mask, dtype=bool)
    before = np.tri(mask.shape[-1], k=-1, dtype=np.int64)
    return np.where(mask, (mask[..., np.newaxis, :] * before).sum(axis=-1), 0)


def packed_positions(boundaries):
    return np.concatenate([np.arange(size) for size in np.diff(boundaries)])


def document_mask(boundaries):
    text = np.concatenate([np.full(size, number) for number, size in enumerate(np.diff(boundaries))])
    return (text[:, np.newaxis] == text) & np.tri(len(text), dtype=bool)


def ring_positions(length, slots):
    held = np.full(slots, -1)
    tokens = np.arange(length)
    held[tokens % slots] = tokens
    return held


def tree_mask(parents):
    mask = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token] |= mask[parent]
    return mask


def tree_positions(parents):
    used = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            used[token] |= used[parent]
    return used.sum(axis=-1) - 1
