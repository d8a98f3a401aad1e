"""The pages of the course, and what lies beside them."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from autograder.course import PACKAGE, ROOT, Assignment, assignments
from autograder.handout.page import dials
from autograder.handout.page.functions import functions
from autograder.handout.page.glossary import Glossary, slug
from autograder.handout.page.markdown import Rendered, Renderer

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
    environment = Environment(
        loader=FileSystemLoader([HERE / "templates", dials.FOLDER]), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    lessons = {assignment.name: _lesson(assignment, renderer, environment) for assignment in assignments()}
    rendered = {"index": renderer.render("#" + (TEXTS / "README.md").read_text("utf-8"), ".")} | lessons  # its title is a section there
    rendered["index"].title = "Positional encodings by hand"
    plain = Renderer(Glossary(""), TEXTS)
    rendered["glossary"] = plain.render(glossary.text, ".")  # it explains its terms itself
    rendered["numpy"] = renderer.render((TEXTS / "numpy.md").read_text("utf-8"), ".")
    template = environment.get_template("page.html")
    names = list(rendered)
    pages = {}
    for place, (name, page) in enumerate(rendered.items()):
        terms = {slug(term): (term, Markup(renderer.inline(glossary.meanings[term]))) for term in sorted(page.terms)}
        pages[name] = template.render(
            name=name,
            page=page,
            body=Markup(page.html),
            headings=[(heading, Markup(heading.html)) for heading in page.headings],
            terms=terms,
            lessons=lessons,
            dials={lesson: dials.of_lesson(lesson) for lesson in lessons},
            before=names[place - 1] if place else None,
            after=names[place + 1] if place + 1 < len(names) else None,
            titles={other: rendered[other].title for other in names},
        )
    return pages


def _lesson(assignment: Assignment, renderer: Renderer, environment: Environment) -> Rendered:
    """The lesson with its docstrings and dials."""
    placed = {
        dial.figure: environment.get_template(f"{dial.name}.html").render(dial=dial)
        for dial in dials.of_lesson(assignment.name)
        if (dials.FOLDER / f"{dial.name}.html").exists()
    }
    stub = functions(assignment.stub.read_text("utf-8"))
    return renderer.render(assignment.lesson.read_text("utf-8"), assignment.name, stub, placed)
