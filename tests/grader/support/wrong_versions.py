"""Wrong versions as students write them, in other styles than the solutions, for `make causes`.

Each replaces one function. Beside it stand the words of which a true hint must have one (a regular expression).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.course import Assignment


@dataclass(frozen=True)
class WrongVersion:
    """One function written wrongly."""

    assignment: str
    function: str
    true: str
    source: str

    def file(self, assignment: Assignment) -> str:
        """A whole submission: the solution with this function in the place of its own."""
        return f"{assignment.solution.read_text(encoding='utf-8')}\n\n{self.source}\n"


def versions(text: str) -> list[WrongVersion]:
    wrong = []
    for block in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        head, source = block.split("\n", 1)
        assignment, true = head.split(": ", 1)
        function = re.search(r"^def (\w+)", source, re.MULTILINE)
        assert function is not None
        wrong.append(WrongVersion(assignment, function[1], true, source))
    return wrong


VERSIONS = versions("""
### rope: base
def apply_rope_half(x, positions, base=10000.0):
    x = np.asarray(x)
    p = _check_positions(positions, rows=x.shape[-2])
    d = x.shape[-1]
    _check_even(d)
    rope_frequencies(d, base)
    h = d // 2
    w = np.array([10000.0 ** (-2 * i / d) for i in range(h)])
    z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * p[:, None] * w)
    return np.concatenate([z.real, z.imag], -1).astype(_features(x)[-1])
### rope: position
def apply_rope(x, positions, base=10000.0):
    x = np.asarray(x)
    p = _check_positions(positions, rows=x.shape[-2])
    p = np.arange(x.shape[-2])
    w = rope_frequencies(x.shape[-1], base)
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * p[:, None] * w)
    y = np.stack([z.real, z.imag], -1).reshape(x.shape)
    return y.astype(_features(x)[-1])
### rope: wrong way|sign|minus|back|conj|transpose
def rotation_matrix(position, head_dim, base=10000.0):
    w = rope_frequencies(head_dim, base)
    if np.isnan(position):
        raise ValueError("nan")
    m = np.zeros((head_dim, head_dim))
    for i in range(head_dim // 2):
        c, s = np.cos(position * w[i]), np.sin(position * w[i])
        m[2 * i, 2 * i], m[2 * i, 2 * i + 1], m[2 * i + 1, 2 * i], m[2 * i + 1, 2 * i + 1] = c, s, -s, c
    return m
### rope: √d|scale|sqrt|divi|factor|size|where “scores” is made
def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    q, k = np.asarray(q), np.asarray(k)
    a, b = apply_rope(q.astype(float), q_positions, base), apply_rope(k.astype(float), k_positions, base)
    return (np.einsum("...id,...jd->...ij", a, b) / np.sqrt(k.shape[-2])).astype(_features(q, k)[-1])
### rope: `base`|base
def rope_scores(q, k, q_positions, k_positions, base=10000.0):
    q, k = np.asarray(q), np.asarray(k)
    rope_frequencies(q.shape[-1], base)
    a, b = apply_rope(q.astype(float), q_positions), apply_rope(k.astype(float), k_positions)
    return (np.einsum("...id,...jd->...ij", a, b) / q.shape[-1] ** 0.5).astype(_features(q, k)[-1])
### rope: apply rope|turn|query|position
def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    x_t, w_q, w_k, w_v, cache_k, cache_v = arrays = [np.asarray(a) for a in (x_t, w_q, w_k, w_v, cache_k, cache_v)]
    if cache_k.shape != cache_v.shape:
        raise ValueError(f"{cache_k.shape} {cache_v.shape}")
    q, k, v = (_project(x_t, w, n_heads) for w in (w_q, w_k, w_v))
    k = np.concatenate([cache_k, apply_rope(k, [position], base)], axis=-2)
    v = np.concatenate([cache_v, v], axis=-2)
    s = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(k.shape[-1])
    dtype = _features(*arrays)[-1]
    return _merge_heads(_softmax(s) @ v).astype(dtype), k.astype(dtype), v.astype(dtype)
### rope: causal|row|mask|future|tri
def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    x, w_q, w_k, w_v = arrays = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    q, k, v = (_project(x, w, n_heads) for w in (w_q, w_k, w_v))
    p = np.arange(x.shape[-2]) if positions is None else positions
    s = rope_scores(q, k, p, p, base)
    e = np.exp(s - s.max(-1, keepdims=True))
    e /= e.sum(-1, keepdims=True)
    return _merge_heads(e @ v).astype(_features(*arrays)[-1])
### rope: head|reshape|swap|block|column
def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    x, w_q, w_k, w_v = arrays = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    for w in (w_q, w_k, w_v):
        _project(x, w, n_heads)
    q, k, v = ((x.astype(float) @ w).reshape(*x.shape[:-2], n_heads, x.shape[-2], -1) for w in (w_q, w_k, w_v))
    p = np.arange(x.shape[-2]) if positions is None else positions
    s = rope_scores(q, k, p, p, base)
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
    return _merge_heads(_softmax(s) @ v).astype(_features(*arrays)[-1])
### rope: mean|sum|factor|divi
def decay_bound(offsets, head_dim, base=10000.0):
    o = np.asarray(offsets)
    if np.isnan(o).any():
        raise ValueError("nan")
    w = rope_frequencies(head_dim, base)
    c, s = np.cos(o[..., None] * w).cumsum(-1), np.sin(o[..., None] * w).cumsum(-1)
    return np.hypot(c, s).sum(-1)
### rope: rotary_dim|last|end|slice|first|features
def apply_partial_rope(x, positions, rotary_dim, base=10000.0):
    x = np.asarray(x)
    _check_even(rotary_dim, "rotary_dim")
    if rotary_dim > x.shape[-1]:
        raise ValueError(f"{rotary_dim}")
    keep = x.shape[-1] - rotary_dim
    return np.concatenate([x[..., :keep], apply_rope(x[..., keep:], positions, base)], -1).astype(_features(x)[-1])
### attention: mask
def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q), np.asarray(k)
    if q.shape[-1] < 1:
        raise ValueError(f"{q.shape}")
    s = q.astype(float) @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    s = s if bias is None else s + bias
    if mask is not None:
        np.broadcast_to(mask, s.shape)
    return softmax(s).astype(_features(q, k)[-1])
### attention: √d|width|scale|sqrt|size
def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q), np.asarray(k)
    if q.shape[-1] < 1:
        raise ValueError(f"{q.shape}")
    s = np.einsum("...id,...jd->...ij", q.astype(float), k) / np.sqrt(k.shape[-2])
    if bias is not None:
        s = s + bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s).astype(_features(q, k)[-1])
### attention: bias|sum and a difference
def attention_weights(q, k, mask=None, bias=None):
    q, k = np.asarray(q), np.asarray(k)
    if q.shape[-1] < 1:
        raise ValueError(f"{q.shape}")
    s = np.einsum("...id,...jd->...ij", q.astype(float), k) / np.sqrt(q.shape[-1])
    if bias is not None:
        s = s - bias
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s).astype(_features(q, k)[-1])
### attention: order|mask|max|permut|token
def permute_tokens(x, order):
    x, order = np.asarray(x), np.asarray(order)
    if sorted(order.tolist()) != list(range(x.shape[-2])):
        raise ValueError(f"{order}")
    return x[..., order[::-1], :].astype(_features(x)[-1])
### attention: `mask`|mask
def self_attention(x, w_q, w_k, w_v, mask=None):
    x, w_q, w_k, w_v = f = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    if mask is not None:
        attention(x.astype(float) @ w_q, x @ w_k, x @ w_v, mask)
    return attention(x.astype(float) @ w_q, x @ w_k, x @ w_v).astype(_features(*f)[-1])
### sinusoidal: sign|negative|abs
def sinusoidal_encoding(positions, d_model, base=10000.0):
    p = np.abs(_check_real(positions, "positions"))
    out = np.zeros((*p.shape, d_model))
    w = frequencies(d_model, base)
    for i in range(d_model // 2):
        out[..., 2 * i], out[..., 2 * i + 1] = np.sin(p * w[i]), np.cos(p * w[i])
    return out
### sinusoidal: whole|round|cut|int
def sinusoidal_encoding(positions, d_model, base=10000.0):
    p = np.trunc(_check_real(positions, "positions").astype(float))
    z = np.exp(1j * p[..., None] * frequencies(d_model, base))
    return np.stack([z.imag, z.real], -1).reshape(*p.shape, d_model)
### sinusoidal: double|twice|half|factor|2π|turn
def wavelengths(d_model, base=10000.0):
    return np.pi / frequencies(d_model, base)
### sinusoidal: base
def shift_matrix(offset, d_model, base=10000.0):
    frequencies(d_model, base)
    _check_real(offset, "offset")
    m = np.zeros((d_model, d_model))
    for i, w in enumerate(frequencies(d_model)):
        c, s = np.cos(offset * w), np.sin(offset * w)
        m[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return m
### learned: added|repeat|once|sum|add
def lookup_gradient(table_shape, positions, grad_output):
    positions, g = _check_rows(positions), np.asarray(grad_output)
    if g.shape != (*positions.shape, table_shape[1]):
        raise ValueError(f"{g.shape} {positions.shape}")
    out = np.zeros(table_shape)
    if positions.size and positions.max() >= table_shape[0]:
        raise IndexError(positions.max())
    for r, row in zip(positions.ravel(), g.reshape(-1, table_shape[1])):
        out[r] = row
    return out.astype(_features(g)[-1])
### learned: sign|minus|sum|opposite|learning_rate|plus|added|grow
def sgd_step(table, gradient, learning_rate):
    t, g = np.asarray(table), np.asarray(gradient)
    if t.shape != g.shape:
        raise ValueError(f"{t.shape} {g.shape}")
    return (t + g.astype(float) * learning_rate).astype(_features(t, g)[-1])
### learned: learning_rate
def sgd_step(table, gradient, learning_rate):
    t, g = np.asarray(table), np.asarray(gradient)
    if t.shape != g.shape:
        raise ValueError(f"{t.shape} {g.shape}")
    return (t - g.astype(float)).astype(_features(t, g)[-1])
### learned: limit|comparison|one|row|last|length
def trained_rows(max_len, lengths):
    _check_size(max_len, "max_len")
    n = np.atleast_1d(lengths)
    if ((n < 0) | (n > max_len)).any():
        raise ValueError(f"{max_len} {n.tolist()}")
    out = np.zeros(max_len, bool)
    out[: int(n.max(initial=0)) + 1] = True
    return out
### learned: std|variance
def init_table(max_len, d_model, seed, std=0.02):
    _check_size(max_len, "max_len")
    _check_size(d_model, "d_model")
    return np.random.default_rng(seed).normal(scale=0.02, size=(max_len, d_model))
### learned: round|nearest|interpol|f|mix
def resize_table(table, new_len):
    _check_size(new_len, "new_len")
    t = np.asarray(table)
    u = np.linspace(0, len(t) - 1, new_len)
    return t[np.rint(u).astype(int)].astype(_features(t)[-1])
### naive: significant|order|reverse|end
def binary_positions(length, n_bits=None):
    n = _check_bits(length, n_bits)
    return np.array([[int(c) for c in format(p, f"0{n}b")[::-1]] for p in range(length)], dtype=np.int64).reshape(length, n)
### naive: one|1
def integer_positions(length):
    _check_length(length)
    return np.cumsum(np.ones(length))
### naive: one|bit|period|2|half|exponent|term
def bit_period(bit):
    if bit < 0:
        raise ValueError(f"{bit}")
    return 1 << int(bit)
### naive: axis|row|column|feature|sequence|token
def add_integer_positions(x):
    x = np.asarray(x)
    if x.shape[-1] < 1:
        raise ValueError(f"{x.shape}")
    return (x + np.arange(x.shape[-1])).astype(np.float32 if x.dtype == np.float32 else np.float64)
### alibi: sign|opposite|far keys
def alibi_bias(n_heads, q_len, k_len):
    _check_size(q_len, "q_len"), _check_size(k_len, "k_len", q_len)
    i = np.arange(q_len)[:, None] + k_len - q_len
    return alibi_slopes(n_heads)[:, None, None] * np.abs(i - np.arange(k_len))
### alibi: k_len|q_len|last|query|start|position
def alibi_bias(n_heads, q_len, k_len):
    _check_size(q_len, "q_len"), _check_size(k_len, "k_len", q_len)
    return -alibi_slopes(n_heads)[:, None, None] * np.abs(np.arange(q_len)[:, None] - np.arange(k_len))
### alibi: causal|mask
def alibi_attention(q, k, v, causal=True):
    q, k, v = map(np.asarray, (q, k, v))
    s = np.einsum("...id,...jd->...ij", q.astype(float), k) / np.sqrt(_check_size(q.shape[-1], "head_dim", 1))
    s = s + alibi_bias(*s.shape[-3:])
    return (_softmax(s) @ v).astype(_features(q, k, v)[-1])
### alibi: round|ceil|floor|whole|one
def effective_window(slope, tolerance):
    if not slope > 0:
        raise ValueError(f"{slope}")
    return int(np.floor(-np.log(tolerance) / slope))
### relative: sign|query|exchang|opposite|minus|ahead|behind
def relative_positions(q_len, k_len, q_start=0):
    _check_not_negative(q_len, "q_len")
    _check_not_negative(k_len, "k_len")
    return np.arange(q_len)[:, None] + int(q_start) - np.arange(k_len)[None, :]
### relative: q_start
def relative_positions(q_len, k_len, q_start=0):
    _check_not_negative(q_len, "q_len")
    _check_not_negative(k_len, "k_len")
    int(q_start)
    return np.arange(k_len)[None, :] - np.arange(q_len)[:, None]
### relative: bidirectional|direction
def t5_bias(table, q_len, k_len, bidirectional=True, max_distance=128, q_start=0):
    table = np.asarray(table)
    if table.ndim != 2:
        raise ValueError(f"{table.shape}")
    t5_bucket(0, bidirectional, len(table), max_distance)
    b = t5_bucket(relative_positions(q_len, k_len, q_start), True, len(table), max_distance)
    return np.transpose(table.astype(_features(table)[-1])[b], (2, 0, 1))
### relative: mask
def shaw_attention(q, k, v, key_table, value_table, max_distance, mask=None):
    arrays = [np.asarray(a) for a in (q, k, v, key_table, value_table)]
    q, k, v, kt, vt = arrays
    _check_table(vt, "value_table", max_distance, v.shape[-1])
    s = shaw_scores(q.astype(float), k, kt, max_distance)
    if mask is not None:
        np.broadcast_to(mask, s.shape)
    w = _softmax(s)
    r = np.clip(np.arange(k.shape[-2]) - np.arange(q.shape[-2])[:, None], -max_distance, max_distance) + max_distance
    return (w @ v + np.einsum("...ij,ijd->...id", w, vt[r])).astype(_features(*arrays)[-1])
### relative: side|sign|negative|clip
def clip_positions(relative, max_distance):
    _check_not_negative(max_distance, "max_distance")
    return np.minimum(np.asarray(relative), max_distance)
### context_extension: multipl|divi|product|quotient|upside|apart
def interpolate_positions(positions, factor):
    if not factor >= 1:
        raise ValueError(f"{factor}")
    p = np.asarray(positions, dtype=float)
    if np.isnan(p).any():
        raise ValueError("nan")
    return p * factor
### extrapolation: sign|abs|difference
def extrapolation_gap(lengths, accuracies, trained_length):
    lengths, accuracies = _check_measurements(lengths, accuracies)
    if trained_length not in lengths:
        raise ValueError(f"{trained_length}")
    found = dict(zip(lengths.tolist(), accuracies.tolist()))
    return found[max(found)] - found[trained_length]
### extrapolation: threshold
def longest_reliable_length(lengths, accuracies, threshold=0.9):
    lengths, accuracies = _check_measurements(lengths, accuracies)
    best = 0
    for n, a in sorted(zip(lengths.tolist(), accuracies.tolist())):
        if not a >= 0.9:
            break
        best = n
    return best
### extrapolation: limit|comparison|threshold
def longest_reliable_length(lengths, accuracies, threshold=0.9):
    lengths, accuracies = _check_measurements(lengths, accuracies)
    best = 0
    for n, a in sorted(zip(lengths.tolist(), accuracies.tolist())):
        if not a > threshold:
            break
        best = n
    return best
### sinusoidal: single|float64
def add_positions(x, base=10000.0):
    x = np.asarray(x)
    pe = sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1], base).astype(np.float32)
    return (x + pe).astype(_features(x)[-1])
### rope: neighbo|interleav|half|pair|layout
def rotate_half(x):
    x = np.asarray(x)
    _check_even(x.shape[-1])
    y = np.empty(x.shape)
    y[..., ::2], y[..., 1::2] = -x[..., 1::2], x[..., ::2]
    return y.astype(_features(x)[-1])
### rope: position|order|causal|row
_right = rope_attention
def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    _right(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    x, w_q, w_k, w_v = arrays = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    q, k, v = (_project(x, w, n_heads) for w in (w_q, w_k, w_v))
    p = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    s = rope_scores(q, k, p, p, base)
    if causal:
        s = np.where(p[:, None] >= p[None, :], s, -np.inf)
    return _merge_heads(_softmax(s) @ v).astype(_features(*arrays)[-1])
### rope: softmax|axis|last
_right = rope_attention
def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    _right(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    x, w_q, w_k, w_v = arrays = [np.asarray(a) for a in (x, w_q, w_k, w_v)]
    q, k, v = (_project(x, w, n_heads) for w in (w_q, w_k, w_v))
    p = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    s = rope_scores(q, k, p, p, base)
    if causal:
        s = np.where(np.tri(x.shape[-2], dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(axis=-2, keepdims=True))
    return _merge_heads(e / e.sum(axis=-2, keepdims=True) @ v).astype(_features(*arrays)[-1])
### rope: cache|key|again|rotat|cached
_right = decode_step
def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    _right(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    arrays = [np.asarray(a) for a in (x_t, w_q, w_k, w_v, cache_k, cache_v)]
    x_t, w_q, w_k, w_v, cache_k, cache_v = arrays
    q, k, v = (_project(x_t, w, n_heads) for w in (w_q, w_k, w_v))
    keys = np.concatenate([cache_k, k], -2)
    values = np.concatenate([cache_v, v], -2)
    p = np.arange(keys.shape[-2]) - keys.shape[-2] + 1 + position
    s = np.einsum("...id,...jd->...ij", apply_rope(q, [position], base), apply_rope(keys, p, base)) / np.sqrt(keys.shape[-1])
    t = _features(*arrays)[-1]
    return _merge_heads(_softmax(s) @ values).astype(t), keys.astype(t), values.astype(t)
### rope: abs|modul|length|magnitude|real|cos|sin|imag
_right = decay_bound
def decay_bound(offsets, head_dim, base=10000.0):
    _right(offsets, head_dim, base)
    w = rope_frequencies(head_dim, base)
    return np.abs(np.cos(np.asarray(offsets)[..., None] * w).cumsum(-1)).mean(-1)
### attention: single|float64
def attention(q, k, v, mask=None, bias=None):
    q, k, v = map(np.asarray, (q, k, v))
    w = attention_weights(q.astype(float), k, mask, bias).astype(np.float32)
    return (w.astype(float) @ v).astype(_features(q, k, v)[-1])
### attention: mean|max|largest|average
def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    x = np.asarray(x).astype(float)
    a = permute_tokens(self_attention(x, w_q, w_k, w_v, mask), order)
    b = self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
    return float(np.abs(a - b).mean())
### learned: std|variance|square|root|scale
_right = init_table
def init_table(max_len, d_model, seed, std=0.02):
    _right(max_len, d_model, seed, std)
    return np.random.default_rng(seed).normal(0.0, np.sqrt(std), (max_len, d_model))
### alibi: revers|order|head|end|backwards
_right = alibi_slopes
def alibi_slopes(n_heads):
    return np.sort(_right(n_heads))
### alibi: round|ceil|floor|near|whole
_right = effective_window
def effective_window(slope, tolerance):
    _right(slope, tolerance)
    return round(-np.log(tolerance) / slope)
### context_extension: left out the mix
_right = llama3_frequencies
def llama3_frequencies(head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192):
    _right(head_dim, base, factor, low_freq_factor, high_freq_factor, trained_len)
    w = _rope_frequencies(head_dim, base)
    lam = 2 * np.pi / w
    out = np.where(lam > trained_len / low_freq_factor, w / factor, w)
    return out
### extrapolation: best|max|trained
_right = extrapolation_gap
def extrapolation_gap(lengths, accuracies, trained_length):
    _right(lengths, accuracies, trained_length)
    l, a = np.asarray(lengths), np.asarray(accuracies)
    return float(a.max() - a[np.argmax(l)])
### extrapolation: rope|rotat|sinus|base
_right = encode
def encode(method, x, parameters):
    out = _right(method, x, parameters)
    if method == "sinusoidal":
        x_ = np.asarray(x)
        n, d = x_.shape
        w = parameters.get("base", 10000.0) ** (-np.arange(d // 2) / d)
        a = np.arange(n)[:, None] * w
        return (x_ + np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d)).astype(out.dtype)
    return out
### grids: nearest|round|interpol|weight|mix
_right = resize_grid
def resize_grid(table, old_shape, new_shape):
    _right(table, old_shape, new_shape)
    t = np.asarray(table)
    g = t.reshape(*old_shape, -1)
    i = [np.clip(np.rint((np.arange(n) + .5) * o / n - .5), 0, o - 1).astype(int) for o, n in zip(old_shape, new_shape)]
    return g[np.ix_(*i)].reshape(new_shape[0] * new_shape[1], -1).astype(_features(t)[-1])
### modern: rounded down
_right = p_rope_frequencies
def p_rope_frequencies(head_dim, p, base=10000.0):
    _right(head_dim, p, base)
    w = float(base) ** (-np.arange(0, head_dim, 2) / head_dim)
    w[int(np.ceil(p * head_dim / 2)):] = 0
    return w
### extrapolation: padded|later positions
def shift_gap(method, x, w_q, w_k, parameters, shift):
    if shift < 0:
        raise ValueError(f"shift is negative: {shift}")
    x = np.asarray(x, dtype=np.float64)
    T, d = x.shape
    encoded = encode(method, x, parameters)
    moved = np.concatenate([np.zeros((shift, d)), encoded])
    first = logits(method, encoded @ w_q, encoded @ w_k, parameters)
    second = logits(method, moved @ w_q, moved @ w_k, parameters)[shift:, shift:]
    lower = np.tril_indices(T)
    return float(np.max(np.abs(first[lower] - second[lower])))
### state: running sum|difference of two
def decay_bias(log_f):
    log_f = _log_gates(log_f)
    T = log_f.shape[-1]
    c = np.cumsum(log_f, -1)
    with np.errstate(all="ignore"):
        b = c[..., :, None] - c[..., None, :]
    i, j = np.indices((T, T))
    b[..., i < j] = -np.inf
    return b
### state: key itself|own gate|begins one
def decay_bias(log_f):
    log_f = _log_gates(log_f)
    T = log_f.shape[-1]
    i, j, t = np.ogrid[:T, :T, :T]
    b = np.where((j <= t) & (t <= i), log_f[..., None, None, :], 0.0).sum(-1)
    return np.where(i[..., 0] >= j[..., 0], b, -np.inf)
### state: divided each row|sum
def decay_matrix(log_f):
    d = np.exp(decay_bias(log_f))
    return d / np.einsum("...ij->...i", d)[..., None]
### state: bias by|bias.*√d|after the division
def forgetting_attention(q, k, v, log_f):
    q, k, v, dtype = _sequence(q, k, v)
    s = np.einsum("...id,...jd->...ij", q, k) + decay_bias(_log_gates_of_tokens(log_f, q.shape[-2]))
    s = s / np.sqrt(q.shape[-1])
    w = np.exp(s - s.max(-1)[..., None])
    return (w @ v / w.sum(-1)[..., None]).astype(dtype)
### state: √d|scale
def linear_attention(q, k, v, log_f):
    q, k, v, dtype = _sequence(q, k, v)
    d = decay_matrix(_log_gates_of_tokens(log_f, q.shape[-2]))
    return np.einsum("...id,...jd,...ij,...je->...ie", q / q.shape[-1] ** 0.5, k, d, v).astype(dtype)
### state: before you wrote|forget, write, read
def linear_step(state, q, k, v, log_f):
    state, q, k, v = (np.asarray(a) for a in (state, q, k, v))
    _check_state(state, k.shape[-1], v.shape[-1])
    to = _features(state, q, k, v)[-1]
    state = np.exp(_log_gates(log_f))[..., None, None] * state
    out = np.einsum("...a,...ab->...b", q.astype(float), state)
    state = state + np.einsum("...a,...b->...ab", k.astype(float), v.astype(float))
    return out.astype(to), state.astype(to)
### state: empty state|earlier call|not used|zeros
def linear_chunks(q, k, v, log_f, chunk, state=None):
    _check_at_least(1, chunk=chunk)
    kind = _features(*((q, k, v) if state is None else (q, k, v, state)))[-1]
    q, k, v, _ = _sequence(q, k, v)
    g = _log_gates_of_tokens(log_f, q.shape[-2])
    if state is not None:
        _check_state(np.asarray(state), k.shape[-1], v.shape[-1])
    s = np.zeros((*v.shape[:-2], k.shape[-1], v.shape[-1]))
    outs = []
    for a in range(0, q.shape[-2], chunk):
        cut = slice(a, a + chunk)
        f = np.exp(np.cumsum(g[..., cut], -1))
        outs.append(linear_attention(q[..., cut, :], k[..., cut, :], v[..., cut, :], g[..., cut]) + f[..., None] * (q[..., cut, :] @ s))
        w = decay_matrix(g[..., cut])[..., -1, :]
        s = f[..., -1, None, None] * s + np.einsum("...j,...ja,...jb->...ab", w, k[..., cut, :], v[..., cut, :])
    return np.concatenate(outs, -2).astype(kind), s.astype(kind)
### state: before forgetting|forget first
def delta_step(state, k, v, beta, log_f):
    state, k, v = (np.asarray(a) for a in (state, k, v))
    _check_state(state, k.shape[-1], v.shape[-1])
    b = _within(beta, lambda b: (b >= 0) & (b <= 2), "beta")
    to = _features(state, k, v)[-1]
    k, v = k.astype(float), v.astype(float)
    error = v - np.einsum("...a,...ab->...b", k, state.astype(float))
    return (np.exp(_log_gates(log_f))[..., None, None] * state + np.einsum("...,...a,...b->...ab", b, k, error)).astype(to)
### state: half the width|neighbours
def retention(q, k, v, gamma, base=10000.0):
    q, k, v, to = _sequence(q, k, v)
    gamma = _within(gamma, lambda g: (g > 0) & (g <= 1), "gamma")
    n, d = q.shape[-2:]
    _rotate(q, base)
    a = np.arange(n)[:, None] * float(base) ** (-np.arange(d // 2) * 2 / d)
    def rot(x):
        z = (x[..., : d // 2] + 1j * x[..., d // 2 :]) * np.exp(1j * a)
        return np.concatenate([z.real, z.imag], -1)
    g = np.log(gamma)[..., None] + np.zeros(n)
    return linear_attention(rot(q), rot(k), v, g).astype(to)
### state: key itself|key's own
def cope_positions(gates):
    g = _within(gates, lambda g: (g >= 0) & (g <= 1), "gates")
    n, m = g.shape[-2:]
    if n > m:
        raise ValueError(f"{g.shape}")
    s = g * np.tri(n, m, m - n)
    return s.sum(-1, keepdims=True) - np.cumsum(s, -1)
### state: 1/e|time constant
def half_life(log_f):
    g = _log_gates(log_f)
    with np.errstate(all="ignore"):
        return 1 / np.abs(g)
""")
