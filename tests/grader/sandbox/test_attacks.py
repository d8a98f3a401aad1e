"""Hostile submissions, one idea each (`attacks/`): the score is an honest stub's, and nothing of the world has changed.

Each runs inside the wall alone, on canaries that this file sets up.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import runpy
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt

from autograder import course
from autograder.checks.results import Phase, TestResult
from autograder.grading import feedback
from autograder.grading.grade import Grade, to_json
from autograder.grading.grader import Grader
from autograder.grading.row import PackedGrade
from autograder.grading.scoring import gradescope
from autograder.grading.suite import Suite
from autograder.protocol.call import Call
from autograder.protocol.failure import Status
from autograder.sandbox.backend import Sandboxed
from autograder.sandbox.client import Sandbox
from autograder.sandbox.confine import FIRST_USER
from autograder.sandbox.limits import LIMITS, Limits
from autograder.submission import Submission, read_file
from tests.grader.support.told import markdown

ROPE = course.find("rope")
FOLDER = Path(__file__).with_name("attacks")
COMMON = FOLDER / "common.py"
ATTACKS = sorted(path for path in FOLDER.glob("*.py") if path != COMMON)

QUICK = dataclasses.replace(LIMITS, call_seconds=0.3, submission_seconds=2.0)
"""The limits where an attack waits for the clock, which is no less real when it runs faster."""

WAITING = "deadly_calls garbage_on_the_wire loop_at_import slow_in_hidden_tests take_too_much".split()

FILES = ["grades.csv", "ada.py"]
"""The grades, and another submission."""

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/", str(course.ROOT), tempfile.gettempdir(), str(Path.home()))


@dataclass
class Field:
    """What there is to attack, and what has been seen of the attacks."""

    canary: str
    folder: Path
    targets: dict[str, Any]
    process: subprocess.Popen[bytes]
    grader: Grader
    kept_before: set[str]
    workers: list[int] = field(default_factory=list)
    """process ids of all workers so far"""
    replaced: int = 0
    """how often the last submission's worker was replaced while hidden tests were running"""
    printed: str = ""
    """what the last submission printed, in hidden tests too"""
    hidden: bool = False
    """whether hidden tests are running"""
    asked: dict[bool, set[str]] = field(default_factory=dict)
    """marks of the arguments that the last submission was shown, and of its workers, in public and in hidden tests"""


carried: Callable[[Any], str] = runpy.run_path(str(COMMON), {"TARGETS": {"folder": "", "files": [""]}})["carried"]


@pytest.fixture(scope="module")
def ground() -> Iterator[Field]:
    """Canaries of every kind, and a warm grader among them."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        canary = f"canary-{secrets.token_hex(16)}"
        patch.setenv("WHEREABOUTS_SECRET", canary)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="canaries-")))
        folder.chmod(0o777)
        for name in FILES:
            (folder / name).write_text(canary)
            (folder / name).chmod(0o666)
        process = stack.enter_context(_process())
        grader = stack.enter_context(Grader())
        targets = {"folder": str(folder), "files": FILES, "mark": canary.replace("canary", "mark")}
        targets |= {"process": process.pid, "grader": os.getpid()}
        found = Field(canary, folder, targets, process, grader, kept_by_the_kernel())
        _record(found, patch)
        yield found


@contextmanager
def _process() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the grader's user, in a group of its own, ended with the test whatever has been done to it."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _record(ground: Field, patch: pytest.MonkeyPatch) -> None:
    """Write down every worker, everything printed, and every argument that a submission is shown."""
    honest_open, honest_call, honest_close, honest_run = Sandbox.open, Sandboxed.call, Sandboxed.close, Suite.run

    def open_worker(self: Sandbox) -> Any:
        worker = honest_open(self)
        ground.workers.append(worker.process)
        ground.replaced += ground.hidden
        # What it says of itself could carry what the one before it has seen.
        ground.asked.setdefault(ground.hidden, set()).add(carried((worker.process,)))
        return worker

    def call(self: Sandboxed, call: Call) -> Any:
        ground.asked.setdefault(ground.hidden, set()).add(carried(call.args))
        return honest_call(self, call)

    def close(self: Sandboxed) -> None:
        honest_close(self)
        ground.printed = self.printed

    def run(self: Suite, backend: Any, *phases: Phase) -> Any:
        ground.hidden = Phase.HIDDEN in phases
        return honest_run(self, backend, *phases)

    patch.setattr(Suite, "run", run)
    patch.setattr(Sandbox, "open", open_worker)
    patch.setattr(Sandboxed, "call", call)
    patch.setattr(Sandboxed, "close", close)


def graded(ground: Field, source: str, limits: Limits = LIMITS) -> Grade:
    """Grade one submission, as a batch does: always the same grader, with the same warm sandbox."""
    ground.asked, ground.replaced = {}, 0
    ground.grader.sandbox.limits = limits
    return ground.grader.grade(ROPE, (source,))


def hostile(ground: Field, attack: Path) -> str:
    """An attack as it is handed in: at the end of the honest stub."""
    stub, common, text = (path.read_text(encoding="utf-8") for path in (ROPE.stub, COMMON, attack))
    return f"{stub}\n\nTARGETS = {ground.targets!r}\n\n{common}\n\n{text}\nprint('TRIED', 'ALL')\n"


def resident() -> int:
    """MiB of memory that this process holds."""
    return int(re.search(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text())[1]) >> 10  # type: ignore[index]


@pytest.fixture(scope="module")
def held(ground: Field, alone: Grade) -> int:
    """The same, before any attack."""
    return resident()


@pytest.fixture(scope="module")
def alone(ground: Field) -> Grade:
    """An honest submission before any attack."""
    grade = graded(ground, ROPE.solution.read_text(encoding="utf-8"))
    assert (grade.status, grade.score) == ("graded", 20.0)
    return grade


@pytest.fixture(scope="module")
def stub(ground: Field, alone: Grade, held: int) -> Grade:
    """The honest stub, before any attack."""
    grade = graded(ground, ROPE.stub.read_text(encoding="utf-8"))
    assert (grade.status, grade.score) == ("graded", 0.0)
    return grade


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_gains_nothing_and_changes_nothing(ground: Field, alone: Grade, stub: Grade, attack: Path) -> None:
    source = hostile(ground, attack)
    grade = graded(ground, source, QUICK if attack.stem in WAITING else LIMITS)
    everything = ground.printed

    assert "TRIED" in everything, "the attack was not even tried"
    assert "TRIED ALL" in everything or attack.stem != "ask_the_kernel", grade.failure
    assert not re.findall(r"ESCAPED.*|BROKEN.*", everything)
    assert ground.canary not in everything
    assert (grade.score, grade.questions) == (stub.score, stub.questions)
    assert len(grade.test_results) == len(stub.test_results)

    nothing_is_left_running(ground)
    nothing_is_left_written(ground)
    handed_in = as_read(source)
    pages = pages_of(handed_in, grade)
    no_secret_is_shown(ground, pages, grade)
    what_is_shown_at_once_is_settled(ground, handed_in, pages, grade)
    assert ground.replaced or attack.stem != "replaced_in_hidden_tests"
    nothing_is_rendered(pages, grade)
    little_is_kept(handed_in, pages, grade)
    the_next_is_as_if_alone(ground)


def test_the_grader_is_as_before(ground: Field, alone: Grade, held: int) -> None:
    """After all attacks an honest submission gets what it got before them, and the grader's own memory is what a
    grader's is."""
    after = graded(ground, ROPE.solution.read_text(encoding="utf-8"))
    assert (after.score, after.status, after.printed) == (20.0, "graded", "")
    assert after.test_results == alone.test_results
    assert resident() < held + 896, f"{held} MiB before, {resident()} MiB now"
    assert len(os.listdir("/proc/self/fd")) < 100


def nothing_is_left_running(ground: Field) -> None:
    """No worker, no process of a worker's user, no child of the zygote; and the canary process is as it was."""
    users = {FIRST_USER + worker for worker in ground.workers}
    zygotes = {sandbox.process.pid for sandbox in sandboxes(ground)}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            lines = (entry / "status").read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        status = dict(line.split(":", 1) for line in lines if ":" in line)
        assert int(status["PPid"]) not in zygotes, status["Name"]
        assert int(status["Uid"].split()[0]) not in users, status["Name"]
        if int(entry.name) == ground.process.pid:
            assert status["State"].split()[0] not in "TtZX"
    assert ground.process.poll() is None
    for row in kept_by_the_kernel() - ground.kept_before:
        assert not users & {*map(int, row.split())}


def sandboxes(ground: Field) -> list[Sandbox]:
    """The grader's, and the one beside it for second looks."""
    return [ground.grader.sandbox, ground.grader.sandbox.beside]


def kept_by_the_kernel() -> set[str]:
    """Shared memory, message queues and semaphores, a line each."""
    return {row for kind in ("shm", "msg", "sem") for row in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]}


def nothing_is_left_written(ground: Field) -> None:
    assert sorted(path.name for path in ground.folder.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (ground.folder / name).read_text() == ground.canary
        assert (ground.folder / name).stat().st_mode & 0o777 == 0o666
    assert not [entry for sandbox in sandboxes(ground) for entry in sandbox.scratch.iterdir()]
    assert not _left(ground)


def as_read(source: str) -> Submission:
    """A submission with that text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{ROPE.name}.py"
        file.write_text(source, encoding="utf-8")
        return read_file(file, ROPE.name, [ROPE.name])


def pages_of(submission: Submission, grade: Grade) -> list[str]:
    """Everything of a grade that a student may get to see, as Markdown."""
    return [markdown(submission, grade), feedback.public_markdown(submission, grade)]


def texts(grade: Grade) -> list[str]:
    """What a student sees of single tests at Gradescope, which shows it as text."""
    return [test["output"] for test in grade.gradescope["tests"] if test["visibility"] == "visible"]


LIVE = {"html_block", "html_inline", "link_open", "image"}
"""What a renderer of Markdown makes of text that is more than text."""


def nothing_is_rendered(pages: list[str], grade: Grade) -> None:
    """No control character, no markup of the submission's, in anything that a student or a teacher opens."""
    for page in [*pages, *texts(grade)]:
        assert all(character.isprintable() or character == "\n" for character in page)
    for page in pages:
        blocks = MarkdownIt("commonmark", {"html": True}).parse(page)
        inline = [token for block in blocks for token in block.children or []]
        assert not [token for token in (*blocks, *inline) if token.type in LIVE]
        assert not [token for token in inline if "20 of 20" in token.content]


MIB = 1 << 20


def little_is_kept(submission: Submission, pages: list[str], grade: Grade) -> None:
    """All that one submission can leave in the gradebook, in Gradescope's JSON and in the feedback, whatever it
    sends."""
    assert len(to_json(grade)) < 2 * MIB
    assert len(json.dumps(grade.gradescope)) < MIB
    assert all(len(page) < MIB // 4 for page in pages)
    packed = PackedGrade.of(grade, ROPE.name)
    assert len(packed.grade) + len(packed.gradescope) + len(packed.feedback) < 2 * MIB


def _code(path: Path) -> set[str]:
    """The lines of a file that say something."""
    return {line.strip() for line in path.read_text(encoding="utf-8").splitlines() if len(line.strip()) > 25}


SHOWN = _code(ROPE.stub) | _code(ROPE.public_tests) | _code(ROPE.lesson)
SECRET = (_code(ROPE.solution) | _code(ROPE.hidden_tests)) - SHOWN
RULES = set(re.findall(r'"""(.*?)"""', ROPE.hidden_tests.read_text(encoding="utf-8")))


def no_secret_is_shown(ground: Field, pages: list[str], grade: Grade) -> None:
    """No line of the solution or of a hidden test, no hidden test's name, nothing of a hidden input."""
    seen = "\n".join([*pages, *texts(grade)])
    assert not [line for line in SECRET if line in seen and line.strip('"') not in RULES]
    assert not [one.test.name for one in grade.test_results if one.test.hidden and one.test.name in seen]
    assert not [mark for mark in ground.asked.get(True, set()) - ground.asked.get(False, set()) if mark in seen]


def what_is_shown_at_once_is_settled(ground: Field, submission: Submission, pages: list[str], grade: Grade) -> None:
    """It is the same whatever comes of the hidden tests: results, status, time."""
    other = [TestResult(one.test) if one.test.phase is Phase.HIDDEN else one for one in grade.test_results]
    results = ground.grader._suite(ROPE)[1].score(other, grade.at_once)
    otherwise = dataclasses.replace(
        grade,
        status=Status.GRADED,
        test_results=other,
        seconds=0.0,
        score=0.0,
        questions={},
        gradescope=gradescope(results),
    )
    assert feedback.public_markdown(submission, otherwise) == pages[1]
    assert texts(otherwise) == texts(grade)
    assert len({len(one.gradescope["tests"]) for one in (grade, otherwise)}) == 1


def the_next_is_as_if_alone(ground: Field) -> None:
    """The next worker of the same sandbox finds nothing, and an honest function returns in it what it always does."""
    ground.grader.sandbox.limits = LIMITS
    backend = Sandboxed(ground.grader.sandbox, "rope", (ROPE.solution.read_text(encoding="utf-8"),))
    try:
        reply = backend.call(Call("rope_frequencies", (4,)))
    finally:
        backend.close()
    assert np.array_equal(reply.value, [1.0, 0.01])
    assert backend.failure is None
    assert backend.printed == ""


def _left(ground: Field) -> list[Path]:
    """What an attack has written elsewhere."""
    return [path for place in {*PLACES, str(ground.folder)} for path in Path(place).glob(f"{ground.targets['mark']}*")]
