"""The files that a batch leaves under OUT besides the gradebook: grades, results, feedback. All are made from the gradebook."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.batch.gradebook import Gradebook, in_words
from autograder.files import write_csv
from autograder.grading.row import Row
from autograder.submission import Submission
from autograder.submission.names import csv_cell, safe_name

COLUMNS = ["student", "assignment", "score", "max_score", "status", "file", "sha256", "seconds"]


class Output:
    """Writes below one folder OUT."""

    def __init__(self, out: Path, book: Gradebook) -> None:
        self.out = out
        self.book = book

    def write_rows(self, rows: list[Row]) -> None:
        """The feedback and results of students who share a grade."""
        with in_words(self.out):
            for row in rows:
                for file, text in zip(_files(row), (row.feedback, f"{row.gradescope}\n"), strict=True):
                    self._put(file, text)
        self.book.mark_written(rows)

    def is_there(self, row: Row) -> bool:
        """Whether a row's files still lie where they were written."""
        return all((self.out / file).exists() for file in _files(row))

    def remove_withdrawn(self) -> None:
        """Feedback and results of what is not handed in any more."""
        with in_words(self.out):
            for folder, places in itertools.groupby(self.book.places(), operator.itemgetter(0)):
                current = {_file_name(assignment, file) for _, assignment, file in places if assignment is not None and file is not None}
                for place, ending in (("feedback", ".md"), ("results", ".json")):
                    there = self.out / place / folder
                    withdrawn = [path for path in there.glob(f"*{ending}") if path.stem not in current]
                    for path in withdrawn:
                        path.unlink()
                    if withdrawn and not any(there.iterdir()):
                        there.rmdir()

    def report_is_current(self) -> bool:
        """Whether the report was written after the last change of the grades."""
        report, grades = self.out / "report.html", self.out / "grades.csv"
        return report.exists() and report.stat().st_mtime_ns >= grades.stat().st_mtime_ns

    def write_tables(self) -> None:
        """grades.csv, and superseded.csv where something is superseded."""
        questions = self.book.questions()
        with in_words(self.out):
            write_csv(self.out / "grades.csv", table(self.book.rows(), questions, adjusted=bool(self.book.adjustments())))
            superseded = self.book.superseded()
            if superseded:
                write_csv(self.out / "superseded.csv", _superseded(superseded))
            else:
                (self.out / "superseded.csv").unlink(missing_ok=True)

    def _put(self, path: Path, text: str) -> None:
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def table(rows: Iterable[Row], questions: dict[str, list[str]], adjusted: bool = False) -> Iterator[list[str]]:
    """grades.csv, header first. A question's column carries its assignment's name where there are several.

    Where people corrected grades, the score is the corrected one, and a last column says by how much.
    """
    columns = [(assignment, question) for assignment, names in questions.items() for question in names]
    several = len(questions) > 1
    last = ["adjustment"] if adjusted else []
    yield COLUMNS + [f"{assignment}.{question}" if several else question for assignment, question in columns] + last
    for row in rows:
        one = row.submission
        facts = [csv_cell(row.student), one.assignment, _number(row.score), _number(row.max_score), row.status]
        points = [
            _number(row.questions[question]) if one.assignment == assignment and question in row.questions else "" for assignment, question in columns
        ]
        difference = [_number(row.score - row.tested_score) if row.adjustments else ""] if adjusted else []
        yield [*facts, csv_cell(one.file), one.sha256, f"{row.seconds:.3f}", *points, *difference]


def _superseded(submissions: list[Submission]) -> Iterator[list[str]]:
    yield ["student", "assignment", "file", "sha256", "why"]
    for one in submissions:
        assert one.problem is not None
        yield [csv_cell(one.student), one.assignment, csv_cell(one.file), one.sha256, csv_cell(one.problem.instructor)]


def _file_name(assignment: str, file: str) -> str:
    """The assignment; for a submission of none that is known, something that tells it from the student's others."""
    return assignment or safe_name(f"unknown_{file}", set())


def _files(row: Row) -> tuple[Path, Path]:
    """Where a row's feedback and results lie."""
    name = _file_name(row.submission.assignment, row.submission.file)
    return Path("feedback", row.folder, f"{name}.md"), Path("results", row.folder, f"{name}.json")


def _number(value: float) -> str:
    return f"{value:.10g}"
