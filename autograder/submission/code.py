"""Conversion of a .py file's or a notebook's bytes to Python code."""

from __future__ import annotations

import ast
import functools
import io
import json
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.checks.source import MAX_CODE_CHARACTERS, SourceFile
from autograder.course import Assignment
from autograder.submission.cell_cleaner import CellCleaner
from autograder.submission.records import Problem, UnreadableError
from autograder.submission.syntax_trees import GRADER_PYTHON, NotPythonError, bound_and_implemented_names, parse
from autograder.submission.untrusted_names import printable, semicolon_list, stem_and_suffix

MAX_CELLS = 2000
_MAX_LISTED_OMISSIONS = 8
_CELL_MARK = re.compile(r"\n(?=# ?%%|# In ?\[)")  # as written by VS Code, Spyder, jupytext or nbconvert


@dataclass(frozen=True)
class Code:
    """The Python code of one file, or the problem that kept it from being read."""

    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bound_names: frozenset[str] = frozenset()  # names that the file binds at the top level
    implemented_names: frozenset[str] = frozenset()  # names bound to more than a stub
    sha256: str = ""  # hash of the uploaded bytes
    problem: Problem | None = None


@functools.cache
def functions(assignment: str) -> frozenset[str]:
    """Return the names of the public functions in an assignment's stub; empty if the stub does not exist."""
    return frozenset(name for name in SourceFile(Assignment(assignment).stub).functions if not name.startswith("_"))


def read_code(data: bytes, name: str) -> Code:
    """Return the code in a .py or .ipynb file. If its name and its content disagree, the content decides.

    Raise UnreadableError, with a message for the student, if the file contains no code that can run.
    """
    text, notes = _decoded(data)
    notebook = _notebook(text, name)
    try:
        code = _of_script(text) if notebook is None else _of_cells(notebook)
    except NotPythonError as error:
        why = f"The file is not {GRADER_PYTHON}, which grades it ({error})"
        advice = "correct this; if a newer Python accepts it, use the older syntax"
        raise UnreadableError(f"{why}: {advice}.") from error
    return replace(code, notes=notes + code.notes)


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return a file's text, and a note if its encoding is not UTF-8. UTF-16 is recognised by its byte order mark."""
    try:
        utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        encoding = "utf-16" if utf_16 else tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = io.TextIOWrapper(io.BytesIO(data), encoding).read()  # every line ending becomes \n, as in Python
    except (SyntaxError, ValueError, LookupError) as error:
        why = f"The file is not text ({printable(str(error), 120)})"
        raise UnreadableError(f"{why}: hand in the .py or .ipynb file, saved as UTF-8.") from error
    return text, () if encoding.startswith("utf-8") else (f"It was read as {encoding}.",)


def _notebook(text: str, name: str) -> list[str] | None:
    """Return the sources of a notebook's code cells, or None if the text is not a notebook."""
    is_named_so, reason = stem_and_suffix(name)[1] == ".ipynb", "has no list of cells"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        document = {} if text.lstrip().startswith("{") else None
        reason = f"is damaged ({printable(str(error), 120)})"
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        if is_named_so and isinstance(document, dict):
            raise UnreadableError(f"The notebook {reason}: open it in Jupyter, save it, and hand it in again.")
        return None
    sources = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    texts = ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in sources]
    return [re.sub("\r\n?", "\n", text) for text in texts]


def _of_cells(sources: Sequence[str]) -> Code:
    """Return a notebook's code. Cells that cannot run become "", so that the others keep their numbers."""
    if len(sources) > MAX_CELLS or sum(map(len, sources)) > MAX_CODE_CHARACTERS:
        most = f"{MAX_CELLS} code cells or {MAX_CODE_CHARACTERS // 1024} KiB of code"
        raise UnreadableError(f"The notebook has more than {most}: hand in only what you wrote.")
    cleaner, texts, trees, left_out, fault = CellCleaner(), list[str](), list[ast.Module](), list[int](), ""
    for number, source in enumerate(sources, 1):
        try:
            text, lines = cleaner.clean(source)
            tree = parse(text)
        except NotPythonError as error:
            text, lines, tree = "", [number], ast.Module([], [])
            fault = fault or f" (code cell {number} is not {GRADER_PYTHON}: {error})"
        texts.append(text if tree.body else "")
        trees.append(tree)
        left_out += [number] * bool(lines)
    if all(isinstance(statement, ast.Pass) for tree in trees for statement in tree.body):
        why = f"The notebook has no code cell that can be run{fault}"
        raise UnreadableError(f"{why}: hand in the notebook with your functions.")
    return Code(tuple(texts), _omission_note("code cell", left_out, fault), *bound_and_implemented_names(trees))


def _of_script(text: str) -> Code:
    """Return a script's code as one cell. It is read cell by cell only if it does not parse.

    Raise NotPythonError if a cell does not parse even without magics, and UnreadableError if the script has no
    statements.
    """
    try:
        parse(text)
        parts = [text]
    except NotPythonError:
        parts = _CELL_MARK.split(text)
    cleaner, texts, left_out, before = CellCleaner(), list[str](), list[int](), 0
    for part in parts:
        try:
            clean, lines = cleaner.clean(part)
        except NotPythonError as error:
            raise NotPythonError(f"in the cell after line {before}, {error}" if before else str(error)) from error
        texts.append(clean)
        left_out += [before + line for line in lines]
        before += part.count("\n") + 1
    code = "\n".join(texts)
    tree = parse(code)
    if not tree.body:
        raise UnreadableError("The file contains no code: hand in the file with your functions.")
    return Code((code,), _omission_note("line", [*dict.fromkeys(left_out)]), *bound_and_implemented_names([tree]))


def _omission_note(where: str, numbers: Sequence[int], fault: str = "") -> tuple[str, ...]:
    """Return a note about the omitted lines or cells, or no note if `numbers` is empty."""
    what = "what only a notebook can run, such as magics, shell and help lines, uploads and calls to Otter"
    places = f"{where}{'s' * (len(numbers) > 1)} {semicolon_list([*map(str, numbers)], _MAX_LISTED_OMISSIONS)}"
    return (f"Left out of {places}: {what}{fault}.",) if numbers else ()
