"""The dials: pictures of a lesson that compute while the reader moves them.

A dial stands where its lesson has the mark `<!-- dial: name -->`. It is a form in `<name>.html` (its title, what to
look for, a question, the controls) and a function in `<name>.js` that turns the settings into numbers, a picture and a
sentence. Both lie in `dials/` here, or in the folder `dials/` of the lesson. `script/toolkit.js` connects the two;
`script/kernels.js` computes the encodings, a few lines for each. All of it ships as one file without comments and line
ends: a lesson asks students to write these functions in numpy, and they are meant to be reached through their values.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import rjsmin
from markupsafe import Markup

from autograder.course import ROOT

HERE = Path(__file__).parent
FOLDERS = (HERE / "dials", *sorted((ROOT / "assignments").glob("*/dials")))


def named(text: str) -> list[str]:
    """The dials that a text has marks for."""
    return re.findall(r"(?m)^<!-- dial: (\w+) -->$", text)


def measured(lesson: str) -> dict[str, Any]:
    """For a prediction: the accuracy of each method or schedule against the length, seed by seed, as the lesson
    measured it at first."""
    with (ROOT / "assignments" / lesson / "measured.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    of, task = ("schedule" if "schedule" in rows[0] else "method"), ("task" if "task" in rows[0] else "run")
    first = {task: rows[0][task], "change": "usual", "further_steps": "0"}
    usual = [row for row in rows if all(row.get(name, value) == value for name, value in first.items())]
    accuracy = {(row[of], row["seed"], int(row["length"])): float(row["accuracy"]) for row in usual}
    lengths, seeds = sorted({length for *_, length in accuracy}), sorted({seed for _, seed, _ in accuracy})
    curves = {
        group: [[accuracy[group, seed, length] for length in lengths] for seed in seeds]
        for group in dict.fromkeys(row[of] for row in usual)
    }
    curves = {group: curve for group, curve in curves.items() if not np.isnan(curve).any()}
    last = {group: sum(seed[-1] for seed in curve) / len(seeds) for group, curve in curves.items()}
    best = max(last, key=lambda group: last[group])
    # Three are enough to predict: the best, the one in the middle and the worst, in the lesson's order.
    order = sorted(last, key=lambda group: last[group])
    chosen = {order[0], order[len(order) // 2], best}
    curves = {group: curve for group, curve in curves.items() if group in chosen}
    data = json.dumps({"lengths": lengths, "curves": curves})
    found = {"task": rows[0][task], "lengths": lengths, "groups": list(curves), "best": best, "highest": last[best]}
    return found | {"data": Markup(data)}


def script(minified: bool = True) -> str:
    """The JavaScript of the course, as it ships or as it is written."""
    source = "\n".join(
        path.read_text("utf-8") for folder in (HERE / "script", *FOLDERS) for path in sorted(folder.glob("*.js"))
    )
    return str(rjsmin.jsmin(f'(() => {{ "use strict";\n{source}\n}})();\n')) if minified else source
