import numpy as np

# Attention. Should be fine, all public tests but two or three are green.


def out_dtype(*arrays):
    if all(np.asarray(a).dtype == np.float32 for a in arrays):
        return np.float32
    return np.float64


def softmax(scores, axis=-1):
    e = np.exp(np.asarray(scores, dtype=np.float64))
    total = e.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    return (e / total).astype(out_dtype(scores))


def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q), np.asarray(k)
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1] or q.shape[-1] < 1:
        raise ValueError(f"cannot compare queries {q.shape} with keys {k.shape}")
    scores = np.matmul(q, k.swapaxes(-1, -2), dtype=np.float64) / np.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return softmax(scores - scores.max(axis=-1, keepdims=True)).astype(out_dtype(q, k))


def attention(q, k, v, mask=None, bias=None):
    if np.ndim(v) < 2:
        raise ValueError(f"v has shape {np.shape(v)}")
    weights = attention_weights(np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64), mask, bias)
    return np.matmul(weights, v).astype(out_dtype(q, k, v))


def causal_mask(length):
    if length < 0:
        raise ValueError(f"{length} < 0")
    i = np.arange(length)
    return i[:, None] >= i


def self_attention(x, w_q, w_k, w_v, mask=None):
    x64 = np.asarray(x, dtype=np.float64)
    return attention(x64 @ w_q, x64 @ w_k, x64 @ w_v, mask).astype(out_dtype(x, w_q, w_k, w_v))


def split_heads(x, n_heads):
    if n_heads < 1 or np.shape(x)[-1] % n_heads:
        raise ValueError(f"{n_heads} heads for {np.shape(x)[-1]} features")
    x = np.asarray(x, dtype=out_dtype(x))
    return np.stack([x[..., j::n_heads] for j in range(n_heads)], axis=-3)


def merge_heads(x):
    if np.ndim(x) < 3:
        raise ValueError(f"{np.ndim(x)} axes")
    x = np.asarray(x, dtype=out_dtype(x))
    return np.concatenate([x[..., j, :, :] for j in range(x.shape[-3])], axis=-1)


def permute_tokens(x, order):
    x = np.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"x has shape {x.shape}")
    if sorted(np.ravel(order)) != list(range(x.shape[-2])) or np.ndim(order) != 1:
        raise ValueError(f"{order} is not an order of {x.shape[-2]} tokens")
    y = np.empty(x.shape, dtype=out_dtype(x))
    y[..., order, :] = x
    return y


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    a = permute_tokens(self_attention(x, w_q, w_k, w_v, mask), order)
    b = self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(abs(a - b).max())


def bag_of_tokens(x, w_q, w_k, w_v):
    return self_attention(x, w_q, w_k, w_v).mean(axis=-2)


ANSWERS = {"causal_mask_keeps_equivariance": True, "same_attention_scores_dog_bites_man": True}
