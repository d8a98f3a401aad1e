"""Reading and writing of tables from people and platforms, all of which is done in this module.

A table can be UTF-8 with or without a byte order mark, UTF-16 or Windows-1252, separated by commas, semicolons or tabs,
with decimal points or commas. Unchanged cells are written back byte for byte.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import UserError
from autograder.files import atomic, without_control_characters

DELIMITERS = ",;\t"
MAX_TABLE_BYTES = 64 << 20
_WORKBOOK_FIRST_BYTES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""First bytes of .xlsx and .xls files."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


class TableError(UserError):
    """An error in a table that a person can fix. The message names the table and, if known, the line."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be used: {reason}")


@dataclass
class Line:
    """A line of a table as written in the file: raw cells, including quotes, and the line ending."""

    number: int
    """line number in the file, counted from 1"""
    raw: list[str]
    end: str

    def __getitem__(self, column: int) -> str:
        """Return a cell's text, or an empty string past the end of the line."""
        return _unquoted(self.raw[column]) if column < len(self.raw) else ""

    @property
    def is_blank(self) -> bool:
        """Return True if all cells are empty."""
        return not any(_unquoted(cell).strip() for cell in self.raw)


@dataclass
class Table:
    """A table: its titles and its lines."""

    path: Path
    encoding: str
    byte_order_mark: bytes
    """empty if there is none"""
    delimiter: str
    preamble: str
    """text before the title line"""
    header: Line
    lines: list[Line] = field(default_factory=list)
    """lines below the title line, including blank lines and comments"""

    @property
    def titles(self) -> list[str]:
        """Return the column titles."""
        return [_unquoted(cell).strip() for cell in self.header.raw]

    def column(self, title: str) -> int:
        """Return the index of the column with this title. Raise TableError unless there is exactly one."""
        match = [number for number, other in enumerate(self.titles) if other == title]
        if len(match) != 1:
            raise TableError(self.path, f"it has {'two columns' if match else 'no column'} {title}")
        return match[0]

    def set(self, line: Line, column: int, text: str) -> None:
        """Write a cell."""
        line.raw += [""] * (column + 1 - len(line.raw))
        needs_quotes = re.search(rf'[{re.escape(self.delimiter)}"\r\n]', text) or line.raw[column].startswith('"')
        line.raw[column] = '"' + text.replace('"', '""') + '"' if needs_quotes else text

    def write(self, path: Path) -> None:
        """Write the table in its original encoding. Cells that were not set remain unchanged."""
        lines = (self.delimiter.join(line.raw) + line.end for line in (self.header, *self.lines))
        path.write_bytes(self.byte_order_mark + (self.preamble + "".join(lines)).encode(self.encoding))

    @property
    def has_decimal_commas(self) -> bool:
        """Return True if the table has numbers like 1,5 but none like 1.5."""
        cells = [_unquoted(cell).strip() for line in self.lines for cell in line.raw]
        numbers = Counter("," in cell for cell in cells if re.fullmatch(r"\d+[.,]\d+", cell))
        return numbers[True] > 0 and not numbers[False]


def read(path: Path, has_comments: bool = False) -> Table:
    """Read the table in a file. Raise TableError if the file cannot be read.

    With `has_comments`, lines that begin with `#` are comments.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(path, str(error.strerror)) from error
    if content.startswith(_WORKBOOK_FIRST_BYTES):
        raise TableError(path, "it is a workbook. Save it as CSV UTF-8 and name that file")
    if len(content) > MAX_TABLE_BYTES:
        raise TableError(path, f"it is larger than {MAX_TABLE_BYTES >> 20} MB, which no table of scores is")
    encoding, mark = _encoding_and_mark(content)
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise TableError(path, "it is not text. Save it as CSV UTF-8") from error
    preamble, body, delimiter = _preamble_body_and_delimiter(text, has_comments)
    first = 1 + preamble.count("\n")
    header, *lines = _split_lines(path, body, delimiter, first, has_comments)
    if header.is_blank:
        raise TableError(path, "it is empty. Its first line must contain the column titles")
    for line in lines:
        if any(_unquoted(cell).strip() for cell in line.raw[len(header.raw) :]):
            quoted = f'"1{delimiter}5"'
            reason = f"line {line.number} has more cells than there are titles. Put a cell that contains {delimiter!r}"
            raise TableError(path, f"{reason} in quotes, as in {quoted}")
    return Table(path, encoding, mark, delimiter, preamble, header, lines)


def number(text: str) -> float | None:
    """Parse a number with a decimal point or comma; return None if the text is not a number."""
    return float(text.strip().replace(",", ".")) if _NUMBER.fullmatch(text.strip()) else None


def records(table: Table) -> Iterator[tuple[Line, dict[str, str]]]:
    """Yield the lines that are neither blank nor comments, each with its cells keyed by lowercase title."""
    titles = [title.casefold() for title in table.titles]
    for line in table.lines:
        if not line.is_blank and not line.raw[0].startswith("#"):
            yield line, {title: line[column].strip() for column, title in enumerate(titles)}


def _encoding_and_mark(content: bytes) -> tuple[str, bytes]:
    """Return a file's encoding and its byte order mark."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return encoding, mark
    head = content[:200]
    if b"\0" in head:  # UTF-16 without a mark; assume that titles are mostly ASCII
        return ("utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"), b""
    try:
        content.decode("utf-8")
        return "utf-8", b""
    except UnicodeDecodeError:
        return "cp1252", b""


def _preamble_body_and_delimiter(text: str, has_comments: bool) -> tuple[str, str, str]:
    """Return the text before the title line, the rest of the text, and the delimiter."""
    end, delimiter = 0, ""
    for line in text.splitlines(keepends=True):
        if named := re.fullmatch(rf"sep=([{DELIMITERS}])\s*", line):  # Excel's way of naming the delimiter
            delimiter = named[1]
        elif line.strip() and not (has_comments and line.startswith("#")):
            break
        end += len(line)
    titles = re.sub(r'"[^"]*"', "", text[end:].partition("\n")[0])
    return text[:end], text[end:], delimiter or max(DELIMITERS, key=titles.count)


def _split_lines(path: Path, text: str, delimiter: str, first_number: int, has_comments: bool) -> Iterator[Line]:
    """Yield a text's lines, numbered from `first_number`. Quoted cells can contain delimiters and line breaks."""
    cell = re.compile(rf'[ ]*"[^"]*(?:""[^"]*)*"[^{delimiter}\r\n]*|[^{delimiter}\r\n]*')
    end = re.compile(r"\r\n|\n|\r|\Z")
    position, raw = 0, list[str]()
    begin = number = first_number
    while True:
        is_comment = has_comments and not raw and text.startswith("#", position)
        match = re.compile(r"[^\r\n]*").match(text, position) if is_comment else cell.match(text, position)
        assert match is not None
        if match[0].lstrip().startswith('"') and match[0].count('"') % 2:
            raise TableError(path, f"a quotation mark in line {number} is not closed")
        raw.append(match[0])
        number += len(re.findall(r"\r\n|\n|\r", match[0]))
        position = match.end()
        if text[position : position + 1] == delimiter:
            position += 1
            continue
        ended = end.match(text, position)
        assert ended is not None
        yield Line(begin, raw, ended[0])
        position, raw = ended.end(), []
        number += 1
        begin = number
        if position == len(text):
            return


def _unquoted(raw: str) -> str:
    """Return the text of a raw cell."""
    text = raw.strip(" ")
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        return text[1:-1].replace('""', '"')
    return raw


def write_csv(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write a table atomically, so that any spreadsheet or terminal can show it.

    Every cell is quoted, because many spreadsheets split cells at semicolons. The file begins with a byte order mark,
    by which Excel recognises UTF-8.
    """
    with atomic(path, encoding="utf-8-sig") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerows([without_control_characters(cell) for cell in row] for row in rows)
