"""From what one student handed in to submissions: which of the files counts, and its Python text.

One rule says which counts: the file whose functions are written; of several the one that came later, then a plain file
before one in a zip, then the one whose name says it. If two remain, the row names both.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from zipfile import ZipInfo

from autograder.protocol.call import ANSWERS
from autograder.submission import code
from autograder.submission.code import CODE, Code, functions
from autograder.submission.names import equal_to, listed, named_in, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import HandIn, Problem, StudentFile, Submission, Unreadable, problem_of

MAX_FILES = 20
"""files of one student that are looked at for one assignment, and zips"""
_MENTIONED = 3

# What the handout put there and students do not write: never a rival of what they wrote.
_HANDOUT = re.compile(
    r"(?:^|/)(?:(?:figures|measuring|experiments|lab|conftest|setup|__init__|test_[^/]*)\.(?:py|ipynb)$"
    r"|assignments/[^/]+/tests/|tests/public/|autograder/(?:protocol|checks|hints|laptop)/)",
    re.IGNORECASE,
)
_PACKED = (".zip", ".rar", ".7z", ".tgz", ".gz", ".bz2", ".xz", ".tar", ".docx", ".odt", ".rtf", ".pdf")
"""what a student may have put code into, beside a stub that is as it was"""

_EXACT, _LOOSE, _NOTEBOOK, _NAMELESS = range(4)
"""How a file's name speaks of an assignment, the likeliest first. The handout's own notebook says little."""


@dataclass(frozen=True)
class _Candidate:
    """A file that may count, on disk or in a zip; it is read once, however many assignments it may be for."""

    file: StudentFile
    kind: int
    assignment: str | None
    member: ZipInfo | None = None

    @property
    def label(self) -> str:
        return printable(self.file.label)

    @property
    def rank(self) -> tuple[float, bool, bool, int]:
        """The lesser, the likelier to be meant."""
        return -self.file.entry.attempt, self.file.is_old, self.member is not None, self.kind

    @functools.cached_property
    def read(self) -> tuple[str, Code, Problem | None]:
        """Its hash, its code, and why there is none."""
        digest = ""
        try:
            data = code.read_bytes(self.file.path)
            digest = hashlib.sha256(data).hexdigest()
            content = data if self.member is None else code.read_member(data, self.member)
            return digest, code.read_code(content, self.file.label), None
        except (Unreadable, OSError) as error:
            return digest, Code(()), problem_of(error)

    @property
    def code(self) -> Code:
        return self.read[1]

    def has(self, assignment: str) -> frozenset[str]:
        """The functions of the assignment that are written in it."""
        return self.code.written & functions(assignment)


def read(hand_in: HandIn, known: Sequence[str]) -> list[Submission]:
    """A submission for each assignment. Whatever is wrong with one becomes its `problem`."""
    row = _row(hand_in)
    try:
        return [row] if row.problem else _Chooser(hand_in, row, known).choose_all()
    except Exception as error:  # a folder, a parser, or the system, in a way that nobody foresaw
        return [replace(row, problem=problem_of(error))]


def lost(hand_in: HandIn, why: str) -> list[Submission]:
    """The row of a student whose files could not be read within bounds."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    return [replace(_row(hand_in), problem=problem)]


def _row(hand_in: HandIn) -> Submission:
    """All that is known of files before they are read: the row goes by its folder, or by the last of them."""
    entries, last = [file.entry for file in hand_in.files], hand_in.files[-1]
    problem = last.entry.problem if all(entry.problem for entry in entries) else None
    late = (f"{hand_in.person.platform} marks it as late.",) if any(entry.late for entry in entries) else ()
    row = Submission(hand_in.student, last.assignment or last.hint or "", last.label, person=hand_in.person)
    return replace(row, notes=late, problem=problem)


def _several(row: Submission, labels: Sequence[str]) -> Submission:
    """The row where nothing tells which file is meant."""
    which = " and ".join(map(printable, labels[:2])) + (f" ({len(labels)} in all)" if len(labels) > 2 else "")
    why = f"Several files could be {row.assignment}, {which}: hand in one, {_asked(row.assignment)}."
    return replace(row, problem=Problem(why, is_ambiguous=True))


class _Chooser:
    """Finds which of the files that one student handed in counts for an assignment."""

    def __init__(self, hand_in: HandIn, row: Submission, known: Sequence[str]) -> None:
        """Raises Unreadable or OSError where there is nothing to choose from."""
        self.row, self.known = row, known
        self.decided, self.hint = hand_in.files[-1].assignment, hand_in.files[-1].hint
        there = [file for file in hand_in.files if file.entry.problem is None]
        folders = [file for file in there if file.path.is_dir() and not file.path.is_symlink()]
        self.in_folder = bool(folders)
        self.files = [file for file in there if file not in folders]
        self.files += [file.inside(name) for file in folders for name in code.files_below(file.path)]
        self.unpacked: list[str] = []  # what zips hold, where they were opened
        theirs = [file for file in self.files if _is_theirs(file.name)]
        self.candidates = [self._candidate(file, file.name) for file in theirs] or [*self._zipped()]

    def choose_all(self) -> list[Submission]:
        """A submission for each assignment that files name or that is decided; else hinted, or told by functions."""
        sure = _EXACT if self.in_folder and self.hint else _NAMELESS
        named = {candidate.assignment for candidate in self.candidates if candidate.kind <= sure}
        expected = [name for name in self.known if name in named] or [self.hint or self._recognised()]
        return [self._choose(assignment) for assignment in ([self.decided] if self.decided else expected)]

    def _choose(self, assignment: str) -> Submission:
        likely = self._likely(assignment)
        if assignment and not self.unpacked and not any(one.has(assignment) for one in likely):
            with contextlib.suppress(Unreadable, OSError):
                self.candidates += self._zipped()
            likely = self._likely(assignment)
        first = [one for one in likely if one.has(assignment)] or likely
        tied = [one for one in first if one.rank == first[0].rank]
        row = replace(self.row, assignment=assignment)
        if not tied:
            return replace(row, problem=self._none(assignment))
        if len(tied) > 1:
            return _several(row, [one.file.label for one in tied])
        (chosen,) = tied
        digest, text, problem = chosen.read
        row = replace(row, file=chosen.file.label, sha256=digest, problem=problem)
        if problem:
            return row
        earlier = [one.label for one in likely if one.rank[:2] > chosen.rank[:2]]
        others = self._others(assignment, chosen, likely)
        doubt = f"Found as well and not graded: {listed(others, _MENTIONED)}. Move what counts into {chosen.label}."
        said = {f"{listed(earlier, _MENTIONED)} came earlier, and is not graded.": earlier, doubt: others}
        notes = (*text.notes, *filter(said.get, said), *_unwritten(text, assignment, self.known))
        return replace(row, cells=text.cells, notes=row.notes + notes, doubt=doubt if others else "")

    def _likely(self, assignment: str) -> list[_Candidate]:
        """What may count for it, the likeliest first. One file alone is meant, whatever it is called."""
        alone = self.decided and len(self.candidates) == 1
        mine = [one for one in self.candidates if assignment and (alone or one.assignment in (assignment, None))]
        return sorted(mine, key=lambda one: one.rank)[:MAX_FILES]

    def _zipped(self) -> Iterator[_Candidate]:
        """The code in zips, whose own names may tell the assignment."""
        for file in [file for file in self.files if stem_and_suffix(file.name)[1] == ".zip"][-MAX_FILES:]:
            for name, member in code.zip_members(code.read_bytes(file.path)):
                self.unpacked.append(name)
                if _is_theirs(name):
                    inside = replace(file, label=utf8_safe(f"{file.label}!{name}"))
                    yield self._candidate(inside, f"{stem_and_suffix(file.name)[0]}/{name}", member)

    def _candidate(self, file: StudentFile, name: str, member: ZipInfo | None = None) -> _Candidate:
        """`name`: with all folders that may name an assignment."""
        *folders, own = name.split("/")
        stem = stem_and_suffix(own)[0]
        if exact := equal_to(stem, self.known):
            return _Candidate(file, _EXACT, exact, member)
        named = next(filter(None, (named_in(one, self.known) for one in (stem, *reversed(folders)))), None)
        kind = _NOTEBOOK if own.casefold() == "explore.ipynb" else _LOOSE if named else _NAMELESS
        return _Candidate(file, kind, named, member)

    def _recognised(self) -> str:
        """The one assignment whose functions the files define most of, where no name tells any."""
        names = frozenset[str]().union(*(candidate.code.names for candidate in self.candidates[:MAX_FILES]))
        counts = {name: len(functions(name) & names) for name in self.known}
        best = [name for name in self.known if counts[name] == max(counts.values()) > 0]
        return best[0] if len(best) == 1 else ""

    def _others(self, assignment: str, chosen: _Candidate, likely: list[_Candidate]) -> list[str]:
        """What else of the student's may have been meant."""
        missing = (functions(assignment) | {ANSWERS}) - chosen.code.written
        likely = [one for one in likely if one is not chosen and one.rank[:2] <= chosen.rank[:2]]
        others = [one.label for one in likely if one.kind < _NOTEBOOK or one.code.written & missing]
        packed = [printable(file.label) for file in self.files if stem_and_suffix(file.name)[1] in _PACKED]
        return others if chosen.has(assignment) else others + packed

    def _none(self, assignment: str) -> Problem:
        """What to say where there is no file for it, or nothing tells which assignment it is for."""
        if not assignment and self.candidates:
            why = f"The name {self.candidates[0].label} does not tell one assignment"
            advice = f"name the file after it, as in {self.known[0]}.py (staff may grade it with --assignment NAME)"
            return Problem(f"{why}: {advice}.", is_ambiguous=True)
        names = [printable(name) for name in self.unpacked or [file.name for file in self.files]] or ["nothing"]
        missing = "There is no .py or .ipynb file" + (f" for {assignment}" if assignment else "")
        return Problem(f"{missing}, but {listed(names, _MENTIONED)}: hand in {_asked(assignment)}.")


def _is_theirs(name: str) -> bool:
    """Whether it is code that a student may have written."""
    return stem_and_suffix(name)[1] in CODE and not _HANDOUT.search(name)


def _asked(assignment: str) -> str:
    return f"{assignment}.py or {assignment}.ipynb" if assignment else "the file that holds your functions"


def _unwritten(text: Code, assignment: str, known: Sequence[str]) -> Iterator[str]:
    """A zero is never silent."""
    asked = functions(assignment)
    if text.written & asked or not asked:
        return
    if text.names & asked:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    else:
        other = next((f", but those of {name}" for name in known if text.written & functions(name)), "")
        yield f"The file defines none of the functions of {assignment} at the beginning of a line{other}."
