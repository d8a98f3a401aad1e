"""The places where a student's checks run, a terminal and a browser tab, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

CALL_TIMEOUT_SECONDS = 5
"""Time of one test in a terminal, of one call in a browser tab, and of one call when it is graded."""


@dataclass(frozen=True)
class Host:
    """A place where checks run: how it bounds a call, and how it names files and the student's next steps."""

    pytest_options: str
    limit: Callable[[str], AbstractContextManager[None]]
    """function → bounds a call of it; an exception that ends the call has TIMEOUT_MARK in its message"""
    location: str
    """`path` and `line` of a place in the student's file"""
    submit: str
    """how to hand in `file`"""
    show_all: str
    """how to see all mistakes of `function` of `assignment`"""
    stuck: Mapping[str, str] = field(default_factory=dict)
    """function → what to say of it: it ended an earlier run of this very file, and is not called again"""


TIMEOUT_MARK = "from pytest-timeout"
"""Part of the message of an exception that ends a call for its time."""

TERMINAL = Host(
    f"--capture=fd -p pytest_timeout --timeout={CALL_TIMEOUT_SECONDS}",
    lambda function: nullcontext(),
    "{path}:{line}",
    "hand in {file}",
    "check {assignment}.{function} to see all",
)
