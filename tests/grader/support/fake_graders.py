"""Graders for batch tests, which run no student code. The score of a submission is a tenth of the number in its code.

Processes that are killed and started again load this module, so it imports little.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from autograder.batch import run, workers
from autograder.batch.run import REFERENCE_PSEUDO_HASH
from autograder.batch.workers import GraderSetup, Job
from autograder.protocol.failure_kinds import SubmissionStatus
from tests.grader.support.made_up_gradebooks import GRADE, packed

if TYPE_CHECKING:
    import pytest

POINTS_PER_NUMBER = 0.1
"""Points for each unit of the number in a submission."""


def whose(cells: Iterable[str]) -> list[str]:
    """Return the number in each line of the form `# student 12`."""
    return re.findall(r"^# (?:student|submission) (\d+)$", "\n".join(cells), re.MULTILINE)


def solved(number: int, function: str = "sinusoidal_encoding") -> str:
    """Return code that counts as implemented and names its author."""
    return f"# student {number}\ndef {function}(*given):\n    return {number}\n"


def grade_of(job: Job) -> bytes:
    status = SubmissionStatus.UNREADABLE if job.problem_message else SubmissionStatus.GRADED
    if job.machine_failure:
        status = SubmissionStatus.TIMEOUT if job.exceeded_grader_time else SubmissionStatus.KILLED
    if job.key.code == REFERENCE_PSEUDO_HASH:
        return packed(replace(GRADE, test_results=[]))
    number = whose(() if job.machine_failure else job.cells)
    return packed(replace(GRADE, score=POINTS_PER_NUMBER * int(number[0]) if number else 0.0, status=status))


class Direct:
    """Replacement for Processes."""

    size = 2

    def __init__(self, *_: object) -> None:
        pass

    def submit(self, job: Job) -> Future[bytes]:
        future: Future[bytes] = Future()
        future.set_result(grade_of(job))
        return future

    def close(self) -> None:
        pass


def run_in_this_process(patch: pytest.MonkeyPatch) -> None:
    """Let a batch run read and grade in this process, with these graders, and write no report."""
    patch.setattr(run, "Processes", Direct)
    patch.setattr(run.output_files, "is_report_current", lambda book: True)
    patch.setattr(run.bounded_processes, "map_bounded", map)


class Harmed(workers.Processes):
    """Real processes, killed or stopped as often as a submission requests, as in `# killed 2` or `# stopped 1`."""

    marks = Path()  # a folder

    def submit(self, job: Job) -> Future[bytes]:
        self.setup = GraderSetup(run=str(self.marks))
        with mock.patch.object(workers, "_grade", _harmed):
            return super().submit(job)


def _harmed(job: Job, setup: GraderSetup) -> bytes:
    code = "" if job.machine_failure else "\n".join(job.cells)
    for what, often in re.findall(r"^# (killed|stopped) (\d+)$", code, re.MULTILINE):
        with (Path(setup.run) / f"{what}.{often}").open("a") as file:
            file.write(".")
            if file.tell() <= int(often):
                file.flush()
                time.sleep(0.1)  # no grader ends before its job is known
                os.kill(os.getpid(), signal.SIGKILL if what == "killed" else signal.SIGSTOP)
    return grade_of(job)
