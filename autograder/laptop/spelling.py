"""Terminals that cannot show every letter: θ becomes theta, ✓ becomes +, and nothing ends in an exception."""

from __future__ import annotations

import codecs
import io
import unicodedata
from typing import TextIO

_SPELLED = {
    "✓": "+", "✗": "x", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "×": "x", "≤": "<=", "≥": ">=",
    "≠": "!=", "√": "sqrt", "Σ": "sum ", "∞": "inf", "′": "'", "⁻": "^-", "“": '"', "”": '"', "‘": "'", "’": "'",
    "²": "^2", "⌊": "floor(", "⌋": ")",
    "│": "|", "ᵀ": "^T",
}  # fmt: skip


def spell_out(*streams: TextIO) -> None:
    """Have these streams write what they cannot encode in letters that they can."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="whereabouts.spelled")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_letter, error.object[error.start : error.end])), error.end


def _letter(character: str) -> str:
    if character in _SPELLED:
        return _SPELLED[character]
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    if plain:
        return plain
    name = unicodedata.name(character, "")
    return name.removeprefix("GREEK SMALL LETTER ").lower() if name.startswith("GREEK SMALL LETTER ") else "?"


codecs.register_error("whereabouts.spelled", _spelled)
