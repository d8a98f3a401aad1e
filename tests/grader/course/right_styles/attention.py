"""Attention by einsum and log-sum-exp, with results in Fortran order; answers from the solution."""

import numpy as np


def _kind(*arrays):
    return np.float32 if all(np.asarray(array).dtype == np.float32 for array in arrays) else np.float64


def softmax(scores, axis=-1):
    s = np.moveaxis(np.array(scores, dtype=np.float64), axis, -1)
    total = np.logaddexp.reduce(s, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = np.where(np.isneginf(total), 0.0, np.exp(s - total))
    return np.asfortranarray(np.moveaxis(weights, -1, axis).astype(_kind(scores)))


def attention_weights(q, k, mask=None, bias=None):
    kind, q, k = _kind(q, k), np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64)
    if q.shape[-1] != k.shape[-1] or not q.size:
        raise ValueError(f"widths of {q.shape} and {k.shape}")
    scores = np.einsum("...qd,...kd->...qk", q * q.shape[-1] ** -0.25, k * q.shape[-1] ** -0.25)
    for table in (mask, bias):
        if table is not None:
            grown = (np.zeros(np.shape(table)) + scores).shape
            if grown[-2:] != scores.shape[-2:]:
                raise ValueError(f"{np.shape(table)} against {scores.shape}")
    if bias is not None:
        scores = bias + scores
    if mask is not None:
        scores = np.where(np.logical_not(mask), -np.inf, scores)
    return softmax(scores).astype(kind)


def attention(q, k, v, mask=None, bias=None):
    if np.shape(v)[-2] != np.shape(k)[-2]:
        raise ValueError(f"{np.shape(v)[-2]} values for {np.shape(k)[-2]} keys")
    weights = attention_weights(np.asarray(q, dtype=np.float64), k, mask, bias)
    return np.einsum("...qk,...kv->...qv", weights, np.asarray(v, dtype=np.float64)).astype(_kind(q, k, v))


def causal_mask(length):
    if length < 0:
        raise ValueError(length)
    return np.greater_equal.outer(np.arange(length), np.arange(length))


def self_attention(x, w_q, w_k, w_v, mask=None):
    for w in (w_q, w_k, w_v):
        if np.shape(w)[0] != np.shape(x)[-1]:
            raise ValueError(f"weights {np.shape(w)} for features {np.shape(x)}")
    q, k, v = (np.tensordot(np.asarray(x, dtype=np.float64), w, axes=1) for w in (w_q, w_k, w_v))
    return attention(q, k, v, mask).astype(_kind(x, w_q, w_k, w_v))


def split_heads(x, n_heads):
    if n_heads < 1 or np.shape(x)[-1] % n_heads or not np.shape(x)[-1]:
        raise ValueError(f"{n_heads} heads of {np.shape(x)[-1]} features")
    return np.stack(np.split(np.asarray(x, dtype=_kind(x)), n_heads, axis=-1), axis=-3)


def merge_heads(x):
    if np.ndim(x) < 3:
        raise ValueError(f"no heads in {np.shape(x)}")
    x = np.asarray(x, dtype=_kind(x))
    return np.concatenate([x[..., head, :, :] for head in range(x.shape[-3])], axis=-1)


def permute_tokens(x, order):
    order, length = np.asarray(order), np.shape(x)[-2]
    if order.shape != (length,) or not np.array_equal(np.sort(order), np.arange(length)):
        raise ValueError(f"{order} is no order of {length} rows")
    return (np.eye(length)[order] @ np.asarray(x)).astype(_kind(x))


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    x = np.asarray(x, dtype=np.float64)
    after = permute_tokens(self_attention(x, w_q, w_k, w_v, mask), order)
    before = self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
    return np.linalg.norm((after - before).ravel(), np.inf)


def bag_of_tokens(x, w_q, w_k, w_v):
    out = self_attention(np.asarray(x, dtype=np.float64), w_q, w_k, w_v)
    return np.average(out, axis=-2).astype(_kind(x, w_q, w_k, w_v))
