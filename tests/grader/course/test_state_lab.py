"""The given run of lesson 12: right gradients, the model of lesson 9, the student's gates, numbers that are still
true."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from assignments import measuring
from assignments.extrapolation import lab as lesson_9
from assignments.state import lab
from autograder import course
from autograder.handout import stub
from autograder.hints import catalogue

ASSIGNMENT = course.find("state")
SOLUTION = catalogue.solution(ASSIGNMENT)

every_trained = pytest.mark.parametrize(("task", "method"), lab.TRAINED)


def texts_of(task: str, seeds: int = 2, count: int = 3, length: int = 16) -> lab.Texts:
    drawn = [lab.draw(task, np.random.default_rng(seed), count, length) for seed in range(seeds)]
    return lab.Texts(*map(np.stack, zip(*drawn, strict=True)))


@every_trained
def test_gradients_are_those_of_finite_differences(task: str, method: str) -> None:
    setting, texts, rng = lab.CHOICES[method][0], texts_of(task), np.random.default_rng(0)
    drawn = lesson_9.stacked([lab.draw_parameters(task, method, setting, seed) for seed in range(2)])
    parameters = {name: value + rng.normal(0, 0.3, value.shape) for name, value in drawn.items()}

    def losses(values: lab.Parameters) -> tuple[np.ndarray, lab.Parameters]:
        return lab.loss_and_gradients(SOLUTION, method, setting, values, texts)

    _, gradients = losses(parameters)
    assert gradients.keys() == parameters.keys()
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for _ in range(4):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            ends = []
            for step in (1e-5, -1e-5):
                shifted = {key: value.copy() for key, value in parameters.items()}
                shifted[name][place] += step
                ends.append(losses(shifted)[0][place[0]])
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-8, rel=1e-4), (name, place)


@pytest.mark.parametrize("method", ["alibi", "rope", "none"])
def test_without_gates_of_its_own_it_is_the_model_of_lesson_9(method: str) -> None:
    """So what lesson 9 measured of copying may stand beside what is measured here."""
    setting = {"alibi": 0.5, "rope": 10.0, "none": 0.0}[method]
    theirs = lesson_9.setting_of(
        *([] if method == "none" else [f"{'slope' if method == 'alibi' else 'base'} {setting}"])
    )
    reading = lesson_9.read(catalogue.solution(course.find("extrapolation")), method, theirs)
    texts = texts_of("copy 3 back")
    model = lesson_9.stacked([lab.draw_parameters("copy 3 back", method, setting, seed) for seed in range(2)])
    loss, gradients = lab.loss_and_gradients(SOLUTION, method, setting, model, texts)
    their_loss, their_gradients = lesson_9.loss_and_gradients(model, reading, *texts)
    assert np.allclose(loss, their_loss, atol=1e-5) and gradients.keys() == their_gradients.keys()
    assert all(np.allclose(gradients[name], their_gradients[name], atol=1e-5) for name in gradients)
    # The same sequences as there: one generator per seed, one call per step.
    again = np.random.default_rng([3, 1]).integers(theirs.vocabulary, size=(theirs.batch, theirs.trained_length))
    assert np.array_equal(
        lab.draw("copy 3 back", np.random.default_rng([3, 1]), theirs.batch, theirs.trained_length).tokens, again
    )


def test_gates_begin_equal_and_every_method_begins_alike() -> None:
    models = {
        method: lab.draw_parameters(lab.SENTENCES, method, lab.CHOICES[method][1 % len(lab.CHOICES[method])], 5)
        for method in lab.CHOICES
    }
    shared = models["none"].keys()
    assert all(np.array_equal(model[name], models["none"][name]) for model in models.values() for name in shared)
    tokens = texts_of(lab.SENTENCES, seeds=1).tokens
    log_f = lab.look(SOLUTION, "gates", 2.0, lesson_9.stacked([models["gates"]]), tokens).log_f
    assert np.allclose(log_f, np.log(1 / (1 + np.exp(-2))))


def test_the_name_of_a_sentence_is_the_token_after_its_mark() -> None:
    texts = lab.draw(lab.SENTENCES, np.random.default_rng(1), 60, 20)
    mark, asked = lab.mark(lab.SENTENCES), texts.answers.shape[1]
    assert (texts.answers != mark).all() and (texts.tokens[:, 0] == mark).all()
    for row, answers in zip(texts.tokens, texts.answers, strict=True):
        marks = np.flatnonzero(row == mark)
        assert (np.diff(marks) > 1).all()
        for place, answer in zip(range(20 - asked, 20), answers, strict=True):
            assert answer == row[marks[marks < place].max() + 1]


def test_gates_are_told_by_kind() -> None:
    marks = np.array([[True, False, False, True, False]])
    found = lab.mean_gates(marks, np.array([[0.9, 0.1, 0.5, 0.7, 0.3]]))
    assert found == pytest.approx({"mark": 0.7, "name": 0.2, "other": 0.5})


def test_training_learns_and_a_seed_does_not_depend_on_its_company() -> None:
    learned = lab.train(SOLUTION, "copy 1 back", "gates", 0.0, 3e-3, [3], steps=250)
    accuracy, _ = lab.ask(SOLUTION, "copy 1 back", "gates", 0.0, learned, 16)
    assert accuracy > 0.5
    alone = lab.train(SOLUTION, "copy 1 back", "gates", 0.0, 3e-3, [3], steps=15)
    beside = lab.train(SOLUTION, "copy 1 back", "gates", 0.0, 3e-3, [0, 3], steps=15)
    assert all(np.allclose(value[0], beside[name][1], atol=1e-4) for name, value in alone.items())


# What is kept of the last run.


def test_nothing_is_left_out_and_each_is_reported_as_chosen() -> None:
    asked = [*lab.TRAINED, *((task, lab.EQUAL) for task in lab.MARK_SHARE)]
    rows = lab.saved()
    keys = [(row.task, row.method, row.seed, row.length) for row in rows]
    wanted = {(*one, seed, length) for one in asked for seed in lab.SEEDS for length in lab.Setting.lengths}
    assert len(keys) == len(set(keys)) and set(keys) == wanted and len(lab.SEEDS) >= 8
    for row in rows:
        method = "gates" if row.method == lab.EQUAL else row.method
        assert (row.setting, row.learning_rate) == lab.choice(lab.saved_tries(), row.task, method)
    assert {(gate.task, gate.seed) for gate in lab.saved_gates()} == {
        (task, seed) for task in lab.MARK_SHARE for seed in lab.SEEDS
    }


def test_memories_are_written_and_read_again_with_the_same_numbers() -> None:
    kept = [row for row in lab.saved_memories() if row.seed == lab.SEEDS[0]]
    again = lab.remember(SOLUTION, lab.SEEDS[0])
    assert [row[:4] for row in again] == [row[:4] for row in kept]
    assert [round(row.accuracy, 4) for row in again] == [row.accuracy for row in kept]


def test_the_choice_tries_everything_on_seeds_of_its_own() -> None:
    tries = lab.saved_tries()
    tried = [
        (*pair, setting, rate)
        for pair in lab.TRAINED
        for setting in lab.CHOICES[pair[1]]
        for rate in lab.LEARNING_RATES
    ]
    assert [row[:5] for row in tries] == [(*one, seed) for one in tried for seed in lab.CHOOSING_SEEDS]
    assert not set(lab.CHOOSING_SEEDS) & set(lab.SEEDS)
    assert [job[:4] for job in lab.jobs(full=True) if job[4] == "choose"] == tried


def test_the_tables_are_those_of_the_measurements() -> None:
    written = Path(lab.__file__).with_name("measured.md").read_text("utf-8")
    assert written == lab.tables(lab.saved(), lab.saved_gates(), lab.saved_memories())


def test_what_is_not_repeated_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make experiment` measures what is reported; the choice stays, and the files are the same bytes."""
    files = ("measured.csv", "gates.csv", "memories.csv", "grid.csv", "measured.md")
    for name in files[:4]:
        shutil.copy(Path(lab.__file__).with_name(name), tmp_path)
    monkeypatch.setattr(lab, "HERE", tmp_path)
    assert not any(job[0] == lab.LONG for job in lab.jobs(full=False))
    measured, gates = ([row for row in rows if row.task != lab.LONG] for rows in (lab.saved(), lab.saved_gates()))
    text = lab.keep(ASSIGNMENT.solution, False, [lab.Results(measured, gates, [], lab.saved_memories())])
    assert text == (tmp_path / "measured.md").read_text("utf-8")
    assert all((tmp_path / name).read_bytes() == Path(lab.__file__).with_name(name).read_bytes() for name in files)


def test_an_unfinished_file_is_named_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.py"
    path.write_text(stub(ASSIGNMENT.solution.read_text("utf-8"), "state"), "utf-8")
    monkeypatch.setattr(measuring, "side_by_side", lambda calls: (function(*rest) for function, *rest in calls))
    with pytest.raises(SystemExit, match=r"^state\.py: decay_bias is not written yet$"):
        measuring.run([lab], path=path)
