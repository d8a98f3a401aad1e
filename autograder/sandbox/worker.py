"""The process inside the wall: it loads one submission and answers calls until the grader closes the connection.

Nothing here is secret or trusted: the submission shares this process and can change anything in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import types
from collections.abc import Iterator
from typing import NoReturn

from autograder.protocol import call, codec
from autograder.sandbox import wire
from autograder.sandbox.confine import Locks
from autograder.sandbox.wire import LENGTH


def run(grader: int, scratch: str, locks: Locks) -> NoReturn:
    """Become the worker: apply the locks, close inherited descriptors, and serve the grader at a descriptor."""
    try:
        os.chdir(scratch)
        descriptors = os.sysconf("SC_OPEN_MAX")  # a lock lowers it later
        try:
            locks.apply()
        except BaseException as error:
            _write(grader, wire.pack_reply(call.Reply(raised=call.describe_exception(error, ""))))
            os._exit(1)
        grader = _keep_only(grader, descriptors)
        _write(grader, wire.pack_reply(call.Reply()))
        _serve(grader)
    finally:
        os._exit(0)


def _keep_only(grader: int, descriptors: int) -> int:
    """Close every descriptor except the wire; standard input, output and error become the null device.

    Return the wire's descriptor, which is not one of the first three.
    """
    grader = fcntl.fcntl(grader, fcntl.F_DUPFD, 3)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.closerange(3, grader)
    os.closerange(grader + 1, descriptors)
    return grader


def _serve(grader: int) -> None:
    requests = _requests(grader)
    name, cells, filename, seconds = codec.decode(next(requests))
    with _interrupted_after(seconds, filename):
        module, failure = call.load(name, cells, filename)
    _write(grader, wire.pack_reply(call.Reply(raised=failure)))
    for request in map(wire.unpack_request, requests):
        _write(grader, wire.pack_reply(call.perform(module, request)))


@contextlib.contextmanager
def _interrupted_after(seconds: float, filename: str) -> Iterator[None]:
    """Raise call.LoadTimeout in the file after some seconds, and again in each later cell that is slow.

    Earlier definitions stay valid, as with any other exception. The grader ends code that Python cannot interrupt, in a
    library or under a bare `except`.
    """

    def interrupt(_: int, frame: types.FrameType | None) -> None:
        while frame is not None and frame.f_code.co_filename != filename:
            frame = frame.f_back
        if frame is not None:  # otherwise, between two cells
            raise call.LoadTimeout(f"it took longer than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _requests(grader: int) -> Iterator[bytes]:
    """Yield the requests of the grader until it closes the connection: it may send several before it reads a reply."""
    data = b""
    while part := os.read(grader, 1 << 16):
        data += part
        while len(data) >= LENGTH.size and len(data) >= (end := LENGTH.size + LENGTH.unpack_from(data)[0]):
            yield data[LENGTH.size : end]
            data = data[end:]


def _write(grader: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(grader, rest) :]
