"""Similar submissions that are worth reading side by side.

Copies differ first in names, comments, layout, messages and the order of functions, so fingerprints of the code
leave these out. Fingerprints that occur in the handout or in more than a quarter of the class are set aside,
because they are idioms of the course. An index from the other fingerprints to submissions makes it possible to
compare thousands of submissions in seconds.

Two submissions are similar if one contains at least half of the other, or if both are nearly the same program.
A similar pair is listed unless a class of independent students may contain such a pair by chance; files with the
same text are always listed. Similar does not mean copied: two students may have had the same book, teacher or idea.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from autograder.bounded_processes import CutOff, map_bounded
from autograder.course import ROOT, Assignment, term_assignments
from autograder.csv_tables import write_csv
from autograder.reports.coincidence import ChanceModel
from autograder.reports.fingerprints import NO_FINGERPRINTS, Fingerprints, Handout, ProgramPrints
from autograder.submission import Submission, find_in_folder, read_class_bounded
from autograder.submission.untrusted_names import csv_cell, semicolon_list

if TYPE_CHECKING:  # every fingerprinting process imports this module, so its imports are few
    from autograder.grading.row import Row

SIMILARITY_FILE = "similarity.csv"
SAMPLE_LABEL_TEMPLATE = "{} (sample of this course)"
"""Label that tells a sample submission apart from a student of the same name."""
_COLUMNS = "assignment group student other_student share other_share file other_file sha256 other_sha256".split()
MIN_SHARE, MIN_SHARED = 0.5, 30
"""Minimum share and number of fingerprints that similar submissions have in common; fewer could be chance."""
COMMON_SHARE, MIN_COMMON = 0.25, 10
"""Share of the class, and number of submissions, beyond which a fingerprint counts as common."""
SAME_PROGRAM_SHARE, SMALLEST_COMPARED = 0.9, 3
"""Minimum share that nearly equal programs have in common, and number of fingerprints used to find such pairs."""


class Link(NamedTuple):
    """Two similar submissions."""

    similarity: float
    first: int
    """number of the submission that comes first"""
    second: int


_MINHASH_CONSTANTS = np.array(
    [pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(101, 105)], dtype=np.uint64
)


def write(
    out: Path, graded: Iterable[Row], cells_by_hash: Callable[[str], tuple[str, ...]], others: Iterable[Submission] = ()
) -> list[str]:
    """Write OUT/similarity.csv, sorted by assignment and group; return the files that could not be compared.

    Students who submitted a file together count as one submission. For each group, only the strongest links are listed:
    n − 1 for n submissions. Submissions in `others`, such as solutions and an earlier term's class, can be part of a
    pair but do not count as part of the class. `cells_by_hash` returns the code for a hash. Raise OSError if the disk
    is full.
    """
    students: defaultdict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for row in graded:
        if (one := row.submission).problem is None:
            students[one.assignment, one.file, one.sha256, row.key.code].append(row.student)
    files = [
        Submission(semicolon_list(names), assignment, file, sha256, cells_by_hash(code))
        for (assignment, file, sha256, code), names in students.items()
    ]
    samples = {  # the class might be the sample class itself
        (one.assignment, SAMPLE_LABEL_TEMPLATE.format(name), one.cells)
        for one, names in zip(files, students.values(), strict=True)
        for name in names
    }
    handouts = {name: Handout.of(Assignment(name)) for name in dict.fromkeys(file.assignment for file in files)}
    outside = [one for one in others if (one.assignment, one.student, one.cells) not in samples]
    compared = [*files, *(one for one in outside if one.assignment in handouts)]
    texts = [(file.assignment, file.cells) for file in compared]
    programs = list(map_bounded(partial(_program_beyond_handout, handouts), texts))
    rows = [_COLUMNS]
    for name in handouts:
        numbers = [number for number, one in enumerate(compared) if one.assignment == name]
        whole = [ProgramPrints() if isinstance(of := programs[number], CutOff) else of for number in numbers]
        rows += _rows_of_pairs(
            [compared[number] for number in numbers], whole, sum(number < len(files) for number in numbers)
        )
    write_csv(out / SIMILARITY_FILE, rows)
    return [f"{one.file} ({of.why})" for one, of in zip(compared, programs, strict=True) if isinstance(of, CutOff)]


def read(out: Path) -> list[dict[str, str]] | None:
    """Return the pairs in OUT/similarity.csv, keyed by column; None if it is missing or has a different format."""
    import pandas as pd

    try:
        table = pd.read_csv(out / SIMILARITY_FILE, dtype=str, keep_default_na=False, encoding_errors="replace")
    except (OSError, ValueError):
        return None
    return [*table.to_dict("records")] if [*table.columns] == _COLUMNS else None


def _rows_of_pairs(
    files: Sequence[Submission], programs: Sequence[ProgramPrints], class_size: int
) -> Iterator[list[str]]:
    """Yield the rows for one assignment, the strongest group first; the first `class_size` files are the class."""
    whole = [program.prints for program in programs]
    class_ = {file.cells: prints for file, prints in zip(files[:class_size], whole, strict=False)}
    distinct, owners = np.unique(np.concatenate([*class_.values(), NO_FINGERPRINTS]), return_counts=True)
    common = distinct[owners > max(COMMON_SHARE * len(class_), MIN_COMMON)]
    distinctive = [np.setdiff1d(prints, common, True) for prints in whole]
    links = [
        link
        for link in (
            *similar_pairs(distinctive),
            *_links_of_nearly_equal_programs(distinctive, whole),
            *_links_of_equal_texts(files, whole),
        )
        if min(link.first, link.second) < class_size
    ]
    model = ChanceModel(programs, class_size)

    def may_be_chance(i: int, j: int) -> bool:
        return files[i].cells != files[j].cells and model.may_be_chance(i, j)

    for number, group in enumerate(maximum_spanning_forest(links, len(files), may_be_chance), 1):
        for _, i, j in group:
            # If few distinctive fingerprints are left, compare the whole programs.
            first, second = (
                (distinctive[i], distinctive[j])
                if min(len(distinctive[i]), len(distinctive[j])) >= MIN_SHARED
                else (whole[i], whole[j])
            )
            shared = len(np.intersect1d(first, second, True))
            shares = (f"{shared / len(prints):.2f}" for prints in (first, second))
            texts = (files[i].student, files[j].student, *shares, files[i].file, files[j].file)
            yield [files[i].assignment, str(number), *map(csv_cell, texts), files[i].sha256, files[j].sha256]


def _links_of_nearly_equal_programs(
    distinctive: Sequence[Fingerprints], whole: Sequence[Fingerprints]
) -> Iterator[Link]:
    """Yield pairs of nearly equal programs whose fingerprints are too common to be distinctive.

    Each submission is compared with the first one that has the same smallest fingerprints.
    """
    first: dict[tuple[int, ...], int] = {}
    for i, prints in enumerate(whole):
        for constant in (
            _MINHASH_CONSTANTS if len(prints) >= MIN_SHARED and len(distinctive[i]) < MIN_SHARE * len(prints) else ()
        ):
            j = first.setdefault((int(constant), *np.sort(prints ^ constant)[:SMALLEST_COMPARED].tolist()), i)
            share = len(np.intersect1d(prints, whole[j], True)) / max(len(prints), len(whole[j]))
            if j != i and share >= SAME_PROGRAM_SHARE:
                yield Link(share, j, i)


def _links_of_equal_texts(files: Sequence[Submission], whole: Sequence[Fingerprints]) -> Iterator[Link]:
    """Yield the first of all files with the same text together with each of the others."""
    first: dict[tuple[str, ...], int] = {}
    for j, (file, prints) in enumerate(zip(files, whole, strict=True)):
        i = first.setdefault(file.cells, j)
        if i != j and len(prints) >= MIN_SHARED:
            yield Link(1.0, i, j)


def _program_beyond_handout(
    handouts: Mapping[str, Handout], assignment_and_cells: tuple[str, Sequence[str]]
) -> ProgramPrints | CutOff:
    """Return a submission's program beyond the handout, or a CutOff that says why there is none."""
    name, cells = assignment_and_cells
    try:
        return handouts[name].program_beyond(cells)
    except Exception as error:
        return CutOff(type(error).__name__)


def similar_pairs(distinctive: Sequence[Fingerprints]) -> Iterator[Link]:
    """Yield the similar pairs i < j, each with the share of the larger submission that they have in common."""
    import pandas as pd

    sizes = np.array([len(prints) for prints in distinctive])
    owners = np.repeat(np.arange(len(distinctive)), sizes)
    having = (
        pd.Series(owners).groupby(np.concatenate([*distinctive, NO_FINGERPRINTS])).indices
    )  # fingerprint → submissions
    for i, fingerprints_i in enumerate(distinctive):
        if len(fingerprints_i) < MIN_SHARED:
            continue
        theirs = owners[np.concatenate([having[one] for one in fingerprints_i.tolist()])]
        shared = np.bincount(theirs, minlength=len(distinctive))
        for j in np.flatnonzero((shared >= MIN_SHARED) & (shared >= MIN_SHARE * np.minimum(sizes, sizes[i]))):
            if i < j:
                yield Link(shared[j] / max(sizes[i], sizes[j]), i, int(j))


def maximum_spanning_forest(
    links: Iterable[Link], n_submissions: int, may_be_chance: Callable[[int, int], bool]
) -> list[list[Link]]:
    """Return the links of a maximum spanning forest, group by group (by Kruskal's algorithm).

    Links that may be chance are left out.
    """
    together = [{i} for i in range(n_submissions)]
    kept = []
    for link in sorted(links, key=lambda link: (-link.similarity, *link[1:])):
        smaller, larger = sorted((together[link.first], together[link.second]), key=len)
        if smaller is not larger and not may_be_chance(link.first, link.second):
            larger |= smaller
            for i in smaller:
                together[i] = larger
            kept.append(link)
    groups: dict[int, list[Link]] = {}
    for link in kept:
        groups.setdefault(id(together[link.first]), []).append(link)
    return list(groups.values())


def course_solutions_and_samples() -> Iterator[Submission]:
    """Yield the course's solutions and, if it exists, the sample class, since anyone can find these."""
    for one in term_assignments():
        samples = sorted((ROOT / "tests" / "submissions" / one.name).glob("*.py"))
        named = [(SAMPLE_LABEL_TEMPLATE.format(path.stem), path) for path in samples]
        for student, path in [("reference solution", one.solution), *named]:
            data, name = path.read_bytes(), path.relative_to(ROOT).as_posix()
            yield Submission(
                student, one.name, name, hashlib.sha256(data).hexdigest(), (data.decode("utf-8", "replace"),)
            )


def earlier_submissions(folder: Path) -> Iterator[Submission]:
    """Yield the submissions in an earlier class's folder, including unreadable ones."""
    names = tuple(assignment.name for assignment in term_assignments())
    students = find_in_folder(folder, None, names).students
    for submission in read_class_bounded(students, names):
        yield replace(submission, student=f"{submission.student} ({folder.name})")
