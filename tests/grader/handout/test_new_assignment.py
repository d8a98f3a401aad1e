"""An author's first hour: `autograder new`, what `make handout` says of mistakes, and the tutorial's own commands."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.checks import expect
from autograder.handout import HandoutError, create
from tests.grader.support import classroom

NAME = "rope_2d"
"""Longer than the name of an assignment that it begins with."""

TUTORIAL = (course.ROOT / "tests" / "README.md").read_text("utf-8")


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run() -> Run:
    """`python …` in a copy of the course."""

    def run_there(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, *words], cwd=root, env=environment, capture_output=True, text=True)

    return run_there


@pytest.fixture(scope="module")
def command(run: Run) -> Run:
    """A line of the tutorial in a copy of the course."""
    return lambda root, line: run(root, "-m", "autograder.cli", *shlex.split(line)[1:])


@pytest.fixture(scope="module")
def root(command: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course with a new assignment."""
    folder = classroom.copy_of_the_course(tmp_path_factory.mktemp("authors"))
    templates = "autograder/handout/new_assignment"  # samples among them
    shutil.copytree(course.ROOT / templates, folder / templates, dirs_exist_ok=True)
    for name in ("README.md", "LICENSE", "pyproject.toml", "Makefile"):
        shutil.copy(course.ROOT / name, folder)
    shutil.copytree(course.ROOT / "tests" / "submissions", folder / "tests" / "submissions")
    shutil.copy(course.ROOT / "requirements.lock", folder)
    done = command(folder, f"autograder new {NAME}")
    assert done.returncode == 0, done.stderr
    for file, row in re.findall(r"^Add to (\S+|the table in \S+): (.+)$", done.stdout, re.MULTILINE):
        path = folder / file.split()[-1]
        rows = re.findall(r"^\|.*\| \d+ \|$|^\| \d+ \|.*$", path.read_text("utf-8"), re.MULTILINE)
        last = max((one for one in rows if one < row), default=rows[0]) if "glossary" in file else rows[-1]
        path.write_text(path.read_text("utf-8").replace(last, f"{last}\n{row}", 1), "utf-8")
    return folder


@pytest.fixture(scope="module")
def one(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of the new assignment alone: the others are in order, and to see that takes long."""
    folder = Path(shutil.copytree(root, tmp_path_factory.mktemp("one") / "course"))
    (folder / "solutions" / "left_out.txt").write_text(" ".join(one.name for one in course.assignments()))
    return folder


def test_what_is_new_passes_every_test_of_assignments_at_once(run: Run, root: Path) -> None:
    files = (
        "course/test_course",
        "grading/test_follow_through",
        "hints/test_misconceptions",
        "course/test_lesson_numbers",
        "grading/test_samples",
        "course/test_lazy",
        "course/test_right_forms",
        "course/test_figures",
        "reports/test_similarity",
    )
    chosen = (
        f"{NAME} or front_page or glossary or the_map or numbered or every_lesson or every_sample or every_assignment"
    )
    done = run(
        root,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        chosen,
        *(f"tests/grader/{file}.py" for file in files),
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_tutorial_s_commands_do_what_it_says(command: Run, one: Path) -> None:
    section = TUTORIAL.split("## From a new assignment")[1].split("\n## ")[0]
    lines = re.findall(r"^    (autograder .+)$", section, re.MULTILINE)
    assert [line.split()[1] for line in lines] == ["new", "handout", "check", "grade", "build"]
    for line in lines[1:]:  # the first one made the fixture
        done = command(one, line)
        assert done.returncode == (1 if "check" in line else 0), (line, done.stdout, done.stderr)
    assert (one / "dist" / "autograder" / f"{NAME}.zip").is_file()


def test_a_second_one_and_odd_names_are_refused(command: Run, root: Path) -> None:
    done = command(root, f"autograder new {NAME}")
    assert done.returncode == 2 and "is there already" in done.stderr and "Traceback" not in done.stderr
    for name in ("Rope", "class", "json", "numpy", "pytest", "tests", "../x"):
        with pytest.raises(HandoutError, match="cannot be"):
            create(name)


MISTAKES = {
    "points": (f"tests/public/test_{NAME}.py", "points=4", "points=3", "must add up to 20, 8 of them public"),
    "a function without tests": (
        f"solutions/{NAME}.py",
        "# Answer with",
        "def other():\n    return 1\n\n\n# Answer with",
        "has no test of other",
    ),
    "no Python": (
        f"tests/misconceptions/{NAME}.py",
        "import numpy as np",
        "import numpy as",
        "cannot be read (SyntaxError",
    ),
    "a solution that is wrong": (
        f"solutions/{NAME}.py",
        "+ 0.5) * width",
        "+ 0.5) * width * (seq_len != 2)",
        "does not pass test_",
    ),
    "a mistake of no function": (
        f"tests/misconceptions/{NAME}.py",
        f'"{NAME}_middles",',
        '"midles",',
        "has a mistake of midles",
    ),
    "a function without a word": (f"assignments/{NAME}/README.md", f"`{NAME}_middles", "`else", "does not speak of"),
    "a missing suite": (f"tests/hidden/test_{NAME}.py", None, None, "is missing"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_handout_says_in_one_sentence_what_is_wrong(command: Run, one: Path, mistake: str) -> None:
    file, old, new, sentence = MISTAKES[mistake]
    path = one / file
    before = path.read_text("utf-8")
    try:
        if old is None or new is None:
            path.unlink()
        else:
            assert old in before
            path.write_text(before.replace(old, new), "utf-8")
        done = command(one, "autograder handout")
    finally:
        path.write_text(before, "utf-8")
    assert done.returncode == 2 and sentence in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_all_that_a_test_may_call_is_listed_with_an_example() -> None:
    functions = [
        value for value in vars(expect).values() if inspect.isfunction(value) and value.__module__ == expect.__name__
    ]
    public = [function.__name__ for function in functions if not function.__name__.startswith("_")]
    listed = re.findall(r"^\| `expect\.(\w+)\(", TUTORIAL, re.MULTILINE)
    assert sorted(listed) == sorted(public)
