"""Who handed in what: finds the submissions in a file or folder, whatever platform it came from. Nothing here reads code.

A folder may hold, side by side: plain files (the student is the file's stem), downloads of Canvas, Moodle and Blackboard, folders named after
an assignment, and folders or clones of one student each. A folder may be Gradescope's export, or hold nothing but exports.

The layout is read from names at the top, which platforms and instructors make. What lies inside a student's folder decides
about that student alone: it changes how nobody else's files are read, and makes no row for anybody else.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.submission import archive, disk, gradescope, platforms
from autograder.submission.choice import CODE, READ, Choice, Course, NamedFile, choose, stem, suffix, which_assignment
from autograder.submission.names import printable, utf8_safe
from autograder.submission.platforms import Download
from autograder.submission.records import Candidate, NothingToGrade, Problem, SubmissionFile, problem_of

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
        submission = roster.file(path, assignment, hint, platforms.download(path.name))
    found = list(roster.guarded(path, path.name, assignment, submission))
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.assignment for one in found)
    problem = Problem(
        f"Your submission holds several assignments ({names}): hand in one file for each.",
        f"{_shown(path)} holds several assignments ({names}): say which with --assignment NAME (make: ASSIGNMENT=NAME).",
    )
    return replace(found[0], assignment="", path=None, candidates=(), file=utf8_safe(path.name), problem=problem)


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
        if self._is_one_students(*disk.listing(self.root)):
            yield from self.guarded(self.root, name, self.only, self.students_folder(self.root, name, self.only, None))
        else:
            yield from self.batch(self.root, self.only or self.course.equal_to(name), self.course.named_in(name))

    def batch(self, folder: Path, assignment: str | None, hint: str | None, of_one: bool = False, exports: bool = True) -> Iterator[SubmissionFile]:
        """A folder of many students; `of_one` assignment, where folders named after assignments are students' own.

        `exports` says whether there may be exports of Gradescope in it.
        """
        folders, files = disk.listing(folder)
        if exports and gradescope.is_export(folders, files):
            yield from self.gradescope_export(folder, assignment, hint)
            return
        named = {} if of_one else self.course.among(folders)
        exported = _exports(folder, folders, {*named}, files) if exports else set()
        owners = _owners({*folders} - {*named})
        elsewhere = owners.keys() | _may_be(files)
        for name in folders:
            path, decided, closer = folder / name, assignment or named.get(name), self.course.named_in(name) or hint
            if name in exported:
                found = self.gradescope_export(path, decided, closer)
            elif name in named:
                found = self._of_assignment(path, named[name], elsewhere)
            else:
                found = self.students_folder(path, owners[name], assignment, closer)
            yield from self.guarded(path, owners.get(name, name), decided, found)
        for name, download in _downloads(files, {*owners}).items():
            yield from self.guarded(folder / name, name, assignment or hint, self.file(folder / name, assignment, hint, download))

    def _of_assignment(self, folder: Path, assignment: str, elsewhere: Collection[str]) -> Iterator[SubmissionFile]:
        """A folder named after an assignment. Who has a file or folder of their own beside it is not one of those in it."""
        if self.only not in (None, assignment):
            return
        for submission_file in self.batch(folder, assignment, None, of_one=True, exports=not elsewhere):
            if submission_file.student in elsewhere:
                note = f"A student named {printable(submission_file.student)} has something of their own beside {printable(folder.name)}."
                student = f"{utf8_safe(folder.name)}/{submission_file.student}"
                submission_file = replace(submission_file, student=student, notes=(*submission_file.notes, note))
            yield submission_file

    def guarded(self, path: Path, student: str, assignment: str | None, found: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
        """What is found; where looking for it raises, that is one row."""
        try:
            yield from found
        except Exception as error:
            file = path if os.path.isfile(path) and not os.path.islink(path) else None
            order = (_UNNAMED, disk.modified(path), 0)
            yield SubmissionFile(utf8_safe(student), assignment or "", self._label(path), path=file, order=order, problem=problem_of(error))

    def gradescope_export(self, folder: Path, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        there, _ = disk.listing(folder)
        entries, notes = _metadata(folder, there)
        for name in sorted({*there, *entries}):
            path, entry = folder / name, entries.get(name, gradescope.Entry())
            for student in entry.students or (name,):
                if name in there:
                    found = self.guarded(path, student, assignment or hint, self.students_folder(path, student, assignment, hint))
                else:
                    found = iter([self._missing(folder, name, student, assignment or hint)])
                for one in found:
                    order = (one.order[0], entry.created or one.order[1], 0)
                    yield replace(one, order=order, handed_in=entry.created, notes=one.notes + notes)

    def students_folder(self, folder: Path, student: str, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        """A folder or clone of one student."""
        files = disk.walk(folder)
        endings = set(map(suffix, files))
        zips = self._zips(files, assignment) if endings.isdisjoint(CODE) else {}
        for file, named in zips.items():
            yield from self._zip(folder / file, student, assignment, named or hint)
        if zips:
            return
        without_choice = _NO_CODE if endings.isdisjoint(READ) else _ANOTHER_ASSIGNMENT
        notes = (_STRAY_METADATA,) if gradescope.METADATA in files else ()
        for choice in choose(files, assignment, hint, self.course):
            fit = _UNNAMED if choice.problem is None else without_choice
            yield replace(self._chosen(folder, choice, student, fit), notes=notes)

    def _zips(self, files: list[str], assignment: str | None) -> dict[str, str | None]:
        """The zips that may hold an assignment, each with the one that its name speaks of."""
        zips = {file: self.course.named_in(stem(file)) for file in files if suffix(file) == ".zip"}
        return {file: named for file, named in zips.items() if assignment is None or named in (None, assignment)}

    def file(self, path: Path, assignment: str | None, hint: str | None, download: Download | None) -> Iterator[SubmissionFile]:
        """One file that stands for one student; `download` is what its name says, if a platform made it."""
        own = download or Download("", stem(path.name), "", path.name, upload=disk.modified(path))
        named = self.course.named_in(stem(own.file))
        if suffix(own.file) == ".zip" and not os.path.islink(path):
            found = self._zip(path, own.student, assignment, named or hint)
        else:
            found = iter([self._plain(path, own, assignment or named or hint)])
        late = (f"{own.platform} marks it as late.",) if own.late else ()
        for one in found:
            fit = _fit(suffix(own.file), named, one.assignment)
            yield replace(one, order=(fit, own.upload, own.attempt), handed_in=own.handed_in, notes=one.notes + late)

    def _plain(self, path: Path, own: Download, assignment: str | None) -> SubmissionFile:
        """A file that is no zip."""
        student, label = utf8_safe(own.student), self._label(path)
        if assignment is None:
            return SubmissionFile(student, "", label, path=path, problem=which_assignment(own.file, self.course))
        return SubmissionFile(student, assignment, label, path=path, candidates=(Candidate(label, path),))

    def _zip(self, path: Path, student: str, assignment: str | None, hint: str | None) -> Iterator[SubmissionFile]:
        def found() -> Iterator[SubmissionFile]:
            for choice in choose(archive.names(disk.read(path)), assignment, hint, self.course):
                yield self._chosen(path, choice, student, _UNNAMED, zipped=True)

        return self.guarded(path, student, assignment or hint, found())

    def _chosen(self, base: Path, choice: Choice, student: str, fit: int, zipped: bool = False) -> SubmissionFile:
        """What was chosen from a folder or zip of one student."""

        def candidate(one: NamedFile) -> Candidate:
            path, member = (base, one.file) if zipped else (base / one.file, None)
            return Candidate(self._label(path, member), path, member, one.is_named)

        candidates = tuple(map(candidate, choice.files))
        label, path = (candidates[0].file, candidates[0].path) if choice.problem is None else (self._label(base), base if zipped else None)
        return SubmissionFile(
            utf8_safe(student),
            choice.assignment,
            label,
            path=path,
            candidates=candidates,
            order=(fit, disk.modified(path or base), 0),
            problem=choice.problem,
        )

    def _is_one_students(self, folders: list[str], files: list[str]) -> bool:
        """Whether the folder is itself one student's: a clone of the handout, or files all named after assignments.

        Of a clone more than one thing must be there, and nothing that could be another student's.
        """
        code = [name for name in files if suffix(name) in READ]
        if not all(self.course.equal_to(stem(name)) for name in code):
            return False
        if not folders:
            return bool(code)
        lessons = any(os.path.isdir(self.root / "assignments" / known) for known in self.course.assignments)
        return lessons and os.path.isdir(self.root / "tests" / "public") and _HANDOUT.issuperset(folders)

    def _missing(self, export: Path, name: str, student: str, assignment: str | None) -> SubmissionFile:
        problem = Problem(
            "Your files are missing from what your instructor downloaded: there is nothing you need to do.",
            f"The export lists {printable(name)} but holds no such folder: download it again.",
        )
        label = utf8_safe(name) if export == self.root else f"{self._label(export)}/{utf8_safe(name)}"
        return SubmissionFile(utf8_safe(student), assignment or "", label, path=None, order=(_NO_CODE, 0.0, 0), problem=problem)

    def _label(self, path: Path, member: str | None = None) -> str:
        relative = path.relative_to(self.root).as_posix()
        return utf8_safe((path.name if relative == "." else relative) + (f"!{member}" if member else ""))


def _fit(ending: str, named: str | None, assignment: str) -> int:
    if ending not in READ:
        return _NO_CODE
    if named is None:
        return _UNNAMED
    return _NAMED if named == assignment else _ANOTHER_ASSIGNMENT


def _told_apart(downloads: dict[str, Download], others: Collection[str] = ()) -> dict[str, Download]:
    """The same; a name that several students have, or one of the others, goes with what tells these students apart."""
    users: dict[str, set[str]] = defaultdict(set)
    for one in downloads.values():
        users[one.student].add(one.user)
    unsure = {student for student, of_one_name in users.items() if len(of_one_name) > 1 or student in others}
    return {name: replace(one, student=f"{one.student}_{one.user}") if one.student in unsure else one for name, one in downloads.items()}


def _owners(folders: set[str]) -> dict[str, str]:
    """Whose each folder is: the folder's name, or what a platform says with it."""
    downloads = {name: one for name in folders if (one := platforms.folder(name))}
    plain = folders - downloads.keys()
    return {name: name for name in plain} | {name: one.student for name, one in _told_apart(downloads, plain).items()}


def _downloads(files: list[str], folders: set[str]) -> dict[str, Download | None]:
    """What the name of each file says, where a platform made it; without what nobody hands in, and the platforms' own notes.

    Who has a plain file or a folder is nobody whose name a platform would have given.
    """
    all_files = {name: platforms.download(name) for name in files if not _lies_about(name)}
    plain = [name for name, one in all_files.items() if one is None]
    taken = folders.union(map(stem, plain))
    downloads = {name: one for name, one in all_files.items() if one and one.file}
    theirs = _told_apart({name: one for name, one in downloads.items() if one.student not in taken})
    return dict.fromkeys([*plain, *downloads]) | theirs


def _may_be(files: Iterable[str]) -> set[str]:
    """Whose files these may be, by their names."""
    downloads = filter(None, map(platforms.download, files))
    return {*map(stem, files)}.union(*({one.student, f"{one.student}_{one.user}"} for one in downloads))


def _exports(folder: Path, folders: list[str], named: set[str], files: list[str]) -> set[str]:
    """Which of the folders in a folder are Gradescope's exports.

    None, where anything lies beside them: whose that is, nobody can tell. It may be a student who has put metadata into it.
    """
    found = {name for name in folders if _is_export(folder / name)}
    alone = found | named >= set(folders) and not any(suffix(name) in READ for name in files)
    return found if alone else set()


def _metadata(folder: Path, there: Iterable[str]) -> tuple[dict[str, gradescope.Entry], tuple[str, ...]]:
    """What an export says of the folders in it, and a note where that is nothing."""
    try:
        entries = gradescope.entries(folder)
        if entries.keys().isdisjoint(there):
            raise ValueError("it names none of the folders")
        return entries, ()
    except Exception as error:
        reason = printable(problem_of(error).instructor if isinstance(error, OSError) else str(error), 120)
        return {}, (f"{gradescope.METADATA} cannot be read ({reason}), so the folder's name stands for the student.",)


def _is_export(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.lexists(folder / gradescope.METADATA) and gradescope.is_export(*disk.listing(folder))
    return False


def _lies_about(name: str) -> bool:
    """Whether this is a file of many folders that nobody hands in."""
    return stem(name).casefold() in ("readme", "license") and suffix(name) not in READ


def skipped(folder: Path) -> list[str]:
    """What looks like code and is passed over: an editor's copies, such as `dave.py~`, directly in a folder or in a folder there.

    A batch names them, since one of them may be all that a student has there.
    """
    found = []
    for parent in (folder, *(folder / name for name in disk.listing(folder)[0])):
        with contextlib.suppress(OSError), os.scandir(parent) as listing:
            copies = [entry.name for entry in listing if suffix(entry.name.rstrip("~")) in READ and disk.is_junk(entry.name)]
            found += [utf8_safe((parent / name).relative_to(folder).as_posix()) for name in copies if not name.startswith(".")]
    return sorted(found)


def _superseded(found: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
    """The same submissions; where one student has several for an assignment, all but one are marked."""
    in_order = sorted(found, key=lambda one: (one.assignment, one.student, one.order, one.file))
    for (assignment, _), group in itertools.groupby(in_order, key=lambda one: (one.assignment, one.student)):
        if not assignment:
            yield from group
            continue
        *earlier, counted = group
        notes = tuple(f"{printable(one.file)} was handed in as well and is superseded." for one in earlier)
        yield replace(counted, notes=counted.notes + notes)
        file = printable(counted.file)
        problem = Problem(
            f"This file was not graded, because {file} counts for {assignment}: hand in again only if that is wrong.",
            f"This file is superseded: {file} of the same student counts for {assignment}.",
        )
        for one in earlier:
            yield replace(one, superseded=True, problem=problem, candidates=())


def _shown(path: Path) -> str:
    return printable(str(path), 200)
