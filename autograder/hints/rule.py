"""The likely cause of a mistake: a known one is named only if it explains every call that was seen of a function.

It must be right where the submission was right, and wrong with the same value where that was wrong. What no known
mistake explains is told plainly, by the tests' own sentences: a false cause is worse than none. The grader works out
what each known mistake makes of a call (`autograder.hints.live`); a student's machine has it recorded, as marks from
which no value can be read.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from autograder.checks.expect import SINGLE, TOLERANCE, difference
from autograder.checks.proxy import Refusal, parts
from autograder.protocol.call import Reply
from autograder.protocol.failure import VALUES, Kind

LARGEST = 1e290
"""A value beyond it counts as this one."""

MAX_HINTS = 2
"""Known mistakes that explain the same are all told, up to this many. More of them say nothing."""

M = TypeVar("M")
"""A known mistake, however whoever asks knows it."""


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
    """A recorded outcome of a call, where that is right."""
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
    if (
        type(got) is np.ndarray
        and type(wanted) is np.ndarray
        and got.dtype == wanted.dtype == np.float64
        and np.isfinite(got).all()
    ):
        # Nearly all results, and hundreds of predictions to compare each with: no words needed, as `difference` has
        # them.
        if got.shape != wanted.shape:
            return False
        with np.errstate(all="ignore"):
            near = (np.abs(got - wanted) <= TOLERANCE[got.dtype] * (1 + np.abs(wanted))) & np.isfinite(wanted)
        return bool(near.all())
    if type(got) is type(wanted) and type(got) in (tuple, list) and len(got) == len(wanted):
        return all(map(same, got, wanted))
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

    def fits(self, predicted: Any) -> bool:
        """Whether a value came as predicted."""
        return same(self.got, predicted) if self.is_wrong else predicted is self.right


@dataclass(frozen=True)
class Hints:
    """What is told of one function's mistakes."""

    values: str | None = None
    refusals: str | None = None
    dtypes: str | None = None

    def of(self, kind: Kind | None) -> str | None:
        """The hint for a mistake of some kind."""
        if kind in VALUES:
            return self.values
        return {Kind.NO_ERROR: self.refusals, Kind.DTYPE: self.dtypes}.get(kind) if kind else None


def explanations(rows: Sequence[Observation], groups: Iterable[Iterable[M]]) -> list[M]:
    """The mistakes of the first group that has any which explain all wrong values of a function; none where it has
    none.

    An exception says little, since very different mistakes end in the same one: where nothing else is wrong, only the
    likeliest group counts, and only beside calls that are answered right.
    """
    wrong = [row for row in rows if row.is_wrong]
    if not any(row.accepted for row in wrong):
        is_partly_right = any(row.accepted and not row.is_refusal for row in rows)
        return _first(rows, wrong if is_partly_right else [], itertools.islice(groups, 1), _explains_values)
    return _first(rows, [row for row in wrong if row.accepted], groups, _explains_values)


def missing_refusals(rows: Sequence[Observation], groups: Iterable[Iterable[M]]) -> list[M]:
    """The same for bad arguments: those that accept exactly what the function accepted, and return what it returned.

    A hint says what the code did in the place of an error. Of one that did something else, only the rule may be told.
    """
    return _first(rows, [row for row in rows if row.is_refusal and row.accepted], groups, _explains_refusals)


def _first(
    rows: Sequence[Observation],
    faults: list[Observation],
    groups: Iterable[Iterable[M]],
    explains: Callable[[Observation, Any], bool],
) -> list[M]:
    """The first group's mistakes that explain every call. The first wrong call is checked before the others: it rules
    out nearly all.

    Where none does, the first wrong call decides: another mistake in other calls does not take away the cause of this
    one, as long as what is right stays right beside it.
    """
    groups = [list(group) for group in groups] if faults else []
    right = [row for row in rows if not row.is_wrong]
    for own, others in ((groups, rows), (groups[:1] if faults and faults[0].accepted else [], right)):
        for group in own:
            fitting = [
                entry for entry in group if all(explains(row, row.predicted(entry)) for row in (faults[0], *others))
            ]
            if fitting:
                return fitting
    return []


def _explains_values(row: Observation, predicted: Any) -> bool:
    return row.is_refusal or row.fits(predicted)


def _explains_refusals(row: Observation, predicted: Any) -> bool:
    if row.is_refusal:
        return same(row.got, predicted) if row.accepted else type(predicted) is Refusal
    return predicted is row.right or same(row.got, predicted)


_DTYPES = {
    ("int64", "float64"): "Whole numbers come back as whole numbers; the rule for them is float64.",
    ("float32", "float64"): "Your result is float32 where the rule is float64: float32 arrays alone do not decide it.",
    ("float64", "float32"): "Your result is float64 where the rule is float32: compute in float64, and turn it back.",
}
"""What came and what was wanted → what is told of it."""


def dtype_hint(rows: Iterable[Observation]) -> str | None:
    """What came in the place of the right dtype, where that is the same in all calls that have another."""
    pairs = {
        (str(np.asarray(got).dtype), str(np.asarray(right).dtype))
        for row in rows
        if row.accepted and not row.is_refusal
        for got, right in zip(parts(row.got), parts(row.right), strict=False)
    }
    others = [pair for pair in pairs if len(set(pair)) > 1]
    return _DTYPES.get(others[0]) if len(others) == 1 else None


ROUNDED = "Your values are right to about 7 digits: compute in float64, and convert the result at the end."


def rounding_hint(rows: Iterable[Observation]) -> str | None:
    """That nothing but digits is missing, where that is so of all wrong values."""
    wrong = [row for row in rows if row.is_wrong]
    return (
        ROUNDED
        if wrong and all(row.accepted and difference(row.got, row.right, SINGLE) is None for row in wrong)
        else None
    )


def joined(hints: Iterable[str]) -> str | None:
    """The hints of mistakes that explain the same; of more than a few, nothing."""
    distinct = list(dict.fromkeys(hints))
    return " Or: ".join(distinct) or None if len(distinct) <= MAX_HINTS else None
