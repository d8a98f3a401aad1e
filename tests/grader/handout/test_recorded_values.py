"""Recorded values are current up to the last digits, which differ between processors, and nothing else."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.handout import stubs
from autograder.hints.recorded import decoded
from autograder.protocol import codec

SINUSOIDAL = course.find("sinusoidal")


def changed(recorded: Any, factor: float) -> Any:
    """Every number in a recorded file, a little or much larger."""
    if isinstance(recorded, dict):
        return {key: changed(value, factor) for key, value in recorded.items()}
    if isinstance(recorded, list):
        return [changed(value, factor) for value in recorded]
    if isinstance(recorded, str):
        try:
            value = decoded(recorded)
        except ValueError:
            return recorded
        if type(value) is np.ndarray and value.dtype == np.float64:
            return base64.b64encode(codec.encode(value * factor)).decode("ascii")
    return recorded


@pytest.mark.parametrize("off, current", [(0, True), (1e-9, True), (1e-7, True), (1e-4, False), (1, False)])
def test_numbers_count_up_to_what_differs_between_processors(off: float, current: bool) -> None:
    golden = SINUSOIDAL.golden_values.read_text("utf-8")
    other = json.dumps(changed(json.loads(golden), 1 + off), indent=1, ensure_ascii=False) + "\n"
    assert (other == golden) is (off == 0)
    assert stubs.agree(other, golden) is current and stubs.agree(golden, other) is current


@pytest.mark.parametrize("old, new", [(": 0.", ": 1."), ("Your", "My"), ('"function"', '"functions"')])
def test_another_mark_hint_or_key_is_not_current(old: str, new: str) -> None:
    golden = SINUSOIDAL.golden_values.read_text("utf-8")
    assert old in golden and not stubs.agree(golden.replace(old, new), golden)
