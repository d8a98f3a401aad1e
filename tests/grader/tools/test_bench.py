"""The bench measures what it says: a class of distinct submissions, and a line for each promise of speed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from autograder.course import find
from tests.grader.tools import bench


def test_the_submissions_are_distinct_and_some_are_wrong(tmp_path: Path) -> None:
    bench.make_class(tmp_path, find("alibi"), 10)
    texts = [path.read_text("utf-8") for path in sorted((tmp_path / "alibi").iterdir())]
    assert len(set(texts)) == 10
    bodies = {text.partition("\n")[2] for text in texts}
    assert find("alibi").solution.read_text("utf-8") in bodies and find("alibi").stub.read_text("utf-8") in bodies


def test_the_cost_of_one_grading_is_three_lines_that_say_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "TIMES", 1)
    lines = list(bench.processor_time(tmp_path, find("alibi"), 1))
    assert [line.unit for line in lines] == ["×", "×", "ms"]
    assert all(line.ratio > 0 and " ms" in line.measured for line in lines)
    console = Console(record=True, width=200)
    console.print(bench._table(lines))
    assert "wall time of grading a file without any function" in console.export_text()
