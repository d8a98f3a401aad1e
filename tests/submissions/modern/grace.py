import math

import numpy as np

# Loops over layers and pairs, einsum, and the half layout inside with a permutation around it.


def _refuse_unless(condition, *values):
    if not condition:
        raise ValueError("bad argument: " + " ".join(str(value) for value in values))


def first_token_share(length):
    _refuse_unless(length >= 0, length)
    return np.reciprocal(np.linspace(1, max(length, 1), max(length, 1)))[:length]


def position_from_share(share):
    share = np.array(share, dtype=np.float64)
    bad = np.isnan(share) | (share <= 0) | (share > 1)
    _refuse_unless(not bad.any(), share[bad])
    return np.power(share, -1) - 1


def rope_layers(n_layers, interval):
    _refuse_unless(n_layers >= 1, n_layers)
    _refuse_unless(interval >= 1, interval)
    layers = []
    for layer in range(n_layers):
        layers.append((layer + 1) % interval != 0)
    return np.array(layers)


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    for base in (local_base, global_base):
        _refuse_unless(math.isfinite(base) and base > 0, base)
    return np.array([float(local_base if local else global_base) for local in rope_layers(n_layers, interval)])


def _distance(q_len, k_len):
    """How far each key is behind each query."""
    _refuse_unless(q_len >= 0, q_len)
    _refuse_unless(k_len >= q_len, k_len, q_len)
    return k_len - q_len + np.subtract.outer(np.arange(q_len), np.arange(k_len))


def sliding_window_mask(q_len, k_len, window):
    _refuse_unless(window >= 1, window)
    distance = _distance(q_len, k_len)
    return np.logical_and(distance >= 0, distance < window)


def chunk_mask(q_len, k_len, chunk):
    _refuse_unless(chunk >= 1, chunk)
    distance = _distance(q_len, k_len)
    since_the_block_began = np.arange(k_len - q_len, k_len) % chunk
    return np.logical_and(distance >= 0, distance <= since_the_block_began[:, None])


def _thetas(head_dim, base):
    _refuse_unless(head_dim >= 1 and head_dim % 2 == 0, head_dim)
    _refuse_unless(math.isfinite(base) and base > 0, base)
    return [base ** (-2 * pair / head_dim) for pair in range(head_dim // 2)]


def p_rope_frequencies(head_dim, p, base=10000.0):
    _refuse_unless(0 <= p <= 1, p)
    rotating = math.floor(p * head_dim / 2)
    return np.array([theta if pair < rotating else 0.0 for pair, theta in enumerate(_thetas(head_dim, base))])


def _checked(positions):
    positions = np.asarray(positions, dtype=np.float64)
    _refuse_unless(not np.isnan(positions).any(), "nan")
    return positions


def temperature(positions, floor_scale=8192.0, attn_scale=0.1):
    _refuse_unless(floor_scale > 0, floor_scale)
    return np.log1p(np.floor((_checked(positions) + 1) / floor_scale)) * attn_scale + 1


def log_n_scale(positions, trained_len):
    _refuse_unless(trained_len >= 2, trained_len)
    return np.clip(np.log2(_checked(positions) + 1) / np.log2(trained_len), 1, None)


def _half_rope(x, angles):
    """Rotation in the half layout, x already reordered."""
    half = x.shape[-1] // 2
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def _rope(x, positions, base):
    angles = np.outer(positions, _thetas(x.shape[-1], base))
    d = x.shape[-1]
    order = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])
    return _half_rope(x[..., order], angles)[..., np.argsort(order)]


def _out(result, *arrays):
    return result.astype("float32") if {array.dtype.name for array in arrays} == {"float32"} else result


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    given = [np.asarray(array) for array in (q_content, k_content, q_rope, k_rope)]
    (qc, kc, qr, kr), shapes = [array.astype("float64") for array in given], [array.shape for array in given]
    heads = {shape[-3] for shape in shapes[:3]}
    _refuse_unless(len(heads) == 1, "heads", *shapes)
    _refuse_unless(qc.shape[-2] == qr.shape[-2] and kc.shape[-2] == kr.shape[-2], "rows", *shapes)
    _refuse_unless(qc.shape[-1] == kc.shape[-1] and qr.shape[-1] == kr.shape[-1], "sizes", *shapes)
    q_positions, k_positions = _checked(q_positions), _checked(k_positions)
    _refuse_unless(q_positions.shape == (qr.shape[-2],), "positions", q_positions.shape, "rows", qr.shape)
    _refuse_unless(k_positions.shape == (kr.shape[-2],), "positions", k_positions.shape, "rows", kr.shape)
    scores = np.einsum("...hqd,...hkd->...hqk", qc, kc)
    scores = scores + np.einsum("...hqd,...kd->...hqk", _rope(qr, q_positions, base), _rope(kr, k_positions, base))
    return _out(scores / math.sqrt(qc.shape[-1] + qr.shape[-1]), *given)


def kept_tokens(length, n_sinks, window):
    for number in (length, n_sinks, window):
        _refuse_unless(number >= 0, number)
    if n_sinks + window >= length:
        return np.arange(length)
    return np.r_[:n_sinks, length - window : length]


def shift_keys(cache_k, offset, base=10000.0):
    cache_k = np.asarray(cache_k)
    rows = np.full(cache_k.shape[-2], _checked(offset))
    return _out(_rope(cache_k.astype("float64"), rows, base), cache_k)


def sink_weights(scores, sink):
    scores, sink = np.asarray(scores), np.asarray(sink, dtype=np.float64)
    if sink.ndim != 1 or len(sink) != scores.shape[-3]:
        raise ValueError(f"{sink.shape} sinks for {scores.shape[-3]} heads")
    # The logarithm of the sum of all powers, the sink's too.
    total = np.logaddexp(np.logaddexp.reduce(scores.astype(np.float64), axis=-1), sink[:, np.newaxis])
    weights = np.exp(scores - np.where(np.isneginf(total), 0, total)[..., np.newaxis])
    return weights.astype(scores.dtype if scores.dtype == np.float32 else np.float64)


ANSWERS = {
    "rope_layers_of_36_with_interval_4": 27,
    "causal_attention_without_encoding_counts": True,
    "share_of_first_token_at_position_9": 0.1,
    "p_rope_keeps_the_fastest_pair": True,
}
