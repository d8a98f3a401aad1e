"""Pictures for lesson 7, drawn from the functions in a submission's `alibi.py`."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from matplotlib.figure import Figure

from assignments.figures import (
    BLUE,
    GREY,
    LINES,
    NARROW,
    ON_COLOUR,
    ORANGE,
    Lesson,
    as_numbers,
    heatmap,
    note,
    picture,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(7, 1.5, "1, 6", (3,), "the score loses a slope times the distance")


def _fraction(value: float) -> str:
    """Format the inverse of a whole number n as 1/n, and any other number as a decimal."""
    return f"1/{1 / value:.0f}" if value > 0 and abs(1 / value - round(1 / value)) < 1e-9 else f"{value:.3g}"


@picture
def alibi_heads(alibi: ModuleType, n_heads: int = 4, length: int = 16) -> Figure:
    """Draw a straight line per head: steep slopes let a head use only near keys, and gentle slopes also far keys."""
    slopes = as_numbers(alibi.alibi_slopes(n_heads))
    bias = as_numbers(alibi.alibi_bias(n_heads, length, length))
    shown = np.unique(np.linspace(0, n_heads - 1, min(4, n_heads)).round().astype(int))
    figure = Figure(figsize=(8.8, 5.2), layout="constrained")
    grid = figure.add_gridspec(2, len(shown), height_ratios=(1, 1.15))
    heads = [figure.add_subplot(grid[0, place]) for place in range(len(shown))]
    for head, axes in zip(shown, heads, strict=True):
        causal = np.where(np.tri(length, dtype=bool), bias[head], np.nan)
        image = heatmap(axes, causal, -4, 4)
        axes.set(title=f"head {head}, slope {_fraction(slopes[head])}", xlabel="position of the key", aspect="equal")
        axes.set(xticks=[0, length - 1], yticks=[0, length - 1])
    heads[0].set_ylabel("position of the query")
    shade_bar(figure, image, heads, "bias (full colour: −4 or less)").ax.set_ylim(-4, 0)
    axes = figure.add_subplot(grid[1, :])
    distances = np.arange(1, 2001)
    for place, head in enumerate(shown):
        colour, style = LINES[place]
        axes.plot(distances, np.exp(-slopes[head] * distances), color=colour, linestyle=style, label=f"head {head}")
        window = alibi.effective_window(slopes[head], 0.01)
        axes.plot(min(window, distances[-1]), 0.01, "o", color=colour, markersize=5)
        note(axes, f"{window:,}", (min(window, distances[-1]), 0.01), (0, 6), ha="center", color=colour)
    axes.set(xscale="log", ylim=(-0.02, 1.05), xlim=(1, distances[-1]))
    axes.set(xlabel="distance between query and key, in positions", ylabel="weight is multiplied by")
    axes.set_title("how the bias alone lowers a weight; dot: the first distance at which 1/100 or less is left")
    axes.legend(loc="upper right")
    return figure


@picture
def slopes_in_the_gaps(alibi: ModuleType, counts: Sequence[int] = (3, 6, 12)) -> Figure:
    """Draw the slopes when the number of heads is not a power of two.

    All slopes in the picture are among the slopes for 2p heads, where p is the power of two below the number of heads.
    """
    figure = Figure(figsize=(NARROW, 2.2), layout="constrained")
    axes = figure.subplots()
    for row, n_heads in enumerate(counts):
        power = 1 << n_heads.bit_length() >> 1
        steepness = np.log2(as_numbers(alibi.alibi_slopes(2 * power)))
        axes.plot(-steepness, [row] * len(steepness), "o", markersize=11, markerfacecolor="none", markeredgecolor=GREY)
        for head, slope in enumerate(np.log2(as_numbers(alibi.alibi_slopes(n_heads)))):
            marker, colour = ("o", BLUE) if head < power else ("s", ORANGE)
            axes.plot(-slope, row, marker, markersize=11, color=colour)
            axes.text(-slope, row, head, ha="center", va="center_baseline", fontsize=7, color=ON_COLOUR)
    axes.set(xlabel="steep ← slope → gentle", xticks=[], ylim=(len(counts) - 0.5, -0.5))
    axes.set(yticks=range(len(counts)), yticklabels=[f"{n_heads} heads" for n_heads in counts])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure
