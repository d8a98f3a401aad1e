"""The likely cause of a mistake: a known one is named only if it explains every call that was seen of a function.

It must be right where the submission was right, and wrong with the same value where that was wrong. What no known
mistake explains is told plainly, by the tests' own sentences: a false cause is worse than none. Where it is graded, the
solution with each mistake in it is asked (`hints.reference`); a student's machine has marks of what came of that, from
which no value can be read (`hints.recorded`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from autograder.checks import prompt
from autograder.checks.expect import TOLERANCE, difference
from autograder.checks.proxy import Refusal, parts
from autograder.checks.results import Phase, TestResult
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure import EXCEPTIONS, VALUES, Kind

LARGEST = 1e290
"""A value beyond it counts as this one."""

MAX_HINTS = 2
"""Known mistakes that explain the same are all told, up to this many. More of them say nothing."""

SINGLE = 2e-6
"""Relative: what is lost where somebody computes in float32."""

ROUNDED = "Somewhere your code computes in float32: compute in float64, and convert the result at the end."
"""The message beside it says to how many digits the values are right."""

_DTYPES = {
    ("int64", "float64"): "Whole numbers come back as whole numbers; the rule for them is float64.",
    ("float32", "float64"): "Your result is float32 where the rule is float64: float32 arrays alone do not decide it.",
    ("float64", "float32"): "Your result is float64 where the rule is float32: compute in float64, and turn it back.",
}
"""What came and what was wanted → what is told of it."""


SAME = object()
"""What a mistake makes of a call where it makes no difference."""


class Mistake(Protocol):
    """A known mistake."""

    @property
    def hint(self) -> str: ...


class Known(Protocol):
    """What is known of an assignment: the solution with each mistake in it, or marks of that."""

    def known(self, function: str) -> Sequence[Sequence[Any]]:
        """The mistakes that can show in the results of a function, group by group, the likelier ones first."""

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None for one that says nothing."""


# What may come of a call besides a plain value


@dataclass(frozen=True)
class Fingerprint:
    """Enough of a value to recognise it, too little to read it: its shape and two weighted sums. NaN and ±inf count as
    numbers."""

    shape: tuple[int, ...]
    sums: tuple[float, ...]
    tolerance: float

    def matches(self, other: Fingerprint) -> bool:
        """Equal, if each value may be off by the tolerance."""
        tolerance = max(self.tolerance, other.tolerance)
        return self.shape == other.shape and np.allclose(
            self.sums, other.sums, rtol=tolerance, atol=tolerance * (1 + math.prod(self.shape))
        )


NOTHING = Fingerprint((), (math.nan, math.nan), 0.0)
"""The fingerprint of what has none: it matches nothing."""


def fingerprint(value: Any) -> Fingerprint:
    """The fingerprint of a number, an array or a tuple of arrays."""
    if type(value) is Fingerprint:
        return value
    arrays = _arrays(value)
    if not arrays:
        return NOTHING
    flat = np.concatenate([array.ravel().astype(np.float64, copy=False) for array in arrays])
    # A masked score is −inf: it must leave the other values their say.
    flat = np.nan_to_num(flat, nan=7.0, posinf=11.0, neginf=-13.0)
    # A sum that overflows is NaN on one processor and infinite on another, by the order in which it is made.
    flat = np.clip(flat, -LARGEST, LARGEST)
    # Weights that repeat at no lag, so that a reordering of the features changes the sums.
    indices = np.arange(1, flat.size + 1, dtype=np.float64)
    sums = tuple(float(flat @ np.cos(indices * math.sqrt(prime))) for prime in (2, 3))
    single = any(array.dtype == np.float32 for array in arrays)
    return Fingerprint(
        tuple(axis for array in arrays for axis in array.shape),
        sums,
        TOLERANCE[np.dtype(np.float32 if single else np.float64)],
    )


def _arrays(value: Any) -> list[np.ndarray]:
    """A number, an array or a tuple of them as arrays of real numbers; none where anything in it is something else."""
    wanted = value if type(value) is tuple else (value,)
    arrays = [np.asarray(part) for part in wanted if isinstance(part, int | float | np.ndarray | np.generic)]
    return arrays if len(arrays) == len(wanted) and all(array.dtype.kind != "c" for array in arrays) else []


def mark(outcome: Any) -> str:
    """An outcome as it is recorded."""
    if type(outcome) is Refusal:
        return ""
    known = fingerprint(outcome)
    return f"{' '.join(map(str, known.shape))}: {' '.join(f'{total:.10g}' for total in known.sums)}"


def read_mark(mark: str, right: Any) -> Any:
    """A recorded outcome of a call, where `right` would be right."""
    if not mark:
        return Refusal()
    shape, sums = mark.split(":")
    return Fingerprint(tuple(map(int, shape.split())), tuple(map(float, sums.split())), fingerprint(right).tolerance)


def outcome(reply: Reply) -> Any:
    """What came of a call."""
    return Refusal(reply.raised.kind) if reply.raised is not None else reply.value


def same(got: Any, wanted: Any) -> bool:
    """Whether two outcomes are the same one, within what a test allows."""
    if type(got) is Refusal or type(wanted) is Refusal:
        return type(got) is type(wanted) and bool(got == wanted)
    if type(got) is Fingerprint or type(wanted) is Fingerprint:
        return fingerprint(got).matches(fingerprint(wanted))
    if type(got) is type(wanted) and type(got) in (tuple, list) and len(got) == len(wanted):
        return all(map(same, got, wanted))
    if type(got) is np.ndarray and type(wanted) is np.ndarray and got.dtype == wanted.dtype == np.float64:
        # Nearly all results, and hundreds of predictions to compare each with: no words needed.
        return got.shape == wanted.shape and np.allclose(got, wanted, TOLERANCE[got.dtype], TOLERANCE[got.dtype], True)
    return difference(got, wanted, None) is None


# The rule


@dataclass(frozen=True, eq=False)
class Observation:
    """One call of a function: what came of it, what is right, and what each known mistake makes of it."""

    got: Any
    right: Any
    predicted: Callable[[Any], Any]
    """mistake → what comes of it: `right` itself where it makes no difference"""

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
        return not self.is_refusal and not same(self.got, self.right)

    def explained_by(self, mistake: Mistake) -> bool:
        """Whether what came is what a mistake makes of the call. It refuses what the solution refuses."""
        if self.is_refusal:
            return True
        predicted = self.predicted(mistake)
        return same(self.got, predicted) if self.is_wrong else predicted is self.right


def with_causes(known: Known, results: Iterable[TestResult]) -> list[TestResult]:
    """The results, with the likely cause on the first mistake of a function that it explains."""
    results = list(results)
    rows: dict[str, dict[bytes, Observation]] = {}
    for result in results:
        # What passes with right values below was wrong by what it was given.
        for call, reply in result.calls.items() if not (result.passed and result.given) else ():
            if (row := known.observation(call, reply)) is not None:
                rows.setdefault(call.function, {}).setdefault(call.encoded, row)
    causes: dict[str, dict[Kind, str | None]] = {}
    for number, result in enumerate(results):
        if not result.is_mistake or (name := result.test.question) == ANSWERS:
            continue
        if name not in causes:
            causes[name] = _causes(known, name, list(rows.get(name, {}).values()))
        result = _located(known, result)
        kind = Kind.VALUE if result.kind in VALUES else result.kind
        cause = causes[name].get(kind) if kind is not None else None
        if cause is not None:  # it is told once, and of all kinds at once
            causes[name] = {other: None if told == cause else told for other, told in causes[name].items()}
        results[number] = replace(result, hint=cause or result.hint)
    return results


def _causes(known: Known, function: str, rows: Sequence[Observation]) -> dict[Kind, str | None]:
    """What is told of a function's mistakes, by their kind."""
    groups = known.known(function)
    return {
        Kind.VALUE: _told(_of_values(rows, groups)) or _rounding(rows),
        Kind.DTYPE: _dtype(rows),
    }


def _told(mistakes: Iterable[Mistake]) -> str | None:
    """The hints of mistakes that explain the same; of more than a few, nothing."""
    hints = list(dict.fromkeys(mistake.hint for mistake in mistakes))
    return " Or: ".join(hints) or None if len(hints) <= MAX_HINTS else None


def _of_values(rows: Sequence[Observation], groups: Sequence[Sequence[Any]]) -> list[Any]:
    """The mistakes that explain all wrong values of a function.

    An exception says little, since very different mistakes end in the same one: where nothing else is wrong, only the
    likeliest group counts, and only beside calls that are answered right.
    """
    wrong = [row for row in rows if row.is_wrong]
    if any(row.accepted for row in wrong):
        return _explaining(rows, [row for row in wrong if row.accepted], groups)
    is_partly_right = any(row.accepted and not row.is_refusal for row in rows)
    return _explaining(rows, wrong if is_partly_right else [], groups[:1])


def _explaining(rows: Sequence[Observation], faults: list[Observation], groups: Sequence[Sequence[Any]]) -> list[Any]:
    """The first group's mistakes that explain every call. The first wrong call is checked before the others: it rules
    out nearly all.

    Where none does, the first wrong call decides: another mistake in other calls does not take away the cause of this
    one, as long as what is right stays right beside it.
    """
    if not faults:
        return []
    right = [row for row in rows if not row.is_wrong]
    for asked, beside in ((groups, rows), (groups[:1] if faults[0].accepted else [], right)):
        for group in asked:
            fitting = [mistake for mistake in group if all(row.explained_by(mistake) for row in (faults[0], *beside))]
            if fitting:
                return fitting
    return []


def _rounding(rows: Iterable[Observation]) -> str | None:
    """That nothing but digits is missing, where that is so of all wrong values."""
    wrong = [row for row in rows if row.is_wrong]
    is_rounded = wrong and all(row.accepted and difference(row.got, row.right, SINGLE) is None for row in wrong)
    return ROUNDED if is_rounded else None


def _dtype(rows: Iterable[Observation]) -> str | None:
    """What came in the place of the right dtype, where that is the same in all calls that have another."""
    pairs = {
        (str(np.asarray(got).dtype), str(np.asarray(right).dtype))
        for row in rows
        if row.accepted and not row.is_refusal
        for got, right in zip(parts(row.got), parts(row.right), strict=False)
    }
    others = [pair for pair in pairs if len(set(pair)) > 1]
    return _DTYPES.get(others[0]) if len(others) == 1 else None


def _located(known: Known, result: TestResult) -> TestResult:
    """A public test with the first call that is wrong and what is right there, where it compared or combined several
    calls."""
    if result.test.phase is not Phase.PUBLIC or result.kind not in VALUES - EXCEPTIONS:
        return result
    for call, reply in result.calls.items():
        row = known.observation(call, reply)
        if row is not None and row.is_wrong and row.accepted:
            words, differs = prompt.text(call), difference(row.got, row.right, None)
            if not words or words == result.call or differs is None:
                return result
            more = "" if differs[1] in result.message else f"\nAt this call, {call.function}: {differs[1]}"
            return replace(result, call=words, message=result.message + more)
    return result
