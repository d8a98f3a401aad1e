"""A course as its instructor needs it: assignments left out, opened one after the other, and solved in public after the
deadline."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
import yaml

from autograder import course
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.grading.suite import Suite
from autograder.handout import bundle, services, solutions


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


def test_a_handout_of_some_has_nothing_of_the_others() -> None:
    """But the pages, which are the whole course to read."""
    files = bundle.contents(["rope"])
    beyond = {name for name in files if not name.startswith(f"{bundle.COURSE}/")}
    for one in course.assignments():
        own = {
            f"assignments/{one.name}/README.md",
            f"tests/public/test_{one.name}.py",
            f".github/classroom/{one.name}.yml",
        }
        assert (
            own <= beyond
            if one.name == "rope"
            else not any(name.startswith(f"assignments/{one.name}/") for name in beyond) and not own & beyond
        )
    assert "LICENSE" in beyond and "assignments/figures.py" in beyond


def test_classroom_gives_the_public_points_function_by_function(assignment: Assignment) -> None:
    """In whole points, which is all that it takes."""
    suite = Suite(assignment).tests
    made = services.files(assignment, suite)[f".github/classroom/{assignment.name}.yml"]
    steps = yaml.safe_load(made)["jobs"]["run-autograding-tests"]["steps"]
    graders = {step["id"]: step["with"] for step in steps if "command" in step.get("with", {})}
    public = [test for test in suite if not test.hidden]
    assert set(graders) == {test.question for test in public}
    times = sum(one["max-score"] for one in graders.values()) / sum(test.points for test in public)
    for name, one in graders.items():
        assert one["max-score"] == times * sum(test.points for test in public if test.question == name)
        assert one["command"] == f"python -m autograder.checks {assignment.name}.{name} --strict"
    assert steps[-1]["with"]["runners"].split(",") == [*graders] and set(steps[-1]["env"]) == {
        f"{name.upper()}_RESULTS" for name in graders
    }


def test_the_page_of_solutions_has_every_function_and_every_answer_with_its_reason(assignment: Assignment) -> None:
    page = html.unescape(re.sub(r"<[^>]*>", "", solutions.page(assignment)))
    answers = quiz.answers(assignment)
    assert "BEGIN SOLUTION" not in page and answers
    for key, answer in answers.items():
        assert f'"{key}": ' in page and answer.reason and answer.reason in page


def test_a_page_of_what_is_left_out_goes(tmp_path: Path, left_out: Path) -> None:
    left_out.write_text(" ".join(one.name for one in course.assignments() if one.name != "rope"))
    folder = tmp_path / "solutions"
    folder.mkdir()
    (folder / "modern.html").write_text("of last term")
    assert solutions.build(folder) == [folder / "rope.html"] == [*folder.iterdir()]
