"""The quiz of the articles: every number that a lesson states and that can be computed is computed here, from the solutions.

For each lesson a function writes its sentences anew, as far as they hold a number. A sentence that no longer stands in the
lesson in these words, or with these digits, fails: fix whichever of the two is wrong.
"""

from __future__ import annotations

import itertools
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assignments.context_extension import lab as extension
from assignments.extrapolation import lab
from assignments.modern import lab as layers
from autograder import course
from autograder.grading import catalogue

Sentences = Iterator[str]
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
    yield f"With $d = 64$ its standard deviation is {math.isqrt(64)}"
    with np.errstate(over="ignore"):
        assert np.exp(1000.0) == np.inf
    yield "$e^{1000}$ overflows"

    x = np.array([[0.0], [1.0], [2.0]])
    w_q, w = np.array([[math.log(2)]]), np.array([[1.0]])
    order = [2, 0, 1]
    weights, out = m.attention_weights(x * math.log(2), x), m.self_attention(x, w_q, w, w)
    keys = "".join(f"{short(value)}, " for value in x[:, 0]).rstrip(", ")
    yield f"for keys {keys}"
    for i in range(3):
        powers = ", ".join(short(2 ** (x[i, 0] * x[j, 0])) for j in range(3))
        # All three over one denominator, as the table has them.
        below = round(sum(2 ** (x[i, 0] * x[j, 0]) for j in range(3)))
        shares = ", ".join(f"{round(weight * below)}/{below}" for weight in weights[i])
        assert np.allclose(weights[i] * below, np.rint(weights[i] * below))
        tops = " + ".join(short(weight * below * value) for weight, value in zip(weights[i], x[:, 0], strict=True))
        yield f"| $x_{i} = {i}$ | {powers} | {shares} | $({tops})/{below} = {ratio(out[i, 0])}$ |"
    moved = m.permute_tokens(x, order)
    yield f"Now the order $(2, 0, 1)$: row 0 of the new sequence is the old row 2, and so on, so $x' = {point(moved[:, 0])}$"
    first = m.attention_weights(moved * math.log(2), moved)[0]
    yield f"row of the weights becomes {', '.join(ratio(weight) for weight in first)}"
    moved_out = m.self_attention(moved, w_q, w, w)
    yield f"The outputs are $({', '.join(map(ratio, moved_out[:, 0]))})$"
    bag = float(m.bag_of_tokens(x, w_q, w, w)[0])
    yield f"\\tfrac{{29}}{{21}} \\approx {d(bag, 3)}"
    assert ratio(bag) == "29/21"
    assert math.isclose(bag, m.bag_of_tokens(moved, w_q, w, w)[0])
    yield f"With eight\nheads the difference is a factor $\\sqrt {512 // 64}$"

    shares = [m.softmax(np.array([3.0, *[0.0] * (n - 1)]))[0] for n in (10, 1000)]
    yield f"With $a = 3$ this is {d(shares[0], 2)} for $n = 10$ and {d(shares[1], 2)} for $n = 1000$"
    pair = np.arange(1.0, 9.0).reshape(2, 4)
    yield f"Two tokens have the features ${point(pair[0])}$ and ${point(pair[1])}$"
    first, second = m.split_heads(pair, 2)
    yield f"head 0 gets the first two columns, the rows ${point(first[0])}$ and ${point(first[1])}$"
    yield f"Head 1 gets the last two columns, the rows ${point(second[0])}$ and ${point(second[1])}$"
    assert np.array_equal(m.merge_heads(m.split_heads(pair, 2)), pair)
    # What the lesson says of every order, of a single head among many, and of masks.
    rng = np.random.default_rng(0)
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
    assert (np.ones(2, np.float32) / np.sqrt(4)).dtype == np.float64


@lesson
def naive(m: Any) -> Sentences:
    def written(code: np.ndarray) -> str:
        return "".join(str(bit) for bit in code)

    assert m.normalized_positions(13)[3] == m.normalized_positions(401)[100] == 0.25
    yield '"0.25" is position 3 in a sequence of 13 tokens and position 100 in a sequence of 401'
    steps = [ratio(m.normalized_positions(length)[1]) for length in (13, 401)]
    yield f"A step to the next token is {steps[0]} in one sequence and {steps[1]} in the other"
    placed = m.add_integer_positions(np.full((501, 1), 0.3))[:, 0]
    yield f"stays {short(placed[0])} at position 0, but becomes {short(placed[500])} at position 500"
    yield f"Then {100 * 500 / placed[500]:.2f} % of this number is position"
    shorter, longer = m.normalized_positions(11), m.normalized_positions(1001)
    yield f'a difference of {short(shorter[1])} means "the next token"'
    yield f"In a sequence of 1001 tokens, a difference of {short(longer[100])} is 100 tokens"
    growing = [m.normalized_positions(length) for length in (8, 9)]
    assert list(np.flatnonzero(growing[0] == growing[1][:8])) == [0]  # all change except the first
    eight, nine = m.binary_positions(8), m.binary_positions(512)
    for bit, name in ((2, "bit 2 (most significant)"), (1, "bit 1"), (0, "bit 0 (least significant)")):
        yield f"| {name} | {' | '.join(map(str, eight[:, 2 - bit]))} |"
    yield f"From 3 ({written(eight[3])}) to 4 ({written(eight[4])}) all three bits change at once"
    carries = m.hamming_steps(nine)
    for position in (0, 3, 4, 7, 255, 256):
        yield f"| {position} | {written(nine[position])} | {carries[position]} |"
    yield f"| 511 | {written(nine[511])} |"
    four = m.binary_positions(16)

    short_text, long_text = m.normalized_positions(7)[3], m.normalized_positions(13)[3]
    yield f"| normalized | $3/6 = {short(short_text)}$ | $3/12 = {short(long_text)}$ |"
    bits = [m.bits_needed(length) for length in (7, 13)]
    yield f"| bits needed | {bits[0]}, since $2^2 < 7 \\le 2^3$ | {bits[1]}, since $2^3 < 13 \\le 2^4$ |"
    yield f"| binary | {written(m.binary_positions(7)[3])} | {written(m.binary_positions(13)[3])} |"
    yield f"| Gray | {written(m.gray_positions(7)[3])} | {written(m.gray_positions(13)[3])} |"
    gray = m.gray_positions(16)
    yield f"| 7 | {written(four[7])} | ${written(four[7])} \\oplus {written(four[3])} = {written(gray[7])}$ |"
    yield f"| 8 | {written(four[8])} | ${written(four[8])} \\oplus {written(four[4])} = {written(gray[8])}$ |"
    flips, gray_flips = m.hamming_steps(four)[7], m.hamming_steps(gray)[7]
    yield f"| bits that change | {flips}, a Euclidean distance of $\\sqrt {flips} = {short(math.sqrt(flips))}$ | {gray_flips} |"
    farthest = max(np.linalg.norm(one - other) for one in four for other in four)
    assert farthest == np.linalg.norm(four[0] - four[15]) == np.linalg.norm(four[7] - four[8]) == 2
    yield f"{written(four[0])} and {written(four[15])}, fifteen positions\napart, are at distance {short(farthest)} as well"
    yield f"0 is {written(gray[0])} and 15 is {written(gray[15])}"
    assert set(m.hamming_steps(gray)) == {1}

    changes = {n: int(m.hamming_steps(m.binary_positions(2**n)).sum()) for n in (4, 10)}
    assert all(total == 2 ** (n + 1) - n - 2 for n, total in changes.items())
    yield f"For $n = 4$ that is {changes[4]} changes in 15 steps; for $n = 10$ it is {changes[10]} changes in 1023 steps"
    yield f"`math.log(2**29) / math.log(2)` is {math.log(2**29) / math.log(2)!r}, and the next whole number above that is 30"
    yield f"so bit 0 has period {m.bit_period(0)}"

    # The cosine of random rows is random too; the lesson says "about".
    cosines = []
    for seed in range(20):
        rows = m.add_integer_positions(np.random.default_rng(seed).normal(size=(502, 64)))[500:]
        cosines.append(rows[0] @ rows[1] / np.linalg.norm(rows[0]) / np.linalg.norm(rows[1]))
    yield f"their cosine similarity (the cosine of the angle between them) is about {np.mean(cosines):.6f}"
    six, sixty = m.normalized_positions(6)[3], m.normalized_positions(60)[30]
    yield f"The last positions are 5 and 59: $3/5 = {short(six)}$ and $30/59 \\approx {d(sixty, 3)}$"
    single = np.mean(m.hamming_steps(m.binary_positions(2**10)) == 1)
    assert 0.45 < single < 0.55
    yield "About half of all steps change a single bit, and the average is below 2"
    assert all(m.hamming_steps(m.binary_positions(length)).mean() < 2 for length in range(3, 1025))
    growth = 10000 ** (2 / 512)
    yield f"it grows by $10000^{{2/d}}$ from pair to pair, which is {growth:.3f} for $d = 512$, and starts at $2\\pi$"
    # No matrix, with or without a constant, leads from each three-bit code to the next.
    known = np.c_[eight[:-1], np.ones(7)]
    assert np.abs(known @ np.linalg.lstsq(known, eight[1:], rcond=None)[0] - eight[1:]).max() > 0.1
    four_codes = m.binary_positions(4)
    known = np.c_[four_codes[:-1], np.ones(3)]
    assert np.allclose(known @ np.linalg.lstsq(known, four_codes[1:], rcond=None)[0], four_codes[1:])
    yield "(With two bits a matrix and a constant are enough"


@lesson
def sinusoidal(m: Any) -> Sentences:
    yield "one step is 1/9 in a sequence of ten tokens and 1/999 in a sequence of a thousand"
    yield f"From 3 ({3:03b}) to 4 ({4:03b}) three digits change at once"
    with pytest.raises(ValueError, match="29"):
        m.frequencies(29)
    yield f"d = 29 gives a confusing numpy error later: {len(range(0, 29, 2))} cosines do not fit into {len(range(1, 29, 2))} columns"

    omega = m.frequencies(4)
    yield f"$10000^{{0}} = {short(omega[0])}$ and $10000^{{-2/4}} = {short(omega[1])}$"
    pe = m.sinusoidal_encoding(np.arange(4), 4)
    yield f"| 1 | {d(pe[1, 0], 4)} | {d(pe[1, 1], 4)} | {d(pe[1, 2], 4)} | {d(pe[1, 3], 5)} |"
    for p in (2, 3):
        yield f"| {p} | {' | '.join(d(value, 4) for value in pe[p])} |"
    block = m.shift_matrix(1, 4)[:2, :2]
    cos, sin = d(block[0, 0], 4), d(block[0, 1], 4)
    yield f"cos 1 = {cos} and sin 1 = {sin}"
    moved = block @ pe[1, :2]
    yield f"{cos} · {d(pe[1, 0], 4)} + {sin} · {d(pe[1, 1], 4)} = {d(moved[0], 4)}, and the cosine "
    yield f"−{sin} · {d(pe[1, 0], 4)} + {cos} · {d(pe[1, 1], 4)} = {d(moved[1], 3)}"
    close = float(pe[1] @ pe[2])
    assert math.isclose(close, pe[2] @ pe[3]) and math.isclose(close, m.offset_similarity(1, 4))
    yield (
        f"{d(pe[1, 0], 4)} · {d(pe[2, 0], 4)} + {d(pe[1, 1], 4)} · ({d(pe[2, 1], 4)}) + {d(pe[1, 2], 4)} · {d(pe[2, 2], 4)}"
        f" + {d(pe[1, 3], 5)} · {d(pe[2, 3], 4)} = {d(close, 4)}. Rows 2 and 3 give {d(pe[2] @ pe[3], 4)} too"
    )
    eight, waves = m.frequencies(8), m.wavelengths(8)
    yield f"With $d = 8$ the frequencies are {short(eight[0])}, {short(eight[1])}, {short(eight[2])} and {short(eight[3])}"
    yield f"the wavelengths are about {waves[0]:.2f}, {waves[1]:.1f}, {waves[2]:.0f} and {waves[3]:.0f} positions"
    yield f"for $d = 8$ the longest wavelength is 2π · {waves[-1] / (2 * math.pi):.0f}, ten times shorter"
    tensor2tensor = 10000.0 ** (-np.arange(4) / 3)
    instead = ", ".join(short(float(f"{value:.3g}")) for value in tensor2tensor)
    yield f"For d = 8 that is {instead} instead of {', '.join(map(short, eight))}"
    angles = np.outer(np.arange(512), 10000.0 ** (-np.arange(256) / 255))
    theirs = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(512, 512)
    difference = np.abs(theirs - m.sinusoidal_encoding(np.arange(512), 512)).max()
    yield f"still some of the first 512 positions differ by {d(difference, 1)} in some feature"
    similar = m.offset_similarity(np.array([6, 1]), 8)
    yield f"two tokens six apart have dot product {d(similar[0], 3)}, and two neighbours only {d(similar[1], 3)}"
    assert round(710 / (2 * math.pi)) == 113
    yield f"710 is so close to 113 turns that sin 710 = {float(m.sinusoidal_encoding(710, 8)[0]):.5f}"

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
    # The PyTorch module of the lesson, in float32.
    omega = np.exp(np.float32(-math.log(10000.0)) * np.arange(0, 512, 2, dtype=np.float32) / np.float32(512))
    single = np.arange(5000, dtype=np.float32)[:, None] * omega
    table = np.stack([np.sin(single), np.cos(single)], axis=2).reshape(5000, 512)
    assert table.dtype == np.float32
    off = np.abs(table - m.sinusoidal_encoding(np.arange(5000), 512)).max()
    yield f"With `d_model` = 512, some of the first 5,000 positions differ from your float64 values by {d(off, 4)}"


def _misfit(codes: np.ndarray) -> float:
    """How far the best single matrix stays from leading each code to the next."""
    now, following = codes[:-1], codes[1:]
    return float(np.abs(now @ np.linalg.lstsq(now, following, rcond=None)[0] - following).max())


@lesson
def learned(m: Any) -> Sentences:
    used = m.trained_rows(512, [128])
    yield f"A table of 512 rows ends with row {len(used) - 1}"
    yield f"no training sequence was longer than 128. Then rows {np.flatnonzero(~used)[0]} to {np.flatnonzero(~used)[-1]} exist"
    yield f"standard deviation $\\sigma = {short(round(float(m.init_table(2000, 100, seed=0).std()), 3))}$"

    table = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    gradient = m.lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]])

    def row(values: np.ndarray) -> str:
        return f"[{', '.join(map(short, values))}]"

    yield f"[1, 0] + [2, 5] = {row(gradient[0])}. Row 1 was never read: {row(gradient[1])}. Row 2: {row(gradient[2])}."
    after = m.sgd_step(table, gradient, 0.1)
    taken = " , ".join(f"1 − {short(0.1 * value)}" for value in gradient[0]).replace(" ,", ",")
    yield f"row 0 becomes [{taken}] = {row(after[0])}; row 1 stays {row(after[1])}; row 2 becomes {row(after[2])}"
    later = table
    for _ in range(50):
        later = m.sgd_step(later, gradient, 0.1)
    assert np.array_equal(later[1], table[1])
    yield f"Row 1 stays {row(later[1])} after any number of such steps"
    stretched = m.resize_table(table, 5)
    yield f"$u = {', '.join(short(j * 2 / 4) for j in range(5))}$"
    yield f"so the rows are {', '.join(row(one) for one in stretched)}. Both end rows are kept"
    assert np.array_equal(stretched[::2], table)
    yield "Two old neighbours are now two steps apart"
    yield f"BERT-base has 512 × 768 = {m.init_table(512, 768, seed=0).size:,}."
    share = np.flatnonzero(m.trained_rows(512, [128])).size / 512
    assert share == 1 / 4
    yield "Until then three quarters of the table had learned nothing"
    yield f"P.weight.grad # [{', '.join(map(row, gradient))}]"
    yield f"P.weight # [{', '.join(map(row, after))}]"

    # What the boxes show of numpy.
    assert np.random.default_rng(7).normal(5.0, 2.0, (3, 4)).shape == (3, 4)
    few = np.array([[0, 0], [1, 10], [2, 20]])
    yield f"table[[2, 0]] # {few[[2, 0]].tolist()}; np.take(table, [2, 0], axis=0) is the same"
    assert np.array_equal(few[[2, 0]], np.take(few, [2, 0], axis=0))
    yield f"(np.zeros((2, 3, 4)) + np.ones((3, 4))).shape # {(np.zeros((2, 3, 4)) + np.ones((3, 4))).shape}"
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

    # The standard deviation of a normal distribution cut off at two of its own: 1 − 2c·φ(c)/(2Φ(c) − 1), at c = 2.
    density, inside = math.exp(-2) / math.sqrt(2 * math.pi), math.erf(math.sqrt(2))
    yield f"leaves about {0.02 * math.sqrt(1 - 4 * density / inside):.4f}"


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
    yield f"| dot product, either layout done right | {' | '.join(d(2 * value, 4) for value in right)} |"
    yield f"| dot product, mixture | {' | '.join(d(value, 4) for value in products)} |"
    yield f"| score (divided by $\\sqrt 4$), done right | {' | '.join(d(value, 4) for value in right)} |"
    yield f"| score, mixture | {' | '.join(d(value / 2, 4) for value in products)} |"
    yield f"at position 11 the vector has length {np.linalg.norm(mixed(x, 11)):.2f} instead of 1"
    yield f"$\\theta = ({short(m.rope_frequencies(4)[0])}, {short(m.rope_frequencies(4)[1])})$"
    yield from _the_reordering(m)

    tokens = 1000
    yield f"For $T = {tokens}$ these are {tokens:,} instead of {tokens * (tokens + 1) // 2:,}"
    assert all(m.rope_frequencies(64, base)[0] == 1 == m.rope_frequencies(64, base).max() for base in (1.5, 100.0, 5e5))
    assert m.rope_frequencies(64, 0.5)[0] == m.rope_frequencies(64, 0.5).min()
    yield "So for every base above 1, pair 0 is the fastest"

    q, k = np.array([2.0, 1.0]), np.array([1.0, 3.0])
    yield f"$q_0 k_0 + q_1 k_1 = {short(q @ k)}$ and $q_1 k_0 - q_0 k_1 = 1 - 6 = {tex(q[1] * k[0] - q[0] * k[1], 0)}$"

    def rotated(row: np.ndarray, position: int) -> np.ndarray:
        return np.asarray(m.apply_rope([row], [position])[0])

    def tip(row: np.ndarray) -> str:
        return f"({tex(row[0], 4)}, {tex(row[1], 4)})"

    q2, k3 = rotated(q, 2), rotated(k, 3)
    yield f"- \\sin 2, 2 \\sin 2 + \\cos 2) = {tip(q2)}$"
    yield f"- 3 \\sin 3, \\sin 3 + 3 \\cos 3) = {tip(k3)}$"
    by_hand = q2.round(4) * k3.round(4)  # from the digits on the page, as a reader with a calculator does it
    yield f"dot product: ${tex(by_hand[0], 4)} - {tex(-by_hand[1], 4)} = {tex(q2 @ k3, 4)}$"
    yield f"score: ${tex(m.rope_scores([q], [k], [2], [3])[0, 0], 4)}$"
    q7, k8 = rotated(q, 7), rotated(k, 8)
    yield f"$R_7 q = {tip(q7)}$ and $R_8 k = {tip(k8)}$, and the dot product is again ${tex(q7 @ k8, 4)}$"
    assert math.isclose(q7 @ k8, 5 * math.cos(1) - 5 * math.sin(1))
    yield f"Query at 3, key at 2: $5 \\cos 1 + 5 \\sin 1 = {tex(rotated(q, 3) @ rotated(k, 2), 4)}$"
    yield from _two_heads(m)

    theta = m.rope_frequencies(128)
    yield f"With $i/d$ the slowest pair of a head of 128 would rotate {10000 ** (-63 / 128) / theta[63]:.0f} times too fast"
    yield from _few_digits(m)

    yield f"With GPT-J's 64 of 256 features, $\\theta_1$ is {m.rope_frequencies(64)[1]:.3f}. A full head of 256"
    yield f"A full head of 256 would have {m.rope_frequencies(256)[1]:.3f}."
    bound = m.decay_bound(np.arange(8193), 128)
    yield f"it is {bound[0]:.1f} at offset 0, {bound[100]:.1f} at 100 and {bound[1000]:.1f} at 1000"
    rises = np.flatnonzero(np.diff(bound) > 0)[0]
    yield f"from offset {rises} to {rises + 1} it rises for the first time"
    highest = m.decay_bound(113028, 128)
    yield f"between 2048 and 8192 it reaches {bound[2048:].max():.1f} again, and at 113028 it reaches {highest:.1f}"
    assert np.allclose(m.decay_bound(np.arange(100), 2), 1)
    yield "For $d = 2$ it is 1 at every offset"
    row = np.random.default_rng(0).normal(size=(1, 128))
    back = np.arange(400)
    scores = m.rope_scores(row, np.repeat(m.apply_rope(row, [50]), 400, axis=0), [0], -back)[0]
    assert scores.argmax() == 50 and math.isclose(scores.max(), (row**2).sum() / math.sqrt(128))
    yield "the key $k = R_{50} q$ has its highest score exactly 50 positions back, the full $|q|^2/\\sqrt d$"
    _the_bound_holds(m)
    yield f"pair 63 of a head of 128 needs {2 * math.pi / theta[63]:.0f} positions for one full rotation"
    yield f"In a training text of 4096 tokens its angles reach {4095 * theta[63]:.2f} radians"

    # Rotated in opposite directions, a score depends on the sum of the positions.
    against = [rotated(q, place) @ rotated(k, place - 7) for place in (3, 5, 20)]
    assert np.allclose(against, against[0])
    yield "If you rotate them in opposite directions, the score depends on $m + n$"
    clockwise = rotated(q * [1, -1], 2) @ rotated(k * [1, -1], 3)
    assert math.isclose(clockwise, rotated(q, -2) @ rotated(k, -3))
    yield "If you rotate *both* clockwise, nothing breaks"

    # The cosine cache as PyTorch code has it, in float32.
    inv_freq = np.float32(1) / np.float32(10000) ** (np.arange(0, 4, 2, dtype=np.float32) / np.float32(4))
    angles = np.tile(np.outer(np.arange(8, dtype=np.float32), inv_freq), 2)
    cos, sin = np.cos(angles), np.sin(angles)
    one = np.array([1, 1, 0, 0], dtype=np.float32)
    out = one * cos[1] + m.rotate_half(one) * sin[1]
    assert np.allclose(out, m.apply_rope_half([one], [1])[0], atol=1e-7)
    yield f"# [{', '.join(map(short, inv_freq))}]: rope_frequencies"
    yield f"row 1: [{', '.join(f'{value:.5g}' for value in cos[1])}]"
    yield f"rotate_half(q) * sin[1] # [{out[0]:.4f}, {out[1]:.5f}, {out[2]:.4f}, {out[3]:.7f}]"


def _the_reordering(m: Any) -> Sentences:
    """Π as code, and that nothing else reorders one layout to the other."""
    pi = np.eye(6)[[0, 2, 4, 1, 3, 5]]
    row = np.arange(10, 16)
    assert np.array_equal(pi @ row, m.interleaved_to_half(row)) and np.array_equal(pi.T @ (pi @ row), row)
    assert np.array_equal(m.half_to_interleaved(pi @ row), row)
    yield f"Pi @ {row.tolist()} # {(pi @ row).astype(int).tolist()}"
    yield f"Pi.T @ {(pi @ row).astype(int).tolist()} # {row.tolist()}: the transpose is the inverse"
    x = np.random.default_rng(0).normal(size=(2, 6))
    there = m.apply_rope(x, [3, 10])
    orders = [list(order) for order in itertools.permutations(range(6))]
    right = [order for order in orders if np.allclose(m.apply_rope_half(x[:, order], [3, 10]), there[:, order])]
    assert right == [[0, 2, 4, 1, 3, 5]]
    yield "For every base except 1 all frequencies are different, and then no other order of the features satisfies it"
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
    yield f"row 1 of `rope_attention(x, W_q, W_k, W_v, n_heads=2)` is $({last})$"
    yield f"so it is $({row(out[0])})$"

    empty = np.zeros((2, 0, 2))
    first, cache_k, cache_v = m.decode_step(x[:1], eye, eye, eye, 2, empty, empty, 0)
    assert np.allclose(first[0], out[0]) and cache_k.tolist() == [[[1, 0]], [[2, 0]]]
    yield "cache_k before: [[[1, 0]], [[2, 0]]]"
    wrong = m.decode_step(x[1:], eye, eye, eye, 2, cache_k, cache_v, 0)[0]
    second, cache_k, cache_v = m.decode_step(x[1:], eye, eye, eye, 2, cache_k, cache_v, 1)
    assert np.allclose(second[0], out[1])
    heads = [[f"[{row(one).replace('−', '-')}]" for one in head] for head in cache_k]
    yield f"cache_k after: [[{', '.join(heads[0])}], [{', '.join(heads[1])}]]"
    assert cache_v.tolist() == [[[1, 0], [0, 1]], [[2, 0], [0, 1]]]
    yield "cache_v after: [[[1, 0], [0, 1]], [[2, 0], [0, 1]]]"
    yield f"out: [[{last}]]"
    yield f"head 0 would give the weights {wrong[0, 0]:.4f} and {wrong[0, 1]:.4f}"


def _few_digits(m: Any) -> Sentences:
    """What is left of positions and angles in small types."""

    def bfloat16(numbers: np.ndarray) -> np.ndarray:
        """Rounded to 8 significant bits, half to even."""
        fraction, exponent = np.frexp(numbers)
        return np.ldexp(np.rint(fraction * 2**8) / 2**8, exponent)

    left = np.unique(bfloat16(np.arange(4096.0)))
    assert np.array_equal(left[:257], np.arange(257)) and np.array_equal(np.diff(left[256:513]), np.repeat([2, 4], 128))
    yield f"Of the positions 0 … 4095, {len(left)} different values are left: 257 from 0 to 256, and 128 in each of the four"
    assert len(left) == 257 + 4 * 128
    half, theta = np.float16(m.rope_frequencies(32)), m.rope_frequencies(32)
    product = np.float16(1857) * half[1]
    yield f"In float16 $\\theta_1 = {theta[1]:.5f}$ becomes {float(half[1]):g}"
    yield f"The product 1857 · {float(half[1]):g} is {1857 * float(half[1]):.4f}"
    assert all(np.float16(number).is_integer() for number in np.arange(1024, 2048, 0.25))
    yield f"so the angle becomes {float(product):g}. The right angle is {1857 * theta[1]:.3f}"
    yield f"The cosine is {d(math.cos(product), 3)}, and it should be {math.cos(1857 * theta[1]):.3f}"
    rounded = np.cos(np.multiply.outer(np.float16(np.arange(2048)), half).astype(np.float64))
    worst = np.abs(rounded - m.rope_cos_sin(np.arange(2048), 32)[0]).max()
    yield f"Over the first 2048 positions the largest error of a cosine is {worst:.2f}"
    near = np.arange(10**6 - 500, 10**6 + 500)
    single = np.cos(np.multiply.outer(np.float32(near), np.float32(m.rope_frequencies(128))).astype(np.float64))
    yield f"**float32**, at positions near $10^6$ and $d = 128$, is wrong by up to {np.abs(single - m.rope_cos_sin(near, 128)[0]).max():.2f}"
    assert (np.ones(3, np.float32) / np.sqrt(4)).dtype == np.float64 and (np.ones(3, np.float32) / 4**0.5).dtype == np.float32
    yield "(np.ones(3, np.float32) / np.sqrt(4)).dtype # float64"


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
    yield (f"$q \\cdot a_{{-1}} = {tex(with_rows[0], 0)}$, $q \\cdot a_0 = {tex(with_rows[1], 0)}$, $q \\cdot a_{{+1}} = {tex(with_rows[2], 0)}$")
    scores = m.shaw_scores(q, k, rows, 1)
    first, second = [[short(score) for score in row] for row in scores[:2]]
    clipped = f"distance 2, clipped to 1: $(4 - 2)/2 = {first[2]}$"
    yield f"| 0 | $(4 + 2)/2 = {first[0]}$ | $(4 - 2)/2 = {first[1]}$ | {clipped} |"
    yield f"| 1 | $(4 + 4)/2 = {second[0]}$ | $(4 + 2)/2 = {second[1]}$ | $(4 - 2)/2 = {second[2]}$ |"

    def bucket(distance: int, **sizes: Any) -> int:
        return int(m.t5_bucket(np.array(-distance), **({"bidirectional": False, "num_buckets": 8, "max_distance": 64} | sizes)))

    yield f"0, 1, 2, 3 have buckets {', '.join(str(bucket(n)) for n in range(4))}"
    for n in (4, 7, 8, 15, 16, 32):
        yield f"| {n} | {short(round(math.log2(n / 4), 2))} | {bucket(n)} |"
    for n in (64, 1000):
        yield f"| {n} | {short(round(math.log2(n / 4), 2))} | $\\min(7, {4 + int(math.log2(n / 4))}) = {bucket(n)}$ |"
    opens = [next(n for n in range(2000) if bucket(n) == one) for one in range(8)]
    widths = np.diff(opens)
    assert widths[5] == 2 * widths[4] and widths[6] == 2 * widths[5]
    yield "Buckets 5 and 6 are twice as wide as the bucket before them"
    yield f"The last one starts at {opens[7]}, half of `max_distance`"
    assert opens[7] == 64 // 2

    distances = np.arange(1000)
    encoder, decoder = m.t5_bucket(-distances), m.t5_bucket(-distances, bidirectional=False)
    last = [int(np.argmax(buckets == buckets.max())) for buckets in (encoder, decoder)]
    yield f"With its 32 buckets the last bucket starts at {last[0]} in the encoder and at {last[1]} in the decoder"
    one_bucket = np.flatnonzero(encoder == encoder[64])
    yield f"all distances from {one_bucket[0]} to {one_bucket[-1]} share one bucket in the encoder"
    assert np.array_equal(m.t5_bucket(distances, bidirectional=False), np.zeros(1000))
    yield "it sends the whole past to bucket 0"

    quotient, difference = math.log(8 / 4) / math.log(16 / 4) * 4, (math.log(8) - math.log(4)) / math.log(16 / 4) * 4
    yield f"The logarithm of $n/e$ gives {quotient!r} steps and bucket {bucket(8, max_distance=16)}"
    yield f"gives {difference!r} steps, which is cut off to {int(difference)}, and bucket {4 + int(difference)}"

    on_the_boundary = math.log(8 / 4) / math.log(128 / 4) * 5
    yield f"with 9 causal buckets and `max_distance` 128, distance 8 gives {on_the_boundary!r} steps instead of 1"
    assert bucket(8, num_buckets=9, max_distance=128) == 4 + 1

    # The example in PyTorch, and what the boxes show of numpy.
    bias = m.t5_bias(np.arange(4.0)[:, None], 1, 5, False, 8, q_start=4)
    yield f"relative = key - query # {m.relative_positions(1, 5, q_start=4).tolist()}"
    yield f"bucket = t5_bucket(relative, False, 4, 8) # {m.t5_bucket(np.arange(-4, 1)[None], False, 4, 8).tolist()}"
    yield f"# shape {bias.shape}: {bias.astype(int).tolist()}"
    yield f"np.arange(2)[:, None] - np.arange(3) # {(np.arange(2)[:, None] - np.arange(3)).tolist()}: shape (2, 3)"
    yield f"np.clip([3, 8, 12], 5, 10) # {np.clip([3, 8, 12], 5, 10).tolist()}"
    per_row, wanted = np.array([[10, 11, 12], [20, 21, 22]]), np.array([[1, 2], [0, 1]])
    yield f"np.take_along_axis(per_row, rows, axis=-1) # {np.take_along_axis(per_row, wanted, axis=-1).tolist()}"
    assert np.broadcast_to(wanted, (5, 2, 2)).shape == (5, 2, 2)
    yield f"np.where([True, False], [1.0, 2.0], -np.inf) # [1, {np.where([True, False], [1.0, 2.0], -np.inf)[1]}]"
    total = np.zeros(3)
    np.add.at(total, [0, 0, 2], [0.5, 0.25, 0.25])
    yield f"[0.5, 0.25, 0.25]) # total is [{', '.join(map(short, total))}]"
    logs = np.log(np.maximum([0, 3, 8], 4) / 4)
    yield f"np.log(np.maximum(n, 4) / 4) # [0, 0, {logs[2]:.3f}]"
    assert not logs[:2].any()
    yield f"np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape # {np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape}"


@lesson
def alibi(m: Any) -> Sentences:
    in_the_last = solution("relative").t5_bucket(-np.arange(10_000), bidirectional=False) == 31
    yield f"gets the distances {np.argmax(in_the_last)} to {512 - 1} (with the 32 causal buckets of lesson 6)"
    yield f"the last query has {100 * in_the_last.mean():.0f} % of all keys in this bucket"
    four = m.alibi_slopes(4)
    yield f"The first slope is $2^{{-8/4}} = {ratio(four[0])}$, and the sequence is {', '.join(f'${ratio(s)}$' for s in four)}"
    bias = m.alibi_bias(4, 4, 4)[:, 3]
    factors = np.exp(bias)
    weights = factors / factors.sum(axis=1, keepdims=True)
    yield f"| bias | {' | '.join(map(short, bias[0] + 0.0))} |"
    yield f"| {' | '.join(d(value, 4) for value in factors[0, :3])} | {short(factors[0, 3])} |"
    yield f"divided by the sum {factors[0].sum():.4f}) | {' | '.join(d(value, 3) for value in weights[0])} |"
    yield f"In the last head, slope ${ratio(four[3])}$, the four weights are {', '.join(d(value, 4) for value in weights[3])}"
    yield f"with biases ${', '.join(map(short, m.bloom_bias(4, 4)[0, 0]))}$"
    yield f"All exponentials are $e^{{{short(-bias[0, 0])}}}$ times larger"
    windows = [m.effective_window(slope, 0.01) for slope in four]
    yield f"$r \\ge \\ln 100 / m = {math.log(100):.3f} / m$"
    yield f"For slope $1/4$ that is {math.log(100) * 4:.1f}, so distance {windows[0]} is the first"
    yield f"for $1/16$, $1/64$ and $1/256$ it is {windows[1]}, {windows[2]} and {windows[3]}"
    three = m.alibi_slopes(3)
    yield f"So the slopes are {', '.join(f'${ratio(slope)}$' for slope in three)}, in that order"
    assert sorted([*three, 1 / 64]) == sorted(four)
    yield "The next slope by the same rule is $1/64$"
    bloom = m.alibi_slopes(112)
    assert np.array_equal(bloom[:64], m.alibi_slopes(64))
    yield f"The largest has 112 heads, which is not a power of two: 64 slopes and then {len(bloom) - 64} from the sequence for 128 heads"
    assert set(bloom[64:]) <= set(m.alibi_slopes(128))
    naive_slopes = 2.0 ** (-8 * np.arange(1, 7) / 6)
    yield f"For six heads $2^{{-8(h+1)/6}}$ gives {naive_slopes[0]:.3f}, {naive_slopes[1]:.3f}, {short(naive_slopes[2])}, …"
    assert not np.allclose(np.sort(naive_slopes), np.sort(m.alibi_slopes(6)))
    yield f"With $d = 64$ every slope becomes {math.isqrt(64)} times smaller, and every window {math.isqrt(64)} times longer"
    for run, reliable in (("copy 1 back", 8), ("copy 3 back", 0)):
        assert (lab.by_length(lab.saved(), run, "alibi")[128] >= lab.RELIABLE).sum() == reliable
    assert all((accuracy < lab.RELIABLE).all() for accuracy in lab.by_length(lab.saved(), "copy 3 back", "alibi").values())
    yield "all 8 seeds copy the previous token at 8 times the trained length, but no seed can copy the token 3 back"


@lesson
def context_extension(m: Any) -> Sentences:
    turns = m.rotations_in_context(128, 4096)
    yield f"Over 4,096 tokens the fastest pair makes {turns[0]:.0f} full rotations"
    yield f"The slowest pair rotates by ${360 * turns[-1]:.1f}°$ in all: less than one twelfth of a circle"
    assert turns[-1] < 1 / 12
    yield f"At eight times the length it would rotate by ${360 * 8 * turns[-1]:.1f}°$"
    done, not_done = int((turns >= 1).sum()), int((turns < 1).sum())
    yield f"Of the {len(turns)} pairs, {done} make at least one full rotation in training, and {not_done} do not"
    yield f"These {not_done} pairs get angles that are new to the model"
    assert math.isclose(m.dynamic_ntk_base(10000.0, 8, 3000, 1000, 1), m.ntk_base(10000.0, 3, 8))
    assert m.dynamic_ntk_base(10000.0, 8, 3000, 1000, 2) > m.ntk_base(10000.0, 3, 8)
    yield "With $s = 1$ the bracket is $L/L_0$"

    trained = m.longrope_frequencies(8, np.ones(4))
    yield f"The frequencies are ${', '.join(map(short, trained))}$"
    r = m.rotations_in_context(8, 1024)
    yield f"$1024\\cdot1/2\\pi = {r[0]:.2f}$"
    yield f"so is its number of rotations: ${r[0]:.2f}, {r[1]:.2f}, {r[2]:.3f}, {r[3]:.3f}$"

    def pair_of(beta: float) -> float:
        return 8 * math.log(1024 / (2 * math.pi * beta)) / (2 * math.log(10000))

    yield (
        f"$\\dim(32) = 8\\ln(1024/{2 * math.pi * 32:.2f})/(2\\cdot {math.log(10000):.4f}) = "
        f"8\\cdot{math.log(1024 / (64 * math.pi)):.4f}/{2 * math.log(10000):.3f} = {pair_of(32):.3f}$"
    )
    yield f"$\\dim(1) = 8\\ln({r[0]:.2f})/18.421 = 8\\cdot{math.log(r[0]):.4f}/18.421 = {pair_of(1):.3f}$"
    yarn = m.yarn_frequencies(8, 10000.0, 4, 1024)
    ramp = (trained - yarn) / (trained - trained / 4)
    assert np.allclose(ramp, [0, 1 / 3, 2 / 3, 1])
    yield f"= {short(yarn[1])}$; pair 2 gets"
    yield f"$0.01\\cdot\\tfrac13 + 0.0025\\cdot\\tfrac23 = {short(yarn[2])}$"
    llama = m.llama3_frequencies(8, 10000.0, 4.0, trained_len=1024)
    smooth = (r[2] - 1) / 3
    yield f"$= ({r[2]:.4f}-1)/3 = {smooth:.4f}$"
    yield f"and gets ${1 - smooth:.4f}\\cdot0.0025 + {smooth:.4f}\\cdot0.01 = {llama[2]:.6f}$"
    base = m.ntk_base(10000.0, 4, 8)
    ntk = m.longrope_frequencies(8, np.ones(4), base=base)
    yield f"$10000\\cdot4^{{8/6}} = {base:.0f}$, and the slowest pair has ${base:.0f}^{{-6/8}} = {short(round(ntk[3], 8))}$"
    columns = {
        0: [f"{r[0]:.2f}", *map(short, (trained[0], trained[0] / 4)), "?", *map(short, (yarn[0], llama[0]))],
        1: [f"{r[1]:.2f}", *map(short, (trained[1], trained[1] / 4)), f"{ntk[1]:.5f}", *map(short, (yarn[1], llama[1]))],
        2: [f"{r[2]:.3f}", *map(short, (trained[2], trained[2] / 4)), f"{ntk[2]:.6f}", short(yarn[2]), f"{llama[2]:.6f}"],
        3: [f"{r[3]:.3f}", short(trained[3]), *4 * ["0.00025"]],
    }
    for pair, numbers in columns.items():
        yield f"| {pair} | {' | '.join(numbers)} |"
    assert np.allclose([trained[3] / 4, ntk[3], yarn[3], llama[3]], 0.00025)
    scale = m.yarn_scale(4)
    yield f"For $s = 4$: $0.1\\ln4+1 = {scale:.4f}$. A score is multiplied by ${scale:.4f}^2 = {scale**2:.4f}$"
    dynamic = m.dynamic_ntk_base(10000.0, 8, 4096, 2048, 2)
    yield f"The bracket is $2\\cdot2-1 = {(dynamic / 10000) ** (6 / 8):.0f}$, and $b' = 10000\\cdot3^{{8/6}} = {dynamic:.0f}$"

    stretched = m.rotations_in_context(128, 32768, base=m.ntk_base(10000.0, 8, 128))
    yield f"In training pair 50 made {turns[50]:.2f} of a rotation. With the new base it makes {stretched[50]:.2f} of a rotation over 32,768"
    leave = int((stretched[turns < 1] > turns[turns < 1] * (1 + 1e-9)).sum())
    yield f"Of the {not_done} pairs that never made a full rotation, {leave} get new angles"
    yield f"Half of $\\theta$ and half of $\\theta/4$ is ${(1 + 1 / 4) / 2:g}\\theta$"
    yield f"is ${(1 + 4) / 2:g}\\lambda$; the frequency of this wavelength is ${2 / (1 + 4):g}\\theta$"
    high = math.ceil(64 * math.log(131072 / (2 * math.pi)) / (2 * math.log(10000)))
    clamped = m.yarn_frequencies(64, 10000.0, 4, 131072)
    low = math.floor(64 * math.log(131072 / (64 * math.pi)) / (2 * math.log(10000)))
    kept = m.longrope_frequencies(64, np.ones(32))
    assert np.allclose((kept - clamped) / (kept * 3 / 4), np.clip((np.arange(32) - low) / (high - low), 0, 1))
    yield f"with $d = 64$, base 10000 and 131,072 trained tokens high is {high}, not {64 // 2 - 1}"
    scale = m.yarn_scale(128)
    yield f"gave the attention factor {scale:.4f}. It was already the final scale"
    yield f"${scale:.4f}^2$ = {scale**2:.4f}"
    assert m.longrope_scale(8, 4096) < m.yarn_scale(8)
    yield f"8 times 8,192 is {8 * 8192:,}, but this model serves 131,072 tokens"
    yield from _extended(m)


def _extended(m: Any) -> Sentences:
    """The section `What we measured` of context_extension, from what the experiment left."""
    rows, (copying, passkey) = extension.saved(), extension.TASKS
    setting = extension.TASKS[copying].setting
    seeds = len(lab.SEEDS)

    def accuracy(method: str, length: int, task: str = copying, what: str = "at_once") -> np.ndarray:
        return extension.by_length(rows, task, method, what)[length]

    def mean(method: str, length: int, task: str = copying, what: str = "at_once") -> str:
        return d(accuracy(method, length, task, what).mean(), 2)

    def spread(method: str, length: int) -> str:
        return f"{mean(method, length)} ± {accuracy(method, length).std(ddof=1):.2f}"

    def reliable(method: str, length: int, task: str = copying, what: str = "at_once") -> int:
        return int((accuracy(method, length, task, what) >= lab.RELIABLE).sum())

    yield f"trained for {setting.steps:,} steps on sequences of {setting.trained_length} tokens"
    yield f"at each of the last {setting.trained_length - setting.back} positions"
    yield f"the mean accuracy over {seeds} seeds"
    yield f"Guessing gives {1 / setting.vocabulary:.2f}"
    assert extension.DYNAMIC_FACTOR == 2 and extension.BASE == 10000 and extension.FURTHER_STEPS == 50
    for method in extension.METHODS:
        for length in extension.LENGTHS:
            trained_on = accuracy(method, length, passkey, "trained_on")
            assert trained_on.mean().round(2) >= 0.99 and (trained_on >= lab.RELIABLE).all()
    yield f"with at least 0.99 and all {seeds} seeds"
    for method in ("interpolation", "YaRN", "Llama 3"):
        assert mean(method, 256, passkey) == mean(method, 16, passkey) == "1.00" and reliable(method, 256, passkey) == seeds
    yield f"falls to {mean('nothing', 256, passkey)}, and {reliable('nothing', 256, passkey)} of {seeds} seeds is reliable"
    yield f"{mean('NTK-aware', 256, passkey)} and {mean('dynamic NTK', 256, passkey)} at 256"
    assert reliable("NTK-aware", 256, passkey) == reliable("dynamic NTK", 256, passkey) == 4
    yield f"4 of {seeds} seeds each"
    yield f"Interpolation copies at the level of guessing, {mean('interpolation', 32)}, already at twice the length"
    yield f"the token 6 back in {100 * accuracy('interpolation', 32, what='stretched').mean():.0f} % of all cases"
    turns = m.rotations_in_context(setting.width, setting.trained_length)
    yield f"In {setting.trained_length} tokens the fastest pair makes {turns[0]:.2f} rotations"
    assert m.llama3_frequencies(32, 10000.0, 2, trained_len=16)[0] < 1
    yield f"only {int((turns >= 1).sum())} of its {len(turns)} pairs make a full rotation there"
    yield (
        f"NTK-aware has {mean('NTK-aware', 32)} with {reliable('NTK-aware', 32)} reliable seeds; without a method it is "
        f"{mean('nothing', 32)} with {reliable('nothing', 32)}"
    )
    assert max(reliable(method, 64) for method in extension.METHODS if method != "nothing") == 1
    assert reliable("nothing", 64) == 2
    yield "no method has more than 1 reliable seed, and the model without any method has 2"
    yield f"YaRN's mean there, {mean('YaRN', 64)}, is even below {mean('nothing', 64)}"
    yield f"copying at 64 tokens has {spread('YaRN', 64)}; without it, {spread('YaRN, no scale', 64)}"
    for length in extension.LENGTHS:
        assert mean("nothing", length, what="trained_on") == "1.00" and reliable("nothing", length, what="trained_on") == seeds
    yield f"copies with an accuracy of 1.00 at every length, {seeds} of {seeds} seeds"
    assert {mean("interpolation", length, what="trained_on") for length in extension.LENGTHS[1:]} == {"0.06"}
    yield "After the same 50 steps interpolation is still at 0.06"
    for method, name in (
        ("interpolation", "Position interpolation"),
        ("NTK-aware", "NTK-aware"),
        ("dynamic NTK", "Dynamic NTK"),
        ("YaRN", "YaRN"),
        ("Llama 3", "Llama 3.1"),
    ):
        last = f"| partly: {reliable(method, 64)} of {seeds}, then {reliable(method, 256, passkey)} of {seeds} |"
        text = course.find("context_extension").lesson.read_text("utf-8")
        assert any(line.startswith(f"| {name} |") and line.endswith(last) for line in text.splitlines()), (name, last)


@lesson
def extrapolation(m: Any) -> Sentences:
    frequencies = 10000.0 ** (-np.arange(0, 8, 2) / 8)

    def similar(distance: int) -> float:
        """Σ cos(ω(j − i + k)) for k = 3, d = 8 and a key this far back."""
        return float(np.cos(frequencies * (3 - distance)).sum())

    yield f"it is {similar(3):g} at distance 3, {similar(2):.2f} at distances 2 and 4, and {similar(66):.2f} at distance 66"
    assert math.isclose(similar(2), similar(4))
    yield f"At distance 9 it is nearly as high, {similar(9):.2f}"
    assert similar(9) == max(map(similar, range(5, 16)))
    sums = np.cos(np.outer(3 - np.arange(10**6), frequencies)).sum(axis=1)
    shares = [1 / np.exp(20 * (sums[:keys] - 4)).sum() for keys in (10**3, 10**5, 10**6)]
    yield f"{shares[0]:.2f} of the attention among $10^3$ keys, {shares[1]:.2f} among $10^5$, and {shares[2]:.2f} among $10^6$"

    accuracies = [1.0, 0.9, 0.5, 0.95]
    lengths = [16, 32, 64, 128]
    yield f"With the threshold 0.9 the longest reliable length is {m.longest_reliable_length(lengths, accuracies)}"
    yield f"the gap is $1.0 - 0.95 = {m.extrapolation_gap(lengths, accuracies, 16):.2f}$"
    assert m.extrapolation_gap(lengths, [0.1] * 4, 16) == 0
    yield "a model that scores 0.1 at every length has a gap of 0"
    yield f"and $e^5 = {math.exp(5):.1f}$"
    weights = [math.exp(5) / (math.exp(5) + keys - 1) for keys in lengths]
    yield f"| weight of the right key | {' | '.join(d(weight, 3) for weight in weights)} |"
    assert round(1 - weights[3] / weights[0], 1) == 0.4
    yield "the right key has lost four tenths of its weight"
    nothing = np.zeros((3, 2))
    rows = m.logits("alibi", nothing, nothing, {"slope": 0.5})
    yield f"$-0.5\\cdot2, -0.5\\cdot1, 0$, that is ${', '.join(f'{value:g}' for value in rows[2] + 0.0)}$"
    assert np.array_equal(rows[0], [0, -np.inf, -np.inf])
    yield "the first is $0, -\\infty, -\\infty$"
    added = m.encode("binary", np.zeros((6, 4)), {"n_bits": 3})[5]
    yield f"row 5 of the embeddings gets ${', '.join(map(short, added))}$ added: 5 is {5:03b}"
    one = np.ones((1, 1))
    rows = [m.logits("integer", m.encode("integer", shifted, {}), m.encode("integer", shifted, {}), {}) for shifted in np.ones((2, 3, 1))]
    assert rows[0][1:, 1:][np.tri(2) > 0].tolist() == [4, 6, 9]
    yield f"The differences are 3, 4 and 5, so the shift gap is {m.shift_gap('integer', np.ones((2, 1)), one, one, {}, 1):g}"
    with_16 = lab.read(m, "t5", lab.Setting()).buckets
    assert with_16 is not None
    never = 32 - len(np.unique(with_16))
    yield f"train on 16 tokens with 32 causal buckets, {never} of the entries still have their initial values"
    yield from _measured()


def _measured() -> Sentences:
    """The section `What we measured`, from what the experiment left."""
    rows, looks = lab.saved(), lab.saved_looks()
    setting = lab.RUNS["copy 3 back"].setting

    def mean(method: str, length: int, what: str = "accuracy", run: str = "copy 3 back") -> str:
        return d(lab.by_length(rows, run, method, what)[length].mean(), 2)

    def spread(method: str, length: int) -> str:
        return f"{mean(method, length)} ± {lab.by_length(rows, 'copy 3 back', method)[length].std(ddof=1):.2f}"

    words = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
    assert setting.trained_length == setting.batch == setting.vocabulary == 16
    yield f"The vocabulary has {setting.vocabulary} tokens, the model {setting.width} features"
    yield f"It is trained for {setting.steps:,} steps of {setting.batch} sequences, each of {setting.trained_length} tokens"
    yield f"{setting.sequences} sequences of each length, at their last positions: {setting.trained_length - setting.back} positions"
    other = lab.RUNS["copy 1 back"].setting
    yield f"{other.trained_length - other.back} if it copies 1 back"
    yield f"Every number is the mean over {words[len(lab.SEEDS)]} seeds"
    yield f"reach {lab.RELIABLE}. A guess"
    yield f"right once in {setting.vocabulary} times ({1 / 16:.2f}), and its cross-entropy is $\\ln 16 = {math.log(16):.2f}$"
    yield f"The learned table has {setting.table_rows} rows, Shaw clips at {setting.max_distance}"
    yield f"T5 has its {setting.buckets} buckets"
    yield f"ALiBi's slope is {ratio(setting.slope)}"

    yield f"Rows 16 to 63 exist but were never trained; they give {mean('learned', 32)} to {mean('learned', 64)}"
    yield f"{mean('sinusoidal', 16)} at 16, {spread('sinusoidal', 32)} at 32"
    assert mean("sinusoidal", 16) == mean("shaw", 128) == "1.00"
    yield f"At 128 tokens they put {mean('sinusoidal', 128, 'weight')} of their attention on the right key"
    yield f"{mean('rope', 32)} at twice the trained length"
    failing = np.sort(lab.by_length(rows, "copy 3 back", "rope")[32])[:3]
    assert failing[1] < lab.RELIABLE <= failing[2]
    yield f"two of the eight seeds are below 0.9, with {failing[0]:.3f} and {failing[1]:.3f}"
    seeds = [f"{value:.2f}" for value in np.sort(lab.by_length(rows, "copy 3 back", "rope")[64])]
    yield f"the eight runs reach {', '.join(seeds[:-1])} and {seeds[-1]}, and a mean of {mean('rope', 64)} describes none"
    order = [int(distance) for distance in np.argsort(looks["rope"])[::-1]]
    assert order[0] == setting.back
    elsewhere = looks["rope"][order[1:6]].sum() / (1 - looks["rope"][3])
    assert elsewhere > 0.5
    yield (
        f"the right key still gets the largest share of the attention, {looks['rope'][3]:.2f}, and most of the rest goes to a "
        f"few distances: {', '.join(map(str, order[1:5]))} and {order[5]}"
    )
    fastest = 10000.0 ** (-np.arange(0, 4, 2) / setting.width)
    waves = np.cos(np.outer(np.arange(len(looks["rope"])) - 3, fastest)).sum(axis=1)
    highest = [int(distance) for distance in np.argsort(waves)[::-1]]
    assert highest[0] == 3
    yield f"Up to distance {len(waves) - 1}, its four next highest values are at {', '.join(map(str, highest[1:4]))} and {highest[4]}"
    turns = np.outer(np.array(highest[1:5]) - 3, fastest) / (2 * np.pi)
    assert np.abs(turns - np.rint(turns)).max() < 0.1

    alibi_accuracies = sorted(mean("alibi", length) for length in setting.lengths)
    yield f"{alibi_accuracies[0]} to {alibi_accuracies[-1]} at *every* length"
    yield f"the cross-entropy is {mean('alibi', 16, 'cross_entropy')} at 16 and {mean('alibi', 128, 'cross_entropy')} at 128"
    assert all(value == 1 for value in lab.by_length(rows, "copy 3 back", "shaw")[64].round(2))
    yield f"it keeps {mean('shaw', 128, 'weight')} of the attention at 128"
    yield f"(articles: no limit). {mean('t5', 32)}, {mean('t5', 64)}, {mean('t5', 128)} at 32, 64 and 128"
    untrained, wrong = looks["t5"][16:], np.delete(looks["t5"][:16], 3)
    yield f"an untrained key gets {untrained.mean() / wrong.mean():.0f} times the weight of a trained wrong one"
    yield f"Together they have {untrained.sum():.2f} of the attention, and the right key has {looks['t5'][3]:.2f}"
    yield f"{mean('none', 16)} at the trained length, and less at longer ones"
    at_16 = {method: float(mean(method, 16)) for method in lab_methods()}
    assert at_16["integer"] < at_16["none"] and min(at_16, key=at_16.get) == "alibi"  # type: ignore[arg-type]
    yield f"{mean('integer', 16)}, worse than without any encoding"
    yield "With 3 back ALiBi is the worst of all at 16"
    yield f"{mean('normalized', 16)}, and {mean('normalized', 128)} at 128"
    yield f"{mean('binary', 16)} at 16 and {mean('binary', 32)} at 32"
    yield "the bits for 16, 32 and 64 were 0 at every position"

    one_back = "copy 1 back"
    shares = [mean("alibi", length, "weight", one_back) for length in (16, 128)]
    yield f"The right key gets {shares[0]} of the attention at 16 and {shares[1]} at 128"
    at_128 = {method: lab.by_length(rows, one_back, method)[128].mean() for method in lab_methods() if method != "learned"}
    assert sorted(at_128, key=lambda method: at_128[method])[-2:] == ["alibi", "shaw"]
    yield f"{mean('alibi', 128, run=one_back)}, after {mean('alibi', 16, run=one_back)} at 16"
    assert all(mean("rope", length, run=one_back) <= mean("rope", length) for length in setting.lengths)
    assert (lab.by_length(rows, one_back, "integer")[16] > 0.9).sum() == 2
    yield "*Integer* learns it too, with two seeds out of eight"
    wide = "copy 3 back, 64 features"
    yield f"the accuracy at 128 is {mean('rope', 128, run=wide)} instead of {mean('rope', 128)}; the spread is as wide as before"
    longer = "copy 3 back, three times the steps"
    yield f"T5 has {mean('t5', 64, run=longer)} at 64 tokens instead of {mean('t5', 64)}"
    clipped = "copy 3 back, clipped at 16"
    shares = [mean("shaw", 128, "weight"), mean("shaw", 128, "weight", clipped)]
    yield f"the weight of the right key at 128 falls from {shares[0]} to {shares[1]}"
    losses = [mean("shaw", 128, "cross_entropy"), mean("shaw", 128, "cross_entropy", clipped)]
    yield f"the cross-entropy rises from {losses[0]} to {losses[1]}"
    gentle = "copy 3 back, slope 1/16"
    yield f"A smaller slope gives ALiBi {mean('alibi', 64, run=gentle)} at all lengths"
    assert len({mean("alibi", length, run=gentle) for length in setting.lengths}) == 1
    yield f"from {mean('alibi', 16, 'cross_entropy', gentle)} to {mean('alibi', 128, 'cross_entropy', gentle)}"
    assert (lab.by_length(rows, "copy 3 back", "rope")[64] >= 0.9).sum() == 2
    yield '"RoPE: excellent" was true of two seeds out of eight at four times the length'
    yield f"promises too much: {mean('sinusoidal', 32)} at twice the length"
    yield from _compared(rows)


def lab_methods() -> tuple[str, ...]:
    return tuple(solution("extrapolation").METHODS)


def _compared(rows: list[lab.Measurement]) -> Sentences:
    """The table of the articles and the four wishes, from the same measurements."""
    text = course.find("extrapolation").lesson.read_text("utf-8")
    table = lab.comparison(solution("extrapolation"), rows)
    assert table in text
    lines = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in table.splitlines()}

    def works(method: str, run: str) -> bool:
        return bool(lab.by_length(rows, run, method)[128].mean() >= lab.RELIABLE)

    both = ("copy 3 back", "copy 1 back")
    without_gap = [method for method in lab_methods() if lines[method][4].startswith("yes")]
    assert {"rope", "t5", "alibi"} <= set(without_gap) and not any(works(method, both[0]) for method in ("rope", "t5", "alibi"))
    yield "RoPE, T5 and ALiBi have a shift gap of 0 and fail at copying 3 back"
    assert [method for method in lab_methods() if lines[method][5] == "no"] == ["learned"]
    assert [method for method in lab_methods() if works(method, both[0]) and works(method, both[1])] == ["shaw"]
    yield "nine of ten are defined, one works in both tasks"
    learned = {method: int(lines[method][2].replace(",", "").replace("none", "0")) for method in lab_methods()}
    assert max(learned, key=lambda method: learned[method]) == "learned"
    wishes = text[text.index("## What this encoding keeps") :].splitlines()
    for method in lab_methods():
        counts = [int((lab.by_length(rows, run, method)[128] >= lab.RELIABLE).sum()) for run in both]
        (wish,) = (line for line in wishes if line.startswith(f"| {method} |"))
        assert ("no entry" if method == "learned" else f"{counts[0]} and {counts[1]} of 8") in wish, method
    yield f"but {(lab.by_length(rows, both[0], 'rope')[32] >= lab.RELIABLE).sum()} of 8 at twice the length"


@lesson
def grids(m: Any) -> Sentences:
    side = 224 // 16
    where = m.grid_positions(side, side)
    yield f"with patches of 16 × 16 pixels is a grid of {side} × {side} = {len(where)} tokens"
    below = np.flatnonzero((where == where[0] + [1, 0]).all(axis=1))[0]
    yield f"In the flattened sequence it stands {below} positions later"
    yield f"In the image they are {where[side - 1, 1] - where[side, 1]} columns apart"
    wide = m.grid_positions(3, 20)
    yield f"the patch below stands {np.flatnonzero((wide == [1, 0]).all(axis=1))[0]} positions later, not {below}"

    qwen2, qwen3 = m.mrope_frequencies(128, (16, 24, 24), 1e6), m.mrope_frequencies(128, (24, 20, 20), 1e6, interleaved=True)
    yield f"its fastest width pair rotates by {qwen2[:, 2].max():.5f} radians. The fastest time pair rotates by {short(qwen2[:, 0].max())} radian"
    yield f"the fastest width pair rotates by {qwen3[:, 2].max():.2f} radians per column"

    row, mixed = np.array([[1.0, 0, 1, 0]]), [[1, -1], [1, 1]]
    keys = [(0, 0), (3, 0), (0, 3), (3, 3)]
    yield f"| key at | {' | '.join(map(str, keys))} |"
    scores = {name: m.grid_scores(row, np.repeat(row, 4, axis=0), [(0, 0)], keys, matrix)[0]
              for name, matrix in (("axial", m.axial_frequencies(4)), ("mixed", mixed))}  # fmt: skip
    for name, values in scores.items():
        yield f"| {name} | {' | '.join(d(value, 3) for value in values)} |"
    axial = scores["axial"]
    assert math.isclose(axial[0] + axial[3], axial[1] + axial[2])
    assert np.allclose(axial, [(math.cos(y) + math.cos(x)) / 2 for y, x in keys])
    assert np.allclose(scores["mixed"], [(math.cos(y - x) + math.cos(y + x)) / 2 for y, x in keys])
    yield f"the first and the last number sum to {axial[0] + axial[3]:.3f}, and so do the two in the middle"

    three = np.array([[0.0], [6], [12]])
    yield f"Three cells hold {', '.join(map(short, three[:, 0]))}"
    yield f"is {', '.join(d((j + 0.5) * 3 / 5 - 0.5, 1).replace('.0', '') for j in range(5))}. The first becomes 0, the last becomes 2"
    stretched, aligned = m.resize_grid(three, (1, 3), (1, 5))[:, 0], np.interp(np.linspace(0, 2, 5), [0, 1, 2], three[:, 0])
    yield f"The new cells are {', '.join(short(round(value, 6)) for value in stretched)}. If the corners"
    yield f"they would be {', '.join(map(short, aligned))}."
    yield f"the values differ: {short(round(stretched[1], 6))} and {short(aligned[1])} in the example by hand"

    sequence = m.mrope_positions([3, (1, 2, 4), 2])
    rows = {"text": sequence[:3], "image, first row": sequence[3:7], "image, second row": sequence[7:11]}
    for name, cells in rows.items():
        yield f"| {name} | {', '.join(map(point, cells))} |"
    yield f"| text | {', '.join(map(point, sequence[11:]))} |"
    yield f"The largest coordinate of the image is {sequence[3:11].max()}, so the text goes on at {sequence[11, 0]}"
    yield f"There are {len(sequence)} tokens, and the next one stands at {m.next_position(sequence)}"
    after = m.mrope_positions([100, (1, side, side), 1])
    yield f"has coordinates from {after[100:-1].min()} to {after[100:-1].max()}"
    yield f"The text after it goes on at {after[-1, 0]}, not at {len(after) - 1}"
    video = m.mrope_positions([2, (5, 2, 3), 1])
    yield f"a video of 5 × 2 × 3 cells that starts at 2: there the next text starts at {2 + max(2, 3)}, and here at {video[-1, 0]}"

    pairs = [np.flatnonzero(column) for column in m.mrope_frequencies(64, (8, 12, 12), interleaved=True).T]
    counts = [len(one) for one in pairs]
    assert sum(counts) == 32 and pairs[1][-1] == 31
    yield f"$i \\bmod 3 = 1$ below {3 * 12}. But there are only {sum(counts)} pairs"
    yield f"{pairs[1][0]}, {pairs[1][1]}, …, {pairs[1][-1]} are {counts[1]} pairs, not 12. In the same way $w$ gets {counts[2]} pairs"
    yield f"So $t$ gets {counts[0]} pairs, not 8"
    alternating = m.alternating_frequencies(64).max(axis=0)
    yield f"the fastest pair of $y$ has frequency {short(alternating[0])}, the fastest pair of $x$ has {alternating[1]:.3f}"


@lesson
def modern(m: Any) -> Sentences:
    step = m.first_token_share(1002)[1000] - m.first_token_share(1002)[1001]
    assert round(step * 1e6) == 1
    yield "Between positions 1000 and 1001 the share changes by about one millionth"
    bases = [f"{base:,.0f}" for base in (m.layer_bases(6, 6)[0], m.layer_bases(6, 6)[5])]
    yield f"five local layers with base {bases[0]} and then one global layer with base {bases[1]}"
    assert np.flatnonzero(m.layer_bases(6, 6) == 1e6).tolist() == [5]

    yield f"Token 0 gets the weight 0.25. Then $1/0.25 - 1 = {short(m.position_from_share(0.25))}$: this is position 3"
    seen = [np.flatnonzero(mask(1, 6, size)[0]).tolist() for mask, size in ((m.sliding_window_mask, 3), (m.chunk_mask, 4))]
    yield f"With a window of 3 it sees the keys {seen[0][0]}, {seen[0][1]} and {seen[0][2]}. With chunks of 4"
    yield f"so it sees {seen[1][0]} and {seen[1][1]}."
    yield f"$\\theta = {point(m.p_rope_frequencies(4, 1))}$"
    yield f"frequencies are ${point(m.p_rope_frequencies(4, 0.5))}$"
    assert m.p_rope_frequencies(2, 1)[0] == m.p_rope_frequencies(4, 0.5)[0]
    halves = point(m.p_rope_frequencies(8, 0.5)), point(m.p_rope_frequencies(4, 1))
    yield f"p-RoPE has ${halves[0]}$, partial RoPE has ${halves[1]}$"
    one = [[[1.0, 0.0]]]
    score = m.decoupled_scores(one, one, one, one[0], [3], [1]).item()
    yield f"$\\cos(3 - 1) = {tex(math.cos(2), 4)}$. The score is $(1 - {-math.cos(2):.4f})/\\sqrt 4 = {tex(score, 4)}$"
    kept = m.kept_tokens(9, 2, 3)
    yield f"tokens {', '.join(map(str, kept))} stay. To close the gap the last three move from positions {', '.join(map(str, kept[2:]))} to"
    yield f"2, 3, 4, so the offset is {short(2 - kept[2])}"
    blocks = (np.arange(6) // 4).tolist()
    yield f"np.arange(6) // 4 # {blocks}: the block of each position"

    factors = m.temperature([8190, 8191, 999_999])
    assert factors[0] == 1
    yield f"the first step is at position 8191. The factor is {factors[1]:.2f} there, and {factors[2]:.2f} at position 999,999"
    scale = float(m.log_n_scale(32767, 2048))
    weights = [math.exp(10 * by) / (math.exp(10 * by) + keys - 1) for keys, by in ((2048, 1), (32768, 1), (32768, scale))]
    yield f"With 2048 keys its weight is {weights[0]:.2f}. With 32,768 keys it is {weights[1]:.2f}."
    yield f"$\\ln 32768 / \\ln 2048 = {ratio(scale)}$, and the weight is {weights[2]:.2f}."
    assert m.log_n_scale(2047, 2048) == 1

    some, every = m.p_rope_frequencies(512, 0.25, 1e6), m.p_rope_frequencies(512, 1, 1e6)
    rotating = np.flatnonzero(some)
    yield f"In a head of 512 features {len(rotating)} of {len(some)} pairs rotate"
    yield f"The slowest of them needs {2 * math.pi / some[rotating[-1]]:.0f} positions for a full turn"
    yield f"With all pairs it would be {2 * math.pi / every[-1]:,.0f}."
    yield f"keeps 512 + 64 = {512 + 64} numbers per token and layer. With ordinary heads it would be 2 · 128 · 128 = {2 * 128 * 128:,}"
    window = m.sliding_window_mask(2, 4, 2)
    yield f"mask = (p - 2 < j) & (j <= p) # {window.tolist()}"
    yield "torch.view_as_real(pairs * turn).flatten(-2) # [[0.5403, 0.8415, 0.99995, 0.0099998]]"
    assert np.allclose(m.shift_keys([[1.0, 0, 1, 0]], 1), [[0.5403, 0.8415, 0.99995, 0.0099998]], atol=5e-5)
    yield from _schedules()


def _schedules() -> Sentences:
    """What the run of lesson 11 left. Its tables are compared in `test_modern_lab.py`."""
    rows = layers.saved()
    copying, passkey = layers.TASKS
    none, second, every = layers.SCHEDULES

    def found(task: str, schedule: str, length: int) -> np.ndarray:
        return layers.accuracies(rows, task, schedule)[length]

    def mean(task: str, schedule: str, length: int) -> str:
        return f"{found(task, schedule, length).mean():.2f}"

    def reliable(task: str, schedule: str, length: int) -> int:
        return int((found(task, schedule, length) >= layers.RELIABLE).sum())

    words = {1: "one", 3: "three", 4: "four", 5: "five"}
    assert len(layers.SEEDS) == 5
    yield f"Each layer has one head and a small network of {layers.HIDDEN} units per token, and the model has {layers.WIDTH} features"
    yield f"at each of the last {layers.TASKS[copying].last} positions, name the token that stands {layers.BACK} positions back"
    yield f"{layers.VOCABULARY} tokens to choose from, so a guess is right once in 16 times ({1 / layers.VOCABULARY:.2f})"
    yield f"Training takes {layers.STEPS:,} steps of {layers.BATCH} texts"
    yield f"how many of the five seeds are reliable, that is, reach {layers.RELIABLE:g}"
    assert (found(copying, none, 16) > 0.995).all()
    yield "All five seeds copy without an error at 16 tokens"
    yield f"one layer without an encoding reached {lab.by_length(lab.saved(), 'copy 3 back', 'none')[16].mean():.2f}"
    yield f"At 20 tokens the accuracy is {mean(copying, none, 20)}, at 32 it is {mean(copying, none, 32)}"
    yield f"reliable to 24 tokens with {words[reliable(passkey, none, 24)]} of five seeds"
    assert reliable(passkey, every, 32) == 0
    yield f"On the passkey task {words[reliable(passkey, second, 32)]} of five seeds are reliable to 32 tokens; with"
    yield f"At 128 tokens the means are {mean(passkey, second, 128)} (every second layer) and {mean(passkey, every, 128)} (every layer)"
    assert reliable(copying, second, 24) == reliable(copying, every, 24)
    yield f"both schedules are reliable at 24 tokens with {words[reliable(copying, second, 24)]} of five seeds; at 64"
    yield f"tokens the means are {mean(copying, second, 64)} and {mean(copying, every, 64)}"
    assert reliable(copying, second, 48) == reliable(copying, every, 48) == 1
    spreads = [f"{found(copying, schedule, 48).std(ddof=1):.2f}" for schedule in (second, every)]
    yield (
        f"the means are {mean(copying, second, 48)} and {mean(copying, every, 48)} with standard deviations of {spreads[0]} and "
        f"{spreads[1]}. And nothing here is reliable at 128 tokens"
    )
    assert not any(reliable(task, schedule, 128) for task in layers.TASKS for schedule in layers.SCHEDULES)
    ends = {schedule: [max(layers.reliable_up_to(rows, task, schedule)) for task in layers.TASKS] for schedule in layers.SCHEDULES}
    assert max(ends[none]) == 24
    assert ends[every] == [48, 24] and ends[second] == [48, 48]


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
        "position_that_leaves_one_percent": np.argmax(np.isclose(1 / m.add_integer_positions(np.ones((200, 1)))[:, 0], 0.01)),
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
    interleaved, half = m.interleaved_to_half(m.apply_rope(x, places)), m.apply_rope_half(m.interleaved_to_half(x), places)
    return {
        "score_change_when_all_shift_by_5": np.abs(shifted - scores).max().round(9),
        "rotates_values": not np.allclose(alone, x[:1] @ weights[2]),
        "extra_parameters": 0,
        "score_m1_n3_equals_m3_n5": math.isclose(first, second),
        "half_layout_is_a_bug": not np.allclose(interleaved, half),
        # A single pair has θ = 1, so position · π/4 makes it π/4.
        "score_at_half_a_rotation": m.rope_scores([[1, 0]], [[1, 0]], [10 * math.pi / 4], [14 * math.pi / 4])[0, 0],
        "last_pair_with_a_full_rotation_in_8192": np.flatnonzero(8192 * m.rope_frequencies(128) >= 2 * math.pi)[-1],
        "first_position_float16_cannot_hold": next(n for n in range(4096) if float(np.float16(n)) != n),
        "numbers_in_the_cache_at_8192": 32 * sum(_cache_size(m, heads=8, head_dim=128, tokens=2)) // 2 * 8192,
        "trained_numbers_in_a_buffer": 0,
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
    known = {method: lab.draw_parameters(method, lab.Setting(), 0) | lab.Setting().constants() for method in m.METHODS}
    weights = np.random.default_rng(1).normal(size=(3, 32, 32))
    without_gap = [method for method in m.METHODS if m.shift_gap(method, *weights, known[method], 16) < 1e-9]
    counts = {method: m.learned_parameters(method, known[method]) for method in m.METHODS}
    rows = lab.saved()
    runs_longer = {method: lab.by_length(rows, "copy 3 back", method)[128].mean() >= lab.RELIABLE for method in m.METHODS}
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
    return {
        "tokens_of_a_16_by_16_image": len(m.grid_positions(16, 16)),
        "position_of_text_after_it": m.mrope_positions([(1, 16, 16), 1])[-1, 0],
        "text_under_mrope_is_plain_rope": np.allclose(m.apply_rope_nd(x, text, theta), plain),
        "axial_rope_sees_diagonals_in_one_pair": bool((np.count_nonzero(m.axial_frequencies(64), axis=1) > 1).any()),
    }


@asked_in("modern")
def layers_and_shares(m: Any) -> dict[str, Any]:
    counted = m.position_from_share(m.first_token_share(50))
    return {
        "rope_layers_of_36_with_interval_4": m.rope_layers(36, 4).sum(),
        "causal_attention_without_encoding_counts": np.allclose(counted, np.arange(50)),
        "share_of_first_token_at_position_9": m.first_token_share(10)[9],
        "p_rope_keeps_the_fastest_pair": m.p_rope_frequencies(64, 0.25)[0] == m.p_rope_frequencies(64, 1)[0],
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
