"""The pages of the course, and the files beside them."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import rjsmin
from jinja2 import Environment
from markupsafe import Markup

from autograder.course import ROOT, Assignment, assignments
from autograder.pages import dials, questions
from autograder.pages.glossary import Glossary, slug
from autograder.pages.markdown import Renderer, code
from autograder.reports import templates

HERE = Path(__file__).parent
SHARED_STYLE = templates.FOLDER / "shared.css"
TEXTS = ROOT / "assignments"


def course() -> dict[str, bytes]:
    """Return path below `course/` → content."""
    environment = templates.environment(HERE / "templates", *dials.FOLDERS)
    environment.globals |= vars(environment.get_template("controls.html").module) | {"measured": dials.measured}
    bodies, lessons = _bodies(Renderer(Glossary((TEXTS / "glossary.md").read_text("utf-8")), TEXTS), environment)
    titles = {name: _plain(html.partition("</h1>")[0]) for name, html in bodies.items()}
    terms = [(anchor, term, Markup(said)) for anchor, term, said in _TERM.findall(bodies["glossary"])]
    pages = {
        f"{name}.html": environment.get_template("page.html").render(
            name=name,
            body=Markup(html),
            headings=[(level, anchor, Markup(text)) for level, anchor, text in _HEADING.findall(html) if level],
            terms=[term for term in terms if f'"term-{term[0]}"' in html],
            lessons=lessons,
            titles=titles,
        )
        for name, html in bodies.items()
    }
    index = [section for name, html in bodies.items() for section in _sections(name, titles[name], html)]
    files = pages | {
        "course.css": style(),
        "dials.js": dials.script(),
        # A script, because a page without a server may not fetch a file.
        "search.js": f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n",
        "minisearch.js": str(rjsmin.jsmin((HERE / "vendor" / "minisearch.js").read_text("utf-8"))),
    }
    kept = {path.name: path for path in (HERE / "vendor").glob("*.txt")}
    kept |= {path.relative_to(TEXTS).as_posix(): path for path in (TEXTS / "figures").rglob("*.svg")}
    made = {name: text.encode() for name, text in files.items()}
    return made | {name: path.read_bytes() for name, path in kept.items()}


def style() -> str:
    """Return the style sheet with the font of formulas in it: Firefox refuses a font beside a page without a server."""
    font = base64.b64encode((HERE / "vendor" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _lesson(assignment: Assignment, environment: Environment) -> tuple[str, str, dict[str, str]]:
    """Return a lesson's text, its folder, and the HTML that is placed in it: docstrings, dials, practice questions.

    The answers to practice questions are no secret; all others are.
    """
    text, ask = assignment.lesson.read_text("utf-8"), environment.get_template("ask.html")
    practice = questions.of(assignment)["practice"]
    placed = {f"answer {key}": ask.render(key=key, **question) for key, question in practice.items()}
    for node in ast.parse(assignment.stub.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            placed[f"def {node.name}"] = _docstring(node)
    return text, assignment.name, placed | _drawn(text, assignment.name, environment)


def _docstring(function: ast.FunctionDef) -> str:
    """Return the signature and docstring of a function, folded.

    Running text has no line ends, so that it breaks where the page is full; formulas (indented) and fields (`Returns:`)
    begin a line.
    """
    running = re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", ast.get_docstring(function) or "")
    signature = code(f"{function.name}({ast.unparse(function.args)})").strip()
    return (
        f'<details class="docstring"><summary>Docstring of <code>{function.name}</code></summary>\n'
        f"<pre><code>{signature}\n\n{escape(running)}</code></pre></details>\n"
    )


def _drawn(text: str, page: str, environment: Environment) -> dict[str, str]:
    """Return each dial that a text has a mark for → its form."""
    forms = {name: environment.get_template(f"{name}.html") for name in dials.named(text)}
    return {f"dial: {name}": form.render(name=name, page=page) for name, form in forms.items()}


def _shown(name: str, html: str) -> dict[str, Any]:
    """Return what the first page and the navigation show of a lesson."""
    return {
        "name": name,
        "title": _plain(html.partition("</h1>")[0]),
        "facts": _plain("".join(re.findall(r"<strong>([^<]* · [^<]*?) · needs", html)[:1])),
        "dials": re.findall(r'id="title-(\w+)">(.+?)<', html),
        "tasks": len(re.findall("data-(?:ask|dial)=", html)),
    }


def _bodies(renderer: Renderer, environment: Environment) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return all pages in their order (the first, setting up, the lessons, references), and the facts on lessons."""
    lessons = {one.name: renderer.render(*_lesson(one, environment)) for one in assignments()}
    shown = [_shown(name, html) for name, html in lessons.items()]
    texts = {path.stem: path.read_text("utf-8") for path in sorted(TEXTS.glob("*.md"))}
    placed = _drawn(texts["README"], "index", environment)
    placed["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    others = {name: renderer.render(text, ".", placed) for name, text in texts.items()}
    # The glossary's own words are no buttons, and have places to link to.
    plain = Renderer(Glossary(""), TEXTS).render(texts["glossary"], ".", {})
    others["glossary"] = re.sub(r"<tr>(?=\n<td>(\w[^<]+)</td>)", lambda row: f'<tr id="{slug(row[1])}">', plain)
    first = {"index": others.pop("README"), "setup": others.pop("setup")}
    return first | lessons | others, shown


_HEADING = re.compile(r'<(?:h([23])|tr) id="(?!title-)(.+?)">\n?(.+?)</(?:h|td)')
"""A heading, or a term of the glossary."""
_TERM = re.compile(r'<tr id="(.+?)">\n<td>(.+?)</td>\n<td>(.+?)</td>')


def _sections(page: str, title: str, html: str) -> Iterator[dict[str, str]]:
    """Yield the sections of a page, each with its heading and text, for the search."""
    begin, *parts = _HEADING.split(re.sub(r'(?s)<math[^>]*text="(.*?)".*?</math>|<script.*?</script>', r" \1 ", html))
    yield {"title": title, "page": "", "link": f"{page}.html", "text": _plain(begin)}
    for anchor, heading, below in zip(parts[1::4], parts[2::4], parts[3::4], strict=True):
        yield {"title": _plain(heading), "page": title, "link": f"{page}.html#{anchor}", "text": _plain(below[2:])}


def _plain(html: str) -> str:
    """Return the words of a part of a page."""
    return unescape(" ".join(re.sub(r"<[^>]*>", "", html).split()))
