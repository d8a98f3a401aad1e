"""What other services read in a handout: Otter's test files, the cells of a notebook that use them, and GitHub
Classroom's workflow.

Otter's cases run the real public tests, by name, on what the notebook or the file defines (`laptop.notebook_checks`).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from autograder.checks.results import Test
from autograder.reports.templates import filled

_FORMS = Path(__file__).with_name("forms")


def workflow(name: str, tests: Sequence[Test]) -> str:
    """Points function by function, as far as public tests decide them. Classroom takes whole points only, so that all
    are multiplied where some are not whole."""
    points: dict[str, Fraction] = defaultdict(Fraction)
    for test in tests:
        points[test.question] += 0 if test.hidden else Fraction(test.points)
    points = {question: worth for question, worth in points.items() if worth}
    times = math.lcm(*(worth.denominator for worth in points.values()))
    return filled(_FORMS / "classroom.yml", name=name, points=points, times=times)


def test_files(assignment: str, tests: Sequence[Test]) -> dict[str, str]:
    """File name → content: one file a question, named as `grader.check` names it, and one for what hidden tests decide:
    of public tests alone Otter would say "All tests passed!"."""
    files = {}
    for question in _questions(tests):
        own = [test for test in tests if test.question == question]
        public, hidden = ([test for test in own if test.hidden is kind] for kind in (False, True))
        files[f"{question}.py"] = filled(
            _FORMS / "otter_question.txt", assignment=assignment, question=question, public=public, hidden=hidden
        )
    undecided = sum(test.points for test in tests if test.hidden)
    return files | {"still_to_be_decided.py": filled(_FORMS / "otter_undecided.txt", points=undecided)}


def _questions(tests: Sequence[Test]) -> list[str]:
    return list(dict.fromkeys(test.question for test in tests if not test.hidden))


_WORDS = """## Check your work

These are the public tests, which decide 8 of the 20 points; hidden tests decide the rest. A function that a cell of
this notebook defines is checked as it stands there, any other as it stands in your file. `make check` says the same in
a terminal. It takes Otter: `%pip install otter-grader`."""

_COLAB_WORDS = (
    "Only in Google Colab: upload `handout.zip` (the folder symbol on the left), then run the next cell. Elsewhere it"
    " does nothing."
)

_COLAB = """import os
import sys
import zipfile

if "google.colab" in sys.modules and not os.path.isdir("/content/handout"):
    zipfile.ZipFile("/content/handout.zip").extractall("/content")
    os.chdir("/content/handout/assignments/{assignment}")"""


def with_checks(notebook: str, assignment: str, tests: Sequence[Test]) -> str:
    """A notebook, as JSON, with a cell at its beginning for Colab and a section at its end that checks each
    question."""
    content = json.loads(notebook)
    title, *cells = content["cells"]
    content["cells"] = [
        title,
        _cell("markdown", "colab-text", _COLAB_WORDS),
        _cell("code", "colab", _COLAB.format(assignment=assignment)),
        *cells,
        _cell("markdown", "check-text", _WORDS),
        _cell("code", "check-setup", "import otter\n\ngrader = otter.Notebook()"),
        *(_cell("code", f"check-{name}"[:64], f'grader.check("{name}")') for name in _questions(tests)),
    ]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
