"""Grader processes on this machine: warm, watched, and replaced when they end."""

from __future__ import annotations

import contextlib
import multiprocessing.connection
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.batch.jobs import TRIES, BatchError, GraderReply, Job, JobQueue, Setup
from autograder.course import PACKAGE

ANSWER_SECONDS = 180.0
"""Seconds after which a grader that has not answered is taken for stuck: three times what a submission may use."""

SLOW_SECONDS = 5.0
"""Seconds after which a grader is slow that still has one job: another is at work beside it, as long as jobs wait."""

# As many threads for linear algebra as graders would be too many.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class GraderProcess:
    """One grader process, and the job that it has in progress."""

    def __init__(self, setup: Setup, core: int | None = None) -> None:
        """`core`: the one that it keeps to, with all processes that it starts."""
        self.setup, self.core = setup, core
        # For its temporary files. Both sides remove it, since either may be killed.
        self._folder = Path(tempfile.mkdtemp(prefix="grader-"))
        ours, theirs = socket.socketpair()
        with theirs, (self._folder / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "autograder.batch.grader_process",
                    str(theirs.fileno()),
                    str(self._folder),
                ],
                env=with_packages() | _ONE_THREAD,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                # A Ctrl-C in the terminal is for the coordinator: what is in progress is to be finished.
                start_new_session=True,
            )
        if core is not None:
            with contextlib.suppress(OSError):  # it is only quicker so
                os.sched_setaffinity(self._process.pid, {core})
        self.connection: Connection = Connection(ours.detach())
        self.ready = False
        self.job: Job | None = None
        self.since = time.monotonic()
        self._say(setup)

    def give(self, job: Job) -> None:
        """Hand over a job. The answer comes through `connection`."""
        self.job, self.since = job, time.monotonic()
        self._say(job)

    def _say(self, message: object) -> None:
        # Where it has ended, reading its answer will say so.
        with contextlib.suppress(OSError):
            self.connection.send(message)

    def hear(self) -> GraderReply:
        """Its answer, or that it has ended without one."""
        try:
            answer: GraderReply = self.connection.recv()
        except (EOFError, OSError):
            return GraderReply(lost=self.last_words())
        return answer

    def ask(self, job: Job) -> GraderReply:
        """Hand over a job and wait for its answer."""
        self.give(job)
        while self.connection.poll(ANSWER_SECONDS):
            answer = self.hear()
            if self.ready or answer.lost or answer.refused:
                self.job = None
                return answer
            self.ready = True
        return GraderReply(lost=self.stuck)

    @property
    def stuck(self) -> str:
        return f"the grader did not answer within {ANSWER_SECONDS:.0f} seconds"

    def last_words(self) -> str:
        """How the process ended, and the last line that it wrote."""
        status = self._process.wait()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"
        try:
            lines = (self._folder / "errors").read_text("utf-8", "replace").strip().splitlines()
        except FileNotFoundError:
            lines = []
        return f"the grader {how}" + (f" ({lines[-1][:200]})" if lines else "")

    def hang_up(self) -> None:
        """Begin to end the process; what it has in progress is dropped."""
        self.connection.close()
        if self.job is not None or not self.ready:
            self._process.kill()

    def end(self) -> None:
        """End the process."""
        self.hang_up()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def with_packages() -> dict[str, str]:
    """This process's environment, in which another Python finds the same autograder."""
    path = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))}


class Pool:
    """As many grader processes as there are jobs to run at a time."""

    def __init__(self, size: int, setup: Setup) -> None:
        # A grader and its worker take turns, some 300 times per submission. Where each of them could have a core of its
        # own, every turn would begin with waking a core that has just gone to sleep. The first core differs from run to
        # run: several may go on here.
        cores = sorted(os.sched_getaffinity(0))
        self._size = size
        self._graders = [GraderProcess(setup, cores[(os.getpid() + number) % len(cores)]) for number in range(size)]
        self._failed_starts = 0

    def run(self, queue: JobQueue) -> Iterator[tuple[Job, GraderReply]]:
        """Every job with its answer, in the order in which they come. Jobs are taken only as graders are free for
        them."""
        while True:
            self._feed(queue)
            busy = [grader for grader in self._graders if grader.job is not None]
            if not busy:
                return
            for grader in self._heard_from(busy):
                yield from self._take(grader, queue)

    def _feed(self, queue: JobQueue) -> None:
        """Give jobs to idle graders. Beside each that is slow another is at work, up to twice as many in all: what one
        student handed in holds up nobody."""
        late = time.monotonic() - SLOW_SECONDS
        idle = [grader for grader in self._graders if grader.job is None]
        slow = [grader for grader in self._graders if grader.job is not None and grader.ready and grader.since < late]
        at_work = len(self._graders) - len(idle) - len(slow)
        while at_work < self._size and (idle or len(self._graders) < 2 * self._size):
            if (job := queue.take()) is None:
                return
            if idle:
                grader = idle.pop()
            else:
                grader = GraderProcess(slow[0].setup, slow[len(self._graders) - self._size].core)
                self._graders.append(grader)
            grader.give(job)
            at_work += 1

    def _heard_from(self, busy: list[GraderProcess]) -> list[GraderProcess]:
        """Those that have something to say, or have been silent for too long."""
        ready = multiprocessing.connection.wait([grader.connection for grader in busy], timeout=1.0)
        late = time.monotonic() - ANSWER_SECONDS
        return [grader for grader in busy if grader.connection in ready or grader.since < late]

    def _take(self, grader: GraderProcess, queue: JobQueue) -> Iterator[tuple[Job, GraderReply]]:
        heard = grader.connection.poll(0)
        answer = grader.hear() if heard else GraderReply(lost=grader.stuck)
        job = grader.job
        assert job is not None
        if answer.refused:
            raise BatchError(f"the graders cannot go on: {answer.refused}; run the same command again")
        if answer.lost:
            self._replace(grader)
            if not grader.ready:
                queue.put_first(job)
            elif not queue.try_again(job):
                yield job, answer
        elif not grader.ready:
            grader.ready, grader.since = True, time.monotonic()
            self._failed_starts = 0
        else:
            # The next job first: what the coordinator does with this answer then costs the grader no time.
            grader.job = None
            self._feed(queue)
            yield job, answer

    def _replace(self, grader: GraderProcess) -> None:
        if not grader.ready:
            self._failed_starts += 1
            if self._failed_starts >= TRIES:
                raise BatchError(f"no grader can be started: {grader.last_words()}")
        grader.end()
        self._graders[self._graders.index(grader)] = GraderProcess(grader.setup, grader.core)

    def close(self) -> None:
        """End all graders, side by side."""
        for grader in self._graders:
            grader.hang_up()
        for grader in self._graders:
            grader.end()
