"""Tests of the experiments in lessons 8, 9 and 11 to 14: gradients and tasks are correct, measurements use
the student's functions, and the reported numbers are current.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assignments import experiments
from assignments.batches import lab as batches
from assignments.context_extension import lab as context
from assignments.extrapolation import lab as extrapolation
from assignments.extrapolation import lab_model, lab_results, lab_train_and_test
from assignments.model import lab as whole_model
from assignments.modern import lab as modern
from assignments.state import lab as state
from autograder import course
from autograder.hints import catalogue

LABS = {path.parent.name: path for path in sorted((course.ROOT / "assignments").glob("*/lab.py"))}
SOLUTIONS = {name: catalogue.solution(course.find(name)) for name in LABS}
SMALL = replace(
    lab_train_and_test.Setting(), trained_length=6, lengths=(6, 12), vocabulary=5, width=4, table_rows=9,
    max_distance=3, buckets=6, own_buckets=6, n_bits=4,
)  # fmt: skip

Losses = Callable[[dict[str, np.ndarray]], tuple[np.ndarray, dict[str, np.ndarray]]]


def scaled_like_trained(drawn: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return parameters as large as trained ones, in float64: finite differences need both the size and the
    precision."""
    rng = np.random.default_rng(5)
    stacked = lab_model.stacked(drawn)
    return {name: value.astype(np.float64) + rng.normal(0, 0.3, value.shape) for name, value in stacked.items()}


def of_lesson_9(method: str, setting: lab_train_and_test.Setting) -> dict[str, np.ndarray]:
    return scaled_like_trained([lab_train_and_test.draw_parameters(method, setting, seed) for seed in range(2)])


# Gradients


def gradient_cases() -> Iterator[tuple[str, Callable[[], tuple[dict[str, np.ndarray], Losses]]]]:
    """Yield the name of a case, and a function that makes two models and computes losses and gradients."""
    rng = np.random.default_rng(0)
    small = rng.integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))

    def lesson_9(method: str, places: bool) -> tuple[dict[str, np.ndarray], Losses]:
        # Scale the learned table as training does.
        setting = SMALL if method == "learned" else replace(SMALL, scale=0.25, own_buckets=3)
        reading = lab_train_and_test.read(SOLUTIONS["extrapolation"], method, setting)
        if places:
            added = lab_train_and_test.added(SOLUTIONS["extrapolation"], method, setting, setting.table_rows)
            reading = replace(
                reading, added=added, positions=np.sort(rng.integers(setting.table_rows, size=small.shape))
            )
        return of_lesson_9(method, setting), lambda values: lab_model.loss_and_gradients(
            values, reading, small, small[..., :-2]
        )

    def lesson_8(task: context.Task) -> tuple[dict[str, np.ndarray], Losses]:
        setting = context.Setting(trained_length=6, vocabulary=5, width=4, back=4)
        drawn = [task.examples(rng, 3, 9, setting) for _ in range(2)]
        texts, answers = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
        reading = context.rotated(SOLUTIONS["context_extension"], "YaRN", setting, 9)
        return context.draw_parameters(task, setting, seeds=[0, 1]), lambda values: lab_model.loss_and_gradients(
            values, reading, texts, answers
        )

    def lesson_11(schedule: str) -> tuple[dict[str, np.ndarray], Losses]:
        setting = modern.Setting()
        drawn = [modern.passkey(np.random.default_rng(seed), 3, 8, setting) for seed in range(2)]
        texts = modern.Texts(*map(np.stack, zip(*drawn, strict=True)))
        layers = modern.rotations(SOLUTIONS["modern"], schedule, 8, setting)
        return modern.draw_parameters(setting, range(2)), lambda values: modern.loss_and_gradients(
            values, layers, texts
        )

    def lesson_12(method: str) -> tuple[dict[str, np.ndarray], Losses]:
        setting, texts = state.CHOICES[method][0], texts_of(state.SENTENCES)
        drawn = [state.draw_parameters(state.SENTENCES, method, setting, seed) for seed in range(2)]
        return scaled_like_trained(drawn), lambda values: state.loss_and_gradients(
            SOLUTIONS["state"], method, setting, values, texts
        )

    def lesson_13(method: str) -> tuple[dict[str, np.ndarray], Losses]:
        chosen = rng.integers(batches.ROWS, size=(2, 3))
        drawn = batches.draw_rows(SOLUTIONS["batches"], "first token", batches.WAYS[2])
        rows = batches.Rows(*(part[chosen] for part in drawn))
        tokens = rng.integers(batches.VOCABULARY, size=(2, 3, batches.ROW))
        parameters = scaled_like_trained([batches.draw_parameters(method, seed) for seed in range(2)])
        return parameters, lambda values: batches.loss_and_gradients(values, method, tokens, rows)

    for method in lab_results.METHODS:
        yield f"9 {method}", lambda method=method: lesson_9(method, places=False)
    for method in ("sinusoidal", "learned"):
        yield f"9 {method}, random positions", lambda method=method: lesson_9(method, places=True)
    for name, task in {"copying": context.COPYING, "passkey": context.PASSKEY, "latest": context.LATEST}.items():
        yield f"8 {name}", lambda task=task: lesson_8(task)
    for schedule in modern.SCHEDULES:
        yield f"11 {schedule}", lambda schedule=schedule: lesson_11(schedule)
    for method in state.CHOICES:
        yield f"12 {method}", lambda method=method: lesson_12(method)
    for method in batches.METHODS:
        yield f"13 {method}", lambda method=method: lesson_13(method)


@pytest.mark.parametrize("case", [pytest.param(make, id=name) for name, make in gradient_cases()])
def test_gradients_are_those_of_finite_differences(
    case: Callable[[], tuple[dict[str, np.ndarray], Losses]],
) -> None:
    parameters, losses = case()
    rng, (_, gradients) = np.random.default_rng(0), losses(parameters)
    assert gradients.keys() == parameters.keys()
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for _ in range(4):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            ends = []
            for step in (1e-4, -1e-4):
                shifted = {key: value.copy() for key, value in parameters.items()}
                shifted[name][place] += step
                ends.append(losses(shifted)[0][place[0]])
            # Rotations are stored in single precision.
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-6, rel=1e-3), (name, place)


# Measurements use only the student's functions


@pytest.mark.parametrize("method", lab_results.METHODS)
def test_what_is_trained_is_what_is_measured(method: str) -> None:
    """In lesson 9, the loss of the batched model is the cross-entropy of answers from `encode` and
    `logits`."""
    parameters, solution = of_lesson_9(method, SMALL), SOLUTIONS["extrapolation"]
    texts = np.random.default_rng(1).integers(SMALL.vocabulary, size=(2, 3, SMALL.trained_length))
    reading = lab_train_and_test.read(solution, method, SMALL)
    losses, _ = lab_model.loss_and_gradients(parameters, reading, texts, texts[..., :-2])
    for seed in range(2):
        known, surprise = {name: value[seed] for name, value in parameters.items()}, []
        for text in texts[seed]:
            y, _ = lab_train_and_test.answer(solution, method, known, SMALL, text)
            surprise += [np.log(np.exp(y[place]).sum()) - y[place, text[place - 2]] for place in range(2, len(text))]
        assert losses[seed] == pytest.approx(np.mean(surprise), rel=1e-5)


@pytest.mark.parametrize("name", ["extrapolation", "context_extension", "modern"])
def test_no_encoding_is_written_in_the_laboratory(name: str) -> None:
    """The lab ships with the assignment in which students implement the encodings."""
    for path in LABS[name].parent.glob("lab*.py"):
        assert not re.search(r"10000|np\.(cos|sin|log2|tril)\b|1j", path.read_text("utf-8")), path.name


@pytest.mark.parametrize(
    ("method", "function"),
    [("alibi", "logits"), ("t5", "logits"), ("rope", "logits"), ("shaw", "logits"), ("learned", "encode")],
)
def test_a_method_that_is_not_of_its_form_is_refused(method: str, function: str) -> None:
    """If the lab accepted a function in the wrong form for its method, the experiment would train one method and
    measure another."""
    mistaken = catalogue.solution(course.find("extrapolation"))
    right = getattr(mistaken, function)

    def squared(method: str, *arguments: np.ndarray) -> np.ndarray:
        result = right(method, *arguments)
        return result + 0.1 * np.where(np.isfinite(result), result, 0) ** 2

    setattr(mistaken, function, squared)
    with pytest.raises(ValueError, match=rf"{function}\('{method}', …\) is not of the form"):
        lab_train_and_test.read(mistaken, method, SMALL)


def test_rotations_are_those_of_the_student_s_functions() -> None:
    setting, solution = modern.Setting(), SOLUTIONS["modern"]
    where = [[one is not None for one in modern.rotations(solution, one, 4, setting)] for one in modern.SCHEDULES]
    assert where == [[False, False], [True, False], [False, True], [True, True]]
    x = np.random.default_rng(0).normal(size=(1, setting.width))
    for one in (setting, modern.RUNS["copy 3 back, base 10"].setting):
        matrices = modern.rotations(solution, "every layer", 6, one)[0]
        assert matrices is not None and np.allclose(x @ matrices[5], solution.shift_keys(x, 5, base=one.base))


def test_at_the_trained_length_no_extension_but_the_control_changes_the_model() -> None:
    rotations = {
        method: context.rotated(SOLUTIONS["context_extension"], method, context.Setting(), 16).rotations
        for method in context.METHODS
    }
    same = [method for method in context.METHODS if np.allclose(rotations[method], rotations[context.AS_TRAINED])]
    assert same == [method for method in context.METHODS if method != context.NO_POSITION]
    assert np.allclose(rotations[context.NO_POSITION], 1)


def test_a_packed_row_gives_each_text_what_it_gives_alone() -> None:
    """In a packed row, positions restart with each text, other texts are masked, and each token's answer is in its own
    text."""
    rows = batches.draw_rows(SOLUTIONS["batches"], "first token", batches.WAYS[0])
    model = lab_model.stacked([batches.draw_parameters("learned", 0)])
    tokens = np.random.default_rng(1).integers(batches.VOCABULARY, size=(1, 1, batches.ROW))
    packed = batches.look(model, "learned", tokens, batches.Rows(*(part[:1] for part in rows))).scores[0, 0]
    for begin, end in pairwise([*np.flatnonzero(rows.positions[0] == 0), batches.ROW]):
        steps = np.arange(end - begin)[np.newaxis]
        text = batches.Rows(steps, np.tri(end - begin, dtype=bool)[np.newaxis], 0 * steps, steps > 0)
        alone = batches.look(model, "learned", tokens[..., begin:end], text).scores[0, 0]
        np.testing.assert_allclose(packed[begin:end], alone, atol=1e-5)
        assert (rows.answer[0, begin:end] == begin).all()


def test_the_changes_of_lesson_14_are_the_known_mistakes() -> None:
    """On a short text, each change in the lab gives the same result as the corresponding mistake in the
    catalogue."""
    assignment, tokens = course.find("model"), whole_model.held_out()[:1, :40]
    entries = {entry.name: entry for entry in catalogue.entries(assignment)}
    for change, mistake in {
        "eps outside the root": "eps_outside_the_root",
        "ReLU for silu": "relu_for_silu",
        "silu on up": "silu_on_up",
        "silu of the product": "silu_of_the_product",
        "scale missing": "no_scale",
        "no final norm": "no_final_norm",
        "tile for repeat": "tiled",
        "parallel parts": "parallel_parts",
        "norm's output added": "norm_added_to",
        "values rotated": "values_rotated",
        "columns not reordered": "columns_left_alone",
        "reordered as one head": "permuted_as_one_head",
        "nothing rotated": "nothing_rotated",
        "no residual": "no_residual",
        "norm after the sum": "norm_after_the_sum",
    }.items():
        functions, mistaken = (
            catalogue.solution(assignment),
            catalogue.solution_with_mistake(assignment, entries[mistake]),
        )
        model, arguments = whole_model.CHANGES[change](functions, whole_model.writer_model(functions))
        expected, _ = mistaken.forward(tokens, whole_model.writer_model(mistaken))
        np.testing.assert_allclose(
            functions.forward(tokens, model, **arguments)[0], expected, atol=1e-9, err_msg=change
        )


# Tasks


def texts_of(task: str) -> state.Texts:
    drawn = [state.draw(task, np.random.default_rng(seed), 3, 16) for seed in range(2)]
    return state.Texts(*map(np.stack, zip(*drawn, strict=True)))


def test_the_tasks_of_lesson_11_ask_what_they_say() -> None:
    setting = modern.Setting()
    for draw in (modern.copy_back, modern.passkey):
        tokens, answers, asked = draw(np.random.default_rng(1), 50, 12, setting)
        assert (tokens[:, 0] == setting.start_token).all() and (tokens[:, 1:] != setting.start_token).all()
        assert (answers[asked] < setting.vocabulary).all() and asked[:, -1].all()
        for row, column in np.argwhere(asked):
            marked = np.flatnonzero(tokens[row] == setting.mark)
            source = column - setting.back if draw is modern.copy_back else marked[0] + 1
            assert source < column and answers[row, column] == tokens[row, source]


def test_the_name_of_a_sentence_is_the_token_after_its_mark() -> None:
    texts = state.draw(state.SENTENCES, np.random.default_rng(1), 60, 20)
    mark, asked = state.mark(state.SENTENCES), texts.answers.shape[1]
    assert (texts.answers != mark).all() and (texts.tokens[:, 0] == mark).all()
    for row, answers in zip(texts.tokens, texts.answers, strict=True):
        marks = np.flatnonzero(row == mark)
        assert (np.diff(marks) > 1).all()
        for place, answer in zip(range(20 - asked, 20), answers, strict=True):
            assert answer == row[marks[marks < place].max() + 1]


# Files of the last run


MEASURED = {"accuracy", "weight", "loss", "cross_entropy", "gate", "x1", "x2", "x4", "x8", "stretched"}


def test_every_seed_measured_the_same_and_no_reported_one_was_used_to_choose() -> None:
    for path in (course.ROOT / "assignments").glob("*/*.csv"):
        asked: dict[str, list[list[str]]] = {}
        for row in experiments.rows_of(path):
            if "seed" in row:
                case = [value for name, value in row.items() if name not in MEASURED | {"seed"}]
                asked.setdefault(row["seed"], []).append(case)
        first, *others = map(sorted, asked.values()) if asked else [[]]
        assert all(one != other for one, other in pairwise(first)) and all(one == first for one in others), path
    for lab in (extrapolation, state):
        assert not set(lab.SEEDS) & set(lab.CHOOSING_SEEDS) and len(lab.SEEDS) >= 8
    tries = state.saved_tries()
    for task, method, setting, rate in {
        (row.task, row.method, row.setting, row.learning_rate) for row in state.saved()
    }:
        assert (setting, rate) == state.choice(tries, task, "gates" if method == state.EQUAL else method)


def results(name: str) -> list[Any]:
    """Return, for each job of `make experiment`, the saved numbers that the job remeasures."""
    if name == "extrapolation":
        columns = [experiments.rows_of(LABS[name].with_name(f"{one}.csv")) for one in ("attention", "losses")]
        files = [lab_results.saved(), *([tuple(row.values()) for row in rows] for rows in columns)]
        jobs = [tuple(what) for _, *what in extrapolation.jobs(full=False)]
        return [tuple([row for row in rows if row[:3] == what] for rows in files) for what in jobs]
    if name == "context_extension":
        files = [context.saved(), context.saved_losses()]
        return [tuple([row for row in rows if row.run == run] for rows in files) for (run,) in context.jobs(full=False)]
    if name == "modern":
        again = set(modern.jobs(full=False))
        measured = [row for row in modern.saved() if row[:2] in again or row.run == modern.REPLACED]
        losses = [row for row in modern.saved_losses() if row[:2] in again]
        return [modern.Results(measured, losses, modern.saved_looks())]
    if name == "state":
        files = ([row for row in rows if row.task != state.LONG] for rows in (state.saved(), state.saved_gates()))
        return [state.Results(*files, [], state.saved_memories())]
    return whole_model.saved() if name == "model" else [batches.saved()]


NO_PICTURES = "def __getattr__(name):\n    return lambda *of: None\n"
"""Source of a `figures.py` that draws nothing."""


@pytest.mark.parametrize("name", LABS)
def test_what_is_kept_are_the_same_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make experiment` repeats some runs, keeps the numbers of the others, and leaves the files byte-for-byte
    identical."""
    folder = Path(shutil.copytree(LABS[name].parent, tmp_path / name))
    (folder / "figures.py").write_text(NO_PICTURES, "utf-8")
    lab = {one.HERE.name: one for one in (extrapolation, context, modern, state, batches, whole_model)}[name]
    kept = results(name)
    for module in (lab, lab_results) if name == "extrapolation" else (lab,):
        monkeypatch.setattr(module, "HERE", folder)
    said = lab.keep(course.find(name).solution, False, kept)
    for path in [*folder.glob("*.csv"), folder / "measured.md"]:
        assert path.read_bytes() == LABS[name].with_name(path.name).read_bytes(), path.name
    assert said in (folder / "measured.md").read_text("utf-8")


@pytest.mark.long
def test_the_measurements_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one or two seeds are run, with a tolerance for rounding on another processor, which can change results over
    thousands of steps."""
    task, method = "copy 1 back", "alibi"
    rate = lab_results.best_rates(lab_results.saved_trials("grid.csv"))[task, method, "usual"]
    setting = replace(lab_results.setting_of(task=task), learning_rate=rate)
    solution, seeds = SOLUTIONS["extrapolation"], lab_train_and_test.SEEDS[:1]
    before = {row[:6]: row for row in lab_results.saved()}
    for row in extrapolation.measure(solution, task, method, "usual", setting, seeds=seeds)[0]:
        old = before[row[:6]]
        assert (row.accuracy, row.weight) == pytest.approx((old.accuracy, old.weight), abs=0.05)

    run = context.RUNS["copy 3 back"]
    run = replace(run, setting=replace(run.setting, lengths=(32,)), methods=("as trained", "YaRN"))
    monkeypatch.setitem(context.RUNS, "copy 3 back", run)
    before_8 = {row[:5]: row for row in context.saved()}
    for row in context.measure(SOLUTIONS["context_extension"], "copy 3 back", seeds=context.SEEDS[:2])[0]:
        assert row[5:] == pytest.approx(before_8[row[:5]][5:], abs=0.05)


def test_one_method_with_one_setting_runs_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(extrapolation.HERE, tmp_path / "extrapolation"))
    monkeypatch.setattr(extrapolation, "HERE", folder)
    options = "rope --base 10 --steps 40 --sequences 2 --trained-length 8 --file".split()
    extrapolation.main([*options, str(course.find("extrapolation").solution)])
    assert "| method | setting | 8 | 16 | 32 | 64 |" in capsys.readouterr().out
    assert (folder / "last_run.svg").is_file()
