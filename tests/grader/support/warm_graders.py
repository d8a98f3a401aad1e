"""What batches start, at hand, for tests of what a batch does and not of how its processes start and end.

Graders go on from one batch to the next, they and the processes that read submissions are forked from one that has
loaded what they need, and a class is compared here. The tests of the command see all of them in processes of their own.
"""

from __future__ import annotations

import contextlib
import io
import math
import multiprocessing
import os
import subprocess
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from autograder import parallel
from autograder.batch import coordinator, pool
from autograder.batch.jobs import Setup
from autograder.batch.pool import GraderProcess

_AT_REST: list[WarmGrader] = []


class WarmGrader(GraderProcess):
    """Is put aside where a run ends it while it has nothing in progress."""

    @property
    def rests(self) -> bool:
        return self.ready and self.since == math.inf and self._process.poll() is None

    def kill(self) -> None:
        if not self.rests:
            super().kill()

    def end(self) -> None:
        if self.rests:
            _AT_REST.append(self)
        else:
            super().end()


def _taken(request: pytest.FixtureRequest, setup: Setup, core: int | None = None) -> WarmGrader:
    """One that rests and was set up so, or a new one."""
    for grader in _AT_REST:
        if grader.setup == setup:
            _AT_REST.remove(grader)
            grader.core = core
            if core is not None:
                os.sched_setaffinity(grader._process.pid, {core})
            return grader
    quick = str(request.getfixturevalue("quick_python"))
    with mock.patch.object(pool, "sys", SimpleNamespace(executable=quick)):
        return WarmGrader(setup, core)


def _compared_here(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
    """What `python -m autograder.batch.postprocessing OUT` does and says."""
    from autograder.batch.postprocessing import write_report, write_similarity
    from autograder.reports.similarity import course_parties

    out, said, status = Path(command[-1]), io.StringIO(), 0
    with contextlib.redirect_stderr(said):
        try:
            write_similarity(out, course_parties())
            write_report(out)
        except Exception:
            traceback.print_exc()
            status = 1
    return subprocess.CompletedProcess(command, status, "", said.getvalue())


@pytest.fixture(scope="session", autouse=True)
def warm_graders(request: pytest.FixtureRequest) -> Iterator[None]:
    """Batches that run in this process share their processes."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(["autograder.submission", "autograder.reports.similarity"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "GraderProcess", partial(_taken, request))
        patch.setattr(parallel, "multiprocessing", SimpleNamespace(get_context=lambda _: forking))
        patch.setattr(coordinator, "subprocess", SimpleNamespace(run=_compared_here, DEVNULL=subprocess.DEVNULL))
        yield
    for grader in _AT_REST:
        with contextlib.suppress(OSError):
            super(WarmGrader, grader).end()


@pytest.fixture
def cold_graders(monkeypatch: pytest.MonkeyPatch) -> None:
    """This test's batch starts processes of its own, and ends them."""
    monkeypatch.setattr(pool, "GraderProcess", GraderProcess)
    monkeypatch.setattr(parallel, "multiprocessing", multiprocessing)
    monkeypatch.setattr(coordinator, "subprocess", subprocess)
