"""Folders, notebooks and archives of honest and hostile students."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.grader.support import classroom

SOLVED = classroom.right("rope", 0)


def put(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write a file for each name, or a folder if the name ends in /."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())


def code_cell(source: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def notebook(*sources: Any) -> str:
    """Return a notebook with code cells after a text cell. Each argument can also be a complete cell."""
    prose = {"cell_type": "markdown", "metadata": {}, "source": ["# RoPE\n", "not code"]}
    cells = [source if isinstance(source, dict) else code_cell(source) for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [prose, *cells]})


def archive_of(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip with unchanged member names, even hostile names."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members with the same name
        for name, text in members.items():
            info = zipfile.ZipInfo("placeholder")
            info.filename, info.compress_type = name, method
            archive.writestr(info, text)
    return stream.getvalue()


def zip64_with_an_offset_beyond_all_files() -> bytes:
    """Return a zip in which a zip64 field places the beginning of the file inside at byte 2⁶³."""
    data = bytearray(archive_of({"rope.py": SOLVED}))
    entry, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, 2**63)
    struct.pack_into("<H", data, entry + 30, len(extra))
    struct.pack_into("<I", data, entry + 42, 0xFFFFFFFF)
    name_end = entry + 46 + len("rope.py")
    data[name_end:name_end] = extra
    struct.pack_into("<I", data, end + len(extra) + 12, end - entry + len(extra))
    return bytes(data)
