"""Runs a student's file in this process, on their own machine. pytest-timeout ends a call that does not return."""

from __future__ import annotations

import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from autograder.checks import source
from autograder.protocol.call import Call, Raised, Reply, describe_exception, load, perform
from autograder.protocol.failure import Kind, Stopped

SECONDS = 5
"""Time of one test here, and of one call when it is graded."""


class InProcess:
    """Runs a file in this process: a student's own laptop, or a reference solution."""

    def __init__(self, name: str, path: Path) -> None:
        self.module, self.failure = types.ModuleType(name), None
        self.module.__file__ = str(path)
        self.text = ""
        self.stuck: dict[str, str] = {}
        """function → what to say of it: it did not return, and is not called again"""
        before = sys.modules.get(name)  # the machine's own, of any name, is put back
        try:
            self.text = source.decoded(path.read_bytes())
            self.module, self.failure = load(name, [self.text], str(path))
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
            self.failure = describe_exception(error, str(path))
        if before is not None:
            sys.modules[name] = before
        _stop_if_interrupted(self.failure)
        if _is_late(self.failure):
            ending = f"it did not come to its end within {SECONDS} seconds"
            self.failure = replace(self.failure, kind="TimeoutError", bases=("TimeoutError",), message=ending)
        self.blocks = source.Blocks(self.text)

    def call(self, call: Call) -> Reply:
        for name in (call.function, *self.blocks.below(call.function)) if self.stuck else ():
            if name in self.stuck:
                raise Stopped(Kind.TIMEOUT, self.stuck[name])
        reply = perform(self.module, call.copy())
        _stop_if_interrupted(reply.raised)
        if _is_late(reply.raised):
            at = f"; it was{reply.raised.at_line} of your file" if reply.raised.line else ""
            self.stuck[call.function] = (
                f"{call.function} did not return within {SECONDS} seconds{at}. Is there a loop that never ends?"
            )
            return self.call(call)
        return reply


def _is_late(raised: Raised | None) -> TypeGuard[Raised]:
    return raised is not None and "from pytest-timeout" in raised.message


def _stop_if_interrupted(raised: Raised | None) -> None:
    """Ctrl-C while a student's code runs is meant for the checks, and so is `q` in the debugger."""
    if raised is not None and raised.kind in ("KeyboardInterrupt", "BdbQuit", "Exit"):
        raise KeyboardInterrupt
