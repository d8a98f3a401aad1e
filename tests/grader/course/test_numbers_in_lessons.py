"""Tests of the numbers in lessons: the solutions confirm every number in a lesson and every answer to a question.

Each lesson has a file in `numbers_in_lessons` with a table, SENTENCES, and the names that the table uses. Each line of
the table quotes the lesson, with an expression in «» instead of each number; an indented line continues the previous
line. `<==` introduces a condition that must hold for the quotation to be true. A colon after an expression introduces a
format, as in an f-string, with `/` for a fraction. ANSWERS holds the answers to all questions.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.course import Assignment
from autograder.hints import catalogue
from tests.grader.support import numbers_in_lessons_helpers

EXPRESSION = re.compile(r"«(.+?)(?::(/|,?\.?\d*[a-z]?))?»")


@pytest.fixture
def of_the_lesson(assignment: Assignment) -> ModuleType:
    return import_module(f"{__package__}.numbers_in_lessons.{assignment.name}")


def test_the_numbers_of_the_lesson(assignment: Assignment, of_the_lesson: ModuleType) -> None:
    lesson = plain(assignment.lesson.read_text("utf-8"))
    known = vars(numbers_in_lessons_helpers) | {"math": math} | vars(of_the_lesson)
    wrong = []
    for line in re.sub(r"\n +", " ", of_the_lesson.SENTENCES.strip()).split("\n"):
        template, _, condition = line.partition(" <== ")
        sentence = filled(template, known)
        if plain(sentence) not in lesson:
            wrong.append(f"not in the lesson: {sentence}")
        if condition and not eval(condition, known):
            wrong.append(f"not true: {line}")
    assert wrong == []


def test_the_answers_are_what_the_functions_say(assignment: Assignment, of_the_lesson: ModuleType) -> None:
    right, computed = catalogue.solution(assignment).ANSWERS, of_the_lesson.ANSWERS
    assert right.keys() == computed.keys()
    assert [key for key in right if not same(right[key], computed[key])] == []


def filled(template: str, known: dict[str, Any]) -> str:
    joint = " | " if template.startswith("|") else ", "
    return EXPRESSION.sub(lambda found: written(eval(found[1], known), found[2] or "", joint), template)


def written(value: Any, form: str, joint: str) -> str:
    """Return one or more numbers in a lesson's notation."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return joint.join(written(one, form, joint) for one in value)
    if form == "/":
        return str(Fraction(float(value)).limit_denominator(10**6))
    text = format(value, form or ("g" if isinstance(value, float | np.floating) else ""))
    return text if text.strip("-0.") else text.removeprefix("-")


def plain(text: str) -> str:
    """Return text on one line, with a single kind of minus sign and without the targets of links to lessons."""
    words = re.sub(r"\[([Ll]esson \d+)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", words).replace("−", "-")


def same(answer: Any, computed: Any) -> bool:
    if isinstance(answer, bool) != isinstance(computed, bool | np.bool_):
        return False
    return bool(
        answer == computed if isinstance(answer, str) else float(answer) == pytest.approx(float(computed), rel=1e-12)
    )


def test_numbers_are_written_as_lessons_write_them() -> None:
    assert written([0.5, -1e-9], "/", " | ") == "1/2 | 0" and written(-0.001, ".2f", "") == "0.00"
