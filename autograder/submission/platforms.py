"""What platforms say in the names of what they give out: who handed in, in which order and when.

Canvas      doejane_12345_67890_rope.py                           name, user id, number of the upload, the student's own file name
            doejane_LATE_12345_67899_rope-1.py                    handed in late, and the file's second attempt
Moodle      Ada Lovelace_12345_assignsubmission_file_rope.py      name, participant's number, the student's own file name
            Ada Lovelace_12345_assignsubmission_file_/rope.py     with a folder per student; newer versions leave the last _ out
Blackboard  Week 5_alovelace_attempt_2026-11-01-14-22-32_rope.py  assignment, user name, time, the student's own file name
            Week 5_alovelace_attempt_2026-11-01-14-22-32.txt      what Blackboard says of that attempt: no submission

Text that a student wrote into Moodle itself comes as `…_assignsubmission_onlinetext_…`: a file that holds no code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

# Numbers are bounded because Python refuses to convert those without end.
_MOODLE = r"(?P<student>.+)_(?P<user>\d{1,18})_assignsubmission_(?:file|onlinetext)"
_FILES = {
    "Moodle": rf"{_MOODLE}_(?P<file>.+)",
    "Blackboard": r".+?_(?P<student>[^_]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|\.txt)",
    "Canvas": r"(?P<student>.+?)(?P<late>_LATE)?_(?P<user>\d{1,18})_(?P<upload>\d{1,18})_(?P<file>.+?)(?:-(?P<attempt>\d{1,9})(?P<suffix>\.\w+))?",
}
_FOLDERS = {"Moodle": rf"{_MOODLE}_?"}


@dataclass(frozen=True)
class Download:
    """One file or folder that a platform has named."""

    platform: str
    student: str
    user: str
    """tells two students of one name apart"""
    file: str = ""
    """as the student named it; empty for a folder, and for a note of the platform's own"""
    upload: float = 0
    """greater for what came later"""
    attempt: int = 0
    late: bool = False
    handed_in: float = 0.0
    """when, in seconds since 1970, where the name says it"""


def download(name: str) -> Download | None:
    """What a file's name says, where a platform made it."""
    return _read(name, _FILES)


def folder(name: str) -> Download | None:
    """What a folder's name says, where a platform made it."""
    return _read(name, _FOLDERS)


def _read(name: str, patterns: dict[str, str]) -> Download | None:
    for platform, pattern in patterns.items():
        if match := re.fullmatch(pattern, name, re.DOTALL):
            return _download(platform, **match.groupdict(""))
    return None


def _download(
    platform: str, student: str, user: str = "", file: str = "", suffix: str = "", upload: str = "", attempt: str = "", late: str = "", time: str = ""
) -> Download:
    """From the parts of a name, as the patterns call them; a part that is not there is empty."""
    order = int(upload or time.replace("-", "") or 0)
    return Download(platform, student, user or student, file + suffix, order, int(attempt or 0), bool(late), _seconds(time))


def _seconds(time: str) -> float:
    try:
        return datetime.strptime(time, "%Y-%m-%d-%H-%M-%S").timestamp()
    except ValueError:
        return 0.0
