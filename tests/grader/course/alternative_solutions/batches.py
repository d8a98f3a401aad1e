"""Batches without masks: packed texts are processed separately, and adding −∞ closes a gate."""

from itertools import pairwise

import numpy as np


def packed_attention(q, k, v, boundaries):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    out = np.zeros((*np.broadcast_shapes(q.shape[:-1], k.shape[:-1], v.shape[:-1]), v.shape[-1]))
    for begin, end in pairwise(boundaries):
        at = np.arange(begin, end)
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
