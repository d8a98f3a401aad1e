"""`make solutions`: a page for each assignment with its solution and its answers with their reasons. For after the
deadline."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from markupsafe import Markup

from autograder.course import Assignment, assignments
from autograder.handout.stubs import BEGIN, END
from autograder.pages import code, style
from autograder.reports.templates import filled

FOLDER = Path("dist", "solutions")


def page(assignment: Assignment) -> str:
    """The page of one assignment."""
    source = re.sub(rf"(?m)^ *(?:{BEGIN}|{END})\n", "", assignment.solution.read_text("utf-8"))
    title = assignment.lesson.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    form = Path(__file__).with_name("forms") / "solution.html"
    return filled(form, title=title, style=Markup(style()), source=Markup(code(source, "python")))


def build(folder: Path = FOLDER) -> list[Path]:
    """Write the pages of all assignments; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {folder / f"{assignment.name}.html": page(assignment) for assignment in assignments()}
    for path, text in pages.items():
        path.write_text(text, "utf-8")
    return [*pages]


if __name__ == "__main__":
    for path in build():
        sys.stdout.write(f"{path}\n")
