"""Otter on a student's machine: test files for `grader.check` and `otter check`, and the cells of a notebook that use
them.

The cases run the real public tests, by name, on the functions that the notebook or the file defines
(`laptop.notebook_checks`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.checks.results import Test
from autograder.reports.templates import filled

_FORMS = Path(__file__).with_name("forms")


def test_files(assignment: str, tests: Sequence[Test]) -> dict[str, str]:
    """File name → content: one file a question, named as `grader.check` names it, and one for what hidden tests decide.

    The last is there because Otter would say "All tests passed!" of public tests alone.
    """
    files = {f"{question}.py": _question(assignment, question, tests) for question in questions(tests)}
    hidden = sum(test.points for test in tests if test.hidden)
    return files | {"still_to_be_decided.py": filled(_FORMS / "otter_undecided.txt", points=hidden)}


def questions(tests: Sequence[Test]) -> list[str]:
    """The questions that have public tests, in the lesson's order."""
    return list(dict.fromkeys(test.question for test in tests if not test.hidden))


def _question(assignment: str, question: str, tests: Sequence[Test]) -> str:
    public = [test for test in tests if test.question == question and not test.hidden]
    points = sum(test.points for test in public)
    hidden = sum(test.points for test in tests if test.question == question and test.hidden)
    remains = f"All public tests of {question} are worth {points:g} points; hidden tests decide another {hidden:g}."
    form = _FORMS / "otter_question.txt"
    return filled(form, assignment=assignment, question=question, public=public, remains=remains)


_WORDS = """## Check your work

These are the public tests, which decide {public:g} of the {total:g} points; hidden tests decide the rest. A function
that a cell of this notebook defines is checked as it stands there, any other as it stands in your file. `make check`
says the same in a terminal. It takes Otter: `%pip install otter-grader`."""

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

_SETUP = "import otter\n\ngrader = otter.Notebook()"


def with_checks(notebook: str, assignment: str, tests: Sequence[Test]) -> str:
    """A notebook, as JSON, with a cell at its beginning for Colab and a section at its end that checks each
    question."""
    content = json.loads(notebook)
    total = sum(test.points for test in tests)
    public = sum(test.points for test in tests if not test.hidden)
    title, *cells = content["cells"]
    content["cells"] = [
        title,
        _cell("markdown", "colab-text", _COLAB_WORDS),
        _cell("code", "colab", _COLAB.format(assignment=assignment)),
        *cells,
        _cell("markdown", "check-text", _WORDS.format(public=public, total=total)),
        _cell("code", "check-setup", _SETUP),
        *(_cell("code", f"check-{name}"[:64], f'grader.check("{name}")') for name in questions(tests)),
    ]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
