"""Pictures for lesson 10, drawn from the functions in a submission's `grids.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

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
    draw_hand,
    headline,
    heatmap,
    make_panels,
    note,
    picture,
    round_face,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(10, 3, "3, 4, 5", (1, 2), "two or three coordinates in place of one position")


@picture
def patch_pair(grids: ModuleType, height: int = 4, width: int = 6, cell: int = 8) -> Figure:
    """Draw two pairs of patches on a grid and in the flattened row.

    Neighbours on the grid can be far apart in the flattened row, and neighbours in the flattened row can be far
    apart on the grid.
    """
    where = np.asarray(grids.grid_positions(height, width))
    cells = height * width
    cell = min(cell, cells - width - 1)
    row_end = (cell // width + 1) * width - 1
    pairs = ((cell, cell + width, BLUE, ""), (row_end, row_end + 1, ORANGE, "//"))

    figure = Figure(figsize=(8.8, 4.2), layout="constrained")
    strip, grid = figure.subplots(2, 1, height_ratios=(1, 3.2))
    for axes, places in ((strip, np.stack([np.zeros(cells), np.arange(cells)], axis=1)), (grid, where)):
        looks = {place: (colour, hatch) for *pair, colour, hatch in pairs for place in pair}
        for number, (y, x) in enumerate(places):
            colour, hatch = looks.get(number, ("white", ""))
            axes.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, hatch=hatch, edgecolor=GREY, linewidth=0.7)
            )
            axes.text(
                x, y, str(number), ha="center", va="center", fontsize=8, color=ON_COLOUR if number in looks else INK
            )
        axes.set(ylim=(places[:, 0].max() + 0.6, -0.6), xlim=(-0.6, places[:, 1].max() + 0.6), aspect="equal")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    strip.set(title="flattened: one position per patch", yticks=[], xticks=[])
    grid.set(
        xlabel="x", ylabel="y", xticks=range(width), yticks=range(height), title="on the grid: a row (y, x) per patch"
    )
    said = []
    for (first, second, _, _), name in zip(pairs, ("blue", "striped"), strict=True):
        down, right = where[second] - where[first]
        steps = f"{abs(down)} down, {abs(right)} to the {'left' if right < 0 else 'right'}"
        said.append(
            f"{name}: {first} and {second}, {second - first} apart in the flattened sequence; on the grid {steps}"
        )
    headline(figure, "\n".join(said))
    return figure


@picture
def sinusoidal_map(grids: ModuleType, height: int = 10, width: int = 16, base: float = 100.0) -> Figure:
    """Draw every feature of a 2-D sinusoidal code as a pattern of stripes.

    The stripes are horizontal for y and vertical for x, and get wider from pair to pair.
    """
    codes = as_numbers(grids.sinusoidal_2d(height, width, 12, base)).reshape(height, width, 12)
    figure = Figure(figsize=(9.4, 2.8), layout="constrained")
    panels = figure.subplots(2, 6, sharex=True, sharey=True)
    for feature, axes in enumerate(panels.flat):
        image = heatmap(axes, codes[:, :, feature], -1, 1)
        kind = f"{('sin', 'cos')[feature % 2]} {'yx'[feature // 6]}, pair {feature % 6 // 2}"
        axes.set(title=kind, aspect="equal", xticks=[0, width - 1], yticks=[0, height - 1])
    for axes in panels[1]:
        axes.set_xlabel("x")
    for axes in panels[:, 0]:
        axes.set_ylabel("y")
    shade_bar(figure, image, list(panels.flat), "value")
    return figure


def _mixed_frequencies(axial: np.ndarray) -> np.ndarray:
    """Return the frequencies of `axial` with a different direction for each pair, so that rows use both columns."""
    speeds = np.sort(axial.sum(axis=1))[::-1]
    directions = np.arange(len(speeds)) * np.pi * (3 - np.sqrt(5))  # the golden angle: no two pairs point the same way
    return speeds[:, np.newaxis] * np.stack([np.cos(directions), np.sin(directions)], axis=1)


@picture
def favourite_offset(
    grids: ModuleType, down: int = 5, right: int = 7, head_dim: int = 64, base: float = 100.0
) -> Figure:
    """Draw the scores of a query that prefers one offset.

    If each pair reads only one axis, the query also prefers the whole row and the whole column.
    """
    side = 25
    where = np.asarray(grids.grid_positions(side, side))
    middle, offset = np.full((1, 2), side // 2), np.array([[down, right]])
    axial = as_numbers(grids.axial_frequencies(head_dim, base))
    ways = {
        "axial": axial,
        "alternating": as_numbers(grids.alternating_frequencies(head_dim, base)),
        "mixed": _mixed_frequencies(axial),
    }
    row = np.tile([1.0, 0.0], head_dim // 2)[np.newaxis]
    figure, panels = make_panels(3, 9.6, 3.4, sharey=True)
    for (name, frequencies), axes in zip(ways.items(), panels, strict=True):
        # After rotation, all pairs of this query point the same way as those of a key at the favourite offset.
        query = grids.apply_rope_nd(row, offset, frequencies)
        scores = as_numbers(grids.grid_scores(query, np.repeat(row, len(where), axis=0), middle, where, frequencies))
        image = heatmap(axes, scores.reshape(side, side), -np.sqrt(head_dim) / 2, np.sqrt(head_dim) / 2)
        axes.plot(side // 2, side // 2, "o", color=INK, markersize=5)
        for colour, width in ((INK, 3.6), (ON_COLOUR, 1.6)):  # one of the two is visible on every shade
            axes.plot(
                side // 2 + right,
                side // 2 + down,
                "s",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=colour,
                markeredgewidth=width,
            )
        axes.set(title=name, xlabel="x of the key", aspect="equal", xticks=[0, side - 1], yticks=[0, side - 1])
    panels[0].set_ylabel("y of the key")
    shade_bar(figure, image, list(panels), "score")
    headline(figure, f"dot: the query.  square: the offset that it likes best, {down} down and {right} to the right")
    return figure


@picture
def axes_of_pairs(grids: ModuleType, head_dim: int = 128, height_pairs: int = 20, width_pairs: int = 20) -> Figure:
    """Draw which pair rotates with which axis.

    In sections, all slow pairs belong to one axis; in the interleaved form, each axis has fast and slow pairs.
    """
    sections = (head_dim // 2 - height_pairs - width_pairs, height_pairs, width_pairs)
    figure = Figure(figsize=(9.4, 3.4), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    for axes, interleaved in zip(panels, (False, True), strict=True):
        frequencies = as_numbers(grids.mrope_frequencies(head_dim, sections, interleaved=interleaved))
        used = frequencies != 0
        image = heatmap(axes, np.where(used, np.log10(frequencies), np.nan).T, -5, 0)
        counts = ", ".join(f"{axis} {count}" for axis, count in zip("thw", used.sum(axis=0), strict=True))
        axes.set(yticks=range(3), yticklabels=["t", "h", "w"], ylabel="axis")
        axes.set_title(f"{'interleaved' if interleaved else 'in sections'} {sections}: {counts} pairs")
        axes.set_yticks(np.arange(4) - 0.5, minor=True)
        axes.grid(axis="y", which="minor", color=FAINT, linestyle="-", linewidth=0.8)
        axes.tick_params(which="minor", length=0)
    panels[1].set_xlabel("pair")
    shade_bar(figure, image, list(panels), "log₁₀ of the frequency")
    return figure


@picture
def sequence_positions(
    grids: ModuleType, before: int = 4, height: int = 3, width: int = 5, frames: int = 1, after: int = 4
) -> Figure:
    """Draw the positions of text, an image and further text on three axes.

    Text tokens have the same position on all three axes; an image uses h and w, and the text after the image
    continues past the image's longest side.
    """
    where = as_numbers(grids.mrope_positions([before, (frames, height, width), after]))
    tokens = np.arange(len(where))
    figure = Figure(figsize=(8.8, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(before - 0.5, len(where) - after - 0.5, color=FAINT, alpha=0.6, linewidth=0)
    looks = (("t", BLUE, "-", 3.2), ("h", ORANGE, "--", 2.2), ("w", INK, ":", 2.2))
    for axis, (name, colour, style, thickness) in enumerate(looks):
        axes.plot(
            tokens,
            where[:, axis],
            color=colour,
            linestyle=style,
            linewidth=thickness,
            label=name,
            drawstyle="steps-mid",
        )
    axes.plot(tokens, tokens, color=GREY, linestyle="-.", linewidth=1, label="number of the token")
    following = grids.next_position(where)
    axes.plot(len(where), following, "o", color=INK, markerfacecolor="white")
    note(axes, f"next: {following}", (len(where), following), (-2, 8), ha="center")
    axes.set(xlabel="token", ylabel="coordinate", xlim=(-0.5, len(where) + 1.2), ylim=(-0.8, len(where) + 0.5))
    axes.set_title(f"{before} tokens of text, {frames} × {height} × {width} cells (shaded), {after} tokens of text")
    axes.legend(loc="upper left")
    return figure


@picture
def stretched_grid(grids: ModuleType, new_height: int = 9, new_width: int = 13) -> Figure:
    """Draw one feature of a learned grid, stretched by bilinear and by nearest interpolation.

    Bilinear interpolation fills in values between the old cells; nearest interpolation repeats the old cells.
    """
    old = (4, 6)
    table = np.random.default_rng(4).normal(size=(old[0] * old[1], 1))
    smooth = as_numbers(grids.resize_grid(table, old, (new_height, new_width))).reshape(new_height, new_width)
    rows, columns = np.arange(new_height) * old[0] // new_height, np.arange(new_width) * old[1] // new_width
    repeated = table.reshape(old)[np.ix_(rows, columns)]
    figure, panels = make_panels(3, 9.6, 3.0)
    named = {"learned": table.reshape(old), "bilinear": smooth, "nearest": repeated}
    for (name, values), axes in zip(named.items(), panels, strict=True):
        image = heatmap(axes, values, -2, 2)
        rows, columns = values.shape
        axes.set(title=f"{name}, {rows} × {columns}", xlabel="x", xticks=[0, columns - 1], yticks=[0, rows - 1])
    panels[0].set_ylabel("y")
    shade_bar(figure, image, list(panels), "one feature of the table")
    return figure


@picture
def angle_of_a_pair(grids: ModuleType, y: float = 2, x: float = 1) -> Figure:
    """Draw a frequency matrix for two pairs, and the angle by which each pair rotates in one cell."""
    frequencies = np.array([[1.0, 0.5], [1.0, -1.0]])
    tips = as_numbers(grids.apply_rope_nd([[1, 0, 1, 0]], [[y, x]], frequencies)).reshape(2, 2)
    figure = Figure(figsize=(NARROW, 2.7), layout="constrained")
    rows = figure.subplots(2, 2, width_ratios=(2, 1))
    for pair, ((table, dial), along) in enumerate(zip(rows, frequencies, strict=True)):
        for axis, (name, colour, cell) in enumerate((("y", BLUE, y), ("x", ORANGE, x))):
            table.add_patch(Rectangle((axis, 0), 0.9, 0.45, facecolor="none", edgecolor=colour))
            table.text(axis + 0.45, 0.22, f"{along[axis]:g}".replace("-", "−"), ha="center", va="center")
            table.text(axis + 0.45, 0.52, f"{name} = {cell:g}", ha="center", va="bottom", color=colour)
        sign = "−" if along[1] < 0 else "+"
        told = f"angle: {y:g} · {along[0]:g} {sign} {x:g} · {abs(along[1]):g} = {along @ [y, x]:g}"
        table.set(xlim=(-0.1, 2), ylim=(-0.1, 0.8), xticks=[], yticks=[], title=f"pair {pair}", xlabel=told)
        table.spines[:].set_visible(False)
        round_face(dial)
        draw_hand(dial, (1, 0), GREY)
        draw_hand(dial, tips[pair], BLUE)
    return figure


@picture
def cell_centres(grids: ModuleType, new: int = 5) -> Figure:
    """Draw old and new cells over the same width.

    The picture shows the centres of new and old cells, and the values of the new cells.
    """
    old = np.array([[0.0], [6.0], [12.0]])
    values = as_numbers(grids.resize_grid(old, (1, len(old)), (1, new)))[:, 0]
    figure = Figure(figsize=(NARROW, 2.0), layout="constrained")
    axes = figure.subplots()
    for row, cells, colour, name in ((0, old[:, 0], GREY, "old"), (1, values, BLUE, "new")):
        width = len(old) / len(cells)
        for j, value in enumerate(cells):
            axes.add_patch(Rectangle((j * width - 0.5, row - 0.3), width, 0.6, facecolor="none", edgecolor=colour))
            axes.text((j + 0.5) * width - 0.5, row - 0.02, f"{value:g}", ha="center", va="bottom", fontsize=8)
        centres = (np.arange(len(cells)) + 0.5) * width - 0.5
        axes.plot(centres, np.full(len(cells), row + 0.1), "o", color=colour, markersize=5)
        axes.text(-0.6, row, name, ha="right", va="center", color=colour)
        axes.vlines(centres, row + 0.1, 1.5, color=colour, linestyle=":", linewidth=0.8)
    axes.set(xlim=(-1, len(old) - 0.4), ylim=(1.5, -0.4), xticks=range(len(old)), yticks=[])
    axes.set_xlabel("u, counted from the centre of the first old cell")
    axes.spines["left"].set_visible(False)
    return figure
