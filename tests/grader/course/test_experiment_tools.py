"""Tests of the tools that all experiments share: statistics with known answers, lossless files, and a single
progress bar.
"""

from __future__ import annotations

import importlib
import io
import math
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assignments import experiments
from autograder.course import ROOT

LABS = [path.parent.name for path in (ROOT / "assignments").glob("*/lab.py")]


def test_plus_minus_is_the_standard_deviation_with_n_minus_1() -> None:
    assert experiments.spread(np.array([0.0, 1.0])) == "0.50 ± 0.71"
    assert experiments.mean_and_reliable(np.array([0.9, 1.0, 0.8])) == "0.90 ± 0.10 (2)"
    assert experiments.mean_and_reliable(np.array([math.nan])) == "no entry"
    assert [experiments.number(value) for value in (-0.001, -0.5, 2.0)] == ["0.00", "−0.50", "2.00"]


@pytest.mark.parametrize("models", [1, 3, 8])
def test_the_sign_flip_of_a_gain_everywhere_is_as_small_as_it_can_be(models: int) -> None:
    assert experiments.sign_flip(np.arange(1.0, models + 1)) == 2 / 2**models


def test_the_sign_flip_counts_choices_of_signs() -> None:
    # Of the eight sums ±1 ±1 ±2, two have an absolute value of at least 4, and all have one of at least 0.
    assert experiments.sign_flip(np.array([1.0, 1.0, 2.0])) == 2 / 8
    assert experiments.sign_flip(np.array([1.0, 1.0, -2.0])) == 1
    # |±0.1 ±0.1 ±0.1| ≥ 0.1 for all eight choices of signs, whatever the rounding.
    assert experiments.sign_flip(np.array([0.1, 0.1, -0.1])) == 1
    assert experiments.sign_flip(np.array([0.3, 0.1, 0.2, -0.6])) == 1


def test_differences_are_taken_model_by_model() -> None:
    found = experiments.paired(np.array([0.2, 0.9, 0.5]), np.array([0.3, 1.0, 0.5]))
    assert found.mean == pytest.approx(0.2 / 3)
    assert found.deviation == pytest.approx(np.std([0.1, 0.1, 0.0], ddof=1))
    assert (found.gained, found.models, found.p) == (2, 3, 0.5)
    assert experiments.compared(np.array([0.2, 0.9, 0.5]), np.array([0.3, 1.0, 0.5])) == "+0.07, 2 of 3, p 0.500"
    assert experiments.compared(np.array([0.3, 1.0]), np.array([0.2, 0.9])) == "−0.10, 0 of 2, p 0.500"


def test_rows_come_back(tmp_path: Path) -> None:
    experiments.write_rows(tmp_path / "a.csv", ("x", "y"), [(1, "one, two")])
    assert experiments.rows_of(tmp_path / "a.csv") == [{"x": "1", "y": "one, two"}]


def experiment(name: str, job: Callable[..., object]) -> types.ModuleType:
    lab = types.ModuleType(name)
    lab.__file__ = f"/course/assignments/{name}/lab.py"
    lab.jobs = lambda full: [(1,)] + [(9,)] * full  # type: ignore[attr-defined]
    lab.job = job  # type: ignore[attr-defined]
    lab.keep = lambda path, full, results: f"{path.name} {results}"  # type: ignore[attr-defined]
    return lab


def test_a_missing_function_ends_its_own_experiment_with_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a function is missing, the experiments of other lessons still run."""

    def unwritten(path: Path, value: int) -> None:
        raise NotImplementedError("logits is not written yet")

    monkeypatch.setattr(experiments, "side_by_side", lambda calls: (call[0](*call[1:]) for call in calls))
    labs = [experiment("alibi", unwritten), experiment("rope", lambda path, value: (path.name, value))]
    with pytest.raises(SystemExit, match=r"^alibi\.py: logits is not written yet$"):
        experiments.run(labs, full=True)
    assert capsys.readouterr().out == "rope.py [('rope.py', 1), ('rope.py', 9)]\n"


@pytest.mark.parametrize("arguments, names", [(["modern"], ["modern"]), ([], sorted(LABS))])
def test_one_lesson_s_experiment_is_asked_for_by_its_name(
    arguments: list[str], names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(experiments, "run", lambda labs, full: asked.extend(lab.HERE.name for lab in labs))
    experiments.main(arguments)
    assert asked == names


@pytest.mark.parametrize("name", LABS)
def test_each_experiment_is_a_command_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["lab", "--help"])
    monkeypatch.delitem(sys.modules, f"assignments.{name}.lab", raising=False)
    with pytest.raises(SystemExit, match="^0$"):
        runpy.run_module(f"assignments.{name}.lab", run_name="__main__")


def test_a_pipe_that_lacks_a_sign_loses_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, a pipe's code page lacks ✓ and −, but the rest of the report still arrives."""
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setattr(experiments, "side_by_side", lambda calls: (call[0](*call[1:]) for call in calls))
    monkeypatch.setattr(experiments, "import_module", lambda name: experiment("rope", lambda path, value: "−0.5 ± 0.1"))
    experiments.main(["modern"])
    pipe.flush()
    assert "-0.5 ± 0.1" in pipe.buffer.getvalue().decode("cp1252")  # type: ignore[attr-defined]


def test_a_sign_that_a_pipe_lacks_is_not_the_students_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command for a single method prints its table even to a pipe that cannot encode every character, because an
    exception would seem to come from the student's file."""
    lab = importlib.import_module("assignments.extrapolation.lab")
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setattr(lab, "measure_one", lambda *arguments: print("−0.5 ± 0.1"))
    lab.main([lab.METHODS[0]])
    pipe.flush()
    assert pipe.buffer.getvalue() == b"-0.5 +- 0.1\n"  # type: ignore[attr-defined]
