"""Wrong versions that nobody looks at who adds to the catalogue, for `make causes`: the second of its two sets.

Written from the lessons' definitions alone, in the form of `wrong_versions`.
"""

from __future__ import annotations

from tests.grader.support.wrong_versions import versions

VERSIONS = versions("""
### sinusoidal: pair|exponent|2i|twice|index
def frequencies(d_model, base=10000.0):
    _check_even(d_model)
    if not (base > 0 and np.isfinite(base)):
        raise ValueError(f"base {base}")
    return np.array([base ** (-i / d_model) for i in range(d_model // 2)])
### sinusoidal: sin|cos|order|exchang
def sinusoidal_encoding(positions, d_model, base=10000.0):
    p = _check_positions(positions)
    a = p[:, None] * frequencies(d_model, base)
    out = np.zeros((len(p), d_model))
    out[:, 0::2] = np.cos(a)
    out[:, 1::2] = np.sin(a)
    return out
### sinusoidal: 2π|turn|2 ?π|period|upside
def wavelengths(d_model, base=10000.0):
    return 1 / frequencies(d_model, base)
### sinusoidal: sign|back|transpose|minus|direction|inverse|opposite
_right = shift_matrix
def shift_matrix(offset, d_model, base=10000.0):
    return _right(-offset, d_model, base)
### sinusoidal: mean|sum|average|divid|number of pairs
def offset_similarity(offsets, d_model, base=10000.0):
    o = np.asarray(offsets, dtype=float)
    return np.cos(o[..., None] * frequencies(d_model, base)).mean(-1)
### attention: axis
def softmax(scores, axis=-1):
    s = np.asarray(scores)
    e = np.exp(s - s.max(axis=0, keepdims=True))
    return (e / e.sum(axis=0, keepdims=True)).astype(s.dtype)
### attention: √|root|divi|scal
_right = attention_weights
def attention_weights(q, k, mask=None, bias=None):
    q = np.asarray(q)
    return _right(q / np.sqrt(q.shape[-1]).astype(q.dtype), k, mask, bias)
### attention: own|diagonal|itself|strict
_right = causal_mask
def causal_mask(length):
    return _right(length) & ~np.eye(length, dtype=bool)
### attention: inver|order|wrong way|opposite
_right = permute_tokens
def permute_tokens(x, order):
    _right(x, order)
    out = np.empty_like(x)
    out[..., np.asarray(order), :] = x
    return out
### attention: head|order|feature|axis|reshape
_right = split_heads
def split_heads(x, n_heads):
    _right(x, n_heads)
    x = np.asarray(x)
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)
### naive: length|last|− 1|one less|divid
_right = normalized_positions
def normalized_positions(length):
    _right(length)
    return np.arange(length) / max(length, 1)
### naive: round|ceil|power|bits
_right = bits_needed
def bits_needed(length):
    _right(length)
    return int(np.ceil(np.log2(length + 1)))
### naive: order|bit|first|last|revers
_right = binary_positions
def binary_positions(length, n_bits=None):
    return _right(length, n_bits)[:, ::-1]
### naive: 2|twice|power|half|period
_right = bit_period
def bit_period(bit):
    return _right(bit) // 2
### learned: add|twice|repeat|overwrit|same row|last
_right = lookup_gradient
def lookup_gradient(table_shape, positions, grad_output):
    good = _right(table_shape, positions, grad_output)
    g = np.zeros(table_shape, dtype=good.dtype)
    g[np.asarray(positions)] = grad_output
    return g
### learned: sign|plus|minus|subtract|against|direction
_right = sgd_step
def sgd_step(table, gradient, learning_rate):
    return _right(table, gradient, -learning_rate)
### learned: scale|√|root|multipl
_right = embed
def embed(token_table, position_table, token_ids):
    out = _right(token_table, position_table, token_ids)
    token_table = np.asarray(token_table)
    return (out + (np.sqrt(token_table.shape[1]) - 1) * token_table[np.asarray(token_ids)]).astype(out.dtype)
### rope: sign|direction|minus|back|wrong way
def apply_rope(x, positions, base=10000.0):
    x = np.asarray(x)
    p = _check_positions(positions, rows=x.shape[-2])
    c, s = rope_cos_sin(p, x.shape[-1], base)
    out = np.empty(x.shape)
    out[..., 0::2] = x[..., 0::2] * c + x[..., 1::2] * s
    out[..., 1::2] = -x[..., 0::2] * s + x[..., 1::2] * c
    return out.astype(_features(x)[-1])
### rope: sign|minus|half|second
_right = rotate_half
def rotate_half(x):
    x = _right(x) * 0 + np.asarray(x)
    h = x.shape[-1] // 2
    return np.concatenate([x[..., h:], -x[..., :h]], axis=-1)
### rope: 2i|pair|exponent|index
def rope_frequencies(head_dim, base=10000.0):
    _check_even(head_dim)
    _check_base(base) if "_check_base" in globals() else None
    if not (np.isfinite(base) and base > 0):
        raise ValueError(f"{base}")
    return float(base) ** (-np.arange(head_dim // 2) / head_dim)
### rope: √|scale|divi|root
_right = rope_scores
def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    out = _right(q, k, q_positions, k_positions, base)
    return (out * np.sqrt(np.shape(q)[-1])).astype(out.dtype)
### rope: position|0|cache|new
_right = decode_step
def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    _right(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    return _right(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, 0, base)
### relative: sign|query|minus|exchang|opposite
_right = relative_positions
def relative_positions(q_len, k_len, q_start=0):
    return -_right(q_len, k_len, q_start)
### relative: bucket|half|direction|future|before|after
_right = t5_bucket
def t5_bucket(relative, bidirectional=True, num_buckets=32, max_distance=128):
    good = _right(relative, bidirectional, num_buckets, max_distance)
    return _right(-np.asarray(relative), bidirectional, num_buckets, max_distance) if bidirectional else good
### relative: q_start|start|cache|`q_start`
_right = t5_bias
def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    _right(table, q_len, k_len, bidirectional, max_distance, q_start)
    return _right(table, q_len, k_len, bidirectional, max_distance)
### alibi: 2\\^0|one step|start|steep|first
_right = alibi_slopes
def alibi_slopes(n_heads):
    _right(n_heads)
    return np.array([2 ** (-8 * h / n_heads) for h in range(n_heads)])
### alibi: far|sign|reward|lower
_right = alibi_bias
def alibi_bias(n_heads, q_len, k_len):
    return np.abs(_right(n_heads, q_len, k_len))
### context_extension: factor|multipl|divid|upside|apart
_right = interpolate_positions
def interpolate_positions(positions, factor):
    _right(positions, factor)
    return np.asarray(positions, dtype=float) * factor
### context_extension: exponent|d − 2|d - 2|head_dim|power
_right = ntk_base
def ntk_base(base, factor, head_dim):
    _right(base, factor, head_dim)
    return float(base * factor)
### context_extension: 0\\.1|scale|log|1 \\+|root|square
_right = yarn_scale
def yarn_scale(factor):
    _right(factor)
    return float(0.1 * np.log(factor))
### extrapolation: first|longest|run|gap|below|reliable|order
_right = longest_reliable_length
def longest_reliable_length(lengths, accuracies, threshold=0.9):
    _right(lengths, accuracies, threshold)
    good = np.asarray(lengths)[np.asarray(accuracies) >= threshold]
    return int(good.max()) if len(good) else 0
### extrapolation: sign|exchang|minus|opposite
_right = extrapolation_gap
def extrapolation_gap(lengths, accuracies, trained_length):
    return -_right(lengths, accuracies, trained_length)
### grids: row|column|x|y|order|exchang
_right = grid_positions
def grid_positions(height, width):
    return _right(height, width)[:, ::-1]
### grids: 1|largest|next|after|count
_right = next_position
def next_position(positions):
    return _right(positions) - 1
### modern: window|one|own|itself
_right = sliding_window_mask
def sliding_window_mask(q_len, k_len, window):
    _right(q_len, k_len, window)
    return _right(q_len, k_len, window + 1)
### modern: down|round|pair|slow|fast|which|revers
_right = p_rope_frequencies
def p_rope_frequencies(head_dim, p, base=10000.0):
    return _right(head_dim, p, base)[::-1]
### modern: local|global|base|exchang
_right = layer_bases
def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    return _right(n_layers, interval, global_base, local_base)
### modern: sink|first|window|last
_right = kept_tokens
def kept_tokens(length, n_sinks, window):
    good = _right(length, n_sinks, window)
    return good[len(good) - min(window, len(good)):] if window else good[:0]
### state: NaN|running|difference|small gates|−1e30|overflow|0 · inf
def decay_matrix(log_f):
    g = _log_gates(log_f)
    f = np.exp(g)
    p = np.cumprod(f, -1)
    with np.errstate(all="ignore"):
        d = p[..., :, None] / p[..., None, :]
    return np.tril(d)
### state: query|one token|too early|key
def decay_bias(log_f):
    g = _log_gates(log_f)
    n = g.shape[-1]
    i, j, t = np.ogrid[:n, :n, :n]
    b = np.where((j <= t) & (t < i), g[..., None, None, :], 0.0).sum(-1)
    return np.where(np.tri(n) > 0, b, -np.inf)
### state: sign|negat|positive|−slope
def constant_decay(length, slope):
    if length < 0 or not 0 < slope < np.inf:
        raise ValueError(f"{length} {slope}")
    return np.repeat(float(slope), length)
### state: √d|divid|scale
def forgetting_attention(q, k, v, log_f):
    q, k, v, to = _sequence(q, k, v)
    s = q @ k.swapaxes(-1, -2) + decay_bias(_log_gates_of_tokens(log_f, q.shape[-2]))
    w = np.exp(s - np.logaddexp.reduce(s, -1)[..., None])
    return (w @ v).astype(to)
### state: largest|overflow|exp of the scores
def forgetting_attention(q, k, v, log_f):
    q, k, v, to = _sequence(q, k, v)
    d = decay_matrix(_log_gates_of_tokens(log_f, q.shape[-2]))
    with np.errstate(all="ignore"):
        w = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) * d
        return (w @ v / w.sum(-1, keepdims=True)).astype(to)
### state: itself|own|diagonal
def linear_attention(q, k, v, log_f):
    q, k, v, to = _sequence(q, k, v)
    d = np.tril(decay_matrix(_log_gates_of_tokens(log_f, q.shape[-2])), -1)
    return (q @ k.swapaxes(-1, -2) * d @ v).astype(to)
### state: whole|fade|share|gate
def linear_step(state, q, k, v, log_f):
    state, q, k, v = (np.asarray(a) for a in (state, q, k, v))
    _check_state(state, k.shape[-1], v.shape[-1])
    to = _features(state, q, k, v)[-1]
    f = np.exp(_log_gates(log_f))[..., None, None]
    new = f * (state + np.einsum("...a,...b->...ab", k.astype(float), v.astype(float)))
    return np.einsum("...a,...ab->...b", q, new).astype(to), new.astype(to)
### state: decay|fade|gate
def linear_chunks(q, k, v, log_f, chunk, state=None):
    _check_at_least(1, chunk=chunk)
    kind = _features(*((q, k, v) if state is None else (q, k, v, state)))[-1]
    q, k, v, _ = _sequence(q, k, v)
    g = _log_gates_of_tokens(log_f, q.shape[-2])
    s = np.zeros((k.shape[-1], v.shape[-1])) if state is None else np.asarray(state, dtype=float)
    _check_state(s, k.shape[-1], v.shape[-1])
    outs = []
    for a in range(0, q.shape[-2], chunk):
        cut = slice(a, a + chunk)
        f = np.exp(np.cumsum(g[..., cut], -1))
        outs.append(linear_attention(q[..., cut, :], k[..., cut, :], v[..., cut, :], g[..., cut]) + f[..., None] * (q[..., cut, :] @ s))
        s = f[..., -1, None, None] * s + np.swapaxes(k[..., cut, :], -1, -2) @ v[..., cut, :]
    return np.concatenate(outs, -2).astype(kind), s.astype(kind)
### state: added|difference|reads
def delta_step(state, k, v, beta, log_f):
    state, k, v = (np.asarray(a) for a in (state, k, v))
    _check_state(state, k.shape[-1], v.shape[-1])
    b = _within(beta, lambda b: (b >= 0) & (b <= 2), "beta")
    to = _features(state, k, v)[-1]
    write = np.einsum("...,...a,...b->...ab", b, k.astype(float), v.astype(float))
    return (np.exp(_log_gates(log_f))[..., None, None] * state + write).astype(to)
### state: sign|direction|opposite|other way
def retention(q, k, v, gamma, base=10000.0):
    q, k, v, to = _sequence(q, k, v)
    gamma = _within(gamma, lambda g: (g > 0) & (g <= 1), "gamma")
    _rotate(q, base)
    n, d = q.shape[-2:]
    a = np.exp(1j * np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d))
    zq, zk = ((x[..., ::2] + 1j * x[..., 1::2]) * a for x in (q, k))
    s = (zq @ zk.swapaxes(-1, -2)).real
    return (s * decay_matrix(np.log(gamma)[..., None] + np.zeros(n)) @ v).astype(to)
### state: front|backwards|first key
def cope_positions(gates):
    g = _within(gates, lambda g: (g >= 0) & (g <= 1), "gates")
    n, m = g.shape[-2:]
    if n > m:
        raise ValueError(f"{g.shape}")
    return np.tril(np.cumsum(g, -1), m - n)
### state: keys|values|d_k
def cache_and_state(length, n_heads, d_k, d_v):
    if length < 0 or min(n_heads, d_k, d_v) < 1:
        raise ValueError(f"{length} {n_heads} {d_k} {d_v}")
    return n_heads * length * d_k, n_heads * d_k * d_v
### state: inf|keeps all|zero
def half_life(log_f):
    g = _log_gates(log_f)
    with np.errstate(divide="ignore"):
        return np.log(0.5) / g
### state: divide|1/
def half_life(log_f):
    return np.log(0.5) * _log_gates(log_f)
""")
