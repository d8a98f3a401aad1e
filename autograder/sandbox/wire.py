"""The wire between the grader and a worker: length-prefixed frames of plain values.

A worker's first request is (module, cells, filename, seconds). Every other request is a call: a byte that says
whether the call is measured, then function and arguments, encoded as in golden values and grades. A reply is a header
(exception, lines, changed arguments) and the encoded value. All data from a worker is treated as hostile:
`codec.decode` builds only plain values, and raises MalformedError for a header of any other form. A worker's first
reply, before any request, says that its locks are on.
"""

from __future__ import annotations

import functools
import struct
from dataclasses import replace
from typing import Any

from autograder.protocol import codec
from autograder.protocol.call import MAX_ERROR_MESSAGE_CHARACTERS, Call, Raised, Reply
from autograder.protocol.codec import MalformedError

LENGTH = struct.Struct("<I")

MAX_HEADER_BYTES = 64 * 1024
"""Maximum bytes of a reply's header."""

MAX_REPLY_BYTES = LENGTH.size + MAX_HEADER_BYTES + codec.MAX_MESSAGE_BYTES
"""Maximum bytes of a whole reply."""

MAX_NAME_CHARACTERS = 200
"""Maximum number of characters of a name in a reply: an exception's class, a function, an argument."""

MAX_NAMES = 64
"""Maximum number of base classes of an exception, or of changed arguments."""


def frame(data: bytes) -> bytes:
    """Return the data with its length in front."""
    return LENGTH.pack(len(data)) + data


def load_request(module: str, cells: tuple[str, ...], filename: str, seconds: float) -> bytes:
    """Return the frame that loads a submission. Raise ValueError if it is too long."""
    return frame(codec.message(module, cells, filename, seconds))


def request(call: Call) -> bytes:
    """Return the frame of a call. Raise ValueError if it is too long."""
    return frame((_MEASURED + frame(codec.message(*call.uncounted)) if call.measured else _UNMEASURED) + call.encoded)


def unpack_request(data: bytes) -> Call:
    """Return the call of a request, in the worker."""
    is_measured, encoded, uncounted = data[:1] == _MEASURED, data[1:], ()
    if is_measured:
        end = LENGTH.size + LENGTH.unpack_from(encoded)[0]
        uncounted, encoded = codec.decode(encoded[LENGTH.size : end]), encoded[end:]
    function, args, kwargs = codec.decode(encoded)
    return Call(function, args, kwargs, is_measured, uncounted)


_MEASURED, _UNMEASURED = b"+", b"-"


def pack_reply(reply: Reply) -> bytes:
    """Return the frame of a reply, in the worker."""
    error = _raised_fields(reply.raised) if reply.raised is not None else None
    header = frame(_header((error, reply.lines, reply.changed)))
    return frame(header + (reply.encoded if error is None else b""))


def _raised_fields(raised: Raised) -> tuple[Any, ...]:
    """Return an exception's fields in the order of the header; `_unpack_header` reads them."""
    return raised.kind, raised.bases, raised.message, raised.line, raised.function, raised.missing_import


_header = functools.lru_cache(maxsize=256)(codec.encode)
"""Encode a header; cached, as on the other side, because most replies have the same header."""


def unpack_reply(data: bytes) -> Reply:
    """Return a reply with its value decoded, in the grader. Raise MalformedError."""
    end = LENGTH.size + int.from_bytes(data[: LENGTH.size], "little")
    if end > min(LENGTH.size + MAX_HEADER_BYTES, len(data)):
        raise MalformedError("a reply with a header that is too long")
    reply = _unpack_header(data[LENGTH.size : end])
    if reply.raised is None:
        reply = replace(reply, encoded=data[end:])
    elif data[end:]:
        raise MalformedError("a reply with a value and an exception")
    reply.value  # noqa: B018 - decoded here, so that no later code gets malformed bytes
    return reply


@functools.lru_cache(maxsize=256)
def _unpack_header(header: bytes) -> Reply:
    """Return a reply without its value.

    The result is cached, since most headers are empty, and the same refusal of a bad argument occurs many times.
    """
    match codec.decode(header, writeable=False):
        case (None, int(lines), tuple(changed)) if _are_names(changed):
            return Reply(lines=lines, changed=changed)
        case (
            (
                str(kind),
                tuple(bases),
                str(message),
                int() | None as line,
                str() | None as function,
                bool(missing_import),
            ),
            int(lines),
            (),
        ) if _are_names((kind, function or "")) and _are_names(bases) and len(message) <= MAX_ERROR_MESSAGE_CHARACTERS:
            return Reply(raised=Raised(kind, bases, message, line, function, missing_import), lines=lines)
    raise MalformedError("a reply with a header of another form")


def _are_names(values: tuple[Any, ...]) -> bool:
    return len(values) <= MAX_NAMES and all(
        type(value) is str and len(value) <= MAX_NAME_CHARACTERS for value in values
    )
