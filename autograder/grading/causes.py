"""From all that a submission was seen to do, the likely cause of each mistake: told once, where it sits, and only if it fits.

While a suite runs, every call of the submission is kept with what came of it. Afterwards a known mistake is named for a
function only if it explains every one of these calls: right where the submission was right, and wrong with the same value
where it was wrong. What no known mistake explains is told plainly, by the tests' own sentences: a false cause is worse than none.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.checks import call, codec
from autograder.checks.blocks import Blocks, building_blocks
from autograder.checks.call import ANSWERS, Raised, Reply
from autograder.checks.expect import TOLERANCE, difference
from autograder.checks.failure import VALUES, Kind
from autograder.checks.proxy import Backend
from autograder.checks.reference import TOLD
from autograder.checks.test_result import Phase, TestResult
from autograder.course import Assignment
from autograder.grading import catalogue, generated
from autograder.grading.catalogue import Misconception

LOOKED_AT = 32 * 1024
"""Bytes of a call, and of what came of it, up to which it is looked at here: a call may hand back what a submission returned."""

COARSENESS = 30
"""Two ways of computing in single precision err alike up to about this factor."""

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
        if function != ANSWERS and len(reply.value) <= LOOKED_AT:
            self.calls.append(Seen(function, args, kwargs, reply))
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
    blocks = building_blocks("\n".join(cells) if wrong and len(mistaken) > 1 else "")
    below = _below(mistaken, wrong, blocks)
    # Told is only what public tests saw: a submission could choose by a hidden input what is wrong there.
    public = [one for one in observed if one.result.test.phase is Phase.PUBLIC]
    shown = _below(mistaken, [name for name in wrong if any(row.is_wrong for row in evidence_of(assignment, name, public))], blocks)
    hints = {
        name: _Hints(None if below[name] else told(explanations(assignment, name, rows)), told(missing_refusals(assignment, name, rows)))
        for name, rows in evidence.items()
    }
    given: set[str] = set()
    for place, one in enumerate(observed):
        if one.result.is_mistake and one.result.test.question in hints:
            results[place] = _explained(assignment, one, hints[one.result.test.question], shown[one.result.test.question], given)
    return results


@dataclass(frozen=True)
class _Hints:
    values: str | None
    refusals: str | None


def _explained(assignment: Assignment, one: Observed, hints: _Hints, below: str | None, given: set[str]) -> TestResult:
    """One mistake with what is known of it. A hint is given once."""
    result = one.result
    if result.kind in VALUES:
        hint = hints.values if hints.values not in given else None
        given.add(hint or "")
        return replace(result, hint=hint or result.hint, function=below)
    if result.kind in _REFUSALS:
        hint = hints.refusals if result.kind is Kind.NO_ERROR and hints.refusals else None
        if hint is None and result.test.phase is Phase.HIDDEN and one.calls:
            hint = _rule_of(assignment, one.calls[-1])
        if hint in given:
            hint = None
        given.add(hint or "")
        return replace(result, hint=hint)
    return result


def _below(mistaken: Sequence[str], wrong: Sequence[str], blocks: Blocks) -> dict[str, str | None]:
    """For each function, the wrong one that it builds on, if there is one."""
    return {name: blocks.root_causes([*wrong, name]).get(name) for name in mistaken}


# What was seen


@dataclass(frozen=True)
class Refusal:
    """An exception in the place of a value."""

    kind: str


@dataclass(frozen=True, eq=False)
class Row:
    """One call of a function, encoded; what came of it, and what is right."""

    call: bytes
    got: Any
    right: Any

    @property
    def is_refusal(self) -> bool:
        """Whether the right answer is an error."""
        return type(self.right) is Refusal

    @property
    def accepted(self) -> bool:
        return type(self.got) is not Refusal

    @functools.cached_property
    def is_wrong(self) -> bool:
        """Whether a value was wanted, and another thing came."""
        return not self.is_refusal and not _same(self.got, self.right)


def evidence_of(assignment: Assignment, function: str, observed: Iterable[Observed]) -> list[Row]:
    """Every distinct call of a function."""
    rows: dict[bytes, Row] = {}
    for one in observed:
        for seen in one.calls:
            if seen.function == function and (row := _row(assignment, seen)) is not None:
                rows.setdefault(row.call, row)
    return list(rows.values())


@functools.lru_cache(maxsize=1024)
def _row(assignment: Assignment, seen: Seen) -> Row | None:
    """A call as evidence; None for one that is too large to look at. Remembered, since public calls are looked at twice."""
    try:
        encoded, got = codec.message(seen.function, seen.args, seen.kwargs), _outcome(seen.reply)
    except (ValueError, codec.Malformed):
        return None
    return Row(encoded, got, _predictions(assignment, encoded).of(None)) if len(encoded) <= LOOKED_AT else None


def _outcome(reply: Reply) -> Any:
    return Refusal(reply.raised.kind) if reply.raised is not None else codec.decode(reply.value)


def _same(got: Any, wanted: Any) -> bool:
    """Whether two outcomes are the same one, within what a test allows."""
    if type(got) is Refusal or type(wanted) is Refusal:
        return type(got) is type(wanted) and bool(got == wanted)
    if type(got) is np.ndarray and type(wanted) is np.ndarray and got.dtype == wanted.dtype == np.float64:
        # Nearly all results, and hundreds of predictions to compare each with: no words needed, as `difference` has them.
        if got.shape != wanted.shape:
            return False
        with np.errstate(all="ignore"):
            near = np.abs(got - wanted) <= TOLERANCE[got.dtype] * (1 + np.abs(wanted))
        if near.all():
            return True
        if np.isfinite(got).all():
            return False
    return difference(got, wanted, None) is None


# What known mistakes predict


class _Predictions:
    """What the solution, and each known mistake, makes of one call: worked out when it is first asked for."""

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
        _, args, kwargs = codec.decode(self.encoded)
        module = _behaving(self.assignment, entry, self.function)
        outcome = _outcome(call.perform(module, self.function, args, kwargs, measured=False))
        if entry is None:
            return outcome
        right = self.of(None)
        if type(right) is not Refusal and type(outcome) is not Refusal and not _is_comparable(outcome, right):
            return Refusal("no result of the right type")
        # Most mistakes leave most calls alone: then there is one value to keep.
        return right if _identical(outcome, right) else outcome


def _is_comparable(outcome: Any, right: Any) -> bool:
    found = difference(outcome, right, None)
    return found is None or found[0] is not Kind.TYPE


def _identical(one: Any, other: Any) -> bool:
    return type(one) is np.ndarray and type(other) is np.ndarray and one.dtype == other.dtype and np.array_equal(one, other)


def difference_made(assignment: Assignment, entry: Misconception, encoded: bytes) -> Any:
    """What a known mistake makes of a call; None where that is right."""
    predictions = _predictions(assignment, encoded)
    right, outcome = predictions.of(None), predictions.of(entry)
    return None if _same(outcome, right) or (type(outcome) is type(right) is Refusal) else outcome


def _behaving(assignment: Assignment, entry: Misconception | None, function: str) -> types.ModuleType:
    """A module in which `function` behaves as the mistake makes it; without a mistake, the solution."""
    if entry is None:
        return catalogue.right(assignment)
    if entry.function != function:
        return _mistaken(assignment, entry)
    module = types.ModuleType(assignment.name)
    module.__file__ = str(assignment.solution)
    setattr(module, function, entry.implementation)
    return module


_mistaken = functools.lru_cache(maxsize=512)(catalogue.mistaken)


@functools.cache
def candidates(assignment: Assignment, function: str) -> dict[str, tuple[Misconception, ...]]:
    """The mistakes that can show in a function's results, the likeliest group first.

    The function's own mistakes come before those below it (somebody may have written anew what the solution takes from another
    function), and what somebody wrote into the catalogue before what is only thinkable.
    """
    below = building_blocks(assignment.solution.read_text(encoding="utf-8")).below(function)
    known = catalogue.entries(assignment)
    return {
        "own": tuple(entry for entry in known if entry.function == function),
        "signature": generated.of_signature(assignment, function),
        "source": generated.of_source(assignment, function),
        "below": tuple(entry for entry in known if entry.function in below),
    }


WRITTEN = ("own", "below")
"""The groups that somebody wrote down."""


@functools.lru_cache(maxsize=1024)
def _predictions(assignment: Assignment, encoded: bytes) -> _Predictions:
    """Remembered, since a test asks the same of every submission; by the call alone, so that none affects another."""
    return _Predictions(assignment, encoded)


_Explains = Callable[[Assignment, Misconception, Sequence[Row]], bool]


def explanations(assignment: Assignment, function: str, rows: Sequence[Row]) -> list[Misconception]:
    """The nearest known mistakes that explain all wrong values of a function; none where it has none.

    An exception alone says too little: very different mistakes end in the same one.
    """
    return _first(assignment, function, [row for row in rows if row.is_wrong and row.accepted], rows, _explains_values)


def missing_refusals(assignment: Assignment, function: str, rows: Sequence[Row]) -> list[Misconception]:
    """The nearest known mistakes that accept exactly the bad arguments that a function accepted; best those with its very values.

    Only those that somebody wrote down: of any other the rule that is broken says more.
    """
    accepted = [row for row in rows if row.is_refusal and row.accepted]
    alike = _first(assignment, function, accepted, rows, _explains_refusals, WRITTEN)
    return [one for one in alike if all(_same(row.got, _predictions(assignment, row.call).of(one)) for row in accepted)] or alike


def _first(
    assignment: Assignment, function: str, faults: list[Row], rows: Sequence[Row], explains: _Explains, among: Container[str] | None = None
) -> list[Misconception]:
    """Of the nearest group that explains all rows, those that do. Most are out at the first fault."""
    for group in candidates(assignment, function) if faults else ():
        if among is not None and group not in among:
            continue
        left = [one for one in _like(assignment, function, group, faults[0], explains) if explains(assignment, one, rows)]
        if left:
            return left
    return []


@functools.lru_cache(maxsize=256)
def _like(assignment: Assignment, function: str, group: str, fault: Row, explains: _Explains) -> list[Misconception]:
    """The known mistakes of a group that explain one fault. Remembered, since it is asked before hidden tests and after them."""
    return [one for one in candidates(assignment, function)[group] if explains(assignment, one, [fault])]


def told(entries: Sequence[Misconception]) -> str | None:
    """The hints of mistakes that explain the same; where they are many, what they share: their place, or nothing."""
    hints = list(dict.fromkeys(one.hint for one in entries))
    if len(hints) > TOLD:
        hints = list({one.place for one in entries})
        hints = hints if len(hints) == 1 else []
    return " Or: ".join(hints) or None


def _explains_values(assignment: Assignment, entry: Misconception, rows: Sequence[Row]) -> bool:
    for row in rows:
        predicted = _predictions(assignment, row.call).of(entry)
        if row.is_refusal:
            if type(predicted) is not Refusal and not row.accepted:
                return False
        elif not (_coarsely_same if entry.coarse else _fits)(row, predicted):
            return False
    return True


def _explains_refusals(assignment: Assignment, entry: Misconception, rows: Sequence[Row]) -> bool:
    for row in rows:
        predicted = _predictions(assignment, row.call).of(entry)
        if row.is_refusal:
            if (type(predicted) is not Refusal) != row.accepted:
                return False
        elif not (_same(predicted, row.right) or _same(row.got, predicted)):
            return False
    return True


def _fits(row: Row, predicted: Any) -> bool:
    return _same(row.got, predicted) if row.is_wrong else predicted is row.right or _same(predicted, row.right)


def _coarsely_same(row: Row, predicted: Any) -> bool:
    """Whether both err by a little and alike: the digits of two ways of losing precision differ."""
    errors = [_largest_error(one, row.right) for one in (row.got, predicted)]
    if None in errors:
        return False
    got, wanted = (max(error or 0.0, 1e-9) for error in errors)
    return max(got, wanted) < 0.5 and wanted / COARSENESS <= got <= COARSENESS * wanted


def _largest_error(value: Any, right: Any) -> float | None:
    """Relative to 1 + |right|, over all parts; None where the two cannot be compared."""
    parts = [part if type(part) in (tuple, list) else (part,) for part in (value, right)]
    if len(parts[0]) != len(parts[1]):
        return None
    largest = 0.0
    for got, wanted in zip(*parts, strict=True):
        if difference(got, wanted, np.inf) is not None:
            return None
        got, wanted = (np.asarray(one, dtype=np.float64) for one in (got, wanted))
        finite = np.isfinite(wanted)
        if not (np.isfinite(got) == finite).all():
            return None
        if finite.any():
            largest = max(largest, float((np.abs(got - wanted) / (1 + np.abs(wanted)))[finite].max()))
    return largest


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
    return f"The message of your {kind} does not carry the value. The rule: {rule}."
