"""What the experiments share: statistics with known answers, files that come back as written, one bar for all jobs."""

from __future__ import annotations

import math
import types
from pathlib import Path

import numpy as np
import pytest

from assignments import measuring


def test_plus_minus_is_the_standard_deviation_with_n_minus_1() -> None:
    assert measuring.spread(np.array([0.0, 1.0])) == "0.50 ± 0.71"
    assert measuring.mean_and_reliable(np.array([0.9, 1.0, 0.8])) == "0.90 ± 0.10 (2)"
    assert measuring.mean_and_reliable(np.array([math.nan])) == "no entry"
    assert [measuring.number(value) for value in (-0.001, -0.5, 2.0)] == ["0.00", "−0.50", "2.00"]


@pytest.mark.parametrize("models", [1, 3, 8])
def test_the_sign_flip_of_a_gain_everywhere_is_as_small_as_it_can_be(models: int) -> None:
    assert measuring.sign_flip(np.arange(1.0, models + 1)) == 2 / 2**models


def test_the_sign_flip_counts_choices_of_signs() -> None:
    # Of ±1 ±1 ±2 only +1+1+2 and its mirror image are as far from 0 as 4; all eight are as far as 0.
    assert measuring.sign_flip(np.array([1.0, 1.0, 2.0])) == 2 / 8
    assert measuring.sign_flip(np.array([1.0, 1.0, -2.0])) == 1
    # |±0.1 ±0.1 ±0.1| ≥ 0.1 for all eight: rounding must not decide it.
    assert measuring.sign_flip(np.array([0.1, 0.1, -0.1])) == 1


def test_differences_are_taken_model_by_model() -> None:
    found = measuring.paired(np.array([0.2, 0.9, 0.5]), np.array([0.3, 1.0, 0.5]))
    assert found.mean == pytest.approx(0.2 / 3)
    assert found.deviation == pytest.approx(np.std([0.1, 0.1, 0.0], ddof=1))
    assert (found.gained, found.models, found.p) == (2, 3, 0.5)
    assert measuring.compared(np.array([0.2, 0.9, 0.5]), np.array([0.3, 1.0, 0.5])) == "+0.07, 2 of 3, p 0.500"
    assert measuring.compared(np.array([0.3, 1.0]), np.array([0.2, 0.9])) == "−0.10, 0 of 2, p 0.500"


def test_rows_come_back(tmp_path: Path) -> None:
    measuring.write_rows(tmp_path / "a.csv", ("x", "y"), [(1, "one, two")])
    assert measuring.rows_of(tmp_path / "a.csv") == [{"x": "1", "y": "one, two"}]


def test_one_run_has_the_jobs_of_all_experiments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def experiment(name: str, jobs: list[tuple[int]]) -> types.ModuleType:
        lab = types.ModuleType(name)
        lab.__file__ = f"/course/assignments/{name}/lab.py"
        lab.jobs = lambda full: jobs + [(9,)] * full  # type: ignore[attr-defined]
        lab.job = lambda path, value: (path.name, value)  # type: ignore[attr-defined]
        lab.keep = lambda path, full, results: f"{path.name} {results}"  # type: ignore[attr-defined]
        return lab

    monkeypatch.setattr(measuring, "side_by_side", lambda calls: (call[0](*call[1:]) for call in calls))
    measuring.run([experiment("rope", [(1,), (2,)]), experiment("alibi", [])], full=True)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "rope.py [('rope.py', 1), ('rope.py', 2), ('rope.py', 9)]"
    assert printed[1] == "alibi.py [('alibi.py', 9)]"


def test_a_missing_function_ends_the_run_with_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwritten(path: Path) -> None:
        raise NotImplementedError("logits is not written yet")

    lab = types.ModuleType("lab")
    lab.__file__, lab.jobs, lab.job = "/course/assignments/rope/lab.py", lambda full: [()], unwritten  # type: ignore[attr-defined]
    lab.keep = lambda path, full, results: str(results)  # type: ignore[attr-defined]
    monkeypatch.setattr(measuring, "side_by_side", lambda calls: (call[0](*call[1:]) for call in calls))
    with pytest.raises(SystemExit, match=r"^rope\.py: logits is not written yet$"):
        measuring.run([lab])
