"""Tests of batches of many submissions: whichever process is killed, no submission is lost or graded twice."""

from __future__ import annotations

import codecs
import contextlib
import glob
import io
import json
import os
import pickle
import random
import re
import shutil
import signal
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder import bounded_processes, course
from autograder.batch import run, workers
from autograder.batch.gradebook import Gradebook
from autograder.batch.gradebook_database import GRADEBOOK_FILE
from autograder.batch.summary import Summary
from autograder.batch.workers import GraderSetup, Job
from autograder.cli import main
from autograder.course import BatchError
from autograder.grading.row import GradeKey
from autograder.sandbox import self_test
from tests.grader.support import classroom, interrupted_runs
from tests.grader.support.fake_graders import Direct, Harmed, solved
from tests.grader.support.limit_breakers import exceed_limit
from tests.grader.support.made_up_gradebooks import GRADE, packed
from tests.grader.support.student_folders import put

NAME = "sinusoidal"
"""Assignment with the fastest suite."""


def grade(folder: Path, out: Path, jobs: int = 2) -> tuple[Summary, str]:
    """Grade a folder in this process, and return the summary and the printed output."""
    printed = io.StringIO()
    summary = run.grade([folder], out, jobs=jobs, console=Console(file=printed, width=200))
    return summary, printed.getvalue()


@pytest.fixture(scope="module")
def small_class(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a class with one submission of every kind, and the OUT folder of an uninterrupted run on that
    class."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    (folder / NAME).mkdir()
    students = {
        "ada": classroom.right(NAME, 1),
        "bob": classroom.right(NAME, 1),
        "cy": classroom.unfinished(NAME, 0),
        "di": classroom.stops(NAME, 2),
        "eve": classroom.ends_its_process(NAME, 3),
        "fay": classroom.no_python(NAME, 4),
        "gus": "",
        "=HYPERLINK(A1)": classroom.right(NAME, 5),
    }
    for student, text in students.items():
        (folder / NAME / f"{student}.py").write_text(text, "utf-8")
    grade(folder, out, jobs=1)
    return folder, out


def rows_by_student(out: Path) -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in classroom.grades(out)}


def test_everything_has_a_row(small_class: tuple[Path, Path]) -> None:
    """Every upload has a row with a status, a score and a file name; the rows are sorted by assignment, then
    by student."""
    rows = rows_by_student(small_class[1])
    statuses = {student: row["status"] for student, row in rows.items()}
    assert statuses == {
        "'=HYPERLINK(A1)": "graded",
        "ada": "graded",
        "bob": "graded",
        "cy": "graded",
        "di": "import_error",
        "eve": "killed",
        "fay": "unreadable",
        "gus": "unreadable",
    }
    assert {row["max_score"] for row in rows.values()} == {"20"}
    assert [rows[student]["score"] for student in ("ada", "cy", "di", "fay")] == ["20", "0", "20", "0"]
    assert rows["ada"]["file"] == f"{NAME}/ada.py"
    columns = list(classroom.grades(small_class[1])[0])
    facts = ["student", "assignment", "score", "max_score", "status", "submitted", "late", "file", "sha256"]
    assert columns[:9] == facts
    questions = columns[9 : columns.index("adjustment")]
    assert {*questions} >= {"frequencies", "ANSWERS"}
    questions = sum(float(rows["ada"][name]) for name in questions)
    assert questions == 20


def test_everybody_has_feedback_and_results(small_class: tuple[Path, Path]) -> None:
    """Each student's feedback and results are stored in safely named folders, with the results in Gradescope's
    format."""
    out = small_class[1]
    for kind, ending in (("feedback", "md"), ("results", "json")):
        written = sorted(path.parent.name for path in (out / kind).glob(f"*/{NAME}.{ending}"))
        assert len(written) == 8
        assert not any(character in name for name in written for character in "=()/")
    full = json.loads((out / "results" / "ada" / f"{NAME}.json").read_text("utf-8"))
    assert sum(test.get("score", 0) for test in full["tests"]) == 20
    none = json.loads((out / "results" / "gus" / f"{NAME}.json").read_text("utf-8"))
    assert sum(test.get("score", 0) for test in none["tests"]) == 0
    assert none["output"]
    assert "Not graded" in (out / "feedback" / "gus" / f"{NAME}.md").read_text("utf-8")


def test_a_second_run_grades_nothing(small_class: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run on the same class starts no grader, restores deleted files, and leaves every file byte-for-byte
    identical."""
    folder, out = small_class
    before = (out / "grades.csv").read_bytes()
    feedback = out / "feedback" / "ada" / f"{NAME}.md"
    original = feedback.read_bytes()
    feedback.unlink()
    monkeypatch.setattr(run, "Processes", None)
    summary, _ = grade(folder, out)
    assert (summary.newly_graded, summary.graded_before) == (0, 8)
    assert (out / "grades.csv").read_bytes() == before
    assert feedback.read_bytes() == original


def test_the_summary_says_what_needs_a_human(small_class: tuple[Path, Path], tmp_path: Path) -> None:
    """The summary lists each assignment, the ignored files and, with a reason, each submission to review; it accuses
    nobody."""
    shutil.copytree(small_class[0], tmp_path / "class")
    (tmp_path / "class" / "notes.txt").write_text("x")
    shutil.copytree(small_class[1], tmp_path / "out")
    _, printed = grade(tmp_path / "class", tmp_path / "out")
    lines = printed.splitlines()
    assert next(line.split() for line in lines if line.startswith(NAME))[:4] == [NAME, "8", "submissions", "median"]
    assert "0 graded in" in printed and "8 graded before" in printed
    assert "Skipped, nobody's submission: notes.txt." in lines
    at = lines.index("To review by hand, unreadable:")
    assert "fay" in printed and "gus" in " ".join(lines[at + 1 : at + 3])
    assert "eve" in lines[lines.index("To review by hand, killed:") + 1]
    assert lines[-1].startswith("Results: ") and "report.html" in lines[-1]


def test_what_one_thing_costs_is_cut_off_and_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even in a small class, an item becomes a CutOff if it exceeds the processor-time or memory limit, or ends its
    process."""
    monkeypatch.setattr(bounded_processes, "MAX_PROCESSOR_SECONDS_PER_ITEM", 1)
    monkeypatch.setattr(bounded_processes, "MAX_MEMORY_PER_ITEM", 100 << 20)
    things = [
        word
        for number in range(6)
        for word in (f"{number}", *(["time"] if number == 2 else []), *(["memory", "end"] if number == 3 else []))
    ]
    found = list(bounded_processes.map_bounded(exceed_limit, things))
    why = {
        thing: one.why for thing, one in zip(things, found, strict=True) if isinstance(one, bounded_processes.CutOff)
    }
    assert set(why) == {"time", "memory", "end"}
    assert "1 seconds of processor time" in why["time"] and "100 MiB" in why["memory"]
    assert [one for one in found if isinstance(one, str)] == [thing for thing in things if thing not in why]
    assert isinstance(bounded_processes.run_bounded(exceed_limit, "end"), bounded_processes.CutOff)
    assert list(bounded_processes.map_bounded(exceed_limit, [])) == []


def test_an_item_whose_process_another_item_ended_has_its_result() -> None:
    things = ["end later", "slow"]
    assert list(bounded_processes.map_bounded(exceed_limit, things)) == things


# Killed graders


@pytest.fixture
def fake_graders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace graders with fakes, and read submissions in this process, so that no submitted code runs."""
    monkeypatch.setattr(run, "Processes", Direct)
    monkeypatch.setattr(bounded_processes, "map_bounded", lambda function, things: map(function, things))


@pytest.fixture(scope="module")
def class_of_ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of submissions from a class of ten students."""
    folder = tmp_path_factory.mktemp("ten")
    classroom.make(folder, NAME, 10, [classroom.right, classroom.unfinished, classroom.no_python])
    return folder


@pytest.mark.usefixtures("fake_graders")
def test_a_coordinator_killed_again_and_again(class_of_ten: Path, tmp_path: Path) -> None:
    """Each run is killed slightly later than the previous one, as it opens a file under OUT or stores a grade.
    Repeating the command resumes the run: no stored grade is lost, and the final grades are the same."""
    grade(class_of_ten, tmp_path / "whole")
    known = [0]
    while interrupted_runs.coordinator_killed(len(known) ** 2, class_of_ten, tmp_path / "out"):
        known.append(graded_in(tmp_path / "out"))
    assert known == sorted(known) and len({*known}) > 2 and known[-1] == 10
    grade(class_of_ten, tmp_path / "out")
    assert classroom.grades(tmp_path / "out") == classroom.grades(tmp_path / "whole")


def graded_in(out: Path) -> int:
    """Return the number of graded submissions."""
    try:
        with Gradebook.reading(out) as book:
            return sum(bool(row.encoded_grade) for row in book.rows())
    except BatchError:
        return 0


def test_graders_that_are_killed_or_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a grader dies, other graders take over its jobs. The summary for staff names a job that kills three graders in
    a row and a job on which one grader hangs. All other submissions are graded, and the next run retries the two failed
    jobs."""
    put(tmp_path / "class" / NAME, {f"{n}.py": solved(n) for n in range(100, 106)})
    harm = {"100": "killed 2", "101": "stopped 1", "102": "killed 99"}
    for name, mark in harm.items():
        put(tmp_path / "class" / NAME, {f"{name}.py": f"# {mark}\n{solved(int(name))}"})
    with monkeypatch.context() as patch:
        patch.setattr(run, "Processes", Harmed)
        patch.setattr(Harmed, "marks", tmp_path)
        patch.setattr(workers, "GRADING_TIMEOUT_SECONDS", 8.0)  # longer than any start of a grader takes
        _, printed = grade(tmp_path / "class", tmp_path / "out")
    assert [len((tmp_path / mark.replace(" ", ".")).read_text()) for mark in harm.values()] == [3, 1, 3]
    rows = rows_by_student(tmp_path / "out")
    assert {student: row["status"] for student, row in rows.items() if row["status"] != "graded"} == {
        "101": "timeout",
        "102": "killed",
    }
    assert [row["score"] for row in rows.values()] == ["10", "0", "0", "10.3", "10.4", "10.5"]
    named = printed.partition("To review by hand, without a grade:\n")[2]
    assert re.search(r"101: no grade could be given.*the grader did not end within 8 seconds", named)
    assert re.search(r"102: no grade could be given.*the grader ended its process \(exit code -9\)", named)
    monkeypatch.setattr(run, "Processes", Direct)
    summary, _ = grade(tmp_path / "class", tmp_path / "out")
    assert summary.newly_graded == 2
    assert [rows_by_student(tmp_path / "out")[student]["score"] for student in ("101", "102")] == ["10.1", "10.2"]


def test_a_pool_that_gave_up_starts_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pebble pool shuts down if one of its idle processes dies; the next job then starts a new pool."""
    monkeypatch.setattr(Harmed, "marks", tmp_path)
    pool, job = Harmed(1, GraderSetup()), Job(GradeKey(NAME, "suite", "code"), (solved(7),))
    with contextlib.closing(pool):
        first = pool.submit(job).result()
        pool.pool.close()
        assert not pool.pool.processes.active
        assert pool.submit(job).result() == first


def test_a_machine_that_cannot_grade(class_of_ten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If even the solution cannot be graded, the run stops and nobody gets a zero."""

    def submit(self: Direct, job: Job) -> Future[bytes]:
        future: Future[bytes] = Future()
        future.set_exception(RuntimeError("no grader works here"))
        return future

    monkeypatch.setattr(Direct, "submit", submit)
    monkeypatch.setattr(run, "Processes", Direct)
    with pytest.raises(BatchError, match="no grader works here.*neither can the solution of"):
        grade(class_of_ten, tmp_path)
    assert graded_in(tmp_path) == 0


class BrokenTest(Direct):
    """Fake graders whose suite contains a test that the solution fails until the test is corrected."""

    def submit(self, job: Job) -> Future[bytes]:
        future = super().submit(job)
        if job.key.code == run.REFERENCE_PSEUDO_HASH and "corrected" not in job.key.grading:
            future = Future()
            future.set_result(packed(GRADE))
        return future


def test_a_test_that_the_solution_fails_lowers_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run names the broken test, keeps earlier results, and grades nothing until the test is
    corrected."""
    put(tmp_path / "class" / NAME, {"ada.py": solved(1)})
    monkeypatch.setattr(run, "Processes", BrokenTest)
    sentence = rf"solution of {NAME} does not pass test_b in tests/hidden/test_{NAME}.py .*: correct the test or sol"
    for _ in range(2):
        with pytest.raises(BatchError, match=sentence):
            grade(tmp_path / "class", tmp_path / "out")
        assert graded_in(tmp_path / "out") == 0 and not (tmp_path / "out" / "grades.csv").exists()
    monkeypatch.setattr(run, "grading_key", lambda *_: "corrected")
    assert grade(tmp_path / "class", tmp_path / "out")[0].newly_graded == 1
    monkeypatch.setattr(run, "grading_key", lambda *_: "broken in the next term")
    with pytest.raises(BatchError, match=sentence):
        grade(tmp_path / "class", tmp_path / "out")
    assert [row["score"] for row in classroom.grades(tmp_path / "out")] == ["0.1"]


@pytest.mark.parametrize("broken", [True, False])
def test_a_check_of_one_file_names_a_test_that_the_solution_fails(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real sandbox, `autograder check` also grades the solution whenever a submission loses points."""
    hidden = course.find(NAME).hidden_tests.read_text("utf-8")
    line = '\n\n@pytest.mark.question("frequencies", points=0)\ndef test_wrong() -> None:\n    """A rule."""\n'
    put(tmp_path, {f"hidden/test_{NAME}.py": f"{hidden}{line}    assert {not broken}\n", "sinusoidal.py": "x = 1\n"})
    folder = tmp_path / "hidden"
    monkeypatch.setattr("autograder.grading.grade.ROOT", Path("/"))  # The message contains a path relative to ROOT.
    monkeypatch.setattr(course.Assignment, "hidden_tests", property(lambda one: folder / f"test_{one.name}.py"))
    done = CliRunner().invoke(main, ["check", str(tmp_path / "sinusoidal.py")])
    assert (done.exit_code, "does not pass test_wrong" in done.output) == ((2, True) if broken else (1, False))


def test_a_grader_that_may_not_grade_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grader refuses to start if its suite differs from the coordinator's, or if its sandbox fails the
    self-test. The error message reaches the coordinator's process unchanged."""

    def error_message(job: Job, setup: GraderSetup) -> str:
        with pytest.raises(BatchError) as caught:
            workers._grade(job, setup)
        return str(pickle.loads(pickle.dumps(caught.value)))

    def require() -> None:
        raise self_test.BrokenPromiseError("Landlock is off: switch it on")

    monkeypatch.setattr(self_test, "require", require)
    job, setup = Job(GradeKey(NAME, "last year's", "code")), GraderSetup()
    assert f"has another version of {NAME}'s suite" in error_message(job, setup)
    workers._warm_grader.pop().close()
    assert f"the sandbox does not hold on {os.uname().nodename}: Landlock is off" in error_message(
        job, replace(setup, tests_sandbox=True)
    )


def sleeps(begun: str) -> str:
    """Return code that creates a file in a permitted folder and then sleeps for almost the full time limit of a
    call."""
    slow = f"    if not os.path.exists({begun!r}):\n        open({begun!r}, 'w').close()\n        time.sleep(4)\n"
    return f"{classroom.right(NAME, 0)}\n\nimport os, time\n\ndef sinusoidal_encoding(*given):\n{slow}"


def test_the_command_is_interrupted_killed_and_goes_on(tmp_path: Path) -> None:
    """Ctrl-C ends the command with the correct exit code, without waiting for running submissions; every finished grade
    is kept. If the command is killed, its graders exit on their own. After Ctrl-C or a kill, no process of the command
    is still running, and no temporary files or files outside OUT remain."""
    folder, out, scratch, begun = tmp_path / "class", tmp_path / "out", tmp_path / "scratch", "begun"
    put(folder / NAME, {f"{n}.py": classroom.right(NAME, n) for n in range(3)} | {"slow.py": sleeps(begun)})
    scratch.mkdir()
    for number in (signal.SIGINT, signal.SIGKILL):
        process = interrupted_runs.grade(folder, out, "--jobs", "1", scratch=scratch)
        while not glob.glob(f"{scratch}/scratch-*/files/{begun}"):
            assert process.poll() is None
            time.sleep(0.05)
        processes = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        printed, _ = process.communicate()
        assert psutil.wait_procs(processes, timeout=20)[1] == []
        if number == signal.SIGINT:
            assert process.returncode == 130, printed
            assert "All grades so far are kept" in printed and "Traceback" not in printed
        assert graded_in(out) == 3
        for _ in range(200):  # A process that is still starting takes slightly longer to exit.
            if not list(scratch.iterdir()):
                break
            time.sleep(0.1)
        assert list(scratch.iterdir()) == []
    put(folder / NAME, {"slow.py": classroom.right(NAME, 3)})
    printed, _ = interrupted_runs.grade(folder, out, "--jobs", "1", scratch=scratch).communicate()
    assert "1 graded" in printed and "3 graded before" in printed
    assert [row["score"] for row in classroom.grades(out)] == ["20"] * 4
    assert list(scratch.iterdir()) == [] and {path.name for path in tmp_path.iterdir()} == {"class", "out", "scratch"}
    names = {path.name for path in out.iterdir()}
    assert names >= {"grades.csv", "gradebook.sqlite", "results", "feedback", "similarity.csv", "report.html"}
    assert not any("wal" in name or "unfinished" in name for name in names)


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("fake_graders")
def test_a_cluster_may_be_without_a_worker_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster with no workers still accepts submissions, and no call blocks forever."""
    monkeypatch.setattr(Direct, "size", 0)
    put(tmp_path / "class" / NAME, {"ada.py": solved(1), "bob.py": solved(2)})
    assert grade(tmp_path / "class", tmp_path / "out")[0].newly_graded == 2


@pytest.mark.usefixtures("fake_graders")
def test_what_is_not_handed_in_any_more_leaves_no_feedback(tmp_path: Path) -> None:
    """A run removes the results of students who withdrew their files, but keeps a note that a person added to a
    feedback folder."""
    folder, out = tmp_path / "class", tmp_path / "out"
    put(folder / NAME, {f"{student}.py": solved(n) for n, student in enumerate(("ada", "bob", "cy"))})
    grade(folder, out)
    (out / "feedback" / "cy" / "note.txt").write_text("mine")
    for student in ("bob", "cy"):
        (folder / NAME / f"{student}.py").unlink()
    grade(folder, out)
    assert [*rows_by_student(out)] == ["ada"]
    assert not (out / "feedback" / "bob").exists() and not (out / "results" / "bob").exists()
    assert [path.name for path in (out / "feedback" / "cy").iterdir()] == ["note.txt"]
    assert (out / "feedback" / "ada" / f"{NAME}.md").exists()


@pytest.mark.usefixtures("fake_graders")
def test_a_questions_column_carries_its_assignment_where_there_are_several(tmp_path: Path) -> None:
    put(tmp_path / "class", {"rope/ada.py": solved(1, "apply_rope"), "alibi/ada.py": solved(2, "alibi_slopes")})
    grade(tmp_path / "class", tmp_path / "out")
    alibi, rope = classroom.grades(tmp_path / "out")
    assert (alibi["score"], rope["score"]) == ("0.2", "0.1")
    assert alibi["alibi.apply_rope"] == rope["rope.apply_rope"] == "3" and not alibi["rope.apply_rope"]


@pytest.mark.parametrize("content", ["", "next year", "1.5", "1 2"])
def test_a_bad_seed_is_named(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An invalid seed gives a one-sentence error message."""
    seed = tmp_path / "tests" / "hidden" / "seed.txt"
    seed.parent.mkdir(parents=True)
    seed.write_text(content)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    with pytest.raises(course.CourseError, match=r"tests/hidden/seed.txt contains .*: write one whole number"):
        course.seed()


@pytest.mark.usefixtures("fake_graders")
def test_the_report_is_written_when_the_gradebook_changed_and_no_clock_decides(tmp_path: Path) -> None:
    folder, report = tmp_path / "class", tmp_path / "out" / "report.html"
    put(folder / NAME, {"ada.py": solved(1)})
    grade(folder, tmp_path / "out")
    os.utime(report, (2**33, 2**33))
    grade(folder, tmp_path / "out")
    assert report.stat().st_mtime == 2**33
    put(folder / NAME, {"bob.py": solved(2)})
    grade(folder, tmp_path / "out")
    assert "bob" in report.read_text("utf-8")


@pytest.mark.parametrize("folder", ["", str(course.ROOT), str(course.ROOT.parent)])
def test_the_course_itself_is_not_graded_by_accident(folder: str, tmp_path: Path) -> None:
    """An unset shell variable expands to an empty name, which would mean the current folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.ROOT)
        done = CliRunner().invoke(main, ["grade", folder, "--isolation", "none", "--out", str(tmp_path / "out")])
    assert done.exit_code == 2 and ("is empty: name" in done.output or "contains this course itself" in done.output)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("fake_graders")
def test_no_cell_of_a_table_acts(tmp_path: Path) -> None:
    """Spreadsheets recognise each CSV file as UTF-8, and every character in it is printable."""
    names = ["a\x1b[2Jb", "\u202egnp.exe", "x\ny", "Zoë", "\u2028=1+1", "\x85@x"]
    put(tmp_path / "class" / NAME, {f"{name}.py": solved(number) for number, name in enumerate(names)})
    grade(tmp_path / "class", tmp_path / "out")
    for name in ("grades.csv", "similarity.csv"):
        content = (tmp_path / "out" / name).read_bytes()
        assert content.startswith(codecs.BOM_UTF8)
        assert all(letter.isprintable() or letter == "\n" for letter in content.decode("utf-8-sig"))
    students = {row["student"] for row in classroom.grades(tmp_path / "out")}
    assert len(students) == len(names) and "Zoë" in students
    assert not any(student.strip().startswith(("=", "@")) for student in students)


# Bad disks and bad files


def flip_one_byte(path: Path, draw: random.Random) -> None:
    """Flip one bit of a gradebook file."""
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


@pytest.mark.usefixtures("fake_graders")
def test_a_damaged_gradebook(class_of_ten: Path, tmp_path: Path) -> None:
    """Grading with a damaged gradebook regrades everything and gives the same grades. A command that only reads a
    damaged gradebook either reads every row or stops with a one-sentence message."""
    grade(class_of_ten, tmp_path / "whole")
    path, expected = tmp_path / "out" / GRADEBOOK_FILE, classroom.grades(tmp_path / "whole")
    for seed in range(12):
        shutil.copytree(tmp_path / "whole", tmp_path / "out")
        draw = random.Random(seed)
        if seed == 0:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        elif seed == 1:
            path.write_bytes(b"no gradebook")
        for _ in range(4 ** (seed % 5) if seed > 1 else 0):
            flip_one_byte(path, draw)
        with contextlib.suppress(BatchError), Gradebook.reading(path.parent) as book:
            list(book.rows()), book.superseded(), book.questions_by_assignment()
        grade(class_of_ten, path.parent)
        assert classroom.grades(path.parent) == expected, seed
        shutil.rmtree(path.parent)
