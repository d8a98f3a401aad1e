"""Course platforms: Gradescope and Canvas, GitHub Classroom, and an installed copy of the course."""

from __future__ import annotations

import csv
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dill
import pytest

from autograder import course
from autograder.otter import package
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.handed_in import METADATA, faults, gradescope, install, run, seen_by_student

ROPE = SAMPLES / "rope"
ADA = (ROPE / "ada.py").read_bytes()
HEDY = (ROPE / "hedy.py").read_bytes()
with (course.ROOT / "tests" / "grader" / "grading" / "expected_scores" / "rope.csv").open(
    encoding="utf-8", newline=""
) as _scores:
    HEDY_SCORE = next(float(row["lowest"]) for row in csv.DictReader(_scores) if row["student"] == "hedy")

Platform = Callable[..., dict[str, Any]]
Built = Callable[..., tuple[Path, Path]]


@pytest.fixture(scope="module")
def python(ready_wheel: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the course as a wheel, as the platform's container has it."""
    return install(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def built(ready_wheel: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The zip of rope with an instructor's part of the configuration, each built once, behind the folder that it is
    for, which is not there."""
    made: dict[str, tuple[Path, Path]] = {}

    def build(config: dict[str, Any] | None = None) -> tuple[Path, Path]:
        key = json.dumps(config)
        if key not in made:
            folder = tmp_path_factory.mktemp("gradescope")
            settings = {"autograder_dir": str(folder / "autograder")} | (config or {})
            (zipped,) = package.build([course.find("rope")], folder, settings)
            made[key] = folder / "autograder", zipped
        shutil.rmtree(made[key][0], ignore_errors=True)
        return made[key]

    return build


@pytest.fixture(scope="module")
def platform(python: Path, built: Built) -> Platform:
    """Grades a rope submission (name → content) on a Gradescope of our own, with an instructor's part of the
    configuration."""

    def grade(
        submission: dict[str, bytes], config: dict[str, Any] | None = None, metadata: dict[str, Any] = METADATA
    ) -> dict[str, Any]:
        results = gradescope(python, *built(config), submission, metadata)
        assert faults(results) == []
        return results

    return grade


def test_an_installed_copy_says_its_version_anywhere(python: Path, tmp_path: Path) -> None:
    """It stands in pyproject.toml alone, and the changes begin with it."""
    said = run([str(python.with_name("autograder")), "--version"], tmp_path)
    version = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert said.strip() == f"autograder, version {version}"
    changes = (course.ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == version  # type: ignore[index]


def points(results: dict[str, Any]) -> float:
    return float(sum(test.get("score", 0) for test in results["tests"]))


def test_gradescope_shows_public_results_with_their_cause_and_nothing_of_hidden_tests(platform: Platform) -> None:
    results = platform({"rope.py": HEDY})
    assert results["output_format"] == "md"
    assert points(results) == HEDY_SCORE
    said = seen_by_student(results)
    assert "7.5 of 8 public points. The other 12 of 20 points are decided by hidden tests" in said
    assert "Likely cause" in said and "wanted 0.01, got 0.1" in said
    assert {test["visibility"] for test in results["tests"][1:]} == {"hidden"}
    assert "stdout_visibility" not in results
    rope = course.find("rope")
    files = (rope.public_tests, rope.hidden_tests)
    public, hidden = (set(re.findall(r'"""(.*)"""', path.read_text("utf-8"))) for path in files)
    assert hidden - public and not any(rule in said for rule in hidden - public)


def test_gradescope_takes_what_the_batch_takes(platform: Platform, handed_out: dict[str, bytes]) -> None:
    """Several files; a clone of the handout, where the functions are in the notebook beside the stub."""
    files = {"rope.py": ADA, "helpers.py": b"x = 1", "naive.py": b"y = 2", "README.md": b"# mine"}
    assert points(platform(files)) == 20
    cells = {
        "cells": [{"cell_type": "code", "source": source} for source in ("import rope", ADA.decode())],
        "nbformat": 4,
    }
    in_the_notebook = platform(handed_out | {"assignments/rope/explore.ipynb": json.dumps(cells).encode()})
    assert points(in_the_notebook) == 20 and "explore" in in_the_notebook["output"]


def test_gradescope_has_a_sentence_for_what_cannot_be_read(platform: Platform) -> None:
    results = platform({"rope.ipynb": b"{ no notebook", "report.pdf": b"%PDF"})
    assert points(results) == 0
    assert "**Not graded.**" in results["output"] and "Traceback" not in json.dumps(results)


def test_the_containers_of_otter_grade_find_what_they_put_there(python: Path, built: Built) -> None:
    """They have an empty file of metadata, fetch the submission again, and load Otter's pickled results."""
    folder, zipped = built()
    with zipfile.ZipFile(zipped) as archive:
        wheel = next(name for name in archive.namelist() if name.endswith(".whl") and "/" not in name)
        # Of all that is installed from, their image has what matches requirements.*, folders by their contents.
        for name in (wheel, package.CONSTRAINTS):
            assert archive.read(f"requirements.d/{name}") == archive.read(name)
    gradescope(python, folder, zipped, {"rope.py": HEDY}, metadata=None)
    assert (folder / "submission" / "rope.py").read_bytes() == HEDY
    results = dill.loads((folder / "results" / "results.pkl").read_bytes())
    assert results.total == HEDY_SCORE


SNOOP = b"""
import glob, os
def rope_frequencies(head_dim, base=10000.0):
    found = []
    for pattern in ("%s/*", "%s/*/*", "%s/*/*/*"):
        for path in glob.glob(pattern):
            found.append(path)
            open(path).read()
    for path in %r:
        try:
            found.append(open(path, "rb").read(20))
        except OSError:
            pass
    raise ValueError(f"found {found}")
"""


def test_a_submission_on_gradescope_reads_nothing_of_the_autograder(python: Path, built: Built) -> None:
    """Neither the wheel, nor the metadata with others' names, nor what else was handed in."""
    folder, zipped = built()
    with zipfile.ZipFile(zipped) as archive:
        inside = [str(folder / "source" / name) for name in archive.namelist()]
    paths = [*inside, str(folder / "submission_metadata.json"), str(folder / "handed_in" / "note.txt")]
    snoop = SNOOP % (*[str(folder).encode()] * 3, paths)
    results = gradescope(python, folder, zipped, {"rope.py": snoop, "note.txt": b"secret"})
    assert "found []" in results["output"]


def test_otters_rate_limit_hides_a_result_and_says_why(platform: Platform) -> None:
    limit = {"plugins": [{"otter.plugins.builtin.RateLimiting": {"hours": 1, "allowed_submissions": 1}}]}
    first = platform({"rope.py": HEDY}, limit)
    assert "Students are allowed 1 submissions every 1 hours" in first["output"] and "Likely cause" in first["output"]
    earlier = {
        "previous_submissions": [{"submission_time": "2026-11-01T14:02:32.365935-07:00", "score": 0.0, "results": {}}]
    }
    second = platform({"rope.py": HEDY}, limit, METADATA | earlier)
    assert second["output"].startswith("You have exceeded the rate limit") and "Likely cause" not in second["output"]
    assert {test["visibility"] for test in second["tests"]} == {"hidden"}


def test_an_instructor_may_publish_hidden_results(platform: Platform) -> None:
    results = platform({"rope.py": HEDY}, {"show_hidden": True})
    assert {test["visibility"] for test in results["tests"][1:]} == {"after_published"}
    assert "7.5 of 8 public points" in results["output"]


# The course as an installed wheel


def check(python: Path, path: Path) -> dict[str, Any]:
    """`autograder check --json` of an installed course."""
    command = [str(python), "-m", "autograder.cli", "check", str(path), "--assignment", "rope", "--json"]
    checked: dict[str, Any] = json.loads(run(command, python.parent))
    return checked


def installed_root(python: Path) -> Path:
    return Path(run([str(python), "-c", "from autograder import course; print(course.ROOT)"], python.parent).strip())


def test_an_installed_wheel_has_the_whole_course(python: Path) -> None:
    code = "from autograder import course; print(*(one.suite_hash for one in course.assignments()))"
    hashes = run([str(python), "-c", code], python.parent)
    assert hashes.split() == [one.suite_hash for one in course.assignments()]
    assert installed_root(python).is_relative_to(python.parents[1])


def test_a_submission_reads_nothing_of_an_installed_course(python: Path, tmp_path: Path) -> None:
    root = installed_root(python)
    paths = [str(path) for path in root.rglob("*") if path.suffix in (".py", ".txt", ".json")]
    assert any("hidden" in path for path in paths)
    (tmp_path / "rope.py").write_bytes(SNOOP % (*[str(root).encode()] * 3, paths))
    assert "found []" in check(python, tmp_path / "rope.py")["tests"][0]["message"]


# Each term anew


def test_the_seed_is_in_the_suites_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or grades of the last term would be taken from the gradebook."""
    shutil.copytree(course.ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("submissions", "grader"))
    shutil.copytree(course.ROOT / "solutions", tmp_path / "solutions")
    before = course.Assignment("rope").suite_hash
    monkeypatch.setattr(course, "ROOT", tmp_path)
    assert course.Assignment("rope").suite_hash == before
    course.seed_file().write_text("977\n")
    assert course.Assignment("rope").suite_hash != before
