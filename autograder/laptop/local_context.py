"""The test context of a student, a pytest plugin: `assignments/<name>/<name>.py` runs in this process against recorded
values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.checks.fixtures import TEST_CONTEXT, TestContext
from autograder.checks.proxy import StudentModule
from autograder.hints.recorded import Evidence
from autograder.laptop.in_process import InProcess


class LocalContext(TestContext):
    """The test context of a student: their own file, in this process, against recorded values."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.loaded: dict[str, InProcess] = {}
        self.evidence: dict[str, Evidence] = {}

    def file(self, assignment: str) -> Path:
        """The student's file."""
        return self.root / "assignments" / assignment / f"{assignment}.py"

    def load(self, assignment: str) -> InProcess:
        """The functions of that file."""
        return InProcess(assignment, self.file(assignment))

    def submission(self, assignment: str, item: pytest.Item) -> StudentModule:
        if assignment not in self.loaded:
            self.loaded[assignment] = self.load(assignment)
            self.evidence[assignment] = Evidence(self.root / "tests" / "public" / "expected" / f"{assignment}.json")
        return self.evidence[assignment].submission(assignment, self.loaded[assignment], item.name)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Where nobody else hands out submissions, as under a plain `pytest`, this context does."""
    config.stash.setdefault(TEST_CONTEXT, LocalContext(config.rootpath))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The likely causes, once all tests have run: a cause is told where it explains everything that was seen."""
    context = config.stash[TEST_CONTEXT]
    if isinstance(context, LocalContext):
        known = [(name, hints) for evidence in context.evidence.values() for name, hints in evidence.hints()]
        functions = {hint: name for name, hints in known for hint in (hints.values, hints.refusals) if hint}
        for hint, name in functions.items():
            terminalreporter.write_line(f"{name}: Likely cause: {hint}")
