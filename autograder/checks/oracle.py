"""The protocol for right results: from the solution in the grader, from recorded values on a student's machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.protocol.call import Call, Reply


@dataclass(frozen=True, eq=False)
class Value:
    """The outcome of a call that returns this value, or a value that this fingerprint recognises."""

    value: Any


@dataclass(frozen=True)
class Refused:
    """The outcome of a call that raises an error."""


@dataclass(frozen=True)
class Unchanged:
    """The outcome of a call that returns the right value, although the solution contains a known mistake."""


Outcome = Value | Refused | Unchanged
"""The outcome of a call to the solution, with or without a known mistake in it."""


class KnownMistake(Protocol):
    """A known mistake."""

    @property
    def hint(self) -> str:
        """The likely cause, in words for the student."""


@dataclass(frozen=True, eq=False)
class Observation:
    """A call as evidence: its actual value, the right value, and its outcome with each known mistake."""

    actual: Any
    expected: Any
    is_wrong: bool
    """True if the two values differ by more than a test allows."""
    mistake_groups: Sequence[Sequence[KnownMistake]]
    """The known mistakes that can affect the function's results, in groups, the likeliest group first."""
    predicted: Callable[[Any], Outcome]
    """Function from a mistake to the outcome of the call with that mistake."""


class Oracle(Protocol):
    """The source of right values, right answers and evidence of known mistakes."""

    def expected(self, call: Call) -> Value | Refused:
        """Return the right outcome of a call."""

    def answer(self, key: str) -> tuple[Any, Mapping[float, str]]:
        """Return the right value of an entry of ANSWERS, and known wrong numbers for it, each with its hint."""

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """Return a call as evidence; None if it raised an exception or should have raised one."""
