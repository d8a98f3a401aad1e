"""Recorded values are current up to what differs between processors, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograder import course
from autograder.handout import stubs
from autograder.hints.recorded import decoded
from autograder.hints.rule import fingerprint, read_mark

SINUSOIDAL = course.find("sinusoidal")
NEAR = 1e-6
"""Relative: what float32 makes of a value is nearer to it."""


@pytest.fixture(scope="module")
def golden() -> str:
    return SINUSOIDAL.golden_values.read_text("utf-8")


def marks(recorded: dict[str, Any]) -> Iterator[tuple[dict[str, str], str, bool]]:
    """The marks of each call, a number among them, and whether the mistake is one of precision that hardly shows."""
    hints = {
        (function, number): hint
        for function, groups in recorded["known"].items()
        for group in groups.values()
        for number, hint in group.items()
    }
    for calls in recorded["calls"].values():
        for call in calls:
            right = decoded(call["wanted"])
            for number, mark in list(call["mistakes"].items()):
                if mark and call["wanted"] is not None:
                    known, wanted = read_mark(mark, right), fingerprint(right)
                    is_near = known.shape == wanted.shape and all(
                        abs(total - other) < NEAR for total, other in zip(known.sums, wanted.sums, strict=True)
                    )
                    yield call["mistakes"], number, is_near and "float32" in hints[call["function"], number]


def taken_away(mistakes: dict[str, str], number: str) -> None:
    del mistakes[number]


def off_by_a_tenth(mistakes: dict[str, str], number: str) -> None:
    shape, sums = mistakes[number].split(":")
    mistakes[number] = f"{shape}: {' '.join(str(1.1 * float(total) + 0.1) for total in sums.split())}"


def refused(mistakes: dict[str, str], number: str) -> None:
    mistakes[number] = ""


def test_a_mistake_of_precision_may_show_on_one_processor_alone(golden: str) -> None:
    recorded = json.loads(golden)
    numbers = {number for _, number, is_near in marks(recorded) if is_near}
    for mistakes, number, is_near in marks(recorded):
        if is_near:
            del mistakes[number]
    left = {number for _, number, _ in marks(recorded)}
    for groups in recorded["known"].values():
        for hints in groups.values():
            for number in hints.keys() & (numbers - left):
                del hints[number]
    assert numbers and json.dumps(recorded) != json.dumps(json.loads(golden))
    assert stubs._agree(json.dumps(recorded), golden) and stubs._agree(golden, json.dumps(recorded))


@pytest.mark.parametrize("change", [taken_away, off_by_a_tenth, refused])
def test_any_other_mistake_shows_everywhere(golden: str, change: Callable[[dict[str, str], str], None]) -> None:
    count = sum(not is_near for _, _, is_near in marks(json.loads(golden)))
    for place in range(0, count, count // 10):
        recorded = json.loads(golden)
        mistakes, number, _ = [row for row in marks(recorded) if not row[2]][place]
        change(mistakes, number)
        assert not stubs._agree(json.dumps(recorded), golden)
        assert not stubs._agree(golden, json.dumps(recorded))


def test_a_mistake_that_is_hard_to_see_is_recorded_everywhere_all_the_same() -> None:
    """`base` is one too large: the values are nearly right, and no processor makes them so."""
    golden = course.find("rope").golden_values.read_text("utf-8")
    recorded = json.loads(golden)
    hints = recorded["known"]["decode_step"]["thinkable"]
    gone = next(number for number, hint in hints.items() if hint.startswith("`base` is one too large"))
    assert any(call["mistakes"].pop(gone, "") for calls in recorded["calls"].values() for call in calls)
    assert not stubs._agree(json.dumps(recorded), golden) and not stubs._agree(golden, json.dumps(recorded))
    del hints[gone]
    assert not stubs._agree(json.dumps(recorded), golden)


def test_another_hint_is_not_current(golden: str) -> None:
    recorded = json.loads(golden)
    hints = next(hints for groups in recorded["known"].values() for hints in groups.values() if hints)
    hints[next(iter(hints))] += " Really."
    assert not stubs._agree(json.dumps(recorded), golden)
