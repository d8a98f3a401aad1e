"""One hot rows for the texts, ranks by sorting, gathered indices, paths through the tree as lists."""

import numpy as np


def _one_hot(boundaries):
    """(texts, tokens): 1 where a token is in a text."""
    cuts = np.array(boundaries)
    step = np.arange(cuts[-1])
    return (step >= cuts[:-1, None]) * (step < cuts[1:, None])


def pad(texts, side="right", pad_id=0):
    sizes = [len(text) for text in texts]
    turn = slice(None, None, 1 if side == "right" else -1)
    ids = np.stack([np.r_[np.array(t)[turn], np.full(max(sizes) - len(t), pad_id)][turn] for t in texts])
    mask = np.stack([np.r_[np.ones(n), np.zeros(max(sizes) - n)][turn] for n in sizes])
    return ids.astype(np.int64), mask > 0


def position_ids(mask):
    mask = np.array(mask, dtype=bool)
    order = np.argsort(~mask, axis=-1, kind="stable")  # real tokens first, in their order
    ranks = np.argsort(order, axis=-1)
    return np.asfortranarray(np.where(mask, ranks, 0))


def padding_mask(mask):
    mask = np.array(mask, dtype=bool)
    n = mask.shape[-1]
    i, j = np.indices((n, n))
    return np.expand_dims(mask[..., i] & mask[..., j] & (i >= j), -3)


def packed_positions(boundaries):
    hot = _one_hot(boundaries)
    return (np.cumsum(hot, axis=1) * hot).sum(axis=0) - 1


def boundaries_of(positions):
    positions = np.asarray(positions)
    number = np.cumsum(np.diff(positions, prepend=positions[0] - 1) != 1)
    _, counts = np.unique(number, return_counts=True)
    return np.insert(np.cumsum(counts), 0, 0)


def document_mask(boundaries):
    hot = _one_hot(boundaries)
    return np.tril(hot.T @ hot).astype(bool)


def packed_attention(q, k, v, boundaries):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    hot = _one_hot(boundaries)
    out = np.zeros((*np.broadcast_shapes(q.shape[:-1], k.shape[:-1], v.shape[:-1]), v.shape[-1]))
    for row in hot:
        at = np.flatnonzero(row)
        a, b, c = (x[..., at, :].astype("f8") for x in (q, k, v))
        s = (a[..., :, None, :] * b[..., None, :, :]).sum(-1) / np.sqrt(q.shape[-1])
        s = np.where(at <= at[:, None], s, -np.inf)
        p = np.exp(s - s.max(-1, keepdims=True))
        out[..., at, :] = (p / p.sum(-1, keepdims=True)) @ c
    return out


def reset_gates(log_f, boundaries):
    log_f = np.asarray(log_f, dtype="f8")
    first = np.isin(np.arange(log_f.shape[-1]), boundaries)
    return log_f + np.where(first, -np.inf, 0.0)


def _paths(parents):
    paths = []
    for token, parent in enumerate(parents):
        paths.append([*(paths[parent] if parent > -1 else []), token])
    return paths


def tree_positions(parents):
    return np.array([len(path) - 1 for path in _paths(parents)])


def tree_mask(parents):
    return np.array([[token in path for token in range(len(parents))] for path in _paths(parents)])
