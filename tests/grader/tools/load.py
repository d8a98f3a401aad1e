"""Two thousand distinct submissions, a tenth of them hostile or broken, graded in one batch: `python -m
tests.grader.tools.load [SIZE]`.

Everybody must have a grade, the honest ones the same as alone, the hostile ones none; and the coordinator must not
grow.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from autograder import course
from autograder.grading.grader import Grader
from tests.grader.support import classroom

NAME = "rope"
ATTACKS = Path(__file__).parents[1] / "sandbox" / "attacks"
SLOW = 1.0
"""Sample submissions that take longer alone wait for time limits; a hundred of each would say nothing more."""

NO_PROCESS = 2**22 + 1
"""More than Linux counts to."""

RUN = """
import json, os, sys
from pathlib import Path
from rich.console import Console
from autograder.batch.run import grade
jobs = len(os.sched_getaffinity(0))
summary = grade([Path(sys.argv[1])], Path(sys.argv[2]), jobs=jobs, console=Console(stderr=True, width=160))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({"memory": int(status["VmHWM"].split()[0]) / 1024, "seconds": summary.seconds}))
"""


def main(size: int) -> None:
    """Make the class, grade a tenth of it and then all of it, and compare."""
    with tempfile.TemporaryDirectory(prefix="load-") as name:
        folder = Path(name)
        alone = grades_alone()
        target = folder / "target"
        target.mkdir()
        kinds = dict(make(folder / "all" / NAME, size, alone, target))
        (folder / "tenth" / NAME).mkdir(parents=True)
        for file in sorted((folder / "all" / NAME).iterdir())[: size // 10]:
            (folder / "tenth" / NAME / file.name).hardlink_to(file)
        tenth, whole = (graded(folder, part) for part in ("tenth", "all"))
        report(classroom.grades(folder / "all-out"), kinds, alone)
    print(f"{size // 10} submissions: {tenth['seconds']:.1f} s, coordinator's peak {tenth['memory']:.0f} MiB")
    print(f"{size} submissions: {whole['seconds']:.1f} s, coordinator's peak {whole['memory']:.0f} MiB")


def grades_alone() -> dict[str, dict[str, str]]:
    """What the honest kinds of submission get, each graded by a grader of its own. By its text."""
    samples = sorted((course.ROOT / "tests" / "submissions" / NAME).glob("*.py"))
    texts = [classroom.right(NAME, 0), classroom.unfinished(NAME, 0), *(path.read_text("utf-8") for path in samples)]
    grades = {}
    for text in texts:
        with contextlib.suppress(SyntaxError):
            compile(text, "submission", "exec")
            with Grader() as grader:
                grade = grader.grade(course.find(NAME), (text,))
            if grade.seconds < SLOW:
                grades[text] = {"status": grade.status, "score": f"{grade.score:.10g}"}
    return grades


def make(folder: Path, size: int, alone: dict[str, dict[str, str]], target: Path) -> Iterator[tuple[str, str]]:
    """Write the class; gives each student's name and the text that theirs comes from, or what is wrong with it."""
    folder.mkdir(parents=True)
    draw = random.Random(size)
    broken = [classroom.no_python, classroom.ends_its_process, not_text, recursion]
    attacks = [path for path in sorted(ATTACKS.glob("*.py")) if path.name != "common.py"]
    for number in range(size):
        student = f"student{number:05}"
        if number % 20 == 0:
            kind, text = "hostile", hostile(attacks[number // 20 % len(attacks)], number, target)
        elif number % 20 == 10:
            kind, text = "broken", draw.choice(broken)(NAME, number)
        else:
            kind = draw.choice(list(alone))
            text = f"{kind}\n# submission {number}\n"
        (folder / f"{student}.py").write_bytes(text.encode("utf-8", "surrogateescape"))
        yield student, kind


def hostile(attack: Path, number: int, folder: Path) -> str:
    """The stub, and what attacks: aimed at an empty folder, at a process that there is not, and at nobody who
    listens."""
    targets = {
        "folder": str(folder),
        "files": ["grades.csv"],
        "mark": "none",
        "process": NO_PROCESS,
        "grader": NO_PROCESS,
    }
    targets |= {"tcp": ["127.0.0.1", 9], "udp": ["127.0.0.1", 9], "unix": str(folder / "nobody"), "abstract": "nobody"}
    common, text = (path.read_text("utf-8") for path in (ATTACKS / "common.py", attack))
    return f"{classroom.unfinished(NAME, number)}\n\nTARGETS = {targets!r}\n\n{common}\n\n{text}"


def not_text(name: str, number: int) -> str:
    """Bytes that are no text in any encoding."""
    return f"submission {number} \0 \udcff\udcfe"


def recursion(name: str, number: int) -> str:
    """Endless recursion while it is loaded."""
    return f"def f(x):\n    return f(x + {number})\n\nf(0)\n"


def graded(folder: Path, part: str) -> dict[str, float]:
    """Grade a part in a process of its own; what that says about itself."""
    begin = time.monotonic()
    command = [sys.executable, "-c", RUN, str(folder / part), str(folder / f"{part}-out")]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(course.ROOT)}, check=True, stdout=subprocess.PIPE, text=True
    )
    said: dict[str, float] = json.loads(done.stdout)
    return said | {"seconds": time.monotonic() - begin}


def report(rows: list[dict[str, str]], kinds: dict[str, str], alone: dict[str, dict[str, str]]) -> None:
    """Say what came of each kind, and stop at the first that is not as it should be."""
    assert [row["student"] for row in rows] == sorted(kinds), "somebody has no grade"
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for row in rows:
        kind = kinds[row["student"]]
        wanted = alone.get(kind, {"score": "0"})
        assert wanted.items() <= row.items(), f"{row['student']}: {wanted} was wanted, {row} came"
        counts[kind if kind in ("hostile", "broken") else "honest", row["status"]] += 1
    for (kind, status), count in sorted(counts.items()):
        print(f"{kind}: {count} {status}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
