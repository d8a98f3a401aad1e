"""Names that people chose, made safe for a sentence, a file system and a spreadsheet."""

from __future__ import annotations

import hashlib
import itertools
import unicodedata

MAX_NAME = 80
"""characters of a file name; with at most four bytes each it could pass 255 bytes, so those are bounded as well"""
MAX_BYTES = 200

_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
_KEPT = "-_.@+"
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # the full-width forms count as formulas in some locales


def utf8_safe(text: str) -> str:
    """The same text, with what UTF-8 cannot write (undecodable bytes of a file name) spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str, limit: int = MAX_NAME) -> str:
    """Text on one line for a sentence: no control or direction characters, and not longer than `limit`."""
    cut = text[: 4 * limit]
    line = " ".join("".join(character if character.isprintable() else " " for character in cut).split())
    return line if len(line) <= limit and len(cut) == len(text) else line[: limit - 1] + "…"


def listed(names: list[str], most: int) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def csv_cell(text: str) -> str:
    """Text for a CSV cell, with a leading apostrophe where a spreadsheet would take it for a formula."""
    text = utf8_safe(text)
    first_visible = next((character for character in text if unicodedata.category(character)[0] not in "ZC"), " ")
    return f"'{text}" if first_visible in _FORMULA or text.startswith(("\t", "\r", "\n")) else text


def safe_name(student: str, taken: set[str]) -> str:
    """A file name for a student: readable, safe on any file system, unlike every name in `taken`, which grows by it.

    Names that differ only in case or in how an accent is written are the same to some file systems, so `taken` holds
    them folded. A name that is taken gets an ending made from the student's own text, so that it hardly depends on
    who else is in the class.
    """
    readable = _readable(student)
    mark = hashlib.sha256(utf8_safe(student).encode()).hexdigest()[:8]
    endings = itertools.chain(["", f"-{mark}"], (f"-{mark}-{number}" for number in itertools.count(2)))
    names = (_cut(readable, len(ending)) + ending for ending in endings)
    name = next(name for name in names if folded(name) not in taken)
    taken.add(folded(name))
    return name


def _readable(student: str) -> str:
    composed = unicodedata.normalize("NFKC", utf8_safe(student))
    kept = "".join(character if _is_plain(character) else "_" for character in composed)
    words = "_".join(word for word in kept.split("_") if word)
    name = _cut(words.lstrip(_KEPT), 0) or "student"
    return f"_{name}" if name.split(".")[0].casefold() in _RESERVED else name


def _is_plain(character: str) -> bool:
    return character in _KEPT or unicodedata.category(character)[0] in "LNM"


def _cut(name: str, room: int) -> str:
    """The name's beginning that leaves room for an ending, without a trailing dot, which Windows would drop."""
    name = name[: MAX_NAME - room]
    return name.encode()[: MAX_BYTES - room].decode("utf-8", "ignore").rstrip(".")


def folded(name: str) -> str:
    """The same for names that differ only in case, or in how an accent or a wide letter is written."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
