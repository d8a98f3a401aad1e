"""Grade one submission: run the test suite on the sandboxed code, and let Otter score the results.

A grade depends only on the submission's code and on the suite, never on the student, so identical files share a grade.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from autograder.checks.result_markdown import Audience
from autograder.checks.results import Phase, TestResult
from autograder.course import Assignment, CourseError
from autograder.grading import feedback
from autograder.grading.grade import GRADER_FAILURE_MESSAGE, Grade, fault_of_suite
from autograder.grading.otter_scoring import OtterScorer
from autograder.grading.suite import Suite
from autograder.grading.suite_run import SuiteRun
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.sandbox.client import Sandbox
from autograder.sandbox.limits import bounded_memory
from autograder.sandbox.sandboxed_submission import SandboxedBackend
from autograder.submission import Submission


class Grader:
    """A grader for submissions to any assignment; it collects each suite once and keeps a sandbox warm."""

    def __init__(self, disabled_locks: Collection[str] = ()) -> None:
        """Start the sandbox without the locks named in `disabled_locks`."""
        self.sandbox = Sandbox(disabled_locks)
        self._suites: dict[Assignment, tuple[Suite, OtterScorer]] = {}

    def grade(self, assignment: Assignment, cells: tuple[str, ...]) -> Grade:
        """Run and score one submission. When this method returns, none of the submission's code is running."""
        suite, scorer = self._suite_and_scorer(assignment)
        begin = time.monotonic()
        with (
            contextlib.closing(SandboxedBackend(self.sandbox, assignment.name, cells)) as backend,
            bounded_memory(),
            np.errstate(all="ignore"),  # a warning would print a line of a hidden test
        ):
            run = SuiteRun(suite, backend)
            public = run.results_after(Phase.PUBLIC, Phase.ANSWERS)

            # The pre-release text is now final: the submission has not received any hidden input yet.
            before_hidden = Grade(assignment.name, run.status, public, failure=backend.failure)

            public_and_hidden = run.results_after(Phase.HIDDEN)
            final = replace(before_hidden, status=run.status, test_results=public_and_hidden)
        return replace(_with_points_and_feedback(scorer, before_hidden, final), seconds=time.monotonic() - begin)

    def refuse(self, assignment: Assignment, status: SubmissionStatus, sentence: str) -> Grade:
        """Return the grade of a submission that cannot run: every test fails, and each result gives the reason."""
        suite, scorer = self._suite_and_scorer(assignment)
        failed = [TestResult(test, Kind[status.name], sentence) for test in suite.tests]
        grade = Grade(assignment.name, status, failed)
        return _with_points_and_feedback(scorer, grade, grade)

    def _suite_and_scorer(self, assignment: Assignment) -> tuple[Suite, OtterScorer]:
        """Return an assignment's suite and the scorer for its results, each created only once."""
        if assignment not in self._suites:
            suite = Suite(assignment, only_graded=True)
            self._suites[assignment] = suite, OtterScorer(assignment, suite.tests)
            gc.freeze()  # suites stay in memory, so the garbage collector need not scan them repeatedly
        return self._suites[assignment]

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()


def _with_points_and_feedback(scorer: OtterScorer, before_hidden: Grade, final: Grade) -> Grade:
    """Return the final grade, with points and with the student's texts for before and after the release.

    `before_hidden` is the grade before the first hidden test. Both texts use its status, so neither reveals whether the
    submission ran out of time or crashed in hidden tests.
    """
    for result in final.test_results:
        result.calls.clear()  # no later step needs the calls, and grades are stored
    points = scorer.grade_fields(final.test_results)
    before_hidden = replace(before_hidden, **points)
    public_feedback = feedback.body(before_hidden, Audience.BEFORE_RELEASE)
    full_feedback = feedback.body(replace(before_hidden, test_results=final.test_results), Audience.AFTER_RELEASE)
    points["gradescope"] |= {"output": public_feedback}
    return replace(final, **points, public_feedback=public_feedback, full_feedback=full_feedback)


def grade_solution(grader: Grader, assignment: Assignment) -> Grade:
    """Return the grade of the reference solution."""
    return grader.grade(assignment, (assignment.solution.read_text("utf-8"),))


def grade_alone(assignment: Assignment, submission: Submission, disabled_locks: Collection[str]) -> Grade:
    """Return one submission's grade, from a grader that grades nothing else.

    If the grader itself fails, no test passes, and the results tell the student that this is not their fault. Raise
    CourseError if the submission loses points and the reference solution does as well.
    """
    with contextlib.closing(Grader(disabled_locks)) as grader:
        if submission.problem is not None:
            return grader.refuse(assignment, SubmissionStatus.UNREADABLE, submission.problem.message)
        try:
            grade = grader.grade(assignment, submission.cells)
        except Exception:
            return grader.refuse(assignment, SubmissionStatus.KILLED, GRADER_FAILURE_MESSAGE)
        if grade.score < grade.max_score and (fault := fault_of_suite(assignment, grade_solution(grader, assignment))):
            raise CourseError(fault)
        return grade
