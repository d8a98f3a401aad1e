"""Uploads of every student in a folder.

The layout of a folder is decided once, by the names at its top, which platforms and instructors make: an
export of Gradescope, folders named after assignments or exports, or files and folders of many students, most
of whose names may tell the platform. Nothing inside a student's folder decides the layout, and nothing that
students wrote is read here.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from autograder.course import left_out
from autograder.submission import platforms
from autograder.submission.content import MIB, READABLE, is_junk, read_bytes
from autograder.submission.names import equal_to, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import Evidence, NothingToGradeError, Person, Problem, Upload
from autograder.submission.students import by_student

_INSTRUCTORS_FILE = re.compile(
    r"(readme|license|index|grades|roster|gradebook|notes)(\.(md|txt|html?))?"
    r"|.+\.(csv|xlsx?|ods|sqlite|lock)",
    re.IGNORECASE,
)
"""Tables and pages that an instructor keeps beside a class."""
_RESULT_FILES = ("gradebook.sqlite", "grades.csv")
_EXPORT_FOLDER = re.compile(r"assignment_\d+_export")
_SUBMISSIONS = re.compile(r"(?P<slug>.*-)?submissions", re.IGNORECASE)
"""Folder that Canvas's zip becomes, or that GitHub's command line makes for the clones of one assignment."""
_MAX_METADATA_BYTES = 64 * MIB

_MISSING = Problem("The export lists these files but does not hold them: your instructor must download it again.")


class Download(NamedTuple):
    """Everything in a folder: the layout that it was read in, uploads per student, and files of nobody."""

    layout: str
    students: tuple[tuple[Upload, ...], ...]
    passed_over: tuple[str, ...]


class _Default(NamedTuple):
    """Assignment that holds for a whole folder, and what says so: NONE for a mere suggestion."""

    assignment: str = ""
    evidence: Evidence = Evidence.NONE

    def unless(self, inner: _Default) -> _Default:
        """Return `inner` if it says an assignment with at least this evidence, and else this default."""
        return inner if inner.assignment and inner.evidence >= self.evidence else self


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str], out: Path | None = None) -> Download:
    """Return all uploads in a folder, without what lies in `out`.

    Raises:
        NothingToGradeError: the folder holds no uploads; the message is a sentence for the instructor.
    """
    shown = printable(str(folder), 200)
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NothingToGradeError(f"{shown} {fault}: unpack what you downloaded, and name the folder.")
    if out is not None and os.path.exists(out) and os.path.samefile(folder, out):
        raise NothingToGradeError(
            f"The results would lie among the submissions in {shown}: name another folder with --out."
        )
    finder = _Finder(Path(os.path.abspath(folder)), tuple(known), assignment, out and Path(os.path.abspath(out)))
    try:
        layout, uploads = finder.read(finder.root, finder.default(finder.root))
    except OSError as error:
        raise NothingToGradeError(f"{shown} cannot be read: {error.strerror}.") from error
    if not any(map(_may_hold_code, uploads)):
        expected = f" for {assignment}" if assignment else ""
        raise NothingToGradeError(f"{shown} holds no submission{expected}: that is a .py, .ipynb or .zip file.")
    return Download(layout, by_student(uploads), tuple(finder.passed_over))


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> tuple[Upload, ...]:
    """Return the upload that is one file or one folder. Raise NothingToGradeError if it is missing."""
    if not os.path.lexists(path):
        raise NothingToGradeError(f"{printable(str(path), 200)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    finder = _Finder(path.parent, tuple(known), assignment, None)
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    names = ([path.name], []) if is_folder else ([], [path.name])
    (uploads,) = by_student(finder.of_class(path.parent, *names, finder.default(path.parent))[1])
    return uploads


@dataclass(frozen=True)
class _Finder:
    """Finds uploads below `root`."""

    root: Path
    known: tuple[str, ...]
    only: str | None
    """the one assignment to grade: folders of others are passed over"""
    out: Path | None
    """folder of results, which nobody handed in"""
    passed_over: list[str] = field(default_factory=list)

    def default(self, folder: Path) -> _Default:
        """Return the assignment that the flag or the folder's name says."""
        if self.only:
            return _Default(self.only, Evidence.FLAG)
        if exact := equal_to(folder.name, self.known):
            return _Default(exact, Evidence.FOLDER)
        return _Default(named_in(folder.name, self.known) or "")

    def read(self, folder: Path, default: _Default, *, is_assignments: bool = False) -> tuple[str, list[Upload]]:
        """Return the layout of a folder and its uploads.

        Folders of assignments (or exports) win unless most entries are something else, so that one student's
        entry never changes how a class is read. Inside a folder of one assignment, folders named after
        assignments are students' folders.
        """
        folders, files = self._listing(folder)
        if platforms.is_export(folders, files):
            return "an export of Gradescope", [*self._of_export(folder, folders, default)]
        if inner := self._downloads(folder, folders, files, is_assignments):
            found = [self.read(folder / name, self._within(default, folder / name)) for name in inner]
            layouts = dict.fromkeys(layout for layout, _ in found)
            return " and ".join(layouts), [upload for _, uploads in found for upload in uploads]
        names = {name: equal_to(name, (*self.known, *left_out())) for name in folders if not is_assignments}
        names = {name: assignment for name, assignment in names.items() if assignment}
        names |= {name: "" for name in folders if _EXPORT_FOLDER.fullmatch(name)}
        others = [name for name in folders if name not in names]
        if not names or len(names) < len(others) + len(files):
            return self.of_class(folder, folders, files, default)
        uploads: list[Upload] = []
        for name, assignment in names.items():
            if assignment in left_out():
                self._pass_over(f"{name} (left out this term)")
            elif self.only in (None, assignment or self.only):
                inside = self._within(default, folder / name)
                uploads += self.read(folder / name, inside, is_assignments=True)[1]
        for upload in self.of_class(folder, others, files, default)[1]:  # not the person of that name in the folders
            person = replace(upload.person, name=f"{upload.person.name}, beside the folders")
            uploads.append(replace(upload, person=person))
        return "folders of assignments", uploads

    def _within(self, default: _Default, folder: Path) -> _Default:
        """Return what holds in a folder inside another, for which `default` holds."""
        return default.unless(self.default(folder))

    def _downloads(self, folder: Path, folders: list[str], files: list[str], is_assignments: bool) -> list[str]:
        """Return the folders that are whole downloads, if only they and their zips lie there; otherwise [].

        Archive tools repeat the outer folder's name; Canvas and GitHub's command line make "submissions". A
        clone is one student's folder, whatever its name.
        """
        packed = [name for name in files if name.removesuffix(".zip") in folders]
        if len(packed) < len(files) or any(os.path.lexists(folder / name / ".git") for name in folders):
            return []
        repeats = [name.casefold() for name in folders] == [folder.name.casefold()]
        is_certain = repeats and not is_assignments
        if not is_certain and not (folders and all(self._is_download(folder / name) for name in folders)):
            return []
        for name in packed:
            self._pass_over(f"{name} (the folder of that name was read)")
        return folders

    def _is_download(self, folder: Path) -> bool:
        """Return True for a folder that repeats the outer name or is called "submissions", and holds a download."""
        name = _SUBMISSIONS.fullmatch(folder.name)
        if not name and folder.name.casefold() != folder.parent.name.casefold():
            return False
        folders, files = self._listing(folder, is_silent=True)
        slug = name["slug"] if name else ""
        if slug and folders and not files and all(inner.startswith(slug) for inner in folders):
            return True
        return platforms.is_export(folders, files) or bool(platforms.recognise(folders, files, self.known)[0])

    def _of_export(self, folder: Path, folders: list[str], default: _Default) -> Iterator[Upload]:
        """Yield the uploads in Gradescope's folders, each of which may be several persons'."""
        try:
            stated = platforms.export_uploads(read_bytes(folder / platforms.METADATA, _MAX_METADATA_BYTES))
        except Exception as error:  # whatever damaged bytes make the parser raise
            stated, reason = {}, printable(str(error), 120)
            self._pass_over(f"{platforms.METADATA} ({reason}: the folders' names stand for the students)")
        for name in sorted({*folders, *stated}):
            for upload in stated.get(name) or [_plain(name)]:
                problem = None if name in folders else _MISSING
                yield self._placed(replace(upload, problem=problem), folder, name, default)

    def of_class(
        self, folder: Path, folders: list[str], files: list[str], default: _Default
    ) -> tuple[str, list[Upload]]:
        """Return the platform of files and folders of many students, and their uploads."""
        platform, stated = platforms.recognise(folders, files, self.known)
        # A download is of one assignment: the one that most of the names which mention one mention.
        named = [named_in(stem_and_suffix(upload.file)[0], self.known) for upload in stated.values()]
        counts = Counter(filter(None, named))
        majority = next((name for name, count in counts.items() if 2 * count > counts.total()), "")
        default = default if default.assignment else _Default(majority)
        uploads = []
        for name in (*folders, *files):
            upload = stated.get(name) or _plain(name, is_file=name in files)
            stronger = default
            if name in folders and (name not in stated or platform == platforms.GITHUB):
                mentioned = self._of_folder(name.removesuffix(upload.person.login), is_clone=name in stated)
                stronger = default.unless(mentioned)
            uploads.append(self._placed(upload, folder, name, stronger))
        return f"a download of {platform}" if platform else "files and folders named after students", uploads

    def _of_folder(self, name: str, *, is_clone: bool) -> _Default:
        """Return the assignment that a student's folder mentions; it decides if a clone begins with it."""
        exact = equal_to(name.rstrip("-").replace("-", "_"), self.known) if is_clone else None
        return _Default(exact, Evidence.FOLDER) if exact else _Default(named_in(name, self.known) or "")

    def _placed(self, upload: Upload, folder: Path, name: str, default: _Default) -> Upload:
        label = utf8_safe("/".join((*folder.relative_to(self.root).parts, name)))
        return replace(
            upload, path=folder / name, label=label, assignment=default.assignment, evidence=default.evidence
        )

    def _listing(self, folder: Path, *, is_silent: bool = False) -> tuple[list[str], list[str]]:
        """Return the names of folders and files in a folder, without those that nobody handed in."""
        with os.scandir(folder) as listing:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
        folders, files, passed_over = [], [], []
        for name, is_folder in entries:
            if is_folder and all(os.path.lexists(folder / name / file) for file in _RESULT_FILES):
                passed_over += [f"{name} (results of an earlier run)"] if folder / name != self.out else []
            elif is_folder and folder / name != self.out and not is_junk(name):
                folders.append(name)
            elif not is_folder and (_INSTRUCTORS_FILE.fullmatch(name) or _is_backup(name)):
                passed_over.append(name)
            elif not is_folder and not is_junk(name):
                files.append(name)
        for name in [] if is_silent else passed_over:
            self._pass_over(name)
        return folders, files

    def _pass_over(self, name: str) -> None:
        self.passed_over.extend({utf8_safe(name)}.difference(self.passed_over))


def _may_hold_code(upload: Upload) -> bool:
    """Return True for a folder, a readable kind of file, and an upload whose problem the platform states."""
    return bool(upload.problem) or not upload.file or stem_and_suffix(upload.file)[1] in READABLE


def _is_backup(name: str) -> bool:
    """Return True for an editor's copy of code, which the instructor should know of."""
    return name.endswith(tuple(f"{ending}~" for ending in READABLE))


def _plain(name: str, *, is_file: bool = False) -> Upload:
    """Return an upload whose name stands for its student."""
    student = stem_and_suffix(name)[0] if is_file else name
    return Upload(Person(name=utf8_safe(student)), name if is_file else "")
