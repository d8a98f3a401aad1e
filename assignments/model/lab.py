"""Experiment that changes one part of a model at a time, and measures how much worse the model gets.

The model is this course's writer (`assignments/writer`): a small Llama with four layers, four query heads and
two key heads. The model reads eight windows of 256 letters that were held out from training, once unchanged,
and once for each changed part. The lab measures the model's loss, in nats per letter, and the largest change
in a logit.

`make experiment` runs the lab on your `model.py`. A change replaces some weights, the frequencies, the mask,
or one of your functions. A different function has an effect only if your other functions call the function
that it replaces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder

from assignments import experiments  # noqa: E402
from assignments.writer.safetensors_reader import read_safetensors  # noqa: E402

WRITER = HERE.parent / "writer"
WINDOWS, LENGTH = 8, 256
BASE, OTHER_BASE = 10000.0, 500000.0
AS_IT_IS = "as it is"

Model = dict[str, Any]
"""A model, or one layer of a model, in the form that the lesson describes."""
Rows = Callable[[np.ndarray], np.ndarray]


class Measurement(NamedTuple):
    """Result of the model with one part changed."""

    change: str
    loss: float
    """Loss in nats per letter."""
    largest: float
    """Largest change in a logit."""


# The model and its text.


def frequencies(head_dim: int, base: float = BASE) -> np.ndarray:
    """Return lesson 5's frequencies: the first is 1, and each further frequency is lower by a fixed factor."""
    return np.asarray(np.geomspace(1, base, head_dim // 2, endpoint=False) ** -1)


def symbols() -> str:
    """Return the characters of the course's model, in the order of their ids."""
    with np.load(WRITER / "recorded.npz") as recorded:
        return str(recorded["symbols"])


def writer_model(implementation: ModuleType, reorder: Callable[[np.ndarray, int], np.ndarray] | None = None) -> Model:
    """Return the course's model, with its queries and keys in the half layout.

    The model was trained with pairs (2i, 2i+1), so `reorder` (by default, your to_half_layout) reorders the
    columns of queries and keys for the half layout.
    """
    tensors = read_safetensors(WRITER / "weights.safetensors")
    reorder = reorder or implementation.to_half_layout
    model: Model = implementation.from_checkpoint(
        {name: tensor.astype(np.float64) for name, tensor in tensors.items()}, frequencies(32)
    )
    for layer in model["layers"]:
        for name in ("w_q", "w_k"):
            layer[name] = reorder(layer[name], layer[name].shape[1] // 32)
    return model


def write(implementation: ModuleType, prompt: str, count: int, model: Model | None = None) -> str:
    """Return the text that the course's model writes after a prompt, using your functions.

    If another model of the same form is passed, that model writes the text instead. The next letter is always
    the most likely letter.
    """
    letters = symbols()
    tokens = [letters.index(letter) for letter in prompt]
    chosen = implementation.generate(tokens, model or writer_model(implementation), count)
    return "".join(letters[token] for token in chosen)


def held_out() -> np.ndarray:
    """Return the windows of held-out text (every tenth paragraph) as ids: (WINDOWS, LENGTH)."""
    numbers = {symbol: number for number, symbol in enumerate(symbols())}
    text = "".join((WRITER / "text.txt").read_text("utf-8").splitlines(keepends=True)[::10])
    ids = [numbers[character] for character in text[: WINDOWS * LENGTH]]
    return np.array(ids).reshape(WINDOWS, LENGTH)


def sizes(implementation: ModuleType) -> dict[str, int]:
    """Return how many numbers each kind of part of the course's model has."""
    model = writer_model(implementation)
    kinds = {"attention": ("w_q", "w_k", "w_v", "w_o"), "feed-forward": ("w_gate", "w_up", "w_down")}
    counted = {kind: sum(layer[name].size for layer in model["layers"] for name in kinds[kind]) for kind in kinds}
    return {"embedding": model["embedding"].size, **counted}


# Each change takes the functions and the model, changes one of them, and returns the model and arguments for `forward`.

Change = Callable[[ModuleType, Model], tuple[Model, dict[str, np.ndarray]]]


def _of_layers(change: Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]) -> Change:
    """Return a change to the weights in every layer."""
    return lambda functions, model: (model | {"layers": [layer | change(layer) for layer in model["layers"]]}, {})


def _of_model(**entries: Callable[[Model], Any]) -> Change:
    """Return a change to entries of the model."""
    return lambda functions, model: (model | {name: entry(model) for name, entry in entries.items()}, {})


def _of_forward(**arguments: Callable[[], np.ndarray]) -> Change:
    """Return a change to arguments of `forward`."""
    return lambda functions, model: (model, {name: argument() for name, argument in arguments.items()})


def _of_layout(reorder: Callable[[ModuleType], Callable[[np.ndarray, int], np.ndarray]]) -> Change:
    """Return a change to the order of the columns of queries and keys."""
    return lambda functions, model: (writer_model(functions, reorder(functions)), {})


def _of_function(name: str, changed: Callable[[ModuleType, Model], Callable[..., Any]]) -> Change:
    """Return a change to one of your functions; `changed` returns the new function, which may call yours."""

    def change(functions: ModuleType, model: Model) -> tuple[Model, dict[str, np.ndarray]]:
        setattr(functions, name, changed(functions, model))
        return model, {}

    return change


def _eps_outside(functions: ModuleType, model: Model) -> Callable[..., np.ndarray]:
    right = functions.rms_norm

    def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float = 1e-5) -> np.ndarray:
        size = np.linalg.norm(x, axis=-1, keepdims=True) / np.sqrt(np.shape(x)[-1])
        return np.asarray(right(x, weight, 0.0) * size / (size + eps))

    return rms_norm


def _no_final_norm(functions: ModuleType, model: Model) -> Callable[..., np.ndarray]:
    right = functions.rms_norm

    def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float = 1e-5) -> np.ndarray:
        return x if np.array_equal(weight, model["norm"]) else right(x, weight, eps)

    return rms_norm


def _rotated_values(functions: ModuleType, model: Model) -> Callable[..., Any]:
    """Return an attention function that rotates the values before it repeats their heads."""
    right, repeat = functions.grouped_query_attention, functions.repeat_heads

    def attention(x: Any, layer: Model, positions: Any, frequencies: Any, mask: Any, cache: Any = None) -> Any:
        values = np.sort(np.ravel(x @ layer["w_v"]))

        def repeat_heads(heads: np.ndarray, n_rep: int) -> np.ndarray:
            if np.allclose(np.sort(np.ravel(heads)), values):
                heads = functions.apply_rope_half_with(heads, positions, frequencies)
            return np.asarray(repeat(heads, n_rep))

        functions.repeat_heads = repeat_heads  # type: ignore[attr-defined]
        return right(x, layer, positions, frequencies, mask, cache)

    return attention


def _gated(
    combine: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Callable[[ModuleType, Model], Callable[..., np.ndarray]]:
    """Return a swiglu function that combines x w_gate and x w_up in a different way."""
    return lambda functions, model: lambda x, w_gate, w_up, w_down: combine(x @ w_gate, x @ w_up) @ w_down


class Parts(NamedTuple):
    """Parts of one layer, made from your functions; each part maps rows (..., T, d) to rows of the same shape."""

    norm_1: Rows
    attention: Rows
    norm_2: Rows
    feed_forward: Rows


def _block(assemble: Callable[[Parts, np.ndarray], np.ndarray]) -> Callable[[ModuleType, Model], Callable[..., Any]]:
    """Return a block that is assembled differently."""

    def changed(functions: ModuleType, model: Model) -> Callable[..., Any]:
        right = functions.block

        def block(
            x: Any, layer: Model, positions: Any, frequencies: Any, mask: Any, cache: Any = None, eps: float = 1e-5
        ) -> Any:
            at = layer, positions, frequencies, mask, cache
            parts = Parts(
                lambda rows: functions.rms_norm(rows, layer["norm_1"], eps),
                lambda rows: functions.grouped_query_attention(rows, *at)[0],
                lambda rows: functions.rms_norm(rows, layer["norm_2"], eps),
                lambda rows: functions.swiglu(rows, layer["w_gate"], layer["w_up"], layer["w_down"]),
            )
            return assemble(parts, x), right(x, *at, eps)[1]

        return block

    return changed


def _parallel(parts: Parts, x: np.ndarray) -> np.ndarray:
    return x + parts.attention(parts.norm_1(x)) + parts.feed_forward(parts.norm_2(x))


def _norms_added_to(parts: Parts, x: np.ndarray) -> np.ndarray:
    x = parts.norm_1(x)
    x = parts.norm_2(x + parts.attention(x))
    return x + parts.feed_forward(x)


def _norms_after(parts: Parts, x: np.ndarray) -> np.ndarray:
    x = parts.norm_1(x + parts.attention(x))
    return parts.norm_2(x + parts.feed_forward(x))


def _no_residual(parts: Parts, x: np.ndarray) -> np.ndarray:
    return parts.feed_forward(parts.norm_2(parts.attention(parts.norm_1(x))))


CHANGES: dict[str, Change] = {
    AS_IT_IS: lambda functions, model: (model, {}),
    "positions from 1": _of_forward(positions=lambda: 1 + np.arange(LENGTH)),
    "eps outside the root": _of_function("rms_norm", _eps_outside),
    "eps 1e-3": _of_model(eps=lambda model: 1e-3),
    "ReLU for silu": _of_function("swiglu", _gated(lambda gate, up: np.maximum(gate, 0) * up)),
    "silu on up": _of_layers(lambda layer: {"w_gate": layer["w_up"], "w_up": layer["w_gate"]}),
    "silu of the product": _of_function("swiglu", _gated(lambda gate, up: gate * up / (1 + np.exp(-gate * up)))),
    "base 500,000": _of_model(frequencies=lambda model: frequencies(32, OTHER_BASE)),
    "scale missing": _of_layers(lambda layer: {"w_q": layer["w_q"] * np.sqrt(32)}),
    "no norm at all": _of_function("rms_norm", lambda functions, model: lambda x, weight, eps=0.0: x),
    "no final norm": _of_function("rms_norm", _no_final_norm),
    "tile for repeat": _of_function(
        "repeat_heads", lambda functions, model: lambda x, n_rep: np.concatenate([x] * n_rep, axis=-3)
    ),
    "parallel parts": _of_function("block", _block(_parallel)),
    "norm's output added": _of_function("block", _block(_norms_added_to)),
    "no mask": _of_forward(mask=lambda: np.ones((LENGTH, LENGTH), dtype=bool)),
    "values rotated": _of_function("grouped_query_attention", _rotated_values),
    "columns not reordered": _of_layout(lambda functions: lambda w, n_heads: w),
    "reordered as one head": _of_layout(lambda functions: lambda w, n_heads: functions.to_half_layout(w, 1)),
    "nothing rotated": _of_model(frequencies=lambda model: 0 * model["frequencies"]),
    "no residual": _of_function("block", _block(_no_residual)),
    "norm after the sum": _of_function("block", _block(_norms_after)),
}
UNSHIFTED = "loss not shifted"


# Measuring.


def measure(path: Path, change: str) -> Measurement:
    """Return the loss and the largest change in a logit, with one part changed."""
    right, functions, tokens = experiments.load(path), experiments.load(path), held_out()
    before, _ = right.forward(tokens, writer_model(right))
    if change == UNSHIFTED:  # each token is the target one position later, and the logits are the same
        late = np.concatenate([tokens[:, :1], tokens], axis=1)
        logits = np.concatenate([before, before[:, -1:]], axis=1)
        return Measurement(change, float(right.next_token_loss(logits, late)), 0.0)
    model, arguments = CHANGES[change](functions, writer_model(functions))
    logits, _ = functions.forward(tokens, model, **arguments)
    return Measurement(change, float(right.next_token_loss(logits, tokens)), float(np.abs(logits - before).max()))


def jobs(full: bool) -> list[tuple[str]]:
    """Return the changes, one per job."""
    return [(change,) for change in (*CHANGES, UNSHIFTED)]


def job(path: Path, change: str) -> Measurement:
    """Measure one change."""
    return measure(path, change)


# The files.


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    return [Measurement(row["change"], float(row["loss"]), float(row["largest"])) for row in experiments.rows_of(path)]


def saved_sizes(path: Path = HERE / "sizes.csv") -> dict[str, int]:
    """Return how many numbers each kind of part of the course's model has, from the saved file."""
    return {row["part"]: int(row["numbers"]) for row in experiments.rows_of(path)}


def table(measured: Sequence[Measurement]) -> str:
    """Return the measurements as Markdown, with the smallest loss first."""
    lines = [
        [row.change, experiments.number(row.loss, 3), experiments.number(row.largest, 3)]
        for row in sorted(measured, key=lambda row: row.loss)
    ]
    return experiments.markdown(["change", "loss", "largest change of a logit"], lines) + "\n"


def keep(path: Path, full: bool, results: Sequence[Measurement]) -> str:
    """Write the new measurements and their table, and return the table."""
    rows = [(row.change, f"{row.loss:.4f}", f"{row.largest:.4f}") for row in results]
    experiments.write_rows(HERE / "measured.csv", Measurement._fields, rows)
    counted = sizes(experiments.load(path))
    experiments.write_rows(HERE / "sizes.csv", ("part", "numbers"), [*counted.items()])
    text = table(saved(HERE / "measured.csv"))
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    experiments.run([sys.modules[__name__]], experiments.requests_full(sys.argv[1:]))
