"""Which core of the processor a worker and its grader share."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

from autograder.sandbox.zygote import ANY_CORE

_libc = ctypes.CDLL(None)


class Core:
    """The core on which grader and worker take turns while a worker lives: whichever the grader happens to run on.

    Only one of them ever has something to do. Handing over on one core takes 6 µs, waking another core 80.
    """

    def __init__(self) -> None:
        self._before: tuple[set[int], int] | None = None

    def stay(self) -> int:
        """Keep this thread on its core; returns that, or ANY_CORE where the machine does not let it."""
        self.leave()
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                core: int = _libc.sched_getcpu()
                before = os.sched_getaffinity(0), os.sched_getscheduler(0)
                os.sched_setaffinity(0, {core})
                self._before = before
                # A reply wakes the grader. As a batch job it leaves the core to a worker that has more to do (see `ahead`).
                self._follow(os.SCHED_BATCH)
                return core
        return ANY_CORE

    def leave(self) -> None:
        """Let this thread move again."""
        if self._before is not None:
            cores, policy = self._before
            os.sched_setaffinity(0, cores)
            self._follow(policy)
            self._before = None

    @staticmethod
    def _follow(policy: int) -> None:
        if {policy, os.sched_getscheduler(0)} == {os.SCHED_OTHER, os.SCHED_BATCH}:
            os.sched_setscheduler(0, policy, os.sched_param(0))
