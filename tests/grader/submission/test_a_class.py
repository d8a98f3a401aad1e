"""A class as an instructor downloads it: six platforms, sixty students each, and what sixty people do to their files.

Nobody is lost, nobody has somebody else's code, and what cannot be graded is a row with a sentence.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.submission import find_in_folder
from tests.grader.support import classroom
from tests.grader.support.folders import archive_of, put

KNOWN = [one.name for one in course.assignments()]
SIZE = 60
STUB = course.find("rope").stub.read_text("utf-8")


def solved(number: int) -> str:
    return f"# student {number}\ndef rope_frequencies(head_dim, base=10000.0):\n    return {number}\n"


def notebook(number: int) -> str:
    cells = [f"!pip install numpy\n%matplotlib inline\n{solved(number)}", "import otter\ngrader = otter.Notebook()"]
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


Given = Callable[[int], dict[str, str | bytes]]

READ: dict[str, Given] = {
    "as asked": lambda number: {"rope.py": solved(number)},
    "a second download": lambda number: {"rope (1).py": solved(number)},
    "a name of one's own": lambda number: {"hw5 final FINAL.py": solved(number)},
    "an ending of the browser's": lambda number: {"rope.py.txt": solved(number)},
    "Windows": lambda number: {"rope.py": solved(number).replace("\n", "\r\n").encode("utf-16")},
    "a mark at the beginning": lambda number: {"ROPE.PY": b"\xef\xbb\xbf" + solved(number).encode()},
    "a notebook": lambda number: {"rope.ipynb": notebook(number)},
    "a zip": lambda number: {
        "work.zip": archive_of({"w/rope.py": solved(number), "__MACOSX/w/._rope.py": b"\0", "w/rope.pyc": b"\0"})
    },
    "a zip of old Windows tools": lambda number: {"work.zip": archive_of({"w\\rope.py": solved(number)})},
    "a report beside it": lambda number: {"rope.py": solved(number), "report.pdf": b"%PDF-\xff"},
    "the stub as well": lambda number: {"rope.py": STUB, "my rope.py": solved(number)},
    "metadata of an export": lambda number: {
        "rope.py": solved(number),
        "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :email: s1@uni.edu\n",
    },
}
UNREADABLE: dict[str, Given] = {
    "a document": lambda number: {"rope.docx": b"PK\3\4"},
    "nothing in it": lambda number: {"rope.py": b""},
    "half a line": lambda number: {"rope.py": "def rope_frequencies(:\n"},
    "another encoding": lambda number: {"rope.py": b"x = '\xe9'\n"},
    "a broken zip": lambda number: {"rope.zip": b"PK\3\4 broken"},
    "a damaged notebook": lambda number: {"rope.ipynb": notebook(number)[:-9]},
    "two that could be meant": lambda number: {"one.py": solved(number), "two.py": solved(number)},
    "far too large": lambda number: {"rope.py": b"#" * (5 << 20)},
}


def name(number: int) -> str:
    """Names as they are: some are shared, some have marks of platforms in them."""
    return ["Ada Lovelace", "Bo Li", "rope", "Zoë Müller-Lüdenscheidt", "Eve LATE", "Ann O'Neil"][number % 6]


def canvas(number: int, file: str) -> str:
    return (
        f"{name(number).lower().replace(' ', '')}{'_LATE' * (number % 7 == 0)}_{1000 + number}_{9000 + number}_{file}"
    )


def moodle(number: int, file: str) -> str:
    return f"{name(number)}_{1000 + number}_assignsubmission_file_/{file}"


def login(number: int) -> str:
    return f"s_{number}" if number % 2 else f"t{number}"


def blackboard(number: int, file: str) -> str:
    return f"Week 5_{login(number)}_attempt_2026-11-01-14-22-{number % 60:02}_{file}"


def gradescope(number: int, file: str) -> str:
    return f"submission_{number}/{file}"


def clone(number: int, file: str) -> str:
    return f"week-5-s{number}/assignments/rope/{file}"


def own_folder(number: int, file: str) -> str:
    return f"s{number}/{file}"


PLATFORMS: dict[str, tuple[Callable[[int, str], str], Callable[[int], str]]] = {
    "Canvas": (canvas, lambda number: f"Canvas:{1000 + number}"),
    "Moodle": (moodle, lambda number: f"Moodle:{1000 + number}"),
    "Blackboard": (blackboard, lambda number: f"Blackboard:{login(number)}"),
    "Gradescope": (gradescope, lambda number: f"Gradescope:s{number}@uni.edu"),
    "GitHub Classroom": (clone, lambda number: f"GitHub Classroom:s{number}"),
    "folders of one's own": (own_folder, lambda number: f":s{number}"),
}


@pytest.mark.parametrize("flag", ["rope", None])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_nobody_is_lost_or_misplaced(tmp_path: Path, platform: str, flag: str | None) -> None:
    place, key = PLATFORMS[platform]
    draw = random.Random(f"{platform} {flag}")
    kinds = [*READ, *UNREADABLE, *draw.choices([*READ, *UNREADABLE], k=SIZE - len(READ) - len(UNREADABLE))]
    draw.shuffle(kinds)
    for number, kind in enumerate(kinds):
        files = (READ | UNREADABLE)[kind](number)
        put(tmp_path, {place(number, file): content for file, content in files.items()})
    if platform == "Gradescope":
        people = "".join(f"submission_{n}:\n  :submitters:\n  - :email: s{n}@uni.edu\n" for n in range(SIZE))
        put(tmp_path, {"submission_metadata.yml": people})
    put(tmp_path, {"README.md": "from the platform", ".DS_Store": b"\0", "grades.xlsx": b"PK"})
    if platform != "folders of one's own":
        assert platform in find_in_folder(tmp_path, flag, KNOWN).layout
    rows = {one.who: one for one in classroom.read_folder(tmp_path, flag, KNOWN)}
    keys = [key(number) for number in range(SIZE)]
    assert set(rows) == set(keys)
    assert max(Counter(one.student for one in rows.values()).values()) == 1
    for number, kind in enumerate(kinds):
        one = rows[keys[number]]
        marks = {line for cell in one.cells for line in cell.splitlines() if line.startswith("# student ")}
        if kind in READ:
            assert (one.problem, one.assignment, marks) == (None, "rope", {f"# student {number}"}), (kind, one)
        else:
            assert one.problem is not None and not one.cells, (kind, one)
            assert one.problem.message.endswith(".") and one.problem.message.isprintable()
