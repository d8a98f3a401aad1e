"""Which rows a person should look at, and where a careful teaching assistant would look first: one answer for terminal
and report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.grading.grade import Grade
from autograder.grading.row import Row
from autograder.protocol.failure import STOPPED, Status
from autograder.submission.names import printable

ALL_PASS = "all tests pass"

NO_GRADE = "without a grade"
"""In the place of a status: no grader could judge it."""


MOST_GIVEN = 4.0
"""Points by follow-through beyond which a person should look."""


@dataclass
class Case:
    """One reason why people should look, with all whom it concerns."""

    assignment: str
    """a question mark, where nothing tells it"""
    status: str
    why: str
    students: list[str] = field(default_factory=list)


class Cases:
    """The submissions that a person should look at: one cause is one case, wherever in a file it sits."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str, str], Case] = {}

    def add(self, row: Row) -> bool:
        """Take in a submission; whether it needs a person."""
        if not needs_a_person(row):
            return False
        submission = row.submission
        assignment, status, why = submission.assignment or "?", NO_GRADE if row.lost else row.status, first_thing(row)
        without_line = re.sub(r" at line \d+\b", "", why)
        case = self._cases.setdefault((assignment, status, without_line), Case(assignment, status, why))
        if case.why != why:
            case.why = without_line
        case.students.append(printable(row.student))
        return True

    def __iter__(self) -> Iterator[Case]:
        """All of them, by status: what says least of a grade first, and of one status what concerns most students."""
        order = [NO_GRADE, *Status]
        return iter(sorted(self._cases.values(), key=lambda case: (order.index(case.status), -len(case.students))))


def needs_a_person(row: Row) -> bool:
    """Whether the grade should not stand without somebody having looked."""
    doubtful = bool(row.lost or row.submission.doubt) or row.status is not Status.GRADED
    return doubtful or not row.tested_score or next(suspicions(row.grade), None) is not None


def first_thing(row: Row) -> str:
    """What to look at first, in one sentence for teaching staff."""
    if row.lost:
        return f"no grade could be given, grade it by hand or run again: {printable(row.lost, 200)}"
    if row.submission.problem is not None:
        return printable(row.submission.problem.message, 400)
    grade = row.grade
    assert grade is not None
    if row.submission.notes and grade.failure is None and _is_unwritten(grade):
        # Why there was nothing to grade, where that can be told from the files.
        return printable(" ".join(row.submission.notes), 300)
    if row.submission.doubt:
        return printable(row.submission.doubt, 300)
    return printable(finding(grade), 160)


def suspicions(grade: Grade | None) -> Iterator[str]:
    """What no test can decide about points that stand, a sentence each."""
    if grade is None:
        return
    if by_heart := grade.by_heart:
        yield f"{', '.join(by_heart)}: right in public tests and not in hidden ones, as if by heart"
    points, functions = grade.given
    if points > MOST_GIVEN:
        yield (
            f"{points:g} points are for tests that pass with right values in the place of {', '.join(functions)}: see"
            " whether the file gives other answers there"
        )


def _is_unwritten(grade: Grade | None) -> bool:
    """Whether nothing was there to be graded: a zero that may have another reason than the student's work."""
    return grade is not None and all(result.is_unwritten for result in grade.test_results)


def finding(grade: Grade) -> str:
    """What matters most of what is wrong with a submission that ran, in words for teaching staff."""
    if grade.never_loaded:
        return grade.never_loaded
    if suspicion := next(suspicions(grade), None):
        return suspicion
    if (failure := grade.failure) is not None:
        happened = "an import was left out" if failure.left_out else "the file stops"
        return f"{happened}{failure.at_line}, {failure.kind}: {failure.message}"
    missed = [result for result in grade.test_results if result.matters]
    names = list(dict.fromkeys(result.test.question for result in missed))
    # A call without an end says most, then a known cause.
    worst = min(
        (result for result in missed if result.is_mistake),
        key=lambda result: (result.kind not in STOPPED, result.hint is None),
        default=None,
    )
    if worst is None:
        return f"not written yet: {', '.join(names)}" if names else ALL_PASS
    sentence = worst.hint or worst.message
    named = sentence if sentence.startswith(worst.test.question) else f"{worst.test.question}: {sentence}"
    return named + (f" (and {len(names) - 1} more incomplete)" if len(names) > 1 else "")
