"""Known mistakes in the experiment: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words. A hint never gives away the line of code.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import extrapolation


def distances(length):
    """Distance i − j between query i and key j."""
    return np.subtract.outer(np.arange(length), np.arange(length))


def turned(x, parameters):
    """RoPE on neighbours (2i, 2i+1), with each pair as a complex number."""
    length, d = x.shape
    angles = np.outer(np.arange(length), float(parameters.get("base", 10000.0)) ** (-np.arange(0, d, 2) / d))
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(length, d)


def shared_bucket(distance, buckets):
    """T5's bucket for a distance, with `buckets` buckets in one direction."""
    exact = buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / np.log(128 / exact)
    logarithmic = np.minimum(exact + (share * (buckets - exact) + 1e-9).astype(int), buckets - 1)
    return np.where(distance < exact, distance, logarithmic)


def plain(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])


def effect(method, q, parameters):
    """Part that Shaw, T5 or ALiBi adds to the plain scores."""
    ahead = -distances(len(q))
    if method == "shaw":
        table = np.asarray(parameters["key_table"], dtype=np.float64)
        reach = len(table) // 2
        return np.einsum("id,ijd->ij", q, table[np.clip(ahead, -reach, reach) + reach]) / np.sqrt(q.shape[-1])
    if method == "t5":
        table = np.asarray(parameters["bias_table"], dtype=np.float64)[:, 0]
        return table[shared_bucket(np.maximum(-ahead, 0), len(table))]
    return parameters["slope"] * ahead if method == "alibi" else np.zeros(ahead.shape)


def scores(method, q, k, parameters):
    """The method's scores without a mask, for entries with a mistake in a later step."""
    q, k = np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64)
    if method == "rope":
        q, k = turned(q, parameters), turned(k, parameters)
    return plain(q, k) + effect(method, q, parameters)


def hide_the_future(result, right):
    return np.where(distances(len(result)) >= 0, result, -np.inf).astype(right.dtype)


@mistake("encode", "expected: t/T instead of t/(T − 1)")
def normalized_by_the_length(method, x, parameters):
    """Your last row does not get position 1. The rule: divide t by T − 1, because T rows have T − 1 steps between
    them."""
    right = extrapolation.encode(method, x, parameters)
    if method != "normalized":
        return right
    return x + np.arange(len(x))[:, np.newaxis] / len(x)


@mistake("encode", "expected: shifting by 0, 1, 2, … gives the least significant bit first")
def least_significant_bit_first(method, x, parameters):
    """You put the bits in the opposite order. The rule: the most significant bit comes first."""
    right = extrapolation.encode(method, x, parameters)
    if method != "binary":
        return right
    added = extrapolation.encode(method, np.zeros(np.shape(x)), parameters)
    added[:, : parameters["n_bits"]] = added[:, : parameters["n_bits"]][:, ::-1]
    return x + added


@mistake("encode", "tensorflow/tensorflow #37191")
def sines_and_cosines_in_blocks(method, x, parameters):
    """You put all sines first and then all cosines. The rule: features 2i and 2i + 1 get the sine and the cosine of one
    angle."""
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    added = extrapolation.encode(method, np.zeros(np.shape(x)), parameters)
    return x + np.concatenate([added[:, 0::2], added[:, 1::2]], axis=-1)


@mistake("encode", "expected: pairs counted and divided by the number of features")
def exponent_half_as_large(method, x, parameters):
    """Your sinusoidal exponent is half as large as it should be. The rule: the exponent is −2i/d, which falls to nearly
    −1."""
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    length, d = np.shape(x)
    angles = np.outer(np.arange(length), float(parameters.get("base", 10000.0)) ** (-np.arange(d // 2) / d))
    return x + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d)


@mistake("encode", "DongjunLee/transformer-tensorflow #6")
def a_frequency_for_each_feature(method, x, parameters):
    """You gave every feature its own frequency. The rule: features 2i and 2i + 1 share the angle of pair i."""
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    length, d = np.shape(x)
    angles = np.outer(np.arange(length), float(parameters.get("base", 10000.0)) ** (-np.arange(d) / d))
    return x + np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


@mistake("encode", "expected: RoPE also applied to the input of the values")
def embeddings_turned_by_rope(method, x, parameters):
    """You rotated the embeddings. The rule: RoPE acts in the scores, on queries and keys, and adds nothing to the
    embeddings."""
    right = extrapolation.encode(method, x, parameters)
    if method != "rope" or np.shape(x)[-1] % 2:
        return right
    return turned(np.asarray(x, dtype=np.float64), parameters)


@mistake("logits", "expected: the causal mask left out")
def mask_left_out(method, q, k, parameters):
    """Your queries use keys that come after them. The rule: the logits above the diagonal are −∞."""
    return scores(method, q, k, parameters)


@mistake("logits", "expected: the (key, query) mask used for (query, key)")
def past_hidden(method, q, k, parameters):
    """You mirrored the mask, so a query uses the keys ahead of it instead of those behind it. The rule: only the
    logits above the diagonal are −∞."""
    return np.where(distances(len(q)) <= 0, scores(method, q, k, parameters), -np.inf)


@mistake("logits", "expected: the mask begins one too early, at the diagonal")
def diagonal_hidden(method, q, k, parameters):
    """You hide a query's own key. The rule: hide only the keys above the diagonal; the diagonal itself stays
    visible."""
    return np.where(distances(len(q)) > 0, extrapolation.logits(method, q, k, parameters), -np.inf)


@mistake("logits", "expected: q scaled, and then the scores")
def scaled_twice(method, q, k, parameters):
    """You divided the scores by √d twice. The rule: divide the scores once."""
    right = extrapolation.logits(method, q, k, parameters)
    exact = np.asarray(q, dtype=np.float64)
    outside = effect(method, exact, parameters) if method in ("t5", "alibi") else 0.0
    scaled = (scores(method, q, k, parameters) - outside) / np.sqrt(exact.shape[-1])
    return hide_the_future(scaled + outside, right)


@mistake("logits", "expected: T5 itself leaves the scale out")
def t5_not_scaled(method, q, k, parameters):
    """You did not divide the scores by √d. The rule: in this lesson, every method, including T5, divides by √d."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "t5":
        return right
    exact = np.asarray(q, dtype=np.float64)
    return hide_the_future(exact @ np.asarray(k, dtype=np.float64).T + effect(method, exact, parameters), right)


@mistake("logits", "expected: the score then depends on one position and not on the distance")
def rope_on_one_side(method, q, k, parameters):
    """You rotated only the queries. The rule: RoPE rotates each query and each key by its own position."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "rope":
        return right
    return hide_the_future(
        plain(turned(np.asarray(q, dtype=np.float64), parameters), np.asarray(k, dtype=np.float64)), right
    )


@mistake("logits", "dmlc/gluon-nlp #1470")
def shaw_with_query_minus_key(method, q, k, parameters):
    """You read the key table in the opposite order. The rule: the relative position is key minus query, j − i."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "shaw":
        return right
    mirrored = {"key_table": np.asarray(parameters["key_table"])[::-1]}
    return hide_the_future(scores(method, q, k, mirrored), right)


@mistake("logits", "huggingface/transformers #8518")
def t5_buckets_for_both_directions(method, q, k, parameters):
    """You reserved half of the buckets for keys ahead. The rule: use all buckets for the past, because a causal
    model uses no keys ahead."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "t5" or len(parameters["bias_table"]) < 4:
        return right
    table = np.asarray(parameters["bias_table"], dtype=np.float64)[:, 0]
    bucket = shared_bucket(np.maximum(distances(len(q)), 0), len(table) // 2)
    return hide_the_future(scores("none", q, k, parameters) + table[bucket], right)


def with_t5_buckets(method, q, k, parameters, share, shared):
    """Logits with other buckets for T5's far distances: E + ⌊share(n, E) · shared(B, E)⌋, at most B − 1."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "t5" or len(parameters["bias_table"]) < 2:
        return right
    table = np.asarray(parameters["bias_table"], dtype=np.float64)[:, 0]
    distance, exact = np.maximum(distances(len(q)), 0), len(table) // 2
    steps = share(np.maximum(distance, exact), exact) * shared(len(table), exact) + 1e-9
    bucket = np.where(distance < exact, distance, np.clip(exact + steps.astype(int), 0, len(table) - 1))
    return hide_the_future(scores("none", q, k, parameters) + table[bucket], right)


@mistake("logits", "expected: all buckets instead of those that are left")
def t5_steps_for_all_buckets(method, q, k, parameters):
    """You spread T5's logarithm over all B buckets. The rule: spread the logarithm over B − E buckets,
    because near distances use the first E."""
    return with_t5_buckets(
        method, q, k, parameters, lambda n, e: np.log(n / e) / np.log(128 / e), lambda buckets, _: buckets
    )


@mistake("logits", "expected: the E in the denominator forgotten")
def t5_logarithm_of_128(method, q, k, parameters):
    """You divided T5's logarithm by ln 128. The rule: divide by ln(128/E), so that the last bucket begins near 128."""
    return with_t5_buckets(method, q, k, parameters, lambda n, e: np.log(n / e) / np.log(128), np.subtract)


@mistake("logits", "expected: the E in both logarithms forgotten")
def t5_logarithm_of_the_whole_distance(method, q, k, parameters):
    """For T5, you took the logarithms of n and of 128. The rule: divide n and 128 by E first, so the
    logarithmic part starts where the exact part ends."""
    return with_t5_buckets(method, q, k, parameters, lambda n, _: np.log(n) / np.log(128), np.subtract)


@mistake("logits", "expected: the logarithmic half of T5's formula left out")
def t5_buckets_all_exact(method, q, k, parameters):
    """You made all of T5's buckets one position wide. The rule: from n = E on, the buckets widen logarithmically."""
    return with_t5_buckets(method, q, k, parameters, lambda n, e: n - e, lambda buckets, _: 1)


@mistake("logits", "expected: the sign, easily lost between i − j and j − i")
def alibi_added(method, q, k, parameters):
    """Your ALiBi bias grows with the distance. The rule: subtract the bias, so that far keys count less."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "alibi":
        return right
    return hide_the_future(scores("none", q, k, parameters) + parameters["slope"] * distances(len(q)), right)


BIAS_SCALED_TOO = "You divided the bias by √d as well. The rule: add the biases of T5 and ALiBi after the division."


def with_effect_times(power, methods, method, q, k, parameters):
    """Logits in which the part added by the listed methods is multiplied by √d to the power of `power`."""
    right = extrapolation.logits(method, q, k, parameters)
    if method not in methods:
        return right
    added = effect(method, np.asarray(q, dtype=np.float64), parameters) * np.sqrt(np.shape(q)[-1]) ** power
    return hide_the_future(scores("none", q, k, parameters) + added, right)


@mistake("logits", "expected: the bias added to q·k before the scale, for ALiBi only", hint=BIAS_SCALED_TOO)
def bias_of_alibi_scaled_too(method, q, k, parameters):
    return with_effect_times(-1, ("alibi",), method, q, k, parameters)


@mistake("logits", "expected: the bias added to q·k before the scale, for T5 only", hint=BIAS_SCALED_TOO)
def bias_of_t5_scaled_too(method, q, k, parameters):
    return with_effect_times(-1, ("t5",), method, q, k, parameters)


@mistake("logits", "expected: Shaw's part mistaken for a bias like T5's")
def distance_of_shaw_left_unscaled(method, q, k, parameters):
    """You added Shaw's part after the division by √d. The rule: add the vector to the key, so that its product
    with the query is divided as well."""
    return with_effect_times(1, ("shaw",), method, q, k, parameters)


@mistake("logits", "expected: both methods with angles treated alike")
def rotated_for_the_sinusoids_too(method, q, k, parameters):
    """You also rotated queries and keys for `sinusoidal`, so positions count twice. The rule: each method acts either
    in `encode` or in `logits`, and only RoPE rotates."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "sinusoidal" or np.shape(q)[-1] % 2:
        return right
    return extrapolation.logits("rope", q, k, parameters)


@mistake("logits", "expected: every method given something to do in the scores")
def sinusoids_added_again(method, q, k, parameters):
    """You used a method of `encode` in `logits` as well, so positions count twice. The rule: each method acts in only
    one of the two functions."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "sinusoidal" or np.shape(q)[-1] % 2:
        return right
    return extrapolation.logits(
        method, *(extrapolation.encode(method, part, parameters) for part in (q, k)), parameters
    )


@mistake("longest_reliable_length", "expected: the words “up to” overlooked")
def longest_that_passes(lengths, accuracies, threshold=0.9):
    """You returned the longest length that passes. The rule: a length does not count if a shorter one fails."""
    return max(
        (length for length, accuracy in zip(lengths, accuracies, strict=True) if accuracy >= threshold), default=0
    )


@mistake("longest_reliable_length", "expected: > instead of ≥")
def threshold_itself_fails(lengths, accuracies, threshold=0.9):
    """You counted an accuracy exactly at the threshold as a failure. The rule: only an accuracy below the threshold
    fails."""
    return extrapolation.longest_reliable_length(lengths, accuracies, np.nextafter(threshold, np.inf))


@mistake("longest_reliable_length", "expected: a loop that stops at the first failure it finds")
def order_as_given(lengths, accuracies, threshold=0.9):
    """You used the lengths in the order in which they were passed. The rule: lengths can come in any order, so
    sort them first."""
    longest = 0
    for length, accuracy in zip(lengths, accuracies, strict=True):
        if accuracy < threshold:
            break
        longest = length
    return int(longest)


@mistake("extrapolation_gap", "expected: the trained length assumed to be the best one, as it usually is")
def best_for_trained(lengths, accuracies, trained_length):
    """You started from the best accuracy of all lengths. The rule: start from the accuracy at the trained length."""
    return float(np.max(accuracies) - np.asarray(accuracies)[np.argmax(lengths)])


@mistake("extrapolation_gap", "expected: longest minus trained")
def gain_for_loss(lengths, accuracies, trained_length):
    """Your gap has the wrong sign. The rule: subtract the accuracy at the longest length from the accuracy at
    the trained length."""
    return -extrapolation.extrapolation_gap(lengths, accuracies, trained_length)


@mistake("extrapolation_gap", "expected: accuracies[-1]")
def last_for_longest(lengths, accuracies, trained_length):
    """You assumed that the last length is the longest. The rule: the longest length is the largest number,
    regardless of its place in the list."""
    return float(accuracies[list(lengths).index(trained_length)] - accuracies[-1])


@mistake("extrapolation_gap", "expected: accuracies[0]")
def first_for_trained(lengths, accuracies, trained_length):
    """You assumed that the first length is the trained one. The rule: `trained_length` says which length was used
    in training."""
    return float(accuracies[0] - accuracies[list(lengths).index(max(lengths))])


# shift_gap, learned_parameters


def scores_from(start, method, x, w_q, w_k, parameters):
    """Scores between the rows of x, at positions start, start + 1, …."""
    x = np.asarray(x, dtype=np.float64)
    encoded = extrapolation.encode(method, np.concatenate([np.zeros((start, x.shape[1])), x]), parameters)
    return extrapolation.logits(method, encoded @ w_q, encoded @ w_k, parameters)[start:, start:]


def change(x, before, after):
    """Largest absolute difference between two arrays of scores, over the keys that a query may use."""
    visible = np.tri(len(x), dtype=bool)
    return float(np.abs(after - before)[visible].max())


@mistake("shift_gap", "expected: the first T rows of the padded scores instead of the last T")
def padding_compared(method, x, w_q, w_k, parameters, shift):
    """You compared the rows of zeros with the tokens. The rule: compare the same tokens, so leave out the rows of
    zeros."""
    x = np.asarray(x, dtype=np.float64)
    encoded = extrapolation.encode(method, np.concatenate([np.zeros((shift, x.shape[1])), x]), parameters)
    padded = extrapolation.logits(method, encoded @ w_q, encoded @ w_k, parameters)
    return change(x, scores_from(0, method, x, w_q, w_k, parameters), padded[: len(x), : len(x)])


@mistake("shift_gap", "expected: padding at the end, as batches of sequences have it")
def padding_behind(method, x, w_q, w_k, parameters, shift):
    """You put the zeros after the tokens. The rule: put the zeros first, so that the tokens move to later positions."""
    x = np.asarray(x, dtype=np.float64)
    encoded = extrapolation.encode(method, np.concatenate([x, np.zeros((shift, x.shape[1]))]), parameters)
    padded = extrapolation.logits(method, encoded @ w_q, encoded @ w_k, parameters)[: len(x), : len(x)]
    return change(x, scores_from(0, method, x, w_q, w_k, parameters), padded)


@mistake("shift_gap", "expected: encode called before the padding, or only logits called")
def encoded_before_padding(method, x, w_q, w_k, parameters, shift):
    """You did not encode the padded rows. The rule: add the zeros first and then encode, so that the tokens get
    later positions."""
    encoded = extrapolation.encode(method, np.asarray(x, dtype=np.float64), parameters)
    padded = np.concatenate([np.zeros((shift, encoded.shape[1])), encoded])
    after = extrapolation.logits(method, padded @ w_q, padded @ w_k, parameters)[shift:, shift:]
    return change(x, scores_from(0, method, x, w_q, w_k, parameters), after)


@mistake("shift_gap", "expected: mean instead of max")
def average_difference(method, x, w_q, w_k, parameters, shift):
    """You averaged the differences. The rule: take the largest difference, because an average can hide it."""
    before, after = (scores_from(start, method, x, w_q, w_k, parameters) for start in (0, shift))
    return float(np.abs(after - before)[np.tri(len(x), dtype=bool)].mean())


@mistake("shift_gap", "expected: the absolute value left out")
def signed_difference(method, x, w_q, w_k, parameters, shift):
    """You took the largest difference without its absolute value. The rule: falling scores count just as much as rising
    ones, so take the absolute value."""
    before, after = (scores_from(start, method, x, w_q, w_k, parameters) for start in (0, shift))
    return float((after - before)[np.tri(len(x), dtype=bool)].max())


@mistake("shift_gap", "expected: the difference of two masked matrices")
def hidden_scores_subtracted(method, x, w_q, w_k, parameters, shift):
    """You subtracted −∞ from −∞, which gives NaN. The rule: compare only the keys that a query may use."""
    before, after = (scores_from(start, method, x, w_q, w_k, parameters) for start in (0, shift))
    return float(np.abs(after - before).max())


@mistake("learned_parameters", "expected: a sum over all of the parameters")
def every_table_counted(method, parameters):
    """You counted every table in the parameters. The rule: count only the table that this method reads."""
    return sum(np.size(parameters[name]) for name in ("table", "key_table", "bias_table") if name in parameters)


@mistake("learned_parameters", "expected: Shaw et al. 2018 §3.2, which has two tables")
def a_second_table_for_values(method, parameters):
    """You counted Shaw's table twice, for keys and for values. The rule: here, only `key_table` counts, and only
    once."""
    return extrapolation.learned_parameters(method, parameters) * (2 if method == "shaw" else 1)


@mistake("learned_parameters", "expected: len instead of size")
def rows_counted(method, parameters):
    """You counted rows. The rule: count numbers, not rows; each row has one number per column."""
    name = {"learned": "table", "shaw": "key_table", "t5": "bias_table"}.get(method)
    return len(parameters[name]) if name else 0


@mistake("learned_parameters", "expected: everything in the dict assumed to be trained")
def constants_counted(method, parameters):
    """You counted the slope, the base or the number of bits as a learned parameter. The rule: the slope, the base and
    the number of bits are chosen before training, not learned."""
    name = {"alibi": "slope", "binary": "n_bits", "sinusoidal": "base", "rope": "base"}.get(method)
    return extrapolation.learned_parameters(method, parameters) + int(name in parameters)


@mistake("learned_parameters", "expected: only the table called “learned” counted")
def only_the_learned_table(method, parameters):
    """You left out the tables that act in the scores. The rule: Shaw's vectors and T5's biases are learned as well."""
    return extrapolation.learned_parameters(method, parameters) if method == "learned" else 0


@mistake("encode", "expected: one feature for the position")
def integers_in_the_first_feature(method, x, parameters):
    """You added the integer position to the first feature only. The rule: add the position to every feature
    of the row."""
    if method != "integer":
        return extrapolation.encode(method, x, parameters)
    return x + np.outer(np.arange(len(x)), np.arange(np.shape(x)[-1]) == 0)


@mistake("encode", "expected: range(1, T + 1)")
def integers_from_one(method, x, parameters):
    """You counted positions from 1. The rule: the first row has position 0, so 0 is added to it."""
    right = extrapolation.encode(method, x, parameters)
    return right + 1 if method == "integer" else right


@mistake("encode", "expected: “most significant first” understood as counted from the end")
def bits_in_the_last_features(method, x, parameters):
    """You added the bits to the last features. The rule: add the bits to the first n_bits features."""
    right = extrapolation.encode(method, x, parameters)
    if method != "binary":
        return right
    return np.asarray(x) + np.roll(right - np.asarray(x), np.shape(x)[1] - parameters["n_bits"], axis=1)


@mistake("encode", "expected: Vaswani et al. 2017 §3.4")
def embeddings_scaled(method, x, parameters):
    """You multiplied the embeddings by √d before adding the positions, as some models do. The rule: add the
    positions to x itself."""
    right = extrapolation.encode(method, x, parameters)
    if method in ("none", "rope", "shaw", "t5", "alibi"):
        return right
    return right + (np.sqrt(np.shape(x)[1]) - 1) * np.asarray(x)


@mistake("encode", "expected: a default written into the formula")
def base_of_the_sinusoids_fixed(method, x, parameters):
    """You did not read `base` from the parameters. The rule: the base is 10000 only if the parameters have no
    `base`."""
    return extrapolation.encode(method, x, {name: value for name, value in parameters.items() if name != "base"})


def hidden_behind(number):
    """Logits in which `number` replaces −∞."""

    def logits(method, q, k, parameters):
        right = extrapolation.logits(method, q, k, parameters)
        return np.where(np.isneginf(right), right.dtype.type(number), right)

    return logits


@mistake("logits", "expected: −1e9 instead of −∞, as in many implementations")
def large_number_for_infinity(method, q, k, parameters):
    """You hide later tokens with a large negative number. The rule: hide later tokens with −∞, because no score is
    lower."""
    return hidden_behind(-1e9)(method, q, k, parameters)


@mistake("logits", "expected: np.tril of the scores")
def future_set_to_zero(method, q, k, parameters):
    """You set the scores of later tokens to 0, but e^0 is 1, so these tokens still get weight. The rule: set the
    scores of later tokens to −∞ before the softmax."""
    return hidden_behind(0)(method, q, k, parameters)


@mistake("logits", "expected: the wrong axis of the shape")
def scaled_by_the_length(method, q, k, parameters):
    """You divided by the square root of the number of tokens. The rule: divide by √d, where d is the number of
    features."""
    right = extrapolation.logits(method, q, k, parameters)
    q, k = np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64)
    length, d = q.shape
    return hide_the_future(plain(q, k) * (np.sqrt(d / length) - 1) + right, right)


@mistake("logits", "expected: the formula read from the wrong side")
def vector_added_to_the_query(method, q, k, parameters):
    """You added Shaw's vector to the query. The rule: add the vector to the key."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "shaw":
        return right
    table, q, k = (np.asarray(one, dtype=np.float64) for one in (parameters["key_table"], q, k))
    reach = len(table) // 2
    vectors = table[np.clip(-distances(len(k)), -reach, reach) + reach]
    return hide_the_future(plain(q, k) + np.einsum("ijd,jd->ij", vectors, k) / np.sqrt(k.shape[1]), right)


@mistake("logits", "expected: rotate_half as in Hugging Face transformers")
def rope_in_the_half_layout(method, q, k, parameters):
    """You rotated the pairs (i, i + d/2), the half layout. The rule: here, a pair consists of two neighbours,
    (2i, 2i + 1)."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "rope":
        return right
    halves = np.arange(np.shape(q)[1]).reshape(2, -1).T.ravel()
    return extrapolation.logits(method, np.asarray(q)[:, halves], np.asarray(k)[:, halves], parameters)


@mistake("logits", "expected: a default written into the formula")
def base_of_rope_fixed(method, q, k, parameters):
    """You did not read `base` from the parameters. The rule: the base is 10000 only if the parameters have no
    `base`."""
    return extrapolation.logits(method, q, k, {name: value for name, value in parameters.items() if name != "base"})


@mistake("extrapolation_gap", "expected: the worst mistaken for the longest")
def worst_for_longest(lengths, accuracies, trained_length):
    """You subtracted the lowest accuracy. The rule: subtract the accuracy at the longest length."""
    return float(np.asarray(accuracies)[np.asarray(lengths) == trained_length][0] - np.min(accuracies))


@mistake("extrapolation_gap", "expected: a relative loss")
def share_of_the_accuracy(lengths, accuracies, trained_length):
    """You divided by the accuracy at the trained length. The rule: the gap is a difference, not a ratio."""
    right = extrapolation.extrapolation_gap(lengths, accuracies, trained_length)
    trained = np.asarray(accuracies)[np.asarray(lengths) == trained_length][0]
    return float(right / trained) if trained else right


@mistake("shift_gap", "expected: the row that predicts the next token")
def last_row_alone(method, x, w_q, w_k, parameters, shift):
    """You compared only the row of the last token. The rule: take the largest difference over all pairs j ≤ i."""
    x = np.asarray(x, dtype=np.float64)
    before, after = (scores_from(start, method, x, w_q, w_k, parameters) for start in (0, shift))
    return float(np.abs(after[-1] - before[-1]).max())


@mistake("logits", "expected: one of the two not rotated")
def rope_on_the_keys_alone(method, q, k, parameters):
    """You rotated only the keys. The rule: RoPE rotates each query and each key by its own position."""
    right = extrapolation.logits(method, q, k, parameters)
    if method != "rope":
        return right
    return hide_the_future(
        plain(np.asarray(q, dtype=np.float64), turned(np.asarray(k, dtype=np.float64), parameters)), right
    )


@mistake("longest_reliable_length", "expected: measurements are usually listed from short to long")
def lengths_up_to_the_first_failure_as_given(lengths, accuracies, threshold=0.9):
    """You used the lengths in the order in which you received them. The rule: lengths can be passed in any order,
    so sort both lists by length."""
    passes = np.logical_and.accumulate(np.asarray(accuracies) >= threshold)
    return int(np.asarray(lengths)[passes].max(initial=0))


@mistake("learned_parameters", "expected: every number that a method has assumed to be learned")
def slope_counted(method, parameters):
    """You counted ALiBi's slope. The rule: ALiBi's slopes are chosen before training, so nothing is learned."""
    return extrapolation.learned_parameters(method, parameters) + (method == "alibi")


@mistake("encode", "expected: t/(T − 1) without its special case")
def single_token_divided_by_zero(method, x, parameters):
    """For a single token, your `normalized` computes 0/0, which is NaN. The rule: the value is 0 for T = 1."""
    right = extrapolation.encode(method, x, parameters)
    return right * np.nan if method == "normalized" and len(right) == 1 else right


@mistake("encode", "expected: sine and cosine swapped")
def cosine_before_sine(method, x, parameters):
    """You added the cosine to feature 2i and the sine to feature 2i + 1. The rule: the sine is added to feature
    2i, and the cosine to feature 2i + 1."""
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    added = extrapolation.encode(method, np.zeros(np.shape(x)), parameters)
    return x + added.reshape(len(added), -1, 2)[..., ::-1].reshape(added.shape)


UNMASKED_IN_PART = (
    "You hide the future only for some methods. The rule: the logits above the diagonal are −∞ for every method."
)
IN_THE_SCORES = ("rope", "shaw", "t5", "alibi")


@mistake("logits", "expected: the mask only in the branches of methods that act in the scores", hint=UNMASKED_IN_PART)
def mask_left_out_for_embeddings(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    return right if method in IN_THE_SCORES else mask_left_out.implementation(method, q, k, parameters)


@mistake("logits", "expected: the mask only in the branch of the plain scores", hint=UNMASKED_IN_PART)
def mask_left_out_for_scores(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    return mask_left_out.implementation(method, q, k, parameters) if method in IN_THE_SCORES else right


def t5_with(exact, rounding, q, k, parameters):
    """T5's scores with `exact` exact buckets; `rounding` is added before a bucket number is rounded down."""
    right = extrapolation.logits("t5", q, k, parameters)
    table = np.asarray(parameters["bias_table"], dtype=np.float64)[:, 0]
    distance = np.maximum(distances(len(right)), 0)
    share = np.log(np.maximum(distance, exact) / exact) / np.log(128 / exact)
    far = np.minimum(exact + np.floor(share * (len(table) - exact) + rounding).astype(int), len(table) - 1)
    bucket = np.where(distance < exact, distance, far)
    return hide_the_future(scores("none", q, k, parameters) + table[bucket], right)


@mistake("logits", "expected: num_buckets halved twice, as with bidirectional=True")
def quarter_of_the_buckets_exact(method, q, k, parameters):
    """You gave a quarter of T5's buckets to single distances, as if there were two directions. The rule: E = ⌊B/2⌋
    buckets are exact, because one direction has all B."""
    if method != "t5":
        return extrapolation.logits(method, q, k, parameters)
    return t5_with(max(len(parameters["bias_table"]) // 4, 1), 1e-9, q, k, parameters)


@mistake("logits", "expected: a boundary that counts as part of the bucket below")
def boundaries_in_the_lower_bucket(method, q, k, parameters):
    """In your result, a distance on the boundary between two of T5's buckets falls into the lower bucket. The
    rule: a distance on a boundary belongs to the upper bucket, so rounding errors must not push the quotient
    below the boundary."""
    if method != "t5":
        return extrapolation.logits(method, q, k, parameters)
    return t5_with(len(parameters["bias_table"]) // 2, -1e-9, q, k, parameters)


@mistake("logits", "expected: the scale left out if a method does nothing to the scores")
def plain_scores_without_scale(method, q, k, parameters):
    """For methods that do not change the scores, you did not divide by √d. The rule: every method starts from q·k /
    √d."""
    right = extrapolation.logits(method, q, k, parameters)
    return right if method in ("rope", "shaw", "t5", "alibi") else right * np.sqrt(np.shape(q)[1])


@mistake("random_positions", "expected: a random start (SHAPE), which is another method")
def neighbours_from_a_random_start(length, max_length, rng):
    """Your positions are consecutive. The rule: every set of positions is equally likely."""
    extrapolation.random_positions(length, max_length, np.random.default_rng(0))
    return int(rng.integers(max_length - length + 1)) + np.arange(length)


@mistake("random_positions", "expected: rng.integers, which draws with replacement")
def positions_drawn_with_replacement(length, max_length, rng):
    """In your result, a position can occur twice. The rule: all positions are different."""
    extrapolation.random_positions(length, max_length, np.random.default_rng(0))
    return np.sort(rng.integers(max_length, size=length))


@mistake("random_positions", "expected: rng.choice without a sort")
def positions_not_sorted(length, max_length, rng):
    """Your positions are in the order in which you drew them. The rule: the positions increase."""
    extrapolation.random_positions(length, max_length, np.random.default_rng(0))
    return rng.permutation(max_length)[:length]


@mistake("random_positions", "expected: np.random or a separate generator")
def generator_of_its_own(length, max_length, rng):
    """You did not draw from `rng`. The rule: `rng` is the only source of randomness."""
    return extrapolation.random_positions(length, max_length, np.random.default_rng(0))


@mistake("random_positions", "expected: positions counted from 1")
def random_positions_from_one(length, max_length, rng):
    """Your positions go from 1 to max_length. The rule: the positions go from 0 to max_length − 1."""
    return extrapolation.random_positions(length, max_length, rng) + 1


@mistake("longest_reliable_length", "expected: not (accuracy < threshold), which is True for NaN")
def nan_counts_as_reliable(lengths, accuracies, threshold=0.9):
    """You counted an accuracy of NaN as good enough. The rule: NaN is below every threshold."""
    return extrapolation.longest_reliable_length(lengths, np.nan_to_num(accuracies, nan=np.inf), threshold)


@mistake("encode", "expected: RoPE taken for sinusoids that are added")
def sinusoids_added_for_rope(method, x, parameters):
    """You added sinusoids for RoPE. The rule: RoPE acts in the scores, on queries and keys, and adds nothing to the
    embeddings."""
    return extrapolation.encode("sinusoidal" if method == "rope" else method, x, parameters)


vars().update(
    chain(
        without_effect(extrapolation.longest_reliable_length, "threshold"),
    )
)
