"""Pictures for lesson 2, drawn from the functions in a submission's `naive.py`."""

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

LESSON = Lesson(2, 2, "1", (1,), "a number is added to the row of a token")


@picture
def integer_scale(naive: ModuleType, length: int = 512) -> Figure:
    """Draw the position added to every feature: the position soon becomes much larger than the token's features."""
    tokens = np.random.default_rng(0).normal(size=(length, 64))
    placed = as_numbers(naive.add_integer_positions(tokens))
    positions = as_numbers(naive.integer_positions(length))
    directions = placed / np.linalg.norm(placed, axis=1, keepdims=True)
    angles = np.degrees(2 * np.arcsin(np.linalg.norm(np.diff(directions, axis=0), axis=1) / 2))

    figure, (left, right) = make_panels(2, 8.4, 3.2)
    for rows, colour, label in ((tokens, GREY, "token alone"), (placed, BLUE, "token + position")):
        left.fill_between(
            positions, rows.min(axis=1), rows.max(axis=1), color=colour, alpha=0.8, linewidth=0, label=label
        )
    left.set(title="smallest to largest feature of each token", xlabel="position", ylabel="feature value")
    left.legend(loc="upper left")
    right.plot(positions[1:], angles, color=BLUE)
    right.set(title="far from the start all rows point in one direction", xlabel="position")
    right.set_ylabel("angle to the row before, in degrees")
    right.set(xscale="log", yscale="log", ylim=(0.1, 180), xlim=(1, length))
    right.set_yticks((0.1, 1, 10, 90), ("0.1", "1", "10", "90"))
    right.minorticks_off()
    return figure


@picture
def normalized_spacing(naive: ModuleType, short: int = 10, long: int = 40, position: int = 5) -> Figure:
    """Draw normalized positions in a short and a long text.

    In a longer text, the same position gets a different number, and each step is smaller.
    """
    figure = Figure(figsize=(8.4, 2.3), layout="constrained")
    axes = figure.subplots()
    for row, length in ((1, short), (0, long)):
        places = as_numbers(naive.normalized_positions(length))
        axes.plot([0, 1], [row, row], color=FAINT, linestyle="-", zorder=0)
        axes.plot(places, np.full(length, row), "|", color=INK, markersize=11, markeredgewidth=1.2)
        at = min(position, length - 1)
        axes.plot(places[at], row, "o", color=ORANGE, markersize=8)
        side = "left" if places[at] < 0.8 else "right"
        axes.text(places[at], row + 0.24, f"position {at} is {places[at]:.3f}", ha=side, color=ORANGE)
        axes.text(-0.02, row, f"{length} tokens", ha="right", va="center")
        step = f"one step: {places[1] - places[0]:.3f}" if length > 1 else ""
        axes.text(1.02, row, step, ha="left", va="center")
    axes.set(xlim=(-0.14, 1.2), ylim=(-0.4, 1.55), yticks=[], xticks=np.linspace(0, 1, 6))
    axes.set_xlabel("normalized position; each tick mark is one token")
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_bounds(0, 1)
    return figure


@picture
def layer_norm(naive: ModuleType, position: int = 500) -> Figure:
    """Draw the same token at position 0 and far away, before and after LayerNorm.

    LayerNorm removes any number that was added to all features.
    """
    token = np.random.default_rng(1).normal(size=6)
    placed = as_numbers(naive.add_integer_positions(np.tile(token, (position + 1, 1))))
    rows = {0: placed[0], position: placed[-1]}
    figure, panels = make_panels(2, NARROW, 2.4)
    normed = {at: (row - row.mean()) / row.std() for at, row in rows.items()}
    for axes, title, shown in zip(panels, ("before LayerNorm", "after LayerNorm"), (rows, normed), strict=True):
        for (at, row), side, (colour, _), hatch in zip(shown.items(), (-0.2, 0.2), LINES, ("", "//"), strict=False):
            axes.bar(np.arange(6) + side, row, 0.4, color=colour, hatch=hatch, edgecolor="white", label=f"at {at}")
        axes.axhline(0, color=GREY, linestyle="-", linewidth=0.8)
        axes.set(title=title, xlabel="feature", xticks=range(6))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


@picture
def binary_waves(naive: ModuleType, length: int = 48) -> Figure:
    """Draw each bit as a square wave with twice the period of the bit below it.

    At some steps, many bits change together.
    """
    codes, gray = np.asarray(naive.binary_positions(length)), np.asarray(naive.gray_positions(length))
    steps, gray_steps = np.asarray(naive.hamming_steps(codes)), np.asarray(naive.hamming_steps(gray))
    first, n_bits = length // 3, codes.shape[1]
    figure = Figure(figsize=(8.4, 1.9 + 0.42 * n_bits), layout="constrained")
    waves, jumps = figure.subplots(2, 1, sharex=True, height_ratios=(0.42 * n_bits, 1.25))
    places = np.arange(first, length + 1) - 0.5
    for bit in range(n_bits):
        wave = codes[first:, n_bits - 1 - bit]
        waves.stairs(0.7 * wave + bit, places, baseline=bit, fill=True, color=BLUE, alpha=0.85, linewidth=0)
    names = [f"bit {bit}, period {naive.bit_period(bit)}" for bit in range(n_bits)]
    waves.set(yticks=np.arange(n_bits) + 0.35, yticklabels=names, title="each bit as a wave: blue is 1, no colour is 0")
    waves.spines["left"].set_visible(False)
    waves.tick_params(axis="y", length=0)
    between = np.arange(first, length - 1) + 0.5
    jumps.bar(between, steps[first:], width=0.5, color=ORANGE, label="binary")
    jumps.plot(between, gray_steps[first:], "_", color=INK, markersize=7, markeredgewidth=1.6, label="Gray")
    jumps.set(xlabel="position", ylabel="bits changed", xlim=(first - 0.6, length - 0.4), ylim=(0, n_bits + 0.4))
    jumps.set_title("how many bits change from each position to the next")
    jumps.legend(loc="upper left", ncols=2)
    return figure


@picture
def binary_carry(naive: ModuleType, n_bits: int = 8) -> Figure:
    """Draw how adding 1 to a bit that is 1 makes it 0 and carries to the next bit.

    Frames mark the bits that changed in the last step.
    """
    codes = np.asarray(naive.binary_positions(2**n_bits, n_bits))
    middle = 2 ** (n_bits - 1)
    positions = range(middle - 4, middle + 5)
    figure = Figure(figsize=(NARROW, 1 + 0.3 * n_bits), layout="constrained")
    axes = figure.subplots()
    heatmap(axes, codes[positions].T, 0, 2, digits=0)
    for column, position in enumerate(positions):
        changed = np.flatnonzero(codes[position] != codes[position - 1]) if position else ()
        for row in changed:
            axes.add_patch(
                Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=ORANGE, linewidth=1.8)
            )
    axes.set(xlabel="position", xticks=range(len(positions)), xticklabels=positions)
    axes.set(yticks=range(n_bits), yticklabels=[f"bit {bit}" for bit in reversed(range(n_bits))])
    axes.set_title(f"the step from {middle - 1} to {middle} changes all {n_bits} bits")
    return figure
