"""Time of the last commit of a clone, read from its .git folder without running git.

Git runs programs that a repository's configuration names; reading a few of its files runs nothing. All reads
are bounded, and whatever is damaged or unusual has no time.
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from autograder.submission.content import MIB, read_bytes

_MAX_INDEX_BYTES = 32 * MIB
_MAX_COMMIT_BYTES = 64 * 1024
_MAX_PACKS = 20

_BRANCH = re.compile(r"refs/heads/(?!.*\.\.)[\w./-]{1,200}")
_COMMITTER = re.compile(rb"^committer .* (\d{1,11}) ([+-]\d{4})$", re.MULTILINE)
_INDEX_COUNT, _INDEX_NAMES = 1028, 1032
"""Positions in a pack's index, version 2: the number of objects; their sorted hashes, checksums and offsets."""


def last_commit(folder: Path) -> str:
    """Return the time of a clone's last commit in ISO format; an empty string if the folder is no clone."""
    with suppress(Exception):  # whatever damaged bytes raise
        if not (folder / ".git").is_symlink() and (match := _COMMITTER.search(_commit(folder / ".git"))):
            seconds, zone = match.groups()
            return datetime.fromtimestamp(int(seconds), datetime.strptime(zone.decode(), "%z").tzinfo).isoformat()
    return ""


def _commit(git: Path) -> bytes:
    """Return the text of the commit that is checked out. May raise any exception."""
    sha = _text(git / "HEAD").strip()
    if branch := _BRANCH.fullmatch(sha.removeprefix("ref: ")):
        path = git / branch[0]
        packed = "" if path.exists() else _text(git / "packed-refs")
        sha = packed.partition(f" {branch[0]}\n")[0][-40:] if packed else _text(path).strip()
    name = bytes.fromhex(sha)
    loose = git / "objects" / sha[:2] / sha[2:]
    if loose.exists():
        return _inflated(read_bytes(loose, _MAX_COMMIT_BYTES))
    for path in sorted((git / "objects" / "pack").glob("*.idx"))[:_MAX_PACKS]:
        index = read_bytes(path, _MAX_INDEX_BYTES)
        position = index.find(name, _INDEX_NAMES)
        if position >= 0:
            number = (position - _INDEX_NAMES) // len(name)
            count = int.from_bytes(index[_INDEX_COUNT:_INDEX_NAMES])
            return _packed(path.with_suffix(".pack"), index[_INDEX_NAMES + 24 * count + 4 * number :][:4])
    return b""


def _packed(pack: Path, offset: bytes) -> bytes:
    """Return an object of a pack: behind bytes of which all but the last are 128 or more, it is deflated."""
    if pack.is_symlink():
        return b""
    with pack.open("rb") as file:
        file.seek(int.from_bytes(offset))
        data = file.read(_MAX_COMMIT_BYTES)
    return _inflated(re.sub(rb"^[\x80-\xff]*.", b"", data, count=1, flags=re.DOTALL))


def _inflated(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)


def _text(path: Path) -> str:
    return read_bytes(path).decode("utf-8", "replace")
