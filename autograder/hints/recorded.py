"""The values that public tests want, as recorded from the reference solution when the handout was built, with marks of
known mistakes.

So a student's machine can say what is wrong and why, and holds the code of neither. `autograder/FORMATS.md` describes
the files.
"""

from __future__ import annotations

import base64
import functools
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from autograder.checks.proxy import REFUSED, Refusal
from autograder.hints.explain import SAME, Fingerprint, Observation, fingerprint
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure import BrokenTest

if TYPE_CHECKING:  # what records them does not ship
    from autograder.hints.catalogue import Misconception
    from autograder.hints.reference import Reference

OWN, BELOW = "own", "below"
"""The groups of a function's known mistakes: its own, and those of the functions that it builds on."""


@functools.lru_cache(maxsize=1024)
def decoded(wanted: str | None) -> Any:
    """What was recorded as wanted of a call. Remembered, since a test wants the same of every submission."""
    return REFUSED if wanted is None else codec.decode(base64.b64decode(wanted), writeable=False)


def mark(outcome: Any) -> str | None:
    """An outcome as it is recorded; None for one that nobody would recognise, such as a list."""
    if type(outcome) is Refusal:
        return ""
    if outcome is SAME or (known := fingerprint(outcome)) is None:
        return None
    return f"{' '.join(map(str, known.shape))}: {' '.join(f'{total:.10g}' for total in known.sums)}"


def read_mark(mark: str) -> Any:
    """A recorded outcome of a call."""
    if not mark:
        return REFUSED
    shape, sums = mark.split(":")
    return Fingerprint(tuple(map(int, shape.split())), tuple(map(float, sums.split())))


class KnownMistake(NamedTuple):
    """A known mistake of one function, as far as it is known at home."""

    number: str
    hint: str


class Recorded:
    """What is known at home of one assignment. An empty file stands for one that is not there."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self.asked: dict[Call, dict[str, Any]] = {}
        """call → how it was recorded"""

    def of(self, test: str) -> GoldenValues:
        """The reference of one public test."""
        return GoldenValues(self, iter(self.content.get("calls", {}).get(test, [])))

    def known(self, function: str) -> list[list[KnownMistake]]:
        """The known mistakes of a function, group by group, the likeliest group first."""
        groups = self.content.get("known", {}).get(function, {}).values()
        return [[KnownMistake(number, hint) for number, hint in group.items()] for group in groups]

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None where a test asked for no value of it."""
        recorded = self.asked.get(call)
        if recorded is None or recorded["wanted"] is None or reply.raised is not None:
            return None
        marks = recorded["mistakes"]

        def predicted(mistake: KnownMistake) -> Any:
            return read_mark(marks[mistake.number]) if mistake.number in marks else SAME

        return Observation(reply.value, decoded(recorded["wanted"]), predicted)


class GoldenValues:
    """The reference of one public test: its calls in order, as recorded for it. Of a test that recorded none, asking
    for one is the mistake."""

    def __init__(self, recorded: Recorded, calls: Iterator[dict[str, Any]]) -> None:
        self.recorded = recorded
        self.calls = calls

    def wanted(self, call: Call) -> Any:
        recorded = self.recorded.asked[call] = next(self.calls, {})
        if recorded.get("function") != call.function:
            raise BrokenTest(f"no recorded value for this call of {call.function}: run `make handout`")
        return decoded(recorded["wanted"])

    def answer(self, key: str) -> Any:
        raise BrokenTest("answers are not in the handout")

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {}


class Recorder:
    """The solution as the reference of a public test, with a note of what that asked."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.calls: list[dict[str, Any]] = []
        self.answer, self.known_answers = reference.answer, reference.known_answers

    def wanted(self, call: Call) -> Any:
        wanted = self.reference.wanted(call)
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        entries = enumerate(_entries(self.reference, call.function))
        marks = {str(number): mark(self.reference.made_of(call.encoded, entry)) for number, entry in entries}
        marks = {number: text for number, text in marks.items() if text is not None}
        self.calls.append({"function": call.function, "wanted": encoded, "mistakes": marks})
        return wanted


def _entries(reference: Reference, function: str) -> list[Misconception]:
    """The known mistakes of a function, numbered by their place."""
    return [*itertools.chain(*reference.known(function))]


def with_hints(reference: Reference, calls: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Recorded calls by test, with the hints of the mistakes that show in them, by function and group."""
    shown: dict[str, set[str]] = {}
    for call in itertools.chain.from_iterable(calls.values()):
        shown.setdefault(call["function"], set()).update(call["mistakes"])
    known: dict[str, dict[str, dict[str, str]]] = {}
    for function, numbers in shown.items():
        known[function] = {OWN: {}, BELOW: {}}
        for number, entry in enumerate(_entries(reference, function)):
            if str(number) in numbers:
                known[function][OWN if entry.function == function else BELOW][str(number)] = entry.hint
    return {"known": known, "calls": calls}
