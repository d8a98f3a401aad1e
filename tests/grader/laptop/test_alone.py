"""Learning alone: hidden tests too on one's own file, in one process, with causes, reasons and worked solutions."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.laptop import launch
from tests.grader.support.classroom import SAMPLES

Learn = Callable[..., str]
ADA = (SAMPLES / "rope" / "ada.py").read_text("utf-8")


@pytest.fixture
def learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Learn:
    """What the command prints in a checkout, where an assignment is solved like this."""
    (tmp_path / "assignments").mkdir()
    for path in (course.ROOT / "solutions", course.ROOT / "tests", *(course.ROOT / "assignments").iterdir()):
        if path.name not in ("rope", "sinusoidal"):
            (tmp_path / path.relative_to(course.ROOT)).symlink_to(path)
    for name in ("rope", "sinusoidal"):
        shutil.copytree(course.ROOT / "assignments" / name, tmp_path / "assignments" / name)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)

    def learned(text: str, *words: str, name: str = "rope") -> str:
        Path("assignments", name, f"{name}.py").write_text(text, "utf-8")
        assert launch.main([name, *words]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return learned


def test_what_only_hidden_tests_see_is_told_with_its_cause(learn: Learn) -> None:
    said = learn((SAMPLES / "rope" / "tim.py").read_text("utf-8"), "--alone")
    assert "Likely cause: You rotated the values as well" in said and "✗ rope_attention" in said
    assert ">>> rope_attention(" in said and ">>> decode_step(" in said and "decided by tests" not in said
    lazy = ADA.replace("def rotate_half(x):", "def rotate_half(x):\n    if np.shape(x)[-1] > 8: return x")
    assert "✗ rotate_half" in learn(lazy, "--alone") and "✓ rotate_half" in learn(lazy)


@pytest.mark.long
def test_one_wrong_base_is_told_once_and_a_missing_refusal_costs_itself_alone(learn: Learn) -> None:
    said = learn((SAMPLES / "rope" / "hedy.py").read_text("utf-8"), "--alone")
    assert said.count("Likely cause: ") == 1 and "✗ rope_frequencies" in said
    assert said.count("builds on `rope_frequencies`: fix that first") == 9 and "3 of 13 functions are right" in said
    solution = course.find("sinusoidal").solution.read_text("utf-8")
    refusal = solution[solution.index("    _check_even(d_model)\n") : solution.index("    return float(base)")]
    said = learn(solution.replace(refusal, "", 1), "--alone", name="sinusoidal")
    assert "✗ frequencies" in said and "7 of 8 functions are right" in said


@pytest.mark.long
def test_a_right_answer_has_its_reason_and_a_wrong_one_is_told_after_a_few_tries(learn: Learn) -> None:
    assert "✓ rotates_values: False. Right is False; " in learn(ADA, "--alone")
    number = "score_change_when_all_shift_by_5"
    for tries, given in enumerate(("2", "3", "3", "4"), start=1):
        said = learn(ADA.replace(f'"{number}": 0.0', f'"{number}": {given}'), "--alone")
        assert (f"✗ {number}: 4. Right is 0; " in said) is (tries == 4)
        assert "All functions are right! Now the questions at assignments/rope/rope.py:" in said


@pytest.mark.long
def test_a_solution_opens_freely_once_its_function_is_right(learn: Learn) -> None:
    shown = learn(ADA, "--show", "rotate_half")
    assert (
        "def rotate_half(" in shown
        and "def apply_rope(" not in shown
        and "SOLUTION" not in shown
        and "is not right yet" not in shown
    )
    shown = learn((SAMPLES / "rope" / "hedy.py").read_text("utf-8"), "--show", "rope_frequencies")
    assert "Your rope_frequencies is not right yet: what you read in this solution, you will not find yourself" in shown
    assert "def rope_frequencies(" in shown
    stub = course.find("sinusoidal").stub.read_text("utf-8")
    assert "def _check_even(" in learn(stub, "--show", "frequencies", name="sinusoidal"), "a helper that a stub lacks"
