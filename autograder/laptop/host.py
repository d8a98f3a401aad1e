"""The places where a student's checks run, and what differs between them.

The places are a terminal in a handout or a checkout, a terminal with the installed package, and a browser tab.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

CALL_TIMEOUT_SECONDS = 5
"""Maximum time of a test in a terminal, of a call in a browser tab, and of a call in grading."""

TIMEOUT_MARK = "from pytest-timeout"
"""Part of the message of every exception that ends a call because of its time."""


@dataclass(frozen=True)
class Host:
    """A place where checks run: its limit on a call, and the names of files and next steps in its messages."""

    plugins: str
    """Options of pytest that only this host needs; `{seconds}` stands for CALL_TIMEOUT_SECONDS."""
    limit_call: Callable[[str], AbstractContextManager[None]]
    """Return a context that limits one call of a function; its exception has TIMEOUT_MARK in the message."""
    location_format: str
    """Words for a line of the student's file, with `{path}` and `{line}`."""
    submit_step: str
    """Words for the step of submitting `{file}`."""
    show_all_step: str
    """Words for the step that shows all mistakes of one function.

    `{checked}` is `assignment.function`, and `{alone}` the option of self-study where it is on.
    """
    lesson_reference: str
    """Words for the section of `{lesson}` on `{function}`; empty if the message is shown in that section."""
    solution_step: str = ""
    """Words for the step that shows one worked solution of `{lesson}`, in self-study."""
    student_file_format: str = "{root}/assignments/{name}/{name}.py"
    """Path of the student's file of the assignment `{name}`, where `{root}` is the folder of the course."""
    stuck: Mapping[str, str] = field(default_factory=dict)
    """Function to a sentence, for a function that ended an earlier run of the file and is no longer called."""

    def pytest_options(self) -> list[str]:
        """Return the options of pytest that only this host needs."""
        return self.plugins.format(seconds=CALL_TIMEOUT_SECONDS).split()

    def student_file(self, root: Path, name: str) -> Path:
        """Return the path of the student's file of an assignment."""
        return Path(self.student_file_format.format(root=root, name=name))


def timeout_message(function: str, where: str = "", seconds: float | None = None) -> str:
    """Return the sentence for a function that did not return in time. `where`: words for the line, if known."""
    seconds = seconds or CALL_TIMEOUT_SECONDS
    return f"{function} did not return within {seconds} seconds{where}. Is there a loop that never ends?"


def endless_file_message(line: int | None) -> str:
    """Return the words for a file that does not run to its end in time. `line`: the line that ran then, if known."""
    where = f"line {line} loops" if line else "it runs"
    return f"your file does not end: {where} for more than {CALL_TIMEOUT_SECONDS} seconds"


TERMINAL = Host(
    plugins="-p pytest_timeout --timeout={seconds}",
    limit_call=lambda function: nullcontext(),
    location_format="{path}:{line}",
    submit_step="hand in {file}",
    show_all_step="check {checked}{alone} to see all",
    lesson_reference="See README.md, section {function}.",
    solution_step="--show FUNCTION (with make: SHOW=…)",
)
