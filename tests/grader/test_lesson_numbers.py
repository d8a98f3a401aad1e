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

from assignments.extrapolation import lab
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
    yield f"with $d = 64$ its standard deviation is {math.isqrt(64)}"
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
    yield f"a difference of {short(shorter[1])} means \"the next token\""
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
    yield f"no training sequence was longer than 128, rows {np.flatnonzero(~used)[0]} to {np.flatnonzero(~used)[-1]} exist"
    yield f"with $\\sigma = {short(round(float(m.init_table(2000, 100, seed=0).std()), 3))}$"

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
    yield f"so the rows are {', '.join(row(one) for one in stretched)}. Both ends"
    yield f"BERT-base has 512 × 768 = {m.init_table(512, 768, seed=0).size:,}."
    share = np.flatnonzero(m.trained_rows(512, [128])).size / 512
    assert share == 1 / 4
    yield "Until then three quarters of the table had learned nothing"

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
    right = [m.apply_rope([x], [p])[0] @ m.apply_rope([x], [n])[0] for p, n in pairs]
    yield f"| score, either layout done right | {' | '.join(d(value, 4) for value in right)} |"
    yield f"| score, mixture | {' | '.join(d(mixed(x, p) @ mixed(x, n), 4) for p, n in pairs)} |"
    yield f"at position 11 the row of length 1 has length {np.linalg.norm(mixed(x, 11)):.2f}"
    yield f"$\\theta = ({short(m.rope_frequencies(4)[0])}, {short(m.rope_frequencies(4)[1])})$"

    q, k = np.array([2.0, 1.0]), np.array([1.0, 3.0])
    yield f"$q_0 k_0 + q_1 k_1 = {short(q @ k)}$ and $q_1 k_0 - q_0 k_1 = 1 - 6 = {tex(q[1] * k[0] - q[0] * k[1], 0)}$"

    def turned(row: np.ndarray, position: int) -> np.ndarray:
        return np.asarray(m.apply_rope([row], [position])[0])

    def tip(row: np.ndarray) -> str:
        return f"({tex(row[0], 4)}, {tex(row[1], 4)})"

    q2, k3 = turned(q, 2), turned(k, 3)
    yield f"- \\sin 2, 2 \\sin 2 + \\cos 2) = {tip(q2)}$"
    yield f"- 3 \\sin 3, \\sin 3 + 3 \\cos 3) = {tip(k3)}$"
    by_hand = q2.round(4) * k3.round(4)  # from the digits on the page, as a reader with a calculator does it
    yield f"dot product: ${tex(by_hand[0], 4)} - {tex(-by_hand[1], 4)} = {tex(q2 @ k3, 4)}$"
    q7, k8 = turned(q, 7), turned(k, 8)
    yield f"$R_7 q = {tip(q7)}$ and $R_8 k = {tip(k8)}$, and the dot product is again ${tex(q7 @ k8, 4)}$"
    assert math.isclose(q7 @ k8, 5 * math.cos(1) - 5 * math.sin(1))
    yield f"at 3, key at 2: $5 \\cos 1 + 5 \\sin 1 = {tex(turned(q, 3) @ turned(k, 2), 4)}$"

    theta = m.rope_frequencies(128)
    yield f"with $i/d$ the slowest pair of a head of 128 would turn {10000 ** (-63 / 128) / theta[63]:.0f} times too fast"

    def bfloat16(numbers: np.ndarray) -> np.ndarray:
        """Rounded to 8 significant bits, half to even."""
        fraction, exponent = np.frexp(numbers)
        return np.ldexp(np.rint(fraction * 2**8) / 2**8, exponent)

    assert bfloat16(np.array(257.0)) == 256
    left = len(np.unique(bfloat16(np.arange(4096.0))))
    yield f"of the positions 0 … 4095, {left} different values are left"
    assert np.array_equal(np.float16(np.arange(2049)), np.arange(2049)) and float(np.float16(2049)) != 2049
    half = np.float16(m.rope_frequencies(32))
    product = np.float16(1857) * half[1]
    angle = 1857 * m.rope_frequencies(32)[1]
    yield (
        f"with $d = 32$, position 1857 and pair 1, the angle {angle:.3f} becomes {float(product):g}, "
        f"and its cosine {d(math.cos(product), 3)} where it should be {math.cos(angle):.3f}"
    )
    rounded = np.cos(np.multiply.outer(np.float16(np.arange(2048)), half).astype(np.float64))
    worst = np.abs(rounded - m.rope_cos_sin(np.arange(2048), 32)[0]).max()
    yield f"over the first 2048 positions the largest error of a cosine is {worst:.2f}"
    near = np.arange(10**6 - 500, 10**6 + 500)
    single = np.cos(np.multiply.outer(np.float32(near), np.float32(theta)).astype(np.float64))
    yield f"at positions near $10^6$ and $d = 128$, is off by up to {np.abs(single - m.rope_cos_sin(near, 128)[0]).max():.2f}"

    yield f"with GPT-J's 64 of 256, $\\theta_1$ is {m.rope_frequencies(64)[1]:.3f}, while a full head of 256 would have"
    yield f"would have {m.rope_frequencies(256)[1]:.3f}."
    bound = m.decay_bound(np.arange(8193), 128)
    yield f"it is {bound[0]:.1f} at offset 0, {bound[100]:.1f} at 100 and {bound[1000]:.1f} at 1000"
    rises = np.flatnonzero(np.diff(bound) > 0)[0]
    yield f"from offset {rises} to {rises + 1} it rises for the first time"
    yield f"between 2048 and 8192 it comes up to {bound[2048:].max():.1f}, and at 113028 to {m.decay_bound(113028, 128):.1f}"
    assert np.allclose(m.decay_bound(np.arange(100), 2), 1)
    yield "For $d = 2$ it is 1 at every offset"
    row = np.random.default_rng(0).normal(size=(1, 128))
    back = np.arange(400)
    scores = m.rope_scores(row, np.repeat(m.apply_rope(row, [50]), 400, axis=0), [0], -back)[0]
    assert scores.argmax() == 50 and math.isclose(scores.max(), (row**2).sum() / math.sqrt(128))
    yield "the key $k = R_{50} q$ scores highest exactly 50 places back, at the full $|q|^2/\\sqrt d$"
    yield f"pair 63 of a head of 128 turns once in {2 * math.pi / theta[63]:.0f} positions"
    yield f"in a training text of 4096 tokens it sees angles up to {4095 * theta[63]:.2f} radians"


@lesson
def relative(m: Any) -> Sentences:
    rows = np.array([[0.0, 2, 0, 0], [1, 0, 0, 0], [-1, 0, 0, 0]])
    q, k = np.tile([2.0, 2, 0, 0], (3, 1)), np.tile([1.0, 1, 0, 0], (3, 1))
    yield f"$q \\cdot k = {short(q[0] @ k[0])}$ everywhere"
    with_rows = q[0] @ rows.T
    yield (
        f"$q \\cdot a_{{-1}} = {tex(with_rows[0], 0)}$, $q \\cdot a_0 = {tex(with_rows[1], 0)}$, "
        f"$q \\cdot a_{{+1}} = {tex(with_rows[2], 0)}$"
    )
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
    opens = next(n for n in range(2000) if bucket(n) == 7)
    yield f"the last one opens at {opens}, half of `max_distance`"
    assert opens == 64 // 2

    distances = np.arange(1000)
    encoder, decoder = m.t5_bucket(-distances), m.t5_bucket(-distances, bidirectional=False)
    last = [int(np.argmax(buckets == buckets.max())) for buckets in (encoder, decoder)]
    yield f"With its 32 buckets the last bucket opens at {last[0]} in the encoder and at {last[1]} in the decoder"
    one_bucket = np.flatnonzero(encoder == encoder[64])
    yield f"Between {one_bucket[0]} and {one_bucket[-1]} there is one single bucket in the encoder"
    assert np.array_equal(m.t5_bucket(distances, bidirectional=False), np.zeros(1000))
    yield "it sends the whole past to bucket 0"

    quotient, difference = math.log(8 / 4) / math.log(16 / 4) * 4, (math.log(8) - math.log(4)) / math.log(16 / 4) * 4
    yield f"The logarithm of $n/e$ gives {quotient!r} steps and bucket {bucket(8, max_distance=16)}"
    yield f"gives {difference!r} steps, which truncates to {int(difference)}, and bucket {4 + int(difference)}"


@lesson
def alibi(m: Any) -> Sentences:
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
    yield f"$n \\ge \\ln 100 / m = {math.log(100):.3f} / m$"
    yield f"For slope $1/4$ that is {math.log(100) * 4:.1f}, so distance {windows[0]} is the first"
    yield f"for $1/16$, $1/64$ and $1/256$ it is {windows[1]}, {windows[2]} and {windows[3]}"
    three = m.alibi_slopes(3)
    yield f"So the slopes are {', '.join(f'${ratio(slope)}$' for slope in three)}, in that order"
    assert sorted([*three, 1 / 64]) == sorted(four)
    yield "Were a fourth head added by the same rule, it would take $1/64$"
    bloom = m.alibi_slopes(112)
    assert np.array_equal(bloom[:64], m.alibi_slopes(64))
    yield f"The largest has 112 heads, which is not a power of two: 64 slopes and then {len(bloom) - 64} from the gaps"
    naive_slopes = 2.0 ** (-8 * np.arange(1, 7) / 6)
    yield f"For six heads $2^{{-8(h+1)/6}}$ gives {naive_slopes[0]:.3f}, {naive_slopes[1]:.3f}, {short(naive_slopes[2])}, …"
    assert not np.allclose(np.sort(naive_slopes), np.sort(m.alibi_slopes(6)))
    yield f"With $d = 64$ every slope shrinks by a factor of {math.isqrt(64)}"


@lesson
def context_extension(m: Any) -> Sentences:
    turns = m.rotations_in_context(128, 4096)
    yield f"the fastest pair goes round its circle {turns[0]:.0f} times"
    yield f"The slowest pair turns by ${360 * turns[-1]:.1f}°$ in all: it never gets past the first twelfth"
    assert turns[-1] < 1 / 12
    yield f"At eight times the length it would stand at ${360 * 8 * turns[-1]:.1f}°$"
    done, not_done = int((turns >= 1).sum()), int((turns < 1).sum())
    yield f"Of the {len(turns)} pairs, {done} complete at least one turn in training and {not_done} do not"
    yield f"It is these {not_done} that meet something new"
    yield "neighbours now stand 1/8 of a position apart"

    trained = m.longrope_frequencies(8, np.ones(4))
    yield f"The frequencies are ${', '.join(map(short, trained))}$"
    r = m.rotations_in_context(8, 1024)
    yield f"$1024\\cdot1/2\\pi = {r[0]:.2f}$"
    yield f"and each further pair makes a tenth: ${r[0]:.2f}, {r[1]:.2f}, {r[2]:.3f}, {r[3]:.3f}$"

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
    yield f"the bracket is $2\\cdot2-1 = {(dynamic / 10000) ** (6 / 8):.0f}$, and $b' = 10000\\cdot3^{{8/6}} = {dynamic:.0f}$"

    stretched = m.rotations_in_context(128, 32768, base=m.ntk_base(10000.0, 8, 128))
    yield f"pair 50 showed {turns[50]:.2f} of a turn in training and is asked for {stretched[50]:.2f} at 32,768"
    leave = int((stretched[turns < 1] > turns[turns < 1] * (1 + 1e-9)).sum())
    yield f"Of the {not_done} pairs that never completed a turn, {leave} leave the range they know"
    yield f"Half of $\\theta$ and half of $\\theta/4$ is ${(1 + 1 / 4) / 2:g}\\theta$"
    yield f"is ${(1 + 4) / 2:g}\\lambda$, which is ${2 / (1 + 4):g}\\theta$"
    high = math.ceil(64 * math.log(131072 / (2 * math.pi)) / (2 * math.log(10000)))
    clamped = m.yarn_frequencies(64, 10000.0, 4, 131072)
    low = math.floor(64 * math.log(131072 / (64 * math.pi)) / (2 * math.log(10000)))
    kept = m.longrope_frequencies(64, np.ones(32))
    assert np.allclose((kept - clamped) / (kept * 3 / 4), np.clip((np.arange(32) - low) / (high - low), 0, 1))
    yield f"with $d = 64$ and 131,072 trained tokens high is {high}, not {64 // 2 - 1}"
    scale = m.yarn_scale(128)
    yield f"An attention factor of {scale:.4f} that is taken for a multiplier of itself becomes {scale**2:.4f}"


@lesson
def extrapolation(m: Any) -> Sentences:
    frequencies = 10000.0 ** (-np.arange(0, 8, 2) / 8)

    def similar(distance: int) -> float:
        """Σ cos(ω(j − i + k)) for k = 3, d = 8 and a key this far back."""
        return float(np.cos(frequencies * (3 - distance)).sum())

    yield f"it is {similar(3):g} at distance 3, {similar(2):.2f} at distances 2 and 4, and {similar(66):.2f} at distance 66"
    assert math.isclose(similar(2), similar(4))

    accuracies = [1.0, 0.9, 0.5, 0.95]
    lengths = [16, 32, 64, 128]
    yield f"With the threshold 0.9 the longest reliable length is {m.longest_reliable_length(lengths, accuracies)}"
    yield f"the gap is $1.0 - 0.95 = {m.extrapolation_gap(lengths, accuracies, 16):.2f}$"
    assert m.extrapolation_gap(lengths, [0.1] * 4, 16) == 0
    yield "a model that scores 0.1 everywhere has a gap of 0"
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
    with_16 = lab.read(m, "t5", lab.Setting()).buckets
    assert with_16 is not None
    never = 32 - len(np.unique(with_16))
    yield f"train on 16 tokens with 32 causal buckets, and {never} of the entries still hold their initial values"
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
    yield f"It is trained for {setting.steps:,} steps of {setting.batch} texts, each of {setting.trained_length} tokens"
    yield f"{setting.texts} texts of each length, at their last {setting.trained_length - setting.back} places"
    yield f"Every number is a mean over {words[len(lab.SEEDS)]} seeds"
    yield f"right once in {setting.vocabulary} times ({1 / 16:.2f}), and its cross-entropy is $\\ln 16 = {math.log(16):.2f}$"
    yield f"The learned table has {setting.table_rows} rows, Shaw clips at {setting.max_distance}"
    yield f"T5 has its {setting.buckets} buckets"
    yield f"ALiBi's slope is {ratio(setting.slope)}"

    yield f"Rows 16 to 63 exist, were never trained, and give {mean('learned', 32)} to {mean('learned', 64)}"
    yield f"Perfect at 16, {spread('sinusoidal', 32)} at 32"
    assert mean("sinusoidal", 16) == mean("shaw", 128) == "1.00"
    yield f"put {mean('sinusoidal', 128, 'weight')} of their attention on the right key at 128"
    yield f"{mean('rope', 32)} at twice the trained length"
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
    yield f"the four highest places up to {len(waves) - 1} are {', '.join(map(str, highest[1:4]))} and {highest[4]}"
    turns = np.outer(np.array(highest[1:5]) - 3, fastest) / (2 * np.pi)
    assert np.abs(turns - np.rint(turns)).max() < 0.1

    alibi_accuracies = sorted(mean("alibi", length) for length in setting.lengths)
    yield f"{alibi_accuracies[0]} to {alibi_accuracies[-1]} at *every* length"
    yield f"the cross-entropy is {mean('alibi', 16, 'cross_entropy')} at 16 and {mean('alibi', 128, 'cross_entropy')} at 128"
    assert all(value == 1 for value in lab.by_length(rows, "copy 3 back", "shaw")[64].round(2))
    yield f"the right key keeps {mean('shaw', 128, 'weight')} of the attention at 128"
    yield f"(articles: no limit). {mean('t5', 32)}, {mean('t5', 64)}, {mean('t5', 128)}"
    untrained, wrong = looks["t5"][16:], np.delete(looks["t5"][:16], 3)
    yield f"an untrained key gets {untrained.mean() / wrong.mean():.0f} times the weight of a trained wrong one"
    yield f"together they hold {untrained.sum():.2f} of the attention, and the right key {looks['t5'][3]:.2f}"
    yield f"{mean('none', 16)} at the trained length, falling as there is more to choose from"
    yield f"Worse than nothing at all: {mean('integer', 16)}"
    yield f"{mean('normalized', 16)}, and {mean('normalized', 128)} at 128"
    yield f"{mean('binary', 16)} at 16 and {mean('binary', 32)} at 32"
    yield "the bits for 16, 32 and 64 were 0 at every place"

    one_back = "copy 1 back"
    shares = [mean("alibi", length, "weight", one_back) for length in (16, 128)]
    yield f"The right one has {shares[0]} of it at 16 and {shares[1]} at 128"
    assert (lab.by_length(rows, one_back, "integer")[16] > 0.9).sum() == 2
    yield "*Integer* learns it too, with two seeds out of eight"
    wide = "copy 3 back, 64 features"
    yield f"{mean('rope', 128, run=wide)} at 128 instead of {mean('rope', 128)}, with as wide a spread"
    longer = "copy 3 back, three times the steps"
    yield f"carries T5 from {mean('t5', 64)} to {mean('t5', 64, run=longer)} at 64 tokens"
    clipped = "copy 3 back, clipped at 16"
    shares = [mean("shaw", 128, "weight"), mean("shaw", 128, "weight", clipped)]
    yield f"the weight of the right key at 128 falls from {shares[0]} to {shares[1]}"
    losses = [mean("shaw", 128, "cross_entropy"), mean("shaw", 128, "cross_entropy", clipped)]
    yield f"the cross-entropy rises from {losses[0]} to {losses[1]}"
    gentle = "copy 3 back, slope 1/16"
    yield f"A gentler slope gives ALiBi {mean('alibi', 64, run=gentle)} at all lengths"
    assert len({mean("alibi", length, run=gentle) for length in setting.lengths}) == 1
    yield f"from {mean('alibi', 16, 'cross_entropy', gentle)} to {mean('alibi', 128, 'cross_entropy', gentle)}"
    assert (lab.by_length(rows, "copy 3 back", "rope")[64] >= 0.9).sum() == 2
    yield 'was true of two seeds out of eight at four times the length. "ALiBi'


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
    return {
        "rows_available_at_position_1024": len(table[1024:]),
        "parameters_gpt2": table.size,
        "has_built_in_distance": near.min() > far.max(),
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
    }


@asked_in("relative")
def names_of_distances(m: Any) -> dict[str, Any]:
    behind, ahead = m.t5_bucket(np.array([-10_000, -5000, -129])), m.t5_bucket(np.array([129, 5000, 10_000]))
    return {
        "shaw_rows_for_k_16": 1 + m.clip_positions(np.array(99), 16) - m.clip_positions(np.array(-99), 16),
        "t5_bucket_of_minus_1_bidirectional": m.t5_bucket(np.array(-1)),
        "t5_bucket_of_plus_1_bidirectional": m.t5_bucket(np.array(1)),
        "t5_distances_beyond_128_differ": len(set(behind)) > 1 or len(set(ahead)) > 1,
    }


@asked_in("alibi")
def slopes(m: Any) -> dict[str, Any]:
    eight = m.alibi_slopes(8)
    return {"first_slope_8_heads": eight[0], "last_slope_8_heads": eight[-1], "added_to_embeddings": False, "parameters": 0}


@asked_in("context_extension")
def longer_contexts(m: Any) -> dict[str, Any]:
    trained = m.longrope_frequencies(64, np.ones(32))
    ntk = m.longrope_frequencies(64, np.ones(32), base=m.ntk_base(10000.0, 8, 64))
    return {
        "interpolated_position_8191_factor_4": m.interpolate_positions(8191, 4),
        "ntk_keeps_fastest_frequency": ntk[0] == trained[0],
        "dynamic_ntk_changes_short_inputs": m.dynamic_ntk_base(10000.0, 64, 100, 4096, 8) != 10000.0,
        "yarn_scale_16": m.yarn_scale(16),
    }


@asked_in("extrapolation")
def the_experiment(m: Any) -> dict[str, Any]:
    x = some_features()
    with pytest.raises(ValueError, match="5"):
        m.encode("learned", x, {"table": np.zeros((5, 4))})
    # How many tokens the first one sees, and how many it sees when it has moved one place on.
    seen = np.isfinite(m.logits("none", x, x, {})).sum(axis=1)
    return {
        "learned_runs_past_its_table": False,
        "alibi_changes_the_embeddings": not np.array_equal(m.encode("alibi", x, {"slope": 0.5}), x),
        "causal_model_without_encoding_sees_order": seen[0] != seen[1],
    }


@pytest.mark.parametrize("name", WRITERS)
def test_the_answers_are_what_the_functions_say(name: str) -> None:
    module = solution(name)
    answers, found = module.ANSWERS, ASKED[name](module)
    assert answers.keys() == found.keys()
    for question, answer in answers.items():
        assert isinstance(answer, bool) == isinstance(found[question], bool | np.bool_), question
        assert float(answer) == pytest.approx(float(found[question]), rel=1e-12), question
