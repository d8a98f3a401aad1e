"""Write the texts of the experiments into the lessons: `python -m assignments.writer.update_lessons`.

A lesson contains marks such as `<!-- writer: other-layout -->`, each followed by its block of text.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from assignments.writer.experiments import EXPERIMENTS, losses_by_position, readers
from assignments.writer.llama import HERE, Model

LONGER = HERE / "longer.csv"
"""File with the losses for a picture in lesson 8: one row per 32 positions, and one column per method of reading."""

_BLOCK = re.compile(r"(?ms)^<!-- writer: ([a-z-]+) -->\n\n```text\n.*?^```$")


def block(name: str) -> str:
    """Return an experiment's block of text, including its mark, as it appears in a lesson."""
    lines = []
    for variant in EXPERIMENTS[name](Model()):
        indented = textwrap.wrap(variant.text, 110, initial_indent="    ", subsequent_indent="    ")
        lines += [f"{variant.title}:", *indented]
    return f"<!-- writer: {name} -->\n\n```text\n" + "\n".join(lines) + "\n```"


def updated_lessons() -> Iterator[tuple[Path, str, str]]:
    """Yield each lesson that shows an experiment: its file, its current text and its updated text."""
    for path in sorted(HERE.parent.glob("*/README.md")):
        text = path.read_text("utf-8")
        updated = _BLOCK.sub(lambda match: block(match[1]), text)
        if "<!-- writer:" in text:
            yield path, text, updated


def losses(name: str) -> list[str]:
    """Return a column of LONGER: the loss at positions 0 … 31, 32 … 63 and so on, as the mean of four texts."""
    by_position = losses_by_position(readers(Model())[name], 4)
    return [f"{loss:.3f}" for loss in by_position.reshape(32, -1).mean(axis=1)]


def saved_losses() -> dict[str, list[float]]:
    """Return the losses in LONGER, by method of reading."""
    with LONGER.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def update() -> None:
    """Write the texts into the lessons, and the losses into LONGER."""
    for path, _, updated in updated_lessons():
        path.write_text(updated, "utf-8")
    columns = {name: losses(name) for name in readers(Model())}
    rows = zip(*columns.values(), strict=True)
    LONGER.write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n", "utf-8")


if __name__ == "__main__":
    update()
