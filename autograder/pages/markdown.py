"""Conversion of a lesson's Markdown to HTML, with formulas, code, links between pages, terms and docstrings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, get_lexer_by_name

from autograder.pages.formulas import PageError, mathml
from autograder.pages.glossary import Glossary, slug

_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


def highlighted_code(text: str, language: str = "") -> str:
    """Return highlighted code: Python, a session with `>>>`, or the language named by its fence."""
    lexer = PythonConsoleLexer() if ">>>" in text else get_lexer_by_name(language or "python", stripnl=False)
    return str(highlight(text, lexer, _FORMATTER))


class Renderer:
    """A renderer for the course's texts: every lesson, the glossary and the page on numpy."""

    def __init__(self, glossary: Glossary, folder: Path, lessons: Sequence[str] = ()) -> None:
        """Prepare to render texts from `folder`.

        `lessons` lists the names of the full course's lessons, because the glossary refers to lessons by number.
        """
        self._glossary, self._folder, self._lessons = glossary, folder, lessons
        self._markdown = MarkdownIt("commonmark", {"html": True, "typographer": True}).enable(["table", "smartquotes"])
        self._markdown.use(dollarmath_plugin)
        # A block that is too wide scrolls sideways, even from the keyboard.
        wide, formula = '<div class="scroll" tabindex="0">{}</div>\n', '<div class="formula" tabindex="0">{}</div>\n'
        self._html = cast(RendererHTML, self._markdown.renderer)
        rules: dict[str, Any] = {
            "fence": lambda t, at, *_: wide.format(
                f"<pre><code>{highlighted_code(t[at].content, t[at].info)}</code></pre>"
            ),
            "table_open": lambda *_: wide.partition("{")[0] + "<table>",
            "table_close": lambda *_: "</table></div>\n",
            "math_block": lambda t, at, *_: formula.format(mathml(t[at].content, display=True)),
            "math_inline": lambda t, at, *_: mathml(t[at].content),
        }
        self._html.rules |= rules | {"code_block": rules["fence"]}

    def render(self, text: str, folder: str, insertions: Mapping[str, str]) -> str:
        """Return the HTML of a text in a subfolder of assignments/, with each term marked only once.

        No terms are marked in the `Sources` section.

        `insertions` maps keys to HTML: `def name` goes after a function's heading, `answer name` after the line of a
        practice question, and `name` replaces the marker `<!-- name -->`.
        """
        already_marked: set[str] = set()
        lesson = self._lessons.index(folder) + 1 if folder in self._lessons else 0
        out: list[Token] = []
        for before, token in pairwise([Token("", "", 0), *self._markdown.parse(text)]):
            out.append(token)
            parts = token.children or []
            if left := [part.content for part in parts if part.type == "text" and "$" in part.content]:
                raise PageError(f"{folder}: an unterminated formula: {left[0].strip()}")
            if token.type == "inline" and before.type == "heading_open":
                before.attrSet("id", slug(re.sub(r"[`$*]", "", token.content)))
                already_marked |= set(self._glossary.meanings) if token.content == "Sources" else set()
            elif token.type == "inline":
                self._adapt_inline(parts, folder, already_marked, lesson)
                if parts and parts[0].type == "code_inline":
                    out.append(_html_block(insertions.get(f"answer {parts[0].content}", "")))
            elif token.type == "heading_close" and token.tag == "h3":
                names = re.findall(r"`(\w+)`", before.content)
                # If two functions share a heading, each gets a link target.
                anchors = "".join(f'<a id="{name}"></a>' for name in names) if len(names) > 1 else ""
                out.append(_html_block(anchors + "".join(insertions.get(f"def {name}", "") for name in names)))
            elif token.type == "html_block":
                out[-1] = _html_block(insertions.get(token.content.strip()[5:-4], token.content))
            elif token.type == "paragraph_close" and [part.type for part in before.children or []] == ["image"]:
                out[-3:] = [_html_block(self._figure((before.children or [])[0]))]
        return _FORMULA_OR_TERM_WITH_PUNCTUATION.sub(
            r'<span class="glued">\g<0></span>', str(self._html.render(out, self._markdown.options, {}))
        )

    def _adapt_inline(self, parts: list[Token], folder: str, already_marked: set[str], lesson: int) -> None:
        """Point links and images to the pages' files, and mark terms outside links and bold text."""
        inside = 0
        for part in parts:
            if part.type == "link_open":
                part.attrSet("href", _target(str(part.attrGet("href")), folder))
            elif part.type == "image":
                part.attrSet("src", posixpath.normpath(posixpath.join(folder, str(part.attrGet("src")))))
            if part.type in ("link_open", "link_close", "strong_open", "strong_close"):
                inside += part.nesting
            elif part.type == "text" and not inside:
                part.type = "html_inline"
                part.content = self._glossary.with_term_buttons(
                    _UNBREAKABLE_SPACE.sub("\u00a0", part.content), already_marked, lesson
                )

    def _figure(self, image: Token) -> str:
        """Return a figure: the image, with its title as a caption, and its narrow layout for phones."""
        texts = image.attrGet("src"), image.content, image.attrGet("title")
        source, drawn, caption = (escape(" ".join(str(text or "").split()).replace("'", "’")) for text in texts)
        narrow = posixpath.join(posixpath.dirname(source), "narrow", posixpath.basename(source))
        shown = f'<img src="{source}" alt="{drawn}" {self._size(source)} loading="lazy">'
        if (self._folder / narrow).is_file():
            shown = f'<source media="(max-width: 45rem)" srcset="{narrow}" {self._size(narrow)}>{shown}'
        below = f"<figcaption>{caption}" if caption else f'<figcaption aria-hidden="true">{drawn}'
        return f"<figure><picture>{shown}</picture>{below}</figcaption></figure>\n"

    def _size(self, source: str) -> str:
        """Return an image's size as attributes, so that the text does not shift when the image loads."""
        try:
            image = (self._folder / source).read_text("utf-8")
        except FileNotFoundError as error:
            raise PageError(f"a text shows assignments/{source}, which does not exist: run `make figures`") from error
        sides = re.findall(r'(width|height)="([\d.]+)pt"', image)[:2]
        return " ".join(f'{side}="{float(size) * 4 / 3:.0f}"' for side, size in sides)


_UNBREAKABLE_SPACE = re.compile(r" (?=[±%])|(?<=±) |(?<=\bp) (?=\d)")  # 0.47 ± 0.20, 90 %, p 0.008
_FORMULA_OR_TERM_ELEMENT = r"<(math|button)\b(?:(?!</\{0}>).)*</\{0}>"
_FORMULA_OR_TERM_WITH_PUNCTUATION = re.compile(
    rf"[(“]{_FORMULA_OR_TERM_ELEMENT.format(1)}[,.;:!?)”]*|{_FORMULA_OR_TERM_ELEMENT.format(2)}[,.;:!?)”]+", re.DOTALL
)
"""Pattern for a formula or a term with the punctuation around it, which must all stay on one line."""


def _html_block(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def _target(link: str, folder: str) -> str:
    """Return the address of the page that a link between texts leads to."""
    if "://" in link or link.startswith("#"):
        return link
    path, hash_mark, anchor = link.partition("#")
    name = posixpath.normpath(posixpath.join(folder, path)).removesuffix("/README.md").removesuffix(".md")
    return f"{'index' if name == 'README' else name}.html{hash_mark}{anchor}"
