"""One submission → one grade: run the suite behind the wall, let Otter score it.

A grade depends on the submission's code and the suite alone, never on who handed it in: identical files share one.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Collection
from dataclasses import replace

from autograder.checks.results import Phase, TestResult, wrong_points
from autograder.checks.telling import Audience
from autograder.course import Assignment, UserError
from autograder.grading import feedback
from autograder.grading.follow_through import follow_through
from autograder.grading.grade import NOT_JUDGED, Grade
from autograder.grading.scoring import Scorer
from autograder.grading.suite import Suite
from autograder.hints.explain import with_causes
from autograder.protocol.failure import Kind, Status
from autograder.sandbox.backend import Sandboxed
from autograder.sandbox.client import Sandbox
from autograder.sandbox.limits import bounded_memory
from autograder.submission import Submission

__all__ = ["CannotGrade", "Grade", "Grader", "grade_alone"]


class CannotGrade(UserError):
    """The grader failed, and not because of what was handed in. The message is a sentence for a person."""


class Grader:
    """Grades submissions of any assignment: suites are collected once, the sandbox stays warm."""

    def __init__(self, disabled_locks: Collection[str] = ()) -> None:
        """`disabled_locks`: names of locks of the wall to leave off."""
        self.sandbox = Sandbox(disabled_locks)
        self._suites: dict[Assignment, tuple[Suite, Scorer]] = {}

    def grade(self, assignment: Assignment, cells: tuple[str, ...]) -> Grade:
        """Run and score one submission. Nothing of it runs any more when this returns."""
        suite, scorer = self._suite(assignment)
        begin = time.monotonic()
        backend = Sandboxed(self.sandbox, assignment.name, cells)
        try:
            with bounded_memory():
                public = suite.run(backend, Phase.PUBLIC, Phase.ANSWERS)
                failure, stopped, printed = backend.failure, backend.status, backend.printed
                public = follow_through(suite, backend, public)
                at_once = with_causes(suite.reference, public)
                # From here on the submission knows hidden inputs: nothing that it says or does any more reaches its
                # student.
                hidden = suite.run(backend, Phase.HIDDEN)
                status = backend.status
                hidden = follow_through(suite, backend, hidden, public)
                final = with_causes(suite.reference, [*public, *hidden])
        finally:
            backend.close()
        for result in final:
            result.calls.clear()  # nobody needs what was asked any more
        broken = Status.IMPORT_ERROR if failure and len(cells) == 1 else None
        grade = Grade(
            assignment.name,
            stopped or broken or Status.GRADED,
            at_once,
            **scorer.numbers(final),
            seconds=time.monotonic() - begin,
            failure=failure,
            printed=printed,
        )
        return replace(_told(grade, final), status=status or broken or Status.GRADED)

    def refuse(self, assignment: Assignment, status: Status, sentence: str) -> Grade:
        """The grade on what cannot be run: no test passes, and each says why."""
        suite, scorer = self._suite(assignment)
        every = [TestResult(test, Kind[status.name], sentence) for test in suite.tests]
        return _told(Grade(assignment.name, status, every, **scorer.numbers(every)), every)

    def _suite(self, assignment: Assignment) -> tuple[Suite, Scorer]:
        if assignment not in self._suites:
            suite = Suite(assignment)
            if sentence := next(wrong_points(assignment.name, suite.tests), None):
                raise CannotGrade(sentence)
            self._suites[assignment] = (suite, Scorer(assignment, suite.tests))
            gc.freeze()  # a suite stays: Python's collector need not look through all of it again and again
        return self._suites[assignment]

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _told(settled: Grade, final: list[TestResult]) -> Grade:
    """A grade that knows no hidden test, with what its student may read of it, and then of the final results."""
    at_once = feedback.body(settled, Audience.AT_ONCE)
    known = replace(settled, test_results=final)
    gradescope = settled.gradescope | {"output": at_once}
    return replace(known, at_once=at_once, feedback=feedback.body(known, Audience.LATER), gradescope=gradescope)


def grade_alone(assignment: Assignment, submission: Submission, disabled_locks: Collection[str]) -> Grade:
    """Grade one submission and nothing else. Raises CannotGrade where the reference solution cannot be graded either.

    An exception that no test foresaw is the submission's own as long as a new grader judges the solution as it should.
    """
    try:
        with Grader(disabled_locks) as grader:
            if submission.problem is not None:
                return grader.refuse(assignment, Status.UNREADABLE, submission.problem.message)
            return grader.grade(assignment, submission.cells)
    except Exception as error:
        failure = error
    with Grader(disabled_locks) as grader, contextlib.suppress(Exception):
        solution = grader.grade(assignment, (assignment.solution.read_text("utf-8"),))
        if solution.score == solution.max_score:
            return grader.refuse(assignment, Status.KILLED, NOT_JUDGED)
    said = f"{type(failure).__name__}: {failure}"
    raise CannotGrade(f"neither this submission nor the solution can be graded ({said})") from failure
