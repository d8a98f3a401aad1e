"""Output that any terminal or pipe can show.

A pipe on Windows uses the system's code page, and a bare container uses ASCII. Neither encoding has the marks used for
results, and readers could not tell two marks apart if both became `?`. Characters that an encoding lacks are therefore
spelled out in ASCII.
"""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

SPELLING_HANDLER = "spelled"
"""Name of the error handler that spells out characters that an encoding lacks."""

_ASCII_SPELLING_BY_CHARACTER = {
    "✓": "ok", "✗": "fail", "·": "*", "…": "...", "−": "-", "–": "-", "—": "-", "×": "x", "±": "+-", "→": "->",
    "⇒": "=>", "↦": "->", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "∞": "inf", "√": "sqrt", "‘": "'", "’": "'",
    "“": '"', "”": '"', "§": "sec. ",
}  # fmt: skip
"""The ASCII spelling of each character for which the Unicode database provides none."""


def ascii_spelling(character: str) -> str:
    """Return a character in ASCII: a mark as a word, a Greek letter as its name, and other letters without accents.

    Any other character becomes an escape sequence with its code point, as in a Python string.
    """
    if character in _ASCII_SPELLING_BY_CHARACTER:
        return _ASCII_SPELLING_BY_CHARACTER[character]
    if letter := "".join(part for part in unicodedata.normalize("NFKD", character) if part.isascii()):
        return letter
    kind, _, name = unicodedata.name(character, "").partition(" LETTER ")
    if kind.startswith("GREEK"):
        return name.split()[0].lower() if "SMALL" in kind else name.split()[0].capitalize()
    return character.encode("ascii", "backslashreplace").decode("ascii")


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error by spelling out the characters that could not be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(ascii_spelling, error.object[error.start : error.end])), error.end


def print_anywhere() -> None:
    """Make this process able to print any text, whatever the encoding of its output streams."""
    codecs.register_error(SPELLING_HANDLER, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a notebook's streams accept all characters
            stream.reconfigure(errors=SPELLING_HANDLER)
