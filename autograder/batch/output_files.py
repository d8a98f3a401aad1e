"""The files of a finished run: grades, students, changes, feedback, similarity and the report.

Each grade is decoded only once for all the files. Comparing submissions and writing the report need memory proportional
to the class size, so a run does both in a separate process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from autograder.batch import grades_and_feedback
from autograder.batch.changes import Changes
from autograder.batch.gradebook import CLASS_SECTIONS, COMPARED_FOLDERS, Gradebook
from autograder.batch.summary import Summary
from autograder.files import CLASS_PAGE_FILE
from autograder.grading.row import Row

if TYPE_CHECKING:  # reports load pandas
    from autograder.reports.class_page import ClassReport

REPORT_HEAD_CHARACTERS = 1000
"""Number of characters of report.html to read when looking for the gradebook's hash."""


class WrittenRun(NamedTuple):
    """The parts of a written run that the on-screen summary mentions."""

    summary: Summary
    changes: Changes
    """changes since the last run"""
    files_not_compared: list[str]


def write_all(out: Path, summary: Summary) -> WrittenRun:
    """Write every file of a run, including the report, and complete the summary."""
    from autograder.reports.class_page import ClassReport

    with Gradebook.reading(out) as book:
        class_report = ClassReport(section_by_person=book.recall(CLASS_SECTIONS) or {})
        changes = write_all_but_report(book, summary, class_report.add)
        return WrittenRun(summary, changes, _write_report_and_similarity(book, class_report, incomplete=""))


def write_all_but_report(book: Gradebook, summary: Summary, *observers: Callable[[Row], object]) -> Changes:
    """Write every file of a run except the report and the similarity table; return the changes since the last run.

    Each observer receives every row.
    """
    changes = Changes(book.last_run_scores())
    students = grades_and_feedback.StudentScoreTable(book.recall(CLASS_SECTIONS) or {})
    grades_and_feedback.write(book, summary.add, changes.add, students.add, *observers)
    changes.write(book.out)
    students.write(book.out)
    return changes


def write_report_and_similarity(out: Path) -> list[str]:
    """Write OUT/similarity.csv and OUT/report.html; return a description of each file that could not be compared."""
    from autograder.reports.class_page import ClassReport

    with Gradebook.reading(out) as book:
        class_report = ClassReport(book.rows(), book.recall(CLASS_SECTIONS) or {})
        return _write_report_and_similarity(book, class_report, book.incomplete())


def _write_report_and_similarity(book: Gradebook, class_report: ClassReport, incomplete: str) -> list[str]:
    from autograder.reports import class_page, similarity

    folders = [Path(folder) for folder in book.recall(COMPARED_FOLDERS) or []]
    gone = [f"{folder} (no longer there)" for folder in folders if not folder.is_dir()]
    earlier = [one for folder in folders if folder.is_dir() for one in similarity.earlier_submissions(folder)]
    unread = [f"{one.student}: {one.problem.for_staff.rstrip('.')}" for one in earlier if one.problem]
    others = [*similarity.course_solutions_and_samples(), *(one for one in earlier if not one.problem)]
    files_not_compared = similarity.write(book.out, book.rows(), book.code_cells, others)
    class_page.write(book.out, class_report, book.content_hash(), incomplete)
    return [*gone, *unread, *files_not_compared]


def is_report_current(book: Gradebook) -> bool:
    """Return True if OUT/report.html reflects the current state of this gradebook."""
    try:
        with (book.out / CLASS_PAGE_FILE).open(encoding="utf-8", errors="replace") as file:
            return book.content_hash() in file.read(REPORT_HEAD_CHARACTERS)
    except OSError:
        return False


def remember_and_compare_folders(out: Path, earlier_folders: Iterable[Path]) -> list[str]:
    """Compare the class in OUT with folders of earlier terms, now and in later runs.

    Return a description of each file that could not be compared.
    """
    with Gradebook.writing(out) as book:
        book.remember(COMPARED_FOLDERS, [str(folder.resolve()) for folder in earlier_folders])
    return write_report_and_similarity(out)


def store_class_sections(out: Path, section_by_person: Mapping[str, str]) -> None:
    """Store each person's section as listed in a roster, and add the sections to OUT/students.csv."""
    with Gradebook.writing(out) as book:
        book.remember(CLASS_SECTIONS, dict(section_by_person))
        students = grades_and_feedback.StudentScoreTable(section_by_person)
        for row in book.rows():
            students.add(row)
        students.write(out)
