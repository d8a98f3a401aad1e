"""Reads files and lists folders without following a link, waiting on a pipe or reading without bound."""

from __future__ import annotations

import itertools
import os
import stat
from pathlib import Path

from autograder.submission.records import Refused

MIB = 1 << 20
MAX_FILE = 4 * MIB
MAX_ENTRIES = 10_000
"""files and folders looked at in one student's folder"""

_JUNK = {"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env", "thumbs.db", "desktop.ini"}

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # without the last, a pipe would wait for a writer


def is_junk(name: str) -> bool:
    """What systems and tools leave behind (.git, .DS_Store, __MACOSX …): never part of a submission.

    A code file may begin with a dot all the same, for people have odd names, unless macOS or Emacs put it there.
    """
    if name.startswith("."):
        return name.startswith(("._", ".#")) or not name.endswith((".py", ".ipynb", ".zip"))
    return name.endswith("~") or name.casefold() in _JUNK


def read(path: Path, limit: int = MAX_FILE) -> bytes:
    """The bytes of a regular file. Raises Refused for anything else, and for a file of more than `limit` bytes;
    OSError, where it is closed."""
    _check_regular(path.lstat(), limit)  # before opening: opening a device can already do something
    descriptor = os.open(path, _FLAGS)
    with open(descriptor, "rb") as file:
        _check_regular(os.fstat(descriptor), limit)
        data = file.read(limit + 1)
    _check_size(len(data), limit)
    return data


def modified(path: Path) -> float:
    """When the file was last written; 0 where that cannot be told."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def walk(folder: Path) -> list[str]:
    """All files below a folder, links included but not followed, as "/"-separated paths in order. Junk is left out."""
    paths = []
    folders = [""]
    seen = 0
    while folders:
        prefix = folders.pop()
        try:
            entries = _entries(folder / prefix, MAX_ENTRIES + 1 - seen)
        except OSError:
            if prefix:
                continue  # what lies beside a closed folder may still be all that is needed
            raise
        seen += len(entries)
        if seen > MAX_ENTRIES:
            raise Refused(
                f"Your folder holds more than {MAX_ENTRIES} files: hand in only the file that you wrote.",
                f"The folder holds more than {MAX_ENTRIES} files and was not searched further.",
            )
        inner, files = _without_junk(entries)
        folders += [f"{prefix}{name}/" for name in inner]
        paths += [prefix + name for name in files]
    return sorted(paths)


def listing(folder: Path, most: int | None = None) -> tuple[list[str], list[str]]:
    """The folders that lie directly in a folder, and what is none, by name. Junk is left out.

    Of a folder that a student may have filled only `most` entries are looked at.
    """
    return _without_junk(_entries(folder, most))


def _entries(folder: Path, most: int | None) -> list[tuple[str, bool]]:
    """The first entries of a folder, however many there are, and whether each is a folder itself."""
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in itertools.islice(entries, most)]


def _without_junk(entries: list[tuple[str, bool]]) -> tuple[list[str], list[str]]:
    kept = sorted((name, is_folder) for name, is_folder in entries if not is_junk(name))
    return [name for name, is_folder in kept if is_folder], [name for name, is_folder in kept if not is_folder]


def _check_regular(status: os.stat_result, limit: int) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Refused(
            "What you handed in is a link to a file: hand in the file itself.",
            "It is a symbolic link, and links are never followed.",
        )
    if not stat.S_ISREG(status.st_mode):
        raise Refused(
            "What you handed in is not an ordinary file: hand in a .py or .ipynb file.",
            f"It is a pipe, socket, device or folder ({stat.filemode(status.st_mode)}), and was not opened.",
        )
    _check_size(status.st_size, limit)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise Refused(
            f"Your file is larger than {limit // MIB} MiB: hand in only the code, without data or a notebook's output.",
            f"The file has {size:,} bytes or more, and at most {limit // MIB} MiB are read.",
        )
