"""Tests of isolation between students: names and files that one student chooses never affect another student.

No student code runs in these tests, and all readable submissions get the same grade.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from autograder import course
from autograder.submission import Submission, UngradablePathError, bounded_reading, find_in_folder
from tests.grader.support import classroom
from tests.grader.support.example_counts import examples
from tests.grader.support.student_folders import (
    SOLVED,
    archive_of,
    notebook,
    put,
    zip64_with_an_offset_beyond_all_files,
)

KNOWN = tuple(one.name for one in course.term_assignments())
SUITES = {name: f"suite of {name}" for name in KNOWN}
CODE = "def rope_frequencies(head_dim, base=10000.0):\n    return {}\n"
NAMES = ["Ada Lovelace", "Alan Turing", "Barbara Liskov", "Eve Adams"]
ALAN, EVE = 1, 3
STAMP = "2026-11-01-14-22-32"


def canvas(number: int, file: str) -> str:
    last, first = NAMES[number].lower().split()[::-1]
    return f"{last}{first}_{100 + number}_{9000 + number}_{file}"


def first_name(number: int) -> str:
    return NAMES[number].split()[0].lower()


PLATFORMS: dict[str, Callable[[int, str], str]] = {
    "Canvas": canvas,
    "Canvas, anonymous": lambda number, file: f"anon_aB{number}xZ_{9000 + number}_{file}",
    "Moodle": lambda number, file: f"{NAMES[number]}_{100 + number}_assignsubmission_file_{file}",
    "Moodle with folders": lambda number, file: f"{NAMES[number]}_{100 + number}_assignsubmission_file_/{file}",
    "Blackboard": lambda number, file: f"Week 5_{first_name(number)}_attempt_{STAMP}_{file}",
    "Brightspace": lambda number, file: f"{100 + number}-20 - {NAMES[number]} - Nov 2, 2026 1022 AM/{file}",
    "Sakai": lambda number, file: f"{NAMES[number]}, X({first_name(number)})/Submission attachment(s)/{file}",
    "Autolab": lambda number, file: f"{first_name(number)}@x.edu_1_{file}",
    "GitHub Classroom": lambda number, file: f"week-5-{first_name(number)}/{file}",
    "Gradescope": lambda number, file: f"submission_{number}/{file}",
}
EXPORT = "".join(
    f"submission_{n}:\n  :submitters:\n  - :email: {name.split()[0]}@x.edu\n    :sid: 01{n}\n    :name: {name}\n"
    for n, name in enumerate(NAMES)
)
EVES = {f"{platform}:{key}" for platform in ("Canvas", "Moodle", "Brightspace") for key in ("103", "aB3xZ")}
EVES |= {":eve", "Blackboard:eve", "Sakai:eve", "GitHub Classroom:eve", "Gradescope:eve@x.edu", "Autolab:eve@x.edu"}

# Every platform's marks for Alan, in a name that Eve chooses for her own file.
MARKS = [made(ALAN, "rope.py").replace("/", "_") for made in PLATFORMS.values()]
MARKS += [
    f"x_alan_attempt_{STAMP}_rope.py",
    "x_101_rope.py",
    "101_9001_rope.py",
    "5_rope.py",
    "rope-2.py",
    "_text.html",
]
MARKS += ["LATE_101_9001_rope-9.py", "alan turing_101_text.html", "_assignsubmission_file_rope.py", "week-5-alan"]
MARKS += ["submission_metadata.yml", "a_b_c_1_2_3_4_5_6_rope.py", "anon_aB1xZ_9001_rope.py"]


def honest(platform: str, assignment: str = "rope") -> dict[str, str | bytes]:
    """Return the files of a class of three students, with Gradescope's metadata about four students."""
    made = PLATFORMS[platform]
    files: dict[str, str | bytes] = {made(number, f"{assignment}.py"): CODE.format(number) for number in range(EVE)}
    return files | ({"submission_metadata.yml": EXPORT} if platform == "Gradescope" else {})


def rows(folder: Path, flag: str | None = "rope") -> list[Submission]:
    return classroom.read_folder(folder, flag, KNOWN)


def without_eve(found: list[Submission]) -> list[Submission]:
    return [one for one in found if one.student_key not in EVES]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_marks_in_a_students_own_part_of_a_name_are_not_read(tmp_path: Path, platform: str) -> None:
    made = PLATFORMS[platform]
    put(tmp_path, honest(platform))
    before = rows(tmp_path)
    put(tmp_path, {made(EVE, mark): CODE.format(666) for mark in MARKS})
    after = rows(tmp_path)
    assert without_eve(after) == without_eve(before) and len(after) > len(without_eve(before))


@pytest.mark.parametrize("logins", [["alan", "bob", "x_alan"], ["ada_1", "ada_2", "bob_1"], ["al", "alan"], ["bob"]])
def test_a_login_with_an_underscore_is_nobody_elses(tmp_path: Path, logins: list[str]) -> None:
    """In a Blackboard file name, the assignment's title comes before the login, and the title may contain underscores
    as well."""
    put(tmp_path, {f"Week_5_{login}_attempt_{STAMP}_rope.py": CODE for login in logins})
    assert sorted(one.student_key for one in rows(tmp_path)) == [f"Blackboard:{login}" for login in logins]


def test_a_few_names_make_no_platform(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["ada.py", "eve_101_9_rope.py", "x_1_assignsubmission_file_y.py", "zoe.py"], CODE))
    assert {one.person.platform for one in rows(tmp_path)} == {""}


def test_what_canvas_writes_itself_is_understood(tmp_path: Path) -> None:
    """A text or a link that Canvas saves instead of a file gives a row with a message, unless the student
    also submitted a file."""
    names = ["a_1_text.html", "b_2_link.html", "c_LATE_3_text.html", "d_4_40_rope.py", "d_4_text.html"]
    put(tmp_path, dict.fromkeys(names, CODE))
    found = {one.student: one for one in rows(tmp_path)}
    assert [
        student for student, one in found.items() if one.problem and "instead of a file" in one.problem.message
    ] == [*"abc"]
    assert found["d"].problem is None
    names = ["anon_aB3xZ_900_rope.py", "LATE_anon_Qrs12_901_rope-1.py", "anon_12345_text.html"]
    put(tmp_path / "anonymous", dict.fromkeys(names, CODE))
    found = {one.person.number: one for one in rows(tmp_path / "anonymous")}
    assert {*found} == {"aB3xZ", "Qrs12", "12345"} and "marks it as late" in found["Qrs12"].notes[0]


# Folders and files that students add

ADDRESSES = "".join(f"submission_{n}:\n  :submitters:\n  - :email: {name}\n" for n, name in enumerate(["ada", "bob"]))
Files = dict[str, str | bytes]
LAYOUTS: dict[str, tuple[str | None, Files]] = {
    "plain": ("rope", {"ada.py": SOLVED, "bob.py": CODE, "zoe.ipynb": notebook(SOLVED)}),
    "clones": (None, {f"{name}/assignments/rope/rope.py": SOLVED for name in ("ada", "bob")}),
    "folders": ("rope", {"ada/rope.py": SOLVED, "bob/main.py": SOLVED}),
    "Canvas": ("rope", {"ada_1_10_rope.py": SOLVED, "bob_2_11_rope.py": CODE, "bob_2_12_rope-1.py": CODE}),
    "assignments": (None, {"rope/ada.py": SOLVED, "rope/bob.py": CODE, "naive/ada.py": "x = 1"}),
    "export": (
        "rope",
        {"submission_metadata.yml": ADDRESSES} | {f"submission_{n}/rope.py": SOLVED for n in range(4)},
    ),
}
PLACES = {"export": "submission_666", "assignments": "rope/mallory"}
"""Folder into which a platform, or a folder with the assignment's name, puts the upload of another student."""
HOSTILE: list[Files] = [
    {"submission_metadata.yml": ADDRESSES},
    {"submission_metadata.yml": ADDRESSES.replace("submission_0", "ada")},
    {"submission_metadata.yml": ADDRESSES, "submission_1/rope.py": CODE},
    {"mallory/submission_metadata.yml": ADDRESSES, "mallory/submission_1/rope.py": "x = 1"},
    {"assignment_9_export/submission_metadata.yml": ADDRESSES, "assignment_9_export/s/x.py": ""},
    {"assignments/rope/": ""},
    {"assignments/rope/rope.py": SOLVED, "assignments/rope/tests/rope.py": "x = 1"},
    {"rope/ada.py": "x = 1", "rope/bob.py": "x = 1"},
    {"alibi/ada.py": "x = 1", "alibi/submission_metadata.yml": ADDRESSES},
    {"mallory.zip": zip64_with_an_offset_beyond_all_files()},
    {"mallory/": ""},
]
NAMED = st.sampled_from(["rope", "naive", "alibi", "Rope", "assignment_7_export"])
CLASSES = st.one_of(
    st.lists(NAMED.filter(str.islower), min_size=1, max_size=3, unique=True).map(
        lambda names: {f"{name}/{who}.py": CODE.format(who) for name in names for who in ("1", "2")}
    ),
    st.integers(2, 5).map(lambda size: {f"{number}.py": CODE.format(number) for number in range(size)}),
    st.integers(2, 5).map(lambda size: {f"{number}/rope.py": CODE.format(number) for number in range(size)}),
)
ENTRIES = st.one_of(
    st.sampled_from(["eve.py", "eve.pdf", "rope.py", "eve/", "eve/rope.py", "submission_metadata.yml", "eve_1_2_x.py"]),
    st.tuples(NAMED, st.sampled_from(["", "1.py", "rope.py", "eve/rope.py", "submission_1/rope.py"])).map("/".join),
).map(lambda name: {name: CODE.format(666)})
many = settings(examples(100), derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@many
@given(
    layout=st.sampled_from([*LAYOUTS]) | st.none(),
    made_up=st.tuples(st.sampled_from([None, "rope"]), CLASSES),
    entry=st.sampled_from(HOSTILE) | ENTRIES,
)
def test_one_entry_never_changes_how_the_others_are_read(
    layout: str | None, made_up: tuple[str | None, Files], entry: Files
) -> None:
    """The rows of all other students stay the same, and only the student who submitted the entry gets a new row."""
    flag, files = LAYOUTS[layout] if layout else made_up
    place = PLACES.get(layout or "", "")
    there, tops = ({name.partition("/")[0] for name in names} for names in (files, entry))
    assume(place or (there.isdisjoint(tops) and (layout or len(tops) == 1)))
    with tempfile.TemporaryDirectory() as scratch:
        put(Path(scratch), files)
        try:
            before = rows(Path(scratch), flag)
        except UngradablePathError:
            return
        put(Path(scratch, place), entry)
        after = rows(Path(scratch), flag)
    new = [one for one in after if one not in before]
    assert [one for one in after if one in before] == before
    assert {(one.assignment, one.student_key) for one in before}.isdisjoint(
        (one.assignment, one.student_key) for one in new
    )
    assert len(new) <= 4


def test_one_clone_in_a_late_folder_is_that_students(tmp_path: Path) -> None:
    """Even if a clone contains the files of an export, it belongs to one student, and no message advises
    grading its folder."""
    put(tmp_path, {"week-5-eve/submission_metadata.yml": ADDRESSES, "week-5-eve/submission_1/rope.py": CODE})
    assert [one.student_key for one in rows(tmp_path)] == [":week-5-eve"]


# Folders that are not submissions

UNCLEAR: dict[str, dict[str, str | bytes]] = {
    "files that name no assignment": {"ada.py": "x = 1", "bob.py": "x = 1", "cy.ipynb": "x = 1"},
    "folders of a plain class, two too high": {"hw5/submissions/ada.py": CODE, "hw5/submissions/bob.py": CODE},
    "a plain class, packed": {"hw5.zip": archive_of({"ada.py": CODE, "bob.py": CODE})},
    "weeks of a plain class": {f"week-{week}/{name}.py": CODE for week in range(3) for name in ("ada", "bob")},
}


@pytest.mark.parametrize("files", UNCLEAR.values(), ids=UNCLEAR)
def test_where_nothing_says_what_is_meant_all_rows_are_unclear(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    put(tmp_path / "class", files)
    found = rows(tmp_path / "class", "rope" if "week-0/ada.py" in files else None)
    assert found and all(one.problem is not None and one.problem.for_instructor for one in found)


def test_what_is_nobodys_is_passed_over_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ignores results of earlier runs, an instructor's tables and pages, and assignments that are not part
    of the term, and lists them in the summary."""
    monkeypatch.setattr(course, "plan_file", lambda: tmp_path / "course.toml")
    put(tmp_path, {"course.toml": f"lessons = {[name for name in KNOWN if name != 'modern']}"})
    put(tmp_path / "class", {"ada.py": CODE, "bob/gradebook.sqlite": CODE, "bob/rope.py": CODE, "cy.py~": CODE})
    put(tmp_path / "class", {"old/gradebook.sqlite": "", "old/grades.csv": "", "old/rope.py": CODE, ".x/a.py": ""})
    put(tmp_path / "class", {"grades.xlsx": b"PK", "notes.txt": "x", "index.html": "x"})
    found = find_in_folder(tmp_path / "class", "rope", KNOWN)
    assert [uploads[0].student for uploads in found.students] == ["ada", "bob"]
    old = "old (results of an earlier run)"
    assert {*found.ignored_files} == {old, "cy.py~", "grades.xlsx", "notes.txt", "index.html"}
    known = [name for name in KNOWN if name != "modern"]
    put(tmp_path / "term", {"modern/ada.py": CODE, "rope/ada.py": CODE})
    found = find_in_folder(tmp_path / "term", None, known)
    assert [uploads[0].student for uploads in found.students] == ["ada"]
    assert found.ignored_files == ("modern (left out this term)",)


@pytest.mark.parametrize("out", [".", "results", "a/results", "../here/results", "../linked/results"])
def test_earlier_results_are_never_among_the_submissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """An existing results folder among the submissions is rejected, because a student could have put it
    there, with a forged gradebook."""
    put(tmp_path / "class", {"ada.py": CODE, "results/gradebook.sqlite": "", "a/results/gradebook.sqlite": ""})
    (tmp_path / "here").symlink_to(tmp_path / "class")
    (tmp_path / "linked").symlink_to(tmp_path / "class")
    monkeypatch.chdir(tmp_path / "class")
    for folder in (Path(), tmp_path / "class", tmp_path / "linked"):
        with pytest.raises(UngradablePathError, match="--out"):
            find_in_folder(folder, "rope", KNOWN, Path(out))
    for unproblematic in ("../results", "new", "a/new"):
        assert find_in_folder(Path(), "rope", KNOWN, Path(unproblematic)).students


own_names = st.one_of(
    st.sampled_from([*MARKS, "rope.py", "alibi.py", "my alibi.ipynb", "all.zip", "rope.zip"]),
    st.text("_-. 019azAZ/é", max_size=30),
)
texts = st.sampled_from(
    [CODE.encode(), b"", b"\0", b"{", b"a=1;" * 600, EXPORT.encode(), notebook("import otter").encode()]
)
contents = st.one_of(
    texts, st.dictionaries(st.sampled_from(["rope.py", "alibi.py", "a/b/rope.py"]), texts).map(archive_of)
)


@many
@given(
    platform=st.sampled_from(sorted(PLATFORMS)),
    eves=st.dictionaries(own_names, contents, min_size=1, max_size=3),
    flag=st.sampled_from([None, "rope"]),
)
def test_one_arbitrary_student_changes_nothing_for_the_others(
    platform: str, eves: dict[str, bytes], flag: str | None
) -> None:
    made = PLATFORMS[platform]
    with tempfile.TemporaryDirectory() as scratch:
        put(Path(scratch), honest(platform))
        before = rows(Path(scratch), flag)
        for name, content in eves.items():
            place = made(EVE, (name.strip("/.") or "x") if "/" in made(EVE, "") else name.replace("/", "_") or "x")
            path = Path(scratch, place)
            if not path.exists() and not any(parent.is_file() for parent in path.parents):
                put(Path(scratch), {place: content})
        after = rows(Path(scratch), flag)
    assert without_eve(after) == without_eve(before)


# Parser exceptions, and large amounts


def test_any_exception_is_the_problem_of_one_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"ada.py": SOLVED, "bob.py": SOLVED, "zoe/rope.py": SOLVED})
    whole = bounded_reading.read_bytes
    for error in (OverflowError("too large"), RecursionError("deep"), MemoryError(), KeyError("x"), AssertionError()):

        def fails(path: Path, *rest: int, error: Exception = error) -> bytes:
            if path.name == "ada.py":
                return whole(path, *rest)
            raise error

        monkeypatch.setattr(bounded_reading, "read_bytes", fails)
        monkeypatch.setattr(bounded_reading, "files_below", fails)
        ada, *others = rows(tmp_path)
        assert ada.problem is None
        assert all(one.problem and type(error).__name__ in one.problem.message for one in others)


def test_what_one_leaves_behind_is_bounded(tmp_path: Path) -> None:
    """However many files a student submits, and however long their names are, there are only a few rows, and
    notes count the other files."""
    everything = archive_of({f"{name}.py": "x = 1" for name in KNOWN})
    bob: dict[str, str | bytes] = {"bob_2_1_rope.py": SOLVED}
    folders: list[tuple[dict[str, str | bytes], int]] = [
        ({f"mallory/{number}.zip": everything for number in range(30)}, len(KNOWN)),
        ({"mallory/rope.zip": archive_of({"y" * 60_000 + "/rope.py": SOLVED})}, 1),
        (bob | {f"mallory_9_{100 + number}_rope-{number}.py": SOLVED for number in range(40)}, 1),
        (bob | {f"mallory_9_{100 + number}_x.zip": everything[:-9] for number in range(40)}, 1),
    ]
    for number, (files, most) in enumerate(folders):
        put(tmp_path / f"{number}", files)
        found = [one for one in rows(tmp_path / f"{number}", None) if one.student == "mallory"]
        assert 1 <= len(found) <= most
        texts = [text for one in found for text in (one.file, *one.notes, one.doubt)]
        texts += [one.problem.message for one in found if one.problem]
        assert sum(map(len, texts)) <= 10_000
