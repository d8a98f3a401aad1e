"""Requests sent before a test asks them change how long grading takes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograder import course
from autograder.checks import codec
from autograder.checks.outcome import Part
from autograder.grading import Grader
from autograder.sandbox import wire
from autograder.sandbox.ahead import MAX_BYTES, Ahead, Script, Step
from autograder.sandbox.backend import Sandboxed, Source
from autograder.sandbox.client import Sandbox, Worker
from autograder.suite import Suite

SAMPLES = course.ROOT / "tests" / "submissions" / "rope"


def step(argument: Any) -> Step:
    return Step("f", wire.request("f", (argument,), {}, False))


SCRIPT = Script((step(1), step(2), step(3), step(4), None, step(6)), {"first": 0, "second": 2})
"""Two tests: one asks f(1) and f(2), the other f(3), f(4), something that depends on an answer, and f(6)."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as warm:
        yield warm


@contextmanager
def submission(sandbox: Sandbox, code: str) -> Iterator[Sandboxed]:
    """A submission that says what it is asked, at the beginning of the first test."""
    lines = ["import os, time", "def f(x):", "    print(x)", *(f"    {line}" for line in code.split("\n")), "    return x"]
    backend = Sandboxed(sandbox, Source("rope", ("\n".join(lines),)))
    backend.part(SCRIPT)
    backend.test("first")
    try:
        yield backend
    finally:
        backend.close()


def asked(backend: Sandboxed) -> list[str]:
    """What the submission saw, in order."""
    backend.close()
    return backend.printed[0].split()


def f(backend: Sandboxed, argument: Any) -> Any:
    return codec.decode(backend.call("f", (argument,), {}, False).value)


def test_a_submission_sees_the_calls_in_the_order_in_which_tests_make_them(sandbox: Sandbox) -> None:
    with submission(sandbox, "") as backend:
        assert [f(backend, 1), f(backend, 2)] == [1, 2]
        backend.test("second")
        assert [f(backend, argument) for argument in (3, 4, 5, 6)] == [3, 4, 5, 6]
        assert asked(backend) == list("123456")


def test_nothing_is_sent_beyond_what_depends_on_an_answer(sandbox: Sandbox) -> None:
    with submission(sandbox, "") as backend:
        f(backend, 1)
        backend.call("ANSWERS", (), {}, False)
        assert asked(backend) == list("1234")


def test_what_is_not_in_the_script_is_asked_as_it_comes(sandbox: Sandbox) -> None:
    with submission(sandbox, "") as backend:
        assert [f(backend, 1), f(backend, 7), f(backend, 2)] == [1, 7, 2]
        backend.test("second")
        assert [f(backend, 3), f(backend, 4)] == [3, 4]


def test_a_test_that_ends_early_leaves_nothing_to_the_next(sandbox: Sandbox) -> None:
    with submission(sandbox, "") as backend:
        assert f(backend, 1) == 1
        backend.test("second")
        assert [f(backend, 3), f(backend, 4), f(backend, "other")] == [3, 4, "other"]


def test_a_test_without_a_script_is_asked_call_by_call(sandbox: Sandbox) -> None:
    with submission(sandbox, "") as backend:
        backend.test("third")
        assert [f(backend, 1), f(backend, 2)] == [1, 2]
        backend.test("second")
        assert f(backend, 3) == 3


@pytest.mark.parametrize("trouble", ["if x == 2: time.sleep(3)", "if x == 2: os._exit(0)", "while x == 2: pass"])
def test_nobody_is_blamed_for_a_call_that_no_test_came_to(sandbox: Sandbox, trouble: str) -> None:
    with submission(sandbox, trouble) as backend:
        assert f(backend, 1) == 1
        backend.test("second")
        assert f(backend, 3) == 3
        assert backend.deaths == 0 and backend.status is None and backend.seconds < 1


def test_a_function_that_is_not_written_is_not_asked_ahead(sandbox: Sandbox) -> None:
    with submission(sandbox, "raise NotImplementedError") as backend:
        backend.test("second")
        assert backend.call("f", (3,), {}, False).raised
        backend.part(SCRIPT)
        backend.test("second")
        assert backend.call("f", (3,), {}, False).raised
        assert backend.ahead.on_the_way == 0


def test_what_is_on_the_way_fits_into_the_wire(sandbox: Sandbox) -> None:
    worker = sandbox.open()
    assert worker.wire.send(bytes(MAX_BYTES)) == MAX_BYTES
    worker.close()
    long = Step("f", b"x" * (MAX_BYTES // 3))
    ahead = Ahead(Script((long,) * 9, {"test": 0}))
    ahead.begin("test")
    assert len(ahead.to_send(long.request, lambda function: True)) <= MAX_BYTES
    assert ahead.on_the_way == 3


def test_most_requests_are_known_before(assignment: course.Assignment) -> None:
    """A rehearsal that knows little makes grading slow, and no other test would say so."""
    steps = [step for part in Part for step in Suite(assignment).scripts[part].steps]
    assert sum(step is not None for step in steps) > 0.6 * len(steps)


@pytest.mark.parametrize("name", ["ada", "barbara", "donald", "hedy", "kurt", "sophie", "tim"])
def test_outcomes_are_those_of_calls_made_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (Path(SAMPLES) / f"{name}.py").read_text(encoding="utf-8")
    sent = []
    ask = Worker.ask
    monkeypatch.setattr(Worker, "ask", lambda self, requests, seconds: sent.append(requests) or ask(self, requests, seconds))
    assignment = course.find("rope")
    with Grader() as grader:
        ahead = grader.grade(assignment, (code,))
        few = sum(map(bool, sent))
        sent.clear()
        monkeypatch.setattr(Suite, "scripts", dict.fromkeys(Part, Script()))
        one_by_one = grader.grade(assignment, (code,))
    assert ahead.outcomes == one_by_one.outcomes
    assert ahead.status == one_by_one.status
    assert few < len(sent)
