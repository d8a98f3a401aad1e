"""Grader processes that go on from one batch to the next, for tests of what a batch does and not of how its graders start and end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import pytest

from autograder.batch import pool
from autograder.batch.jobs import Setup
from autograder.batch.pool import GraderProcess

_AT_REST: list[WarmGrader] = []


class WarmGrader(GraderProcess):
    """Is put aside where a run ends it while it has nothing in progress."""

    @property
    def rests(self) -> bool:
        return self.ready and self.job is None and self._process.poll() is None

    def hang_up(self) -> None:
        if not self.rests:
            super().hang_up()

    def end(self) -> None:
        if self.rests:
            _AT_REST.append(self)
        else:
            super().end()


def _taken(setup: Setup, core: int | None = None) -> WarmGrader:
    """One that rests and was set up so, or a new one."""
    for grader in _AT_REST:
        if grader.setup == setup:
            _AT_REST.remove(grader)
            grader.core = core
            if core is not None:
                os.sched_setaffinity(grader._process.pid, {core})
            return grader
    return WarmGrader(setup, core)


@pytest.fixture(scope="session", autouse=True)
def warm_graders() -> Iterator[None]:
    """Batches that run in this process share their graders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "GraderProcess", _taken)
        yield
    for grader in _AT_REST:
        with contextlib.suppress(OSError):
            super(WarmGrader, grader).hang_up()
            super(WarmGrader, grader).end()


@pytest.fixture
def cold_graders(monkeypatch: pytest.MonkeyPatch) -> None:
    """This test's batch starts graders of its own, and ends them."""
    monkeypatch.setattr(pool, "GraderProcess", GraderProcess)
