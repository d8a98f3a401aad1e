"""Tests of grading on Gradescope and of an installed copy of the course."""

from __future__ import annotations

import csv
import json
import re
import runpy
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder import course
from autograder.otter import package
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.otter_helpers import faults, gradescope, install, run, seen_by_student

ROPE = SAMPLES / "rope"
COMPLETE = (ROPE / "complete.py").read_bytes()
WITH_MISTAKE = (ROPE / "exponent_counts_pairs.py").read_bytes()
with (course.ROOT / "tests" / "grader" / "grading" / "expected_scores" / "rope.csv").open(
    encoding="utf-8", newline=""
) as _scores:
    SCORE_WITH_MISTAKE = next(
        float(row["lowest"]) for row in csv.DictReader(_scores) if row["student"] == "exponent_counts_pairs"
    )

Platform = Callable[[dict[str, bytes]], dict[str, Any]]


@pytest.fixture(scope="module")
def python(ready_wheel: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python interpreter of an environment in which the course is installed from its wheel, as on Gradescope."""
    return install(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def built_zip(ready_wheel: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder that the Gradescope zip for rope is built for, and the path of the zip, whose settings allow publishing
    hidden results later."""
    folder = tmp_path_factory.mktemp("gradescope")
    settings = {"autograder_dir": str(folder / "autograder"), "show_hidden": True}
    (zipped,) = package.build([course.find("rope")], folder, settings)
    return folder / "autograder", zipped


@pytest.fixture(scope="module")
def platform(python: Path, built_zip: tuple[Path, Path]) -> Platform:
    """Return a function that grades a submission for rope as Gradescope does, from a dictionary of file names
    and contents."""

    def grade(submission: dict[str, bytes]) -> dict[str, Any]:
        shutil.rmtree(built_zip[0], ignore_errors=True)
        results = gradescope(python, *built_zip, submission)
        assert faults(results) == []
        return results

    return grade


def test_an_installed_copy_says_its_version_anywhere(python: Path, tmp_path: Path) -> None:
    """The version is defined only in pyproject.toml and is the first heading of the changelog."""
    output = run([str(python.with_name("autograder")), "--version"], tmp_path)
    version = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert output.strip() == f"autograder, version {version}"
    changes = (course.ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == version  # type: ignore[index]


def total_points(results: dict[str, Any]) -> float:
    return float(sum(test.get("score", 0) for test in results["tests"]))


def test_gradescope_shows_public_results_with_their_cause_and_nothing_of_hidden_tests(
    platform: Platform, built_zip: tuple[Path, Path]
) -> None:
    results = platform({"rope.py": WITH_MISTAKE})
    (built_zip[0] / "results" / "results.json").unlink()
    runpy.run_path(str(built_zip[0] / "source" / "run_otter.py"), run_name="__mp_main__")  # as in each child process
    assert not (built_zip[0] / "results" / "results.json").exists(), "graded twice"
    assert results["output_format"] == "md" and "stdout_visibility" not in results
    assert total_points(results) == SCORE_WITH_MISTAKE
    output = seen_by_student(results)
    assert "7.5 of 8 public points. The other 12 of 20 points are decided by hidden tests" in output
    assert "Likely cause" in output and "expected 0.01, got 0.1" in output
    assert {test["visibility"] for test in results["tests"][1:]} == {"after_published"}
    rope = course.find("rope")
    files = (rope.public_tests, rope.hidden_tests)
    public, hidden = (set(re.findall(r'"""(.*)"""', path.read_text("utf-8"))) for path in files)
    assert hidden - public and not any(rule in output for rule in hidden - public)


SEARCH_PROGRAM = """
import glob, os
found = []
for pattern in ("%s/*", "%s/*/*", "%s/*/*/*"):
    for path in glob.glob(pattern):
        found.append(path)
for path in %r:
    try:
        found.append(open(path, "rb").read(20))
    except OSError:
        pass
if found:
    raise ValueError(f"found {found}")
"""


def test_gradescope_takes_what_the_batch_takes_which_reads_nothing_of_the_course(
    platform: Platform, built_zip: tuple[Path, Path], python: Path, handed_out: dict[str, bytes]
) -> None:
    """The submission is a clone of the handout with an extra file, and its functions are in a notebook beside
    the stub. The submitted code cannot read the zip's files, the metadata with other students' names, other
    submissions or the installed course."""
    folder, zipped = built_zip
    with zipfile.ZipFile(zipped) as archive:
        paths = [str(folder / "source" / name) for name in archive.namelist()]
    installed = [str(path) for path in installed_root(python).rglob("*") if path.suffix in (".py", ".txt", ".json")]
    assert any("hidden" in path for path in installed)
    paths += [*installed, str(folder / "submission_metadata.json"), str(folder / "handed_in" / "note.txt")]
    source = f"{SEARCH_PROGRAM % (*[str(folder)] * 3, paths)}\n{COMPLETE.decode()}"
    notebook = {"cells": [{"cell_type": "code", "source": one} for one in ("import rope", source)], "nbformat": 4}
    extra_files = {"assignments/rope/explore.ipynb": json.dumps(notebook).encode(), "note.txt": b"secret"}
    results = platform(handed_out | extra_files)
    assert total_points(results) == 20 and "explore" in results["output"]


def installed_root(python: Path) -> Path:
    return Path(run([str(python), "-c", "from autograder import course; print(course.ROOT)"], python.parent).strip())


def test_an_installed_wheel_has_the_whole_course(python: Path) -> None:
    code = "from autograder import course; print(*(one.grading_hash for one in course.term_assignments()))"
    hashes = run([str(python), "-c", code], python.parent)
    assert hashes.split() == [one.grading_hash for one in course.term_assignments()]
    assert installed_root(python).is_relative_to(python.parents[1])
