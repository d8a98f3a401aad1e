"""What the public tests ask, written down for the handout: the values wanted, and what known mistakes return instead.

A student's machine then holds values and the marks of mistakes, never the code of either.
"""

from __future__ import annotations

import base64
from typing import Any

from autograder.checks import codec
from autograder.checks.explanation import mark
from autograder.checks.golden import BELOW, OWN, THINKABLE
from autograder.checks.proxy import REFUSED
from autograder.course import Assignment
from autograder.grading import causes, generated
from autograder.grading.catalogue import Misconception, Oracle


class Recorder(Oracle):
    """A live reference that writes down what a public test asked."""

    def __init__(self, assignment: Assignment, calls: list[dict[str, Any]]) -> None:
        super().__init__(assignment)
        self.calls = calls

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        wanted = super().wanted(function, args, kwargs)
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        made = causes.predictions_of(self.assignment, codec.message(function, args, kwargs)).of
        known = enumerate(entry for group in _groups(self.assignment, function).values() for entry in group)
        marks = {str(number): mark(made(entry)) for number, entry in known if made(entry) is not made(None)}
        self.calls.append({"function": function, "wanted": encoded, "mistakes": marks})
        return wanted


def _groups(assignment: Assignment, function: str) -> dict[str, tuple[Misconception, ...]]:
    """The known mistakes of a function of which marks are handed out.

    Those made from the solution's own lines stay here: their hints, all together, would say what these lines are.
    """
    own, below = causes.written(assignment, function)
    return {OWN: own, THINKABLE: generated.of_signature(assignment, function), BELOW: below}


def with_hints(assignment: Assignment, calls: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Recorded calls by test, with the hints of the mistakes that show in them, by function and group."""
    shown: dict[str, set[str]] = {}
    for call in (call for asked in calls.values() for call in asked):
        shown.setdefault(call["function"], set()).update(call["mistakes"])
    known: dict[str, dict[str, dict[str, str]]] = {}
    for function, numbers in shown.items():
        number = 0
        for name, group in _groups(assignment, function).items():
            hints = {str(place): entry.hint for place, entry in enumerate(group, start=number)}
            known.setdefault(function, {})[name] = {place: hint for place, hint in hints.items() if place in numbers}
            number += len(group)
    return {"known": known, "calls": calls}
