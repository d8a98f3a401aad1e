"""Folders as students leave them: files below a folder, and archives, honest and hostile."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.grader.support import classroom

SOLVED = classroom.right("rope", 0)


def put(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        else:
            path.mkdir(exist_ok=True)


def archive_of(members: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


def zip64_with_an_offset_beyond_all_files() -> bytes:
    """The central directory says, in a zip64 field, that a member begins at 2⁶³."""
    data = bytearray(archive_of({"rope.py": SOLVED}))
    entry, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, 2**63)
    struct.pack_into("<H", data, entry + 30, len(extra))
    struct.pack_into("<I", data, entry + 42, 0xFFFFFFFF)
    name_end = entry + 46 + len("rope.py")
    data[name_end:name_end] = extra
    struct.pack_into("<I", data, end + len(extra) + 12, end - entry + len(extra))
    return bytes(data)
