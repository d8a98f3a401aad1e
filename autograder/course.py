"""The parts of the course, and the plan for the term.

Assignments are found by convention, not in a registry: each has a folder, a solution, two test files and a catalogue.
In a checkout, the course is next to this package; in an installed wheel, it is inside the package.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).resolve().parent
ROOT = PACKAGE_FOLDER / "_course" if (PACKAGE_FOLDER / "_course").is_dir() else PACKAGE_FOLDER.parent


class _AssignmentPath:
    """The path of one part of an assignment; on the class itself, the pattern, with {0} for the assignment's name."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __get__(self, assignment: Assignment | None, _: type[Assignment]) -> Path:
        return ROOT / (self.pattern.format(assignment.name) if assignment else self.pattern)


@dataclass(frozen=True)
class Assignment:
    """An assignment and the paths of its parts."""

    name: str

    folder = _AssignmentPath("assignments/{0}")
    """Folder with the lesson, the stub and the notebook, which students receive."""
    stub = _AssignmentPath("assignments/{0}/{0}.py")
    """File with the functions to write."""
    lesson = _AssignmentPath("assignments/{0}/README.md")
    """File with the lesson's text."""
    solution = _AssignmentPath("solutions/{0}.py")
    """File with the reference solution."""
    public_tests = _AssignmentPath("tests/public/test_{0}.py")
    """File with the tests that students receive."""
    hidden_tests = _AssignmentPath("tests/hidden/test_{0}.py")
    """File with the tests that students do not receive."""
    misconceptions = _AssignmentPath("tests/misconceptions/{0}.py")
    """File with the catalogue of known mistakes."""
    golden_values = _AssignmentPath("tests/public/expected/{0}.json")
    """File with the recorded values for public inputs, generated from the solution."""

    @property
    def ungraded_functions(self) -> frozenset[str]:
        """Return the functions that are not graded this term."""
        return plan().ungraded_functions.get(self.name, frozenset())

    @functools.cached_property
    def grading_hash(self) -> str:
        """Return a digest of everything that affects a grade or its feedback.

        The digest covers the tests, the solution, the known mistakes, the recorded values, the seed, the ungraded
        functions, the code of GRADE_DECIDING_SUBPACKAGES, and the versions of Python and the libraries.
        """
        seed()  # raise any error here, before a grader fails on it
        ungraded = " ".join(sorted(self.ungraded_functions)).encode()
        suite_files = (self.public_tests, self.hidden_tests, self.solution, self.misconceptions, self.golden_values)
        return hashlib.sha256(_deciding_code_digest() + ungraded + _hash_input(*suite_files, seed_file())).hexdigest()


GRADE_DECIDING_SUBPACKAGES = ("protocol", "checks", "hints", "sandbox", "submission", "grading", "otter")
"""Packages whose code affects a grade or its feedback; every module in them is hashed."""

_SHIPPED = """
    __init__.py protocol/*.py checks/*.py laptop/*.py hints/__init__.py hints/golden_values.py hints/likely_causes.py
""".split()


def shipped_autograder_files() -> list[Path]:
    """Return the files of this package that students receive, except self-study, which needs hidden tests."""
    shipped = (path for pattern in _SHIPPED for path in sorted(PACKAGE_FOLDER.glob(pattern)))
    return [path for path in shipped if path.name not in ("self_study.py", "learn_command.py")]


_LIBRARIES = ("numpy", "hypothesis", "pytest", "otter-grader", "landlockpy", "pyseccomp")
"""Libraries that affect grades: Hypothesis draws examples, numpy computes values, pytest collects tests, Otter scores
results, and the sandbox uses the others."""


@functools.cache
def _deciding_code_digest() -> bytes:
    """Return a digest of the code and libraries that decide a grade, which cannot change in a running process."""
    files = (
        path for package in GRADE_DECIDING_SUBPACKAGES for path in sorted((PACKAGE_FOLDER / package).rglob("*.py"))
    )
    return hashlib.sha256(_versions().encode() + _hash_input(Path(__file__), *files)).digest()


def _hash_input(*paths: Path) -> bytes:
    """Return the contents of files, each preceded by its name and size."""
    contents = ((path.name, path.read_bytes()) for path in paths)
    return b"".join(f"{name} {len(content)}\n".encode() + content for name, content in contents)


def _versions() -> str:
    versions = [f"python {sys.version_info.major}.{sys.version_info.minor}"]
    for name in _LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # not every system has all of them
            versions.append(f"{name} {importlib.metadata.version(name)}")
    return "\n".join(versions)


def seed_file() -> Path:
    """Return the path of the file with the seed for hidden inputs, which the instructor changes each term."""
    return ROOT / "tests" / "hidden" / "seed.txt"


class UserError(Exception):
    """An error that a person can act on. The command line prints its message of one or two sentences."""


class BatchError(UserError):
    """An error that stops a batch. Grades that are already stored remain valid."""


class CourseError(UserError):
    """An error in the course's own files: something is missing or invalid."""


def seed() -> int:
    """Return the term's seed. Raise CourseError if the seed file does not contain an integer."""
    try:
        return int(seed_file().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        name = seed_file().relative_to(ROOT)
        raise CourseError(f"{name} contains no seed ({error}): write one whole number into it") from error


def term_assignments() -> list[Assignment]:
    """Return this term's assignments in the order of the course plan."""
    return [Assignment(name) for name in (plan().lessons or all_lessons())]


def all_lessons() -> list[str]:
    """Return the names of all lessons in the course, ordered by the numbers in their titles."""
    return sorted(_names(), key=_lesson_sort_key)


def left_out_lessons() -> set[str]:
    """Return the names of the lessons that this term leaves out."""
    return _names() - {assignment.name for assignment in term_assignments()}


def plan_file() -> Path:
    """Return the path of the course plan. Without this file, the term includes all lessons."""
    return ROOT / "course.toml"


@dataclass(frozen=True)
class Plan:
    """The instructor's choices for this term."""

    lessons: tuple[str, ...] = ()
    """Lessons of the term, in order; empty if the term includes all lessons."""
    ungraded_functions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Functions that are not graded this term, by lesson."""


def plan() -> Plan:
    """Return the course plan. Raise CourseError if the file cannot be used."""
    path = plan_file()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise CourseError(f"{path.name} cannot be read: {error}") from error
    lessons = content.pop("lessons", [])
    if not isinstance(lessons, list) or len({*map(str, lessons)}) < len(lessons):
        raise CourseError(f'{path.name}: write lessons = ["attention", "naive"], with the name of each lesson once')
    if unknown := [str(name) for name in (*lessons, *content) if name not in _names()]:
        there = ", ".join(sorted(_names()))
        raise CourseError(f"{path.name} names {', '.join(unknown)}, but the course has only {there}")
    return Plan(tuple(lessons), {name: _ungraded_functions(name, table) for name, table in content.items()})


def _ungraded_functions(lesson: str, table: Any) -> frozenset[str]:
    """Return the functions that the plan's table for a lesson lists as optional."""
    source = Assignment(lesson).solution.read_text(encoding="utf-8")
    functions = re.findall(r"(?m)^def ([a-z]\w*)", source)
    named = table.get("optional") if isinstance(table, dict) and table.keys() == {"optional"} else None
    if not isinstance(named, list):
        raise CourseError(f'course.toml, {lesson}: write {lesson} = {{ optional = ["{functions[-1]}"] }}')
    if unknown := [str(name) for name in named if name not in functions]:
        raise CourseError(f"course.toml: {lesson} has no function {unknown[0]}; it has {', '.join(functions)}")
    return frozenset(named)


def _names() -> set[str]:
    return {path.stem for path in (ROOT / "solutions").glob("*.py") if path.stem != "__init__"}


def _lesson_sort_key(name: str) -> tuple[int, str]:
    """Return a sort key: the number at the beginning of a lesson's title. Lessons without a number come last."""
    lesson = Assignment(name).lesson
    if not lesson.is_file():
        how = f"to leave {name} out, list the other lessons in {plan_file().name} instead of removing files"
        raise CourseError(f"{lesson.relative_to(ROOT)} is missing: {how}")
    with lesson.open(encoding="utf-8") as file:
        number = file.readline().removeprefix("# ").split(".")[0]
    return (int(number) if number.isdigit() else 10**6, name)


def find(name: str) -> Assignment:
    """Return this term's assignment with this name.

    Raise LookupError, listing all the names, if there is no such assignment.
    """
    available = {assignment.name: assignment for assignment in term_assignments()}
    if name not in available:
        raise LookupError(f"there is no assignment {name!r}; the course has {', '.join(available)}")
    return available[name]
