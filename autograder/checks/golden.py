"""The values that public tests want, as recorded from the reference solution when the handout was built, with marks of known mistakes.

So a student's machine can say what is wrong and why, and holds the code of neither.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.checks import codec
from autograder.checks.call import Reply
from autograder.checks.explanation import Hints, Row, explanations, missing_refusals, outcome, read_mark, told
from autograder.checks.failure import BrokenTest
from autograder.checks.proxy import REFUSED, Reference

OWN, THINKABLE, BELOW = "own", "thinkable", "below"
"""The groups of a function's known mistakes: those in the catalogue of the function itself, those that need no catalogue, and those of
the functions that it builds on."""


def decoded(wanted: str | None) -> Any:
    """What was recorded as wanted of a call."""
    return REFUSED if wanted is None else codec.decode(base64.b64decode(wanted))


@dataclass(frozen=True)
class Known:
    """A known mistake of which the hint and the marks were recorded."""

    number: str
    hint: str
    place: str = ""


class GoldenValues:
    """The reference of one public test: its calls in order, as recorded for that test."""

    def __init__(self, calls: list[dict[str, Any]], evidence: Evidence | None) -> None:
        self.calls: Iterator[dict[str, Any]] = iter(calls)
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
        self.rows: dict[str, list[Row]] = {}

    def add(self, recorded: dict[str, Any], reply: Reply) -> None:
        """One call as it was recorded, and what came of it."""
        right = decoded(recorded["wanted"])
        marks = recorded["mistakes"]

        def predicted(known: Known) -> Any:
            return read_mark(marks[known.number], right) if known.number in marks else right

        got = REFUSED if reply.raised is not None else outcome(reply)
        self.rows.setdefault(recorded["function"], []).append(Row(got, right, predicted))

    def hints(self) -> Iterator[tuple[str, Hints]]:
        """Each function with what is told of its mistakes; what builds on others comes first."""
        for function in reversed(self.rows):
            groups, written = _known(self.path, function)
            rows = self.rows[function]
            yield function, Hints(told(explanations(rows, groups)), told(missing_refusals(rows, written)))


def golden_values(path: Path, test: str, evidence: Evidence | None = None) -> Reference:
    """The reference for one test of a file of recorded values. Of a test that recorded none, asking for one is the mistake."""
    return GoldenValues(_read(path)["calls"].get(test, []), evidence)


def _known(path: Path, function: str) -> tuple[list[list[Known]], list[list[Known]]]:
    """The known mistakes of a function, the likeliest group first; and the groups that say something of bad arguments."""
    groups = {name: [Known(number, hint) for number, hint in group.items()] for name, group in _read(path)["known"].get(function, {}).items()}
    return list(groups.values()), [group for name, group in groups.items() if name != THINKABLE]


_files: dict[Path, tuple[int, dict[str, Any]]] = {}


def _read(path: Path) -> dict[str, Any]:
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    if path not in _files or _files[path][0] != changed:
        _files[path] = (changed, json.loads(path.read_text(encoding="utf-8")) if changed else {"known": {}, "calls": {}})
    return _files[path][1]
