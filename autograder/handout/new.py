"""`autograder new NAME`: a new assignment's files, copied from small working examples in `new_assignment`.

The command prints the lines that the author must add to files that all assignments share.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from autograder.course import ROOT, Assignment, all_lessons
from autograder.files import write_files
from autograder.handout.stubs_and_recorded_values import HandoutError, outdated_files

_TEMPLATES = Path(__file__).with_name("new_assignment")


def create_assignment(name: str) -> tuple[list[Path], list[str]]:
    """Write a new assignment's files and the files generated from its solution.

    Return the paths of these files, and instructions for the lines that the author must add to files that all
    assignments share. Raise HandoutError for a name that cannot be used.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name) or keyword.iskeyword(name) or importlib.util.find_spec(name):
        raise HandoutError(f"{name!r} cannot be an assignment's name: choose a new word in lower-case letters")
    number, files = str(len(all_lessons()) + 1), {}
    for path in sorted(_TEMPLATES.rglob("*.txt")):
        place = ROOT / path.relative_to(_TEMPLATES).as_posix().replace("NAME", name).removesuffix(".txt")
        files[place] = path.read_text("utf-8").replace("NUMBER", number).replace("NAME", name)
    if there := next(filter(Path.exists, files), None):
        raise HandoutError(f"{there.relative_to(ROOT)} already exists: move it away, or choose another name")
    return [*write_files(files), *write_files(outdated_files(Assignment(name)))], [
        f"Add to the table in README.md: | {number} | [{name}](assignments/{name}/README.md) | Its question? |",
        f"Add to assignments/glossary.md: | middle of a step | Half a width after its beginning. | {number} |",
        f"Add after the last lesson in assignments/README.md: · [{number} {name}]({name}/README.md)",
        "Keep the glossary in alphabetical order. Then draw the pictures with `make figures`.",
    ]
