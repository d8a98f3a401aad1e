"""Who handed in what: finds the submissions in a file or folder, whatever platform it came from. Nothing here reads code.

A folder may hold, side by side: plain files (the student is the file's stem), Canvas's downloads, folders named after
an assignment, folders or clones of one student each, and Gradescope's exports.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.submission import archive, canvas, disk, gradescope
from autograder.submission.canvas import Download
from autograder.submission.choice import CODE, READ, Course, choose, stem, suffix, which_assignment
from autograder.submission.names import printable, utf8_safe
from autograder.submission.records import NothingToGrade, Problem, Refused, SubmissionFile

# How well a submission fits: a later file only replaces one that fits no better.
_NO_CODE, _ANOTHER_ASSIGNMENT, _UNNAMED, _NAMED = range(4)


def find_in_folder(folder: Path, assignment: str | None, known: Sequence[str]) -> list[SubmissionFile]:
    """All submissions in a folder, sorted by assignment and student. Raises NothingToGrade where there is none."""
    if not os.path.isdir(folder):
        fault = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NothingToGrade(f"{_shown(folder)} {fault}: name the folder that holds the submissions.")
    roster = _Roster(folder, Course(tuple(known)), assignment)
    try:
        found = list(_superseded(roster.all()))
    except OSError as error:
        raise NothingToGrade(f"{_shown(folder)} cannot be read: {error.strerror}.") from error
    if all(submission_file.order[0] == _NO_CODE for submission_file in found):
        wanted = f" for {assignment}" if assignment else ""
        raise NothingToGrade(f"{_shown(folder)} holds no submission{wanted}: that is a .py, .ipynb or .zip file.")
    return sorted(found, key=lambda one: (one.assignment, one.student, one.superseded, one.file))


def find_file(path: Path, assignment: str | None, known: Sequence[str]) -> SubmissionFile:
    """The one submission in a file, or in one student's folder. Raises NothingToGrade where there is no such file."""
    if not os.path.lexists(path):
        raise NothingToGrade(f"{_shown(path)} does not exist: name the file to check.")
    path = Path(os.path.abspath(path))
    course = Course(tuple(known))
    roster = _Roster(path.parent, course)
    assignment = assignment or course.equal_to(path.parent.name)
    hint = course.named_in(path.parent.name)
    if os.path.isdir(path) and not os.path.islink(path):
        found = list(roster.students_folder(path, path.name, assignment, hint))
    else:
        found = list(roster.file(path, assignment, hint, canvas.download(path.name)))
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.assignment for one in found)
    problem = Problem(
        f"Your submission holds several assignments ({names}): hand in one file for each.",
        f"{_shown(path)} holds several assignments ({names}): pass --assignment.",
    )
    return replace(found[0], assignment="", member=None, file=utf8_safe(path.name), problem=problem)


@dataclass(frozen=True)
class _Roster:
    """Finds submissions below `root`. Where `only` names an assignment, folders of the others are passed over.

    Below, `assignment` is what a flag or a folder decided, and `hint` what the name of a folder suggests for files that
    say nothing themselves.
    """

    root: Path
    course: Course
    only: str | None = None

    def all(self) -> Iterator[SubmissionFile]:
        name = Path(os.path.abspath(self.root)).name
        listing = disk.entries(self.root)
        folders = [entry.name for entry in listing if entry.is_dir(follow_symlinks=False)]
        if self._is_one_students(listing, folders):
            yield from self.students_folder(self.root, name, self.only, None)
        elif any(map(self.course.equal_to, folders)):
            yield from self.batch(self.root, self.only, None)
        else:
            yield from self.batch(self.root, self.only or self.course.equal_to(name), self.course.named_in(name))

    def batch(self, folder: Path, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        """A folder of many students."""
        if os.path.isfile(folder / gradescope.METADATA):
            yield from self.gradescope_export(folder, assignment, hint)
            return
        files = []
        for entry in disk.entries(folder):
            path = folder / entry.name
            if not entry.is_dir(follow_symlinks=False):
                files.append(path)
                continue
            named = self.course.equal_to(entry.name)
            if os.path.isfile(path / gradescope.METADATA):
                yield from self.gradescope_export(path, assignment or named, self.course.named_in(entry.name) or hint)
            elif named and assignment in (None, self.only):
                if self.only in (None, named):
                    yield from self._inner_batch(path, named)
            else:
                yield from self.students_folder(path, entry.name, assignment, self.course.named_in(entry.name) or hint)
        yield from self._files(files, assignment, hint)

    def _inner_batch(self, folder: Path, assignment: str) -> Iterator[SubmissionFile]:
        try:
            yield from replace(self, only=None).batch(folder, assignment, None)
        except OSError as error:
            yield self._refused(folder, folder.name, assignment, disk.unreadable(error), _UNNAMED)

    def gradescope_export(self, folder: Path, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        notes: tuple[str, ...] = ()
        try:
            said = gradescope.entries(folder)
        except gradescope.Unreadable as error:
            said = {}
            reason = printable(str(error), 120)
            notes = (f"{gradescope.METADATA} cannot be read ({reason}), so the folder's name stands for the student.",)
        there = {entry.name for entry in disk.entries(folder) if entry.is_dir(follow_symlinks=False)}
        for name in sorted(there | said.keys()):
            entry = said.get(name) or gradescope.Entry((), 0.0)
            for student in entry.students or (name,):
                if name not in there:
                    yield self._missing(folder, name, student, assignment or hint)
                    continue
                for submission_file in self.students_folder(folder / name, student, assignment, hint):
                    order = (submission_file.order[0], entry.created or submission_file.order[1], 0)
                    yield replace(submission_file, order=order, notes=submission_file.notes + notes)

    def students_folder(self, folder: Path, student: str, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        """A folder or clone of one student."""
        try:
            files = disk.walk(folder)
        except Refused as refused:
            yield self._refused(folder, student, assignment or hint, refused, _UNNAMED)
            return
        zips = [file for file in files if suffix(file) == ".zip" and self._may_hold(file, assignment)]
        if zips and not any(suffix(file) in CODE for file in files):
            for file in zips:
                yield from self._zip(folder / file, student, assignment, self.course.named_in(stem(file)) or hint)
            return
        without_choice = _ANOTHER_ASSIGNMENT if any(suffix(file) in READ for file in files) else _NO_CODE
        for choice in choose(files, assignment, hint, self.course):
            path = folder / choice.file if choice.file else None
            fit = _UNNAMED if choice.file else without_choice
            label = self._label(path or folder)
            order = (fit, disk.modified(path or folder), 0)
            yield SubmissionFile(utf8_safe(student), choice.assignment, label, path, order=order, problem=choice.problem)

    def file(self, path: Path, assignment: str | None, hint: str | None, download: Download | None) -> Iterator[SubmissionFile]:
        """One file that stands for one student; `download` is what its name says, if Canvas made it."""
        name = download.file if download else path.name
        student = download.student if download else stem(path.name)
        named = self.course.equal_to(stem(name)) or self.course.named_in(stem(name))
        decided = assignment or named or hint
        if suffix(name) == ".zip" and not os.path.islink(path):
            found = self._zip(path, student, assignment, named or hint)
        else:
            problem = None if decided else which_assignment(name, self.course)
            found = iter([SubmissionFile(utf8_safe(student), decided or "", self._label(path), path, problem=problem)])
        for submission_file in found:
            order = (_fit(suffix(name), named, submission_file.assignment), disk.modified(path), 0)
            if download:
                order = (order[0], download.upload, download.attempt)
                late = ("Canvas marks it as late.",) if download.late else ()
                submission_file = replace(submission_file, notes=submission_file.notes + late)
            yield replace(submission_file, order=order)

    def _files(self, paths: list[Path], assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        """Files that stand for one student each."""
        downloads = {path: canvas.download(path.name) for path in paths if not _lies_about(path.name)}
        users: dict[str, set[str]] = defaultdict(set)
        for one in filter(None, downloads.values()):
            users[one.student].add(one.user)
        for path, download in downloads.items():
            if download and len(users[download.student]) > 1:
                namesake = replace(download, student=f"{download.student}_{download.user}")
                yield from self.file(path, assignment, hint, namesake)
            else:
                yield from self.file(path, assignment, hint, download)

    def _zip(self, path: Path, student: str, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        order = (_UNNAMED, disk.modified(path), 0)
        try:
            choices = choose(archive.names(disk.read(path)), assignment, hint, self.course)
        except Refused as refused:
            yield self._refused(path, student, assignment or hint, refused, _UNNAMED)
            return
        for choice in choices:
            label = self._label(path) + (f"!{utf8_safe(choice.file)}" if choice.file else "")
            member = choice.file or None
            yield SubmissionFile(utf8_safe(student), choice.assignment, label, path, member, order, problem=choice.problem)

    def _may_hold(self, file: str, assignment: str | None) -> bool:
        return assignment is None or self.course.named_in(stem(file)) in (None, assignment)

    def _is_one_students(self, listing: list[os.DirEntry[str]], folders: list[str]) -> bool:
        """Whether the folder is itself one student's: a clone of the handout, or files all named after assignments."""
        if "assignments" in folders:
            return any(os.path.isdir(self.root / "assignments" / known) for known in self.course.assignments)
        code = [entry.name for entry in listing if suffix(entry.name) in READ]
        return bool(code) and not folders and all(self.course.equal_to(stem(name)) for name in code)

    def _refused(self, path: Path, student: str, assignment: str | None, refused: Refused, fit: int) -> SubmissionFile:
        order = (fit, disk.modified(path), 0)
        file = path if os.path.isfile(path) and not os.path.islink(path) else None
        problem = refused.problem
        return SubmissionFile(utf8_safe(student), assignment or "", self._label(path), file, order=order, problem=problem)

    def _missing(self, export: Path, name: str, student: str, assignment: str | None) -> SubmissionFile:
        problem = Problem(
            "Your files are missing from what your instructor downloaded: there is nothing you need to do.",
            f"The export lists {printable(name)} but holds no such folder: download it again.",
        )
        label = utf8_safe(name) if export == self.root else f"{self._label(export)}/{utf8_safe(name)}"
        order = (_NO_CODE, 0.0, 0)
        return SubmissionFile(utf8_safe(student), assignment or "", label, None, order=order, problem=problem)

    def _label(self, path: Path) -> str:
        relative = path.relative_to(self.root).as_posix()
        return utf8_safe(path.name if relative == "." else relative)


def _fit(ending: str, named: str | None, assignment: str) -> int:
    if ending not in READ:
        return _NO_CODE
    if named is None:
        return _UNNAMED
    return _NAMED if named == assignment else _ANOTHER_ASSIGNMENT


def _lies_about(name: str) -> bool:
    """Whether this is a file of many folders that nobody hands in."""
    return stem(name).casefold() in ("readme", "license") and suffix(name) not in READ


def _superseded(found: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
    """The same submissions; where one student has several for an assignment, all but one are marked."""
    groups = defaultdict(list)
    for submission_file in found:
        groups[submission_file.student, submission_file.assignment].append(submission_file)
    for (_, assignment), group in groups.items():
        if not assignment or len(group) == 1:
            yield from group
            continue
        group.sort(key=lambda one: (one.order, one.file))
        *earlier, counted = group
        notes = tuple(f"{printable(one.file)} was handed in as well and is superseded." for one in earlier)
        yield replace(counted, notes=counted.notes + notes)
        for one in earlier:
            yield replace(one, superseded=True, problem=_superseded_by(counted))


def _superseded_by(counted: SubmissionFile) -> Problem:
    file, assignment = printable(counted.file), counted.assignment
    return Problem(
        f"This file was not graded, because {file} counts for {assignment}: hand in again only if that is wrong.",
        f"This file is superseded: {file} of the same student counts for {assignment}.",
    )


def _shown(path: Path) -> str:
    return printable(str(path), 200)
