"""Runs a student's file in this process, on their own machine."""

from __future__ import annotations

import sys
import types
from pathlib import Path

from autograder.checks import prompt, source
from autograder.laptop.limit import FILE, Limit
from autograder.protocol.call import Call, Raised, Reply, describe_exception, load, perform
from autograder.protocol.failure import Stopped


class InProcess:
    """Runs a file in this process: a student's own laptop, or a reference solution."""

    def __init__(self, name: str, path: Path, limit: Limit | None = None) -> None:
        """`limit`: what ends a call that takes too long, where this process is watched by another."""
        self.limit = limit or Limit()
        self.file = path.name
        # The machine's own modules of that name (a student may have any) are put back afterwards.
        before = sys.modules.get(name)
        text = ""
        self.module, self.failure = types.ModuleType(name), None
        self.module.__file__ = str(path)
        try:
            text = source.decoded(path.read_bytes())
            with self.limit.on(FILE, path.name):
                self.module, self.failure = load(name, [text], str(path))
        except Stopped as stopped:
            self.failure = Raised("TimeoutError", ("TimeoutError",), stopped.message, self.limit.stuck[FILE].line)
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
            self.failure = describe_exception(error, str(path))
        # Asked for only where a call is known not to return: nobody else waits for the file to be parsed once more.
        self.blocks = source.Blocks(text if self.limit.stuck else "")
        _stop_if_interrupted(self.failure, path.name)
        if before is not None:
            sys.modules[name] = before

    def call(self, call: Call) -> Reply:
        with self.limit.on(call.function, self.file, self.blocks.below(call.function)):
            reply = perform(self.module, call.copy())
        _stop_if_interrupted(reply.raised, prompt.text(call))
        return reply


def _stop_if_interrupted(raised: Raised | None, running: str) -> None:
    """Ctrl-C while a student's code runs is meant for the checks, and so is `q` in the debugger."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit"):
        raise KeyboardInterrupt(f"{running} was running" + (f",{raised.at_line} of your file" if raised.line else ""))
