"""The given run of lesson 11: right gradients, schedules and rotations of the student's file, numbers that are still
true."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from assignments import measuring
from assignments.modern import lab
from autograder import course
from autograder.handout import stub
from autograder.hints import catalogue

ASSIGNMENT = course.find("modern")
SOLUTION = catalogue.solution(ASSIGNMENT)

SETTING = lab.Setting()

every_schedule = pytest.mark.parametrize("schedule", lab.SCHEDULES)


@every_schedule
def test_gradients_are_those_of_finite_differences(schedule: str) -> None:
    parameters, layers = lab.draw_parameters(SETTING, range(2)), lab.rotations(SOLUTION, schedule, 8, SETTING)
    drawn = [lab.passkey(np.random.default_rng(seed), 3, 8, SETTING) for seed in range(2)]
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
    where = {
        schedule: [one is not None for one in lab.rotations(SOLUTION, schedule, 4, SETTING)]
        for schedule in lab.SCHEDULES
    }
    assert list(where.values()) == [[False, False], [True, False], [False, True], [True, True]]
    x = np.random.default_rng(0).normal(size=SETTING.width)
    for setting in (SETTING, lab.RUNS["copy 3 back, base 10"].setting):
        matrices = lab.rotations(SOLUTION, "every layer", 6, setting)[0]
        assert matrices is not None
        assert np.allclose(x @ matrices[5], SOLUTION.shift_keys(x[np.newaxis], 5, base=setting.base)[0])
    assert not any(word in Path(lab.__file__).read_text("utf-8") for word in ("np.cos", "np.sin", "1j", "10000"))


def test_the_tasks_ask_what_they_say() -> None:
    for draw in (lab.copy_back, lab.passkey):
        tokens, answers, asked = draw(np.random.default_rng(1), 50, 12, SETTING)
        assert (tokens[:, 0] == SETTING.start_token).all() and (tokens[:, 1:] != SETTING.start_token).all()
        assert (answers[asked] < SETTING.vocabulary).all()
        for row, column in np.argwhere(asked):
            marked = np.flatnonzero(tokens[row] == SETTING.mark)
            source = column - SETTING.back if draw is lab.copy_back else marked[0] + 1
            assert source < column and answers[row, column] == tokens[row, source]
        assert asked[:, -1].all()


def test_without_rope_the_order_of_earlier_tokens_does_not_matter_in_one_layer() -> None:
    """The last token's first attention is a sum over a set: with no encoding, exchanging two earlier tokens changes
    nothing."""
    one_layer = {name: value for name, value in lab.draw_parameters(SETTING, [0]).items() if not name.endswith("1")}
    tokens = np.array([[[SETTING.start_token, 3, 7, 5, 1]]])
    for schedule, same in (("no layer", True), ("every layer", False)):
        layers = lab.rotations(SOLUTION, schedule, 5, SETTING)[:1]
        scores = [lab.forward(one_layer, layers, text)[0][0, 0, -1] for text in (tokens, tokens[..., [0, 2, 1, 3, 4]])]
        assert np.allclose(*scores) == same


def test_training_learns_and_a_seed_does_not_depend_on_its_company() -> None:
    _, losses = lab.train(SOLUTION, "copy 3 back", "every layer", seeds=[3], steps=200)
    assert losses[-1].loss < losses[0].loss / 2
    alone, _ = lab.train(SOLUTION, "copy 3 back", "every layer", seeds=[3], steps=20)
    beside, _ = lab.train(SOLUTION, "copy 3 back", "every layer", seeds=[0, 3], steps=20)
    assert all(np.allclose(value[0], beside[name][1], atol=1e-4) for name, value in alone.items())


# What is kept of the last run.


def test_nothing_is_left_out() -> None:
    trained = [(name, schedule) for name, run in lab.RUNS.items() for schedule in run.schedules]
    asked = [*trained, (lab.REPLACED, "no layer")]
    wanted = {(*one, seed, length) for one in asked for seed in lab.SEEDS for length in SETTING.lengths}
    rows = [row[:4] for row in lab.saved()]
    assert len(rows) == len(set(rows)) and set(rows) == wanted
    assert len(lab.SEEDS) >= 8
    assert {row[:2] for row in lab.saved_losses()} == set(trained)
    assert [look[:2] for look in lab.saved_looks()] == [
        (seed, position) for seed in lab.SEEDS for position in range(SETTING.trained_length)
    ]


def test_the_tables_are_those_of_the_measurements_and_one_stands_in_the_lesson() -> None:
    written = Path(lab.__file__).with_name("measured.md").read_text("utf-8")
    assert written == lab.tables(lab.saved(), lab.saved_looks())
    assert lab.summary(lab.saved()) in ASSIGNMENT.lesson.read_text("utf-8")


def test_how_often_token_0_counts_is_found() -> None:
    positions = np.arange(16)
    for times in (1, 3.5):
        assert lab.times_the_others(np.array([times / (times + positions)])) == pytest.approx([times])


def test_only_the_first_token_is_replaced() -> None:
    """With RoPE the model does not need it; without RoPE nothing is left of what it knew about positions."""
    model, _ = lab.train(SOLUTION, "copy 3 back", "every layer", seeds=[0], steps=300)
    kept, replaced = (lab.ask(SOLUTION, "copy 3 back", "every layer", model, 16, replaced=one) for one in (False, True))
    assert kept > 0.95 and replaced == pytest.approx(kept, abs=0.02)


def test_the_measurements_can_be_repeated() -> None:
    """One seed once more, to within what another processor's rounding may change over thousands of steps."""
    before = {row[:4]: row.accuracy for row in lab.saved()}
    for row in lab.measure(SOLUTION, "copy 3 back", "no layer", seeds=lab.SEEDS[:1]).measurements:
        if row.length <= 20:
            assert row.accuracy == pytest.approx(before[row[:4]], abs=0.1)


def test_what_is_not_repeated_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make experiment` measures some runs; the numbers of the others stay, and the files are the same bytes."""
    folder = tmp_path / "modern"
    folder.mkdir()
    files = ("measured.csv", "losses.csv", "first_token.csv")
    for name in (*files, "figures.py"):
        shutil.copy(Path(lab.__file__).with_name(name), folder)
    monkeypatch.setattr(lab, "HERE", folder)
    again = set(lab.jobs(full=False))
    assert 0 < len(again) < len(lab.jobs(full=True))
    measured = [row for row in lab.saved() if row[:2] in again or row.run == lab.REPLACED]
    results = lab.Results(measured, [row for row in lab.saved_losses() if row[:2] in again], lab.saved_looks())
    text = lab.keep(ASSIGNMENT.solution, False, [results])
    assert text == (folder / "measured.md").read_text("utf-8")
    for name in (*files, "measured.md"):
        assert (folder / name).read_bytes() == Path(lab.__file__).with_name(name).read_bytes()
    assert sorted(path.stem for path in (tmp_path / "figures").iterdir()) == ["schedule_losses", "schedules_measured"]


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "modern.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "modern"), "utf-8")
    monkeypatch.setattr(measuring, "side_by_side", lambda calls: (function(*rest) for function, *rest in calls))
    with pytest.raises(SystemExit, match=r"^modern\.py: rope_layers is not written yet$"):
        measuring.run([lab], path=path)
