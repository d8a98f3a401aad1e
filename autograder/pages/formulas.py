"""Conversion of LaTeX to MathML, which browsers show without JavaScript.

latex2mathml converts every command that the lessons use, but it leaves out the space around functions and does not mark
opening and closing brackets or unary minus signs. This module adds all of these.
"""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element

from autograder.course import UserError


class PageError(UserError):
    """An error in a text that cannot be shown as a page. The message quotes the faulty part of the text."""


_MATH_FUNCTION_COMMAND = r"\\(?:cos|sin|ln|log|exp|min|max)\b"
"""Pattern for the LaTeX command of a function."""
_LATEX_REWRITES = (
    (r"\\mathrm\b", r"\\text"),
    (r"(?<!\\left)\\(lvert|lfloor|lceil)\b", r"\\left\\\1"),
    (r"(?<!\\right)\\(rvert|rfloor|rceil)\b", r"\\right\\\1"),
    (rf"(?<=[\w}})])(?<!\\cdot)(?<!quad)\s*(?={_MATH_FUNCTION_COMMAND})", r"\\,"),
    (rf"({_MATH_FUNCTION_COMMAND}(?:[_^](?:\w|\{{[^}}]*\}}))?)(?!\s*(?:[(^_{{]|\\left))", r"\1\\,"),
)
"""Patterns and replacements that are applied before a formula is converted: they write names as text, mark brackets as
left or right, and put a thin space around functions, but not before a bracket."""
_CHARACTERS_BEFORE_UNARY_SIGN = frozenset("([{,;=<>≤≥≈→↦⌊⌈+−·×/∣")
"""Characters after which a plus or a minus is unary."""


def mathml(latex: str, display: bool = False) -> str:
    """Return a formula as MathML. Raise PageError for an unknown command."""
    source = latex.strip()
    if display and r"\qquad" in source:  # two formulas: if the line is too short, the second wraps below the first
        return "".join(mathml(formula, True) for formula in source.split(r"\qquad"))
    if len(re.findall(r"(?<!\\)\{", source)) != len(re.findall(r"(?<!\\)\}", source)):
        raise PageError(f"{latex}: unmatched brace")
    for pattern, replacement in _LATEX_REWRITES:
        source = re.sub(pattern, replacement, source)
    try:
        root = convert_to_element(source, display="block" if display else "inline")
    except Exception as error:  # latex2mathml raises unrelated exception types for different mistakes
        raise PageError(f"{latex}: {error!r}") from error
    for element in (elements := list(root.iter())):
        element.text = html.unescape(element.text or "")  # characters are written as entities
    for element in elements:
        _correct_symbols(element)
    if unknown := [text for text in root.itertext() if "\\" in text]:
        raise PageError(f"{latex}: {', '.join(unknown)} is not known")
    root.set("alttext", latex.strip())
    return tostring(root, encoding="unicode")


def _correct_symbols(row: Element) -> None:
    """Correct the tags of symbols in a row of a formula, and add the attributes that they lack."""
    begins = row.tag in ("mrow", "mtd")
    for symbol in row:
        text = symbol.text or ""
        match symbol.tag:
            case "mo" if text in ("/", "."):
                symbol.attrib |= {"lspace": "0", "rspace": "0"}
            case "mo" if text == "∞" or (re.fullmatch("[a-zA-Z]{2,}", text) and text != "mod"):
                symbol.tag = "mi"
            case "mo" if text in ("−", "+", "±") and begins:
                symbol.set("form", "prefix")
            case "mtext" if re.fullmatch(r"\S{2,}", text):
                symbol.tag = "mi"  # a name; next to text, browsers treat the minus in `high − low` as a sign
        begins = row.tag in ("mrow", "mtd") and symbol.tag == "mo" and text in _CHARACTERS_BEFORE_UNARY_SIGN
