"""Reads whatever students hand in, and never runs any of it.

    roster    who handed in what: finds the submissions in a file or folder (choice, platforms, gradescope help)
    reader    what counts of one submission, as Python text (disk, archive, text, notebook, python, bindings help)
    names     names that people chose, made safe for a sentence, a file system and a spreadsheet
    records   what is passed on

A submission that cannot be read is a submission with a `problem`: one sentence for the student and one for the instructor.
Nothing is written anywhere, no link is followed, and whatever is read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.submission.reader import read, recognised
from autograder.submission.records import NothingToGrade, Problem, Submission, SubmissionFile
from autograder.submission.roster import find_file, find_in_folder, skipped

__all__ = ["NothingToGrade", "Problem", "Submission", "SubmissionFile", "find_in_folder", "read", "read_file", "skipped"]


def read_file(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """One file handed in, or one student's folder. Raises NothingToGrade where there is no such file."""
    found = find_file(path, assignment, known)
    if not found.assignment and (named := recognised(found, known)):
        found = find_file(path, named, known)
        found = replace(found, notes=(*found.notes, f"Its name does not tell the assignment; its functions are those of {named}."))
    return read(found)


FRONT_DOOR = ("names", "platforms", "python")
"""The modules that other rooms may import."""
