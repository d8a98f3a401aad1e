"""The pictures in the course's texts, as files."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from autograder.course import ROOT
from autograder.edition import Edition

FOLDER = "figures"
COURSE_MAP_FILE = f"{FOLDER}/map.svg"
"""The picture of the whole course, the only picture that depends on the plan."""

_ASSIGNMENTS_FOLDER = ROOT / "assignments"


def pictures(edition: Edition, names: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of these pictures and their narrow variants, keyed by path below assignments/."""
    shown = {Path(name).name for name in names}
    pictures_by_path = {
        path.relative_to(_ASSIGNMENTS_FOLDER).as_posix(): path.read_bytes()
        for path in (_ASSIGNMENTS_FOLDER / FOLDER).rglob("*.svg")
        if path.name in shown
    }
    return pictures_by_path | (
        _map_files(edition) if edition.lessons_differ_from_full and COURSE_MAP_FILE in pictures_by_path else {}
    )


def _map_files(edition: Edition) -> dict[str, bytes]:
    """Return the map of the course with this edition's lessons."""
    figures = importlib.import_module("assignments.figures")
    lessons = {name: module.LESSON for name, module in figures.lessons().items()}
    rows = {
        name: replace(lessons[name], number=number, needs=edition.renumbered_cell(lessons[name].needs))
        for number, name in enumerate(edition.lessons, start=1)
        if name in lessons
    }
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FOLDER / "narrow").mkdir(parents=True)
        figures.save(figures.course_map(course=rows), Path(folder) / COURSE_MAP_FILE)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*.svg")}
