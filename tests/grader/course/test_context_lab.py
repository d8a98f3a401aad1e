"""The given run of lesson 8: right gradients, tasks that ask what they say, one rule for two methods, numbers that are
still true."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assignments import measuring
from assignments.context_extension import lab
from assignments.extrapolation.lab import loss_and_gradients
from autograder import course
from autograder.handout import stub
from autograder.hints import catalogue

ASSIGNMENT = course.find("context_extension")
SOLUTION = catalogue.solution(ASSIGNMENT)
TASKS = {"copy 3 back": lab.COPYING, "passkey": lab.PASSKEY, "latest passkey": lab.LATEST}
every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


@every_task
def test_gradients_at_the_last_positions_are_those_of_finite_differences(task: lab.Task) -> None:
    """Queries of the last positions alone, scaled rotations, and the token before in the embedding."""
    setting = lab.Setting(trained_length=6, vocabulary=5, width=4, back=4)
    reading = lab.rotated(SOLUTION, "YaRN", setting, 9)
    parameters = lab.draw_parameters(task, setting, seeds=[0, 1])
    rng = np.random.default_rng(0)
    drawn = [task.examples(rng, 3, 9, setting) for _ in range(2)]
    sequences, answers = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
    assert answers.shape[-1] < sequences.shape[-1] - 1
    _, gradients = loss_and_gradients(parameters, reading, sequences, answers)
    assert ("before" in gradients) == task.marked
    for key, gradient in gradients.items():
        for _ in range(6):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            losses = []
            for moved in (1e-5, -1e-5):
                shifted = {other: value.copy() for other, value in parameters.items()}
                shifted[key][place] += moved
                losses.append(loss_and_gradients(shifted, reading, sequences, answers)[0][place[0]])
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-8, rel=1e-5), (key, place)


@pytest.mark.parametrize("length", lab.Setting().lengths)
def test_the_tasks_ask_what_they_say(length: int) -> None:
    setting, rng, rows = lab.Setting(), np.random.default_rng(0), np.arange(50)
    sequences, answers = lab.COPYING.examples(rng, 50, length, setting)
    assert answers.shape == (50, 13)
    assert np.array_equal(answers, sequences[:, length - 16 : length - 3])
    for task, marks in ((lab.PASSKEY, 1), (lab.LATEST, 2)):
        sequences, answers = task.examples(rng, 50, length, setting)
        marked = sequences == setting.vocabulary
        assert (marked.sum(axis=1) == marks).all() and not marked[:, -2:].any()
        later = length - 1 - marked[:, ::-1].argmax(axis=1)
        assert np.array_equal(answers[:, 0], sequences[rows, later + 1])
        assert (answers < setting.vocabulary).all(), "after a mark stands a token, not the other mark"


def test_marks_stand_everywhere_and_in_each_order() -> None:
    sequences, _ = lab.LATEST.examples(np.random.default_rng(0), 4000, 7, lab.Setting())
    pairs = {tuple(np.flatnonzero(row == lab.Setting().vocabulary)) for row in sequences}
    assert pairs == {(a, b) for a in range(5) for b in range(5) if b - a > 1}


def test_at_the_trained_length_no_method_but_the_control_changes_the_model() -> None:
    setting = lab.Setting()
    rotations = {method: lab.rotated(SOLUTION, method, setting, 16).rotations for method in lab.METHODS}
    same = [method for method in lab.METHODS if np.allclose(rotations[method], rotations[lab.AS_TRAINED])]
    assert same == [method for method in lab.METHODS if method != lab.NO_POSITION]
    assert np.allclose(rotations[lab.NO_POSITION], 1)


@pytest.mark.parametrize("run", ["copy 3 back", "copy 3 back, trained at 64"])
def test_with_the_limits_1_and_1_yarn_and_llama_3_are_one_rule(run: str) -> None:
    """Pairs with less than one rotation are divided, the others are kept."""
    setting = lab.RUNS[run].setting
    for length in setting.lengths[1:]:
        factor = length / setting.trained_length
        rotations = SOLUTION.rotations_in_context(setting.width, setting.trained_length, setting.base)
        trained = SOLUTION.longrope_frequencies(setting.width, np.ones(setting.width // 2), setting.base)
        wanted = np.where(rotations < 1, trained / factor, trained)
        arguments = {"base": setting.base, "factor": factor, "trained_len": setting.trained_length}
        llama = SOLUTION.llama3_frequencies(setting.width, low_freq_factor=1, high_freq_factor=1.001, **arguments)
        assert np.allclose(lab.METHODS["limits 1 and 1"](SOLUTION, setting, length).frequencies, wanted)
        assert np.allclose(llama, wanted)


def test_a_setting_is_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another base, and another factor of dynamic NTK, reach the functions."""
    for method in set(lab.METHODS) - {lab.NO_POSITION}:
        here, there = (
            lab.METHODS[method](SOLUTION, replace(lab.Setting(), base=base), 32).frequencies for base in (1e4, 10.0)
        )
        assert not np.allclose(here, there), method
    one, two = (
        lab.METHODS["dynamic NTK"](SOLUTION, lab.Setting(dynamic_factor=factor), 32).frequencies for factor in (1, 2)
    )
    assert not np.allclose(one, two)


def test_no_encoding_is_written_in_the_laboratory() -> None:
    """It ships with the assignment in which students write them."""
    assert not re.search(r"10000|np\.(cos|sin|log2|tril)\b|1j", Path(lab.__file__).read_text("utf-8"))


# What is kept of the last run.


def test_every_extension_was_measured() -> None:
    wanted = {
        (name, method, seed, length, steps)
        for name, run in lab.RUNS.items()
        for method in run.methods
        for seed in lab.SEEDS
        for length in run.setting.lengths
        for steps in (0, *run.further_steps)
    }
    rows = [row[:5] for row in lab.saved()]
    assert len(rows) == len(set(rows)) and set(rows) == wanted
    assert len(lab.SEEDS) >= 8
    assert {row.run for row in lab.saved_losses()} == set(lab.RUNS)


def test_the_tables_are_those_of_the_measurements_and_one_stands_in_the_lesson() -> None:
    assert Path(lab.__file__).with_name("measured.md").read_text("utf-8") == lab.tables(lab.saved())
    assert lab.summary(lab.saved()) in ASSIGNMENT.lesson.read_text("utf-8")


def test_an_extension_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seeds at twice the length once more, to within what another processor's rounding may change."""
    run = lab.RUNS["copy 3 back"]
    monkeypatch.setitem(
        lab.RUNS,
        "copy 3 back",
        replace(run, setting=replace(run.setting, lengths=(32,)), methods=("as trained", "YaRN")),
    )
    before = {row[:5]: row for row in lab.saved()}
    measured, losses = lab.measure(SOLUTION, "copy 3 back", seeds=lab.SEEDS[:2])
    for row in measured:
        assert row[5:] == pytest.approx(before[row[:5]][5:], abs=0.05)
    kept = {row[:3]: row.loss for row in lab.saved_losses()}
    assert len(losses) == 40
    assert all(row.loss == pytest.approx(kept[row[:3]], abs=0.05) for row in losses)


def test_what_is_not_repeated_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make experiment` measures some runs; the numbers of the others stay, and the files are the same bytes."""
    folder = tmp_path / "context_extension"
    folder.mkdir()
    for name in ("measured.csv", "losses.csv", "figures.py"):
        shutil.copy(Path(lab.__file__).with_name(name), folder)
    monkeypatch.setattr(lab, "HERE", folder)
    kept, losses = lab.saved(), lab.saved_losses()
    results = [
        ([row for row in kept if row.run == name], [row for row in losses if row.run == name])
        for (name,) in lab.jobs(full=False)
    ]
    assert 0 < len(results) < len(lab.RUNS) == len(lab.jobs(full=True))
    assert lab.keep(ASSIGNMENT.solution, False, results) == lab.summary(kept)
    for name in ("measured.csv", "losses.csv", "measured.md"):
        assert (folder / name).read_bytes() == Path(lab.__file__).with_name(name).read_bytes()
    drawn = sorted(path.stem for path in (tmp_path / "figures").iterdir())
    assert drawn == ["extended_accuracy", "extension_losses", "trained_further"]


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "context_extension.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "context_extension"), "utf-8")
    monkeypatch.setattr(measuring, "side_by_side", lambda calls: (function(*rest) for function, *rest in calls))
    with pytest.raises(SystemExit, match=r"^context_extension\.py: \w+ is not written yet$"):
        measuring.run([lab], path=path)


def test_only_copying_has_a_distance_that_could_be_stretched() -> None:
    assert all(math.isnan(row.stretched) == (not row.run.startswith("copy")) for row in lab.saved())
