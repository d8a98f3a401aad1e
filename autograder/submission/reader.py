"""From what one person handed in to submissions that can be graded: which of the files are meant, their bytes, text,
Python.

Where a student has several files that could be meant, this is where what is written in them decides: the stub as it was
handed out is never a rival of what a student wrote.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from autograder import course
from autograder.protocol.call import ANSWERS
from autograder.submission import archive, bindings, disk, gradescope, notebook, python, text
from autograder.submission.bindings import Bindings
from autograder.submission.choice import (
    CODE,
    MAX_RIVALS,
    READ,
    Course,
    NamedFile,
    choose,
    several,
    suffix,
    which_assignment,
)
from autograder.submission.names import listed, printable, utf8_safe
from autograder.submission.records import Given, HandIn, Part, Problem, Refused, Submission, problem_of

_PACKED = (".zip", ".rar", ".7z", ".tgz", ".gz", ".bz2", ".xz", ".tar", ".docx", ".odt", ".rtf")
"""what a student may have put code into, beside a stub that is as it was"""

_MENTIONED = 3
"""files that a note names"""

# How well a submission fits: a later file only replaces one that fits no better.
_NO_CODE, _ANOTHER_ASSIGNMENT, _UNNAMED, _NAMED = range(4)

_STRAY_METADATA = (
    f"{gradescope.METADATA} in a student's folder says nothing about anybody: an export is graded where it lies alone."
)


@dataclass(frozen=True)
class _Candidate:
    """A file that may count for an assignment, on disk or inside a zip."""

    file: str
    """relative to the folder given; inside a zip it is written ada.zip!rope.py"""
    path: Path
    zipped: archive.Archive | None = None
    """what `path` holds, where that is a zip"""
    member: str = ""
    """the file's name in it"""
    named: bool = False
    """whether its name speaks of the assignment: then it is mentioned where it is not graded"""


@dataclass(frozen=True)
class _Unread:
    """A submission that was found and not read yet."""

    submission: Submission
    path: Path | None
    """what was handed in; None where there is nothing to read"""
    candidates: tuple[_Candidate, ...]
    """files that may count, the likeliest first; with a `problem`, those between which a name does not decide"""
    order: tuple[int, float, int]
    """of two submissions for one assignment the greater counts: how well it fits, when it came"""
    packed: tuple[Given, ...] = ()
    """zips and documents beside the candidates, which are looked at where the candidates hold an untouched stub
    alone"""


@dataclass(frozen=True)
class _Read:
    """One file, read."""

    file: str
    sha256: str
    cells: tuple[str, ...]
    notes: tuple[str, ...]
    bindings: Bindings

    def has(self, wanted: frozenset[str]) -> frozenset[str]:
        """Those of the functions that are written in it."""
        return self.bindings.written & wanted


def read(hand_in: HandIn, known: tuple[str, ...]) -> list[Submission]:
    """The submissions of one person, one that counts for each assignment. Whatever is wrong with one becomes its
    `problem`."""
    all_unread = [unread for part in hand_in.parts for unread in _Search(hand_in, part, Course(known)).all()]
    return [_submission(unread) for unread in _superseded(all_unread)]


def lost(hand_in: HandIn, why: str) -> list[Submission]:
    """The row of a person whose files could not be read within bounds."""
    part = max(hand_in.parts, key=attrgetter("came", "attempt"))
    problem = Problem(
        f"What you handed in could not be read, because that {why}: hand in one plain .py or .ipynb file with your"
        " functions.",
        f"Reading it {why}.",
    )
    return [replace(_row(hand_in, part), problem=problem)]


def recognised(hand_in: HandIn, known: tuple[str, ...]) -> str | None:
    """The one assignment whose functions a file defines most of, where its name tells none."""
    files = [file for part in hand_in.parts for file in part.files]
    tried = _tried(_on_disk(files[0])) if len(files) == 1 else None
    counts = {name: len(bindings.functions(name) & tried.bindings.names) for name in known} if tried else {}
    most = max(counts.values(), default=0)
    best = [name for name, count in counts.items() if count == most > 0]
    return best[0] if len(best) == 1 else None


def _row(hand_in: HandIn, part: Part) -> Submission:
    """All that is known of a part before it is searched."""
    return Submission(
        hand_in.student,
        part.assignment or part.hint or "",
        part.label,
        person=hand_in.person,
        notes=part.notes,
        is_claimed=part.assignment is None,
        handed_in=part.handed_in,
        came=part.came if hand_in.person.platform == "Canvas" else part.handed_in,
    )


@dataclass(frozen=True)
class _Search:
    """Looks for submissions in one part of what a person handed in."""

    hand_in: HandIn
    part: Part
    course: Course

    def all(self) -> Iterator[_Unread]:
        """What the part holds, a submission for each assignment; where looking for it raises, that is one row."""
        part = self.part
        if part.problem is not None:
            yield self._unread(_NO_CODE, None, problem=part.problem)
            return
        try:
            yield from self._in_folder(part.folder) if part.folder else self._in_files()
        except Exception as error:
            yield self._unread(_UNNAMED, None if part.folder else part.files[0].path, problem=problem_of(error))

    def _unread(
        self,
        fit: int,
        path: Path | None,
        candidates: tuple[_Candidate, ...] = (),
        packed: tuple[Given, ...] = (),
        **about: Any,
    ) -> _Unread:
        """A submission of this part, with what is known `about` it by now. Where one was chosen, it goes by that."""
        row = replace(_row(self.hand_in, self.part), **about)
        if candidates and row.problem is None:
            path, row = candidates[0].path, replace(row, file=candidates[0].file)
        return _Unread(row, path, candidates, (fit, self.part.came, self.part.attempt), packed)

    def _in_folder(self, folder: Path) -> Iterator[_Unread]:
        """A folder or clone of one student."""
        names, part = disk.walk(folder), self.part
        if gradescope.METADATA in names:
            part = replace(part, notes=(*part.notes, _STRAY_METADATA))
        files = [Given(name, folder / name, utf8_safe(f"{part.within}{name}")) for name in names]
        yield from replace(self, part=part)._among(files)

    def _in_files(self) -> Iterator[_Unread]:
        """Files that one student handed in together."""
        part = self.part
        if not part.is_meant:
            yield from self._among(list(part.files))
            return
        (file,) = part.files
        named = self.course.named_in(file.path.stem)
        assignment = part.assignment or named or part.hint
        if suffix(file.name) == ".zip" and not file.path.is_symlink():
            for unread in self._in_zip(file, named):
                yield replace(unread, order=(_fit(file, named, unread.submission.assignment), *unread.order[1:]))
        elif assignment is None:
            yield self._unread(_UNNAMED, file.path, problem=which_assignment(file.name, self.course))
        else:
            fit = _fit(file, named, assignment)
            yield self._unread(fit, file.path, (_on_disk(file),), assignment=assignment)

    def _among(self, files: list[Given]) -> Iterator[_Unread]:
        """The files of one student that are meant; zips are opened where nothing else holds code."""
        part = self.part
        endings = {suffix(file.name) for file in files}
        zips = [file for file in files if suffix(file.name) == ".zip"] if endings.isdisjoint(CODE) else []
        named = {file: self.course.named_in(Path(file.name).stem) for file in zips}
        meant = [file for file in zips if part.assignment is None or named[file] in (None, part.assignment)]
        if len(meant) > MAX_RIVALS:
            raise Refused(
                f"You handed in {len(meant)} zips: hand in the one that holds your file, or the file itself.",
                f"There are {len(meant)} zips, and at most {MAX_RIVALS} of a student's are opened.",
            )
        for file in meant:
            yield from self._in_zip(file, named[file])
        if meant:
            return
        code = [file for file in files if suffix(file.name) in CODE]
        packed = tuple(file for file in files if suffix(file.name).endswith(_PACKED))[:MAX_RIVALS]
        if part.folder is None and part.assignment is not None and len(code) == 1:  # it is meant, whatever it is called
            (file,) = code
            yield self._unread(_UNNAMED, file.path, (_on_disk(file),), packed)
            return
        of_name: dict[str, list[Given]] = {}
        for file in files:
            of_name.setdefault(file.name, []).append(file)
        without_choice = _NO_CODE if endings.isdisjoint(READ) else _ANOTHER_ASSIGNMENT
        label = part.label if part.folder is not None or len(files) > 1 else files[0].label
        path = files[0].path if part.folder is None else None
        for choice in choose(sorted(file.name for file in files), part.assignment, part.hint, self.course):
            candidates = tuple(
                replace(_on_disk(file), named=likely.is_named)
                for likely in choice.files
                for file in of_name[likely.file]
            )
            fit = _UNNAMED if choice.problem is None else without_choice
            yield self._unread(
                fit, path, candidates, packed, assignment=choice.assignment, file=label, problem=choice.problem
            )

    def _in_zip(self, file: Given, named: str | None) -> Iterator[_Unread]:
        part = self.part
        try:
            zipped = archive.Archive(disk.read(file.path))
            for choice in choose(zipped.names, part.assignment, named or part.hint, self.course):
                candidates = tuple(_in_archive(file, zipped, member) for member in choice.files)
                yield self._unread(
                    _UNNAMED,
                    file.path,
                    candidates,
                    assignment=choice.assignment,
                    file=file.label,
                    problem=choice.problem,
                )
        except Exception as error:
            assignment, problem = part.assignment or named or part.hint or "", problem_of(error)
            yield self._unread(_UNNAMED, file.path, assignment=assignment, file=file.label, problem=problem)


def _on_disk(file: Given) -> _Candidate:
    return _Candidate(file.label, file.path, member=file.name)


def _in_archive(file: Given, zipped: archive.Archive, member: NamedFile) -> _Candidate:
    label = utf8_safe(f"{file.label}!{member.file}")
    return _Candidate(label, file.path, zipped, member.file, member.is_named)


def _fit(file: Given, named: str | None, assignment: str) -> int:
    if suffix(file.name) not in READ:
        return _NO_CODE
    if named is None:
        return _UNNAMED
    return _NAMED if named == assignment else _ANOTHER_ASSIGNMENT


def _superseded(all_unread: Iterable[_Unread]) -> Iterator[_Unread]:
    """The same; where the student has several for an assignment, all but one are marked. Of very many the latest are
    kept."""
    in_order = sorted(all_unread, key=attrgetter("submission.assignment", "order", "submission.file"))
    for assignment, group in itertools.groupby(in_order, key=attrgetter("submission.assignment")):
        *several, counted = group
        earlier = several[-MAX_RIVALS:]
        more = len(several) - len(earlier)
        if not assignment:
            yield from earlier
            yield _noting(counted, [f"{more} more files of this student tell no assignment."] if more else [])
            continue
        notes = [f"{printable(unread.submission.file)} was handed in as well and is superseded." for unread in earlier]
        yield _noting(counted, [*notes, f"{more} more were handed in as well and are superseded."] if more else notes)
        problem = superseded_by(counted.submission.file, assignment)
        for unread in earlier:
            submission = replace(unread.submission, superseded=True, problem=problem)
            yield replace(unread, submission=submission, candidates=())


def _noting(unread: _Unread, notes: Iterable[str]) -> _Unread:
    return replace(unread, submission=replace(unread.submission, notes=(*unread.submission.notes, *notes)))


def superseded_by(file: str, assignment: str) -> Problem:
    """Why another file of the same student does not count."""
    return Problem(
        f"This file was not graded, because {printable(file)} counts for {assignment}: hand in again only if that is"
        " wrong.",
        f"This file is superseded: {printable(file)} of the same student counts for {assignment}.",
    )


def _submission(unread: _Unread) -> Submission:
    """Reads what was found. Whatever is wrong with it becomes its `problem`; nothing is raised."""
    submission = unread.submission
    try:
        if unread.path is not None:
            submission = replace(submission, sha256=_sha256(disk.read(unread.path)))
        chosen, doubt = _counting(unread)
        if chosen is None:
            return submission
        problem = _of_another(chosen.bindings, submission.assignment)
        submission = replace(submission, file=chosen.file, sha256=chosen.sha256, problem=problem)
        if problem:
            return submission
        return replace(submission, cells=chosen.cells, notes=submission.notes + chosen.notes, doubt=doubt)
    except Exception as error:  # a file that is refused; or a parser, or the system, in a way that nobody foresaw
        return replace(submission, problem=submission.problem or problem_of(error))


def _counting(unread: _Unread) -> tuple[_Read | None, str]:
    """The file that counts, with the notes on it, and a doubt about that; None where the problem stays. Raises Refused
    where it cannot be read."""
    assignment = unread.submission.assignment
    if not unread.candidates:
        return None, ""
    wanted = bindings.functions(assignment)
    others: list[_Read] = []
    if unread.submission.problem is not None:
        chosen = _only_one(unread.candidates, wanted)
        if chosen is None:
            return None, ""
    else:
        first, *rivals = unread.candidates
        chosen = _read(first)
        if wanted - chosen.bindings.written:
            others = [other for other in map(_tried, rivals) if other is not None and other.has(wanted)]
        if not others and not chosen.has(wanted):
            others = [other for file in unread.packed for other in _unpacked(file, assignment) if other.has(wanted)]
        chosen = _best(chosen, others, assignment, wanted)
    mentioned = {unread.submission.file, chosen.file, *(other.file for other in others)}
    named = [candidate.file for candidate in unread.candidates if candidate.named]
    more = [*_not_graded([file for file in named if file not in mentioned])]
    if not chosen.has(wanted):
        more += _not_graded([file.label for file in unread.packed])
    aside = [*_left_aside(chosen, others, wanted), *more]
    notes = (*chosen.notes, *aside, *_unwritten(chosen.bindings, assignment, wanted))
    return replace(chosen, notes=notes), " ".join(aside)


def _only_one(candidates: Iterable[_Candidate], wanted: frozenset[str]) -> _Read | None:
    """Of several files whose names are alike, the one that is no untouched stub; None where that leaves several."""
    tried = [_tried(candidate) for candidate in candidates]
    left = [file for file in tried if file is None or file.has(wanted) or not file.bindings.names & wanted]
    if len(left) != 1 or left[0] is None:
        return None
    note = f"Of several files that could be meant, {printable(left[0].file)} alone is more than the stub."
    return replace(left[0], notes=(*left[0].notes, note))


def _best(own: _Read, others: list[_Read], assignment: str, wanted: frozenset[str]) -> _Read:
    """The file at its place or of the right name; where it is an untouched stub, the one other file that has functions
    in it. Answers that are given in the stub still count."""
    if own.has(wanted) or not others:
        return own
    if len(others) > 1:
        problem = several([other.file for other in others], assignment)
        raise Refused(problem.student, problem.instructor)
    (other,) = others
    note = f"The functions in {printable(own.file)} are not written, so those in {printable(other.file)} are graded."
    if ANSWERS not in own.bindings.written or ANSWERS in other.bindings.written:
        return replace(other, notes=(*other.notes, note))
    note += f" The answers are those in {printable(own.file)}."
    return replace(
        other,
        cells=own.cells + other.cells,
        notes=(*own.notes, *other.notes, note),
        bindings=bindings.joined([own.bindings, other.bindings]),
    )


def _tried(candidate: _Candidate) -> _Read | None:
    try:
        return _read(candidate)
    except (Refused, OSError):
        return None


def _unpacked(file: Given, assignment: str) -> Iterator[_Read]:
    """What a zip holds for an assignment; nothing where it is none, or cannot be read."""
    if suffix(file.name) != ".zip":
        return
    with contextlib.suppress(Refused, OSError):
        zipped = archive.Archive(disk.read(file.path))
        (choice,) = choose(zipped.names, assignment, None, Course(tuple(known.name for known in course.assignments())))
        yield from filter(None, (_tried(_in_archive(file, zipped, member)) for member in choice.files))


def _read(candidate: _Candidate) -> _Read:
    data = disk.read(candidate.path)
    return _Read(
        candidate.file,
        _sha256(data),
        *_cells(data if candidate.zipped is None else candidate.zipped.read(candidate.member), candidate.member),
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _left_aside(own: _Read, others: Iterable[_Read], wanted: frozenset[str]) -> Iterator[str]:
    for other in others:
        more = sorted(other.has(wanted) - own.bindings.written)
        if more:
            yield (
                f"{printable(other.file)} has {listed(more, _MENTIONED)} too, and was not graded: move what counts into"
                f" {printable(own.file)}."
            )


def _not_graded(files: list[str]) -> Iterator[str]:
    for file in files[:_MENTIONED]:
        yield f"{printable(file)} was found as well and was not graded."
    if len(files) > _MENTIONED:
        yield f"{len(files) - _MENTIONED} more files that could be meant were not graded."


def _unwritten(bound: Bindings, assignment: str, wanted: frozenset[str]) -> Iterator[str]:
    """A zero is never silent."""
    if not wanted or bound.written & wanted or not bound.certain:
        return
    if bound.names & wanted:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    elif where := sorted({within for name, within in bound.inside if name in wanted}):
        within = printable(where[0], 60)
        yield (
            f"The functions of {assignment} stand inside {within}, where no test finds them: write each `def` at the"
            " beginning of a line."
        )
    else:
        yield f"The file defines none of the functions of {assignment}."


def _of_another(bound: Bindings, assignment: str) -> Problem | None:
    """Why the file is no submission for its assignment, where it holds the functions of another one and none of its
    own."""
    if not bindings.functions(assignment) or bound.names & bindings.functions(assignment) or not bound.certain:
        return None
    other = next((known.name for known in course.assignments() if bound.written & bindings.functions(known.name)), None)
    if other is None:
        return None
    return Problem(
        f"This file has the functions of {other} and none of {assignment}: hand in your {assignment}.py or"
        f" {assignment}.ipynb.",
        f"It is a file for {other}, and was handed in for {assignment}: to count it for {other}, grade it from a folder"
        " of its own.",
    )


def _cells(data: bytes, name: str) -> tuple[tuple[str, ...], tuple[str, ...], Bindings]:
    """The Python text of a .py or .ipynb file, notes, and what is written. Where name and content disagree, the content
    decides."""
    ending = suffix(name)
    if ending not in CODE:
        raise Refused(
            f"A {printable(ending) or 'file without an ending'} cannot be graded: hand in a .py or .ipynb file.",
            f"{printable(name)} is no .py, .ipynb or .zip file.",
        )
    source, notes = text.decode(data)
    if notebook.is_notebook(source, named_so=ending == ".ipynb"):
        cells, more, bound = notebook.read(source)
        return cells, (*notes, *_misnamed(name, ".ipynb", "the notebook"), *more), bound
    bound = bindings.of(python.check(source))
    return (source,), (*notes, *_misnamed(name, ".py", "the Python text")), bound


def _misnamed(name: str, ending: str, what: str) -> Iterator[str]:
    if not name.casefold().endswith(ending):
        yield f"Its name ends in {printable(name.rpartition('.')[2])}, and it was read as {what} that it is."
