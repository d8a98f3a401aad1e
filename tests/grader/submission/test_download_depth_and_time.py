"""Tests of downloads on an instructor's disk: folders at different depths, and downloads with several weeks,
attempts or times.

Every download is either read correctly or rejected with a one-sentence message to the instructor.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from autograder.batch import run
from autograder.submission import Submission, UngradablePathError
from autograder.submission.download_layouts import find_in_folder
from autograder.submission.last_commit import last_commit_time
from tests.grader.support import classroom
from tests.grader.support.fake_graders import run_in_this_process
from tests.grader.support.student_folders import SOLVED, archive_of, put

KNOWN = ["rope", "alibi", "context_extension"]
STUB = classroom.unfinished("rope", 0)
Files = dict[str, str | bytes]


def rows(folder: Path, assignment: str | None = "rope") -> list[Submission]:
    return classroom.read_folder(folder, assignment, KNOWN)


def keys(found: list[Submission]) -> list[str]:
    return [f"{one.student_key} {one.assignment}{'' if one.problem is None else ' -'}" for one in found]


def grade(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch, assignment: str | None = "rope") -> str:
    """Return the printed output of a grading run."""
    run_in_this_process(monkeypatch)
    printed = io.StringIO()
    run.grade([folder], out, assignment, console=Console(file=printed, width=500))
    return printed.getvalue()


# Depth

CANVAS: Files = {f"doe{n}_10{n}_900{n}_rope.py": SOLVED for n in range(3)}
MOODLE: Files = {f"Ada {n}_10{n}_assignsubmission_file/rope.py": SOLVED for n in range(3)}
CLONES: Files = {f"rope-ada{n}/rope.py": SOLVED for n in range(3)}
EXPORT: Files = {f"submission_{n}/rope.py": SOLVED for n in range(3)} | {
    "submission_metadata.yml": "".join(f"submission_{n}:\n  :submitters:\n  - :email: s{n}@x.edu\n" for n in range(3))
}
PLAIN: Files = {f"ada{n}.py": SOLVED for n in range(3)}
DOWNLOADS = {"Canvas": CANVAS, "Moodle": MOODLE, "GitHub": CLONES, "Gradescope": EXPORT, "": PLAIN}


def below(name: str, files: Files) -> Files:
    return {f"{name}/{path}": content for path, content in files.items()}


@pytest.mark.parametrize("platform", DOWNLOADS)
@pytest.mark.parametrize("inner", ["class", "Class", "submissions", "rope-submissions", "hw5"])
@pytest.mark.parametrize("beside", [{}, {".DS_Store": b"\0", "README.md": ""}, {"zip": b""}], ids=["", "junk", "zip"])
def test_a_download_one_level_down_is_read_or_named(
    tmp_path: Path, platform: str, inner: str, beside: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder is searched if archive tools or platforms create folders with its name; any other folder is
    reported to the instructor."""
    files = DOWNLOADS[platform]
    put(tmp_path / "expected", files)
    put(tmp_path / "class", below(inner, files))
    put(tmp_path / "class", {name.replace("zip", f"{inner}.zip"): content for name, content in beside.items()})
    is_followed = inner.casefold() == "class" or inner.endswith("submissions")
    if is_followed:
        assert keys(rows(tmp_path / "class")) == keys(rows(tmp_path / "expected"))
    else:
        with pytest.raises(UngradablePathError) as caught:
            grade(tmp_path / "class", tmp_path / "out", monkeypatch)
        assert f"grade the folder {inner} by itself" in str(caught.value) and "hand in" not in str(caught.value)


def test_two_downloads_one_for_each_lesson(tmp_path: Path) -> None:
    put(tmp_path, below("rope-submissions", CLONES))
    put(tmp_path, {f"alibi-submissions/alibi-ada{n}/alibi.py": "x = 1" for n in range(3)})
    expected = [f"GitHub Classroom:ada{n} {name}" for name in ("alibi", "rope") for n in range(3)]
    assert keys(rows(tmp_path, None)) == expected


@pytest.mark.parametrize("inner", [("rope", "alibi"), ("submissions", "submissions"), ("", "alibi"), ("week", "")])
def test_folders_of_assignments_may_hold_downloads_a_level_down(tmp_path: Path, inner: tuple[str, str]) -> None:
    """A folder that contains no download belongs to one student, even inside an assignment's folder."""
    for name, level in zip(("rope", "alibi"), inner, strict=True):
        put(tmp_path, below(f"{name}/{level}", {path.replace("rope", name): "x = 1" for path in CANVAS}))
    students = [f"Canvas:10{n}" for n in range(3)]
    expected = [f"{student} alibi" for student in students]
    expected += [":week rope -"] if inner[0] == "week" else [f"{student} rope" for student in students]
    assert keys(rows(tmp_path, None)) == expected


@pytest.mark.parametrize("inner", ["submissions", "rope-submissions", "late"])
def test_a_students_clone_is_never_a_download(tmp_path: Path, inner: str) -> None:
    """A folder that contains a .git folder belongs to one student, whatever its name or other contents."""
    put(tmp_path / "late", below(inner, CANVAS | {".git/HEAD": "ref: refs/heads/main\n"}))
    assert [one.student_key for one in rows(tmp_path / "late")] == [f":{inner}"]


@pytest.mark.parametrize("inner", ["hw5", "a/b"])
@pytest.mark.parametrize("written", [0, 1, 3])
def test_a_class_further_down_is_never_one_student_however_many_have_written(
    inner: str, written: int, tmp_path: Path
) -> None:
    for files in (CANVAS, MOODLE):
        texts = dict(zip(files, [SOLVED] * written + [STUB] * (3 - written), strict=True))
        class_ = tmp_path / next(iter(files)).partition("/")[0]
        put(class_, below(inner, texts))
        with pytest.raises(UngradablePathError, match=f"grade the folder {inner} by itself"):
            rows(class_)


def test_one_folder_among_others_is_never_a_download(tmp_path: Path) -> None:
    put(tmp_path, below("submissions", CANVAS) | {"ada/rope.py": SOLVED})
    assert {one.student_key for one in rows(tmp_path)} == {":submissions", ":ada"}


UNCLEAR: dict[str, tuple[Files, str]] = {
    "the zip itself": ({"hw5.zip": archive_of({"ada.py": SOLVED, "bob.py": SOLVED})}, "unpack hw5.zip"),
    "a zip of folders": ({"hw5.zip": archive_of({"ada/rope.py": SOLVED, "bob/rope.py": SOLVED})}, "unpack hw5.zip"),
    "two levels": ({"a/b/ada.py": SOLVED, "a/b/bob.py": SOLVED}, "grade the folder a/b by itself"),
    "weeks": ({f"week-{n}/{name}.py": SOLVED for n in range(3) for name in "ab"}, "grade the folder week-0 by itself"),
}


@pytest.mark.parametrize(("files", "advice"), UNCLEAR.values(), ids=UNCLEAR)
def test_what_is_no_class_is_told_to_the_instructor(
    tmp_path: Path, files: Files, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "class", files)
    with pytest.raises(UngradablePathError) as caught:
        grade(tmp_path / "class", tmp_path / "out", monkeypatch)
    assert advice in str(caught.value) and "hand in" not in str(caught.value)


def test_files_that_name_no_assignment_want_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "class", {"ada.py": SOLVED, "bob.py": SOLVED})
    with pytest.raises(UngradablePathError, match="add --assignment NAME"):
        grade(tmp_path / "class", tmp_path / "out", monkeypatch, None)
    assert keys(rows(tmp_path / "class")) == [":ada rope", ":bob rope"]


PEOPLE = ("bob", "carol", "dave")
BESIDE: dict[str, tuple[Files, str]] = {
    "one lesson": ({f"week3/{name}_rope.py": SOLVED for name in PEOPLE}, "week3/bob_rope.py and week3/carol_rope.py"),
    "no lesson": ({f"week3/{name}.py": SOLVED for name in PEOPLE}, "week3/bob.py and week3/carol.py (3 in all)"),
    "two lessons": ({"week3/bob_rope.py": SOLVED, "week3/carol_alibi.py": SOLVED}, "bob_rope.py and week3/carol"),
    "one is the stub": (
        {"week3/bob_rope.py": SOLVED, "week3/carol_rope.py": STUB},
        "week3/bob_rope.py and week3/carol",
    ),
    "a zip": ({"week3.zip": archive_of({f"{name}.py": SOLVED for name in PEOPLE})}, "unpack week3.zip"),
    "Canvas": (below("week3", CANVAS), "grade the folder week3 by itself"),
}


@pytest.mark.parametrize(("files", "sentence"), BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("only", ["rope", None])
def test_files_of_several_students_beside_a_student_s_folder_are_named_to_the_instructor(
    files: Files, sentence: str, only: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder or zip with files of several students is not treated as a student, even if another assignment
    is graded."""
    put(tmp_path / "rope", {"alice/rope.py": SOLVED} | files)
    printed = grade(tmp_path / "rope", tmp_path / "out", monkeypatch, only)
    assert "alice" in printed and re.search(rf"week3: .*{re.escape(sentence)}", printed)
    assert "hand in" not in printed


@pytest.mark.parametrize("names", [("rope.py", "helper.py"), ("ada_rope.py", "ada_alibi.py"), ("rope_1.py", "rope.py")])
def test_files_of_one_student_raise_no_doubt_about_whose_they_are(names: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path, {f"ada/{names[0]}": SOLVED, f"ada/{names[1]}": STUB, "bob/rope.py": SOLVED})
    assert not [row.doubt for row in rows(tmp_path, None) if "several students" in row.doubt]


PACKED = {**DOWNLOADS, "Brightspace": {f"4{n}-201 - Bo {n} - Nov 2, 2026 922 PM/rope.py": SOLVED for n in range(2)}}


every_zip_of_a_platform = pytest.mark.parametrize(
    ("platform", "archive"),
    [
        pytest.param(
            platform,
            archive_of({f"{inner}/{name}".lstrip("/"): content for name, content in PACKED[platform].items()}),
            id=f"{inner}-{platform}",
        )
        for platform in ("Canvas", "Moodle", "Gradescope", "Brightspace")
        for inner in ("", "submissions", "a/b")
    ],
)


@every_zip_of_a_platform
def test_a_platform_s_zip_alone_ends_the_run(
    platform: str, archive: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "alone", {"all.zip": archive})
    with pytest.raises(
        UngradablePathError, match=f"all.zip is a download from {platform}: unpack it if you have not yet"
    ):
        grade(tmp_path / "alone", tmp_path / "out", monkeypatch)


@every_zip_of_a_platform
@pytest.mark.parametrize(
    "beside", [name for name in DOWNLOADS if name != "Gradescope"]
)  # whose export has nothing else
def test_a_platform_s_zip_beside_a_class_is_nobody_s(
    platform: str, archive: bytes, beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary tells the instructor to unpack and delete a platform's zip that lies beside a class."""
    put(tmp_path / "class", {**DOWNLOADS[beside], "all.zip": archive})
    printed = grade(tmp_path / "class", tmp_path / "out", monkeypatch)
    assert (
        f"Not read: all.zip is a download from {platform}: unpack it if you have not yet, and delete the zip."
        in printed
    )
    assert len(classroom.grades(tmp_path / "out")) == len(DOWNLOADS[beside])


# Clones of several weeks


@pytest.mark.parametrize("slugs", [("rope-", "alibi-"), ("rope-", "alibi-", "context-extension-")])
def test_clones_of_lessons_in_one_folder_are_of_the_same_accounts(tmp_path: Path, slugs: tuple[str, ...]) -> None:
    put(tmp_path, {f"{slug}{login}/main.py": SOLVED for slug in slugs for login in ("ada", "b-b", "gha")})
    found = rows(tmp_path, None)
    assert {one.student_key for one in found} == {f"GitHub Classroom:{login}" for login in ("ada", "b-b", "gha")}
    assert {one.assignment for one in found} == {slug[:-1].replace("-", "_") for slug in slugs}


@pytest.mark.parametrize("weeks", [("5", "7"), ("5", "6", "7"), ("a", "b")])
@pytest.mark.parametrize("logins", [("ada", "bob", "gha"), ("a-b", "c-d", "e", "f")])
def test_clones_of_weeks_in_one_folder_are_told_to_the_instructor(
    tmp_path: Path, weeks: tuple[str, ...], logins: tuple[str, ...]
) -> None:
    put(tmp_path, {f"hw-week-{week}-{login}/rope.py": SOLVED for week in weeks for login in logins})
    with pytest.raises(UngradablePathError, match=f"hw-week-{weeks[0]}-; hw-week-{weeks[1]}-"):
        rows(tmp_path)


@pytest.mark.parametrize(
    "logins", [("max-a", "max-b", "max-c", "zoe"), ("a-1", "a-2", "a-3", "b-4", "b-5", "b-6"), ("ada", "bob", "cy")]
)
def test_logins_may_have_hyphens(tmp_path: Path, logins: tuple[str, ...]) -> None:
    put(tmp_path, {f"week-5-{login}/rope.py": SOLVED for login in logins})
    assert {one.student_key for one in rows(tmp_path)} == {f"GitHub Classroom:{login}" for login in logins}


# Attempts, and times

BRIGHTSPACE = "4{}-201 - Ada O'Neil-Li - Nov {}, 2026 {} {}M/rope.py".format
TIMES: dict[str, tuple[Callable[[int], str], str, bool | None]] = {
    "Brightspace": (lambda n: BRIGHTSPACE(n, 2, "112", "P"), "2026-11-02T13:12:00", None),
    "Brightspace, in the morning": (lambda n: BRIGHTSPACE(n, 12, "1022", "A"), "2026-11-12T10:22:00", None),
    "Brightspace, British": (lambda n: f"4{n}-201 - Bo - 2 November, 2026 922 PM/rope.py", "2026-11-02T21:22:00", None),
    "Brightspace, another language": (lambda n: f"4{n}-201 - Bo - 2. Marz 2026 0922/rope.py", "", None),
    "Blackboard": (lambda n: f"HW_s{n}_attempt_2026-11-01-14-22-32_rope.py", "2026-11-01T14:22:32", None),
    "Blackboard, no such day": (lambda n: f"HW_s{n}_attempt_2026-02-31-14-22-32_rope.py", "", None),
    "Canvas": (lambda n: f"doe{n}_10{n}_900_rope.py", "", False),
    "Canvas, late": (lambda n: f"doe{n}_LATE_10{n}_900_rope.py", "", True),
    "Canvas, anonymous": (lambda n: f"LATE_anon_aB{n}_900_rope.py", "", True),
    "Moodle": (lambda n: f"Ada {n}_10{n}_assignsubmission_file_rope.py", "", None),
    "Autolab": (lambda n: f"s_{n}@cs.uni.example_3_rope.py", "", None),
    "plain": (lambda n: f"ada{n}.py", "", None),
}  # fmt: skip


@pytest.mark.parametrize(("name", "submitted", "late"), TIMES.values(), ids=TIMES)
@pytest.mark.parametrize("content", [SOLVED, "", "x = ("], ids=["solved", "empty", "broken"])
def test_what_a_platform_says_of_time_is_kept(
    tmp_path: Path, name: Callable[[int], str], submitted: str, late: bool | None, content: str
) -> None:
    """Submission times and late marks are also kept for files that cannot be read."""
    put(tmp_path, {name(number): content for number in range(4)})
    found = rows(tmp_path)
    assert len({one.student_key for one in found}) == 4
    assert {(one.submitted, one.late) for one in found} == {(submitted, late)}
    assert all(("marks it as late" in " ".join(one.notes)) == bool(late) for one in found)


GRADESCOPE_TIMES = {
    "2024-05-01 10:00:00.123456000 Z": "2024-05-01T10:00:00+00:00",
    "2024-05-02 10:00:00 -07:00": "2024-05-02T10:00:00-07:00",
    "2026-11-01T14:22:32.365935-07:00": "2026-11-01T14:22:32-07:00",
    "2024-05-01 10:00:00 UTC": "2024-05-01T10:00:00+00:00",
    "9999-99-99 10:00:00 Z": "",
    "yesterday": "",
    "[1, 2]": "",
}


@pytest.mark.parametrize(("stated", "submitted"), GRADESCOPE_TIMES.items())
def test_the_time_in_an_export_of_gradescope(tmp_path: Path, stated: str, submitted: str) -> None:
    metadata = f"submission_1:\n  :submitters:\n  - :email: a@x.edu\n  - :email: b@x.edu\n  :created_at: {stated}\n"
    put(tmp_path, {"submission_metadata.yml": metadata, "submission_1/rope.py": SOLVED})
    assert [(one.submitted, one.late) for one in rows(tmp_path)] == [(submitted, None)] * 2


ATTEMPTS: dict[str, Callable[[int, str], str]] = {
    "Brightspace": lambda n, who: f"{who}-201 - Ada - Nov {n}, 2026 1022 AM/rope.py",
    "Brightspace, another hour": lambda n, who: f"{who}-201 - Ada - Nov 2, 2026 {8 + n}22 AM/rope.py",
    "Autolab": lambda n, who: f"s{who}@uni.example_{8 + n}_rope.py",
    "Blackboard": lambda n, who: f"HW_s{who}_attempt_2026-11-0{n}-14-22-32_rope.py",
    "Canvas": lambda n, who: f"doe_{who}_{98 + n}_rope.py",
}


@pytest.mark.parametrize("platform", ATTEMPTS)
@pytest.mark.parametrize("later", [STUB, "", "x = (", "x = 1", b"\0", b"PK"], ids=repr)
def test_a_later_attempt_counts_only_if_it_is_written(tmp_path: Path, platform: str, later: str | bytes) -> None:
    """If a download contains several attempts, the submission time is that of the graded attempt."""
    made = ATTEMPTS[platform]
    put(tmp_path, {made(1, "41"): f"{SOLVED}\n# first", made(2, "41"): later, made(2, "42"): SOLVED})
    put(
        tmp_path,
        {made(1, "43"): STUB, made(2, "43"): f"{SOLVED}\n# last", made(1, "44"): SOLVED, made(2, "44"): SOLVED},
    )
    found = {one.student_key.partition(":")[2].strip("s").partition("@")[0]: one for one in rows(tmp_path)}
    assert {*found} == {"41", "42", "43", "44"}
    assert all(one.is_written and one.problem is None for one in found.values())
    assert "came later, but no function of rope is written there" in found["41"].doubt
    assert "Move" not in found["41"].doubt and found["41"].doubt in found["41"].notes
    assert found["41"].file == made(1, "41").removesuffix("/rope.py") + "/rope.py" * ("/" in made(1, ""))
    assert "# last" in found["43"].cells[0]
    assert found["44"].file.startswith(made(2, "44").partition("/")[0]) and "came earlier" in found["44"].notes[0]
    if found["41"].submitted:
        assert found["41"].submitted < found["44"].submitted


def test_attempts_whose_order_nothing_tells_are_named(tmp_path: Path) -> None:
    """A message tells the student what to submit, and the instructor which attempt to keep."""
    put(tmp_path, {f"4{n}-201 - Bo - {day}. März 2026 0922/rope.py": SOLVED for n in range(2) for day in (1, 2)})
    found = rows(tmp_path)
    assert [one.student_key for one in found] == ["Brightspace:40", "Brightspace:41"]
    assert all(one.problem and one.problem.for_instructor.endswith("keep only the one that counts") for one in found)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("branch", ["main", "hand/in"])
def test_a_clone_is_dated_by_its_last_commit(tmp_path: Path, packed: bool, branch: str) -> None:
    """The time is read from the files in .git, because running git would run programs that the repository's
    configuration names."""
    for student in ("ada", "bob"):
        clone = tmp_path / "class" / student
        put(clone, {"rope.py": SOLVED})
        git(clone, "init", "-q", "-b", branch)
        for day in (1, 2):
            put(clone, {"notes.txt": f"{day}"})
            git(clone, "add", ".")
            git(clone, "commit", "-qm", "x", date=f"2026-11-0{day}T14:22:32+0530")
        if packed:
            git(clone, "gc", "-q")
            git(clone, "pack-refs", "--all")
    assert [one.submitted for one in rows(tmp_path / "class")] == ["2026-11-02T14:22:32+05:30"] * 2


DAMAGED: dict[str, Files] = {
    "no HEAD": {".git/config": ""},
    "HEAD elsewhere": {".git/HEAD": "ref: refs/heads/../../../secret\n", "secret": "0" * 40},
    "HEAD of bytes": {".git/HEAD": b"\xff" * 100},
    "no such branch": {".git/HEAD": "ref: refs/heads/main\n"},
    "no such commit": {".git/HEAD": "a" * 40},
    "no zlib": {".git/HEAD": "a" * 40, f".git/objects/aa/{'a' * 38}": b"x"},
    "a short index": {".git/HEAD": "a" * 40, ".git/objects/pack/p.idx": b"\xfftOc\0\0\0\2"},
    "an index that lies": {".git/HEAD": "a" * 40, ".git/objects/pack/p.idx": b"\xfftOc\0\0\0\2" + b"\x7f" * 2000},
    "an old index": {".git/HEAD": "a" * 40, ".git/objects/pack/p.idx": b"\0" * 3000},
    "a file": {".git": "gitdir: /elsewhere\n"},
    "a huge HEAD": {".git/HEAD": b"a" * (2 << 20)},
}


@pytest.mark.parametrize("files", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_clone_has_no_time_and_counts(tmp_path: Path, files: Files) -> None:
    put(tmp_path, {f"ada/{name}": content for name, content in files.items()} | {"ada/rope.py": SOLVED})
    (row,) = rows(tmp_path)
    assert (row.problem, row.submitted, row.late) == (None, "", None)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_in_a_clone_delays_nobody(tmp_path: Path, packed: bool) -> None:
    """Opening a pipe can block forever if nobody writes to it, and each file of a repository can be replaced
    by a pipe."""
    put(tmp_path, {"rope.py": SOLVED})
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x", date="2026-11-01T14:22:32+0530")
    for command in (["gc", "-q"], ["pack-refs", "--all"]) if packed else ():
        git(tmp_path, *command)
    for path in [path for path in (tmp_path / ".git").rglob("*") if path.is_file()]:
        content = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        assert last_commit_time(tmp_path) in ("", "2026-11-01T14:22:32+05:30"), path
        path.unlink()
        path.write_bytes(content)
    assert last_commit_time(tmp_path)


def git(folder: Path, *command: str, date: str = "") -> None:
    environment = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "HOME": str(folder)}
    environment |= {f"GIT_{who}_{what}": "ada@x.edu" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = {"PATH": "/usr/bin:/bin:/usr/local/bin"}
    subprocess.run(["git", *command], cwd=folder, env=environment | path, check=True, capture_output=True)


@pytest.mark.parametrize("others", [{}, {"Eve X_209_assignsubmission_file/attention.py": "x = 1\n"}])
def test_a_class_one_folder_down_is_never_one_student(tmp_path: Path, others: dict[str, str]) -> None:
    """Whatever one of the students submits, the message tells the instructor which folder to grade."""
    names = ("Ada Lovelace_200", "Alan Turing_204", "Bob_218")
    files = {f"{name}_assignsubmission_file/rope.py": "x = 1\n" for name in names} | others
    put(tmp_path, {f"CS101-Week 2-4711/{path}": text for path, text in files.items()})
    with pytest.raises(UngradablePathError, match="further down: grade the folder CS101-Week 2-4711 by itself"):
        find_in_folder(tmp_path, None, ("rope", "attention"))


def test_the_first_week_of_a_term_is_read_in_the_folder_of_its_lesson(tmp_path: Path) -> None:
    """A term's folder contains a folder for each lesson, and in the first week it contains only one of them."""
    names = ("Ada Lovelace_200", "Alan Turing_204", "Bob_218")
    put(tmp_path, {f"rope/{name}_assignsubmission_file/rope.py": "x = 1\n" for name in names})
    found = find_in_folder(tmp_path, None, ("rope", "attention"))
    assert [uploads[0].assignment for uploads in found.students] == ["rope"] * 3
