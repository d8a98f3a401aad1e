"""Fixtures that are expensive and built only once for all processes of a test run: the handout, the wheel,
and the grades of samples.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.course import find

if TYPE_CHECKING:
    from autograder.grading.grade import Grade
    from autograder.grading.grader import Grader
    from autograder.submission import Submission

Once = Callable[[str, Callable[[], Any]], Any]
FILE_WITHOUT_END = "endless_loop.py"
"""Name of samples with a function that never returns, whose grade is the same with a shorter limit on a call."""

Graded = Callable[[Path], "tuple[Submission, Grade]"]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a function that makes the object with the specified name, or loads it if it exists; each caller gets a
    separate copy."""
    folder = tmp_path_factory.getbasetemp()
    # Workers in the same run have neighbouring folders; a run that a test starts is separate.
    folder = folder.parent if folder.name == f"popen-{os.environ.get('PYTEST_XDIST_WORKER')}" else folder

    def get(name: str, make: Callable[[], Any]) -> Any:
        kept = folder / f"{name}.pickle"
        with open(kept.with_suffix(".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # a worker that comes second waits for the object
            if not kept.exists():
                mine = tmp_path_factory.mktemp("once") / name
                mine.write_bytes(pickle.dumps(make()))
                mine.replace(kept)
        return pickle.loads(kept.read_bytes())

    return get


@pytest.fixture(scope="session")
def handed_out(once: Once, course_files: dict[str, bytes]) -> dict[str, bytes]:
    """Content of each file in the handout by its path; tests must not change it."""
    from autograder.handout import bundle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "course_files", lambda _: course_files)
        contents: dict[str, bytes] = once("handout", bundle.contents)
    return contents


@pytest.fixture(scope="session")
def ready_wheel(once: Once) -> Iterator[Callable[[Path], Path]]:
    """Replace the function that builds the course's wheel with one that copies a wheel built once for all tests, and
    yield the original function."""
    from autograder.otter import package

    build: Callable[[Path], Path] = package.wheel

    def built() -> tuple[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = build(Path(folder))
            return path.name, path.read_bytes()

    def wheel(folder: Path) -> Path:
        name, content = once("wheel", built)
        (folder / name).write_bytes(content)
        return folder / name

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "wheel", wheel)
        yield build


@pytest.fixture(scope="session")
def graded(once: Once, grader: Grader) -> Graded:
    """Return a function that reads and grades a sample submission, once per sample."""

    from autograder.sandbox.limits import LIMITS
    from autograder.submission import read_submission

    def grade(path: Path, cells: tuple[str, ...]) -> Grade:
        with pytest.MonkeyPatch.context() as patch:
            if path.name == FILE_WITHOUT_END:
                patch.setattr(grader.sandbox, "limits", replace(LIMITS, call_seconds=2.0))
            return grader.grade(find(path.parent.name), cells)

    def get(path: Path) -> tuple[Submission, Grade]:
        name = path.parent.name
        submission = read_submission(path, name, [name])
        assert submission.problem is None
        return submission, once(f"{name}-{path.name}", lambda: grade(path, submission.cells))

    return get
