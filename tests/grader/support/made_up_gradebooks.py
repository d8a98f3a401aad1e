"""Gradebooks of made-up classes, written through the gradebook's own API, without running student code."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from autograder.batch.gradebook import Gradebook, code_hash
from autograder.checks.result_markdown import Audience
from autograder.checks.results import Phase, Test, TestResult
from autograder.grading import feedback
from autograder.grading.grade import Grade, to_json
from autograder.grading.row import GradeKey
from autograder.protocol.call import Raised
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.submission import Person, Problem, Submission

COURSE = (
    *("attention", "naive", "sinusoidal", "learned", "rope", "relative", "alibi", "context_extension", "extrapolation"),
)
FIRST = "Ada Alan Barbara Donald Edsger Emmy Grace Hedy Katherine Kurt Radia Sophie Tim".split()
LAST = "Abel Babbage Cauchy Dirac Euler Fourier Gauss Hopper Ito Jacobi Kepler Lovelace".split()
QUESTIONS, TESTS = 10, 6
CODE = "\n".join(f"y{n} = np.sin(np.cos(x[{n}:]) + {n}) * np.exp({n} - x)" for n in range(9))
"""Code long enough for two copies to count as similar."""


def tests_of(assignment: str) -> list[Test]:
    """Return the tests of ten questions, six tests per question, worth 20 points in all."""
    points = 20 / (QUESTIONS * TESTS)
    return [
        Test(
            f"test_{assignment}_{question}_{number}",
            f"{assignment}_part_{question}",
            points,
            Phase.PUBLIC if number < 2 else Phase.HIDDEN,
            f"Part {question} of {assignment} keeps rule {number}, whatever the leading axes and the dtype are.",
        )
        for question in range(QUESTIONS)
        for number in range(TESTS)
    ]


def grade(assignment: str, ability: float, draw: random.Random, status: str = "graded") -> Grade:
    """Return a random grade for a student with a certain ability (about −3 to 3). Later questions are harder."""
    test_results = []
    for place, test in enumerate(tests_of(assignment)):
        ease = ability - 3.5 * (place / (QUESTIONS * TESTS) - 0.6) + draw.gauss(0, 0.8)
        if ease > 0:
            test_results.append(TestResult(test))
        elif ease < -2.5:
            test_results.append(TestResult(test, Kind.NOT_WRITTEN, "not written yet"))
        else:
            hint = (
                f"Part {place // TESTS} of {assignment} counts features where it should count pairs."
                if draw.random() < 0.4
                else None
            )
            test_results.append(TestResult(test, Kind.VALUE, "expected 1, got 2", hint=hint))
    return scored(test_results, draw.gauss(0.2, 0.03), status, assignment)


def scored(
    test_results: list[TestResult], seconds: float = 0.2, status: str = "graded", assignment: str = "rope"
) -> Grade:
    """Return a grade that contains these test results."""
    questions: dict[str, float] = {}
    for result in test_results:
        questions[result.test.question] = questions.get(result.test.question, 0.0) + result.test.points * result.passed
    possible = sum(result.test.points for result in test_results)
    points = sum(questions.values())
    grade = Grade(
        assignment, SubmissionStatus(status), test_results, points, possible, questions, {"tests": []}, seconds
    )
    return replace(grade, full_feedback=feedback.body(grade, Audience.AFTER_RELEASE))


def packed(grade: Grade) -> bytes:
    """Return a grade in the form in which the gradebook stores it."""
    return zlib.compress(to_json(grade).encode("ascii"))


def submission_file(student: str, code: str = "x = 1", assignment: str = "rope", **facts: object) -> Submission:
    """Return a submission with this code, or without code if there is a problem."""
    cells = () if facts.get("problem") else (code,)
    submission = Submission(student, assignment, f"{assignment}/{student}.py", "0" * 64, cells)
    return replace(submission, **facts)  # type: ignore[arg-type]


GRADE = Grade(
    assignment="rope",
    status=SubmissionStatus.GRADED,
    test_results=[
        TestResult(Test("test_a", "apply_rope", 3.0, Phase.PUBLIC, "A rule.")),
        TestResult(
            Test("test_b", "apply_rope", 2.0, Phase.HIDDEN, "Another."), Kind.VALUE, "no \ud800 good", hint="A hint."
        ),
    ],
    score=3.5,
    max_score=20.0,
    questions={"apply_rope": 3.0, "rotate_half": 0.5},
    gradescope={"tests": [{"name": "apply_rope", "score": 3.0}]},
    seconds=0.25,
    failure=Raised("ValueError", ("ValueError", "Exception"), "bad", 3, None),
    full_feedback="A text.",
)
"""A grade with a value in every field."""
PACKED = packed(GRADE)


def submission_from(platform: str, number: str, name: str, **fields: object) -> Submission:
    """Return a submission by a person on a platform, in a file named the way this platform names files."""
    file = {
        "Canvas": f"{name}_{number}_900{number}_rope.py",
        "Moodle": f"{name}_{number}_assignsubmission_file_rope.py",
    }
    submission = submission_file(name, name, person=Person(platform, number=number, name=name))
    return replace(submission, file=file.get(platform, f"{name}.py"), **fields)  # type: ignore[arg-type]


def write_gradebook(out: Path, *folders: Iterable[Submission]) -> None:
    """Write the gradebook of a finished run in which each submission has the grade GRADE."""
    with Gradebook.writing(out) as book:
        book.replace_submissions(folders, {"rope": "suite"})
        for key in book.ungraded_key_counts():
            book.add(key, PACKED)
        book.record_finished_run()


def write(out: Path, graded: Iterable[tuple[Submission, Grade]]) -> None:
    """Write a gradebook with these submissions and their grades."""
    pairs = list(graded)
    with Gradebook.writing(out) as book:
        book.replace_submissions(
            [[submission for submission, _ in pairs]], {submission.assignment: "suite" for submission, _ in pairs}
        )
        grades = {GradeKey(one.assignment, "suite", code_hash(one)): grade for one, grade in pairs}
        for key in book.ungraded_key_counts():
            book.add(key, packed(grades[key]))
        book.record_finished_run()


def made_up_class(
    size: int, assignments: Iterable[str] = COURSE, distinct: int = 50, seed: int = 0
) -> list[tuple[Submission, Grade]]:
    """Return the submissions of a whole class with their grades; about one in fifty submissions cannot be
    read. For speed, an assignment has a limited number of distinct grades."""
    draw = random.Random(seed)
    graded = []
    for assignment in assignments:
        grades = [grade(assignment, 4 * level / distinct - 2, draw) for level in range(distinct)]
        for number in range(size):
            student = f"{FIRST[number % len(FIRST)]} {LAST[number % len(LAST)]} {number:04}"
            level = min(max(round(draw.gauss(distinct * 0.55, distinct * 0.22)), 0), distinct - 1)
            if draw.random() < 0.02:
                problem = Problem("Your file is empty.")
                refused = [TestResult(test, Kind.UNREADABLE, "empty") for test in tests_of(assignment)]
                graded.append(
                    (submission_file(student, "", assignment, problem=problem), scored(refused, 0.0, "unreadable"))
                )
            elif draw.random() < 0.95:
                graded.append((submission_file(student, f"level = {level}", assignment), grades[level]))
    return graded
