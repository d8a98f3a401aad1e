"""Tests of changed points: a change to a test's points is reported to the instructor before anybody is graded."""

from __future__ import annotations

import io
import random
import re
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder import course
from autograder.batch import run, workers
from autograder.batch.workers import GraderSetup, Job
from autograder.cli import main
from autograder.cli_support import WRONG_USE
from autograder.course import Assignment, CourseError
from autograder.grading.row import GradeKey
from tests.grader.support.fake_graders import Direct, run_in_this_process, solved
from tests.grader.support.made_up_gradebooks import GRADE, packed
from tests.grader.support.student_folders import put

NAME = "sinusoidal"


class OtherPoints(Direct):
    """Fake graders that read the points of two tests from a suite's name, such as `1: 3, 2` for 3 and 2 points."""

    def submit(self, job: Job) -> Future[bytes]:
        future = super().submit(job)
        if job.key.code == run.REFERENCE_PSEUDO_HASH:
            points = map(float, job.key.grading.partition(": ")[2].split(", "))
            tests = [replace(result.test, points=next(points)) for result in GRADE.test_results]
            results = [
                replace(result, test=test, kind=None) for result, test in zip(GRADE.test_results, tests, strict=True)
            ]
            future = Future()
            future.set_result(packed(replace(GRADE, test_results=results)))
        return future


@pytest.mark.parametrize("seed", range(5))
def test_changed_points_are_named_before_anybody_is_graded(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed points can be a mistake even if the total is right, so the instructor sees the old and new points in time
    to stop the run."""
    put(tmp_path / "class" / NAME, {"ada.py": solved(1)})
    run_in_this_process(monkeypatch)
    monkeypatch.setattr(run, "Processes", OtherPoints)
    draw, before = random.Random(seed), None
    for number in range(8):
        now = draw.choice([(3, 2), (2, 3), (2, 4), (2.25, 2)])
        monkeypatch.setattr(run, "grading_key", lambda *_, suite=f"{number}: {now[0]}, {now[1]}": suite)
        page = io.StringIO()
        run.grade([tmp_path / "class"], tmp_path / "out", console=Console(file=page, width=300))
        pairs = zip(("test_a", "test_b"), now, before or now, strict=True)
        changed = [f"{test} is worth {new:g} and was worth {old:g}" for test, new, old in pairs if new != old]
        sentence = f"Points of {NAME} differ from the last run: {'; '.join(changed)}."
        assert page.getvalue().startswith(sentence) if changed else "differ from" not in page.getvalue()
        before = now


@pytest.mark.parametrize("part", ["public", "hidden"])
def test_points_that_do_not_add_up_grade_nobody(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both a run and a check report mistyped points in one sentence that names the file to correct."""
    path = getattr(course.find(NAME), f"{part}_tests")
    text = path.read_text("utf-8")
    where = rf"must add up to 20, 8 of them public \(points= in tests/{part}/test_{NAME}.py\)\. Nothing was graded"
    for seed, too_many in enumerate((2, 10, 0.0625)):
        folder = tmp_path / f"{seed}" / part
        place = random.Random(seed).choice([*re.finditer(r"(?<=points=)[\d.]+", text)])
        other = float(place[0]) + too_many
        put(folder, {path.name: f"{text[: place.start()]}{other}{text[place.end() :]}", f"{NAME}.py": "x = 1\n"})
        monkeypatch.setattr(Assignment, f"{part}_tests", property(lambda _, file=folder / path.name: file))
        workers._assignment.cache_clear()
        job = Job(GradeKey(NAME, workers.grading_key(Assignment(NAME), ()), "code"), ("x = 1\n",))
        with pytest.raises(CourseError, match=where):
            workers._grade(job, GraderSetup())
    workers._warm_grader.pop().close()
    done = CliRunner().invoke(main, ["check", str(folder / f"{NAME}.py")])
    assert (done.exit_code, done.output.count("\n")) == (WRONG_USE, 1) and re.search(where, done.output)
