"""Candidates for the file that counts: a student's code files, on disk and in zips, likeliest first.

Files from the latest attempt come first. Within an attempt, plain files precede files in zips, and names that mention
the assignment precede those that do not.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zipfile import ZipInfo

from autograder.submission import bounded_reading
from autograder.submission.assignment_mentions import mention
from autograder.submission.code import Code, functions, read_code
from autograder.submission.records import Problem, Upload, problem_of
from autograder.submission.untrusted_names import printable, stem_and_suffix, utf8_safe

MAX_CANDIDATES_PER_ASSIGNMENT = 20  # also the maximum number of zips opened for one student

_SUPPORT_FILE = re.compile(  # names of files that students rarely write themselves
    r"(?:.*/)?(?:figures|phone_layout|measuring|experiments|lab(?:_\w+)?|conftest|setup|__init__|test_[^/]*)"
    r"\.(?:py|ipynb)",
    re.IGNORECASE | re.DOTALL,
)
_HANDOUT_FOLDER = re.compile(
    r"(?:^|/)(?:assignments/(?:[^/]+/tests|writer)/|tests/public/|autograder/(?:protocol|checks|hints|laptop)/)",
    re.IGNORECASE,
)
_HANDOUT_NOTEBOOK = "explore.ipynb"
_VERSION_FOLDER = re.compile(r"(?:^|/)versi[oó]n (\d{1,6})/", re.IGNORECASE)
"""Pattern for the folder in which Microsoft Teams keeps each submission of a student's work."""


@dataclass(frozen=True)
class Candidate:
    """A file that could count, on disk or in a zip.

    Its code is read only once, even if it is a candidate for several assignments.
    """

    upload: Upload
    assignment: str  # from the file's name or else the nearest folder's; empty if unknown
    name_match: int  # 2 if the file has exactly the assignment's name, 1 if it or a folder mentions it
    age: tuple[int, int, bool]  # sort key: a smaller key means a later file
    member: ZipInfo | None = None
    fault: Problem | None = None  # why the zip could not be opened

    @property
    def label(self) -> str:
        """The file's path in printable form, for sentences."""
        return printable(self.upload.label)

    @property
    def likeliest_first_key(self) -> tuple[int, int, bool, bool, bool, int]:
        """Sort key: a smaller key means a likelier file."""
        return *self.age, self.fault is not None, self.member is not None, -self.name_match

    def is_written(self, assignment: str) -> bool:
        """Return True if at least one function of the assignment is more than a stub."""
        return not self.code.implemented_names.isdisjoint(functions(assignment))

    @functools.cached_property
    def code(self) -> Code:
        """The file's code, or the problem that kept it from being read."""
        if self.fault:
            return Code(problem=self.fault)
        digest = ""
        try:
            data = bounded_reading.read_bytes(self.upload.path, bounded_reading.size_limit(self.upload.path.name))
            digest = hashlib.sha256(data).hexdigest()
            text = data if self.member is None else bounded_reading.read_member(data, self.member)
            return replace(read_code(text, self.upload.label), sha256=digest)
        except Exception as error:  # from the system, a zip or a parser
            return Code(sha256=digest, problem=problem_of(error))


class StudentFiles:
    """The files that one student uploaded. Zips are opened only if all plain files are stubs."""

    def __init__(self, uploads: Sequence[Upload], assignments: Sequence[str]) -> None:
        self.last, self.assignments = uploads[-1], assignments
        self.folders = {upload.path for upload in uploads if not upload.file}
        newest = {(upload.attempt, upload.file_name): upload for upload in uploads}.values()
        self._files: list[Candidate] = []  # of all kinds, on disk
        for upload in uploads:
            files = [upload] if upload.file else map(upload.file_in_folder, bounded_reading.files_below(upload.path))
            for file in files:
                age = -upload.attempt, -_version_folder_number(file.file), upload not in newest
                self._files.append(Candidate(file, *self._assignment_and_name_match(file.file), age))
        self._plain = [file for file in self._files if _may_be_students_code(file.upload.file)]
        self._support = [file for file in self._files if _is_support_file(file.upload.file)]

    @functools.cached_property
    def _zipped_candidates_and_names(self) -> tuple[list[Candidate], list[str]]:
        """The candidates in zips, including each unreadable zip, and the names of all files in zips."""
        candidates, names = list[Candidate](), list[str]()
        zips = [file for file in self._files if stem_and_suffix(file.upload.file)[1] == ".zip"]
        for packed in zips[-MAX_CANDIDATES_PER_ASSIGNMENT:]:
            upload = packed.upload
            try:
                archive = bounded_reading.read_bytes(upload.path, bounded_reading.size_limit(upload.file))
                members = bounded_reading.zip_members(archive)
            except Exception as error:  # damaged bytes can raise anything
                candidates.append(replace(packed, fault=problem_of(error)))
                continue
            names += members
            for name, member in members.items():
                if _may_be_students_code(name):
                    inside = replace(upload, label=utf8_safe(f"{upload.label}!{name}"))
                    match = self._assignment_and_name_match(f"{upload.file}/{name}")
                    candidates.append(Candidate(inside, *match, packed.age, member))
        return candidates, names

    def _assignment_and_name_match(self, path: str) -> tuple[str, int]:
        """Return the assignment mentioned nearest to the end of a path, and how strong the mention is."""
        *folders, file = path.split("/")
        around = [mention(name, self.assignments)._replace(is_exact=False) for name in reversed(folders)]
        mentions = [mention(stem_and_suffix(file)[0], self.assignments), *around]
        nearest = next((each for each in mentions if each.assignment), mentions[0])
        return nearest.assignment, nearest.strength if file.casefold() != _HANDOUT_NOTEBOOK else 0

    @property
    def plain_else_zipped(self) -> list[Candidate]:
        """The plain code files, or those in zips if the student uploaded no plain ones."""
        return self._plain or self._zipped_candidates_and_names[0]

    @property
    def received_file_names(self) -> list[str]:
        """The names of the files in zips, or of all uploaded files if the zips contain no files."""
        return self._zipped_candidates_and_names[1] or [file.upload.file_name for file in self._files]

    def assignments_to_grade(self) -> list[str]:
        """Return the decided assignment or, failing that, those that file names mention, or else the suggested one."""
        if self.last.is_decided:
            return [self.last.assignment]
        least = 2 if self.folders and self.last.assignment else 0
        named = {candidate.assignment for candidate in self.plain_else_zipped if candidate.name_match >= least}
        return [name for name in self.assignments if name in named] or [self.last.assignment]

    def ranked_candidates(self, assignment: str) -> list[Candidate]:
        """Return the candidates for an assignment, likeliest first.

        A file named like a support file, such as lab_5.py, counts only if no other file implements anything.
        """
        ranked_candidates = self._of_assignment(assignment, self.plain_else_zipped)
        if any(candidate.is_written(assignment) for candidate in ranked_candidates):
            return ranked_candidates
        ranked_candidates = self._of_assignment(assignment, [*self._plain, *self._zipped_candidates_and_names[0]])
        if any(candidate.is_written(assignment) for candidate in ranked_candidates):
            return ranked_candidates
        support = self._of_assignment(assignment, self._support)
        return [*ranked_candidates, *(candidate for candidate in support if candidate.is_written(assignment))]

    def _of_assignment(self, assignment: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return an assignment's candidates in order; if the assignment is decided, a single file can have any name."""
        is_single = self.last.is_decided and len(candidates) == 1
        fitting = (each for each in candidates if is_single or each.assignment in (assignment, ""))
        return sorted(fitting, key=lambda candidate: candidate.likeliest_first_key)[:MAX_CANDIDATES_PER_ASSIGNMENT]


def _version_folder_number(path: str) -> int:
    """Return the number of the version folder in a path, or 0 if there is none."""
    match = _VERSION_FOLDER.search(path)
    return int(match[1]) if match else 0


def _may_be_students_code(name: str) -> bool:
    """Return True for the name of a code file that a student could have written."""
    is_code = stem_and_suffix(name)[1] in bounded_reading.CODE_SUFFIXES
    return is_code and not _is_support_file(name) and not _HANDOUT_FOLDER.search(name)


def _is_support_file(name: str) -> bool:
    """Return True for a file named like a support file, which never competes with students' code."""
    return bool(_SUPPORT_FILE.fullmatch(name)) and not _HANDOUT_FOLDER.search(name)
