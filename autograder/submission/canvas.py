"""Canvas: the names of downloaded files say who handed in and in which order.

    doejane_12345_67890_rope.py          name, user id, number of the upload, the student's own file name
    doejane_LATE_12345_67899_rope-1.py   handed in late, and the file's second attempt

Two people may share a name; then the user id tells them apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Ids are bounded because Python refuses to convert numbers without end.
_NAME = re.compile(
    r"(?P<student>.+?)(?P<late>_LATE)?_(?P<user>\d{1,18})_(?P<upload>\d{1,18})_(?P<file>.+)",
    re.DOTALL,
)
_ATTEMPT = re.compile(r"(?P<stem>.+)-(?P<number>\d{1,9})(?P<suffix>\.\w+)", re.DOTALL)


@dataclass(frozen=True)
class Download:
    """One downloaded file."""

    student: str
    user: str
    upload: int
    file: str
    """as the student named it"""
    attempt: int = 0
    late: bool = False
    handed_in: float = 0.0
    """when, in seconds since 1970, where the name says it"""


def download(name: str) -> Download | None:
    """What a file name says, where Canvas made it."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    again = _ATTEMPT.fullmatch(found["file"])
    return Download(
        found["student"],
        found["user"],
        int(found["upload"]),
        again["stem"] + again["suffix"] if again else found["file"],
        int(again["number"]) if again else 0,
        found["late"] is not None,
    )
