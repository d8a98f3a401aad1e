"""Otter on a student's machine: test files for `grader.check` and `otter check`, and the cells of a notebook that use
them.

The cases run the real public tests, by name, on the functions that the notebook or the file defines
(`laptop.notebook_checks`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from autograder.checks.results import Test

_HEADER = '''"""{title}"""

OK_FORMAT = False

import sys
from pathlib import Path

from otter.test_files import test_case

sys.path.insert(0, str(Path("../..").resolve()))  # the course's folder

from autograder.laptop.notebook_checks import {used}

name = {name!r}
points = None
'''

_QUESTION = "question = NotebookCheck({assignment!r}, {name!r})\n"

_CASE = """

@test_case(name={name!r}, points={points!r}{message})
def case_{number}(env):
    question.check({name!r}, env)
"""

_UNDECIDED = "still_to_be_decided"
_UNDECIDED_CASE = """

@test_case(name={name!r}, points={points!r}, hidden=True)
def case_1():
    raise StillToBeDecided("decided by tests that you do not have")
"""


def test_files(assignment: str, tests: Sequence[Test]) -> dict[str, str]:
    """File name → content: one file a question, named as `grader.check` names it, and one for what hidden tests decide.

    The last is there because Otter would say "All tests passed!" of public tests alone.
    """
    files = {f"{question}.py": _question(assignment, question, tests) for question in questions(tests)}
    hidden = sum(test.points for test in tests if test.hidden)
    title = "What the public tests leave open."
    header = _HEADER.format(title=title, used="StillToBeDecided", name=_UNDECIDED)
    return files | {
        f"{_UNDECIDED}.py": header + _UNDECIDED_CASE.format(name=f"the other {hidden:g} points", points=hidden)
    }


def questions(tests: Sequence[Test]) -> list[str]:
    """The questions that have public tests, in the lesson's order."""
    return list(dict.fromkeys(test.question for test in tests if not test.hidden))


def _question(assignment: str, question: str, tests: Sequence[Test]) -> str:
    public = [test for test in tests if test.question == question and not test.hidden]
    points = sum(test.points for test in public)
    hidden = sum(test.points for test in tests if test.question == question and test.hidden)
    remains = f"All public tests of {question} are worth {points:g} points; hidden tests decide another {hidden:g}."
    cases = [
        # Otter would say of each case what is said once, with the last.
        _CASE.format(
            name=test.name,
            points=test.points,
            message=f", success_message={remains!r}" if test is public[-1] else "",
            number=number,
        )
        for number, test in enumerate(public, start=1)
    ]
    title = f"The public tests of {question}, for Otter."
    # Otter says "passed!" of this name, and it is not all that there is.
    header = _HEADER.format(title=title, used="NotebookCheck", name=f"{question}, public tests")
    return header + _QUESTION.format(assignment=assignment, name=question) + "".join(cases)


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
    colab = [
        _cell("markdown", "colab-text", _COLAB_WORDS),
        _cell("code", "colab", _COLAB.format(assignment=assignment)),
    ]
    content["cells"][1:1] = colab
    content["cells"].append(_cell("markdown", "check-text", _WORDS.format(public=public, total=total)))
    content["cells"].append(_cell("code", "check-setup", _SETUP))
    for question in questions(tests):
        content["cells"].append(_cell("code", f"check-{question}"[:64], f'grader.check("{question}")'))
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
