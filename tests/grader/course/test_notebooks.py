"""Tests of notebooks: the cells of every notebook run on the solutions in this process, and one notebook also
runs in a real kernel, on a solution and on a stub.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from nbformat import NotebookNode

from assignments import figures
from autograder import course
from autograder.course import Assignment
from autograder.handout.stubs_and_recorded_values import stub

if TYPE_CHECKING:
    from jupyter_client.blocking import BlockingKernelClient

ASSIGNMENTS = course.ROOT / "assignments"


def notebook(assignment: Assignment) -> NotebookNode:
    return nbformat.read(assignment.folder / "explore.ipynb", as_version=4)


def lay_out(folder: Path, written: bool) -> None:
    """Create a student's folder with all functions either implemented or missing."""
    folder.mkdir()
    for path in ASSIGNMENTS.glob("*.py"):
        shutil.copy(path, folder)
    shutil.copytree(ASSIGNMENTS / "writer", folder / "writer")
    for assignment in course.term_assignments():
        target = folder / assignment.name
        target.mkdir()
        source = assignment.solution.read_text("utf-8")
        (target / assignment.solution.name).write_text(source if written else stub(source, assignment.name), "utf-8")
        for pattern in ("figures.py", "lab*.py", "*.csv"):
            for path in assignment.folder.glob(pattern):
                shutil.copy(path, target)
        if (tiny := assignment.folder / "tiny").is_dir():
            shutil.copytree(tiny, target / tiny.name)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an assignments folder in which every function is implemented."""
    folder = tmp_path_factory.mktemp("solved") / "assignments"
    lay_out(folder, written=True)
    return folder


def code(assignment: Assignment) -> list[str]:
    return [cell.source for cell in notebook(assignment).cells if cell.cell_type == "code"]


def test_pictures_come_in_the_order_of_the_page(assignment: Assignment) -> None:
    on_the_page = re.findall(r"figures/(\w+)\.svg", assignment.lesson.read_text("utf-8"))
    drawn = re.findall(r"explore\(figures\.(\w+)", "\n".join(code(assignment)))
    assert [name for name in drawn if name in on_the_page] == [name for name in on_the_page if name in drawn]


def test_a_notebook_runs_from_top_to_bottom(
    assignment: Assignment, solved: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """Each drawing cell draws one picture, with the controls at their initial values, and never a card."""
    figures: list[Figure] = []
    monkeypatch.setattr(
        "ipywidgets.interact",
        lambda draw, **controls: figures.append(draw(**{name: one.value for name, one in controls.items()})),
    )
    monkeypatch.chdir(solved / assignment.name)
    monkeypatch.setattr(sys, "path", [str(solved / assignment.name), *sys.path])
    for name in ("figures", "lab", assignment.name):
        monkeypatch.delitem(sys.modules, name, raising=False)
    notebook: dict[str, Any] = {}
    for source in code(assignment):
        exec(re.sub(r"(?m)^%.*$", "", source), notebook)
    assert len(figures) == sum(source.startswith("figures.explore(") for source in code(assignment)) > 0
    assert not any("waits for" in text.get_text() for one in figures for text in one.findobj(Text))
    assert not recwarn.list


@contextmanager
def running() -> Iterator[BlockingKernelClient]:
    """Yield a kernel that runs this interpreter. The kernel's client avoids two problems of nbclient, which
    loses replies while widgets send messages, and drops output that arrives late."""
    from jupyter_client.manager import start_new_kernel

    manager, kernel = start_new_kernel(startup_timeout=math.inf, kernel_name="python3")
    try:
        yield kernel
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


def run(kernel: BlockingKernelClient, folder: Path, sources: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the kernel's messages for each cell source, after running all the sources in `folder`."""
    kernel.execute_interactive(f"import os, sys\nos.chdir({str(folder)!r})")
    kernel.execute_interactive("for name in ('figures', 'lab'):\n    sys.modules.pop(name, None)")
    sent: dict[str, list[dict[str, Any]]] = {}
    for source in sources:
        sent[source] = []
        kernel.execute_interactive(source, output_hook=sent[source].append)
    return sent


def test_one_notebook_draws_in_a_real_kernel_on_its_solution_and_on_its_stub(solved: Path, tmp_path: Path) -> None:
    """No error or warning appears, and each drawing cell shows exactly one picture, which may be a card."""
    lay_out(tmp_path / "assignments", written=False)
    with running() as kernel:
        for folder in (tmp_path / "assignments", solved):
            ran = run(kernel, folder / "alibi", code(course.find("alibi")))
            sent = [message for messages in ran.values() for message in messages]
            assert [one["content"] for one in sent if one["msg_type"] in ("error", "stream")] == []
            for source, messages in ran.items():
                pictures = [one for one in messages if "image/png" in one["content"].get("data", {})]
                assert len(pictures) == source.startswith("figures."), source


def test_without_sliders_a_picture_stands_still_and_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The handout's requirements omit ipywidgets, because only notebooks need sliders."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    drawn = Figure()
    assert figures.explore(lambda position=1: drawn, position=(0, 3)) is drawn
    assert "pip install ipywidgets" in capsys.readouterr().out


def test_a_notebook_is_kept_without_outputs(assignment: Assignment) -> None:
    kept = notebook(assignment)
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert "widgets" not in kept.metadata
    assert kept.metadata.language_info == {"name": "python"}, "the version of whoever saved it last"


def test_cells_have_names_that_stay(assignment: Assignment) -> None:
    """Cell ids are words that never change, so saving a notebook changes only the edited cells."""
    names = [cell.id for cell in notebook(assignment).cells]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name) for name in names), names


def test_a_notebook_follows_the_students_file(assignment: Assignment) -> None:
    setup = code(assignment)[0]
    assert "%autoreload 2" in setup
    assert f"import {assignment.name}" in setup
