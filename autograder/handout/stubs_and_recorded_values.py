"""Committed files that are generated from solutions: stubs and recorded values.

A stub is a solution without the marked bodies and the answers. The recorded values come from running the public tests
on the solution.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

from autograder.checks.difference import difference
from autograder.checks.oracle import Returned
from autograder.checks.source import SourceFile
from autograder.course import Assignment, UserError, term_assignments
from autograder.files import write_files
from autograder.grading.suite import Suite
from autograder.handout.validate import first_problem
from autograder.hints.golden_values import as_text, decoded, fingerprint_record
from autograder.protocol.call import ANSWERS

PROCESSOR_TOLERANCE = 1e-6
"""Maximum difference, relative or absolute, between numbers recorded on two processors."""

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
_ANSWERS_ENTRY = re.compile(r'    ("\w+"): (.+?),(?:  #.*)?')
"""Pattern for a line in ANSWERS: a key, an answer and, optionally, a reason."""


class HandoutError(UserError):
    """An error that keeps the handout from being made. The message says where the fault is and how to fix it."""


def stub(solution_source: str, lesson: str) -> str:
    """Return the stub that students get for a solution.

    In a stub, marked bodies raise NotImplementedError, marked module-level blocks are removed, and every answer is
    None, without a reason. Raise HandoutError for an unmatched mark or an answer that spans several lines.
    """
    if unmatched := _unmatched_mark(solution_source):
        raise HandoutError(f"unmatched {unmatched[0]} in solutions/{lesson}.py, line {unmatched[1]}")

    def emptied(block: re.Match[str]) -> str:
        functions = re.findall(r"(?m)^def (\w+)", solution_source[: block.start()])
        return f'{block[1]}raise NotImplementedError("{functions[-1]} is not written yet")\n' if block[1] else ""

    kept = re.sub(rf"(?ms)^([ ]*){BEGIN}\n((?!^[ ]*{BEGIN}).)*?^[ ]*{END}\n", emptied, solution_source)
    code, answers = _code_and_answer_lines(re.sub(r"\n{4,}", "\n\n\n", kept))
    for number, line in enumerate(answers):
        if match := _ANSWERS_ENTRY.fullmatch(line):
            answers[number] = f"    {match[1]}: None,"
        elif not re.match(r"    # |\}?$", line):
            raise HandoutError(
                f"{lesson}: {line.strip()!r} in {ANSWERS} is neither a comment nor an answer on one line"
            )
    return "\n".join([code, *answers])


def _unmatched_mark(source: str) -> tuple[str, int] | None:
    """Return the first unmatched mark and its line; None if all marks are paired."""
    opened = 0
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip() == END and not opened:
            return END, number
        if line.strip() == BEGIN and opened:
            return BEGIN, opened
        if line.strip() in (BEGIN, END):
            opened = number if line.strip() == BEGIN else 0
    return (BEGIN, opened) if opened else None


def right_answer_entries(solution: str) -> list[str]:
    """Return each key and answer as written in a solution, such as `"rotates_values": False`."""
    return [
        f"{match[1]}: {match[2]}"
        for line in _code_and_answer_lines(solution)[1]
        if (match := _ANSWERS_ENTRY.fullmatch(line))
    ]


def _code_and_answer_lines(source: str) -> tuple[str, list[str]]:
    """Return the text before the answers, and the lines after `ANSWERS = {`."""
    code, begin, answers = source.partition(f"\n{ANSWERS} = {{\n")
    return code + begin.rstrip("\n"), answers.split("\n") if begin else []


def outdated_files(assignment: Assignment) -> dict[Path, str]:
    """Return the correct contents, keyed by path, of committed files that no longer agree with the solution."""
    stub_file, values = assignment.stub, assignment.golden_values
    right = {
        stub_file: stub(assignment.solution.read_text("utf-8"), assignment.name),
        values: as_text(Suite(assignment).record_golden_values()),
    }
    there = {path: path.read_text("utf-8") if path.is_file() else "" for path in right}
    return {
        path: text
        for path, text in right.items()
        if there[path] != text and (path == stub_file or not is_up_to_date(there[path], text))
    }


def is_up_to_date(committed: str, right: str) -> bool:
    """Return True if two recorded files differ by no more than results from two processors can differ.

    Processors differ in the last digits of numbers and, therefore, in whether a mistake that changes only those digits
    has a fingerprint.
    """
    return _near(_without_nearly_right_mistakes(committed), _without_nearly_right_mistakes(right))


def _without_nearly_right_mistakes(text: str) -> dict[str, Any]:
    """Return a recorded file without the mistakes (and hints) whose values equal the correct one up to rounding."""
    content: dict[str, Any] = json.loads(text) if text else {}
    seen: set[tuple[str, str]] = set()
    other = [(function, call) for function, calls in content.get("other_calls", {}).items() for call in calls]
    compared = [(call["function"], call) for call in itertools.chain.from_iterable(content.get("calls", {}).values())]
    for function, call in (*compared, *other):
        right = call["result"] if "result" in call else fingerprint_record(decoded(call["expected"]))
        call["mistakes"] = {
            number: mistaken
            for number, mistaken in call["mistakes"].items()
            if not mistaken or not _near(mistaken, right)
        }
        seen.update((function, number) for number in call["mistakes"])
    for function, groups in content.get("known", {}).items():
        for group, hints in groups.items():
            groups[group] = {number: hint for number, hint in hints.items() if (function, number) in seen}
    return content


def _near(committed: Any, right: Any) -> bool:
    """Return True if two parts of recorded files are equal up to the last digits of numbers."""
    match committed, right:
        case dict(), dict():
            return [*committed] == [*right] and all(_near(committed[key], right[key]) for key in right)
        case list(), list():
            return len(committed) == len(right) and all(map(_near, committed, right))
        case int() | float(), int() | float():
            return math.isclose(committed, right, rel_tol=PROCESSOR_TOLERANCE, abs_tol=PROCESSOR_TOLERANCE)
        case str(), str() if committed != right:
            with contextlib.suppress(ValueError):  # a name or a hint
                match decoded(committed), decoded(right):
                    case Returned(old), Returned(new):
                        return difference(old, new, tolerance=PROCESSOR_TOLERANCE) is None
            return False
    return bool(committed == right)


def regenerate() -> list[Path]:
    """Update all generated files; return the paths of the changed files.

    Raise HandoutError if an assignment is incomplete, or if a stub would overwrite a learner's work.
    """
    if sentence := next(filter(None, map(first_problem, term_assignments())), None):
        raise HandoutError(sentence)
    outdated = {path: text for assignment in term_assignments() for path, text in outdated_files(assignment).items()}
    for path in [path for path in outdated if path.suffix == ".py" and path.exists()]:
        written, opened = SourceFile(path), re.findall(r'NotImplementedError\("(\w+) is not', outdated[path])
        changed = (written.functions.keys() - set(written.unwritten())) & {*opened}
        if written.problem or any(written.answers.values()) or changed:
            raise HandoutError(f"{path} contains work, but a stub belongs there: move the file away first")
    return write_files(outdated)
