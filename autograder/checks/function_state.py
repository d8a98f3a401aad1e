"""The state of each function of an assignment, judged by the function's tests.

Students' machines, feedback and staff pages all show this state. The state depends only on the call graph and
on results that may be shown, so it reveals nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from autograder.checks.results import TestResult, by_question
from autograder.checks.source import CallGraph
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import WRONG_OR_NO_VALUE, Kind

_KINDS_BY_DEPTH = list(Kind)


class State(Enum):
    """State of a function."""

    RIGHT = auto()
    RIGHT_ONCE_FIXED = auto()
    """Right as soon as another function that this function uses is fixed."""
    MISTAKEN = auto()
    """Wrong because of a mistake in the function itself."""
    INHERITED = auto()
    """Wrong in the same way as another function that this function uses, which may be the only cause."""
    WAITING = auto()
    """Written, but dependent on another function that is not written or raises an exception."""
    UNREACHED = auto()
    """Not defined, because the file stops before the definition."""
    UNFINISHED = auto()


@dataclass(frozen=True)
class FunctionState:
    """State of one function, and the mistakes to explain."""

    name: str
    test_results: list[TestResult]
    state: State
    cause: str | None = None
    """The other function that has to be written or fixed first."""
    mistakes: tuple[TestResult, ...] = ()
    """Mistakes in the function itself, the deepest first; at equal depth, those with a known cause first."""
    lacks_promised_error: bool = False
    """True if the function passes all tests but never raises, although its docstring has a `Raises` line."""

    @property
    def is_right(self) -> bool:
        """True if no test of the function fails."""
        return self.state in (State.RIGHT, State.RIGHT_ONCE_FIXED)


def function_states(test_results: Iterable[TestResult], call_graph: CallGraph | None = None) -> list[FunctionState]:
    """Return the state of each function that has test results, in the order of the results.

    `call_graph` is the submission's call graph, or None if follow-through has shown that each remaining
    failure is in the tested function itself.
    """
    groups = by_question(result for result in test_results if result.test.question != ANSWERS)
    return [_function_state(name, groups, call_graph) for name in groups]


def _function_state(name: str, groups: Mapping[str, list[TestResult]], call_graph: CallGraph | None) -> FunctionState:
    group = groups[name]
    if mistakes := sorted((result for result in group if result.is_mistake), key=_deepest_first):
        graph_order = call_graph.topological_order(call_graph.dependencies(name) & groups.keys()) if call_graph else []
        mistakes_below = [result for function in graph_order for result in groups[function] if result.is_mistake]
        hints_below = {None, *(mistake.hint for mistake in mistakes_below)}  # show each cause once
        sources = {_inheritable_kind(mistake): mistake.test.question for mistake in mistakes_below[::-1]}
        in_itself = tuple(
            mistake
            for mistake in mistakes
            if mistake.hint not in hints_below or _inheritable_kind(mistake) not in sources
        )
        if in_itself:
            return FunctionState(name, group, State.MISTAKEN, None, in_itself)
        return FunctionState(name, group, State.INHERITED, sources[_inheritable_kind(mistakes[0])])
    kinds = {result.kind for result in group}
    other = next((result.faulty_function for result in group if result.faulty_function), None)
    if kinds == {None}:
        replies = [reply for result in group for call, reply in result.calls.items() if call.function == name]
        is_silent = not any(reply.raised for reply in replies)  # as far as the tests have checked
        promises = is_silent and call_graph is not None and call_graph.lacks_promised_error(name)
        state = State.RIGHT_ONCE_FIXED if other else State.RIGHT
        return FunctionState(name, group, state, other, lacks_promised_error=promises)
    if Kind.NOT_REACHED in kinds:
        return FunctionState(name, group, State.UNREACHED)
    if Kind.WAITING in kinds and Kind.NOT_WRITTEN not in kinds:
        return FunctionState(name, group, State.WAITING, other)
    return FunctionState(name, group, State.UNFINISHED)


def _inheritable_kind(mistake: TestResult) -> Kind | None:
    """Return the kind of mistake that a caller inherits from the function: wrong values, or the same kind."""
    return Kind.VALUE if mistake.kind in WRONG_OR_NO_VALUE else mistake.kind


def _deepest_first(mistake: TestResult) -> tuple[int, bool]:
    return (_KINDS_BY_DEPTH.index(mistake.kind) if mistake.kind else 0), mistake.hint is None
