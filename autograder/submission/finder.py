"""Who handed in what: the files and folders of every person, one short function per layout. Nothing here reads what
students wrote."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course import left_out
from autograder.submission import disk, downloads, gradescope
from autograder.submission.choice import READ, Course, stem, suffix
from autograder.submission.downloads import Download
from autograder.submission.layout import Class, Deciding, Export, Layout, OneStudent, SideBySide
from autograder.submission.names import printable, utf8_safe
from autograder.submission.records import Given, HandIn, NothingToGrade, Part, Person, Problem, Refused, problem_of

Found = tuple[Person, Part]

_TEXT = Problem(
    "You wrote into the platform's own field, and handed in no file: hand in the .py or .ipynb file itself.",
    "Text or a link was given to the platform, and no file.",
)


@dataclass(frozen=True)
class Everything:
    """All that lies in a folder."""

    layout: Layout
    hand_ins: tuple[HandIn, ...]
    """by name"""
    passed_over: tuple[str, ...]
    """files that nobody hands in, and an editor's copies of some that somebody may"""


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str], out: Path | None = None) -> Everything:
    """Everything handed in that lies in a folder; not what lies in `out`. Raises NothingToGrade where there is
    nothing."""
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        unpack = ": unpack it, and" if suffix(str(folder)) == ".zip" and os.path.isfile(folder) else ":"
        raise NothingToGrade(f"{_shown(folder)} {fault}{unpack} name the folder that holds the submissions.")
    if out is not None and os.path.exists(out) and os.path.samefile(folder, out):
        raise NothingToGrade(
            f"The results would lie among the submissions in {_shown(folder)}: name another folder with --out."
        )
    folder = Path(os.path.abspath(folder))
    deciding = Deciding(Course(tuple(known)), assignment, out, left_out())
    try:
        layout = deciding.whole(folder)
        hand_ins = _by_person(_Finder(folder, deciding.course).of(layout))
        if not any(map(_may_hold_code, hand_ins)):
            wanted = f" for {assignment}" if assignment else ""
            raise NothingToGrade(f"{_shown(folder)} holds no submission{wanted}: that is a .py, .ipynb or .zip file.")
        aside = (*deciding.aside, *_editors_copies(folder))
    except OSError as error:
        raise NothingToGrade(f"{_shown(folder)} cannot be read: {error.strerror}.") from error
    return Everything(layout, hand_ins, aside)


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> HandIn:
    """What was handed in with one file, or one student's folder. Raises NothingToGrade where there is no such file."""
    if not os.path.lexists(path):
        raise NothingToGrade(f"{_shown(path)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    course, name = Course(tuple(known)), path.parent.name
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    folders, files = ((path.name,), ()) if is_folder else ((), (path.name,))
    platform, marks = downloads.of_folder(folders, files)
    layout = Class(
        path.parent, assignment or course.equal_to(name), course.named_in(name), platform, marks, folders, files
    )
    (hand_in,) = _by_person(_Finder(path.parent, course).of_class(layout))
    return hand_in


@dataclass(frozen=True)
class _Finder:
    """Finds what persons handed in below `root`."""

    root: Path
    course: Course

    def of(self, layout: Layout) -> Iterator[Found]:
        match layout:
            case Export():
                yield from self.of_export(layout)
            case SideBySide():
                yield from self.of_several(layout)
            case Class():
                yield from self.of_class(layout)
            case OneStudent(folder=folder, assignment=assignment):
                yield _named(folder.name), Part(self._label(folder), folder, assignment=assignment)

    def of_several(self, layout: SideBySide) -> Iterator[Found]:
        """Folders side by side. Who has a file or folder of their own beside them is not one of those in them."""
        beside = list(self.of_class(layout.beside)) if layout.beside else []
        elsewhere = {person.key for person, _ in beside}
        yield from beside
        for inner in layout.layouts:
            for person, part in self.of(inner):
                if person.key not in elsewhere:
                    yield person, part
                    continue
                note = (
                    f"A student named {printable(person.name)} has something of their own beside"
                    f" {printable(part.label.partition('/')[0])}."
                )
                yield _named(f"{part.label.partition('/')[0]}/{person.name}"), replace(part, notes=(*part.notes, note))

    def of_export(self, export: Export) -> Iterator[Found]:
        """Gradescope's folders, each of which may be several persons'."""
        entries, notes = _metadata(export)
        for name in sorted({*export.folders, *entries}):
            path, entry = export.folder / name, entries.get(name, gradescope.Entry())
            if name in export.folders:
                part = Part(self._label(path), path, f"{self._label(path)}/")
            else:
                part = Part(self._beyond(export.folder, name), problem=_missing(name))
            part = replace(part, assignment=export.assignment, hint=export.hint, notes=notes)
            part = replace(part, came=entry.created or disk.modified(path), handed_in=entry.created)
            for person in entry.people or (_named(name),):
                yield person, part

    def of_class(self, layout: Class) -> Iterator[Found]:
        """Files and folders of many: what a platform's names say is one person's belongs together."""
        of_person: defaultdict[str, list[tuple[str, Download]]] = defaultdict(list)
        for name in (*layout.folders, *layout.files):
            if download := layout.downloads.get(name):
                of_person[download.person.key].append((name, download))
            else:
                yield self._persons_own(layout, name)
        for several in of_person.values():
            yield from ((several[0][1].person, part) for part in self._downloaded(layout, several))

    def _persons_own(self, layout: Class, name: str) -> Found:
        """A file or folder whose name is the student's."""
        path = layout.folder / name
        part = Part(self._label(path), assignment=layout.assignment, hint=layout.hint, came=disk.modified(path))
        if name in layout.folders:
            return _named(name), replace(
                part, folder=path, within=f"{part.label}/", hint=self.course.named_in(name) or layout.hint
            )
        return _named(stem(name)), replace(part, files=(Given(name, path, part.label),), is_meant=True)

    def _downloaded(self, layout: Class, several: list[tuple[str, Download]]) -> Iterator[Part]:
        """What one person gave a platform: the folders; the files of the latest attempt together; each that is older by
        itself."""
        given = [(name, download) for name, download in several if not download.is_entry]
        if not given:
            yield self._part(layout, several, problem=_TEXT)
        folders = [(name, download) for name, download in given if name in layout.folders]
        for name, download in folders:
            path, hint = layout.folder / name, layout.hint
            if layout.platform == downloads.GITHUB:
                hint = self.course.named_in(name.removesuffix(download.person.login)) or hint
            part = self._part(layout, [(name, download)])
            yield replace(part, folder=path, within=f"{part.label}/", files=(), came=disk.modified(path), hint=hint)
        files = sorted({*given}.difference(folders), key=lambda named: (named[1].came, named[1].attempt, named[0]))
        attempt = max((download.handed_in for _, download in files), default=0.0)
        latest = {download.file: name for name, download in files if download.handed_in == attempt}
        together = [named for named in files if latest.get(named[1].file) == named[0]]
        if together:
            yield self._part(layout, together)
        yield from (self._part(layout, [named]) for named in files if latest.get(named[1].file) != named[0])

    def _part(self, layout: Class, several: list[tuple[str, Download]], problem: Problem | None = None) -> Part:
        files = tuple(
            Given(download.file, layout.folder / name, self._label(layout.folder / name)) for name, download in several
        )
        given = [download for _, download in several]
        is_late = any(download.late for download in given)
        return Part(
            files[-1].label,
            files=files,
            assignment=layout.assignment,
            hint=layout.hint,
            came=max(download.came for download in given),
            attempt=given[-1].attempt,
            handed_in=max(download.handed_in for download in given),
            notes=(f"{given[0].person.platform} marks it as late.",) if is_late else (),
            problem=problem,
        )

    def _beyond(self, folder: Path, name: str) -> str:
        """The label of what an export speaks of and does not hold; its name may be any text."""
        return utf8_safe(name) if folder == self.root else f"{self._label(folder)}/{utf8_safe(name)}"

    def _label(self, path: Path) -> str:
        relative = path.relative_to(self.root).as_posix()
        return utf8_safe(path.name if relative == "." else relative)


def _named(name: str) -> Person:
    """Whom a name stands for that people gave to a file or folder."""
    return Person(name=utf8_safe(name))


def _by_person(pairs: Iterable[Found]) -> tuple[HandIn, ...]:
    """What each person handed in. A name that several have goes with what tells them apart."""
    people: dict[str, Person] = {}
    parts: defaultdict[str, list[Part]] = defaultdict(list)
    for person, part in pairs:
        people.setdefault(person.key, person)
        parts[person.key].append(part)
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for person in people.values():
        keys[_called(person)].add(person.key)
    hand_ins = []
    for key, person in people.items():
        called = _called(person)
        mark = person.number or person.sid
        student = f"{called}_{mark}" if len(keys[called]) > 1 and mark else called
        hand_ins.append(HandIn(student, person, tuple(parts[key])))
    return tuple(sorted(hand_ins, key=lambda hand_in: (hand_in.student, hand_in.person.key)))


def _may_hold_code(hand_in: HandIn) -> bool:
    """Whether a person gave anything that could be code, or that cannot be looked into."""
    try:
        names = [
            name
            for part in hand_in.parts
            for name in (disk.walk(part.folder) if part.folder else [file.name for file in part.files])
        ]
    except (Refused, OSError):
        return True
    return any(suffix(name) in READ for name in names)


def _called(person: Person) -> str:
    """What to call a person: the address where that is known, or the name that stands on the file."""
    return person.email or (person.sid if person.platform == "Gradescope" else "") or person.name


def _metadata(export: Export) -> tuple[dict[str, gradescope.Entry], tuple[str, ...]]:
    """What an export says of the folders in it, and a note where that is nothing."""
    try:
        entries = gradescope.entries(export.folder)
        if entries.keys().isdisjoint(export.folders):
            raise ValueError("it names none of the folders")
        return entries, ()
    except Exception as error:
        reason = printable(problem_of(error).instructor if isinstance(error, OSError) else str(error), 120)
        return {}, (f"{gradescope.METADATA} cannot be read ({reason}), so the folder's name stands for the student.",)


def _missing(name: str) -> Problem:
    return Problem(
        "Your files are missing from what your instructor downloaded: there is nothing you need to do.",
        f"The export lists {printable(name)} but holds no such folder: download it again.",
    )


def _editors_copies(folder: Path) -> list[str]:
    """What looks like code and is passed over: an editor's copies, such as `dave.py~`, directly in a folder or in a
    folder there.

    A batch names them, since one of them may be all that a student has there.
    """
    paths = []
    for parent in (folder, *(folder / name for name in disk.listing(folder)[0])):
        try:
            with os.scandir(parent) as listing:
                some = itertools.islice(listing, None if parent == folder else disk.MAX_ENTRIES)
                copies = [
                    entry.name for entry in some if suffix(entry.name.rstrip("~")) in READ and disk.is_junk(entry.name)
                ]
        except OSError:
            continue
        paths += [
            utf8_safe((parent / name).relative_to(folder).as_posix()) for name in copies if not name.startswith(".")
        ]
    return sorted(paths)


def _shown(path: Path) -> str:
    return printable(str(path), 200)
