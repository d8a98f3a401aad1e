"""What is made of a whole class once it is graded: `python -m autograder.batch.postprocessing OUT`.

In a process of its own, since comparing a class takes memory in proportion to it, and the coordinator's stays the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.batch.gradebook import Gradebook, GradebookError, in_words
from autograder.reports import class_page, similarity
from autograder.reports.similarity import Pair
from autograder.submission import Submission


def write_similarity(out: Path, parties: Iterable[Submission] = ()) -> list[Pair]:
    """Write OUT/similarity.csv; returns its pairs. Raises GradebookError. `parties` are compared as well, and were not
    handed in."""
    with in_words(out), Gradebook.reading(out) as book:
        return similarity.write(out, book, parties)


def write_report(out: Path) -> Path:
    """Write OUT/report.html, which shows what similarity.csv says. Raises GradebookError."""
    with in_words(out), Gradebook.reading(out) as book:
        return class_page.write(out, book)


if __name__ == "__main__":
    try:
        write_similarity(Path(sys.argv[1]), similarity.course_parties())
        write_report(Path(sys.argv[1]))
    except GradebookError as error:
        sys.exit(str(error))
