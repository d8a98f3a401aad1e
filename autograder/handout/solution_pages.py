"""`make solutions`: a page with each assignment's solution and answers, to publish after the deadline."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from markupsafe import Markup

from autograder.checks.output_encoding import print_anywhere
from autograder.course import ROOT, Assignment, UserError, find, term_assignments
from autograder.files import write_files
from autograder.handout.stubs_and_recorded_values import BEGIN, END
from autograder.lesson_renumbering import Edition
from autograder.pages import highlighted_code, style
from autograder.reports.templates import filled

SOLUTIONS_FOLDER = Path("dist", "solutions")
PAGE_TEMPLATE = Path(__file__).with_name("forms") / "solution.html"
USAGE = "Name the solutions to write: make solutions ASSIGNMENT=rope, or ALL=1 for the whole term."


def build_pages(chosen: Iterable[Assignment], folder: Path = SOLUTIONS_FOLDER) -> list[Path]:
    """Write a page for each chosen assignment; return the paths."""
    style_sheet, edition, pages = Markup(style()), Edition.of_term(), {}
    for assignment in chosen:
        source = re.sub(rf"(?m)^ *(?:{BEGIN}|{END})\n", "", assignment.solution.read_text("utf-8"))
        lesson = edition.text(assignment.lesson.read_text("utf-8"), assignment.lesson.relative_to(ROOT).as_posix())
        title = lesson.partition("\n")[0].removeprefix("# ")
        page = filled(PAGE_TEMPLATE, title=title, style=style_sheet, source=Markup(highlighted_code(source, "python")))
        pages[folder / f"{assignment.name}.html"] = page
    return write_files(pages)


def main(arguments: Sequence[str]) -> int:
    """Write the solutions of the named assignments, or of all with `--all`; return the exit code."""
    print_anywhere()
    try:
        chosen = term_assignments() if "--all" in arguments else [find(name) for name in arguments]
        if not chosen:
            raise UserError(USAGE)
        print(*build_pages(chosen), sep="\n")
        return 0
    except (UserError, LookupError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
