"""Tests of an author's first hour: `autograder new`, the messages of `make handout` about mistakes, and the
commands of the tutorial."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import course
from autograder.checks import expect
from autograder.course import Assignment
from autograder.handout import HandoutError, create_assignment, first_problem
from tests.grader.support.student_folders import put

NAME = "rope_2d"
"""Assignment name that begins with another assignment's name."""

TUTORIAL = (course.ROOT / "tests" / "README.md").read_text("utf-8")


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m …` in a copy of the course."""
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", *words], cwd=root, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the course with a new assignment."""
    folder, aside = tmp_path_factory.mktemp("authors"), shutil.ignore_patterns("*-pytest-*.pyc", ".hypothesis")
    for part in ("autograder", "solutions", "assignments", "tests"):
        shutil.copytree(
            course.ROOT / part, folder / part, ignore=aside
        )  # files compiled by pytest contain the old path
    for name in ("README.md", "LICENSE", "pyproject.toml", "Makefile", "requirements.lock", "course.toml"):
        shutil.copy(course.ROOT / name, folder)
    done = run(folder, "autograder.cli", "new", NAME)
    assert done.returncode == 0, done.stderr
    for file, row in re.findall(r"^Add to (?:the table in )?(\S+): (.+)$", done.stdout, re.MULTILINE):
        lines = (folder / file).read_text("utf-8").split("\n")
        before = [line for line in lines if re.search(r"\| \d+ \|", line) and (line < row or file == "README.md")]
        lines.insert(lines.index(before[-1]) + 1, row)
        (folder / file).write_text("\n".join(lines), "utf-8")
    return folder


FILES = """
    course/test_course_material hints/test_misconceptions course/test_numbers_in_lessons grading/test_samples
    grading/test_red_team course/test_trivial_solutions
    course/test_alternative_solutions course/test_figures
""".split()


def test_what_is_new_passes_every_test_of_assignments_at_once(root: Path) -> None:
    chosen = f"{NAME} or front_page or glossary or the_map or numbered or every_sample"
    files = [f"tests/grader/{file}.py" for file in FILES]
    done = run(root, "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *files)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_tutorial_s_commands_do_what_it_says(root: Path) -> None:
    """The course has only the new assignment here, because checking all assignments would take too long."""
    (root / "course.toml").write_text(f'lessons = ["{NAME}"]')
    section = TUTORIAL.split("## From a new assignment")[1].split("\n## ")[0]
    lines = re.findall(r"^    autograder (.+)$", section, re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["new", "handout", "check", "grade", "build"]
    for line, expected in zip(lines[1:3], (0, 1), strict=True):  # other tests cover the other assignments
        done = run(root, "autograder.cli", *shlex.split(line))
        assert done.returncode == expected and "Traceback" not in done.stderr, (line, done.stdout, done.stderr)


def test_odd_names_are_refused() -> None:
    for name in ("Rope", "class", "json", "numpy", "pytest", "tests", "../x"):
        with pytest.raises(HandoutError, match="cannot be"):
            create_assignment(name)


MISTAKES = [
    ("tests/public/test_NAME.py", "points=4", "points=3", "must add up to 20, 8 of them public"),
    ("solutions/NAME.py", "# Answer with", "def other():\n    return 1\n\n\n# Answer with", "has no test for other"),
    ("tests/misconceptions/NAME.py", "import numpy as np", "import numpy as", "cannot be read (SyntaxError"),
    ("solutions/NAME.py", "+ 0.5) * width", "+ 0.5) * width * (seq_len != 2)", "does not pass test_"),
    ("tests/misconceptions/NAME.py", '_middles",', '_midles",', "has a mistake in mistake_4_midles"),
    ("assignments/NAME/README.md", "_middles", "_else", "does not mention"),
]


def test_it_is_said_in_one_sentence_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("course", "handout.new", "handout.validate"):
        monkeypatch.setattr(f"autograder.{module}.ROOT", tmp_path)
    for name, value in {
        "all_lessons": list,
        "outdated_files": lambda one: {},
    }.items():  # pytest reads a file once per process
        monkeypatch.setattr(f"autograder.handout.new.{name}", value)
    monkeypatch.syspath_prepend(tmp_path)
    put(tmp_path, {"tests/hidden/seed.txt": "1"})
    for number, (file, old, new, sentence) in enumerate([*MISTAKES, (MISTAKES[0][0], "points", "points", "")]):
        create_assignment(name := f"mistake_{number}")
        path = tmp_path / file.replace("NAME", name)
        assert old in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
        said = first_problem(Assignment(name))
        assert (sentence in said and "\n" not in said) if sentence else not said, said
    with pytest.raises(HandoutError, match="already exists"):
        create_assignment(name)
    path.unlink()
    assert f"{path.relative_to(tmp_path)} is missing" in first_problem(Assignment(name))


def test_all_that_a_test_may_call_is_listed_with_an_example() -> None:
    functions = [
        value for value in vars(expect).values() if inspect.isfunction(value) and value.__module__ == expect.__name__
    ]
    public = {function.__name__ for function in functions if not function.__name__.startswith("_")}
    listed = re.findall(r"^\| `expect\.(\w+)\(", TUTORIAL, re.MULTILINE)
    assert sorted(listed) == sorted(expect.__all__) and public <= {*expect.__all__}
