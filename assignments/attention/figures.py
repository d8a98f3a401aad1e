"""Pictures for lesson 1, drawn from the functions in a submission's `attention.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.figures import (
    BLUE,
    FAINT,
    INK,
    LINES,
    NARROW,
    ON_COLOUR,
    ORANGE,
    Lesson,
    as_numbers,
    headline,
    heatmap,
    make_panels,
    picture,
    shade_bar,
)
from assignments.figures import (
    explore as explore,
)

LESSON = Lesson(1, 3, "–", (), "the whole layer, and no position anywhere")


@picture
def three_networks(tokens: int = 6) -> Figure:
    """Draw how the last token gets information from the first token: step by step, through windows, or in one step."""
    figure, panels = make_panels(3, 9.4, 3.1, sharey=True)
    columns = np.arange(tokens)
    last = tokens - 1
    rnn = [((0, column), (0, column + 1)) for column in range(last)]
    # With a window of three tokens, each layer reaches one more neighbour on either side.
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
    """Draw the attention weights of shuffled tokens: rows and columns are reordered, but no number changes."""
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

    figure, (left, right) = make_panels(2, 8.4, 3.7)
    for axes, weights, words, title in (
        (left, before, WORDS, "attention weights, tokens in order"),
        (right, after, [WORDS[place] for place in order], "the same tokens, shuffled"),
    ):
        image = heatmap(axes, weights, 0, 1, digits=2)
        axes.set(title=title, xlabel="key", xticks=range(5), yticks=range(5), xticklabels=words, yticklabels=words)
    left.set_ylabel("query")
    shade_bar(figure, image, (left, right), "attention weight")
    moved_only = gap < 1e-6
    verdict = "the outputs moved with their tokens and did not change" if moved_only else "the outputs changed"
    mask_word = "With a causal mask" if causal else "Without a mask"
    size = "0 up to rounding" if moved_only else f"{gap:.2g}"
    headline(figure, f"{mask_word} the equivariance gap is {size}: {verdict}.\n")
    return figure


@picture
def attention_path() -> Figure:
    """Draw the steps from the tokens' rows to the output, with the shape at each step.

    No step of attention uses the index of a row.
    """
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
    """Draw two tokens with four features, split into heads: each head sees all tokens, but only its own columns."""
    tokens = np.arange(1.0, 9.0).reshape(2, 4)
    cut = as_numbers(attention.split_heads(tokens, n_heads))
    figure, panels = make_panels(1 + len(cut), NARROW, 1.3, width_ratios=[4, *(part.shape[-1] for part in cut)])
    named = {"x": tokens} | {f"head {head}": part for head, part in enumerate(cut)}
    for axes, (name, values) in zip(panels, named.items(), strict=True):
        for (row, column), value in np.ndenumerate(values):
            # A number has the colour of the head that should get it, even if another head got it.
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
