"""One grade with something of everything in it, and submissions that share it: rows of a gradebook for which nothing is
graded."""

from __future__ import annotations

from dataclasses import replace

from autograder.checks.results import Phase, Test, TestResult
from autograder.grading.grade import Grade
from autograder.protocol.call import Raised
from autograder.protocol.failure import Kind, Status
from autograder.submission import Submission
from tests.grader.support.gradebooks import packed

RESULTS = [
    TestResult(Test("test_a", "apply_rope", 3.0, Phase.PUBLIC, "A rule.")),
    TestResult(
        Test("test_b", "apply_rope", 2.0, Phase.HIDDEN, "Another."),
        Kind.VALUE,
        "no \ud800 good",
        hint="A hint.",
    ),
]
GRADE = Grade(
    assignment="rope",
    status=Status.GRADED,
    test_results=RESULTS,
    score=3.5,
    max_score=20.0,
    questions={"apply_rope": 3.0, "rotate_half": 0.5},
    gradescope={"tests": [{"name": "apply_rope", "score": 3.0}]},
    seconds=0.25,
    failure=Raised("ValueError", ("ValueError", "Exception"), "bad", 3, None),
    feedback="A text.",
)
PACKED = packed(GRADE)


def submission_file(student: str, code: str = "x = 1", assignment: str = "rope", **facts: object) -> Submission:
    submission = Submission(student, assignment, f"{assignment}/{student}.py", "0" * 64, (code,))
    return replace(submission, **facts)  # type: ignore[arg-type]
