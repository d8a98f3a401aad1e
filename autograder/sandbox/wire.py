"""The wire between the grader and a worker: length-prefixed frames of plain values.

The first request of a worker is (module, cells, filename), and every other one a call: whether it is measured, then
function and arguments as the call is encoded wherever it is kept. A reply is a header (exception, lines, changed
arguments) and the encoded value. Everything that comes from a worker is read as hostile: `codec.decode` builds plain
values only, and a header that is not exactly of its form is Malformed. A worker's first reply, before any request, says
that its locks are on.
"""

from __future__ import annotations

import functools
import struct
from dataclasses import replace
from typing import Any

from autograder.protocol import codec
from autograder.protocol.call import MAX_MESSAGE, Call, Raised, Reply
from autograder.protocol.codec import Malformed

LENGTH = struct.Struct("<I")

MAX_HEADER = 64 * 1024
"""Bytes of a reply's header."""

MAX_REPLY = LENGTH.size + MAX_HEADER + codec.MAX_BYTES
"""Bytes of a whole reply."""

MAX_NAME = 200
"""Characters of a name that a reply mentions: of an exception's class, a function, an argument."""

MAX_NAMES = 64
"""Base classes of an exception, or changed arguments."""


def frame(data: bytes) -> bytes:
    """Data as it goes onto the wire."""
    return LENGTH.pack(len(data)) + data


def load_request(module: str, cells: tuple[str, ...], filename: str) -> bytes:
    """A frame for the worker. Raises ValueError for what the wire has no room for."""
    return frame(codec.message(module, cells, filename))


def request(call: Call) -> bytes:
    """A frame for the worker. Raises ValueError for what the wire has no room for."""
    return frame((_MEASURED + frame(codec.message(*call.uncounted)) if call.measured else _UNMEASURED) + call.encoded)


def unpack_request(data: bytes) -> Call:
    """The worker's side of a call."""
    is_measured, encoded, uncounted = data[:1] == _MEASURED, data[1:], ()
    if is_measured:
        end = LENGTH.size + LENGTH.unpack_from(encoded)[0]
        uncounted, encoded = codec.decode(encoded[LENGTH.size : end]), encoded[end:]
    function, args, kwargs = codec.decode(encoded)
    return Call(function, args, kwargs, is_measured, uncounted)


_MEASURED, _UNMEASURED = b"+", b"-"


def pack_reply(reply: Reply) -> bytes:
    """The worker's side of a reply."""
    error = tuple(vars(reply.raised).values()) if reply.raised is not None else None
    header = frame(_header((error, reply.lines, reply.changed)))
    return frame(header + (reply.encoded if error is None else b""))


_header = functools.lru_cache(maxsize=256)(codec.encode)
"""Most replies have the same one. Remembered, as on the other side."""


def unpack_reply(data: bytes) -> Reply:
    """The grader's side of a reply, its value decoded. Raises Malformed."""
    end = LENGTH.size + int.from_bytes(data[: LENGTH.size], "little")
    if end > min(LENGTH.size + MAX_HEADER, len(data)):
        raise Malformed("a reply with a header that is too long")
    reply = _unpack_header(data[LENGTH.size : end])
    if reply.raised is None:
        reply = replace(reply, encoded=data[end:])
    elif data[end:]:
        raise Malformed("a reply with a value and an exception")
    reply.value  # noqa: B018 - decoded here, so that nobody meets malformed bytes later
    return reply


@functools.lru_cache(maxsize=256)
def _unpack_header(header: bytes) -> Reply:
    """A reply without its value. Remembered: most have nothing to say, and a bad argument is refused in the same words
    again and again."""
    match codec.decode(header, writeable=False):
        case (None, int(lines), tuple(changed)) if _are_names(changed):
            return Reply(lines=lines, changed=changed)
        case (
            (str(kind), tuple(bases), str(message), int() | None, str() | None as function, bool()) as error,
            int(lines),
            (),
        ) if _are_names((kind, function or "")) and _are_names(bases) and len(message) <= MAX_MESSAGE:
            return Reply(raised=Raised(*error), lines=lines)
    raise Malformed("a reply with a header of another form")


def _are_names(values: tuple[Any, ...]) -> bool:
    return len(values) <= MAX_NAMES and all(type(value) is str and len(value) <= MAX_NAME for value in values)
