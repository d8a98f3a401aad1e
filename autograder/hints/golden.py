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
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from autograder.checks.proxy import REFUSED
from autograder.hints.explain import UNAFFECTED, Fingerprint, Observation, fingerprint
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure import BrokenTest

if TYPE_CHECKING:  # what records them does not ship
    from autograder.hints.reference import Reference

OWN, BELOW = "own", "below"
"""The groups of a function's known mistakes: its own, and those of the functions that it builds on."""


@functools.lru_cache(maxsize=1024)
def decoded(expected: str | None) -> Any:
    """What was recorded as expected of a call. Remembered, since a test wants the same of every submission."""
    return REFUSED if expected is None else codec.decode(base64.b64decode(expected), writeable=False)


def mark(outcome: Any) -> str | None:
    """An outcome as it is recorded; None for one that nobody would recognise, such as a list."""
    if outcome is REFUSED:
        return ""
    if outcome is UNAFFECTED or (known := fingerprint(outcome)) is None:
        return None
    return f"{' '.join(map(str, known.shape))}: {' '.join(f'{total:.10g}' for total in known.sums)}"


def read_mark(mark: str) -> Any:
    """A recorded outcome of a call."""
    if not mark:
        return REFUSED
    shape, sums = mark.split(":")
    return Fingerprint(tuple(map(int, shape.split())), tuple(map(float, sums.split())))


class RecordedMistake(NamedTuple):
    """A known mistake of one function, as far as it is known at home."""

    number: str
    hint: str


class GoldenValues:
    """What is known at home of one assignment: the reference of its public tests. An empty file stands for one that is
    not there."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self.calls: Iterator[dict[str, Any]] = iter(())
        """those of the test that runs, in order, as recorded"""
        self.asked: dict[Call, dict[str, Any]] = {}
        """call → how it was recorded"""

    def of(self, test: str) -> GoldenValues:
        """The same, for the test that runs now. Of one that recorded no call, asking for one is the mistake."""
        self.calls = iter(self.content.get("calls", {}).get(test, []))
        return self

    def expected(self, call: Call) -> Any:
        golden = self.asked[call] = next(self.calls, {})
        if golden.get("function") != call.function:
            raise BrokenTest(f"no recorded value for this call of {call.function}: run `make handout`")
        return decoded(golden["expected"])

    def answer(self, key: str) -> Any:
        raise BrokenTest("answers are not in the handout")

    def known(self, function: str) -> list[list[RecordedMistake]]:
        """The known mistakes of a function, group by group, the likeliest group first."""
        groups = self.content.get("known", {}).get(function, {}).values()
        return [[RecordedMistake(number, hint) for number, hint in group.items()] for group in groups]

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None where a test asked for no value of it."""
        golden = self.asked.get(call)
        if golden is None or golden["expected"] is None or reply.raised is not None:
            return None
        marks = golden["mistakes"]

        def predicted(mistake: RecordedMistake) -> Any:
            return read_mark(marks[mistake.number]) if mistake.number in marks else UNAFFECTED

        return Observation(reply.value, decoded(golden["expected"]), predicted)


class GoldenRecorder:
    """The solution as the reference of public tests, and what they ask of it: the content of a file of the handout."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.answer = reference.answer
        self.test = ""
        """the one that asks"""
        self.calls: dict[str, list[dict[str, Any]]] = {}
        """by test"""
        self.known: dict[str, dict[str, dict[str, str]]] = {}
        """function → group → number of a mistake that shows in a call → its hint"""

    def content(self) -> dict[str, Any]:
        """All that was asked, and the mistakes that show in it, in the catalogue's order."""
        known = {
            function: {
                group: {number: hints[number] for number in sorted(hints, key=int)} for group, hints in groups.items()
            }
            for function, groups in self.known.items()
        }
        return {"known": known, "calls": self.calls}

    def expected(self, call: Call) -> Any:
        expected = self.reference.expected(call)
        encoded = None if expected is REFUSED else base64.b64encode(codec.encode(expected)).decode("ascii")
        groups, marks = self.known.setdefault(call.function, {OWN: {}, BELOW: {}}), {}
        for number, entry in enumerate(itertools.chain(*self.reference.known(call.function))):
            if (text := mark(self.reference.made_of(call.encoded, entry))) is not None:
                marks[str(number)] = text
                groups[OWN if entry.function == call.function else BELOW][str(number)] = entry.hint
        golden = {"function": call.function, "expected": encoded, "mistakes": marks}
        self.calls.setdefault(self.test, []).append(golden)
        return expected
