"""Learning alone: hidden tests too on one's own file, in one process, with causes, reasons and worked solutions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.grader.support import classroom
from tests.grader.support.handed_in import SAMPLES

Learn = Callable[..., str]


@pytest.fixture
def learn(tmp_path: Path) -> Learn:
    """What the command prints in a checkout, where rope is solved like this."""
    root = classroom.copy_of_the_course(tmp_path)

    def learned(text: str, *words: str) -> str:
        (root / "assignments" / "rope" / "rope.py").write_text(text, "utf-8")
        command = [sys.executable, "-P", "-m", "autograder.checks", "rope", *words]
        env = {"PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.stdout

    return learned


def sample(name: str) -> str:
    return (SAMPLES / "rope" / f"{name}.py").read_text("utf-8")


def test_what_only_hidden_tests_see_is_told_with_its_cause(learn: Learn) -> None:
    said = learn(sample("tim"), "--alone")
    assert "Likely cause: You rotated the values as well" in said and "✗ rope_attention" in said
    assert ">>> rope_attention(" in said and "decided by tests" not in said
    lazy = sample("ada").replace("def rotate_half(x):", "def rotate_half(x):\n    if np.shape(x)[-1] > 8: return x")
    assert "✗ rotate_half" in learn(lazy, "--alone") and "✓ rotate_half" in learn(lazy)


def test_a_right_answer_has_its_reason_and_a_wrong_one_is_told_after_a_few_tries(learn: Learn) -> None:
    right = sample("ada")
    assert "✓ rotates_values is right: False; " in learn(right, "--alone")
    number = "score_change_when_all_shift_by_5"
    for tries, given in enumerate(("2", "3", "3", "4"), start=1):
        said = learn(right.replace(f'"{number}": 0', f'"{number}": {given}'), "--alone")
        assert (f"✗ {number} is not right: 0; " in said) is (tries == 4)
    said = learn(right.replace('"rotates_values": False', '"rotates_values": True'), "--alone")
    assert "✗ rotates_values is not right: False; " in said, "of two answers the first try tells both"


def test_a_solution_opens_freely_once_its_function_is_right(learn: Learn) -> None:
    shown = learn(sample("ada"), "--show", "rotate_half")
    assert shown.count("def ") == 1 and "SOLUTION" not in shown and "is not right yet" not in shown
    shown = learn(sample("hedy"), "--show", "rope_frequencies")
    assert "Your rope_frequencies is not right yet. What you read now, you will not find yourself" in shown
    assert "def rope_frequencies(" in shown
