"""Attention with einsum and log-sum-exp. Results are in Fortran order."""

import numpy as np


def softmax(scores, axis=-1):
    s = np.moveaxis(np.array(scores, dtype=np.float64), axis, -1)
    total = np.logaddexp.reduce(s, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = np.where(np.isneginf(total), 0.0, np.exp(s - total))
    return np.asfortranarray(np.moveaxis(weights, -1, axis))


def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64)
    scores = np.einsum("...qd,...kd->...qk", q * q.shape[-1] ** -0.25, k * q.shape[-1] ** -0.25)
    if bias is not None:
        scores = bias + scores
    if mask is not None:
        scores = np.where(np.logical_not(mask), -np.inf, scores)
    return softmax(scores)


def attention(q, k, v, mask=None, bias=None):
    weights = attention_weights(np.asarray(q, dtype=np.float64), k, mask, bias)
    return np.einsum("...qk,...kv->...qv", weights, np.asarray(v, dtype=np.float64))


def self_attention(x, w_q, w_k, w_v, mask=None):
    q, k, v = (np.tensordot(np.asarray(x, dtype=np.float64), w, axes=1) for w in (w_q, w_k, w_v))
    return attention(q, k, v, mask)
