"""Layers with and without RoPE, run: a model of two layers, trained at 16 tokens and asked at up to 128.

Given code; nothing here is to be filled in. `make experiment` runs it on your own `modern.py`.

Every sequence begins with the same start token, and all other tokens are drawn at random. There are two tasks:

    copy 3 back    at each of the last 12 positions, name the token that stands 3 positions back
    passkey        one mark stands somewhere in the sequence; at the last position, name the token after the mark

The model has two layers. Each is causal attention with one head, and then two matrices with max(0, ·) between them:

    h = h + softmax(q kᵀ/√d) v          q, k, v = h W_q, h W_k, h W_v; in layers with RoPE, q and k are rotated
    h = h + max(0, h W_up) W_down

The scores of the tokens as answers are h W_out after the second layer. Which layers rotate comes from `rope_layers` of
the file under test, and the rotations come from its `shift_keys`.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder

from assignments.extrapolation.lab import Adam, Parameters, load  # noqa: E402

SEEDS = (0, 1, 2, 3, 4)
TRAINED_LENGTH = 16
LENGTHS = (16, 20, 24, 32, 48, 64, 128)
BACK = 3
STEPS, BATCH, LEARNING_RATE = 2500, 16, 3e-3
TEXTS = 256
"""how many sequences a model is asked about, at each length"""
VOCABULARY, WIDTH, HIDDEN, LAYERS = 16, 32, 64, 2
START, MARK = VOCABULARY, VOCABULARY + 1
RELIABLE = 0.9
"""the accuracy from which on a model counts as reliable"""

SCHEDULES = {"no layer": 1, "every second layer": 2, "every layer": 3}
"""Where there is RoPE, and the interval for `rope_layers` that says so: an interval above the number of layers skips none."""


class Texts(NamedTuple):
    """Sequences and what is asked about them."""

    tokens: np.ndarray
    """(..., T)"""
    answers: np.ndarray
    """(..., T): the right answer at each position that is asked"""
    asked: np.ndarray
    """(..., T), bool"""


class Measurement(NamedTuple):
    """What one trained model does at one length."""

    task: str
    schedule: str
    seed: int
    length: int
    accuracy: float
    """share of the positions asked at which the right token has the highest score"""


# The tasks. In training all positions with an answer are asked; `last` says which ones count in the measurement.


def copy_back(rng: np.random.Generator, count: int, length: int) -> Texts:
    tokens = _random_tokens(rng, count, length)
    position = np.arange(length)
    return Texts(tokens, np.roll(tokens, BACK, axis=1), np.tile(position > BACK, (count, 1)))


def passkey(rng: np.random.Generator, count: int, length: int) -> Texts:
    tokens = _random_tokens(rng, count, length)
    marked = rng.integers(1, length - 2, size=(count, 1))
    np.put_along_axis(tokens, marked, MARK, axis=1)
    keys = np.take_along_axis(tokens, marked + 1, axis=1)
    return Texts(tokens, np.tile(keys, length), np.arange(length) > marked + 1)


def _random_tokens(rng: np.random.Generator, count: int, length: int) -> np.ndarray:
    tokens = rng.integers(VOCABULARY, size=(count, length))
    tokens[:, 0] = START
    return tokens


class Task(NamedTuple):
    draw: Callable[[np.random.Generator, int, int], Texts]
    last: int
    """at how many positions at the end a model is asked"""


TASKS = {f"copy {BACK} back": Task(copy_back, TRAINED_LENGTH - 1 - BACK), "passkey": Task(passkey, 1)}


# The model and its gradients, for many seeds at once: every array begins with the axes (seed, sequence).


def draw_parameters(seed: int) -> Parameters:
    """All schedules start from the same numbers."""
    rng = np.random.default_rng(seed)
    shapes = {"tokens": (VOCABULARY + 2, WIDTH), "out": (WIDTH, VOCABULARY)}
    for layer in range(LAYERS):
        shapes |= {f"{name} {layer}": (WIDTH, WIDTH) for name in ("q", "k", "v")}
        shapes |= {f"up {layer}": (WIDTH, HIDDEN), f"down {layer}": (HIDDEN, WIDTH)}
    return {name: rng.normal(0, 1 if name == "tokens" else shape[0] ** -0.5, shape) for name, shape in shapes.items()}


def rotations(implementation: ModuleType, schedule: str, length: int) -> list[np.ndarray | None]:
    """Per layer: (T, d, d), so that row t times the t-th matrix is the row rotated by position t; None without RoPE."""
    rotates = np.asarray(implementation.rope_layers(LAYERS, SCHEDULES[schedule]))
    matrices = np.stack([implementation.shift_keys(np.eye(WIDTH), position) for position in range(length)])
    return [matrices if one else None for one in rotates]


def forward(parameters: Parameters, layers: Sequence[np.ndarray | None], tokens: np.ndarray) -> tuple[np.ndarray, list[tuple]]:
    """Scores of all tokens as answers, shape (S, B, T, vocabulary), and what the gradients need of the way there."""
    ahead = np.triu(np.full((tokens.shape[-1],) * 2, -np.inf), 1)
    h = parameters["tokens"][np.arange(len(tokens))[:, np.newaxis, np.newaxis], tokens]
    kept: list[tuple] = []
    for layer, matrices in enumerate(layers):
        q, k, v = (h @ parameters[f"{name} {layer}"][:, np.newaxis] for name in ("q", "k", "v"))
        q, k = _rotated(q, matrices), _rotated(k, matrices)
        weights = _softmax(q @ _transposed(k) / np.sqrt(WIDTH) + ahead)
        attended = h + weights @ v
        up = attended @ parameters[f"up {layer}"][:, np.newaxis]
        kept.append((h, q, k, v, weights, attended, up))
        h = attended + np.maximum(up, 0) @ parameters[f"down {layer}"][:, np.newaxis]
    kept.append((h,))
    return h @ parameters["out"][:, np.newaxis], kept


def loss_and_gradients(parameters: Parameters, layers: Sequence[np.ndarray | None], texts: Texts) -> tuple[np.ndarray, Parameters]:
    """Mean cross-entropy of each seed, shape (S,), and its gradient with respect to every parameter."""
    scores, kept = forward(parameters, layers, texts.tokens)
    d_scores, answers = _softmax(scores), np.where(texts.asked, texts.answers, 0)[..., np.newaxis]
    given = np.take_along_axis(d_scores, answers, axis=-1)
    share = (texts.asked / texts.asked.sum(axis=(1, 2), keepdims=True))[..., np.newaxis]
    loss = -(np.log(given) * share).sum(axis=(1, 2, 3))
    np.put_along_axis(d_scores, answers, given - 1, axis=-1)
    d_scores *= share

    gradients: Parameters = {}

    def back(name: str, x: np.ndarray, d_y: np.ndarray) -> np.ndarray:
        """Through y = x W: keeps the gradient of W and returns that of x."""
        gradients[name] = _transposed(_flat(x)) @ _flat(d_y)
        return d_y @ _transposed(parameters[name])[:, np.newaxis]

    d_h = back("out", *kept.pop(), d_scores)
    for layer in reversed(range(LAYERS)):
        h, q, k, v, weights, attended, up = kept.pop()
        d_up = back(f"down {layer}", np.maximum(up, 0), d_h) * (up > 0)
        d_h = d_h + back(f"up {layer}", attended, d_up)
        d_weights = d_h @ _transposed(v)
        d_raw = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) / np.sqrt(WIDTH)
        turned_back = None if layers[layer] is None else _transposed(layers[layer])
        d_q, d_k = _rotated(d_raw @ k, turned_back), _rotated(_transposed(d_raw) @ q, turned_back)
        d_v = _transposed(weights) @ d_h
        d_h = d_h + sum(back(f"{name} {layer}", h, d_y) for name, d_y in (("q", d_q), ("k", d_k), ("v", d_v)))
    one_hot = np.eye(VOCABULARY + 2)[texts.tokens.reshape(len(texts.tokens), -1)]
    gradients["tokens"] = _transposed(one_hot) @ _flat(d_h)
    return loss, gradients


def _rotated(x: np.ndarray, matrices: np.ndarray | None) -> np.ndarray:
    """Row t of x times matrix t."""
    return x if matrices is None else (x.swapaxes(0, 2) @ matrices[:, np.newaxis]).swapaxes(0, 2)


def _softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _transposed(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def _flat(x: np.ndarray) -> np.ndarray:
    """(S, B, T, n) to (S, B·T, n)."""
    return x.reshape(len(x), -1, x.shape[-1])


# Training and measuring.


def train(implementation: ModuleType, task: str, schedule: str, seeds: Sequence[int] = SEEDS, steps: int = STEPS) -> Parameters:
    """One trained model per seed, stacked along the first axis. A seed draws the same numbers whichever others run beside it."""
    drawn = [draw_parameters(seed) for seed in seeds]
    parameters = {name: np.stack([one[name] for one in drawn]) for name in drawn[0]}
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]
    layers = rotations(implementation, schedule, TRAINED_LENGTH)
    adam = Adam(parameters)
    for step in range(steps):
        texts = Texts(*map(np.stack, zip(*(TASKS[task].draw(source, BATCH, TRAINED_LENGTH) for source in sources), strict=True)))
        _, gradients = loss_and_gradients(parameters, layers, texts)
        # The step shrinks to nothing at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, LEARNING_RATE * (1 - step / steps))
    return parameters


def ask(implementation: ModuleType, task: str, schedule: str, model: Parameters, length: int) -> float:
    """Accuracy of one model, with an axis for its seed, at one length: the same sequences for every schedule and seed."""
    draw, last = TASKS[task]
    texts = draw(np.random.default_rng(length), TEXTS, length)
    scores, _ = forward(model, rotations(implementation, schedule, length), texts.tokens[np.newaxis])
    right = scores[0].argmax(axis=-1) == texts.answers
    return float(right[:, -last:].mean())


def measure(implementation: ModuleType, task: str, schedule: str, seeds: Sequence[int] = SEEDS) -> list[Measurement]:
    trained = train(implementation, task, schedule, seeds)
    return [
        Measurement(task, schedule, seed, length, ask(implementation, task, schedule, model, length))
        for place, seed in enumerate(seeds)
        for model in [{name: value[place : place + 1] for name, value in trained.items()}]
        for length in LENGTHS
    ]


def _measure(path: Path, task: str, schedule: str) -> list[Measurement]:
    return measure(load(path), task, schedule)


def experiment(path: Path) -> list[Measurement]:
    """Both tasks with all schedules, side by side on the cores there are."""
    jobs = [(path, task, schedule) for task in TASKS for schedule in SCHEDULES]
    # These matrices are small: a library that splits each product over all cores only slows the other jobs down.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
    measured = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for (_, task, schedule), rows in zip(jobs, pool.map(_measure, *zip(*jobs, strict=True)), strict=True):
            print(f"{task}: RoPE in {schedule}", flush=True)
            measured += rows
    return measured


# What is kept of it.


def save(measured: Sequence[Measurement], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = [(*row[:4], f"{row.accuracy:.4f}") for row in measured]
        csv.writer(file, lineterminator="\n").writerows([Measurement._fields, *rows])


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """The measurements of the last experiment: yours, or until you have run it, those of the course."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Measurement(row["task"], row["schedule"], int(row["seed"]), int(row["length"]), float(row["accuracy"])) for row in csv.DictReader(file)
        ]


def accuracies(measured: Sequence[Measurement], task: str, schedule: str) -> dict[int, np.ndarray]:
    """Length → the accuracies of all seeds."""
    rows = [row for row in measured if (row.task, row.schedule) == (task, schedule)]
    return {length: np.array([row.accuracy for row in rows if row.length == length]) for length in LENGTHS}


def reliable_up_to(measured: Sequence[Measurement], task: str, schedule: str) -> list[int]:
    """Per seed: the longest length up to which the accuracy never falls below RELIABLE, 0 if there is none."""
    passed = np.array(list(accuracies(measured, task, schedule).values())) >= RELIABLE
    counted = np.cumprod(passed, axis=0).sum(axis=0)
    return [(0, *LENGTHS)[count] for count in counted]


def tables(measured: Sequence[Measurement]) -> str:
    """Per task a Markdown table: mean ± standard deviation over the seeds, and in brackets how many seeds are reliable."""
    parts = []
    for task in TASKS:
        lines = [["RoPE in", *map(str, LENGTHS), "reliable up to, per seed"], ["---"] * (len(LENGTHS) + 2)]
        for schedule in SCHEDULES:
            found = accuracies(measured, task, schedule).values()
            cells = [f"{one.mean():.2f} ± {one.std(ddof=1):.2f} ({(one >= RELIABLE).sum()})" for one in found]
            ends = ", ".join(str(length) if length else "nowhere" for length in sorted(reliable_up_to(measured, task, schedule)))
            lines.append([schedule, *cells, ends])
        parts += [task.capitalize(), "\n".join("| " + " | ".join(line) + " |" for line in lines)]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str]) -> None:
    """`python lab.py [FILE]`: measure the schedules with FILE, keep the numbers beside this file and draw them."""
    solution = HERE.parents[1] / "solutions" / "modern.py"
    path = Path(arguments[0]) if arguments else solution if solution.is_file() else HERE / "modern.py"
    figures = load(HERE.parent / "figures.py")
    try:
        measured = experiment(path)
    except (NotImplementedError, ValueError) as reason:
        sys.exit(f"{path.name}: {reason}")
    save(measured, HERE / "measured.csv")
    kept = saved(HERE / "measured.csv")
    (HERE / "measured.md").write_text(tables(kept), encoding="utf-8")
    pictures = HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    figures.save(figures.schedules_measured(kept), pictures / "schedules_measured.png")
    print(tables(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
