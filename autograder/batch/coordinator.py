"""One run of a batch: what was handed in is read, graded, kept in the gradebook, written out.

One process coordinates: it alone reads what was handed in and writes anything. A grade is in the gradebook before it is
written anywhere else, so a run that is killed loses at most its last moment, and running it again goes on from there.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import FrameType

from rich.console import Console

from autograder import course
from autograder.batch import output
from autograder.batch.gradebook import Gradebook, code_hash
from autograder.batch.jobs import BatchError, GraderReply, Graders, Job, JobQueue, Setup, suite_key
from autograder.batch.pool import Pool, with_packages
from autograder.batch.progress_bar import ProgressBar
from autograder.batch.summary import BESIDES, Summary
from autograder.grading.grade import NOT_JUDGED
from autograder.grading.row import Key, PackedGrade
from autograder.parallel import Exceeded, in_order
from autograder.protocol.status import Status
from autograder.reports.similarity import NOT_COMPARED
from autograder.submission import HandIn, NothingToGrade, Submission, find_in_folder, lost, read
from autograder.submission.names import printable

KEEP_EVERY = 0.25
"""Seconds for which grades are gathered before they are kept and written, together: what is lost with a killed run is
graded again."""

SECONDS_TO_STOP = 0.5
"""How long a run that is asked to stop waits for submissions in progress. They are graded again by the run that goes
on."""


class _Stop(BaseException):
    """What is still in progress is not waited for."""


@dataclass(frozen=True)
class RunConfiguration:
    """What was asked for."""

    folder: Path
    out: Path
    assignment: str | None = None
    jobs: int = 1
    scheduler: str | None = None
    disabled_locks: Collection[str] = ()
    """names of locks of the wall to leave off"""
    regrade: bool = False
    table: bool = False
    """whether every submission is listed at the end, however many there are"""

    @property
    def command(self) -> str:
        """The command that goes on where this run stopped."""
        own = Path(sys.executable).with_name("autograder")  # beside this Python, which is seldom on the PATH
        near = os.path.relpath(own) if own.is_relative_to(Path.cwd()) else str(own)
        program = near if own.is_file() else "autograder"
        words = [program, "grade", str(self.folder), "--out", str(self.out), "--jobs", str(self.jobs)]
        words += ["--assignment", self.assignment] if self.assignment else []
        words += ["--scheduler", self.scheduler] if self.scheduler else []
        words += ["--isolation", "none"] if self.disabled_locks else []
        words += ["--table"] if self.table else []
        return shlex.join(words)


def grade(configuration: RunConfiguration, console: Console | None = None) -> Summary:
    """Grade everything in a folder into OUT, on this machine or on a cluster.

    Raises NothingToGrade, and BatchError with a sentence where the run cannot go on; what was graded by then is kept.
    """
    return _ClassRun(configuration, console or Console(quiet=True)).all()


class _ClassRun:
    """One run of a batch."""

    def __init__(self, configuration: RunConfiguration, console: Console) -> None:
        self.configuration = configuration
        self.console = console
        self.summary = Summary()
        self.assignments = {assignment.name: assignment for assignment in course.assignments()}
        self.lost: dict[Key, str] = {}
        """why graders ended over a job, while it is not settled whether that is the job's fault"""
        self.fresh: list[tuple[Key, PackedGrade, str]] = []
        """grades that have come and are not kept yet"""

    def all(self) -> Summary:
        begin = time.monotonic()
        configuration = self.configuration
        known = list(self.assignments)
        handed_in = find_in_folder(configuration.folder, configuration.assignment, known, configuration.out)
        self.summary.layout, self.summary.skipped = str(handed_in.layout), list(handed_in.passed_over)
        submissions = self._read(handed_in.hand_ins)
        begun = [*islice(submissions, 1)]  # what cannot be graded at all leaves no gradebook behind
        with Gradebook.writing(configuration.out) as self.book:
            self._take_in(chain(begun, submissions))
            self._grade(self.book.to_grade())
            self._write()
            self.summary.seconds = time.monotonic() - begin
            most = sys.maxsize if configuration.table else self.console.height - BESIDES
            self.summary.complete(self.book, self._stubs(), most)
        self.summary.show(self.console)
        if waiting := self.summary.waiting:
            self.console.print(f"{waiting} not graded yet. To go on:\n  {configuration.command}", soft_wrap=True)
        else:
            names = ", ".join(str(configuration.out / name) for name in ("report.html", "grades.csv", "feedback/"))
            self.console.print(f"Results: {names}", markup=False, highlight=False, soft_wrap=True)
        return self.summary

    def _read(self, hand_ins: Sequence[HandIn]) -> Iterator[Submission]:
        """All submissions. What cannot be read within bounds is a row all the same.

        Raises NothingToGrade where of none it can be told which file is meant, or for which assignment: no class hands
        in so.
        """
        unclear: list[Submission] | None = []  # as long as there is nothing else
        outcomes = in_order(partial(read, known=tuple(self.assignments)), hand_ins)
        for hand_in, outcome in zip(hand_ins, outcomes, strict=True):
            submissions = lost(hand_in, outcome.why) if isinstance(outcome, Exceeded) else outcome
            if unclear is not None:
                clear = any(row.assignment and not (row.problem and row.problem.is_unclear) for row in submissions)
                unclear += submissions
                submissions, unclear = unclear, None if clear else unclear
            if unclear is None:
                yield from submissions
        if unclear:
            submission = unclear[0]
            folder = printable(str(self.configuration.folder), 200)
            why = submission.problem.instructor if submission.problem else ""
            raise NothingToGrade(
                f"Nothing in {folder} can be graded as it lies there, {printable(submission.file)} for one. {why}"
            )

    def _take_in(self, submissions: Iterator[Submission]) -> None:
        with self.console.status("Reading what was handed in"):
            locks = self.configuration.disabled_locks
            suites = {name: suite_key(assignment, locks) for name, assignment in self.assignments.items()}
            taken = self.book.take_in(submissions, suites, os.path.realpath(self.configuration.folder))
        self.summary.taken = taken
        if self.configuration.regrade:
            self.book.forget(taken.assignments)
        gone = [row for row in self.book.rows(written=1) if not output.are_there(self.book.out, row)]
        self.book.mark_written(gone, False)

    def _grade(self, to_grade: dict[Key, int]) -> None:
        """Grade all of these: a key and how many submissions share it."""
        if not to_grade:
            return
        total = sum(to_grade.values())
        queue = JobQueue(to_grade, self._job)
        keep_at = time.monotonic() + KEEP_EVERY
        graders = self._graders(len(to_grade))
        try:
            with (
                suppress(_Stop),
                ProgressBar(self.console, total) as progress,
                closing(graders),
                self._interruptible(queue),
            ):
                for job, answer in graders.answers(queue, meanwhile=self._keep):
                    if job.probe_of is not None:
                        self._probed(queue, job.probe_of, answer)
                    elif answer.grade is not None:
                        self.fresh.append((job.key, answer.grade, self.lost.get(job.key, "")))
                        progress.graded(answer.grade.status, to_grade[job.key])
                    else:
                        self._probe(queue, job, answer)
                    if time.monotonic() >= keep_at:
                        self._keep()
                        keep_at = time.monotonic() + KEEP_EVERY
        finally:
            self._keep()
        self.summary.graded = progress.done
        self.summary.waiting = total - progress.done

    def _job(self, key: Key) -> Job:
        if (problem := self.book.problem(key)) is not None:
            return Job(key, refusal=(Status.UNREADABLE, problem))
        return Job(key, self.book.cells(key.code))

    def _probe(self, queue: JobQueue, job: Job, answer: GraderReply) -> None:
        """No grader could judge this: see first whether one can judge the reference solution.

        If that fails as well, the fault is this machine's or the course's, and no submission is blamed for it.
        """
        self.lost[job.key] = answer.lost
        solution = self.assignments[job.key.assignment].solution.read_text("utf-8")
        queue.put_first(Job(job.key, (solution,), probe_of=job))

    def _probed(self, queue: JobQueue, job: Job, answer: GraderReply) -> None:
        grade = answer.grade
        if grade is None or grade.score != grade.max_score:
            result = answer.lost if grade is None else f"{grade.score:g} of {grade.max_score:g} points"
            raise BatchError(
                f"a submission could not be graded ({self.lost[job.key]}), and neither can the solution of"
                f" {job.key.assignment} ({result}): `autograder doctor` may say why; nobody's grade was changed, and"
                " the same command goes on"
            )
        queue.put_first(Job(job.key, refusal=(Status.KILLED, NOT_JUDGED)))

    def _keep(self) -> None:
        """What has come goes into the gradebook, then into the folders of all students who share it."""
        if not self.fresh:
            return
        self.book.add(self.fresh)
        output.write_rows(self.book, [row for key, _, _ in self.fresh for row in self.book.rows(**key._asdict())])
        self.fresh.clear()

    def _graders(self, jobs: int) -> Graders:
        configuration = self.configuration
        if configuration.scheduler is None:
            return Pool(min(configuration.jobs, jobs), Setup(configuration.disabled_locks))
        try:
            from autograder.batch.cluster import Cluster
        except ModuleNotFoundError as error:
            raise BatchError("--scheduler needs Dask: install the autograder with its [cluster] extra") from error
        setup = Setup(configuration.disabled_locks, prove_wall=not configuration.disabled_locks)
        return Cluster(configuration.scheduler, setup, self.console)

    @contextmanager
    def _interruptible(self, queue: JobQueue) -> Iterator[None]:
        """A first Ctrl-C, or a cluster's notice to leave, waits a moment for what is in progress; a second one does
        not."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)

        def stop(number: int, frame: FrameType | None) -> None:
            if queue.stopped:
                for every in signals:
                    signal.signal(every, signal.SIG_IGN)
                raise _Stop
            queue.stopped = True
            signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_STOP)
            self.console.print("Stopping: nothing more is begun.")

        before = {number: signal.signal(number, stop) for number in signals}
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _write(self) -> None:
        """Everything under OUT that this run has not written on the way."""
        output.update(self.book)
        if self.summary.waiting:
            return  # the report would keep whoever pressed Ctrl-C waiting; the run that goes on writes it
        output.remove_withdrawn(self.book)
        if not output.report_is_current(self.book.out):
            self._postprocess()

    def _postprocess(self) -> None:
        with self.console.status("Comparing what was handed in, and writing the report"):
            command = [sys.executable, "-P", "-m", "autograder.batch.postprocessing", str(self.configuration.out)]
            ended = subprocess.run(
                command, env=with_packages(), stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
        for line in dict.fromkeys(ended.stderr.splitlines()):
            if line.startswith(NOT_COMPARED):
                self.console.print(printable(line, 200), markup=False, soft_wrap=True)
        if ended.returncode:
            *_, why = ended.stderr.strip().splitlines() or [f"it ended with exit code {ended.returncode}"]
            self.console.print(f"The report is not up to date: {printable(why, 300)}", markup=False, soft_wrap=True)

    def _stubs(self) -> set[str]:
        """The codes of unchanged stubs."""
        stubs = [assignment.stub for assignment in self.assignments.values() if assignment.stub.is_file()]
        return {code_hash(Submission("", "", "", "", (stub.read_text("utf-8"),))) for stub in stubs}
