"""The values that public tests want, as recorded from the reference solution when the handout was built, with marks of
known mistakes.

So a student's machine can say what is wrong and why, and holds the code of neither. `autograder/FORMATS.md` describes
the files.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.checks.proxy import REFUSED, Backend, StudentModule, read_only
from autograder.hints.rule import Hints, Observation, explanations, joined, missing_refusals, outcome, read_mark
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure import BrokenTest

OWN, BELOW = "own", "below"
"""The groups of a function's known mistakes: its own, and those of the functions that it builds on."""


@functools.lru_cache(maxsize=1024)
def decoded(wanted: str | None) -> Any:
    """What was recorded as wanted of a call. Remembered, since a test wants the same of every submission."""
    return REFUSED if wanted is None else read_only(codec.decode(base64.b64decode(wanted)))


class GoldenValues:
    """The reference of one public test: its calls in order, as recorded for it. Of a test that recorded none, asking
    for one is the mistake."""

    def __init__(self, path: Path, test: str) -> None:
        """`path`: the file of recorded values, one an assignment."""
        self.calls: Iterator[dict[str, Any]] = iter(_read(path)["calls"].get(test, []))
        self.asked: dict[Call, dict[str, Any]] = {}
        """call → how it was recorded"""

    def wanted(self, call: Call) -> Any:
        recorded = self.asked[call] = next(self.calls, {})
        if recorded.get("function") != call.function:
            raise BrokenTest(f"no recorded value for this call of {call.function}: run `make handout`")
        return decoded(recorded["wanted"])

    def answer(self, key: str) -> Any:
        raise BrokenTest("answers are not in the handout")

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {}


class Evidence:
    """What came of all recorded calls of a run: enough to say which known mistake explains every one of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.submissions: list[tuple[StudentModule, GoldenValues]] = []

    def submission(self, name: str, backend: Backend, test: str) -> StudentModule:
        """The submission for one test, against what was recorded for it."""
        reference = GoldenValues(self.path, test)
        self.submissions.append((StudentModule(name, backend, reference), reference))
        return self.submissions[-1][0]

    def rows(self) -> dict[str, list[Observation]]:
        """Function → its calls, in the order in which they were made."""
        rows: dict[str, list[Observation]] = {}
        for submission, reference in self.submissions:
            for call, recorded in reference.asked.items():
                if (reply := submission.seen.get(call)) is not None:
                    rows.setdefault(call.function, []).append(_observation(recorded, reply))
        return rows

    def hints(self) -> Iterator[tuple[str, Hints]]:
        """Each function with what is told of its mistakes; what builds on others comes first."""
        for function, rows in reversed(self.rows().items()):
            # Group → number → hint, the likeliest group first.
            known: dict[str, dict[str, str]] = _read(self.path)["known"].get(function, {})
            hints = {number: hint for group in known.values() for number, hint in group.items()}
            explained = explanations(rows, known.values()), missing_refusals(rows, known.values())
            yield function, Hints(*(joined(hints[number] for number in numbers) for numbers in explained))


def _observation(recorded: dict[str, Any], reply: Reply) -> Observation:
    """One call as it was recorded, and what came of it."""
    right, marks = decoded(recorded["wanted"]), recorded["mistakes"]

    def predicted(number: str) -> Any:
        return read_mark(marks[number], right) if number in marks else right

    return Observation(REFUSED if reply.raised is not None else outcome(reply), right, predicted)


def _read(path: Path) -> dict[str, Any]:
    """A file of recorded values, read anew when it changed; an empty one where there is none."""
    return _parsed(path, path.stat().st_mtime_ns) if path.is_file() else {"known": {}, "calls": {}}


@functools.lru_cache(maxsize=16)
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return parsed
