"""A batch run: read submissions, grade them, store the grades in the gradebook, and write the results.

One process coordinates the run, and only that process writes the gradebook. Each grade is stored as soon as it is
available, so an interrupted run can be resumed with the same command.
"""

from __future__ import annotations

import itertools
import os
import time
import uuid
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import closing, suppress
from pathlib import Path

from rich.console import Console
from rich.progress import track

from autograder import bounded_processes, course
from autograder.batch import adjustments, output_files
from autograder.batch.gradebook import CORRECTIONS, Gradebook
from autograder.batch.gradebook_database import GRADEBOOK_FILE
from autograder.batch.summary import MAX_LISTED, Summary
from autograder.batch.workers import DaskCluster, GraderSetup, Job, Processes, failure_of, grading_key
from autograder.course import BatchError, UserError
from autograder.files import CLASS_PAGE_FILE
from autograder.grading.grade import fault_of_suite, sentences_on_changed_test_points
from autograder.grading.row import GradeKey
from autograder.submission import Submission, UngradablePathError, Upload, find_in_folder, read_class_bounded
from autograder.submission.untrusted_names import printable, semicolon_list

JOBS_IN_FLIGHT_PER_GRADER = 2
"""Number of jobs per grader: one in progress and one waiting, so that a whole class's code is never in memory."""

REFERENCE_PSEUDO_HASH = "reference solution"
"""Text used instead of a code hash in the key of a reference solution's grade; it cannot equal a real hash."""

PROGRESS_SECONDS = 10.0
"""Seconds between progress lines in a file or pipe, where no progress bar can be shown."""


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
    """Grade all submissions in these folders into OUT, on this machine or on a cluster.

    If a student has submissions for the same assignment in two folders, the later one counts, unless only the earlier
    one implements anything. Raise UngradablePathError for unsuitable folders, and BatchError if the run cannot
    continue. Grades that are already complete remain stored.
    """
    _refuse_folders_containing_course(folders)
    adjustments_path = _adjustments_path(folders)
    begin, console, summary = time.monotonic(), console or Console(quiet=True), Summary()
    setup = GraderSetup(tuple(disabled_locks), scheduler is not None and not disabled_locks, uuid.uuid4().hex)
    assignments = tuple(one.name for one in course.term_assignments())
    prefixes = zip(folders, _folder_prefixes(folders), strict=True)
    downloads = [find_in_folder(folder, assignment, assignments, out, prefix) for folder, prefix in prefixes]
    summary.remarks += [f"Read as {one.layout}." for one in downloads]
    summary.add_names("Skipped, nobody's submission", [name for one in downloads for name in one.ignored_files])
    with Gradebook.writing(out) as book:
        if book.was_damaged:
            summary.remarks.append(f"{out / GRADEBOOK_FILE} was damaged or from another version: all is graded again.")
        with console.status("Reading submissions"):
            class_download_remarks: list[str] = []
            submissions = (
                _read_submissions(where, one.students, assignments, class_download_remarks)
                for where, one in zip(folders, downloads, strict=True)
            )
            grading_keys = {one.name: grading_key(one, disabled_locks) for one in course.term_assignments()}
            _replace_and_list_gone(book, submissions, grading_keys, summary)
            summary.add_names("Not read", class_download_remarks)
        _apply_adjustments(book, adjustments_path, summary)
        if to_grade := book.ungraded_key_counts():
            workers = Processes(min(jobs, len(to_grade)), setup) if scheduler is None else DaskCluster(scheduler, setup)
            with closing(workers), closing(_grade_all(book, _jobs(book, to_grade), workers)) as graded:
                for sentence in _remarks_from_grading_solutions(book, to_grade, workers):
                    console.print(sentence, markup=False, highlight=False, soft_wrap=True)
                counts = (to_grade[key] for key in graded)
                summary.newly_graded = sum(_with_progress(counts, sum(to_grade.values()), console))
        summary = _write_files(book, adjustments_path, summary, console)
    summary.show(console, time.monotonic() - begin)
    names = ", ".join(str(out / name) for name in (CLASS_PAGE_FILE, "students.csv", "grades.csv", "feedback/"))
    console.print(f"Results: {names}", markup=False, highlight=False, soft_wrap=True)
    return summary


def _refuse_folders_containing_course(folders: Iterable[Path]) -> None:
    """Raise UngradablePathError for a folder that contains the course itself."""
    if inside := next((folder for folder in folders if course.ROOT.is_relative_to(folder.resolve())), None):
        raise UngradablePathError(
            f"{inside} contains this course itself, not submissions: name the folder that contains them"
        )


def _adjustments_path(folders: Sequence[Path]) -> Path:
    """Return the path of the corrections table next to one of the folders, whether or not the table exists.

    A table inside one of the folders is ignored, because a student might have submitted it. Raise UngradablePathError
    if there are several tables, since the same student might be listed in more than one.
    """
    roots = [folder.resolve() for folder in folders]
    outside = [root.parent for root in roots if not any(root.parent.is_relative_to(other) for other in roots)]
    paths = [*dict.fromkeys(parent / adjustments.ADJUSTMENTS_FILE for parent in outside)]
    tables = [path for path in paths if path.is_file()]
    if len(tables) > 1:
        shown = " and ".join(printable(str(path), 200) for path in tables)
        raise UngradablePathError(f"there are several tables of corrections, {shown}: put all lines into one of them")
    return tables[0] if tables else paths[-1]


def _replace_and_list_gone(
    book: Gradebook, submissions: Iterable[Iterable[Submission]], grading_keys: Mapping[str, str], summary: Summary
) -> None:
    """Replace the submissions of the last run, and list those that have disappeared since."""
    gone = book.replace_submissions(submissions, grading_keys)
    summary.add_names("No longer listed, although the last run listed them", gone)


def _folder_prefixes(folders: Sequence[Path]) -> list[str]:
    """Return a prefix for each folder's file names: its path relative to the common parent of all the folders."""
    if len(folders) < 2:
        return [""] * len(folders)
    around = os.path.commonpath([folder.resolve() for folder in folders])
    names = [folder.resolve().relative_to(around).as_posix() for folder in folders]
    return ["" if name == "." else f"{name}/" for name in names]


def _read_submissions(
    folder: Path,
    students: Sequence[tuple[Upload, ...]],
    assignments: tuple[str, ...],
    class_download_remarks: list[str],
) -> Iterator[Submission]:
    """Yield all submissions in a folder, even those that cannot be read within the time and memory limits.

    Add a remark to `class_download_remarks` for each file that is a download of a whole class. Raise
    UngradablePathError if the file and the assignment cannot be determined for any submission, because the folder is
    then not a class folder.
    """
    unclear: Submission | None = None
    is_clear = False
    for submission in read_class_bounded(students, assignments):
        if submission.assignment and not (submission.problem and submission.problem.for_instructor):
            is_clear = True
        unclear = unclear or submission
        if submission.problem and submission.problem.is_class_download:
            class_download_remarks.append(submission.problem.for_staff)
        else:
            yield submission
    if unclear and unclear.problem and not is_clear:
        shown, reason = printable(str(folder), 200), unclear.problem.for_staff
        raise UngradablePathError(f"Nothing in {shown} can be graded as it is: {reason.rstrip('.')}.")


def _apply_adjustments(book: Gradebook, adjustments_path: Path, summary: Summary) -> None:
    """Apply the manual corrections from a table, if the table exists."""
    corrected, unmatched = adjustments.apply(book, adjustments_path)
    if corrected:
        summary.remarks.append(f"{corrected} corrected by hand ({adjustments.ADJUSTMENTS_FILE}).")
    summary.add_names("Not applied", unmatched)


def _with_progress(counts: Iterable[int], total: int, console: Console) -> Iterator[int]:
    """Yield the counts of newly graded submissions while showing progress as a bar or as occasional lines."""
    if console.is_terminal:
        yield from track(counts, "Grading", total, console=console, transient=True)
        return
    done, last = 0, time.monotonic()
    for count in counts:
        done += count
        if time.monotonic() - last >= PROGRESS_SECONDS:
            last = time.monotonic()
            console.print(f"Graded {done} of {total}.", highlight=False)
        yield count


def _write_files(book: Gradebook, adjustments_path: Path, summary: Summary, console: Console) -> Summary:
    """Write every file of the run, and return the summary, including the changes since the last run."""
    if output_files.is_report_current(book):
        changes, files_not_compared = output_files.write_all_but_report(book, summary), list[str]()
    else:
        with console.status("Writing results, comparing submissions, and writing the report"):
            summary, changes, files_not_compared = bounded_processes.run_in_subprocess(
                output_files.write_all, book.out, summary
            )
    if changes.sentence:
        summary.remarks.append(changes.sentence)
    if changes.withdrawn_count:
        summary.remarks.append(
            _unapplied_corrections_remark(changes.withdrawn_count, book.recall(CORRECTIONS), adjustments_path)
        )
    outdated = f"Check that these lines of {adjustments.ADJUSTMENTS_FILE} are still right"
    summary.add_names(outdated, changes.outdated_adjustments)
    summary.add_names("Not compared", files_not_compared)
    others = [f"{one.student} ({one.file})" for one in book.superseded()]
    summary.add_names("Not graded, because another submission by the student counts", others)
    book.record_finished_run(changes.scores, str(adjustments_path))
    return summary


def _unapplied_corrections_remark(count: int, last_table: str | None, table: Path) -> str:
    """Return a remark about corrections that the last run applied and this run does not."""
    which = "1 correction of the last run is" if count == 1 else f"{count} corrections of the last run are"
    then = printable(last_table or f"another {table.name}", 300)
    there = f"{printable(str(table), 300)}{'' if table.is_file() else ', which is not there'}"
    return f"{which} not applied: it read {then}, and this run reads {there}. Put the lines there that still count."


def _remarks_from_grading_solutions(
    book: Gradebook, to_grade: Iterable[GradeKey], workers: Processes | DaskCluster
) -> Iterator[str]:
    """Grade each assignment's reference solution, once per suite, before any submission.

    Yield a message for each assignment whose tests' points have changed since the last run. Raise BatchError if a
    solution does not get full points, because a test must then be wrong and would lower the whole class's scores.
    """
    last_gradings = {score.assignment: score.grading for score in book.last_run_scores()}
    solution_keys = {key.assignment: key._replace(code=REFERENCE_PSEUDO_HASH) for key in to_grade}
    solutions = {name: (course.Assignment(name).solution.read_text("utf-8"),) for name in solution_keys}
    new = [Job(key, solutions[name]) for name, key in solution_keys.items() if book.grade(key) is None]
    with closing(_grade_all(book, new, workers)) as graded:
        deque(graded, maxlen=0)
    for name, key in solution_keys.items():
        solution_grade = book.grade(key)  # None if graders ended on it, although another grader was able to grade it
        if solution_grade is not None and (fault := fault_of_suite(course.Assignment(name), solution_grade)):
            raise BatchError(fault)
        earlier = book.grade(key._replace(grading=last_gradings.get(name, "")))
        if solution_grade and earlier and (changed := sentences_on_changed_test_points(earlier, solution_grade)):
            yield f"Points of {name} differ from the last run: {semicolon_list(changed, MAX_LISTED)}."


def _jobs(book: Gradebook, to_grade: Iterable[GradeKey]) -> Iterator[Job]:
    return (Job(key, book.code_cells(key.code), book.problem_message(key.code)) for key in to_grade)


def _grade_all(
    book: Gradebook, jobs: Iterable[Job], workers: Processes | DaskCluster
) -> Generator[GradeKey, None, None]:
    """Grade all jobs, storing each grade as it arrives, even when interrupted.

    Yield each stored grade's key. A failed job goes to another grader until MAX_GRADERS_LOST_PER_JOB graders have
    failed on it or one has been too slow. It is then recorded as not graded, but only by a grader that has just given
    the solution full points. Raise BatchError if that grader fails as well: the fault then lies with the machine or the
    course, not with a submission.
    """
    waiting = iter(jobs)
    under_way: dict[Future[bytes], Job] = {}
    try:
        while True:
            # A cluster can be without workers for a while.
            free = JOBS_IN_FLIGHT_PER_GRADER * max(workers.size, 1) - len(under_way)
            for job in itertools.islice(waiting, max(free, 0)):
                under_way[workers.submit(job)] = job
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                job = under_way[future]
                if failure := failure_of(future):
                    if job.machine_failure:
                        raise BatchError(
                            f"a submission could not be graded ({job.machine_failure}), and neither can the solution of"
                            f" {job.key.assignment} ({failure.why}): `autograder doctor` may say why; nobody's grade"
                            " was changed, and the same command continues"
                        )
                    del under_way[future]
                    job = job.with_failure(failure)
                    under_way[workers.submit(job)] = job
                    continue
                book.add(job.key, future.result(), job.machine_failure)
                del under_way[future]
                yield job.key
    except (CancelledError, OSError) as error:
        raise BatchError(f"the graders are gone ({error!r}): run the same command again to continue") from error
    finally:
        for future, job in under_way.items():  # after Ctrl-C or an error that ends the run
            with suppress(CancelledError, UserError):
                if future.done() and failure_of(future) is None:
                    book.add(job.key, future.result(), job.machine_failure)
