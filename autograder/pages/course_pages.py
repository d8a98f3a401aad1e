"""The pages of the course, and the files beside them."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

import rjsmin
from jinja2 import Environment
from markupsafe import Markup

from autograder.course import ROOT, Assignment
from autograder.pages import dials, questions
from autograder.pages.glossary import Glossary, slug
from autograder.pages.markdown import Renderer, code
from autograder.pages.picture_files import pictures
from autograder.plan import Edition
from autograder.reports import templates

HERE = Path(__file__).parent
SHARED_STYLE = templates.FOLDER / "shared.css"
TEXTS = ROOT / "assignments"


def course(edition: Edition | None = None) -> dict[str, bytes]:
    """Return path below `course/` → content, for a term's edition; without one, for all lessons of the course plan."""
    edition = edition or Edition.of_term()
    environment = templates.environment(HERE / "templates", *dials.FOLDERS)
    environment.globals |= vars(environment.get_template("controls.html").module) | {"measured": dials.measured}
    renderer = Renderer(Glossary((TEXTS / "glossary.md").read_text("utf-8")), TEXTS, edition.full)
    bodies, lessons = _bodies(renderer, environment, edition)
    titles = {name: _plain(html.partition("</h1>")[0]) for name, html in bodies.items()}
    terms = [(anchor, term, Markup(meaning)) for anchor, term, meaning in _TERM.findall(bodies["glossary"])]
    pages = {
        f"{name}.html": environment.get_template("page.html").render(
            name=name,
            body=Markup(html),
            headings=[(level, anchor, Markup(text)) for level, anchor, text in _HEADING.findall(html) if level],
            terms=[term for term in terms if f'"term-{term[0]}"' in html],
            lessons=lessons,
            titles=titles,
            short={other: re.split("[:,]", title)[0] for other, title in titles.items()},
        )
        for name, html in bodies.items()
    }
    files = pages | {
        "course.css": style(),
        "dials.js": dials.script(),
        "search.js": search_script(bodies),
        "minisearch.js": str(rjsmin.jsmin((HERE / "vendor" / "minisearch.js").read_text("utf-8"))),
    }
    kept = {path.name: path for path in (HERE / "vendor").glob("*.txt")}
    made = {name: text.encode() for name, text in files.items()}
    shown = {name for html in bodies.values() for name in re.findall(r'src="(figures/[\w/]+\.svg)"', html)}
    return made | {name: path.read_bytes() for name, path in kept.items()} | pictures(edition, shown)


def style() -> str:
    """Return the style sheet with the font of formulas in it: Firefox refuses a font beside a page without a server."""
    font = base64.b64encode((HERE / "vendor" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _text(path: Path, edition: Edition) -> str:
    """Return a text of the course in this edition."""
    return edition.text(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())


def _lesson(assignment: Assignment, environment: Environment, edition: Edition) -> tuple[str, str, dict[str, str]]:
    """Return the lesson's text, its folder, and its insertions: docstrings, dials, and questions for practice.

    The answers to questions for practice are no secret; all other answers are.
    """
    text, ask = _text(assignment.lesson, edition), environment.get_template("ask.html")
    practice = questions.of(assignment)["practice"]
    placed = {f"answer {key}": ask.render(key=key, **question) for key, question in practice.items()}
    for node in ast.parse(_text(assignment.stub, edition)).body:
        if isinstance(node, ast.FunctionDef):
            placed[f"def {node.name}"] = _docstring(node)
    return text, assignment.name, placed | _drawn(text, assignment.name, environment, edition)


def _docstring(function: ast.FunctionDef) -> str:
    """Return the signature and docstring of a function, folded.

    Running text has no line ends, so that it wraps at the width of the page; formulas (indented) and fields
    (`Returns:`) begin a line.
    """
    running = re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", ast.get_docstring(function) or "")
    signature = code(f"{function.name}({ast.unparse(function.args)})").strip()
    return (
        f'<details class="docstring"><summary>Docstring of <code>{function.name}</code></summary>\n'
        f"<pre><code>{signature}\n\n{escape(running)}</code></pre></details>\n"
    )


def _drawn(text: str, page: str, environment: Environment, edition: Edition) -> dict[str, str]:
    """Return mark → form, for each dial with a mark in a text."""
    forms = {name: environment.get_template(f"{name}.html") for name in dials.named(text)}
    return {f"dial: {name}": edition.words(form.render(name=name, page=page)) for name, form in forms.items()}


def _lesson_summary(name: str, html: str) -> dict[str, Any]:
    """Return the information about a lesson for the first page and the navigation."""
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
    """Return all pages in their order (the first, set-up, lessons, references), and facts about the lessons."""
    lessons = {name: renderer.render(*_lesson(Assignment(name), environment, edition)) for name in edition.shipped}
    shown = [_lesson_summary(name, html) | {"number": edition.number(name)} for name, html in lessons.items()]
    texts = {path.stem: _text(path, edition) for path in sorted(TEXTS.glob("*.md"))}
    placed = _drawn(texts["README"], "index", environment, edition)
    placed["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    others = {name: renderer.render(text, ".", placed) for name, text in texts.items()}
    # The glossary's own words are not buttons, and have link targets.
    plain = Renderer(Glossary(""), TEXTS, edition.full).render(texts["glossary"], ".", {})
    others["glossary"] = re.sub(r"<tr>(?=\n<td>(\w[^<]+)</td>)", lambda row: f'<tr id="{slug(row[1])}">', plain)
    first = {"index": others.pop("README"), "setup": others.pop("setup")}
    return first | lessons | others, shown


def search_script(bodies: Mapping[str, str]) -> str:
    """Return the index of the search. `bodies`: page → its text as HTML.

    It is a script, because a page without a server may not fetch a file.
    """
    index = [section for name, html in bodies.items() for section in _sections(name, html)]
    return f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n"


_HEADING = re.compile(r'<(?:h([23])|tr) id="(?!title-)(.+?)">\n?(.+?)</(?:h|td)')
"""A heading, or a term of the glossary."""
_TERM = re.compile(r'<tr id="(.+?)">\n<td>(.+?)</td>\n<td>(.+?)</td>')


def _sections(page: str, html: str) -> Iterator[dict[str, str]]:
    """Yield the sections of a page, each with its heading and text, for the search."""
    title = _plain(html.partition("</h1>")[0])
    begin, *parts = _HEADING.split(re.sub(r'(?s)<math[^>]*text="(.*?)".*?</math>|<script.*?</script>', r" \1 ", html))
    yield {"title": title, "page": "", "link": f"{page}.html", "text": _plain(begin.partition("</h1>")[2])}
    for level, anchor, heading, below in zip(*(parts[at::4] for at in range(4)), strict=True):
        text = below[2:] if level else below[2:].partition("</td>")[0]  # of a term, its meaning without its lesson
        yield {"title": _plain(heading), "page": title, "link": f"{page}.html#{anchor}", "text": _plain(text)}


def _plain(html: str) -> str:
    """Return the words of a part of a page."""
    return unescape(" ".join(re.sub(r"<[^>]*>", "", html).split()))
