"""What other services read in a handout: Otter's test files, the cells of a notebook that use them, and GitHub
Classroom's workflow.

Otter's cases run the real public tests, by name, on what the notebook or the file defines (`laptop.notebook_checks`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from autograder.checks.results import Test
from autograder.course import Assignment
from autograder.reports.templates import filled

_FORMS = Path(__file__).with_name("forms")


def files(assignment: Assignment, tests: Sequence[Test]) -> dict[str, str]:
    """Path in the handout → content, of all that is made for services from one assignment."""
    name, folder = assignment.name, f"assignments/{assignment.name}"
    public, hidden = (
        {question: [test for test in tests if test.question == question and test.hidden is kind] for question in asked}
        for asked in [dict.fromkeys(test.question for test in tests if not test.hidden)]
        for kind in (False, True)
    )
    made = {
        f"{folder}/tests/{question}.py": filled(
            _FORMS / "otter_question.txt",
            assignment=name,
            question=question,
            public=public[question],
            hidden=hidden[question],
        )
        for question in public
    }
    # Of public tests alone Otter would say "All tests passed!".
    undecided = sum(test.points for test in tests if test.hidden)
    made[f"{folder}/tests/still_to_be_decided.py"] = filled(_FORMS / "otter_undecided.txt", points=undecided)
    points = {question: sum(test.points for test in its) for question, its in public.items()}
    made[f".github/classroom/{name}.yml"] = filled(
        _FORMS / "classroom.yml", name=name, points={question: worth for question, worth in points.items() if worth}
    )
    notebook = assignment.folder / "explore.ipynb"
    if notebook.is_file():
        made[f"{folder}/{notebook.name}"] = _with_checks(notebook.read_text("utf-8"), name, list(public))
    return made


def _with_checks(notebook: str, assignment: str, questions: Sequence[str]) -> str:
    """A notebook, as JSON, with a cell at its beginning for Colab and a section at its end that checks each
    question."""
    content = json.loads(notebook)
    added = json.loads(filled(_FORMS / "notebook_cells.json", assignment=assignment, questions=questions))
    title, *cells = content["cells"]
    content["cells"] = [title, *added["begin"], *cells, *added["end"]]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
