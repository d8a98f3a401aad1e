"""Settings of the experiment, rows of its files, choice of settings, and tables of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np

from assignments.experiments import RELIABLE, markdown, mean_and_reliable, number, rows_of, spread
from assignments.extrapolation.lab_train_and_test import Setting, draw_parameters

HERE = Path(__file__).resolve().parent

# The settings.

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")
TASKS = {"copy 3 back": 3, "copy 1 back": 1}
LEARNING_RATES = (3e-3, 1e-2, 3e-2)
USUAL = "usual"
"""Name of the setting in which nothing is changed."""

CHOICES: dict[str, tuple[str, ...]] = {
    "integer": ("scale 0.25", "scale 0.0625", "scale 0.015625"),
    "sinusoidal": ("base 4", "base 10", "base 100", "base 1e6"),
    "rope": ("base 4", "base 10", "base 30", "base 100", "base 1000", "base 1e6"),
    "shaw": ("max_distance 2", "max_distance 4", "max_distance 8"),
    "t5": ("buckets 16", "own_buckets 16", "own_buckets 8", "own_buckets 4"),
    "alibi": ("slope 2", "slope 0.125", "slope 0.03125"),
}
"""Settings to try in addition to the usual setting, by method. All other methods have only the usual setting."""

BROKEN_BY = ("width 64", "trained_length 32", "vocabulary 64", "back 5")
"""Changes that might break a result, measured for RIVALS after settings are chosen."""
RIVALS = ("rope", "shaw", "t5")
TRIPLED = f"steps {3 * Setting.steps}"
"""Change that is tried for every method: training three times as long."""


def setting_of(*changes: str, task: str = "copy 3 back") -> Setting:
    """Return the usual setting with some fields changed.

    The test lengths stay 1, 2, 4 and 8 times the trained length.
    """
    setting = Setting(back=TASKS[task])
    for name, value in (change.split() for change in changes if change != USUAL):
        setting = replace(setting, **{name: type(getattr(setting, name))(float(value))})
    return replace(setting, lengths=tuple(setting.trained_length * times for times in (1, 2, 4, 8)))


FAR_LENGTHS = (16, 32, 64, 128, 512, 1024)
FAR: dict[tuple[str, str, str], tuple[int, ...]] = {
    **{
        (method, change, then): FAR_LENGTHS
        for method, change, then in (
            ("rope", USUAL, USUAL),
            ("rope", "base 4", USUAL),
            ("rope", USUAL, "width 128"),
            ("rope", "base 4", "width 128"),
            ("shaw", USUAL, USUAL),
            ("t5", USUAL, USUAL),
            ("t5", "own_buckets 16", USUAL),
        )
    },
    ("rope", "base 10", USUAL): (16, 32, 64, 128),
    ("rope", USUAL, "width 128, block 32"): (16, 32, 64, 128),
    ("rope", USUAL, "width 128, rotated 32"): (16, 32, 64, 128),
    ("rope", "base 4", "trained_length 32"): (32, 64, 128, 256),
    ("sinusoidal", USUAL, "start_below 128"): (16, 32, 64, 128),
    ("sinusoidal", USUAL, "drawn_below 128"): (16, 32, 64, 128),
    ("learned", USUAL, "table_rows 128"): (16, 32, 64, 128),
    ("learned", USUAL, "table_rows 128, start_below 128"): (16, 32, 64, 128),
}
"""Test lengths for each (method, setting, further change), with the reported seeds, in copying 3 back.

The results far beyond the trained length are measured once and kept; `--full` measures them again. The seven entries
that are tested on the longest texts are also tested with `log_n`.
"""


# The rows of the files.


class FarTest(NamedTuple):
    """Result of one model at one length: a row of far.csv."""

    method: str
    change: str
    then: str
    log_n: int
    seed: int
    loss: float
    """Mean loss over the last tenth of training."""
    length: int
    accuracy: float
    weight: float
    """Mean attention weight of the correct key."""


class Trial(NamedTuple):
    """Accuracy of one model at 1, 2, 4 and 8 times the trained length: a row of grid.csv or of changes.csv."""

    task: str
    method: str
    change: str
    """Setting, as in CHOICES."""
    then: str
    """Further change, as in BROKEN_BY."""
    learning_rate: float
    seed: int
    loss: float
    """Mean loss over the last tenth of training."""
    x1: float
    x2: float
    x4: float
    x8: float


class Result(NamedTuple):
    """Result of one reported model at one length: a row of measured.csv."""

    task: str
    method: str
    change: str
    learning_rate: float
    seed: int
    length: int
    accuracy: float
    cross_entropy: float
    weight: float
    """Mean attention weight of the correct key."""


AnyRow = TypeVar("AnyRow", FarTest, Trial, Result)


def _saved_rows(name: str, row_type: type[AnyRow]) -> list[AnyRow]:
    """Return the rows of a file, with each field converted to its annotated type."""
    kinds = get_type_hints(row_type)
    return [row_type(**{field: kind(row[field]) for field, kind in kinds.items()}) for row in rows_of(HERE / name)]


def saved_far() -> list[FarTest]:
    """Return the rows of far.csv."""
    return _saved_rows("far.csv", FarTest)


def saved_trials(name: str) -> list[Trial]:
    """Return the rows of grid.csv or changes.csv."""
    return _saved_rows(name, Trial)


def saved() -> list[Result]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    return _saved_rows("measured.csv", Result)


def saved_looks() -> dict[tuple[str, str], np.ndarray]:
    """Return the mean weights by distance, for each method and setting, in the first task at the longest length."""
    return _columns("attention.csv", "weight")


def saved_losses() -> dict[tuple[str, str], np.ndarray]:
    """Return the mean losses in equal parts of training, by method and setting, in the first task."""
    return _columns("losses.csv", "loss")


def _columns(name: str, value: str) -> dict[tuple[str, str], np.ndarray]:
    columns: dict[tuple[str, str], list[float]] = {}
    for row in rows_of(HERE / name):
        if row["task"] == "copy 3 back":
            columns.setdefault((row["method"], row["change"]), []).append(float(row[value]))
    return {key: np.array(values) for key, values in columns.items()}


def by_length(
    rows: Iterable[Result], task: str, method: str, change: str = USUAL, what: str = "accuracy"
) -> dict[int, np.ndarray]:
    """Return the numbers of all seeds at each length."""
    selected = [row for row in rows if (row.task, row.method, row.change) == (task, method, change)]
    lengths = dict.fromkeys(row.length for row in selected)
    return {length: np.array([getattr(row, what) for row in selected if row.length == length]) for length in lengths}


# The choice.


def mean_by(rows: Iterable[Any], keys: Sequence[str], value: Callable[[Any], float]) -> dict[tuple[Any, ...], float]:
    """Return the mean of a value over each group of rows that agree in the `keys` columns."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(value(row))
    return {key: float(np.mean(values)) for key, values in groups.items()}


def best_rates(rows: Iterable[Trial]) -> dict[tuple[str, str, str], float]:
    """Return the learning rate with the highest `score`, by task, method and setting.

    If several rates have the same score, the smallest rate is chosen.
    """
    scores = mean_by(rows, ("task", "method", "change", "learning_rate"), score)
    rates: dict[tuple[str, str, str], float] = {}
    for task, method, change, rate in sorted(scores, key=lambda key: (-round(scores[key], 3), key[3])):
        rates.setdefault((task, method, change), rate)
    return rates


def score(row: Trial) -> float:
    """Return the mean accuracy over the four lengths, by which settings and learning rates are chosen.

    An accuracy of NaN counts as 0.
    """
    return float(np.nansum(row[7:])) / 4


def at_best_rate(rows: Iterable[Trial]) -> list[Trial]:
    """Return the rows in which each setting has its best learning rate."""
    rows = list(rows)
    rates = best_rates(rows)
    return [row for row in rows if rates[row[:3]] == row.learning_rate]


def chosen(rows: Iterable[Trial]) -> dict[tuple[str, str], str]:
    """Return the setting with the highest `score`, by task and method.

    The usual setting wins unless another setting has a higher score.
    """
    means = mean_by(at_best_rate(rows), ("task", "method", "change"), score)
    choice: dict[tuple[str, str], str] = {}
    for task, method, change in sorted(means, key=lambda key: (-round(means[key], 3), key[2] != USUAL)):
        choice.setdefault((task, method), change)
    return choice


# Tables.


def tables(implementation: ModuleType) -> str:
    """Return all measurements as Markdown."""
    rows, grid, changes = saved(), saved_trials("grid.csv"), saved_trials("changes.csv")
    encodings = [
        [method, f"{learned:,}", number(gap)] for method, (learned, gap) in before_training(implementation).items()
    ]
    parts = ["Before training", markdown(["method", "learned numbers", "shift gap"], encodings)]
    for task in TASKS:
        parts += [f"{task.capitalize()}: the best result first", comparison(rows, task)]
        parts += [f"{task.capitalize()}: accuracy", accuracy_table(implementation, rows, task)]
        parts += [f"{task.capitalize()}: cross-entropy and attention", _detail_table(rows, task)]
    parts += ["Copy 3 back, much longer, and with other positions in training: accuracy", far_table(saved_far())]
    parts += ["The choice: accuracy on the choosing seeds", grid_table(grid)]
    parts += ["Training three times as long: accuracy on the choosing seeds", tripled_table(grid, changes)]
    parts += [
        "One more change: accuracy on the choosing seeds at 8 times the trained length",
        changes_table(grid, changes),
    ]
    return "\n\n".join(parts) + "\n"


def before_training(implementation: ModuleType) -> dict[str, tuple[int, float]]:
    """Return, for each method, the number of parameters that its encoding learns, and its shift gap."""
    setting = Setting()
    measures = {}
    for method in implementation.METHODS:
        drawn = {name: value.astype(np.float64) for name, value in draw_parameters(method, setting, seed=0).items()}
        arguments, x = setting.arguments(drawn), drawn["tokens"]
        gap = implementation.shift_gap(method, x, drawn["w_q"], drawn["w_k"], arguments, setting.trained_length)
        measures[method] = (implementation.learned_parameters(method, arguments), float(gap))
    return measures


def comparison(rows: Sequence[Result], task: str) -> str:
    """Return the lesson's table: each method in its usual and its chosen setting, with the best result first."""
    shortest, longest = Setting.lengths[0], Setting.lengths[-1]
    accuracies = {pair: by_length(rows, task, *pair) for pair in reported(rows, task)}
    means = {pair: np.nan_to_num(values[longest].mean().round(2), nan=-1) for pair, values in accuracies.items()}
    lines = [
        [*pair, number(accuracies[pair][shortest].mean()), spread(accuracies[pair][longest])]
        for pair in sorted(accuracies, key=lambda pair: -means[pair])
    ]
    return markdown([task, "setting", f"at {shortest}", f"at {longest}"], lines)


def reported(rows: Iterable[Result], task: str) -> list[tuple[str, str]]:
    """Return the methods and settings that were measured, in order."""
    return list(dict.fromkeys((row.method, row.change) for row in rows if row.task == task))


def accuracy_table(implementation: ModuleType, rows: Sequence[Result], task: str) -> str:
    """Return the accuracies of one task by length as Markdown, with the longest reliable length and the gap."""
    lines = []
    for method, change in reported(rows, task):
        accuracy = by_length(rows, task, method, change)
        means = [values.mean() for values in accuracy.values()]
        reliable = implementation.longest_reliable_length(list(accuracy), means)
        gap = implementation.extrapolation_gap(list(accuracy), means, Setting.trained_length)
        summary = [str(reliable) if reliable else "nowhere", number(gap)]
        lines.append([method, change, *map(mean_and_reliable, accuracy.values()), *summary])
    return markdown(["method", "setting", *map(str, Setting.lengths), "mean reliable up to", "gap"], lines)


def _detail_table(rows: Sequence[Result], task: str) -> str:
    ends = (Setting.lengths[0], Setting.lengths[-1])
    lines = []
    for method, change in reported(rows, task):
        measures = [by_length(rows, task, method, change, what) for what in ("cross_entropy", "weight")]
        lines.append([method, change, *(spread(numbers[end]) for numbers in measures for end in ends)])
    header = [f"{what} at {end}" for what in ("cross-entropy", "weight of the right key") for end in ends]
    return markdown(["method", "setting", *header], lines)


def far_table(rows: Sequence[FarTest]) -> str:
    """Return the results of FAR as Markdown, with the numbers of reliable seeds in brackets.

    One column gives the number of seeds whose loss is above 0.01 at the end of training.
    """
    lengths = sorted({row.length for row in rows})
    lines = []
    for key in dict.fromkeys(row[:4] for row in rows):
        selected = [row for row in rows if row[:4] == key]
        method, change, then, log_n = key
        besides = [then] * (then != USUAL) + ["log n"] * log_n
        cells = [np.array([row.accuracy for row in selected if row.length == length]) for length in lengths]
        open_seeds = len({row.seed for row in selected if row.loss > 0.01})
        lines.append(
            [
                method,
                change,
                ", ".join(besides),
                *(mean_and_reliable(cell) if cell.size else "–" for cell in cells),
                str(open_seeds),
            ]
        )
    return markdown(["method", "setting", "besides", *map(str, lengths), "not converged"], lines)


def grid_table(grid: Sequence[Trial]) -> str:
    """Return, as Markdown, every setting at its best learning rate; a star marks the chosen setting."""
    choice, rows = chosen(grid), at_best_rate(grid)
    lines = []
    for task, method, change in dict.fromkeys(row[:3] for row in rows):
        trials = trials_of(rows, task, method, change)
        star = "*" if choice[task, method] == change else ""
        rate = trials[0].learning_rate
        lines.append([task, method, change + star, f"{rate:g}", number(_mean(trials, "loss")), *_accuracies(trials)])
    return markdown(["task", "method", "setting", "learning rate", "loss", *map(str, Setting.lengths)], lines)


def tripled_table(grid: Sequence[Trial], changes: Sequence[Trial]) -> str:
    """Return, as Markdown, the accuracies after training for the usual time and for three times as long."""
    lines = []
    for method, change in dict.fromkeys((row.method, row.change) for row in changes):
        once = trials_of(at_best_rate(grid), "copy 3 back", method, change)
        thrice = trials_of(changes, "copy 3 back", method, change, TRIPLED)
        pairs = list(zip(_accuracies(once), _accuracies(thrice), strict=True))
        lines.append(
            [method, change, *(f"{before} → {after}" for before, after in pairs), "yes" if flat(once, thrice) else "no"]
        )
    return markdown(["method", "setting", *map(str, Setting.lengths), "flat"], lines)


def flat(once: Sequence[Trial], thrice: Sequence[Trial]) -> bool:
    """Return True if training three times as long moves each mean accuracy by at most 0.02.

    The means are compared length by length, at all tested lengths.
    """
    means = [np.mean([row[7:] for row in rows], axis=0) for rows in (once, thrice)]
    return bool(np.nanmax(np.abs(means[1] - means[0])) <= 0.02)


def changes_table(grid: Sequence[Trial], changes: Sequence[Trial]) -> str:
    """Return the rivals' accuracies at 8 times the trained length, after one further change to each setting.

    The accuracy at the trained length is in brackets if it is below RELIABLE, because such a model has not learned the
    task.
    """
    trials = [*at_best_rate(grid), *changes]
    lines = []
    for method, change in dict.fromkeys((row.method, row.change) for row in changes if row.method in RIVALS):
        cells = []
        for then in (USUAL, *BROKEN_BY, TRIPLED):
            of_change = trials_of(trials, "copy 3 back", method, change, then)
            learned = _mean(of_change, "x1")
            cells.append(number(_mean(of_change, "x8")) + (f" ({number(learned)})" if learned < RELIABLE else ""))
        lines.append([method, change, *cells])
    return markdown(["method", "setting", "no change", *BROKEN_BY, TRIPLED], lines)


def trials_of(rows: Iterable[Trial], task: str, method: str, change: str, then: str = USUAL) -> list[Trial]:
    """Return the rows of one setting."""
    return [row for row in rows if row[:4] == (task, method, change, then)]


def _accuracies(rows: Sequence[Trial]) -> list[str]:
    return [number(_mean(rows, name)) for name in ("x1", "x2", "x4", "x8")]


def _mean(rows: Sequence[Trial], name: str) -> float:
    return float(np.mean([getattr(row, name) for row in rows]))
