"""A submission leaves the others as they were: who handed in what, and which of many files is meant."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from autograder import course, parallel
from autograder.checks.parsing import MAX_CODE
from autograder.checks.source import Blocks
from autograder.submission import Submission, code, find_in_folder, read, read_alone, read_file
from tests.grader.support import classroom
from tests.grader.support.folders import SOLVED, archive_of, put, zip64_with_an_offset_beyond_all_files

KNOWN = [one.name for one in course.assignments()]
STUB = course.find("rope").stub.read_text("utf-8")

ADDRESSES = "".join(
    f"submission_{number}:\n  :submitters:\n  - :email: {name}\n"
    for number, name in ((1, "ada"), (2, "bob"), (3, "ada@example.edu"))
)
MANY = "submission_1:\n  :submitters:\n" + "".join(
    f"  - :email: student{number}@example.edu\n" for number in range(20_000)
)


def notebook(*sources: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources], "nbformat": 4})


LAYOUTS: dict[str, tuple[str | None, dict[str, str | bytes]]] = {
    "plain files": ("rope", {"ada.py": SOLVED, "bob.py": STUB, "zoe.ipynb": notebook(SOLVED)}),
    "plain files in an assignment's folder": (None, {"ada.py": SOLVED, "bob.py": STUB}),
    "clones": (None, {f"{name}/assignments/rope/rope.py": SOLVED for name in ("ada", "bob")}),
    "a folder per student": ("rope", {"ada/rope.py": SOLVED, "bob/main.py": SOLVED}),
    "a folder per assignment": (None, {"rope/ada.py": SOLVED, "rope/bob.py": STUB, "naive/ada.py": "x = 1"}),
    "downloads of Canvas": (
        "rope",
        {"ada_1_10_rope.py": SOLVED, "bob_2_11_rope.py": STUB, "bob_2_12_rope-1.py": SOLVED},
    ),
    "an export of Gradescope": (
        "rope",
        {
            "submission_metadata.yml": ADDRESSES,
            "submission_1/rope.py": SOLVED,
            "submission_2/rope.py": SOLVED,
            "submission_3/rope.py": STUB,
            "submission_4/rope.py": SOLVED,
        },
    ),
}

HOSTILE: dict[str, dict[str, str | bytes]] = {
    "metadata beside files": {"submission_metadata.yml": ADDRESSES},
    "metadata that names the others' folders": {
        "submission_metadata.yml": "ada:\n  :submitters:\n  - :email: bob\nbob: {}\n"
    },
    "an export in a folder": {
        "mallory/submission_metadata.yml": ADDRESSES,
        "mallory/submission_1/rope.py": "x = 1",
        "mallory/submission_2/rope.py": "x = 1",
    },
    "an export by its name": {
        "assignment_9_export/submission_metadata.yml": ADDRESSES,
        "assignment_9_export/submission_1/rope.py": "x = 1",
    },
    "very many addresses": {"mallory/submission_metadata.yml": MANY, "mallory/submission_1/rope.py": "x = 1"},
    "metadata in a clone": {
        "mallory/submission_metadata.yml": "s:\n  :submitters:\n  - :email: ada\n",
        "mallory/s/rope.py": "x = 1",
    },
    "an empty folder of the handout": {"assignments/rope/": ""},
    "a folder of the handout": {"assignments/rope/rope.py": SOLVED, "assignments/rope/tests/rope.py": "x = 1"},
    "a folder named after an assignment": {"rope/ada.py": "x = 1", "rope/bob.py": "x = 1", "rope/zoe.ipynb": "x = 1"},
    "another one": {
        "naive/ada.py": "x = 1",
        "naive/submission_metadata.yml": ADDRESSES,
        "naive/submission_1/a.py": "x = 1",
    },
    "downloads by their names": {"ada_1_99_rope.py": "x = 1", "bob_7_98_rope-9.py": "x = 1"},
    "a zip64 beyond all files": {"mallory.zip": zip64_with_an_offset_beyond_all_files()},
    "nothing at all": {"mallory/": ""},
}


def seen(one: Submission) -> tuple[object, ...]:
    return one.student, one.assignment, one.file, one.sha256, one.cells, one.notes, one.problem


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_one_hands_in_leaves_the_others_as_they_were(tmp_path: Path, layout: str, hostile: str) -> None:
    """Their rows stay the same to the last note, and none is added for anybody but who handed it in."""
    assignment, files = LAYOUTS[layout]
    folder = tmp_path / ("rope" if "assignment's" in layout else "handed_in")
    put(folder, files)
    before = classroom.read_folder(folder, assignment, KNOWN)
    # Within an export or a folder per assignment, what a student gives lies where the platform puts it.
    place = {"an export of Gradescope": "submission_666", "a folder per assignment": "rope/mallory"}.get(layout, "")
    if layout == "downloads of Canvas" and any("/" not in name and name.count("_") > 2 for name in HOSTILE[hostile]):
        pytest.skip("Canvas itself gives these names")
    put(folder / place, HOSTILE[hostile])
    after = classroom.read_folder(folder, assignment, KNOWN)
    assert [one for one in map(seen, after) if one in list(map(seen, before))] == list(map(seen, before))
    new = [one for one in after if seen(one) not in list(map(seen, before))]
    names = {one.student for one in before}
    assert not names & {one.student for one in new}
    # A folder of another assignment than the one that is graded is passed over.
    assert (hostile == "another one" and not new) or 1 <= len(new) <= 4


def test_stray_metadata_is_a_row(tmp_path: Path) -> None:
    put(tmp_path, {"ada.py": SOLVED, "submission_metadata.yml": ADDRESSES})
    rows = {one.student: one for one in classroom.read_folder(tmp_path, "rope", KNOWN)}
    assert rows["submission_metadata"].problem is not None


def test_any_exception_is_the_problem_of_one_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a parser raises on what one student gave."""
    put(tmp_path, {"ada.py": SOLVED, "bob.py": SOLVED, "zoe/rope.py": SOLVED})
    whole = code.read_bytes
    for error in (
        OverflowError("too large"),
        RecursionError("deep"),
        MemoryError(),
        KeyError("x"),
        AssertionError("no"),
    ):

        def fails(path: Path, *rest: int, error: Exception = error) -> bytes:
            if path.name == "bob.py":
                raise error
            return whole(path, *rest)

        def fails_too(folder: Path, error: Exception = error) -> list[str]:
            raise error

        monkeypatch.setattr(code, "read_bytes", fails)
        monkeypatch.setattr(code, "files_below", fails_too)
        ada, bob, zoe = classroom.read_folder(tmp_path, "rope", KNOWN)
        assert ada.problem is None
        for one in (bob, zoe):
            assert one.problem is not None and type(error).__name__ in one.problem.message


# Which file is meant


@pytest.mark.parametrize("root", ["", "positions-ada/"])
def test_a_clone_of_the_handout_has_one_file_for_each_assignment(
    tmp_path: Path, handed_out: dict[str, bytes], root: str
) -> None:
    """Whatever else the handout put there; also in a folder below, as in the zip of a repository."""
    put(tmp_path / "ada" / root, handed_out)
    for one in course.assignments():
        put(tmp_path / "ada" / root, {f"assignments/{one.name}/{one.name}.py": one.solution.read_bytes()})
        found = read_file(tmp_path / "ada", one.name, KNOWN)
        assert (found.problem, found.notes) == (None, ())
        assert found.cells == (one.solution.read_text("utf-8"),)
    rows = classroom.read_folder(tmp_path / "ada" if not root else tmp_path, None, KNOWN)
    assert [row.assignment for row in rows] == sorted(KNOWN)
    assert all(row.problem is None for row in rows)


def test_an_untouched_stub_is_never_a_rival(tmp_path: Path) -> None:
    """Functions are graded where they are written, and notes say so."""
    stub = {"assignments/rope/rope.py": STUB}
    answered = STUB.replace(": None,", ": 1,", 1)
    written = {
        "rope.py": (stub | {"rope.py": SOLVED}, (SOLVED,)),
        "old/rope.py": ({"rope.py": STUB, "old/rope.py": SOLVED}, (SOLVED,)),
        "assignments/rope/explore.ipynb": (
            stub | {"assignments/rope/explore.ipynb": notebook("import rope", SOLVED)},
            ("import rope", SOLVED),
        ),
        "explore.ipynb": ({"rope.py": STUB, "explore.ipynb": notebook(SOLVED)}, (SOLVED,)),
        "main.py": (stub | {"main.py": SOLVED}, (SOLVED,)),
        "rope (2).py": ({"rope.py": STUB, "rope (2).py": SOLVED}, (SOLVED,)),
    }
    for number, (name, (files, cells)) in enumerate(written.items()):
        put(tmp_path / f"{number}", files)
        one = read_file(tmp_path / f"{number}", "rope", KNOWN)
        assert one.problem is None, one.problem
        assert (one.file, one.cells) == (f"{number}/{name}", cells)
        assert "rope.py" in one.doubt and one.doubt in " ".join(one.notes), one.notes
    put(tmp_path / "answers", {"rope.py": answered, "explore.ipynb": notebook(SOLVED.split("ANSWERS")[0])})
    one = read_file(tmp_path / "answers", "rope", KNOWN)
    assert one.cells == (SOLVED.split("ANSWERS")[0],) and "rope.py has ANSWERS too" in one.doubt


def test_what_is_not_graded_is_mentioned(tmp_path: Path) -> None:
    half = SOLVED.replace("def apply_rope(", "def apply_rope_later(")
    put(
        tmp_path / "ada",
        {
            "rope.py": half,
            "rope (2).py": "x = 1",
            "explore.ipynb": notebook("def apply_rope(x, positions):\n    return x"),
        },
    )
    one = read_file(tmp_path / "ada", "rope", KNOWN)
    assert one.cells == (half,)
    assert len(one.notes) == 2
    assert any("apply_rope" in note for note in one.notes) and any("rope (2).py" in note for note in one.notes)


def test_two_files_with_functions_are_still_two(tmp_path: Path) -> None:
    put(tmp_path / "ada", {"rope.py": STUB, "main.py": SOLVED, "other.py": SOLVED})
    one = read_file(tmp_path / "ada", "rope", KNOWN)
    assert one.problem is not None and "main.py" in one.problem.message


@pytest.mark.parametrize("around", ["class Solution:", "def main():", "class Solution(object):\n    x = 1"])
def test_functions_inside_something_are_said_to_be_there(tmp_path: Path, around: str) -> None:
    body = "\n".join("    " + line for line in SOLVED.splitlines())
    put(tmp_path, {"inside.py": f"{around}\n{body}\n"})
    (note,) = classroom.read_folder(tmp_path, "rope", KNOWN)[0].notes
    assert "at the beginning of a line" in note


def test_a_zip_in_a_zip_is_named(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("rope.py", SOLVED)
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr("week5/rope.zip", inner.getvalue())
    (one,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert one.problem is not None and "rope.zip" in one.problem.message and "not opened" in one.problem.message


def test_a_zero_is_never_silent(tmp_path: Path) -> None:
    """An untouched stub, another assignment's file and a file with none of the functions are said to be that."""
    naive = classroom.right("naive", 0)
    put(
        tmp_path,
        {
            "stub.py": STUB,
            "none.py": "x = 1\n",
            "doe_1_2_naive.py": naive,
            "magic.py": "globals().update(apply_rope=1)\n",
            "ok.py": SOLVED,
        },
    )
    rows = {one.file: one for one in classroom.read_folder(tmp_path, "rope", KNOWN)}
    assert "No function of rope is written yet" in rows["stub.py"].notes[0]
    assert "defines none of the functions of rope" in rows["none.py"].notes[0]
    assert rows["magic.py"].problem is None and rows["ok.py"].notes == ()
    problem = rows["doe_1_2_naive.py"].problem
    assert problem is not None and "naive" in problem.message


def test_what_one_leaves_behind_is_bounded(tmp_path: Path) -> None:
    """However many files somebody hands in, and however long their names: a few rows, and notes that say how many more
    there are."""
    zipped = archive_of({f"{name}.py": "x = 1" for name in KNOWN})
    long = archive_of({"y" * 60_000 + "/rope.py": SOLVED})
    put(tmp_path / "zips", {f"mallory/{number}.zip": zipped for number in range(50)})
    put(tmp_path / "names", {"mallory/rope.zip": long})
    put(
        tmp_path / "attempts",
        {"bob_2_1_rope.py": SOLVED} | {f"mallory_9_{100 + number}_rope-{number}.py": SOLVED for number in range(100)},
    )
    put(
        tmp_path / "nameless",
        {"bob_2_1_rope.py": SOLVED} | {f"mallory_9_{100 + number}_x.zip": zipped[:-9] for number in range(100)},
    )
    for folder, most in (("zips", len(KNOWN)), ("names", 1), ("attempts", 1), ("nameless", 1)):
        rows = [one for one in classroom.read_folder(tmp_path / folder, None, KNOWN) if one.student == "mallory"]
        assert 1 <= len(rows) <= most, folder
        problems = [problem for one in rows if (problem := one.problem)]
        texts = [text for one in rows for text in (one.file, *one.notes, one.doubt)]
        texts += [problem.message for problem in problems]
        assert sum(map(len, texts)) <= 10_000, folder


def test_a_folder_of_very_many_files_is_not_searched_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor by the process that reads the whole class, which has no bound on what it may use."""
    monkeypatch.setattr(code, "MAX_ENTRIES", 100)
    put(
        tmp_path,
        {f"mallory/x{number}_1_2_a.py~": "" for number in range(300)}
        | {f"mallory/.{number}": "" for number in range(300)},
    )
    put(tmp_path, {"ada/rope.py": SOLVED, "ada/rope.py~": ""})
    looked_at = 0
    whole = os.scandir

    class Counted:
        """A folder that counts how far it is read."""

        def __init__(self, folder: Path) -> None:
            self.entries = whole(folder)

        def __enter__(self) -> Counted:
            return self

        def __exit__(self, *_: object) -> None:
            self.entries.close()

        def __iter__(self) -> Counted:
            return self

        def __next__(self) -> os.DirEntry[str]:
            nonlocal looked_at
            looked_at += 1
            return next(self.entries)

    monkeypatch.setattr(os, "scandir", Counted)
    found = find_in_folder(tmp_path, "rope", KNOWN)
    assert [one.student for one in found.hand_ins] == ["ada", "mallory"]
    assert looked_at <= 600
    (mallory,) = read(found.hand_ins[1], tuple(KNOWN))
    assert mallory.problem is not None and "more than 100 files" in mallory.problem.message


MARKS = ["\u0301\u0316", "\u0f73", "\u0301\uff9e"]
"""Characters whose many marks the parser sorts; in the last two, some that are a mark only once they are taken
apart."""


def test_dear_texts_are_refused_quickly(tmp_path: Path) -> None:
    put(
        tmp_path, {"fields.py": "x = 1\ny = f'" + "{x}" * 80_000 + "'\n", "cells.ipynb": notebook(*["x = 1"] * 180_000)}
    )
    for number, marks in enumerate(MARKS):
        name = f"a{marks * 60_000}"
        put(
            tmp_path,
            {f"marks{number}.py": f"x = 1\n{name} = 1\n", f"notebook{number}.ipynb": notebook("def (", f"{name} = 1")},
        )
    for one in classroom.read_folder(tmp_path, "rope", KNOWN):
        assert one.problem is not None and "seconds" not in one.problem.message


def test_whoever_grades_parses_within_the_same_bounds() -> None:
    """Of a text that reading would refuse nothing is known."""
    text = "def f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n"
    assert Blocks(text).below("g") == {"f"}
    for dear in (*(f"\na{marks * 60_000} = 1" for marks in MARKS), "\nf'" + "{f}" * 80_000 + "'", "\nf()" * MAX_CODE):
        assert Blocks(text + dear).below("g") == set()


def test_what_students_wrote_is_parsed_in_one_place() -> None:
    """In the rooms that a batch runs; the others here parse the course's own files, at home, or behind the wall."""
    rooms = [
        path
        for path in course.PACKAGE.rglob("*.py")
        if path.relative_to(course.PACKAGE).parts[0] not in ("handout", "laptop", "pages", "protocol")
    ]
    parsing = {path.relative_to(course.PACKAGE).as_posix() for path in rooms if "ast.parse(" in path.read_text("utf-8")}
    own = {"checks/results.py", "checks/source.py", "grading/quiz.py"}
    assert parsing == own | {"checks/parsing.py"}


# A stub that is as it was, and something packed beside it

IN_A_CLONE = {"assignments/rope/rope.py": STUB, "tests/public/test_rope.py": "", "README.md": ""}


@pytest.mark.parametrize("where", ["rope.zip", "assignments/rope/my work.zip"])
def test_what_lies_in_a_zip_beside_the_stub_is_graded(tmp_path: Path, where: str) -> None:
    put(tmp_path / "ada", IN_A_CLONE | {where: archive_of({"work/rope.py": SOLVED})})
    (one,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert one.problem is None and one.file == f"ada/{where}!work/rope.py" and one.cells == (SOLVED,)
    assert any("has none of the functions, so" in note for note in one.notes)


@pytest.mark.parametrize("name", ["rope.zip", "rope.rar", "rope.tar.gz", "rope.tgz", "rope.docx"])
def test_what_cannot_be_opened_beside_the_stub_is_named(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ada", IN_A_CLONE | {name: b"PK\3\4"})
    (one,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert name in one.doubt and any(name in note for note in one.notes)


def test_two_zips_beside_the_stub_are_named(tmp_path: Path) -> None:
    put(
        tmp_path / "ada",
        IN_A_CLONE | {f"{name}.zip": archive_of({"rope.py": SOLVED + f"# {name}"}) for name in ("one", "two")},
    )
    (one,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert one.problem is not None and "one.zip" in one.problem.message and "two.zip" in one.problem.message


def test_a_zip_beside_what_is_written_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path / "ada", IN_A_CLONE | {"assignments/rope/rope.py": SOLVED, "data.zip": archive_of({"rope.py": STUB})})
    (one,) = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert one.file == "ada/assignments/rope/rope.py" and not one.doubt


@pytest.mark.parametrize(
    "name", ["Ada Lovelace.py.txt", "Ada Lovelace.PY.TXT", "Ada Lovelace.ipynb.json", "Ada Lovelace.py"]
)
def test_an_ending_that_a_browser_added_is_no_part_of_the_name(tmp_path: Path, name: str) -> None:
    put(
        tmp_path,
        {
            name: notebook(SOLVED) if "ipynb" in name else SOLVED,
            "bob.tar.gz": b"\x1f\x8b",
            "cy.tgz": b"\x1f\x8b",
            "dee.py.gz": b"\x1f\x8b",
        },
    )
    ada, bob, cy, dee = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert ada.student == "Ada Lovelace" and ada.problem is None
    assert [one.student for one in (bob, cy, dee)] == ["bob.tar", "cy", "dee.py"]
    assert (
        bob.problem is not None
        and ".py or .ipynb" in bob.problem.message
        and cy.problem is not None
        and "cy.tgz" in cy.problem.message
    )


def test_one_submission_alone_has_the_budget_of_one_in_a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `check` reads it: beyond the budget it is a row with a sentence."""
    put(tmp_path, {"rope.py": SOLVED})
    assert read_alone(tmp_path / "rope.py", "rope", ["rope"]).problem is None
    monkeypatch.setattr(parallel, "one", lambda function, thing: parallel.Exceeded("took more than it may"))
    found = read_alone(tmp_path / "rope.py", "rope", ["rope"])
    assert found.assignment == "rope" and found.problem is not None
    assert "could not be read, because that took more than it may" in found.problem.message
    readers = [path.parent.name for path in course.PACKAGE.rglob("*.py") if "read_file" in path.read_text("utf-8")]
    assert sorted(readers) == [
        "otter",
        "submission",
    ], "Otter alone reads in its own process: its container holds one student's file"
