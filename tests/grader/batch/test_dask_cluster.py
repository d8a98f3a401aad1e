"""Tests of grading on a Dask cluster: a real scheduler and real worker processes, on this machine's loopback
interface.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from autograder import course
from autograder.batch import run, workers
from autograder.batch.gradebook import Gradebook
from autograder.course import BatchError
from tests.grader.support import classroom

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="the [cluster] extra is not installed")

NAME = "sinusoidal"


class LoopbackCluster:
    """A Dask scheduler in this process, and its workers, each in a separate process."""

    def __init__(self, folder: Path) -> None:
        from distributed import LocalCluster

        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.scheduler = LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None)
        self.address: str = self.scheduler.scheduler_address

    def add(self, name: str) -> None:
        """Start another worker."""
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--name", name, "--nthreads", "1"]
        command += ["--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        environment = os.environ | {"PYTHONPATH": str(course.ROOT)}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        while name not in {worker.name for worker in [*self.scheduler.scheduler.workers.values()]}:
            assert self.processes[name].poll() is None
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        self.processes[name].kill()

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.scheduler.close()


def run_once_when_graded(monkeypatch: pytest.MonkeyPatch, number: int, do: Callable[[], None]) -> None:
    """Call `do` once, as soon as `number` grades have been stored."""
    add, kept = Gradebook.add, []

    def add_and_do(*grade: Any) -> None:
        add(*grade)
        kept.append(grade)
        if len(kept) == number:
            do()

    monkeypatch.setattr(Gradebook, "add", add_and_do)


def test_a_cluster_grades_as_this_machine_does_and_may_lose_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the cluster has no workers, the command prints a one-sentence message. Killing one of two busy workers changes
    no grade."""
    kinds = [classroom.right, classroom.stops, classroom.ends_its_process, classroom.no_python]
    folder = tmp_path / "class"
    classroom.make(folder, NAME, 9, kinds, seed=22)
    run.grade([folder], tmp_path / "here")
    expected = classroom.grades(tmp_path / "here")
    assert {"graded", "killed", "import_error", "unreadable"} == {row["status"] for row in expected}
    with contextlib.closing(LoopbackCluster(tmp_path)) as cluster:
        with monkeypatch.context() as patch, pytest.raises(BatchError, match="no Dask scheduler with a worker answers"):
            patch.setattr(workers, "FIRST_DASK_WORKER_TIMEOUT_SECONDS", 1.0)
            run.grade([folder], tmp_path / "there", scheduler=cluster.address)
        for name in ("one", "two"):
            cluster.add(name)
        run_once_when_graded(monkeypatch, 4, lambda: cluster.kill("one"))
        run.grade([folder], tmp_path / "there", scheduler=cluster.address)
        assert cluster.processes["one"].poll() is not None
        assert classroom.grades(tmp_path / "there") == expected


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense"])
def test_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """If no scheduler answers, the command stops with a one-sentence message before it grades anything."""
    monkeypatch.setattr(workers, "DASK_CONNECT_TIMEOUT_SECONDS", 1.0)
    classroom.make(tmp_path / "class", NAME, 1, [classroom.right])
    with pytest.raises(BatchError, match="no Dask scheduler with a worker answers at"):
        run.grade([tmp_path / "class"], tmp_path / "out", scheduler=address)
