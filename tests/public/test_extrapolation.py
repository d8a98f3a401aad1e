"""Public tests for extrapolation: every method's values, the two summaries, and two columns of the comparison table.

Each test's docstring states the rule that the test checks. The expected values are in `expected/extrapolation.json`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

ADDED = ["integer", "normalized", "binary", "sinusoidal", "learned"]
SCORED = ["rope", "shaw", "t5", "alibi"]


def parameters(length, d):
    """Return one dict with the parameters of all methods; each method reads only its own entries."""
    return {
        "table": features(length + 1, d, seed=3),
        "n_bits": 3,
        "key_table": features(5, d, seed=4),
        "bias_table": features(8, 1, seed=5),
        "slope": 0.25,
        "base": 100.0,
    }


# encode


@pytest.mark.question("encode", points=0.25)
def test_numbers_added_by_hand(extrapolation):
    """The integer method adds t, and the normalized method t/(T − 1), to every feature of row t."""
    x = np.array([[1.0, -2.0], [0.0, 4.0], [0.5, 0.0]])
    counted = extrapolation.encode("integer", x, {})
    expect.close(counted, np.array([[1.0, -2.0], [1.0, 5.0], [2.5, 2.0]]), "0, 1 and 2 added")
    scaled = extrapolation.encode("normalized", x, {})
    expect.close(scaled, np.array([[1.0, -2.0], [0.5, 4.5], [1.5, 1.0]]), "0, 1/2 and 1 added")


@pytest.mark.question("encode", points=0.25)
def test_bits_added_by_hand(extrapolation):
    """The most significant bit comes first, so 3 is 011, and features beyond n_bits do not change."""
    coded = extrapolation.encode("binary", np.full((4, 4), 0.5), {"n_bits": 3})
    expect.close(coded[3], np.array([0.5, 1.5, 1.5, 0.5]), "the bits 0, 1 and 1 added to the row of position 3")


@pytest.mark.question("encode", points=0.25)
def test_sinusoids_added_by_hand(extrapolation):
    """Features 2i and 2i + 1 get the sine and the cosine of the same angle; the base is 10000 by default."""
    coded = extrapolation.encode("sinusoidal", np.zeros((2, 4)), {})
    expected = np.array([[0, 1, 0, 1], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]])
    expect.close(coded, expected, "the sinusoids of positions 0 and 1 with four features")


@pytest.mark.question("encode", points=0.25)
@pytest.mark.parametrize("method", ADDED)
def test_encode(extrapolation, method):
    """encode returns the embeddings plus the method's numbers."""
    expect.matches(extrapolation.encode, method, features(6, 4), parameters(6, 4))
    expect.matches(extrapolation.encode, method, features(1, 8), parameters(1, 8))


@pytest.mark.question("encode", points=0.25)
def test_what_acts_in_the_scores_leaves_the_embeddings(extrapolation):
    """RoPE, Shaw, T5, ALiBi and no encoding add nothing; the other methods add the same numbers to every sequence
    of the same length."""
    x, given_to = features(5, 4), parameters(5, 4)
    for method in ("none", *SCORED):
        expect.matches(extrapolation.encode, method, x, given_to)
    for method in ADDED:
        added = extrapolation.encode(method, np.zeros((5, 4)), given_to)
        expect.close(extrapolation.encode(method, x, given_to) - x, added, f"{method} adds the same to every text")
        expect.holds(np.any(added), f"{method} adds something")


@pytest.mark.question("encode", points=0.25)
def test_no_row_past_the_table(extrapolation):
    """A sequence that is too long for the table or the number of bits raises a ValueError, because rows and codes
    must not be reused."""
    table = features(4, 2, seed=1)
    expect.answers(extrapolation.encode, "learned", features(4, 2), {"table": table})
    expect.raises(ValueError, extrapolation.encode, "learned", features(5, 2), {"table": table})
    expect.raises(ValueError, extrapolation.encode, "binary", features(5, 4), {"n_bits": 2})


# logits


@pytest.mark.question("logits", points=0.25)
def test_plain_logits_by_hand(extrapolation):
    """The logit is q_i·k_j/√d for keys up to the query, and −∞ for keys after it."""
    q, k = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    expected = np.array([[1.0, -np.inf], [3.0, 7.0]]) / np.sqrt(2)
    got = extrapolation.logits("none", q, k, {})
    expect.close(got, expected, "two queries and two keys, without any encoding")
    expect.close(np.isneginf(got), np.isneginf(expected), "only keys ahead get −∞")


@pytest.mark.question("logits", points=0.25)
def test_alibi_by_hand(extrapolation):
    """ALiBi subtracts the slope times the distance."""
    row = extrapolation.logits("alibi", np.zeros((3, 2)), np.zeros((3, 2)), {"slope": 0.5})[2]
    expect.close(row, np.array([-1.0, -0.5, 0.0]), "the last of three rows, at slope 1/2")


@pytest.mark.question("logits", points=0.25)
def test_shaw_by_hand(extrapolation):
    """The rows of the key table are for j − i = −k … k: keys behind the query come first, and far keys share row 0."""
    rows = extrapolation.logits(
        "shaw", np.ones((3, 1)), np.zeros((3, 1)), {"key_table": np.array([[1.0], [2.0], [4.0]])}
    )
    expect.close(rows[2], np.array([1.0, 1.0, 2.0]), "the last of three rows: distances 2, 1 and 0")


@pytest.mark.question("logits", points=0.25)
def test_t5_by_hand(extrapolation):
    """With three buckets, the first holds distance 0, the second holds distances 1 to 11, and the last holds
    the rest."""
    table = {"bias_table": np.array([[0.0], [1.0], [2.0]])}
    row = extrapolation.logits("t5", np.zeros((14, 1)), np.zeros((14, 1)), table)[13]
    expect.close(row, np.array([2.0, 2.0] + 11 * [1.0] + [0.0]), "the last of 14 rows, from distance 13 to 0")


@pytest.mark.question("logits", points=0.25)
def test_logits_without_an_effect(extrapolation):
    """A method that acts in the embeddings leaves the scores unchanged."""
    for method in ("none", *ADDED):
        for d in (3, 4):
            expect.matches(extrapolation.logits, method, features(4, d), features(4, d, seed=1), parameters(4, d))


@pytest.mark.question("logits", points=0.25)
@pytest.mark.parametrize("method", SCORED)
def test_logits(extrapolation, method):
    """The logits are the plain scores as modified by the method."""
    expect.matches(extrapolation.logits, method, features(12, 4), features(12, 4, seed=1), parameters(12, 4))


@pytest.mark.question("logits", points=0.25)
def test_the_future_is_hidden(extrapolation):
    """In every method, the logits above the diagonal are −∞, and all others are finite."""
    hidden = ~np.tri(5, dtype=bool)
    for method in ("none", *ADDED, *SCORED):
        got = extrapolation.logits(method, features(5, 4), features(5, 4, seed=1), parameters(5, 4))
        expect.close(np.isneginf(got), hidden, f"{method}: a query sees only the keys up to its own")
        expect.holds(np.all(np.isfinite(got[~hidden])), f"{method}: the keys that a query sees have a score")


# longest_reliable_length


@pytest.mark.question("longest_reliable_length", points=0.5)
def test_reliable_by_hand(extrapolation):
    """A length does not count if a shorter length failed; an accuracy equal to the threshold passes."""
    longest = extrapolation.longest_reliable_length([16, 32, 64, 128], [1.0, 0.9, 0.5, 0.95])
    expect.close(longest, 32, "passes at 16 and 32, fails at 64, passes at 128")


@pytest.mark.question("longest_reliable_length", points=0.25)
def test_reliable_lengths(extrapolation):
    """Lengths can come in any order; if even the shortest length fails, the result is 0."""
    expect.matches(extrapolation.longest_reliable_length, [64, 16, 128, 32], [0.25, 1.0, 0.95, 0.9])
    expect.matches(extrapolation.longest_reliable_length, [16, 32, 64], [0.5, 0.95, 1.0])
    expect.matches(extrapolation.longest_reliable_length, np.array([8, 24]), np.array([0.75, 0.5]), threshold=0.5)


# extrapolation_gap


@pytest.mark.question("extrapolation_gap", points=0.25)
def test_gap_by_hand(extrapolation):
    """The gap is the accuracy at the trained length minus the accuracy at the longest length."""
    gap = extrapolation.extrapolation_gap([16, 32, 128], [1.0, 0.8, 0.25], 16)
    expect.close(gap, 0.75, "1.0 at the trained length 16 and 0.25 at 128")


@pytest.mark.question("extrapolation_gap", points=0.25)
def test_gaps(extrapolation):
    """The longest length need not be last in the list; a higher accuracy at this length makes the gap negative."""
    expect.matches(extrapolation.extrapolation_gap, [64, 16, 32], [0.25, 1.0, 0.5], 16)
    expect.matches(extrapolation.extrapolation_gap, np.array([8, 24]), np.array([0.5, 0.75]), 8)


# shift_gap


@pytest.mark.question("shift_gap", points=0.5)
def test_shift_gap_by_hand(extrapolation):
    """One position later, the integer positions 0 and 1 become 1 and 2, so the last score grows from 2·2 to 3·3."""
    ones = np.ones((2, 1))
    gap = extrapolation.shift_gap("integer", ones, np.ones((1, 1)), np.ones((1, 1)), {}, 1)
    expect.close(gap, 5.0, "two tokens that are both 1, shifted by one position")
    gap = extrapolation.shift_gap("none", ones, np.ones((1, 1)), np.ones((1, 1)), {}, 1)
    expect.close(gap, 0.0, "the same tokens without any encoding")


@pytest.mark.question("shift_gap", points=0.5)
def test_shift_gaps(extrapolation):
    """The gap is 0 if scores depend only on the distance (none, RoPE, Shaw, T5 and ALiBi); with the other
    methods, it is not 0."""
    x, w_q, w_k = features(4, 4), features(4, 4, seed=1), features(4, 4, seed=2)
    given_to = parameters(4 + 3, 4)
    for method in ADDED:
        gap = expect.matches(extrapolation.shift_gap, method, x, w_q, w_k, given_to, 3)
        expect.holds(gap > 0.1, f"{method}: the scores change when the tokens are shifted")
    for method in ("none", *SCORED):
        expect.matches(extrapolation.shift_gap, method, x, w_q, w_k, given_to, 3)


# learned_parameters


@pytest.mark.question("learned_parameters", points=0.25)
def test_learned_parameters(extrapolation):
    """Only the table that a method reads counts, because a slope, a base or a number of bits is not learned."""
    given_to = {"table": np.zeros((64, 32)), "key_table": np.zeros((17, 32)), "bias_table": np.zeros((32, 1))}
    given_to |= {"n_bits": 7, "slope": 0.5, "base": 100.0}
    expected = {"learned": 2048, "shaw": 544, "t5": 32}
    for method in ("none", *ADDED, *SCORED):
        count = expect.matches(extrapolation.learned_parameters, method, given_to)
        expect.close(count, expected.get(method, 0), f"{method}: the numbers that training has to find for this method")


# random_positions


@pytest.mark.question("random_positions", points=0.25)
def test_all_positions_by_hand(extrapolation):
    """Four positions out of four are always 0, 1, 2 and 3, in order."""
    got = extrapolation.random_positions(4, 4, np.random.default_rng(1))
    expect.close(got, np.arange(4), "four positions out of four")
    expect.holds(np.max(extrapolation.random_positions(4, 900, np.random.default_rng(1))) > 9, "large positions too")


@pytest.mark.question("random_positions", points=0.25)
@given(seed=seeds(), length=st.integers(2, 12), more=st.integers(1, 90))
def test_random_positions(extrapolation, seed, length, more):
    """There are `length` different positions, in increasing order, all between 0 and max_length − 1."""
    got = extrapolation.random_positions(length, length + more, np.random.default_rng(seed))
    expect.close(np.shape(got), (length,), "one number per token")
    expect.holds(np.all(np.diff(got) > 0), "the positions increase, and no two are equal")
    large = extrapolation.random_positions(length, 9000, np.random.default_rng(seed))
    expect.holds(np.max(large) >= length, "large positions occur too")
    expect.holds(np.min(got) >= 0 and np.max(got) < length + more, "the positions are 0 … max_length − 1")
