"""Pictures for lesson 3, drawn from the functions in a submission's `sinusoidal.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    NARROW,
    ORANGE,
    PURPLE,
    Lesson,
    as_numbers,
    draw_hand,
    headline,
    heatmap,
    make_panels,
    picture,
    round_face,
    shade_bar,
    signed,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(3, 3, "1, 2", (1,), "sines and cosines are added to the row of a token")


@picture
def sinusoidal_heatmap(sinusoidal: ModuleType, base: float = 10000.0) -> Figure:
    """Draw the codes of all positions, one row per position: fast pairs are on the left, slow pairs on the right."""
    figure, (small, large) = make_panels(2, 10, 4.2, width_ratios=(1, 1.35))
    heatmap(small, sinusoidal.sinusoidal_encoding(np.arange(12), 8, base), -1, 1, digits=2)
    names = [f"{kind} {pair}" for pair in range(4) for kind in ("sin", "cos")]
    small.set(title="12 positions, 8 features", ylabel="position", yticks=range(12), xticks=range(8))
    small.set_xticklabels(names, rotation=45)
    image = heatmap(large, sinusoidal.sinusoidal_encoding(np.arange(20), 32, base), -1, 1)
    large.set(title="20 positions, 32 features", xlabel="feature", ylabel="position")
    large.set(yticks=range(0, 20, 2), xticks=range(0, 32, 4))
    shade_bar(figure, image, (small, large), "value (no colour is 0)")
    return figure


@picture
def position_slice(sinusoidal: ModuleType, position: int = 30, d_model: int = 32, length: int = 60) -> Figure:
    """Draw the heatmap with positions from left to right: each position's code is a column."""
    codes = as_numbers(sinusoidal.sinusoidal_encoding(np.arange(length), d_model))
    at = min(position, length - 1)
    figure, (heat, bars) = make_panels(2, 9.4, 4.2, width_ratios=(1.9, 1), sharey=True)
    image = heatmap(heat, codes.T, -1, 1)
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
    shade_bar(figure, image, heat, "value (no colour is 0)")
    return figure


@picture
def wavelength_fan(sinusoidal: ModuleType, zoom: float = 100, d_model: int = 16) -> Figure:
    """Draw the pairs as waves; each wave is longer than the previous wave by a fixed factor.

    In a short sequence, the slow pairs hardly change.
    """
    lengths = as_numbers(sinusoidal.wavelengths(d_model))
    omega = as_numbers(sinusoidal.frequencies(d_model))
    pairs = np.arange(len(lengths))
    figure, (fan, waves) = make_panels(2, 8.8, 3.6, width_ratios=(1, 1.7))
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
    """Draw a position as the tips of d/2 clock hands, each slower than the previous hand.

    The hands start at the top and turn clockwise.
    """
    omega = sinusoidal.frequencies(d_model)
    code = as_numbers(sinusoidal.sinusoidal_encoding(position, d_model))
    trail = as_numbers(sinusoidal.sinusoidal_encoding(np.linspace(0, position, 200), d_model))
    figure, dials = make_panels(d_model // 2, 8.8, 2.9)
    for pair, axes in enumerate(dials):
        round_face(axes)
        recent = trail[:, 2 * pair : 2 * pair + 2]
        axes.plot(recent[:, 0], recent[:, 1], color=BLUE, linestyle="-", linewidth=3, alpha=0.35, solid_capstyle="butt")
        tip = code[2 * pair : 2 * pair + 2]
        draw_hand(axes, tip, BLUE)
        axes.set_title(f"pair {pair}", loc="center")
        axes.set_xlabel(f"ω = {omega[pair]:.3g}\nsin {signed(tip[0])}   cos {signed(tip[1])}")
    headline(figure, f"The hands at position {position:g}. Thick line: the way from position 0")
    return figure


@picture
def similarity(sinusoidal: ModuleType, d_model: int = 64, reach: int = 100) -> Figure:
    """Draw the dot product of two encodings against their offset.

    The product is highest at offset 0, is the same for the offsets k and −k, and does not fall at every step.
    """
    offsets = np.arange(-reach, reach + 1)
    values = as_numbers(sinusoidal.offset_similarity(offsets, d_model))
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
    """Draw one pair at a position and at a later position, as (sine, cosine) and as (cosine, sine)."""
    code = as_numbers(sinusoidal.sinusoidal_encoding(position, 2))
    moved = as_numbers(sinusoidal.shift_matrix(offset, 2)) @ code
    way = as_numbers(sinusoidal.sinusoidal_encoding(np.linspace(position, position + offset, 50), 2))
    figure, panels = make_panels(2, NARROW, 2.1)
    for axes, order, title in zip(panels, ((0, 1), (1, 0)), ("clockwise", "anticlockwise"), strict=True):
        round_face(axes)
        axes.plot(*(0.5 * way[:, order].T), color=ORANGE, linestyle="-")
        middle = 0.68 * way[len(way) // 2, order]
        axes.text(*middle, "kω", color=ORANGE, ha="center", va="center")
        for tip, colour, name in ((code, GREY, "p"), (moved, BLUE, "p + k")):
            draw_hand(axes, tip[list(order)], colour)
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
