"""The sandboxed process, which loads one submission and answers calls until the grader closes the connection.

Nothing in this process is secret or trusted: the submission shares it and can change everything in it.
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
from autograder.protocol.load import load
from autograder.sandbox import wire
from autograder.sandbox.confine import Locks
from autograder.sandbox.wire import LENGTH


def run(grader: int, scratch: str, locks: Locks) -> NoReturn:
    """Become the worker: apply the locks, close inherited descriptors, and serve the grader.

    `grader` is the descriptor for the connection to the grader.
    """
    try:
        os.chdir(scratch)
        descriptor_limit = os.sysconf("SC_OPEN_MAX")  # the `limits` lock lowers this number later
        try:
            locks.apply()
        except BaseException as error:
            _write(grader, wire.pack_reply(call.Reply(raised=call.describe_exception(error, ""))))
            os._exit(1)
        grader = _keep_only_connection(grader, descriptor_limit)
        _write(grader, wire.pack_reply(call.Reply()))
        _serve(grader)
    finally:
        os._exit(0)


def _keep_only_connection(grader: int, descriptor_limit: int) -> int:
    """Close every descriptor except the connection; redirect standard input, output and error to the null device.

    Return the connection's new descriptor, which is not one of the first three.
    """
    grader = fcntl.fcntl(grader, fcntl.F_DUPFD, 3)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.closerange(3, grader)
    os.closerange(grader + 1, descriptor_limit)
    return grader


def _serve(grader: int) -> None:
    requests = _iter_requests(grader)
    name, cells, filename, seconds = codec.decode(next(requests))
    with _interrupted_after(seconds, filename):
        module, failure = load(name, cells, filename)
    _write(grader, wire.pack_reply(call.Reply(raised=failure)))
    for request in map(wire.unpack_request, requests):
        _write(grader, wire.pack_reply(call.perform(module, request)))


@contextlib.contextmanager
def _interrupted_after(seconds: float, filename: str) -> Iterator[None]:
    """Raise call.LoadTimeout in the file after a number of seconds, and keep raising it while the file runs.

    Names that the file has already defined remain valid, as after any other exception. If Python cannot interrupt the
    code because it is inside a library or catches every exception, the grader kills the worker.
    """

    def interrupt(_: int, frame: types.FrameType | None) -> None:
        while frame is not None and frame.f_code.co_filename != filename:
            frame = frame.f_back
        if frame is not None:  # between cells, no frame of the file is running
            raise call.LoadTimeout(f"it took longer than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _iter_requests(grader: int) -> Iterator[bytes]:
    """Yield the grader's requests until the grader closes the connection.

    The grader can send several requests before it reads a reply.
    """
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
