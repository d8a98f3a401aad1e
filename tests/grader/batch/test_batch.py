"""Many submissions: nothing is lost and nothing graded twice, whoever is killed and whenever."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import multiprocessing
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import ClassVar

import psutil
import pytest
from rich.console import Console

from autograder import course, parallel
from autograder.batch import coordinator, pool
from autograder.batch import jobs as jobs_room
from autograder.batch.coordinator import RunConfiguration
from autograder.batch.gradebook import Gradebook
from autograder.batch.jobs import BatchError, GraderReply, Job, Setup
from autograder.batch.pool import GraderProcess
from autograder.batch.summary import Summary
from autograder.grading.row import Key
from autograder.submission import find_in_folder, read
from tests.grader.support import classroom, interrupted

NAME = "sinusoidal"
"""The assignment whose suite is quickest."""

LARGE = 16
"""Submissions of the class on which runs are interrupted."""


def grade(folder: Path, out: Path, **options: object) -> tuple[Summary, str]:
    """A run in this process, and what it printed."""
    printed = io.StringIO()
    configuration = RunConfiguration(folder, out, **({"jobs": 2} | options))  # type: ignore[arg-type]
    summary = coordinator.grade(configuration, Console(file=printed, width=200))
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
    (folder / "mystery.py").write_text("x = 1\n")
    grade(folder, out)
    return folder, out


def by_student(out: Path) -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in classroom.grades(out)}


def test_everything_has_a_row(small: tuple[Path, Path]) -> None:
    """Whatever was handed in: a status, a score and a file name, sorted by assignment and then student."""
    rows = by_student(small[1])
    statuses = {student: row["status"] for student, row in rows.items()}
    assert statuses == {
        "mystery": "unreadable",
        "'=HYPERLINK(1)": "graded",
        "ada": "graded",
        "bob": "graded",
        "cy": "graded",
        "di": "import_error",
        "eve": "killed",
        "fay": "unreadable",
        "gus": "unreadable",
    }
    assert {row["max_score"] for student, row in rows.items() if student != "mystery"} == {"20"}
    assert [rows[student]["score"] for student in ("ada", "cy", "di", "fay", "mystery")] == ["20", "0", "20", "0", "0"]
    assert rows["ada"]["file"] == f"{NAME}/ada.py"
    first_line = (small[1] / "grades.csv").read_text("utf-8").split("\n")[0].split(",")
    assert first_line[:8] == ["student", "assignment", "score", "max_score", "status", "file", "sha256", "seconds"]
    assert set(first_line[8:]) >= {"frequencies", "ANSWERS"}
    questions = sum(float(rows["ada"][name]) for name in first_line[8:])
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
    monkeypatch.setattr(pool, "GraderProcess", None)
    summary, _ = grade(folder, out)
    assert (summary.graded, summary.reused, summary.waiting) == (0, 8, 0)
    assert (out / "grades.csv").read_bytes() == before
    assert feedback.read_bytes() == said


def test_identical_files_are_graded_once(small: tuple[Path, Path]) -> None:
    """Ada and Bob share a grade, and the summary says so without a word about why."""
    with Gradebook.reading(small[1]) as book:
        rows = {row.submission.student: row for row in book.rows()}
        assert rows["ada"].key == rows["bob"].key
        assert rows["ada"].seconds == rows["bob"].seconds
    summary, printed = grade(*small)
    identical, alike = summary.needs_human["alike"]
    assert identical == f"{NAME}: ada, bob handed in identical code"
    assert "ada" in alike and "reference solution are much the same" in alike  # it is the solution that they handed in
    assert "handed in identical code" in printed
    assert (
        printed.rstrip().splitlines()[-1].startswith("Results: ") and "report.html" in printed.rstrip().splitlines()[-1]
    )


def test_the_summary_names_what_needs_a_human(small: tuple[Path, Path]) -> None:
    """And the first thing to look at of each submission of a small class."""
    summary, printed = grade(*small)
    assert [len(summary.needs_human[kind]) for kind in ("unreadable", "killed")] == [3, 1]
    named = " ".join(summary.needs_human["unreadable"] + summary.needs_human["killed"])
    assert all(student in named for student in ("mystery", "eve", "fay", "gus"))
    first = {row[0]: row[-1] for row in summary.rows}
    assert first["ada"] == "all tests pass"
    assert first["cy"].startswith("No function of sinusoidal is written yet")
    assert any("cy" in said for said in summary.needs_human["graded"])
    assert first["di"].startswith("the file stops at line ")
    assert "RuntimeError: submission 2" in first["di"]
    assert "first thing to look at" in printed


def test_regrading_is_forced(small: tuple[Path, Path], tmp_path: Path) -> None:
    """Everything is graded again, to the same grades."""
    folder, out = small
    again = tmp_path / "out"
    shutil.copytree(out, again)
    summary, _ = grade(folder, again, regrade=True)
    assert (summary.graded, summary.reused) == (8, 0)
    assert classroom.grades(again) == classroom.grades(out)


def test_several_assignments_share_a_table(tmp_path: Path) -> None:
    """A question's column then carries the name of its assignment, and is empty for the others."""
    for name in ("alibi", NAME):
        classroom.make(tmp_path / "class", name, 1, [classroom.right])
    grade(tmp_path / "class", tmp_path / "out")
    alibi, sinusoidal = classroom.grades(tmp_path / "out")
    assert (alibi["assignment"], sinusoidal["assignment"]) == ("alibi", NAME)
    assert alibi["alibi.alibi_slopes"] and not sinusoidal["alibi.alibi_slopes"]
    assert alibi["alibi.ANSWERS"] and sinusoidal[f"{NAME}.ANSWERS"] and not sinusoidal["alibi.ANSWERS"]


def test_a_changed_hidden_test_regrades_its_assignment_alone(tmp_path: Path, quick_python: Path) -> None:
    """In a copy of the course: one line is added to one hidden test."""
    root = classroom.copy_of_the_course(tmp_path)
    for name in ("alibi", NAME):
        classroom.make(tmp_path / "class", name, 1, [classroom.right])
    printed, _ = interrupted.grade(tmp_path / "class", tmp_path / "out", root=root, python=quick_python).communicate()
    assert "2 graded" in printed, printed
    with (root / "tests" / "hidden" / "test_alibi.py").open("a") as test:
        test.write("\n# changed\n")
    printed, _ = interrupted.grade(tmp_path / "class", tmp_path / "out", root=root, python=quick_python).communicate()
    assert "1 graded" in printed and "1 known before" in printed, printed


def test_many_are_read_side_by_side_and_in_order(tmp_path: Path) -> None:
    """As one by one; a reading process that is killed costs nobody anything."""
    kinds = [classroom.unfinished, classroom.no_python, classroom.stops]
    classroom.make(tmp_path, "alibi", 30, kinds)
    found = find_in_folder(tmp_path, None, ["alibi"]).hand_ins
    wanted = [read(one, ("alibi",)) for one in found]
    several = parallel.in_order(partial(read, known=("alibi",)), iter(found))
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


def test_a_coordinator_killed_again_and_again(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, quick_python: Path
) -> None:
    """As it opens any of the files under OUT, from the first to the last: the grades come out the same."""
    folder, wanted = large
    draw = random.Random(20)
    moments = [(draw.randrange(1, 8), "*") for _ in range(4)] + [(1, "grades.csv*"), (1, "similarity.csv")]
    seen = []
    for opened, pattern in moments:
        run = interrupted.grade_until(
            signal.SIGKILL, opened, pattern, folder, tmp_path, "--jobs", "1", python=quick_python
        )
        printed, _ = run.communicate()
        assert run.returncode == -signal.SIGKILL, printed
        seen.append(graded_in(tmp_path))
    assert 0 < seen[0] < seen[3] < seen[4] == LARGE  # between grades, and after them
    printed, _ = interrupted.grade(folder, tmp_path, "--jobs", "1", python=quick_python).communicate()
    assert classroom.grades(tmp_path) == wanted, printed


def test_a_grader_killed_in_the_middle(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three jobs take their graders with them: they go to others, and nobody's grade differs."""
    folder, wanted = large
    given: list[Job] = []

    def is_unlucky(job: Job) -> bool:
        given.append(job)
        return len(given) in (2, 7, 12)

    kill_when(monkeypatch, is_unlucky)
    grade(folder, tmp_path)
    assert len(given) > len({job.key for job in given})
    assert classroom.grades(tmp_path) == wanted


def kill_when(monkeypatch: pytest.MonkeyPatch, wanted: Callable[[Job], bool]) -> None:
    """From now on, wanted jobs take the grader that gets them with them."""
    ask = GraderProcess.ask

    def kill_and_ask(self: GraderProcess, job: Job) -> GraderReply:
        if wanted(job):
            self.ready = self.ready or not self._hear().lost
            self._process.kill()
        return ask(self, job)

    monkeypatch.setattr(GraderProcess, "ask", kill_and_ask)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A class of two."""
    classroom.make(tmp_path / "class", NAME, 2, [classroom.right])
    return tmp_path / "class"


def test_a_submission_that_no_grader_survives(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried three times, then named for a human; it costs nobody else anything, and the next run tries again."""
    tries: list[Job] = []

    def is_the_first(job: Job) -> bool:
        if "# submission 0\n" in "".join(job.cells) and job.probe_of is None:
            tries.append(job)
            return True
        return False

    kill_when(monkeypatch, is_the_first)
    summary, _ = grade(two, tmp_path / "out")
    assert len(tries) == 3
    rows = by_student(tmp_path / "out")
    assert [(row["status"], row["score"]) for row in rows.values()] == [("killed", "0"), ("graded", "20")]
    (named,) = summary.needs_human["without a grade"]
    assert "student0000: no grade could be given" in named and "signal 9" in named
    feedback = (tmp_path / "out" / "feedback" / "student0000" / f"{NAME}.md").read_text("utf-8")
    assert "the teaching staff will look at it" in feedback
    monkeypatch.undo()
    grade(two, tmp_path / "out")
    assert {row["score"] for row in classroom.grades(tmp_path / "out")} == {"20"}


def test_a_machine_that_cannot_grade(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solution cannot be graded either, the run stops and nobody gets a zero."""
    kill_when(monkeypatch, lambda job: True)
    monkeypatch.setattr(jobs_room, "TRIES", 1)
    with pytest.raises(BatchError, match="neither can the solution of"):
        grade(two, tmp_path / "out", jobs=1)
    with Gradebook.reading(tmp_path / "out") as book:
        assert not list(book.rows())


@pytest.mark.usefixtures("cold_graders")
def test_graders_that_do_not_start(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence carries the last that they said."""
    monkeypatch.setattr(pool, "PACKAGE", tmp_path / "autograder")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "executable", str(shutil.which("false")))
    with pytest.raises(BatchError, match="no grader can be started: the grader ended with exit code 1"):
        grade(two, tmp_path / "out")


@pytest.mark.usefixtures("cold_graders")
def test_a_grader_that_hangs(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, and another does its work."""
    stopped: list[Job] = []
    say = GraderProcess._say

    def say_and_stop(self: GraderProcess, message: object) -> None:
        say(self, message)
        if not stopped and isinstance(message, Job):
            stopped.append(message)
            os.kill(self._process.pid, signal.SIGSTOP)
            monkeypatch.setattr(pool, "ANSWER_SECONDS", 3.0)
        elif stopped:
            monkeypatch.setattr(pool, "ANSWER_SECONDS", 1e6)

    monkeypatch.setattr(GraderProcess, "_say", say_and_stop)
    classroom.make(two, NAME, 3, [classroom.right])
    grade(two, tmp_path / "out", jobs=1)
    assert stopped
    assert {row["score"] for row in classroom.grades(tmp_path / "out")} == {"20"}


class _Waits(GraderProcess):
    """No process: answers at once, and about the first job only after all others."""

    asked: ClassVar[list[GraderProcess]] = []

    def _start(self) -> None:
        self.ready, self.since = True, math.inf

    def ask(self, job: Job) -> GraderReply:
        self.since = time.monotonic()
        self.asked.append(self)
        while job.key.code == "0" and len(self.asked) < LARGE and time.monotonic() < self.since + 3.0:
            time.sleep(0.01)
        return GraderReply()

    def kill(self) -> None:
        pass

    def end(self) -> None:
        pass


def test_one_slow_submission_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the one grader is slow another is at work beside it, and only one."""
    monkeypatch.setattr(pool, "GraderProcess", _Waits)
    monkeypatch.setattr(pool, "SLOW_SECONDS", 0.0)
    keys = [Key(NAME, "suite", str(number)) for number in range(LARGE)]
    with contextlib.closing(pool.Pool(1, Setup())) as graders:
        answers = list(graders.answers(jobs_room.JobQueue(keys, Job), lambda: None))
        assert {job.key for job, _ in answers} == {*keys} and keys[0] in [job.key for job, _ in answers[-2:]]
        assert not any(answer.lost for _, answer in answers) and len({*_Waits.asked}) == 2


class _Leaves(jobs_room.Graders):
    """A grader that answers one job and then has no room any more."""

    def has_room(self, under_way: int) -> bool:
        if self.answered:
            raise BatchError("no worker is left")
        return under_way == 0

    def submit(self, job: Job) -> Future[GraderReply]:
        future: Future[GraderReply] = Future()
        future.set_result(GraderReply())
        return future

    def reply(self, future: Future[GraderReply]) -> GraderReply:
        self.answered = True
        return future.result()

    def close(self) -> None:
        pass

    answered = False


class _WaitsForOthers(_Leaves):
    """A grader that answers about its first job only when it is told to."""

    def __init__(self) -> None:
        self.first: Future[GraderReply] = Future()

    def has_room(self, under_way: int) -> bool:
        return True

    def submit(self, job: Job) -> Future[GraderReply]:
        return self.first if job.key.code == "0" else super().submit(job)


def test_what_has_come_can_be_kept_while_the_last_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_room, "LOOK_AGAIN", 0.0)
    keys = [Key(NAME, "suite", str(number)) for number in range(3)]
    graders, come, kept = _WaitsForOthers(), [], []

    def keep() -> None:
        kept.extend(come)
        graders.first.set_result(GraderReply())

    for job, _ in graders.answers(jobs_room.JobQueue(keys, Job), keep):
        come.append(job.key)
    assert sorted(kept) == keys[1:] and come[-1] == keys[0]


def test_an_answer_that_has_come_is_kept_where_no_grader_is_left() -> None:
    keys = [Key(NAME, "suite", str(number)) for number in range(3)]
    answers = _Leaves().answers(jobs_room.JobQueue(keys, Job), lambda: None)
    assert next(answers) == (Job(keys[0]), GraderReply())
    with pytest.raises(BatchError, match="no worker is left"):
        next(answers)


@pytest.mark.usefixtures("cold_graders")
def test_every_grader_keeps_to_one_core() -> None:
    """With all that it starts, and so does the one that replaces it; no two to the same, as long as there are
    others."""

    def cores(graders: pool.Pool) -> list[set[int]]:
        return [os.sched_getaffinity(one._process.pid) for one in graders._graders]

    mine = os.sched_getaffinity(0)
    with contextlib.closing(pool.Pool(len(mine), Setup())) as graders:
        kept = cores(graders)
        assert sorted(map(tuple, kept)) == [(core,) for core in sorted(mine)]
        next(iter(graders._graders)).restart()
        assert cores(graders) == kept


def graded_in(out: Path) -> int:
    return len(list((out / "feedback").glob("*/*.md"))) if (out / "feedback").exists() else 0


def test_control_c_keeps_what_is_graded(
    large: tuple[Path, list[dict[str, str]]], tmp_path: Path, quick_python: Path
) -> None:
    """Everything graded by then is written, and the command that is printed goes on from there."""
    folder, wanted = large
    run = interrupted.grade_until(
        signal.SIGINT, 4, "feedback/*.md", folder, tmp_path, "--jobs", "1", python=quick_python
    )
    printed, _ = run.communicate()
    assert run.returncode == 130, printed
    assert "Stopping: nothing more is begun." in printed
    assert f"autograder grade {folder} --out {tmp_path} --jobs 1" in printed
    done = classroom.grades(tmp_path)
    assert 3 <= len(done) < LARGE
    assert f"{LARGE - len(done)} not graded yet" in printed
    assert all(row in wanted for row in done)
    grade(folder, tmp_path)
    assert classroom.grades(tmp_path) == wanted


def takes_a_minute(name: str, number: int, begun: str) -> str:
    """Leaves a file where it may, and takes nearly as long as a call may take, again and again."""
    slow = f"def sinusoidal_encoding(*given):\n    open({begun!r}, 'w').close()\n    time.sleep(4)\n"
    return f"{classroom.right(name, number)}\n\nimport time\n\n{slow}"


@pytest.mark.parametrize("presses", [1, 2])
def test_an_interrupted_command_waits_for_no_submission(tmp_path: Path, presses: int) -> None:
    """It ends with the exit code of an interruption; nobody gets a grade for what was in progress, and no process
    stays."""
    begun = secrets.token_hex()
    classroom.make(tmp_path / "class", NAME, 2, [partial(takes_a_minute, begun=begun)])
    run = interrupted.grade(tmp_path / "class", tmp_path / "out", "--jobs", "2")
    while len(list(Path(tempfile.gettempdir()).glob(f"grader-*/scratch-*/files/{begun}"))) < 2:
        assert run.poll() is None
        time.sleep(0.05)
    processes = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    assert run.stdout is not None
    printed = "".join(itertools.takewhile(lambda line: "Stopping" not in line, run.stdout))
    if presses == 2:
        run.send_signal(signal.SIGINT)
    printed += run.communicate()[0]
    assert run.returncode == 130, printed
    assert "2 not graded yet. To go on:" in printed and f"autograder grade {tmp_path / 'class'}" in printed
    assert not classroom.grades(tmp_path / "out")
    assert psutil.wait_procs(processes)[1] == []


def test_what_is_withdrawn_leaves_no_feedback(small: tuple[Path, Path], tmp_path: Path) -> None:
    """Nor results; a note that somebody else put there stays."""
    folder, out = tmp_path / "class", tmp_path / "out"
    shutil.copytree(small[0], folder)
    (folder / NAME / "eve.py").unlink()  # she takes the time of three workers
    grade(folder, out)
    (out / "feedback" / "cy" / "note.txt").write_text("mine")
    for student in ("bob", "cy"):
        (folder / NAME / f"{student}.py").unlink()
    _, printed = grade(folder, out)
    assert f"Taken out, since the folder does not hold it any more: 2 of {NAME}: bob, cy." in printed
    assert "bob" not in by_student(out)
    assert not (out / "feedback" / "bob").exists() and not (out / "results" / "bob").exists()
    assert [path.name for path in (out / "feedback" / "cy").iterdir()] == ["note.txt"]
    assert (out / "feedback" / "ada" / f"{NAME}.md").exists()


def test_two_names_that_look_the_same_are_told_apart(tmp_path: Path) -> None:
    """They differ in their Unicode form alone: rows and page show the folder of each."""
    for number, form in enumerate(("NFC", "NFD")):
        path = tmp_path / "class" / NAME / f"{unicodedata.normalize(form, 'José')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(classroom.unfinished(NAME, number), "utf-8")
    if len(list(path.parent.iterdir())) < 2:
        pytest.skip("this file system takes both names for one")
    _, printed = grade(tmp_path / "class", tmp_path / "out")
    names = list(by_student(tmp_path / "out"))
    assert len({unicodedata.normalize("NFC", name) for name in names}) == 2
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    for name in names:
        folder = name.partition("[")[2].rstrip("]")
        assert (tmp_path / "out" / "feedback" / folder / f"{NAME}.md").exists()
        assert name in printed and name in page


def test_the_last_lines_of_a_run(tmp_path: Path) -> None:
    """A line per assignment; the students one by one where they fit or were asked for; what was passed over is
    named."""
    for name in ("alibi", NAME):
        classroom.make(tmp_path / "class", name, 9, [classroom.unfinished, classroom.no_python])
    (tmp_path / "class" / NAME / "dave.py~").write_text("x = 1\n")
    summary, printed = grade(tmp_path / "class", tmp_path / "out")
    lines = [line.split() for line in printed.splitlines()]
    count = sum(
        row["status"] == "unreadable" and row["assignment"] == NAME for row in classroom.grades(tmp_path / "out")
    )
    assert [NAME, "9", "submissions", "median", "0", "of", "20", str(count), "unreadable"] in lines
    assert "18 graded in" in printed and "first thing to look at" not in printed
    assert f"Skipped, as nobody's submission or an editor's copy: {NAME}/dave.py~." in printed
    _, printed = grade(tmp_path / "class", tmp_path / "out", table=True)
    assert "first thing to look at" in printed and printed.count("student0003") >= 2


@pytest.mark.parametrize("content", ["", "next year", "1.5", "1 2"])
def test_a_bad_seed_is_named(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence."""
    seed = tmp_path / "tests" / "hidden" / "seed.txt"
    seed.parent.mkdir(parents=True)
    seed.write_text(content)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    with pytest.raises(course.CourseError, match=r"tests/hidden/seed.txt holds .*: write one whole number"):
        course.seed()


def test_a_bad_seed_ends_every_command(tmp_path: Path, quick_python: Path) -> None:
    """Before anything is graded."""
    root = classroom.copy_of_the_course(tmp_path)
    (root / "tests" / "hidden" / "seed.txt").write_text("next year")
    classroom.make(tmp_path / "class", NAME, 1, [classroom.right])
    grading = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
    for words in (grading, ["check", str(tmp_path / "class" / NAME / "student0000.py")]):
        done = subprocess.run(
            [str(quick_python), "-m", "autograder.cli", *words], cwd=root, capture_output=True, text=True
        )
        assert done.returncode == 2 and "write one whole number" in done.stderr and "Traceback" not in done.stderr, (
            done.stderr
        )


def test_two_runs_on_one_folder(large: tuple[Path, list[dict[str, str]]], tmp_path: Path) -> None:
    """The second one says so and leaves the first alone."""
    folder, wanted = large
    run = interrupted.grade_until(signal.SIGSTOP, 1, "feedback/*.md", folder, tmp_path, "--jobs", "1")
    os.waitpid(run.pid, os.WUNTRACED)  # until it has stopped in the middle
    with pytest.raises(BatchError, match="another run is grading into"):
        grade(folder, tmp_path)
    run.send_signal(signal.SIGCONT)
    run.communicate()
    assert classroom.grades(tmp_path) == wanted


@pytest.mark.usefixtures("cold_graders")
def test_nothing_is_left_behind(two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No temporary file and no process, nor anything outside OUT."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(pool.tempfile, "tempdir", str(scratch))
    grade(two, tmp_path / "out")
    assert list(scratch.iterdir()) == []
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"grades.csv", "gradebook.sqlite", "results", "feedback", "similarity.csv", "report.html"}
    assert not any("wal" in name or "unfinished" in name for name in names)


# Bad disks and bad files


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 700 KiB, where this machine lets us mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root in a machine of its own can mount a disk; test_gradebook has SQLite's own limit instead")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(large: tuple[Path, list[dict[str, str]]], tiny_disk: Path) -> None:
    """One sentence; with room made, the same command ends with the grades of an uninterrupted run."""
    folder, wanted = large
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(bytes(300 * 1024))
    with pytest.raises(BatchError, match="is full: every grade until now is kept; make room"):
        grade(folder, tiny_disk / "out")
    subprocess.run(["mount", "-o", "remount,size=16m", str(tiny_disk)], check=True)
    summary, _ = grade(folder, tiny_disk / "out")
    assert summary.reused > 0
    assert classroom.grades(tiny_disk / "out") == wanted


def test_a_damaged_gradebook(small: tuple[Path, Path], tmp_path: Path) -> None:
    """The sentence says what to do, and doing it grades everything anew."""
    folder, out = small
    damaged = tmp_path / "out"
    shutil.copytree(out, damaged)
    path = damaged / "gradebook.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BatchError, match="damaged: move it away and run the same command again"):
        grade(folder, damaged)
    path.rename(damaged / "moved.sqlite")
    grade(folder, damaged)
    assert classroom.grades(damaged) == classroom.grades(out)


def test_an_empty_folder(tmp_path: Path) -> None:
    from autograder.submission import NothingToGrade

    with pytest.raises(NothingToGrade):
        grade(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_suite_that_does_not_add_up_grades_nobody(two: Path, tmp_path: Path, quick_python: Path) -> None:
    """It is refused as `make handout` refuses it."""
    root = classroom.copy_of_the_course(tmp_path)
    path = root / "tests" / "hidden" / f"test_{NAME}.py"
    path.write_text(path.read_text("utf-8").replace("points=0.5", "points=0.75", 1), "utf-8")
    run = interrupted.grade(two, tmp_path / "out", "--jobs", "1", root=root, python=quick_python)
    printed, _ = run.communicate()
    assert run.returncode == 2 and f"the tests of {NAME} are worth 20.25 points" in printed
    assert not (tmp_path / "out" / "grades.csv").exists() or not classroom.grades(tmp_path / "out")
