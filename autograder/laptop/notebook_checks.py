"""The public tests in a notebook: what Otter's `grader.check("apply_rope")` runs on a student's laptop.

The handout's test files for Otter make a `NotebookCheck` each. A function that a cell of the notebook defines goes
before the one in the assignment's file.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from autograder.checks.source import Source
from autograder.laptop.in_process import InProcess
from autograder.laptop.progress import LESSON, Run
from autograder.protocol.call import Call, Reply, perform
from autograder.protocol.status import TestStatus

ROOT = Path(__file__).resolve().parents[2]


class NotRight(Exception):
    """A test did not pass: the message says what was wanted, what came and the likely cause."""


class StillToBeDecided(Exception):
    """Points that no test on a student's machine can give."""


class NotebookCheck:
    """The public tests of one function. Otter asks case by case, and makes a new one for every check."""

    def __init__(self, assignment: str, name: str) -> None:
        self.assignment, self.name = assignment, name
        self.run: _NotebookRun | None = None

    def check(self, test: str, environment: Mapping[str, Any]) -> None:
        """One test on the functions of an environment. Raises NotRight where it does not pass."""
        if self.run is None:
            self.run = _NotebookRun(environment, self.name)
            self.run.start([self.assignment])
            file = self.run.file(self.assignment)
            if _defined(self.name, environment) and self.name in Source(file).unwritten():
                print(
                    f"{self.name} was checked as a cell of this notebook defines it; in {file.name} it is not written"
                    " yet. One file is graded, the one that you hand in: hand in this notebook, or copy the function"
                    " into the file."
                )
        (result,) = (one for one in self.run.test_results[self.assignment] if one.test.name == test)
        out = self.run.printed.get(self.assignment, {}).get(test)
        printed = f"\nYour code printed:\n{out}" if out else ""
        if result.status is TestStatus.FAILED:
            call = f"\n>>> {result.call}" if result.call else ""
            see = f"See {LESSON}, section {self.name}."
            raise NotRight(f"{result.heading}{call}\n{result.sentence}{printed}\n{see}")
        if not result.passed:
            raise NotRight(result.message + printed)
        if printed:
            print(f"{test}:{printed}")


class _NotebookRun(Run):
    """The tests of one question, for a student who works in a notebook."""

    def __init__(self, environment: Mapping[str, Any], question: str) -> None:
        super().__init__(ROOT, question=question)
        self.environment = environment

    def load(self, assignment: str) -> InProcess:
        return _Cells(self.environment, assignment, self.file(assignment))


class _Cells(InProcess):
    """Functions that the cells of a notebook define; where they do not, those of a file."""

    def __init__(self, environment: Mapping[str, Any], name: str, path: Path) -> None:
        super().__init__(name, path)
        self.environment = environment

    def call(self, call: Call) -> Reply:
        defined = _defined(call.function, self.environment)
        if defined is None:
            return super().call(call)
        cell = types.ModuleType("cell")
        vars(cell).update({call.function: defined, "__file__": inspect.unwrap(defined).__code__.co_filename})
        return perform(cell, call.copy())


def _defined(function: str, environment: Mapping[str, Any]) -> Callable[..., Any] | None:
    """A function as a cell defines it. What the notebook has merely imported under that name is not the student's."""
    value = environment.get(function)
    return value if callable(value) and getattr(value, "__module__", None) == environment.get("__name__") else None
