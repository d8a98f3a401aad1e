"""Gradebook → one page for an instructor: who is where, which questions separate, which misconceptions the class has.

The page stands alone: nothing is loaded from anywhere, and its only links lead to the feedback in the same folder.
Jinja escapes every text in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from autograder import course
from autograder.checks.results import by_question, points_won
from autograder.files import atomic
from autograder.grading import needs_review
from autograder.grading.row import Row
from autograder.reports import similarity, templates
from autograder.submission.names import printable

FILE = "report.html"
MOST, BINS = 500, 20
"""rows of what a person should look at, of which grades.csv and similarity.csv have all; and of a histogram"""


@dataclass
class Results:
    """One assignment."""

    name: str
    max_score: float = 0.0
    scores: list[float] = field(default_factory=list)
    points: dict[str, float] = field(default_factory=dict)
    """what each question is worth"""
    tested: list[float] = field(default_factory=list)
    """scores of submissions whose code could be run; shares are of these"""
    won: list[dict[str, float]] = field(default_factory=list)
    """points of each of these, by question; and whether nothing of it is written"""
    unwritten: list[dict[str, bool]] = field(default_factory=list)
    hints: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """how many submissions show each known mistake, by question; "" for all together"""
    unexplained: Counter[tuple[str, str]] = field(default_factory=Counter)
    """question and kind of a mistake that no hint explains, and how many have it"""

    def add(self, row: Row) -> None:
        """Take in one submission; there is nothing to learn from one of which nothing was run."""
        grade = row.grade
        self.max_score = max(self.max_score, grade.max_score)
        self.scores.append(row.score)
        if grade.not_run:
            return
        self.tested.append(grade.score)
        questions = by_question(grade.test_results)
        self.points |= {name: sum(one.test.points for one in results) for name, results in questions.items()}
        self.won.append({name: points_won(results) for name, results in questions.items()})
        self.unwritten.append({name: all(one.is_unwritten for one in results) for name, results in questions.items()})
        hinted: dict[str, dict[str, None]] = defaultdict(dict)
        for name, results in questions.items():
            mistakes = [one for one in results if one.is_mistake and one.kind]
            hints = dict.fromkeys(one.hint for one in mistakes if one.hint)
            for hint in hints:
                hinted[hint] |= {"": None, name: None}
            self.unexplained.update(
                (name, kind) for kind in {one.kind.value for one in mistakes if one.kind and not hints}
            )
        for hint, shown in hinted.items():
            self.hints[hint].update(list(shown))

    @property
    def histogram(self) -> list[int]:
        """How many scores lie in each of the equal bins from 0 to full marks; full marks are in the last."""
        bins = Counter(min(int(score / (self.max_score or 1) * BINS), BINS - 1) for score in self.scores)
        return [bins[number] for number in range(BINS)]

    @property
    def median(self) -> float:
        return float(pd.Series(self.scores).median())

    @property
    def full_marks(self) -> int:
        return sum(score >= self.max_score for score in self.scores)

    @property
    def questions(self) -> list[dict[str, Any]]:
        """How the class did on each.

        Discrimination is the correlation of its points with the rest of the score: None where all won the same, or all
        have the same rest.
        """
        if not self.won:
            return []
        won, unwritten = pd.DataFrame(self.won).fillna(0.0), pd.DataFrame(self.unwritten).eq(True)
        rest = (-won).add(self.tested, axis="index").round(9)
        discrimination = won.loc[:, won.nunique() > 1].corrwith(rest.loc[:, rest.nunique() > 1])
        return [
            {
                "name": name,
                "points": points,
                "count": len(won),
                "complete": int((won[name] >= points - 1e-9).sum()),
                "unwritten": int((unwritten[name] & (won[name] < points)).sum()),
                "mean": won[name].mean() / points if points else 0.0,
                "discrimination": None if pd.isna(value := discrimination.get(name)) else float(value),
            }
            for name, points in self.points.items()
        ]


class ClassStatistics:
    """All that the report tells."""

    def __init__(self, rows: Iterable[Row]) -> None:
        results: dict[str, Results] = {}
        students: dict[str, dict[str, Any]] = {}
        cases: dict[needs_review.Case, list[str]] = {}
        self.submissions = 0
        for row in rows:
            self.submissions += 1
            submission = row.submission
            assignment, name = submission.assignment, submission.person.name
            called = row.student if not name or name in row.student else f"{row.student} ({name})"
            student = students.setdefault(submission.who, {"name": called, "folder": quote(row.folder), "scores": {}})
            if (case := needs_review.case(row)) is not None:
                cases.setdefault(case, []).append(printable(row.student))
            student["scores"][assignment] = (row.score, case)
            if assignment and not row.lost:
                results.setdefault(assignment, Results(assignment)).add(row)
        self.cases = needs_review.in_order(cases)
        order = {assignment.name: number for number, assignment in enumerate(course.assignments())}
        self.results = sorted(results.values(), key=lambda one: (order.get(one.name, len(order)), one.name))
        self.students = sorted(students.values(), key=lambda student: str(student["name"]))

    @property
    def mistakes(self) -> list[dict[str, Any]]:
        """Known mistakes, the most frequent first, each with the question where it shows most often."""
        return _ranked(
            # Of several questions that show a hint as often, the first is named: all together stand before it.
            (results, shown.most_common(2)[1][0], hint, shown[""])
            for results in self.results
            for hint, shown in results.hints.items()
        )

    @property
    def unexplained(self) -> list[dict[str, Any]]:
        """Mistakes that the catalogue does not know, the most frequent first."""
        return _ranked(
            (results, question, kind, count)
            for results in self.results
            for (question, kind), count in results.unexplained.items()
        )


def _ranked(mistakes: Iterator[tuple[Results, str, str, int]]) -> list[dict[str, Any]]:
    found = sorted(mistakes, key=lambda mistake: (-mistake[3], mistake[0].name, *mistake[1:3]))
    return [
        {"assignment": results.name, "question": question, "text": text, "count": count, "of": len(results.tested)}
        for results, question, text, count in found
    ]


def write(out: Path, rows: Iterable[Row]) -> Path:
    """Write OUT/report.html. Raises OSError where there is no room for it."""
    statistics = ClassStatistics(rows)
    pairs = similarity.read(out)
    alike = pairs and [{column: printable(text, 60) for column, text in pair.items()} for pair in pairs]
    environment = templates.environment(templates.FOLDER)
    environment.filters |= {"number": _number, "percent": lambda share: f"{100 * share:.0f}", "printable": printable}
    values = {"class_statistics": statistics, "alike": alike, "most": MOST, "today": date.today()}
    page = environment.get_template("report.html").stream(values)
    page.enable_buffering(64)
    with atomic(out / FILE) as file:
        file.writelines(page)
    return out / FILE


def _number(value: float) -> str:
    """A score: as many decimals as it needs, three at the most."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
