"""Pictures for lesson 11, drawn from the functions in a submission's `modern.py`."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    GREY,
    INK,
    LINES,
    NARROW,
    ON_COLOUR,
    ORANGE,
    PURPLE,
    Lesson,
    as_numbers,
    headline,
    heatmap,
    loss_curves,
    make_panels,
    note,
    picture,
    seed_lines,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)
from assignments.figures import (
    save as save,
)

LESSON = Lesson(11, 3, "1, 5, 8", (2, 3), "rotation in some layers only, masks for some keys only")


@picture
def first_token(modern: ModuleType, length: int = 24, error: float = 0.002) -> Figure:
    """Draw the weight of token 0 without any encoding; the weight depends only on the number of tokens.

    With many tokens, a small error in the weight hides their number.
    """
    share = as_numbers(modern.first_token_share(length))
    figure, (weights, read) = make_panels(2, 9.4, 3.5, width_ratios=(1, 1.35))
    image = heatmap(weights, np.tri(length) * share[:, np.newaxis], 0, 1)
    weights.set(title="attention weights, all scores equal", xlabel="key", ylabel="query", aspect="equal")
    shade_bar(figure, image, weights, "weight")
    far = np.arange(8 * length)
    exact = as_numbers(modern.first_token_share(len(far)))
    low, high = (as_numbers(modern.position_from_share(np.clip(exact + sign * error, 1e-9, 1))) for sign in (1, -1))
    read.fill_between(far, low, np.minimum(high, 2 * far[-1]), color=ORANGE, alpha=0.3, linewidth=0)
    read.plot(far, modern.position_from_share(exact), color=BLUE, linestyle="-")
    read.set(
        xlabel="position of the query", ylabel="position read from the weight", ylim=(0, 2 * far[-1]), xlim=(0, far[-1])
    )
    read.set_title(f"shaded: positions that fit a weight ± {error:g}")
    return figure


@picture
def layer_schedules(modern: ModuleType) -> Figure:
    """Draw four public models, layer by layer: which layers see the whole text, and which rotate."""
    local, whole, partly, none = (
        "part of the text, RoPE",
        "whole text, RoPE",
        "whole text, p-RoPE",
        "whole text, no encoding",
    )
    looks = {local: "#9ecae1", whole: BLUE, partly: PURPLE, none: "white"}
    hatches = {local: "", whole: "", partly: "////", none: ""}
    bases = {26: modern.layer_bases(26, 6), 30: modern.layer_bases(30, 6)}
    models = {
        "Llama 4 Scout": [local if rope else none for rope in modern.rope_layers(48, 4)],
        "SmolLM3 3B": [whole if rope else none for rope in modern.rope_layers(36, 4)],
        "Gemma 3 1B": [local if base == 10000 else whole for base in bases[26]],
        "Gemma 4 (defaults)": [local if base == 10000 else partly for base in bases[30]],
    }
    figure = Figure(figsize=(9.4, 2.7), layout="constrained")
    axes = figure.subplots()
    for row, kinds in enumerate(models.values()):
        for layer, kind in enumerate(kinds):
            box = Rectangle((layer - 0.44, row - 0.34), 0.88, 0.68, facecolor=looks[kind], edgecolor=INK, linewidth=0.7)
            axes.add_patch(box).set_hatch(hatches[kind])
        axes.text(len(kinds) + 0.2, row, f"{len(kinds)} layers", va="center", fontsize=8)
    handles = [
        Rectangle((0, 0), 1, 1, facecolor=looks[kind], edgecolor=INK, hatch=hatches[kind], label=kind) for kind in looks
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, handlelength=1.4)
    axes.set(xlim=(-0.8, 53), ylim=(len(models) - 0.5, -0.5), xlabel="layer", xticks=range(0, 48, 4))
    axes.set_yticks(range(len(models)), list(models))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure


@picture
def windows_and_chunks(modern: ModuleType, length: int = 18, window: int = 6, new: int = 4) -> Figure:
    """Draw a window, which moves with the query, and a chunk, which stays in place until it is full.

    The new queries have the positions of the last keys.
    """
    masks = {"sliding window": modern.sliding_window_mask, "chunks": modern.chunk_mask}
    figure = Figure(figsize=(9.4, 4.6), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=(length, new + 2), width_ratios=(1, 1, 1.15))
    seen = figure.add_subplot(grid[:, 2])
    for column, (name, mask) in enumerate(masks.items()):
        full, last = (np.asarray(mask(queries, length, window)) for queries in (length, new))
        above, below = (figure.add_subplot(grid[row, column]) for row in (0, 1))
        for axes, shown in ((above, full), (below, last)):
            heatmap(axes, shown, 0, 1.25)
            axes.set(yticks=np.arange(0, len(shown), 3), yticklabels=np.arange(length - len(shown), length, 3))
        above.set(title=f"{name} of {window}", ylabel="position of the query")
        below.set(title=f"the last {new} queries, with a cache", xlabel="key", ylabel="query")
        colour, style = LINES[column]
        seen.plot(np.arange(length), full.sum(axis=1), color=colour, linestyle=style, drawstyle="steps-mid", label=name)
    seen.set(title="how many keys a query sees", ylabel="keys", ylim=(0, 1.45 * window), xlabel="position of the query")
    seen.legend(loc="upper left")
    return figure


@picture
def partial_and_p_rope(modern: ModuleType, head_dim: int = 64, p: float = 0.25) -> Figure:
    """Draw the frequencies of p-RoPE and of partial RoPE.

    p-RoPE rotates the fast pairs as usual and does not rotate the others; partial RoPE spreads all
    frequencies over few pairs.
    """
    theta = as_numbers(modern.p_rope_frequencies(head_dim, 1))
    stopped = as_numbers(modern.p_rope_frequencies(head_dim, p))
    rotating = np.count_nonzero(stopped)
    partial = np.zeros(head_dim // 2)
    if rotating:
        partial[:rotating] = modern.p_rope_frequencies(2 * rotating, 1)
    pairs, floor = np.arange(head_dim // 2), theta[theta > 0].min() / 10
    figure = Figure(figsize=(8.4, 3.3), layout="constrained")
    axes = figure.subplots()
    axes.plot(pairs, theta, color=GREY, linestyle="-", linewidth=5, alpha=0.5, label="RoPE", solid_capstyle="butt")
    for (name, values), (colour, style), mark in zip(
        ((f"p-RoPE, p = {p:g}", stopped), (f"partial RoPE, rotary_dim {2 * rotating}", partial)),
        LINES[1:3],
        "ox",
        strict=True,
    ):
        moves = values > 0
        axes.plot(pairs[moves], values[moves], mark, linestyle=style, color=colour, label=name, markersize=5)
        axes.plot(
            pairs[~moves], np.full((~moves).sum(), floor * (1 if mark == "o" else 2)), mark, color=colour, markersize=4
        )
    note(axes, "frequency 0: these pairs do not rotate", (pairs[-1], 2 * floor), (0, 7), ha="right")
    axes.set(
        yscale="log", xlabel="pair", ylabel="radians per position", xlim=(-0.7, pairs[-1] + 0.7), ylim=(floor / 2, 2)
    )
    axes.set_title(f"head_dim {head_dim}")
    axes.legend(loc="upper right")
    return figure


@picture
def cache_with_sinks(
    modern: ModuleType, length: int = 20, n_sinks: int = 2, window: int = 6, head_dim: int = 8
) -> Figure:
    """Draw a cache with sinks: old tokens leave the cache, but the first tokens stay.

    If keys move together with the query, their scores do not change.
    """
    kept = np.asarray(modern.kept_tokens(length, n_sinks, window)).astype(np.int64)
    places = np.arange(len(kept))
    keys, query = np.split(np.random.default_rng(4).normal(size=(length + 1, head_dim)), [length])
    stored = np.stack([modern.shift_keys(keys[[token]], token)[0] for token in kept])
    moved = np.stack([modern.shift_keys(stored[[place]], place - token)[0] for place, token in enumerate(kept)])
    before = as_numbers(modern.shift_keys(query, length))[0] @ stored.T
    after = as_numbers(modern.shift_keys(query, len(kept)))[0] @ moved.T

    figure = Figure(figsize=(9.4, 3.9), layout="constrained")
    boxes, bars = figure.subplots(2, 1, height_ratios=(1.1, 1))
    for row, (tokens, at, title) in enumerate(
        ((np.arange(length), np.arange(length), "all tokens"), (kept, kept, "kept"), (kept, places, "moved"))
    ):
        for token, place in zip(tokens, at, strict=True):
            colour = ORANGE if token < n_sinks else BLUE
            face = colour if token in kept else "white"
            boxes.add_patch(
                Rectangle((place - 0.45, row - 0.33), 0.9, 0.66, facecolor=face, edgecolor=INK, linewidth=0.7)
            )
            boxes.text(
                place, row, str(token), ha="center", va="center", fontsize=8, color=ON_COLOUR if face == colour else INK
            )
        boxes.text(-0.8, row, title, ha="right", va="center")
    boxes.set(xlim=(-3.4, length), ylim=(2.6, -0.6), yticks=[], xticks=range(0, length, 2), xlabel="position")
    boxes.spines["left"].set_visible(False)
    boxes.set_title(f"orange: the first {n_sinks} tokens, the sinks. blue: the last {window}")
    bars.bar(places - 0.2, before, width=0.36, color=GREY, label=f"query at {length}, keys as stored")
    bars.bar(
        places + 0.2,
        after,
        width=0.36,
        color=BLUE,
        hatch="//",
        edgecolor="white",
        label=f"query at {len(kept)}, keys moved",
    )
    bars.axhline(0, color=INK, linewidth=0.8, linestyle="-")
    bars.set(xlabel="token", ylabel="score × √d", xticks=places, xticklabels=kept)
    bars.set_ylim(min(before.min(), after.min()) - 0.5, 1.5 * max(before.max(), after.max(), 1))
    bars.legend(loc="upper center", ncols=2)
    return figure


@picture
def content_and_position(modern: ModuleType, length: int = 12, shift: int = 0) -> Figure:
    """Draw the two parts of a decoupled RoPE score: content and position.

    A shift of all positions changes neither part.
    """
    rng = np.random.default_rng(1)
    q_content, k_content = rng.normal(size=(2, 1, length, 6))
    q_rope, k_rope = np.tile([2.0, 0, 1, 0], (1, length, 1)), np.tile([2.0, 0, 1, 0], (length, 1))
    where = np.arange(length) + shift
    parts = {
        "content alone": (q_content, k_content, 0 * q_rope, k_rope),
        "position alone": (0 * q_content, k_content, q_rope, k_rope),
        "both": (q_content, k_content, q_rope, k_rope),
    }
    scores = {name: as_numbers(modern.decoupled_scores(*arrays, where, where))[0] for name, arrays in parts.items()}
    largest = max(float(np.abs(values).max()) for values in scores.values())
    figure, panels = make_panels(3, 9.4, 3.3)
    for axes, (name, values) in zip(panels, scores.items(), strict=True):
        image = heatmap(axes, values, -largest, largest)
        axes.set(title=name, xlabel="position of the key", aspect="equal")
        axes.set(xticks=range(0, length, 3), yticks=range(0, length, 3), xticklabels=where[::3], yticklabels=where[::3])
    panels[0].set_ylabel("position of the query")
    shade_bar(figure, image, list(panels), "score")
    return figure


@picture
def log_n_weights(modern: ModuleType, trained_len: int = 2048, lead: float = 10) -> Figure:
    """Draw the weight of the correct key against the number of keys, with and without `log_n_scale`."""
    keys = 2.0 ** np.arange(8, 21)
    figure, axes = make_panels(1, 6.4, 3.2)
    scales = as_numbers(modern.log_n_scale(keys - 1, trained_len))
    for name, scale, (colour, style) in (
        ("with log_n_scale", scales, LINES[0]),
        ("without", np.ones(len(keys)), LINES[1]),
    ):
        axes.plot(keys, 1 / (1 + (keys - 1) * np.exp(-lead * scale)), color=colour, linestyle=style, label=name)
    axes.axvline(trained_len, color=GREY, linestyle=":", linewidth=1)
    axes.set(xscale="log", ylim=(0, 1.05), xlabel="number of keys", ylabel="weight of the right key")
    axes.set_title(f"its score leads all others by {lead:g}; dotted: the trained length")
    axes.legend(loc="lower left")
    return figure


@picture
def schedules_measured(schedules: Iterable[Any]) -> Figure:
    """Draw accuracy against length for each task and schedule of layers.

    Each panel has a thin line per seed, and a thick line for their mean.
    """
    rows, tasks = list(schedules), ("copy 3 back", "passkey")
    kinds = list(dict.fromkeys(row.schedule for row in rows if row.run in tasks))
    lengths = sorted({row.length for row in rows})
    figure = Figure(figsize=(9.6, 3.7), layout="constrained")
    grid = figure.subplots(len(tasks), len(kinds), sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(grid):
        chosen = [one for one in rows if (one.run, one.schedule) == (tasks[row], kinds[column])]
        seed_lines(axes, {(one.length, one.seed): one.accuracy for one in chosen}, lengths)
        axes.set_xticks(lengths[::2], [str(length) for length in lengths[::2]])
        if row == 0:
            axes.set_title(f"RoPE in {kinds[column]}")
        if row == len(tasks) - 1:
            axes.set_xlabel("length, in tokens")
        if column == 0:
            axes.set_ylabel(f"{tasks[row]}:\naccuracy")
    headline(figure, f"trained at {lengths[0]} tokens. Thin lines: single seeds. Dotted: 0.9")
    return figure


@picture
def schedule_losses(schedule_loss: Iterable[Any]) -> Figure:
    """Draw each model's training loss by step."""
    rows, tasks = list(schedule_loss), ("copy 3 back", "passkey")
    names = dict.fromkeys((row.run, row.schedule) for row in rows if row.run in tasks)
    return loss_curves(
        {f"{run}, RoPE in {schedule}": [row for row in rows if row[:2] == (run, schedule)] for run, schedule in names},
        4,
    )


@picture
def learned_sink(modern: ModuleType, low: float = -2, high: float = 2) -> Figure:
    """Draw the weights of four keys for three learned sinks, and the weight of the sink."""
    scores, sinks = np.array([1.0, 0.0, -1.0, 0.5]), [low, (low + high) / 2, high]
    weights = as_numbers(modern.sink_weights(np.tile(scores, (3, 1, 1)), np.array(sinks)))[:, 0]
    figure, axes = make_panels(1, NARROW, 2.8)
    for place, (sink, row, colour, hatch) in enumerate(
        zip(sinks, weights, (BLUE, ORANGE, PURPLE), ("", "//", ".."), strict=True)
    ):
        bars = [*row, 1 - row.sum()]
        axes.bar(np.arange(5) + 0.27 * (place - 1), bars, 0.25, color=colour, hatch=hatch, label=f"sink {sink:g}")
    axes.set_xticks(range(5), [*(f"{score:g}" for score in scores), "what the\nsink takes"])
    axes.set(xlabel="score of the key", ylabel="weight", ylim=(0, 1))
    axes.legend(loc="upper left")
    return figure


def measurements() -> dict[str, Any]:
    """Return the measurements for the pictures that show no function of the student."""
    from assignments.modern import lab

    return {"schedules": lab.saved(), "schedule_loss": lab.saved_losses()}
