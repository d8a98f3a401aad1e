"""Experiment with this lesson's methods: train a small RoPE model at 16 tokens, then extend it to 32, 64, 128 and 256.

This code is provided; you do not fill in anything here. `make experiment` runs the lab on your `context_extension.py`.

The model is the same as in lesson 9 (`extrapolation/lab_model.py`): one layer of causal attention with one
head. There are three tasks:

    copy 3 back, copy 1 back
                      at each of the last positions, name the token that many positions back: needs an exact
                      distance
    passkey           one token is marked; at the end, name the token after the mark: needs only content
    latest passkey    two tokens are marked; at the end, name the token after the later mark: needs content and order

A single layer cannot see which token comes before a key. In the passkey tasks, each embedding therefore has a second
learned part for the previous token.

Every method extends the same trained models, one per seed, so methods are compared seed by seed. "No
position" is the control: in its tests, all frequencies are 0. A task that the control solves does not need
positions.

The functions under test decide how fast each pair rotates, and by which factor cos and sin are scaled: the
frequencies come from functions such as `yarn_frequencies`, and the rotations come from `apply_rope_with`.
ReRoPE does not rotate queries and keys separately: its scores come from `rerope_scores`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder, in a notebook too

from assignments import experiments  # noqa: E402
from assignments.extrapolation.lab_model import Adam, Parameters, Reading, answered, loss_and_gradients  # noqa: E402

SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)


@dataclass(frozen=True)
class Setting:
    """Values that stay fixed while the methods vary."""

    trained_length: int = 16
    lengths: tuple[int, ...] = (16, 32, 64, 128, 256)
    """Lengths at which the extended model is tested."""
    base: float = 1e4
    """Base of RoPE in training."""
    back: int = 3
    """Number of positions from a token back to the token that it copies."""
    sequences: int = 256
    """Number of test sequences at each length."""
    vocabulary: int = 16
    """Number of distinct tokens, not counting the mark."""
    width: int = 32
    steps: int = 1000
    batch: int = 16
    learning_rate: float = 3e-3
    dynamic_factor: float = 2.0
    """Dynamic NTK factor, the same for all lengths, as in a published model's configuration."""


class Rotations(NamedTuple):
    """Arguments of a call to `apply_rope_with`."""

    positions: np.ndarray
    frequencies: np.ndarray
    scale: float = 1.0


Method = Callable[[ModuleType, Setting, int], Rotations]
"""Function that takes the module under test, the setting, and the length to extend to, and returns the rotations."""


def _with_base(implementation: ModuleType, setting: Setting, length: int, base: float | None = None) -> Rotations:
    base = setting.base if base is None else base
    frequencies = implementation.longrope_frequencies(setting.width, np.ones(setting.width // 2), base)
    return Rotations(np.arange(length), frequencies)


def _no_position(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
    return Rotations(np.arange(length), np.zeros(setting.width // 2))


def _interpolated(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
    as_trained = _with_base(implementation, setting, length)
    factor = length / setting.trained_length
    return as_trained._replace(positions=implementation.interpolate_positions(as_trained.positions, factor))


def _ntk(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
    base = implementation.ntk_base(setting.base, length / setting.trained_length, setting.width)
    return _with_base(implementation, setting, length, base)


def _dynamic(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
    arguments = (setting.base, setting.width, length, setting.trained_length, setting.dynamic_factor)
    return _with_base(implementation, setting, length, implementation.dynamic_ntk_base(*arguments))


def _yarn(*limits: float, scaled: bool = True) -> Method:
    """Return the YaRN method, by default with the published limits."""

    def rotations(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
        factor = length / setting.trained_length
        arguments = (setting.width, setting.base, factor, setting.trained_length, *limits)
        frequencies = implementation.yarn_frequencies(*arguments)
        return Rotations(np.arange(length), frequencies, implementation.yarn_scale(factor) if scaled else 1.0)

    return rotations


def _llama3(implementation: ModuleType, setting: Setting, length: int) -> Rotations:
    factor = length / setting.trained_length
    arguments = {"base": setting.base, "factor": factor, "trained_len": setting.trained_length}
    return Rotations(np.arange(length), implementation.llama3_frequencies(setting.width, **arguments))


AS_TRAINED, NO_POSITION = "as trained", "no position"
SCORED: dict[str, Callable[[Setting, int], tuple[float, float]]] = {
    "ReRoPE": lambda setting, length: (setting.trained_length / 2, np.inf),
    "Leaky ReRoPE": lambda setting, length: (
        setting.trained_length / 4,
        max(1, (length - setting.trained_length / 4) / (setting.trained_length - setting.trained_length / 4)),
    ),
}
"""For each method, a function that computes the window and factor of `rerope_scores` from the setting and the length.

ReRoPE keeps distances up to half of the trained length exact. Leaky ReRoPE keeps distances up to a quarter of
the trained length exact, and maps the longest distance to the trained length.
"""
METHODS: dict[str, Method] = {
    AS_TRAINED: _with_base,
    NO_POSITION: _no_position,
    "interpolation": _interpolated,
    "NTK-aware": _ntk,
    "dynamic NTK": _dynamic,
    "YaRN, no scale": _yarn(scaled=False),
    "YaRN": _yarn(),
    "Llama 3": _llama3,
    "cut at one rotation, no scale": _yarn(1, 1, scaled=False),
    "cut at one rotation": _yarn(1, 1),
    **dict.fromkeys(SCORED, _with_base),
}
"""Methods by name. "Cut at one rotation" is YaRN with both limits equal to 1.

With these limits, only the frequencies of pairs that made less than one rotation in training are divided.
"""


# The tasks: sequences of one length, and the right tokens at the last positions.

Examples = tuple[np.ndarray, np.ndarray]


def _copying(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Examples:
    sequences = rng.integers(setting.vocabulary, size=(count, length))
    return sequences, sequences[:, length - setting.trained_length : length - setting.back]


def _passkey(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Examples:
    sequences = rng.integers(setting.vocabulary, size=(count, length))
    return _marked(sequences, rng.integers(length - 2, size=count), setting)


def _latest_passkey(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Examples:
    sequences = rng.integers(setting.vocabulary, size=(count, length))
    one, other = rng.integers(length - 3, size=count), rng.integers(length - 4, size=count)
    other += other >= one  # from here on, the two differ
    sequences, _ = _marked(sequences, np.minimum(one, other), setting)
    return _marked(sequences, np.maximum(one, other) + 1, setting)  # with a token between the marks


def _marked(sequences: np.ndarray, positions: np.ndarray, setting: Setting) -> Examples:
    """Put a mark into each sequence, and return the sequences and the tokens after the marks."""
    row = np.arange(len(sequences))
    sequences[row, positions] = setting.vocabulary
    return sequences, sequences[row, positions + 1][:, np.newaxis]


@dataclass(frozen=True)
class Task:
    """Task of the experiment: how examples are drawn."""

    examples: Callable[[np.random.Generator, int, int, Setting], Examples]
    marked: bool = False
    """True if the task has a marked token; if so, the embeddings also contain the previous token."""


COPYING, PASSKEY, LATEST = Task(_copying), Task(_passkey, marked=True), Task(_latest_passkey, marked=True)


@dataclass(frozen=True)
class Run:
    """Task in one setting, with the numbers of further training steps."""

    task: Task
    setting: Setting
    methods: tuple[str, ...] = tuple(METHODS)
    further_steps: tuple[int, ...] = ()
    """Numbers of further training steps at the new length after which the models are tested."""
    full: bool = False
    """True for a run that is measured once and whose results are kept; `make experiment FULL=1` repeats the run."""


_REPAIRS = ("interpolation", "NTK-aware", "YaRN", "Llama 3", "cut at one rotation")
_LONGER = Setting(trained_length=64, lengths=(64, 128, 256), base=30.0, steps=2000)
RUNS = {
    "copy 3 back": Run(COPYING, Setting()),
    "passkey": Run(PASSKEY, Setting()),
    "latest passkey": Run(LATEST, Setting()),
    "copy 1 back": Run(COPYING, Setting(back=1)),
    "copy 3 back, base 10": Run(COPYING, Setting(base=10.0), (AS_TRAINED, *_REPAIRS, *SCORED), full=True),
    "copy 3 back, base 100": Run(COPYING, Setting(base=100.0), (AS_TRAINED, *_REPAIRS, *SCORED), full=True),
    "copy 3 back, trained at 64": Run(COPYING, _LONGER, (AS_TRAINED, *_REPAIRS, *SCORED), full=True),
    "latest passkey, trained at 64": Run(LATEST, _LONGER, (AS_TRAINED, NO_POSITION, *_REPAIRS, *SCORED), full=True),
    "copy 3 back, trained at 64, base 1e4": Run(
        COPYING, replace(_LONGER, base=1e4), (AS_TRAINED, *_REPAIRS, *SCORED), full=True
    ),
    "copy 3 back, trained further": Run(
        COPYING, Setting(lengths=(32, 64)), (AS_TRAINED, *_REPAIRS), (50, 200, 1000), full=True
    ),
    "latest passkey, trained further": Run(
        LATEST, Setting(lengths=(64,)), (AS_TRAINED, *_REPAIRS), (50, 200), full=True
    ),
}


class Measurement(NamedTuple):
    """Result of one model, extended with one method, at one length."""

    run: str
    method: str
    seed: int
    length: int
    further_steps: int
    """Number of further training steps; 0 without further training."""
    accuracy: float
    stretched: float
    """Share of answers whose token stands `factor` times as far back as the correct token; NaN for a passkey task."""


class Loss(NamedTuple):
    """Mean cross-entropy of one seed in training at the trained length, over the steps since the previous row."""

    run: str
    seed: int
    step: int
    loss: float


# Running the experiment.


def rotated(implementation: ModuleType, method: str, setting: Setting, length: int) -> Reading:
    """Return a method's effect as the `Reading` that lesson 9's model needs.

    Rotating the complex number 1 + 0i gives the number by which the rotation multiplies a pair.
    """
    positions, frequencies, scale = METHODS[method](implementation, setting, length)
    width = setting.width
    pairs = np.tile([1.0, 0.0], (length, width // 2))
    rotations = np.ascontiguousarray(
        implementation.apply_rope_with(pairs, positions, frequencies, scale), dtype=np.float64
    )
    reading = Reading(
        added=np.zeros((length, width)),
        constant=np.where(~np.tri(length, dtype=bool), -np.inf, 0),
        rotations=rotations.view(np.complex128),
    )
    if method not in SCORED:
        return reading
    window, factor = SCORED[method](setting, length)

    def score(q: np.ndarray, k: np.ndarray) -> np.ndarray:
        last = positions[-q.shape[-2] :]
        return np.asarray(implementation.rerope_scores(q, k, last, positions, window, factor, setting.base))

    return replace(reading, score=score)


def draw_parameters(task: Task, setting: Setting, seeds: Sequence[int]) -> Parameters:
    """Return one model per seed, stacked along the first axis."""
    tokens, width = setting.vocabulary + task.marked, setting.width
    drawn = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        model = {"tokens": rng.normal(0, 1, (tokens, width))}
        model |= {name: rng.normal(0, width**-0.5, (width, width)) for name in ("w_q", "w_k")}
        model["w_v"] = rng.normal(0, width**-0.5, (width, tokens))
        if task.marked:
            model["before"] = np.random.default_rng([seed, 2]).normal(0, 1, (tokens + 1, width))
        drawn.append(model)
    return {name: np.stack([model[name] for model in drawn]) for name in drawn[0]}


def descend(
    parameters: Parameters,
    reading: Reading,
    task: Task,
    setting: Setting,
    seeds: Sequence[int],
    steps: int,
    stream: int,
) -> list[tuple[int, np.ndarray]]:
    """Train the models in place, each seed on examples from its own random generator.

    Return each seed's mean loss over each block of 50 steps.
    """
    length = len(reading.constant)
    sources = [np.random.default_rng([seed, length, stream]) for seed in seeds]
    adam = Adam(parameters)
    losses: list[tuple[int, np.ndarray]] = []
    passed = []
    for step in range(steps):
        drawn = [task.examples(source, setting.batch, length, setting) for source in sources]
        loss, gradients = loss_and_gradients(parameters, reading, *map(np.stack, zip(*drawn, strict=True)))
        # The step size shrinks to zero at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, setting.learning_rate * (1 - step / steps))
        passed.append(loss)
        if (step + 1) % 50 == 0:
            losses.append((step + 1, np.mean(passed, axis=0)))
            passed = []
    return losses


def trained(implementation: ModuleType, run: str, seeds: Sequence[int]) -> tuple[Parameters, list[Loss]]:
    """Return the models after training at the trained length, and their training losses."""
    task, setting = RUNS[run].task, RUNS[run].setting
    parameters = draw_parameters(task, setting, seeds)
    reading = rotated(implementation, AS_TRAINED, setting, setting.trained_length)
    losses = descend(parameters, reading, task, setting, seeds, setting.steps, stream=1)
    return parameters, [
        Loss(run, seed, step, float(one)) for step, row in losses for seed, one in zip(seeds, row, strict=True)
    ]


def evaluate(task: Task, setting: Setting, parameters: Parameters, reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each seed, the share of correct answers and the share of answers from too far back.

    "Too far back" means too far by the extension factor.
    """
    length = len(reading.constant)
    sequences, right = task.examples(np.random.default_rng(length), setting.sequences, length, setting)
    predicted = []
    for seed in range(len(parameters["tokens"])):  # one after another: all at once would need gigabytes
        model = {name: value[seed : seed + 1] for name, value in parameters.items()}
        predicted.append(answered(model, reading, sequences[np.newaxis], right.shape[-1])[0].argmax(axis=-1))
    answers = np.stack(predicted)
    accuracy = (answers == right).mean(axis=(1, 2))
    if task.marked:
        return accuracy, np.full(len(accuracy), np.nan)
    back = setting.back * length // setting.trained_length
    positions = np.arange(length - right.shape[-1], length)
    return accuracy, (answers == sequences[:, np.maximum(positions - back, 0)]).mean(axis=(1, 2))


def measure(implementation: ModuleType, run: str, seeds: Sequence[int] = SEEDS) -> tuple[list[Measurement], list[Loss]]:
    """Train models, extend them by every method to every length, test them, train them further, and test them again."""
    task, setting, methods, further_steps = (
        RUNS[run].task,
        RUNS[run].setting,
        RUNS[run].methods,
        RUNS[run].further_steps,
    )
    models, losses = trained(implementation, run, seeds)
    measurements = []
    for method in methods:
        for length in setting.lengths:
            reading = rotated(implementation, method, setting, length)
            for steps in (0, *further_steps):
                further = {name: value.copy() for name, value in models.items()}
                descend(further, reading, task, setting, seeds, steps, stream=3)
                shares = zip(seeds, *evaluate(task, setting, further, reading), strict=True)
                measurements += [
                    Measurement(run, method, seed, length, steps, *map(float, pair)) for seed, *pair in shares
                ]
    return measurements, losses


# The files.

Results = tuple[list[Measurement], list[Loss]]


def jobs(full: bool) -> list[tuple[str]]:
    """Return the names of the runs, one per job; long runs are included only with `full`."""
    return [(name,) for name, run in RUNS.items() if full or not run.full]


def job(path: Path, run: str) -> Results:
    """Train and test one run, with the functions in the file at `path`."""
    return measure(experiments.load(path), run)


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    convert = (str, str, int, int, int, float, float)
    fields = list(zip(Measurement._fields, convert, strict=True))
    return [Measurement(*(to(row[name]) for name, to in fields)) for row in experiments.rows_of(path)]


def saved_losses(path: Path = HERE / "losses.csv") -> list[Loss]:
    """Return the losses of the last experiment."""
    rows = experiments.rows_of(path)
    return [Loss(row["run"], int(row["seed"]), int(row["step"]), float(row["loss"])) for row in rows]


def save(measurements: Sequence[Measurement], losses: Sequence[Loss], folder: Path) -> None:
    """Write the measurements and the losses as two files."""
    rows = ((*row[:-2], f"{row.accuracy:.4f}", f"{row.stretched:.4f}") for row in measurements)
    experiments.write_rows(folder / "measured.csv", Measurement._fields, rows)
    experiments.write_rows(folder / "losses.csv", Loss._fields, ((*row[:-1], f"{row.loss:.4f}") for row in losses))


def accuracies(
    measurements: Sequence[Measurement], run: str, method: str, steps: int = 0, what: str = "accuracy"
) -> dict[int, np.ndarray]:
    """Return the accuracies of all seeds at each length."""
    rows = [row for row in measurements if (row.run, row.method, row.further_steps) == (run, method, steps)]
    lengths = dict.fromkeys(row.length for row in rows)
    return {length: np.array([getattr(row, what) for row in rows if row.length == length]) for length in lengths}


SUMMARY_TASKS = ("copy 3 back", "copy 1 back", "latest passkey")


def summary(measurements: Sequence[Measurement]) -> str:
    """Return the lesson's tables, one per task, with the best method first.

    Each row shows a method's mean accuracy on 64 tokens, and whether it clearly differs from the model as
    trained.
    """
    return "\n\n".join(task_table(measurements, task) for task in SUMMARY_TASKS)


def task_table(measurements: Sequence[Measurement], task: str) -> str:
    """Return the table of one task as Markdown, with the best method first."""
    by_method = {name: accuracies(measurements, task, name)[64] for name in METHODS if not name.endswith("no scale")}
    lines = []
    for method in sorted(by_method, key=lambda method: -round(float(by_method[method].mean()), 2)):
        gain = experiments.paired(by_method[AS_TRAINED], by_method[method])
        difference = "not clear" if gain.p > experiments.CLEAR else "better" if gain.mean > 0 else "worse"
        lines.append([method, experiments.number(by_method[method].mean()), "" if method == AS_TRAINED else difference])
    return experiments.markdown([task, "accuracy", "difference"], lines)


def tables(measurements: Sequence[Measurement]) -> str:
    """Return the summary, the accuracies and the changes as Markdown.

    For each run and number of further steps, one table shows the accuracies and the changes made by each
    method.
    """
    parts = ["Trained at 16 tokens, tested on 64, without further training", summary(measurements)]
    for name, run in RUNS.items():
        for steps in (0, *run.further_steps):
            by_method = {method: accuracies(measurements, name, method, steps) for method in run.methods}
            title = f"{name.capitalize()}, " + (f"after {steps} steps" if steps else "without further training")
            lines = [
                [method, *map(experiments.mean_and_reliable, by_method[method].values())] for method in run.methods
            ]
            parts += [title, experiments.markdown(["method", *map(str, run.setting.lengths)], lines)]
            longer = [length for length in run.setting.lengths if length > run.setting.trained_length]
            lines = [
                [
                    method,
                    *(
                        experiments.compared(by_method[AS_TRAINED][length], by_method[method][length])
                        for length in longer
                    ),
                ]
                for method in run.methods
                if method != AS_TRAINED
            ]
            parts += [
                f"{title}: less the model as trained, model by model",
                experiments.markdown(["method", *map(str, longer)], lines),
            ]
    return "\n\n".join(parts) + "\n"


def keep(path: Path, full: bool, results: Sequence[Results]) -> str:
    """Write the results, keep those of runs that were not repeated, draw the pictures, and return the tables."""
    measurements = [row for rows, _ in results for row in rows]
    losses = [row for _, rows in results for row in rows]
    if not full:
        repeated = {name for (name,) in jobs(full)}
        measurements += [row for row in saved(HERE / "measured.csv") if row.run not in repeated]
        losses += [row for row in saved_losses(HERE / "losses.csv") if row.run not in repeated]
    save(measurements, losses, HERE)
    kept = saved(HERE / "measured.csv")
    (HERE / "measured.md").write_text(tables(kept), encoding="utf-8")
    figures, pictures = experiments.load(HERE / "figures.py"), HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    for draw in (figures.extended_accuracy, figures.trained_further):
        figures.save(draw(kept), pictures / f"{draw.__name__}.svg")
    figures.save(figures.extension_losses(saved_losses(HERE / "losses.csv")), pictures / "extension_losses.svg")
    return summary(kept)


if __name__ == "__main__":
    experiments.run([sys.modules[__name__]], experiments.requests_full(sys.argv[1:]))
