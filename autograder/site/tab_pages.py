"""Conversion of handout pages to site pages, with wording for a tab, an editor, buttons and a content policy.

In the course's texts, words about a terminal are enclosed by two marks, the second of which can hold words for a tab:

    Write it in <!--terminal-->any editor<!--tab: the editor of this page-->.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from markdown_it import MarkdownIt

from autograder.pages import search_script

TEMPLATES = Path(__file__).with_name("templates")
"""Folder with templates for the parts of a site page that handout pages lack."""

TERMINAL_PASSAGE = re.compile(r"(?s)<!--terminal-->.*?<!--tab(?:: ?(.*?))?-->")

FIRST_INSTRUCTION_PATTERN = r"(?s)<p>Write <code>(\w+\.py)</code>; check it with .*?</p>"
FIRST_INSTRUCTION_IN_TAB = (
    r"<p>Write <code>\1</code> in this page's editor; it checks what you write automatically. Everything in this"
    " lesson can be done here, and this browser keeps your work.</p>"
)
"""Pattern for the first instruction in each lesson, and the words that replace it."""

SKIP_TO_EDITOR = '<a class="skip" href="#line-1" data-click="line">Skip to your code</a>\n'
"""The first link of a lesson: with the keyboard, the editor would otherwise come after all of the lesson's links."""

_MARKDOWN = MarkdownIt("commonmark")


def tab_pages(
    pages: Mapping[str, bytes], lessons: Collection[str], hashed_names: Mapping[str, str], pyodide: str
) -> dict[str, bytes]:
    """Return a site's pages and accompanying files, made from the handout's.

    `hashed_names` maps file names to their names in the site; `pyodide` is the address or folder of Pyodide.
    """
    texts = {name: _for_tab(content.decode("utf-8")) for name, content in pages.items() if name.endswith(".html")}
    bodies = {
        Path(name).stem: re.split('<main id="text">\n|<nav class="turn"', text)[1] for name, text in texts.items()
    }
    texts["keep.html"] = _my_work_page(texts["index.html"])
    for name, text in texts.items():
        texts[name] = _with_scripts_and_policy(
            _with_editor_and_buttons(Path(name).stem, text, lessons), hashed_names, pyodide
        )
    texts["search.js"] = search_script(bodies)
    return {**pages, **{name: text.encode("utf-8") for name, text in texts.items()}}


def _for_tab(text: str) -> str:
    """Return a page with the wording for a tab."""
    text = re.sub(FIRST_INSTRUCTION_PATTERN, FIRST_INSTRUCTION_IN_TAB, text)
    return TERMINAL_PASSAGE.sub(lambda passage: _rendered(passage[1] or ""), text)


def _rendered(text: str) -> str:
    """Return Markdown as HTML: paragraphs if the text begins with a line break, and otherwise part of a paragraph."""
    html: str = _MARKDOWN.render(text) if text[:1] == "\n" else _MARKDOWN.renderInline(text)
    return re.sub(r'href="(\w+)(?:/README)?\.md"', r'href="\1.html"', html)


def _my_work_page(index_html: str) -> str:
    """Return the page about a student's own work: the first page with a different text."""
    text = re.sub(r'(?s)<nav class="contents".*?</nav>|<a class="skip" href="#dial.*?</a>', "", index_html)
    text = text.replace('data-page="index"', 'data-page="keep"')
    text = re.sub(r"<title>.*?</title>", "<title>My work · Whereabouts</title>", text)
    return re.sub(r'(?s)(<main id="text">).*(</main>)', lambda main: f"{main[1]}\n{_filled('keep')}{main[2]}", text)


def _with_editor_and_buttons(name: str, text: str, lessons: Collection[str]) -> str:
    """Return a page with its editor and its buttons."""
    text = text.replace("</header>\n", f"</header>\n{_filled('update')}", 1)
    if name in lessons:
        text = text.replace('<a class="skip"', f'{SKIP_TO_EDITOR}<a class="skip"', 1)
        text = text.replace("</main>\n", f"</main>\n{_filled('lesson', name=name)}", 1)
    if name == "writer":
        text = text.replace("</h1>\n", f"</h1>\n{_filled('writer')}", 1)
        text = re.sub(r"(?s)<tr>\n<td><code>([\w-]+)</code></td>.*?</tr>\n", _with_button_row, text)
    return re.sub(
        r"(?s)<!-- writer: ([\w-]+) -->\s*<(\w+).*?</\2>\n",
        lambda shown: shown[0] + _filled("experiment", name=shown[1], label="Try it with your functions"),
        text,
    )


def _with_button_row(row: re.Match[str]) -> str:
    """Return a row of the table of experiments, followed by a row with the experiment's button and text."""
    button = _filled("experiment", name=row[1], label="Try it")
    return f'{row[0]}<tr><td colspan="3">{button}</td></tr>\n'


def _filled(template: str, **words: str) -> str:
    return (TEMPLATES / f"{template}.html").read_text("utf-8").format(**words)


def _with_scripts_and_policy(text: str, hashed_names: Mapping[str, str], pyodide: str) -> str:
    """Return a page with the site's scripts and styles, and a policy on what the page may load."""
    inline = [
        base64.b64encode(hashlib.sha256(code.encode()).digest())
        for code in re.findall(r"(?s)<script>(.*?)</script>", text)
    ]
    remote = f" {pyodide}" if "://" in pyodide else ""
    hashes = "".join(f" 'sha256-{digest.decode()}'" for digest in inline)
    policy = (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{remote}{hashes}; connect-src 'self'{remote};"
        " style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src data:; worker-src 'self' blob:;"
        " base-uri 'none'; form-action 'none'"
    )
    begin = f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    end = f'<link rel="stylesheet" href="{hashed_names["tab.css"]}">\n'
    end += "".join(f'<script src="{hashed_names[script]}" defer></script>\n' for script in ("codemirror.js", "page.js"))
    return text.replace('<meta charset="utf-8">', begin, 1).replace("</head>", f"{end}</head>", 1)
