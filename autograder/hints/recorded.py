"""The values that public tests want, as recorded from the reference solution when the handout was built, with marks of known mistakes.

So a student's machine can say what is wrong and why, and holds the code of neither.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.checks.proxy import REFUSED
from autograder.hints.rule import Hints, Observation, explanations, joined, missing_refusals, outcome, read_mark
from autograder.protocol import codec
from autograder.protocol.call import Reply
from autograder.protocol.failure import BrokenTest

OWN, THINKABLE, BELOW = "own", "thinkable", "below"
"""The groups of a function's known mistakes: those in the catalogue of the function itself, those that need no catalogue, and those of
the functions that it builds on."""


def decoded(wanted: str | None) -> Any:
    """What was recorded as wanted of a call."""
    return REFUSED if wanted is None else codec.decode(base64.b64decode(wanted))


class GoldenValues:
    """The reference of one public test: its calls in order, as recorded for it. Of a test that recorded none, asking for one is the mistake."""

    def __init__(self, path: Path, test: str, evidence: Evidence | None = None) -> None:
        """`path`: the file of recorded values, one an assignment."""
        self.calls: Iterator[dict[str, Any]] = iter(_read(path)["calls"].get(test, []))
        self.current: dict[str, Any] = {}
        self.evidence = evidence

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.current = next(self.calls, {})
        if self.current.get("function") != function:
            raise BrokenTest(f"no recorded value for this call of {function}: run `make handout`")
        return decoded(self.current["wanted"])

    def observe(self, function: str, reply: Reply) -> None:
        if self.evidence is not None and self.current.get("function") == function:
            self.evidence.add(self.current, reply)
        self.current = {}

    def answer(self, key: str) -> Any:
        raise BrokenTest("answers are not in the handout")

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {}


class Evidence:
    """What came of all recorded calls of a run: enough to say which known mistake explains every one of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, list[Observation]] = {}

    def add(self, recorded: dict[str, Any], reply: Reply) -> None:
        """One call as it was recorded, and what came of it."""
        right = decoded(recorded["wanted"])
        marks = recorded["mistakes"]

        def predicted(number: str) -> Any:
            return read_mark(marks[number], right) if number in marks else right

        got = REFUSED if reply.raised is not None else outcome(reply)
        self.rows.setdefault(recorded["function"], []).append(Observation(got, right, predicted))

    def hints(self) -> Iterator[tuple[str, Hints]]:
        """Each function with what is told of its mistakes; what builds on others comes first."""
        for function in reversed(self.rows):
            rows = self.rows[function]
            # Group → number → hint, the likeliest group first. What is only thinkable says nothing of bad arguments.
            known: dict[str, dict[str, str]] = _read(self.path)["known"].get(function, {})
            written = [group for name, group in known.items() if name != THINKABLE]
            hints = {number: hint for group in known.values() for number, hint in group.items()}
            found = explanations(rows, known.values()), missing_refusals(rows, written)
            yield function, Hints(*(joined(hints[number] for number in numbers) for numbers in found))


def _read(path: Path) -> dict[str, Any]:
    """A file of recorded values, read anew when it changed; an empty one where there is none."""
    return _parsed(path, path.stat().st_mtime_ns) if path.is_file() else {"known": {}, "calls": {}}


@functools.lru_cache(maxsize=16)
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return parsed
