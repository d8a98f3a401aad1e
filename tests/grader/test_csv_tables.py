"""Tests of CSV tables: any table from a person or a platform is read correctly and written back byte for
byte."""

from __future__ import annotations

import codecs
import csv
import io
import random
from pathlib import Path

import pytest

from autograder import csv_tables
from autograder.csv_tables import TableError

ENCODINGS = [
    ("utf-8", b""),
    ("utf-8-sig", b""),
    ("utf-16", b""),
    ("utf-16-le", b""),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-16-be", b""),
    ("cp1252", b""),
]
"""Encodings of tables, each with the byte order mark to write before the text, if the encoding writes none."""
LINE_ENDS = ("\n", "\r\n", "\r")
CELLS = [
    "",
    "Zoë Müller",
    "20",
    "7,5",
    "3.25",
    'say "hi"',
    " two  blanks ",
    "a;b",
    "a,b",
    "-",
    "#12",
    "two\nlines",
    "'=1",
    "EX",
]
TITLES = ["Student", "Note", "Größe", "RoPE (77)"]


def csv_text(rows: list[list[str]], delimiter: str, end: str, quoting: int) -> str:
    page = io.StringIO()
    csv.writer(page, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return page.getvalue()


@pytest.mark.parametrize("seed", range(60))
def test_any_table_is_read_and_comes_back_byte_for_byte(seed: int, tmp_path: Path) -> None:
    """Every encoding, delimiter, line ending and quoting style is preserved, and only the edited cell changes."""
    draw = random.Random(seed)
    encoding, mark = draw.choice(ENCODINGS)
    delimiter, end = draw.choice(csv_tables.DELIMITERS), draw.choice(LINE_ENDS)
    # If lines end with \r, QUOTE_MINIMAL does not quote a cell that contains \n.
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]) if end != "\r" else csv.QUOTE_ALL
    rows = [TITLES, *([draw.choice(CELLS) for _ in TITLES] for _ in range(draw.randrange(1, 6)))]
    text = csv_text(rows, delimiter, end, quoting)
    text = text if draw.random() < 0.5 else text.removesuffix(end)
    text = f"sep={delimiter}{end}{text}" if draw.random() < 0.2 else text
    path = tmp_path / "table.csv"
    path.write_bytes(mark + text.encode(encoding))
    table = csv_tables.read(path)
    assert table.titles == TITLES
    cells_read = [[line[column] for column in range(len(TITLES))] for line in table.lines]
    assert [row for row in cells_read if any(row)] == [row for row in rows[1:] if any(row)]
    table.write(tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_bytes() == path.read_bytes()
    line, column = draw.choice(table.lines), draw.randrange(4)
    value = draw.choice(["17.5", "17,5", 'a "b"', ""])
    table.set(line, column, value)
    table.write(tmp_path / "changed.csv")
    changed_table = csv_tables.read(tmp_path / "changed.csv")
    for before, after in zip(table.lines, changed_table.lines, strict=True):
        assert [before[n] for n in range(4)] == [after[n] for n in range(4)]


def read(tmp_path: Path, content: str | bytes, has_comments: bool = False) -> csv_tables.Table:
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return csv_tables.read(path, has_comments)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"PK\x03\x04 and so on", "it is a workbook. Save it as CSV UTF-8"),
        (b"\xd0\xcf\x11\xe0 and so on", "it is a workbook. Save it as CSV UTF-8"),
        (b"a,b\n\x81\x8d,1\n", "it is not text. Save it as CSV UTF-8"),
        (b"", "it is empty"),
        (b"\n\n", "it is empty"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has more cells than there are titles"),
        (b'a,b\n"1\n2",2\n3,4,5\n', "line 4 has more cells than there are titles"),
        (b'a,b\n1,2\n"3,4\n', "a quotation mark in line 3 is not closed"),
        (b"a;b\n1;2;3\n", r"a cell that contains ';' in quotes, as in \"1;5\""),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(TableError, match=f"(?i)table.csv cannot be used: .*{sentence}"):
        read(tmp_path, content)


def test_a_table_has_at_most_the_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table may have the maximum number of bytes, but not one byte more."""
    monkeypatch.setattr(csv_tables, "MAX_TABLE_BYTES", 1 << 20)
    content = "".join(f"{a},{b * 61}\n" for a, b in ["ab", *["12"] * ((1 << 14) - 1)])
    assert len(content) == csv_tables.MAX_TABLE_BYTES
    assert len(read(tmp_path, content).lines) == (1 << 14) - 1
    with pytest.raises(TableError, match=r"table.csv cannot be used: it is larger than 1 MB"):
        read(tmp_path, content + "\n")


def test_empty_cells_beyond_the_titles_are_no_fault(tmp_path: Path) -> None:
    """Empty cells beyond the last column are accepted, because some spreadsheets write a comma at the end of
    every line but the first."""
    table = read(tmp_path, "a,b\n1,2,\n3,4,,\n")
    assert [[line[0], line[1]] for line in table.lines if not line.is_blank] == [["1", "2"], ["3", "4"]]


def test_two_columns_of_one_name_stay_and_neither_is_guessed(tmp_path: Path) -> None:
    table = read(tmp_path, "a,Notes,Notes\n1,x,y\n")
    assert table.titles == ["a", "Notes", "Notes"] and table.column("a") == 0
    for title, sentence in (("Notes", "two columns Notes"), ("b", "no column b")):
        with pytest.raises(TableError, match=sentence):
            table.column(title)


def test_comments_are_left_out_of_a_table_that_has_them(tmp_path: Path) -> None:
    """In a platform's table, `#ada` is a login and not a comment."""
    text = "# corrections\na,b\n# of week 5, and 6, and 7\n#ada,1\n2,3\n"
    assert [cells for _, cells in csv_tables.records(read(tmp_path, text, True))] == [{"a": "2", "b": "3"}]
    assert next(line[0] for line in read(tmp_path, "a,b\n#ada,1\n").lines) == "#ada"


@pytest.mark.parametrize(("text", "value"), [("20", 20), (" 7,5 ", 7.5), ("+1.5", 1.5), ("-2", -2), ("100,00", 100)])
def test_a_number_may_have_a_point_or_a_comma(text: str, value: float) -> None:
    assert csv_tables.number(text) == value


@pytest.mark.parametrize("text", ["", "EX", "nan", "1e3", "1.000,5", "one", "٣x", "1 2"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert csv_tables.number(text) is None


@pytest.mark.parametrize(
    ("cells", "has_commas"),
    [
        ("7,5;1,25", True),
        ("7,5;12", True),
        ("7,5;1.25", False),
        ("7.5;x", False),
        ("7;8", False),
        ("Love, Ada;x", False),
    ],
)
def test_a_table_with_decimal_commas_is_recognised(cells: str, has_commas: bool, tmp_path: Path) -> None:
    assert read(tmp_path, f"a;b\n{cells}\n").has_decimal_commas is has_commas


def test_a_quotation_mark_that_is_never_closed_costs_no_time(tmp_path: Path) -> None:
    """A regular expression that rescans the rest of the table at every position would, in practice, never finish."""
    with pytest.raises(TableError, match="a quotation mark in line 2 is not closed"):
        read(tmp_path, 'Student,ID\n"' + "a" * 2000)
