"""Tests of `whereabouts learn`, installed from the wheel with only the packages that learning needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder import course
from autograder.course import find
from autograder.otter import package

PROJECT = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ENCODINGS = ("cp1252:strict", "utf-8")


def required_packages(requirements: list[str]) -> set[str]:
    """Return the names of the required packages and of all their dependencies on this machine."""
    names: set[str] = set()
    requested = [Requirement(line) for line in requirements]
    while requested:
        requirement = requested.pop()
        name = canonicalize_name(requirement.name)
        if name not in names and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            names.add(name)
            requested += [Requirement(line) for line in metadata.requires(name) or ()]
    return names


@pytest.fixture(scope="module")
def installed(ready_wheel: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the installed wheel and its required packages, without any extras."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(package.wheel(tmp_path_factory.mktemp("wheel"))) as wheel:
        wheel.extractall(folder)
    for name in required_packages(PROJECT["dependencies"]):
        for top in {file.parts[0] for file in metadata.files(name) or ()} - {"..", "__pycache__"}:
            (folder / top).symlink_to(Path(str(metadata.distribution(name).locate_file(top))))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A learner's empty folder, with accented letters in its name."""
    folder = tmp_path / "leçons de é"
    folder.mkdir()
    return folder


def run_command(installed: Path, folder: Path, *words: str, encoding: str = "utf-8") -> tuple[int, str]:
    """Run the wheel's command and return its exit code and combined output."""
    name, _, function = PROJECT["scripts"]["whereabouts"].partition(":")
    program = f"import sys, {name}; sys.argv[0] = 'whereabouts'; {name}.{function}()"
    environment = os.environ | {"PYTHONPATH": str(installed), "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", program, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode(encoding.partition(":")[0])
    assert "Traceback" not in text, text
    return done.returncode, text


def test_an_empty_folder_gets_the_stub_and_then_green(installed: Path, folder: Path) -> None:
    code, text = run_command(installed, folder, "learn", "rope")
    assert (
        code == 0 and text.startswith("rope.py is new in this folder.") and "Next: rope_frequencies at rope.py:" in text
    )
    assert (folder / "rope.py").read_text("utf-8") == find("rope").stub.read_text("utf-8")
    (folder / "rope.py").write_text(find("rope").solution.read_text("utf-8"), "utf-8")
    for encoding in ENCODINGS:
        code, text = run_command(installed, folder, "learn", "5", encoding=encoding)
        assert (
            code == 0 and "Checked rope.py, with hidden tests too." in text and "13 of 13 functions are right" in text
        )
        assert (
            f"{'✓' if encoding == 'utf-8' else 'ok'} apply_rope\n" in text and "?" not in text and "is new" not in text
        )
    assert {path.name for path in folder.iterdir()} == {"rope.py", ".tries.json"}


def test_a_mistake_has_its_cause_and_the_way_to_the_lesson(installed: Path, folder: Path) -> None:
    wrong = (course.ROOT / "tests" / "submissions" / "rope" / "rotated_values.py").read_text("utf-8")
    (folder / "rope.py").write_text(wrong, "utf-8")
    code, text = run_command(installed, folder, "learn", "rope.rope_attention", encoding="cp1252")
    assert code == 0 and "fail rope_attention" in text and "Likely cause: You rotated the values as well" in text
    assert "See the lesson, section rope_attention: whereabouts learn rope --page." in text


def test_a_file_that_is_there_is_never_written_over(installed: Path, folder: Path) -> None:
    (folder / "alibi.py").write_text("print('mine')\n", "utf-8")
    code, text = run_command(installed, folder, "learn", "alibi.py")
    assert code == 0 and "0 of 5 functions are right" in text
    assert (folder / "alibi.py").read_text("utf-8") == "print('mine')\n"


def test_a_project_around_the_folder_changes_nothing(installed: Path, folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\npython_functions = nothing\naddopts = --no-such-option\n")
    (folder / "conftest.py").write_text("raise RuntimeError\n")
    assert "0 of 5 functions are right" in run_command(installed, folder, "learn", "alibi")[1]


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["learn", "roppe"], "there is no roppe: did you mean rope?"),
        (["learn", "rope.apply"], "there is no apply: "),
        (["learn", "rope", "--show", "apply"], "rope has no function apply."),
        (["lern"], "invalid choice: 'lern'"),
        ([], "required: COMMAND"),
    ],
)
def test_a_wrong_word_is_one_sentence(installed: Path, folder: Path, words: list[str], sentence: str) -> None:
    code, text = run_command(installed, folder, *words)
    assert code == 2 and sentence in text


def test_without_a_lesson_it_lists_them(installed: Path, folder: Path) -> None:
    code, text = run_command(installed, folder, "learn")
    assert code == 0 and [*folder.iterdir()] == []
    assert [line.split()[0] for line in text.split("\n\n")[0].splitlines()] == course.all_lessons()


def test_a_folder_that_takes_no_file_is_named(installed: Path) -> None:
    code, text = run_command(installed, Path("/proc"), "learn", "rope")
    assert code == 2 and text.startswith("Error: rope.py cannot be written into /proc (")


@pytest.mark.long
def test_the_pages_need_no_other_package(installed: Path, folder: Path) -> None:
    edition = "from autograder.lesson_renumbering import Edition; edition = Edition.of_term(['rope'])"
    program = f"{edition}; from autograder.pages import course_files; print(*sorted(course_files(edition)))"
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "rope.html" in done.stdout.split(), done.stderr


def test_the_wheel_has_the_plan_of_the_term(installed: Path) -> None:
    """A grader installed from the wheel omits the same lessons as a grader run from the repository."""
    plan = installed / "autograder" / "_course" / "course.toml"
    assert plan.read_bytes() == course.plan_file().read_bytes() and not (installed / "course.toml").exists()
