"""The glossary's terms, explained where a lesson uses them.

A term becomes a button that shows its meaning, by mouse or keyboard, even without JavaScript.
"""

from __future__ import annotations

import re
from html import escape

_ROW = re.compile(r"^\| ([^|$`]+?) \| (.+?) \| ([\d, ]+) \|$", re.MULTILINE)
"""Pattern for a row of the glossary: a term, its meaning and a lesson. For a word with another meaning elsewhere, the
row lists all lessons in which it has this meaning (0 is the front page)."""
_EVERYDAY_WORDS = frozenset("value content learned factor base row shape step section model distance".split())
"""Terms that never become buttons, because lessons also use the same words in an everyday sense."""


def slug(text: str) -> str:
    """Return the anchor for a heading or a term, in GitHub's style."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


class Glossary:
    """The course's terms in all their spellings, and each one's meaning as Markdown."""

    def __init__(self, text: str) -> None:
        rows = _ROW.findall(text.partition("## Words")[2].partition("## Symbols")[0])
        self.meanings: dict[str, str] = {term: meaning for term, meaning, _ in rows}
        self._lessons = {term: set(map(int, where.split(","))) for term, _, where in rows if "," in where}
        spellings = {spelling: term for term in self.meanings for spelling in re.sub(r" \(.*?\)", "", term).split(", ")}
        self._terms = {
            _lower_first(spelling): term for spelling, term in spellings.items() if spelling not in _EVERYDAY_WORDS
        }
        # Longest terms come first. A term's first letter can be a capital; otherwise, case matters: `Set` is not SET.
        written = [f"[{term[0]}{term[0].upper()}]{re.escape(term[1:])}" for term in sorted(self._terms, key=len)[::-1]]
        self._pattern = re.compile(rf"(?<![\w-])({'|'.join(written) or '(?!)'})s?(?![\w-])")

    def with_term_buttons(self, text: str, already_marked: set[str], lesson: int = 0) -> str:
        """Return a lesson's plain text as HTML, with buttons for terms that are not in `already_marked` yet."""

        def button(match: re.Match[str]) -> str:
            term = self._terms[_lower_first(match[1])]
            if term in already_marked or lesson not in self._lessons.get(term, {lesson}):
                return match[0]
            already_marked.add(term)
            return f'<button type="button" class="term" popovertarget="term-{slug(term)}">{match[0]}</button>'

        return self._pattern.sub(button, escape(text, quote=False))


def _lower_first(term: str) -> str:
    return term[0].lower() + term[1:]
