"""What lessons show of the experiments: `python -m assignments.writer.lessons` writes it into them, like pictures.

A lesson has a mark, `<!-- writer: other-layout -->`, and below it a block of text that belongs to it.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from assignments.writer.experiments import EXPERIMENTS, losses_by_position, readers
from assignments.writer.model import HERE, Model

LONGER = HERE / "longer.csv"
"""The losses that the picture of lesson 8 shows: a row per 32 positions, a column per way to read."""

_BLOCK = re.compile(r"(?ms)^<!-- writer: ([a-z-]+) -->\n\n```text\n.*?^```$")


def shown(name: str) -> str:
    """The block of one experiment, with its mark, as a lesson holds it."""
    lines = []
    for way in EXPERIMENTS[name](Model()):
        lines += [f"{way.title}:", *textwrap.wrap(way.text, 110, initial_indent="    ", subsequent_indent="    ")]
    return f"<!-- writer: {name} -->\n\n```text\n" + "\n".join(lines) + "\n```"


def lessons() -> Iterator[tuple[Path, str, str]]:
    """Each lesson that shows an experiment: its file, its text, and the text that it should have."""
    for path in sorted(HERE.parent.glob("*/README.md")):
        text = path.read_text("utf-8")
        right = _BLOCK.sub(lambda block: shown(block[1]), text)
        if "<!-- writer:" in text:
            yield path, text, right


def losses(name: str) -> list[str]:
    """A column of LONGER: the loss at positions 0 … 31, 32 … 63 and so on, of four texts."""
    return [f"{loss:.3f}" for loss in losses_by_position(readers(Model())[name], 4).reshape(32, -1).mean(axis=1)]


def saved_losses() -> dict[str, list[float]]:
    """Way to read → its losses, as LONGER has them."""
    with LONGER.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def update() -> None:
    """Write the outputs into the lessons, and the losses for their picture."""
    for path, _, right in lessons():
        path.write_text(right, "utf-8")
    columns = {name: losses(name) for name in readers(Model())}
    rows = zip(*columns.values(), strict=True)
    LONGER.write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n", "utf-8")


if __name__ == "__main__":
    update()
