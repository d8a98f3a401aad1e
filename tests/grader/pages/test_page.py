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
from typing import Any

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
from autograder.pages import dials, questions, site
from autograder.pages.formulas import PageError, mathml
from autograder.pages.glossary import Glossary
from autograder.pages.markdown import Renderer
from autograder.protocol.call import ANSWERS
from tests.grader.support.dials import DIALS

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


def test_there_is_a_small_page_for_every_text_and_nothing_is_loaded_from_elsewhere(
    course_files: dict[str, bytes], pages: dict[str, Parsed]
) -> None:
    texts = {path.stem for path in (ROOT / "assignments").glob("*.md") if path.stem != "README"}
    assert {name.removesuffix(".html") for name in pages} == {one.name for one in course.assignments()} | texts | {
        "index"
    }
    assert sum(map(len, course_files.values())) < MOST_BYTES * len(pages)
    for name, page in pages.items():
        assert all(source == "data:," or source in course_files for source in page.loaded), name
    assert not re.findall(rb"@import|url\((?!data:)", course_files["course.css"])
    assert not re.findall(rb"fetch\(|import\(|XMLHttpRequest|https?://", course_files["dials.js"])


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


def test_what_is_said_of_a_picture_holds_on_a_phone_and_in_both_themes(course_files: dict[str, bytes]) -> None:
    """Where its panels stand below each other, none of them is on the left or on the right; what is white on one ground
    is black on the other."""
    shade = re.compile(
        r"\b(dark|darker|darkest|light|lighter|lightest|bright|brightest|pale|white|black)\b", re.IGNORECASE
    )
    panel = re.compile(r"\b(Left|Right|left column|right column)\b")
    side = re.compile(r"\b(on the (left|right)|(left|right) (table|picture|chart))\b")
    for name, content in course_files.items():
        text = content.decode("utf-8", "replace")
        narrow = re.findall(
            r'<figure><picture><source.*?srcset="(.+?)".*? alt="(.+?)".*?(<figcaption.*?</figcaption>)', text
        )
        dial = re.findall(r'(?s)<section class="dial.*?</section>', text)
        assert all(file in course_files for file, *_ in narrow)
        assert not any(panel.search(f"{drawn} {caption}") for _, drawn, caption in narrow), name
        assert not any(side.search(re.sub(r"<[^>]*>", " ", said)) for said in dial), name
        drawn = re.findall(r"<text.*?</text>", text) if name.endswith(".svg") else []
        for said in [*re.findall(r"<figcaption.*?</figcaption>", text), *dial, *drawn]:
            assert not shade.search(re.sub(r"<[^>]*>", " ", said)), name


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
        (r"\cos m\theta", '<mi>cos</mi><mspace width="0.167em" />'),
        (r"\cos(x)", "<mi>cos</mi><mo"),
        (r"(-1)", '<mo form="prefix">−</mo>'),
        (r"a-1", "<mo>−</mo>"),
        (r"|r|", 'form="prefix">|</mo><mi>r</mi><mo stretchy="false" form="postfix">|</mo>'),
        (r"(a)\cos t", ')</mo><mspace width="0.167em" /><mi>cos</mi>'),
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


def test_a_term_is_marked_once_and_never_in_sources(pages: dict[str, Parsed]) -> None:
    for page in pages.values():
        assert len(page.targets) == len(set(page.targets))
    assert pages["rope.html"].targets and not pages["sources.html"].targets


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


def answers_of_dials() -> dict[str, tuple[Any, ...]]:
    """Dial → the right answer to its question, and what the text below it says, from the solutions."""
    naive, sinusoidal, rope, relative, alibi, modern, state = (
        catalogue.solution(course.find(name))
        for name in ("naive", "sinusoidal", "rope", "relative", "alibi", "modern", "state")
    )
    words = "man dog bites".split()
    steps = naive.hamming_steps(naive.binary_positions(64, 6))
    buckets = relative.t5_bucket(-np.arange(500), num_buckets=16)
    far = np.flatnonzero(buckets < buckets[-1])[-1] + 1
    tips = np.linalg.norm(np.diff(sinusoidal.sinusoidal_encoding([0, 44], 8), axis=0).reshape(4, 2), axis=1)
    low, high = rope.decay_bound(np.array([22, 25]), 64)
    long = (sinusoidal.wavelengths(16) <= 1000).sum()
    changes = np.abs(np.diff(sinusoidal.sinusoidal_encoding([40, 41], 32), axis=0))[0]
    windows = [alibi.effective_window(slope, 0.01) for slope in alibi.alibi_slopes(16)]
    lost = next(total for total in range(5, 99) if 4 not in modern.kept_tokens(total, 4, 8))
    dog, man = np.array([0.8, -0.6, 0.3, -0.9]), np.array([-0.7, 0.5, 0.9, -0.2])
    cosines = [(dog + p) @ (man + p) / np.linalg.norm(dog + p) / np.linalg.norm(man + p) for p in range(20)]
    near = next(p for p in range(20) if np.degrees(np.arccos(cosines[p])) < 10)
    keys, values = np.tile([[1.0], [0.0]], (4, 1)), np.array([[4.0], [2], [6], [1], [3], [5], [2], [4]])
    cut = state.linear_attention(np.ones((8, 1)), keys, values, np.log([1, 1, 1, 1, 0.5, 1, 1, 1]))
    key, other = np.array([[1.0, 0.0], [0.5, math.sqrt(0.75)]])
    mended = state.delta_step(state.delta_step(np.zeros((2, 1)), key, [4.0], 1.0, 0.0), other, [6.0], 1.0, 0.0)
    return {
        "shuffle": (words.index("dog") + 1, "row 3 and column 2"),
        "bits": (int(np.argmax(steps == 6)) + 1, "from 31 to 32"),
        "buckets": (far, f"From distance {far} on", f"bucket {buckets[-1]}"),
        "clock": (int(np.argmax(tips)), f"{tips[1]:.2f}", f"{tips[2]:.2f}"),
        "decay": ("yes" if low < high else "no", f"{low:.3f}", f"{high:.3f}"),
        "fan": (long, f"{long} of 8"),
        "slice": (int((changes > 0.5).sum()), f"{changes[0]:.2f}"),
        "slopes": (sum(window > 100 for window in windows), f" {windows[8]}."),
        "sinks": (lost, f"{lost} tokens", "token 4"),
        "scale": (near, f"{np.degrees(np.arccos(cosines[near])):.1f}°"),
        "shift": (2, f"{1 / np.sqrt(2):.4f}"),
        "gate": (f"{cut[-1, 0]:g}", "10: half of 4 + 6"),
        "beta": (f"{(key @ mended)[0]:g}",),
        "rows": (7,), "whole": (3,), "stretch": ("neither",), "patch": ("no",),
    }  # fmt: skip


def test_the_answer_to_every_question_of_a_dial_is_right(course_files: dict[str, bytes]) -> None:
    pages = "".join(course_files[f"{name}.html"].decode("utf-8") for name in sorted({one.page for one in DIALS}))
    rights = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', pages))
    answers = dict(re.findall(r'data-dial="(\w+)".*?<summary>Answer</summary><p>(.+?)</p>', pages, re.DOTALL))
    assert set(answers) == {one.name for one in DIALS} <= set(rights)
    for name, (right, *texts) in answers_of_dials().items():
        assert rights[name] == str(right), name
        assert all(text in answers[name] for text in texts), name


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


def test_questions_for_practice_take_an_answer_and_graded_ones_do_not(
    assignment: Assignment, suite: Suite, course_files: dict[str, bytes]
) -> None:
    """What a page takes and tells is the answer of a question without points, or of a dial; no page knows another, and
    the handout tells of all others their form alone."""
    page = course_files[f"{assignment.name}.html"].decode("utf-8")
    asked = dict(re.findall(r'data-ask="(\w+)" data-right="(.+?)"', page))
    solution, told = catalogue.solution(assignment).ANSWERS, questions.of(assignment, suite.tests)
    graded = {quiz.key(test) for test in suite.tests if test.question == ANSWERS and test.points}
    assert told["practice"].keys() == solution.keys() - graded <= asked.keys() and not graded & asked.keys()
    assert told["forms"].keys() == solution.keys()
    assert set(told["forms"].values()) <= {"yes or no", "a whole number", "a number", "a word"}
    for key in solution.keys() - graded:
        right = solution[key]
        assert asked[key] == (("yes" if right else "no") if isinstance(right, bool) else str(right))
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
