"""Folders of many, as students and platforms make them: who handed in what, with a row for everything."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from autograder import course
from autograder.submission import NothingToGrade, Submission, find_in_folder, platforms, read
from tests.grader.support import classroom

KNOWN = [
    "attention",
    "naive",
    "sinusoidal",
    "learned",
    "rope",
    "relative",
    "alibi",
    "context_extension",
    "extrapolation",
]


class Folder:
    """A folder of submissions in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()

    def add(self, *names: str, content: str | bytes = "", modified: int = 0) -> None:
        for name in names:
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content or f"name = {name!r}\n"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            if modified:
                os.utime(path, (modified, modified))

    def rows(self, assignment: str | None = None) -> list[tuple[str, str, str, str]]:
        """Assignment, student, file, and whether it counts, for every row."""
        return [(one.assignment, one.student, one.file, state(one)) for one in self.read(assignment)]

    def read(self, assignment: str | None = None) -> list[Submission]:
        submissions = classroom.read_folder(self.path, assignment, KNOWN)
        assert [(one.assignment, one.student) for one in submissions] == sorted(
            (one.assignment, one.student) for one in submissions
        )
        for one in submissions:
            assert bool(one.cells) == (one.problem is None)
            for text in (one.student, one.file, *one.notes):
                text.encode("utf-8")
        return submissions


def state(submission: Submission) -> str:
    return "problem" if submission.problem else "read"


def zipped(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.py", content)
    return stream.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "batch")


def test_plain_files_need_the_assignment(folder: Folder) -> None:
    folder.add("bob.ipynb", content=json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}]}))
    folder.add("ada.py")
    folder.add("eve.zip", content=zipped(main="x = 1"))
    assert folder.rows("rope") == [
        ("rope", "ada", "ada.py", "read"),
        ("rope", "bob", "bob.ipynb", "read"),
        ("rope", "eve", "eve.zip!main.py", "read"),
    ]
    rows = folder.read()
    assert [(one.assignment, one.student) for one in rows] == [("", "ada"), ("", "bob"), ("", "eve")]
    assert all(one.problem and "--assignment" in one.problem.message for one in rows)


def test_names_of_plain_files_may_say_the_assignment(folder: Folder) -> None:
    folder.add("rope_ada.py", "bob-naive.py", "eve context extension.py", "naive_rope_max.py", "europe.py")
    assert folder.rows() == [
        ("", "europe", "europe.py", "problem"),
        ("", "naive_rope_max", "naive_rope_max.py", "problem"),
        ("context_extension", "eve context extension", "eve context extension.py", "read"),
        ("naive", "bob-naive", "bob-naive.py", "read"),
        ("rope", "rope_ada", "rope_ada.py", "read"),
    ]


def test_a_folder_an_assignment(folder: Folder) -> None:
    folder.add(
        "rope/ada.py",
        "rope/bob.py",
        "naive/ada.py",
        "naive/rope.py",
        "rope/eve/rope.py",
        "rope/max/main.py",
        "README.md",
    )
    assert folder.rows() == [
        ("naive", "ada", "naive/ada.py", "read"),
        ("naive", "rope", "naive/rope.py", "read"),
        ("rope", "ada", "rope/ada.py", "read"),
        ("rope", "bob", "rope/bob.py", "read"),
        ("rope", "eve", "rope/eve/rope.py", "read"),
        ("rope", "max", "rope/max/main.py", "read"),
    ]
    assert [row[0] for row in folder.rows("naive")] == ["naive", "naive"]


def test_the_given_folder_may_be_an_assignments_own(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "rope")
    folder.add("ada.py", "naive.py")
    assert folder.rows() == [("rope", "ada", "ada.py", "read"), ("rope", "naive", "naive.py", "read")]
    folder = Folder(tmp_path / "rope-hand-ins")
    folder.add("ada.py", "bob_naive.py")
    assert folder.rows() == [("naive", "bob_naive", "bob_naive.py", "read"), ("rope", "ada", "ada.py", "read")]


def test_a_folder_a_student(folder: Folder) -> None:
    folder.add(
        "ada/rope.py", "ada/naive.py", "ada/notes.txt", "bob/src/rope_final.py", "eve/main.py", "max/report.docx"
    )
    folder.add("zoe/hand in.zip", content=zipped(rope="x = 1", naive="y = 1"))
    assert folder.rows() == [
        ("", "eve", "eve", "problem"),
        ("", "max", "max", "problem"),
        ("naive", "ada", "ada/naive.py", "read"),
        ("naive", "zoe", "zoe/hand in.zip!naive.py", "read"),
        ("rope", "ada", "ada/rope.py", "read"),
        ("rope", "bob", "bob/src/rope_final.py", "read"),
        ("rope", "zoe", "zoe/hand in.zip!rope.py", "read"),
    ]
    assert folder.rows("rope") == [
        ("rope", "ada", "ada/rope.py", "read"),
        ("rope", "bob", "bob/src/rope_final.py", "read"),
        ("rope", "eve", "eve/main.py", "read"),
        ("rope", "max", "max", "problem"),
        ("rope", "zoe", "zoe/hand in.zip!rope.py", "read"),
    ]


def test_two_candidates_in_a_students_folder_are_a_problem(folder: Folder) -> None:
    folder.add("ada/rope.py", "ada/old/rope.py", "bob/main.py", "bob/other.py", "eve/rope.py", "eve/rope_old.py")
    ada, bob, eve = folder.read("rope")
    assert ada.problem and "ada/old/rope.py and ada/rope.py" in ada.problem.message
    assert bob.problem and "bob/main.py and bob/other.py" in bob.problem.message
    assert eve.file == "eve/rope.py"


HANDOUT = [
    "README.md", "Makefile", ".git/config", ".git/hooks/rope.py", ".venv/lib/rope.py", "assignments/figures.py",
    "assignments/rope/README.md", "assignments/rope/rope.py", "assignments/rope/explore.ipynb",
    "assignments/naive/naive.py",
    "assignments/extrapolation/lab.py", "assignments/extrapolation/extrapolation.py", "tests/public/test_rope.py",
    "assignments/rope/.ipynb_checkpoints/rope.py", "assignments/rope/__pycache__/rope.cpython-311.pyc",
]  # fmt: skip


def test_a_clone_a_student(folder: Folder) -> None:
    folder.add(*(f"{student}/{name}" for student in ("ada", "rope-bob") for name in HANDOUT))
    assert folder.rows("rope") == [
        ("rope", "ada", "ada/assignments/rope/rope.py", "read"),
        ("rope", "rope-bob", "rope-bob/assignments/rope/rope.py", "read"),
    ]
    assert [(row[0], row[1]) for row in folder.rows()] == [
        (assignment, student) for assignment in ("extrapolation", "naive", "rope") for student in ("ada", "rope-bob")
    ]


def test_the_given_folder_may_be_one_students_own(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "ada")
    folder.add(*HANDOUT)
    assert folder.rows("rope") == [("rope", "ada", "ada/assignments/rope/rope.py", "read")]
    folder = Folder(tmp_path / "bob")
    folder.add("rope.py", "naive.ipynb")
    assert folder.rows() == [("naive", "bob", "bob/naive.ipynb", "read"), ("rope", "bob", "bob/rope.py", "read")]


def test_a_folder_of_classroom_clones_names_the_assignment(folder: Folder) -> None:
    folder.add(
        "rope-ada/main.py",
        "rope-bob/attention_helpers.py",
        "rope-eve/naive.py",
        "rope-max/rope.py",
        "rope-max/naive.py",
    )
    assert [(row[0], row[1], row[3]) for row in folder.rows()] == [
        ("naive", "eve", "read"),
        ("naive", "max", "read"),
        ("rope", "ada", "read"),
        ("rope", "bob", "problem"),
        ("rope", "max", "read"),
    ]


METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1'
    :email: ada@uni.example
  :created_at: 2024-05-01 10:00:00.123456000 Z
  :score: 5.0
  :status: processed
  :results: &1 !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests:
    - {name: a, score: 1.0}
  :history:
  - :id: 7
    :results: *1
submission_2:
  :submitters:
  - :name: Bob
    :sid: '2'
    :email: bob@uni.example
  - :name: Eve
    :sid: '3'
    :email:
  - :name: Bob
    :email: bob@uni.example
  :created_at: 2024-05-02 10:00:00 -07:00
submission_3:
  :submitters:
  - :name: Ada Lovelace
    :email: ada@uni.example
  :created_at: 2024-04-01 10:00:00.000000000 Z
submission_4:
  :submitters:
  - :name: Zoe
    :email: zoe@uni.example
  :created_at: 2024-05-01
../../etc:
  :submitters:
  - :email: "=cmd()\\t"
/etc/passwd: 5
"""


def gradescope_export(folder: Folder, prefix: str = "", metadata: str | bytes = METADATA) -> None:
    folder.add(f"{prefix}submission_metadata.yml", content=metadata)
    folder.add(f"{prefix}submission_1/rope.py", f"{prefix}submission_2/rope.py", modified=100)
    folder.add(f"{prefix}submission_3/rope.py", f"{prefix}submission_9/rope.py", modified=200)


@pytest.mark.parametrize("prefix", ["", "assignment_123_export/", "rope/assignment_123_export/", "rope/"])
def test_a_gradescope_export(folder: Folder, prefix: str) -> None:
    gradescope_export(folder, prefix)
    assert folder.rows("rope") == [
        ("rope", "/etc/passwd", f"{prefix}/etc/passwd", "problem"),
        ("rope", "3", f"{prefix}submission_2/rope.py", "read"),
        ("rope", "=cmd()\t", f"{prefix}../../etc", "problem"),
        ("rope", "ada@uni.example", f"{prefix}submission_1/rope.py", "read"),
        ("rope", "bob@uni.example", f"{prefix}submission_2/rope.py", "read"),
        ("rope", "submission_9", f"{prefix}submission_9/rope.py", "read"),
        ("rope", "zoe@uni.example", f"{prefix}submission_4", "problem"),
    ]


def test_a_gradescope_export_needs_no_flag_where_files_say_the_assignment(folder: Folder) -> None:
    gradescope_export(folder, "assignment_123_export/")
    rows = [row for row in folder.rows() if row[3] == "read"]
    assert {row[0] for row in rows} == {"rope"}
    assert [row[1] for row in rows] == ["3", "ada@uni.example", "bob@uni.example", "submission_9"]


def test_exports_beside_each_other(folder: Folder) -> None:
    gradescope_export(folder, "rope/")
    folder.add("assignment_2_export/submission_metadata.yml", content=METADATA)
    folder.add("assignment_2_export/submission_1/naive.py")
    assert [(row[0], row[1]) for row in folder.rows() if row[3] == "read"] == [
        ("naive", "ada@uni.example"),
        ("rope", "3"),
        ("rope", "ada@uni.example"),
        ("rope", "bob@uni.example"),
        ("rope", "submission_9"),
    ]


@pytest.mark.parametrize(
    "metadata", [b"\xff\xfe\x00", b"a: [", b"- 1", b" ", b"a: " + b"[" * 100_000, b"!!python/object/apply:os.abort []"]
)
def test_a_gradescope_export_with_damaged_metadata_is_still_read(folder: Folder, metadata: bytes) -> None:
    gradescope_export(folder, metadata=metadata)
    rows = folder.read("rope")
    assert [one.student for one in rows] == ["submission_1", "submission_2", "submission_3", "submission_9"]
    (said,) = find_in_folder(folder.path, "rope", KNOWN).passed_over
    assert "submission_metadata.yml" in said and "folders' names stand for the students" in said


def test_metadata_that_is_a_link_is_not_followed(folder: Folder, tmp_path: Path) -> None:
    gradescope_export(folder)
    (tmp_path / "elsewhere.yml").write_text(METADATA)
    (folder.path / platforms.METADATA).unlink()
    (folder.path / platforms.METADATA).symlink_to(tmp_path / "elsewhere.yml")
    assert [one.student for one in folder.read("rope")] == [
        "submission_1",
        "submission_2",
        "submission_3",
        "submission_9",
    ]


def test_metadata_may_hold_anything(folder: Folder) -> None:
    folder.add(
        "submission_metadata.yml",
        content="a: &a [1]\nc: *a\nb: {':submitters': {x: 1}, ':created_at': 9999-99-99}\nd: 5\n",
    )
    assert set(platforms.export_entries((folder.path / platforms.METADATA).read_bytes())) == {"a", "b", "c", "d"}


def test_a_large_export_is_read_whole(folder: Folder) -> None:
    results = "".join(f"    - {{name: t{number}, output: '{'x' * 60}'}}\n" for number in range(20))
    entry = METADATA.split("submission_2")[0].removeprefix("---\n").replace("    - {name: a, score: 1.0}\n", results)
    entries = (
        entry.replace("submission_1", f"submission_{number}").replace("1", str(number)) for number in range(10, 60)
    )
    folder.add("submission_metadata.yml", content="---\n" + "".join(entries))
    assert len(platforms.export_entries((folder.path / platforms.METADATA).read_bytes())) == 50


def test_canvas_downloads(folder: Folder) -> None:
    folder.add(
        "doejane_12345_67890_rope.py", "doejane_LATE_12345_67999_rope-1.py", "roebob_LATE_54321_11111_my rope.ipynb.py"
    )
    folder.add("roebob_54321_11112_naive-3.py", "moe_1_2_main.py", "poe_3_4_report.pdf")
    folder.add("zoe_5_6_hand-in-2.zip", content=zipped(rope="x = 1"))
    assert folder.rows() == [
        ("naive", "roebob", "roebob_54321_11112_naive-3.py", "read"),
        ("rope", "doejane", "doejane_LATE_12345_67999_rope-1.py", "read"),
        ("rope", "moe", "moe_1_2_main.py", "read"),
        ("rope", "poe", "poe_3_4_report.pdf", "problem"),
        ("rope", "roebob", "roebob_LATE_54321_11111_my rope.ipynb.py", "read"),
        ("rope", "zoe", "zoe_5_6_hand-in-2.zip!rope.py", "read"),
    ]
    late = next(one for one in folder.read() if one.student == "doejane")
    assert late.notes[:2] == (
        "Canvas marks it as late.",
        "doejane_12345_67890_rope.py came earlier, and is not graded.",
    )


def test_odd_names_in_a_download_are_of_the_assignment_that_most_names_say(folder: Folder) -> None:
    """A download is of one assignment. Where as many say another, the row says what is missing."""
    folder.add("ada_1_10_rope.py", "bob_2_11_my rope.py", "cy_3_12_hw5 final FINAL.py", "di_4_13_report.docx")
    assert [row[0] for row in folder.rows()] == ["rope"] * 4
    folder.add("eve_5_14_naive.py")
    assert [row[0] for row in folder.rows()] == ["naive", *["rope"] * 4]
    folder.add("fay_6_15_naive.py")
    unnamed = [one for one in folder.read() if not one.assignment]
    assert [one.student for one in unnamed] == ["cy", "di"] and all(one.problem for one in unnamed)


def test_canvas_attempts_are_ordered_by_number(folder: Folder) -> None:
    folder.add("doe_1_20_rope-10.py", "doe_1_20_rope-9.py", "doe_1_9_rope-11.py", "doe_1_20_rope.py")
    assert [row[2] for row in folder.rows() if row[3] == "read"] == ["doe_1_20_rope-10.py"]


def test_two_people_of_one_name_stay_two_people(folder: Folder) -> None:
    folder.add("doejane_1_10_rope.py", "doejane_2_11_rope.py", "roe_3_12_rope.py")
    assert [row[1] for row in folder.rows()] == ["doejane_1", "doejane_2", "roe"]


@pytest.mark.parametrize(
    "form",
    ["doe_1_1{}_{}", "Jane Doe_1_assignsubmission_file_{1}", "W 5_doe_attempt_2026-11-01-14-22-32_{1}", "doe/{1}"],
)
def test_other_files_handed_in_with_the_right_one_are_the_same_in_a_folder_and_in_a_flat_download(
    folder: Folder, form: str
) -> None:
    """One row, for what was asked for; without an assignment one for each that the files name."""
    names = ["rope.py", "report.pdf", "helpers.py", "naive.py", "rope_new.py"]
    folder.add(*(form.format(number, name) for number, name in enumerate(names)))
    assert [(row[2], row[3]) for row in folder.rows("rope")] == [(form.format(0, "rope.py"), "read")]
    assert [(row[0], row[2], row[3]) for row in folder.rows()] == [
        ("naive", form.format(3, "naive.py"), "read"),
        ("rope", form.format(0, "rope.py"), "read"),
    ]
    (one,) = folder.read("rope")
    assert "rope_new.py" in one.doubt and one.doubt in one.notes


def test_which_file_counts_is_told_by_what_is_written_and_then_by_the_name(folder: Folder) -> None:
    """If two remain, the row names both."""
    stub, solved = course.find("rope").stub.read_text("utf-8"), classroom.right("rope", 0)
    folder.add("ada.py", content=stub)
    folder.add("ada/main.py", "bob/rope.py", "bob/main.py", "cy/one.py", "cy/two.py", "di.py", content=solved)
    folder.add("di.ipynb", content=json.dumps({"cells": [{"cell_type": "code", "source": solved}]}))
    ada, bob, cy, di = folder.read("rope")
    assert (ada.file, bob.file) == ("ada/main.py", "bob/rope.py")
    assert cy.problem and "cy/one.py and cy/two.py" in cy.problem.message
    assert di.problem and "di.ipynb and di.py" in di.problem.message


def test_one_bad_file_never_stops_the_others(folder: Folder) -> None:
    folder.add("ada.py", "zoe.py")
    folder.add("binary.py", content=b"\0")
    folder.add("broken.zip", content=b"PK\3\4")
    folder.add("broken.ipynb", content="{")
    folder.add("report.docx", content=b"PK\3\4")
    folder.add("huge.py", content=b"#" * (5 << 20))
    (folder.path / "link.py").symlink_to("/etc/passwd")
    (folder.path / "linked folder").symlink_to(folder.path)
    (folder.path / "nobody").mkdir()
    os.mkfifo(folder.path / "pipe.py")
    states = {row[1]: row[3] for row in folder.rows("rope")}
    assert states.pop("ada") == states.pop("zoe") == "read"
    assert set(states) == {"binary", "broken", "report", "huge", "link", "linked folder", "nobody", "pipe"}
    assert set(states.values()) == {"problem"}


def test_links_in_a_students_folder_are_not_followed(folder: Folder, tmp_path: Path) -> None:
    folder.add("bob/rope.py", "eve/keep.txt")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/rope.py").write_text("secret = 1\n")
    (folder.path / "eve/rope.py").symlink_to(tmp_path / "elsewhere/rope.py")
    (folder.path / "bob/more").symlink_to(tmp_path / "elsewhere")
    (folder.path / "bob/loop").symlink_to(folder.path)
    bob, eve = folder.read("rope")
    assert bob.file == "bob/rope.py"
    assert eve.problem and "link" in eve.problem.message


def test_closed_folders_are_a_problem_of_one_student(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.add("ada/rope.py", "bob/rope.py", "eve/rope.py", "eve/private/x.py")
    scan = os.scandir

    def guarded(path: str | Path) -> object:
        if Path(path).name in ("bob", "private"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert [(row[1], row[3]) for row in folder.rows("rope")] == [
        ("ada", "read"),
        ("bob", "problem"),
        ("eve", "read"),
    ]


def test_furniture_is_no_hand_in(folder: Folder) -> None:
    folder.add(
        "ada.py",
        ".DS_Store",
        "._ada.py",
        "Thumbs.db",
        "README.md",
        "LICENSE",
        "__MACOSX/._ada.py",
        ".git/x.py",
        "ada.py~",
    )
    folder.add("__pycache__/ada.cpython-311.pyc", ".#ada.py")
    assert folder.rows("rope") == [("rope", "ada", "ada.py", "read")]


ODD = [
    "a\nb",
    "\u202eadA",
    "x" * 240,
    "=1+1",
    "+1",
    "-1",
    "@x",
    "..",
    "'",
    '"',
    "🦆",
    "a;b",
    "a b",
    "%s",
    "{0}",
    "\x1b[31m",
    "con",
    "\t",
]


def test_odd_names_stay_as_they_are(folder: Folder) -> None:
    folder.add(*(f"{name}.py" for name in ODD))
    assert [row[1] for row in folder.rows("rope")] == sorted(ODD)
    assert all(row[3] == "read" for row in folder.rows("rope"))


def test_undecodable_names_can_be_written(folder: Folder) -> None:
    for name in (b"ad\xff.py", b"ad\xfe.py"):
        with open(os.path.join(os.fsencode(folder.path), name), "wb") as file:
            file.write(b"x = 1\n")
    os.makedirs(os.path.join(os.fsencode(folder.path), b"b\xffb/\xff"))
    with open(os.path.join(os.fsencode(folder.path), b"b\xffb/\xff/rope.py"), "wb") as file:
        file.write(b"x = 1\n")
    assert [(row[1], row[3]) for row in folder.rows("rope")] == [
        ("ad\\udcfe", "read"),
        ("ad\\udcff", "read"),
        ("b\\udcffb", "read"),
    ]


@pytest.mark.parametrize("names", [(), (".DS_Store",), ("README.md",), ("photo.jpg",), ("naive/ada.py",)])
def test_nothing_to_grade(folder: Folder, names: tuple[str, ...]) -> None:
    for name in names:
        if name.endswith("/"):
            (folder.path / name).mkdir()
        else:
            folder.add(name)
    with pytest.raises(NothingToGrade, match="holds no submission for rope"):
        folder.read("rope")


def test_a_folder_that_is_none_is_nothing_to_grade(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NothingToGrade, match="does not exist"):
        classroom.read_folder(tmp_path / "nowhere", None, KNOWN)
    with pytest.raises(NothingToGrade, match="is not a folder"):
        classroom.read_folder(tmp_path / "file", None, KNOWN)


def test_a_folder_that_may_not_be_read_is_nothing_to_grade(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", forbid)
    with pytest.raises(NothingToGrade, match="Permission denied"):
        folder.read("rope")


def test_a_student_with_endless_files_is_a_problem(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.submission.code.MAX_ENTRIES", 20)
    folder.add("ada/rope.py", *(f"bob/{number}/rope.py" for number in range(20)))
    assert [(row[1], row[3]) for row in folder.rows("rope")] == [("ada", "read"), ("bob", "problem")]


def test_a_repository_with_endless_files_is_a_problem(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.submission.code.MAX_ENTRIES", 20)
    folder.add(
        "assignments/rope/rope.py", "tests/public/test_rope.py", *(f"course/{number}.html" for number in range(20))
    )
    assert [(row[1], row[3]) for row in folder.rows("rope")] == [("batch", "problem")]


def test_a_deep_folder_is_searched(folder: Folder) -> None:
    folder.add("ada/" + "d/" * 200 + "rope.py")
    assert folder.rows("rope")[0][3] == "read"


def test_finding_reads_no_code(folder: Folder) -> None:
    folder.add("ada.py", "bob.py")
    found = find_in_folder(folder.path, "rope", KNOWN)
    (folder.path / "bob.py").unlink()
    (ada,), (bob,) = (read(one, tuple(KNOWN)) for one in found.hand_ins)
    assert (ada.problem, bool(bob.problem)) == (None, True)
