"""The pages of the course, and what lies beside them."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator
from functools import partial
from html import escape, unescape
from pathlib import Path
from typing import Any

import rjsmin
from jinja2 import Environment
from markupsafe import Markup

from autograder.course import ROOT, Assignment, assignments
from autograder.pages import dials, questions
from autograder.pages.glossary import Glossary, slug
from autograder.pages.markdown import Placed, Renderer, code
from autograder.reports import templates

HERE = Path(__file__).parent
SHARED_STYLE = templates.FOLDER / "shared.css"
TEXTS = ROOT / "assignments"


def course() -> dict[str, bytes]:
    """Path below `course/` → content."""
    environment = templates.environment(HERE / "templates", *dials.FOLDERS)
    environment.globals |= vars(environment.get_template("controls.html").module)
    glossary = Glossary((TEXTS / "glossary.md").read_text("utf-8"))
    renderer = Renderer(glossary, TEXTS)
    lessons = {assignment.name: _lesson(assignment, renderer, environment) for assignment in assignments()}
    shown = [_shown(name, html) for name, html in lessons.items()]
    bodies = _around(lessons, shown, renderer, environment)
    titles = {name: _title(html) for name, html in bodies.items()}
    names, frame = [None, *bodies, None], environment.get_template("page.html")
    pages = {
        f"{name}.html": frame.render(
            name=name,
            body=Markup(html),
            headings=[(level, anchor, Markup(heading)) for level, anchor, heading in _HEADING.findall(html)],
            terms=[
                (slug(term), Markup(renderer.inline(term)), Markup(renderer.inline(meaning)))
                for term, meaning in sorted(glossary.meanings.items())
                if f'popovertarget="term-{slug(term)}"' in html
            ],
            lessons=shown,
            others=[other for other in bodies if other != "index" and other not in lessons],
            around=(names[number], names[number + 2]),
            titles=titles,
        )
        for number, (name, html) in enumerate(bodies.items())
    }
    index = [section for name, html in bodies.items() for section in _sections(name, titles[name], html)]
    index += [
        {"title": term, "page": "glossary", "link": f"glossary.html#{slug(term)}", "text": _plain(meaning)}
        for term, meaning in glossary.meanings.items()
    ]
    files = pages | {
        "course.css": style(),
        "dials.js": dials.script(),
        # A script, because a page without a server may not fetch a file.
        "search.js": f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n",
        "minisearch.js": str(rjsmin.jsmin((HERE / "vendor" / "minisearch.js").read_text("utf-8"))),
        "minisearch-license.txt": (HERE / "vendor" / "minisearch-license.txt").read_text("utf-8"),
        "fonts-license.txt": (HERE / "fonts" / "OFL.txt").read_text("utf-8"),
    }
    figures = sorted(set(re.findall(r'(?:src|srcset)="(figures/.+?)"', "".join(pages.values()))))
    return {name: text.encode("utf-8") for name, text in files.items()} | {
        figure: (TEXTS / figure).read_bytes() for figure in figures
    }


def style() -> str:
    """One style sheet. The font of the formulas is inside it: Firefox refuses a font beside a page that has no
    server."""
    font = base64.b64encode((HERE / "fonts" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _lesson(assignment: Assignment, renderer: Renderer, environment: Environment) -> str:
    """The lesson with its docstrings, dials and what its questions for practice take."""
    text, ask = assignment.lesson.read_text("utf-8"), environment.get_template("ask.html")
    # The answers to these are no secret, all others are.
    practice = questions.of(assignment)["practice"]
    controls = {key: ask.render(key=key, **question) for key, question in practice.items()}
    placed = Placed(_docstrings(assignment), controls, _drawn(text, assignment.name, environment))
    return renderer.render(text, assignment.name, placed)


def _docstrings(assignment: Assignment) -> dict[str, str]:
    """Public function of a stub → its signature and docstring, folded, to stand below its heading.

    Running text has no line ends, so that it breaks where the page is full; formulas (indented) and fields (`Returns:`)
    begin a line.
    """
    docstrings = {}
    for node in ast.parse(assignment.stub.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            running = re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", ast.get_docstring(node) or "")
            signature = code(f"{node.name}({ast.unparse(node.args)})").strip()
            docstrings[node.name] = (
                f'<details class="docstring"><summary>Docstring of <code>{node.name}</code></summary>'
                f"<pre><code>{signature}\n\n{escape(running)}</code></pre></details>\n"
            )
    return docstrings


def _drawn(text: str, page: str, environment: Environment) -> dict[str, str]:
    """Each dial that a text has a mark for → its form."""
    return {
        name: environment.get_template(f"{name}.html").render(name=name, measured=partial(dials.measured, page))
        for name in dials.named(text)
    }


def _shown(name: str, html: str) -> dict[str, Any]:
    """What the first page and the navigation tell of a lesson."""
    return {
        "name": name,
        "title": _title(html),
        "facts": _plain(next(iter(re.findall(r"<strong>([^<]* · [^<]*?) · needs", html)), "")),
        "dials": re.findall(r'id="title-(\w+)">(.+?)<', html),
        "tasks": len(re.findall("data-(?:ask|dial)=", html)),
    }


def _around(
    lessons: dict[str, str], shown: list[dict[str, Any]], renderer: Renderer, environment: Environment
) -> dict[str, str]:
    """All pages in their order: the first, setting up, the lessons, and what one looks up."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(TEXTS.glob("*.md"))}
    marks = _drawn(texts["README"], "index", environment)
    marks["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    first = {"index": renderer.render(texts.pop("README"), ".", Placed(at_marks=marks))}
    first["setup"] = renderer.render(texts.pop("setup"), ".")
    # The glossary's own words are no buttons, and have places to link to.
    plain = Renderer(Glossary(""), TEXTS).render(texts["glossary"], ".")
    words, *symbols = plain.partition('<h2 id="symbols"')
    words = re.sub(r"<tr>(?=\n<td>([^<]+)</td>)", lambda row: f'<tr id="{slug(row[1])}">', words)
    others = {name: renderer.render(text, ".") for name, text in texts.items()}
    others["glossary"] = "".join([words, *symbols])
    return first | lessons | others


_HEADING = re.compile(r'<h([23]) id="(?!title-)(.+?)">(.+?)</h')


def _sections(page: str, title: str, html: str) -> Iterator[dict[str, str]]:
    """A page, cut at its headings: each with the text below it, which is what a search finds."""
    begin, *parts = _HEADING.split(html)
    yield {"title": title, "page": "", "link": f"{page}.html", "text": _text(begin)}
    for anchor, heading, below in zip(parts[1::4], parts[2::4], parts[3::4], strict=True):
        yield {"title": _plain(heading), "page": title, "link": f"{page}.html#{anchor}", "text": _text(below[2:])}


def _text(html: str) -> str:
    """The words of a part of a page, without formulas."""
    return " ".join(unescape(re.sub(r"(?s)<math.*?</math>|<script.*?</script>|<[^>]*>", " ", html)).split())


def _title(html: str) -> str:
    return _plain(html.partition("</h1>")[0])


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>|[*`$]", "", text)).strip()
