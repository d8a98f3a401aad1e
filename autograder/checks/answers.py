"""The entries of ANSWERS: whether one is right, and what can be said at home, where no graded answer is.

The handout has the form of each answer (`questions.json`), and the answers of the questions for practice.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.protocol.call import ANSWERS

YES_OR_NO, WHOLE_NUMBER, NUMBER, WORD = "yes or no", "a whole number", "a number", "a word"
"""The forms of an answer."""

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
    if isinstance(value, bool | str):
        return YES_OR_NO if isinstance(value, bool) else WORD
    return WHOLE_NUMBER if isinstance(value, int) else NUMBER


def faults(answers: object, forms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each entry that cannot be right, whatever the question is: its key, and a sentence. `forms`: key → form of its
    answer."""
    if not isinstance(answers, dict):
        yield ANSWERS, "ANSWERS is not a dict of answers: keep it as the handout has it, and fill in the values"
        return
    missing = [key for key in forms if key not in answers]
    for key in (key for key in answers if key not in forms):
        meant = difflib.get_close_matches(str(key), missing, n=1)
        yield str(key), f"{key} is no question of this lesson" + (f": {meant[0]} is missing" if meant else "")
        missing = [other for other in missing if other not in meant]
    yield from ((ANSWERS, f"{key} is missing: take the line from the handout again") for key in missing)
    for key, wanted in forms.items():
        if answers.get(key) is not None and (fault := _fault(answers[key], wanted)):
            yield key, f"{key}: {fault}"


def _fault(given: Any, wanted: str) -> str | None:
    """Why an answer does not have the form that is wanted; None where it has."""
    given = plain_scalar(given)
    if type(given) not in (bool, int, float, str):
        return f"wanted {wanted}, got {type(given).__name__}"
    if type(given) is float and not math.isfinite(given):
        return f"{given} is no answer"
    is_number, whole = type(given) in (int, float), type(given) is int or (type(given) is float and given.is_integer())
    if not {YES_OR_NO: type(given) is bool, WORD: type(given) is str, NUMBER: is_number, WHOLE_NUMBER: whole}[wanted]:
        return f"{_CURES[wanted]} instead of {given!r}"
    return None


_CURES = {
    YES_OR_NO: "write True or False",
    WHOLE_NUMBER: "write a whole number, without quotes,",
    NUMBER: "write a number, without quotes,",
    WORD: "write a word, in quotes,",
}


def practised(answers: object, practice: Mapping[str, Practice]) -> Iterator[tuple[str, str, Practice]]:
    """Of each practice question that has an answer of the right form: its key, a verdict, and what is right."""
    for key, question in practice.items():
        given = answers.get(key) if isinstance(answers, dict) else None
        if given is not None and _fault(given, form(question.value)) is None:
            yield key, verdict(given, question.value), question


def verdict(given: Any, right: Any) -> str:
    """Whether an answer is right, or a number too small or too large."""
    if is_answer(given, right):
        return "right"
    are_numbers = type(plain_scalar(given)) in (int, float) and type(right) in (int, float)
    return f"your number is too {'small' if given < right else 'large'}" if are_numbers else "not right"


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
