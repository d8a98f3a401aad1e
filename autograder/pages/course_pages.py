"""The course pages and their accompanying files, such as the pictures in their texts."""

from __future__ import annotations

import ast
import base64
import importlib
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import rjsmin
from jinja2 import Environment
from markupsafe import Markup

from autograder.course import ROOT, Assignment
from autograder.lesson_renumbering import Edition
from autograder.pages import answer_forms_and_practice, dials
from autograder.pages.glossary import Glossary, slug
from autograder.pages.markdown import Renderer, highlighted_code
from autograder.reports import templates

HERE = Path(__file__).parent
SHARED_STYLE_FILE = templates.FOLDER / "shared.css"
ASSIGNMENTS_FOLDER = ROOT / "assignments"
COURSE_MAP_PICTURE_FILE = "figures/map.svg"
"""The picture of the whole course, which is the only one that depends on the plan."""


def course_files(edition: Edition | None = None) -> dict[str, bytes]:
    """Return the contents of all files in `course/`, keyed by path, for an edition (by default, this term's)."""
    edition = edition or Edition.of_term()
    environment = templates.environment(HERE / "templates", *dials.DIAL_SOURCE_FOLDERS)
    environment.globals |= vars(environment.get_template("controls.html").module) | {
        "best_median_worst_curves": dials.best_median_worst_curves
    }
    renderer = Renderer(
        Glossary((ASSIGNMENTS_FOLDER / "glossary.md").read_text("utf-8")), ASSIGNMENTS_FOLDER, edition.full_course
    )
    bodies, lessons = _bodies(renderer, environment, edition)
    titles = {name: _plain(html.partition("</h1>")[0]) for name, html in bodies.items()}
    terms = [(anchor, term, Markup(meaning)) for anchor, term, meaning in _TERM_HTML_ROW.findall(bodies["glossary"])]
    pages = {
        f"{name}.html": environment.get_template("page.html").render(
            name=name,
            body=Markup(html),
            headings=[
                (level, anchor, Markup(text)) for level, anchor, text in _HTML_HEADING_OR_TERM.findall(html) if level
            ],
            terms=[term for term in terms if f'"term-{term[0]}"' in html],
            lessons=lessons,
            titles=titles,
            short={other: re.split("[:,]", title)[0] for other, title in titles.items()},
        )
        for name, html in bodies.items()
    }
    files = pages | {
        "course.css": style(),
        "dials.js": dials.minified_pages_script(),
        "search.js": search_script(bodies),
        "minisearch.js": str(rjsmin.jsmin((HERE / "vendor" / "minisearch.js").read_text("utf-8"))),
    }
    kept = {path.name: path for path in (HERE / "vendor").glob("*.txt")}
    made = {name: text.encode() for name, text in files.items()}
    shown = {name for html in bodies.values() for name in re.findall(r'src="(figures/[\w/]+\.svg)"', html)}
    return made | {name: path.read_bytes() for name, path in kept.items()} | pictures(edition, shown)


def style() -> str:
    """Return the style sheet with the formula font in it; without a server, Firefox refuses to load a separate font."""
    font = base64.b64encode((HERE / "vendor" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE_FILE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _text(path: Path, edition: Edition) -> str:
    """Return this edition's version of one of the course's files."""
    return edition.text(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())


def _lesson_render_arguments(
    assignment: Assignment, environment: Environment, edition: Edition
) -> tuple[str, str, dict[str, str]]:
    """Return a lesson's text, folder name and insertions (docstrings, dials, and practice questions).

    The answers to practice questions are not secret; all other answers are.
    """
    text, ask = _text(assignment.lesson, edition), environment.get_template("ask.html")
    practice = answer_forms_and_practice.answer_forms_and_practice(assignment)["practice"]
    insertions = {f"answer {key}": ask.render(key=key, **question) for key, question in practice.items()}
    for node in ast.parse(_text(assignment.stub, edition)).body:
        if isinstance(node, ast.FunctionDef):
            insertions[f"def {node.name}"] = _docstring_html(node)
    return text, assignment.name, insertions | _dial_forms(text, assignment.name, environment, edition)


def _docstring_html(function: ast.FunctionDef) -> str:
    """Return a function's signature and docstring as a collapsed section of a page.

    The lines of a paragraph are joined, so that it wraps at the page's width; formulas (indented) and fields
    (`Returns:`) begin a new line.
    """
    running = re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", ast.get_docstring(function) or "")
    signature = highlighted_code(f"{function.name}({ast.unparse(function.args)})").strip()
    return (
        f'<details class="docstring"><summary>Docstring of <code>{function.name}</code></summary>\n'
        f"<pre><code>{signature}\n\n{escape(running)}</code></pre></details>\n"
    )


def _dial_forms(text: str, page: str, environment: Environment, edition: Edition) -> dict[str, str]:
    """Return the forms of the dials that a text has markers for, keyed by marker."""
    forms = {name: environment.get_template(f"{name}.html") for name in dials.named(text)}
    return {f"dial: {name}": edition.text(form.render(name=name, page=page)) for name, form in forms.items()}


def _lesson_summary(name: str, html: str) -> dict[str, Any]:
    """Return the facts about a lesson for the first page and the navigation."""
    return {
        "name": name,
        "title": _plain(html.partition("</h1>")[0]),
        "facts": _plain("".join(re.findall(r"<strong>([^<]* · [^<]*?) · needs", html)[:1])),
        "dials": re.findall(r'id="title-(\w+)">(.+?)<', html),
        "tasks": len(re.findall("data-(?:ask|dial)=", html)),
    }


def _bodies(
    renderer: Renderer, environment: Environment, edition: Edition
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return all pages in order (first page, setup, lessons, references), and the facts about the lessons."""
    lessons = {
        name: renderer.render(*_lesson_render_arguments(Assignment(name), environment, edition))
        for name in edition.shipped_lessons
    }
    shown = [_lesson_summary(name, html) | {"number": edition.number(name)} for name, html in lessons.items()]
    texts = {path.stem: _text(path, edition) for path in sorted(ASSIGNMENTS_FOLDER.glob("*.md"))}
    insertions = _dial_forms(texts["README"], "index", environment, edition)
    insertions["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    others = {name: renderer.render(text, ".", insertions) for name, text in texts.items()}
    # In the glossary itself, each term is a link target rather than a button.
    plain = Renderer(Glossary(""), ASSIGNMENTS_FOLDER, edition.full_course).render(texts["glossary"], ".", {})
    others["glossary"] = re.sub(r"<tr>(?=\n<td>(\w[^<]+)</td>)", lambda row: f'<tr id="{slug(row[1])}">', plain)
    first = {"index": others.pop("README"), "setup": others.pop("setup")}
    return first | lessons | others, shown


def search_script(bodies: Mapping[str, str]) -> str:
    """Return the search index as a script, because a page without a server cannot fetch files.

    `bodies` maps each page's name to the HTML of its body.
    """
    index = [section for name, html in bodies.items() for section in _sections(name, html)]
    return f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n"


_HTML_HEADING_OR_TERM = re.compile(r'<(?:h([23])|tr) id="(?!title-)(.+?)">\n?(.+?)</(?:h|td)')
"""Pattern for a heading or a glossary term, with its level, anchor and words."""
_TERM_HTML_ROW = re.compile(r'<tr id="(.+?)">\n<td>(.+?)</td>\n<td>(.+?)</td>')
"""Pattern for a row of the glossary, with its anchor, term and meaning."""


def _sections(page: str, html: str) -> Iterator[dict[str, str]]:
    """Yield a page's sections, each with its heading and text, for the search."""
    title = _plain(html.partition("</h1>")[0])
    begin, *parts = _HTML_HEADING_OR_TERM.split(
        re.sub(r'(?s)<math[^>]*text="(.*?)".*?</math>|<script.*?</script>', r" \1 ", html)
    )
    yield {"title": title, "page": "", "link": f"{page}.html", "text": _plain(begin.partition("</h1>")[2])}
    for level, anchor, heading, below in zip(*(parts[at::4] for at in range(4)), strict=True):
        text = below[2:] if level else below[2:].partition("</td>")[0]  # for a term, only its meaning
        yield {"title": _plain(heading), "page": title, "link": f"{page}.html#{anchor}", "text": _plain(text)}


def _plain(html: str) -> str:
    """Return the words in part of a page, without tags."""
    return unescape(" ".join(re.sub(r"<[^>]*>", "", html).split()))


def pictures(edition: Edition, names: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of these pictures and their narrow variants, keyed by path relative to assignments/."""
    shown = {Path(name).name for name in names}
    pictures_by_path = {
        path.relative_to(ASSIGNMENTS_FOLDER).as_posix(): path.read_bytes()
        for path in (ASSIGNMENTS_FOLDER / "figures").rglob("*.svg")
        if path.name in shown
    }
    return pictures_by_path | (
        _map_files(edition) if edition.lessons_differ_from_full and COURSE_MAP_PICTURE_FILE in pictures_by_path else {}
    )


def _map_files(edition: Edition) -> dict[str, bytes]:
    """Return the course map with this edition's lessons."""
    figures = importlib.import_module("assignments.figures")
    lessons = {name: module.LESSON for name, module in figures.lessons().items()}
    rows = {
        name: replace(lessons[name], number=number, needs=edition.renumbered_table_cell(lessons[name].needs))
        for number, name in enumerate(edition.lessons, start=1)
        if name in lessons
    }
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "figures" / "narrow").mkdir(parents=True)
        figures.save(figures.course_map(course=rows), Path(folder) / COURSE_MAP_PICTURE_FILE)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*.svg")}
