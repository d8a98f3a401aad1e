"""What a student chose never speaks for somebody else: file names, metadata, later folders, corrections; through
reading and the gradebook.

Nobody's code is run here: everybody who can be read has the same grade.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from autograder import course
from autograder.batch import adjustments
from autograder.batch.gradebook import Gradebook
from autograder.submission import NothingToGrade, Submission, find_in_folder
from tests.grader.support import classroom
from tests.grader.support.folders import archive_of, put
from tests.grader.support.rows import PACKED

KNOWN = tuple(one.name for one in course.assignments())
SUITES = {name: f"suite of {name}" for name in KNOWN}
CODE = "def rope_frequencies(head_dim, base=10000.0):\n    return {}\n"
NAMES = ["Ada Lovelace", "Alan Turing", "Barbara Liskov", "Eve Adams"]
STAMP = "2026-11-01-14-22-32"


def canvas(number: int, file: str) -> str:
    last, first = NAMES[number].lower().split()[::-1]
    return f"{last}{first}_{100 + number}_{9000 + number}_{file}"


def anonymous(number: int, file: str) -> str:
    return f"anon_aB{number}xZ_{9000 + number}_{file}"


def moodle(number: int, file: str) -> str:
    return f"{NAMES[number]}_{100 + number}_assignsubmission_file_{file}"


def moodle_folders(number: int, file: str) -> str:
    return f"{NAMES[number]}_{100 + number}_assignsubmission_file_/{file}"


def blackboard(number: int, file: str) -> str:
    return f"Week 5_{NAMES[number].split()[0].lower()}_attempt_{STAMP}_{file}"


def classroom_clone(number: int, file: str) -> str:
    return f"week-5-{NAMES[number].split()[0].lower()}/{file}"


def gradescope(number: int, file: str) -> str:
    return f"submission_{number}/{file}"


PLATFORMS: dict[str, Callable[[int, str], str]] = {
    "Canvas": canvas,
    "Canvas, anonymous": anonymous,
    "Moodle": moodle,
    "Moodle with folders": moodle_folders,
    "Blackboard": blackboard,
    "GitHub Classroom": classroom_clone,
    "Gradescope": gradescope,
}
EXPORT = "".join(
    f"submission_{n}:\n  :submitters:\n  - :email: {name.split()[0]}@x.edu\n    :name: {name}\n"
    for n, name in enumerate(NAMES)
)
EVE, ALAN = 3, 1

# The marks of every platform, about Alan, where Eve chooses: in her own file's name.
MARKS = [
    *(made(ALAN, "rope.py").replace("/", "_") for made in PLATFORMS.values()),
    f"x_alan_attempt_{STAMP}_rope.py",
    "x_101_rope.py",
    "101_9001_rope.py",
    "5_rope.py",
    "LATE_101_9001_rope-9.py",
    "_text.html",
    "alan turing_101_text.html",
    "rope-2.py",
    "_assignsubmission_file_rope.py",
    "submission_metadata.yml",
    "a_b_c_1_2_3_4_5_6_rope.py",
    "anon_aB1xZ_9001_rope.py",
    "week-5-alan",
]


def honest(platform: str, assignment: str = "rope") -> dict[str, str]:
    """A class of three, with Gradescope's metadata about four."""
    made = PLATFORMS[platform]
    files = {made(number, f"{assignment}.py"): CODE.format(number) for number in range(EVE)}
    return files | ({"submission_metadata.yml": EXPORT} if platform == "Gradescope" else {})


def without_eve(found: list[Submission]) -> list[Submission]:
    eves = {
        ":eve",
        "Canvas:103",
        "Canvas:aB3xZ",
        "Moodle:103",
        "Blackboard:eve",
        "GitHub Classroom:eve",
        "Gradescope:eve@x.edu",
    }
    return [one for one in found if one.who not in eves]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_marks_in_a_students_own_part_of_a_name_are_not_read(tmp_path: Path, platform: str) -> None:
    """All others' rows are what they were; and what Eve gave alone, in a folder of its own, is hers as well."""
    made, together = PLATFORMS[platform], tmp_path / "class"
    put(together, honest(platform) | ({made(EVE, "rope.py"): CODE} if platform == "Gradescope" else {}))
    before = classroom.read_folder(together, "rope", KNOWN)
    for number, mark in enumerate(MARKS):
        own = together / made(EVE, mark)
        put(together, {made(EVE, mark): CODE.format(666)})
        after = classroom.read_folder(together, "rope", KNOWN)
        assert without_eve(after) == without_eve(before)
        assert len(after) > len(without_eve(before))
        own.unlink()
        if platform not in ("Gradescope", "GitHub Classroom"):  # their marks are not in one name alone
            alone = tmp_path / f"late {number}"
            put(alone, {made(EVE, mark): CODE.format(666), made(EVE, "rope.py"): CODE})
            assert without_eve(classroom.read_folder(alone, "rope", KNOWN)) == []


@pytest.mark.parametrize(
    "logins", [["alan", "bob", "x_alan"], ["ada_1", "bob_2", "eve"], ["ada_1", "ada_2", "bob_1"], ["bob"]]
)
def test_a_login_with_an_underscore_is_nobody_elses(tmp_path: Path, logins: list[str]) -> None:
    """Blackboard puts the assignment's title before it, which may have some too."""
    put(tmp_path, {f"Week_5_{login}_attempt_{STAMP}_rope.py": CODE for login in logins})
    assert sorted(one.student for one in classroom.read_folder(tmp_path, "rope", KNOWN)) == logins


@pytest.mark.parametrize(
    "names",
    [["ada.py", "bob.py", "eve_101_9001_rope.py"], ["ada.py", "eve_101_9_rope.py", "x_1_assignsubmission_file_y.py"]],
)
def test_a_few_names_make_no_platform(tmp_path: Path, names: list[str]) -> None:
    put(tmp_path, dict.fromkeys(names, CODE))
    assert sorted(one.who for one in classroom.read_folder(tmp_path, "rope", KNOWN)) == sorted(
        f":{Path(name).stem}" for name in names
    )


# What platforms write themselves


def test_what_canvas_writes_itself_is_understood(tmp_path: Path) -> None:
    """Text entries and links are rows with a sentence, or nothing where a file is there; with anonymous names as
    well."""
    put(
        tmp_path,
        dict.fromkeys(
            ["a_1_text.html", "b_2_link.html", "c_LATE_3_text.html", "d_4_40_rope.py", "d_4_text.html"], CODE
        ),
    )
    found = {one.student: one for one in classroom.read_folder(tmp_path, "rope", KNOWN)}
    assert {student: one.problem is None for student, one in found.items()} == {
        "a": False,
        "b": False,
        "c": False,
        "d": True,
    }
    assert all("and no file" in found[student].problem.message for student in "abc")  # type: ignore[union-attr]
    put(
        tmp_path / "anonymous",
        dict.fromkeys(["anon_aB3xZ_900_rope.py", "LATE_anon_Qrs12_901_rope-1.py", "anon_12345_text.html"], CODE),
    )
    found = {one.person.number: one for one in classroom.read_folder(tmp_path / "anonymous", "rope", KNOWN)}
    assert set(found) == {"aB3xZ", "Qrs12", "12345"} and "marks it as late" in found["Qrs12"].notes[0]


def test_all_that_an_export_says_of_a_person_is_kept(tmp_path: Path) -> None:
    put(
        tmp_path,
        honest("Gradescope") | {"submission_metadata.yml": EXPORT.replace("    :name", "    :sid: 012\n    :name")},
    )
    people = {one.student: one.person for one in classroom.read_folder(tmp_path, None, KNOWN)}
    assert people["Ada@x.edu"].sid == "012" and people["Ada@x.edu"].name == "Ada Lovelace"


# Metadata that students drop


@pytest.mark.parametrize("beside", [{"ada.py": CODE, "bob.py": CODE}, {"ada/rope.py": CODE, "bob/rope.py": CODE}])
def test_an_export_is_where_nothing_but_its_entries_lies(tmp_path: Path, beside: dict[str, str]) -> None:
    """What one student drops into a shared folder makes no export of it, and nobody else's of what lies in it."""
    put(tmp_path, beside)
    before = classroom.read_folder(tmp_path, "rope", KNOWN)
    metadata = "submission_1:\n  :submitters:\n  - :email: ada\n"
    put(tmp_path, {"submission_metadata.yml": metadata, "submission_1/rope.py": CODE.format(666)})
    after = classroom.read_folder(tmp_path, "rope", KNOWN)
    assert [one for one in after if one.student in ("ada", "bob")] == before and len(before) == 2
    assert {one.student for one in after} == {"ada", "bob", "submission_1", "submission_metadata"}


def test_nobody_is_advised_to_grade_a_students_own_folder(tmp_path: Path) -> None:
    """A late folder with one clone, which holds what an export holds: it is that student's, with one row."""
    metadata = "submission_1:\n  :submitters:\n  - :email: ada@x.edu\n  :created_at: 2030-01-01\n"
    put(tmp_path, {"week-5-eve/submission_metadata.yml": metadata, "week-5-eve/submission_1/rope.py": CODE})
    assert [one.who for one in classroom.read_folder(tmp_path, "rope", KNOWN)] == [":week-5-eve"]


def test_one_file_beside_folders_of_assignments_leaves_them_as_they_are(tmp_path: Path) -> None:
    put(tmp_path, {f"{name}/{who}.py": CODE for name in ("rope", "alibi", "naive") for who in ("ada", "bob")})
    before = classroom.read_folder(tmp_path, None, KNOWN)
    put(tmp_path, {"ada.py": CODE.format(666), "eve/rope.py": CODE})
    after = classroom.read_folder(tmp_path, None, KNOWN)
    assert [one for one in after if one in before] == before and len(after) == len(before) + 2 == 8
    assert "ada, beside the folders" in {one.student for one in after}


# What lies at the top of a shared folder: a class, and one more entry of one student.
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


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(files=CLASSES, entry=ENTRIES, flag=st.sampled_from([None, "rope"]))
def test_one_entry_never_changes_how_the_others_are_read(
    files: dict[str, str], entry: dict[str, str], flag: str | None
) -> None:
    """One folder of an assignment and one stray file beside it as well."""
    (top,) = (name.partition("/")[0] for name in entry)
    assume(all(name.partition("/")[0] != top for name in files))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "class")
        put(folder, files)
        try:
            before = classroom.read_folder(folder, flag, KNOWN)
        except NothingToGrade:
            before = []
        put(folder, entry)
        after = classroom.read_folder(folder, flag, KNOWN) if before else []
    assert [one for one in after if one in before] == before


# Folders that are not meant


UNCLEAR = {
    "files that name no assignment": {"ada.py": "x = 1", "bob.py": "x = 1", "cy.ipynb": "x = 1"},
    "folders of a plain class, two too high": {"hw5/submissions/ada.py": CODE, "hw5/submissions/bob.py": CODE},
    "a plain class, packed": {"hw5.zip": archive_of({"ada.py": CODE, "bob.py": CODE})},
    "weeks of a plain class": {f"week-{week}/{name}.py": CODE for week in range(3) for name in ("ada", "bob")},
}


@pytest.mark.parametrize("files", UNCLEAR.values(), ids=UNCLEAR)
def test_where_nothing_says_what_is_meant_all_rows_are_unclear(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    put(tmp_path / "class", files)
    flag = "rope" if "week-0/ada.py" in files else None
    rows = classroom.read_folder(tmp_path / "class", flag, KNOWN)
    assert rows and all(one.problem is not None and one.problem.is_unclear for one in rows)


def test_what_the_term_leaves_out_is_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "left_out.txt").write_text("modern", encoding="utf-8")
    monkeypatch.setattr(course, "left_out_file", lambda: tmp_path / "left_out.txt")
    known = [name for name in KNOWN if name != "modern"]
    put(tmp_path / "class", {"modern/ada.py": CODE, "rope/ada.py": CODE})
    found = find_in_folder(tmp_path / "class", None, known)
    assert [one.student for one in found.hand_ins] == ["ada"] and found.passed_over == ("modern (left out this term)",)
    put(tmp_path / "alone", {"modern/ada.py": CODE})
    with pytest.raises(NothingToGrade, match="holds no submission"):
        find_in_folder(tmp_path / "alone", None, known)


def test_results_of_an_earlier_run_are_nobody(tmp_path: Path) -> None:
    put(tmp_path, {"ada.py": CODE, "bob/gradebook.sqlite": CODE, "bob/rope.py": CODE})
    put(tmp_path, {"old/gradebook.sqlite": "", "old/grades.csv": "", "old/rope.py": CODE})
    found = find_in_folder(tmp_path, "rope", KNOWN, tmp_path / "out")
    assert [one.student for one in found.hand_ins] == ["ada", "bob"]
    assert found.passed_over == ("old (results of an earlier run)",)


def test_results_and_tables_among_the_submissions_are_nobodys(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "ada.py": CODE,
            "bob.py": CODE,
            "grades.xlsx": b"PK",
            "notes.txt": "x",
            "index.html": "x",
            "results/grades.csv": "x",
        },
    )
    found = find_in_folder(tmp_path, "rope", KNOWN, tmp_path / "results")
    assert [one.student for one in found.hand_ins] == ["ada", "bob"]
    assert set(found.passed_over) == {"grades.xlsx", "notes.txt", "index.html"}
    with pytest.raises(NothingToGrade, match="--out"):
        find_in_folder(tmp_path, "rope", KNOWN, tmp_path)


def test_the_layout_is_said(tmp_path: Path) -> None:
    put(tmp_path / "class", honest("Canvas"))
    assert str(find_in_folder(tmp_path / "class", None, KNOWN).layout) == "a download of Canvas, 3 files"


# Several folders, and corrections


def grade(*folders: Path, assignment: str | None = None) -> dict[tuple[str, str], dict[str, object]]:
    """Take folders in and grade them by one grade for all: what there is of everybody but what they are called."""
    with Gradebook.writing(folders[0].parent / "out") as book:
        book.take_in([classroom.read_folder(folder, assignment, KNOWN) for folder in folders], SUITES)
        adjustments.apply(book, folders[0].parent)
        book.add((key, PACKED.to_bytes(), "") for key in book.to_grade())
        return {
            (row.submission.assignment, row.submission.who): {
                "score": row.score,
                "file": row.submission.file,
                "folder": row.folder,
                "status": row.status,
            }
            | vars(row.submission.person)
            for row in book.rows()
        }


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_later_folder_takes_nobody_elses_grade_away(tmp_path: Path, platform: str) -> None:
    """Whatever assignment a file of Eve's speaks of."""
    put(tmp_path / "week 1", honest(platform, "alibi") | {PLATFORMS[platform](EVE, "alibi.py"): CODE})
    put(
        tmp_path / "week 2",
        honest(platform)
        | {PLATFORMS[platform](EVE, "alibi.py"): CODE.format(7), PLATFORMS[platform](EVE, "rope.py"): CODE},
    )
    before = grade(tmp_path / "week 1")
    assert len(before) == EVE + 1
    after = grade(tmp_path / "week 1", tmp_path / "week 2")
    theirs = {key: one for key, one in before.items() if "eve" not in key[1] and "3" not in key[1].split(":")[1]}
    assert len(theirs) == EVE and {key: after.get(key) for key in theirs} == theirs
    assert len([one for one in after if one[0] == "rope"]) == EVE + 1


def test_one_late_file_leaves_the_others_and_counts(tmp_path: Path) -> None:
    put(tmp_path / "class", {f"{name}.py": CODE.format(name) for name in ("'ada'", "'bob'", "'cy'")})
    put(tmp_path / "late", {"'bob'.py": CODE.format("'later'"), "notes.txt": "x"})
    before = grade(tmp_path / "class", assignment="rope")
    after = grade(tmp_path / "class", tmp_path / "late", assignment="rope")
    assert set(after) == set(before)
    with Gradebook.reading(tmp_path / "out") as book:
        assert [one.student for one in book.replaced()] == ["'bob'"]


def test_a_correction_hangs_on_the_number(tmp_path: Path) -> None:
    """Another one of that name, a new name: nobody but the one with the number has it."""
    put(tmp_path / "class", honest("Canvas"))
    (tmp_path / adjustments.FILE).write_text("student,assignment,points,reason\n101,rope,5,Seen by hand.\n")
    score = grade(tmp_path / "class")["rope", "Canvas:101"]["score"]
    assert score == PACKED.score + 5
    put(tmp_path / "class", {"turingalan_103_9003_rope.py": CODE})
    (tmp_path / "class" / "turingalan_101_9001_rope.py").rename(tmp_path / "class" / "kingalan_101_9001_rope.py")
    found = grade(tmp_path / "class")
    assert [found["rope", f"Canvas:{number}"]["score"] for number in (101, 103)] == [score, PACKED.score]


# A class of honest students, and one arbitrary one


own_names = st.one_of(
    st.sampled_from([*MARKS, "rope.py", "alibi.py", "my alibi.ipynb", "all.zip", "rope.zip"]),
    st.text("_-. 019azAZ/é", max_size=30),
)
texts = st.sampled_from(
    [
        *(CODE.encode(), b"", b"\0", b"{", b"x = 1\n" * 40_000, b"a=1;" * 60_000),
        ("a" + "\u0301\u0316" * 100_000).encode(),
        (
            '{"cells": [{"cell_type": "code", "source": "import otter\\ng = otter.x()\\n' + "g.a();" * 40_000 + '"}]}'
        ).encode(),
        EXPORT.encode(),
    ]
)
contents = st.one_of(
    texts,
    st.dictionaries(st.sampled_from(["rope.py", "alibi.py", "a/b/rope.py", "x"]), texts, max_size=3).map(archive_of),
)
weeks = st.lists(st.dictionaries(own_names, contents, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    platforms=st.lists(st.sampled_from(sorted(PLATFORMS)), min_size=3, max_size=3),
    weeks=weeks,
    flag=st.booleans(),
)
def test_one_arbitrary_student_changes_nothing_for_the_others(
    platforms: list[str], weeks: list[dict[str, bytes]], flag: bool
) -> None:
    """Over several weeks and platforms, with a correction by hand."""
    with tempfile.TemporaryDirectory() as scratch:
        seen: list[dict[tuple[str, str], dict[str, object]]] = []
        for eve in (False, True):
            root = Path(scratch, "with" if eve else "without")
            folders = []
            for number, (platform, week) in enumerate(zip(platforms, weeks, strict=False)):
                folders.append(root / f"week {number}")
                put(folders[-1], honest(platform, "rope"))
                made = PLATFORMS[platform]
                given_by_eve = {made(EVE, name.strip("/") or "x"): text for name, text in week.items()}
                for name, text in given_by_eve.items() if eve else ():
                    path = folders[-1] / (name if platform in FOLDERS else name.replace("/", "_"))
                    if (
                        not path.exists()
                        and not any(parent.is_file() for parent in path.parents)
                        and len(path.name.encode()) < 200
                    ):
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(text)
            (root / adjustments.FILE).write_text("student,assignment,points,reason\n101,rope,5,Seen by hand.\n")
            found = grade(*folders, assignment="rope" if flag else None)
            seen.append({key: one for key, one in found.items() if key[1] in OTHERS})
        assert seen[0] == seen[1]


FOLDERS = ("Moodle with folders", "GitHub Classroom", "Gradescope")
OTHERS = {
    *(f"{platform}:{100 + number}" for platform in ("Canvas", "Moodle") for number in range(EVE)),
    *(f"Canvas:aB{number}xZ" for number in range(EVE)),
    *(f"{platform}:{name}" for platform in ("Blackboard", "GitHub Classroom") for name in ("ada", "alan", "barbara")),
    *(f"Gradescope:{name}@x.edu" for name in ("ada", "alan", "barbara")),
}


# A late file, and a download once more


LATE = {
    "Canvas": "100",
    "Gradescope": "ADA@x.edu",
    "Moodle": "Ada Lovelace",
    "Blackboard": "ada",
    "GitHub Classroom": "ada",
}


@pytest.mark.parametrize("platform", LATE)
def test_a_late_file_named_by_hand_is_the_students(tmp_path: Path, platform: str) -> None:
    """Named after a student whom a platform named in an earlier folder."""
    put(tmp_path / "class", honest(platform))
    put(tmp_path / "late", {f"{LATE[platform]}.py": CODE.format("'late'")})
    before = grade(tmp_path / "class", assignment="rope")
    after = grade(tmp_path / "class", tmp_path / "late", assignment="rope")
    assert set(after) == set(before)
    with Gradebook.reading(tmp_path / "out") as book:
        (replaced,) = book.replaced()
    assert [who for _, who in after if after["rope", who]["file"] == f"{LATE[platform]}.py"] == [replaced.who]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_same_download_in_another_folder_takes_its_place(tmp_path: Path, platform: str) -> None:
    for folder in ("monday", "tuesday"):
        put(tmp_path / folder, honest(platform))
    put(tmp_path / "tuesday", {PLATFORMS[platform](ALAN, "rope.py"): CODE.format("'new'")})
    before = grade(tmp_path / "monday", assignment="rope")
    assert set(grade(tmp_path / "monday", tmp_path / "tuesday", assignment="rope")) == set(before)
