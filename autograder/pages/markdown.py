"""A lesson's Markdown → HTML, with formulas, highlighted code, links between pages, terms and docstrings."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Placed:
    """What stands in a text that is not written there, as HTML: behind the heading of a function, behind the line of a
    question for practice, in the place of a mark `<!-- name -->` or `<!-- dial: name -->`."""

    docstrings: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    at_marks: dict[str, str] = field(default_factory=dict)


def code(text: str, language: str = "") -> str:
    """Python, a session with `>>>`, or what else its fence names, highlighted."""
    lexer = PythonConsoleLexer() if ">>>" in text else get_lexer_by_name(language or "python", stripnl=False)
    return str(highlight(text, lexer, _FORMATTER))


class Renderer:
    """Renders the course's texts: every lesson, the glossary, the page on numpy."""

    def __init__(self, glossary: Glossary, folder: Path) -> None:
        self._glossary, self._folder = glossary, folder
        self._markdown = MarkdownIt("commonmark", {"html": True, "typographer": True}).enable(["table", "smartquotes"])
        self._markdown.use(dollarmath_plugin)
        self._html = cast(RendererHTML, self._markdown.renderer)
        # A block scrolls sideways where it is too wide, by keyboard too.
        scroll = '<div class="scroll" tabindex="0">'
        rules: dict[str, Any] = {
            "fence": lambda tokens, index, *_: (
                f"{scroll}<pre><code>{code(tokens[index].content, tokens[index].info)}</code></pre></div>\n"
            ),
            "table_open": lambda *_: f"{scroll}<table>",
            "table_close": lambda *_: "</table></div>\n",
            "math_block": lambda tokens, index, *_: (
                f'<div class="formula" tabindex="0">{mathml(tokens[index].content, True)}</div>\n'
            ),
            "math_inline": lambda tokens, index, *_: mathml(tokens[index].content),
            "th_open": lambda tokens, index, *_: _column_heading(tokens[index + 1])[0],
            "th_close": lambda tokens, index, *_: _column_heading(tokens[index - 1])[1],
        }
        self._html.rules |= rules | {"code_block": rules["fence"]}

    def inline(self, text: str) -> str:
        """A piece of a line, as in a table's cell."""
        return str(self._markdown.renderInline(text))

    def render(self, text: str, folder: str, placed: Placed = Placed()) -> str:
        """A text that lies in a folder below assignments/, with what is placed in it. Each term is marked once, and
        none in sources."""
        touched: set[str] = set()
        number = re.match(r"# (\d+)\.", text)
        lesson = int(number[1]) if number else 0
        out: list[Token] = []
        for before, token in pairwise([Token("", "", 0), *self._markdown.parse(text)]):
            out.append(token)
            if left := [part.content for part in token.children or [] if part.type == "text" and "$" in part.content]:
                raise PageError(f"{folder}: a formula does not come to its end: {left[0].strip()}")
            if token.type == "inline" and before.type == "heading_open":
                before.attrSet("id", slug(re.sub(r"[`$*]", "", token.content)))
                touched |= set(self._glossary.meanings) if token.content == "Sources" else set()
            elif token.type == "inline":
                self._inline(token, folder, touched, lesson)
                if (name := _first(token, "code_inline")) and name.content in placed.questions:
                    out.append(_html(placed.questions[name.content]))
            elif token.type == "heading_close" and token.tag == "h3":
                names = re.findall(r"`(\w+)`", before.content)
                # Where two functions share a heading, each has a place to link to.
                anchors = "".join(f'<a id="{name}"></a>' for name in names) if len(names) > 1 else ""
                out.append(_html(anchors + "".join(placed.docstrings.get(name, "") for name in names)))
            elif token.type == "html_block" and (mark := _MARK.match(token.content)):
                out[-1] = _html(placed.at_marks[mark[1]])
            elif (
                token.type == "paragraph_close"
                and (image := _first(before, "image"))
                and len(before.children or []) == 1
            ):
                out[-3:] = [_html(self._figure(image))]
        return _GLUED.sub(r'<span class="glued">\g<0></span>', str(self._html.render(out, self._markdown.options, {})))

    def _inline(self, token: Token, folder: str, touched: set[str], lesson: int) -> None:
        """Links lead to pages, images lie below the page, and terms are marked outside of links and strong words."""
        inside = 0
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href")), folder))
            elif child.type == "image":
                child.attrSet("src", posixpath.normpath(posixpath.join(folder, str(child.attrGet("src")))))
            if child.type in ("link_open", "link_close", "strong_open", "strong_close"):
                inside += child.nesting
            elif child.type == "text" and not inside:
                child.type = "html_inline"
                child.content = self._glossary.marked(_TOGETHER.sub("\u00a0", child.content), touched, lesson)

    def _figure(self, image: Token) -> str:
        """The text of the image says what is drawn, its title (below it) what to look at. A wide picture has a narrow
        one for phones."""
        texts = image.attrGet("src"), image.content, image.attrGet("title")
        source, drawn, caption = (escape(" ".join(str(text or "").split()).replace("'", "’")) for text in texts)
        narrow = posixpath.join(posixpath.dirname(source), "narrow", posixpath.basename(source))
        on_phones = (
            f'<source media="(max-width: 45rem)" srcset="{narrow}" {self._size(narrow)}>'
            if (self._folder / narrow).is_file()
            else ""
        )
        shown = f'<picture>{on_phones}<img src="{source}" alt="{drawn}" {self._size(source)} loading="lazy"></picture>'
        below = f"<figcaption>{caption}" if caption else f'<figcaption aria-hidden="true">{drawn}'
        return f"<figure>{shown}{below}</figcaption></figure>\n"

    def _size(self, source: str) -> str:
        """It is told, so that the text stays where it is when the image loads."""
        sides = re.findall(r'(width|height)="([\d.]+)pt"', (self._folder / source).read_text("utf-8"))[:2]
        return " ".join(f'{side}="{float(size) * 4 / 3:.0f}"' for side, size in sides)


def _first(line: Token, kind: str) -> Token | None:
    """What a line begins with, where it is of that kind."""
    return next((child for child in (line.children or [])[:1] if child.type == kind), None)


def _column_heading(title: Token) -> tuple[str, str]:
    """What begins and ends it. One that is a formula alone is also written out, because not every screen reader names
    it otherwise."""
    if not title.content:
        return "<td>", "</td>\n"
    if any(child.type != "math_inline" for child in title.children or []):
        return '<th scope="col">', "</th>\n"
    written_out = escape(title.content.replace("$", ""))
    return f'<th scope="col"><span class="unseen">{written_out}</span><span aria-hidden="true">', "</span></th>\n"


_TOGETHER = re.compile(r" (?=[±%])|(?<=±) |(?<=\bp) (?=\d)")  # 0.47 ± 0.20, 90 %, p 0.008
_MARK = re.compile(r"<!-- (?:dial: )?(\w+) -->")
_TOUCHED = r"<(math|button)\b(?:(?!</\{0}>).)*</\{0}>"
_GLUED = re.compile(rf"[(“]{_TOUCHED.format(1)}[,.;:!?)”]*|{_TOUCHED.format(2)}[,.;:!?)”]+", re.DOTALL)
"""a formula or a term with the bracket or quote before it and the comma after it: no line ends between them"""


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def _target(link: str, folder: str) -> str:
    """Where a link between texts leads between pages."""
    if "://" in link or link.startswith("#"):
        return link
    path, hash_mark, anchor = link.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path))
    name = path.removesuffix("/README.md").removesuffix(".md")
    return f"{'index' if name == 'README' else name}.html{hash_mark}{anchor}"
