"""Tests of files that never finish loading: messages name the unfinished line, the elapsed time and the
defined functions.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import needs_review
from autograder.grading.grade import Grade, to_json
from autograder.grading.grader import Grader
from autograder.grading.row import GradeKey, Row
from autograder.sandbox.limits import LIMITS
from autograder.submission import Submission, read_submission_bounded
from tests.grader.support.student_view import markdown

LESSON = Assignment("sinusoidal")
LOOPS = {
    "while": "while True: pass",
    "for": "for _ in iter(int, 1):\n    pass",
    "sleep": "import time; time.sleep(9)",
    "caught": "while True:\n    try:\n        missing()\n    except Exception:\n        pass",
}


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """Yield a grader that waits at most one second for each file."""
    with closing(Grader()) as made:
        made.sandbox.limits = replace(LIMITS, call_seconds=1.0)
        yield made


def solution_statements() -> list[str]:
    """Return the top-level statements of the solution."""
    text = LESSON.solution.read_text("utf-8")
    return [ast.get_source_segment(text, node) or "" for node in ast.parse(text).body]


def public_function_names(texts: list[str]) -> list[str]:
    names = [node.name for text in texts for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return [name for name in names if not name.startswith("_")]


def functions_reported_as_defined(page: str) -> set[str]:
    sentence = re.search(r"^It defines (.*)\.$", page, re.MULTILINE)
    assert sentence is not None
    names = {*re.findall(r"`(\w+)`", sentence[1])}
    assert bool(names) != (sentence[1] == f"no function of {LESSON.name}")
    return names


def graded(grader: Grader, path: Path) -> tuple[Submission, Grade, str]:
    submission = read_submission_bounded(path, LESSON.name, [LESSON.name])
    assert submission.problem is None
    grade = grader.grade(LESSON, submission.cells)
    return submission, grade, markdown(submission, grade)


@pytest.mark.parametrize("above", [0, 0.5, 1])
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_script_says_where_it_does_not_end_and_what_it_defines(
    loop: str, above: float, grader: Grader, tmp_path: Path
) -> None:
    """Wherever in a file an endless loop is, the functions above it are graded."""
    texts = solution_statements()
    kept = texts[: int(above * len(texts))]
    path = tmp_path / "sinusoidal.py"
    path.write_text("\n\n".join([*kept, loop]) + "\n", "utf-8")
    submission, grade, page = graded(grader, path)
    first = path.read_text("utf-8").split(loop)[0].count("\n") + 1
    lines = range(first, first + loop.count("\n") + 1)
    assert any(f"your file does not end: at line {line} it took longer than 1 seconds" in page for line in lines)
    defined = public_function_names(kept)
    assert functions_reported_as_defined(page) == {*defined}
    assert "defines none" not in page and page.count("ANSWERS is not defined") == (0 if above == 1 else 1)
    assert all((grade.questions[name] > 0) == (name in defined) for name in public_function_names(texts))
    case = needs_review.case(
        Row(submission, GradeKey(LESSON.name, "", ""), "ada", encoded_grade=to_json(grade).encode())
    )
    assert case is not None and case.why == "the file does not end: it took longer than 1 seconds"


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_notebook_says_in_which_cell(place: int, grader: Grader, tmp_path: Path) -> None:
    """Cells below the one with the endless loop also run."""
    sources = solution_statements()
    sources.insert(place % (len(sources) + 1), LOOPS["while"])
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    path = tmp_path / "sinusoidal.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")
    _, grade, page = graded(grader, path)
    assert f"it took longer than 1 seconds (in code cell {sources.index(LOOPS['while']) + 1})" in page
    assert functions_reported_as_defined(page) == {*public_function_names(solution_statements())}
    assert grade.score == grade.max_score


def test_a_file_without_functions_that_ends_says_so(grader: Grader, tmp_path: Path) -> None:
    """If a file defines no functions, only this message explains why the score is 0."""
    path = tmp_path / "sinusoidal.py"
    for text, note in [
        ("x = 1\n", "defines none of the functions"),
        (LESSON.stub.read_text("utf-8"), "as in the original stub"),
    ]:
        path.write_text(text, "utf-8")
        submission, grade, page = graded(grader, path)
        assert note in page and note in " ".join(submission.notes) and grade.score == 0
