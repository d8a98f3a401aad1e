"""The methods of this lesson, run: train a small RoPE model at 16 tokens, then extend it to 32, 64, 128 and 256.

Given code; nothing here is to be filled in. `make experiment` runs it on your own `context_extension.py`.

The model is that of lesson 9 (`extrapolation/lab.py`): one layer of causal attention with one head. Two tasks:

    copy 3 back    at each of the last 13 positions, name the token that stands 3 positions back
    passkey        one marked token stands somewhere in the sequence; at the last position, name the token after the mark

A single layer cannot see which token stands before a key. So in the passkey task each embedding has a second learned
part that says it.

A trained model is extended with each method to each length. It is asked at once, and asked again after 50 further steps
of training at that length. How fast each pair rotates, and by how much cos and sin are scaled, comes from the functions
under test: the frequencies from `yarn_frequencies` and the others, the rotations from `apply_rope_with`.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder, in a notebook too

from assignments.extrapolation.lab import (  # noqa: E402
    SEEDS,
    Parameters,
    Reading,
    Setting,
    answered,
    descend,
    draw_parameters,
    load,
    markdown,
    mean_and_reliable,
    rows_of,
    side_by_side,
    stacked,
    write_rows,
)

LENGTHS = (16, 32, 64, 128, 256)
FURTHER_STEPS = 50
BASE = 1e4
DYNAMIC_FACTOR = 2.0
"""dynamic NTK: a configuration holds one factor for all lengths"""


class Extension(NamedTuple):
    """Which model is extended, and how far."""

    head_dim: int
    trained_length: int
    length: int

    @property
    def factor(self) -> float:
        return self.length / self.trained_length


class Rotations(NamedTuple):
    """What `apply_rope_with` is called with."""

    positions: np.ndarray
    frequencies: np.ndarray
    scale: float = 1.0


def _with_base(implementation: ModuleType, to: Extension, base: float = BASE) -> Rotations:
    frequencies = implementation.longrope_frequencies(to.head_dim, np.ones(to.head_dim // 2), base)
    return Rotations(np.arange(to.length), frequencies)


def _interpolated(implementation: ModuleType, to: Extension) -> Rotations:
    as_trained = _with_base(implementation, to)
    return as_trained._replace(positions=implementation.interpolate_positions(as_trained.positions, to.factor))


def _ntk(implementation: ModuleType, to: Extension) -> Rotations:
    return _with_base(implementation, to, implementation.ntk_base(BASE, to.factor, to.head_dim))


def _dynamic(implementation: ModuleType, to: Extension) -> Rotations:
    base = implementation.dynamic_ntk_base(BASE, to.head_dim, to.length, to.trained_length, DYNAMIC_FACTOR)
    return _with_base(implementation, to, base)


def _yarn_without_scale(implementation: ModuleType, to: Extension) -> Rotations:
    frequencies = implementation.yarn_frequencies(to.head_dim, BASE, to.factor, to.trained_length)
    return Rotations(np.arange(to.length), frequencies)


def _yarn(implementation: ModuleType, to: Extension) -> Rotations:
    return _yarn_without_scale(implementation, to)._replace(scale=implementation.yarn_scale(to.factor))


def _llama3(implementation: ModuleType, to: Extension) -> Rotations:
    frequencies = implementation.llama3_frequencies(to.head_dim, BASE, to.factor, trained_len=to.trained_length)
    return Rotations(np.arange(to.length), frequencies)


METHODS: dict[str, Callable[[ModuleType, Extension], Rotations]] = {
    "nothing": _with_base,
    "interpolation": _interpolated,
    "NTK-aware": _ntk,
    "dynamic NTK": _dynamic,
    "YaRN, no scale": _yarn_without_scale,
    "YaRN": _yarn,
    "Llama 3": _llama3,
}


# The tasks: sequences of a length, and the right tokens at the last positions.

Examples = tuple[np.ndarray, np.ndarray]


def _copying(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Examples:
    sequences = rng.integers(setting.vocabulary, size=(count, length))
    return sequences, sequences[:, length - setting.trained_length : length - setting.back]


def _passkey(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Examples:
    mark = setting.vocabulary - 1  # the last token of the vocabulary stands nowhere else
    sequences = rng.integers(mark, size=(count, length))
    row, marked = np.arange(count), rng.integers(length - 2, size=count)
    sequences[row, marked] = mark
    return sequences, sequences[row, marked + 1][:, np.newaxis]


@dataclass(frozen=True)
class Task:
    examples: Callable[[np.random.Generator, int, int, Setting], Examples]
    setting: Setting
    token_before: bool = False
    """whether an embedding also says which token stands before"""


TASKS = {
    "copy 3 back": Task(_copying, Setting()),
    "passkey": Task(_passkey, Setting(vocabulary=17), token_before=True),
}


class Measurement(NamedTuple):
    """What one model, extended with one method, does at one length."""

    task: str
    method: str
    seed: int
    length: int
    at_once: float
    """accuracy without further training"""
    trained_on: float
    """accuracy after further steps at this length"""
    stretched: float
    """how often, without further training, the answer is the token `factor` times as far back as it should be"""


# Running it.


def rotated(implementation: ModuleType, method: str, to: Extension) -> Reading:
    """The method as the model needs it: R_t for every position t, found by rotating the unit vectors."""
    positions, frequencies, scale = METHODS[method](implementation, to)
    units = np.broadcast_to(np.eye(to.head_dim)[:, np.newaxis], (to.head_dim, to.length, to.head_dim))
    columns = implementation.apply_rope_with(units, positions, frequencies, scale)
    hidden = ~np.tri(to.length, dtype=bool)
    return Reading(
        added=np.zeros((to.length, to.head_dim)),
        constant=np.where(hidden, -np.inf, 0),
        rotations=np.moveaxis(np.asarray(columns, dtype=np.float64), 0, -1),
        rows=None,
        buckets=None,
    )


def trained(implementation: ModuleType, task: Task, seeds: Sequence[int]) -> Parameters:
    """The models at the trained length, with the seeds along the first axis."""
    setting = task.setting
    models = [draw_parameters("rope", setting, seed) for seed in seeds]
    if task.token_before:
        for seed, model in zip(seeds, models, strict=True):
            shape = (setting.vocabulary + 1, setting.width)
            model["before"] = np.random.default_rng([seed, 2]).normal(0, 1, shape)
    parameters = stacked(models)
    length = setting.trained_length
    reading = rotated(implementation, "nothing", Extension(setting.width, length, length))
    descend(parameters, reading, _drawing(task, seeds, length, 1), setting.steps, setting.learning_rate)
    return parameters


def _drawing(task: Task, seeds: Sequence[int], length: int, stream: int) -> Callable[[], Examples]:
    """Fresh examples for every step, each seed from its own stream."""
    sources = [np.random.default_rng([seed, length, stream]) for seed in seeds]

    def draw() -> Examples:
        drawn = [task.examples(source, task.setting.batch, length, task.setting) for source in sources]
        sequences, answers = map(np.stack, zip(*drawn, strict=True))
        return sequences, answers

    return draw


def answers_of(task: Task, parameters: Parameters, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each seed answers, shape (S, count, n), on the same sequences for all; the sequences, and the right answers."""
    length = len(reading.constant)
    sequences, right = task.examples(np.random.default_rng(length), task.setting.sequences, length, task.setting)
    given = []
    for seed in range(len(parameters["tokens"])):  # one after the other: all at once would need gigabytes
        model = {name: value[seed : seed + 1] for name, value in parameters.items()}
        given.append(answered(model, reading, sequences[np.newaxis], right.shape[-1])[0].argmax(axis=-1))
    return np.stack(given), sequences, right


def _share(given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return np.asarray((given == wanted).mean(axis=(1, 2)))


def measure(implementation: ModuleType, name: str, lengths: Sequence[int] = LENGTHS, seeds: Sequence[int] = SEEDS) -> list[Measurement]:
    """Train at the trained length, extend with every method to every length, ask, train further, ask again."""
    task = TASKS[name]
    setting, models = task.setting, trained(implementation, task, seeds)
    measurements = []
    for method in METHODS:
        for length in lengths:
            to = Extension(setting.width, setting.trained_length, length)
            reading = rotated(implementation, method, to)
            given, sequences, right = answers_of(task, models, reading)
            further = {key: value.copy() for key, value in models.items()}
            descend(further, reading, _drawing(task, seeds, length, 3), FURTHER_STEPS, setting.learning_rate)
            later = answers_of(task, further, reading)[0]
            asked = np.arange(length - right.shape[-1], length)
            stretched = sequences[:, np.maximum(asked - int(setting.back * to.factor), 0)]
            shares = (_share(given, right), _share(later, right), _share(given, stretched))
            measurements += [Measurement(name, method, seed, length, *row) for seed, *row in zip(seeds, *shares, strict=True)]
    return measurements


# What is kept of it.


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """The measurements of the last experiment: yours, or until you have run it, those of the course."""
    convert = (str, str, int, int, float, float, float)
    return [Measurement(*(to(row[name]) for name, to in zip(Measurement._fields, convert, strict=True))) for row in rows_of(path)]


def save(measurements: Sequence[Measurement], path: Path) -> None:
    write_rows(path, Measurement._fields, ((*row[:4], *(f"{number:.4f}" for number in row[4:])) for row in measurements))


def by_length(measurements: Iterable[Measurement], task: str, method: str, what: str) -> dict[int, np.ndarray]:
    """Length → the numbers of all seeds."""
    chosen = [row for row in measurements if (row.task, row.method) == (task, method)]
    return {length: np.array([getattr(row, what) for row in chosen if row.length == length]) for length in LENGTHS}


def tables(measurements: Sequence[Measurement]) -> str:
    """All accuracies as Markdown: mean ± standard deviation over the seeds, and how many seeds reach 0.9."""
    parts = []
    for task in TASKS:
        for what, title in (("at_once", "without further training"), ("trained_on", f"after {FURTHER_STEPS} steps at the length")):
            lines = [[name, *map(mean_and_reliable, by_length(measurements, task, name, what).values())] for name in METHODS]
            parts += [f"{task.capitalize()}, {title}", markdown(["method", *map(str, LENGTHS)], lines)]
    return "\n\n".join(parts) + "\n"


def _measure(path: Path, task: str) -> list[Measurement]:
    return measure(load(path), task)


def main(arguments: Sequence[str]) -> None:
    """`python lab.py [FILE]`: measure the methods in FILE, keep the numbers beside this file and draw them."""
    solution = HERE.parents[1] / "solutions" / "context_extension.py"
    path = Path(arguments[0]) if arguments else solution if solution.is_file() else HERE / "context_extension.py"
    figures = load(HERE.parent / "figures.py")
    try:
        measurements = [row for rows in side_by_side(_measure, [(path, task) for task in TASKS]) for row in rows]
    except (NotImplementedError, ValueError) as reason:
        sys.exit(f"{path.name}: {reason}")
    save(measurements, HERE / "measured.csv")
    kept = saved(HERE / "measured.csv")
    (HERE / "measured.md").write_text(tables(kept), encoding="utf-8")
    pictures = HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    figures.save(figures.extended_accuracy(kept), pictures / "extended_accuracy.png")
    print(tables(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
