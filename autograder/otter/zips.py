"""Zip files of which the same content makes the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)


def write(target: Path, files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> None:
    """Write a zip of these files, name → content."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # or the permissions would be taken for another system's
            entry.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(entry, files[name])
