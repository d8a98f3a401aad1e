"""The terms of the glossary, explained where a lesson touches them.

A term becomes a button that opens its meaning: it works by mouse and keyboard, and without JavaScript.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

_ROW = re.compile(r"^\| ([^|$`]+?) \| (.+?) \| (\d+) \|$", re.MULTILINE)
_EVERYDAY = frozenset(("value", "content", "learned", "factor", "base", "row", "shape", "step", "section", "model", "distance"))
"""Words that lessons also use in their everyday sense: their rows in the glossary explain only one of the two."""


def slug(text: str) -> str:
    """The anchor of a heading or a term, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


@dataclass
class Glossary:
    """The terms by how they are written in a text, and the meaning of each as Markdown."""

    text: str
    meanings: dict[str, str] = field(init=False, default_factory=dict)
    spellings: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        words = self.text.partition("## Words")[2].partition("## Symbols")[0]
        for term, meaning, _ in _ROW.findall(words):
            self.meanings[term] = meaning
            for spelling in re.sub(r" \(.*?\)", "", term).split(", "):
                if spelling not in _EVERYDAY:
                    self.spellings[_folded(spelling)] = term
        longest_first = sorted(self.spellings, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})s?(?![\w-])", re.IGNORECASE)

    def marked(self, text: str, touched: set[str], used: set[str]) -> str:
        """A piece of plain text as HTML, with the terms that are not yet `touched` as buttons; `used` collects all of a page."""
        parts, end = [], 0
        for match in self.pattern.finditer(text):
            term = self._term(match[0])
            if term is None or term in touched:
                continue
            touched.add(term)
            used.add(term)
            button = f'<button type="button" class="term" popovertarget="term-{slug(term)}">{escape(match[0])}</button>'
            parts += [escape(text[end : match.start()], quote=False), button]
            end = match.end()
        return "".join(parts) + escape(text[end:], quote=False)

    def _term(self, written: str) -> str | None:
        """The term that is written so. Capitals count where the term has some: `Set` is no SET."""
        for spelling in (written, written.removesuffix("s")):
            term = self.spellings.get(_folded(spelling))
            if term is not None and (term == term.lower() or spelling[1:] in term):
                return term
        return None


def _folded(text: str) -> str:
    return text.casefold()
