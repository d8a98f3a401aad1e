"""Inside the wall: loads one submission and answers calls until the grader hangs up.

Nothing here is a secret and nothing here is trusted: the submission shares this process and may change all of it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from typing import NoReturn

from autograder.protocol import call, codec
from autograder.sandbox import wire
from autograder.sandbox.confine import Locks
from autograder.sandbox.wire import LENGTH


def run(grader: int, scratch: str, locks: Locks) -> NoReturn:
    """Become the worker: lock up, drop everything inherited, serve. `grader` is a descriptor."""
    try:
        os.chdir(scratch)
        descriptors = os.sysconf("SC_OPEN_MAX")  # which a lock lowers
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
    """Nothing stays open but the wire: input is empty, and what is printed is nobody's. Returns the wire's descriptor,
    out of the way of the first three."""
    grader = fcntl.fcntl(grader, fcntl.F_DUPFD, 3)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.closerange(3, grader)
    os.closerange(grader + 1, descriptors)
    return grader


def _serve(grader: int) -> None:
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
