"""Files that are whole or not there, and the one way in which this project writes CSV and zips."""

from __future__ import annotations

import csv
import filecmp
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def atomic(path: Path, keep_same: bool = False) -> Iterator[TextIO]:
    """Write a text file: the whole of it or, where something fails on the way, the one from before.

    With `keep_same`, a file that would be the same again keeps its time.
    """
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
        if keep_same and path.exists() and filecmp.cmp(unfinished, path, shallow=False):
            unfinished.unlink()
        else:
            os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_csv(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write a table, whole or not at all. Every cell is quoted: a spreadsheet parts cells at semicolons in half of the
    world, and a line end in a name would end the row.

    A table that is the same again keeps its time, so that one can tell what was made before it changed.
    """
    with atomic(path, keep_same=True) as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)


def write_zip(target: Path, files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> None:
    """Write a zip of these files, name → content. The same content makes the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # or the permissions would be taken for another system's
            entry.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(entry, files[name])
