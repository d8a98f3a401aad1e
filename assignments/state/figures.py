"""Pictures for lesson 12, drawn from the functions in a submission's `state.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    GREY,
    LINES,
    NARROW,
    ORANGE,
    Lesson,
    as_numbers,
    heatmap,
    make_panels,
    picture,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(12, 3, "1, 5, 7", (3,), "each token says how much of the past stays")


@picture
def decay_matrices(state: ModuleType, length: int = 10, slope: float = 0.2, shut: int = 6, gate: float = 0) -> Figure:
    """Draw the share of each key that remains at each query.

    The gates in one panel are ALiBi's constant gates; in the other panel, one gate is closed.
    """
    constant = as_numbers(state.constant_decay(length, slope))
    own = np.where(np.arange(length) == shut, np.log(gate), constant)
    figure, panels = make_panels(2, NARROW, 2.2, sharey=True)
    for axes, log_f, title in zip(
        panels, (constant, own), (f"ALiBi, slope {slope:g}", f"gate of token {shut}: {gate:g}"), strict=True
    ):
        heatmap(axes, state.decay_matrix(log_f), 0, 1)
        axes.set(title=title, xlabel="key", aspect="equal", xticks=range(0, length, 3), yticks=range(0, length, 3))
    before = Rectangle(
        (-0.5, shut - 0.5), shut, length - shut, fill=False, edgecolor=ORANGE, linestyle="--", linewidth=1.6
    )
    panels[1].add_patch(before)
    panels[0].set_ylabel("query")
    return figure


@picture
def chunk_paths(state: ModuleType, length: int = 9, chunk: int = 3, slope: float = 0.08) -> Figure:
    """Draw how much each key contributes to each query's result, and by which path.

    Without chunks, all keys take the same path; with chunks, a key contributes inside its chunk or through
    the state.
    """
    # These values separate the keys, so the outputs show how much each key counts.
    ones, own = np.ones((length, 1)), np.eye(length)
    log_f = state.constant_decay(length, slope)
    at_once = state.linear_attention(ones, ones, own, log_f)
    by_chunks, _ = state.linear_chunks(ones, ones, own, log_f, chunk)
    blocks = [slice(first, first + chunk) for first in range(0, length, chunk)]
    inside = np.concatenate(
        [as_numbers(state.linear_chunks(ones[at], ones[at], own[at], log_f[at], chunk)[0]) for at in blocks]
    )
    figure, panels = make_panels(2, NARROW, 2.2, sharey=True)
    for axes, counted, title in zip(
        panels, (at_once, 2 * inside - by_chunks), ("all at once", f"chunks of {chunk}"), strict=True
    ):
        heatmap(axes, counted, -1, 1)
        axes.set(
            title=title, xlabel="key", aspect="equal", xticks=range(0, length, chunk), yticks=range(0, length, chunk)
        )
    panels[0].set_ylabel("query")
    # The gate of a chunk's first token is between its queries and the keys before it.
    if chunk < length:
        panels[1].plot(chunk - 1, chunk, "o", markersize=9, markerfacecolor="none", markeredgecolor="black")
    return figure


@picture
def two_writes(state: ModuleType, second: float = 6, beta: float = 1) -> Figure:
    """Draw the values that the first key reads after each token, in the lesson's worked example.

    The values are either added, or written by the delta rule.
    """
    keys, values, gates = ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0)), (4.0, 2.0, second), (1.0, 0.5, 1.0)
    added = mended = np.zeros((2, 1))
    reads = []
    for key, value, gate in zip(keys, values, gates, strict=True):
        out, added = state.linear_step(added, keys[0], key, [value], np.log(gate))
        mended = state.delta_step(mended, key, [value], beta, np.log(gate))
        reads.append((as_numbers(out)[0], as_numbers(mended)[0, 0]))
    figure, axes = make_panels(1, NARROW, 2.5)
    names = ("sum", f"delta rule, β = {beta:g}")
    for place, (name, colour, hatch) in enumerate(zip(names, (GREY, BLUE), ("", "//"), strict=True)):
        tall = [read[place] for read in reads]
        bars = axes.bar(
            np.arange(3) + 0.42 * place - 0.21, tall, 0.38, color=colour, hatch=hatch, edgecolor="white", label=name
        )
        axes.bar_label(bars, [f"{number:g}" for number in tall], padding=2)
    axes.axhline(second, color=ORANGE, linestyle="--", linewidth=1.2)
    labels = [
        f"token {token}:\n{value:g} under {key}" for token, (value, key) in enumerate(zip(values, "ABA", strict=True))
    ]
    axes.set(
        title="what key A reads after each token",
        ylim=(0, 1.45 * max(max(map(max, reads)), second)),
        xlabel="gates: 1, ½, 1",
    )
    axes.set(xticks=range(3), xticklabels=labels, yticks=[])
    axes.legend(loc="upper left", ncols=2)
    return figure


@picture
def cache_against_state(state: ModuleType, n_heads: int = 16, d_k: int = 64, d_v: int = 128) -> Figure:
    """Draw how many numbers a layer keeps as a text grows: a cache grows with the text, but a state does not."""
    lengths = 2 ** np.arange(15)
    kept = np.array([state.cache_and_state(int(length), n_heads, d_k, d_v) for length in lengths])
    figure, axes = make_panels(1, NARROW, 2.6)
    for numbers, name, (colour, style) in zip(kept.T, ("cache", "state"), LINES, strict=False):
        axes.plot(lengths, numbers, color=colour, linestyle=style, label=name)
    axes.set(xscale="log", yscale="log", xlabel="tokens so far", ylabel="numbers in one layer")
    axes.set_title(f"{n_heads} heads, d_k = {d_k}, d_v = {d_v}")
    axes.legend(loc="upper left")
    return figure
