"""A grader process: one warm grader that takes job after job until the coordinator hangs up.

Run as `python -m autograder.batch.grader_process DESCRIPTOR FOLDER`. Anything that goes wrong in here other than a
submission's own failure ends the process, since what a failed run leaves behind is not to be trusted; the coordinator
starts another.
"""

from __future__ import annotations

import functools
import resource
import shutil
import sys
import tempfile
from multiprocessing.connection import Connection

from autograder import course
from autograder.batch.jobs import GraderReply, Job, Setup, suite_key
from autograder.grading.grader import Grader
from autograder.grading.row import PackedGrade

MEMORY = 4 << 30
"""Address space of a grader: a plain value that tests blow up into gigabytes fails its test and nothing else."""


def main(descriptor: str, folder: str) -> None:
    """Serve until the other end is closed. Temporary files go into `folder`."""
    tempfile.tempdir = folder
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    coordinator: Connection = Connection(int(descriptor))
    try:
        setup: Setup = coordinator.recv()
        refused = _wall_is_down() if setup.prove_wall else ""
        if refused:
            coordinator.send(GraderReply(refused=refused))
            return
        with Grader(setup.disabled_locks) as grader:
            coordinator.send(GraderReply())
            _serve(coordinator, grader, setup)
    except (EOFError, ConnectionError):
        # The coordinator has hung up, or is gone and can remove nothing any more.
        shutil.rmtree(folder, ignore_errors=True)


def _serve(coordinator: Connection, grader: Grader, setup: Setup) -> None:
    while True:
        job: Job = coordinator.recv()
        answer = _answer(grader, job, setup)
        coordinator.send(answer)
        if answer.grade is None:
            return


def _answer(grader: Grader, job: Job, setup: Setup) -> GraderReply:
    try:
        assignment = _assignment(job.key.assignment)
        if suite_key(assignment, setup.disabled_locks) != job.key.suite:
            return GraderReply(refused=f"it has another version of {assignment.name}'s suite or of the autograder")
        grade = grader.grade(assignment, job.cells) if job.refusal is None else grader.refuse(assignment, *job.refusal)
        return GraderReply(PackedGrade.of(grade, assignment.name, job.cells))
    except Exception as error:
        return GraderReply(lost=f"{type(error).__name__}: {error}")


# Once, as its suite is collected once: its hash is then that of the suite that judges.
_assignment = functools.cache(course.find)


def _wall_is_down() -> str:
    from autograder.sandbox import self_test

    try:
        self_test.require()
    except self_test.BrokenPromise as error:
        return f"the wall does not hold there: {error}"
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
