"""Manual corrections, which every run reads from adjustments.csv, the instructor's table next to the class folder.

The columns are student (a number, address, login or name), assignment, points (to add) or score (to set), and reason,
which the student can read. Lines that begin with `#` are comments.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder import csv_tables
from autograder.batch.gradebook import Gradebook
from autograder.course import all_lessons
from autograder.grading.row import Adjustment, PeopleIndex
from autograder.submission.untrusted_names import printable

ADJUSTMENTS_FILE = "adjustments.csv"
REQUIRED_COLUMNS, NUMBER_COLUMNS = {"student", "assignment", "reason"}, {"points", "score"}
MAX_POINTS = 100


def apply(book: Gradebook, path: Path) -> tuple[int, list[str]]:
    """Store each correction with the submission it applies to. Without a table, there are no corrections.

    Return the number of corrections, and a message for each line that matches no submission or several. Lines for
    assignments outside this run share one message. Raise TableError if the table cannot be parsed.
    """
    lines = list(_lines(path)) if path.is_file() else []
    if not lines:
        return 0, []
    people: defaultdict[str, PeopleIndex[int]] = defaultdict(PeopleIndex)
    for number, submission in book.submissions_that_count():
        people[submission.assignment].add(submission, number)
    elsewhere = set(all_lessons()) - people.keys()
    of_others: Counter[str] = Counter()
    by_submission: dict[int, list[Adjustment]] = defaultdict(list)
    unmatched = []
    for number, student, assignment, adjustment in lines:
        matches = people[assignment].find(student)
        if len(matches) == 1:
            by_submission[min(matches)].append(adjustment)
        elif assignment in elsewhere:
            of_others[assignment] += 1
        else:
            why = f"could be {len(matches)} submissions" if matches else "nobody with that name has a submission"
            unmatched.append(f"{path.name}, line {number}: {printable(student)}, {assignment}: {why}")
    book.adjust(by_submission)
    if of_others:
        names = ", ".join(sorted(of_others))
        unmatched.append(f"{of_others.total()} for assignments that are not in this run ({names})")
    return sum(map(len, by_submission.values())), unmatched


def _lines(path: Path) -> Iterator[tuple[int, str, str, Adjustment]]:
    """Yield the number, student, assignment and correction of each line."""
    table = csv_tables.read(path, has_comments=True)
    times = Counter(title.casefold() for title in table.titles)
    if missing := REQUIRED_COLUMNS - times.keys():
        raise csv_tables.TableError(path, f"it has no column {', '.join(sorted(missing))}")
    if twice := [name for name in sorted(REQUIRED_COLUMNS | NUMBER_COLUMNS) if times[name] > 1]:
        raise csv_tables.TableError(path, f"it has two columns {twice[0]}")
    for line, cells in csv_tables.records(table):
        try:
            adjustment = _adjustment(cells)
        except ValueError as error:
            raise csv_tables.TableError(path, f"line {line.number}: {error}") from error
        student = cells["student"].removeprefix("'")  # the apostrophe that makes a name safe for spreadsheets
        yield line.number, student, cells["assignment"].casefold(), adjustment


def _adjustment(cells: Mapping[str, str]) -> Adjustment:
    """Return the correction on a line. Raise ValueError unless the line has exactly one number and it is valid."""
    texts = {name: cells.get(name, "") for name in sorted(NUMBER_COLUMNS)}
    numbers = {name: csv_tables.number(text) for name, text in texts.items() if text}
    value = next(iter(numbers.values()), None)
    smallest = 0 if "score" in numbers else -MAX_POINTS
    if len(numbers) != 1 or value is None or not smallest <= value <= MAX_POINTS:
        student = printable(f"{cells['student']}, {cells['assignment']}")
        raise ValueError(f"{student}: give points to add, or a score from 0 to {MAX_POINTS}")
    return Adjustment(numbers.get("points"), numbers.get("score"), cells["reason"])
