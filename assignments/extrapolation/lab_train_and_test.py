"""Training and testing of one model with one method, through the `encode` and `logits` of the module under test.

`read` calls `encode` and `logits` to find out what these functions add, how they rotate, and which row of a
table they use; the model in `lab_model.py` is trained with the result. `evaluate` calls only `encode` and
`logits`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from assignments.extrapolation.lab_model import (
    Parameters,
    Reading,
    attention_scores,
    descend,
    embedded,
    projected,
    softmax,
    stacked,
)

SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)
"""Seeds whose results are reported."""
CHOOSING_SEEDS = (100, 101, 102, 103)
"""Seeds on which settings and learning rates are chosen; the tables of results do not include these seeds."""


@dataclass(frozen=True)
class Setting:
    """Setting of one experiment. The defaults are the usual values in papers and libraries."""

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
    """Factor by which the added rows are multiplied, for `integer` and every other method that acts in `encode`."""
    table_rows: int = 64
    """Number of rows in the table of the `learned` method: four times the trained length.

    Some rows are never trained, and some positions in the tests have no row.
    """
    n_bits: int = 7
    """Number of bits in the `binary` method: enough for the longest sequence."""
    max_distance: int = 16
    """Distance at which shaw clips."""
    buckets: int = 32
    """Rows in t5's bias_table."""
    own_buckets: int = 32
    """Number of separate values in t5's bias_table; the buckets after them share the last value."""
    slope: float = 0.5
    """Slope of the `alibi` method: the slope of the first of eight heads."""
    start_below: int = 0
    """Upper bound for the positions of a training text, for sinusoidal and learned.

    Each text starts at a random position and ends below the bound; if the bound is 0, each text starts at
    position 0.
    """
    drawn_below: int = 0
    """Bound below which a training text's positions are drawn, for sinusoidal and learned; 0 to draw none."""
    block: int = 0
    """Width of each block of features that rope rotates as a separate head; 0 for a single block."""
    rotated: int = 0
    """Number of leading features (the fastest pairs) that rope rotates; 0 for all."""
    log_n: int = 0
    """1 if each query's scores are multiplied by a factor in tests, else 0.

    At position p, the factor is ln(p + 1) / ln(trained_length), or 1 if that is larger.
    """

    def arguments(self, parameters: Parameters) -> Parameters:
        """Return the arguments of `encode` and `logits`: the trained values, and those chosen before training."""
        arguments = parameters | {"n_bits": self.n_bits, "slope": self.slope, "base": self.base}
        if "bias_table" in parameters:
            shared = np.minimum(np.arange(self.buckets), self.own_buckets - 1)
            arguments["bias_table"] = parameters["bias_table"][shared]
        return arguments

    def tables(self) -> dict[str, tuple[int, int]]:
        """Return the shape of each table that a method can train."""
        return {
            "table": (self.table_rows, self.width),
            "key_table": (2 * self.max_distance + 1, self.width),
            "bias_table": (min(self.own_buckets, self.buckets), 1),
        }


_TABLES_OF = {"learned": ("table",), "shaw": ("key_table",), "t5": ("bias_table",)}


def draw_parameters(method: str, setting: Setting, seed: int) -> Parameters:
    """Draw the initial values of all trained parameters.

    The parameters that all methods share are drawn first, so for each seed they are the same for all methods.
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


# The effect of a method, read from the results of its functions.


def read(implementation: ModuleType, method: str, setting: Setting) -> Reading:
    """Work out the effect of a method from the results of its functions.

    Raise ValueError if the effect does not reproduce the results of `logits` and `encode`.
    """
    length, d = setting.trained_length, setting.width
    zeros = np.zeros((length, d))
    blank = {name: np.zeros(shape) for name, shape in setting.tables().items()}

    def scores(q: np.ndarray, k: np.ndarray, **tables: np.ndarray) -> np.ndarray:
        return np.asarray(implementation.logits(method, q, k, setting.arguments(blank | tables)), dtype=np.float64)

    def row_read(name: str, q: np.ndarray) -> np.ndarray:
        """Return the row of the table that was read for each score.

        Row r of the table begins with r and is 0 elsewhere, so the score shows which row was read.
        """
        numbered = blank[name] + 0
        numbered[:, 0] = np.arange(len(numbered))
        row_numbers = scores(q, zeros, **{name: numbered})
        return np.rint(np.where(np.isfinite(row_numbers), row_numbers, 0)).astype(np.int64).clip(0, len(numbered) - 1)

    first = np.tile(np.eye(1, d), (length, 1))  # 1 in the first feature: finds the first feature of a row
    pairs = np.tile(np.tile([1.0, 0.0], d // 2), (length, 1))  # 1 + 0i in every pair: rotating it gives the rotation
    rotations = None
    if method == "rope":
        # A key at position 0 is not rotated. With a 1 only in feature a, it picks out feature a of every rotated query.
        rotated = [scores(pairs, np.tile(feature, (length, 1)))[:, 0] * np.sqrt(d) for feature in np.eye(d)]
        rotations = np.stack(rotated, axis=1).view(np.complex128).astype(np.complex64)
    reading = Reading(
        added=added(implementation, method, setting, length),
        constant=scores(zeros, zeros).astype(np.float32),
        rotations=rotations,
        rows=row_read("key_table", first * np.sqrt(d)) if method == "shaw" else None,
        buckets=row_read("bias_table", zeros) if method == "t5" else None,
    )
    _check(reading, implementation, method, setting)
    return reading


def added(implementation: ModuleType, method: str, setting: Setting, length: int) -> np.ndarray:
    """Return the rows that encode adds to embeddings of this length, apart from the learned table."""
    if method == "learned":
        return np.zeros((length, setting.width), np.float32)
    zeros = np.zeros((length, setting.width))
    return np.asarray(setting.scale * implementation.encode(method, zeros, setting.arguments({})), dtype=np.float32)


def _check(reading: Reading, implementation: ModuleType, method: str, setting: Setting) -> None:
    """Check, on one sequence with random parameters, that the model used in training matches the tested model."""
    parameters = draw_parameters(method, setting, seed=0)
    sequence = np.random.default_rng(0).integers(setting.vocabulary, size=setting.trained_length)
    single = stacked([parameters])
    rows = embedded(single, reading, sequence[np.newaxis, np.newaxis])
    queries, keys, _ = projected(single, rows, n_answers=len(sequence))
    scores = attention_scores(single, reading, queries, keys)
    h, q, k, expected_scores = (array[0, 0] for array in (rows, queries, keys, scores))

    for name, expected, actual in (
        ("encode", h, encoded(implementation, method, parameters, setting, sequence)),
        ("logits", expected_scores, implementation.logits(method, q, k, setting.arguments(parameters))),
    ):
        if np.shape(actual) != expected.shape or not np.allclose(actual, expected, atol=1e-4):
            raise ValueError(
                f"{name}({method!r}, …) is not of the form that its definition gives it: do its tests pass?"
            )


def encoded(
    implementation: ModuleType, method: str, parameters: Parameters, setting: Setting, sequence: np.ndarray
) -> np.ndarray:
    """Return h as in `lab_model`, with the added rows multiplied by the setting's scale."""
    x = parameters["tokens"][sequence]
    h = implementation.encode(method, x, setting.arguments(parameters))
    return h if setting.scale == 1 else x + setting.scale * (h - x)


@dataclass(frozen=True)
class OtherPairs:
    """Implementation whose RoPE rotates different pairs of a wide head, built from calls to `encode` and `logits`."""

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


# Training.


def train(
    implementation: ModuleType,
    method: str,
    setting: Setting,
    seeds: Sequence[int] = SEEDS,
    watch: Callable[[], None] = lambda: None,
) -> tuple[list[Parameters], np.ndarray]:
    """Train one model per seed, and return the models with their losses, shape (steps, S).

    `watch` is called before each step. Each seed draws its own initial values and sequences, which do not
    depend on the other seeds in the same call.
    """
    parameters = stacked([draw_parameters(method, setting, seed) for seed in seeds])
    sources = [np.random.default_rng([seed, 1]) for seed in seeds]

    longest = max(setting.start_below, setting.drawn_below)
    if longest and method not in ("sinusoidal", "learned"):
        raise ValueError(f"random positions are for sinusoidal and learned; got {method}")
    starts = [np.random.default_rng([seed, 4]) for seed in seeds]  # a separate stream, so that the texts stay the same

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

    def reading_of_step(reading: Reading) -> Reading:
        if not longest:
            return reading
        return replace(
            reading, positions=np.array([[drawn_positions(rng) for _ in range(setting.batch)] for rng in starts])
        )

    reading = read(implementation, method, setting)
    if longest:
        reading = replace(reading, added=added(implementation, method, setting, longest))
    losses = descend(parameters, reading, draw, setting.steps, setting.learning_rate, reading_of_step)
    return [{name: value[index] for name, value in parameters.items()} for index in range(len(seeds))], losses


# Measuring: the definition of every number, through `encode` and `logits` and nothing else.


class Measurement(NamedTuple):
    """Result of one trained model at one length. The numbers are NaN if the method fails at this length."""

    accuracy: float
    """Share of the tested positions where the correct token has the highest score."""
    cross_entropy: float
    """Mean of −ln of the probability of the correct token; perplexity is e to the power of this mean."""
    weights: np.ndarray
    """Mean attention weight of the keys at distance 0, 1, 2, …."""


def answer(
    implementation: ModuleType, method: str, parameters: Parameters, setting: Setting, sequence: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return y as in `lab_model`, shape (T, vocabulary), and its attention weights, (T, T)."""
    h = encoded(implementation, method, parameters, setting, sequence)
    scores = implementation.logits(method, h @ parameters["w_q"], h @ parameters["w_k"], setting.arguments(parameters))
    if setting.log_n:
        keys = np.arange(1, len(scores) + 1)[:, np.newaxis]
        scores = scores * np.maximum(1, np.log(keys) / np.log(setting.trained_length))
    weights = softmax(scores)
    return weights @ (h @ parameters["w_v"]), weights


FEWER_BEYOND = 128
"""Length above which only a quarter of the sequences are tested, because long sequences need much memory."""


def evaluate(implementation: ModuleType, method: str, setting: Setting, model: Parameters, length: int) -> Measurement:
    """Test one model at one length, on the same sequences for every method and seed.

    The tested positions are the last ones in each sequence; there are as many as have an answer at the trained
    length. At a longer length, no training sequence reached any of these positions.
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
        np.stack(arrays) for arrays in zip(*((y[positions], weights[positions]) for y, weights in answers), strict=True)
    )
    right_tokens = sequences[:, positions - setting.back, np.newaxis]
    probabilities = np.take_along_axis(softmax(y), right_tokens, axis=-1)
    right = y.argmax(axis=-1, keepdims=True) == right_tokens
    rows = np.arange(len(positions))[:, np.newaxis]
    by_distance = weights[:, rows, positions[:, np.newaxis] - distances].mean(axis=(0, 1))
    return Measurement(right.mean(), -np.log(np.maximum(probabilities, 1e-30)).mean(), by_distance)
