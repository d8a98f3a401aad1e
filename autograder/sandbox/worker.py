"""Inside the wall: loads one submission and answers calls until the grader hangs up.

Nothing here is a secret and nothing here is trusted: the submission shares this process and may change all of it.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from typing import NoReturn

from autograder.protocol import call, codec
from autograder.sandbox import wire
from autograder.sandbox.confine import Locks
from autograder.sandbox.wire import LENGTH


def run(grader: int, output: int, scratch: str, locks: Locks) -> NoReturn:
    """Become the worker: drop everything inherited, lock up, serve. `grader` and `output` are descriptors."""
    try:
        grader = _keep_only(grader, output, locks.descriptors)
        os.chdir(scratch)
        try:
            locks.apply()
        except BaseException as error:
            _write(grader, wire.pack_reply(call.Reply(raised=call.describe_exception(error, ""))))
            os._exit(1)
        _write(grader, wire.pack_reply(call.Reply()))
        _serve(grader)
    finally:
        os._exit(0)


def _keep_only(grader: int, output: int, locks: list[int]) -> int:
    """Nothing stays open but the wire and a file for output: input is empty, both outputs are that file.

    A descriptor that a lock still needs is closed by that lock. Returns the wire's, out of the way of the first three.
    """
    grader = fcntl.fcntl(grader, fcntl.F_DUPFD, 3)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((output, 1), (output, 2), (null, 0)):
        os.dup2(source, target)
    first = 3
    for kept in sorted({grader, *locks}):
        os.closerange(first, kept)
        first = kept + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
    return grader


def _serve(grader: int) -> None:
    # What is printed is seen at once: the process is ended without ceremony, and buffers with it.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    requests = _requests(grader)
    name, cells, filename = codec.decode(next(requests))
    module, failure = call.load(name, cells, filename)
    _write(grader, wire.pack_reply(call.Reply(raised=failure)))
    for asked in map(wire.unpack_request, requests):
        _write(grader, wire.pack_reply(call.perform(module, asked)))


def _requests(grader: int) -> Iterator[bytes]:
    """What the grader asks, one request after the other, until it hangs up. It sends none before it has the last one's
    reply."""
    while data := os.read(grader, 1 << 16):
        size = LENGTH.size + LENGTH.unpack_from(data)[0]
        while len(data) < size and (part := os.read(grader, size - len(data))):
            data += part
        yield data[LENGTH.size :]


def _write(grader: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(grader, rest) :]
