"""Tests and test results, described in the same words on a student's machine and in the grader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure_kinds import UNFINISHED, BrokenTestError, CallStopped, FailedTestError, Kind

if TYPE_CHECKING:  # programs that only read results load neither module
    import pytest

    from autograder.checks.proxy import StudentModule


class Phase(Enum):
    """A part of a test suite whose results are shown together."""

    PUBLIC = 0
    ANSWERS = 1
    HIDDEN = 2


@dataclass(frozen=True)
class Test:
    """A collected test: its question, its points, and the rule that it checks."""

    name: str
    question: str
    points: float
    phase: Phase
    rule: str
    """The first paragraph of the test's docstring, which students may read even if the test is hidden."""

    __test__ = False

    @property
    def hidden(self) -> bool:
        """True if students cannot see the test."""
        return self.phase is not Phase.PUBLIC


@dataclass(frozen=True)
class TestResult:
    """Result of one test."""

    __test__ = False

    test: Test
    kind: Kind | None = None
    """The reason why the test did not pass; None if it passed."""
    message: str = ""
    """The expected and actual values, for the student if the test is public, and otherwise only for staff."""
    call: str = ""
    """The tested call, as lines for a Python prompt or as a description; students see it only for public tests."""
    hint: str | None = None
    """The likely cause."""
    faulty_function: str | None = None
    """The function whose correct values let the test pass, or that must be fixed before the test can run."""
    is_at_fault: bool = False
    """True if the tested function itself returned a wrong value for its arguments, whatever else the test calls."""
    calls: dict[Call, Reply] = field(default_factory=dict, compare=False, repr=False)
    """All calls in the test, with their replies; calls are not stored in grades."""

    @property
    def passed(self) -> bool:
        """True if the test passed."""
        return self.kind is None

    @property
    def is_unfinished(self) -> bool:
        """True if the tested code is not written yet, which is not a mistake."""
        return self.kind in UNFINISHED

    @property
    def is_mistake(self) -> bool:
        """True if the tested code is wrong rather than missing."""
        return not self.passed and not self.is_unfinished


def by_question(test_results: Iterable[TestResult]) -> dict[str, list[TestResult]]:
    """Return the test results keyed by question; both questions and results keep the order of the tests."""
    questions: dict[str, list[TestResult]] = {}
    for result in test_results:
        questions.setdefault(result.test.question, []).append(result)
    return questions


POINTS, PUBLIC_POINTS = 20, 8
"""Points for all of an assignment's tests, and for its public tests."""


def points_won(test_results: Iterable[TestResult]) -> float:
    """Return the points of the tests that passed."""
    return sum(result.test.points for result in test_results if result.passed)


def points_possible(test_results: Iterable[TestResult]) -> float:
    """Return the total points of these tests."""
    return sum(result.test.points for result in test_results)


def point_problems(assignment: str, tests: Sequence[Test]) -> Iterator[str]:
    """Yield a message for each error in the points of an assignment's tests."""
    for test in tests:
        if test.points * 16 % 1:
            yield f"{test.name} of {assignment} is worth {test.points:g} points: use multiples of 1/16"
    total, public = sum(test.points for test in tests), sum(test.points for test in tests if not test.hidden)
    if (total, public) != (POINTS, PUBLIC_POINTS):
        worth = f"the tests of {assignment} are worth {total:g} points, {public:g} of them public"
        file = f"tests/{'hidden' if public == PUBLIC_POINTS else 'public'}/test_{assignment}.py"
        yield f"{worth}: they must add up to {POINTS}, {PUBLIC_POINTS} of them public (points= in {file})"


def test_of(item: pytest.Function) -> Test:
    """Return a description of a collected test. Raise BrokenTestError if its mark or rule is missing."""
    mark = item.get_closest_marker("question")
    if mark is None:
        raise BrokenTestError(f"{item.nodeid} has no @pytest.mark.question(…, points=…)")
    question, is_hidden = mark.args[0], item.path.parent.name == "hidden"
    phase = Phase.ANSWERS if question == ANSWERS else Phase.HIDDEN if is_hidden else Phase.PUBLIC
    rule = " ".join((item.function.__doc__ or "").strip().partition("\n\n")[0].split()).rstrip(".")
    if not rule:
        raise BrokenTestError(f"{item.nodeid} has no docstring: its first paragraph is the rule that it checks")
    return Test(item.name, question, float(mark.kwargs["points"]), phase, rule)


def _computed_by_test_note(value: object, submission: StudentModule | None) -> str:
    """Return a line about a value that the test computed; empty if the submission might have returned it."""
    if value is None or submission is None or not submission.replies or submission.may_have_returned(value):
        return ""
    return "\nThe test computed this value from what your functions returned."


_KINDS_BLAMED_ON_CALLEE = {Kind.NOT_WRITTEN, Kind.NOT_REACHED, Kind.RAISED}
"""Failures that are blamed on the function where they happen rather than on the function under test."""


def test_result(test: Test, raised: BaseException | None, submission: StudentModule | None = None) -> TestResult:
    """Return the result of a test that ended with this exception; reraise the exception if it is not a test outcome."""
    calls = submission.replies if submission is not None else {}
    match raised:
        case None:
            return TestResult(test, calls=calls)
        case FailedTestError(kind=kind) if kind in _KINDS_BLAMED_ON_CALLEE and raised.function not in (
            None,
            test.question,
        ):
            message = f"{test.question} waits for {raised.function}: {raised.message}"
            return TestResult(test, Kind.WAITING, message, faulty_function=raised.function, calls=calls)
        case FailedTestError(kind=kind) if kind in UNFINISHED:
            return TestResult(test, kind, raised.message, faulty_function=raised.function, calls=calls)
        case FailedTestError() | CallStopped():
            note = _computed_by_test_note(getattr(raised, "value", None), submission)
            kind, message = raised.kind, raised.message + note
        case Exception() if not isinstance(raised, BrokenTestError | ImportError):
            # For example, the test could not unpack, multiply or index a result.
            what = f"a result does not have the form in the definition ({type(raised).__name__}: {raised})"
            kind, message = Kind.SHAPE, what[:500]
        case _:
            raise raised
    call = submission.last_call if submission is not None else ""
    return TestResult(test, kind, message, call, getattr(raised, "hint", None), calls=calls)
