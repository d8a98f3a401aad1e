"""Tests of the Makefile and make.sh: user-supplied values are never run as commands."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from autograder import course

# Replacement for a command, which prints each argument on a separate line
PRINT_ARGUMENTS = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
HOSTILE = [
    *("a`touch gotcha`.py", "a$(touch gotcha).py", "$(shell touch gotcha).py", "${shell touch gotcha}.py"),
    *('a"; touch gotcha; ".py', "a'; touch gotcha; '.py", "a; touch gotcha #.py", "a | touch gotcha"),
    *("a\ntouch gotcha", "a\\", "$$(touch gotcha)", "$(error gotcha)", "--help", "-n", "two  words   .py", "$HOME.py"),
    "%s * ? ~ {a,b}",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the Makefile and a finished setup, in which commands in .venv only print their
    arguments."""
    for name in ("Makefile", "make.sh", "requirements.lock", "requirements-grading.lock", "pyproject.toml"):
        shutil.copy(course.ROOT / name, tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "dist" / "handout" / "course").mkdir(parents=True)
    for name in ("autograder", "python", "ruff", "mypy"):
        (tmp_path / ".venv" / "bin" / name).write_text(PRINT_ARGUMENTS)
        (tmp_path / ".venv" / "bin" / name).chmod(0o755)
    return installed(tmp_path, "requirements.lock")


def installed(folder: Path, lock: str) -> Path:
    """Record that the folder was set up with the specified lock file, and make any further setup print a line and
    fail."""
    digest = hashlib.sha256((folder / lock).read_bytes()).hexdigest()
    (folder / ".venv" / "packages").write_text(f"{digest}  {lock}\n")
    (folder / ".venv" / "ready").touch()
    (folder / "anew").write_text("#!/bin/sh\necho anew\nexit 1\n")
    (folder / "anew").chmod(0o755)
    return folder


def start(folder: Path, *words: str, **values: str) -> subprocess.Popen[str]:
    """Start `make` with the specified arguments, but without the environment of the `make` that runs the tests."""
    outside = {"PATH": os.environ["PATH"], "HOME": str(folder)} | values
    piped = subprocess.PIPE
    return subprocess.Popen(["make", *words], cwd=folder, env=outside, stdout=piped, stderr=piped, text=True)


def run(folder: Path, *words: str, **values: str) -> subprocess.CompletedProcess[str]:
    process = start(folder, *words, **values)
    said = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, *said)


def make(folder: Path, target: str, as_argument: bool, **values: str) -> list[str]:
    """Return the arguments that a target's command receives from `make NAME=value` or the environment."""
    words = [f"{name}={value}" for name, value in values.items()] if as_argument else []
    done = run(folder, target, *words, **({} if as_argument else values))
    assert not (folder / "gotcha").exists(), values
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


both_ways = pytest.mark.parametrize("as_argument", [True, False], ids=["make NAME=value", "environment"])


@both_ways
def test_a_value_from_outside_is_a_value(folder: Path, as_argument: bool) -> None:
    """The command receives the value unchanged, and the shell executes no part of it."""
    for value in HOSTILE:
        lines = value.split("\n")
        graded = make(folder, "grade", as_argument, SUBMISSIONS=value, OUT=value, ASSIGNMENT=value, JOBS=value)
        assert graded == ["grade", "--out", *lines, "--assignment", *lines, "--jobs", *lines, "--", *lines]


@both_ways
def test_it_is_a_value_to_every_target_in_a_variable_that_nobody_knows_and_in_the_handout(
    folder: Path, as_argument: bool
) -> None:
    value = " ".join(HOSTILE)
    lines = value.split("\n")
    for target, place in {"check": 2, "learn": 2, "autograder": 1, "mutants": 2, "lesson": 2}.items():
        assert make(folder, target, as_argument, ASSIGNMENT=value)[place:][: len(lines)] == lines
    assert make(folder, "check", as_argument, FILE=value) == ["check", "--", *lines]
    assert make(folder, "doctor", as_argument, SUBMISSION=value, MAKE_TERMERR=value) == ["doctor"]
    assert make(folder, "doctor", as_argument, LOCK=value) == []
    shutil.copy(course.PACKAGE_FOLDER / "handout" / "template" / "Makefile.template", folder / "Makefile")
    (folder / "requirements.txt").touch()
    (folder / ".venv" / "ready").touch()
    assert make(folder, "check", as_argument, ASSIGNMENT=value)[2:] == lines


def test_what_is_not_given_is_left_out(folder: Path) -> None:
    assert make(folder, "grade", True) == ["grade", "--out", "results", "--", "tests/submissions"]
    assert make(folder, "grade", True, SUBMISSIONS="") == ["grade", "--out", "results", "--", ""]


def test_solutions_are_written_on_purpose(folder: Path) -> None:
    assert make(folder, "solutions", True) == ["-m", "autograder.handout.solution_pages"]
    assert make(folder, "solutions", True, ASSIGNMENT="rope")[2:] == ["rope"]
    assert make(folder, "solutions", False, ALL="1")[2:] == ["--all"]


def test_every_target_runs_something(folder: Path) -> None:
    targets = re.search(r"^TARGETS := ((?:.*\\\n)*.*)", (folder / "Makefile").read_text(), re.M)[1].replace("\\", "")
    for target in targets.split():
        done = run(folder, target)
        assert done.returncode == 0 and bool(done.stdout) == (target != "setup"), done


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 0), (2, 2), (3, 2)])
def test_a_submission_that_fails_is_no_error_of_make_s(folder: Path, code: int, expected: int) -> None:
    """`make` treats only two exit codes of `autograder` as errors: those for a usage error and for a failing
    sandbox."""
    (folder / ".venv" / "bin" / "autograder").write_text(f"#!/bin/sh\nexit {code}\n")
    done = run(folder, "check", "FILE=rope.py")
    assert done.returncode == expected and ("Error" in done.stderr) == bool(expected)


@pytest.mark.parametrize("words", [("check", "FILE=x.py"), ("grade",)])
def test_an_error_names_what_one_types_for_make(folder: Path, words: tuple[str, ...]) -> None:
    (folder / ".venv" / "bin" / "autograder").write_text("#!/bin/sh\necho typed $TYPED_MAKE\n")
    assert run(folder, *words).stdout == "typed 1\n"


def sets_up(folder: Path, *words: str) -> bool:
    done = run(folder, "setup", "PYTHON=./anew", *words)
    assert ("anew" in done.stdout) == bool(done.returncode)
    return done.returncode != 0


def test_packages_are_installed_again_only_when_the_lock_s_content_changed(folder: Path) -> None:
    """A checkout can update a file's modification time without changing its content."""
    lock = folder / "requirements.lock"
    later = (folder / ".venv" / "packages").stat().st_mtime + 5
    os.utime(lock, (later, later))
    assert not sets_up(folder)
    lock.write_text(lock.read_text() + "# another\n")
    assert sets_up(folder)


def test_the_lock_stays_the_one_that_was_named_until_another_is(folder: Path) -> None:
    """A target that needs all packages tells the user how to install them."""
    installed(folder, "requirements-grading.lock")
    assert not sets_up(folder) and sets_up(folder, "LOCK=requirements.lock")
    for target in ("lint", "test", "figures"):
        done = run(folder, target)
        assert done.returncode and "make setup LOCK=requirements.lock" in done.stdout
    assert run(installed(folder, "requirements.lock"), "test").returncode == 0


def test_nothing_is_locked_where_nothing_is_to_be_set_up(folder: Path) -> None:
    """The checkout may belong to another user and be read-only for everybody else."""
    (folder / ".venv.lock").mkdir()
    assert run(folder, "doctor").returncode == 0
    (folder / ".venv" / "packages").unlink()
    assert run(folder, "doctor", "PYTHON=./anew").returncode


def test_a_failed_setup_runs_nothing(folder: Path) -> None:
    (folder / ".venv" / "packages").unlink()
    done = run(folder, "doctor", "PYTHON=./anew")
    assert done.returncode and "doctor" not in done.stdout


def test_two_at_once_set_up_one_after_the_other(folder: Path) -> None:
    """If two setups run at the same time, the second waits for the first and then finds all packages installed."""
    log = folder / "log"
    anew = f"#!/bin/sh\ncase $1 in -m) echo start >>{log}; sleep 0.5; echo end >>{log};; esac\n"
    (folder / "anew").write_text(anew)
    (folder / ".venv" / "packages").unlink()
    first, second = (start(folder, "doctor", "PYTHON=./anew") for _ in range(2))
    said = first.communicate()[0] + second.communicate()[0]
    assert (first.returncode, second.returncode) == (0, 0)
    assert log.read_text().split() == ["start", "end"] and said.count("waiting for it") <= 1
