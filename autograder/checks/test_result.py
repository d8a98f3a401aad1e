"""Tests and how they came out: the same words on a student's laptop and in the grader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import pytest

from autograder.checks.call import ANSWERS
from autograder.checks.failure import UNFINISHED, BrokenTest, Kind, Stopped, Wrong, with_likely_cause
from autograder.checks.proxy import Submission
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
    call: str = ""
    """the last call before it failed, for a Python prompt; shown to students of public tests alone"""
    called: tuple[str, ...] = ()
    """the functions that the test called"""

    @property
    def passed(self) -> bool:
        return self.status is TestStatus.PASSED

    @property
    def is_mistake(self) -> bool:
        """Whether something is wrong, and not just missing."""
        return not self.passed and not self.status.is_unwritten

    @property
    def matters(self) -> bool:
        """Whether there is something to say of the test: an answer for practice that was left open is nothing."""
        return self.is_mistake or (not self.passed and self.test.points > 0)

    @property
    def sentence(self) -> str:
        """The message with its hint."""
        return with_likely_cause(self.message, self.hint)


def by_question(test_results: Iterable[TestResult]) -> dict[str, list[TestResult]]:
    """Question → its results, both in the order of the tests."""
    questions: dict[str, list[TestResult]] = {}
    for one in test_results:
        questions.setdefault(one.test.question, []).append(one)
    return questions


def points_won(test_results: Iterable[TestResult]) -> float:
    """The points of the tests that passed."""
    return sum(one.test.points for one in test_results if one.passed)


def points_possible(test_results: Iterable[TestResult]) -> float:
    """The points of all these tests."""
    return sum(one.test.points for one in test_results)


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


def test_result(test: Test, raised: BaseException | None, submission: Submission | None = None) -> TestResult:
    """The result of a test that ended with that exception. Raises what is no submission's fault."""
    match raised:
        case None:
            return TestResult(test, TestStatus.PASSED)
        case Wrong(kind=Kind.NOT_WRITTEN | Kind.RAISED) if raised.function not in (None, test.question):
            message = f"{test.question} waits for {raised.function}: {raised.message}"
            found = TestResult(test, TestStatus.WAITING, message, kind=raised.kind, function=raised.function)
        case Wrong() if raised.kind in UNFINISHED:
            found = TestResult(test, TestStatus.NOT_IMPLEMENTED, raised.message, kind=raised.kind)
        case Wrong(kind=Kind.WAITING):
            found = TestResult(test, TestStatus.WAITING, raised.message, kind=raised.kind, function=raised.function)
        case Wrong():
            found = TestResult(test, TestStatus.FAILED, raised.message, raised.hint, raised.kind)
        case Stopped():
            found = TestResult(test, raised.status, raised.message)
        case Exception() if not isinstance(raised, BrokenTest | ImportError):
            # A test did something with a result that cannot be done with it: unpacked, multiplied, indexed it.
            message = f"a result is not of the form that the definition says ({type(raised).__name__}: {raised})"
            found = TestResult(test, TestStatus.FAILED, message[:500], kind=Kind.TYPE)
        case _:
            raise raised
    if submission is None:
        return found
    has_call = found.status in (TestStatus.FAILED, TestStatus.TIMEOUT, TestStatus.CRASHED) and submission.last_call
    return replace(found, call=str(submission.last_call) if has_call else "", called=tuple(submission.called))


def compared_with(failing: Mapping[str, Collection[TestResult]]) -> dict[str, str]:
    """For each function that fails, without a known cause, only in tests that also call another: that one, if it fails by itself."""
    by_itself = [name for name, missed in failing.items() if any(set(one.called) == {name} for one in missed)]
    causes = {}
    for name, missed in failing.items():
        if name in by_itself or any(one.hint for one in missed):
            continue
        others = [other for other in by_itself if all(other in one.called for one in missed)]
        if others:
            causes[name] = others[0]
    return causes
