"""Tests of odd names: they stay unchanged in a row, are harmless in a spreadsheet, and are distinct and safe
on disk.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.submission.untrusted_names import (
    csv_cell,
    printable,
    safe_name,
    semicolon_list,
    unaccented_words,
    utf8_safe,
)
from tests.grader.support.example_counts import examples

ODD = [
    "", ".", "..", "...", "/", "../../etc/passwd", "a/b", "a\\b", "C:", "con", "CON", "Con.txt", "nul.", "LPT1",
    "com¹", "aux ", "=1+1", "+1", "-1", "@sum", "-rf", "~", "\t=1", "a\nb", "a\0b", "\x1b[31mred", "\u202eadA",
    "\u200fאדה", "🦆", "🦆🦆", "'; drop", '"', "a b", "a  b", "a_b", "ada.", "ada ", " ada", "Ada", "ADA", "ada", "ádá",
    "a\u0301da\u0301", "ａｄａ",
    "王小明", "हिन्दी", "x" * 300, "x" * 301, "é" * 300, "王" * 300, "\ud800", "\udcff\udcfe", "ada@uni.example",
    "z" + "\u0301" * 400, "%2e%2e", "$HOME",
]  # fmt: skip


RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def is_safe(name: str) -> bool:
    """Return True for a name that every common file system and every shell script can handle."""
    return (
        0 < len(name) <= 80
        and len(name.encode("utf-8")) <= 255
        and not set(name) & set('/\\:*?"<>|\0')
        and name[0] not in ".-~ "
        and name[-1] not in ". "
        and name.split(".")[0].casefold() not in RESERVED
        and all(unicodedata.category(character)[0] in "LNMPS" for character in name)
    )


def folded(name: str) -> str:
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())


def test_odd_names_become_safe_and_distinct_names_on_this_disk(tmp_path: Path) -> None:
    taken: set[str] = set()
    names = [safe_name(student, taken) for student in [*ODD, *ODD]]
    assert all(map(is_safe, names)), [name for name in names if not is_safe(name)]
    assert len(set(map(folded, names))) == len(names)
    for name in names:
        (tmp_path / name).mkdir()


def test_names_stay_readable() -> None:
    readable = ["ada", "Ada_Lovelace", "ada@uni.example", "o-neil", "王小明", "a+b@uni.example"]
    assert [safe_name(student, set()) for student in readable] == readable
    odd = {"Ada Lovelace": "Ada_Lovelace", "../ada": "ada", "x" * 300: "x" * 80}
    assert [safe_name(student, set()) for student in odd] == [*odd.values()]


@pytest.mark.parametrize("name", [*sorted(RESERVED), "CON", "Com1", "com¹", "LPT³", "ＡＵＸ"])
@pytest.mark.parametrize("around", ["{}", "{}.txt", "{}.", "{} ", "{}. .", " {}", "../{}"])
def test_a_name_that_windows_refuses_gets_another(name: str, around: str) -> None:
    made = safe_name(around.format(name), set())
    assert is_safe(made) and made.startswith("student-"), made


def test_an_ending_depends_on_the_student_and_not_on_the_class() -> None:
    few, many = {"ada"}, {"ada", "bob", "eve"}
    assert safe_name("Ada", few) == safe_name("Ada", many) != "Ada"


@examples(30)
@given(
    st.lists(
        st.text("aAéÉ王🦆 ._-/\\\0\n\u0301\u202e\ud800", max_size=100) | st.sampled_from([*ODD, *RESERVED]), max_size=20
    )
)
def test_any_names_become_safe_and_distinct(students: list[str]) -> None:
    taken: set[str] = set()
    names = [safe_name(student, taken) for student in students]
    assert all(map(is_safe, names))
    assert len(set(map(folded, names))) == len(names)


FORMULAS = ["=1+1", "+1", "-1", "@x", "  =1", "＝1", '"=1']
INVISIBLE = ["\t", "\r", "\n", "\0", "\x1b", "\x7f", "\u00a0", "\u200b", "\u2028", "\u202e", "\u2066", "\ufeff", "\x9b"]
PLAIN = ["", "ada", "a=1", "o'neil", "'=1", "ada@uni.example", "a-b", " ", "1", "🦆", 'a"b,c d', "אדה", "é"]


def test_a_cell_that_a_spreadsheet_would_compute_gets_an_apostrophe() -> None:
    assert [csv_cell(text) for text in FORMULAS + PLAIN] == [*(f"'{text}" for text in FORMULAS), *PLAIN]


@pytest.mark.parametrize("mark", INVISIBLE, ids=ascii)
def test_no_cell_holds_what_acts_in_a_terminal_or_turns_text_around(mark: str) -> None:
    assert csv_cell(f"a{mark}b.py") == "a b.py"
    assert csv_cell(f"{mark}=1") == "' =1"


@examples(100)
@given(st.lists(st.text(alphabet="=+-@＝ax1 \t\r\n,;|\"'\u200b\ufeff\x1b\u202e", max_size=12), min_size=1, max_size=4))
def test_no_part_of_a_cell_is_a_formula_in_any_locale(texts: list[str]) -> None:
    """Quotes within a line do not protect a cell if semicolons, tabs or bars separate the cells."""
    file = io.StringIO(newline="")
    csv.writer(file).writerow(map(csv_cell, texts))
    assert file.getvalue().removesuffix("\r\n").isprintable()
    for part in re.split(r"[,;|\t\r\n]", file.getvalue()):
        assert not part.strip('" \u200b\ufeff').startswith(tuple("=+-@＝")), part
    assert csv_cell("Ada;=1+1;x.py") == "Ada;'=1+1;x.py"


def test_undecodable_names_can_be_written() -> None:
    assert utf8_safe("a\udcffb") == "a\\udcffb"
    assert utf8_safe("héllo 🦆") == "héllo 🦆"


def test_text_in_a_sentence_is_one_short_line() -> None:
    lines = {
        "a\nb\x1b[31m": "a b [31m",
        "\u202eabc": "abc",
        "": "",
        "x" * 80: "x" * 80,
        "x" * 81: "x" * 79 + "…",
        "\n" * 999: "…",
    }
    assert [printable(text) for text in lines] == [*lines.values()]


@examples(200)
@given(st.lists(st.one_of(st.sampled_from(ODD), st.text(alphabet='ab,;" '), st.text()).map(printable), min_size=1))
def test_a_list_of_names_is_read_back(names: list[str]) -> None:
    """Each listed name is read back as one cell, even with commas, semicolons and quotation marks."""
    cells = next(csv.reader([semicolon_list(names)], delimiter=";", skipinitialspace=True)) or [""]
    assert cells == names
    assert semicolon_list(names, len(names)) == semicolon_list(names) and semicolon_list(
        [*names, "x"], len(names)
    ).endswith("; and 1 more")


@pytest.mark.parametrize(
    "function", [unaccented_words, printable, csv_cell, utf8_safe, lambda name: safe_name(name, set())]
)
def test_a_name_may_contain_any_character(function: Callable[[str], object]) -> None:
    """One student's name, such as one with ƛ, must not end the export of a whole class."""
    for first in range(0, sys.maxunicode, 64):
        function("".join(map(chr, range(first, first + 64))))


def test_letters_are_compared_without_their_marks() -> None:
    assert unaccented_words("Łukasz Żak-Ærø") == ["lukasz", "zak", "æro"]
    lambda_with_stroke, ada = unaccented_words("ƛʼ Ada")  # older versions of Unicode have no Latin lambda without it
    assert lambda_with_stroke in ("ƛʼ", "\ua7dbʼ") and ada == "ada"
