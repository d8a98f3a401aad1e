"""Limits on the calls whose right values a submission's second process requests, and on the precision of results."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.checks.difference import TOLERANCE_BY_DTYPE
from autograder.protocol.call import Call

MAX_WHOLE_NUMBER_FOR_SOLUTION = 1 << 20
"""Largest integer that a submission may pass to the solution, where it could become the length of a loop."""

MAX_PHASE_FOLLOW_THROUGH_SECONDS = 2.0
"""Maximum processor time, in seconds, that the grader spends on correct values in one phase of a suite."""

MAX_PHASE_FOLLOW_THROUGH_BYTES = 64 << 20
"""Maximum total size, in bytes, of such calls and replies in one phase of a suite."""


class FollowThroughBudget:
    """The processor time and the bytes that remain for correct values for one submission."""

    def __init__(self) -> None:
        self.seconds = MAX_PHASE_FOLLOW_THROUGH_SECONDS
        self.bytes = MAX_PHASE_FOLLOW_THROUGH_BYTES

    @contextlib.contextmanager
    def charged(self) -> Iterator[None]:
        """Deduct the processor time that this process uses inside the context."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds -= time.process_time() - begin

    def spend(self, *encoded: bytes) -> bool:
        """Deduct bytes from the budget. Return True if it has not run out."""
        self.bytes -= sum(map(len, encoded))
        return self.bytes >= 0 and self.seconds > 0


class AnswerableCallBounds:
    """Bounds, set by some calls, on the size and the whole numbers of a call; calls beyond them are not answered.

    Without these bounds, a submission could request every value of a function of whole numbers, and the correct values
    could reach the first process through a channel that no lock closes.
    """

    def __init__(self, size: int, numbers: np.ndarray) -> None:
        self.size = size
        """Bytes of all the calls together, because a submission may combine several calls into one batch."""
        self.numbers = numbers
        """Absolute values of all whole numbers in the arguments, shape (n,)."""

    @classmethod
    def of(cls, *calls: Call) -> AnswerableCallBounds:
        """Return the bounds that these calls set together."""
        numbers = [_whole_numbers((call.args, call.kwargs)) for call in calls]
        return cls(sum(len(call.encoded) for call in calls), np.unique(np.abs(np.concatenate(numbers))))

    def covers(self, call: Call) -> bool:
        """Return True if a call is small enough to be answered.

        A call must not be longer than all the calls together, and each of its whole numbers must occur in one of
        them. Signs do not count, and 0, 1 and 2 are always allowed.
        """
        if len(call.encoded) > self.size or largest_magnitude((call.args, call.kwargs)) > MAX_WHOLE_NUMBER_FOR_SOLUTION:
            return False
        numbers = np.abs(_whole_numbers((call.args, call.kwargs)))
        return bool(np.isin(numbers, [0, 1, 2, *self.numbers]).all())


def _whole_numbers(value: Any) -> np.ndarray:
    """Return the whole numbers in a plain value as an array (n,): integers, and floats with no fractional part."""
    if isinstance(value, dict | tuple | list):
        parts = [_whole_numbers(part) for part in (value.values() if isinstance(value, dict) else value)]
        return np.concatenate(parts) if parts else np.empty(0)
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "iuf":
        return np.empty(0)
    flat = numbers.astype(np.float64).ravel()
    whole: np.ndarray = flat[np.isfinite(flat) & (flat == np.round(flat))]
    return whole


def largest_magnitude(value: Any, kinds: str = "iu") -> float:
    """Return the largest absolute value in a plain value, or 0 if it has no numbers; infinity for any other value.

    `kinds` lists numpy's letters for the kinds of dtype that count; by default, only integers do.
    """
    if isinstance(value, dict | tuple | list):
        return max(
            (largest_magnitude(part, kinds) for part in (value.values() if isinstance(value, dict) else value)),
            default=0,
        )
    numbers = np.asarray(value)
    if value is not None and numbers.dtype.kind not in "iufbU":
        return np.inf
    if numbers.dtype.kind not in kinds or not numbers.size:
        return 0
    finite = np.abs(numbers.astype(np.float64))
    return float(finite[np.isfinite(finite)].max(initial=0))


def tolerance_in_float32(call: Call) -> float:
    """Return the tolerance of a result computed in float32, where the rounding of an angle grows with the position."""
    largest = largest_magnitude((call.args, call.kwargs), "iuf")
    rounding = float(np.finfo(np.float32).eps) * largest if np.isfinite(largest) else 0.0
    return TOLERANCE_BY_DTYPE[np.dtype("f4")] + rounding
