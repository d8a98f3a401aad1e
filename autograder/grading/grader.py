"""One submission → one grade: run the suite behind the wall, let Otter score it.

A grade depends on the submission's code and the suite alone, never on who handed it in: identical files share one.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from autograder.checks.render import Audience
from autograder.checks.results import Phase, TestResult
from autograder.course import Assignment
from autograder.grading import feedback
from autograder.grading.follow_through import follow_through
from autograder.grading.grade import NOT_JUDGED, Grade
from autograder.grading.scoring import Scorer
from autograder.grading.suite import Suite
from autograder.hints.explain import with_causes
from autograder.protocol.failure import Kind, Status
from autograder.sandbox.backend import SandboxedBackend
from autograder.sandbox.client import Sandbox
from autograder.sandbox.limits import bounded_memory
from autograder.submission import Submission

TOGETHER = ((Phase.PUBLIC, Phase.ANSWERS), (Phase.HIDDEN,))
"""What is run together. Once it has met a hidden input, nothing that a submission says or does reaches its student at
once."""


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
        judged: list[Grade] = []
        results: list[TestResult] = []
        with (
            contextlib.closing(SandboxedBackend(self.sandbox, assignment.name, cells)) as backend,
            bounded_memory(),
            np.errstate(all="ignore"),  # a warning would print a line of a hidden test
        ):
            for phases in TOGETHER:
                run, stopped = suite.run(backend, *phases), backend.status
                results += follow_through(suite, backend, run, results)
                usual = Status.IMPORT_ERROR if backend.failure and len(cells) == 1 else Status.GRADED
                told = with_causes(suite.reference, results)
                judged.append(Grade(assignment.name, stopped or usual, told, failure=backend.failure))
        return replace(_told(scorer, *judged), seconds=time.monotonic() - begin)

    def refuse(self, assignment: Assignment, status: Status, sentence: str) -> Grade:
        """The grade on what cannot be run: no test passes, and each says why."""
        suite, scorer = self._suite(assignment)
        every = [TestResult(test, Kind[status.name], sentence) for test in suite.tests]
        grade = Grade(assignment.name, status, every)
        return _told(scorer, grade, grade)

    def _suite(self, assignment: Assignment) -> tuple[Suite, Scorer]:
        if assignment not in self._suites:
            suite = Suite(assignment)
            self._suites[assignment] = suite, Scorer(assignment, suite.tests)
            gc.freeze()  # a suite stays: Python's collector need not look through all of it again and again
        return self._suites[assignment]

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()


def _told(scorer: Scorer, public_feedback: Grade, final: Grade) -> Grade:
    """The final grade, scored, with what its student may read: at once, and later. How the submission came to an end
    among hidden tests is told of none of it."""
    for result in final.test_results:
        result.calls.clear()  # nobody needs what was asked any more
    settled = replace(public_feedback, **scorer.numbers(final.test_results))
    now = feedback.body(settled, Audience.BEFORE_RELEASE)
    later = feedback.body(replace(settled, test_results=final.test_results), Audience.AFTER_RELEASE)
    gradescope = settled.gradescope | {"output": now}
    told = replace(settled, public_feedback=now, feedback=later, gradescope=gradescope)
    return replace(told, test_results=final.test_results, status=final.status)


def grade_alone(assignment: Assignment, submission: Submission, disabled_locks: Collection[str]) -> Grade:
    """Grade one submission and nothing else. Where a grader fails over it, which no test foresaw, nobody is blamed."""
    with contextlib.closing(Grader(disabled_locks)) as grader:
        if submission.problem is not None:
            return grader.refuse(assignment, Status.UNREADABLE, submission.problem.message)
        try:
            return grader.grade(assignment, submission.cells)
        except Exception:
            return grader.refuse(assignment, Status.KILLED, NOT_JUDGED)
