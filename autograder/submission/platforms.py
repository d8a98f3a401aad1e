"""Facts that course platforms put into the names of a download, and into Gradescope's metadata.

Canvas      doejane_12345_67890_rope.py                           name, number of user and upload, file
            doejane_LATE_12345_67899_rope-1.py                    late, and the second file of that name
            doejane_12345_text.html, doejane_12345_link.html      text or a link instead of a file
            anon_aB3xZ_67890_rope.py, LATE_anon_aB3xZ_…           with anonymous grading
Moodle      Ada Lovelace_12345_assignsubmission_file_rope.py      name, number of the participant, file
            Ada Lovelace_12345_assignsubmission_file_/rope.py     a folder per student; the last _ may lack
            Ada Lovelace_12345_assignsubmission_onlinetext_…      text that was written into Moodle
Blackboard  Week 5_alovelace_attempt_2026-11-01-14-22-32_rope.py  assignment, user name, time, file
            Week 5_alovelace_attempt_2026-11-01-14-22-32.txt      Blackboard's summary of that attempt
Brightspace 41-201 - Ada Lovelace - Nov 2, 2026 1022 AM/          number of user and folder, name, time
Autolab     ada@uni.example_3_rope.py                             address, number of the attempt, file
GitHub      rope-alovelace/                                       a clone: assignment at Classroom, login
Gradescope  submission_9001/ and submission_metadata.yml          an export: the metadata name each owner

The platform is decided once for a folder, from all names in it. In a name the platform's marks come first; a
student chose what follows them, and it is never read as a mark.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import yaml

from autograder.submission.names import listed, printable, utf8_safe
from autograder.submission.records import NothingToGradeError, Person, Problem, Upload

CANVAS, ANONYMOUS, MOODLE, BLACKBOARD = "Canvas", "Canvas, anonymous", "Moodle", "Blackboard"
BRIGHTSPACE, AUTOLAB, GITHUB, GRADESCOPE = "Brightspace", "Autolab", "GitHub Classroom", "Gradescope"
METADATA = "submission_metadata.yml"
_TEXT = Problem("Text or a link was given to the platform, and no file: hand in the .py or .ipynb file itself.")

# Numbers are bounded because Python refuses to convert very long ones. The part of a name that a platform
# makes from a person's name is the shortest that fits, so that the first marks in a name are the platform's.
_FILE = r"(?P<file>.+?)(?:-(?P<version>\d{1,9})(?P<suffix>\.\w+))?"
_UPLOAD = rf"(?:(?P<upload>\d{{1,18}})_{_FILE}|(?P<text>text|link)\.html)"
_MOODLE = r"(?P<name>[^_]+)_(?P<number>\d{1,18})_assignsubmission"
_FILES = {
    ANONYMOUS: rf"(?P<late>LATE_)?anon_(?P<number>[0-9A-Za-z]{{1,20}})_{_UPLOAD}",
    CANVAS: rf"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d{{1,18}})_{_UPLOAD}",
    MOODLE: rf"{_MOODLE}_(?:file_(?P<file>.+)|(?P<text>onlinetext)_.*)",
    BLACKBOARD: r"(?P<name>.+?_[^_]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|(?P<text>\.txt))",
    AUTOLAB: r"(?P<email>[^@\s]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)_(?P<attempt>\d{1,9})_(?P<file>.+)",
}
_FOLDERS = {
    MOODLE: rf"{_MOODLE}_(?:file|(?P<text>onlinetext))_?",
    BRIGHTSPACE: r"(?P<number>\d{1,18})-\d{1,18} - (?P<name>.+) - (?P<time>[^-]*\d{4}[^-]*)",
}
_STATES_LATENESS = {CANVAS, ANONYMOUS}
_TIMES = {BLACKBOARD: ("%Y-%m-%d-%H-%M-%S",), BRIGHTSPACE: ("%b %d, %Y %I%M %p", "%d %B, %Y %I%M %p")}
_SHORT_HOUR = re.compile(r" (\d{3}) ")
_ZONED_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d{1,9})? ?(Z|UTC|[+-]\d\d:?\d\d)?")

# All scalars as text, so that numbers of people keep their zeros; tags of Ruby objects are ignored.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_YAML_DEPTH = 100
_PERSON_FIELDS = ("email", "sid", "name")

_MIN_CLONES = 3
"""Minimum number of folders with one beginning that are clones of one assignment of GitHub Classroom."""


def recognise(
    folders: Collection[str], files: Collection[str], known: Sequence[str] = ()
) -> tuple[str, dict[str, Upload]]:
    """Return the platform that made most names in a folder, and what each name says.

    If no platform did, the platform is "" and the dict is empty. The uploads have no path yet. `known` are
    the course's assignments.

    Raises:
        NothingToGradeError: clones of several assignments lie there, and nothing says where a login begins.
    """
    matches: dict[str, dict[str, re.Match[str]]] = {platform: {} for platform in (*_FILES, *_FOLDERS)}
    for patterns, names in ((_FILES, files), (_FOLDERS, folders)):
        for platform, pattern in patterns.items():
            tried = ((name, re.fullmatch(pattern, name, re.DOTALL)) for name in names)
            matches[platform] |= {name: match for name, match in tried if match}
    # If several platforms could have made a name, its first marks are the platform's.
    order = {name: (len(of), -sum(map(_student_part, of.values()))) for name, of in matches.items()}
    platform = max(order, key=lambda name: order[name])
    if 2 * len(matches[platform]) <= len(folders) + len(files):
        return _clones(folders, known)
    uploads = {name: _upload(platform, **match.groupdict("")) for name, match in matches[platform].items()}
    return platform, _with_logins(uploads) if platform == BLACKBOARD else uploads


def _student_part(match: re.Match[str]) -> int:
    """Return where the part of a name begins that the student chose."""
    return match.start("file") if match.groupdict().get("file") else match.end()


def _upload(platform: str, **parts: str) -> Upload:
    """Return an upload from the named parts of a name; a missing part is empty."""
    number, email = utf8_safe(parts.get("number", "")), utf8_safe(parts.get("email", ""))
    name = utf8_safe(parts.get("name") or email or f"anon_{number}")
    submitted, attempt = "", int(parts.get("attempt") or 0)
    for form in _TIMES.get(platform, ()):
        with suppress(ValueError):  # another language, or a day that no month has
            moment = datetime.strptime(_SHORT_HOUR.sub(r" 0\1 ", parts["time"]), form)
            submitted, attempt = moment.isoformat(), int(moment.strftime("%Y%m%d%H%M%S"))
    return Upload(
        Person(CANVAS if platform == ANONYMOUS else platform, number, email=email, name=name),
        parts.get("file", "") + parts.get("suffix", ""),
        attempt=attempt,
        version=(int(parts.get("upload") or 0), int(parts.get("version") or 0)),
        submitted=submitted,
        late=bool(parts.get("late")) if platform in _STATES_LATENESS else None,
        problem=_TEXT if parts.get("text") else None,
    )


def _with_logins(uploads: dict[str, Upload]) -> dict[str, Upload]:
    """Return Blackboard's uploads with logins: the part behind the title that all names have in common."""
    heads = {upload.person.name for upload in uploads.values()}
    title = os.path.commonprefix([*heads]).rpartition("_")[0]  # noqa: RUF071
    logins = {head: head.removeprefix(f"{title}_") for head in heads}
    return {
        name: replace(upload, person=Person(BLACKBOARD, login=(login := logins[upload.person.name]), name=login))
        for name, upload in uploads.items()
    }


def _clones(folders: Collection[str], known: Sequence[str]) -> tuple[str, dict[str, Upload]]:
    """Return clones of GitHub Classroom: most folders begin with the name of the assignment there."""
    beginnings = Counter(name[: dash.end()] for name in folders for dash in re.finditer("-(?=.)", name, re.DOTALL))
    slug, count = max(beginnings.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    if count >= _MIN_CLONES and 2 * count > len(folders):
        _raise_for_several(slug, folders)
        slugs = [slug]
    else:
        slugs = sorted((f"{name.replace('_', '-')}-" for name in known), key=len, reverse=True)
    logins = {
        name: utf8_safe(name[len(begin) :])
        for name in folders
        if (begin := next((slug for slug in slugs if name.casefold().startswith(slug.casefold())), ""))
        and name != begin
    }
    if len(logins) < _MIN_CLONES or 2 * len(logins) <= len(folders):
        return "", {}
    return GITHUB, {name: Upload(Person(GITHUB, login=login, name=login)) for name, login in logins.items()}


def _raise_for_several(slug: str, folders: Collection[str]) -> None:
    """Raise NothingToGradeError if folders with one beginning look like clones of several assignments.

    They look so if several folders share each next word, and most endings occur with several of these words.
    """
    rests = [name.removeprefix(slug).partition("-") for name in folders if name.startswith(slug)]
    words, endings = Counter(word for word, _, _ in rests), Counter(ending for _, _, ending in rests)
    recurring = [ending for ending, count in endings.items() if ending and count > 1]
    if min(words.values()) >= _MIN_CLONES and 2 * len(recurring) > len(endings):
        names = listed([printable(f"{slug}{word}-") for word in words], 3)
        raise NothingToGradeError(
            f"These folders look like clones of several assignments of GitHub Classroom ({names}): put the"
            " clones of each assignment into a separate folder, and name these folders."
        )


def is_export(folders: Collection[str], files: Collection[str]) -> bool:
    """Return True if only an export of Gradescope lies there: one student's files among others make none."""
    return {*files} == {METADATA} and bool(folders) and all(re.fullmatch(r"submission_\d+", name) for name in folders)


def export_uploads(metadata: bytes) -> dict[str, list[Upload]]:
    """Return the uploads that an export lists by folder name, one for each person who handed the folder in.

    Damaged bytes may raise any exception of the parser.
    """
    text = metadata.decode("utf-8-sig")
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):  # the C loader crashes on endless nesting
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_YAML_DEPTH:
            raise ValueError("it is nested too deeply")
    document = yaml.load(text, Loader=_Loader)
    if not isinstance(document, dict):
        raise ValueError("it is not a table of folders")
    return {name: _of_folder(fields) for name, fields in document.items()}


def _of_folder(fields: Any) -> list[Upload]:
    """Return one upload per person among the submitters. All scalars are text."""
    try:
        stated = [
            {key: utf8_safe(str(who.get(f":{key}", ""))) for key in _PERSON_FIELDS} for who in fields[":submitters"]
        ]
        submitted = _zoned_time(str(fields.get(":created_at", "")))
    except (TypeError, KeyError, AttributeError):  # fields that Gradescope does not write
        return []
    people = {person.key: person for person in (Person(GRADESCOPE, **fields) for fields in stated)}
    return [Upload(person, submitted=submitted) for key, person in people.items() if key]


def _zoned_time(text: str) -> str:
    """Return Gradescope's time of a submission in ISO format; an empty string for any other text."""
    if not (match := _ZONED_TIME.fullmatch(text)):
        return ""
    day, time, zone = match.groups("")
    with suppress(ValueError):
        return datetime.fromisoformat(f"{day}T{time}{zone.replace('UTC', 'Z')}").isoformat()
    return ""
