"""Solutions → the committed files that are generated from them: stubs and recorded values.

A stub is its solution without the marked bodies and without the answers; the public tests' recorded values come from
running them on the solution.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.source import Source, is_stub
from autograder.course import ROOT, Assignment, UserError, assignments
from autograder.grading.suite import Suite
from autograder.handout.sound import complaint
from autograder.hints.recorded import decoded
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import BrokenTest

PROCESSORS = 1e-6
"""Relative: recorded numbers that differ by less were made on another processor."""

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"


class HandoutError(UserError):
    """The handout cannot be made as things stand. The message says where and what to do."""


def stub(source: str, name: str) -> str:
    """A solution's text as a student gets it: marked bodies raise NotImplementedError, marked module-level blocks are
    gone, and every answer is None, without the reason beside it."""

    def emptied(block: re.Match[str]) -> str:
        functions = re.findall(r"(?m)^def (\w+)", source[: block.start()])
        return f'{block[1]}raise NotImplementedError("{functions[-1]} is not written yet")\n' if block[1] else ""

    kept = re.sub(rf"(?ms)^([ ]*){BEGIN}\n((?!^[ ]*{BEGIN}).)*?^[ ]*{END}\n", emptied, source)
    if BEGIN in kept or END in kept:
        raise HandoutError(f"{name}: a {BEGIN} or {END} has no other one")
    kept = re.sub(r"\n{4,}", "\n\n\n", kept)
    for text in answer_texts(kept, name):
        kept = re.sub(rf"(?m)^(\s*){re.escape(text)}.*$", rf"\1{text.partition(': ')[0]}: None,", kept)
    return kept


def answer_texts(source: str, name: str) -> list[str]:
    """The answers of a solution as they are written there, each with its key: `"rotates_values": False`."""
    for node in ast.parse(source).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == ANSWERS
            and isinstance(node.value, ast.Dict)
        ):
            segments = [ast.get_source_segment(source, entry) or "" for entry in node.value.values]
            if several := [text for text in segments if "\n" in text]:
                raise HandoutError(f"{name}: the answer {several[0]!r} must stand on one line")
            return [
                f'"{key.value!s}": {text}'
                for key, text in zip(node.value.keys, segments, strict=True)
                if isinstance(key, ast.Constant)
            ]
    raise HandoutError(f"{name}: there is no {ANSWERS} that is written as a dict")


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
    return {path: text for path, text in right.items() if not (path.is_file() and _is_current(path, text))}


def _is_current(path: Path, right: str) -> bool:
    committed = path.read_text("utf-8")
    return committed == right or (path.suffix == ".json" and agree(committed, right))


def _own_work(path: Path, right: str) -> str:
    """The first function or answer that is written in a file though its stub, `right`, leaves it open; else nothing."""
    if not (right and path.is_file()):
        return ""
    own = Source(path)
    written = own.functions.keys() - set(own.unwritten())
    given = (node for node in ast.parse(right).body if isinstance(node, ast.FunctionDef) and is_stub(node.body))
    functions = [node.name for node in given if node.name in written]
    return next(iter(functions + [key for key, is_answered in own.answers.items() if is_answered]), "")


def agree(committed: str, right: str) -> bool:
    """Whether two recorded files are the same but for the last digits of numbers, which differ between processors."""
    old, new = (re.findall(r'"[^"]*"|[^"]+', recorded) for recorded in (committed, right))
    pairs = list(zip(old, new, strict=False))
    return len(old) == len(new) and all(one == other or _near(one[1:-1], other[1:-1]) for one, other in pairs)


def _near(committed: str, right: str) -> bool:
    """Two recorded values, or two marks of a mistake: a shape, a colon and two numbers."""
    try:
        if ":" not in right:
            return difference(decoded(committed), decoded(right), tolerance=PROCESSORS) is None
        old, new = (np.array(recorded.replace(":", " ").split(), float) for recorded in (committed, right))
        return np.allclose(old, new, PROCESSORS, PROCESSORS)
    except ValueError:  # a hint that is another one
        return False


def regenerate() -> list[str]:
    """Bring all generated files up to date; returns those that changed. Raises HandoutError where an assignment is not
    sound, or a learner's own work stands where its stub goes."""
    changed = []
    for assignment in assignments():
        if sentence := complaint(assignment):
            raise HandoutError(sentence)
        outdated = stale(assignment)
        if work := _own_work(assignment.stub, outdated.get(assignment.stub, "")):
            place = assignment.stub.relative_to(ROOT)
            raise HandoutError(f"{place} has {work} written in it, and a stub goes there: move the file away first")
        for path, content in outdated.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
            changed.append(str(path.relative_to(ROOT)))
    return changed
