"""Experiment on packed training: one small model, trained on packed rows in four ways, then tested on single texts.

This code is provided; there is nothing for you to fill in. `make experiment` runs the lab on your `batches.py`.

The model is the same as in lesson 9: one layer of causal attention with one head. The model trains on packed
rows of 32 tokens, filled with texts of 3 to 12 tokens. Positions restart in each text (`packed_positions`) or
continue along the row; a query sees its own text (`document_mask`) or everything before it in the row. The
two choices of positions and the two choices of mask give four ways to train. Positions enter the model
through RoPE or through a learned table. Tasks:

    first token     at each token but the first: name the first token of this text
    copy 3 back     name the token 3 positions back in this text

The trained models are tested on single texts of 12 tokens, and on the same texts with padding on the left.
`padding_mask` hides the padding, and the positions either come from `position_ids` or count along the whole row.

All settings come from lesson 9; none was tuned for this lesson. `paragraphs.csv` lists the lengths, in words, of
all paragraphs in lessons 1 to 12, as they were when this lesson was written.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder

from assignments import experiments  # noqa: E402
from assignments.extrapolation.lab_model import (  # noqa: E402
    Adam,
    Parameters,
    flattened,
    softmax,
    stacked,
    times_matrix,
    transposed,
)
from assignments.extrapolation.lab_train_and_test import SEEDS  # noqa: E402

TASKS = ("first token", "copy 3 back")
BACK = 3
METHODS = ("rope", "learned")
BASE = 10000.0
VOCABULARY, WIDTH = 16, 32
ROW, SHORTEST, LONGEST = 32, 3, 12
"""Number of tokens in a packed row, in the shortest text and in the longest (the end of a row can cut a text off)."""
ROWS, BATCH, STEPS, LEARNING_RATE = 256, 8, 400, 1e-2
"""Number of distinct packed rows, rows per training step, and training steps."""
TEXTS, PADDING = 64, 7
"""Number of test texts, and of padding tokens before each text."""


class Way(NamedTuple):
    """Way of training on packed rows: how positions are counted, and what each query sees."""

    restart: bool
    mask: bool

    def __str__(self) -> str:
        """Return the name that the tables use for this way of training."""
        return f"{'restart' if self.restart else 'continue'}, {'own text' if self.mask else 'whole row'}"


WAYS = [Way(restart, mask) for mask in (True, False) for restart in (True, False)]
TESTS = ("alone", "padded, position ids", "padded, places")


class Measurement(NamedTuple):
    """Result of one trained model in one test."""

    task: str
    method: str
    way: str
    seed: int
    test: str
    accuracy: float
    """Share of the tested tokens for which the correct answer has the highest score."""


class Rows(NamedTuple):
    """Rows of tokens, with each token's position, the keys that it can attend to, and the index of its answer."""

    positions: np.ndarray
    """Positions that the model receives, (B, T)."""
    mask: np.ndarray
    """Keys that each query can use, (B, T, T)."""
    answer: np.ndarray
    """Index of the answer in the row, (B, T)."""
    has_answer: np.ndarray
    """True for each tested token, (B, T)."""


# The task.


def answers_of(task: str, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of each token's answer and a mask of the tested tokens, from the positions in the texts."""
    places = np.broadcast_to(np.arange(positions.shape[-1]), positions.shape)
    if task == "first token":
        return places - positions, positions >= 1
    return np.maximum(places - BACK, 0), positions >= BACK


def draw_rows(implementation: ModuleType, task: str, way: Way) -> Rows:
    """Return the packed rows that all seeds train on; each step draws new tokens for them."""
    rng, made = np.random.default_rng(0), []
    for _ in range(ROWS):
        lengths: list[int] = []
        while sum(lengths) < ROW:
            lengths.append(int(rng.integers(SHORTEST, LONGEST + 1)))
        lengths[-1] -= sum(lengths) - ROW  # the last text is cut at the end of the row
        ids, boundaries = implementation.pack([np.arange(length) for length in lengths])
        positions = np.asarray(implementation.packed_positions(boundaries))
        mask = implementation.document_mask(boundaries) if way.mask else np.tri(ROW, dtype=bool)
        made.append(Rows(positions if way.restart else np.arange(ROW), mask, *answers_of(task, np.asarray(ids))))
    return Rows(*map(np.stack, zip(*made, strict=True)))


def test_rows(implementation: ModuleType, task: str, test: str) -> tuple[np.ndarray, Rows]:
    """Return test texts of maximum length, alone or padded, and their positions, masks and answers as `Rows`."""
    texts = np.random.default_rng(1).integers(VOCABULARY, size=(TEXTS, LONGEST))
    if test == TESTS[0]:
        tokens, real = texts, np.ones_like(texts, dtype=bool)
    else:
        longer = np.zeros(LONGEST + PADDING, dtype=np.int64)  # a longer text in the batch causes the padding
        tokens, real = (np.asarray(part)[:-1] for part in implementation.pad([*texts, longer], "left"))
    counted = np.asarray(implementation.position_ids(real))
    places = np.broadcast_to(np.arange(real.shape[-1]), real.shape)
    answer, has_answer = answers_of(task, counted)
    mask = np.asarray(implementation.padding_mask(real))[:, 0]
    return tokens, Rows(places if test == TESTS[2] else counted, mask, answer, has_answer & real)


# The model and its gradients, for many seeds at once: every array begins with the axes (seed, row).


def draw_parameters(method: str, seed: int) -> Parameters:
    """Return lesson 9's initial parameters, which are the same for all ways of training."""
    rng = np.random.default_rng(seed)
    drawn = {
        "tokens": rng.normal(0, 1, (VOCABULARY, WIDTH)),
        "w_q": rng.normal(0, WIDTH**-0.5, (WIDTH, WIDTH)),
        "w_k": rng.normal(0, WIDTH**-0.5, (WIDTH, WIDTH)),
        "w_v": rng.normal(0, WIDTH**-0.5, (WIDTH, VOCABULARY)),
    }
    if method == "learned":
        drawn["table"] = rng.normal(0, 0.02, (ROW, WIDTH))
    return {name: value.astype(np.float32) for name, value in drawn.items()}


class Seen(NamedTuple):
    """Values that the model computes in one pass over its rows."""

    h: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    rotations: np.ndarray | None
    weights: np.ndarray
    scores: np.ndarray
    """Score of each vocabulary token as the answer, (S, B, T, vocabulary)."""


def look(parameters: Parameters, method: str, tokens: np.ndarray, rows: Rows) -> Seen:
    """Run the model on tokens, shape (S, B, T), with rows of shape (S, B, …) or (B, …)."""
    seeds = np.arange(len(tokens))[:, np.newaxis, np.newaxis]
    h = parameters["tokens"][seeds, tokens]
    if method == "learned":
        h = h + parameters["table"][seeds, rows.positions]
    q, k, v = (times_matrix(h, parameters[name]) for name in ("w_q", "w_k", "w_v"))
    rotations = None
    if method == "rope":
        theta = BASE ** (-np.arange(0, WIDTH, 2) / WIDTH)
        rotations = np.exp(1j * rows.positions[..., np.newaxis] * theta).astype(np.complex64)
        q, k = _rotated(q, rotations), _rotated(k, rotations)
    hidden = np.where(rows.mask, np.float32(0), np.float32(-1e9))
    weights = softmax(q @ transposed(k) / np.float32(WIDTH**0.5) + hidden)
    return Seen(h, q, k, v, rotations, weights, weights @ v)


def loss_and_gradients(
    parameters: Parameters, method: str, tokens: np.ndarray, rows: Rows
) -> tuple[np.ndarray, Parameters]:
    """Return each seed's mean cross-entropy over the tested tokens, shape (S,), and its gradient."""
    h, q, k, v, rotations, weights, scores = look(parameters, method, tokens, rows)
    answers = np.take_along_axis(tokens, rows.answer, axis=-1)[..., np.newaxis]
    share = (rows.has_answer / rows.has_answer.sum(axis=(-2, -1), keepdims=True)).astype(h.dtype)
    d_y = softmax(scores)
    right_probabilities = np.take_along_axis(d_y, answers, axis=-1)
    loss = -(np.log(np.maximum(right_probabilities[..., 0], 1e-30)) * share).sum(axis=(1, 2))
    np.put_along_axis(d_y, answers, right_probabilities - 1, axis=-1)
    d_y *= share[..., np.newaxis]

    d_weights = d_y @ transposed(v)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) / np.float32(WIDTH**0.5)
    d_q, d_k, d_v = d_scores @ k, transposed(d_scores) @ q, transposed(weights) @ d_y
    if rotations is not None:
        d_q, d_k = _rotated(d_q, rotations.conj()), _rotated(d_k, rotations.conj())
    d_h, gradients = np.zeros_like(h), {}
    for name, gradient in (("w_q", d_q), ("w_k", d_k), ("w_v", d_v)):
        d_h += times_matrix(gradient, transposed(parameters[name]))
        gradients[name] = transposed(flattened(h)) @ flattened(gradient)
    for name, index in (("tokens", tokens), ("table", np.broadcast_to(rows.positions, tokens.shape))):
        if name in parameters:
            one_hot = np.eye(parameters[name].shape[1], dtype=h.dtype)[index.reshape(len(tokens), -1)]
            gradients[name] = transposed(one_hot) @ flattened(d_h)
    return loss, gradients


def _rotated(x: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """Multiply each pair of features, read as one complex number, by its rotation."""
    pairs = np.ascontiguousarray(x).view(np.complex64 if x.dtype == np.float32 else np.complex128)
    return np.asarray((pairs * rotations).view(x.dtype))


# Training and measuring.


def train(
    implementation: ModuleType, task: str, method: str, way: Way, seeds: Sequence[int] = SEEDS, steps: int = STEPS
) -> Parameters:
    """Train one model per seed, and return the models stacked. All ways of training use the same tokens and rows."""
    rows = draw_rows(implementation, task, way)
    parameters = stacked([draw_parameters(method, seed) for seed in seeds])
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]
    adam = Adam(parameters)
    for step in range(steps):
        chosen = np.stack([source.integers(ROWS, size=BATCH) for source in sources])
        tokens = np.stack([source.integers(VOCABULARY, size=(BATCH, ROW)) for source in sources])
        _, gradients = loss_and_gradients(parameters, method, tokens, Rows(*(part[chosen] for part in rows)))
        adam.step(gradients, LEARNING_RATE * (1 - step / steps))
    return parameters


def ask(implementation: ModuleType, task: str, method: str, parameters: Parameters, test: str) -> np.ndarray:
    """Return the accuracy of each seed's model in one test."""
    tokens, rows = test_rows(implementation, task, test)
    tokens = np.broadcast_to(tokens, (len(parameters["tokens"]), *tokens.shape))
    scores = look(parameters, method, tokens, rows).scores
    right = scores.argmax(axis=-1) == np.take_along_axis(tokens, np.broadcast_to(rows.answer, tokens.shape), axis=-1)
    return np.asarray((right & rows.has_answer).sum(axis=(1, 2)) / rows.has_answer.sum())


def jobs(full: bool) -> list[tuple[str, str, bool, bool]]:
    """Return the arguments of each job: a task, a method and a way of training."""
    return [(task, method, *way) for task in TASKS for method in METHODS for way in WAYS]


def job(path: Path, task: str, method: str, restart: bool, mask: bool) -> list[Measurement]:
    """Train in one way, and return the accuracy of each seed in each test."""
    implementation, way = experiments.load(path), Way(restart, mask)
    models = train(implementation, task, method, way)
    return [
        Measurement(task, method, str(way), seed, test, float(accuracy))
        for test in TESTS
        for seed, accuracy in zip(SEEDS, ask(implementation, task, method, models, test), strict=True)
    ]


# The files.


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    return [
        Measurement(row["task"], row["method"], row["way"], int(row["seed"]), row["test"], float(row["accuracy"]))
        for row in experiments.rows_of(path)
    ]


def accuracies(measured: Sequence[Measurement], task: str, method: str, way: Way, test: str = TESTS[0]) -> np.ndarray:
    """Return the accuracies of all seeds in one test."""
    case = (task, method, str(way), test)
    return np.array([row.accuracy for row in measured if (row.task, row.method, row.way, row.test) == case])


def paragraphs() -> np.ndarray:
    """Return the number of words in each paragraph of lessons 1 to 12, in lesson order."""
    return np.array([int(row["words"]) for row in experiments.rows_of(HERE / "paragraphs.csv")])


def share_of_padding(lengths: np.ndarray, batch: int = 8) -> float:
    """Return the share of padding if each batch of texts is padded to its longest text.

    An incomplete last batch is left out.
    """
    batches = lengths[: len(lengths) // batch * batch].reshape(-1, batch)
    return float(1 - batches.sum() / (batches.max(axis=1) * batch).sum())


def tables(measured: Sequence[Measurement]) -> str:
    """Return Markdown tables of the accuracy in each test, and of the differences from the first way of training."""
    parts = []
    for task in TASKS:
        lines = []
        for method in METHODS:
            best = accuracies(measured, task, method, WAYS[0])
            for way in WAYS:
                by_test = [accuracies(measured, task, method, way, test) for test in TESTS]
                change = "" if way == WAYS[0] else experiments.compared(best, by_test[0])
                lines.append([method, str(way), *map(experiments.mean_and_reliable, by_test), change])
        parts += [
            task.capitalize(),
            experiments.markdown(["position", "training", *TESTS, "alone, against the first"], lines),
        ]
    return "\n\n".join(parts) + "\n"


def keep(path: Path, full: bool, results: Sequence[list[Measurement]]) -> str:
    """Write the new measurements, and return the tables."""
    rows = [row for one in results for row in one]
    experiments.write_rows(HERE / "measured.csv", Measurement._fields, ((*row[:-1], f"{row[-1]:.4f}") for row in rows))
    text = tables(saved(HERE / "measured.csv"))
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    experiments.run([sys.modules[__name__]], experiments.requests_full(sys.argv[1:]))
