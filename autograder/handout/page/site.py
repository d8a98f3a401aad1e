"""The pages of the course, and what lies beside them."""

from __future__ import annotations

import ast
import base64
import re
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from autograder.course import PACKAGE, ROOT, Assignment, assignments
from autograder.handout.page import dials
from autograder.handout.page.glossary import Glossary, slug
from autograder.handout.page.markdown import Heading, Rendered, Renderer, code

HERE = Path(__file__).parent
SHARED_STYLE = PACKAGE / "reports" / "page_template" / "shared.css"
TEXTS = ROOT / "assignments"


def course() -> dict[str, bytes]:
    """Path below `course/` → content."""
    files = {f"{name}.html": page.encode("utf-8") for name, page in _pages().items()}
    files["course.css"] = style().encode("utf-8")
    files["dials.js"] = dials.script().encode("utf-8")
    files["fonts-license.txt"] = (HERE / "fonts" / "OFL.txt").read_bytes()
    return files | {f"figures/{path.name}": path.read_bytes() for path in sorted((TEXTS / "figures").glob("*.png"))}


def style() -> str:
    """One style sheet. The font of the formulas is inside it: Firefox refuses a font beside a page that has no server."""
    font = base64.b64encode((HERE / "fonts" / "STIXTwoMath.woff").read_bytes()).decode("ascii")
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff;base64,{font}) format("woff"); }}\n'
    return SHARED_STYLE.read_text("utf-8") + (HERE / "style" / "course.css").read_text("utf-8") + face


def _pages() -> dict[str, str]:
    """Name → HTML."""
    glossary = Glossary((TEXTS / "glossary.md").read_text("utf-8"))
    renderer = Renderer(glossary, TEXTS)
    templates = FileSystemLoader([HERE / "templates", dials.FOLDER])
    environment = Environment(loader=templates, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= vars(environment.get_template("controls.html").module)
    lessons = {assignment.name: _lesson(assignment, renderer, environment) for assignment in assignments()}
    pages = {
        "index": renderer.render((TEXTS / "README.md").read_text("utf-8"), "."),
        **lessons,
        "glossary": Renderer(Glossary(""), TEXTS).render(glossary.text, "."),  # it explains its terms itself
        "numpy": renderer.render((TEXTS / "numpy.md").read_text("utf-8"), "."),
    }
    named = {lesson: (page.title, dials.of_lesson(lesson)) for lesson, page in lessons.items()}
    # The list of lessons stands between what the course is about and how to set it up.
    pages["index"].headings.insert(0, Heading(2, "lessons", "The lessons"))
    pages["index"].html = pages["index"].html.replace("<h2", environment.get_template("lessons.html").render(lessons=named) + "<h2", 1)
    around = zip([None, *pages], [*list(pages)[1:], None], strict=False)
    return {
        name: environment.get_template("page.html").render(
            name=name,
            page=page,
            body=Markup(page.html),
            headings=[(heading, Markup(heading.html)) for heading in page.headings],
            terms=[(slug(term), term, Markup(renderer.inline(glossary.meanings[term]))) for term in sorted(page.terms)],
            lessons=named,
            before=before,
            after=after,
            titles={other: pages[other].title for other in pages},
        )
        for (name, page), (before, after) in zip(pages.items(), around, strict=False)
    }


def _lesson(assignment: Assignment, renderer: Renderer, environment: Environment) -> Rendered:
    """The lesson with its docstrings and dials."""
    placed = {dial.figure: environment.get_template(f"{dial.name}.html").render(dial=dial) for dial in dials.of_lesson(assignment.name)}
    written = _docstrings(assignment.stub.read_text("utf-8"))
    return renderer.render(assignment.lesson.read_text("utf-8"), assignment.name, written, placed)


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
