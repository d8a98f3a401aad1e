"""Checks of the entries in ANSWERS, and messages that a student's machine can show without the graded answers.

In the handout, `questions.json` lists the form of each answer, and the answers to practice questions.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.checks.value_text import plain_scalar, value_text
from autograder.protocol.call import ANSWERS

FORM_BY_TYPE = {bool: "yes or no", int: "a whole number", float: "a number", str: "a word"}
"""The form of an answer, as stated in the handout, for each type of right answer."""

HOW_TO_WRITE_BY_FORM = {"yes or no": "True or False", "a word": "a word in quotes"}
"""Words for the value as written in Python, for each form whose name does not say it."""

ANSWER_TOLERANCE = 1e-4
"""Relative tolerance, which allows answers to be rounded to five significant digits unless they are whole numbers."""

TOO_FEW_DIGITS = "right so far, but needs five digits"
"""Message for a number with correct digits, but too few of them."""


def form_of_right_answer(right: bool | int | float | str) -> str:
    """Return the form of a right answer."""
    return FORM_BY_TYPE[type(plain_scalar(right))]


def form_errors(answers: object, forms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the key of each entry that cannot be right, and a message with the reason.

    `forms` gives each answer's form.
    """
    if not isinstance(answers, dict):
        yield ANSWERS, "ANSWERS is not a dict of answers: keep it as in the handout, and fill in the values"
        return
    yield from ((str(key), f"{key} is not a question in this lesson") for key in answers if key not in forms)
    for key, form in forms.items():
        if key not in answers:
            yield ANSWERS, f"{key} is missing: add its line to ANSWERS again"
        elif answers[key] is not None and (error := form_error(answers[key], form)):
            yield key, f"{key}: {error}"


def form_error(answer: Any, form: str) -> str:
    """Return a message that names the required form if an answer has a different one; otherwise, an empty string."""
    if _has_form(answer, form):
        return ""
    unquoted = ", without quotes," if type(answer) is str and form != FORM_BY_TYPE[str] else ""
    return f"write {HOW_TO_WRITE_BY_FORM.get(form, form)}{unquoted} instead of {value_text(answer)}"


def _has_form(answer: Any, form: str) -> bool:
    answer = plain_scalar(answer)
    if type(answer) not in (int, float):
        return FORM_BY_TYPE.get(type(answer)) == form
    return math.isfinite(answer) and (
        form == FORM_BY_TYPE[float] or (form == FORM_BY_TYPE[int] and answer == int(answer))
    )


def practice_results(answers: Any, practice: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[bool, str]]:
    """Yield whether the answer is right, and a message, for each practice question answered in the right form.

    The message gives the reason only if the answer is right. `practice` contains, for each key, the right
    `value` and the `reason`.
    """
    for key, question in practice.items():
        answer, expected = plain_scalar(answers.get(key)), question["value"]
        if answer is None or not _has_form(answer, form_of_right_answer(expected)):
            continue
        if answer_matches(answer, expected):
            yield True, f"{key} is right" + (f": {question['reason']}" if question["reason"] else "")
        elif lacks_digits(answer, expected):
            yield False, f"{key} is {TOO_FEW_DIGITS}"
        elif type(expected) in (bool, str):
            yield False, f"{key} is not right"
        else:
            yield False, f"{key} is too {'small' if answer < expected else 'large'}"


def answer_matches(actual: Any, expected: Any, tolerance: float = ANSWER_TOLERANCE) -> bool:
    """Return True if an entry of ANSWERS is right."""
    actual = plain_scalar(actual)
    if type(expected) in (bool, str) or type(actual) not in (int, float):
        return type(actual) is type(expected) and bool(
            actual.strip() == expected if type(expected) is str else actual == expected
        )
    allowed = 0.0 if type(expected) is int else tolerance * abs(expected)
    return bool(abs(actual - expected) <= allowed)


def lacks_digits(actual: Any, expected: Any) -> bool:
    """Return True if `actual` is the correct number rounded or truncated to two to four digits."""
    actual = plain_scalar(actual)
    if type(expected) is not float or type(actual) is not float or not math.isfinite(actual):
        return False
    _, digits, exponent = decimal.Decimal(repr(actual)).normalize().as_tuple()
    return 2 <= len(digits) <= 4 and abs(actual - expected) < 10.0 ** int(exponent)
