"""The notebooks run from top to bottom in a real kernel on the solution, one of them on a stub as well, and are kept
without outputs.

All of them run in one kernel: starting one takes longer than running a notebook.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder import course
from autograder.course import Assignment
from autograder.handout import stub
from tests.grader.support import kernels

GIVEN = course.ROOT / "assignments"

Sent = dict[str, dict[str, list[kernels.Message]]]
"""Notebook → source of each code cell → what the kernel sent while it ran."""


def notebook(assignment: Assignment) -> NotebookNode:
    return nbformat.read(assignment.folder / "explore.ipynb", as_version=4)


def lay_out(folder: Path, written: bool) -> None:
    """What a student has on disk, with the functions written or not."""
    folder.mkdir()
    for path in GIVEN.glob("*.py"):
        shutil.copy(path, folder)
    for assignment in course.assignments():
        target = folder / assignment.name
        target.mkdir()
        source = assignment.solution.read_text("utf-8")
        (target / assignment.solution.name).write_text(source if written else stub(source, assignment.name), "utf-8")
        for pattern in ("figures.py", "lab.py", "*.csv"):
            for path in assignment.folder.glob(pattern):
                shutil.copy(path, target)


@pytest.fixture(scope="module", params=[False, True], ids=["stub", "solution"])
def executed(request: pytest.FixtureRequest, quick_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """All notebooks, run. What a picture without its functions is, `test_figures` asks: one notebook shows it."""
    folder = tmp_path_factory.mktemp("handout") / "assignments"
    lay_out(folder, request.param)
    with kernels.running(quick_python) as kernel:
        # Pictures are made and shown, and nobody waits for their pixels.
        kernel.execute_interactive("%matplotlib inline\n%config InlineBackend.figure_formats = []")
        return {
            assignment.name: kernels.run(kernel, folder / assignment.name, code(assignment))
            for assignment in course.assignments()
            if request.param or assignment.name == "rope"
        }


def code(assignment: Assignment) -> list[str]:
    return [cell.source for cell in notebook(assignment).cells if cell.cell_type == "code"]


def test_notebooks_run_from_top_to_bottom(executed: Sent) -> None:
    """No error and no warning, and from each cell that draws one picture, be it a card."""
    for name, ran in executed.items():
        sent = [message for messages in ran.values() for message in messages]
        assert [one["content"] for one in sent if one["msg_type"] in ("error", "stream")] == [], name
        drawing = {source: messages for source, messages in ran.items() if source.startswith("figures.")}
        assert drawing
        for source, messages in drawing.items():
            shown = [one["content"].get("data", {}).get("text/plain", "") for one in messages]
            assert len([text for text in shown if text.startswith("<Figure ")]) == 1, source


def test_a_notebook_is_kept_without_outputs(assignment: Assignment) -> None:
    kept = notebook(assignment)
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert "widgets" not in kept.metadata
    assert kept.metadata.language_info == {"name": "python"}, "the version of whoever saved it last"


def test_cells_have_names_that_stay(assignment: Assignment) -> None:
    """A cell's id says what it is for, so that saving a notebook changes nothing that was not changed."""
    names = [cell.id for cell in notebook(assignment).cells]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name) for name in names), names


def test_a_notebook_follows_the_students_file(assignment: Assignment) -> None:
    setup = code(assignment)[0]
    assert "%autoreload 2" in setup
    assert f"import {assignment.name}" in setup
