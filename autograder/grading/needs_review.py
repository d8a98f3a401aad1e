"""Which rows a person should look at, and why: one answer for terminal and report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.grading.grade import Grade
from autograder.grading.row import Row
from autograder.protocol.failure import ITS_OWN, STOPPED, Status
from autograder.submission.names import printable

NO_GRADE = "without a grade"
"""In the place of a status: no grader could judge it."""

MOST_GIVEN, MOST_KEPT = 4.0, 0.75
"""Points by follow-through beyond which a person should look, and the share of its points beyond which a wrong function
below gave up too little for them."""


class Case(NamedTuple):
    """One reason why a person should look, whomever it concerns."""

    assignment: str
    """a question mark, where nothing tells it"""
    status: str
    why: str


def case(row: Row) -> Case | None:
    """Why a person should look at a submission; None where its grade may stand."""
    status = NO_GRADE if row.lost else row.grade.status
    why = next(reasons(row), None)
    return Case(row.submission.assignment or "?", status, printable(why, 300)) if why is not None else None


def in_order(students: Mapping[Case, list[str]]) -> list[tuple[Case, list[str]]]:
    """All cases and whom each concerns, by status: what says least of a grade first, and of one status what concerns
    most."""
    order = [NO_GRADE, *Status]
    return sorted(students.items(), key=lambda item: (order.index(item[0].status), -len(item[1])))


def reasons(row: Row) -> Iterator[str]:
    """Why the grade should not stand without somebody having looked, what says most first, a sentence each."""
    submission, grade = row.submission, row.grade
    if row.lost:
        yield f"no grade could be given, grade it by hand or run again: {row.lost}"
    if submission.problem is not None:
        yield submission.problem.message
    if submission.notes and all(result.is_unwritten for result in grade.test_results):
        yield " ".join(submission.notes)  # why there was nothing to grade, where that can be told from the files
    if submission.doubt:
        yield submission.doubt
    yield from suspicions(grade)
    if grade.status is not Status.GRADED or not grade.score:
        yield finding(grade)


def suspicions(grade: Grade) -> Iterator[str]:
    """What no test can decide about points that stand, a sentence each."""
    groups = by_question(grade.test_results)
    functions = [name for name, group in groups.items() if _is_by_heart(group)]
    if functions:
        yield f"{', '.join(functions)}: right in public tests and not in hidden ones, as if by heart"
    given = [result for result in grade.test_results if result.passed and result.given]
    kept = {name for name, group in groups.items() if points_won(group) > MOST_KEPT * points_possible(group)}
    if (points := points_won(given)) > MOST_GIVEN or any(result.given in kept for result in given):
        below = ", ".join(dict.fromkeys(result.given or "" for result in given))
        yield (
            f"{points:g} points are for tests that pass with right values in the place of {below}: see whether the file"
            " gives other answers there"
        )


def _is_by_heart(test_results: list[TestResult]) -> bool:
    """Whether a function passes all of its public tests and gives no right values in most of its hidden ones, however
    it fails there. What passes with right values below has passed."""
    phases = (Phase.PUBLIC, Phase.HIDDEN)
    public, hidden = ([one for one in test_results if one.test.phase is phase] for phase in phases)
    lost = points_possible(one for one in hidden if not one.passed and one.kind not in ITS_OWN)
    return bool(public) and all(one.passed for one in public) and lost > points_possible(hidden) / 2


def finding(grade: Grade) -> str:
    """What matters most of what is wrong with a submission that ran, in words for teaching staff."""
    if (failure := grade.failure) is not None:  # without its line: one cause is one case
        what = "an import was left out" if failure.left_out else "the file stops"
        return f"{what}, {failure.kind}: {failure.message}"
    # A call without an end says most, then a known cause.
    mistakes = [result for result in grade.test_results if result.is_mistake]
    worst = min(mistakes, key=lambda result: (result.kind not in STOPPED, result.hint is None), default=None)
    if worst is None:
        return "nothing is written yet"
    return grade.not_run or f"{worst.test.question}: {worst.hint or worst.message}"
