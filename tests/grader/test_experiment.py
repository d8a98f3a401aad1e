"""The given laboratory: right gradients, nothing but the student's functions measured, and numbers that are still true."""

from __future__ import annotations

import math
import re
import shutil
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assignments.context_extension import lab as extension
from assignments.extrapolation import lab
from autograder import course
from autograder.grading import catalogue
from autograder.handout import stub

ASSIGNMENT = course.find("extrapolation")
SOLUTION = catalogue.solution(ASSIGNMENT)
SMALL = replace(lab.Setting(), trained_length=6, vocabulary=5, width=4, table_rows=9, max_distance=3, buckets=6, n_bits=4)

every_method = pytest.mark.parametrize("method", SOLUTION.METHODS)


def random_parameters(method: str, setting: lab.Setting, seeds: int) -> lab.Parameters:
    """Parameters that are as large as trained ones, tables too."""
    rng = np.random.default_rng(5)
    drawn = [lab.draw_parameters(method, setting, seed) for seed in range(seeds)]
    return {name: value + rng.normal(0, 0.3, value.shape) for name, value in lab.stacked(drawn).items()}


@every_method
def test_gradients_are_those_of_finite_differences(method: str) -> None:
    reading = lab.read(SOLUTION, method, SMALL)
    parameters = random_parameters(method, SMALL, seeds=2)
    rng = np.random.default_rng(0)
    texts = rng.integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))
    answers = texts[..., :-2]
    _, gradients = lab.loss_and_gradients(parameters, reading, texts, answers)
    assert gradients.keys() == parameters.keys()

    def slope(name: str, place: tuple[int, ...], step: float = 1e-5) -> float:
        losses = []
        for moved in (step, -step):
            shifted = {key: value.copy() for key, value in parameters.items()}
            shifted[name][place] += moved
            losses.append(lab.loss_and_gradients(shifted, reading, texts, answers)[0][place[0]])
        return float(losses[0] - losses[1]) / (2 * step)

    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for _ in range(10):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            assert gradient[place] == pytest.approx(slope(name, place), abs=1e-8, rel=1e-5), (name, place)


@every_method
def test_what_is_trained_is_what_is_measured(method: str) -> None:
    """The loss of the batched model is the cross-entropy of answers made with `encode` and `logits`, text by text."""
    parameters = random_parameters(method, SMALL, seeds=2)
    texts = np.random.default_rng(1).integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))
    losses, _ = lab.loss_and_gradients(parameters, lab.read(SOLUTION, method, SMALL), texts, texts[..., :-2])
    for seed in range(2):
        known = {name: value[seed] for name, value in parameters.items()} | SMALL.constants()
        surprise = []
        for text in texts[seed]:
            y, _ = lab.answer(SOLUTION, method, known, text)
            surprise += [np.log(np.exp(y[place]).sum()) - y[place, text[place - 2]] for place in range(2, SMALL.trained_length)]
        assert losses[seed] == pytest.approx(np.mean(surprise))


@pytest.mark.parametrize("laboratory", [lab, extension], ids=["extrapolation", "context_extension"])
def test_no_encoding_is_written_in_the_laboratory(laboratory: types.ModuleType) -> None:
    """It ships with the assignment in which students write them."""
    source = Path(str(laboratory.__file__)).read_text("utf-8")
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
    """Turning the other way round is another encoding, not an error: the laboratory follows the functions."""
    backwards = catalogue.solution(ASSIGNMENT)
    right = backwards.logits

    def mirrored(method: str, q: np.ndarray, k: np.ndarray, parameters: dict[str, object]) -> np.ndarray:
        order = np.arange(q.shape[-1]).reshape(-1, 2)[:, ::-1].ravel()
        return np.asarray(right(method, q[..., order], k[..., order], parameters))

    backwards.logits = mirrored  # type: ignore[attr-defined]
    rotations = lab.read(backwards, "rope", SMALL).rotations
    assert rotations is not None
    assert np.allclose(rotations, np.swapaxes(lab.read(SOLUTION, "rope", SMALL).rotations, -1, -2))


def test_training_learns_and_repeats() -> None:
    setting = replace(lab.Setting(), steps=250)
    texts = np.random.default_rng(9).integers(setting.vocabulary, size=(1, 32, setting.trained_length))
    reading = lab.read(SOLUTION, "shaw", setting)

    def loss(model: lab.Parameters) -> float:
        return float(lab.loss_and_gradients(lab.stacked([model]), reading, texts, texts[..., : -setting.back])[0][0])

    alone = lab.train(SOLUTION, "shaw", setting, seeds=[3])[0]
    beside = lab.train(SOLUTION, "shaw", setting, seeds=[0, 3])[1]
    assert loss(lab.draw_parameters("shaw", setting, 3)) > 2.5
    assert loss(alone) < 1.0
    assert all(np.allclose(alone[name], beside[name], atol=1e-6) for name in alone), "a seed does not depend on its company"


# What is kept of the last run.


def test_nothing_is_left_out() -> None:
    """Every method in both tasks, every seed, every length up to eight times the trained one."""
    wanted = {
        (run, method, seed, length)
        for run, one in lab.RUNS.items()
        for method in one.methods or SOLUTION.METHODS
        for seed in lab.SEEDS
        for length in one.setting.lengths
    }
    rows = [(row.run, row.method, row.seed, row.length) for row in lab.saved()]
    assert len(rows) == len(set(rows))
    assert set(rows) == wanted
    assert len(lab.SEEDS) >= 5
    setting = lab.RUNS["copy 3 back"].setting
    assert max(setting.lengths) == 8 * setting.trained_length == 8 * min(setting.lengths)
    assert all(lab.RUNS[run].methods is None for run in ("copy 3 back", "copy 1 back"))


def test_only_the_table_that_ended_has_no_entry() -> None:
    for row in lab.saved():
        missing = row.method == "learned" and row.length > lab.RUNS[row.run].setting.table_rows
        assert math.isnan(row.accuracy) == math.isnan(row.cross_entropy) == math.isnan(row.weight) == missing
        assert missing or (0 <= row.accuracy <= 1 and row.cross_entropy >= 0 and 0 <= row.weight <= 1)


def test_the_tables_are_those_of_the_measurements() -> None:
    written = Path(lab.__file__).with_name("measured.md").read_text("utf-8")
    assert written == lab.tables(SOLUTION, lab.saved())


def test_the_lesson_shows_the_tables_as_measured() -> None:
    lesson = ASSIGNMENT.lesson.read_text("utf-8")
    written = Path(lab.__file__).with_name("measured.md").read_text("utf-8")
    accuracies = [part for part in written.split("\n\n") if part.startswith("| method | 16 |")]
    assert len(accuracies) == 3
    assert all(part.strip() in lesson for part in accuracies)


@pytest.mark.parametrize(("run", "method"), [("copy 3 back", "t5"), ("copy 1 back", "alibi")])
def test_the_measurements_can_be_repeated(run: str, method: str) -> None:
    """Two of the seeds once more, to within what another processor's rounding may change over a thousand steps."""
    measured, looks = lab.measure(SOLUTION, run, method, seeds=lab.SEEDS[:2])
    before = {(row.run, row.method, row.seed, row.length): row for row in lab.saved()}
    for row in measured:
        old = before[row[:4]]
        assert row.accuracy == pytest.approx(old.accuracy, abs=0.05)
        assert row.weight == pytest.approx(old.weight, abs=0.05)
        assert row.cross_entropy == pytest.approx(old.cross_entropy, abs=0.15)
    shares = [look.weight for look in looks if look.seed == lab.SEEDS[0]]
    assert 0.8 < sum(shares) <= 1 + 1e-9


def test_saving_and_reading_keeps_every_row(tmp_path: Path) -> None:
    measured = [lab.Measurement("copy 3 back", "rope", 0, 16, 0.5, 1.25, 0.125)]
    looks = [lab.Look("copy 3 back", "rope", seed, distance, 0.5 * seed) for seed in (0, 1) for distance in (0, 1)]
    looks.append(lab.Look("copy 1 back", "rope", 0, 0, 1.0))
    lab.save(measured, looks, tmp_path)
    assert lab.saved(tmp_path / "measured.csv") == measured
    kept = lab.saved_looks(tmp_path / "attention.csv")
    assert list(kept) == ["rope"]
    assert kept["rope"].tolist() == [0.25, 0.25]


def test_the_experiment_keeps_its_numbers_and_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the measuring itself, which takes a minute."""
    folder = tmp_path / "extrapolation"
    folder.mkdir()
    shutil.copy(course.ROOT / "assignments" / "figures.py", tmp_path)
    looks = [lab.Look("copy 3 back", "rope", 0, distance, 0.125) for distance in range(8)]
    monkeypatch.setattr(lab, "experiment", lambda path: (lab.saved(), looks))
    monkeypatch.setattr(lab, "HERE", folder)
    lab.main([str(ASSIGNMENT.solution)])
    assert lab.tables(SOLUTION, lab.saved()) == (folder / "measured.md").read_text("utf-8")
    assert len(lab.saved(folder / "measured.csv")) == len(lab.saved())
    assert lab.saved_looks(folder / "attention.csv")["rope"].tolist() == [0.125] * 8
    drawn = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert drawn == ["accuracy_against_length.png", "attention_against_distance.png"]


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "extrapolation.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "extrapolation"), "utf-8")
    with pytest.raises(SystemExit, match=r"^extrapolation\.py: logits is not written yet$"):
        lab.main([str(path)])


def test_a_module_is_loaded_from_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("METHODS = ('none',)\n", "utf-8")
    loaded = lab.load(path)
    assert isinstance(loaded, types.ModuleType)
    assert loaded.METHODS == ("none",)


# Lesson 8: one model, extended by each method.

METHODS_OF_8_SOURCE = course.find("context_extension").solution
METHODS_OF_8 = catalogue.solution(course.find("context_extension"))


@pytest.mark.parametrize("name", extension.TASKS)
def test_gradients_at_the_last_positions_are_those_of_finite_differences(name: str) -> None:
    """Queries of the last positions alone, scaled rotations, and the token before in the embedding."""
    task = extension.TASKS[name]
    setting = replace(task.setting, trained_length=6, vocabulary=5, width=4, back=4 if name == "copy 3 back" else 1)
    task = replace(task, setting=replace(setting, steps=0))
    reading = extension.rotated(METHODS_OF_8, "YaRN", extension.Extension(4, 6, 9))
    parameters = extension.trained(METHODS_OF_8, task, seeds=[0, 1])
    rng = np.random.default_rng(0)
    drawn = [task.examples(rng, 3, 9, setting) for _ in range(2)]
    sequences, answers = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
    assert answers.shape[-1] < sequences.shape[-1] - 1
    _, gradients = lab.loss_and_gradients(parameters, reading, sequences, answers)
    assert ("before" in gradients) == task.token_before
    for key, gradient in gradients.items():
        for _ in range(6):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            losses = []
            for moved in (1e-5, -1e-5):
                shifted = {other: value.copy() for other, value in parameters.items()}
                shifted[key][place] += moved
                losses.append(lab.loss_and_gradients(shifted, reading, sequences, answers)[0][place[0]])
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-8, rel=1e-5), (key, place)


def test_the_tasks_ask_what_they_say() -> None:
    rng = np.random.default_rng(0)
    copying, passkey = extension.TASKS.values()
    for length in extension.LENGTHS:
        sequences, answers = copying.examples(rng, 20, length, copying.setting)
        assert answers.shape == (20, 13)
        assert np.array_equal(answers, sequences[:, length - 16 : length - 3])
        sequences, answers = passkey.examples(rng, 20, length, passkey.setting)
        marks = sequences == passkey.setting.vocabulary - 1
        assert (marks.sum(axis=1) == 1).all() and not marks[:, -2:].any()
        assert np.array_equal(answers[:, 0], sequences[np.arange(20), marks.argmax(axis=1) + 1])


def test_at_the_trained_length_no_method_changes_the_model() -> None:
    at_home = extension.Extension(32, 16, 16)
    rotations = [extension.rotated(METHODS_OF_8, method, at_home).rotations for method in extension.METHODS]
    assert all(np.allclose(one, rotations[0]) for one in rotations)
    assert lab.read(SOLUTION, "rope", lab.Setting()).rotations == pytest.approx(rotations[0]), "the RoPE of lesson 9"


def test_every_extension_was_measured() -> None:
    rows = [row[:4] for row in extension.saved()]
    wanted = {
        (task, method, seed, length) for task in extension.TASKS for method in extension.METHODS for seed in lab.SEEDS for length in extension.LENGTHS
    }
    assert len(rows) == len(wanted) and set(rows) == wanted


def test_the_tables_of_lesson_8_are_those_of_the_measurements() -> None:
    written = Path(extension.__file__).with_name("measured.md").read_text("utf-8")
    assert written == extension.tables(extension.saved())
    shown = [part.strip() for part in written.split("\n\n") if part.startswith("|")]
    lesson = course.find("context_extension").lesson.read_text("utf-8")
    assert [part in lesson for part in shown] == [True, True, True, False]


def test_an_extension_can_be_repeated() -> None:
    """Two seeds at twice the length once more, to within what another processor's rounding may change."""
    before = {row[:4]: row for row in extension.saved()}
    for row in extension.measure(METHODS_OF_8, "copy 3 back", lengths=[32], seeds=lab.SEEDS[:2]):
        assert row[4:] == pytest.approx(before[row[:4]][4:], abs=0.05)


def test_the_experiment_of_lesson_8_keeps_its_numbers_and_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "context_extension"
    folder.mkdir()
    shutil.copy(course.ROOT / "assignments" / "figures.py", tmp_path)
    monkeypatch.setattr(extension, "side_by_side", lambda function, jobs: [extension.saved()])
    monkeypatch.setattr(extension, "HERE", folder)
    extension.main([str(course.find("context_extension").solution)])
    assert extension.saved(folder / "measured.csv") == extension.saved()
    assert (folder / "measured.md").read_text("utf-8") == extension.tables(extension.saved())
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["extended_accuracy.png"]


def test_an_unfinished_file_of_lesson_8_is_named_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "context_extension.py"
    path.write_text(stub(METHODS_OF_8_SOURCE.read_text("utf-8"), "context_extension"), "utf-8")
    monkeypatch.setattr(extension, "side_by_side", lambda function, jobs: [function(*jobs[0])])
    with pytest.raises(SystemExit, match=r"^context_extension\.py: \w+ is not written yet$"):
        extension.main([str(path)])
