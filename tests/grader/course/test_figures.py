"""Tests of pictures: each picture draws both right and wrong results, or shows a card if there is nothing to draw."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from assignments import figures
from autograder import course
from autograder.handout.stubs_and_recorded_values import stub
from autograder.hints import catalogue
from tests.grader.support.numbers_in_lessons_helpers import solution

Draw = Callable[..., Figure]
PICTURES = {(lesson, name): draw for lesson in figures.lessons() for name, draw in figures.pictures(lesson).items()}
MEASURED = {name: one for lesson in figures.lessons() for name, one in figures.measurements(lesson).items()}
pictures_of = {name: types.SimpleNamespace(**figures.pictures(name)) for name in figures.lessons()}
rope = pictures_of["rope"]


def modules_of(draw: Draw) -> list[str]:
    return [name for name in figures.drawn_from(draw) if name not in MEASURED]


def unwritten(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    exec(stub(course.find(name).solution.read_text("utf-8"), name), module.__dict__)
    return module


def drawn(draw: Draw, load: Callable[[str], types.ModuleType] = solution, **settings: Any) -> Figure:
    """Return a picture drawn with the modules that `load` returns."""
    return draw(*(MEASURED[name] if name in MEASURED else load(name) for name in figures.drawn_from(draw)), **settings)


def words(figure: Figure) -> str:
    """Return all text in a picture."""
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def content(figure: Figure) -> list[bytes]:
    """Return all numbers and words in a picture."""
    found = [words(figure).encode()]
    for one in figure.findobj():
        for part in ("get_xydata", "get_array", "get_offsets", "get_xy", "get_width", "get_facecolor"):
            if hasattr(one, part) and (value := getattr(one, part)()) is not None:
                found.append(np.asarray(value).tobytes())
    return found


def sketched(draw: Draw, load: Callable[[str], types.ModuleType] = solution) -> Figure:
    """Draw a picture without the slow layout step, which the notebook tests and `make figures` cover."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "draw_without_rendering", lambda self: None)
        return drawn(draw, load)


@functools.cache
def right(draw: Draw) -> Figure:
    """Return a picture drawn with the solution."""
    return sketched(draw)


every_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=lambda draw: draw.__name__)
drawn_from_modules = pytest.mark.parametrize(
    "draw", [draw for draw in PICTURES.values() if modules_of(draw)], ids=lambda draw: draw.__name__
)


@every_picture
def test_a_picture_of_the_solution_is_no_card_and_can_be_read_in_grey(draw: Draw) -> None:
    """Every axis has a label, and no two lines in a plot have the same shade and style."""
    assert "waits for" not in words(right(draw))
    plots = right(draw).findobj(matplotlib.axes.Axes)
    assert any(axes.get_xlabel() for axes in plots)
    for axes in plots:
        legend = axes.get_legend()
        looks = [(one.get_linestyle(), one.get_color()) for one in legend.get_lines()] if legend else []
        assert len({style for style, _ in looks}) == len(looks), f"told apart by colour alone: {looks}"


def test_random_features_are_the_same_each_time() -> None:
    for lesson in figures.lessons().values():
        drawn_by = re.findall(r"default_rng\(.|np\.random\.(?!default_rng)", inspect.getsource(lesson))
        assert all(re.fullmatch(r"default_rng\([^)]", one) for one in drawn_by), lesson


@drawn_from_modules
def test_a_picture_without_its_functions_is_a_card_that_says_which_one_it_waits_for(draw: Draw) -> None:
    said = words(drawn(draw, unwritten))
    assert "It is not written yet." in said
    assert any(f"waits for {name}\n" in said + "\n" for module in modules_of(draw) for name in vars(solution(module)))
    assert "Your file has no function of that name." in words(drawn(draw, types.ModuleType))


BROKEN: dict[str, Callable[..., Any]] = {
    "raises": lambda *arguments, **named: 1 / 0,
    "nothing": lambda *arguments, **named: None,
    "text": lambda *arguments, **named: "$broken {text",
    "a list": lambda *arguments, **named: [[1.0], [2.0, 3.0]],
    "too small": lambda *arguments, **named: np.zeros((1, 1, 1)),
    "not a number": lambda *arguments, **named: np.full((3, 2), np.nan),
}


@pytest.mark.parametrize(
    ("draw", "wrong"),
    list(zip([draw for draw in PICTURES.values() if modules_of(draw)], itertools.cycle(BROKEN.values()))),
    ids=lambda one: one.__name__,
)
def test_whatever_a_function_does_there_is_a_picture_or_a_card(draw: Draw, wrong: Callable[..., Any]) -> None:
    """With wrong functions, the result is either a card that names a function or a picture with labelled axes. Each
    picture is tested with only one kind of wrong value, because the code handles all kinds the same way."""

    def broken(name: str) -> types.ModuleType:
        module, complete = types.ModuleType(name), solution(name)
        for function in [key for key, value in vars(complete).items() if callable(value)]:
            setattr(module, function, wrong)
        module.METHODS = getattr(complete, "METHODS", ())  # type: ignore[attr-defined]
        return module

    figure = drawn(draw, broken)
    assert "waits for" in words(figure) or any(axes.get_xlabel() for axes in figure.findobj(matplotlib.axes.Axes))


def test_a_card_names_the_function_that_raised() -> None:
    module = solution("rope")

    def apply_rope(*arguments: Any, **named: Any) -> None:
        raise TypeError("x must be turned")

    module.apply_rope = apply_rope  # type: ignore[attr-defined]
    said = words(rope.rotated_pair(module))
    assert "waits for apply_rope" in said
    assert "TypeError: x must be turned" in said


def test_a_card_names_the_unwritten_function_behind_a_written_one() -> None:
    module = solution("rope")
    module.rope_cos_sin = unwritten("rope").rope_cos_sin  # type: ignore[attr-defined]
    assert "waits for rope_cos_sin" in words(rope.shift_dial(module))


FIRST_PICTURES = {name: draw for (name, _), draw in reversed(PICTURES.items()) if modules_of(draw) == [name]}
"""First picture in each lesson that uses only functions of that lesson."""


@pytest.mark.parametrize("name", FIRST_PICTURES)
def test_mistakes_are_drawn(name: str) -> None:
    """For every function that a picture uses, some known mistake changes the picture."""
    assignment, draw = course.find(name), FIRST_PICTURES[name]
    called = set(re.findall(rf"\b{name}\.(\w+)", inspect.getsource(draw)))
    mistakes = [entry for entry in catalogue.entries(assignment) if entry.function in called]
    before = content(right(draw))
    pictures = (
        sketched(draw, lambda _, one=entry: catalogue.solution_with_mistake(assignment, one)) for entry in mistakes
    )
    assert any(content(picture) != before for picture in pictures)


def test_a_row_counted_from_the_back_shows() -> None:
    """A wrong lookup that accepts −1 finds a row where the correct lookup raises an IndexError."""
    careless = solution("learned")
    careless.lookup = lambda table, positions: np.asarray(table)[positions]  # type: ignore[attr-defined]
    assert "gives IndexError" in words(pictures_of["learned"].table_lookup(solution("learned"), asked=-1))
    assert "gives a row of size" in words(pictures_of["learned"].table_lookup(careless, asked=-1))


def test_shifting_both_turns_the_hands_and_keeps_the_score() -> None:
    module = solution("rope")
    here, shifted = rope.shift_dial(module, 1, 3, shift=0), rope.shift_dial(module, 1, 3, shift=3)
    assert "rotated: query at 1, key at 3:  −0.6081" in words(here)
    assert "rotated: query at 4, key at 6:  −0.6081" in words(shifted)


def test_a_key_that_changes_in_the_cache_shows() -> None:
    again = next(one for one in catalogue.entries(course.find("rope")) if one.name == "cached_keys_rotated_again")
    assert "changed in the cache" not in words(rope.cache(solution("rope")))
    assert "changed in the cache" in words(rope.cache(catalogue.solution_with_mistake(course.find("rope"), again)))


def test_the_map_has_the_lessons_in_their_order_with_their_hours() -> None:
    rows = {name: module.LESSON for name, module in figures.lessons().items()}
    assert list(rows) == [one.name for one in course.term_assignments()]
    for name, row in rows.items():
        assert f"**{row.hours:g} hours".replace(".5", "½") in course.find(name).lesson.read_text("utf-8"), name


def test_drawing_leaves_the_settings_of_matplotlib_alone() -> None:
    before = dict(matplotlib.rcParams)
    pictures_of["sinusoidal"].similarity(types.ModuleType("sinusoidal"))
    assert dict(matplotlib.rcParams) == before


def test_all_pictures_are_committed_and_small_and_wide_ones_have_one_for_phones() -> None:
    folder = Path(figures.__file__).with_name("figures")
    files = {path.stem: path for path in folder.glob("*.svg")}
    maps = {name for name in files if name.startswith("map_")}
    shown = {
        name for one in course.term_assignments() for name in re.findall(r"map_\w+", one.lesson.read_text("utf-8"))
    }
    assert maps == shown == {f"map_{lesson}" for lesson in figures.mapped_lessons()}
    assert set(files) == {"map"} | maps | {name for _, name in PICTURES}
    narrow = {path.stem: path for path in (folder / "narrow").iterdir()}
    widths = {
        name: float(re.findall(r'width="([\d.]+)pt"', path.read_text("utf-8"))[0]) / 72 for name, path in files.items()
    }
    assert set(narrow) == {name for name, width in widths.items() if width > figures.NARROW}
    assert all(f'width="{72 * figures.NARROW:g}pt"' in path.read_text("utf-8") for path in narrow.values())
    sizes = [path.stat().st_size for path in (*files.values(), *narrow.values())]
    assert max(sizes) < 100_000 and sum(sizes) < 25_000 * len(sizes)


def test_a_saved_picture_follows_the_theme_and_is_the_same_file_each_time(tmp_path: Path) -> None:
    """Text in a picture stays text, in a font that every system has, and every colour has a counterpart in
    the dark theme."""
    saved = []
    for name in ("first.svg", "second.svg"):
        figures.save(drawn(pictures_of["alibi"].slopes_in_the_gaps), tmp_path / name)
        saved.append((tmp_path / name).read_text("utf-8"))
    assert saved[0] == saved[1]
    assert ">12 heads</text>" in saved[0] and "DejaVu Sans', 'Bitstream" not in saved[0]
    drawing = saved[0].partition("</style>")[2]
    assert not [colour for colour in figures.THEME if colour.lower() in drawing.lower()]
    assert {f"--{name}" for name, _, _ in figures.THEME.values()} >= set(re.findall(r"var\((--\w+)\)", drawing))


def test_the_pictures_of_a_lesson_are_drawn_from_a_folder_of_modules() -> None:
    alibi = [*figures.draw_lesson(course.ROOT / "solutions", "alibi")]
    names = [["alibi_heads.svg", "narrow/alibi_heads.svg"], ["slopes_in_the_gaps.svg"]]
    assert [[*layouts] for layouts in alibi] == names
    # A file with only a card is a fifth of that size.
    assert all(len(svg) > 6_000 for layouts in alibi for svg in layouts.values())
