"""What the course consists of, found by convention: a folder, a solution, two test files and a catalogue an assignment.

There is no registry to edit. In a checkout the course lies beside this package; in an installed wheel it lies inside
it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import sys
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE / "_course" if (PACKAGE / "_course").is_dir() else PACKAGE.parent


@dataclass(frozen=True)
class Assignment:
    """One assignment and where its parts lie."""

    name: str

    @property
    def folder(self) -> Path:
        """What a student gets: lesson, stub, notebook."""
        return ROOT / "assignments" / self.name

    @property
    def stub(self) -> Path:
        return self.folder / f"{self.name}.py"

    @property
    def lesson(self) -> Path:
        return self.folder / "README.md"

    @property
    def solution(self) -> Path:
        return ROOT / "solutions" / f"{self.name}.py"

    @property
    def public_tests(self) -> Path:
        return ROOT / "tests" / "public" / f"test_{self.name}.py"

    @property
    def hidden_tests(self) -> Path:
        return ROOT / "tests" / "hidden" / f"test_{self.name}.py"

    @property
    def misconceptions(self) -> Path:
        return ROOT / "tests" / "misconceptions" / f"{self.name}.py"

    @property
    def golden_values(self) -> Path:
        """Values and fingerprints on the public inputs, generated from the solution."""
        return ROOT / "tests" / "public" / "expected" / f"{self.name}.json"

    @functools.cached_property
    def suite_hash(self) -> str:
        """Changes when a grade or a feedback could: with the tests, what they compare with, the seed, the code that
        decides, or a library."""
        seed()  # said at once, before a grader stumbles over it
        digest = hashlib.sha256(_versions().encode())
        own = (self.public_tests, self.hidden_tests, self.solution, self.misconceptions, self.golden_values)
        deciding = (path for room in DECIDING for path in sorted((PACKAGE / room).rglob("*.py")))
        for path in (*own, seed_file(), Path(__file__), *deciding):
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)}\n".encode() + content)
        return digest.hexdigest()


DECIDING = ("protocol", "checks", "hints", "sandbox", "submission", "grading", "otter")
"""The rooms whose code decides a grade or what a student is told of it: hashed whole, so that no file has to be
remembered."""

_SHIPPED = (
    "__init__.py protocol/*.py checks/*.py laptop/*.py hints/__init__.py hints/golden.py hints/explain.py".split()
)


def shipped_code() -> list[Path]:
    """The files of this package that students get, too. To learn alone takes hidden tests and solutions."""
    shipped = (path for pattern in _SHIPPED for path in sorted(PACKAGE.glob(pattern)))
    return [path for path in shipped if path.name != "self_study.py"]


_LIBRARIES = ("numpy", "hypothesis", "pytest", "otter-grader", "landlockpy", "pyseccomp")
"""Hypothesis draws the examples, numpy computes, pytest collects, Otter scores, and the others are the wall."""


@functools.cache
def _versions() -> str:
    found = [f"python {sys.version_info.major}.{sys.version_info.minor}"]
    for name in _LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # the wall's are not there on every system
            found.append(f"{name} {importlib.metadata.version(name)}")
    return "\n".join(found)


def seed_file() -> Path:
    """The one setting that an instructor changes each term: what the hidden inputs are drawn from."""
    return ROOT / "tests" / "hidden" / "seed.txt"


class UserError(Exception):
    """What was asked for cannot be done as things stand. The message is a sentence or two for a person: the command
    line prints it."""


class BatchError(UserError):
    """A batch cannot go on. The message is a sentence or two for a person; grades that were given by then are kept."""


class CourseError(UserError):
    """A part of the course is missing or cannot be understood. The message is a sentence for a person."""


def seed() -> int:
    """The term's seed. Raises CourseError where the file holds something else."""
    try:
        return int(seed_file().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        name = seed_file().relative_to(ROOT)
        raise CourseError(f"{name} holds no seed ({error}): write one whole number into it") from error


def assignments() -> list[Assignment]:
    """All assignments of the course, in the order in which their lessons build on each other, but those that are left
    out."""
    return [Assignment(name) for name in sorted(_names() - left_out(), key=_lesson_order)]


def _names() -> set[str]:
    return {path.stem for path in (ROOT / "solutions").glob("*.py") if path.stem != "__init__"}


def left_out_file() -> Path:
    """The assignments that this term leaves out: their names, as many to a line as you like. Where there is none, all
    are in."""
    return ROOT / "solutions" / "left_out.txt"


def left_out() -> set[str]:
    """The names of assignments that this term leaves out. Raises CourseError for one that the course does not have."""
    path, names = left_out_file(), _names()
    named = set(path.read_text(encoding="utf-8-sig").split()) if path.is_file() else set()
    if unknown := named - names:
        raise CourseError(f"{path.name} names {', '.join(sorted(unknown))}; the course has {', '.join(sorted(names))}")
    return named


def _lesson_order(name: str) -> tuple[int, str]:
    """Lessons say their number in their title, `# 5. RoPE …`; one without a number comes last."""
    lesson = Assignment(name).lesson
    if not lesson.is_file():
        how = f"to leave {name} out, write its name into {left_out_file().relative_to(ROOT)}, and remove nothing"
        raise CourseError(f"{lesson.relative_to(ROOT)} is missing: {how}")
    with lesson.open(encoding="utf-8") as file:
        number = file.readline().removeprefix("# ").split(".")[0]
    return (int(number) if number.isdigit() else 10**6, name)


def find(name: str) -> Assignment:
    """The assignment of that name. Raises LookupError with the names there are."""
    known = {assignment.name: assignment for assignment in assignments()}
    if name not in known:
        raise LookupError(f"there is no assignment {name!r}; the course has {', '.join(known)}")
    return known[name]
