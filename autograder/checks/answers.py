"""The entries of ANSWERS: whether one is right, and what can be said at home, where no graded answer is.

The handout has the form of each answer (`left_open.json`), and the answers of the questions for practice.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

YES_OR_NO, NUMBER, WORD = "yes or no", "a number", "a word"
"""The forms of an answer."""

DIGITS = 5
"""Right digits that are asked of a number which is not whole."""

ANSWER_TOLERANCE = 1e-4
"""Relative: an answer that is not a whole number may be rounded to five digits, zeros in front not counted."""


@dataclass(frozen=True)
class Practice:
    """A question without points: its right answer, and why."""

    value: Any
    reason: str

    @property
    def sentence(self) -> str:
        """The answer with its reason."""
        value = f"{self.value:.6g}" if isinstance(self.value, float) else str(self.value)
        return f"{value}: {self.reason}" if self.reason else value


def form(value: object) -> str:
    """The form of a right answer."""
    return YES_OR_NO if isinstance(value, bool) else WORD if isinstance(value, str) else NUMBER


def faults(answers: object, forms: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each entry that cannot be right, whatever the question is. `forms`: key → form of its answer."""
    if not isinstance(answers, dict):
        yield "ANSWERS is not a dict of answers: keep it as the handout has it, and fill in the values"
        return
    missing = [key for key in forms if key not in answers]
    for key in (key for key in answers if key not in forms):
        meant = difflib.get_close_matches(str(key), missing, n=1)
        yield f"{key} is no question of this lesson" + (f": {meant[0]} is missing" if meant else "")
        missing = [other for other in missing if other not in meant]
    yield from (f"{key} is missing: take the line from the handout again" for key in missing)
    for key, wanted in forms.items():
        if answers.get(key) is not None and (fault := _fault(answers[key], wanted)):
            yield f"{key}: {fault}"


def _fault(given: Any, wanted: str) -> str | None:
    """Why an answer does not have the form that is wanted; None where it has."""
    given = plain_scalar(given)
    if type(given) not in (bool, int, float, str):
        return f"wanted {wanted}, got {type(given).__name__}"
    if form(given) != wanted:
        cure = {YES_OR_NO: "write True or False", NUMBER: "write a number, without quotes,", WORD: "write a word, in quotes,"}[wanted]
        return f"{cure} instead of {given!r}"
    if type(given) is float and not math.isfinite(given):
        return f"{given} is no answer"
    if type(given) is float and not given.is_integer() and float(f"{given:.{DIGITS - 1}g}") == given:
        return f"{given} has fewer than {DIGITS} digits: too few where it is rounded (an expression is an answer, too)"
    return None


def practised(answers: object, practice: Mapping[str, Practice]) -> Iterator[tuple[str, bool, Practice]]:
    """Of each practice question that has an answer of the right form: its key, whether the answer is right, and what is right."""
    for key, question in practice.items():
        given = answers.get(key) if isinstance(answers, dict) else None
        if given is not None and _fault(given, form(question.value)) is None:
            yield key, is_answer(given, question.value), question


def is_answer(got: Any, wanted: Any) -> bool:
    """Whether an entry of ANSWERS is the right one."""
    got = plain_scalar(got)
    if type(wanted) in (bool, str) or type(got) in (bool, str):
        return type(got) is type(wanted) and (got == wanted if type(wanted) is bool else got.strip() == wanted)
    if type(got) not in (int, float):
        return False
    allowed = 0.0 if type(wanted) is int else ANSWER_TOLERANCE * abs(wanted)
    return bool(abs(got - wanted) <= allowed)


def plain_scalar(value: Any) -> Any:
    """A number of numpy's as one of Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) or (type(value) is np.ndarray and value.ndim == 0) else value
