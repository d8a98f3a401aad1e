"""The given laboratory: right gradients, nothing but the student's functions measured, and numbers that are still
true."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assignments.extrapolation import lab
from autograder import course
from autograder.handout import stub
from autograder.hints import catalogue

ASSIGNMENT = course.find("extrapolation")
SOLUTION = catalogue.solution(ASSIGNMENT)
SMALL = replace(
    lab.Setting(),
    trained_length=6,
    lengths=(6, 12),
    vocabulary=5,
    width=4,
    table_rows=9,
    max_distance=3,
    buckets=6,
    own_buckets=6,
    n_bits=4,
)

every_method = pytest.mark.parametrize("method", SOLUTION.METHODS)


def random_parameters(method: str, setting: lab.Setting, seeds: int) -> lab.Parameters:
    """Parameters that are as large as trained ones, tables too, in float64: finite differences need it."""
    rng = np.random.default_rng(5)
    drawn = [lab.draw_parameters(method, setting, seed) for seed in range(seeds)]
    return {name: value + rng.normal(0, 0.3, value.shape) for name, value in lab.stacked(drawn).items()}


@pytest.mark.parametrize("changes", [{}, {"scale": 0.25, "own_buckets": 3}], ids=["usual", "changed"])
@every_method
def test_gradients_are_those_of_finite_differences(method: str, changes: dict[str, float]) -> None:
    # A learned table has the scale that training gives it.
    setting = replace(SMALL, **{name: value for name, value in changes.items() if method != "learned"})  # type: ignore[arg-type]
    reading = lab.read(SOLUTION, method, setting)
    parameters = random_parameters(method, setting, seeds=2)
    rng = np.random.default_rng(0)
    texts = rng.integers(setting.vocabulary, size=(2, 3, setting.trained_length))
    answers = texts[..., :-2]
    _, gradients = lab.loss_and_gradients(parameters, reading, texts, answers)
    assert gradients.keys() == parameters.keys()
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for _ in range(10):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            slope = lab.finite_difference(parameters, reading, texts, answers, name, place)
            assert gradient[place] == pytest.approx(slope, abs=1e-8, rel=1e-5), (name, place)


@pytest.mark.parametrize("method", ["sinusoidal", "learned"])
def test_gradients_at_random_positions_are_those_of_finite_differences(method: str) -> None:
    rng = np.random.default_rng(0)
    reading = replace(
        lab.read(SOLUTION, method, SMALL),
        added=lab.added(SOLUTION, method, SMALL, SMALL.table_rows),
        positions=np.sort(rng.integers(SMALL.table_rows, size=(2, 3, SMALL.trained_length))),
    )
    parameters = random_parameters(method, SMALL, seeds=2)
    texts = rng.integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))
    answers = texts[..., :-2]
    _, gradients = lab.loss_and_gradients(parameters, reading, texts, answers)
    for name in ("tokens", "w_q", *(("table",) if method == "learned" else ())):
        for _ in range(6):
            place = tuple(int(rng.integers(size)) for size in gradients[name].shape)
            slope = lab.finite_difference(parameters, reading, texts, answers, name, place)
            assert gradients[name][place] == pytest.approx(slope, abs=1e-8, rel=1e-5), (name, place)


def test_everything_far_was_measured() -> None:
    rows = lab.saved_far()
    wanted = {
        (*what, log_n, seed, length)
        for what, lengths in lab.FAR.items()
        for log_n in ((0, 1) if lengths == lab.FAR_LENGTHS else (0,))
        for seed in lab.SEEDS
        for length in lengths
    }
    keys = [(*row[:5], row.length) for row in rows]
    assert len(keys) == len(set(keys)) and set(keys) == wanted


@every_method
def test_what_is_trained_is_what_is_measured(method: str) -> None:
    """The loss of the batched model is the cross-entropy of answers made with `encode` and `logits`, text by text."""
    parameters = random_parameters(method, SMALL, seeds=2)
    texts = np.random.default_rng(1).integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))
    losses, _ = lab.loss_and_gradients(parameters, lab.read(SOLUTION, method, SMALL), texts, texts[..., :-2])
    for seed in range(2):
        known = {name: value[seed] for name, value in parameters.items()}
        surprise = []
        for text in texts[seed]:
            y, _ = lab.answer(SOLUTION, method, known, SMALL, text)
            surprise += [
                np.log(np.exp(y[place]).sum()) - y[place, text[place - 2]] for place in range(2, SMALL.trained_length)
            ]
        assert losses[seed] == pytest.approx(np.mean(surprise), rel=1e-5)


def test_no_encoding_is_written_in_the_laboratory() -> None:
    """It ships with the assignment in which students write them."""
    source = Path(str(lab.__file__)).read_text("utf-8")
    assert not re.search(r"10000|np\.(cos|sin|log2|tril)\b|1j", source)


@pytest.mark.parametrize(
    ("method", "function"),
    [("alibi", "logits"), ("t5", "logits"), ("rope", "logits"), ("shaw", "logits"), ("learned", "encode")],
)
def test_a_method_that_is_not_of_its_form_is_refused(method: str, function: str) -> None:
    """Rather than trained as one thing and measured as another."""
    mistaken = catalogue.solution(ASSIGNMENT)
    right = getattr(mistaken, function)

    def squared(method: str, *arguments: np.ndarray) -> np.ndarray:
        result = right(method, *arguments)
        return result + 0.1 * np.where(np.isfinite(result), result, 0) ** 2

    setattr(mistaken, function, squared)
    with pytest.raises(ValueError, match=rf"{function}\('{method}', …\) is not of the form"):
        lab.read(mistaken, method, SMALL)


def test_a_table_read_past_its_end_is_refused() -> None:
    mistaken = catalogue.solution(ASSIGNMENT)
    right = mistaken.logits
    mistaken.logits = lambda method, q, k, known: right(method, q, k, known | {"bias_table": 100 * known["bias_table"]})  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="is not of the form"):
        lab.read(mistaken, "t5", SMALL)


def test_an_odd_but_consistent_encoding_is_measured_as_it_is() -> None:
    """Rotating the other way round is another encoding, not an error: the laboratory follows the functions."""
    backwards = catalogue.solution(ASSIGNMENT)
    right = backwards.logits

    def mirrored(method: str, q: np.ndarray, k: np.ndarray, parameters: dict[str, object]) -> np.ndarray:
        order = np.arange(q.shape[-1]).reshape(-1, 2)[:, ::-1].ravel()
        return np.asarray(right(method, q[..., order], k[..., order], parameters))

    backwards.logits = mirrored  # type: ignore[attr-defined]
    rotations, usual = (lab.read(module, "rope", SMALL).rotations for module in (backwards, SOLUTION))
    assert rotations is not None and usual is not None
    assert np.allclose(rotations, usual.conj())


def test_own_buckets_are_t5_with_that_many_buckets_and_that_range() -> None:
    """The lesson says so: tying the rows after the 16th gives lesson 6's buckets for 16 buckets and a range of 16."""
    relative = catalogue.solution(course.find("relative"))
    for own in (4, 8, 16):
        read = lab.read(SOLUTION, "t5", lab.setting_of(f"own_buckets {own}")).buckets
        distances = np.arange(16)
        wanted = relative.t5_bucket(-distances, bidirectional=False, num_buckets=own, max_distance=own)
        assert read is not None and np.array_equal(read[-1][::-1], wanted)


def test_training_learns_and_repeats() -> None:
    setting = replace(lab.Setting(), steps=250)
    texts = np.random.default_rng(9).integers(setting.vocabulary, size=(1, 32, setting.trained_length))
    reading = lab.read(SOLUTION, "shaw", setting)

    def loss(model: lab.Parameters) -> float:
        return float(lab.loss_and_gradients(lab.stacked([model]), reading, texts, texts[..., : -setting.back])[0][0])

    (alone,), losses = lab.train(SOLUTION, "shaw", setting, seeds=[3])
    beside = lab.train(SOLUTION, "shaw", setting, seeds=[0, 3])[0][1]
    assert losses.shape == (250, 1) and losses[0, 0] > 2.5
    assert loss(lab.draw_parameters("shaw", setting, 3)) > 2.5
    assert loss(alone) < 1.0
    assert all(np.allclose(alone[name], beside[name], atol=1e-3) for name in alone), (
        "a seed does not depend on its company"
    )


# The choice.


def tries(task: str, method: str, change: str, rate: float, accuracy: float) -> list[lab.Tried]:
    return [
        lab.Tried(task, method, change, lab.USUAL, rate, seed, 0.0, accuracy, accuracy, accuracy, accuracy)
        for seed in (100, 101)
    ]


def test_the_choice_is_the_highest_accuracy_and_the_usual_setting_wins_a_tie() -> None:
    rows = tries("copy 3 back", "rope", lab.USUAL, 3e-3, 0.5) + tries("copy 3 back", "rope", "base 10", 3e-3, 0.4)
    assert lab.chosen(rows)["copy 3 back", "rope"] == lab.USUAL
    rows += tries("copy 3 back", "rope", "base 10", 1e-2, 0.7)
    assert lab.chosen(rows)["copy 3 back", "rope"] == "base 10"
    assert lab.best_rates(rows)["copy 3 back", "rope", "base 10"] == 1e-2
    rows += tries("copy 3 back", "rope", lab.USUAL, 1e-2, 0.7)
    assert lab.chosen(rows)["copy 3 back", "rope"] == lab.USUAL


def test_no_reported_seed_was_used_to_choose() -> None:
    assert not set(lab.SEEDS) & {row.seed for name in ("grid.csv", "changes.csv") for row in lab.kept_tries(name)}


def test_everything_was_tried() -> None:
    """Every setting, in both tasks, with every learning rate and choosing seed; every change with every setting that is
    reported."""
    grid = lab.kept_tries("grid.csv")
    wanted = {
        (*what, lab.USUAL, rate, seed)
        for _, *what in lab.grid_jobs()
        for rate in lab.LEARNING_RATES
        for seed in lab.CHOOSING_SEEDS
    }
    assert {row[:6] for row in grid} == wanted and len(grid) == len(wanted)
    changes = lab.kept_tries("changes.csv")
    wanted_changes = {
        (*what, seed) for kind, *what in lab.jobs(full=True) if kind == "change" for seed in lab.CHOOSING_SEEDS
    }
    assert {(*row[1:4], row.seed) for row in changes} == wanted_changes and len(changes) == len(wanted_changes)
    bases = {lab.setting_of(change).base for change in ("usual", *lab.CHOICES["rope"])} & {
        lab.setting_of(change).base for change in ("usual", *lab.CHOICES["sinusoidal"])
    }
    assert bases >= {4, 10, 100, 1e4, 1e6}


# What is kept of the last run.


def test_nothing_is_left_out() -> None:
    """Every method in both tasks, as usual and as chosen, with every seed and length up to eight times the trained
    one."""
    rows = [(row.task, row.method, row.change, row.seed, row.length) for row in lab.saved()]
    wanted = {
        (*what, seed, length)
        for _, *what in lab.jobs(full=False)
        for seed in lab.SEEDS
        for length in lab.Setting.lengths
    }
    assert len(rows) == len(set(rows)) and set(rows) == wanted
    for task in lab.TASKS:
        assert (
            {row[1] for row in rows if row[0] == task and row[2] == lab.USUAL}
            == set(lab.METHODS)
            == set(SOLUTION.METHODS)
        )
    assert len(lab.SEEDS) >= 5
    assert max(lab.Setting.lengths) == 8 * lab.Setting.trained_length == 8 * min(lab.Setting.lengths)


def test_only_the_table_that_ended_has_no_entry() -> None:
    for row in lab.saved():
        missing = row.method == "learned" and row.length > lab.Setting.table_rows
        assert math.isnan(row.accuracy) == math.isnan(row.cross_entropy) == math.isnan(row.weight) == missing
        assert missing or (0 <= row.accuracy <= 1 and row.cross_entropy >= 0 and 0 <= row.weight <= 1)


def test_the_tables_are_those_of_the_measurements() -> None:
    written = Path(str(lab.__file__)).with_name("measured.md").read_text("utf-8")
    assert written == lab.tables(SOLUTION)


@pytest.mark.parametrize(("task", "method"), [("copy 3 back", "t5"), ("copy 1 back", "alibi")])
def test_the_measurements_can_be_repeated(task: str, method: str) -> None:
    """Two of the seeds once more, to within what another processor's rounding may change over thousands of steps."""
    rate = lab.best_rates(lab.kept_tries("grid.csv"))[task, method, lab.USUAL]
    setting = replace(lab.setting_of(task=task), learning_rate=rate)
    measured, looks, _ = lab.measure(SOLUTION, task, method, lab.USUAL, setting, seeds=lab.SEEDS[:2])
    before = {row[:6]: row for row in lab.saved()}
    for row in measured:
        old = before[row[:6]]
        assert row.accuracy == pytest.approx(old.accuracy, abs=0.05)
        assert row.weight == pytest.approx(old.weight, abs=0.05)
        assert row.cross_entropy == pytest.approx(old.cross_entropy, abs=0.2)
    assert 0.8 < sum(float(look[-1]) for look in looks) <= 1.01


def test_the_experiment_keeps_its_numbers_and_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the measuring itself: what is kept comes back, and the tables and pictures are those of the
    repository."""
    folder = tmp_path / "extrapolation"
    shutil.copytree(lab.HERE, folder)
    rows, looks, losses = lab.saved(), lab.rows_of(lab.HERE / "attention.csv"), lab.rows_of(lab.HERE / "losses.csv")
    results = [
        tuple(
            [row if isinstance(row, lab.Row) else tuple(row.values()) for row in kept if part(row) == tuple(what)]
            for kept, part in ((rows, lambda row: row[:3]), (looks, three), (losses, three))
        )
        for _, *what in lab.jobs(full=False)
    ]
    monkeypatch.setattr(lab, "HERE", folder)
    text = lab.keep(ASSIGNMENT.solution, False, results)
    for name in ("measured.csv", "attention.csv", "losses.csv", "measured.md"):
        assert (folder / name).read_bytes() == (course.ROOT / "assignments" / "extrapolation" / name).read_bytes()
    assert text == (folder / "measured.md").read_text("utf-8")
    drawn = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert drawn == [
        "accuracy_against_base.svg",
        "accuracy_against_length.svg",
        "attention_against_distance.svg",
        "loss_against_steps.svg",
    ]


def three(row: Any) -> tuple[str, ...]:
    return tuple(row.values())[:3]


def test_one_method_with_one_setting_runs_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "extrapolation"
    shutil.copytree(lab.HERE, folder)
    monkeypatch.setattr(lab, "HERE", folder)
    monkeypatch.setattr(lab, "SEEDS", (0,))
    lab.main(
        [
            "rope",
            "--base",
            "10",
            "--steps",
            "40",
            "--sequences",
            "2",
            "--trained-length",
            "8",
            "--file",
            str(ASSIGNMENT.solution),
        ]
    )
    assert "| method | setting | 8 | 16 | 32 | 64 |" in capsys.readouterr().out
    assert (folder / "last_run.svg").is_file()


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "extrapolation.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "extrapolation"), "utf-8")
    with pytest.raises(SystemExit, match=r"^extrapolation\.py: (logits|encode) is not written yet$"):
        lab.main(["rope", "--file", str(path)])


def test_every_part_of_a_setting_can_be_changed() -> None:
    """No default is bound where a function is defined: what is changed is what is read."""
    for change, method in (
        ("base 4", "rope"),
        ("slope 2", "alibi"),
        ("max_distance 2", "shaw"),
        ("own_buckets 4", "t5"),
    ):
        one, other = (lab.read(SOLUTION, method, setting) for setting in (lab.setting_of(), lab.setting_of(change)))
        assert not all(
            np.array_equal(getattr(one, field.name), getattr(other, field.name))
            for field in fields(lab.Reading)
            if getattr(one, field.name) is not None
        )
    for change in ("base 4", "scale 0.5", "n_bits 5"):
        method = {"base": "sinusoidal", "scale": "integer", "n_bits": "binary"}[change.split()[0]]
        one, other = (
            lab.read(SOLUTION, method, setting).added for setting in (lab.setting_of(), lab.setting_of(change))
        )
        assert not np.allclose(one, other)
