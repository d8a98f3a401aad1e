"""The public tests in a notebook: what Otter's `grader.check("apply_rope")` runs on a student's laptop.

The handout's test files for Otter make a `Question` each. A function that a cell of the notebook defines goes before the one
in the assignment's file.
"""

from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.checks import call, plugin
from autograder.checks.call import Reply
from autograder.checks.outcome import Outcome, describe
from autograder.checks.proxy import InProcess, Submission
from autograder.checks.standing import LESSON, public_tests, run

ROOT = Path(__file__).resolve().parents[2]


class NotRight(Exception):
    """A test did not pass: the message says what was wanted, what came and the likely cause."""


class StillToBeDecided(Exception):
    """Points that no test on a student's machine can give."""


class Question:
    """The public tests of one function."""

    def __init__(self, assignment: str, name: str) -> None:
        self.assignment = assignment
        self.name = name
        self.outcomes: dict[str, Outcome] = {}

    def check(self, test: str, environment: Mapping[str, Any]) -> None:
        """One test on the functions of an environment. Raises NotRight where it does not pass."""
        if not self.outcomes:  # Otter asks case by case, and makes a new Question for every check
            tests = [str(public_tests(ROOT, self.assignment))]
            found = run(ROOT, tests, _OneQuestion(self.name, _Desk(environment)))[self.assignment]
            self.outcomes = {one.test.name: one for one in found}
        outcome = self.outcomes[test]
        if outcome.status == "failed":
            raise NotRight(f"{outcome.test.rule}\n{outcome.sentence}\nSee {LESSON}, section {self.name}.")
        if not outcome.passed:
            raise NotRight(outcome.message)


class _Desk(plugin.Laptop):
    """The desk of a student who works in a notebook."""

    def __init__(self, environment: Mapping[str, Any]) -> None:
        super().__init__(ROOT)
        self.environment = environment

    def submission(self, assignment: str, item: pytest.Item) -> Submission:
        in_file = super().submission(assignment, item)
        return Submission(assignment, _Cells(self.environment, self.loaded[assignment]), in_file.reference)


class _Cells:
    """Functions that the cells of a notebook define; where they do not, those of a file."""

    def __init__(self, environment: Mapping[str, Any], file: InProcess) -> None:
        self.environment = environment
        self.file = file
        self.failure = file.failure

    def call(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], measured: bool) -> Reply:
        defined = self.environment.get(function)
        # What the notebook has merely imported under that name is not the student's.
        if not callable(defined) or getattr(defined, "__module__", None) != self.environment.get("__name__"):
            return self.file.call(function, args, kwargs, measured)
        cell = types.ModuleType("cell")
        vars(cell).update({function: defined, "__file__": inspect.unwrap(defined).__code__.co_filename})
        return call.perform(cell, function, *copy.deepcopy((args, kwargs)), measured)


class _OneQuestion:
    """A plugin that runs one question's tests, and tells the course's plugin whose functions to hand out."""

    def __init__(self, name: str, desk: plugin.Desk) -> None:
        self.name = name
        self.desk = desk

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[plugin.DESK] = self.desk

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        items[:] = [item for item in items if describe(item).question == self.name]
