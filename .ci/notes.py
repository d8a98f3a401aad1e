"""Print the changes of one version: `python .ci/notes.py 3.0.0`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def notes(version: str, changelog: str) -> str:
    """Return the section of a version in a changelog without its title. Raise LookupError if there is none."""
    for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        if title.split()[0].strip("[]") == version:
            return text.strip()
    raise LookupError(f"CHANGELOG.md has no section {version}")


if __name__ == "__main__":
    print(notes(sys.argv[1], CHANGELOG.read_text("utf-8")))
