"""The wire between the grader and a worker: length-prefixed frames of plain values.

A worker's first request is (module, cells, filename, seconds). Every other request is a call: a byte that tells whether
the call is measured, then the function and its arguments, encoded as in golden values and grades. A reply is a header
(exception, lines, changed arguments) followed by the encoded value. The grader treats all data from a worker as
hostile: `codec.decode` creates only plain values, and a header of any other form raises MalformedError. A worker sends
its first reply before any request, to report that it is locked.
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
"""Format of the length that precedes a frame's data."""

MAX_HEADER_BYTES = 64 * 1024
"""Maximum size, in bytes, of a reply's header."""

MAX_REPLY_BYTES = LENGTH.size + MAX_HEADER_BYTES + codec.MAX_MESSAGE_BYTES
"""Maximum size, in bytes, of a whole reply."""

MAX_NAME_CHARACTERS = 200
"""Maximum length, in characters, of the name of an exception class, a function or an argument."""

MAX_NAMES = 64
"""Maximum number of names in one field of a reply: an exception's base classes or the changed arguments."""


def frame(data: bytes) -> bytes:
    """Return the data preceded by its length."""
    return LENGTH.pack(len(data)) + data


def load_request(module: str, cells: tuple[str, ...], filename: str, seconds: float) -> bytes:
    """Return the frame of a request to load a submission. Raise ValueError if the frame is too long."""
    return frame(codec.encode_request(module, cells, filename, seconds))


def request(call: Call) -> bytes:
    """Return the frame of a request to make a call. Raise ValueError if the frame is too long."""
    return frame(
        (_MEASURED + frame(codec.encode_request(*call.uncounted)) if call.measured else _UNMEASURED) + call.encoded
    )


def unpack_request(data: bytes) -> Call:
    """Return the call in a request. The worker runs this function."""
    is_measured, encoded, uncounted = data[:1] == _MEASURED, data[1:], ()
    if is_measured:
        end = LENGTH.size + LENGTH.unpack_from(encoded)[0]
        uncounted, encoded = codec.decode(encoded[LENGTH.size : end]), encoded[end:]
    function, args, kwargs = codec.decode(encoded)
    return Call(function, args, kwargs, is_measured, uncounted)


_MEASURED, _UNMEASURED = b"+", b"-"


def pack_reply(reply: Reply) -> bytes:
    """Return the frame of a reply. The worker runs this function."""
    error = _raised_fields(reply.raised) if reply.raised is not None else None
    header = frame(_encoded_reply_header((error, reply.executed_lines, reply.changed)))
    return frame(header + (reply.encoded if error is None else b""))


def _raised_fields(raised: Raised) -> tuple[Any, ...]:
    """Return an exception's fields in the order in which `_unpack_header` reads them."""
    return raised.kind, raised.bases, raised.message, raised.line, raised.function, raised.missing_import


_encoded_reply_header = functools.lru_cache(maxsize=256)(codec.encode)
"""Encode a header; cached, because most replies have the same one."""


def unpack_reply(data: bytes) -> Reply:
    """Return a reply with its value decoded. Raise MalformedError for forged data. The grader runs this function."""
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
    """Return the reply that a header describes, without a value.

    Replies are cached, since most headers are empty and the same refusal of a bad argument occurs many times.
    """
    # `tuple((…))` checks the type first. In numpy 2.5, an array is a sequence, and one without axes has no length.
    match codec.decode(header, writeable=False):
        case tuple((None, int(executed_lines), tuple(changed))) if _are_few_short_names(changed):
            return Reply(executed_lines=executed_lines, changed=changed)
        case tuple(
            (
                tuple(
                    (
                        str(kind),
                        tuple(bases),
                        str(message),
                        int() | None as line,
                        str() | None as function,
                        bool(missing_import),
                    )
                ),
                int(executed_lines),
                tuple(()),
            )
        ) if (
            _are_few_short_names((kind, function or ""))
            and _are_few_short_names(bases)
            and len(message) <= MAX_ERROR_MESSAGE_CHARACTERS
        ):
            return Reply(
                raised=Raised(kind, bases, message, line, function, missing_import), executed_lines=executed_lines
            )
    raise MalformedError("a reply with a header of another form")


def _are_few_short_names(values: tuple[Any, ...]) -> bool:
    return len(values) <= MAX_NAMES and all(
        type(value) is str and len(value) <= MAX_NAME_CHARACTERS for value in values
    )
