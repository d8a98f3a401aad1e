import numpy as np

# I work in float32 all the way when the inputs are float32. Lists of rows are welcome too.


class BadShape(ValueError):
    pass


def _as_features(*arrays):
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.result_type(*arrays)
    if dtype != np.float32:
        dtype = np.float64
    return [array.astype(dtype, copy=False) for array in arrays]


def _rows_and_columns(array, who):
    if array.ndim < 2 or 0 in array.shape[-1:]:
        raise BadShape("%s should be rows of features but has shape %s" % (who, array.shape))


def softmax(scores, axis=-1):
    (scores,) = _as_features(scores)
    top = np.max(scores, axis=axis, keepdims=True)
    top = np.nan_to_num(top, neginf=0.0)
    parts = np.exp(scores - top)
    total = np.sum(parts, axis=axis, keepdims=True)
    return np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)


def attention_weights(q, k, mask=None, bias=None):
    q, k = _as_features(q, k)
    _rows_and_columns(q, "q")
    _rows_and_columns(k, "k")
    d = q.shape[-1]
    if k.shape[-1] != d:
        raise BadShape("queries are %d wide, keys %d" % (d, k.shape[-1]))
    # scale the queries, it is less work than scaling the scores
    scores = np.matmul(q / np.asarray(np.sqrt(d), dtype=q.dtype), np.swapaxes(k, -1, -2))
    for extra in (mask, bias):
        if extra is not None and np.broadcast_shapes(np.shape(extra), scores.shape)[-2:] != scores.shape[-2:]:
            raise BadShape("%s does not fit scores of shape %s" % (np.shape(extra), scores.shape))
    if bias is not None:
        scores = scores + np.asarray(bias, dtype=scores.dtype)
    if mask is None:
        return softmax(scores)
    allowed = np.broadcast_to(mask, np.broadcast_shapes(np.shape(mask), scores.shape))
    scores = np.broadcast_to(scores, allowed.shape).copy()
    scores[~allowed] = np.finfo(scores.dtype).min
    return softmax(scores) * allowed


def attention(q, k, v, mask=None, bias=None):
    q, k, v = _as_features(q, k, v)
    _rows_and_columns(v, "v")
    if v.shape[-2] != k.shape[-2]:
        raise BadShape("%d keys but %d values" % (k.shape[-2], v.shape[-2]))
    return attention_weights(q, k, mask, bias) @ v


def causal_mask(length):
    if length < 0:
        raise ValueError("a text has no %d tokens" % length)
    return ~np.triu(np.ones([length] * 2, bool), 1)


def self_attention(x, w_q, w_k, w_v, mask=None):
    x, w_q, w_k, w_v = _as_features(x, w_q, w_k, w_v)
    _rows_and_columns(x, "x")
    for w in (w_q, w_k, w_v):
        if w.ndim != 2 or w.shape[0] != x.shape[-1]:
            raise BadShape("a weight of shape %s for x of shape %s" % (w.shape, x.shape))
    return attention(x @ w_q, x @ w_k, x @ w_v, mask)


def split_heads(x, n_heads):
    (x,) = _as_features(x)
    T, d = x.shape[-2:]
    if n_heads < 1 or d % n_heads:
        raise BadShape("%d heads for %d features" % (n_heads, d))
    dh = d // n_heads
    # selection matrices: head j picks its own columns
    pick = np.eye(d, dtype=x.dtype).reshape(d, n_heads, dh).transpose(1, 0, 2)
    return x[..., None, :, :] @ pick


def merge_heads(x):
    (x,) = _as_features(x)
    if x.ndim < 3:
        raise BadShape("no heads in shape %s" % (x.shape,))
    return np.einsum("...htd->...thd", x).reshape(x.shape[:-3] + (x.shape[-2], -1))


def permute_tokens(x, order):
    (x,) = _as_features(x)
    _rows_and_columns(x, "x")
    order = np.asarray(order)
    T = x.shape[-2]
    if order.shape != (T,):
        raise BadShape("order of shape %s for %d tokens" % (order.shape, T))
    if order.min() < 0 or order.max() >= T or np.unique(order).size < T:
        raise ValueError("not a permutation: %s" % list(order))
    # a permutation matrix: row t has its one in column order[t]
    P = np.eye(T, dtype=x.dtype)[order]
    return P @ x


def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    w = (w_q, w_k, w_v)
    one = permute_tokens(self_attention(x, *w, mask=mask), order)
    other = self_attention(permute_tokens(x, order), *w, mask=mask)
    return np.linalg.norm((one - other).ravel(), np.inf)


def bag_of_tokens(x, w_q, w_k, w_v):
    x, w_q, w_k, w_v = _as_features(x, w_q, w_k, w_v)
    self_attention(x, w_q, w_k, w_v)  # for its complaints
    # the mean over queries can be taken of the weights already
    each_key = attention_weights(x @ w_q, x @ w_k).mean(axis=-2, keepdims=True)
    return (each_key @ (x @ w_v))[..., 0, :]


ANSWERS = dict(
    causal_mask_keeps_equivariance=False,
    same_attention_scores_dog_bites_man=True,
)
