"""The status of each function of an assignment, judged by the function's tests.

This status is shown on students' machines, in feedback and on staff pages. It depends only on the call graph and on
results that may be shown, so it reveals nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from autograder.checks.results import Test, TestResult, by_question
from autograder.checks.source import CallGraph
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import WRONG_OR_NO_VALUE, Kind

_KINDS_MOST_SERIOUS_FIRST = list(Kind)


class Status(Enum):
    """Status of a function."""

    RIGHT = auto()
    RIGHT_ONCE_FIXED = auto()
    """Right if a wrong function that it uses is made to return correct values."""
    MISTAKEN = auto()
    """Wrong because of a mistake in the function itself."""
    INHERITED = auto()
    """Wrong in the same way as a function that it uses, and possibly only because of that function."""
    COMPARED = auto()
    """Wrong, but only in tests that also call another wrong function, which might be the only reason."""
    WAITING = auto()
    """Written, but dependent on another function that is not written yet or raises an exception."""
    UNREACHED = auto()
    """Not defined, because the file stops before the definition."""
    UNFINISHED = auto()


@dataclass(frozen=True)
class FunctionStatus:
    """The status of one function, and the mistakes to explain."""

    name: str
    test_results: list[TestResult]
    status: Status
    cause: str | None = None
    """The other function that has to be written or fixed first."""
    mistakes: tuple[TestResult, ...] = ()
    """Mistakes in the function itself, most serious kind first; within a kind, those with a known cause first."""
    lacks_promised_error: bool = False
    """True if the function passes all its tests but never raises, although its docstring has a `Raises` line."""

    @property
    def is_right(self) -> bool:
        """True if no test of the function fails."""
        return self.status in (Status.RIGHT, Status.RIGHT_ONCE_FIXED)


def function_statuses(test_results: Iterable[TestResult], call_graph: CallGraph | None = None) -> list[FunctionStatus]:
    """Return the status of each function that has test results, in the order of the results.

    `call_graph` is the submission's call graph, or None if follow-through has shown that each remaining
    failure is in the tested function itself.
    """
    groups = by_question(result for result in test_results if result.test.question != ANSWERS)
    origins = _causes_in_other_functions(groups, call_graph) if call_graph else {}
    return [_function_status(name, group, call_graph, origins) for name, group in groups.items()]


def _function_status(
    name: str, group: list[TestResult], call_graph: CallGraph | None, origins: Mapping[Test, str]
) -> FunctionStatus:
    if mistakes := sorted((result for result in group if result.is_mistake), key=_kind_and_hint):
        if in_itself := tuple(mistake for mistake in mistakes if mistake.test not in origins):
            return FunctionStatus(name, group, Status.MISTAKEN, None, in_itself)
        origin = origins[mistakes[0].test]
        is_used = call_graph is not None and origin in call_graph.dependencies(name)
        return FunctionStatus(name, group, Status.INHERITED if is_used else Status.COMPARED, origin)
    kinds = {result.kind for result in group}
    other = next((result.faulty_function for result in group if result.faulty_function), None)
    if kinds == {None}:
        replies = [reply for result in group for call, reply in result.calls.items() if call.function == name]
        is_silent = not any(reply.raised for reply in replies)  # in the calls that the tests made
        promises = is_silent and call_graph is not None and call_graph.lacks_promised_error(name)
        status = Status.RIGHT_ONCE_FIXED if other else Status.RIGHT
        return FunctionStatus(name, group, status, other, lacks_promised_error=promises)
    if Kind.NOT_REACHED in kinds:
        return FunctionStatus(name, group, Status.UNREACHED)
    if Kind.WAITING in kinds and Kind.NOT_WRITTEN not in kinds:
        return FunctionStatus(name, group, Status.WAITING, other)
    return FunctionStatus(name, group, Status.UNFINISHED)


def _causes_in_other_functions(groups: Mapping[str, list[TestResult]], call_graph: CallGraph) -> dict[Test, str]:
    """Map each failed test to the other function, if any, whose mistake might be the only cause of the failure.

    A failed test with no suspects reveals a mistake in the tested function itself, which can then be the cause of other
    failures. Tests of functions that are suspects only in each other's tests are not mapped.
    """
    mistakes = [result for group in groups.values() for result in group if result.is_mistake]
    suspects = {mistake.test: _suspects(mistake, groups, call_graph) for mistake in mistakes}
    open_tests = set(suspects)
    in_itself: set[Test] = set()
    origins: dict[Test, str] = {}
    while open_tests:
        decided = {
            test
            for test in open_tests
            if not any(cause.test in open_tests or cause.test in in_itself for cause in suspects[test])
        }
        in_itself |= decided
        for test in open_tests - decided:
            if causes := [cause.test.question for cause in suspects[test] if cause.test in in_itself]:
                origins[test] = causes[0]
        if not decided and open_tests.isdisjoint(origins):
            break
        open_tests -= decided | origins.keys()
    return origins


def _suspects(mistake: TestResult, groups: Mapping[str, list[TestResult]], call_graph: CallGraph) -> list[TestResult]:
    """Return mistakes in other functions that could each be the only cause of this mistake, dependencies first.

    The candidates are the functions that the tested function uses or that the test calls, except functions that build
    on the tested function. If the tested function returned a wrong value for the arguments that it received, only the
    functions that it uses are candidates. A mistake with a known cause has no suspects unless one of the candidates has
    a mistake with the same known cause.
    """
    name = mistake.test.question
    called = set() if mistake.is_at_fault else {call.function for call in mistake.calls} & groups.keys() - {name}
    used = call_graph.dependencies(name).union(called, *map(call_graph.dependencies, called)) & groups.keys()
    others = [other for other in used - {name} if name not in call_graph.dependencies(other)]
    suspects = [other for each in call_graph.topological_order(others) for other in groups[each] if other.is_mistake]
    if mistake.hint not in {None, *(other.hint for other in suspects)}:
        return []
    kinds = {_kind_caused_in_callers(mistake)} | ({Kind.VALUE} if mistake.kind is Kind.ACCEPTED else set())
    return [other for other in suspects if _kind_caused_in_callers(other) in kinds]


def _kind_caused_in_callers(mistake: TestResult) -> Kind | None:
    """Return the kind of mistake that this one causes in callers: wrong values, or the same kind."""
    return Kind.VALUE if mistake.kind in WRONG_OR_NO_VALUE else mistake.kind


def _kind_and_hint(mistake: TestResult) -> tuple[int, bool]:
    return (_KINDS_MOST_SERIOUS_FIRST.index(mistake.kind) if mistake.kind else 0), mistake.hint is None
