"""Bytes to Python text: the code of a .py file or of a notebook."""

from __future__ import annotations

import functools
import io
import json
import tokenize
from dataclasses import dataclass
from typing import Any

from autograder.checks.source import Source
from autograder.course import Assignment
from autograder.submission import cells, marimo
from autograder.submission.names import printable, stem_and_suffix
from autograder.submission.records import UnreadableError
from autograder.submission.syntax import PYTHON, NotPythonError, bound_names

_MARIMO = "It was read as a notebook of marimo."


@dataclass(frozen=True)
class Code:
    """Python text of one file."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    """names that its top level binds"""
    written: frozenset[str] = frozenset()
    """names bound to more than a stub has"""


@functools.cache
def functions(assignment: str) -> frozenset[str]:
    """Return the public functions of an assignment's stub; none if there is no such stub."""
    return frozenset(name for name in Source(Assignment(assignment).stub).functions if not name.startswith("_"))


def read_code(data: bytes, name: str) -> Code:
    """Return the code of a .py or .ipynb file. Where name and content disagree, the content decides.

    Raises:
        UnreadableError: the file holds no code that can run; the message is a sentence for the student.
    """
    text, notes = _decoded(data)
    if (notebook := _notebook(text, name)) is not None:
        result = cells.of_notebook(notebook)
    else:
        try:
            chunks = marimo.cells(text)
            result = cells.of_sources(chunks, _MARIMO) if chunks else cells.of_script(text)
        except NotPythonError as error:
            raise UnreadableError(
                f"The file is not {PYTHON}, which grades it ({error}): correct that, and if a newer Python"
                " accepts it, use the older syntax."
            ) from error
    return Code(result.texts, notes + result.notes, *bound_names(result.trees))


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, and a note on its encoding: UTF-16 if so marked, else as Python reads it."""
    try:
        utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        encoding = "utf-16" if utf_16 else tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = io.TextIOWrapper(io.BytesIO(data), encoding).read()  # with \n as Python's own line ends
    except (SyntaxError, ValueError, LookupError) as error:
        reason = printable(str(error), 120)
        raise UnreadableError(
            f"The file is not text ({reason}): hand in the .py or .ipynb file, saved as UTF-8."
        ) from error
    notes = () if encoding.startswith("utf-8") else (f"It was read as {encoding}.",)
    return text, notes


def _notebook(text: str, name: str) -> dict[str, Any] | None:
    """Return the notebook that the text holds; None for any other text."""
    is_named_so = stem_and_suffix(name)[1] == ".ipynb"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        if is_named_so and text.lstrip().startswith("{"):
            reason = f"damaged ({printable(str(error), 120)})"
            raise UnreadableError(
                f"The notebook is {reason}: open it in Jupyter, save it, and hand it in again."
            ) from error
        return None
    is_notebook = isinstance(document, dict) and (is_named_so or isinstance(document.get("cells"), list))
    return document if is_notebook else None
