"""From what one student handed in to submissions: which of the files counts, and its Python text.

One rule says which counts: the file whose functions are written; of several the one that came later, then a plain file
before one in a zip, then the one whose name says it. If two remain, the row names both.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipInfo

from autograder.protocol.call import ANSWERS
from autograder.submission import code
from autograder.submission.code import CODE, Code, functions
from autograder.submission.names import equal_to, listed, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import Delivery, HandIn, Problem, StudentFile, Submission, Unreadable, problem_of

MAX_FILES = 20
"""files of one student that are looked at for one assignment, and rows or zips of one student"""
_MENTIONED = 3
"""files that a note names"""

# What the handout put there and students do not write: never a rival of what they wrote.
_HANDOUT = re.compile(
    r"(?:^|/)(?:(?:figures|measuring|lab|conftest|setup|__init__|test_[^/]*)\.(?:py|ipynb)$"
    r"|assignments/[^/]+/tests/|tests/public/|autograder/(?:protocol|checks|hints|laptop)/)",
    re.IGNORECASE,
)
_PACKED = (".zip", ".rar", ".7z", ".tgz", ".gz", ".bz2", ".xz", ".tar", ".docx", ".odt", ".rtf", ".pdf")
"""what a student may have put code into, beside a stub that is as it was"""

_IN_PLACE, _EXACT, _LOOSE, _NOTEBOOK, _NAMELESS = range(5)
"""How a file's name speaks of an assignment, the likeliest first. The handout's own notebook says little."""


_NOTHING = Code(())


@dataclass(frozen=True)
class _Candidate:
    """A file that may count, on disk or in a zip."""

    path: Path
    label: str
    """relative to the folder given; inside a zip it is written ada.zip!rope.py"""
    kind: int
    assignment: str | None
    """that its name speaks of, if any"""
    member: ZipInfo | None = None

    @property
    def rank(self) -> tuple[bool, int]:
        """Of two files the one with the lesser is likelier to be meant."""
        return self.member is not None, self.kind


@dataclass(frozen=True)
class _Reading:
    """What was read of it."""

    candidate: _Candidate
    sha256: str = ""
    code: Code = _NOTHING
    problem: Problem | None = None

    @property
    def label(self) -> str:
        return printable(self.candidate.label)

    def has(self, assignment: str) -> frozenset[str]:
        """The functions of the assignment that are written in it."""
        return self.code.written & functions(assignment)


def read(hand_in: HandIn, known: Sequence[str]) -> list[Submission]:
    """The submissions of one student, one for each assignment. Whatever is wrong with one becomes its `problem`."""
    chosen: defaultdict[str, list[tuple[bool, Submission]]] = defaultdict(list)
    for delivery in hand_in.deliveries:
        row = _row(hand_in, delivery)
        try:
            found = [*_in_delivery(delivery, row, known)]
        except Exception as error:  # a folder, a parser, or the system, in a way that nobody foresaw
            found = [(False, replace(row, problem=problem_of(error)))]
        for is_written, submission in found:
            chosen[submission.assignment].append((is_written, submission))
    return [_latest(several) for several in chosen.values()]


def lost(hand_in: HandIn, why: str) -> list[Submission]:
    """The rows of a student whose files could not be read within bounds."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    rows = {row.assignment: row for row in (_row(hand_in, delivery) for delivery in hand_in.deliveries)}
    return [replace(row, problem=problem) for row in rows.values()]


def _row(hand_in: HandIn, delivery: Delivery) -> Submission:
    """All that is known of a delivery before it is read."""
    assignment, files = delivery.assignment or delivery.hint or "", delivery.files
    # What lies in one folder goes by that folder, and files that were handed in together by the last of them.
    label = files[-1].label if files else hand_in.student
    return Submission(hand_in.student, assignment, label, person=hand_in.person, notes=delivery.notes)


def _latest(several: list[tuple[bool, Submission]]) -> Submission:
    """Of submissions for one assignment, in the order in which they came, the last in which something is written; else
    the last."""
    _, counts = next((one for one in reversed(several) if one[0]), several[-1])
    others = [submission.file for _, submission in several if submission is not counts]
    if not others:
        return counts
    note = f"{listed([*map(printable, others)], _MENTIONED)} came as well: {printable(counts.file)} counts."
    return replace(counts, notes=(*counts.notes, note))


def _in_delivery(delivery: Delivery, row: Submission, known: Sequence[str]) -> Iterator[tuple[bool, Submission]]:
    """A submission for each assignment that a delivery is for, and whether anything of it is written."""
    if delivery.problem is not None:
        yield False, replace(row, problem=delivery.problem)
        return
    if len(delivery.files) == 1 and not _is_folder(delivery.files[0]):
        row = replace(row, sha256=code.sha256(code.read_bytes(delivery.files[0].path)))
    chooser = _Chooser(delivery, row, known)
    for assignment in chooser.wanted():
        try:
            yield chooser.choose(assignment)
        except Unreadable as error:
            yield False, replace(row, assignment=assignment, problem=problem_of(error))


def _is_folder(file: StudentFile) -> bool:
    return file.path.is_dir() and not file.path.is_symlink()


class _Chooser:
    """Finds which of the files that came together counts for an assignment."""

    def __init__(self, delivery: Delivery, row: Submission, known: Sequence[str]) -> None:
        """Raises Unreadable or OSError where there is nothing to choose from."""
        self.delivery, self.row, self.known = delivery, row, known
        self.in_folder = any(map(_is_folder, delivery.files))
        self.files = [*_below(delivery.files)]
        self.unpacked: list[str] = []
        """what zips hold, where they were opened"""
        self.readings: dict[_Candidate, _Reading] = {}
        self.candidates = [
            self._candidate(file.name, file) for file in self.files if _ending(file.name) in CODE and _is_own(file.name)
        ]
        if not self.candidates:
            self.candidates = [*self._zipped()]

    def wanted(self) -> list[str]:
        """The assignments that the delivery is for: decided, or named by files; else hinted, or told by functions."""
        if self.delivery.assignment:
            return [self.delivery.assignment]
        sure = _EXACT if self.in_folder and self.delivery.hint else _NAMELESS
        named = {candidate.assignment for candidate in self.candidates if candidate.kind <= sure}
        told = [name for name in self.known if name in named]
        if told or self.delivery.hint:
            return told or [self.delivery.hint or ""]
        if recognised := self._recognised():
            note = f"The file's name does not tell the assignment; its functions are those of {recognised}."
            self.row = replace(self.row, notes=(*self.row.notes, note))
        return [recognised]

    def choose(self, assignment: str) -> tuple[bool, Submission]:
        """The submission for it, and whether anything of it is written. Raises Unreadable."""
        if not assignment:
            return False, replace(self.row, problem=self._unnamed())
        readings = self._readings(assignment)
        if not any(reading.has(assignment) for reading in readings) and not any(one.member for one in self.candidates):
            with contextlib.suppress(Unreadable, OSError):
                self.candidates += self._zipped()
            readings = self._readings(assignment)
        if not readings:
            return False, replace(self.row, assignment=assignment, problem=self._none(assignment))
        likely = [reading for reading in readings if reading.has(assignment)] or readings
        chosen, *others = likely
        if others and others[0].candidate.rank == chosen.candidate.rank:
            labels = [other.label for other in likely if other.candidate.rank == chosen.candidate.rank]
            return bool(chosen.has(assignment)), replace(
                self.row, assignment=assignment, problem=_several(labels, assignment)
            )
        return self._counted(assignment, chosen, readings)

    def _counted(self, assignment: str, chosen: _Reading, readings: list[_Reading]) -> tuple[bool, Submission]:
        problem = chosen.problem or self._foreign(chosen.code, assignment)
        row = replace(self.row, assignment=assignment, file=chosen.candidate.label, sha256=chosen.sha256)
        if problem:
            return False, replace(row, problem=problem)
        aside = [*self._aside(assignment, chosen, readings)]
        notes = (*row.notes, *chosen.code.notes, *aside, *_unwritten(chosen.code, assignment))
        is_written = bool(chosen.has(assignment))
        return is_written, replace(row, cells=chosen.code.cells, notes=notes, doubt=" ".join(aside))

    def _readings(self, assignment: str) -> list[_Reading]:
        """What may count for it, read, the likeliest first. One file alone is meant, whatever it is called."""
        alone = self.delivery.assignment and len(self.candidates) == 1
        mine = [one for one in self.candidates if alone or one.assignment in (assignment, None)]
        return [self._read(one) for one in sorted(mine, key=lambda one: one.rank)[:MAX_FILES]]

    def _read(self, candidate: _Candidate) -> _Reading:
        """Once, however many assignments it may be for."""
        if candidate not in self.readings:
            reading = _Reading(candidate)
            try:
                data = code.read_bytes(candidate.path)
                reading = replace(reading, sha256=code.sha256(data))
                member = candidate.member
                content = data if member is None else code.read_member(data, member)
                reading = replace(reading, code=code.read_code(content, candidate.label))
            except (Unreadable, OSError) as error:
                reading = replace(reading, problem=problem_of(error))
            self.readings[candidate] = reading
        return self.readings[candidate]

    def _candidate(self, name: str, file: StudentFile, member: ZipInfo | None = None) -> _Candidate:
        """`name`: with all folders that may name an assignment."""
        *folders, own = name.split("/")
        stem = stem_and_suffix(own)[0]
        named = next(filter(None, (named_in(one, self.known) for one in (stem, *reversed(folders)))), None)
        kind = _LOOSE if named else _NAMELESS
        if own.casefold() == "explore.ipynb":
            kind = _NOTEBOOK
        elif exact := equal_to(stem, self.known):
            # In a repository the file of an assignment is the one at its place in the handout.
            place = ["assignments", exact.casefold()]
            kind, named = (_IN_PLACE if [one.casefold() for one in folders[-2:]] == place else _EXACT), exact
        label = file.label if member is None else f"{file.label}!{utf8_safe(name.partition('!/')[2])}"
        return _Candidate(file.path, label, kind, named, member)

    def _zipped(self) -> Iterator[_Candidate]:
        """The code in zips, whose own names may tell the assignment."""
        for file in [file for file in self.files if _ending(file.name) == ".zip"][:MAX_FILES]:
            for name, member in code.zip_members(code.read_bytes(file.path)):
                self.unpacked.append(name)
                if _ending(name) in CODE and _is_own(name):
                    yield self._candidate(f"{stem_and_suffix(file.name)[0]}!/{name}", file, member)

    def _recognised(self) -> str:
        """The one assignment whose functions the files define most of, where no name tells any."""
        readings = [self._read(candidate) for candidate in self.candidates[:MAX_FILES]]
        names = frozenset[str]().union(*(reading.code.names for reading in readings))
        counts = Counter({name: count for name in self.known if (count := len(functions(name) & names))})
        best = [name for name, count in counts.items() if count == max(counts.values())]
        return best[0] if len(best) == 1 else ""

    def _aside(self, assignment: str, chosen: _Reading, readings: list[_Reading]) -> Iterator[str]:
        """What else of the student's may have been meant."""
        asked = functions(assignment) | {ANSWERS}
        if readings[0] is not chosen:
            yield f"{readings[0].label} has none of the functions, so {chosen.label} counts."
        left: list[str] = []
        for other in readings:
            if more := sorted(other.code.written & asked - chosen.code.written if other is not chosen else ()):
                yield (
                    f"{other.label} has {listed(more, _MENTIONED)} too, and was not graded: move what counts into"
                    f" {chosen.label}."
                )
            elif other is not chosen and other is not readings[0] and other.candidate.kind < _NOTEBOOK:
                left.append(other.label)
        if not chosen.has(assignment):
            left += [printable(file.label) for file in self.files if _ending(file.name) in _PACKED]
        if left:
            yield f"{listed(left, _MENTIONED)} {'was' if len(left) == 1 else 'were'} found as well and not graded."

    def _foreign(self, text: Code, assignment: str) -> Problem | None:
        """Why the file is no submission for its assignment, where it holds the functions of another one and none of its
        own."""
        if not functions(assignment) or text.mentions(functions(assignment)):
            return None
        other = next((name for name in self.known if text.written & functions(name)), None)
        if other is None:
            return None
        return Problem(
            f"This file has the functions of {other} and none of {assignment}: hand in {assignment}.py or"
            f" {assignment}.ipynb."
        )

    def _unnamed(self) -> Problem:
        if not self.candidates:
            return self._none("")
        return Problem(
            f"The name {printable(self.candidates[0].label)} does not tell one assignment: name the file after it, for"
            f" example {self.known[0]}.py (staff may grade it with --assignment NAME).",
            is_unclear=True,
        )

    def _none(self, assignment: str) -> Problem:
        names = [printable(name) for name in self.unpacked or [file.name for file in self.files]]
        there = f"what was handed in is {listed(names, _MENTIONED)}" if names else "there are no files at all"
        inner = ", and a zip in a zip is not opened" if any(_ending(name) == ".zip" for name in self.unpacked) else ""
        wanted = f"{assignment}.py or {assignment}.ipynb" if assignment else "the file that holds your functions"
        of = f" for {assignment}" if assignment else ""
        return Problem(f"There is no .py or .ipynb file{of} ({there}{inner}): hand in {wanted}.")


def _below(files: Sequence[StudentFile]) -> Iterator[StudentFile]:
    """The files, and those in the folders."""
    for file in files:
        if _is_folder(file):
            for name in code.files_below(file.path):
                yield StudentFile(name, file.path / name, utf8_safe(f"{file.label}/{name}"))
        else:
            yield file


def _ending(name: str) -> str:
    return stem_and_suffix(name)[1]


def _is_own(name: str) -> bool:
    return not _HANDOUT.search(name)


def _several(labels: list[str], assignment: str) -> Problem:
    """What to say where nothing tells which file is meant."""
    more = f" ({len(labels)} in all)" if len(labels) > 2 else ""
    return Problem(
        f"Several files could be {assignment}, {labels[0]} and {labels[1]}{more}: hand in one, named {assignment}.py or"
        f" {assignment}.ipynb.",
        is_unclear=True,
    )


def _unwritten(text: Code, assignment: str) -> Iterator[str]:
    """A zero is never silent."""
    asked = functions(assignment)
    if asked and not text.written & asked:
        if text.names & asked:
            yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
        elif text.mentions(asked):
            yield f"No test finds the functions of {assignment} in it: write each `def` at the beginning of a line."
        else:
            yield f"The file defines none of the functions of {assignment}."
