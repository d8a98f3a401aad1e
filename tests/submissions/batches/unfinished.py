"""The first half is correct, except that texts begin where positions are 0; the second half is still to be written."""

import numpy as np


def pad(texts, side="right", pad_id=0):
    longest = max(len(text) for text in texts)
    ids = np.full((len(texts), longest), pad_id)
    mask = np.zeros((len(texts), longest), dtype=bool)
    for i, text in enumerate(texts):
        n = len(text)
        where = slice(0, n) if side == "right" else slice(longest - n, longest)
        ids[i, where] = text
        mask[i, where] = True
    return ids, mask


def position_ids(mask):
    mask = np.asarray(mask)
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)


def padding_mask(mask):
    mask = np.asarray(mask)
    n = mask.shape[-1]
    return (np.tri(n, dtype=bool) & mask[..., None, :] & mask[..., :, None])[..., None, :, :]


def next_positions(mask):
    return np.asarray(mask).sum(axis=-1)


def pack(texts):
    return np.concatenate([np.asarray(text) for text in texts]), np.cumsum([0] + [len(text) for text in texts])


def packed_positions(boundaries):
    boundaries = np.asarray(boundaries)
    return np.arange(boundaries[-1]) - np.repeat(boundaries[:-1], np.diff(boundaries))


def boundaries_of(positions):
    positions = np.asarray(positions)
    return np.append(np.flatnonzero(positions == 0), len(positions))


def document_mask(boundaries):
    number = np.repeat(np.arange(len(boundaries) - 1), np.diff(boundaries))
    return (number[:, None] == number) & np.tri(len(number), dtype=bool)


def packed_attention(q, k, v, boundaries):
    raise NotImplementedError("packed_attention is not written yet")


def reset_gates(log_f, boundaries):
    raise NotImplementedError("reset_gates is not written yet")


def ring_positions(length, slots):
    raise NotImplementedError("ring_positions is not written yet")


def tree_positions(parents):
    raise NotImplementedError("tree_positions is not written yet")


def tree_mask(parents):
    raise NotImplementedError("tree_mask is not written yet")


ANSWERS = {
    "rope_survives_left_padding_without_position_ids": True,
    "learned_survives_left_padding_without_position_ids": False,
    "share_of_padding_for_lengths_3_5_16": 0.5,
    "ring_slot_of_position_1000_of_256": None,
}
