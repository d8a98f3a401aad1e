"""Graders behind the interface of concurrent.futures: processes of this machine, or those of others through Dask.

A grader is a warm process that takes job after job. One that ends or does not answer in time costs the job that it has,
which is given to another; what an exception leaves behind is not trusted, and a new grader takes its place.
"""

from __future__ import annotations

import functools
import os
import threading
import zlib
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing import util
from typing import TYPE_CHECKING, Any

from autograder import course
from autograder.course import Assignment, UserError
from autograder.grading.grade import NOT_JUDGED, Grade, to_json
from autograder.grading.row import Key
from autograder.parallel import new_pool
from autograder.protocol.failure import Status

if TYPE_CHECKING:
    from autograder.grading.grader import Grader

GRADING_TIMEOUT_SECONDS = 180.0
"""Seconds after which a grader that has not answered is taken for stuck: longer than a submission may take."""

TRIES = 3
"""How often a job is given to a grader before it is given up as lost."""

SECONDS_TO_CONNECT, SECONDS_FOR_WORKERS = 10.0, 300.0


class BatchError(UserError):
    """The batch cannot go on. The message is a sentence or two for a person; what was graded is kept."""


@dataclass(frozen=True)
class Setup:
    """How graders are to work."""

    disabled_locks: Collection[str] = ()  # of the wall
    prove_wall: bool = False  # before anything is graded; on the coordinator's own machine that is done already
    run: str = ""  # tells one run from the next on machines that keep their graders


@dataclass(frozen=True)
class Job:
    """One thing to grade: code, or the reason why none can be run."""

    key: Key
    cells: tuple[str, ...] = ()
    problem: str | None = None  # what every test then says
    failures: tuple[str, ...] = ()  # why a grader failed over it

    @property
    def lost(self) -> str:
        """Why no grader can judge it, once that is so: then it is refused, by a grader that can judge the solution."""
        return self.failures[-1] if len(self.failures) >= TRIES else ""


class Processes:
    """Graders of this machine."""

    def __init__(self, size: int, setup: Setup) -> None:
        self.size = size
        self._setup = setup
        # As many threads for linear algebra as graders would be too many.
        os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._pool = new_pool(size)

    def submit(self, job: Job) -> Future[bytes]:
        if not self._pool.active:  # pebble gives up where a grader ends that had no job yet
            self.close()
            self._pool = new_pool(self.size)
        return self._pool.schedule(_grade, (job, self._setup), timeout=GRADING_TIMEOUT_SECONDS)

    def close(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


class Cluster:
    """The workers of one Dask scheduler; each keeps graders of its own for a run."""

    def __init__(self, scheduler: str, setup: Setup) -> None:
        try:
            from distributed import Client
        except ModuleNotFoundError as error:
            raise BatchError("--scheduler needs Dask: install the autograder with its [cluster] extra") from error
        client: Any = Client
        self._setup = setup
        try:
            self._client = client(scheduler, timeout=SECONDS_TO_CONNECT, set_as_default=False)
            self._client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
        except (OSError, ValueError, TimeoutError) as error:
            raise BatchError(
                f"no Dask scheduler with a worker answers at {scheduler} ({error}): start them, or grade here without"
                " --scheduler"
            ) from error
        self._executor = self._client.get_executor(pure=False)

    @property
    def size(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, job: Job) -> Future[bytes]:
        return self._executor.submit(_grade_on_worker, job, self._setup)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._client.close()


def suite_key(assignment: Assignment, disabled_locks: Collection[str]) -> str:
    """What a grade depends on besides the code. A grade given without the wall never stands for one given behind it."""
    without = f" without {','.join(sorted(disabled_locks))}" if disabled_locks else ""
    return assignment.suite_hash + without


# In a grader process

_warm: list[Grader] = []
"""The one of this process, once there is one."""


def _grade(job: Job, setup: Setup) -> bytes:
    """A grade as deflated JSON, whose checksum tells a damaged one from a whole one. What it raises, a UserError aside,
    is not the submission's fault."""
    from autograder.grading.grader import Grader
    from autograder.sandbox import self_test

    here, assignment = os.uname().nodename, _assignment(job.key.assignment)
    try:
        if not _warm:
            if setup.prove_wall:
                self_test.require()
            _warm.append(Grader(setup.disabled_locks))
            util.Finalize(None, _warm[0].close, exitpriority=0)  # where this process is ended, too
        if suite_key(assignment, setup.disabled_locks) != job.key.suite:
            raise BatchError(f"{here} has another version of {assignment.name}'s suite or of the autograder")
        return zlib.compress(to_json(_judged(_warm[0], assignment, job)).encode("ascii"))
    except self_test.BrokenPromise as error:
        raise BatchError(f"the wall does not hold on {here}: {error}") from error
    except UserError:
        raise
    except BaseException as error:  # a SandboxError is no Exception
        while _warm:
            _warm.pop().close()
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _judged(grader: Grader, assignment: Assignment, job: Job) -> Grade:
    if job.lost:
        proof = grader.grade(assignment, (assignment.solution.read_text("utf-8"),))
        if proof.score != proof.max_score:
            raise RuntimeError(f"the solution has {proof.score:g} of {proof.max_score:g} points")
        return grader.refuse(assignment, Status.KILLED, NOT_JUDGED)
    if job.problem is not None:
        return grader.refuse(assignment, Status.UNREADABLE, job.problem)
    return grader.grade(assignment, job.cells)


# Once, as its suite is collected once: its hash is then that of the suite that judges.
_assignment = functools.cache(course.find)


# In a Dask worker

_graders: dict[Setup, Processes] = {}
_one_at_a_time = threading.Lock()


def _grade_on_worker(job: Job, setup: Setup) -> bytes:
    """Runs on a Dask worker, which keeps the graders of the run that asked last."""
    from distributed import get_worker

    with _one_at_a_time:
        if setup not in _graders:
            for run in [*_graders]:
                _graders.pop(run).close()
            _graders[setup] = Processes(get_worker().state.nthreads, setup)
    return _graders[setup].submit(job).result()
