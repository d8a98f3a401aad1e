"""`make solutions`: a page for each assignment with its solution, and all answers with their reasons. For after the
deadline."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from markupsafe import Markup

from autograder.course import Assignment, assignments
from autograder.files import atomic
from autograder.grading import quiz
from autograder.handout.stubs import BEGIN, END
from autograder.pages import code, style
from autograder.protocol.call import ANSWERS
from autograder.reports.templates import filled

FOLDER = Path("dist", "solutions")


def page(assignment: Assignment) -> str:
    """The page of one assignment."""
    source = assignment.solution.read_text("utf-8")
    functions, _, questions = source.partition(f"\n{ANSWERS} = ")
    functions = re.sub(rf"^ *(?:{BEGIN}|{END})\n", "", functions, flags=re.MULTILINE).rstrip()
    functions = re.sub(r"(\n#.*)+$", "", functions)  # how to answer, above ANSWERS
    return filled(
        Path(__file__).with_name("forms") / "solution.html",
        title=assignment.lesson.read_text("utf-8").partition("\n")[0].removeprefix("# "),
        style=Markup(style()),
        functions=Markup(code(functions, "python")),
        asked=_asked(questions),
        answers=quiz.answers(assignment),
    )


def _asked(questions: str) -> dict[str, str]:
    """Key → question: the comment above it."""
    asked = re.finditer(r'((?:^ *#.*\n)*)^ *"(\w+)":', questions, re.MULTILINE)
    return {
        match[2]: " ".join(line.strip().removeprefix("#").strip() for line in match[1].splitlines()) for match in asked
    }


def build(folder: Path = FOLDER) -> list[Path]:
    """Write the pages of all assignments, and remove those of others; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for assignment in assignments():
        path = folder / f"{assignment.name}.html"
        with atomic(path) as file:
            file.write(page(assignment))
        written.append(path)
    for path in {*folder.glob("*.html")}.difference(written):  # left out since
        path.unlink()
    return written


if __name__ == "__main__":
    for path in build():
        sys.stdout.write(f"{path}\n")
