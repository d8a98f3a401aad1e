"""What is made of a whole class once it is graded: `python -m autograder.batch.postprocessing OUT`.

In a process of its own, since comparing a class takes memory in proportion to it, and the coordinator's stays the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.batch.gradebook import Gradebook, GradebookError, explained
from autograder.reports import class_page, similarity
from autograder.reports.similarity import Pair


def write_similarity(out: Path) -> list[Pair]:
    """Write OUT/similarity.csv; returns its pairs. Raises GradebookError."""
    with _book(out) as book:
        return similarity.write(out, book)


def write_report(out: Path) -> Path:
    """Write OUT/report.html, which shows what similarity.csv says. Raises GradebookError."""
    with _book(out) as book:
        return class_page.write(out, book)


@contextmanager
def _book(out: Path) -> Iterator[Gradebook]:
    try:
        with Gradebook.reading(out) as book:
            yield book
    except OSError as error:
        raise explained(out, error) from error


if __name__ == "__main__":
    try:
        write_similarity(Path(sys.argv[1]))
        write_report(Path(sys.argv[1]))
    except GradebookError as error:
        sys.exit(str(error))
