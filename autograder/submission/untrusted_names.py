"""Safe forms of names that people have chosen, for sentences, files and spreadsheets."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Sequence

from autograder.files import without_control_characters

MAX_NAME, MAX_NAME_BYTES = 80, 200  # a character can have four bytes, and file systems allow 255
_SAFE_PUNCTUATION = "-_.@+"
_WINDOWS_RESERVED_NAMES = {"con", "prn", "aux", "nul"}  # names that Windows rejects, even with an extension
_WINDOWS_RESERVED_NAMES |= {f"{device}{number}" for device in ("com", "lpt") for number in range(10)}
_FORMULA_STARTS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")  # the full-width forms also begin formulas in some locales
_DOUBLE_ENDING = re.compile(r"(.+)(\.py|\.ipynb)\.(?:txt|json)", re.IGNORECASE | re.DOTALL)  # from browsers and mail


def stem_and_suffix(name: str) -> tuple[str, str]:
    """Return a file's name without folders and extension, and the extension in lowercase."""
    name = name.rpartition("/")[2]
    if double := _DOUBLE_ENDING.fullmatch(name):
        return double[1], double[2].casefold()
    base, dot, ending = name.rpartition(".")
    return (base, (dot + ending).casefold()) if base else (name, "")


def utf8_safe(text: str) -> str:
    """Return the text, escaping characters that UTF-8 cannot represent (undecodable bytes in a file name)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str, limit: int = MAX_NAME) -> str:
    """Return the text as one line of at most `limit` characters, without control and direction characters."""
    cut = text[: 4 * limit]
    line = " ".join(without_control_characters(cut).split())
    return line if len(line) <= limit and len(cut) == len(text) else line[: limit - 1] + "…"


def semicolon_list(names: Sequence[str], most: int | None = None) -> str:
    """Return the first `most` names, separated by semicolons, and the number of any others.

    Names can contain commas. A name that contains a semicolon or begins with a quotation mark is quoted as in CSV.
    """
    quoted = ('"' + name.replace('"', '""') + '"' if ";" in name or name[:1] == '"' else name for name in names[:most])
    more = [f"and {len(names) - most} more"] if most is not None and len(names) > most else []
    return "; ".join([*quoted, *more])


def csv_cell(text: str) -> str:
    """Return text for a CSV cell, with an apostrophe before any part that a spreadsheet would read as a formula.

    Such a part can be at the beginning, or after a separator at which some spreadsheets split cells despite the quotes.
    """
    parts = re.split(r"([,;|])", without_control_characters(utf8_safe(text)))
    return "".join(f"'{part}" if part.lstrip('" ').startswith(_FORMULA_STARTS) else part for part in parts)


def safe_name(student: str, taken: set[str]) -> str:
    """Return a readable file name for a student, safe on every system, and add its folded form to `taken`.

    If it is taken, a suffix made from the full name makes it unique in the class.
    """
    composed = unicodedata.normalize("NFKC", utf8_safe(student))
    is_safe = {one: one in _SAFE_PUNCTUATION or unicodedata.category(one)[0] in "LNM" for one in composed}
    kept = "".join(character if is_safe[character] else "_" for character in composed)
    readable = _cut("_".join(filter(None, kept.split("_"))).lstrip(_SAFE_PUNCTUATION), 0) or "student"
    if readable.split(".")[0].casefold() in _WINDOWS_RESERVED_NAMES:
        readable = f"student-{readable}"
    mark = hashlib.sha256(utf8_safe(student).encode()).hexdigest()[:8]
    endings = itertools.chain(["", f"-{mark}"], (f"-{mark}-{number}" for number in itertools.count(2)))
    names = (_cut(readable, len(ending)) + ending for ending in endings)
    name = next(name for name in names if folded(name) not in taken)
    taken.add(folded(name))
    return name


def _cut(name: str, reserve: int) -> str:
    """Return a name shortened to leave `reserve` characters free, without a trailing dot."""
    return name[: MAX_NAME - reserve].encode()[: MAX_NAME_BYTES - reserve].decode("utf-8", "ignore").rstrip(".")


def folded(name: str) -> str:
    """Return a form that is the same for names that differ only in case or in how accents are encoded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def unaccented_words(name: str) -> list[str]:
    """Return the words of a name in lowercase, without accents and strokes, such as lukasz for Łukasz."""
    letters = []
    for letter in folded(name):
        plain, mark, _ = unicodedata.name(letter, "").partition(" WITH ")
        with contextlib.suppress(KeyError):  # some letters, such as ƛ, exist only with a mark
            letter = unicodedata.lookup(plain) if mark and plain.startswith("LATIN ") else letter
        letters.append(letter)
    return re.findall(r"[^\W\d_]+", "".join(letters))
