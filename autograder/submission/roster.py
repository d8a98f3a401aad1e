"""Who handed in what: finds the submissions in a file or folder, whatever platform it came from. Nothing here reads code.

A folder may hold, side by side: plain files (the student is the file's stem), downloads of Canvas, Moodle and Blackboard, folders named after
an assignment, and folders or clones of one student each. A folder may be Gradescope's export, or hold nothing but exports.

The layout is read from names at the top, which platforms and instructors make. What lies inside a student's folder decides
about that student alone: it changes how nobody else's files are read, and makes no row for anybody else.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.submission import archive, blackboard, canvas, disk, gradescope, moodle
from autograder.submission.canvas import Download
from autograder.submission.choice import CODE, READ, Choice, Course, choose, is_given_notebook, stem, suffix, which_assignment
from autograder.submission.names import printable, utf8_safe
from autograder.submission.records import NothingToGrade, Problem, Refused, Rival, SubmissionFile, unexpected

# How well a submission fits: a later file only replaces one that fits no better.
_NO_CODE, _ANOTHER_ASSIGNMENT, _UNNAMED, _NAMED = range(4)

_HANDOUT = {"assignments", "course", ".github", "autograder", "tests"}
"""the folders of a clone"""

_STRAY_METADATA = f"{gradescope.METADATA} in a student's folder says nothing about anybody: an export is graded where it lies alone."


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
        submission = roster.students_folder(path, path.name, assignment, hint)
    else:
        submission = roster.file(path, assignment, hint, _download(path.name))
    found = list(roster.guarded(path, assignment, submission))
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.assignment for one in found)
    problem = Problem(
        f"Your submission holds several assignments ({names}): hand in one file for each.",
        f"{_shown(path)} holds several assignments ({names}): say which with --assignment NAME (make: ASSIGNMENT=NAME).",
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
        if self._is_one_students(disk.entries(self.root)):
            yield from self.students_folder(self.root, name, self.only, None)
        else:
            yield from self.batch(self.root, self.only or self.course.equal_to(name), self.course.named_in(name))

    def batch(self, folder: Path, assignment: str | None, hint: str | None, of_one: bool = False, exports: bool = True) -> Iterator[SubmissionFile]:
        """A folder of many students; `of_one` assignment, where folders named after assignments are students' own.

        `exports` says whether there may be exports of Gradescope in it.
        """
        listing = disk.entries(folder)
        if exports and gradescope.is_export(listing):
            yield from self.gradescope_export(folder, assignment, hint)
            return
        files = [folder / entry.name for entry in listing if not entry.is_dir(follow_symlinks=False)]
        folders = [entry.name for entry in listing if entry.is_dir(follow_symlinks=False)]
        named = {} if of_one else {name: self.course.equal_to(name) for name in folders if self.course.equal_to(name)}
        exported = {name for name in folders if exports and _is_export(folder / name)}
        # Whose a file or folder beside them is, nobody can tell: it may be a student who has put metadata into it.
        if any(suffix(path.name) in READ for path in files) or not exported | named.keys() >= set(folders):
            exported = set()
        students = {name for name in folders if name not in named}.union(*(_may_be(path.name) for path in files))
        owners = _students(name for name in folders if name not in named)
        for name in folders:
            path, own = folder / name, named.get(name)
            if name in exported:
                found = self.gradescope_export(path, assignment or own, self.course.named_in(name) or hint)
            elif own is not None:
                found = self._of_assignment(path, own, students) if self.only in (None, own) else iter(())
            else:
                found = self.students_folder(path, owners[name], assignment, self.course.named_in(name) or hint)
            yield from self.guarded(path, assignment or own, found)
        yield from self._files(files, assignment, hint, {name for name in folders if name not in named})

    def _of_assignment(self, folder: Path, assignment: str, elsewhere: Collection[str]) -> Iterator[SubmissionFile]:
        """A folder named after an assignment. Who has a file or folder of their own beside it is not one of those in it."""
        for submission_file in replace(self, only=None).batch(folder, assignment, None, of_one=True, exports=not elsewhere):
            if submission_file.student in elsewhere:
                note = f"A student named {printable(submission_file.student)} has something of their own beside {printable(folder.name)}."
                student = f"{utf8_safe(folder.name)}/{submission_file.student}"
                submission_file = replace(submission_file, student=student, notes=(*submission_file.notes, note))
            yield submission_file

    def guarded(self, path: Path, assignment: str | None, found: Iterator[SubmissionFile]) -> Iterator[SubmissionFile]:
        """What is found; where looking for it raises, that is one row."""
        try:
            yield from found
        except OSError as error:
            yield self._refused(path, path.name, assignment, disk.unreadable(error), _UNNAMED)
        except Exception as error:
            yield self._refused(path, path.name, assignment, unexpected(error), _UNNAMED)

    def gradescope_export(self, folder: Path, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        there = {entry.name for entry in disk.entries(folder) if entry.is_dir(follow_symlinks=False)}
        notes: tuple[str, ...] = ()
        try:
            said = gradescope.entries(folder)
            if not there & said.keys():
                raise gradescope.Unreadable("it names none of the folders")
        except gradescope.Unreadable as error:
            said = {}
            reason = printable(str(error), 120)
            notes = (f"{gradescope.METADATA} cannot be read ({reason}), so the folder's name stands for the student.",)
        for name in sorted(there | said.keys()):
            entry = said.get(name) or gradescope.Entry((), 0.0)
            for student in entry.students or (name,):
                if name not in there:
                    yield self._missing(folder, name, student, assignment or hint)
                    continue
                found = self.students_folder(folder / name, student, assignment, hint)
                for submission_file in self.guarded(folder / name, assignment or hint, found):
                    order = (submission_file.order[0], entry.created or submission_file.order[1], 0)
                    yield replace(
                        submission_file,
                        student=utf8_safe(student),
                        order=order,
                        handed_in=entry.created,
                        notes=submission_file.notes + notes,
                    )

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
        notes = (_STRAY_METADATA,) if gradescope.METADATA in files else ()
        for choice in choose(files, assignment, hint, self.course):
            path = folder / choice.file if choice.file else None
            fit = _UNNAMED if choice.file else without_choice
            rivals = tuple(Rival(self._label(folder / file), folder / file, None, self._is_named(file, choice)) for file in choice.rivals)
            yield SubmissionFile(
                utf8_safe(student),
                choice.assignment,
                self._label(path or folder),
                path,
                order=(fit, disk.modified(path or folder), 0),
                notes=notes,
                problem=choice.problem,
                rivals=rivals,
            )

    def file(self, path: Path, assignment: str | None, hint: str | None, download: Download | None) -> Iterator[SubmissionFile]:
        """One file that stands for one student; `download` is what its name says, if a platform made it."""
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
                submission_file = replace(submission_file, handed_in=download.handed_in)
                late = ("Canvas marks it as late.",) if download.late else ()
                submission_file = replace(submission_file, notes=submission_file.notes + late)
            yield replace(submission_file, order=order)

    def _files(self, paths: list[Path], assignment: str | None, hint: str | None, folders: set[str]) -> Iterator[SubmissionFile]:
        """Files that stand for one student each. Who has a plain file or a folder is nobody whose name a platform would have given."""
        downloads = {path: _download(path.name) for path in paths if not _lies_about(path.name)}
        downloads = {path: one for path, one in downloads.items() if one is None or one.file}
        plain = folders | {stem(path.name) for path, one in downloads.items() if one is None}
        downloads = {path: one if one is None or one.student not in plain else None for path, one in downloads.items()}
        users: dict[str, set[str]] = defaultdict(set)
        for one in filter(None, downloads.values()):
            users[one.student].add(one.user)
        for path, download in downloads.items():
            if download and len(users[download.student]) > 1:
                download = replace(download, student=f"{download.student}_{download.user}")
            yield from self.guarded(path, assignment or hint, self.file(path, assignment, hint, download))

    def _zip(self, path: Path, student: str, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        order = (_UNNAMED, disk.modified(path), 0)
        try:
            choices = choose(archive.names(disk.read(path)), assignment, hint, self.course)
        except Refused as refused:
            yield self._refused(path, student, assignment or hint, refused, _UNNAMED)
            return
        for choice in choices:
            inside = f"{self._label(path)}!"
            label = inside + utf8_safe(choice.file) if choice.file else self._label(path)
            rivals = tuple(Rival(inside + utf8_safe(file), path, file, self._is_named(file, choice)) for file in choice.rivals)
            yield SubmissionFile(
                utf8_safe(student), choice.assignment, label, path, choice.file or None, order, problem=choice.problem, rivals=rivals
            )

    def _may_hold(self, file: str, assignment: str | None) -> bool:
        return assignment is None or self.course.named_in(stem(file)) in (None, assignment)

    def _is_named(self, file: str, choice: Choice) -> bool:
        return self.course.named_by(file) == choice.assignment and not is_given_notebook(file)

    def _is_one_students(self, listing: list[os.DirEntry[str]]) -> bool:
        """Whether the folder is itself one student's: a clone of the handout, or files all named after assignments.

        Of a clone more than one thing must be there, and nothing that could be another student's.
        """
        folders = {entry.name for entry in listing if entry.is_dir(follow_symlinks=False)}
        code = [entry.name for entry in listing if entry.name not in folders and suffix(entry.name) in READ]
        if not all(self.course.equal_to(stem(name)) for name in code):
            return False
        if not folders:
            return bool(code)
        lessons = any(os.path.isdir(self.root / "assignments" / known) for known in self.course.assignments)
        return lessons and os.path.isdir(self.root / "tests" / "public") and folders <= _HANDOUT

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


def _download(name: str) -> Download | None:
    """What a file name says, where a platform made it."""
    return moodle.download(name) or blackboard.download(name) or canvas.download(name)


def _students(folders: Iterable[str]) -> dict[str, str]:
    """Whose each folder is: the folder's name, or what Moodle says with it."""
    said = {name: moodle.folder(name) for name in folders}
    users: dict[str, set[str]] = defaultdict(set)
    for one in filter(None, said.values()):
        users[one.student].add(one.user)
    plain = {name for name, one in said.items() if one is None}
    unsure = {student for student, ids in users.items() if len(ids) > 1} | plain
    return {name: name if one is None else f"{one.student}_{one.user}" if one.student in unsure else one.student for name, one in said.items()}


def _may_be(file: str) -> set[str]:
    """Whose a file may be, by its name."""
    download = _download(file)
    return {stem(file)} | ({download.student, f"{download.student}_{download.user}"} if download else set())


def _is_export(folder: Path) -> bool:
    if not os.path.lexists(folder / gradescope.METADATA):
        return False
    try:
        return gradescope.is_export(disk.entries(folder))
    except OSError:
        return False


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
            yield replace(one, superseded=True, problem=_superseded_by(counted), rivals=())


def _superseded_by(counted: SubmissionFile) -> Problem:
    file, assignment = printable(counted.file), counted.assignment
    return Problem(
        f"This file was not graded, because {file} counts for {assignment}: hand in again only if that is wrong.",
        f"This file is superseded: {file} of the same student counts for {assignment}.",
    )


def _shown(path: Path) -> str:
    return printable(str(path), 200)
