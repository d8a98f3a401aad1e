"""Graders on other machines, through a Dask scheduler: `autograder grade DIR --scheduler tcp://host:port`.

A Dask worker does for a job what the pool does on one machine: it keeps a grader process, with a wall of its own, and
asks it. Only the coordinator writes. A worker that is lost takes nothing along, since its jobs are given to others; one
whose suite or wall is not as it should be is asked nothing more, and the coordinator says which.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any

from distributed import Client, Future, KilledWorker, get_worker
from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import CommClosedError
from rich.console import Console

from autograder.batch.jobs import LOOK_AGAIN, BatchError, GraderReply, Graders, Job, JobQueue, Setup
from autograder.batch.pool import GraderProcess

AHEAD = 2
"""Jobs under way for each thread of the cluster: one in progress and one that waits there for it."""

SECONDS_TO_CONNECT = 10.0
SECONDS_FOR_WORKERS = 300.0
"""How long a cluster may take to start its first worker."""

_of_this_thread = threading.local()


def grade_here(job: Job, setup: Setup) -> tuple[str, str, GraderReply]:
    """Runs on a Dask worker: its address and name, and the answer to the job."""
    worker = get_worker()
    warm: GraderProcess | None = getattr(_of_this_thread, "grader", None)
    if warm is not None and warm.setup != setup:
        warm.end()
        warm = None
    grader = warm or GraderProcess(setup)
    answer = grader.ask(job)
    if warm and answer.refused:  # one kept from an earlier run may have an earlier suite
        grader.restart()
        answer = grader.ask(job)
    if not answer.grade:
        grader.end()
    _of_this_thread.grader = grader if answer.grade else None
    return worker.address, str(worker.name), answer


class Cluster(Graders):
    """The workers of one Dask scheduler."""

    def __init__(self, scheduler: str, setup: Setup, console: Console) -> None:
        self._address = scheduler
        try:
            # A client of what is no address says so, and a traceback at its end.
            get_address_host_port(scheduler, strict=True)
        except ValueError as error:
            raise BatchError(f"{scheduler} is no address of a Dask scheduler: write it as tcp://host:port") from error
        try:
            self._client: Any = Client(scheduler, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BatchError(
                f"no Dask scheduler answers at {scheduler} ({error}): start one, or grade here without --scheduler"
            ) from error
        self._setup = setup
        self._console = console
        self._refused: set[str] = set()
        self._workers: dict[str, int] = {}
        self._looked = -LOOK_AGAIN

    def answers(self, queue: JobQueue, meanwhile: Callable[[], None]) -> Iterator[tuple[Job, GraderReply]]:
        """As everywhere, as long as the scheduler is there."""
        try:
            yield from super().answers(queue, meanwhile)
        except (CommClosedError, CancelledError, TimeoutError) as error:
            raise BatchError(
                f"the Dask scheduler at {self._address} is gone: start it and run the same command again to go on"
            ) from error

    def has_room(self, under_way: int) -> bool:
        return under_way < AHEAD * sum(self._willing().values())

    def submit(self, job: Job) -> Future[Any]:
        # Once somebody is refused, the others are named; should they all be gone, the job must not wait for them for
        # ever.
        chosen: dict[str, Any] = (
            {"workers": list(self._willing()), "allow_other_workers": True} if self._refused else {}
        )
        return self._client.submit(grade_here, job, self._setup, pure=False, **chosen)

    def _willing(self) -> dict[str, int]:
        """Threads by address, of workers that were not refused. Waits for the first one."""
        if time.monotonic() - self._looked > LOOK_AGAIN:
            self._workers = self._client.nthreads()
            if not self._workers:
                minutes = SECONDS_FOR_WORKERS / 60
                self._console.print(
                    f"The scheduler at {self._address} has no worker yet: waiting up to {minutes:g} minutes for one.",
                    markup=False,
                )
                try:
                    self._client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
                except TimeoutError as error:
                    raise BatchError(
                        f"no worker joined {self._address}: start one, and run the same command again"
                    ) from error
                self._workers = self._client.nthreads()
            self._looked = time.monotonic()
        willing = {address: threads for address, threads in self._workers.items() if address not in self._refused}
        if not willing:
            raise BatchError(
                "no worker of the cluster can grade this: bring them to the version that runs here, and run again"
            )
        return willing

    def reply(self, future: Future[Any]) -> GraderReply | None:
        try:
            address, name, answer = future.result()
        except KilledWorker as error:
            address, name, answer = "", "", GraderReply(lost=f"the workers that had it were lost: {error}")
        except (CommClosedError, CancelledError):
            raise
        except Exception as error:
            raise BatchError(
                f"a worker of the cluster cannot run the autograder ({type(error).__name__}: {error}): "
                "install the version that runs here on every machine"
            ) from error
        if answer.refused:
            if address not in self._refused:
                self._refused.add(address)
                self._console.print(
                    f"Worker {name} at {address} is not used: {answer.refused}.", markup=False, soft_wrap=True
                )
            return None
        return answer

    def close(self) -> None:
        """Leave the cluster; its graders stay warm for the next run."""
        self._client.close()
