"""Is it Python? Parses text without running it, within bounds, and says in words what is wrong where it is not."""

from __future__ import annotations

import ast
import itertools
import re
import unicodedata
import warnings

from autograder.submission.names import printable
from autograder.submission.records import Refused

MAX_CODE = 256 * 1024
"""Characters of code. The syntax tree takes up to a thousand times that in bytes, and some parsers quadratic time."""

MAX_BRACES = 10_000
"""Python 3.11 parses the fields of one f-string in quadratic time: 80,000 take 13 s, and so many 0.2 s."""

MAX_MARKS = 200
"""Combining marks in a row. The parser sorts the marks of a name in quadratic time: 262,000 of them take 210 s."""

# The parser stores `import a.b.c…` with all its beginnings, so that a long chain takes quadratic memory.
_CHAIN = re.compile(r"\b(?:[^\W\d]\w*+\.){64}")
_GAPS = re.compile(r"[ \t\f]+|\\\n")

_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_PYTHON_2 = ("Missing parentheses in call to", "multiple exception types must be parenthesized")


class NotPython(Exception):
    """Text that does not parse: why, with the line where that is known, and what to do about it."""

    def __init__(self, fault: str, advice: str) -> None:
        super().__init__(fault)
        self.fault = fault
        self.advice = advice


def parse(text: str) -> ast.Module:
    """The syntax tree. Raises NotPython, and nothing else, for any text that has none."""
    if len(text) > MAX_CODE:
        raise NotPython(f"it has more than {MAX_CODE // 1024} KiB of code", "cut it down to what you wrote")
    if text.count("{") > MAX_BRACES:
        raise NotPython(f"it holds more than {MAX_BRACES:,} braces", "keep data in another file")
    if _CHAIN.search(_GAPS.sub("", text)):
        raise NotPython("it holds a name with more than 64 dots", "shorten that name")
    if _most_marks(text) > MAX_MARKS:
        raise NotPython(f"it holds a letter with more than {MAX_MARKS} combining marks", "delete those marks")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the student's affair
            return ast.parse(text)
    except SyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        raise NotPython(f"{line}{printable(error.msg, 120)}", _advice(error, text)) from error
    except (MemoryError, RecursionError, SystemError) as error:  # how parsers say that they ran out of stack
        raise NotPython("it is nested too deeply", "break the deepest expression into smaller ones") from error
    except ValueError as error:
        raise NotPython(printable(str(error), 120), "save the file as UTF-8 text") from error


def check(text: str) -> ast.Module:
    """The syntax tree. Raises Refused unless the text is Python with at least one statement."""
    try:
        tree = parse(text)
    except NotPython as error:
        raise Refused(
            f"The file is not Python ({error.fault}): {error.advice}, and hand it in again.",
            f"The file is not Python ({error.fault}).",
        ) from error
    if not tree.body:
        raise Refused(
            "The file holds no code, only blank lines or comments: hand in the file that holds your functions.",
            "The file holds blank lines or comments only.",
        )
    return tree


def _most_marks(text: str) -> int:
    """The length of the longest run of combining marks."""
    if text.isascii():
        return 0
    runs = itertools.groupby(text, key=lambda character: unicodedata.combining(character) > 0)
    return max((sum(1 for _ in run) for is_mark, run in runs if is_mark), default=0)


def _advice(error: SyntaxError, text: str) -> str:
    if _CONFLICT.search(text):
        return "a merge left conflict markers (<<<<<<<) behind, so keep one side and delete the markers"
    if error.msg.startswith(_PYTHON_2):
        return "this is Python 2, so write it for Python 3 (print is a function there)"
    if isinstance(error, TabError):
        return "tabs and spaces are mixed, so indent with spaces only"
    if any(quote in error.msg for quote in "“”‘’„"):
        return "a word processor replaced quotation marks, so type plain ones"
    if error.text and error.text.lstrip().startswith(("%", "!")):
        return "lines that begin with % or ! work in notebooks only, so delete them"
    return "fix that line, run the file once"
