"""Every number of the lesson `alibi`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, ratio, short, solution


def test_the_numbers_of_the_lesson() -> None:
    assert missing("alibi", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("alibi", answers) == []


def numbers(m: Any) -> Sentences:
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


def answers(m: Any) -> dict[str, Any]:
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
