"""Tests and how they came out: the same words on a student's laptop and in the grader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pytest

from autograder.checks.call import ANSWERS
from autograder.checks.failure import UNFINISHED, BrokenTest, Kind, Stopped, Wrong
from autograder.checks.status import TestStatus


class Phase(Enum):
    """What a submission is shown together."""

    PUBLIC = 0
    ANSWERS = 1
    HIDDEN = 2


@dataclass(frozen=True)
class Test:
    """One collected test: what it belongs to, what it is worth, and the rule that it checks."""

    name: str
    question: str
    points: float
    phase: Phase
    rule: str
    """first line of its docstring; may be shown to students, hidden or not"""

    __test__ = False

    @property
    def hidden(self) -> bool:
        return self.phase is not Phase.PUBLIC


@dataclass(frozen=True)
class TestResult:
    """How one test came out."""

    __test__ = False

    test: Test
    status: TestStatus
    message: str = ""
    """what was wanted and what came: for the student if the test is public, else for staff only"""
    hint: str | None = None
    """the likely cause, from the catalogue"""
    kind: Kind | None = None
    function: str | None = None
    """the function to fix first, where it is not the question's own"""

    @property
    def passed(self) -> bool:
        return self.status is TestStatus.PASSED

    @property
    def is_mistake(self) -> bool:
        """Whether something is wrong, and not just missing."""
        return not self.passed and not self.status.is_unwritten

    @property
    def sentence(self) -> str:
        """The message with its hint."""
        return f"{self.message}\nLikely cause: {self.hint}" if self.hint else self.message


def describe(item: pytest.Function) -> Test:
    """What a collected test is. Raises BrokenTest for one that lacks its mark or its rule."""
    mark = item.get_closest_marker("question")
    if mark is None:
        raise BrokenTest(f"{item.nodeid} has no @pytest.mark.question(…, points=…)")
    question = mark.args[0]
    phase = Phase.ANSWERS if question == ANSWERS else Phase.HIDDEN if item.path.parent.name == "hidden" else Phase.PUBLIC
    rule = (item.function.__doc__ or "").strip().split("\n")[0]
    if not rule:
        raise BrokenTest(f"{item.nodeid} has no docstring: its first line is the rule that it checks")
    return Test(item.name, question, float(mark.kwargs["points"]), phase, rule)


def test_result(test: Test, raised: BaseException | None) -> TestResult:
    """The result of a test that ended with that exception. Raises what is no submission's fault."""
    match raised:
        case None:
            return TestResult(test, TestStatus.PASSED)
        case Wrong() if raised.kind in UNFINISHED:
            return TestResult(test, TestStatus.NOT_IMPLEMENTED, raised.message, kind=raised.kind)
        case Wrong(kind=Kind.WAITING):
            return TestResult(test, TestStatus.WAITING, raised.message, kind=raised.kind, function=raised.function)
        case Wrong():
            return TestResult(test, TestStatus.FAILED, raised.message, raised.hint, raised.kind)
        case Stopped():
            return TestResult(test, raised.status, raised.message)
        case BrokenTest() | ImportError() | KeyboardInterrupt() | SystemExit():
            raise raised
        case Exception():
            # A test did something with a result that cannot be done with it: unpacked, multiplied, indexed it.
            message = f"a result is not of the form that the definition says ({type(raised).__name__}: {raised})"
            return TestResult(test, TestStatus.FAILED, message[:500], kind=Kind.TYPE)
    raise raised


class Listener:
    """A pytest plugin that keeps the exception that ended the last test, and none of pytest's words about it."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value
