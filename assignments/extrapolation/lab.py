"""The experiment: train one small model with each encoding at length 16, then test it on up to 1,024 tokens.

This code is provided; you do not fill in anything here. `make experiment` runs the experiment on your
`extrapolation.py`. To train one method with one setting in a few seconds, and to draw its results, run:

    python -m assignments.extrapolation.lab rope --base 10

The model is one layer of causal attention with one head, and nothing else: see `lab_model.py`. The model must name
the token `back` positions before each position. New random tokens are drawn for every training step, so the model
cannot memorize sequences.

`encode` and `logits` are the functions under test. The lab does not reimplement any encoding: every accuracy comes
from calls to `encode` and `logits` (`lab_train_and_test.py`). The settings, the choice of settings, and the tables
are in `lab_results.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

# These matrices are small: a library that splits each product over all cores would take three times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder, in a notebook too

from assignments import experiments  # noqa: E402
from assignments.experiments import load, markdown, mean_and_reliable, write_rows  # noqa: E402
from assignments.extrapolation.lab_results import (  # noqa: E402
    BROKEN_BY,
    CHOICES,
    FAR,
    FAR_LENGTHS,
    LEARNING_RATES,
    METHODS,
    RIVALS,
    TASKS,
    TRIPLED,
    USUAL,
    FarTest,
    Result,
    Trial,
    at_best_rate,
    best_rates,
    chosen,
    saved,
    saved_looks,
    saved_losses,
    saved_trials,
    setting_of,
    tables,
)
from assignments.extrapolation.lab_train_and_test import (  # noqa: E402
    CHOOSING_SEEDS,
    SEEDS,
    OtherPairs,
    Setting,
    evaluate,
    train,
)
from autograder.checks.output_encoding import print_anywhere  # noqa: E402

# Jobs, for assignments/experiments.py.


def jobs(full: bool) -> list[tuple[str, ...]]:
    """Return the jobs for the reported results: every method, in its usual and its chosen setting, in both tasks.

    With `full`, include the jobs that choose settings and the jobs that try changes to them.
    """
    choice = chosen(saved_trials("grid.csv"))
    pairs = {
        task: [(method, change) for method in METHODS for change in dict.fromkeys((USUAL, choice[task, method]))]
        for task in TASKS
    }
    reported = [("report", task, *pair) for task in TASKS for pair in pairs[task]]
    first = pairs["copy 3 back"]
    changes = [
        ("change", *pair, then) for pair in first for then in (TRIPLED, *(BROKEN_BY if pair[0] in RIVALS else ()))
    ]
    return reported + (changes + [("far", *what) for what in FAR] + grid_jobs() if full else [])


def grid_jobs() -> list[tuple[str, ...]]:
    """Return a job for each task, method and setting that is tried before settings are chosen."""
    return [
        ("grid", task, method, change)
        for task in TASKS
        for method in METHODS
        for change in (USUAL, *CHOICES.get(method, ()))
    ]


def job(path: Path, kind: str, *what: str) -> Any:
    """Run one job: see `report`, `try_grid`, `try_change` and `measure_far`."""
    return {"report": report, "grid": try_grid, "change": try_change, "far": measure_far}[kind](load(path), *what)


def report(
    implementation: ModuleType, task: str, method: str, change: str
) -> tuple[list[Result], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Measure one method in one setting with every reported seed.

    The results are rows of measured.csv, attention.csv and losses.csv.
    """
    rate = best_rates(saved_trials("grid.csv"))[task, method, change]
    return measure(implementation, task, method, change, replace(setting_of(change, task=task), learning_rate=rate))


def measure(
    implementation: ModuleType,
    task: str,
    method: str,
    change: str,
    setting: Setting,
    seeds: Sequence[int] = SEEDS,
    watch: Callable[[], None] = lambda: None,
) -> tuple[list[Result], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Train one model per seed, and test each model at every length."""
    models, losses = train(implementation, method, setting, seeds, watch)
    rows, weights = [], []
    for seed, model in zip(seeds, models, strict=True):
        for length in setting.lengths:
            result = evaluate(implementation, method, setting, model, length)
            right = result.weights[setting.back]
            rows.append(
                Result(
                    task,
                    method,
                    change,
                    setting.learning_rate,
                    seed,
                    length,
                    result.accuracy,
                    result.cross_entropy,
                    right,
                )
            )
        weights.append(result.weights)
    looks = [
        (task, method, change, str(distance), f"{weight:.4f}")
        for distance, weight in enumerate(np.mean(weights, axis=0))
    ]
    means = losses.mean(axis=1).reshape(CURVE_POINTS, -1).mean(axis=1)
    steps = (np.arange(CURVE_POINTS) + 1) * setting.steps // CURVE_POINTS
    curve = [(task, method, change, str(step), f"{loss:.4f}") for step, loss in zip(steps, means, strict=True)]
    return rows, looks, curve


CURVE_POINTS = 40


def try_grid(implementation: ModuleType, task: str, method: str, change: str) -> list[Trial]:
    """Try one setting with every learning rate."""
    return [row for rate in LEARNING_RATES for row in run_trials(implementation, task, method, change, USUAL, rate)]


def try_change(implementation: ModuleType, method: str, change: str, then: str) -> list[Trial]:
    """Try one further change to a setting, with the setting's best learning rate."""
    rate = best_rates(saved_trials("grid.csv"))["copy 3 back", method, change]
    return run_trials(implementation, "copy 3 back", method, change, then, rate)


def run_trials(implementation: ModuleType, task: str, method: str, change: str, then: str, rate: float) -> list[Trial]:
    """Try one setting with the seeds that are used only to choose settings."""
    setting = replace(setting_of(change, then, task=task), learning_rate=rate)
    models, losses = train(implementation, method, setting, CHOOSING_SEEDS)
    late = losses[-setting.steps // 10 :].mean(axis=0)
    rows = []
    for seed, model, loss in zip(CHOOSING_SEEDS, models, late, strict=True):
        accuracies = [
            round(float(evaluate(implementation, method, setting, model, length).accuracy), 4)
            for length in setting.lengths
        ]
        rows.append(Trial(task, method, change, then, rate, seed, round(float(loss), 4), *accuracies))
    return rows


def measure_far(implementation: ModuleType, method: str, change: str, then: str) -> list[FarTest]:
    """Test one setting far beyond the trained length, with every reported seed."""
    changes = (change, *then.split(", "))
    rate = best_rates(saved_trials("grid.csv"))["copy 3 back", method, change]
    setting = replace(setting_of(*changes), learning_rate=rate, lengths=FAR[method, change, then])
    tested: Any = OtherPairs(implementation, setting) if setting.block or setting.rotated else implementation
    models, losses = train(tested, method, setting, SEEDS)
    late = losses[-setting.steps // 10 :].mean(axis=0)
    rows = []
    for log_n in (0, 1) if setting.lengths == FAR_LENGTHS else (0,):
        for seed, model, loss in zip(SEEDS, models, late, strict=True):
            for length in setting.lengths:
                result = evaluate(tested, method, replace(setting, log_n=log_n), model, length)
                weight = result.weights[setting.back]
                rows.append(
                    FarTest(method, change, then, log_n, seed, float(loss), length, result.accuracy, float(weight))
                )
    return rows


# The files.


def keep(path: Path, full: bool, results: Sequence[Any]) -> str:
    """Write and draw the measurements and, with `full`, write the trials, the changes and the longest tests."""
    kinds = [kind for kind, *_ in jobs(full)]
    by_kind = {
        kind: [result for other, result in zip(kinds, results, strict=True) if other == kind]
        for kind in dict.fromkeys(kinds)
    }
    for kind, name in (("grid", "grid.csv"), ("change", "changes.csv")):
        if kind in by_kind:
            write_rows(HERE / name, Trial._fields, (row for rows in by_kind[kind] for row in rows))
    if "far" in by_kind:
        far = (row for rows in by_kind["far"] for row in rows)
        write_rows(
            HERE / "far.csv",
            FarTest._fields,
            ((*row[:5], f"{row.loss:.4f}", row.length, *(f"{number:.4f}" for number in row[7:])) for row in far),
        )
    rows, looks, curves = ([row for part in parts for row in part] for parts in zip(*by_kind["report"], strict=True))
    write_rows(
        HERE / "measured.csv", Result._fields, ((*row[:6], *(f"{number:.4f}" for number in row[6:])) for row in rows)
    )
    write_rows(HERE / "attention.csv", ("task", "method", "change", "distance", "weight"), looks)
    write_rows(HERE / "losses.csv", ("task", "method", "change", "step", "loss"), curves)
    implementation, figures = load(path), load(HERE / "figures.py")
    text = tables(implementation)
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    pictures = HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    for name, figure in {
        "accuracy_against_length": figures.accuracy_against_length(saved()),
        "attention_against_distance": figures.attention_against_distance(saved_looks()),
        "loss_against_steps": figures.loss_against_steps(saved_losses()),
        "accuracy_against_base": figures.accuracy_against_base(at_best_rate(saved_trials("grid.csv"))),
    }.items():
        figures.save(figure, pictures / f"{name}.svg")
    return text


# One method with one setting, from the command line.


def measure_one(path: Path, method: str, changes: Sequence[str], task: str = "copy 3 back") -> None:
    """Train one method with every seed, print its accuracies, and draw them with the course's usual results."""
    setting = setting_of(*changes, task=task)
    rates = best_rates(saved_trials("grid.csv"))
    if not any(change.startswith("learning_rate") for change in changes):
        best = [rates[task, method, change] for change in changes if (task, method, change) in rates]
        setting = replace(setting, learning_rate=best[0] if best else rates[task, method, USUAL])
    progress = experiments.ProgressLine(setting.steps)
    name = ", ".join(changes) or USUAL
    rows, _, curve = measure(
        load(path), task, method, name, setting, watch=lambda: progress.step(f"{method}, {name}: training")
    )
    accuracy = {length: np.array([row.accuracy for row in rows if row.length == length]) for length in setting.lengths}
    print(
        markdown(
            ["method", "setting", *map(str, accuracy)], [[method, name, *map(mean_and_reliable, accuracy.values())]]
        )
    )
    figures = load(HERE / "figures.py")
    picture = HERE / "last_run.svg"
    figures.save(figures.one_run(rows, [float(row[-1]) for row in curve], setting.steps, saved()), picture)
    print(f"drawn in {picture}")


def main(arguments: Sequence[str]) -> None:
    """Measure all reported results, or one method with any fields of `Setting` changed."""
    parser = argparse.ArgumentParser(prog="python -m assignments.extrapolation.lab", description=main.__doc__)
    parser.add_argument("method", nargs="?", choices=METHODS, help="train this method alone")
    parser.add_argument(
        "--file", type=Path, default=experiments.student_file(Path(__file__)), help="the functions to measure"
    )
    parser.add_argument("--full", action="store_true", help="measure the choice and the changes once more, too")
    options = [field.name for field in fields(Setting) if field.name != "lengths"]
    for name in options:
        default = getattr(Setting, name)
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=f"{default:g}", help="with a method: change this")
    chosen_options = parser.parse_args(arguments)
    if not chosen_options.method:
        experiments.run([sys.modules[__name__]], chosen_options.full, chosen_options.file)
        return
    print_anywhere()
    changes = [f"{name} {value}" for name in options if (value := getattr(chosen_options, name)) is not None]
    try:
        measure_one(chosen_options.file, chosen_options.method, changes)
    except (NotImplementedError, ValueError) as reason:
        sys.exit(f"{chosen_options.file.name}: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
