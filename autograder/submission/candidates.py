"""Candidates for the file that counts: one student's code files, on disk and in zips, the likeliest first.

Files from the latest attempt come first, then plain files before files in zips, then files whose names fit.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zipfile import ZipInfo

from autograder.submission import content
from autograder.submission.code import Code, functions, read_code
from autograder.submission.names import mention, printable, stem_and_suffix, utf8_safe
from autograder.submission.records import Problem, Upload, problem_of

MAX_CANDIDATES = 20  # files of one student that are read for one assignment, and zips that are opened

_HANDOUT = re.compile(  # files that students do not write, so they never compete with the students' own
    r"(?:^|/)(?:(?:figures|measuring|experiments|lab(?:_\w+)?|conftest|setup|__init__|test_[^/]*)\.(?:py|ipynb)$"
    r"|assignments/[^/]+/tests/|tests/public/|autograder/(?:protocol|checks|hints|laptop)/)",
    re.IGNORECASE,
)
_HANDOUT_NOTEBOOK = "explore.ipynb"


@dataclass(frozen=True)
class Candidate:
    """A file that may count, on disk or in a zip. It is read once, for any number of assignments."""

    upload: Upload
    assignment: str  # in the file's name, otherwise in the nearest name around it; empty if in none
    name_match: int  # 2 if the file's name is the assignment's, 1 if it or a name around it contains it
    age: tuple[int, bool]  # sort key: a smaller key means a later file
    member: ZipInfo | None = None
    fault: Problem | None = None  # why the zip could not be opened

    @property
    def label(self) -> str:
        """The path, in a form for a sentence."""
        return printable(self.upload.label)

    @property
    def rank(self) -> tuple[int, bool, bool, bool, int]:
        """Sort key: a smaller key means a likelier file."""
        return *self.age, self.fault is not None, self.member is not None, -self.name_match

    def is_written(self, assignment: str) -> bool:
        """Return True if at least one function of the assignment is more than a stub."""
        return not self.code.written.isdisjoint(functions(assignment))

    @functools.cached_property
    def code(self) -> Code:
        """The file's code, or the reason why there is none."""
        if self.fault:
            return Code(problem=self.fault)
        digest = ""
        try:
            data = content.read_bytes(self.upload.path, content.size_limit(self.upload.path.name))
            digest = hashlib.sha256(data).hexdigest()
            text = data if self.member is None else content.read_member(data, self.member)
            return replace(read_code(text, self.upload.label), sha256=digest)
        except Exception as error:  # from the system, a zip or a parser
            return Code(sha256=digest, problem=problem_of(error))


class StudentFiles:
    """The files that one student uploaded. Zips are opened only if no plain file is more than a stub."""

    def __init__(self, uploads: Sequence[Upload], assignments: Sequence[str]) -> None:
        self.last, self.assignments = uploads[-1], assignments
        self.folders = {upload.path for upload in uploads if not upload.file}
        newest = {(upload.attempt, upload.name): upload for upload in uploads}.values()
        self._files: list[Candidate] = []  # of all kinds, on disk
        for upload in uploads:
            age = -upload.attempt, upload not in newest
            files = [upload] if upload.file else map(upload.file_in_folder, content.files_below(upload.path))
            self._files += [Candidate(file, *self._name_match(file.file), age) for file in files]
        self._plain = [file for file in self._files if _is_students(file.upload.file)]

    @functools.cached_property
    def _packed(self) -> tuple[list[Candidate], list[str]]:
        """The candidates in zips, including each zip that cannot be opened, and the names of all files in zips."""
        candidates, names = list[Candidate](), list[str]()
        zips = [file for file in self._files if stem_and_suffix(file.upload.file)[1] == ".zip"]
        for packed in zips[-MAX_CANDIDATES:]:
            upload = packed.upload
            try:
                members = content.zip_members(content.read_bytes(upload.path, content.size_limit(upload.file)))
            except Exception as error:  # any exception from damaged bytes
                candidates.append(replace(packed, fault=problem_of(error)))
                continue
            names += members
            for name, member in members.items():
                if _is_students(name):
                    inside = replace(upload, label=utf8_safe(f"{upload.label}!{name}"))
                    match = self._name_match(f"{upload.file}/{name}")
                    candidates.append(Candidate(inside, *match, packed.age, member))
        return candidates, names

    def _name_match(self, path: str) -> tuple[str, int]:
        """Return the assignment in a path's names, looking at the file's name first, and how well the name fits."""
        *folders, file = path.split("/")
        around = [mention(name, self.assignments)._replace(is_exact=False) for name in reversed(folders)]
        mentions = [mention(stem_and_suffix(file)[0], self.assignments), *around]
        nearest = next((each for each in mentions if each.name), mentions[0])
        return nearest.name, nearest.strength if file.casefold() != _HANDOUT_NOTEBOOK else 0

    @property
    def candidates(self) -> list[Candidate]:
        """The plain code files; if there are none, those in zips."""
        return self._plain or self._packed[0]

    @property
    def names(self) -> list[str]:
        """The names of the files in zips; if there are none, the names of all files."""
        return self._packed[1] or [file.upload.name for file in self._files]

    def assignments_named(self) -> list[str]:
        """Return the decided assignment, or those that file names mention, or otherwise the suggested one."""
        if self.last.is_decided:
            return [self.last.assignment]
        least = 2 if self.folders and self.last.assignment else 0
        named = {candidate.assignment for candidate in self.candidates if candidate.name_match >= least}
        return [name for name in self.assignments if name in named] or [self.last.assignment]

    def likely(self, assignment: str) -> list[Candidate]:
        """Return the candidates for an assignment, the likeliest first."""
        likely = self._of_assignment(assignment, self.candidates)
        if any(candidate.is_written(assignment) for candidate in likely):
            return likely
        return self._of_assignment(assignment, [*self._plain, *self._packed[0]])

    def _of_assignment(self, assignment: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that may belong to an assignment, sorted. A single file counts under any name."""
        is_single = self.last.is_decided and len(candidates) == 1
        fitting = (each for each in candidates if is_single or each.assignment in (assignment, ""))
        return sorted(fitting, key=lambda candidate: candidate.rank)[:MAX_CANDIDATES]


def _is_students(name: str) -> bool:
    """Return True for code that a student may have written."""
    return stem_and_suffix(name)[1] in content.CODE and not _HANDOUT.search(name)
