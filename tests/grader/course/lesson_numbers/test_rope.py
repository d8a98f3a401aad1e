"""Every number of the lesson `rope`, and what its questions ask."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, short, some_features, tex


def test_the_numbers_of_the_lesson() -> None:
    assert missing("rope", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("rope", answers) == []


def numbers(m: Any) -> Sentences:
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
    yield f"$\\theta_1 = 10000^{{-2/64}} = {partial:.3f}$, not $10000^{{-2/256}} = {full:.3f}$"
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
    heads = [[f"[{row(values).replace('−', '-')}]" for values in head] for head in cache_k]
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


def answers(m: Any) -> dict[str, Any]:
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
