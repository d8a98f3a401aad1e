"""A course as its instructor needs it: assignments left out, opened one after the other, and solved in public after the
deadline."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
import yaml

from autograder import course
from autograder.grading import quiz
from autograder.grading.suite import Suite
from autograder.handout import bundle, services, solutions

ROPE = course.find("rope")


@pytest.fixture
def left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that names what is left out."""
    path = tmp_path / "left_out.txt"
    monkeypatch.setattr(course, "left_out_file", lambda: path)
    return path


def test_an_assignment_is_left_out_by_one_word(left_out: Path) -> None:
    names = [one.name for one in course.assignments()]
    left_out.write_text("modern\n")
    assert [one.name for one in course.assignments()] == [name for name in names if name != "modern"]
    with pytest.raises(LookupError, match="modern"):
        course.find("modern")


def test_a_wrong_word_is_refused(left_out: Path) -> None:
    left_out.write_text("modren\n")
    with pytest.raises(course.CourseError, match="left_out.txt names modren; the course has .*modern"):
        course.assignments()


def test_a_handout_of_some_has_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """But the pages, which are the whole course to read."""
    monkeypatch.setattr(bundle, "course", lambda: {})
    beyond = bundle.contents(["rope"]).keys()
    for one in course.assignments():
        folder = [name for name in beyond if name.startswith(f"assignments/{one.name}/")]
        others = {f"tests/public/test_{one.name}.py", f".github/classroom/{one.name}.yml"} & beyond
        assert (len(folder) > 5 and len(others) == 2) if one == ROPE else not folder and not others
    assert "LICENSE" in beyond and "assignments/figures.py" in beyond


def test_classroom_gives_the_public_points_function_by_function() -> None:
    """In whole points, which is all that it takes."""
    suite = Suite(ROPE).tests
    made = services.files(ROPE, suite)[".github/classroom/rope.yml"]
    steps = yaml.safe_load(made)["jobs"]["run-autograding-tests"]["steps"]
    graders = {step["id"]: step["with"] for step in steps if "command" in step.get("with", {})}
    public = [test for test in suite if not test.hidden]
    assert set(graders) == {test.question for test in public}
    for name, one in graders.items():
        assert one["max-score"] == 8 * sum(test.points for test in public if test.question == name)
        assert one["command"] == f"python -m autograder.checks rope.{name} --strict"
    assert steps[-1]["with"]["runners"].split(",") == [*graders]
    assert set(steps[-1]["env"]) == {f"{name.upper()}_RESULTS" for name in graders}


def test_the_page_of_solutions_has_every_function_and_every_answer_with_its_reason(
    tmp_path: Path, left_out: Path
) -> None:
    left_out.write_text(" ".join(one.name for one in course.assignments() if one != ROPE))
    assert solutions.build(tmp_path / "solutions") == [tmp_path / "solutions" / "rope.html"]
    page = html.unescape(re.sub(r"<[^>]*>", "", (tmp_path / "solutions" / "rope.html").read_text("utf-8")))
    assert "BEGIN SOLUTION" not in page and all(f"def {name}(" in page for name in ("apply_rope", "decay_bound"))
    for key, answer in quiz.answers(ROPE).items():
        assert f'"{key}": ' in page and answer.reason and answer.reason in page
