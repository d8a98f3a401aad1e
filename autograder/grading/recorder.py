"""What the public tests ask, written down for the handout: the values wanted, and what known mistakes return instead.

A student's machine then holds values and the marks of mistakes, never the code of either.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from autograder.checks import codec
from autograder.checks.reference import REFUSED, fingerprint
from autograder.course import Assignment
from autograder.grading import causes
from autograder.grading.catalogue import Oracle


class Recorder(Oracle):
    """A live reference that writes down what a public test asked."""

    def __init__(self, assignment: Assignment, calls: list[dict[str, Any]]) -> None:
        super().__init__(assignment)
        self.calls = calls

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        wanted = super().wanted(function, args, kwargs)
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        mistakes = list(self._mistakes(function, codec.message(function, args, kwargs)))
        self.calls.append({"function": function, "wanted": encoded, "mistakes": mistakes})
        return wanted

    def _mistakes(self, function: str, call: bytes) -> Iterator[dict[str, Any]]:
        """What each mistake of the catalogue makes of a call, where that is not right: the mark of a value, or none for an error.

        The mistakes that are only thinkable stay here: their marks would make the file ten times as large.
        """
        known = causes.candidates(self.assignment, function)
        for entry in (entry for group in causes.WRITTEN for entry in known[group]):
            outcome = causes.difference_made(self.assignment, entry, call)
            if outcome is not None:
                mark = None if isinstance(outcome, causes.Refusal) else fingerprint(outcome)
                marks = {"shape": list(mark.shape), "sums": list(mark.sums)} if mark else {"shape": None, "sums": [0.0] * 4}
                yield {"hint": entry.hint, "near": entry.function == function, **marks}
