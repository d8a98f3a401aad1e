"""Which submissions are worth reading side by side.

Names, comments, layout, messages and the order of functions are the first things to change in a copy, so none of them is
looked at: every function becomes the sequence of its syntax tree's nodes, and every run of twelve nodes a fingerprint
(the k-grams of Schleimer, Wilkerson and Aiken 2003, "Winnowing", all of them kept). Set aside is what the handout contains, and
what more than a quarter of the class has: the idioms of the course, which say nothing. What remains is compared through an
index from fingerprints to submissions, so that a class of thousands takes seconds.

A pair is listed where at least half of what one of them wrote is also in the other. Alike is not copied: two students may have
had one book, one teacher or one idea. This room says what is alike and leaves the rest to people.

copydetect, an implementation of the same paper, finds the same pairs in a small class. It is not used because it compares
every pair in Python and keeps the matches of each (150 submissions: 12 s and 70 MB, and both grow with the square), sets
nothing aside that a class has in common, and does not say which functions match.
"""

from __future__ import annotations

import ast
import builtins
import csv
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course import Assignment
from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.parallel import in_order
from autograder.submission.names import csv_cell, printable
from autograder.submission.python import NotPython, parse

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
OWNERS = 32
"""functions of one submission that a fingerprint is looked for in; more have it only where somebody wrote thousands alike"""
NOT_COMPARED = "Not compared with the others: "
"""how a line on standard error begins that names a file"""
SHOWN = 40
"""pairs in the printed table; the CSV has all"""

Prints = NDArray[np.uint64]
Link = tuple[float, int, int]
"""how alike, and which two"""

_NONE: Prints = np.empty(0, dtype=np.uint64)
_POWERS = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(RUN)], dtype=np.uint64)
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class ComparedFile:
    """One file handed in; the members of a group share theirs."""

    assignment: str
    file: str
    sha256: str
    code: str
    students: tuple[str, ...]

    @property
    def who(self) -> str:
        """All who handed it in."""
        return ", ".join(self.students)


@dataclass(frozen=True)
class Pair:
    """Two submissions worth reading side by side."""

    group: int
    """the same for all that hang together, counted from 1 in each assignment"""
    files: tuple[ComparedFile, ComparedFile]
    shares: tuple[float, float]
    """of what each wrote, how much the other has too"""
    functions: tuple[str, ...]
    """what is alike, by its name in the first, and in the second where that is another"""


def find(book: Rows) -> list[Pair]:
    """The pairs of a graded batch, assignment by assignment, group by group.

    Of a group only the links that hold it together are listed, the strongest ones: n − 1 for n submissions.
    """
    classes: dict[str, list[ComparedFile]] = {}
    for one in _compared(book.rows()):
        classes.setdefault(one.assignment, []).append(one)
    return [pair for name, files in classes.items() for pair in _Class(book, Assignment(name), files).pairs()]


def _compared(rows: Iterable[Row]) -> list[ComparedFile]:
    """What counts and can be read, each file once."""
    students: dict[tuple[str, str, str, str], list[str]] = {}
    for row in rows:
        one = row.submission
        if one.problem is None:
            students.setdefault((one.assignment, one.file, one.sha256, row.key.code), []).append(row.student)
    return [ComparedFile(*facts, tuple(names)) for facts, names in students.items()]


class _Class:
    """All submissions of one assignment, and what each has beyond the common ground."""

    def __init__(self, book: Rows, assignment: Assignment, files: list[ComparedFile]) -> None:
        self.book = book
        self.files = files
        given = [path.read_text("utf-8") for path in sorted(assignment.folder.glob("*.py"))]
        self.vocabulary = _BUILTINS | units(given, _BUILTINS).keys()
        handout = _joined(_prints(self.vocabulary, given))
        codes = {one.code: one for one in reversed(files)}  # what several handed in is read once, and counts once for what is common
        prints = dict(zip(codes, in_order(partial(_beyond, handout, self.vocabulary), map(book.cells, codes)), strict=True))
        for code, reason in prints.items():
            if isinstance(reason, str):
                print(f"{NOT_COMPARED}{printable(codes[code].file)} ({reason})", file=sys.stderr)
        found = {code: _NONE if isinstance(one, str) else one for code, one in prints.items()}
        common = _common(list(found.values()))
        self.aside = frozenset(np.union1d(handout, common).tolist())
        self.own = {code: _without(one, common) for code, one in found.items()}

    def _of(self, one: ComparedFile) -> dict[str, Prints]:
        """By function."""
        return _prints(self.vocabulary, self.book.cells(one.code))

    def pairs(self) -> list[Pair]:
        """The links of all groups, the group with the strongest link first."""
        groups = strongest(alike([self.own[one.code] for one in self.files]), len(self.files))
        return [self._pair(number, self.files[i], self.files[j]) for number, links in enumerate(groups, 1) for _, i, j in links]

    def _pair(self, group: int, first: ComparedFile, second: ComparedFile) -> Pair:
        own, other = self.own[first.code], self.own[second.code]
        shared = len(np.intersect1d(own, other, True))
        return Pair(group, (first, second), (shared / len(own), shared / len(other)), tuple(self._functions(first, second)))

    def _functions(self, first: ComparedFile, second: ComparedFile) -> Iterator[str]:
        """Those of the first that are mostly in one function of the second."""
        owners: defaultdict[int, list[str]] = defaultdict(list)
        for name, prints in self._of(second).items():
            for one in set(prints.tolist()) - self.aside:
                owners[one] += [name] if len(owners[one]) < OWNERS else []
        for name, prints in self._of(first).items():
            own = set(prints.tolist()) - self.aside
            shared = Counter(owner for one in own for owner in owners.get(one, ()))
            most = max(shared, key=shared.__getitem__, default=name)
            if shared[name] >= max(ALIKE * len(own), 1):
                yield name
            elif shared[most] >= max(ALIKE * len(own), 1):
                yield f"{name} = {most}"


def _beyond(handout: Prints, vocabulary: Set[str], cells: Sequence[str]) -> Prints | str:
    """What a submission has beyond the handout. What cannot be compared is like nothing else, and says what went wrong."""
    try:
        return _without(_joined(_prints(vocabulary, cells)), handout)[:MOST]
    except Exception as error:
        return type(error).__name__


def _prints(vocabulary: Set[str], cells: Iterable[str]) -> dict[str, Prints]:
    """Fingerprints by function."""
    return {name: fingerprints(nodes) for name, nodes in units(cells, vocabulary).items()}


def units(cells: Iterable[str], vocabulary: Set[str]) -> dict[str, list[str]]:
    """Functions and classes by name, and what stands outside them, each as the nodes of its syntax tree.

    Left out is what the handout dictates: signatures, imports, the quiz. Names in `vocabulary` are kept.
    """
    found: dict[str, list[str]] = {}
    for cell in cells:
        try:
            statements = parse(cell).body
        except NotPython:  # a cell of a notebook that was left out
            continue
        for node in statements:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    found.setdefault(node.name, []).extend(_nodes(node.body, vocabulary))
                case ast.Import() | ast.ImportFrom() | ast.Assign(targets=[ast.Name(id="ANSWERS")]):
                    pass
                case _:
                    found.setdefault("(outside functions)", []).extend(_nodes([node], vocabulary))
    return found


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


def _joined(prints: dict[str, Prints]) -> Prints:
    """Those of all functions, each once, in ascending order: the first few are the same ones for two copies."""
    return np.unique(np.concatenate([*prints.values(), _NONE]))


def _without(prints: Prints, aside: Prints) -> Prints:
    return np.setdiff1d(prints, aside, assume_unique=True)


def _common(prints: list[Prints]) -> Prints:
    found, owners = np.unique(np.concatenate([*prints, _NONE]), return_counts=True)
    return found[owners > max(COMMON * len(prints), FEW)]


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
        shared = np.bincount(np.concatenate([owners[until[f] - counts[f] : until[f]] for f in mine]), minlength=len(own))
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


def write(out: Path, book: Rows) -> list[Pair]:
    """Write the pairs of the gradebook in OUT to OUT/similarity.csv. Raises OSError where there is no room for it."""
    pairs = find(book)
    write_csv(out / FILE, [_COLUMNS, *map(_cells, pairs)])
    return pairs


_COLUMNS = "assignment group student other_student share other_share functions file other_file sha256 other_sha256".split()


def _cells(pair: Pair) -> list[str]:
    first, second = pair.files
    shares = (f"{share:.2f}" for share in pair.shares)
    texts = [first.who, second.who, *shares, printable("; ".join(pair.functions), 2000), first.file, second.file]
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


def print_table(pairs: list[Pair], console: Console) -> None:
    """The pairs, and what they do and do not say."""
    if not pairs:
        console.print("No two submissions are alike beyond what the handout and the class have in common.")
        return
    console.print("Worth reading side by side:", style="bold")
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    for column in ("assignment", "group", "student", "and", "shared"):
        table.add_column(column, justify="right" if column in ("group", "shared") else "left", overflow="fold")
    table.add_column("functions", no_wrap=True, ratio=1)
    for pair in pairs[:SHOWN]:
        first, second = pair.files
        shared = " / ".join(f"{share:.0%}" for share in pair.shares)
        cells = [first.assignment, str(pair.group), printable(first.who), printable(second.who), shared]
        table.add_row(*map(Text, [*cells, "; ".join(pair.functions)]))
    console.print(table)
    if len(pairs) > SHOWN:
        console.print(f"and {len(pairs) - SHOWN} more pairs", highlight=False)
    console.print(
        "Shared is the part of each one's own code that the other has too, names, comments and order aside. "
        "It can come from one book or one idea as well: read both, and ask, before you conclude anything.",
    )
