"""Pictures for lesson 4, drawn from the functions in a submission's `learned.py`."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    GREY,
    INK,
    NARROW,
    ORANGE,
    Lesson,
    as_numbers,
    heatmap,
    picture,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(4, 1.5, "1, 3", (1,), "a learned row is added to the row of a token")


@picture
def table_lookup(learned: ModuleType, trained: int = 8, asked: int = 13, max_len: int = 12) -> Figure:
    """Draw three rows of a table: a trained row, an untrained row, and a row that does not exist."""
    d_model = 24
    table = np.asarray(learned.init_table(max_len, d_model, seed=0))
    # Something for the rows to learn: a smooth pattern, by plain gradient descent.
    expected = 0.1 * np.sin(np.outer(np.arange(max_len), np.ones(d_model)) / 2 + np.linspace(0, 6, d_model))
    positions = np.arange(min(trained, max_len))
    for _ in range(40):
        error = learned.lookup(table, positions) - expected[positions]
        table = np.asarray(learned.sgd_step(table, learned.lookup_gradient(table.shape, positions, error), 0.2))
    has_learned = np.asarray(learned.trained_rows(max_len, [min(trained, max_len)]))
    try:
        found = learned.lookup(table, asked)
    except IndexError:
        found = None

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.subplots()
    image = heatmap(axes, table, -0.1, 0.1)
    first, last = min(0, asked), max(max_len, asked + 1)
    missing = [*range(first, 0), *range(max_len, last)]
    frame = {"width": d_model, "height": 1, "facecolor": "none", "clip_on": False}
    for row in missing:
        axes.add_patch(Rectangle((-0.5, row - 0.5), **frame, edgecolor=GREY, linestyle=":", hatch="//", alpha=0.6))
    colours = {"trained": INK, "not trained: random": "#555555", "no such row": ORANGE}
    for row in range(first, last):
        word = "no such row" if row in missing else "trained" if has_learned[row] else "not trained: random"
        axes.text(d_model, row, word, va="center", fontsize=8, color=colours[word])
    axes.add_patch(Rectangle((-0.5, asked - 0.5), **frame, edgecolor=ORANGE, linewidth=2.2))
    verdict = "IndexError" if found is None else f"a row of size {np.linalg.norm(found):.2f}"
    axes.set(xlabel="feature", xticks=range(0, d_model, 4), xlim=(-0.6, d_model + 4.2))
    axes.set(ylabel="position", yticks=range(first, last), ylim=(last - 0.4, first - 0.6))
    axes.set_title(f"{max_len} rows, trained on sequences of {trained}: lookup at {asked} gives {verdict}")
    shade_bar(figure, image, axes, "value of a feature")
    return figure


@picture
def gradient_rows(learned: ModuleType, positions: Sequence[int] = (0, 2, 0)) -> Figure:
    """Draw how each lookup's gradient flows back to the row that it read, and how the gradients of a row are summed."""
    sent = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 5.0]])[: len(positions)]
    added = as_numbers(learned.lookup_gradient((3, 2), positions, sent))
    figure = Figure(figsize=(NARROW, 2.3), layout="constrained")
    axes = figure.subplots()
    for left, rows, names in (
        (0, sent, [f"lookup of {at}" for at in positions]),
        (3, added, ["row 0", "row 1", "row 2"]),
    ):
        for row, (values, name) in enumerate(zip(rows, names, strict=True)):
            axes.add_patch(Rectangle((left, row - 0.3), 1.1, 0.6, facecolor="white", edgecolor=INK))
            axes.text(left + 0.55, row, f"[{values[0]:g}, {values[1]:g}]", ha="center", va="center")
            beside = (-0.1, "right") if left == 0 else (1.2, "left")
            axes.text(left + beside[0], row, name, ha=beside[1], va="center")
    for row, at in enumerate(positions):
        arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": BLUE}
        axes.annotate("", (3, at), (1.1, row), arrowprops=arrow)
    axes.set(
        xlim=(-1.4, 5),
        ylim=(2.5, -0.5),
        xticks=[],
        yticks=[],
        xlabel="left: gradients of the lookups; right: of the table",
    )
    axes.spines[:].set_visible(False)
    return figure


@picture
def stretched_table(learned: ModuleType, rows: int = 5) -> Figure:
    """Draw one feature of three old rows and of the stretched table's rows, all at positions in the old table."""
    table = np.array([[1.0], [2.0], [3.0]])
    new = as_numbers(learned.resize_table(table, rows))[:, 0]
    figure = Figure(figsize=(NARROW, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(3), table[:, 0], "o-", color=GREY, markersize=13, alpha=0.6, label="3 old rows")
    axes.plot(np.linspace(0, 2, rows), new, "o", linestyle="none", color=BLUE, markersize=6, label=f"{rows} new rows")
    axes.set(
        xlabel="old position", ylabel="feature", xticks=range(3), yticks=(1, 2, 3), xlim=(-0.2, 2.2), ylim=(0.6, 3.4)
    )
    axes.legend(loc="upper left")
    return figure
