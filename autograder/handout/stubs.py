"""Solutions → the committed files that are generated from them: stubs and recorded values.

A stub is its solution without the marked bodies and without the answers; the public tests' recorded values come from
running them on the solution.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.checks.expect import difference
from autograder.checks.oracle import Value
from autograder.checks.source import Source
from autograder.course import Assignment, UserError, assignments
from autograder.grading.suite import Suite
from autograder.handout.validate import complaint
from autograder.hints.golden import as_text, decoded, mark
from autograder.protocol.call import ANSWERS

PROCESSORS = 1e-6
"""Relative: recorded numbers that differ by less were made on another processor."""

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
_ANSWER = re.compile(r'    ("\w+"): (.+?),(?:  #.*)?')
"""A line of ANSWERS: a key, its answer, and perhaps a reason."""


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
    code, answers = _parted(re.sub(r"\n{4,}", "\n\n\n", kept))
    for number, line in enumerate(answers):
        if found := _ANSWER.fullmatch(line):
            answers[number] = f"    {found[1]}: None,"
        elif not re.match(r"    # |\}?$", line):
            raise HandoutError(f"{name}: {line.strip()!r} in {ANSWERS} is no comment, and no answer on one line")
    return "\n".join([code, *answers])


def answer_texts(source: str) -> list[str]:
    """The answers of a solution as they are written there, each with its key: `"rotates_values": False`."""
    return [f"{found[1]}: {found[2]}" for line in _parted(source)[1] if (found := _ANSWER.fullmatch(line))]


def _parted(source: str) -> tuple[str, list[str]]:
    """What stands before the answers, and the lines behind `ANSWERS = {`."""
    code, begin, answers = source.partition(f"\n{ANSWERS} = {{\n")
    return code + begin.rstrip("\n"), answers.split("\n") if begin else []


def stale(assignment: Assignment) -> dict[Path, str]:
    """Path → right content, of every committed file that is generated from the solution and no longer agrees with
    it."""
    given, values = assignment.stub, assignment.golden_values
    right = {
        given: stub(assignment.solution.read_text("utf-8"), assignment.name),
        values: as_text(Suite(assignment).record()),
    }
    there = {path: path.read_text("utf-8") if path.is_file() else "" for path in right}
    return {
        path: text
        for path, text in right.items()
        if there[path] != text and (path == given or not agree(there[path], text))
    }


def agree(committed: str, right: str) -> bool:
    """Return True if two recorded files differ only in what differs between processors: the last digits of numbers, and
    marks of mistakes that only rounding tells from a right value."""
    return _near(_without_rounding(committed), _without_rounding(right))


def _without_rounding(text: str) -> dict[str, Any]:
    """Return the content of a recorded file without the marks that lie within rounding of the right value, and without
    the hints that no mark is left for."""
    content: dict[str, Any] = json.loads(text) if text else {}
    seen: set[tuple[str, str]] = set()
    for call in itertools.chain.from_iterable(content.get("calls", {}).values()):
        right = mark(decoded(call["expected"]))
        call["mistakes"] = {
            number: mistaken
            for number, mistaken in call["mistakes"].items()
            if not mistaken or not _near(mistaken, right)
        }
        seen.update((call["function"], number) for number in call["mistakes"])
    for function, groups in content.get("known", {}).items():
        for group, hints in groups.items():
            groups[group] = {number: hint for number, hint in hints.items() if (function, number) in seen}
    return content


def _near(committed: Any, right: Any) -> bool:
    """Return whether two parts of recorded files are equal but for the last digits of their numbers."""
    match committed, right:
        case dict(), dict():
            return [*committed] == [*right] and all(_near(committed[key], right[key]) for key in right)
        case list(), list():
            return len(committed) == len(right) and all(map(_near, committed, right))
        case int() | float(), int() | float():
            return math.isclose(committed, right, rel_tol=PROCESSORS, abs_tol=PROCESSORS)
        case str(), str() if committed != right:
            with contextlib.suppress(ValueError):  # a name or a hint
                match decoded(committed), decoded(right):
                    case Value(old), Value(new):
                        return difference(old, new, tolerance=PROCESSORS) is None
            return False
    return bool(committed == right)


def regenerate() -> list[Path]:
    """Bring all generated files up to date; returns those that changed. Raises HandoutError where an assignment is not
    sound, or a learner's own work stands where its stub goes."""
    if sentence := next(filter(None, map(complaint, assignments())), None):
        raise HandoutError(sentence)
    outdated = {path: text for one in assignments() for path, text in stale(one).items()}
    for path in [path for path in outdated if path.suffix == ".py" and path.exists()]:
        own, opened = Source(path), re.findall(r'NotImplementedError\("(\w+) is not', outdated[path])
        if own.problem or any(own.answers.values()) or (own.functions.keys() - set(own.unwritten())) & {*opened}:
            raise HandoutError(f"{path} is no untouched stub, and a stub goes there: move the file away first")
    return write(outdated)


def write(files: Mapping[Path, str | bytes]) -> list[Path]:
    """Write these files; returns where."""
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return [*files]
