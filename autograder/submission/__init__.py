"""Reads whatever students hand in, and never runs any of it.

    finder      who handed in what: the files of every student (platforms helps)
    reader      which of them counts, for which assignment
    code        bytes to Python text: .py, .ipynb, and either in a zip
    names       names that people chose, made safe for a sentence, a file system and a spreadsheet
    records     what is passed on

A submission that cannot be read is a submission with a `problem`: one sentence for a person. Nothing is written
anywhere, no link is followed, and whatever is read is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder import parallel
from autograder.submission.finder import find_file, find_in_folder
from autograder.submission.reader import lost, read
from autograder.submission.records import HandIn, NothingToGrade, Person, Problem, Submission

__all__ = ["HandIn", "NothingToGrade", "Person", "Problem", "Submission", "find_in_folder", "lost", "read"]
__all__ += ["read_alone", "read_file"]

PUBLIC_MODULES = ("names", "code", "records")
"""The modules that other rooms may import."""


def read_file(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """One file handed in, or one student's folder. Raises NothingToGrade where there is no such file."""
    first, *more = read(find_file(path, assignment, known), known)
    if not more:
        return first
    several = ", ".join(submission.assignment for submission in (first, *more))
    problem = Problem(f"It holds several assignments ({several}): say which with --assignment NAME.")
    return replace(first, assignment="", file=path.name, sha256="", cells=(), notes=(), problem=problem)


def read_alone(path: Path, assignment: str | None, known: Sequence[str]) -> Submission:
    """As `read_file`, in a process of its own and within the budget of one submission: beyond that it is a problem."""
    outcome = parallel.run_bounded(partial(read_file, assignment=assignment, known=known), path)
    if isinstance(outcome, parallel.Exceeded):
        return lost(find_file(path, assignment, known), outcome.why)[0]
    return outcome
