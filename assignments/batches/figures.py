"""Pictures for lesson 13, drawn from the functions in a submission's `batches.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
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

LESSON = Lesson(13, 3.5, "1, 4, 5, 12", (1, 2, 3), "each text of a batch keeps its own positions")

PARAGRAPHS = (18, 94, 5, 46, 54, 103)
"""Word counts of the first paragraphs of lesson 1, from `paragraphs.csv`."""


def measurements() -> dict[str, Any]:
    """Return the measurements for the pictures that use none of the student's functions."""
    from assignments.batches import lab

    return {"packed_ways": lab.saved()}


@picture
def padding_share(batches: ModuleType, side: str = "left") -> Figure:
    """Draw the same texts twice: padded to equal lengths in one array, and packed into one row.

    The packed row is wrapped at the width of the array.
    """
    texts = [np.full(length, number + 1) for number, length in enumerate(PARAGRAPHS)]
    ids, mask = batches.pad(texts, side)
    row, _ = batches.pack(texts)
    mask, row = as_numbers(mask), as_numbers(row)
    width = mask.shape[-1]
    folded = np.zeros(-(-len(row) // width) * width)
    folded[: len(row)] = row
    figure, panels = make_panels(2, NARROW, 2.0, sharex=True)
    share = f"{100 * (1 - mask.mean()):.0f} % padding"
    _coloured_rows(panels[0], as_numbers(ids) * mask)
    _coloured_rows(panels[1], folded.reshape(-1, width))
    panels[0].set(title=f"padded: {share}", ylabel="text", yticks=range(len(mask)), xlabel="place in the row")
    panels[1].set(title="packed, and folded", yticks=[], xlabel="place")
    for axes in panels:
        axes.set(ylim=(len(mask) - 0.4, -0.6), xticks=(0, width - 1))
    return figure


def _coloured_rows(axes: Axes, numbers: np.ndarray) -> None:
    """Draw a bar for each run of equal numbers in each row, in grey if the number is 0."""
    for row, places in enumerate(numbers):
        cuts = [0, *(np.flatnonzero(np.diff(places)) + 1), len(places)]
        for begin, end in pairwise(cuts):
            number = int(places[begin])
            colour = FAINT if number == 0 else (BLUE if number % 2 else ORANGE)
            axes.barh(row, end - begin, left=begin - 0.5, height=0.8, color=colour, edgecolor="white", linewidth=0.6)


@picture
def document_masks(batches: ModuleType, first: int = 3, second: int = 1, third: int = 5) -> Figure:
    """Draw which keys each query can use in a packed row: with the causal mask, and with the document mask."""
    boundaries = np.cumsum([0, first, second, third])
    inside, positions = batches.document_mask(boundaries), as_numbers(batches.packed_positions(boundaries))
    length = int(boundaries[-1])
    figure, panels = make_panels(2, NARROW, 2.3, sharey=True)
    for axes, mask, title in zip(panels, (np.tri(length), inside), ("causal mask", "document mask"), strict=True):
        _squares(axes, as_numbers(mask).astype(bool))
        for boundary in boundaries[1:-1]:
            axes.axhline(boundary - 0.5, color=ORANGE, linestyle="--", linewidth=1.2)
            axes.axvline(boundary - 0.5, color=ORANGE, linestyle="--", linewidth=1.2)
        axes.set(title=title, xlabel="key, at position", xticks=range(length), yticks=range(length))
        axes.set_xticklabels([f"{position:g}" for position in positions])
    panels[0].set(ylabel="query, at position", yticklabels=[f"{position:g}" for position in positions])
    return figure


def _squares(axes: Axes, mask: np.ndarray) -> None:
    """Draw a filled square for each key that a query can use."""
    for row, column in zip(*np.nonzero(mask), strict=True):
        axes.fill_between((column - 0.45, column + 0.45), row - 0.45, row + 0.45, color=BLUE, linewidth=0)
    axes.set(xlim=(-0.5, mask.shape[1] - 0.5), ylim=(mask.shape[0] - 0.5, -0.5), aspect="equal")
    axes.tick_params(length=0)


@picture
def ring_filling(batches: ModuleType, slots: int = 4, tokens: int = 7) -> Figure:
    """Draw a ring cache token by token: the position in each slot, with the newest position in colour."""
    figure, axes = make_panels(1, NARROW, 2.5)
    for written in range(1, tokens + 1):
        held = as_numbers(batches.ring_positions(written, slots))
        for slot, position in enumerate(held):
            newest = position == written - 1
            axes.barh(
                written - 1, 0.92, left=slot - 0.46, height=0.86, color=BLUE if newest else "white", edgecolor=GREY
            )
            words, colour = ("empty", GREY) if position < 0 else (f"{position:g}", ON_COLOUR if newest else INK)
            axes.text(slot, written - 1, words, ha="center", va="center", color=colour, fontsize=8)
    axes.set(xlim=(-0.6, slots - 0.4), ylim=(tokens - 0.4, -0.6), xticks=range(slots), yticks=range(tokens))
    axes.set(title="position in each slot", xlabel="slot", ylabel="after token")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


@picture
def draft_tree(batches: ModuleType, parents: Sequence[int] = (-1, 0, 0, 1, 1, 2, 4)) -> Figure:
    """Draw a tree of drafts: each token at its position, with the tokens that it can attend to."""
    positions, mask = as_numbers(batches.tree_positions(parents)), as_numbers(batches.tree_mask(parents)).astype(bool)
    figure, (tree, square) = make_panels(2, NARROW, 2.4, gridspec_kw={"width_ratios": (1, 1.1)})
    for row, above in enumerate(parents):
        if above >= 0:
            tree.plot((positions[above], positions[row]), (above, row), color=GREY, linestyle="-", linewidth=1)
    for token, position in enumerate(positions):
        tree.plot(position, token, "o", color=BLUE, markersize=13)
        tree.text(position, token, str(token), ha="center", va="center", color=ON_COLOUR, fontsize=8)
    last = len(parents) - 1
    tree.set(title="tokens 0 to " + str(last), xlabel="position", ylim=(last + 0.5, -0.5), yticks=[])
    tree.set(xlim=(-0.5, positions.max() + 0.5), xticks=range(int(positions.max()) + 1))
    _squares(square, mask)
    square.set(title="mask", xlabel="key", ylabel="query", xticks=range(last + 1), yticks=range(last + 1))
    return figure


@picture
def packed_training(packed_ways: Iterable[Any]) -> Figure:
    """Draw the accuracy on single texts after each of four ways of training, with a point per seed."""
    rows = [row for row in packed_ways if row.test == "alone"]
    tasks, methods = (list(dict.fromkeys(getattr(row, name) for row in rows)) for name in ("task", "method"))
    ways = list(dict.fromkeys(row.way for row in rows))
    figure, panels = make_panels(len(tasks), 7.4, 2.5, sharey=True)
    for axes, task in zip(panels, tasks, strict=True):
        for shift, method, colour, marker in zip((-0.16, 0.16), methods, (BLUE, ORANGE), "os", strict=True):
            for place, way in enumerate(ways):
                found = [row.accuracy for row in rows if (row.task, row.method, row.way) == (task, method, way)]
                axes.plot(
                    np.linspace(place + shift - 0.1, place + shift + 0.1, len(found)),
                    found,
                    marker,
                    color=colour,
                    markersize=3.5,
                    linestyle="-" if method == methods[0] else "--",
                    linewidth=0.8,
                    alpha=0.8,
                    label={"rope": "RoPE", "learned": "learned table"}[method] if place == 0 else None,
                )
        axes.set(title=task, xlabel="trained with", ylim=(-0.03, 1.08), yticks=(0, 0.5, 1), xticks=range(len(ways)))
        axes.set_xticklabels([way.replace(", ", ",\n") for way in ways])
    panels[0].set_ylabel("accuracy, text alone")
    panels[-1].legend(loc="lower left")
    return figure
