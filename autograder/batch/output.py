"""The files that a batch makes of the gradebook: grades.csv, results and feedback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.batch.gradebook import Gradebook
from autograder.files import write_csv
from autograder.grading.row import Row
from autograder.submission.names import csv_cell, safe_name

COLUMNS = ["student", "assignment", "score", "max_score", "status", "file", "sha256", "seconds"]
IDENTITIES = ["number", "sid", "email", "login", "name"]


def write(book: Gradebook, also: Callable[[Row], object]) -> None:
    """All of it, in the place of what an earlier run wrote; `also` is told of every row."""
    written: set[Path] = set()

    def rows() -> Iterator[Row]:
        for row in book.rows():
            submission = row.submission
            name = submission.assignment or safe_name(f"unknown_{submission.file}", set())
            for path, text in (
                (book.out / "feedback" / row.folder / f"{name}.md", row.feedback),
                (book.out / "results" / row.folder / f"{name}.json", f"{row.gradescope}\n"),
            ):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
                written.add(path)
            also(row)
            yield row

    write_csv(book.out / "grades.csv", _grades(book, rows()))
    for path in [*book.out.glob("feedback/*/*.md"), *book.out.glob("results/*/*.json")]:
        if path not in written:  # not handed in any more
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _grades(book: Gradebook, rows: Iterator[Row]) -> Iterator[list[str]]:
    """grades.csv, header first. A question's column carries its assignment's name where there are several.

    What a platform says of a student comes last, and before it by how much the instructor corrected the score.
    """
    questions = book.questions()

    def column(assignment: str, question: str) -> str:
        return f"{assignment}.{question}" if len(questions) > 1 else question

    columns = [column(assignment, question) for assignment, names in questions.items() for question in names]
    yield [*COLUMNS, *columns, "adjustment", *IDENTITIES]
    for row in rows:
        submission = row.submission
        points = {
            column(submission.assignment, question): _number(won) for question, won in row.grade.questions.items()
        }
        yield [
            csv_cell(row.student),
            submission.assignment,
            _number(row.score),
            _number(row.grade.max_score),
            row.grade.status,
            csv_cell(submission.file),
            submission.sha256,
            f"{row.grade.seconds:.3f}",
            *(points.get(name, "") for name in columns),
            _number(row.score - row.grade.score) if row.adjustments else "",
            *(csv_cell(getattr(submission.person, name)) for name in IDENTITIES),
        ]


def _number(value: float) -> str:
    return f"{value:.10g}"
