"""The given run of lesson 11: right gradients, schedules and rotations of the student's file, numbers that are still true."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from assignments.modern import lab
from autograder import course
from autograder.grading import catalogue
from autograder.handout import stub

ASSIGNMENT = course.find("modern")
SOLUTION = catalogue.solution(ASSIGNMENT)

every_schedule = pytest.mark.parametrize("schedule", lab.SCHEDULES)


def stacked(seeds: int) -> lab.Parameters:
    drawn = [lab.draw_parameters(seed) for seed in range(seeds)]
    return {name: np.stack([one[name] for one in drawn]) for name in drawn[0]}


@every_schedule
def test_gradients_are_those_of_finite_differences(schedule: str) -> None:
    parameters, layers = stacked(2), lab.rotations(SOLUTION, schedule, 8)
    drawn = [lab.passkey(np.random.default_rng(seed), 3, 8) for seed in range(2)]
    texts = lab.Texts(*map(np.stack, zip(*drawn, strict=True)))
    _, gradients = lab.loss_and_gradients(parameters, layers, texts)
    assert gradients.keys() == parameters.keys()

    def slope(name: str, place: tuple[int, ...], step: float = 1e-5) -> float:
        losses = []
        for moved in (step, -step):
            shifted = {key: value.copy() for key, value in parameters.items()}
            shifted[name][place] += moved
            losses.append(lab.loss_and_gradients(shifted, layers, texts)[0][place[0]])
        return float(losses[0] - losses[1]) / (2 * step)

    rng = np.random.default_rng(0)
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for _ in range(5):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            assert gradient[place] == pytest.approx(slope(name, place), abs=1e-8, rel=1e-4), (name, place)


def test_schedules_and_rotations_are_the_student_s() -> None:
    where = {schedule: [one is not None for one in lab.rotations(SOLUTION, schedule, 4)] for schedule in lab.SCHEDULES}
    assert list(where.values()) == [[False, False], [True, False], [True, True]]
    x = np.random.default_rng(0).normal(size=lab.WIDTH)
    matrices = lab.rotations(SOLUTION, "every layer", 6)[0]
    assert matrices is not None
    assert np.allclose(x @ matrices[5], SOLUTION.shift_keys(x[np.newaxis], 5)[0])
    assert not any(word in Path(lab.__file__).read_text("utf-8") for word in ("np.cos", "np.sin", "1j", "10000"))


def test_the_tasks_ask_what_they_say() -> None:
    for draw in (lab.copy_back, lab.passkey):
        tokens, answers, asked = draw(np.random.default_rng(1), 50, 12)
        assert (tokens[:, 0] == lab.START).all() and (tokens[:, 1:] != lab.START).all()
        assert (answers[asked] < lab.VOCABULARY).all()
        for row, column in np.argwhere(asked):
            marked = np.flatnonzero(tokens[row] == lab.MARK)
            source = column - lab.BACK if draw is lab.copy_back else marked[0] + 1
            assert source < column and answers[row, column] == tokens[row, source]
        assert asked[:, -1].all()


def test_without_rope_the_order_of_earlier_tokens_does_not_matter_in_one_layer() -> None:
    """The last token's first attention is a sum over a set: with no encoding, exchanging two earlier tokens changes nothing."""
    one_layer = {name: value for name, value in stacked(1).items() if not name.endswith("1")}
    tokens = np.array([[[lab.START, 3, 7, 5, 1]]])
    for schedule, same in (("no layer", True), ("every layer", False)):
        layers = lab.rotations(SOLUTION, schedule, 5)[:1]
        scores = [lab.forward(one_layer, layers, text)[0][0, 0, -1] for text in (tokens, tokens[..., [0, 2, 1, 3, 4]])]
        assert np.allclose(*scores) == same


def test_training_learns_and_a_seed_does_not_depend_on_its_company() -> None:
    alone = lab.train(SOLUTION, "passkey", "every layer", seeds=[3], steps=40)
    beside = lab.train(SOLUTION, "passkey", "every layer", seeds=[0, 3], steps=40)
    assert all(np.allclose(value[0], beside[name][1], atol=1e-6) for name, value in alone.items())


# What is kept of the last run.


def test_nothing_is_left_out() -> None:
    wanted = {(task, one, seed, length) for task in lab.TASKS for one in lab.SCHEDULES for seed in lab.SEEDS for length in lab.LENGTHS}
    rows = [row[:4] for row in lab.saved()]
    assert len(rows) == len(set(rows)) and set(rows) == wanted
    assert len(lab.SEEDS) >= 5
    assert min(lab.LENGTHS) == lab.TRAINED_LENGTH


def test_the_tables_are_those_of_the_measurements_and_stand_in_the_lesson() -> None:
    written = Path(lab.__file__).with_name("measured.md").read_text("utf-8")
    assert written == lab.tables(lab.saved())
    parts = [part.strip() for part in written.split("\n\n") if part.startswith("|")]
    assert len(parts) == len(lab.TASKS)
    assert all(part in ASSIGNMENT.lesson.read_text("utf-8") for part in parts)


def test_the_measurements_can_be_repeated() -> None:
    """One seed once more, to within what another processor's rounding may change over thousands of steps."""
    before = {row[:4]: row.accuracy for row in lab.saved()}
    for row in lab.measure(SOLUTION, "passkey", "no layer", seeds=lab.SEEDS[:1]):
        if row.length <= 24:
            assert row.accuracy == pytest.approx(before[row[:4]], abs=0.1)


def test_the_experiment_keeps_its_numbers_and_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the measuring itself, which takes a minute."""
    folder = tmp_path / "modern"
    folder.mkdir()
    shutil.copy(course.ROOT / "assignments" / "figures.py", tmp_path)
    kept = lab.saved()
    monkeypatch.setattr(lab, "experiment", lambda path: kept)
    monkeypatch.setattr(lab, "HERE", folder)
    lab.main([str(ASSIGNMENT.solution)])
    assert lab.saved(folder / "measured.csv") == kept
    assert (folder / "measured.md").read_text("utf-8") == lab.tables(kept)
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["schedules_measured.png"]


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "modern.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "modern"), "utf-8")

    def first(path: Path) -> list[lab.Measurement]:
        module: ModuleType = lab.load(path)
        return lab.measure(module, "passkey", "no layer", seeds=[0])

    monkeypatch.setattr(lab, "experiment", first)
    with pytest.raises(SystemExit, match=r"^modern\.py: rope_layers is not written yet$"):
        lab.main([str(path)])
