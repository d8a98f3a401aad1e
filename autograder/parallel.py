"""The same function over many things, in processes beside this one: a class is read, and compared, on all cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")

AT_ONCE = 200
"""Things that are held in memory at a time: never a whole class. Fewer are done sooner than a process is started."""

_TOGETHER = 8
"""Things that a process is given together."""


def in_order(function: Callable[[Thing], Result], things: Iterable[Thing]) -> Iterator[Result]:
    """The function of each, in order. It has a module of its own to be found in, and raises nothing."""
    things = iter(things)
    some = list(islice(things, AT_ONCE))
    processes = len(os.sched_getaffinity(0))
    if len(some) < AT_ONCE or processes < 2:
        yield from map(function, some)
        yield from map(function, things)
        return
    # A fresh process, not a fork: this one may have threads.
    context = multiprocessing.get_context("spawn")
    # A Ctrl-C in the terminal is for this one.
    with ProcessPoolExecutor(processes, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        while some:
            try:
                yield from list(pool.map(function, some, chunksize=_TOGETHER))
            except BrokenProcessPool:  # a process was killed, by whomever; what it had is done here
                yield from map(function, some)
            some = list(islice(things, AT_ONCE))
