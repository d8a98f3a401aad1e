"""Six platforms, sixty students each, most of whom hand in something damaged: from the download to the scores in a
table nobody is lost or misplaced, and what is doubtful is a row with a sentence."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import course
from autograder.batch import output
from autograder.batch.gradebook import Gradebook
from autograder.protocol.status import Status
from autograder.reports import feedback_zip, roster
from tests.grader.support import classroom
from tests.grader.support.folders import put
from tests.grader.support.rows import PACKED

SIZE = 60
STUB = course.find("rope").stub.read_text("utf-8")
LATER = "2026-11-01-14-22-32"


def packed(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


DAMAGES: dict[str, Callable[[str], tuple[str, bytes]]] = {
    "whole": lambda code: ("rope.py", code.encode()),
    "UTF-16": lambda code: ("rope.py", code.encode("utf-16")),
    "Windows": lambda code: ("rope.py", b"\xef\xbb\xbf" + code.replace("\n", "\r\n").encode()),
    "named anyhow": lambda code: ("rope final (1).py", code.encode()),
    "notebook": lambda code: ("rope.ipynb", notebook("%matplotlib inline", code)),
    "packed": lambda code: ("rope.zip", packed({"rope.py": code.encode(), "__MACOSX/._rope.py": b"\0"})),
    "Latin-1": lambda code: ("rope.py", b"# \xe9\xe8\n" + code.encode()),
    "empty": lambda code: ("rope.py", b""),
    "bytes": lambda code: ("rope.py", bytes(range(256))),
    "no Python": lambda code: ("rope.py", b"def rope_frequencies(:\n"),
    "half a notebook": lambda code: ("rope.ipynb", notebook(code)[:-20]),
    "half a zip": lambda code: ("rope.zip", packed({"rope.py": code.encode()})[:40]),
    "a zip in a zip": lambda code: ("rope.zip", packed({"rope.zip": packed({"rope.py": code.encode()})})),
    "a document": lambda code: ("rope.docx", b"PK\3\4"),
    "deep": lambda code: ("rope.py", b"x = " + b"(" * 5000 + b")" * 5000),
    "a huge line": lambda code: ("rope.py", b"x = '" + b"a" * 3_000_000 + b"'\n" + code.encode()),
}
READABLE = {"whole", "UTF-16", "Windows", "named anyhow", "notebook", "packed"}

PLATFORMS: dict[str, tuple[str, Callable[[int, str], str]]] = {
    "Canvas": ("{n}", lambda n, file: f"student{n}name_{n}_9{n}_{file.replace(' ', '_')}"),
    "Moodle": ("Participant {n}", lambda n, file: f"Student {n}_{n}_assignsubmission_file_/{file}"),
    "Blackboard": ("user{n}", lambda n, file: f"Week 5_user{n}_attempt_{LATER}_{file}"),
    "GitHub Classroom": ("user{n}", lambda n, file: f"week-5-user{n}/{file}"),
    "Gradescope": ("user{n}@x.edu", lambda n, file: f"submission_{n}/{file}"),
    "folders": ("user{n}", lambda n, file: f"user{n}/{file}"),
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_nobody_is_lost_or_misplaced(tmp_path: Path, platform: str) -> None:
    called, place = PLATFORMS[platform]
    numbers = range(100, 100 + SIZE)
    draw = random.Random(platform)
    damage = {n: [*DAMAGES][n % len(DAMAGES)] if n % 3 else draw.choice([*DAMAGES]) for n in numbers}
    files: dict[str, str | bytes] = {}
    for n in numbers:
        name, content = DAMAGES[damage[n]](f"{STUB}\n\ndef rotate_half(x):\n    return x * {n}\n\n\nPOINTS = {n}\n")
        files[place(n, name)] = content
    if platform == "Gradescope":
        files["submission_metadata.yml"] = "".join(
            f"submission_{n}:\n  :submitters:\n  - :email: user{n}@x.edu\n    :name: Student {n}\n" for n in numbers
        )
    put(tmp_path / "class", files)
    out = tmp_path / "out"
    with Gradebook.writing(out) as book:
        book.take_in([classroom.read_folder(tmp_path / "class", "rope", ["rope", "alibi"])], {"rope": "suite"})
        for key in book.to_grade():
            points = re.findall(r"^POINTS = (\d+)$", "\n".join(book.cells(key.code)), re.MULTILINE)
            status = Status.GRADED if points else Status.UNREADABLE
            grade = replace(PACKED, score=int(points[0]) / 10 if points else 0.0, status=status)
            book.add([(key, grade.to_bytes(), "")])
        rows: list[str] = []
        output.write(book, ["rope"], lambda row: rows.append(row.submission.who))
        assert len(rows) == len(set(rows)) == SIZE
    table = "Identifier,Grade\n" + "".join(f"{called.format(n=n)},\n" for n in numbers)
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    with Gradebook.reading(out) as book:
        filled = roster.fill(out, book, tmp_path / "table.csv", "rope")
        reached = feedback_zip.pack(out, book, platform.casefold()) if platform in ("Canvas", "Moodle") else None
    assert not filled.not_found + filled.doubtful + filled.without and filled.scores == SIZE
    with filled.path.open(encoding="utf-8", newline="") as file:
        scores = {row["Identifier"]: float(row["Grade"]) for row in csv.DictReader(file)}
    for n in numbers:
        own = scores[called.format(n=n)]
        assert own == n / 10 if damage[n] in READABLE else own in (0.0, n / 10), (n, damage[n])
    statuses = {row["status"] for row in classroom.grades(out)}
    assert statuses == {"graded", "unreadable"}
    assert reached is None or (reached.files, reached.without) == (SIZE, [])
