"""Graders with a concurrent.futures interface: processes on this machine, or on other machines through Dask.

A grader is a warm process that grades one job after another. If a grader's process ends, its job goes to another
grader. A grader that raises an exception is no longer trusted and is replaced.
"""

from __future__ import annotations

import functools
import os
import threading
import zlib
from collections.abc import Collection
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from multiprocessing import util
from typing import TYPE_CHECKING, Any

from autograder import course
from autograder.bounded_processes import CutOff, Slow, TimeLimitedPool, cut_off
from autograder.course import Assignment, BatchError, UserError
from autograder.grading.grade import GRADER_FAILURE_MESSAGE, Grade, to_json
from autograder.grading.row import GradeKey
from autograder.protocol.failure_kinds import SubmissionStatus

if TYPE_CHECKING:
    from autograder.grading.grader import Grader

GRADING_TIMEOUT_SECONDS = 90.0
"""Maximum wall-clock time for one job, including the grader's startup; longer than a submission's time limit."""

MAX_GRADERS_LOST_PER_JOB = 3
"""Number of graders that can fail on a job before no other grader runs its code."""

DASK_CONNECT_TIMEOUT_SECONDS = 10.0
"""Maximum time to wait for a Dask scheduler to answer."""

FIRST_DASK_WORKER_TIMEOUT_SECONDS = 300.0
"""Maximum time to wait for a Dask scheduler to have a worker."""

TOO_SLOW_MESSAGE = "checking what the submission does took too long: the teaching staff will look at it"
"""The message that every test shows if a grader took too long on the submission."""


@dataclass(frozen=True)
class GraderSetup:
    """The settings of the graders in one run."""

    disabled_locks: Collection[str] = ()
    """names of the sandbox's disabled locks"""
    tests_sandbox: bool = False
    """True if each grader tests the sandbox before grading, because it might be on another machine"""
    run: str = ""
    """identifier of the run, for machines that keep their graders between runs"""


@dataclass(frozen=True)
class Job:
    """A submission to grade: its code, or the reason why it has no code that can run."""

    key: GradeKey
    cells: tuple[str, ...] = ()
    problem_message: str | None = None
    """the message that every test shows if there is no code"""
    failures: tuple[str, ...] = ()
    """the reason for each grader's failure on this job"""
    exceeded_grader_time: bool = False
    """True if a grader was too slow for this job"""

    @property
    def machine_failure(self) -> str:
        """The reason why no grader should run the code again, or an empty string if another grader can try.

        The result of a job with such a reason comes from a grader that has just given the solution full points.
        """
        return self.failures[-1] if self.exceeded_grader_time or len(self.failures) >= MAX_GRADERS_LOST_PER_JOB else ""

    def with_failure(self, failure: CutOff) -> Job:
        """Return this job with one more failure. Once a grader has been too slow, no other grader runs the code."""
        return replace(self, failures=(*self.failures, failure.why), exceeded_grader_time=isinstance(failure, Slow))


def failure_of(future: Future[bytes]) -> CutOff | None:
    """Return the reason why a grader failed on its job; None if there is a grade.

    Raise UserError if no grader can continue, and CancelledError if the job was cancelled.
    """
    try:
        future.result()
        return None
    except (UserError, CancelledError):
        raise
    except Exception as error:
        exceeded = cut_off(error, GRADING_TIMEOUT_SECONDS)
        return replace(exceeded, why=f"the grader {exceeded.why}") if exceeded else CutOff(str(error))


class Processes:
    """Graders on this machine."""

    def __init__(self, size: int, setup: GraderSetup) -> None:
        self.size = size
        self.setup = setup
        # Graders share the processors, so each must use only one thread for linear algebra.
        os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.pool = TimeLimitedPool(size, GRADING_TIMEOUT_SECONDS)

    def submit(self, job: Job) -> Future[bytes]:
        """Give the job to the next grader. The future resolves to the packed grade."""
        return self.pool.submit(_grade, job, self.setup)

    def close(self) -> None:
        """End all graders."""
        self.pool.close()


class DaskCluster:
    """The workers of a Dask scheduler; each keeps local graders for one run."""

    def __init__(self, scheduler: str, setup: GraderSetup) -> None:
        """Connect to the scheduler at an address, and wait for its first worker."""
        try:
            from distributed import Client
        except ModuleNotFoundError as error:
            raise BatchError("--scheduler needs Dask: install the autograder with its [cluster] extra") from error
        client: Any = Client
        self.setup = setup
        try:
            self._client = client(scheduler, timeout=DASK_CONNECT_TIMEOUT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=FIRST_DASK_WORKER_TIMEOUT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise BatchError(
                f"no Dask scheduler with a worker answers at {scheduler} ({error}): start both, or grade here without"
                " --scheduler"
            ) from error
        self._executor = self._client.get_executor(pure=False)

    @property
    def size(self) -> int:
        """The number of graders that the cluster currently has."""
        return sum(self._client.nthreads().values())

    def submit(self, job: Job) -> Future[bytes]:
        """Give the job to the next grader. The future resolves to the packed grade."""
        return self._executor.submit(_grade_on_dask_worker, job, self.setup)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()


def grading_key(assignment: Assignment, disabled_locks: Collection[str]) -> str:
    """Return a key for everything that a grade depends on other than the submission's code.

    Disabled locks change the key, so a grade from a weakened sandbox is never mistaken for one from a full sandbox.
    """
    without = f" without {','.join(sorted(disabled_locks))}" if disabled_locks else ""
    return assignment.grading_hash + without


# In a grader process

_warm_grader: list[Grader] = []
"""A list with this process's grader; empty until the grader has started."""


def _grade(job: Job, setup: GraderSetup) -> bytes:
    """Return a grade as compressed JSON with a checksum that detects damage.

    Raise UserError for a fault that affects every submission, and RuntimeError for one that affects only this job.
    """
    from autograder.grading.grader import Grader
    from autograder.sandbox import self_test

    machine, assignment = os.uname().nodename, _assignment(job.key.assignment)
    try:
        if not _warm_grader:
            if setup.tests_sandbox:
                self_test.require()
            _warm_grader.append(Grader(setup.disabled_locks))
            util.Finalize(None, _warm_grader[0].close, exitpriority=0)  # runs even if the pool ends this process
        if grading_key(assignment, setup.disabled_locks) != job.key.grading:
            raise BatchError(f"{machine} has another version of {assignment.name}'s suite or of the autograder")
        return zlib.compress(to_json(_grade_job(_warm_grader[0], assignment, job)).encode("ascii"))
    except self_test.BrokenPromiseError as error:
        raise BatchError(f"the sandbox does not hold on {machine}: {error}") from error
    except UserError:
        raise
    except BaseException as error:  # a SandboxError is not an Exception
        while _warm_grader:
            _warm_grader.pop().close()
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _grade_job(grader: Grader, assignment: Assignment, job: Job) -> Grade:
    """Return a job's grade. Raise RuntimeError if other graders failed on it and the solution fails as well."""
    from autograder.grading.grader import grade_solution

    if job.machine_failure:
        solution_grade = grade_solution(grader, assignment)
        if solution_grade.score != solution_grade.max_score:
            raise RuntimeError(f"the solution has {solution_grade.score:g} of {solution_grade.max_score:g} points")
        status, message = (
            (SubmissionStatus.TIMEOUT, TOO_SLOW_MESSAGE)
            if job.exceeded_grader_time
            else (SubmissionStatus.KILLED, GRADER_FAILURE_MESSAGE)
        )
        return grader.refuse(assignment, status, message)
    if job.problem_message is not None:
        return grader.refuse(assignment, SubmissionStatus.UNREADABLE, job.problem_message)
    return grader.grade(assignment, job.cells)


# The assignment is looked up once, like its suite, so that the hash belongs to the suite in use.
_assignment = functools.cache(course.find)


# In a Dask worker

_local_graders: dict[GraderSetup, Processes] = {}
_local_graders_lock = threading.Lock()


def _grade_on_dask_worker(job: Job, setup: GraderSetup) -> bytes:
    """Return a grade from a Dask worker, which keeps the graders of only one run."""
    from distributed import get_worker

    with _local_graders_lock:
        if setup not in _local_graders:
            for run in [*_local_graders]:
                _local_graders.pop(run).close()
            _local_graders[setup] = Processes(get_worker().state.nthreads, setup)
    return _local_graders[setup].submit(job).result()
