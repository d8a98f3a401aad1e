"""Pictures for lesson 14, drawn from the functions in a submission's `model.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assignments.figures import (
    BLUE,
    FAINT,
    GREY,
    INK,
    NARROW,
    ON_COLOUR,
    ORANGE,
    Lesson,
    as_numbers,
    make_panels,
    picture,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(14, 4, "1, 5", (2,), "attention with RoPE becomes a whole model")

UNIFORM = np.log(84)
"""Loss of a random guess among the characters of the course's model."""
LLAMA_3_8B = {"embedding": 2 * 128256 * 4096, "attention": 32 * 2 * 4096 * (4096 + 1024)}
LLAMA_3_8B["feed-forward"] = 32 * 3 * 4096 * 14336
"""Number of weights in each kind of part; the embedding's number includes the head, which is not tied."""


def measurements() -> dict[str, Any]:
    """Return the measurements for the pictures that show no function of the student."""
    from assignments.model import lab

    return {"model_changes": lab.saved(), "writer_sizes": lab.saved_sizes()}


def drawn_layer(d: int, heads: int, key_heads: int, head_dim: int, f: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return a layer with random weights; each part of the layer returns rows about as large as its input rows."""
    rng, width, narrow = np.random.default_rng(seed), heads * head_dim, key_heads * head_dim
    shapes = {"w_q": (d, width), "w_k": (d, narrow), "w_v": (d, narrow), "w_o": (width, d)}
    shapes |= {"w_gate": (d, f), "w_up": (d, f), "w_down": (f, d)}
    layer = {name: rng.normal(0, shape[0] ** -0.5, shape) for name, shape in shapes.items()}
    return layer | {"w_down": 2 * layer["w_down"], "norm_1": np.ones(d), "norm_2": np.ones(d)}


def size(rows: Any) -> float:
    """Return the root mean square of all the rows."""
    return float(np.sqrt((as_numbers(rows) ** 2).mean()))


@picture
def shared_heads(model: ModuleType, heads: int = 6, key_heads: int = 2) -> Figure:
    """Draw which key head each query head uses: with repeat_heads, and with np.tile."""
    numbers = np.arange(float(key_heads))[:, np.newaxis, np.newaxis]
    n_rep = heads // key_heads
    copies = as_numbers(model.repeat_heads(numbers, n_rep))[:, 0, 0]
    figure, panels = make_panels(2, NARROW, 1.9, sharey=True)
    for axes, used, title in zip(panels, (copies, np.tile(numbers[:, 0, 0], n_rep)), ("repeat", "tile"), strict=True):
        middles = (np.arange(key_heads) + 0.5) * heads / key_heads - 0.5
        for head, key_head in enumerate(used):
            place = int(key_head)
            colour, style = ((BLUE, "-"), (ORANGE, "--"))[place % 2]
            axes.plot((head, middles[place]), (1, 0), color=colour, linestyle=style, linewidth=1.4, zorder=0)
            _circle(axes, head, 1, str(head), colour)
        for key_head, middle in enumerate(middles):
            _circle(axes, middle, 0, str(key_head), (BLUE, ORANGE)[key_head % 2])
        axes.set(title=title, xlim=(-0.7, heads - 0.3), ylim=(-0.45, 1.4), xticks=[], xlabel="heads")
        axes.set_yticks((0, 1), ("key", "query"))
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    return figure


def _circle(axes: Axes, x: float, y: float, words: str, colour: str) -> None:
    axes.plot(x, y, "o", color=colour, markersize=14)
    axes.text(x, y, words, ha="center", va="center", color=ON_COLOUR, fontsize=8)


@picture
def cache_by_key_heads(model: ModuleType, heads: int = 32) -> Figure:
    """Draw how many numbers per token the cache holds, for each number of key heads.

    Each bar is a percentage of the cache with as many key heads as query heads.
    """
    choices, counts = [count for count in (1, 2, 4, 8, 16, 32) if heads % count == 0], []
    for key_heads in choices:
        layer = drawn_layer(4, heads, key_heads, 2, 4)
        _, pair = model.grouped_query_attention(
            np.ones((1, 4)), layer, np.arange(1), np.ones(1), np.ones((1, 1), dtype=bool)
        )
        counts.append(sum(np.size(one) for one in pair))
    shares = 100 * np.array(counts) / counts[-1]
    figure, axes = make_panels(1, NARROW, 2.2)
    for place, (key_heads, share) in enumerate(zip(choices, shares, strict=True)):
        axes.bar(place, share, color=BLUE if key_heads == 8 else GREY)
        axes.text(place, share + 2, f"{share:.3g} %", ha="center", fontsize=8)
    axes.set(xlabel="key heads", ylabel="cache, % of 32 key heads", ylim=(0, 118), xticks=range(len(choices)))
    axes.set_xticklabels(map(str, choices))
    return figure


@picture
def block_map(model: ModuleType, scale: float = 1.5) -> Figure:
    """Draw a block: the residual stream, the parts that read from it and add to it, and the size of its rows."""
    length, layer = 12, drawn_layer(32, 4, 2, 8, 48)
    x = scale * np.random.default_rng(1).normal(size=(length, 32))
    at = np.arange(length), 10.0 ** -np.arange(4), np.tri(length, dtype=bool)
    normed = model.rms_norm(x, layer["norm_1"])
    attended, _ = model.grouped_query_attention(normed, layer, *at)
    middle = as_numbers(x) + as_numbers(attended)
    normed_again = model.rms_norm(middle, layer["norm_2"])
    fed = model.swiglu(normed_again, layer["w_gate"], layer["w_up"], layer["w_down"])
    out, _ = model.block(x, layer, *at)
    figure, axes = make_panels(1, NARROW, 3.6)
    axes.annotate("", (0, 9.6), (0, -0.6), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 2.4})
    steps = ((0.6, normed, "attention", attended), (5.2, normed_again, "feed-forward", fed))
    for place, normal, name, added in steps:
        _branch(axes, place, size(normal), name, size(added))
    for place, rows in ((-0.2, x), (4.4, middle), (9.0, out)):
        axes.text(-0.12, place, f"{size(rows):.2f}", ha="right", va="center", fontsize=9)
    axes.text(-0.12, -1.1, "x", ha="right", va="center")
    axes.set(xlim=(-0.5, 2.2), ylim=(9.9, -1.5), xticks=[], yticks=[], title="size of the rows in a block")
    axes.set_xlabel("residual stream (left), and the parts")
    axes.spines[:].set_visible(False)
    return figure


def _branch(axes: Axes, place: float, normal: float, name: str, added: float) -> None:
    """Draw a part beside the stream: a norm, the part, and an arrow back to the stream."""
    arrow = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0}
    for row, words, colour in ((place, "norm", ORANGE), (place + 1.6, name, BLUE)):
        axes.fill_between((0.6, 1.7), row - 0.45, row + 0.45, color=colour, linewidth=0)
        axes.text(1.15, row, words, ha="center", va="center", color=ON_COLOUR, fontsize=8)
    axes.annotate("", (0.6, place), (0, place), arrowprops=arrow)
    axes.annotate("", (1.15, place + 1.15), (1.15, place + 0.45), arrowprops=arrow)
    axes.text(1.25, place + 0.8, f"{normal:.2f}", va="center", fontsize=9)
    axes.plot((1.15, 1.15), (place + 2.05, place + 2.9), color=GREY, linestyle="-", linewidth=1)
    axes.annotate("", (0.06, place + 2.9), (1.15, place + 2.9), arrowprops=arrow)
    axes.text(1.25, place + 2.6, f"+ {added:.2f}", va="center", fontsize=9)


@picture
def row_sizes(model: ModuleType, layers: int = 24) -> Figure:
    """Draw the size of the rows after each layer, with a norm on each part's input or on each sum."""
    length, before = 12, np.random.default_rng(1).normal(size=(12, 32))
    at = np.arange(length), 10.0 ** -np.arange(4), np.tri(length, dtype=bool)
    after, sizes = before, [(size(before), size(before))]
    for number in range(layers):
        layer = drawn_layer(32, 4, 2, 8, 48, number)
        before, _ = model.block(before, layer, *at)
        attended, _ = model.grouped_query_attention(after, layer, *at)
        after = as_numbers(model.rms_norm(after + as_numbers(attended), layer["norm_1"]))
        fed = model.swiglu(after, layer["w_gate"], layer["w_up"], layer["w_down"])
        after = as_numbers(model.rms_norm(after + as_numbers(fed), layer["norm_2"]))
        sizes.append((size(before), size(after)))
    figure, axes = make_panels(1, NARROW, 2.3)
    curves = np.array(sizes).T
    axes.plot(curves[0], color=BLUE, linestyle="-", label="norm of a copy")
    axes.plot(curves[1], color=ORANGE, linestyle="--", label="norm after the sum")
    axes.set(xlabel="layer", ylabel="size of the rows", xlim=(0, layers))
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")
    return figure


@picture
def changes(model_changes: Iterable[Any]) -> Figure:
    """Draw the loss with one part changed, with a bar per change, and the loss of a random guess."""
    rows = sorted(model_changes, key=lambda row: row.loss)
    figure, axes = make_panels(1, NARROW, 4.6)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    for place, row in enumerate(rows):
        right = row.change == "as it is"
        axes.barh(place, row.loss, color=ORANGE if right else BLUE, height=0.74)
        axes.text(row.loss + 0.12, place, f"{row.loss:.2f}", va="center", fontsize=8, bbox=paper)
    axes.axvline(UNIFORM, color=INK, linestyle=":", linewidth=1, zorder=0)
    axes.text(UNIFORM + 0.1, -0.9, "guess", ha="left", va="center", fontsize=8)
    axes.set(xlabel="loss, nats per letter", ylim=(len(rows) - 0.4, -1.4), xlim=(0, 10.9))
    axes.set_yticks(range(len(rows)), [row.change for row in rows], fontsize=8)
    axes.tick_params(axis="y", length=0)
    return figure


@picture
def parameters(writer_sizes: Mapping[str, int]) -> Figure:
    """Draw what shares of the weights of two models belong to each kind of part."""
    figure, axes = make_panels(1, NARROW, 1.9)
    colours = {"embedding": FAINT, "attention": ORANGE, "feed-forward": BLUE}
    for row, counts in enumerate((writer_sizes, LLAMA_3_8B)):
        left = 0.0
        for kind, colour in colours.items():
            share = 100 * counts[kind] / sum(counts.values())
            axes.barh(row, share, left=left, height=0.7, color=colour, label=kind if row == 0 else None)
            words = {"ha": "center", "va": "center", "color": INK if colour == FAINT else ON_COLOUR, "fontsize": 8}
            if share > 3:
                axes.text(left + share / 2, row, f"{share:.0f}", **words)
            left += share
    figure.legend(loc="outside upper center", ncols=3, fontsize=8, handlelength=1.2)
    axes.set(xlabel="% of all numbers", xlim=(0, 100), ylim=(1.5, -0.5))
    axes.set_yticks((0, 1), ("this\ncourse", "Llama 3\n8B"))
    axes.spines[["left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure
