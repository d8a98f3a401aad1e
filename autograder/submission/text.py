"""Bytes to text: UTF-8, UTF-16 with its mark, or what a coding line declares (PEP 263); line ends become \\n."""

from __future__ import annotations

import codecs
import re
import warnings

from autograder.submission.names import printable
from autograder.submission.records import Refused

_DOCUMENTS = {
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip archive or an Office document",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
}
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)

# PEP 263: the declaration stands in the first line, or in the second where the first is blank or a comment.
_CODING = re.compile(rb"(?:[ \t\f]*(?:#[^\n]*)?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]{1,40})")
# What an encoding must read as plain ASCII to be fit for source code. The escapes and the label at the end tell those
# apart that decode something else than text, some of them in quadratic time.
_ASCII = bytes(range(128)) + rb" \x41 \u0041 \N{DIGIT ONE} .xn--nxa."


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and notes on how it was read. Raises Refused where it is not text."""
    if not data:
        raise Refused("The file is empty: hand in the file that holds your functions.", "The file has no bytes.")
    for start, kind in _DOCUMENTS.items():
        if data.startswith(start):
            raise _not_code(kind)
    text, notes = _decode(data)
    if "\0" in text:
        raise Refused(
            "The file is binary, not text: hand in the .py or .ipynb file itself, saved as UTF-8.",
            "The file holds NUL bytes, so it is binary, or UTF-16 without a byte-order mark.",
        )
    if _HTML.match(text):
        raise _not_code("a web page (HTML)")
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_as(data, "utf-16"), ("It was read as UTF-16, as its byte-order mark says.",)
    if data.startswith(codecs.BOM_UTF8):
        return _decode_as(data[len(codecs.BOM_UTF8) :], "utf-8"), ("The byte-order mark at its start was dropped.",)
    encoding = _declared(data)
    if encoding is None:
        return _decode_as(data, "utf-8"), ()
    notes = (f"It was read as {encoding}, as its coding line says.",)
    return _decode_as(data, encoding), () if encoding == "utf-8" else notes


def _declared(data: bytes) -> str | None:
    """The encoding that a coding line names. Raises Refused for one that Python could not use either."""
    coding = _CODING.match(data[:1000].replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    if coding is None:
        return None
    name = coding[1].decode("ascii")
    if not _reads_ascii(name):
        raise Refused(
            f"The coding line names {name}, which is no encoding for Python: save the file as UTF-8, without it.",
            f"The coding line names {name}, which is no encoding for Python source.",
        )
    return codecs.lookup(name).name


def _reads_ascii(encoding: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except (LookupError, ValueError):
        return False


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except ValueError as error:
        raise Refused(
            f"The file is not text in {encoding}: open it in an editor, save it as UTF-8 and hand it in again.",
            f"The file cannot be decoded as {encoding} ({printable(str(error), 120)}).",
        ) from error


def _not_code(kind: str) -> Refused:
    return Refused(
        f"The file is {kind}, not Python, whatever its name says: hand in the .py or .ipynb file itself.",
        f"The file is {kind} under the name of a code file.",
    )
