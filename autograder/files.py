"""Functions that write files and zips, and a file name that several packages share."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

CLASS_PAGE_FILE = "report.html"
"""File name of a run's class report."""


@contextmanager
def atomic(path: Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a text file for writing. If anything fails before it is closed, the existing file is left unchanged."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("w", encoding=encoding, newline="") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def without_control_characters(text: str) -> str:
    """Return the text on one line, with each control, direction or separator character replaced by a space."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)


def write_files(files: Mapping[Path, str | bytes]) -> list[Path]:
    """Write each content to its path; return the paths."""
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return [*files]


def zipped(files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """Return a zip of these files, whose contents are keyed by name. Equal input produces equal bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # dated 1980, so that the bytes do not depend on the time
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions take effect
            entry.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(entry, files[name])
    return packed.getvalue()


def write_zip(target: Path, files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> None:
    """Write a zip of these files, made by `zipped`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(zipped(files, executable))
