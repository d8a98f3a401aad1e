"""The same batch on a Dask cluster: a real scheduler and real worker processes, on this machine's loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder import course
from autograder.batch import run, workers
from autograder.batch.gradebook import Gradebook
from autograder.batch.workers import BatchError
from tests.grader.support import classroom, interrupted

distributed = pytest.importorskip("distributed", reason="the [cluster] extra is not installed")

NAME = "sinusoidal"
NEVER = 1e6
"""Seconds, where Dask wants to be told when to give up."""


class LoopbackCluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        told = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
        self.client = distributed.Client(scheduler_file=str(told), timeout=NEVER, set_as_default=False)
        self.address: str = self.client.scheduler.address

    def add(self, name: str, root: Path = course.ROOT) -> None:
        """One more worker, which runs the course that lies in `root`."""
        options = ["--name", name, "--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        self._start("worker", self.address, *options, root=root, name=name)
        while name not in {one["name"] for one in self.client.scheduler_info(n_workers=-1)["workers"].values()}:
            assert self.processes[name].poll() is None
            time.sleep(0.1)

    def _start(self, program: str, *arguments: str, root: Path = course.ROOT, name: str = "scheduler") -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments, "--no-dashboard"]
        environment = os.environ | {"PYTHONPATH": str(root)}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        self.processes[name].kill()

    def close(self) -> None:
        self.client.close()
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    """A cluster of two workers, which the tests share until one of them kills it."""
    started = LoopbackCluster(tmp_path_factory.mktemp("cluster"))
    for name in ("one", "two"):
        started.add(name)
    yield started
    started.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, str]]]:
    """A class, and its grades from a run without a cluster."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    kinds = [classroom.right, classroom.unfinished, classroom.stops, classroom.ends_its_process, classroom.no_python]
    classroom.make(folder, NAME, 9, kinds, seed=22)
    run.grade([folder], out, jobs=2)
    return folder, classroom.grades(out)


def grade(folder: Path, out: Path, address: str) -> None:
    run.grade([folder], out, scheduler=address)


def test_the_same_grades_as_here(
    large: tuple[Path, list[dict[str, str]]], two_workers: LoopbackCluster, tmp_path: Path
) -> None:
    """Two workers, and a wall on each: what ends its process costs itself alone."""
    folder, wanted = large
    grade(folder, tmp_path, two_workers.address)
    assert classroom.grades(tmp_path) == wanted
    assert {"graded", "killed", "import_error", "unreadable"} == {row["status"] for row in wanted}


def test_an_interrupted_run_leaves_the_cluster_and_goes_on(
    large: tuple[Path, list[dict[str, str]]], two_workers: LoopbackCluster, tmp_path: Path
) -> None:
    """Ctrl-C ends the command with exit code 130; the same command goes on, on the same workers."""
    folder, wanted = large
    where = ("--scheduler", two_workers.address)
    process = interrupted.grade_until(signal.SIGINT, 2, "kept", folder, tmp_path, *where)
    printed, _ = process.communicate()
    assert process.returncode == 130, printed
    assert "Traceback" not in printed
    with Gradebook.reading(tmp_path) as book:
        assert 0 < sum(row.packed is not None for row in book.rows()) < len(wanted)
    grade(folder, tmp_path, two_workers.address)
    assert classroom.grades(tmp_path) == wanted


def when_graded(monkeypatch: pytest.MonkeyPatch, number: int, do: Callable[[], None]) -> None:
    """Do something once that many grades have been kept, each as it comes: a fast machine would have graded all."""
    add, kept = Gradebook.add, []

    def add_and_do(self: Gradebook, graded: list[object]) -> None:
        add(self, graded)  # type: ignore[arg-type]
        before = len(kept)
        kept.extend(graded)
        if before < number <= len(kept):
            do()

    monkeypatch.setattr(Gradebook, "add", add_and_do)
    monkeypatch.setattr(run, "KEEP_EVERY", 0.0)


def test_a_lost_worker_loses_nothing(
    large: tuple[Path, list[dict[str, str]]],
    two_workers: LoopbackCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of two is killed in the middle, with what it had in progress."""
    folder, wanted = large
    when_graded(monkeypatch, 4, lambda: two_workers.kill("one"))
    grade(folder, tmp_path, two_workers.address)
    assert two_workers.processes["one"].poll() is not None
    assert classroom.grades(tmp_path) == wanted


def test_a_lost_scheduler_loses_nothing(
    large: tuple[Path, list[dict[str, str]]],
    two_workers: LoopbackCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run ends with a sentence, and goes on where it was: here, without a cluster."""
    folder, wanted = large
    when_graded(monkeypatch, 4, lambda: two_workers.kill("scheduler"))
    with pytest.raises(BatchError, match="the graders are gone"):
        grade(folder, tmp_path, two_workers.address)
    monkeypatch.undo()
    summary = run.grade([folder], tmp_path, jobs=2)
    assert summary.reused >= 4
    assert classroom.grades(tmp_path) == wanted


def test_a_cluster_that_cannot_grade_is_one_sentence(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a worker; with one that has another suite; with one whose wall is down, for every worker proves its own
    before it grades anything."""
    root = classroom.copy_of_the_course(tmp_path)
    suite, self_test = root / "tests" / "hidden" / f"test_{NAME}.py", root / "autograder" / "sandbox" / "self_test.py"
    with contextlib.closing(LoopbackCluster(tmp_path)) as cluster:
        with monkeypatch.context() as patch, pytest.raises(BatchError, match="no Dask scheduler with a worker answers"):
            patch.setattr(workers, "SECONDS_FOR_WORKERS", 1.0)
            grade(large[0], tmp_path / "out", cluster.address)
        for name, path, line, sentence in (
            ("last-year", suite, "# of last year\n", f"has another version of {NAME}'s suite"),
            ("open", self_test, WALL_IS_DOWN, "the wall does not hold on .*Landlock is off"),
        ):
            text = path.read_text("utf-8")
            path.write_text(f"{text}\n\n{line}", "utf-8")
            cluster.add(name, root)
            with pytest.raises(BatchError, match=sentence):
                grade(large[0], tmp_path / "out", cluster.address)
            cluster.kill(name)
            path.write_text(text, "utf-8")


WALL_IS_DOWN = "def require():\n    raise BrokenPromise('Landlock is off: switch it on')\n"


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense"])
def test_no_scheduler(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """One sentence, before anything is graded."""
    monkeypatch.setattr(workers, "SECONDS_TO_CONNECT", 1.0)
    with pytest.raises(BatchError, match="no Dask scheduler with a worker answers at"):
        grade(large[0], tmp_path, address)
