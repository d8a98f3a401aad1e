"""The experiment: train one small model with each encoding at length 16, then test it on up to 1,024 tokens.

Provided code: nothing here is to be filled in. `make experiment` runs it on your `extrapolation.py`, and

    python -m assignments.extrapolation.lab rope --base 10

trains one method with one setting in a few seconds and draws what comes out.

The model is one layer of causal attention with one head, and nothing else. For a sequence of tokens,

    h = encode(method, x)          x: the trained embeddings of the tokens
    q, k, v = h W_q, h W_k, h W_v  v has one column for each token of the vocabulary
    y = softmax(logits(method, q, k)) v

and row t of y scores every token as the answer at position t: the token that stands `back` positions before it.
Tokens are drawn at random, new ones for every step of training, so there is nothing to learn by heart.

`encode` and `logits` are the ones under test, and no encoding is written down here a second time: every accuracy
comes out of calls of these two. Training needs gradients too. `read` asks the two functions what they add, how they
rotate and which row of a table they use; with that, `loss_and_gradients` is ordinary matrix calculus. Its gradients
are compared with finite differences: see `finite_difference`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

# These matrices are small: a library that splits each product over all cores takes three times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder, in a notebook too

from assignments import experiments  # noqa: E402
from assignments.experiments import (  # noqa: E402
    RELIABLE,
    load,
    markdown,
    mean_and_reliable,
    number,
    rows_of,
    spread,
    write_rows,
)
from autograder.checks.streams import print_anywhere  # noqa: E402

Parameters = dict[str, Any]

SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)
"""Seeds that are reported."""
CHOOSING_SEEDS = (100, 101, 102, 103)
"""Seeds on which settings and learning rates are chosen; no table of results has them."""


@dataclass(frozen=True)
class Setting:
    """Setting of one experiment. The defaults are the usual values of papers and libraries."""

    back: int = 3
    """Number of positions from a token back to the token that it copies."""
    trained_length: int = 16
    lengths: tuple[int, ...] = (16, 32, 64, 128)
    """Lengths at which the trained model is tested."""
    sequences: int = 128
    """Number of test sequences at each length."""
    vocabulary: int = 16
    width: int = 32
    steps: int = 2000
    batch: int = 16
    learning_rate: float = 1e-2
    base: float = 1e4
    """Base of sinusoidal and rope."""
    scale: float = 1.0
    """Factor of the rows that integer, and every method that acts in `encode`, adds."""
    table_rows: int = 64
    """Rows of learned, four times the trained length: some are never trained, and some lengths have none."""
    n_bits: int = 7
    """Number of bits of binary: enough for the longest sequence."""
    max_distance: int = 16
    """Distance at which shaw clips."""
    buckets: int = 32
    """Rows of the bias_table of t5."""
    own_buckets: int = 32
    """Number of buckets of t5 with separate numbers; the buckets after them share the last number."""
    slope: float = 0.5
    """Slope of alibi: that of the first of eight heads."""
    start_below: int = 0
    """Bound of the positions of a training text, for sinusoidal and learned.

    Each text starts at a random position and ends below the bound; with 0 it starts at position 0.
    """
    drawn_below: int = 0
    """End of the range from which the positions of a training text are drawn, for sinusoidal and learned."""
    block: int = 0
    """Width of the blocks of features that rope rotates, each as a head of this width; 0 for one block."""
    rotated: int = 0
    """Number of first features, the fastest pairs, that rope rotates; 0 for all."""
    log_n: int = 0
    """1 if the scores of the query at position p are scaled in a test, else 0.

    The factor is ln(p + 1) over ln of the trained length, where that is above 1.
    """

    def known(self, parameters: Parameters) -> Parameters:
        """Return the arguments of `encode` and `logits`: the trained values, and those chosen before training."""
        known = parameters | {"n_bits": self.n_bits, "slope": self.slope, "base": self.base}
        if "bias_table" in parameters:
            shared = np.minimum(np.arange(self.buckets), self.own_buckets - 1)
            known["bias_table"] = parameters["bias_table"][shared]
        return known

    def tables(self) -> dict[str, tuple[int, int]]:
        """Return the shape of each table that a method may train."""
        return {
            "table": (self.table_rows, self.width),
            "key_table": (2 * self.max_distance + 1, self.width),
            "bias_table": (min(self.own_buckets, self.buckets), 1),
        }


_TABLES_OF = {"learned": ("table",), "shaw": ("key_table",), "t5": ("bias_table",)}


def draw_parameters(method: str, setting: Setting, seed: int) -> Parameters:
    """Return all trained parameters.

    The shared part is drawn first: one seed starts all methods from the same numbers.
    """
    rng = np.random.default_rng(seed)
    d, vocabulary = setting.width, setting.vocabulary
    drawn = {
        "tokens": rng.normal(0, 1, (vocabulary, d)),
        "w_q": rng.normal(0, d**-0.5, (d, d)),
        "w_k": rng.normal(0, d**-0.5, (d, d)),
        "w_v": rng.normal(0, d**-0.5, (d, vocabulary)),
    }
    drawn |= {name: rng.normal(0, 0.02, setting.tables()[name]) for name in _TABLES_OF.get(method, ())}
    return {name: value.astype(np.float32) for name, value in drawn.items()}


# What a method does, found out by asking.


@dataclass(frozen=True)
class Reading:
    """Effect of a method on sequences of the trained length, as far as it does not change in training."""

    added: np.ndarray
    """Rows that encode adds, without the learned table, (T, d)."""
    constant: np.ndarray
    """Scores that logits adds, without the tables, (T, T); −inf where a query may not use a key."""
    rotations: np.ndarray | None = None
    """Rotations, (T, d/2), complex: entry (t, i) multiplies pair i of row t, read as one complex number."""
    rows: np.ndarray | None = None
    """Row of key_table that query i uses at key j, (T, T)."""
    buckets: np.ndarray | None = None
    """Entry of bias_table that query i uses at key j, (T, T)."""
    positions: np.ndarray | None = None
    """Row of a longer `added`, and of the learned table, for each token, (S, B, T); None for row t."""
    score: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    """Scores of the last queries with all keys, where no rotation gives them; for tests, not for training."""


def read(implementation: ModuleType, method: str, setting: Setting) -> Reading:
    """Read off the effect of a method.

    Raise ValueError where the answers do not add up to its `logits` and `encode`.
    """
    length, d = setting.trained_length, setting.width
    zeros = np.zeros((length, d))
    blank = {name: np.zeros(shape) for name, shape in setting.tables().items()}

    def ask(q: np.ndarray, k: np.ndarray, **tables: np.ndarray) -> np.ndarray:
        return np.asarray(implementation.logits(method, q, k, setting.known(blank | tables)), dtype=np.float64)

    def row_read(name: str, q: np.ndarray) -> np.ndarray:
        """Return the row that was read for each score.

        Row r of the table begins with r and is 0 elsewhere: then the score says which row was read.
        """
        numbered = blank[name] + 0
        numbered[:, 0] = np.arange(len(numbered))
        scores = ask(q, zeros, **{name: numbered})
        return np.rint(np.where(np.isfinite(scores), scores, 0)).astype(np.int64).clip(0, len(numbered) - 1)

    first = np.tile(np.eye(1, d), (length, 1))  # 1 in the first feature: finds the first feature of a row
    pairs = np.tile(np.tile([1.0, 0.0], d // 2), (length, 1))  # 1 + 0i in every pair: rotated, it is the rotation
    rotations = None
    if method == "rope":
        # A key at position 0 is not rotated. With 1 in feature a alone, it finds feature a of every rotated query.
        rotated = [ask(pairs, np.tile(one, (length, 1)))[:, 0] * np.sqrt(d) for one in np.eye(d)]
        rotations = np.stack(rotated, axis=1).view(np.complex128).astype(np.complex64)
    reading = Reading(
        added=added(implementation, method, setting, length),
        constant=ask(zeros, zeros).astype(np.float32),
        rotations=rotations,
        rows=row_read("key_table", first * np.sqrt(d)) if method == "shaw" else None,
        buckets=row_read("bias_table", zeros) if method == "t5" else None,
    )
    _check(reading, implementation, method, setting)
    return reading


def added(implementation: ModuleType, method: str, setting: Setting, length: int) -> np.ndarray:
    """Return the rows that encode adds to embeddings of a length, without the learned table."""
    if method == "learned":
        return np.zeros((length, setting.width), np.float32)
    zeros = np.zeros((length, setting.width))
    return np.asarray(setting.scale * implementation.encode(method, zeros, setting.known({})), dtype=np.float32)


def _check(reading: Reading, implementation: ModuleType, method: str, setting: Setting) -> None:
    """Compare the trained model with the measured one, on one sequence with random parameters."""
    parameters = draw_parameters(method, setting, seed=0)
    sequence = np.random.default_rng(0).integers(setting.vocabulary, size=setting.trained_length)
    alone = stacked([parameters])
    embedded = _embedded(alone, reading, sequence[np.newaxis, np.newaxis])
    projected = _projected(alone, embedded, asked=len(sequence))[:2]
    h, q, k, scores = (array[0, 0] for array in (embedded, *projected, _scores(alone, reading, *projected)))

    for name, expected, got in (
        ("encode", h, encoded(implementation, method, parameters, setting, sequence)),
        ("logits", scores, implementation.logits(method, q, k, setting.known(parameters))),
    ):
        if np.shape(got) != expected.shape or not np.allclose(got, expected, atol=1e-4):
            raise ValueError(
                f"{name}({method!r}, …) is not of the form that its definition gives it: do its tests pass?"
            )


def encoded(
    implementation: ModuleType, method: str, parameters: Parameters, setting: Setting, sequence: np.ndarray
) -> np.ndarray:
    """Return h of the module's docstring, where the added rows are multiplied by a scale other than 1."""
    x = parameters["tokens"][sequence]
    h = implementation.encode(method, x, setting.known(parameters))
    return h if setting.scale == 1 else x + setting.scale * (h - x)


@dataclass(frozen=True)
class OtherPairs:
    """Implementation whose RoPE rotates other pairs of a wide head, made of calls of `encode` and `logits`."""

    implementation: ModuleType
    setting: Setting

    def encode(self, method: str, x: np.ndarray, parameters: Parameters) -> Any:
        """Return the rows that the implementation's `encode` returns."""
        return self.implementation.encode(method, x, parameters)

    def logits(self, method: str, q: np.ndarray, k: np.ndarray, parameters: Parameters) -> Any:
        """Return the scores of the implementation's `logits`, with the chosen pairs rotated."""
        logits, width = self.implementation.logits, q.shape[-1]
        if self.setting.rotated:
            rotated = np.arange(width) < self.setting.rotated
            return logits(method, q * rotated, k, parameters) + logits("none", q * ~rotated, k, parameters)
        blocks = [slice(start, start + self.setting.block) for start in range(0, width, self.setting.block)]
        scores = [logits(method, q[..., block], k[..., block], parameters) for block in blocks]
        return np.sum(scores, axis=0) / np.sqrt(len(blocks))


# The model and its gradients, for many seeds and sequences at once: every array begins with the axes (seed, sequence).


def loss_and_gradients(
    parameters: Parameters, reading: Reading, sequences: np.ndarray, answers: np.ndarray
) -> tuple[np.ndarray, Parameters]:
    """Return the mean cross-entropy of each seed, shape (S,), and its gradient for every parameter.

    `parameters` hold the seeds along their first axis, `sequences` are token numbers of shape (S, B, T), and
    `answers`, of shape (S, B, n), are the right tokens at the last n positions. The positions before them
    have no answer.
    """
    asked = answers.shape[-1]
    h = _embedded(parameters, reading, sequences)
    q, k, v = _projected(parameters, h, asked)
    weights = softmax(_scores(parameters, reading, q, k))
    d_y = softmax(weights @ v)

    given = np.take_along_axis(d_y, answers[..., np.newaxis], axis=-1)
    loss = -np.log(np.maximum(given, 1e-30)).mean(axis=(1, 2, 3))

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
        used = np.s_[..., -gradient.shape[-2] :, :]  # queries are made of the last rows, keys and values of all
        d_h[used] += _times(gradient, _transposed(parameters[name]))
        gradients[name] = _transposed(_flat(h[used])) @ _flat(gradient)
    for name, index in (("tokens", sequences), ("before", _before(parameters, sequences))):
        if name in parameters:
            one_hot = np.eye(parameters[name].shape[1], dtype=h.dtype)[index.reshape(len(sequences), -1)]
            gradients[name] = _transposed(one_hot) @ _flat(d_h)  # a row collects from all positions that looked it up
    if "table" in parameters:
        gradients["table"] = np.zeros_like(parameters["table"])
        if reading.positions is None:
            gradients["table"][:, : sequences.shape[-1]] = d_h.sum(axis=1)
        else:
            seeds = np.arange(len(sequences))[:, np.newaxis, np.newaxis]
            np.add.at(gradients["table"], (seeds, reading.positions), d_h)
    return loss, gradients | d_tables


def answered(parameters: Parameters, reading: Reading, sequences: np.ndarray, asked: int) -> np.ndarray:
    """Return the scores of every token as the answer at the last positions, (S, B, asked, vocabulary)."""
    q, k, v = _projected(parameters, _embedded(parameters, reading, sequences), asked)
    return softmax(_scores(parameters, reading, q, k)) @ v


def _embedded(parameters: Parameters, reading: Reading, sequences: np.ndarray) -> np.ndarray:
    seeds = np.arange(len(sequences))[:, np.newaxis, np.newaxis]
    positions = np.arange(sequences.shape[-1]) if reading.positions is None else reading.positions
    h = parameters["tokens"][seeds, sequences] + reading.added[positions]
    if "before" in parameters:
        h = h + parameters["before"][seeds, _before(parameters, sequences)]
    if "table" in parameters:
        h = h + parameters["table"][seeds, np.broadcast_to(positions, sequences.shape)]
    return h


def _before(parameters: Parameters, sequences: np.ndarray) -> np.ndarray:
    """Return the token before each token; for the first token, the number after the last token's."""
    return np.concatenate(
        [np.full_like(sequences[..., :1], parameters["tokens"].shape[1]), sequences[..., :-1]], axis=-1
    )


def _projected(parameters: Parameters, h: np.ndarray, asked: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the queries of the last positions alone, and the keys and values of all positions."""
    return _times(h[..., -asked:, :], parameters["w_q"]), _times(h, parameters["w_k"]), _times(h, parameters["w_v"])


def _scores(parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the scores, shape (S, B, n, T): queries of the last n positions, keys of all T."""
    last, root = np.s_[-q.shape[-2] :], float(np.sqrt(q.shape[-1]))
    if reading.score is not None:
        return reading.score(q, k) + reading.constant[last]
    scores = _rotated(q, reading.rotations) @ _transposed(_rotated(k, reading.rotations)) / root
    if reading.rows is not None:
        key_table = parameters["key_table"]
        with_each_row = _times(q, _transposed(key_table)) / root
        scores += np.einsum("sbir,ijr->sbij", with_each_row, _one_hot(reading.rows[last], key_table))
    if reading.buckets is not None:
        scores += parameters["bias_table"][:, np.newaxis, reading.buckets[last], 0]
    return scores + reading.constant[last]


def _score_gradients(
    parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray, d_scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Parameters]:
    """Return the gradients of queries, keys and the table that the scores read, if there is one."""
    last, root = np.s_[-q.shape[-2] :], float(np.sqrt(q.shape[-1]))
    back = None if reading.rotations is None else reading.rotations.conj()  # rotates the other way
    d_q = _rotated(d_scores @ _rotated(k, reading.rotations) / root, back)
    d_k = _rotated(_transposed(d_scores) @ _rotated(q, reading.rotations) / root, back)
    d_tables = {}
    if reading.rows is not None:
        key_table = parameters["key_table"]
        d_with_row = np.einsum("sbij,ijr->sbir", d_scores, _one_hot(reading.rows[last], key_table)) / root
        d_q += _times(d_with_row, key_table)
        d_tables["key_table"] = _transposed(_flat(d_with_row)) @ _flat(q)
    if reading.buckets is not None:
        bias_table = parameters["bias_table"]
        entries = np.einsum("sij,ijr->sr", d_scores.sum(axis=1), _one_hot(reading.buckets[last], bias_table))
        d_tables["bias_table"] = entries[..., np.newaxis]
    return d_q, d_k, d_tables


def _rotated(x: np.ndarray, rotations: np.ndarray | None) -> np.ndarray:
    """Return every pair of features, as one complex number, times its rotation.

    The last row of x is at the last position.
    """
    if rotations is None:
        return x
    pairs = np.ascontiguousarray(x).view(np.complex64 if x.dtype == np.float32 else np.complex128)
    return (pairs * rotations[-x.shape[-2] :]).astype(pairs.dtype, copy=False).view(x.dtype)


def _one_hot(index: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.eye(table.shape[1], dtype=table.dtype)[index]


def _times(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return x of shape (S, B, T, n) times the matrix of its seed, (S, n, m)."""
    return (_flat(x) @ w).reshape(*x.shape[:-1], w.shape[-1])


def _transposed(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def _flat(x: np.ndarray) -> np.ndarray:
    """Reshape (S, B, T, n) to (S, B·T, n)."""
    return x.reshape(len(x), -1, x.shape[-1])


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of scores along the last axis."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def finite_difference(
    parameters: Parameters,
    reading: Reading,
    sequences: np.ndarray,
    answers: np.ndarray,
    name: str,
    place: tuple[int, ...],
    step: float = 1e-5,
) -> float:
    """Return the slope of the loss in one number of one parameter.

    The function moves the number a little up and down, and compares the losses.
    """
    losses = []
    for moved in (step, -step):
        shifted = {key: value.copy() for key, value in parameters.items()}
        shifted[name][place] += moved
        losses.append(loss_and_gradients(shifted, reading, sequences, answers)[0][place[0]])
    return float(losses[0] - losses[1]) / (2 * step)


# Training.

Draw = Callable[[], tuple[np.ndarray, np.ndarray]]


def train(
    implementation: ModuleType,
    method: str,
    setting: Setting,
    seeds: Sequence[int] = SEEDS,
    watch: Callable[[], None] = lambda: None,
) -> tuple[list[Parameters], np.ndarray]:
    """Train one model per seed, and return them with the losses, shape (steps, S).

    `watch` is called before each step. Each seed draws its own start and its own sequences, whichever others
    run beside it.
    """
    parameters = stacked([draw_parameters(method, setting, seed) for seed in seeds])
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]

    longest = max(setting.start_below, setting.drawn_below)
    if longest and method not in ("sinusoidal", "learned"):
        raise ValueError(f"random positions are for sinusoidal and learned; got {method}")
    places = [np.random.default_rng([seed, 4]) for seed in seeds]  # a stream of their own: the texts stay the same

    def drawn_positions(rng: np.random.Generator) -> np.ndarray:
        length = setting.trained_length
        if setting.drawn_below:
            return np.asarray(implementation.random_positions(length, longest, rng))
        return implementation.random_positions(1, longest - length + 1, rng) + np.arange(length)

    def draw() -> tuple[np.ndarray, np.ndarray]:
        watch()
        size = (setting.batch, setting.trained_length)
        sequences = np.stack([source.integers(setting.vocabulary, size=size) for source in sources])
        return sequences, sequences[..., : -setting.back]

    def look(reading: Reading) -> Reading:
        if not longest:
            return reading
        return replace(
            reading, positions=np.array([[drawn_positions(rng) for _ in range(setting.batch)] for rng in places])
        )

    reading = read(implementation, method, setting)
    if longest:
        reading = replace(reading, added=added(implementation, method, setting, longest))
    losses = descend(parameters, reading, draw, setting.steps, setting.learning_rate, look)
    return [{name: value[index] for name, value in parameters.items()} for index in range(len(seeds))], losses


def stacked(models: Sequence[Parameters]) -> Parameters:
    """Stack the parameters of several seeds along a new first axis."""
    return {name: np.stack([model[name] for model in models]) for name in models[0]}


def descend(
    parameters: Parameters,
    reading: Reading,
    draw: Draw,
    steps: int,
    learning_rate: float,
    look: Callable[[Reading], Reading] = lambda reading: reading,
) -> np.ndarray:
    """Train the parameters in place and return the losses, (steps, S).

    Each step uses sequences and answers drawn for it, and the result of `look` on the reading.
    """
    adam = Adam(parameters)
    losses = []
    for step in range(steps):
        loss, gradients = loss_and_gradients(parameters, look(reading), *draw())
        # The step shrinks to nothing at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, learning_rate * (1 - step / steps))
        losses.append(loss)
    return np.array(losses)


class Adam:
    """Optimizer of Kingma and Ba 2015, with β = 0.9 and 0.99."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.square = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.steps = 0

    def step(self, gradients: Parameters, learning_rate: float) -> None:
        """Move every parameter by one step against its gradient."""
        self.steps += 1
        for name, gradient in gradients.items():
            self.mean[name] += 0.1 * (gradient - self.mean[name])
            self.square[name] += 0.01 * (gradient**2 - self.square[name])
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.99**self.steps)
            self.parameters[name] -= learning_rate * mean / (np.sqrt(square) + 1e-8)


# Measuring: the definition of every number, through `encode` and `logits` and nothing else.


class Measurement(NamedTuple):
    """Result of one trained model at one length. A number is NaN where the method has no entry for it."""

    accuracy: float
    """Share of the tested positions at which the right token has the highest score."""
    cross_entropy: float
    """Mean of −ln of the probability of the right token; perplexity is e to the power of this mean."""
    weights: np.ndarray
    """Mean attention weight of the keys at distance 0, 1, 2, …."""


def answer(
    implementation: ModuleType, method: str, parameters: Parameters, setting: Setting, sequence: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return y of the module's docstring, shape (T, vocabulary), and its attention weights, (T, T)."""
    h = encoded(implementation, method, parameters, setting, sequence)
    scores = implementation.logits(method, h @ parameters["w_q"], h @ parameters["w_k"], setting.known(parameters))
    if setting.log_n:
        keys = np.arange(1, len(scores) + 1)[:, np.newaxis]
        scores = scores * np.maximum(1, np.log(keys) / np.log(setting.trained_length))
    weights = softmax(scores)
    return weights @ (h @ parameters["w_v"]), weights


FEWER_BEYOND = 128
"""Length above which a quarter of the sequences is tested, since their tables of scores are large."""


def ask(implementation: ModuleType, method: str, setting: Setting, model: Parameters, length: int) -> Measurement:
    """Test one model at one length, on the same sequences for every method and seed.

    The tested positions are the last positions of each sequence, as many as the trained length has answers
    for: at a longer length they are all positions that no sequence of training had.
    """
    count = setting.sequences if length <= FEWER_BEYOND else setting.sequences // 4
    sequences = np.random.default_rng(length).integers(setting.vocabulary, size=(count, length))
    positions = np.arange(length - setting.trained_length + setting.back, length)
    distances = np.arange(positions[0] + 1)
    try:
        answers = [answer(implementation, method, model, setting, sequence) for sequence in sequences]
    except ValueError:
        return Measurement(np.nan, np.nan, np.full(len(distances), np.nan))  # some position has no entry
    y, weights = (
        np.stack(rows) for rows in zip(*((y[positions], weights[positions]) for y, weights in answers), strict=True)
    )
    right_tokens = sequences[:, positions - setting.back, np.newaxis]
    given = np.take_along_axis(softmax(y), right_tokens, axis=-1)
    right = y.argmax(axis=-1, keepdims=True) == right_tokens
    asked = np.arange(len(positions))[:, np.newaxis]
    by_distance = weights[:, asked, positions[:, np.newaxis] - distances].mean(axis=(0, 1))
    return Measurement(right.mean(), -np.log(np.maximum(given, 1e-30)).mean(), by_distance)


# Which settings are tried, and which are reported.

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")
TASKS = {"copy 3 back": 3, "copy 1 back": 1}
LEARNING_RATES = (3e-3, 1e-2, 3e-2)
USUAL = "usual"
"""Name of the setting with nothing changed."""

CHOICES: dict[str, tuple[str, ...]] = {
    "integer": ("scale 0.25", "scale 0.0625", "scale 0.015625"),
    "sinusoidal": ("base 4", "base 10", "base 100", "base 1e6"),
    "rope": ("base 4", "base 10", "base 30", "base 100", "base 1000", "base 1e6"),
    "shaw": ("max_distance 2", "max_distance 4", "max_distance 8"),
    "t5": ("buckets 16", "own_buckets 16", "own_buckets 8", "own_buckets 4"),
    "alibi": ("slope 2", "slope 0.125", "slope 0.03125"),
}
"""Method → settings that are tried besides the usual one. The other methods have nothing to choose."""

BROKEN_BY = ("width 64", "trained_length 32", "vocabulary 64", "back 5")
"""Changes that a reader may make to break a result, tried with the methods of RIVALS after the choice."""
RIVALS = ("rope", "shaw", "t5")
TRIPLED = f"steps {3 * Setting.steps}"
"""Change that is tried with every method: training three times as long."""


def setting_of(*changes: str, task: str = "copy 3 back") -> Setting:
    """Return the usual setting with these fields changed.

    Lengths stay 1, 2, 4 and 8 times the trained length.
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
"""(method, setting, further change) → lengths of the test, on the reported seeds, copying 3 back.

The numbers are measured once and kept: `--full` repeats it. The seven that are tested on the longest texts are also
tested with `log_n`.
"""


class Far(NamedTuple):
    """One model at one length: a row of far.csv."""

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
    """Mean attention weight of the right key."""


class Tried(NamedTuple):
    """One model and its accuracy at 1, 2, 4 and 8 times the trained length: a row of grid.csv and of changes.csv."""

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


class Row(NamedTuple):
    """One reported model at one length: a row of measured.csv."""

    task: str
    method: str
    change: str
    learning_rate: float
    seed: int
    length: int
    accuracy: float
    cross_entropy: float
    weight: float
    """Mean attention weight of the right key."""


def mean_by(rows: Iterable[Any], keys: Sequence[str], value: Callable[[Any], float]) -> dict[tuple[Any, ...], float]:
    """Return the mean of a value over the rows that agree in these columns."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(value(row))
    return {key: float(np.mean(values)) for key, values in groups.items()}


def best_rates(rows: Iterable[Tried]) -> dict[tuple[str, str, str], float]:
    """Return (task, method, setting) → the learning rate with the highest `score`.

    Of several rates with the same score, the smallest counts.
    """
    scores = mean_by(rows, ("task", "method", "change", "learning_rate"), score)
    rates: dict[tuple[str, str, str], float] = {}
    for task, method, change, rate in sorted(scores, key=lambda key: (-round(scores[key], 3), key[3])):
        rates.setdefault((task, method, change), rate)
    return rates


def score(row: Tried) -> float:
    """Return the mean accuracy over the four lengths, by which settings and learning rates are chosen.

    A length without an entry counts as 0.
    """
    return float(np.nansum(row[7:])) / 4


def at_best_rate(rows: Iterable[Tried]) -> list[Tried]:
    """Return the rows in which each setting has its best learning rate."""
    rows = list(rows)
    rates = best_rates(rows)
    return [row for row in rows if rates[row[:3]] == row.learning_rate]


def chosen(rows: Iterable[Tried]) -> dict[tuple[str, str], str]:
    """Return (task, method) → the setting with the highest `score`.

    The usual setting wins where no other has a higher score.
    """
    means = mean_by(at_best_rate(rows), ("task", "method", "change"), score)
    choice: dict[tuple[str, str], str] = {}
    for task, method, change in sorted(means, key=lambda key: (-round(means[key], 3), key[2] != USUAL)):
        choice.setdefault((task, method), change)
    return choice


# Jobs, for assignments/experiments.py.


def jobs(full: bool) -> list[tuple[str, ...]]:
    """Return the jobs of the reported results: every method, as usual and as chosen, in both tasks.

    In full, the jobs of the choice and of the changes come too.
    """
    choice = chosen(kept_tries("grid.csv"))
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
    """Return a job for each task, method and setting of the choice."""
    return [
        ("grid", task, method, change)
        for task in TASKS
        for method in METHODS
        for change in (USUAL, *CHOICES.get(method, ()))
    ]


def job(path: Path, kind: str, *what: str) -> Any:
    """Run one job: see `report`, `try_grid`, `try_change` and `go_far`."""
    return {"report": report, "grid": try_grid, "change": try_change, "far": go_far}[kind](load(path), *what)


def report(
    implementation: ModuleType, task: str, method: str, change: str
) -> tuple[list[Row], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Measure one method in one setting with every reported seed.

    The results are rows of measured.csv, attention.csv and losses.csv.
    """
    rate = best_rates(kept_tries("grid.csv"))[task, method, change]
    return measure(implementation, task, method, change, replace(setting_of(change, task=task), learning_rate=rate))


def measure(
    implementation: ModuleType,
    task: str,
    method: str,
    change: str,
    setting: Setting,
    seeds: Sequence[int] = SEEDS,
    watch: Callable[[], None] = lambda: None,
) -> tuple[list[Row], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Train one model per seed, and test each at every length."""
    models, losses = train(implementation, method, setting, seeds, watch)
    rows, weights = [], []
    for seed, model in zip(seeds, models, strict=True):
        for length in setting.lengths:
            found = ask(implementation, method, setting, model, length)
            right = found.weights[setting.back]
            rows.append(
                Row(
                    task,
                    method,
                    change,
                    setting.learning_rate,
                    seed,
                    length,
                    found.accuracy,
                    found.cross_entropy,
                    right,
                )
            )
        weights.append(found.weights)
    looks = [
        (task, method, change, str(distance), f"{weight:.4f}")
        for distance, weight in enumerate(np.mean(weights, axis=0))
    ]
    means = losses.mean(axis=1).reshape(CURVE_POINTS, -1).mean(axis=1)
    steps = (np.arange(CURVE_POINTS) + 1) * setting.steps // CURVE_POINTS
    curve = [(task, method, change, str(step), f"{loss:.4f}") for step, loss in zip(steps, means, strict=True)]
    return rows, looks, curve


CURVE_POINTS = 40


def try_grid(implementation: ModuleType, task: str, method: str, change: str) -> list[Tried]:
    """Try one setting with every learning rate."""
    return [row for rate in LEARNING_RATES for row in tries(implementation, task, method, change, USUAL, rate)]


def try_change(implementation: ModuleType, method: str, change: str, then: str) -> list[Tried]:
    """Try one more change of a setting, at the best learning rate of the setting."""
    rate = best_rates(kept_tries("grid.csv"))["copy 3 back", method, change]
    return tries(implementation, "copy 3 back", method, change, then, rate)


def tries(implementation: ModuleType, task: str, method: str, change: str, then: str, rate: float) -> list[Tried]:
    """Try one setting with the choosing seeds."""
    setting = replace(setting_of(change, then, task=task), learning_rate=rate)
    models, losses = train(implementation, method, setting, CHOOSING_SEEDS)
    late = losses[-setting.steps // 10 :].mean(axis=0)
    rows = []
    for seed, model, loss in zip(CHOOSING_SEEDS, models, late, strict=True):
        accuracies = [
            round(float(ask(implementation, method, setting, model, length).accuracy), 4) for length in setting.lengths
        ]
        rows.append(Tried(task, method, change, then, rate, seed, round(float(loss), 4), *accuracies))
    return rows


def go_far(implementation: ModuleType, method: str, change: str, then: str) -> list[Far]:
    """Test one setting with every reported seed far beyond the trained length."""
    changes = (change, *then.split(", "))
    rate = best_rates(kept_tries("grid.csv"))["copy 3 back", method, change]
    setting = replace(setting_of(*changes), learning_rate=rate, lengths=FAR[method, change, then])
    tested: Any = OtherPairs(implementation, setting) if setting.block or setting.rotated else implementation
    models, losses = train(tested, method, setting, SEEDS)
    late = losses[-setting.steps // 10 :].mean(axis=0)
    rows = []
    for log_n in (0, 1) if setting.lengths == FAR_LENGTHS else (0,):
        for seed, model, loss in zip(SEEDS, models, late, strict=True):
            for length in setting.lengths:
                found = ask(tested, method, replace(setting, log_n=log_n), model, length)
                weight = found.weights[setting.back]
                rows.append(Far(method, change, then, log_n, seed, float(loss), length, found.accuracy, float(weight)))
    return rows


# What is kept.


def saved_far() -> list[Far]:
    """Return the rows of far.csv."""
    kinds = (str, str, str, int, int, float, int, float, float)
    return [
        Far(*(kind(row[field]) for field, kind in zip(Far._fields, kinds, strict=True)))
        for row in rows_of(HERE / "far.csv")
    ]


def kept_tries(name: str) -> list[Tried]:
    """Return the rows of grid.csv or changes.csv."""
    kinds = (str, str, str, str, float, int, float, float, float, float, float)
    return [
        Tried(*(kind(row[field]) for field, kind in zip(Tried._fields, kinds, strict=True)))
        for row in rows_of(HERE / name)
    ]


def saved() -> list[Row]:
    """Return the measurements of the last experiment.

    They are the reader's, or the course's until the reader has run the experiment.
    """
    kinds = (str, str, str, float, int, int, float, float, float)
    return [
        Row(*(kind(row[field]) for field, kind in zip(Row._fields, kinds, strict=True)))
        for row in rows_of(HERE / "measured.csv")
    ]


def saved_looks() -> dict[tuple[str, str], np.ndarray]:
    """Return (method, setting) → mean weight at distance 0, 1, 2, …, at the longest length, in the first task."""
    return _columns("attention.csv", "weight")


def saved_losses() -> dict[tuple[str, str], np.ndarray]:
    """Return (method, setting) → mean loss of each of the equal parts of training, in the first task."""
    return _columns("losses.csv", "loss")


def _columns(name: str, value: str) -> dict[tuple[str, str], np.ndarray]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows_of(HERE / name):
        if row["task"] == "copy 3 back":
            found.setdefault((row["method"], row["change"]), []).append(float(row[value]))
    return {key: np.array(values) for key, values in found.items()}


def by_length(
    rows: Iterable[Row], task: str, method: str, change: str = USUAL, what: str = "accuracy"
) -> dict[int, np.ndarray]:
    """Return length → the numbers of all seeds."""
    found = [row for row in rows if (row.task, row.method, row.change) == (task, method, change)]
    lengths = dict.fromkeys(row.length for row in found)
    return {length: np.array([getattr(row, what) for row in found if row.length == length]) for length in lengths}


def keep(path: Path, full: bool, results: Sequence[Any]) -> str:
    """Write and draw the measurements; in full, also the choice and the changes."""
    kinds = [kind for kind, *_ in jobs(full)]
    found = {
        kind: [result for one, result in zip(kinds, results, strict=True) if one == kind]
        for kind in dict.fromkeys(kinds)
    }
    for kind, name in (("grid", "grid.csv"), ("change", "changes.csv")):
        if kind in found:
            write_rows(HERE / name, Tried._fields, (row for rows in found[kind] for row in rows))
    if "far" in found:
        far = (row for rows in found["far"] for row in rows)
        write_rows(
            HERE / "far.csv",
            Far._fields,
            ((*row[:5], f"{row.loss:.4f}", row.length, *(f"{one:.4f}" for one in row[7:])) for row in far),
        )
    rows, looks, curves = ([row for part in parts for row in part] for parts in zip(*found["report"], strict=True))
    write_rows(HERE / "measured.csv", Row._fields, ((*row[:6], *(f"{one:.4f}" for one in row[6:])) for row in rows))
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
        "accuracy_against_base": figures.accuracy_against_base(at_best_rate(kept_tries("grid.csv"))),
    }.items():
        figures.save(figure, pictures / f"{name}.svg")
    return text


# Tables.


def tables(implementation: ModuleType) -> str:
    """Return all measurements as Markdown."""
    rows, grid, changes = saved(), kept_tries("grid.csv"), kept_tries("changes.csv")
    known = [
        [method, f"{learned:,}", number(gap)] for method, (learned, gap) in before_training(implementation).items()
    ]
    parts = ["Before training", markdown(["method", "learned numbers", "shift gap"], known)]
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
    """Return how many numbers of its encoding a method learns, and its shift gap, for each method."""
    setting = Setting()
    found = {}
    for method in implementation.METHODS:
        drawn = {name: value.astype(np.float64) for name, value in draw_parameters(method, setting, seed=0).items()}
        known, x = setting.known(drawn), drawn["tokens"]
        gap = implementation.shift_gap(method, x, drawn["w_q"], drawn["w_k"], known, setting.trained_length)
        found[method] = (implementation.learned_parameters(method, known), float(gap))
    return found


def comparison(rows: Sequence[Row], task: str) -> str:
    """Return the table of the lesson: each method in its usual and its chosen setting, the best result first."""
    shortest, longest = Setting.lengths[0], Setting.lengths[-1]
    found = {pair: by_length(rows, task, *pair) for pair in reported(rows, task)}
    lines = []
    for method, change in sorted(found, key=lambda pair: -np.nan_to_num(found[pair][longest].mean().round(2), nan=-1)):
        accuracies = found[method, change]
        lines.append([method, change, number(accuracies[shortest].mean()), spread(accuracies[longest])])
    return markdown([task, "setting", f"at {shortest}", f"at {longest}"], lines)


def reported(rows: Iterable[Row], task: str) -> list[tuple[str, str]]:
    """Return the methods and settings that were measured, in order."""
    return list(dict.fromkeys((row.method, row.change) for row in rows if row.task == task))


def accuracy_table(implementation: ModuleType, rows: Sequence[Row], task: str) -> str:
    """Return the accuracies of one task by length as Markdown, with reliable length and gap."""
    lines = []
    for method, change in reported(rows, task):
        accuracy = by_length(rows, task, method, change)
        means = [values.mean() for values in accuracy.values()]
        reliable = implementation.longest_reliable_length(list(accuracy), means)
        gap = implementation.extrapolation_gap(list(accuracy), means, Setting.trained_length)
        summary = [str(reliable) if reliable else "nowhere", number(gap)]
        lines.append([method, change, *map(mean_and_reliable, accuracy.values()), *summary])
    return markdown(["method", "setting", *map(str, Setting.lengths), "mean reliable up to", "gap"], lines)


def _detail_table(rows: Sequence[Row], task: str) -> str:
    ends = (Setting.lengths[0], Setting.lengths[-1])
    lines = []
    for method, change in reported(rows, task):
        found = [by_length(rows, task, method, change, what) for what in ("cross_entropy", "weight")]
        lines.append([method, change, *(spread(numbers[end]) for numbers in found for end in ends)])
    header = [f"{what} at {end}" for what in ("cross-entropy", "weight of the right key") for end in ends]
    return markdown(["method", "setting", *header], lines)


def far_table(rows: Sequence[Far]) -> str:
    """Return each row of FAR as Markdown, with the number of reliable seeds in brackets.

    A column has the number of seeds with a loss above 0.01 at the end of training.
    """
    lengths = sorted({row.length for row in rows})
    lines = []
    for key in dict.fromkeys(row[:4] for row in rows):
        found = [row for row in rows if row[:4] == key]
        method, change, then, log_n = key
        besides = [then] * (then != USUAL) + ["log n"] * log_n
        cells = [np.array([row.accuracy for row in found if row.length == length]) for length in lengths]
        open_seeds = len({row.seed for row in found if row.loss > 0.01})
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


def grid_table(grid: Sequence[Tried]) -> str:
    """Return every setting at its best learning rate as Markdown; the chosen setting has a star."""
    choice, rows = chosen(grid), at_best_rate(grid)
    lines = []
    for task, method, change in dict.fromkeys(row[:3] for row in rows):
        found = tried(rows, task, method, change)
        star = "*" if choice[task, method] == change else ""
        rate = found[0].learning_rate
        lines.append([task, method, change + star, f"{rate:g}", number(_mean(found, "loss")), *_accuracies(found)])
    return markdown(["task", "method", "setting", "learning rate", "loss", *map(str, Setting.lengths)], lines)


def tripled_table(grid: Sequence[Tried], changes: Sequence[Tried]) -> str:
    """Return the accuracies after training once and three times as long as Markdown."""
    lines = []
    for method, change in dict.fromkeys((row.method, row.change) for row in changes):
        once = tried(at_best_rate(grid), "copy 3 back", method, change)
        thrice = tried(changes, "copy 3 back", method, change, TRIPLED)
        pairs = list(zip(_accuracies(once), _accuracies(thrice), strict=True))
        lines.append(
            [method, change, *(f"{one} → {other}" for one, other in pairs), "yes" if flat(once, thrice) else "no"]
        )
    return markdown(["method", "setting", *map(str, Setting.lengths), "flat"], lines)


def flat(once: Sequence[Tried], thrice: Sequence[Tried]) -> bool:
    """Return True if training three times as long moves each mean accuracy by at most 0.02.

    The means are those of the tested lengths, one by one.
    """
    means = [np.mean([row[7:] for row in rows], axis=0) for rows in (once, thrice)]
    return bool(np.nanmax(np.abs(means[1] - means[0])) <= 0.02)


def changes_table(grid: Sequence[Tried], changes: Sequence[Tried]) -> str:
    """Return one more change for each rival, as usual and as chosen: accuracy at 8 times the trained length.

    In brackets is the accuracy at the trained length, where it is below RELIABLE: there the task was not
    learned at all.
    """
    tries = [*at_best_rate(grid), *changes]
    lines = []
    for method, change in dict.fromkeys((row.method, row.change) for row in changes if row.method in RIVALS):
        cells = []
        for then in (USUAL, *BROKEN_BY, TRIPLED):
            found = tried(tries, "copy 3 back", method, change, then)
            learned = _mean(found, "x1")
            cells.append(number(_mean(found, "x8")) + (f" ({number(learned)})" if learned < RELIABLE else ""))
        lines.append([method, change, *cells])
    return markdown(["method", "setting", "no change", *BROKEN_BY, TRIPLED], lines)


def tried(rows: Iterable[Tried], task: str, method: str, change: str, then: str = USUAL) -> list[Tried]:
    """Return the rows of one setting."""
    return [row for row in rows if row[:4] == (task, method, change, then)]


def _accuracies(rows: Sequence[Tried]) -> list[str]:
    return [number(_mean(rows, name)) for name in ("x1", "x2", "x4", "x8")]


def _mean(rows: Sequence[Tried], name: str) -> float:
    return float(np.mean([getattr(row, name) for row in rows]))


# One method with one setting, from the command line.


def try_one(path: Path, method: str, changes: Sequence[str], task: str = "copy 3 back") -> None:
    """Train one method with every seed, print its accuracies, and draw them beside the usual setting of the course."""
    setting = setting_of(*changes, task=task)
    rates = best_rates(kept_tries("grid.csv"))
    if not any(change.startswith("learning_rate") for change in changes):
        known = [rates[task, method, change] for change in changes if (task, method, change) in rates]
        setting = replace(setting, learning_rate=known[0] if known else rates[task, method, USUAL])
    progress = experiments.Progress(setting.steps)
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
    """Measure everything that is reported, or one method with any field of Setting changed."""
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
        try_one(chosen_options.file, chosen_options.method, changes)
    except (NotImplementedError, ValueError) as reason:
        sys.exit(f"{chosen_options.file.name}: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
