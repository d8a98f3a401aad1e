"""Break one thing, and see what the model writes: an experiment a lesson, each one option of the command.

Each experiment says what it compares in a line, then the texts side by side. It runs with your functions where they
are written; what lessons show was written with the given ones, by `python -m assignments.writer.lessons`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assignments.writer.model import HERE, TRAINED_LENGTH, Cache, Model, halves, powers

PROMPT = "The score of a query and a key "
SHOWN = 80
"""Characters that each way writes."""


@dataclass(frozen=True)
class Way:
    """One way to do it, and what came out."""

    title: str
    text: str


Experiment = Callable[[Model], Iterator[Way]]
EXPERIMENTS: dict[str, Experiment] = {}


def experiment(function: Experiment) -> Experiment:
    """List a function as an experiment, under its name with dashes."""
    EXPERIMENTS[function.__name__.replace("_", "-")] = function
    return function


def written(model: Model, prompt: str = PROMPT, n: int = SHOWN) -> str:
    """A prompt and what a model writes after it, as one line."""
    return (prompt + "".join(model.write(prompt, n))).replace("\n", " / ")


@experiment
def other_layout(model: Model) -> Iterator[Way]:
    """Rotate the pairs (i, i + 16) of a model that was trained with the pairs (2i, 2i + 1)."""
    rotate, order = model.parts.rotate, halves()
    wrong = model.with_parts(
        rotate=lambda x, positions: rotate(x[..., np.argsort(order)], positions)[..., order], decode_step=None
    )
    yield Way("the layout of the training", written(model))
    yield Way("the other layout", written(wrong))


class Forgetful(Model):
    """Rotates every token that it writes as if it stood at position 0."""

    def read(self, ids: list[int], cache: Cache | None = None, *_: Any) -> tuple[np.ndarray, Cache]:
        """As `Model.read`, but for the positions of new tokens."""
        return super().read(ids, cache, np.zeros(1, int) if cache else None)


@experiment
def forgotten_position(model: Model) -> Iterator[Way]:
    """Give decode_step the position 0 for each new token."""
    yield Way("with its position", written(model))
    yield Way("position 0 for all", written(Forgetful(model.parts)))


class Orderless(Model):
    """Rotates nothing, and lets every token of a prompt use all others: no position is left anywhere."""

    def read(self, ids: list[int], cache: Cache | None = None, *_: Any) -> tuple[np.ndarray, Cache]:
        """As `Model.read`, and every new token uses all there are."""
        return super().read(ids, cache, seen=lambda row: slice(None))


@experiment
def shuffled(model: Model) -> Iterator[Way]:
    """Shuffle the characters of the prompt, all but the last: with positions, and without any."""
    order = np.random.default_rng(1).permutation(len(PROMPT) - 1)
    other = "".join(PROMPT[i] for i in order) + PROMPT[-1]
    blind = Orderless(model.with_parts(rotate=lambda x, positions: x, decode_step=None).parts)
    for name, one in (("with positions", model), ("without positions", blind)):
        yield Way(name, written(one))
        yield Way(f"{name}, shuffled", written(one, other))


# Four times the trained length --------------------------------------------------------------------------------------


def _rerope(q: np.ndarray, k: np.ndarray, v: np.ndarray, window: int = TRAINED_LENGTH // 2) -> np.ndarray:
    """Attention of one query in which no distance counts for more than `window`; q and k come as they are."""
    turns, far = powers("trained", 2048), max(k.shape[1] - window, 0)
    near = (k[:, far:, None] @ turns[window - k.shape[1] + far : window])[:, :, 0]
    scores = np.concatenate(
        [k[:, :far] @ (q @ turns[window]).swapaxes(1, 2), near @ (q @ turns[window - 1]).swapaxes(1, 2)], axis=1
    )
    shares = np.exp(scores / np.sqrt(q.shape[-1]))
    return ((shares * v).sum(axis=1) / shares.sum(axis=1))[:, None]


def readers(model: Model) -> dict[str, Model]:
    """Ways to read four times the trained length. All but the first use the given rotations."""

    def turned(kind: str, scale: float) -> Model:
        def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
            return scale * (x[:, :, None] @ powers(kind, 2048)[np.asarray(positions)])[:, :, 0]

        return model.with_parts(rotate=rotate, in_halves=False, decode_step=None)

    return {
        "as trained": model,
        "interpolation": turned("interpolated", 1.0),
        "YaRN": turned("yarn", 0.1 * np.log(4) + 1),  # its larger scores: §3.3 of the paper
        "ReRoPE": model.with_parts(rotate=lambda x, _: x, attention=_rerope, in_halves=False, decode_step=None),
    }


def held_out() -> str:
    """The text that the model was not trained on: every tenth paragraph."""
    return "".join((HERE / "text.txt").read_text("utf-8").splitlines(keepends=True)[::10])


def losses_by_position(model: Model, texts: int, length: int = 4 * TRAINED_LENGTH) -> np.ndarray:
    """The mean loss at each position of texts that the model was not trained on, (length,)."""
    text = held_out()
    return np.mean([model.losses(text[i * length : (i + 1) * length + 1]) for i in range(texts)], axis=0)


@experiment
def longer(model: Model) -> Iterator[Way]:
    """Read four times the trained length: the loss per character in each quarter, the mean of four texts."""
    for name, reader in readers(model).items():
        quarters = losses_by_position(reader, 4).reshape(4, -1).mean(axis=1)
        yield Way(name, "  ".join(f"{loss:.2f}" for loss in quarters))


# Less than the whole text -------------------------------------------------------------------------------------------


class Rolling(Model):
    """Keeps the first `sinks` tokens and the last `window` in its cache, and counts positions inside the cache."""

    sinks, window = 0, 64

    def read(self, ids: list[int], cache: Cache | None = None, *_: Any) -> tuple[np.ndarray, Cache]:
        """As `Model.read`; the oldest token that is no sink goes, and the keys after it move back by one."""
        logits, cache = super().read(ids, cache)
        back = powers("trained", 2)[1].T
        while cache[0][0].shape[1] > self.sinks + self.window:
            cache = [
                (
                    np.concatenate([keys[:, : self.sinks], keys[:, self.sinks + 1 :] @ back], axis=1),
                    np.delete(values, self.sinks, axis=1),
                )
                for keys, values in cache
            ]
        return logits, cache


def rolling(model: Model, sinks: int, window: int) -> Rolling:
    """The model with a cache of that size."""
    small = Rolling(model.with_parts(rotate=Model().parts.rotate, in_halves=False, decode_step=None).parts)
    small.sinks, small.window = sinks, window
    return small


def stepwise_loss(model: Model, text: str) -> float:
    """The mean loss of a text that is read one token at a time, through the cache."""
    ids, cache, losses = model.encode(text), None, []
    for token, following in itertools.pairwise(ids):
        logits, cache = model.read([token], cache)
        losses.append(np.logaddexp.reduce(logits[-1]) - logits[-1, following])
    return float(np.mean(losses))


@experiment
def dropped(model: Model) -> Iterator[Way]:
    """Keep 64 tokens of the text in the cache, with and without its first four: the loss per character."""
    text = held_out()[: 2 * TRAINED_LENGTH + 1]
    for name, sinks, window in (
        ("the whole text", 0, len(text)),
        ("the last 64", 0, 64),
        ("the first 4, the last 60", 4, 60),
    ):
        yield Way(name, f"{stepwise_loss(rolling(model, sinks, window), text):.2f}")


class Padded(Model):
    """Puts `padding` spaces before the prompt, and hides them or not; new tokens stand where `late` says."""

    padding, hides, late = 12, True, False

    def read(self, ids: list[int], cache: Cache | None = None, *_: Any) -> tuple[np.ndarray, Cache]:
        """As `Model.read`, on a row that is padded on the left."""
        if cache is None:
            ids = [*self.encode(" " * self.padding), *ids]
        before = cache[0][0].shape[1] if cache else 0
        positions = before + np.arange(len(ids))
        if self.late and not cache:
            positions = np.maximum(positions - self.padding, 0)  # right for the prompt, and forgotten afterwards

        def seen(row: int) -> slice:
            last = before + row
            return slice(self.padding if self.hides and last >= self.padding else 0, last + 1)

        return super().read(ids, cache, positions, seen)


def padded(model: Model, hides: bool, late: bool) -> Padded:
    """The model behind a row with padding on the left."""
    row = Padded(model.with_parts(decode_step=None).parts)
    row.hides, row.late = hides, late
    return row


@experiment
def padded_left(model: Model) -> Iterator[Way]:
    """Put twelve spaces of padding before the prompt, as in a batch with a longer text."""
    yield Way("alone", written(model))
    yield Way("masked, all positions 12 too large", written(padded(model, hides=True, late=False)))
    yield Way("not masked, all positions 12 too large", written(padded(model, hides=False, late=False)))
    yield Way(
        "masked, prompt at 0, 1, 2 …, but each new token 12 too large",
        written(padded(model, hides=True, late=True)),
    )
