"""What the public tests ask, written down for the handout: the values wanted, and what known mistakes return instead.

A student's machine then holds values and the marks of mistakes, never the code of either.
"""

from __future__ import annotations

import base64
import itertools
from typing import Any

from autograder.checks.proxy import REFUSED
from autograder.course import Assignment
from autograder.hints import live, signature
from autograder.hints.catalogue import Misconception, Oracle
from autograder.hints.recorded import BELOW, OWN, THINKABLE
from autograder.hints.rule import NOTHING, mark
from autograder.protocol import codec
from autograder.protocol.call import Call


class Recorder(Oracle):
    """A live reference that writes down what a public test asked."""

    def __init__(self, assignment: Assignment, calls: list[dict[str, Any]]) -> None:
        super().__init__(assignment)
        self.calls = calls

    def wanted(self, call: Call) -> Any:
        wanted = super().wanted(call)
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        made = live.predictions_of(self.assignment, call.encoded).of
        known = enumerate(_known(self.assignment, call.function))
        marks = {str(number): mark(made(entry)) for number, (_, entry) in known if made(entry) is not made(None)}
        # What has no fingerprint, such as a list, would be recognised by nobody.
        marks = {number: text for number, text in marks.items() if text != mark(NOTHING)}
        self.calls.append({"function": call.function, "wanted": encoded, "mistakes": marks})
        return wanted


def _known(assignment: Assignment, function: str) -> list[tuple[str, Misconception]]:
    """The known mistakes of a function, each with its group."""
    own, below = live.written(assignment, function)
    groups = {OWN: own, THINKABLE: signature.of_signature(assignment, function), BELOW: below}
    return [(name, entry) for name, group in groups.items() for entry in group]


def with_hints(assignment: Assignment, calls: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Recorded calls by test, with the hints of the mistakes that show in them, by function and group."""
    numbers: dict[str, set[str]] = {}
    for call in itertools.chain.from_iterable(calls.values()):
        numbers.setdefault(call["function"], set()).update(call["mistakes"])
    known: dict[str, dict[str, dict[str, str]]] = {}
    for function, shown in numbers.items():
        known[function] = {OWN: {}, THINKABLE: {}, BELOW: {}}
        for number, (group, entry) in enumerate(_known(assignment, function)):
            if str(number) in shown:
                known[function][group][str(number)] = entry.hint
    return {"known": known, "calls": calls}
