"""Tests of self-study: hidden tests also run on the student's file, in one process, and show causes, reasons
and worked solutions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.laptop import checks_command
from autograder.laptop.page_results import page_results
from autograder.laptop.progress_after_run import AssignmentProgress
from autograder.laptop.self_study import TRIES_BEFORE_REASON
from tests.grader.support.classroom import SAMPLES

Learn = Callable[..., str]
COMPLETE, STUB = ((SAMPLES / "rope" / "complete.py").read_text("utf-8"), course.find("rope").stub.read_text("utf-8"))


@pytest.fixture
def learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Learn:
    """Return a function that saves a solution for rope in a copy of the course and returns the command's
    output."""
    (tmp_path / "assignments").mkdir()
    for path in (course.ROOT / "solutions", course.ROOT / "tests", *(course.ROOT / "assignments").iterdir()):
        if path.name != "rope":
            (tmp_path / path.relative_to(course.ROOT)).symlink_to(path)
    shutil.copytree(course.ROOT / "assignments" / "rope", tmp_path / "assignments" / "rope")
    monkeypatch.setattr(course, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)

    def save_and_run(text: str, *words: str) -> str:
        Path("assignments", "rope", "rope.py").write_text(text, "utf-8")
        assert checks_command.main(["rope", *words]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return save_and_run


def test_what_only_hidden_tests_see_is_told_with_its_cause(learn: Learn) -> None:
    output = learn((SAMPLES / "rope" / "rotated_values.py").read_text("utf-8"), "--alone")
    assert "Likely cause: You rotated the values as well" in output and "✗ rope_attention" in output
    assert ">>> rope_attention(" in output and "decided by tests" not in output
    # The right decode_step fails only a hidden test that compares decode_step with rope_attention.
    assert "decode_step              its test also calls `rope_attention`: fix that first" in output
    assert ">>> decode_step(" not in output


@pytest.mark.long
def test_what_only_a_hidden_test_sees_is_seen(learn: Learn) -> None:
    wrong_for_long_vectors = COMPLETE.replace(
        "def rotate_half(x):", "def rotate_half(x):\n    if np.shape(x)[-1] > 8: return x"
    )
    assert "✗ rotate_half" in learn(wrong_for_long_vectors, "--alone") and "✓ rotate_half" in learn(
        wrong_for_long_vectors
    )


@pytest.mark.long
def test_one_wrong_base_is_told_once(learn: Learn) -> None:
    output = learn((SAMPLES / "rope" / "exponent_counts_pairs.py").read_text("utf-8"), "--alone")
    assert output.count("Likely cause: ") == 1 and "✗ rope_frequencies" in output
    assert output.count("builds on `rope_frequencies`: fix that first") == 9 and "3 of 13 functions are right" in output


DAMAGED_TRIES = ["", "{", "null", "[]", "\xff", '{"rope": []}', '{"rope": {"rotates_values": "True"}}']


@pytest.mark.parametrize("text", DAMAGED_TRIES)
def test_damaged_tries_are_counted_anew(learn: Learn, text: str) -> None:
    """A killed run may have damaged `.tries.json`, or the file may have come in a zip of somebody else's work."""
    Path(".tries.json").write_text(text, "latin-1")
    learn(COMPLETE.replace('"rotates_values": False', '"rotates_values": True'), "--alone")
    assert json.loads(Path(".tries.json").read_text("utf-8"))["rope"]["rotates_values"] == ["True"]


@pytest.mark.long
def test_a_right_answer_has_its_reason_and_a_wrong_one_after_two_tries(learn: Learn) -> None:
    """A wrong yes-or-no answer is explained immediately, because only one other answer is left."""
    number = "score_change_when_all_shift_by_5"
    for answer, tries in (("2", 1), ("2", 1), ("4", 2)):
        output = learn(COMPLETE.replace(f'"{number}": 0.0', f'"{number}": {answer}'), "--alone")
        assert ("The reason comes after 2 wrong answers; this is number 1." in output) is (tries < 2)
    wrong = f"✗ {number}: 4 is not right. The right answer is 0; "
    assert 0 < output.find(wrong) < output.find("✓ rotates_values: False is right: ")
    assert "The right answer is False" not in output
    assert "All functions are right! Now the questions at assignments/rope/rope.py:" in output
    output = learn(COMPLETE.replace('"rotates_values": False', '"rotates_values": True'), "--alone")
    assert "✗ rotates_values: True is not right. The right answer is False; " in output


@pytest.mark.long
def test_an_answer_of_another_type_costs_no_try_and_learns_only_the_type(learn: Learn) -> None:
    for key, right, answer, form in (
        ("rotates_values", "False", "'no'", "True or False, without quotes,"),
        ("rotates_values", "False", "0", "True or False"),
        ("score_change_when_all_shift_by_5", "0.0", "[np.float64(0.5), np.int64(3)]", "a whole number"),
    ):
        for _ in range(TRIES_BEFORE_REASON):
            output = learn(COMPLETE.replace(f'"{key}": {right}', f'"{key}": {answer}'), "--alone")
        shown = answer.replace("np.float64(0.5)", "0.5").replace("np.int64(3)", "3")
        assert output.count(f"✗ {key}: write {form} instead of {shown}.") == output.count(f"{key}: ") == 1


@pytest.mark.long
def test_a_solution_opens_with_its_helpers_and_freely_once_its_function_is_right(learn: Learn) -> None:
    shown = learn(COMPLETE, "--show", "rotate_half")
    assert "def rotate_half(" in shown and "def apply_rope(" not in shown
    assert "SOLUTION" not in shown and "is not right yet" not in shown
    shown = learn(STUB, "--show", "rope_frequencies").strip()
    warning = (
        "Your rope_frequencies is not right yet. Once you have read the solution, you can no longer find it yourself."
        "\n\ndef "
    )
    assert shown.startswith(warning) and shown.index("def _check_even(") < shown.index("def rope_frequencies(")


def test_the_page_shows_hidden_tests_and_folds_solutions(learn: Learn, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option `--alone` works with `--page` as well as with `--watch`."""
    states: list[dict[str, object]] = []

    def serve(first: str, saves: object, check: Callable[[list[str]], list[AssignmentProgress]], port: int) -> None:
        states.append(page_results(check([first])))

    monkeypatch.setattr(checks_command.live_page, "serve", serve)
    learn((SAMPLES / "rope" / "rotated_values.py").read_text("utf-8"), "--alone", "--page")
    mark, text = states[0]["rope"]["functions"]["rope_attention"]  # type: ignore[index]
    assert mark == "✗" and "&gt;&gt;&gt; rope_attention(" in text
    assert "<summary>A worked solution. Your rope_attention is not right yet." in text and "def rope_attention(" in text
