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
"""Part of the message of every exception that ends a call for its time."""


@dataclass(frozen=True)
class Host:
    """A place where checks run: how it bounds a call, and how its messages name files and next steps."""

    plugins: str
    """options of pytest that only this place needs; `{seconds}` stands for CALL_TIMEOUT_SECONDS"""
    limit_call: Callable[[str], AbstractContextManager[None]]
    """function → a context that bounds one call of it, with an exception whose message has TIMEOUT_MARK"""
    location: str
    """a place in the student's file, from `path` and `line`"""
    submit: str
    """the step of handing in `file`"""
    show_all: str
    """the way to all mistakes of one function: `checked` stands for `assignment.function`, `alone` for the option"""
    read: str
    """the section of a `lesson` on a `function`; empty where the message stands in that section"""
    solution: str = ""
    """the way to one worked solution of a `lesson` in self-study"""
    file: str = "{root}/assignments/{name}/{name}.py"
    """path of the student's file: `root` stands for the folder of the course, `name` for the assignment"""
    stuck: Mapping[str, str] = field(default_factory=dict)
    """function → sentence, for a function that ended an earlier run of the same file and is not called any more"""

    def pytest_options(self) -> list[str]:
        """Return the options of pytest that only this place needs."""
        return self.plugins.format(seconds=CALL_TIMEOUT_SECONDS).split()

    def student_file(self, root: Path, name: str) -> Path:
        """Return the path of the student's file of an assignment."""
        return Path(self.file.format(root=root, name=name))


def timeout_message(function: str, where: str = "") -> str:
    """Return the sentence for a function that did not return in time. `where`: words for the line, if it is known."""
    return f"{function} did not return within {CALL_TIMEOUT_SECONDS} seconds{where}. Is there a loop that never ends?"


TERMINAL = Host(
    plugins="-p pytest_timeout --timeout={seconds}",
    limit_call=lambda function: nullcontext(),
    location="{path}:{line}",
    submit="hand in {file}",
    show_all="check {checked}{alone} to see all",
    read="See README.md, section {function}.",
    solution="--show FUNCTION (with make: SHOW=…)",
)
