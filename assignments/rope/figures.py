"""Pictures for lesson 5, drawn from the functions in a submission's `rope.py`."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

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
    ON_COLOUR,
    ORANGE,
    Lesson,
    as_numbers,
    draw_hand,
    headline,
    make_panels,
    note,
    picture,
    round_face,
    signed,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(5, 5, "1, 3", (2,), "queries and keys are rotated before the score")


def _whole(value: int) -> str:
    """Format a whole number with a true minus sign."""
    return f"{value}".replace("-", "−")


@picture
def rotated_pair(rope: ModuleType, position: float = 4, head_dim: int = 8) -> Figure:
    """Draw the same pair of features at position 0 and at a later position.

    Each pair is rotated by the position times its frequency, and keeps its length.
    """
    theta = rope.rope_frequencies(head_dim)
    start = np.tile([0.9, 0.35], head_dim // 2)[np.newaxis]
    turned = as_numbers(rope.apply_rope(start, [position]))[0]
    way = as_numbers(rope.apply_rope(np.repeat(start, 200, axis=0), np.linspace(0, position, 200)))
    radius = float(np.hypot(0.9, 0.35))
    figure, dials = make_panels(head_dim // 2, 8.8, 2.9)
    for pair, axes in enumerate(dials):
        here = slice(2 * pair, 2 * pair + 2)
        round_face(axes, radius)
        axes.plot(*(0.55 * way[:, here].T), color=BLUE, linestyle="-", linewidth=2.5, alpha=0.35)
        draw_hand(axes, start[0, here], GREY, width=1.4)
        draw_hand(axes, turned[here], BLUE)
        axes.set_title(f"pair {pair}", loc="center")
        angle = position * theta[pair]
        axes.set_xlabel(f"θ = {theta[pair]:.3g}\nrotated by {angle:.3g} radians")
    headline(figure, f"one pair of features in each circle; grey: at position 0, blue: at position {position:g}")
    return figure


@picture
def shift_dial(
    rope: ModuleType,
    query: int = 2,
    key: int = 5,
    shift: int = 0,
    q: Sequence[float] = (1.0, 0.2),
    k: Sequence[float] = (0.2, 0.9),
) -> Figure:
    """Draw a query and a key that are shifted together: both arrows rotate, and the score does not change.

    θ is π/4, an eighth of a circle per position.
    """
    theta = np.pi / 4
    query_row, key_row = as_numbers(q)[np.newaxis], as_numbers(k)[np.newaxis]

    def rotated(x: np.ndarray, position: int) -> np.ndarray:
        # A single pair rotates by one radian per position, so position · π/4 makes its θ equal to π/4.
        return as_numbers(rope.apply_rope(x, [position * theta]))[0]

    def score(m: int, n: int) -> float:
        return float(np.asarray(rope.rope_scores(query_row, key_row, [m * theta], [n * theta]))[0, 0])

    m, n = query + shift, key + shift
    scores = {
        "not rotated at all": float((query_row @ key_row.T)[0, 0] / np.sqrt(2)),
        f"rotated: query at {_whole(m)}, key at {_whole(n)}": score(m, n),
        f"same offset from 0: query at 0, key at {_whole(n - m)}": score(0, n - m),
    }
    figure, (dial, bars) = make_panels(2, 8.8, 3.1, width_ratios=(1, 1.9))
    longest = max(np.linalg.norm(query_row), np.linalg.norm(key_row), 0.1)
    radius = 1.03 * longest
    round_face(dial, radius)
    for eighth in range(8):
        x, y = radius * np.cos(eighth * theta), radius * np.sin(eighth * theta)
        dial.plot([0.95 * x, 1.05 * x], [0.95 * y, 1.05 * y], color=GREY, linestyle="-", linewidth=1)
    for row, position, colour, name in ((query_row, m, BLUE, "q"), (key_row, n, ORANGE, "k")):
        draw_hand(dial, row[0], colour, width=1, alpha=0.35)
        tip = rotated(row, position)
        draw_hand(dial, tip, colour)
        dial.text(
            *(0.62 * tip + 0.1 * np.array([-tip[1], tip[0]])), name, color=colour, ha="center", va="center", fontsize=12
        )
    dial.set_title("faint arrows: before the rotation", loc="center")
    places = np.arange(3)[::-1]
    bars.barh(
        places, list(scores.values()), height=0.42, color=(GREY, BLUE, BLUE), hatch=("", "", "//"), edgecolor="white"
    )
    bars.axvline(0, color=INK, linewidth=0.8, linestyle="-")
    reach = max(1.0, longest**2)
    for place, (name, value) in zip(places, scores.items(), strict=True):
        backing = {"facecolor": "white", "linewidth": 0, "pad": 1}
        bars.text(-0.98 * reach, place + 0.3, f"{name}:  {signed(value, 4)}", va="bottom", bbox=backing)
    bars.set(xlim=(-reach, reach), ylim=(-0.45, 2.75), yticks=[], xlabel="score")
    bars.spines["left"].set_visible(False)
    return figure


@picture
def layouts(rope: ModuleType, head_dim: int = 6) -> Figure:
    """Draw the features of a row in the interleaved layout, and where `interleaved_to_half` puts each of them."""
    half = as_numbers(rope.interleaved_to_half(np.arange(float(head_dim)))).reshape(head_dim)
    figure = Figure(figsize=(NARROW, 1.9), layout="constrained")
    axes = figure.subplots()
    for y, order in ((0, range(head_dim)), (2, half)):
        for place, feature in enumerate(order):
            colour, pair = LINES[int(feature) // 2 % len(LINES)][0], int(feature) // 2
            axes.add_patch(Rectangle((place - 0.46, y - 0.5), 0.92, 1, facecolor=colour, edgecolor="white"))
            axes.text(place, y, f"x{int(feature)}\npair {pair}", ha="center", va="center", fontsize=8, color=ON_COLOUR)
            if y:
                axes.plot([int(feature), place], [0.5, 1.5], color=colour, linestyle="-", linewidth=1.4)
    axes.set(
        xlim=(-0.5, head_dim - 0.5), ylim=(2.55, -0.55), xticks=[], yticks=(0, 2), yticklabels=("interleaved", "half")
    )
    axes.set_xlabel("features of one row, from left to right")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


@picture
def two_ways(rope: ModuleType, position: float = 1) -> Figure:
    """Draw one row twice: rotated and then reordered, and reordered and then rotated in the half layout."""
    row = np.array([[1.0, 0.0, 2.0, 0.0]])
    rotated, reordered = rope.apply_rope(row, [position]), rope.interleaved_to_half(row)
    ends = rope.interleaved_to_half(rotated), rope.apply_rope_half(reordered, [position])
    first, right, below = (_row_of(one) for one in (row, rotated, reordered))
    boxes = {(0, 0): first, (1, 0): right, (0, 1): below, (1, 1): f"→ ↓ {_row_of(ends[0])}\n↓ → {_row_of(ends[1])}"}
    figure = Figure(figsize=(NARROW, 1.9), layout="constrained")
    axes = figure.subplots()
    for (x, y), words in boxes.items():
        axes.add_patch(Rectangle((1.5 * x - 0.54, y - 0.22), 1.08, 0.44, facecolor="white", edgecolor=INK))
        axes.text(1.5 * x, y, words, ha="center", va="center", fontsize=7)
    arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": INK}
    for x, y, to_x, to_y in ((0.54, 0, 0.96, 0), (0.54, 1, 0.96, 1), (0, 0.22, 0, 0.78), (1.5, 0.22, 1.5, 0.78)):
        axes.annotate("", (to_x, to_y), (x, y), arrowprops=arrow)
    for y, words in ((-0.35, "apply_rope"), (1.35, "apply_rope_half")):
        axes.text(0.75, y, words, ha="center", va="center", fontsize=7)
    axes.text(0.75, 0.5, "interleaved_to_half\non both sides", ha="center", va="center", fontsize=7)
    axes.set(
        xlim=(-0.56, 2.06),
        ylim=(1.45, -0.45),
        xticks=[],
        yticks=[],
        xlabel=f"one row of four features, at position {position:g}",
    )
    axes.spines[:].set_visible(False)
    return figure


def _row_of(values: Any) -> str:
    """Return the four features of one row as text."""
    return " ".join(
        f"{value:.3g}" if value == int(value) else f"{value:.2f}" for value in as_numbers(values).reshape(4)
    )


@picture
def head_shapes() -> Figure:
    """Draw the steps of `rope_attention` with the shape after each step, in letters and for the lesson's example."""
    steps = (
        ("x", "(T, dx)", "(2, 4)", ""),
        ("q, k and v, each", "(T, h·dh)", "(2, 4)", "product with a matrix"),
        ("their heads", "(h, T, dh)", "(2, 2, 2)", "split_heads"),
        ("weights", "(h, T, T)", "(2, 2, 2)", "scores, mask, softmax"),
        ("averages of v", "(h, T, dh)", "(2, 2, 2)", "weights @ v"),
        ("output", "(T, h·dh)", "(2, 4)", "merge_heads"),
    )
    figure = Figure(figsize=(NARROW, 3.4), layout="constrained")
    axes = figure.subplots()
    for row, (name, shape, example, step) in enumerate(steps):
        axes.add_patch(Rectangle((0, row - 0.27), 2, 0.54, facecolor="white", edgecolor=INK))
        axes.text(1, row, f"{name} {shape}", ha="center", va="center")
        axes.text(2.15, row, example, va="center")
        if row:
            arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": INK}
            axes.annotate("", (1, row - 0.27), (1, row - 0.73), arrowprops=arrow)
            axes.text(1.1, row - 0.5, step, va="center", fontsize=8)
    axes.set(
        xlim=(-0.02, 2.8),
        ylim=(5.3, -0.3),
        xticks=[],
        yticks=[],
        xlabel="beside the boxes: the shapes of the example by hand",
    )
    axes.spines[:].set_visible(False)
    return figure


@picture
def cache(rope: ModuleType, tokens: int = 8) -> Figure:
    """Draw, token by token, which keys a step computes, and which keys it reads from the cache.

    The picture depends on what `decode_step` returns.
    """
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(tokens, 4)), rng.normal(size=(3, 4, 4))
    cache_k = cache_v = np.zeros((1, 0, 4))
    states = np.full((tokens, tokens), np.nan)
    for step in range(tokens):
        before = cache_k
        _, cache_k, cache_v = rope.decode_step(x[step : step + 1], *weights, 1, cache_k, cache_v, step)
        cache_k = as_numbers(cache_k)
        kept = np.isclose(cache_k[:, :step], before).all(axis=(0, 2))
        states[step, :step], states[step, step] = np.where(kept, 1, 3), 2
    shown = {
        1: ("read from the cache", FAINT, ""),
        2: ("computed in this step", BLUE, ""),
        3: ("changed in the cache", ORANGE, "//"),
    }

    figure, (grid, count) = make_panels(2, 8.8, 3.4, width_ratios=(1, 1.1))
    for (step, key), state in np.ndenumerate(states):
        if np.isfinite(state):
            _, colour, hatch = shown[int(state)]
            grid.add_patch(
                Rectangle((key - 0.45, step - 0.45), 0.9, 0.9, facecolor=colour, hatch=hatch, edgecolor="white")
            )
    samples = [
        Rectangle((0, 0), 1, 1, facecolor=colour, hatch=hatch, edgecolor="white", label=name)
        for state, (name, colour, hatch) in shown.items()
        if (states == state).any()
    ]
    grid.set(
        xlim=(-0.5, tokens - 0.5), ylim=(tokens - 0.5, -0.5), aspect="equal", xticks=range(tokens), yticks=range(tokens)
    )
    grid.set(xlabel="key of token", ylabel="step, one new token per step")
    grid.set_title("the keys that each step uses")
    grid.legend(handles=samples, loc="upper right")
    steps = np.arange(1, tokens + 1)
    for values, (colour, style), name in (
        (steps * (steps + 1) // 2, LINES[1], "without: all keys at each step"),
        (np.cumsum(np.nansum(states >= 2, axis=1)), LINES[0], "with the cache"),
    ):
        count.plot(steps, values, color=colour, linestyle=style, label=name)
        note(count, f"{values[-1]}", (steps[-1], values[-1]), (4, -3), color=colour)
    count.set(
        xlabel="tokens so far", ylabel="keys", title="keys computed in all steps together", ylim=(0, None), xticks=steps
    )
    count.legend(loc="upper left")
    return figure


@picture
def decay(rope: ModuleType, head_dim: int = 128, reach: int = 1000, favourite: int = 50) -> Figure:
    """Draw RoFormer's bound, which does not fall at every step, and a score below it.

    A score can have its maximum at any distance.
    """
    offsets = np.arange(0, reach + 1)
    bound = rope.decay_bound(offsets, head_dim)
    q = np.random.default_rng(0).normal(size=(1, head_dim))
    k = rope.apply_rope(q, [favourite])
    near = np.arange(0, min(reach, 4 * favourite) + 1)
    scores = as_numbers(rope.rope_scores(q, np.repeat(k, len(near), axis=0), [0], -near))[0]

    figure, (left, right) = make_panels(2, 8.8, 3.1)
    left.plot(offsets, bound, color=BLUE, linestyle="-")
    left.set(title=f"decay_bound, head_dim {head_dim}", ylim=(0, None), xlim=(0, reach))
    left.set(xlabel="offset, in positions", ylabel="mean of |S_j|")
    right.plot(near, scores, color=BLUE, linestyle="-", linewidth=1.3)
    right.axvline(favourite, color=ORANGE, linestyle="--", linewidth=1.2)
    note(right, f"key rotated to match\n{favourite} positions back", (favourite, scores.max()), (6, -12), color=ORANGE)
    right.axhline(0, color=GREY, linewidth=0.8, linestyle="-")
    right.set(title="the score of one query and key", ylabel="score", xlim=(0, near[-1]))
    right.set_xlabel("distance from the query back to the key, in positions")
    return figure
