"""Known mistakes with RoPE: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import rope


def turn_pairs(x, positions, frequencies):
    """Interleaved RoPE with frequencies that an entry passes."""
    angles = np.outer(positions, frequencies)
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.empty(np.shape(x))
    even, odd = x[..., 0::2], x[..., 1::2]
    turned[..., 0::2], turned[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos
    return turned.astype(x.dtype if x.dtype == np.float32 else np.float64)


@mistake("rope_frequencies", "DongjunLee/transformer-tensorflow #6 (there the other way round)")
def exponent_counts_pairs(head_dim, base=10000.0):
    """The exponent looks half as large as it should be: you divided i, the pair index, by d. The rule: the
    exponent of pair i uses 2i, because it counts features."""
    return np.sqrt(rope.rope_frequencies(head_dim, base))


@mistake("rope_frequencies", "DongjunLee/transformer-tensorflow #6")
def exponent_uses_the_feature_index(head_dim, base=10000.0):
    """The exponent looks twice as large as it should be. The rule: the frequency is base^(−2i/d), and i counts pairs,
    from 0 to d/2 − 1."""
    return rope.rope_frequencies(head_dim, base) ** 2


@mistake("rope_frequencies", "the inverse is stored as inv_freq in many codebases, and inverted once too many times")
def exponent_without_its_sign(head_dim, base=10000.0):
    """Your frequencies grow from pair to pair. The rule: for a base above 1, the frequencies fall from pair to pair, so
    check the sign of the exponent."""
    return 1 / rope.rope_frequencies(head_dim, base)


@mistake("rope_frequencies", "tensorflow/tensor2tensor, whose sinusoids end at 1/base")
def frequencies_end_at_one_over_base(head_dim, base=10000.0):
    """Your last frequency is 1/base, as in tensor2tensor: you divided by d/2 − 1 steps. The rule: divide by d/2."""
    return float(base) ** -np.linspace(0, 1, head_dim // 2)


@mistake("rope_frequencies", "expected: arange(1, d, 2)")
def exponents_of_the_odd_features(head_dim, base=10000.0):
    """Your exponents count the odd features, 1, 3, 5, …. The rule: the exponents use 2i, so they begin with 0."""
    return float(base) ** (-np.arange(1, head_dim, 2) / head_dim)


@mistake("rope_frequencies", "expected: the division forgotten")
def exponent_not_divided(head_dim, base=10000.0):
    """You did not divide the exponent by d, so the frequencies fall to almost 0 at once. The rule: the frequency is
    base^(−2i/d)."""
    return float(base) ** -np.arange(0.0, head_dim, 2)


@mistake("rope_frequencies", "expected: i = 1 … d/2 in the paper's own list of θ_i, with i − 1 in its exponent")
def pairs_counted_from_one(head_dim, base=10000.0):
    """You counted the pairs from 1, so your fastest pair is one step too slow. The rule: pair 0 rotates by 1
    radian per position, regardless of the base."""
    return float(base) ** (-np.arange(2, head_dim + 2, 2) / head_dim)


@mistake("rope_frequencies", "expected: the exponents listed from the last to the first")
def slowest_pair_first(head_dim, base=10000.0):
    """Your list begins with the slowest pair. The rule: pair 0 is the fastest, and each later pair is slower."""
    return rope.rope_frequencies(head_dim, base)[::-1]


@mistake("rope_frequencies", "expected: log10 instead of log in exp(−log(base) · 2i/d), the form in many codebases")
def power_of_e_with_the_common_logarithm(head_dim, base=10000.0):
    """You combined a power of e with a base-10 logarithm. The rule: if you compute a power with exp, use the
    natural logarithm."""
    return np.exp(-np.log10(float(base)) * np.arange(0, head_dim, 2) / head_dim)


@mistake("rope_frequencies", "expected: frequencies read as full rotations per position")
def frequencies_in_full_turns(head_dim, base=10000.0):
    """Your frequencies are 2π times too large. The rule: the frequency is in radians per position, so it is 1 for
    pair 0."""
    return 2 * np.pi * rope.rope_frequencies(head_dim, base)


@mistake("rope_frequencies", "expected: each list is 2π divided by the other")
def wavelengths_in_place_of_frequencies(head_dim, base=10000.0):
    """You returned wavelengths, 2π/θ_i positions per rotation. The rule: return the frequency, θ_i radians per
    position."""
    return 2 * np.pi / rope.rope_frequencies(head_dim, base)


@mistake("rope_frequencies", "expected: 2π mistaken for π in a conversion, or a second division by 2")
def frequencies_halved(head_dim, base=10000.0):
    """Your frequencies are half as large as they should be. The rule: pair 0 rotates by one radian per position."""
    return rope.rope_frequencies(head_dim, base) / 2


@mistake("rope_frequencies", "expected: the 2 of the exponent put before the power")
def frequencies_doubled(head_dim, base=10000.0):
    """Your frequencies are twice as large as they should be. The rule: pair 0 rotates by one radian per position."""
    return 2 * rope.rope_frequencies(head_dim, base)


@mistake("rope_frequencies", "expected: 1 / base^(2i/d) in float32, as in most codebases")
def inverse_power_in_single_precision(head_dim, base=10000.0):
    """You computed the frequencies in float32, so the angles are too coarse at large positions. The rule: compute θ and
    position · θ in float64."""
    exponent = np.arange(0, head_dim, 2, dtype=np.float32) / np.float32(head_dim)
    return (np.float32(1) / np.float32(base) ** exponent).astype(np.float64)


def single_angles(positions, head_dim, base):
    """Angles from float32 positions and float32 frequencies."""
    rope.rope_cos_sin(positions, head_dim, base)
    return np.outer(np.asarray(positions, dtype=np.float32), rope.rope_frequencies(head_dim, base).astype(np.float32))


def cosines_and_sines(angles):
    return np.cos(angles).astype(np.float64), np.sin(angles).astype(np.float64)


@mistake("rope_cos_sin", "EleutherAI/gpt-neox #1003; NVIDIA/Megatron-LM #535")
def angles_in_single_precision(positions, head_dim, base=10000.0):
    """You computed the angles in float32, which is too coarse at large positions. The rule: compute position · θ in
    float64, and convert only the result."""
    return cosines_and_sines(single_angles(positions, head_dim, base))


@mistake("rope_cos_sin", "expected: inv_freq stored in float32, as in most codebases")
def frequencies_in_single_precision(positions, head_dim, base=10000.0):
    """You used float32 frequencies, so the angles are too coarse at large positions. The rule: compute θ and position ·
    θ in float64."""
    single = rope.rope_frequencies(head_dim, base).astype(np.float32)
    return cosines_and_sines(np.outer(positions, single.astype(np.float64)))


@mistake("rope_cos_sin", "fla-org/flash-linear-attention #766 (a cache's count one ahead)")
def positions_one_ahead(positions, head_dim, base=10000.0):
    """You count positions from 1. The rule: the first token has position 0, where nothing is rotated."""
    return rope.rope_cos_sin(np.asarray(positions, dtype=np.float64) + 1, head_dim, base)


@mistake("rope_cos_sin", "expected: np.radians or np.deg2rad around an angle that is already in radians")
def angles_in_degrees(positions, head_dim, base=10000.0):
    """You treated the angles as degrees. The rule: positions[t] · θ_i is in radians, and numpy's sine and cosine take
    radians."""
    return rope.rope_cos_sin(np.radians(np.asarray(positions, dtype=np.float64)), head_dim, base)


@mistake("rope_cos_sin", "expected: a frequency in turns per position, as in signal processing")
def angles_in_full_turns(positions, head_dim, base=10000.0):
    """You multiplied the angles by 2π. The rule: pair 0 rotates by one radian per position, not by a full turn."""
    return rope.rope_cos_sin(2 * np.pi * np.asarray(positions, dtype=np.float64), head_dim, base)


ONE_OF_TWO = (
    "You returned the cosines twice or the sines twice. The rule: return the cosines of the angles, then their sines."
)


@mistake("rope_cos_sin", "expected: a line copied and not changed", hint=ONE_OF_TWO)
def cosines_twice(positions, head_dim, base=10000.0):
    cos, _ = rope.rope_cos_sin(positions, head_dim, base)
    return cos, cos.copy()


@mistake("rope_cos_sin", "expected: a line copied and not changed", hint=ONE_OF_TWO)
def sines_twice(positions, head_dim, base=10000.0):
    _, sin = rope.rope_cos_sin(positions, head_dim, base)
    return sin, sin.copy()


@mistake("rope_cos_sin", "expected: t / θ, as with 10000^(2i/d) in the denominator of the paper")
def positions_over_frequencies(positions, head_dim, base=10000.0):
    """You divided the positions by θ. The rule: the angle is position · θ_i, and θ is a frequency, not a wavelength."""
    angles = np.asarray(positions, dtype=np.float64)[:, np.newaxis] / rope.rope_frequencies(head_dim, base)
    return np.cos(angles), np.sin(angles)


@mistake("rope_cos_sin", "expected: the two results swapped")
def sines_first(positions, head_dim, base=10000.0):
    """You returned the sines first. The rule: the cosines come first, then the sines."""
    cos, sin = rope.rope_cos_sin(positions, head_dim, base)
    return sin, cos


@mistake("rope_cos_sin", "expected: arange instead of the argument")
def angles_of_row_numbers(positions, head_dim, base=10000.0):
    """You counted the rows from 0 and did not use `positions`. The rule: row t has the angles of positions[t]."""
    return rope.rope_cos_sin(np.arange(np.size(positions)), head_dim, base)


@mistake("apply_rope", "raiyanyahya/how-to-train-your-gpt #6; huggingface/transformers #47328")
def neighbours_frequencies_with_rotate_half(x, positions, base=10000.0):
    """You used each frequency for two neighbours, but your rotation pairs features half the width apart. The rule: both
    features of a pair have the same angle."""
    x = np.asarray(x)
    cos, sin = rope.rope_cos_sin(positions, x.shape[-1], base)
    cos, sin = np.repeat(cos, 2, axis=-1), np.repeat(sin, 2, axis=-1)
    return (x * cos + rope.rotate_half(x) * sin).astype(x.dtype if x.dtype == np.float32 else np.float64)


@mistake("apply_rope", "karpathy/nanochat #264; EleutherAI/gpt-neox #834; huggingface/transformers #25199")
def half_layout_where_interleaved_is_meant(x, positions, base=10000.0):
    """You rotated the pairs (i, i + d/2), which is the half layout. The rule: apply_rope rotates neighbours,
    (2i, 2i+1)."""
    return rope.apply_rope_half(x, positions, base)


@mistake("apply_rope", "expected: np.arange of the sequence in place of the argument")
def rows_counted_in_place_of_positions(x, positions, base=10000.0):
    """You counted the rows from 0 and did not use `positions`. The rule: row i rotates by the position that the caller
    passes for it."""
    right = rope.apply_rope(x, positions, base)
    return right if len(x) == 0 else rope.apply_rope(x, np.arange(np.shape(x)[-2]), base)


@mistake("apply_rope", "expected: the sign of the rotation is a convention that is easily mirrored")
def turned_backwards(x, positions, base=10000.0):
    """You rotated the pairs in the opposite direction. The rule: rotate as in the lesson's 2 × 2 matrix; check which of
    the two sines has the minus sign."""
    return rope.apply_rope(x, -np.asarray(positions, dtype=np.float64), base)


@mistake("apply_rope", "expected: the usual slip of rotating in place")
def first_feature_overwritten_too_early(x, positions, base=10000.0):
    """You overwrote the first feature of each pair and then computed the second one from it. The rule: compute both new
    features from the old pair."""
    x = np.asarray(x)
    cos, sin = rope.rope_cos_sin(positions, x.shape[-1], base)
    y = np.array(x, dtype=np.float64)
    y[..., 0::2] = y[..., 0::2] * cos - y[..., 1::2] * sin
    y[..., 1::2] = y[..., 0::2] * sin + y[..., 1::2] * cos
    return y.astype(x.dtype if x.dtype == np.float32 else np.float64)


@mistake("apply_rope", "expected: concatenate for stack; the scores come out right, and what is stored does not")
def rotated_pairs_taken_apart(x, positions, base=10000.0):
    """You put the first features of all pairs side by side, followed by the second ones. The rule: each feature
    stays in its place."""
    return rope.interleaved_to_half(rope.apply_rope(x, positions, base))


def rotated_by(x, positions, base, turn):
    """Return the result of apply_rope, using turn(even, odd, cos, sin) to compute each pair's new features."""
    right = rope.apply_rope(x, positions, base)
    even, odd = np.asarray(x)[..., 0::2], np.asarray(x)[..., 1::2]
    first, second = turn(even, odd, *rope.rope_cos_sin(positions, right.shape[-1], base))
    return np.stack([first, second], axis=-1).reshape(right.shape).astype(right.dtype)


@mistake("apply_rope", "expected: the two results of rope_cos_sin unpacked in the wrong order")
def cosine_and_sine_exchanged(x, positions, base=10000.0):
    """You swapped the cosine and the sine in the rotation. The rule: at position 0, the features do not change."""
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin))


WRONG_PARTNERS = (
    "One line of your rotation has the wrong partners. The rule: each feature has the cosine in its own line and the "
    "sine in the other line, as in the 2 × 2 matrix of the lesson."
)


@mistake("apply_rope", "expected: the second line copied from the first", hint=WRONG_PARTNERS)
def second_line_with_wrong_partners(x, positions, base=10000.0):
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * cos - b * sin, a * cos + b * sin))


@mistake("apply_rope", "expected: the first line with cosine and sine swapped", hint=WRONG_PARTNERS)
def first_line_with_wrong_partners(x, positions, base=10000.0):
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * sin - b * cos, a * sin + b * cos))


@mistake("apply_rope", "expected: each feature rotated with itself", hint=WRONG_PARTNERS)
def features_rotated_with_themselves(x, positions, base=10000.0):
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * cos - a * sin, b * sin + b * cos))


@mistake("apply_rope", "expected: the minus copied into both lines")
def both_sines_negative(x, positions, base=10000.0):
    """You used a minus sign for both features of a pair, which is not a rotation. The rule: only one of the two sines
    has a minus sign."""
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * cos - b * sin, b * cos - a * sin))


@mistake("apply_rope", "expected: the two results written in each other's place")
def features_of_a_pair_exchanged(x, positions, base=10000.0):
    """You put the second feature of each pair before the first one. The rule: both features stay in their places."""
    return rotated_by(x, positions, base, lambda a, b, cos, sin: (a * sin + b * cos, a * cos - b * sin))


@mistake("apply_rope", "expected: the minus of the rotation left out")
def both_sines_positive(x, positions, base=10000.0):
    """You used a plus sign for both features of a pair, which is not a rotation. The rule: one of the two sines has a
    minus sign."""
    right = rope.apply_rope(x, positions, base)
    swapped = np.stack([np.asarray(x)[..., 1::2], np.asarray(x)[..., 0::2]], axis=-1).reshape(right.shape)
    cos, sin = (np.repeat(part, 2, axis=-1) for part in rope.rope_cos_sin(positions, right.shape[-1], base))
    return np.asarray(x) * cos + swapped * sin


@mistake("apply_rope_half", "raiyanyahya/how-to-train-your-gpt #6; huggingface/transformers #47328")
def half_layout_with_neighbours_frequencies(x, positions, base=10000.0):
    """You used each frequency for two neighbours. The rule: in the half layout, features i and i + d/2 share a
    frequency, so repeat the block of frequencies, not each single frequency."""
    return neighbours_frequencies_with_rotate_half.implementation(x, positions, base)


@mistake("rotate_half", "expected: GPT-J's rotate_every_two instead of rotate_half")
def neighbours_rotated(x):
    """You swapped neighbours, as in the interleaved layout. The rule: swap the two halves."""
    right = rope.rotate_half(x)
    even, odd = np.asarray(x)[..., 0::2], np.asarray(x)[..., 1::2]
    return np.stack([-odd, even], axis=-1).reshape(right.shape)


@mistake("rotate_half", "expected: [x₂, −x₁] turns the other way")
def rotate_half_with_the_other_sign(x):
    """You changed the sign of the wrong half. The rule: the half that moves to the front gets the minus sign."""
    return -rope.rotate_half(x)


@mistake("interleaved_to_half", "rasbt/LLMs-from-scratch #747; NVIDIA/Megatron-LM #1547")
def reordered_the_other_way(x):
    """You wrote the inverse, from the half layout to the interleaved one. The rule: the even features come first, then
    the odd ones."""
    return rope.half_to_interleaved(x)


@mistake("half_to_interleaved", "expected: the body copied from its inverse, which no test with four features shows")
def reordered_as_its_inverse(x):
    """You put the even features first, as interleaved_to_half does. The rule: half_to_interleaved is the inverse of
    interleaved_to_half; the two are the same only for two or four features."""
    return rope.interleaved_to_half(x)


@mistake("rotation_matrix", "expected: rows and columns of the blocks swapped")
def matrix_transposed(position, head_dim, base=10000.0):
    """You built the transpose of R_m, which rotates back. The rule: −sin is above the diagonal."""
    return rope.rotation_matrix(position, head_dim, base).T


@mistake("rope_scores", "expected: the scale of Vaswani et al. 2017 §3.2.1 left out")
def scores_without_their_scale(q, k, q_positions, k_positions, base=10000.0):
    """Your scores are too large by a factor of √d. The rule: divide by the square root of head_dim."""
    return rope.rope_scores(q, k, q_positions, k_positions, base) * np.sqrt(np.shape(q)[-1])


@mistake("rope_scores", "expected: the root forgotten")
def scores_divided_by_the_width(q, k, q_positions, k_positions, base=10000.0):
    """You divided by d. The rule: divide by the square root of head_dim."""
    return rope.rope_scores(q, k, q_positions, k_positions, base) / np.sqrt(np.float32(np.shape(q)[-1]))


@mistake("rope_scores", "expected: the plain scores of attention copied")
def nothing_is_turned(q, k, q_positions, k_positions, base=10000.0):
    """Your scores do not depend on the positions at all. The rule: first rotate each query and each key by its own
    position."""
    return rope.rope_scores(q, k, np.zeros(len(q_positions)), np.zeros(len(k_positions)), base)


@mistake("rope_scores", "expected: the difference is built in a second time")
def keys_turned_the_other_way(q, k, q_positions, k_positions, base=10000.0):
    """You rotated queries and keys in opposite directions, so the score depends on the sum of the positions. The rule:
    rotate queries and keys in the same direction, so that the score depends on the difference n − m."""
    return rope.rope_scores(q, k, q_positions, -np.asarray(k_positions, dtype=np.float64), base)


@mistake("rope_scores", "expected: the score then depends on one position and not on the offset")
def only_the_query_is_turned(q, k, q_positions, k_positions, base=10000.0):
    """You rotated only the queries. The rule: rotate each query and each key by its own position."""
    return rope.rope_scores(q, k, q_positions, np.zeros(len(k_positions)), base)


@mistake("rope_scores", "expected: one list of positions used for both, if it is long enough")
def keys_at_the_queries_positions_where_they_fit(q, k, q_positions, k_positions, base=10000.0):
    """You rotated the keys by the positions of the queries. The rule: key j is rotated by k_positions[j]."""
    return rope.rope_scores(
        q, k, q_positions, q_positions if len(q_positions) == len(k_positions) else k_positions, base
    )


@mistake("rope_attention", "expected: the three projections treated alike")
def values_turned_too(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You rotated the values as well. The rule: RoPE rotates only queries and keys."""
    x, w_q, w_k, w_v = (np.asarray(one, dtype=np.float64) for one in (x, w_q, w_k, w_v))
    length, columns = np.shape(x)[-2], np.shape(w_v)[-1]
    if positions is None:
        positions = np.arange(length)
    weights = [attention_weights(x, w_q, w_k, n_heads, head, positions, causal, base) for head in range(n_heads)]
    values = np.split(np.asarray(x) @ np.asarray(w_v), n_heads, axis=-1)
    heads = [weight @ rope.apply_rope(value, positions, base) for weight, value in zip(weights, values, strict=True)]
    return np.concatenate(heads, axis=-1).reshape(*np.shape(x)[:-1], columns)


@mistake("rope_attention", "expected: RoPE applied before the heads are split")
def turned_before_the_heads_are_split(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You rotated q and k before you split them into heads, so the angles run over the whole width. The rule: each head
    has its own pairs, and θ comes from the head size."""
    if positions is None:
        positions = np.arange(np.shape(x)[-2])
    q, k = (rope.apply_rope(np.asarray(x) @ np.asarray(w), positions, base) for w in (w_q, w_k))
    q, k, v = (np.split(part, n_heads, axis=-1) for part in (q, k, np.asarray(x) @ np.asarray(w_v)))
    heads = [softmax_scores(q[h], k[h], causal) @ v[h] for h in range(n_heads)]
    return np.concatenate(heads, axis=-1)


@mistake("rope_attention", "expected: the heads split, but the axes swapped only after the rotation")
def turned_before_the_axes_are_exchanged(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You rotated q and k before you swapped the head and token axes, so each head was rotated by its index. The
    rule: swap the two axes first, because positions run along the second-to-last axis."""
    *q_k, v = (np.asarray(x) @ np.asarray(w) for w in (w_q, w_k, w_v))
    positions = np.arange(v.shape[-2]) if positions is None else positions
    q, k, v = (part.reshape(*part.shape[:-1], n_heads, -1) for part in (*q_k, v))
    q, k = (rope.apply_rope(part, positions, base) for part in (q, k))
    q, k, v = (np.swapaxes(part, -2, -3) for part in (q, k, v))
    heads = np.swapaxes(softmax_scores(q, k, causal) @ v, -2, -3)
    return heads.reshape(*heads.shape[:-2], -1)


@mistake("rope_attention", "expected: reshape(heads, T, dh); the shape is right and the numbers are not")
def heads_cut_across_tokens(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You cut the heads with a reshape alone, which mixes tokens and columns. The rule: each head takes a block of
    columns of every token, so split first, then move the head axis."""
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    length = np.shape(x)[-2]
    positions = np.arange(length) if positions is None else positions
    q, k, v = (np.asarray(x) @ np.asarray(w) for w in (w_q, w_k, w_v))
    q, k, v = (part.reshape(*part.shape[:-2], n_heads, length, part.shape[-1] // n_heads) for part in (q, k, v))
    heads = softmax_scores(rope.apply_rope(q, positions, base), rope.apply_rope(k, positions, base), causal) @ v
    return np.swapaxes(heads, -2, -3).reshape(right.shape)


@mistake("rope_attention", "karpathy/ng-video-lecture #6; lucidrains/vit-pytorch #65")
def scaled_by_the_width_of_the_model(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You divided the scores by the square root of the model's width, h · dh. The rule: each head divides by the square
    root of its own size, dh."""
    smaller = np.asarray(w_q, dtype=np.float64) / np.sqrt(n_heads)
    return rope.rope_attention(x, smaller, w_k, w_v, n_heads, positions, causal, base)


@mistake("rope_attention", "NVIDIA/Megatron-LM #453")
def given_positions_are_ignored(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You rotated by 0 … T−1 even when other positions are passed. The rule: row t has the position positions[t]."""
    return rope.rope_attention(x, w_q, w_k, w_v, n_heads, None, causal, base)


@mistake("rope_attention", "expected: the two orders are the same if positions are 0 … T−1")
def causal_by_position(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """Your causal mask compares positions. The rule: `causal` follows the order of the rows, regardless of their
    positions."""
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    if positions is None or not causal:
        return right
    order = np.argsort(positions, kind="stable")  # in this order, positions and rows agree
    sorted_rows = rope.rope_attention(
        np.asarray(x)[..., order, :], w_q, w_k, w_v, n_heads, np.asarray(positions)[order], causal, base
    )
    return sorted_rows[..., np.argsort(order), :]


@mistake("rope_attention", "expected: the mask left out, or left to the caller")
def causal_is_ignored(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """Your tokens attend to later tokens even when causal is True. The rule: row t may attend only to rows 0 … t."""
    return rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, False, base)


@mistake("decode_step", "expected: only what goes into the cache is rotated")
def new_query_not_rotated(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You rotated the new key but not the new query. The rule: the new query and the new key are rotated by
    `position`."""
    return decoded(
        x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, query_position=0, key_position=position
    )


STORED_UNROTATED = (
    "You stored the new key without its rotation. The rule: rotate a key once, by its own position, before you store "
    "it."
)


@mistake("decode_step", "expected: the key rotated for the scores, after it was stored", hint=STORED_UNROTATED)
def rotated_after_it_is_stored(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    out, _, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    _, unrotated, _ = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, 0, base)
    return out, unrotated, values


@mistake("decode_step", "expected: keys cached unrotated, as StreamingLLM does on purpose", hint=STORED_UNROTATED)
def new_key_stored_unrotated(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    return decoded(
        x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, query_position=position, key_position=0
    )


@mistake("decode_step", "expected: keys cached unrotated and rotated at each step, as StreamingLLM does on purpose")
def cache_rotated_as_a_whole(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You stored the new key without its rotation and rotated the whole cache afterwards. The rule: the cache holds
    rotated keys."""
    cached = np.shape(cache_k)[-2]
    positions = np.arange(cached + 1) - cached + position
    return decoded(
        x_t,
        w_q,
        w_k,
        w_v,
        n_heads,
        cache_k,
        cache_v,
        position,
        base,
        query_position=position,
        key_position=0,
        seen_at=positions,
    )


ROTATED_AGAIN = (
    "You rotated the cached keys again. The rule: keys are stored after their rotation, and their positions do not "
    "change."
)


@mistake("decode_step", "expected: the whole cache rotated at each step", hint=ROTATED_AGAIN)
def cached_keys_rotated_again(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    again = rope.apply_rope(np.asarray(cache_k), np.arange(np.shape(cache_k)[-2]), base)
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, again, cache_v, position, base)


@mistake("decode_step", "expected: the three projections treated alike")
def new_value_rotated(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You rotated the new value as well. The rule: RoPE rotates only queries and keys."""
    _, keys, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    values = np.concatenate([values[..., :-1, :], rope.apply_rope(values[..., -1:, :], [position], base)], axis=-2)
    q = np.asarray(x_t) @ np.asarray(w_q)
    q = np.swapaxes(q.reshape(*q.shape[:-1], n_heads, -1), -2, -3)
    heads = np.swapaxes(softmax_scores(rope.apply_rope(q, [position], base), keys, causal=False) @ values, -2, -3)
    return heads.reshape(*heads.shape[:-2], -1), keys, values


@mistake("decode_step", "Blaizzy/mlx-vlm #1983; RobertCsordas/moeut #6")
def every_new_token_at_position_zero(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You rotated the new token as if it were at position 0. The rule: rotate its query and its key by `position`."""
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position * 0, base)


@mistake("decode_step", "rajveer43/VeloxQuant-MLX #175, #389")
def position_from_the_size_of_the_cache(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You used the number of cached rows as the position. The rule: use `position`, because the two differ if rows were
    dropped from the cache."""
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, np.shape(cache_k)[-2], base)


@mistake("decode_step", "fla-org/flash-linear-attention #766")
def decoding_one_position_ahead(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """Your position is one too large. The rule: the first token of a text has position 0, so the next token after t
    tokens has position t."""
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position + 1, base)


@mistake("decode_step", "expected: the scores computed before the caches are extended")
def new_token_does_not_see_itself(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """Your new token attends only to the cached tokens. The rule: append its key and its value first, because a token
    may use itself."""
    right, keys, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    if not np.shape(cache_k)[-2]:
        return np.zeros_like(right), keys, values
    q = np.asarray(x_t) @ np.asarray(w_q)
    q = np.swapaxes(q.reshape(*q.shape[:-1], n_heads, -1), -2, -3)
    heads = softmax_scores(rope.apply_rope(q, [position], base), np.asarray(cache_k), causal=False) @ np.asarray(
        cache_v
    )
    return np.swapaxes(heads, -2, -3).reshape(right.shape).astype(right.dtype), keys, values


@mistake("apply_partial_rope", "DeepSeek-V2 puts its rotated features last")
def last_features_rotated(x, positions, rotary_dim, base=10000.0):
    """You rotated the last rotary_dim features. The rule: the first rotary_dim features are rotated, and the rest stay
    as they are."""
    kept = np.shape(x)[-1] - rotary_dim
    turned = rope.apply_rope(np.asarray(x)[..., kept:], positions, base)
    return np.concatenate([np.asarray(x)[..., :kept], turned], axis=-1)


@mistake("apply_partial_rope", "expected: GPT-J and GPT-NeoX take θ from rotary_dim")
def partial_frequencies_from_the_whole_width(x, positions, rotary_dim, base=10000.0):
    """You computed the frequencies for the whole width d. The rule: compute the frequencies for rotary_dim,
    as if that part were a separate head."""
    x = np.asarray(x)
    frequencies = float(base) ** (-np.arange(0, rotary_dim, 2) / x.shape[-1])
    turned = turn_pairs(x[..., :rotary_dim], positions, frequencies)
    return np.concatenate([turned, x[..., rotary_dim:]], axis=-1)


@mistake("decay_bound", "expected: the score of equal features, a sum of cosines, mistaken for the bound")
def bound_from_cosines_alone(offsets, head_dim, base=10000.0):
    """You added up only the cosines or only the sines of the complex numbers. The rule: take the length |S_j| of the
    complex sum, which needs both."""
    angles = np.asarray(offsets, dtype=np.float64)[..., np.newaxis] * rope.rope_frequencies(head_dim, base)
    return np.abs(np.cos(angles).cumsum(axis=-1)).mean(axis=-1)


@mistake("decay_bound", "Su et al. 2021 §3.4.3, which shows the sum before the division")
def bound_without_its_mean(offsets, head_dim, base=10000.0):
    """You returned the sum of the |S_j|. The rule: the bound is the mean of the |S_j|, the sum divided by
    d/2."""
    return rope.decay_bound(offsets, head_dim, base) * (head_dim // 2)


@mistake("decay_bound", "expected: several articles plot |Σ exp(√−1·offset·θ_l)| instead")
def bound_from_the_whole_sum(offsets, head_dim, base=10000.0):
    """You took the length of one sum over all pairs. The rule: take the length of each partial sum S_1, S_2, …, and
    then the mean of the lengths."""
    offsets = np.asarray(offsets, dtype=np.float64)
    return np.abs(np.exp(1j * offsets[..., np.newaxis] * rope.rope_frequencies(head_dim, base)).mean(axis=-1))


@mistake("decay_bound", "expected: the whole sum without the mean over its parts")
def bound_from_the_last_sum(offsets, head_dim, base=10000.0):
    """You took only the length of the last sum, S_{d/2}. The rule: take the length of each partial sum S_1, S_2, …, and
    then the mean of the lengths."""
    return bound_from_the_whole_sum.implementation(offsets, head_dim, base) * (head_dim // 2)


@mistake("decay_bound", "expected: the absolute value and the mean in the wrong order")
def bound_from_the_mean_of_the_sums(offsets, head_dim, base=10000.0):
    """You took the mean of the complex sums and then its length, so the sums partly cancel out. The rule: take
    the length of each sum first, and then the mean of the lengths."""
    angles = np.asarray(offsets, dtype=np.float64)[..., np.newaxis] * rope.rope_frequencies(head_dim, base)
    return np.abs(np.exp(1j * angles).cumsum(axis=-1).mean(axis=-1))


def decoded(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, query_position, key_position, seen_at=None):
    """Generation step in which the new query, the new key or all keys are rotated by a wrong position."""
    right, right_k, right_v = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    projected = [np.asarray(x_t) @ np.asarray(weight) for weight in (w_q, w_k)]
    q, k = (np.swapaxes(part.reshape(*part.shape[:-1], n_heads, -1), -2, -3) for part in projected)
    keys = np.concatenate([np.asarray(cache_k), rope.apply_rope(k, [key_position], base)], axis=-2)
    seen = keys if seen_at is None else rope.apply_rope(keys, seen_at, base)
    heads = softmax_scores(rope.apply_rope(q, [query_position], base), seen, causal=False) @ right_v
    return np.swapaxes(heads, -2, -3).reshape(right.shape).astype(right.dtype), keys.astype(right_k.dtype), right_v


def attention_weights(x, w_q, w_k, n_heads, head, positions, causal, base):
    """Correct weights of one head, for entries whose mistake comes later."""
    q, k = (np.split(np.asarray(x) @ np.asarray(w), n_heads, axis=-1)[head] for w in (w_q, w_k))
    return softmax_scores(rope.apply_rope(q, positions, base), rope.apply_rope(k, positions, base), causal)


def softmax_scores(q, k, causal):
    """Attention weights for rotated queries and keys."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@mistake("apply_rope_half", "expected: one function used for both layouts")
def interleaved_layout_where_half_is_meant(x, positions, base=10000.0):
    """You rotated neighbours, as apply_rope does. The rule: in the half layout, features i and i + d/2 form a pair."""
    return rope.apply_rope(x, positions, base)


@mistake("rotation_matrix", "expected: the pairs of the half layout")
def matrix_of_the_half_layout(position, head_dim, base=10000.0):
    """You built the matrix of the half layout, with the sines d/2 columns away from the diagonal. The rule: there is
    one 2 × 2 block per pair of neighbours."""
    order = rope.interleaved_to_half(np.arange(head_dim)).astype(int)
    return rope.rotation_matrix(position, head_dim, base)[np.ix_(order, order)]


@mistake("decode_step", "expected: the arguments of concatenate swapped")
def new_token_in_front(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You put the new token in front of the cache. The rule: the new token comes last, as in the text."""
    out, keys, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    return out, np.roll(keys, 1, axis=-2), np.roll(values, 1, axis=-2)


@mistake("decode_step", "expected: the key's index in the cache mistaken for its position")
def new_key_at_its_row_of_the_cache(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You rotated the new key by the number of cached rows. The rule: rotate the key by `position`, because
    the two numbers differ if rows were dropped from the cache."""
    cached = np.shape(cache_k)[-2]
    return decoded(
        x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, query_position=position, key_position=cached
    )


@mistake("rope_frequencies", "expected: // instead of / after the minus")
def exponent_rounded_down(head_dim, base=10000.0):
    """Your exponent is a whole number, because // rounds down: negative quotients become −1. The rule: the exponent
    −2i/d is a fraction."""
    return float(base) ** (-np.arange(0, head_dim, 2) // head_dim)


@mistake("rotate_half", "expected: np.roll alone")
def halves_exchanged_without_a_minus(x):
    """You swapped the halves without the minus sign. The rule: the result is [−x₂ | x₁], a rotation by a quarter
    turn."""
    right = rope.rotate_half(x)
    return np.roll(np.asarray(x, right.dtype), right.shape[-1] // 2, axis=-1)


@mistake("rotate_half", "expected: the minus sign in front of the whole result")
def both_halves_with_a_minus(x):
    """In your result, both halves have a minus sign. The rule: the result is [−x₂ | x₁], so the half that moves
    to the back keeps its sign."""
    right = rope.rotate_half(x)
    return -np.roll(np.asarray(x, right.dtype), right.shape[-1] // 2, axis=-1)


OVERWRITTEN = (
    "You wrote into the array that you were still reading, so some features were overwritten before they were read. "
    "The rule: write into a new array, and leave x as it was."
)
EVEN, ODD = slice(0, None, 2), slice(1, None, 2)


def reordered_in_place(x, first, second, to_first, to_second):
    """Features moved in two steps within one array, so that the second step can read overwritten features."""
    moved = np.array(x)
    moved[..., to_first] = moved[..., first].copy()
    moved[..., to_second] = moved[..., second].copy()
    return moved


def halves(x):
    half = np.shape(x)[-1] // 2
    return slice(0, half), slice(half, None)


@mistake("half_to_interleaved", "expected: both halves written into the argument", hint=OVERWRITTEN)
def interleaved_in_place(x):
    return reordered_in_place(rope.half_to_interleaved(x) * 0 + x, *halves(x), EVEN, ODD)


@mistake("interleaved_to_half", "expected: both halves written into the argument", hint=OVERWRITTEN)
def halved_in_place(x):
    return reordered_in_place(rope.interleaved_to_half(x) * 0 + x, EVEN, ODD, *halves(x))


@mistake("rope_scores", "expected: the number of frequencies mistaken for the number of features")
def scores_divided_by_the_root_of_the_pairs(q, k, q_positions, k_positions, base=10000.0):
    """You divided by the square root of the number of pairs, d/2. The rule: divide by √d, where d is the number of
    features."""
    return rope.rope_scores(q, k, q_positions, k_positions, base) * np.sqrt(2)


@mistake("rope_attention", "expected: a reshape alone, without first swapping heads and tokens")
def heads_merged_without_a_swap(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You merged the heads in memory order, so one row gets features from several tokens. The rule: a row of the result
    holds the blocks of all heads for one token."""
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    return np.swapaxes(right.reshape(*right.shape[:-1], n_heads, -1), -2, -3).reshape(right.shape)


def rotated_as_a_whole_and_stored(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, first):
    """Generation step that joins the cache and the new key, rotates all keys at positions first, first + 1, … and
    stores them."""
    where = np.arange(np.shape(cache_k)[-2] + 1) + first
    weights = (w_q, w_k, w_v)
    out, keys, values = decoded(x_t, *weights, n_heads, cache_k, cache_v, position, base, position, 0, where)
    return out, rope.apply_rope(keys, where, base), values


@mistake("decode_step", "expected: all keys rotated at positions 0, 1, 2, … and stored that way", hint=ROTATED_AGAIN)
def all_keys_rotated_by_their_rows(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    return rotated_as_a_whole_and_stored(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base, 0)


@mistake("apply_partial_rope", "expected: only the rotated part returned, and the rest forgotten")
def rest_is_dropped(x, positions, rotary_dim, base=10000.0):
    """You returned only the rotated features. The rule: the other features follow the rotated features,
    unchanged."""
    return rope.apply_partial_rope(x, positions, rotary_dim, base)[..., :rotary_dim]


@mistake("decay_bound", "expected: abs inside the sum")
def sizes_added_up(offsets, head_dim, base=10000.0):
    """You took absolute values before adding, so every term is 1 and nothing cancels out. The rule: take the
    length of each partial sum."""
    return rope.decay_bound(offsets, head_dim, base) * 0 + (head_dim / 2 + 1) / 2


@mistake("apply_rope_half", "expected: interleaved_to_half and half_to_interleaved swapped")
def reordered_the_wrong_way(x, positions, base=10000.0):
    """Before the rotation, you reordered in the wrong direction. The rule: pair i consists of features i and i + d/2,
    so reorder to the interleaved layout, rotate, and reorder back."""
    return rope.half_to_interleaved(rope.apply_rope(rope.interleaved_to_half(x), positions, base))


@mistake("apply_rope_half", "expected: apply_rope used, and its features reordered only afterwards")
def reordered_at_the_end_alone(x, positions, base=10000.0):
    """You rotated neighbours and reordered only the result. The rule: pairs are features half the width apart, so
    reorder before the rotation too."""
    return rope.interleaved_to_half(rope.apply_rope(x, positions, base))


@mistake("rope_scores", "expected: (q·k).real of complex features in place of (q·conj(k)).real")
def product_without_the_conjugate(q, k, q_positions, k_positions, base=10000.0):
    """You multiplied the pairs as complex numbers without the conjugate, so the two angles add up. The rule: use the
    dot product, in which the angles are subtracted."""
    mirrored = np.asarray(rope.apply_rope(np.asarray(k, float), k_positions, base)) * np.tile(
        [1, -1], np.shape(k)[-1] // 2
    )
    rotated = rope.apply_rope(np.asarray(q, float), q_positions, base)
    return rotated @ np.swapaxes(mirrored, -1, -2) / np.sqrt(np.shape(q)[-1])


@mistake("rotate_half", "expected: the signs of the interleaved layout kept")
def every_second_sign_changed(x):
    """You gave a minus sign to every second feature. The rule: the whole new first half gets a minus sign."""
    right = rope.rotate_half(x)
    half = right.shape[-1] // 2
    return right * (np.repeat([-1.0, 1.0], half) * np.tile([-1.0, 1.0], half))


@mistake("interleaved_to_half", "expected: the two slices swapped")
def odd_features_first(x):
    """You put the odd features first. The rule: the first half consists of the even features, 0, 2, 4, …."""
    right = rope.interleaved_to_half(x)
    return np.roll(right, right.shape[-1] // 2, axis=-1)


@mistake("half_to_interleaved", "expected: the two halves swapped")
def second_half_first_in_each_pair(x):
    """You put the second half in the even columns. The rule: each pair begins with its feature from the first half."""
    right = rope.half_to_interleaved(x)
    return np.stack([right[..., 1::2], right[..., 0::2]], axis=-1).reshape(right.shape)


NOT_WITH_THIS_BASE = "Your scores do not use `base` throughout. The rule: rotate both queries and keys with `base`."


def scores_with_bases(q, k, q_positions, k_positions, base_of_q, base_of_k):
    right = rope.rope_scores(q, k, q_positions, k_positions)
    q, k = (np.asarray(one, dtype=np.float64) for one in (q, k))
    q, k = rope.apply_rope(q, q_positions, base_of_q), rope.apply_rope(k, k_positions, base_of_k)
    return (q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])).astype(right.dtype)


@mistake("rope_scores", "expected: an argument that is not passed on", hint=NOT_WITH_THIS_BASE)
def base_for_the_queries_alone(q, k, q_positions, k_positions, base=10000.0):
    return scores_with_bases(q, k, q_positions, k_positions, base, 10000.0)


@mistake("rope_scores", "expected: an argument that is not passed on", hint=NOT_WITH_THIS_BASE)
def base_for_neither(q, k, q_positions, k_positions, base=10000.0):
    return scores_with_bases(q, k, q_positions, k_positions, 10000.0, 10000.0)


@mistake("rope_attention", "expected: reshape(T, dh, heads), with the head on the last axis")
def heads_of_every_nth_column(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You gave each head every n-th column. The rule: a head has consecutive columns."""

    def in_blocks(weight):
        weight = np.asarray(weight, dtype=np.float64)
        columns = np.arange(weight.shape[-1]).reshape(-1, n_heads)
        return weight[:, columns.T.ravel()]

    return rope.rope_attention(x, *map(in_blocks, (w_q, w_k, w_v)), n_heads, positions, causal, base)


@mistake("rope_attention", "expected: np.triu instead of np.tril, or rows and columns of the mask swapped")
def only_later_rows(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """Your tokens attend to later tokens and not to earlier ones. The rule: row t may attend to rows 0 … t."""
    if not causal:
        return rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, False, base)
    x = np.asarray(x)
    places = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    turned = rope.rope_attention(x[..., ::-1, :], w_q, w_k, w_v, n_heads, places[::-1], True, base)
    return turned[..., ::-1, :]


@mistake("rope_attention", "expected: an argument that is not used")
def always_causal(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You hide later rows even when causal is False. The rule: if causal is False, every row may attend to all rows."""
    return rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, True, base)


@mistake("decay_bound", "expected: .real or np.cos instead of np.abs")
def mean_of_the_real_parts(offsets, head_dim, base=10000.0):
    """You took the mean of the real parts of the partial sums. The rule: take the lengths |S_j| of the
    partial sums."""
    angles = np.asarray(offsets)[..., np.newaxis] * rope.rope_frequencies(head_dim, base)
    return np.cumsum(np.cos(angles), axis=-1).mean(axis=-1)


@mistake("decay_bound", "expected: j counted from 0")
def sums_from_no_term_on(offsets, head_dim, base=10000.0):
    """Your sums begin with the empty sum, S_0, and end too early. The rule: the sums run from S_1, which has one term,
    to S_{d/2}."""
    hands = np.exp(1j * np.asarray(offsets)[..., np.newaxis] * rope.rope_frequencies(head_dim, base))
    sums = np.cumsum(hands, axis=-1)
    return np.abs(sums[..., :-1]).sum(axis=-1) / sums.shape[-1]


@mistake("apply_partial_rope", "expected: rotary_dim accepted but not used")
def whole_head_rotated(x, positions, rotary_dim, base=10000.0):
    """You rotated all features of the head. The rule: rotate only the first rotary_dim features, and leave the rest as
    they are."""
    return rope.apply_rope(x, positions, base)


@mistake("apply_partial_rope", "expected: the halves of the head instead of those of the rotated part")
def pairs_across_the_head(x, positions, rotary_dim, base=10000.0):
    """You paired features that are half the head apart. The rule: pairs are neighbours, (2i, 2i+1), among the
    first rotary_dim features."""
    x, pairs = np.asarray(x), rotary_dim // 2
    half = np.shape(x)[-1] // 2
    chosen = [*range(pairs), *range(half, half + pairs)]
    turned = np.array(x, dtype=np.float64)
    turned[..., chosen] = rope.apply_rope_half(x[..., chosen], positions, base)
    return turned


@mistake("apply_partial_rope", "GPT-NeoX, which pairs halves")
def part_in_the_half_layout(x, positions, rotary_dim, base=10000.0):
    """You rotated the first rotary_dim features in the half layout, as GPT-NeoX does. The rule: a pair consists
    of two neighbours, (2i, 2i+1)."""
    x = np.asarray(x)
    turned = rope.apply_rope_half(x[..., :rotary_dim], positions, base)
    return np.concatenate([turned, x[..., rotary_dim:]], axis=-1)


@mistake("decay_bound", "expected: offsets made a 1-D array, and returned as one")
def bound_of_a_number_as_an_array(offsets, head_dim, base=10000.0):
    """For a single number, you returned an array of shape (1,). The rule: the result has the shape of offsets, which is
    () for a number."""
    return np.atleast_1d(rope.decay_bound(offsets, head_dim, base))


@mistake("rope_cos_sin", "expected: the arguments of np.outer swapped")
def one_row_per_pair(positions, head_dim, base=10000.0):
    """Your tables have one row per pair. The rule: row t contains the angles of positions[t], with one column per
    pair."""
    return tuple(table.T for table in rope.rope_cos_sin(positions, head_dim, base))


@mistake("rotation_matrix", "expected: θ forgotten in the loop over the pairs")
def blocks_of_one_angle(position, head_dim, base=10000.0):
    """All your blocks rotate by the same angle. The rule: block i rotates by position · θ_i."""
    return np.kron(np.eye(head_dim // 2), rope.rotation_matrix(position, 2, base))


@mistake("decode_step", "expected: all keys rotated for the scores, at their positions", hint=ROTATED_AGAIN)
def cached_keys_rotated_again_for_the_scores(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    cached = np.shape(cache_k)[-2]
    again = rope.apply_rope(np.asarray(cache_k), np.arange(cached) - cached + position, base)
    out, _, _ = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, again, cache_v, position, base)
    return out, *rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)[1:]


@mistake("decode_step", "expected: one call of apply_rope for the cache and the new key", hint=ROTATED_AGAIN)
def cached_keys_rotated_by_the_new_position(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    again = rope.apply_rope(np.asarray(cache_k), np.full(np.shape(cache_k)[-2], position), base)
    return rope.decode_step(x_t, w_q, w_k, w_v, n_heads, again, cache_v, position, base)


@mistake("decode_step", "expected: the names of the new rows returned instead of those of the caches")
def only_the_new_rows_returned(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
    """You returned only the new key and the new value. The rule: the new caches contain the old rows, then the new
    ones."""
    out, keys, values = rope.decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base)
    return out, keys[..., -1:, :], values[..., -1:, :]


@mistake("rope_attention", "expected: the last step forgotten")
def heads_left_apart(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """You did not join the heads. The rule: the results of all heads are side by side in a token's row."""
    right = rope.rope_attention(x, w_q, w_k, w_v, n_heads, positions, causal, base)
    return np.swapaxes(right.reshape(*right.shape[:-1], n_heads, -1), -2, -3)


@mistake("rope_frequencies", "expected: one frequency per feature")
def one_frequency_per_feature(head_dim, base=10000.0):
    """You returned one frequency per feature. The rule: two features share a frequency, so there are d/2 of them."""
    return float(base) ** (-np.arange(head_dim) / head_dim)


@mistake("rope_scores", "expected: a minus sign for the difference of the positions")
def queries_rotated_backwards(q, k, q_positions, k_positions, base=10000.0):
    """You rotated queries and keys in opposite directions, so the scores depend on the sum of the positions. The rule:
    rotate both in the same direction."""
    return rope.rope_scores(q, k, -np.asarray(q_positions), k_positions, base)


@mistake("rope_attention", "expected: the last axis but one, as for the sum over tokens")
def attention_softmax_over_the_queries(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    """In your result, the weights of each key sum to 1. The rule: the weights of each query sum to 1, so the
    softmax runs along the keys, the last axis of the scores."""
    q, k, v = (np.asarray(x, dtype=np.float64) @ np.asarray(weight) for weight in (w_q, w_k, w_v))
    positions = np.arange(v.shape[-2]) if positions is None else positions
    q, k, v = (np.swapaxes(part.reshape(*part.shape[:-1], n_heads, -1), -2, -3) for part in (q, k, v))
    scores = rope.rope_scores(q, k, positions, positions, base)
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    heads = np.swapaxes(weights / weights.sum(axis=-2, keepdims=True) @ v, -2, -3)
    return heads.reshape(*heads.shape[:-2], -1)


@mistake("apply_rope", "expected: the list of angles of the half layout, with a rotation of neighbours")
def half_layout_frequencies_with_neighbours(x, positions, base=10000.0):
    """You repeated the whole list of angles, as for the half layout, but your rotation pairs neighbours. The rule:
    features 2i and 2i + 1 have the same angle."""
    x = np.asarray(x, dtype=np.float64)
    cos, sin = (np.concatenate([each, each], axis=-1) for each in rope.rope_cos_sin(positions, x.shape[-1], base))
    partners = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * cos + partners * sin


vars().update(
    chain(
        without_effect(rope.rope_frequencies, "base"),
        without_effect(rope.rope_cos_sin, "base"),
        without_effect(rope.apply_rope, "base"),
        without_effect(rope.rotation_matrix, "base"),
        without_effect(rope.apply_partial_rope, "base"),
        without_effect(rope.apply_rope_half, "base"),
        without_effect(rope.decode_step, "base"),
        without_effect(rope.decay_bound, "base"),
    )
)


WRONG_ANSWERS = {
    "score_change_when_all_shift_by_5": {
        5: "5 is how far both positions move; a score depends on their difference n − m. How much does that change?",
        10: "You added both shifts; a score depends on the difference n − m of the positions.",
        25: "You multiplied both shifts; a score depends on the difference n − m of the positions.",
    },
    "extra_parameters": {
        1: "The base is chosen before training; a parameter is a number that training changes.",
        10000: "This is the base, which is chosen before training; the question is how many numbers training changes.",
        2: "Each pair of features has an angle, which follows from the base and the position; the question is how many "
        "numbers training changes.",
    },
}
