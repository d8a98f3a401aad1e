"""Every number of the lesson `naive`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, ratio, short


def test_the_numbers_of_the_lesson() -> None:
    assert missing("naive", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("naive", answers) == []


def numbers(m: Any) -> Sentences:
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
    normed = [(values - values.mean()) / values.std() for values in m.add_integer_positions(row)[[0, 500]]]
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


def answers(m: Any) -> dict[str, Any]:
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
