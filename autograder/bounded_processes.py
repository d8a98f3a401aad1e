"""Calls of a function on many items, in killable processes, each within time and memory limits.

Students' files are read and compared this way, so that a file that takes too much is stopped without affecting others.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from autograder.module_search_path import use_safe_path

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_PROCESSOR_SECONDS_PER_ITEM = 5
"""Maximum processor time for one item. Reading a submission and comparing a submission are separate items."""

MAX_MEMORY_PER_ITEM = 512 << 20
"""Maximum memory for one item, in bytes."""

ITEM_TIMEOUT_SECONDS = 120.0
"""Maximum wall-clock time for one item before its process is killed; enough for a busy machine or a slow disk."""

MAX_RESULTS_IN_MEMORY = 200
"""Maximum number of results held in memory at the same time, even for a very large class."""

MIN_ITEMS_PER_PROCESS = 8
"""Number of items that justify an additional process."""


@dataclass(frozen=True)
class CutOff:
    """A stand-in for the result of work that was stopped."""

    why: str
    """the predicate of a sentence whose subject is the worker"""


class Slow(CutOff):
    """A stand-in for the result of work that exceeded its wall-clock limit."""


class Ended(CutOff):
    """A stand-in for the result of work whose process exited or was killed."""


class TimeLimitedPool:
    """Fresh interpreters that each run one job at a time; a job that takes too long is killed with its process."""

    def __init__(self, size: int, timeout: float) -> None:
        """Take the number of processes, and the wall-clock limit of each job in seconds."""
        self.size = size
        self.timeout = timeout
        self.processes = self._start()

    def _start(self) -> ProcessPool:
        use_safe_path()
        # Start new processes instead of forking, because this process might have threads.
        return ProcessPool(self.size, context=multiprocessing.get_context("spawn"))

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Schedule a call to a function that can be imported by name."""
        if not self.processes.active:  # pebble gives up if an idle process ends
            self.close()
            self.processes = self._start()
        future: Future[Result] = self.processes.schedule(function, arguments, timeout=self.timeout)
        return future

    def close(self) -> None:
        """End all processes."""
        self.processes.stop()  # type: ignore[no-untyped-call]
        self.processes.join()


def cut_off(error: Exception, timeout: float) -> CutOff | None:
    """Return what stopped a job in a pool with this timeout; None if the job itself raised the error."""
    if isinstance(error, TimeoutError):
        return Slow(f"did not end within {timeout:.0f} seconds")
    if isinstance(error, ProcessExpired | BrokenProcessPool | CancelledError):
        code = getattr(error, "exitcode", None)
        if code == -signal.SIGXCPU:
            return CutOff(f"took more than {MAX_PROCESSOR_SECONDS_PER_ITEM} seconds of processor time")
        return Ended("ended its process" + (f" (exit code {code})" if code is not None else ""))
    return None


def map_bounded(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result | CutOff]:
    """Yield the function's result for each item, in order.

    The function is pickled by name. An exception that it raises is raised again here and ends the iteration.
    """
    size = min(len(os.sched_getaffinity(0)), 1 + len(items) // MIN_ITEMS_PER_PROCESS)
    with closing(TimeLimitedPool(size, ITEM_TIMEOUT_SECONDS)) as pool:
        for first in range(0, len(items), MAX_RESULTS_IN_MEMORY):
            batch = items[first : first + MAX_RESULTS_IN_MEMORY]
            for item, future in zip(
                batch, [_submit_with_item_limits(pool, function, item) for item in batch], strict=True
            ):
                outcome = _outcome(future)
                # Another item might have ended the process, so each affected item runs again, alone.
                yield run_bounded(function, item) if isinstance(outcome, Ended) else outcome


def run_bounded(function: Callable[[Item], Result], item: Item) -> Result | CutOff:
    """Return the function's result for one item, computed in a separate process."""
    with closing(TimeLimitedPool(1, ITEM_TIMEOUT_SECONDS)) as pool:
        return _outcome(_submit_with_item_limits(pool, function, item))


def run_in_subprocess(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the function's result, computed in a separate process so that all its memory is freed."""
    with closing(TimeLimitedPool(1, math.inf)) as pool:
        return pool.submit(function, *arguments).result()


def _submit_with_item_limits(
    pool: TimeLimitedPool, function: Callable[[Item], Result], item: Item
) -> Future[Result | CutOff]:
    return pool.submit(_call_with_item_limits, function, item, MAX_PROCESSOR_SECONDS_PER_ITEM, MAX_MEMORY_PER_ITEM)


def _outcome(future: Future[Result | CutOff]) -> Result | CutOff:
    try:
        return future.result()
    except Exception as error:
        if exceeded := cut_off(error, ITEM_TIMEOUT_SECONDS):
            return exceeded
        raise


def _call_with_item_limits(
    function: Callable[[Item], Result], item: Item, seconds: int, memory: int
) -> Result | CutOff:
    """Return the function's result, computed under kernel limits on this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_present_address_space() + memory, resource.RLIM_INFINITY))
    used = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))
    try:
        return function(item)
    except MemoryError:
        return CutOff(f"took more than {memory >> 20} MiB of memory")


def _present_address_space() -> int:
    """Return the size, in bytes, of this process's address space."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
