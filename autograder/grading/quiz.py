"""The questions of a lesson: the right answers with their reasons, as the solution has them, and nowhere else.

A reason is the comment behind an answer in the solution's ANSWERS; the handout has neither.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from autograder.checks.results import Test
from autograder.course import Assignment
from autograder.protocol.call import ANSWERS


class QuizAnswer(NamedTuple):
    """One right answer."""

    written: str
    """as the solution writes it: a number may be an expression"""
    reason: str

    @property
    def yes_or_no(self) -> bool:
        """To say that a yes is wrong is to say what is right."""
        return self.written in ("True", "False")

    @property
    def sentence(self) -> str:
        """What is right, and why."""
        return f"Right is {self.written}; {self.reason}."


@functools.cache
def answers(assignment: Assignment) -> dict[str, QuizAnswer]:
    """Key → right answer, in the order of the lesson."""
    text = assignment.solution.read_text(encoding="utf-8").partition(f"\n{ANSWERS} = {{")[2]
    lines = re.findall(r'^    "(\w+)": (.+),  # (.+?)\.?$', text, re.MULTILINE)
    return {key: QuizAnswer(written, reason) for key, written, reason in lines}


def key(test: Test) -> str:
    """The question that a test of ANSWERS is about: pytest puts it in brackets behind the test's name."""
    return test.name.partition("[")[2].rstrip("]")
