"""Tests of the course pages: the pages are complete and small, and load nothing from other hosts."""

from __future__ import annotations

import ast
import html
import json
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from autograder import course
from autograder.course import ROOT
from autograder.grading import answer_key
from autograder.grading.suite import all_tests
from autograder.hints import catalogue
from autograder.pages import answer_forms_and_practice, course_pages, dials
from autograder.pages.formulas import PageError, mathml
from autograder.pages.glossary import Glossary
from autograder.pages.markdown import Renderer
from autograder.protocol.call import ANSWERS
from tests.grader.pages import dial_numbers
from tests.grader.support.dials import DIALS

MAX_BYTES_PER_PAGE = 220_000
"""Maximum average size of a page in bytes, including pictures."""

TEXT_FOLDER = ROOT / "assignments"
LESSONS = [one.name for one in course.term_assignments()]


@pytest.fixture(scope="module")
def pages(course_files: dict[str, bytes]) -> dict[str, str]:
    return {name: content.decode("utf-8") for name, content in course_files.items() if name.endswith(".html")}


def visible_text(text: str) -> str:
    """Return the visible text of a page."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def test_there_is_a_small_page_for_every_text_and_nothing_is_loaded_from_elsewhere(
    course_files: dict[str, bytes], pages: dict[str, str]
) -> None:
    texts = {path.stem for path in TEXT_FOLDER.glob("[a-z]*.md")}
    assert {name.removesuffix(".html") for name in pages} == {"index", *LESSONS, *texts}
    assert sum(map(len, course_files.values())) < MAX_BYTES_PER_PAGE * len(pages)
    for name, page in pages.items():
        loaded = re.findall(r'<(?:script|img|link|source)\b[^>]*? (?:src|srcset|href)="([^"]+)"', page)
        assert loaded and {source for source in loaded if source != "data:,"} <= course_files.keys(), name
        assert not re.search(r"<(?:iframe|object|embed|video|audio)\b", page)
    assert not re.findall(rb"@import|url\((?!data:)", course_files["course.css"])
    assert not re.findall(rb"import\(|XMLHttpRequest|https?://", course_files["dials.js"])


def test_every_link_leads_somewhere_and_every_lesson_to_the_next(pages: dict[str, str]) -> None:
    ids = {name: re.findall(r' id="([^"]+)"', page) for name, page in pages.items()}
    for name, page in pages.items():
        assert len(set(ids[name])) == len(ids[name]), f"{name} has an id twice"
        opened = re.findall(r'popovertarget="([^"]+)"', page)
        assert len(set(opened)) == len(opened) and set(opened) <= set(ids[name])
        shown = re.sub(r"(?s)<!--.*?-->", "", page)  # Words for a browser tab are commented out here.
        for link in re.findall(r'<a\b[^>]*? href="([^"]+)"', shown):
            target, _, anchor = link.partition("#")
            assert "://" in link or not anchor or anchor in ids[target or name], f"{name}: {link}"
            assert "://" in link or (target or name) in pages, f"{name}: {link}"
    assert 'popovertarget="term-' in pages["rope.html"] and 'popovertarget="term-' not in pages["sources.html"]
    assert re.findall(r"\[\d+ (\w+)\]", (TEXT_FOLDER / "README.md").read_text("utf-8")) == LESSONS
    for before, after in pairwise(["index", "setup", *LESSONS, "choosing", "glossary", "numpy", "sources"]):
        assert f'rel="next" href="{after}.html"' in pages[f"{before}.html"]
        assert f'rel="prev" href="{before}.html"' in pages[f"{after}.html"]


def test_every_word_of_a_lesson_and_of_its_docstrings_stands_on_its_page(pages: dict[str, str]) -> None:
    for one in course.term_assignments():
        page = re.sub(r'(?s)<math.*?</math>|<img[^>]* alt="([^"]*)"[^>]*>', r" \1 ", pages[f"{one.name}.html"])
        shown = visible_text(page)
        seen = set(re.findall(r"\w+", shown))
        aside = r"(?s)```\w+|\$\$.*?\$\$|\$[^$]*\$|\]\([^)\s]*|<[^>]*>"
        text = re.findall(r"\w+", re.sub(aside, " ", one.lesson.read_text("utf-8")))
        assert not [word for word in text if word not in seen and word.strip("_") not in seen], one
        for function in ast.parse(one.stub.read_text("utf-8")).body:
            if isinstance(function, ast.FunctionDef) and function.name[0] != "_":
                assert f"{function.name}({ast.unparse(function.args)})" in shown
                docstring = str(ast.get_docstring(function))
                assert " ".join(docstring.split()) in " ".join(shown.split())
                assert all(f"\n{line}\n" in shown for line in docstring.splitlines() if line.startswith(" "))


# Formulas


def test_every_formula_is_converted_and_the_font_has_its_characters(pages: dict[str, str]) -> None:
    """No formula contains an error element, and the font contains every character."""
    with TTFont(course_pages.HERE / "vendor" / "STIXTwoMath.woff", lazy=True) as font:
        characters = set(map(chr, font.getBestCmap()))
    found = {formula for page in pages.values() for formula in re.findall(r"(?s)<math.*?</math>", page)}
    assert len(found) > 300
    for formula in found:
        assert "merror" not in formula and set(visible_text(formula)) <= characters, formula


INVALID_FORMULAS = ["$\\unknown x$", "$\\frac{1$", "$\\left( x$"]
UNMATCHED_DOLLARS = [
    "$S + k (v\n- r)^\\top$ here",
    "costs $5",
    "**$x**",
    "| a |\n|---|\n| $b |",
    "[a $](x.md)",
    "# $ in a heading",
]


@pytest.mark.parametrize("text", [*INVALID_FORMULAS, *UNMATCHED_DOLLARS])
def test_a_formula_that_cannot_be_shown_and_a_dollar_that_is_left_fail_the_build(text: str) -> None:
    """A line that begins with a minus sign is a list item and ends an unfinished formula."""
    with pytest.raises(PageError, match=r"\$" if text in UNMATCHED_DOLLARS else re.escape(text.strip("$"))):
        Renderer(Glossary(""), TEXT_FOLDER).render(text, "state", {})


CORRECTED_FORMULAS = {
    r"\cos m\theta": '<mi>cos</mi><mspace width="0.167em" />',
    r"\cos(x)": "<mi>cos</mi><mo",
    r"(a)\cos t": ')</mo><mspace width="0.167em" /><mi>cos</mi>',
    r"(-1)": '<mo form="prefix">−</mo>',
    r"a-1": "<mo>−</mo>",
    r"\lvert r \rvert": 'form="prefix">|</mo><mi>r</mi><mo stretchy="true" fence="true" form="postfix">|</mo>',
    r"\lfloor x \rfloor": 'form="prefix">⌊</mo>',
}


def test_what_the_library_leaves_out_is_added() -> None:
    for formula, part in CORRECTED_FORMULAS.items():
        assert part in mathml(formula), formula


# Terms


GLOSSARY = """## Words

| term | meaning | lesson |
|---|---|---|
| head | One of several attentions. | 1 |
| head_dim | Its size. | 1 |
| RoPE | Rotations. | 5 |
| SET | In capitals. | 5 |
| encoding (positional) | Says where. | 2 |
| pair | Two features. | 3, 5 |
| value | A row. | 1 |

## Symbols

| symbol | meaning | lesson |
|---|---|---|
| i | A pair. | 3 |
"""


def test_a_term_is_marked_where_it_is_touched_first_and_in_the_lessons_that_mean_it() -> None:
    text, already_marked = (
        "Heads have a head and a head_dim; a set, ahead, i, headless; RoPE is an encoding & more value",
        set(),
    )
    marked = Glossary(GLOSSARY).with_term_buttons(text, already_marked)
    assert re.findall(r"<button[^>]*>(.*?)</button>", marked) == ["Heads", "head_dim", "RoPE", "encoding"]
    assert visible_text(marked) == text and already_marked == {"head", "head_dim", "RoPE", "encoding (positional)"}
    for lesson in range(7):
        assert ("<button" in Glossary(GLOSSARY).with_term_buttons("pairs", set(), lesson)) is (lesson in (3, 5))


# Dials and questions


def test_every_dial_stands_at_its_mark_and_before_what_it_repeats(pages: dict[str, str]) -> None:
    assert {one.name for one in DIALS} == {
        path.stem for folder in dials.DIAL_SOURCE_FOLDERS for path in folder.glob("*.html")
    }
    for name in {one.page for one in DIALS}:
        page = pages[f"{name}.html"]
        assert re.findall(r"data-dial=\"(\w+)\"", page) == [one.name for one in DIALS if one.page == name]
        for repeated in re.findall(r'<section class="dial instead".*?</section>\s*(\S+)', page, re.DOTALL):
            assert repeated.startswith("<figure>"), name


def right_answers() -> dict[str, object]:
    """Return the correct answer to each dial's question."""

    def shown(dial: str, **settings: Any) -> Any:
        return dial_numbers.expected(dial, settings, "")

    naive, sinusoidal, rope, relative = map(dial_numbers.solution, ("naive", "sinusoidal", "rope", "relative"))
    buckets = relative.t5_bucket(-np.arange(500), num_buckets=16)
    tips = np.diff(sinusoidal.sinusoidal_encoding([0, 44], 8), axis=0).reshape(4, 2)
    changes = np.diff(sinusoidal.sinusoidal_encoding([40, 41], 32), axis=0)
    far, near = rope.decay_bound(np.array([25, 22]), 64)
    windows = shown("slopes", heads=16, tolerance=0.01)["windows"]
    sinks = (shown("sinks", total=total, sinks=4, window=8)["tokens"] for total in range(5, 99))
    angles = (shown("scale", kind="integer", tokens=512, position=p)["there"] for p in range(20))
    return {
        "shuffle": "man dog bites".split().index("dog") + 1,
        "bits": np.argmax(naive.hamming_steps(naive.binary_positions(64, 6)) == 6) + 1,
        "buckets": np.flatnonzero(buckets < buckets[-1])[-1] + 1,
        "clock": np.argmax(np.linalg.norm(tips, axis=1)),
        "decay": "yes" if near < far else "no",
        "fan": shown("fan", d=16, zoom=3)["turning"],
        "slice": (np.abs(changes) > 0.5).sum(),
        "slopes": sum(window > 100 for window in windows),
        "sinks": next(total for total, tokens in enumerate(sinks, 5) if 4 not in tokens),
        "scale": next(position for position, angle in enumerate(angles) if angle < 10),
        "gate": f"{shown('gate', at=4, gate=0.5, others=1)['states'][-2]:g}",
        "beta": f"{shown('beta', beta=1, angle=60)['mended'][0]:g}",
        "rows": 7, "shift": 2, "whole": 3, "stretch": "neither", "patch": "no",
    }  # fmt: skip


def test_the_answer_to_every_question_of_a_dial_is_right(pages: dict[str, str]) -> None:
    asked = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', "".join(pages.values())))
    assert {one.name for one in DIALS} <= asked.keys()
    for name, right in right_answers().items():
        assert asked[name] == str(right), name


def test_what_a_prediction_is_compared_with_was_measured(pages: dict[str, str]) -> None:
    """A dial shows at most three measured curves, including the best one, and the list of dials names each curve."""
    listed = dict(re.findall(r'(?s)<li value="\d+"><a data-of="(\w+)"(.*?)</li>', pages["index.html"]))
    for lesson in [one.page for one in DIALS if one.name == "guess"]:
        found, written = (
            dials.best_median_worst_curves(lesson),
            (TEXT_FOLDER / lesson / "measured.csv").read_text("utf-8"),
        )
        curves = {group: np.array(curve) for group, curve in found["curves"].items()}
        assert 1 < len(curves) <= 3
        (shown,) = re.findall(r'href="\w+.html#dial-guess">(.+?)<', listed[lesson])
        assert all(name in shown for name in curves), shown
        assert max(curves, key=lambda group: curves[group][:, -1].mean()) == found["best"]
        assert found["highest"] == pytest.approx(curves[found["best"]][:, -1].mean())
        for curve in curves.values():
            assert curve.shape[1] == len(found["lengths"]) and len(curve) > 3
            assert all(f",{value:.4f}" in written for value in curve.ravel())


def test_questions_for_practice_take_an_answer_and_graded_ones_do_not(pages: dict[str, str]) -> None:
    """Pages reveal only the answers to dials and to questions without points. For graded questions, the
    handout contains only the form of each answer, such as “a number”."""
    for one in course.term_assignments():
        asked = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', page := pages[f"{one.name}.html"]))
        solution, facts = catalogue.solution(one).ANSWERS, answer_forms_and_practice.answer_forms_and_practice(one)
        graded = {
            answer_key.quiz_question_key(test) for test in all_tests(one) if test.question == ANSWERS and test.points
        }
        assert facts["practice"].keys() == solution.keys() - graded <= asked.keys() and not graded & asked.keys()
        assert facts["forms"].keys() == solution.keys()
        assert set(facts["forms"].values()) <= {"yes or no", "a whole number", "a number", "a word"}
        for key in solution.keys() - graded:
            right = solution[key]
            assert asked[key] == (("yes" if right else "no") if isinstance(right, bool) else str(right))
            assert 0 < page.find(f"<code>{key}</code>") < page.find(f'data-ask="{key}"')


def test_a_search_knows_every_function_and_word(course_files: dict[str, bytes], pages: dict[str, str]) -> None:
    index = json.loads(course_files["search.js"].decode("utf-8").partition("=")[2].rstrip(";\n"))
    titles, links = {one["title"] for one in index}, [one["link"] for one in index]
    functions = {
        name for one in course.term_assignments() for name in re.findall(r"(?m)^def ([a-z]\w+)", one.stub.read_text())
    }
    assert all(any(name in title for title in titles) for name in functions)
    assert set(Glossary((TEXT_FOLDER / "glossary.md").read_text("utf-8")).meanings) <= titles
    assert len(set(links)) == len(links)
    for page, _, anchor in (link.partition("#") for link in links):
        assert not anchor or f' id="{anchor}"' in pages[page], anchor
