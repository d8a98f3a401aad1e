"""What passes between the coordinator of a batch and the graders, wherever these run, and the loop that asks them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from autograder.course import Assignment, UserError
from autograder.grading.row import Key, PackedGrade
from autograder.protocol.status import Status

TRIES = 3
"""How often a submission is given to a grader before it is given up as lost."""

LOOK_AGAIN = 1.0
"""Seconds between two looks at whether there is room for more jobs, where no answer comes."""


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


class Graders(ABC):
    """Those of this machine, or of a cluster."""

    def answers(self, queue: JobQueue, meanwhile: Callable[[], None]) -> Iterator[tuple[Job, GraderReply]]:
        """Every job with its answer, in the order in which they come. None is taken before there is room for it;
        `meanwhile` is called where none has come for a second."""
        under_way: dict[Any, Job] = {}
        done: SimpleQueue[Any] = SimpleQueue()

        def feed() -> None:
            while self.has_room(len(under_way)) and (job := queue.take()) is not None:
                future = self.submit(job)
                under_way[future] = job
                future.add_done_callback(done.put)

        while True:
            feed()
            if not under_way:
                return
            try:
                future = done.get(timeout=LOOK_AGAIN)
            except Empty:
                meanwhile()
                continue
            job, answer = under_way.pop(future), self.reply(future)
            if answer is None:
                queue.put_first(job)
            elif not (answer.lost and queue.try_again(job)):
                # The next job first: what the coordinator does with this answer then costs the graders no time. An
                # answer that has come is never lost.
                try:
                    feed()
                finally:
                    yield job, answer

    @abstractmethod
    def has_room(self, under_way: int) -> bool:
        """Whether one more job can be begun soon, beside so many."""

    @abstractmethod
    def submit(self, job: Job) -> Any:
        """Hand over a job: its future."""

    @abstractmethod
    def reply(self, future: Any) -> GraderReply | None:
        """What came of a future that is done; None where the job has to go to another grader, by no fault of its
        own."""

    @abstractmethod
    def close(self) -> None:
        """End or leave the graders."""


def suite_key(assignment: Assignment, disabled_locks: Collection[str]) -> str:
    """What a grade depends on besides the code. A grade given without the wall never stands for one given behind it."""
    return (
        f"{assignment.suite_hash} without {','.join(sorted(disabled_locks))}"
        if disabled_locks
        else assignment.suite_hash
    )
