"""Uploads of every student in a folder.

The names at the top of a folder, which platforms and instructors make, decide its layout: an export of
Gradescope, folders of assignments or exports, or files and folders of many students. Nothing inside a student's folder
decides it, and no text of students is read here.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from autograder.course import left_out_lessons
from autograder.submission import platforms
from autograder.submission.content import MIB, READABLE, is_junk, read_bytes
from autograder.submission.names import equal_to, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import NothingToGradeError, Person, Problem, Upload

_INSTRUCTORS_FILE = re.compile(  # tables, pages and editors' copies beside a class
    r"(readme|license|index|grades|roster|gradebook|notes)(\.(md|txt|html?))?|.+(\.(csv|xlsx?|ods|sqlite|lock)|~)", re.I
)
_RESULT_FILES = ("gradebook.sqlite", "grades.csv")
_EXPORT_FOLDER = re.compile(r"assignment_\d+_export")
_SUBMISSIONS = re.compile(r"(.*-)?submissions", re.IGNORECASE)
_FOLDERS_AROUND = 3  # of one file: a student's, an assignment's, and a download's
_MAX_METADATA_BYTES = 64 * MIB

_MISSING = Problem("The export lists these files but does not hold them: your instructor must download it again.")


class Download(NamedTuple):
    """Content of a folder: its layout, uploads per student, and files of no student."""

    layout: str
    students: tuple[tuple[Upload, ...], ...]
    passed_over: tuple[str, ...]

    def below(self, folder: str) -> Download:
        """Return the same download with a folder's name in front of every file: another folder may have its name."""
        students = tuple(
            tuple(replace(upload, label=utf8_safe(f"{folder}/{upload.label}")) for upload in uploads)
            for uploads in self.students
        )
        return Download(self.layout, students, tuple(utf8_safe(f"{folder}/{name}") for name in self.passed_over))


class _DefaultAssignment(NamedTuple):
    """Assignment for a whole folder; it is only a suggestion unless it is decided."""

    assignment: str = ""
    is_decided: bool = False

    def unless(self, inner: _DefaultAssignment) -> _DefaultAssignment:
        """Return `inner` if it names an assignment with at least the same certainty, else this default."""
        return inner if inner.assignment and inner.is_decided >= self.is_decided else self


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str], out: Path | None = None) -> Download:
    """Return all uploads in a folder except those in `out`. Raise NothingToGradeError if there are none."""
    shown = printable(str(folder), 200)
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NothingToGradeError(f"{shown} {fault}: unpack what you downloaded, and name the folder.")
    if out is not None and os.path.exists(out) and os.path.samefile(folder, out):
        why = f"The results would lie among the submissions in {shown}"
        raise NothingToGradeError(f"{why}: name another folder with --out.")
    finder = _Finder(Path(os.path.abspath(folder)), tuple(known), assignment, out and Path(os.path.abspath(out)))
    try:
        layout, uploads = finder.read(finder.root, finder.default(finder.root.name))
    except OSError as error:
        raise NothingToGradeError(f"{shown} cannot be read: {error.strerror}.") from error
    if not any(upload.problem or not upload.file or stem_and_suffix(upload.file)[1] in READABLE for upload in uploads):
        expected = f" for {assignment}" if assignment else ""
        raise NothingToGradeError(f"{shown} holds no submission{expected}: that is a .py, .ipynb or .zip file.")
    return Download(layout, _by_student(uploads), tuple(dict.fromkeys(map(utf8_safe, finder.passed_over))))


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> tuple[Upload, ...]:
    """Return the upload that is one file or one folder, as it is read among the class around it.

    Raise NothingToGradeError if it is missing.
    """
    if not os.path.lexists(path):
        raise NothingToGradeError(f"{printable(str(path), 200)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    finder = _Finder(path.parent, tuple(known), assignment, None)
    default_assignment = _DefaultAssignment()
    for folder in reversed(path.parents[:_FOLDERS_AROUND]):
        default_assignment = default_assignment.unless(finder.default(folder.name))
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    folders, files = ([path.name], []) if is_folder else ([], finder.files_beside(path))
    uploads = finder.of_class(path.parent, folders, files, default_assignment)[1]
    (group,) = _by_student([upload for upload in uploads if upload.path == path])
    return group


@dataclass(frozen=True)
class _Finder:
    """Finds uploads below `root`."""

    root: Path
    known: tuple[str, ...]
    only: str | None  # the one assignment to grade: folders of other assignments are ignored
    out: Path | None  # folder of results, which is not a submission
    passed_over: list[str] = field(default_factory=list)

    def default(self, name: str) -> _DefaultAssignment:
        """Return the assignment in the flag or in a folder's name."""
        exact = self.only or equal_to(name, self.known)
        if exact:
            return _DefaultAssignment(exact, is_decided=True)
        return _DefaultAssignment(named_in(name, self.known) or "")

    def read(
        self, folder: Path, default_assignment: _DefaultAssignment, *, is_assignments: bool = False
    ) -> tuple[str, list[Upload]]:
        """Return the layout of a folder and its uploads.

        Folders of assignments (or exports) win unless most entries are something else, so that one student's entry
        never changes how a class is read. Inside them, folders with such names belong to students.
        """
        folders, files = self._listing(folder)
        if platforms.is_export(folders, files):
            return "an export of Gradescope", self._of_gradescope_export(folder, folders, default_assignment)
        if self._holds_downloads(folder, folders, files):
            found = [self.read(folder / name, default_assignment.unless(self.default(name))) for name in folders]
            layouts = dict.fromkeys(layout for layout, _ in found)
            return " and ".join(layouts), [upload for _, uploads in found for upload in uploads]
        lessons = (*self.known, *left_out_lessons())
        if folder == self.root and len(folders) == 1 and not files and not equal_to(folders[0], lessons):
            self._refuse_a_download_inside(folder / folders[0])
        exact = {name: equal_to(name, lessons) or "" for name in folders if not is_assignments}
        names = {name: exact.get(name, "") for name in folders if exact.get(name) or _EXPORT_FOLDER.fullmatch(name)}
        others = [name for name in folders if name not in names]
        if not names or len(names) < len(others) + len(files):
            return self.of_class(folder, folders, files, default_assignment)
        uploads: list[Upload] = []
        for name, assignment in names.items():
            if assignment in left_out_lessons():
                self.passed_over.append(f"{name} (left out this term)")
            elif self.only in (None, assignment or self.only):
                inside = default_assignment.unless(self.default(name))
                uploads += self.read(folder / name, inside, is_assignments=True)[1]
        for upload in self.of_class(folder, others, files, default_assignment)[1]:
            # This is not the person with that name in the folders.
            person = replace(upload.person, name=f"{upload.person.name}, beside the folders")
            uploads.append(replace(upload, person=person))
        return "folders of assignments", uploads

    def _holds_downloads(self, folder: Path, folders: list[str], files: list[str]) -> bool:
        """Return True if a folder contains only whole downloads and their zips. A clone belongs to one student.

        Archive tools repeat the outer folder's name; Canvas and GitHub's command line make "submissions".
        """
        repeats = [name.casefold() for name in folders] == [folder.name.casefold()]
        is_named_so = repeats or (bool(folders) and all(map(_SUBMISSIONS.fullmatch, folders)))
        has_clone = any(os.path.lexists(folder / name / ".git") for name in folders)
        if not is_named_so or has_clone or not {f"{name}.zip" for name in folders}.issuperset(files):
            return False
        self.passed_over.extend(f"{name} (the folder of that name was read)" for name in files)
        return True

    def _refuse_a_download_inside(self, folder: Path) -> None:
        """Raise NothingToGradeError if the only folder is a class itself, because it would be read as one student."""
        for _ in range(_FOLDERS_AROUND):
            folders, files = self._listing(folder)
            if os.path.lexists(folder / ".git"):
                return
            if platform := platforms.download_of(folders, files):
                shown, name = (printable(str(path), 200) for path in (self.root, folder.relative_to(self.root)))
                where = f"{shown} holds a download of {platform} further down"
                raise NothingToGradeError(f"{where}: grade the folder {name} by itself.")
            if len(folders) != 1 or files:
                return
            folder /= folders[0]

    def _of_gradescope_export(
        self, folder: Path, folders: list[str], default_assignment: _DefaultAssignment
    ) -> list[Upload]:
        """Return the uploads in Gradescope's folders, each of which may belong to several persons."""
        try:
            stated = platforms.export_uploads(read_bytes(folder / platforms.METADATA, _MAX_METADATA_BYTES))
        except Exception as error:  # any exception of the parser from damaged bytes
            stated, reason = {}, printable(str(error), 120)
            self.passed_over.append(f"{platforms.METADATA} ({reason}: the folders' names stand for the students)")
        return [
            self._placed(
                replace(upload, problem=None if name in folders else _MISSING), folder, name, default_assignment
            )
            for name in sorted({*folders, *stated})
            for upload in stated.get(name) or [_plain(name)]
        ]

    def of_class(
        self, folder: Path, folders: list[str], files: list[str], default_assignment: _DefaultAssignment
    ) -> tuple[str, list[Upload]]:
        """Return the platform of files and folders of many students, and their uploads."""
        platform, stated = platforms.recognise(folders, files, self.known)
        # A download has one assignment: the one that most names mention.
        named = [named_in(stem_and_suffix(upload.file)[0], self.known) for upload in stated.values()]
        counts = Counter(filter(None, named))
        majority = next((name for name, count in counts.items() if 2 * count > counts.total()), "")
        default_assignment = default_assignment if default_assignment.assignment else _DefaultAssignment(majority)
        uploads = []
        for name in (*folders, *files):
            upload = stated.get(name) or _plain(name, is_file=name in files)
            inner = _DefaultAssignment()
            if name in folders and (name not in stated or platform == platforms.GITHUB):
                slug = name.removesuffix(upload.person.login).rstrip("-").replace("-", "_")
                is_clone = name in stated  # a file whose name begins with an assignment belongs to that assignment
                inner = self.default(slug) if is_clone else _DefaultAssignment(named_in(slug, self.known) or "")
            uploads.append(self._placed(upload, folder, name, default_assignment.unless(inner)))
        return f"a download of {platform}" if platform else "files and folders named after students", uploads

    def files_beside(self, path: Path) -> list[str]:
        """Return a file's name and those of the files beside it, whose names may tell the platform."""
        try:
            return sorted({path.name, *self._listing(path.parent)[1]})
        except OSError:  # a folder that may be entered and not listed
            return [path.name]

    def _placed(self, upload: Upload, folder: Path, name: str, default_assignment: _DefaultAssignment) -> Upload:
        label = utf8_safe("/".join((*folder.relative_to(self.root).parts, name)))
        return replace(upload, path=folder / name, label=label, **default_assignment._asdict())

    def _listing(self, folder: Path) -> tuple[list[str], list[str]]:
        """Return the names of folders and files in a folder, without those that no student submitted."""
        with os.scandir(folder) as listing:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
        folders, files = list[str](), list[str]()
        for name, is_folder in entries:
            if folder / name == self.out:
                continue
            if is_folder and all(os.path.lexists(folder / name / file) for file in _RESULT_FILES):
                self.passed_over.append(f"{name} (results of an earlier run)")
            elif not is_folder and _INSTRUCTORS_FILE.fullmatch(name):
                self.passed_over.append(name)
            elif not is_junk(name):
                (folders if is_folder else files).append(name)
        return folders, files


def _plain(name: str, *, is_file: bool = False) -> Upload:
    """Return an upload whose name identifies its student, without the number that browsers add to a second copy."""
    student = re.sub(r"(?<=.) ?\(\d{1,3}\)$", "", stem_and_suffix(name)[0]) if is_file else name
    return Upload(Person(name=utf8_safe(student)), name if is_file else "")


def _by_student(uploads: Iterable[Upload]) -> tuple[tuple[Upload, ...], ...]:
    """Return uploads grouped by person and decided assignment, each group in the order of the uploads.

    A number, address or login identifies a person, and a name is a label: several people of one name get
    their numbers added to it.
    """
    people: dict[str, Person] = {}
    groups: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    for upload in sorted(uploads, key=lambda upload: (upload.attempt, upload.version)):
        person = people.setdefault(upload.person.key, upload.person)
        groups[person.key, upload.assignment * upload.is_decided].append(replace(upload, person=person))
    names = {
        key: person.email or person.sid * (person.platform == platforms.GRADESCOPE) or person.name
        for key, person in people.items()
    }
    times = Counter(names.values())
    students = []
    for (key, _), group in groups.items():
        mark = people[key].number or people[key].sid
        student = f"{names[key]}_{mark}" if times[names[key]] > 1 and mark else names[key]
        newest = {(upload.attempt, upload.name): upload for upload in group}.values()
        students.append(tuple(replace(one, student=student, is_superseded=one not in newest) for one in group))
    return tuple(sorted(students, key=lambda group: (group[0].student, group[0].person.key)))
