"""Tests of a class as an instructor downloads it: nine platforms of thirty students each, and odd files of all kinds.

From the download to the table of scores, no student is lost or gets another student's score, and each ungradable file
has a row with a message. No student code runs in these tests: a score identifies the author of the code.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli, course
from autograder.batch import run
from autograder.batch.gradebook import Gradebook
from autograder.reports import feedback_zip
from tests.grader.support.fake_graders import run_in_this_process, whose
from tests.grader.support.student_folders import archive_of, notebook, put

SIZE = 30
STUB = course.find("rope").stub.read_text("utf-8")


def solved(number: int) -> str:
    return f"# student {number}\ndef rope_frequencies(head_dim, base=10000.0):\n    return {number}\n"


Files = dict[str, str | bytes]
READ: dict[str, Callable[[str], Files]] = {
    "as asked": lambda code: {"rope.py": code},
    "a second download": lambda code: {"rope (1).py": code},
    "a name of one's own": lambda code: {"hw5 final FINAL.py": code},
    "a name with marks": lambda code: {"x_101_9001_rope.py": code},
    "an ending of the browser's": lambda code: {"rope.py.txt": code},
    "Windows": lambda code: {"rope.py": code.replace("\n", "\r\n").encode("utf-16")},
    "a mark at the beginning": lambda code: {"ROPE.PY": b"\xef\xbb\xbf" + code.encode()},
    "a notebook": lambda code: {
        "rope.ipynb": notebook(f"!pip install x\n%matplotlib inline\n{code}", "import otter")},
    "a zip": lambda code: {
        "work.zip": archive_of({"w/rope.py": code, "__MACOSX/w/._rope.py": b"\0", "w/x.o": b"\0"})},
    "a zip of old Windows tools": lambda code: {"work.zip": archive_of({"w\\rope.py": code})},
    "a report beside it": lambda code: {"rope.py": code, "report.pdf": b"%PDF-\xff"},
    "the stub as well": lambda code: {"rope.py": STUB, "my rope.py": code},
    "metadata of an export": lambda code: {
        "rope.py": code, "submission_metadata.yml": "submission_1:\n  :score: 20\n"},
}  # fmt: skip
UNREADABLE: dict[str, Callable[[str], Files]] = {
    "a document": lambda code: {"rope.docx": b"PK\3\4"},
    "nothing in it": lambda code: {"rope.py": b""},
    "half a line": lambda code: {"rope.py": "def rope_frequencies(:\n"},
    "another encoding": lambda code: {"rope.py": b"x = '\xe9'\n"},
    "bytes": lambda code: {"rope.py": bytes(range(256))},
    "nested deeply": lambda code: {"rope.py": "x = " + "(" * 5000 + ")" * 5000},
    "a broken zip": lambda code: {"rope.zip": archive_of({"rope.py": code})[:40]},
    "a zip in a zip": lambda code: {"rope.zip": archive_of({"rope.zip": archive_of({"rope.py": code})})},
    "a damaged notebook": lambda code: {"rope.ipynb": notebook(code)[:-9]},
    "two that could be meant": lambda code: {"one.py": code, "two.py": code},
    "far too large": lambda code: {"rope.py": b"#" * (5 << 20)},
}


def name(number: int) -> str:
    """Return an ordinary name; several students share each name, and some names contain words that platforms
    use as marks."""
    return ["Ada Lovelace", "Bo Li", "rope", "Zoë Müller-Lüdenscheidt", "Eve LATE", "Ann O'Neil"][number % 6]


def canvas(number: int, file: str) -> str:
    late = "_LATE" * (number % 7 == 0)
    return f"{name(number).lower().replace(' ', '')}{late}_{1000 + number}_{9000 + number}_{file}"


def login(number: int) -> str:
    return f"s_{number}" if number % 2 else f"t{number}"


PLATFORMS: dict[str, tuple[Callable[[int, str], str], Callable[[int], str]]] = {
    "Canvas": (canvas, lambda n: f"{1000 + n}"),
    "Moodle": (lambda n, file: f"{name(n)}_{1000 + n}_assignsubmission_file_/{file}",
               lambda n: f"{1000 + n}"),
    "Blackboard": (lambda n, file: f"Week 5_{login(n)}_attempt_2026-11-01-14-22-{n:02}_{file}", login),
    "Brightspace": (lambda n, file: f"{1000 + n}-201 - {name(n)} - Nov {1 + n % 30}, 2026 {n % 12 + 1}05 PM/{file}",
                    lambda n: f"{1000 + n}"),
    "Sakai": (lambda n, file: f"{name(n)}, {name(n)}(s{n})/Submission attachment(s)/{file}", lambda n: f"s{n}"),
    "Autolab": (lambda n, file: f"{login(n)}@uni.edu_{1 + n % 3}_{file}", lambda n: f"{login(n)}@uni.edu"),
    "Gradescope": (lambda n, file: f"submission_{n}/{file}", lambda n: f"s{n}@uni.edu"),
    "GitHub Classroom": (lambda n, file: f"week-5-s{n}/assignments/rope/{file}", lambda n: f"s{n}"),
    "": (lambda n, file: f"s{n}/{file}", lambda n: f"s{n}"),
}  # fmt: skip
"""Path of a student's file in the download of each platform, and the number, login or address by which the
platform identifies the student."""


def hand_in(folder: Path, platform: str, draw: random.Random) -> list[str]:
    """Write a class as the platform exports it, and return the kind of each student's file."""
    place, _ = PLATFORMS[platform]
    kinds = [*READ, *UNREADABLE, *draw.choices([*READ, *UNREADABLE], k=SIZE - len(READ) - len(UNREADABLE))]
    draw.shuffle(kinds)
    for number, kind in enumerate(kinds):
        files = (READ | UNREADABLE)[kind](solved(number))
        put(folder, {place(number, file): content for file, content in files.items()})
    if platform == "Gradescope":
        people = "".join(f"submission_{n}:\n  :submitters:\n  - :email: s{n}@uni.edu\n" for n in range(SIZE))
        put(folder, {"submission_metadata.yml": people})
    put(folder, {"README.md": "from the platform", ".DS_Store": b"\0", "grades.xlsx": b"PK"})
    return kinds


@pytest.mark.parametrize("platform", PLATFORMS)
def test_nobody_is_lost_or_misplaced(tmp_path: Path, platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names in some downloads contain the assignment; for the others, a command-line option names it."""
    folder, out, key = tmp_path / "class", tmp_path / "out", PLATFORMS[platform][1]
    flag = None if platform in ("Canvas", "Blackboard", "Autolab") else "rope"
    kinds = hand_in(folder, platform, random.Random(platform))
    run_in_this_process(monkeypatch)
    summary = run.grade([folder], out, flag)
    assert platform in summary.remarks[0] and len(summary.assignments["rope"].scores) == SIZE
    with Gradebook.reading(out) as book:
        rows = {row.submission.student_key: row for row in book.rows()}
        assert [*sorted(rows)] == sorted(f"{platform}:{key(number)}" for number in range(SIZE))
        assert len({row.student for row in rows.values()}) == len({row.folder for row in rows.values()}) == SIZE
        for number, kind in enumerate(kinds):
            row = rows[f"{platform}:{key(number)}"]
            one = row.submission
            assert (one.problem is None) == (kind in READ), (kind, one)
            assert whose(book.code_cells(row.key.code)) == [str(number)] * (kind in READ), (kind, one)
            if one.problem is not None:
                assert one.problem.message.endswith(".") and one.problem.message.isprintable()
                looked_at = [student for students in summary.cases.values() for student in students]
                assert row.student in looked_at, kind  # every zero has an explanation
    table = "".join(f"Participant {key(n)},\n" if platform == "Moodle" else f"{key(n)},\n" for n in range(SIZE))
    put(tmp_path, {"table.csv": f"Identifier,Grade\n{table}"})
    command = ["roster", str(out), "--table", str(tmp_path / "table.csv"), "--assignment", "rope"]
    said = CliRunner().invoke(cli.main, command)
    assert said.exit_code == 0
    first, left = said.output.splitlines()
    assert first == f"{sum(kind in READ for kind in kinds)} scores in {out / 'roster_table.csv'}"
    assert left.startswith("Left empty, because the file could not be read: ")
    assert len(re.findall(r", rope(?=[;.])", left)) == sum(kind in UNREADABLE for kind in kinds)
    with (out / "roster_table.csv").open(encoding="utf-8", newline="") as file:
        cells = [row["Grade"] for row in csv.DictReader(file)]
    for number, (kind, cell) in enumerate(zip(kinds, cells, strict=True)):
        assert (cell == "") if kind in UNREADABLE else float(cell) == pytest.approx(0.1 * number)
    if platform in ("Canvas", "Moodle"):
        with Gradebook.reading(out) as book:
            pages, without = feedback_zip.pack(out, book.rows(), book.superseded(), platform.casefold())
        documents = [kind for kind in kinds if kind == "a document"] if platform == "Canvas" else []
        assert sum(pages.values()) == SIZE - len(documents) and len(without) == len(documents)
