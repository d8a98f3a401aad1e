"""`autograder check`: what a teaching assistant reads of one submission to answer a mail."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder import course
from autograder.cli import main
from autograder.grading.grader import Grade
from autograder.reports import one_submission
from autograder.submission import Submission, read_file
from tests.grader.support.once import Graded

ROPE = course.ROOT / "tests" / "submissions" / "rope"


def printed(submission: Submission, grade: Grade | None, everything: bool = False) -> str:
    out = io.StringIO()
    one_submission.print_result(submission, grade, Console(file=out, width=80), everything)
    return out.getvalue()


def test_failures_alone_a_block_per_function_and_each_cause_once(graded: Graded) -> None:
    submission, grade = graded(ROPE / "hedy.py")
    said = printed(submission, grade)
    blocks = [line.split()[0] for line in said.splitlines() if line and line[0].isalpha() and " of " in line]
    wrong = {one.test.question for one in grade.test_results if one.is_mistake}
    assert set(blocks) - {"rope:", "hidden:"} == wrong
    hints = {one.hint for one in grade.test_results if one.hint}
    assert hints and all(said.count(hint) == 1 for hint in hints)  # on one line each, however narrow the terminal
    assert "✓ Right, given rope_frequencies: rope_cos_sin" in said
    assert "✓ Complete: rotate_half" in said and said.count("✓") == 2
    assert said.rstrip().endswith(f"rope: {grade.score:g} of 20, graded")


def test_all_shows_every_test(graded: Graded) -> None:
    submission, grade = graded(ROPE / "hedy.py")
    said = printed(submission, grade, everything=True)
    assert all(one.test.name.removeprefix("test_") in said or one.status.is_unwritten for one in grade.test_results)
    assert all(line in said for one in grade.test_results if one.is_mistake for line in one.message.splitlines())


def test_hidden_inputs_are_marked(graded: Graded) -> None:
    submission, grade = graded(ROPE / "tim.py")
    said = printed(submission, grade)
    assert "attention_values  0 of 0.5, hidden" in said
    assert "hidden: the input and values of these tests are not for the student." in said
    right = printed(*graded(ROPE / "ada.py"))
    assert "hidden" not in right and "20 of 20" in right


def test_what_cannot_be_read_is_one_sentence() -> None:
    bad = next(path for path in sorted(ROPE.iterdir()) if read_file(path, "rope", ["rope"]).problem is not None)
    submission = read_file(bad, "rope", ["rope"])
    assert printed(submission, None).startswith("unreadable: ")


@pytest.mark.parametrize("flags", [[], ["--assignment", "rope"]])
def test_the_json_keeps_its_format(flags: list[str], tmp_path: Path) -> None:
    """With a name that says nothing, the functions tell the assignment."""
    file = tmp_path / "final version.py"
    file.write_bytes((ROPE / "hedy.py").read_bytes())
    done = CliRunner().invoke(main, ["check", str(file), "--json", *flags])
    assert done.exit_code == 1, done.output
    found = json.loads(done.output)
    assert list(found) == ["assignment", "score", "max_score", "status", "tests"]
    assert list(found["tests"][0]) == [
        "question",
        "name",
        "hidden",
        "points",
        "max_points",
        "status",
        "message",
        "hint",
    ]
    assert (found["assignment"], found["max_score"]) == ("rope", 20)


def test_a_name_and_functions_that_tell_nothing(tmp_path: Path) -> None:
    file = tmp_path / "final version.py"
    file.write_text("x = 1\n")
    done = CliRunner().invoke(main, ["check", str(file)])
    assert done.exit_code == 2 and "--assignment NAME" in " ".join(done.output.split())
