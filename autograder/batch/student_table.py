"""The scores of a term in one table: students.csv, with a row per student and a column per assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import term_assignments
from autograder.files import write_csv
from autograder.grading.row import IDENTITIES, Row
from autograder.submission.untrusted_names import csv_cell

STUDENTS_FILE = "students.csv"


@dataclass
class _StudentScores:
    label: str
    identities: list[str]
    scores: dict[str, float] = field(default_factory=dict)


class StudentTable:
    """Scores by student, collected row by row."""

    def __init__(self, section_by_person: Mapping[str, str]) -> None:
        """Store each person's section; the mapping is empty if no roster has sections."""
        self._section_by_person = section_by_person
        self._students: dict[str, _StudentScores] = {}

    def add(self, row: Row) -> None:
        """Add one submission."""
        submission = row.submission
        identities = [getattr(submission.person, name) for name in IDENTITIES]
        student = self._students.setdefault(submission.student_key, _StudentScores(row.student, identities))
        if submission.assignment:
            student.scores[submission.assignment] = row.score

    def write(self, out: Path) -> None:
        """Write OUT/students.csv."""
        graded = {name for student in self._students.values() for name in student.scores}
        lessons = [assignment.name for assignment in term_assignments() if assignment.name in graded]
        lessons += sorted(graded - {*lessons})
        section = ["section"] if self._section_by_person else []
        rows = [["student", *section, *lessons, "sum", *IDENTITIES]]
        for who, student in sorted(self._students.items(), key=lambda item: (item[1].label, item[0])):
            scores = [f"{student.scores[name]:.10g}" if name in student.scores else "" for name in lessons]
            section_cells = [csv_cell(self._section_by_person.get(who, ""))] if self._section_by_person else []
            total = f"{sum(student.scores.values()):.10g}"
            rows.append([csv_cell(student.label), *section_cells, *scores, total, *map(csv_cell, student.identities)])
        write_csv(out / STUDENTS_FILE, rows)
