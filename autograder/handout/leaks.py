"""Reads every byte of a handout and finds what must not be in it: solutions, answers, hidden tests, known mistakes, the
seed.

Texts are compared bare: without spaces, quotes and escapes, so that a line is found inside a notebook's JSON, inside
prose, indented otherwise or broken in two. A line gives something away when it is long enough to be nobody's accident
and stands in a solution's marked block, in a hidden test or in the catalogue; a whole body does however short it is.
What a stub, a public test or the room of checks says too is no secret.
"""

from __future__ import annotations

import ast
import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.course import assignments, seed_file, shipped_code
from autograder.handout.stubs import BEGIN, END, answer_texts, stub

ACCIDENT = 24
"""Shorter lines, spaces aside, are written by anybody: `return x` tells nothing."""

KINDS = {".py", ".md", ".ipynb", ".json", ".png", ".svg", ".txt", ".ini", ".csv", ".yml", ".html", ".css", ".js"}
NAMES = {"Makefile", ".gitignore", "LICENSE"}
"""A handout has no other kinds of files. An archive or compiled code could hold anything."""

_YEAR = re.compile(r"^Copyright \(c\) \d+", re.MULTILINE)
_PNG_BEGIN, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"


def leaks(folder: Path) -> list[str]:
    """One line for each thing in a folder that students must not have; empty where there is none."""
    secrets = _Secrets()
    lines = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            lines.append(f"{name}: it is a link or a device")
        elif path.is_file():
            lines += [f"{name}: {what}" for what in _in_file(path, secrets)]
    return lines


def _in_file(path: Path, secrets: _Secrets) -> Iterator[str]:
    data = path.read_bytes()
    if path.suffix not in KINDS and path.name not in NAMES:
        yield "a handout has no files of this kind"
    if zipfile.is_zipfile(io.BytesIO(data)):
        yield "an archive"
    if path.suffix == ".png":
        if not (data.startswith(_PNG_BEGIN) and data.endswith(_PNG_END)):
            yield "more or less than a picture"
        text = data.decode("latin-1")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            yield "not a text"
            text = data.decode("latin-1")
    if BEGIN in text or END in text:
        yield "a solution's marks"
    if secrets.seed.search(_YEAR.sub("", text)):  # the licence's year
        yield "the term's seed"
    yield from secrets.found_in(text)
    if path.suffix == ".html":
        yield from secrets.found_in(re.sub(r"<[^>]*>", "", text))  # highlighted code has tags between its words
    if path.suffix == ".ipynb":
        yield from _in_notebook(text, secrets)


def _in_notebook(text: str, secrets: _Secrets) -> Iterator[str]:
    """What its cells hold: in the file, their lines are strings of their own."""
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError):
        yield "not a notebook"
        return
    yield from secrets.found_in("\n".join("".join(cell.get("source", ())) for cell in cells))
    if any(cell.get("outputs") or cell.get("attachments") for cell in cells):
        yield "a notebook with outputs"


class _Secrets:
    """What students must not have, as bare text."""

    def __init__(self) -> None:
        said = _bare("\n".join(_public()))
        parts: dict[str, str] = {}
        for whose, text in _secret_texts():
            parts.setdefault(_bare(text), f"{whose}: {text.strip()[:60]}")
        self.parts = {part: what for part, what in parts.items() if part and part not in said}
        # Long parts are looked up by their beginning: one pass over a text instead of one for each part.
        self.beginnings: dict[str, list[str]] = {}
        for part in self.parts:
            self.beginnings.setdefault(part[:ACCIDENT], []).append(part)
        number = seed_file().read_text("utf-8").split()[0]
        # A seed of three digits or fewer cannot be told from any other number.
        self.seed = re.compile(rf"(?<![\w.+/]){number}(?![\w.+/])" if len(number) > 3 else r"(?!)")

    def found_in(self, text: str) -> Iterator[str]:
        """What of all this a text holds."""
        bare = _bare(text)
        windows = {bare[place : place + ACCIDENT] for place in range(len(bare))}
        for beginning, parts in self.beginnings.items():
            if beginning in (windows if len(beginning) == ACCIDENT else bare):
                yield from (self.parts[part] for part in parts if part in bare)


def _bare(text: str) -> str:
    """A text without what may change when it is copied, indented, quoted or escaped."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), html.unescape(text))
    return re.sub(r"\\[nrt]|[\s\"'\\]", "", text)


def _public() -> Iterator[str]:
    """What students have in any case."""
    for assignment in assignments():
        yield stub(assignment.solution.read_text("utf-8"), assignment.name)
        yield assignment.public_tests.read_text("utf-8")
    for path in shipped_code():
        yield path.read_text("utf-8")


def _secret_texts() -> Iterator[tuple[str, str]]:
    """Whose secret, and the text."""
    for assignment in assignments():
        name = assignment.name
        solution = assignment.solution.read_text("utf-8")
        for body in re.findall(rf"{BEGIN}(.*?){END}", solution, re.DOTALL):
            yield f"a body of {name}'s solution", body
            yield from _long_lines(f"a line of {name}'s solution", body)
        for answer in answer_texts(solution, name):
            yield f"an answer of {name}", answer
        hidden = assignment.hidden_tests.read_text("utf-8")
        yield from _long_lines(f"a line of {name}'s hidden tests", hidden)
        yield from ((f"a hidden test of {name}", test) for test in _test_names(hidden))
        catalogue = assignment.misconceptions.read_text("utf-8")
        yield from ((f"a line of {name}'s catalogue", statement) for statement in _statements(catalogue))


def _long_lines(whose: str, text: str) -> Iterator[tuple[str, str]]:
    return ((whose, line) for line in text.split("\n") if len(_bare(line)) >= ACCIDENT)


def _test_names(source: str) -> list[str]:
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def _statements(source: str) -> Iterator[str]:
    """The statements of the catalogue. Its decorators are none: hints are meant to be read, and origins are public.

    Nor is a bare call, by which an entry has the solution refuse a bad argument: pictures call a student's functions
    too.
    """
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Expr) and not hasattr(node, "body"):
            statement = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if len(_bare(statement)) >= ACCIDENT:
                yield statement
