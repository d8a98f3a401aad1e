"""`breakpoint()` and `pdb.set_trace()` in a student's function: the terminal is theirs, and no limit ends the call."""

from __future__ import annotations

import faulthandler
import pdb
import sys
from typing import Any

import pytest


class Debugger:
    """A pytest plugin that hands the terminal to Python's debugger. pytest's own asks its terminal reporter, which is off here."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        capture = config.pluginmanager.getplugin("capturemanager")
        before = sys.breakpointhook, pdb.set_trace

        def pause(*, header: str | None = None, **_: Any) -> None:
            faulthandler.cancel_dump_traceback_later()
            capture.suspend(in_=True)  # until the next test
            print(header or "Your code is paused: p x shows x, n goes on by a line, c to the end, q stops the checks.")
            pdb.Pdb().set_trace(sys._getframe(1))

        def restore() -> None:
            sys.breakpointhook, pdb.set_trace = before

        sys.breakpointhook = pdb.set_trace = pause
        config.add_cleanup(restore)
