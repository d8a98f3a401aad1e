"""Assignment 1, written with einsum throughout, and with a softmax that works with logarithms."""

import numpy as np


def kind(*arrays):
    return np.float32 if {np.asarray(a).dtype for a in arrays} == {np.dtype(np.float32)} else np.float64


def f64(a):
    return np.asarray(a).astype(np.float64)


def need(condition, what, *shapes):
    if not condition:
        raise ValueError(what + ": " + ", ".join(map(str, shapes)))


def softmax(scores, axis=-1):
    # log of the sum of exponentials; logaddexp never overflows, and -inf everywhere gives -inf
    log_total = np.logaddexp.reduce(f64(scores), axis=axis, keepdims=True)
    log_total[log_total == -np.inf] = 0.0
    return np.exp(f64(scores) - log_total).astype(kind(scores))


def attention_weights(q, k, mask=None, bias=None):
    need(np.ndim(q) >= 2 and np.ndim(k) >= 2, "q and k are (..., T, d)", np.shape(q), np.shape(k))
    need(np.shape(q)[-1] == np.shape(k)[-1] > 0, "the last axes do not fit", np.shape(q), np.shape(k))
    scores = np.einsum("...id,...jd->...ij", f64(q), f64(k)) * np.shape(q)[-1] ** -0.5
    for name, extra in (("mask", mask), ("bias", bias)):
        if extra is not None:
            spread = np.broadcast_shapes(np.shape(extra), np.shape(scores))
            need(spread[-2:] == np.shape(scores)[-2:], f"{name} does not fit the scores", np.shape(extra), np.shape(scores))
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores + np.where(mask, 0.0, -np.inf)
    return softmax(scores).astype(kind(q, k))


def attention(q, k, v, mask=None, bias=None):
    need(np.ndim(v) >= 2, "v is (..., T, dv)", np.shape(v))
    need(np.shape(v)[-2] == np.shape(k)[-2], "v and k have different numbers of rows", np.shape(v), np.shape(k))
    weights = attention_weights(f64(q), f64(k), mask, bias)
    return np.einsum("...ij,...jd->...id", weights, f64(v)).astype(kind(q, k, v))


def causal_mask(length):
    need(length >= 0, "not a length", length)
    return np.arange(length) <= np.arange(length)[:, None]


def self_attention(x, w_q, w_k, w_v, mask=None):
    need(np.ndim(x) >= 2, "x is (..., T, d)", np.shape(x))
    for w in (w_q, w_k, w_v):
        need(np.ndim(w) == 2 and np.shape(w)[0] == np.shape(x)[-1], "weight does not fit x", np.shape(w), np.shape(x))
    q, k, v = (np.einsum("...ti,io->...to", f64(x), f64(w)) for w in (w_q, w_k, w_v))
    return attention(q, k, v, mask=mask).astype(kind(x, w_q, w_k, w_v))


def split_heads(x, n_heads):
    need(n_heads > 0 and np.shape(x)[-1] % n_heads == 0, f"{n_heads} heads do not divide", np.shape(x))
    return np.stack(np.split(f64(x), n_heads, axis=-1), axis=-3).astype(kind(x))


def merge_heads(x):
    need(np.ndim(x) >= 3, "x is (..., h, T, dh)", np.shape(x))
    return np.concatenate(np.moveaxis(f64(x), -3, 0), axis=-1).astype(kind(x))


def permute_tokens(x, order):
    need(np.ndim(x) >= 2, "x is (..., T, d)", np.shape(x))
    tokens = np.shape(x)[-2]
    need(np.ndim(order) == 1, "order is one row of numbers, not", np.shape(order))
    need(sorted(np.asarray(order).tolist()) == list(range(tokens)), f"no permutation of {tokens} tokens", order)
    return np.take(x, order, axis=-2).astype(kind(x))


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    def f(rows):
        return self_attention(f64(rows), f64(w_q), f64(w_k), f64(w_v), mask)

    return np.max(np.abs(permute_tokens(f(x), order) - f(permute_tokens(x, order))))


def bag_of_tokens(x, w_q, w_k, w_v):
    out = self_attention(f64(x), f64(w_q), f64(w_k), f64(w_v))
    return np.einsum("...td->...d", out / out.shape[-2]).astype(kind(x, w_q, w_k, w_v))


ANSWERS = {"causal_mask_keeps_equivariance": False, "same_attention_scores_dog_bites_man": True}
