"""Blackboard: names of what "Assignment File Download" gives say who handed in and when.

Week 5_alovelace_attempt_2026-11-01-14-22-32_rope.py   assignment, user name, time, the student's own file name
Week 5_alovelace_attempt_2026-11-01-14-22-32.txt       what Blackboard says of that attempt: no submission
"""

from __future__ import annotations

import re
from datetime import datetime

from autograder.submission.canvas import Download

_NAME = re.compile(r".+?_(?P<student>[^_]+)_attempt_(?P<time>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL)


def download(name: str) -> Download | None:
    """What a file name says, where Blackboard made it; for Blackboard's own note, a download without a file."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        handed_in = datetime.strptime(found["time"], "%Y-%m-%d-%H-%M-%S").timestamp()
    except ValueError:
        handed_in = 0.0
    upload = int(found["time"].replace("-", ""))
    return Download(found["student"], found["student"], upload, found["file"] or "", handed_in=handed_in)
