"""Looks into a zip in memory: nothing is ever written to disk, and no size or name in it is believed."""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.submission.disk import MAX_FILE, MIB, is_junk
from autograder.submission.names import printable
from autograder.submission.records import Refused

MAX_TOTAL = 16 * MIB
MAX_MEMBERS = 1000
MAX_PATH = 1000
"""characters of a name in it, folders included"""

_DRIVE = re.compile(r"[A-Za-z]:")
_ENCRYPTED = 0x1 | 0x40 | 0x2000
# Other methods inflate a whole chunk at once, however large it becomes.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def top(path: Path) -> list[str]:
    """The files in a zip on disk, however large it is, by its own table of contents."""
    with _in_words(), zipfile.ZipFile(path) as archive:
        return archive.namelist()


def _names(archive: zipfile.ZipFile) -> list[str]:
    """The files in a zip, in order. Raises Refused for a zip that is encrypted, too large or not honest."""
    entries = archive.infolist()
    for entry in entries:
        _check_name(entry)
    members = [entry for entry in entries if not entry.is_dir() and not any(map(is_junk, entry.filename.split("/")))]
    if len(members) > MAX_MEMBERS:
        raise _too_large(f"{len(members)} files, and at most {MAX_MEMBERS} are read")
    if sum(member.file_size for member in members) > MAX_TOTAL:
        raise _too_large(f"more than {MAX_TOTAL // MIB} MiB when unpacked")
    for member in members:
        _check_content(member)
    return sorted(member.filename for member in members)


class Archive:
    """A zip in memory, listed and checked once."""

    def __init__(self, data: bytes) -> None:
        """Raises Refused for a zip that is damaged, encrypted, too large or not honest."""
        with _in_words():
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self.names = _names(self._archive)

    def read(self, name: str) -> bytes:
        """The content of one file in it. Raises Refused where it is damaged."""
        with _in_words(), self._archive.open(name) as member:
            return member.read(MAX_FILE)


@contextmanager
def _in_words() -> Iterator[None]:
    """Whatever zipfile raises, as a sentence."""
    try:
        yield
    except Refused:
        raise
    except Exception as error:  # whatever zipfile's parts raise: BadZipFile, OverflowError, struct.error, zlib.error …
        raise Refused(
            "The zip is damaged or no zip at all: make it anew, or hand in the .py or .ipynb file itself.",
            f"The zip cannot be read ({printable(str(error), 120) or type(error).__name__}).",
        ) from error


def _check_name(member: zipfile.ZipInfo) -> None:
    """Raises Refused for a name that would leave the folder it is unpacked in, and for what is no file or folder."""
    name = member.orig_filename
    leaves = name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if leaves or "\\" in name or "\0" in name:
        raise _unsafe(f"the name {printable(name)}")
    if len(name) > MAX_PATH:
        raise _too_large(f"a name of {len(name):,} characters ({printable(name)}), and at most {MAX_PATH} are read")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _unsafe(f"a link or a device ({printable(name)})")


def _check_content(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise Refused(
            "The zip is protected by a password: make it anew without one.",
            f"{printable(member.filename)} in the zip is encrypted.",
        )
    if member.compress_type not in _METHODS:
        raise Refused(
            "The zip uses an unusual compression: make it anew with the usual one (deflate).",
            f"{printable(member.filename)} has compression method {member.compress_type}, which is not read.",
        )
    if member.file_size > MAX_FILE:
        raise _too_large(f"{printable(member.filename)}, which is larger than {MAX_FILE // MIB} MiB")


def _unsafe(what: str) -> Refused:
    return Refused(
        f"The zip holds {what}, which is not safe to unpack: make it anew, or hand in the .py or .ipynb file itself.",
        f"The zip holds {what}; nothing of it was read.",
    )


def _too_large(what: str) -> Refused:
    return Refused(
        f"The zip holds {what}: hand in only the file that you wrote.",
        f"The zip holds {what}; nothing of it was graded.",
    )
