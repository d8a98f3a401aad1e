"""The state of each function of an assignment, by its tests.

It is decided here once, and shown on a laptop, in the feedback and to staff.

It follows from what may be told of each test and from what builds on what, so that to tell it gives nothing else away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from autograder.checks.results import TestResult, by_question
from autograder.checks.source import CallGraph
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import VALUES, Kind

_DEPTHS = list(Kind)


class State(Enum):
    """State of a function."""

    RIGHT = auto()
    GIVEN = auto()
    """right with right values in the place of a function that it builds on"""
    MISTAKEN = auto()
    """with a mistake of its own"""
    BUILT_ON = auto()
    """wrong as a function is that it builds on, which may be all"""
    WAITING = auto()
    """written, and calls a function that is not, or that raises an exception"""
    UNREACHED = auto()
    """the file stops before it is defined"""
    UNFINISHED = auto()


@dataclass(frozen=True)
class FunctionState:
    """State of one function, and the mistakes to explain."""

    name: str
    test_results: list[TestResult]
    state: State
    cause: str | None = None
    """the other function to fix, or to wait for"""
    own: tuple[TestResult, ...] = ()
    """the mistakes of its own, the deepest first, and of those the ones with a known cause"""
    promises_an_error: bool = False
    """whether it is right so far, and raises nothing though its docstring has a line `Raises`"""

    @property
    def is_right(self) -> bool:
        """True if nothing of the function fails."""
        return self.state in (State.RIGHT, State.GIVEN)


def function_states(test_results: Iterable[TestResult], call_graph: CallGraph | None = None) -> list[FunctionState]:
    """Every function of these results, in their order.

    `blocks`: what builds on what in the submission, where no follow-through has shown that what fails still is each
    function's own.
    """
    groups = by_question(result for result in test_results if result.test.question != ANSWERS)
    return [_function_state(name, groups, call_graph) for name in groups]


def _function_state(name: str, groups: Mapping[str, list[TestResult]], call_graph: CallGraph | None) -> FunctionState:
    group = groups[name]
    if mistakes := sorted((result for result in group if result.is_mistake), key=_deepest_first):
        below = call_graph.topological_order(call_graph.below(name) & groups.keys()) if call_graph else []
        slips = [result for other in below for result in groups[other] if result.is_mistake]
        told = {None, *(slip.hint for slip in slips)}  # a likely cause is told where it sits, and not again above
        inherited = {_alike(slip): slip.test.question for slip in slips[::-1]}
        if own := tuple(one for one in mistakes if one.hint not in told or _alike(one) not in inherited):
            return FunctionState(name, group, State.MISTAKEN, None, own)
        return FunctionState(name, group, State.BUILT_ON, inherited[_alike(mistakes[0])])
    kinds = {result.kind for result in group}
    other = next((result.replaced for result in group if result.replaced), None)
    if kinds == {None}:
        replies = [reply for result in group for call, reply in result.calls.items() if call.function == name]
        is_silent = not any(reply.raised for reply in replies)  # as far as the tests have asked
        promises = is_silent and call_graph is not None and call_graph.promises_an_error(name)
        return FunctionState(name, group, State.GIVEN if other else State.RIGHT, other, promises_an_error=promises)
    if Kind.NOT_REACHED in kinds:
        return FunctionState(name, group, State.UNREACHED)
    if Kind.WAITING in kinds and Kind.NOT_WRITTEN not in kinds:
        return FunctionState(name, group, State.WAITING, other)
    return FunctionState(name, group, State.UNFINISHED)


def _alike(mistake: TestResult) -> Kind | None:
    """Mistakes of which one below may be behind one above: wrong values, or the same kind of anything else."""
    return Kind.VALUE if mistake.kind in VALUES else mistake.kind


def _deepest_first(mistake: TestResult) -> tuple[int, bool]:
    return (_DEPTHS.index(mistake.kind) if mistake.kind else 0), mistake.hint is None
