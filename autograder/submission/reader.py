"""Submissions from what one student uploaded: which of the files counts, and its Python text.

One rule decides: the file whose functions are written counts; among several the file of the latest attempt, then a
plain file before a file in a zip, then the file whose name fits. If two remain, the row names both.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from zipfile import ZipInfo

from autograder.protocol.call import ANSWERS
from autograder.submission import content, platforms
from autograder.submission.clones import last_commit
from autograder.submission.code import Code, functions, read_code
from autograder.submission.content import CODE
from autograder.submission.names import equal_to, listed, named_in, printable, stem_and_suffix, utf8_safe, words_beside
from autograder.submission.records import Problem, Submission, Upload, problem_of

MAX_FILES = 20  # of files of one student that are read for one assignment, and of zips that are opened
_MAX_LISTED = 3

_HANDOUT = re.compile(  # files that students do not write, which never compete with theirs
    r"(?:^|/)(?:(?:figures|measuring|experiments|lab(?:_\w+)?|conftest|setup|__init__|test_[^/]*)\.(?:py|ipynb)$"
    r"|assignments/[^/]+/tests/|tests/public/|autograder/(?:protocol|checks|hints|laptop)/)",
    re.IGNORECASE,
)
_HANDOUT_NOTEBOOK = "explore.ipynb"


@dataclass(frozen=True)
class Candidate:
    """A file that may count, on disk or in a zip. It is read once, for any number of assignments."""

    upload: Upload
    assignment: str = ""
    evidence: int = 0  # 2 if the file's name is the assignment's, 1 if it or a folder contains it
    member: ZipInfo | None = None
    fault: Problem | None = None  # reason why the folder or the zip could not be opened

    @property
    def label(self) -> str:
        """Path in a form for a sentence."""
        return printable(self.upload.label)

    @property
    def age(self) -> tuple[int, bool]:
        """Sort key: a smaller key means a later file."""
        return -self.upload.attempt, self.upload.is_superseded

    @property
    def rank(self) -> tuple[int, bool, bool, bool, int]:
        """Sort key: a smaller key means a likelier file."""
        return *self.age, self.fault is not None, self.member is not None, -self.evidence

    @functools.cached_property
    def code(self) -> Code:
        """Code of the file, or the reason why there is none."""
        if self.fault:
            return Code(problem=self.fault)
        digest = ""
        try:
            data = content.read_bytes(self.upload.path, content.size_limit(self.upload.name))
            digest = hashlib.sha256(data).hexdigest()
            text = data if self.member is None else content.read_member(data, self.member)
            return replace(read_code(text, self.upload.label), sha256=digest)
        except Exception as error:  # of the system, a zip or a parser
            return Code(sha256=digest, problem=problem_of(error))


def read(uploads: Sequence[Upload], known: Sequence[str]) -> list[Submission]:
    """Return a submission for each assignment. Any fault of a submission becomes its `problem`."""
    row = _row(uploads)
    try:
        if row.problem:
            return [row]
        if problem := _packed_download(uploads[-1]):
            return [replace(row, problem=problem)]
        return _Choice(uploads, known).submissions()
    except Exception as error:  # an unforeseen error of a folder, a parser, or the system
        return [replace(row, problem=problem_of(error))]


def _packed_download(upload: Upload) -> Problem | None:
    """Return a problem for the instructor if the file is a platform's zip of a whole class, which nobody submitted."""
    if upload.person.platform or stem_and_suffix(upload.file)[1] != ".zip":
        return None
    with contextlib.suppress(Exception):  # any exception from damaged bytes: the file is then read like any other
        top = content.top_of_zip(upload.path)
        if platform := platforms.GRADESCOPE if platforms.is_export(*top) else platforms.download_of(*top):
            what = f"{printable(upload.label)} is a download of {platform}"
            sentence = f"{what}: unpack it if you have not yet, and delete the zip"
            return Problem(f"{sentence}.", sentence, is_class_download=True)
    return None


def lost(uploads: Sequence[Upload], why: str) -> list[Submission]:
    """Return the row of a student whose files could not be read within bounds."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    return [replace(_row(uploads), problem=problem)]


def _row(uploads: Sequence[Upload]) -> Submission:
    """Return all facts about a submission before it is read; its file is the last upload."""
    last = uploads[-1]
    problem = last.problem if all(upload.problem for upload in uploads) else None
    row = Submission(last.student, last.assignment, last.label, person=last.person, problem=problem)
    return _dated(row, last)


def _dated(row: Submission, upload: Upload) -> Submission:
    """Return the row with the time of this upload, and a note if it is late."""
    notes = (f"{row.person.platform} marks it as late.",) if upload.late else ()
    return replace(row, submitted=upload.submitted, late=upload.late, notes=notes)


class _Choice:
    """Choice of the file that counts, for each assignment that one student submitted."""

    def __init__(self, uploads: Sequence[Upload], known: Sequence[str]) -> None:
        """List the candidates. Zips are opened only if there is no plain file of code."""
        self.row, self.known, self.last = _row(uploads), known, uploads[-1]
        self.files: list[Upload] = []
        self.packed: list[str] = []  # names in zips
        self.has_folder = False
        for upload in [upload for upload in uploads if not upload.problem]:
            if upload.file:
                self.files.append(upload)
                continue
            self.has_folder = True
            folder = replace(upload, submitted=upload.submitted or last_commit(upload.path))
            self.row = _dated(self.row, folder)
            self.files += [folder.inside(name) for name in content.files_below(upload.path)]
        self.candidates = [self._candidate(file, file.name) for file in self.files if _is_students(file.name)]
        self.zips = [file for file in self.files if stem_and_suffix(file.name)[1] == ".zip"][-MAX_FILES:]
        if not self.candidates:
            self._open_zips()

    def submissions(self) -> list[Submission]:
        """Return a submission for each assignment that is decided, or that names mention, or else is suggested."""
        if self.last.is_decided:
            return [self._choose(self.last.assignment)]
        least = 2 if self.has_folder and self.last.assignment else 0
        named = {candidate.assignment for candidate in self.candidates if candidate.evidence >= least}
        return list(map(self._choose, [name for name in self.known if name in named] or [self.last.assignment]))

    def _open_zips(self) -> None:
        """Add the code in zips, whose names may contain the assignment, and each zip that cannot be opened."""
        while self.zips:
            file = self.zips.pop(0)
            stem = stem_and_suffix(file.name)[0]
            try:
                members = content.zip_members(content.read_bytes(file.path, content.size_limit(file.name)))
            except Exception as error:  # any exception from damaged bytes
                self.candidates.append(replace(self._candidate(file, stem), fault=problem_of(error)))
                continue
            self.packed += [name for name, _ in members]
            for name, member in members:
                if _is_students(name):
                    inside = replace(file, label=utf8_safe(f"{file.label}!{name}"))
                    self.candidates.append(replace(self._candidate(inside, f"{stem}/{name}"), member=member))

    def _candidate(self, upload: Upload, name: str) -> Candidate:
        """Return a candidate; `name` has all folders that may name an assignment."""
        *folders, file = name.split("/")
        stem = stem_and_suffix(file)[0]
        if exact := equal_to(stem, self.known):
            return Candidate(upload, exact, 2)
        named = next(filter(None, (named_in(part, self.known) for part in (stem, *reversed(folders)))), "")
        return Candidate(upload, named, int(bool(named) and file.casefold() != _HANDOUT_NOTEBOOK))

    def _choose(self, assignment: str) -> Submission:
        """Return the submission for one assignment; "" if the assignment is unknown."""
        expected = functions(assignment)
        likely = self._likely(assignment)
        if assignment and not any(candidate.code.written & expected for candidate in likely):
            self._open_zips()
            likely = self._likely(assignment)
        row = replace(self.row, assignment=assignment)
        if not likely:
            return replace(row, problem=self._no_file(assignment))
        first = [candidate for candidate in likely if candidate.code.written & expected] or likely
        tied = [candidate for candidate in first if candidate.rank == first[0].rank]
        if len(tied) > 1 and not tied[0].fault:
            return replace(row, problem=_several(assignment, [candidate.upload.label for candidate in tied]))
        return self._chosen(tied[0], likely, _dated(row, tied[0].upload))

    def _chosen(self, chosen: Candidate, likely: list[Candidate], row: Submission) -> Submission:
        """Return the row with the code of the chosen file, and notes on the others."""
        code = chosen.code
        row = replace(row, file=chosen.upload.label, sha256=code.sha256, problem=code.problem)
        if code.problem:
            return row
        doubts = [*_doubts(row.assignment, chosen, likely)]
        earlier = [candidate.label for candidate in likely if candidate.age > chosen.age]
        notes = [*row.notes, *code.notes]
        notes += [f"{listed(earlier, _MAX_LISTED)} came earlier, and is not graded."] if earlier else []
        notes += [*doubts, *_unwritten(code, row.assignment, self.known)]
        is_written = bool(code.written & functions(row.assignment))
        doubt = " ".join([*doubts, *self._several_students()])
        return replace(row, cells=code.cells, notes=tuple(notes), doubt=doubt, is_written=is_written)

    def _several_students(self) -> Iterator[str]:
        """Yield a sentence for staff if files in a folder that no platform made are named after different people."""
        if self.row.person.platform or not self.has_folder:
            return
        named = {
            words: candidate.label
            for candidate in self.candidates
            if candidate.evidence == 1 and "/" not in candidate.upload.name
            if (words := words_beside(candidate.upload.name.rpartition(".")[0], candidate.assignment))
        }
        first, *others = named.items() or [(frozenset(), "")]
        if other := next((label for words, label in others if words.isdisjoint(first[0])), ""):
            folder = printable(os.path.dirname(first[1]))
            yield f"If {first[1]} and {other} are of several students, grade the folder {folder} by itself."

    def _likely(self, assignment: str) -> list[Candidate]:
        """Return candidates for an assignment, the likeliest first. A single file counts under any name."""
        is_single = self.last.is_decided and len(self.candidates) == 1
        names = {candidate.assignment for candidate in self.candidates} if is_single else {assignment, ""}
        matching = [candidate for candidate in self.candidates if assignment and candidate.assignment in names]
        return sorted(matching, key=lambda candidate: candidate.rank)[:MAX_FILES]

    def _no_file(self, assignment: str) -> Problem:
        """Return the problem if no file belongs to the assignment, or no name contains the assignment."""
        if not assignment and self.candidates:
            first = self.candidates[0]
            advice = f"name the file after it, as in {self.known[0]}.py (staff may grade it with --assignment NAME)"
            return first.fault or Problem(
                f"The name {first.label} does not tell one assignment: {advice}.",
                f"the name {first.label} does not say one assignment; add --assignment NAME",
            )
        names = [printable(name) for name in self.packed or [file.name for file in self.files]] or ["nothing"]
        missing = "There is no .py or .ipynb file" + (f" for {assignment}" if assignment else "")
        which = f"{assignment}.py or {assignment}.ipynb" if assignment else "the file that holds your functions"
        return Problem(f"{missing}, but {listed(names, _MAX_LISTED)}: hand in {which}.")


def _several(assignment: str, labels: Sequence[str]) -> Problem:
    """Return the problem if it is unknown which file counts."""
    which = " and ".join(map(printable, labels[:2])) + (f" ({len(labels)} in all)" if len(labels) > 2 else "")
    archive = labels[0].partition("!")[0] if "!" in labels[0] else ""
    folder = printable(archive or os.path.commonpath(labels))
    action = f"unpack {folder} and grade the new folder" if archive else f"grade the folder {folder} by itself"
    advice = f"if they are the files of several students, {action}" if folder else "keep the one that counts"
    return Problem(
        f"Several files could be {assignment}, {which}: hand in one, {assignment}.py or {assignment}.ipynb.",
        f"{which} could each be {assignment}; {advice}",
    )


def _doubts(assignment: str, chosen: Candidate, likely: list[Candidate]) -> Iterator[str]:
    """Yield sentences on other files that may have been meant."""
    missing = (functions(assignment) | {ANSWERS}) - chosen.code.written
    rivals = [rival for rival in likely if rival.fault or rival.evidence or rival.code.written & missing]
    later = [rival.label for rival in rivals if rival.age < chosen.age]
    beside = [rival.label for rival in rivals if rival.age == chosen.age and rival is not chosen]
    if later:
        names = listed(later, _MAX_LISTED)
        yield f"{names} came later, but no function of {assignment} is written there: {chosen.label} counts."
    if beside:
        names = listed(beside, _MAX_LISTED)
        yield f"Found as well and not graded: {names}. Move what counts into {chosen.label}."


def _unwritten(code: Code, assignment: str, known: Sequence[str]) -> Iterator[str]:
    """Yield the reason why no part of the code can earn points: a zero always has a message."""
    expected = functions(assignment)
    if code.written & expected or not expected:
        return
    if code.names & expected:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    else:
        other = next((f", but those of {name}" for name in known if code.written & functions(name)), "")
        yield f"The file defines none of the functions of {assignment} at the beginning of a line{other}."


def _is_students(name: str) -> bool:
    """Return True for code that a student may have written."""
    return stem_and_suffix(name)[1] in CODE and not _HANDOUT.search(name)
