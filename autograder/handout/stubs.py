"""Solutions → the committed files that are generated from them: stubs and recorded values.

A stub is its solution without the marked bodies and without the answers; the public tests' recorded values come from
running them on the solution.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.checks.expect import TOLERANCE, difference
from autograder.course import ROOT, Assignment, UserError, assignments
from autograder.grading.suite import Suite
from autograder.handout.sound import complaint
from autograder.hints.recorded import decoded
from autograder.hints.rule import fingerprint, mark, read_mark, same
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import BrokenTest

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"


class HandoutError(UserError):
    """The handout cannot be made as things stand. The message says where and what to do."""


def stub(source: str, name: str) -> str:
    """A solution's text as a student gets it: marked bodies raise NotImplementedError, marked module-level blocks are
    gone."""
    kept = "\n".join(_without_bodies(source.split("\n"), name))
    return _without_answers(re.sub(r"\n{4,}", "\n\n\n", kept), name)


def _without_bodies(lines: list[str], name: str) -> Iterator[str]:
    function, inside = "", False
    for number, line in enumerate(lines, start=1):
        if match := re.match(r"def (\w+)", line):
            function = match[1]
        if line.strip() == BEGIN:
            if inside:
                raise HandoutError(f"{name}, line {number}: {BEGIN} stands inside a marked block; end that one first")
            inside = True
            if indent := line[: len(line) - len(line.lstrip())]:
                yield f'{indent}raise NotImplementedError("{function} is not written yet")'
        elif line.strip() == END:
            if not inside:
                raise HandoutError(f"{name}, line {number}: {END} has no {BEGIN} before it")
            inside = False
        elif not inside:
            yield line
    if inside:
        raise HandoutError(f"{name}: the last {BEGIN} has no {END}")


def _without_answers(source: str, name: str) -> str:
    """Every value of ANSWERS becomes None, and the reason beside it goes."""
    lines = source.split("\n")
    for entry in _answers(source, name):
        assert entry.end_lineno is not None
        if entry.lineno != entry.end_lineno:
            raise HandoutError(f"{name}, line {entry.lineno}: an answer must stand on one line")
        # ast counts columns in bytes.
        before = lines[entry.lineno - 1].encode("utf-8")[: entry.col_offset].decode("utf-8")
        lines[entry.lineno - 1] = f"{before}None,"
    return "\n".join(lines)


def _answers(source: str, name: str) -> list[ast.expr]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == ANSWERS:
            if not isinstance(node.value, ast.Dict):
                raise HandoutError(f"{name}: {ANSWERS} must be written as a dict")
            return node.value.values
    raise HandoutError(f"{name}: there is no {ANSWERS}")


def answer_texts(source: str, name: str) -> list[str]:
    """The answers of a solution as they are written there, each with its key: `"rotates_values": False`."""
    lines = source.split("\n")
    return [
        lines[entry.lineno - 1].encode("utf-8")[: entry.end_col_offset].decode("utf-8")
        for entry in _answers(source, name)
    ]


def golden_values(assignment: Assignment) -> str:
    """The values that the public tests want, with the fingerprints of known mistakes, as JSON. Raises HandoutError."""
    try:
        recorded = Suite(assignment).record()
    except BrokenTest as error:
        raise HandoutError(f"{assignment.name}: {error}") from error
    return json.dumps(recorded, indent=1, ensure_ascii=False) + "\n"


def stale(assignment: Assignment) -> dict[Path, str]:
    """Path → right content, of every committed file that is generated from the solution and no longer agrees with
    it."""
    source = assignment.solution.read_text("utf-8")
    right = {assignment.stub: stub(source, assignment.name), assignment.golden_values: golden_values(assignment)}
    return {
        path: text for path, text in right.items() if not (path.is_file() and _agree(path.read_text("utf-8"), text))
    }


def _agree(committed: str, right: str) -> bool:
    """Equal; recorded numbers up to the last digits, which differ between processors.

    So do the results of float32 itself: what a mistake of precision makes of a call may be wrong on one processor, and
    near enough to the right value not to show on another.
    """
    if not right.startswith("{"):
        return committed == right
    old, new = json.loads(committed), json.loads(right)
    coarse = {function: _coarse(old, function) | _coarse(new, function) for function in new["known"]}
    if _exact_hints(old, coarse) != _exact_hints(new, coarse) or old["calls"].keys() != new["calls"].keys():
        return False
    pairs = [(old["calls"][test], new["calls"][test]) for test in new["calls"]]
    return all(
        len(calls) == len(others)
        and all(_same_call(call, other, coarse[other["function"]]) for call, other in zip(calls, others, strict=True))
        for calls, others in pairs
    )


def _coarse(recorded: dict[str, Any], function: str) -> set[str]:
    """The numbers of a function's mistakes of precision: their hints speak of float32."""
    groups = recorded.get("known", {}).get(function, {})
    return {number for hints in groups.values() for number, hint in hints.items() if "float32" in hint}


def _exact_hints(recorded: dict[str, Any], coarse: dict[str, set[str]]) -> dict[tuple[str, str, str], str]:
    """The hint of each other mistake, by function, group and number."""
    return {
        (function, group, number): hint
        for function, groups in recorded.get("known", {}).items()
        for group, hints in groups.items()
        for number, hint in hints.items()
        if number not in coarse.get(function, ())
    }


def _same_call(old: dict[str, Any], new: dict[str, Any], coarse: set[str]) -> bool:
    if old["function"] != new["function"] or (old["wanted"] is None) != (new["wanted"] is None):
        return False
    right = decoded(new["wanted"])
    if new["wanted"] is not None and difference(decoded(old["wanted"]), right, tolerance=1e-12) is not None:
        return False
    marks, others, unchanged = old["mistakes"], new["mistakes"], mark(right)
    if (marks.keys() ^ others.keys()) - coarse:
        return False
    return all(
        _same_mark(marks.get(number, unchanged), others.get(number, unchanged), right, number in coarse)
        for number in marks.keys() | others.keys()
    )


def _same_mark(old: str, new: str, right: Any, is_coarse: bool) -> bool:
    """Alike up to the last digits; of a mistake of precision, or both right but for the digits of float32."""
    if old == new or not (old and new):
        return old == new
    marks = read_mark(old, right), read_mark(new, right)
    nearly = replace(fingerprint(right), tolerance=TOLERANCE[np.dtype(np.float32)])
    return same(*marks) or (is_coarse and all(map(nearly.matches, marks)))


def regenerate() -> list[str]:
    """Bring all generated files up to date; returns those that changed. Raises HandoutError where an assignment is not
    sound."""
    changed = []
    for assignment in assignments():
        if sentence := complaint(assignment):
            raise HandoutError(sentence)
        for path, content in stale(assignment).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
            changed.append(str(path.relative_to(ROOT)))
    return changed
