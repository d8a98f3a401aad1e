"""Tests with hostile submissions, which are graded as in a batch; each file in `attacks/` tries one idea.
Each attack gets the same score as the unfinished stub, and no part of the grade that a student or instructor
sees reveals a secret or has a side effect.

The limits of a worker are tested in `test_sandbox_workers`, without a grade.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import runpy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from autograder import course
from autograder.checks.results import Phase
from autograder.grading.grade import Grade, to_json
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.protocol.call import Call
from autograder.sandbox.client import Sandbox, SandboxError
from autograder.sandbox.limits import LIMITS, Limits
from autograder.sandbox.sandboxed_submission import SandboxedBackend
from autograder.submission import Submission
from tests.grader.support.classroom import right
from tests.grader.support.student_view import markdown

ROPE = course.find("rope")
FOLDER = Path(__file__).with_name("attacks")
COMMON = FOLDER / "common.py"
ATTACKS = sorted(path for path in FOLDER.glob("*.py") if path != COMMON)

QUICK = dataclasses.replace(LIMITS, call_seconds=0.3, submission_seconds=2.0)
"""Short limits for attacks that wait for a time limit."""

carried: Callable[[Any], str] = runpy.run_path(str(COMMON))["carried"]


@dataclass
class Observer:
    """Grader with a warm sandbox, and observations of the last submission."""

    grader: Grader
    tried: int = 0
    """Number of workers in which the attack has run."""
    hidden: bool = False
    """True while hidden tests run."""
    marks: dict[bool, set[str]] = field(default_factory=dict)
    """Marks of the arguments and workers that the submission has seen, during hidden tests (True) and before
    them (False)."""


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    """Observer that records every worker and every argument that a submission sees."""
    original_open, original_kill, original_call, original_run = (
        Sandbox.open,
        Sandbox.kill_worker,
        SandboxedBackend.call,
        Suite.run,
    )

    def record_mark(shown: tuple[Any, ...]) -> None:
        observed.marks.setdefault(observed.hidden, set()).add(carried(shown))

    def open_worker(self: Sandbox) -> Any:
        worker = original_open(self)
        record_mark((worker.process,))  # a later worker must not reveal this worker's observations
        return worker

    def call(self: SandboxedBackend, call: Call) -> Any:
        record_mark(call.args)
        return original_call(self, call)

    def kill_worker(self: Sandbox) -> Any:
        observed.tried += (self.scratch / "tried").exists()
        return original_kill(self)

    def run(self: Suite, backend: Any, *phases: Phase) -> Any:
        observed.hidden = Phase.HIDDEN in phases
        return original_run(self, backend, *phases)

    with contextlib.closing(Grader()) as grader, pytest.MonkeyPatch.context() as patch:
        observed = Observer(grader)
        patch.setattr(Suite, "run", run)
        patch.setattr(Sandbox, "open", open_worker)
        patch.setattr(SandboxedBackend, "call", call)
        patch.setattr(Sandbox, "kill_worker", kill_worker)
        yield observed


def graded(observer: Observer, source: str, limits: Limits = LIMITS) -> Grade:
    """Grade one submission with the shared grader and its warm sandbox."""
    observer.marks, observer.tried = {}, 0
    observer.grader.sandbox.limits = limits
    return observer.grader.grade(ROPE, (source,))


def resident_mib() -> int:
    """Return the memory of this process in MiB."""
    return int(re.search(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text())[1]) >> 10  # type: ignore[index]


@pytest.fixture(scope="module")
def honest_grade_and_memory(observer: Observer) -> tuple[Grade, int]:
    """Grade of a correct submission before any attack, and the memory in use at that time."""
    return graded(observer, ROPE.solution.read_text(encoding="utf-8")), resident_mib()


@pytest.fixture(scope="module")
def stub(observer: Observer, honest_grade_and_memory: tuple[Grade, int]) -> Grade:
    """Grade of the unfinished stub before any attack."""
    return graded(observer, ROPE.stub.read_text(encoding="utf-8"))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_gains_nothing_and_tells_nothing(observer: Observer, stub: Grade, attack: Path) -> None:
    source = "\n\n".join(path.read_text(encoding="utf-8") for path in (ROPE.stub, COMMON, attack))
    grade = graded(observer, source, QUICK if attack.stem == "leak_by_timing" else LIMITS)

    assert observer.tried, "the attack was not even tried"
    assert (grade.score, grade.questions) == (0, stub.questions)
    assert len(grade.test_results) == len(stub.test_results)
    assert observer.tried > 1 or attack.stem != "leak_by_load_after_death"
    assert grade.status == "timeout" or attack.stem != "leak_by_timing"
    submission = Submission("ada", ROPE.name, "ada.py", cells=(source,))
    pages = [markdown(submission, grade), grade.public_feedback]
    assert_no_secret_shown(observer, pages, grade)
    assert_nothing_rendered(pages, grade)
    assert_little_kept(pages, grade)


def test_the_grader_is_as_before(observer: Observer, honest_grade_and_memory: tuple[Grade, int]) -> None:
    """After all attacks, a correct submission gets the same grade as before, and the grader uses a normal
    amount of memory."""
    before, memory_before = honest_grade_and_memory
    after = graded(observer, ROPE.solution.read_text(encoding="utf-8"))
    assert (after.score, after.status) == (20.0, "graded")
    assert after.test_results == before.test_results
    assert resident_mib() < memory_before + 896, f"{memory_before} MiB before, {resident_mib()} MiB now"
    assert len(os.listdir("/proc/self/fd")) < 100


def test_no_submission_pays_for_the_machine(observer: Observer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox error ends the grading and is never counted as a test result."""

    def fail(self: Sandbox) -> Any:
        raise SandboxError("no worker today")

    monkeypatch.setattr(Sandbox, "open", fail)
    with pytest.raises(SandboxError, match="no worker today"):
        graded(observer, ROPE.stub.read_text(encoding="utf-8"))


def student_texts(grade: Grade) -> list[str]:
    """Return the texts about individual tests that Gradescope shows to a student."""
    return [test["output"] for test in grade.gradescope["tests"] if test["visibility"] == "visible"]


ACTIVE_MARKUP = {"html_block", "html_inline", "link_open", "image"}
"""Types of Markdown tokens that are active markup."""


def assert_nothing_rendered(pages: list[str], grade: Grade) -> None:
    """Assert that no page contains a control character or markup from the submission."""
    for page in [*pages, *student_texts(grade)]:
        assert all(character.isprintable() or character == "\n" for character in page)
    for page in pages:
        blocks = MarkdownIt("commonmark", {"html": True}).parse(page)
        inline = [token for block in blocks for token in block.children or []]
        assert not [token for token in (*blocks, *inline) if token.type in ACTIVE_MARKUP]
        assert not [token for token in inline if "20 of 20" in token.content]


MIB = 1 << 20


def assert_little_kept(pages: list[str], grade: Grade) -> None:
    """Assert that one submission leaves little data in the gradebook, in Gradescope's JSON and in the
    feedback."""
    assert len(to_json(grade)) < 2 * MIB
    assert len(json.dumps(grade.gradescope)) < MIB
    assert all(len(page) < MIB // 4 for page in pages)


def assert_no_secret_shown(observer: Observer, pages: list[str], grade: Grade) -> None:
    """Assert that no page shows the name or the input of a hidden test."""
    shown = "\n".join([*pages, *student_texts(grade)])
    assert not [one.test.name for one in grade.test_results if one.test.hidden and one.test.name in shown]
    assert not [mark for mark in observer.marks.get(True, set()) - observer.marks.get(False, set()) if mark in shown]


@pytest.mark.parametrize("end", ["for _ in range(8): __import__('time').sleep(1)", "while True: pass"])
def test_a_right_file_with_a_slow_or_endless_end_has_all_its_points(
    grader: Grader, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grader.sandbox, "limits", dataclasses.replace(LIMITS, call_seconds=1.0))
    grade = grader.grade(course.find("sinusoidal"), (f"{right('sinusoidal', 0)}\n{end}\n",))
    assert (grade.score, grade.status) == (20, "import_error")
    assert "your file does not end: at line" in grade.public_feedback.lower()
