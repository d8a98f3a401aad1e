"""Known mistakes in the experiment: each replaces one function of the solution, and must lose points.

A hint names the likely cause in the words of the lesson and leaves the mending to the student.
"""

import numpy as np

from autograder.grading.catalogue import misconception
from solutions import extrapolation


def distances(length):
    """i − j for query i and key j."""
    return np.subtract.outer(np.arange(length), np.arange(length))


def turned(x, parameters):
    """RoPE on neighbours (2i, 2i+1), each pair as a complex number."""
    length, d = x.shape
    angles = np.outer(np.arange(length), float(parameters.get("base", 10000.0)) ** (-np.arange(0, d, 2) / d))
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(length, d)


def shared_bucket(distance, buckets):
    """T5's bucket of a distance among as many buckets, for one direction."""
    exact = buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / np.log(128 / exact)
    logarithmic = np.minimum(exact + (share * (buckets - exact) + 1e-9).astype(int), buckets - 1)
    return np.where(distance < exact, distance, logarithmic)


def plain(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])


def effect(method, q, parameters):
    """What Shaw, T5 and ALiBi add to the plain scores."""
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
    """The method's scores with nothing hidden, for entries that go wrong after them."""
    q, k = np.asarray(q, dtype=np.float64), np.asarray(k, dtype=np.float64)
    if method == "rope":
        q, k = turned(q, parameters), turned(k, parameters)
    return plain(q, k) + effect(method, q, parameters)


def hide_the_future(result, right):
    return np.where(distances(len(result)) >= 0, result, -np.inf).astype(right.dtype)


# encode


@misconception(
    "encode",
    hint="The last row does not reach 1: the numbers run from 0 to 1, so T rows stand T − 1 steps apart.",
    origin="expected: t/T for t/(T − 1)",
)
def normalized_by_the_length(method, x, parameters):
    right = extrapolation.encode(method, x, parameters)
    if method != "normalized":
        return right
    return (x + np.arange(len(x))[:, np.newaxis] / len(x)).astype(right.dtype)


@misconception(
    "encode",
    hint="The bits stand in reverse: the most significant one comes first.",
    origin="expected: shifting by 0, 1, 2, … gives the least significant bit first",
)
def least_significant_bit_first(method, x, parameters):
    right = extrapolation.encode(method, x, parameters)
    if method != "binary":
        return right
    added = extrapolation.encode(method, np.zeros(np.shape(x)), parameters)
    added[:, : parameters["n_bits"]] = added[:, : parameters["n_bits"]][:, ::-1]
    return (x + added).astype(right.dtype)


@misconception(
    "encode",
    hint="All sines stand first, then all cosines: here feature 2i gets the sine and feature 2i + 1 the cosine of one angle.",
    origin="tensorflow/tensorflow #37191",
)
def sines_and_cosines_in_blocks(method, x, parameters):
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    added = extrapolation.encode(method, np.zeros(np.shape(x)), parameters)
    return (x + np.concatenate([added[:, 0::2], added[:, 1::2]], axis=-1)).astype(right.dtype)


@misconception(
    "encode",
    hint="Every feature has a frequency of its own: features 2i and 2i + 1 share the angle of pair i.",
    origin="DongjunLee/transformer-tensorflow #6",
)
def a_frequency_for_each_feature(method, x, parameters):
    right = extrapolation.encode(method, x, parameters)
    if method != "sinusoidal":
        return right
    length, d = np.shape(x)
    angles = np.outer(np.arange(length), float(parameters.get("base", 10000.0)) ** (-np.arange(d) / d))
    return (x + np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))).astype(right.dtype)


@misconception(
    "encode",
    hint="Past the end of the table its last row is repeated: a learned table has nothing to say there, so refuse the text.",
    origin="expected: positions clipped to the table, as JAX's indexing does without a word",
)
def last_row_repeated(method, x, parameters):
    if method != "learned":
        return extrapolation.encode(method, x, parameters)
    table = np.asarray(parameters["table"])
    rows = np.minimum(np.arange(len(x)), len(table) - 1)
    return extrapolation.encode(method, x, {"table": table[rows]})


@misconception(
    "encode",
    hint="Past the end of the table the rows begin again at the first: two positions would look the same, so refuse the text.",
    origin="expected: positions taken modulo the table's size",
)
def table_begun_again(method, x, parameters):
    if method != "learned":
        return extrapolation.encode(method, x, parameters)
    table = np.asarray(parameters["table"])
    return extrapolation.encode(method, x, {"table": table[np.arange(len(x)) % len(table)]})


@misconception(
    "encode",
    hint="RoPE turns the embeddings here: it acts on queries and keys, in the scores, and leaves the embeddings as they are.",
    origin="expected: RoPE applied to what values are made from as well",
)
def embeddings_turned_by_rope(method, x, parameters):
    right = extrapolation.encode(method, x, parameters)
    if method != "rope" or np.shape(x)[-1] % 2:
        return right
    return turned(np.asarray(x, dtype=np.float64), parameters).astype(right.dtype)


# logits


@misconception(
    "logits",
    hint="A query sees keys that stand after it: above the diagonal every logit is −∞.",
    origin="expected: the causal mask left out",
)
def mask_left_out(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    return scores(method, q, k, parameters).astype(right.dtype)


@misconception(
    "logits",
    hint="The mask is mirrored: a query sees what lies ahead and not what lies behind.",
    origin="expected: the mask of (key, query) used for (query, key)",
)
def past_hidden(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    return np.where(distances(len(q)) <= 0, scores(method, q, k, parameters), -np.inf).astype(right.dtype)


@misconception(
    "logits",
    hint="A query does not see its own key: only what lies above the diagonal is hidden, the diagonal is not.",
    origin="expected: the mask begins at the diagonal, one too early",
)
def diagonal_hidden(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    return np.where(distances(len(q)) > 0, right, -np.inf).astype(right.dtype)


@misconception(
    "logits",
    hint="The scores are divided twice by √d: once is enough.",
    origin="expected: q scaled, and then the scores",
)
def scaled_twice(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    exact = np.asarray(q, dtype=np.float64)
    outside = effect(method, exact, parameters) if method in ("t5", "alibi") else 0.0
    scaled = (scores(method, q, k, parameters) - outside) / np.sqrt(exact.shape[-1])
    return hide_the_future(scaled + outside, right)


@misconception(
    "logits",
    hint="The scores are not divided by √d: every method is scaled here, T5's too.",
    origin="expected: T5 itself leaves the scale out",
)
def t5_not_scaled(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "t5":
        return right
    exact = np.asarray(q, dtype=np.float64)
    return hide_the_future(exact @ np.asarray(k, dtype=np.float64).T + effect(method, exact, parameters), right)


@misconception(
    "logits",
    hint="Only the queries are turned: RoPE turns queries and keys, each by its own position.",
    origin="expected: the score then depends on one position and not on the distance",
)
def rope_on_one_side(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "rope":
        return right
    return hide_the_future(plain(turned(np.asarray(q, dtype=np.float64), parameters), np.asarray(k, dtype=np.float64)), right)


@misconception(
    "logits",
    hint="The rows of the key table are taken in the wrong order: the relative position is key minus query, j − i.",
    origin="dmlc/gluon-nlp #1470",
)
def shaw_with_query_minus_key(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "shaw":
        return right
    mirrored = {"key_table": np.asarray(parameters["key_table"])[::-1]}
    return hide_the_future(scores(method, q, k, mirrored), right)


@misconception(
    "logits",
    hint="Half of the buckets are kept for keys that lie ahead: a causal model sees none of those, so all are for the past.",
    origin="huggingface/transformers #8518",
)
def t5_buckets_for_both_directions(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "t5" or len(parameters["bias_table"]) < 4:
        return right
    table = np.asarray(parameters["bias_table"], dtype=np.float64)[:, 0]
    bucket = shared_bucket(np.maximum(distances(len(q)), 0), len(table) // 2)
    return hide_the_future(scores("none", q, k, parameters) + table[bucket], right)


@misconception(
    "logits",
    hint="The bias of ALiBi grows with the distance: it is subtracted, so that far keys count less.",
    origin="expected: the sign, easily lost between i − j and j − i",
)
def alibi_added(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "alibi":
        return right
    return hide_the_future(scores("none", q, k, parameters) + parameters["slope"] * distances(len(q)), right)


@misconception(
    "logits",
    hint="The bias is divided by √d as well: T5's and ALiBi's stand outside the division.",
    origin="expected: the bias added to q·k before the scale",
)
def bias_scaled_too(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method not in ("t5", "alibi"):
        return right
    bias = effect(method, np.asarray(q, dtype=np.float64), parameters) / np.sqrt(np.shape(q)[-1])
    return hide_the_future(scores("none", q, k, parameters) + bias, right)


@misconception(
    "logits",
    hint="A method that acts in the embeddings acts here a second time: its position would count twice.",
    origin="expected: every method given something to do in the scores",
)
def sinusoids_added_again(method, q, k, parameters):
    right = extrapolation.logits(method, q, k, parameters)
    if method != "sinusoidal" or np.shape(q)[-1] % 2:
        return right
    return extrapolation.logits(method, *(extrapolation.encode(method, part, parameters) for part in (q, k)), parameters)


# longest_reliable_length, extrapolation_gap


@misconception(
    "longest_reliable_length",
    hint="This is the longest length that passes: one that passes behind a failure does not count.",
    origin="expected: the words “up to” overlooked",
)
def longest_that_passes(lengths, accuracies, threshold=0.9):
    extrapolation.longest_reliable_length(lengths, accuracies, threshold)
    return max((length for length, accuracy in zip(lengths, accuracies, strict=True) if accuracy >= threshold), default=0)


@misconception(
    "longest_reliable_length",
    hint="An accuracy exactly at the threshold fails here: it is not below it, so it passes.",
    origin="expected: > for ≥",
)
def threshold_itself_fails(lengths, accuracies, threshold=0.9):
    return extrapolation.longest_reliable_length(lengths, accuracies, np.nextafter(threshold, np.inf))


@misconception(
    "longest_reliable_length",
    hint="The lengths are taken in the order in which they are given: they may come in any, so bring them into theirs first.",
    origin="expected: a loop that stops at the first failure it meets",
)
def order_as_given(lengths, accuracies, threshold=0.9):
    extrapolation.longest_reliable_length(lengths, accuracies, threshold)
    longest = 0
    for length, accuracy in zip(lengths, accuracies, strict=True):
        if accuracy < threshold:
            break
        longest = length
    return int(longest)


@misconception(
    "extrapolation_gap",
    hint="The gap has the wrong sign: it is what is lost, so the accuracy at the longest length is subtracted.",
    origin="expected: longest minus trained",
)
def gain_for_loss(lengths, accuracies, trained_length):
    return -extrapolation.extrapolation_gap(lengths, accuracies, trained_length)


@misconception(
    "extrapolation_gap",
    hint="The last length is taken for the longest: the longest is the largest, wherever it stands.",
    origin="expected: accuracies[-1]",
)
def last_for_longest(lengths, accuracies, trained_length):
    extrapolation.extrapolation_gap(lengths, accuracies, trained_length)
    return float(accuracies[list(lengths).index(trained_length)] - accuracies[-1])


@misconception(
    "extrapolation_gap",
    hint="The first length is taken for the trained one: which one was trained on is said by trained_length.",
    origin="expected: accuracies[0]",
)
def first_for_trained(lengths, accuracies, trained_length):
    extrapolation.extrapolation_gap(lengths, accuracies, trained_length)
    return float(accuracies[0] - accuracies[list(lengths).index(max(lengths))])
