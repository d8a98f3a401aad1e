"""Every argument is checked, and some of the formulas are wrong."""

import numpy as np


class Bad(ValueError):
    """What this file raises."""


def first_token_share(length):
    if length < 0:
        raise Bad("length %s < 0" % length)
    return 1.0 / np.linspace(1, length, length)


def position_from_share(share):
    values = np.asarray(share, np.float64)
    for wrong in (values <= 0, values > 1, np.isnan(values)):
        if np.any(wrong):
            raise Bad("share %s" % values[wrong])
    return np.divide(1, values) - 1


def rope_layers(n_layers, interval):
    if n_layers < 1:
        raise Bad("n_layers %s" % n_layers)
    if interval < 1:
        raise Bad("interval %s" % interval)
    uses = np.full(n_layers, True)
    for last in range(interval - 1, n_layers, interval):
        uses[last] = False
    return uses


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    if not (local_base > 0 and local_base < np.inf):
        raise Bad("local base %s" % local_base)
    if not (global_base > 0 and global_base < np.inf):
        raise Bad("global base %s" % global_base)
    local = rope_layers(n_layers, interval)
    return local * np.float64(local_base) + ~local * np.float64(global_base)


def sliding_window_mask(q_len, k_len, window):
    if window < 1:
        raise Bad("window %s" % window)
    if q_len < 0 or k_len < q_len:
        raise Bad("lengths %s, %s" % (q_len, k_len))
    mask = np.zeros((q_len, k_len), dtype=bool)
    for query in range(q_len):
        at = query + k_len - q_len
        mask[query, max(0, at - window + 1) : at + 1] = True
    return mask


def chunk_mask(q_len, k_len, chunk):
    if chunk < 1:
        raise Bad("chunk %s" % chunk)
    if q_len < 0 or k_len < q_len:
        raise Bad("lengths %s, %s" % (q_len, k_len))
    key = np.arange(k_len)
    query = key[k_len - q_len :].reshape(-1, 1)
    return (key >= query - query % chunk) & (key <= query)


def _thetas(size, base):
    if size < 2 or size % 2 == 1:
        raise Bad("size %s" % size)
    if not (base > 0 and base < np.inf):
        raise Bad("base %s" % base)
    return np.power(float(base), np.linspace(0, -1, size // 2, endpoint=False))


def p_rope_frequencies(head_dim, p, base=10000.0):
    thetas = _thetas(head_dim, base)
    if not (p >= 0 and p <= 1):
        raise Bad("p %s" % p)
    still = len(thetas) - int(p * len(thetas))
    return np.concatenate([np.zeros(still), thetas[still:]])


def _numbers(values):
    values = np.asarray(values, np.float64)
    if np.isnan(values).any():
        raise Bad("nan")
    return values


def temperature(positions, floor_scale=8192.0, attn_scale=0.1):
    if not floor_scale > 0:
        raise Bad("floor_scale %s" % floor_scale)
    return 1 + np.log(1 + np.floor_divide(_numbers(positions) + 1, floor_scale)) * attn_scale


def log_n_scale(positions, trained_len):
    if trained_len < 2:
        raise Bad("trained_len %s" % trained_len)
    return np.log1p(_numbers(positions)) / np.log(trained_len)


def _turned(x, where, base):
    angle = np.multiply.outer(where, _thetas(x.shape[-1], base))
    c, s = np.cos(angle), np.sin(angle)
    y = np.array(x, np.float64)
    y[..., ::2] = c * x[..., ::2] - s * x[..., 1::2]
    y[..., 1::2] = s * x[..., ::2] + c * x[..., 1::2]
    return y


def _single(arrays):
    return np.float32 if all(a.dtype == "float32" for a in arrays) else np.float64


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    given = tuple(map(np.asarray, (q_content, k_content, q_rope, k_rope)))
    qc, kc, qr, kr = given
    if not qc.shape[-3] == kc.shape[-3] == qr.shape[-3]:
        raise Bad("heads %s %s %s" % (qc.shape[-3], kc.shape[-3], qr.shape[-3]))
    for one, other, axis in ((qc, qr, -2), (kc, kr, -2), (qc, kc, -1), (qr, kr, -1)):
        if one.shape[axis] != other.shape[axis]:
            raise Bad("sizes %s %s" % (one.shape[axis], other.shape[axis]))
    at_q, at_k = _numbers(q_positions), _numbers(k_positions)
    if at_q.ndim != 1 or at_k.ndim != 1 or len(at_q) != qr.shape[-2] or len(at_k) != kr.shape[-2]:
        raise Bad("positions %s %s" % (at_q.shape, at_k.shape))
    queries = np.concatenate([qc.astype(float), _turned(qr, at_q, base)], -1)
    keys = kc.astype(float) @ np.swapaxes(queries[..., : qc.shape[-1]], -1, -2)
    keys = keys + np.expand_dims(_turned(kr, at_k, base), -3) @ np.swapaxes(queries[..., qc.shape[-1] :], -1, -2)
    return (np.swapaxes(keys, -1, -2) / queries.shape[-1] ** 0.5).astype(_single(given))


def kept_tokens(length, n_sinks, window):
    for number in (length, n_sinks, window):
        if number < 0:
            raise Bad("negative: %s" % number)
    return np.append(np.arange(min(n_sinks, length)), np.arange(max(0, length - window), length))


def shift_keys(cache_k, offset, base=10000.0):
    keys = np.asarray(cache_k)
    return _turned(keys, np.arange(keys.shape[-2]) + _numbers(offset), base).astype(_single([keys]))


ANSWERS = {
    "rope_layers_of_36_with_interval_4": 27,
    "causal_attention_without_encoding_counts": True,
    "share_of_first_token_at_position_9": 1 / 9,
    "p_rope_keeps_the_fastest_pair": True,
}
