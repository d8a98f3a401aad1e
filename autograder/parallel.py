"""The same function over many things, each within one budget of processor time and memory, in processes that can be
ended.

What students wrote is read and compared so: whatever one of them costs is cut off, and costs nobody else anything.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")

SECONDS = 5
"""Processor time that one thing may cost: a submission to be read, and as much again to be compared."""

MEMORY = 512 << 20
"""Bytes of memory that one thing may cost."""

PATIENCE = 120.0
"""Seconds after which a process that has not answered, on a busy machine or a slow disk, is ended all the same."""

AT_ONCE = 200
"""Things whose results are held in memory at a time: never a whole class."""

TRIES = 2
"""How often a thing is begun whose process is ended by something else than its budget."""

_EACH = 8
"""Things for which it is worth to start one more process."""

_LEFT = 64 << 20
"""Bytes of memory that a process may keep of what it had; with more of them it is replaced."""


@dataclass(frozen=True)
class Exceeded:
    """What stands in the place of a result that there is none of."""

    why: str
    """as the end of a sentence"""


def in_order(function: Callable[[Thing], Result], things: Iterable[Thing]) -> Iterator[Result | Exceeded]:
    """The function of each thing, in order. It has a module of its own to be found in; what it raises is raised here,
    and ends all."""
    cores = len(os.sched_getaffinity(0))
    first = list(islice(things := iter(things), cores * _EACH))
    tasks = (_Task(number, thing) for number, thing in enumerate(chain(first, things)))
    again: list[_Task[Thing]] = []
    results: dict[int, Result | Exceeded] = {}
    begun = given = 0
    workers: list[_Helper[Thing, Result]] = []
    try:
        workers += [_Helper(function) for _ in range(min(cores, 1 + len(first) // _EACH) if first else 0)]
        while True:
            for place, worker in enumerate(workers):
                if worker.task is None:
                    task = again.pop() if again else next(tasks, None) if begun < given + AT_ONCE else None
                    if task is None:
                        break
                    begun = max(begun, task.number + 1)
                    if worker.has_ended:
                        workers[place] = worker = _Helper(function)
                    worker.give(task)
            for worker in _heard(workers):
                task = worker.task
                assert task is not None
                result = worker.result()
                if result is None and task.tries < TRIES:
                    again.append(task)
                else:
                    results[task.number] = (
                        result.value if result is not None else Exceeded("ended the process that did it")
                    )
            while given in results:
                yield results.pop(given)
                given += 1
            if given == begun:  # all that was begun is given: go on with what there still is
                again += islice(tasks, 1)
                if not again:
                    return
    finally:
        for worker in workers:
            worker.end()


def one(function: Callable[[Thing], Result], thing: Thing) -> Result | Exceeded:
    """The function of one thing."""
    return next(in_order(function, [thing]))


@dataclass
class _Task(Generic[Thing]):
    """One thing, and how often it was begun."""

    number: int
    thing: Thing
    tries: int = 0


@dataclass(frozen=True)
class _Box(Generic[Result]):
    """A result, which may be anything."""

    value: Result | Exceeded


class _Helper(Generic[Thing, Result]):
    """A process, and the thing that it has in progress."""

    def __init__(self, function: Callable[[Thing], Result]) -> None:
        # A fresh process, not a fork: this one may have threads.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, function, SECONDS, MEMORY), daemon=True)
        self._process.start()
        theirs.close()
        self.task: _Task[Thing] | None = None
        self.since = 0.0

    def give(self, task: _Task[Thing]) -> None:
        self.task, self.since = task, time.monotonic()
        task.tries += 1
        with contextlib.suppress(OSError):  # it has ended: that is heard next
            self.connection.send(task.thing)

    def result(self) -> _Box[Result] | None:
        """What came of the thing; None where the process ended, and the thing may not be why."""
        self.task = None
        try:
            if self.connection.poll(0):
                result, stays = self.connection.recv()
                if not stays:
                    self._process.join()
                if isinstance(result, Exception):
                    raise result
                return _Box(result)
            self._process.kill()
        except (EOFError, OSError):
            pass
        self._process.join()
        if self._process.exitcode == -signal.SIGXCPU:
            return _Box(Exceeded(f"took more than {SECONDS} seconds of processor time"))
        return None

    @property
    def has_ended(self) -> bool:
        return self._process.exitcode is not None

    def end(self) -> None:
        self.connection.close()
        if self.task is not None:
            self._process.kill()
        self._process.join(timeout=5)
        if not self.has_ended:
            self._process.kill()
            self._process.join()


def _heard(workers: list[_Helper[Thing, Result]]) -> list[_Helper[Thing, Result]]:
    """Those with a result, those that have ended, and those that have been silent for too long."""
    busy = [worker for worker in workers if worker.task is not None]
    ready = wait([worker.connection for worker in busy], timeout=1.0)
    late = time.monotonic() - PATIENCE
    return [worker for worker in busy if worker.connection in ready or worker.since < late]


def _serve(connection: Connection, function: Callable[[Thing], Result], seconds: int, memory: int) -> None:
    """Serve until the other end is closed, or until too much is left of what was served."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is for the one who started this
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    begin = _size()
    resource.setrlimit(resource.RLIMIT_AS, (begin + memory, resource.RLIM_INFINITY))
    stays = True
    while stays:
        try:
            thing = connection.recv()
        except EOFError:
            return
        used = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used) + seconds, resource.RLIM_INFINITY))
        result: Result | Exceeded | Exception
        try:
            result = function(thing)
        except MemoryError:
            result = Exceeded(f"took more than {memory >> 20} MiB of memory")
        except Exception as error:
            result = error
        stays = _size() < begin + _LEFT
        connection.send((result, stays))


def _size() -> int:
    """Bytes of address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
