"""The handout as a folder, ready to become a class's template repository, and as a zip of the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from pathlib import Path

from autograder.course import PACKAGE, ROOT, assignments, shipped_code
from autograder.files import write_zip
from autograder.handout import otter_files
from autograder.handout.leaks import leaks
from autograder.handout.stubs import HandoutError, write
from autograder.pages import course, questions

QUESTIONS = "tests/public/questions.json"
"""What every handout has, and no checkout of the course."""

COURSE = "course"
"""The folder of the course's pages in it."""

TEMPLATE = Path(__file__).with_name("template")

_SHARED = """
    LICENSE assignments/*.md assignments/figures.py assignments/experiments.py assignments/figures/*.svg
    assignments/writer/__main__.py assignments/writer/checkpoint.py assignments/writer/experiments.py
    assignments/writer/lessons.py assignments/writer/llama.py assignments/writer/yours.py
    assignments/writer/text.txt assignments/writer/weights.safetensors assignments/writer/recorded.npz
    assignments/writer/*.csv
""".split()
"""What trained the writer's model is not among them: it rotates as lesson 5 asks for."""

_OF_EACH = """
    assignments/NAME/README.md assignments/NAME/NAME.py assignments/NAME/figures.py assignments/NAME/lab.py
    assignments/NAME/*.csv assignments/NAME/measured.md assignments/NAME/tiny/* tests/public/test_NAME.py
    tests/public/expected/NAME.json
""".split()


def contents(only: Collection[str] = ()) -> dict[str, bytes]:
    """Path in the handout → content, of all assignments or only some. What is not named here does not ship."""
    chosen = [assignment for assignment in assignments() if not only or assignment.name in only]
    patterns = [*_SHARED, *(pattern.replace("NAME", one.name) for one in chosen for pattern in _OF_EACH)]
    paths = {path.relative_to(ROOT).as_posix(): path for pattern in patterns for path in ROOT.glob(pattern)}
    paths |= {path.relative_to(PACKAGE.parent).as_posix(): path for path in shipped_code()}
    for path in TEMPLATE.rglob("*.template"):
        paths[path.relative_to(TEMPLATE).as_posix().removesuffix(".template")] = path
    files = {name: path.read_bytes() for name, path in paths.items()}
    made = {QUESTIONS: json.dumps({one.name: questions.of(one) for one in chosen}, indent=1)}
    for one in chosen:
        made |= otter_files.files(one, questions.tests(one))
    files |= {name: text.encode("utf-8") for name, text in made.items()}
    return files | {f"{COURSE}/{name}": content for name, content in course().items()}


def build(target: Path, only: Collection[str] = ()) -> Path:
    """Write the zip, and beside it the same as a folder. Raises HandoutError rather than writing one that leaks, or
    over anything else than an earlier one.

    `only`: the assignments that are open by now; all of them where none is named.
    """
    folder = target.with_suffix("")
    if target.suffix != ".zip":
        raise HandoutError(f"{target} cannot be the handout's name: give one that ends in .zip")
    if folder.is_symlink() or (folder.exists() and not (folder / QUESTIONS).is_file()):
        raise HandoutError(f"{folder} lies where the handout goes, and is none: move it, or choose another --out")
    files = contents(only)
    if leaked := leaks(files):
        raise HandoutError("the handout would give answers away:\n" + "\n".join(leaked))
    write_zip(target, {f"handout/{name}": content for name, content in files.items()})
    shutil.rmtree(folder, ignore_errors=True)
    write({folder / name: content for name, content in files.items()})
    return target
