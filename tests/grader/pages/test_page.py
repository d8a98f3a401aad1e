"""The course as pages: whole, small, from the same texts, and without anything that is loaded from elsewhere."""

from __future__ import annotations

import ast
import html
import json
import math
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from autograder import course
from autograder.course import ROOT, Assignment
from autograder.grading import quiz
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.pages import dials, site
from autograder.pages.formulas import PageError, mathml
from autograder.pages.glossary import Glossary
from autograder.pages.markdown import Renderer
from autograder.protocol.call import ANSWERS
from tests.grader.support.browsing import DIALS

MOST_BYTES = 220_000
"""per page, with its pictures"""


class Parsed(HTMLParser):
    """What a page links to, loads and names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found["popovertarget"]] if "popovertarget" in found else []
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("script", "img", "link", "iframe", "object", "embed", "video", "audio", "source"):
            self.loaded += [found[name] for name in ("src", "href") if name in found]


@pytest.fixture(scope="session")
def pages(course_files: dict[str, bytes]) -> dict[str, Parsed]:
    return {name: Parsed(content.decode("utf-8")) for name, content in course_files.items() if name.endswith(".html")}


def test_there_is_a_page_for_every_lesson_and_a_beginning(course_files: dict[str, bytes]) -> None:
    named = (
        {f"{one.name}.html" for one in course.assignments()}
        | {f"{path.stem}.html" for path in (ROOT / "assignments").glob("*.md") if path.stem != "README"}
        | {"index.html"}
    )
    assert {name for name in course_files if name.endswith(".html")} == named


def test_it_is_small(course_files: dict[str, bytes]) -> None:
    pages = [name for name in course_files if name.endswith(".html")]
    assert sum(map(len, course_files.values())) < MOST_BYTES * len(pages)


def test_nothing_is_loaded_from_elsewhere(course_files: dict[str, bytes], pages: dict[str, Parsed]) -> None:
    for name, page in pages.items():
        for source in page.loaded:
            assert source == "data:," or source in course_files, f"{name} loads {source}"
    sheet = course_files["course.css"].decode("utf-8")
    assert not re.findall(r"@import|url\((?!data:)", sheet)
    assert not re.findall(r"fetch\(|import\(|XMLHttpRequest|https?://", course_files["dials.js"].decode("utf-8"))


def test_every_link_leads_somewhere(pages: dict[str, Parsed]) -> None:
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), (
            f"{name} has an id twice: {[one for one in page.ids if page.ids.count(one) > 1]}"
        )
        assert set(page.targets) <= set(page.ids)
        for link in page.links:
            if "://" not in link:
                target, _, anchor = link.partition("#")
                assert (target or name) in pages, f"{name}: {link}"
                assert not anchor or anchor in pages[target or name].ids, f"{name}: {link}"


def test_a_lesson_is_all_there(assignment: Assignment, course_files: dict[str, bytes]) -> None:
    """Every word of the lesson and of the docstrings stands on its page."""
    page = course_files[f"{assignment.name}.html"].decode("utf-8")
    without = re.sub(r'<img[^>]* alt="([^"]*)"[^>]*>', r" \1 ", re.sub(r"<math.*?</math>", " ", page, flags=re.DOTALL))
    shown = html.unescape(re.sub(r"<[^>]*>", "", without))
    seen = set(re.findall(r"\w+", shown))
    text = re.sub(
        r"```python|\$\$.*?\$\$|\$[^$]*\$|\]\([^)\s]*|<[^>]*>",
        " ",
        assignment.lesson.read_text("utf-8"),
        flags=re.DOTALL,
    )
    missing = {word for word in re.findall(r"\w+", text) if word not in seen and word.strip("_") not in seen}
    assert not missing
    functions = [
        node
        for node in ast.parse(assignment.stub.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    ]
    assert functions
    for function in functions:
        assert f"{function.name}({ast.unparse(function.args)})" in shown
        docstring = str(ast.get_docstring(function))
        assert " ".join(docstring.split()) in " ".join(shown.split())
        assert all(f"\n{line}\n" in shown for line in docstring.splitlines() if line.startswith(" "))


def test_every_lesson_leads_to_the_next(course_files: dict[str, bytes]) -> None:
    names = ["index", "setup", *(one.name for one in course.assignments()), "glossary", "numpy", "sources"]
    for before, after in pairwise(names):
        assert f'rel="next" href="{after}.html"' in course_files[f"{before}.html"].decode("utf-8")
        assert f'rel="prev" href="{before}.html"' in course_files[f"{after}.html"].decode("utf-8")


def test_what_is_said_of_a_picture_holds_on_a_phone_too(course_files: dict[str, bytes]) -> None:
    """Where its panels stand below each other, none of them is on the left or on the right."""
    for name, page in course_files.items():
        for narrow, drawn, caption in re.findall(
            r'<figure>.*?srcset="(.+?)".*? alt="(.+?)".*?<figcaption.*?>(.+?)</', page.decode("utf-8", "replace")
        ):
            assert narrow in course_files
            assert not re.search(r"\b(Left|Right|left column|right column)\b", f"{drawn} {caption}"), (
                f"{name}: {narrow}"
            )
    for dial in DIALS:
        words = re.sub(
            r"<[^>]*>",
            " ",
            course_files[f"{dial.page}.html"]
            .decode("utf-8")
            .partition(f'id="title-{dial.name}"')[2]
            .partition("</section>")[0],
        )
        assert not re.search(r"\b(on the (left|right)|(left|right) (table|picture|chart))\b", words), dial


def test_what_is_said_of_a_colour_holds_in_both_themes(course_files: dict[str, bytes]) -> None:
    """What is white on one ground is black on the other, and what is dark there is light here."""
    shade = re.compile(
        r"\b(dark|darker|darkest|light|lighter|lightest|bright|brightest|pale|white|black)\b", re.IGNORECASE
    )
    for name, content in course_files.items():
        text = content.decode("utf-8")
        said = [
            *re.findall(r"<figcaption.*?</figcaption>", text),
            *re.findall(r'<section class="dial.*?</section>', text, re.DOTALL),
        ]
        said += re.findall(r"<text.*?</text>", text) if name.endswith(".svg") else []
        assert not [found[0] for one in said for found in [shade.search(re.sub(r"<[^>]*>", " ", one))] if found], name


# Formulas


def formulas() -> list[str]:
    """Every formula of every text, once."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin)
    texts = [one.lesson for one in course.assignments()] + sorted((ROOT / "assignments").glob("*.md"))
    tokens = [token for path in texts for token in markdown.parse(path.read_text("utf-8"))]
    tokens += [child for token in tokens for child in token.children or []]
    return sorted({token.content for token in tokens if token.type.startswith("math")})


def test_every_formula_is_converted_and_the_font_has_its_characters() -> None:
    """No command is left over, no element is an error, and no character would come from another font."""
    with TTFont(site.HERE / "fonts" / "STIXTwoMath.woff", lazy=True) as font:
        characters = set(map(chr, font.getBestCmap()))
    found = formulas()
    assert len(found) > 300
    for formula in found:
        converted = mathml(formula)
        assert "merror" not in converted
        text = html.unescape(re.sub(r"<[^>]*>", "", converted))
        assert "\\" not in text, formula
        assert set(text) <= characters, f"{formula}: {set(text) - characters}"


@pytest.mark.parametrize("formula", [r"\unknown x", r"\frac{1", r"\left( x"])
def test_a_formula_that_cannot_be_shown_fails_the_build(formula: str) -> None:
    with pytest.raises(PageError, match=re.escape(formula)):
        mathml(formula)


@pytest.mark.parametrize(
    "text",
    ["is $S + k (v\n- r)^\\top$ here", "costs $5", "**$x**", "| a |\n|---|\n| $b |", "[a $](x.md)", "# $ in a heading"],
)
def test_a_dollar_that_is_left_in_a_text_fails_the_build(text: str) -> None:
    """A line that begins with a minus is a list, and ends the formula before it."""
    with pytest.raises(PageError, match=r"\$"):
        Renderer(Glossary(""), ROOT / "assignments").render(text, "state")


@pytest.mark.parametrize(
    "formula, part",
    [
        (r"\cos m\theta", '<mi>cos</mi><mspace width="0.1667em" />'),
        (r"\cos(x)", "<mi>cos</mi><mo"),
        (r"(-1)", '<mo form="prefix">−</mo>'),
        (r"a-1", "<mo>−</mo>"),
        (r"|r|", 'form="prefix">|</mo><mi>r</mi><mo stretchy="false" form="postfix">|</mo>'),
        (r"(a)\cos t", ')</mo><mspace width="0.1667em" /><mi>cos</mi>'),
        (r"\Pi q", '<mi mathvariant="normal">Π</mi>'),
        (r"q_0", '<mpadded depth="0"><mi>q</mi></mpadded>'),
        (r"\lfloor x \rfloor", 'form="prefix">⌊</mo>'),
    ],
)
def test_what_the_library_leaves_out_is_added(formula: str, part: str) -> None:
    assert part in mathml(formula)


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


@pytest.mark.parametrize(
    "text, terms",
    [
        ("Two heads and a head", ["heads"]),
        ("Heads have a head_dim", ["Heads", "head_dim"]),
        ("RoPE is an encoding & more", ["RoPE", "encoding"]),
        ("a set, ahead, i, headless", []),
        ("the value of x", []),
    ],
)
def test_terms_are_marked_where_they_are_touched_first(text: str, terms: list[str]) -> None:
    touched: set[str] = set()
    marked = Glossary(GLOSSARY).marked(text, touched)
    assert re.findall(r"<button[^>]*>(.*?)</button>", marked) == terms
    assert html.unescape(re.sub(r"<[^>]*>", "", marked)) == text
    assert len(touched) == len(terms)


@pytest.mark.parametrize("lesson, marked", [(0, False), (2, False), (3, True), (4, False), (5, True), (6, False)])
def test_a_word_of_several_meanings_is_marked_in_the_lessons_that_the_glossary_names(lesson: int, marked: bool) -> None:
    assert ("<button" in Glossary(GLOSSARY).marked("pairs of heads", {"head"}, lesson)) is marked


def test_every_meaning_that_a_page_opens_is_the_glossarys(course_files: dict[str, bytes]) -> None:
    page = course_files["attention.html"].decode("utf-8")
    meaning = re.search(r'id="term-softmax"><b>softmax</b> (.*?)</div>', page)
    assert meaning is not None
    assert f"| softmax | {html.unescape(meaning[1])} |" in (ROOT / "assignments" / "glossary.md").read_text("utf-8")


# Dials


def test_every_dial_stands_at_its_mark_and_before_what_it_repeats(course_files: dict[str, bytes]) -> None:
    assert {one.name for one in DIALS} == {path.stem for folder in dials.FOLDERS for path in folder.glob("*.html")}
    for name in {one.page for one in DIALS}:
        page = course_files[f"{name}.html"].decode("utf-8")
        assert re.findall(r"data-dial=\"(\w+)\"", page) == [one.name for one in DIALS if one.page == name]
        for repeated in re.findall(r'<section class="dial instead".*?</section>\s*(\S+)', page, re.DOTALL):
            assert repeated.startswith("<figure>"), name


def test_the_answer_to_every_question_of_a_dial_is_right(course_files: dict[str, bytes]) -> None:
    """Every dial has one; the numbers in it are those of the solutions."""
    pages = "".join(course_files[f"{name}.html"].decode("utf-8") for name in sorted({one.page for one in DIALS}))
    rights = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', pages))
    answers = dict(re.findall(r'data-dial="(\w+)".*?<summary>Answer</summary><p>(.+?)</p>', pages, re.DOTALL))
    assert set(answers) == {one.name for one in DIALS} <= set(rights)
    naive, sinusoidal, rope, relative, alibi, modern, state = (
        catalogue.solution(course.find(name))
        for name in ("naive", "sinusoidal", "rope", "relative", "alibi", "modern", "state")
    )
    words = "man dog bites".split()
    assert f"row {words.index('bites') + 1} and column {words.index('dog') + 1}" in answers["shuffle"]
    assert rights["shuffle"] == f"{words.index('dog') + 1}"
    steps = naive.hamming_steps(naive.binary_positions(64, 6))
    assert "from 31 to 32" in answers["bits"] and [steps[31], *steps[steps == 6]] == [6, 6] and rights["bits"] == "32"
    buckets = relative.t5_bucket(-np.arange(500), num_buckets=16)
    assert (
        f"From distance {np.flatnonzero(buckets < buckets[-1])[-1] + 1} on" in answers["buckets"]
        and f"bucket {buckets[-1]}" in answers["buckets"]
    )
    assert rights["buckets"] in answers["buckets"]
    turned = np.diff(sinusoidal.sinusoidal_encoding([0, 44], 8), axis=0).reshape(4, 2)
    tips = np.linalg.norm(turned, axis=1)
    assert f"{tips[1]:.2f}" in answers["clock"] and f"{tips[2]:.2f}" in answers["clock"] and max(tips[[0, 3]]) < 0.05
    assert rights["clock"] == f"{np.argmax(tips)}"
    low, high = rope.decay_bound(np.array([22, 25]), 64)
    assert (
        rights["decay"] == "yes"
        and low < high
        and f"{low:.3f}" in answers["decay"]
        and f"{high:.3f}" in answers["decay"]
    )
    assert answers["fan"].startswith(f"{(sinusoidal.wavelengths(16) <= 1000).sum()} of 8")
    changes = np.abs(np.diff(sinusoidal.sinusoidal_encoding([40, 41], 32), axis=0))[0]
    assert (
        (changes > 0.5).tolist() == [True] + [False] * 31
        and max(changes[10:]) < 0.05 <= max(changes[8:10])
        and f"{changes[0]:.2f}" in answers["slice"]
    )
    windows = [alibi.effective_window(slope, 0.01) for slope in alibi.alibi_slopes(16)]
    assert (
        sum(window > 100 for window in windows[8:]) == sum(window > 100 for window in windows) == 8
        and f" {windows[8]}." in answers["slopes"]
    )
    assert np.argmax(alibi.alibi_slopes(5)) == 4
    assert 4 in modern.kept_tokens(12, 4, 8) and 4 not in modern.kept_tokens(13, 4, 8)
    assert "13 tokens" in answers["sinks"] and "token 4" in answers["sinks"]
    assert (
        f"{1 / np.sqrt(2):.4f}" in answers["shift"]
        and rights["shift"] == "2"
        and np.cos(2 * np.pi / 4) < 1e-9 < np.cos(np.pi / 4)
    )
    assert (
        rights["fan"] == answers["fan"][0]
        and rights["slice"] == "1"
        and rights["slopes"] == "8"
        and rights["sinks"] == "13"
    )
    dog, man = np.array([0.8, -0.6, 0.3, -0.9]), np.array([-0.7, 0.5, 0.9, -0.2])
    angles = [
        np.degrees(np.arccos((dog + p) @ (man + p) / np.linalg.norm(dog + p) / np.linalg.norm(man + p)))
        for p in range(20)
    ]
    assert (
        next(p for p in range(20) if angles[p] < 10) == int(rights["scale"])
        and f"{angles[int(rights['scale'])]:.1f}°" in answers["scale"]
    )
    keys, values = np.tile([[1.0], [0.0]], (4, 1)), np.array([[4.0], [2], [6], [1], [3], [5], [2], [4]])
    cut = state.linear_attention(np.ones((8, 1)), keys, values, np.log([1, 1, 1, 1, 0.5, 1, 1, 1]))
    assert float(rights["gate"]) == cut[-1, 0] and answers["gate"].startswith("10: half of 4 + 6")
    keys = np.array([[1.0, 0.0], [0.5, math.sqrt(0.75)]])
    mended = state.delta_step(state.delta_step(np.zeros((2, 1)), keys[0], [4.0], 1.0, 0.0), keys[1], [6.0], 1.0, 0.0)
    assert float(rights["beta"]) == pytest.approx(float((keys @ mended)[0, 0]))
    assert (
        rights["rows"] == "7" and rights["whole"] == "3" and rights["stretch"] == "neither" and rights["patch"] == "no"
    )


@pytest.mark.parametrize("lesson", [one.page for one in DIALS if one.name == "guess"])
def test_what_a_prediction_is_compared_with_was_measured(lesson: str) -> None:
    measured = dials.measured(lesson)
    curves = {group: np.array(curve) for group, curve in json.loads(measured["data"])["curves"].items()}
    assert len(curves) > 2 and all(
        curve.shape[1] == len(measured["lengths"]) and len(curve) > 3 for curve in curves.values()
    )
    last = {group: curve[:, -1].mean() for group, curve in curves.items()}
    assert sorted(last, key=last.get)[-1] == measured["best"] and last[measured["best"]] == pytest.approx(
        measured["highest"]
    )  # type: ignore[arg-type]
    with (ROOT / "assignments" / lesson / "measured.csv").open(encoding="utf-8") as file:
        written = file.read()
    assert all(f",{value:.4f}" in written for curve in curves.values() for value in curve.ravel())


def test_questions_for_practice_take_an_answer_and_graded_ones_do_not(course_files: dict[str, bytes]) -> None:
    """What a page takes and tells is the answer of a question without points, or of a dial; no page knows another."""
    for assignment in course.assignments():
        page = course_files[f"{assignment.name}.html"].decode("utf-8")
        asked = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', page))
        solution = catalogue.solution(assignment).ANSWERS
        graded = {quiz.key(test) for test in Suite(assignment).tests if test.question == ANSWERS and test.points}
        practice = set(solution) - graded
        assert practice <= set(asked) and not graded & set(asked)
        for key in practice:
            right = (
                {True: "yes", False: "no"}.get(solution[key], solution[key])
                if isinstance(solution[key], bool)
                else solution[key]
            )
            assert asked[key] == f"{right}"
            assert 0 < page.find(f"<code>{key}</code>") < page.find(f'data-ask="{key}"')


def test_a_search_knows_every_heading_function_and_word(
    course_files: dict[str, bytes], pages: dict[str, Parsed]
) -> None:
    index = json.loads(
        course_files["search.js"].decode("utf-8").removeprefix("window.WHEREABOUTS_INDEX=").removesuffix(";\n")
    )
    titles = {one["title"] for one in index}
    functions = [
        node.name
        for one in course.assignments()
        for node in ast.parse(one.stub.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert all(any(name in title for title in titles) for name in functions if not name.startswith("_"))
    assert set(Glossary((ROOT / "assignments" / "glossary.md").read_text("utf-8")).meanings) <= titles
    assert len({one["link"] for one in index}) == len(index)
    for one in index:
        page, _, anchor = one["link"].partition("#")
        assert page in pages and (not anchor or anchor in pages[page].ids), one["link"]


def test_report_and_course_share_one_style(course_files: dict[str, bytes]) -> None:
    shared = site.SHARED_STYLE.read_text("utf-8")
    assert course_files["course.css"].decode("utf-8").startswith(shared)
    assert Path(site.SHARED_STYLE).name in (site.SHARED_STYLE.parent / "report.html").read_text("utf-8")
