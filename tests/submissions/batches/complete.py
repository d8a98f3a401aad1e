"""A complete solution with running sums and searchsorted, which puts the small squares of all texts into one
padded array."""

import numpy as np


def _features(*arrays):
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def pad(texts, side="right", pad_id=0):
    sizes = np.array([len(text) for text in texts])
    if side not in ("right", "left") or not sizes.size or not sizes.all():
        raise ValueError(f"{side} {sizes}")
    place = np.arange(sizes.max())
    mask = place < sizes[:, None] if side == "right" else place >= sizes.max() - sizes[:, None]
    ids = np.where(mask, 0, pad_id).astype(np.int64)
    ids[mask] = np.concatenate(texts)
    return ids, mask


def position_ids(mask):
    counts = np.cumsum(mask, axis=-1)
    if (counts[..., -1] == 0).any():
        raise ValueError(f"no real token in {mask}")
    return (counts - 1) * np.asarray(mask)


def padding_mask(mask):
    position_ids(mask)
    real = np.asarray(mask)
    both = np.einsum("...i,...j->...ij", real, real)
    return np.tril(both)[..., None, :, :]


def next_positions(mask):
    return position_ids(mask).max(axis=-1) + 1


def pack(texts):
    if not len(texts) or not all(len(text) for text in texts):
        raise ValueError(f"empty text among {texts}")
    boundaries = [0]
    for text in texts:
        boundaries.append(boundaries[-1] + len(text))
    return np.concatenate([np.array(text) for text in texts]), np.array(boundaries)


def _number(boundaries):
    cuts = np.asarray(boundaries)
    if cuts[0] or (np.diff(cuts) <= 0).any() or len(cuts) < 2:
        raise ValueError(f"{boundaries}")
    return np.searchsorted(cuts, np.arange(cuts[-1]), side="right") - 1


def packed_positions(boundaries):
    number = _number(boundaries)
    return np.arange(len(number)) - np.asarray(boundaries)[number]


def boundaries_of(positions):
    positions = np.asarray(positions)
    if not positions.size:
        raise ValueError("no positions")
    begins = [True, *(positions[1:] - positions[:-1] != 1), True]
    return np.nonzero(begins)[0]


def document_mask(boundaries):
    number = _number(boundaries)
    row = np.arange(len(number))
    begin = np.asarray(boundaries)[number]
    return (row <= row[:, None]) & (row >= begin[:, None])


def packed_attention(q, k, v, boundaries):
    q, k, v, dtype = _features(q, k, v)
    number = _number(boundaries)
    if not len(number) == q.shape[-2] == k.shape[-2] == v.shape[-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"{q.shape} {k.shape} {v.shape} {boundaries}")
    at = packed_positions(boundaries)
    texts, longest = number.max() + 1, at.max() + 1

    def side_by_side(x):
        wide = np.zeros((*x.shape[:-2], texts, longest, x.shape[-1]))
        wide[..., number, at, :] = x
        return wide

    a, b, c = side_by_side(q), side_by_side(k), side_by_side(v)
    with np.errstate(invalid="ignore"):
        scores = np.einsum("...id,...jd->...ij", a, b) * q.shape[-1] ** -0.5
        scores[..., np.triu(np.ones((longest, longest), bool), 1)] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out = np.einsum("...ij,...jd->...id", weights, c) / weights.sum(axis=-1, keepdims=True)
    return out[..., number, at, :].astype(dtype)


def reset_gates(log_f, boundaries):
    log_f = np.asarray(log_f, dtype=float)
    if np.isnan(log_f).any() or (log_f > 0).any() or len(_number(boundaries)) != log_f.shape[-1]:
        raise ValueError(f"{log_f} {boundaries}")
    return np.where(packed_positions(boundaries) == 0, -np.inf, log_f)


def ring_positions(length, slots):
    if length < 0 or slots < 1:
        raise ValueError(f"{length} {slots}")
    slot = np.arange(slots)
    rounds = (length - 1 - slot) // slots
    return np.where(slot < length, slot + rounds * slots, -1)


def tree_positions(parents):
    return tree_mask(parents).sum(axis=1) - 1


def tree_mask(parents):
    mask = np.zeros((len(parents), len(parents)), dtype=bool)
    for token, parent in enumerate(parents):
        if not -1 <= parent < token:
            raise ValueError(f"parent {parent} of token {token}")
        step = token
        while step >= 0:
            mask[token, step] = True
            step = parents[step]
    return mask


ANSWERS = {
    "rope_survives_left_padding_without_position_ids": True,
    "learned_survives_left_padding_without_position_ids": False,
    "share_of_padding_for_lengths_3_5_16": 0.5,
    "ring_slot_of_position_1000_of_256": 1000 % 256,
}
