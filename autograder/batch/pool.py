"""Grader processes on this machine: warm, watched, and replaced when they end."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.batch.jobs import TRIES, BatchError, GraderReply, Graders, Job, Setup
from autograder.course import PACKAGE

ANSWER_SECONDS = 180.0
"""Seconds after which a grader that has not answered is taken for stuck: longer than a submission may take, with all
that it is asked anew."""

SLOW_SECONDS = 5.0
"""Seconds after which a grader is slow that still has one job: another is at work beside it, as long as jobs wait."""

# As many threads for linear algebra as graders would be too many.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class GraderProcess:
    """One grader process, or the one that came in its place."""

    def __init__(self, setup: Setup, core: int | None = None) -> None:
        """`core`: the one that it keeps to, with all processes that it starts."""
        self.setup, self.core = setup, core
        self._start()

    def _start(self) -> None:
        # For its temporary files. Both sides remove it, since either may be killed.
        self._folder = Path(tempfile.mkdtemp(prefix="grader-"))
        ours, theirs = socket.socketpair()
        with theirs, (self._folder / "errors").open("wb") as errors:
            module = "autograder.batch.grader_process"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(self._folder)],
                env=with_packages() | _ONE_THREAD,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                # A Ctrl-C in the terminal is for the coordinator: what is in progress is to be finished.
                start_new_session=True,
            )
        if self.core is not None:
            with contextlib.suppress(OSError):  # it is only quicker so
                os.sched_setaffinity(self._process.pid, {self.core})
        self._connection: Connection = Connection(ours.detach())
        self.ready = False
        self.since = math.inf
        """when it began with the job that it has in progress"""
        self._say(self.setup)

    def ask(self, job: Job) -> GraderReply:
        """Hand over a job and wait for its answer, or for the news that the grader is lost."""
        if not self.ready:
            answer = self._hear()
            if answer.lost or answer.refused:
                return answer
            self.ready = True
        self.since = time.monotonic()
        self._say(job)
        return self._hear()

    def _say(self, message: object) -> None:
        # Where it has ended, reading its answer will say so.
        with contextlib.suppress(OSError):
            self._connection.send(message)

    def _hear(self) -> GraderReply:
        try:
            if self._connection.poll(ANSWER_SECONDS):
                answer: GraderReply = self._connection.recv()
                return answer
        except (EOFError, OSError):
            return GraderReply(lost=self._last_words())
        self.kill()
        return GraderReply(lost=f"the grader did not answer within {ANSWER_SECONDS:.0f} seconds")

    def _last_words(self) -> str:
        """How the process ended, and the last line that it wrote."""
        status = self._process.wait()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"
        try:
            lines = (self._folder / "errors").read_text("utf-8", "replace").strip().splitlines()
        except FileNotFoundError:
            lines = []
        return f"the grader {how}" + (f" ({lines[-1][:200]})" if lines else "")

    def kill(self) -> None:
        """Whoever waits for an answer hears that the process is lost."""
        self._process.kill()

    def end(self) -> None:
        """End the process, from which nobody waits for an answer."""
        self._connection.close()
        if not self.ready:
            self.kill()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def restart(self) -> None:
        """Put another process in the place of one that is lost."""
        self.end()
        self._start()


def with_packages() -> dict[str, str]:
    """This process's environment, in which another Python finds the same autograder."""
    path = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))}


class Pool(Graders):
    """As many grader processes as there are jobs to run at a time."""

    def __init__(self, size: int, setup: Setup) -> None:
        # A grader and its worker take turns, some 300 times per submission. Where each of them could have a core of its
        # own, every turn would begin with waking a core that has just gone to sleep. The first core differs from run to
        # run: several may go on here.
        cores = sorted(os.sched_getaffinity(0))
        self._size = size
        self._graders = {
            GraderProcess(setup, cores[(os.getpid() + number) % len(cores)]): ThreadPoolExecutor(1)
            for number in range(size)
        }
        """each with the thread that asks it and ends it"""
        self._idle = [*self._graders]
        self._failed_starts = 0

    def has_room(self, under_way: int) -> bool:
        """Beside each grader that is slow another is at work, up to twice as many in all: what one student handed in
        holds up nobody."""
        return under_way - len(self._slow()) < self._size and under_way < 2 * self._size

    def _slow(self) -> list[GraderProcess]:
        late = time.monotonic() - SLOW_SECONDS
        return [grader for grader in self._graders if grader.since < late]

    def submit(self, job: Job) -> Future[tuple[GraderProcess, GraderReply]]:
        if self._idle:
            grader = self._idle.pop()
        else:
            beside = self._slow()[len(self._graders) - self._size]
            grader = GraderProcess(beside.setup, beside.core)
            self._graders[grader] = ThreadPoolExecutor(1)
        return self._graders[grader].submit(lambda: (grader, grader.ask(job)))

    def reply(self, future: Future[tuple[GraderProcess, GraderReply]]) -> GraderReply | None:
        grader, answer = future.result()
        if answer.refused:
            raise BatchError(f"the graders cannot go on: {answer.refused}; run the same command again")
        self._failed_starts = 0 if grader.ready else self._failed_starts + 1
        if self._failed_starts >= TRIES:
            raise BatchError(f"no grader can be started: {answer.lost}")
        if answer.lost:
            grader.restart()
        grader.since = math.inf
        self._idle.append(grader)
        return None if self._failed_starts else answer

    def close(self) -> None:
        """End all graders, side by side. What is in progress is dropped."""
        for grader, thread in self._graders.items():
            if grader not in self._idle:
                grader.kill()
            thread.submit(grader.end)
        for thread in self._graders.values():
            thread.shutdown()
