"""The test context of a student, a pytest plugin: `assignments/<name>/<name>.py` runs in this process against recorded
values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.checks.fixtures import TEST_CONTEXT, TestContext
from autograder.checks.proxy import StudentModule
from autograder.hints.recorded import Recorded
from autograder.laptop.in_process import InProcess


class LocalContext(TestContext):
    """The test context of a student: their own file, in this process, against recorded values."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.loaded: dict[str, InProcess] = {}
        self.known: dict[str, Any] = {}
        """what is right and which mistakes are known, by assignment"""

    def file(self, assignment: str) -> Path:
        """The student's file."""
        return self.root / "assignments" / assignment / f"{assignment}.py"

    def load(self, assignment: str) -> InProcess:
        """The functions of that file."""
        return InProcess(assignment, self.file(assignment))

    def reference(self, assignment: str, test: str) -> Any:
        """What one test compares with."""
        if assignment not in self.known:
            self.known[assignment] = Recorded(self.root / "tests" / "public" / "expected" / f"{assignment}.json")
        return self.known[assignment].of(test)

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        if assignment not in self.loaded:
            self.loaded[assignment] = self.load(assignment)
        return StudentModule(assignment, self.loaded[assignment], self.reference(assignment, item.name))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Where nobody else hands out submissions, as under a plain `pytest`, this context does."""
    config.stash.setdefault(TEST_CONTEXT, LocalContext(config.rootpath))
