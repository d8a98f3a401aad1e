"""Tests of folders with many students, whether compiled by people or platforms: every upload has a row."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from autograder.submission import Submission, UngradablePathError, find_in_folder, platforms, read_submission
from tests.grader.support import classroom
from tests.grader.support.student_folders import SOLVED, put

KNOWN = ["attention", "naive", "sinusoidal", "learned", "rope", "relative", "alibi", "context_extension"]


def add(folder: Path, *names: str) -> None:
    put(folder, {name: f"name = {name!r}\n" for name in names})


def rows(folder: Path, assignment: str | None = None) -> list[Submission]:
    submissions = classroom.read_folder(folder, assignment, KNOWN)
    for one in submissions:
        assert bool(one.cells) == (one.problem is None)
        for text in (one.student, one.file, *one.notes):
            text.encode("utf-8")
    return submissions


def seen(folder: Path, assignment: str | None = None) -> list[str]:
    """Return one line for each row, with the assignment, the student and the file, or "-" instead of the file
    if there is a problem."""
    found = rows(folder, assignment)
    return [f"{one.assignment or '?'}: {one.student}, {'-' if one.problem else one.file}" for one in found]


LAYOUTS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "plain files, whose names may say the assignment": (
        ["ada.py", "rope_bob.py", "cy-naive.py", "di context extension.py", "naive_rope_max.py", "europe.py"],
        ["?: ada, -", "?: europe, -", "?: naive_rope_max, -",
         "context_extension: di, di context extension.py",
         "naive: cy, cy-naive.py", "rope: bob, rope_bob.py"],
        ["rope: ada, ada.py", "rope: bob, rope_bob.py", "rope: cy-naive, cy-naive.py",
         "rope: di context extension, di context extension.py",
         "rope: europe, europe.py", "rope: naive_max, naive_rope_max.py"],
    ),
    "a folder an assignment": (
        ["rope/ada.py", "naive/ada.py", "naive/rope.py", "rope/eve/rope.py", "rope/max/main.py", "README.md"],
        ["naive: ada, naive/ada.py", "naive: rope, naive/rope.py", "rope: ada, rope/ada.py",
         "rope: eve, rope/eve/rope.py", "rope: max, rope/max/main.py"],
        ["rope: ada, rope/ada.py", "rope: eve, rope/eve/rope.py", "rope: max, rope/max/main.py"],
    ),
    "a folder a student": (
        ["ada/rope.py", "ada/naive.py", "ada/notes.txt", "bob/src/rope_final.py", "eve/main.py",
         "max/report.docx"],
        ["?: eve, -", "?: max, -", "naive: ada, ada/naive.py", "rope: ada, ada/rope.py",
         "rope: bob, bob/src/rope_final.py"],
        ["rope: ada, ada/rope.py", "rope: bob, bob/src/rope_final.py", "rope: eve, eve/main.py",
         "rope: max, -"],
    ),
    "a clone a student": (
        [f"{student}/{name}" for student in ("ada", "rope-bob") for name in (
            "README.md", ".git/hooks/rope.py", ".venv/lib/rope.py", "assignments/figures.py",
            "assignments/rope/rope.py", "assignments/rope/explore.ipynb", "assignments/naive/naive.py",
            "tests/public/test_rope.py", "assignments/rope/.ipynb_checkpoints/rope.py")],
        ["naive: ada, ada/assignments/naive/naive.py", "naive: rope-bob, rope-bob/assignments/naive/naive.py",
         "rope: ada, ada/assignments/rope/rope.py", "rope: rope-bob, rope-bob/assignments/rope/rope.py"],
        ["rope: ada, ada/assignments/rope/rope.py", "rope: rope-bob, rope-bob/assignments/rope/rope.py"],
    ),
    "clones whose name says the assignment": (
        ["rope-ada/main.py", "rope-bob/attention_helpers.py", "rope-eve/naive.py", "rope-max/rope.py"],
        ["rope: ada, rope-ada/main.py", "rope: bob, rope-bob/attention_helpers.py",
         "rope: eve, rope-eve/naive.py", "rope: max, rope-max/rope.py"],
        ["rope: ada, rope-ada/main.py", "rope: bob, rope-bob/attention_helpers.py",
         "rope: eve, rope-eve/naive.py", "rope: max, rope-max/rope.py"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("names", "without", "flagged"), LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_is_read(tmp_path: Path, names: list[str], without: list[str], flagged: list[str]) -> None:
    add(tmp_path, *names)
    assert (seen(tmp_path), seen(tmp_path, "rope")) == (without, flagged)


@pytest.mark.parametrize("form", ["{1}_{0}.py", "{0}-{1}.py", "{0} - {1}.ipynb", "{0}.{1}.py"])
@pytest.mark.parametrize("name", ["Ada Lovelace", "ada", "17", "李小龙", "x_y"])
def test_a_student_is_the_same_in_every_lesson(form: str, name: str, tmp_path: Path) -> None:
    """A name that also contains the assignment belongs to the same student, not to a new student per lesson."""
    people = (name, "bob")
    files = [form.format(who, lesson) for who in people for lesson in ("rope", "alibi", "context_extension")]
    add(tmp_path, *files)
    found = {(one.student, one.assignment) for one in rows(tmp_path)}
    assert found == {(who, lesson) for who in people for lesson in ("rope", "alibi", "context_extension")}


def test_a_student_whose_name_is_an_assignment_keeps_it(tmp_path: Path) -> None:
    """In an assignment's folder, only that assignment's name is removed from a file's name to find the student."""
    add(tmp_path, "rope/rope.py", "rope/ann_naive.py", "rope/ann_alibi_rope.py")
    assert {one.student for one in rows(tmp_path)} == {"rope", "ann_naive", "ann_alibi"}


@pytest.mark.parametrize("name", ["Zoë", "Nguyễn Văn Ái", "Ångström"])
def test_two_encodings_of_an_accent_are_one_student(name: str, tmp_path: Path) -> None:
    """A zip from macOS writes an accent as a separate character, and one from Windows does not."""
    for number, form in enumerate(("NFC", "NFD")):
        add(tmp_path / form, f"{unicodedata.normalize(form, name)}.py", f"bob{number}.py")
    found = [one for form in ("NFC", "NFD") for one in rows(tmp_path / form, "rope")]
    assert len({one.student_key for one in found}) == 3


def test_the_given_folder_may_be_an_assignments_own(tmp_path: Path) -> None:
    add(tmp_path / "rope", "ada.py", "naive.py")
    assert seen(tmp_path / "rope") == ["rope: ada, ada.py", "rope: naive, naive.py"]
    add(tmp_path / "rope-hand-ins", "ada.py", "bob_naive.py")
    assert seen(tmp_path / "rope-hand-ins") == ["naive: bob, bob_naive.py", "rope: ada, ada.py"]


METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1'
    :email: ada@uni.example
  :created_at: 2024-05-01 10:00:00.123456000 Z
  :results: &1 !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests:
    - {name: a, score: 1.0}
  :history:
  - :id: 7
    :results: *1
submission_2:
  :submitters:
  - :name: Bob
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
  - :email: zoe@uni.example
../../etc:
  :submitters:
  - :email: "=cmd()\\t"
/etc/passwd: 5
"""


def export(folder: Path, metadata: str | bytes = METADATA) -> None:
    """Write an export in Gradescope's format."""
    put(folder, {"submission_metadata.yml": metadata})
    add(folder, *(f"submission_{number}/rope.py" for number in (1, 2, 3, 9)))


@pytest.mark.parametrize("prefix", ["", "rope/assignment_123_export/"])
def test_a_gradescope_export(tmp_path: Path, prefix: str) -> None:
    """If an export's metadata lists two folders for one student, the student's row names both."""
    export(tmp_path / prefix)
    found = [f"rope: {student}, {prefix}submission_{number}/rope.py" for student, number in
             (("3", 2), ("bob@uni.example", 2), ("submission_9", 9))]  # fmt: skip
    missing = [f"rope: {student}, -" for student in ("/etc/passwd", "=cmd()\t", "ada@uni.example", "zoe@uni.example")]
    assert seen(tmp_path, "rope") == sorted(found + missing)
    assert [line for line in seen(tmp_path) if "rope.py" in line] == found


@pytest.mark.parametrize(
    "metadata", [b"\xff\xfe\x00", b"a: [", b"- 1", b"a: " + b"[" * 100_000, b"!!python/object/apply:os.abort []", None]
)
def test_a_gradescope_export_with_damaged_metadata_is_still_read(tmp_path: Path, metadata: bytes | None) -> None:
    """A link in place of the metadata file is not followed."""
    put(tmp_path, {"elsewhere.yml": METADATA})
    export(tmp_path / "export", metadata or "")
    if metadata is None:
        (tmp_path / "export" / platforms.METADATA).unlink()
        (tmp_path / "export" / platforms.METADATA).symlink_to(tmp_path / "elsewhere.yml")
    found = find_in_folder(tmp_path / "export", "rope", KNOWN)
    assert [uploads[0].student for uploads in found.students] == [f"submission_{number}" for number in (1, 2, 3, 9)]
    (said,) = found.ignored_files
    assert "submission_metadata.yml" in said and "folder names identify the students" in said


def test_metadata_may_hold_anything() -> None:
    odd = "a: &a [1]\nc: *a\nb: {':submitters': {x: 1}, ':created_at': 9999-99-99}\nd: 5\n"
    odd += "e: {':submitters': [[], 1]}\n"
    assert platforms.export_uploads(odd.encode()) == {name: [] for name in "abcde"}


def test_odd_names_in_a_download_are_of_the_assignment_that_most_names_say(tmp_path: Path) -> None:
    """A file whose name contains no assignment belongs to the assignment in most of the names in a download.
    If two assignments are named equally often, the row of such a file asks the instructor to choose."""
    add(tmp_path, "ada_1_10_rope.py", "bob_2_11_my rope.py", "cy_3_12_hw5 final FINAL.py", "di_4_13_report.docx")
    assert [one.assignment for one in rows(tmp_path)] == ["rope"] * 4
    add(tmp_path, "eve_5_14_naive.py", "fay_6_15_naive.py")
    unnamed = [one for one in rows(tmp_path) if not one.assignment]
    assert [one.student for one in unnamed] == ["cy", "di"] and all(one.problem for one in unnamed)


def test_the_latest_of_one_name_counts_and_the_others_are_named(tmp_path: Path) -> None:
    add(tmp_path, "doe_1_20_rope-10.py", "doe_1_20_rope-9.py", "doe_1_9_rope-11.py", "roe_LATE_2_20_rope.py")
    doe, roe = rows(tmp_path)
    assert doe.file == "doe_1_20_rope-10.py" and not doe.doubt
    assert doe.notes[0] == "doe_1_9_rope-11.py; doe_1_20_rope-9.py came earlier and is not graded."
    assert roe.notes[0] == "Canvas marks it as late."


def test_the_last_attempt_in_which_something_is_written_counts(tmp_path: Path) -> None:
    name = "Week 5_{}_attempt_2026-11-0{}-14-22-32_{}".format
    solved = classroom.right("rope", 0)
    put(tmp_path, {name("ada", 1, "rope.py"): solved, name("ada", 2, "main.py"): solved})
    put(tmp_path, {name("bob", 1, "rope.py"): solved, name("bob", 2, "rope.py"): "x = 1", name("cy", 1, "rope.py"): ""})
    ada, bob, cy = rows(tmp_path, "rope")
    assert (ada.file, bob.file) == (name("ada", 2, "main.py"), name("bob", 1, "rope.py"))
    assert "came earlier" in ada.notes[0] and not ada.doubt and name("bob", 2, "rope.py") in bob.doubt and cy.problem


def test_two_people_of_one_name_stay_two_people(tmp_path: Path) -> None:
    add(tmp_path, "doejane_1_10_rope.py", "doejane_2_11_rope.py", "roe_3_12_rope.py")
    assert [one.student for one in rows(tmp_path)] == ["doejane_1", "doejane_2", "roe"]


def test_links_and_pipes_are_no_hand_in_of_anybody_elses(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    put(folder, {"ada.py": "x = 1", "half.ipynb": b"{", "nobody/": "", "eve/keep.txt": "", "max/rope.py": "x = 1"})
    put(tmp_path, {"secret.py": "secret = 1"})
    for link in ("link.py", "linked", "eve/rope.py", "max/more"):
        (folder / link).symlink_to(tmp_path / ("secret.py" if link.endswith(".py") else ""))
    os.mkfifo(folder / "pipe.py")
    states = {one.student: one.problem for one in rows(folder, "rope")}
    assert {student for student, problem in states.items() if problem is None} == {"ada", "max"}
    assert {*states} == {*"ada half link linked nobody eve max pipe".split()}
    assert states["eve"] is not None and "link" in states["eve"].message


def test_closed_folders_are_a_problem_of_one_student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(tmp_path, "ada/rope.py", "bob/rope.py", "eve/rope.py", "eve/private/x.py", "ada/" + "d/" * 200 + "deep.py")
    scan = os.scandir
    closed = {"bob", "private"}

    def guarded(path: str | Path) -> object:
        if Path(path).name in closed:
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert seen(tmp_path, "rope") == ["rope: ada, ada/rope.py", "rope: bob, -", "rope: eve, eve/rope.py"]
    closed.add(tmp_path.name)
    with pytest.raises(UngradablePathError, match="Permission denied"):
        rows(tmp_path, "rope")


def test_furniture_is_no_hand_in(tmp_path: Path) -> None:
    furniture = ".DS_Store ._ada.py Thumbs.db README.md LICENSE __MACOSX/._ada.py .git/x.py ada.py~ .#ada.py"
    add(tmp_path, "ada.py", *furniture.split(), "__pycache__/ada.cpython-311.pyc")
    assert seen(tmp_path, "rope") == ["rope: ada, ada.py"]


ODD = ["a\nb", "\u202eadA", "x" * 240, "=1+1", "@x", "..", "'", '"', "🦆", "a;b", "%s", "{0}", "\x1b[31m", "con", "\t"]


def test_odd_names_stay_as_they_are(tmp_path: Path) -> None:
    """Bytes in a name that UTF-8 cannot represent are written as escapes."""
    add(tmp_path, *(f"{name}.py" for name in ODD))
    os.makedirs(os.path.join(os.fsencode(tmp_path), b"b\xffb/\xff"))
    with open(os.path.join(os.fsencode(tmp_path), b"b\xffb/\xff/rope.py"), "wb") as file:
        file.write(b"x = 1\n")
    found = rows(tmp_path, "rope")
    assert sorted(one.student for one in found) == sorted([*ODD, "b\\udcffb"])
    assert all(one.problem is None for one in found)


@pytest.mark.parametrize("names", [(), (".DS_Store",), ("README.md",), ("photo.jpg",), ("naive/ada.py",)])
def test_nothing_to_grade(tmp_path: Path, names: tuple[str, ...]) -> None:
    add(tmp_path, *names)
    with pytest.raises(UngradablePathError, match="contains no submission for rope"):
        rows(tmp_path, "rope")
    for name, words in (("nowhere", "does not exist"), ("photo.jpg", "is not a folder")):
        put(tmp_path, {"photo.jpg": b""})
        with pytest.raises(UngradablePathError, match=words):
            rows(tmp_path / name)


CHECKED: dict[str, dict[str, str]] = {
    "Canvas": {f"doe{n}_10{n}_900{n}_{file}": SOLVED for n, file in enumerate(["rope.py", "rope-1.py", "work.py"])},
    "Moodle": {
        f"Ada {n}_10{n}_assignsubmission_file_{file}.py": SOLVED for n, file in enumerate(["rope", "R", "rope"])
    },
    "Blackboard": {f"HW_s{n}_attempt_2026-11-01-14-22-32_{f}.py": SOLVED for n, f in enumerate(["rope", "rope", "hw"])},
    "plain": {f"rope/{name}.py": SOLVED for name in ("ada", "bob_rope", "rope_final (1)")},
    "folders": {f"rope/{name}.py": SOLVED for name in ("ada/rope (1)", "bob/week 3/my work", "cy/alibi")},
    "a name that says it": {f"hw rope/{name}.py": SOLVED for name in ("ada/x", "bob/y", "cy/rope_final")},
}


@pytest.mark.parametrize("files", CHECKED.values(), ids=CHECKED)
def test_a_check_of_one_file_finds_the_assignment_of_the_class_run(files: dict[str, str], tmp_path: Path) -> None:
    """The folders around a file and the names of the files beside it reveal the platform, and the assignment,
    which is the one named most often."""
    put(tmp_path, files)
    outer = {name.rpartition("/")[0].partition("/")[0] for name in files}
    root = tmp_path / outer.pop()
    expected = {row.file: row.assignment for row in classroom.read_folder(root, None, KNOWN)}
    assert {*expected.values()} == {"rope"} and len(expected) == len(files)
    assert {name: read_submission(root / name, None, KNOWN).assignment for name in expected} == expected
