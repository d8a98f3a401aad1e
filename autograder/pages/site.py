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

import rjsmin
from jinja2 import Environment
from markupsafe import Markup

from autograder.course import ROOT, Assignment, assignments
from autograder.grading.suite import Suite
from autograder.pages import dials, questions
from autograder.pages.glossary import Glossary, slug
from autograder.pages.markdown import Placed, Renderer, code
from autograder.reports import templates

HERE = Path(__file__).parent
SHARED_STYLE = templates.FOLDER / "shared.css"
TEXTS = ROOT / "assignments"


def course() -> dict[str, bytes]:
    """Path below `course/` → content."""
    pages, index = _pages()
    files = {f"{name}.html": page for name, page in pages.items()} | {
        "course.css": style(),
        "dials.js": dials.script(),
        "live.js": str(rjsmin.jsmin((HERE / "live.js").read_text("utf-8"))),
        # A script, because a page without a server may not fetch a file.
        "search.js": f"window.WHEREABOUTS_INDEX={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n",
        "minisearch.js": str(rjsmin.jsmin((HERE / "vendor" / "minisearch.js").read_text("utf-8"))),
        "minisearch-license.txt": (HERE / "vendor" / "minisearch-license.txt").read_text("utf-8"),
        "fonts-license.txt": (HERE / "fonts" / "OFL.txt").read_text("utf-8"),
    }
    figures = sorted(
        {figure for page in pages.values() for figure in re.findall(r'(?:src|srcset)="(figures/.+?)"', page)}
    )
    return {path: text.encode("utf-8") for path, text in files.items()} | {
        path: (TEXTS / path).read_bytes() for path in figures
    }


def style() -> str:
    """One style sheet. The font of the formulas is inside it: Firefox refuses a font beside a page that has no
    server."""
    font = base64.b64encode((HERE / "fonts" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _pages() -> tuple[dict[str, str], list[dict[str, str]]]:
    """Name → HTML, and what a search finds: sections with their text, and terms."""
    glossary = Glossary((TEXTS / "glossary.md").read_text("utf-8"))
    renderer = Renderer(glossary, TEXTS)
    environment = templates.environment(HERE / "templates", *dials.FOLDERS)
    environment.globals |= vars(environment.get_template("controls.html").module)
    lessons = {assignment.name: _lesson(assignment, renderer, environment) for assignment in assignments()}
    shown = [
        {
            "name": name,
            "title": _title(html),
            "facts": _plain(next(iter(re.findall(r"<strong>([^<]* · [^<]*?) · needs", html)), "")),
            "dials": re.findall(r'id="title-(\w+)">(.+?)<', html),
            "tasks": len(re.findall("data-(?:ask|dial)=", html)),
        }
        for name, html in lessons.items()
    ]
    texts = {
        path.stem: path.read_text("utf-8")
        for path in sorted(TEXTS.glob("*.md"), key=lambda path: (path.stem != "setup", path.stem))
    }
    first = texts.pop("README")
    marks = _drawn(first, "index", environment)
    marks["lessons"] = environment.get_template("lessons.html").render(lessons=shown)
    others = {
        name: (renderer if name != "glossary" else Renderer(Glossary(""), TEXTS)).render(text, ".")
        for name, text in texts.items()
    }
    terms = {slug(term): (term, meaning) for term, meaning in glossary.meanings.items()}
    place = {anchor: f'<tr id="{anchor}">' for anchor in terms}  # to link to
    others["glossary"] = re.sub(
        r"<tr>(?=\n<td>([^<]+)</td>)", lambda row: place.get(slug(row[1]), row[0]), others["glossary"]
    )
    index_page = renderer.render(first, ".", Placed(at_marks=marks))
    pages = {"index": index_page, "setup": others["setup"], **lessons, **others}
    titles, names = {name: _title(html) for name, html in pages.items()}, [None, *pages, None]
    headings = {name: re.findall(r'<h([23]) id="(?!title-)(.+?)">(.+?)</h', html) for name, html in pages.items()}
    written = {
        name: environment.get_template("page.html").render(
            name=name,
            body=Markup(html),
            headings=[(level, anchor, Markup(heading)) for level, anchor, heading in headings[name]],
            terms=[
                (term, *map(Markup, map(renderer.inline, terms[term])))
                for term in sorted(set(re.findall('popovertarget="term-(.+?)"', html)))
            ],
            lessons=shown,
            others=others,
            around=(names[number], names[number + 2]),
            titles=titles,
        )
        for number, (name, html) in enumerate(pages.items())
    }
    index = [section for name, html in pages.items() for section in _sections(name, titles[name], html)]
    index += [
        {"title": term, "page": "glossary", "link": f"glossary.html#{anchor}", "text": _plain(meaning)}
        for anchor, (term, meaning) in terms.items()
    ]
    return written, index


def _sections(page: str, title: str, html: str) -> Iterator[dict[str, str]]:
    """A page, cut at its headings: each with the text below it."""
    begin, *parts = re.split(r'<h[23] id="(?!title-)(.+?)">', html)
    yield {"title": title, "page": "", "link": f"{page}.html", "text": _text(begin)}
    for anchor, part in zip(parts[::2], parts[1::2], strict=True):
        heading, _, below = part.partition("</h")
        yield {"title": _plain(heading), "page": title, "link": f"{page}.html#{anchor}", "text": _text(below[2:])}


def _text(html: str) -> str:
    """The words of a part of a page, without formulas."""
    return " ".join(
        unescape(re.sub(r"<math.*?</math>|<script.*?</script>|<[^>]*>", " ", html, flags=re.DOTALL)).split()
    )


def _title(html: str) -> str:
    return _plain(html.partition("</h1>")[0])


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>|[*`$]", "", text)).strip()


def _drawn(text: str, page: str, environment: Environment) -> dict[str, str]:
    """Each dial that a text has a mark for → its form."""
    return {
        name: environment.get_template(f"{name}.html").render(name=name, measured=partial(dials.measured, page))
        for name in dials.named(text)
    }


def _lesson(assignment: Assignment, renderer: Renderer, environment: Environment) -> str:
    """The lesson with its docstrings, dials and what its questions for practice take."""
    text, ask = assignment.lesson.read_text("utf-8"), environment.get_template("ask.html")
    # The answers to these are no secret, all others are.
    practice = questions.of(assignment, Suite(assignment).tests)["practice"]
    controls = {key: ask.render(key=key, **question) for key, question in practice.items()}
    docstrings = _docstrings(assignment.stub.read_text("utf-8"))
    placed = Placed(docstrings, controls, _drawn(text, assignment.name, environment))
    return renderer.render(text, assignment.name, placed)


def _docstrings(stub: str) -> dict[str, str]:
    """Public function of a stub → its signature and docstring, folded, to stand below its heading.

    Running text has no line ends, so that it breaks where the page is full; formulas (indented) and fields (`Returns:`)
    begin a line.
    """
    docstrings = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            running = re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", ast.get_docstring(node) or "")
            signature = code(f"{node.name}({ast.unparse(node.args)})").strip()
            docstrings[node.name] = (
                f'<details class="docstring"><summary>Docstring of <code>{node.name}</code></summary>'
                f"<pre><code>{signature}\n\n{escape(running)}</code></pre></details>\n"
            )
    return docstrings
