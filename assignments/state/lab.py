"""Experiments with this lesson's layers: gates that a small model learns, and memories that are written and read.

This code is provided; there is nothing for you to fill in. `make experiment` runs the lab on your `state.py`.

*Gates.* The model is that of lesson 9, trained at 16 tokens and tested on up to 128: one layer of causal attention
with one head. Each token sets its gate, with trained weights w and c:

    f = sigmoid(h w + c)       log_f = log f, and your file's `forgetting_attention` does the rest

Before training, w is 0, so all gates are equal: the model starts out as ALiBi. The tasks:

    copy 3 back, copy 1 back          lesson 9's task: name the token that many positions back
    name of the sentence              marks cut the text into sentences; name the first token after the last mark
    name of the sentence, rare marks  the same, but the sentences are three times as long

ALiBi is `constant_decay`. With RoPE, queries and keys rotate as in your `retention`, and all gates are 1. The control
"none" also has gates of 1, but no rotation, so it should fail. Copying with ALiBi and RoPE was measured in lesson 9,
with the same seeds and sequences; the lab reads these numbers from lesson 9's file.

The setting and the learning rate of each method are chosen on separate seeds; `grid.csv` lists all trials.

*Memories.* The memories are not trained. Keys are drawn, and one or two values are written for each key, in random
order. Then each key reads, and the lab checks whether the largest entry belongs to the last value written for that
key. The memories are computed by `linear_chunks` and `delta_step` from your file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder

from assignments import experiments  # noqa: E402
from assignments.extrapolation import lab_results, lab_train_and_test  # noqa: E402
from assignments.extrapolation.lab_model import (  # noqa: E402
    Adam,
    Parameters,
    flattened,
    previous_tokens,
    softmax,
    stacked,
    times_matrix,
    transposed,
)
from assignments.extrapolation.lab_results import LEARNING_RATES  # noqa: E402
from assignments.extrapolation.lab_train_and_test import CHOOSING_SEEDS, SEEDS, Setting  # noqa: E402

SENTENCES = "name of the sentence"
BACK = dict(lab_results.TASKS)
"""Number of positions from a token back to the token that it copies."""
LONG = "name of the sentence, rare marks"
MARK_SHARE = {SENTENCES: 0.2, LONG: 0.07}
"""Probability of a mark at each position; a mark directly after another mark is dropped."""

CHOICES: dict[str, tuple[float, ...]] = {
    "gates": (0.0, 2.0, 4.0),
    "alibi": (2.0, 0.5, 0.125, 0.03125),
    "rope": (4.0, 10.0, 30.0, 100.0, 1000.0, 10000.0, 1000000.0),
    "none": (0.0,),
}
"""Settings to try: c before training for gates, the slope for alibi, and the base for rope."""
EQUAL = "gates set to their mean"
"""Control in which the mean of the log gates replaces a sequence's trained gates, so no token sets its own gate."""

TRAINED = [
    *((task, "gates") for task in BACK),
    *((task, method) for task in MARK_SHARE for method in CHOICES),
]
"""Tasks and methods that are trained in this lab."""

MEMORIES: dict[str, tuple[bool, float]] = {
    "linear attention": (False, 1.0),
    "linear attention, gate 0.9": (False, 0.9),
    "delta rule": (True, 1.0),
    "delta rule, gate 0.9": (True, 0.9),
}
"""Two values for each memory: True if the delta rule writes the memory (with β = 1), and the gate of every token."""
KEYS = (2, 4, 8, 16, 32, 64)
WRITES = (1, 2)
"""Number of values that are written for each key."""
D_K = 32
VALUES = 16
TEXTS = 64
"""Number of texts per seed."""


class Texts(NamedTuple):
    """Sequences, and the correct token at each of the last positions."""

    tokens: np.ndarray
    """Token ids, (..., T)."""
    answers: np.ndarray
    """Correct tokens at the last positions, (..., asked)."""


class Measurement(NamedTuple):
    """Result of one trained model at one length."""

    task: str
    method: str
    setting: float
    """Setting, as in CHOICES."""
    learning_rate: float
    seed: int
    length: int
    accuracy: float
    """Share of the tested positions where the correct token has the highest score."""


class Tried(NamedTuple):
    """Model that was trained to choose settings, and its mean accuracy over the lengths."""

    task: str
    method: str
    setting: float
    learning_rate: float
    seed: int
    accuracy: float


class Gate(NamedTuple):
    """Mean gate of one kind of token in a task with sentences, at the longest length."""

    task: str
    seed: int
    kind: str
    gate: float


class Memory(NamedTuple):
    """Share of the keys in one seed's texts for which a read returns the last value written."""

    layer: str
    writes: int
    keys: int
    seed: int
    accuracy: float


class Results(NamedTuple):
    """Results of one job, as a list for each file."""

    measurements: list[Measurement]
    gates: list[Gate]
    tries: list[Tried]
    memories: list[Memory]


# The tasks.


def setting_of(task: str) -> Setting:
    """Return lesson 9's usual setting for a task.

    A task with sentences has one more token, the mark, and tests the same number of positions.
    """
    return Setting(back=BACK[task]) if task in BACK else replace(Setting(), vocabulary=Setting.vocabulary + 1)


def draw(task: str, rng: np.random.Generator, count: int, length: int) -> Texts:
    """Return random sequences for a task, and the correct tokens at the last positions."""
    tokens = rng.integers(Setting.vocabulary, size=(count, length))
    if task in BACK:
        n_answers = Setting.trained_length - BACK[task]
        return Texts(tokens, np.roll(tokens, BACK[task], axis=1)[:, -n_answers:])  # not what np.roll moved to the front
    drawn = rng.random((count, length)) < MARK_SHARE[task]
    drawn[:, 0] = True
    marks = drawn.copy()
    marks[:, 1:] &= ~drawn[:, :-1]
    tokens[marks] = mark(task)
    # A sentence begins after its mark; at a mark, the answer is still the name of the previous sentence.
    begins = np.roll(marks, 1, axis=1)
    begins[:, 0] = False
    name = np.maximum.accumulate(np.where(begins, np.arange(length), 0), axis=1)
    return Texts(tokens, np.take_along_axis(tokens, name, axis=1)[:, -(Setting.trained_length - Setting.back) :])


def mark(task: str) -> int:
    """Return the id of the mark in a task with sentences."""
    return setting_of(task).vocabulary - 1


# The model and its gradients, for many seeds at once: every array begins with the axes (seed, sequence).


def draw_parameters(task: str, method: str, setting: float, seed: int) -> Parameters:
    """Return lesson 9's initial parameters, which are the same for all methods.

    In a task with sentences, the parameters include a table with a row for each possible previous token.
    """
    model = lab_train_and_test.draw_parameters("none", setting_of(task), seed)
    if task in MARK_SHARE:
        size = (setting_of(task).vocabulary + 1, Setting.width)
        model["before"] = np.random.default_rng([seed, 2]).normal(0, 1, size).astype(np.float32)
    if method == "gates":
        model |= {"w": np.zeros((Setting.width, 1), np.float32), "c": np.full((1, 1), setting, np.float32)}
    return model


class Seen(NamedTuple):
    """Queries, keys, values and gates, and the arrays from which they are computed."""

    h: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    log_f: np.ndarray
    rotations: np.ndarray | None
    """Rotations of queries and keys, if the method is RoPE."""


def look(implementation: ModuleType, method: str, setting: float, parameters: Parameters, tokens: np.ndarray) -> Seen:
    """Return q, k and v of all tokens, rotated if the method is RoPE, and the method's log gates.

    The log gates have the shape (S, B, T), or (T,) if all sequences share them.
    """
    seeds, length = np.arange(len(tokens))[:, np.newaxis, np.newaxis], tokens.shape[-1]
    h = parameters["tokens"][seeds, tokens]
    if "before" in parameters:
        h = h + parameters["before"][seeds, previous_tokens(parameters, tokens)]
    q, k, v = (times_matrix(h, parameters[name]) for name in ("w_q", "w_k", "w_v"))
    rotations = rotations_of(implementation, setting, length) if method == "rope" else None
    if method == "gates":
        log_f = -np.logaddexp(0, -_opening(parameters, h))  # the logarithm of the sigmoid
    elif method == "alibi":
        log_f = np.asarray(implementation.constant_decay(length, setting))
    else:
        log_f = np.zeros(length)
    return Seen(h, rotated(q, rotations), rotated(k, rotations), v, log_f, rotations)


def rotations_of(implementation: ModuleType, base: float, length: int) -> np.ndarray:
    """Return the rotations of `retention`, shape (T, d/2), complex.

    `retention` rotates pair i of row t, read as one complex number, by multiplying the number by entry (t, i). The
    call has γ = 1, and only token 0 has a value. A key at position 0 is not rotated. A key with a 1 only in feature a
    picks out feature a of every rotated query.
    """
    d = Setting.width
    queries = np.tile([1.0, 0.0], (length, d // 2))  # 1 + 0i in every pair becomes the rotation itself
    keys, values = np.zeros((d, length, d)), np.zeros((length, 1))
    keys[:, 0], values[0] = np.eye(d), 1
    features = np.asarray(implementation.retention(queries, keys, values, 1.0, base))[..., 0]
    return np.ascontiguousarray(features.T).view(np.complex128)


def rotated(x: np.ndarray, rotations: np.ndarray | None) -> np.ndarray:
    """Multiply each pair of features by its rotation."""
    if rotations is None:
        return x
    pairs = np.ascontiguousarray(x, dtype=np.float64).view(np.complex128)
    return np.asarray((pairs * rotations).view(np.float64).astype(x.dtype))


def loss_and_gradients(
    implementation: ModuleType, method: str, setting: float, parameters: Parameters, texts: Texts
) -> tuple[np.ndarray, Parameters]:
    """Return the mean cross-entropy of each seed, shape (S,), and its gradient for every parameter."""
    tokens, answers = texts
    h, q, k, v, log_f, rotations = look(implementation, method, setting, parameters, tokens)
    n_answers, dtype = answers.shape[-1], h.dtype
    last = np.s_[..., -n_answers:, :]
    bias = np.asarray(implementation.decay_bias(log_f))[last].astype(dtype)
    root = float(np.sqrt(q.shape[-1]))
    weights = softmax(q[last] @ transposed(k) / root + bias)
    d_y = softmax(weights @ v)
    right_probabilities = np.take_along_axis(d_y, answers[..., np.newaxis], axis=-1)
    loss = -np.log(np.maximum(right_probabilities, 1e-30)).mean(axis=(1, 2, 3))
    np.put_along_axis(d_y, answers[..., np.newaxis], right_probabilities - 1, axis=-1)
    d_y /= answers[0].size

    d_weights = d_y @ transposed(v)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_q = np.zeros_like(q)
    d_q[last] = d_scores @ k / root
    d_k, d_v = transposed(d_scores) @ q[last] / root, transposed(weights) @ d_y
    back = None if rotations is None else rotations.conj()
    d_q, d_k = rotated(d_q, back), rotated(d_k, back)

    products = [("w_q", d_q), ("w_k", d_k), ("w_v", d_v)]
    gradients: Parameters = {}
    if method == "gates":
        # A gate is in the bias for queries from its token on and keys before it: a rectangle.
        before = np.cumsum(d_scores, axis=-1) - d_scores
        length = before.shape[-1]
        d_log_f = (before * np.tri(n_answers, length, length - n_answers, dtype=dtype)).sum(axis=-2)
        d_opening = (d_log_f * (1 - np.exp(log_f))).astype(dtype)[..., np.newaxis]
        products.append(("w", d_opening))
        gradients["c"] = d_opening.sum(axis=(1, 2))[..., np.newaxis]
    d_h = np.zeros_like(h)
    for name, gradient in products:
        d_h += times_matrix(gradient, transposed(parameters[name]))
        gradients[name] = transposed(flattened(h)) @ flattened(gradient)
    for name, index in (("tokens", tokens), ("before", previous_tokens(parameters, tokens))):
        if name in parameters:
            one_hot = np.eye(parameters[name].shape[1], dtype=dtype)[index.reshape(len(tokens), -1)]
            gradients[name] = transposed(one_hot) @ flattened(d_h)
    return loss, gradients


def _opening(parameters: Parameters, h: np.ndarray) -> np.ndarray:
    return np.asarray((times_matrix(h, parameters["w"]) + parameters["c"][:, np.newaxis])[..., 0])


# Training and measuring.


def train(
    implementation: ModuleType,
    task: str,
    method: str,
    setting: float,
    learning_rate: float,
    seeds: Sequence[int],
    steps: int = Setting.steps,
) -> Parameters:
    """Train one model per seed, and return the models stacked.

    The numbers drawn for a seed do not depend on the other seeds in the same call.
    """
    parameters = stacked([draw_parameters(task, method, setting, seed) for seed in seeds])
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]
    adam = Adam(parameters)
    for step in range(steps):
        drawn = [draw(task, source, Setting.batch, Setting.trained_length) for source in sources]
        texts = Texts(*map(np.stack, zip(*drawn, strict=True)))
        _, gradients = loss_and_gradients(implementation, method, setting, parameters, texts)
        adam.step(gradients, learning_rate * (1 - step / steps))
    return parameters


def ask(
    implementation: ModuleType,
    task: str,
    method: str,
    setting: float,
    model: Parameters,
    length: int,
    equal: bool = False,
) -> tuple[float, dict[str, float]]:
    """Return the accuracy of one model at one length and, in a task with sentences, the mean gates by kind of token.

    The model's seed axis has size 1. The sequences are the same for every method and seed. If `equal` is True, the
    gates of each sequence are set to their mean.
    """
    texts = draw(task, np.random.default_rng(length), Setting.sequences, length)
    seen = look(implementation, method, setting, model, texts.tokens[np.newaxis])
    log_f = np.broadcast_to(seen.log_f.mean(axis=-1, keepdims=True), seen.log_f.shape) if equal else seen.log_f
    y = np.asarray(implementation.forgetting_attention(seen.q, seen.k, seen.v, log_f))[0]
    accuracy = (y[:, -texts.answers.shape[-1] :].argmax(axis=-1) == texts.answers).mean()
    return float(accuracy), (
        mean_gates(texts.tokens == mark(task), np.exp(log_f[0])) if method == "gates" and task in MARK_SHARE else {}
    )


def mean_gates(marks: np.ndarray, gates: np.ndarray) -> dict[str, float]:
    """Return the mean gate of each kind of token.

    The first gate is left out, because there is nothing before the first token.
    """
    after = np.roll(marks, 1, axis=1)
    kinds = {"mark": marks, "name": after, "other": ~(marks | after)}
    return {kind: float(gates[:, 1:][where[:, 1:]].mean()) for kind, where in kinds.items()}


def measure(
    implementation: ModuleType, task: str, method: str, setting: float, learning_rate: float, seeds: Sequence[int]
) -> Results:
    """Train one model per seed, and test each at every length."""
    trained = train(implementation, task, method, setting, learning_rate, seeds)
    measurements, gates = [], []
    for place, seed in enumerate(seeds):
        model = {name: value[place : place + 1] for name, value in trained.items()}
        controls = [(method, False)] + ([(EQUAL, True)] if task in MARK_SHARE and method == "gates" else [])
        for length in Setting.lengths:
            for name, equal in controls:
                accuracy, by_kind = ask(implementation, task, method, setting, model, length, equal)
                measurements.append(Measurement(task, name, setting, learning_rate, seed, length, accuracy))
                if by_kind and not equal and length == Setting.lengths[-1]:
                    gates += [Gate(task, seed, kind, gate) for kind, gate in by_kind.items()]
    return Results(measurements, gates, [], [])


def remember(implementation: ModuleType, seed: int) -> list[Memory]:
    """Write and read with every memory: all memories get the same keys, values and order."""
    rows = []
    for writes in WRITES:
        for keys in KEYS:
            rng = np.random.default_rng([seed, writes, keys])
            drawn = rng.normal(0, 1, (TEXTS, keys, D_K))
            drawn /= np.linalg.norm(drawn, axis=-1, keepdims=True)
            order = rng.permuted(np.tile(np.repeat(np.arange(keys), writes), (TEXTS, 1)), axis=-1)
            tokens = rng.integers(VALUES, size=order.shape)
            right = np.zeros((TEXTS, keys), dtype=np.int64)
            for token in range(order.shape[1]):  # the last value for a key stays
                right[np.arange(TEXTS), order[:, token]] = tokens[:, token]
            k, v = np.take_along_axis(drawn, order[..., np.newaxis], axis=1), np.eye(VALUES)[tokens]
            for layer, (delta, gate) in MEMORIES.items():
                read = drawn @ written(implementation, k, v, delta, np.log(gate))
                rows.append(Memory(layer, writes, keys, seed, float((read.argmax(axis=-1) == right).mean())))
    return rows


def written(implementation: ModuleType, k: np.ndarray, v: np.ndarray, delta: bool, log_f: float) -> np.ndarray:
    """Return the state after all tokens, (texts, d_k, d_v)."""
    if not delta:
        return np.asarray(implementation.linear_chunks(k, k, v, np.full(k.shape[:-1], log_f), chunk=16)[1])
    state = np.zeros((len(k), k.shape[-1], v.shape[-1]))
    for token in range(k.shape[1]):
        state = np.asarray(implementation.delta_step(state, k[:, token], v[:, token], 1.0, log_f))
    return state


# The choice, and saved results.


def choice(tries: Iterable[Tried], task: str, method: str) -> tuple[float, float]:
    """Return the setting and the learning rate with the highest mean accuracy.

    If several settings or rates have the same accuracy, the first setting and the smallest rate are chosen.
    """
    means: dict[tuple[float, float], list[float]] = {
        (one, rate): [] for one in CHOICES[method] for rate in LEARNING_RATES
    }
    for row in tries:
        if (row.task, row.method) == (task, method):
            means[row.setting, row.learning_rate].append(row.accuracy)
    return max(means, key=lambda key: round(float(np.mean(means[key])), 3))


def jobs(full: bool) -> list[tuple[str, str, float, float, str]]:
    """Return the jobs for the reported results and, with `full`, for rare marks and for the choice of settings."""
    tries = saved_tries()
    reported = [
        (task, method, *choice(tries, task, method), "report") for task, method in TRAINED if full or task != LONG
    ]
    tried = [
        (*pair, setting, rate, "choose") for pair in TRAINED for setting in CHOICES[pair[1]] for rate in LEARNING_RATES
    ]
    return reported + [("", "", 0.0, 0.0, "remember")] + (tried if full else [])


def job(path: Path, task: str, method: str, setting: float, learning_rate: float, what: str) -> Results:
    """Run one job: measure memories, report a method, or try a setting."""
    if what == "remember":
        implementation = experiments.load(path)
        return Results([], [], [], [row for seed in SEEDS for row in remember(implementation, seed)])
    seeds = SEEDS if what == "report" else CHOOSING_SEEDS
    results = measure(experiments.load(path), task, method, setting, learning_rate, seeds)
    if what == "report":
        return results
    means = lab_results.mean_by(
        [row for row in results.measurements if row.method == method], ("seed",), lambda row: row.accuracy
    )
    tries = [Tried(task, method, setting, learning_rate, seed, mean) for (seed,), mean in means.items()]
    return Results([], [], tries, [])


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    return [Measurement(*_row(row)) for row in experiments.rows_of(path)]


def saved_gates(path: Path = HERE / "gates.csv") -> list[Gate]:
    """Return the mean gates of the last experiment."""
    return [Gate(*_row(row)) for row in experiments.rows_of(path)]


def saved_memories(path: Path = HERE / "memories.csv") -> list[Memory]:
    """Return the memories of the last experiment."""
    return [Memory(*_row(row)) for row in experiments.rows_of(path)]


def saved_tries(path: Path = HERE / "grid.csv") -> list[Tried]:
    """Return the saved results of the models that were tried to choose settings."""
    return [Tried(*_row(row)) for row in experiments.rows_of(path)]


_TYPES: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("task", "method", "kind", "layer"), str),
    **dict.fromkeys(("seed", "length", "writes", "keys"), int),
}


def _row(row: dict[str, str]) -> list[object]:
    return [_TYPES.get(name, float)(value) for name, value in row.items()]


def of_lesson_9() -> list[Measurement]:
    """Return the measurements of copying with ALiBi and RoPE, in the setting that lesson 9 chose."""
    best = lab_results.chosen(lab_results.saved_trials("grid.csv"))
    found = []
    for row in lab_results.saved():
        if row.method in ("alibi", "rope") and row.change == best[row.task, row.method]:
            setting = getattr(lab_results.setting_of(row.change), "slope" if row.method == "alibi" else "base")
            found.append(
                Measurement(row.task, row.method, setting, row.learning_rate, row.seed, row.length, row.accuracy)
            )
    return found


def accuracies(measured: Sequence[Measurement], task: str, method: str) -> dict[int, np.ndarray]:
    """Return the accuracies of all seeds, by length."""
    rows = [row for row in measured if (row.task, row.method) == (task, method)]
    return {length: np.array([row.accuracy for row in rows if row.length == length]) for length in Setting.lengths}


def tables(measured: Sequence[Measurement], gates: Sequence[Gate], memories: Sequence[Memory]) -> str:
    """Return accuracies per task, differences by seed, gates, and the content of memories, as Markdown."""
    words = {"gates": "c before training {:g}", "alibi": "slope {:g}", "rope": "base {:g}", "none": "", EQUAL: ""}
    everything = [*measured, *of_lesson_9()]
    parts = []
    for task in (*BACK, *MARK_SHARE):
        lines = []
        for method in [name for name in words if any((row.task, row.method) == (task, name) for row in everything)]:
            found = accuracies(everything, task, method)
            setting = next(row.setting for row in everything if (row.task, row.method) == (task, method))
            mine = accuracies(everything, task, "gates")[Setting.lengths[-1]]
            gain = "" if method == "gates" else experiments.compared(found[Setting.lengths[-1]], mine)
            lines.append(
                [method, words[method].format(setting), *map(experiments.mean_and_reliable, found.values()), gain]
            )
        header = ["method", "setting", *map(str, Setting.lengths), f"gates better at {Setting.lengths[-1]}"]
        parts += [task.capitalize(), experiments.markdown(header, lines)]
    kinds = dict.fromkeys(row.kind for row in gates)
    for task in MARK_SHARE:
        cells = [[row.gate for row in gates if (row.task, row.kind) == (task, kind)] for kind in kinds]
        parts += [
            f"Mean gates, {task}, at {Setting.lengths[-1]}",
            experiments.markdown(list(kinds), [[experiments.spread(np.array(cell)) for cell in cells]]),
        ]
    for writes in WRITES:
        lines = []
        for layer in MEMORIES:
            found = [row for row in memories if (row.layer, row.writes) == (layer, writes)]
            cells = [[row.accuracy for row in found if row.keys == keys] for keys in KEYS]
            lines.append([layer, *(experiments.spread(np.array(cell)) for cell in cells)])
        parts += [
            f"Nothing trained: values written under each key {writes} times, {D_K} features in a key, by number of"
            " keys",
            experiments.markdown(["layer", *map(str, KEYS)], lines),
        ]
    return "\n\n".join(parts) + "\n"


def keep(path: Path, full: bool, results: Sequence[Results]) -> str:
    """Write the new numbers, and return the tables."""
    measurements, gates, tries, memories = ([row for one in results for row in one[part]] for part in range(4))
    if not full:
        measurements += [row for row in saved(HERE / "measured.csv") if row.task == LONG]
        gates += [row for row in saved_gates(HERE / "gates.csv") if row.task == LONG]
    files = [
        ("measured.csv", Measurement, measurements),
        ("gates.csv", Gate, gates),
        ("memories.csv", Memory, memories),
    ] + ([("grid.csv", Tried, tries)] if full else [])
    for name, kind, rows in files:
        experiments.write_rows(HERE / name, kind._fields, ((*row[:-1], f"{row[-1]:.4f}") for row in rows))
    text = tables(saved(HERE / "measured.csv"), saved_gates(HERE / "gates.csv"), saved_memories(HERE / "memories.csv"))
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    experiments.run([sys.modules[__name__]], experiments.requests_full(sys.argv[1:]))
