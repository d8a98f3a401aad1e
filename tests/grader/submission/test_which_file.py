"""Tests of which file counts if a student has several: first the file that has been worked on, then the file
whose name identifies it.

If two candidate files remain, the row names both. The row also names other files that the student might have meant.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder import bounded_processes, course
from autograder.submission import Submission, bounded_reading, read_submission, read_submission_bounded
from tests.grader.support import classroom
from tests.grader.support.student_folders import SOLVED, archive_of, notebook, put

KNOWN = [one.name for one in course.term_assignments()]
STUB = course.find("rope").stub.read_text("utf-8")
IN_A_CLONE: dict[str, str | bytes] = {
    "assignments/rope/rope.py": STUB,
    "tests/public/test_rope.py": "",
    "README.md": "",
}
OTHER = SOLVED + "\n\ndef mine():\n    return 1\n"


def test_a_clone_of_the_handout_has_one_file_for_each_assignment(tmp_path: Path, handed_out: dict[str, bytes]) -> None:
    """The other files of the handout make no difference, nor does an extra folder level, such as the one in a
    zip of a repository."""
    root = "positions-ada"
    put(tmp_path / "ada" / root, handed_out)
    solutions = {
        f"assignments/{one.name}/{one.name}.py": one.solution.read_bytes() for one in course.term_assignments()
    }
    put(tmp_path / "ada" / root, solutions)
    rows = {one.assignment: one for one in classroom.read_folder(tmp_path, None, KNOWN)}
    assert sorted(rows) == sorted(KNOWN)
    for one in course.term_assignments():
        found = rows[one.name]
        assert (found.problem, found.notes, found.cells) == (None, (), (one.solution.read_text("utf-8"),))
        assert read_submission(tmp_path / "ada", one.name, KNOWN).cells == found.cells


def test_an_untouched_clone_of_the_handout_has_only_stubs(tmp_path: Path, handed_out: dict[str, bytes]) -> None:
    """The handout's support files define functions with names such as `softmax`, `encode` and `forward`."""
    put(tmp_path / "ada", handed_out)  # type: ignore[arg-type]
    rows = {one.assignment: one for one in classroom.read_folder(tmp_path, None, KNOWN)}
    assert {name: row.file for name, row in rows.items()} == {
        name: f"ada/assignments/{name}/{name}.py" for name in KNOWN
    }
    for name in KNOWN:
        assert read_submission(tmp_path / "ada", name, KNOWN).file == rows[name].file


COUNTS: dict[str, tuple[dict[str, str | bytes], str, str]] = {
    "the stub, and a file of one's own": (IN_A_CLONE | {"main.py": SOLVED}, "main.py", "rope.py"),
    "one of that name elsewhere": (IN_A_CLONE | {"rope.py": SOLVED}, "rope.py", "assignments/rope/rope.py"),
    "an older one that is written": ({"rope.py": STUB, "old/rope.py": SOLVED}, "old/rope.py", "rope.py"),
    "a second download": ({"rope.py": STUB, "rope (2).py": SOLVED}, "rope (2).py", "rope.py"),
    "the handout's notebook": (
        {"rope.py": STUB, "explore.ipynb": notebook(SOLVED)}, "explore.ipynb", "rope.py"
    ),
    "answers in the stub": (
        {"rope.py": STUB.replace(": None,", ": 1,", 1),
         "explore.ipynb": notebook(SOLVED.split("ANSWERS")[0])},
        "explore.ipynb",
        "rope.py",
    ),
    "one function more in a notebook": ({"rope.py": SOLVED.replace("def apply_rope(", "def later("),
        "explore.ipynb": notebook("def apply_rope(x, positions):\n    return x")}, "rope.py",
        "explore.ipynb"),
    "a zip beside the stub": (
        IN_A_CLONE | {"w.zip": archive_of({"w/rope.py": SOLVED})}, "w.zip!w/rope.py", "rope.py"
    ),
    "a zip beside what is written": (
        {"rope.py": SOLVED, "data.zip": archive_of({"rope.py": STUB})}, "rope.py", ""
    ),
    "a broken zip beside the stub": (
        IN_A_CLONE | {"rope.zip": b"PK\3\4"}, "assignments/rope/rope.py", "rope.zip"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "counts", "named"), COUNTS.values(), ids=COUNTS)
def test_what_counts_and_what_is_said_of_the_others(
    tmp_path: Path, files: dict[str, str | bytes], counts: str, named: str
) -> None:
    put(tmp_path / "ada", files)
    for one in (read_submission(tmp_path / "ada", "rope", KNOWN), *classroom.read_folder(tmp_path, "rope", KNOWN)):
        assert (one.problem, one.file) == (None, f"ada/{counts}")
        assert (named in one.doubt and one.doubt in one.notes) if named else one.notes == ()


SUPPORT_NAMES = ["lab.py", "lab_5.py", "lab_rope.ipynb", "setup.py", "experiments.py", "test_rope.py", "figures.py"]
"""Names of the handout's support files, which a student may also choose for a file."""


@pytest.mark.parametrize("name", SUPPORT_NAMES)
@pytest.mark.parametrize("beside", [{}, {"rope.py": STUB}, IN_A_CLONE], ids=["alone", "stub", "clone"])
def test_a_students_file_may_have_the_name_of_a_support_file(
    tmp_path: Path, name: str, beside: dict[str, str | bytes]
) -> None:
    """A student's file with a support file's name counts if the student has written no other file, and otherwise never
    competes."""
    code = notebook(SOLVED) if name.endswith(".ipynb") else SOLVED
    put(tmp_path / "class" / "ada", beside | {name: code})
    put(tmp_path / "class" / "bob", beside | {name: code, "mine/rope.py": OTHER})
    put(tmp_path / "canvas", {f"ada_1_2_{name}": code, "bob_3_4_rope.py": OTHER})
    ada, bob = classroom.read_folder(tmp_path / "class", "rope", KNOWN)
    assert (ada.problem, ada.file) == (None, f"ada/{name}")
    assert (bob.problem, bob.file) == (None, "bob/mine/rope.py")
    files = [one.file for one in classroom.read_folder(tmp_path / "canvas", None, KNOWN) if one.problem is None]
    assert files == [f"ada_1_2_{name}", "bob_3_4_rope.py"]


@pytest.mark.parametrize("name", SUPPORT_NAMES)
def test_a_support_file_without_the_assignments_functions_is_no_submission(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ada", {name: notebook("x = 1") if name.endswith(".ipynb") else "x = 1"})
    problem = read_submission(tmp_path / "ada", "rope", KNOWN).problem
    assert problem is not None and "There is no .py or .ipynb file for rope" in problem.message


@pytest.mark.parametrize("files", [{".rope.py.icloud": b"bplist00"}, {"w.zip": archive_of({"._rope.py": "x"})}])
def test_a_submission_without_any_file_is_explained(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    """iCloud puts a hidden file in the place of a file that it has not downloaded, which a person must read."""
    put(tmp_path, {f"ada/{name}": content for name, content in files.items()} | {"bob.py": SOLVED})
    ada, _ = classroom.read_folder(tmp_path, "rope", KNOWN)
    (name,) = files
    assert ada.problem is not None
    assert ada.problem.message == f"There is no .py or .ipynb file for rope, but {name}: hand in rope.py or rope.ipynb."


def test_an_empty_folder_is_called_empty(tmp_path: Path) -> None:
    put(tmp_path, {"ada/": "", "bob.py": SOLVED})
    ada, _ = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert (
        ada.problem is not None and "file for rope, because the folder or zip is empty: hand in" in ada.problem.message
    )


@pytest.mark.parametrize("name", ["rope - Ada Lovelace", "rope (1) - Ada Lovelace", "rope(12) - Ada Lovelace"])
def test_google_forms_adds_the_student_s_name(tmp_path: Path, name: str) -> None:
    """A copy number is part of the student's file name, and not of the name that Google Forms adds."""
    put(tmp_path, {f"{name}.py": SOLVED, "rope - Bob.py": OTHER})
    ada, bob = classroom.read_folder(tmp_path, None, KNOWN)
    assert (ada.student, bob.student, ada.problem) == ("Ada Lovelace", "Bob", None)


JUNK = [
    *("__MACOSX/._rope.py", "__MACOSX/w/._rope.py", "._rope.py", "w/._rope.ipynb", ".#rope.py", "rope.py~"),
    *("venv/lib/rope.py", "w/env/rope.py", "node_modules/x/rope.py", ".git/hooks/rope.py", ".venv/lib/rope.py"),
    *("w/.ipynb_checkpoints/rope-checkpoint.ipynb", "__pycache__/rope.py", "lib/site-packages/rope.py", "Thumbs.db"),
]
"""Files that operating systems and tools leave beside code."""


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("code", [SOLVED, STUB], ids=["solved", "stub"])
@pytest.mark.parametrize("place", ["", "w/", "assignments/rope/"])
def test_junk_is_no_rival_in_a_folder_or_a_zip(tmp_path: Path, junk: str, code: str, place: str) -> None:
    """Junk files are not named and cause no ambiguity, even beside an untouched stub."""
    files: dict[str, str | bytes] = {f"{place}rope.py": code, junk: SOLVED}
    put(tmp_path, {f"ada/{name}": text for name, text in files.items()} | {"bob.zip": archive_of(files)})
    notes = () if code is SOLVED else ("No function of rope is written yet: all are as in the original stub.",)
    ada, bob = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert (ada.file, ada.problem, ada.notes, ada.doubt) == (f"ada/{place}rope.py", None, notes, "")
    assert (bob.file, bob.problem, bob.notes, bob.doubt) == (f"bob.zip!{place}rope.py", None, notes, "")


def test_zips_that_cannot_be_opened_say_so(tmp_path: Path) -> None:
    """The message about a zip that cannot be opened appears for a single zip, for two zips, and beside a zip
    that opens."""
    put(tmp_path, {"ada/a.zip": b"PK", "ada/b.zip": b"PK", "bob/rope.zip": b"PK"})
    put(tmp_path, {"cy/rope.zip": b"PK", "cy/w.zip": archive_of({"w/rope.py": STUB})})
    ada, bob, cy = classroom.read_folder(tmp_path, "rope", KNOWN)
    for one in (ada, bob):
        assert one.problem is not None and "cannot be read (BadZipFile: File is not a zip file)" in one.problem.message
    assert (cy.problem, cy.file) == (None, "cy/w.zip!w/rope.py") and "cy/rope.zip" in cy.doubt


TWO: list[tuple[dict[str, str | bytes], str, str]] = [
    ({"rope.py": STUB, "main.py": SOLVED, "other.py": SOLVED}, "ada/main.py", "ada/other.py"),
    ({"rope.py": SOLVED, "old/rope.py": SOLVED}, "ada/old/rope.py", "ada/rope.py"),
    ({"one.zip": archive_of({"rope.py": SOLVED}), "two.zip": archive_of({"rope.py": OTHER})}, "one.zip", "two.zip"),
    ({"w.zip": archive_of({"a/rope.py": SOLVED, "b/rope.py": OTHER})}, "w.zip!a/rope.py", "w.zip!b/rope.py"),
]


@pytest.mark.parametrize(("files", "one", "other"), TWO)
def test_two_that_remain_are_named(tmp_path: Path, files: dict[str, str | bytes], one: str, other: str) -> None:
    put(tmp_path / "ada", files)
    (row,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert row.problem is not None and one in row.problem.message and other in row.problem.message


TEXTS = {"written": classroom.right, "stub": classroom.unfinished}


@pytest.mark.parametrize("naive", TEXTS)
@pytest.mark.parametrize("rope", TEXTS)
@pytest.mark.parametrize("packed", ["rope_old.py", "main.py", "naive/main.py"])
def test_each_assignment_is_read_as_if_it_were_the_only_one(naive: str, rope: str, packed: str, tmp_path: Path) -> None:
    """If a zip is opened for one assignment, the notes on another assignment do not name the zip."""
    files = {f"ada/{name}.py": TEXTS[state](name, 0) for name, state in (("naive", naive), ("rope", rope))}
    put(tmp_path, {**files, "ada/w.zip": archive_of({packed: SOLVED})})
    rows = classroom.read_folder(tmp_path, None, KNOWN)
    assert [row.assignment for row in rows] == ["naive", "rope"]
    assert rows == [row for name in ("naive", "rope") for row in classroom.read_folder(tmp_path, name, KNOWN)]


@pytest.mark.parametrize("packed", [archive_of({"main.py": SOLVED}), b"PK"], ids=["good", "damaged"])
@pytest.mark.parametrize(("folder", "is_named"), [("rope", True), ("week 5", True), ("naive", False)])
def test_a_zip_in_an_assignment_s_folder_is_of_that_assignment(
    packed: bytes, folder: str, is_named: bool, tmp_path: Path
) -> None:
    put(tmp_path / "ada", {"rope.py": STUB, "alibi.py": classroom.right("alibi", 0), f"{folder}/w.zip": packed})
    (row,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert (f"{folder}/w.zip" in f"{row.file} {row.doubt}", row.problem) == (is_named, None)


def test_a_zero_is_never_silent(tmp_path: Path) -> None:
    """A note says that a file is an untouched stub, belongs to another assignment, or defines none of the
    functions."""
    inside = "class Solution:\n" + "".join(f"    {line}\n" for line in SOLVED.splitlines())
    said: dict[str, tuple[str, str]] = {
        "stub.py": (STUB, "No function of rope is written yet"),
        "none.py": ("x = 1\n", "defines none of the functions of rope"),
        "inside.py": (inside, "at the beginning of a line"),
        "naive.py": (classroom.right("naive", 0), "but those of naive"),
    }
    put(tmp_path, {"ok.py": SOLVED} | {name: text for name, (text, _) in said.items()})
    rows = {one.file: one for one in classroom.read_folder(tmp_path, "rope", KNOWN)}
    assert (rows["ok.py"].problem, rows["ok.py"].notes) == (None, ())
    assert all(rows[name].problem is None and words in rows[name].notes[0] for name, (_, words) in said.items())


def test_an_ending_that_a_browser_added_is_no_part_of_the_name(tmp_path: Path) -> None:
    put(
        tmp_path, {"Ada.PY.TXT": SOLVED, "Zoe.ipynb.json": notebook(SOLVED), "bob.tar.gz": b"\x1f", "cy.py.gz": b"\x1f"}
    )
    rows = {one.student: one.problem for one in classroom.read_folder(tmp_path, "rope", KNOWN)}
    assert (rows.pop("Ada"), rows.pop("Zoe")) == (None, None) and [*rows] == ["bob.tar", "cy.py"]
    assert all(problem is not None and ".py or .ipynb" in problem.message for problem in rows.values())


# Bounds


def test_a_folder_of_very_many_files_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Junk files count toward the limit, because listing them takes just as long."""
    monkeypatch.setattr(bounded_reading, "MAX_FOLDER_ENTRIES", 20)
    put(tmp_path, {f"mallory/x{number}_1_2_a.py~": "" for number in range(30)} | {"ada/rope.py": SOLVED})
    ada, mallory = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert mallory.problem is not None and "more than 20 files" in mallory.problem.message and ada.problem is None


def test_what_students_wrote_is_parsed_in_one_place() -> None:
    """In the packages that a batch runs, submitted code is parsed in a single place; the other packages
    parse the course's files, or run on a student's machine."""
    paths = [(path, path.relative_to(course.PACKAGE_FOLDER)) for path in course.PACKAGE_FOLDER.rglob("*.py")]
    packages = [(path, name) for path, name in paths if name.parts[0] not in ("handout", "laptop", "pages", "protocol")]
    parsing = {name.as_posix() for path, name in packages if "ast.parse(" in path.read_text("utf-8")}
    assert parsing == {"checks/source.py"}
    readers = [name.parts[0] for path, name in paths if re.search(r"\bread_submission\b", path.read_text("utf-8"))]
    assert readers == ["submission"], "everybody else reads in a process that can be ended"


def test_one_submission_alone_has_the_budget_of_one_in_a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In `autograder check`, too, a file that exceeds the limits gets a row with a message."""
    put(tmp_path, {"rope.py": SOLVED})
    monkeypatch.setattr(
        bounded_processes, "run_bounded", lambda function, thing: bounded_processes.CutOff("took more than it may")
    )
    found: Submission = read_submission_bounded(tmp_path / "rope.py", "rope", ["rope"])
    assert found.assignment == "rope" and found.problem is not None
    assert "could not be read, because that took more than it may" in found.problem.message


@pytest.mark.parametrize("second", ["grace (1)", "grace(1)", "grace (12)"])
@pytest.mark.parametrize("name", ["{}.py", "{}_rope.py", "{}.ipynb"])
@pytest.mark.parametrize(("content", "counts"), [(STUB, "first"), (SOLVED, "second"), (OTHER, "")])
def test_a_browser_s_number_makes_no_second_student(
    second: str, name: str, content: str, counts: str, tmp_path: Path
) -> None:
    """If a student has worked on only one of two files, that file counts; if on both, the row names both."""
    first, later = name.format("grace"), name.format("grace").replace("grace", second)
    if "_" in name:
        later = first.replace(".py", second.removeprefix("grace") + ".py")
    texts = {first: SOLVED if counts != "second" else STUB, later: content, name.format("bob"): SOLVED}
    put(tmp_path, {path: notebook(text) if path.endswith("b") else text for path, text in texts.items()})
    bob, grace = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert (bob.problem, grace.student) == (None, bob.student.replace("bob", "grace"))
    if counts:
        assert (grace.problem, grace.file) == (None, first if counts == "first" else later)
    else:
        assert grace.problem is not None and first in grace.problem.message and later in grace.problem.message


@pytest.mark.parametrize("folder", ["Version {}", "version {}", "Versión {}", "Week 5/Version {}"])
@pytest.mark.parametrize("count", [2, 11])
def test_the_last_version_in_teams_counts(folder: str, count: int, tmp_path: Path) -> None:
    """Microsoft Teams keeps each submission in a folder with a number, which may have two digits. A version with
    nothing written in it does not replace a version that has code."""
    texts = [SOLVED.replace("def rope_cos_sin(", f"def version_{number}(") for number in range(count)]
    names = [f"{folder.format(number)}/rope.py" for number in range(1, count + 1)]
    put(tmp_path, {f"ada/{name}": text for name, text in zip(names, texts, strict=True)})
    put(tmp_path, {f"bob/{name}": text for name, text in zip(names, [*texts[:-1], STUB], strict=True)})
    ada, bob = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert (ada.problem, ada.file, ada.doubt) == (None, f"ada/{names[-1]}", "")
    assert any(f"ada/{names[0]}" in note and "came earlier" in note for note in ada.notes) == (count < 5)
    assert (bob.problem, bob.file) == (None, f"bob/{names[-2]}") and f"bob/{names[-1]}" in bob.doubt


@pytest.mark.parametrize("count", [1, 2, 3, 20])
@pytest.mark.parametrize("folder", ["Week 5", "rope"])
def test_a_download_without_names_is_named_to_the_instructor(folder: str, count: int, tmp_path: Path) -> None:
    """Google Drive numbers files with the same name, so in a folder of rope.py, rope (1).py and so on, nothing shows
    whose files they are."""
    files = ["rope.py", *(f"rope ({number}).py" for number in range(1, count))]
    put(tmp_path, {f"{folder}/{file}": SOLVED for file in files})
    (row,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    sentence = f"If the {count} files that are named only after the assignment are from several students, name each"
    assert (sentence in row.doubt) == (count >= 3) and row.problem is None


def test_the_advice_on_two_files_of_one_student_can_be_followed(tmp_path: Path) -> None:
    put(tmp_path, {"ada.py": SOLVED, "ada (1).py": OTHER, "bob/one.py": SOLVED, "bob/two.py": OTHER})
    ada, bob = (row.problem for row in classroom.read_folder(tmp_path, "rope", KNOWN))
    assert ada is not None and ada.for_staff.endswith("keep only the one that counts")
    assert bob is not None and "keep only the one that counts; if these are several students' files" in bob.for_staff
