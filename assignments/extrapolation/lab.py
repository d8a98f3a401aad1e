"""The experiment: train one small model with each encoding at length 16, then ask it at up to 128.

Given code; nothing here is to be filled in. `make experiment` runs it on your own `extrapolation.py`.

The model is one layer of causal attention with one head, and nothing else. For a sequence of tokens,

    h = encode(method, x)          x: the trained embeddings of the tokens
    q, k, v = h W_q, h W_k, h W_v  v has one column for each token of the vocabulary
    y = softmax(logits(method, q, k)) v

and row t of y scores every token as the answer at position t: the token that stands `back` positions before it.
Tokens are drawn at random, new ones for every step of training, so there is nothing to learn by heart.

`encode` and `logits` are the ones under test, and no encoding is written down here a second time. Every
measured number comes out of a call of these two functions. Training needs gradients too, and for them a
form that can be differentiated. Each method of the course has it: the score of query i and key j is

    (R_i q_i)·(R_j k_j) / √d  +  q_i·a / √d  +  b,      a, b from tables or constant,

and `read` finds R, the rows a and the entries b by asking `logits` with well-chosen queries and keys.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

Parameters = dict[str, Any]

HERE = Path(__file__).resolve().parent
SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)
RELIABLE = 0.9
"""the accuracy from which on a run counts as reliable"""


@dataclass(frozen=True)
class Setting:
    """What is held fixed while the methods change."""

    back: int = 3
    """how many positions back the right token stands"""
    trained_length: int = 16
    lengths: tuple[int, ...] = (16, 32, 64, 128)
    """where the trained model is asked"""
    sequences: int = 256
    """how many sequences it is asked about, at each length"""
    vocabulary: int = 16
    width: int = 32
    steps: int = 1000
    batch: int = 16
    learning_rate: float = 3e-3
    table_rows: int = 64
    """learned: four times the trained length, so that some rows are never trained and some lengths have none"""
    n_bits: int = 7
    """binary: enough for the longest sequence"""
    max_distance: int = 8
    """shaw: shorter than the trained length, so that every row is trained"""
    buckets: int = 32
    """t5: the number that T5 uses"""
    slope: float = 0.5
    """alibi: the first of eight heads"""

    def constants(self) -> dict[str, float]:
        """The part of `parameters` that is not trained."""
        return {"n_bits": self.n_bits, "slope": self.slope}


@dataclass(frozen=True)
class Run:
    """One setting, and the methods that are measured in it."""

    setting: Setting
    methods: tuple[str, ...] | None = None
    """None: all of them"""


# Two tasks for every method, and then one change at a time: what a number of the first table depends on.
RUNS = {
    "copy 3 back": Run(Setting()),
    "copy 1 back": Run(Setting(back=1)),
    "copy 3 back, 64 features": Run(Setting(width=64), ("rope",)),
    "copy 3 back, three times the steps": Run(Setting(steps=3000), ("t5",)),
    "copy 3 back, clipped at 16": Run(Setting(max_distance=16), ("shaw",)),
    "copy 3 back, slope 1/16": Run(Setting(slope=1 / 16), ("alibi",)),
}


class Measurement(NamedTuple):
    """What one trained model does at one length. The numbers are NaN where the method has no entry for it."""

    run: str
    method: str
    seed: int
    length: int
    accuracy: float
    """share of the positions asked at which the right token has the highest score"""
    cross_entropy: float
    """mean of −ln of the probability given to the right token; perplexity is e to the power of it"""
    weight: float
    """mean attention weight of the right key"""


class Look(NamedTuple):
    """How much attention keys at one distance get at the longest length."""

    run: str
    method: str
    seed: int
    distance: int
    weight: float


# The parameters of a model, drawn at random.


def draw_parameters(method: str, setting: Setting, seed: int) -> Parameters:
    """Everything that is trained. The shared part is drawn first: one seed starts all methods from the same numbers."""
    rng = np.random.default_rng(seed)
    d, vocabulary = setting.width, setting.vocabulary
    shared = {
        "tokens": rng.normal(0, 1, (vocabulary, d)),
        "w_q": rng.normal(0, d**-0.5, (d, d)),
        "w_k": rng.normal(0, d**-0.5, (d, d)),
        "w_v": rng.normal(0, d**-0.5, (d, vocabulary)),
    }
    shapes = _tables(setting)
    return shared | {name: rng.normal(0, 0.02, shapes[name]) for name in _TABLES_OF.get(method, ())}


_TABLES_OF = {"learned": ("table",), "shaw": ("key_table",), "t5": ("bias_table",)}


def _tables(setting: Setting) -> dict[str, tuple[int, int]]:
    return {
        "table": (setting.table_rows, setting.width),
        "key_table": (2 * setting.max_distance + 1, setting.width),
        "bias_table": (setting.buckets, 1),
    }


# What a method does, found out by asking.


@dataclass(frozen=True)
class Reading:
    """What a method does to sequences of the trained length, as far as it does not change in training."""

    added: np.ndarray
    """(T, d): what encode adds, without the learned table"""
    constant: np.ndarray
    """(T, T): what logits adds, without the tables; −inf where a query may not use a key"""
    rotations: np.ndarray | None
    """(T, d, d): R_t, if queries and keys are rotated"""
    rows: np.ndarray | None
    """(T, T): which row of key_table query i uses at key j"""
    buckets: np.ndarray | None
    """(T, T): which entry of bias_table"""


def read(implementation: ModuleType, method: str, setting: Setting) -> Reading:
    """Take a method apart. Raises ValueError where the pieces do not add up to its `logits` and `encode`."""
    length, d = setting.trained_length, setting.width
    nothing = np.zeros((length, d))
    blank = setting.constants() | {name: np.zeros(shape) for name, shape in _tables(setting).items()}

    def ask(q: np.ndarray, k: np.ndarray, **tables: np.ndarray) -> np.ndarray:
        return np.asarray(implementation.logits(method, q, k, blank | tables), dtype=np.float64)

    constant = ask(nothing, nothing)
    visible = np.isfinite(constant)

    def number_read(q: np.ndarray, name: str) -> np.ndarray:
        """With numbered entries in a table, what is added to a score says which entry was read."""
        rows, columns = _tables(setting)[name]
        numbered = np.arange(rows)[:, np.newaxis] * np.eye(1, columns)
        added = np.where(visible, ask(q, nothing, **{name: numbered}), 0) - np.where(visible, constant, 0)
        return np.rint(added).astype(np.int64).clip(0, rows - 1)

    first_feature = np.zeros((length, d))
    first_feature[:, 0] = 1
    reading = Reading(
        added=np.asarray(implementation.encode(method, nothing, blank), dtype=np.float64),
        constant=constant,
        rotations=_rotations(ask, length, d) if method == "rope" else None,
        rows=number_read(first_feature * np.sqrt(d), "key_table") if method == "shaw" else None,
        buckets=number_read(nothing, "bias_table") if method == "t5" else None,
    )
    _check(reading, implementation, method, setting)
    return reading


def _rotations(ask: Callable[..., np.ndarray], length: int, d: int) -> np.ndarray:
    """R_t for every position t. The key at position 0 is not rotated, so its score with a query at t is (R_t q)·k / √d."""
    rotations = np.empty((length, d, d))
    unit = np.eye(d)
    for a in range(d):
        for b in range(d):
            scores = ask(np.tile(unit[a], (length, 1)), np.tile(unit[b], (length, 1)))
            rotations[:, b, a] = scores[:, 0] * np.sqrt(d)
    return rotations


def _check(reading: Reading, implementation: ModuleType, method: str, setting: Setting) -> None:
    """Is what will be trained what will be measured? Compared on one sequence, with random parameters."""
    parameters = draw_parameters(method, setting, seed=0)
    sequence = np.random.default_rng(0).integers(setting.vocabulary, size=setting.trained_length)
    alone = stacked([parameters])
    embedded = _embedded(alone, reading, sequence[np.newaxis, np.newaxis])
    projected = _projected(alone, embedded, asked=len(sequence))[:2]
    h, q, k, scores = (array[0, 0] for array in (embedded, *projected, _scores(alone, reading, *projected)))

    known = setting.constants() | parameters
    for name, wanted, got in (
        ("encode", h, implementation.encode(method, parameters["tokens"][sequence], known)),
        ("logits", scores, implementation.logits(method, q, k, known)),
    ):
        if np.shape(got) != wanted.shape or not np.allclose(got, wanted, atol=1e-6):
            raise ValueError(f"{name}({method!r}, …) is not of the form that its definition gives it: do its tests pass?")


# The model and its gradients, for many seeds and sequences at once: every array begins with the axes (seed, sequence).


def loss_and_gradients(parameters: Parameters, reading: Reading, sequences: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, Parameters]:
    """Mean cross-entropy of each seed, shape (S,), and its gradient with respect to every parameter.

    `parameters` hold the seeds along their first axis, `sequences` are token numbers of shape (S, B, T), and `answers`, of
    shape (S, B, n), are the right tokens at the last n positions. Nothing is asked at the positions before them.
    """
    asked = answers.shape[-1]
    h = _embedded(parameters, reading, sequences)
    q, k, v = _projected(parameters, h, asked)
    weights = softmax(_scores(parameters, reading, q, k))
    d_y = softmax(weights @ v)

    given = np.take_along_axis(d_y, answers[..., np.newaxis], axis=-1)
    loss = -np.log(given).mean(axis=(1, 2, 3))

    # Softmax and cross-entropy together: the gradient of a score is its probability, less 1 for the right token.
    np.put_along_axis(d_y, answers[..., np.newaxis], given - 1, axis=-1)
    d_y /= answers[0].size

    d_weights = d_y @ _transposed(v)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_q, d_k, d_tables = _score_gradients(parameters, reading, q, k, d_scores)
    d_v = _transposed(weights) @ d_y

    d_h = np.zeros_like(h)
    gradients = {}
    for name, gradient in (("w_q", d_q), ("w_k", d_k), ("w_v", d_v)):
        read = np.s_[..., -gradient.shape[-2] :, :]  # queries read the last rows, keys and values all
        d_h[read] += gradient @ _transposed(parameters[name])[:, np.newaxis]
        gradients[name] = _flat(h[read]).swapaxes(-1, -2) @ _flat(gradient)
    for name, index in (("tokens", sequences), ("before", _before(parameters, sequences))):
        if name in parameters:
            gradients[name] = _lookup_gradient(index.reshape(len(sequences), -1), _flat(d_h), parameters[name].shape[1])
    if "table" in parameters:
        gradients["table"] = np.zeros_like(parameters["table"])
        gradients["table"][:, : sequences.shape[-1]] = d_h.sum(axis=1)
    return loss, gradients | d_tables


def answered(parameters: Parameters, reading: Reading, sequences: np.ndarray, asked: int) -> np.ndarray:
    """The score of every token as the answer at each of the last positions, shape (S, B, asked, vocabulary)."""
    q, k, v = _projected(parameters, _embedded(parameters, reading, sequences), asked)
    return softmax(_scores(parameters, reading, q, k)) @ v


def _embedded(parameters: Parameters, reading: Reading, sequences: np.ndarray) -> np.ndarray:
    seeds = np.arange(len(sequences))[:, np.newaxis, np.newaxis]
    h = parameters["tokens"][seeds, sequences] + reading.added
    if "before" in parameters:
        h = h + parameters["before"][seeds, _before(parameters, sequences)]
    if "table" in parameters:
        h = h + parameters["table"][:, np.newaxis, : sequences.shape[-1]]
    return h


def _before(parameters: Parameters, sequences: np.ndarray) -> np.ndarray:
    """The token that stands before each one. The first has none, and gets the number after the last token's."""
    return np.concatenate([np.full_like(sequences[..., :1], parameters["tokens"].shape[1]), sequences[..., :-1]], axis=-1)


def _projected(parameters: Parameters, h: np.ndarray, asked: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of the last positions alone, keys and values of all."""
    w_q, w_k, w_v = (parameters[name][:, np.newaxis] for name in ("w_q", "w_k", "w_v"))
    return h[..., -asked:, :] @ w_q, h @ w_k, h @ w_v


def _scores(parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Shape (S, B, n, T): queries of the last n positions, keys of all T."""
    last = np.s_[-q.shape[-2] :]
    scores = _rotated(q, reading.rotations) @ _transposed(_rotated(k, reading.rotations)) / np.sqrt(q.shape[-1])
    if reading.rows is not None:
        scores += np.einsum("sbid,sijd->sbij", q, parameters["key_table"][:, reading.rows[last]]) / np.sqrt(q.shape[-1])
    if reading.buckets is not None:
        scores += parameters["bias_table"][:, np.newaxis, reading.buckets[last], 0]
    return scores + reading.constant[last]


def _score_gradients(
    parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray, d_scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Parameters]:
    """Gradients of queries, keys and the table that the scores read, if there is one."""
    root, last = np.sqrt(q.shape[-1]), np.s_[-q.shape[-2] :]
    rotated_back = None if reading.rotations is None else _transposed(reading.rotations)
    d_q = _rotated(d_scores @ _rotated(k, reading.rotations) / root, rotated_back)
    d_k = _rotated(_transposed(d_scores) @ _rotated(q, reading.rotations) / root, rotated_back)
    d_tables = {}
    if reading.rows is not None:
        key_table, rows = parameters["key_table"], reading.rows[last]
        d_q += np.einsum("sbij,sijd->sbid", d_scores, key_table[:, rows]) / root
        d_rows = np.einsum("sbij,sbid->sijd", d_scores, q) / root
        d_tables["key_table"] = _lookup_gradient(rows.ravel(), d_rows.reshape(len(q), -1, q.shape[-1]), key_table.shape[1])
    if reading.buckets is not None:
        d_entries = d_scores.sum(axis=1).reshape(len(q), -1, 1)
        d_tables["bias_table"] = _lookup_gradient(reading.buckets[last].ravel(), d_entries, parameters["bias_table"].shape[1])
    return d_q, d_k, d_tables


def _rotated(x: np.ndarray, rotations: np.ndarray | None) -> np.ndarray:
    """R_t x_t for every position t, where the last row of x is at the last position."""
    if rotations is None:
        return x
    rows = x.reshape(-1, *x.shape[-2:]).swapaxes(0, 1)
    return (rows @ _transposed(rotations[-len(rows) :])).swapaxes(0, 1).reshape(x.shape)


def _lookup_gradient(index: np.ndarray, gradient: np.ndarray, n_rows: int) -> np.ndarray:
    """Each row of a table collects the gradients of all positions that looked it up: (S, N, columns) to (S, rows, columns)."""
    return _transposed(np.eye(n_rows)[index]) @ gradient


def _transposed(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def _flat(x: np.ndarray) -> np.ndarray:
    """(S, B, T, n) to (S, B·T, n)."""
    return x.reshape(len(x), -1, x.shape[-1])


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


# Training.


def train(implementation: ModuleType, method: str, setting: Setting, seeds: Sequence[int] = SEEDS) -> list[Parameters]:
    """One trained model per seed. Each seed draws its own start and its own sequences, whichever others run beside it."""
    parameters = stacked([draw_parameters(method, setting, seed) for seed in seeds])
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]

    def draw() -> tuple[np.ndarray, np.ndarray]:
        size = (setting.batch, setting.trained_length)
        sequences = np.stack([source.integers(setting.vocabulary, size=size) for source in sources])
        return sequences, sequences[..., : -setting.back]

    descend(parameters, read(implementation, method, setting), draw, setting.steps, setting.learning_rate)
    return [{name: value[index] for name, value in parameters.items()} for index in range(len(seeds))]


def stacked(models: Sequence[Parameters]) -> Parameters:
    """The parameters of several seeds, with the seeds along a new first axis."""
    return {name: np.stack([model[name] for model in models]) for name in models[0]}


def descend(
    parameters: Parameters,
    reading: Reading,
    draw: Callable[[], tuple[np.ndarray, np.ndarray]],
    steps: int,
    learning_rate: float,
) -> None:
    """Train the parameters in place, each step on sequences and answers that are drawn for it."""
    adam = Adam(parameters)
    for step in range(steps):
        _, gradients = loss_and_gradients(parameters, reading, *draw())
        # The step shrinks to nothing at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, learning_rate * (1 - step / steps))


class Adam:
    """Kingma and Ba 2015, with β = 0.9 and 0.99."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.square = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.steps = 0

    def step(self, gradients: Parameters, learning_rate: float) -> None:
        self.steps += 1
        for name, gradient in gradients.items():
            self.mean[name] += 0.1 * (gradient - self.mean[name])
            self.square[name] += 0.01 * (gradient**2 - self.square[name])
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.99**self.steps)
            self.parameters[name] -= learning_rate * mean / (np.sqrt(square) + 1e-8)


# Measuring: the definition of every number, through `encode` and `logits` and nothing else.


def answer(implementation: ModuleType, method: str, parameters: Parameters, sequence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """y of the module's docstring, shape (T, vocabulary), and the weights it was made with, (T, T)."""
    h = implementation.encode(method, parameters["tokens"][sequence], parameters)
    logits = implementation.logits(method, h @ parameters["w_q"], h @ parameters["w_k"], parameters)
    weights = softmax(np.asarray(logits, dtype=np.float64))
    return weights @ (h @ parameters["w_v"]), weights


def ask(implementation: ModuleType, run: str, method: str, seed: int, model: Parameters, length: int) -> tuple[Measurement, list[Look]]:
    """One model, one length, the same sequences for every method and seed.

    The positions asked are the last ones of each sequence, as many as the trained length has answers for: at a longer
    length they are all positions that no sequence of training had.
    """
    setting = RUNS[run].setting
    sequences = np.random.default_rng(length).integers(setting.vocabulary, size=(setting.sequences, length))
    positions = np.arange(length - setting.trained_length + setting.back, length)
    distances = np.arange(positions[0] + 1)
    known = model | setting.constants()
    try:
        answers = [answer(implementation, method, known, sequence) for sequence in sequences]
    except ValueError:
        return Measurement(run, method, seed, length, np.nan, np.nan, np.nan), []  # some position has no entry
    y, weights = map(np.stack, zip(*answers, strict=True))
    right_tokens = sequences[:, positions - setting.back, np.newaxis]
    given = np.take_along_axis(softmax(y[:, positions]), right_tokens, axis=-1)
    right = y[:, positions].argmax(axis=-1, keepdims=True) == right_tokens
    by_distance = weights[:, positions[:, np.newaxis], positions[:, np.newaxis] - distances].mean(axis=(0, 1))
    measurement = Measurement(run, method, seed, length, right.mean(), -np.log(given).mean(), by_distance[setting.back])
    return measurement, [Look(run, method, seed, *pair) for pair in zip(distances.tolist(), by_distance, strict=True)]


def measure(implementation: ModuleType, run: str, method: str, seeds: Sequence[int] = SEEDS) -> tuple[list[Measurement], list[Look]]:
    """Train a method in the setting of this run, once a seed, and ask each model at every length; looks are of the longest."""
    setting = RUNS[run].setting
    models = train(implementation, method, setting, seeds)
    measurements, looks = [], []
    for seed, model in zip(seeds, models, strict=True):
        for length in setting.lengths:
            measurement, seen = ask(implementation, run, method, seed, model, length)
            measurements.append(measurement)
            looks += seen if length == max(setting.lengths) else []
    return measurements, looks


# What is kept of it.


_COLUMNS = (str, str, int, int, float, float, float)


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """The measurements of the last experiment: yours, or until you have run it, those of the course."""
    return [Measurement(*(convert(row[name]) for name, convert in zip(Measurement._fields, _COLUMNS, strict=True))) for row in rows_of(path)]


def saved_looks(path: Path = HERE / "attention.csv") -> dict[str, np.ndarray]:
    """Method → mean weight at distance 0, 1, 2, … , in the first run, at the longest length."""
    looks: dict[str, list[float]] = {}
    for row in rows_of(path):
        looks.setdefault(row["method"], []).append(float(row["weight"]))
    return {method: np.array(weights) for method, weights in looks.items()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def save(measurements: Sequence[Measurement], looks: Sequence[Look], folder: Path) -> None:
    """measured.csv, a row for each seed and length; attention.csv, the mean over the seeds."""
    numbers = ((*row[:4], *(f"{number:.4f}" for number in row[4:])) for row in measurements)
    write_rows(folder / "measured.csv", Measurement._fields, numbers)
    weights: dict[tuple[str, int], list[float]] = {}
    for look in looks:
        if look.run == next(iter(RUNS)):
            weights.setdefault((look.method, look.distance), []).append(look.weight)
    means = ((*key, f"{np.mean(values):.4f}") for key, values in weights.items())
    write_rows(folder / "attention.csv", ("method", "distance", "weight"), means)


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def by_length(measurements: Sequence[Measurement], run: str, method: str, what: str = "accuracy") -> dict[int, np.ndarray]:
    """Length → the numbers of all seeds."""
    chosen = [row for row in measurements if (row.run, row.method) == (run, method)]
    lengths = RUNS[run].setting.lengths
    return {length: np.array([getattr(row, what) for row in chosen if row.length == length]) for length in lengths}


def tables(implementation: ModuleType, measurements: Sequence[Measurement]) -> str:
    """All that was measured, as Markdown: mean ± standard deviation over the seeds."""
    one_change = [run for run in RUNS if RUNS[run].methods]
    groups = {run: [run] for run in RUNS if run not in one_change} | {"copy 3 back, one change": one_change}
    parts = ["The table of the articles, measured", comparison(implementation, measurements)]
    for title, runs in groups.items():
        parts += [f"{title.capitalize()}: accuracy", _accuracy_table(implementation, measurements, runs)]
        parts += [f"{title.capitalize()}: cross-entropy and attention", _detail_table(implementation, measurements, runs)]
    return "\n\n".join(parts) + "\n"


def comparison(implementation: ModuleType, measurements: Sequence[Measurement]) -> str:
    """The table with which articles end: what each method is, found by asking its functions, and how well it runs."""
    setting = RUNS[next(iter(RUNS))].setting
    every_method = [run for run in RUNS if RUNS[run].methods is None]
    lines = []
    for method in implementation.METHODS:
        drawn = draw_parameters(method, setting, seed=0)
        known = setting.constants() | drawn
        x, w_q, w_k = drawn["tokens"], drawn["w_q"], drawn["w_k"]
        gap = implementation.shift_gap(method, x, w_q, w_k, known, setting.trained_length)
        acts_in = _acts_in(implementation, method, x, known)
        kind = "none" if acts_in == "nothing" else "relative" if gap < 1e-9 else "absolute"
        learned = implementation.learned_parameters(method, known)
        lines.append(
            [
                method,
                kind,
                f"{learned:,}" if learned else "none",
                acts_in,
                f"yes ({_number(gap)})" if gap < 1e-9 else f"no ({_number(gap)})",
                "yes" if _defined(implementation, method, known, setting) else "no",
                *(mean_and_reliable(by_length(measurements, run, method)[max(setting.lengths)]) for run in every_method),
            ]
        )
    header = ["method", "type", "learned numbers", "acts in", "distance alone (shift gap)"]
    at = [f"{run} at {max(setting.lengths)}" for run in every_method]
    return markdown([*header, f"defined at {max(setting.lengths)}", *at], lines)


def _acts_in(implementation: ModuleType, method: str, x: np.ndarray, known: Parameters) -> str:
    if not np.allclose(implementation.encode(method, x, known), x):
        return "embeddings"
    scores, plain = (np.where(np.tri(len(x)) > 0, implementation.logits(name, x, x, known), 0) for name in (method, "none"))
    return "nothing" if np.allclose(scores, plain) else "scores"


def _defined(implementation: ModuleType, method: str, known: Parameters, setting: Setting) -> bool:
    """Whether the longest sequence can be computed at all."""
    x = np.zeros((max(setting.lengths), setting.width))
    try:
        encoded = implementation.encode(method, x, known)
        implementation.logits(method, encoded, encoded, known)
    except ValueError:
        return False
    return True


def _accuracy_table(implementation: ModuleType, measurements: Sequence[Measurement], runs: Sequence[str]) -> str:
    lengths = RUNS[runs[0]].setting.lengths
    lines = []
    for run, method, name in _models(implementation, runs):
        accuracy = by_length(measurements, run, method)
        means = [values.mean() for values in accuracy.values()]
        reliable = implementation.longest_reliable_length(list(accuracy), means)
        gap = implementation.extrapolation_gap(list(accuracy), means, RUNS[run].setting.trained_length)
        summary = [str(reliable) if reliable else "nowhere", _number(gap)]
        lines.append([name, *map(mean_and_reliable, accuracy.values()), *summary])
    return markdown(["method", *map(str, lengths), "mean reliable up to", "gap"], lines)


def _detail_table(implementation: ModuleType, measurements: Sequence[Measurement], runs: Sequence[str]) -> str:
    lengths = RUNS[runs[0]].setting.lengths
    ends = (lengths[0], lengths[-1])
    lines = []
    for run, method, name in _models(implementation, runs):
        found = [by_length(measurements, run, method, what) for what in ("cross_entropy", "weight")]
        lines.append([name, *(_spread(numbers[end]) for numbers in found for end in ends)])
    header = [f"{what} at {end}" for what in ("cross-entropy", "weight of the right key") for end in ends]
    return markdown(["method", *header], lines)


def _models(implementation: ModuleType, runs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Run, method and what to call the two: the method, with what was changed."""
    for run in runs:
        for method in _methods(implementation, run):
            change = run.partition(", ")[2]
            yield run, method, f"{method}, {change}" if change else method


def _methods(implementation: ModuleType, run: str) -> tuple[str, ...]:
    return RUNS[run].methods or tuple(implementation.METHODS)


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *lines])


def mean_and_reliable(accuracies: np.ndarray) -> str:
    """Mean ± standard deviation over the seeds, and in brackets how many seeds are reliable."""
    reliable = "" if np.isnan(accuracies).all() else f" ({(accuracies >= RELIABLE).sum()})"
    return _spread(accuracies) + reliable


def _spread(values: np.ndarray) -> str:
    return "no entry" if np.isnan(values).all() else f"{_number(values.mean())} ± {values.std(ddof=1):.2f}"


def _number(value: float) -> str:
    return "no entry" if np.isnan(value) else f"{value + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")


# Running all of it.


def load(path: Path) -> ModuleType:
    """A file as a module."""
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _measure(path: Path, run: str, method: str) -> tuple[list[Measurement], list[Look]]:
    return measure(load(path), run, method)


def side_by_side(function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """What the function returns for each job, in their order; the jobs run on as many cores as there are."""
    # These matrices are small: a library that splits each product over all cores only slows the other jobs down.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for job, result in zip(jobs, pool.map(function, *zip(*jobs, strict=True)), strict=True):
            print(": ".join(job[1:]), flush=True)
            yield result


def experiment(path: Path) -> tuple[list[Measurement], list[Look]]:
    """All runs with all their methods."""
    implementation = load(path)
    jobs = [(path, run, method) for run in RUNS for method in _methods(implementation, run)]
    measurements, looks = [], []
    for measured, seen in side_by_side(_measure, jobs):
        measurements += measured
        looks += seen
    return measurements, looks


def main(arguments: Sequence[str]) -> None:
    """`python lab.py [FILE]`: measure the encodings in FILE, keep the numbers beside this file and draw them."""
    solution = HERE.parents[1] / "solutions" / "extrapolation.py"
    path = Path(arguments[0]) if arguments else solution if solution.is_file() else HERE / "extrapolation.py"
    implementation, figures = load(path), load(HERE.parent / "figures.py")
    try:
        save(*experiment(path), HERE)
        kept, looks = saved(HERE / "measured.csv"), saved_looks(HERE / "attention.csv")
        text = tables(implementation, kept)
    except (NotImplementedError, ValueError) as reason:
        sys.exit(f"{path.name}: {reason}")
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    pictures = HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    figures.save(figures.accuracy_against_length(implementation, kept), pictures / "accuracy_against_length.png")
    figures.save(figures.attention_against_distance(looks), pictures / "attention_against_distance.png")
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
