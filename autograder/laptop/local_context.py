"""The test context of a student, a pytest plugin: `assignments/<name>/<name>.py` runs in this process, on their own
machine, against recorded values. pytest-timeout ends a call that does not return."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.checks.fixtures import TEST_CONTEXT, TestContext
from autograder.checks.proxy import StudentModule
from autograder.checks.source import Blocks, Source
from autograder.hints.recorded import Recorded
from autograder.protocol.call import Call, Raised, Reply, load, perform
from autograder.protocol.failure import Kind, Stopped

SECONDS = 5
"""Time of one test here, and of one call when it is graded."""


class InProcess:
    """A student's file, as far as it could be loaded."""

    def __init__(self, name: str, path: Path) -> None:
        self.source = Source(path)
        self.blocks = Blocks(self.source.text)
        self.module, self.failure = load(name, [self.source.text], str(path))
        self.stuck: dict[str, str] = {}
        """function → what to say of it: it did not return, and is not called again"""
        _stop_if_interrupted(self.failure)

    def call(self, call: Call) -> Reply:
        for name in (call.function, *self.blocks.below(call.function)) if self.stuck else ():
            if name in self.stuck:
                raise Stopped(Kind.TIMEOUT, self.stuck[name])
        reply = perform(self.module, call.copy())
        _stop_if_interrupted(reply.raised)
        if reply.raised is not None and "from pytest-timeout" in reply.raised.message:
            late = f"{call.function} did not return within {SECONDS} seconds{reply.raised.at_line} of your file"
            self.stuck[call.function] = f"{late}. Is there a loop that never ends?"
            return self.call(call)
        return reply


def _stop_if_interrupted(raised: Raised | None) -> None:
    """Ctrl-C while a student's code runs is meant for the checks, and so is `q` in the debugger."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit", "Exit"):
        raise KeyboardInterrupt


class LocalContext(TestContext):
    """Hands the student's file to the tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.loaded: dict[str, InProcess] = {}
        self.known: dict[str, Any] = {}
        """assignment → what is right, and which mistakes are known"""

    def load(self, assignment: str) -> InProcess:
        """The student's file."""
        return InProcess(assignment, self.root / "assignments" / assignment / f"{assignment}.py")

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
