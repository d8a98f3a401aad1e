"""The dials: pictures of a lesson that compute while the reader moves them.

A dial stands where its lesson has the mark `<!-- dial: name -->`. It is a form in `<name>.html` (its title, what to
look for, a question, the controls) and a function in `<name>.js` that turns the settings into numbers, a picture and a
sentence. Both lie in `dials/` here, or in the folder `dials/` of the lesson. `script/toolkit.js` connects the two;
`script/kernels.js` computes the encodings, a few lines for each. All of it ships as one file without comments and line
ends: a lesson asks students to write these functions in numpy, and they are meant to be reached through their values.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import rjsmin

from autograder.course import ROOT

HERE = Path(__file__).parent
FOLDERS = (HERE / "dials", *sorted((ROOT / "assignments").glob("*/dials")))


def named(text: str) -> list[str]:
    """Return the names of the dials that a text has marks for."""
    return re.findall(r"(?m)^<!-- dial: (\w+) -->$", text)


def measured(lesson: str) -> dict[str, Any]:
    """Return what a prediction needs: the accuracy of three methods or schedules against the length, for each seed.

    The three are the best, the median and the worst of the lesson's first measurement.
    """
    import pandas  # a third of a second, and few pages need it

    rows = pandas.read_csv(ROOT / "assignments" / lesson / "measured.csv")
    of, task = ("schedule" if "schedule" in rows else "method"), ("task" if "task" in rows else "run")
    for name, first in {task: rows[task][0], "change": "usual", "further_steps": 0}.items():
        rows = rows[rows[name] == first] if name in rows else rows
    table = rows.pivot(index=[of, "seed"], columns="length", values="accuracy")
    groups = {group: table.loc[group] for group in dict.fromkeys(rows[of])}
    last = {
        group: accuracies.iloc[:, -1].mean()
        for group, accuracies in groups.items()
        if accuracies.notna().all(axis=None)
    }
    order = sorted(last, key=last.__getitem__)
    chosen = {order[0], order[len(order) // 2], order[-1]}
    curves = {group: groups[group].to_numpy().tolist() for group in last if group in chosen}
    measurements = {"of": of, "task": rows[task].iloc[0], "lengths": [*map(int, table)], "curves": curves}
    return measurements | {"best": order[-1], "highest": last[order[-1]]}


def script() -> str:
    """Return the JavaScript of the course, as it ships."""
    paths = (path for folder in (HERE / "script", *FOLDERS) for path in sorted(folder.glob("*.js")))
    source = "\n".join(path.read_text("utf-8") for path in paths)
    return str(rjsmin.jsmin(f'(() => {{ "use strict";\n{source}\n}})();\n'))
