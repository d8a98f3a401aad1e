"""`make solutions`: a page for each assignment with its solution and its answers with their reasons. For after the
deadline."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from markupsafe import Markup

from autograder.course import assignments
from autograder.handout.stubs import BEGIN, END, write
from autograder.pages import code, style
from autograder.reports.templates import filled

FOLDER = Path("dist", "solutions")
FORM = Path(__file__).with_name("forms") / "solution.html"


def build(folder: Path = FOLDER) -> list[Path]:
    """Write the pages of all assignments; returns their paths."""
    looks, pages = Markup(style()), {}
    for assignment in assignments():
        source = re.sub(rf"(?m)^ *(?:{BEGIN}|{END})\n", "", assignment.solution.read_text("utf-8"))
        title = assignment.lesson.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        page = filled(FORM, title=title, style=looks, source=Markup(code(source, "python")))
        pages[folder / f"{assignment.name}.html"] = page
    return write(pages)


if __name__ == "__main__":
    sys.stdout.write("".join(f"{path}\n" for path in build()))
