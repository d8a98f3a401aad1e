"""Whose row of a platform's roster a grade belongs in: what Canvas and Moodle have in common.

Scores go only where nothing else could be meant. Of an address whose domain the roster does not know, no part says anything,
since anybody can have the same name elsewhere.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import UserError
from autograder.grading.row import Row

_EXACT, _LOCAL_PART, _NAME = range(3)
"""How a student is recognised, the surest way first."""


class RosterError(UserError):
    """The roster cannot be used. The message is a sentence or two for a person."""


@dataclass
class Written:
    """What came of a roster."""

    path: Path
    scores: int = 0
    created: list[str] = field(default_factory=list)
    """assignments that the roster has no column for"""
    left_out: list[str] = field(default_factory=list)
    """grades that went nowhere, a sentence each"""
    late: list[str] = field(default_factory=list)
    """what was taken off for late work, a sentence each"""

    @property
    def notes(self) -> list[str]:
        return [*(f"left out: {one}" for one in self.left_out), *self.late]


def read(path: Path) -> list[list[str]]:
    """The rows of a table, all as long as the first. Raises RosterError where it is none."""
    try:
        text = path.read_text("utf-8-sig")
        first = text.partition("\n")[0]
        separator = ";" if first.count(";") > first.count(",") else ","
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosterError(f"{path} cannot be read: {error}") from error
    return [row + [""] * (len(rows[0]) - len(row)) for row in rows] or [[]]


def require_points(cell: str, graded: Row, what: str, roster: str, advice: str) -> None:
    """Raises RosterError where a platform's cell has another maximum. Scores go in as they are, so all of them would be wrong."""
    points = graded.max_score
    if re.fullmatch(r"\d+([.,]\d+)?", cell) and float(cell.replace(",", ".")) != points:
        here = f"{graded.submission.assignment} is graded out of {points:g}"
        raise RosterError(f"{what} is worth {cell} points in {roster}, and {here}: set it to {points:g} points in {advice}")


def letters(text: str) -> str:
    """A name as platforms put it into file names: letters and digits alone."""
    return "".join(character for character in text.casefold() if character.isalnum())


class People:
    """Who stands in which row of a roster, by all that they go by."""

    def __init__(self, roster: str) -> None:
        self.roster = roster
        self.called: list[str] = []
        """what to call the person of a row"""
        self._rows: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._domains: set[str] = set()

    def add(self, called: str, number: str, login: str, ids: Iterable[str], names: Iterable[str]) -> None:
        """The next row: the platform's own number, a login or address, what else is theirs alone, and names, which others may have."""
        whole = [one.strip().casefold() for one in (login, *ids)]
        self._domains.update(one.partition("@")[2] for one in whole if "@" in one)
        local_part, at, _ = whole[0].partition("@")
        keys = [("number", number.strip()), ("login", local_part + at), *(("id", one) for one in whole), *(("name", letters(name)) for name in names)]
        for kind, key in keys:
            if key:
                self._rows[kind, key].add(len(self.called))
        self.called.append(called)

    def find(self, student: str, number: str) -> tuple[int, int] | None:
        """How surely, and in which row, a student stands, whose file has that number of the platform; None where that is not certain."""
        whole = student.strip().casefold()
        local_part, at, domain = whole.partition("@")
        tiers = [(_EXACT, "number", number), (_EXACT, "id", whole)]
        if not at:
            tiers += [(_LOCAL_PART, "login", f"{whole}@"), (_NAME, "name", letters(whole))]
        elif domain in self._domains:
            tiers.append((_LOCAL_PART, "login", local_part))  # of two addresses the part before the @ says nothing
        for how, kind, key in tiers:
            found = self._rows.get((kind, key), set())
            if found:
                return (how, min(found)) if len(found) == 1 else None
        return None

    def unknown(self, student: str) -> str:
        """Why a student was not found."""
        domain = student.strip().casefold().partition("@")[2]
        more = f" (no address in it ends in @{domain})" if domain and domain not in self._domains else ""
        return f"{student}: nobody in {self.roster}, or more than one, goes by that name{more}"


def matched(rows: Iterable[tuple[Row, str]], people: People, left_out: list[str]) -> dict[str, dict[int, Row]]:
    """Assignment → row of the roster → the grade for it. With each grade comes the platform's number of its student, if its file says one."""
    claims: dict[int, list[tuple[int, Row]]] = defaultdict(list)
    for row, number in rows:
        one = row.submission
        match = people.find(one.student, number)
        if row.lost or not one.assignment:
            left_out.append(f"{one.student}, {one.file}: it could not be graded")
        elif match is None:
            left_out.append(people.unknown(one.student))
        else:
            claims[match[1]].append((match[0], row))
    found: dict[str, dict[int, Row]] = defaultdict(dict)
    for person, claimed in claims.items():
        by_assignment: dict[str, list[Row]] = defaultdict(list)
        for row in _undisputed(claimed, people.called[person], left_out):
            by_assignment[row.submission.assignment].append(row)
        for name, several in by_assignment.items():
            if len(several) == 1:
                found[name][person] = several[0]
            else:
                names = " and ".join(row.submission.student for row in several)
                left_out.append(f"{names}: they seem to be one person, and each handed in {name}")
    return found


def _undisputed(claimed: list[tuple[int, Row]], person: str, left_out: list[str]) -> list[Row]:
    """Of those that may be one person's, the ones that are surely so, or that nobody else's name speaks against."""
    surest = min(how for how, _ in claimed)
    best = [row for how, row in claimed if how == surest]
    names = dict.fromkeys(row.submission.student for row in best)
    if surest > _EXACT and len(names) > 1:
        left_out.append(f"{' and '.join(names)}: each of them may be {person}")
        return []
    others = dict.fromkeys(row.submission.student for how, row in claimed if how > surest)
    left_out += [f"{other}: {next(iter(names))} is more surely {person}" for other in others]
    return best
