"""The pictures of the course, each drawn from the functions of whoever hands in a module.

`figures.clock_hands(sinusoidal)` draws what the functions of `sinusoidal` return, right or wrong, and returns
a matplotlib Figure. A function that is not written yet, or that fails, gives a card that names it. In a notebook

    figures.explore(figures.clock_hands, sinusoidal, position=(0, 60))

draws the same picture with a slider for each named argument. `python figures.py` draws all of them into the folder
`figures` beside this file.
"""

from __future__ import annotations

import functools
import inspect
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.text import Text

HERE = Path(__file__).resolve().parent

# One look for all. The colours are told apart by colour-blind readers too, and each comes with a line style,
# so that a print in grey can be read too. Sizes are shades that grow darker; signed values are orange below 0 and blue
# above.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#AA4499", "#8C8C8C"
INK, FAINT = "#222222", "#DDDDDD"
LINES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (PURPLE, ":"))
ON_COLOUR = "#FEFEFE"  # what is written on a full colour
SHADES = ListedColormap([to_rgba(BLUE, step / 255) for step in range(256)])
SIGNED = ListedColormap([to_rgba(ORANGE if step < 0 else BLUE, abs(step) / 255) for step in range(-255, 256, 2)])
"""No colour at 0, so that the paper's own is there; stronger farther away. `SIGNED` is orange below 0 and blue
above."""
THEME = {
    "#FFFFFF": ("paper", "#FFFFFF", "#16181B"),
    INK: ("ink", INK, "#E8E6E1"),
    "#555555": ("soft", "#555555", "#A9A7A2"),
    FAINT: ("faint", FAINT, "#3C4046"),
    GREY: ("grey", "#767676", GREY),
    BLUE: ("blue", BLUE, "#2F8CCC"),
    ORANGE: ("orange", "#C04F00", ORANGE),
    GREEN: ("green", "#00805D", GREEN),
    PURPLE: ("purple", PURPLE, "#C873B9"),
    ON_COLOUR: ("on", "#FFFFFF", "#101214"),
}
"""A colour of a picture → its name in a saved one, and what it is there in the light and in the dark: words in it can
be read on paper, and ON_COLOUR on it."""
STYLE = {
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(
        color=[colour for colour, _ in LINES], linestyle=[style for _, style in LINES]
    ),
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
}


# Drawing, whatever the functions do.


class _Watched:
    """A module that remembers which of its functions was called last, so that a card can name it."""

    def __init__(self, module: ModuleType, calls: list[str]) -> None:
        self._module, self._calls = module, calls

    def __getattr__(self, name: str) -> Any:
        self._calls.append(name)
        function = getattr(self._module, name)
        if not callable(function):
            self._calls.pop()
            return function

        @functools.wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            self._calls.append(name)
            return function(*arguments, **named)

        return watched


def picture(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Makes a drawing function safe to call on anything: what cannot be drawn becomes a card."""

    @functools.wraps(draw)
    def drawn(*modules: ModuleType, **settings: Any) -> Figure:
        calls: list[str] = []
        watched = [_Watched(module, calls) if isinstance(module, ModuleType) else module for module in modules]
        with matplotlib.rc_context(STYLE), np.errstate(all="ignore"):
            try:
                figure = draw(*watched, **settings)
                figure.draw_without_rendering()  # some results only fail when they are put on paper
            except Exception as reason:
                figure = _card(calls[-1] if calls else draw.__name__, reason)
        return figure

    PICTURES.append(drawn)
    return drawn


PICTURES: list[Callable[..., Figure]] = []


def _card(function: str, reason: Exception) -> Figure:
    """What stands in for a picture that cannot be drawn yet."""
    if isinstance(reason, NotImplementedError):
        # A written function may call one that is not, and a stub says its name.
        if match := re.match(r"(\w+) is not written yet", str(reason)):
            function = match[1]
        why = "It is not written yet."
    elif isinstance(reason, AttributeError) and function in str(reason):
        why = "Your file has no function of that name."
    else:
        words = textwrap.shorten(f"{type(reason).__name__}: {reason}", 100, placeholder=" …")
        why = f"With what it does now, there is nothing to draw:\n{words}"
    figure = Figure(figsize=(7, 1.6))
    axes = figure.add_axes((0.02, 0.06, 0.96, 0.88), xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=GREY, linestyle=(0, (4, 4)))
    axes.text(0.5, 0.66, f"This picture waits for {function}", ha="center", va="center", fontsize=12)
    axes.text(0.5, 0.3, why, ha="center", va="center", color="#555555", parse_math=False)
    return figure


def explore(draw: Callable[..., Figure], *modules: ModuleType, **controls: Any) -> None:
    """The picture with a slider for each control: `name=(low, high)` or `(low, high, step)`, or a list to choose
    from."""
    from ipywidgets import interact, interactive  # notebooks have it; drawing alone does not need it

    def draw_again(**settings: Any) -> Figure:
        return draw(*modules, **settings)

    starts = inspect.signature(draw).parameters
    widgets = {name: interactive.widget_from_abbrev(choice, starts[name].default) for name, choice in controls.items()}
    interact(draw_again, **widgets)


def _numbers(values: Any) -> np.ndarray:
    """What a function returned, as numbers to draw: lists and integers will do."""
    return np.asarray(values, dtype=np.float64)


def _panels(columns: int, width: float, height: float, **layout: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns, **layout)


def _small_multiples(
    names: Sequence[str], xlabel: str, ylabel: str, columns: int = 5
) -> tuple[Figure, dict[str, Axes]]:
    """One small panel a name, on shared axes, which are labelled on the left and below the last panel of each
    column."""
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(9.4, 0.6 + 1.85 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        axes.set_visible(place < len(names))
        if place + columns >= len(names):
            axes.set_xlabel(xlabel)
            axes.tick_params(labelbottom=True)
        if place % columns == 0:
            axes.set_ylabel(ylabel)
    panels = dict(zip(names, grid.flat, strict=False))
    for name, axes in panels.items():
        axes.set_title(name)
    return figure, panels


def _headline(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def _note(axes: Axes, text: str, at: tuple[float, float], beside: tuple[float, float], **looks: Any) -> None:
    """Words beside a point, `beside` in points of the page."""
    axes.annotate(text, at, beside, textcoords="offset points", **looks)


def _heatmap(axes: Axes, values: Any, low: float, high: float, digits: int | None = None) -> Any:
    """A matrix as shades, with the numbers written in where `digits` says how many; no colour is 0 where `low` is
    −`high`."""
    values = _numbers(values)
    # So that ink can be read on all of them.
    shades, strength = SIGNED if low == -high else SHADES, None if digits is None else 0.75
    image = axes.imshow(values, cmap=shades, vmin=low, vmax=high, aspect="auto", interpolation="none", alpha=strength)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if digits is not None:
        for (row, column), value in np.ndenumerate(values):
            axes.text(column, row, f"{value:.{digits}f}".replace("-", "−"), ha="center", va="center", fontsize=8)
    return image


def _shade_bar(figure: Figure, image: Any, axes: Any, label: str) -> Any:
    bar = figure.colorbar(image, ax=axes, shrink=0.85, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)
    return bar


def _dial(axes: Axes, radius: float = 1.0) -> None:
    """A round face without numbers."""
    axes.set(
        xlim=(-1.18 * radius, 1.18 * radius), ylim=(-1.18 * radius, 1.18 * radius), aspect="equal", xticks=[], yticks=[]
    )
    axes.spines[:].set_visible(False)
    turn = np.linspace(0, 2 * np.pi, 121)
    axes.plot(radius * np.cos(turn), radius * np.sin(turn), color=FAINT, linestyle="-", linewidth=1, zorder=0)
    axes.plot([0], [0], "o", color=INK, markersize=3)


def _hand(axes: Axes, tip: Any, colour: str, width: float = 2.0, alpha: float = 1.0) -> None:
    arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": colour, "linewidth": width, "alpha": alpha}
    x, y = _numbers(tip)
    axes.annotate("", (x, y), (0, 0), arrowprops=arrow)


def _fraction(value: float) -> str:
    """1/8 where it is one over a whole number, else a decimal."""
    return f"1/{1 / value:.0f}" if value > 0 and abs(1 / value - round(1 / value)) < 1e-9 else f"{value:.3g}"


def _whole(value: int) -> str:
    """A whole number with a true minus sign."""
    return f"{value}".replace("-", "−")


def _signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


# The map of the course.

NARROW = 3.7  # inches: a picture of this width fits a phone without scrolling

# Where position can enter a layer, in the order of the computation.
PLACES = ("embedding", "score", "bias,\nmask")
# Lesson, hours, lessons that it needs, its places (counted from 1), what happens there.
COURSE = (
    ("attention", 3, "–", (), "the whole layer, and no position anywhere"),
    ("naive", 2, "1", (1,), "a number is added to the row of a token"),
    ("sinusoidal", 3, "1, 2", (1,), "sines and cosines are added to the row of a token"),
    ("learned", 1.5, "1, 3", (1,), "a learned row is added to the row of a token"),
    ("rope", 5, "1, 3", (2,), "queries and keys are rotated before the score"),
    ("relative", 2.5, "1, 4, 5", (2, 3), "a learned vector or number for each distance"),
    ("alibi", 1.5, "1, 6", (3,), "the score loses a slope times the distance"),
    ("context_extension", 2.5, "5", (2,), "slower rotations, for longer texts"),
    ("extrapolation", 2.5, "1–7", (1, 2, 3), "ten methods in one small model, measured"),
    ("grids", 3, "3, 4, 5", (1, 2), "two or three coordinates in place of one position"),
    ("modern", 3, "1, 5, 8", (2, 3), "rotation in some layers only, masks for some keys only"),
    ("state", 3, "1, 5, 7", (3,), "each token says how much of the past stays"),
)


def _layer(axes: Axes, lit: Sequence[int]) -> None:
    """The steps of a transformer layer from left to right, at height 0; the places in `lit` are coloured."""
    for place, name in enumerate((*PLACES, "softmax,\nvalues"), start=1):
        left, colour = 0.255 * (place - 1), BLUE if place in lit else "white"
        style = "-" if place <= len(PLACES) else ":"
        axes.add_patch(Rectangle((left, -0.5), 0.19, 1, facecolor=colour, edgecolor=INK, linestyle=style))
        axes.text(left + 0.095, 0, name, ha="center", va="center", fontsize=8, color=ON_COLOUR if place in lit else INK)
        if place > 1:
            arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": INK}
            axes.annotate("", (left, 0), (left - 0.065, 0), arrowprops=arrow)
    axes.set(xlim=(-0.01, 0.965), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def _map(lesson: str | None) -> None:
    """The picture `map` of the whole course, or the small one of a lesson, `map_<lesson>`."""

    def whole() -> Figure:
        """The lessons of the course and the places of a layer where each puts the position."""
        figure = Figure(figsize=(NARROW, 5), layout="constrained")
        axes = figure.subplots()
        _layer(axes, (1, 2, 3))
        columns = (0.43, 0.57, 0.68, 0.79, 0.91)
        for x, name in zip((0.05, *columns), ("lesson", *PLACES, "hours", "needs"), strict=True):
            axes.text(x, 1.6, name, ha="center", va="bottom", fontsize=8)
        for row, (name, hours, needs, places, _) in enumerate(COURSE):
            y = 2.2 + 0.9 * row
            axes.axhline(y - 0.45, color=FAINT, linestyle="-", linewidth=0.8)
            axes.text(0.035, y, row + 1, ha="right", va="center")
            axes.text(0.05, y, name, va="center")
            axes.plot([columns[place - 1] for place in places], [y] * len(places), "o", color=BLUE, markersize=8)
            for x, words in zip(columns[3:], (f"{hours:g}", needs), strict=True):
                axes.text(x, y, words, ha="center", va="center")
        axes.set_ylim(2.2 + 0.9 * len(COURSE) - 0.4, -0.6)
        axes.set_xlabel(f"{len(COURSE)} lessons of 20 points, about {sum(one[1] for one in COURSE):.0f} hours")
        return figure

    def part() -> Figure:
        """A layer with the places lit where one lesson puts the position."""
        *_, places, happens = next(one for one in COURSE if one[0] == lesson)
        figure = Figure(figsize=(NARROW, 0.95), layout="constrained")
        axes = figure.subplots()
        _layer(axes, places)
        axes.set(ylim=(0.6, -0.6), xlabel=happens)
        return figure

    draw = part if lesson else whole
    draw.__name__ = f"map_{lesson}" if lesson else "map"
    picture(draw)


for _lesson in (None, *(one[0] for one in COURSE)):
    _map(_lesson)


# 1. attention


@picture
def three_networks(tokens: int = 6) -> Figure:
    """How the last token hears of the first: step by step, through windows of neighbours, or at once."""
    figure, panels = _panels(3, 9.4, 3.1, sharey=True)
    columns = np.arange(tokens)
    last = tokens - 1
    rnn = [((0, column), (0, column + 1)) for column in range(last)]
    # A window of three tokens: each layer hears one neighbour more on either side.
    layers = max(last, 1)
    cnn = [
        ((layer, column + step), (layer + 1, column))
        for layer in range(layers)
        for column in columns
        for step in (-1, 0, 1)
    ]
    cnn = [edge for edge in cnn if 0 <= edge[0][1] < tokens]
    attention = [((0, column), (1, other)) for column in columns for other in columns]
    path = [((layer, layer), (layer + 1, layer + 1)) for layer in range(layers)]
    drawings = (
        ("RNN: one token after the other", rnn, rnn, f"from token 0 to token {last}: {last} steps"),
        ("CNN: a token and two neighbours", cnn, path, f"from token 0 to token {last}: {last} layers"),
        ("attention: every pair at once", attention, [((0, 0), (1, last))], f"from token 0 to token {last}: 1 layer"),
    )
    for axes, (title, edges, way, words) in zip(panels, drawings, strict=True):
        for kind, colour, width in ((edges, FAINT, 1.0), (way, ORANGE, 2.2)):
            for (low, start), (high, end) in kind:
                arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 5, "shrinkB": 5}
                axes.annotate("", (end, high), (start, low), arrowprops=arrow)
        for level in {level for edge in edges for level, _ in edge}:
            axes.plot(columns, np.full(tokens, level), "o", color=BLUE, markersize=7)
        axes.set(
            title=title, xlabel=f"token\n{words}", xticks=columns, xlim=(-0.6, last + 0.6), ylim=(-0.5, layers + 0.5)
        )
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    for axes in panels[1:]:
        axes.set_ylabel("layer (the lowest row: the input)")
    return figure


WORDS = ("the", "owl", "saw", "the", "cat")
CAT_SAW_OWL = (0, 4, 2, 3, 1)


@picture
def token_shuffle(attention: ModuleType, shuffle: int = 1, causal: bool = False) -> Figure:
    """Shuffle the tokens and the same weights move along: rows and columns are reordered, no number changes."""
    rng = np.random.default_rng(3)
    features = {word: rng.normal(size=6) for word in WORDS}
    x = np.array([features[word] for word in WORDS])
    w_q, w_k, w_v = rng.normal(size=(3, 6, 6)) / 2
    order = {0: np.arange(5), 1: np.array(CAT_SAW_OWL)}.get(shuffle, np.random.default_rng(shuffle).permutation(5))
    mask = attention.causal_mask(5) if causal else None

    before = attention.attention_weights(x @ w_q, x @ w_k, mask)
    moved = attention.permute_tokens(x, order)
    after = attention.attention_weights(moved @ w_q, moved @ w_k, mask)
    gap = attention.equivariance_gap(x, w_q, w_k, w_v, order, mask)

    figure, (left, right) = _panels(2, 8.4, 3.7)
    for axes, weights, words, title in (
        (left, before, WORDS, "attention weights, tokens in order"),
        (right, after, [WORDS[place] for place in order], "the same tokens, shuffled"),
    ):
        image = _heatmap(axes, weights, 0, 1, digits=2)
        axes.set(title=title, xlabel="key", xticks=range(5), yticks=range(5), xticklabels=words, yticklabels=words)
    left.set_ylabel("query")
    _shade_bar(figure, image, (left, right), "attention weight")
    moved_only = gap < 1e-6
    verdict = "the outputs moved with their tokens and did not change" if moved_only else "the outputs changed"
    mask_word = "With a causal mask" if causal else "Without a mask"
    size = "0 up to rounding" if moved_only else f"{gap:.2g}"
    _headline(figure, f"{mask_word} the equivariance gap is {size}: {verdict}.\n")
    return figure


@picture
def attention_path() -> Figure:
    """From the rows of the tokens to the output, with the shape at each step. No step uses the number of a row."""
    figure = Figure(figsize=(NARROW, 2.6), layout="constrained")
    axes = figure.subplots()
    boxes = {
        "x\n(T, dx)": (0, 1),
        "Q\n(T, d)": (1, 2),
        "K\n(T, d)": (1, 1),
        "V\n(T, dv)": (1, 0),
        "scores\n(T, T)": (2, 1.5),
        "weights\n(T, T)": (3, 1.5),
        "output\n(T, dv)": (4, 0.75),
    }
    places = list(boxes.values())
    for start, end in ((0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (4, 5), (5, 6), (3, 6)):
        (x, y), (to_x, to_y) = places[start], places[end]
        arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": INK}
        axes.annotate("", (to_x - 0.38, to_y), (x + 0.38, y), arrowprops=arrow)
    for words, (x, y) in boxes.items():
        axes.add_patch(Rectangle((x - 0.38, y - 0.32), 0.76, 0.64, facecolor="white", edgecolor=INK))
        axes.text(x, y, words, ha="center", va="center")
    axes.text(2.5, 2, "softmax", ha="center")
    axes.text(2.5, 0.1, "average", ha="center")
    axes.set(xlim=(-0.4, 4.4), ylim=(-0.4, 2.4), xticks=[], yticks=[])
    axes.set_xlabel("Q, K and V: x times a learned matrix each")
    axes.spines[:].set_visible(False)
    return figure


@picture
def heads(attention: ModuleType, n_heads: int = 2) -> Figure:
    """Two tokens with four features, cut into heads: a head has all tokens and its own columns."""
    tokens = np.arange(1.0, 9.0).reshape(2, 4)
    cut = _numbers(attention.split_heads(tokens, n_heads))
    figure, panels = _panels(1 + len(cut), NARROW, 1.3, width_ratios=[4, *(part.shape[-1] for part in cut)])
    named = {"x": tokens} | {f"head {head}": part for head, part in enumerate(cut)}
    for axes, (name, values) in zip(panels, named.items(), strict=True):
        for (row, column), value in np.ndenumerate(values):
            # The colour of a number is that of the head that should get it, whichever one did.
            colour = LINES[int(value - 1) % 4 * n_heads // 4 % len(LINES)][0]
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
            axes.text(column, row, f"{value:g}", ha="center", va="center", color=ON_COLOUR)
        rows, columns = values.shape
        axes.set(
            xlim=(-0.5, columns - 0.5),
            ylim=(rows - 0.5, -0.5),
            xticks=range(columns),
            yticks=[],
            title=name,
            xlabel="column",
        )
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    panels[0].set(yticks=(0, 1), ylabel="token")
    return figure


# 2. naive


@picture
def integer_scale(naive: ModuleType, length: int = 512) -> Figure:
    """Add the position to every feature: soon it is much larger than the features of the token."""
    tokens = np.random.default_rng(0).normal(size=(length, 64))
    placed = _numbers(naive.add_integer_positions(tokens))
    positions = _numbers(naive.integer_positions(length))
    directions = placed / np.linalg.norm(placed, axis=1, keepdims=True)
    angles = np.degrees(2 * np.arcsin(np.linalg.norm(np.diff(directions, axis=0), axis=1) / 2))

    figure, (left, right) = _panels(2, 8.4, 3.2)
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
    """The same position is another number in a longer text, and one step is another size."""
    figure = Figure(figsize=(8.4, 2.3), layout="constrained")
    axes = figure.subplots()
    for row, length in ((1, short), (0, long)):
        places = _numbers(naive.normalized_positions(length))
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
    """The same token at position 0 and far away, before and after LayerNorm: what was added to all features is gone."""
    token = np.random.default_rng(1).normal(size=6)
    placed = _numbers(naive.add_integer_positions(np.tile(token, (position + 1, 1))))
    rows = {0: placed[0], position: placed[-1]}
    figure, panels = _panels(2, NARROW, 2.4)
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
    """Each bit is a square wave with twice the period of the bit below it. At some steps many bits change at once."""
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
    """Adding 1 to a bit that is 1 makes it 0 and carries on to the next bit: the framed bits changed in the last
    step."""
    codes = np.asarray(naive.binary_positions(2**n_bits, n_bits))
    middle = 2 ** (n_bits - 1)
    positions = range(middle - 4, middle + 5)
    figure = Figure(figsize=(NARROW, 1 + 0.3 * n_bits), layout="constrained")
    axes = figure.subplots()
    _heatmap(axes, codes[positions].T, 0, 2, digits=0)
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


# 3. sinusoidal


@picture
def sinusoidal_heatmap(sinusoidal: ModuleType, base: float = 10000.0) -> Figure:
    """Fast pairs on the left, slow ones on the right; each row is the code of one position."""
    figure, (small, large) = _panels(2, 10, 4.2, width_ratios=(1, 1.35))
    _heatmap(small, sinusoidal.sinusoidal_encoding(np.arange(12), 8, base), -1, 1, digits=2)
    names = [f"{kind} {pair}" for pair in range(4) for kind in ("sin", "cos")]
    small.set(title="12 positions, 8 features", ylabel="position", yticks=range(12), xticks=range(8))
    small.set_xticklabels(names, rotation=45)
    image = _heatmap(large, sinusoidal.sinusoidal_encoding(np.arange(20), 32, base), -1, 1)
    large.set(title="20 positions, 32 features", xlabel="feature", ylabel="position")
    large.set(yticks=range(0, 20, 2), xticks=range(0, 32, 4))
    _shade_bar(figure, image, (small, large), "value (no colour is 0)")
    return figure


@picture
def position_slice(sinusoidal: ModuleType, position: int = 30, d_model: int = 32, length: int = 60) -> Figure:
    """The heatmap with positions from left to right: the code of one position is a vertical slice of it."""
    codes = _numbers(sinusoidal.sinusoidal_encoding(np.arange(length), d_model))
    at = min(position, length - 1)
    figure, (heat, bars) = _panels(2, 9.4, 4.2, width_ratios=(1.9, 1), sharey=True)
    image = _heatmap(heat, codes.T, -1, 1)
    heat.add_patch(Rectangle((at - 0.5, -0.5), 1, d_model, fill=False, edgecolor=INK, linewidth=1.8))
    heat.set(
        title="all positions", xlabel="position", ylabel="feature (fast pairs at the top)", yticks=range(0, d_model, 4)
    )
    features = np.arange(d_model)
    for start, name, colour in ((0, "sine", GREEN), (1, "cosine", PURPLE)):
        bars.barh(
            features[start::2],
            codes[at, start::2],
            color=colour,
            height=0.8,
            label=name,
            hatch="" if start == 0 else "///",
        )
    bars.axvline(0, color=GREY, linewidth=0.8, linestyle="-")
    bars.set(title=f"the slice at position {at}: its code", xlabel="value", xlim=(-1.1, 1.1))
    bars.legend(loc="lower left")
    _shade_bar(figure, image, heat, "value (no colour is 0)")
    return figure


@picture
def wavelength_fan(sinusoidal: ModuleType, zoom: float = 100, d_model: int = 16) -> Figure:
    """Each wavelength is a fixed factor longer than the one before; in a short sequence the slow pairs hardly move."""
    lengths = _numbers(sinusoidal.wavelengths(d_model))
    omega = _numbers(sinusoidal.frequencies(d_model))
    pairs = np.arange(len(lengths))
    figure, (fan, waves) = _panels(2, 8.8, 3.6, width_ratios=(1, 1.7))
    fan.plot(lengths, pairs, "o", color=BLUE)
    fan.axvspan(lengths.min() / 3, zoom, color=FAINT, alpha=0.6, linewidth=0)
    fan.set(xscale="log", xlim=(lengths.min() / 3, lengths.max() * 3), yticks=pairs)
    fan.set(
        xlabel="wavelength, in positions", ylabel="pair", title=f"shaded: at least one full turn\nin {zoom:g} positions"
    )
    fan.invert_yaxis()
    positions = np.linspace(0, zoom, 1000)
    for pair, wave in enumerate(np.sin(np.outer(omega, positions))):
        colour = BLUE if lengths[pair] <= zoom else GREY
        waves.plot(positions, pair - 0.4 * wave, color=colour, linestyle="-", linewidth=1.2)
    waves.set(xlabel="position", yticks=pairs, ylim=(len(pairs) - 0.4, -0.6), xlim=(0, zoom))
    waves.set_title(f"the sine of each pair over {zoom:g} positions\n(blue: at least one full turn)")
    waves.tick_params(axis="y", length=0)
    waves.spines["left"].set_visible(False)
    return figure


@picture
def clock_hands(sinusoidal: ModuleType, position: float = 5, d_model: int = 8) -> Figure:
    """A position is the tips of d/2 hands, each slower than the one before. They start at the top and turn
    clockwise."""
    omega = sinusoidal.frequencies(d_model)
    code = _numbers(sinusoidal.sinusoidal_encoding(position, d_model))
    trail = _numbers(sinusoidal.sinusoidal_encoding(np.linspace(0, position, 200), d_model))
    figure, dials = _panels(d_model // 2, 8.8, 2.9)
    for pair, axes in enumerate(dials):
        _dial(axes)
        recent = trail[:, 2 * pair : 2 * pair + 2]
        axes.plot(recent[:, 0], recent[:, 1], color=BLUE, linestyle="-", linewidth=3, alpha=0.35, solid_capstyle="butt")
        tip = code[2 * pair : 2 * pair + 2]
        _hand(axes, tip, BLUE)
        axes.set_title(f"pair {pair}", loc="center")
        axes.set_xlabel(f"ω = {omega[pair]:.3g}\nsin {_signed(tip[0])}   cos {_signed(tip[1])}")
    _headline(figure, f"The hands at position {position:g}. Thick line: the way from position 0")
    return figure


@picture
def similarity(sinusoidal: ModuleType, d_model: int = 64, reach: int = 100) -> Figure:
    """The dot product of two encodings: highest at offset 0, the same for k and −k, and not falling at every step."""
    offsets = np.arange(-reach, reach + 1)
    values = _numbers(sinusoidal.offset_similarity(offsets, d_model))
    figure = Figure(figsize=(7.2, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot(offsets, values, color=BLUE, linestyle="-", linewidth=1.4)
    axes.axhline(0, color=GREY, linewidth=0.8, linestyle="-")
    axes.plot(0, values[reach], "o", color=ORANGE)
    axes.set(xlabel="offset, in positions", ylabel="PE(p) · PE(p + offset)", xlim=(-reach, reach))
    axes.set_title(f"dot product of two encodings, d = {d_model}")
    return figure


@picture
def shift_on_circle(sinusoidal: ModuleType, position: float = 1, offset: float = 1) -> Figure:
    """One pair at a position and some positions further, as (sine, cosine) and as (cosine, sine)."""
    code = _numbers(sinusoidal.sinusoidal_encoding(position, 2))
    moved = _numbers(sinusoidal.shift_matrix(offset, 2)) @ code
    way = _numbers(sinusoidal.sinusoidal_encoding(np.linspace(position, position + offset, 50), 2))
    figure, panels = _panels(2, NARROW, 2.1)
    for axes, order, title in zip(panels, ((0, 1), (1, 0)), ("clockwise", "anticlockwise"), strict=True):
        _dial(axes)
        axes.plot(*(0.5 * way[:, order].T), color=ORANGE, linestyle="-")
        middle = 0.68 * way[len(way) // 2, order]
        axes.text(*middle, "kω", color=ORANGE, ha="center", va="center")
        for tip, colour, name in ((code, GREY, "p"), (moved, BLUE, "p + k")):
            _hand(axes, tip[list(order)], colour)
            axes.text(*(1.3 * tip[list(order)]), name, color=colour, ha="center", va="center")
        names = ("sine", "cosine")
        axes.set(
            title=title,
            xlabel=f"{names[order[0]]} →",
            ylabel=f"{names[order[1]]} →",
            xlim=(-1.4, 1.4),
            ylim=(-1.4, 1.4),
        )
    return figure


# 4. learned


@picture
def table_lookup(learned: ModuleType, trained: int = 8, asked: int = 13, max_len: int = 12) -> Figure:
    """A row that was trained, a row that was not, and a row that does not exist."""
    d_model = 24
    table = np.asarray(learned.init_table(max_len, d_model, seed=0))
    # Something for the rows to learn: a smooth pattern, by plain gradient descent.
    wanted = 0.1 * np.sin(np.outer(np.arange(max_len), np.ones(d_model)) / 2 + np.linspace(0, 6, d_model))
    positions = np.arange(min(trained, max_len))
    for _ in range(40):
        error = learned.lookup(table, positions) - wanted[positions]
        table = np.asarray(learned.sgd_step(table, learned.lookup_gradient(table.shape, positions, error), 0.2))
    has_learned = np.asarray(learned.trained_rows(max_len, [min(trained, max_len)]))
    try:
        found = learned.lookup(table, asked)
    except IndexError:
        found = None

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.subplots()
    image = _heatmap(axes, table, -0.1, 0.1)
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
    _shade_bar(figure, image, axes, "value of a feature")
    return figure


@picture
def gradient_rows(learned: ModuleType, positions: Sequence[int] = (0, 2, 0)) -> Figure:
    """Each lookup sends its gradient back to the row that it read, and there the gradients are added."""
    sent = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 5.0]])[: len(positions)]
    added = _numbers(learned.lookup_gradient((3, 2), positions, sent))
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
    """One feature of three rows, and of the rows of the stretched table, each at its old position."""
    table = np.array([[1.0], [2.0], [3.0]])
    new = _numbers(learned.resize_table(table, rows))[:, 0]
    figure = Figure(figsize=(NARROW, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(3), table[:, 0], "o-", color=GREY, markersize=13, alpha=0.6, label="3 old rows")
    axes.plot(np.linspace(0, 2, rows), new, "o", linestyle="none", color=BLUE, markersize=6, label=f"{rows} new rows")
    axes.set(
        xlabel="old position", ylabel="feature", xticks=range(3), yticks=(1, 2, 3), xlim=(-0.2, 2.2), ylim=(0.6, 3.4)
    )
    axes.legend(loc="upper left")
    return figure


# 5. rope


@picture
def rotated_pair(rope: ModuleType, position: float = 4, head_dim: int = 8) -> Figure:
    """The same pair of features at position 0 and at a later one: each pair is rotated by its own frequency and keeps
    its length."""
    theta = rope.rope_frequencies(head_dim)
    start = np.tile([0.9, 0.35], head_dim // 2)[np.newaxis]
    turned = _numbers(rope.apply_rope(start, [position]))[0]
    way = _numbers(rope.apply_rope(np.repeat(start, 200, axis=0), np.linspace(0, position, 200)))
    radius = float(np.hypot(0.9, 0.35))
    figure, dials = _panels(head_dim // 2, 8.8, 2.9)
    for pair, axes in enumerate(dials):
        here = slice(2 * pair, 2 * pair + 2)
        _dial(axes, radius)
        axes.plot(*(0.55 * way[:, here].T), color=BLUE, linestyle="-", linewidth=2.5, alpha=0.35)
        _hand(axes, start[0, here], GREY, width=1.4)
        _hand(axes, turned[here], BLUE)
        axes.set_title(f"pair {pair}", loc="center")
        angle = position * theta[pair]
        axes.set_xlabel(f"θ = {theta[pair]:.3g}\nrotated by {angle:.3g} radians")
    _headline(figure, f"one pair of features in each circle; grey: at position 0, blue: at position {position:g}")
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
    """Shift query and key together: both arrows rotate, and the score does not change. θ is π/4, an eighth of a circle
    per position."""
    theta = np.pi / 4
    query_row, key_row = _numbers(q)[np.newaxis], _numbers(k)[np.newaxis]

    def rotated(x: np.ndarray, position: int) -> np.ndarray:
        # A single pair rotates by one radian per position, so position · π/4 makes its θ equal to π/4.
        return _numbers(rope.apply_rope(x, [position * theta]))[0]

    def score(m: int, n: int) -> float:
        return float(np.asarray(rope.rope_scores(query_row, key_row, [m * theta], [n * theta]))[0, 0])

    m, n = query + shift, key + shift
    scores = {
        "not rotated at all": float((query_row @ key_row.T)[0, 0] / np.sqrt(2)),
        f"rotated: query at {_whole(m)}, key at {_whole(n)}": score(m, n),
        f"same offset from 0: query at 0, key at {_whole(n - m)}": score(0, n - m),
    }
    figure, (dial, bars) = _panels(2, 8.8, 3.1, width_ratios=(1, 1.9))
    longest = max(np.linalg.norm(query_row), np.linalg.norm(key_row), 0.1)
    radius = 1.03 * longest
    _dial(dial, radius)
    for eighth in range(8):
        x, y = radius * np.cos(eighth * theta), radius * np.sin(eighth * theta)
        dial.plot([0.95 * x, 1.05 * x], [0.95 * y, 1.05 * y], color=GREY, linestyle="-", linewidth=1)
    for row, position, colour, name in ((query_row, m, BLUE, "q"), (key_row, n, ORANGE, "k")):
        _hand(dial, row[0], colour, width=1, alpha=0.35)
        tip = rotated(row, position)
        _hand(dial, tip, colour)
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
        bars.text(-0.98 * reach, place + 0.3, f"{name}:  {_signed(value, 4)}", va="bottom", bbox=backing)
    bars.set(xlim=(-reach, reach), ylim=(-0.45, 2.75), yticks=[], xlabel="score")
    bars.spines["left"].set_visible(False)
    return figure


@picture
def layouts(rope: ModuleType, head_dim: int = 6) -> Figure:
    """The features of a row in the interleaved layout, and where `interleaved_to_half` puts each of them."""
    half = _numbers(rope.interleaved_to_half(np.arange(float(head_dim)))).reshape(head_dim)
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
    """One row on two ways: rotated and then reordered, and reordered and then rotated in the half layout."""
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
    """The four features of one row as words."""
    return " ".join(f"{value:.3g}" if value == int(value) else f"{value:.2f}" for value in _numbers(values).reshape(4))


@picture
def head_shapes() -> Figure:
    """The steps of `rope_attention` with the shape after each, in letters and for the example of the lesson."""
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
    """Token after token: which keys a step computes, and which it reads from the cache. What `decode_step` returns
    decides."""
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(tokens, 4)), rng.normal(size=(3, 4, 4))
    cache_k = cache_v = np.zeros((1, 0, 4))
    states = np.full((tokens, tokens), np.nan)
    for step in range(tokens):
        before = cache_k
        _, cache_k, cache_v = rope.decode_step(x[step : step + 1], *weights, 1, cache_k, cache_v, step)
        cache_k = _numbers(cache_k)
        kept = np.isclose(cache_k[:, :step], before).all(axis=(0, 2))
        states[step, :step], states[step, step] = np.where(kept, 1, 3), 2
    shown = {
        1: ("read from the cache", FAINT, ""),
        2: ("computed in this step", BLUE, ""),
        3: ("changed in the cache", ORANGE, "//"),
    }

    figure, (grid, count) = _panels(2, 8.8, 3.4, width_ratios=(1, 1.1))
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
        _note(count, f"{values[-1]}", (steps[-1], values[-1]), (4, -3), color=colour)
    count.set(
        xlabel="tokens so far", ylabel="keys", title="keys computed in all steps together", ylim=(0, None), xticks=steps
    )
    count.legend(loc="upper left")
    return figure


@picture
def decay(rope: ModuleType, head_dim: int = 128, reach: int = 1000, favourite: int = 50) -> Figure:
    """RoFormer's bound does not fall at every step, and a score below it can be highest at any distance."""
    offsets = np.arange(0, reach + 1)
    bound = rope.decay_bound(offsets, head_dim)
    q = np.random.default_rng(0).normal(size=(1, head_dim))
    k = rope.apply_rope(q, [favourite])
    near = np.arange(0, min(reach, 4 * favourite) + 1)
    scores = _numbers(rope.rope_scores(q, np.repeat(k, len(near), axis=0), [0], -near))[0]

    figure, (left, right) = _panels(2, 8.8, 3.1)
    left.plot(offsets, bound, color=BLUE, linestyle="-")
    left.set(title=f"decay_bound, head_dim {head_dim}", ylim=(0, None), xlim=(0, reach))
    left.set(xlabel="offset, in positions", ylabel="mean of |S_j|")
    right.plot(near, scores, color=BLUE, linestyle="-", linewidth=1.3)
    right.axvline(favourite, color=ORANGE, linestyle="--", linewidth=1.2)
    _note(right, f"key rotated to match\n{favourite} positions back", (favourite, scores.max()), (6, -12), color=ORANGE)
    right.axhline(0, color=GREY, linewidth=0.8, linestyle="-")
    right.set(title="the score of one query and key", ylabel="score", xlim=(0, near[-1]))
    right.set_xlabel("distance from the query back to the key, in positions")
    return figure


# 6. relative


@picture
def table_rows(relative: ModuleType, length: int = 5, max_distance: int = 2) -> Figure:
    """The relative position of every query and key, and the row of Shaw's table that the pair reads."""
    distances = relative.relative_positions(length, length)
    rows = _numbers(relative.clip_positions(distances, max_distance)) + max_distance
    figure, (left, right) = _panels(2, NARROW, 2.1)
    _heatmap(left, distances, 1 - length, length - 1, digits=0)
    _heatmap(right, rows, 0, 2 * max_distance, digits=0)
    for axes, title in ((left, "j − i"), (right, f"row, clipped at {max_distance}")):
        axes.set(title=title, xlabel="key j", xticks=range(length), yticks=range(length))
    left.set_ylabel("query i")
    return figure


@picture
def distance_names(relative: ModuleType, max_distance: int = 8, num_buckets: int = 16) -> Figure:
    """Which entry of the table belongs to a distance: Shaw clips, T5 has wider buckets far away and a half per
    direction."""
    figure, (shaw, t5) = _panels(2, 8.8, 3.3, width_ratios=(1, 1.5))
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


# 7. alibi


@picture
def alibi_heads(alibi: ModuleType, n_heads: int = 4, length: int = 16) -> Figure:
    """The same straight line in every head, steeper or gentler: steep heads use near keys, gentle ones far keys too."""
    slopes = _numbers(alibi.alibi_slopes(n_heads))
    bias = _numbers(alibi.alibi_bias(n_heads, length, length))
    shown = np.unique(np.linspace(0, n_heads - 1, min(4, n_heads)).round().astype(int))
    figure = Figure(figsize=(8.8, 5.2), layout="constrained")
    grid = figure.add_gridspec(2, len(shown), height_ratios=(1, 1.15))
    heads = [figure.add_subplot(grid[0, place]) for place in range(len(shown))]
    for head, axes in zip(shown, heads, strict=True):
        causal = np.where(np.tri(length, dtype=bool), bias[head], np.nan)
        image = _heatmap(axes, causal, -4, 4)
        axes.set(title=f"head {head}, slope {_fraction(slopes[head])}", xlabel="position of the key", aspect="equal")
        axes.set(xticks=[0, length - 1], yticks=[0, length - 1])
    heads[0].set_ylabel("position of the query")
    _shade_bar(figure, image, heads, "bias (full colour: −4 or less)").ax.set_ylim(-4, 0)
    axes = figure.add_subplot(grid[1, :])
    distances = np.arange(1, 2001)
    for place, head in enumerate(shown):
        colour, style = LINES[place]
        axes.plot(distances, np.exp(-slopes[head] * distances), color=colour, linestyle=style, label=f"head {head}")
        window = alibi.effective_window(slopes[head], 0.01)
        axes.plot(min(window, distances[-1]), 0.01, "o", color=colour, markersize=5)
        _note(axes, f"{window:,}", (min(window, distances[-1]), 0.01), (0, 6), ha="center", color=colour)
    axes.set(xscale="log", ylim=(-0.02, 1.05), xlim=(1, distances[-1]))
    axes.set(xlabel="distance between query and key, in positions", ylabel="weight is multiplied by")
    axes.set_title("how the bias alone lowers a weight; dot: the first distance at which 1/100 or less is left")
    axes.legend(loc="upper right")
    return figure


@picture
def slopes_in_the_gaps(alibi: ModuleType, counts: Sequence[int] = (3, 6, 12)) -> Figure:
    """The slopes for a number of heads that is not a power of two, among those for twice the power of two below."""
    figure = Figure(figsize=(NARROW, 2.2), layout="constrained")
    axes = figure.subplots()
    for row, n_heads in enumerate(counts):
        power = 1 << n_heads.bit_length() >> 1
        steepness = np.log2(_numbers(alibi.alibi_slopes(2 * power)))
        axes.plot(-steepness, [row] * len(steepness), "o", markersize=11, markerfacecolor="none", markeredgecolor=GREY)
        for head, slope in enumerate(np.log2(_numbers(alibi.alibi_slopes(n_heads)))):
            marker, colour = ("o", BLUE) if head < power else ("s", ORANGE)
            axes.plot(-slope, row, marker, markersize=11, color=colour)
            axes.text(-slope, row, head, ha="center", va="center_baseline", fontsize=7, color=ON_COLOUR)
    axes.set(xlabel="steep ← slope → gentle", xticks=[], ylim=(len(counts) - 0.5, -0.5))
    axes.set(yticks=range(len(counts)), yticklabels=[f"{n_heads} heads" for n_heads in counts])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


# 8. context_extension


@picture
def extended_frequencies(
    context_extension: ModuleType, factor: float = 8, trained_len: int = 4096, head_dim: int = 128
) -> Figure:
    """Four methods: which pairs each of them slows down, and by how much."""
    ones = np.ones(head_dim // 2)
    trained = _numbers(context_extension.longrope_frequencies(head_dim, ones))
    turns = _numbers(context_extension.rotations_in_context(head_dim, trained_len))
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
    figure, (left, right) = _panels(2, 9.4, 3.5)
    never = np.flatnonzero(turns < 1)
    for axes in (left, right):
        if never.size:
            axes.axvspan(never[0] - 0.5, pairs[-1] + 0.5, color=FAINT, alpha=0.6, linewidth=0)
        axes.set(xlabel="pair i (fast pairs left, slow pairs right)", xlim=(-0.5, pairs[-1] + 0.5))
    right.plot(
        pairs, turns, color=GREY, linestyle="-", linewidth=5, alpha=0.6, label="in training", solid_capstyle="butt"
    )
    for (name, frequencies), (colour, style) in zip(slowed.items(), LINES, strict=True):
        frequencies = _numbers(frequencies)
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
    """The slowest pair on its circle, in training and beyond; and how many rotations every pair makes in training."""
    turns = _numbers(context_extension.rotations_in_context(head_dim, trained_len))
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
def extended_accuracy(extended: Iterable[Any]) -> Figure:
    """What each method makes of the same trained models at longer lengths: a thin line per model, and their mean."""
    rows = [row for row in extended if row.further_steps == 0]
    tasks = ("copy 3 back", "latest passkey", "passkey")
    methods = ("as trained", "no position", "interpolation", "NTK-aware", "YaRN", "limits 1 and 1")
    lengths = sorted({row.length for row in rows if row.run == tasks[0]})
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    grid = figure.subplots(len(tasks), len(methods), sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(grid):
        chosen = [one for one in rows if (one.run, one.method) == (tasks[row], methods[column])]
        _seed_lines(axes, {(one.length, one.seed): one.accuracy for one in chosen}, lengths)
        axes.set_xticks(lengths[::2], [str(length) for length in lengths[::2]])
        if row == 0:
            axes.set_title(methods[column])
        if row == len(tasks) - 1:
            axes.set_xlabel("length, in tokens")
        if column == 0:
            axes.set_ylabel(f"{tasks[row]}:\naccuracy")
    _headline(
        figure,
        f"trained at {lengths[0]} tokens, without further training. Thin lines: the same 8 models in every panel."
        " Dotted: 0.9",
    )
    return figure


def _seed_lines(axes: Axes, accuracy: dict[tuple[int, int], float], lengths: Sequence[int]) -> None:
    """(length, seed) → accuracy, as a thin line per seed and a thick one for their mean, over lengths on a logarithmic
    axis."""
    seeds = sorted({seed for _, seed in accuracy})
    curves = np.array([[accuracy[length, seed] for length in lengths] for seed in seeds])
    axes.axhline(0.9, color=GREY, linestyle=":", linewidth=0.8)
    axes.plot(lengths, curves.T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.35)
    axes.plot(lengths, curves.mean(axis=0), "o-", color=BLUE, markersize=3)
    axes.set(xscale="log", ylim=(-0.03, 1.08), yticks=(0, 0.5, 1))
    axes.minorticks_off()


@picture
def trained_further(extended: Iterable[Any]) -> Figure:
    """Copying at 64 tokens after more and more steps of training there: a thin line per model, and their mean."""
    rows = [row for row in extended if (row.run, row.length) == ("copy 3 back, trained further", 64)]
    steps = sorted({row.further_steps for row in rows})
    figure, panels = _small_multiples(
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
    """The loss of each model in its training at the trained length, by step."""
    rows = [row for row in extension_loss if "further" not in row.run]
    return _loss_curves(
        {run: [row for row in rows if row.run == run] for run in dict.fromkeys(row.run for row in rows)}, 6
    )


def _loss_curves(panels_of: dict[str, list[Any]], columns: int) -> Figure:
    """A panel per name: the loss by step, a thin line per seed."""
    figure, panels = _small_multiples(
        [name.replace(", ", ",\n") for name in panels_of], "step", "loss", columns=columns
    )
    for axes, rows in zip(panels.values(), panels_of.values(), strict=True):
        steps = sorted({row.step for row in rows})
        found = {(row.step, row.seed): row.loss for row in rows}
        curves = np.array([[found[step, seed] for step in steps] for seed in sorted({row.seed for row in rows})])
        axes.plot(steps, np.maximum(curves, 1e-4).T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.6)
        axes.set(yscale="log", ylim=(1e-4, 5), xticks=(0, steps[-1]))
    return figure


# 9. extrapolation


@picture
def score_patterns(extrapolation: ModuleType, length: int = 24) -> Figure:
    """The same token at every position: every difference between these scores comes from the positions."""
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
    figure, panels = _small_multiples(extrapolation.METHODS, "key", "query")
    for method, axes in panels.items():
        placed = extrapolation.encode(method, token, parameters)
        scores = _numbers(extrapolation.logits(method, placed, placed, parameters))
        visible = scores[np.isfinite(scores)]
        largest = max(np.abs(visible).max(), 1e-6)
        _heatmap(axes, np.where(np.isfinite(scores), scores, np.nan), -largest, largest)
        axes.set(aspect="equal", xticks=[0, length - 1], yticks=[0, length - 1])
    _headline(
        figure,
        "scores of the same token at every position. Blue: above 0, orange: below 0; each panel has its own scale",
    )
    return figure


@picture
def copy_task(length: int = 10, back: int = 3) -> Figure:
    """The task of lesson 9: at every position, name the token that stands 3 positions back; only the position is new
    later."""
    figure = Figure(figsize=(9.4, 1.9), layout="constrained")
    axes = figure.subplots()
    tokens = "cafebdabecfd"
    for place in range(length):
        asked = place >= back
        axes.add_patch(Rectangle((place - 0.42, 0), 0.84, 0.8, facecolor="none", edgecolor=INK, linewidth=0.9))
        axes.text(place, 0.4, tokens[place], ha="center", va="center", fontsize=11)
        axes.text(
            place,
            -0.45,
            tokens[place - back] if asked else "–",
            ha="center",
            va="center",
            fontsize=11,
            color=BLUE if asked else GREY,
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
    """Lengths, and the accuracies of every seed at them, shape (seeds, lengths)."""
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
    """A panel per method, a thin line per seed: in the usual setting, and in the one that was chosen."""
    rows = [row for row in measured if row.task == task]
    figure, panels = _small_multiples(list(dict.fromkeys(row.method for row in rows)), "length, in tokens", "accuracy")
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
    _headline(figure, title)
    return figure


@picture
def attention_against_distance(looks: dict[tuple[str, str], np.ndarray], back: int = 3) -> Figure:
    """Which distances get attention at the longest length: the right key stands `back` positions before the query."""
    names = {key: key[0] if key[1] == "usual" else f"{key[0]}: {key[1]}".replace("_", " ") for key in looks}
    shown = {key: name for key, name in names.items() if not np.isnan(looks[key]).any()}
    figure, panels = _small_multiples(list(shown.values()), "distance, in positions", "mean weight")
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
    _headline(figure, f"attention weight by distance at the longest length; thick: the right key, {back} back{ending}")
    return figure


@picture
def loss_against_steps(curves: dict[tuple[str, str], np.ndarray], steps: int = 2000) -> Figure:
    """Whether training has come to an end: the loss of every method, in its usual and its chosen setting."""
    methods = list(dict.fromkeys(method for method, _ in curves))
    figure, panels = _small_multiples(methods, "step of training", "loss")
    for method, axes in panels.items():
        changes = [change for name, change in curves if name == method]
        for change, (colour, style) in zip(changes, LINES[:2], strict=False):
            losses = curves[method, change]
            axes.plot(np.arange(1, len(losses) + 1) * steps / len(losses), losses, color=colour, linestyle=style)
        axes.set(ylim=(0, 3.2), xlim=(0, steps), xticks=(0, steps // 2, steps))
        axes.set_title(method if len(changes) == 1 else f"{method}: {changes[-1]}".replace("_", " "))
    _headline(
        figure, "mean loss of eight seeds. Solid: usual setting; dashed: the setting in the title. A guess has 2.77"
    )
    return figure


@picture
def accuracy_against_base(tries: Iterable[Any]) -> Figure:
    """The base of RoPE and of the sinusoids against what is left at eight times the trained length, a thin line per
    seed."""
    rows = [row for row in tries if row.method in ("rope", "sinusoidal")]
    figure, panels = _panels(2, 8.8, 3.2, sharey=True)
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
    """One method with one setting: every seed, the loss, and in grey the usual setting of the same method."""
    lengths, curves = _by_seed(rows)
    figure, (left, right) = _panels(2, 8.8, 3.2)
    before = [row for row in usual if (row.task, row.method, row.change) == (rows[0].task, rows[0].method, "usual")]
    at, known = _by_seed(before)
    left.plot(at, known.mean(axis=0), color=GREY, linewidth=4, alpha=0.5, label="usual setting")
    left.plot(lengths, curves.T, color=BLUE, linestyle="-", linewidth=0.7, alpha=0.5)
    left.plot(lengths, curves.mean(axis=0), "o", linestyle="-", color=BLUE, markersize=4, label=rows[0].change)
    _accuracy_axes(left, lengths)
    left.set(xlabel="length, in tokens", ylabel="accuracy", title=f"{rows[0].method}, {rows[0].task}")
    left.legend(loc="lower left")
    right.plot(np.arange(1, len(losses) + 1) * steps / len(losses), losses, color=BLUE)
    right.set(xlabel="step of training", ylabel="loss", ylim=(0, None))
    return figure


# 10. grids


@picture
def patch_pair(grids: ModuleType, height: int = 4, width: int = 6, cell: int = 8) -> Figure:
    """Two neighbours on the grid are a whole row apart when it is flattened, and two neighbours in the row may be far
    apart."""
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
    _headline(figure, "\n".join(said))
    return figure


@picture
def sinusoidal_map(grids: ModuleType, height: int = 10, width: int = 16, base: float = 100.0) -> Figure:
    """Every feature of a 2-D sinusoidal code is a pattern of stripes: across for y, upright for x, wider from pair to
    pair."""
    codes = _numbers(grids.sinusoidal_2d(height, width, 12, base)).reshape(height, width, 12)
    figure = Figure(figsize=(9.4, 2.8), layout="constrained")
    panels = figure.subplots(2, 6, sharex=True, sharey=True)
    for feature, axes in enumerate(panels.flat):
        image = _heatmap(axes, codes[:, :, feature], -1, 1)
        kind = f"{('sin', 'cos')[feature % 2]} {'yx'[feature // 6]}, pair {feature % 6 // 2}"
        axes.set(title=kind, aspect="equal", xticks=[0, width - 1], yticks=[0, height - 1])
    for axes in panels[1]:
        axes.set_xlabel("x")
    for axes in panels[:, 0]:
        axes.set_ylabel("y")
    _shade_bar(figure, image, list(panels.flat), "value")
    return figure


def _mixed_frequencies(axial: np.ndarray) -> np.ndarray:
    """The same speeds as `axial`, each pair in a direction of its own: both columns of a row are in use."""
    speeds = np.sort(axial.sum(axis=1))[::-1]
    directions = np.arange(len(speeds)) * np.pi * (3 - np.sqrt(5))  # the golden angle: no two point the same way
    return speeds[:, np.newaxis] * np.stack([np.cos(directions), np.sin(directions)], axis=1)


@picture
def favourite_offset(
    grids: ModuleType, down: int = 5, right: int = 7, head_dim: int = 64, base: float = 100.0
) -> Figure:
    """A query that likes one offset best: where a pair reads one axis, it also likes the whole row and the whole
    column."""
    side = 25
    where = np.asarray(grids.grid_positions(side, side))
    middle, offset = np.full((1, 2), side // 2), np.array([[down, right]])
    axial = _numbers(grids.axial_frequencies(head_dim, base))
    ways = {
        "axial": axial,
        "alternating": _numbers(grids.alternating_frequencies(head_dim, base)),
        "mixed": _mixed_frequencies(axial),
    }
    row = np.tile([1.0, 0.0], head_dim // 2)[np.newaxis]
    figure, panels = _panels(3, 9.6, 3.4, sharey=True)
    for (name, frequencies), axes in zip(ways.items(), panels, strict=True):
        # This query, rotated by its own place, meets a key of `row` at the favourite offset with all its pairs in line.
        query = grids.apply_rope_nd(row, offset, frequencies)
        scores = _numbers(grids.grid_scores(query, np.repeat(row, len(where), axis=0), middle, where, frequencies))
        image = _heatmap(axes, scores.reshape(side, side), -np.sqrt(head_dim) / 2, np.sqrt(head_dim) / 2)
        axes.plot(side // 2, side // 2, "o", color=INK, markersize=5)
        for colour, width in ((INK, 3.6), (ON_COLOUR, 1.6)):  # one of the two is seen on every shade
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
    _shade_bar(figure, image, list(panels), "score")
    _headline(figure, f"dot: the query.  square: the offset that it likes best, {down} down and {right} to the right")
    return figure


@picture
def axes_of_pairs(grids: ModuleType, head_dim: int = 128, height_pairs: int = 20, width_pairs: int = 20) -> Figure:
    """Which pair rotates with which axis: in sections the slow pairs are all of one axis, interleaved each axis has
    fast and slow ones."""
    sections = (head_dim // 2 - height_pairs - width_pairs, height_pairs, width_pairs)
    figure = Figure(figsize=(9.4, 3.4), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    for axes, interleaved in zip(panels, (False, True), strict=True):
        frequencies = _numbers(grids.mrope_frequencies(head_dim, sections, interleaved=interleaved))
        used = frequencies != 0
        image = _heatmap(axes, np.where(used, np.log10(frequencies), np.nan).T, -5, 0)
        counts = ", ".join(f"{axis} {count}" for axis, count in zip("thw", used.sum(axis=0), strict=True))
        axes.set(yticks=range(3), yticklabels=["t", "h", "w"], ylabel="axis")
        axes.set_title(f"{'interleaved' if interleaved else 'in sections'} {sections}: {counts} pairs")
        axes.set_yticks(np.arange(4) - 0.5, minor=True)
        axes.grid(axis="y", which="minor", color=FAINT, linestyle="-", linewidth=0.8)
        axes.tick_params(which="minor", length=0)
    panels[1].set_xlabel("pair")
    _shade_bar(figure, image, list(panels), "log₁₀ of the frequency")
    return figure


@picture
def sequence_positions(
    grids: ModuleType, before: int = 4, height: int = 3, width: int = 5, frames: int = 1, after: int = 4
) -> Figure:
    """Text counts on all three axes at once; an image spreads out on h and w, and the text after it goes on past its
    longest side."""
    where = _numbers(grids.mrope_positions([before, (frames, height, width), after]))
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
    _note(axes, f"next: {following}", (len(where), following), (-2, 8), ha="center")
    axes.set(xlabel="token", ylabel="coordinate", xlim=(-0.5, len(where) + 1.2), ylim=(-0.8, len(where) + 0.5))
    axes.set_title(f"{before} tokens of text, {frames} × {height} × {width} cells (shaded), {after} tokens of text")
    axes.legend(loc="upper left")
    return figure


@picture
def stretched_grid(grids: ModuleType, new_height: int = 9, new_width: int = 13) -> Figure:
    """One feature of a learned grid, stretched: bilinear fills in between the old cells, nearest repeats them."""
    old = (4, 6)
    table = np.random.default_rng(4).normal(size=(old[0] * old[1], 1))
    smooth = _numbers(grids.resize_grid(table, old, (new_height, new_width))).reshape(new_height, new_width)
    rows, columns = np.arange(new_height) * old[0] // new_height, np.arange(new_width) * old[1] // new_width
    repeated = table.reshape(old)[np.ix_(rows, columns)]
    figure, panels = _panels(3, 9.6, 3.0)
    named = {"learned": table.reshape(old), "bilinear": smooth, "nearest": repeated}
    for (name, values), axes in zip(named.items(), panels, strict=True):
        image = _heatmap(axes, values, -2, 2)
        rows, columns = values.shape
        axes.set(title=f"{name}, {rows} × {columns}", xlabel="x", xticks=[0, columns - 1], yticks=[0, rows - 1])
    panels[0].set_ylabel("y")
    _shade_bar(figure, image, list(panels), "one feature of the table")
    return figure


@picture
def angle_of_a_pair(grids: ModuleType, y: float = 2, x: float = 1) -> Figure:
    """A matrix of frequencies with two rows, and the angle by which each of its pairs rotates in one cell."""
    frequencies = np.array([[1.0, 0.5], [1.0, -1.0]])
    tips = _numbers(grids.apply_rope_nd([[1, 0, 1, 0]], [[y, x]], frequencies)).reshape(2, 2)
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
        _dial(dial)
        _hand(dial, (1, 0), GREY)
        _hand(dial, tips[pair], BLUE)
    return figure


@picture
def cell_centres(grids: ModuleType, new: int = 5) -> Figure:
    """Old cells and new ones over the same width: where the new centres lie among the old ones, and what they get."""
    old = np.array([[0.0], [6.0], [12.0]])
    values = _numbers(grids.resize_grid(old, (1, len(old)), (1, new)))[:, 0]
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


# 11. modern


@picture
def first_token(modern: ModuleType, length: int = 24, error: float = 0.002) -> Figure:
    """Without any encoding the weight of token 0 says how many tokens there are; far along, a small error in it hides
    that."""
    share = _numbers(modern.first_token_share(length))
    figure, (weights, read) = _panels(2, 9.4, 3.5, width_ratios=(1, 1.35))
    image = _heatmap(weights, np.tri(length) * share[:, np.newaxis], 0, 1)
    weights.set(title="attention weights, all scores equal", xlabel="key", ylabel="query", aspect="equal")
    _shade_bar(figure, image, weights, "weight")
    far = np.arange(8 * length)
    exact = _numbers(modern.first_token_share(len(far)))
    low, high = (_numbers(modern.position_from_share(np.clip(exact + sign * error, 1e-9, 1))) for sign in (1, -1))
    read.fill_between(far, low, np.minimum(high, 2 * far[-1]), color=ORANGE, alpha=0.3, linewidth=0)
    read.plot(far, modern.position_from_share(exact), color=BLUE, linestyle="-")
    read.set(
        xlabel="position of the query", ylabel="position read from the weight", ylim=(0, 2 * far[-1]), xlim=(0, far[-1])
    )
    read.set_title(f"shaded: positions that fit a weight ± {error:g}")
    return figure


@picture
def layer_schedules(modern: ModuleType) -> Figure:
    """Four public models, layer by layer: which layers see the whole text, and which rotate."""
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
    """A window slides with the query; a chunk stands still until it is full. New queries line up with the last keys."""
    masks = {"sliding window": modern.sliding_window_mask, "chunks": modern.chunk_mask}
    figure = Figure(figsize=(9.4, 4.6), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=(length, new + 2), width_ratios=(1, 1, 1.15))
    seen = figure.add_subplot(grid[:, 2])
    for column, (name, mask) in enumerate(masks.items()):
        full, last = (np.asarray(mask(queries, length, window)) for queries in (length, new))
        above, below = (figure.add_subplot(grid[row, column]) for row in (0, 1))
        for axes, shown in ((above, full), (below, last)):
            _heatmap(axes, shown, 0, 1.25)
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
    """p-RoPE keeps the fast pairs as they are and stops the others; partial RoPE spreads all frequencies over few
    pairs."""
    theta = _numbers(modern.p_rope_frequencies(head_dim, 1))
    stopped = _numbers(modern.p_rope_frequencies(head_dim, p))
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
    _note(axes, "frequency 0: these pairs do not rotate", (pairs[-1], 2 * floor), (0, 7), ha="right")
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
    """Old tokens leave the cache, the first ones stay; keys that moved together with the query score as before."""
    kept = np.asarray(modern.kept_tokens(length, n_sinks, window)).astype(np.int64)
    places = np.arange(len(kept))
    keys, query = np.split(np.random.default_rng(4).normal(size=(length + 1, head_dim)), [length])
    stored = np.stack([modern.shift_keys(keys[[token]], token)[0] for token in kept])
    moved = np.stack([modern.shift_keys(stored[[place]], place - token)[0] for place, token in enumerate(kept)])
    before = _numbers(modern.shift_keys(query, length))[0] @ stored.T
    after = _numbers(modern.shift_keys(query, len(kept)))[0] @ moved.T

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
    """Decoupled RoPE: a score of what the tokens say plus a score of where they stand; a shift of all changes
    neither."""
    rng = np.random.default_rng(1)
    q_content, k_content = rng.normal(size=(2, 1, length, 6))
    q_rope, k_rope = np.tile([2.0, 0, 1, 0], (1, length, 1)), np.tile([2.0, 0, 1, 0], (length, 1))
    where = np.arange(length) + shift
    parts = {
        "content alone": (q_content, k_content, 0 * q_rope, k_rope),
        "position alone": (0 * q_content, k_content, q_rope, k_rope),
        "both": (q_content, k_content, q_rope, k_rope),
    }
    scores = {name: _numbers(modern.decoupled_scores(*arrays, where, where))[0] for name, arrays in parts.items()}
    largest = max(float(np.abs(values).max()) for values in scores.values())
    figure, panels = _panels(3, 9.4, 3.3)
    for axes, (name, values) in zip(panels, scores.items(), strict=True):
        image = _heatmap(axes, values, -largest, largest)
        axes.set(title=name, xlabel="position of the key", aspect="equal")
        axes.set(xticks=range(0, length, 3), yticks=range(0, length, 3), xticklabels=where[::3], yticklabels=where[::3])
    panels[0].set_ylabel("position of the query")
    _shade_bar(figure, image, list(panels), "score")
    return figure


@picture
def log_n_weights(modern: ModuleType, trained_len: int = 2048, lead: float = 10) -> Figure:
    """Softmax with more and more keys: the weight of the right key, with and without `log_n_scale`."""
    keys = 2.0 ** np.arange(8, 21)
    figure, axes = _panels(1, 6.4, 3.2)
    scales = _numbers(modern.log_n_scale(keys - 1, trained_len))
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
    """Accuracy against length for each task and schedule of layers: a thin line per seed, and their mean."""
    rows, tasks = list(schedules), ("copy 3 back", "passkey")
    kinds = list(dict.fromkeys(row.schedule for row in rows))
    lengths = sorted({row.length for row in rows})
    figure = Figure(figsize=(9.6, 3.7), layout="constrained")
    grid = figure.subplots(len(tasks), len(kinds), sharex=True, sharey=True)
    for (row, column), axes in np.ndenumerate(grid):
        chosen = [one for one in rows if (one.run, one.schedule) == (tasks[row], kinds[column])]
        _seed_lines(axes, {(one.length, one.seed): one.accuracy for one in chosen}, lengths)
        axes.set_xticks(lengths[::2], [str(length) for length in lengths[::2]])
        if row == 0:
            axes.set_title(f"RoPE in {kinds[column]}")
        if row == len(tasks) - 1:
            axes.set_xlabel("length, in tokens")
        if column == 0:
            axes.set_ylabel(f"{tasks[row]}:\naccuracy")
    _headline(figure, f"trained at {lengths[0]} tokens. Thin lines: single seeds. Dotted: 0.9")
    return figure


@picture
def schedule_losses(schedule_loss: Iterable[Any]) -> Figure:
    """The loss of each model in training, by step."""
    rows, tasks = list(schedule_loss), ("copy 3 back", "passkey")
    names = dict.fromkeys((row.run, row.schedule) for row in rows if row.run in tasks)
    return _loss_curves(
        {f"{run}, RoPE in {schedule}": [row for row in rows if row[:2] == (run, schedule)] for run, schedule in names},
        4,
    )


# 12. state


@picture
def decay_matrices(state: ModuleType, length: int = 10, slope: float = 0.2, shut: int = 6, gate: float = 0) -> Figure:
    """What is left of each key at each query: with ALiBi's constant gates, and with one gate that is shut."""
    constant = _numbers(state.constant_decay(length, slope))
    own = np.where(np.arange(length) == shut, np.log(gate), constant)
    figure, panels = _panels(2, NARROW, 2.2, sharey=True)
    for axes, log_f, title in zip(
        panels, (constant, own), (f"ALiBi, slope {slope:g}", f"gate of token {shut}: {gate:g}"), strict=True
    ):
        _heatmap(axes, state.decay_matrix(log_f), 0, 1)
        axes.set(title=title, xlabel="key", aspect="equal", xticks=range(0, length, 3), yticks=range(0, length, 3))
    before = Rectangle(
        (-0.5, shut - 0.5), shut, length - shut, fill=False, edgecolor=ORANGE, linestyle="--", linewidth=1.6
    )
    panels[1].add_patch(before)
    panels[0].set_ylabel("query")
    return figure


@picture
def chunk_paths(state: ModuleType, length: int = 9, chunk: int = 3, slope: float = 0.08) -> Figure:
    """How much each key counts at each query, and by which way: all at once, or by chunks, inside a chunk and through
    the state."""
    # Values that keep the keys apart, so outputs are what each key counts.
    ones, own = np.ones((length, 1)), np.eye(length)
    log_f = state.constant_decay(length, slope)
    at_once = state.linear_attention(ones, ones, own, log_f)
    by_chunks, _ = state.linear_chunks(ones, ones, own, log_f, chunk)
    blocks = [slice(first, first + chunk) for first in range(0, length, chunk)]
    inside = np.concatenate(
        [_numbers(state.linear_chunks(ones[at], ones[at], own[at], log_f[at], chunk)[0]) for at in blocks]
    )
    figure, panels = _panels(2, NARROW, 2.2, sharey=True)
    for axes, counted, title in zip(
        panels, (at_once, 2 * inside - by_chunks), ("all at once", f"chunks of {chunk}"), strict=True
    ):
        _heatmap(axes, counted, -1, 1)
        axes.set(
            title=title, xlabel="key", aspect="equal", xticks=range(0, length, chunk), yticks=range(0, length, chunk)
        )
    panels[0].set_ylabel("query")
    return figure


@picture
def two_writes(state: ModuleType, second: float = 6, beta: float = 1) -> Figure:
    """The example by hand: what the first key reads after each token, if values are added, and if the delta rule writes
    them."""
    keys, values, gates = ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0)), (4.0, 2.0, second), (1.0, 0.5, 1.0)
    added = mended = np.zeros((2, 1))
    reads = []
    for key, value, gate in zip(keys, values, gates, strict=True):
        out, added = state.linear_step(added, keys[0], key, [value], np.log(gate))
        mended = state.delta_step(mended, key, [value], beta, np.log(gate))
        reads.append((_numbers(out)[0], _numbers(mended)[0, 0]))
    figure, axes = _panels(1, NARROW, 2.5)
    names = ("sum", f"delta rule, β = {beta:g}")
    for place, (name, colour, hatch) in enumerate(zip(names, (GREY, BLUE), ("", "//"), strict=True)):
        tall = [read[place] for read in reads]
        bars = axes.bar(
            np.arange(3) + 0.42 * place - 0.21, tall, 0.38, color=colour, hatch=hatch, edgecolor="white", label=name
        )
        axes.bar_label(bars, [f"{number:g}" for number in tall], padding=2)
    axes.axhline(second, color=ORANGE, linestyle="--", linewidth=1.2)
    labels = [
        f"token {token}:\n{value:g} under {key}" for token, (value, key) in enumerate(zip(values, "ABA", strict=True))
    ]
    axes.set(
        title="what key A reads after each token",
        ylim=(0, 1.45 * max(max(map(max, reads)), second)),
        xlabel="gates: 1, ½, 1",
    )
    axes.set(xticks=range(3), xticklabels=labels, yticks=[])
    axes.legend(loc="upper left", ncols=2)
    return figure


@picture
def cache_against_state(state: ModuleType, n_heads: int = 16, d_k: int = 64, d_v: int = 128) -> Figure:
    """How many numbers a layer keeps while a text grows: a cache grows with it, a state does not."""
    lengths = 2 ** np.arange(15)
    kept = np.array([state.cache_and_state(int(length), n_heads, d_k, d_v) for length in lengths])
    figure, axes = _panels(1, NARROW, 2.6)
    for numbers, name, (colour, style) in zip(kept.T, ("cache", "state"), LINES, strict=False):
        axes.plot(lengths, numbers, color=colour, linestyle=style, label=name)
    axes.set(xscale="log", yscale="log", xlabel="tokens so far", ylabel="numbers in one layer")
    axes.set_title(f"{n_heads} heads, d_k = {d_k}, d_v = {d_v}")
    axes.legend(loc="upper left")
    return figure


# Drawing all of them.


def _module(folder: Path, name: str) -> ModuleType:
    """`name` from a folder of modules, or of assignments."""
    file = folder / f"{name}.py"
    spec = spec_from_file_location(name, file if file.is_file() else folder / name / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def draw_all(source: Path, target: Path, lesson: str | None = None) -> list[Path]:
    """Every picture, or those of one lesson alone, drawn from the modules in `source`, as SVG files in `target`."""
    extension, lab, layers = (
        _module(HERE / lesson, "lab") for lesson in ("context_extension", "extrapolation", "modern")
    )
    given: dict[str, Any] = {
        "measured": lab.saved(),
        "looks": lab.saved_looks(),
        "curves": lab.saved_losses(),
        "tries": lab.at_best_rate(lab.kept_tries("grid.csv")),
        "extended": extension.saved(),
        "extension_loss": extension.saved_losses(),
        "schedules": layers.saved(),
        "schedule_loss": layers.saved_losses(),
    }
    target.mkdir(parents=True, exist_ok=True)
    if lesson is None:
        (target / "narrow").mkdir(exist_ok=True)
    written = []
    for draw in PICTURES:
        # A picture's arguments without a default are what it is drawn from: modules, by name, and measurements.
        names = [
            name for name, argument in inspect.signature(draw).parameters.items() if argument.default is argument.empty
        ]
        if lesson is not None and names != [lesson]:
            continue
        for name in names:
            given[name] = given.get(name) or _module(source, name)
        written.append(target / f"{draw.__name__}.svg")
        save(draw(*(given[name] for name in names)), written[-1])
    return written


def save(figure: Figure, path: Path) -> None:
    """An SVG whose text stays text, and whose colours are those of a light or a dark page. The same picture is the same
    file.

    A wide one is also laid out for a phone, where a folder `narrow` lies beside it."""
    path.write_text(_drawing(figure), "utf-8")
    narrow = path.parent / "narrow"
    if figure.get_figwidth() > NARROW and narrow.is_dir():
        with matplotlib.rc_context(STYLE):
            (narrow / path.name).write_text(_drawing(narrowed(figure)), "utf-8")


def _drawing(figure: Figure) -> str:
    page = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "whereabouts"}):
        figure.savefig(
            page, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    drawing = re.sub(r"(?s)^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->", "", page.getvalue())
    # What is between the tags is text to be read.
    drawing = re.sub(r"<[^>]+>", lambda tag: _with_short_numbers(tag[0]), drawing)
    drawing = re.sub(r" font-family: [^;\"]*;?", "", drawing)
    for colour, (name, _, _) in THEME.items():
        drawing = drawing.replace(colour.lower(), f"var(--{name})")
    themes = "".join(f"--{name}:light-dark({light},{dark});" for name, light, dark in THEME.values())
    fonts = "system-ui,'Segoe UI',Arial,'DejaVu Sans',sans-serif"
    style = (
        "<style>svg{color-scheme:light"
        f" dark;font-family:{fonts};{themes}}}*{{stroke-linejoin:round;stroke-linecap:butt}}</style>"
    )
    return _without_padding(re.sub(r"(?s)<style.*?</style>", style, drawing, count=1))


def _with_short_numbers(tag: str) -> str:
    return re.sub(
        r"(?<![\w#])-?\d+\.\d{3,}(?![\w.])", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), tag
    )


def _without_padding(drawing: str) -> str:
    """What a browser needs of it: no name that nothing refers to, no group around nothing or without a property, no
    white space."""
    drawing = re.sub(r" transform=\"rotate\(-0 [^\"]*\)\"", "", drawing)
    drawing = re.sub(r" id=\"([^\"]*)\"", lambda name: name[0] if f"#{name[1]}" in drawing else "", drawing)
    drawing = re.sub(r"<path d=\"[^\"]*\" style=\"fill: none\"/>", "", drawing)
    drawing = re.sub(r"\s+", " ", drawing).replace("> <", "><")
    drawing = re.sub(r" d=\"[^\"]*\"", lambda path: " " + re.sub(r" ?([MLQCz\"]) ?", r"\1", path[0][1:]), drawing)
    drawing = re.sub(r"style=\"[^\"]*\"", lambda style: style[0].replace("; ", ";").replace(": ", ":"), drawing)
    while (
        shorter := re.sub(
            r"<g></g>|<g>((?:<(?:path|use|image)[^<>]*/>|<text[^<>]*>[^<>]*</text>)*)</g>", r"\1", drawing
        )
    ) != drawing:
        drawing = shorter
    return drawing + "\n"


# For a phone.


def narrowed(figure: Figure) -> Figure:
    """The same figure as wide as a phone: its panels below each other, with the labels that they shared; words in more
    lines."""
    for image in figure.findobj(AxesImage):
        if image.colorbar is not None:
            _lay_down(figure, image)
    _stack(figure)
    figure.draw_without_rendering()
    for legend in figure.findobj(Legend):
        if legend.get_window_extent().width > 0.9 * figure.bbox.width:
            _halve(legend)
    for _ in range(2):  # more lines in one place leave less room in another
        figure.draw_without_rendering()
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


def _lay_down(figure: Figure, image: AxesImage) -> None:
    """A bar of shades beside its panels moves below them."""
    old = image.colorbar
    label, ends, parents = old.ax.get_ylabel(), old.ax.get_ylim(), old.ax._colorbar_info["parents"]
    old.remove()
    bar = figure.colorbar(image, ax=parents, orientation="horizontal", shrink=0.85, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)
    bar.ax.set_xlim(ends)


def _halve(legend: Legend) -> None:
    """Half as many columns, and room for the further lines."""
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


def _stack(figure: Figure) -> None:
    """Up to three panels of a row stand below each other, more of them in two columns; one as wide or as tall as the
    figure is as wide now."""
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
    figure.set_size_inches(NARROW, height * rows)


def _say_what_was_shared(panels: dict[Axes, Any]) -> None:
    """Where one label stood for a row or a column of panels, and one title for a column, each panel gets its own."""
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
    """A line that is too long as several."""
    width = words.get_window_extent().width
    if width > 0.96 * room:
        longest = max(map(len, words.get_text().split("\n")))
        words.set_text(textwrap.fill(words.get_text(), int(0.92 * longest * room / width)))


def _make_room(axes: Axes) -> None:
    """Every other tick where the numbers below an axis would touch, and smaller words where those inside would."""

    def touch(words: Iterable[Text]) -> bool:
        boxes = [one.get_window_extent() for one in words if one.get_text()]
        return any(left.x1 + 2 > right.x0 > left.x0 and abs(left.y0 - right.y0) < 2 for left, right in pairwise(boxes))

    if touch(axes.get_xticklabels()):
        axes.set_xticks(axes.get_xticks()[::2], [label.get_text() for label in axes.get_xticklabels()][::2])
    if touch(axes.texts):
        for words in axes.texts:
            words.set_fontsize(7)


def main(arguments: list[str]) -> None:
    """`python figures.py [FOLDER [TARGET LESSON]]`: draw everything from the modules in FOLDER, or one lesson's
    pictures into TARGET."""
    solutions = HERE.parent / "solutions"
    source = Path(arguments[0]) if arguments else solutions if solutions.is_dir() else HERE
    target, lesson = (Path(arguments[1]), arguments[2]) if len(arguments) > 2 else (HERE / "figures", None)
    for path in draw_all(source, target, lesson):
        print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
