"""The Python half of the page's worker: checks, pictures and the writer, in a browser tab.

`worker.js` imports this module in Pyodide, in a folder that is laid out like a handout. Text goes in and JSON comes out.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.laptop import pictures
from autograder.laptop.host import CALL_TIMEOUT_SECONDS, TIMEOUT_MARK, Host
from autograder.laptop.local_context import LocalContext
from autograder.laptop.page_state import page_state
from autograder.laptop.progress import Progress

MONITORING_TOOL = 4
"""The number under which `sys.monitoring` knows the clock."""


class CallTimeout(BaseException):
    """Ends a call that takes too long."""


class Clock:
    """Ends a loop in the student's file when its call has had its time, and tells the page when a call begins and ends.

    The page replaces a worker whose call does not end: a loop in C, or a process that is gone.
    """

    def __init__(self, began: Callable[[str], None], ended: Callable[[], None]) -> None:
        self.began, self.ended = began, ended
        self.deadline = 0.0
        sys.monitoring.use_tool_id(MONITORING_TOOL, "whereabouts")
        sys.monitoring.register_callback(MONITORING_TOOL, sys.monitoring.events.JUMP, self._jumped)

    @contextmanager
    def limit(self, function: str) -> Iterator[None]:
        """Bound a call of a function."""
        self.began(function)
        self.deadline = time.perf_counter() + CALL_TIMEOUT_SECONDS
        sys.monitoring.set_events(MONITORING_TOOL, sys.monitoring.events.JUMP)
        try:
            yield
        finally:
            sys.monitoring.set_events(MONITORING_TOOL, sys.monitoring.events.NO_EVENTS)
            self.ended()

    def _jumped(self, code: CodeType, offset: int, destination: int) -> Any:
        if not code.co_filename.startswith("assignments"):
            return sys.monitoring.DISABLE
        if time.perf_counter() > self.deadline:
            raise CallTimeout(TIMEOUT_MARK)
        return None


class Tab:
    """One browser tab, where somebody works on the course."""

    def __init__(self, began: Callable[[str], None], ended: Callable[[], None]) -> None:
        sys.dont_write_bytecode = True  # two versions of a file may have one size and one time
        self.clock = Clock(began, ended)
        self.host = Host(
            "--capture=sys",
            self.clock.limit,
            "line {line}",
            "press Download, and hand in {file}",
            "they are shown once this is fixed",
        )

    def save(self, files: str) -> None:
        """Write the student's files. `files`: JSON, assignment → text."""
        for name, text in json.loads(files).items():
            Path("assignments", name, f"{name}.py").write_text(text, "utf-8")

    def check(self, name: str, stuck: str) -> str:
        """Return what the page shows of a lesson, and the lines of its errors. `stuck`: JSON, function → sentence."""
        run = LocalContext(host=replace(self.host, stuck=json.loads(stuck)))
        run.start([name])
        progress = Progress(name, run)
        return json.dumps({"lesson": page_state([progress])[name], "errors": error_lines(progress)})

    def pictures(self, lesson: str) -> Iterator[str]:
        """Yield the pictures of a lesson, drawn from the student's functions: JSON, path → SVG."""
        drawing = pictures.draw(lesson)
        while True:
            with self.clock.limit("a picture"):
                drawn = next(drawing, None)
            if drawn is None:
                return
            yield json.dumps(drawn)


def error_lines(progress: Progress) -> list[tuple[int, str]]:
    """Return line and sentence of each place in the student's file where Python stopped."""
    sentences = [progress.problem, *(mistake.message for one in progress.function_states for mistake in one.own)]
    found = ((re.search(r"\bline (\d+)", sentence), sentence) for sentence in sentences)
    return [(int(match[1]), sentence.strip().splitlines()[-1]) for match, sentence in found if match]
