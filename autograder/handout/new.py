"""`autograder new NAME`: all files of a new assignment, as small working examples to be replaced bit by bit.

Most are files of its own. Four lines or blocks go into files that all assignments share: a row of the front page, a
word of the glossary, a row on the map, and a picture.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course import ROOT, Assignment, assignments
from autograder.files import atomic
from autograder.handout.stubs import HandoutError, stale

_TEMPLATES = Path(__file__).with_name("new_assignment")
"""In `own` the assignment's own files, each at its place in the course; `samples` are submissions; the rest goes into
files that all share."""


@dataclass
class NewFiles:
    """The files of a new assignment: those of its own, and those of all that it stands in."""

    name: str
    own: list[Path]
    shared: list[Path]

    @property
    def undo(self) -> str:
        """The command that takes all of it back, and with it what else is not committed in the shared files."""
        whole = [path.parent if path.parent.name == self.name else path for path in self.own]  # no empty folder stays
        shared, own = (
            " ".join(dict.fromkeys(path.relative_to(ROOT).as_posix() for path in paths))
            for paths in (self.shared, whole)
        )
        return f"git checkout -- {shared} && git clean -fd -- {own}"


def create(name: str) -> NewFiles:
    """Write the files of a new assignment, and what is generated from them. Raises HandoutError."""
    _check_name(name)
    own, shared = dict(_own_files(name)), dict(_shared_files(name))
    for path, text in (own | shared).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic(path) as file:
            file.write(text)
    generated = stale(Assignment(name))
    for path, text in generated.items():
        path.write_text(text, "utf-8")
    return NewFiles(name, [*own, *generated], [*shared])


def _check_name(name: str) -> None:
    known = [assignment.name for assignment in assignments()]
    if name in known:
        raise HandoutError(f"there is an assignment {name} already")
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name) or keyword.iskeyword(name) or importlib.util.find_spec(name):
        raise HandoutError(
            f"{name!r} cannot be an assignment's name: it is the name of a Python module, so lower-case letters, digits"
            " and _, and none that Python or a package has"
        )
    new = Assignment(name)
    files = (new.folder, new.solution, new.public_tests, new.hidden_tests, new.misconceptions)
    for there in filter(Path.exists, files):
        raise HandoutError(f"{there.relative_to(ROOT)} is there already: move it away, or choose another name")


def _own_files(name: str) -> Iterator[tuple[Path, str]]:
    own = _TEMPLATES / "own"
    for path in sorted(own.rglob("*.txt")):
        yield ROOT / path.relative_to(own).as_posix().replace("NAME", name).removesuffix(".txt"), _filled(path, name)
    for path in sorted(_TEMPLATES.glob("samples/*.txt")):
        yield ROOT / "tests" / "submissions" / name / path.stem, _filled(path, name)


def _shared_files(name: str) -> Iterator[tuple[Path, str]]:
    number = len(assignments()) + 1
    page = ROOT / "README.md"
    listed = re.finditer(
        r"^\| \d+ \| \[\w+\]\(assignments/\w+/README\.md\) \|.*\n", page.read_text("utf-8"), re.MULTILINE
    )
    entry = f"| {number} | [{name}](assignments/{name}/README.md) | Where is the middle of a step? |\n"
    yield page, _inserted(page, ([match.end() for match in listed], entry))
    words = ROOT / "assignments" / "glossary.md"
    row = f"| middle of a step ({name}) | Half a width after the beginning of the step. | {number} |\n"
    yield words, _inserted(words, (_position_of_word(words, name), row))


def _inserted(path: Path, *pieces: tuple[list[int], str]) -> str:
    """A file with each piece put in at the last of its positions. The pieces come in the order of the file."""
    text = path.read_text("utf-8")
    for positions, what in reversed(pieces):
        if not positions:
            fault = "has no place for the new assignment: it is laid out in another way than it was"
            raise HandoutError(f"{path.relative_to(ROOT)} {fault}")
        text = text[: positions[-1]] + what + text[positions[-1] :]
    return text


def _position_of_word(path: Path, name: str) -> list[int]:
    """Where the new word belongs in the alphabet."""
    words = path.read_text("utf-8").partition("## Symbols")[0]
    rows = re.finditer(r"^\| (?!term )(.+?) \| .+ \| \d+ \|\n", words, re.MULTILINE)
    return [match.end() for match in rows if match[1].casefold() < f"middle of a step ({name})"]


def _filled(template: Path, name: str) -> str:
    return template.read_text("utf-8").replace("NUMBER", str(len(assignments()) + 1)).replace("NAME", name)
