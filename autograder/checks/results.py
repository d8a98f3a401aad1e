"""Tests and how they came out: the same words on a student's laptop and in the grader."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.checks.source import Blocks
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import UNFINISHED, VALUES, BrokenTest, Kind, Stopped, Wrong, with_likely_cause
from autograder.protocol.status import TestStatus

if TYPE_CHECKING:  # whoever only reads results loads neither
    import pytest

    from autograder.checks.proxy import StudentModule

_OF_VALUES = frozenset({"matches", "close", "holds", "answer"})
"""What a test about values uses of `expect`."""


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
    """first paragraph of its docstring; may be shown to students, hidden or not"""
    calls: tuple[str, ...] = ()
    """the functions that it calls, as its text says"""
    expects: tuple[str, ...] = ()
    """what it uses of `expect`, as its text says"""

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
    """another function: the one that a test waits for, beside whose known mistake it passed, or that misses the same
    refusal"""
    call: str = ""
    """the call that was judged, for a Python prompt; shown to students of public tests alone"""
    said_instead: str = field(default="", compare=False)
    """the rule of the function, in the place of one about something else"""

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
    def heading(self) -> str:
        """The rule that is broken. Of wrong values in a test about something else, that is the function's own."""
        if self.is_about_something_else:
            return self.said_instead or f"What `{self.test.question}` returns is not right"
        return self.test.rule.rstrip(".")

    @property
    def is_about_something_else(self) -> bool:
        """Whether a wrong value came in a test of refusals, or another value than a wrong form in a test of forms."""
        expects = self.test.expects
        return (self.kind in VALUES and "raises" in expects) or (
            self.kind in (Kind.VALUE, Kind.SHAPE) and _OF_VALUES.isdisjoint(expects)
        )

    @property
    def sentence(self) -> str:
        """The message with its hint."""
        return with_likely_cause(self.message, self.hint)


def by_question(test_results: Iterable[TestResult]) -> dict[str, list[TestResult]]:
    """Question → its results, both in the order of the tests."""
    questions: dict[str, list[TestResult]] = {}
    for result in test_results:
        questions.setdefault(result.test.question, []).append(result)
    return questions


POINTS, PUBLIC_POINTS = 20, 8
"""What the tests of every assignment add up to, and the public ones among them."""


def points_won(test_results: Iterable[TestResult]) -> float:
    """The points of the tests that passed."""
    return sum(result.test.points for result in test_results if result.passed)


def points_possible(test_results: Iterable[TestResult]) -> float:
    """The points of all these tests."""
    return sum(result.test.points for result in test_results)


def wrong_points(assignment: str, tests: Sequence[Test]) -> Iterator[str]:
    """Why the tests of an assignment do not add up, a sentence each."""
    yield from (
        f"{test.name} of {assignment} is worth {test.points:g} points: use multiples of 1/8"
        for test in tests
        if test.points * 8 % 1
    )
    total, public = sum(test.points for test in tests), sum(test.points for test in tests if not test.hidden)
    if (total, public) != (POINTS, PUBLIC_POINTS):
        wanted = f"they must add up to {POINTS}, {PUBLIC_POINTS} of them public"
        yield f"the tests of {assignment} are worth {total:g} points, {public:g} of them public: {wanted}"


def describe(item: pytest.Function) -> Test:
    """What a collected test is. Raises BrokenTest for one that lacks its mark or its rule."""
    mark = item.get_closest_marker("question")
    if mark is None:
        raise BrokenTest(f"{item.nodeid} has no @pytest.mark.question(…, points=…)")
    question = mark.args[0]
    phase = (
        Phase.ANSWERS if question == ANSWERS else Phase.HIDDEN if item.path.parent.name == "hidden" else Phase.PUBLIC
    )
    rule = " ".join((item.function.__doc__ or "").strip().partition("\n\n")[0].split())
    if not rule:
        raise BrokenTest(f"{item.nodeid} has no docstring: its first paragraph is the rule that it checks")
    calls, expects = (
        _used(item.path, module).get(item.originalname, ())
        for module in (item.path.stem.removeprefix("test_"), "expect")
    )
    return Test(item.name, question, float(mark.kwargs["points"]), phase, rule, calls, expects)


@functools.cache
def _used(path: Path, module: str) -> dict[str, tuple[str, ...]]:
    """Test of a file → what it uses of a module, itself or in what helps it."""
    text = path.read_text(encoding="utf-8")
    blocks, direct = Blocks(text), {}
    for function in (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)):
        nodes = [node for node in ast.walk(function) if isinstance(node, ast.Attribute)]
        direct[function.name] = {
            node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == module
        }
    return {name: tuple(sorted(direct[name].union(*map(direct.__getitem__, blocks.below(name))))) for name in direct}


def test_result(test: Test, raised: BaseException | None, submission: StudentModule | None = None) -> TestResult:
    """The result of a test that ended with that exception. Raises what is no submission's fault."""
    match raised:
        case None:
            return TestResult(test, TestStatus.PASSED)
        case Wrong(kind=Kind.NOT_WRITTEN | Kind.RAISED | Kind.REFUSED) if raised.function not in (None, test.question):
            message = f"{test.question} waits for {raised.function}: {raised.message}"
            result = TestResult(test, TestStatus.WAITING, message, kind=raised.kind, function=raised.function)
        case Wrong() if raised.kind in UNFINISHED:
            result = TestResult(test, TestStatus.NOT_IMPLEMENTED, raised.message, kind=raised.kind)
        case Wrong(kind=Kind.WAITING):
            result = TestResult(test, TestStatus.WAITING, raised.message, kind=raised.kind, function=raised.function)
        case Wrong():
            result = TestResult(test, TestStatus.FAILED, raised.message, raised.hint, raised.kind)
        case Stopped():
            result = TestResult(test, raised.status, raised.message)
        case Exception() if not isinstance(raised, BrokenTest | ImportError):
            # A test did something with a result that cannot be done with it: unpacked, multiplied, indexed it.
            message = f"a result is not of the form that the definition says ({type(raised).__name__}: {raised})"
            result = TestResult(test, TestStatus.FAILED, message[:500], kind=Kind.TYPE)
        case _:
            raise raised
    if submission is None:
        return result
    if result.status not in (TestStatus.FAILED, TestStatus.TIMEOUT, TestStatus.CRASHED) or not submission.last_call:
        return result
    return _with_call(result, raised.about if isinstance(raised, Wrong) else (), submission)


def _with_call(result: TestResult, about: tuple[Any, ...], submission: StudentModule) -> TestResult:
    """With the call that was judged. What a test worked out from several calls is no call's; what it compared with
    another result of the submission was not wanted."""
    from autograder.checks.prompt import typed

    if not about:
        return replace(result, call=submission.last_typed())
    got, wanted = map(submission.call_of, about)
    if wanted is not None:
        says, separator, words = result.message.rpartition(": wanted ")
        message = f"{says}: one call gives {words.replace(', got ', ', another ', 1)}" if separator else result.message
        calls = dict.fromkeys(filter(None, map(typed, (wanted, got))))
        return replace(result, message=message, call="\n>>> ".join(calls))
    return replace(result, call=typed(got) if got else submission.last_typed() if len(submission.seen) == 1 else "")
