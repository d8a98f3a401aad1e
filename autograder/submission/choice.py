"""Which assignment a name speaks of, and which of a student's many files is the one that was asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from autograder.submission.names import printable
from autograder.submission.records import Problem

CODE = (".py", ".ipynb")
READ = (*CODE, ".zip")

# What the handout put there and students do not write: never a rival of what they wrote.
_HANDOUT = {"figures.py", "measuring.py", "lab.py", "conftest.py", "setup.py", "__init__.py"}
_HANDOUT_FOLDERS = re.compile(
    r"(?:^|/)(?:assignments/[^/]+/tests|tests/public|autograder/(?:protocol|checks|hints|laptop))/"
)
_GIVEN_NOTEBOOK = "explore.ipynb"
"""The handout's too, and students may write their functions in it."""

MAX_RIVALS = 20
"""files of one student that are looked at for one assignment"""


@dataclass(frozen=True)
class Course:
    """The names of the course's assignments, and how they are recognised in names that people chose."""

    assignments: tuple[str, ...]

    def equal_to(self, name: str) -> str | None:
        """The assignment that this name is, case aside."""
        return next((known for known in self.assignments if known.casefold() == name.casefold()), None)

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """Those of the names that are an assignment's."""
        return {name: known for name in names if (known := self.equal_to(name))}

    def named_in(self, name: str) -> str | None:
        """The one assignment that stands in this name as a word of its own; None where there is none, or several.

        Of assignments whose names lie in each other, such as rope and rope_2d, the longest is meant.
        """
        return _named_in(self.assignments, name)

    def named_by(self, path: str) -> str | None:
        """The assignment that a file's name speaks of, or else the nearest folder it lies in."""
        *folders, file = path.split("/")
        return next(filter(None, map(self.named_in, [stem(file), *reversed(folders)])), None)


_IN_PLACE, _EXACT, _LOOSE, _NOTEBOOK, _NAMELESS = range(5)
"""How a file's name speaks of an assignment, the likeliest first."""


@dataclass(frozen=True)
class NamedFile:
    """A file of a student's, and the assignment that its name speaks of, if any."""

    file: str
    assignment: str | None
    kind: int

    @property
    def is_named(self) -> bool:
        """Whether its name speaks of an assignment, and is not merely the handout's notebook."""
        return self.kind < _NOTEBOOK


@dataclass(frozen=True)
class Choice:
    """Which of a student's files count for an assignment."""

    assignment: str
    files: tuple[NamedFile, ...] = ()
    """those that could be meant, the likeliest first"""
    problem: Problem | None = None
    """why none of them counts by its name alone"""


def stem(name: str) -> str:
    """A file's name without folders and without the ending that says what kind of file it is."""
    return _parts(name)[0]


def suffix(name: str) -> str:
    """The ending that says what kind of file it is, in lower case; of `rope.py.txt` that is `.py`."""
    return _parts(name)[1].casefold()


_DOUBLE = re.compile(
    r"(.+)(?:(\.py|\.ipynb)\.(?:txt|json)|(\.tar\.\w+|\.(?:py|ipynb)\.(?!zip|py|ipynb)\w+))", re.IGNORECASE | re.DOTALL
)
"""Names of two endings: browsers and mail programs add one to code, and tar has one of its own."""


def _parts(name: str) -> tuple[str, str]:
    """A name without folders, and its ending."""
    name = name.rpartition("/")[2]
    if double := _DOUBLE.fullmatch(name):
        return double[1], double[2] or double[3]
    base, dot, ending = name.rpartition(".")
    return (base, dot + ending) if base else (name, "")


def choose(files: Sequence[str], assignment: str | None, hint: str | None, course: Course) -> list[Choice]:
    """From the files of one student, the one for `assignment`, or, without it, one for each assignment they name.

    `hint` is the assignment of files that name none.
    """
    code = [_named(file, course) for file in files if _is_students(file)]
    if assignment:
        return [_one(code, files, assignment)]
    wanted = {file.assignment for file in code if file.kind <= _EXACT or hint is None} - {None} or {hint}
    chosen = [_one(code, files, known) for known in course.assignments if known in wanted]
    return chosen or [Choice("", problem=_unnamed(code, files, course))]


def _is_students(file: str) -> bool:
    name = file.rpartition("/")[2].casefold()
    given = name in _HANDOUT or name.startswith("test_") or _HANDOUT_FOLDERS.search(file)
    return suffix(file) in CODE and not given


def _named(file: str, course: Course) -> NamedFile:
    named, name = course.named_by(file), file.rpartition("/")[2].casefold()
    if name == _GIVEN_NOTEBOOK:
        return NamedFile(file, named, _NOTEBOOK)
    if exact := course.equal_to(stem(file)):
        # In a repository the file of an assignment is the one at its place in the handout.
        in_place = f"/{file}".casefold().endswith(f"/assignments/{exact.casefold()}/{name}")
        return NamedFile(file, exact, _IN_PLACE if in_place else _EXACT)
    return NamedFile(file, named, _LOOSE if named else _NAMELESS)


def _one(code: list[NamedFile], files: Sequence[str], assignment: str) -> Choice:
    likely = sorted((file for file in code if file.assignment in (assignment, None)), key=attrgetter("kind"))
    if not likely:
        return Choice(assignment, problem=_none(files, assignment))
    # The handout's notebook is likely enough to be looked at, but any other file comes before it.
    best = min((file.kind for file in likely), key=lambda kind: (kind == _NOTEBOOK, kind))
    first = [file for file in likely if file.kind == best]
    if len(first) > 1:  # a zip may hold two of one name
        return Choice(assignment, tuple(first[:MAX_RIVALS]), several([file.file for file in first], assignment))
    rivals = dict.fromkeys(file for file in likely if file not in first)
    return Choice(assignment, (*first, *tuple(rivals)[:MAX_RIVALS]))


def several(candidates: Sequence[str], assignment: str) -> Problem:
    """What to say where nothing tells which file is meant."""
    shown = f"{printable(candidates[0])} and {printable(candidates[1])}"
    more = f" ({len(candidates)} in all)" if len(candidates) > 2 else ""
    return Problem(
        f"Two files could be your {assignment}, {shown}{more}: hand in one, named {assignment}.py or .ipynb.",
        f"Several files could be {assignment}: {shown}{more}.",
        is_unclear=True,
    )


def _none(files: Sequence[str], assignment: str) -> Problem:
    return _zips(files) or Problem(
        f"There is no file for {assignment} in what you handed in: hand in {assignment}.py or {assignment}.ipynb.",
        f"No .py or .ipynb file for {assignment} was found{_what_is_there(files)}.",
    )


def _unnamed(code: list[NamedFile], files: Sequence[str], course: Course) -> Problem:
    if not code:
        return _zips(files) or Problem(
            "There is no .py or .ipynb file in what you handed in: hand in the file that holds your functions.",
            f"No .py or .ipynb file was found{_what_is_there(files)}.",
        )
    return which_assignment(code[0].file, course)


def which_assignment(file: str, course: Course) -> Problem:
    """What to say where nothing tells the assignment, or too much does."""
    example = course.assignments[0] if course.assignments else "rope"
    return Problem(
        f"The name {printable(file)} does not tell one assignment: name the file after it, for example {example}.py.",
        "The file's name does not tell one assignment: use --assignment NAME (make: ASSIGNMENT=NAME), or name a folder"
        " after it.",
        is_unclear=True,
    )


def _zips(files: Sequence[str]) -> Problem | None:
    """What to say where the file may lie in a zip inside the zip: that one is not opened."""
    inner = next((file for file in files if file.lower().endswith(".zip")), None)
    if inner is None:
        return None
    return Problem(
        f"There is a zip inside what you handed in, {printable(inner)}, and it is not opened: hand in the .py or .ipynb"
        " file itself.",
        f"No .py or .ipynb file was found; there is a zip inside, {printable(inner)}, which is not opened.",
    )


def _what_is_there(files: Sequence[str]) -> str:
    if not files:
        return ": there are no files at all"
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"; there is {printable(files[0])}{more}"


@functools.lru_cache(4096)
def _named_in(assignments: tuple[str, ...], name: str) -> str | None:
    """Kept, since a folder may have thousands of files, each of which is named by all folders around it."""
    words = f"_{_words(name)}_"
    named = [known for known in assignments if f"_{_words(known)}_" in words]
    outer = [
        known
        for known in named
        if not any(known != other and f"_{_words(known)}_" in f"_{_words(other)}_" for other in named)
    ]
    return outer[0] if len(outer) == 1 else None


@functools.lru_cache(4096)
def _words(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
