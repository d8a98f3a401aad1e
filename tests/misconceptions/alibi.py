"""Known mistakes with ALiBi: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

import math

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import alibi

COUNTED_FROM_ZERO = (
    "Your slopes are one step too steep. The rule: the sequence starts not at 1 but at 2^(−8/n), which is also its "
    "ratio."
)


@mistake("alibi_slopes", "paiml/aprender #2143", hint=COUNTED_FROM_ZERO)
def slopes_start_at_one(n_heads):
    slopes = alibi.alibi_slopes(n_heads)
    power = power_below(n_heads)
    return slopes * 2.0 ** (8 / power)


@mistake("alibi_slopes", "ml-explore/mlx #343, #3071")
def one_formula_for_every_number_of_heads(n_heads):
    """You used the formula for powers of two for every number of heads. The rule: if the number of heads is not a power
    of two, begin with the slopes for the next lower power, then add slopes from the sequence for twice that power."""
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@mistake("alibi_slopes", "NVIDIA/TensorRT-LLM #1611; antofuller/CROMA #12")
def slopes_sorted(n_heads):
    """You sorted the slopes. The rule: keep the authors' order, which is not sorted unless the number of heads is a
    power of two."""
    return np.sort(alibi.alibi_slopes(n_heads))[::-1]


@mistake("alibi_slopes", "expected: numpy's sort()")
def slopes_sorted_upwards(n_heads):
    """You sorted the slopes from small to large. The rule: the first head has the steepest slope of the sequence for
    the power of two, and the extra heads come last."""
    return np.sort(alibi.alibi_slopes(n_heads))


@mistake("alibi_slopes", "expected: the stride left out")
def further_heads_without_the_stride(n_heads):
    """You gave the extra heads neighbouring slopes of the longer sequence, so some slopes occur twice. The rule:
    use every other slope of the longer sequence."""
    power = power_below(n_heads)
    return np.concatenate([alibi.alibi_slopes(power), alibi.alibi_slopes(2 * power)[: n_heads - power]])


@mistake("alibi_slopes", "expected: every other slope, counted from the wrong end of a pair")
def further_heads_repeat_the_others(n_heads):
    """You gave the extra heads slopes that other heads already have. The rule: use the first, third, fifth, …
    slopes of the sequence for twice the power of two."""
    power = power_below(n_heads)
    return np.concatenate([alibi.alibi_slopes(power), alibi.alibi_slopes(2 * power)[1::2][: n_heads - power]])


RATIO_OF_EIGHT = (
    "You made each slope half the slope before it, which is right only for eight heads. The rule: the ratio depends on "
    "the number of heads."
)


def in_two_sequences(sequence, n_heads):
    """Slopes built from two sequences: sequence(power) returns the slopes for a power of two."""
    power = power_below(n_heads)
    return np.concatenate([sequence(power), sequence(2 * power)[0::2][: n_heads - power]])


def halves(n_heads):
    return 0.5 ** np.arange(1, n_heads + 1)


@mistake("alibi_slopes", "expected: the paper's example for eight heads mistaken for the rule", hint=RATIO_OF_EIGHT)
def every_ratio_is_one_half(n_heads):
    return halves(n_heads)


@mistake("alibi_slopes", "expected: the ratio of eight heads in both sequences", hint=RATIO_OF_EIGHT)
def every_ratio_is_one_half_in_both_sequences(n_heads):
    return in_two_sequences(halves, n_heads)


@mistake("alibi_slopes", "expected: 1/2^h with heads counted from 0")
def halves_from_one(n_heads):
    """You made each slope half the previous one, starting from 1. The rule: the ratio of neighbouring slopes
    depends on the number of heads, and the first slope is the ratio itself."""
    return 0.5 ** np.arange(n_heads)


@mistake("alibi_slopes", "expected: the division by n left out")
def exponent_without_the_number_of_heads(n_heads):
    """Your exponent is −8h. The rule: the exponent for head h is −8h/n, where n is the number of heads. If n is a power
    of two, the last slope is 1/256."""
    return in_two_sequences(lambda power: 2.0 ** (-8.0 * np.arange(1, power + 1)), n_heads)


@mistake("alibi_slopes", "expected: the 8 of the exponent left out")
def exponent_without_its_eight(n_heads):
    """Your exponent is −h/n. The rule: the exponent is −8h/n, so if n is a power of two, the last slope is 1/256."""
    return in_two_sequences(lambda power: 2.0 ** (-np.arange(1, power + 1) / power), n_heads)


@mistake("alibi_slopes", "expected: np.exp instead of a power of 2")
def powers_of_e(n_heads):
    """You took powers of e. The rule: slopes are powers of 2."""
    return in_two_sequences(lambda power: np.exp(-8.0 * np.arange(1, power + 1) / power), n_heads)


@mistake("alibi_slopes", "expected: 1/h for 2^(−h)")
def slopes_of_one_over_the_head(n_heads):
    """Your slopes are 1, 1/2, 1/3, …. The rule: the slopes form a geometric sequence: each slope is the previous
    one times the same ratio."""
    return 1.0 / np.arange(1, n_heads + 1)


@mistake("alibi_slopes", "expected: the sign of the exponent lost")
def exponent_without_its_sign(n_heads):
    """You left out the minus sign in the exponent. The rule: slopes lie between 0 and 1."""
    return 1 / alibi.alibi_slopes(n_heads)


@mistake("alibi_bias", "meta-pytorch/attention-gym #86")
def far_keys_are_rewarded(n_heads, q_len, k_len):
    """You reward far keys. The rule: the bias lowers the scores of far keys."""
    return -alibi.alibi_bias(n_heads, q_len, k_len)


@mistake("alibi_bias", "vllm-project/vllm #945")
def distance_one_too_large_with_a_cache(n_heads, q_len, k_len):
    """Your distances are too large by one if there are fewer queries than keys. The rule: the newest token has distance
    0 from itself."""
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    return bias if q_len == k_len else alibi.alibi_bias(n_heads, q_len, k_len + 1)[..., :-1]


@mistake("alibi_bias", "expected: positions of queries counted from 0 with a cache")
def queries_counted_from_the_start(n_heads, q_len, k_len):
    """You gave the first query the position of the first key. The rule: the last query has the position of the last
    key."""
    return alibi.alibi_bias(n_heads, k_len, k_len)[:, :q_len]


@mistake("alibi_attention", "ofirpress/attention_with_linear_biases #5")
def blooms_bias_without_a_mask(q, k, v, causal=True):
    """You raise the scores of keys ahead of the query. The rule: the bias is −m·|i − j|; BLOOM's bias, which
    grows with j, has the same effect only for keys up to the query's own."""
    return attend(q, k, v, causal, lambda bias: alibi.bloom_bias(bias.shape[0], bias.shape[-1]))


@mistake("alibi_bias", "expected: slope · (i − j), without the minus and the absolute value")
def keys_behind_gain(n_heads, q_len, k_len):
    """Your distance has a sign, so you reward keys behind the query and penalise keys ahead. The rule: the
    bias is −slope · |i − j| in both directions."""
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    ahead = ~np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    return np.where(ahead, bias, -bias)


@mistake("alibi_bias", "expected: i − j left without its absolute value; ofirpress/attention_with_linear_biases #5")
def keys_ahead_gain(n_heads, q_len, k_len):
    """You raise the scores of keys ahead of the query. The rule: a distance is an absolute value."""
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    ahead = ~np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    return np.where(ahead, -bias, bias)


@mistake("alibi_attention", "expected: the bias added before the scaling")
def bias_divided_too(q, k, v, causal=True):
    """You divided the bias by √d as well. The rule: divide the scores first, and then add the bias unchanged."""
    return attend(q, k, v, causal, lambda bias: bias / np.sqrt(np.shape(q)[-1]))


@mistake("alibi_attention", "expected: the scale of Vaswani et al. 2017 §3.2.1 left out")
def scores_without_their_scale(q, k, v, causal=True):
    """You did not divide the scores by √d. The rule: divide q kᵀ by √d before you add the bias."""
    return attend(np.asarray(q) * np.sqrt(np.shape(q)[-1]).astype(np.asarray(q).dtype), k, v, causal, lambda bias: bias)


@mistake("alibi_attention", "expected: np.tril of a matrix that is not square")
def mask_lined_up_at_the_start(q, k, v, causal=True):
    """Your causal mask gives the first query the position of the first key. The rule: the last query may use all
    keys."""
    if not causal:
        return alibi.alibi_attention(q, k, v, causal)
    return attend(q, k, v, False, lambda bias: np.where(np.tri(*bias.shape[-2:], dtype=bool), bias, -np.inf))


@mistake("alibi_attention", "expected: the bias mistaken for a mask")
def the_mask_forgotten(q, k, v, causal=True):
    """Your queries use keys that come after them. The rule: attention is causal by default, so every key ahead is
    hidden."""
    return alibi.alibi_attention(q, k, v, False)


@mistake("bloom_bias", "expected: Press et al. number the positions of a sequence from 1")
def keys_counted_from_one(n_heads, k_len):
    """You count keys from 1. The rule: the first key has position 0. Your bias gives the correct softmax weights,
    but its values are wrong."""
    return alibi.bloom_bias(n_heads, k_len + 1)[..., 1:] if k_len >= 0 else alibi.bloom_bias(n_heads, k_len)


@mistake("bloom_bias", "expected: `build_mpt_alibi_tensor` in Hugging Face transformers instead of BLOOM's function")
def counted_back_from_the_last_key(n_heads, k_len):
    """You counted back from the last key, as MPT does. The rule: count up from 0, as BLOOM does. Your bias gives
    the correct softmax weights, but its values are wrong."""
    bias = alibi.bloom_bias(n_heads, k_len)
    return bias - bias[..., -1:]


@mistake("bloom_bias", "vllm-project/vllm #1009 (whether BLOOM's form and minus the distance are the same)")
def late_keys_lose(n_heads, k_len):
    """You lower the scores of late keys. The rule: in BLOOM's form, the bias grows with the key's position, because
    late keys are nearer to the query."""
    return -alibi.bloom_bias(n_heads, k_len)


@mistake("bloom_bias", "expected: an outer product of slopes and positions")
def no_axis_for_the_queries(n_heads, k_len):
    """Your result has no query axis. The rule: the shape is (heads, 1, keys), so that each head's single row
    broadcasts over all queries."""
    return alibi.bloom_bias(n_heads, k_len)[:, 0, :]


@mistake("effective_window", "expected: round() instead of rounding up")
def the_window_rounded_to_the_nearest(slope, tolerance):
    """You rounded the window to the nearest whole number, so e^(−m·r) at its end can be larger than the
    tolerance. The rule: round up."""
    return round(-math.log(tolerance) / slope)


@mistake("effective_window", "expected: int() instead of rounding up")
def the_window_rounded_down(slope, tolerance):
    """Your window ends one distance too early, where e^(−m·r) is still larger than the tolerance. The rule: round
    up."""
    return math.floor(-math.log(tolerance) / slope)


@mistake("effective_window", "expected: slopes are powers of 2, weights are not")
def the_logarithm_to_base_two(slope, tolerance):
    """You used the logarithm to base 2. The rule: use the natural logarithm, because the weight falls as e^(−m·r)."""
    return math.ceil(-math.log2(tolerance) / slope)


@mistake("effective_window", "expected: score and weight confused with each other")
def the_bias_compared_with_the_tolerance(slope, tolerance):
    """You compared the bias itself with the tolerance. The rule: compare e^(−m·r), the factor by which the bias lowers
    a weight, with the tolerance."""
    return math.ceil(tolerance / slope)


@mistake("alibi_slopes", "paiml/aprender #2143, with every other slope from the first", hint=COUNTED_FROM_ZERO)
def counted_from_zero_in_both_sequences(n_heads):
    power = power_below(n_heads)
    return np.concatenate([from_zero(power), from_zero(2 * power)[0::2][: n_heads - power]])


@mistake("alibi_slopes", "expected: one formula, with h from 0, for every number of heads", hint=COUNTED_FROM_ZERO)
def counted_from_zero_for_every_number(n_heads):
    return from_zero(n_heads)


@mistake("alibi_slopes", "expected: np.geomspace or np.logspace over the whole range")
def spread_from_one_to_the_last(n_heads):
    """Your slopes run from 1 to 1/256, inclusive. The rule: the first slope is 2^(−8/n), and so is the ratio."""
    return np.geomspace(1, 2.0**-8, n_heads)


@mistake("alibi_slopes", "expected: the ends of the paper's example for eight heads mistaken for the rule")
def spread_from_one_half(n_heads):
    """You spread the slopes from 1/2 to 1/256 for every number of heads, but 1/2 is the first slope only for eight
    heads. The rule: the first slope is 2^(−8/n)."""
    return np.geomspace(0.5, 2.0**-8, n_heads)


@mistake("alibi_slopes", "expected: math.ceil of the logarithm")
def cut_from_the_power_above(n_heads):
    """You used the first slopes for the next higher power of two. The rule: begin with the slopes for the next
    lower power of two."""
    power = power_below(n_heads)
    return alibi.alibi_slopes(power if power == n_heads else 2 * power)[:n_heads]


@mistake("alibi_bias", "expected: one slope broadcast over the heads")
def one_slope_for_all_heads(n_heads, q_len, k_len):
    """You gave every head the same slope. The rule: each head has its own slope."""
    return np.repeat(alibi.alibi_bias(n_heads, q_len, k_len)[:1], n_heads, axis=0)


@mistake("alibi_bias", "expected: the mask written into the bias, as causal models store it")
def keys_ahead_hidden_in_the_bias(n_heads, q_len, k_len):
    """Your bias hides the keys ahead. The rule: the bias falls with distance for keys ahead too; alibi_attention hides
    these keys."""
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    return np.where(np.tri(q_len, k_len, k_len - q_len, dtype=bool), bias, -np.inf)


@mistake("alibi_bias", "expected: np.tril or a maximum with 0 instead of the absolute value")
def keys_ahead_without_a_bias(n_heads, q_len, k_len):
    """Your bias is 0 for keys ahead of the query. The rule: a distance is an absolute value, so the bias
    falls for keys ahead too."""
    return np.tril(alibi.alibi_bias(n_heads, q_len, k_len), k_len - q_len)


@mistake("alibi_bias", "expected: a Gaussian window mistaken for ALiBi")
def distance_squared(n_heads, q_len, k_len):
    """You squared the distance. The rule: the bias is a straight line, slope times distance."""
    bias = alibi.alibi_bias(n_heads, q_len, k_len)
    return -(bias**2) / alibi.alibi_slopes(n_heads)[:, np.newaxis, np.newaxis]


@mistake("alibi_bias", "expected: distances times slopes, broadcast along the last axis")
def heads_on_the_last_axis(n_heads, q_len, k_len):
    """In your result, the heads are on the last axis. The rule: the axes are (heads, queries, keys), to match the
    scores."""
    return np.moveaxis(alibi.alibi_bias(n_heads, q_len, k_len), 0, -1)


@mistake("alibi_attention", "expected: d_model instead of the size of a head")
def scaled_by_the_width_of_the_model(q, k, v, causal=True):
    """You divided the scores by the square root of the model's width, which is the combined width of all heads.
    The rule: divide by √d, where d is the number of features of one head."""
    q = np.asarray(q)
    narrowed = np.sqrt(q.shape[-3]).astype(q.dtype if q.dtype == np.float32 else np.float64)
    return attend(q / narrowed, k, v, causal, lambda bias: bias)


@mistake("alibi_attention", "expected: the wrong axis of the softmax")
def softmax_over_the_queries(q, k, v, causal=True):
    """Your softmax sums over the queries. The rule: for each query, the weights over all keys sum to 1."""
    q, k, v = (np.asarray(one) for one in (q, k, v))
    scores = q.astype(np.float64) @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = scores + alibi.alibi_bias(*scores.shape[-3:])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], k.shape[-2] - q.shape[-2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return weights / weights.sum(axis=-2, keepdims=True) @ v


@mistake("effective_window", "expected: log10 for a tolerance that is a power of ten")
def the_logarithm_to_base_ten(slope, tolerance):
    """You used the logarithm to base 10. The rule: use the natural logarithm, because the weight falls as e^(−m·r)."""
    return math.ceil(-math.log10(tolerance) / slope)


def from_zero(n_heads):
    """Slopes 2^(−8h/n_heads), where h counts from 0."""
    return 2.0 ** (-8 * np.arange(n_heads) / n_heads)


def power_below(n_heads):
    """Largest power of two that is at most n_heads."""
    return 2 ** (len(alibi.alibi_slopes(n_heads)).bit_length() - 1)


def attend(q, k, v, causal, change):
    """Attention that is correct except for its bias, which `change` computes from the correct bias."""
    right = alibi.alibi_attention(q, k, v, causal)
    q, k, v = (np.asarray(one) for one in (q, k, v))
    n_heads, q_len, d = q.shape[-3:]
    scores = q.astype(np.float64) @ np.swapaxes(k, -1, -2) / np.sqrt(d)
    scores = scores + change(alibi.alibi_bias(n_heads, q_len, k.shape[-2]))
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], k.shape[-2] - q_len, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True) @ v).astype(right.dtype)


@mistake("alibi_slopes", "expected: the two parts joined in the wrong order")
def further_heads_first(n_heads):
    """You put the new slopes before the slopes for the power of two. The rule: the new slopes belong to the extra
    heads, so they come last."""
    slopes, power = alibi.alibi_slopes(n_heads), power_below(n_heads)
    return np.concatenate([slopes[power:], slopes[:power]])


def multiples(n_heads):
    return 2.0 ** (-8 / n_heads) * np.arange(1, n_heads + 1)


@mistake("alibi_slopes", "expected: * instead of **, in both sequences")
def ratio_times_the_head(n_heads):
    """You multiplied the ratio 2^(−8/n) by the head number. The rule: raise the ratio to the power of the head
    number, so that each slope is the previous one times the ratio."""
    return in_two_sequences(multiples, n_heads)


def from_queries(n_heads, places, k_len):
    """Bias for queries at the positions in `places`."""
    return alibi.alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * -np.abs(np.subtract.outer(places, np.arange(k_len)))


@mistake("alibi_bias", "expected: k_len − q_len − 1, and never below 0")
def queries_one_place_too_early_with_a_cache(n_heads, q_len, k_len):
    """Your queries are one position too early. The rule: the last query has the position of the last key, so query i is
    at i + (k_len − q_len)."""
    return from_queries(n_heads, np.arange(q_len) + max(k_len - q_len - 1, 0), k_len)


@mistake("alibi_attention", "expected: d read from the wrong array")
def scaled_by_the_size_of_the_values(q, k, v, causal=True):
    """You divided the scores by the square root of the width of v. The rule: divide by √d, where d is the width of q
    and k."""
    q = np.asarray(q, dtype=np.float64) * np.sqrt(np.shape(q)[-1] / np.shape(v)[-1])
    return alibi.alibi_attention(q, k, v, causal)


def weighed(q, k, v, causal, weigh):
    """Attention that is correct except for the softmax: `weigh` turns the scores and the mask of allowed keys into
    weights."""
    right = alibi.alibi_attention(q, k, v, causal)
    scores = np.asarray(q, dtype=np.float64) @ np.swapaxes(k, -1, -2) / np.sqrt(np.shape(q)[-1])
    scores = scores + alibi.alibi_bias(*scores.shape[-3:])
    q_len, k_len = scores.shape[-2:]
    usable = np.tri(q_len, k_len, k_len - q_len) if causal else np.ones((q_len, k_len))
    return (weigh(scores, usable) @ v).astype(right.dtype)


def shares(weights):
    return weights / weights.sum(axis=-1, keepdims=True)


def exponentials(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


@mistake("alibi_attention", "expected: the mask applied to the weights")
def mask_after_softmax(q, k, v, causal=True):
    """You set the weights of keys ahead to 0 after the softmax, so the remaining weights no longer sum to 1. The
    rule: set the scores of keys ahead to −inf before the softmax."""
    return weighed(q, k, v, causal, lambda scores, usable: shares(exponentials(scores)) * usable)


@mistake("alibi_attention", "expected: the scores multiplied by the mask")
def scores_ahead_at_zero(q, k, v, causal=True):
    """You set the scores of keys ahead to 0, but e^0 is 1, so they still get weight. The rule: set the scores of
    keys ahead to −inf before the softmax."""
    return weighed(q, k, v, causal, lambda scores, usable: shares(exponentials(scores * usable)))


@mistake("alibi_attention", "expected: softmax as the formula has it")
def exp_of_raw_scores(q, k, v, causal=True):
    """You took exp of the raw scores: large ones overflow, and inf/inf is NaN. The rule: first subtract the largest
    score of each row."""

    def weigh(scores, usable):
        return shares(np.exp(np.where(usable > 0, scores, -np.inf)))

    return weighed(q, k, v, causal, weigh)


@mistake("alibi_attention", "expected: an argument that is not used")
def always_causal(q, k, v, causal=True):
    """You hide keys ahead even when causal is False. The rule: if causal is False, every query may use all keys."""
    return alibi.alibi_attention(q, k, v)


@mistake("alibi_bias", "expected: a sign lost between two positions")
def positions_added_up(n_heads, q_len, k_len):
    """You added the positions of query and key. The rule: compute the distance, which is the difference between the two
    positions."""
    sums = np.add.outer(np.arange(k_len - q_len, k_len), np.arange(k_len))
    return alibi.alibi_slopes(n_heads)[:, np.newaxis, np.newaxis] * -sums


@mistake("alibi_slopes", "expected: the sequence built from its end")
def slopes_from_the_last_head(n_heads):
    """Your slopes are in the reverse order. The rule: for a power of two, head 0 has the steepest slope."""
    return alibi.alibi_slopes(n_heads)[::-1]


@mistake("effective_window", "expected: the last distance that counts mistaken for the first that does not")
def window_one_too_far(slope, tolerance):
    """Your window ends one distance too far. The rule: return the first distance at which e^(−m·r) is at most the
    tolerance."""
    return alibi.effective_window(slope, tolerance) + 1


@mistake("alibi_attention", "expected: bias and mask in one branch")
def no_bias_without_a_mask(q, k, v, causal=True):
    """With causal = False, you left out the bias. The rule: add the bias with and without the causal mask."""
    return attend(q, k, v, causal, lambda bias: bias if causal else 0 * bias)


WRONG_ANSWERS = {
    "first_slope_8_heads": {
        1: "You began at 2^0. The rule: the first slope is one step lower, 2^(−8/n), and so is the ratio.",
        2**-8: "This is the slope of the last head; the first head has the largest slope.",
        2: "You left out the minus sign in the exponent; slopes lie between 0 and 1.",
    },
    "last_slope_8_heads": {
        2**-7: "You began at 2^0, so the last slope is one step too large. The rule: the first slope is 2^(−8/n).",
        0.5: "This is the slope of the first head; each later one is smaller by the same ratio.",
        2**8: "You left out the minus sign in the exponent; slopes lie between 0 and 1.",
        2**-64: "Your exponent is −8 · 8. The rule: head k of n has the exponent −8k/n.",
    },
    "parameters": {
        8: "You counted the slopes of 8 heads; a parameter is a number that training changes, and slopes stay fixed.",
        1: "You counted a number that is chosen before training; a parameter is a number that training changes.",
    },
}
