"""Phone layout of a wide picture: panels one below the other, and lines of text that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.text import Text


def narrowed(figure: Figure, width: float) -> Figure:
    """Make the figure `width` inches wide, and return it.

    The panels are stacked, and each gets the labels that the panels shared; long lines of text are wrapped.
    """
    for image in figure.findobj(AxesImage):
        if image.colorbar is not None:
            _lay_down(figure, image)
    _stack(figure, width)
    _lay_out(figure)
    for legend in figure.findobj(Legend):
        if legend.get_window_extent().width > 0.9 * figure.bbox.width:
            _halve(legend)
    for _ in range(2):  # more lines in one place leave less room in another
        _lay_out(figure)
        for axes in figure.axes:
            begin = axes.get_window_extent().x0
            ends = [
                one.get_tightbbox().x0
                for one in figure.axes
                if one.bbox.x0 > axes.bbox.x1 and abs(one.bbox.y0 - axes.bbox.y0) < 9
            ]
            _wrap(axes.title if axes.title.get_text() else axes._left_title, min(ends, default=figure.bbox.x1) - begin)
            _wrap(axes.xaxis.label, 2 * min(figure.bbox.x1 - axes.bbox.x1, begin) + axes.bbox.width)
            _make_room(axes)
    for words in figure.texts:
        _wrap(words, figure.bbox.width)
    return figure


def _lay_out(figure: Figure) -> None:
    """Place the panels, without the rest of a drawing, which takes longer."""
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)


def _lay_down(figure: Figure, image: AxesImage) -> None:
    """Move a bar of shades from beside its panels to below them."""
    old = image.colorbar
    label, ends, parents = old.ax.get_ylabel(), old.ax.get_ylim(), old.ax._colorbar_info["parents"]
    old.remove()
    bar = figure.colorbar(image, ax=parents, orientation="horizontal", shrink=0.85, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)
    bar.ax.set_xlim(ends)


def _halve(legend: Legend) -> None:
    """Halve the number of columns in a legend, and make room for the extra lines."""
    axes, figure = legend.axes, legend.figure
    words = [text.get_text() for text in legend.get_texts()]
    legend.remove()
    if axes is None:
        figure.legend(
            legend.legend_handles,
            words,
            loc="outside upper left",
            ncols=2,
            handlelength=legend.handlelength,
            columnspacing=1,
        )
    else:
        axes.legend(legend.legend_handles, words, loc=legend._loc)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.3 * (high - low))


def _stack(figure: Figure, width: float) -> None:
    """Stack the panels of a figure.

    Up to three panels from a row are placed one below the other; more panels go into two columns. A panel that is
    as wide or as tall as the old figure becomes as wide as the new figure.
    """
    panels = {
        axes: place for axes in figure.axes if axes.get_visible() and (place := axes.get_subplotspec()) is not None
    }
    rows, columns = next((place.get_gridspec().get_geometry() for place in panels.values()), (1, 1))
    height = figure.get_figheight() / rows
    if columns > 1:
        _say_what_was_shared(panels)
        wide = [
            axes
            for axes, place in panels.items()
            if rows > 1 and (len(place.colspan) == columns or len(place.rowspan) == rows)
        ]
        across = 1 if len(panels) <= 3 else 2
        rows = -(-(len(panels) - len(wide)) // across)
        height *= 0.95 if across == 1 else 0.8
        grid = GridSpec(rows + len(wide), across, figure=figure, height_ratios=[1] * rows + [1.3] * len(wide))
        for number, axes in enumerate(one for one in panels if one not in wide):
            axes.set_subplotspec(grid[number // across, number % across])
        for number, axes in enumerate(wide):
            axes.set_subplotspec(grid[rows + number, :])
        rows += 1.3 * len(wide)
    figure.set_size_inches(width, height * rows)


def _say_what_was_shared(panels: dict[Axes, Any]) -> None:
    """Give each panel its own label and title if the panels in a row or column shared them."""
    at = {(place.rowspan.start, place.colspan.start): axes for axes, place in panels.items()}
    last = max(row for row, _ in at)
    for (row, column), axes in at.items():
        if len(axes.get_yticks()):
            axes.tick_params(labelleft=True)
        if len(axes.get_xticks()):
            axes.tick_params(labelbottom=True)
        axes.set_ylabel(axes.get_ylabel() or at[row, 0].get_ylabel())
        axes.set_xlabel(axes.get_xlabel() or at.get((last, column), axes).get_xlabel())
        axes.set_title(axes.get_title("left") or at[0, column].get_title("left"))


def _wrap(words: Any, room: float) -> None:
    """Break a line that is too long into several lines."""
    width = words.get_window_extent().width
    if width > 0.96 * room:
        longest = max(map(len, words.get_text().split("\n")))
        words.set_text(textwrap.fill(words.get_text(), int(0.92 * longest * room / width)))


def _make_room(axes: Axes) -> None:
    """Drop every other tick if the numbers below an axis would touch, and shrink words that would touch."""

    def touch(words: Iterable[Text]) -> bool:
        boxes = [one.get_window_extent() for one in words if one.get_text()]
        return any(left.x1 + 2 > right.x0 > left.x0 and abs(left.y0 - right.y0) < 2 for left, right in pairwise(boxes))

    if touch(axes.get_xticklabels()):
        axes.set_xticks(axes.get_xticks()[::2], [label.get_text() for label in axes.get_xticklabels()][::2])
    if touch(axes.texts):
        for words in axes.texts:
            words.set_fontsize(7)
