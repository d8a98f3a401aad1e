"""The public tests in a notebook: what Otter's `grader.check("apply_rope")` runs on a student's laptop.

The handout's test files for Otter make a `NotebookCheck` each. A function that a cell of the notebook defines stands in
the place of the one in the assignment's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.checks.standing import Standing, State
from autograder.checks.telling import Audience, block, read
from autograder.laptop.in_process import InProcess
from autograder.laptop.progress import LESSON, Run

ROOT = Path(__file__).resolve().parents[2]


class NotRight(Exception):
    """A test did not pass: the message says what was wanted, what came and the likely cause."""


class NotebookCheck(Run):
    """The public tests of one function. Otter asks case by case, and makes a new one for every check."""

    def __init__(self, assignment: str, name: str) -> None:
        super().__init__(ROOT, name)
        self.assignment = assignment
        self.environment: Mapping[str, Any] = {}

    def check(self, test: str, environment: Mapping[str, Any]) -> None:
        """One test on the functions of an environment. Raises NotRight where it does not pass."""
        if not self.test_results:
            self.environment = environment
            self.start([self.assignment])
        (result,) = (one for one in self.test_results[self.assignment] if one.test.name == test)
        out = self.printed.get(self.assignment, {}).get(test)
        printed = f"\nYour code printed:\n{out}" if out else ""
        if result.is_mistake:
            name = result.test.question
            told = read(block(Standing(name, [result], State.MISTAKEN, None, (result,)), Audience.HOME))
            raise NotRight(f"{told}{printed}\nSee {LESSON}, section {name}.")
        if not result.passed:
            raise NotRight(result.message + printed)
        if printed:
            print(f"{test}:{printed}")

    def load(self, assignment: str) -> InProcess:
        """The file, with the functions of the notebook. What that has merely imported is not the student's."""
        file, here = super().load(assignment), self.environment.get("__name__")
        for name, value in self.environment.items():
            if callable(value) and getattr(value, "__module__", None) == here:
                vars(file.module)[name] = value
        return file
