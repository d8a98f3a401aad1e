"""What the grades of a class come to. Rows pass through one at a time and leave sums behind, and one number a score."""

from __future__ import annotations

import math
import statistics
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from autograder.checks.results import TestResult, by_question, points_possible
from autograder.grading.grade import Grade
from autograder.grading.review import Cases
from autograder.grading.row import Adjustment, Row
from autograder.submission.names import printable

BINS = 20


@dataclass
class Item:
    """One question or one test, and how the class did on it."""

    name: str
    question: str
    points: float
    hidden: bool = False
    rule: str = ""
    count: int = 0
    complete: int = 0
    unwritten: int = 0
    _sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros(5))
    """of the points won, of the rest of the score, of the squares of both, and of their product"""

    def add(self, won: float, score: float, written: bool) -> None:
        """A submission won so many of this item's points, and that score in all."""
        rest = score - won
        self.count += 1
        self.complete += won >= self.points
        self.unwritten += not written and won < self.points
        self._sums += (won, rest, won * won, rest * rest, won * rest)

    @property
    def mean(self) -> float:
        """Share of the points that the class won."""
        return float(self._sums[0]) / (self.count * self.points)

    @property
    def discrimination(self) -> float | None:
        """Correlation of this item's points with the rest of the score: for a test, the corrected point-biserial.

        None where all won the same, or all have the same rest.
        """
        won, rest, won_squared, rest_squared, product = self._sums.tolist()
        spreads = self.count * won_squared - won**2, self.count * rest_squared - rest**2
        return None if min(spreads) < 1e-9 else (self.count * product - won * rest) / math.sqrt(math.prod(spreads))


@dataclass
class Results:
    """One assignment."""

    name: str
    max_score: float = 0.0
    scores: array[float] = field(default_factory=lambda: array("d"))
    ran: int = 0
    """submissions whose code could be run; shares are of these"""
    seconds: dict[str, float] = field(default_factory=dict)
    """by code: what several handed in was graded once"""
    questions: dict[str, Item] = field(default_factory=dict)
    tests: dict[str, Item] = field(default_factory=dict)
    hints: Counter[str] = field(default_factory=Counter)
    """how many submissions have each known mistake"""
    unexplained: Counter[tuple[str, str]] = field(default_factory=Counter)
    """question and kind of a mistake that no hint explains, and how many have it"""
    questions_of_hint: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, row: Row, grade: Grade | None) -> None:
        """Take in one submission; there is no grade where nothing was run, and nothing to learn from one that never
        loaded."""
        self.max_score = max(self.max_score, row.max_score)
        self.scores.append(row.score)
        if grade is None or grade.never_loaded:
            return
        self.ran += 1
        self.seconds[row.key.code] = row.seconds
        for name, test_results in by_question(grade.test_results).items():
            item = self.questions.setdefault(name, Item(name, name, points_possible(test_results)))
            item.add(
                row.questions[name], row.tested_score, any(not result.status.is_unwritten for result in test_results)
            )
        for result in grade.test_results:
            test = result.test
            item = self.tests.setdefault(test.name, Item(test.name, test.question, test.points, test.hidden, test.rule))
            item.add(test.points * result.passed, row.tested_score, not result.status.is_unwritten)
        self._mistakes([result for result in grade.test_results if result.is_mistake])

    def _mistakes(self, test_results: list[TestResult]) -> None:
        # In the order of the tests: of several questions that show a hint as often, the first is named.
        hinted = dict.fromkeys((result.hint, result.test.question) for result in test_results if result.hint)
        self.hints.update({hint for hint, _ in hinted})
        for hint, question in hinted:
            self.questions_of_hint[hint][question] += 1
        explained = {question for _, question in hinted}
        kinds = {
            (result.test.question, result.kind.value if result.kind else "it ended its process or did not return")
            for result in test_results
        }
        self.unexplained.update(pair for pair in kinds if pair[0] not in explained)

    @property
    def histogram(self) -> list[int]:
        """How many scores lie in each of the equal bins from 0 to full marks; full marks are in the last."""
        bins = [0] * BINS
        for score in self.scores:
            bins[min(int(score / (self.max_score or 1) * BINS), BINS - 1)] += 1
        return bins

    @property
    def median(self) -> float:
        return statistics.median(self.scores)

    @property
    def full_marks(self) -> int:
        return sum(score >= self.max_score for score in self.scores)

    def slower_than(self, share: float) -> float:
        """The time of the submission that is slower than this share of the others."""
        times = sorted(self.seconds.values())
        return times[int(share * (len(times) - 1))]


@dataclass(frozen=True)
class CommonMistake:
    """A misconception, and how many submissions have it."""

    assignment: str
    question: str
    text: str
    count: int
    of: int


@dataclass
class Student:
    """One student, and what each assignment of theirs came to."""

    called: str
    """with the name, where they go by an address or a number"""
    folder: str
    """of their feedback"""
    scores: dict[str, tuple[float, bool]] = field(default_factory=dict)
    """score and whether it needs a human, by assignment"""


class ClassStatistics:
    """All that the report tells."""

    def __init__(self, assignments: Iterable[str]) -> None:
        """`assignments`: their names in the order of the course."""
        self._order = {name: number for number, name in enumerate(assignments)}
        self._results: dict[str, Results] = {}
        self.submission_files = 0
        self.cases = Cases()
        self.students: dict[str, Student] = {}
        self.adjustments: list[tuple[str, Adjustment]] = []
        """student, and what a person said of the grade"""
        self.files: set[tuple[str, str]] = set()
        """assignment and hash of what was handed in"""

    def add(self, row: Row) -> None:
        """Take in one submission."""
        submission = row.submission
        self.submission_files += 1
        name = submission.person.name
        called = row.student if not name or name in row.student else f"{row.student} ({name})"
        student = self.students.setdefault(row.student, Student(called, row.folder))
        student.scores[submission.assignment] = (row.score, self.cases.add(row))
        self.files.add((submission.assignment, submission.sha256))
        self.adjustments += [(printable(row.student), adjustment) for adjustment in row.adjustments]
        if submission.assignment and not row.lost:
            self._results.setdefault(submission.assignment, Results(submission.assignment)).add(row, row.grade)

    @property
    def figures(self) -> dict[str, str]:
        """The class in a few numbers."""
        return {
            "students": f"{len(self.students):,}",
            "submissions": f"{self.submission_files:,}",
            "to look at": f"{sum(len(case.students) for case in self.cases):,}",
            "grading time": _duration(sum(sum(results.seconds.values()) for results in self._results.values())),
        }

    @property
    def results(self) -> list[Results]:
        """Of each assignment that somebody handed in, in the order of the course."""
        last = len(self._order)
        return sorted(self._results.values(), key=lambda results: (self._order.get(results.name, last), results.name))

    @property
    def mistakes(self) -> list[CommonMistake]:
        """Known mistakes, the most frequent first."""
        return _ranked(
            CommonMistake(results.name, question, hint, count, results.ran)
            for results in self._results.values()
            for hint, count in results.hints.items()
            for question, _ in results.questions_of_hint[hint].most_common(1)
        )

    @property
    def unexplained(self) -> list[CommonMistake]:
        """Mistakes that the catalogue does not know, the most frequent first."""
        return _ranked(
            CommonMistake(results.name, question, kind, count, results.ran)
            for results in self._results.values()
            for (question, kind), count in results.unexplained.items()
        )

    @property
    def rows(self) -> Iterator[tuple[str, str, list[tuple[float, bool] | None], float]]:
        """A student's name, where their feedback lies, what each assignment came to, and the sum."""
        names = [results.name for results in self.results]
        for _, student in sorted(self.students.items()):
            yield (
                printable(student.called),
                quote(student.folder),
                [student.scores.get(name) for name in names],
                sum(score for score, _ in student.scores.values()),
            )


def _ranked(mistakes: Iterable[CommonMistake]) -> list[CommonMistake]:
    return sorted(mistakes, key=lambda mistake: (-mistake.count, mistake.assignment, mistake.question, mistake.text))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
