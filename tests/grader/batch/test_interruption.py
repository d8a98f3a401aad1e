"""Tests of interruptions: grades that have arrived are stored, other jobs stay ungraded, and exit codes are correct."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.batch import run
from autograder.batch.workers import Job
from autograder.cli import main
from autograder.cli_support import INTERRUPTED
from autograder.course import UserError
from autograder.grading.row import GradeKey

KEYS = [GradeKey("rope", "grading", f"code {number}") for number in range(4)]


class Workers:
    """Graders with predetermined results: a grade, an exception, or None for a running job."""

    size = 4

    def __init__(self, outcomes: list[bytes | Exception | None]) -> None:
        self.outcomes = iter(outcomes)

    def submit(self, job: Job) -> Future[bytes]:
        future: Future[bytes] = Future()
        match next(self.outcomes):
            case bytes(grade):
                future.set_result(grade)
            case Exception() as error:
                future.set_exception(error)
        return future


def stored(outcomes: list[bytes | Exception | None], monkeypatch: pytest.MonkeyPatch) -> dict[GradeKey, Any]:
    """Return the grades that an interrupted run stores, keyed by job."""
    grades: dict[GradeKey, Any] = {}

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "wait", interrupt)
    book = SimpleNamespace(add=lambda key, packed, machine_failure: grades.update({key: packed}))
    with pytest.raises(KeyboardInterrupt):
        list(run._grade_all(book, (Job(key, ("",)) for key in KEYS), Workers(outcomes)))  # type: ignore[arg-type]
    return grades


def test_grades_that_arrived_before_an_interruption_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the four jobs have finished, but the run has not collected their grades yet."""
    assert stored([b"first", None, b"third", None], monkeypatch) == {KEYS[0]: b"first", KEYS[2]: b"third"}


@pytest.mark.parametrize("error", [RuntimeError("the grader ended"), UserError("no grader can continue")])
def test_a_failed_job_stays_ungraded_after_an_interruption(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run grades the submission; the job's error does not mask the interruption."""
    assert stored([error, b"second", None, None], monkeypatch) == {KEYS[1]: b"second"}


@pytest.mark.parametrize("name", main.commands)
def test_a_command_that_is_interrupted_at_its_beginning_has_not_failed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1 would mean that a check failed. The sandbox self-test runs before the command itself."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main.commands[name], "make_context", interrupt)
    result = CliRunner().invoke(main, [name])
    assert (result.exit_code, result.output) == (INTERRUPTED, "Stopped.\n")
