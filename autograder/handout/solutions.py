"""`make solutions`: a page for each assignment with its solution, and all answers with their reasons. For after the
deadline."""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path

from autograder.course import Assignment, assignments
from autograder.files import atomic
from autograder.grading import quiz
from autograder.handout.page import code, style
from autograder.handout.stubs import BEGIN, END
from autograder.protocol.call import ANSWERS

FOLDER = Path("dist", "solutions")

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: solution</title>
<style>
{style}
</style>
</head>
<body>
<div class="page">
<main id="text">
<h1>{title}: solution</h1>
<p>One right way of several. The tests ask for values, shapes and errors, and not for this way.</p>
<pre><code>{functions}</code></pre>
<h2>Questions</h2>
<table>
<thead><tr><th>question</th><th>answer</th><th>why</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</div>
</body>
</html>
"""


def page(assignment: Assignment) -> str:
    """The page of one assignment."""
    source = assignment.solution.read_text("utf-8")
    functions, _, questions = source.partition(f"\n{ANSWERS} = ")
    functions = re.sub(rf"^ *(?:{BEGIN}|{END})\n", "", functions, flags=re.MULTILINE).rstrip()
    functions = re.sub(r"(\n#.*)+$", "", functions)  # how to answer, above ANSWERS
    asked = _asked(questions)
    rows = (
        f"<tr><td>{escape(asked[key])}</td><td><code>{escape(answer.written)}</code></td><td>{escape(answer.reason)}</td></tr>"
        for key, answer in quiz.answers(assignment).items()
    )
    title = assignment.lesson.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    return _PAGE.format(title=escape(title), style=style(), functions=code(functions, "python"), rows="\n".join(rows))


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
