"""One run of a batch: what was handed in is read, graded, kept in the gradebook, written out.

One process coordinates: it alone writes anything. A grade that has come is in the gradebook at once, so the same
command goes on from there after a run that was killed.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import closing
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import track

from autograder import course, parallel
from autograder.batch import adjustments, output
from autograder.batch.gradebook import FILE, Gradebook
from autograder.batch.summary import Summary
from autograder.batch.workers import Cluster, Job, Processes, Setup, failure_of, suite_key
from autograder.course import BatchError
from autograder.grading.row import Key
from autograder.submission import NothingToGradeError, Submission, Upload, find_in_folder, lost, read
from autograder.submission.names import printable

JOBS_PER_WORKER = (
    2  # jobs for each grader, one in progress and one that waits: the code of a class is never held at once
)


def grade(
    folders: Sequence[Path],
    out: Path,
    assignment: str | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    disabled_locks: Collection[str] = (),
    console: Console | None = None,
) -> Summary:
    """Grade everything in these folders into OUT, on this machine or on a cluster. Where a student has two submissions
    for an assignment, the one in the later folder counts.

    Raises NothingToGradeError, and BatchError with a sentence where the run cannot go on; what was graded by then is
    kept.
    """
    begin = time.monotonic()
    console = console or Console(quiet=True)
    summary = Summary()
    known = tuple(one.name for one in course.assignments())
    found = [find_in_folder(folder, assignment, known, out) for folder in folders]
    for one in found:
        summary.remarks.append(f"Read as {one.layout}.")
    summary.name("Skipped, as nobody's submission", [name for one in found for name in one.passed_over])
    with Gradebook.writing(out) as book:
        if book.was_damaged:
            summary.remarks.append(f"{out / FILE} was damaged, or of another version: all is graded anew.")
        with console.status("Reading what was handed in"):
            submissions = (_read(folder, one.students, known) for folder, one in zip(folders, found, strict=True))
            book.take_in(submissions, {one.name: suite_key(one, disabled_locks) for one in course.assignments()})
        corrected, unmatched = adjustments.apply(book, folders[-1].resolve().parent)
        if corrected:
            summary.remarks.append(f"{corrected} corrected by hand ({adjustments.FILE}).")
        summary.name("Not applied", unmatched)
        if to_grade := book.to_grade():
            setup = Setup(tuple(disabled_locks), scheduler is not None and not disabled_locks, uuid.uuid4().hex)
            workers = Processes(min(jobs, len(to_grade)), setup) if scheduler is None else Cluster(scheduler, setup)
            total = sum(to_grade.values())
            with closing(workers), closing(_graded(book, to_grade, workers)) as graded:
                bar = track(graded, "Grading", total, console=console, disable=not console.is_terminal, transient=True)
                summary.graded = sum(to_grade[key] for key in bar)
        output.write(book, summary.add)
        if not _report_is_current(out):
            with console.status("Comparing what was handed in, and writing the report"):
                summary.name("Not compared", parallel.run_in_subprocess(write_report, out))
        summary.name(
            "Not graded, as another submission of the student counts",
            [f"{one.student} ({one.file})" for one in book.replaced()],
        )
    summary.show(console, time.monotonic() - begin)
    names = ", ".join(str(out / name) for name in ("report.html", "grades.csv", "similarity.csv", "feedback/"))
    console.print(f"Results: {names}", markup=False, highlight=False, soft_wrap=True)
    return summary


def write_report(out: Path, others: Iterable[Submission] = ()) -> list[str]:
    """Compare what was handed in, and write OUT/similarity.csv and OUT/report.html; returns whose files could not be
    compared. Takes memory in proportion to the class."""
    from autograder.reports import class_page, similarity

    with Gradebook.reading(out) as book:
        not_compared = similarity.write(out, book.rows(), book.cells, [*similarity.solutions(), *others])
        class_page.write(out, book.rows())
    return not_compared


def _report_is_current(out: Path) -> bool:
    """Whether the report was written after the last change of the grades."""
    report, grades = out / "report.html", out / "grades.csv"
    return report.exists() and report.stat().st_mtime_ns >= grades.stat().st_mtime_ns


def _read(folder: Path, students: Sequence[tuple[Upload, ...]], known: tuple[str, ...]) -> Iterator[Submission]:
    """All submissions of a folder. What cannot be read within bounds is a row all the same.

    Raises NothingToGradeError where of none it can be told which file is meant, or for which assignment: no class
    hands in so.
    """
    unclear: Submission | None = None
    is_clear = False
    outcomes = parallel.map_bounded(partial(read, known=known), students)
    for uploads, outcome in zip(students, outcomes, strict=True):
        for submission in lost(uploads, outcome.why) if isinstance(outcome, parallel.Exceeded) else outcome:
            if submission.assignment and not (submission.problem and submission.problem.is_ambiguous):
                is_clear = True
            unclear = unclear or submission
            yield submission
    if unclear and unclear.problem and not is_clear:
        shown, reason = printable(str(folder), 200), unclear.problem.for_instructor or unclear.problem.message
        raise NothingToGradeError(f"Nothing in {shown} can be graded as it lies there: {reason.rstrip('.')}.")


def _graded(book: Gradebook, to_grade: Iterable[Key], workers: Processes | Cluster) -> Generator[Key, None, None]:
    """Grade all of these and keep each grade as it comes. Yields each key that has its grade.

    A job whose grader ended goes to another grader, a few times; a job whose grader was too slow does not. Then it is
    refused, by a grader that proves with the solution that it can grade. Raise BatchError if there is no such grader:
    the fault is this machine's or the course's, and no submission is blamed for it.
    """
    waiting = deque(to_grade)
    under_way: dict[Future[bytes], Job] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < JOBS_PER_WORKER * max(
                workers.size, 1
            ):  # a cluster may be without one for a while
                key = waiting.popleft()
                job = Job(key, book.cells(key.code), book.problem(key.code))
                under_way[workers.submit(job)] = job
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                job = under_way.pop(future)
                if failure := failure_of(future):
                    if job.lost:
                        raise BatchError(
                            f"a submission could not be graded ({job.lost}), and neither can the solution of"
                            f" {job.key.assignment} ({failure.why}): `autograder doctor` may say why; nobody's grade"
                            " was changed, and the same command goes on"
                        )
                    job = job.after(failure)
                    under_way[workers.submit(job)] = job
                    continue
                book.add(job.key, future.result(), job.lost)
                yield job.key
    except (CancelledError, OSError) as error:
        raise BatchError(f"the graders are gone ({error!r}): run the same command again to go on") from error
