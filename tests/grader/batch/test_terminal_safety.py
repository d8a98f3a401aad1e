"""Tests of terminal safety: no name or message in a command's output can control the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli
from autograder.batch.summary import AssignmentSummary
from autograder.cli_support import CHECK_FAILED, WRONG_USE
from autograder.grading.grader import Grader

CONTROLS = "\x07\x1b[2J\x9b31m\x85\u202e\u2066\U000e0041\u2028"
"""Text with a bell, escape sequences, line breaks, and characters that change the direction of text."""


def harmless(text: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in text)


def test_json_is_spelled_out_and_means_the_same(
    tmp_path: Path, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sinusoidal.py"
    file.write_text(f"def frequencies(*_):\n    raise RuntimeError({CONTROLS!r})\n", encoding="utf-8")
    warm = lambda assignment, submission, _: grader.grade(assignment, submission.cells)  # noqa: E731
    monkeypatch.setattr("autograder.grading.grader.grade_alone", warm)
    result = CliRunner().invoke(cli.main, ["check", str(file), "--json"])
    said = result.stdout
    assert said, result.output
    assert harmless(said)
    assert any(CONTROLS in test["message"] for test in json.loads(said)["tests"])


def test_names_are_spelled_out(tmp_path: Path) -> None:
    for arguments in (
        ["check", str(tmp_path / f"{CONTROLS}.py")],
        ["report", str(tmp_path / CONTROLS)],
        ["roster", str(tmp_path / CONTROLS), "--table", str(tmp_path / CONTROLS)],
        ["grade", str(tmp_path / CONTROLS)],
    ):
        result = CliRunner().invoke(cli.main, arguments)
        assert result.exit_code == WRONG_USE
        assert result.output
        assert harmless(result.output), arguments


def test_a_grader_that_fails_over_one_submission_blames_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Students read the error message on Gradescope, so it must not reveal the hidden input on which the
    grader failed."""
    (tmp_path / "rope.py").write_text("def apply_rope(x): return x\n", encoding="utf-8")

    def fail(*_: object) -> None:
        raise RuntimeError(CONTROLS)

    monkeypatch.setattr(Grader, "grade", fail)
    result = CliRunner().invoke(cli.main, ["check", str(tmp_path / "rope.py")])
    assert result.exit_code == CHECK_FAILED and "through no fault of yours" in result.output
    assert "0 of 20" in result.output and harmless(result.output) and "RuntimeError" not in result.output


def test_a_status_is_printed_in_words() -> None:
    rope = AssignmentSummary()
    rope.scores.append(3.5)
    rope.other_statuses["import_error"] += 1
    assert rope.table_cells[-1] == "1 import error"
