"""Pictures for lesson 6, drawn from the functions in a submission's `relative.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure

from assignments.figures import (
    BLUE,
    GREY,
    LINES,
    NARROW,
    Lesson,
    as_numbers,
    heatmap,
    make_panels,
    picture,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(6, 3, "1, 3, 4, 5", (2, 3), "a learned vector or number for each distance")


@picture
def table_rows(relative: ModuleType, length: int = 5, max_distance: int = 2) -> Figure:
    """Draw the relative position of every query and key, and the row of Shaw's table that the pair reads."""
    distances = relative.relative_positions(length, length)
    rows = as_numbers(relative.clip_positions(distances, max_distance)) + max_distance
    figure, (left, right) = make_panels(2, NARROW, 2.1)
    heatmap(left, distances, 1 - length, length - 1, digits=0)
    heatmap(right, rows, 0, 2 * max_distance, digits=0)
    for axes, title in ((left, "j − i"), (right, f"row, clipped at {max_distance}")):
        axes.set(title=title, xlabel="key j", xticks=range(length), yticks=range(length))
    left.set_ylabel("query i")
    return figure


@picture
def distance_names(relative: ModuleType, max_distance: int = 8, num_buckets: int = 16) -> Figure:
    """Draw which table entry each distance uses.

    Shaw et al. clip the distances; T5 uses wider buckets for long distances, and half of the buckets per direction.
    """
    figure, (shaw, t5) = make_panels(2, 8.8, 3.3, width_ratios=(1, 1.5))
    near = np.arange(-20, 21)
    shaw.step(near, relative.clip_positions(near, max_distance) + max_distance, where="mid", color=BLUE, linestyle="-")
    shaw.set(title=f"Shaw, clipped at {max_distance}", xlabel="before ← key − query → after", ylabel="row of the table")
    far = np.arange(-160, 161)
    for both, (colour, style), label in ((True, LINES[0], "both directions"), (False, LINES[1], "causal")):
        buckets = relative.t5_bucket(far, bidirectional=both, num_buckets=num_buckets)
        t5.step(far, buckets, where="mid", color=colour, linestyle=style, label=label)
    t5.set(
        title=f"T5, {num_buckets} buckets",
        xlabel="before ← key − query, in positions → after",
        ylabel="bucket",
        xticks=range(-160, 161, 40),
    )
    t5.set(ylim=(-1, num_buckets * 1.22), yticks=range(0, num_buckets + 1, max(1, num_buckets // 8)))
    t5.legend(loc="upper center", ncols=2)
    for axes in (shaw, t5):
        axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    return figure


@picture
def four_terms(relative: ModuleType, length: int = 6, max_distance: int = 2) -> Figure:
    """Draw the four terms of Transformer-XL's score, each term with the other three terms set to zero."""
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, length, 4))
    table, (u, w) = rng.normal(size=(2 * max_distance + 1, 4)), rng.normal(size=(2, 4))
    no_q, no_k, no_table, none = 0 * q, 0 * k, 0 * table, 0 * u
    terms = {
        "query · key": (q, k, no_table, none, none),
        "query · distance": (q, no_k, table, none, none),
        "u · key": (no_q, k, no_table, u, none),
        "w · distance": (no_q, no_k, table, none, w),
    }
    figure, panels = make_panels(4, 9.4, 2.5, sharey=True)
    for axes, (name, arguments) in zip(panels, terms.items(), strict=True):
        image = heatmap(axes, relative.four_term_scores(*arguments, max_distance), -3, 3)
        axes.set(title=name, xlabel="position of the key", aspect="equal")
    panels[0].set_ylabel("position of the query")
    shade_bar(figure, image, panels, "part of the score")
    return figure
