"""The dials: interactive pictures in lessons, which compute as the reader moves the controls.

A dial appears at the marker `<!-- dial: name -->` in a lesson. Each dial consists of a form in `<name>.html` (a title,
a hint, a question and the controls) and a function in `<name>.js` that turns the settings into numbers, a picture and a
sentence. Both files are in `dials/` here or in the lesson's `dials/` folder. `script/toolkit.js` connects the form to
the function; `script/kernels.js` computes the encodings, in a few lines each. The pages load all scripts as one file
without comments or line breaks: students write the same functions in numpy, so the values should be easy to see but the
code should not.
"""

from __future__ import annotations

import csv
import math
import re
import statistics
from pathlib import Path
from typing import Any

import rjsmin

from autograder.course import ROOT

HERE = Path(__file__).parent
DIAL_SOURCE_FOLDERS = (HERE / "dials", *sorted((ROOT / "assignments").glob("*/dials")))


def named(text: str) -> list[str]:
    """Return the names of the dials that a text has markers for."""
    return re.findall(r"(?m)^<!-- dial: (\w+) -->$", text)


def best_median_worst_curves(lesson: str) -> dict[str, Any]:
    """Return the accuracies, by length and seed, of three methods or schedules, for a dial that asks for a prediction.

    They are the best, the median and the worst in the lesson's first measurement.
    """
    with (ROOT / "assignments" / lesson / "measured.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    of, task = ("schedule" if "schedule" in rows[0] else "method"), ("task" if "task" in rows[0] else "run")
    for name, first in {task: rows[0][task], "change": "usual", "further_steps": "0"}.items():
        rows = [row for row in rows if row.get(name, first) == first]
    lengths = sorted({int(row["length"]) for row in rows})
    accuracy = {
        (row[of], int(row["seed"]), int(row["length"])): float(row["accuracy"]) for row in rows if row["accuracy"]
    }
    seeds = sorted({seed for _, seed, _ in accuracy})
    all_curves = {
        group: [[accuracy.get((group, seed, length), math.nan) for length in lengths] for seed in seeds]
        for group in dict.fromkeys(row[of] for row in rows)
    }
    complete = {group: curves for group, curves in all_curves.items() if not math.isnan(sum(map(sum, curves)))}
    last = {group: statistics.fmean(curve[-1] for curve in curves) for group, curves in complete.items()}
    order = sorted(last, key=last.__getitem__)
    chosen = {order[0], order[len(order) // 2], order[-1]}
    curves = {group: curves for group, curves in complete.items() if group in chosen}
    measurements = {"of": of, "task": rows[0][task], "lengths": lengths, "curves": curves}
    return measurements | {"best": order[-1], "highest": last[order[-1]]}


def minified_pages_script() -> str:
    """Return the course's JavaScript as one minified script that all pages load."""
    paths = (path for folder in (HERE / "script", *DIAL_SOURCE_FOLDERS) for path in sorted(folder.glob("*.js")))
    source = "\n".join(path.read_text("utf-8") for path in paths)
    return str(rjsmin.jsmin(f'(() => {{ "use strict";\n{source}\n}})();\n'))
