"""Hidden tests for extrapolation: each method compared with its definition, the causal mask, summaries, shift gaps and
random positions.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

The methods are reimplemented here, number by number, so that they share no code with the solution. T5's bias is
tested only with 2, 3, 7, 8 and 32 buckets: for these numbers, no distance is on a boundary, or the boundary makes
no difference.
"""

import functools
import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

ADDED = ["integer", "normalized", "binary", "sinusoidal", "learned"]
SCORED = ["rope", "shaw", "t5", "alibi"]
NEITHER = ["none"]


def normal(rng, *shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def parameters(rng, length, d, dtype=np.float64, buckets=8):
    """Return one dict with the parameters of all methods; each method reads only its own entries."""
    return {
        "table": normal(rng, length, d, dtype=dtype),
        "n_bits": max((length - 1).bit_length(), 1),
        "key_table": normal(rng, 5, d, dtype=dtype),
        "bias_table": normal(rng, buckets, 1, dtype=dtype),
        "slope": float(rng.uniform(0.01, 1)),
        "base": float(rng.uniform(10, 1e5)),
    }


def added(method, t, c, length, d, given):
    """Return what the method adds to feature c of row t."""
    match method:
        case "integer":
            return t
        case "normalized":
            return t / (length - 1) if length > 1 else 0
        case "binary":
            return int(f"{t:0{given['n_bits']}b}"[c]) if c < given["n_bits"] else 0
        case "sinusoidal":
            angle = t * given.get("base", 10000.0) ** (-(c - c % 2) / d)
            return math.cos(angle) if c % 2 else math.sin(angle)
        case "learned":
            return given["table"][t, c]
    return 0


@functools.cache
def t5_bucket(distance, buckets):
    """Return T5's causal bucket, computed in whole numbers by comparing powers instead of logarithms."""
    exact = buckets // 2
    if distance < exact:
        return distance
    steps = buckets - exact
    passed = [step for step in range(steps) if Fraction(distance, exact) ** steps >= Fraction(128, exact) ** step]
    return exact + passed[-1]


def logit(method, q, k, i, j, given):
    """Return the logit of query i and key j."""
    if j > i:
        return -math.inf
    q_i, k_j, effect = q[i], k[j], 0.0
    match method:
        case "rope":
            q_i, k_j = turned(q_i, i, given), turned(k_j, j, given)
        case "shaw":
            reach = len(given["key_table"]) // 2
            k_j = k_j + given["key_table"][max(j - i, -reach) + reach]
        case "t5":
            effect = given["bias_table"][t5_bucket(i - j, len(given["bias_table"])), 0]
        case "alibi":
            effect = -given["slope"] * (i - j)
    return sum(a * b for a, b in zip(q_i, k_j, strict=True)) / math.sqrt(len(q_i)) + effect


def turned(row, position, given):
    result = []
    for i in range(len(row) // 2):
        angle = position * given.get("base", 10000.0) ** (-2 * i / len(row))
        pair = complex(row[2 * i], row[2 * i + 1]) * complex(math.cos(angle), math.sin(angle))
        result += [pair.real, pair.imag]
    return result


def all_added(method, length, d, given):
    return np.array([[float(added(method, t, c, length, d, given)) for c in range(d)] for t in range(length)])


def all_logits(method, q, k, given):
    return np.array([[logit(method, q, k, i, j, given) for j in range(len(k))] for i in range(len(q))])


def agree(got, expected, says):
    """Check that two arrays of logits agree and that −∞ is in the same entries."""
    expect.close(np.isneginf(got), np.isneginf(expected), f"{says}: −∞ if a key is ahead, and nowhere else")
    expect.close(got, expected, says)


# encode


@pytest.mark.question("encode", points=0.25)
@pytest.mark.parametrize("method", ADDED)
def test_encode_of_any_size(extrapolation, rng, method):
    """encode adds the method's numbers to each row, for a single row or pair of features as well as for many."""
    for length, d in ((7, 6), (1, 4), (2, 2), (16, 4), (12, 10)):
        x, given_to = normal(rng, length, d), parameters(rng, length, d)
        got = expect.matches(extrapolation.encode, method, x, given_to)
        expect.close(got, x + all_added(method, length, d, given_to), f"{method}: what is added to each row")


@pytest.mark.question("encode", points=0.25)
def test_encode_with_parameters_of_any_size(extrapolation, rng):
    """A table can have more rows, and a code more bits, than the sequence needs; the default base is 10000."""
    x = normal(rng, 5, 8)
    expect.matches(extrapolation.encode, "learned", x, {"table": normal(rng, 40, 8)})
    for n_bits in (3, 5, 8):
        got = expect.matches(extrapolation.encode, "binary", x, {"n_bits": n_bits})
        expect.close(got, x + all_added("binary", 5, 8, {"n_bits": n_bits}), "the last bits change fastest")
    expect.matches(extrapolation.encode, "sinusoidal", x, {})
    expect.matches(extrapolation.encode, "sinusoidal", x, {"base": 0.5})
    expect.matches(extrapolation.encode, "integer", normal(rng, 3, 5), {})
    x, given_to = normal(rng, 300, 10), {"table": normal(rng, 300, 10), "n_bits": 9}
    for method in ("binary", "sinusoidal", "learned"):
        expect.matches(extrapolation.encode, method, x, given_to)
    expect.matches(extrapolation.encode, "integer", np.zeros((70_000, 1), dtype=np.float32), {})


@pytest.mark.question("encode", points=0.25)
def test_encode_leaves_the_embeddings(extrapolation, rng):
    """For a method that acts in the scores, encode returns the numbers of x, whatever its size, and does not
    modify x."""
    x = features(3, 2)
    expect.holds(not np.allclose(extrapolation.encode("integer", x, {}), x), "integer positions are added")
    for method in (*NEITHER, *SCORED):
        for length, d in ((5, 4), (1, 3)):
            x, given_to = normal(rng, length, d), parameters(rng, length, d)
            expect.matches(extrapolation.encode, method, x, given_to)
            expect.close(extrapolation.encode(method, x, given_to), x, f"{method}: the embeddings as they are")


@pytest.mark.question("encode", points=0.25)
def test_encode_dtype(extrapolation, rng):
    """encode returns float32 if x (and, for `learned`, the table) is float32; otherwise, it returns float64."""
    x, given_to = normal(rng, 4, 6, dtype=np.float32), parameters(rng, 4, 6, np.float32)
    for method in (*NEITHER, *ADDED, *SCORED):
        expect.dtype(extrapolation.encode, method, x, given_to)
    expect.dtype(extrapolation.encode, "learned", x, {"table": normal(rng, 4, 6)})
    expect.dtype(extrapolation.encode, "sinusoidal", x.astype(np.float64), {})


@pytest.mark.question("encode", points=0.5)
@given(seed=seeds(), shorter=st.integers(2, 8))
def test_a_beginning_is_encoded_alike(extrapolation, seed, shorter):
    """The numbers that encode adds to a row depend on the sequence length only for normalized positions."""
    x = features(9, 4, seed=seed)
    given_to = {"table": features(9, 4, seed=seed + 1), "n_bits": 4}
    for method in ("integer", "binary", "sinusoidal", "learned"):
        whole = extrapolation.encode(method, x, given_to)
        expect.close(
            extrapolation.encode(method, x[:shorter], given_to), whole[:shorter], f"{method}: rows of a beginning"
        )
        expect.holds(not np.allclose(whole, x), f"{method} adds something")
    moved = extrapolation.encode("normalized", x, {})[1] - extrapolation.encode("normalized", x[:shorter], {})[1]
    expect.close(moved, np.full(4, 1 / 8 - 1 / (shorter - 1)), "normalized: row 1 depends on the length")


# logits


@pytest.mark.question("logits", points=0.25)
@pytest.mark.parametrize("method", [*NEITHER, *SCORED])
def test_logits_of_any_size(extrapolation, rng, method):
    """The logits are the plain scores as modified by the method, for a single row or pair of features as well as
    for many."""
    for length, d in ((9, 6), (1, 4), (2, 2), (13, 4)):
        q, k, given_to = normal(rng, length, d), normal(rng, length, d), parameters(rng, length, d)
        got = expect.matches(extrapolation.logits, method, q, k, given_to)
        agree(got, all_logits(method, q, k, given_to), f"{method}: the logit of each query and key")


@pytest.mark.question("logits", points=0.25)
def test_logits_with_parameters_of_any_size(extrapolation, rng):
    """Tables can have any size, and the number of features can be odd if the method needs no pairs; the default
    base is 10000."""
    q, k = normal(rng, 7, 4), normal(rng, 7, 4)
    for rows in (1, 3, 13, 31):
        given_to = {"key_table": normal(rng, rows, 4)}
        got = expect.matches(extrapolation.logits, "shaw", q, k, given_to)
        agree(got, all_logits("shaw", q, k, given_to), "distances beyond the table share its first row")
    for given_to in ({}, {"base": 500}):
        got = expect.matches(extrapolation.logits, "rope", q, k, given_to)
        agree(got, all_logits("rope", q, k, given_to), "rope: the default base is 10000")
    q, k = normal(rng, 260, 2), normal(rng, 260, 2)
    for method in ("rope", "shaw", "alibi"):
        expect.matches(extrapolation.logits, method, q, k, {"key_table": normal(rng, 401, 2), "slope": 0.25})
    for method in ("none", "shaw", "t5", "alibi"):
        expect.matches(extrapolation.logits, method, normal(rng, 6, 3), normal(rng, 6, 3), parameters(rng, 6, 3))


@pytest.mark.question("logits", points=0.25)
@pytest.mark.parametrize("sizes", [{2: 132, 3: 132}, {7: 132, 8: 132}, {32: 132}])
def test_t5_buckets(extrapolation, rng, sizes):
    """Half of T5's buckets hold one distance each, the others divide up distances to 128 logarithmically, and all
    are for the past."""
    for buckets, length in sizes.items():
        q, k, given_to = normal(rng, length, 2), normal(rng, length, 2), {"bias_table": normal(rng, buckets, 1)}
        got = expect.matches(extrapolation.logits, "t5", q, k, given_to)
        effect = got[-1] - q[-1] @ k.T / np.sqrt(2)
        expected = [given_to["bias_table"][t5_bucket(distance, buckets), 0] for distance in reversed(range(length))]
        expect.close(effect, np.array(expected), "the bias of each distance, in the last row")


@pytest.mark.question("logits", points=0.25)
def test_logits_are_plain_where_the_embeddings_carry_the_position(extrapolation, rng):
    """A method that acts in the embeddings does not act again in the logits, no matter what the parameters contain."""
    for method in ADDED:
        q, k = normal(rng, 6, 5), normal(rng, 6, 5)
        got = expect.matches(extrapolation.logits, method, q, k, parameters(rng, 3, 5))
        agree(got, all_logits("none", q, k, {}), f"{method}: plain scores")


@pytest.mark.question("logits", points=0.5)
def test_a_beginning_scores_alike(extrapolation, rng):
    """Later tokens do not change the scores of earlier tokens, and a query uses no later key."""
    q, k, given_to = normal(rng, 9, 4), normal(rng, 9, 4), parameters(rng, 9, 4)
    for method in (*NEITHER, *ADDED, *SCORED):
        whole = extrapolation.logits(method, q, k, given_to)
        expect.close(np.isneginf(whole), ~np.tri(9, dtype=bool), f"{method}: only the future is hidden")
        for shorter in (1, 2, 6):
            beginning = extrapolation.logits(method, q[:shorter], k[:shorter], given_to)
            agree(beginning, whole[:shorter, :shorter], f"{method}: the scores of a beginning")
        plain = np.where(np.tri(9, dtype=bool), q @ k.T / 2, -np.inf)
        expect.holds(
            np.allclose(whole, plain) == (method not in SCORED),
            f"{method}: it changes the scores, or acts in the embeddings",
        )


@pytest.mark.question("logits", points=0.75)
def test_only_the_distance_counts(extrapolation, rng):
    """The score of a fixed query and key depends only on their distance, or not on position at all."""
    q, k = np.tile(normal(rng, 4), (8, 1)), np.tile(normal(rng, 4), (8, 1))
    key_table = np.outer(np.arange(7.0), q[0]) / (q[0] @ q[0])  # row r gives q·row = r
    given_to = {"key_table": key_table, "bias_table": np.arange(8.0)[:, np.newaxis], "slope": 0.25}
    logits = {method: extrapolation.logits(method, q, k, given_to) for method in (*NEITHER, *ADDED, *SCORED)}
    for method, got in logits.items():
        for distance in range(8):
            along = np.diagonal(got, -distance)
            expect.close(along, np.full(8 - distance, got[distance, 0]), f"{method}: the same distance, the same score")
    plain = q[0] @ k[0] / 2
    expect.close(logits["none"][:4, 0], np.full(4, plain), "none: every distance has the plain score")
    expect.close(
        logits["alibi"][:4, 0], plain - 0.25 * np.arange(4), "alibi: the slope times the distance is subtracted"
    )
    expect.close(logits["t5"][:4, 0], plain + np.arange(4.0), "t5: the bias is outside the division by √d")
    expect.close(
        logits["shaw"][:4, 0], plain + np.array([3.0, 2, 1, 0]) / 2, "shaw: its rows are inside the division by √d"
    )
    expect.close(logits["rope"][0, 0], plain, "rope: at distance 0, nothing rotates")
    expect.holds(not np.isclose(logits["rope"][1, 0], plain), "rope: at distance 1, the score is different")


@pytest.mark.question("logits", points=0.25)
def test_logits_leave_their_arguments_alone(extrapolation, rng):
    """logits does not modify q, k, the tables or the dict of parameters."""
    for method in (*NEITHER, *SCORED):
        expect.unchanged(extrapolation.logits, method, normal(rng, 5, 4), normal(rng, 5, 4), parameters(rng, 5, 4))
    for method in ("none", "rope", "sinusoidal"):
        expect.unchanged(extrapolation.logits, method, normal(rng, 5, 4), normal(rng, 5, 4), {})
    expect.unchanged(extrapolation.encode, "sinusoidal", normal(rng, 5, 4), {})


@pytest.mark.question("logits", points=0.25)
def test_logits_do_not_loop_over_rows(extrapolation):
    """All pairs of rows are scored at once, without a loop."""
    given_to = {"key_table": features(5, 2), "bias_table": features(4, 1), "slope": 0.5}
    for method in (*NEITHER, *ADDED, *SCORED):
        expect.vectorised(
            extrapolation.logits,
            lambda length, method=method: (method, features(length, 2), features(length, 2, seed=1), given_to),
            length=4,
        )


@pytest.mark.question("logits", points=0.25)
def test_one_key_does_not_serve_several_queries(extrapolation):
    """Queries and keys must have the same shape: a single row of keys for several queries raises a ValueError."""
    expect.answers(extrapolation.logits, "alibi", features(3, 4), features(3, 4), {"slope": 0.5})
    for method in ("none", "alibi", "rope"):
        expect.raises(ValueError, extrapolation.logits, method, features(3, 4), features(1, 4), {"slope": 0.5})


# longest_reliable_length


def reliable(lengths, accuracies, threshold):
    """Return the longest length up to which no accuracy is below the threshold, computed from the definition."""
    measured = list(zip(lengths, accuracies, strict=True))
    passed = [long for long in lengths if all(accuracy >= threshold for length, accuracy in measured if length <= long)]
    return max(passed, default=0)


@pytest.mark.question("longest_reliable_length", points=0.5)
@given(
    accuracies=st.lists(st.sampled_from([0.25, 0.75, 0.875, 0.9, 1.0]), min_size=1, max_size=6),
    threshold=st.sampled_from([0.75, 0.9]),
    order=seeds(),
)
@example(accuracies=[1.0, 0.75, 1.0], threshold=0.9, order=0)
def test_reliable_up_to_the_first_failure(extrapolation, accuracies, threshold, order):
    """longest_reliable_length is the longest length up to which no accuracy is below the threshold, for any
    order of lengths."""
    lengths = [3 * 2**step for step in range(len(accuracies))]
    places = Random(order).sample(range(len(lengths)), len(lengths))
    shuffled = [lengths[place] for place in places], [accuracies[place] for place in places]
    longest = expect.matches(extrapolation.longest_reliable_length, *shuffled, threshold)
    expect.close(longest, reliable(lengths, accuracies, threshold), "nothing up to this length fails")


@pytest.mark.question("longest_reliable_length", points=0.25)
def test_reliable_at_the_limits(extrapolation):
    """If all lengths pass, the result is the longest; if none pass, it is 0. An accuracy equal to the
    threshold passes, and NaN does not; the threshold is 0.9 by default."""
    longest = extrapolation.longest_reliable_length
    expect.close(longest([1, 4, 2], [1.0, 0.9, 0.95]), 4, "everything passes")
    expect.close(longest([1, 4, 2], [0.5, 1.0, 1.0]), 0, "the shortest fails")
    expect.close(longest([8], [0.9]), 8, "exactly at the threshold")
    expect.close(longest([8, 16], [0.9, 0.899]), 8, "just below the threshold")
    expect.close(longest([8, 16, 32], [0.95, np.nan, 0.95]), 8, "NaN is below every threshold")
    expect.close(longest([8, 16], [0.2, 0.1], 0.1), 16, "another threshold")
    expect.matches(longest, np.array([32, 8, 16]), np.array([0.5, 1.0, 0.95]))
    expect.matches(longest, [32, 8, 16], [0.5, 1.0, 0.95])
    expect.matches(extrapolation.longest_reliable_length, [16, 200, 40_000, 70_000, 10**6], [1.0, 1.0, 1.0, 1.0, 0.0])


# extrapolation_gap


@pytest.mark.question("extrapolation_gap", points=0.5)
@given(accuracies=st.lists(st.floats(0, 1), min_size=2, max_size=6), order=seeds())
def test_gap_of_any_measurement(extrapolation, accuracies, order):
    """The gap is the accuracy at the trained length minus the accuracy at the largest length, for any order
    of lengths."""
    lengths = [5 * 2**step for step in range(len(accuracies))]
    random = Random(order)
    places = random.sample(range(len(lengths)), len(lengths))
    trained = random.choice(lengths)
    shuffled = [lengths[place] for place in places], [accuracies[place] for place in places]
    gap = expect.matches(extrapolation.extrapolation_gap, *shuffled, trained)
    expect.close(gap, accuracies[lengths.index(trained)] - accuracies[-1], "trained minus longest")


@pytest.mark.question("extrapolation_gap", points=0.25)
def test_gap_at_the_limits(extrapolation):
    """The gap is negative if the longest length does better, and 0 if it is the trained length; no argument is
    modified."""
    gap = extrapolation.extrapolation_gap
    expect.close(gap([32, 8], [1.0, 0.25], 8), -0.75, "better at the longest length")
    expect.close(gap([32, 8], [1.0, 0.25], 32), 0.0, "the longest length is the trained one")
    expect.close(gap([1, 8], [1, 0], 1), 1.0, "accuracies that are whole numbers")
    expect.matches(gap, np.array([32, 8, 16]), np.array([0.5, 1.0, 0.25]), 16)
    expect.matches(gap, [32, 8, 16], [0.5, 1.0, 0.25], 16)


# shift_gap


def gap_of_shift(method, x, w_q, w_k, given, shift):
    """Return the gap, computed score by score from its definition."""
    length, d = x.shape
    scores = []
    for start in (0, shift):
        rows = np.concatenate([np.zeros((start, d)), x])
        rows = rows + all_added(method, start + length, d, given)
        scores.append(all_logits(method, rows @ w_q, rows @ w_k, given)[start:, start:])
    return max(abs(scores[1][i, j] - scores[0][i, j]) for i in range(length) for j in range(i + 1))


@pytest.mark.question("shift_gap", points=0.25)
@pytest.mark.parametrize("method", ["normalized", "binary", "sinusoidal", "learned"])
def test_shift_gap_of_what_is_added(extrapolation, rng, method):
    """The gap is the largest change in a score when the same tokens move, counting only the keys that a query is
    allowed to use."""
    for length, d, d_k, shift in ((5, 6, 4, 2), (1, 4, 2, 3), (3, 4, 6, 9)):
        x, given_to = normal(rng, length, d), parameters(rng, length + shift, d)
        w_q, w_k = normal(rng, d, d_k), normal(rng, d, d_k)
        gap = expect.matches(extrapolation.shift_gap, method, x, w_q, w_k, given_to, shift)
        expect.close(
            gap, gap_of_shift(method, x, w_q, w_k, given_to, shift), f"{method}: the largest change of a score"
        )


@pytest.mark.question("shift_gap", points=0.75)
def test_only_absolute_positions_leave_a_gap(extrapolation, rng):
    """The gap is 0 if a score depends only on the distance, or if the shift is 0; with integer positions, it
    is not 0."""
    x, w_q, w_k = normal(rng, 6, 4), normal(rng, 4, 4), normal(rng, 4, 4)
    given_to = parameters(rng, 40, 4) | {"n_bits": 4}
    # Here, rounding errors grow only with the angle of RoPE; 1e-8 is a thousand times larger.
    for shift in (1, 3, 30):
        for method in (*NEITHER, *SCORED):
            gap = extrapolation.shift_gap(method, x, w_q, w_k, given_to, shift)
            expect.close(gap, 0.0, f"{method}: the distances are the same, and so are the scores")
        gap = extrapolation.shift_gap("integer", x, w_q, w_k, {}, shift)
        expected = gap_of_shift("integer", x, w_q, w_k, {}, shift)
        expect.close(gap, expected, "integer: the scores depend on the positions")
    for method in ADDED:
        expect.close(extrapolation.shift_gap(method, x, w_q, w_k, given_to, 0), 0.0, f"{method}: nothing was shifted")
        expect.holds(
            extrapolation.shift_gap(method, x, w_q, w_k, given_to, 3) > 1e-6, f"{method}: a shift leaves a gap"
        )


# learned_parameters


@pytest.mark.question("learned_parameters", points=0.25)
def test_learned_parameters_of_any_size(extrapolation, rng):
    """A table has rows times columns numbers; entries of other methods do not count and can be missing."""
    for rows, d in ((7, 6), (33, 1), (4, 4)):
        given_to = parameters(rng, rows, d, buckets=2 * d)
        for method in (*NEITHER, *ADDED, *SCORED):
            count = expect.matches(extrapolation.learned_parameters, method, given_to)
            expected = {"learned": rows * d, "shaw": 5 * d, "t5": 2 * d}.get(method, 0)
            expect.close(count, expected, f"{method}: the numbers in its own table")
    expect.matches(extrapolation.learned_parameters, "learned", {"table": normal(rng, 3, 5)})
    expect.matches(extrapolation.learned_parameters, "rope", {})
    expect.matches(extrapolation.learned_parameters, "learned", {"table": np.zeros((300, 256))})


# random_positions


@pytest.mark.question("random_positions", points=0.5)
def test_every_set_of_positions_is_as_likely(extrapolation):
    """Every set of positions is equally likely: neither neighbours nor small positions are favoured."""
    sets, draws = 10, 600  # 2 of 5 positions: each set is expected 60 times, with a standard deviation of 7.3
    counted = {}
    rng = np.random.default_rng(11)
    for _ in range(draws):
        found = tuple(
            int(one) for one in extrapolation.random_positions(2, 5, np.random.default_rng(rng.integers(1e9)))
        )
        counted[found] = counted.get(found, 0) + 1
    expect.holds(len(counted) == sets, "every set occurs")
    expect.holds(min(counted.values()) > 25 and max(counted.values()) < 100, "no set occurs much more often")
    expect.matches(extrapolation.random_positions, 70_000, 70_000, np.random.default_rng(0))


@pytest.mark.question("random_positions", points=0.25)
@given(seed=seeds())
def test_the_generator_is_the_only_source_of_chance(extrapolation, seed):
    """The same generator gives the same positions, and another generator gives different ones."""
    first, again, other = (
        extrapolation.random_positions(12, 400, np.random.default_rng(number)) for number in (seed, seed, seed + 1)
    )
    expect.holds(np.shape(first) == (12,) and np.all(np.diff(first) > 0), "twelve different positions, in order")
    expect.close(again, first, "a generator in the same state gives the same positions")
    expect.holds(not np.array_equal(other, first), "another generator gives different positions")


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key", ["learned_runs_past_its_table", "alibi_changes_the_embeddings", "causal_model_without_encoding_sees_order"]
)
def test_answer(extrapolation, key):
    """Every question has one correct answer."""
    expect.answer(extrapolation, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "methods_without_a_shift_gap",
        "no_shift_gap_is_enough_to_run_longer",
        "fewest_learned_numbers",
        "ways_to_draw_2_of_5_positions",
    ],
)
def test_practice_answer(extrapolation, key):
    """This question is for practice and earns no points."""
    expect.answer(extrapolation, key)
