"""Uploads grouped by student: a number, address or login identifies a person, and a name is a label."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from autograder.submission.platforms import GRADESCOPE
from autograder.submission.records import Person, Upload


def by_student(uploads: Iterable[Upload]) -> tuple[tuple[Upload, ...], ...]:
    """Return uploads grouped by person and decided assignment, each group in the order in which it came.

    If several people have one name, their number is added to it.
    """
    people: dict[str, Person] = {}
    groups: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    for upload in sorted(uploads, key=lambda upload: (upload.attempt, upload.version)):
        people.setdefault(upload.person.key, upload.person)
        groups[upload.person.key, upload.assignment if upload.is_decided else ""].append(upload)
    names = {
        key: person.email or person.sid * (person.platform == GRADESCOPE) or person.name
        for key, person in people.items()
    }
    times = Counter(names.values())
    students = []
    for (key, _), group in groups.items():
        mark = people[key].number or people[key].sid
        student = f"{names[key]}_{mark}" if times[names[key]] > 1 and mark else names[key]
        newest = {(upload.attempt, upload.name): upload for upload in group}.values()
        students.append(
            tuple(
                replace(upload, person=people[key], student=student, is_superseded=upload not in newest)
                for upload in group
            )
        )
    return tuple(sorted(students, key=lambda group: (group[0].student, group[0].person.key)))
