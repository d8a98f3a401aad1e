"""Reads whatever students hand in, and never runs any of it.

    roster    who handed in what: finds the submissions in a file or folder (choice, canvas, gradescope help)
    reader    one submission to one submission (disk, archive, text, notebook, python help)
    names     names that people chose, made safe for a sentence, a file system and a spreadsheet
    records   what is passed on

A submission that cannot be read is a submission with a `problem`: one sentence for the student and one for the instructor.
Nothing is written anywhere, no link is followed, and whatever is read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.submission.reader import read
from autograder.submission.records import NothingToGrade, Problem, Submission, SubmissionFile
from autograder.submission.roster import find_file, find_in_folder

__all__ = ["NothingToGrade", "Problem", "Submission", "SubmissionFile", "find_in_folder", "read", "read_file", "read_folder"]


def read_file(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """One file handed in, or one student's folder. Raises NothingToGrade where there is no such file."""
    return read(find_file(path, assignment, known))


def read_folder(folder: Path, assignment: str | None, known: Sequence[str]) -> list[Submission]:
    """Everything handed in, sorted by assignment, then student. Raises NothingToGrade where there is nothing.

    All of it is held in memory; `find_in_folder` and `read` do the same one at a time.
    """
    return [read(submission_file) for submission_file in find_in_folder(folder, assignment, known)]


FRONT_DOOR = ("canvas", "names", "python")
"""The modules that other rooms may import."""
