"""Every number of the lesson `attention`, and what its questions ask."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, point, ratio, short, some_features


def test_the_numbers_of_the_lesson() -> None:
    assert missing("attention", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("attention", answers) == []


def numbers(m: Any) -> Sentences:
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


def answers(m: Any) -> dict[str, Any]:
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
