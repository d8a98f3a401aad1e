"""Gradebook → one page for an instructor: who is where, which questions separate, which misconceptions the class has.

The page stands alone: nothing is loaded from anywhere, and its only links lead to the feedback in the same folder. It
holds one row a student and sums of all else, so it stays small for a large class. Jinja escapes every text in it.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from jinja2 import Template

from autograder import course
from autograder.files import atomic
from autograder.grading.row import Rows
from autograder.reports import similarity, templates
from autograder.reports.class_statistics import ClassStatistics
from autograder.submission.names import printable

FILE = "report.html"
MOST = 500
"""rows of what a person should look at; grades.csv and similarity.csv have all"""

_HASHES = ("sha256", "other_sha256")
_DIGIT, _POINT = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"


def write(out: Path, book: Rows) -> Path:
    """Write OUT/report.html from the gradebook in OUT. Raises OSError where there is no room for it."""
    class_statistics = ClassStatistics(assignment.name for assignment in course.assignments())
    for row in book.rows():
        class_statistics.add(row)
    path = out / FILE
    page = _template().stream(
        class_statistics=class_statistics, alike=_alike(out, class_statistics), most=MOST, today=date.today()
    )
    page.enable_buffering(64)
    with atomic(path) as file:
        file.writelines(page)
    return path


def _template() -> Template:
    environment = templates.environment(templates.FOLDER)
    environment.filters |= {"number": _number, "aligned": _aligned, "percent": lambda share: f"{100 * share:.0f}"}
    return environment.get_template("report.html")


def _number(value: float) -> str:
    """A score: as many decimals as it needs, three at the most."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _aligned(value: float) -> str:
    """A score for a column: blanks as wide as digits and points stand for the decimals that it does not need."""
    text = _number(value)
    decimals = len(text.partition(".")[2])
    return text + ("" if decimals else _POINT) + _DIGIT * (3 - decimals)


def _alike(out: Path, class_statistics: ClassStatistics) -> list[dict[str, str]] | None:
    """What `autograder similarity` found among what is handed in now; None where it was not run."""
    pairs = similarity.read(out)
    return pairs and [
        {column: printable(text, 100 if column == "functions" else 60) for column, text in row.items()}
        for row in pairs
        if {(row["assignment"], row[column]) for column in _HASHES} <= class_statistics.files
    ]
