"""What a lock pins."""

from __future__ import annotations

import re

from autograder import course


def locked(name: str) -> dict[str, set[tuple[str, ...]]]:
    """Versions, each with its hashes, by package: several versions where Pythons differ."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for entry in re.split(r"^(?=\w)", (course.ROOT / name).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        package, version = re.match(r"([\w.-]+)==([\w.!+]+)", entry).groups()  # type: ignore[union-attr]
        found.setdefault(package, set()).add((version, *re.findall(r"--hash=\S+", entry)))
    assert all(len(version) > 1 for versions in found.values() for version in versions)
    return found
