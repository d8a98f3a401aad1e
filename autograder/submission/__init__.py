"""Reads whatever students hand in, and never runs any of it.

    layout    how a folder is laid out, decided once (downloads, gradescope help)
    finder    who handed in what: the files and folders of every person
    reader    what counts of it, as Python text (choice, disk, archive, text, notebook, python, bindings help)
    names     names that people chose, made safe for a sentence, a file system and a spreadsheet
    records   what is passed on

A submission that cannot be read is a submission with a `problem`: one sentence for the student and one for the
instructor. Nothing is written anywhere, no link is followed, and whatever is read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder import parallel
from autograder.submission.finder import Everything, find_file, find_in_folder
from autograder.submission.reader import lost, read, recognised, superseded_by
from autograder.submission.records import HandIn, NothingToGrade, Person, Problem, Submission

__all__ = [
    "Everything",
    "HandIn",
    "NothingToGrade",
    "Person",
    "Problem",
    "Submission",
    "find_in_folder",
    "lost",
    "read",
    "read_alone",
    "read_file",
    "superseded_by",
]


def read_file(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """One file handed in, or one student's folder. Raises NothingToGrade where there is no such file."""
    hand_in, names = find_file(path, assignment, known), tuple(known)
    submissions = read(hand_in, names)
    if len(submissions) == 1 and not submissions[0].assignment and (named := recognised(hand_in, names)):
        (submission,) = read(find_file(path, named, known), names)
        return replace(
            submission,
            notes=(f"Its name does not tell the assignment; its functions are those of {named}.", *submission.notes),
        )
    if len(submissions) == 1:
        return submissions[0]
    several = ", ".join(submission.assignment for submission in submissions)
    problem = Problem(
        f"Your submission holds several assignments ({several}): hand in one file for each.",
        f"{path} holds several assignments ({several}): say which with --assignment NAME (make: ASSIGNMENT=NAME).",
    )
    return replace(submissions[0], assignment="", file=path.name, sha256="", cells=(), notes=(), problem=problem)


def read_alone(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """As `read_file`, in a process of its own and within the budget of one submission: beyond that it is a problem."""
    outcome = parallel.one(partial(read_file, assignment=assignment, known=known), path)
    if isinstance(outcome, parallel.Exceeded):
        return lost(find_file(path, assignment, known), outcome.why)[0]
    return outcome


FRONT_DOOR = ("names", "python", "records")
"""The modules that other rooms may import."""
