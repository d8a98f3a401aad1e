"""Code that all lessons' pictures share: their style, drawing, sliders, the course map, and saving.

A lesson's pictures are in its folder: `figures.clock_hands(sinusoidal)` draws what the functions of `sinusoidal`
return, correct or not, and returns a matplotlib Figure. If a function fails or is not implemented yet, the picture
is a card with the function's name. In the lesson's notebook, the following call draws the same picture with a
slider for each named argument:

    figures.explore(figures.clock_hands, sinusoidal, position=(0, 60))

`python -m assignments.figures` draws all pictures of all lessons into the folder `figures` beside this file.
"""

from __future__ import annotations

import functools
import inspect
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignments.phone_layout import narrowed

HERE = Path(__file__).resolve().parent
NARROW = 3.7  # inches: a picture of this width fits a phone without scrolling

# One style for all. Colour-blind readers can distinguish the colours, and each has its own line style, so that a grey
# print is readable too. Sizes are shades that grow darker; signed values are orange below 0 and blue above.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#AA4499", "#8C8C8C"
INK, FAINT = "#222222", "#DDDDDD"
LINES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (PURPLE, ":"))
ON_COLOUR = "#FEFEFE"  # colour of words on a full colour
SHADES = ListedColormap([to_rgba(BLUE, step / 255) for step in range(256)])
SIGNED = ListedColormap([to_rgba(ORANGE if step < 0 else BLUE, abs(step) / 255) for step in range(-255, 256, 2)])
"""Colour maps that are transparent at 0 and become more opaque farther from 0.

`SIGNED` is orange below 0 and blue above.
"""
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
"""Name of each colour in a saved picture, and the colour's values on a light and on a dark page.

Text in each colour is readable on paper, and text in ON_COLOUR is readable on each colour.
"""
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


# Drawing that works with any functions.


class _Watched:
    """Module that remembers which of its functions was called last, so that a card can name this function."""

    def __init__(self, module: ModuleType, calls: list[str]) -> None:
        self._module, self._calls = module, calls

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module; if it is a function, record its calls."""
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
    """Make a drawing function safe to call with any module: if drawing fails, the result is a card."""

    @functools.wraps(draw)
    def drawn(*modules: ModuleType, **settings: Any) -> Figure:
        calls: list[str] = []
        watched = [_Watched(module, calls) if isinstance(module, ModuleType) else module for module in modules]
        with matplotlib.rc_context(STYLE), np.errstate(all="ignore"):
            try:
                figure = draw(*watched, **settings)
                figure.draw_without_rendering()  # some results fail only when they are drawn
            except Exception as reason:
                figure = _card(calls[-1] if calls else draw.__name__, reason)
        return figure

    return drawn


def _card(function: str, reason: Exception) -> Figure:
    """Return the card that replaces a picture that cannot be drawn yet."""
    if isinstance(reason, NotImplementedError):
        # A finished function may call an unfinished one, whose message contains its name.
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


def explore(draw: Callable[..., Figure], *modules: ModuleType, **controls: Any) -> Figure | None:
    """Show a picture with a slider for each control.

    A control is `name=(low, high)`, `(low, high, step)`, or a list to choose from. Without ipywidgets, the picture
    has no sliders, and a message says how to install ipywidgets.
    """
    try:
        from ipywidgets import interact, interactive  # only notebooks need it
    except ImportError:
        print("For sliders: .venv/bin/python -m pip install ipywidgets, then restart the kernel.")
        return draw(*modules)

    def draw_again(**settings: Any) -> Figure:
        return draw(*modules, **settings)

    starts = inspect.signature(draw).parameters
    widgets = {name: interactive.widget_from_abbrev(choice, starts[name].default) for name, choice in controls.items()}
    interact(draw_again, **widgets)
    return None


def as_numbers(values: Any) -> np.ndarray:
    """Return a function's result, which can be a list or integers, as an array of numbers to draw."""
    return np.asarray(values, dtype=np.float64)


def make_panels(columns: int, width: float, height: float, **layout: Any) -> tuple[Figure, Any]:
    """Return a figure with panels side by side."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns, **layout)


def small_multiples(names: Sequence[str], xlabel: str, ylabel: str, columns: int = 5) -> tuple[Figure, dict[str, Axes]]:
    """Return a figure with one small panel per name, on shared axes.

    The axes are labelled on the left and below the last panel of each column.
    """
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


def headline(figure: Figure, text: str) -> None:
    """Write a title above the whole figure."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def note(axes: Axes, text: str, at: tuple[float, float], beside: tuple[float, float], **looks: Any) -> None:
    """Write text beside a point of the plot; `beside` is the distance in typographic points."""
    axes.annotate(text, at, beside, textcoords="offset points", **looks)


def heatmap(axes: Axes, values: Any, low: float, high: float, digits: int | None = None) -> Any:
    """Draw a matrix as shades; if `digits` is set, write each number in its cell with that many decimals.

    If `low` is −`high`, a cell without colour has the value 0.
    """
    values = as_numbers(values)
    shades = SIGNED if low == -high else SHADES
    if digits is not None:  # so that ink is readable on all of them
        shades = ListedColormap([to_rgba(colour, 0.75 * colour[-1]) for colour in shades.colors])
    image = axes.imshow(values, cmap=shades, vmin=low, vmax=high, aspect="auto", interpolation="none")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if digits is not None:
        for (row, column), value in np.ndenumerate(values):
            axes.text(column, row, f"{value:.{digits}f}".replace("-", "−"), ha="center", va="center", fontsize=8)
    return image


def shade_bar(figure: Figure, image: Any, axes: Any, label: str) -> Any:
    """Draw the scale of a heatmap's shades beside its panel."""
    bar = figure.colorbar(image, ax=axes, shrink=0.85, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)
    return bar


def round_face(axes: Axes, radius: float = 1.0) -> None:
    """Draw a round clock face without numbers."""
    axes.set(
        xlim=(-1.18 * radius, 1.18 * radius), ylim=(-1.18 * radius, 1.18 * radius), aspect="equal", xticks=[], yticks=[]
    )
    axes.spines[:].set_visible(False)
    turn = np.linspace(0, 2 * np.pi, 121)
    axes.plot(radius * np.cos(turn), radius * np.sin(turn), color=FAINT, linestyle="-", linewidth=1, zorder=0)
    axes.plot([0], [0], "o", color=INK, markersize=3)


def draw_hand(axes: Axes, tip: Any, colour: str, width: float = 2.0, alpha: float = 1.0) -> None:
    """Draw a clock hand from the centre of its face to its tip."""
    arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": colour, "linewidth": width, "alpha": alpha}
    x, y = as_numbers(tip)
    axes.annotate("", (x, y), (0, 0), arrowprops=arrow)


def signed(value: float, digits: int = 2) -> str:
    """Format a number with a true minus sign, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def seed_lines(axes: Axes, accuracy: dict[tuple[int, int], float], lengths: Sequence[int]) -> None:
    """Plot each seed's accuracies against the length, on a logarithmic axis.

    Each seed has a thin line, and the mean of the seeds has a thick line.
    """
    seeds = sorted({seed for _, seed in accuracy})
    curves = np.array([[accuracy[length, seed] for length in lengths] for seed in seeds])
    axes.axhline(0.9, color=GREY, linestyle=":", linewidth=0.8)
    axes.plot(lengths, curves.T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.35)
    axes.plot(lengths, curves.mean(axis=0), "o-", color=BLUE, markersize=3)
    axes.set(xscale="log", ylim=(-0.03, 1.08), yticks=(0, 0.5, 1))
    axes.minorticks_off()


def loss_curves(panels_of: dict[str, list[Any]], columns: int) -> Figure:
    """Draw a panel per name: the loss by step, with a thin line per seed."""
    figure, panels = small_multiples([name.replace(", ", ",\n") for name in panels_of], "step", "loss", columns=columns)
    for axes, rows in zip(panels.values(), panels_of.values(), strict=True):
        steps = sorted({row.step for row in rows})
        found = {(row.step, row.seed): row.loss for row in rows}
        curves = np.array([[found[step, seed] for step in steps] for seed in sorted({row.seed for row in rows})])
        axes.plot(steps, np.maximum(curves, 1e-4).T, color=BLUE, linestyle="-", linewidth=0.8, alpha=0.6)
        axes.set(yscale="log", ylim=(1e-4, 5), xticks=(0, steps[-1]))
    return figure


# The map of the course.

# Places where position can enter a layer, in the order of the computation.
PLACES = ("embedding", "score", "bias,\nmask")


@dataclass(frozen=True)
class Lesson:
    """Lesson on the map: hours, required lessons, places (counted from 1), and what the lesson does at these places."""

    number: int
    hours: float
    needs: str
    places: tuple[int, ...]
    happens: str


def lessons() -> dict[str, ModuleType]:
    """Return each lesson's module of pictures, by the lesson's name, in the order of the course."""
    found = {path.parent.name: _pictures_of(path.parent.name) for path in HERE.glob("*/figures.py")}
    return dict(sorted(found.items(), key=lambda one: one[1].LESSON.number))


def _pictures_of(lesson: str) -> ModuleType:
    return import_module(f"assignments.{lesson}.figures")


def _layer(axes: Axes, lit: Sequence[int]) -> None:
    """Draw the steps of a transformer layer from left to right, at height 0; the places in `lit` are coloured."""
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


@picture
def course_map(course: dict[str, Lesson] | None = None) -> Figure:
    """Draw the lessons of a course, and the places in a layer where each lesson's methods use the position.

    If `course` is None, all lessons are drawn.
    """
    course = course or {name: module.LESSON for name, module in lessons().items()}
    figure = Figure(figsize=(7.2, 0.92 + 0.34 * len(course)), layout="constrained")
    axes = figure.subplots()
    _layer(axes, (1, 2, 3))
    columns = (0.4, 0.555, 0.655, 0.76)
    for x, name in zip((0.05, *columns, 0.9), ("lesson", *PLACES, "hours", "needs"), strict=True):
        axes.text(x, 1.6, name, ha="center", va="bottom", fontsize=8)
    for row, (name, lesson) in enumerate(course.items()):
        y = 2.2 + 0.9 * row
        axes.axhline(y - 0.45, color=FAINT, linestyle="-", linewidth=0.8)
        axes.text(0.035, y, lesson.number, ha="right", va="center")
        axes.text(0.05, y, name, va="center")
        axes.plot(
            [columns[place - 1] for place in lesson.places], [y] * len(lesson.places), "o", color=BLUE, markersize=8
        )
        axes.text(columns[3], y, f"{lesson.hours:g}", ha="center", va="center")
        axes.text(0.96, y, lesson.needs, ha="right", va="center")
    axes.set_ylim(2.2 + 0.9 * len(course) - 0.4, -0.6)
    hours = sum(lesson.hours for lesson in course.values())
    axes.set_xlabel(f"{len(course)} lessons of 20 points, about {hours:.0f} hours")
    return figure


def mapped_lessons() -> dict[str, Lesson]:
    """Return the lessons that show a map of a layer: the first, and each that uses the position at a new place."""
    mapped, seen = {}, set()
    for name, module in lessons().items():
        places = set(module.LESSON.places)
        if not places or places - seen:
            mapped[name] = module.LESSON
        seen |= places
    return mapped


@picture
def lesson_map(lesson: Lesson) -> Figure:
    """Draw a layer, and colour the places where one lesson's methods use the position."""
    figure = Figure(figsize=(NARROW, 0.95), layout="constrained")
    axes = figure.subplots()
    _layer(axes, lesson.places)
    axes.set(ylim=(0.6, -0.6), xlabel=lesson.happens)
    return figure


# Drawing all pictures.


def _module(folder: Path, name: str) -> ModuleType:
    """Return the module `name` from a folder of modules or of assignments."""
    file = folder / f"{name}.py"
    spec = spec_from_file_location(name, file if file.is_file() else folder / name / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def drawn_from(draw: Callable[..., Figure]) -> list[str]:
    """Return the names of the modules and measurements that a picture needs: its parameters without defaults."""
    return [name for name, one in inspect.signature(draw).parameters.items() if one.default is one.empty]


def pictures(lesson: str) -> dict[str, Callable[..., Figure]]:
    """Return all pictures of one lesson by name."""
    module = _pictures_of(lesson)
    return {
        name: one
        for name, one in vars(module).items()
        if hasattr(one, "__wrapped__") and one.__module__ == module.__name__
    }


def measurements(lesson: str) -> dict[str, Any]:
    """Return any measurements that a lesson's pictures need in addition to the student's functions."""
    return getattr(_pictures_of(lesson), "measurements", dict)()


def draw_all(source: Path, target: Path) -> list[Path]:
    """Draw every picture from the modules in `source` as SVG files in `target`; return the files."""
    (target / "narrow").mkdir(parents=True, exist_ok=True)
    drawn = {"map": course_map()} | {f"map_{name}": lesson_map(mapped) for name, mapped in mapped_lessons().items()}
    for lesson in lessons():
        given = {lesson: _module(source, lesson)} | measurements(lesson)
        for name, draw in pictures(lesson).items():
            if given.keys() >= set(drawn_from(draw)):
                drawn[name] = draw(*(given[argument] for argument in drawn_from(draw)))
    for name, figure in drawn.items():
        save(figure, target / f"{name}.svg")
    return [target / f"{name}.svg" for name in drawn]


def draw_lesson(source: Path, lesson: str) -> Iterator[dict[str, str]]:
    """Draw the pictures that need only one lesson's functions, from its module in `source`; yield SVGs for each."""
    module = _module(source, lesson)
    for name, draw in pictures(lesson).items():
        if drawn_from(draw) == [lesson]:
            yield layouts(draw(module), f"{name}.svg")


def save(figure: Figure, path: Path) -> None:
    """Write a picture, and its phone layout if there is a `narrow` folder beside it."""
    for name, drawing in layouts(figure, path.name).items():
        if (path.parent / name).parent.is_dir():
            (path.parent / name).write_text(drawing, "utf-8")


def layouts(figure: Figure, name: str) -> dict[str, str]:
    """Return a picture's SVG by its path and, if the picture is wide, the SVG of its phone layout, in `narrow`.

    Text in the SVG stays text, and colours follow a light or a dark page. The same picture always gives the same SVG.
    """
    drawings = {name: _drawing(figure)}
    if figure.get_figwidth() > NARROW:
        with matplotlib.rc_context(STYLE):
            drawings[f"narrow/{name}"] = _drawing(narrowed(figure, NARROW))
    return drawings


def _drawing(figure: Figure) -> str:
    drawing = re.sub(r"(?s)^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->", "", _svg(figure))
    # The part between the tags is text to read.
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


def _svg(figure: Figure) -> str:
    """Return a figure as SVG with a transparent background.

    `Figure.savefig` would return the same SVG, but compute the layout twice.
    """
    page, canvas, dpi = io.StringIO(), figure.canvas, figure.dpi
    for patch in (figure.patch, *(axes.patch for axes in figure.axes)):
        patch.set(facecolor="none", edgecolor="none")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "whereabouts"}):
        FigureCanvasSVG(figure).print_svg(page, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    figure.set_canvas(canvas)
    figure.set_dpi(dpi)
    return page.getvalue()


def _with_short_numbers(tag: str) -> str:
    return re.sub(
        r"(?<![\w#])-?\d+\.\d{3,}(?![\w.])", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), tag
    )


def _without_padding(drawing: str) -> str:
    """Return the part of a drawing that a browser needs.

    The result has no unused names, no groups that are empty or lack attributes, and no unneeded whitespace.
    """
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


def main(arguments: list[str]) -> None:
    """Draw all pictures from the modules in FOLDER, or one lesson's pictures into the folder TARGET.

    The command is `python -m assignments.figures [FOLDER [TARGET LESSON]]`.
    """
    if len(arguments) == 3:
        folder, target, lesson = arguments
        Path(target, "narrow").mkdir(parents=True, exist_ok=True)
        for path, drawing in (item for drawn in draw_lesson(Path(folder), lesson) for item in drawn.items()):
            Path(target, path).write_text(drawing, "utf-8")
        return
    solutions = HERE.parent / "solutions"
    source = Path(arguments[0]) if arguments else solutions if solutions.is_dir() else HERE
    for path in draw_all(source, HERE / "figures"):
        print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
