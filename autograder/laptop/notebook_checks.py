"""The public tests in a notebook, as run by Otter's `grader.check("apply_rope")` on a student's machine.

Each Otter test file in the handout creates a `NotebookCheck`. A function defined in a notebook cell replaces the
function of the same name in the assignment's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.checks.function_status import FunctionStatus, Status
from autograder.checks.result_markdown import without_markdown
from autograder.laptop.in_process_test_run import LoadedFile, LocalContext
from autograder.laptop.progress_after_run import AssignmentProgress, function_text

ROOT = Path(__file__).resolve().parents[2]
"""The course's folder, which contains this package."""


class NotebookCheck(LocalContext):
    """An assignment's public tests. Otter runs each test separately, and creates one object per check."""

    def __init__(self, assignment: str) -> None:
        super().__init__(ROOT)
        self.assignment = assignment
        self.environment: Mapping[str, Any] = {}

    def check(self, test: str, environment: Mapping[str, Any]) -> None:
        """Run one test on the functions in an environment. Raise AssertionError if it fails."""
        if not self.test_results:
            self.environment = environment
            self.run_tests([self.assignment])
        (result,) = (result for result in self.test_results[self.assignment] if result.test.name == test)
        mistakes = (result,) if result.is_mistake else ()
        function = FunctionStatus(result.test.question, [result], Status.MISTAKEN, None, mistakes)
        text = without_markdown(function_text(AssignmentProgress(self.assignment, self), function).partition("\n\n")[2])
        if not result.passed:
            raise AssertionError(text if mistakes else f"{result.message}\n{text}")
        print(text, end="")

    def load_file(self, assignment: str) -> LoadedFile:
        """Load the file, and replace its functions with those of the same name that the notebook defines."""
        file, notebook = super().load_file(assignment), self.environment.get("__name__")
        for name, value in self.environment.items():
            if callable(value) and getattr(value, "__module__", None) == notebook:
                vars(file.module)[name] = value
        return file
