"""The quiz of the lessons: every number that a lesson states and that can be computed is computed from the solutions.

For each lesson a file of `tests/grader/course/lesson_numbers` writes its sentences anew, as far as they hold a number.
A sentence that no longer stands in the lesson in these words, or with these digits, fails: fix whichever of the two is
wrong. What the lesson asks and does not say is computed as well.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.hints import catalogue

Sentences = Iterator[str]
CLEAR = 0.05
"""from which p on the lessons call a difference clear"""


def missing(name: str, numbers: Callable[[Any], Sentences]) -> list[str]:
    """The sentences that do not stand in a lesson, written with its solution."""
    text = _plain(course.find(name).lesson.read_text("utf-8"))
    return [sentence for sentence in numbers(solution(name)) if _plain(sentence) not in text]


def differing(name: str, answers: Callable[[Any], dict[str, Any]]) -> list[str]:
    """The questions whose answer is another than what the functions say, or that only one of the two knows."""
    right, computed = solution(name).ANSWERS, answers(solution(name))
    both = right.keys() & computed.keys()
    return sorted((right.keys() ^ computed.keys()) | {key for key in both if not _same(right[key], computed[key])})


def _same(answer: Any, computed: Any) -> bool:
    if isinstance(answer, bool) != isinstance(computed, bool | np.bool_):
        return False
    if isinstance(answer, str):
        return bool(answer == computed)
    return float(answer) == pytest.approx(float(computed), rel=1e-12)


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


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def some_features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 4))
