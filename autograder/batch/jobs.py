"""What passes between the coordinator of a batch and the graders, wherever these run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass

from autograder.course import Assignment, UserError
from autograder.grading.row import Key, PackedGrade
from autograder.protocol.status import Status

TRIES = 3
"""How often a submission is given to a grader before it is given up as lost."""


class BatchError(UserError):
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
    refusal: tuple[Status, str] | None = None
    """the status of what is not run, and the sentence that every test then says"""
    probe_of: Job | None = None
    """the job that was lost, where this one is the reference solution and asks whether graders work at all"""


@dataclass(frozen=True)
class GraderReply:
    """What a grader says to a job: a grade, or why there is none. Without either it says that it is ready."""

    grade: PackedGrade | None = None
    lost: str = ""
    """what went wrong with the grader itself: nothing that the submission may pay for"""
    refused: str = ""
    """why this grader must not be asked: it has another suite, or its wall does not hold"""


class JobQueue:
    """What is still to be graded. A job whose grader failed comes back a few times before it counts as lost."""

    def __init__(self, keys: Collection[Key], job_of: Callable[[Key], Job]) -> None:
        """`job_of` reads a job when its turn comes: the code of a whole class is never held at once."""
        self._keys = deque(keys)
        self._job_of = job_of
        self._first: deque[Job] = deque()
        self._tries: Counter[Key] = Counter()
        self.stopped = False
        """set once no job that was never begun should be begun any more"""

    def take(self) -> Job | None:
        """The next job; None where there is none now."""
        if self._first:
            return self._first.popleft()
        if self._keys and not self.stopped:
            return self._job_of(self._keys.popleft())
        return None

    def put_first(self, job: Job) -> None:
        """This job comes next."""
        self._first.append(job)

    def try_again(self, job: Job) -> bool:
        """A grader failed over this job: queue it once more, or say that it was tried often enough."""
        self._tries[job.key] += 1
        if self._tries[job.key] >= TRIES:
            del self._tries[job.key]
            return False
        self.put_first(job)
        return True


def suite_key(assignment: Assignment, disabled_locks: Collection[str]) -> str:
    """What a grade depends on besides the code. A grade given without the wall never stands for one given behind it."""
    return (
        f"{assignment.suite_hash} without {','.join(sorted(disabled_locks))}"
        if disabled_locks
        else assignment.suite_hash
    )
