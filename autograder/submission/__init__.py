"""Reading of everything that students submit, without running any of it.

The package finds each student's uploads in a folder, ranks the files that could count, and returns a submission for
each student and assignment.

    download_layouts     the uploads of each student in a folder
    platforms            the facts in file names from platforms
    candidates           one student's files that could count, on disk and in zips, likeliest first
    choice               the file that counts, or the reason why none does
    last_commit          the time of the last commit in a clone
    bounded_reading      the bytes of files and zips
    code                 the Python code of scripts and notebooks
    cell_cleaner         cells without lines that only a notebook's host can run
    syntax_trees         syntax trees of student code
    assignment_mentions  the assignment mentioned by a name
    untrusted_names      names made safe to show and to write
    records              Person, Upload, Submission, Problem

A submission that cannot be read has a `problem` with a message for people. This package never writes files or follows
links, and it bounds all reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from autograder import bounded_processes
from autograder.submission.choice import cut_off_submission, read_uploads_of_student
from autograder.submission.download_layouts import find_in_folder, find_upload_at_path
from autograder.submission.records import Person, Problem, Submission, UngradablePathError, Upload

__all__ = ["Person", "Problem", "Submission", "UngradablePathError", "Upload", "find_in_folder"]
__all__ += ["read_class_bounded", "read_submission", "read_submission_bounded"]

MODULES_FOR_OTHER_PACKAGES = ("untrusted_names", "syntax_trees", "records")
"""Modules that other `autograder` packages may import."""


def read_submission(path: Path, assignment: str | None, assignments: Sequence[str]) -> Submission:
    """Return the submission in a file or a student's folder. Raise UngradablePathError if the path does not exist."""
    first, *more = read_uploads_of_student(find_upload_at_path(path, assignment, assignments), assignments)
    if not more:
        return first
    several = ", ".join(submission.assignment for submission in (first, *more))
    problem = Problem(f"It contains several assignments ({several}): choose one with --assignment NAME.")
    return Submission(first.student, "", path.name, person=first.person, problem=problem)


def read_submission_bounded(path: Path, assignment: str | None, assignments: Sequence[str]) -> Submission:
    """Return the result of `read_submission`, computed in a separate process within the limits for one submission.

    A file that exceeds these limits becomes a submission with a problem.
    """
    outcome = bounded_processes.run_bounded(
        partial(read_submission, assignment=assignment, assignments=assignments), path
    )
    if isinstance(outcome, bounded_processes.CutOff):
        return cut_off_submission(find_upload_at_path(path, assignment, assignments), outcome.why)
    return outcome


def read_class_bounded(students: Sequence[tuple[Upload, ...]], assignments: Sequence[str]) -> Iterator[Submission]:
    """Yield all students' submissions; each student's files are read within the limits for one submission."""
    outcomes = bounded_processes.map_bounded(partial(read_uploads_of_student, assignments=assignments), students)
    for uploads, outcome in zip(students, outcomes, strict=True):
        if isinstance(outcome, bounded_processes.CutOff):
            yield cut_off_submission(uploads, outcome.why)
        else:
            yield from outcome
