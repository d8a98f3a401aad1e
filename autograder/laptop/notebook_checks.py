"""The public tests in a notebook: what Otter's `grader.check("apply_rope")` runs on a student's laptop.

The handout's test files for Otter make a `NotebookCheck` each. A function that a cell of the notebook defines stands in
the place of the one in the assignment's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.checks.function_state import FunctionState, State
from autograder.checks.render import read
from autograder.laptop.local_context import InProcess, LocalContext
from autograder.laptop.progress import Progress, section

ROOT = Path(__file__).resolve().parents[2]


class NotebookCheck(LocalContext):
    """The public tests of an assignment. Otter asks case by case, and makes a new one for every check."""

    def __init__(self, assignment: str) -> None:
        super().__init__(ROOT)
        self.assignment = assignment
        self.environment: Mapping[str, Any] = {}

    def check(self, test: str, environment: Mapping[str, Any]) -> None:
        """One test on the functions of an environment: what was expected, what came and the likely cause, as an error
        where it does not pass."""
        if not self.test_results:
            self.environment = environment
            self.start([self.assignment])
        (result,) = (one for one in self.test_results[self.assignment] if one.test.name == test)
        own = (result,) if result.is_mistake else ()
        function_state = FunctionState(result.test.question, [result], State.MISTAKEN, None, own)
        told = read(section(Progress(self.assignment, self), function_state).partition("\n\n")[2])
        if not result.passed:
            raise AssertionError(told if own else f"{result.message}\n{told}")
        print(told, end="")

    def load(self, assignment: str) -> InProcess:
        """The file, with the functions of the notebook. What that has merely imported is not the student's."""
        file, here = super().load(assignment), self.environment.get("__name__")
        for name, value in self.environment.items():
            if callable(value) and getattr(value, "__module__", None) == here:
                vars(file.module)[name] = value
        return file
