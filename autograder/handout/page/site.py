"""The pages of the course, and what lies beside them."""

from __future__ import annotations

import ast
import base64
import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any

import rjsmin
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from autograder.course import PACKAGE, ROOT, Assignment, assignments
from autograder.grading import quiz
from autograder.grading.suite import Suite
from autograder.handout.left_open import left_open
from autograder.handout.page import dials
from autograder.handout.page.glossary import Glossary, slug
from autograder.handout.page.markdown import Placed, Rendered, Renderer, code

HERE = Path(__file__).parent
SHARED_STYLE = PACKAGE / "reports" / "page_template" / "shared.css"
TEXTS = ROOT / "assignments"


def course() -> dict[str, bytes]:
    """Path below `course/` → content."""
    pages, index = _pages()
    files = {f"{name}.html": page.encode("utf-8") for name, page in pages.items()}
    files["course.css"] = style().encode("utf-8")
    files["dials.js"] = dials.script().encode("utf-8")
    files["live.js"] = rjsmin.jsmin((HERE / "live.js").read_text("utf-8")).encode("utf-8")
    # A script, because a page without a server may not fetch a file.
    files["search.js"] = f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n".encode()
    files["fonts-license.txt"] = (HERE / "fonts" / "OFL.txt").read_bytes()
    return files | {f"figures/{path.name}": path.read_bytes() for path in sorted((TEXTS / "figures").glob("*.svg"))}


def style() -> str:
    """One style sheet. The font of the formulas is inside it: Firefox refuses a font beside a page that has no server."""
    font = base64.b64encode((HERE / "fonts" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _pages() -> tuple[dict[str, str], list[list[str]]]:
    """Name → HTML, and what a search finds: title, page, link, further words."""
    glossary = Glossary((TEXTS / "glossary.md").read_text("utf-8"))
    renderer = Renderer(glossary, TEXTS)
    templates = FileSystemLoader([HERE / "templates", *dict.fromkeys(dial.folder for dial in dials.DIALS)])
    environment = Environment(loader=templates, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= vars(environment.get_template("controls.html").module)

    def drawn(name: str) -> dict[dials.Dial, str]:
        return {one: environment.get_template(f"{one.kind}.html").render(dial=one, **_given(one)) for one in dials.of_lesson(name)}

    lessons = {one.name: _lesson(one, renderer, environment, drawn(one.name)) for one in assignments()}
    shown = [
        {"name": name, "title": page.title, "dials": dials.of_lesson(name), "tasks": len(re.findall("data-(?:ask|dial)=", page.html))}
        for name, page in lessons.items()
    ]
    marks = {one.name: html for one, html in drawn("index").items()}
    marks["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    beside = {path.stem: path.read_text("utf-8") for path in sorted(TEXTS.glob("*.md"))}
    pages = {
        "index": renderer.render(beside.pop("README"), ".", Placed(at_marks=marks)),
        **({"setup": renderer.render(beside.pop("setup"), ".")} if "setup" in beside else {}),
        **lessons,
        "glossary": Renderer(Glossary(""), TEXTS).render(beside.pop("glossary"), "."),  # it explains its terms itself
        **{name: renderer.render(text, ".") for name, text in beside.items()},
    }
    pages["glossary"].html = re.sub(
        r"<tr>\n<td>([^<]+)</td>",
        lambda row: row[0].replace("<tr>", f'<tr id="{slug(row[1])}">') if unescape(row[1]) in glossary.meanings else row[0],
        pages["glossary"].html,
    )
    around = zip([None, *pages], [*list(pages)[1:], None], strict=False)
    page_template = environment.get_template("page.html")
    written = {
        name: page_template.render(
            name=name,
            page=page,
            body=Markup(page.html),
            headings=[(heading, Markup(heading.html)) for heading in page.headings],
            terms=[(slug(term), term, Markup(renderer.inline(glossary.meanings[term]))) for term in sorted(page.terms)],
            lessons=shown,
            first_dial=next((one.name for one in dials.of_lesson(name)), ""),
            others=[other for other in pages if other != "index" and other not in lessons],
            before=before,
            after=after,
            titles={other: pages[other].title for other in pages},
        )
        for (name, page), (before, after) in zip(pages.items(), around, strict=False)
    }
    found = [[page.title, "", f"{name}.html"] for name, page in pages.items()]
    found += [[_plain(one.html), page.title, f"{name}.html#{one.anchor}"] for name, page in pages.items() for one in page.headings]
    found += [[term, "glossary", f"glossary.html#{slug(term)}", _plain(meaning)] for term, meaning in glossary.meanings.items()]
    return written, found


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>|[*`$]", "", text))


def _lesson(assignment: Assignment, renderer: Renderer, environment: Environment, drawn: dict[dials.Dial, str]) -> Rendered:
    """The lesson with its docstrings, dials and what its questions for practice take."""
    ask = environment.get_template("ask.html")
    questions = {key: ask.render(key=key, **one) for key, one in _practice(assignment).items()}
    written = _docstrings(assignment.stub.read_text("utf-8"))
    before_figures = {one.figure: (html, one.repeats) for one, html in drawn.items() if one.figure}
    at_marks = {one.name: html for one, html in drawn.items() if not one.figure}
    return renderer.render(assignment.lesson.read_text("utf-8"), assignment.name, Placed(written, before_figures, questions, at_marks))


def _given(dial: dials.Dial) -> dict[str, Any]:
    """What the form of a dial is filled with."""
    if dial.kind != "guess":
        return {}
    measured = dials.measured(dial)
    return {"measured": measured, "named": [(group, group) for group in measured["groups"]]}


def _practice(assignment: Assignment) -> dict[str, dict[str, Any]]:
    """Key → right answer and reason of each question without points: those are no secret, all others are."""
    answers = quiz.answers(assignment)
    practice = left_open(assignment, Suite(assignment).tests)["practice"]
    return {key: {**one, "yes_or_no": answers[key].yes_or_no} for key, one in practice.items()}


def _docstrings(stub: str) -> dict[str, str]:
    """Public function of a stub → its signature and docstring, folded, to stand below its heading."""
    found = (node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    return {
        node.name: f'<details class="docstring"><summary>Docstring of <code>{node.name}</code></summary>'
        f"<pre><code>{code(f'{node.name}({ast.unparse(node.args)})').strip()}\n\n"
        f"{escape(_running(ast.get_docstring(node) or ''))}</code></pre></details>\n"
        for node in found
    }


def _running(docstring: str) -> str:
    """Running text without its line ends, so that it breaks where the page is full. Formulas (indented) and fields (`Returns:`) begin a line."""
    return re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", docstring)
