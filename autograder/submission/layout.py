"""How what was handed in is laid out: decided once, from the names at the top of a folder, which platforms and
instructors make.

What lies inside a student's folder decides nothing here.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from autograder import course, parallel
from autograder.submission import archive, disk, downloads, gradescope
from autograder.submission.choice import CODE, READ, Course, stem, suffix
from autograder.submission.downloads import Download
from autograder.submission.names import listed, printable, utf8_safe
from autograder.submission.records import NothingToGrade, Refused

_CLONE = {"assignments", "course", ".github", "autograder", "tests"}
"""the folders of a clone of the handout"""

_EXPORT = re.compile(r"assignment_\d+_export")
"""what Gradescope calls one"""

_BESIDE = {"readme", "license", "index", "grades", "roster", "gradebook", "notes"}
_TABLES = (".csv", ".xlsx", ".xls", ".ods", ".sqlite", ".lock")
_PAGES = (".md", ".txt", ".html", ".htm", "")

_RESULTS = ("gradebook.sqlite", "grades.csv")
"""what lies in a folder of results"""

_NAMED = 8
"""names in a sentence"""


@dataclass(frozen=True)
class Export:
    """An export of Gradescope: its metadata says whose each folder is."""

    folder: Path
    assignment: str | None
    hint: str | None
    folders: tuple[str, ...]

    def __str__(self) -> str:
        return f"an export of Gradescope, {_count(len(self.folders), 'folder')}"


@dataclass(frozen=True)
class Class:
    """Files and folders of many students."""

    folder: Path
    assignment: str | None
    hint: str | None
    platform: str
    """what made most of the names; "" where people did"""
    downloads: Mapping[str, Download]
    """what these names say"""
    folders: tuple[str, ...]
    files: tuple[str, ...]

    def __str__(self) -> str:
        what = _made_by(self.platform)
        counts = [_count(len(self.folders), "folder"), _count(len(self.files), "file")]
        return ", ".join([what, *(count for count in counts if not count.startswith("0 "))]) + self._doubt

    @property
    def _doubt(self) -> str:
        """What a few names do not tell: where the part of a student's begins."""
        logins = sorted({download.person.login for download in self.downloads.values() if download.in_doubt})
        if logins:
            advice = "what follows the last _ is read as the login, and beside others one with a _ in it is read whole"
            return f". {listed([*map(printable, logins)], _NAMED)}: {advice}"
        lone = [] if self.platform or self.files else [printable(name) for name in self.folders if "-" in name]
        if 0 < len(lone) < downloads.CLASS and len(lone) == len(self.folders):
            advice = "call it by the account alone, or put it beside the others"
            return f". {', '.join(lone)}: where that is a clone of GitHub Classroom, {advice}"
        return ""


@dataclass(frozen=True)
class SideBySide:
    """Folders, each laid out by itself; `beside` them, perhaps, something else."""

    layouts: tuple[Layout, ...]
    noun: str
    """what they are: a folder …"""
    of: str
    """… named after assignments"""
    beside: Class | None = None

    def __str__(self) -> str:
        return f"{_count(len(self.layouts), self.noun)} {self.of}"


@dataclass(frozen=True)
class OneStudent:
    """A clone of the handout, or a folder with files all named after assignments."""

    folder: Path
    assignment: str | None

    def __str__(self) -> str:
        return f"one student's folder, {printable(self.folder.name)}"


Layout = Export | SideBySide | Class | OneStudent

_WHAT = {
    "": "files and folders named after students",
    downloads.ANONYMOUS: "a download of Canvas with anonymous names",
    downloads.GITHUB: "clones of GitHub Classroom",
}


def _made_by(platform: str) -> str:
    return _WHAT.get(platform, f"a download of {platform}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Deciding:
    """What is known while it is decided."""

    course: Course
    only: str | None
    """the one assignment that is graded: folders of the others are passed over"""
    out: Path | None
    """where results go: never part of what was handed in"""
    left_out: set[str]
    """the assignments that this term leaves out"""
    aside: list[str] = field(default_factory=list)
    """names that were passed over"""

    def whole(self, folder: Path) -> Layout:
        """The layout of the folder that was given. Raises NothingToGrade where it must be another folder."""
        folder = Path(os.path.abspath(folder))
        folders, files = self._listing(folder)
        closed = self.left_out & {folder.name, *folders}
        if self.only is None and (folder.name in closed or (folders and closed == {*folders})):
            name = folder.name if folder.name in closed else folders[0]
            raise NothingToGrade(f"This term leaves out {name}: {course.left_out_file().name} in solutions/ says so.")
        if self._is_one_students(folder, folders, files):
            return OneStudent(folder, self.only)
        layout = self._decide(folder, self.only or self.course.equal_to(folder.name), self.course.named_in(folder.name))
        _require_students(layout, self.course)
        return layout

    def _decide(self, folder: Path, assignment: str | None, hint: str | None, inside: bool = False) -> Layout:
        """`inside` a folder of one assignment, where folders named after assignments are students' own."""
        folders, files = self._listing(folder)
        if gradescope.is_export(folders, files):
            return Export(folder, assignment, hint, tuple(folders))
        folders = self._without_results(folder, folders, files)
        code = [name for name in files if suffix(name) in READ]
        named = {} if inside else self.course.among(folders)
        if named:
            self.aside.extend(f"{name} (left out this term)" for name in folders if name in self.left_out)
            folders = [name for name in folders if name not in self.left_out]
        exports = {name for name in folders if _is_export(folder / name)}
        # One student alone may have put metadata into a folder, but gives it no name.
        sure = len(exports) > 1 or all(_EXPORT.fullmatch(name) or name in named for name in exports)
        if exports and sure and not code and exports | {*named} == {*folders}:
            return SideBySide(tuple(self._each(folder, folders, named, assignment, hint)), "export", "of Gradescope")
        if named and 2 * len(named) >= len(folders) + len(code):
            others = [name for name in folders if name not in named]
            beside = self._class(folder, assignment, hint, others, files) if others or code else None
            layouts = tuple(self._each(folder, [*named], named, assignment, hint))
            return SideBySide(layouts, "folder", "named after assignments", beside)
        return self._class(folder, assignment, hint, folders, files)

    def _each(
        self, folder: Path, names: Iterable[str], named: Mapping[str, str], assignment: str | None, hint: str | None
    ) -> Iterable[Layout]:
        for name in names:
            own = named.get(name)
            if self.only is None or own in (None, self.only):
                try:
                    yield self._decide(
                        folder / name, own or assignment, self.course.named_in(name) or hint, inside=True
                    )
                except OSError:  # it is closed: that is one row
                    yield Class(folder, own or assignment, hint, "", {}, (name,), ())

    def _class(
        self, folder: Path, assignment: str | None, hint: str | None, folders: list[str], files: list[str]
    ) -> Class:
        beside = [name for name in files if _lies_beside(name)]
        self.aside.extend(utf8_safe(name) for name in beside if stem(name).casefold() not in ("readme", "license"))
        files = [name for name in files if name not in beside]
        platform, marks = downloads.of_folder(folders, files)
        return Class(folder, assignment, hint, platform, marks, tuple(folders), tuple(files))

    def _listing(self, folder: Path) -> tuple[list[str], list[str]]:
        folders, files = disk.listing(folder)
        results = self.out and os.path.abspath(self.out)
        return [name for name in folders if os.path.abspath(folder / name) != results], files

    def _without_results(self, folder: Path, folders: list[str], files: list[str]) -> list[str]:
        """Folders without those that an earlier run wrote. What a platform's name says is a student's stays."""
        results = [name for name in folders if all(os.path.lexists(folder / name / file) for file in _RESULTS)]
        students = downloads.of_folder(folders, files)[1] if results else {}
        results = [name for name in results if name not in students]
        self.aside.extend(f"{utf8_safe(name)} (results of an earlier run)" for name in results)
        return [name for name in folders if name not in results]

    def _is_one_students(self, folder: Path, folders: list[str], files: list[str]) -> bool:
        """Whether the folder is itself one student's: a clone of the handout, or files all named after assignments.

        Of a clone more than one thing must be there, and nothing that could be another student's.
        """
        code = [name for name in files if suffix(name) in READ]
        if not all(self.course.equal_to(stem(name)) for name in code):
            return False
        if not folders:
            return bool(code)
        lessons = any(os.path.isdir(folder / "assignments" / known) for known in self.course.assignments)
        return lessons and os.path.isdir(folder / "tests" / "public") and _CLONE.issuperset(folders)


def _lies_beside(name: str) -> bool:
    """Whether this is a file of a folder of many that nobody hands in: a table, a page about the folder."""
    ending = suffix(name)
    return ending not in READ and (ending in _TABLES or (ending in _PAGES and stem(name).casefold() in _BESIDE))


def _is_export(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.lexists(folder / gradescope.METADATA) and gradescope.is_export(
            *disk.listing(folder, disk.MAX_ENTRIES)
        )
    return False


def _require_students(layout: Layout, course: Course) -> None:
    """Raises NothingToGrade where all that lies in a folder of many are whole classes: then another folder is meant."""
    if isinstance(layout, SideBySide):
        for inner in layout.layouts:
            _require_students(inner, course)
    if not isinstance(layout, Class) or layout.platform not in ("", downloads.GITHUB):
        return
    code = [name for name in layout.files if suffix(name) in READ]
    below = _of_all(partial(_whole_class, course), [layout.folder / name for name in layout.folders])
    if below is None or any(suffix(name) != ".zip" for name in code):
        return
    zips = [layout.folder / name for name in code]  # they may be students', with anything in them
    packed = _of_all(partial(parallel.one, _packed), zips)
    if below and packed is not None:
        shown = [printable(str(path), 200) for path, _ in below]
        which = f"name that folder, {shown[0]}" if len(shown) == 1 else f"name one of {listed(shown, _NAMED)}"
        raise NothingToGrade(f"What lies in {printable(str(layout.folder), 200)} looks like {below[0][1]}: {which}.")
    if packed:
        path, what = packed[0]
        raise NothingToGrade(
            f"{printable(str(path), 200)} is {what} that is still packed: unpack it, and name its folder."
        )


def _of_all(function: Callable[[Path], Any], paths: list[Path]) -> list[tuple[Path, str]] | None:
    """What a function finds, if it finds something of each of these."""
    told = [*itertools.takewhile(lambda told: isinstance(told, tuple), map(function, paths))]
    return told if len(told) == len(paths) else None


_STUDENTS = 5
"""files that tell no assignment, from which on they are thought to be of several students"""

_DEEP = 3
"""folders that lie alone in each other"""


def _whole_class(course: Course, folder: Path, deep: int = _DEEP) -> tuple[Path, str] | None:
    """Where in a folder a class of two people or more lies, and what it looks like."""
    with contextlib.suppress(OSError):
        folders, files = disk.listing(folder, disk.MAX_ENTRIES)
        if what := _looks_like(folders, files) or _looks_plain(course, files):
            return folder, what
        if deep and len(folders) == 1 and not any(suffix(name) in READ for name in files):
            return _whole_class(course, folder / folders[0], deep - 1)
    return None


def _packed(path: Path) -> tuple[Path, str] | None:
    """The same for a zip; clones aside, since a student's folders may have any names."""
    try:
        names = [name.split("/") for name in archive.top(path)]
    except (Refused, OSError):
        return None
    while len({name[0] for name in names}) == 1 and max(map(len, names)) > 1:  # the folder that was packed
        names = [name[1:] for name in names if len(name) > 1]
    folders = {name[0] for name in names if len(name) > 1}
    what = _looks_like(sorted(folders), sorted({name[0] for name in names} - folders))
    return (path, what) if what and what != _WHAT[downloads.GITHUB] else None


def _looks_like(folders: list[str], files: list[str]) -> str:
    """What names look like, if they are a platform's of two people or more; else nothing."""
    if gradescope.is_export(folders, files):
        return "an export of Gradescope"
    platform, marks = downloads.of_folder(folders, files)
    return _made_by(platform) if len({download.person.key for download in marks.values()}) > 1 else ""


def _looks_plain(course: Course, files: list[str]) -> str:
    """The same for files that people named after students: many, and none that is called as an assignment asks."""
    stems = [stem(name) for name in files if suffix(name) in CODE]
    nameless = sum(course.named_in(name) is None for name in stems)
    return "files of several students" if nameless >= _STUDENTS and not any(map(course.equal_to, stems)) else ""
