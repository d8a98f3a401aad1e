"""Tests of the benchmarks, which print one line for each promise about speed or memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from autograder.course import ROOT, find
from tests.grader.tools import bench


def test_the_cost_of_one_grading_is_three_lines_that_say_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "TIMES", 1)
    monkeypatch.setattr(bench, "SIDE_BY_SIDE_ROUNDS", 1)
    lines = list(bench.processor_time(tmp_path, find("alibi")))
    assert [line.unit for line in lines] == ["×", "×", "ms"]
    assert all(line.ratio > 0 and " ms" in line.measured for line in lines)
    console = Console(record=True, width=200)
    console.print(bench._table(lines))
    assert "wall time of grading a file without any function" in console.export_text()


def test_without_an_index_setting_up_has_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BASE_PYTHON", "false")
    assert [*bench.setting_up(tmp_path, find("alibi"))] == []
    assert (tmp_path / "checkout" / "make.sh").is_file() and not (tmp_path / "checkout" / ".venv").exists()


def test_the_readme_promises_what_is_measured() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"at least {bench.MIN_OTTER_RATIO} times as fast as `otter run`" in readme
    assert f"at most {bench.MAX_PIP_SHARE} of pip's time" in readme
