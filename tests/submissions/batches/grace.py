"""Complete: loops over texts, lists that grow, powers of a step matrix for the tree."""

from itertools import accumulate

import numpy as np


def _features(*arrays):
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def pad(texts, side="right", pad_id=0):
    if side not in {"left", "right"}:
        raise ValueError(side)
    if not len(texts) or 0 in map(len, texts):
        raise ValueError("an empty text, or none")
    longest = max(map(len, texts))
    ids, mask = [], []
    for text in texts:
        filler, empty = [pad_id] * (longest - len(text)), [False] * (longest - len(text))
        words, real = list(text), [True] * len(text)
        ids.append(words + filler if side == "right" else filler + words)
        mask.append(real + empty if side == "right" else empty + real)
    return np.array(ids), np.array(mask)


def _rows(mask):
    mask = np.array(mask, dtype=bool)
    if (~mask).all(axis=-1).any():
        raise ValueError(f"a row without a real token: {mask}")
    return mask


def position_ids(mask):
    real = _rows(mask).astype(np.int64)
    before = np.tri(real.shape[-1], k=-1, dtype=np.int64) @ real[..., None]
    return before[..., 0] * real


def padding_mask(mask):
    real = _rows(mask)
    n = real.shape[-1]
    allowed = np.zeros((*real.shape[:-1], 1, n, n), dtype=bool)
    allowed[..., 0, :, :] = real[..., None, :]
    allowed &= real[..., None, :, None]
    allowed &= np.arange(n)[:, None] >= np.arange(n)
    return allowed


def next_positions(mask):
    return np.count_nonzero(_rows(mask), axis=-1)


def pack(texts):
    if not len(texts) or 0 in map(len, texts):
        raise ValueError("an empty text, or none")
    return np.array([token for text in texts for token in text]), np.array([0, *accumulate(map(len, texts))])


def _lengths(boundaries):
    lengths = np.diff(boundaries)
    if boundaries[0] != 0 or not len(lengths) or lengths.min() < 1:
        raise ValueError(f"bad boundaries {boundaries}")
    return lengths


def packed_positions(boundaries):
    return np.concatenate([np.arange(length) for length in _lengths(boundaries)])


def boundaries_of(positions):
    positions = [int(position) for position in positions]
    if not positions:
        raise ValueError("no positions: ()")
    found = [0]
    for place in range(1, len(positions)):
        if positions[place] != positions[place - 1] + 1:
            found.append(place)
    return np.array([*found, len(positions)])


def document_mask(boundaries):
    n = int(boundaries[-1])
    mask = np.zeros((n, n), dtype=bool)
    start = 0
    for length in _lengths(boundaries):
        mask[start : start + length, start : start + length] = np.tri(length)
        start += length
    return mask


def packed_attention(q, k, v, boundaries):
    q, k, v, dtype = _features(q, k, v)
    if sum(_lengths(boundaries)) != q.shape[-2] or q.shape[:-1] != k.shape[:-1] or k.shape[:-1] != v.shape[:-1]:
        raise ValueError(f"{q.shape}, {k.shape}, {v.shape}, {boundaries}")
    out = np.empty((*q.shape[:-1], v.shape[-1]))
    start = 0
    for length in _lengths(boundaries):
        part = slice(start, start + length)
        logits = np.matmul(q[..., part, :], np.moveaxis(k[..., part, :], -1, -2)) / q.shape[-1] ** 0.5
        logits = logits + np.where(np.tri(length) > 0, 0, -np.inf)
        logits = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
        out[..., part, :] = np.matmul(np.exp(logits), v[..., part, :])
        start += length
    return out.astype(dtype)


def reset_gates(log_f, boundaries):
    log_f = np.array(log_f, dtype=np.float64)
    if not np.all(log_f <= 0) or sum(_lengths(boundaries)) != log_f.shape[-1]:
        raise ValueError(f"{log_f} {boundaries}")
    for start in boundaries[:-1]:
        log_f[..., int(start)] = -np.inf
    return log_f


def ring_positions(length, slots):
    if slots < 1 or length < 0:
        raise ValueError(f"slots {slots}, length {length}")
    ring = np.full(slots, -1, dtype=np.int64)
    kept = np.arange(max(length - slots, 0), length)
    ring[kept % slots] = kept
    return ring


def _check(parents):
    parents = np.array(parents)
    if (parents < -1).any() or (parents >= np.arange(len(parents))).any():
        raise ValueError(f"parents {parents}")
    return parents


def tree_positions(parents):
    depth = []
    for parent in _check(parents):
        depth.append(0 if parent == -1 else depth[parent] + 1)
    return np.array(depth, dtype=np.int64)


def tree_mask(parents):
    parents = _check(parents)
    n = len(parents)
    step = np.zeros((n, n))
    children = np.flatnonzero(parents >= 0)
    step[children, parents[children]] = 1
    return np.linalg.inv(np.eye(n) - step) > 0.5  # 1 + step + step² + …


ANSWERS = {
    "rope_survives_left_padding_without_position_ids": True,
    "learned_survives_left_padding_without_position_ids": False,
    "share_of_padding_for_lengths_3_5_16": 24 / 48,
    "ring_slot_of_position_1000_of_256": 232,
    "position_after_3_padding_and_5_real_tokens": 5,
    "texts_in_positions_0_1_0_0_1_2": 3,
    "scores_text_by_text_for_lengths_3_5_16": 290,
}
