"""The right answers to a lesson's questions, and the reasons for them, read from the solution.

The reason is the comment after an answer in the solution's ANSWERS. The handout contains neither answers nor reasons.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from autograder.checks.results import Test
from autograder.course import Assignment
from autograder.protocol.call import ANSWERS


class RightAnswer(NamedTuple):
    """The right answer to a question."""

    text: str
    """The answer as written in the solution, where a number can be an expression."""
    reason: str

    @property
    def is_yes_or_no(self) -> bool:
        """True for a yes-or-no answer: calling one answer wrong gives away that the other is right."""
        return self.text in ("True", "False")

    @property
    def sentence(self) -> str:
        """A sentence with the right answer and the reason."""
        return f"The right answer is {self.text}; {self.reason}."


@functools.cache
def answers(assignment: Assignment) -> dict[str, RightAnswer]:
    """Return the right answers keyed by question, in the lesson's order."""
    text = assignment.solution.read_text(encoding="utf-8").partition(f"\n{ANSWERS} = {{")[2]
    lines = re.findall(r'^    "(\w+)": (.+),  # (.+?)\.?$', text, re.MULTILINE)
    return {key: RightAnswer(text, reason) for key, text, reason in lines}


def quiz_question_key(test: Test) -> str:
    """Return the key of a test's question, which pytest puts in brackets after the test's name."""
    return test.name.partition("[")[2].rstrip("]")
