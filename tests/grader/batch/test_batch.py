"""Many submissions: nothing is lost and nothing graded twice, whoever is killed and whenever."""

from __future__ import annotations

import contextlib
import glob
import io
import json
import multiprocessing
import os
import random
import secrets
import shutil
import signal
import tempfile
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from autograder import course, parallel
from autograder.batch import run, workers
from autograder.batch.gradebook import FILE, Gradebook
from autograder.batch.summary import Summary
from autograder.batch.workers import BatchError, Job, Processes
from autograder.submission import NothingToGrade, find_in_folder, read
from tests.grader.support import classroom, interrupted

NAME = "sinusoidal"
"""The assignment whose suite is quickest."""

LARGE = 10
"""Submissions of the class on which runs are interrupted."""


def grade(folder: Path, out: Path, jobs: int = 2) -> tuple[Summary, str]:
    """A run in this process, and what it printed."""
    printed = io.StringIO()
    summary = run.grade([folder], out, jobs=jobs, console=Console(file=printed, width=200))
    return summary, printed.getvalue()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class with one of everything, and the OUT of an uninterrupted run on it."""
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
        "=HYPERLINK(1)": classroom.right(NAME, 5),
    }
    for student, text in students.items():
        (folder / NAME / f"{student}.py").write_text(text, "utf-8")
    grade(folder, out)
    return folder, out


def by_student(out: Path) -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in classroom.grades(out)}


def test_everything_has_a_row(small: tuple[Path, Path]) -> None:
    """Whatever was handed in: a status, a score and a file name, sorted by assignment and then student."""
    rows = by_student(small[1])
    statuses = {student: row["status"] for student, row in rows.items()}
    assert statuses == {
        "'=HYPERLINK(1)": "graded",
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
    columns = list(classroom.grades(small[1])[0])
    assert columns[:7] == ["student", "assignment", "score", "max_score", "status", "file", "sha256"]
    questions = columns[7 : columns.index("adjustment")]
    assert {*questions} >= {"frequencies", "ANSWERS"}
    questions = sum(float(rows["ada"][name]) for name in questions)
    assert questions == 20


def test_everybody_has_feedback_and_results(small: tuple[Path, Path]) -> None:
    """In folders with safe names; results in Gradescope's format."""
    out = small[1]
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


def test_a_second_run_grades_nothing(small: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a grader is started; the files are the same to the last byte. What was deleted is written again."""
    folder, out = small
    before = (out / "grades.csv").read_bytes()
    feedback = out / "feedback" / "ada" / f"{NAME}.md"
    said = feedback.read_bytes()
    feedback.unlink()
    monkeypatch.setattr(run, "Processes", None)
    summary, _ = grade(folder, out)
    assert (summary.graded, summary.reused) == (0, 8)
    assert (out / "grades.csv").read_bytes() == before
    assert feedback.read_bytes() == said


def test_identical_files_are_graded_once(small: tuple[Path, Path]) -> None:
    """Ada and Bob share a grade."""
    with Gradebook.reading(small[1]) as book:
        rows = {row.submission.student: row for row in book.rows()}
        assert rows["ada"].key == rows["bob"].key
        assert rows["ada"].seconds == rows["bob"].seconds


def test_the_summary_says_what_needs_a_human(small: tuple[Path, Path], tmp_path: Path) -> None:
    """A line per assignment, what was passed over, who is to be looked at and why; nobody is accused."""
    shutil.copytree(small[0], tmp_path / "class")
    (tmp_path / "class" / "notes.txt").write_text("x")
    shutil.copytree(small[1], tmp_path / "out")
    _, printed = grade(tmp_path / "class", tmp_path / "out")
    lines = printed.splitlines()
    assert next(line.split() for line in lines if line.startswith(NAME))[:4] == [NAME, "8", "submissions", "median"]
    assert "0 graded in" in printed and "8 known before" in printed
    assert "Skipped, as nobody's submission: notes.txt." in lines
    assert "1 group of submissions that are much the same: read them in similarity.csv." in lines
    at = lines.index("To look at yourself, unreadable:")
    assert "fay" in printed and "gus" in " ".join(lines[at + 1 : at + 3])
    assert "eve" in lines[lines.index("To look at yourself, killed:") + 1]
    assert lines[-1].startswith("Results: ") and "report.html" in lines[-1]


def test_a_changed_hidden_test_regrades_its_assignment_alone(tmp_path: Path) -> None:
    """In a copy of the course: a line is added to one hidden test. Several assignments share a table: a question's
    column then carries the name of its assignment. A suite that does not add up is refused, as `make handout` does."""
    root = classroom.copy_of_the_course(tmp_path)
    for name in ("alibi", NAME):
        classroom.make(tmp_path / "class", name, 1, [classroom.right])

    def graded_there() -> tuple[int, str]:
        process = interrupted.grade(tmp_path / "class", tmp_path / "out", root=root)
        printed, _ = process.communicate()
        return process.returncode, printed

    hidden = root / "tests" / "hidden" / "test_alibi.py"
    assert "2 graded" in graded_there()[1]
    alibi, sinusoidal = classroom.grades(tmp_path / "out")
    assert (alibi["assignment"], sinusoidal["assignment"]) == ("alibi", NAME)
    assert alibi["alibi.alibi_slopes"] and not sinusoidal["alibi.alibi_slopes"]
    hidden.write_text(hidden.read_text("utf-8") + "\n# changed\n", "utf-8")
    _, printed = graded_there()
    assert "1 graded" in printed and "1 known before" in printed, printed
    hidden.write_text(hidden.read_text("utf-8").replace("points=0.5", "points=0.75", 1), "utf-8")
    code, printed = graded_there()
    assert code == 2 and "the tests of alibi are worth 20.25 points" in printed
    assert classroom.grades(tmp_path / "out") == [alibi, sinusoidal]


def test_many_are_read_side_by_side_and_in_order(tmp_path: Path) -> None:
    """As one by one; a reading process that is killed costs nobody anything."""
    kinds = [classroom.unfinished, classroom.no_python, classroom.stops]
    classroom.make(tmp_path, "alibi", 30, kinds)
    found = find_in_folder(tmp_path, None, ["alibi"]).hand_ins
    wanted = [read(one, ("alibi",)) for one in found]
    several = parallel.in_order(partial(read, known=("alibi",)), found)
    first = next(several)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    assert [first, *several] == wanted


def dear(thing: str) -> str:
    """What one thing may cost, and then some."""
    while thing == "time":
        pass
    if thing == "memory":
        bytearray(200 << 20)
    if thing == "end":
        os._exit(3)
    return thing


def test_what_one_thing_costs_is_cut_off_and_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processor time, memory, and whatever ends a process; however few there are."""
    monkeypatch.setattr(parallel, "SECONDS", 1)
    monkeypatch.setattr(parallel, "MEMORY", 100 << 20)
    things = [
        word
        for number in range(6)
        for word in (f"{number}", *(["time"] if number == 2 else []), *(["memory", "end"] if number == 3 else []))
    ]
    found = list(parallel.in_order(dear, things))
    why = {thing: one.why for thing, one in zip(things, found, strict=True) if isinstance(one, parallel.Exceeded)}
    assert set(why) == {"time", "memory", "end"}
    assert "1 seconds of processor time" in why["time"] and "100 MiB" in why["memory"]
    assert [one for one in found if isinstance(one, str)] == [thing for thing in things if thing not in why]
    assert isinstance(parallel.one(dear, "end"), parallel.Exceeded) and list(parallel.in_order(dear, [])) == []


# Whoever is killed


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, str]]]:
    """A class, and the grades of an uninterrupted run."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    classroom.make(folder, NAME, LARGE, [classroom.right, classroom.unfinished, classroom.stops, classroom.no_python])
    grade(folder, out)
    return folder, classroom.grades(out)


def test_a_coordinator_killed_again_and_again(large: tuple[Path, list[dict[str, str]]], tmp_path: Path) -> None:
    """Between grades, and as it opens files under OUT. The grades come out the same."""
    folder, wanted = large
    moments = [(1, "*"), (1, "kept"), (2, "kept"), (7, "*"), (9, "kept"), (1, "grades.csv*"), (1, "similarity.csv")]
    known = []
    for opened, pattern in moments:
        process = interrupted.grade_until(signal.SIGKILL, opened, pattern, folder, tmp_path, "--jobs", "1")
        printed, _ = process.communicate()
        known.append(graded_in(tmp_path))
        assert process.returncode == -signal.SIGKILL or known[-1] == LARGE, printed
    assert 0 == known[0] < known[1] < known[2] <= LARGE == known[-1]
    printed, _ = interrupted.grade(folder, tmp_path, "--jobs", "1").communicate()
    assert classroom.grades(tmp_path) == wanted, printed


def graded_in(out: Path) -> int:
    """Submissions with a grade."""
    try:
        with Gradebook.reading(out) as book:
            return sum(row.packed is not None for row in book.rows())
    except BatchError:
        return 0


def _killed(marked: str, counter: str, job: Job) -> bytes:
    """Grades, unless the code holds a mark and that did not happen often enough yet: then the process is killed."""
    if marked in "".join(job.cells):
        with open(counter, "a") as file:
            file.write(".")
            if file.tell() <= int(Path(counter).suffix[1:]):
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
    return workers._grade(job)


def kill_when(monkeypatch: pytest.MonkeyPatch, marked: str, counter: Path) -> None:
    """From now on, code with this mark takes the grader that gets it with it, as often as the counter's ending says."""

    def submit(self: Processes, job: Job) -> object:
        return self._pool.schedule(_killed, (marked, str(counter), job), timeout=workers.DEADLINE)

    monkeypatch.setattr(Processes, "submit", submit)


def test_a_grader_killed_in_the_middle(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs that take their grader with them go to others, and nobody's grade differs."""
    folder, wanted = large
    kill_when(monkeypatch, "# submission 2", tmp_path / "killed.2")
    grade(folder, tmp_path)
    assert len((tmp_path / "killed.2").read_text()) > 2
    assert classroom.grades(tmp_path) == wanted


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A class of two."""
    classroom.make(tmp_path / "class", NAME, 2, [classroom.right])
    return tmp_path / "class"


def test_a_submission_that_no_grader_survives(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried three times, then named for a human; it costs nobody else anything, and the next run tries again."""
    kill_when(monkeypatch, "# submission 0\n", tmp_path / "killed.99")
    _, printed = grade(two, tmp_path / "out")
    assert len((tmp_path / "killed.99").read_text()) == 3
    rows = by_student(tmp_path / "out")
    assert [(row["status"], row["score"]) for row in rows.values()] == [("killed", "0"), ("graded", "20")]
    named = printed.partition("To look at yourself, without a grade:\n")[2].splitlines()[0]
    assert "student0000: no grade could be given" in named and "exit code -9" in named
    feedback = (tmp_path / "out" / "feedback" / "student0000" / f"{NAME}.md").read_text("utf-8")
    assert "the teaching staff will look at it" in feedback
    monkeypatch.undo()
    grade(two, tmp_path / "out")
    assert {row["score"] for row in classroom.grades(tmp_path / "out")} == {"20"}


def _broken(job: Job) -> bytes:
    raise RuntimeError("no grader works here")


def test_a_machine_that_cannot_grade(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solution cannot be graded either, the run stops and nobody gets a zero."""
    monkeypatch.setattr(Processes, "submit", lambda self, job: self._pool.schedule(_broken, (job,)))
    with pytest.raises(BatchError, match="no grader works here.*neither can the solution of"):
        grade(two, tmp_path / "out", jobs=1)
    with Gradebook.reading(tmp_path / "out") as book:
        assert not list(book.rows())


def _hangs(marker: str, job: Job) -> bytes:
    """The first job of all stops its grader."""
    try:
        Path(marker).open("x").close()
    except FileExistsError:
        return workers._grade(job)
    os.kill(os.getpid(), signal.SIGSTOP)
    return b""


def test_a_grader_that_hangs(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended at the deadline, and another does its work."""
    marker = tmp_path / "hangs"

    def submit(self: Processes, job: Job) -> object:
        return self._pool.schedule(_hangs, (str(marker), job), timeout=60.0 if marker.exists() else 2.0)

    monkeypatch.setattr(Processes, "submit", submit)
    grade(two, tmp_path / "out", jobs=1)
    assert {row["score"] for row in classroom.grades(tmp_path / "out")} == {"20"}


def test_control_c_keeps_what_is_graded(large: tuple[Path, list[dict[str, str]]], tmp_path: Path) -> None:
    """The same command goes on from there."""
    folder, wanted = large
    process = interrupted.grade_until(signal.SIGINT, 4, "kept", folder, tmp_path, "--jobs", "1")
    printed, _ = process.communicate()
    assert process.returncode == 130, printed
    assert "What was graded is kept" in printed and "Traceback" not in printed
    done = graded_in(tmp_path)
    assert 3 <= done < LARGE
    summary, _ = grade(folder, tmp_path)
    assert summary.reused >= done and classroom.grades(tmp_path) == wanted


def takes_a_minute(name: str, number: int, begun: str) -> str:
    """Leaves a file where it may, and takes nearly as long as a call may take, again and again."""
    slow = f"def sinusoidal_encoding(*given):\n    open({begun!r}, 'w').close()\n    time.sleep(4)\n"
    return f"{classroom.right(name, number)}\n\nimport time\n\n{slow}"


def test_an_interrupted_command_waits_for_no_submission(tmp_path: Path) -> None:
    """It ends with the exit code of an interruption; nobody gets a grade for what was in progress, and no process
    stays."""
    begun = secrets.token_hex()
    classroom.make(tmp_path / "class", NAME, 2, [partial(takes_a_minute, begun=begun)])
    process = interrupted.grade(tmp_path / "class", tmp_path / "out", "--jobs", "2")
    # Not Path.glob, which raises where somebody else's folder goes in the midst of it.
    while len(glob.glob(f"{tempfile.gettempdir()}/grader-*/*/scratch-*/files/{begun}")) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    processes = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    printed = process.communicate()[0]
    assert process.returncode == 130, printed
    assert graded_in(tmp_path / "out") == 0
    assert psutil.wait_procs(processes, timeout=10)[1] == []


def test_what_is_not_handed_in_any_more_leaves_no_feedback(small: tuple[Path, Path], tmp_path: Path) -> None:
    """Nor results; a note that somebody else put there stays."""
    folder, out = tmp_path / "class", tmp_path / "out"
    shutil.copytree(small[0], folder)
    (folder / NAME / "eve.py").unlink()  # she takes the time of three workers
    grade(folder, out)
    (out / "feedback" / "cy" / "note.txt").write_text("mine")
    for student in ("bob", "cy"):
        (folder / NAME / f"{student}.py").unlink()
    grade(folder, out)
    assert "bob" not in by_student(out)
    assert not (out / "feedback" / "bob").exists() and not (out / "results" / "bob").exists()
    assert [path.name for path in (out / "feedback" / "cy").iterdir()] == ["note.txt"]
    assert (out / "feedback" / "ada" / f"{NAME}.md").exists()


@pytest.mark.parametrize("content", ["", "next year", "1.5", "1 2"])
def test_a_bad_seed_is_named(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence."""
    seed = tmp_path / "tests" / "hidden" / "seed.txt"
    seed.parent.mkdir(parents=True)
    seed.write_text(content)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    with pytest.raises(course.CourseError, match=r"tests/hidden/seed.txt holds .*: write one whole number"):
        course.seed()


@pytest.mark.usefixtures("cold_graders")
def test_nothing_is_left_behind(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No temporary file and no process, nor anything outside OUT."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(workers.tempfile, "tempdir", str(scratch))
    grade(two, tmp_path / "out")
    assert list(scratch.iterdir()) == []
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"grades.csv", "gradebook.sqlite", "results", "feedback", "similarity.csv", "report.html"}
    assert not any("wal" in name or "unfinished" in name for name in names)


# Bad disks and bad files


def flipped(path: Path, draw: random.Random) -> None:
    """A byte of the file is another one."""
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


@pytest.mark.parametrize("seed", [0, 1, 3, 8])
def test_a_damaged_gradebook(small: tuple[Path, Path], tmp_path: Path, seed: int) -> None:
    """What is damaged is graded anew, to the same grades; who only reads gets one sentence, or what was there."""
    folder, out = small[0], tmp_path / "out"
    shutil.copytree(small[1], out)
    draw, path = random.Random(seed), out / FILE
    if seed == 0:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif seed == 1:
        path.write_bytes(b"no gradebook")
    else:
        for _ in range(4**seed if seed < 6 else 200):
            flipped(path, draw)
    with contextlib.suppress(BatchError), Gradebook.reading(out) as book:
        list(book.rows()), book.replaced(), book.questions()
    grade(folder, out)
    assert classroom.grades(out) == classroom.grades(small[1])


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(NothingToGrade):
        grade(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
