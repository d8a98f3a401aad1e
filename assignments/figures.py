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
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

HERE = Path(__file__).resolve().parent

# One look for all. The colours are told apart by colour-blind readers too, and each comes with a line style,
# so that a print in grey can be read too. Sizes are shades that grow darker; signed values are red below 0 and blue above.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#AA4499", "#8C8C8C"
INK, FAINT = "#222222", "#DDDDDD"
LINES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (PURPLE, ":"))
SHADES, SIGNED = "Blues", "RdBu"
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
    "axes.prop_cycle": matplotlib.cycler(color=[colour for colour, _ in LINES], linestyle=[style for _, style in LINES]),
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
    """The picture with a slider for each control: `name=(low, high)` or `(low, high, step)`, or a list to choose from."""
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


def _small_multiples(names: Sequence[str], xlabel: str, ylabel: str, columns: int = 5) -> tuple[Figure, dict[str, Axes]]:
    """One small panel a name, on shared axes, which are labelled on the left and below the last panel of each column."""
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
    """A matrix as shades, with the numbers written in where `digits` says how many; white is 0 where `low` is −`high`."""
    values = _numbers(values)
    signed = low == -high
    shades = SIGNED if signed else SHADES
    image = axes.imshow(values, cmap=shades, vmin=low, vmax=high, aspect="auto", interpolation="nearest")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if digits is not None:
        for (row, column), value in np.ndenumerate(values):
            dark = abs(value) / high > 0.7 if signed else (value - low) / (high - low) > 0.6
            text = f"{value:.{digits}f}".replace("-", "−")
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else INK)
    return image


def _shade_bar(figure: Figure, image: Any, axes: Any, label: str) -> None:
    bar = figure.colorbar(image, ax=axes, shrink=0.85, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)


def _dial(axes: Axes, radius: float = 1.0) -> None:
    """A round face without numbers."""
    axes.set(xlim=(-1.18 * radius, 1.18 * radius), ylim=(-1.18 * radius, 1.18 * radius), aspect="equal", xticks=[], yticks=[])
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


def _signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


# 1. attention

@picture
def three_networks(tokens: int = 6) -> Figure:
    """How the last token hears of the first: step by step, through windows of neighbours, or at once."""
    figure, panels = _panels(3, 9.4, 3.1, sharey=True)
    columns = np.arange(tokens)
    last = tokens - 1
    rnn = [((0, column), (0, column + 1)) for column in range(last)]
    # A window of three: each layer hears one neighbour more on either side.
    layers = max(last, 1)
    cnn = [((layer, column + step), (layer + 1, column)) for layer in range(layers) for column in columns for step in (-1, 0, 1)]
    cnn = [edge for edge in cnn if 0 <= edge[0][1] < tokens]
    attention = [((0, column), (1, other)) for column in columns for other in columns]
    path = [((layer, layer), (layer + 1, layer + 1)) for layer in range(layers)]
    drawings = (
        ("RNN: one token after the other", rnn, rnn, f"from token 0 to token {last}: {last} steps"),
        ("CNN: a window of three neighbours", cnn, path, f"from token 0 to token {last}: {last} layers"),
        ("attention: every pair at once", attention, [((0, 0), (1, last))], f"from token 0 to token {last}: 1 layer"),
    )
    for axes, (title, edges, way, words) in zip(panels, drawings, strict=True):
        for kind, colour, width in ((edges, FAINT, 1.0), (way, ORANGE, 2.2)):
            for (low, start), (high, end) in kind:
                arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 5, "shrinkB": 5}
                axes.annotate("", (end, high), (start, low), arrowprops=arrow)
        for level in {level for edge in edges for level, _ in edge}:
            axes.plot(columns, np.full(tokens, level), "o", color=BLUE, markersize=7)
        axes.set(title=title, xlabel=f"token\n{words}", xticks=columns, xlim=(-0.6, last + 0.6), ylim=(-0.5, layers + 0.5))
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    panels[0].set_ylabel("layer (the lowest row: the input)")
    return figure


WORDS = ("the", "dog", "bites", "the", "man")
MAN_BITES_DOG = (0, 4, 2, 3, 1)


@picture
def token_shuffle(attention: ModuleType, shuffle: int = 1, causal: bool = False) -> Figure:
    """Shuffle the tokens and the same weights move along: rows and columns are reordered, no number changes."""
    rng = np.random.default_rng(3)
    features = {word: rng.normal(size=6) for word in WORDS}
    x = np.array([features[word] for word in WORDS])
    w_q, w_k, w_v = rng.normal(size=(3, 6, 6)) / 2
    order = {0: np.arange(5), 1: np.array(MAN_BITES_DOG)}.get(shuffle, np.random.default_rng(shuffle).permutation(5))
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
        left.fill_between(positions, rows.min(axis=1), rows.max(axis=1), color=colour, alpha=0.8, linewidth=0, label=label)
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
def binary_waves(naive: ModuleType, length: int = 32) -> Figure:
    """Each bit is a square wave with twice the period of the bit below it. At some steps many bits change at once."""
    codes, gray = np.asarray(naive.binary_positions(length)), np.asarray(naive.gray_positions(length))
    steps, gray_steps = naive.hamming_steps(codes), naive.hamming_steps(gray)
    n_bits = codes.shape[1]
    figure = Figure(figsize=(8.4, 1.9 + 0.42 * n_bits), layout="constrained")
    waves, jumps = figure.subplots(2, 1, sharex=True, height_ratios=(0.42 * n_bits, 1.25))
    places = np.arange(length + 1) - 0.5
    for bit in range(n_bits):
        wave = codes[:, n_bits - 1 - bit]
        waves.stairs(0.7 * wave + bit, places, baseline=bit, fill=True, color=BLUE, alpha=0.85, linewidth=0)
    names = [f"bit {bit}, period {naive.bit_period(bit)}" for bit in range(n_bits)]
    waves.set(yticks=np.arange(n_bits) + 0.35, yticklabels=names, title="each bit as a wave: blue is 1, white is 0")
    waves.spines["left"].set_visible(False)
    waves.tick_params(axis="y", length=0)
    between = np.arange(length - 1) + 0.5
    jumps.bar(between, steps, width=0.5, color=ORANGE, label="binary")
    jumps.plot(between, gray_steps, "_", color=INK, markersize=7, markeredgewidth=1.6, label="Gray")
    jumps.set(xlabel="position", ylabel="bits changed", xlim=(-0.6, length - 0.4), ylim=(0, n_bits + 0.4))
    jumps.set_title("how many bits change from each position to the next")
    jumps.legend(loc="upper left", ncols=2)
    return figure


@picture
def binary_carry(naive: ModuleType, n_bits: int = 9) -> Figure:
    """Adding 1 to a bit that is 1 makes it 0 and carries on to the next bit: the framed bits changed in the last step."""
    codes = np.asarray(naive.binary_positions(2**n_bits, n_bits))
    middle = 2 ** (n_bits - 1)
    shown = (range(9), range(middle - 4, middle + 5))
    figure, panels = _panels(2, 9.4, 0.9 + 0.31 * n_bits, sharey=True)
    for axes, positions in zip(panels, shown, strict=True):
        _heatmap(axes, codes[positions].T, 0, 2, digits=0)
        for column, position in enumerate(positions):
            changed = np.flatnonzero(codes[position] != codes[position - 1]) if position else ()
            for row in changed:
                axes.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=ORANGE, linewidth=1.8))
        axes.set(xlabel="position", xticks=range(len(positions)), xticklabels=positions)
    panels[0].set(yticks=range(n_bits), yticklabels=[f"bit {bit}" for bit in reversed(range(n_bits))])
    panels[0].set_title("the first positions")
    panels[1].set_title(f"the step from {middle - 1} to {middle} changes all {n_bits} bits")
    _headline(figure, "Positions in binary, one per column. Framed: this bit differs from the position before.")
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
    _shade_bar(figure, image, (small, large), "value (white is 0)")
    return figure


@picture
def position_slice(sinusoidal: ModuleType, position: int = 30, d_model: int = 32, length: int = 60) -> Figure:
    """The heatmap with positions from left to right: the code of one position is a vertical slice of it."""
    codes = _numbers(sinusoidal.sinusoidal_encoding(np.arange(length), d_model))
    at = min(position, length - 1)
    figure, (heat, bars) = _panels(2, 9.4, 4.2, width_ratios=(1.9, 1), sharey=True)
    image = _heatmap(heat, codes.T, -1, 1)
    heat.add_patch(Rectangle((at - 0.5, -0.5), 1, d_model, fill=False, edgecolor=INK, linewidth=1.8))
    heat.set(title="all positions", xlabel="position", ylabel="feature (fast pairs at the top)", yticks=range(0, d_model, 4))
    features = np.arange(d_model)
    for start, name, colour in ((0, "sine", GREEN), (1, "cosine", PURPLE)):
        bars.barh(features[start::2], codes[at, start::2], color=colour, height=0.8, label=name, hatch="" if start == 0 else "///")
    bars.axvline(0, color=GREY, linewidth=0.8, linestyle="-")
    bars.set(title=f"the slice at position {at}: its code", xlabel="value", xlim=(-1.1, 1.1))
    bars.legend(loc="lower left")
    _shade_bar(figure, image, heat, "value (white is 0)")
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
    fan.set(xlabel="wavelength, in positions", ylabel="pair", title=f"shaded: at least one full turn\nin {zoom:g} positions")
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
    """A position is the tips of d/2 hands, each slower than the one before. They start at the top and turn clockwise."""
    rounds = sinusoidal.wavelengths(d_model)
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
        axes.set_xlabel(f"a full turn: {rounds[pair]:,.1f} positions\nsin {_signed(tip[0])}   cos {_signed(tip[1])}")
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
    _note(axes, f"{values[reach]:g} at offset 0; d/2 = {d_model // 2}", (0, values[reach]), (8, -3), color=ORANGE)
    axes.set(xlabel="offset, in positions", ylabel="PE(p) · PE(p + offset)", xlim=(-reach, reach))
    axes.set_title(f"dot product of two encodings, d = {d_model}")
    return figure


# 4. learned


@picture
def table_lookup(learned: ModuleType, trained: int = 8, asked: int = 13, max_len: int = 12) -> Figure:
    """A row that was trained, a row that never was, and a row that is not there."""
    d_model = 24
    table = np.asarray(learned.init_table(max_len, d_model, seed=0))
    # Something for the rows to learn: a smooth pattern, pulled towards by plain gradient descent.
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
    colours = {"trained": INK, "as on the first day": "#666666", "no such row": ORANGE}
    for row in range(first, last):
        word = "no such row" if row in missing else "trained" if has_learned[row] else "as on the first day"
        axes.text(d_model, row, word, va="center", fontsize=8, color=colours[word])
    axes.add_patch(Rectangle((-0.5, asked - 0.5), **frame, edgecolor=ORANGE, linewidth=2.2))
    verdict = "IndexError" if found is None else f"a row of size {np.linalg.norm(found):.2f}"
    axes.set(xlabel="feature", xticks=range(0, d_model, 4), xlim=(-0.6, d_model + 4.2))
    axes.set(ylabel="position", yticks=range(first, last), ylim=(last - 0.4, first - 0.6))
    axes.set_title(f"{max_len} rows, trained on texts of {trained}: lookup at {asked} gives {verdict}")
    _shade_bar(figure, image, axes, "value")
    return figure


# 5. rope


@picture
def rotated_pair(rope: ModuleType, position: float = 4, head_dim: int = 8) -> Figure:
    """The same pair of features at position 0 and further on: it turns and keeps its length, each pair at its own speed."""
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
        axes.set_xlabel(f"θ = {theta[pair]:.3g}\nturned by {angle:.3g} radians")
    _headline(figure, f"grey: at position 0.  blue: at position {position:g}")
    return figure


@picture
def shift_dial(rope: ModuleType, query: int = 1, key: int = 3, shift: int = 0) -> Figure:
    """Shift query and key together: both hands turn, and the score does not. θ is π/4, an eighth of a turn a position."""
    theta = np.pi / 4
    q, k = np.array([[1.0, 0.2]]), np.array([[0.2, 0.9]])

    def turned(x: np.ndarray, position: int) -> np.ndarray:
        # A single pair turns by one radian a position, so position · π/4 makes its θ equal to π/4.
        return _numbers(rope.apply_rope(x, [position * theta]))[0]

    def score(m: int, n: int) -> float:
        return float(np.asarray(rope.rope_scores(q, k, [m * theta], [n * theta]))[0, 0])

    m, n = query + shift, key + shift
    scores = {
        "not turned at all": float((q @ k.T)[0, 0] / np.sqrt(2)),
        f"turned: query at {m}, key at {n}": score(m, n),
        f"same offset from 0: query at 0, key at {n - m}": score(0, n - m),
    }
    figure, (dial, bars) = _panels(2, 8.8, 3.1, width_ratios=(1, 1.9))
    _dial(dial, 1.05)
    for eighth in range(8):
        x, y = np.cos(eighth * theta), np.sin(eighth * theta)
        dial.plot([1.0 * x, 1.1 * x], [1.0 * y, 1.1 * y], color=GREY, linestyle="-", linewidth=1)
    for x, position, colour, name in ((q, m, BLUE, "q"), (k, n, ORANGE, "k")):
        _hand(dial, x[0], colour, width=1, alpha=0.35)
        tip = turned(x, position)
        _hand(dial, tip, colour)
        dial.text(*(0.62 * tip + 0.1 * np.array([-tip[1], tip[0]])), name, color=colour, ha="center", va="center", fontsize=12)
    dial.set_title("pale: before turning", loc="center")
    places = np.arange(3)[::-1]
    bars.barh(places, list(scores.values()), height=0.42, color=(GREY, BLUE, BLUE), hatch=("", "", "//"), edgecolor="white")
    bars.axvline(0, color=INK, linewidth=0.8, linestyle="-")
    for place, (name, value) in zip(places, scores.items(), strict=True):
        backing = {"facecolor": "white", "linewidth": 0, "pad": 1}
        bars.text(-0.98, place + 0.3, f"{name}:  {_signed(value, 4)}", va="bottom", bbox=backing)
    bars.set(xlim=(-1, 1), ylim=(-0.45, 2.75), yticks=[], xlabel="score")
    bars.spines["left"].set_visible(False)
    return figure


@picture
def decay(rope: ModuleType, head_dim: int = 128, reach: int = 1000, favourite: int = 50) -> Figure:
    """RoFormer's bound falls unevenly; below it a score may peak at whatever distance its key was made for."""
    offsets = np.arange(0, reach + 1)
    bound = rope.decay_bound(offsets, head_dim)
    q = np.random.default_rng(0).normal(size=(1, head_dim))
    k = rope.apply_rope(q, [favourite])
    near = np.arange(0, min(reach, 4 * favourite) + 1)
    scores = _numbers(rope.rope_scores(q, np.repeat(k, len(near), axis=0), [0], -near))[0]

    figure, (left, right) = _panels(2, 8.8, 3.1)
    left.plot(offsets, bound, color=BLUE, linestyle="-")
    left.set(title=f"the bound, head_dim {head_dim}", ylim=(0, None), xlim=(0, reach))
    left.set(xlabel="offset, in positions", ylabel="mean of |S_j|")
    right.plot(near, scores, color=BLUE, linestyle="-", linewidth=1.3)
    right.axvline(favourite, color=ORANGE, linestyle="--", linewidth=1.2)
    _note(right, f"made for {favourite} back", (favourite, scores.max()), (6, -2), color=ORANGE)
    right.axhline(0, color=GREY, linewidth=0.8, linestyle="-")
    right.set(title="the score of one query and key", ylabel="score", xlim=(0, near[-1]))
    right.set_xlabel("how far back the key stands, in positions")
    return figure


# 6. relative


@picture
def distance_names(relative: ModuleType, max_distance: int = 8, num_buckets: int = 32) -> Figure:
    """Which entry of the table a distance reads: Shaw clips, T5 widens its buckets and gives each direction its half."""
    figure, (shaw, t5) = _panels(2, 8.8, 3.3, width_ratios=(1, 1.5))
    near = np.arange(-20, 21)
    shaw.step(near, relative.clip_positions(near, max_distance) + max_distance, where="mid", color=BLUE, linestyle="-")
    shaw.set(title=f"Shaw, clipped at {max_distance}", xlabel="key − query, in positions", ylabel="row of the table")
    far = np.arange(-160, 161)
    for both, (colour, style), label in ((True, LINES[0], "both directions"), (False, LINES[1], "causal")):
        buckets = relative.t5_bucket(far, bidirectional=both, num_buckets=num_buckets)
        t5.step(far, buckets, where="mid", color=colour, linestyle=style, label=label)
    t5.set(title=f"T5, {num_buckets} buckets", xlabel="key − query, in positions", ylabel="bucket", xticks=range(-160, 161, 40))
    t5.set_ylim(-1, num_buckets * 1.22)
    t5.legend(loc="upper center", ncols=2)
    for axes in (shaw, t5):
        axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    return figure


# 7. alibi


@picture
def alibi_heads(alibi: ModuleType, n_heads: int = 4, length: int = 16) -> Figure:
    """The same straight line in every head, steeper or gentler: steep heads see the neighbourhood, gentle ones see far."""
    slopes = _numbers(alibi.alibi_slopes(n_heads))
    bias = _numbers(alibi.alibi_bias(n_heads, length, length))
    shown = np.unique(np.linspace(0, n_heads - 1, min(4, n_heads)).round().astype(int))
    figure = Figure(figsize=(8.8, 5.2), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1, 1.15))
    heads = np.atleast_1d(above.subplots(1, len(shown)))
    for head, axes in zip(shown, heads, strict=True):
        causal = np.where(np.tri(length, dtype=bool), bias[head], np.nan)
        image = _heatmap(axes, causal, -4, 0)
        axes.set(title=f"head {head}, slope {_fraction(slopes[head])}", xlabel="key", aspect="equal")
        axes.set(xticks=[0, length - 1], yticks=[0, length - 1])
    heads[0].set_ylabel("query")
    _shade_bar(above, image, list(heads), "bias (−4 and less: white)")
    axes = below.subplots()
    distances = np.arange(1, 2001)
    for place, head in enumerate(shown):
        colour, style = LINES[place]
        axes.plot(distances, np.exp(-slopes[head] * distances), color=colour, linestyle=style, label=f"head {head}")
        window = alibi.effective_window(slopes[head], 0.01)
        axes.plot(min(window, distances[-1]), 0.01, "o", color=colour, markersize=5)
        _note(axes, f"{window:,}", (min(window, distances[-1]), 0.01), (0, 6), ha="center", color=colour)
    axes.set(xscale="log", ylim=(-0.02, 1.05), xlim=(1, distances[-1]))
    axes.set(xlabel="distance, in positions", ylabel="factor on the weight")
    axes.set_title("what the bias alone does to a weight; the dot: a hundredth is left")
    axes.legend(loc="upper right")
    return figure


# 8. context_extension


@picture
def extended_frequencies(
    context_extension: ModuleType, factor: float = 8, trained_len: int = 4096, head_dim: int = 128
) -> Figure:
    """Four answers to which pairs to slow down, and by how much."""
    ones = np.ones(head_dim // 2)
    trained = _numbers(context_extension.longrope_frequencies(head_dim, ones))
    turns = _numbers(context_extension.rotations_in_context(head_dim, trained_len))
    ntk = context_extension.longrope_frequencies(head_dim, ones, base=context_extension.ntk_base(10000.0, factor, head_dim))
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
        axes.set(xlabel="pair", xlim=(-0.5, pairs[-1] + 0.5))
    right.plot(pairs, turns, color=GREY, linestyle="-", linewidth=5, alpha=0.6, label="in training", solid_capstyle="butt")
    for (name, frequencies), (colour, style) in zip(slowed.items(), LINES, strict=True):
        frequencies = _numbers(frequencies)
        left.plot(pairs, frequencies / trained, color=colour, linestyle=style, label=name)
        right.plot(pairs, turns * factor * frequencies / trained, color=colour, linestyle=style)
    left.set(ylabel="new frequency / trained frequency", ylim=(0, 1.06))
    left.set_title(f"slowed down for {factor:g} × {trained_len:,} tokens")
    right.set(yscale="log", ylabel="turns over the whole text", title="shaded: less than one turn in training")
    right.axhline(1, color=GREY, linestyle=":", linewidth=1)
    left.legend(loc="upper right")
    right.legend(loc="upper right")
    return figure


# 9. extrapolation


@picture
def score_patterns(extrapolation: ModuleType, length: int = 24) -> Figure:
    """The same token at every place: whatever is not plain in these scores is the position's doing."""
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
        low, high = visible.min(), visible.max()
        same = high - low < 1e-6
        _heatmap(axes, np.where(np.isfinite(scores), scores, np.nan), low - 1 if same else low, high + 1 if same else high)
        axes.set(aspect="equal", xticks=[0, length - 1], yticks=[0, length - 1])
    _headline(figure, "scores of one and the same token; in each panel the darkest is the highest")
    return figure


@picture
def accuracy_against_length(extrapolation: ModuleType, measured: Iterable[Any], run: str = "copy 3 back") -> Figure:
    """One small panel a method: mean and spread over the seeds, and how far the method can be relied on."""
    rows = [row for row in measured if row.run == run]
    methods = list(dict.fromkeys(row.method for row in rows))
    lengths = sorted({row.length for row in rows})
    seeds = sorted({row.seed for row in rows})
    accuracy = {(row.method, row.seed, row.length): row.accuracy for row in rows}
    figure, panels = _small_multiples(methods, "length, in tokens", "accuracy")
    ring = {"markersize": 10, "markerfacecolor": "none", "markeredgecolor": ORANGE, "markeredgewidth": 1.6}
    for method, axes in panels.items():
        curves = np.array([[accuracy[method, seed, length] for length in lengths] for seed in seeds])
        mean = curves.mean(axis=0)
        reliable = extrapolation.longest_reliable_length(lengths, mean)
        axes.axhline(0.9, color=GREY, linestyle=":", linewidth=0.8)
        axes.plot(lengths, curves.T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.35)
        axes.plot(lengths, mean, "o-", color=BLUE, markersize=4)
        if np.isnan(mean).any():
            axes.text(lengths[-1], 0.14, "no entry", ha="right", color=ORANGE, fontsize=8)
        if reliable:
            axes.plot(reliable, mean[lengths.index(reliable)], "o", **ring)
        axes.set(xscale="log", ylim=(-0.03, 1.05), yticks=(0, 0.5, 1))
        axes.set_xticks(lengths, [str(length) for length in lengths])
        axes.minorticks_off()
    _headline(figure, f"{run}, trained at {lengths[0]}. Thin lines: single seeds. Ring: reliable up to here, at 0.9")
    return figure


@picture
def attention_against_distance(looks: dict[str, np.ndarray], back: int = 3) -> Figure:
    """Where each trained method looks at the longest length: the right key stands `back` places behind the query."""
    figure, panels = _small_multiples(list(looks), "distance, in positions", "mean weight")
    for method, weights in looks.items():
        axes = panels[method]
        distances = np.arange(len(weights))
        axes.vlines(distances, 1e-4, weights, color=BLUE, linewidth=1)
        axes.vlines(back, 1e-4, weights[back], color=ORANGE, linewidth=2.5)
        axes.set(yscale="log", ylim=(1e-3, 1))
        axes.set_yticks((0.001, 0.01, 0.1, 1), ("0.001", "0.01", "0.1", "1"))
        axes.minorticks_off()
    _headline(figure, f"attention weight by distance at the longest length; the right key, {back} back, is the thick line")
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


def draw_all(source: Path, target: Path) -> list[Path]:
    """Every picture, drawn from the modules in `source`, as PNG files in `target`."""
    lab = _module(HERE / "extrapolation", "lab")
    given: dict[str, Any] = {"measured": lab.saved(), "looks": lab.saved_looks()}
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for draw in PICTURES:
        # A picture's arguments without a default are what it is drawn from: modules, by name, and measurements.
        names = [name for name, argument in inspect.signature(draw).parameters.items() if argument.default is argument.empty]
        for name in names:
            given[name] = given.get(name) or _module(source, name)
        written.append(target / f"{draw.__name__}.png")
        save(draw(*(given[name] for name in names)), written[-1])
    return written


def save(figure: Figure, path: Path) -> None:
    page = io.BytesIO()
    figure.savefig(page, dpi=100)
    # 256 colours are enough and take a third of the space; and without a version in it, the same picture is the same file.
    Image.open(page).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main(arguments: list[str]) -> None:
    """`python figures.py [FOLDER]`: draw everything from the modules in FOLDER."""
    solutions = HERE.parent / "solutions"
    source = Path(arguments[0]) if arguments else solutions if solutions.is_dir() else HERE
    for path in draw_all(source, HERE / "figures"):
        print(path.relative_to(HERE))


if __name__ == "__main__":
    main(sys.argv[1:])
