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
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from autograder.course import UserError

Thing = TypeVar("Thing")
Result = TypeVar("Result")

SECONDS = 5
"""Processor time that one thing may cost: a submission to be read, and as much again to be compared."""

MEMORY = 512 << 20
"""Bytes of memory that one thing may cost."""

PATIENCE = 120.0
"""Seconds after which a process that has not answered, on a busy machine or a slow disk, is ended all the same."""

AT_ONCE = 200
"""Things whose results are held in memory at a time: never a whole class. After as many a process is replaced."""

TRIES = 3
"""How often a thing is begun: something else may have ended its process."""

_EACH = 8
"""Things for which it is worth to start one more process."""


@dataclass(frozen=True)
class Exceeded:
    """What stands in the place of a result that there is none of."""

    why: str  # as the end of a sentence


def in_order(function: Callable[[Thing], Result], things: Sequence[Thing]) -> Iterator[Result | Exceeded]:
    """The function of each thing, in order. It has a module of its own to be found in; what it raises is raised here,
    and ends all."""
    size = min(len(os.sched_getaffinity(0)), 1 + len(things) // _EACH)
    rest = iter(things)
    # Fresh ones, not forks: this process may have threads.
    pool = ProcessPool(size, max_tasks=AT_ONCE, context=multiprocessing.get_context("spawn"))
    try:
        begun = deque((thing, _begin(pool, function, thing)) for thing in islice(rest, AT_ONCE))
        while begun:
            yield _result(pool, function, *begun.popleft())
            begun.extend((thing, _begin(pool, function, thing)) for thing in islice(rest, 1))
    except BrokenProcessPool as error:
        raise UserError("Something ended the processes that read submissions: run the same command again.") from error
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def one(function: Callable[[Thing], Result], thing: Thing) -> Result | Exceeded:
    """The function of one thing."""
    return next(in_order(function, [thing]))


def apart(function: Callable[..., Result], *arguments: Any) -> Result:
    """The function's result, computed in a process of its own: what it takes of memory ends with it."""
    with ProcessPool(1, context=multiprocessing.get_context("spawn")) as pool:
        future: Future[Result] = pool.schedule(function, arguments)
        return future.result()


def _begin(pool: ProcessPool, function: Callable[[Any], Any], thing: Any) -> Future[Any]:
    arguments = (function, thing, SECONDS, MEMORY)
    future: Future[Any] = pool.schedule(_within_budget, arguments, timeout=PATIENCE)
    return future


def _result(pool: ProcessPool, function: Callable[[Any], Any], thing: Any, future: Future[Any]) -> Any:
    for left in reversed(range(TRIES)):
        try:
            return future.result()
        except TimeoutError:
            return Exceeded(f"did not end within {PATIENCE:.0f} seconds")
        except ProcessExpired as error:
            if error.exitcode == -signal.SIGXCPU:
                return Exceeded(f"took more than {SECONDS} seconds of processor time")
            if left:
                future = _begin(pool, function, thing)
    return Exceeded("ended the process that did it")


def _within_budget(function: Callable[[Thing], Result], thing: Thing, seconds: int, memory: int) -> Result | Exceeded:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_size() + memory, resource.RLIM_INFINITY))
    used = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))
    try:
        return function(thing)
    except MemoryError:
        return Exceeded(f"took more than {memory >> 20} MiB of memory")


def _size() -> int:
    """Bytes of address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
