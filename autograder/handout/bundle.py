"""The handout, written as a zip and as a folder that can serve as a class's template repository."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path

from autograder.course import PACKAGE_FOLDER, ROOT, Assignment, shipped_autograder_files
from autograder.files import write_files, write_zip
from autograder.grading.suite import all_tests
from autograder.handout import otter_files
from autograder.handout.leaks import leaks
from autograder.handout.stubs_and_recorded_values import HandoutError
from autograder.lesson_renumbering import TEXTS_WITH_EXAMPLE_LESSON, Edition
from autograder.pages import course_files, pictures
from autograder.pages.answer_forms_and_practice import answer_forms_and_practice

QUIZ_QUESTIONS_FILE = "tests/public/questions.json"
"""Path of a file that is in every handout but in no checkout of the course."""

PAGES_FOLDER = "course"
"""Folder in a handout for the course pages."""

TEMPLATES_FOLDER = Path(__file__).with_name("template")

_SHARED_FILES = """
    LICENSE assignments/*.md assignments/figures.py assignments/phone_layout.py assignments/experiments.py
    assignments/writer/__main__.py assignments/writer/safetensors_reader.py assignments/writer/experiments.py
    assignments/writer/update_lessons.py assignments/writer/llama.py assignments/writer/text_generation.py
    assignments/writer/written_functions.py
    assignments/writer/text.txt assignments/writer/weights.safetensors assignments/writer/recorded.npz
    assignments/writer/*.csv
""".split()
"""Glob patterns of shared files. The writer's training program is left out because it contains the rotation that
students write in `rope`."""

_LESSON_FILES = """
    assignments/NAME/README.md assignments/NAME/NAME.py assignments/NAME/figures.py assignments/NAME/lab*.py
    assignments/NAME/*.csv assignments/NAME/measured.md assignments/NAME/tiny/* tests/public/test_NAME.py
    tests/public/expected/NAME.json
""".split()


def contents(only: Collection[str] = ()) -> dict[str, bytes]:
    """Return the contents of the files for students, keyed by path, for all assignments or only those in `only`."""
    edition = Edition.of_term(only)
    chosen = [Assignment(name) for name in edition.shipped_lessons]
    patterns = [
        *_SHARED_FILES,
        *(pattern.replace("NAME", assignment.name) for assignment in chosen for pattern in _LESSON_FILES),
    ]
    paths = {path.relative_to(ROOT).as_posix(): path for pattern in patterns for path in ROOT.glob(pattern)}
    paths |= {path.relative_to(PACKAGE_FOLDER.parent).as_posix(): path for path in shipped_autograder_files()}
    for path in TEMPLATES_FOLDER.rglob("*.template"):
        paths[path.relative_to(TEMPLATES_FOLDER).as_posix().removesuffix(".template")] = path
    files = {name: path.read_bytes() for name, path in paths.items()}
    questions = {assignment.name: answer_forms_and_practice(assignment) for assignment in chosen}
    made = {QUIZ_QUESTIONS_FILE: json.dumps(questions, indent=1)}
    for assignment in chosen:
        made |= otter_files.notebook_and_test_files(assignment, all_tests(assignment))
    files |= {name: text.encode("utf-8") for name, text in made.items()}
    files |= {
        name: edition.text(files[name].decode("utf-8"), name).encode("utf-8")
        for name in filter(_mentions_lessons, files)
    }
    pages = {f"{PAGES_FOLDER}/{name}": content for name, content in course_files(edition).items()}
    texts = (text.decode("utf-8") for name, text in files.items() if name.endswith(".md"))
    shown = {picture for text in texts for picture in _PICTURE.findall(text)}
    drawn = {f"assignments/{name}": content for name, content in pictures(edition, shown).items()}
    return files | {name: content for name, content in drawn.items() if "/narrow/" not in name} | pages


_PICTURE = re.compile(r"\]\((?:\.\./)?(figures/\w+\.svg)")


def _mentions_lessons(name: str) -> bool:
    """Return True for a file that can mention lessons by number or that uses a lesson as an example."""
    is_of_lessons = name.startswith(("assignments/", "tests/"))
    return name in TEXTS_WITH_EXAMPLE_LESSON or (is_of_lessons and name.endswith((".md", ".py", ".ipynb", ".json")))


def build_handout(zip_path: Path, open_assignments: Collection[str] = ()) -> Path:
    """Write the zip, and a folder with the same content next to it; return the zip's path.

    `open_assignments` names the assignments that are open so far (by default, all). Raise HandoutError if the handout
    would reveal a secret or overwrite anything other than an earlier handout.
    """
    folder = zip_path.with_suffix("")
    if zip_path.suffix != ".zip":
        raise HandoutError(f"{zip_path} cannot be the handout's name: choose one that ends in .zip")
    if folder.is_symlink() or (folder.exists() and not (folder / QUIZ_QUESTIONS_FILE).is_file()):
        raise HandoutError(f"{folder} is in the handout's place but is not a handout: move it, or choose another --out")
    files = contents(open_assignments)
    if leaked := leaks(files):
        raise HandoutError("the handout would give answers away:\n" + "\n".join(leaked))
    write_zip(zip_path, {f"handout/{name}": content for name, content in files.items()})
    shutil.rmtree(folder, ignore_errors=True)
    write_files({folder / name: content for name, content in files.items()})
    return zip_path
