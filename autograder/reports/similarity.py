"""Which submissions are worth reading side by side.

Names, comments, layout, messages and the order of functions are the first things to change in a copy, so none of them
is looked at: every function becomes the sequence of its syntax tree's nodes, and every run of twelve nodes a
fingerprint (the k-grams of Schleimer, Wilkerson and Aiken 2003, "Winnowing", all of them kept). Set aside is what the
handout contains, and what more than a quarter of the class has: the idioms of the course, which say nothing. What
remains is compared through an index from fingerprints to submissions, so that a class of thousands takes seconds.

A pair is listed where at least half of what one of them wrote is also in the other, or where both are nearly the same
program. Alike is not copied: two students may have had one book, one teacher or one idea.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import csv
import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autograder.course import ROOT, Assignment, assignments
from autograder.files import write_csv
from autograder.grading.row import Rows
from autograder.parallel import Exceeded, in_order
from autograder.submission import Submission, find_in_folder
from autograder.submission import read as read_hand_in
from autograder.submission.code import NotPython, parse
from autograder.submission.names import csv_cell

FILE = "similarity.csv"
RUN = 12
"""nodes of the syntax tree in one fingerprint"""
ALIKE = 0.5
"""a pair is listed where one shares this much of its own fingerprints with the other"""
ENOUGH = 30
"""and where these are at least so many: fewer come about by chance"""
COMMON, FEW = 0.25, 10
"""what more than this share of the class has, and more than so many, is common ground"""
MOST = 32768
"""fingerprints kept of one submission; a solution has a few hundred to a thousand"""
SAME, SMALLEST = 0.9, 3
"""what much of the class has is still said where whole programs share so much; those with the same few smallest
fingerprints are compared"""

Prints = NDArray[np.uint64]
Link = tuple[float, int, int]
"""how alike, and which two"""

_NONE: Prints = np.empty(0, dtype=np.uint64)
_POWERS = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(RUN)], dtype=np.uint64)
_MIXES = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(101, 105)], dtype=np.uint64)
"""four orders of the same fingerprints"""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class ComparedFile:
    """One file; the members of a group share theirs."""

    assignment: str
    file: str
    sha256: str
    cells: tuple[str, ...]
    students: tuple[str, ...]
    outside: bool = False
    """whether it was not handed in by this class: the solution, or an earlier term's"""


@dataclass(frozen=True)
class Pair:
    """Two submissions worth reading side by side."""

    group: int
    """the same for all that hang together, counted from 1 in each assignment"""
    files: tuple[ComparedFile, ComparedFile]
    shares: tuple[float, float]
    """of what each wrote, how much the other has too"""


def find(book: Rows, others: Iterable[Submission] = ()) -> tuple[list[Pair], list[str]]:
    """The pairs of a graded batch, assignment by assignment, group by group; and files that could not be compared.

    Of a group only the links that hold it together are listed, the strongest ones: n − 1 for n submissions. `others`
    were not handed in, such as solutions and an earlier term's class: each may be one of a pair, and counts for nothing
    else.
    """
    students: dict[tuple[str, str, str, str], list[str]] = {}
    for row in book.rows():
        submission = row.submission
        if submission.problem is None:
            facts = (submission.assignment, submission.file, submission.sha256, row.key.code)
            students.setdefault(facts, []).append(row.student)
    classes: dict[str, list[ComparedFile]] = defaultdict(list)
    for (name, file, sha256, code), names in students.items():
        classes[name].append(ComparedFile(name, file, sha256, book.cells(code), tuple(names)))
    for other in others:
        if (class_ := classes.get(other.assignment)) and not any(
            other.student in file.students and other.cells == file.cells for file in class_
        ):
            theirs = (other.assignment, other.file, other.sha256, other.cells, (other.student,))
            class_.append(ComparedFile(*theirs, outside=True))
    handouts = {name: _handout(Assignment(name)) for name in classes}
    files = [file for class_ in classes.values() for file in class_]
    prints = list(in_order(partial(_beyond, handouts), [(file.assignment, file.cells) for file in files]))
    failed = [f"{file.file} ({of.why})" for file, of in zip(files, prints, strict=True) if isinstance(of, Exceeded)]
    whole = iter([_NONE if isinstance(of, Exceeded) else of for of in prints])
    return [pair for class_ in classes.values() for pair in _pairs(class_, [next(whole) for _ in class_])], failed


def _handout(assignment: Assignment) -> tuple[Prints, Set[str]]:
    """What the handout has, and the names in it."""
    texts = [path.read_text("utf-8") for path in sorted(assignment.folder.glob("*.py"))]
    vocabulary = _BUILTINS | units(texts, _BUILTINS).keys()
    return _prints(vocabulary, texts), vocabulary


def _pairs(files: Sequence[ComparedFile], whole: Sequence[Prints]) -> Iterator[Pair]:
    """Of one assignment: the links of all groups, the group with the strongest link first."""
    distinct = {file.cells: prints for file, prints in zip(files, whole, strict=True) if not file.outside}
    common = _common(list(distinct.values()))
    own = [_without(prints, common) for prints in whole]
    links = [link for link in (*alike(own), *_in_common(own, whole)) if not all(files[i].outside for i in link[1:])]
    for number, group in enumerate(strongest(links, len(files)), 1):
        for _, i, j in group:
            # Where little is left, they have it in common with many.
            first, second = (own[i], own[j]) if min(len(own[i]), len(own[j])) >= ENOUGH else (whole[i], whole[j])
            shared = len(np.intersect1d(first, second, True))
            yield Pair(number, (files[i], files[j]), (shared / len(first), shared / len(second)))


def _in_common(own: Sequence[Prints], whole: Sequence[Prints]) -> Iterator[Link]:
    """Files that are the same program, and by more of the class than may be: what is common to so many is set aside
    from their own.

    Each is compared with the first of those that have the same smallest fingerprints.
    """
    first: dict[tuple[int, ...], int] = {}
    for i, prints in enumerate(whole):
        if len(prints) < ENOUGH or len(own[i]) >= ALIKE * len(prints):
            continue
        for mix in _MIXES:
            smallest = np.sort(prints ^ mix)[:SMALLEST]
            j = first.setdefault((int(mix), *smallest.tolist()), i)
            share = len(np.intersect1d(prints, whole[j], True)) / max(len(prints), len(whole[j]))
            if j != i and share >= SAME:
                yield share, j, i


def _beyond(handouts: Mapping[str, tuple[Prints, Set[str]]], text: tuple[str, Sequence[str]]) -> Prints | Exceeded:
    """What a submission has beyond the handout. What cannot be compared is like nothing else, and says what went
    wrong."""
    name, cells = text
    handout, vocabulary = handouts[name]
    try:
        return _without(_prints(vocabulary, cells), handout)[:MOST]
    except Exception as error:
        return Exceeded(type(error).__name__)


def _prints(vocabulary: Set[str], cells: Iterable[str]) -> Prints:
    """Fingerprints of all functions, each once, in ascending order: the first few are the same ones for two copies."""
    return np.unique(np.concatenate([*map(fingerprints, units(cells, vocabulary).values()), _NONE]))


def units(cells: Iterable[str], vocabulary: Set[str]) -> dict[str, list[str]]:
    """Functions and classes by name, and what stands outside them, each as the nodes of its syntax tree.

    Left out is what the handout dictates: signatures, imports, the quiz. Names in `vocabulary` are kept.
    """
    nodes_of: dict[str, list[str]] = {}
    for cell in cells:
        try:
            statements = parse(cell).body
        except NotPython:  # a cell of a notebook that was left out
            continue
        for node in statements:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    nodes_of.setdefault(node.name, []).extend(_nodes(node.body, vocabulary))
                case ast.Import() | ast.ImportFrom() | ast.Assign(targets=[ast.Name(id="ANSWERS")]):
                    pass
                case _:
                    nodes_of.setdefault("(outside functions)", []).extend(_nodes([node], vocabulary))
    return nodes_of


def _nodes(body: Sequence[ast.AST], vocabulary: Set[str]) -> Iterator[str]:
    """The nodes, depth first, in words that the student's own names and messages do not change."""
    todo = list(reversed(body))
    while todo:
        match todo.pop():
            case ast.Expr(value=ast.Constant()) | ast.expr_context():
                pass  # a docstring; whether a name is read or written
            case ast.Name(id=name):
                yield name if name in vocabulary else "name"
            case ast.arg():
                yield "argument"
            case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
                yield "text"
            case ast.Constant(value=int() | float() | complex() as value):
                yield str(hash(value))  # 2 is 2.0; and a number may be too long to be written out
            case ast.Constant(value=value):
                yield str(value)
            case ast.AnnAssign(target=target, value=value):
                yield "Assign"
                todo += [part for part in (value, target) if part is not None]
            case node:
                yield node.attr if isinstance(node, ast.Attribute) else type(node).__name__
                todo += reversed(list(ast.iter_child_nodes(node)))


def fingerprints(nodes: Sequence[str]) -> Prints:
    """A number for every run of nodes, the same in every process and on every machine."""
    if len(nodes) < RUN:
        return _NONE
    numbers = np.array([zlib.crc32(node.encode()) for node in nodes], dtype=np.uint64)
    return np.lib.stride_tricks.sliding_window_view(numbers, RUN) @ _POWERS


def _without(prints: Prints, aside: Prints) -> Prints:
    return np.setdiff1d(prints, aside, assume_unique=True)


def _common(prints: list[Prints]) -> Prints:
    distinct, owners = np.unique(np.concatenate([*prints, _NONE]), return_counts=True)
    return distinct[owners > max(COMMON * len(prints), FEW)]


def alike(own: list[Prints]) -> Iterator[Link]:
    """Pairs i < j that are alike, and how alike: what they share, as a part of the larger one."""
    sizes = np.array([len(prints) for prints in own])
    ends = np.cumsum(sizes)
    _, numbers, counts = np.unique(np.concatenate([*own, _NONE]), return_inverse=True, return_counts=True)
    # Who has fingerprint f: owners[until[f] - counts[f] : until[f]].
    owners = np.repeat(np.arange(len(own)), sizes)[np.argsort(numbers, kind="stable")]
    until = np.cumsum(counts)
    for i in range(len(own)):
        mine = numbers[ends[i] - sizes[i] : ends[i]]
        if len(mine) < ENOUGH:
            continue
        theirs = np.concatenate([owners[until[f] - counts[f] : until[f]] for f in mine])
        shared = np.bincount(theirs, minlength=len(own))
        for j in np.flatnonzero((shared >= ENOUGH) & (shared >= ALIKE * np.minimum(sizes, sizes[i]))):
            if i < j:
                yield shared[j] / max(sizes[i], sizes[j]), i, int(j)


def strongest(links: Iterable[Link], n: int) -> list[list[Link]]:
    """As few links as hold each group together, the strongest ones: a maximum spanning forest, after Kruskal."""
    together = [{i} for i in range(n)]
    kept = []
    for link in sorted(links, key=lambda link: (-link[0], link[1:])):
        smaller, larger = sorted((together[link[1]], together[link[2]]), key=len)
        if smaller is not larger:
            larger |= smaller
            for i in smaller:
                together[i] = larger
            kept.append(link)
    groups: dict[int, list[Link]] = {}
    for link in kept:
        groups.setdefault(id(together[link[1]]), []).append(link)
    return list(groups.values())


def solutions() -> Iterator[Submission]:
    """What stands in the course's repository for everybody to find: the solutions, and the sample class where it is
    there."""
    for assignment in assignments():
        samples = ROOT / "tests" / "submissions" / assignment.name
        paths = {
            "reference solution": assignment.solution,
            **{path.stem: path for path in sorted(samples.glob("*.py"))},
        }
        for student, path in paths.items():
            with contextlib.suppress(UnicodeDecodeError):
                content, name = path.read_bytes(), path.relative_to(ROOT).as_posix()
                sha256 = hashlib.sha256(content).hexdigest()
                yield Submission(student, assignment.name, name, sha256, (content.decode("utf-8"),))


def earlier(folder: Path) -> Iterator[Submission]:
    """What an earlier class handed in: a folder as `grade` takes it."""
    known = [assignment.name for assignment in assignments()]
    hand_ins = find_in_folder(folder, None, known).hand_ins
    for outcome in in_order(partial(read_hand_in, known=tuple(known)), hand_ins):
        if not isinstance(outcome, Exceeded):
            yield from (
                replace(submission, student=f"{submission.student} ({folder.name})")
                for submission in outcome
                if submission.problem is None
            )


def write(out: Path, book: Rows, others: Iterable[Submission] = ()) -> list[str]:
    """Write the pairs of the gradebook in OUT to OUT/similarity.csv; returns files that could not be compared. Raises
    OSError where there is no room for it."""
    pairs, failed = find(book, others)
    write_csv(out / FILE, [_COLUMNS, *map(_cells, pairs)])
    return failed


_COLUMNS = "assignment group student other_student share other_share file other_file sha256 other_sha256".split()


def _cells(pair: Pair) -> list[str]:
    first, second = pair.files
    names = [", ".join(file.students) for file in pair.files]
    texts = [*names, *(f"{share:.2f}" for share in pair.shares), first.file, second.file]
    return [first.assignment, str(pair.group), *map(csv_cell, texts), first.sha256, second.sha256]


def read(out: Path) -> list[dict[str, str]] | None:
    """What `write` left in OUT: a row a pair, by column. None where it left nothing, or somebody changed its form."""
    path = out / FILE
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        try:
            header, *rows = csv.reader(file)
            return [dict(zip(_COLUMNS, row, strict=True)) for row in rows] if header == _COLUMNS else None
        except (ValueError, csv.Error):
            return None
