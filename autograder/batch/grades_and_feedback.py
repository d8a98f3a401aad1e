"""The files that a batch writes from its gradebook: grades.csv, students.csv, results and feedback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.batch.gradebook import Gradebook
from autograder.course import term_assignments
from autograder.csv_tables import write_csv
from autograder.files import write_files
from autograder.grading.row import IDENTITY_FIELDS, Row
from autograder.submission.untrusted_names import csv_cell, safe_name

FIRST_COLUMNS = "student assignment score max_score status submitted late file sha256 seconds".split()


def write(book: Gradebook, *observers: Callable[[Row], object]) -> None:
    """Write the files, replacing those of an earlier run. Each observer receives every row."""
    written: set[Path] = set()

    def rows() -> Iterator[Row]:
        for row in book.rows():
            written.update(_write_feedback_and_result(book.out, row))
            for observe in observers:
                observe(row)
            yield row

    write_csv(book.out / "grades.csv", _grades(book, rows()))
    for path in [*book.out.glob("feedback/*/*.md"), *book.out.glob("results/*/*.json")]:
        if path not in written:  # belongs to a submission that is no longer listed
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _write_feedback_and_result(out: Path, row: Row) -> list[Path]:
    """Write a student's feedback and result; return the paths."""
    name = row.submission.assignment or safe_name(f"unknown_{row.submission.file}", set())
    texts = {
        out / "feedback" / row.folder / f"{name}.md": row.full_feedback_markdown,
        out / "results" / row.folder / f"{name}.json": f"{row.gradescope_json}\n",
    }
    return write_files(texts)


def _grades(book: Gradebook, rows: Iterator[Row]) -> Iterator[list[str]]:
    """Yield the lines of grades.csv, header first.

    The columns are facts about the submission, the points for each question, the manual correction, and what the
    platform says about the student. If there are several assignments, a question's column title includes the
    assignment's name.
    """
    questions = book.questions_by_assignment()

    def column(assignment: str, question: str) -> str:
        return f"{assignment}.{question}" if len(questions) > 1 else question

    columns = [column(assignment, question) for assignment, names in questions.items() for question in names]
    yield [*FIRST_COLUMNS, *columns, "adjustment", *IDENTITY_FIELDS]
    for row in rows:
        submission, grade = row.submission, row.grade
        points = {column(submission.assignment, name): _number(won) for name, won in grade.questions.items()}
        yield [
            csv_cell(row.student),
            submission.assignment,
            _number(row.score),
            _number(grade.max_score),
            grade.status,
            csv_cell(submission.submitted),
            row.late_yes_no,
            csv_cell(submission.file),
            submission.sha256,
            f"{grade.seconds:.3f}",
            *(points.get(name, "") for name in columns),
            _number(row.score - grade.score) if row.adjustments else "",
            *(csv_cell(getattr(submission.person, name)) for name in IDENTITY_FIELDS),
        ]


def _number(value: float) -> str:
    return f"{value:.10g}"


@dataclass
class _StudentScores:
    label: str
    identities: list[str]
    scores: dict[str, float] = field(default_factory=dict)


class StudentScoreTable:
    """Scores of each student, collected row by row."""

    def __init__(self, section_by_person: Mapping[str, str]) -> None:
        """Store each person's section; the mapping is empty if no roster lists sections."""
        self._section_by_person = section_by_person
        self._students: dict[str, _StudentScores] = {}

    def add(self, row: Row) -> None:
        """Add one submission."""
        submission = row.submission
        identities = [getattr(submission.person, name) for name in IDENTITY_FIELDS]
        student = self._students.setdefault(submission.student_key, _StudentScores(row.student, identities))
        if submission.assignment:
            student.scores[submission.assignment] = row.score

    def write(self, out: Path) -> None:
        """Write OUT/students.csv."""
        graded = {name for student in self._students.values() for name in student.scores}
        lessons = [assignment.name for assignment in term_assignments() if assignment.name in graded]
        lessons += sorted(graded - {*lessons})
        section = ["section"] if self._section_by_person else []
        rows = [["student", *section, *lessons, "sum", *IDENTITY_FIELDS]]
        for who, student in sorted(self._students.items(), key=lambda item: (item[1].label, item[0])):
            scores = [_number(student.scores[name]) if name in student.scores else "" for name in lessons]
            section_cells = [csv_cell(self._section_by_person.get(who, ""))] if self._section_by_person else []
            total = _number(sum(student.scores.values()))
            rows.append([csv_cell(student.label), *section_cells, *scores, total, *map(csv_cell, student.identities)])
        write_csv(out / "students.csv", rows)
