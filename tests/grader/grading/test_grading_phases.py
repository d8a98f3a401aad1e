"""Tests of grading phases: hidden tests never change the public phase's status, and no suite is collected in part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder import course
from autograder.checks.results import Phase, TestResult
from autograder.grading import suite_run
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.protocol.failure_kinds import BrokenTestError, SubmissionStatus
from autograder.sandbox.sandboxed_submission import SandboxedBackend

WRONG = """
_right = frequencies
def frequencies(*args, **kwargs):
    return _right(*args, **kwargs) * 2
"""


@pytest.mark.parametrize("phase", [Phase.PUBLIC, Phase.HIDDEN])
def test_a_limit_that_follow_through_uses_up_is_no_status_of_the_tests_before(
    phase: Phase, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that follow-through exhausts does not count, because all tests have already run."""
    follow_through = suite_run.follow_through

    def exhausting(
        suite: Suite, backend: SandboxedBackend, results: Sequence[TestResult], earlier: Sequence[TestResult] = ()
    ) -> list[TestResult]:
        followed = follow_through(suite, backend, results, earlier)
        if any(result.test.phase is phase for result in results):
            backend.status, backend.why = SubmissionStatus.TIMEOUT, "not run: the submission has used its 60 seconds"
        return followed

    monkeypatch.setattr(suite_run, "follow_through", exhausting)
    sinusoidal = course.find("sinusoidal")
    grade = grader.grade(sinusoidal, (sinusoidal.solution.read_text("utf-8") + WRONG,))
    assert "used up all of its time" not in grade.public_feedback + grade.full_feedback
    if phase is Phase.HIDDEN:
        assert grade.status is SubmissionStatus.GRADED and 10 < grade.score < 20
    else:  # No time remains for the hidden tests.
        assert grade.status is SubmissionStatus.TIMEOUT and 0 < grade.score < 10


@pytest.mark.parametrize(
    "fault", ["import no_such_module\n", "def test_more(:\n", None], ids=["import", "syntax", "empty"]
)
def test_a_suite_that_cannot_be_collected_is_never_half_a_suite(
    fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a broken suite is collected twice in one process, both attempts raise the same error, and neither
    returns only the public tests."""
    assignment = course.find("naive")
    hidden = tmp_path / "test_naive.py"
    text = assignment.hidden_tests.read_text("utf-8") if fault else ""
    hidden.write_text(f"{text}\n\n{fault or ''}", encoding="utf-8")
    monkeypatch.setattr(course.Assignment, "hidden_tests", property(lambda _: hidden))
    for _ in range(2):
        with pytest.raises(BrokenTestError, match="cannot be collected|has no test"):
            Suite(assignment)
