"""The source of correct results: the solution in the grader, or recorded values on a student's machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.protocol.call import Call, Reply


@dataclass(frozen=True, eq=False)
class Returned:
    """The outcome of a call that returns a value: the value itself or a fingerprint of it."""

    value: Any


@dataclass(frozen=True)
class Refused:
    """The outcome of a call that raises an error."""

    numpy_error_mark: str = ""
    """A mark shared by errors with the same explanation; empty if the explanation names no sizes."""


@dataclass(frozen=True)
class Unaffected:
    """The outcome of a call that returns the correct value even if a known mistake is made in the solution."""


Outcome = Returned | Refused | Unaffected
"""The outcome of a call to the solution, either as it is or with a known mistake in it."""


class KnownMistake(Protocol):
    """A mistake that the course knows and can explain."""

    @property
    def hint(self) -> str:
        """The likely cause, in words for the student."""


@dataclass(frozen=True, eq=False)
class Observation:
    """A call as evidence: its actual outcome, the correct value, and its outcome with each known mistake."""

    actual: Any
    """The value that the submission returned, or Refused if its code raised an error."""
    expected: Any
    is_wrong: bool
    """True if the actual value differs from the correct one by more than a test allows."""
    ranked_mistake_groups: Sequence[Sequence[KnownMistake]]
    """The known mistakes that can affect the function's results, in groups, likeliest group first."""
    predicted: Callable[[Any], Outcome]
    """A function that takes a known mistake and returns the outcome of the call with that mistake."""

    @property
    def is_error(self) -> bool:
        """True if the call raised an error."""
        return isinstance(self.actual, Refused)


class Oracle(Protocol):
    """The source of correct values, right answers and evidence of known mistakes."""

    def expected(self, call: Call) -> Returned | Refused:
        """Return the correct outcome of a call."""

    def right_answer_and_hints(self, key: str) -> tuple[Any, Mapping[float, str]]:
        """Return the right answer for an entry of ANSWERS, and a hint for each known wrong number."""

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """Return the call as evidence; None if it should have raised an error, or if it raised one that has no mark."""
