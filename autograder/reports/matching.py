"""Whose row of a platform's roster a grade belongs in: what Canvas and Moodle have in common.

Scores go only where nothing else could be meant. Of an address whose domain the roster does not know, no part says
anything, since anybody can have the same name elsewhere.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import UserError
from autograder.grading.row import Row
from autograder.submission import Person, Submission
from autograder.submission.names import listed, printable

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
    unknown: list[str] = field(default_factory=list)
    """students whom the roster does not have, or has more than once"""
    blank: list[str] = field(default_factory=list)
    """students whose zero waits until a person has looked"""
    absent: list[str] = field(default_factory=list)
    """who stands in the roster, and nothing of theirs is here; with the assignment where there are several"""
    left_out: list[str] = field(default_factory=list)
    """other grades that went nowhere, a sentence each"""
    takes_feedback: bool = True
    """whether there is a place for the feedback, if the platform has one in its roster"""

    def sentences(self, roster: str) -> Iterator[str]:
        """What a person has to know besides the number of scores: one line for one cause, with all its students."""
        yield from (f"Left out: {sentence}." for sentence in self.left_out)
        if self.unknown:
            how = f"A table that says what {roster} calls them puts them in: --map"
            yield (
                f"Left out, {len(self.unknown)} whom {roster} does not have, or has more than once:"
                f" {_named(self.unknown)}. {how}."
            )
        if self.blank:
            out = self.path.parent
            how = f'`autograder adjust {out} STUDENT ASSIGNMENT --score 0 --reason "…"`, or all in a table with --from'
            yield (
                f"Left blank, {len(self.blank)} who have 0: {_named(self.blank)}. Look at them, and say what counts:"
                f" {how}."
            )
        if self.absent:
            yield f"Without a submission, {len(self.absent)} of {roster}: {_named(self.absent)}."
        if not self.takes_feedback:
            yield (
                f"{roster} has no column for feedback: switch on Feedback comments, or see `autograder feedback"
                f" {self.path.parent} --for moodle`."
            )


def _named(students: Iterable[str]) -> str:
    """Names in one line, where some may be "Lovelace, Ada"."""
    names = [printable(student, 100) for student in sorted(dict.fromkeys(students))]
    return ("; " if any("," in name for name in names) else ", ").join(names)


class Aliases:
    """A table that says what else somebody is called: each row is one person, such as Classroom's identifier and
    github_username."""

    def __init__(self, path: Path | None = None) -> None:
        self._rows = [[cell.strip() for cell in row if cell.strip()] for row in read(path)] if path is not None else []
        self._by_name: dict[str, set[int]] = defaultdict(set)
        for number, row in enumerate(self._rows):
            for cell in row:
                self._by_name[cell.casefold()].add(number)

    def of(self, names: Iterable[str]) -> list[str]:
        """What else they are called who go by one of these names, if these are one person."""
        numbers = {number for name in names for number in self._by_name.get(name.casefold(), ())}
        return self._rows[numbers.pop()] if len(numbers) == 1 else []

    @property
    def domain(self) -> str:
        """Where most of the addresses in the table are; "" where there is no such place."""
        domains = Counter(cell.casefold().partition("@")[2] for row in self._rows for cell in row if "@" in cell)
        (most, count), *_ = [*domains.most_common(1), ("", 0)]
        return most if 2 * count > domains.total() else ""


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


def factor(cell: str, graded: Row, what: str, roster: str, advice: str, scale: bool) -> float:
    """What scores are multiplied by, for a platform's cell with its maximum. Raises RosterError where that is another
    one than here and nobody said to scale: all scores would be wrong."""
    points = graded.max_score
    worth = float(cell.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", cell) else points
    if worth != points and not scale:
        here = f"{graded.submission.assignment} is graded out of {points:g}"
        cure = f"set it to {points:g} points in {advice}, or scale the scores with --scale"
        raise RosterError(f"{what} is worth {cell} points in {roster}, and {here}: {cure}")
    return worth / points if points else 1.0


def letters(text: str) -> str:
    """A name as platforms put it into file names: letters and digits alone."""
    return "".join(character for character in text.casefold() if character.isalnum())


class People:
    """Who stands in which row of a roster, by all that they go by."""

    def __init__(self, roster: str, platform: str) -> None:
        self.roster, self.platform = roster, platform
        self.called: list[str] = []
        """what to call the person of a row; "" for nobody, whom it is no wonder to find without a submission"""
        self._rows: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._domains: set[str] = set()

    def add(
        self, called: str, number: str, login: str, ids: Iterable[str], names: Iterable[str], sids: Iterable[str] = ()
    ) -> None:
        """The next row: the platform's own number, a login or address, what else is theirs alone, names, which others
        may have, and the numbers that the university gave."""
        whole = [value.strip().casefold() for value in (login, *ids)]
        self._domains.update(value.partition("@")[2] for value in whole if "@" in value)
        local_part, at, _ = whole[0].partition("@")
        keys = [("number", number.strip()), ("login", local_part + at), *(("id", value) for value in whole)]
        keys += [*(("sid", sid.strip()) for sid in sids), *(("name", letters(name)) for name in names)]
        for kind, key in keys:
            if key:
                self._rows[kind, key].add(len(self.called))
        self.called.append(called)

    def vouch(self, domain: str) -> None:
        """Somebody who knows says that these people's addresses are there; it counts where the roster has no address
        itself."""
        self._domains = self._domains or {domain} - {""}

    def find(self, student: str, person: Person, also: Iterable[str] = ()) -> tuple[int, int] | None:
        """How surely, and in which row, a person stands who is called so; None where that is not certain.

        `also`: by what else the person goes, as somebody says who knows.
        """
        number = person.number if person.platform == self.platform else ""
        goes_by = [
            text.strip().casefold() for text in dict.fromkeys([person.email, person.login, student, *also]) if text
        ]
        tiers = [
            (_EXACT, "number", number),
            *((_EXACT, "sid", sid) for sid in (person.sid, *also)),
            *((_EXACT, "id", text) for text in goes_by),
        ]
        for text in goes_by:
            local_part, at, domain = text.partition("@")
            if not at:
                tiers.append((_LOCAL_PART, "login", f"{text}@"))
            elif domain in self._domains:
                tiers.append((_LOCAL_PART, "login", local_part))  # of two addresses the part before the @ says nothing
        names = [person.name, *("" if "@" in text else text for text in (student, *also))]
        tiers += [(_NAME, "name", letters(name)) for name in dict.fromkeys(names)]
        for how, kind, key in tiers:
            rows = self._rows.get((kind, key), set())
            if rows:
                return (how, min(rows)) if len(rows) == 1 else None
        return None

    def strangers(self, submissions: list[Submission]) -> RosterError:
        """Nobody at all was found: why that may be."""
        students = sorted({submission.student for submission in submissions})
        others = sorted({student.partition("@")[2] for student in students if "@" in student} - self._domains)
        why = "Give a table of two columns, what they are called here and in that file, with --map"
        if all(
            submission.person.platform == "Canvas" and not submission.person.number.isdigit()
            for submission in submissions
        ):
            why = (
                "Canvas gave anonymous names: end that in the assignment's settings, download the submissions again,"
                " and grade that folder"
            )
        elif others:
            why = (
                f"No address in it ends in @{others[0]}: write the address of one student into it in the place of a"
                f" bare login, or g{why[1:]}"
            )
        some = listed([printable(student, 60) for student in students], 3)
        return RosterError(f"none of {len(students)} students is in {self.roster}: {some}. {why}")


def matched(rows: Iterable[Row], people: People, aliases: Aliases, written: Written) -> dict[str, dict[int, Row]]:
    """Assignment → row of the roster → the grade for it. Raises RosterError where not one student is found."""
    claims: dict[int, list[tuple[int, Row]]] = defaultdict(list)
    unknown: list[Submission] = []
    people.vouch(aliases.domain)
    for row in rows:
        submission = row.submission
        match = people.find(submission.student, submission.person, aliases.of(called(submission)))
        if not submission.assignment:
            written.left_out.append(f"{submission.student}, {submission.file}: it does not tell one assignment")
        elif match is None:
            unknown.append(submission)
        else:
            claims[match[1]].append((match[0], row))
    if unknown and not claims:
        raise people.strangers(unknown)
    written.unknown += [submission.student for submission in unknown]
    grades: dict[str, dict[int, Row]] = defaultdict(dict)
    for person, claimed in claims.items():
        by_assignment: dict[str, list[Row]] = defaultdict(list)
        for row in _undisputed(claimed, people.called[person], written.left_out):
            by_assignment[row.submission.assignment].append(row)
        for name, several in by_assignment.items():
            if len(several) == 1:
                grades[name][person] = several[0]
            else:
                names = " and ".join(row.submission.student for row in several)
                written.left_out.append(f"{names}: they seem to be one person, and each handed in {name}")
    for name, of_person in grades.items():
        where = f" ({name})" if len(grades) > 1 else ""
        waiting = [row for row in of_person.values() if waits(row)]
        absent = (called for number, called in enumerate(people.called) if called and number not in of_person)
        written.scores += len(of_person) - len(waiting)
        written.blank += [f"{row.student}{where}" for row in waiting]
        written.absent += [f"{called}{where}" for called in absent]
    return grades


def called(submission: Submission) -> Iterator[str]:
    """All that a table may call a student."""
    person = submission.person
    return filter(None, (submission.student, person.login, person.email, person.sid, person.name))


def waits(row: Row) -> bool:
    """Whether a score says nothing yet: it is a zero, for whatever reason, and no person has said a word on it."""
    return bool(row.lost or row.submission.problem or not row.tested_score) and not row.adjustments


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
