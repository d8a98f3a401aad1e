"""Uploads of each student in the download of a whole class.

Platforms and instructors choose the names at the top level of a folder, and these determine its layout: a Gradescope
export, folders of assignments or exports, or files and folders of many students. Nothing inside a student's folder
affects the layout, and no student files are read here.
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
from autograder.submission.assignment_mentions import Mention, mention, name_besides_assignment
from autograder.submission.bounded_reading import MIB, READABLE_SUFFIXES, is_junk, read_bytes
from autograder.submission.records import Person, Problem, UngradablePathError, Upload
from autograder.submission.untrusted_names import printable, stem_and_suffix, utf8_safe

_NOT_SUBMITTED_FILE = re.compile(  # tables, pages and editors' backup copies next to submissions
    r"(readme|license|index|grades|roster|gradebook|notes)(\.(md|txt|html?))?|.+(\.(csv|xlsx?|ods|sqlite|lock)|~)", re.I
)
_RESULTS_FOLDER_FILES = ("gradebook.sqlite", "grades.csv")
_GRADESCOPE_EXPORT_NAME = re.compile(r"assignment_\d+_export")
_SUBMISSIONS_FOLDER_NAME = re.compile(r"(.*-)?submissions", re.IGNORECASE)
_MAX_FOLDERS_ABOVE_FILE = 3  # those of a student, an assignment and a download
_MAX_METADATA_BYTES = 64 * MIB

_MISSING_FROM_EXPORT = Problem(
    "The export lists these files but does not contain them: your instructor must download it again."
)


class Download(NamedTuple):
    """The content of a folder: its layout, each student's uploads, and files that belong to no student."""

    layout: str
    students: tuple[tuple[Upload, ...], ...]
    ignored_files: tuple[str, ...]


def find_in_folder(
    folder: Path, assignment: str | None, assignments: Sequence[str], out: Path | None = None, prefix: str = ""
) -> Download:
    """Return all uploads in a folder. Raise UngradablePathError if there are none.

    The results folder `out` must not already exist inside this folder, because a student could have put it there with a
    forged gradebook. Every file's label begins with `prefix`, since another folder can contain the same name.
    """
    shown = printable(str(folder), 200)
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise UngradablePathError(f"{shown} {fault}: unpack what you downloaded, and name the folder.")
    if out is not None and os.path.lexists(out) and out.resolve().is_relative_to(folder.resolve()):
        why = f"{printable(str(out), 200)} is among the submissions in {shown}, where a student could have put it"
        raise UngradablePathError(f"{why}: move your results to another folder, and name it with --out.")
    root = Path(os.path.abspath(folder))
    finder = _Finder(root, [root.name], assignments, assignment, prefix)
    try:
        layout, uploads = finder.read(root)
    except OSError as error:
        raise UngradablePathError(f"{shown} cannot be read: {error.strerror}.") from error
    if not any(
        upload.problem or not upload.file or stem_and_suffix(upload.file)[1] in READABLE_SUFFIXES for upload in uploads
    ):
        expected = f" for {assignment}" if assignment else ""
        raise UngradablePathError(f"{shown} contains no submission{expected}: no .py, .ipynb or .zip file.")
    ignored_files = dict.fromkeys(utf8_safe(f"{prefix}{name}") for name in finder.ignored_files)
    return Download(layout, _by_person_and_assignment(uploads), tuple(ignored_files))


def find_upload_at_path(path: Path, assignment: str | None, assignments: Sequence[str]) -> tuple[Upload, ...]:
    """Return the upload at one path, with facts from the names of neighbouring files and enclosing folders.

    Raise UngradablePathError if the path does not exist.
    """
    if not os.path.lexists(path):
        raise UngradablePathError(f"{printable(str(path), 200)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    around = [folder.name for folder in reversed(path.parents[:_MAX_FOLDERS_ABOVE_FILE])]
    finder = _Finder(path.parent, around, assignments, assignment)
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    folders, files = ([path.name], []) if is_folder else ([], finder.names_in_same_folder(path))
    uploads = finder.read_entry_per_student(path.parent, folders, files)[1]
    (group,) = _by_person_and_assignment([upload for upload in uploads if upload.path == path])
    return group


@dataclass(frozen=True)
class _Finder:
    """A finder of the uploads below `root`."""

    root: Path
    around: Sequence[str]  # names of `root` and its enclosing folders, which can mention the assignment
    assignments: Sequence[str]
    flag: str | None  # the only assignment to grade; folders of other assignments are ignored
    prefix: str = ""
    ignored_files: list[str] = field(default_factory=list)

    def read(self, folder: Path, *, is_assignment_folder: bool = False) -> tuple[str, list[Upload]]:
        """Return a folder's layout and the uploads in it.

        Folders of assignments (or exports) determine the layout unless most entries are of other kinds, so a single
        student's entry never changes a class's layout. Inside an assignment's folder, a folder whose name mentions an
        assignment belongs to a student.
        """
        folders, files = self._submitted_entries(folder)
        if platforms.is_gradescope_export(folders, files):
            return "a Gradescope export", self._of_gradescope_export(folder, folders)
        if self._holds_only_class_downloads(folder, folders, files):
            found = [self.read(folder / name) for name in folders]
            layouts = dict.fromkeys(layout for layout, _ in found)
            return " and ".join(layouts), [upload for _, uploads in found for upload in uploads]
        left_out = left_out_lessons()
        mentions = {name: mention(name, {*self.assignments, *left_out}) for name in folders if not is_assignment_folder}
        lessons = {name: found.assignment for name, found in mentions.items() if found.is_exact}
        if folder == self.root and len(folders) == 1 and not files and not lessons:
            self._refuse_class_download_inside(folder / folders[0])
        lessons |= {name: "" for name in folders if _GRADESCOPE_EXPORT_NAME.fullmatch(name)}
        others = [name for name in folders if name not in lessons]
        if not lessons or len(lessons) < len(others) + len(files):
            return self.read_entry_per_student(folder, folders, files)
        uploads: list[Upload] = []
        for name, assignment in lessons.items():
            if assignment in left_out:
                self.ignored_files.append(f"{name} (left out this term)")
            elif self.flag is None or assignment in ("", self.flag):
                uploads += self.read(folder / name, is_assignment_folder=True)[1]
        for upload in self.read_entry_per_student(folder, others, files)[1]:
            # This might not be the person with the same name inside the folders.
            person = replace(upload.person, name=f"{upload.person.name}, beside the folders")
            uploads.append(replace(upload, person=person))
        return "folders of assignments", uploads

    def _holds_only_class_downloads(self, folder: Path, folders: list[str], files: list[str]) -> bool:
        """Return True if a folder contains only whole downloads and their zips, and no repository clones.

        Archive tools name the inner folder after the outer one; Canvas and GitHub's command line name it "submissions".
        """
        repeats = [name.casefold() for name in folders] == [folder.name.casefold()]
        is_named_so = repeats or (bool(folders) and all(map(_SUBMISSIONS_FOLDER_NAME.fullmatch, folders)))
        has_clone = any(os.path.lexists(folder / name / ".git") for name in folders)
        if not is_named_so or has_clone or not {f"{name}.zip" for name in folders}.issuperset(files):
            return False
        self.ignored_files.extend(f"{name} (the folder with that name was read)" for name in files)
        return True

    def _refuse_class_download_inside(self, folder: Path) -> None:
        """Raise UngradablePathError if the only folder contains a class, which would be taken for a single student."""
        for _ in range(_MAX_FOLDERS_ABOVE_FILE):
            folders, files = self._submitted_entries(folder)
            if os.path.lexists(folder / ".git"):
                return
            if platform := platforms.class_download_platform(folders, files):
                shown, name = (printable(str(path), 200) for path in (self.root, folder.relative_to(self.root)))
                where = f"{shown} contains a download from {platform} further down"
                raise UngradablePathError(f"{where}: grade the folder {name} by itself.")
            if len(folders) != 1 or files:
                return
            folder /= folders[0]

    def _of_gradescope_export(self, folder: Path, folders: list[str]) -> list[Upload]:
        """Return the uploads in Gradescope's folders. Several people can share one folder."""
        try:
            stated = platforms.export_uploads(read_bytes(folder / platforms.METADATA, _MAX_METADATA_BYTES))
        except Exception as error:  # damaged bytes can raise any exception in the parser
            stated, reason = {}, printable(str(error), 120)
            self.ignored_files.append(f"{platforms.METADATA} ({reason}: the folder names identify the students)")
        uploads = {name: stated.get(name) or [self._plain_folder(name)] for name in sorted({*folders, *stated})}
        missing = uploads.keys() - {*folders}
        return [
            replace(
                self._with_path_and_assignment(upload, folder, name),
                problem=_MISSING_FROM_EXPORT if name in missing else None,
            )
            for name, owners in uploads.items()
            for upload in owners
        ]

    def read_entry_per_student(self, folder: Path, folders: list[str], files: list[str]) -> tuple[str, list[Upload]]:
        """Return the layout of many students' files and folders, and each entry's upload."""
        platform, stated = platforms.recognise_by_names(folders, files, self.assignments)
        # A download belongs to one assignment: the one that most names mention.
        named = [mention(stem_and_suffix(upload.file)[0], self.assignments).assignment for upload in stated.values()]
        counts = Counter(filter(None, named))
        majority_assignment = next((name for name, count in counts.items() if 2 * count > counts.total()), "")
        uploads = {name: self._plain_folder(name) for name in folders} | {
            name: _upload_named_after_student(name) for name in files
        }
        placed = [
            self._with_path_and_assignment(one, folder, name, majority_assignment)
            for name, one in (uploads | stated).items()
        ]
        return f"a download from {platform}" if platform else "files and folders named after students", placed

    def _plain_folder(self, name: str) -> Upload:
        """Return the upload of a folder whose name identifies the student and can mention an assignment."""
        return Upload(Person(name=utf8_safe(name)), assignment=mention(name, self.assignments).assignment)

    def _with_path_and_assignment(
        self, upload: Upload, folder: Path, name: str, majority_assignment: str = ""
    ) -> Upload:
        """Return an upload with its path and with the assignment that it or an enclosing folder mentions."""
        inside = folder.relative_to(self.root).parts
        around = [mention(outer, self.assignments) for outer in (*self.around, *inside)]
        mentions = [Mention(upload.assignment, upload.is_decided), *reversed(around), Mention(majority_assignment)]
        assignment, is_decided = max(
            mentions, key=lambda mention: mention.strength
        )  # the nearest of the strongest mentions
        if self.flag:
            assignment, is_decided = self.flag, True
        person = upload.person
        if upload.file and not person.platform:  # the file's name identifies the person and can mention the assignment
            mentioned = assignment if is_decided else mention(person.name, self.assignments).assignment
            person = replace(person, name=name_besides_assignment(person.name, mentioned))
        label = utf8_safe(self.prefix + "/".join((*inside, name)))
        placed = replace(upload, person=person, assignment=assignment, is_decided=is_decided)
        return replace(placed, path=folder / name, label=label)

    def names_in_same_folder(self, path: Path) -> list[str]:
        """Return the names of a file and its neighbours, which can reveal the platform."""
        try:
            return sorted({path.name, *self._submitted_entries(path.parent)[1]})
        except OSError:  # no permission to list the folder
            return [path.name]

    def _submitted_entries(self, folder: Path) -> tuple[list[str], list[str]]:
        """Return the names of the folders and files in a folder, except those that no student submitted."""
        with os.scandir(folder) as listing:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
        folders, files = list[str](), list[str]()
        for name, is_folder in entries:
            if is_folder and all(os.path.lexists(folder / name / file) for file in _RESULTS_FOLDER_FILES):
                self.ignored_files.append(f"{name} (results of an earlier run)")
            elif not is_folder and _NOT_SUBMITTED_FILE.fullmatch(name):
                self.ignored_files.append(name)
            elif not is_junk(name):
                (folders if is_folder else files).append(name)
        return folders, files


def _upload_named_after_student(name: str) -> Upload:
    """Return the upload of a file whose name, without a browser's copy number, identifies the student.

    Google Forms adds the student's name to the name of the file, as in `rope (1) - Ada Lovelace.py`.
    """
    student = re.sub(r"(?<=.) ?\(\d{1,3}\)(?= - |$)", "", stem_and_suffix(name)[0])
    return Upload(Person(name=utf8_safe(student)), name)


def _by_person_and_assignment(uploads: Iterable[Upload]) -> tuple[tuple[Upload, ...], ...]:
    """Return the uploads grouped by person and decided assignment, with each group in order.

    A number, address or login identifies a person, whereas a name is only a label. If several people share a label,
    their numbers are appended to it.
    """
    people: dict[str, Person] = {}
    groups: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    for upload in sorted(uploads, key=lambda upload: (upload.attempt, upload.version)):
        person = people.setdefault(upload.person.key, upload.person)
        groups[person.key, upload.assignment if upload.is_decided else ""].append(upload)
    times = Counter(person.email_sid_or_name for person in people.values())
    students = []
    for (key, _), group in groups.items():
        person = people[key]
        number = person.number or person.sid or person.login
        student = (
            f"{person.email_sid_or_name}_{number}"
            if times[person.email_sid_or_name] > 1 and number
            else person.email_sid_or_name
        )
        students.append(tuple(replace(upload, person=person, student=student) for upload in group))
    return tuple(sorted(students, key=lambda group: (group[0].student, group[0].person.key)))
