"""From what one student handed in to submissions: which of the files counts, and its Python text.

One rule says which counts: the file whose functions are written; of several the one that came later, then a plain file
before one in a zip, then the one whose name says it. If two remain, the row names both.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections import defaultdict
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
"""files of one student that are looked at for one assignment, and zips"""
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

_Found = tuple[bool, Submission]
"""A submission, and whether anything that it asks for is written."""


@dataclass(frozen=True)
class _Candidate:
    """A file that may count, on disk or in a zip; it is read once, however many assignments it may be for."""

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

    @functools.cached_property
    def read(self) -> tuple[str, Code, Problem | None]:
        """Its hash, its code, and why there is none."""
        digest = ""
        try:
            data = code.read_bytes(self.path)
            digest = hashlib.sha256(data).hexdigest()
            content = data if self.member is None else code.read_member(data, self.member)
            return digest, code.read_code(content, self.label), None
        except (Unreadable, OSError) as error:
            return digest, Code(()), problem_of(error)

    @property
    def code(self) -> Code:
        return self.read[1]

    def has(self, assignment: str) -> frozenset[str]:
        """The functions of the assignment that are written in it."""
        return self.code.written & functions(assignment)


def read(hand_in: HandIn, known: Sequence[str]) -> list[Submission]:
    """The submissions of one student, one for each assignment. Whatever is wrong with one becomes its `problem`."""
    chosen: defaultdict[str, list[_Found]] = defaultdict(list)
    for delivery in hand_in.deliveries:
        row = _row(hand_in, delivery)
        try:
            found = [(False, row)] if row.problem else _Chooser(delivery, row, known).choose_all()
        except Exception as error:  # a folder, a parser, or the system, in a way that nobody foresaw
            found = [(False, replace(row, problem=problem_of(error)))]
        for one in found:
            chosen[one[1].assignment].append(one)
    return [_latest(several) for several in chosen.values()]


def lost(hand_in: HandIn, why: str) -> list[Submission]:
    """The rows of a student whose files could not be read within bounds."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    rows = {row.assignment: row for row in (_row(hand_in, delivery) for delivery in hand_in.deliveries)}
    return [replace(row, problem=problem) for row in rows.values()]


def _row(hand_in: HandIn, delivery: Delivery) -> Submission:
    """All that is known of a delivery before it is read: it goes by its folder, or by the last of its files."""
    assignment, label = delivery.assignment or delivery.hint or "", delivery.files[-1].label
    row = Submission(hand_in.student, assignment, label, person=hand_in.person)
    return replace(row, notes=delivery.notes, problem=delivery.problem)


def _latest(several: list[_Found]) -> Submission:
    """Of submissions for one assignment, in the order in which they came, the last in which something is written; else
    the last."""
    _, counts = next((one for one in reversed(several) if one[0]), several[-1])
    others = [printable(submission.file) for _, submission in several if submission is not counts]
    note = (f"{listed(others, _MENTIONED)} came as well: {printable(counts.file)} counts.",) if others else ()
    return replace(counts, notes=counts.notes + note)


def _is_folder(file: StudentFile) -> bool:
    return file.path.is_dir() and not file.path.is_symlink()


def _ending(name: str) -> str:
    return stem_and_suffix(name)[1]


class _Chooser:
    """Finds which of the files that came together counts for an assignment."""

    def __init__(self, delivery: Delivery, row: Submission, known: Sequence[str]) -> None:
        """Raises Unreadable or OSError where there is nothing to choose from."""
        self.delivery, self.row, self.known = delivery, row, known
        self.in_folder = any(map(_is_folder, delivery.files))
        if len(delivery.files) == 1 and not self.in_folder:
            digest = hashlib.sha256(code.read_bytes(delivery.files[0].path)).hexdigest()
            self.row = replace(row, sha256=digest)
        self.files = [one for file in delivery.files for one in self._below(file)]
        self.unpacked: list[str] = []
        """what zips hold, where they were opened"""
        named = [(file, file.name) for file in self.files if _ending(file.name) in CODE]
        self.candidates = [self._candidate(name, file) for file, name in named if not _HANDOUT.search(name)]
        if not self.candidates:
            self.candidates = [*self._zipped()]

    def choose_all(self) -> list[_Found]:
        """A submission for each assignment that files name or that is decided; else hinted, or told by functions."""
        sure = _EXACT if self.in_folder and self.delivery.hint else _NAMELESS
        named = {candidate.assignment for candidate in self.candidates if candidate.kind <= sure}
        wanted = [name for name in self.known if name in named] or [self.delivery.hint or ""]
        if self.delivery.assignment:
            wanted = [self.delivery.assignment]
        elif wanted == [""] and (wanted := [self._recognised()]) != [""]:
            note = f"The file's name does not tell the assignment; its functions are those of {wanted[0]}."
            self.row = replace(self.row, notes=(*self.row.notes, note))
        return [self._choose(assignment) for assignment in wanted]

    def _choose(self, assignment: str) -> _Found:
        likely = self._likely(assignment) if assignment else []
        if assignment and not self.unpacked and not any(one.has(assignment) for one in likely):
            with contextlib.suppress(Unreadable, OSError):
                self.candidates += self._zipped()
            likely = self._likely(assignment)
        written = [one for one in likely if one.has(assignment)]
        tied = [one for one in written or likely if one.rank == (written or likely)[0].rank]
        row, is_written = replace(self.row, assignment=assignment), bool(written)
        if len(tied) != 1:
            why = self._several(tied, assignment) if tied else self._none(assignment)
            return is_written, replace(row, problem=why)
        (chosen,) = tied
        digest, text, problem = chosen.read
        problem = problem or self._foreign(text, assignment)
        row = replace(row, file=chosen.label, sha256=digest, problem=problem)
        if problem:
            return False, row
        aside = (*self._aside(assignment, chosen, likely),)
        notes = (*row.notes, *text.notes, *aside, *_unwritten(text, assignment))
        return is_written, replace(row, cells=text.cells, notes=notes, doubt=" ".join(aside))

    def _likely(self, assignment: str) -> list[_Candidate]:
        """What may count for it, the likeliest first. One file alone is meant, whatever it is called."""
        alone = self.delivery.assignment and len(self.candidates) == 1
        mine = [one for one in self.candidates if alone or one.assignment in (assignment, None)]
        return sorted(mine, key=lambda one: one.rank)[:MAX_FILES]

    def _below(self, file: StudentFile) -> Iterator[StudentFile]:
        """The file, or those in the folder."""
        if not _is_folder(file):
            yield file
            return
        for name in code.files_below(file.path):
            yield StudentFile(name, file.path / name, utf8_safe(f"{file.label}/{name}"))

    def _zipped(self) -> Iterator[_Candidate]:
        """The code in zips, whose own names may tell the assignment."""
        for file in [file for file in self.files if _ending(file.name) == ".zip"][:MAX_FILES]:
            for name, member in code.zip_members(code.read_bytes(file.path)):
                self.unpacked.append(name)
                if _ending(name) in CODE and not _HANDOUT.search(name):
                    label = utf8_safe(f"{file.label}!{name}")
                    found = self._candidate(f"{stem_and_suffix(file.name)[0]}/{name}", replace(file, label=label))
                    yield replace(found, member=member)

    def _candidate(self, name: str, file: StudentFile) -> _Candidate:
        """`name`: with all folders that may name an assignment."""
        *folders, own = name.split("/")
        stem = stem_and_suffix(own)[0]
        named = next(filter(None, (named_in(one, self.known) for one in (stem, *reversed(folders)))), None)
        kind = _LOOSE if named else _NAMELESS
        if own.casefold() == "explore.ipynb":
            kind = _NOTEBOOK
        elif exact := equal_to(stem, self.known):
            # In a repository the file of an assignment is the one at its place in the handout.
            is_in_place = "/".join(folders[-2:]).casefold() == f"assignments/{exact}".casefold()
            kind, named = _IN_PLACE if is_in_place else _EXACT, exact
        return _Candidate(file.path, file.label, kind, named)

    def _recognised(self) -> str:
        """The one assignment whose functions the files define most of, where no name tells any."""
        names = frozenset[str]().union(*(candidate.code.names for candidate in self.candidates[:MAX_FILES]))
        counts = {name: len(functions(name) & names) for name in self.known}
        best = [name for name in self.known if counts[name] == max(counts.values()) > 0]
        return best[0] if len(best) == 1 else ""

    def _aside(self, assignment: str, chosen: _Candidate, likely: list[_Candidate]) -> Iterator[str]:
        """What else of the student's may have been meant."""
        if likely[0] is not chosen:
            yield f"{printable(likely[0].label)} has none of the functions, so {printable(chosen.label)} counts."
        left: list[str] = []
        for other in likely:
            more = other.code.written & (functions(assignment) | {ANSWERS}) - chosen.code.written
            if more:
                has = f"{printable(other.label)} has {listed(sorted(more), _MENTIONED)} too, and was not graded"
                yield f"{has}: move what counts into {printable(chosen.label)}."
            elif other not in (chosen, likely[0]) and other.kind < _NOTEBOOK:
                left.append(printable(other.label))
        if not chosen.has(assignment):
            left += [printable(file.label) for file in self.files if _ending(file.name) in _PACKED]
        if left:
            yield f"{listed(left, _MENTIONED)} {'was' if len(left) == 1 else 'were'} found as well and not graded."

    def _foreign(self, text: Code, assignment: str) -> Problem | None:
        """Why the file is no submission for its assignment: it holds functions of another one and none of its own."""
        own = functions(assignment)
        other = next((name for name in self.known if text.written & functions(name)), None)
        if not own or other is None or text.mentions(own):
            return None
        return Problem(
            f"This file has the functions of {other} and none of {assignment}: hand in {_asked(assignment)}."
        )

    def _several(self, tied: list[_Candidate], assignment: str) -> Problem:
        """What to say where nothing tells which file is meant."""
        labels, more = [printable(one.label) for one in tied], f" ({len(tied)} in all)" if len(tied) > 2 else ""
        return Problem(
            f"Several files could be {assignment}, {labels[0]} and {labels[1]}{more}: hand in one,"
            f" {_asked(assignment)}.",
            is_unclear=True,
        )

    def _none(self, assignment: str) -> Problem:
        """What to say where there is no file for it, or nothing tells which assignment it is for."""
        if not assignment and self.candidates:
            return Problem(
                f"The name {printable(self.candidates[0].label)} does not tell one assignment: name the file after it,"
                f" for example {self.known[0]}.py (staff may grade it with --assignment NAME).",
                is_unclear=True,
            )
        names = [printable(name) for name in self.unpacked or [file.name for file in self.files]]
        there = f"what was handed in is {listed(names, _MENTIONED)}" if names else "there are no files at all"
        inner = ", and a zip in a zip is not opened" if any(_ending(name) == ".zip" for name in self.unpacked) else ""
        of = f" for {assignment}" if assignment else ""
        return Problem(f"There is no .py or .ipynb file{of} ({there}{inner}): hand in {_asked(assignment)}.")


def _asked(assignment: str) -> str:
    return f"{assignment}.py or {assignment}.ipynb" if assignment else "the file that holds your functions"


def _unwritten(text: Code, assignment: str) -> Iterator[str]:
    """A zero is never silent."""
    asked = functions(assignment)
    if text.written & asked or not asked:
        return
    if text.names & asked:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    elif text.mentions(asked):
        yield f"No test finds the functions of {assignment} in it: write each `def` at the beginning of a line."
    else:
        yield f"The file defines none of the functions of {assignment}."
