"""A small language model in numpy that reads and writes with your own functions.

It has the parts of Llama in small: four layers, each with causal attention (four heads of width 32, RoPE) and a
feed-forward part, on rows of 128 numbers. A token is one character. train.py trained it on text.txt, the sentences of
this course. The functions that this course asks for come from outside, as `Parts`: yours where you have written them,
given ones elsewhere.

The given ones are no solutions. They work another way than the functions that the lessons ask for: attention takes one
query at a time, so there is neither a matrix of weights nor a mask; a position is a power of one recorded matrix, and
no frequency is computed; the next character is drawn without a softmax.

Shapes: T new tokens, t tokens in the cache, h heads, dh = head_dim, d = h·dh.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
HEADS = 4
TRAINED_LENGTH = 256

Cache = list[tuple[np.ndarray, np.ndarray]]
"""Per layer: the rotated keys and the values so far, both (h, t, dh)."""


# The given functions ------------------------------------------------------------------------------------------------


def one_query(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Attention of one query (h, 1, dh) to all of k and v (h, t, dh) → (h, 1, dh).

    Add up e^score · value and e^score over the keys, and divide the sums at the end. The scores of this model stay
    below 100, so e^score is a number that float64 holds.
    """
    shares = np.exp(k @ q.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
    return ((shares * v).sum(axis=1) / shares.sum(axis=1))[:, None]


@functools.cache
def powers(kind: str, length: int) -> np.ndarray:
    """The matrices that stand for positions 0 … length − 1, (length, dh, dh): powers of a recorded one.

    `kind`: "trained", "interpolated" (a quarter of the step) or "yarn" (both for four times the trained length).
    """
    step, matrices = _recorded()[f"step_{kind}"], [np.eye(32)]
    while len(matrices) < length:
        matrices.append(matrices[-1] @ step)
    return np.array(matrices)


def halves() -> np.ndarray:
    """The features of a head in the other layout's order, recorded too: (dh,) integers."""
    return _recorded()["halves"].astype(int)


def rotated_by_powers(x: np.ndarray, positions: np.ndarray, kind: str = "trained") -> np.ndarray:
    """The rows of x (h, T, dh), each at its position: multiplied with a power of one matrix."""
    return np.einsum("htd,tde->hte", x, powers(kind, 2048)[np.asarray(positions)])


# The model ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The functions that a model is assembled from, with the signatures of the course."""

    attention: Callable[..., np.ndarray] = one_query
    causal_mask: Callable[[int], np.ndarray] | None = None
    """None: the rows are read one after the other, and each finds no later one"""
    rotate: Callable[..., np.ndarray] = rotated_by_powers
    in_halves: bool = False
    """whether `rotate` wants pairs (i, i + dh/2): the columns of w_q and w_k are then put in that order"""
    softmax: Callable[[np.ndarray], np.ndarray] | None = None
    decode_step: Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None
    whose: dict[str, str] = field(default_factory=dict)
    """function of the course → "yours", or why it is not"""


@functools.cache
def _recorded() -> dict[str, np.ndarray]:
    with np.load(HERE / "weights.npz") as file:
        return {name: file[name] if file[name].dtype.kind == "U" else file[name].astype(float) for name in file}


def measured() -> list[list[str]]:
    """What train.py measured on text that was held out: rows of a model and its loss in nats per character."""
    return [line.split(",") for line in (HERE / "measured.csv").read_text("utf-8").splitlines()[1:]]


def normalized(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """RMSNorm (Zhang and Sennrich 2019): each row divided by its root mean square, times a learned gain."""
    return gain * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)


class Model:
    """The trained model, assembled from the given parts or from yours."""

    def __init__(self, parts: Parts | None = None) -> None:
        self.parts = parts or Parts()
        self.weights = dict(_recorded())
        self.symbols = str(self.weights["symbols"])
        self.n_layers = sum(name.endswith(".w_q") for name in self.weights)
        if self.parts.in_halves:
            for name in [name for name in self.weights if name.endswith((".w_q", ".w_k"))]:
                per_head = self.weights[name].reshape(128, HEADS, 32)[..., halves()]
                self.weights[name] = per_head.reshape(128, 128)

    def encode(self, text: str) -> list[int]:
        """Characters → their numbers. A character that the model has never seen becomes a space."""
        number = {symbol: i for i, symbol in enumerate(self.symbols)}
        return [number.get(character, number[" "]) for character in text]

    def empty_cache(self) -> Cache:
        """No token yet."""
        return [(np.zeros((HEADS, 0, 32)), np.zeros((HEADS, 0, 32))) for _ in range(self.n_layers)]

    def read(
        self,
        ids: list[int],
        cache: Cache | None = None,
        positions: np.ndarray | None = None,
        seen: Callable[[int], Any] | None = None,
    ) -> tuple[np.ndarray, Cache]:
        """Read T tokens after those in the cache → the logits after each of them (T, symbols), and the new cache.

        `positions`, (T,): where they stand, if not after the cache. `seen`: which of the t + T tokens the new token
        `row` may use, as an index, if not all those up to itself.
        """
        cache = cache or self.empty_cache()
        before, new = cache[0][0].shape[1], len(ids)
        if positions is None:
            positions = before + np.arange(new)
        one_step = self.parts.decode_step is not None and new == 1 and seen is None
        x = self.weights["embedding"][ids]
        for layer in range(self.n_layers):
            h = normalized(x, self._of(layer, "norm_1"))
            if one_step:
                attended, cache = self._decode(layer, h, cache, int(positions[0]))
            else:
                attended, cache = self._attend(layer, h, cache, positions, seen)
            x = x + attended @ self._of(layer, "w_o")
            h = normalized(x, self._of(layer, "norm_2"))
            x = x + np.maximum(h @ self._of(layer, "w_up"), 0) @ self._of(layer, "w_down")
        return normalized(x, self.weights["norm"]) @ self.weights["embedding"].T, cache

    def _attend(
        self, layer: int, h: np.ndarray, cache: Cache, positions: np.ndarray, seen: Callable[[int], Any] | None
    ) -> tuple[np.ndarray, Cache]:
        """Attention of the new rows h (T, d) in one layer → (T, d), and the cache with them in it."""
        q, k, v = (
            (h @ self._of(layer, name)).reshape(len(h), HEADS, -1).swapaxes(0, 1) for name in ("w_q", "w_k", "w_v")
        )
        q, k = self.parts.rotate(q, positions), self.parts.rotate(k, positions)
        k, v = np.concatenate([cache[layer][0], k], axis=1), np.concatenate([cache[layer][1], v], axis=1)
        before, attention = k.shape[1] - len(h), self.parts.attention
        if seen is None and before == 0 and self.parts.causal_mask is not None:
            out = attention(q, k, v, mask=self.parts.causal_mask(len(h)))
        else:
            rows = []
            for row in range(len(h)):
                keys = slice(before + row + 1) if seen is None else seen(row)
                rows.append(attention(q[:, row : row + 1], k[:, keys], v[:, keys]))
            out = np.concatenate(rows, axis=1)
        return out.swapaxes(0, 1).reshape(len(h), -1), [*cache[:layer], (k, v), *cache[layer + 1 :]]

    def _decode(self, layer: int, h: np.ndarray, cache: Cache, position: int) -> tuple[np.ndarray, Cache]:
        """The same for one row, with `decode_step` of lesson 5."""
        assert self.parts.decode_step is not None
        w_q, w_k, w_v = (self._of(layer, name) for name in ("w_q", "w_k", "w_v"))
        out, k, v = self.parts.decode_step(h, w_q, w_k, w_v, HEADS, *cache[layer], position)
        return out, [*cache[:layer], (k, v), *cache[layer + 1 :]]

    def _of(self, layer: int, name: str) -> np.ndarray:
        return self.weights[f"layers.{layer}.{name}"]

    def write(self, prompt: str, n: int, seed: int = 0) -> Iterator[str]:
        """n more characters after the prompt, one at a time, each read again through the cache."""
        rng = np.random.default_rng(seed)
        logits, cache = self.read(self.encode(prompt))
        for _ in range(n):
            token = self.drawn(logits[-1], rng)
            yield self.symbols[token]
            logits, cache = self.read([token], cache)

    def drawn(self, logits: np.ndarray, rng: np.random.Generator) -> int:
        """One of the symbols, drawn at temperature ½: sharper than the model's own chances."""
        chances = np.exp(2 * logits) if self.parts.softmax is None else self.parts.softmax(2 * logits)
        bounds = np.cumsum(chances)  # chances that do not sum to 1 serve as well
        return int(np.searchsorted(bounds, rng.random() * bounds[-1]).clip(max=len(bounds) - 1))

    def losses(self, text: str) -> np.ndarray:
        """The loss of each next character of a text, (T − 1,), in nats: log Σ e^logits − the logit of what came."""
        ids = self.encode(text)
        logits, _ = self.read(ids[:-1])
        return np.logaddexp.reduce(logits, axis=-1) - logits[np.arange(len(ids) - 1), ids[1:]]

    def with_parts(self, **parts: object) -> Model:
        """The same model with other parts."""
        return Model(replace(self.parts, **parts))  # type: ignore[arg-type]
