"""Choice of the file that counts among one student's uploads: a submission for each assignment.

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
from autograder.submission.code import Code, functions, read_code
from autograder.submission.content import CODE
from autograder.submission.last_commit import last_commit
from autograder.submission.names import listed, mention, printable, stem_and_suffix, utf8_safe, words_beside
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
    assignment: str  # in the file's name, else in the nearest of the names around it; empty if in none
    evidence: int  # 2 if the file's name is the assignment's, 1 if it or a name around it contains it
    age: tuple[int, bool]  # sort key: a smaller key means a later file
    member: ZipInfo | None = None
    fault: Problem | None = None  # reason why the zip could not be opened

    @property
    def label(self) -> str:
        """Path in a form for a sentence."""
        return printable(self.upload.label)

    @property
    def rank(self) -> tuple[int, bool, bool, bool, int]:
        """Sort key: a smaller key means a likelier file."""
        return *self.age, self.fault is not None, self.member is not None, -self.evidence

    def is_written(self, assignment: str) -> bool:
        """Return True if at least one function of the assignment is more than a stub."""
        return not self.code.written.isdisjoint(functions(assignment))

    @functools.cached_property
    def code(self) -> Code:
        """Code of the file, or the reason why there is none."""
        if self.fault:
            return Code(problem=self.fault)
        digest = ""
        try:
            data = content.read_bytes(self.upload.path, content.size_limit(self.upload.path.name))
            digest = hashlib.sha256(data).hexdigest()
            text = data if self.member is None else content.read_member(data, self.member)
            return replace(read_code(text, self.upload.label), sha256=digest)
        except Exception as error:  # of the system, a zip or a parser
            return Code(sha256=digest, problem=problem_of(error))


def read(uploads: Sequence[Upload], assignments: Sequence[str]) -> list[Submission]:
    """Return one student's submission for each assignment. Any fault of a submission becomes its `problem`."""
    uploads = [replace(upload, submitted=upload.submitted or last_commit(upload.path)) for upload in uploads]
    last, files = uploads[-1], [upload for upload in uploads if not upload.problem]
    try:
        if problem := _packed_download(last) if files else last.problem:
            return [_row(last, problem)]
        return _Choice(files, assignments).submissions()
    except Exception as error:  # an unforeseen error of a folder, a parser, or the system
        return [_row(last, problem_of(error))]


def lost(uploads: Sequence[Upload], why: str) -> list[Submission]:
    """Return the row of a student whose files could not be read within bounds."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    return [_row(uploads[-1], problem)]


def _packed_download(upload: Upload) -> Problem | None:
    """Return a problem for the instructor if the file is a platform's zip of a whole class, which nobody submitted."""
    if upload.person.platform or stem_and_suffix(upload.file)[1] != ".zip":
        return None
    with contextlib.suppress(Exception):  # any exception from damaged bytes: the file is then read like any other
        top = content.top_of_zip(upload.path)
        if platform := platforms.GRADESCOPE if platforms.is_export(*top) else platforms.download_of(*top):
            sentence = f"{printable(upload.label)} is a download of {platform}: unpack it, or delete it if you have"
            return Problem(f"{sentence}.", sentence, is_class_download=True)
    return None


def _row(upload: Upload, problem: Problem | None = None) -> Submission:
    """Return a submission with what its upload states, for the assignment that the folders around it mention."""
    notes = (f"{upload.person.platform} marks it as late.",) if upload.late else ()
    facts = Submission(upload.student, upload.assignment, upload.label, person=upload.person, notes=notes)
    return replace(facts, submitted=upload.submitted, late=upload.late, problem=problem)


class _Choice:
    """Choice of the file that counts, for each assignment that one student submitted."""

    def __init__(self, uploads: Sequence[Upload], assignments: Sequence[str]) -> None:
        """List all files. Zips are opened only if no plain file is written."""
        self.assignments, self.last = assignments, uploads[-1]
        self.folders = {upload.path for upload in uploads if not upload.file}
        newest = {(upload.attempt, upload.name): upload for upload in uploads}.values()
        self.files: list[Candidate] = []
        for upload in uploads:
            age = -upload.attempt, upload not in newest
            files = [upload] if upload.file else map(upload.inside, content.files_below(upload.path))
            self.files += [Candidate(file, *self._evidence(file.file), age) for file in files]
        self.plain = [file for file in self.files if _is_students(file.upload.file)]

    def _evidence(self, path: str) -> tuple[str, int]:
        """Return the assignment that a path mentions, the file's name first, and how sure it is."""
        *folders, file = path.split("/")
        around = [mention(name, self.assignments)._replace(is_exact=False) for name in reversed(folders)]
        mentions = [mention(stem_and_suffix(file)[0], self.assignments), *around]
        found = next((each for each in mentions if each.name), mentions[0])
        return found.name, found.strength if file.casefold() != _HANDOUT_NOTEBOOK else 0

    @functools.cached_property
    def packed(self) -> tuple[list[Candidate], list[str]]:
        """Candidates in zips, with each zip that cannot be opened, and the names of all files in zips."""
        candidates, names = list[Candidate](), list[str]()
        zips = [file for file in self.files if stem_and_suffix(file.upload.file)[1] == ".zip"]
        for packed in zips[-MAX_FILES:]:
            upload = packed.upload
            try:
                members = content.zip_members(content.read_bytes(upload.path, content.size_limit(upload.file)))
            except Exception as error:  # any exception from damaged bytes
                candidates.append(replace(packed, fault=problem_of(error)))
                continue
            names += [name for name, _ in members]
            for name, member in members:
                if _is_students(name):
                    inside = replace(upload, label=utf8_safe(f"{upload.label}!{name}"))
                    evidence = self._evidence(f"{stem_and_suffix(upload.file)[0]}/{name}")
                    candidates.append(Candidate(inside, *evidence, packed.age, member))
        return candidates, names

    @property
    def candidates(self) -> list[Candidate]:
        """Plain files of code; those in zips if there are none."""
        return self.plain or self.packed[0]

    def submissions(self) -> list[Submission]:
        """Return a submission for each assignment that is decided, or that names mention, or else is suggested."""
        stated = self.last.assignment
        if self.last.is_decided:
            return [self._choose(stated)]
        least = 2 if self.folders and stated else 0
        named = {candidate.assignment for candidate in self.candidates if candidate.evidence >= least}
        return list(map(self._choose, [name for name in self.assignments if name in named] or [stated]))

    def _choose(self, assignment: str) -> Submission:
        """Return the submission for one assignment; "" if the assignment is unknown."""
        likely = self._likely(assignment, self.candidates)
        if assignment and not any(candidate.is_written(assignment) for candidate in likely):
            likely = self._likely(assignment, [*self.plain, *self.packed[0]])
        if not likely:
            return replace(_row(self.last, self._no_file(assignment)), assignment=assignment)
        first = [candidate for candidate in likely if candidate.is_written(assignment)] or likely
        tied = [candidate for candidate in first if candidate.rank == first[0].rank]
        if len(tied) > 1 and not tied[0].fault:
            problem = _several(assignment, [candidate.upload.label for candidate in tied])
            return replace(_row(self.last, problem), assignment=assignment)
        return self._chosen(tied[0], likely, assignment)

    def _likely(self, assignment: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return candidates for an assignment, the likeliest first. A single file counts under any name."""
        is_single = self.last.is_decided and len(candidates) == 1
        matching = [candidate for candidate in candidates if is_single or candidate.assignment in (assignment, "")]
        return sorted(matching, key=lambda candidate: candidate.rank)[:MAX_FILES] if assignment else []

    def _chosen(self, chosen: Candidate, likely: list[Candidate], assignment: str) -> Submission:
        """Return the submission with the code of the chosen file, and notes on the others."""
        code = chosen.code
        row = replace(_row(chosen.upload, code.problem), assignment=assignment, sha256=code.sha256)
        if code.problem:
            return row
        doubts = [*_doubts(assignment, chosen, likely)]
        earlier = [candidate.label for candidate in likely if candidate.age > chosen.age]
        notes = [*row.notes, *code.notes]
        notes += [f"{listed(earlier, _MAX_LISTED)} came earlier, and is not graded."] if earlier else []
        notes += [*doubts, *_unwritten(code, assignment, self.assignments)]
        doubt = " ".join([*doubts, *self._several_students()])
        is_written = chosen.is_written(assignment)
        return replace(row, cells=code.cells, notes=tuple(notes), doubt=doubt, is_written=is_written)

    def _several_students(self) -> Iterator[str]:
        """Yield a sentence for staff if files in a folder that no platform made are named after different people."""
        if self.last.person.platform:
            return
        named = {
            words: candidate.label
            for candidate in self.candidates
            if candidate.evidence == 1 and candidate.upload.path.parent in self.folders
            if (words := words_beside(candidate.upload.path.stem, candidate.assignment))
        }
        first, *others = named.items() or [(frozenset(), "")]
        if other := next((label for words, label in others if words.isdisjoint(first[0])), ""):
            folder = printable(os.path.dirname(first[1]))
            yield f"If {first[1]} and {other} are of several students, grade the folder {folder} by itself."

    def _no_file(self, assignment: str) -> Problem:
        """Return the problem if no file belongs to the assignment, or no name contains the assignment."""
        if not assignment and self.candidates:
            first, example = self.candidates[0], f"{self.assignments[0]}.py"
            advice = f"name the file after it, as in {example} (staff may grade it with --assignment NAME)"
            return first.fault or Problem(
                f"The name {first.label} does not tell one assignment: {advice}.",
                f"the name {first.label} does not say one assignment; add --assignment NAME",
            )
        names = self.packed[1] or [file.upload.name for file in self.files] or ["nothing"]
        missing = "There is no .py or .ipynb file" + (f" for {assignment}" if assignment else "")
        which = f"{assignment}.py or {assignment}.ipynb" if assignment else "the file that holds your functions"
        return Problem(f"{missing}, but {listed([*map(printable, names)], _MAX_LISTED)}: hand in {which}.")


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


def _unwritten(code: Code, assignment: str, assignments: Sequence[str]) -> Iterator[str]:
    """Yield the reason why no part of the code can earn points: a zero always has a message."""
    expected = functions(assignment)
    if code.written & expected or not expected:
        return
    if code.names & expected:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    else:
        other = next((f", but those of {name}" for name in assignments if code.written & functions(name)), "")
        yield f"The file defines none of the functions of {assignment} at the beginning of a line{other}."


def _is_students(name: str) -> bool:
    """Return True for code that a student may have written."""
    return stem_and_suffix(name)[1] in CODE and not _HANDOUT.search(name)
