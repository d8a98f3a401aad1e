"""Work in processes that can be ended: the same function over many things, each within one budget of processor time and
memory.

What students wrote is read and compared so: whatever one of them costs is cut off, and costs nobody else anything.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from autograder.safe_path import use_safe_path

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS = 5
"""Processor time that one thing may cost: a submission to be read, and as much again to be compared."""

MEMORY = 512 << 20
"""Bytes of memory that one thing may cost."""

WALL_TIMEOUT_SECONDS = 120.0
"""Seconds after which a process that has not answered, on a busy machine or a slow disk, is ended all the same."""

BEFORE_RELEASE = 200
"""Things whose results are held in memory at a time: never a whole class."""

_EACH = 8
"""Things for which it is worth to start one more process."""


@dataclass(frozen=True)
class Exceeded:
    """What stands in the place of a result that there is none of."""

    why: str  # as the end of a sentence


ENDED = Exceeded("ended the process that did it")


def map_bounded(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result | Exceeded]:
    """The function of each thing, in order. It has a module of its own to be found in; what it raises is raised here,
    and ends all."""
    with _processes(min(len(os.sched_getaffinity(0)), 1 + len(items) // _EACH)) as pool:
        for first in range(0, len(items), BEFORE_RELEASE):
            batch = items[first : first + BEFORE_RELEASE]
            for item, future in zip(batch, [_begin(pool, function, item) for item in batch], strict=True):
                outcome = _outcome(future)
                yield run_bounded(function, item) if outcome is ENDED else outcome  # somebody else may have ended it


def run_bounded(function: Callable[[Item], Result], item: Item) -> Result | Exceeded:
    """The function of one thing, in a process of its own."""
    with _processes(1) as pool:
        return _outcome(_begin(pool, function, item))


def run_in_subprocess(function: Callable[..., Result], *arguments: Any) -> Result:
    """The function's result, computed in a process of its own: what it takes of memory ends with it."""
    with _processes(1) as pool:
        future: Future[Result] = pool.schedule(function, arguments)
        return future.result()


def new_pool(size: int) -> ProcessPool:
    """Return a pool of fresh interpreters that look for no module in the current folder."""
    use_safe_path()
    return ProcessPool(size, context=multiprocessing.get_context("spawn"))


@contextmanager
def _processes(size: int) -> Iterator[ProcessPool]:
    """So many fresh ones, not forks: this process may have threads."""
    pool = new_pool(size)
    try:
        yield pool
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def _begin(pool: ProcessPool, function: Callable[[Item], Result], item: Item) -> Future[Result | Exceeded]:
    future: Future[Result | Exceeded] = Future()
    try:
        future = pool.schedule(_within_budget, (function, item, SECONDS, MEMORY), timeout=WALL_TIMEOUT_SECONDS)
    except RuntimeError:  # somebody has ended all of its processes
        future.set_result(ENDED)
    return future


def _outcome(future: Future[Result | Exceeded]) -> Result | Exceeded:
    try:
        return future.result()
    except TimeoutError:
        return Exceeded(f"did not end within {WALL_TIMEOUT_SECONDS:.0f} seconds")
    except (ProcessExpired, BrokenProcessPool) as error:
        if getattr(error, "exitcode", None) == -signal.SIGXCPU:
            return Exceeded(f"took more than {SECONDS} seconds of processor time")
        return ENDED


def _within_budget(function: Callable[[Item], Result], item: Item, seconds: int, memory: int) -> Result | Exceeded:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_size() + memory, resource.RLIM_INFINITY))
    used = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))
    try:
        return function(item)
    except MemoryError:
        return Exceeded(f"took more than {memory >> 20} MiB of memory")


def _size() -> int:
    """Bytes of address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
