"""`autograder new NAME`: the files of a new assignment, copied from small working examples in `new_assignment`, each to
its place in the course. What to write into files that all assignments share, it says."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from autograder.course import ROOT, Assignment, assignments
from autograder.handout.stubs import HandoutError, stale

_TEMPLATES = Path(__file__).with_name("new_assignment")


def create(name: str) -> tuple[list[Path], list[str]]:
    """Write the files of a new assignment, and what is generated from them; returns their paths, and sentences that say
    what to write into shared files. Raises HandoutError."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name) or keyword.iskeyword(name) or importlib.util.find_spec(name):
        raise HandoutError(
            f"{name!r} cannot be an assignment's name: it is the name of a Python module, so lower-case letters, digits"
            " and _, and none that Python or a package has"
        )
    number = str(len(assignments()) + 1)
    files = {
        ROOT / path.relative_to(_TEMPLATES).as_posix().replace("NAME", name).removesuffix(".txt"): path
        for path in sorted(_TEMPLATES.rglob("*.txt"))
    }
    for there in filter(Path.exists, files):
        raise HandoutError(f"{there.relative_to(ROOT)} is there already: move it away, or choose another name")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.read_text("utf-8").replace("NUMBER", number).replace("NAME", name), "utf-8")
    generated = stale(Assignment(name))
    for path, text in generated.items():
        path.write_text(text, "utf-8")
    return [*files, *generated], [
        f"Add to the table in README.md: | {number} | [{name}](assignments/{name}/README.md) | Its question? |",
        f"Add to assignments/glossary.md: | middle of a step | Half a width after its beginning. | {number} |",
    ]
