"""The quiz of the articles: every number that a lesson states and that can be computed is computed here, from the
solutions.

For each lesson a function writes its sentences anew, as far as they hold a number. A sentence that no longer stands in
the lesson in these words, or with these digits, fails: fix whichever of the two is wrong.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assignments import measuring
from assignments.context_extension import lab as extension
from assignments.extrapolation import lab
from assignments.modern import lab as layers
from assignments.state import lab as gates_lab
from autograder import course
from autograder.hints import catalogue

Sentences = Iterator[str]
WORDS = dict(enumerate("no one two three four five six seven eight nine ten eleven twelve".split()))
WRITERS: dict[str, Callable[[Any], Sentences]] = {}


def lesson(writer: Callable[[Any], Sentences]) -> Callable[[Any], Sentences]:
    WRITERS[writer.__name__] = writer
    return writer


def solution(name: str) -> types.ModuleType:
    return catalogue.solution(course.find(name))


def d(value: float, digits: int) -> str:
    """So many decimals, with the minus sign of prose."""
    return tex(value, digits).replace("-", "−")


def tex(value: float, digits: int) -> str:
    """So many decimals, with the minus sign of LaTeX, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def short(value: float) -> str:
    """As few digits as the number has."""
    return f"{float(value):g}".replace("-", "−")


def ratio(value: float) -> str:
    """1/3 for 0.333…"""
    return str(Fraction(float(value)).limit_denominator(10**6))


def point(values: Iterable[float]) -> str:
    """(2, 0, 1)"""
    return f"({', '.join(map(short, values))})"


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_every_lesson_is_here() -> None:
    assert set(WRITERS) == {assignment.name for assignment in course.assignments()}


@pytest.mark.parametrize("name", WRITERS)
def test_the_numbers_of_the_lesson(name: str) -> None:
    text = plain(course.find(name).lesson.read_text("utf-8"))
    missing = [sentence for sentence in WRITERS[name](solution(name)) if plain(sentence) not in text]
    assert missing == []


@lesson
def attention(m: Any) -> Sentences:
    rng = np.random.default_rng(0)
    products = (rng.normal(size=(20000, 64)) * rng.normal(size=(20000, 64))).sum(axis=1)
    yield f"With $d = 64$ scores are about ±{products.std():.0f}. A score"
    yield f"A score that is higher by 8 has a weight $e^8 \\approx {math.exp(8):.0f}$ times as large"
    with np.errstate(over="ignore"):
        assert np.exp(1000.0) == np.inf
    yield "$e^{1000}$ overflows"

    x = np.array([[1.0], [0.0], [2.0]])
    w_q, w = np.array([[math.log(2)]]), np.array([[1.0]])
    order = [2, 0, 1]
    weights, out = m.attention_weights(x * math.log(2), x), m.self_attention(x, w_q, w, w)
    yield f"$x = {point(x[:, 0])}$"
    yield f"for keys {', '.join(map(short, x[:, 0]))}"
    for i in range(3):
        powers = ", ".join(short(2 ** (x[i, 0] * x[j, 0])) for j in range(3))
        # All three over one denominator, as the table has them.
        below = round(sum(2 ** (x[i, 0] * x[j, 0]) for j in range(3)))
        shares = ", ".join(f"{round(weight * below)}/{below}" for weight in weights[i])
        assert np.allclose(weights[i] * below, np.rint(weights[i] * below))
        tops = " + ".join(
            short(round(weight * below * value)) for weight, value in zip(weights[i], x[:, 0], strict=True)
        )
        yield f"| $x_{i} = {short(x[i, 0])}$ | {powers} | {shares} | $({tops})/{below} = {ratio(out[i, 0])}$ |"
    moved = m.permute_tokens(x, order)
    yield (
        f"Now use the order ${point(order)}$: first the old row 2, then row 0, then row 1. So $x' ="
        f" {point(moved[:, 0])}$"
    )
    first = m.attention_weights(moved * math.log(2), moved)[0]
    yield f"The first row of the weights becomes {', '.join(ratio(weight) for weight in first)}"
    moved_out = m.self_attention(moved, w_q, w, w)
    yield f"The outputs are $({', '.join(map(ratio, moved_out[:, 0]))})$"
    bag = float(m.bag_of_tokens(x, w_q, w, w)[0])
    yield f"\\tfrac{{29}}{{21}} \\approx {d(bag, 3)}"
    assert ratio(bag) == "29/21"
    assert math.isclose(bag, m.bag_of_tokens(moved, w_q, w, w)[0])
    yield f"With eight heads the difference is a factor $\\sqrt {512 // 64}$"

    shares = [m.softmax(np.array([3.0, *[0.0] * (n - 1)]))[0] for n in (10, 1000)]
    yield f"With $a = 3$ this is {d(shares[0], 2)} for $n = 10$ and {d(shares[1], 2)} for $n = 1000$"
    pair = np.arange(1.0, 9.0).reshape(2, 4)
    yield f"Tokens ${point(pair[0])}$ and ${point(pair[1])}$, two heads"
    first, second = m.split_heads(pair, 2)
    yield f"head 0 gets the rows ${point(first[0])}$ and ${point(first[1])}$"
    yield f"head 1 gets ${point(second[0])}$ and ${point(second[1])}$"
    assert np.array_equal(m.merge_heads(m.split_heads(pair, 2)), pair)
    # What the lesson says of every order, of a single head among many, and of masks.
    rows, (w_q, w_k, w_v) = rng.normal(size=(5, 4)), rng.normal(size=(3, 4, 4))
    for shuffled in itertools.permutations(range(5)):
        assert m.equivariance_gap(rows, w_q, w_k, w_v, shuffled) < 1e-12
        assert np.allclose(m.bag_of_tokens(rows[list(shuffled)], w_q, w_k, w_v), m.bag_of_tokens(rows, w_q, w_k, w_v))
    heads = [m.split_heads(rows @ w, 2) for w in (w_q, w_k, w_v)]
    merged = m.merge_heads(m.attention(*heads))
    assert np.allclose(merged[:, 2:], m.self_attention(rows, w_q[:, 2:], w_k[:, 2:], w_v[:, 2:]))
    forbidden = np.zeros((1, 5), dtype=bool)
    assert not m.attention_weights(rows[:1], rows, forbidden).any()
    assert np.allclose(m.softmax(np.where(forbidden, rows[:1] @ rows.T, -1e9)), 1 / 5)


@lesson
def naive(m: Any) -> Sentences:
    def written(code: np.ndarray) -> str:
        return "".join(str(bit) for bit in code)

    assert m.normalized_positions(13)[3] == m.normalized_positions(401)[100] == 0.25
    yield '"0.25" is position 3 in a sequence of 13 tokens and position 100 in a sequence of 401'
    steps = [ratio(m.normalized_positions(length)[1]) for length in (13, 401)]
    yield f"A step to the next token is {steps[0]} in one sequence and {steps[1]} in the other"
    placed = m.add_integer_positions(np.tile([0.3, -0.7], (501, 1)))
    first, far = placed[0], placed[500]
    yield (
        f"The features {short(first[0])} and {short(first[1])} become {short(far[0])} and {short(far[1])} at"
        " position 500"
    )
    yield f"Then {100 * 500 / far[0]:.2f} % of the first number is position"
    row = np.random.default_rng(0).normal(size=(501, 64))
    row[500] = row[0]
    normed = [(one - one.mean()) / one.std() for one in m.add_integer_positions(row)[[0, 500]]]
    assert np.allclose(*normed)
    growing = [m.normalized_positions(length) for length in (8, 9)]
    assert list(np.flatnonzero(growing[0] == growing[1][:8])) == [0]  # all change except the first
    yield (
        f"{m.bits_needed(1024)} bits give {2 ** m.bits_needed(1024):,} codes, {m.bits_needed(2**20)} bits give"
        f" {2**20:,}"
    )
    four = m.binary_positions(16)
    carries = m.hamming_steps(four)
    for position in (0, 1, 5, 6, 7, 8):
        yield f"| {position} | {' | '.join(map(str, four[position]))} | {carries[position]} |"
    yield f"From 7 ({written(four[7])}) to 8 ({written(four[8])}) all four bits change"
    yield "The 8 bits of the positions 124 to 132"

    short_text, long_text = m.normalized_positions(7)[3], m.normalized_positions(13)[3]
    yield f"| normalized | $3/6 = {short(short_text)}$ | $3/12 = {short(long_text)}$ |"
    bits = [m.bits_needed(length) for length in (7, 13)]
    yield f"| bits needed | {bits[0]}, since $2^2 < 7 \\le 2^3$ | {bits[1]}, since $2^3 < 13 \\le 2^4$ |"
    yield f"| binary | {written(m.binary_positions(7)[3])} | {written(m.binary_positions(13)[3])} |"
    gray = m.gray_positions(16)
    yield f"| 7 | {written(four[7])} | ${written(four[7])} \\oplus {written(four[3])} = {written(gray[7])}$ |"
    yield f"| 8 | {written(four[8])} | ${written(four[8])} \\oplus {written(four[4])} = {written(gray[8])}$ |"
    yield f"| bits that change | {carries[7]} | {m.hamming_steps(gray)[7]} |"
    assert set(m.hamming_steps(gray)) == {1}
    yield f"`math.log(2**29) / math.log(2)` is {math.log(2**29) / math.log(2)!r}, and rounded up this is 30"
    assert [m.bit_period(bit) for bit in range(4)] == [2 ** (bit + 1) for bit in range(4)]

    six, sixty = m.normalized_positions(6)[3], m.normalized_positions(60)[30]
    yield f"$3/5 = {short(six)}$ and $30/59 \\approx {d(sixty, 3)}$"
    single = np.mean(m.hamming_steps(m.binary_positions(2**10)) == 1)
    assert 0.45 < single < 0.55
    yield "About half of all steps change a single bit"


@lesson
def sinusoidal(m: Any) -> Sentences:
    yield f"But they jump, as from 7 ({7:04b}) to 8 ({8:04b})"
    yield "The angles 30° and 150° have the same sine"
    assert math.isclose(math.sin(math.radians(30)), math.sin(math.radians(150)))
    with pytest.raises(ValueError, match="29"):
        m.frequencies(29)

    omega = m.frequencies(4)
    yield f"$10000^{{0}} = {short(omega[0])}$ and $10000^{{-2/4}} = {short(omega[1])}$"
    pe = m.sinusoidal_encoding(np.arange(4), 4)
    yield f"| 1 | {d(pe[1, 0], 4)} | {d(pe[1, 1], 4)} | {d(pe[1, 2], 4)} | {d(pe[1, 3], 5)} |"
    for p in (2, 3):
        yield f"| {p} | {' | '.join(d(value, 4) for value in pe[p])} |"
    block = m.shift_matrix(1, 4)[:2, :2]
    cos, sin = d(block[0, 0], 4), d(block[0, 1], 4)
    yield f"with cos 1 = {cos} and sin 1 = {sin}"
    moved = block @ pe[1, :2]
    yield f"{cos} · {d(pe[1, 0], 4)} + {sin} · {d(pe[1, 1], 4)} = {d(moved[0], 4)}, and the cosine "
    yield f"−{sin} · {d(pe[1, 0], 4)} + {cos} · {d(pe[1, 1], 4)} = {d(moved[1], 3)}"
    close = float(pe[1] @ pe[2])
    assert math.isclose(close, pe[2] @ pe[3]) and math.isclose(close, m.offset_similarity(1, 4))
    yield f"The dot product of rows 1 and 2 is {d(close, 4)}. Rows 2 and 3 give {d(pe[2] @ pe[3], 4)} too"
    eight, waves = m.frequencies(8), m.wavelengths(8)
    yield (
        f"With $d = 8$ the frequencies are {short(eight[0])}, {short(eight[1])}, {short(eight[2])} and"
        f" {short(eight[3])}"
    )
    yield (
        f"Pair 2 makes a full turn in $2\\pi/{short(eight[2])} \\approx {waves[2]:.0f}$ positions, pair 3 in"
        f" {waves[3]:.0f}"
    )
    yield f"for $d = 8$ the longest wavelength is 2π · {waves[-1] / (2 * math.pi):.0f}"
    tensor2tensor = 10000.0 ** (-np.arange(4) / 3)
    assert np.abs(tensor2tensor - m.frequencies(8))[1:].min() > 1e-4 and math.isclose(tensor2tensor[-1], 1 / 10000)
    yield "in Whisper the last frequency is exactly $1/b$"
    similar = m.offset_similarity(np.array([6, 1]), 8)
    yield f"with $d = 8$, positions 6 apart ({d(similar[0], 3)}) are more alike than neighbours ({d(similar[1], 3)})"

    # Any frequencies make shifts linear; frequencies that differ within a pair do not.
    positions = np.arange(50)
    free = np.outer(positions, [0.3, 1.7, 2.2])
    assert _misfit(np.concatenate([np.sin(free), np.cos(free)], axis=1)) < 1e-9
    yield "for any frequencies, for example 0.3, 1.7 and 2.2"
    by_feature = np.outer(positions, 10000.0 ** (-np.arange(8) / 8))
    assert _misfit(np.where(np.arange(8) % 2, np.cos(by_feature), np.sin(by_feature))) > 0.1
    for base in (2.0, 10.0, 10000.0):
        assert m.frequencies(64, base).max() == m.frequencies(64, base)[0] == 1.0
    shift = m.shift_matrix(1, 8)
    assert np.allclose(m.sinusoidal_encoding(positions, 8) @ shift.T, m.sinusoidal_encoding(positions + 1, 8))
    assert np.allclose(shift.T @ shift, np.eye(8))
    assert np.allclose(m.shift_matrix(2, 8) @ m.shift_matrix(3, 8), m.shift_matrix(5, 8))


def _misfit(codes: np.ndarray) -> float:
    """How far the best single matrix stays from leading each code to the next."""
    now, following = codes[:-1], codes[1:]
    return float(np.abs(now @ np.linalg.lstsq(now, following, rcond=None)[0] - following).max())


@lesson
def learned(m: Any) -> Sentences:
    used = m.trained_rows(512, [128])
    yield f"A table of 512 rows ends with row {len(used) - 1}"
    yield (
        f"no training sequence was longer than 128. Then rows {np.flatnonzero(~used)[0]} to {np.flatnonzero(~used)[-1]}"
        " exist"
    )
    yield (
        "with mean 0 and standard deviation $\\sigma ="
        f" {short(round(float(m.init_table(2000, 100, seed=0).std()), 3))}$"
    )

    table = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    gradient = m.lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]])

    def row(values: np.ndarray) -> str:
        return f"[{', '.join(map(short, values))}]"

    yield f"[1, 0] + [2, 5] = {row(gradient[0])}. Row 1 was never read: {row(gradient[1])}. Row 2: {row(gradient[2])}."
    after = m.sgd_step(table, gradient, 0.1)
    taken = " , ".join(f"1 − {short(0.1 * value)}" for value in gradient[0]).replace(" ,", ",")
    yield f"row 0 becomes [{taken}] = {row(after[0])}; row 1 stays {row(after[1])}; row 2 becomes {row(after[2])}"
    stretched = m.resize_table(table, 5)
    yield f"$u = {', '.join(short(j * 2 / 4) for j in range(5))}$"
    yield f"so the rows are {', '.join(row(one) for one in stretched)}."
    assert np.array_equal(stretched[::2], table)
    yield "Old neighbours are now two steps apart"
    yield f"BERT-base has 512 × 768 = {m.init_table(512, 768, seed=0).size:,}."
    share = np.flatnonzero(m.trained_rows(512, [128])).size / 512
    assert share == 1 / 4
    yield "three quarters of the rows had learned nothing"
    yield f"P.weight.grad # [{', '.join(map(row, gradient))}]"
    yield f"P.weight # [{', '.join(map(row, after))}]"

    # What the boxes show of numpy.
    assert np.random.default_rng(7).normal(5.0, 2.0, (3, 4)).shape == (3, 4)
    few = np.array([[0, 0], [1, 10], [2, 20]])
    yield f"table[[2, 0]] # {few[[2, 0]].tolist()}"
    total = np.zeros(3)
    np.add.at(total, [0, 2, 0], [1, 1, 5])
    yield f"np.add.at(total, [0, 2, 0], [1, 1, 5]) # total is {row(total)}"
    once = np.zeros(3)
    once[[0, 2, 0]] += [1, 1, 5]
    assert once.sum() < total.sum()
    yield f"lengths[:, None] > np.arange(4) # shape {(np.array([2, 3])[:, None] > np.arange(4)).shape}"
    where = np.linspace(0, 2, 5)
    yield f"where = np.linspace(0, 2, 5) # {row(where)}"
    yield f"np.floor(where).astype(int) # {row(np.floor(where))}; where[:, None] has shape {where[:, None].shape}"


@lesson
def rope(m: Any) -> Sentences:
    def mixed(x: np.ndarray, position: float) -> np.ndarray:
        """Neighbours' frequencies with halves swapped: the mixture that is neither layout."""
        angles = np.repeat(position * m.rope_frequencies(4), 2)
        return np.asarray(x * np.cos(angles) + m.rotate_half(x) * np.sin(angles))

    x = np.array([1.0, 0, 0, 0])
    pairs = ((0, 1), (1, 2), (10, 11))
    right = [float(m.rope_scores([x], [x], [p], [n])[0, 0]) for p, n in pairs]
    half = [m.apply_rope_half([x], [p])[0] @ m.apply_rope_half([x], [n])[0] for p, n in pairs]
    products = [mixed(x, p) @ mixed(x, n) for p, n in pairs]
    assert np.allclose(half, np.multiply(right, 2))
    yield f"| right | {' | '.join(d(2 * value, 4) for value in right)} |"
    yield f"| mixture | {' | '.join(d(value, 4) for value in products)} |"
    assert np.allclose(mixed(x, 11), [math.cos(11), 0, math.sin(0.11), 0])
    yield f"At position 11 their sum has length {np.linalg.norm(mixed(x, 11)):.2f} instead of 1"
    yield f"$\\theta = ({short(m.rope_frequencies(4)[0])}, {short(m.rope_frequencies(4)[1])})$"
    yield from _the_reordering(m)

    tokens = 1000
    yield f"For $T = {tokens}$ tokens this computes {tokens:,} keys instead of {tokens * (tokens + 1) // 2:,}"
    assert all(m.rope_frequencies(64, base)[0] == 1 == m.rope_frequencies(64, base).max() for base in (1.5, 100.0, 5e5))
    assert m.rope_frequencies(64, 0.5)[0] == m.rope_frequencies(64, 0.5).min()
    yield "For every base above 1, pair 0 is the fastest"

    q, k = np.array([2.0, 1.0]), np.array([1.0, 3.0])
    yield f"$q_0 k_0 + q_1 k_1 = {short(q @ k)}$ and $q_1 k_0 - q_0 k_1 = 1 - 6 = {tex(q[1] * k[0] - q[0] * k[1], 0)}$"

    def rotated(row: np.ndarray, position: int) -> np.ndarray:
        return np.asarray(m.apply_rope([row], [position])[0])

    def tip(row: np.ndarray) -> str:
        return f"({tex(row[0], 4)}, {tex(row[1], 4)})"

    q2, k3 = rotated(q, 2), rotated(k, 3)
    yield f"- \\sin 2, 2 \\sin 2 + \\cos 2) = {tip(q2)}$"
    yield f"- 3 \\sin 3, \\sin 3 + 3 \\cos 3) = {tip(k3)}$"
    by_hand = (q2 * k3).round(4)
    assert math.isclose(by_hand.sum(), (q2 @ k3).round(4))
    yield f"dot product: ${tex(by_hand[0], 4)} - {tex(-by_hand[1], 4)} = {tex(q2 @ k3, 4)}$"
    yield f"score, divided by $\\sqrt 2$: ${tex(m.rope_scores([q], [k], [2], [3])[0, 0], 4)}$"
    q7, k8 = rotated(q, 7), rotated(k, 8)
    yield (
        f"$R_7 q = {tip(q7)}$ and $R_8 k = {tip(k8)}$. Both are new arrows, but the dot product is again"
        f" ${tex(q7 @ k8, 4)}$"
    )
    assert math.isclose(q7 @ k8, 5 * math.cos(1) - 5 * math.sin(1))
    yield (
        "Query at 3, key at 2: now $\\varphi = -1$, and we get $5 \\cos 1 + 5 \\sin 1 ="
        f" {tex(rotated(q, 3) @ rotated(k, 2), 4)}$"
    )
    yield from _two_heads(m)

    theta = m.rope_frequencies(128)
    yield (
        f"With $i/d$ the slowest pair of a head of 128 would rotate {10000 ** (-63 / 128) / theta[63]:.0f} times too"
        " fast"
    )
    yield from _few_digits(m)

    partial, full = m.rope_frequencies(64)[1], m.rope_frequencies(256)[1]
    yield f"With GPT-J's 64 of 256 features, $\\theta_1$ is {partial:.3f}; with a wrong 256 it would be {full:.3f}."
    bound = m.decay_bound(np.arange(8193), 128)
    assert (np.diff(bound) > 0).any()
    at_offsets = f"{bound[0]:.1f} at offset 0, {bound[100]:.1f} at 100 and {bound[1000]:.1f} at 1000"
    yield f"it is {at_offsets}, but {m.decay_bound(113028, 128):.1f} at 113028"
    assert np.cumsum([1, 1j, -1]).tolist() == [1, 1 + 1j, 1j] and np.abs(3 + 4j) == 5
    row = np.random.default_rng(0).normal(size=(1, 128))
    back = np.arange(400)
    scores = m.rope_scores(row, np.repeat(m.apply_rope(row, [50]), 400, axis=0), [0], -back)[0]
    assert scores.argmax() == 50 and math.isclose(scores.max(), (row**2).sum() / math.sqrt(128))
    yield "the key $k = R_{50} q$ has its highest score exactly 50 positions back"
    _the_bound_holds(m)
    yield f"In a training text of 4096 tokens the angles of pair 63 (head of 128) reach {4095 * theta[63]:.2f} radians"

    # Rotated in opposite directions, a score depends on the sum of the positions.
    against = [rotated(q, place) @ rotated(k, place - 7) for place in (3, 5, 20)]
    assert np.allclose(against, against[0])
    yield "If you rotate them in opposite directions, the score depends on $m + n$"


def _the_reordering(m: Any) -> Sentences:
    """That nothing else reorders one layout to the other."""
    x = np.random.default_rng(0).normal(size=(2, 6))
    there = m.apply_rope(x, [3, 10])
    orders = [list(order) for order in itertools.permutations(range(6))]
    right = [order for order in orders if np.allclose(m.apply_rope_half(x[:, order], [3, 10]), there[:, order])]
    assert right == [[0, 2, 4, 1, 3, 5]]
    yield "They differ by a fixed order: even features first, then odd ones"
    four, six = np.arange(4), np.arange(6)
    assert np.array_equal(m.interleaved_to_half(four), m.half_to_interleaved(four))
    assert not np.array_equal(m.interleaved_to_half(six), m.half_to_interleaved(six))
    yield "For $d = 4$ both functions do the same, for $d = 6$ they do not"
    assert np.array_equal(m.rotate_half(m.rotate_half(x)), -x)
    yield "apply it twice. You must get $-x$"


def _two_heads(m: Any) -> Sentences:
    """The example of two tokens and two heads, at once and token by token."""
    x, eye = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1]]), np.eye(4)
    out = m.rope_attention(x, eye, eye, eye, 2)

    def row(values: np.ndarray) -> str:
        return ", ".join(short(round(float(value), 4)) for value in values)

    yield f"from $(0, 1)$ to $(-\\sin 1, \\cos 1) = ({', '.join(tex(v, 4) for v in m.apply_rope(x[1:, :2], [1])[0])})$"
    for head in range(2):
        here = x[:, 2 * head : 2 * head + 2]
        scores = m.rope_scores(here, here, [0, 1], [0, 1])[1]
        weights = np.exp(scores) / np.exp(scores).sum()
        products = [f"{tex(scores[0] * math.sqrt(2), 4)}", "1"]
        cells = [f"${top}/\\sqrt 2 = {tex(score, 4)}$" for top, score in zip(products, scores, strict=True)]
        given = ", ".join(f"{weight:.4f}" for weight in weights)
        pair = ", ".join(f"{value:.4f}" for value in out[1, 2 * head : 2 * head + 2])
        yield f"| head {head} | {cells[0]} | {cells[1]} | {given} | $({pair})$ |"
    last = ", ".join(f"{value:.4f}" for value in out[1])
    yield f"row 1 of the result is $({last})$"
    yield f"so it is $({row(out[0])})$"

    empty = np.zeros((2, 0, 2))
    first, cache_k, cache_v = m.decode_step(x[:1], eye, eye, eye, 2, empty, empty, 0)
    assert np.allclose(first[0], out[0]) and cache_k.tolist() == [[[1, 0]], [[2, 0]]]
    yield "cache_k before: [[[1, 0]], [[2, 0]]]"
    second, cache_k, cache_v = m.decode_step(x[1:], eye, eye, eye, 2, cache_k, cache_v, 1)
    assert np.allclose(second[0], out[1])
    heads = [[f"[{row(one).replace('−', '-')}]" for one in head] for head in cache_k]
    yield f"cache_k after: [[{', '.join(heads[0])}], [{', '.join(heads[1])}]]"
    assert cache_v.tolist() == [[[1, 0], [0, 1]], [[2, 0], [0, 1]]]
    yield "cache_v after: [[[1, 0], [0, 1]], [[2, 0], [0, 1]]]"
    yield f"out: [[{last}]]"


def _few_digits(m: Any) -> Sentences:
    """What is left of positions in a small type."""

    def bfloat16(numbers: np.ndarray) -> np.ndarray:
        """Rounded to 8 significant bits, half to even."""
        fraction, exponent = np.frexp(numbers)
        return np.ldexp(np.rint(fraction * 2**8) / 2**8, exponent)

    left = np.unique(bfloat16(np.arange(4096.0)))
    assert np.array_equal(left[:257], np.arange(257)) and np.array_equal(np.diff(left[256:513]), np.repeat([2, 4], 128))
    yield f"stores the positions 0 … 4095 as only {len(left)} different numbers"


def _the_bound_holds(m: Any) -> None:
    """|(R_m q)·(R_n k)| ≤ max |h_{l+1} − h_l| · Σ |S_j|, and the sum by parts is the dot product."""
    rng = np.random.default_rng(0)
    theta = m.rope_frequencies(16)
    for offset in (0, 1, 19, 300):
        q, k = rng.normal(size=(2, 16))
        h = np.append((q[0::2] + 1j * q[1::2]) * (k[0::2] - 1j * k[1::2]), 0)
        sums = np.cumsum(np.exp(1j * offset * theta))
        product = float(m.rope_scores([q], [k], [offset], [0])[0, 0]) * 4
        assert math.isclose(product, -(np.diff(h) * sums).sum().real)
        assert abs(product) <= np.abs(np.diff(h)).max() * np.abs(sums).sum()
        assert math.isclose(m.decay_bound(offset, 16), np.abs(sums).mean())


@lesson
def relative(m: Any) -> Sentences:
    rows = np.array([[0.0, 2, 0, 0], [1, 0, 0, 0], [-1, 0, 0, 0]])
    q, k = np.tile([2.0, 2, 0, 0], (3, 1)), np.tile([1.0, 1, 0, 0], (3, 1))
    yield f"$q \\cdot k = {short(q[0] @ k[0])}$ everywhere"
    with_rows = q[0] @ rows.T
    yield (
        f"$q \\cdot a_{{-1}} = {tex(with_rows[0], 0)}$, $q \\cdot a_0 = {tex(with_rows[1], 0)}$, $q \\cdot a_{{+1}} ="
        f" {tex(with_rows[2], 0)}$"
    )
    scores = m.shaw_scores(q, k, rows, 1)
    first, second = [[short(score) for score in row] for row in scores[:2]]
    clipped = f"distance 2, clipped to 1: $(4 - 2)/2 = {first[2]}$"
    yield f"| 0 | $(4 + 2)/2 = {first[0]}$ | $(4 - 2)/2 = {first[1]}$ | {clipped} |"
    yield f"| 1 | $(4 + 4)/2 = {second[0]}$ | $(4 + 2)/2 = {second[1]}$ | $(4 - 2)/2 = {second[2]}$ |"

    def bucket(distance: int, **sizes: Any) -> int:
        return int(
            m.t5_bucket(np.array(-distance), **({"bidirectional": False, "num_buckets": 8, "max_distance": 64} | sizes))
        )

    yield f"the distances 0, 1, 2, 3 have buckets {', '.join(str(bucket(n)) for n in range(4))}"
    for n in (4, 7, 8, 16, 32):
        yield f"| {n} | {short(round(math.log2(n / 4), 2))} | {bucket(n)} |"
    yield (
        f"| 1000 | {short(round(math.log2(1000 / 4), 2))} | $\\min(7, {4 + int(math.log2(1000 / 4))}) ="
        f" {bucket(1000)}$ |"
    )
    opens = [next(n for n in range(2000) if bucket(n) == one) for one in range(8)]
    widths = np.diff(opens)
    assert widths[5] == 2 * widths[4] and widths[6] == 2 * widths[5]
    yield "Buckets 5 and 6 are twice as wide as the bucket before them"
    yield f"The last one starts at {opens[7]}, half of `max_distance`"
    assert opens[7] == 64 // 2

    assert np.array_equal(m.t5_bucket(np.arange(1000), bidirectional=False), np.zeros(1000))
    yield "the wrong sign sends the whole past to bucket 0"

    defaults = inspect.signature(m.t5_bucket).parameters
    buckets, most = defaults["num_buckets"].default, defaults["max_distance"].default
    alone = next(
        n
        for n in range(most)
        if bucket(n + 1, num_buckets=buckets, max_distance=most) == bucket(n, num_buckets=buckets, max_distance=most)
    )
    yield f"T5's defaults, causal, are $N = B = {buckets}$, $E = {alone}$ and $D = {most}$"
    on_the_boundary = math.log(8 / 4) / math.log(128 / 4) * 5
    instead = (
        f"distance 8 gives {on_the_boundary!r} instead of 1, and rounded down this is {math.floor(on_the_boundary)}"
    )
    yield f"with 9 causal buckets and `max_distance` 128, {instead}"
    assert bucket(8, num_buckets=9, max_distance=128) == 4 + 1

    # The example in PyTorch, and what the boxes show of numpy.
    bias = m.t5_bias(np.arange(4.0)[:, None], 1, 5, False, 8, q_start=4)
    yield f"relative = torch.arange(5)[None, :] - 4 # {m.relative_positions(1, 5, q_start=4).tolist()}"
    yield (
        "bucket = torch.from_numpy(t5_bucket(relative.numpy(), False, 4, 8)) #"
        f" {m.t5_bucket(np.arange(-4, 1)[None], False, 4, 8).tolist()}"
    )
    yield f"# shape {bias.shape}: {bias.astype(int).tolist()}"
    yield f"np.arange(2)[:, None] - np.arange(3) # {(np.arange(2)[:, None] - np.arange(3)).tolist()}: shape (2, 3)"
    per_row, wanted = np.array([[10, 11, 12], [20, 21, 22]]), np.array([[1, 2], [0, 1]])
    yield f"np.take_along_axis(per_row, rows, axis=-1) # {np.take_along_axis(per_row, wanted, axis=-1).tolist()}"
    assert np.broadcast_to(wanted, (5, 2, 2)).shape == (5, 2, 2)
    logs = np.log(np.maximum([0, 3, 8], 4) / 4)
    yield f"np.log(np.maximum(n, 4) / 4) # [0, 0, {logs[2]:.3f}]"
    assert not logs[:2].any()
    yield f"np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape # {np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape}"


@lesson
def alibi(m: Any) -> Sentences:
    in_the_last = solution("relative").t5_bucket(-np.arange(10_000), bidirectional=False) == 31
    yield f'"{np.argmax(in_the_last)} to {512 - 1} tokens back" (with 32 causal buckets)'
    yield f'means "{np.argmax(in_the_last)} to 9,999 tokens back".'
    yield f"For the last token {100 * in_the_last.mean():.0f} % of all keys are in it"
    four = m.alibi_slopes(4)
    first, last = ", ".join(map(ratio, four[:3])), ratio(four[3])
    yield f"With four heads the slopes are {first} and {last}: each head looks four times as far"
    kept = [math.exp(-four[0] * distance) for distance in (1, 2, 20)]
    yield f"For $m = 1/4$ this number is {kept[0]:.3f} at distance 1, {kept[1]:.3f} at distance 2,"
    yield f"at distance 2, and {kept[2]:.3f} at distance 20"
    yield f"Four heads. The first slope is $2^{{-8/4}} = {ratio(four[0])}$"
    bias = m.alibi_bias(4, 4, 4)[:, 3]
    factors = np.exp(bias)
    weights = factors / factors.sum(axis=1, keepdims=True)
    yield f"| bias | {' | '.join(map(short, bias[0] + 0.0))} |"
    yield f"| {' | '.join(d(value, 4) for value in factors[0, :3])} | {short(factors[0, 3])} |"
    yield f"divided by the sum {factors[0].sum():.4f} | {' | '.join(d(value, 3) for value in weights[0])} |"
    yield f"In the last head, with slope {last}, the weights are {', '.join(d(value, 4) for value in weights[3])}"
    bloom_row = m.bloom_bias(4, 4)[0, 0]
    yield f"The biases of the first head are {', '.join(map(short, bloom_row))}"
    yield f"Each is larger by {short((bloom_row - bias[0])[0])} than the bias in the table"
    assert np.allclose(bloom_row - bias[0], -bias[0, 0])
    yield f"So all four exponentials are $e^{{{short(-bias[0, 0])}}}$ times larger"
    windows = [m.effective_window(slope, 0.01) for slope in four]
    yield f"$r = \\ln 100 / m = {math.log(100):.3f} / m$. For slope"
    yield f"For slope {ratio(four[0])} this is {math.log(100) * 4:.1f}, so distance {windows[0]}"
    yield (
        f"For {ratio(four[1])}, {ratio(four[2])} and {ratio(four[3])} it is {windows[1]}, {windows[2]} and {windows[3]}"
    )
    two, three = m.alibi_slopes(2), m.alibi_slopes(3)
    yield f"Two of them get the slopes for two heads: {' and '.join(map(ratio, two))}"
    yield f"from the list for four heads: {', '.join(map(ratio, four))}"
    yield f"So the slopes are {', '.join(map(ratio, three))}, in this order"
    bloom = m.alibi_slopes(112)
    assert np.array_equal(bloom[:64], m.alibi_slopes(64))
    yield f"112 heads, which is not a power of two: 64 slopes and then {len(bloom) - 64} from the list for 128 heads"
    assert set(bloom[64:]) <= set(m.alibi_slopes(128))
    naive_slopes = 2.0 ** (-8 * np.arange(1, 7) / 6)
    yield f"for 6 heads it gives {naive_slopes[0]:.3f}, {naive_slopes[1]:.3f}, {short(naive_slopes[2])}, …"
    assert not np.allclose(np.sort(naive_slopes), np.sort(m.alibi_slopes(6)))


@lesson
def context_extension(m: Any) -> Sentences:
    turns = m.rotations_in_context(128, 4096)
    yield f"The fastest pair makes {turns[0]:.0f} full rotations"
    yield f"The slowest pair rotates by ${360 * turns[-1]:.1f}°$ in all"
    yield f"would rotate by ${360 * 8 * turns[-1]:.1f}°$"
    done, not_done = int((turns >= 1).sum()), int((turns < 1).sum())
    yield f"Of the {len(turns)} pairs, {done} make at least one full rotation in training, and {not_done} do not"
    yield f"{360 * turns[-1]:.0f} degrees in training and {360 * 8 * turns[-1]:.0f} degrees at eight times the length"
    yield f"the last {not_done} bars are below one"
    yield f"serves 131,072, not {8 * 8192:,}"

    trained = m.longrope_frequencies(8, np.ones(4))
    yield f"The frequencies are ${', '.join(map(short, trained))}$"
    r = m.rotations_in_context(8, 1024)
    yield f"$1024\\cdot1/2\\pi = {r[0]:.2f}$ rotations in the fastest pair, and a tenth in each next one"
    assert np.allclose(r[1:] * 10, r[:-1])

    def pair_of(beta: float) -> float:
        return 8 * math.log(1024 / (2 * math.pi * beta)) / (2 * math.log(10000))

    yield f"$2\\pi\\cdot32 = {64 * math.pi:.2f}$ and $\\ln 10000 = {math.log(10000):.4f}$"
    yield f"$i(32) = 8\\ln(1024/{64 * math.pi:.2f})/(2\\cdot {math.log(10000):.4f}) = {pair_of(32):.3f}$"
    yield f"$i(1) = 8\\ln({r[0]:.2f})/{2 * math.log(10000):.3f} = {pair_of(1):.3f}$"
    yarn = m.yarn_frequencies(8, 10000.0, 4, 1024)
    assert np.allclose((trained - yarn) / (trained - trained / 4), [0, 1 / 3, 2 / 3, 1])
    yield f"$0.1\\cdot\\tfrac23 + 0.025\\cdot\\tfrac13 = {short(yarn[1])}$; pair 2 gets"
    yield f"$0.01\\cdot\\tfrac13 + 0.0025\\cdot\\tfrac23 = {short(yarn[2])}$"
    llama = m.llama3_frequencies(8, 10000.0, 4.0, trained_len=1024)
    smooth = (r[2] - 1) / 3
    yield f"$= ({r[2]:.4f}-1)/3 = {smooth:.4f}$"
    yield f"and gets ${1 - smooth:.4f}\\cdot0.0025 + {smooth:.4f}\\cdot0.01 = {llama[2]:.6f}$"
    base = m.ntk_base(10000.0, 4, 8)
    ntk = m.longrope_frequencies(8, np.ones(4), base=base)
    yield (
        f"$10000\\cdot4^{{8/6}} = {base:.0f}$, and the slowest pair has ${base:.0f}^{{-6/8}} ="
        f" {short(round(ntk[3], 8))}$"
    )
    columns = {
        0: [f"{r[0]:.2f}", *map(short, (trained[0], trained[0] / 4)), "?", *map(short, (yarn[0], llama[0]))],
        1: [
            f"{r[1]:.2f}",
            *map(short, (trained[1], trained[1] / 4)),
            f"{ntk[1]:.5f}",
            *map(short, (yarn[1], llama[1])),
        ],
        2: [
            f"{r[2]:.3f}",
            *map(short, (trained[2], trained[2] / 4)),
            f"{ntk[2]:.6f}",
            short(yarn[2]),
            f"{llama[2]:.6f}",
        ],
        3: [f"{r[3]:.3f}", short(trained[3]), *4 * ["0.00025"]],
    }
    for pair, numbers in columns.items():
        yield f"| {pair} | {' | '.join(numbers)} |"
    assert np.allclose([trained[3] / 4, ntk[3], yarn[3], llama[3]], 0.00025)
    scale = m.yarn_scale(4)
    yield f"For $s = 4$: $0.1\\ln4+1 = {scale:.4f}$, and a score is multiplied by ${scale:.4f}^2 = {scale**2:.4f}$"
    assert math.isclose(m.longrope_scale(8, 4096) ** 2, math.log(8 * 4096) / math.log(4096))
    brackets = [(m.dynamic_ntk_base(10000.0, 8, length, 2048, 2) / 10000) ** (6 / 8) for length in (4096, 6144)]
    dynamic = m.dynamic_ntk_base(10000.0, 8, 4096, 2048, 2)
    yield (
        f"the bracket $2\\cdot2-1 = {brackets[0]:.0f}$ and the base $10000\\cdot3^{{8/6}} = {dynamic:.0f}$ (for $d"
        " = 8$)"
    )
    yield f"6,144 tokens have the bracket {brackets[1]:.0f}"

    high = math.ceil(64 * math.log(131072 / (2 * math.pi)) / (2 * math.log(10000)))
    low = math.floor(64 * math.log(131072 / (64 * math.pi)) / (2 * math.log(10000)))
    clamped, kept = m.yarn_frequencies(64, 10000.0, 4, 131072), m.longrope_frequencies(64, np.ones(32))
    assert np.allclose((kept - clamped) / (kept * 3 / 4), np.clip((np.arange(32) - low) / (high - low), 0, 1))
    yield f"with $d = 64$, base 10000 and 131,072 trained tokens high is {high}, not {64 // 2 - 1}"
    stretched = m.rotations_in_context(128, 32768, base=m.ntk_base(10000.0, 8, 128))
    leave = int((stretched[turns < 1] > turns[turns < 1] * (1 + 1e-9)).sum())
    yield f"{leave} of the {not_done} slow pairs still get new angles"
    yield from _extended(m)


CLEAR = 0.05
"""from which p on the lessons call a difference clear"""


def _extended(m: Any) -> Sentences:
    """The section `What we measured` of context_extension, from what the experiment left."""
    rows, trained = extension.saved(), extension.AS_TRAINED
    copying, passkey, latest = "copy 3 back", "passkey", "latest passkey"
    setting, models = extension.RUNS[copying].setting, len(extension.SEEDS)

    def found(run: str, method: str, length: int, steps: int = 0) -> np.ndarray:
        return extension.accuracies(rows, run, method, steps)[length]

    def mean(run: str, method: str, length: int, steps: int = 0) -> str:
        return d(found(run, method, length, steps).mean(), 2)

    def gain(run: str, method: str, length: int, before: str = trained, steps: int = 0) -> measuring.Paired:
        return measuring.paired(found(run, before, length, steps), found(run, method, length, steps))

    def all_gain(run: str, method: str, length: int, before: str = trained, steps: int = 0) -> bool:
        change = gain(run, method, length, before, steps)
        return change.gained == models and change.p <= CLEAR

    yield f"RoPE with base {setting.base:.0f}, {setting.steps:,} steps) on {setting.trained_length} tokens"
    yield f"It does this {models} times, from {models} seeds"
    assert extension.accuracies(rows, copying, trained).keys() == {16, 32, 64, 128, 256}
    yield f"Guessing has the accuracy {1 / setting.vocabulary:.2f}"
    turns = m.rotations_in_context(setting.width, setting.trained_length)
    yield f"in 16 tokens even the fastest pair makes only {turns[0]:.2f}"
    assert turns.max() < 4
    yield "Llama 3 keeps no pair here either: none makes more than 4 rotations in 16 tokens"
    yield f"with {models - 1} in the denominator (`np.std(x, ddof=1)`)"
    yield f"For {models} models there are $2^{models} = {2**models}$ choices"
    flips = {"+++": 6, "++-": 0, "+-+": 2, "-++": 4}
    for signs, total in flips.items():
        assert sum(int(sign + number) for sign, number in zip(signs, "123", strict=True)) == total
    means = [short(round(total / 3, 2)) for total in flips.values()]
    yield f"| signs | {' | '.join(f'${signs}$' for signs in flips)} | the opposite four |"
    yield f"| mean | {' | '.join(means)} | −2, 0, −0.67, −1.33 |"
    yield f"Two of the 8 means are as far from 0 as 2, so *p* is $2/8 = {measuring.sign_flip(np.arange(1.0, 4)):g}$"
    yield f"If all {models} gain, $p = 2/{2**models} = {measuring.sign_flip(np.arange(1.0, models + 1)):.3f}$"
    yield f"A difference is **clear** if $p \\le {CLEAR}$"
    yield "Asked at 64 tokens, four times the trained length"

    # The passkey.
    assert all(found(passkey, extension.NO_POSITION, length).min() > 0.995 for length in setting.lengths)
    yield "every model finds it, with 1.00 up to 256 tokens"
    yield f"as trained, they fall to {mean(passkey, trained, 256)}"
    assert {
        mean(passkey, method, length) for method in ("interpolation", "YaRN", "Llama 3") for length in setting.lengths
    } == {"1.00"}

    # The latest passkey.
    yield f"the control without positions has {mean(latest, extension.NO_POSITION, 64)}"
    for method in ("interpolation", "YaRN", "Llama 3", "limits 1 and 1"):
        for length in setting.lengths[1:]:
            assert float(mean(latest, method, length)) >= 0.94 and all_gain(latest, method, length), (method, length)
    yield f"have at least 0.94 at every length, and all {models} models gain"
    yield f"at 256 tokens they have {mean(latest, 'NTK-aware', 256)} and {mean(latest, 'dynamic NTK', 256)}"

    # Copying.
    for method in ("interpolation", "Llama 3"):
        assert mean(copying, method, 64) == "0.06" and all_gain(copying, trained, 64, before=method)
    yield f"Interpolation and Llama 3 fall to 0.06, and all {models} models lose"
    stretched = extension.accuracies(rows, copying, "interpolation", what="stretched")[32]
    yield f"the models do name the token 6 back, in {100 * stretched.mean():.0f} % of all cases"
    assert all_gain(copying, "limits 1 and 1", 64) and all_gain(copying, "limits 1 and 1", 256)
    yield (
        f"With limits 1 and 1, all {models} models gain: {mean(copying, 'limits 1 and 1', 64)} at 64 tokens,"
        f" {mean(copying, 'limits 1 and 1', 256)} at 256 (as trained: {mean(copying, trained, 64)} and"
        f" {mean(copying, trained, 256)})"
    )
    published = gain(copying, "YaRN", 64)
    assert published.p > CLEAR
    yarn, pairs = (extension.METHODS[name](m, setting, 64).frequencies for name in ("YaRN", trained))
    assert (yarn == pairs).tolist() == [True] + [False] * (len(pairs) - 1)
    assert np.allclose((pairs - yarn) / (pairs * 3 / 4), np.clip(np.arange(len(pairs)) / 2, 0, 1)), (
        "low = 0 and high = 2"
    )
    yield "begins at pair 0 and ends at pair 2 ($0, \\tfrac12, 1, 1, \\dots$), and only the fastest pair is kept"
    yield f"In copying at 64 tokens this is no clear gain ({published.gained} of {models})"
    assert all_gain(copying, "limits 1 and 1", 64, before="YaRN")
    yield f"With limits 1 and 1 all {models} models are better than with the published ones"
    assert all_gain(copying, "YaRN", 128, before="YaRN, no scale")
    spread = found(copying, "YaRN", 128).std(ddof=1)
    assert gain(copying, "YaRN", 128, before="YaRN, no scale").mean < spread
    yield (
        f"In copying at 128 tokens YaRN has {mean(copying, 'YaRN', 128)} with the scale and"
        f" {mean(copying, 'YaRN, no scale', 128)} without it. Among themselves the models differ by more"
        f" (± {spread:.2f}), but each of the {models} gains"
    )

    # One setting changed.
    base_10 = extension.RUNS["copy 3 back, base 10"]
    fitting = m.rotations_in_context(setting.width, 16, base_10.setting.base)
    yield (
        f"now {int((fitting >= 1).sum())} of {len(turns)} pairs make a rotation in 16 tokens, not"
        f" {int((turns >= 1).sum())}"
    )
    yield f"the models, without any method, copy with {mean('copy 3 back, base 10', trained, 256)} at 256 tokens"
    for method in set(base_10.methods) - {trained}:
        for length in setting.lengths[1:]:
            change = gain("copy 3 back, base 10", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    longer = extension.RUNS["copy 3 back, trained at 64"].setting
    rotate = m.rotations_in_context(longer.width, longer.trained_length, longer.base)
    yield f"train at {longer.trained_length} tokens with base {longer.base:.0f}, and ask at {longer.lengths[-1]}"
    yield f"most pairs ({int((rotate >= 1).sum())} of {len(rotate)}) make a rotation in training"
    repairs = set(extension.RUNS["latest passkey, trained at 64"].methods) - {trained, extension.NO_POSITION}
    far = {method: found("latest passkey, trained at 64", method, 256) for method in repairs}
    assert all(all_gain("latest passkey, trained at 64", method, 256) for method in far)
    means = sorted(values.mean() for values in far.values())
    before = found("latest passkey, trained at 64", trained, 256).mean()
    yield (
        f"the models as trained have {before:.2f}; every method makes all {models} models better, and has"
        f" {means[0]:.2f} to {means[-1]:.2f}"
    )
    yield f"(No position has {mean('latest passkey, trained at 64', extension.NO_POSITION, 256)}.)"
    yield f"which have {mean('copy 3 back, trained at 64', trained, 256)}"
    for length in longer.lengths[1:]:
        for method in far:
            change = gain("copy 3 back, trained at 64", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    yield f"interpolation still has {mean('copy 3 back, trained at 64', 'interpolation', 256)}"
    further = "copy 3 back, trained further"
    for method in (trained, "NTK-aware", "YaRN", "limits 1 and 1"):
        assert float(mean(further, method, 64, 50)) >= 0.99
    assert extension.RUNS[further].further_steps[-1] == setting.steps == 1000
    assert found(further, "interpolation", 64, 200).mean() < 0.1
    yield f"Interpolation needs 1,000 steps for {mean(further, 'interpolation', 64, 1000)}"
    saved = "latest passkey, trained further"
    assert all_gain(saved, "YaRN", 64, steps=50)
    yield (
        f"the models have {mean(saved, 'YaRN', 64, 50)} with YaRN, and {mean(saved, trained, 64, 50)} with unchanged"
        " frequencies"
    )


@lesson
def extrapolation(m: Any) -> Sentences:
    frequencies = 10000.0 ** (-np.arange(0, 8, 2) / 8)

    def similar(distance: int) -> float:
        """Σ cos(θ(j − i + 3)) for d = 8 and a key this far back."""
        return float(np.cos(frequencies * (3 - distance)).sum())

    assert max(range(128), key=similar) == 3
    sinusoidal = solution("sinusoidal")
    codes = sinusoidal.sinusoidal_encoding(np.arange(128), 8)
    assert np.allclose(
        (codes @ sinusoidal.shift_matrix(3, 8) @ codes.T)[127], [similar(127 - key) for key in range(128)]
    )
    yield f"With $d = 8$ this is {similar(3):g} at distance 3, its maximum, and {similar(66):.2f} at distance 66"

    accuracies = [1.0, 0.9, 0.5, 0.95]
    lengths = [16, 32, 64, 128]
    yield f"With the threshold 0.9 the longest reliable length is {m.longest_reliable_length(lengths, accuracies)}"
    yield f"The gap is $1.0 - 0.95 = {m.extrapolation_gap(lengths, accuracies, 16):.2f}$"
    assert m.extrapolation_gap(lengths, [0.1] * 4, 16) == 0
    yield "A model that scores 0.1 at every length has a gap of 0"
    yield f"and $e^5 = {math.exp(5):.1f}$"
    weights = [math.exp(5) / (math.exp(5) + keys - 1) for keys in lengths]
    yield f"| weight of the right key | {' | '.join(d(weight, 3) for weight in weights)} |"
    assert round(1 - weights[3] / weights[0], 1) == 0.4
    yield "The right key has lost four tenths of its weight"
    nothing = np.zeros((3, 2))
    rows = m.logits("alibi", nothing, nothing, {"slope": 0.5})
    yield f"$-0.5\\cdot2, -0.5\\cdot1, 0$, that is ${', '.join(f'{value:g}' for value in rows[2] + 0.0)}$"
    assert np.array_equal(rows[0], [0, -np.inf, -np.inf])
    yield "the first is $0, -\\infty, -\\infty$"
    added = m.encode("binary", np.zeros((6, 4)), {"n_bits": 3})[5]
    yield f"row 5 gets ${', '.join(map(short, added))}$ added: 5 is {5:03b}"
    one = np.ones((1, 1))
    rows = [
        m.logits("integer", m.encode("integer", shifted, {}), m.encode("integer", shifted, {}), {})
        for shifted in np.ones((2, 3, 1))
    ]
    assert rows[0][1:, 1:][np.tri(2) > 0].tolist() == [4, 6, 9]
    yield (
        "The differences are 3, 4 and 5, so the shift gap is"
        f" {m.shift_gap('integer', np.ones((2, 1)), one, one, {}, 1):g}"
    )
    yield from _measured(m)


def _changed(kept: _Measured, task: str) -> Sentences:
    """Three times the steps, and the changes that a reader may make."""
    tries, changes = lab.at_best_rate(lab.kept_tries("grid.csv")), lab.kept_tries("changes.csv")
    pairs = lab.reported(kept.rows, task)
    once, thrice = (
        {pair: lab.tried(rows, task, *pair, then) for pair in pairs}
        for rows, then in ((tries, lab.USUAL), (changes, lab.TRIPLED))
    )
    moving = {pair for pair in pairs if not lab.flat(once[pair], thrice[pair])}
    yield (
        "seven rows still move: - sinusoidal and RoPE, with both settings; - scaled integer; - Shaw and T5, with the"
        " usual setting"
    )
    yield f"{lab.setting_of(lab.TRIPLED).steps:,} steps in place of {lab.Setting().steps:,}"
    both = {(method, change) for method in ("sinusoidal", "rope") for change in ("usual", kept.choice[task, method])}
    scaled = ("integer", kept.choice[task, "integer"])
    assert moving == {*both, scaled, ("shaw", "usual"), ("t5", "usual")}

    def mean(rows: list[lab.Tried], what: str = "x8") -> float:
        return float(np.mean([getattr(row, what) for row in rows]))

    assert [pair for pair in pairs if abs(mean(once[pair], "x1") - mean(thrice[pair], "x1")) > 0.02] == [scaled]
    yield "At 16 tokens that holds for every row but scaled *integer*"
    t5, shaw = ([d(mean(rows[method, "usual"]), 2) for rows in (once, thrice)] for method in ("t5", "shaw"))
    yield f"At 128 tokens T5 goes from {t5[0]} to {t5[1]}, and Shaw from {shaw[0]} to {shaw[1]}"

    cells = {row[1:4]: lab.tried(changes, task, *row[1:4]) for row in changes if row.method in lab.RIVALS}
    lowest = {
        pair: min(mean(rows) for (*of, _), rows in cells.items() if tuple(of) == pair)
        for pair in {key[:2] for key in cells}
    }
    assert [pair for pair, accuracy in lowest.items() if accuracy >= 0.99] == [("t5", "own_buckets 16")]
    yield "Only T5 with `own_buckets 16` keeps its accuracy under every change"
    assert min(mean(rows, "x1") for rows in cells.values()) >= 0.98
    yield "at the trained length every cell has at least 0.98"
    yield f"RoPE with base 4, trained on 32 tokens, has {d(mean(cells['rope', 'base 4', 'trained_length 32']), 2)}"


class _Measured:
    """What the experiment left, asked by the claims of the lesson."""

    def __init__(self) -> None:
        self.rows, self.grid = lab.saved(), lab.at_best_rate(lab.kept_tries("grid.csv"))
        self.choice = lab.chosen(lab.kept_tries("grid.csv"))

    def seeds(
        self, method: str, length: int, change: str = "usual", task: str = "copy 3 back", what: str = "accuracy"
    ) -> np.ndarray:
        return lab.by_length(
            self.rows, task, method, self.choice[task, method] if change == "chosen" else change, what
        )[length]

    def mean(self, *asked: Any, **named: Any) -> str:
        return d(self.seeds(*asked, **named).mean(), 2)

    def spread(self, *asked: Any, **named: Any) -> str:
        return measuring.spread(self.seeds(*asked, **named))

    def reliable(self, change: str, task: str, length: int = 128) -> set[str]:
        """The methods that are reliable at this length with every seed."""
        return {
            method for method in lab.METHODS if (self.seeds(method, length, change, task) >= measuring.RELIABLE).all()
        }

    def tried(self, method: str, what: str, task: str = "copy 3 back") -> dict[str, float]:
        """Setting → the mean over the choosing seeds."""
        settings = ("usual", *lab.CHOICES.get(method, ()))
        return {
            change: float(np.mean([getattr(row, what) for row in lab.tried(self.grid, task, method, change)]))
            for change in settings
        }


def _measured(m: Any) -> Sentences:
    """Every claim of the lesson about a measurement: each sentence stands in the lesson only as long as its assertion
    holds."""
    kept, setting = _Measured(), lab.Setting()
    three, one = lab.TASKS
    tables = lab.tables(m).split("\n\n")
    for title in (
        "The table of the articles, measured",
        "One more change: accuracy on the choosing seeds at 8 times the trained length",
    ):
        yield tables[tables.index(title) + 1]

    # How it was measured.
    assert (
        setting.trained_length == setting.batch == setting.vocabulary == 16
        and len(lab.SEEDS) == 8
        and len(lab.CHOOSING_SEEDS) == 4
    )
    yield f"| model | {setting.vocabulary} tokens in the vocabulary, {setting.width} features |"
    yield f"| training | {setting.steps:,} steps of {setting.batch} sequences |"
    asked = [setting.trained_length - back for back in lab.TASKS.values()]
    yield f"| test | {setting.sequences} sequences per length, at their last {asked[0]} positions"
    yield (
        f"(Of {setting.trained_length} tokens, {asked[0]} have a token 3 back. A second task, copy 1 back, has"
        f" {asked[1]}.)"
    )
    usual = (
        f"base {setting.base:,.0f}, {setting.buckets} buckets, Shaw clipped at {setting.max_distance}, slope"
        f" {ratio(setting.slope)}"
    )
    assert lab.setting_of(lab.USUAL) == setting
    yield f"*Usual* is what papers and libraries take: {usual}"
    yield f"learning rates {', '.join(map(short, lab.LEARNING_RATES[:-1]))} and {lab.LEARNING_RATES[-1]:g}"
    at_16 = [value for task in lab.TASKS for value in kept.tried("rope", "x1", task).values()]
    yield f"at 16 tokens every base of RoPE has at least {d(math.floor(1000 * min(at_16)) / 1000, 3)}"
    yield f"with 8 seeds. If all gain, $p = 2/{2**8} = {measuring.sign_flip(np.ones(8)):.3f}$"
    yield f"The learned table has {setting.table_rows} rows"
    scale = lab.setting_of(kept.choice[three, "integer"]).scale
    yield f"({scale:g} is {ratio(scale)})"

    # What is left of the ranking.
    assert kept.reliable("chosen", three) == {"shaw", "t5", "rope"} and kept.reliable("usual", three) == {"shaw"}
    others = [
        kept.seeds(method, 128, "chosen") for method in lab.METHODS if method not in ("shaw", "t5", "rope", "learned")
    ]
    assert (
        not any((seeds >= measuring.RELIABLE).any() for seeds in others) and np.isnan(kept.seeds("learned", 128)).all()
    )
    yield (
        "Shaw, T5 and RoPE are reliable at 128 tokens with all eight seeds. No other method is reliable there with any"
        " seed"
    )
    yield "With the usual settings only Shaw is left"
    best_three = [kept.seeds(method, 128, "chosen") for method in ("shaw", "t5", "rope")]
    lowest = min(measuring.sign_flip(first - second) for first, second in itertools.combinations(best_three, 2))
    yield f"Between the three no difference passes the test ($p \\ge {lowest:g}$)"
    assert lowest >= 0.05
    assert kept.choice[three, "rope"] == "base 4" and kept.choice[three, "t5"] == "own_buckets 16"
    gain = measuring.paired(kept.seeds("rope", 128), kept.seeds("rope", 128, "chosen"))
    assert gain.gained == 8 and d(gain.p, 3) == "0.008"
    yield f"With base 10,000 RoPE has {kept.spread('rope', 128)} at 128 tokens; with base 4"
    yield f"the same seeds have {kept.spread('rope', 128, 'chosen')}, and all eight gain ($p = 0.008$)"
    slowest = 4.0 ** (-(setting.width - 2) / setting.width)
    yield f"the slowest of the 16 pairs rotates by {d(slowest, 2)} radians per position"
    steps = setting.trained_length - 1
    yield (
        f"so in the {steps} steps between the first and the last of 16 tokens it goes through"
        f" {math.degrees(steps * slowest):.0f}°"
    )
    through = steps * 10000.0 ** (-np.arange(0, setting.width, 2) / setting.width) / (2 * np.pi)
    yield f"With base 10,000 {WORDS[int((through < 1 / 12).sum())]} of 16 pairs have seen less than a twelfth"
    best = []
    for what, length in (("x2", 32), ("x8", 128)):
        reported = [kept.seeds("sinusoidal", length, change).mean() for change in ("usual", "chosen")]
        best.append(max(*kept.tried("sinusoidal", what).values(), *reported))
    yield f"no base that we tried has more than {d(best[0], 2)} at 32 tokens or {d(best[1], 2)} at 128"

    yield from _changed(kept, three)

    # Method by method.
    yield (
        f"**T5** fails with the usual setting ({kept.mean('t5', 128)}) and works with the chosen one"
        f" ({kept.mean('t5', 128, 'chosen')})"
    )
    read = lab.read(m, "t5", setting).buckets
    assert read is not None
    yield (
        f"With 32 buckets, {32 - len(np.unique(read[np.tri(16, dtype=bool)]))} of the entries never get a gradient from"
        " 16 tokens"
    )
    far = lab.saved_looks()["t5", lab.USUAL]
    assert far[16:].mean() > np.delete(far[:16], 3).mean()
    yield f"At 128 tokens the far keys together have {d(far[16:].sum(), 2)} of the attention"
    clipped = np.minimum(np.arange(128), setting.max_distance)
    untrained = set(clipped) - set(clipped[: setting.trained_length])
    assert untrained == {setting.max_distance}
    yield (
        f"clipped at {setting.max_distance}, reads {len(set(clipped))} rows of its table, and one of them was never"
        " trained"
    )
    yield f"that of all distances from {setting.max_distance} on. And yet Shaw has {kept.mean('shaw', 128)}"
    fast = lab.tried(lab.kept_tries("grid.csv"), three, "shaw", lab.USUAL)
    rates = {rate: float(np.mean([row.x8 for row in fast if row.learning_rate == rate])) for rate in lab.LEARNING_RATES}
    assert lab.best_rates(fast)[three, "shaw", lab.USUAL] == 0.003 and kept.choice[three, "shaw"] == lab.USUAL
    yield f"with 0.03 in place of 0.003 the same setting has {d(rates[0.03], 2)}"
    assert max(kept.tried("alibi", "x8").values()) < 0.3
    yield (
        f"the best slope has {kept.mean('alibi', 128, 'chosen')} at 128 tokens, the usual one {kept.mean('alibi', 128)}"
    )
    losses = [kept.seeds("alibi", length, what="cross_entropy").mean() for length in (16, 128)]
    assert losses[1] <= losses[0] + 0.02
    yield f"its loss is {d(losses[0], 2)} at 16 tokens and {d(losses[1], 2)} at 128"
    assert kept.choice[one, "alibi"] == "slope 2" and kept.choice[one, "rope"] == "base 4"
    yield f"ALiBi has {kept.mean('alibi', 128, 'chosen', one)} with slope 2"
    yield (
        f"RoPE with base 4 has {kept.spread('rope', 128, 'chosen', one)}, less than ALiBi, Shaw and T5 with chosen"
        " settings ($p = 0.008$)"
    )
    for method in ("alibi", "shaw", "t5"):
        behind = measuring.paired(kept.seeds("rope", 128, "chosen", one), kept.seeds(method, 128, "chosen", one))
        assert behind.gained == 8 and d(behind.p, 3) == "0.008" and behind.mean > 0
    yield f"**Binary** has {kept.mean('binary', 16)} at 16 tokens and {kept.mean('binary', 32)} at 32"
    assert kept.seeds("learned", 32).mean() < 0.1
    yield f"**Learned** has {kept.mean('learned', 32)} at 32 tokens, a guess"
    yield f"here it has {kept.mean('none', 128)}"
    looks = lab.saved_looks()["rope", lab.USUAL]
    assert looks.argmax() == 3
    rivals = sorted(int(distance) for distance in np.argsort(looks)[::-1][1:5])
    assert min(rivals) >= 16
    yield "RoPE, T5 and ALiBi have a shift gap of 0, and with their usual settings they fail at copying 3 back"
    failing = [kept.seeds(method, 128) for method in ("rope", "t5", "alibi")]
    assert not any((seeds >= measuring.RELIABLE).any() for seeds in failing)
    known = setting.known(lab.draw_parameters("t5", setting, 0) | {"key_table": np.zeros((33, setting.width))})
    x = np.random.default_rng(0).normal(size=(8, setting.width))
    assert all(
        m.shift_gap(method, x, np.eye(setting.width), np.eye(setting.width), known, 5) < 1e-9
        for method in ("rope", "t5", "alibi")
    )
    yield f"RoPE with base 10,000 has peaks at wrong distances too, its rivals: {', '.join(map(str, rivals[:3]))}"
    yield f"{rivals[2]} and {rivals[3]} back"


@lesson
def grids(m: Any) -> Sentences:
    side = 224 // 16
    where = m.grid_positions(side, side)
    yield f"with patches of 16 × 16 pixels is a grid of {side} × {side} = {len(where)} tokens"
    below = np.flatnonzero((where == where[0] + [1, 0]).all(axis=1))[0]
    yield f"On a grid of {side} × {side} the patch directly below stands {below} positions later"
    wide = np.flatnonzero((m.grid_positions(3, 20) == [1, 0]).all(axis=1))[0]
    yield f'In an image 20 patches wide it stands {wide} positions later. So "{below} positions later" means'
    yield f"are neighbours in the sequence, but {where[side - 1, 1] - where[side, 1]} columns apart on the grid"

    angle = np.array([2, 1]) @ [1, 0.5]
    assert np.allclose(m.apply_rope_nd([[1, 0]], [[2, 1]], [[1, 0.5]]), [[math.cos(angle), math.sin(angle)]])
    yield "In the cell $(2, 1)$ a pair with the frequencies 1 and 0.5 has the angle"
    yield f"$2 \\cdot 1 + 1 \\cdot 0.5 = {short(angle)}$"
    yield f"With $d = 8$ and $b = 10000$ they are {', '.join(map(short, m.mrope_frequencies(8, (4, 0, 0))[:, 0]))}"
    for name, matrix in (("axial", m.axial_frequencies(8)), ("alternating", m.alternating_frequencies(8))):
        rows = r" \cr ".join(" & ".join(map(short, row)) for row in matrix)
        yield f"F_\\text{{{name}}} = \\begin{{pmatrix}} {rows} \\end{{pmatrix}}"
    qwen2 = m.mrope_frequencies(128, (16, 24, 24), 1e6)
    interleaved = m.mrope_frequencies(128, (16, 24, 24), 1e6, interleaved=True)[:, 2]
    yield f"The fastest pair of $t$ rotates by {short(qwen2[:, 0].max())} radian per frame"
    yield f"The fastest pair of $w$ rotates by {qwen2[:, 2].max():.5f} radians per column"
    yield f"Interleaved, the fastest pair of $w$ is pair {interleaved.argmax()}, with {interleaved.max():.2f} radians"

    row, mixed = np.array([[1.0, 0, 1, 0]]), [[1, -1], [1, -1]]
    keys = [(0, 0), (2, 0), (0, 2), (2, 2), (2, -2)]
    yield f"| $(\\Delta y, \\Delta x)$ | {' | '.join(str(key).replace('-', '−') for key in keys)} |"
    scores = {name: m.grid_scores(row, np.repeat(row, 5, axis=0), [(0, 0)], keys, matrix)[0]
              for name, matrix in (("axial", m.axial_frequencies(4)), ("mixed", mixed))}  # fmt: skip
    for name, values in scores.items():
        yield f"| {name} | {' | '.join(d(value, 3) for value in values)} |"
    axial = scores["axial"]
    assert math.isclose(axial[0] + axial[3], axial[1] + axial[2])
    assert np.allclose(axial, [(math.cos(y) + math.cos(x)) / 2 for y, x in keys])
    assert np.allclose(scores["mixed"], [math.cos(y - x) for y, x in keys])
    ends = f"{axial[0]:.3f} − {-axial[3]:.3f} and {axial[1]:.3f} + {axial[2]:.3f}"
    yield f"Axial: {ends} are both {axial[0] + axial[3]:.3f}"
    yield f"are equally far away, but score {d(scores['mixed'][3], 3)} and {d(scores['mixed'][4], 3)}"

    three = np.array([[0.0], [6], [12]])
    yield f"Three cells hold {', '.join(map(short, three[:, 0]))}; stretch them to five"
    centres = ", ".join(d((j + 0.5) * 3 / 5 - 0.5, 1).replace(".0", "") for j in range(5))
    yield f"$u$ is {centres}. The first becomes 0, the last becomes 2"
    stretched = m.resize_grid(three, (1, 3), (1, 5))[:, 0]
    aligned = np.interp(np.linspace(0, 2, 5), [0, 1, 2], three[:, 0])
    yield f"The new cells are {', '.join(short(round(value, 6)) for value in stretched)}. For example"
    yield f"From {', '.join(map(short, three[:, 0]))} it makes {', '.join(map(short, aligned))}."

    sequence = m.mrope_positions([3, (1, 2, 4), 2])
    rows = {"text": sequence[:3], "image, first row": sequence[3:7], "image, second row": sequence[7:11]}
    for name, cells in rows.items():
        yield f"| {name} | {', '.join(map(point, cells))} |"
    yield f"| text | {', '.join(map(point, sequence[11:]))} |"
    yield f"The largest coordinate of the image is {sequence[3:11].max()}, so the text goes on at {sequence[11, 0]}"
    yield f"There are {len(sequence)} tokens, and the next one stands at {m.next_position(sequence)}"

    pairs = [np.flatnonzero(column) for column in m.mrope_frequencies(64, (8, 12, 12), interleaved=True).T]
    counts = [len(one) for one in pairs]
    assert sum(counts) == 32
    yield f"$h$ should get 12 pairs: {pairs[1][0]}, {pairs[1][1]}, {pairs[1][2]}, …, {1 + 3 * 11}. But"
    yield f"the last of {sum(counts)} pairs is number {sum(counts) - 1}"
    yield f"so $h$ gets only the {counts[1]} pairs {pairs[1][0]}, {pairs[1][1]}, …, {pairs[1][-1]}"
    yield f"$w$ gets the {counts[2]} pairs {pairs[2][0]}, {pairs[2][1]}, …, {pairs[2][-1]}, not 12"
    yield f"and $t$ gets the other {counts[0]}, not 8"
    alternating = m.alternating_frequencies(64).max(axis=0)
    yield f"the fastest pair of $y$ has frequency {short(alternating[0])}, that of $x$ has {alternating[1]:.3f}"


@lesson
def modern(m: Any) -> Sentences:
    frequency = float(m.p_rope_frequencies(128, 1)[-1])
    yield (
        f"the slowest pair of a head of 128 rotates by {4096 * frequency:.2f} radians; over 131,072 tokens by"
        f" {131072 * frequency:.1f}"
    )
    bases = [f"{base:,.0f}" for base in (m.layer_bases(6, 6)[0], m.layer_bases(6, 6)[5])]
    yield f"five local layers with base {bases[0]} and then one global layer with base {bases[1]}"
    assert np.flatnonzero(m.layer_bases(6, 6) == 1e6).tolist() == [5]
    share = m.first_token_share(600)
    assert len(set(share.tolist())) == 600, "v₀/(t+1) is a different output at each position"

    yield f"from the weight 0.25 follows position $1/0.25 - 1 = {short(m.position_from_share(0.25))}$"
    seen = [
        np.flatnonzero(mask(1, 6, size)[0]).tolist() for mask, size in ((m.sliding_window_mask, 3), (m.chunk_mask, 4))
    ]
    yield f"With a window of 3 it sees the keys {seen[0][0]}, {seen[0][1]} and {seen[0][2]}. With chunks of 4"
    yield f"so it sees {seen[1][0]} and {seen[1][1]}."
    halves = point(m.p_rope_frequencies(8, 0.5)), point(m.p_rope_frequencies(4, 1))
    yield f"p-RoPE has ${halves[0]}$, partial RoPE has ${halves[1]}$"
    one = [[[1.0, 0.0]]]
    score = m.decoupled_scores(one, one, one, one[0], [3], [1]).item()
    yield (
        f"$\\cos(3 - 1) = {tex(math.cos(2), 4)}$. The score is $(1 - {-math.cos(2):.4f})/\\sqrt{{2 + 2}} ="
        f" {tex(score, 4)}$"
    )
    kept = m.kept_tokens(9, 2, 3)
    yield (
        f"In the example by hand {len(kept)} of 9 tokens stay. If the keys move, the next token stands at position"
        f" {len(kept)}"
    )
    yield (
        f"tokens {', '.join(map(str, kept))} stay. To close the gap the last three move from positions"
        f" {', '.join(map(str, kept[2:]))} to"
    )
    yield f"2, 3, 4, so the offset is {short(2 - kept[2])}"
    blocks = (np.arange(6) // 4).tolist()
    yield f"np.arange(6) // 4 # {blocks}: the block of each position"
    yield f"np.ones((2, 5, 4))[..., None, :, :].shape # {np.ones((2, 5, 4))[..., None, :, :].shape}"

    factors = m.temperature([8190, 8191, 999_999])
    assert factors[0] == 1
    yield f"reaches 1 at $p = 8191$. The factor is {factors[1]:.2f} there, and {factors[2]:.2f} at position 999,999"
    scale = float(m.log_n_scale(32767, 2048))
    weights = [
        math.exp(10 * by) / (math.exp(10 * by) + keys - 1) for keys, by in ((2048, 1), (32768, 1), (32768, scale))
    ]
    yield f"Its weight is {weights[0]:.2f} among 2048 keys, and {weights[1]:.2f} among 32,768"
    yield (
        f"$\\ln 32768 / \\ln 2048 = {ratio(scale)}$, the lead becomes {10 * scale:.1f}, and the weight"
        f" {weights[2]:.2f}."
    )
    assert m.log_n_scale(2047, 2048) == 1
    yield (
        f"keeps 512 + 64 = {512 + 64} numbers per token and layer. With ordinary heads it would be 2 · 128 · 128 ="
        f" {2 * 128 * 128:,}"
    )
    often, once = zip(*(_moved_in_bfloat16(m, seed) for seed in range(8)), strict=True)
    assert 0.4 < np.mean(often) < 0.6
    yield "a bfloat16 key that moves 1,000 times by −1 ends up wrong by about half of its length"
    yield f"One move by −1,000 is wrong by {100 * np.mean(once):.1f} %"
    yield from _schedules()


def _moved_in_bfloat16(m: Any, seed: int) -> tuple[float, float]:
    """Relative errors of a key of 64 features that is moved 1,000 times by −1, and once by −1,000."""

    def rounded(x: np.ndarray) -> np.ndarray:
        bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
        return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32)

    key = rounded(np.random.default_rng(seed).normal(size=(1, 64)))
    exact = m.shift_keys(key.astype(np.float64), -1000)
    moved = key
    for _ in range(1000):
        moved = rounded(m.shift_keys(moved, -1))
    often, once = (
        float(np.linalg.norm(one - exact) / np.linalg.norm(exact)) for one in (moved, rounded(m.shift_keys(key, -1000)))
    )
    return often, once


def _schedules() -> Sentences:
    """What the run of lesson 11 left. Its tables are compared in `test_modern_lab.py`."""
    rows, weights = layers.saved(), layers.weights_of_first_token(layers.saved_looks())
    copying, passkey, base_10 = "copy 3 back", "passkey", "copy 3 back, base 10"
    none, first, second, every = layers.SCHEDULES
    setting, seeds = layers.RUNS[copying].setting, len(layers.SEEDS)

    def found(run: str, schedule: str, length: int) -> np.ndarray:
        return layers.accuracies(rows, run, schedule)[length]

    def mean(run: str, schedule: str, length: int) -> str:
        return f"{found(run, schedule, length).mean():.2f}"

    def gain(run: str, before: str, after: str, length: int) -> measuring.Paired:
        return measuring.paired(found(run, before, length), found(run, after, length))

    assert seeds == 8
    yield f"trained at {setting.trained_length} tokens and asked at up to {setting.lengths[-1]}"
    yield f"A guess is right with {1 / setting.vocabulary:.2f}. There are eight seeds"
    yield f"a difference is *clear* if $p \\le {CLEAR}$"
    for run in (copying, passkey):
        change = gain(run, every, first, 64)
        assert change.mean > 0 and change.p <= CLEAR and change.gained == 7
    yield f"clearly better than in every layer, in both tasks, with 7 of {seeds} seeds each"
    assert gain(copying, every, second, 64).p > CLEAR
    yield f"no better than in every layer in copying ({mean(copying, second, 64)} and {mean(copying, every, 64)})"
    worse = gain(passkey, second, every, 64)
    assert worse.gained == seeds and worse.p <= CLEAR
    yield f"in the passkey all {seeds} seeds are worse ({mean(passkey, second, 64)} and {mean(passkey, every, 64)})"
    assert all(gain(run, every, first, length).p > CLEAR for run in (copying, passkey) for length in (20, 24))
    yield "At 20 and 24 tokens RoPE in the first layer and RoPE in every layer do not differ clearly"
    assert not any(
        (found(run, schedule, 128) >= measuring.RELIABLE).any()
        for run in (copying, passkey)
        for schedule in layers.SCHEDULES
    )
    yield "At 128 tokens nothing is reliable"
    yield (
        f"Every seed copies at least {math.floor(1000 * found(copying, none, 16).min()) / 10:.1f} % right at 16 tokens"
    )
    yield f"At 20 tokens it has {mean(copying, none, 20)}, at 32 it has {mean(copying, none, 32)}"
    losses = [row for row in layers.saved_losses() if (row.run, row.schedule) == (copying, none)]
    late, last = (
        np.mean([row.loss for row in losses if row.step == step]) for step in (setting.steps - 500, setting.steps)
    )
    assert last < late / 2
    yield "the loss of our models without RoPE was still falling when training ended"
    yield f"falls from {mean(copying, none, 16)} to {mean(layers.REPLACED, none, 16)}, nearly a guess"
    yield (
        f"Train without a start token: {mean(layers.NO_START, none, 16)} at 16 tokens, and"
        f" {mean(layers.NO_START, none, 128)} at 128"
    )
    yield f"token 0 gets {weights[:, 1].mean():.2f} at position 1 and {weights[:, 15].mean():.2f} at position 15"
    times = layers.times_the_others(weights)
    assert np.allclose(weights.mean(axis=0)[1:], times.mean() / (times.mean() + np.arange(1, 16)), atol=0.02)
    yield f"That is $c/(c+t)$ with $c$ = {times.mean():.1f}: token 0 counts as much as {times.mean():.1f} other tokens"
    assert measuring.paired(found(copying, first, 64), found(base_10, first, 64)).gained == seeds
    yield (
        f"RoPE in the first layer copies with {mean(base_10, first, 64)} at 64 tokens ({mean(copying, first, 64)} with"
        f" base 10,000; all {seeds} seeds gain). RoPE in every layer has {mean(base_10, every, 64)} there"
    )


@lesson
def state(m: Any) -> Sentences:
    # Three ways and the delta rule, as the table by hand has them.
    keys, values, gates = np.array([[1.0, 0], [0, 1], [1, 0]]), np.array([[4.0], [2], [6]]), np.array([1, 0.5, 1])
    queries, log_f = np.tile([1.0, 0], (3, 1)), np.log(gates)
    added = mended = np.zeros((2, 1))
    steps = []
    for t in range(3):
        out, added = m.linear_step(added, queries[t], keys[t], values[t], log_f[t])
        mended = m.delta_step(mended, keys[t], values[t], 1.0, log_f[t])
        steps.append(out)
        key, read, kept = point(keys[t]), short(out[0]), point(mended[:, 0])
        yield f"| {t} | {ratio(gates[t])} | {key} | {short(values[t, 0])} | {point(added[:, 0])} | {read} | {kept} |"
    assert np.allclose(steps, m.linear_attention(queries, keys, values, log_f))
    rows = [f"({', '.join(map(ratio, row))})" for row in m.decay_matrix(log_f)]
    yield (
        f"The rows of $D$ are {', '.join(rows)}. The products $q \\cdot k_j$ are"
        f" {', '.join(map(short, keys @ queries[0]))}"
    )
    yield (
        "So the last output is $\\tfrac12 \\cdot 1 \\cdot 4 + 1 \\cdot 0 \\cdot 2 + 1 \\cdot 1 \\cdot 6 ="
        f" {short(steps[-1][0])}$"
    )
    _, left = m.linear_chunks(queries[:2], keys[:2], values[:2], log_f[:2], 2)
    last, _ = m.linear_chunks(queries[2:], keys[2:], values[2:], log_f[2:], 2, left)
    alone, _ = m.linear_chunks(queries[2:], keys[2:], values[2:], log_f[2:], 2)
    yield (
        f"The first chunk leaves the state {point(left[:, 0])}. In the second, token 2 gives {short(alone.item())}, "
        f"the state {short((last - alone).item())}: together {short(last.item())}"
    )
    shares = m.forgetting_attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), log_f)[-1]
    yield f"has the weights (1/2, 1, 1)/2.5 = {', '.join(map(short, shares))}"

    # What the text claims in words.
    written = m.delta_step(m.delta_step(np.zeros((2, 1)), keys[0], [4.0], 1, 0), keys[0], [6.0], 0.5, 0)
    assert written[0, 0] == 5, "with β = ½ it is half of the way"
    _, doubled = m.linear_chunks(queries[:2], keys[[0, 0]], [[4.0], [6.0]], np.zeros(2), 1)
    yield f"then with $v = 6$: if $k \\cdot k = 1$, the query $k$ reads {short(doubled[0, 0])}"
    yield f"For a gate of 0.9 it is {d(m.half_life(math.log(0.9)), 2)} tokens"
    cache, kept = m.cache_and_state(32768, 16, 64, 128)
    yield f"a cache of 32,768 tokens is {cache // kept} times as large as the state"
    assert cache % kept == 0
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 5, 4))
    shuffled = [2, 0, 3, 1, 4]
    for log_gates, same in ((np.zeros(5), True), (np.full(5, -0.1), False)):
        first, second = (
            m.linear_attention(q[order], k[order], v[order], log_gates)[-1] for order in (slice(None), shuffled)
        )
        assert np.allclose(first, second) == same, "a state that never forgets does not see order"
    unit = k / np.linalg.norm(k, axis=-1, keepdims=True)
    ends = []
    for order in (range(5), shuffled):
        end = np.zeros((4, 4))
        for t in order:
            end = m.delta_step(end, unit[t], v[t], 1.0, 0.0)
        ends.append(end)
    assert not np.allclose(*ends), "the delta rule sees order"
    factors = (q @ k.T) * m.decay_matrix(np.full(5, -0.1))
    assert (factors < 0).any() and not np.allclose(factors.sum(axis=1), 1)
    yield from _gates_measured()


def _gates_measured() -> Sentences:
    """What the run of lesson 12 left, at eight times the trained length."""
    rows, far = [*gates_lab.saved(), *gates_lab.of_lesson_9()], gates_lab.Setting.lengths[-1]
    trained = gates_lab.Setting.trained_length
    assert far == 8 * trained and len(gates_lab.SEEDS) == 8
    yield f"trained at {trained} tokens"
    yield f"Accuracy at {far} tokens"

    def found(task: str, method: str) -> np.ndarray:
        if method == "none" and task in gates_lab.BACK:
            return lab.by_length(lab.saved(), task, "none")[far]
        return gates_lab.accuracies(rows, task, method)[far]

    for task in (*gates_lab.BACK, gates_lab.SENTENCES):
        means = [f"{found(task, method).mean():.2f}" for method in ("gates", "alibi", "rope", "none")]
        yield f"| {task} | {' | '.join(means)} |"
    copying = next(task for task, back in gates_lab.BACK.items() if back == 3)
    assert max(found(copying, method).max() for method in ("gates", "alibi")) < 0.3
    by_kind = {
        kind: np.mean([row.gate for row in gates_lab.saved_gates() if row.kind == kind]) for kind in ("name", "other")
    }
    yield f"{by_kind['name']:.2f} on average at its first token, {by_kind['other']:.2f} at ordinary ones"
    equal = measuring.paired(found(gates_lab.SENTENCES, gates_lab.EQUAL), found(gates_lab.SENTENCES, "gates"))
    assert equal.gained == 8
    yield f"the accuracy falls in all {equal.gained} seeds, to {found(gates_lab.SENTENCES, gates_lab.EQUAL).mean():.2f}"
    slope = next(row.setting for row in gates_lab.saved() if (row.task, row.method) == (gates_lab.SENTENCES, "alibi"))
    behind = measuring.paired(found(gates_lab.SENTENCES, "alibi"), found(gates_lab.SENTENCES, "gates"))
    yield (
        f"ALiBi, with slope {short(slope)}, is behind by {behind.mean:.3f} ({behind.gained} of 8 seeds, p ="
        f" {behind.p:.3f})"
    )


# The questions: what the lessons ask and do not say, found with the functions.

ASKED: dict[str, Callable[[Any], dict[str, Any]]] = {}


def asked_in(name: str) -> Callable[[Callable[[Any], dict[str, Any]]], Callable[[Any], dict[str, Any]]]:
    def keep(finder: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
        ASKED[name] = finder
        return finder

    return keep


def some_features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 4))


@asked_in("attention")
def order_without_positions(m: Any) -> dict[str, Any]:
    x = some_features()
    w_q, w_k, w_v = np.random.default_rng(1).normal(size=(3, 4, 4))
    dog_bites_man, man_bites_dog = x[:3], x[[2, 1, 0]]
    there, back = (m.attention_weights(rows @ w_q, rows @ w_k) for rows in (dog_bites_man, man_bites_dog))
    gap = m.equivariance_gap(x, w_q, w_k, w_v, [1, 0, 2, 3, 5, 4], m.causal_mask(6))
    return {
        "causal_mask_keeps_equivariance": gap < 1e-9,
        "same_attention_scores_dog_bites_man": np.allclose(there, back[::-1, ::-1]),
        "weight_with_a_lead_of_7_among_1024": m.softmax(np.array([7.0, *[0.0] * 1023]))[0],
    }


@asked_in("naive")
def counting(m: Any) -> dict[str, Any]:
    return {
        "normalized_5_of_10": m.normalized_positions(10)[5],
        "normalized_5_of_1000": m.normalized_positions(1000)[5],
        "bits_for_512": m.bits_needed(512),
        "bits_flipped_3_to_4": m.hamming_steps(m.binary_positions(8))[3],
        "middle_of_512": m.normalized_positions(512)[255],
        "position_that_leaves_one_percent": np.argmax(
            np.isclose(1 / m.add_integer_positions(np.ones((200, 1)))[:, 0], 0.01)
        ),
        "first_position_lost_in_float16": 1 + np.argmin(np.diff(m.integer_positions(4096).astype(np.float16))),
    }


@asked_in("sinusoidal")
def the_clock(m: Any) -> dict[str, Any]:
    return {
        "slowest_wavelength_512": round(m.wavelengths(512)[-1]),
        "fastest_wavelength": m.wavelengths(64, base=7.0)[0],
        "similarity_at_zero_512": m.offset_similarity(0, 512),
        "extrapolates_without_error": np.isfinite(m.sinusoidal_encoding(np.arange(5000), 512)).all(),
        "nearest_to_position_0_with_one_pair": 1 + np.argmax(m.offset_similarity(np.arange(1, 101), 2)),
        "sine_alone_has_a_shift_matrix": _misfit(m.sinusoidal_encoding(np.arange(50), 8)[:, 0::2]) < 1e-9,
        "lower_left_of_shift_3": m.shift_matrix(3, 2)[1, 0],
        "registered_buffer_is_trained": False,
    }


@asked_in("learned")
def the_table(m: Any) -> dict[str, Any]:
    table = m.init_table(1024, 768, seed=0)
    near, far = table[0] @ table[1:3].T, table[0] @ table[500:].T
    batch = np.concatenate([np.arange(length) for length in [64] * 20 + [100] * 12])
    reads = m.lookup_gradient((1024, 1), batch, np.ones((len(batch), 1)))[:, 0]
    return {
        "rows_available_at_position_1024": len(table[1024:]),
        "parameters_gpt2": table.size,
        "has_built_in_distance": near.min() > far.max(),
        "gradients_added_to_row_63": reads[63],
        "gradients_added_to_row_64": reads[64],
        "old_position_of_new_row_3": m.resize_table(np.arange(5.0)[:, None], 9)[3, 0],
    }


@asked_in("rope")
def turning(m: Any) -> dict[str, Any]:
    x, places = some_features(), np.arange(6)
    scores, shifted = (m.rope_scores(x, x, where, where) for where in (places, places + 5))
    weights = np.random.default_rng(1).normal(size=(3, 4, 4))
    alone = m.rope_attention(x[:1], *weights, n_heads=1, positions=[7])
    first, second = (m.rope_scores(x[:1], x[1:2], [query], [key])[0, 0] for query, key in ((1, 3), (3, 5)))
    interleaved, half = (
        m.interleaved_to_half(m.apply_rope(x, places)),
        m.apply_rope_half(m.interleaved_to_half(x), places),
    )
    return {
        "score_change_when_all_shift_by_5": np.abs(shifted - scores).max().round(9),
        "rotates_values": not np.allclose(alone, x[:1] @ weights[2]),
        "extra_parameters": 0,
        "score_m1_n3_equals_m3_n5": math.isclose(first, second),
        "half_layout_is_a_bug": not np.allclose(interleaved, half),
        # A single pair has θ = 1, so position · π/4 makes it π/4.
        "score_at_half_a_rotation": m.rope_scores([[1, 0]], [[1, 0]], [10 * math.pi / 4], [14 * math.pi / 4])[0, 0],
        "last_pair_with_a_full_rotation_in_8192": np.flatnonzero(8192 * m.rope_frequencies(128) >= 2 * math.pi)[-1],
        "numbers_in_the_cache_at_8192": 32 * sum(_cache_size(m, heads=8, head_dim=128, tokens=2)) // 2 * 8192,
    }


def _cache_size(m: Any, heads: int, head_dim: int, tokens: int) -> list[int]:
    """How many numbers each of the two caches holds after some tokens."""
    weight = np.zeros((2, heads * head_dim))
    cache_k = cache_v = np.zeros((heads, 0, head_dim))
    for position in range(tokens):
        _, cache_k, cache_v = m.decode_step(np.ones((1, 2)), weight, weight, weight, heads, cache_k, cache_v, position)
    return [cache_k.size, cache_v.size]


@asked_in("relative")
def names_of_distances(m: Any) -> dict[str, Any]:
    behind, ahead = m.t5_bucket(np.array([-10_000, -5000, -129])), m.t5_bucket(np.array([129, 5000, 10_000]))
    return {
        "shaw_rows_for_k_16": 1 + m.clip_positions(np.array(99), 16) - m.clip_positions(np.array(-99), 16),
        "t5_bucket_of_minus_1_bidirectional": m.t5_bucket(np.array(-1)),
        "t5_bucket_of_plus_1_bidirectional": m.t5_bucket(np.array(1)),
        "t5_distances_beyond_128_differ": len(set(behind)) > 1 or len(set(ahead)) > 1,
        "shaw_numbers_for_k_16_d_64": 2 * 33 * 64,
        "last_bucket_starts_at": next(n for n in range(64) if m.t5_bucket(np.array(-n), False, 16, 64) == 15),
        "q_start_with_7_cached_tokens": next(n for n in range(9) if m.relative_positions(1, 8, n)[0, -1] == 0),
    }


@asked_in("alibi")
def slopes(m: Any) -> dict[str, Any]:
    eight = m.alibi_slopes(8)
    weights = m.alibi_attention(np.zeros((8, 3, 1)), np.zeros((8, 3, 1)), np.broadcast_to(np.eye(3), (8, 3, 3)))[0, -1]
    return {
        "first_slope_8_heads": eight[0],
        "last_slope_8_heads": eight[-1],
        "added_to_embeddings": False,
        "parameters": 0,
        "weight_ratio_of_neighbours_slope_one_half": weights[0] / weights[1],
        "steepest_slope_of_12_heads": m.alibi_slopes(12).max(),
    }


@asked_in("context_extension")
def longer_contexts(m: Any) -> dict[str, Any]:
    trained = m.longrope_frequencies(64, np.ones(32))
    ntk = m.longrope_frequencies(64, np.ones(32), base=m.ntk_base(10000.0, 8, 64))
    return {
        "interpolated_position_8191_factor_4": m.interpolate_positions(8191, 4),
        "ntk_keeps_fastest_frequency": ntk[0] == trained[0],
        "dynamic_ntk_changes_short_inputs": m.dynamic_ntk_base(10000.0, 64, 100, 4096, 8) != 10000.0,
        "yarn_scale_16": m.yarn_scale(16),
        "pairs_with_a_rotation_in_8192": (m.rotations_in_context(128, 8192) >= 1).sum(),
        "llama_3_1_length_over_trained": 131072 / 8192,
    }


@asked_in("extrapolation")
def the_experiment(m: Any) -> dict[str, Any]:
    x = some_features()
    with pytest.raises(ValueError, match="5"):
        m.encode("learned", x, {"table": np.zeros((5, 4))})
    # How many tokens the first one sees, and how many it sees when it has moved one place on.
    seen = np.isfinite(m.logits("none", x, x, {})).sum(axis=1)
    known = {method: lab.Setting().known(lab.draw_parameters(method, lab.Setting(), 0)) for method in m.METHODS}
    weights = np.random.default_rng(1).normal(size=(3, 32, 32))
    without_gap = [method for method in m.METHODS if m.shift_gap(method, *weights, known[method], 16) < 1e-9]
    counts = {method: m.learned_parameters(method, known[method]) for method in m.METHODS}
    rows = lab.saved()
    runs_longer = {
        method: lab.by_length(rows, "copy 3 back", method)[128].mean() >= lab.RELIABLE for method in m.METHODS
    }
    return {
        "learned_runs_past_its_table": False,
        "alibi_changes_the_embeddings": not np.array_equal(m.encode("alibi", x, {"slope": 0.5}), x),
        "causal_model_without_encoding_sees_order": seen[0] != seen[1],
        "methods_without_a_shift_gap": len(without_gap),
        "no_shift_gap_is_enough_to_run_longer": all(runs_longer[method] for method in without_gap),
        "fewest_learned_numbers": min((count, method) for method, count in counts.items() if count)[1],
    }


@asked_in("grids")
def images_and_text(m: Any) -> dict[str, Any]:
    x, theta = some_features(), m.mrope_frequencies(4, (1, 1, 0))
    text = m.mrope_positions([6])
    plain = m.apply_rope_nd(x, text[:, :1], theta.sum(axis=1, keepdims=True))
    corners = m.grid_scores(
        x[:1], np.repeat(x[1:2], 4, axis=0), [(0, 0)], [(0, 0), (4, 4), (4, 0), (0, 4)], m.axial_frequencies(4)
    )[0]
    assert math.isclose(corners[:2].sum(), corners[2:].sum())
    return {
        "tokens_of_a_16_by_16_image": len(m.grid_positions(16, 16)),
        "position_of_text_after_it": m.mrope_positions([(1, 16, 16), 1])[-1, 0],
        "text_under_mrope_is_plain_rope": np.allclose(m.apply_rope_nd(x, text, theta), plain),
        "axial_rope_sees_diagonals_in_one_pair": bool((np.count_nonzero(m.axial_frequencies(64), axis=1) > 1).any()),
        "fourth_corner_of_the_cross": 3 + 1 - 2.5,
        "old_position_of_new_cell_3": m.resize_grid(np.arange(4.0)[:, None], (1, 4), (1, 8))[3, 0],
        "next_position_after_two_images": m.next_position(m.mrope_positions([2, (1, 3, 5), (1, 2, 2), 1])),
    }


@asked_in("modern")
def layers_and_shares(m: Any) -> dict[str, Any]:
    counted = m.position_from_share(m.first_token_share(50))
    window, reached = m.sliding_window_mask(40, 40, 8), [np.eye(40, dtype=bool)]
    while not reached[-1][39, 39 - 30]:
        reached.append(window @ reached[-1])
    kept = m.kept_tokens(100, 4, 20)
    return {
        "rope_layers_of_36_with_interval_4": m.rope_layers(36, 4).sum(),
        "causal_attention_without_encoding_counts": np.allclose(counted, np.arange(50)),
        "share_of_first_token_at_position_9": m.first_token_share(10)[9],
        "p_rope_keeps_the_fastest_pair": m.p_rope_frequencies(64, 0.25)[0] == m.p_rope_frequencies(64, 1)[0],
        "layers_that_reach_30_back_with_a_window_of_8": len(reached) - 1,
        "keys_seen_at_position_9000_in_chunks_of_8192": m.chunk_mask(1, 9001, 8192).sum(),
        "offset_of_the_window_after_100_tokens": 4 - kept[4],
    }


@asked_in("state")
def gates_and_states(m: Any) -> dict[str, Any]:
    q, k, v = np.random.default_rng(2).normal(size=(3, 4, 3))
    with_first = [m.linear_attention(q, k, v, [first, -0.1, -0.2, -0.3]) for first in (0.0, -5.0)]
    distance = np.subtract.outer(np.arange(6), np.arange(6))
    alibi_bias = np.where(distance < 0, -np.inf, -0.3 * distance)
    sizes = [m.cache_and_state(length, 1, 128, 128) for length in range(200)]
    key = np.array([0.6, 0.8])
    before = m.delta_step(np.zeros((2, 1)), key, [4.0], 1.0, 0.0)
    return {
        "alibi_is_a_constant_forget_gate": np.allclose(m.decay_bias(m.constant_decay(6, 0.3)), alibi_bias),
        "first_gate_changes_linear_attention": not np.allclose(*with_first),
        "half_life_of_gate_0_99": m.half_life(math.log(0.99)),
        "tokens_until_cache_equals_state_128": next(
            length for length, (cache, state) in enumerate(sizes) if cache >= state
        ),
        "slope_of_a_gate_of_one_half": -math.log(0.5),
        "read_after_a_write_with_beta_one_half": (key @ m.delta_step(before, key, [6.0], 0.5, 0.0)).round(12).item(),
    }


@pytest.mark.parametrize("name", WRITERS)
def test_the_answers_are_what_the_functions_say(name: str) -> None:
    module = solution(name)
    answers, found = module.ANSWERS, ASKED[name](module)
    assert answers.keys() == found.keys()
    for question, answer in answers.items():
        assert isinstance(answer, bool) == isinstance(found[question], bool | np.bool_), question
        if isinstance(answer, str):
            assert answer == found[question], question
            continue
        assert float(answer) == pytest.approx(float(found[question]), rel=1e-12), question
