"""Tests of `autograder check`, which shows a teaching assistant the details of one submission."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder import bounded_processes, course
from autograder.cli import main
from autograder.grading.grade import Grade
from autograder.reports import submission_result
from autograder.submission import Submission, read_submission
from tests.grader.support.fixtures_built_once import Graded

ROPE = course.ROOT / "tests" / "submissions" / "rope"


def printed(submission: Submission, grade: Grade | None) -> str:
    out = io.StringIO()
    submission_result.print_result(submission, grade, Console(file=out, width=80))
    return out.getvalue()


def test_every_mistake_is_shown_and_each_cause_once(graded: Graded) -> None:
    submission, grade = graded(ROPE / "rotated_values.py")
    output = printed(submission, grade)
    assert output.startswith(f"rope: {grade.score:g} of 20 points")
    for mistake in (one for one in grade.test_results if one.is_mistake):
        hidden = ", hidden" if mistake.test.hidden else ""
        assert f"`{mistake.test.name}` (0 of {mistake.test.points:g}{hidden})" in output
        assert all(line in output for line in mistake.message.splitlines())  # not wrapped, even in a narrow terminal
    hints = {one.hint for one in grade.test_results if one.hint}
    assert hints and all(output.count(hint) == 1 for hint in hints)
    assert "Inputs and expected values of hidden tests are not for students." in output
    right = printed(*graded(ROPE / "complete.py"))
    assert "hidden" not in right and "20 of 20" in right


def test_what_cannot_be_read_is_one_sentence() -> None:
    bad = next(path for path in sorted(ROPE.iterdir()) if read_submission(path, "rope", ["rope"]).problem is not None)
    submission = read_submission(bad, "rope", ["rope"])
    assert "Not graded. The file is not Python" in printed(submission, None)


@pytest.mark.long
def test_the_flag_tells_the_assignment_of_a_name_that_says_nothing(tmp_path: Path) -> None:
    """The keys of the JSON output are tested in `test_formats_document`."""
    file = tmp_path / "final version.py"
    file.write_bytes((ROPE / "exponent_counts_pairs.py").read_bytes())
    done = CliRunner().invoke(main, ["check", str(file), "--assignment", "rope", "--json"])
    assert done.exit_code == 1, done.output
    result = json.loads(done.output)
    assert (result["assignment"], result["max_score"]) == ("rope", 20)


def test_without_the_flag_such_a_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions in the file do not identify the assignment, so the message names the missing option."""
    monkeypatch.setattr(bounded_processes, "run_bounded", lambda function, argument: function(argument))
    file = tmp_path / "final version.py"
    file.write_bytes((ROPE / "exponent_counts_pairs.py").read_bytes())
    for environment, option in (({}, "--assignment NAME"), ({"TYPED_MAKE": "1"}, "ASSIGNMENT=NAME")):
        done = CliRunner().invoke(main, ["check", str(file)], env=environment)
        assert done.exit_code == 2 and option in " ".join(done.output.split())
        assert ("--assignment" in done.output) == (not environment)
