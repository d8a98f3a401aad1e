"""Time of the last commit of a clone, read from its .git folder without running git.

Git runs programs that a repository's configuration names; reading a few of its files runs nothing. All reads
are bounded, and whatever is damaged or unusual has no time.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from autograder.submission.content import MIB, read_bytes
from autograder.submission.records import UnreadableError

_MAX_REF_BYTES = MIB
_MAX_INDEX_BYTES = 32 * MIB
_MAX_COMMIT_BYTES = 64 * 1024
_MAX_PACKS = 20

_SHA = re.compile(r"[0-9a-f]{40}")
_BRANCH = re.compile(r"refs/heads/[\w./-]{1,200}")
_COMMITTER = re.compile(rb"^committer .* (\d{1,11}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_PACK_INDEX_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_COMMIT_TYPE = 1


def last_commit(folder: Path) -> str:
    """Return the time of a clone's last commit in ISO format; an empty string if the folder is no clone."""
    git = folder / ".git"
    try:
        if git.is_symlink() or not git.is_dir():
            return ""
        sha = _head(git)
        return next(filter(None, map(_commit_time, _commits(git, sha))), "")
    except (OSError, ValueError, LookupError, StopIteration, OverflowError, zlib.error, struct.error, UnreadableError):
        return ""


def _head(git: Path) -> str:
    """Return the hash of the commit that is checked out. Raise ValueError or OSError if there is none."""
    head = read_bytes(git / "HEAD", _MAX_REF_BYTES).decode("ascii").strip()
    if _SHA.fullmatch(head):
        return head
    branch = head.removeprefix("ref: ")
    if not _BRANCH.fullmatch(branch) or ".." in branch:
        raise ValueError("HEAD names no branch")
    try:
        sha = read_bytes(git / branch, _MAX_REF_BYTES).decode("ascii").strip()
    except FileNotFoundError:
        lines = read_bytes(git / "packed-refs", _MAX_REF_BYTES).decode("utf-8", "replace").splitlines()
        sha = next(line.split(" ")[0] for line in lines if line.endswith(f" {branch}"))
    if not _SHA.fullmatch(sha):
        raise ValueError("the branch names no commit")
    return sha


def _commits(git: Path, sha: str) -> Iterator[bytes]:
    """Yield the commit's text from every place where git keeps it."""
    try:
        data = read_bytes(git / "objects" / sha[:2] / sha[2:], _MAX_COMMIT_BYTES)
        yield zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)
    except FileNotFoundError:
        for index in sorted((git / "objects" / "pack").glob("*.idx"))[:_MAX_PACKS]:
            offset = _offset(read_bytes(index, _MAX_INDEX_BYTES), bytes.fromhex(sha))
            if offset:
                yield _packed_commit(index.with_suffix(".pack"), offset)


def _offset(index: bytes, sha: bytes) -> int:
    """Return where a pack holds an object, by the pack's index (version 2); 0 if it is not there."""
    if not index.startswith(_PACK_INDEX_MAGIC):
        return 0
    fanout = struct.unpack_from(">256I", index, 8)
    names = 8 + 4 * 256
    first, last, count = fanout[sha[0] - 1] if sha[0] else 0, fanout[sha[0]], fanout[255]
    for number in range(first, last):
        if index[names + 20 * number : names + 20 * (number + 1)] == sha:
            (offset,) = struct.unpack_from(">I", index, names + 24 * count + 4 * number)
            return 0 if offset >= 1 << 31 else int(offset)  # a pack of more than 2 GiB
    return 0


def _packed_commit(pack: Path, offset: int) -> bytes:
    """Return an object of a pack; nothing if it is no commit, or stored as a difference from another."""
    if pack.is_symlink():
        return b""
    with pack.open("rb") as file:
        file.seek(offset)
        data = file.read(_MAX_COMMIT_BYTES)
    if data[0] >> 4 & 7 != _COMMIT_TYPE:
        return b""
    start = next(number for number, byte in enumerate(data) if not byte & 0x80) + 1
    return zlib.decompressobj().decompress(data[start:], _MAX_COMMIT_BYTES)


def _commit_time(commit: bytes) -> str:
    if not (match := _COMMITTER.search(commit)):
        return ""
    seconds, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == b"-" else 1)
    return datetime.fromtimestamp(int(seconds), timezone(offset)).isoformat()
