"""The dials: pictures of a lesson that compute while the reader moves them.

A dial is a form in `dials/<name>.html` (what to look for, a question, the controls) and a function in `dials/<name>.js` that turns
the settings into numbers, a picture and a sentence. `toolkit.js` connects the two; `kernels.js` computes the encodings, a few
lines for each. All of it ships as one file without comments and line ends: a lesson asks students to write these functions in numpy,
and they are meant to be reached through their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import rjsmin

FOLDER = Path(__file__).with_name("dials")


@dataclass(frozen=True)
class Dial:
    """One dial: its name, the lesson it belongs to, and the figure that it follows there."""

    name: str
    title: str
    lesson: str
    figure: str


DIALS = (
    Dial("shuffle", "Shuffle the tokens", "attention", "token_shuffle"),
    Dial("bits", "Bits and their carry", "naive", "binary_carry"),
    Dial("slice", "A slice through the picture", "sinusoidal", "position_slice"),
    Dial("fan", "Wavelengths, near and far", "sinusoidal", "wavelength_fan"),
    Dial("clock", "Clock hands and fingerprint", "sinusoidal", "clock_hands"),
    Dial("shift", "Rotate a pair, shift both", "rope", "shift_dial"),
    Dial("decay", "Decay against offset", "rope", "decay"),
    Dial("buckets", "Clipping and buckets", "relative", "distance_names"),
    Dial("slopes", "Slopes and windows", "alibi", "alibi_heads"),
    Dial("stretch", "Frequencies for a longer context", "context_extension", "extended_frequencies"),
    Dial("patch", "One patch and all others", "grids", "favourite_offset"),
    Dial("sinks", "A cache with sinks", "modern", "cache_with_sinks"),
)


def of_lesson(lesson: str) -> list[Dial]:
    return [dial for dial in DIALS if dial.lesson == lesson]


def script() -> str:
    """All JavaScript of the course, as it ships."""
    parts = ["kernels.js", "toolkit.js", *(f"{dial.name}.js" for dial in DIALS)]
    source = "\n".join((FOLDER / part).read_text("utf-8") for part in parts)
    return str(rjsmin.jsmin(f'(() => {{ "use strict";\n{source}\n}})();\n'))
