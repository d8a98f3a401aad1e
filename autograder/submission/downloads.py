"""What platforms say in the names of what they give out: who handed in, in which order and when.

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

The platform is decided once for a folder, from all names in it. In a name the platform's own marks come first; what
follows them was chosen by a student, and is never read as a mark. A name says whom it is about by the platform's number
or login alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from autograder.submission.names import utf8_safe
from autograder.submission.records import Person

CANVAS, ANONYMOUS, MOODLE = "Canvas", "Canvas, anonymous", "Moodle"
BLACKBOARD, GITHUB = "Blackboard", "GitHub Classroom"

# Numbers are bounded because Python refuses to convert those without end. The part of a name that a platform makes from
# a person's is the shortest that fits, so that the first marks in a name are the platform's own.
_OWN = r"(?P<file>.+?)(?:-(?P<attempt>\d{1,9})(?P<suffix>\.\w+))?"
_UPLOAD = rf"(?:(?P<upload>\d{{1,18}})_{_OWN}|(?P<entry>text|link)\.html)"
_MOODLE = r"(?P<name>[^_]+)_(?P<number>\d{1,18})_assignsubmission"
_FILES = {
    ANONYMOUS: rf"(?P<late>LATE_)?anon_(?P<number>[0-9A-Za-z]{{1,20}})_{_UPLOAD}",
    CANVAS: rf"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d{{1,18}})_{_UPLOAD}",
    MOODLE: rf"{_MOODLE}_(?:file_(?P<file>.+)|(?P<entry>onlinetext)_.*)",
    BLACKBOARD: r"(?P<name>.+?_[^_]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|(?P<entry>\.txt))",
}
_FOLDERS = {MOODLE: rf"{_MOODLE}_(?:file|(?P<entry>onlinetext))_?"}

CLASS = 3
"""clones with one beginning, at least, in which that is taken for GitHub Classroom's"""


@dataclass(frozen=True)
class Download:
    """What the name of one file or folder says, where a platform made it."""

    person: Person
    file: str = ""
    """as the student named it; empty for a folder, and for what the platform itself wrote"""
    is_entry: bool = False
    """whether it stands for text or a link that was given in the place of a file"""
    came: float = 0.0
    """greater for what came later"""
    attempt: int = 0
    late: bool = False
    handed_in: float = 0.0
    """when, in seconds since 1970, where the name says it"""
    in_doubt: bool = False
    """whether the login could begin earlier in the name"""


def of_folder(folders: Collection[str], files: Collection[str]) -> tuple[str, dict[str, Download]]:
    """The platform that most names in a folder are made by, and what each of these says; "" and nothing, where there is
    none."""
    read: dict[str, dict[str, re.Match[str]]] = {platform: {} for platform in _FILES}
    for patterns, names in ((_FILES, files), (_FOLDERS, folders)):
        for platform, pattern in patterns.items():
            matches = ((name, re.fullmatch(pattern, name, re.DOTALL)) for name in names)
            read[platform] |= {name: match for name, match in matches if match}
    # Where a name can be read as made by several, those marks are a platform's that come first.
    platform = max(read, key=lambda platform: (len(read[platform]), -sum(map(_students_part, read[platform].values()))))
    if 2 * len(read[platform]) > len(folders) + len(files):
        downloads = {name: _download(platform, **match.groupdict("")) for name, match in read[platform].items()}
        return platform, _logins(downloads) if platform == BLACKBOARD else downloads
    return _clones(folders)


def _students_part(match: re.Match[str]) -> int:
    """Where the part of a name begins that the student chose."""
    own = match.start("file") if "file" in match.re.groupindex else -1
    return own if own >= 0 else match.end()


def _download(
    platform: str,
    name: str = "",
    number: str = "",
    file: str = "",
    suffix: str = "",
    upload: str = "",
    attempt: str = "",
    late: str = "",
    time: str = "",
    entry: str = "",
) -> Download:
    """From the parts of a name, as the patterns call them; a part that is not there is empty."""
    came = float(upload or time.replace("-", "") or 0)
    person = Person("Canvas" if platform == ANONYMOUS else platform, number, name=utf8_safe(name or f"anon_{number}"))
    return Download(person, file + suffix, bool(entry), came, int(attempt or 0), bool(late), _seconds(time))


def _seconds(time: str) -> float:
    try:
        return datetime.strptime(time, "%Y-%m-%d-%H-%M-%S").timestamp()
    except ValueError:
        return 0.0


def _logins(downloads: Mapping[str, Download]) -> dict[str, Download]:
    """The same, with logins: what follows the assignment's title, which all names have in common up to a _.

    Of one name alone the title ends at the last _. So it does where there are several titles, but where what follows is
    the same for two of them.
    """
    names = {download.person.name for download in downloads.values()}
    heads: dict[str, set[str]] = defaultdict(set)
    for head in names:
        heads[head.rpartition("_")[2]].add(head)
    of_all = _common(names)
    titles = {head: of_all or _common(several) for several in heads.values() for head in several}
    alone = {
        head for several in heads.values() if len(several) == 1 and (len(names) == 1 or not of_all) for head in several
    }

    def read(download: Download) -> Download:
        head = download.person.name
        login = head.removeprefix(f"{titles[head]}_")
        person = Person(BLACKBOARD, login=login, name=login)
        return replace(download, person=person, in_doubt=head in alone and "_" in titles[head])

    return {name: read(download) for name, download in downloads.items()}


def _common(names: Collection[str]) -> str:
    """What these names begin with, up to a _."""
    first, last = min(names), max(names)
    alike = next(
        (place for place, (letter, other) in enumerate(zip(first, last, strict=False)) if letter != other), len(first)
    )
    return first[:alike].rpartition("_")[0]


def _clones(folders: Iterable[str]) -> tuple[str, dict[str, Download]]:
    """Clones of GitHub Classroom: most folders begin with the name of the assignment there."""
    names = [*folders]
    beginnings = Counter(name[: dash.end()] for name in names for dash in re.finditer("-(?=.)", name, re.DOTALL))
    slug, count = max(beginnings.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    if count < CLASS or 2 * count <= len(names):
        return "", {}
    logins = {name: utf8_safe(name.removeprefix(slug)) for name in names if name.startswith(slug) and name != slug}
    return GITHUB, {name: Download(Person(GITHUB, login=login, name=login)) for name, login in logins.items()}
