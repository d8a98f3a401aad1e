"""The handout's notebooks and Otter files: a test file for each function, and the notebook cells that run it.

Each case in an Otter test file names a public test, which `laptop.notebook_checks` runs on the functions in the
notebook or in the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from autograder.checks.results import Test
from autograder.course import Assignment
from autograder.reports.templates import filled

_TEMPLATES = Path(__file__).with_name("forms")


def notebook_and_test_files(assignment: Assignment, tests: Sequence[Test]) -> dict[str, str]:
    """Return the contents of an assignment's Otter files and notebook, keyed by path in the handout."""
    folder, questions = (
        f"assignments/{assignment.name}",
        dict.fromkeys(test.question for test in tests if not test.hidden),
    )
    made = {
        f"{folder}/tests/{question}.py": filled(
            _TEMPLATES / "otter_question.txt",
            assignment=assignment.name,
            question=question,
            public=[test for test in tests if test.question == question and not test.hidden],
            hidden=[test for test in tests if test.question == question and test.hidden],
        )
        for question in questions
    }
    return made | {f"{folder}/explore.ipynb": _notebook_with_checks(assignment, list(questions))}


def _notebook_with_checks(assignment: Assignment, questions: Sequence[str]) -> str:
    """Return the notebook with a cell for Colab at the beginning and a check for each question at the end."""
    content = json.loads((assignment.folder / "explore.ipynb").read_text("utf-8"))
    added = json.loads(filled(_TEMPLATES / "notebook_cells.json", assignment=assignment.name, questions=questions))
    title, *cells = content["cells"]
    content["cells"] = [title, *added["begin"], *cells, *added["end"]]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
