"""Many submissions: read, graded by warm processes here or on a cluster, kept in the gradebook, written out.

    jobs       what passes between coordinator and graders
    grader     a grader process
    pool       the grader processes of this machine (`autograder.batch.cluster` has those of others)
    output     the files under OUT
    progress   the bar
    closing    similarity and the report, once all is graded
    summary    what it came to

One process coordinates: it alone reads what was handed in and writes anything. A grade is in the gradebook before it is
shown anywhere, so a run that is killed loses at most what was in progress, and running it again goes on from there.
"""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Protocol

from rich.console import Console

from autograder import course
from autograder.batch.gradebook import Damaged, Gradebook, GradebookError, Key, code_hash
from autograder.batch.jobs import Answer, BatchError, Job, Setup, suite_key
from autograder.batch.output import Output, salvage
from autograder.batch.pool import Pool, with_packages
from autograder.batch.progress import Progress
from autograder.batch.summary import Summary, complete
from autograder.grading.result import Grade
from autograder.submission import Submission, find_in_folder, read
from autograder.submission.names import printable

__all__ = ["BatchError", "Summary", "grade"]

_LOST_SENTENCE = "not run: the grader could not judge this submission, and the teaching staff will look at it"


class Executor(Protocol):
    """Graders, wherever they run."""

    def run(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Answer]]:
        """Every job with its answer, in the order in which they come."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class RunConfiguration:
    """What was asked for."""

    folder: Path
    assignment: str | None
    out: Path
    jobs: int
    scheduler: str | None
    disabled_locks: Collection[str]
    regrade: bool

    @property
    def command(self) -> str:
        """The command that goes on where this run stopped."""
        words = ["autograder", "grade", str(self.folder), "--out", str(self.out), "--jobs", str(self.jobs)]
        words += ["--assignment", self.assignment] if self.assignment else []
        words += ["--scheduler", self.scheduler] if self.scheduler else []
        words += ["--isolation", "none"] if self.disabled_locks else []
        return shlex.join(words)


def grade(
    folder: Path,
    *,
    assignment: str | None = None,
    out: Path,
    jobs: int = 1,
    scheduler: str | None = None,
    disabled_locks: Collection[str] = (),
    regrade: bool = False,
    console: Console | None = None,
) -> Summary:
    """Grade everything in a folder into OUT, on this machine or on a cluster.

    Raises NothingToGrade, and BatchError with a sentence where the run cannot go on; what was graded by then is kept.
    """
    order = RunConfiguration(folder, assignment, out, jobs, scheduler, disabled_locks, regrade)
    try:
        return _Run(order, console or Console(quiet=True)).all()
    except Damaged as error:
        raise BatchError(f"{error}: {salvage(out)}") from error
    except GradebookError as error:
        raise BatchError(str(error)) from error


class _Run:
    """One run of a batch."""

    def __init__(self, order: RunConfiguration, console: Console) -> None:
        self.order = order
        self.console = console
        self.summary = Summary()
        self.assignments = {one.name: one for one in course.assignments()}
        self.stopping = False

    def all(self) -> Summary:
        begin = time.monotonic()
        submission_files = find_in_folder(self.order.folder, self.order.assignment, list(self.assignments))
        with Gradebook.writing(self.order.out) as self.book:
            self.output = Output(self.order.out, self.book)
            self._take_in({one.assignment for one in submission_files}, map(read, submission_files))
            to_grade = self.book.to_grade()
            if to_grade:
                self._grade(to_grade)
            self._write()
            self.summary.seconds = time.monotonic() - begin
            complete(self.summary, self.book, self._stubs())
        self.summary.show(self.console)
        if self.summary.waiting:
            self.console.print(f"{self.summary.waiting} not graded yet. To go on:\n  {self.order.command}", soft_wrap=True)
        return self.summary

    def _take_in(self, names: set[str], submissions: Iterator[Submission]) -> None:
        with self.console.status("Reading what was handed in"):
            known = {name: suite_key(self.assignments[name], self.order.disabled_locks) for name in names if name}
            self.book.take_in(submissions, known)
        if self.order.regrade:
            self.book.forget(names)

    def _grade(self, submission_files: dict[Key, int]) -> None:
        total = sum(submission_files.values())
        with self._interruptible(), Progress(self.console, total) as watch, self._crew(len(submission_files)) as crew:
            todo = _Todo(self, submission_files, watch)
            while todo.is_left():
                for job, answer in crew.run(todo):
                    todo.answered(job, answer)
        self.summary.graded = watch.done
        self.summary.warm_seconds = watch.last - watch.first
        self.summary.waiting = total - watch.done

    @contextmanager
    def _crew(self, jobs: int) -> Iterator[Executor]:
        crew: Executor
        if self.order.scheduler is None:
            crew = Pool(min(self.order.jobs, jobs), Setup(self.order.disabled_locks))
        else:
            try:
                from autograder.batch.cluster import Cluster
            except ModuleNotFoundError as error:
                raise BatchError("--scheduler needs Dask: install the autograder with its [cluster] extra") from error
            crew = Cluster(self.order.scheduler, Setup(self.order.disabled_locks, prove_wall=not self.order.disabled_locks), self.console)
        try:
            yield crew
        finally:
            crew.close()

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """A first Ctrl-C, or a cluster's notice to leave, lets what is in progress be finished; a second one does not wait."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in signals}

        def stop(number: int, frame: FrameType | None) -> None:
            self.stopping = True
            signal.signal(number, before[signal.Signals(number)])
            self.console.print("Stopping: what is in progress is finished first.")

        for number in signals:
            signal.signal(number, stop)
        try:
            yield
        finally:
            for restored, handler in before.items():
                signal.signal(restored, handler)

    def keep(self, key: Key, grade: Grade, lost: str) -> None:
        """A grade has come: into the gradebook, then into the folders of all students who share it."""
        self.book.add(key, grade, lost)
        for row in self.book.rows_of(key):
            self.output.write_row(row)

    def _write(self) -> None:
        """Everything under OUT that this run has not written on the way."""
        for key in {row.key for row in self.book.rows() if not (row.written and self.output.is_there(row))}:
            for row in self.book.rows_of(key):
                self.output.write_row(row)
        changed = self.output.write_tables()
        if changed or not (self.order.out / "report.html").exists():
            self._close()

    def _close(self) -> None:
        with self.console.status("Comparing what was handed in, and writing the report"):
            command = [sys.executable, "-P", "-m", "autograder.batch.postprocessing", str(self.order.out)]
            ended = subprocess.run(command, env=with_packages(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ended.returncode:
            lines = ended.stderr.strip().splitlines() or [f"it ended with exit code {ended.returncode}"]
            self.console.print(f"The report is not up to date: {printable(lines[-1], 300)}", markup=False, soft_wrap=True)

    def _stubs(self) -> set[str]:
        """The codes of unchanged stubs."""
        texts = (one.stub.read_text("utf-8") for one in self.assignments.values() if one.stub.is_file())
        return {code_hash(Submission("", "", "", "", (text,))) for text in texts}


class _Todo(Iterator[Job]):
    """The jobs of a run, and what becomes of their answers.

    A submission that no grader could judge is not blamed for it before the reference solution has been graded in the same
    way: if that fails as well, the fault is this machine's or the course's, and the run stops.
    """

    def __init__(self, run: _Run, submission_files: dict[Key, int], watch: Progress) -> None:
        self.run = run
        self.submission_files = submission_files
        self.watch = watch
        self.keys = deque(submission_files)
        self.first: deque[Job] = deque()
        self.lost: dict[Key, str] = {}

    def is_left(self) -> bool:
        """Whether there is anything more to do."""
        return bool(self.first) or (bool(self.keys) and not self.run.stopping)

    def __next__(self) -> Job:
        if not self.is_left():
            raise StopIteration
        if self.first:
            return self.first.popleft()
        key = self.keys.popleft()
        problem = self.run.book.problem(key)
        if problem is not None:
            return Job(key, refusal=("unreadable", problem))
        return Job(key, self.run.book.cells(key.code))

    def answered(self, job: Job, answer: Answer) -> None:
        """Take in the answer to a job."""
        if job.probe_of is not None:
            self._probed(job.probe_of, answer)
        elif answer.grade is not None:
            self.run.keep(job.key, answer.grade, self.lost.get(job.key, ""))
            self.watch.graded(answer.grade.status, self.submission_files[job.key])
        else:
            self.lost[job.key] = answer.lost
            solution = self.run.assignments[job.key.assignment].solution.read_text("utf-8")
            self.first.append(Job(job.key, (solution,), probe_of=job))

    def _probed(self, job: Job, answer: Answer) -> None:
        grade = answer.grade
        if grade is None or grade.score != grade.max_score:
            came = answer.lost if grade is None else f"{grade.score:g} of {grade.max_score:g} points"
            raise BatchError(
                f"a submission could not be graded ({self.lost[job.key]}), and neither can the solution of {job.key.assignment} "
                f"({came}): `autograder doctor` may say why; nobody's grade was changed, and the same command goes on"
            )
        self.first.append(Job(job.key, refusal=("killed", _LOST_SENTENCE)))
