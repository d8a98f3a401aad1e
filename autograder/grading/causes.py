"""From all that a submission was seen to do, the likely cause of each mistake: told once, where it sits, and only if it fits.

While a suite runs, every call of the submission is kept with what came of it. Afterwards it is worked out what each known mistake
makes of these calls, and one is named by the rule that holds on a student's machine too (`autograder.checks.explanation`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.checks import call, codec
from autograder.checks.call import ANSWERS, Raised, Reply
from autograder.checks.expect import difference
from autograder.checks.explanation import Hints, Rounded, Row, explanations, joined, missing_refusals, outcome, rounding_error
from autograder.checks.failure import VALUES, Kind
from autograder.checks.proxy import Backend, Refusal
from autograder.checks.source import Blocks
from autograder.checks.test_result import Phase, TestResult
from autograder.course import Assignment
from autograder.grading import catalogue, generated
from autograder.grading.catalogue import Misconception

LOOKED_AT = 32 * 1024
"""Bytes of a call, and of what came of it, up to which it is looked at here: a call may hand back what a submission returned."""

_TOO_LARGE = Reply(raised=Raised("a result too large to look at", (), ""))
"""In the place of a larger result."""

_REFUSALS = frozenset({Kind.NO_ERROR, Kind.WRONG_ERROR})


@dataclass(frozen=True, eq=False)
class Seen:
    """One call of a submission's function, and what came of it."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    reply: Reply


@dataclass(frozen=True)
class Observed:
    """How one test came out, and the calls that it made."""

    result: TestResult
    calls: tuple[Seen, ...]


class Watch:
    """A submission's backend that keeps what came of every call."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.calls: list[Seen] = []

    @property
    def failure(self) -> Raised | None:
        return self.backend.failure

    def call(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], measured: bool) -> Reply:
        reply = self.backend.call(function, args, kwargs, measured)
        if function != ANSWERS:
            kept = reply if len(reply.value) <= LOOKED_AT else _TOO_LARGE
            self.calls.append(Seen(function, args, kwargs, kept))
        return reply

    def taken(self) -> tuple[Seen, ...]:
        """The calls since this was last asked."""
        calls, self.calls = self.calls, []
        return tuple(calls)


def named(assignment: Assignment, observed: Sequence[Observed], cells: Sequence[str]) -> list[TestResult]:
    """The results, with the likely cause on the first mistake that it explains, and the function to fix first where that is another."""
    results = [one.result for one in observed]
    mistaken = list(dict.fromkeys(one.test.question for one in results if one.is_mistake and one.test.question != ANSWERS))
    if not mistaken:
        return results
    evidence = {name: evidence_of(assignment, name, observed) for name in mistaken}
    wrong = [name for name in mistaken if any(row.is_wrong for row in evidence[name])]
    blocks = Blocks("\n".join(cells) if wrong and len(mistaken) > 1 else "")
    below = _below(mistaken, wrong, blocks)
    # Told is only what public tests saw: a submission could choose by a hidden input what is wrong there.
    public = [one for one in observed if one.result.test.phase is Phase.PUBLIC]
    shown = _below(mistaken, [name for name in wrong if any(row.is_wrong for row in evidence_of(assignment, name, public))], blocks)
    hints = {name: hints_of(assignment, name, rows, is_built_on_a_wrong_one=below[name] is not None) for name, rows in evidence.items()}
    given: set[str] = set()
    for place, one in enumerate(observed):
        if one.result.is_mistake and one.result.test.question in hints:
            results[place] = _explained(assignment, one, hints[one.result.test.question], shown[one.result.test.question], given)
    return results


def hints_of(assignment: Assignment, function: str, rows: Sequence[Row], is_built_on_a_wrong_one: bool) -> Hints:
    """What is told of a function. Of a missing refusal only what somebody wrote down: of any other the rule that is broken says more."""
    values = [] if is_built_on_a_wrong_one else explanations(rows, candidates(assignment, function))
    return Hints(hint_of(values), hint_of(missing_refusals(rows, written(assignment, function))))


def hint_of(mistakes: Sequence[Misconception]) -> str | None:
    """What is told of mistakes that explain the same."""
    return joined((one.hint for one in mistakes), (one.place for one in mistakes))


def _explained(assignment: Assignment, one: Observed, hints: Hints, below: str | None, given: set[str]) -> TestResult:
    """One mistake with what is known of it. A hint is given once."""
    result = one.result
    hint = hints.of(result.kind)
    if hint is None and result.kind in _REFUSALS and result.test.phase is Phase.HIDDEN and one.calls:
        hint = _rule_of(assignment, one.calls[-1])
    if hint is None or hint in given:
        hint = result.hint if result.kind in VALUES else None
    else:
        given.add(hint)
    return replace(result, hint=hint, function=below if result.kind in VALUES else result.function) if result.kind in VALUES | _REFUSALS else result


def _below(mistaken: Sequence[str], wrong: Sequence[str], blocks: Blocks) -> dict[str, str | None]:
    """For each function, the wrong one that it builds on, if there is one."""
    return {name: blocks.root_causes([*wrong, name]).get(name) for name in mistaken}


# What was seen


def evidence_of(assignment: Assignment, function: str, observed: Iterable[Observed]) -> list[Row]:
    """Every distinct call of a function."""
    rows: dict[int, Row] = {}
    for one in observed:
        for seen in one.calls:
            if seen.function == function and (found := _row(assignment, seen)) is not None:
                predictions, row = found
                rows.setdefault(id(predictions), row)
    return list(rows.values())


@functools.lru_cache(maxsize=1024)
def _row(assignment: Assignment, seen: Seen) -> tuple[Predictions, Row] | None:
    """A call as evidence; None for one that is too large to look at, and should be. Remembered, since public calls are looked at twice."""
    try:
        encoded, got = codec.message(seen.function, seen.args, seen.kwargs), outcome(seen.reply)
    except (ValueError, codec.Malformed):
        return None
    if len(encoded) > LOOKED_AT:
        return None
    predictions = predictions_of(assignment, encoded)
    if seen.reply is _TOO_LARGE:
        right = predictions.of(None)
        # A right one of that size cannot be told from a wrong one.
        return (
            None
            if _is_large(right)
            else (predictions, Row(got, right, lambda entry: got if _is_large(predictions.of(entry)) else predictions.of(entry)))
        )
    return predictions, Row(got, predictions.of(None), predictions.of)


# What known mistakes predict


def _is_large(value: Any) -> bool:
    return len(codec.encode(value)) > LOOKED_AT if type(value) in (np.ndarray, tuple) else False


class Predictions:
    """What the solution, and each known mistake, makes of one call: worked out when it is first asked for.

    A mistake that makes no difference makes the very object that is right: most leave most calls alone.
    """

    def __init__(self, assignment: Assignment, encoded: bytes) -> None:
        self.assignment = assignment
        self.encoded = encoded
        self.function = str(codec.decode(encoded)[0])
        self.known: dict[Misconception | None, Any] = {}

    def of(self, entry: Misconception | None) -> Any:
        if entry not in self.known:
            self.known[entry] = self._compute(entry)
        return self.known[entry]

    def _compute(self, entry: Misconception | None) -> Any:
        if entry is None:
            return self._run(catalogue.right(self.assignment))
        right = self.of(None)
        if type(right) is Refusal and entry.origin == generated.SIGNATURE:
            return right
        found = self._run(_behaving(self.assignment, entry, self.function))
        if type(right) is Refusal or type(found) is Refusal:
            return right if type(found) is type(right) else found
        if (differs := difference(found, right, None)) is not None and differs[0] is Kind.TYPE:
            return Refusal("no result of the right type")
        if entry.coarse:
            error = rounding_error(found, right)
            return Refusal("no result of the right shape") if error is None else Rounded(error)
        return right if differs is None else found

    def _run(self, module: types.ModuleType) -> Any:
        _, args, kwargs = codec.decode(self.encoded)
        return outcome(call.perform(module, self.function, args, kwargs, measured=False))


@functools.lru_cache(maxsize=1024)
def predictions_of(assignment: Assignment, encoded: bytes) -> Predictions:
    """Remembered, since a test asks the same of every submission; by the call alone, so that none affects another."""
    return Predictions(assignment, encoded)


def _behaving(assignment: Assignment, entry: Misconception, function: str) -> types.ModuleType:
    """A module in which `function` behaves as the mistake makes it."""
    if entry.function != function:
        return _mistaken(assignment, entry)
    module = types.ModuleType(assignment.name)
    module.__file__ = str(assignment.solution)
    setattr(module, function, entry.implementation)
    return module


_mistaken = functools.lru_cache(maxsize=512)(catalogue.mistaken)


def candidates(assignment: Assignment, function: str) -> Iterator[tuple[Misconception, ...]]:
    """The mistakes that can show in a function's results, the likeliest group first.

    The function's own mistakes come before those below it (somebody may have written anew what the solution takes from another
    function), and what somebody wrote into the catalogue before what is only thinkable.
    """
    own, below = written(assignment, function)
    yield from (own, generated.of_signature(assignment, function), generated.of_source(assignment, function), below)


@functools.cache
def written(assignment: Assignment, function: str) -> tuple[tuple[Misconception, ...], tuple[Misconception, ...]]:
    """Those of the catalogue: the function's own, and those of the functions that it builds on."""
    below = Blocks(assignment.solution.read_text(encoding="utf-8")).below(function)
    known = catalogue.entries(assignment)
    return tuple(entry for entry in known if entry.function == function), tuple(entry for entry in known if entry.function in below)


def _rule_of(assignment: Assignment, seen: Seen) -> str | None:
    """The rule behind one refusal, by what the solution says when it refuses, without any value."""
    try:
        refused = catalogue.refusal(assignment, codec.message(seen.function, seen.args, seen.kwargs))
    except ValueError:
        return None
    if refused is None:
        return None
    kind, rule = refused
    if seen.reply.raised is None:
        return f"Your code accepts an argument that breaks this rule: {rule}."
    if kind not in seen.reply.raised.bases:
        return f"Your code refuses with another error than {kind}. The rule: {rule}."
    return f"The message of your {kind} does not contain the value. The rule: {rule}."
