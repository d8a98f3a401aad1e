"""Warm graders and readers, for batch tests that are not about the start and end of processes.

In batch tests, graders stay alive from one batch to the next, graders and readers are forks of a loaded process, and
the submissions of a class are compared in this process. Tests of the command use separate processes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from autograder import bounded_processes
from autograder.batch import run
from autograder.batch.workers import GraderSetup, Processes

PRELOADED_MODULES = [
    "autograder.grading.grader",
    "autograder.reports.similarity",
    "tests.grader.support.interrupted_runs",
    "tests.grader.support.limit_breakers",
]
"""Modules that the processes of batch tests need."""

_warm: dict[tuple[int, object], Processes] = {}


class WarmProcesses(Processes):
    """Processes of a batch that keep running when the batch ends."""

    def close(self) -> None:
        pass


def _taken(size: int, setup: GraderSetup) -> Processes:
    key = size, setup.disabled_locks
    if key not in _warm:  # a pool that has ended restarts with its next job
        _warm[key] = WarmProcesses(size, setup)
    return _warm[key]


@pytest.fixture(scope="session", autouse=True)
def warm_graders() -> Iterator[None]:
    """Make all batches that this process starts share one set of worker processes."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(PRELOADED_MODULES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Processes", _taken)
        patch.setattr(bounded_processes, "multiprocessing", SimpleNamespace(get_context=lambda _: forking))
        patch.setattr(bounded_processes, "run_in_subprocess", lambda function, *arguments: function(*arguments))
        yield
    for processes in _warm.values():
        Processes.close(processes)
