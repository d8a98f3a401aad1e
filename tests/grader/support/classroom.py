"""Classes of made-up students for tests with many submissions; all submissions differ, and some are wrong or broken.

Every submission depends only on a seed, so a class is the same everywhere.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder import course
from autograder.submission import Submission, find_in_folder
from autograder.submission.choice import read_uploads_of_student

SAMPLES = course.ROOT / "tests" / "submissions"
SECONDS = "seconds"


def right(name: str, number: int) -> str:
    """Return a complete solution with a unique comment."""
    return f"# submission {number}\n{course.find(name).solution.read_text('utf-8')}"


def unfinished(name: str, number: int) -> str:
    """Return the unchanged stub with a unique comment."""
    return f"# submission {number}\n{course.find(name).stub.read_text('utf-8')}"


def stops(name: str, number: int) -> str:
    """Return a complete submission that raises on the last line."""
    return f"{right(name, number)}\nraise RuntimeError('submission {number}')\n"


def ends_its_process(name: str, number: int) -> str:
    """Return a submission that ends the process that loads it."""
    return f"import os\nos._exit({number % 256})\n"


def no_python(name: str, number: int) -> str:
    """Return text that is not Python."""
    return f"submission {number}: I could not do it, sorry (\n"


def make(folder: Path, name: str, size: int, kinds: list[Callable[[str, int], str]], seed: int = 0) -> None:
    """Write `size` submissions for one assignment into `folder`/`name`, each of a randomly drawn kind."""
    draw = random.Random(seed)
    (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(size):
        text = draw.choice(kinds)(name, number)
        (folder / name / f"student{number:04}.py").write_text(text, "utf-8")


def grades(out: Path) -> list[dict[str, str]]:
    """Return the rows of grades.csv without the column of durations, which is the only one that differs
    between runs."""
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return [{name: value for name, value in row.items() if name != SECONDS} for row in csv.DictReader(file)]


def read_folder(folder: Path, assignment: str | None, known: Sequence[str]) -> list[Submission]:
    """Return all submissions read from a folder, sorted by assignment and then student."""
    names = tuple(known)
    submissions = [
        submission
        for uploads in find_in_folder(folder, assignment, names).students
        for submission in read_uploads_of_student(uploads, names)
    ]
    return sorted(
        submissions,
        key=lambda submission: (submission.assignment, submission.student, submission.file),
    )
