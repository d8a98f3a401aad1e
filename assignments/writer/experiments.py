"""Experiments for the lessons, each a command-line option: break one part, and see what the model writes.

Each experiment states in one line what it compares, then shows the texts one below the other. The experiments run
with the functions that you have written. `python -m assignments.writer.update_lessons` updates the texts in the
lessons, using the provided functions.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from assignments.writer.llama import (
    HERE,
    MAX_LENGTH,
    TRAINED_LENGTH,
    Cache,
    Model,
    VisibleTokens,
    halves,
    powers,
)

PROMPT = "The score of a query and a key "
N_CHARACTERS = 80
"""Number of characters that each variant writes."""


@dataclass(frozen=True)
class Variant:
    """Variant that an experiment compares with others, and its result."""

    title: str
    text: str


Experiment = Callable[[Model], Iterator[Variant]]
EXPERIMENTS: dict[str, Experiment] = {}


def experiment(function: Experiment) -> Experiment:
    """Register a function as an experiment, under its name with dashes."""
    EXPERIMENTS[function.__name__.replace("_", "-")] = function
    return function


def continuation(model: Model, prompt: str = PROMPT) -> str:
    """Return, as one line, a prompt and the text that a model writes after the prompt."""
    return (prompt + "".join(model.write(prompt, N_CHARACTERS))).replace("\n", " / ")


@experiment
def other_layout(model: Model) -> Iterator[Variant]:
    """Rotate the pairs (i, i + 16) of a model that was trained with the pairs (2i, 2i + 1)."""
    rotate, order = model.parts.rotate, halves()
    wrong = model.with_parts(
        rotate=lambda x, positions: rotate(x[..., np.argsort(order)], positions)[..., order], decode_step=None
    )
    yield Variant("the layout of the training", continuation(model))
    yield Variant("the other layout", continuation(wrong))


class Forgetful(Model):
    """A model that rotates every new token as if the token were at position 0."""

    def positions(self, cached: int, new: int) -> np.ndarray:
        """Return the positions of the prompt's tokens, and 0 for each token after the prompt."""
        return np.zeros(new, int) if cached else super().positions(cached, new)


@experiment
def forgotten_position(model: Model) -> Iterator[Variant]:
    """Pass position 0 to decode_step for each new token."""
    yield Variant("with its position", continuation(model))
    yield Variant("position 0 for all", continuation(Forgetful(model.parts)))


class Orderless(Model):
    """A model in which each token can attend to all tokens. Without rotation, such a model has no positions at all."""

    def visible_tokens(self, cached: int) -> VisibleTokens:
        """Return all tokens: there is no causal mask."""
        return lambda row: slice(None)


@experiment
def shuffled(model: Model) -> Iterator[Variant]:
    """Shuffle the characters of the prompt except the last, with and without positions."""
    order = np.random.default_rng(1).permutation(len(PROMPT) - 1)
    shuffled_prompt = "".join(PROMPT[i] for i in order) + PROMPT[-1]
    orderless = Orderless(model.with_parts(rotate=lambda x, positions: x, decode_step=None).parts)
    for name, reader in (("with positions", model), ("without positions", orderless)):
        yield Variant(name, continuation(reader))
        yield Variant(f"{name}, shuffled", continuation(reader, shuffled_prompt))


# Four times the trained length ------------------------------------------------------------------------------


def _rerope(q: np.ndarray, k: np.ndarray, v: np.ndarray, window: int = TRAINED_LENGTH // 2) -> np.ndarray:
    """Return the attention of one unrotated query; distances above `window` count as `window`."""
    rotations, n_far = powers("trained", MAX_LENGTH), max(k.shape[1] - window, 0)
    near = (k[:, n_far:, None] @ rotations[window - k.shape[1] + n_far : window])[:, :, 0]
    scores = np.concatenate(
        [
            k[:, :n_far] @ (q @ rotations[window]).swapaxes(1, 2),
            near @ (q @ rotations[window - 1]).swapaxes(1, 2),
        ],
        axis=1,
    )
    shares = np.exp(scores / np.sqrt(q.shape[-1]))
    return ((shares * v).sum(axis=1) / shares.sum(axis=1))[:, None]


def readers(model: Model) -> dict[str, Model]:
    """Return the models that read four times the trained length; only the first can use your rotation."""

    def with_rotation(kind: str, scale: float) -> Model:
        def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
            return scale * (x[:, :, None] @ powers(kind, MAX_LENGTH)[np.asarray(positions)])[:, :, 0]

        return model.with_parts(rotate=rotate, half_layout=False, decode_step=None)

    return {
        "as trained": model,
        "interpolation": with_rotation("interpolated", 1.0),
        "YaRN": with_rotation("yarn", 0.1 * np.log(4) + 1),  # §3.3 of the paper makes the scores larger
        "ReRoPE": model.with_parts(
            rotate=lambda x, _: x,
            attention=_rerope,  # for one query at a time, so without a mask
            causal_mask=None,
            half_layout=False,
            decode_step=None,
        ),
    }


def held_out() -> str:
    """Return the text that the model was not trained on: every tenth paragraph."""
    return "".join((HERE / "text.txt").read_text("utf-8").splitlines(keepends=True)[::10])


def losses_by_position(model: Model, texts: int, length: int = 4 * TRAINED_LENGTH) -> np.ndarray:
    """Return the mean loss at each position of held-out texts, (length,)."""
    text = held_out()
    return np.mean([model.losses(text[i * length : (i + 1) * length + 1]) for i in range(texts)], axis=0)


@experiment
def longer(model: Model) -> Iterator[Variant]:
    """Read four times the trained length: the loss per character in each quarter, as the mean of four texts."""
    for name, reader in readers(model).items():
        quarters = losses_by_position(reader, 4).reshape(4, -1).mean(axis=1)
        yield Variant(name, "  ".join(f"{loss:.2f}" for loss in quarters))


# Less than the whole text --------------------------------------------------------------------------------


class Rolling(Model):
    """A model whose cache keeps the first `sinks` and the last `window` tokens; positions are counted in the cache."""

    sinks, window = 0, 64

    def read(self, ids: list[int], cache: Cache | None = None) -> tuple[np.ndarray, Cache]:
        """Read as `Model.read` does, then drop the oldest token after the sinks and move later keys back."""
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
    """Return the model with a cache that keeps the first `sinks` tokens and the last `window` tokens."""
    provided = Model().parts.rotate
    reader = Rolling(model.with_parts(rotate=provided, half_layout=False, decode_step=None).parts)
    reader.sinks, reader.window = sinks, window
    return reader


def stepwise_loss(model: Model, text: str) -> float:
    """Return the mean loss on a text that a model reads one token at a time, through the cache."""
    ids, cache, losses = model.encode(text), None, []
    for token, following in itertools.pairwise(ids):
        logits, cache = model.read([token], cache)
        losses.append(np.logaddexp.reduce(logits[-1]) - logits[-1, following])
    return float(np.mean(losses))


@experiment
def dropped(model: Model) -> Iterator[Variant]:
    """Keep 64 tokens of the text in the cache, with and without its first four, and compare the loss per character."""
    text = held_out()[: 2 * TRAINED_LENGTH + 1]
    for name, sinks, window in (
        ("the whole text", 0, len(text)),
        ("the last 64", 0, 64),
        ("the first 4, the last 60", 4, 60),
    ):
        yield Variant(name, f"{stepwise_loss(rolling(model, sinks, window), text):.2f}")


class Padded(Model):
    """A model that puts `padding` spaces before the prompt, with or without a mask that hides these spaces.

    If `late`, the prompt has the positions 0, 1, 2, …, but each new token's position is too large by
    `padding`.
    """

    padding, hides, late = 12, True, False

    def read(self, ids: list[int], cache: Cache | None = None) -> tuple[np.ndarray, Cache]:
        """Read as `Model.read` does, with the padding before a prompt."""
        padding = [] if cache else self.encode(" " * self.padding)
        return super().read([*padding, *ids], cache)

    def positions(self, cached: int, new: int) -> np.ndarray:
        """Return the positions, counted with the padding; if `late`, the prompt's positions are counted without it."""
        positions = super().positions(cached, new)
        return np.maximum(positions - self.padding, 0) if self.late and not cached else positions

    def visible_tokens(self, cached: int) -> VisibleTokens:
        """Return the tokens up to each new token, without the padding if the padding is hidden."""

        def unpadded(row: int) -> slice:
            last = cached + row
            return slice(self.padding if self.hides and last >= self.padding else 0, last + 1)

        return unpadded


def padded(model: Model, hides: bool, late: bool) -> Padded:
    """Return the model that pads its prompt on the left."""
    reader = Padded(model.with_parts(decode_step=None).parts)
    reader.hides, reader.late = hides, late
    return reader


@experiment
def padded_left(model: Model) -> Iterator[Variant]:
    """Put twelve spaces of padding before the prompt, as in a batch with a longer text."""
    yield Variant("alone", continuation(model))
    for title, hides, late in (
        ("masked, all positions 12 too large", True, False),
        ("not masked, all positions 12 too large", False, False),
        ("masked, prompt at 0, 1, 2 …, but each new token 12 too large", True, True),
    ):
        yield Variant(title, continuation(padded(model, hides, late)))


# Your own model -----------------------------------------------------------------------------------------


class Greedy(Model):
    """A model that always writes the most likely character."""

    def draw(self, logits: np.ndarray, rng: np.random.Generator) -> int:
        """Return the symbol with the largest logit."""
        return int(np.argmax(logits))


@experiment
def whole_model(model: Model) -> Iterator[Variant]:
    """Write with the whole model in your model.py instead, always choosing the most likely character."""
    lab, yours = map(importlib.import_module, ("assignments.model.lab", "assignments.model.model"))
    yield Variant("the course's model", continuation(Greedy(model.parts)))
    yield Variant("your model.py", (PROMPT + lab.write(yours, PROMPT, N_CHARACTERS)).replace("\n", " / "))
