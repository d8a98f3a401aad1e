"""What the public tests leave open: which of the rules that docstrings state are checked by hidden tests alone, and the
questions.

Only the kind of a rule and the function are told, as a student reads them in every docstring; nothing of a hidden test
itself. Of a question its form is told, and the answer where it is for practice.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Any

from autograder.checks import answers
from autograder.checks.results import Test
from autograder.checks.source import Blocks
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.hints import catalogue
from autograder.protocol.call import ANSWERS

RULES = {
    "dtype": "the dtype of the result",
    "unchanged": "arguments do not change",
    "vectorised": "no Python loop over the sequence",
    "raises": "bad arguments are errors",
}
"""What `expect` checks → the rule in the words of assignments/README.md."""


def left_open(assignment: Assignment, tests: list[Test]) -> dict[str, dict[str, Any]]:
    """`rules`: rule → the functions for which only hidden tests check it; `answers`: key of ANSWERS → the form of its
    answer; `practice`: key of a question without points → its answer and reason."""
    public, hidden = (
        _checked(assignment.public_tests, tests, hidden=False),
        _checked(assignment.hidden_tests, tests, hidden=True),
    )
    questions = list(dict.fromkeys(test.question for test in tests))
    every = [name for name in questions if name != ANSWERS]
    rules = {}
    for check, words in RULES.items():
        if names := [name for name in questions if check in hidden[name] - public[name]]:
            rules[words] = "every function" if names == every else ", ".join(names)
    return {"rules": rules, "answers": _forms(assignment), "practice": _practice(assignment, tests)}


def _forms(assignment: Assignment) -> dict[str, str]:
    return {key: answers.form(value) for key, value in catalogue.solution(assignment).ANSWERS.items()}


def _practice(assignment: Assignment, tests: list[Test]) -> dict[str, dict[str, Any]]:
    values, written = catalogue.solution(assignment).ANSWERS, quiz.answers(assignment)
    keys = [quiz.key(test) for test in tests if test.question == ANSWERS and not test.points]
    return {key: {"value": values[key], "reason": written[key].reason} for key in keys}


def _checked(file: Path, tests: list[Test], hidden: bool) -> defaultdict[str, set[str]]:
    """Question → the names in `expect` that its tests in a file use, themselves or through a function of the same
    file."""
    source = file.read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    blocks = Blocks(source)
    checked: defaultdict[str, set[str]] = defaultdict(set)
    for test in (test for test in tests if test.hidden is hidden):
        name = test.name.partition("[")[0]
        checked[test.question].update(*(_used(functions[function]) for function in (name, *blocks.below(name))))
    return checked


def _used(node: ast.FunctionDef) -> set[str]:
    return {
        part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "expect"
    }
