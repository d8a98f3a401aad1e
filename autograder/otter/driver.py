"""What runs in Otter's kernel in the place of the student's code: which tests passed, and nothing of the submission."""

from __future__ import annotations

from collections.abc import Iterable

import nbformat

_CELL = """\
from autograder.grading.scoring import environment

result = environment({passed!r})["result"]
"""


def notebook(passed: Iterable[str]) -> nbformat.NotebookNode:
    """A notebook of one trusted cell that defines `result` for the generated test files."""
    cell = nbformat.v4.new_code_cell(_CELL.format(passed=sorted(passed)))  # type: ignore[no-untyped-call]
    return nbformat.v4.new_notebook(cells=[cell])  # type: ignore[no-untyped-call, no-any-return]
