"""The questions of a lesson: the right answers with their reasons, as the solution has them, and nowhere else.

A reason is the comment behind an answer in the solution's ANSWERS; the handout has neither.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

from autograder.checks.results import Test
from autograder.course import Assignment
from autograder.protocol.call import ANSWERS


@dataclass(frozen=True)
class QuizAnswer:
    """One right answer."""

    written: str
    """as the solution writes it: a number may be an expression"""
    reason: str
    yes_or_no: bool
    """to say that a yes is wrong is to say what is right"""

    @property
    def sentence(self) -> str:
        """The answer with its reason, as a sentence."""
        return f"{self.written}; {self.reason}." if self.reason else f"{self.written}."


@functools.cache
def answers(assignment: Assignment) -> dict[str, QuizAnswer]:
    """Key → right answer, in the order of the lesson."""
    source = assignment.solution.read_text(encoding="utf-8")
    lines = source.split("\n")
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys, values=values)) if name == ANSWERS:
                return {
                    str(getattr(key, "value", "")): _answer(value, lines)
                    for key, value in zip(keys, values, strict=True)
                }
    return {}


def _answer(value: ast.expr, lines: list[str]) -> QuizAnswer:
    # ast counts columns in bytes.
    behind = lines[(value.end_lineno or 1) - 1].encode()[value.end_col_offset :].decode()
    reason = behind.partition("#")[2].strip().rstrip(".")
    return QuizAnswer(ast.unparse(value), reason, isinstance(value, ast.Constant) and isinstance(value.value, bool))


def key(test: Test) -> str:
    """The question that a test of ANSWERS is about: pytest puts it in brackets behind the test's name."""
    match = re.search(r"\[(.+)\]$", test.name)
    return match[1] if match else test.name
