"""Facts that course platforms put into the names in a download and into Gradescope's metadata.

Canvas      doejane_LATE_12345_67899_rope-1.py (late, user and upload numbers, second file of that name),
            doejane_12345_text.html (text or a link, no file), LATE_anon_aB3xZ_67890_rope.py (anonymous)
Moodle      Ada Lovelace_12345_assignsubmission_file_rope.py (participant number); or a folder that
            ends in file_ or onlinetext_, whose last _ can be missing
Blackboard  Week 5_alovelace_attempt_2026-11-01-14-22-32_rope.py (assignment, user name, time), and .txt
Brightspace 41-201 - Ada Lovelace - Nov 2, 2026 1022 AM/ (user and folder numbers, name, time)
Sakai       Lovelace, Ada(alovelace)/ (name, login)
Autolab     ada@uni.example_3_rope.py (address, attempt number)
GitHub      rope-alovelace/ (a clone: assignment at Classroom, login)
Gradescope  submission_9001/ and submission_metadata.yml (an export: the metadata names each owner)

The platform is decided once per folder, from all the names in it. In each name, the platform's marks come first; the
rest was chosen by a student and is never read as a mark.
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

from autograder.submission.assignment_mentions import mention
from autograder.submission.records import Person, Problem, UngradablePathError, Upload
from autograder.submission.untrusted_names import printable, semicolon_list, utf8_safe

CANVAS, ANONYMOUS, MOODLE, BLACKBOARD = "Canvas", "Canvas, anonymous", "Moodle", "Blackboard"
BRIGHTSPACE, SAKAI, AUTOLAB, GITHUB, GRADESCOPE = "Brightspace", "Sakai", "Autolab", "GitHub Classroom", "Gradescope"
METADATA = "submission_metadata.yml"
_TYPED_TEXT = Problem("The platform received text or a link instead of a file: hand in the .py or .ipynb file itself.")

# Numbers are bounded because Python refuses to convert very long ones. The part of a name that a platform makes from a
# person's name is matched as short as possible, so that the first marks in a name are the platform's. Folder names end
# in "/" here.
_CANVAS_STUDENT_FILE_NAME = r"(?P<file>[^/]+?)(?:-(?P<version>\d{1,9})(?P<suffix>\.\w+))?"
_CANVAS_UPLOAD_AND_FILE = rf"(?:(?P<upload>\d{{1,18}})_{_CANVAS_STUDENT_FILE_NAME}|(?P<text>text|link)\.html)"
_NAME_PATTERNS = {
    ANONYMOUS: rf"(?P<late>LATE_)?anon_(?P<number>[0-9A-Za-z]{{1,20}})_{_CANVAS_UPLOAD_AND_FILE}",
    CANVAS: rf"(?P<name>[^/]+?)(?P<late>_LATE)?_(?P<number>\d{{1,18}})_{_CANVAS_UPLOAD_AND_FILE}",
    MOODLE: r"(?P<name>[^_]+)_(?P<number>\d{1,18})_assignsubmission_"
    r"(?:file(?:_(?P<file>[^/]+)|_?/)|(?P<text>onlinetext)(?:_[^/]*|_?/))",
    BLACKBOARD: r"(?P<name>[^/]+?_[^_/]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>[^/]+)|(?P<text>\.txt))",
    BRIGHTSPACE: r"(?P<number>\d{1,18})-\d{1,18} - (?P<name>.+) - (?P<time>[^-]*\d{4}[^-]*)/(?P<file>)",
    SAKAI: r"(?P<name>[^/]+, [^/]*)\((?P<login>[^()/]+)\)/(?P<file>)",
    AUTOLAB: r"(?P<email>[^@\s]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)_(?P<attempt>\d{1,9})_(?P<file>[^/]+)",
}
_TIME_FORMATS = ("%Y-%m-%d-%H-%M-%S", "%b %d, %Y %I%M %p", "%d %B, %Y %I%M %p")  # of Blackboard and Brightspace

# This loader reads every scalar as text, which keeps the leading zeros of numbers, and ignores Ruby object tags.
_AllTextLoader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_YAML_DEPTH = 100
_SUBMITTER_FIELDS = ("email", "sid", "name")

_MIN_CLONES = 3  # minimum number of folders with a common prefix


def recognise_by_names(
    folder_names: Collection[str], file_names: Collection[str], assignments: Sequence[str]
) -> tuple[str, dict[str, Upload]]:
    """Return the platform that created most names in a folder, and the facts in each name; both can be empty.

    Raise UngradablePathError if there are clones of several assignments, since it is then unclear where logins begin.
    """
    platform, uploads = _by_name_patterns(folder_names, file_names)
    return (platform, uploads) if platform else _github_classroom_clones(folder_names, assignments)


def class_download_platform(folder_names: Collection[str], file_names: Collection[str]) -> str:
    """Return the platform whose marks show that files belong to several people, or an empty string if there is none."""
    platform, uploads = _by_name_patterns(folder_names, file_names)
    return platform if len({upload.person.key for upload in uploads.values()}) > 1 else ""


def _by_name_patterns(folder_names: Collection[str], file_names: Collection[str]) -> tuple[str, dict[str, Upload]]:
    """Return the platform whose pattern matches most names, and the facts in each name; both can be empty."""
    entries = {name: f"{name}/" for name in folder_names} | {name: name for name in file_names}
    matches = {
        platform: {name: match for name, entry in entries.items() if (match := re.fullmatch(marks, entry, re.DOTALL))}
        for platform, marks in _NAME_PATTERNS.items()
    }

    def order(platform: str) -> tuple[int, int]:
        """Sort key: the number of matching names, then how early in them the platform's marks end."""
        made = matches[platform].values()
        return len(made), -sum(match.start("file") if match["file"] else match.end() for match in made)

    platform = max(matches, key=order)
    if 2 * len(matches[platform]) <= len(entries):
        return "", {}
    uploads = {name: _upload(platform, match.groupdict("")) for name, match in matches[platform].items()}
    return platform, _with_blackboard_logins(uploads) if platform == BLACKBOARD else uploads


def _upload(platform: str, parts: dict[str, str]) -> Upload:
    """Return an upload made from the parts of a name that a platform marks."""
    number, login, email = (utf8_safe(parts.get(part, "")) for part in ("number", "login", "email"))
    name = utf8_safe(parts.get("name") or email or f"anon_{number}")
    time = _time(re.sub(r" (?=\d{3} )", " 0", parts.get("time", "")))  # for one-digit hours
    return Upload(
        Person(CANVAS if platform == ANONYMOUS else platform, number, login, email, name=name),
        parts["file"] + parts.get("suffix", ""),
        attempt=int(parts.get("attempt") or re.sub(r"\D", "", time) or 0),
        version=(int(parts.get("upload") or 0), int(parts.get("version") or 0)),
        submitted=time,
        late=bool(parts["late"]) if "late" in parts else None,
        problem=_TYPED_TEXT if parts.get("text") else None,
    )


def _time(text: str) -> str:
    """Return a platform's time in ISO format, or an empty string for any other text."""
    for form in _TIME_FORMATS:
        with suppress(ValueError):
            return datetime.strptime(text, form).isoformat()
    with suppress(ValueError):
        zoned = re.sub(r" ?(UTC|Z)$", "+00:00", text).replace(" -", "-").replace(" +", "+")
        return datetime.fromisoformat(zoned).replace(microsecond=0).isoformat()
    return ""


def _with_blackboard_logins(uploads: dict[str, Upload]) -> dict[str, Upload]:
    """Return Blackboard's uploads with their logins, which follow the assignment title that all names share."""
    heads = {name: upload.person.name for name, upload in uploads.items()}
    title = os.path.commonprefix([*heads.values()]).rpartition("_")[0]  # noqa: RUF071
    logins = {name: head.removeprefix(f"{title}_") for name, head in heads.items()}
    people = {name: Person(BLACKBOARD, login=login, name=login) for name, login in logins.items()}
    return {name: replace(upload, person=people[name]) for name, upload in uploads.items()}


def _github_classroom_clones(folders: Collection[str], assignments: Sequence[str]) -> tuple[str, dict[str, Upload]]:
    """Return GitHub Classroom's name and uploads if most folder names begin with an assignment's name on GitHub."""
    beginnings = Counter(name[: dash.end()] for name in folders for dash in re.finditer("-(?=.)", name, re.DOTALL))
    slug, count = max(beginnings.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    slugs = [slug]
    if count < _MIN_CLONES or 2 * count <= len(folders):
        slugs = sorted((f"{name.replace('_', '-')}-" for name in assignments), key=len, reverse=True)
    uploads: dict[str, Upload] = {}
    for name in folders:
        own_slug = next((slug for slug in slugs if name.casefold().startswith(slug.casefold())), name)
        if login := utf8_safe(name[len(own_slug) :]):
            assignment, is_decided = mention(own_slug.strip("-").replace("-", "_"), assignments)
            person = Person(GITHUB, login=login, name=login)
            uploads[name] = Upload(person, assignment=assignment, is_decided=is_decided)
    if len(uploads) < _MIN_CLONES or 2 * len(uploads) <= len(folders):
        return "", {}
    logins = {upload.person.login for upload in uploads.values()}
    words, _, endings = zip(*(login.partition("-") for login in sorted(logins)), strict=True)
    if min(Counter(words).values()) >= _MIN_CLONES and 3 * len({*endings}) <= 2 * len(words):
        names = semicolon_list([printable(f"{slug}{word}-") for word in sorted({*words})], 3)
        raise UngradablePathError(
            f"These folders look like clones of several GitHub Classroom assignments ({names}): put each"
            " assignment's clones into a separate folder, and name these folders."
        )
    return GITHUB, uploads


def is_gradescope_export(folders: Collection[str], files: Collection[str]) -> bool:
    """Return True if a folder has exactly the names of a Gradescope export."""
    return {*files} == {METADATA} and bool(folders) and all(re.fullmatch(r"submission_\d+", name) for name in folders)


def export_uploads(metadata: bytes) -> dict[str, list[Upload]]:
    """Return the uploads in an export, one per person, keyed by folder. Damaged bytes can raise any exception."""
    text = metadata.decode("utf-8-sig")
    depth = 0
    for event in yaml.parse(text, Loader=_AllTextLoader):  # the C loader crashes on very deep nesting
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_YAML_DEPTH:
            raise ValueError("it is nested too deeply")
    document = yaml.load(text, Loader=_AllTextLoader)
    if not isinstance(document, dict):
        raise ValueError("it is not a table of folders")
    return {name: _uploads_of_submitters(fields) for name, fields in document.items()}


def _uploads_of_submitters(fields: Any) -> list[Upload]:
    """Return one upload per submitter in a folder's metadata, in which all scalars are text."""
    try:
        submitters = fields[":submitters"]
        stated = [{key: utf8_safe(str(each.get(f":{key}", ""))) for key in _SUBMITTER_FIELDS} for each in submitters]
        submitted = _time(str(fields.get(":created_at", "")))
    except (TypeError, KeyError, AttributeError):  # fields that Gradescope does not write
        return []
    people = {person.key: person for person in (Person(GRADESCOPE, **fields) for fields in stated)}
    return [Upload(person, submitted=submitted) for key, person in people.items() if key]
