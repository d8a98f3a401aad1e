"""What is dear to make, made once for all processes of a test run: the handout, and the grades of sample
submissions."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import find
from autograder.grading.grader import Grade, Grader
from autograder.submission import Submission, read_file

Once = Callable[[str, Callable[[], Any]], Any]
Graded = Callable[[Path], tuple[Submission, Grade]]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes what has a name, or finds it made; everybody who asks gets a copy of their own."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder

    def get(name: str, make: Callable[[], Any]) -> Any:
        kept = folder / f"{name}.pickle"
        if not kept.exists():
            mine = tmp_path_factory.mktemp("once") / name
            mine.write_bytes(pickle.dumps(make()))
            mine.replace(kept)
        return pickle.loads(kept.read_bytes())

    return get


@pytest.fixture(scope="session")
def handed_out(once: Once) -> dict[str, bytes]:
    """Path in the handout → content; not to be changed."""
    from autograder.handout import bundle

    contents: dict[str, bytes] = once("handout", bundle.contents)
    return contents


@pytest.fixture(scope="session")
def graded(once: Once, grader: Grader) -> Graded:
    """A sample submission that can be read, and its grade."""

    def get(path: Path) -> tuple[Submission, Grade]:
        name = path.parent.name
        submission = read_file(path, name, [name])
        assert submission.problem is None
        grade: Grade = once(f"{name}-{path.name}", lambda: grader.grade(find(name), submission.cells))
        return submission, grade

    return get
