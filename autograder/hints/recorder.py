"""What the public tests ask, written down for the handout: the values wanted, and what known mistakes return instead.

A student's machine then holds values and the marks of mistakes, never the code of either.
"""

from __future__ import annotations

import base64
import itertools
from typing import Any

from autograder.checks.proxy import REFUSED
from autograder.hints.catalogue import Misconception
from autograder.hints.oracle import Oracle
from autograder.hints.recorded import BELOW, OWN
from autograder.hints.rule import NOTHING, mark
from autograder.protocol import codec
from autograder.protocol.call import Call


class Recorder:
    """The oracle as the reference of a public test, with a note of what that asked."""

    def __init__(self, oracle: Oracle, calls: list[dict[str, Any]]) -> None:
        self.oracle = oracle
        self.calls = calls
        self.answer, self.known_answers = oracle.answer, oracle.known_answers

    def wanted(self, call: Call) -> Any:
        wanted = self.oracle.wanted(call)
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        made = self.oracle.predictions(call).of
        known = enumerate(_known(self.oracle, call.function))
        marks = {str(number): mark(made(entry)) for number, (_, entry) in known if made(entry) is not made(None)}
        # What has no fingerprint, such as a list, would be recognised by nobody.
        marks = {number: text for number, text in marks.items() if text != mark(NOTHING)}
        self.calls.append({"function": call.function, "wanted": encoded, "mistakes": marks})
        return wanted


def _known(oracle: Oracle, function: str) -> list[tuple[str, Misconception]]:
    """The known mistakes of a function, each with its group."""
    groups = zip((OWN, BELOW), oracle.known(function), strict=True)
    return [(name, entry) for name, group in groups for entry in group]


def with_hints(oracle: Oracle, calls: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Recorded calls by test, with the hints of the mistakes that show in them, by function and group."""
    numbers: dict[str, set[str]] = {}
    for call in itertools.chain.from_iterable(calls.values()):
        numbers.setdefault(call["function"], set()).update(call["mistakes"])
    known: dict[str, dict[str, dict[str, str]]] = {}
    for function, shown in numbers.items():
        known[function] = {OWN: {}, BELOW: {}}
        for number, (group, entry) in enumerate(_known(oracle, function)):
            if str(number) in shown:
                known[function][group][str(number)] = entry.hint
    return {"known": known, "calls": calls}
