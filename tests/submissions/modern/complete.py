"""Pairs as complex numbers: rotating a pair is multiplying by e^(i angle)."""

import numpy as np


def need(ok, message):
    if not ok:
        raise ValueError(message)


def f32(*arrays):
    return np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64


def first_token_share(length):
    need(length >= 0, f"negative length {length}")
    return np.ones(length) / np.cumsum(np.ones(length))


def position_from_share(share):
    s = np.asarray(share, dtype=float)
    need(np.all(s > 0) and np.all(s <= 1), f"shares must be in (0, 1], not {s}")
    return (1.0 - s) / s


def exceptions(n_layers, interval):
    need(n_layers > 0, f"{n_layers} layers")
    need(interval > 0, f"interval {interval}")
    which = np.zeros(n_layers, dtype=bool)
    which[interval - 1 :: interval] = True
    return which


def rope_layers(n_layers, interval):
    return np.logical_not(exceptions(n_layers, interval))


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    for b in (local_base, global_base):
        need(0 < b < np.inf, f"bad base {b}")
    bases = np.full(n_layers if n_layers > 0 else 0, float(local_base))
    bases[exceptions(n_layers, interval)] = global_base
    return bases


def causal(q_len, k_len):
    need(0 <= q_len <= k_len, f"{q_len} queries and {k_len} keys")
    return np.tri(q_len, k_len, k_len - q_len, dtype=bool)


def sliding_window_mask(q_len, k_len, window):
    need(window > 0, f"window {window}")
    return causal(q_len, k_len) & ~np.tri(q_len, k_len, k_len - q_len - window, dtype=bool)


def chunk_mask(q_len, k_len, chunk):
    need(chunk > 0, f"chunk {chunk}")
    mask = causal(q_len, k_len)
    block = np.arange(k_len) // chunk
    return mask & np.equal.outer(block[k_len - q_len :], block)


def theta(d, base):
    need(d > 0 and d % 2 == 0, f"need an even size, not {d}")
    need(0 < base < np.inf, f"bad base {base}")
    return np.exp(-2 * np.arange(d // 2) / d * np.log(base))


def p_rope_frequencies(head_dim, p, base=10000.0):
    need(0 <= p <= 1, f"p = {p}")
    t = theta(head_dim, base)
    t[int(p * (head_dim // 2)) :] = 0
    return t


def temperature(positions, floor_scale=8192.0, attn_scale=0.1):
    p = np.asarray(positions, dtype=float)
    need(floor_scale > 0, f"floor_scale {floor_scale}")
    need(not np.isnan(p).any(), "nan position")
    return 1 + attn_scale * np.log(1 + (p + 1) // floor_scale)


def log_n_scale(positions, trained_len):
    p = np.asarray(positions, dtype=float)
    need(trained_len >= 2, f"trained_len {trained_len}")
    need(not np.isnan(p).any(), "nan position")
    return np.where(p < trained_len, 1.0, np.log(p + 1) / np.log(trained_len))


def as_complex(x, positions, base):
    z = np.ascontiguousarray(x, dtype=float)
    phase = np.exp(1j * np.multiply.outer(positions, theta(x.shape[-1], base)))
    return (z[..., ::2] + 1j * z[..., 1::2]) * phase


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    qc, kc, qr, kr = arrays = [np.asarray(a) for a in (q_content, k_content, q_rope, k_rope)]
    need(qc.shape[-3] == kc.shape[-3] == qr.shape[-3], f"heads differ: {qc.shape}, {kc.shape}, {qr.shape}")
    need(qc.shape[-1] == kc.shape[-1] and qr.shape[-1] == kr.shape[-1], f"{qc.shape} {kc.shape} {qr.shape} {kr.shape}")
    need(qc.shape[-2] == qr.shape[-2] and kc.shape[-2] == kr.shape[-2], f"{qc.shape} {kc.shape} {qr.shape} {kr.shape}")
    where = [np.asarray(p, dtype=float) for p in (q_positions, k_positions)]
    for p, rows in zip(where, (qr.shape[-2], kr.shape[-2])):
        need(p.shape == (rows,), f"positions of shape {p.shape} for {rows} rows")
        need(np.all(p == p), "nan among the positions")
    zq, zk = as_complex(qr, where[0], base), as_complex(kr, where[1], base)
    # The real part of z times a conjugate is the dot product of two pairs.
    position = (zq @ zk.conj().swapaxes(-1, -2)[..., None, :, :]).real
    content = qc.astype(float) @ kc.astype(float).swapaxes(-1, -2)
    return ((content + position) / np.sqrt(qc.shape[-1] + qr.shape[-1])).astype(f32(*arrays))


def kept_tokens(length, n_sinks, window):
    need(min(length, n_sinks, window) >= 0, f"negative number in {length}, {n_sinks}, {window}")
    first = np.arange(min(n_sinks, length))
    last = np.arange(max(length - window, 0), length)
    return np.union1d(first, last).astype(np.int64)


def shift_keys(cache_k, offset, base=10000.0):
    k = np.asarray(cache_k)
    need(not np.isnan(offset), "offset is nan")
    z = as_complex(k, float(offset), base)
    return np.stack([z.real, z.imag], axis=-1).reshape(k.shape).astype(f32(k))


def sink_weights(scores, sink):
    scores, sink = np.asarray(scores), np.asarray(sink, dtype=float)
    if sink.shape != scores.shape[-3:-2]:
        raise ValueError("one sink per head")
    # One more key, whose column is left out at the end.
    column = np.broadcast_to(sink[:, None, None], scores.shape[:-1] + (1,))
    longer = np.concatenate([scores.astype(float), column], axis=-1)
    top = longer.max(axis=-1, keepdims=True)
    powers = np.exp(longer - np.where(np.isfinite(top), top, 0))
    total = powers.sum(axis=-1, keepdims=True)
    weights = (powers / np.where(total == 0, 1, total))[..., :-1]
    return weights.astype(np.float32) if scores.dtype == np.float32 else weights


ANSWERS = {
    "rope_layers_of_36_with_interval_4": 27,
    "causal_attention_without_encoding_counts": True,
    "share_of_first_token_at_position_9": 1 / 10,
    "p_rope_keeps_the_fastest_pair": True,
}
