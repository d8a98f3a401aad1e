"""Pictures for lesson 8, drawn from the functions in a submission's `context_extension.py`."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from assignments.figures import (
    BLUE,
    FAINT,
    GREY,
    LINES,
    NARROW,
    ORANGE,
    Lesson,
    as_numbers,
    headline,
    loss_curves,
    make_panels,
    picture,
    seed_lines,
    small_multiples,
)
from assignments.figures import (
    explore as explore,
)
from assignments.figures import (
    save as save,
)

LESSON = Lesson(8, 2.5, "5", (2,), "slower rotations, for longer texts")


@picture
def extended_frequencies(
    context_extension: ModuleType, factor: float = 8, trained_len: int = 4096, head_dim: int = 128
) -> Figure:
    """Draw which pairs each of four methods slows down, and by how much."""
    ones = np.ones(head_dim // 2)
    trained = as_numbers(context_extension.longrope_frequencies(head_dim, ones))
    turns = as_numbers(context_extension.rotations_in_context(head_dim, trained_len))
    ntk = context_extension.longrope_frequencies(
        head_dim, ones, base=context_extension.ntk_base(10000.0, factor, head_dim)
    )
    slowed = {
        "interpolation": trained * np.asarray(context_extension.interpolate_positions(ones, factor)),
        "NTK-aware": ntk,
        "YaRN": context_extension.yarn_frequencies(head_dim, 10000.0, factor, trained_len),
        "Llama 3.1": context_extension.llama3_frequencies(head_dim, 10000.0, factor, trained_len=trained_len),
    }
    pairs = np.arange(head_dim // 2)
    figure, (left, right) = make_panels(2, 9.4, 3.5)
    never = np.flatnonzero(turns < 1)
    for axes in (left, right):
        if never.size:
            axes.axvspan(never[0] - 0.5, pairs[-1] + 0.5, color=FAINT, alpha=0.6, linewidth=0)
        axes.set(xlabel="pair i (fast pairs left, slow pairs right)", xlim=(-0.5, pairs[-1] + 0.5))
    right.plot(
        pairs, turns, color=GREY, linestyle="-", linewidth=5, alpha=0.6, label="in training", solid_capstyle="butt"
    )
    for (name, frequencies), (colour, style) in zip(slowed.items(), LINES, strict=True):
        frequencies = as_numbers(frequencies)
        left.plot(pairs, frequencies / trained, color=colour, linestyle=style, label=name)
        right.plot(pairs, turns * factor * frequencies / trained, color=colour, linestyle=style)
    left.set(ylabel="new frequency / trained frequency", ylim=(0, 1.06))
    left.set_title(f"how much each pair is slowed: from {trained_len:,} to {factor:g} × {trained_len:,} tokens")
    right.set(yscale="log", ylabel="full rotations over the whole sequence")
    right.set_title("grey pairs: less than one rotation in training")
    right.axhline(1, color=GREY, linestyle=":", linewidth=1)
    left.legend(loc="upper right")
    right.legend(loc="upper right")
    return figure


@picture
def angles_beyond_training(
    context_extension: ModuleType, factor: float = 8, trained_len: int = 4096, head_dim: int = 128
) -> Figure:
    """Draw the slowest pair on its circle, at the trained positions and beyond.

    A second panel shows the number of rotations that each pair makes in training.
    """
    turns = as_numbers(context_extension.rotations_in_context(head_dim, trained_len))
    figure = Figure(figsize=(9.4, 3.4), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1, 2))
    circle, bars = figure.add_subplot(grid[0], aspect="equal"), figure.add_subplot(grid[1])
    ends = 2 * np.pi * turns[-1] * np.array([0, 1, factor])
    for start, end, colour, width in ((0, 2 * np.pi, FAINT, 1), (ends[1], ends[2], ORANGE, 3), (0, ends[1], BLUE, 6)):
        arc = np.linspace(start, min(end, 2 * np.pi), 200)
        circle.plot(np.cos(arc), np.sin(arc), color=colour, linestyle="-", linewidth=width, solid_capstyle="butt")
    for length, end, colour in ((trained_len, ends[1], BLUE), (factor * trained_len, ends[2], ORANGE)):
        circle.annotate("", (np.cos(end), np.sin(end)), (0, 0), arrowprops={"arrowstyle": "->", "color": colour})
        circle.text(
            1.45 * np.cos(end),
            1.3 * np.sin(end),
            f"{length:,.0f}:\n{np.degrees(end):.0f}°",
            ha="center",
            va="center",
            color=colour,
        )
    circle.set(xlim=(-1.9, 1.9), ylim=(-1.6, 1.6), xticks=[], yticks=[], title="the slowest pair, and the length")
    circle.set_xlabel("blue: in training; orange: new")
    circle.spines[:].set_visible(False)
    pairs, few = np.arange(len(turns)), turns < 1
    bars.bar(pairs[~few], turns[~few], color=BLUE, width=0.8, label="at least one rotation")
    bars.bar(pairs[few], turns[few], color=ORANGE, width=0.8, hatch="///", label="less than one")
    bars.axhline(1, color=GREY, linestyle=":", linewidth=1)
    bars.set(
        yscale="log",
        xlabel="pair",
        ylabel=f"rotations in {trained_len:,} tokens",
        title=f"{few.sum()} of {len(turns)} pairs make less than one",
    )
    bars.legend(loc="upper right")
    return figure


@picture
def rerope_distances(context_extension: ModuleType, window: int = 16, factor: float = 4, length: int = 64) -> Figure:
    """Draw the distance that each score uses, computed from the score itself, for ReRoPE and Leaky ReRoPE."""
    # For one pair that rotates by 1 per position, the score of equal vectors is cos δ/√2. Positions are scaled down so
    # that every δ stays below half a rotation.
    small, row, distances = 2.0 / length, np.array([[1.0, 0.0]]), np.arange(length)

    def used(factor: float) -> np.ndarray:
        arguments = (small * distances, np.zeros(1), small * window, factor)
        scores = as_numbers(context_extension.rerope_scores(np.tile(row, (length, 1)), row, *arguments))
        return np.arccos(np.clip(scores[:, 0] * np.sqrt(2), -1, 1)) / small

    figure, axes = make_panels(1, NARROW, 3.2)
    axes.axhspan(0, 2 * window, color=FAINT, alpha=0.6, linewidth=0)
    for (name, one), (colour, style) in zip(
        {"ReRoPE": np.inf, f"Leaky ReRoPE, factor {factor:g}": factor}.items(), LINES, strict=False
    ):
        axes.plot(distances, used(one), color=colour, linestyle=style, label=name)
    axes.plot(distances, distances, color=GREY, linestyle=":", linewidth=1, label="RoPE")
    axes.set(xlabel="real distance", ylabel="distance in the score", title=f"window {window}; shaded: trained")
    axes.set(xlim=(0, length - 1), ylim=(0, length - 1))
    axes.legend(loc="upper left")
    return figure


@picture
def similarity_of_bases(context_extension: ModuleType, head_dim: int = 128, longest: int = 32768) -> Figure:
    """Draw, for three bases, a token's lowest similarity to itself against the length of the text."""
    lengths = np.unique(np.geomspace(2, longest, 40).astype(np.int64))
    figure, axes = make_panels(1, NARROW, 3.2)
    axes.axhline(0, color=GREY, linewidth=1)
    for base, (colour, style) in zip((10000.0, 100000.0, 500000.0), LINES, strict=False):
        lowest = [float(context_extension.lowest_similarity(int(length), head_dim, base)) for length in lengths]
        axes.plot(lengths, lowest, color=colour, linestyle=style, label=f"base {base:,.0f}")
    axes.set(xscale="log", xlabel="length, in tokens", ylabel="lowest mean cosine")
    axes.set_title(f"head_dim {head_dim}: the worst distance")
    axes.legend(loc="lower left")
    return figure


@picture
def extended_accuracy(extended: Iterable[Any]) -> Figure:
    """Draw each method's accuracy at longer lengths; all methods extend the same trained models.

    Each panel has a thin line per model, and a thick line for their mean.
    """
    rows = [row for row in extended if row.further_steps == 0]
    tasks = ("copy 3 back", "latest passkey", "passkey")
    methods = ("as trained", "no position", "interpolation", "YaRN", "cut at one rotation", "Leaky ReRoPE")
    lengths = sorted({row.length for row in rows if row.run == tasks[0]})
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    grid = figure.subplots(len(tasks), len(methods), sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(grid):
        chosen = [one for one in rows if (one.run, one.method) == (tasks[row], methods[column])]
        seed_lines(axes, {(one.length, one.seed): one.accuracy for one in chosen}, lengths)
        axes.set_xticks(lengths[::2], [str(length) for length in lengths[::2]])
        if row == 0:
            axes.set_title(methods[column])
        if row == len(tasks) - 1:
            axes.set_xlabel("length, in tokens")
        if column == 0:
            axes.set_ylabel(f"{tasks[row]}:\naccuracy")
    headline(
        figure,
        f"trained at {lengths[0]} tokens, without further training. Thin lines: the same 8 models in every panel."
        " Dotted: 0.9",
    )
    return figure


@picture
def trained_further(extended: Iterable[Any]) -> Figure:
    """Draw the accuracy of copying at 64 tokens against the number of further training steps at that length.

    Each panel has a thin line per model, and a thick line for their mean.
    """
    rows = [row for row in extended if (row.run, row.length) == ("copy 3 back, trained further", 64)]
    steps = sorted({row.further_steps for row in rows})
    figure, panels = small_multiples(
        list(dict.fromkeys(row.method for row in rows)), "steps at 64 tokens", "accuracy", columns=6
    )
    for method, axes in panels.items():
        found = {(row.further_steps, row.seed): row.accuracy for row in rows if row.method == method}
        curves = np.array([[found[step, seed] for step in steps] for seed in sorted({row.seed for row in rows})])
        axes.plot(range(len(steps)), curves.T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.35)
        axes.plot(range(len(steps)), curves.mean(axis=0), "o-", color=BLUE, markersize=3)
        axes.set(ylim=(-0.03, 1.08), yticks=(0, 0.5, 1))
        axes.set_xticks(range(len(steps)), [str(step) for step in steps])
    return figure


@picture
def extension_losses(extension_loss: Iterable[Any]) -> Figure:
    """Draw each model's loss at the trained length, by training step."""
    rows = [row for row in extension_loss if "further" not in row.run and ", base" not in row.run]
    return loss_curves(
        {run: [row for row in rows if row.run == run] for run in dict.fromkeys(row.run for row in rows)}, 6
    )


@picture
def longer(longer_losses: dict[str, list[float]]) -> Figure:
    """Draw the loss per character of the writer's model, at positions up to four times its trained length."""
    figure, axes = make_panels(1, 6.4, 3.2)
    for (name, losses), (colour, style) in zip(longer_losses.items(), LINES, strict=True):
        positions = (np.arange(len(losses)) + 0.5) * 1024 / len(losses)
        axes.plot(positions, losses, style, color=colour, label=name)
    axes.axvline(256, color=GREY, linewidth=0.8)
    axes.set(xlabel="position", ylabel="loss per character", xticks=range(0, 1025, 256), ylim=(0, None))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    return figure


def measurements() -> dict[str, Any]:
    """Return the measurements for the pictures that use none of the student's functions."""
    from assignments.context_extension import lab
    from assignments.writer.update_lessons import saved_losses

    return {"extended": lab.saved(), "extension_loss": lab.saved_losses(), "longer_losses": saved_losses()}
