"""A file full of mistakes: the mask comes from the ids, positions count along the row, all texts share one causal row,
gates stay open, the ring is in order, and the position of each token in a tree is its index."""

import numpy as np


def pad(texts, side="right", pad_id=0):
    longest = max(map(len, texts))
    ids = np.full((len(texts), longest), pad_id, dtype=np.int64)
    for row, text in zip(ids, texts):
        if side == "right":
            row[: len(text)] = text
        else:
            row[longest - len(text) :] = text
    return ids, ids != pad_id


def position_ids(mask):
    return np.broadcast_to(np.arange(np.shape(mask)[-1]), np.shape(mask)).copy()


def padding_mask(mask):
    mask = np.asarray(mask)
    return np.tril(mask[..., None, None, :] & np.ones((mask.shape[-1], 1), dtype=bool))


def next_positions(mask):
    return np.full(np.shape(mask)[:-1], np.shape(mask)[-1])


def pack(texts):
    return np.concatenate([np.asarray(text) for text in texts]), np.cumsum([0, *map(len, texts)])


def packed_positions(boundaries):
    return np.arange(boundaries[-1])


def boundaries_of(positions):
    positions = np.asarray(positions)
    return np.array([0, *(np.flatnonzero(np.diff(positions) < 0) + 1), len(positions)])


def document_mask(boundaries):
    return np.tri(boundaries[-1], dtype=bool)


def packed_attention(q, k, v, boundaries):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(document_mask(boundaries), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def reset_gates(log_f, boundaries):
    return np.array(log_f, dtype=float)


def ring_positions(length, slots):
    kept = np.arange(max(length - slots, 0), length)
    return np.concatenate([kept, np.full(slots - len(kept), -1)])


def tree_positions(parents):
    return np.arange(len(parents))


def tree_mask(parents):
    mask = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token, parent] = True
    return mask


ANSWERS = {
    "rope_survives_left_padding_without_position_ids": False,
    "learned_survives_left_padding_without_position_ids": False,
    "share_of_padding_for_lengths_3_5_16": 0.5,
    "ring_slot_of_position_1000_of_256": 231,
}
