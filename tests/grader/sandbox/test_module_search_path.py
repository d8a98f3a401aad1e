"""Tests of the module search path: no command imports a module from a folder where students choose the file
names. The working folder contains a file named after every module of the standard library, of the course and
of its libraries, and each file leaves a mark if it is imported."""

from __future__ import annotations

import csv
import functools
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.module_search_path import use_safe_path
from autograder.sandbox import self_test
from tests.grader.support.classroom import right
from tests.grader.support.student_folders import archive_of, put

pytestmark = pytest.mark.long

STUDENT = "mallory_rope"
"""Name of the submission in the folder with the misleading modules."""


@functools.cache
def module_names() -> list[str]:
    """Return the names of all modules that a file can replace."""
    names = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions(), "sitecustomize", "conftest"}
    return sorted(name for name in names if name.isidentifier() and name not in sys.builtin_module_names)


def marking_module(mark: Path) -> str:
    """Return the source of a module that appends its name to the file `mark` when it is imported."""
    return f"open({str(mark)!r}, 'a').write(__name__ + '\\n')\n"


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """File that lists every module imported from the student's folder."""
    return tmp_path / "mark"


@pytest.fixture
def folder(tmp_path: Path, mark: Path) -> Path:
    """Student's folder with a correct submission for rope and a file for every module name."""
    folder = tmp_path / "handed_in"
    put(folder, {f"{name}.py": marking_module(mark) for name in module_names()} | {f"{STUDENT}.py": right("rope", 0)})
    return folder


def run(folder: Path, *command: str) -> str:
    """Return the output of a command from this environment, started in the folder."""
    program, *arguments = command
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    path = Path(sys.executable).with_name(program)
    done = subprocess.run(
        [path, *arguments], cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def otter_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Zip for `otter run`, built in a folder with a file for every module name."""
    folder = tmp_path_factory.mktemp("build")
    put(folder / "files", {f"{name}.py": marking_module(folder / "mark") for name in module_names()})
    run(folder / "files", "autograder", "build", "rope", "--out", str(folder))
    assert not (folder / "mark").exists(), (folder / "mark").read_text()
    return folder / "rope.zip"


def test_a_class_is_graded(folder: Path, mark: Path, tmp_path: Path) -> None:
    run(folder, "autograder", "grade", ".", "--out", str(tmp_path / "out"))
    assert not mark.exists(), mark.read_text()
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        scores = {row["file"]: row["score"] for row in csv.DictReader(file)}
    assert len(scores) > len(module_names()) / 2 and float(scores[f"{STUDENT}.py"]) == 20


def test_a_submission_is_checked(folder: Path, mark: Path) -> None:
    assert json.loads(run(folder, "autograder", "check", f"{STUDENT}.py", "--json"))["score"] == 20
    assert not mark.exists(), mark.read_text()


def test_the_sandbox_is_tried(folder: Path, mark: Path) -> None:
    run(folder, "autograder", "doctor")
    assert not mark.exists(), mark.read_text()


def test_otter_runs_a_file_named_like_a_module(otter_zip: Path, folder: Path, mark: Path, tmp_path: Path) -> None:
    """Otter puts a single file into the same folder as the files of a zip, and accepts only one Python file."""
    submission = tmp_path / "submission.zip"
    packages = {f"{name}/__init__.py": marking_module(mark) for name in module_names() if name != "socket"}
    end = f"\ntry:\n    {marking_module(mark)}except OSError:\n    pass  # in the sandbox\n"
    submission.write_bytes(archive_of({"socket.py": right("rope", 0) + end} | packages))
    run(folder, "otter", "run", "-a", str(otter_zip), "-o", str(tmp_path), str(submission))
    assert not mark.exists(), mark.read_text()
    assert sum(test.get("score", 0) for test in json.loads((tmp_path / "results.json").read_text())["tests"]) == 20


@pytest.mark.parametrize("entries", ["", ".", "files", ":{folder}", "{folder}:"])
def test_no_relative_entry_of_a_path_is_handed_on(
    entries: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = entries.format(folder=tmp_path)
    monkeypatch.setenv("PYTHONPATH", entries)
    monkeypatch.setattr(sys, "path", [*entries.split(":"), *sys.path])
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    use_safe_path()
    program = "import sys; print(*sys.path, sep='\\n')"
    path_entries = subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path, text=True).splitlines()
    assert all(map(os.path.isabs, [*path_entries, *sys.path]))
    assert (str(tmp_path) in path_entries) == (str(tmp_path) in entries)


def test_the_self_test_sees_a_path_that_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setattr(self_test, "use_safe_path", lambda: None)
    broken = [finding for finding in self_test.examine() if not finding.held]
    assert [finding.promise for finding in broken] == ["is never imported by the programs that read or grade it"]
    assert "socket.py" in broken[0].breach
