"""What a submission was seen to do: while a suite runs, every call of it is kept with what came of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from autograder.checks.proxy import Backend, StudentModule
from autograder.checks.results import TestResult
from autograder.protocol.call import ANSWERS, Call, Raised, Reply

LOOKED_AT = 32 * 1024
"""Bytes of a call, and of what came of it, up to which it is looked at here: a call may hand back what a submission
returned."""

TOO_LARGE = Reply(raised=Raised("a result too large to look at", (), ""))
"""In the place of a larger result."""


@dataclass(frozen=True)
class ObservedTest:
    """How one test came out, and the calls that it made."""

    result: TestResult
    calls: Mapping[Call, Reply]

    @classmethod
    def of(cls, result: TestResult, submission: StudentModule | None) -> ObservedTest:
        """With what its submission replied, as far as that is looked at; a test that asks for none makes no call."""
        seen = submission.seen if submission is not None else {}
        replies = {call: reply for call, reply in seen.items() if reply is not None and call.function != ANSWERS}
        kept = {call: reply if len(reply.encoded) <= LOOKED_AT else TOO_LARGE for call, reply in replies.items()}
        return cls(result, kept)

    def but(self, **changes: Any) -> ObservedTest:
        """The same with another result."""
        return replace(self, result=replace(self.result, **changes))


def calls_of(function: str, observed: Iterable[ObservedTest]) -> list[tuple[Call, Reply]]:
    """The calls of a function in some tests, and what came of each."""
    pairs = (pair for observed_test in observed for pair in observed_test.calls.items())
    return [(call, reply) for call, reply in pairs if call.function == function]


def is_looked_at(call: Call) -> bool:
    """Whether a call is small enough to be looked at: one may hand on what a submission returned, and then be of any
    size."""
    try:
        return len(call.encoded) <= LOOKED_AT
    except ValueError:
        return False


class Restartable(Backend, Protocol):
    """A backend that can load its submission once more."""

    def anew(self, *cells: str) -> contextlib.AbstractContextManager[Restartable]:
        """The same submission with further cells at its end, in a process of its own."""
