"""Which submissions are worth reading side by side.

Names, comments, layout, messages and the order of functions are the first things to change in a copy, so none of them
is looked at: every function becomes the sequence of its syntax tree's nodes, and every run of twelve nodes a
fingerprint (the k-grams of Schleimer, Wilkerson and Aiken 2003, "Winnowing", all of them kept). Set aside is what the
handout contains, and what more than a quarter of the class has: the idioms of the course, which say nothing. What
remains is compared through an index from fingerprints to submissions, so that a class of thousands takes seconds.

A pair is listed where at least half of what one of them wrote is also in the other. Alike is not copied: two students
may have had one book, one teacher or one idea. This room says what is alike and leaves the rest to people.

copydetect, an implementation of the same paper, finds the same pairs in a small class. It is not used because it
compares every pair in Python and keeps the matches of each (150 submissions: 12 s and 70 MB, and both grow with the
square), sets nothing aside that a class has in common, and does not say which functions match.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import csv
import hashlib
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course import ROOT, Assignment, assignments
from autograder.files import write_csv
from autograder.grading.row import Row, Rows
from autograder.parallel import Exceeded, in_order
from autograder.submission import Submission, find_in_folder
from autograder.submission import read as read_hand_in
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
"""functions of one submission that a fingerprint is looked for in; more have it only where somebody wrote thousands
alike"""
SAME, SMALLEST = 0.9, 3
"""what much of the class has is still said where whole programs share so much; those with the same few smallest
fingerprints are compared"""
IN_COMMON = "all of it: more of the class have it than is set aside as common"
BEYOND = "beyond "
"""how the code of a party begins that was not handed in"""
NOT_COMPARED = "Not compared with the others: "
"""how a line on standard error begins that names a file"""
SHOWN = 40
"""pairs in the printed table; the CSV has all"""

Prints = NDArray[np.uint64]
Link = tuple[float, int, int]
"""how alike, and which two"""

Given = tuple[Prints, Set[str]]
"""what the handout has, and the names in it"""
Aside = tuple[Set[int], Set[str]]
"""what is looked at no further, and the names of the handout"""

_NONE: Prints = np.empty(0, dtype=np.uint64)
_POWERS = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(RUN)], dtype=np.uint64)
_MIXES = np.array([pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(101, 105)], dtype=np.uint64)
"""four orders of the same fingerprints"""
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


def find(book: Rows, parties: Iterable[Submission] = ()) -> list[Pair]:
    """The pairs of a graded batch, assignment by assignment, group by group.

    Of a group only the links that hold it together are listed, the strongest ones: n − 1 for n submissions. `parties`
    were not handed in, such as solutions and an earlier term's class: each may be one of a pair, and counts for nothing
    else.
    """
    files: dict[str, list[ComparedFile]] = {}
    for submission in _compared(book.rows()):
        files.setdefault(submission.assignment, []).append(submission)
    extra: dict[str, tuple[str, ...]] = {}
    for party in parties:
        namesakes = (file for file in files.get(party.assignment, ()) if party.student in file.students)
        if party.assignment in files and not any(book.cells(namesake.code) == party.cells for namesake in namesakes):
            code = f"{BEYOND}{len(extra)}"
            extra[code] = party.cells
            compared_file = ComparedFile(party.assignment, party.file, party.sha256, code, (party.student,))
            files[party.assignment].append(compared_file)

    def cells(code: str) -> tuple[str, ...]:
        return extra[code] if code in extra else book.cells(code)

    classes = [_ComparedClass(Assignment(name), several) for name, several in files.items()]
    texts = ((compared.name, cells(code)) for compared in classes for code in compared.codes)
    prints = in_order(
        partial(_beyond, {compared.name: (compared.handout, compared.vocabulary) for compared in classes}), texts
    )
    for class_ in classes:
        class_.compare(dict(zip(class_.codes, prints, strict=False)))  # the others are those of the next classes
    alike_files = [(compared, pair) for compared in classes for pair in compared.alike_files()]
    both = ((compared.name, cells(first.code), cells(second.code)) for compared, (_, first, second) in alike_files)
    functions = in_order(
        partial(_functions, {compared.name: (compared.aside, compared.vocabulary) for compared in classes}), both
    )
    return [compared.pair(*files, names) for (compared, files), names in zip(alike_files, functions, strict=True)]


def _compared(rows: Iterable[Row]) -> list[ComparedFile]:
    """What counts and can be read, each file once."""
    students: dict[tuple[str, str, str, str], list[str]] = {}
    for row in rows:
        submission = row.submission
        if submission.problem is None:
            facts = (submission.assignment, submission.file, submission.sha256, row.key.code)
            students.setdefault(facts, []).append(row.student)
    return [ComparedFile(*facts, tuple(names)) for facts, names in students.items()]


class _ComparedClass:
    """All submissions of one assignment, and what each has beyond the common ground."""

    def __init__(self, assignment: Assignment, files: list[ComparedFile]) -> None:
        self.name, self.files = assignment.name, files
        texts = [path.read_text("utf-8") for path in sorted(assignment.folder.glob("*.py"))]
        self.vocabulary = _BUILTINS | units(texts, _BUILTINS).keys()
        self.handout = _joined(_prints(self.vocabulary, texts))
        self.codes = {file.code: file for file in reversed(files)}
        """what several handed in is read once, and counts once for what is common"""

    def compare(self, prints: dict[str, Prints | Exceeded]) -> None:
        """Tell apart what is common and what is each one's own, of what each code has beyond the handout."""
        for code, reason in prints.items():
            if isinstance(reason, Exceeded):
                print(f"{NOT_COMPARED}{printable(self.codes[code].file)} ({reason.why})", file=sys.stderr)
        compared = {code: _NONE if isinstance(of_code, Exceeded) else of_code for code, of_code in prints.items()}
        common = _common([prints for code, prints in compared.items() if not code.startswith(BEYOND)])
        self.aside = frozenset(np.union1d(self.handout, common).tolist())
        self.own = {code: _without(of_code, common) for code, of_code in compared.items()}
        self.compared = compared

    def alike_files(self) -> Iterator[tuple[int, ComparedFile, ComparedFile]]:
        """The links of all groups with the group's number, the group with the strongest link first."""
        links = (*alike([self.own[file.code] for file in self.files]), *self._in_common())
        of_the_class = [not file.code.startswith(BEYOND) for file in self.files]
        groups = strongest((link for link in links if any(of_the_class[i] for i in link[1:])), len(self.files))
        yield from (
            (number, self.files[i], self.files[j]) for number, group in enumerate(groups, 1) for _, i, j in group
        )

    def _in_common(self) -> Iterator[Link]:
        """Files that are the same program, and by more of the class than may be: what is common to so many is set aside
        above.

        Each is compared with the first of those that have the same smallest fingerprints.
        """
        first: dict[tuple[int, ...], int] = {}
        for i, file in enumerate(self.files):
            whole = self.compared[file.code]
            if len(whole) < ENOUGH or len(self.own[file.code]) >= ALIKE * len(whole):
                continue
            for mix in _MIXES:
                smallest = np.sort(whole ^ mix)[:SMALLEST]
                j = first.setdefault((int(mix), *smallest.tolist()), i)
                other = self.compared[self.files[j].code]
                share = len(np.intersect1d(whole, other, True)) / max(len(whole), len(other))
                if j != i and share >= SAME:
                    yield share, j, i

    def pair(
        self, group: int, first: ComparedFile, second: ComparedFile, functions: tuple[str, ...] | Exceeded
    ) -> Pair:
        own, other = self.own[first.code], self.own[second.code]
        if min(len(own), len(other)) < ENOUGH:  # they have it in common with many
            own, other, functions = self.compared[first.code], self.compared[second.code], (IN_COMMON,)
        shared = len(np.intersect1d(own, other, True))
        shares = shared / len(own), shared / len(other)
        return Pair(group, (first, second), shares, () if isinstance(functions, Exceeded) else functions)


def _functions(
    asides: Mapping[str, Aside], texts: tuple[str, Sequence[str], Sequence[str]]
) -> tuple[str, ...] | Exceeded:
    """The functions of the first text for an assignment that are mostly in one function of the second."""
    name, *both = texts
    aside, vocabulary = asides[name]
    try:
        return tuple(_shared_functions(aside, *(_prints(vocabulary, cells) for cells in both)))
    except Exception as error:
        return Exceeded(type(error).__name__)


def _shared_functions(aside: Set[int], first: dict[str, Prints], second: dict[str, Prints]) -> Iterator[str]:
    owners: defaultdict[int, list[str]] = defaultdict(list)
    for name, prints in second.items():
        for mark in set(prints.tolist()) - aside:
            owners[mark] += [name] if len(owners[mark]) < OWNERS else []
    for name, prints in first.items():
        own = set(prints.tolist()) - aside
        shared = Counter(owner for mark in own for owner in owners.get(mark, ()))
        most = max(shared, key=shared.__getitem__, default=name)
        if shared[name] >= max(ALIKE * len(own), 1):
            yield name
        elif shared[most] >= max(ALIKE * len(own), 1):
            yield f"{name} = {most}"


def _beyond(given: Mapping[str, Given], text: tuple[str, Sequence[str]]) -> Prints | Exceeded:
    """What a submission has beyond the handout. What cannot be compared is like nothing else, and says what went
    wrong."""
    name, cells = text
    handout, vocabulary = given[name]
    try:
        return _without(_joined(_prints(vocabulary, cells)), handout)[:MOST]
    except Exception as error:
        return Exceeded(type(error).__name__)


def _prints(vocabulary: Set[str], cells: Iterable[str]) -> dict[str, Prints]:
    """Fingerprints by function."""
    return {name: fingerprints(nodes) for name, nodes in units(cells, vocabulary).items()}


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


def _joined(prints: dict[str, Prints]) -> Prints:
    """Those of all functions, each once, in ascending order: the first few are the same ones for two copies."""
    return np.unique(np.concatenate([*prints.values(), _NONE]))


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


def course_parties() -> Iterator[Submission]:
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


def write(out: Path, book: Rows, parties: Iterable[Submission] = ()) -> list[Pair]:
    """Write the pairs of the gradebook in OUT to OUT/similarity.csv. Raises OSError where there is no room for it."""
    pairs = find(book, parties)
    write_csv(out / FILE, [_COLUMNS, *map(_cells, pairs)])
    return pairs


_COLUMNS = (
    "assignment group student other_student share other_share functions file other_file sha256 other_sha256".split()
)


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
        "It can come from one book or one idea as well: read both, and ask, before you conclude anything."
    )
