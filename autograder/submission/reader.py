"""From a submission that was found to a submission that can be graded: bytes, text, Python.

Where a student has several files that could be meant, this is where what is written in them decides: the stub as it was
handed out is never a rival of what a student wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from autograder import course
from autograder.checks.call import ANSWERS
from autograder.submission import archive, bindings, disk, notebook, python, text
from autograder.submission.bindings import Bindings
from autograder.submission.choice import CODE, several, suffix
from autograder.submission.names import listed, printable
from autograder.submission.records import Candidate, Problem, Refused, Submission, SubmissionFile, problem_of

_MENTIONED = 3
"""files that a note names"""


@dataclass(frozen=True)
class _Read:
    """One file, read."""

    file: str
    sha256: str
    cells: tuple[str, ...]
    notes: tuple[str, ...]
    bindings: Bindings


def read(found: SubmissionFile) -> Submission:
    """Reads one submission. Whatever is wrong with it becomes its `problem`; nothing is raised."""
    try:
        if found.path is not None:
            found = replace(found, sha256=_sha256(disk.read(found.path)))
        chosen = _chosen(found)
        if chosen is None:
            return found
        found = replace(found, file=chosen.file, sha256=chosen.sha256, problem=_of_another(chosen.bindings, found.assignment))
        return found if found.problem else replace(found, cells=chosen.cells, notes=found.notes + chosen.notes)
    except Exception as error:  # a file that is refused; or a parser, or the system, in a way that nobody foresaw
        return replace(found, problem=found.problem or problem_of(error))


def _chosen(found: SubmissionFile) -> _Read | None:
    """The file that counts, and the notes on it; None where the problem stays. Raises Refused where it cannot be read."""
    assignment = found.assignment
    wanted = bindings.functions(assignment)
    others: list[_Read] = []
    if found.problem is not None:
        chosen = _only_one(found.candidates, wanted)
        if chosen is None:
            return None
    else:
        first, *rivals = found.candidates
        chosen = _read(first)
        if wanted - chosen.bindings.written:
            others = [other for other in map(_tried, rivals) if other is not None and other.bindings.written & wanted]
        chosen = _best(chosen, others, assignment, wanted)
    mentioned = {found.file, chosen.file, *(other.file for other in others)}
    more = [one.file for one in found.candidates if one.named and one.file not in mentioned]
    return replace(chosen, notes=(*chosen.notes, *_not_graded(more), *_unwritten(chosen.bindings, assignment, wanted)))


def _only_one(candidates: Iterable[Candidate], wanted: frozenset[str]) -> _Read | None:
    """Of several files whose names are alike, the one that is no untouched stub; None where that leaves several."""
    tried = [_tried(candidate) for candidate in candidates]
    left = [one for one in tried if one is None or one.bindings.written & wanted or not one.bindings.names & wanted]
    if len(left) != 1 or left[0] is None:
        return None
    note = f"Of several files that could be meant, {printable(left[0].file)} alone is more than the stub."
    return replace(left[0], notes=(*left[0].notes, note))


def _best(own: _Read, others: list[_Read], assignment: str, wanted: frozenset[str]) -> _Read:
    """The file at its place or of the right name; where it is an untouched stub, the one other file that has functions in it."""
    if own.bindings.written & wanted or not others:
        return replace(own, notes=own.notes + tuple(_left_aside(own, others, wanted)))
    if len(others) > 1:
        problem = several([other.file for other in others], assignment)
        raise Refused(problem.student, problem.instructor)
    return _instead_of(own, others[0])


def _tried(candidate: Candidate) -> _Read | None:
    try:
        return _read(candidate)
    except (Refused, OSError):
        return None


def _read(one: Candidate) -> _Read:
    data = disk.read(one.path)
    return _Read(one.file, _sha256(data), *_cells(data if one.member is None else archive.read(data, one.member), one.member or one.path.name))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _instead_of(stub: _Read, other: _Read) -> _Read:
    """Another file in the place of an untouched stub. Answers that are given in the stub still count."""
    note = f"The functions in {printable(stub.file)} are not written, so those in {printable(other.file)} are graded."
    if ANSWERS not in stub.bindings.written or ANSWERS in other.bindings.written:
        return replace(other, notes=(*other.notes, note))
    note += f" The answers are those in {printable(stub.file)}."
    return replace(
        other,
        cells=stub.cells + other.cells,
        notes=(*stub.notes, *other.notes, note),
        bindings=bindings.joined([stub.bindings, other.bindings]),
    )


def _left_aside(own: _Read, others: Iterable[_Read], wanted: frozenset[str]) -> Iterator[str]:
    for other in others:
        more = sorted((other.bindings.written & wanted) - own.bindings.written)
        if more:
            yield f"{printable(other.file)} has {listed(more, _MENTIONED)} too, and was not graded: move what counts into {printable(own.file)}."


def _not_graded(files: list[str]) -> Iterator[str]:
    for file in files[:_MENTIONED]:
        yield f"{printable(file)} was found as well and was not graded."
    if len(files) > _MENTIONED:
        yield f"{len(files) - _MENTIONED} more files that could be meant were not graded."


def _unwritten(found: Bindings, assignment: str, wanted: frozenset[str]) -> Iterator[str]:
    """A zero is never silent."""
    if not wanted or found.written & wanted or not found.certain:
        return
    if found.names & wanted:
        yield f"No function of {assignment} is written yet: they are as in the stub that was handed out."
    else:
        yield f"The file defines none of the functions of {assignment}."


def recognised(file: SubmissionFile, known: Iterable[str]) -> str | None:
    """The one assignment whose functions a file defines most of, where its name tells none."""
    found = _tried(Candidate(file.file, file.path)) if file.path is not None else None
    counts = {name: len(bindings.functions(name) & found.bindings.names) for name in known} if found else {}
    most = max(counts.values(), default=0)
    best = [name for name, count in counts.items() if count == most > 0]
    return best[0] if len(best) == 1 else None


def _of_another(found: Bindings, assignment: str) -> Problem | None:
    """Why the file is no submission for its assignment, where it holds the functions of another one and none of its own."""
    if not bindings.functions(assignment) or found.names & bindings.functions(assignment) or not found.certain:
        return None
    other = next((one.name for one in course.assignments() if found.written & bindings.functions(one.name)), None)
    if other is None:
        return None
    return Problem(
        f"This file has the functions of {other} and none of {assignment}: hand in your {assignment}.py or {assignment}.ipynb.",
        f"It is a file for {other}, and was handed in for {assignment}: grade it with --assignment {other}.",
    )


def _cells(data: bytes, name: str) -> tuple[tuple[str, ...], tuple[str, ...], Bindings]:
    """The Python text of a .py or .ipynb file, notes, and what is written. Where name and content disagree, the content decides."""
    ending = suffix(name)
    if ending not in CODE:
        raise Refused(
            f"A {printable(ending) or 'file without an ending'} cannot be graded: hand in a .py or .ipynb file.",
            f"{printable(name)} is no .py, .ipynb or .zip file.",
        )
    source, notes = text.decode(data)
    if notebook.is_notebook(source, named_so=ending == ".ipynb"):
        cells, more, found = notebook.read(source)
        named = () if ending == ".ipynb" else ("It is named as Python, and was read as the notebook that it is.",)
        return cells, notes + named + more, found
    found = bindings.of(python.check(source))
    named = () if ending == ".py" else ("It is named as a notebook, and was read as the Python text that it is.",)
    return (source,), notes + named, found
