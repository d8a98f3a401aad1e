"""Moodle: names of what "Download all submissions" gives say who handed in.

    Ada Lovelace_12345_assignsubmission_file_rope.py     without folders: name, participant's number, the student's own file name
    Ada Lovelace_12345_assignsubmission_file_/rope.py    with a folder per student; newer versions leave the last _ out

The text that a student wrote into Moodle itself comes as `…_assignsubmission_onlinetext_…`: a file that holds no code.
"""

from __future__ import annotations

import re

from autograder.submission.canvas import Download

_PLUGIN = r"(?P<student>.+)_(?P<user>\d{1,18})_assignsubmission_(?:file|onlinetext)"
_FILE = re.compile(rf"{_PLUGIN}_(?P<file>.+)", re.DOTALL)
_FOLDER = re.compile(rf"{_PLUGIN}_?", re.DOTALL)


def download(name: str) -> Download | None:
    """What a file name says, where Moodle made it."""
    found = _FILE.fullmatch(name)
    return Download(found["student"], found["user"], 0, found["file"]) if found else None


def folder(name: str) -> Download | None:
    """What a folder's name says, where Moodle made it."""
    found = _FOLDER.fullmatch(name)
    return Download(found["student"], found["user"], 0, "") if found else None
