"""Files that look like code and are passed over. A batch names them, since one of them may be all that a student has there."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from autograder.submission import disk
from autograder.submission.choice import READ, suffix
from autograder.submission.names import utf8_safe


def skipped(folder: Path) -> list[str]:
    """An editor's copies, such as `dave.py~`, directly in a folder or in a folder there."""
    found = []
    for parent in (folder, *(folder / entry.name for entry in disk.entries(folder) if entry.is_dir(follow_symlinks=False))):
        with contextlib.suppress(OSError), os.scandir(parent) as listing:
            copies = [entry.name for entry in listing if suffix(entry.name.rstrip("~")) in READ and disk.is_junk(entry.name)]
        found += [utf8_safe((parent / name).relative_to(folder).as_posix()) for name in copies if not name.startswith(".")]
    return sorted(found)
