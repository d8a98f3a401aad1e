"""Tests of the Otter zip: `otter run` and a batch give the same result for every test."""

from __future__ import annotations

import copy
import functools
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder import course
from autograder.checks.results import Kind, Phase, TestResult
from autograder.course import Assignment
from autograder.grading import answer_key, otter_scoring
from autograder.grading.otter_scoring import OtterScorer
from autograder.grading.suite import Suite
from autograder.otter import package
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.fixtures_built_once import Graded
from tests.grader.support.otter_helpers import by_test, faults, otter_run, seen_by_student
from tests.grader.support.student_folders import archive_of, put

if TYPE_CHECKING:
    from otter.test_files import GradingResults


@pytest.fixture(scope="session")
def zip_folder(ready_wheel: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder that contains the Otter zip for rope."""
    folder = tmp_path_factory.mktemp("zips")
    list(package.build([course.find("rope")], folder))
    return folder


OtterRun = Callable[[Path], "tuple[GradingResults, dict[str, Any]]"]
HOSTILE = {
    "json.py": "raise SystemExit('imported by the grader')",
    "otter.py": "raise SystemExit('imported by the grader')",
    "autograder/__init__.py": "raise SystemExit('imported by the grader')",
    ".OTTER_LOG": "cos\nsystem\n(S'touch unpickled'\ntR.",
    "sitecustomize.py": "open('customised', 'w')",
}


@pytest.fixture(scope="session")
def otter_results(zip_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> OtterRun:
    """Return a function that runs `otter run` once per sample, and returns the results and the JSON output. A notebook
    is submitted in a zip, together with files that Otter's kernel would import or unpickle if they were in its working
    folder."""

    @functools.cache
    def run(path: Path) -> tuple[GradingResults, dict[str, Any]]:
        folder = tmp_path_factory.mktemp("run")
        if path.suffix == ".ipynb":
            submitted = folder / "handed_in.zip"
            submitted.write_bytes(archive_of({path.name: path.read_bytes()} | HOSTILE))
            path = submitted
        return otter_run(zip_folder / "rope.zip", path, folder)

    return run


ROPE_SAMPLES = "exponent_counts_pairs.py notebook.ipynb forged_results.py"
"""Rope samples of three kinds: one wrong function, a correct notebook and a hostile file. `test_samples`
checks the scores of these samples in a batch."""


@pytest.mark.parametrize("name", ROPE_SAMPLES.split())
def test_otter_run_and_the_batch_agree_test_by_test(graded: Graded, otter_results: OtterRun, name: str) -> None:
    path = SAMPLES / "rope" / name
    results, output = otter_results(path)
    assert faults(output) == []
    _, grade = graded(path)
    assert by_test(results) == {one.test.name: one.passed for one in grade.test_results}
    assert (results.total, results.possible) == (grade.score, grade.max_score)
    assert output["tests"] == grade.gradescope["tests"] and output["output"].endswith(grade.public_feedback)


def test_all_tests_passed_are_twenty_points_by_otters_count(assignment: Assignment, suite: Suite) -> None:
    numbers = OtterScorer(assignment, suite.tests).grade_fields([TestResult(test) for test in suite.tests])
    assert numbers["score"] == numbers["max_score"] == 20
    assert faults(numbers["gradescope"]) == []


def test_the_status_that_a_student_sees_depends_on_public_tests_alone(assignment: Assignment, suite: Suite) -> None:
    for phase, status in ((Phase.HIDDEN, "passed"), (Phase.PUBLIC, "failed")):
        wrong = next(test for test in suite.tests if test.phase is phase)
        results = [TestResult(test, Kind.VALUE if test is wrong else None) for test in suite.tests]
        entries = OtterScorer(assignment, suite.tests).grade_fields(results)["gradescope"]["tests"]
        assert [entry.get("status") for entry in entries if entry["visibility"] == "visible"] == [status]


def test_otters_kernel_loads_no_numpy() -> None:
    program = "import sys; from autograder.grading import otter_namespace; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], cwd=course.ROOT, check=True)


def test_a_student_sees_public_results_and_what_is_still_to_be_decided(otter_results: OtterRun) -> None:
    _, output = otter_results(SAMPLES / "rope" / "exponent_counts_pairs.py")
    visible = [test for test in output["tests"] if test["visibility"] == "visible"]
    assert [test["name"] for test in visible] == ["Public Tests"]
    assert output["output"].startswith("7.5 of 8 public points. The other 12 of 20 points are decided by hidden tests")
    assert "Likely cause" in output["output"] and "the exponent of pair i uses 2i" in output["output"]
    assert "rope_frequencies: 0 of 0.5 public points, 0.25 still to be decided" in visible[0]["output"]


def test_nobody_reads_that_all_is_passed_where_hidden_tests_remain(otter_results: OtterRun) -> None:
    """Even a student who passes all public tests is told that hidden tests remain."""
    _, output = otter_results(SAMPLES / "rope" / "notebook.ipynb")
    text = seen_by_student(output)
    assert "8 of 8 public points. The other 12 of 20" in text
    assert re.search(r"apply_rope: ([\d.]+) of \1 public points, [\d.]+ still to be decided", text)
    assert not re.search(r"all (test|case)|complete", text, re.IGNORECASE)


def test_what_cannot_be_read_has_a_sentence_and_no_points(otter_results: OtterRun, tmp_path: Path) -> None:
    from autograder.otter.plugin import GradingPlugin

    put(tmp_path, {"submission/rope.py": "def ("})
    settings = {"assignment": "rope", "suite": course.find("rope").grading_hash, "isolation": "none"}
    plugin = GradingPlugin(str(tmp_path / "submission" / "rope.py"), None, settings)
    plugin.before_grading(None)
    assert "otter_namespace([])" in str(plugin.before_execution(None)) and plugin.grade.score == 0
    results = copy.deepcopy(otter_results(SAMPLES / "rope" / "exponent_counts_pairs.py")[0])
    plugin.after_grading(results)
    assert "**Not graded.** The file is not Python" in results.output


def test_another_plugin_has_the_first_word_and_where_it_hides_everything_the_only_one(
    graded: Graded, otter_results: OtterRun
) -> None:
    """Another plugin, such as one that limits how often students submit, may write its output first, or hide
    all output."""
    from autograder.otter.plugin import GradingPlugin

    path, plugin = SAMPLES / "rope" / "exponent_counts_pairs.py", GradingPlugin.__new__(GradingPlugin)
    plugin.assignment, (plugin.submission, plugin.grade) = course.find("rope"), graded(path)
    for hides in (False, True):
        results = copy.deepcopy(otter_results(path)[0])
        results.set_output("Five a day.")
        if hides:
            results.hide_everything()
        plugin.after_grading(results)
        assert results.output.startswith("Five a day.") and ("Likely cause" in results.output) is not hides


def test_what_is_said_of_hidden_tests_is_the_rule_and_the_kind_alone(graded: Graded) -> None:
    """Messages about hidden tests contain no values, because an instructor may let Gradescope publish these
    messages."""
    _, grade = graded(SAMPLES / "rope" / "rotated_values.py")
    entries = "\n".join(test["output"] for test in grade.gradescope["tests"])
    hidden = [one for one in grade.test_results if one.test.hidden and one.test.points and not one.passed]
    public = "".join(one.message for one in grade.test_results if not one.test.hidden)
    values = {
        number for one in hidden for number in re.findall(r"got (-?[\d.]{6,})", one.message) if number not in public
    }
    assert values and not any(number in entries for number in values)
    texts = {test["name"]: test["output"] for test in grade.gradescope["tests"]}
    assert all(one.reason in texts["ANSWERS"] for one in answer_key.answers(course.find("rope")).values())
    questions = {one.test.question for one in hidden} - {"ANSWERS"}
    assert questions and all("On inputs that are not shown" in texts[question] for question in questions)


def test_the_zip_holds_no_test_and_no_solution_but_in_its_wheel(zip_folder: Path) -> None:
    with zipfile.ZipFile(zip_folder / "rope.zip") as archive:
        for name in archive.namelist():
            if name.startswith("tests/"):
                content = archive.read(name).decode("utf-8")
                assert "import" not in content.replace("from otter.test_files import test_case", "")
                assert "numpy" not in content
        # Otter copies the contents of files/ into the submission folder.
        assert not any(name.startswith("files/") for name in archive.namelist())


def test_the_same_course_makes_the_same_zip(
    zip_folder: Path, ready_wheel: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "wheel", ready_wheel)
    (rebuilt,) = package.build([course.find("rope")], tmp_path)
    assert rebuilt.read_bytes() == (zip_folder / "rope.zip").read_bytes()


def test_the_environment_file_installs_the_wheel_and_pins_the_rest(zip_folder: Path) -> None:
    with zipfile.ZipFile(zip_folder / "rope.zip") as archive:
        environment = archive.read("environment.yml").decode("utf-8")
        (wheel,) = (name for name in archive.namelist() if name.endswith(".whl"))
        constraints = archive.read(package.CONSTRAINTS_FILE).decode("utf-8").splitlines()
    assert f"- /autograder/source/{wheel}[grading]\n" in environment
    assert f"- -c /autograder/source/{package.CONSTRAINTS_FILE}\n" in environment
    assert "http" not in environment and not any("http" in line or "hash" in line for line in constraints)
    assert any(line.startswith("numpy==") for line in constraints) and all("==" in line for line in constraints)


def test_generated_files_are_in_the_lessons_order(suite: Suite) -> None:
    questions = [
        name.removesuffix(".py").partition("_")[2] for name in sorted(otter_scoring.otter_files_by_name(suite.tests))
    ]
    assert questions == list(dict.fromkeys(test.question for test in suite.tests))


def test_a_zip_of_another_version_of_the_course_is_refused(zip_folder: Path, tmp_path: Path) -> None:
    stale = tmp_path / "stale.zip"
    with zipfile.ZipFile(zip_folder / "rope.zip") as old, zipfile.ZipFile(stale, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename == "otter_config.json":
                config = json.loads(data)
                config["plugins"][0][package.PLUGIN_CLASS]["suite"] = "0" * 64
                data = json.dumps(config).encode()
            new.writestr(entry, data)
    with pytest.raises(RuntimeError, match="build it again"):
        otter_run(stale, SAMPLES / "rope" / "complete.py", tmp_path)
