"""Known mistakes with a whole model: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words, but leaves the fix to the student.
"""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import model


def _array(x):
    return np.asarray(x, dtype=np.float64)


def _softmax(scores, axis=-1):
    """Softmax that returns zeros for a slice that is all −inf."""
    weights = np.exp(scores - np.maximum(scores.max(axis=axis, keepdims=True), -1e300))
    return weights / np.maximum(weights.sum(axis=axis, keepdims=True), 1e-300)


def _repeat(x, n_rep):
    return np.repeat(x, n_rep, axis=-3)


def _heads(x, size):
    """Array of shape (..., h, T, dh) from one of shape (..., T, h·dh)."""
    return np.swapaxes(x.reshape(*x.shape[:-1], -1, size), -2, -3)


def _merged(heads):
    swapped = np.swapaxes(heads, -2, -3)
    return swapped.reshape(*swapped.shape[:-2], -1)


class _Attention:
    """Grouped-query attention in separate steps, so that a subclass can get a single step wrong."""

    def __init__(self, x, layer, positions, frequencies, mask, cache=None):
        self.x, self.positions, self.frequencies, self.mask = _array(x), _array(positions), frequencies, mask
        self.layer = {name: _array(value) for name, value in layer.items()}
        self.size, self.cache = 2 * len(frequencies), cache

    def __call__(self):
        q, k, v = self.heads()
        q, k, v = self.rotated(q, k, v)
        before, k, v = k, *self.joined(k, v)
        n_rep = q.shape[-3] // k.shape[-3]
        keys, values = self.repeated(k, n_rep), self.repeated(v, n_rep)
        weights = self.weights(q, keys, self.scale(before.shape[-3], q.shape[-3]))
        return self.out(weights @ values), self.kept(k, v)

    def heads(self):
        return [_heads(self.x @ self.layer[name], self.size) for name in ("w_q", "w_k", "w_v")]

    def rotate(self, heads):
        return model.apply_rope_half_with(heads, self.positions[..., np.newaxis, :], self.frequencies)

    def rotated(self, q, k, v):
        return self.rotate(q), self.rotate(k), v

    def joined(self, k, v):
        if self.cache is None:
            return k, v
        return [np.concatenate([_array(old), new], axis=-2) for old, new in zip(self.cache, (k, v), strict=True)]

    def repeated(self, x, n_rep):
        return _repeat(x, n_rep)

    def scale(self, key_heads, heads):
        return np.sqrt(self.size)

    def weights(self, q, k, scale):
        return _softmax(np.where(self.mask, q @ np.swapaxes(k, -1, -2) / scale, -np.inf))

    def out(self, heads):
        return _merged(heads) @ self.layer["w_o"]

    def kept(self, k, v):
        return k, v


# rms_norm


@mistake("rms_norm", "allenai/OLMo #281")
def eps_outside_the_root(x, weight, eps=1e-5):
    """You added eps to the square root. The rule: eps is added to the mean of squares, under the root."""
    x = _array(x)
    return x / (np.sqrt((x**2).mean(axis=-1, keepdims=True)) + eps) * weight


@mistake("rms_norm", "keras-team/keras #22393")
def mean_subtracted(x, weight, eps=1e-5):
    """You subtracted the mean of each row, as LayerNorm does. The rule: RMSNorm subtracts nothing."""
    x = _array(x)
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


@mistake("rms_norm", "keras-team/keras #22393 (the variance instead of the mean of squares)")
def divided_by_the_standard_deviation(x, weight, eps=1e-5):
    """You divided by the square root of the variance, which ignores the row's mean. The rule: divide by the square root
    of the mean of x²."""
    x = _array(x)
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * weight


@mistake("rms_norm", "expected: a norm is the root of a sum")
def sum_of_squares(x, weight, eps=1e-5):
    """You divided by the length of each row, the square root of the sum of squares. The rule: divide by the square root
    of the mean of squares."""
    x = _array(x)
    return x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + eps) * weight


@mistake("rms_norm", "mosaicml/llm-foundry #371")
def multiplied_by_the_root(x, weight, eps=1e-5):
    """You multiplied by the square root of the mean of squares. The rule: divide by the square root of the
    mean of squares."""
    x = _array(x)
    return x * np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


@mistake("rms_norm", "expected: the root forgotten")
def divided_by_the_mean_square(x, weight, eps=1e-5):
    """You divided by the mean of squares itself. The rule: divide by the square root of the mean of
    squares."""
    x = _array(x)
    return x / ((x**2).mean(axis=-1, keepdims=True) + eps) * weight


@mistake("rms_norm", "Gemma's norm multiplies by 1 + weight")
def one_plus_the_weight(x, weight, eps=1e-5):
    """You multiplied by 1 + weight, as Gemma does. The rule: Llama multiplies by the weight itself."""
    return model.rms_norm(x, np.ones_like(_array(weight)), eps) * (1 + _array(weight))


@mistake("rms_norm", "expected: the weight forgotten")
def no_weight(x, weight, eps=1e-5):
    """You left out the weight. The rule: at the end, multiply each feature by its weight."""
    return model.rms_norm(x, np.ones_like(_array(weight)), eps)


@mistake("rms_norm", "expected: mean() without its axis")
def one_mean_for_all_rows(x, weight, eps=1e-5):
    """You took one mean over all rows. The rule: take the mean of each row, over the last axis."""
    x = _array(x)
    return x / np.sqrt((x**2).mean() + eps) * weight


@mistake("rms_norm", "ggml-org/llama.cpp #2373; huggingface/candle #271 (1e-6 instead of 1e-5)")
def eps_of_another_model(x, weight, eps=1e-5):
    """You did not use the eps that the caller passed. The rule: use the eps that is passed, because each
    checkpoint has its own."""
    return model.rms_norm(x, weight, 1e-6)


# swiglu


def _silu(z):
    return z / (1 + np.exp(-z))


@mistake("swiglu", "ml-explore/mlx-lm #767")
def silu_on_up(x, w_gate, w_up, w_down):
    """You applied silu to x w_up. The rule: apply silu to the gate, x w_gate, and leave x w_up unchanged."""
    return model.swiglu(x, w_up, w_gate, w_down)


@mistake("swiglu", "Nijikadesu/breakdown-minimind #3")
def silu_of_the_product(x, w_gate, w_up, w_down):
    """You applied silu to the product of both parts. The rule: apply silu to the gate only, before the
    product."""
    x = _array(x)
    return np.nan_to_num(_silu((x @ w_gate) * (x @ w_up))) @ w_down


@mistake("swiglu", "expected: silu on both parts")
def silu_on_both(x, w_gate, w_up, w_down):
    """You applied silu to both parts. The rule: apply silu to the gate only."""
    x = _array(x)
    return np.nan_to_num(_silu(x @ w_gate) * _silu(x @ w_up)) @ w_down


@mistake("swiglu", "expected: the gate of the LSTM; Dauphin et al. 2017 (GLU)")
def sigmoid_for_silu(x, w_gate, w_up, w_down):
    """Your gate is a sigmoid, with values from 0 to 1. The rule: silu(z) is z times the sigmoid of z."""
    x = _array(x)
    return ((x @ w_up) / (1 + np.exp(-(x @ w_gate)))) @ w_down


@mistake("swiglu", "expected: older models' activation")
def relu_for_silu(x, w_gate, w_up, w_down):
    """You replaced negative gate values with 0, as ReLU does. The rule: silu(z) is z / (1 + e^−z), which is a little
    below 0 for negative z."""
    x = _array(x)
    return (np.maximum(x @ w_gate, 0) * (x @ w_up)) @ w_down


@mistake("swiglu", "google-research/timesfm #493")
def no_second_part(x, w_gate, w_up, w_down):
    """You left out x w_up. The rule: multiply silu of the gate by x w_up, element by element."""
    x = _array(x)
    return np.nan_to_num(_silu(x @ w_gate)) @ w_down


@mistake("swiglu", "expected: the formula typed exactly as written")
def silu_overflows(x, w_gate, w_up, w_down):
    """Your silu is NaN or raises an error when e^−z is too large for a float. The rule: in floating point, silu
    is 0 when e^−z is too large."""
    gate = _array(x) @ w_gate
    silu = np.where(gate < -700, np.nan, model.swiglu(x, w_gate, np.zeros_like(w_up), w_down).sum() + _silu(gate))
    return (silu * (_array(x) @ w_up)) @ w_down


@mistake("swiglu", "expected: np.logaddexp mistaken for the denominator")
def divided_by_the_logarithm(x, w_gate, w_up, w_down):
    """You divided z by ln(1 + e^−z). The rule: divide by 1 + e^−z; ln(1 + e^−z) is only its logarithm."""
    x = _array(x)
    gate = x @ w_gate
    return np.nan_to_num(gate / np.logaddexp(0, -gate) * (x @ w_up)) @ w_down


@mistake("swiglu", "expected: gate and up added")
def parts_added(x, w_gate, w_up, w_down):
    """You added the two parts. The rule: multiply the two parts, element by element."""
    x = _array(x)
    return (np.nan_to_num(_silu(x @ w_gate)) + x @ w_up) @ w_down


@mistake("swiglu", "expected: the exponent without its sign")
def sign_of_the_exponent(x, w_gate, w_up, w_down):
    """Your silu has e^z instead of e^−z. The rule: silu leaves a large z nearly unchanged, and is nearly 0 for z far
    below 0."""
    x = _array(x)
    gate = x @ w_gate
    return np.nan_to_num(gate / (1 + np.exp(gate)) * (x @ w_up)) @ w_down


# repeat_heads


@mistake("repeat_heads", "onnx/onnx #7274")
def tiled(x, n_rep):
    """Your heads are in the order 0, 1, 0, 1. The rule: copies of one head are neighbours, as in 0, 0, 1, 1."""
    return np.concatenate([_array(x)] * n_rep, axis=-3)


@mistake("repeat_heads", "ByteDance-Seed/VeOmni #162 (another axis)")
def rows_repeated(x, n_rep):
    """You repeated rows. The rule: repeat heads, along the third-to-last axis."""
    return np.repeat(_array(x), n_rep, axis=-2)


@mistake("repeat_heads", "expected: axis 0, which is right without a batch")
def first_axis_repeated(x, n_rep):
    """You repeated the first axis. The rule: repeat the head axis, which is third to last, even with a batch."""
    return np.repeat(_array(x), n_rep, axis=0)


@mistake("repeat_heads", "expected: n_rep more copies")
def one_copy_too_many(x, n_rep):
    """In your result, each head occurs n_rep + 1 times. The rule: each head occurs n_rep times, including the
    original."""
    return _repeat(_array(x), n_rep + 1)


@mistake("repeat_heads", "expected: nothing repeated, because numpy would broadcast a single head")
def not_repeated(x, n_rep):
    """Your result has as many heads as x. The rule: repeat each head n_rep times."""
    return _array(x).copy()


# to_half_layout


def _reordered(w, n_heads, order):
    """Weights in which order(dh) reorders the columns of each head."""
    w = _array(w)
    heads = w.reshape(*w.shape[:-1], n_heads, -1)
    return heads[..., order(heads.shape[-1])].reshape(w.shape)


@mistake("to_half_layout", "huggingface/transformers #25199 (no permutation at all)")
def columns_left_alone(w, n_heads):
    """Your columns are still in their old order. The rule: in each head, the even columns come first, then the odd
    ones."""
    return _array(w).copy()


@mistake("to_half_layout", "Dao-AILab/flash-attention #546; ggml-org/llama.cpp #3364 (a wrong number of heads)")
def permuted_as_one_head(w, n_heads):
    """You reordered all columns as if they were one head. The rule: reorder the columns of each head separately."""
    return _reordered(w, 1, lambda size: np.r_[0:size:2, 1:size:2])


@mistake("to_half_layout", "expected: the inverse permutation")
def back_to_pairs(w, n_heads):
    """You reordered in the opposite direction, from halves to pairs. The rule: reorder from pairs to halves."""
    return _reordered(w, n_heads, lambda size: np.arange(size).reshape(2, -1).T.ravel())


@mistake("to_half_layout", "expected: the odd columns first")
def odd_columns_first(w, n_heads):
    """You put the odd columns of a head first. The rule: columns 0, 2, 4, … come first, then 1, 3, 5, …. If the halves
    are swapped, every pair rotates backwards."""
    return _reordered(w, n_heads, lambda size: np.r_[1:size:2, 0:size:2])


@mistake("to_half_layout", "expected: heads assumed to be the last axis")
def head_and_pair_exchanged(w, n_heads):
    """You gave each head every n_heads-th column. The rule: heads are consecutive blocks, and both features of a pair
    are in the same head."""
    w = _array(w)
    size = w.shape[-1] // n_heads
    split = w.reshape(*w.shape[:-1], size // 2, 2, n_heads)
    return np.moveaxis(split, -1, -3).swapaxes(-1, -2).reshape(w.shape)


# apply_rope_half_with


def _rotated(x, angles, pairs):
    """Return x with its pairs rotated, where pairs(dh) selects the first and second features."""
    x, out = _array(x), np.array(x, dtype=np.float64)
    first, second = pairs(x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    out[..., first] = x[..., first] * cos - x[..., second] * sin
    out[..., second] = x[..., first] * sin + x[..., second] * cos
    return out


def _halves(size):
    return np.arange(size // 2), np.arange(size // 2, size)


def _angles(positions, frequencies):
    return _array(positions)[..., np.newaxis] * _array(frequencies)


@mistake("apply_rope_half_with", "huggingface/transformers #25199; rasbt/LLMs-from-scratch #747")
def neighbouring_pairs(x, positions, frequencies):
    """You rotated neighbours, features 2i and 2i+1. The rule: a pair consists of features i and i + dh/2 (the half
    layout)."""
    return _rotated(x, _angles(positions, frequencies), lambda size: (np.arange(0, size, 2), np.arange(1, size, 2)))


@mistake("apply_rope_half_with", "expected: the sign of the rotation")
def backwards(x, positions, frequencies):
    """You rotated in the opposite direction. The rule: sin has a minus sign in the first feature, and a plus sign in
    the second."""
    return _rotated(x, -_angles(positions, frequencies), _halves)


@mistake("apply_rope_half_with", "NVIDIA/Megatron-LM #453")
def positions_ignored(x, positions, frequencies):
    """You rotated by 0, 1, 2, …, regardless of `positions`. The rule: rotate by `positions`."""
    return _rotated(x, _angles(np.arange(np.shape(x)[-2]), frequencies), _halves)


@mistake("apply_rope_half_with", "expected: lesson 5's frequencies recomputed; MarinFold #184")
def frequencies_of_base_10000(x, positions, frequencies):
    """You computed the frequencies from base 10,000. The rule: use the frequencies that are passed, because a
    checkpoint has its own."""
    size = np.shape(x)[-1]
    return _rotated(x, _angles(positions, 10000.0 ** (-np.arange(0, size, 2) / size)), _halves)


@mistake("apply_rope_half_with", "fla-org/flash-linear-attention #766")
def positions_from_one(x, positions, frequencies):
    """You rotated each row as if it were one position later. The rule: use the positions that are passed, which count
    from 0."""
    return _rotated(x, _angles(_array(positions) + 1, frequencies), _halves)


@mistake("apply_rope_half_with", "raiyanyahya/how-to-train-your-gpt #6; huggingface/transformers #47328")
def each_frequency_twice(x, positions, frequencies):
    """You used each frequency for two neighbouring features but rotated halves. The rule: features i and i + dh/2 have
    the same angle."""
    x, angles = _array(x), np.repeat(_angles(positions, frequencies), 2, axis=-1)
    first, second = np.split(x, 2, axis=-1)
    return x * np.cos(angles) + np.concatenate([-second, first], axis=-1) * np.sin(angles)


@mistake("apply_rope_half_with", "EleutherAI/gpt-neox #1003; huggingface/transformers #25681")
def angles_in_half_precision(x, positions, frequencies):
    """Your angles are not precise enough, so the rotation is wrong at large positions. The rule: compute the angles in
    float64."""
    return _rotated(x, _angles(positions, frequencies).astype(np.float16).astype(np.float64), _halves)


# grouped_query_attention


def _attention(change):
    """Return an attention function that uses `change`, a class with an incorrect step."""

    def attention(x, layer, positions, frequencies, mask, cache=None):
        return change(x, layer, positions, frequencies, mask, cache)()

    return attention


def _in_attention(origin, hint):
    """Add a class to the catalogue as a mistake in attention."""

    def mark(change):
        attention = _attention(change)
        attention.__name__ = change.__name__
        return mistake("grouped_query_attention", origin, hint=hint)(attention)

    return mark


@_in_attention(
    "onnx/onnx #7274",
    "In your attention, query head j uses key head j mod g. The rule: query head j uses key head j // (h/g).",
)
class heads_dealt_in_turn(_Attention):
    def repeated(self, x, n_rep):
        return np.concatenate([x] * n_rep, axis=-3)


@_in_attention(
    "expected: the scale forgotten",
    "You did not divide the scores. The rule: divide them by √dh, where dh is the size of a head.",
)
class no_scale(_Attention):
    def scale(self, key_heads, heads):
        return 1.0


@_in_attention(
    "vllm-project/vllm #2622",
    "You divided the scores by √(d/h), where d is the width of x. The rule: divide by √dh; h·dh need not equal d.",
)
class scale_of_the_width(_Attention):
    def scale(self, key_heads, heads):
        return np.sqrt(self.x.shape[-1] / heads)


@_in_attention(
    "expected: √d, as in lesson 1",
    "You divided the scores by the square root of the width of x, not of the queries. The rule: divide by √dh.",
)
class scale_of_x(_Attention):
    def scale(self, key_heads, heads):
        return np.sqrt(self.x.shape[-1])


@_in_attention("expected: all three treated alike", "You rotated the values. The rule: rotate queries and keys only.")
class values_rotated(_Attention):
    def rotated(self, q, k, v):
        return self.rotate(q), self.rotate(k), self.rotate(v)


@_in_attention("expected: the rotation forgotten", "You rotated nothing. The rule: rotate the queries and the keys.")
class nothing_rotated(_Attention):
    def rotated(self, q, k, v):
        return q, k, v


@_in_attention(
    "expected: only one of the two rotated", "You rotated only the queries. The rule: rotate the keys as well."
)
class keys_not_rotated(_Attention):
    def rotated(self, q, k, v):
        return self.rotate(q), k, v


@_in_attention(
    "Blaizzy/mlx-vlm #1983; RobertCsordas/moeut #6",
    "With a cache, you rotated the new tokens as if they began at position 0. The rule: rotate them by `positions`.",
)
class new_tokens_at_zero(_Attention):
    def rotate(self, heads):
        if self.cache is not None:
            self.positions = np.arange(heads.shape[-2], dtype=np.float64)
        return super().rotate(heads)


@_in_attention(
    "huggingface/transformers #25104 (the contents of a cache are already rotated)",
    "You rotated the cached keys again. The rule: keys are rotated before they are stored, and not again.",
)
class cache_rotated_once_more(_Attention):
    def joined(self, k, v):
        if self.cache is None:
            return k, v
        old, values = map(_array, self.cache)
        old = model.apply_rope_half_with(old, np.arange(old.shape[-2]), self.frequencies)
        return np.concatenate([old, k], axis=-2), np.concatenate([values, v], axis=-2)


@_in_attention(
    "expected: the wrong order in concatenate",
    "You put the new keys before the cached ones. The rule: they come after them.",
)
class cache_behind(_Attention):
    def joined(self, k, v):
        if self.cache is None:
            return k, v
        return [np.concatenate([new, _array(old)], axis=-2) for old, new in zip(self.cache, (k, v), strict=True)]


@_in_attention(
    "expected: only the new keys returned",
    "The pair that you return does not include the cache. The rule: it contains the old keys and values and the new "
    "ones.",
)
class cache_not_kept(_Attention):
    def kept(self, k, v):
        new = self.x.shape[-2]
        return k[..., -new:, :], v[..., -new:, :]


@_in_attention(
    "expected: the repeated keys stored",
    "Your cache contains each key head several times. The rule: it contains the g heads from before the repetition.",
)
class cache_repeated(_Attention):
    def kept(self, k, v):
        n_rep = self.layer["w_q"].shape[-1] // self.layer["w_k"].shape[-1]
        return _repeat(k, n_rep), _repeat(v, n_rep)


@_in_attention(
    "expected: keys stored before the rotation",
    "Your cache contains unrotated keys. The rule: it contains rotated keys, so they need not be rotated again.",
)
class cache_not_rotated(_Attention):
    def kept(self, k, v):
        new = self.heads()[1]
        return np.concatenate([k[..., : k.shape[-2] - new.shape[-2], :], new], axis=-2), v


@_in_attention("expected: w_o forgotten", "You returned the merged heads. The rule: multiply them by w_o.")
class no_w_o(_Attention):
    def out(self, heads):
        return _merged(heads)


@_in_attention(
    "expected: the mask forgotten",
    "You did not use the mask. The rule: a query uses only keys whose entry in the mask is True.",
)
class no_mask(_Attention):
    def weights(self, q, k, scale):
        return _softmax(q @ np.swapaxes(k, -1, -2) / scale)


@_in_attention(
    "expected: torch.nn.MultiheadAttention hides keys if the mask is True",
    "Your mask hides the keys that it allows. The rule: True means that the query may use the key.",
)
class mask_inverted(_Attention):
    def weights(self, q, k, scale):
        return _softmax(np.where(self.mask, -np.inf, q @ np.swapaxes(k, -1, -2) / scale))


@_in_attention(
    "expected: scores times the mask",
    "You masked scores with 0. The rule: set masked scores to −inf before the softmax, since e⁰ is 1.",
)
class scores_times_mask(_Attention):
    def weights(self, q, k, scale):
        return _softmax(q @ np.swapaxes(k, -1, -2) / scale * self.mask)


@_in_attention(
    "expected: −1e9 instead of −inf",
    "In your result, a query that may use no key gets the mean of the values. The rule: it gets zeros.",
)
class large_number_for_the_mask(_Attention):
    def weights(self, q, k, scale):
        return _softmax(np.where(self.mask, q @ np.swapaxes(k, -1, -2) / scale, -1e9))


@_in_attention(
    "expected: softmax along the wrong axis",
    "Your weights sum to 1 over the queries. The rule: the weights of each query sum to 1 over its keys.",
)
class softmax_over_queries(_Attention):
    def weights(self, q, k, scale):
        return _softmax(np.where(self.mask, q @ np.swapaxes(k, -1, -2) / scale, -np.inf), axis=-2)


@_in_attention(
    "expected: np.exp of raw scores",
    "Your softmax overflows for large scores. The rule: first subtract the largest score of each row.",
)
class softmax_overflows(_Attention):
    def weights(self, q, k, scale):
        weights = np.exp(q @ np.swapaxes(k, -1, -2) / scale) * self.mask
        return weights / np.where(weights.any(axis=-1, keepdims=True), weights.sum(axis=-1, keepdims=True), 1)


@_in_attention(
    "expected: reshape without swapping the axes",
    "You cut the projected rows into heads along the text. The rule: a head is a block of columns in each row.",
)
class heads_cut_along_the_text(_Attention):
    def heads(self):
        projected = [self.x @ self.layer[name] for name in ("w_q", "w_k", "w_v")]
        return [p.reshape(*p.shape[:-2], p.shape[-1] // self.size, -1, self.size) for p in projected]


@_in_attention(
    "nntile/nntile #347 (head columns in a different order)",
    "Your heads take every h-th column. The rule: head j is the j-th block of dh consecutive columns.",
)
class heads_of_every_other_column(_Attention):
    def heads(self):
        projected = [self.x @ self.layer[name] for name in ("w_q", "w_k", "w_v")]
        return [np.moveaxis(p.reshape(*p.shape[:-1], self.size, -1), -1, -3) for p in projected]


@_in_attention(
    "expected: merged without swapping the axes",
    "You merged the heads along the text. The rule: row t contains the results of all heads for token t, head by head.",
)
class merged_along_the_text(_Attention):
    def out(self, heads):
        return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1) @ self.layer["w_o"]


# block


def _attend(x, layer, at):
    return model.grouped_query_attention(x, layer, *at)


def _fed(x, layer):
    return model.swiglu(x, layer["w_gate"], layer["w_up"], layer["w_down"])


@mistake("block", "pytorch/pytorch #61165; Howuhh/faster-trajectory-transformer #3; tracel-ai/burn #1056")
def norm_added_to(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You added the result to the normalized x. The rule: normalize a copy of x, but add the result to x itself."""
    x = model.rms_norm(x, layer["norm_1"], eps)
    out, pair = _attend(x, layer, (positions, frequencies, mask, cache))
    x = model.rms_norm(x + out, layer["norm_2"], eps)
    return x + _fed(x, layer), pair


@mistake("block", "expected: the sum forgotten")
def no_residual(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You replaced x with the result of each part. The rule: add the result to x."""
    at = positions, frequencies, mask, cache
    x, pair = _attend(model.rms_norm(x, layer["norm_1"], eps), layer, at)
    return _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("block", "the block of Vaswani et al. 2017; NVIDIA-NeMo/Speech #4350")
def norm_after_the_sum(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You normalized the sums. The rule: normalize the inputs of attention and of the feed-forward part, not the
    sums."""
    out, pair = _attend(_array(x), layer, (positions, frequencies, mask, cache))
    x = model.rms_norm(x + out, layer["norm_1"], eps)
    return model.rms_norm(x + _fed(x, layer), layer["norm_2"], eps), pair


@mistake("block", "GPT-J and GPT-NeoX have such blocks")
def parallel_parts(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """Your feed-forward part reads x without the attention result. The rule: the feed-forward part reads x plus
    the attention result."""
    out, pair = _attend(model.rms_norm(x, layer["norm_1"], eps), layer, (positions, frequencies, mask, cache))
    return _array(x) + out + _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("block", "expected: one norm for both parts")
def first_norm_twice(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You used norm_1 for both parts. The rule: norm_2 is for the feed-forward part."""
    return model.block(x, dict(layer, norm_2=layer["norm_1"]), positions, frequencies, mask, cache, eps)


@mistake("block", "expected: the names of the norms swapped")
def norms_exchanged(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You swapped the two norms. The rule: norm_1 is for attention, and norm_2 for the feed-forward part."""
    exchanged = dict(layer, norm_1=layer["norm_2"], norm_2=layer["norm_1"])
    return model.block(x, exchanged, positions, frequencies, mask, cache, eps)


@mistake("block", "expected: the norm before attention forgotten")
def attention_without_its_norm(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """Your attention reads x without a norm. The rule: attention reads rms_norm(x, norm_1)."""
    out, pair = _attend(_array(x), layer, (positions, frequencies, mask, cache))
    x = _array(x) + out
    return x + _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("block", "expected: the norm before the feed-forward part forgotten")
def feed_forward_without_its_norm(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """Your feed-forward part reads the sum without a norm. The rule: the feed-forward part reads rms_norm of
    the sum, with norm_2."""
    out, pair = _attend(model.rms_norm(x, layer["norm_1"], eps), layer, (positions, frequencies, mask, cache))
    x = _array(x) + out
    return x + _fed(x, layer), pair


@mistake("block", "expected: one of the two sums left out")
def attention_not_added(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You replaced x with the attention result and added only the feed-forward part. The rule: add both results
    to x."""
    x, pair = _attend(model.rms_norm(x, layer["norm_1"], eps), layer, (positions, frequencies, mask, cache))
    return x + _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("block", "expected: one of the two sums left out")
def feed_forward_not_added(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """In your block, the result of the feed-forward part replaces the sum. The rule: add the result to the
    sum."""
    out, pair = _attend(model.rms_norm(x, layer["norm_1"], eps), layer, (positions, frequencies, mask, cache))
    return _fed(model.rms_norm(_array(x) + out, layer["norm_2"], eps), layer), pair


@mistake("block", "ggml-org/llama.cpp #2373")
def default_eps(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """You did not pass eps to the norms. The rule: both norms get the block's eps."""
    return model.block(x, layer, positions, frequencies, mask, cache)


@mistake("block", "expected: the cache not passed on")
def cache_left_out(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """Your attention does not get the cache. The rule: the block passes the cache to attention."""
    new = np.shape(x)[-2]
    return model.block(x, layer, positions, frequencies, np.asarray(mask)[..., -new:], None, eps)


# from_checkpoint


MATRICES = ("w_q", "w_k", "w_v", "w_o", "w_gate", "w_up", "w_down")


@mistake("from_checkpoint", "expected: the matrices used as they are")
def not_transposed(tensors, frequencies, eps=1e-5):
    """Your matrices have the shape (out, in), as in the checkpoint. The rule: transpose the matrices, because
    they are used as x @ w."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    loaded["layers"] = [
        {name: value.T if name in MATRICES else value for name, value in layer.items()} for layer in loaded["layers"]
    ]
    return loaded | ({"head": loaded["head"].T} if "head" in loaded else {})


@mistake("from_checkpoint", "expected: only matrices that would not fit are transposed")
def square_matrices_not_transposed(tensors, frequencies, eps=1e-5):
    """You did not transpose square matrices. The rule: transpose all matrices of a layer, including square ones."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    for layer in loaded["layers"]:
        layer.update({name: layer[name].T for name in MATRICES if len(set(layer[name].shape)) == 1})
    return loaded


@mistake("from_checkpoint", "expected: every matrix transposed")
def embedding_transposed(tensors, frequencies, eps=1e-5):
    """You transposed the embedding. The rule: do not transpose the embedding, because its rows are looked up."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    return loaded | {"embedding": loaded["embedding"].T}


@mistake("from_checkpoint", "expected: the head used as it is")
def head_not_transposed(tensors, frequencies, eps=1e-5):
    """You did not transpose lm_head. The rule: the head has the shape (d, V), because it is used as x @ head."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    return loaded | ({"head": loaded["head"].T} if "head" in loaded else {})


@mistake("from_checkpoint", "sgl-project/sglang #1508; tinygrad/tinygrad #13796 (the head of a tied model)")
def head_always_there(tensors, frequencies, eps=1e-5):
    """You gave a tied model a `head` entry. The rule: without lm_head.weight, the model has no `head`, and forward uses
    the embedding."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    return {"head": loaded["embedding"].T} | loaded


@mistake("from_checkpoint", "vllm-project/vllm #6758 (a checkpoint with its own head)")
def head_left_out(tensors, frequencies, eps=1e-5):
    """You left out lm_head.weight. The rule: with lm_head.weight, the model has a separate `head`."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    return {name: value for name, value in loaded.items() if name != "head"}


@mistake("from_checkpoint", "isaac-sim/IsaacLab #3933; local-inference-lab/vllm #454 (numbers sorted as strings)")
def layers_sorted_as_words(tensors, frequencies, eps=1e-5):
    """You sorted the layers by name, so 10 comes before 2. The rule: sort the layers by number."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    order = sorted(range(len(loaded["layers"])), key=str)
    return loaded | {"layers": [loaded["layers"][number] for number in order]}


@mistake("from_checkpoint", "expected: layers in the dict's order")
def layers_as_they_come(tensors, frequencies, eps=1e-5):
    """Your layers are in the order of the dict. The rule: sort the layers by number."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    numbers = [int(name.split(".")[2]) for name in tensors if name.startswith("model.layers.")]
    return loaded | {"layers": [loaded["layers"][number] for number in dict.fromkeys(numbers)]}


@mistake("from_checkpoint", "expected: the name post_attention_layernorm taken literally")
def norms_of_a_layer_exchanged(tensors, frequencies, eps=1e-5):
    """You swapped the norms of a layer. The rule: input_layernorm is norm_1, and post_attention_layernorm, before the
    feed-forward part, is norm_2."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    layers = [dict(layer, norm_1=layer["norm_2"], norm_2=layer["norm_1"]) for layer in loaded["layers"]]
    return loaded | {"layers": layers}


@mistake("from_checkpoint", "ml-explore/mlx-lm #767 (gate and up swapped)")
def gate_and_up_exchanged(tensors, frequencies, eps=1e-5):
    """You swapped gate_proj and up_proj. The rule: gate_proj is w_gate, and silu is applied to the gate."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    layers = [dict(layer, w_gate=layer["w_up"], w_up=layer["w_gate"]) for layer in loaded["layers"]]
    return loaded | {"layers": layers}


@mistake("from_checkpoint", "expected: to_half_layout for every checkpoint")
def reordered_once_more(tensors, frequencies, eps=1e-5):
    """You reordered the columns for the half layout. The rule: a checkpoint in Hugging Face's format is
    already in the half layout."""
    loaded, size = model.from_checkpoint(tensors, frequencies, eps), 2 * len(frequencies)
    layers = [
        dict(
            layer, **{name: model.to_half_layout(layer[name], layer[name].shape[1] // size) for name in ("w_q", "w_k")}
        )
        for layer in loaded["layers"]
    ]
    return loaded | {"layers": layers}


@mistake("from_checkpoint", "expected: old checkpoints contain rotary_emb.inv_freq")
def frequencies_of_the_checkpoint(tensors, frequencies, eps=1e-5):
    """You used the frequencies stored in an old checkpoint. The rule: use the frequencies that are passed."""
    loaded = model.from_checkpoint(tensors, frequencies, eps)
    old = [value for name, value in tensors.items() if name.endswith("inv_freq")]
    return loaded | ({"frequencies": _array(old[0])} if old else {})


@mistake("from_checkpoint", "Lightning-AI/lit-llama #322")
def eps_not_kept(tensors, frequencies, eps=1e-5):
    """Your model's eps is always 1e-5. The rule: use the eps that is passed."""
    return model.from_checkpoint(tensors, frequencies)


# forward


def _forward(tokens, loaded, positions=None, mask=None, cache=None, *, final_norm=True, head=None, scale=1.0):
    """Forward pass of the solution with some steps replaced."""
    tokens, embedding = np.asarray(tokens), _array(loaded["embedding"])
    before = np.shape(cache[0][0])[-2] if cache else 0
    rows = before + np.arange(tokens.shape[-1])
    positions = rows if positions is None else positions
    mask = np.arange(before + len(rows)) <= rows[:, np.newaxis] if mask is None else mask
    x, pairs = scale * embedding[tokens], []
    for number, layer in enumerate(loaded["layers"]):
        at = positions, loaded["frequencies"], mask, cache[number] if cache else None
        x, pair = model.block(x, layer, *at, loaded["eps"])
        pairs.append(pair)
    x = model.rms_norm(x, loaded["norm"], loaded["eps"]) if final_norm else x
    return x @ (loaded.get("head", embedding.T) if head is None else head), pairs


@mistake("forward", "awslabs/keys_values #139; PaddlePaddle/PaddleNLP #7615")
def no_final_norm(tokens, loaded, positions=None, mask=None, cache=None):
    """Your head reads the last layer without a norm. The rule: the last norm comes before the head."""
    return _forward(tokens, loaded, positions, mask, cache, final_norm=False)


@mistake("forward", "sgl-project/sglang #1508; huggingface/transformers #43429")
def always_tied(tokens, loaded, positions=None, mask=None, cache=None):
    """You always used the embedding as the head. The rule: if the model has a `head`, use that."""
    return _forward(tokens, loaded, positions, mask, cache, head=_array(loaded["embedding"]).T)


@mistake("forward", "Gemma multiplies its embedding by √d")
def embedding_scaled(tokens, loaded, positions=None, mask=None, cache=None):
    """You multiplied the embedding by √d, as the first transformer and Gemma do. The rule: a Llama model does not
    scale the embedding."""
    return _forward(tokens, loaded, positions, mask, cache, scale=np.sqrt(np.shape(loaded["embedding"])[-1]))


@mistake("forward", "Mikyx-1/TinyLLM #17 (no mask if there is a cache)")
def no_mask_at_all(tokens, loaded, positions=None, mask=None, cache=None):
    """Without a mask, your tokens use later tokens too. The rule: without a mask, attention is causal."""
    before = np.shape(cache[0][0])[-2] if cache else 0
    new = np.shape(tokens)[-1]
    return _forward(tokens, loaded, positions, np.ones((new, before + new), bool) if mask is None else mask, cache)


def _masked_from_the_first_row(tokens, loaded, positions, mask, cache):
    before = np.shape(cache[0][0])[-2] if cache else 0
    new = np.shape(tokens)[-1]
    return _forward(tokens, loaded, positions, np.tri(new, before + new, dtype=bool) if mask is None else mask, cache)


@mistake("forward", "lucidrains/x-transformers #187; hyprstream/hyprstream #1521; pytorch/executorch #21749")
def mask_from_the_first_row(tokens, loaded, positions=None, mask=None, cache=None):
    """With a cache, your mask places the new tokens at the first keys, so they do not see the cached tokens. The rule:
    with t cached tokens, new token i may use keys 0 … t + i."""
    return _masked_from_the_first_row(tokens, loaded, positions, mask, cache)


@mistake("forward", "expected: a mask made only if there are several new tokens")
def mask_of_several_from_the_first_row(tokens, loaded, positions=None, mask=None, cache=None):
    """With a cache and several new tokens, your mask places the new tokens at the first keys, so they do not see the
    cached tokens. The rule: with t cached tokens, new token i may use keys 0 … t + i."""
    if np.shape(tokens)[-1] == 1:
        return model.forward(tokens, loaded, positions, mask, cache)
    return _masked_from_the_first_row(tokens, loaded, positions, mask, cache)


@mistake("forward", "mlx-node/mlx-node #24; Mikyx-1/TinyLLM #17")
def open_mask_behind_a_cache(tokens, loaded, positions=None, mask=None, cache=None):
    """With a cache, your new tokens use each other in both directions. The rule: the mask stays causal among
    the new tokens."""
    if cache and mask is None:
        new = np.shape(tokens)[-1]
        mask = np.ones((new, np.shape(cache[0][0])[-2] + new), bool)
    return _forward(tokens, loaded, positions, mask, cache)


@mistake("forward", "Blaizzy/mlx-vlm #1983; RobertCsordas/moeut #6")
def positions_begin_anew(tokens, loaded, positions=None, mask=None, cache=None):
    """With a cache, your positions begin at 0 again. The rule: the new tokens come after the cached tokens."""
    return _forward(tokens, loaded, np.arange(np.shape(tokens)[-1]) if positions is None else positions, mask, cache)


@mistake("forward", "fla-org/flash-linear-attention #766")
def cache_one_ahead(tokens, loaded, positions=None, mask=None, cache=None):
    """With a cache, your positions are too large by one. The rule: the first new token has position t, the number of
    cached tokens."""
    if cache and positions is None:
        positions = np.shape(cache[0][0])[-2] + 1 + np.arange(np.shape(tokens)[-1])
    return _forward(tokens, loaded, positions, mask, cache)


@mistake("forward", "NVIDIA/Megatron-LM #453")
def own_positions(tokens, loaded, positions=None, mask=None, cache=None):
    """You ignored `positions`. The rule: positions are counted from the number of cached tokens only if the caller
    passes none."""
    return _forward(tokens, loaded, None, mask, cache)


@mistake("forward", "microsoft/onnxruntime-genai #1694 (the padding mask lost)")
def own_mask(tokens, loaded, positions=None, mask=None, cache=None):
    """You ignored `mask`. The rule: the mask is causal only if the caller passes none."""
    return _forward(tokens, loaded, positions, None, cache)


@mistake("forward", "expected: the same block for all layers")
def first_layer_again(tokens, loaded, positions=None, mask=None, cache=None):
    """You used the weights of the first layer in every layer. The rule: each layer has its own weights."""
    return _forward(tokens, dict(loaded, layers=loaded["layers"][:1] * len(loaded["layers"])), positions, mask, cache)


@mistake("forward", "expected: the same cache for all layers")
def cache_of_the_first_layer(tokens, loaded, positions=None, mask=None, cache=None):
    """In your code, every layer reads the first layer's cache. The rule: layer n reads pair n of the cache."""
    return _forward(tokens, loaded, positions, mask, [cache[0]] * len(cache) if cache else None)


@mistake("forward", "expected: only the last token")
def last_logits_alone(tokens, loaded, positions=None, mask=None, cache=None):
    """You returned only the logits of the last token. The rule: return the logits after each token."""
    logits, pairs = _forward(tokens, loaded, positions, mask, cache)
    return logits[..., -1:, :], pairs


@mistake("forward", "expected: softmax at the end")
def probabilities(tokens, loaded, positions=None, mask=None, cache=None):
    """You returned probabilities. The rule: return logits, without a softmax."""
    logits, pairs = _forward(tokens, loaded, positions, mask, cache)
    return _softmax(logits), pairs


@mistake("forward", "ggml-org/llama.cpp #2373; Lightning-AI/lit-llama #322")
def eps_of_the_default(tokens, loaded, positions=None, mask=None, cache=None):
    """You did not use the model's eps. The rule: every norm uses the model's eps, including the last norm."""
    return _forward(tokens, dict(loaded, eps=1e-5), positions, mask, cache)


# next_token_loss


def _losses(logits, tokens):
    """Loss of each token, computed from the logits in the same row."""
    logits = _array(logits)
    chosen = np.take_along_axis(logits, np.asarray(tokens)[..., np.newaxis], axis=-1)[..., 0]
    return np.logaddexp.reduce(logits, axis=-1) - chosen


@mistake("next_token_loss", "huggingface/transformers #30105; #404")
def not_shifted(logits, tokens):
    """You compared the logits after a token with that token itself. The rule: compare the logits with the
    next token."""
    return float(_losses(logits, tokens).mean())


@mistake("next_token_loss", "huggingface/transformers #32944; #37830; #47394")
def shifted_twice(logits, tokens):
    """You shifted twice, so you compared with the token after the next one. The rule: shift once."""
    logits, tokens = _array(logits), np.asarray(tokens)
    if tokens.shape[-1] < 3:
        return 0.0
    return float(_losses(logits[..., :-2, :], tokens[..., 2:]).mean())


@mistake("next_token_loss", "expected: a shift in the wrong direction")
def shifted_backwards(logits, tokens):
    """You compared the logits with the previous token. The rule: compare the logits with the next token."""
    return float(_losses(_array(logits)[..., 1:, :], np.asarray(tokens)[..., :-1]).mean())


@mistake("next_token_loss", "expected: the first logits left out instead of the last")
def first_logits_left_out(logits, tokens):
    """You left out the first logits and compared each token with the logits computed after the model had read it.
    The rule: leave out the last logits and the first token."""
    return float(_losses(_array(logits)[..., 1:, :], np.asarray(tokens)[..., 1:]).mean())


@mistake("next_token_loss", "expected: the sum instead of the mean")
def summed(logits, tokens):
    """You added up the losses. The rule: return the mean of the losses over all rows."""
    return float(_losses(_array(logits)[..., :-1, :], np.asarray(tokens)[..., 1:]).sum())


@mistake("next_token_loss", "expected: divided by T, not by T − 1")
def divided_by_all_tokens(logits, tokens):
    """You divided by the number of tokens. The rule: T tokens have T − 1 next tokens, so take the mean of T −
    1 losses."""
    losses = _losses(_array(logits)[..., :-1, :], np.asarray(tokens)[..., 1:])
    return float(losses.sum() / np.size(tokens))


@mistake("next_token_loss", "expected: a sum over the text, a mean over the rows")
def mean_over_texts_alone(logits, tokens):
    """You added up the losses of each text and averaged over the texts. The rule: take the mean over all tokens."""
    losses = _losses(_array(logits)[..., :-1, :], np.asarray(tokens)[..., 1:])
    return float(losses.sum(axis=-1).mean() + (0 if losses.ndim > 1 else 1e-9))


@mistake("next_token_loss", "expected: np.logaddexp.reduce without an axis, which then uses the first one")
def reduced_over_the_first_axis(logits, tokens):
    """You took the logarithm of the sum along the first axis, over tokens or texts, as np.logaddexp.reduce
    does by default. The rule: take the logarithm of the sum of exponentials over the vocabulary, the last
    axis."""
    logits = _array(logits)[..., :-1, :]
    chosen = np.take_along_axis(logits, np.asarray(tokens)[..., 1:, np.newaxis], axis=-1)
    return float(np.logaddexp.reduce(logits, axis=0).mean() - chosen.mean())


@mistake("next_token_loss", "expected: bits instead of nats")
def in_bits(logits, tokens):
    """Your loss is in bits. The rule: measure the loss in nats, with the natural logarithm."""
    return model.next_token_loss(logits, tokens) / float(np.log(2))


@mistake("next_token_loss", "expected: the sign")
def negative_loss(logits, tokens):
    """Your loss is negative, because it is the logarithm of a probability. The rule: the loss is minus the
    logarithm of the probability."""
    return -model.next_token_loss(logits, tokens)


@mistake("next_token_loss", "expected: e to the power of the loss")
def perplexity(logits, tokens):
    """You returned the perplexity, which is e to the power of the loss. The rule: return the loss itself."""
    return float(np.exp(model.next_token_loss(logits, tokens)))


@mistake("next_token_loss", "expected: one minus the probability")
def one_minus_the_probability(logits, tokens):
    """Your loss is one minus the probability. The rule: the loss is minus the logarithm of the probability."""
    return float((1 - np.exp(-_losses(_array(logits)[..., :-1, :], np.asarray(tokens)[..., 1:]))).mean())


@mistake("next_token_loss", "expected: np.exp of raw logits")
def loss_overflows(logits, tokens):
    """Large logits overflow in your softmax. The rule: subtract the largest logit of each row first."""
    weights = np.exp(_array(logits)[..., :-1, :])
    chosen = np.take_along_axis(weights, np.asarray(tokens)[..., 1:, np.newaxis], axis=-1)[..., 0]
    return float(-np.log(chosen / weights.sum(axis=-1)).mean())


@mistake("next_token_loss", "expected: the logarithm after the softmax")
def logarithm_of_zero(logits, tokens):
    """Your loss is infinite when a probability is too small for a float. The rule: work with differences of
    logits, and take the logarithm of the sum of exponentials, not of a probability."""
    chances = _softmax(_array(logits)[..., :-1, :])
    chosen = np.take_along_axis(chances, np.asarray(tokens)[..., 1:, np.newaxis], axis=-1)[..., 0]
    return float(-np.log(chosen).mean())


# generate


@mistake("generate", "expected: the least likely one")
def least_likely(tokens, loaded, count):
    """You took the smallest logit. The rule: take the largest."""
    return _generated(tokens, loaded, count, choose=np.argmin)


def _generated(tokens, loaded, count, choose=np.argmax, row=-1, read=lambda text: text):
    text = [int(token) for token in tokens]
    for _ in range(count):
        logits, _ = model.forward(read(text), loaded)
        text.append(int(choose(logits[row])))
    return np.array(text[len(tokens) :], dtype=np.int64)


@mistake("generate", "expected: the first row")
def first_row_read(tokens, loaded, count):
    """You read the logits after the first token. The rule: read the logits after the last token."""
    return _generated(tokens, loaded, count, row=0)


@mistake("generate", "expected: the new token read without the tokens before it")
def context_forgotten(tokens, loaded, count):
    """Your model reads each new token without the tokens before it. The rule: the model must also read all earlier
    tokens."""
    return _generated(tokens, loaded, count, read=lambda text: text if len(text) == len(tokens) else text[-1:])


@mistake("generate", "expected: the argmax of each row of the prompt")
def prompt_read_once(tokens, loaded, count):
    """All your new tokens come from the prompt's logits. The rule: the model reads each new token before it predicts
    the next."""
    logits, _ = model.forward(tokens, loaded)
    return np.full(count, np.argmax(logits[-1]), dtype=np.int64)


@mistake("generate", "expected: prompt and new tokens together, as transformers returns them")
def prompt_returned_too(tokens, loaded, count):
    """You returned the prompt too. The rule: return only the new tokens."""
    return np.concatenate([np.asarray(tokens, dtype=np.int64), model.generate(tokens, loaded, count)])


@mistake("generate", "expected: one token too many")
def one_token_more(tokens, loaded, count):
    """You returned one token too many. The rule: return `count` new tokens, and none for a `count` of 0."""
    return model.generate(tokens, loaded, count + 1)


@mistake("generate", "expected: the first row of the prompt's logits", hint=first_row_read.hint)
def first_row_of_the_prompt_read(tokens, loaded, count):
    text, logits = [int(token) for token in tokens], model.forward(tokens, loaded)[0][0]
    for _ in range(count):
        text.append(int(np.argmax(logits)))
        logits = model.forward(text, loaded)[0][-1]
    return np.array(text[len(tokens) :], dtype=np.int64)


@mistake("swiglu", "expected: Gemma's activation, in its form with tanh")
def gelu_for_silu(x, w_gate, w_up, w_down):
    """Your gate is GELU, as in Gemma. The rule: silu(z) is z / (1 + e^−z)."""
    x = _array(x)
    z = x @ w_gate
    gelu = z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))) / 2
    return (gelu * (x @ w_up)) @ w_down


@mistake("swiglu", "expected: the sigmoid as e^z / (1 + e^z)")
def silu_overflows_for_large_gates(x, w_gate, w_up, w_down):
    """Your silu is NaN if e^z is too large for a float. The rule: silu is correct for z of any size, and nearly z if z
    is large."""
    x = _array(x)
    z = x @ w_gate
    return (z * np.exp(z) / (1 + np.exp(z)) * (x @ w_up)) @ w_down


@mistake("block", "expected: one of the two additions wrong", hint=norm_added_to.hint)
def attention_added_to_the_norm(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    normalized = model.rms_norm(x, layer["norm_1"], eps)
    out, pair = _attend(normalized, layer, (positions, frequencies, mask, cache))
    x = normalized + out
    return x + _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("block", "expected: one of the two norms with its default", hint=default_eps.hint)
def default_eps_of_the_first_norm(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    out, pair = _attend(model.rms_norm(x, layer["norm_1"]), layer, (positions, frequencies, mask, cache))
    x = _array(x) + out
    return x + _fed(model.rms_norm(x, layer["norm_2"], eps), layer), pair


@mistake("next_token_loss", "expected: the logarithm of a sum of raw exponentials", hint=loss_overflows.hint)
def logarithm_of_the_sum_overflows(logits, tokens):
    logits = _array(logits)[..., :-1, :]
    chosen = np.take_along_axis(logits, np.asarray(tokens)[..., 1:, np.newaxis], axis=-1)[..., 0]
    return float((np.log(np.exp(logits).sum(axis=-1)) - chosen).mean())


WRONG_ANSWERS = {
    "cached_numbers_per_token_llama_3_8b": {
        32768: "You counted only keys or only values; the cache contains both.",
        262144: "You counted query heads; the cache contains key heads, of which there are 8.",
        2048: "You counted one layer; each of the 32 layers has its own keys and values.",
    },
    "feed_forward_share_of_a_layer_llama_3_8b": {
        7 / 8.6: "You may have left out w_o, or one of the projections; attention has four matrices.",
        14 / 19: "You counted two matrices of the feed-forward part; a gated one has three.",
        21 / 29: "You counted w_k and w_v as being as large as w_q; with 8 key heads, each is a quarter of that size.",
    },
    "perplexity_of_a_uniform_guess_among_84": {
        4.430817: "This is the loss, ln 84; the perplexity is e to the power of the loss.",
    },
    "key_head_of_query_head_13_of_32_with_8": {
        5: "13 mod 8 is the key head of np.tile; with np.repeat, the heads of one group are neighbours.",
    },
    "parameters_of_a_gated_part_d_32_f_48": {
        3072: "You counted two matrices; a gated part has three.",
    },
    "loss_of_a_token_that_got_probability_1_in_8": {
        3.0: "This is in bits; in nats, use the natural logarithm.",
    },
}
