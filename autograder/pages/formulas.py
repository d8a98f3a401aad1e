"""LaTeX → MathML, which browsers show without JavaScript.

latex2mathml converts every command that the lessons use. What it leaves out is added here: functions stand apart from
what follows them, bars and brackets know their sides, capital Greek letters are upright, and a minus at the beginning
is a sign.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, tostring

from latex2mathml.converter import convert_to_element

from autograder.course import UserError


class PageError(UserError):
    """A text cannot be shown as a page. The message holds the formula, or what is left of it."""


_BEFORE = (
    (re.compile(r"\\mathrm\b"), r"\\text"),
    (re.compile(r"(?<!\\left)\\(lvert|lfloor|lceil)\b"), r"\\left\\\1"),
    (re.compile(r"(?<!\\right)\\(rvert|rfloor|rceil)\b"), r"\\right\\\1"),
)
_FUNCTION = re.compile("[a-zA-Z]{2,}")
_LONG = 24
"""more characters than this do not fit beside a word on a narrow screen"""
_BREAKS = frozenset("=≤≥≈<>→↦+−·,")
_DESCENDERS = frozenset("gjpqyβγημρφχψ")
_SIGNS = frozenset("−+±")
_AFTER = frozenset("([{,;=<>≤≥≈→↦⌊⌈|+−·×/∣")


def mathml(latex: str, display: bool = False) -> str:
    """One formula. Raises PageError for a command that is not known."""
    source = latex.strip()
    if display and r"\qquad" in source:  # two formulas: where a line is full, the second stands below the first
        return "".join(mathml(formula, True) for formula in source.split(r"\qquad"))
    if len(re.findall(r"(?<!\\)\{", source)) != len(re.findall(r"(?<!\\)\}", source)):
        raise PageError(f"{latex}: a brace has no other one")
    for pattern, replacement in _BEFORE:
        source = pattern.sub(replacement, source)
    try:
        root = convert_to_element(source, display="block" if display else "inline")
    except Exception as error:  # latex2mathml raises a type of its own for each mistake, with no base in common
        raise PageError(f"{latex}: {error!r}") from error
    for element in (elements := list(root.iter())):
        # latex2mathml writes characters as entities.
        element.text = html.unescape(element.text or "")
    for element in elements:
        _complete(element)
    if unknown := [text for text in root.itertext() if "\\" in text]:
        raise PageError(f"{latex}: {', '.join(unknown)} is not known")
    pieces = [root] if display or len("".join(root.itertext())) <= _LONG else _pieces(root)
    root.set("alttext", latex.strip())
    return "<wbr>".join(tostring(piece, encoding="unicode") for piece in pieces)


def _pieces(root: Element) -> list[Element]:
    """A long formula in a line of text as several, so that the line can end after a relation, a sum or a comma."""
    ends = [
        index
        for index, child in enumerate(root[0], 1)
        if child.tag == "mo" and child.text in _BREAKS and child.get("form") is None
    ]
    pieces = []
    for begin, end in pairwise(dict.fromkeys((0, *ends, len(root[0])))):
        pieces.append(Element(root.tag, root.attrib))
        SubElement(pieces[-1], "mrow").extend(root[0][begin:end])
    return pieces


def _complete(parent: Element) -> None:
    """What one element and its children lack."""
    bars = [child for child in parent if child.tag == "mo" and child.text == "|" and not child.get("form")]
    for number, bar in enumerate(bars):
        bar.set("form", "postfix" if number % 2 else "prefix")
    for index, child in enumerate(list(parent)):
        _complete_symbol(child, begins=_begins(parent, index))
    match parent.tag:
        case "mrow" | "math" | "mtd" | "mstyle" | "msqrt":
            _space_functions(parent)
        case "msub" | "msubsup" if parent[0].tag == "mi" and set(parent[0].text or "") & _DESCENDERS:
            # Subscripts of letters that go below the line would stand lower than those of others.
            letter = parent[0]
            parent[0] = Element("mpadded", depth="0")
            parent[0].append(letter)


def _complete_symbol(symbol: Element, begins: bool) -> None:
    """`begins`: whether it has nothing on its left."""
    text = symbol.text or ""
    match symbol.tag:
        case "mo" if text in ("/", "."):
            symbol.attrib |= {"lspace": "0", "rspace": "0"}
        case "mo" if text == "∞" or (_FUNCTION.fullmatch(text) and text != "mod"):
            symbol.tag = "mi"
        case "mo" if text in _SIGNS and begins:
            symbol.set("form", "prefix")
        case "mi" if text == "′":
            # The font's prime stands high by itself, and is made for the size of the letter before it.
            symbol.tag, symbol.text = "mpadded", ""
            symbol.set("voffset", "-0.35em")
            SubElement(symbol, "mo", mathsize="135%", lspace="0", rspace="0").text = text
        case "mi" if len(text) == 1 and "Α" <= text <= "Ω":
            symbol.set("mathvariant", "normal")
        case "mtext" if re.fullmatch(r"\S{2,}", text):
            symbol.tag = "mi"  # a name; beside a text, browsers take the minus of `high − low` for a sign


def _space_functions(row: Element) -> None:
    """A thin space around each function."""
    for index, (before, child) in reversed(list(enumerate(pairwise(row), 1))):
        if (_is_function(before) and not _is_bracket(child)) or (_is_factor(before) and _is_function(child)):
            row.insert(index, Element("mspace", width="0.1667em"))


def _begins(row: Element, index: int) -> bool:
    """Whether a sign there has nothing on its left."""
    before = row[index - 1]
    return row.tag in ("mrow", "mtd") and (index == 0 or (before.tag == "mo" and before.text in _AFTER))


def _is_function(element: Element) -> bool:
    head = element[0] if element.tag in ("msub", "msup", "msubsup") else element
    return head.tag == "mi" and bool(_FUNCTION.fullmatch(head.text or ""))


def _is_factor(element: Element) -> bool:
    return element.tag in ("mi", "mn", "msub", "msup", "msubsup", "mfrac") or (
        element.tag == "mo" and element.text == ")"
    )


def _is_bracket(element: Element) -> bool:
    """An operator or a group in brackets stands as close to a function as it likes."""
    return element.tag in ("mo", "mspace") or (element.tag == "mrow" and len(element) > 0 and _is_bracket(element[0]))
