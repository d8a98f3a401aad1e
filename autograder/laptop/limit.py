"""A call that does not return ends this process, and the next one is told by a log which call that was.

Python's `faulthandler` ends a process on every system, also one that is inside numpy and would hear nothing else. The
process that started this one (`launch`) then starts another with a log beside this one's, and there the same call is
not made.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from autograder.protocol.failure import Stopped
from autograder.protocol.status import TestStatus

SECONDS = 5.0
"""Time of one call, and of loading the file; the same as when it is graded."""

FILE = "(file)"
"""Stands for a function's name while the file itself is loaded, and for the name of a test in what the file prints
then."""

DONE = "done"
"""The last line of the log of a process that came to its end."""


@dataclass(frozen=True)
class Stuck:
    """A call that ended a process."""

    function: str
    number: int
    """it was the so manieth call of the process"""
    line: int | None
    """where it was in the student's file"""
    ended: bool
    """it ended Python itself, and did not just take too long"""

    @property
    def sentence(self) -> str:
        """What happened, for the student."""
        if self.function == FILE:
            return "it ends Python itself" if self.ended else f"it did not come to its end within {SECONDS:g} seconds"
        at = f"; it was at line {self.line} of your file" if self.line else ""
        if self.ended:
            return f"{self.function} ended Python itself{at}"
        return f"{self.function} did not return within {SECONDS:g} seconds{at}. Is there a loop that never ends?"


class Limit:
    """The limit on every call of this process; without a log there is none."""

    def __init__(self, log: IO[str] | None = None, stuck: Collection[Stuck] = ()) -> None:
        self.log = log
        self.stuck = {call.function: call for call in stuck}
        self.calls = 0

    @contextlib.contextmanager
    def on(self, function: str, file: str, blocks: Collection[str] = ()) -> Iterator[None]:
        """While this call runs, of a function of that file with its building blocks. Raises Stopped where it is known
        not to return."""
        self.calls += 1
        stuck = next((self.stuck[name] for name in (function, *blocks) if name in self.stuck), None)
        if stuck is not None and self.calls >= stuck.number:
            raise Stopped(TestStatus.CRASHED if stuck.ended else TestStatus.TIMEOUT, stuck.sentence)
        if self.log is None:
            yield
            return
        self.log.write(json.dumps([function, self.calls, file]) + "\n")
        self.log.flush()
        faulthandler.dump_traceback_later(SECONDS, exit=True, file=self.log)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextlib.contextmanager
def logged(path: Path) -> Iterator[Limit]:
    """A limit that writes its log there, and knows the calls that the logs beside it end with."""
    stuck = [call for log in path.parent.glob("*.log") if (call := stuck_call(log))]
    with path.open("w", encoding="utf-8") as log:
        faulthandler.enable(file=log)
        try:
            yield Limit(log, stuck)
        finally:
            log.write(f"{DONE}\n")


def stuck_call(log: Path) -> Stuck | None:
    """The call that ended a process, from its log: the calls in order, then what `faulthandler` says of where it
    was."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    last = re.split(r"^(?=\[)", text, flags=re.MULTILINE)[-1]
    if not last.startswith("[") or last.endswith(f"\n{DONE}\n"):
        return None
    call, _, traceback = last.partition("\n")
    function, number, file = json.loads(call)
    frames = re.findall(r'^  File "(.*)", line (\d+) in ', traceback, re.MULTILINE)
    line = next((int(line) for path, line in frames if Path(path).name == file), None)
    return Stuck(function, number, line, ended="Timeout (" not in traceback)
