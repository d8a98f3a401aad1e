"""How each function of an assignment stands, by its tests: decided here once, and told on a laptop, in the feedback and
to staff.

It follows from what may be told of each test and from what builds on what, so that to tell it gives nothing else away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

from autograder.checks.results import TestResult, by_question
from autograder.checks.source import Blocks
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import REFUSALS, VALUES, Kind
from autograder.protocol.status import TestStatus

DEPTHS = (
    {Kind.VALUE},
    {Kind.TYPE, Kind.SHAPE, Kind.RAISED, Kind.REFUSED},
    {Kind.DTYPE},
    {Kind.CHANGED, Kind.LOOP},
    REFUSALS,
)
"""Kinds of mistakes, the deepest first: a wrong value says more of a function than a refusal that is missing."""


class State(Enum):
    """How a function stands."""

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
class Standing:
    """One function, and what there is to say of it."""

    name: str
    test_results: list[TestResult]
    state: State
    cause: str | None = None
    """the other function to fix, or to wait for"""
    own: tuple[TestResult, ...] = ()
    """the mistakes of its own, the deepest first, and of those the ones with a known cause"""

    @property
    def is_right(self) -> bool:
        return self.state in (State.RIGHT, State.GIVEN)


def standings(test_results: Iterable[TestResult], blocks: Blocks, followed: bool = False) -> list[Standing]:
    """Every function of these results, in their order.

    `blocks`: what builds on what in the submission; `followed`: whether follow-through has shown that what fails still
    is each function's own.
    """
    results = [_told(result, blocks) for result in test_results if result.test.question != ANSWERS]
    groups = by_question(results)
    unwritten = {name for name, group in groups.items() if not any(result.passed for result in group)}
    alike: dict[str, set[str]] = {}
    for result in results:
        if result.is_mistake:
            alike.setdefault(_alike(result), set()).add(result.test.question)
    found = []
    for name, group in groups.items():
        mistakes = sorted((result for result in group if result.is_mistake), key=_deepest_first)
        if not mistakes:
            found.append(Standing(name, group, *_without_mistakes(group, unwritten - {name})))
            continue
        below = {result.test: _lowest(blocks, name, alike[_alike(result)]) for result in mistakes}
        own = tuple(result for result in mistakes if followed or result.hint or not below[result.test])
        if own:
            found.append(Standing(name, group, State.MISTAKEN, None, own))
        else:
            found.append(Standing(name, group, State.BUILT_ON, below[mistakes[0].test]))
    return found


def _told(result: TestResult, blocks: Blocks) -> TestResult:
    """A result with the rule that its function breaks, where its test speaks of something else."""
    return replace(result, said_instead=blocks.rule(result.test.question)) if result.is_about_something_else else result


def _alike(mistake: TestResult) -> str:
    """Mistakes of which one below may be behind one above: wrong values, or the same kind of anything else."""
    kind = mistake.kind or Kind.RAISED
    return "values" if kind in VALUES else "refusals" if kind in REFUSALS else kind.name


def _deepest_first(mistake: TestResult) -> tuple[int, bool, bool]:
    depth = next((depth for depth, kinds in enumerate(DEPTHS) if (mistake.kind or Kind.RAISED) in kinds), len(DEPTHS))
    return depth, mistake.is_about_something_else, mistake.hint is None


def _lowest(blocks: Blocks, name: str, others: Collection[str]) -> str | None:
    """The lowest of some functions that a function builds on."""
    return next(iter(blocks.lowest_first(blocks.below(name).intersection(others) - {name})), None)


def root_first(standings: list[Standing]) -> list[Standing]:
    """Functions whose mistake shows in others before all others."""
    roots = {standing.cause for standing in standings}
    return sorted(standings, key=lambda standing: standing.name not in roots)


def _without_mistakes(test_results: list[TestResult], unwritten: Collection[str]) -> tuple[State, str | None]:
    """`unwritten`: the other functions of which no test passes."""
    if all(result.passed for result in test_results):
        given = next((result.function for result in test_results if result.function), None)
        return (State.GIVEN if given else State.RIGHT), given
    if all(result.kind is Kind.NOT_REACHED for result in test_results):
        return State.UNREACHED, None
    waiting = next((result for result in test_results if result.status is TestStatus.WAITING), None)
    if waiting is not None and not any(result.status is TestStatus.NOT_IMPLEMENTED for result in test_results):
        return State.WAITING, waiting.function
    called = [
        [name for name in result.test.calls if name in unwritten]
        for result in test_results
        if result.status is TestStatus.NOT_IMPLEMENTED
    ]
    if called and all(called) and any(result.passed for result in test_results):
        return State.WAITING, called[0][0]  # only tests that also call another function do not pass
    return State.UNFINISHED, None
