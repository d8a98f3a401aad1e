"""Which submissions are worth reading side by side.

Names, comments, layout, messages and the order of functions are the first things to change in a copy, so none of them
is looked at: every function becomes the sequence of its syntax tree's nodes, and every run of twelve nodes a
fingerprint (the k-grams of Schleimer, Wilkerson and Aiken 2003, "Winnowing", all of them kept). Set aside is what the
handout contains, and what more than a quarter of the class has: the idioms of the course. The rest is compared through
an index from fingerprints to submissions, so that a class of thousands takes seconds.

A pair is listed where at least half of what one wrote is also in the other, or where both are nearly one program. Alike
is not copied: two students may have had one book, one teacher or one idea.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from autograder.course import ROOT, Assignment, assignments
from autograder.files import write_csv
from autograder.grading.row import Row
from autograder.parallel import Exceeded, map_bounded
from autograder.submission import Submission, find_in_folder
from autograder.submission import read as read_uploads
from autograder.submission.names import csv_cell
from autograder.submission.syntax import NotPythonError, parse

FILE = "similarity.csv"
_COLUMNS = "assignment group student other_student share other_share file other_file sha256 other_sha256".split()
RUN = 12
"""nodes of the syntax tree in one fingerprint"""
ALIKE, ENOUGH = 0.5, 30
"""a pair is listed where one shares this much of its own fingerprints, and so many: fewer come about by chance"""
COMMON, FEW = 0.25, 10
"""what more than this share of the class has, and more than so many, is common ground"""
MOST = 32768
"""fingerprints kept of one submission; a solution has a few hundred to a thousand"""
SAME, SMALLEST = 0.9, 3
"""whole programs that much of the class has are named where they share so much; compared by their few smallest"""

Prints = NDArray[np.uint64]
Link = tuple[float, int, int]
"""how alike, and which two"""

_NONE: Prints = np.empty(0, dtype=np.uint64)
_POWERS = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(RUN)], dtype=np.uint64)
_MIXES = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(101, 105)], dtype=np.uint64)


def write(
    out: Path, graded: Iterable[Row], cells: Callable[[str], tuple[str, ...]], others: Iterable[Submission] = ()
) -> list[str]:
    """Write the pairs among what was graded to OUT/similarity.csv, assignment by assignment, group by group; returns
    files that could not be compared. Raises OSError where there is no room for it.

    Who handed in one file together is one submission. Of a group only the links that hold it together are listed, the
    strongest ones: n − 1 for n submissions. `others` were not handed in, such as solutions and an earlier term's class:
    each may be one of a pair, and counts for nothing else. `cells`: what has the code of a key.
    """
    students: defaultdict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for row in graded:
        if (one := row.submission).problem is None:
            students[one.assignment, one.file, one.sha256, row.key.code].append(row.student)
    files = [
        Submission(", ".join(names), assignment, file, sha256, cells(code))
        for (assignment, file, sha256, code), names in students.items()
    ]
    there = {(one.assignment, student, one.cells) for one in files for student in one.student.split(", ")}
    handouts = {name: _handout(Assignment(name)) for name in dict.fromkeys(file.assignment for file in files)}
    outside = [one for one in others if (one.assignment, one.student, one.cells) not in there]
    compared = [*files, *(one for one in outside if one.assignment in handouts)]
    prints = list(map_bounded(partial(_beyond, handouts), [(file.assignment, file.cells) for file in compared]))
    rows = [_COLUMNS]
    for name in handouts:
        numbers = [number for number, one in enumerate(compared) if one.assignment == name]
        whole = [_NONE if isinstance(of := prints[number], Exceeded) else of for number in numbers]
        rows += _pairs([compared[number] for number in numbers], whole, sum(number < len(files) for number in numbers))
    write_csv(out / FILE, rows)
    return [f"{one.file} ({of.why})" for one, of in zip(compared, prints, strict=True) if isinstance(of, Exceeded)]


def read(out: Path) -> list[dict[str, str]] | None:
    """What `write` left in OUT: a row a pair, by column. None where it left nothing, or somebody changed its form."""
    try:
        table = pd.read_csv(out / FILE, dtype=str, keep_default_na=False, encoding_errors="replace")
    except (OSError, ValueError):
        return None
    return [*table.to_dict("records")] if [*table.columns] == _COLUMNS else None


def _handout(assignment: Assignment) -> tuple[Prints, Set[str]]:
    """What the handout has, and the names in it."""
    texts = [path.read_text("utf-8") for path in sorted(assignment.folder.glob("*.py"))]
    statements = [node for text in texts for node in parse(text).body]
    vocabulary = {
        *dir(builtins),
        *(node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef)),
    }
    return _prints(vocabulary, texts), vocabulary


def _pairs(files: Sequence[Submission], whole: Sequence[Prints], size: int) -> Iterator[list[str]]:
    """Rows of one assignment, whose class are the first `size` files, the group with the strongest link first."""
    class_ = {file.cells: prints for file, prints in zip(files[:size], whole, strict=False)}
    distinct, owners = np.unique(np.concatenate([*class_.values(), _NONE]), return_counts=True)
    common = distinct[owners > max(COMMON * len(class_), FEW)]
    own = [np.setdiff1d(prints, common, True) for prints in whole]
    links = [link for link in (*alike(own), *_in_common(own, whole)) if min(link[1:]) < size]
    for number, group in enumerate(strongest(links, len(files)), 1):
        for _, i, j in group:
            # Where little is left, they have it in common with many.
            first, second = (own[i], own[j]) if min(len(own[i]), len(own[j])) >= ENOUGH else (whole[i], whole[j])
            shared = len(np.intersect1d(first, second, True))
            shares = (f"{shared / len(prints):.2f}" for prints in (first, second))
            texts = (files[i].student, files[j].student, *shares, files[i].file, files[j].file)
            yield [files[i].assignment, str(number), *map(csv_cell, texts), files[i].sha256, files[j].sha256]


def _in_common(own: Sequence[Prints], whole: Sequence[Prints]) -> Iterator[Link]:
    """Files that are the same program, and by more of the class than may be: what is common to so many is set aside
    from their own. Each is compared with the first of those that have the same smallest fingerprints."""
    first: dict[tuple[int, ...], int] = {}
    for i, prints in enumerate(whole):
        for mix in _MIXES if len(prints) >= ENOUGH and len(own[i]) < ALIKE * len(prints) else ():
            j = first.setdefault((int(mix), *np.sort(prints ^ mix)[:SMALLEST].tolist()), i)
            share = len(np.intersect1d(prints, whole[j], True)) / max(len(prints), len(whole[j]))
            if j != i and share >= SAME:
                yield share, j, i


def _beyond(handouts: Mapping[str, tuple[Prints, Set[str]]], text: tuple[str, Sequence[str]]) -> Prints | Exceeded:
    """What a submission has beyond the handout. What cannot be compared is like nothing else, and says what went
    wrong."""
    name, cells = text
    handout, vocabulary = handouts[name]
    try:
        return np.setdiff1d(_prints(vocabulary, cells), handout, True)[:MOST]
    except Exception as error:
        return Exceeded(type(error).__name__)


def _prints(vocabulary: Set[str], cells: Iterable[str]) -> Prints:
    """Fingerprints of all functions, each once, in ascending order: the first few are the same ones for two copies.

    Left out is what the handout dictates: signatures, imports, the quiz. Names in `vocabulary` are kept.
    """
    found = [_NONE]
    for cell in cells:
        outside: list[str] = []
        with contextlib.suppress(NotPythonError):  # a cell of a notebook that was left out
            for node in parse(cell).body:
                match node:
                    case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                        found.append(fingerprints([*_nodes(node.body, vocabulary)]))
                    case ast.Import() | ast.ImportFrom() | ast.Assign(targets=[ast.Name(id="ANSWERS")]):
                        pass
                    case _:
                        outside += _nodes([node], vocabulary)
        found.append(fingerprints(outside))
    return np.unique(np.concatenate(found))


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


def alike(own: Sequence[Prints]) -> Iterator[Link]:
    """Pairs i < j that are alike, and how alike: what they share, as a part of the larger one."""
    sizes = np.array([len(prints) for prints in own])
    owners = np.repeat(np.arange(len(own)), sizes)
    having = pd.Series(owners).groupby(np.concatenate([*own, _NONE])).indices  # fingerprint → where it stands
    for i, mine in enumerate(own):
        if len(mine) < ENOUGH:
            continue
        theirs = owners[np.concatenate([having[one] for one in mine.tolist()])]
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
    """What stands in the course's repository for everybody to find: solutions, and the sample class if it is there."""
    for one in assignments():
        samples = sorted((ROOT / "tests" / "submissions" / one.name).glob("*.py"))
        for student, path in [("reference solution", one.solution), *((path.stem, path) for path in samples)]:
            data, name = path.read_bytes(), path.relative_to(ROOT).as_posix()
            yield Submission(
                student, one.name, name, hashlib.sha256(data).hexdigest(), (data.decode("utf-8", "replace"),)
            )


def earlier(folder: Path) -> Iterator[Submission]:
    """What an earlier class handed in: a folder as `grade` takes it."""
    known = tuple(assignment.name for assignment in assignments())
    for outcome in map_bounded(partial(read_uploads, known=known), find_in_folder(folder, None, known).students):
        for submission in [] if isinstance(outcome, Exceeded) else outcome:
            if submission.problem is None:
                yield replace(submission, student=f"{submission.student} ({folder.name})")
