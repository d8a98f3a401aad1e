"""Who handed in what: a folder → the files of every student.

How a folder is laid out is decided once, by what lies at its top, which platforms and instructors make: an export of
Gradescope, folders named after assignments or exports, or files and folders of many, of which most names say which
platform made them. What lies inside a student's folder decides nothing, and nothing that students wrote is read here.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from autograder.course import left_out
from autograder.submission import platforms
from autograder.submission.code import MIB, READ, is_junk, read_bytes
from autograder.submission.names import equal_to, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import Entry, HandIn, NothingToGrade, Person, Problem, StudentFile

_BESIDE = re.compile(
    r"(readme|license|index|grades|roster|gradebook|notes)(\.(md|txt|html?))?|.+\.(csv|xlsx?|ods|sqlite|lock)",
    re.IGNORECASE,
)
"""tables and pages that an instructor keeps beside a class"""
_RESULTS = ("gradebook.sqlite", "grades.csv")
"""what lies in a folder of results"""

_MISSING = Problem("The export lists these files but does not hold them: your instructor must download it again.")

_Told = tuple[str | None, str | None]
"""The assignment that a folder or a flag decides, and the one that it suggests."""


class Everything(NamedTuple):
    """All that lies in a folder: what it was read as, who handed in what, and files that nobody handed in."""

    layout: str
    hand_ins: tuple[HandIn, ...]
    passed_over: tuple[str, ...]


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str], out: Path | None = None) -> Everything:
    """Everything handed in that lies in a folder, but not in `out`. Raises NothingToGrade where there is nothing."""
    shown = printable(str(folder), 200)
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NothingToGrade(f"{shown} {fault}: unpack what you downloaded, and name the folder.")
    if out is not None and os.path.exists(out) and os.path.samefile(folder, out):
        raise NothingToGrade(f"The results would lie among the submissions in {shown}: name another folder with --out.")
    finder = _Finder(Path(os.path.abspath(folder)), tuple(known), assignment, out and Path(os.path.abspath(out)))
    try:
        layout, files = finder.read(finder.root, finder.told_by(finder.root))
    except OSError as error:
        raise NothingToGrade(f"{shown} cannot be read: {error.strerror}.") from error
    if not any(one.entry.problem or not one.entry.file or stem_and_suffix(one.entry.file)[1] in READ for one in files):
        expected = f" for {assignment}" if assignment else ""
        raise NothingToGrade(f"{shown} holds no submission{expected}: that is a .py, .ipynb or .zip file.")
    return Everything(layout, _by_person(files), tuple(finder.aside))


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> HandIn:
    """What was handed in with one file, or one student's folder. Raises NothingToGrade where there is no such file."""
    if not os.path.lexists(path):
        raise NothingToGrade(f"{printable(str(path), 200)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    finder = _Finder(path.parent, tuple(known), assignment, None)
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    names = ([path.name], []) if is_folder else ([], [path.name])
    (hand_in,) = _by_person(finder.of_class(path.parent, *names, finder.told_by(path.parent))[1])
    return hand_in


@dataclass(frozen=True)
class _Finder:
    """Finds what lies below `root`."""

    root: Path
    known: tuple[str, ...]
    only: str | None  # the one assignment that is graded: folders of the others are passed over
    out: Path | None  # where results go: never part of what was handed in
    aside: list[str] = field(default_factory=list)

    def told_by(self, folder: Path) -> _Told:
        return self.only or equal_to(folder.name, self.known), named_in(folder.name, self.known)

    def read(self, folder: Path, told: _Told, own: str = "") -> tuple[str, list[StudentFile]]:
        """Folders of assignments (or exports) win unless most of what lies there is something else: then no single
        entry of a student changes how a class is read. Inside a folder of one assignment, its `own`, folders named
        after assignments are students' own."""
        folders, files = self._listing(folder)
        if platforms.is_export(folders, files):
            return "an export of Gradescope", [*self._of_export(folder, folders, told)]
        inner = {name: equal_to(name, (*self.known, *left_out())) for name in folders if not own}
        inner = {name: of for name, of in inner.items() if of}
        inner |= {name: own for name in folders if re.fullmatch(r"assignment_\d+_export", name)}
        others = [name for name in folders if name not in inner]
        if not inner or len(inner) < len(others) + len(files):
            return self.of_class(folder, folders, files, told)
        found: list[StudentFile] = []
        for name, of in inner.items():
            if of in left_out():
                self._pass_over(f"{name} (left out this term)")
            elif self.only in (None, of or self.only):
                found += self.read(folder / name, (of or told[0], told[1]), of or "an export's")[1]
        for file in self.of_class(folder, others, files, told)[1]:  # whoever chose that name: not theirs in the folders
            person = replace(file.entry.person, name=f"{file.entry.person.name}, beside the folders")
            found.append(replace(file, entry=replace(file.entry, person=person)))
        return "folders of assignments", found

    def _of_export(self, folder: Path, folders: list[str], told: _Told) -> Iterator[StudentFile]:
        """Gradescope's folders, each of which may be several persons'."""
        try:
            entries = platforms.export_entries(read_bytes(folder / platforms.METADATA, 64 * MIB))
        except Exception as error:  # whatever odd bytes make the parser raise
            entries, reason = {}, printable(str(error), 120)
            self._pass_over(f"{platforms.METADATA} ({reason}: the folders' names stand for the students)")
        for name in sorted({*folders, *entries}):
            for entry in entries.get(name) or [Entry(_named(name))]:
                yield self._file(entry if name in folders else replace(entry, problem=_MISSING), folder, name, told)

    def of_class(
        self, folder: Path, folders: list[str], files: list[str], told: _Told
    ) -> tuple[str, list[StudentFile]]:
        """Files and folders of many."""
        platform, entries = platforms.recognise(folders, files)
        # A download is of one assignment: the one that most files speak of whose names say one.
        said = Counter(own for one in entries.values() if (own := named_in(stem_and_suffix(one.file)[0], self.known)))
        hint = told[1] or next((name for name, count in said.items() if 2 * count > said.total()), None)
        found = []
        for name in (*folders, *files):
            entry, own = entries.get(name), None
            if name in folders and (entry is None or platform == platforms.GITHUB):
                own = named_in(name.removesuffix(entry.person.login if entry else ""), self.known)
            if entry is None:
                entry = Entry(_named(name)) if name in folders else Entry(_named(stem_and_suffix(name)[0]), name)
            found.append(self._file(entry, folder, name, (told[0], own or hint)))
        return f"a download of {platform}" if platform else "files and folders named after students", found

    def _file(self, entry: Entry, folder: Path, name: str, told: _Told) -> StudentFile:
        label = utf8_safe("/".join((*folder.relative_to(self.root).parts, name)))
        return StudentFile(entry, folder / name, label, *told)

    def _listing(self, folder: Path) -> tuple[list[str], list[str]]:
        """The folders and files there, without what nobody hands in."""
        with os.scandir(folder) as listing:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
        folders, files = [], []
        for name, is_folder in entries:
            if is_folder and all(os.path.lexists(folder / name / file) for file in _RESULTS):
                self._pass_over(f"{name} (results of an earlier run)" if folder / name != self.out else "")
            elif is_folder and folder / name != self.out and not is_junk(name):
                folders.append(name)
            elif not is_folder and (_BESIDE.fullmatch(name) or name.endswith(tuple(f"{ending}~" for ending in READ))):
                self._pass_over(name)  # of an editor's copy it is said: perhaps it is all that there is
            elif not is_folder and not is_junk(name):
                files.append(name)
        return folders, files

    def _pass_over(self, name: str) -> None:
        self.aside.extend({utf8_safe(name)}.difference(self.aside, [""]))


def _named(name: str) -> Person:
    return Person(name=utf8_safe(name))


def _by_person(files: Iterable[StudentFile]) -> tuple[HandIn, ...]:
    """What each person handed in, by decided assignment. A name that several have goes with what tells them apart."""
    people: dict[str, Person] = {}
    came: defaultdict[tuple[str, str | None], list[StudentFile]] = defaultdict(list)
    for file in sorted(files, key=lambda file: (file.entry.attempt, file.entry.version)):
        people.setdefault(file.entry.person.key, file.entry.person)
        came[file.entry.person.key, file.assignment].append(file)
    names = {
        key: one.email or one.sid * (one.platform == platforms.GRADESCOPE) or one.name for key, one in people.items()
    }
    times = Counter(names.values())
    hand_ins = []
    for (key, _), several in came.items():
        person, mark = people[key], people[key].number or people[key].sid
        student = f"{names[key]}_{mark}" if times[names[key]] > 1 and mark else names[key]
        newest = {(file.entry.attempt, file.name): file for file in several}.values()
        hand_ins.append(HandIn(student, person, tuple(replace(file, is_old=file not in newest) for file in several)))
    return tuple(sorted(hand_ins, key=lambda hand_in: (hand_in.student, hand_in.person.key)))
