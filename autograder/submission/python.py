"""Is it Python? Parses text without running it, within bounds, and says in words what is wrong where it is not."""

from __future__ import annotations

import ast
import re

from autograder.checks import parsing
from autograder.checks.parsing import TooDear
from autograder.submission.names import printable
from autograder.submission.records import Refused

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
    try:
        return parsing.parse(text)
    except TooDear as error:
        raise NotPython(error.fault, error.advice) from error
    except SyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        raise NotPython(f"{line}{printable(error.msg, 120)}", _advice(error, text)) from error
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
