"""The files that a batch leaves under OUT besides the gradebook: grades, results, feedback. All are made from the
gradebook."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from pathlib import Path

from autograder.batch.gradebook import Gradebook, in_words
from autograder.files import write_csv
from autograder.grading.row import Row
from autograder.submission.names import csv_cell, safe_name

COLUMNS = ["student", "assignment", "score", "max_score", "status", "file", "sha256", "seconds"]

_ENDINGS = {"feedback": ".md", "results": ".json"}
"""Of the files that every row has, by the folder under OUT."""


def write_rows(book: Gradebook, rows: list[Row]) -> None:
    """The feedback and results of students who share a grade."""
    with in_words(book.out):
        for row in rows:
            for path, text in zip(_paths(book.out, row), (row.feedback, f"{row.gradescope}\n"), strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
    book.mark_written(rows)


def update(book: Gradebook) -> None:
    """The feedback and results that were not written since the grade came or was corrected, and the tables."""
    for key in {row.key for row in book.rows(written=0)}:
        write_rows(book, list(book.rows(**key._asdict())))
    write_tables(book)


def are_there(out: Path, row: Row) -> bool:
    """Whether a row's files still lie where they were written."""
    return all(path.exists() for path in _paths(out, row))


def remove_withdrawn(book: Gradebook) -> None:
    """Feedback and results of what is not handed in any more."""
    with in_words(book.out):
        for folder, files in itertools.groupby(book.files(), operator.itemgetter(0)):
            current = {_file_name(assignment, file) for _, assignment, file in files if assignment is not None and file}
            for kind, ending in _ENDINGS.items():
                there = book.out / kind / folder
                withdrawn = [path for path in there.glob(f"*{ending}") if path.stem not in current]
                for path in withdrawn:
                    path.unlink()
                if withdrawn and not any(there.iterdir()):
                    there.rmdir()


def report_is_current(out: Path) -> bool:
    """Whether the report was written after the last change of the grades."""
    report, grades = out / "report.html", out / "grades.csv"
    return report.exists() and report.stat().st_mtime_ns >= grades.stat().st_mtime_ns


def write_tables(book: Gradebook) -> None:
    """grades.csv, and superseded.csv where something is superseded."""
    with in_words(book.out):
        write_csv(book.out / "grades.csv", _grades(book))
        lines = list(_superseded(book))
        if lines:
            write_csv(book.out / "superseded.csv", [["student", "assignment", "file", "sha256", "why"], *lines])
        else:
            (book.out / "superseded.csv").unlink(missing_ok=True)


def _grades(book: Gradebook) -> Iterator[list[str]]:
    """grades.csv, header first. A question's column carries its assignment's name where there are several.

    Where people corrected grades, the score is the corrected one, and a column says by how much. What platforms say of
    a student beyond what they are called comes last.
    """
    questions = book.questions()
    adjusted = bool(book.adjustments())
    identities = book.identities()

    def column(assignment: str, question: str) -> str:
        return f"{assignment}.{question}" if len(questions) > 1 else question

    columns = [column(assignment, question) for assignment, names in questions.items() for question in names]
    yield [*COLUMNS, *columns, *(["adjustment"] if adjusted else []), *identities]
    for row in book.rows():
        submission = row.submission
        facts = [csv_cell(row.student), submission.assignment, _number(row.score), _number(row.max_score), row.status]
        points = {column(submission.assignment, question): _number(won) for question, won in row.questions.items()}
        difference = [_number(row.score - row.tested_score) if row.adjustments else ""] if adjusted else []
        about = [csv_cell(getattr(submission.person, name)) for name in identities]
        yield [
            *facts,
            csv_cell(submission.file),
            submission.sha256,
            f"{row.seconds:.3f}",
            *(points.get(name, "") for name in columns),
            *difference,
            *about,
        ]


def _superseded(book: Gradebook) -> Iterator[list[str]]:
    for submission in book.superseded():
        assert submission.problem is not None
        yield [
            csv_cell(submission.student),
            submission.assignment,
            csv_cell(submission.file),
            submission.sha256,
            csv_cell(submission.problem.instructor),
        ]


def _file_name(assignment: str, file: str) -> str:
    """The assignment; for a submission of none that is known, something that tells it from the student's others."""
    return assignment or safe_name(f"unknown_{file}", set())


def _paths(out: Path, row: Row) -> list[Path]:
    """Where a row's feedback and results lie."""
    name = _file_name(row.submission.assignment, row.submission.file)
    return [out / kind / row.folder / f"{name}{ending}" for kind, ending in _ENDINGS.items()]


def _number(value: float) -> str:
    return f"{value:.10g}"
