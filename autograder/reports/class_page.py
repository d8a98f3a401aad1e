"""The instructor's page: scores, questions that separate strong students from weak ones, and common misconceptions.

The page is self-contained: it loads nothing, and its only links lead to the feedback in the same folder. Jinja escapes
all text on the page.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pandas as pd
from jinja2 import Environment

from autograder import course
from autograder.checks.results import by_question, points_possible, points_won
from autograder.files import CLASS_PAGE_FILE, atomic
from autograder.grading import needs_review
from autograder.grading.row import Row
from autograder.reports import similarity, templates
from autograder.submission.untrusted_names import printable, semicolon_list

MAX_CASES_OR_PAIRS = 500
"""Maximum number of cases and of similar pairs on the page; grades.csv and similarity.csv list all of them."""
HISTOGRAM_BINS = 20
"""Number of bars in a histogram."""


@dataclass
class AssignmentResults:
    """A class's results for one assignment."""

    name: str
    max_score: float = 0.0
    scores: list[float] = field(default_factory=list)
    max_points: dict[str, float] = field(default_factory=dict)
    """Points for each question."""
    ran_scores: list[float] = field(default_factory=list)
    """Scores of submissions whose code could be run; every percentage on the page is relative to these submissions."""
    points_won: list[dict[str, float]] = field(default_factory=list)
    """The points for each question, for each submission whose code could be run."""
    unwritten: list[dict[str, bool]] = field(default_factory=list)
    """True for each question that all of its tests found unfinished, for each submission whose code could be run."""
    hints: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of submissions with each known mistake, keyed by question; the key "" stands for all questions
    together."""
    unexplained: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of submissions with a mistake that no hint explains, keyed by question and kind."""

    def add(self, row: Row) -> None:
        """Add one submission. Statistics exclude submissions that could not be run."""
        grade = row.grade
        self.max_score = max(self.max_score, grade.max_score)
        self.scores.append(row.score)
        if grade.reason_not_run:
            return
        self.ran_scores.append(grade.score)
        questions = by_question(grade.test_results)
        self.max_points |= {name: points_possible(results) for name, results in questions.items()}
        self.points_won.append({name: points_won(results) for name, results in questions.items()})
        self.unwritten.append({name: all(it.is_unfinished for it in results) for name, results in questions.items()})
        hinted: dict[str, dict[str, None]] = defaultdict(dict)
        for name, results in questions.items():
            mistakes = [result for result in results if result.is_mistake and result.kind]
            hints = dict.fromkeys(result.hint for result in mistakes if result.hint)
            for hint in hints:
                hinted[hint] |= {"": None, name: None}
            self.unexplained.update(
                (name, kind) for kind in {result.kind.value for result in mistakes if result.kind and not hints}
            )
        for hint, shown in hinted.items():
            self.hints[hint].update(list(shown))

    @property
    def histogram(self) -> list[int]:
        """Return the number of scores in each of the equal bins from 0 to full marks; full marks go in the last bin."""
        shares = (score / (self.max_score or 1) for score in self.scores)
        bins = Counter(min(int(share * HISTOGRAM_BINS), HISTOGRAM_BINS - 1) for share in shares)
        return [bins[number] for number in range(HISTOGRAM_BINS)]

    @property
    def median(self) -> float:
        """Return the median of the scores."""
        return float(pd.Series(self.scores).median())

    @property
    def full_marks_count(self) -> int:
        """Return the number of submissions with full marks."""
        return sum(score >= self.max_score for score in self.scores)

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Return the class's results for each question.

        Discrimination is the correlation between a question's points and the rest of the score; it is None if either is
        the same for all submissions.
        """
        if not self.points_won:
            return []
        won, unwritten = pd.DataFrame(self.points_won).fillna(0.0), pd.DataFrame(self.unwritten).eq(True)
        rest = (-won).add(self.ran_scores, axis="index").round(9)
        discrimination = won.loc[:, won.nunique() > 1].corrwith(rest.loc[:, rest.nunique() > 1])
        return [
            {
                "name": name,
                "points": max_points,
                "count": len(won),
                "complete": int((won[name] >= max_points - 1e-9).sum()),
                "unwritten": int((unwritten[name] & (won[name] < max_points)).sum()),
                "mean": won[name].mean() / max_points if max_points else 0.0,
                "discrimination": None if pd.isna(value := discrimination.get(name)) else float(value),
            }
            for name, max_points in self.max_points.items()
        ]


@dataclass(frozen=True)
class ScoreCell:
    """A student's result for one assignment."""

    score: float
    needs_review: bool
    is_late: bool
    arrival_sentence: str


@dataclass
class StudentLine:
    """A line in the table of students."""

    label: str
    folder: str
    section: str
    cells: dict[str, ScoreCell] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Return the sum of the student's scores."""
        return sum(cell.score for cell in self.cells.values())


class ClassReport:
    """The content of the report."""

    def __init__(self, rows: Iterable[Row] = (), section_by_person: Mapping[str, str] = MappingProxyType({})) -> None:
        """Add a class. `section_by_person` gives each person's section, if a roster lists sections."""
        self._results: dict[str, AssignmentResults] = {}
        self._students: dict[str, StudentLine] = {}
        self._cases: dict[needs_review.Case, list[str]] = {}
        self.section_by_person, self.submission_count = section_by_person, 0
        for row in rows:
            self.add(row)

    @property
    def cases(self) -> list[tuple[needs_review.Case, list[str]]]:
        """Return the reasons to look at submissions, each with the students it applies to."""
        return list(needs_review.by_status_and_frequency(self._cases))

    @property
    def results(self) -> list[AssignmentResults]:
        """Return the results for each assignment, in course order."""
        order = {assignment.name: number for number, assignment in enumerate(course.term_assignments())}
        return sorted(self._results.values(), key=lambda results: (order.get(results.name, len(order)), results.name))

    @property
    def students(self) -> list[StudentLine]:
        """Return all students, sorted by name."""
        return sorted(self._students.values(), key=lambda student: student.label)

    def add(self, row: Row) -> None:
        """Add one submission."""
        self.submission_count += 1
        submission = row.submission
        assignment, name = submission.assignment, submission.person.name
        if (case := needs_review.case(row)) is not None:
            self._cases.setdefault(case, []).append(printable(row.student))
        if submission.student_key not in self._students:
            label = row.student if not name or name in row.student else f"{row.student} ({name})"
            section = self.section_by_person.get(submission.student_key, "")
            self._students[submission.student_key] = StudentLine(label, quote(row.folder), section)
        cell = ScoreCell(row.score, case is not None, bool(submission.late), row.arrival_sentence)
        self._students[submission.student_key].cells[assignment] = cell
        if assignment and not row.machine_failure:
            self._results.setdefault(assignment, AssignmentResults(assignment)).add(row)

    @property
    def mistakes(self) -> list[dict[str, Any]]:
        """Return the known mistakes, most frequent first, each with the question in which it is most common."""
        return _ranked(
            # If several questions show a hint equally often, name the first; the entry for all questions precedes it.
            (results, shown.most_common(2)[1][0], hint, shown[""])
            for results in self.results
            for hint, shown in results.hints.items()
        )

    @property
    def unexplained(self) -> list[dict[str, Any]]:
        """Return the mistakes that no hint explains, most frequent first."""
        return _ranked(
            (results, question, kind, count)
            for results in self.results
            for (question, kind), count in results.unexplained.items()
        )


def _ranked(mistakes: Iterator[tuple[AssignmentResults, str, str, int]]) -> list[dict[str, Any]]:
    ranked = sorted(mistakes, key=lambda mistake: (-mistake[3], mistake[0].name, *mistake[1:3]))
    return [
        {"assignment": results.name, "question": question, "text": text, "count": count, "of": len(results.ran_scores)}
        for results, question, text, count in ranked
    ]


def write(out: Path, class_report: ClassReport, content_hash: str = "", incomplete: str = "") -> Path:
    """Write OUT/report.html. Raise OSError if the disk is full.

    `content_hash` is put in the page's head to identify the gradebook. If grades are missing, `incomplete` is the
    message that says so at the top of the report.
    """
    pairs = similarity.read(out)
    alike = pairs and [{column: printable(text, 60) for column, text in pair.items()} for pair in pairs]
    values = {
        "class_report": class_report,
        "alike": alike,
        "most": MAX_CASES_OR_PAIRS,
        "today": date.today(),
        "content_hash": content_hash,
        "incomplete": incomplete,
    }
    page = _environment().get_template("report.html").stream(values)
    page.enable_buffering(64)
    with atomic(out / CLASS_PAGE_FILE) as file:
        file.writelines(page)
    return out / CLASS_PAGE_FILE


@functools.cache
def _environment() -> Environment:
    """Return the environment of the page's template, which compiles the template only once per process."""
    environment = templates.environment(templates.FOLDER)
    environment.filters |= {"number": _number, "percent": lambda share: f"{100 * share:.0f}"}
    environment.filters |= {"printable": printable, "semicolon_list": semicolon_list}
    return environment


def _number(value: float) -> str:
    """Return a score with as many decimals as it needs, up to three."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
