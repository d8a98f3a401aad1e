"""The places where a student's checks can run, and how they differ.

They are a terminal in a handout or a checkout, a terminal with the installed package, and a browser tab.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

LOCAL_TIMEOUT_SECONDS = 5
"""Maximum time for a test in a terminal or a call in a browser tab; grading has the same limit for calls."""

TIMEOUT_MESSAGE_PART = "from pytest-timeout"
"""Part of the message of every exception that stops a call because it took too long."""


@dataclass(frozen=True)
class CheckPlace:
    """A place where checks run, with its time limit for calls and its wording for files and next steps.

    The defaults are those of a terminal in a handout or a checkout.
    """

    pytest_options: tuple[str, ...] = ("-p", "pytest_timeout", f"--timeout={LOCAL_TIMEOUT_SECONDS}")
    """pytest options that only this place needs."""
    location_format: str = "{path}:{line}"
    """Words that identify a line in the student's file, with `{path}` and `{line}`."""
    submit_step: str = "hand in {file}"
    """Words for the next step: submitting `{file}`."""
    show_all_step: str = "check {checked}{alone} to see all"
    """Words for the next step: showing all mistakes in one function.

    `{checked}` is `assignment.function`, and `{alone}` is the self-study option, if it is on.
    """
    lesson_reference: str = "See README.md, section {function}."
    """Words that refer to the section on `{function}` in `{lesson}`; empty if messages appear in that section."""
    limit_call: Callable[[str], AbstractContextManager[object]] = nullcontext
    """Return a context that stops a slow call with an exception whose message contains TIMEOUT_MESSAGE_PART."""
    solution_step: str = "--show FUNCTION (with make: SHOW=…)"
    """Words for a next step in self-study: showing one of `{lesson}`'s worked solutions."""
    student_file: Callable[[Path, str], Path] = lambda root, name: root / "assignments" / name / f"{name}.py"
    """Return the path of the student's file for an assignment in `root`, the course's folder."""
    timed_out_functions: Mapping[str, str] = field(default_factory=dict)
    """Messages about functions that did not return in an earlier run and are not called again, keyed by function."""


def timeout_message(function: str, where: str = "", seconds: float | None = None) -> str:
    """Return the message about a function that did not return in time. `where` names the line, if known."""
    sentence = f"{function} did not return within {seconds or LOCAL_TIMEOUT_SECONDS} seconds{where}."
    return f"{sentence} Is there a loop that never ends?"


TERMINAL = CheckPlace()
