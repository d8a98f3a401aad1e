"""One submission → one verdict: run the suite behind the wall, let Otter score it.

A verdict depends on the submission's code and the suite alone, never on who handed it in: identical files share one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Collection
from typing import Any

from autograder.checks.outcome import Outcome, Part
from autograder.course import Assignment
from autograder.otter.score import Scorer, gradescope
from autograder.sandbox.backend import Sandboxed, Source
from autograder.sandbox.bounds import bounded_memory
from autograder.sandbox.client import Sandbox
from autograder.suite import Suite
from autograder.verdict import Verdict

__all__ = ["Grader", "Verdict"]


class Grader:
    """Grades submissions of any assignment: suites are collected once, the sandbox stays warm."""

    def __init__(self, isolation: Collection[str] | None = None) -> None:
        """`isolation`: names of locks to leave off; None keeps all of them."""
        self.sandbox = Sandbox(without=isolation or ())
        self._suites: dict[Assignment, tuple[Suite, Scorer]] = {}

    def grade(self, assignment: Assignment, cells: tuple[str, ...]) -> Verdict:
        """Run and score one submission. Nothing of it runs any more when this returns."""
        suite, scorer = self._suite(assignment)
        begin = time.monotonic()
        backend = Sandboxed(self.sandbox, Source(assignment.name, cells))
        try:
            with bounded_memory():
                outcomes = suite.run_behind_the_wall(backend)
        finally:
            backend.close()
        return Verdict(
            status=backend.status or ("import_error" if backend.failure and len(cells) == 1 else "graded"),
            outcomes=outcomes,
            seconds=time.monotonic() - begin,
            failure=backend.failure,
            printed=backend.printed[Part.PUBLIC.value],
            **_scored(scorer, outcomes),
        )

    def refuse(self, assignment: Assignment, status: str, sentence: str) -> Verdict:
        """The verdict on what cannot be run: no test passes, and each says why."""
        suite, scorer = self._suite(assignment)
        outcomes = [Outcome(test, status, sentence) for test in suite.tests]
        return Verdict(status=status, outcomes=outcomes, seconds=0.0, **_scored(scorer, outcomes, sentence))

    def test_names(self, assignment: Assignment) -> list[str]:
        """The names of all tests of an assignment."""
        return [test.name for test in self._suite(assignment)[0].tests]

    def _suite(self, assignment: Assignment) -> tuple[Suite, Scorer]:
        if assignment not in self._suites:
            suite = Suite(assignment)
            _ = suite.scripts  # now, and not at the cost of the first submission
            self._suites[assignment] = (suite, Scorer(suite))
            gc.freeze()  # a suite stays: Python's collector need not look through all of it again and again
        return self._suites[assignment]

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _scored(scorer: Scorer, outcomes: list[Outcome], output: str | None = None) -> dict[str, Any]:
    """All numbers of a verdict, and its Gradescope form: Otter's."""
    results = scorer.score(outcomes)
    if output is not None:
        results.set_output(output)
    return {
        "score": float(results.total),
        "max_score": float(results.possible),
        "questions": {name: float(results.get_score(name)) for name in results.test_files},
        "gradescope": gradescope(results),
    }
