"""The likely cause of a mistake: a known one is named only if it explains every call that was seen of a function.

It must be right where the submission was right, and wrong with the same value where that was wrong; an exception says
too little. What no known mistake explains is told plainly, by the tests' own sentences: a false cause is worse than
none. Where it is graded, the solution with each mistake in it is asked (`hints.reference`); a student's machine has
marks of what came of that, from which no value can be read (`hints.recorded`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from autograder.checks import call_repr
from autograder.checks.expect import TOLERANCE, difference
from autograder.checks.proxy import REFUSED, parts
from autograder.checks.results import Phase, TestResult
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure import VALUES, Kind

LARGEST = 1e290
"""A value beyond it counts as this one."""

MAX_HINTS = 2
"""Known mistakes that explain the same are all told, up to this many. More of them say nothing."""

UNAFFECTED = object()
"""What a mistake makes of a call where it makes no difference: what is right."""


class Known(Protocol):
    """What is known of an assignment: the solution with each mistake in it, or marks of that."""

    def known(self, function: str) -> Sequence[Sequence[Any]]:
        """The mistakes that can show in the results of a function, group by group, the likelier ones first."""

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None for one that says nothing, as where an exception came or an error is right."""


class Fingerprint(NamedTuple):
    """Enough of a value to recognise it, too little to read it: its shape and two weighted sums. NaN and ±inf count as
    numbers."""

    shape: tuple[int, ...]
    sums: tuple[float, ...]


def fingerprint(value: Any) -> Fingerprint | None:
    """The fingerprint of numbers and arrays, nested or not; None where anything in it is something else."""
    each = parts(value) if type(value) is not list else ()
    if not each or not all(isinstance(part, int | float | np.ndarray | np.generic) for part in each):
        return None
    flat = np.concatenate([np.ravel(part).astype(np.float64, copy=False) for part in each])
    # A masked score is −inf: it must leave the other values their say.
    flat = np.nan_to_num(flat, nan=7.0, posinf=11.0, neginf=-13.0)
    # A sum that overflows is NaN on one processor and infinite on another, by the order in which it is made.
    flat = np.clip(flat, -LARGEST, LARGEST)
    # Weights that repeat at no lag, so that a reordering of the features changes the sums.
    indices = np.arange(1, flat.size + 1, dtype=np.float64)
    sums = tuple(float(flat @ np.cos(indices * math.sqrt(prime))) for prime in (2, 3))
    return Fingerprint(tuple(axis for part in each for axis in np.shape(part)), sums)


def same(got: Any, expected: Any) -> bool:
    """Whether a value is the one that was foreseen, within what a test allows."""
    if expected is REFUSED:
        return False
    if type(expected) is Fingerprint:
        shape, sums = fingerprint(got) or ((), (math.nan, math.nan))
        single = any(np.asarray(part).dtype == np.float32 for part in parts(got))
        each = TOLERANCE[np.dtype(np.float32 if single else np.float64)]
        return shape == expected.shape and np.allclose(sums, expected.sums, each, each * (1 + math.prod(shape)))
    if type(got) is np.ndarray and type(expected) is np.ndarray and got.dtype == expected.dtype == np.float64:
        # Nearly all results, and hundreds of predictions to compare each with: no words needed.
        return got.shape == expected.shape and np.allclose(
            got, expected, TOLERANCE[got.dtype], TOLERANCE[got.dtype], True
        )
    return difference(got, expected, None) is None


# The rule


@dataclass(frozen=True, eq=False)
class Observation:
    """One call of a function: the value that came, the one that is right, and what each known mistake makes of it."""

    got: Any
    right: Any
    predicted: Callable[[Any], Any]
    """mistake → what comes of it, REFUSED or SAME"""

    @functools.cached_property
    def is_wrong(self) -> bool:
        return not same(self.got, self.right)

    def explained_by(self, mistake: Any) -> bool:
        """Whether what came is what a mistake makes of the call."""
        predicted = self.predicted(mistake)
        return predicted is not UNAFFECTED and same(self.got, predicted) if self.is_wrong else predicted is UNAFFECTED


def with_causes(known: Known, results: Iterable[TestResult]) -> list[TestResult]:
    """The results, with the likely cause on the first test of each function that found wrong values."""
    results = list(results)
    seen: dict[str, dict[bytes, Observation]] = {one.test.question: {} for one in results if one.kind in VALUES}
    for result in results:
        # What passes with right values below was wrong by what it was given.
        for call, reply in result.calls.items() if seen and not (result.passed and result.given) else ():
            if call.function in seen and (row := known.observation(call, reply)) is not None:
                seen[call.function].setdefault(call.encoded, row)
    for number, result in enumerate(results):
        if result.kind in VALUES:
            rows = list(seen.get(result.test.question, {}).values())
            seen[result.test.question] = {}  # told once
            cause = _told(_behind(rows, known.known(result.test.question)))
            results[number] = replace(_located(known, result), hint=cause)
    return results


def _told(mistakes: Iterable[Any]) -> str | None:
    """The hints of mistakes that explain the same; of more than a few, nothing."""
    hints = list(dict.fromkeys(mistake.hint for mistake in mistakes))
    return " Or: ".join(hints) or None if len(hints) <= MAX_HINTS else None


def _behind(rows: Sequence[Observation], groups: Sequence[Sequence[Any]]) -> list[Any]:
    """The first group's mistakes that explain all values of a function.

    The first wrong one is checked before the others: it rules out nearly all. Where no mistake explains every call, it
    decides: another mistake in other calls does not take away the cause of this one, as long as what is right stays
    right beside it.
    """
    right, wrong = ([row for row in rows if row.is_wrong is is_wrong] for is_wrong in (False, True))
    attempts = [(group, rows) for group in groups] + [(group, right) for group in groups[:1]]
    for group, beside in attempts if wrong else []:
        if fitting := [mistake for mistake in group if all(row.explained_by(mistake) for row in (wrong[0], *beside))]:
            return fitting
    return []


def _located(known: Known, result: TestResult) -> TestResult:
    """A public test with the first call that is wrong and what is right there, where it compared or combined several
    calls."""
    if result.test.phase is not Phase.PUBLIC or result.kind not in VALUES - {Kind.RAISED}:
        return result
    for call, reply in result.calls.items():
        row = known.observation(call, reply)
        if row is not None and row.is_wrong:
            words, differs = call_repr.text(call), difference(row.got, row.right, None)
            if not words or words == result.call or differs is None:
                return result
            more = "" if differs[1] in result.message else f"\nAt this call, {call.function}: {differs[1]}"
            return replace(result, call=words, message=result.message + more)
    return result
