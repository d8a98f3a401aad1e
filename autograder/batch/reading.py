"""What was handed in, read: in processes beside the coordinator where there is much of it, since reading is most of its own work."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from autograder.submission import Submission, SubmissionFile, read

MANY = 200
"""Fewer submissions are read sooner than a process is started."""

AT_ONCE = 128
"""Submissions that are held in memory at a time: never a whole class."""

_TOGETHER = 8
"""Submissions that a process is given together."""


def read_all(found: Sequence[SubmissionFile]) -> Iterator[Submission]:
    """Every submission, in order."""
    processes = len(os.sched_getaffinity(0))
    if len(found) < MANY or processes < 2:
        yield from map(read, found)
        return
    # A fresh process, not a fork: the coordinator has threads.
    context = multiprocessing.get_context("spawn")
    # A Ctrl-C in the terminal is for the coordinator.
    with ProcessPoolExecutor(processes, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for begin in range(0, len(found), AT_ONCE):
            some = found[begin : begin + AT_ONCE]
            try:
                yield from list(pool.map(read, some, chunksize=_TOGETHER))
            except BrokenProcessPool:  # a process was killed, by whomever; what it had is read here
                yield from map(read, some)
