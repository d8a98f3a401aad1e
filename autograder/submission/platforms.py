"""What platforms say of people: in the names of what they give out, and in Gradescope's metadata.

Canvas      doejane_12345_67890_rope.py                           name, user's number, upload's number, own file name
            doejane_LATE_12345_67899_rope-1.py                    handed in late, and the file's second attempt
            doejane_12345_text.html, doejane_12345_link.html      text or a link in the place of a file
            anon_aB3xZ_67890_rope.py, LATE_anon_aB3xZ_…           with anonymous grading
Moodle      Ada Lovelace_12345_assignsubmission_file_rope.py      name, participant's number, own file name
            Ada Lovelace_12345_assignsubmission_file_/rope.py     a folder per student; newer ones leave out the last _
            Ada Lovelace_12345_assignsubmission_onlinetext_…      text that was written into Moodle
Blackboard  Week 5_alovelace_attempt_2026-11-01-14-22-32_rope.py  assignment, user name, time, own file name
            Week 5_alovelace_attempt_2026-11-01-14-22-32.txt      what Blackboard says of that attempt
GitHub      rope-alovelace/                                       clones of GitHub Classroom: assignment there, login
Gradescope  submission_9001/ and submission_metadata.yml          an export: the metadata says whose each folder is

The platform is decided once for a folder, from all names in it. In a name the platform's own marks come first; what
follows them was chosen by a student, and is never read as a mark.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import yaml

from autograder.submission.names import utf8_safe
from autograder.submission.records import Entry, Person, Problem

CANVAS, ANONYMOUS, MOODLE = "Canvas", "Canvas, anonymous", "Moodle"
BLACKBOARD, GITHUB, GRADESCOPE = "Blackboard", "GitHub Classroom", "Gradescope"
METADATA = "submission_metadata.yml"
_TEXT = Problem("Text or a link was given to the platform, and no file: hand in the .py or .ipynb file itself.")

# Numbers are bounded because Python refuses to convert those without end. The part of a name that a platform makes from
# a person's is the shortest that fits, so that the first marks in a name are the platform's own.
_OWN = r"(?P<file>.+?)(?:-(?P<version>\d{1,9})(?P<suffix>\.\w+))?"
_UPLOAD = rf"(?:(?P<upload>\d{{1,18}})_{_OWN}|(?P<text>text|link)\.html)"
_MOODLE = r"(?P<name>[^_]+)_(?P<number>\d{1,18})_assignsubmission"
_FILES = {
    ANONYMOUS: rf"(?P<late>LATE_)?anon_(?P<number>[0-9A-Za-z]{{1,20}})_{_UPLOAD}",
    CANVAS: rf"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d{{1,18}})_{_UPLOAD}",
    MOODLE: rf"{_MOODLE}_(?:file_(?P<file>.+)|(?P<text>onlinetext)_.*)",
    BLACKBOARD: r"(?P<name>.+?_[^_]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|(?P<text>\.txt))",
}
_FOLDERS = {MOODLE: rf"{_MOODLE}_(?:file|(?P<text>onlinetext))_?"}

# All scalars as text, so that numbers of people keep their zeros; tags of Ruby objects are passed over.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_OF_PERSON = ("email", "sid", "name")

_CLONES = 3
"""folders with one beginning, at least"""


def recognise(folders: Collection[str], files: Collection[str]) -> tuple[str, dict[str, Entry]]:
    """The platform that most names in a folder are made by, and what each says; "" and nothing where there is none."""
    read: dict[str, dict[str, re.Match[str]]] = {platform: {} for platform in _FILES}
    for patterns, names in ((_FILES, files), (_FOLDERS, folders)):
        for platform, pattern in patterns.items():
            matches = ((name, re.fullmatch(pattern, name, re.DOTALL)) for name in names)
            read[platform] |= {name: match for name, match in matches if match}
    # Where a name can be read as made by several, those marks are a platform's that come first.
    platform = max(read, key=lambda platform: (len(read[platform]), -sum(map(_students_part, read[platform].values()))))
    if 2 * len(read[platform]) <= len(folders) + len(files):
        return _clones(folders)
    entries = {name: _entry(platform, **match.groupdict("")) for name, match in read[platform].items()}
    return platform, _with_logins(entries) if platform == BLACKBOARD else entries


def _students_part(match: re.Match[str]) -> int:
    """Where the part of a name begins that the student chose."""
    return match.start("file") if match.groupdict().get("file") else match.end()


def _entry(platform: str, **parts: str) -> Entry:
    """From the parts of a name, as the patterns call them; a part that is not there is empty."""
    number, version = parts.get("number", ""), (int(parts.get("upload") or 0), int(parts.get("version") or 0))
    name = utf8_safe(parts.get("name") or f"anon_{number}")
    return Entry(
        Person(CANVAS if platform == ANONYMOUS else platform, number, name=name),
        parts.get("file", "") + parts.get("suffix", ""),
        _TEXT if parts.get("text") else None,
        float(parts.get("time", "").replace("-", "") or 0),
        version,
        bool(parts.get("late")),
    )


def _with_logins(entries: dict[str, Entry]) -> dict[str, Entry]:
    """With Blackboard's logins: what follows the assignment's title, which all names have in common up to a _."""
    heads = {entry.person.name for entry in entries.values()}
    title = os.path.commonprefix([*heads]).rpartition("_")[0]  # noqa: RUF071
    logins = {head: head.removeprefix(f"{title}_") for head in heads}
    return {
        name: replace(entry, person=Person(BLACKBOARD, login=(login := logins[entry.person.name]), name=login))
        for name, entry in entries.items()
    }


def _clones(folders: Iterable[str]) -> tuple[str, dict[str, Entry]]:
    """Clones of GitHub Classroom: most folders begin with the name of the assignment there."""
    names = [*folders]
    beginnings = Counter(name[: dash.end()] for name in names for dash in re.finditer("-(?=.)", name, re.DOTALL))
    slug, count = max(beginnings.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    if count < _CLONES or 2 * count <= len(names):
        return "", {}
    logins = {name: utf8_safe(name.removeprefix(slug)) for name in names if name.startswith(slug) and name != slug}
    return GITHUB, {name: Entry(Person(GITHUB, login=login, name=login)) for name, login in logins.items()}


def is_export(folders: Collection[str], files: Collection[str]) -> bool:
    """Whether nothing but an export of Gradescope lies there: what students drop beside others makes none."""
    return {*files} == {METADATA} and bool(folders) and all(re.fullmatch(r"submission_\d+", name) for name in folders)


def export_entries(metadata: bytes) -> dict[str, list[Entry]]:
    """What an export says, by folder name: an entry for each who handed it in. Raises whatever odd bytes make the
    parser raise."""
    text = metadata.decode("utf-8-sig")
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):  # the C loader crashes on what is nested without end
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > 100:
            raise ValueError("it is nested too deeply")
    document = yaml.load(text, Loader=_Loader)
    if not isinstance(document, dict):
        raise ValueError("it is not a table of folders")
    return {name: _of_folder(fields) for name, fields in document.items()}


def _of_folder(fields: Any) -> list[Entry]:
    """Everybody once who is among the submitters. All scalars are text."""
    try:
        told = [{key: utf8_safe(str(who.get(f":{key}", ""))) for key in _OF_PERSON} for who in fields[":submitters"]]
    except (TypeError, KeyError, AttributeError):  # fields that Gradescope does not write
        return []
    people = {person.key: person for person in (Person(GRADESCOPE, **one) for one in told)}
    return [Entry(person) for key, person in people.items() if key]
