"""The time of the last commit in a clone, read from its .git folder without running git.

Git can run programs that a repository's configuration names, whereas reading a few files runs nothing. All reads are
bounded. For damaged or unusual repositories, the time is unknown.
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from autograder.submission.bounded_reading import MIB, opened, read_bytes

_MAX_PACK_INDEX_BYTES = 32 * MIB
_MAX_COMMIT_BYTES = 64 * 1024
_MAX_PACKS = 20
_BRANCH = re.compile(r"refs/heads/(?!.*\.\.)[\w./-]{1,200}")
_COMMITTER = re.compile(rb"^committer .* (\d{1,11}) ([+-]\d{4})$", re.MULTILINE)
_COUNT, _NAMES = 1028, 1032  # in a pack's index: the number of objects; hashes, checksums, offsets


def last_commit_time(folder: Path) -> str:
    """Return the time of a clone's last commit in ISO format, or an empty string if it cannot be determined."""
    git = folder / ".git"
    with suppress(Exception):  # damaged bytes can raise any exception
        if not git.is_symlink() and (match := _COMMITTER.search(_commit(git))):
            zone = datetime.strptime(match[2].decode(), "%z").tzinfo
            return datetime.fromtimestamp(int(match[1]), zone).isoformat()
    return ""


def _commit(git: Path) -> bytes:
    """Return the text of the commit that is checked out. A damaged repository can raise any exception."""
    sha = read_bytes(git / "HEAD").decode().strip()
    if branch := _BRANCH.fullmatch(sha.removeprefix("ref: ")):
        loose = (git / branch[0]).exists()
        stored = read_bytes(git / (branch[0] if loose else "packed-refs")).decode()
        sha = stored.partition("\n" if loose else f" {branch[0]}\n")[0][-40:]
    name, data = bytes.fromhex(sha), b""
    path = git / "objects" / sha[:2] / sha[2:]
    if path.exists():
        data = read_bytes(path, _MAX_COMMIT_BYTES)
    for path in [] if data else sorted((git / "objects" / "pack").glob("*.idx"))[:_MAX_PACKS]:
        index = read_bytes(path, _MAX_PACK_INDEX_BYTES)
        if (position := index.find(name, _NAMES)) > 0:
            count = int.from_bytes(index[_COUNT:_NAMES])
            offset = _NAMES + 24 * count + 4 * ((position - _NAMES) // len(name))
            data = _packed(path.with_suffix(".pack"), int.from_bytes(index[offset : offset + 4]))
    return zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)


def _packed(pack: Path, offset: int) -> bytes:
    """Return a compressed object from a pack, without its header, which ends with the first byte below 128."""
    with opened(pack) as file:
        file.seek(offset)
        return re.sub(rb"^[\x80-\xff]*.", b"", file.read(_MAX_COMMIT_BYTES), count=1, flags=re.DOTALL)
