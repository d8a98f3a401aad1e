"""The Makefile: what comes from outside is a value, whatever stands in it, and never a command."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autograder import course

# A command that prints its arguments, each on a line, in the place of ours.
PRINTS = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
HOSTILE = [
    "a`touch gotcha`.py",
    "a$(touch gotcha).py",
    "$(shell touch gotcha).py",
    "${shell touch gotcha}.py",
    'a"; touch gotcha; ".py',
    "a'; touch gotcha; '.py",
    "a; touch gotcha #.py",
    "a | touch gotcha",
    "a\ntouch gotcha",
    "a\\",
    "$$(touch gotcha)",
    "$(error gotcha)",
    "--help",
    "-n",
    "two  words   .py",
    "$HOME.py",
    "%s * ? ~ {a,b}",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The Makefile in a folder that is set up, where every command of .venv prints its arguments."""
    for name in ("Makefile", "requirements.lock", "requirements-grading.lock", "pyproject.toml"):
        shutil.copy(course.ROOT / name, tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name in ("autograder", "python"):
        (tmp_path / ".venv" / "bin" / name).write_text(PRINTS)
        (tmp_path / ".venv" / "bin" / name).chmod(0o755)
    for name in ("packages", "ready"):
        (tmp_path / ".venv" / name).touch()
    return tmp_path


def run(folder: Path, *words: str, **values: str) -> subprocess.CompletedProcess[str]:
    """`make` with these words, and with these values alone in its environment: nothing of a make that runs the
    tests."""
    outside = {"PATH": os.environ["PATH"], "HOME": str(folder)} | values
    return subprocess.run(["make", *words], cwd=folder, env=outside, capture_output=True, text=True, check=False)


def make(folder: Path, target: str, as_argument: bool, **values: str) -> list[str]:
    """The arguments that a target's command gets, from `make NAME=value` or from the environment."""
    words = [f"{name}={value}" for name, value in values.items()] if as_argument else []
    done = run(folder, target, *words, **({} if as_argument else values))
    assert not (folder / "gotcha").exists(), values
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


@pytest.mark.parametrize("as_argument", [True, False], ids=["make NAME=value", "environment"])
@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_from_outside_is_a_value(folder: Path, value: str, as_argument: bool) -> None:
    """In every variable of every target that takes one: it arrives letter by letter, and nothing in it is run."""
    lines = value.split("\n")
    assert make(folder, "check", as_argument, FILE=value) == ["check", "--", *lines]
    assert make(folder, "check", as_argument, FILE="rope.py", ASSIGNMENT=value) == [
        "check",
        "--assignment",
        *lines,
        "--",
        "rope.py",
    ]
    assert make(folder, "check", as_argument, ASSIGNMENT=value)[2:] == lines
    graded = make(folder, "grade", as_argument, SUBMISSIONS=value, OUT=value, ASSIGNMENT=value, JOBS=value)
    assert graded == ["grade", "--out", *lines, "--assignment", *lines, "--jobs", *lines, "--", *lines]
    assert make(folder, "autograder", as_argument, ASSIGNMENT=value) == ["build", *lines]
    (folder / "dist" / "course").mkdir(parents=True, exist_ok=True)
    assert make(folder, "lesson", as_argument, ASSIGNMENT=value)[2:] == [*lines, "--page"]
    for target in ("mutants", "causes"):
        assert make(folder, target, as_argument, ASSIGNMENT=value)[2:] == lines


@pytest.mark.parametrize("as_argument", [True, False], ids=["make NAME=value", "environment"])
@pytest.mark.parametrize("value", HOSTILE)
def test_it_is_a_value_in_the_handout_too(folder: Path, value: str, as_argument: bool) -> None:
    shutil.copy(course.PACKAGE / "handout" / "template" / "Makefile.template", folder / "Makefile")
    (folder / "requirements.txt").touch()
    (folder / ".venv" / "ready").touch()
    for target, option in {"check": [], "watch": ["--watch"], "lesson": ["--page"]}.items():
        assert make(folder, target, as_argument, ASSIGNMENT=value)[2:] == [*value.split("\n"), *option]


@pytest.mark.parametrize("value", [*HOSTILE, "x; touch gotcha"])
def test_a_lock_is_one_of_the_two(folder: Path, value: str) -> None:
    """Its name stands in a rule of make's own."""
    assert make(folder, "doctor", True, LOCK=value) == []
    assert make(folder, "doctor", False, LOCK=value) == []
    assert make(folder, "doctor", True, LOCK="requirements-grading.lock") != []


def test_what_is_not_given_is_left_out(folder: Path) -> None:
    assert make(folder, "grade", True) == ["grade", "--out", "results", "--", "tests/submissions"]
    assert make(folder, "check", True) == ["-m", "autograder.checks"]
    assert make(folder, "grade", True, SUBMISSIONS="") == ["grade", "--out", "results", "--", ""]


@pytest.mark.parametrize(("code", "wanted"), [(0, 0), (1, 0), (2, 2), (3, 2)])
def test_a_submission_that_fails_is_no_error_of_make_s(folder: Path, code: int, wanted: int) -> None:
    """Wrong use and a wall that does not hold are."""
    (folder / ".venv" / "bin" / "autograder").write_text(f"#!/bin/sh\nexit {code}\n")
    done = run(folder, "check", "FILE=rope.py")
    assert done.returncode == wanted and ("Error" in done.stderr) == bool(wanted)


def installed(folder: Path, lock: str) -> Path:
    """The folder as after a setup from this lock; what a new setup would start with leaves a trace."""
    digest = hashlib.sha256((folder / lock).read_bytes()).hexdigest()
    (folder / ".venv" / "packages").write_text(f"{digest}  {lock}\n")
    (folder / "anew").write_text("#!/bin/sh\necho anew\nexit 1\n")
    (folder / "anew").chmod(0o755)
    return folder


def sets_up(folder: Path, *words: str) -> bool:
    done = run(folder, "setup", "PYTHON=./anew", *words)
    assert ("anew" in done.stdout) == bool(done.returncode)
    return done.returncode != 0


def test_packages_are_installed_again_only_when_the_lock_s_content_changed(folder: Path) -> None:
    """A checkout that touches the file changes nothing."""
    lock = installed(folder, "requirements.lock") / "requirements.lock"
    later = (folder / ".venv" / "packages").stat().st_mtime + 5
    os.utime(lock, (later, later))
    assert not sets_up(folder)
    lock.write_text(lock.read_text() + "# another\n")
    os.utime(lock, (later + 5, later + 5))
    assert sets_up(folder)


def test_the_lock_stays_the_one_that_was_named_until_another_is(folder: Path) -> None:
    """What needs all packages says how they come."""
    installed(folder, "requirements-grading.lock")
    assert not sets_up(folder) and sets_up(folder, "LOCK=requirements.lock")
    for target in ("lint", "test", "figures"):
        done = run(folder, target)
        assert done.returncode and "make setup LOCK=requirements.lock" in done.stdout
    assert run(installed(folder, "requirements.lock"), "test").returncode == 0
