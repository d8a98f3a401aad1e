"""The dials: pictures of a lesson that compute while the reader moves them.

A dial is a form in `dials/<name>.html` (what to look for, a question, the controls) and a function in `dials/<name>.js` that turns
the settings into numbers, a picture and a sentence. `toolkit.js` connects the two; `kernels.js` computes the encodings, a few
lines for each. A lesson can bring its own dials: their files lie in `assignments/<lesson>/dials/`, and `dials.csv` there names them.
All of it ships as one file without comments and line ends: a lesson asks students to write these functions in numpy,
and they are meant to be reached through their values.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rjsmin
from markupsafe import Markup

from autograder.course import ROOT

FOLDER = Path(__file__).with_name("dials")


@dataclass(frozen=True)
class Dial:
    """One dial: its name, and where it stands: in a lesson before a figure, or on a page at its mark `<!-- dial: name -->`."""

    name: str
    title: str
    lesson: str
    figure: str
    repeats: bool = False
    """the figure shows no more than the dial does, and is for paper"""
    folder: Path = FOLDER
    """where its files lie"""

    @property
    def kind(self) -> str:
        """What its files are called."""
        return self.name.partition("_")[0]


def _brought() -> Iterator[Dial]:
    """The dials that lessons bring."""
    for path in sorted((ROOT / "assignments").glob("*/dials/dials.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Dial(row["name"], row["title"], path.parts[-3], row["figure"], row["repeats"] == "yes", path.parent)


DIALS = (
    Dial("whole", "The whole course in one row", "index", ""),
    Dial("shuffle", "Shuffle the tokens", "attention", "token_shuffle"),
    Dial("scale", "A number hides the word", "naive", "integer_scale"),
    Dial("bits", "Bits and their carry", "naive", "binary_carry", repeats=True),
    Dial("slice", "A slice through the picture", "sinusoidal", "position_slice", repeats=True),
    Dial("fan", "Wavelengths, near and far", "sinusoidal", "wavelength_fan", repeats=True),
    Dial("clock", "Clock hands and fingerprint", "sinusoidal", "clock_hands", repeats=True),
    Dial("rows", "Trained, random, absent", "learned", "table_lookup", repeats=True),
    Dial("shift", "Rotate a pair, shift both", "rope", "shift_dial", repeats=True),
    Dial("decay", "Why the bound falls, and not at every step", "rope", "decay"),
    Dial("buckets", "Clipping and buckets", "relative", "distance_names", repeats=True),
    Dial("slopes", "Slopes and windows", "alibi", "alibi_heads"),
    Dial("stretch", "Angles that training never showed", "context_extension", "extended_frequencies"),
    Dial("patch", "A favourite cell", "grids", "favourite_offset"),
    Dial("guess_context_extension", "Your prediction, and what was measured", "context_extension", ""),
    Dial("guess_extrapolation", "Your prediction, and what was measured", "extrapolation", ""),
    Dial("guess_modern", "Your prediction, and what was measured", "modern", ""),
    Dial("sinks", "A cache with sinks", "modern", "cache_with_sinks"),
    *_brought(),
)


def of_lesson(lesson: str) -> list[Dial]:
    return [dial for dial in DIALS if dial.lesson == lesson]


def measured(dial: Dial) -> dict[str, Any]:
    """For a prediction: the accuracy of each method or schedule against the length, seed by seed, as the lesson measured it at first."""
    with (ROOT / "assignments" / dial.lesson / "measured.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    of, task = ("schedule" if "schedule" in rows[0] else "method"), ("task" if "task" in rows[0] else "run")
    usual = [row for row in rows if row[task] == rows[0][task] and row.get("change", "usual") == "usual" and row.get("further_steps", "0") == "0"]
    groups, lengths = list(dict.fromkeys(row[of] for row in usual)), sorted({int(row["length"]) for row in usual})
    found = {(row[of], row["seed"], int(row["length"])): float(row["accuracy"]) for row in usual}
    seeds = sorted({seed for _, seed, _ in found})
    curves = {group: [[found[group, seed, length] for length in lengths] for seed in seeds] for group in groups}
    complete = {group: curve for group, curve in curves.items() if not any(math.isnan(value) for seed in curve for value in seed)}
    last = {group: sum(seed[-1] for seed in curve) / len(seeds) for group, curve in complete.items()}
    best = max(last, key=lambda group: last[group])
    data = Markup(json.dumps({"lengths": lengths, "curves": complete}))
    return {"groups": list(complete), "lengths": lengths, "json": data, "best": best, "highest": last[best]}


PARTS = (
    *(FOLDER / part for part in ("kernels.js", "page.js", "toolkit.js")),
    *dict.fromkeys(dial.folder / f"{dial.kind}.js" for dial in DIALS),
    *(FOLDER / part for part in ("ask.js", "find.js")),
)
"""The JavaScript of the course, in the order in which it is put together."""


def script() -> str:
    """All of it, as it ships."""
    source = "\n".join(part.read_text("utf-8") for part in PARTS)
    return str(rjsmin.jsmin(f'(() => {{ "use strict";\n{source}\n}})();\n'))
