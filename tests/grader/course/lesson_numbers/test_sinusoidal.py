"""Every number of the lesson `sinusoidal`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, short


def test_the_numbers_of_the_lesson() -> None:
    assert missing("sinusoidal", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("sinusoidal", answers) == []


def numbers(m: Any) -> Sentences:
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


def answers(m: Any) -> dict[str, Any]:
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
