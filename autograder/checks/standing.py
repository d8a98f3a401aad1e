"""How each function of an assignment stands, by its tests: decided here once, and told on a laptop, in the feedback and
to staff.

It follows from what may be told of each test and from what builds on what, so that to tell it gives nothing else away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from autograder.checks.results import TestResult, by_question
from autograder.checks.source import Blocks
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import REFUSALS, VALUES, Kind
from autograder.protocol.status import TestStatus

INHERITED = (Kind.DTYPE, Kind.LOOP)
"""Mistakes that a function has wherever it calls one that has them."""


class State(Enum):
    """How a function stands."""

    RIGHT = auto()
    GIVEN = auto()
    """right beside the known mistake of a function that it builds on"""
    MISTAKEN = auto()
    """with a mistake of its own"""
    BUILT_ON = auto()
    """its values are not right, and it builds on a function whose values are not"""
    SHARED = auto()
    """not right, as another function with which it shares a helper that no right one uses"""
    COMPARED = auto()
    """not right only where its tests also call a function that is not right by itself"""
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
    """the other function to fix, or to wait for; of a mistaken one, the function whose mistake its values have too"""

    @property
    def own(self) -> list[TestResult]:
        """The mistakes of its own: a wrong value is not, where that may come from below, nor a refusal that is missing
        there. First those with a known cause, then those whose test speaks of them."""
        mistakes = [result for result in self.test_results if result.is_mistake and not _is_missing_below(result)]
        if self.cause is not None:
            mistakes = [result for result in mistakes if _kind(result) not in VALUES]
        return sorted(mistakes, key=lambda mistake: (mistake.hint is None, mistake.is_about_something_else))

    @property
    def is_right(self) -> bool:
        return self.state in (State.RIGHT, State.GIVEN)


def standings(test_results: Iterable[TestResult], blocks: Blocks) -> list[Standing]:
    """Every function of these results, in their order. `blocks`: what builds on what in the submission."""
    results = [result for result in test_results if result.test.question != ANSWERS]
    changing = {result.test.question for result in results if result.kind is Kind.CHANGED}
    groups = by_question(_told(result, blocks, changing) for result in results)
    mistakes = by_question(result for group in groups.values() for result in group if result.is_mistake)
    # A wrong value shows in what is built on it, and so does a dtype that is too coarse. A dtype or a loop shows there
    # as itself; a missing refusal is each function's own.
    wrong = {name: missed for name, missed in mistakes.items() if any(_kind(result) in VALUES for result in missed)}
    of_kind = {
        kind: [name for name, missed in mistakes.items() if any(_kind(result) is kind for result in missed)]
        for kind in INHERITED
    }
    inherited = {kind: blocks.root_causes(names) for kind, names in of_kind.items()}
    unwritten = {name for name, group in groups.items() if not any(result.passed for result in group)}
    roots = blocks.root_causes(wrong, also=of_kind[Kind.DTYPE])
    compared = {name: roots.get(other, other) for name, other in _compared_with(wrong).items()}
    shared = {
        name: cause
        for name, cause in blocks.sharing([name for name in wrong if name not in roots], groups.keys() - wrong).items()
        if not any(mistake.hint for mistake in wrong[name])
    }
    causes: dict[State, Mapping[str, str]] = {State.BUILT_ON: roots, State.COMPARED: compared, State.SHARED: shared}
    functions = []
    for name, group in groups.items():
        if name not in mistakes:
            functions.append(Standing(name, group, *_without_mistakes(group, unwritten - {name})))
            continue
        cause, state = roots.get(name), State.MISTAKEN
        own = [result for result in mistakes[name] if not _is_missing_below(result)]
        below = [inherited[_kind(result)][name] for result in own if name in inherited.get(_kind(result), ())]
        if len(below) == len(own):
            cause = cause or [*below, mistakes[name][0].function][0]
            state = State.BUILT_ON if cause in blocks.below(name) else State.SHARED
        elif all(_kind(result) in VALUES for result in own):
            state = next((state for state, known in causes.items() if name in known), State.MISTAKEN)
            cause = causes[state][name] if state in causes else None
        functions.append(Standing(name, group, state, cause))
    return functions


def _told(result: TestResult, blocks: Blocks, changing: Collection[str]) -> TestResult:
    """A result with the rule that its function breaks, or the function below that changes the argument for it."""
    name = result.test.question
    if result.is_about_something_else:
        return replace(result, said_instead=blocks.rule(name))
    below = sorted(blocks.below(name).intersection(changing)) if result.kind is Kind.CHANGED else []
    return replace(result, function=below[0]) if below else result


def root_first(standings: list[Standing]) -> list[Standing]:
    """Functions whose mistake shows in others before all others."""
    roots = {standing.cause for standing in standings}
    return sorted(standings, key=lambda standing: standing.name not in roots)


def _kind(mistake: TestResult) -> Kind:
    """The kind of a mistake; to give no answer at all counts as an exception."""
    return mistake.kind or Kind.RAISED


def _is_missing_below(mistake: TestResult) -> bool:
    """Whether it is a missing refusal, or a changed argument, that a function below has as well."""
    return mistake.kind in REFUSALS | {Kind.CHANGED} and mistake.function is not None


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


def _compared_with(wrong: Mapping[str, Collection[TestResult]]) -> dict[str, str]:
    """For each function that fails, without a known cause, only in tests that also call another: that one, if it fails
    by itself."""
    by_itself = [name for name, missed in wrong.items() if any(set(mistake.test.calls) <= {name} for mistake in missed)]
    causes = {}
    for name, missed in wrong.items():
        others = [other for other in by_itself if all(other in mistake.test.calls for mistake in missed)]
        if others and name not in by_itself and not any(mistake.hint for mistake in missed):
            causes[name] = others[0]
    return causes
