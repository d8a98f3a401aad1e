"""Who handed in what: a folder → the files of every student.

How a folder is laid out is decided once, by what lies at its top, which platforms and instructors make: an export of
Gradescope, folders named after assignments or exports, or files and folders of many, of which most names say which
platform made them. What lies inside a student's folder decides nothing, and nothing that students wrote is read here.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course import left_out
from autograder.submission import platforms
from autograder.submission.code import MIB, READ, is_junk, read_bytes
from autograder.submission.names import equal_to, listed, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.platforms import Entry
from autograder.submission.records import Delivery, HandIn, NothingToGrade, Person, Problem, StudentFile

_CLONE = {"assignments", "course", ".github", "autograder", "tests"}
"""the folders of a clone of the handout"""
_BESIDE = {"readme", "license", "index", "grades", "roster", "gradebook", "notes"}
_TABLES = (".csv", ".xlsx", ".xls", ".ods", ".sqlite", ".lock")
_PAGES = (".md", ".txt", ".html", ".htm", "")
_RESULTS = ("gradebook.sqlite", "grades.csv")
"""what lies in a folder of results"""

_TEXT = Problem("Text or a link was given to the platform, and no file: hand in the .py or .ipynb file itself.")
_MISSING = Problem("The export lists these files but does not hold them: your instructor must download it again.")


@dataclass(frozen=True)
class Everything:
    """All that lies in a folder."""

    layout: str
    """what it was read as"""
    hand_ins: tuple[HandIn, ...]
    """by name"""
    passed_over: tuple[str, ...]
    """files that nobody hands in, and an editor's copies of some that somebody may"""


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str], out: Path | None = None) -> Everything:
    """Everything handed in that lies in a folder; not what lies in `out`. Raises NothingToGrade where there is
    nothing."""
    shown = printable(str(folder), 200)
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NothingToGrade(f"{shown} {fault}: unpack what you downloaded, and name the folder.")
    if out is not None and os.path.exists(out) and os.path.samefile(folder, out):
        raise NothingToGrade(f"The results would lie among the submissions in {shown}: name another folder with --out.")
    finder = _Finder(Path(os.path.abspath(folder)), tuple(known), assignment, out)
    try:
        found = finder.whole()
    except OSError as error:
        raise NothingToGrade(f"{shown} cannot be read: {error.strerror}.") from error
    if not any(one.problem or one.is_folder or stem_and_suffix(one.file.path.name)[1] in READ for one in found):
        wanted = f" for {assignment}" if assignment else ""
        raise NothingToGrade(f"{shown} holds no submission{wanted}: that is a .py, .ipynb or .zip file.")
    return Everything(finder.layouts[0], _by_person(found), tuple(finder.aside))


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> HandIn:
    """What was handed in with one file, or one student's folder. Raises NothingToGrade where there is no such file."""
    if not os.path.lexists(path):
        raise NothingToGrade(f"{printable(str(path), 200)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    finder = _Finder(path.parent, tuple(known), assignment, None)
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    names = ([path.name], []) if is_folder else ([], [path.name])
    (hand_in,) = _by_person([*finder.of_class(path.parent, *names, *finder.told_by(path.parent))])
    return hand_in


@dataclass(frozen=True)
class _Found:
    """One file or folder, and whose it is."""

    entry: Entry
    file: StudentFile
    is_folder: bool
    assignment: str | None
    hint: str | None
    problem: Problem | None = None


@dataclass(frozen=True)
class _Finder:
    """Finds what lies below `root`."""

    root: Path
    known: tuple[str, ...]
    only: str | None
    """the one assignment that is graded: folders of the others are passed over"""
    out: Path | None
    """where results go: never part of what was handed in"""
    layouts: list[str] = field(default_factory=list)
    """what folders are read as, the one that was given first"""
    aside: list[str] = field(default_factory=list)

    def whole(self) -> list[_Found]:
        folders, files = self._listing(self.root)
        if self._is_one_students(folders, files):
            self.layouts.append(f"one student's folder, {printable(self.root.name)}")
            file = StudentFile(self.root.name, self.root, utf8_safe(self.root.name))
            return [_Found(Entry(_named(self.root.name)), file, True, self.only, None)]
        return [*self._of_folder(self.root, *self.told_by(self.root), is_top=True)]

    def told_by(self, folder: Path) -> tuple[str | None, str | None]:
        """The assignment that a folder's name decides, and the one that it suggests."""
        return self.only or equal_to(folder.name, self.known), named_in(folder.name, self.known)

    def _of_folder(self, folder: Path, assignment: str | None, hint: str | None, is_top: bool) -> Iterator[_Found]:
        """Folders of assignments (or exports) win unless most of what lies there is something else: then no single
        entry of a student changes how a class is read. `is_top`: inside a folder of one assignment, folders named
        after assignments are students' own."""
        folders, files = self._listing(folder)
        if platforms.is_export(folders, files):
            self.layouts.append(f"an export of Gradescope, {_count(len(folders), 'folder')}")
            yield from self._of_export(folder, folders, assignment, hint)
            return
        closed = {name for name in folders if is_top and name in left_out()}
        full = [name for name in folders if name not in closed and _holds_something(folder / name)]
        named = {name: own for name in full if is_top and (own := equal_to(name, self.known))}
        inner = named | {name: None for name in full if re.fullmatch(r"assignment_\d+_export", name)}
        others = [name for name in folders if name not in inner and name not in closed]
        if not (inner or closed) or len(inner) + len(closed) < len(others) + len(files):
            yield from self.of_class(folder, folders, files, assignment, hint)
            return
        self.aside.extend(f"{name} (left out this term)" for name in closed)
        self.layouts.append(f"{_count(len(inner), 'folder')} {'named after assignments' if named else 'of Gradescope'}")
        found = [one for name, own in inner.items() for one in self._inside(folder / name, own, assignment, hint)]
        yield from found
        taken = {one.entry.person.key for one in found}
        for one in self.of_class(folder, others, files, assignment, hint) if others or files else ():
            person = one.entry.person
            if person.key in taken:  # whoever chose that name, it is not theirs who is in the folders
                person = replace(person, name=f"{person.name}, beside the folders")
            yield replace(one, entry=replace(one.entry, person=person))

    def _inside(self, folder: Path, own: str | None, assignment: str | None, hint: str | None) -> list[_Found]:
        """One of several folders side by side; `own`: the assignment that it is named after."""
        if self.only not in (None, own or self.only):
            return []
        return [*self._of_folder(folder, own or assignment, hint, is_top=False)]

    def _of_export(
        self, folder: Path, folders: list[str], assignment: str | None, hint: str | None
    ) -> Iterator[_Found]:
        """Gradescope's folders, each of which may be several persons'."""
        try:
            entries = platforms.export_entries(read_bytes(folder / platforms.METADATA, 64 * MIB))
            if entries.keys().isdisjoint(folders):
                raise ValueError("it names none of the folders")
        except Exception as error:  # whatever odd bytes make the parser raise
            entries, reason = {}, printable(str(error), 120)
            self.aside.append(f"{platforms.METADATA} ({reason}: the folders' names stand for the students)")
        for name in sorted({*folders, *entries}):
            for entry in entries.get(name) or [Entry(_named(name))]:
                found = self._found(entry, folder, name, True, assignment, hint)
                yield found if name in folders else replace(found, problem=_MISSING)

    def of_class(
        self, folder: Path, folders: list[str], files: list[str], assignment: str | None, hint: str | None
    ) -> Iterator[_Found]:
        """Files and folders of many."""
        platform, entries = platforms.recognise(folders, files)
        counts = [_count(len(names), noun) for names, noun in ((folders, "folder"), (files, "file")) if names]
        made = f"a download of {platform}" if platform else "files and folders named after students"
        self.layouts.append(", ".join([made, *counts]))
        hint = hint or self._most_named(entries.values())
        for name in (*folders, *files):
            is_folder, entry = name in folders, entries.get(name)
            own = None
            if is_folder and (entry is None or entry.person.platform == platforms.GITHUB):
                own = named_in(name.removesuffix(entry.person.login if entry else ""), self.known)
            entry = entry or Entry(_named(name if is_folder else stem_and_suffix(name)[0]), name)
            yield self._found(entry, folder, name, is_folder, assignment, own or hint)

    def _most_named(self, entries: Iterable[Entry]) -> str | None:
        """The assignment that most files of a download speak of whose names say one: a download is of one."""
        named = [own for entry in entries if (own := named_in(stem_and_suffix(entry.file)[0], self.known))]
        most, count = Counter(named).most_common(1)[0] if named else (None, 0)
        return most if 2 * count > len(named) else None

    def _found(
        self, entry: Entry, folder: Path, name: str, is_folder: bool, assignment: str | None, hint: str | None
    ) -> _Found:
        label = utf8_safe("/".join((*folder.relative_to(self.root).parts, name)))
        file = StudentFile(entry.file or name, folder / name, label)
        return _Found(entry, file, is_folder, assignment, hint, _TEXT if entry.is_text else None)

    def _listing(self, folder: Path) -> tuple[list[str], list[str]]:
        """The folders and files there, without what nobody hands in."""
        with os.scandir(folder) as listing:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
        results = self.out and os.path.abspath(self.out)
        folders, files = [], []
        for name, is_folder in entries:
            stem, ending = stem_and_suffix(name.rstrip("~"))
            if is_folder and os.path.abspath(folder / name) != results and not is_junk(name):
                if all(os.path.lexists(folder / name / file) for file in _RESULTS):
                    self._pass_over(f"{name} (results of an earlier run)")
                else:
                    folders.append(name)
            elif not is_folder and is_junk(name):
                if ending in READ and not name.startswith("."):  # an editor's copy: perhaps all that there is
                    self._pass_over(name)
            elif not is_folder:
                if ending in _TABLES or (ending in _PAGES and stem.casefold() in _BESIDE):
                    self._pass_over(name)
                else:
                    files.append(name)
        return folders, files

    def _pass_over(self, name: str) -> None:
        if (name := utf8_safe(name)) not in self.aside and not name.startswith(("README", "LICENSE")):
            self.aside.append(name)

    def _is_one_students(self, folders: list[str], files: list[str]) -> bool:
        """Whether the folder is itself one student's: a clone of the handout, or files all named after assignments.

        Of a clone more than one thing must be there, and nothing that could be another student's.
        """
        code = [stem for stem, ending in map(stem_and_suffix, files) if ending in READ]
        if not all(equal_to(stem, self.known) for stem in code):
            return False
        is_clone = any(os.path.isdir(self.root / "assignments" / name) for name in self.known)
        return is_clone and _CLONE.issuperset(folders) if folders else bool(code)


def _holds_something(folder: Path) -> bool:
    """Whether anything lies in a folder that somebody may have handed in, as far as a hundred entries tell."""
    try:
        with os.scandir(folder) as listing:
            return not all(is_junk(entry.name) for entry in itertools.islice(listing, 100))
    except OSError:
        return False


def _named(name: str) -> Person:
    """Whom a name stands for that people gave to a file or folder."""
    return Person(name=utf8_safe(name))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _by_person(found: Iterable[_Found]) -> tuple[HandIn, ...]:
    """What each person handed in. A name that several have goes with what tells them apart."""
    of_person: defaultdict[str, list[_Found]] = defaultdict(list)
    people: dict[str, Person] = {}
    for one in found:
        people.setdefault(one.entry.person.key, one.entry.person)
        of_person[one.entry.person.key].append(one)
    called = {
        key: person.email or person.sid * (person.platform == "Gradescope") or person.name
        for key, person in people.items()
    }
    times = Counter(called.values())
    hand_ins = []
    for key, person in people.items():
        mark = person.number or person.sid
        student = f"{called[key]}_{mark}" if times[called[key]] > 1 and mark else called[key]
        hand_ins.append(HandIn(student, person, tuple(_deliveries(of_person[key]))))
    return tuple(sorted(hand_ins, key=lambda hand_in: (hand_in.student, hand_in.person.key)))


def _deliveries(found: list[_Found]) -> Iterator[Delivery]:
    """What one person handed in, in order; files of one attempt together."""

    def key(one: _Found) -> tuple[float, bool, str, str]:
        return one.entry.attempt, one.problem is None, one.assignment or "", one.hint or ""

    files = [one for one in found if one.problem is not _TEXT] or found
    for _, group in itertools.groupby(sorted(files, key=lambda one: (key(one), one.entry.version)), key):
        several = list(group)
        newest = {one.file.name: one for one in several}
        older = [printable(one.file.label) for one in several if newest[one.file.name] is not one]
        notes = [f"{listed(older, 3)} came earlier, and is not graded."] if older else []
        if any(one.entry.late for one in several):
            notes.insert(0, f"{several[0].entry.person.platform} marks it as late.")
        last = several[-1]
        files_of = tuple(one.file for one in newest.values())
        yield Delivery(files_of, last.assignment, last.hint, tuple(notes), last.problem)
