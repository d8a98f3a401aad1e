"""A small language model in numpy that reads and writes with your own functions.

The model is a small Llama: four layers, each with causal attention (four query heads of width 32, two key heads,
RoPE) and a gated feed-forward part, on rows of 128 numbers. A token is one character. train.py trained the model on
text.txt, the sentences of this course. `Parts` holds the functions that this course asks for: your own if you have
written them, otherwise provided ones.

The provided functions are not solutions, because they work differently from the functions that the lessons ask for.
Attention takes one query at a time, so it needs neither a weight matrix nor a mask. A position is a power of one
recorded matrix, so no frequency is computed. The next character is drawn without a softmax.

Shapes: T new tokens, t tokens in the cache, h heads, dh = head_dim, d = h·dh.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assignments.writer.safetensors_reader import read_safetensors

HERE = Path(__file__).parent
HEADS, HEAD_DIM = 4, 32
TRAINED_LENGTH = 256
MAX_LENGTH = 2048
"""Number of positions that the provided rotation covers."""

Cache = list[tuple[np.ndarray, np.ndarray]]
"""Keys (rotated) and values of each layer, both (h, t, dh)."""

VisibleTokens = Callable[[int], slice]
"""Function that returns, for each new token, which of the t + T tokens it can attend to."""


# The provided functions --------------------------------------------------------------------------------


def one_query(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the attention, (h, 1, dh), of one query (h, 1, dh) to all keys k and values v (h, t, dh).

    The function sums e^score · value and e^score over the keys, and divides the first sum by the second at
    the end. The scores of this model stay below 100, so e^score fits into float64.
    """
    shares = np.exp(k @ q.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
    return ((shares * v).sum(axis=1) / shares.sum(axis=1))[:, None]


@functools.cache
def powers(kind: str, length: int) -> np.ndarray:
    """Return the matrices for positions 0 … length − 1, (length, dh, dh): powers of a recorded matrix.

    `kind` is "trained" or, for four times the trained length, "interpolated" (a quarter of the step) or
    "yarn".
    """
    step, matrices = _recorded()[kind], [np.eye(HEAD_DIM)]
    while len(matrices) < length:
        matrices.append(matrices[-1] @ step)
    return np.array(matrices)


def halves() -> np.ndarray:
    """Return the recorded order of a head's features in the half layout: (dh,) integers."""
    return _recorded()["halves"]


def rotate_by_powers(x: np.ndarray, positions: np.ndarray, kind: str = "trained") -> np.ndarray:
    """Return the rows of x (h, T, dh), each multiplied by the matrix of its position."""
    return np.einsum("htd,tde->hte", x, powers(kind, MAX_LENGTH)[np.asarray(positions)])


# The model --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The functions that a model is assembled from, with the course's signatures."""

    attention: Callable[..., np.ndarray] = one_query
    causal_mask: Callable[[int], np.ndarray] | None = None
    """causal mask; without one, the model reads the rows one at a time, so there are no later rows"""
    rotate: Callable[..., np.ndarray] = rotate_by_powers
    half_layout: bool = False
    """True if `rotate` rotates pairs (i, i + dh/2), for which the model reorders the queries and keys"""
    softmax: Callable[[np.ndarray], np.ndarray] | None = None
    decode_step: Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None
    sources: dict[str, str] = field(default_factory=dict)
    """"yours" and the file for each function of the course, or the reason why the model uses the provided function"""


@functools.cache
def _recorded() -> dict[str, np.ndarray]:
    with np.load(HERE / "recorded.npz") as file:
        return dict(file)


@functools.cache
def _checkpoint() -> dict[str, np.ndarray]:
    tensors = read_safetensors(HERE / "weights.safetensors")
    return {name: tensor.astype(float) for name, tensor in tensors.items()}


def measured() -> list[list[str]]:
    """Return the rows of train.py's measurements: each a model, and its loss on held-out text in nats per character."""
    return [line.split(",") for line in (HERE / "measured.csv").read_text("utf-8").splitlines()[1:]]


def normalize(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return RMSNorm of x (Zhang and Sennrich 2019): each row scaled to length √d, times a learned gain.

    With the second argument of `hypot`, the divisor of a row of zeros is not 0.
    """
    size = x.shape[-1]
    lengths = np.hypot(np.linalg.norm(x, axis=-1, keepdims=True), np.sqrt(size * 1e-5))
    return np.sqrt(size) * gain * x / lengths


class Model:
    """The trained model, assembled from the provided parts or from yours."""

    def __init__(self, parts: Parts | None = None) -> None:
        self.parts = parts or Parts()
        self.symbols = str(_recorded()["symbols"])
        self.weights = dict(_checkpoint())
        self.n_layers = sum(name.endswith("q_proj.weight") for name in self.weights)
        for name, matrix in self.weights.items():
            if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
                self.weights[name] = self._per_head(matrix, self.parts.half_layout and "v_proj" not in name)

    @staticmethod
    def _per_head(matrix: np.ndarray, reorder: bool) -> np.ndarray:
        """Return a projection to all heads, (h·dh, d), from a projection that can have rows only for the key heads.

        The functions of lessons 1 and 5 expect as many key heads as query heads. Each query head therefore
        gets a copy of its key head.
        """
        heads = matrix.reshape(-1, HEAD_DIM, matrix.shape[-1])
        if reorder:
            heads = heads[:, halves()]
        return heads[np.arange(HEADS) * len(heads) // HEADS].reshape(HEADS * HEAD_DIM, -1)

    def encode(self, text: str) -> list[int]:
        """Return the characters' ids. A character that is not in text.txt gets the id of " "."""
        numbers = {symbol: i for i, symbol in enumerate(self.symbols)}
        return [numbers.get(character, numbers[" "]) for character in text]

    def empty_cache(self) -> Cache:
        """Return a cache without tokens."""
        empty = np.zeros((HEADS, 0, HEAD_DIM))
        return [(empty, empty)] * self.n_layers

    def positions(self, cached: int, new: int) -> np.ndarray:
        """Return the positions of the new tokens, (new,): the positions after the tokens in the cache."""
        return cached + np.arange(new)

    def visible_tokens(self, cached: int) -> VisibleTokens | None:
        """Return the tokens that each new token can attend to, or None for all tokens up to itself."""
        return None

    def read(self, ids: list[int], cache: Cache | None = None) -> tuple[np.ndarray, Cache]:
        """Read T tokens after the cached tokens; return the logits (T, symbols) and the new cache."""
        cache = cache or self.empty_cache()
        cached = cache[0][0].shape[1]
        positions, visible = self.positions(cached, len(ids)), self.visible_tokens(cached)
        decodes = self.parts.decode_step is not None and len(ids) == 1 and visible is None
        embedding = self.weights["model.embed_tokens.weight"]
        x = embedding[ids]
        for layer in range(self.n_layers):
            h = normalize(x, self._of(layer, "input_layernorm"))
            if decodes:
                attended, cache = self._decode(layer, h, cache, int(positions[0]))
            else:
                attended, cache = self._attend(layer, h, cache, positions, visible)
            x = x + attended @ self._of(layer, "self_attn.o_proj")
            h = normalize(x, self._of(layer, "post_attention_layernorm"))
            gate = h @ self._of(layer, "mlp.gate_proj")
            opened = gate / (1 + np.exp(-gate))  # the gates of this model stay above −100
            x = x + opened * (h @ self._of(layer, "mlp.up_proj")) @ self._of(layer, "mlp.down_proj")
        return normalize(x, self.weights["model.norm.weight"]) @ embedding.T, cache

    def _attend(
        self, layer: int, h: np.ndarray, cache: Cache, positions: np.ndarray, visible: VisibleTokens | None
    ) -> tuple[np.ndarray, Cache]:
        """Return the attention (T, d) of the new rows h (T, d) in one layer, and the new cache."""
        q, k, v = ((h @ w).reshape(len(h), HEADS, -1).swapaxes(0, 1) for w in self._projections(layer))
        q, k = self.parts.rotate(q, positions), self.parts.rotate(k, positions)
        k, v = np.concatenate([cache[layer][0], k], axis=1), np.concatenate([cache[layer][1], v], axis=1)
        cached, attention = k.shape[1] - len(h), self.parts.attention
        if visible is None and cached == 0 and self.parts.causal_mask is not None:
            out = attention(q, k, v, mask=self.parts.causal_mask(len(h)))
        else:
            rows = []
            for row in range(len(h)):
                keys = slice(cached + row + 1) if visible is None else visible(row)
                rows.append(attention(q[:, row : row + 1], k[:, keys], v[:, keys]))
            out = np.concatenate(rows, axis=1)
        return out.swapaxes(0, 1).reshape(len(h), -1), [*cache[:layer], (k, v), *cache[layer + 1 :]]

    def _decode(self, layer: int, h: np.ndarray, cache: Cache, position: int) -> tuple[np.ndarray, Cache]:
        """Return the attention of one new row and the new cache, computed by lesson 5's `decode_step`."""
        assert self.parts.decode_step is not None
        out, k, v = self.parts.decode_step(h, *self._projections(layer), HEADS, *cache[layer], position)
        return out, [*cache[:layer], (k, v), *cache[layer + 1 :]]

    def _projections(self, layer: int) -> list[np.ndarray]:
        """Return the projection matrices of queries, keys and values, each (d, h·dh)."""
        return [self._of(layer, f"self_attn.{letter}_proj") for letter in "qkv"]

    def _of(self, layer: int, name: str) -> np.ndarray:
        """Return the weights of one part of a layer, with matrices as (in, out)."""
        return self.weights[f"model.layers.{layer}.{name}.weight"].T

    def write(self, prompt: str, n: int, seed: int = 0) -> Iterator[str]:
        """Yield n characters after the prompt, one at a time; the model reads each character through the cache."""
        rng = np.random.default_rng(seed)
        logits, cache = self.read(self.encode(prompt))
        for _ in range(n):
            token = self.draw(logits[-1], rng)
            yield self.symbols[token]
            logits, cache = self.read([token], cache)

    def draw(self, logits: np.ndarray, rng: np.random.Generator) -> int:
        """Draw a symbol at temperature ½: likely symbols become even more likely."""
        shares = np.exp(2 * logits) if self.parts.softmax is None else self.parts.softmax(2 * logits)
        bounds = np.cumsum(shares)  # the shares need not sum to 1
        return int(np.searchsorted(bounds, rng.random() * bounds[-1]).clip(max=len(bounds) - 1))

    def losses(self, text: str) -> np.ndarray:
        """Return the loss in nats for each next character, (T − 1,): log Σ e^logits − the character's logit."""
        ids = self.encode(text)
        logits, _ = self.read(ids[:-1])
        return np.logaddexp.reduce(logits, axis=-1) - logits[np.arange(len(ids) - 1), ids[1:]]

    def with_parts(self, **parts: object) -> Model:
        """Return the same model with different parts."""
        return Model(replace(self.parts, **parts))  # type: ignore[arg-type]
