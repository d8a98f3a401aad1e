"""What passes between the coordinator of a batch and the graders, wherever these run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from autograder.batch.gradebook import Key
from autograder.course import Assignment
from autograder.grading.result import Grade

TRIES = 3
"""How often a submission is given to a grader before it is given up as lost."""


class BatchError(Exception):
    """The batch cannot go on. The message is a sentence or two for a person; what was graded is kept."""


@dataclass(frozen=True)
class Setup:
    """How graders are to work."""

    disabled_locks: Collection[str] = ()
    """names of locks of the wall to leave off"""
    prove_wall: bool = False
    """whether a grader tries the wall before it grades; for the coordinator's own machine that is done already"""


@dataclass(frozen=True)
class Job:
    """One thing to grade: code, or the reason why none can be run."""

    key: Key
    cells: tuple[str, ...] = ()
    refusal: tuple[str, str] | None = None
    """the status of what is not run, and the sentence that every test then says"""
    probe_of: Job | None = None
    """the job that was lost, where this one is the reference solution and asks whether graders work at all"""


@dataclass(frozen=True)
class Answer:
    """What a grader says to a job: a grade, or why there is none. Without either it says that it is ready."""

    grade: Grade | None = None
    lost: str = ""
    """what went wrong with the grader itself: nothing that the submission may pay for"""
    refused: str = ""
    """why this grader must not be asked: it has another suite, or its wall does not hold"""


def suite_key(assignment: Assignment, disabled_locks: Collection[str]) -> str:
    """What a grade depends on besides the code. A grade given without the wall never stands for one given behind it."""
    return " without ".join([assignment.suite_hash, *([",".join(sorted(disabled_locks))] if disabled_locks else [])])
