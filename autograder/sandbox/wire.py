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
    return frame((_MEASURED if call.measured else _UNMEASURED) + call.encoded)


def unpack_request(data: bytes) -> Call:
    """The worker's side of a call."""
    function, args, kwargs = codec.decode(data[1:])
    return Call(function, args, kwargs, data[:1] == _MEASURED)


_MEASURED, _UNMEASURED = b"+", b"-"


def pack_reply(reply: Reply) -> bytes:
    """The worker's side of a reply."""
    if reply.raised is None and not reply.lines and not reply.changed:
        return frame(_NOTHING_TO_SAY + reply.encoded)
    error = None if reply.raised is None else _speakable(reply.raised)
    header = codec.encode((error, reply.lines, tuple(_cut(name) for name in reply.changed[:MAX_NAMES])))
    return frame(LENGTH.pack(len(header)) + header + (reply.encoded if reply.raised is None else b""))


_PLAIN = codec.encode((None, 0, ()))
_NOTHING_TO_SAY = LENGTH.pack(len(_PLAIN)) + _PLAIN
"""The header of most replies: no exception, and nothing was measured."""


def _speakable(raised: Raised) -> tuple[Any, ...]:
    """An exception within the bounds of a header: its names may be as long and as odd as a submission likes."""
    bases = tuple(_cut(name) for name in raised.bases[:MAX_NAMES])
    function = None if raised.function is None else _cut(raised.function)
    cut = replace(
        raised, kind=_cut(raised.kind), bases=bases, message=_cut(raised.message, MAX_MESSAGE), function=function
    )
    return tuple(vars(cut).values())


def _cut(text: str, length: int = MAX_NAME) -> str:
    # Half a surrogate pair would be no text to the codec.
    return text[:length].encode("utf-8", "replace").decode("utf-8")


def unpack_reply(data: bytes) -> Reply:
    """The grader's side of a reply, its value decoded. Raises Malformed."""
    if data.startswith(_NOTHING_TO_SAY):
        reply = Reply(data[len(_NOTHING_TO_SAY) :])
    else:
        if len(data) < LENGTH.size:
            raise Malformed("a reply without a header")
        (size,) = LENGTH.unpack_from(data)
        if size > min(MAX_HEADER, len(data) - LENGTH.size):
            raise Malformed("a reply with a header that is too long")
        reply, encoded = _unpack_header(data[LENGTH.size : LENGTH.size + size]), data[LENGTH.size + size :]
        if reply.raised is None:
            reply = replace(reply, encoded=encoded)
        elif encoded:
            raise Malformed("a reply with a value and an exception")
    reply.value  # noqa: B018 - decoded here, so that nobody meets malformed bytes later
    return reply


@functools.lru_cache(maxsize=256)
def _unpack_header(header: bytes) -> Reply:
    """A reply without its value. Remembered, since a bad argument is refused in the same words again and again."""
    match codec.decode(header, writeable=False):
        case (None, int(lines), tuple(changed)) if _are_names(changed):
            return Reply(lines=lines, changed=changed)
        case (
            (str(kind), tuple(bases), str(message), int() | None, str() | None as function, bool(), bool()) as error,
            int(lines),
            (),
        ) if _are_names((kind, function or "")) and _are_names(bases) and len(message) <= MAX_MESSAGE:
            return Reply(raised=Raised(*error), lines=lines)
    raise Malformed("a reply with a header of another form")


def _are_names(values: tuple[Any, ...]) -> bool:
    return len(values) <= MAX_NAMES and all(type(value) is str and len(value) <= MAX_NAME for value in values)
