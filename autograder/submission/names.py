"""Names that people chose: which assignment they speak of, and how they become harmless in a sentence, a file system
and a spreadsheet."""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Sequence

MAX_NAME, MAX_BYTES = 80, 200
"""of a file name: a character may have four bytes, and systems take 255"""

_KEPT = "-_.@+"
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # the full-width forms count as formulas in some locales
_DOUBLE = re.compile(r"(.+)(\.py|\.ipynb)\.(?:txt|json)", re.IGNORECASE | re.DOTALL)
"""A second ending that a browser or a mail program added."""


def stem_and_suffix(name: str) -> tuple[str, str]:
    """A name without folders, and the ending that says what kind of file it is, in lower case."""
    name = name.rpartition("/")[2]
    if double := _DOUBLE.fullmatch(name):
        return double[1], double[2].casefold()
    base, dot, ending = name.rpartition(".")
    return (base, (dot + ending).casefold()) if base else (name, "")


def equal_to(name: str, assignments: Sequence[str]) -> str | None:
    """The assignment that this name is, case aside."""
    return next((known for known in assignments if known.casefold() == name.casefold()), None)


def named_in(name: str, assignments: Sequence[str]) -> str | None:
    """The one assignment that stands in this name as a word of its own; None where there is none, or several. Of rope
    and rope_2d, where one lies in the other, the longest is meant."""
    words = f"_{_words(name)}_"
    named = [known for known in assignments if f"_{_words(known)}_" in words]
    inner = {one for one in named for other in named if one != other and f"_{_words(one)}_" in f"_{_words(other)}_"}
    return outer[0] if len(outer := [one for one in named if one not in inner]) == 1 else None


@functools.lru_cache(4096)
def _words(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def utf8_safe(text: str) -> str:
    """The same text, with what UTF-8 cannot write (undecodable bytes of a file name) spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str, limit: int = MAX_NAME) -> str:
    """Text on one line for a sentence: no control or direction characters, and not longer than `limit`."""
    cut = text[: 4 * limit]
    line = " ".join("".join(character if character.isprintable() else " " for character in cut).split())
    return line if len(line) <= limit and len(cut) == len(text) else line[: limit - 1] + "…"


def listed(names: Sequence[str], most: int) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def csv_cell(text: str) -> str:
    """Text for a CSV cell, with an apostrophe wherever a spreadsheet would take what follows for a formula: at its
    beginning, and after whatever parts cells or lines in some locale, where quotes are letters like others."""
    pieces = re.split(r"([,;|\t\r\n])", utf8_safe(text))
    safe = "".join(f"'{piece}" if _first_visible(piece) in _FORMULA else piece for piece in pieces)
    return f"'{safe}" if safe.startswith(("\t", "\r", "\n")) else safe


def _first_visible(text: str) -> str:
    return next((one for one in text if one != '"' and unicodedata.category(one)[0] not in "ZC"), " ")


def safe_name(student: str, taken: set[str]) -> str:
    """A file name for a student: readable, safe, unlike every folded name in `taken`, which grows by it. One that is
    taken gets an ending made from the student's own text, whoever else is in the class."""
    composed = unicodedata.normalize("NFKC", utf8_safe(student))
    plain = "".join(one if one in _KEPT or unicodedata.category(one)[0] in "LNM" else "_" for one in composed)
    readable = _cut("_".join(filter(None, plain.split("_"))).lstrip(_KEPT), 0) or "student"
    mark = hashlib.sha256(utf8_safe(student).encode()).hexdigest()[:8]
    endings = itertools.chain(["", f"-{mark}"], (f"-{mark}-{number}" for number in itertools.count(2)))
    names = (_cut(readable, len(ending)) + ending for ending in endings)
    name = next(name for name in names if folded(name) not in taken)
    taken.add(folded(name))
    return name


def _cut(name: str, room: int) -> str:
    """The name's beginning that leaves room for an ending, without a trailing dot, which Windows would drop."""
    return name[: MAX_NAME - room].encode()[: MAX_BYTES - room].decode("utf-8", "ignore").rstrip(".")


def folded(name: str) -> str:
    """The same for names that differ only in case, or in how an accent or a wide letter is written."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
