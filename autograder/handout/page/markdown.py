"""A lesson's Markdown → HTML, with formulas, highlighted code, links between pages, terms and docstrings."""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, PythonLexer

from autograder.handout.page.formulas import mathml
from autograder.handout.page.functions import Function
from autograder.handout.page.glossary import Glossary, slug

_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


@dataclass(frozen=True)
class Heading:
    """An entry of a page's table of contents."""

    level: int
    anchor: str
    html: str


@dataclass
class Rendered:
    """A text as HTML, and what the page around it needs."""

    title: str = ""
    html: str = ""
    headings: list[Heading] = field(default_factory=list)
    terms: set[str] = field(default_factory=set)


def code(text: str) -> str:
    """Python, or a session with `>>>`, highlighted."""
    lexer = PythonConsoleLexer() if ">>>" in text else PythonLexer(stripnl=False)
    return str(highlight(text, lexer, _FORMATTER))


def scrolling(html: str) -> str:
    """A block that scrolls sideways where it is too wide, by keyboard too."""
    return f'<div class="scroll" tabindex="0">{html}</div>\n'


class Renderer:
    """Renders the course's texts: every lesson, the glossary, the page on numpy."""

    def __init__(self, glossary: Glossary, folder: Path) -> None:
        self._glossary = glossary
        self._folder = folder
        self._markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        self._markdown.use(dollarmath_plugin, renderer=lambda latex, options: mathml(latex, options["display_mode"]))
        self._html = cast(RendererHTML, self._markdown.renderer)
        rules: dict[str, Any] = {
            "code_block": lambda tokens, place, *_: scrolling(f"<pre><code>{code(tokens[place].content)}</code></pre>"),
            "table_open": lambda *_: '<div class="scroll" tabindex="0"><table>',
            "table_close": lambda *_: "</table></div>\n",
            "math_block": lambda tokens, place, *_: f'<div class="formula" tabindex="0">{mathml(tokens[place].content, True)}</div>\n',
            "math_inline": lambda tokens, place, *_: mathml(tokens[place].content),
            "th_open": lambda tokens, place, *_: _column_heading(tokens[place + 1])[0],
            "th_close": lambda tokens, place, *_: _column_heading(tokens[place - 1])[1],
        }
        rules["fence"] = rules["code_block"]
        self._html.rules |= rules

    def inline(self, text: str) -> str:
        """A piece of a line, as in a table's cell."""
        return str(self._markdown.renderInline(text))

    def render(self, text: str, folder: str, functions: Sequence[Function] = (), after: dict[str, str] | None = None) -> Rendered:
        """A text that lies in a folder below assignments/. Each heading of a function is followed by its docstring;
        `after` holds what follows a figure, or else the first section."""
        page = Rendered()
        left = {function.name: function for function in functions}
        placed = dict(after or {})
        touched: set[str] = set()
        out: list[Token] = []
        tokens = self._markdown.parse(text)
        section = ""
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                title = tokens[place + 1]
                if token.tag == "h2":
                    if section == "What to write":
                        out.append(_html("".join(map(_docstring, left.values()))))
                        left.clear()
                    touched, section = set(), title.content
                self._heading(page, token, title)
            elif token.type == "inline":
                self._inline(page, token, folder, touched, tokens[place - 1].type == "heading_open")
            out.append(token)
            if token.type == "heading_close" and token.tag == "h3":
                names = [child.content for child in tokens[place - 1].children or [] if child.type == "code_inline"]
                out.append(_html("".join(_docstring(left.pop(name)) for name in names if name in left)))
            if token.type == "paragraph_close" and (figure := self._figure(tokens[place - 1])):
                out[-3:] = [_html(figure)]
                stem = posixpath.splitext(posixpath.basename(_source(tokens[place - 1])))[0]
                out.append(_html(placed.pop(stem, "")))
        out.append(_html("".join(map(_docstring, left.values()))))
        body = str(self._html.render(out, self._markdown.options, {}))
        page.html = _GLUED.sub(_glue, _before_second_section(body, "".join(placed.values())))
        return page

    def _heading(self, page: Rendered, opening: Token, title: Token) -> None:
        anchor = slug(re.sub(r"[`$*]", "", title.content))
        opening.attrSet("id", anchor)
        html = self._html.renderInline(title.children or [], self._markdown.options, {})
        if opening.tag == "h1":
            page.title = title.content
        else:
            page.headings.append(Heading(int(opening.tag[1]), anchor, html))

    def _inline(self, page: Rendered, token: Token, folder: str, touched: set[str], in_heading: bool) -> None:
        inside = 0
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href")), folder))
            elif child.type == "image":
                child.attrSet("src", posixpath.normpath(posixpath.join(folder, str(child.attrGet("src")))))
            if child.type in ("link_open", "strong_open") or _opens(child):
                inside += 1
            elif child.type in ("link_close", "strong_close") or _closes(child):
                inside -= 1
            elif child.type == "text" and not inside and not in_heading:
                marked = self._glossary.marked(child.content, touched, page.terms)
                child.type, child.content = "html_inline", marked

    def _figure(self, token: Token) -> str:
        """A paragraph that is nothing but an image, as a figure; its size is told, so that the text stays where it is when it loads."""
        children = token.children or []
        if len(children) != 1 or children[0].type != "image":
            return ""
        source, words = _source(token), escape(children[0].content)
        width, height = struct.unpack(">II", (self._folder / source).read_bytes()[16:24])
        image = f'<img src="{escape(source)}" alt="{words}" width="{width}" height="{height}" loading="lazy">'
        return f'<figure>{image}<figcaption aria-hidden="true">{words}</figcaption></figure>\n'


def _column_heading(title: Token) -> tuple[str, str]:
    """What begins and ends it. One that is a formula alone is also written out, because not every screen reader names it otherwise."""
    if not title.content:
        return "<td>", "</td>\n"
    if any(child.type != "math_inline" for child in title.children or []):
        return '<th scope="col">', "</th>\n"
    written = escape(title.content.replace("$", ""))
    return f'<th scope="col"><span class="unseen">{written}</span><span aria-hidden="true">', "</span></th>\n"


def _opens(token: Token) -> bool:
    return token.type == "html_inline" and token.content.startswith(("<summary", "<a"))


def _closes(token: Token) -> bool:
    return token.type == "html_inline" and token.content.startswith(("</summary", "</a"))


_GLUED = re.compile(r"(\(?)(<(math|button)\b(?:(?!</\3>).)*</\3>)([,.;:!?)]*)", re.DOTALL)


def _glue(match: re.Match[str]) -> str:
    """A formula or a term with the bracket before it and the comma after it: no line ends between them."""
    whole = match[0]
    return f'<span class="glued">{whole}</span>' if match[1] or match[4] else whole


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def _target(link: str, folder: str) -> str:
    """Where a link between texts leads between pages."""
    if "://" in link or link.startswith("#"):
        return link
    path, _, anchor = link.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path))
    name = posixpath.dirname(path) if path.endswith("/README.md") else path.removesuffix(".md")
    page = {"README": "index", ".": "index"}.get(name, name)
    return f"{page}.html" + (f"#{anchor}" if anchor else "")


def _source(token: Token) -> str:
    """The image of a paragraph that is nothing but an image."""
    return str((token.children or [])[0].attrGet("src"))


def _docstring(function: Function) -> str:
    return (
        f'<details class="docstring"><summary>Docstring of <code>{function.name}</code></summary>'
        f"<pre><code>{code(function.signature).strip()}\n\n{escape(function.docstring)}</code></pre></details>\n"
    )


def _before_second_section(html: str, what: str) -> str:
    """What belongs to no figure of the text stands at the end of the section on the idea, or of the text."""
    after_idea = re.search(r'<h2 id="the-idea">.*?(?=<h2 )', html, re.DOTALL)
    place = after_idea.end() if after_idea else len(html)
    return html[:place] + what + html[place:]
