"""Pictures for lesson 9, drawn from the functions in a submission's `extrapolation.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    GREY,
    INK,
    LINES,
    ORANGE,
    Lesson,
    as_numbers,
    headline,
    heatmap,
    make_panels,
    picture,
    small_multiples,
)
from assignments.figures import (
    explore as explore,
)
from assignments.figures import (
    save as save,
)

LESSON = Lesson(9, 2.5, "1–8", (1, 2, 3), "ten methods in one small model, measured")


@picture
def score_patterns(extrapolation: ModuleType, length: int = 24) -> Figure:
    """Draw the scores of one token repeated at every position, so that all differences come from the positions."""
    d = 16
    rng = np.random.default_rng(0)
    parameters = {
        "table": rng.normal(0, 1, (64, d)),
        "n_bits": 6,
        "key_table": rng.normal(0, 1, (17, d)),
        "bias_table": rng.normal(0, 1, (32, 1)),
        "slope": 0.5,
    }
    token = np.tile(rng.normal(0, 1, d), (length, 1))
    figure, panels = small_multiples(extrapolation.METHODS, "key", "query")
    for method, axes in panels.items():
        placed = extrapolation.encode(method, token, parameters)
        scores = as_numbers(extrapolation.logits(method, placed, placed, parameters))
        visible = scores[np.isfinite(scores)]
        largest = max(np.abs(visible).max(), 1e-6)
        heatmap(axes, np.where(np.isfinite(scores), scores, np.nan), -largest, largest)
        axes.set(aspect="equal", xticks=[0, length - 1], yticks=[0, length - 1])
    headline(
        figure,
        "scores of the same token at every position. Blue: above 0, orange: below 0; each panel has its own scale",
    )
    return figure


@picture
def copy_task(length: int = 10, back: int = 3) -> Figure:
    """Draw lesson 9's task: at every position, name the token 3 positions back.

    At longer lengths, only the positions are new.
    """
    figure = Figure(figsize=(9.4, 1.9), layout="constrained")
    axes = figure.subplots()
    tokens = "cafebdabecfd"
    for place in range(length):
        has_answer = place >= back
        axes.add_patch(Rectangle((place - 0.42, 0), 0.84, 0.8, facecolor="none", edgecolor=INK, linewidth=0.9))
        axes.text(place, 0.4, tokens[place], ha="center", va="center", fontsize=11)
        axes.text(
            place,
            -0.45,
            tokens[place - back] if has_answer else "–",
            ha="center",
            va="center",
            fontsize=11,
            color=BLUE if has_answer else GREY,
        )
    query = length - 1
    axes.annotate(
        "",
        (query - back, 0.85),
        (query, 0.85),
        arrowprops={"arrowstyle": "->", "color": ORANGE, "connectionstyle": "arc3,rad=0.3", "linewidth": 1.6},
    )
    axes.text(query - back / 2, 1.95, f"{back} back", ha="center", color=ORANGE)
    axes.text(-0.8, 0.4, "tokens", ha="right", va="center")
    axes.text(-0.8, -0.45, "right answer", ha="right", va="center", color=BLUE)
    axes.set(xlim=(-2.6, length - 0.3), ylim=(-0.8, 2.4), yticks=[], xticks=range(length), xlabel="position")
    axes.spines["left"].set_visible(False)
    return figure


def _by_seed(rows: Iterable[Any]) -> tuple[list[int], np.ndarray]:
    """Return the lengths, and each seed's accuracies at those lengths, shape (seeds, lengths)."""
    found = {(row.seed, row.length): row.accuracy for row in rows}
    seeds, lengths = (sorted({key[place] for key in found}) for place in (0, 1))
    return lengths, np.array([[found[seed, length] for length in lengths] for seed in seeds])


def _accuracy_axes(axes: Axes, lengths: Sequence[int]) -> None:
    axes.axhline(0.9, color=GREY, linestyle=":", linewidth=0.8)
    axes.set(xscale="log", ylim=(-0.03, 1.08), yticks=(0, 0.5, 1))
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.minorticks_off()


@picture
def accuracy_against_length(measured: Iterable[Any], task: str = "copy 3 back") -> Figure:
    """Draw a panel per method, with a thin line per seed: in the usual setting, and in the chosen setting."""
    rows = [row for row in measured if row.task == task]
    figure, panels = small_multiples(list(dict.fromkeys(row.method for row in rows)), "length, in tokens", "accuracy")
    for method, axes in panels.items():
        changes = list(dict.fromkeys(row.change for row in rows if row.method == method))
        for change, (colour, style) in zip(changes, LINES[:2], strict=False):
            lengths, curves = _by_seed(row for row in rows if (row.method, row.change) == (method, change))
            axes.plot(lengths, curves.T, color=colour, linestyle=style, linewidth=0.7, alpha=0.4)
            axes.plot(lengths, curves.mean(axis=0), color=colour, linestyle=style, linewidth=1.8)
            if np.isnan(curves).any():
                axes.text(lengths[-1], 0.16, "no entry", ha="right", color=ORANGE, fontsize=8)
        axes.set_title(method if len(changes) == 1 else f"{method}: {changes[-1]}".replace("_", " "))
        _accuracy_axes(axes, lengths)
    title = (
        f"{task}, trained at {lengths[0]}. Thin: single seeds; thick: their mean. Solid: usual setting; dashed: the"
        " setting in the title"
    )
    headline(figure, title)
    return figure


@picture
def attention_against_distance(looks: dict[tuple[str, str], np.ndarray], back: int = 3) -> Figure:
    """Draw the attention to each distance at the longest length.

    The correct key is `back` positions before the query.
    """
    names = {key: key[0] if key[1] == "usual" else f"{key[0]}: {key[1]}".replace("_", " ") for key in looks}
    shown = {key: name for key, name in names.items() if not np.isnan(looks[key]).any()}
    figure, panels = small_multiples(list(shown.values()), "distance, in positions", "mean weight")
    for key, name in shown.items():
        axes, weights = panels[name], looks[key]
        edges = np.arange(len(weights) + 1) - 0.5
        axes.stairs(np.maximum(weights, 1e-4), edges, baseline=1e-4, fill=True, color=BLUE)
        axes.vlines(back, 1e-4, weights[back], color=ORANGE, linewidth=2.5)
        axes.set(yscale="log", ylim=(1e-3, 1))
        axes.set_yticks((0.001, 0.01, 0.1, 1), ("0.001", "0.01", "0.1", "1"))
        axes.minorticks_off()
    without = ", ".join(name for key, name in names.items() if key not in shown)
    ending = f". Not drawn, for it has no entry: {without}" if without else ""
    headline(figure, f"attention weight by distance at the longest length; thick: the right key, {back} back{ending}")
    return figure


@picture
def loss_against_steps(curves: dict[tuple[str, str], np.ndarray], steps: int = 2000) -> Figure:
    """Draw each method's loss by step, in its usual and its chosen setting.

    A curve that is flat at the end shows that training has converged.
    """
    methods = list(dict.fromkeys(method for method, _ in curves))
    figure, panels = small_multiples(methods, "step of training", "loss")
    for method, axes in panels.items():
        changes = [change for name, change in curves if name == method]
        for change, (colour, style) in zip(changes, LINES[:2], strict=False):
            losses = curves[method, change]
            axes.plot(np.arange(1, len(losses) + 1) * steps / len(losses), losses, color=colour, linestyle=style)
        axes.set(ylim=(0, 3.2), xlim=(0, steps), xticks=(0, steps // 2, steps))
        axes.set_title(method if len(changes) == 1 else f"{method}: {changes[-1]}".replace("_", " "))
    headline(
        figure, "mean loss of eight seeds. Solid: usual setting; dashed: the setting in the title. A guess has 2.77"
    )
    return figure


@picture
def accuracy_against_base(tries: Iterable[Any]) -> Figure:
    """Draw the accuracy at eight times the trained length against the base of RoPE and of the sinusoids.

    Each thin line shows one seed.
    """
    rows = [row for row in tries if row.method in ("rope", "sinusoidal")]
    figure, panels = make_panels(2, 8.8, 3.2, sharey=True)
    for axes, task in zip(panels, dict.fromkeys(row.task for row in rows), strict=True):
        for method, (colour, style) in zip(("rope", "sinusoidal"), LINES[:2], strict=True):
            found: dict[float, list[float]] = {}
            for row in rows:
                if (row.task, row.method) == (task, method):
                    found.setdefault(1e4 if row.change == "usual" else float(row.change.split()[1]), []).append(row.x8)
            bases = sorted(found)
            curves = np.array([found[base] for base in bases])
            axes.plot(bases, curves, color=colour, linestyle=style, linewidth=0.7, alpha=0.4)
            axes.plot(bases, curves.mean(axis=1), "o", color=colour, linestyle=style, label=method, markersize=4)
        axes.axhline(0.9, color=GREY, linestyle=":", linewidth=0.8)
        axes.set(xscale="log", ylim=(-0.03, 1.08), yticks=(0, 0.5, 1), xlabel="base", title=task)
    panels[0].set_ylabel("accuracy at 8 × the trained length")
    panels[0].legend(loc="upper right")
    return figure


def one_run(rows: Sequence[Any], losses: Sequence[float], steps: int, usual: Iterable[Any]) -> Figure:
    """Draw one method's accuracy by seed and its loss in one setting; the usual setting's accuracy is drawn in grey."""
    lengths, curves = _by_seed(rows)
    figure, (left, right) = make_panels(2, 8.8, 3.2)
    before = [row for row in usual if (row.task, row.method, row.change) == (rows[0].task, rows[0].method, "usual")]
    at, usual = _by_seed(before)
    left.plot(at, usual.mean(axis=0), color=GREY, linewidth=4, alpha=0.5, label="usual setting")
    left.plot(lengths, curves.T, color=BLUE, linestyle="-", linewidth=0.7, alpha=0.5)
    left.plot(lengths, curves.mean(axis=0), "o", linestyle="-", color=BLUE, markersize=4, label=rows[0].change)
    _accuracy_axes(left, lengths)
    left.set(xlabel="length, in tokens", ylabel="accuracy", title=f"{rows[0].method}, {rows[0].task}")
    left.legend(loc="lower left")
    right.plot(np.arange(1, len(losses) + 1) * steps / len(losses), losses, color=BLUE)
    right.set(xlabel="step of training", ylabel="loss", ylim=(0, None))
    return figure


def measurements() -> dict[str, Any]:
    """Return the measurements for the pictures that show no function of the student."""
    from assignments.extrapolation import lab_results

    return {
        "measured": lab_results.saved(),
        "looks": lab_results.saved_looks(),
        "curves": lab_results.saved_losses(),
        "tries": lab_results.at_best_rate(lab_results.saved_trials("grid.csv")),
    }
