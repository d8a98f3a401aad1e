"""The submissions that teaching staff should look at, and why, for the terminal and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autograder.checks.results import Phase, TestResult, by_question, points_possible
from autograder.grading import feedback
from autograder.grading.grade import Grade
from autograder.grading.row import Row
from autograder.protocol.failure_kinds import RIGHT_VALUE_KINDS, STOPPED, Kind, SubmissionStatus
from autograder.submission.untrusted_names import printable

NO_GRADE_STATUS = "without a grade"
"""Status shown for a submission that no grader could judge."""


class Case(NamedTuple):
    """A reason to look at the submissions of one or more students by hand."""

    assignment: str
    """The assignment's name, or a question mark if it is unknown."""
    status: str
    why: str
    """The reason, as a sentence."""


def case(row: Row) -> Case | None:
    """Return the main reason to look at a submission; None if there is none."""
    status = NO_GRADE_STATUS if row.machine_failure else row.grade.status
    why = next(iter_reasons(row), None)
    return Case(row.submission.assignment or "?", status, printable(why, 300)) if why is not None else None


def by_status_and_frequency(students: Mapping[Case, list[str]]) -> list[tuple[Case, list[str]]]:
    """Return the cases with their students, sorted by status and then by number of students in descending order.

    Submissions without a grade come first.
    """
    order = [NO_GRADE_STATUS, *SubmissionStatus]
    return sorted(students.items(), key=lambda item: (order.index(item[0].status), -len(item[1])))


def iter_reasons(row: Row) -> Iterator[str]:
    """Yield, as sentences, the reasons why a person should check the grade, most important first."""
    submission, grade = row.submission, row.grade
    if row.machine_failure:
        yield f"no grade could be given; grade it by hand or run again: {row.machine_failure}"
    if submission.problem is not None:
        yield submission.problem.for_staff
    notes = feedback.relevant_reading_notes(submission, grade)
    if notes and all(result.is_unfinished for result in grade.test_results):
        yield " ".join(notes)  # the notes might explain why there was nothing to grade
    if submission.doubt:
        yield submission.doubt
    yield from iter_suspicions(grade)
    if grade.status is not SubmissionStatus.GRADED or not grade.score:
        yield main_fault_of_submission(grade)


def iter_suspicions(grade: Grade) -> Iterator[str]:
    """Yield a message for each doubt about the points that only a person can settle."""
    evidence = _without_tests_after_timeout(grade.test_results)
    functions = [name for name, group in by_question(evidence).items() if _is_by_heart(group)]
    if functions:
        yield f"{', '.join(functions)}: right in public tests but not in hidden ones, as if memorized"


def _without_tests_after_timeout(test_results: list[TestResult]) -> list[TestResult]:
    """Return the results, without calls that did not return if a public test already contained such a call.

    A function that never returns uses up the submission's time, so the tests of other functions do not run.
    """
    slow = [result for result in test_results if result.kind is Kind.TIMEOUT]
    if any(result.test.phase is Phase.PUBLIC for result in slow):
        return [result for result in test_results if result.kind is not Kind.TIMEOUT]
    return test_results


def _is_by_heart(test_results: list[TestResult]) -> bool:
    """Return True if a function passes its public tests but, for no known reason, fails most of its hidden tests.

    Known reasons are a known mistake and a wrong function that the function builds on. A hidden test does not count as
    failed if the function's values are right, or right to a few digits.
    """
    if any(result.hint or (result.passed and result.faulty_function) for result in test_results):
        return False
    phases = (Phase.PUBLIC, Phase.HIDDEN)
    public, hidden = ([result for result in test_results if result.test.phase is phase] for phase in phases)
    nearly_right = RIGHT_VALUE_KINDS | {Kind.PRECISION}
    lost_points = points_possible(result for result in hidden if not result.passed and result.kind not in nearly_right)
    return bool(public) and all(result.passed for result in public) and lost_points > points_possible(hidden) / 2


def main_fault_of_submission(grade: Grade) -> str:
    """Return a submission's most important fault, for teaching staff."""
    if (failure := grade.failure) is not None:  # without line numbers, so that equal causes form one case
        if failure.is_load_timeout:
            return f"the file does not end: {failure.message}"
        event = "an import was left out" if failure.missing_import else "the file stops"
        return f"{event}, {failure.kind}: {failure.message}"
    # A call that never returns matters most, followed by a known cause.
    mistakes = [result for result in grade.test_results if result.is_mistake]
    worst = min(mistakes, key=lambda result: (result.kind not in STOPPED, result.hint is None), default=None)
    if worst is None:
        return "nothing is written yet"
    return grade.reason_not_run or f"{worst.test.question}: {worst.hint or worst.message}"
