"""The handout as a folder, ready to become a class's template repository, and as a zip of the same."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path

from autograder.checks.results import Test
from autograder.course import PACKAGE, ROOT, Assignment, assignments, shipped_code
from autograder.files import write_zip
from autograder.grading.suite import Suite
from autograder.handout import services
from autograder.handout.leaks import leaks
from autograder.handout.stubs import HandoutError, stale
from autograder.pages import course, questions

QUESTIONS = "tests/public/questions.json"
"""What every handout has, and no checkout of the course."""

COURSE = "course"
"""The folder of the course's pages, in the handout and beside it."""

TEMPLATE = Path(__file__).with_name("template")

_GIVEN = (
    "*.md",
    "figures.py",
    "measuring.py",
    "figures/*.svg",
    "*/figures.py",
    "*/lab.py",
    "*/*.csv",
    "*/measured.md",
    "writer/*.*",
)
"""What lies in assignments/ beside the lessons, stubs and notebooks."""

_WRITER = ROOT / "assignments" / "writer"
"""The model that writes with a student's functions. What trained it does not ship: it rotates as lesson 5 asks for."""


def contents(only: Collection[str] = ()) -> dict[str, bytes]:
    """Path in the handout → content, of all assignments or only some. What is not named here does not ship."""
    chosen = [assignment for assignment in assignments() if not only or assignment.name in only]
    files = {
        path.relative_to(TEMPLATE).as_posix().removesuffix(".template"): path for path in TEMPLATE.rglob("*.template")
    }
    texts = ROOT / "assignments"
    folders = {texts, texts / "figures", _WRITER, *(assignment.folder for assignment in chosen)}
    given = [
        path
        for pattern in _GIVEN
        for path in texts.glob(pattern)
        if path.parent in folders and path != _WRITER / "train.py"
    ]
    files |= {path.relative_to(ROOT).as_posix(): path for path in [*given, ROOT / "LICENSE"]}
    files |= {path.relative_to(PACKAGE.parent).as_posix(): path for path in shipped_code()}
    shipped = {name: path.read_bytes() for name, path in files.items()}
    asked = {}
    for assignment in chosen:
        tests = Suite(assignment).tests
        shipped |= _of(assignment, tests)
        asked[assignment.name] = questions.of(assignment, tests)
    shipped[QUESTIONS] = json.dumps(asked, indent=1).encode("utf-8")
    return shipped | {f"{COURSE}/{name}": content for name, content in course().items()}


def _of(assignment: Assignment, tests: list[Test]) -> dict[str, bytes]:
    """What a handout has of one assignment."""
    as_they_are = (assignment.lesson, assignment.stub, assignment.public_tests, assignment.golden_values)
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in as_they_are}
    folder, notebook = f"assignments/{assignment.name}", assignment.folder / "explore.ipynb"
    made = {f"{folder}/tests/{name}": text for name, text in services.test_files(assignment.name, tests).items()}
    made[f".github/classroom/{assignment.name}.yml"] = services.workflow(assignment.name, tests)
    if notebook.is_file():
        made[f"{folder}/{notebook.name}"] = services.with_checks(notebook.read_text("utf-8"), assignment.name, tests)
    return files | {name: text.encode("utf-8") for name, text in made.items()}


def build(target: Path, only: Collection[str] = ()) -> Path:
    """Write the zip, and beside it the same as a folder and the course's pages. Raises HandoutError rather than writing
    one that leaks, or over anything else than an earlier one.

    `only`: the assignments that are open by now; all of them where none is named.
    """
    beside, pages = target.with_suffix(""), target.with_name(COURSE)
    if target.suffix != ".zip" or beside == pages:
        raise HandoutError(f"{target} cannot be the handout's name: give one that ends in .zip, not {COURSE}.zip")
    for old, sign in ((beside, QUESTIONS), (pages, "search.js")):
        if os.path.lexists(old) and (old.is_symlink() or not (old / sign).is_file()):
            raise HandoutError(f"{old} lies where the handout goes, and is none: move it, or choose another --out")
    for assignment in assignments():
        if outdated := stale(assignment):
            names = ", ".join(path.name for path in outdated)
            raise HandoutError(f"{assignment.name}: {names} no longer agrees with the solution; run `make handout`")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "handout")
        files = contents(only)
        unpack(files, folder)
        if leaked := leaks(folder):
            raise HandoutError("the handout would give answers away:\n" + "\n".join(leaked))
        write_zip(target, {f"{folder.name}/{name}": content for name, content in files.items()})
        for old in (beside, pages):
            shutil.rmtree(old, ignore_errors=True)
        shutil.move(folder, beside)
        shutil.copytree(beside / COURSE, pages)
    return target


def unpack(files: dict[str, bytes], folder: Path) -> None:
    """Write these files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
